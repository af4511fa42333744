package container

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/system"
	"github.com/testcontainers/testcontainers-go"
)

func TestOffered(t *testing.T) {
	for _, c := range []struct {
		name string
		info system.Info
		hook bool
		want string
	}{
		{"nothing", system.Info{Runtimes: map[string]system.RuntimeWithStatus{"runc": {}}}, false, ""},
		{"runtime", system.Info{Runtimes: map[string]system.RuntimeWithStatus{"runc": {}, "nvidia": {}}}, false, ViaNvidia},
		{"hook", system.Info{}, true, ViaNvidia},
		{"other CDI devices", system.Info{DiscoveredDevices: []system.DeviceInfo{{Source: "cdi", ID: "amd.com/gpu=0"}}}, false, ""},
		{"CDI before runtime", system.Info{Runtimes: map[string]system.RuntimeWithStatus{"nvidia": {}},
			DiscoveredDevices: []system.DeviceInfo{{Source: "cdi", ID: "nvidia.com/gpu=0"}}}, false, ViaCDI},
	} {
		if got := offered(c.info, c.hook); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCheckSaysWhatIsMissing(t *testing.T) {
	context := t.TempDir()
	if err := os.WriteFile(filepath.Join(context, "Dockerfile"), []byte("FROM scratch\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	build := &Build{Context: context}
	here := func(change func(*facts)) facts {
		f := facts{info: system.Info{ServerVersion: "28.0", OSType: "linux", MemTotal: 16 << 30, DockerRootDir: "/data"},
			local: true, host: "unix:///x", memory: 12 << 30, disk: 20 << 30, images: map[string]bool{}}
		if change != nil {
			change(&f)
		}
		return f
	}
	gpu := func(g GPUs) []Spec { return []Spec{{Name: "worker", Build: build, Resources: Resources{GPUs: g}}} }
	for _, c := range []struct {
		name  string
		facts facts
		specs []Spec
		want  []string // none: all is well
	}{
		{"fits", here(nil), []Spec{{Name: "a", Build: build, Resources: Resources{Memory: 6 << 30, Disk: 19 << 30}},
			{Name: "b", Build: build, Resources: Resources{Memory: 6 << 30, Disk: 19 << 30}}}, nil}, // the same image, once
		{"GPU, none offered", here(nil), gpu(GPUs{All: true}),
			[]string{"component worker asks for all GPUs", "Docker 28.0", "nvidia-container-toolkit", "nvidia-ctk runtime configure", "legacy-container"}},
		{"GPU by the runtime", here(func(f *facts) { f.via = ViaNvidia }), gpu(GPUs{Count: 1}), nil},
		{"GPU by CDI, only the runtime", here(func(f *facts) { f.via = ViaNvidia }), gpu(GPUs{Count: 1, Via: ViaCDI}), []string{"1 GPU by CDI"}},
		{"GPU by CDI, engine before it lists devices", here(func(f *facts) { f.info.CDISpecDirs = []string{"/etc/cdi"} }), gpu(GPUs{Count: 1, Via: ViaCDI}), nil},
		{"GPU by the runtime, only CDI", here(func(f *facts) { f.via = ViaCDI }), gpu(GPUs{Devices: []string{"0"}, Via: ViaNvidia}), []string{"GPUs [0] by NVIDIA's runtime"}},
		{"memory of the engine", here(nil), []Spec{{Name: "a", Build: build, Resources: Resources{Memory: 17 << 30}}}, []string{"17.0 GiB", "the engine has 16.0 GiB"}},
		{"memory of the machine", here(nil), []Spec{{Name: "a", Build: build, Resources: Resources{Memory: 13 << 30}}}, []string{"free 12.0 GiB"}},
		{"disk", here(nil), []Spec{{Name: "a", Build: build, Resources: Resources{Disk: 30 << 30}}}, []string{"30.0 GiB", "/data has 20.0 GiB", "system prune"}},
		{"disk, image there", here(func(f *facts) { f.images["a"] = true }), []Spec{{Name: "a", Build: build, Resources: Resources{Disk: 30 << 30}}}, nil},
		{"mount", here(nil), []Spec{{Name: "a", Build: build, Mounts: []Mount{{"/no/such/model", "/model"}}}}, []string{"/no/such/model", "prepare.sh model"}},
		{"remote", here(func(f *facts) { f.local, f.host = false, "tcp://10.0.0.7:2375" }), []Spec{{Name: "a", Build: build}}, []string{"tcp://10.0.0.7:2375", "another machine"}},
		{"windows", here(func(f *facts) { f.info.OSType = "windows" }), []Spec{{Name: "a", Build: build}}, []string{"windows containers"}},
	} {
		err := check(c.facts, c.specs)
		if (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q is missing in: %v", c.name, w, err)
			}
		}
	}
}

func TestImageOfABuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "legacy")
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ref := func(base string) string {
		t.Helper()
		r, err := Spec{Build: &Build{Context: dir, Base: base}}.ref()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if _, err := (Spec{Build: &Build{Context: dir}}).ref(); err == nil || !strings.Contains(err.Error(), "no Dockerfile") {
		t.Error("without a Dockerfile:", err)
	}
	put("Dockerfile", "FROM scratch\n")
	put(".dockerignore", "# why\n*\n!server.py\n")
	put("server.py", "1")
	first := ref("embedcontract/base")
	if !strings.HasPrefix(first, "embedcontract/legacy:") || len(first) != len("embedcontract/legacy:")+12 {
		t.Error(first)
	}
	put("README.md", "not copied")
	if ref("embedcontract/base") != first {
		t.Error("a file that is ignored makes another image")
	}
	if ref("other") == first {
		t.Error("another base makes the same image")
	}
	put("server.py", "2")
	second := ref("embedcontract/base")
	put("Dockerfile", "FROM scratch\nUSER 1\n")
	if third := ref("embedcontract/base"); second == first || third == second {
		t.Error("a change makes the same image")
	}
	put(".dockerignore", "*\n!server.py\n!locks/1.lock\n")
	put("locks/1.lock", "1")
	put("locks/2.lock", "not copied")
	one := ref("")
	put("locks/2.lock", "still not copied")
	if ref("") != one {
		t.Error("a file of a folder that is ignored makes another image")
	}
	put("locks/1.lock", "2")
	if ref("") == one {
		t.Error("a file of a folder that is copied does not count")
	}
	put(".dockerignore", "*.md\n") // not a form that is understood: everything counts
	before := ref("")
	put("notes.txt", "x")
	if ref("") == before {
		t.Error("a file that may be copied does not count")
	}
}

// TestWhatIsBuiltIsWhatCounts compares the files that name an image with those that an engine is sent.
func TestWhatIsBuiltIsWhatCounts(t *testing.T) {
	for context, want := range map[string]string{"dynamo": "Dockerfile locks/1.6.1.lock", "legacy": "Dockerfile requirements.lock server.py"} {
		dir := filepath.Join("..", "..", "..", "fixtures", context)
		names, err := Build{Context: dir}.files()
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s is named after %q, want %q", context, got, want)
		}
		sent, err := (&testcontainers.ContainerRequest{FromDockerfile: testcontainers.FromDockerfile{Context: dir}}).GetContext()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for r := tar.NewReader(sent); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if h.Typeflag == tar.TypeReg && h.Name != ".dockerignore" { // which is always sent
				got = append(got, h.Name)
			}
		}
		if slices.Sort(got); !slices.Equal(got, names) {
			t.Errorf("of %s the engine is sent %q, and the image is named after %q", context, got, names)
		}
	}
}

func TestPinned(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("0a", 32)
	for image, want := range map[string]bool{"a/b:1": false, "a/b:1@sha256:0a": false, "a/b:1" + digest: true, "a/b" + digest: true} {
		if Pinned(image) != want {
			t.Errorf("%s: %v", image, !want)
		}
	}
	for base, valid := range map[string]bool{"": true, "embedcontract/base": true, "nvidia/cuda:13": false, "nvidia/cuda:13" + digest: true} {
		if err := (Build{Base: base}).Valid(); (err == nil) != valid {
			t.Errorf("%q: %v", base, err)
		}
	}
	if r := Resolve("a/b:1"); !strings.Contains(r, "imagetools inspect a/b:1`") || !strings.Contains(r, "docker pull a/b:1`") {
		t.Error(r)
	}
}
