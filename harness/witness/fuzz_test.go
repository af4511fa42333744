package witness

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/bounds"
)

// FuzzOutput: what a script prints is its statement or an error, and a statement is the same when it is told again.
func FuzzOutput(f *testing.F) {
	for _, s := range []string{"", "null", "{}", "Traceback (most recent call last):\n", `{"sdk":"python","version":"1","scenario":"float","ok":true,"data":[{"index":0,"embedding":[1,null]}],"calls":1,"answers":[],"elapsed_ms":0}`,
		`{"sdk":"node","data":[{"index":0,"embedding":NaN}]}`, `{"sdk":"node","more":1}`, "\ufeff{}", `{"sdk":"node"}{"sdk":"go"}`, `{"sdk":"go","error":{"status":1e9,"text":"\ud800"}}`, strings.Repeat("[", 11000)} {
		f.Add([]byte(s), 1<<10)
	}
	f.Fuzz(func(t *testing.T, said []byte, limit int) {
		if limit < 0 {
			return
		}
		bounds.Hold(t, len(said), func() {
			b := &bounded{max: limit}
			half := len(said) / 2
			for _, part := range [][]byte{said[:half], said[half:]} {
				if n, err := b.Write(part); n != len(part) || err != nil {
					t.Fatal(n, err)
				}
			}
			if len(b.kept) > limit || b.cut != (len(said) > limit) {
				t.Fatalf("%d of %d bytes are kept, at most %d; cut: %v", len(b.kept), len(said), limit, b.cut)
			}
			out, err := b.output("script")
			if err != nil {
				if !strings.HasPrefix(err.Error(), "script said ") {
					t.Error(err)
				}
				return
			}
			text, err := json.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			again, err := (&bounded{kept: text}).output("script")
			if second, _ := json.Marshal(again); err != nil || out.SDK == "" || string(second) != string(text) {
				t.Errorf("%q was told again as %q, and then %q, %v", said, text, second, err)
			}
		})
	})
}
