package upgrade_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/upgrade"
	"github.com/embedcontract/embedcontract/suites"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(upgrade.SchemaJSON()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("upgrade.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("upgrade.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func document(t *testing.T, d *upgrade.Diff) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := report.UpgradeJSON(d, &b); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	return doc.(map[string]any)
}

// real is a comparison in which everything is there.
func real(t *testing.T) *upgrade.Diff {
	t.Helper()
	s, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	return compare(s, committed(t, "legacy"), committed(t, "dynamo-1.6.1"))
}

func TestSchemaAccepts(t *testing.T) {
	s := compiled(t)
	cut := newTape(t, "b").w.Recording()
	for name, d := range map[string]*upgrade.Diff{
		"a real one":   real(t),
		"nothing":      compare(suite(says("c/one")), newTape(t, "a").end(), newTape(t, "b").end()),
		"cut short":    compare(suite(says("c/one")), newTape(t, "a", func(h *recording.Header) { h.Target.Kind = "endpoint" }).answer("c/one", "good").end(), cut),
		"added":        compare(suite(says("c/one"), says("c/two")), newTape(t, "a").answer("c/one", "bad").end(), newTape(t, "b").answer("c/one", "good").answer("c/two", "good").end()),
		"only removed": compare(suite(says("c/one")), newTape(t, "a").answer("c/one", "bad").end(), newTape(t, "b").end()),
	} {
		if err := s.Validate(document(t, d)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaRejects(t *testing.T) {
	s, whole := compiled(t), real(t)
	first := func(m map[string]any, list string) map[string]any { return m[list].([]any)[0].(map[string]any) }
	for name, change := range map[string]func(map[string]any){
		"another format":          func(m map[string]any) { m["schema"] = "embedcontract/report/v1" },
		"an unknown field":        func(m map[string]any) { m["more"] = true },
		"an unknown field below":  func(m map[string]any) { first(m, "changes")["more"] = true },
		"no verdict":              func(m map[string]any) { delete(m, "verdict") },
		"an unknown mark":         func(m map[string]any) { first(m, "changes")["mark"] = "better" },
		"an unknown effect":       func(m map[string]any) { first(m, "changes")["effect"] = "none" },
		"an unknown outcome":      func(m map[string]any) { first(m, "changes")["from"].(map[string]any)["outcome"] = "good" },
		"an exit code for usage":  func(m map[string]any) { m["verdict"].(map[string]any)["exit"] = json.Number("2") },
		"an unknown fate":         func(m map[string]any) { m["verdict"].(map[string]any)["index"] = "melts" },
		"null in place of a list": func(m map[string]any) { m["added"] = nil },
		"a number that is none": func(m map[string]any) {
			first(m, "measures")["numbers"] = []any{map[string]any{"name": "n", "value": nil}}
		},
		"a day that is none":        func(m map[string]any) { m["judged"] = "yesterday" },
		"an id without a behaviour": func(m map[string]any) { first(m, "changes")["check"] = "alone" },
		"a gap without a command":   func(m map[string]any) { delete(first(m, "gaps"), "command") },
	} {
		doc := document(t, whole)
		change(doc)
		if err := s.Validate(doc); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestSchemaIsTheFormat holds each struct to its definition: its fields, and those that are always written.
func TestSchemaIsTheFormat(t *testing.T) {
	type definition struct {
		Properties map[string]any
		Required   []string
	}
	var root struct {
		definition
		Defs map[string]definition `json:"$defs"`
	}
	if err := json.Unmarshal(upgrade.SchemaJSON(), &root); err != nil {
		t.Fatal(err)
	}
	types := map[string]reflect.Type{}
	structs(reflect.TypeFor[upgrade.Diff](), types)
	if len(types) < 9 {
		t.Errorf("only %d structs were found", len(types))
	}
	for name, s := range types {
		key := strings.ToLower(name[:1]) + name[1:]
		d, ok := root.Defs[key]
		if name == "Diff" {
			d, ok = root.definition, true
		}
		if !ok {
			t.Errorf("%s is not in the schema", name)
			continue
		}
		delete(root.Defs, key)
		var all, required []string
		for _, f := range reflect.VisibleFields(s) {
			field, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
			all = append(all, field)
			if rest != "omitempty" {
				required = append(required, field)
			}
		}
		slices.Sort(all)
		slices.Sort(required)
		slices.Sort(d.Required)
		if props := slices.Sorted(maps.Keys(d.Properties)); !slices.Equal(all, props) {
			t.Errorf("%s has fields\n    Go %v\nschema %v", name, all, props)
		}
		if !slices.Equal(required, d.Required) {
			t.Errorf("%s always has\n    Go %v\nschema %v", name, required, d.Required)
		}
	}
	for key, d := range root.Defs {
		if len(d.Properties) > 0 {
			t.Errorf("%s of the schema is no struct", key)
		}
	}
}

func structs(s reflect.Type, into map[string]reflect.Type) {
	switch s.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		structs(s.Elem(), into)
	case reflect.Struct:
		if s.PkgPath() != reflect.TypeFor[upgrade.Diff]().PkgPath() || into[s.Name()] != nil {
			return
		}
		into[s.Name()] = s
		for i := range s.NumField() {
			structs(s.Field(i).Type, into)
		}
	}
}
