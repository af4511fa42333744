package kill_test

// anyKey is why auth/any-key changes where nothing that is served can be read.
const anyKey = "whether a request with a key is served is read off its vector"

// laterChapter is what rows show in the checks of concurrency, rankings, profiles and SDKs, which read what single texts
// and plain answers are like.
func laterChapter() map[string]chapter {
	return map[string]chapter{
		"one flat error":    {shows: "status_codes/error-profile=none"},
		"index is a string": {shows: "response_shape/profile=none"},
		"truncate_prompt_tokens ignored, over-long texts served": {shows: "status_codes/message-actionable=not-refused"},
		"nothing refused": {shows: "status_codes/error-profile=no-refusals witnesses/go-error=no-error"},
		"over-long texts cut, ids refused": {also: []coupling{
			{"there is no refusal of a text that is known to be too long", "status_codes/message-actionable=not-refused"},
		}},
		"5 MB served": {also: []coupling{
			{"there is no refusal of a text that is known to be too long", "status_codes/message-actionable=not-refused"},
		}},
		"usage counts blocks of 16": {also: []coupling{
			{"there is no refusal of a text that is known to be too long", "status_codes/message-actionable=not-applicable"},
			{"usage does not count, so that no text of a known length can be made", "text/special-token=not-applicable"},
		}},
		"usage counts words": {also: []coupling{
			{"there is no refusal of a text that is known to be too long", "status_codes/message-actionable=error"},
		}},
		"norm 2 above the limit": {also: []coupling{
			{"there is no refusal of a text that is known to be too long", "status_codes/message-actionable=not-refused"},
		}},
		"fails on an empty text and dies of a missing input": {also: []coupling{
			{"a dead server is not asked", `
				auth/any-key=error auth/health-is-open=error auth/missing-key=error auth/wrong-key=error auth/wrong-scheme=error
				service/health=error service/model-by-name=error service/models=error service/request-id=error`},
			{"the profile is read from the same errors", "status_codes/error-profile=error"},
		}},
		"answers a missing input and dies": {also: []coupling{
			{"a dead server is not asked", `
				auth/any-key=error auth/health-is-open=error auth/missing-key=error auth/wrong-key=error auth/wrong-scheme=error
				service/health=error service/model-by-name=error service/models=error service/request-id=error`},
			{"the profile is read from the same errors", "status_codes/error-profile=error"},
		}},
		"dies of a missing input": {also: []coupling{
			{"a dead server is not asked", `
				auth/any-key=error auth/health-is-open=error auth/missing-key=error auth/wrong-key=error auth/wrong-scheme=error
				service/health=error service/model-by-name=error service/models=error service/request-id=error`},
			{"the profile is read from the same errors", "status_codes/error-profile=error"},
		}},
		"prompt honoured, usage is 0": {shows: "token_parity/counts-tokens=no-usage token_parity/no-hidden-prompt=not-counted token_parity/token-array-length=no-usage", also: []coupling{
			{"usage does not count, so that no text of a known length can be made", "truncation/batch-one-bad=error truncation/effective-limit=error truncation/token-ids=error unit_norm/over-limit=error"},
		}},
		"null among the numbers of long texts": {shows: "encoding_format/base64-dimensions=other-values"},
		"answers are not declared": {shows: "service/models=incomplete witnesses/go-batch=raises witnesses/go-default=raises", also: []coupling{
			{"the profile is read from the same answers", "response_shape/profile=none"},
		}},
		"task honoured, usage is 0": {also: []coupling{
			{"usage does not count, so that no text of a known length can be made", `
				token_parity/counts-tokens=no-usage token_parity/no-hidden-prompt=not-counted token_parity/token-array-length=no-usage
				truncation/batch-one-bad=error truncation/effective-limit=error truncation/token-ids=error unit_norm/over-limit=error`},
		}},
		"prompt_name honoured, usage is 0": {also: []coupling{
			{"usage does not count, so that no text of a known length can be made", `
				token_parity/counts-tokens=no-usage token_parity/no-hidden-prompt=not-counted token_parity/token-array-length=no-usage
				truncation/batch-one-bad=error truncation/effective-limit=error truncation/token-ids=error unit_norm/over-limit=error`},
		}},
		"error strings": {shows: "witnesses/go-error=raises-without-reason", also: []coupling{
			{"the profile is read from the same errors", "status_codes/error-profile=none"},
		}},
		"empty errors": {shows: "witnesses/python-error=raises-without-reason witnesses/node-error=raises-without-reason", also: []coupling{
			{"the profile is read from the same errors", "status_codes/error-profile=none"},
			{"the SDK reads the same answers", "witnesses/go-error=raises-without-reason"},
		}},
		"html errors": {also: []coupling{
			{"the profile is read from the same errors", "status_codes/error-profile=none"},
			{"the SDK reads the same answers", "witnesses/go-error=raises-without-reason"},
		}},
		"text errors": {also: []coupling{
			{"the profile is read from the same errors", "status_codes/error-profile=none"},
			{"the SDK reads the same answers", "witnesses/go-error=raises-without-reason"},
		}},
		"detail-list errors": {also: []coupling{
			{"the profile is read from the same errors", "status_codes/error-profile=none"},
			{"the SDK reads the same answers", "witnesses/go-error=raises-without-reason"},
		}},
		"detail errors": {also: []coupling{
			{"the profile is read from the same errors", "status_codes/error-profile=none"},
			{"the SDK reads the same answers", "witnesses/go-error=raises-without-reason"},
		}},
		"flat errors": {shows: "witnesses/node-error=raises-without-reason", also: []coupling{
			{"the profile is read from the same errors", "status_codes/error-profile=none"},
			{"the SDK reads the same answers", "witnesses/go-error=raises-without-reason"},
		}},
		"null is base64": {shows: "response_shape/profile=wire vector_parity/cross-index=not-served vector_parity/rank-order=not-served", also: []coupling{
			{anyKey, "auth/any-key=other"},
			{"single texts are asked for at the same time as well", "concurrency/client-leaves=other concurrency/isolation=other concurrency/same-request-id=other"},
			{"a single text is asked for over and over", "vector_parity/twenty-times=other"},
		}},
		"numbers of 1 decimal":  {shows: "vector_parity/cross-index=other-results vector_parity/rank-order=other-results"},
		"numbers of 2 decimals": {shows: "vector_parity/cross-index=order-changes vector_parity/rank-order=order-changes"},
		"other kernels, just beyond the bar": {also: []coupling{
			{"rankings are made of these vectors", "vector_parity/cross-index=order-changes vector_parity/rank-order=order-changes"},
		}},
		"noise above each bar": {shows: `
			vector_parity/warm-prefix=below-bar witnesses/python-float=garbage witnesses/node-float=garbage 
			concurrency/client-leaves=other-vector concurrency/isolation=other-vector concurrency/same-request-id=other-vector
			vector_parity/twenty-times=below-bar witnesses/go-batch=garbage witnesses/go-default=garbage`, also: []coupling{
			{"rankings are made of these vectors", "vector_parity/cross-index=order-changes vector_parity/rank-order=order-changes"},
		}},
		"other kernels, just within the bar": {also: []coupling{
			{"rankings are made of these vectors", "vector_parity/cross-index=order-changes vector_parity/rank-order=order-changes"},
		}},
		"a prompt before every text": {also: []coupling{
			{"rankings are made of these vectors", "vector_parity/cross-index=other-results vector_parity/rank-order=other-results"},
		}},
		"noise above each bar, and fields ignored": {also: []coupling{
			{"single texts are asked for at the same time as well", "concurrency/client-leaves=other-vector concurrency/isolation=other-vector concurrency/same-request-id=other-vector"},
			{"rankings are made of these vectors", "vector_parity/cross-index=order-changes vector_parity/rank-order=order-changes"},
			{"a single text is asked for over and over", "vector_parity/twenty-times=below-bar"},
			{"the SDK reads the same answers", "witnesses/go-batch=garbage witnesses/go-default=garbage"},
		}},
		"lower case": {also: []coupling{
			{"rankings are made of these vectors", "vector_parity/cross-index=order-changes vector_parity/rank-order=order-changes"},
		}},
		"mean pooling": {also: []coupling{
			{"rankings are made of these vectors", "vector_parity/cross-index=other-results vector_parity/rank-order=other-results"},
		}},
		"no end marker": {also: []coupling{
			{"rankings are made of these vectors", "vector_parity/cross-index=order-changes vector_parity/rank-order=order-changes"},
		}},
		"first token pooled": {also: []coupling{
			{"rankings are made of these vectors", "vector_parity/cross-index=other-results vector_parity/rank-order=other-results"},
		}},
		"another seed": {also: []coupling{
			{"rankings are made of these vectors", "vector_parity/cross-index=other-results vector_parity/rank-order=other-results"},
		}},
		"usage is absent": {shows: "response_shape/profile=client-minimum"},
		"limit of 6 tokens": {shows: `
			vector_parity/components=not-served vector_parity/warm-prefix=refused 
			concurrency/client-leaves=refused concurrency/isolation=refused concurrency/same-request-id=refused
			response_shape/profile=refused`, also: []coupling{
			{"rankings are made of these vectors", "vector_parity/cross-index=not-served vector_parity/rank-order=not-served"},
		}},
		"native length too short to be reduced": {shows: "vector_parity/cross-index=incomparable", also: []coupling{
			{"rankings are made of these vectors", "vector_parity/rank-order=order-changes"},
		}},
		"native length is another": {also: []coupling{
			{"rankings are made of these vectors", "vector_parity/cross-index=incomparable vector_parity/rank-order=other-results"},
		}},
		"base64 by default": {also: []coupling{
			{anyKey, "auth/any-key=other"},
			{"single texts are asked for at the same time as well", "concurrency/client-leaves=other concurrency/isolation=other concurrency/same-request-id=other"},
			{"the profile is read from the same answers", "response_shape/profile=wire"},
			{"rankings are made of these vectors", "vector_parity/cross-index=not-served vector_parity/rank-order=not-served"},
			{"a single text is asked for over and over", "vector_parity/twenty-times=other"},
		}},
		"NaN among the numbers": {also: []coupling{
			{anyKey, "auth/any-key=other"},
			{"single texts are asked for at the same time as well", "concurrency/client-leaves=other concurrency/isolation=other concurrency/same-request-id=other"},
			{"the profile is read from the same answers", "response_shape/profile=none"},
			{"rankings are made of these vectors", "vector_parity/cross-index=not-served vector_parity/rank-order=not-served"},
			{"a single text is asked for over and over", "vector_parity/twenty-times=other"},
			{"the SDK reads the same answers", "witnesses/go-batch=other witnesses/go-default=other"},
		}},
		"zeros": {shows: "vector_parity/components=incomparable vector_parity/warm-prefix=incomparable vector_parity/rank-order=incomparable vector_parity/twenty-times=incomparable", also: []coupling{
			{"single texts are asked for at the same time as well", "concurrency/client-leaves=other concurrency/isolation=other concurrency/same-request-id=other"},
			{"rankings are made of these vectors", "vector_parity/cross-index=incomparable"},
			{"the SDK reads the same answers", "witnesses/go-batch=garbage witnesses/go-default=garbage"},
		}},
		"only the first text of a list": {shows: "witnesses/go-batch=wrong-count"},
		"no pooling": {also: []coupling{
			{"rankings are made of these vectors", "vector_parity/cross-index=incomparable vector_parity/rank-order=incomparable"},
		}},
		"no items for lists": {also: []coupling{
			{"the SDK reads the same answers", "witnesses/go-batch=wrong-count"},
		}},
		"null among the numbers": {also: []coupling{
			{anyKey, "auth/any-key=other"},
			{"single texts are asked for at the same time as well", "concurrency/client-leaves=other concurrency/isolation=other concurrency/same-request-id=other"},
			{"the profile is read from the same answers", "response_shape/profile=none"},
			{"rankings are made of these vectors", "vector_parity/cross-index=not-served vector_parity/rank-order=not-served"},
			{"a single text is asked for over and over", "vector_parity/twenty-times=other"},
			{"the SDK reads the same answers", "witnesses/go-batch=other witnesses/go-default=other"},
		}},
		"vectors are nested": {also: []coupling{
			{anyKey, "auth/any-key=other"},
			{"so is what is served of a burst, of a name on the list, after a pause and of a batch", `
				concurrency/keep-alive=other concurrency/overload=other service/batch-in-time=other service/models-are-served=other`},
			{"single texts are asked for at the same time as well", "concurrency/client-leaves=other concurrency/isolation=other concurrency/same-request-id=other"},
			{"the profile is read from the same answers", "response_shape/profile=none"},
			{"rankings are made of these vectors", "vector_parity/cross-index=not-served vector_parity/rank-order=not-served"},
			{"a single text is asked for over and over", "vector_parity/twenty-times=other"},
			{"the SDK reads the same answers", "witnesses/go-batch=other witnesses/go-default=other"},
		}},
		"one item too few": {also: []coupling{
			{"the SDK reads the same answers", "witnesses/go-batch=wrong-count"},
		}},
		"answers are text/html": {shows: "witnesses/node-default=raises witnesses/node-float=raises witnesses/node-batch=raises", also: []coupling{
			{"the profile is read from the same answers", "response_shape/profile=none"},
			{"the list is sent in the same way", "service/models=incomplete"},
			{"the SDK reads the same answers", "witnesses/go-batch=raises witnesses/go-default=raises"},
		}},
		"total_tokens is absent": {also: []coupling{
			{"the profile is read from the same answers", "response_shape/profile=client-minimum"},
		}},
		"object is absent": {also: []coupling{
			{"the profile is read from the same answers", "response_shape/profile=client-minimum"},
		}},
		"model is absent": {also: []coupling{
			{"the profile is read from the same answers", "response_shape/profile=client-minimum"},
		}},
		"object of items is absent": {also: []coupling{
			{"the profile is read from the same answers", "response_shape/profile=client-minimum"},
		}},
		"one error is declared as text": {also: []coupling{
			{"the profile is read from the same errors", "status_codes/error-profile=none"},
		}},
		"index is absent": {also: []coupling{
			{"the profile is read from the same answers", "response_shape/profile=none"},
		}},
		"errors are declared as text": {also: []coupling{
			{"the profile is read from the same errors", "status_codes/error-profile=none"},
		}},
		"base64 refused, to SDKs": {shows: "encoding_format/base64-dimensions=rejected-4xx"},
	}
}

func laterMutants() []mutant {
	return []mutant{
		{name: "one component of a vector is too small", with: "vectors: {component: dented}", shows: "vector_parity/components=one-drifts", also: []coupling{
			{"it is more than noise, and less than the bar", "vector_parity/cosine=above-bar"},
			{"scores move by more than ties", "vector_parity/rank-order=order-changes vector_parity/cross-index@reference=order-changes"},
		}},
		{name: "errors with a message and nothing else", with: "faults: {default: {shape: message-only}}", shows: "status_codes/error-profile=client-minimum", also: []coupling{
			{"there is no code", "status_codes/code-type=absent"},
		}},
	}
}
