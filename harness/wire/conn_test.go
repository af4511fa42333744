package wire_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/wire"
)

// rude reads a little of each request, does what it is told to, and hangs up on the rest.
func rude(t *testing.T, answer string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
			_, _ = io.ReadFull(c, make([]byte, 1<<20))
			_, _ = io.WriteString(c, answer)
			_ = c.Close() // with bytes unread: the client's next ones are reset
		}
	}()
	return "http://" + l.Addr().String()
}

// An answer to a body that the server does not read to its end is read, each time; where there is none, that is said.
func TestAnAnswerBeforeTheEndOfTheRequestIsRead(t *testing.T) {
	const refusal = `{"message":"too large"}`
	answers := rude(t, fmt.Sprintf("HTTP/1.1 413 Payload Too Large\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(refusal), refusal))
	silent := rude(t, "")
	body := bytes.Repeat([]byte(" "), 16<<20)
	for range 20 {
		c := wire.New(answers, wire.Options{})
		s, err := c.Do(context.Background(), contract.Request{Method: "POST", Path: "/v1/embeddings", Body: body})
		if err != nil || s.Status != 413 || string(s.Body) != refusal || s.Fault != "" {
			t.Fatalf("%v, %d %s %s: %s", err, s.Status, s.Fault, s.Detail, s.Body)
		}
		c.Close()
	}
	c := wire.New(silent, wire.Options{})
	defer c.Close()
	s, err := c.Do(context.Background(), contract.Request{Method: "POST", Path: "/v1/embeddings", Body: body})
	if err != nil || s.Status != 0 || s.Fault != contract.FaultClosed {
		t.Errorf("%v, %d %s %s", err, s.Status, s.Fault, s.Detail)
	}
}
