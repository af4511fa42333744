package openapi

import (
	"slices"
	"strings"
)

const (
	// requestDepth is how deep a schema of a request is followed into its parts and references.
	requestDepth = 16
	// requestParts bounds the parts of it that are looked at: they may refer to each other.
	requestParts = 1000
)

// RequestFields are the fields that the document names for the JSON of a request, sorted. Described is false when it has
// no schema of a request at all. Fields of which it says anything else than that they are there, it names.
func (f *Foreign) RequestFields() (names []string, described bool) {
	root, ok := f.document.(map[string]any)
	if !ok || f.Route == "" {
		return nil, false
	}
	schema := at(root, "paths", f.Route, "post", "requestBody", "content", mediaType, "schema")
	if schema == nil {
		body := f.resolve(at(root, "paths", f.Route, "post", "requestBody"), requestDepth)
		schema = at(body, "content", mediaType, "schema")
	}
	if schema == nil {
		return nil, false
	}
	left := requestParts
	names = f.fields(schema, requestDepth, &left, nil)
	slices.Sort(names)
	return slices.Compact(names), true
}

// fields adds the properties of a schema, and of the schemas that it is put together from.
func (f *Foreign) fields(schema any, depth int, left *int, names []string) []string {
	if *left--; *left < 0 || depth < 0 {
		return names
	}
	s, ok := schema.(map[string]any)
	if !ok {
		return names
	}
	if properties, ok := s["properties"].(map[string]any); ok {
		for name := range properties {
			if len(names) < requestParts {
				names = append(names, name)
			}
		}
	}
	if s["$ref"] != nil {
		names = f.fields(f.resolve(s, depth), depth-1, left, names)
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		parts, _ := s[key].([]any)
		for _, part := range parts {
			names = f.fields(part, depth-1, left, names)
		}
	}
	return names
}

// resolve follows a reference within the document; nil when it leads nowhere, or out of it.
func (f *Foreign) resolve(value any, depth int) any {
	for ; depth > 0; depth-- {
		m, ok := value.(map[string]any)
		ref, is := m["$ref"].(string)
		if !ok || !is {
			return value
		}
		pointer, within := strings.CutPrefix(ref, "#/")
		if !within {
			return nil
		}
		value = f.document
		for part := range strings.SplitSeq(pointer, "/") {
			value = at(value, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
		}
	}
	return nil
}

// at is what stands under keys within keys; nil when there is nothing.
func at(value any, keys ...string) any {
	for _, key := range keys {
		m, _ := value.(map[string]any)
		value = m[key]
	}
	return value
}
