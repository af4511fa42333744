//go:build unix

package container

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// standIn puts an nvidia-smi into PATH that answers with the lines of a file, one for each call; the last stays.
func standIn(t *testing.T, answers ...string) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\nd=" + dir + "\nread n <$d/n; n=$((n + 1))\n[ -f $d/$n ] || n=$((n - 1))\necho $n >$d/n\ncat $d/$n\n"
	put := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	put("nvidia-smi", script, 0o700)
	put("n", "0\n", 0o600)
	for i, a := range answers {
		put(string(rune('1'+i)), a, 0o600)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}

func watch(t *testing.T, limit time.Duration) *Memory {
	t.Helper()
	m := WatchMemory(t.Context())
	m.limit, m.pause = limit, 5*time.Millisecond
	return m
}

func TestMemoryIsWaitedFor(t *testing.T) {
	standIn(t, "GPU-a, 300\n", "GPU-a, 7000\n", "GPU-a, 2000\n", "GPU-a, 310\n")
	m := watch(t, 10*time.Second)
	if err := m.WaitFree(t.Context()); err != nil {
		t.Error(err)
	}
	now, err := UsedMemory(t.Context())
	if err != nil || now["GPU-a"] != 310 {
		t.Errorf("it did not wait for the last answer: %v, %v", now, err)
	}
}

func TestMemoryThatIsNotGivenBack(t *testing.T) {
	standIn(t, "GPU-a, 300\nGPU-b, 10\n", "GPU-a, 7000\nGPU-b, 20\n")
	err := watch(t, 100*time.Millisecond).WaitFree(t.Context())
	if err == nil || !strings.Contains(err.Error(), "GPU-a has 7000 MiB in use, 300 MiB before") || strings.Contains(err.Error(), "GPU-b") {
		t.Error(err)
	}
}

func TestNoNvidiaSMI(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := watch(t, time.Second).WaitFree(t.Context()); err == nil || !strings.Contains(err.Error(), "no nvidia-smi") {
		t.Error(err)
	}
}

func TestNvidiaSMIThatFails(t *testing.T) {
	standIn(t, "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
	if err := watch(t, time.Second).WaitFree(t.Context()); err == nil || !strings.Contains(err.Error(), "couldn't communicate") {
		t.Error(err)
	}
}

// The first texts are what nvidia-smi printed on a machine with an H200.
func TestParseGPU(t *testing.T) {
	const plain = `Mon Nov 30 00:04:08 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
`
	for query, want := range map[string]map[string]string{
		"NVIDIA H200, 143771 MiB, 580.159.04\n":                             {"gpu_name": "NVIDIA H200", "gpu_memory": "143771 MiB", "gpu_driver": "580.159.04", "cuda": "13.0"},
		"NVIDIA A, 8192 MiB, 580.159.04\nNVIDIA B, 81559 MiB, 580.159.04\n": {"gpu_name": "NVIDIA A; NVIDIA B", "gpu_memory": "8192 MiB; 81559 MiB", "gpu_driver": "580.159.04", "cuda": "13.0"},
	} {
		if got := ParseGPU(query, plain); !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if len(ParseGPU("", "")) != 0 {
		t.Error("something from nothing")
	}
}

// What is kept of this machine's GPU comes from two calls, and a driver that fails leaves nothing: not its message either.
func TestHostGPU(t *testing.T) {
	standIn(t, "NVIDIA H200, 143771 MiB, 580.159.04\n", "| Driver Version: 580.159.04     CUDA Version: 13.0     |\n")
	want := map[string]string{"gpu_name": "NVIDIA H200", "gpu_memory": "143771 MiB", "gpu_driver": "580.159.04", "cuda": "13.0"}
	if got := HostGPU(t.Context()); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte("#!/bin/sh\necho Failed, to, talk\nexit 9\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	if got := HostGPU(t.Context()); len(got) != 0 {
		t.Errorf("of a driver that fails: %v", got)
	}
	t.Setenv("PATH", t.TempDir())
	if got := HostGPU(t.Context()); len(got) != 0 {
		t.Errorf("without nvidia-smi: %v", got)
	}
}
