package verdict_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

// index are all cells that an index depends on, as harmless ones.
func index(with ...verdict.Cell) []verdict.Cell {
	var out []verdict.Cell
	for _, id := range []string{"vector_parity/cosine", "token_parity/per-document", "vector_parity/edge-texts", "token_parity/edge-texts", "truncation/reference-limit",
		"dimensions/same-native", "dimensions/same-for-every-length", "unit_norm/single", "unit_norm/batch-of-8", "vector_parity/repeat", "vector_parity/alone-and-in-batch",
		"vector_parity/order-in-batch", "vector_parity/twenty-times", "vector_parity/cross-index", "vector_parity/half-mixed-index", "concurrency/isolation", "batching/index", "batching/order",
		"batching/whole-corpus", "batching/long-texts"} {
		c := verdict.Cell{Check: id, Effect: contract.Same, Observed: "fine"}
		if at := slices.IndexFunc(with, func(w verdict.Cell) bool { return w.Check == id }); at >= 0 {
			c = with[at]
			with = slices.Delete(slices.Clone(with), at, at+1)
		}
		out = append(out, c)
	}
	return append(out, with...)
}

func decide(cells []verdict.Cell, remedies ...verdict.Remedy) verdict.Decision {
	return verdict.Decide(verdict.Case{Reference: "A", Candidate: "B", Cells: cells, Remedies: remedies, Scope: verdict.Scope{Asked: 9, Of: 9}, Again: "again"})
}

func proof(check string, holds bool) contract.Proof {
	return contract.Proof{Check: check, Holds: holds, Observed: "seen of " + check}
}

func TestAnswers(t *testing.T) {
	change := func(check string) verdict.Cell {
		return verdict.Cell{Check: check, Effect: contract.ClientChange, Why: "why " + check}
	}
	silent := verdict.Cell{Check: "c/silent", Effect: contract.ClientChange, Silent: true, Why: "nobody is told"}
	drift := verdict.Cell{Check: "vector_parity/cosine", Effect: contract.IndexBreak, Variant: "drifted", Silent: true, Observed: "cosine min 0.9"}
	close := verdict.Cell{Check: "vector_parity/cosine", Effect: contract.Unknown, Variant: "above-bar", Observed: "cosine min 0.9997"}
	odd := verdict.Cell{Check: "vector_parity/cosine", Effect: contract.Unknown, Variant: "not-served", Observed: "no answer"}
	gone := verdict.Cell{Check: "lifecycle/worker-stops", Effect: contract.ClientChange, From: "told", To: "not-found", Outcome: contract.Fail, Why: "404"}
	short := verdict.Cell{Check: "c/1", Effect: contract.IndexBreak, Why: "short vectors"}
	answered := func(check, to string, outcome contract.Outcome) verdict.Cell {
		return verdict.Cell{Check: check, Effect: contract.ClientChange, From: "fine", To: to, Outcome: outcome}
	}
	far := verdict.Cell{Check: "vector_parity/edge-texts", Effect: contract.NotCompared}
	both := verdict.Remedy{ID: "r/both", Change: "do both", Bridges: []string{"c/1", "c/2"}, Proofs: []contract.Proof{proof("c/1", true), proof("c/2", true)}}
	one := verdict.Remedy{ID: "r/one", Change: "do one", Bridges: []string{"c/1"}, Proofs: []contract.Proof{proof("c/1", true)}}
	fails := verdict.Remedy{ID: "r/fails", Change: "do nothing", Bridges: []string{"c/1"}, Proofs: []contract.Proof{proof("c/1", false)}}
	needless := verdict.Remedy{ID: "r/needless", Change: "do it all the same", Bridges: []string{"c/1"}, Proofs: []contract.Proof{{Check: "c/1", Needless: true}}}
	for _, c := range []struct {
		name                   string
		got                    verdict.Decision
		answer, clients, index verdict.Answer
		changes, breaks        string
	}{
		{"nothing", decide(nil), verdict.Unknown, verdict.Unknown, verdict.Unknown, "", ""},
		{"drop-in", decide(index()), verdict.DropIn, verdict.DropIn, verdict.Keep, "", ""},
		{"a break without a remedy", decide(index(change("c/1"))), verdict.NotSafe, verdict.NotSafe, verdict.Keep, "", "c/1"},
		{"a remedy that fails", decide(index(change("c/1")), fails), verdict.NotSafe, verdict.NotSafe, verdict.Keep, "", "c/1"},
		{"a remedy without need", decide(index(change("c/1")), needless), verdict.NotSafe, verdict.NotSafe, verdict.Keep, "", "c/1"},
		{"a remedy", decide(index(change("c/1")), one), verdict.Changes, verdict.Changes, verdict.Keep, "r/one", ""},
		{"the fewest remedies", decide(index(change("c/1"), change("c/2")), one, both), verdict.Changes, verdict.Changes, verdict.Keep, "r/both", ""},
		{"a remedy for one of two", decide(index(change("c/1"), silent), one), verdict.NotSafe, verdict.NotSafe, verdict.Keep, "r/one", "c/silent"},
		{"a bridged break of the index", decide(index(short), one), verdict.Changes, verdict.Changes, verdict.Keep, "r/one", ""},
		{"an open break of the index", decide(index(short)), verdict.NotSafe, verdict.DropIn, verdict.ReEmbed, "", ""},
		{"drift", decide(index(drift)), verdict.NotSafe, verdict.DropIn, verdict.ReEmbed, "", ""},
		{"above the bar", decide(index(close)), verdict.Changes, verdict.DropIn, verdict.KeepNot, "", ""},
		{"nothing known of vectors", decide(index(odd)), verdict.Unknown, verdict.DropIn, verdict.Unknown, "", ""},
		{"operations change", decide(index(gone)), verdict.Changes, verdict.DropIn, verdict.Keep, "", ""},
		{"some are busy", decide(index(answered("concurrency/isolation", "some-busy", contract.Differs))), verdict.Changes, verdict.DropIn, verdict.Keep, "", ""},
		{"requests at the same time fail", decide(index(answered("concurrency/isolation", "some-fail", contract.Fail))), verdict.NotSafe, verdict.NotSafe, verdict.Keep, "", "concurrency/isolation"},
		{"some plain requests fail", decide(index(answered("service/steady", "broken-vector", contract.Fail))), verdict.NotSafe, verdict.NotSafe, verdict.Keep, "", "service/steady"},
		{"a full server fails", decide(index(answered("concurrency/overload", "fails", contract.Fail))), verdict.Changes, verdict.DropIn, verdict.Keep, "", ""},
		{"no models are listed", decide(index(answered("service/models", "failed", contract.Fail))), verdict.Changes, verdict.DropIn, verdict.Keep, "", ""},
		{"it dies of what only operations ask", decide(index(answered("service/models", contract.Dies, contract.Fail))), verdict.NotSafe, verdict.NotSafe, verdict.Keep, "", "service/models"},
		{"it dies of a request that a client may change", decide(index(answered("c/1", contract.Dies, contract.Fail)), one), verdict.NotSafe, verdict.NotSafe, verdict.Keep, "", "c/1"},
		{"a remedy, and an index that was not compared", decide(index(change("c/1"), far), one), verdict.Unknown, verdict.Changes, verdict.Unknown, "r/one", ""},
		{"a remedy, and not all was asked", verdict.Decide(verdict.Case{Cells: index(change("c/1")), Remedies: []verdict.Remedy{one}, Scope: verdict.Scope{Asked: 8, Of: 9}}),
			verdict.Unknown, verdict.Unknown, verdict.Keep, "r/one", ""},
		{"a door that stands open", decide(index(verdict.Cell{Check: "auth/missing-key", Effect: contract.ClientChange, Silent: true, From: "refused", To: "served", Outcome: contract.Fail})),
			verdict.NotSafe, verdict.NotSafe, verdict.Keep, "", "auth/missing-key"},
		{"the old index answers otherwise", decide(index(verdict.Cell{Check: "vector_parity/cross-index", Effect: contract.Unknown, Variant: "order-changes"})),
			verdict.Unknown, verdict.DropIn, verdict.Unknown, "", ""},
		{"not decided", decide(index(verdict.Cell{Check: "c/3", Effect: contract.Unknown})), verdict.Unknown, verdict.DropIn, verdict.Keep, "", ""},
	} {
		var changes, breaks []string
		for _, ch := range c.got.Clients.Changes {
			changes = append(changes, ch.Remedy)
		}
		for _, b := range c.got.Clients.Breaks {
			breaks = append(breaks, b.Check)
		}
		if c.got.Answer != c.answer || c.got.Clients.Answer != c.clients || c.got.Index.Answer != c.index || strings.Join(changes, " ") != c.changes || strings.Join(breaks, " ") != c.breaks {
			t.Errorf("%s: %s, clients %s (%v, breaks %v), index %s; want %s, %s (%s, breaks %s), %s\n%s", c.name, c.got.Answer, c.got.Clients.Answer, changes, breaks, c.got.Index.Answer,
				c.answer, c.clients, c.changes, c.breaks, c.index, c.got.Words)
		}
		if c.got.Yes(false) != (c.answer == verdict.DropIn) || c.got.Yes(true) != (c.answer == verdict.DropIn || c.answer == verdict.Changes) || c.got.Undecided() != (c.answer == verdict.Unknown) {
			t.Errorf("%s: yes %t, with changes %t, undecided %t", c.name, c.got.Yes(false), c.got.Yes(true), c.got.Undecided())
		}
	}
}

// Whatever is not known, the words do not promise.
func TestWordsPromiseNoMoreThanTheAnswer(t *testing.T) {
	far := verdict.Cell{Check: "vector_parity/edge-texts", Effect: contract.NotCompared}
	one := verdict.Remedy{ID: "r/one", Change: "do one", Bridges: []string{"c/1"}, Proofs: []contract.Proof{proof("c/1", true)}}
	for name, d := range map[string]verdict.Decision{
		"an index that was not compared": decide(index(far)),
		"and with a remedy":              decide(index(far, verdict.Cell{Check: "c/1", Effect: contract.ClientChange}), one),
		"a remedy, and not all was asked": verdict.Decide(verdict.Case{Cells: index(verdict.Cell{Check: "c/1", Effect: contract.ClientChange}),
			Remedies: []verdict.Remedy{one}, Scope: verdict.Scope{Asked: 8, Of: 9}}),
	} {
		if d.Answer != verdict.Unknown || strings.Contains(d.Words, "yes") || strings.Contains(d.Words, "safe") {
			t.Errorf("%s: %s: %s", name, d.Answer, d.Words)
		}
	}
}

func TestWhatIsSaidOfAChange(t *testing.T) {
	cells := index(verdict.Cell{Check: "c/1", Effect: contract.ClientChange, Why: "loud"}, verdict.Cell{Check: "c/2", Effect: contract.ClientChange, Silent: true, Why: "silent"})
	first := verdict.Remedy{ID: "r/1", Change: "do this", Proofs: []contract.Proof{proof("c/1", true), proof("c/2", true), proof("c/9", true)}}
	second := verdict.Remedy{ID: "r/2", Change: "do that", Proofs: []contract.Proof{proof("c/1", true), proof("c/2", true)}}
	third := verdict.Remedy{ID: "r/3", Change: "do neither", Proofs: []contract.Proof{proof("c/1", true), proof("c/2", false)}}
	d := decide(cells, first, second, third)
	ch := d.Clients.Changes[0]
	if len(d.Clients.Changes) != 1 || ch.Do != "do this" || !ch.Silent || strings.Join(ch.Why, ", ") != "silent, loud" || strings.Join(ch.Checks, " ") != "c/1 c/2" ||
		strings.Join(ch.Instead, ", ") != "do that" || ch.Proof != "verified for 2 checks: seen of c/1" {
		t.Errorf("%+v", d.Clients.Changes)
	}
	if f := d.Clients.Failed; len(f) != 1 || f[0].Remedy != "r/3" || f[0].Why[0] != "c/2: seen of c/2" {
		t.Errorf("failed %+v", d.Clients.Failed)
	}
}

func TestWhatIsNotKnown(t *testing.T) {
	c := verdict.Case{Cells: index(verdict.Cell{Check: "c/1", Effect: contract.ClientChange}, verdict.Cell{Check: "c/2", Effect: contract.Unknown, Observed: "it died", Reproduce: "run c/2"}),
		Scope: verdict.Scope{Asked: 8, Of: 9}, Again: "again", Unasked: []string{"lifecycle/a", "lifecycle/b", "text/c", "c/1"}, LeftOut: []string{"text/d"}, Random: true,
		Remedies: []verdict.Remedy{{ID: "r/1", Change: "do this", Bridges: []string{"c/1"}, Reason: "not in this recording"}, {ID: "r/2", Bridges: []string{"c/9"}, Reason: "not in this recording"}}}
	var got []string
	for _, o := range verdict.Decide(c).Unknown {
		got = append(got, o.What+" | "+o.Command)
	}
	want := []string{"c/2: it died | run c/2", "1 of 9 core checks were not asked | again", "4 extended checks were not asked (1 of them decided by answers to others): lifecycle, text | again",
		"1 extended check was asked and left out here: text | ",
		"whether this helps is not recorded: do this (not in this recording) | again", "rankings: the weights are random numbers; run both servers with a trained model | "}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Of n documents without one below the minimum, 0.05^(1/n) of a population is bounded at 95 %: 92.8 % for 40, 99.0 % for
// 300 (Hahn and Meeker, Statistical Intervals: one-sided tolerance bound of the smallest observation).
func TestBound(t *testing.T) {
	for n, want := range map[float64]string{40: "92.8 %", 300: "99.0 %", 1: "5.0 %"} {
		cosine := verdict.Cell{Check: "vector_parity/cosine", Effect: contract.Same, Numbers: []contract.Number{{Name: "n", Value: n}}}
		if got := decide(index(cosine)).Index.Bound; !strings.Contains(got, "at least "+want) {
			t.Errorf("n=%g: %s, want %s", n, got, want)
		}
	}
	if got := decide(index()).Index.Bound; got != "" {
		t.Errorf("no documents: %s", got)
	}
}

func TestRanking(t *testing.T) {
	rank := verdict.Cell{Check: "vector_parity/rank-order", Effect: contract.Same, Variant: "same-order", Observed: "10 of 10"}
	moved := verdict.Cell{Check: "vector_parity/rank-order", Effect: contract.Unknown, Variant: "order-changes", Observed: "8 of 10"}
	if got := decide(index(rank)).Index.Ranking; len(got) != 3 || got[0] != "rank-order: same-order (10 of 10)" {
		t.Errorf("%q", got)
	}
	if d := decide(index(moved)); d.Index.Answer != verdict.KeepNot {
		t.Errorf("rankings that change: %s", d.Index.Answer)
	}
	random := verdict.Decide(verdict.Case{Cells: index(rank), Scope: verdict.Scope{Asked: 9, Of: 9}, Random: true})
	if got := random.Index.Ranking; len(got) != 1 || !strings.HasPrefix(got[0], "unknown: the weights are random") {
		t.Errorf("random weights: %q", got)
	}
}

func TestOperations(t *testing.T) {
	d := decide(index(
		verdict.Cell{Check: "lifecycle/health-while-gone", Effect: contract.ClientChange, From: "says-so", To: "green", Outcome: contract.Fail, Meaning: "200", After: "seen", Remedy: "probe"},
		verdict.Cell{Check: "witnesses/go-error", Effect: contract.Same, From: "repeats", To: "repeats", Outcome: contract.Fail, After: "3 calls"},
		verdict.Cell{Check: "witnesses/node-error", Effect: contract.Same, From: "raises-with-reason", To: "raises-with-reason", Outcome: contract.Pass},
		verdict.Cell{Check: "service/models", Effect: contract.ClientChange, From: "listed", To: "incomplete", Outcome: contract.Differs},
		// What the candidate cannot be asked is told once, where it is known to be harmless.
		verdict.Cell{Check: "auth/missing-key", Effect: contract.Compatible, From: "refused-401", To: contract.CannotAsk, Outcome: contract.NotApplicable, Why: "it is open"},
		verdict.Cell{Check: "auth/wrong-key", Effect: contract.Compatible, From: "refused-401", To: contract.CannotAsk, Outcome: contract.NotApplicable, Why: "it is open"},
		verdict.Cell{Check: "auth/any-key", Effect: contract.Compatible, From: contract.CannotAsk, To: "served", Outcome: contract.Pass, Why: "it is open"},
		verdict.Cell{Check: "c/other", Effect: contract.Unknown, From: "good", To: contract.CannotAsk, Outcome: contract.NotApplicable, Why: "nobody knows"},
		verdict.Cell{Check: "c/provisional", Effect: contract.Compatible, From: "good", To: contract.CannotAsk, Outcome: contract.NotApplicable, Why: "not counted", Provisional: true},
	))
	var got []string
	for _, o := range d.Operations {
		got = append(got, strings.TrimSpace(map[bool]string{true: "!"}[o.Changes]+" "+o.Check+" "+o.What))
	}
	want := []string{"witnesses/go-error repeats (3 calls)", "! lifecycle/health-while-gone green, 200 (seen); before: says-so",
		"auth/missing-key it is open; before: refused-401", "! service/models incomplete; before: listed"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
