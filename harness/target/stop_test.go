package target

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestStopKillsWhatIgnoresSIGTERM(t *testing.T) {
	t.Parallel()
	srv, _ := start(t, fake(t, "", "stubborn"))
	id, begun := leaders(srv)[0], time.Now()
	if err := srv.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took < 300*time.Millisecond || took > DefaultGrace/2 {
		t.Errorf("stopped after %s; its grace is 300 ms", took)
	}
	if id.runs() {
		t.Error("it still runs")
	}
}

// Both components have a worker; the second component goes first.
func TestStopsInReverseOrderAndLetsServersWindDown(t *testing.T) {
	t.Parallel()
	s := fake(t, "", "orderly", "orderly")
	s.Components[0].Grace, s.Components[1].Grace = DefaultGrace, DefaultGrace // a busy machine needs more than 300 ms
	srv, _ := start(t, s)
	eventually(t, "the start of both", func() bool {
		return strings.Count(fmt.Sprint(srv.Logs(time.Time{})), "can be stopped") == 2
	})
	if err := srv.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	var order []string
	for _, l := range srv.Logs(time.Time{}) {
		if strings.HasPrefix(l.Text, "wound down in order") {
			order = append(order, l.Component)
		}
	}
	if strings.Join(order, " ") != "c1 c0" {
		t.Errorf("wound down: %q\n%v", order, srv.Logs(time.Time{}))
	}
}

func TestStopInAHurryDoesNotWaitForTheGrace(t *testing.T) {
	t.Parallel()
	s := fake(t, "", "stubborn")
	s.Components[0].Grace = time.Minute
	srv, _ := start(t, s)
	id := leaders(srv)[0]
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if err := srv.Stop(ctx); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took > DefaultGrace/2 || id.runs() {
		t.Errorf("after %s; runs: %v", took, id.runs())
	}
}

func TestContextStopsTheServer(t *testing.T) {
	t.Parallel()
	t.Run("while it runs", func(t *testing.T) {
		t.Parallel()
		cache := t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		srv, err := fake(t, "", "good").Start(ctx, Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		id := leaders(srv)[0]
		cancel()
		eventually(t, "the stop", func() bool { return !id.runs() })
		if err := srv.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		cleared(t, cache)
	})
	t.Run("while it starts", func(t *testing.T) {
		t.Parallel()
		cache := t.TempDir()
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		_, err := fake(t, "", "never").Start(ctx, Options{Cache: cache})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		contains(t, err.Error(), "of waiting for an embedding (last answer: ")
		cleared(t, cache)
	})
}

func TestPanicOfTheCallerStopsTheServer(t *testing.T) {
	t.Parallel()
	s, cache := fake(t, "", "good"), t.TempDir()
	var id identity
	func() {
		defer func() { _ = recover() }()
		srv, err := s.Start(context.Background(), Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = srv.Stop(context.Background()) }()
		id = leaders(srv)[0]
		panic("a check went wrong")
	}()
	if id.PID == 0 || id.runs() {
		t.Error("still running:", id)
	}
	cleared(t, cache)
}
