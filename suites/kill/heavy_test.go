package kill_test

import (
	"net/http/httptest"
	"testing"

	"github.com/embedcontract/embedcontract/fixtures/emulator"
	"github.com/embedcontract/embedcontract/harness/contract"
)

// A server that answers before it has read all closes the connection, and the client may lose the answer to that: either
// way it is no failure of the server.
func TestLargeBodyOverASocket(t *testing.T) {
	t.Parallel()
	const check = "status_codes/body-too-large"
	l := openLab(t)
	p, err := emulator.Parse("base", []byte(killBase))
	if err != nil {
		t.Fatal(err)
	}
	h, err := emulator.New(p)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	rec, err := l.ask(mutant{name: "socket", shows: check + "=too-large-413"}, 1, fixed(redirected{server.Listener.Addr().String()}))
	if err != nil {
		t.Fatal(err)
	}
	cell := l.cellsOf(rec)[check]
	if cell.Outcome != contract.Pass && cell.Outcome != contract.Differs {
		t.Errorf("%s: %s", cell.Variant(), cell.Finding.Observed)
	}
}
