package recording

import "encoding/json"

// maxDepth is how deep lists and objects may be nested. encoding/json reads no deeper, so what is nested deeper could
// not be read again.
const maxDepth = 10_000

// cursor reads JSON in place, from the start of a body to its end. Each method that reads returns false where the body
// is no JSON; what encoding/json takes for valid is valid here. It is for bodies of millions of numbers, through which a
// general decoder goes once for each level of nesting.
type cursor struct {
	body  []byte
	at    int
	depth int
}

// peek is the next byte; 0 at the end.
func (c *cursor) peek() byte {
	if c.at < len(c.body) {
		return c.body[c.at]
	}
	return 0
}

// take steps over a byte when it is the next.
func (c *cursor) take(b byte) bool {
	if c.peek() != b || c.at == len(c.body) {
		return false
	}
	c.at++
	return true
}

func (c *cursor) space() {
	for c.at < len(c.body) {
		switch c.body[c.at] {
		case ' ', '\t', '\r', '\n':
			c.at++
		default:
			return
		}
	}
}

// value steps over a value of any kind, which begins at once.
func (c *cursor) value() bool {
	switch b := c.peek(); {
	case b == '{':
		return c.object(func(string) bool { return c.value() })
	case b == '[':
		return c.list(c.value)
	case b == '"':
		return c.quoted()
	case isNumber(b):
		return c.numeral()
	case b == 't':
		return c.word("true")
	case b == 'f':
		return c.word("false")
	case b == 'n':
		return c.word("null")
	}
	return false
}

// object steps over an object; value is called where the value of each key begins, and steps over that.
func (c *cursor) object(value func(key string) bool) bool {
	return c.nested('{', '}', func() bool {
		start := c.at
		if !c.quoted() {
			return false
		}
		key, ok := unquoted(c.body[start:c.at])
		if c.space(); !ok || !c.take(':') {
			return false
		}
		c.space()
		return value(key)
	})
}

// list steps over a list; element is called where each element begins, and steps over that.
func (c *cursor) list(element func() bool) bool { return c.nested('[', ']', element) }

func (c *cursor) nested(first, last byte, part func() bool) bool {
	if c.depth++; !c.take(first) || c.depth > maxDepth {
		return false
	}
	defer func() { c.depth-- }()
	if c.space(); c.take(last) {
		return true
	}
	for {
		if c.space(); !part() {
			return false
		}
		if c.space(); c.take(last) {
			return true
		}
		if !c.take(',') {
			return false
		}
	}
}

// quoted steps over a string.
func (c *cursor) quoted() bool {
	if !c.take('"') {
		return false
	}
	for c.at < len(c.body) {
		b := c.body[c.at]
		c.at++
		switch {
		case b == '"':
			return true
		case b < ' ':
			return false
		case b == '\\':
			if !c.escape() {
				return false
			}
		}
	}
	return false
}

// escape steps over what follows a backslash.
func (c *cursor) escape() bool {
	b := c.peek()
	c.at++
	switch b {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			h := c.peek()
			if (h < '0' || h > '9') && (h < 'a' || h > 'f') && (h < 'A' || h > 'F') {
				return false
			}
			c.at++
		}
		return true
	}
	return false
}

// unquoted is the text of a string of valid JSON.
func unquoted(raw []byte) (string, bool) {
	for _, b := range raw {
		if b == '\\' {
			var text string
			err := json.Unmarshal(raw, &text)
			return text, err == nil
		}
	}
	return string(raw[1 : len(raw)-1]), true
}

func isNumber(first byte) bool { return first == '-' || '0' <= first && first <= '9' }

// numeral steps over a number.
func (c *cursor) numeral() bool {
	c.take('-')
	if !c.take('0') && !c.digits() {
		return false
	}
	if c.take('.') && !c.digits() {
		return false
	}
	if c.take('e') || c.take('E') {
		if !c.take('+') {
			c.take('-')
		}
		return c.digits()
	}
	return true
}

// digits steps over one digit or more.
func (c *cursor) digits() bool {
	start := c.at
	for b := c.peek(); '0' <= b && b <= '9'; b = c.peek() {
		c.at++
	}
	return c.at > start
}

func (c *cursor) word(w string) bool {
	if end := c.at + len(w); end <= len(c.body) && string(c.body[c.at:end]) == w {
		c.at = end
		return true
	}
	return false
}
