package recording

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzCursor: what is JSON for the cursor is JSON for everybody, and the other way round.
func FuzzCursor(f *testing.F) {
	for _, body := range []string{
		`{"data":[{"index":0,"embedding":[1,-0.5e+3,0]}],"usage":null}`, ` [ true , false , null , {} , [] ] `, `"\"\\\/\b\f\n\r\t\u00e9\ud800"`,
		`"\x"`, `"\u12g4"`, `"\u12`, "\"\x01\"", `"`, `01`, `-`, `1.`, `.5`, `1e`, `1e+`, `-0`, `1E-5`, `+1`, `[1,]`, `[,1]`, `[1 2]`, `{"a"}`, `{"a":}`,
		`{"a":1,}`, `{a:1}`, `{"a" : 1 , "a" : 2}`, `tru`, `nulls`, `{}{}`, "\x00", "1\x00", "", " ", "\ufeff1",
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if got, want := isJSON(body), json.Valid(body); got != want {
			t.Errorf("%q: %v, want %v", body, got, want)
		}
	})
}

func isJSON(body []byte) bool {
	c := cursor{body: body}
	c.space()
	ok := c.value()
	c.space()
	return ok && c.at == len(body)
}

// What is nested deeper than encoding/json reads is left as it is, and lists beside each other are not deep.
func TestCursorDepth(t *testing.T) {
	for depth, want := range map[int]bool{maxDepth: true, maxDepth + 1: false} {
		body := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		if got := isJSON(body); got != want || json.Valid(body) != want {
			t.Errorf("%d deep: %v, want %v", depth, got, want)
		}
	}
	if flat := []byte("[" + strings.Repeat("[],", maxDepth) + "[]]"); !isJSON(flat) {
		t.Error("lists beside each other are taken for nested ones")
	}
}
