// Package container runs components of a target as containers of a local engine, through testcontainers-go. It
// knows nothing of target files: the package target reads them and passes what is to be run. No other package
// imports testcontainers or a client of the engine.
package container

import (
	"fmt"
	"time"
)

// How a GPU is handed to a container.
const (
	ViaAuto   = "auto"   // CDI where the engine has discovered such devices, else NVIDIA's runtime
	ViaNvidia = "nvidia" // a device request to NVIDIA's driver, as docker run --gpus makes it
	ViaCDI    = "cdi"    // devices of a Container Device Interface specification, nvidia.com/gpu=...
)

// Spec is one component, with all variables expanded. It is made to be close to what a DynamoGraphDeployment says
// of a service: image, command, arguments, environment, resources.
type Spec struct {
	Name  string
	Image string // with its digest: name:tag@sha256:...; empty with Build
	Build *Build // in place of Image

	Command []string // replaces the image's entry point; empty: keep it
	Args    []string
	Env     map[string]string
	Mounts  []Mount
	Volumes []Volume

	Port     int // that the component listens on; 0: none that is asked from outside
	HostPort int // of the loopback interface, where Port is published

	Resources    Resources
	Capabilities []string // in addition to the engine's defaults
	Ulimits      []Ulimit
	User         string // user or user:group; empty: the image's
	Grace        time.Duration
}

// Build is an image that is made here.
type Build struct {
	Context string // folder with the Dockerfile
	Base    string // build argument BASE; empty: the Dockerfile's own
}

// Mount is a folder or file of this machine, always read-only.
type Mount struct{ Source, Target string }

// Volume is shared by the components of a target that name it. It is in memory, empty at the start of a target,
// writable by every user, and gone at its end.
type Volume struct{ Name, Target string }

// Ulimit is a limit of a process, such as memlock; -1 is none.
type Ulimit struct {
	Name       string
	Soft, Hard int64
}

// Resources are what a component may use, in bytes, or needs.
type Resources struct {
	Memory int64 // limit; 0: none
	SHM    int64 // size of /dev/shm; 0: the engine's default, 64 MiB
	Disk   int64 // what its image takes when it is not there yet
	GPUs   GPUs
}

// GPUs is a request for GPUs: all, a count, or devices by number or UUID. The zero value asks for none.
type GPUs struct {
	All     bool
	Count   int
	Devices []string
	Via     string // ViaAuto when empty
}

// Wanted reports whether any GPU is asked for.
func (g GPUs) Wanted() bool { return g.All || g.Count > 0 || len(g.Devices) > 0 }

func (g GPUs) String() string {
	switch {
	case g.All:
		return "all GPUs"
	case g.Count == 1:
		return "1 GPU"
	case g.Count > 1:
		return fmt.Sprintf("%d GPUs", g.Count)
	case len(g.Devices) > 0:
		return fmt.Sprintf("GPUs %v", g.Devices)
	}
	return "no GPU"
}

// Labels of everything that is made here. The owner is what decides later whether it was left behind.
const (
	LabelRun   = "embedcontract.run"
	LabelOwner = "embedcontract.owner"
)
