package kill_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// swapped is a reference and a candidate, as switches over those of the base, and what remedies are worth between them.
type swapped struct {
	name                 string
	reference, candidate string
	// extended asks the extended checks, too.
	extended bool
	edit     func(candidate *recording.Recording)
	// editReference is the same for the reference.
	editReference func(*recording.Recording)
	// remedies are "remedy=variant", and proofs "remedy:check=holds", fails or needless.
	remedies, proofs string
	// says is part of what a proof observed.
	says string
}

// swaps show each variant of each remedy. The servers are honest but for what stands there.
func swaps() []swapped {
	const slice, prefix, onServer, onClient = "dimensions/slice-on-client", "instructions/prefix-on-client", "truncation/cut-on-server", "truncation/cut-on-client"
	const float, text, smaller = "encoding_format/ask-for-float", "input_forms/text-in-place-of-ids", "batching/smaller-batches"
	const plain, errors, repeats, once = "status_codes/plain-request", "status_codes/read-any-error", "status_codes/no-repeats", "witnesses/go-no-retries"
	const cut = "length: {over: cut}"
	all := func(variant string, ids ...string) string { return strings.Join(ids, "="+variant+" ") + "=" + variant }
	return []swapped{
		{name: "the same server", remedies: all("verified", slice, prefix, float, smaller, plain, once) + " " + all("nothing-to-bridge", onServer, onClient, repeats),
			proofs: all("holds", slice+":dimensions/reduced-256", slice+":dimensions/reduced-batch", prefix+":instructions/instruction-field", smaller+":batching/whole-corpus")},
		{name: "dimensions refused", candidate: "dimensions: {reduced: refused, native: refused}", remedies: slice + "=verified",
			proofs: all("holds", slice+":dimensions/reduced-256", slice+":dimensions/native-value", slice+":dimensions/reduced-batch")},
		{name: "dimensions ignored", candidate: "dimensions: {reduced: ignored}", remedies: slice + "=verified"},
		{name: "plain slices", reference: "dimensions: {reduced: sliced}", candidate: "dimensions: {reduced: refused}", remedies: slice + "=verified"},
		{name: "a projection of its own", reference: "dimensions: {reduced: projected}", candidate: "dimensions: {reduced: refused}", remedies: slice + "=failed",
			proofs: slice + ":dimensions/reduced-256=fails"},
		{name: "no dimensions before", reference: "dimensions: {reduced: refused, native: refused, zero: refused}", remedies: slice + "=nothing-to-bridge",
			proofs: all("needless", slice+":dimensions/reduced-256", slice+":dimensions/reduced-batch", slice+":dimensions/native-value")},
		{name: "another seed", reference: cut, candidate: "model: {seed: 2}\n" + cut, remedies: all("failed", slice, prefix, onServer, onClient, float, smaller, plain)},
		{name: "vectors of another length of their own", candidate: "vectors: {norm: scaled}", remedies: smaller + "=failed"},

		{name: "queries ignored", candidate: "instruction: {input_type: ignored, instruction: ignored}", remedies: prefix + "=verified",
			proofs: all("holds", prefix+":instructions/same-query", prefix+":instructions/input-type-query", prefix+":instructions/instruction-field")},
		{name: "newlines made spaces", candidate: "model: {whitespace: no-newlines}", remedies: prefix + "=failed"},
		{name: "queries refused before", reference: "instruction: {input_type: refused, instruction: refused}", remedies: prefix + "=nothing-to-bridge"},
		{name: "instruction without effect before", reference: "instruction: {instruction: ignored}", remedies: prefix + "=verified", proofs: prefix + ":instructions/instruction-field=needless"},

		{name: "over-long texts refused", reference: cut, remedies: all("verified", onServer, onClient),
			proofs: all("holds", onServer+":truncation/over-long", onServer+":truncation/batch-one-bad", onClient+":truncation/limit-plus-one", onClient+":truncation/silent-cut", onClient+":truncation/batch-one-bad")},
		{name: "the cut on request loses the end marker", reference: cut, candidate: "length: {truncate_prompt_tokens: honoured-end-marker-lost}",
			remedies: onServer + "=failed " + onClient + "=verified", proofs: onServer + ":truncation/over-long=fails"},
		{name: "the cut on request is refused", reference: cut, candidate: "length: {truncate_prompt_tokens: refused}", remedies: onServer + "=failed " + onClient + "=verified"},
		{name: "the end marker was lost before", reference: "length: {over: cut-end-marker-lost}", remedies: all("failed", onServer, onClient)},
		{name: "over-long texts read whole before", reference: "length: {over: served}", remedies: all("failed", onServer, onClient)},

		{name: "base64 was a list", reference: "encoding: {base64: array, unknown: float}", remedies: float + "=verified",
			proofs: all("holds", float+":encoding_format/base64-is-string", float+":encoding_format/node-sdk-default", float+":encoding_format/invalid")},
		{name: "base64 refused", candidate: "encoding: {base64: refused}", remedies: float + "=verified"},

		{name: "ids refused", candidate: "input: {token_ids: refused}", remedies: text + "=verified", extended: true, proofs: text + ":input_forms/token-ids=holds"},
		{name: "ids refused, and another seed", candidate: "input: {token_ids: refused}\nmodel: {seed: 2}", remedies: text + "=failed"},
		{name: "ids refused, and their text never told", reference: "routes: {tokenize: absent}", candidate: "input: {token_ids: refused}", remedies: text + "=failed"},
		{name: "ids of OpenAI's vocabulary refused", reference: "input: {token_ids: openai}\nroutes: {tokenize: absent}", candidate: "input: {token_ids: refused}", proofs: text + ":input_forms/foreign-ids=holds"},
		{name: "ids refused before", reference: "input: {token_ids: refused}", remedies: text + "=verified", proofs: all("needless", text+":input_forms/token-ids", text+":input_forms/nested-ids")},

		{name: "over-long ids were cut, and over-long texts never served", reference: "length: {over_ids: cut}", proofs: text + ":truncation/token-ids=fails"},
		{name: "over-long ids were cut as texts are", reference: cut, candidate: cut + "\ninput: {token_ids: refused}", proofs: text + ":truncation/token-ids=holds"},
		{name: "short lists only", candidate: "input: {max_items: 16}\nfaults: {too-many-items: {status: 422}}", remedies: smaller + "=verified", proofs: smaller + ":batching/whole-corpus=holds", says: "in lists of 8"},
		{name: "short lists only before", reference: "input: {max_items: 16}", remedies: smaller + "=nothing-to-bridge", proofs: smaller + ":batching/whole-corpus=needless"},

		{name: "unknown fields swallowed before", reference: "request: {unknown_fields: swallowed}", remedies: plain + "=verified", proofs: plain + ":instructions/unknown-field=holds"},
		{name: "unknown fields changed the text before", reference: "request: {unknown_fields: as-prompt}", proofs: plain + ":instructions/unknown-field=needless"},

		{name: "errors are flat", candidate: "faults: {default: {shape: flat, code: status}}", remedies: errors + "=verified",
			proofs: all("holds", errors+":status_codes/error-envelope", errors+":status_codes/code-type")},
		{name: "errors are empty", candidate: "faults: {default: {shape: empty}}", remedies: errors + "=failed", proofs: errors + ":status_codes/error-envelope=fails"},
		{name: "errors were empty before", reference: "faults: {default: {shape: empty}}", remedies: errors + "=verified"},

		{name: "over-long texts fail", candidate: "faults: {over-long: {status: 500}}", remedies: repeats + "=verified",
			proofs: all("holds", repeats+":truncation/over-long", repeats+":truncation/silent-cut", repeats+":truncation/batch-one-bad", repeats+":status_codes/client-faults-are-4xx")},
		{name: "faults of every kind fail", candidate: "faults: {default: {status: 500}}", remedies: repeats + "=verified " + once + "=verified", proofs: once + ":witnesses/go-error=holds"},
		{name: "over-long texts were cut, and fail", reference: cut, candidate: "faults: {over-long: {status: 500}}", proofs: repeats + ":truncation/over-long=needless"},
		{name: "refused once, served when it is sent again", candidate: "faults: {missing-input: {status: 500}}", remedies: repeats + "=failed",
			proofs: repeats + ":status_codes/missing-input=fails " + repeats + ":status_codes/client-faults-are-4xx=fails",
			edit: func(k *recording.Recording) {
				change(k, "status_codes/no-repeats", "again:status_codes/missing-input:asked", func(s *contract.Step) { s.Status = 200 })
			}},
		{name: "refused, and the server stumbles over it", candidate: "faults: {missing-input: {status: 500}}", proofs: repeats + ":status_codes/missing-input=fails",
			edit: func(k *recording.Recording) {
				change(k, "status_codes/missing-input", contract.StillAlive, func(s *contract.Step) { s.Status = 500 })
			}},
		{name: "one step refused, and another not answered", reference: "request: {duplicate_key: refused}", candidate: "request: {duplicate_key: refused}\nfaults: {duplicate-key: {status: 500}}",
			proofs: repeats + ":status_codes/duplicate-key=fails",
			edit: func(k *recording.Recording) {
				change(k, "status_codes/duplicate-key", "last", func(s *contract.Step) { s.Fault = contract.FaultTimeout })
			}},
		{name: "one step refused, and another served that was refused before", reference: "request: {duplicate_key: refused}", candidate: "request: {duplicate_key: refused}\nfaults: {duplicate-key: {status: 500}}",
			proofs: repeats + ":status_codes/duplicate-key=fails",
			editReference: func(r *recording.Recording) {
				change(r, "status_codes/duplicate-key", "last", func(s *contract.Step) { s.Status = 400 })
			}},
		{name: "one step refused, of which nothing is known before", reference: "request: {duplicate_key: refused}", candidate: "request: {duplicate_key: refused}\nfaults: {duplicate-key: {status: 500}}",
			proofs: repeats + ":status_codes/duplicate-key=fails",
			editReference: func(r *recording.Recording) {
				change(r, "status_codes/duplicate-key", "asked", func(s *contract.Step) { s.Name = "another" })
			}},
		{name: "the same key twice fails", reference: "request: {duplicate_key: refused}", candidate: "request: {duplicate_key: refused}\nfaults: {duplicate-key: {status: 500}}",
			proofs: repeats + ":status_codes/duplicate-key=holds"},
		{name: "the SDK repeats all the same", candidate: "faults: {default: {status: 500}}", remedies: once + "=failed", edit: func(k *recording.Recording) {
			change(k, "witnesses/go-no-retries", "told", func(s *contract.Step) {
				s.Body = []byte(strings.Replace(string(s.Body), `"calls":1`, `"calls":3`, 1))
			})
		}},
		{name: "huge dimensions are served", candidate: "dimensions: {above: clamped}", remedies: once + "=nothing-to-bridge"},
	}
}

func change(rec *recording.Recording, check, step string, how func(*contract.Step)) {
	for _, t := range rec.Trails(check) {
		for i := range t.Steps {
			if t.Steps[i].Name == step {
				how(&t.Steps[i])
			}
		}
	}
}

// Each variant of each remedy is shown by a pair of servers, and each of its proofs by which it is.
func TestRemedies(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	shown := map[string]bool{}
	for _, s := range swaps() {
		for _, list := range []string{s.remedies, s.proofs} {
			for _, f := range strings.Fields(list) {
				shown[f] = true
			}
		}
	}
	for _, c := range l.suite.Remedies() {
		for _, v := range c.Variants {
			if cell := c.ID + "=" + v.Name; !c.Extended && !shown[cell] && !unseen(cell) {
				t.Errorf("nothing shows %s", cell)
			}
		}
	}
	for _, s := range swaps() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r, k := l.bothOf(t, s)
			j := judge.New(l.suite)
			got := map[string]string{}
			said := s.says == ""
			for _, c := range l.suite.Remedies() {
				cell := j.Pair(r, k, c)
				maps.Copy(got, worth(c, cell))
				said = said || slices.ContainsFunc(cell.Finding.Proofs, func(p contract.Proof) bool { return strings.Contains(p.Observed, s.says) })
				if testing.Verbose() {
					t.Log(c.ID, cell.Variant(), cell.Finding.Observed, cell.Reason)
				}
			}
			if !said {
				t.Errorf("no proof says %q", s.says)
			}
			for _, f := range strings.Fields(s.remedies + " " + s.proofs) {
				id, want, _ := strings.Cut(f, "=")
				if got[id] != want {
					cell := j.Pair(r, k, mustCheck(l.suite, strings.Split(id, ":")[0]))
					t.Errorf("%s is %q, want %s: %s %s %s", id, got[id], want, cell.Finding.Observed, cell.Reason, fmt.Sprint(cell.Finding.Proofs))
				}
			}
		})
	}
}

// bothOf asks both servers of a swap.
func (l *lab) bothOf(t *testing.T, s swapped) (reference, candidate *recording.Recording) {
	ask := func(name, with string) *recording.Recording {
		rec, err := l.record(t, mutant{name: name, with: with, remedies: true, extended: s.extended}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	reference, candidate = ask("before", s.reference), ask("after", s.candidate)
	if s.edit != nil {
		s.edit(candidate)
	}
	if s.editReference != nil {
		s.editReference(reference)
	}
	return reference, candidate
}

// worth is what a cell says of a remedy, as swaps are written: its variant, and each of its proofs.
func worth(c contract.Check, cell judge.Cell) map[string]string {
	got := map[string]string{c.ID: cell.Variant()}
	for _, p := range cell.Finding.Proofs {
		got[c.ID+":"+p.Check] = map[bool]string{true: "holds", false: "fails"}[p.Holds]
		if p.Needless {
			got[c.ID+":"+p.Check] = needlessProof
		}
	}
	return got
}

const needlessProof = "needless"

// unseen are variants that cannot be: the base refuses something in any case, and says so in words.
func unseen(cell string) bool {
	return slices.Contains([]string{"status_codes/read-any-error", "status_codes/plain-request", "encoding_format/ask-for-float", "input_forms/text-in-place-of-ids"}, strings.TrimSuffix(cell, "=nothing-to-bridge"))
}

func mustCheck(s contract.Suite, id string) contract.Check {
	c, _ := s.Check(id)
	return c
}
