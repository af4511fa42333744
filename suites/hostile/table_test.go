package hostile_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures/hostile"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

// pause is that between two bytes of a server that sends them one by one.
const pause = 2 * time.Millisecond

// row is what must come of one hostile answer, by when the server is hostile.
type row struct {
	answer string
	// first is what the error says of a server that was never anything else; empty: it passes for one that embeds.
	first string
	// later is why most of a server was not asked that became hostile after a while; or, after "=", the variant of
	// laterCheck, when it was asked to the end. Empty: either, since it is a race who closes the connection first.
	later string
	// refusal is the variant of refusalCheck on a server that is hostile in place of refusing.
	refusal string
	// beside is the variant of besideCheck on a server that is hostile on every other route.
	beside string
	slow   bool // it lets the time of requests pass
}

const (
	laterCheck   = "batching/duplicates"
	refusalCheck = "status_codes/missing-input"
	besideCheck  = "service/health"
	// served is how many embeddings a server gives before it becomes hostile: the facts are known by then.
	served = 60
	// quick is how long a server is waited for that never embeds.
	quick = 200 * time.Millisecond
)

// What many rows share.
const (
	full     = "the target is asked nothing more: its answers take more than the 3 MiB that a recording may have"
	tooLarge = "answer-too-large"
	header   = "server response headers exceeded 262144 bytes"
	noVector = "200, but without an embedding"
	noAnswer = "no-answer"
	cut      = "unexpected EOF"
	waited   = "no complete answer within 1s"
)

func table() []row {
	return []row{
		// Without an end.
		{answer: "endless/text", first: noVector, later: tooLarge, refusal: noAnswer, beside: noAnswer},
		{answer: "endless/vector", first: noVector, later: tooLarge, refusal: noAnswer, beside: noAnswer},
		{answer: "endless/chunks", first: noVector, later: tooLarge, refusal: noAnswer, beside: noAnswer},
		{answer: "endless/error", first: "400 no no no", later: tooLarge, refusal: noAnswer, beside: noAnswer},
		{answer: "endless/header", first: header, later: header, refusal: noAnswer, beside: noAnswer},
		{answer: "endless/header-line", first: header, later: header, refusal: noAnswer, beside: noAnswer},
		{answer: "endless/status-line", first: header, later: header, refusal: noAnswer, beside: noAnswer},
		{answer: "endless/1xx", first: header, later: header, refusal: noAnswer, beside: noAnswer},
		{answer: "endless/garbage", first: header, later: header, refusal: noAnswer, beside: noAnswer},
		{answer: "endless/trailers", first: "suspiciously long trailer", later: "suspiciously long trailer", refusal: noAnswer, beside: noAnswer},
		{answer: "endless/chunk-extension", first: "header line too long", later: "header line too long", refusal: noAnswer, beside: noAnswer},
		{answer: "header/long", first: header, later: header, refusal: noAnswer, beside: noAnswer},
		{answer: "drip/body", first: "none", later: waited, refusal: noAnswer, beside: noAnswer, slow: true},
		{answer: "drip/header", first: "none", later: waited, refusal: noAnswer, beside: noAnswer, slow: true},
		{answer: "hangs/silent", first: "none", later: waited, refusal: noAnswer, beside: noAnswer, slow: true},
		{answer: "hangs/head", first: "none", later: waited, refusal: noAnswer, beside: noAnswer, slow: true},
		{answer: "hangs/body", first: "none", later: waited, refusal: noAnswer, beside: noAnswer, slow: true},
		{answer: "hangs/stream", first: "none", later: waited, refusal: noAnswer, beside: noAnswer, slow: true},

		// No HTTP, or HTTP that contradicts itself.
		{answer: "length/too-long", first: cut, later: cut, refusal: noAnswer, beside: noAnswer},
		{answer: "length/too-short", first: noVector, later: "=refused", refusal: "served", beside: "healthy"},
		{answer: "length/negative", first: `bad Content-Length "-5"`, later: `bad Content-Length "-5"`, refusal: noAnswer, beside: noAnswer},
		{answer: "length/twice", first: "multiple Content-Length", later: "multiple Content-Length", refusal: noAnswer, beside: noAnswer},
		{answer: "length/huge", first: cut, later: cut, refusal: noAnswer, beside: noAnswer},
		{answer: "chunks/size", first: "invalid byte in chunk length", later: "invalid byte in chunk length", refusal: noAnswer, beside: noAnswer},
		{answer: "chunks/huge", first: cut, later: cut, refusal: noAnswer, beside: noAnswer},
		{answer: "chunks/cut", first: cut, later: cut, refusal: noAnswer, beside: noAnswer},
		{answer: "http-0.9", first: "malformed HTTP", later: "malformed HTTP", refusal: noAnswer, beside: noAnswer},
		{answer: "garbage", first: `malformed HTTP response "\x00\x01\x02\x1b[31m\xff\xfe"`, later: "malformed HTTP", refusal: noAnswer, beside: noAnswer},
		{answer: "header/malformed", first: `missing colon: "no \x1b[31mcolon"`, later: "missing colon", refusal: noAnswer, beside: noAnswer},
		{answer: "closed/at-once", first: "EOF", later: "connection-closed", refusal: noAnswer, beside: noAnswer},
		{answer: "closed/after-head", first: cut, later: "connection-closed", refusal: noAnswer, beside: noAnswer},
		{answer: "status/99", first: `malformed HTTP status code "99"`, later: "malformed HTTP status code", refusal: noAnswer, beside: noAnswer},
		{answer: "status/1000", first: `malformed HTTP status code "1000"`, later: "malformed HTTP status code", refusal: noAnswer, beside: noAnswer},
		{answer: "status/-20", first: `malformed HTTP status code "-20"`, later: "malformed HTTP status code", refusal: noAnswer, beside: noAnswer},
		{answer: "status/twenty", first: `malformed HTTP status code "twenty"`, later: "malformed HTTP status code", refusal: noAnswer, beside: noAnswer},

		// Statuses that say no. Small requests are read by the unread ones before they are refused as they should be.
		{answer: "status/099", first: "99 {}", later: "status 099, which HTTP does not have", refusal: noAnswer, beside: noAnswer},
		{answer: "status/999", first: "999 {}", later: ": 999 {}", refusal: contract.Other, beside: "unhealthy"},
		{answer: "status/101", first: "101", later: ": 101", refusal: contract.Other, beside: "unhealthy"},
		{answer: "status/101-body", first: "101", later: ": 101", refusal: contract.Other, beside: "unhealthy"},
		{answer: "status/304", first: "304", later: ": 304", refusal: contract.Other, beside: "unhealthy"},
		{answer: "status/304-body", first: "304", later: ": 304", refusal: contract.Other, beside: "unhealthy"},
		{answer: "redirect/relative", first: "307, which leads to /v1/embeddings: name the URL", later: ": 307", refusal: contract.Other, beside: "unhealthy"},
		{answer: "redirect/absolute", first: "307, which leads to http://127.0.0.1:", later: ": 307", refusal: contract.Other, beside: "unhealthy"},
		{answer: "redirect/other-host", first: "308, which leads to http://127.0.0.1:1/v1/embeddings", later: ": 308", refusal: contract.Other, beside: "unhealthy"},
		{answer: "redirect/file", first: "302, which leads to file:///etc/passwd", later: ": 302", refusal: contract.Other, beside: "unhealthy"},
		{answer: "deep/error", first: `400 {"error":{"error":`, later: `: 400 {"error":{"error":`, refusal: "rejected-4xx", beside: "absent"},
		{answer: "unread/413", first: "413", later: ": 413", refusal: "rejected-4xx", beside: "absent"},
		{answer: "unread/closed", first: "EOF", later: "connection-closed", refusal: "rejected-4xx", beside: noAnswer},

		// A 2xx that holds no embedding, or one that is too much.
		{answer: "html", first: noVector + ": <html>", later: "=refused", refusal: "served", beside: "healthy"},
		{answer: "stream", first: noVector + ": data: {", later: "=refused", refusal: "served", beside: "healthy"},
		{answer: "status/204", first: "204", later: "=refused", refusal: "served", beside: "healthy"},
		{answer: "status/204-body", first: "204", later: "=refused", refusal: "served", beside: "healthy"},
		{answer: "status/206", first: "206", later: "=refused", refusal: "served", beside: "healthy"},
		{answer: "status/206-body", first: "206", later: "=dropped", refusal: "served", beside: "healthy"},
		{answer: "bomb/gzip", first: noVector, later: full, refusal: "served", beside: "healthy"},
		{answer: "bomb/deflate", first: noVector, later: full, refusal: "served", beside: "healthy"},
		{answer: "bomb/br", first: noVector, later: full, refusal: "served", beside: "healthy"},
		{answer: "bomb/zstd", first: noVector, later: full, refusal: "served", beside: "healthy"},
		{answer: "deep/lists", first: noVector, later: full, refusal: "served", beside: "healthy"},
		{answer: "deep/embedding", first: noVector, later: full, refusal: "served", beside: "healthy"},
		{answer: "items", first: "without an embedding", later: tooLarge, refusal: noAnswer, beside: noAnswer},

		// One that looks like an embedding.
		{answer: "keys/data", later: "=dropped", refusal: "served", beside: "healthy"},
		{answer: "keys/embedding", later: "=dropped", refusal: "served", beside: "healthy"},
		{answer: "keys/index", later: "=dropped", refusal: "served", beside: "healthy"},
		{answer: "numbers/index", later: full, refusal: "served", beside: "healthy"},
		{answer: "numbers/usage", later: full, refusal: "served", beside: "healthy"},
		{answer: "numbers/embedding", later: full, refusal: "served", beside: "healthy"},
		{answer: "utf-8", later: "=dropped", refusal: "served", beside: "healthy"},
		{answer: "unread/200", refusal: "rejected-4xx", beside: "healthy"},

		// Odd, and honest.
		{answer: "pieces", later: "=answered", refusal: "rejected-4xx", beside: "healthy"},
		{answer: "http-1.0", later: "=answered", refusal: "rejected-4xx", beside: "healthy"},
		{answer: "chunked-and-length", later: "=answered", refusal: "rejected-4xx", beside: "healthy"},
		{answer: "echo", later: "=answered", refusal: "rejected-4xx", beside: "healthy"},
		{answer: "twice", later: "=answered", refusal: "rejected-4xx", beside: "healthy"},
	}
}

func TestHostileServers(t *testing.T) {
	l := openLab(t)
	all := hostile.All(pause)
	rows := table()
	for _, a := range all {
		at := slices.IndexFunc(rows, func(r row) bool { return r.answer == a.Name })
		if at < 0 {
			t.Errorf("%s has no row", a.Name)
			continue
		}
		r := rows[at]
		timeout := ample
		if r.slow {
			timeout = brief
		}
		t.Run(a.Name+"/first", func(t *testing.T) {
			t.Parallel()
			ready := quick
			if r.first == "" {
				ready = ample
			}
			r.checkFirst(t, l.do(t, run{answer: a, when: hostile.FromTheStart, asks: only(laterCheck), timeout: timeout, ready: ready}))
		})
		t.Run(a.Name+"/later", func(t *testing.T) {
			t.Parallel()
			r.checkLater(t, l.do(t, run{answer: a, when: hostile.After(served), asks: core, timeout: timeout, ready: ample}))
		})
		t.Run(a.Name+"/refusals", func(t *testing.T) {
			t.Parallel()
			shows(t, l.do(t, run{answer: a, when: hostile.InsteadOfRefusals, asks: only(refusalCheck), timeout: timeout, ready: ample}), refusalCheck, r.refusal)
		})
		t.Run(a.Name+"/beside", func(t *testing.T) {
			t.Parallel()
			shows(t, l.do(t, run{answer: a, when: hostile.Beside(contract.EmbeddingsPath), asks: only(besideCheck), timeout: timeout, ready: ample}), besideCheck, r.beside)
		})
	}
	if len(all) != len(rows) {
		t.Errorf("%d answers, %d rows", len(all), len(rows))
	}
}

func (r row) checkFirst(t *testing.T, got result) {
	t.Helper()
	if r.first == "" {
		if got.err != nil {
			t.Error(got.err)
		}
		return
	}
	// On a busy machine the first answer may come too late, and then there is none.
	if got.err == nil || !strings.Contains(got.err.Error(), "no embedding from") ||
		!strings.Contains(got.err.Error(), r.first) && !strings.HasSuffix(got.err.Error(), "last answer: none") {
		t.Errorf("%v, expected %q", got.err, r.first)
	}
}

func (r row) checkLater(t *testing.T, got result) {
	t.Helper()
	if got.err != nil {
		t.Fatal(got.err)
	}
	unasked := ""
	for _, id := range got.rec.Checks() {
		if trail := got.rec.Trails(id)[0]; trail.Unasked {
			unasked = trail.Error
		}
	}
	if r.later == "" {
		return
	}
	if variant, toTheEnd := strings.CutPrefix(r.later, "="); toTheEnd {
		if unasked != "" {
			t.Errorf("it was not asked to the end: %s", unasked)
		}
		shows(t, got, laterCheck, variant)
		return
	}
	if !strings.Contains(unasked, r.later) {
		t.Errorf("it was not asked to the end because %q, expected %q", unasked, r.later)
	}
	// What was not asked is an error that says the same, and what was answered before stands.
	if cell := got.cells[laterCheck]; cell.Outcome != contract.Error || !strings.Contains(cell.Reason, unasked) {
		t.Errorf("%s is %s (%s)", laterCheck, cell.Variant(), cell.Reason)
	}
	if n := count(got.cells, contract.Pass); n < 10 {
		t.Errorf("%d checks passed of those that were asked before", n)
	}
}

func count(cells map[string]judge.Cell, o contract.Outcome) (n int) {
	for _, c := range cells {
		if c.Outcome == o {
			n++
		}
	}
	return n
}

func shows(t *testing.T, got result, check, variant string) {
	t.Helper()
	if got.err != nil {
		t.Fatal(got.err)
	}
	if c := got.cells[check]; c.Variant() != variant {
		t.Errorf("%s is %s (%s%s), expected %s", check, c.Variant(), c.Finding.Observed, c.Reason, variant)
	}
}
