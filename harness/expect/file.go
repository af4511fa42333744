package expect

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect/versions"
	"github.com/embedcontract/embedcontract/harness/strictyaml"
)

// File is an expectations file. What it expects of a target depends on the versions of that: see For.
type File struct {
	// Targets are the names of the targets that are expected to answer so: a server, and its emulation.
	Targets []string `yaml:"targets"`
	// Versions are the versions of components of which the whole file speaks; nil: of all.
	Versions map[string]string `yaml:"versions,omitempty"`
	Known    []Known           `yaml:"known"`

	name string   // for messages
	root ast.Node // for the places in them
}

// Unwritten begins a text that somebody has yet to write. A file with such a text is not read: what a command wrote into
// a list is in force once a person has said why.
const Unwritten = "TODO"

// Load reads an expectations file and refuses what the suite does not know: a check, a variant, a day, a field.
func Load(path string, s contract.Suite) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("expectations: %w", err)
	}
	return Parse(path, data, s)
}

// Parse reads the bytes of an expectations file; name is for messages.
func Parse(name string, data []byte, s contract.Suite) (*File, error) {
	f, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.name = name
	if len(f.Targets) == 0 {
		return nil, fmt.Errorf("%s: targets is missing: name the targets that are expected to answer so", name)
	}
	if err := ranges(f.Versions); err != nil {
		return nil, f.fail(f.root, "versions", err)
	}
	listed := map[string][]Known{} // by check and reference
	for _, k := range f.Known {
		if field, err := k.validate(s); err != nil {
			return nil, f.failEntry(k, field, err)
		}
		for _, r := range k.places() {
			for _, before := range listed[k.Check+" "+r] {
				if len(before.Versions) == 0 || len(k.Versions) == 0 || maps.Equal(before.Versions, k.Versions) {
					return nil, f.failEntry(k, "check", fmt.Errorf("listed twice, in line %d too; expected one entry, or versions that tell them apart", before.Line))
				}
			}
			listed[k.Check+" "+r] = append(listed[k.Check+" "+r], k)
		}
	}
	return f, nil
}

// fail says where in the file something is wrong: file, line, column.
func (f *File) fail(n ast.Node, field string, err error) error {
	at := start(n)
	if v := child(n, field); v != nil {
		at = start(v)
	}
	return fmt.Errorf("%s: %w", f.name, &strictyaml.Error{Token: at, Message: err.Error()})
}

func (f *File) failEntry(k Known, field string, err error) error {
	return f.fail(f.entry(k.Entry), field, fmt.Errorf("known[%d] (%s): %w", k.Entry, k.Check, err))
}

// places are the references of which an entry speaks; one empty one for that of a target check.
func (k Known) places() []string {
	if len(k.References) == 0 {
		return []string{""}
	}
	return k.References
}

// validate returns the field that is wrong.
func (k Known) validate(s contract.Suite) (field string, err error) {
	c, ok := s.Check(k.Check)
	switch {
	case !ok:
		return "check", fmt.Errorf("no check has the id %q; see embedcontract list", k.Check)
	case c.Pair() != (len(k.References) > 0):
		return "references", fmt.Errorf("references is for pair checks, and needed there; %s is a %s check", c.ID, map[bool]string{true: "pair", false: "target"}[c.Pair()])
	case k.Variant == contract.Other || c.Variant(k.Variant).Name != k.Variant:
		var names []string
		for _, v := range c.Variants {
			names = append(names, v.Name)
		}
		return "variant", fmt.Errorf("variant %q is none of %v", k.Variant, names)
	}
	for _, r := range k.References {
		if r == "" {
			return "references", fmt.Errorf("references has an empty name; expected those of targets")
		}
	}
	for i, r := range k.References {
		if slices.Contains(k.References[:i], r) {
			return "references", fmt.Errorf("reference %q is listed twice", r)
		}
	}
	for _, text := range []struct{ field, value, want string }{
		{"why", k.Why, "say why the target answers so"},
		{"upstream", k.Upstream, "link the issue, change or text that explains it"},
		{"review", k.Review, "name the day to look again, of the form " + day},
	} {
		if strings.HasPrefix(strings.ToUpper(strings.TrimSpace(text.value)), Unwritten) {
			return text.field, fmt.Errorf("%s is still to be written (%q): %s", text.field, text.value, text.want)
		}
	}
	if k.Why == "" || k.Upstream == "" {
		field = "upstream"
		if k.Why == "" {
			field = "why"
		}
		return field, fmt.Errorf("%s is empty; why and upstream must say what is known and where", field)
	}
	if _, err := time.Parse(day, k.Review); err != nil {
		return "review", fmt.Errorf("review %q is no day of the form %s", k.Review, day)
	}
	return "versions", ranges(k.Versions)
}

// ranges refuses what is no range of versions.
func ranges(of map[string]string) error {
	for _, component := range slices.Sorted(maps.Keys(of)) {
		if component == "" {
			return fmt.Errorf("versions has a component without a name; expected one that target files declare")
		}
		if _, err := versions.ParseRange(of[component]); err != nil {
			return fmt.Errorf("versions: %s: %w", component, err)
		}
	}
	return nil
}

// For is what the file expects of a target by the versions that it declares. An entry with versions that are not those
// of the target is not in force: what it excuses elsewhere is unexpected here. Where the file as a whole is for other
// versions nothing is excused, unlike by a list that is nil. A range for a component whose version the target does not
// declare, or declares in a form that cannot be compared, is an error: nobody can tell whether the entry is in force.
func (f *File) For(target string, declared map[string]string) (*List, error) {
	l := &List{}
	in, err := inForce(f.Versions, target, declared)
	if err != nil {
		return nil, f.fail(f.root, "versions", err)
	}
	if !in {
		l.Elsewhere, l.Outside = slices.Clone(f.Known), true
		return l, nil
	}
	first := map[string]Known{}
	for _, k := range f.Known {
		in, err := inForce(k.Versions, target, declared)
		if err != nil {
			return nil, f.failEntry(k, "versions", err)
		}
		if !in {
			l.Elsewhere = append(l.Elsewhere, k)
			continue
		}
		for _, r := range k.places() {
			if before, ok := first[k.Check+" "+r]; ok {
				return nil, f.failEntry(k, "versions", fmt.Errorf("in force for %s, and so is line %d; expected versions that tell them apart", target, before.Line))
			}
			first[k.Check+" "+r] = k
		}
		l.Known = append(l.Known, k)
	}
	return l, nil
}

func inForce(of map[string]string, target string, declared map[string]string) (bool, error) {
	in := true
	for _, component := range slices.Sorted(maps.Keys(of)) {
		r, err := versions.ParseRange(of[component])
		if err != nil {
			return false, fmt.Errorf("versions: %s: %w", component, err)
		}
		text, ok := declared[component]
		if !ok {
			return false, fmt.Errorf("versions: %s: %q: target %s declares %s; expected a version of %s in its target file, or no range of it here",
				component, of[component], target, declaration(declared), component)
		}
		v, err := versions.Parse(text)
		if err != nil {
			return false, fmt.Errorf("versions: %s: target %s declares a version that cannot be compared: %w", component, target, err)
		}
		holds, err := r.Holds(v)
		if err != nil {
			return false, fmt.Errorf("versions: %s: %q: target %s declares %s: %w", component, of[component], target, text, err)
		}
		in = in && holds
	}
	return in, nil
}

// declaration lists the versions that a target declares.
func declaration(declared map[string]string) string {
	var out []string
	for _, component := range slices.Sorted(maps.Keys(declared)) {
		out = append(out, component+" "+declared[component])
	}
	if len(out) == 0 {
		return "no versions"
	}
	return "the versions " + strings.Join(out, ", ") + " only"
}
