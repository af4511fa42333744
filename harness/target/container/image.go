package container

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// repository is where images that are made here are named: embedcontract/<folder>:<digest of what they are made of>.
const repository = "embedcontract/"

// Pinned reports whether an image name carries a digest, which alone says what is run.
func Pinned(image string) bool { return pinned.MatchString(image) }

var pinned = regexp.MustCompile(`@sha256:[0-9a-f]{64}$`)

// Resolve says how to find the digest of an image.
func Resolve(image string) string {
	name, _, _ := strings.Cut(image, "@")
	return fmt.Sprintf("find it with `docker buildx imagetools inspect %s`, or after `docker pull %[1]s` with `docker image inspect --format '{{index .RepoDigests 0}}' %[1]s`", name)
}

// Valid holds a base of a registry to its digest. One of ours is made here and has none.
func (b Build) Valid() error {
	if b.Base == "" || strings.HasPrefix(b.Base, repository) || Pinned(b.Base) {
		return nil
	}
	return fmt.Errorf("base image %s is used by its digest only, NAME:TAG@sha256:...; %s", b.Base, Resolve(b.Base))
}

// ref is the name by which the engine knows the image of a component.
func (s Spec) ref() (string, error) {
	if s.Build == nil {
		return s.Image, nil
	}
	tag, err := s.Build.digest()
	if err != nil {
		return "", err
	}
	return repository + filepath.Base(s.Build.Context) + ":" + tag, nil
}

// digest is over the Dockerfile, what it may copy, and the base: an image is made again when one of them changed.
func (b Build) digest() (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "base %s\n", b.Base)
	names, err := b.files()
	if err != nil {
		return "", err
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(b.Context, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", filepath.ToSlash(name), len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))[:12], nil
}

// files lists the Dockerfile and the files of the context that its .dockerignore lets through. Of that file the
// form "*, then !name" is understood; with another, or none, everything counts.
func (b Build) files() ([]string, error) {
	if _, err := os.Stat(filepath.Join(b.Context, "Dockerfile")); err != nil {
		return nil, fmt.Errorf("no Dockerfile to build from: %w", err)
	}
	ignore, err := os.ReadFile(filepath.Join(b.Context, ".dockerignore"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if only := exceptions(ignore); only != nil {
		return append([]string{"Dockerfile"}, only...), nil
	}
	var names []string
	err = filepath.WalkDir(b.Context, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(b.Context, path)
		names = append(names, name)
		return err
	})
	return names, err
}

// exceptions returns the names of an ignore file that ignores everything else; nil for any other file.
func exceptions(ignore []byte) []string {
	var names []string
	all := false
	for line := range strings.Lines(string(ignore)) {
		line = strings.TrimSpace(line)
		name, exception := strings.CutPrefix(line, "!")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case line == "*" && !all && names == nil:
			all = true
		case all && exception && !strings.ContainsAny(name, "*?[") && filepath.IsLocal(name):
			names = append(names, name)
		default:
			return nil
		}
	}
	return names
}

// Images builds or pulls what is missing of the images of these components. progress is told what, how long it
// took and how large it is.
func (e *Engine) Images(ctx context.Context, specs []Spec, progress func(string)) error {
	done := map[string]bool{}
	for _, s := range specs {
		ref, err := s.ref()
		if err != nil {
			return fmt.Errorf("component %s: %w", s.Name, err)
		}
		if done[ref] {
			continue
		}
		done[ref] = true
		there, err := e.there(ctx, ref)
		if err != nil {
			return err
		}
		if there {
			progress(fmt.Sprintf("image %s: there already (%s)", ref, e.sizeOf(ctx, ref)))
			continue
		}
		begun := time.Now()
		if s.Build == nil {
			err = e.pull(ctx, ref, progress)
		} else {
			err = e.build(ctx, *s.Build, ref, progress)
		}
		if err != nil {
			return fmt.Errorf("component %s: %w", s.Name, err)
		}
		progress(fmt.Sprintf("image %s: ready after %.0f s (%s)", ref, time.Since(begun).Seconds(), e.sizeOf(ctx, ref)))
	}
	return nil
}

func (e *Engine) sizeOf(ctx context.Context, ref string) string {
	i, err := e.cli.ImageInspect(ctx, ref)
	if err != nil {
		return "size unknown"
	}
	return size(i.Size)
}

func (e *Engine) pull(ctx context.Context, ref string, progress func(string)) error {
	progress("image " + ref + ": pulling")
	p, err := testcontainers.NewDockerProvider()
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	if err := p.PullImage(ctx, ref); err != nil {
		return fmt.Errorf("image %s cannot be pulled: %w", ref, err)
	}
	return nil
}

func (e *Engine) build(ctx context.Context, b Build, ref string, progress func(string)) error {
	if err := e.base(ctx, b); err != nil {
		return err
	}
	progress(fmt.Sprintf("image %s: building from %s (minutes; several GB for the Python servers)", ref, b.Context))
	repo, tag, _ := strings.Cut(ref, ":")
	var log steps
	log.progress = func(line string) { progress("image " + ref + ": " + line) }
	req := testcontainers.ContainerRequest{FromDockerfile: testcontainers.FromDockerfile{
		Context: b.Context, Repo: repo, Tag: tag, KeepImage: true, BuildLogWriter: &log,
		BuildOptionsModifier: func(o *client.ImageBuildOptions) {
			o.Labels = map[string]string{"org.opencontainers.image.version": tag} // an annotation of OCI
		},
	}}
	if b.Base != "" {
		req.BuildArgs = map[string]*string{"BASE": &b.Base}
	}
	p, err := testcontainers.NewDockerProvider()
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	if _, err := p.BuildImage(ctx, &req); err != nil {
		return fmt.Errorf("image %s cannot be built from %s: %w\n%s", ref, b.Context, err, log.last())
	}
	return nil
}

// base says what to do when a base that only a script makes is not there; any other is for the engine to pull.
func (e *Engine) base(ctx context.Context, b Build) error {
	if !strings.HasPrefix(b.Base, repository) {
		return nil
	}
	there, err := e.there(ctx, b.Base)
	if err == nil && !there {
		err = fmt.Errorf("the base image %s is not there; `make images` (fixtures/images/base.sh) makes it", b.Base)
	}
	return err
}

// steps keeps the end of a build's output, and passes the steps on.
type steps struct {
	progress func(string)
	line     bytes.Buffer
	lines    []string
}

// keptLines of a failing build are shown: the message of pip or apt stands there.
const keptLines = 15

func (s *steps) Write(p []byte) (int, error) {
	for _, c := range p {
		if c != '\n' {
			s.line.WriteByte(c)
			continue
		}
		text := strings.TrimSpace(s.line.String())
		s.line.Reset()
		if text == "" {
			continue
		}
		if strings.HasPrefix(text, "Step ") {
			s.progress(shorten(text, 70))
		}
		s.lines = append(s.lines[max(0, len(s.lines)-keptLines+1):], text)
	}
	return len(p), nil
}

func (s *steps) last() string { return "  " + strings.Join(s.lines, "\n  ") }

func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// identity is the digest under which a registry knows an image, or its own id where it was made here.
func (e *Engine) identity(ctx context.Context, ref string) string {
	i, err := e.cli.ImageInspect(ctx, ref)
	switch {
	case err != nil:
		return "unknown"
	case len(i.RepoDigests) > 0:
		return i.RepoDigests[0]
	}
	return ref + " (made here, " + i.ID + ")"
}
