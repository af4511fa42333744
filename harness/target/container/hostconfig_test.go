package container

import (
	"encoding/json"
	"testing"
)

// The exact words in which the engine is asked, one line for each way to ask for a GPU.
func TestHostConfigOfEachGPURequest(t *testing.T) {
	for _, c := range []struct {
		name, via string
		gpus      GPUs
		want      string
	}{
		{"none", ViaNvidia, GPUs{}, `null`},
		{"all, NVIDIA", ViaNvidia, GPUs{All: true},
			`[{"Driver":"nvidia","Count":-1,"DeviceIDs":null,"Capabilities":[["gpu"]],"Options":null}]`},
		{"two, NVIDIA", ViaNvidia, GPUs{Count: 2},
			`[{"Driver":"nvidia","Count":2,"DeviceIDs":null,"Capabilities":[["gpu"]],"Options":null}]`},
		{"devices, NVIDIA", ViaNvidia, GPUs{Devices: []string{"0", "GPU-aa"}},
			`[{"Driver":"nvidia","Count":0,"DeviceIDs":["0","GPU-aa"],"Capabilities":[["gpu"]],"Options":null}]`},
		{"all, CDI", ViaCDI, GPUs{All: true},
			`[{"Driver":"cdi","Count":0,"DeviceIDs":["nvidia.com/gpu=all"],"Capabilities":null,"Options":null}]`},
		{"two, CDI", ViaCDI, GPUs{Count: 2},
			`[{"Driver":"cdi","Count":0,"DeviceIDs":["nvidia.com/gpu=0","nvidia.com/gpu=1"],"Capabilities":null,"Options":null}]`},
		{"devices, CDI", ViaCDI, GPUs{Devices: []string{"GPU-aa"}},
			`[{"Driver":"cdi","Count":0,"DeviceIDs":["nvidia.com/gpu=GPU-aa"],"Capabilities":null,"Options":null}]`},
	} {
		h := hostConfig(Spec{Resources: Resources{GPUs: c.gpus}}, c.via, nil)
		got, err := json.Marshal(h.DeviceRequests)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestHostConfig(t *testing.T) {
	h := hostConfig(Spec{
		Port: 8000, HostPort: 20123, Capabilities: []string{"SYS_NICE"},
		Mounts: []Mount{{"/models/m", "/model"}}, Volumes: []Volume{{"kv", "/kv"}}, Ulimits: []Ulimit{{"memlock", -1, -1}},
		Resources: Resources{Memory: 6 << 30, SHM: 512 << 20},
	}, "", func(name string) string { return "run-" + name })
	got, err := json.Marshal(map[string]any{"bindings": h.PortBindings, "mounts": h.Mounts, "ulimits": h.Ulimits,
		"memory": h.Memory, "swap": h.MemorySwap, "shm": h.ShmSize, "init": h.Init, "caps": h.CapAdd, "privileged": h.Privileged})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"bindings":{"8000/tcp":[{"HostIp":"127.0.0.1","HostPort":"20123"}]},"caps":["SYS_NICE"],"init":true,"memory":6442450944,` +
		`"mounts":[{"Type":"bind","Source":"/models/m","Target":"/model","ReadOnly":true},{"Type":"volume","Source":"run-kv","Target":"/kv"}],` +
		`"privileged":false,"shm":536870912,"swap":6442450944,"ulimits":[{"Name":"memlock","Hard":-1,"Soft":-1}]}`
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}
