package report

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(SchemaJSON()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("report.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func document(t *testing.T, r *Report) map[string]any {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(written(t, r)))
	if err != nil {
		t.Fatal(err)
	}
	return doc.(map[string]any)
}

func TestSchemaAccepts(t *testing.T) {
	s := compiled(t)
	for name, r := range map[string]*Report{"sample": sample(), "hostile": hostileEverywhere(), "large": large(ok("honoured")), "empty": {Schema: Schema}} {
		if err := s.Validate(document(t, r)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaRejects(t *testing.T) {
	s := compiled(t)
	at := func(m map[string]any, path ...any) map[string]any {
		var v any = m
		for _, p := range path {
			switch p := p.(type) {
			case string:
				v = v.(map[string]any)[p]
			case int:
				v = v.([]any)[p]
			}
		}
		return v.(map[string]any)
	}
	for name, change := range map[string]func(map[string]any){
		"another version":           func(m map[string]any) { m["schema"] = "embedcontract/report/v2" },
		"an unknown field":          func(m map[string]any) { m["surprise"] = true },
		"no verdict":                func(m map[string]any) { delete(m, "verdict") },
		"unknown weights":           func(m map[string]any) { at(m, "targets", 0)["weights"] = "heavy" },
		"an unknown outcome":        func(m map[string]any) { at(m, "cells", 0)["outcome"] = "green" },
		"a target cell without one": func(m map[string]any) { at(m, "cells", 0)["outcome"] = "" },
		"an unknown field of a cell": func(m map[string]any) {
			at(m, "cells", 0)["surprise"] = true
		},
		"an unknown field of a pair": func(m map[string]any) { at(m, "pairs", 0, "cells", 0)["evidence"] = []any{} },
		"an unknown effect":          func(m map[string]any) { at(m, "pairs", 0, "cells", 0)["effect"] = "bad" },
		"an effect that is counted":  func(m map[string]any) { at(m, "pairs", 0, "effects")["bad"] = json.Number("1") },
		"an unknown status":          func(m map[string]any) { at(m, "cells", 0, "expected")["status"] = "fine" },
		"an exit code for usage":     func(m map[string]any) { at(m, "verdict")["exit"] = json.Number("2") },
		"null in place of a list":    func(m map[string]any) { m["cells"] = nil },
		"a day that is none":         func(m map[string]any) { m["judged"] = "yesterday" },
		"an unknown kind":            func(m map[string]any) { at(m, "targets", 0)["kind"] = "imagined" },
		"an id without a behaviour":  func(m map[string]any) { at(m, "behaviours", 0, "checks", 0)["id"] = "alone" },
	} {
		doc := document(t, sample())
		change(doc)
		if err := s.Validate(doc); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// definition is an object of the schema: its properties, and those that must be there.
func definition(defs map[string]any, d map[string]any) (all, required []string) {
	if refs, ok := d["allOf"].([]any); ok {
		for _, r := range refs {
			name := strings.TrimPrefix(r.(map[string]any)["$ref"].(string), "#/$defs/")
			a, q := definition(defs, defs[name].(map[string]any))
			all, required = append(all, a...), append(required, q...)
		}
	}
	props, _ := d["properties"].(map[string]any)
	all = append(all, slices.Collect(maps.Keys(props))...)
	for _, q := range d["required"].([]any) {
		required = append(required, q.(string))
	}
	slices.Sort(all)
	slices.Sort(required)
	return slices.Compact(all), slices.Compact(required)
}

// fields are the names that encoding/json gives the fields of a struct, and those that are always written.
func fields(s reflect.Type) (all, required []string) {
	for _, f := range reflect.VisibleFields(s) {
		if f.Anonymous {
			continue
		}
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		all = append(all, name)
		if rest != "omitempty" {
			required = append(required, name)
		}
	}
	slices.Sort(all)
	slices.Sort(required)
	return all, required
}

// structs are all structs of the format that a type holds.
func structs(s reflect.Type, into map[string]reflect.Type) {
	switch s.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		structs(s.Elem(), into)
	case reflect.Struct:
		ours := []string{reflect.TypeFor[Report]().PkgPath(), reflect.TypeFor[verdict.Decision]().PkgPath()}
		if !slices.Contains(ours, s.PkgPath()) || into[s.Name()] != nil {
			return
		}
		into[s.Name()] = s
		for i := range s.NumField() {
			structs(s.Field(i).Type, into)
		}
	}
}

func TestSchemaIsTheFormat(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(SchemaJSON(), &root); err != nil {
		t.Fatal(err)
	}
	defs := root["$defs"].(map[string]any)
	types := map[string]reflect.Type{}
	structs(reflect.TypeFor[Report](), types)
	structs(reflect.TypeFor[Swap](), types)
	if len(types) < 14 {
		t.Errorf("only %d structs were found", len(types))
	}
	described := map[string]bool{}
	for name, s := range types {
		key := strings.ToLower(name[:1]) + name[1:]
		d, ok := defs[key].(map[string]any)
		if name == "Report" {
			d, ok = root, true
		}
		if !ok {
			t.Errorf("%s is not in the schema", name)
			continue
		}
		described[key] = true
		goAll, goRequired := fields(s)
		all, required := definition(defs, d)
		if !slices.Equal(goAll, all) {
			t.Errorf("%s has fields\n    Go %v\nschema %v", name, goAll, all)
		}
		if !slices.Equal(goRequired, required) {
			t.Errorf("%s always has\n    Go %v\nschema %v", name, goRequired, required)
		}
	}
	for key, d := range defs {
		if _, object := d.(map[string]any)["required"]; object && !described[key] {
			t.Errorf("%s of the schema is no struct", key)
		}
	}
}

// The closed lists of the schema are those of the code.
func TestSchemaLists(t *testing.T) {
	var root struct {
		Defs map[string]struct {
			Enum       []string
			Properties map[string]struct{ Enum []any }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(SchemaJSON(), &root); err != nil {
		t.Fatal(err)
	}
	same := func(name string, schema, code []string) {
		t.Helper()
		slices.Sort(schema)
		slices.Sort(code)
		if !slices.Equal(schema, code) {
			t.Errorf("%s\nschema %v\n  code %v", name, schema, code)
		}
	}
	enum := func(def, property string) []string {
		var out []string
		for _, v := range root.Defs[def].Properties[property].Enum {
			if v != "" {
				out = append(out, v.(string))
			}
		}
		return out
	}
	same("outcomes", root.Defs["outcome"].Enum, outcomes())
	same("outcomes of a judgement", enum("judgement", "outcome"), outcomes())
	same("effects", root.Defs["effect"].Enum, effects())
	same("statuses", enum("expected", "status"), []string{string(expect.AsPromised), string(expect.AsListed), string(expect.Unexpected),
		string(expect.Changed), string(expect.Stale), string(expect.Expired), string(expect.NoVerdict), string(expect.NotAsked), string(expect.Reported), string(expect.Provisional),
		string(expect.NoWorse), string(expect.New)})
	same("levels", enum("check", "level"), []string{string(contract.Must), string(contract.Should), string(contract.May)})
}
