package container

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/moby/moby/api/types/system"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
)

const (
	// askLimit bounds a question to the engine that needs no work. A busy one took 2 s.
	askLimit = 20 * time.Second
	// ryukImage is what testcontainers-go v0.45 clears up with, when it is there.
	ryukImage    = "testcontainers/ryuk:0.14.0"
	ryukDisabled = "TESTCONTAINERS_RYUK_DISABLED"
)

// Engine is a container engine that answered.
type Engine struct {
	cli  *testcontainers.DockerClient
	info system.Info
	via  string // how it offers GPUs; empty: it does not
	host string
}

// noEngine says how to get one. The hint is the same whatever failed: the reason stands before it.
const noEngine = `no container engine answers: %w
  Start Docker, or install it: "sudo apt-get install docker.io", or https://docs.docker.com/engine/install/
  DOCKER_HOST names an engine elsewhere on this machine; your user must be allowed to use its socket (group docker)`

// Open finds the engine, as testcontainers does: DOCKER_HOST, the context of the docker command, rootless sockets.
func Open(ctx context.Context) (*Engine, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	quiet()
	chooseReaper(ctx)
	cli, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return nil, fmt.Errorf(noEngine, err)
	}
	// Not the method of testcontainers, which remembers the answer of an engine that may be gone.
	info, err := cli.Client.Info(ctx, client.InfoOptions{})
	if err != nil {
		return nil, errors.Join(fmt.Errorf(noEngine, err), cli.Close())
	}
	e := &Engine{cli: cli, info: info.Info, host: cli.DaemonHost()}
	e.via = offered(e.info, e.local() && hasHook())
	return e, nil
}

// quiet silences the lines that testcontainers prints about each container; ours say the same in the run's words.
func quiet() { log.SetDefault(silent{}) }

type silent struct{}

func (silent) Printf(string, ...any) {}

// chooseReaper turns testcontainers' Ryuk off where its image is not there: fetching it may be impossible, and our
// own sweep removes the same. Who sets the variable decides.
func chooseReaper(ctx context.Context) {
	if _, set := os.LookupEnv(ryukDisabled); set {
		return
	}
	cli, err := client.New(client.FromEnv)
	if err == nil {
		_, err = cli.ImageInspect(ctx, ryukImage)
		_ = cli.Close()
	}
	if err != nil {
		_ = os.Setenv(ryukDisabled, "true")
	}
}

// Close ends the connection, nothing else.
func (e *Engine) Close() error { return e.cli.Close() }

// local reports whether the engine sees this machine's files and ports.
func (e *Engine) local() bool {
	rest, isTCP := strings.CutPrefix(e.host, "tcp://")
	return strings.HasPrefix(e.host, "unix://") || strings.HasPrefix(e.host, "npipe://") ||
		isTCP && (strings.HasPrefix(rest, "127.0.0.1") || strings.HasPrefix(rest, "localhost"))
}

// hasHook finds the way of old engines, which do not list it: a hook on the engine's PATH, which is assumed to be
// that of this process.
func hasHook() bool {
	_, err := exec.LookPath("nvidia-container-runtime-hook")
	return err == nil
}

// offered says how an engine offers NVIDIA GPUs; empty when it does not.
func offered(info system.Info, hook bool) string {
	for _, d := range info.DiscoveredDevices {
		if strings.HasPrefix(d.ID, cdiDevice) {
			return ViaCDI
		}
	}
	if _, ok := info.Runtimes["nvidia"]; ok || hook {
		return ViaNvidia
	}
	return ""
}

// Describe is the engine for provenance.
func (e *Engine) Describe() string {
	return fmt.Sprintf("Docker %s (API %s, %s, %s)", e.info.ServerVersion, e.cli.ClientVersion(), e.info.OperatingSystem, e.info.Driver)
}
