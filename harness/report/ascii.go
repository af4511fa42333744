package report

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// writeASCII writes a document of XML with a character reference in the place of every character that is not ASCII. Some
// viewers (xunit-viewer) guess the encoding from the bytes, whatever the first line declares, and fail where they guess one
// that they cannot read. A section of CDATA, in which a reference would be text, ends before one and begins again after it.
func writeASCII(w io.Writer, document []byte) error {
	const begin, end = "<![CDATA[", "]]>"
	var b bytes.Buffer
	b.Grow(len(document))
	within := false
	for len(document) > 0 {
		switch {
		case !within && bytes.HasPrefix(document, []byte(begin)):
			b.WriteString(begin)
			document, within = document[len(begin):], true
		case within && bytes.HasPrefix(document, []byte(end)):
			b.WriteString(end)
			document, within = document[len(end):], false
		case document[0] < utf8.RuneSelf:
			b.WriteByte(document[0])
			document = document[1:]
		default:
			var refs bytes.Buffer
			for len(document) > 0 && document[0] >= utf8.RuneSelf {
				r, n := utf8.DecodeRune(document)
				fmt.Fprintf(&refs, "&#%d;", r)
				document = document[n:]
			}
			if within {
				b.WriteString(end + refs.String() + begin)
			} else {
				b.Write(refs.Bytes())
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}
