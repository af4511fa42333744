package witness

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// Tool is a witness that is a process: its script, and the lock of what the script needs.
type Tool struct{ Script, Lock []byte }

// Tools are the witnesses that are processes, and the folder in which "make witnesses" installs what they need.
type Tools struct {
	Cache        string // its folder witnesses/ holds an environment for each
	Python, Node Tool
}

// stamp is written last when an environment is installed: the digest of the lock it was made from.
const stamp = ".lock-sha256"

const install = `install it with "make witnesses" in a checkout of embedcontract`

// Ready reports a witness that does not exist, or is not installed.
func (t Tools) Ready(names ...string) error {
	for _, n := range names {
		if err := statement.Known(n); err != nil {
			return err
		}
		if n == statement.Go {
			continue
		}
		if _, _, err := t.command(n); err != nil {
			return err
		}
	}
	return nil
}

// command returns the program of a witness with its arguments, and the folder to run it in. The script is read from
// standard input, so that nothing is written and script and binary are of one version.
func (t Tools) command(name string) (args []string, dir string, err error) {
	dir = filepath.Join(t.Cache, "witnesses", name)
	tool := t.Python
	if name == statement.Node {
		tool = t.Node
	}
	sum := sha256.Sum256(tool.Lock)
	want := hex.EncodeToString(sum[:])
	have, err := os.ReadFile(filepath.Join(dir, stamp))
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("%w: %s is not in %s; %s", ErrNotInstalled, name, dir, install)
	case strings.TrimSpace(string(have)) != want:
		return nil, "", fmt.Errorf("%w: %s in %s was made from another lock file; %s", ErrNotInstalled, name, dir, install)
	}
	if name == statement.Python {
		program := filepath.Join(dir, "bin", "python")
		if _, err := os.Stat(program); err != nil {
			return nil, "", fmt.Errorf("%w: %w; remove %s and %s", ErrNotInstalled, err, dir, install)
		}
		// Isolated from the environment and the user's packages, UTF-8 whatever the locale, no byte code.
		return []string{program, "-I", "-B", "-X", "utf8", "-"}, dir, nil
	}
	program, err := exec.LookPath("node")
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w; Node 20 or later must be in the PATH", ErrNotInstalled, err)
	}
	return []string{program, "--input-type=module", "-"}, dir, nil
}
