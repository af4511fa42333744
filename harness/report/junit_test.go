package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
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
	if _, s := junit(t, r); s.Errors != 1 || s.Suites[0].Cases[0].Error.Message != "no verdict: did not start" {
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

// TestJUnitIsAsViewersReadIt holds every file to what they expect of it: see the account in junit.go.
func TestJUnitIsAsViewersReadIt(t *testing.T) {
	held := sample()
	held.HoldTo("base.line.json", decidedSample(), every, noRules, true)
	lost := lone(map[string]Judgement{"a/x": ok("good")})
	lost.HoldTo("r.json", lone(map[string]Judgement{"a/y": ok("good"), "a/z": as("unexpected", "fail", "bad")}), every, noRules, false)
	for name, r := range map[string]*Report{"sample": sample(), "hostile": hostileEverywhere(), "held": held, "vanished": lost, "large": large(as("unexpected", "fail", "honoured")), "empty": {Schema: Schema}} {
		t.Run(name, func(t *testing.T) {
			out, all := junit(t, r)
			order(t, out)
			total, seen := [4]int{}, map[string]bool{}
			for _, s := range all.Suites {
				if s.Name == "" || len(s.Cases) == 0 {
					t.Errorf("suite %q has %d cases: one without any is green", s.Name, len(s.Cases))
				}
				number(t, "time of "+s.Name, s.Time)
				if s.Timestamp != "" {
					if _, err := time.Parse("2006-01-02T15:04:05", s.Timestamp); err != nil {
						t.Error(err)
					}
				}
				counts := [4]int{len(s.Cases)}
				for _, c := range s.Cases {
					readable(t, c)
					if key := c.Class + "\x00" + c.Name; seen[key] {
						t.Errorf("GitLab would take two cases for one: %s %s", c.Class, c.Name)
					} else {
						seen[key] = true
					}
					switch {
					case c.Failure != nil:
						counts[1]++
					case c.Error != nil:
						counts[2]++
					case c.Skipped != nil:
						counts[3]++
					}
				}
				if counts != [4]int{s.Tests, s.Failures, s.Errors, s.Skipped} {
					t.Errorf("%s has %v cases, says %+v", s.Name, counts, s)
				}
				for i := range counts {
					total[i] += counts[i]
				}
			}
			number(t, "time of all", all.Time)
			if total != [4]int{all.Tests, all.Failures, all.Errors, all.Skipped} {
				t.Errorf("%v cases in all, and the file says %d, %d, %d, %d", total, all.Tests, all.Failures, all.Errors, all.Skipped)
			}
		})
	}
}

func number(t *testing.T, what, text string) {
	t.Helper()
	if f, err := strconv.ParseFloat(text, 64); err != nil || f < 0 {
		t.Errorf("%s is %q", what, text)
	}
}

// readable checks one case.
func readable(t *testing.T, c junitCase) {
	t.Helper()
	number(t, "time of "+c.Name, c.Time)
	if strings.TrimSpace(c.Name) == "" || c.Class == "" || strings.Count(c.Class, ".") > 1 {
		t.Errorf("case %q of class %q: Jenkins makes a tree of the dots", c.Name, c.Class)
	}
	if c.File != "" && !regexp.MustCompile(`^suites/[a-z_]+\.go$`).MatchString(c.File) {
		t.Errorf("%s is in file %q", c.Name, c.File)
	}
	for kind, m := range map[string]*junitMessage{"failure": c.Failure, "error": c.Error, "skipped": c.Skipped} {
		if m == nil {
			continue
		}
		if m.Message == "" || strings.ContainsAny(m.Message, "\n\r\t") || width(m.Message) > textShown {
			t.Errorf("%s of %s has the message %q", kind, c.Name, m.Message)
		}
		if kind != "skipped" && m.Type == "" {
			t.Errorf("%s of %s has no type", kind, c.Name)
		}
		if !strings.Contains(m.Text, m.Message) {
			t.Errorf("%s of %s says %q, and its text, which alone is shown by some: %q", kind, c.Name, m.Message, m.Text)
		}
	}
}

// order checks the order of elements, and the attributes that each must have.
func order(t *testing.T, out []byte) {
	t.Helper()
	children := map[string][]string{"": {"testsuites"}, "testsuites": {"testsuite"}, "testsuite": {"properties", "testcase", "system-out"}, "properties": {"property"},
		"testcase": {"properties", "skipped", "error", "failure", "system-out"}}
	attributes := map[string][]string{"testsuites": {"name", "tests", "failures", "errors", "skipped", "time"}, "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
		"testcase": {"name", "classname", "time"}, "property": {"name", "value"}, "failure": {"message", "type"}, "error": {"message", "type"}, "skipped": {"message"}}
	path, last := []string{""}, []int{-1}
	d := xml.NewDecoder(bytes.NewReader(out))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			name, parent := e.Name.Local, path[len(path)-1]
			at := slices.Index(children[parent], name)
			if at < 0 || at < last[len(last)-1] {
				t.Errorf("%s stands in %q, or not in its place there", name, parent)
			}
			last[len(last)-1] = at
			path, last = append(path, name), append(last, -1)
			for _, a := range attributes[name] {
				if !slices.ContainsFunc(e.Attr, func(x xml.Attr) bool { return x.Name.Local == a }) {
					t.Errorf("%s lacks %s", name, a)
				}
			}
		case xml.EndElement:
			path, last = path[:len(path)-1], last[:len(last)-1]
		}
	}
}
