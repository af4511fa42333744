package wire

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// What the transport reports of a server that closes while it is sent a large body depends on which of its goroutines
// is first: all forms are one fault, and none carries an address.
func TestClosedWhileSending(t *testing.T) {
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40001}
	written := func(err error) error {
		return &net.OpError{Op: "write", Net: "tcp", Source: address, Addr: address, Err: err}
	}
	forms := map[string]error{
		"write: connection reset by peer":  written(os.NewSyscallError("write", syscall.ECONNRESET)),
		"write: broken pipe":               written(os.NewSyscallError("write", syscall.EPIPE)),
		"use of closed network connection": written(net.ErrClosed),
	}
	for want, err := range forms {
		sent := &net.OpError{Op: "readfrom", Net: "tcp", Source: address, Addr: address, Err: err}
		for _, e := range []error{err, sent} {
			broken := &url.Error{Op: "Post", URL: "http://127.0.0.1:40001/v1/embeddings", Err: fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", e)}
			if fault, detail := classify(broken, false); fault != contract.FaultClosed || detail != want {
				t.Errorf("%v: %s, %q, expected %s, %q", e, fault, detail, contract.FaultClosed, want)
			}
		}
	}
}
