package container

import (
	"fmt"
	"strings"
	"syscall"

	"github.com/moby/moby/api/types/container"
)

// Exit codes of a shell, and of the process 1 that the engine puts before a program.
const (
	notExecutable = 126
	notFound      = 127
	signalled     = 128 // and the number of the signal
)

// explainExit says in words how a container ended. tail is the end of its log.
func explainExit(s Spec, state container.State, tail string) string {
	var why string
	switch code := state.ExitCode; {
	case state.OOMKilled:
		why = fmt.Sprintf("was killed for lack of memory (exit code %d): it may use %s; raise resources.memory", code, limit(s.Resources.Memory))
	case code == signalled+int(syscall.SIGKILL):
		why = "was killed from outside (SIGKILL, exit code 137, and not for lack of memory)"
	case code == notFound || code == notExecutable: // the reaper's exit codes, as a shell's
		program := strings.Join(s.Command, " ")
		if program == "" {
			program = "of its entry point"
		}
		why = fmt.Sprintf("has no program %s in its image that can be run (exit code %d); correct command, or leave it out to keep the image's own", program, code)
	case code == signalled+int(syscall.SIGBUS):
		why = "was ended by SIGBUS (exit code 135)"
	case code > signalled && code < signalled+65:
		sig := syscall.Signal(code - signalled)
		why = fmt.Sprintf("was ended by signal %d (%s, exit code %d)", int(sig), sig, code)
	default:
		why = fmt.Sprintf("exited with code %d", code)
	}
	if state.Error != "" {
		why += " (" + state.Error + ")"
	}
	if shortOfSHM(state.ExitCode, tail) {
		size := "64 MiB, the engine's default"
		if s.Resources.SHM > 0 {
			size = limit(s.Resources.SHM)
		}
		why += fmt.Sprintf("; its /dev/shm is too small (%s): raise resources.shm, vLLM needs 256MiB or more", size)
	}
	for _, h := range []struct{ says, hint string }{
		{"CUDA out of memory", "the GPU has too little memory left: stop what else uses it, or lower --gpu-memory-utilization or --max-model-len"},
		{"torch.OutOfMemoryError", "the GPU has too little memory left: stop what else uses it, or lower --gpu-memory-utilization or --max-model-len"},
		{"driver on your system is too old", "the NVIDIA driver is too old for the CUDA of this image: update the driver, or use an older image"},
		{"CUDA driver version is insufficient", "the NVIDIA driver is too old for the CUDA of this image: update the driver, or use an older image"},
		{"No CUDA GPUs are available", "no GPU is visible in the container: check gpus and gpus_via"},
	} {
		if strings.Contains(tail, h.says) {
			why += "; " + h.hint
			break
		}
	}
	return why
}

// shortOfSHM knows vLLM's message and what PyTorch's and NCCL's say; a full /dev/shm is also a plain SIGBUS.
func shortOfSHM(code int, tail string) bool {
	for _, says := range []string{"Insufficient space in /dev/shm", "insufficient shared memory (shm)", "No space left on device (28), shm"} {
		if strings.Contains(tail, says) {
			return true
		}
	}
	return code == signalled+int(syscall.SIGBUS) || strings.Contains(tail, "/dev/shm") && strings.Contains(tail, "No space left on device")
}

func limit(bytes int64) string {
	if bytes == 0 {
		return "as much as the engine has"
	}
	return size(bytes)
}

// explainStart adds what to do to the engine's own words, which are kept.
func explainStart(s Spec, ref, version string, err error) error {
	text := err.Error()
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	hint := ""
	switch {
	case has("could not select device driver", "Unknown runtime specified nvidia", "unknown or invalid runtime name: nvidia", "unresolvable CDI devices", "nvidia-container-cli"):
		hint = fmt.Sprintf(noGPU, "component "+s.Name, s.Resources.GPUs, "", version)
	case has("address already in use", "port is already allocated"):
		hint = fmt.Sprintf("port %d of 127.0.0.1 was taken by another program in the meantime; run again", s.HostPort)
	case has("executable file not found", "no such file or directory: unknown", "permission denied: unknown"):
		hint = fmt.Sprintf("image %s has no program %q that can be run; correct command, or leave it out to keep the image's own", ref, strings.Join(s.Command, " "))
	case has("error setting rlimit"):
		hint = "this machine does not let the engine raise a limit: lower ulimits, or leave them out"
	case has("no such host", "pull access denied", "manifest unknown", "No such image", "TLS handshake", "failed to resolve reference"):
		hint = fmt.Sprintf("image %s is not here and cannot be pulled; pull it by hand (docker pull, docker login) or load it (docker load)", ref)
	case has("no space left on device"):
		hint = "the disk of the engine is full; free some with `docker system prune`"
	}
	if hint == "" {
		return fmt.Errorf("component %s did not start: %w", s.Name, engineError(err))
	}
	return fmt.Errorf("component %s did not start: %s\n  (%w)", s.Name, hint, err)
}
