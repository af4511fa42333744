package target

import "testing"

// TestDidYouMean: a misspelling gives the name that is meant; a part of names gives those, the plain ones first.
func TestDidYouMean(t *testing.T) {
	names := []string{"dynamo-1.6.1-gpu", "dynamo-1.6.1", "legacy", "Vllm-0.31", "a-1", "a-2"}
	for name, want := range map[string]string{
		"dynamo-1.6.2": ` (did you mean "dynamo-1.6.1"?)`,
		"dynamo":       " (did you mean one of dynamo-1.6.1, dynamo-1.6.1-gpu?)",
		"dynamo-next":  " (did you mean one of dynamo-1.6.1, dynamo-1.6.1-gpu?)",
		"GPU":          ` (did you mean "dynamo-1.6.1-gpu"?)`,
		"vllm":         ` (did you mean "Vllm-0.31"?)`,
		"a":            "", // too little to say anything
		"ollama":       "",
		"":             "",
	} {
		if got := DidYouMean(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := DidYouMean("part", []string{"part-of-many-1", "part-of-many-2", "part-of-many-3", "part-of-many-4", "part-of-many-5", "part-of-many-6", "part-of-many-7"}); got !=
		" (did you mean one of part-of-many-1, part-of-many-2, part-of-many-3, part-of-many-4, part-of-many-5, part-of-many-6, or 1 more?)" {
		t.Error(got)
	}
}
