package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxBody bounds the work of one validation, which allocates about 30 times the size of a body. It leaves
// room for 2048 vectors of 1024 numbers, the largest batch that the contract allows of a common model.
const maxBody = 64 << 20

// decode reads a body as strict JSON (RFC 8259). What Go releases treat differently is decided here: invalid
// UTF-8 and doubled keys are violations, an escaped lone surrogate is accepted and reads as U+FFFD.
func decode(body []byte) (any, *Violation) {
	var value any
	var v Violation
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		v = violation("json", "the body is empty, expected a JSON object")
	case len(body) > maxBody:
		v = violation("size", "the body has %d bytes, only up to %d are validated", len(body), maxBody)
	case !utf8.Valid(body):
		v = violation("utf-8", "the body is not UTF-8, which JSON must be")
	case json.Unmarshal(body, &value) == nil:
		return value, nil
	case json.Valid(body):
		v = violation("number", "the body has a number that no float64 can hold")
	default:
		head := string(body[:min(len(body), 2*quoteMax)])
		v = violation("json", "the body is not JSON%s: it begins %s", notANumber(body), quote(head))
	}
	return nil, &v
}

// notANumber names the usual reason why a vector is not JSON: Python prints NaN and Infinity as they are.
func notANumber(body []byte) string {
	found := ""
	outside(body, func(at int) {
		for _, word := range []string{"NaN", "Infinity"} {
			if found == "" && bytes.HasPrefix(body[at:], []byte(word)) {
				found = fmt.Sprintf(" (%s at byte %d)", word, at)
			}
		}
	}, func(int, int) {})
	return found
}

// outside walks a text of JSON once and reports the places of all bytes outside strings, and every string
// with the place of its opening quote and the place behind its closing quote.
func outside(body []byte, other func(at int), text func(from, to int)) {
	for i := 0; i < len(body); i++ {
		if body[i] != '"' {
			other(i)
			continue
		}
		from := i
		for i++; i < len(body) && body[i] != '"'; i++ {
			if body[i] == '\\' {
				i++
			}
		}
		text(from, min(i+1, len(body)))
	}
}

// doubledKeys finds keys that an object has twice. Readers disagree on which value counts, so two clients may
// read two different answers. The body must be valid JSON.
func doubledKeys(body []byte) []Violation {
	type frame struct {
		keys map[string]bool // nil in an array
		key  string
	}
	var stack []frame
	var found []Violation
	last := "" // the string just read, which is a key when a colon follows
	outside(body, func(at int) {
		switch body[at] {
		case '{':
			stack = append(stack, frame{keys: map[string]bool{}})
		case '[':
			stack = append(stack, frame{key: "*"})
		case '}', ']':
			stack = stack[:len(stack)-1]
		case ':':
			top := &stack[len(stack)-1]
			top.key = last
			if top.keys[last] {
				v := violation("duplicate-key", "key %s stands twice in one object", quote(last))
				for i, f := range stack[:len(stack)-1] {
					if i == maxPath {
						v.Path += "/…"
						break
					}
					v.Path += "/" + segment(f.key)
				}
				found = append(found, v)
			}
			top.keys[last] = true
		}
	}, func(from, to int) {
		// Only strings that can be keys are decoded: a base64 vector in a list or as a value is not.
		rest := bytes.TrimLeft(body[to:], " \t\r\n")
		if len(rest) > 0 && rest[0] == ':' {
			_ = json.Unmarshal(body[from:to], &last)
		}
	})
	return found
}

// isJSON says whether clients read a body of that content type as JSON. Structured suffixes
// (application/problem+json) are JSON to the clients, but not what the document declares.
func isJSON(p Profile, contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == mediaType || p == ClientMinimum && strings.HasSuffix(media, "+json"))
}

// maxPath is the depth to which a path of keys that no schema names is shown.
const maxPath = 8

// segment shows a key of a server in a path: as it is if it looks like a field, else quoted.
func segment(key string) string {
	if q := quote(key); q != strconv.Quote(key) || q != `"`+key+`"` {
		return q
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// messageMax bounds a message, in bytes: the names and numbers in it can come from a server's own document.
const messageMax = 240

// printable makes a message short, and of characters that a terminal shows.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
	if len(s) <= messageMax {
		return s
	}
	return strings.ToValidUTF8(s[:messageMax], "") + "…"
}

// quoteMax is enough to recognise a value, and little enough for a line of a report.
const quoteMax = 40

// quote shows text of a server in a message: short, on one line, without control characters.
func quote(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= quoteMax {
		return strconv.Quote(s)
	}
	cut := quoteMax
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.Quote(s[:cut]) + "…"
}
