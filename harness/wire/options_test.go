package wire_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/wire"
)

// What a request says of its own header, of how long it waits and of how much it reads goes before what holds for all.
func TestRequestsSayWhatHoldsForThem(t *testing.T) {
	var got http.Header
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		switch r.URL.Path {
		case "/slow":
			select {
			case <-time.After(2 * patience):
			case <-r.Context().Done():
			}
		case "/long":
			_, _ = w.Write([]byte(strings.Repeat("x", 500)))
		}
	})
	c := client(t, s.URL, wire.Options{Key: "sk-1", Timeout: patience, MaxBody: 100})
	ask := func(path string, change func(*contract.Request)) contract.Step {
		r := contract.Request{Method: "POST", Path: path, Body: []byte("{}")}
		change(&r)
		return do(t, c, r)
	}
	ask("/", func(r *contract.Request) { r.Header = map[string]string{"Authorization": "", "X-Request-Id": "a"} })
	if got["Authorization"] != nil || got.Get("X-Request-Id") != "a" {
		t.Errorf("without the key: %v", got)
	}
	ask("/", func(r *contract.Request) { r.Header = map[string]string{"Authorization": "Basic b"} })
	if v := got["Authorization"]; len(v) != 1 || v[0] != "Basic b" {
		t.Errorf("with another one: %v", v)
	}
	for name, f := range map[string]struct {
		path   string
		change func(*contract.Request)
		fault  contract.Fault
	}{
		"impatient": {"/slow", func(*contract.Request) {}, contract.FaultTimeout},
		"patient":   {"/slow", func(r *contract.Request) { r.Patience = time.Minute }, ""},
		"leaves":    {"/slow", func(r *contract.Request) { r.HangUp = patience / 10 }, contract.FaultLeft},
		"no room":   {"/long", func(*contract.Request) {}, contract.FaultTooLarge},
		"room":      {"/long", func(r *contract.Request) { r.Room = 500 }, ""},
		"a share":   {"/long", func(r *contract.Request) { r.Room, r.Share = 500, 499 }, contract.FaultTooLarge},
		"enough":    {"/long", func(r *contract.Request) { r.Room, r.Share = 500, 500 }, ""},
	} {
		if step := ask(f.path, f.change); step.Fault != f.fault {
			t.Errorf("%s: %q %s", name, step.Fault, step.Detail)
		}
	}
	hasty := client(t, s.URL, wire.Options{Timeout: patience, Hasty: true})
	if step := do(t, hasty, contract.Request{Method: "GET", Path: "/slow", Patience: time.Minute}); step.Fault != contract.FaultTimeout {
		t.Errorf("a hasty client waited: %q", step.Fault)
	}
}
