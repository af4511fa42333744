package wire_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/wire"
)

// A server that is asked twice when it was asked once gives a verdict about another request than the one in the
// recording; and what kills a server would be sent again. The transport of the standard library repeats requests
// on connections that it used before.
func TestNoRequestIsRepeated(t *testing.T) {
	for _, r := range []contract.Request{post(`{"input":"x"}`), {Method: "POST", Path: "/v1/embeddings"}, {Method: "GET", Path: "/v1/models"},
		{Method: "HEAD", Path: "/"}, {Method: "OPTIONS", Path: "/"}, {Method: "DELETE", Path: "/"}} {
		for name, closes := range map[string]func(c net.Conn){
			"closed":                    func(net.Conn) {},
			"reset":                     func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) },
			"closed in the status line": func(c net.Conn) { write(c, "HTT") },
		} {
			t.Run(r.Method+fmt.Sprint(len(r.Body))+" "+name, func(t *testing.T) {
				s := serveRaw(t, func(n int64, c net.Conn) bool {
					if n == 1 {
						write(c, fine)
						return true
					}
					closes(c)
					return false
				})
				c := client(t, s.url, wire.Options{Timeout: time.Second})
				if step := do(t, c, post("{}")); step.Status != 200 {
					t.Fatalf("the first request: %+v", step)
				}
				step := do(t, c, r)
				if (step.Fault != contract.FaultClosed && name != "closed in the status line") || step.Fault == "" || step.Status != 0 {
					t.Errorf("fault %q (%s), status %d", step.Fault, step.Detail, step.Status)
				}
				if s.conns.Load() != 1 || s.requests.Load() != 2 {
					t.Errorf("2 requests were made; the server saw %d, on %d connections", s.requests.Load(), s.conns.Load())
				}
			})
		}
	}
}

// A server that closes a connection as soon as it has answered races with the next request on it. Whoever wins, no
// request is seen twice, and none that was sent is told as anything but closed.
func TestNoRequestIsRepeatedInARace(t *testing.T) {
	s := serveRaw(t, func(_ int64, c net.Conn) bool { write(c, fine); return false })
	c := client(t, s.url, wire.Options{Timeout: time.Second})
	const asked = 200
	for range asked {
		if step := do(t, c, post("{}")); step.Status != 200 && step.Fault != contract.FaultClosed {
			t.Fatalf("fault %q (%s), status %d", step.Fault, step.Detail, step.Status)
		}
	}
	if n := s.requests.Load(); n > asked {
		t.Errorf("%d requests were made, the server saw %d", asked, n)
	}
}

func TestErrorStatusIsNotRepeated(t *testing.T) {
	for _, status := range []int{408, 429, 500, 502, 503, 504} {
		var n atomic.Int64
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			n.Add(1)
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(status)
		})
		if step := do(t, client(t, s.URL, wire.Options{}), post("{}")); step.Status != status || n.Load() != 1 {
			t.Errorf("%d: status %d after %d requests", status, step.Status, n.Load())
		}
	}
}

// The body of a GET without one must not become an empty chunked body: servers refuse that.
func TestEmptyBodiesSendNone(t *testing.T) {
	var seen []string
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		seen = append(seen, fmt.Sprint(r.Method, " ", r.ContentLength, " ", r.TransferEncoding, " ", r.Header["Content-Length"]))
	})
	c := client(t, s.URL, wire.Options{})
	for _, m := range []string{"GET", "HEAD", "OPTIONS", "DELETE", "POST"} {
		do(t, c, contract.Request{Method: m, Path: "/"})
	}
	if got, want := strings.Join(seen, "; "), "GET 0 [] []; HEAD 0 [] []; OPTIONS 0 [] []; DELETE 0 [] []; POST 0 [] [0]"; got != want {
		t.Errorf("seen %s, want %s", got, want)
	}
}

func TestCancelledContext(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	arrived := make(chan struct{}, 1)
	s := serveRaw(t, func(n int64, c net.Conn) bool {
		if n == 2 {
			write(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
		}
		arrived <- struct{}{}
		<-hold
		return false
	})
	c := client(t, s.url, wire.Options{Timeout: time.Minute})
	why := errors.New("the user has gone home")
	for _, when := range []string{"before the answer", "in the middle of the body"} {
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() { <-arrived; cancel(why) }()
		if step, err := c.Do(ctx, post("{}")); !errors.Is(err, why) || step.Fault != "" {
			t.Errorf("%s: %v, fault %q", when, err, step.Fault)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	before := s.requests.Load()
	if _, err := c.Do(ctx, post("{}")); !errors.Is(err, why) || s.requests.Load() != before {
		t.Errorf("cancelled before: %v, %d requests more", err, s.requests.Load()-before)
	}
}

// A server that closes the connection after an error, without a word, is asked on another one the next time: what is lost
// on the old one would look like a server that is down.
func TestConnectionIsNotUsedAfterAnError(t *testing.T) {
	for _, status := range []string{"500 Internal Server Error", "400 Bad Request", "307 Temporary Redirect"} {
		s := serveRaw(t, func(n int64, c net.Conn) bool {
			if n%2 == 1 {
				write(c, "HTTP/1.1 "+status+"\r\nContent-Length: 2\r\n\r\n{}")
				time.Sleep(time.Millisecond) // the client has read the answer and may use the connection again
				return false
			}
			write(c, fine)
			return true
		})
		c := client(t, s.url, wire.Options{Timeout: time.Second})
		for i := range 20 {
			want := 200
			if i%2 == 0 {
				want = 0
			}
			step := do(t, c, post("{}"))
			if step.Fault != "" || want == 200 && step.Status != 200 {
				t.Fatalf("%s, request %d: %q (%s), status %d", status, i+1, step.Fault, step.Detail, step.Status)
			}
		}
	}
}
