package contract_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
)

func TestParseRevision(t *testing.T) {
	r, err := contract.ParseRevision("2026-11", "# a comment\n\nb/one must\nb/two should\nb/three may\n")
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "2026-11" || len(r.Levels) != 3 || r.Levels["b/one"] != contract.Must || r.Levels["b/two"] != contract.Should || r.Levels["b/three"] != contract.May {
		t.Errorf("%+v", r)
	}
	for text, want := range map[string]string{
		"":                                      "contract revision r lists no checks",
		"# only a comment\n":                    "lists no checks",
		"b/one must\nb/two\n":                   `line 2: "b/two" is no check id, one space and a level`,
		"b/one must\n\nb/two shall\n":           `line 3: level "shall" of b/two is none of must, should, may`,
		"b/one  must\n":                         `line 1: level " must" of b/one`,
		"b/one must \n":                         `line 1: level "must " of b/one`,
		"b/one Must\n":                          `level "Must"`,
		"b/one must\r\n":                        "line 1: level",
		"b\t/one must\n":                        "line 1:",
		"one must\n":                            "is no check id",
		"/one must\n":                           "is no check id",
		"b/ must\n":                             "is no check id",
		" b/one must\n":                         "is no check id",
		"b/one must\nb/two may\nb/one should\n": "line 3: b/one is listed twice, first on line 1",
	} {
		if _, err := contract.ParseRevision("r", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestSuiteAtARevision(t *testing.T) {
	s := suiteOf(targetCheck("b/one"), pairCheck("b/two"), targetCheck("b/three"))
	s.Revision = contract.Draft
	at, err := s.At(contract.Revision{Name: "r", Levels: map[string]contract.Level{"b/one": contract.May, "b/two": contract.Must}})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]struct {
		level       contract.Level
		provisional bool
	}{"b/one": {contract.May, false}, "b/two": {contract.Must, false}, "b/three": {contract.Must, true}} {
		if c, _ := at.Check(id); c.Level != want.level || c.Provisional != want.provisional {
			t.Errorf("%s is %s, provisional %v; want %+v", id, c.Level, c.Provisional, want)
		}
		if c, _ := s.Check(id); c.Level != contract.Must || c.Provisional {
			t.Errorf("the draft was changed: %s is %s, provisional %v", id, c.Level, c.Provisional)
		}
	}
	if at.Revision != "r" || s.Revision != contract.Draft {
		t.Errorf("revisions %q and %q", at.Revision, s.Revision)
	}
	gone := contract.Revision{Name: "r", Levels: map[string]contract.Level{"b/gone": contract.Must}}
	if _, err := s.At(gone); err == nil || !strings.Contains(err.Error(), "lists b/gone, which no check has") {
		t.Errorf("a check that is gone: %v", err)
	}
	if _, err := s.At(contract.Revision{Name: "r"}); err == nil {
		t.Error("a revision without checks is taken: every check would be provisional, and every server green")
	}
	// What is frozen reads back as the suite was.
	back, err := contract.ParseRevision("r", s.Freeze("r"))
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := s.At(back); err != nil || len(back.Levels) != 3 || whole.Behaviours[0].Checks[2].Provisional {
		t.Errorf("frozen and read back: %+v, %v", back, err)
	}
}
