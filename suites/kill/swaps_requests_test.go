package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

// What swaps use of the remedies about what requests say.
const (
	onServerRemedy, onClientRemedy = "truncation/cut-on-server", "truncation/cut-on-client"
	floatRemedy, textRemedy        = "encoding_format/ask-for-float", "input_forms/text-in-place-of-ids"
	plainRemedy                    = "status_codes/plain-request"
	ofOverLong, ofTail             = "truncation/over-long", "truncation/silent-cut"
	ofOneBad                       = "truncation/batch-one-bad"
	ofString                       = "encoding_format/base64-is-string"
	ofIDs, ofForeign               = "input_forms/token-ids", "input_forms/foreign-ids"
	ofSlash, ofUnknownField        = "status_codes/trailing-slash", "instructions/unknown-field"
	ofEmptyList, ofEmptyLists      = "input_forms/empty-array", "input_forms/nested-empty"

	// cutTexts is a server that cuts over-long texts.
	cutTexts = "length: {over: cut}"
)

// requestSwaps are pairs for remedies that send something else.
func requestSwaps() []swapped {
	const byServer, byClient, tail = onServerRemedy + ":" + ofOverLong, onClientRemedy + ":" + ofOneBad, onServerRemedy + ":" + ofTail
	const ids, foreign, list = textRemedy + ":" + ofIDs, textRemedy + ":" + ofForeign, onServerRemedy + ":" + ofOneBad
	const str, slash, field = floatRemedy + ":" + ofString, plainRemedy + ":" + ofSlash, plainRemedy + ":" + ofUnknownField
	const emptyList, emptyLists = plainRemedy + ":" + ofEmptyList, plainRemedy + ":" + ofEmptyLists
	const openAI, swallows = "input: {token_ids: openai}", "request: {unknown_fields: swallowed}"
	// What the SDK for Python is told, when its user asks for numbers.
	const python, float = floatRemedy + ":witnesses/python-default", "witnesses/python-float"
	step := func(check, step string, do func(*contract.Step)) []alteration {
		return []alteration{{of: check, step: step, do: do}}
	}
	sdk := func(name string, before, after []alteration, proof string) swapped {
		return swapped{name: "an SDK: " + name, asks: "witnesses/python-default " + float, before: before, after: after, proofs: python + "=" + proof}
	}
	saying := func(s swapped, says string) swapped {
		s.says = says
		return s
	}
	raw := func(do func(*contract.Step)) []alteration { return step(float, "raw-0", do) }
	told := func(body string) []alteration { return step(float, "told", answered(0, body)) }
	swallowed := func(distance float64, proof string) swapped {
		return swapped{name: "unknown fields were swallowed, and the vector was away: " + proof, reference: swallows, before: step(ofUnknownField, "field", all(by(distance))), proofs: field + "=" + proof}
	}
	return []swapped{
		{name: "over-long texts in a list got a page before", reference: cutTexts, before: step(ofOneBad, "batch", page), proofs: byClient + "=needless"},
		{name: "lists with the cut on request are refused", reference: cutTexts, after: step(onServerRemedy, "batch", refusedWith(400)), proofs: list + "=fails"},
		{name: "the over-long text got a page before", reference: cutTexts, before: step(ofOverLong, "over-long", page), proofs: byServer + "=needless"},
		{name: "one over-long text was served, another was not", reference: cutTexts, before: step(ofOverLong, "over-long", refusedWith(400)), proofs: tail + "=fails"},

		{name: "base64 refused before", reference: "encoding: {base64: refused}", proofs: str + "=needless"},
		sdk("as it was", nil, nil, "holds"),
		sdk("numbers were refused before", raw(refusedWith(400)), nil, "needless"),
		sdk("as far apart as peers may be", raw(all(by(peersWithin))), nil, "holds"),
		sdk("farther apart than peers may be", raw(all(by(peersBeyond))), nil, "fails"),
		saying(sdk("it tells something else", nil, told("<html>"), "fails"), "invalid character"),
		saying(sdk("it raises", nil, told(`{"sdk":"x","error":{"class":"x","text":"no vector"},"calls":1,"answers":[{"status":400}]}`), "fails"), "no vector; "),
		sdk("it hands on nothing", nil, told(`{"sdk":"x","ok":true,"data":[],"calls":1,"answers":[{"status":200}]}`), "fails"),
		sdk("it hands on two items", nil, step(float, "told", edited(`"embedding":[]}]`, `"embedding":[]},{"index":1,"embedding":[1]}]`)), "fails"),

		{name: "ids refused, and their text never told, as proofs", reference: "routes: {tokenize: absent}", candidate: "input: {token_ids: refused}", proofs: ids + "=fails"},
		{name: "ids alone were refused before", before: step(ofIDs, "ids", refusedWith(400)), proofs: ids + "=needless"},
		{name: "foreign ids were refused before", reference: "input: {token_ids: refused}", proofs: foreign + "=holds"},
		{name: "foreign ids were another text before", reference: openAI, before: step(ofForeign, "ids", all(across)), proofs: foreign + "=needless"},
		{name: "foreign ids got a page before", reference: openAI, before: step(ofForeign, "ids", page), proofs: foreign + "=needless", hides: "nobody wants that back"},

		{name: "odd requests were refused before", asks: ofEmptyLists, proofs: plainRemedy + ":" + ofSlash + "=needless " + emptyList + "=needless " + emptyLists + "=holds"},
		{name: "a slash sent clients to the route", reference: "routes: {trailing_slash: redirect}", proofs: slash + "=holds"},
		{name: "a slash got another vector", reference: "routes: {trailing_slash: served}", before: step(ofSlash, "asked", all(across)), proofs: slash + "=fails"},
		{name: "an empty list got no vectors", reference: "input: {empty_array: empty-data}", proofs: emptyList + "=holds"},
		{name: "an empty list was an empty text", reference: "input: {empty_array: as-empty-string, empty_string: embedded}", proofs: emptyList + "=fails"},
		{name: "an empty list got a page", before: step(ofEmptyList, "asked", page), proofs: emptyList + "=fails"},
		{name: "a list of an empty list got no vectors", asks: ofEmptyLists, reference: "input: {nested_empty: empty-data}", proofs: emptyLists + "=needless"},
		swallowed(justWithin, "holds"), swallowed(justBeyond, "needless"),
		{name: "unknown fields got a page before", reference: swallows, before: step(ofUnknownField, "field", page), proofs: field + "=needless"},
		{name: "an unknown model got a page before", before: step("status_codes/unknown-model", "asked", page), proofs: plainRemedy + ":status_codes/unknown-model=needless"},
	}
}

// What swaps use of the remedies about refusals.
const (
	errorsRemedy, repeatsRemedy = "status_codes/read-any-error", "status_codes/no-repeats"
	onceRemedy                  = "witnesses/go-no-retries"
	ofFaults, ofMissing         = "status_codes/client-faults-are-4xx", "status_codes/missing-input"
	ofEnvelope, ofCode          = "status_codes/error-envelope", "status_codes/code-type"
)

// refusedSwaps are pairs for remedies that say what to make of a refusal.
func refusedSwaps() []swapped {
	const envelope, code, once = errorsRemedy + ":" + ofEnvelope, errorsRemedy + ":" + ofCode, onceRemedy + ":witnesses/go-error"
	const missing, faults, long = repeatsRemedy + ":" + ofMissing, repeatsRemedy + ":" + ofFaults, repeatsRemedy + ":" + ofOverLong
	const empty, fails = "faults: {default: {shape: empty}}", "faults: {default: {status: 500}}"
	const missingFails, longFail = "faults: {missing-input: {status: 500}}", "faults: {over-long: {status: 500}}"
	step := func(check, step string, do func(*contract.Step)) []alteration {
		return []alteration{{of: check, step: step, do: do}}
	}
	again := func(request string, do func(*contract.Step)) []alteration {
		return step(repeatsRemedy, "again:"+request, do)
	}
	gone := func(request string) []alteration {
		return []alteration{{of: repeatsRemedy, step: "again:" + request, drop: true}}
	}
	coded := func(as string) func(*contract.Step) {
		return answered(400, `{"error":{"message":"no","type":"x","param":null,"code":`+as+`}}`)
	}
	odd := func(name, as, proof string) swapped {
		return swapped{name: "a code: " + name, after: step(ofMissing, "asked", coded(as)), proofs: code + "=" + proof}
	}
	told := func(body string) []alteration { return step(onceRemedy, "told", answered(0, body)) }
	served := answered(200, `{}`)
	return []swapped{
		{name: "what was served is refused without a word", after: step("dimensions/native-value", "native", answered(400, "")), proofs: envelope + "=fails"},
		{name: "errors were empty, and are", reference: empty, candidate: empty, proofs: envelope + "=holds " + code + "=holds"},
		{name: "all was refused", before: []alteration{{of: everywhere, do: refusedWith(400)}}, remedies: floatRemedy + "=nothing-to-bridge " + textRemedy + "=nothing-to-bridge " + plainRemedy + "=nothing-to-bridge"},
		{name: "nothing was refused", before: []alteration{{of: everywhere, do: page}}, remedies: errorsRemedy + "=nothing-to-bridge", proofs: envelope + "=needless"},
		odd("an object", `{"a":1}`, "fails"), odd("a list", `["a"]`, "fails"), odd("a number", `400`, "holds"), odd("a text", `"a"`, "holds"), odd("nothing", `null`, "holds"),

		{name: "refused once, served when it is sent again", candidate: missingFails, remedies: repeatsRemedy + "=failed", proofs: missing + "=fails " + faults + "=fails",
			after: again(ofMissing+":asked", served)},
		{name: "it was not sent again", candidate: missingFails, after: gone(ofMissing + ":asked"), proofs: missing + "=fails " + faults + "=fails", says: "was not sent again"},
		{name: "a long text was not sent again", candidate: fails, after: gone(ofOverLong + ":over-long"), proofs: long + "=fails " + faults + "=holds"},
		{name: "a long text is served when it is sent again", candidate: longFail, after: again(ofOverLong+":over-long", served), proofs: long + "=fails " + faults + "=fails"},
		{name: "one of many is served when it is sent again", candidate: fails, after: again(ofMissing+":asked", served), proofs: faults + "=fails"},
		{name: "of two requests of a check one is refused alike", candidate: missingFails, before: step(ofReduced, "", refusedWith(400)), after: append(step(ofReduced, "", refusedWith(500)),
			again(ofMissing+":asked", func(s *contract.Step) { s.Name = "again:" + ofReduced + ":full" })...), proofs: repeatsRemedy + ":" + ofReduced + "=fails", says: "reduced-256 (reduced) was not sent again"},
		{name: "a status that some clients repeat", candidate: "faults: {missing-input: {status: 409}}", remedies: repeatsRemedy + "=verified", proofs: missing + "=holds " + faults + "=holds"},
		{name: "nothing is refused for repeating", proofs: faults + "=needless " + missing + "=needless"},
		{name: "a plain request afterwards fails", after: step(ofMissing, contract.StillAlive, refusedWith(500)), proofs: faults + "=needless " + missing + "=needless"},
		{name: "the answer was cut off", candidate: missingFails, after: step(ofMissing, "asked", cutOff), proofs: faults + "=needless " + missing + "=needless"},
		{name: "too many requests", after: step(ofMissing, "asked", refusedWith(429)), proofs: faults + "=needless " + missing + "=needless"},

		{name: "the SDK repeats all the same", candidate: fails, remedies: onceRemedy + "=failed", after: step(onceRemedy, "told", edited(`"calls":1`, `"calls":3`))},
		{name: "huge dimensions were served", reference: "dimensions: {above: clamped}", proofs: once + "=needless " + sliceRemedy + ":witnesses/go-error=holds"},
		{name: "what the SDK told before cannot be read", before: step("witnesses/go-error", "told", answered(0, "<html>")), proofs: once + "=holds " + sliceRemedy + ":witnesses/go-error=needless"},
		{name: "the SDK tells something else", after: told("<html>"), proofs: once + "=fails"},
		{name: "the SDK was ended", after: told(`{"sdk":"x","ended":true,"error":{"class":"x","text":"ended"},"calls":1,"answers":[]}`), proofs: once + "=fails"},
		{name: "the SDK did not call", after: told(`{"sdk":"x","error":{"class":"x","text":"no key"},"calls":0,"answers":[]}`), proofs: once + "=fails", says: "no key"},
	}
}
