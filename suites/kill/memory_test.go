package kill_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
)

// inMemory calls a handler in place of a server at the end of a connection.
type inMemory struct{ handler http.Handler }

func (m inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	switch {
	case !aborts(m.handler, w, r):
		return answer(w, r, nil), nil
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	case w.Flushed: // the status line is out, the body is not
		return answer(w, r, io.ErrUnexpectedEOF), nil
	}
	return nil, io.EOF
}

// aborts serves a request, and says whether the handler closed the connection.
func aborts(h http.Handler, w http.ResponseWriter, r *http.Request) (yes bool) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if err, ok := p.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
			panic(p)
		}
		yes = true
	}()
	h.ServeHTTP(w, r)
	return false
}

// answer is the response as a client reads it: names of headers are canonical, whatever the server wrote. Its body
// ends with the given error, or as it should.
func answer(w *httptest.ResponseRecorder, r *http.Request, end error) *http.Response {
	got := http.Header{}
	for k, vs := range w.Header() {
		for _, v := range vs {
			got.Add(k, v)
		}
	}
	body := io.Reader(bytes.NewReader(w.Body.Bytes()))
	if end != nil {
		body = io.MultiReader(body, failing{end})
	}
	return &http.Response{StatusCode: w.Code, Header: got, Request: r, ProtoMajor: 1, ProtoMinor: 1, Body: io.NopCloser(body)}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
