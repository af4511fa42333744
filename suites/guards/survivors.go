package guards

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Survivors are the keys of faults that nothing notices, each with its reason.
type Survivors map[string]string

// Reasons that the run itself establishes, and the place of survivors that nobody looked into yet.
const (
	// Redundant: a condition came out otherwise than it should in some cell, or a number or variant was taken for another,
	// and all cells kept their variants. Something else comes to the same finding.
	Redundant = "evaluated otherwise, and what follows comes to the same variant in every cell"
	// NoWorse: as Redundant, but for cells that may have more than one variant: those of honest servers and of spoilt answers.
	NoWorse = "evaluated otherwise, and only cells that may have either variant got another one: honest servers, or answers that are spoilt and do not pass"
	// Unexplained: no server shows what the fault would do.
	Unexplained = "not looked into: never evaluated otherwise, a wrong server may be missing"
)

// Established says whether a reason is the run's to give: a survivor gets and loses it without anybody looking.
func Established(reason string) bool {
	return reason == Redundant || reason == NoWorse || reason == Unexplained
}

// ReadSurvivors reads a list: lines that begin with "# " are the reason of the keys below them, up to an empty line.
// Errors name file and line.
func ReadSurvivors(path string) (Survivors, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("survivors: %w", err)
	}
	out := Survivors{}
	var reason []string
	ended := false
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		text, comment := strings.CutPrefix(line, "# ")
		switch {
		case line == "":
			reason = nil
		case comment && ended:
			return nil, fmt.Errorf("%s:%d: a reason in the middle of its keys: leave an empty line before it", path, n)
		case comment:
			reason = append(reason, text)
		case len(reason) == 0:
			return nil, fmt.Errorf("%s:%d: %s has no reason above it", path, n, line)
		case out[line] != "":
			return nil, fmt.Errorf("%s:%d: %s stands there twice", path, n, line)
		default:
			out[line] = strings.Join(reason, " ")
		}
		ended = line != "" && !comment
	}
	return out, lines.Err()
}

// WriteSurvivors writes the list of the keys with the reasons that the file has for them. Where it has none, or one that
// a run establishes, the reason is what established says of the key.
func WriteSurvivors(path string, keys []string, established func(key string) string) error {
	known, err := ReadSurvivors(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	by := map[string][]string{}
	for _, k := range keys {
		reason := known[k]
		if reason == "" || Established(reason) {
			reason = established(k)
		}
		by[reason] = append(by[reason], k)
	}
	var b bytes.Buffer
	reasons := make([]string, 0, len(by))
	for r := range by {
		reasons = append(reasons, r)
	}
	slices.SortFunc(reasons, func(a, b string) int { return strings.Compare(by[a][0], by[b][0]) })
	for _, r := range reasons {
		fmt.Fprintf(&b, "# %s\n%s\n\n", r, strings.Join(by[r], "\n"))
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
