package container

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

const (
	// freeLimit is how long the GPU may take to give its memory back after a server has ended. An H200 had 8 GiB of
	// an ended process back within half a second; what takes long is another program's.
	freeLimit = 60 * time.Second
	// freePause is the time between two looks.
	freePause = 500 * time.Millisecond
	// freeSlack is by how much more memory may be in use than before: desktops and monitors come and go, in MiB.
	freeSlack = 256
)

// QueryGPU asks for what provenance keeps of each GPU.
var QueryGPU = []string{"nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"}

// ParseGPU reads the answers to QueryGPU and to plain nvidia-smi. Several GPUs are joined by semicolons.
func ParseGPU(query, plain string) map[string]string {
	out := map[string]string{}
	add := func(key, value string) {
		if value = strings.TrimSpace(value); value != "" {
			if out[key] != "" {
				value = out[key] + "; " + value
			}
			out[key] = value
		}
	}
	for line := range strings.Lines(query) {
		if f := strings.Split(line, ","); len(f) == 3 {
			add("gpu_name", f[0])
			add("gpu_memory", f[1])
			out["gpu_driver"] = strings.TrimSpace(f[2])
		}
	}
	if _, rest, ok := strings.Cut(plain, "CUDA Version:"); ok {
		add("cuda", strings.TrimRight(strings.SplitN(strings.TrimSpace(rest), "\n", 2)[0], " |"))
	}
	return out
}

// HostGPU is what provenance keeps of the GPUs of this machine; empty where there is no nvidia-smi, or none that answers.
func HostGPU(ctx context.Context) map[string]string {
	program, err := exec.LookPath(QueryGPU[0])
	if err != nil {
		return map[string]string{}
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	query, err := exec.CommandContext(ctx, program, QueryGPU[1:]...).Output()
	if err != nil { // it prints its error where the answer would be
		return map[string]string{}
	}
	plain, _ := exec.CommandContext(ctx, program).Output()
	return ParseGPU(string(query), string(plain))
}

// errNoSMI is when this machine has no nvidia-smi.
var errNoSMI = errors.New("there is no nvidia-smi on this machine")

// UsedMemory asks nvidia-smi how much memory each GPU of this machine has in use, in MiB.
func UsedMemory(ctx context.Context) (map[string]int, error) {
	program, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return nil, errNoSMI
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	data, err := exec.CommandContext(ctx, program, "--query-gpu=uuid,memory.used", "--format=csv,noheader,nounits").Output()
	if err != nil {
		return nil, fmt.Errorf("nvidia-smi: %w", err)
	}
	return usedMemory(string(data))
}

// usedMemory reads lines of an id and a number.
func usedMemory(text string) (map[string]int, error) {
	used := map[string]int{}
	for line := range strings.Lines(text) {
		id, number, _ := strings.Cut(strings.TrimSpace(line), ",")
		if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
			used[id] = n
		}
	}
	if len(used) == 0 {
		return nil, fmt.Errorf("nvidia-smi shows no GPU: %s", shorten(strings.TrimSpace(text), 100))
	}
	return used, nil
}

// Memory watches the memory of the GPUs from before a target to its end.
type Memory struct {
	before map[string]int
	err    error
	limit  time.Duration
	pause  time.Duration
}

// WatchMemory looks before a target starts.
func WatchMemory(ctx context.Context) *Memory {
	m := &Memory{limit: freeLimit, pause: freePause}
	m.before, m.err = UsedMemory(ctx)
	return m
}

// WaitFree waits until as much memory is free as before the target. The error says who holds how much.
func (m *Memory) WaitFree(ctx context.Context) error {
	if m.err != nil {
		return fmt.Errorf("whether the GPU's memory is free again is not known: %w", m.err)
	}
	ctx, cancel := context.WithTimeout(ctx, m.limit)
	defer cancel()
	more := "nvidia-smi did not answer in that time"
	for {
		now, err := UsedMemory(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			return fmt.Errorf("whether the GPU's memory is free again is not known: %w", err)
		case err == nil:
			if more = m.more(now); more == "" {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %s the GPU's memory is not free again: %s; the next target may find too little", m.limit, more)
		case <-time.After(m.pause):
		}
	}
}

// more names the GPUs that have more in use than before; empty when none has.
func (m *Memory) more(now map[string]int) string {
	var out []string
	for id, used := range now {
		if before, ok := m.before[id]; ok && used > before+freeSlack {
			out = append(out, fmt.Sprintf("%s has %d MiB in use, %d MiB before", id, used, before))
		}
	}
	return strings.Join(out, ", ")
}
