package suites

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

//go:embed revisions/*.txt
var revisions embed.FS

// isRevision recognises the name of a frozen revision: the month of its publication.
func isRevision(name string) bool {
	_, err := time.Parse("2006-01", name)
	return err == nil
}

// Revisions names the frozen revisions of the contract, the newest last.
func Revisions() ([]string, error) {
	entries, err := fs.ReadDir(revisions, "revisions") // sorted, and so are names that begin with year and month
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".txt")
		if !isRevision(name) {
			return nil, fmt.Errorf("suites/revisions/%s: the name of a revision is its year and month, 2026-11.txt", e.Name())
		}
		out = append(out, name)
	}
	return out, nil
}

// UnknownRevisionError names a revision that there is not, and those that there are.
type UnknownRevisionError struct {
	Name  string
	Known []string
}

func (e UnknownRevisionError) Error() string {
	return fmt.Sprintf("no contract revision %q; there are %s, and %s, by which every check counts",
		e.Name, strings.Join(e.Known, ", "), contract.Draft)
}

// All returns the whole contract by its newest frozen revision: checks that it does not list yet are provisional.
func All() (contract.Suite, error) { return At("") }

// At returns the whole contract by a revision: the newest frozen one when the name is empty, or contract.Draft for
// the checks and levels as they stand in this package.
func At(revision string) (contract.Suite, error) {
	s, err := draft()
	if err != nil || revision == contract.Draft {
		return s, err
	}
	known, err := Revisions()
	if err != nil {
		return contract.Suite{}, err
	}
	name := revision
	if name == "" {
		name = known[len(known)-1]
	}
	text, err := fs.ReadFile(revisions, "revisions/"+name+".txt")
	if err != nil || !isRevision(name) {
		return contract.Suite{}, UnknownRevisionError{name, known}
	}
	r, err := contract.ParseRevision(name, string(text))
	if err != nil {
		return contract.Suite{}, err
	}
	return s.At(r)
}
