package wire_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/wire"
)

// The head of an answer has a bound, too, and what a fault repeats of it is short.
func TestHeadsAreBounded(t *testing.T) {
	for name, c := range map[string]struct{ answer, detail string }{
		"a long field":  {"HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("y", 300<<10) + "\r\nContent-Length: 2\r\n\r\n{}", "exceeded"},
		"many fields":   {"HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Many: y\r\n", 40<<10) + "Content-Length: 2\r\n\r\n{}", "exceeded"},
		"a long status": {"HTTP/1.1 " + strings.Repeat("9", 100<<10) + " X\r\n\r\n", "malformed HTTP"},
		"1xx":           {strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 10_000), "exceeded"},
	} {
		s := serveRaw(t, func(_ int64, conn net.Conn) bool { write(conn, c.answer); return false })
		step := do(t, client(t, s.url, wire.Options{Timeout: 10 * time.Second}), post("{}"))
		if step.Fault != contract.FaultNotHTTP || !strings.Contains(step.Detail, c.detail) || len(step.Detail) > 400 {
			t.Errorf("%s: %q, %.200s (%d)", name, step.Fault, step.Detail, len(step.Detail))
		}
	}
}
