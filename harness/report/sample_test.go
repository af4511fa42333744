package report

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew; look at them before you keep them")

// hostile is what a server may send to spoil a report: it moves the cursor, colours, sets a title, hides behind a
// sequence that never ends, turns the direction around, and looks like markup of each format.
const hostile = "first | second\r\n\x1b[2J\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\ " +
	"\u009b1mbold \x00\x08\x7f\ufffe\u202eturned <script>alert(1)</script></details>]]> ```fence``` `tick` **loud** @someone #12 " +
	"[a](https://example.org) & | 서버가 죽었다 \xff \x1b]never ends"

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == string(got) {
		return
	}
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			t.Fatalf("%s line %d differs (-update writes it anew)\nwant %q\n got %q", path, i+1, w[i], g[i])
		}
	}
	t.Fatalf("%s has %d lines, got %d (-update writes it anew)", path, len(w), len(g))
}

func variants(all ...string) []Variant {
	var out []Variant
	for _, v := range all {
		part := strings.Split(v, ":")
		one := Variant{Name: part[0], Outcome: part[1], Meaning: "what " + part[0] + " means"}
		if len(part) > 2 {
			one.Effect = part[2]
		}
		out = append(out, one)
	}
	return out
}

func check(id, level string, all ...string) Check {
	return Check{ID: id, Promise: "the promise of " + id, Why: "somebody relies on " + id, Level: level,
		Sources: []string{"CreateEmbeddingRequest"}, Variants: variants(all...)}
}

func pairCheck(id, level string, all ...string) Check {
	c := check(id, level, all...)
	c.Pair = true
	return c
}

func provisional(c Check) Check {
	c.Provisional = true
	return c
}

func loneCheck(id, level string, all ...string) Check {
	c := check(id, level, all...)
	c.Lone = true
	return c
}

func as(status, outcome, variant string) Judgement {
	ok := status == "as-promised" || status == "as-listed" || status == "not-asked" || status == "provisional"
	return Judgement{Outcome: outcome, Variant: variant, Expected: Expected{Status: status, OK: ok}}
}

func ok(variant string) Judgement { return as("as-promised", "pass", variant) }

func because(outcome, reason string) Judgement {
	status := "not-asked"
	if outcome == "error" || outcome == "flaky" {
		status = "no-verdict"
	}
	j := as(status, outcome, "")
	j.Reason = reason
	return j
}

func (j Judgement) seen(observed string, numbers ...Number) Judgement {
	j.Observed, j.Numbers = observed, numbers
	return j
}

func (j Judgement) listed(variant string, overdue bool) Judgement {
	j.Expected.Variant, j.Expected.Why = variant, "the worker slices without a check"
	j.Expected.Upstream, j.Expected.Review, j.Expected.Overdue = "https://example.org/known/1", "2026-10-01", overdue
	return j
}

// sample is a report with each outcome, each effect and each status, made by hand.
func sample() *Report {
	day := time.Date(2026, 11, 3, 12, 30, 0, 0, time.UTC)
	r := &Report{
		Schema: Schema, Tool: map[string]string{"version": "0.1.0"}, Revision: "2026-11", Judged: day, Reference: "legacy",
		Verdict: Verdict{
			Words: []string{"dynamo-1.6-emulated (emulated) in place of legacy (reconstructed): not as it is. Clients notice 3 checks, 1 of them SILENT. " +
				"The index breaks: vector_parity/cosine."},
			Exit: 1,
		},
		Targets: []Target{
			{Name: "legacy", Title: "reconstruction of the article's FastAPI + transformers server, on the CPU", Kind: "reconstructed",
				Label: "built anew from a description, never compared with the original", Model: "tiny-qwen3-embedding",
				Facts: Facts{Dimensions: 384, MaxTokens: 1024, Usage: "counts"}, Recorded: day, Revision: "2026-05"},
			{Name: "dynamo-1.6-emulated", Title: "emulation of NVIDIA Dynamo 1.6 with a vLLM embedding worker", Kind: "emulated",
				Model: "tiny-qwen3-embedding", Weights: "random", Versions: map[string]string{"dynamo": "1.6"},
				Facts: Facts{Dimensions: 384, MaxTokens: 1024, Usage: "counts", Source: map[string]string{"dimensions": "discovered"}}, Recorded: day, Revision: "2026-11",
				Trials: &Trials{Answers: 64, Lists: 60, Often: 0.9624, Seldom: 0.4744, OftenInLists: 0.9539, SeldomInLists: 0.4528}},
		},
		Baseline: &Baseline{Folder: "recordings", Compared: 40, Differences: []Difference{{Column: "legacy", Check: "facts", Before: "limit 1024", After: "limit 512"},
			{Column: "legacy", Check: "dimensions/zero", Before: "rejected-4xx", After: "failed-5xx"},
			{Column: "legacy", Check: "dimensions/new", Before: "absent", After: "failed-5xx", Provisional: true}}},
		Behaviours: []Behaviour{
			{Stem: "dimensions", Promise: "a vector has the model's length", Checks: []Check{
				check("dimensions/native-by-default", "must", "native:pass", "other-length:fail"),
				check("dimensions/reduced-256", "must", "honoured:pass", "sliced-not-renormalised:fail", "rejected-4xx:unsupported", "failed-5xx:fail"),
				check("dimensions/zero", "must", "rejected-4xx:pass", "rejected-4xx-retried:differs", "failed-5xx:fail"),
				provisional(check("dimensions/new", "must", "rejected-4xx:pass", "failed-5xx:fail")),
			}},
			{Stem: "encoding_format", Promise: "numbers or base64, as asked", Checks: []Check{
				check("encoding_format/base64-is-string", "must", "string:pass", "array:fail"),
				check("encoding_format/node-sdk-default", "must", "reads-vector:pass", "reads-garbage:fail"),
			}},
			{Stem: "instructions", Promise: "an instruction takes effect", Checks: []Check{
				check("instructions/input-type-query", "may", "takes-effect:pass", "ignored:unsupported"),
				loneCheck("instructions/manual-prefix", "should", "same-vector:pass", "other-vector:fail"),
				pairCheck("instructions/same-query", "should", "same-vector:pass:same", "other-vector:fail:client-change"),
			}},
			{Stem: "truncation", Promise: "a text over the limit is refused or cut, and the client knows", Checks: []Check{
				check("truncation/over-long", "must", "rejected-4xx:pass", "truncated:differs", "failed-5xx:fail"),
				check("truncation/truncate-prompt-tokens", "may", "honoured:pass", "not-when-over-long:fail", "ignored:unsupported"),
				check("truncation/end-counts", "must", "counts:pass", "cut-below-limit:fail"),
			}},
			{Stem: "vector_parity", Promise: "the same text, the same vector", Checks: []Check{
				pairCheck("vector_parity/cosine", "must", "equal:pass:same", "within-noise:pass:same", "drifted:fail:index-break", "different-space:fail:index-break"),
				pairCheck("vector_parity/ranking", "should", "equal:pass:same", "reordered:differs:compatible"),
			}},
		},
	}
	refused := as("unexpected", "fail", "failed-5xx").seen("500 "+hostile+strings.Repeat(" a very long text", 300),
		Number{Name: "status", Value: 500}, Number{Name: "norm", Value: 0.83219, Unit: "L2"})
	refused.Meaning, refused.Breaks = "counts as a fault of the server", "clients that retry: each call costs three requests"
	refused.Remedy = "leave dimensions out; cut and renormalise on the client"
	r.Cells = []Cell{
		{Target: "legacy", Check: "dimensions/native-by-default", Judgement: ok("native")},
		{Target: "dynamo-1.6-emulated", Check: "dimensions/native-by-default", Judgement: ok("native")},
		{Target: "legacy", Check: "dimensions/reduced-256", Judgement: ok("honoured")},
		{Target: "dynamo-1.6-emulated", Check: "dimensions/reduced-256", Judgement: refused,
			Evidence: []Evidence{{Step: "reduced", Answer: "500 " + hostile,
				Curl: "curl -s $BASE_URL/embeddings \\\n  -H 'Authorization: Bearer $API_KEY' \\\n  -d '{\"input\":\"Bridges `a|b`\",\"dimensions\":256}'"}},
			Logs:      []string{"ValueError: " + hostile, strings.Repeat("traceback ", 40)},
			Reproduce: "embedcontract run --target dynamo-1.6-emulated --focus dimensions/reduced-256"},
		{Target: "legacy", Check: "dimensions/zero", Judgement: as("as-listed", "differs", "rejected-4xx-retried").listed("rejected-4xx-retried", true).seen("422")},
		{Target: "dynamo-1.6-emulated", Check: "dimensions/zero", Judgement: as("changed", "fail", "failed-5xx").listed("rejected-4xx-retried", false).seen("500")},
		{Target: "legacy", Check: "dimensions/new", Judgement: as("provisional", "fail", "failed-5xx").seen("500")},
		{Target: "dynamo-1.6-emulated", Check: "dimensions/new", Judgement: ok("rejected-4xx")},
		{Target: "legacy", Check: "encoding_format/base64-is-string", Judgement: as("as-listed", "fail", "array").listed("array", false)},
		{Target: "dynamo-1.6-emulated", Check: "encoding_format/base64-is-string", Judgement: as("stale", "pass", "string").listed("array", false)},
		{Target: "legacy", Check: "encoding_format/node-sdk-default", Judgement: because("skipped", "deselected with --skip")},
		{Target: "dynamo-1.6-emulated", Check: "encoding_format/node-sdk-default", Judgement: because("flaky", "round 0 was reads-vector, round 1 reads-garbage")},
		{Target: "legacy", Check: "instructions/input-type-query", Judgement: ok("takes-effect")},
		{Target: "dynamo-1.6-emulated", Check: "instructions/input-type-query", Judgement: as("as-listed", "unsupported", "ignored").listed("ignored", false)},
		{Target: "legacy", Check: "instructions/manual-prefix", Judgement: ok("same-vector")},
		{Target: "dynamo-1.6-emulated", Check: "instructions/manual-prefix", Judgement: because("not-applicable", "no instruction is declared")},
		{Target: "legacy", Check: "truncation/over-long", Judgement: as("as-promised", "differs", "truncated")},
		{Target: "dynamo-1.6-emulated", Check: "truncation/over-long", Judgement: because("error", "limit not constructible")},
		{Target: "legacy", Check: "truncation/truncate-prompt-tokens", Judgement: as("as-promised", "unsupported", "ignored")},
		{Target: "dynamo-1.6-emulated", Check: "truncation/truncate-prompt-tokens", Judgement: because("error", "limit not constructible")},
		{Target: "legacy", Check: "truncation/end-counts", Judgement: ok("counts")},
		// The candidate has no cell for truncation/end-counts: that must not read as fine.
	}
	effect := func(check, effect, from, to, why string, silent bool) PairCell {
		return PairCell{Check: check, Effect: effect, From: from, To: to, Why: why, Silent: silent}
	}
	r.Pairs = []Pair{{Reference: "legacy", Candidate: "dynamo-1.6-emulated", Cells: []PairCell{
		effect("dimensions/native-by-default", "same", "native", "native", "", false),
		effect("dimensions/reduced-256", "client-change", "honoured", "failed-5xx", "counts as a fault of the server", false),
		effect("dimensions/zero", "client-change", "rejected-4xx-retried", "failed-5xx", "counts as a fault of the server", false),
		effect("dimensions/new", "client-change", "failed-5xx", "rejected-4xx", "", true),
		effect("encoding_format/base64-is-string", "compatible", "array", "string", "", false),
		effect("encoding_format/node-sdk-default", "unknown", "", "", "round 0 was reads-vector, round 1 reads-garbage", false),
		effect("instructions/input-type-query", "index-break", "takes-effect", "ignored", "queries lose their instruction with 200", true),
		// No effect for instructions/manual-prefix: it is about one server alone.
		{Check: "instructions/same-query", Effect: "client-change", Silent: true, Why: "another place",
			Judgement: as("as-listed", "fail", "other-vector").listed("other-vector", false)},
		effect("truncation/over-long", "unknown", "", "", "limit not constructible", false),
		effect("truncation/truncate-prompt-tokens", "unknown", "", "", "limit not constructible", false),
		effect("truncation/end-counts", "unknown", "", "", "no answer", false),
		{Check: "vector_parity/cosine", Effect: "index-break", Why: "some documents are farther apart than cosine 0.9995",
			Judgement: as("unexpected", "fail", "drifted").seen("cosine min 0.9871 on 한국어 문서", Number{Name: "cosine min", Value: 0.98712345}, Number{Name: "documents", Value: 40}),
			Reproduce: "embedcontract compare legacy dynamo-1.6-emulated --focus vector_parity/cosine"},
		{Check: "vector_parity/ranking", Effect: "compatible", Judgement: as("as-promised", "differs", "reordered")},
	}}}
	r.Pairs[0].Remedies = []Remedy{{ID: "dimensions/slice-on-client", Change: "leave dimensions out", Why: "nothing else happens", Variant: "verified", Observed: "1 of 1",
		Bridges: []string{"dimensions/reduced-256"}, Proofs: []Proof{{Check: "dimensions/reduced-256", Outcome: ProofHolds, Observed: "cosine min 1", Numbers: []Number{{Name: "cosine min", Value: 1}}},
			{Check: "dimensions/zero", Outcome: ProofFails, Observed: "cosine min 0.2"}, {Check: "dimensions/native-by-default", Outcome: ProofNeedless, Observed: "refused"}},
		Reproduce: "embedcontract run legacy"}, {ID: "dimensions/other", Change: "do otherwise", Why: "it may help", Extended: true, Reason: "not in this recording", Bridges: []string{"dimensions/zero"}}}
	r.Pairs[0].Decision = decision()
	tally(r)
	return r
}

// tally fills the counts from the cells.
func tally(r *Report) {
	r.Verdict.Outcomes, r.Verdict.Provisional = map[string]int{}, nil
	count := func(all, aside *map[string]int, check, what string) {
		if r.check(check).Provisional {
			*aside = counted(*aside, what)
			return
		}
		(*all)[what]++
	}
	for _, c := range r.Cells {
		count(&r.Verdict.Outcomes, &r.Verdict.Provisional, c.Check, c.Outcome)
	}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		p.Effects, p.Provisional = map[string]int{}, nil
		for _, c := range p.Cells {
			count(&p.Effects, &p.Provisional, c.Check, c.Effect)
			if c.judged() {
				count(&r.Verdict.Outcomes, &r.Verdict.Provisional, c.Check, c.Outcome)
			}
		}
	}
}

// large is a report of a run of 55 checks on two targets, on which the second target answers all of them in the
// same way.
func large(j Judgement) *Report {
	r := sample()
	r.Behaviours, r.Cells, r.Pairs[0].Cells = nil, nil, nil
	for b := range 11 {
		beh := Behaviour{Stem: fmt.Sprintf("behaviour_%d", b)}
		for c := range 5 {
			k := check(fmt.Sprintf("%s/truncate-prompt-tok-%d", beh.Stem, c), "must", "sliced-not-renormalised:fail", "honoured:pass")
			beh.Checks = append(beh.Checks, k)
			r.Cells = append(r.Cells, Cell{Target: "legacy", Check: k.ID, Judgement: ok("honoured")},
				Cell{Target: "dynamo-1.6-emulated", Check: k.ID, Judgement: j})
			r.Pairs[0].Cells = append(r.Pairs[0].Cells, PairCell{Check: k.ID, Effect: "client-change", Silent: c%2 == 0})
		}
		r.Behaviours = append(r.Behaviours, beh)
	}
	tally(r)
	return r
}

// hostileEverywhere has the hostile text in every field whose text does not come from a closed list.
func hostileEverywhere() *Report {
	r := sample()
	long := hostile + strings.Repeat(" 한국어", 400)
	r.Revision, r.Verdict.Words = hostile, []string{long, hostile}
	r.Tool["version"] = hostile
	for i := range r.Targets {
		t := &r.Targets[i]
		t.Title, t.Label, t.Model, t.Problem, t.Recording = long, long, hostile, long, hostile
		t.Versions = map[string]string{hostile: hostile}
		if i == 1 {
			r.Pairs[0].Candidate, t.Name = t.Name+hostile, t.Name+hostile
		}
	}
	for i := range r.Behaviours {
		b := &r.Behaviours[i]
		b.Promise = long
		for j := range b.Checks {
			c := &b.Checks[j]
			c.Promise, c.Why, c.Sources = long, hostile, []string{hostile}
			for k := range c.Variants {
				c.Variants[k].Name += hostile
			}
		}
	}
	spoil := func(j *Judgement) {
		j.Expected.OK = false
		j.Observed, j.Reason, j.Meaning, j.Breaks, j.Remedy = long, long, long, hostile, hostile
		j.Expected.Why, j.Expected.Upstream = hostile, hostile
		j.Numbers = []Number{{Name: hostile, Value: 1, Unit: hostile}}
		if j.Variant != "" {
			j.Variant += hostile
			j.Expected.Variant = hostile
		}
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Target == "dynamo-1.6-emulated" {
			c.Target = r.Targets[1].Name
		}
		spoil(&c.Judgement)
		c.Logs, c.Reproduce = []string{long, hostile}, hostile
		c.Evidence = []Evidence{{Step: hostile, Curl: hostile, Answer: long}}
	}
	for i := range r.Pairs[0].Cells {
		c := &r.Pairs[0].Cells[i]
		c.Why, c.From, c.To, c.Reproduce = long, hostile, hostile, hostile
		if c.judged() {
			spoil(&c.Judgement)
		}
	}
	return r
}
