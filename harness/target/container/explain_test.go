package container

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
)

func TestExplainExit(t *testing.T) {
	for _, c := range []struct {
		name  string
		spec  Spec
		state container.State
		tail  string
		want  []string
	}{
		{"code", Spec{}, container.State{ExitCode: 3}, "", []string{"exited with code 3"}},
		{"memory", Spec{Resources: Resources{Memory: 64 << 20}}, container.State{ExitCode: 137, OOMKilled: true}, "", []string{"lack of memory", "64 MiB", "resources.memory"}},
		{"killed", Spec{}, container.State{ExitCode: 137}, "", []string{"SIGKILL"}},
		{"no program", Spec{Command: []string{"/none"}}, container.State{ExitCode: 127}, "", []string{"has no program /none in its image", "correct command"}},
		{"signal", Spec{}, container.State{ExitCode: 139}, "", []string{"signal 11", "segmentation fault"}},
		{"shm by vLLM's words", Spec{}, container.State{ExitCode: 1}, "RuntimeError: Insufficient space in /dev/shm for shared-memory allocation: 160 MiB required, 64 MiB free",
			[]string{"exited with code 1", "/dev/shm is too small (64 MiB, the engine's default)", "resources.shm"}},
		{"shm by SIGBUS", Spec{Resources: Resources{SHM: 128 << 20}}, container.State{ExitCode: 135}, "", []string{"SIGBUS", "128 MiB"}},
		{"GPU memory", Spec{}, container.State{ExitCode: 1}, "torch.OutOfMemoryError: CUDA out of memory.", []string{"--gpu-memory-utilization"}},
		{"driver", Spec{}, container.State{ExitCode: 1}, "The NVIDIA driver on your system is too old (found version 12040)", []string{"update the driver"}},
	} {
		got := explainExit(c.spec, c.state, c.tail)
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is missing in %q", c.name, w, got)
			}
		}
	}
}

// The texts on the left are what engines said, word for word.
func TestExplainStart(t *testing.T) {
	s := Spec{Name: "worker", HostPort: 20123, Command: []string{"/none"}, Resources: Resources{GPUs: GPUs{All: true}}}
	for text, want := range map[string]string{
		`container start: Error response from daemon: could not select device driver "nvidia" with capabilities: [[gpu]]`: "nvidia-container-toolkit",
		`create container: container create: Error response from daemon: Unknown runtime specified nvidia`:                "nvidia-container-toolkit",
		`driver failed programming external connectivity: listen tcp4 127.0.0.1:20123: bind: address already in use`:      "port 20123",
		`exec: "/none": stat /none: no such file or directory: unknown`:                                                   `no program "/none"`,
		`lookup registry-1.docker.io: no such host`:                                                                       "docker load",
		`write /x: no space left on device`:                                                                               "disk of the engine is full",
		`error setting rlimit type 8: operation not permitted: unknown`:                                                   "lower ulimits",
		`something new`: "did not start: something new",
	} {
		inner := errors.New(text)
		err := explainStart(s, "a/b:1", "28.0", inner)
		if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), text) || !errors.Is(err, inner) {
			t.Errorf("%s\n  gives %v\n  without %q", text, err, want)
		}
	}
}

func TestOnlyWhatIsAbandonedIsRemoved(t *testing.T) {
	all := []thing{
		{kindVolume, "v1", "v1", "dead", "gone"}, {kindNetwork, "n1", "n1", "dead", "gone"}, {kindContainer, "c1", "c1", "dead", "gone"},
		{kindContainer, "c2", "c2", "live", "here"}, {kindNetwork, "n2", "n2", "live", "here"},
		{kindContainer, "c3", "c3", "", ""}, {kindContainer, "c4", "c4", "run without owner", ""},
	}
	var got []string
	for _, x := range abandoned(all, func(owner string) bool { return owner != "here" }) {
		got = append(got, x.id)
	}
	if !slices.Equal(got, []string{"c1", "n1", "v1"}) {
		t.Error(got)
	}
}
