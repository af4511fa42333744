package report

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/embedcontract/embedcontract/harness/upgrade"
)

// UpgradeJSON writes a comparison in its published format, of which upgrade.SchemaJSON is the schema. Lists that a reader
// may rely on are never null.
func UpgradeJSON(d *upgrade.Diff, w io.Writer) error {
	c := *d
	object(&c.Tool)
	list(&c.Changes)
	list(&c.Ways)
	list(&c.Facts)
	list(&c.Measures)
	list(&c.Added)
	list(&c.Removed)
	list(&c.Unchanged)
	list(&c.Neither)
	c.Gaps = append([]upgrade.Gap{}, c.Gaps...)
	for i := range c.Gaps {
		list(&c.Gaps[i].Checks)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(c); err != nil {
		return err
	}
	_, err := w.Write(escaped(b.Bytes()))
	return err
}
