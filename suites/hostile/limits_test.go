package hostile_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures/hostile"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/probe"
)

// A certificate that is not trusted does not become so while somebody waits: the error comes at once, and no request was
// seen.
func TestCertificates(t *testing.T) {
	l := openLab(t)
	now := time.Now()
	for name, c := range map[string]struct {
		template x509.Certificate
		want     string
	}{
		"signed by itself":        {x509.Certificate{NotAfter: now.Add(time.Hour), DNSNames: []string{"localhost"}}, "unknown authority"},
		"expired":                 {x509.Certificate{NotAfter: now.Add(-time.Hour), DNSNames: []string{"localhost"}}, "expired"},
		"of another name":         {x509.Certificate{NotAfter: now.Add(time.Hour), DNSNames: []string{"elsewhere.test"}}, "valid for elsewhere.test"},
		"of a name for terminals": {x509.Certificate{NotAfter: now.Add(time.Hour), DNSNames: []string{"a\x1b]0;owned\x07b"}}, "not localhost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			got := l.do(t, run{answer: hostile.Old(), when: hostile.FromTheStart, tls: certificate(t, c.template), asks: core, timeout: ample, ready: soon})
			if got.err == nil || !strings.Contains(got.err.Error(), c.want) || !strings.Contains(got.err.Error(), "certificate") || strings.Contains(got.err.Error(), "\x1b") {
				t.Errorf("%q, expected %q", got.err, c.want)
			}
			if got.asked != 0 || time.Since(began) > soon/2 {
				t.Errorf("%d requests in %s", got.asked, time.Since(began))
			}
		})
	}
}

func certificate(t *testing.T, template x509.Certificate) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber, template.Subject, template.NotBefore = big.NewInt(1), pkix.Name{CommonName: "hostile"}, template.NotAfter.Add(-24*time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// A server that answers every plain request, and leaves each other one waiting, costs so many of them and no more: at the
// limit of the command it would hold a run for the whole day.
func TestWaitingHasAnEnd(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	got := l.do(t, run{answer: hostile.Hangs("silent", ""), when: hostile.InsteadOfRefusals, asks: core, timeout: brief / 4, ready: ample})
	if got.err != nil {
		t.Fatal(got.err)
	}
	lost, unasked := 0, ""
	for _, id := range got.rec.Checks() {
		trail := got.rec.Trails(id)[0]
		for _, s := range trail.Steps {
			if s.Fault == contract.FaultTimeout {
				lost++
			}
		}
		if trail.Unasked {
			unasked = trail.Error
		}
	}
	// On a machine that is so busy that a plain answer comes late, the run ends for that.
	if busy := strings.Contains(unasked, "no longer answers a plain request"); lost > probe.MaxLost+1 ||
		!busy && (lost < probe.MaxLost || !strings.Contains(unasked, "30 requests got no complete answer in time")) {
		t.Errorf("%d requests were lost; the rest was not asked because %q", lost, unasked)
	}
	if n := count(got.cells, contract.Pass); n < 10 {
		t.Errorf("%d checks passed of those that were asked before", n)
	}
}

// The largest request, 65 MiB, is sent to servers that do not read it.
func TestUnreadLargeRequest(t *testing.T) {
	const check = "status_codes/body-too-large"
	l := openLab(t)
	for name, c := range map[string]struct{ says, want string }{
		"refused":        {"HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", "too-large-413 closed no-answer"},
		"accepted":       {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", "other served closed no-answer"},
		"something else": {"\x00\x01\x02\r\n", "no-answer closed"},
	} {
		t.Run(name, func(t *testing.T) { // one after the other: each takes as much memory as many others
			got := l.do(t, run{answer: hostile.Unread(name, c.says), when: hostile.InsteadOfRefusals, asks: only(check), timeout: ample, ready: ample})
			if got.err != nil {
				t.Fatal(got.err)
			}
			if v := got.cells[check].Variant(); !strings.Contains(" "+c.want+" ", " "+v+" ") {
				t.Errorf("%s is %s (%s%s), expected one of %s", check, v, got.cells[check].Finding.Observed, got.cells[check].Reason, c.want)
			}
		})
	}
}

// Requests at the same time share what memory there is for their answers.
func TestManyLargeAnswersAtOnce(t *testing.T) {
	const check = "concurrency/overload"
	l := openLab(t)
	got := l.do(t, run{answer: hostile.Endless("endless", "HTTP/1.1 200 OK\r\n\r\n", "x"), when: hostile.After(150), asks: only(check, "concurrency/isolation"), timeout: ample, ready: ample, maxBody: 32 << 20})
	if got.err != nil {
		t.Fatal(got.err)
	}
	if v := got.cells[check].Variant(); v != "unanswered" && v != string(contract.Error) {
		t.Errorf("%s is %s (%s)", check, v, got.cells[check].Finding.Observed)
	}
}

// A key that comes back, in a header, a cookie or a body, is not kept.
func TestEchoedKey(t *testing.T) {
	const env, key = "EMBEDCONTRACT_TEST_HOSTILE_KEY", "sk-very-secret/with+odd&signs"
	t.Setenv(env, key)
	l := openLab(t)
	got := l.do(t, run{answer: hostile.Echo(), when: hostile.FromTheStart, asks: only(laterCheck, refusalCheck), timeout: ample, ready: ample, keyEnv: env})
	if got.err != nil {
		t.Fatal(got.err)
	}
	for _, spelling := range []string{key, strings.ReplaceAll(key, "/", `\/`), strings.ReplaceAll(key, "&", `\u0026`), "very-secret"} {
		if strings.Contains(got.text, spelling) {
			t.Errorf("the recording holds %s", spelling)
		}
	}
	if !strings.Contains(got.text, "[redacted]") {
		t.Error("the server was not sent the key, or its echo is not recorded")
	}
}
