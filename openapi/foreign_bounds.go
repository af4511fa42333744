package openapi

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A document is what its server likes it to be, and a small one can keep a schema engine busy for years. These are far
// above what frameworks write.
const (
	// foreignDepth is how deep lists and objects may lie in each other.
	foreignDepth = 200
	// foreignNumber is how long a number may be, and foreignExponent how many digits its exponent may have: the engine
	// computes with all digits of what is written, and of 1e999999 that is a million.
	foreignNumber   = 60
	foreignExponent = 3
	// foreignPatterns bounds the regular expressions of a schema, and foreignRepeats those with a counted repetition, of
	// which each may take as much memory as a thousand others.
	foreignPatterns = 500
	foreignRepeats  = 50
	foreignPattern  = 300 // bytes of one
	// foreignSteps bounds the schemas that are applied to the parts of one answer. Schemas may refer to each other so
	// that each doubles the work of the next.
	foreignSteps = 1_000_000
)

var errForeignWork = errors.New("it takes more work than any honest schema does")

// bounded refuses a document that is costly to read. The body must be valid JSON.
func bounded(body []byte) error {
	depth, deepest := 0, 0
	var number []byte
	var fault error
	end := func() {
		if fault == nil && len(number) > 0 {
			_, exponent, _ := strings.Cut(strings.ToLower(string(number)), "e")
			if len(number) > foreignNumber || len(strings.TrimLeft(exponent, "+-0")) > foreignExponent {
				fault = fmt.Errorf("the document has the number %s, of which no reader knows the value", quote(string(number)))
			}
		}
		number = number[:0]
	}
	outside(body, func(at int) {
		switch b := body[at]; {
		case '0' <= b && b <= '9' || strings.IndexByte("+-.eE", b) >= 0: // the letter of true and false, too, alone
			number = append(number, b)
			return
		case b == '{' || b == '[':
			depth++
			deepest = max(deepest, depth)
		case b == '}' || b == ']':
			depth--
		}
		end()
	}, func(int, int) { end() })
	if deepest > foreignDepth {
		return fmt.Errorf("the document is nested %d deep; at most %d are read", deepest, foreignDepth)
	}
	return fault
}

// patterns compiles the regular expressions of one document, up to a bound.
func patterns() jsonschema.RegexpEngine {
	all, repeats := 0, 0
	return func(text string) (jsonschema.Regexp, error) {
		all++
		if strings.Contains(text, "{") {
			repeats++
		}
		if all > foreignPatterns || repeats > foreignRepeats || len(text) > foreignPattern {
			return nil, fmt.Errorf("the pattern %s is too long, or one of too many", quote(text))
		}
		return regexp.Compile(text)
	}
}

// meter counts the schemas that are applied, as a keyword that every schema has.
type meter struct{ steps int }

// Validate ends a validation that has become too much work. Nothing else can: the engine knows no context.
func (m *meter) Validate(*jsonschema.ValidatorContext, any) {
	if m.steps++; m.steps > foreignSteps {
		panic(errForeignWork)
	}
}

func (m *meter) vocabulary() *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL:     "urn:embedcontract:meter",
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) { return m, nil },
	}
}

// within runs a validation that the meter may end.
func (m *meter) within(validate func() []Violation) (found []Violation, err error) {
	m.steps = 0
	defer func() {
		if p := recover(); p != nil {
			if p != any(errForeignWork) {
				panic(p)
			}
			found, err = nil, fmt.Errorf("the schema of a 200 cannot be used: %w", errForeignWork)
		}
	}()
	return validate(), nil
}
