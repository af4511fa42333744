package main

import (
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"

	"github.com/embedcontract/embedcontract/fixtures"
)

// A recording is found by its name wherever one is read, and a name that is close is offered.
func TestRecordingsAreFoundByName(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	one, two := embeddedTarget(t, "one", "honest", ""), embeddedTarget(t, "two", "honest", "")
	if code, stdout, stderr := command(t, "run", one, two, "--focus", "^unit_norm/", "--out", out); code > exitNothing {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"judge", []string{"judge", "one", "two", "--focus", "^unit_norm/"}, exitOK, "two"},
		{"judge, misspelt", []string{"judge", "one", "tow"}, exitUsage, `no recording "tow" (did you mean "two"?)`},
		{"judge, a path", []string{"judge", filepath.Join(out, "one", "nought")}, exitUsage, "nought"},
		{"judge, a folder of recordings that is not there", []string{"judge", "one", "--recordings", filepath.Join(out, "nought")}, exitUsage, "nought is no folder"},
		{"swap, a folder of recordings that is not there", []string{"swap", "legacy", "dynamo-1.6.1", "--recordings", filepath.Join(out, "nought")}, exitUsage, "nought is no folder"},
		{"diff", []string{"diff", "one", "two", "--focus", "^unit_norm/"}, exitOK, "one"},
		{"diff, misspelt", []string{"diff", "on", "two"}, exitUsage, `no recording "on" (did you mean "one"?)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !slices.Contains(c.args, "--recordings") {
				c.args = append(c.args, "--recordings", out)
			}
			code, stdout, stderr := command(t, c.args...)
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, stdout, stderr)
			}
			wantIn(t, stdout+stderr, c.want)
		})
	}
}

// A server that is running is named by its URL; what settles an open question names what a reader can name.
func TestSwapForAServerThatIsRunning(t *testing.T) {
	t.Parallel()
	h, err := fixtures.Emulator("vllm-0.31")
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	defer srv.Close()
	out := t.TempDir()
	code, stdout, stderr := command(t, "swap", "legacy-emulated", srv.URL, "--recordings", out, "--out", out)
	if code != exitNo {
		t.Fatalf("exit code %d, want %d\n%s%s", code, exitNo, stdout, stderr)
	}
	wantIn(t, stdout, "127.0.0.1", "in place of legacy-emulated", "CLIENTS", "--url "+srv.URL)

	mine := embeddedTarget(t, "mine", "honest", "")
	if code, stdout, stderr := command(t, "run", mine, "--reference", filepath.Join(out, "legacy-emulated"), "--out", out); code > exitNothing {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	_, stdout, _ = command(t, "swap", "mine", "legacy-emulated", "--recordings", out)
	wantIn(t, stdout, "embedcontract run --reference "+filepath.Join(out, "mine")+" legacy-emulated --extended")
	_, stdout, _ = command(t, "swap", "legacy-emulated", "mine", "--recordings", out)
	wantIn(t, stdout, "embedcontract run legacy-emulated TARGET-FILE-OF-mine --extended")
}

// README leads with this line: both servers are running, and are named by their URLs.
func TestSwapOfTwoServersThatAreRunning(t *testing.T) {
	t.Parallel()
	var urls []string
	for _, name := range []string{"legacy", "vllm-0.31"} {
		h, err := fixtures.Emulator(name)
		if err != nil {
			t.Fatal(err)
		}
		srv := httptest.NewServer(h)
		defer srv.Close()
		urls = append(urls, srv.URL)
	}
	code, stdout, stderr := command(t, "swap", urls[0], urls[1])
	if code != exitNo {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	wantIn(t, stdout, " in place of ", "CLIENTS", "INDEX")
}
