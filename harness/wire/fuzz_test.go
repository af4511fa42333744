package wire_test

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/embedcontract/embedcontract/harness/bounds"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/wire"
)

// FuzzAnswer: whatever bytes come in place of an HTTP answer are an answer or a fault, and never an error of ours; what is
// kept of them is bounded, and they are asked for once.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", "HTTP/1.1 999 \r\n\r\n", "HTTP/1.1 099\r\n\r\n", "HTTP/1.1 000 OK\r\n\r\n{}", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", "HTTP/9.9 200\r\n\r\n",
		"HTTP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nx", "HTTP/1.1 200 OK\r\nX-\xff: \xfe\r\nX\r\n\r\n", "HTTP/1.1 " + strings.Repeat("2", 5000) + " OK\r\n\r\n", "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 500) + "\r\n",
		"\x16\x03\x01", "SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08", "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTrailer: X\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n0\r\nX: y\r\n\r\n"} {
		f.Add([]byte(s))
	}
	log.SetOutput(io.Discard) // net/http tells of what comes after an answer
	f.Fuzz(func(t *testing.T, raw []byte) {
		bounds.Hold(t, len(raw), func() {
			asked := 0
			dial := func(context.Context, string, string) (net.Conn, error) {
				asked++
				return &canned{in: bytes.NewReader(raw), asked: make(chan struct{})}, nil
			}
			c := wire.New("http://server.test", wire.Options{Transport: &http.Transport{DialContext: dial, DisableCompression: true}, MaxBody: 1 << 10})
			defer c.Close()
			s, err := c.Do(t.Context(), contract.Request{Method: http.MethodPost, Path: contract.EmbeddingsPath, ContentType: "application/json", Body: []byte(`{"input":"x"}`)})
			if err != nil {
				t.Fatal(err)
			}
			if (s.Fault == "") != (s.Status >= 100 && s.Status <= 999) {
				t.Errorf("%q is status %d, fault %q %s", raw, s.Status, s.Fault, s.Detail)
			}
			if asked != 1 {
				t.Errorf("%q was asked for %d times", raw, asked)
			}
			if len(s.Body) > 64<<10 || utf8.RuneCountInString(s.Detail) > wire.MaxDetail+1 {
				t.Errorf("%d bytes of body and %d of detail are kept", len(s.Body), len(s.Detail))
			}
			if s.Describe() == "" {
				t.Error("nothing is said of it")
			}
		})
	})
}

// canned is a connection from which the same bytes come, whatever is sent, once something was.
type canned struct {
	in    *bytes.Reader
	once  sync.Once
	asked chan struct{}
}

func (c *canned) Read(b []byte) (int, error) {
	<-c.asked
	return c.in.Read(b)
}

func (c *canned) Write(b []byte) (int, error) {
	c.once.Do(func() { close(c.asked) })
	return len(b), nil
}

func (c *canned) Close() error {
	c.once.Do(func() { close(c.asked) })
	return nil
}

func (c *canned) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *canned) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *canned) SetDeadline(time.Time) error      { return nil }
func (c *canned) SetReadDeadline(time.Time) error  { return nil }
func (c *canned) SetWriteDeadline(time.Time) error { return nil }
