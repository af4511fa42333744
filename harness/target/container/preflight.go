package container

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/system"
)

// noGPU says what to install.
const noGPU = `%s asks for %s%s, but the engine (Docker %s) offers none: it has no runtime "nvidia" and no CDI device nvidia.com/gpu.
  On a machine with an NVIDIA GPU and driver ("nvidia-smi" shows them), install NVIDIA's container toolkit:
    sudo apt-get install nvidia-container-toolkit && sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker
  (https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html)
  Without a GPU, run the targets for the CPU: legacy-container, dynamo-1.6.1-container`

// facts are what the check before a start looks at.
type facts struct {
	info   system.Info
	via    string
	host   string
	local  bool
	memory int64 // available on this machine; 0: unknown
	disk   int64 // free where the engine keeps images; 0: unknown
	images map[string]bool
}

// Check says what is missing to run these components, before anything is built, pulled or started.
func (e *Engine) Check(ctx context.Context, specs []Spec) error {
	f := facts{info: e.info, via: e.via, host: e.host, local: e.local(), images: map[string]bool{}}
	if f.local {
		f.memory, f.disk = available(), free(e.info.DockerRootDir)
	}
	for _, s := range specs {
		ref, err := s.ref()
		if err != nil {
			return fmt.Errorf("component %s: %w", s.Name, err)
		}
		there, err := e.there(ctx, ref)
		if err != nil {
			return err
		}
		f.images[s.Name] = there
	}
	return check(f, specs)
}

// there reports whether the engine has an image.
func (e *Engine) there(ctx context.Context, ref string) (bool, error) {
	if ref == "" {
		return false, nil // a file that lacks its digest: that is said elsewhere
	}
	_, err := e.cli.ImageInspect(ctx, ref)
	if cerrdefs.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

func check(f facts, specs []Spec) error {
	var errs []error
	if !f.local {
		errs = append(errs, fmt.Errorf("the engine at %s is on another machine: its loopback ports and this machine's folders do not meet; run embedcontract there", f.host))
	}
	if f.info.OSType != "" && f.info.OSType != "linux" {
		errs = append(errs, fmt.Errorf("the engine runs %s containers; these images are for Linux", f.info.OSType))
	}
	var memory, disk int64
	counted := map[string]bool{}
	for _, s := range specs {
		if err := checkGPU(f, s); err != nil {
			errs = append(errs, err)
		}
		for _, m := range s.Mounts {
			if _, err := os.Stat(m.Source); f.local && err != nil {
				errs = append(errs, fmt.Errorf("component %s: %s, mounted at %s, does not exist; `fixtures/prepare.sh model` makes the checkpoint of the built-in targets", s.Name, m.Source, m.Target))
			}
		}
		memory += s.Resources.Memory
		if image, err := s.ref(); err == nil && !counted[image] && !f.images[s.Name] {
			counted[image] = true
			disk += s.Resources.Disk
		}
	}
	for _, have := range []struct {
		bytes int64
		what  string
	}{{f.info.MemTotal, "the engine has"}, {f.memory, "this machine has free"}} {
		if have.bytes > 0 && memory > have.bytes {
			errs = append(errs, fmt.Errorf("the components together may use %s of memory (resources.memory), but %s %s; stop other programs, or lower the limits", size(memory), have.what, size(have.bytes)))
			break
		}
	}
	if f.disk > 0 && disk > f.disk {
		errs = append(errs, fmt.Errorf("images that are not there yet need %s (resources.disk), but %s has %s free; free some with `docker system prune`", size(disk), f.info.DockerRootDir, size(f.disk)))
	}
	return errors.Join(errs...)
}

func checkGPU(f facts, s Spec) error {
	g := s.Resources.GPUs
	if !g.Wanted() {
		return nil
	}
	how := ""
	ok := f.via != ""
	switch g.Via {
	case ViaCDI:
		how, ok = " by CDI", f.via == ViaCDI || len(f.info.CDISpecDirs) > 0
	case ViaNvidia:
		_, runtime := f.info.Runtimes["nvidia"]
		how, ok = " by NVIDIA's runtime", runtime || f.via == ViaNvidia
	}
	if ok {
		return nil
	}
	return fmt.Errorf(noGPU, "component "+s.Name, g, how, f.info.ServerVersion)
}

// attach is how GPUs are attached for a component.
func (e *Engine) attach(g GPUs) string {
	if g.Via == ViaCDI || g.Via == ViaNvidia {
		return g.Via
	}
	return e.via
}

// available is the memory that programs can get without swapping, in bytes; 0 where the kernel does not say.
func available() int64 {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	return availableIn(data)
}

// availableIn reads proc_meminfo(5).
func availableIn(data []byte) int64 {
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "MemAvailable:"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err == nil && n >= 0 && n <= math.MaxInt64>>10 {
				return n << 10
			}
		}
	}
	return 0
}

// size renders bytes for people.
func size(n int64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
}
