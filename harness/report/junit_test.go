package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func junit(t *testing.T, r *Report) ([]byte, junitSuites) {
	t.Helper()
	var b bytes.Buffer
	if err := r.JUnit(&b); err != nil {
		t.Fatal(err)
	}
	var s junitSuites
	if err := xml.Unmarshal(b.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), s
}

func TestJUnitGolden(t *testing.T) {
	out, _ := junit(t, sample())
	golden(t, "junit.xml", out)
}

func TestJUnitCases(t *testing.T) {
	_, s := junit(t, sample())
	if len(s.Suites) != 4 {
		t.Fatalf("%d suites, want one for each of two targets, one pair and the baseline", len(s.Suites))
	}
	verdicts := map[string]string{}
	for _, suite := range s.Suites {
		for _, c := range suite.Cases {
			v := "pass"
			switch {
			case c.Error != nil:
				v = "error"
			case c.Failure != nil:
				v = "failure"
			case c.Skipped != nil:
				v = "skipped: " + c.Skipped.Message
			case c.SystemOut != nil:
				v = "noted"
			}
			verdicts[suite.Name+" "+c.Name] = v
		}
	}
	legacy, dynamo := "legacy (reconstructed) ", "dynamo-1.6-emulated (emulated) "
	pair := "dynamo-1.6-emulated (emulated) in place of legacy (reconstructed) "
	want := map[string]string{
		legacy + "dimensions/native-by-default":     "pass",
		legacy + "encoding_format/base64-is-string": "noted", // fails, as listed
		legacy + "truncation/over-long":             "noted", // differs, and nothing forbids it
		legacy + "encoding_format/node-sdk-default": "skipped: deselected with --skip",
		dynamo + "dimensions/reduced-256":           "failure", // unexpected
		dynamo + "dimensions/zero":                  "failure", // changed
		dynamo + "encoding_format/base64-is-string": "failure", // stale: it passes
		dynamo + "encoding_format/node-sdk-default": "failure", // flaky
		dynamo + "instructions/manual-prefix":       "skipped: no instruction is declared",
		dynamo + "truncation/over-long":             "error",
		dynamo + "truncation/end-counts":            "error", // no cell
		pair + "vector_parity/cosine":               "failure",
		pair + "instructions/same-query":            "noted",
		pair + "vector_parity/ranking":              "noted",
	}
	for name, v := range want {
		if verdicts[name] != v {
			t.Errorf("%s is %q, want %q", name, verdicts[name], v)
		}
	}
	if s.Tests != 28 || s.Failures != 7 || s.Errors != 3 || s.Skipped != 2 {
		t.Errorf("%d tests, %d failures, %d errors, %d skipped", s.Tests, s.Failures, s.Errors, s.Skipped)
	}
}

func TestJUnitProperties(t *testing.T) {
	_, s := junit(t, sample())
	for _, c := range s.Suites[0].Cases {
		if c.Name == "encoding_format/base64-is-string" {
			got := map[string]string{}
			for _, p := range c.Properties.Property {
				got[p.Name] = p.Value
			}
			if got["outcome"] != "fail" || got["variant"] != "array" || got["expectation"] != "as-listed" {
				t.Errorf("properties %v", got)
			}
			if !strings.Contains(c.SystemOut.Text, "listed as array") {
				t.Errorf("the note does not say why: %q", c.SystemOut.Text)
			}
			return
		}
	}
	t.Fatal("no such case")
}

// A target that did not start must not be a suite without cases, which is green.
func TestJUnitWithoutCells(t *testing.T) {
	r := sample()
	r.Behaviours, r.Cells, r.Pairs, r.Targets = nil, nil, nil, r.Targets[:1]
	r.Targets[0].Problem = "did not start"
	if _, s := junit(t, r); s.Errors != 1 || s.Suites[0].Cases[0].Error.Message != "did not start" {
		t.Errorf("%+v", s)
	}
}

func TestJUnitIsSafe(t *testing.T) {
	out, _ := junit(t, hostileEverywhere())
	for _, bad := range []string{"\x1b", "\x00", "\x08", "\ufffe", "&#x1b;", "\u202e"} {
		if bytes.Contains(out, []byte(bad)) {
			t.Errorf("%q is in it", bad)
		}
	}
	known := []string{"testsuites", "testsuite", "testcase", "properties", "property", "skipped", "error", "failure", "system-out"}
	d := xml.NewDecoder(bytes.NewReader(out))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && !slices.Contains(known, e.Name.Local) {
			t.Fatalf("a text became the element %s", e.Name.Local)
		}
	}
}
