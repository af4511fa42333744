package container

import (
	"errors"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"

	"github.com/embedcontract/embedcontract/harness/bounds"
)

// FuzzMachine: what the kernel, nvidia-smi and a container engine print is understood or not, and nothing breaks on it.
func FuzzMachine(f *testing.F) {
	for _, s := range []string{"", "MemAvailable: 1024 kB\n", "MemAvailable: 9223372036854775807 kB", "MemAvailable:\nMemAvailable: -1 kB", "GPU-1, 100\nGPU-2, [N/A]\n", ",,,\n", "NVIDIA H200, 143771 MiB, 570.1\n",
		"| CUDA Version: 12.8 |", "CUDA Version:", "\xff\x00,1", "No space left on device /dev/shm", "no such host", strings.Repeat("x", 70000) + "\nMemAvailable: 1 kB"} {
		f.Add(s, 137)
	}
	f.Fuzz(func(t *testing.T, text string, code int) {
		bounds.Hold(t, len(text), func() {
			if n := availableIn([]byte(text)); n < 0 {
				t.Errorf("%q: %d bytes are available", text, n)
			}
			used, err := usedMemory(text)
			if (err == nil) == (len(used) == 0) || err != nil && len(err.Error()) > 500 {
				t.Errorf("%q: %v, %v", text, used, err)
			}
			for key, value := range ParseGPU(text, text) {
				if key == "" || strings.Contains(value, "\n") {
					t.Errorf("%q: %s is %q", text, key, value)
				}
			}
			s := Spec{Name: "c", Command: []string{"run"}}
			if explainExit(s, container.State{ExitCode: code, Error: text}, text) == "" {
				t.Error("an exit without a reason")
			}
			if err := explainStart(s, "ref", "1", errors.New(text)); !strings.HasPrefix(err.Error(), "component c did not start: ") {
				t.Error(err)
			}
		})
	})
}
