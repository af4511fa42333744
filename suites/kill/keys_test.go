package kill_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

const (
	keyRemedy   = "auth/send-the-key"
	keyOfTable  = "a-key-of-this-table"
	needsTheKey = "request: {api_key: " + keyOfTable + "}\n"
)

// keySwaps are swaps in which one of the servers has a key.
func keySwaps() []swapped {
	all := func(worth string) string {
		var out []string
		for _, name := range []string{"missing-key", "wrong-key", "wrong-scheme", "any-key", "health-is-open"} {
			out = append(out, keyRemedy+":auth/"+name+"="+worth)
		}
		return strings.Join(out, " ")
	}
	refused := []alteration{{of: "status_codes/duplicate-key", step: "last", do: refusedWith(401)}}
	unhealthy := []alteration{{of: "service/health", step: "health", do: refusedWith(503)}}
	return []swapped{
		{name: "a key where there was none", candidate: needsTheKey, candidateKey: keyOfTable, remedies: keyRemedy + "=verified", proofs: all("holds"), says: "served with the key: 200"},
		{name: "a key where there was none, for health as well", candidate: needsTheKey + "routes: {health_key: needed}", candidateKey: keyOfTable, remedies: keyRemedy + "=verified", proofs: all("holds")},
		{name: "a key that does not help", candidate: needsTheKey, candidateKey: keyOfTable, after: refused, remedies: keyRemedy + "=failed",
			proofs: keyRemedy + ":auth/missing-key=fails " + keyRemedy + ":auth/health-is-open=holds", says: "with the key: 401"},
		{name: "a key that does not help health", candidate: needsTheKey, candidateKey: keyOfTable, after: unhealthy, remedies: keyRemedy + "=failed",
			proofs: keyRemedy + ":auth/missing-key=holds " + keyRemedy + ":auth/health-is-open=fails"},
		{name: "no key where there was one", reference: needsTheKey, referenceKey: keyOfTable, remedies: keyRemedy + "=nothing-to-bridge", proofs: all("needless"), says: "clients of the reference have a key"},
		{name: "a key here and there", reference: needsTheKey, referenceKey: keyOfTable, candidate: needsTheKey, candidateKey: keyOfTable, remedies: keyRemedy + "=nothing-to-bridge", proofs: all("needless")},
		{name: "no key here and there", remedies: keyRemedy + "=nothing-to-bridge", proofs: all("needless"), says: "the candidate needs no key"},
	}
}

// A server without a key cannot be asked how it treats a wrong one. What it means to put it in the place of one that has a
// key, or the other way round, is known all the same.
func TestKeysOfASwap(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	open := l.ofBase
	const change, compatible, none = contract.ClientChange, contract.Compatible, contract.NotCompared
	const needed, now, still = "clients must start to send the key", "it is open for everybody", "nobody needed a key before"
	type effect struct {
		is  contract.Effect
		why string
	}
	for _, x := range []struct {
		name, with string
		variant    string // of a request without the key, or with a wrong one
		there      effect // of the server in place of the open one: without a key, or with a wrong one
		anyKey     effect
		health     effect
		back       effect // of the open one in place of the server
		healthBack effect
	}{
		{"401", needsTheKey, "refused-401", effect{change, needed}, effect{change, needed}, effect{compatible, "as before"}, effect{compatible, now}, effect{compatible, now}},
		{"403", needsTheKey + "faults: {unauthorized: {status: 403}}", "refused-403", effect{change, needed}, effect{change, needed}, effect{compatible, "as before"}, effect{compatible, now}, effect{compatible, now}},
		{"422", needsTheKey + "faults: {unauthorized: {status: 422}}", "refused-4xx", effect{change, needed}, effect{change, needed}, effect{compatible, "as before"}, effect{compatible, now}, effect{compatible, now}},
		{"500", needsTheKey + "faults: {unauthorized: {status: 500}}", "failed-5xx", effect{change, needed}, effect{change, needed}, effect{compatible, "as before"}, effect{compatible, now}, effect{compatible, now}},
		{"not looked at", "request: {key_check: exact}", "served", effect{compatible, still}, effect{change, needed}, effect{compatible, "as before"}, effect{compatible, still}, effect{compatible, now}},
		{"health closed", needsTheKey + "routes: {health_key: needed}", "refused-401", effect{change, needed}, effect{change, needed}, effect{change, "probes without the key are refused"}, effect{compatible, now}, effect{compatible, now}},
		{"no health", needsTheKey + "routes: {health: absent}", "refused-401", effect{change, needed}, effect{change, needed}, effect{compatible, "service/health says"}, effect{compatible, now}, effect{compatible, "service/health says"}},
		{"unhealthy", needsTheKey + "routes: {health: failing}", "refused-401", effect{change, needed}, effect{change, needed}, effect{change, "probes without the key get an error"}, effect{compatible, now}, effect{compatible, now}},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			rec, err := l.record(t, mutant{name: "keyed", with: x.with, key: keyOfTable}, 1)
			if err != nil {
				t.Fatal(err)
			}
			keyed := l.cellsOf(rec)
			held := func(from, to map[string]judge.Cell, id string, want effect) {
				c, ok := l.suite.Check(id)
				if !ok {
					t.Fatal("no check", id)
				}
				if got := l.judge.Effect(c, from[id], to[id]); got.Effect != want.is || !strings.Contains(got.Why, want.why) {
					t.Errorf("%s, %s to %s: %+v, want %s because %s", id, from[id].Variant(), to[id].Variant(), got, want.is, want.why)
				}
			}
			for _, id := range []string{"auth/missing-key", "auth/wrong-key", "auth/wrong-scheme"} {
				if got := keyed[id].Variant(); got != x.variant {
					t.Errorf("%s is %s", id, got)
				}
				held(open, keyed, id, x.there)
				held(keyed, open, id, x.back)
				held(open, open, id, effect{none, "names no key"})
			}
			held(open, keyed, "auth/any-key", x.anyKey)
			held(keyed, open, "auth/any-key", effect{compatible, now})
			held(keyed, keyed, "auth/any-key", effect{none, "has a key"})
			held(open, keyed, "auth/health-is-open", x.health)
			held(keyed, open, "auth/health-is-open", x.healthBack)
		})
	}
	fussy, err := l.record(t, mutant{name: "fussy", with: "request: {key_check: refuses-any}"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	keyed, err := l.record(t, mutant{name: "keyed", with: needsTheKey, key: keyOfTable}, 1)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := l.suite.Check("auth/any-key")
	from, to := l.cellsOf(keyed)[c.ID], l.cellsOf(fussy)[c.ID]
	if got := l.judge.Effect(c, from, to); got.Effect != change || !strings.Contains(got.Why, "are refused now") {
		t.Errorf("any key is refused where one was needed: %+v", got)
	}
	if got := l.judge.Effect(c, to, from); got.Effect != change || !strings.Contains(got.Why, needed) {
		t.Errorf("a key is needed where any was refused: %+v", got)
	}
}
