package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

func (w *Writer) encode(s contract.Step) (*exchange, []contract.Vector, error) {
	e := &exchange{
		Step: s.Name, Method: s.Request.Method, Path: string(w.redact([]byte(s.Request.Path))), ContentType: s.Request.ContentType,
		Recipe: s.Request.Recipe, RequestSize: len(s.Request.Body), Violates: s.Request.Violates,
		Sets: w.sets(s.Request.Header), HangUp: milliseconds(s.Request.HangUp), Patience: milliseconds(s.Request.Patience), Room: s.Request.Room, Keep: s.Request.Keep, Action: s.Request.Action,
		Status: s.Status, Header: w.header(s.Header), Fault: s.Fault, Detail: string(w.redact([]byte(s.Detail))),
		Reused: s.Reused, Sent: s.Sent.UTC().Round(0), TTFB: milliseconds(s.TTFB), Took: milliseconds(s.Took),
	}
	if s.Request.Recipe == "" {
		e.Request, e.RequestB64 = text(w.redact(s.Request.Body))
	} else {
		e.RequestSHA = digest(s.Request.Body)
	}
	if len(s.Body) > 0 {
		e.BodySHA, e.BodySize = digest(s.Body), len(s.Body)
	}
	body := w.redact(s.Body)
	var vectors []contract.Vector
	refused := s.Status < 200 || s.Status > 299
	if w.full() {
		body = body[:min(len(body), keptWhenFull)]
	} else if refused && len(body) > keptOfLarge {
		body = body[:keptOfLarge]
	} else if found := extract(body); len(found) > 0 && s.Fault == "" {
		var stored []byte
		at, kept := 0, 0
		for _, x := range found {
			// By what the item says of its place, since data may stand in any order; one that says nonsense of all of
			// them must not make a recording large.
			row := x.item
			if x.index >= 0 && x.index < len(found) {
				row = x.index
			}
			whole := contract.KeptRow(row, len(found)) && (len(found) <= contract.LargeBatch || kept < maxKeptRows) || len(x.values) > maxUnkept
			if whole {
				kept++
			}
			stored = append(append(stored, body[at:x.start]...), "[]"...)
			at = x.end
			ref, v, err := w.keep(x, len(stored)-2, whole)
			if err != nil {
				return nil, nil, err
			}
			e.Vectors, vectors = append(e.Vectors, ref), append(vectors, v)
		}
		body = append(stored, body[at:]...)
	}
	if len(body) > maxKeptBody {
		body = body[:keptOfLarge]
		vectors, e.Vectors = nil, nil
	}
	e.Body, e.BodyB64 = text(body)
	return e, vectors, nil
}

const (
	// maxKeptBody is the longest body, without its vectors, that is kept whole: 128 base64 vectors of 4096 numbers
	// fit, and the rest of an answer with 2048 vectors. Of a longer one keptOfLarge bytes are kept, with size and
	// digest of all, and as much of an answer that is no 2xx: no answer that an honest server gives is longer, and a
	// recording must stay small.
	maxKeptBody = 4 << 20
	keptOfLarge = 64 << 10
	// keptWhenFull is what is kept of a body when the recording has no room left.
	keptWhenFull = 1 << 10
	// maxKeptHeader is what is kept of the fields of an answer, in bytes: no server that we know sends 2 KB.
	maxKeptHeader = 16 << 10
	// maxKeptRows bounds the vectors that are kept of a large batch whose items all claim a place that is kept.
	maxKeptRows = 32
	// maxUnkept is the longest vector of which no values are kept, in numbers, many times as long as that of any model.
	// FullBody writes as many zeros, so that a line of a recording must not name any number.
	maxUnkept = 64 << 10
)

// keep stores a vector, or what is kept of one.
func (w *Writer) keep(x extracted, offset int, whole bool) (vectorRef, contract.Vector, error) {
	ref := vectorRef{Item: x.item, Offset: offset, N: len(x.values)}
	v := contract.Vector{Item: x.item, Offset: offset}
	if whole {
		first, err := w.store(x.values)
		ref.First, v.Values = first, x.values
		return ref, v, err
	}
	ref.Unkept = true
	var sum float64
	for _, f := range x.values {
		sum += float64(f) * float64(f)
	}
	ref.Norm = float32(math.Sqrt(sum))
	v.Unkept, v.Norm = ref.N, float64(ref.Norm)
	return ref, v, nil
}

func bytesOf(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func (w *Writer) store(v []float32) (int64, error) {
	b := bytesOf(v)
	sum := sha256.Sum256(b)
	if at, ok := w.stored[sum]; ok {
		return at, nil
	}
	if w.failed != nil {
		return 0, w.failed
	}
	if _, err := w.vectors.Write(b); err != nil {
		w.failed = writeError(err)
		return 0, w.failed
	}
	w.vsum.Write(b)
	at := w.floats
	w.stored[sum] = at
	w.floats += int64(len(v))
	w.size += int64(len(b))
	return at, nil
}

func (w *Writer) redact(b []byte) []byte {
	for _, s := range w.secrets {
		b = replace(b, s, []byte(Redacted))
	}
	for _, p := range w.private {
		b = replace(b, p[0], p[1])
	}
	return b
}

// replace copies only what it changes: an answer may have many megabytes.
func replace(b, before, by []byte) []byte {
	if !bytes.Contains(b, before) {
		return b
	}
	return bytes.ReplaceAll(b, before, by)
}

// sets are the fields of a request, without the target's key.
func (w *Writer) sets(h map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range h {
		out[k] = string(w.redact([]byte(v)))
	}
	return out
}

func (w *Writer) header(h map[string][]string) map[string][]string {
	out := map[string][]string{}
	room := maxKeptHeader
	for _, k := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[k] {
			if k == "Set-Cookie" {
				v = Redacted
			}
			v = string(w.redact([]byte(v)))
			if room -= len(k); room <= 0 {
				return out
			}
			v = v[:min(len(v), room)]
			room -= len(v)
			out[k] = append(out[k], v)
		}
	}
	return out
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func milliseconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e3 }

// spellings are the secret as it is, and as servers write it into JSON: PHP escapes a slash, others do not.
func spellings(secret string) [][]byte {
	if secret == "" {
		return nil
	}
	out := [][]byte{[]byte(secret)}
	for _, escapeHTML := range []bool{false, true} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(escapeHTML)
		if enc.Encode(secret) != nil {
			continue
		}
		inner := bytes.TrimSpace(b.Bytes())
		inner = inner[1 : len(inner)-1]
		out = append(out, inner, bytes.ReplaceAll(inner, []byte("/"), []byte(`\/`)))
	}
	return out
}
