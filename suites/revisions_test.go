package suites_test

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/suites"
)

var freeze = flag.Bool("freeze", false, "write the file of the newest contract revision, and its digest, anew from the checks; only while nobody has it yet")

// digests holds a line for each revision, in the form of sha256sum.
const digests = "SHA256SUMS"

// TestRevisionsStayAsTheyWereFrozen compares each revision with its digest. With -freeze the newest is written anew;
// a new one begins as an empty file of its name. Older ones are what somebody relies on.
func TestRevisionsStayAsTheyWereFrozen(t *testing.T) {
	folder := "revisions"
	if *freeze {
		if err := freezeNewest(folder); err != nil {
			t.Fatal(err)
		}
	}
	for _, problem := range changedRevisions(t, folder) {
		t.Error(problem)
	}
}

func TestAChangedRevisionIsFound(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"2026-11.txt": "a/b must\n", "2027-02.txt": ""} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := fmt.Sprintf("%x  2026-11.txt\n", sha256.Sum256([]byte("a/b must\n")))
	if err := os.WriteFile(filepath.Join(folder, digests), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := changedRevisions(t, folder); len(got) != 1 || !strings.Contains(got[0], "2027-02.txt has no digest") {
		t.Errorf("a revision without a digest: %v", got)
	}
	if err := freezeNewest(folder); err != nil {
		t.Fatal(err)
	}
	if got := changedRevisions(t, folder); len(got) != 0 {
		t.Errorf("after a freeze of the newest: %v", got)
	}
	if err := os.WriteFile(filepath.Join(folder, "2026-11.txt"), []byte("a/b should\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := changedRevisions(t, folder); len(got) != 1 || !strings.Contains(got[0], "2026-11.txt is not what was frozen") {
		t.Errorf("a level changed in an older revision: %v", got)
	}
	if err := freezeNewest(folder); err == nil || !strings.Contains(err.Error(), "2026-11.txt") {
		t.Errorf("a freeze covers up a changed older revision: %v", err)
	}
	if err := os.Remove(filepath.Join(folder, "2026-11.txt")); err != nil {
		t.Fatal(err)
	}
	if got := changedRevisions(t, folder); len(got) != 1 || !strings.Contains(got[0], "2026-11.txt is gone") {
		t.Errorf("a removed revision: %v", got)
	}
}

// files are the names of the revisions' files in a folder, the newest last.
func files(folder string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	slices.Sort(paths)
	for i := range paths {
		paths[i] = filepath.Base(paths[i])
	}
	return paths, err
}

func frozenDigests(folder string) (map[string]string, error) {
	out := map[string]string{}
	data, err := os.ReadFile(filepath.Join(folder, digests))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for l := range strings.Lines(string(data)) {
		digest, name, ok := strings.Cut(strings.TrimSpace(l), "  ")
		if !ok {
			return nil, fmt.Errorf("%s: %q is no digest, two spaces and a name", digests, l)
		}
		out[name] = digest
	}
	return out, nil
}

func digest(path string) (string, error) {
	data, err := os.ReadFile(path)
	return fmt.Sprintf("%x", sha256.Sum256(data)), err
}

func changedRevisions(t *testing.T, folder string) (problems []string) {
	t.Helper()
	want, err := frozenDigests(folder)
	if err != nil {
		t.Fatal(err)
	}
	names, err := files(folder)
	if err != nil || len(names) == 0 {
		t.Fatalf("no revision in %s: %v", folder, err)
	}
	for _, name := range names {
		got, err := digest(filepath.Join(folder, name))
		switch {
		case err != nil:
			t.Fatal(err)
		case want[name] == "":
			problems = append(problems, name+" has no digest in "+digests+": freeze it (go test ./suites -run Revision -freeze)")
		case want[name] != got:
			problems = append(problems, name+" is not what was frozen: put it back; what is to change belongs to a new revision")
		}
		delete(want, name)
	}
	for name := range want {
		problems = append(problems, name+" is gone: somebody judges by it")
	}
	return problems
}

// freezeNewest writes the newest revision's file from the checks as they stand, and its digest. It refuses to touch
// the digest of an older one.
func freezeNewest(folder string) error {
	names, err := files(folder)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("%s: no revision to freeze; make an empty file such as 2026-11.txt first", folder)
	}
	sums, err := frozenDigests(folder)
	if err != nil {
		return err
	}
	newest := names[len(names)-1]
	for _, name := range names[:len(names)-1] {
		got, err := digest(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		if sums[name] != got {
			return fmt.Errorf("%s is not what was frozen, and is no longer the newest: put it back first", name)
		}
	}
	s, err := suites.At(contract.Draft)
	if err != nil {
		return err
	}
	text := s.Freeze(strings.TrimSuffix(newest, ".txt"))
	if err := os.WriteFile(filepath.Join(folder, newest), []byte(text), 0o644); err != nil {
		return err
	}
	var list strings.Builder
	for _, name := range names {
		d, err := digest(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s  %s\n", d, name)
	}
	return os.WriteFile(filepath.Join(folder, digests), []byte(list.String()), 0o644)
}

// TestTheSuiteByItsRevisions reads what is frozen back into the suite.
func TestTheSuiteByItsRevisions(t *testing.T) {
	if *freeze {
		return // this program holds the files as they were when it was built
	}
	names, err := suites.Revisions()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, contract.Draft) {
		s, err := suites.At(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Revision != name {
			t.Errorf("the suite at %s says %s", name, s.Revision)
		}
		for _, c := range s.Checks() {
			if c.Provisional && name == contract.Draft {
				t.Errorf("%s is provisional in the draft, in which every check counts", c.ID)
			}
		}
	}
	newest, err := suites.All()
	if err != nil || newest.Revision != names[len(names)-1] {
		t.Errorf("without a name the suite is that of %s, not of the newest of %v (%v)", newest.Revision, names, err)
	}
	for _, name := range []string{"2001-01", "../2026-11", "2026-11.txt", "Draft"} {
		_, err := suites.At(name)
		var unknown suites.UnknownRevisionError
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), names[0]) || !strings.Contains(err.Error(), contract.Draft) {
			t.Errorf("revision %q: %v", name, err)
		}
	}
}
