// Package target reads target files and starts, watches and stops the servers that they describe.
//
// A target has one component or several; each has a runtime that says how it is started. The suite asks the
// component that serves. A server is ready when an embedding came back, and whatever was started is stopped:
// by Stop, when the context of Start ends, or by the Sweep of a later start if the owner was killed.
package target

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/strictyaml"
)

// Kind says what stands behind a target. It is shown wherever results are shown.
type Kind string

// The kinds. The suite can vouch for what it starts; of an endpoint it knows the URL only.
const (
	Real          Kind = "real"          // the released software itself
	Emulated      Kind = "emulated"      // our emulator with the switches of a personality
	Reconstructed Kind = "reconstructed" // built anew from a description, since the original is not public
	URL           Kind = "endpoint"      // whatever answers at a URL
)

// Named limits of the life of a target. A target file may set the first three.
const (
	// DefaultReadyTimeout is how long a target that is started may take until its first embedding. Real
	// servers took 80 to 250 s on a small machine: they import much, load weights and warm up.
	DefaultReadyTimeout = 10 * time.Minute
	// EndpointReadyTimeout is the same for a target that only names URLs: nothing is being started there.
	EndpointReadyTimeout = 30 * time.Second
	// DefaultGrace is how long a component may take to exit after SIGTERM. An engine with worker processes
	// needs up to 25 s to wind them down.
	DefaultGrace = 30 * time.Second
)

// Spec is a target as it was read, with defaults filled in and the shared environment merged into the
// components. It is made by Load, Parse or Endpoint. As JSON it is what a recording keeps of its target:
// variables stay unexpanded and values that look like secrets are left out.
type Spec struct {
	Name     string            `json:"name"` // lower case letters, digits, dots, dashes
	Title    string            `json:"title"`
	Kind     Kind              `json:"kind"`
	Model    string            `json:"model"` // sent in requests
	Weights  contract.Weights  `json:"weights,omitempty"`
	Versions map[string]string `json:"versions,omitempty"`
	// Facts holds what the file declares, and the model; Source names the declared ones.
	Facts contract.Facts `json:"facts"`
	// ReadyTimeout bounds the time from the start of the first component to the first embedding.
	ReadyTimeout time.Duration `json:"ready_timeout_ns"`
	Components   []Component   `json:"components"`
	Digest       string        `json:"digest,omitempty"` // SHA-256 of the file, hexadecimal

	// ExpectationsPath is the file of known deviations; empty when the target names none. It need not exist.
	ExpectationsPath string `json:"-"`
	// File is where the target was read from, Dir its folder and the value of ${dir}.
	File string `json:"-"`
	Dir  string `json:"-"`
}

// Component is one part of a target. Which fields are used depends on its runtime.
type Component struct {
	Name    string `json:"name"`
	Runtime string `json:"runtime"` // embedded, endpoint, process or container
	Serves  bool   `json:"serves,omitempty"`
	Worker  bool   `json:"worker,omitempty"` // embeds; see Spec.Worker
	// APIKeyEnv names the environment variable with the key that requests carry; for the serving component.
	APIKeyEnv string `json:"api_key_env,omitempty"`

	// Of the process and container runtimes. Command and Args are one command line; of a container, Command
	// replaces the entry point of the image and Args what follows it. Unset names variables of the caller's
	// environment that a process must not inherit; Env is set after that. A container inherits nothing.
	Command []string          `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Unset   []string          `json:"unset,omitempty"`
	Grace   time.Duration     `json:"stop_grace_ns,omitempty"` // from SIGTERM to SIGKILL

	Container *Container `json:"container,omitempty"` // of the container runtime

	URL         string `json:"url,omitempty"`         // of the endpoint runtime: base URL, without /v1
	Personality string `json:"personality,omitempty"` // of the embedded runtime
}

// Container is what a component of the container runtime says beside its command line. Variables are not expanded.
type Container struct {
	Image        string            `json:"image,omitempty"`  // of a registry, without digest
	Digest       string            `json:"digest,omitempty"` // of Image
	Context      string            `json:"context,omitempty"`
	Base         string            `json:"base,omitempty"`
	Port         int               `json:"port,omitempty"`    // in the container; ${port}
	Mounts       map[string]string `json:"mounts,omitempty"`  // path in the container: path here; read-only
	Volumes      map[string]string `json:"volumes,omitempty"` // path in the container: name
	Resources    Resources         `json:"resources"`
	Capabilities []string          `json:"capabilities,omitempty"`
	Ulimits      map[string]int64  `json:"ulimits,omitempty"`
	User         string            `json:"user,omitempty"`
}

// Resources are limits and needs of a container, in bytes.
type Resources struct {
	Memory int64 `json:"memory,omitempty"`
	SHM    int64 `json:"shm,omitempty"`
	Disk   int64 `json:"disk,omitempty"`
	GPUs   *GPUs `json:"gpus,omitempty"`
}

// GPUs asks for all GPUs, a count, or devices by number or UUID.
type GPUs struct {
	All     bool     `json:"all,omitempty"`
	Count   int      `json:"count,omitempty"`
	Devices []string `json:"devices,omitempty"`
	Via     string   `json:"via,omitempty"`
}

// OnGPU reports whether a component of the target is given a GPU. Such targets run one after the other.
func (s *Spec) OnGPU() bool {
	return slices.ContainsFunc(s.Components, func(c Component) bool { return c.Container != nil && c.Container.Resources.GPUs != nil })
}

// has reports whether a component has one of the runtimes.
func (s *Spec) has(runtimes ...string) bool {
	return slices.ContainsFunc(s.Components, func(c Component) bool { return slices.Contains(runtimes, c.Runtime) })
}

// Controlled reports whether the suite starts the target, and so can start it anew.
func (s *Spec) Controlled() bool { return !s.has(runtimeEndpoint) }

// InProcess reports whether all of the target is emulated in this process.
func (s *Spec) InProcess() bool { return !s.has(runtimeEndpoint, runtimeProcess, runtimeContainer) }

// HasContainers reports whether images may have to be built or pulled before the target starts.
func (s *Spec) HasContainers() bool { return s.has(runtimeContainer) }

// Load reads a target file. Errors name the file, line and column, what stands there and what was expected.
func Load(path string) (*Spec, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("target file %s: %w", path, err)
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return nil, fmt.Errorf("target file: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("target file: %s is a folder; name one of the .yaml files in it", path)
	case info.Size() > strictyaml.MaxSize:
		return nil, fmt.Errorf("target file %s has %d bytes; at most %d are read", path, info.Size(), strictyaml.MaxSize)
	}
	data, err := os.ReadFile(abs)
	if err != nil {
		return nil, fmt.Errorf("target file: %w", err)
	}
	s, err := Parse(path, data)
	if err != nil {
		return nil, err
	}
	if s.ExpectationsPath != "" {
		if s.ExpectationsPath, err = filepath.Abs(s.ExpectationsPath); err != nil {
			return nil, err
		}
	}
	s.Dir = filepath.Dir(abs)
	return s, nil
}

// Parse reads the text of a target file; name is used in errors, and its folder for relative paths.
func Parse(name string, data []byte) (*Spec, error) {
	if len(data) > strictyaml.MaxSize {
		return nil, fmt.Errorf("%s has %d bytes; at most %d are read", name, len(data), strictyaml.MaxSize)
	}
	s, err := readSpec(name, data)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	s.Digest = hex.EncodeToString(sum[:])
	return s, nil
}

// Serving returns the component whose address is the base URL of the target.
func (s *Spec) Serving() Component {
	for _, c := range s.Components {
		if c.Serves {
			return c
		}
	}
	return Component{}
}

// Worker is the component that embeds, which checks of the life of a server stop and start: the one that says so with
// worker: true, else the last one of the file, since what others wait for is started after them.
func (s *Spec) Worker() Component {
	for _, c := range s.Components {
		if c.Worker {
			return c
		}
	}
	return s.Components[len(s.Components)-1]
}

// CacheDir is the folder with prepared environments and models, and with the state of runs:
// $EMBEDCONTRACT_CACHE, else $XDG_CACHE_HOME/embedcontract, else ~/.cache/embedcontract.
func CacheDir() (string, error) {
	if dir := os.Getenv("EMBEDCONTRACT_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := os.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "embedcontract"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder: set EMBEDCONTRACT_CACHE (%w)", err)
	}
	return filepath.Join(home, ".cache", "embedcontract"), nil
}
