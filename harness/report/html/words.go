package html

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/report"
)

// kind is an outcome or an effect as it is shown: a word and a sign stand wherever its colour does.
type kind struct {
	Class string // of the element, also that by which the filters find it
	Sign  string
	Word  string
	Means string
}

// outcomeKinds are the outcomes, those that need attention first.
func outcomeKinds() []kind {
	return []kind{
		{"o-fail", "✗", "fail", "a promise is broken"},
		{"o-error", "!", "error", "no verdict: something kept it from being asked"},
		{"o-flaky", "±", "flaky", "repeats were answered otherwise"},
		{"o-differs", "~", "differs", "another way that is allowed, or harms nobody"},
		{"o-unsupported", "○", "unsupported", "an option that the server does not have"},
		{"o-pass", "✓", "pass", "as promised"},
		{"o-na", "–", "n/a", "the server cannot be asked"},
		{"o-skipped", "–", "skipped", "deselected"},
		{missingOutcome, "?", "missing", "the report holds no answer"},
	}
}

// effectKinds are the effects of a swap, the harmful first.
func effectKinds() []kind {
	return []kind{
		{"e-index-break", "✗", "index break", "stored vectors stop being comparable with new ones"},
		{"e-client-change", "✗", "client change", "clients must change something first"},
		{"e-unknown", "?", "unknown", "the evidence does not decide it"},
		{"e-compatible", "≈", "compatible", "answers differ, and no client notices"},
		{"e-same", "=", "same", "answered alike"},
		{"e-not-compared", "–", "not compared", "neither can be asked, or it is about one server alone"},
		{missingEffect, "?", "missing", "the report holds no answer on the swap"},
	}
}

// The classes of what a report does not hold, of a server and of a swap: each is counted in its own column.
const (
	missingOutcome = "o-missing"
	missingEffect  = "e-missing"
)

func outcomeKind(outcome string) kind {
	class := "o-" + outcome
	switch contract.Outcome(outcome) {
	case contract.NotApplicable:
		class = "o-na"
	case "":
		class = missingOutcome
	}
	return find(outcomeKinds(), class, missingOutcome, outcome)
}

func effectKind(effect string) kind { return find(effectKinds(), "e-"+effect, missingEffect, effect) }

// find is the kind of that class; what a later program may have written is shown by its own word, and counted as other.
func find(all []kind, class, other, word string) kind {
	for _, k := range all {
		if k.Class == class {
			return k
		}
	}
	return kind{Class: other, Sign: "?", Word: word}
}

// day is a date; empty for none.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}

// web is an address that may be linked to: whatever else stands there, such as javascript:, is shown as text.
func web(s string) string {
	if (strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")) && !strings.ContainsAny(s, " \n\t\"<>") {
		return s
	}
	return ""
}

// cleaned is a copy in which no text turns the direction of its line around or holds characters that cannot be seen.
func cleaned[T any](r *T) (*T, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	var out T
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	scrub(reflect.ValueOf(&out).Elem())
	return &out, nil
}

// scrub cleans all strings below a value.
func scrub(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(report.Clean(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			scrub(v.Elem())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			scrub(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			scrub(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			k, e := reflect.New(key.Type()).Elem(), reflect.New(v.Type().Elem()).Elem()
			k.Set(key)
			e.Set(v.MapIndex(key))
			scrub(k)
			scrub(e)
			v.SetMapIndex(key, reflect.Value{})
			v.SetMapIndex(k, e)
		}
	}
}
