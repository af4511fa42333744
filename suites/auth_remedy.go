package suites

import "github.com/embedcontract/embedcontract/harness/contract"

const healthCheck = "service/health"

// keyRemedy is what clients do whose server needed no key, and is followed by one that needs one. Every request that is
// recorded of such a server has its key, so that a plain one proves it.
func keyRemedy() contract.Check {
	m := remedied{
		id:     "auth/send-the-key",
		change: "give clients the key, and probes as well: Authorization: Bearer and the key, with every request",
		why:    "with its key the candidate serves what it refuses without",
		from:   []string{"auth-missing-wrong", "RFC 6750, section 2.1"},
		reads:  []string{keyTwiceCheck, healthCheck},
	}
	for _, id := range []string{"auth/missing-key", "auth/wrong-key", "auth/wrong-scheme", "auth/any-key"} {
		m.bridges = append(m.bridges, bridge{id, withKey(plainStatusText)})
	}
	m.bridges = append(m.bridges, bridge{"auth/health-is-open", withKey(func(k contract.Evidence) contract.Step { return k.Read[healthCheck].Step("health") })})
	return remedy(m)
}

// withKey is the proof of a request that the candidate serves with its key, which the reference did not have.
func withKey(asked func(candidate contract.Evidence) contract.Step) func(r, k contract.Evidence) contract.Proof {
	return func(r, k contract.Evidence) contract.Proof {
		s := asked(k)
		switch {
		case r.Facts.Keyed:
			return contract.Proof{Needless: true, Observed: "clients of the reference have a key"}
		case !k.Facts.Keyed:
			return contract.Proof{Needless: true, Observed: "the candidate needs no key"}
		case !s.OK():
			return notProved("with the key: %s", statusOf(s))
		}
		return contract.Proof{Holds: true, Observed: "served with the key: " + statusOf(s)}
	}
}
