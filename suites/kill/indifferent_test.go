package kill_test

import (
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// indifferent are the answers of a check that may be spoilt without it failing to pass, and why.
type indifferent struct{ checks, step, breakages, why string }

func indifferents() []indifferent {
	const besideOthers = "beside others a text may be farther from itself; its bar is held by evidence made by hand"
	return []indifferent{
		{"", contract.StillAlive, "no items, null, a page, zeros, three numbers, moved", "only the status is looked at: status_codes/survives owns what is in it"},
		{"lifecycle/", "", "refused, failed, no answer, no items, null, a page, zeros, three numbers, moved", "each answer is read by the check of lifecycle that owns it, and what it may be depends on when it came"},
		{"input_forms/own-ids", "", "moved", "an end marker that is added or not moves a vector more"},
		{"witnesses/", "raw", "moved", "what an SDK reads is held against the nearest of the vectors"},
		{"vector_parity/order-in-batch", "reversed:", "moved", besideOthers},
		{"batching/whole-corpus", "", "moved", besideOthers},
		{"batching/long-texts", "", "moved", besideOthers},
		{"concurrency/", "", "moved", besideOthers},
		{"token_parity/", "", "zeros, three numbers, moved", "tokens are counted, vectors are not looked at"},
		{"token_parity/batch-is-sum", "single-", "no items, null", "the edited answer counts as many tokens as the text has, or is one of a few"},
		{"token_parity/no-hidden-prompt", "more", "no items, null", "the edited answer counts three tokens, no more than a short text"},
		{"response_shape/wire-schema", "", "no items, zeros, three numbers, moved", "the schema allows lists of any length"},
		{"response_shape/one-item-per-input", "inputs-", "null, zeros, three numbers, moved", "items are counted"},
		{"response_shape/model-field", "asked", "no items, null, zeros, three numbers, moved", "the name of the model is looked at"},
		{"response_shape/flat-vector", "odd-texts", "three numbers, moved", "a list of any length is flat"},
		{"dimensions/native-by-default", "default", "zeros, moved", "length is looked at, response_shape/finite-everywhere owns zeros"},
		{"dimensions/same-for-every-length", "", "zeros, moved", "length is looked at, response_shape/finite-everywhere owns zeros"},
		{"dimensions/one", "asked", "refused, three numbers", "it may be refused; one number of three is what was asked for"},
		{"dimensions/unlisted-size", "asked", "refused", "it may be refused"},
		{"dimensions/null", "null", "refused", "it may be refused"},
		{"input_forms/foreign-ids", "ids", "refused", "it may be refused"},
		{"text/nul", "asked", "refused, moved", "it may be refused"},
		{"status_codes/duplicate-key", "asked", "refused", "it may be refused"},
		{"input_forms/own-ids", "tokenize", "refused, failed", "a server need not have this route"},
		{"unit_norm/normalize-false", "", "no items, null, a page, zeros, three numbers, moved, longer", "the field is refused, and there is nothing to compare"},
		{"unit_norm/use-activation-false", "", "no items, null, a page, zeros, three numbers, moved, longer", "the field is refused, and there is nothing to compare"},
		{"instructions/unknown-field", "plain", "refused, failed, no items, null, a page, zeros, three numbers, moved", "the field is refused, and there is nothing to compare"},
		{"truncation/over-long", "cut", "refused, failed, no items, null, a page, zeros, three numbers, moved", "the text is refused, and there is nothing to compare"},
		{"truncation/limit-plus-one", "cut", "refused, failed, no items, null, a page, zeros, three numbers, moved", "the text is refused, and there is nothing to compare"},
		{"truncation/limit-exact", "exact", "zeros, three numbers, moved", "the count is looked at"},
		{"truncation/truncate-prompt-tokens", "whole", "three numbers, moved", "it is only held against: any other vector will do"},
		{"text/whitespace-only", "blank", "three numbers, moved", "a vector of any length has a direction"},
		{"text/special-token", "without", "no items, null", "its tokens are counted"},
		{"batching/duplicates", "repeats", "three numbers, moved", "vectors are compared with each other"},
		{"encoding_format/base64-is-string", "float", "no items, null, a page, zeros, three numbers, moved", "the form of the other answer is looked at"},
		{"encoding_format/default-is-float", "default", "zeros, three numbers, moved", "the form is looked at"},
		{"input_forms/token-ids", "ids", "zeros, three numbers, moved", "input_forms/own-ids compares vectors"},
		{"service/models-are-served", "name", "zeros, three numbers, moved", "vectors are not looked at"},
		{"service/batch-in-time", "batch", "zeros, three numbers, moved", "time is looked at"},
		{"service/rate-limit-headers", "asked", "no items, null, a page, zeros, three numbers, moved", "headers are looked at"},
		{"service/steady", "refused", "no answer", "how a fault of the client is answered is for others to judge"},
		{"auth/any-key", "asked", "zeros, three numbers, moved", "vectors are not looked at"},
		{"batching/index", "", "moved", "vectors are told apart, not measured"},
		{"dimensions/reduced-", "full", "moved", "the last number takes the move, and is cut off"},
		{"instructions/input-type-query", "", "moved", "it has to be another vector, and is"},
		{"instructions/instruction-field", "", "moved", "it has to be another vector, and is"},
		{"instructions/manual-prefix", "plain", "moved", "it has to be another vector, and is"},
		{"text/accents", "", "moved", "it has to be another vector, and is"},
		{"text/case", "written-otherwise", "moved", "it has to be another vector, and is"},
		{"text/edge-whitespace", "", "moved", "it has to be another vector, and is"},
		{"text/newlines", "written-otherwise", "moved", "it has to be another vector, and is"},
		{"truncation/end-counts", "", "moved", "it has to be another vector, and is"},
		{"unit_norm/", "asked", "moved", "norms are looked at"},
		{"vector_parity/warm-prefix", "other:", "zeros, three numbers, moved", "it only has to be read"},
		{"concurrency/client-leaves", "leaver", "refused, failed, no answer, no items, null, a page, zeros, three numbers, moved", "the client had left"},
	}
}

// indifferentPair are the answers that a pair check does not need of one of the two servers, or of both.
type indifferentPair struct {
	check, step string
	of          string // "candidate", "reference" or "both"
	why         string
}

func indifferentPairs() []indifferentPair {
	const noise = "it only tells how much a server differs from itself; vector_parity/repeat and order-in-batch own it"
	return []indifferentPair{
		{"vector_parity/cosine", "second", "both", noise},
		{"vector_parity/cosine", "reversed", "both", noise},
		{"vector_parity/components", "second", "both", noise},
		{"vector_parity/rank-order", "first", "both", noise},
		{"vector_parity/rank-order", "second", "both", noise},
		{"vector_parity/rank-order", "reversed", "both", noise},
		{"vector_parity/cross-index", "first", "both", noise},
		{"vector_parity/cross-index", "second", "both", noise},
		{"vector_parity/cross-index", "reversed", "both", noise},
		{"vector_parity/cross-index", "document:", "candidate", "its queries look into the index of the reference"},
		{"vector_parity/half-mixed-index", "first", "both", noise},
		{"vector_parity/half-mixed-index", "second", "both", noise},
		{"vector_parity/half-mixed-index", "reversed", "both", noise},
		{"instructions/prefixed-query", "first", "both", noise},
		{"instructions/prefixed-query", "second", "both", noise},
		{"instructions/prefixed-query", "query", "candidate", "the queries of the reference are held against prefixed texts of the candidate"},
		{"instructions/prefixed-query", "prefixed", "reference", "the queries of the reference are held against prefixed texts of the candidate"},
		{"instructions/prefixed-query", contract.StillAlive, "both", "status_codes/survives owns it"},
		{"token_parity/sum", "second", "both", "the corpus is counted once"},
		{"dimensions/same-native", "default", "both", "lengths are compared, and zeros have one"},
	}
}

func (x indifferentPair) covers(check, step string, candidate bool) bool {
	return x.check == check && strings.HasPrefix(step, x.step) && (x.of == "both" || (x.of == "candidate") == candidate)
}

func (x indifferent) covers(check, step, breakage string) bool {
	return strings.HasPrefix(check, x.checks) && strings.HasPrefix(step, x.step) && slices.Contains(strings.Split(x.breakages, ", "), breakage)
}
