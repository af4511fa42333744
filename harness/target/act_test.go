//go:build unix

package target

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

func TestWorkerOfATarget(t *testing.T) {
	s := fake(t, "", "serve", "serve")
	if w := s.Worker().Name; w != "c1" {
		t.Errorf("without a word the worker is %s, want the last component", w)
	}
	file := fakeFile(t, "", "serve", "serve")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	marked, err := Parse("t.yaml", []byte(strings.Replace(string(data), "    serves: true\n", "    serves: true\n    worker: true\n", 1)))
	if err != nil || marked.Worker().Name != "c0" {
		t.Errorf("%v, %v", marked, err)
	}
	_, err = Parse("t.yaml", []byte(strings.ReplaceAll(string(data), "    runtime: process\n", "    runtime: process\n    worker: true\n")))
	if err == nil || !strings.Contains(err.Error(), "more than one component has worker: true") {
		t.Errorf("two workers: %v", err)
	}
}

// A worker that was stopped or killed is gone, and after its start the target answers as before, at the same address.
func TestWorkerIsStoppedAndStarted(t *testing.T) {
	for _, end := range []contract.Action{contract.StopWorker, contract.KillWorker} {
		t.Run(string(end), func(t *testing.T) {
			srv, _ := start(t, fake(t, "", "serve"))
			url := srv.BaseURL()
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			out, err := srv.Act(ctx, end)
			if err != nil || string(out) != `{"component":"c0","runtime":"process"}` {
				t.Fatalf("%s, %v", out, err)
			}
			eventually(t, "the end of the worker", func() bool { return srv.Alive() != nil })
			if err := post(url); err == nil {
				t.Error("a worker that has ended answers")
			}
			if _, err := srv.Act(ctx, end); err == nil || !strings.Contains(err.Error(), "it is not running") {
				t.Errorf("ended twice: %v", err)
			}
			if _, err := srv.Act(ctx, contract.StartWorker); err != nil {
				t.Fatal(err)
			}
			if err := post(url); err != nil || srv.BaseURL() != url || srv.Alive() != nil {
				t.Errorf("started again: %v, %s, %v", err, srv.BaseURL(), srv.Alive())
			}
		})
	}
}

func TestWhatCannotBeDone(t *testing.T) {
	srv, _ := start(t, fake(t, "", "serve"))
	_, err := srv.Act(context.Background(), "sing")
	if why, ok := contract.Inapplicability(err); !ok || !strings.Contains(why, `"sing"`) {
		t.Errorf("%v", err)
	}
	srv.spec.Components[0].Runtime = runtimeContainer
	srv.running[0] = unruly{srv.running[0]}
	_, err = srv.Act(context.Background(), contract.StopWorker)
	if why, ok := contract.Inapplicability(err); !ok || !strings.Contains(why, "runtime container") {
		t.Errorf("%v", err)
	}
	srv.running[0] = srv.running[0].(unruly).instance
}

// unruly is an instance that cannot be signalled.
type unruly struct{ instance }

// A worker that ends again before it is ready is told so, and not waited for.
func TestWorkerThatDoesNotComeBack(t *testing.T) {
	srv, _ := start(t, fake(t, "ready: {timeout: 5s}", "serve"))
	if _, err := srv.Act(context.Background(), contract.KillWorker); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the worker", func() bool { return srv.Alive() != nil })
	srv.mu.Lock()
	p := srv.running[0].(*processInstance)
	p.component.Env = map[string]string{"TARGET_FAKE": "exit3", "PORT": "${port}", "PIDFILE": "-"}
	srv.mu.Unlock()
	begun := time.Now()
	_, err := srv.Act(context.Background(), contract.StartWorker)
	if err == nil || time.Since(begun) > 4*time.Second {
		t.Errorf("after %s: %v", time.Since(begun), err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("interrupted"))
	if _, err := srv.Act(ctx, contract.StartWorker); err == nil {
		t.Error("started though the run was interrupted")
	}
}
