//go:build action

package main

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestModuleCanBeInstalled holds the files of the project to what the go command accepts of a module: one that is called
// as a device of Windows is, or two whose names differ in case alone, and nobody can "go install" the command.
func TestModuleCanBeInstalled(t *testing.T) {
	const root = "../../.."
	folded, size, files := map[string]string{}, int64(0), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case d.IsDir() && (name == ".git" || name == ".build" || name == ".runs" || strings.HasSuffix(name, "__pycache__")):
			return filepath.SkipDir
		case d.IsDir() || name == ".git": // the latter in a worktree
			return nil
		}
		files++
		if err := module.CheckFilePath(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if other, taken := folded[strings.ToLower(name)]; taken {
			t.Errorf("%s and %s differ in case alone", name, other)
		}
		folded[strings.ToLower(name)] = name
		if d.Name() == "go.mod" && name != "go.mod" {
			t.Errorf("%s makes a module of its own of that folder, which would not be installed", name)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			t.Errorf("%s is no regular file: the module would lack it", name)
		}
		size += info.Size()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Errorf("only %d files were found", files)
	}
	if size > zip.MaxZipFile/4 {
		t.Errorf("%d MB, of %d at most: who installs the command loads all of it", size>>20, zip.MaxZipFile>>20)
	}
}

// TestVersionSaysWhatWasBuilt: a release says its tag, and any build its commit.
func TestVersionSaysWhatWasBuilt(t *testing.T) {
	for want, tool := range map[string]map[string]string{
		"v0.1.0":                       {"version": "v0.1.0"},
		"v0.1.0 (commit 0123456789ab)": {"version": "v0.1.0", "commit": "0123456789abcdef"},
		"devel (commit 0123456789ab and changes)":  {"version": "devel", "commit": "0123456789abcdef", "modified": "true"},
		"devel (commit abc)":                       {"version": "devel", "commit": "abc"},
		"v0.0.0-20260101000000-0123456789ab+dirty": {"version": "v0.0.0-20260101000000-0123456789ab+dirty", "modified": "true"},
	} {
		if got := built(tool); got != want {
			t.Errorf("%v is %q, want %q", tool, got, want)
		}
	}
}
