package versions

import (
	"fmt"
	"strings"
)

// Range is a list of comparisons that must all hold, such as >=1.3.1 <1.6.1.
type Range struct {
	text  string
	parts []comparison
}

type comparison struct {
	holds func(order int) bool // of the version to the bound
	bound Version
}

func (r Range) String() string { return r.text }

const expectedRange = "expected comparisons that must all hold, such as >=1.3.1 <1.6.1"

// ParseRange reads a range: comparisons (>= > <= < == !=) with spaces or commas between them. A version alone is that
// version. A bound names no build, since builds are not compared.
func ParseRange(text string) (Range, error) {
	if len(text) > maxRange {
		return Range{}, fmt.Errorf("%.20q… has %d bytes; expected a range of at most %d", text, len(text), maxRange)
	}
	r := Range{text: text}
	words := strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == ',' })
	for i := 0; i < len(words); i++ {
		bound := strings.TrimLeft(words[i], "<>=!")
		operator := words[i][:len(words[i])-len(bound)]
		if bound == "" && i+1 < len(words) { // >= 1.3.1
			i++
			bound = words[i]
		}
		c, err := comparisonOf(operator, bound)
		if err != nil {
			return Range{}, fmt.Errorf("%q: %w; %s", text, err, expectedRange)
		}
		r.parts = append(r.parts, c)
		if _, err := compare(r.parts[0].bound, c.bound); err != nil {
			return Range{}, fmt.Errorf("%q: %w; expected bounds of one form", text, err)
		}
	}
	if len(r.parts) == 0 {
		return Range{}, fmt.Errorf("%q names no version; %s", text, expectedRange)
	}
	return r, nil
}

func comparisonOf(operator, bound string) (comparison, error) {
	operators := map[string]func(order int) bool{
		"":   func(order int) bool { return order == 0 },
		"==": func(order int) bool { return order == 0 },
		"!=": func(order int) bool { return order != 0 },
		"<":  func(order int) bool { return order < 0 },
		"<=": func(order int) bool { return order <= 0 },
		">":  func(order int) bool { return order > 0 },
		">=": func(order int) bool { return order >= 0 },
	}
	holds, ok := operators[operator]
	if !ok {
		return comparison{}, fmt.Errorf("%q is none of >= > <= < == !=", operator)
	}
	if strings.Contains(bound, "+") {
		return comparison{}, fmt.Errorf("%q names a build, and builds are not compared", bound)
	}
	v, err := Parse(bound)
	return comparison{holds, v}, err
}

// Holds says whether the version lies in the range. Its error is for a version of another form than the bounds.
func (r Range) Holds(v Version) (bool, error) {
	in := true
	for _, c := range r.parts {
		order, err := compare(v, c.bound)
		if err != nil {
			return false, err
		}
		in = in && c.holds(order)
	}
	return in, nil
}
