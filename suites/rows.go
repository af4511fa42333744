package suites

// Row is one behaviour that a client relies on, from the survey of servers and clients on which the contract rests.
// Checks name the rows that they cover in their Sources.
type Row struct {
	ID     string
	Relies string // on what a client relies, in half a line
}

// RowGroup is a chapter of the survey.
type RowGroup struct {
	Title string
	Rows  []Row
}

// Omission is a row that no check covers, and why.
type Omission struct{ Row, Why string }

// LeftOut lists the rows that no check covers.
func LeftOut() []Omission { return nil }

// Rows lists all behaviours of the survey.
func Rows() []RowGroup {
	return []RowGroup{
		{"Response shape", []Row{
			{"shape-top-level", "object, data, model and usage are all there"},
			{"shape-item-fields", "each item has an integer index, its object type and an embedding"},
			{"shape-flat-vector", "an embedding is one list of numbers, not a list of lists"},
			{"shape-count-matches-input", "as many items come back as texts were sent"},
			{"shape-no-empty-200", "a 200 never carries an empty data list"},
			{"shape-string-equals-array", "a text and a list of that one text are the same request"},
			{"shape-model-field", "model names what served the request"},
			{"shape-finite", "a vector has no null, NaN or infinity in it"},
			{"shape-nonzero", "a vector is not all zeros"},
			{"shape-extra-usage-fields", "further fields in usage do no harm"},
		}},
		{"Dimensions", []Row{
			{"dim-native-default", "without dimensions a vector has the model's length"},
			{"dim-constant-over-length", "the length of a vector does not depend on the text"},
			{"dim-reduce-256", "dimensions 256 gives 256 numbers"},
			{"dim-reduce-unit-norm", "a shortened vector has the norm 1 again"},
			{"dim-reduce-is-prefix", "a shortened vector is the head of the full one, normalised"},
			{"dim-equal-native", "asking for the model's own length does no harm"},
			{"dim-above-native", "more than the model has is refused"},
			{"dim-zero-negative", "0 and negative sizes are refused"},
			{"dim-wrong-type", "a string, a fraction or a boolean is refused"},
			{"dim-null", "an explicit null means the model's length or is refused, and is no fault of the server"},
			{"dim-unlisted-size", "a size for which the model was not trained is refused"},
			{"dim-unsupported-is-4xx", "a model that cannot be shortened is told with a 4xx"},
		}},
		{"Norm", []Row{
			{"norm-unit", "a dot product is a cosine"},
			{"norm-unit-batch-and-base64", "so it is in a batch, and in base64"},
			{"norm-unit-long-input", "so it is for texts near the limit and over it"},
			{"norm-toggle-param", "a field that turns normalisation off means the same in every version"},
		}},
		{"Numeric parity", []Row{
			{"parity-cosine-peer", "another server of the same model makes the same vector"},
			{"parity-component-error", "no single number of a vector drifts"},
			{"parity-rank-order", "nearest neighbours keep their order"},
			{"parity-cross-index", "new queries find old documents"},
			{"parity-golden-version", "an upgrade does not move vectors"},
			{"parity-pooling-mode", "vectors are pooled as the model's own files say"},
			{"parity-float32-roundtrip", "the numbers in JSON carry a whole float32"},
		}},
		{"Tokens and usage", []Row{
			{"usage-total-equals-prompt", "total_tokens is prompt_tokens"},
			{"usage-sum-parity", "the tokens of a corpus add up to the same on both servers"},
			{"usage-tokens-not-chars", "usage counts tokens, not characters"},
			{"usage-special-tokens", "markers at begin and end are there, and counted alike"},
			{"usage-batch-additive", "a batch costs what its texts cost one by one"},
			{"usage-token-array-length", "a list of ids costs as many tokens as it has ids"},
			{"usage-at-truncation", "a text that was cut costs what was read of it"},
		}},
		{"Instructions", []Row{
			{"instr-query-takes-effect", "input_type query changes the vector and what it costs"},
			{"instr-document-neutral", "input_type document adds nothing where the model has no prompt for it"},
			{"instr-manual-prefix-equals", "a prompt written by the client gives the vector that the field gives"},
			{"instr-unknown-field-policy", "a field that the server does not know is refused, not swallowed"},
			{"instr-invalid-value", "a made-up input_type is refused"},
			{"instr-alias-matrix", "it is known which of the fields for a prompt takes effect"},
			{"instr-model-suffix", "it is known whether a model has a second name for queries"},
			{"instr-server-default-prompt", "no prompt is put before a plain text in secret"},
			{"instr-cohere-route", "it is known whether Cohere's route is there"},
		}},
		{"Truncation or refusal", []Row{
			{"trunc-overlong-policy", "it is known whether an over-long text is refused or cut"},
			{"trunc-overlong-is-4xx", "a refusal is a 4xx with a message that helps"},
			{"trunc-silent-detector", "what stands behind the cut has an influence, or there is an error"},
			{"trunc-boundary", "a text at the limit is served, and one token more is not"},
			{"trunc-effective-max", "the limit is the one that was promised"},
			{"trunc-side", "the head of a text is kept"},
			{"trunc-eos-kept", "a text that was cut still ends with the end marker"},
			{"trunc-param-vllm", "truncate_prompt_tokens does what vLLM says"},
			{"trunc-token-array", "a list of ids is treated as the text is"},
			{"trunc-batch-one-bad", "one over-long text of a batch is not lost in silence"},
			{"trunc-huge-text", "a text of megabytes is refused at once"},
		}},
		{"Encoding", []Row{
			{"enc-default-float", "without a format there are numbers"},
			{"enc-base64-is-string", "base64 is a string"},
			{"enc-base64-bytes", "the bytes are float32, little-endian, four for each number"},
			{"enc-base64-equals-float", "both formats hold the same numbers"},
			{"enc-base64-alphabet", "the standard alphabet, padded, without line breaks or prefix"},
			{"enc-base64-with-dimensions", "shortened vectors are short in base64, too"},
			{"enc-null", "an explicit null is no fault of the server"},
			{"enc-invalid", "a format that there is not is refused"},
			{"enc-case", "the names of formats are in lower case"},
			{"enc-sdk-node-default", "openai-node, which asks for base64 by itself, reads the vector"},
			{"enc-extension-bytes", "a format of raw bytes comes on request only"},
		}},
		{"Input forms", []Row{
			{"input-token-array", "a list of ids is one input"},
			{"input-token-arrays", "a list of lists of ids is one input each"},
			{"input-token-text-parity", "the ids of a text give the vector of the text"},
			{"input-foreign-ids", "ids of another vocabulary do not pass for a text"},
			{"input-id-out-of-range", "an id outside the vocabulary is refused"},
			{"input-mixed-array", "texts and ids in one list are refused"},
			{"input-empty-array", "an empty list is refused"},
			{"input-nested-empty", "a list of an empty list is refused"},
			{"input-missing-null-object", "no input, null, an object or a number is refused"},
			{"input-messages-extension", "it is known whether chat messages are taken in place of input"},
		}},
		{"Batches", []Row{
			{"batch-index-correct", "index says which text a vector belongs to"},
			{"batch-order-positional", "items come in the order of the texts"},
			{"batch-duplicates", "texts that occur twice are answered twice"},
			{"batch-limit-2048", "2048 texts are served, and more are refused"},
			{"batch-token-sum", "the bound on the tokens of one request is known"},
			{"batch-invariance", "a text has the same vector alone and in a batch"},
			{"batch-padding-invariance", "a long neighbour does not change a short text"},
			{"batch-no-cross-talk-feature", "other neighbours do not change a text"},
		}},
		{"Determinism and concurrency", []Row{
			{"det-repeat", "the same text asked again has the same vector"},
			{"det-warm-prefix-cache", "a cached prefix does not change the vector"},
			{"conc-isolation", "answers to requests at the same time are not swapped"},
			{"conc-same-request-id", "two requests with one request id are both served"},
			{"conc-disconnect", "a client that leaves harms no other"},
		}},
		{"Status codes and errors", []Row{
			{"err-client-fault-not-5xx", "a fault of the client is a 4xx"},
			{"err-client-fault-is-400", "and one that no client repeats"},
			{"err-envelope-nested", "the body has an error object with a message"},
			{"err-envelope-uniform", "all errors have the same form"},
			{"err-code-type", "code is a string or null"},
			{"err-type-vocabulary", "type is a word that clients know"},
			{"err-param-filled", "param names the field that is at fault"},
			{"err-message-actionable", "the message says the limit and the size that was sent"},
			{"err-unknown-model", "a model that there is not is a 404"},
			{"err-missing-model", "a request without a model is refused"},
			{"err-malformed-json", "broken JSON is a 400 with a JSON body"},
			{"err-content-type", "a body of another type is refused"},
			{"err-body-too-large", "a body that is too large is a 413 with a JSON body"},
			{"err-overload-code", "overload is a 429 or a 503, which clients may repeat"},
			{"err-retry-after", "overload says when to come again"},
			{"err-no-leak", "errors show no paths, stacks or texts of others"},
			{"err-bounded-size", "errors stay small, whatever was sent"},
			{"err-route-method", "a wrong method is a 405 and a wrong path a 404, both in JSON"},
		}},
		{"Headers, models, keys, limits, health", []Row{
			{"hdr-json", "answers and errors are application/json"},
			{"hdr-request-id", "a request id comes back, the client's own where it sent one"},
			{"hdr-ratelimit", "nothing relies on rate limit headers"},
			{"models-list", "the list of models has the served one"},
			{"models-name-roundtrip", "every listed name is served"},
			{"auth-missing-wrong", "no key and a wrong key are a 401"},
			{"auth-dummy-accepted", "where no key is needed, any is taken"},
			{"auth-health-open", "health needs no key"},
			{"time-batch-under-30s", "a batch of long texts ends before clients give up"},
			{"limit-keepalive", "an idle connection can be used again"},
			{"health-truthful", "health is good only while texts are embedded"},
			{"health-survives-bad-input", "after every bad request a good one is served"},
		}},
		{"Unicode, white space, special tokens", []Row{
			{"txt-empty-string", "the empty text is served or refused, and no fault of the server"},
			{"txt-empty-in-batch", "so is the empty text in a batch"},
			{"txt-whitespace-only", "so is a text of white space"},
			{"txt-edge-whitespace", "white space at the ends is kept"},
			{"txt-newlines", "line breaks are kept"},
			{"txt-special-token-literal", "a special token written out as text is treated alike on both servers"},
			{"txt-unicode-scripts", "all scripts are tokenised and embedded alike"},
			{"txt-nfc-nfd", "composed and decomposed letters are treated alike on both servers"},
			{"txt-lone-surrogate-nul", "half a surrogate pair and U+0000 are no fault of the server"},
			{"txt-case-folding", "case is kept or folded as the model says"},
			{"txt-json-escape-equal", "an escaped text is the text"},
		}},
	}
}
