// Package wire is the HTTP client of the suite. It sends a request once, as it is, and returns whatever came
// back within its limits: it never retries, never follows a redirect, never decompresses, never decodes.
package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// The limits of one exchange, when a Client does not set its own.
const (
	// DefaultTimeout bounds one exchange. A batch of eight documents takes a real server on two cores well under
	// 10 s; LlamaIndex gives up after 60 s, so an answer later than that is none.
	DefaultTimeout = 60 * time.Second
	// DefaultMaxBody bounds the body that is read. 64 vectors of 4096 numbers are about 6 MiB of JSON.
	DefaultMaxBody = 32 << 20
	// MaxRoom bounds the body that is read of an answer which may be longer than others, whatever room its request asks
	// for: 2048 vectors of 4096 numbers are about 200 MB of JSON, and what is read must fit into memory some times over.
	MaxRoom = 256 << 20
	// maxHeader bounds the head of an answer, in bytes. Node reads 16 KiB and Python 100 fields, so no client reads more.
	maxHeader = 256 << 10
	// MaxDetail is how much is kept of the reason of a fault, in characters: some repeat a line of what the server sent.
	MaxDetail = 300
	// keptOfTooLarge is how much of a body over the limit is kept as evidence.
	keptOfTooLarge = 64 << 10
	// leastStatus is the first status of HTTP. net/http reads any three digits.
	leastStatus = 100
	// idleTimeout is below the 5 s after which uvicorn closes an idle connection, so that a request is never
	// written to a connection that is being closed, and the transport never has cause to send it again.
	idleTimeout = 2 * time.Second
	// keepTimeout is that of Go's own default client: what waits longer finds out when the server closes.
	keepTimeout = 90 * time.Second
)

// Client sends requests to one base URL.
type Client struct {
	base    string
	key     string
	http    *http.Client
	keeping *http.Client // for requests that ask for a connection that stays open
	timeout time.Duration
	maxBody int64
	hasty   bool
	gap     time.Duration

	mu   sync.Mutex
	next time.Time // no request starts before
}

// Options adjust a Client; the zero value is ready for use.
type Options struct {
	Key       string            // sent as a bearer token
	Timeout   time.Duration     // DefaultTimeout when 0
	MaxBody   int64             // bytes; DefaultMaxBody when 0
	Hasty     bool              // never waits longer than Timeout, whatever patience a request asks for
	Gap       time.Duration     // the least time between the starts of two requests, of a server that limits them
	Idle      time.Duration     // how long a connection may wait for its next request; 2 s when 0
	Transport http.RoundTripper // an in-memory server in tests; a fresh http.Transport when nil
}

// New makes a client for a base URL without a trailing slash, such as "http://127.0.0.1:8000".
func New(base string, o Options) *Client {
	if o.Idle == 0 {
		o.Idle = idleTimeout
	}
	keeping := o.Transport
	if o.Transport == nil {
		o.Transport, keeping = transport(o.Idle), transport(keepTimeout)
	}
	c := &Client{base: strings.TrimRight(base, "/"), key: o.Key, timeout: o.Timeout, maxBody: o.MaxBody, hasty: o.Hasty, gap: o.Gap}
	if c.timeout == 0 {
		c.timeout = DefaultTimeout
	}
	if c.maxBody == 0 {
		c.maxBody = DefaultMaxBody
	}
	asItIs := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &http.Client{Transport: o.Transport, CheckRedirect: asItIs}
	c.keeping = &http.Client{Transport: keeping, CheckRedirect: asItIs}
	return c
}

func transport(idle time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:              http.ProxyFromEnvironment,
		DialContext:        dial(&net.Dialer{Timeout: 10 * time.Second}),
		DisableCompression: true,
		IdleConnTimeout:    idle,

		MaxResponseHeaderBytes: maxHeader,
	}
}

// Close drops idle connections.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
	c.keeping.CloseIdleConnections()
}

// Do sends a request and returns the exchange as a step without check, name and round. Faults of the transport
// are in the step. The error is set only when ctx was cancelled: then nothing was learnt about the server.
func (c *Client) Do(ctx context.Context, r contract.Request) (contract.Step, error) {
	if err := c.turn(ctx); err != nil {
		return contract.Step{Request: r}, err
	}
	step := contract.Step{Request: r, Sent: time.Now()}
	limit := c.timeout
	if !c.hasty {
		limit = max(limit, r.Patience)
	}
	if r.HangUp > 0 {
		limit = min(limit, r.HangUp)
	}
	rctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var reused atomic.Bool
	var first atomic.Pointer[time.Time] // set by a goroutine of the transport, which may outlive the call
	rctx = httptrace.WithClientTrace(rctx, &httptrace.ClientTrace{
		GotFirstResponseByte: func() { now := time.Now(); first.Store(&now) },
		GotConn:              func(i httptrace.GotConnInfo) { reused.Store(i.Reused) },
	})
	req, err := http.NewRequestWithContext(rctx, r.Method, c.base+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return step, fmt.Errorf("request %s %s: %w", r.Method, c.base+r.Path, err)
	}
	sendOnce(req)
	if r.ContentType != "" {
		req.Header.Set("Content-Type", r.ContentType)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "embedcontract")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	for name, value := range r.Header {
		req.Header.Del(name)
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	sender := c.http
	if r.Keep {
		sender = c.keeping
	}
	resp, err := sender.Do(req)
	if err == nil {
		defer func() { _ = resp.Body.Close() }()
		step.Status, step.Header = resp.StatusCode, resp.Header
		step.Body, err = read(resp.Body, c.room(r))
		if resp.StatusCode < leastStatus {
			err = fmt.Errorf("status %03d, which HTTP does not have", resp.StatusCode) // 0 would read as none
		}
	}
	step.Took, step.Reused = time.Since(step.Sent), r.Keep && reused.Load()
	if at := first.Load(); at != nil {
		step.TTFB = at.Sub(step.Sent)
	}
	if err != nil {
		if ctx.Err() != nil {
			return step, context.Cause(ctx)
		}
		step.Fault, step.Detail = classify(err, rctx.Err() != nil)
		if step.Fault == contract.FaultTimeout {
			step.Detail = fmt.Sprintf("no complete answer within %s", limit)
			if r.HangUp > 0 && limit == r.HangUp {
				step.Fault = contract.FaultLeft
			}
		}
		step.Status = 0
	}
	if !step.OK() {
		// Servers close a connection after an error, some without saying so (uvicorn, when the application failed): a
		// request that is written to it just then would be lost, and read as a server that is down.
		sender.CloseIdleConnections()
	}
	return step, nil
}

// room is how long the answer to a request may be, in bytes.
func (c *Client) room(r contract.Request) int64 {
	limit := max(c.maxBody, min(r.Room, MaxRoom))
	if r.Share > 0 {
		limit = min(limit, r.Share)
	}
	return limit
}

// turn waits until a request may start.
func (c *Client) turn(ctx context.Context) error {
	if c.gap == 0 {
		return nil
	}
	c.mu.Lock()
	now := time.Now()
	at := now
	if c.next.After(now) {
		at = c.next
	}
	c.next = at.Add(c.gap)
	c.mu.Unlock()
	t := time.NewTimer(at.Sub(now))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// sendOnce keeps the transport from sending a request again when a connection that was used before is closed
// without an answer. It does so with methods that it takes for repeatable, if it has the body once more. A body that
// is empty but not http.NoBody it cannot have again; nothing is sent of it.
func sendOnce(req *http.Request) {
	switch req.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		req.GetBody = nil
		if req.Body == http.NoBody {
			req.Body = io.NopCloser(strings.NewReader(""))
		}
	}
}

// closedIdle is the text of an error that net/http does not export: the server closed a connection while a request
// was being written to it.
const closedIdle = "server closed idle connection"

var errTooLarge = errors.New("answer too large")

func read(body io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(body, limit+1))
	if int64(len(b)) > limit {
		return b[:min(keptOfTooLarge, limit)], fmt.Errorf("%w: more than %d bytes", errTooLarge, limit)
	}
	return b, err
}

// classify names a transport error. The address in it is dropped: it differs from run to run.
func classify(err error, timedOut bool) (contract.Fault, string) {
	fault, detail := faultOf(err, timedOut)
	return fault, contract.Shorten(detail, MaxDetail)
}

func faultOf(err error, timedOut bool) (contract.Fault, string) {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	detail := err.Error()
	var op *net.OpError
	for inner := err; errors.As(inner, &op); inner = op.Err { // sendfile wraps the error of a write once more
		detail = op.Err.Error()
	}
	var cert *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errTooLarge):
		return contract.FaultTooLarge, detail
	case timedOut:
		return contract.FaultTimeout, detail
	case errors.Is(err, syscall.ECONNREFUSED):
		return contract.FaultRefused, detail
	case errors.As(err, &cert):
		return contract.FaultRefused, "certificate: " + cert.Err.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		// The transport closes its end when it reads that the server closed the other, and what it was writing fails with this.
		errors.Is(err, net.ErrClosed), strings.Contains(detail, closedIdle):
		return contract.FaultClosed, detail
	case errors.As(err, &op) && op.Op == "dial":
		return contract.FaultRefused, detail
	}
	return contract.FaultNotHTTP, detail
}
