package openapi

import (
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzValidateResponse holds for every answer: no panic, a short and printable report, the same twice, and
// profiles that are nested.
func FuzzValidateResponse(f *testing.F) {
	for _, r := range rows() {
		f.Add(r.status, r.media(), []byte(r.body))
	}
	d := mustLoad(f)
	f.Fuzz(func(t *testing.T, status int, contentType string, body []byte) {
		narrower := []Violation{{}}
		for _, p := range Profiles() {
			found := d.ValidateResponse(p, status, contentType, body)
			checkReport(t, found)
			if again := d.ValidateResponse(p, status, contentType, body); !slices.Equal(found, again) {
				t.Errorf("%s: first %v, then %v", p, found, again)
			}
			if len(narrower) == 0 && len(found) > 0 {
				t.Errorf("%s refuses what a narrower profile accepts: %v", p, found)
			}
			narrower = found
		}
	})
}

func checkReport(t *testing.T, found []Violation) {
	if len(found) > maxViolations {
		t.Errorf("%d violations, more than %d", len(found), maxViolations)
	}
	for _, v := range found {
		line := v.String()
		if v.Count < 1 || v.Rule == "" || v.Message == "" || len(line) > 700 || !utf8.ValidString(line) {
			t.Errorf("bad violation %#v", v)
		}
		for _, r := range line {
			if unicode.IsControl(r) {
				t.Errorf("control character in %q", line)
			}
		}
	}
}
