package expect

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Edits are changes of an expectations file. Entries are named by their place, from 0.
type Edits struct {
	Variants map[int]string // new variants of entries
	Remove   map[int]bool
	// Add are new entries, for the end of the list. What is empty of Why, Upstream and Review is left for a person to write.
	Add []Known
}

// Empty says that nothing is to be changed.
func (e Edits) Empty() bool { return len(e.Variants)+len(e.Remove)+len(e.Add) == 0 }

// Rewrite makes the edits in the text of a file and leaves every other byte as it is: the places come from the parsed
// file, the changes are made in its lines. A comment right above an entry, without a blank line between, goes with it.
func Rewrite(data []byte, e Edits) ([]byte, error) {
	if e.Empty() {
		return data, nil
	}
	if crlf := bytes.Count(data, []byte("\r\n")); crlf > 0 {
		if crlf != bytes.Count(data, []byte("\n")) {
			return nil, errors.New("its lines end in two ways, some with a carriage return; expected one")
		}
		out, err := Rewrite(lineFeeds(data), e)
		return bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n")), err
	}
	out, err := edit(data, e)
	if err != nil {
		return nil, err
	}
	if err := e.held(data, out); err != nil {
		return nil, err
	}
	return out, nil
}

// held reads what was edited, and refuses it unless it says what was meant: whatever YAML allows is not foreseen here.
func (e Edits) held(before, after []byte) error {
	was, err := read(before)
	if err != nil {
		return err
	}
	is, err := read(after)
	if err != nil {
		return fmt.Errorf("its layout is none that can be edited, which would give: %w", err)
	}
	var want []Known
	for i, k := range was.Known {
		if v, ok := e.Variants[i]; ok {
			k.Variant = v
		}
		if !e.Remove[i] {
			want = append(want, k)
		}
	}
	for _, k := range e.Add {
		k.Why, k.Upstream, k.Review = k.written()
		want = append(want, k)
	}
	for _, known := range [][]Known{want, is.Known} {
		for i := range known {
			known[i].Entry, known[i].Line = 0, 0
		}
	}
	same := len(want) == len(is.Known) && slices.Equal(was.Targets, is.Targets) && maps.Equal(was.Versions, is.Versions)
	for i := 0; same && i < len(want); i++ {
		same = same && reflect.DeepEqual(want[i], is.Known[i])
	}
	if !same {
		return errors.New("its layout is none that can be edited; expected one entry after a dash, and one field a line")
	}
	return nil
}

func edit(data []byte, e Edits) ([]byte, error) {
	t, err := newText(data)
	if err != nil {
		return nil, err
	}
	for _, i := range slices.Sorted(maps.Keys(e.Variants)) {
		if err := t.setVariant(i, e.Variants[i]); err != nil {
			return nil, err
		}
	}
	if len(e.Add) > 0 {
		if err := t.add(e.Add); err != nil {
			return nil, err
		}
	}
	t.remove(e.Remove)
	if len(t.entries) > 0 && len(e.Remove) == len(t.entries) && len(e.Add) == 0 {
		key := t.key.Key.GetToken().Position
		if err := t.splice(key.Line-1, key.Column, "known:", "known: []"); err != nil {
			return nil, err
		}
	}
	return []byte(strings.Join(t.lines, "")), nil
}
