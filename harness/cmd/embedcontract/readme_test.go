package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/suites"
)

var update = flag.Bool("update", false, "write the printed parts of README.md anew")

// TestReadmeShowsWhatIsPrinted compares the parts of README.md that a command prints with what it prints now.
func TestReadmeShowsWhatIsPrinted(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	t.Chdir(root)
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme, rest := "", string(data)
	for n := 0; ; n++ {
		before, after, found := strings.Cut(rest, "<!-- printed: ")
		if !found {
			if n == 0 {
				t.Error("README.md shows nothing that was printed")
			}
			break
		}
		line, block, ok := strings.Cut(after, " -->\n```text\n")
		if !ok {
			t.Fatal("README.md: a printed block must be a text block right after its comment")
		}
		_, behind, ok := strings.Cut(block, "```\n")
		if !ok {
			t.Fatal("README.md: a printed block does not end")
		}
		_, stdout, stderr := command(t, append(strings.Fields(line), "--width", "100")...)
		if stdout == "" {
			t.Fatalf("%s prints nothing: %s", line, stderr)
		}
		readme += before + "<!-- printed: " + line + " -->\n```text\n" + stdout + "```\n"
		rest = behind
	}
	readme += rest
	suite, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	head, tail, ok := strings.Cut(readme, "<!-- behaviours -->\n")
	if !ok {
		t.Fatal("README.md has no table of behaviours")
	}
	var rows strings.Builder
	for _, b := range suite.Behaviours {
		fmt.Fprintf(&rows, "| [`%s`](suites/CONTRACT.md#%s) (%s) | %s |\n", b.Stem, b.Stem, census(b.Checks), b.Promise)
	}
	head = strings.TrimRight(head[:strings.LastIndex(head, "| --- | --- |\n")], "\n") + "\n| --- | --- |\n"
	readme = head + rows.String() + "<!-- behaviours -->\n" + tail
	if readme == string(data) {
		return
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(readme), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Error("README.md is stale: go test ./harness/cmd/embedcontract -run Readme -update")
}
