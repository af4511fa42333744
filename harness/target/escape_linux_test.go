package target

import (
	"context"
	"fmt"
	"testing"
)

func TestStopFindsEscapedGrandchildren(t *testing.T) {
	if _, ok := processes(); !ok {
		t.Fatal("there is no /proc here")
	}
	t.Parallel()
	for _, mode := range []string{"escape", "escape-quiet", "escape-nameless", "escape-bare"} {
		for _, orphaned := range []bool{false, true} {
			if orphaned && mode == "escape-bare" {
				continue // the documented limit: nothing connects it with the run any more
			}
			t.Run(fmt.Sprintf("%s orphaned=%v", mode, orphaned), func(t *testing.T) {
				t.Parallel()
				s := fake(t, "", mode)
				srv, _ := start(t, s)
				child := pidIn(t, s.Components[0].Env["PIDFILE"])
				if !child.runs() {
					t.Fatal("no grandchild")
				}
				if orphaned { // its parent is gone before anybody looks
					if err := signal(leaders(srv)[0].PID, true); err != nil {
						t.Fatal(err)
					}
					eventually(t, "the end of its parent", func() bool { return srv.Alive() != nil })
				}
				if err := srv.Stop(context.Background()); err != nil {
					t.Error(err)
				}
				if child.runs() {
					t.Error("the grandchild still runs")
					_ = signal(child.PID, true)
				}
			})
		}
	}
}
