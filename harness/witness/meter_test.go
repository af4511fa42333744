package witness

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// What keeps a redirection from handing the target's key to another host: SDKs that follow one know nothing of that key.
func TestKeyStaysWithTheTarget(t *testing.T) {
	var sent string
	m := &meter{key: "secret", host: "target.test:8000", next: transport(func(r *http.Request) (*http.Response, error) {
		sent = r.Header.Get("Authorization")
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}"))}, nil
	})}
	for url, want := range map[string]string{
		"http://target.test:8000/v1/embeddings":    "Bearer secret",
		"https://target.test:8000/v1/embeddings":   "Bearer secret",
		"http://target.test/v1/embeddings":         "Bearer none",
		"http://elsewhere.test:8000/v1/embeddings": "Bearer none",
	} {
		r, err := http.NewRequest(http.MethodPost, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer none")
		res, err := m.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if sent != want {
			t.Errorf("%s was sent %q, want %q", url, sent, want)
		}
	}
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }
