package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/session"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// openai-go asks every target, with its key; the others ask when the user said so, and are then there or an error.
func TestWitnessesOfASession(t *testing.T) {
	e := &embedded{switches: "model: {name: tiny-qwen3-embedding}"}
	c := config(e, "")
	told := func(sdk string) contract.Check {
		return contract.Check{ID: "c/" + sdk, Probe: func(ctx context.Context, p contract.Prober) error {
			_, err := p.Do(ctx, "told", contract.Witness(sdk, statement.Batch))
			return err
		}}
	}
	c.Suite.Behaviours[0].Checks = []contract.Check{told("go"), told("python"), told("node")}
	c.Witnesses = []string{"node"}
	c.Tools.Cache = t.TempDir()
	n, err := session.Open(context.Background(), c, spec(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
		e.gone(t)
	}()
	if err := n.Follow(contract.NewPlan("t", n.Facts(), contract.Corpus{Name: "texts"})); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"c/go", "c/python", "c/node"} {
		if err := n.Ask(context.Background(), id); err != nil {
			t.Fatal(err)
		}
	}
	rec := n.Recording()
	steps := rec.Trails("c/go")[0].Steps
	if len(steps) != 1 || len(steps[0].Vectors) != len(statement.Texts()) {
		t.Fatalf("openai-go told %+v", steps)
	}
	out, err := statement.Read(steps[0])
	if err != nil || !out.OK || out.Calls != 1 || len(out.Data) != len(statement.Texts()) {
		t.Errorf("%+v, %v", out, err)
	}
	for i, d := range out.Data {
		if v, ok := d.Vector(); !ok || len(v) != n.Facts().Dimensions {
			t.Errorf("item %d: %d numbers of %d", i, len(v), n.Facts().Dimensions)
		}
	}
	if got := rec.Trails("c/python")[0].Inapplicable; got != "not asked: --witness python" {
		t.Errorf("python: inapplicable %q", got)
	}
	if got := rec.Trails("c/node")[0].Error; !strings.Contains(got, "make witnesses") {
		t.Errorf("node: error %q", got)
	}
}
