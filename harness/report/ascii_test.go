package report

import (
	"bytes"
	"encoding/xml"
	"slices"
	"testing"
	"unicode/utf8"
)

func TestXMLIsASCII(t *testing.T) {
	for _, said := range []string{"", "plain", "한국어 – “quoted” ✓…", "…", "a…]]>…b", "]]>", "<![CDATA[…", "😀\n\t…\n", "&#8230; & …"} {
		in := junitMessage{Message: said, Text: said}
		whole, err := xml.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := writeASCII(&b, whole); err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(b.Bytes(), func(c byte) bool { return c >= utf8.RuneSelf }) {
			t.Errorf("%q: not ASCII: %s", said, b.Bytes())
		}
		var out junitMessage
		if err := xml.Unmarshal(b.Bytes(), &out); err != nil {
			t.Fatalf("%q: %v\n%s", said, err, b.Bytes())
		}
		if out != in {
			t.Errorf("%q reads as %q, %q", said, out.Message, out.Text)
		}
	}
}
