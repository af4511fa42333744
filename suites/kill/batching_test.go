package kill_test

func batchingMutants() []mutant {
	return []mutant{
		{name: "shuffled, index is the position", with: "data: {order: shuffled, index: position}", shows: "batching/index=swapped batching/long-texts=swapped batching/whole-corpus=swapped witnesses/go-batch=misplaced", also: []coupling{
			{"batches are read by index, which cannot be relied upon", `
				batching/duplicates=differ input_forms/nested-ids=other-vector
				vector_parity/alone-and-in-batch=below-bar vector_parity/cosine=different-space
				vector_parity/order-in-batch=below-bar`},
		}},
		{name: "index reversed", with: "data: {index: reversed}", shows: "batching/index=swapped batching/order=unsorted", also: []coupling{
			{"batches are read by index, which names other texts", `
				batching/duplicates=differ batching/long-texts=swapped batching/whole-corpus=swapped
				input_forms/nested-ids=other-vector vector_parity/alone-and-in-batch=below-bar
				vector_parity/cosine=different-space`},
		}},
		{name: "index counts from 1", with: "data: {index: off-by-one}", shows: "batching/index=no-index", also: []coupling{
			{"batches are read by index, which cannot be relied upon", `
				batching/long-texts=other batching/whole-corpus=other dimensions/reduced-batch=other
				encoding_format/base64-batch=other input_forms/nested-ids=other
				vector_parity/alone-and-in-batch=refused vector_parity/cosine=not-served
				vector_parity/order-in-batch=refused vector_parity/repeat=refused`},
		}},
		{name: "index is always 0", with: "data: {index: zero}", shows: "batching/index=no-index", also: []coupling{
			{"batches are read by index, which cannot be relied upon", `
				batching/long-texts=other batching/whole-corpus=other dimensions/reduced-batch=other
				encoding_format/base64-batch=other input_forms/nested-ids=other
				vector_parity/alone-and-in-batch=refused vector_parity/cosine=not-served
				vector_parity/order-in-batch=refused vector_parity/repeat=refused`},
		}},
		{name: "shuffled, index is right", with: "data: {order: shuffled}", shows: "batching/order=unsorted witnesses/go-batch=by-index witnesses/python-batch=by-index witnesses/node-batch=by-index"},
		{name: "equal texts are merged", with: "data: {duplicates: merged}", shows: "batching/duplicates=dropped"},
		{name: "vectors depend much on the size of the batch", with: "vectors: {noise: batch-size, noise_size: 2}", shows: "batching/index=no-match", also: []coupling{
			{"the SDK hands on what the server gives", "witnesses/go-batch=garbage"},
			{"a batch has other vectors than its texts alone, or the base", `
				batching/long-texts=other-vector batching/whole-corpus=other-vector
				input_forms/nested-ids=other-vector vector_parity/alone-and-in-batch=below-bar
				vector_parity/cosine=different-space`},
		}},
		{name: "vectors depend on the place in the batch", with: "vectors: {noise: position}", shows: "batching/duplicates=differ vector_parity/order-in-batch=below-bar", also: []coupling{
			{"the SDK hands on what the server gives", "witnesses/go-batch=garbage"},
			{"a batch has other vectors than its texts alone, or the base", `
				batching/long-texts=other-vector batching/whole-corpus=other-vector
				vector_parity/alone-and-in-batch=below-bar vector_parity/cosine=drifted`},
		}},
		{name: "vectors depend on the size of the batch", with: "vectors: {noise: batch-size}", shows: "vector_parity/alone-and-in-batch=below-bar batching/long-texts=other-vector batching/whole-corpus=other-vector witnesses/go-batch=garbage", also: []coupling{
			{"a batch has other vectors than its texts alone, or the base", "input_forms/nested-ids=other-vector vector_parity/cosine=drifted"},
		}},
		{name: "lists of more than 3 refused", with: "input: {max_items: 3}", shows: "batching/index=refused batching/duplicates=refused batching/order=refused", also: []coupling{
			{"it asks for longer lists", `
				batching/whole-corpus=batch-refused dimensions/reduced-batch=other
				encoding_format/base64-batch=other response_shape/flat-vector=refused
				response_shape/one-item-per-input=long-list-refused unit_norm/batch-of-8=refused
				vector_parity/alone-and-in-batch=refused vector_parity/cosine=not-served
				vector_parity/order-in-batch=refused vector_parity/repeat=refused`},
			{"the batch is not served, so that nothing counts its tokens", "token_parity/batch-is-sum=no-usage token_parity/sum=not-counted"},
		}},
		{name: "lists of more than 7 refused", with: "input: {max_items: 7}", shows: "unit_norm/batch-of-8=refused vector_parity/repeat=refused vector_parity/alone-and-in-batch=refused vector_parity/order-in-batch=refused vector_parity/cosine=not-served", also: []coupling{
			{"it asks for longer lists", "batching/whole-corpus=batch-refused response_shape/one-item-per-input=long-list-refused"},
			{"the batch is not served, so that nothing counts its tokens", "token_parity/sum=not-counted"},
		}},
		{name: "lists of more than 17 refused", with: "input: {max_items: 17}", shows: "batching/whole-corpus=batch-refused"},
		{name: "requests of more than 600 tokens refused", with: "length: {total: 600}", shows: "batching/whole-corpus=batch-refused"},
		{name: "requests of more than 250 tokens refused", with: "length: {total: 250}", shows: "batching/long-texts=batch-refused", also: []coupling{
			{"eight documents have more tokens, too", `
				batching/whole-corpus=batch-refused token_parity/sum=not-counted vector_parity/alone-and-in-batch=refused
				vector_parity/cosine=not-served vector_parity/order-in-batch=refused vector_parity/repeat=refused`},
		}},
		{name: "chunks of a long list joined in another order", with: "data: {chunk: 17, joined: rotated}", shows: "batching/whole-corpus=swapped"},
		{name: "only the first chunk of a long list", with: "data: {chunk: 17, joined: first-only}", shows: "batching/whole-corpus=wrong-count"},
		{name: "hidden cut at 150 tokens, in batches only", with: "length: {hidden_in_batch: 150}", shows: "batching/long-texts=other-vector"},
		{name: "lists longer than the corpus refused", with: "input: {max_items: 18}", shows: "batching/limit-2048=rejected-4xx service/batch-in-time=refused"},
		{name: "lists longer than the corpus refused with 422", with: "input: {max_items: 18}\nfaults: {too-many-items: {status: 422}}",
			shows: "batching/limit-2048=rejected-4xx-retried batching/above-2048=rejected-4xx-retried"},
		{name: "lists longer than the corpus fail", with: "input: {max_items: 18}\nfaults: {too-many-items: {status: 500}}",
			shows: "batching/limit-2048=failed-5xx batching/above-2048=failed-5xx"},
		{name: "lists longer than the corpus joined in another order", with: "data: {chunk: 18, joined: rotated}\ninput: {max_items: -1}",
			shows: "batching/limit-2048=other-vector batching/above-2048=other-vector"},
		{name: "only the first chunk of a very long list", with: "data: {chunk: 1000, joined: first-only}\ninput: {max_items: -1}",
			shows: "batching/limit-2048=wrong-count batching/above-2048=wrong-count"},
		{name: "lists as long as you like", with: "input: {max_items: -1}", shows: "batching/above-2048=served"},
		{name: "requests of more tokens than the corpus refused", with: "length: {total: 1000}", shows: "batching/limit-2048=rejected-4xx lifecycle/in-flight=refused-before"},
	}
}
