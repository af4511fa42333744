package wire_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/wire"
)

// patience is far above what an exchange on the loopback takes, and short enough to wait for on purpose.
const patience = 250 * time.Millisecond

func post(body string) contract.Request {
	return contract.Request{Method: "POST", Path: contract.EmbeddingsPath, ContentType: "application/json", Body: []byte(body)}
}

func client(t *testing.T, base string, o wire.Options) *wire.Client {
	t.Helper()
	c := wire.New(base, o)
	t.Cleanup(c.Close)
	return c
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func do(t *testing.T, c *wire.Client, r contract.Request) contract.Step {
	t.Helper()
	s, err := c.Do(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// raw answers each connection by hand: it reads a request and calls answer, until that returns false.
type raw struct {
	url      string
	requests atomic.Int64
	conns    atomic.Int64
}

func serveRaw(t *testing.T, answer func(n int64, c net.Conn) bool) *raw {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &raw{url: "http://" + l.Addr().String()}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.conns.Add(1)
			wg.Go(func() {
				defer func() { _ = c.Close() }()
				in := bufio.NewReader(c)
				for {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, r.Body)
					if !answer(s.requests.Add(1), c) {
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() { _ = l.Close() })
	return s
}

func write(c net.Conn, text string) { _, _ = io.WriteString(c, text) }

func TestAnswerIsKeptAsItIs(t *testing.T) {
	body := "{ \"data\" :\t[] }\r\n\xff"
	var got *http.Request
	var sent []byte
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		sent, _ = io.ReadAll(r.Body)
		w.Header()["X-Many"] = []string{"a", "b"}
		w.WriteHeader(418)
		_, _ = io.WriteString(w, body)
	})
	before := time.Now()
	step := do(t, client(t, s.URL+"/", wire.Options{Key: "sk-1"}), post(`{"input": "x"}`))
	if step.Status != 418 || string(step.Body) != body || step.Fault != "" || strings.Join(step.Header["X-Many"], " ") != "a b" {
		t.Errorf("%+v", step)
	}
	if step.Sent.Before(before) || step.TTFB <= 0 || step.Took < step.TTFB {
		t.Errorf("sent %v, first byte after %v, last after %v", step.Sent, step.TTFB, step.Took)
	}
	if string(step.Request.Body) != `{"input": "x"}` || string(sent) != `{"input": "x"}` || got.URL.Path != "/v1/embeddings" || got.Method != "POST" {
		t.Errorf("%s %s with %q", got.Method, got.URL, sent)
	}
	for name, want := range map[string]string{"Authorization": "Bearer sk-1", "Content-Type": "application/json", "Accept": "application/json",
		"User-Agent": "embedcontract", "Accept-Encoding": ""} {
		if v := got.Header.Get(name); v != want {
			t.Errorf("%s is %q, want %q", name, v, want)
		}
	}
	do(t, client(t, s.URL, wire.Options{}), contract.Request{Method: "GET", Path: "/v1/models"})
	if got.Header["Authorization"] != nil || got.Header["Content-Type"] != nil || got.Method != "GET" || got.URL.Path != "/v1/models" {
		t.Errorf("a request without key and body: %s %s %v", got.Method, got.URL, got.Header)
	}
}

func TestNoContentAndChunks(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/none" {
			w.WriteHeader(204)
			return
		}
		for i := range 3 {
			_, _ = fmt.Fprintf(w, "part %d;", i)
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	})
	c := client(t, s.URL, wire.Options{})
	if step := do(t, c, contract.Request{Method: "POST", Path: "/none"}); step.Status != 204 || len(step.Body) != 0 || step.Fault != "" || !step.OK() {
		t.Errorf("204: %+v", step)
	}
	step := do(t, c, post("{}"))
	if step.Status != 200 || string(step.Body) != "part 0;part 1;part 2;" || step.Fault != "" {
		t.Errorf("chunks: %+v", step)
	}
	if step.Took-step.TTFB < 5*time.Millisecond {
		t.Errorf("first byte after %v, last after %v: the parts came 5 ms apart", step.TTFB, step.Took)
	}
}

func TestCompressedIsNotOpened(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, "\x1f\x8bnot really")
	})
	if step := do(t, client(t, s.URL, wire.Options{}), post("{}")); string(step.Body) != "\x1f\x8bnot really" || step.Fault != "" {
		t.Errorf("%+v", step)
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		var n atomic.Int64
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			n.Add(1)
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "over there")
		})
		step := do(t, client(t, s.URL, wire.Options{Key: "k"}), post("{}"))
		if step.Status != status || step.Header["Location"][0] != "/elsewhere" || string(step.Body) != "over there" || n.Load() != 1 {
			t.Errorf("%d: %+v after %d requests", status, step, n.Load())
		}
	}
}

func TestFaults(t *testing.T) {
	refused, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + refused.Addr().String()
	_ = refused.Close()
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	by := func(answer func(c net.Conn)) string {
		return serveRaw(t, func(_ int64, c net.Conn) bool { answer(c); return false }).url
	}
	for _, c := range []struct {
		name, url string
		fault     contract.Fault
		body      string // what is kept of it
		detail    string
	}{
		{"nobody listens", nobody, contract.FaultRefused, "", "refused"},
		{"no such host", "http://nought.invalid", contract.FaultRefused, "", ""},
		{"no answer", by(func(net.Conn) { <-hold }), contract.FaultTimeout, "", "no complete answer within 250ms"},
		{"a body that stops", by(func(c net.Conn) { write(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"); <-hold }), contract.FaultTimeout, "half", "within 250ms"},
		{"closed at once", by(func(net.Conn) {}), contract.FaultClosed, "", ""},
		// Up to the end of the head it is no HTTP answer, whatever the reason.
		{"closed in the status line", by(func(c net.Conn) { write(c, "HTTP/1.1 2") }), contract.FaultNotHTTP, "", ""},
		{"closed in the headers", by(func(c net.Conn) { write(c, "HTTP/1.1 200 OK\r\nContent-") }), contract.FaultNotHTTP, "", ""},
		{"closed in the body", by(func(c net.Conn) { write(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf") }), contract.FaultClosed, "half", ""},
		{"closed in a chunk", by(func(c net.Conn) { write(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf") }), contract.FaultClosed, "half", ""},
		{"closed between chunks", by(func(c net.Conn) { write(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n") }), contract.FaultClosed, "half", ""},
		{"reset", by(func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }), contract.FaultClosed, "", ""},
		{"headers without end", by(func(c net.Conn) {
			write(c, "HTTP/1.1 200 OK\r\n"+strings.Repeat("X-Y: "+strings.Repeat("z", 1000)+"\r\n", 1000)+"\r\n")
		}), contract.FaultNotHTTP, "", "headers exceeded"},
		{"a status of 0", by(func(c net.Conn) { write(c, "HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\n{}") }), contract.FaultNotHTTP, "{}", "status 000"},
		{"a status below all", by(func(c net.Conn) { write(c, "HTTP/1.1 099 OK\r\nContent-Length: 2\r\n\r\n{}") }), contract.FaultNotHTTP, "{}", "status 099"},
		{"a long line of another protocol", by(func(c net.Conn) { write(c, strings.Repeat("z", 100_000)+"\r\n\r\n") }), contract.FaultNotHTTP, "", "zz…"},
		{"another protocol", by(func(c net.Conn) { write(c, "SSH-2.0-OpenSSH_9.6\r\n") }), contract.FaultNotHTTP, "", "malformed"},
		{"chunks that are none", by(func(c net.Conn) { write(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n") }), contract.FaultNotHTTP, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			step := do(t, client(t, c.url, wire.Options{Timeout: patience}), post("{}"))
			if step.Fault != c.fault || step.Status != 0 || string(step.Body) != c.body || !strings.Contains(step.Detail, c.detail) {
				t.Errorf("fault %q (%s), status %d, body %q", step.Fault, step.Detail, step.Status, step.Body)
			}
			// Addresses differ from run to run, and a recording must not.
			if strings.Contains(step.Detail, "127.0.0.1") || step.Detail == "" {
				t.Errorf("detail %q", step.Detail)
			}
			if step.OK() || step.Took <= 0 {
				t.Errorf("%+v", step)
			}
		})
	}
}

func TestCertificateIsRefused(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = nil
	s.StartTLS()
	t.Cleanup(s.Close)
	if step := do(t, client(t, s.URL, wire.Options{}), post("{}")); step.Fault != contract.FaultRefused || !strings.Contains(step.Detail, "certificate") {
		t.Errorf("%+v", step)
	}
}

func TestTooLarge(t *testing.T) {
	for _, limit := range []int{100, 1 << 20} { // below and above what is kept of such a body
		stopped := make(chan struct{})
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			defer close(stopped)
			for r.Context().Err() == nil { // a body without an end
				if _, err := w.Write(make([]byte, 32<<10)); err != nil {
					return
				}
			}
		})
		step := do(t, client(t, s.URL, wire.Options{MaxBody: int64(limit)}), post("{}"))
		if step.Fault != contract.FaultTooLarge || step.Status != 0 || !strings.Contains(step.Detail, fmt.Sprint(limit)) {
			t.Errorf("limit %d: %q %s", limit, step.Fault, step.Detail)
		}
		if len(step.Body) == 0 || len(step.Body) > limit || len(step.Body) > 64<<10 {
			t.Errorf("limit %d: %d bytes are kept", limit, len(step.Body))
		}
		select {
		case <-stopped:
		case <-time.After(5 * time.Second):
			t.Errorf("limit %d: the server is still sending", limit)
		}
	}
	exact := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 100)) })
	if step := do(t, client(t, exact.URL, wire.Options{MaxBody: 100}), post("{}")); step.Fault != "" || len(step.Body) != 100 {
		t.Errorf("a body of just the limit: %q, %d bytes", step.Fault, len(step.Body))
	}
}

const fine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

// Requests to a server that limits them start no sooner than they may, side by side, too.
func TestGapBetweenRequests(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	const gap, n = 20 * time.Millisecond, 6
	c := client(t, s.URL, wire.Options{Gap: gap})
	var all sync.WaitGroup
	sent := make([]time.Time, n)
	for i := range n {
		all.Go(func() { sent[i] = do(t, c, post("{}")).Sent })
	}
	all.Wait()
	slices.SortFunc(sent, time.Time.Compare)
	for i := 1; i < n; i++ {
		if least := sent[i].Sub(sent[0]); least < time.Duration(i)*gap-gap/4 {
			t.Errorf("request %d started %s after the first", i+1, least)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Do(ctx, post("{}")); err == nil {
		t.Error("a cancelled request was sent")
	}
}
