package kill_test

import (
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// servedSwaps are pairs of servers that are honest but for what stands there.
func servedSwaps() []swapped {
	const slice, prefix, onServer, onClient = sliceRemedy, prefixRemedy, onServerRemedy, onClientRemedy
	const float, text, smaller = floatRemedy, textRemedy, smallerRemedy
	const plain, errors, repeats, once, cut = plainRemedy, errorsRemedy, repeatsRemedy, onceRemedy, cutTexts
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
		{name: "what the cut on request was refused with", reference: cut, candidate: "length: {truncate_prompt_tokens: refused}", proofs: onServer + ":truncation/over-long=fails", says: "over-long: 400 {"},
		{name: "the end marker was lost before", reference: "length: {over: cut-end-marker-lost}", remedies: all("failed", onServer, onClient)},
		{name: "over-long texts read whole before", reference: "length: {over: served}", remedies: all("failed", onServer, onClient)},

		{name: "base64 was a list", reference: "encoding: {base64: array, unknown: float}", remedies: float + "=verified",
			proofs: all("holds", float+":encoding_format/base64-is-string", float+":encoding_format/node-sdk-default", float+":encoding_format/invalid")},
		{name: "base64 refused", candidate: "encoding: {base64: refused}", remedies: float + "=verified"},

		{name: "ids refused", candidate: "input: {token_ids: refused}", remedies: text + "=verified", asks: "input_forms/nested-ids", proofs: text + ":input_forms/token-ids=holds"},
		{name: "ids refused, and another seed", candidate: "input: {token_ids: refused}\nmodel: {seed: 2}", remedies: text + "=failed"},
		{name: "ids refused, and their text never told", reference: "routes: {tokenize: absent}", candidate: "input: {token_ids: refused}", remedies: text + "=failed"},
		{name: "ids of OpenAI's vocabulary refused", reference: "input: {token_ids: openai}\nroutes: {tokenize: absent}", candidate: "input: {token_ids: refused}", proofs: text + ":input_forms/foreign-ids=holds"},
		{name: "ids refused before", reference: "input: {token_ids: refused}", remedies: text + "=verified", proofs: all("needless", text+":input_forms/token-ids", text+":input_forms/nested-ids")},

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
		{name: "huge dimensions are served", candidate: "dimensions: {above: clamped}", remedies: once + "=nothing-to-bridge"},
	}
}

// What swaps use of the remedies about vectors.
const (
	sliceRemedy, prefixRemedy = "dimensions/slice-on-client", "instructions/prefix-on-client"
	smallerRemedy             = "batching/smaller-batches"
	ofReduced                 = "dimensions/reduced-256"
	ofReducedBatch            = "dimensions/reduced-batch"
	ofWhole                   = "batching/whole-corpus"
	ofLong                    = "batching/limit-2048"
	ofCorpus                  = "vector_parity/repeat"
	ofQueries                 = "instructions/same-query"
	ofInstruction             = "instructions/instruction-field"
)

// peersWithin and peersBeyond are distances on the two sides of parity.PeerBar.
const (
	peersWithin = within * parity.PeerBar
	peersBeyond = beyond * parity.PeerBar
)

// cutUnit is the beginning of a vector, as long as the whole.
func cutUnit(was []float32) []float32 { return parity.Prefix(was, len(was)/2) }

// longerThen turns a vector and makes it longer.
func longerThen(distance, by float64) func([]float32) []float32 {
	return func(was []float32) []float32 { return longer(turned(was, distance), by) }
}

// vectorSwaps are pairs in which what was recorded is changed, for remedies that are proved by vectors.
func vectorSwaps() []swapped {
	const reduced, batch, whole = sliceRemedy + ":" + ofReduced, sliceRemedy + ":" + ofReducedBatch, smallerRemedy + ":" + ofWhole
	const query, instruction, long = prefixRemedy + ":" + ofQueries, prefixRemedy + ":" + ofInstruction, smallerRemedy + ":" + ofLong
	const plainSlices = "dimensions: {reduced: sliced}"
	step := func(check, step string, do func(*contract.Step)) []alteration {
		return []alteration{{of: check, step: step, do: do}}
	}
	prefixed := func(do func(*contract.Step)) []alteration {
		return step("instructions/prefixed-query", "prefixed:*", do)
	}
	field := func(distance float64) []alteration {
		return []alteration{{of: ofInstruction, step: "field", as: "plain", do: all(by(distance))}}
	}
	return []swapped{
		{name: "as far apart as peers may be", after: prefixed(all(by(peersWithin))), proofs: query + "=holds"},
		{name: "farther apart than peers may be", after: prefixed(all(by(peersBeyond))), proofs: query + "=fails"},
		{name: "as far apart as peers may be, and longer", after: prefixed(all(longerThen(peersWithin, 0.1))), proofs: query + "=fails", says: "norm 1.1 in place of 1"},
		{name: "farther apart than peers may be, and longer", after: prefixed(all(longerThen(peersBeyond, 0.1))), proofs: query + "=fails", says: "cosine min", hides: "in place of 1"},
		{name: "vectors of half the length", after: prefixed(all(cutUnit)), proofs: query + "=fails"},
		{name: "several vectors are counted", proofs: query + "=holds", says: ", n="},
		{name: "one vector is not", proofs: onServerRemedy + ":" + ofOverLong + "=holds", reference: cutTexts, says: "truncation/over-long: cosine min 1", hides: "over-long: cosine min 1, n="},
		{name: "no queries before", before: []alteration{{of: ofQueries, step: "query:*", drop: true}}, proofs: query + "=fails"},
		{name: "queries got a page before", before: step(ofQueries, "query:*", page), proofs: query + "=needless"},
		{name: "queries with the prefix are refused", after: prefixed(refusedWith(400)), proofs: query + "=fails", says: "prefixed:query-en-01: 400"},

		{name: "the plain text was refused before", before: step(ofInstruction, "plain", refusedWith(400)), proofs: instruction + "=holds"},
		{name: "the instruction got a page before", before: step(ofInstruction, "field", page), proofs: instruction + "=needless"},
		{name: "the instruction had next to no effect before", before: field(justWithin), proofs: instruction + "=needless"},
		{name: "the instruction had little effect before", before: field(justBeyond), proofs: instruction + "=fails"},

		{name: "dimensions got a page before", before: step(ofReduced, "reduced", page), proofs: reduced + "=needless"},
		{name: "lists with dimensions got a page before", before: step(ofReducedBatch, "reduced", page), proofs: batch + "=needless"},
		{name: "plain texts are refused", after: step(ofReduced, "full", refusedWith(400)), proofs: reduced + "=fails", says: "without dimensions: 400"},
		{name: "plain lists are refused", after: step(ofReducedBatch, "full", refusedWith(400)), proofs: batch + "=fails", says: "without dimensions: 400"},
		{name: "vectors too short for plain slices", reference: plainSlices, after: step(ofReduced, "full", all(shorter)), proofs: reduced + "=fails"},
		{name: "sizes that nobody asked for", proofs: sliceRemedy + ":dimensions/one=unasked"},

		{name: "long lists were refused, and short ones are", before: step(ofWhole, "batch", refusedWith(400)), after: step(ofCorpus, "first:0", page), proofs: whole + "=needless"},
		{name: "short lists get a page", after: step(ofCorpus, "first:0", page), proofs: whole + "=fails"},
		{name: "long lists got a page before", before: step(ofWhole, "batch", page), proofs: whole + "=needless"},
		{name: "2048 texts", asks: ofLong, proofs: long + "=holds"},
		{name: "2048 texts were refused", asks: ofLong, before: step(ofLong, "many", refusedWith(400)), after: step(ofLong, "some", refusedWith(400)), proofs: long + "=needless"},
		{name: "a few of 2048 texts are refused", asks: ofLong, after: step(ofLong, "some", refusedWith(400)), proofs: long + "=fails"},
		{name: "2048 texts got a page before", asks: ofLong, before: step(ofLong, "many", page), proofs: long + "=needless"},
	}
}
