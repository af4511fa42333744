package witness

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

const (
	// keptOfError is how much of an error's body is kept: what a server has to say about a request stands at its start.
	keptOfError = 64 << 10
	// maxAnswer bounds the body of an answer, in bytes, since SDKs read all of it: it is what the suite itself reads.
	maxAnswer = 32 << 20
	// maxHeader bounds its head, as in the suite.
	maxHeader = 256 << 10
	dialLimit = 10 * time.Second
	// headerLimit and stopLimit bound what else happens on the loopback address.
	headerLimit = 10 * time.Second
	stopLimit   = time.Second
)

func freshTransport() *http.Transport {
	return &http.Transport{
		Proxy:       http.ProxyFromEnvironment, // never for a loopback address
		DialContext: (&net.Dialer{Timeout: dialLimit}).DialContext,
		// One call of an SDK is one request: the transport of the standard library sends a request again on a connection
		// that was closed under it.
		DisableKeepAlives:  true,
		DisableCompression: true,

		MaxResponseHeaderBytes: maxHeader,
	}
}

// meter counts the calls of a witness on their way to the target.
type meter struct {
	next http.RoundTripper
	key  string // of the target
	host string // of the target, with its port: nobody else is shown the key

	mu      sync.Mutex
	answers []statement.Answer
	told    string // the version of the SDK, as it tells the server
}

// RoundTrip sends a call on, with the key of the target, and uncompressed, so that the error can be kept. A call to
// another host, to which a redirection led, carries what the SDK gave it.
func (m *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("Accept-Encoding")
	if m.key != "" && r.URL.Host == m.host {
		r.Header.Set("Authorization", "Bearer "+m.key)
	}
	at := m.began(r.Header.Get(versionHeader))
	res, err := m.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	res.Body = body{&atMost{res.Body, maxAnswer}, res.Body}
	var kept []byte
	if res.StatusCode >= http.StatusBadRequest {
		var end error
		kept, end = io.ReadAll(io.LimitReader(res.Body, keptOfError))
		res.Body = body{io.MultiReader(bytes.NewReader(kept), failing{end}, res.Body), res.Body}
	}
	m.mu.Lock()
	m.answers[at] = statement.Answer{Status: res.StatusCode, Body: string(kept)}
	m.mu.Unlock()
	return res, nil
}

func (m *meter) began(version string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = version
	m.answers = append(m.answers, statement.Answer{})
	return len(m.answers) - 1
}

func (m *meter) seen() []statement.Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]statement.Answer{}, m.answers...)
}

func (m *meter) version() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.told
}

// body is a body of which the start was read before.
type body struct {
	io.Reader
	io.Closer
}

// atMost fails when there is more to read than so many bytes.
type atMost struct {
	io.Reader
	left int64
}

func (a *atMost) Read(p []byte) (int, error) {
	if a.left < 0 {
		return 0, fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
	}
	n, err := a.Reader.Read(p[:min(int64(len(p)), a.left+1)])
	a.left -= int64(n)
	return n, err
}

// failing is the end of what could be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}

// door is the meter as a server on a loopback address, for a witness in another process. It opens to whoever shows
// its token, so that no other user of this machine asks the target with its key.
type door struct {
	url, token string
	server     *http.Server
	done       chan struct{}
}

func open(ctx context.Context, m *meter, base string) (*door, error) {
	target, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &door{url: "http://" + l.Addr().String() + target.EscapedPath(), token: rand.Text(), done: make(chan struct{})}
	proxy := &httputil.ReverseProxy{
		Transport: m,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = target.Scheme, target.Host, target.Host
			if m.key == "" {
				p.Out.Header.Set("Authorization", "Bearer "+noKey)
			}
		},
		ModifyResponse: func(r *http.Response) error { return d.keepInside(r, target) },
		// No answer stays none.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     log.New(io.Discard, "", 0),
	}
	d.server = &http.Server{ReadHeaderTimeout: headerLimit, ErrorLog: log.New(io.Discard, "", 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+d.token {
				http.Error(w, "this door is for a witness of embedcontract", http.StatusForbidden)
				return
			}
			proxy.ServeHTTP(w, r)
		})}
	go func() {
		defer close(d.done)
		_ = d.server.Serve(l) // ends with ErrServerClosed
	}()
	return d, nil
}

// keepInside lets a redirection to the target lead through the door again.
func (d *door) keepInside(r *http.Response, target *url.URL) error {
	to, err := r.Location()
	if errors.Is(err, http.ErrNoLocation) || err == nil && to.Host != target.Host {
		return nil
	}
	if err != nil {
		return err
	}
	path, err := url.Parse(d.url)
	if err != nil {
		return err
	}
	to.Scheme, to.Host = path.Scheme, path.Host
	r.Header.Set("Location", to.String())
	return nil
}

func (d *door) close() {
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	if d.server.Shutdown(ctx) != nil {
		_ = d.server.Close()
	}
	<-d.done
}
