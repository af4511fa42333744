package container

import (
	"fmt"
	"net/netip"
	"strconv"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
)

// cdiDevice is the kind of NVIDIA's devices in the Container Device Interface.
const cdiDevice = "nvidia.com/gpu"

// hostConfig is what the engine is asked for beside image, command and environment. via is how GPUs are attached,
// ViaNvidia or ViaCDI; volume gives the engine's name of a volume.
func hostConfig(s Spec, via string, volume func(string) string) container.HostConfig {
	// A process 1 that passes signals on and reaps children: engines start many, and vLLM's do not all wait.
	reaper := true
	h := container.HostConfig{
		Init:    &reaper,
		ShmSize: s.Resources.SHM,
		CapAdd:  s.Capabilities,
	}
	h.Memory = s.Resources.Memory
	h.MemorySwap = s.Resources.Memory // the same: no swap, so that too little memory is seen at once
	for _, u := range s.Ulimits {
		h.Ulimits = append(h.Ulimits, &container.Ulimit{Name: u.Name, Soft: u.Soft, Hard: u.Hard})
	}
	for _, m := range s.Mounts {
		h.Mounts = append(h.Mounts, mount.Mount{Type: mount.TypeBind, Source: m.Source, Target: m.Target, ReadOnly: true})
	}
	for _, v := range s.Volumes {
		h.Mounts = append(h.Mounts, mount.Mount{Type: mount.TypeVolume, Source: volume(v.Name), Target: v.Target})
	}
	if s.Port > 0 && s.HostPort > 0 {
		h.PortBindings = network.PortMap{
			network.MustParsePort(fmt.Sprintf("%d/tcp", s.Port)): {{HostIP: loopback, HostPort: strconv.Itoa(s.HostPort)}},
		}
	}
	if r, ok := deviceRequest(s.Resources.GPUs, via); ok {
		h.DeviceRequests = []container.DeviceRequest{r}
	}
	return h
}

var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// deviceRequest says the same in the words of each way to attach a GPU.
func deviceRequest(g GPUs, via string) (container.DeviceRequest, bool) {
	if !g.Wanted() {
		return container.DeviceRequest{}, false
	}
	if via == ViaCDI {
		r := container.DeviceRequest{Driver: "cdi"}
		switch {
		case g.All:
			r.DeviceIDs = []string{cdiDevice + "=all"}
		case g.Count > 0:
			for i := range g.Count { // CDI knows names only, no counts
				r.DeviceIDs = append(r.DeviceIDs, fmt.Sprintf("%s=%d", cdiDevice, i))
			}
		default:
			for _, d := range g.Devices {
				r.DeviceIDs = append(r.DeviceIDs, cdiDevice+"="+d)
			}
		}
		return r, true
	}
	r := container.DeviceRequest{Driver: "nvidia", Capabilities: [][]string{{"gpu"}}}
	switch {
	case g.All:
		r.Count = -1
	case g.Count > 0:
		r.Count = g.Count
	default:
		r.DeviceIDs = g.Devices
	}
	return r, true
}
