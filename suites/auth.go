package suites

import (
	"context"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// auth: who may ask. What is asked depends on whether the target has a key.
func auth() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "auth",
		Promise: "without the key a request is refused with 401, and where there is no key any will do",
		Checks: []contract.Check{
			authRefused("missing-key", "a request without a key is refused with 401", contract.Header("Authorization", "")),
			authRefused("wrong-key", "a request with another key is refused with 401", contract.Header("Authorization", "Bearer "+wrongKey)),
			authRefused("wrong-scheme", "a key that is sent as Basic is refused with 401", contract.Header("Authorization", "Basic ZW1iZWQ6Y29udHJhY3Q=")),
			authDummy(), authHealth(),
		},
		Remedies: []contract.Check{keyRemedy()},
	}
}

// What a swap between a server that needs a key and one that needs none means. One that cannot be asked how it treats a
// wrong key has none.
const (
	keyNeeded = "clients must start to send the key: whoever sends none, or any word in its place, is refused now"
	openNow   = "it is open for everybody: no request needs a key, and none is looked at"
	openStill = "nobody needed a key before, and nobody does now"
)

// wrongKey is no key of anybody.
const wrongKey = "embedcontract-no-such-key"

func authRefused(name, promise string, how contract.Option) contract.Check {
	return contract.Check{
		ID: "auth/" + name, Promise: promise,
		Why: "401 is what SDKs raise as an error of the key; any other status is repeated, or looked for elsewhere, and a 200 means that the door is open", Level: contract.Must,
		Sources: []string{"auth-missing-wrong", "RFC 9110, section 15.5.2"},
		Variants: []contract.Variant{
			{Name: "refused-401", Refuses: true, Outcome: contract.Pass, Meaning: "401"},
			{Name: "refused-403", Refuses: true, Outcome: contract.Differs, Meaning: "403: as if the key were known and not allowed", Breaks: "clients that ask for a key on 401"},
			{Name: "refused-4xx", Refuses: true, Outcome: contract.Differs, Meaning: "another 4xx", Breaks: "clients that ask for a key on 401"},
			{Name: "failed-5xx", Refuses: true, Outcome: contract.Fail, Meaning: "5xx", Breaks: "clients repeat it, and nobody looks at the key"},
			{Name: "served", Outcome: contract.Fail, Meaning: "200: the key is not looked at", Breaks: "whoever pays for it: anyone can ask"},
		},
		Swap: []contract.SwapRule{
			{From: "*", To: "served", Effect: contract.ClientChange, Silent: true, Why: "the door is open now"},
			{From: "served", To: "refused-401", Effect: contract.ClientChange, Why: "clients without the key are refused now"},
			{From: "refused-403", To: "refused-401", Effect: contract.Compatible, Why: "clients know it as an error of the key"},
			{From: "refused-4xx", To: "refused-401", Effect: contract.Compatible, Why: "clients know it as an error of the key"},
			{From: contract.CannotAsk, To: "refused-401", Effect: contract.ClientChange, Why: keyNeeded},
			{From: contract.CannotAsk, To: "refused-403", Effect: contract.ClientChange, Why: keyNeeded},
			{From: contract.CannotAsk, To: "refused-4xx", Effect: contract.ClientChange, Why: keyNeeded},
			{From: contract.CannotAsk, To: failed, Effect: contract.ClientChange, Why: keyNeeded},
			{From: contract.CannotAsk, To: "served", Effect: contract.Compatible, Why: openStill},
			{From: "refused-401", To: contract.CannotAsk, Effect: contract.Compatible, Why: openNow},
			{From: "refused-403", To: contract.CannotAsk, Effect: contract.Compatible, Why: openNow},
			{From: "refused-4xx", To: contract.CannotAsk, Effect: contract.Compatible, Why: openNow},
			{From: failed, To: contract.CannotAsk, Effect: contract.Compatible, Why: openNow},
			{From: "served", To: contract.CannotAsk, Effect: contract.Compatible, Why: openStill},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			if !p.Facts().Keyed {
				return contract.Inapplicable("the target file names no key (api_key_env)")
			}
			_, err := p.Embed(ctx, "asked", contract.Body{"input": statusText}, how)
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			f := contract.Found("refused-4xx", "%s", s.Describe()).From(s.Name)
			switch v, no := refusal(s); {
			case !no:
				f.Variant = "served"
			case v == failed || v == contract.Other:
				f.Variant = v
			case s.Status == 401:
				f.Variant = "refused-401"
			case s.Status == 403:
				f.Variant = "refused-403"
			}
			return f
		},
	}
}

func authDummy() contract.Check {
	return contract.Check{
		ID: "auth/any-key", Promise: "a server without a key takes a request with any key",
		Why: "SDKs always send one: without a real key users set a word such as none", Level: contract.Must,
		Sources: []string{"auth-dummy-accepted"},
		Variants: []contract.Variant{
			{Name: "served", Outcome: contract.Pass, Meaning: "200"},
			{Name: "refused", Refuses: true, Outcome: contract.Fail, Meaning: "it is refused, though a request without a key is served", Breaks: "every SDK: none can leave the key out"},
		},
		Swap: []contract.SwapRule{
			{From: "served", To: contract.CannotAsk, Effect: contract.ClientChange, Why: keyNeeded},
			{From: "refused", To: contract.CannotAsk, Effect: contract.ClientChange, Why: keyNeeded},
			{From: contract.CannotAsk, To: "served", Effect: contract.Compatible, Why: openNow},
			{From: contract.CannotAsk, To: "refused", Effect: contract.ClientChange, Why: "clients that send the key, as they had to, are refused now"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			if p.Facts().Keyed {
				return contract.Inapplicable("the target has a key")
			}
			_, err := p.Embed(ctx, "asked", contract.Body{"input": statusText}, contract.Header("Authorization", "Bearer "+wrongKey))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			if !s.OK() {
				return contract.Found("refused", "%s", s.Describe()).From(s.Name)
			}
			if _, err := s.One(); err != nil {
				return mismatch(s, err)
			}
			return contract.Found("served", "%s", s.Describe()).From(s.Name)
		},
	}
}

func authHealth() contract.Check {
	return contract.Check{
		ID: "auth/health-is-open", Promise: "/health needs no key",
		Why: "orchestrators probe without one; a probe that is refused restarts a server that works", Level: contract.Should,
		Sources: []string{"auth-health-open"},
		Variants: []contract.Variant{
			{Name: "open", Outcome: contract.Pass, Meaning: "200 without a key"},
			{Name: "closed", Refuses: true, Outcome: contract.Differs, Meaning: "401 or 403 without a key", Breaks: "probes without a key", Remedy: "give the probe the key"},
			{Name: "absent", Refuses: true, Outcome: contract.Unsupported, Meaning: "the route is not there", Breaks: "probes that ask /health"},
			{Name: "failed", Refuses: true, Outcome: contract.Fail, Meaning: "another error", Breaks: "probes"},
		},
		Swap: []contract.SwapRule{
			{From: contract.CannotAsk, To: "open", Effect: contract.Compatible, Why: "probes need no key, as before"},
			{From: contract.CannotAsk, To: "closed", Effect: contract.ClientChange, Why: "probes without the key are refused now"},
			{From: contract.CannotAsk, To: "failed", Effect: contract.ClientChange, Why: "probes without the key get an error now"},
			{From: contract.CannotAsk, To: "absent", Effect: contract.Compatible, Why: "service/health says whether there was one before"},
			{From: "absent", To: contract.CannotAsk, Effect: contract.Compatible, Why: "service/health says whether there is one now"},
			{From: "open", To: contract.CannotAsk, Effect: contract.Compatible, Why: openNow},
			{From: "closed", To: contract.CannotAsk, Effect: contract.Compatible, Why: openNow},
			{From: "failed", To: contract.CannotAsk, Effect: contract.Compatible, Why: openNow},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			if !p.Facts().Keyed {
				return contract.Inapplicable("the target file names no key (api_key_env)")
			}
			return get("health", healthPath, contract.Header("Authorization", ""))(ctx, p)
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("health")
			f := contract.Found("open", "%s", statusOf(s)).From(s.Name)
			switch {
			case s.OK():
			case s.Status == 401 || s.Status == 403:
				f.Variant = "closed"
			case noRoute(s):
				f.Variant = "absent"
			default:
				f.Variant, f.Observed = "failed", s.Describe()
			}
			return f
		},
	}
}
