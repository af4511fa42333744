package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/target"
)

// archive are the folders in which recordings are looked for by the names of their targets.
type archive struct{ folders []string }

func (l *archive) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&l.folders, "recordings", []string{"recordings", "fixtures/recordings"}, "folders in which recordings are looked for by the names of their targets")
}

// check refuses a folder that somebody named and that is not there: what is not found is started.
func (l *archive) check(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("recordings") {
		return nil
	}
	for _, dir := range l.folders {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return usage("--recordings %s is no folder", dir)
		}
	}
	return nil
}

// find opens the recording that a path or a name stands for; nil, and no error, where there is none.
func (l *archive) find(name string) (dir string, rec *recording.Recording, err error) {
	folders := []string{name}
	if plainName(name) {
		for _, dir := range l.folders {
			folders = append(folders, filepath.Join(dir, name))
		}
	}
	for _, dir := range folders {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		rec, err := recording.Open(dir)
		if err != nil {
			return dir, nil, judgeError(err)
		}
		return dir, rec, nil
	}
	return "", nil, nil
}

// open is find where nothing but a recording will do.
func (l *archive) open(name string) (*recording.Recording, error) {
	_, rec, err := l.find(name)
	switch {
	case err != nil || rec != nil:
		return rec, err
	case !plainName(name):
		_, err := recording.Open(name) // which says what is missing
		return nil, judgeError(err)
	}
	return nil, usage("no recording %q%s: neither a folder, nor in one of %s (--recordings)", name, target.DidYouMean(name, l.names()), strings.Join(l.folders, ", "))
}

// names are those of all recordings that can be found.
func (l *archive) names() (out []string) {
	for _, dir := range l.folders {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			continue // find says more of a folder that is asked for
		}
		for _, e := range entries {
			if e.IsDir() {
				out = append(out, e.Name())
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// plainName says that an argument is the name of a target, and no path, file or URL.
func plainName(s string) bool {
	return !strings.ContainsRune(s, filepath.Separator) && !strings.HasSuffix(s, ".yaml") && !strings.HasSuffix(s, ".yml")
}
