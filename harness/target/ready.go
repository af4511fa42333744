package target

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

const (
	// readyInput is the text that is asked for until an embedding comes back.
	readyInput = "Are you ready?"
	// readyRequest bounds one request: a cold server may compute its first answer slowly.
	readyRequest = time.Minute
	// readyPause and readyPauseMax are the first and the longest time between two requests; it grows by half.
	readyPause    = 50 * time.Millisecond
	readyPauseMax = 2 * time.Second
	// readyProgress is how often a line says what is being waited for.
	readyProgress = 10 * time.Second
	// readyAnswer bounds what is read of an answer, in bytes. A vector of 8192 numbers has some 200,000.
	readyAnswer = 4 << 20
	// readyHeader bounds the head of an answer, in bytes.
	readyHeader = 256 << 10
	// readyShown is how much of an answer is shown, in characters, and readyLooked how much of it is looked at, in bytes.
	readyShown  = 160
	readyLooked = 4 << 10
)

// newClient follows no redirects (a POST would turn into a GET, and the key would travel along).
func newClient() *http.Client {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: readyHeader}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// answer is what a readiness request got.
type answer struct {
	ready bool
	final bool   // asking again cannot help
	text  string // for people: "404 Model not found"
}

// waitReady asks until an embedding comes back, a component ends, ctx ends or the time is over.
func (s *Server) waitReady(ctx context.Context) error {
	begun := time.Now()
	asking, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	go func() { // a request to a server that died must not be waited for
		select {
		case <-s.exited:
			cancel()
		case <-asking.Done():
		}
	}()
	last := answer{text: "none"}
	pause, told := readyPause, begun
	for {
		got := s.ask(asking)
		if asking.Err() == nil {
			last = got // what was cut short by the end of waiting says nothing
		}
		select {
		case <-s.exited:
			return fmt.Errorf("before it was ready, %w", s.Alive())
		default:
		}
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("stopped after %s of waiting for an embedding (last answer: %s): %w", seconds(begun), last.text, ctx.Err())
		case asking.Err() != nil:
			return s.notReady(begun, last)
		case last.ready:
			s.options.Progress(fmt.Sprintf("%s is ready after %s", s.spec.Name, seconds(s.begun)))
			return nil
		case last.final:
			return fmt.Errorf("%s answered %s", s.BaseURL(), last.text)
		}
		switch {
		case s.options.Waiting != nil:
			s.options.Waiting("last answer " + last.text)
		case time.Since(told) >= readyProgress:
			told = time.Now()
			s.options.Progress(fmt.Sprintf("waiting for %s: %s, last answer %s", s.spec.Name, seconds(begun), last.text))
		}
		select {
		case <-time.After(pause):
		case <-asking.Done():
		}
		pause = min(pause+pause/2, readyPauseMax)
	}
}

func (s *Server) timeout() time.Duration {
	if s.spec.ReadyTimeout > 0 {
		return s.spec.ReadyTimeout
	}
	return DefaultReadyTimeout
}

// notReady makes the error of a target that did not answer in time, with the log lines that may say why.
func (s *Server) notReady(begun time.Time, last answer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "no embedding from %s after %s (ready.timeout); last answer: %s", s.BaseURL(), seconds(begun), last.text)
	for i, c := range s.spec.Components {
		if c.Runtime != runtimeEndpoint && i < len(s.running) {
			b.WriteString(s.logs.telling(c.Name, shownLines))
		}
	}
	return errors.New(b.String())
}

// ask sends one readiness request.
func (s *Server) ask(ctx context.Context) answer {
	ctx, cancel := context.WithTimeout(ctx, readyRequest)
	defer cancel()
	body, err := json.Marshal(map[string]string{"model": s.spec.Model, "input": readyInput})
	if err != nil {
		return answer{final: true, text: err.Error()}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL()+contract.EmbeddingsPath, bytes.NewReader(body))
	if err != nil {
		return answer{final: true, text: err.Error()}
	}
	req.Header.Set("Content-Type", "application/json")
	if s.apiKey != "" {
		req.Header.Set("Authorization", "Bearer "+s.apiKey)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		var untrusted *tls.CertificateVerificationError // it does not change while somebody waits
		return answer{final: s.remote() && errors.As(err, &untrusted), text: transportFault(err)}
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(resp.Body, readyAnswer))
	switch {
	case err != nil:
		return answer{text: fmt.Sprintf("%d, then %s", resp.StatusCode, transportFault(err))}
	case resp.StatusCode == http.StatusOK && hasEmbedding(data):
		return answer{ready: true, text: "200"}
	case resp.StatusCode == http.StatusOK:
		return answer{text: "200, but without an embedding: " + shown(string(data))}
	}
	text := fmt.Sprintf("%d %s", resp.StatusCode, errorMessage(data))
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode/100 == 3 {
		text = fmt.Sprintf("%d, which leads to %s: name the URL that answers itself", resp.StatusCode, shown(to))
	}
	// A server that is started here may refuse for a while; what is at a URL refuses for good.
	refused := resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden
	return answer{final: refused && s.remote(), text: strings.TrimSpace(text)}
}

// remote says that somebody else runs the server.
func (s *Server) remote() bool { return s.spec.Serving().Runtime == runtimeEndpoint }

// shown is a text of a server, short and on one line.
func shown(text string) string {
	return contract.Shorten(plain(contract.Shorten(text[:min(len(text), readyLooked)], readyLooked)), readyShown)
}

// hasEmbedding accepts a non-empty list or string as embedding. Whether it is a good one is for the checks.
func hasEmbedding(data []byte) bool {
	var body struct {
		Data []struct {
			Embedding json.RawMessage `json:"embedding"`
		} `json:"data"`
	}
	if json.Unmarshal(data, &body) != nil || len(body.Data) == 0 {
		return false
	}
	var list []json.RawMessage
	var text string
	return json.Unmarshal(body.Data[0].Embedding, &list) == nil && len(list) > 0 ||
		json.Unmarshal(body.Data[0].Embedding, &text) == nil && text != ""
}

// errorMessage finds the words in an error body of any of the common forms.
func errorMessage(data []byte) string {
	var body struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  string          `json:"detail"`
	}
	var inner struct {
		Message string `json:"message"`
	}
	text := string(data)
	if json.Unmarshal(data, &body) == nil {
		_ = json.Unmarshal(body.Error, &inner)
		for _, s := range []string{inner.Message, body.Message, body.Detail} {
			if s != "" {
				text = s
				break
			}
		}
	}
	return shown(text)
}

func transportFault(err error) string {
	var dns *net.DNSError
	var inner *url.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.As(err, &dns):
		return "no address for " + dns.Name
	case errors.Is(err, context.DeadlineExceeded) || os.IsTimeout(err):
		return "no answer within a minute"
	case errors.As(err, &inner):
		return shown(inner.Err.Error())
	}
	return shown(err.Error())
}

// seconds renders the time since t.
func seconds(t time.Time) string {
	d := time.Since(t)
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}
