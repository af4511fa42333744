package wire

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"syscall"
)

// patientBytes is from how many bytes without an answer on a server may hang up while it is sent more: no request but one
// with a long body is as long.
const patientBytes = 64 << 10

// patient is a connection on which an answer is read that came before all of the request was sent. A server that refuses a
// long body closes the connection behind its answer; what is sent after that fails, and net/http would drop the answer for
// it, or not, as chance has it.
type patient struct {
	net.Conn
	sent   atomic.Int64 // since something was read
	long   atomic.Bool  // patientBytes were sent, once
	hungUp atomic.Bool  // nobody reads what is written any more
}

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	if n > 0 {
		p.sent.Store(0)
	}
	return n, err
}

func (p *patient) Write(b []byte) (int, error) {
	if p.hungUp.Load() {
		return len(b), nil
	}
	n, err := p.Conn.Write(b)
	if p.sent.Add(int64(n)) >= patientBytes {
		p.long.Store(true)
	}
	if p.long.Load() && (errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)) {
		p.hungUp.Store(true) // what is read says what happened: an answer, or that there is none
		return len(b), nil
	}
	return n, err
}

// dial connects with patience.
func dial(d *net.Dialer) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &patient{Conn: c}, nil
	}
}
