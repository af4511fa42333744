package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// ErrExists says that the folder already holds a recording: recordings are never written over.
var ErrExists = errors.New("a recording is there already")

// Redacted stands where a credential was.
const Redacted = "[redacted]"

// Writer appends to a recording. It is safe for concurrent use.
type Writer struct {
	mu      sync.Mutex
	out     io.Writer
	vectors io.Writer
	files   []*os.File
	sum     hash.Hash
	vsum    hash.Hash
	lines   int
	floats  int64
	stored  map[[32]byte]int64 // digest of a vector's bytes -> first float, so that equal vectors are kept once
	secret  []byte
	rec     *Recording
	failed  error
}

// Create starts a recording in a folder, which is made. Secret, when not empty, is replaced by Redacted wherever
// it would be written.
func Create(dir string, h Header, secret string) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	open := func(name string) (*os.File, error) {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
		if errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("recording %s: %w; name another folder or remove it", dir, ErrExists)
		}
		return f, err
	}
	lines, err := open(exchangesFile)
	if err != nil {
		return nil, err
	}
	vectors, err := open(vectorsFile)
	if err != nil {
		_ = lines.Close()
		return nil, err
	}
	w := newWriter(lines, vectors, secret)
	w.files = []*os.File{lines, vectors}
	w.rec.Path = dir
	return w, w.begin(h)
}

// InMemory starts a recording that is not kept.
func InMemory(h Header, secret string) (*Writer, error) {
	w := newWriter(io.Discard, io.Discard, secret)
	return w, w.begin(h)
}

// To starts a recording on two writers: the lines and the vectors.
func To(lines, vectors io.Writer, h Header, secret string) (*Writer, error) {
	w := newWriter(lines, vectors, secret)
	return w, w.begin(h)
}

func newWriter(lines, vectors io.Writer, secret string) *Writer {
	return &Writer{out: lines, vectors: vectors, sum: sha256.New(), vsum: sha256.New(), stored: map[[32]byte]int64{},
		secret: []byte(secret), rec: &Recording{}}
}

func (w *Writer) begin(h Header) error {
	h.Kind, h.Format, h.Version = "header", Format, Version
	w.rec.Header = h
	return w.put(h)
}

// Recording returns what was recorded so far.
func (w *Writer) Recording() *Recording { return w.rec }

// Plan records the plan, without its texts: a classifier that read them would see nothing in a recording.
func (w *Writer) Plan(p contract.Plan) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	bare := contract.Plan{Reference: p.Reference, Facts: p.Facts, Corpus: p.Corpus}
	return w.add(line{Kind: "plan", Plan: &bare}, nil)
}

// Exchange records a step and returns it as a reader of the recording will see it.
func (w *Writer) Exchange(s contract.Step) (contract.Step, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e, vectors, err := w.encode(s)
	if err != nil {
		return contract.Step{}, err
	}
	if err := w.add(line{Kind: "exchange", Check: s.Check, Round: s.Round, Exchange: e}, vectors); err != nil {
		return contract.Step{}, err
	}
	steps := w.rec.trail(s.Check, s.Round).Steps
	return steps[len(steps)-1], nil
}

// Log records a line of the server's log under the check that was running.
func (w *Writer) Log(check string, round int, l LogLine) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	l.Text = string(w.redact([]byte(l.Text)))
	return w.add(line{Kind: "log", Check: check, Round: round, Log: &l}, nil)
}

// End records that a check was asked to its end, or why it has no verdict.
func (w *Writer) End(check string, round int, inapplicable, failure string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.add(line{Kind: "end", Check: check, Round: round, Inapplicable: inapplicable,
		Error: string(w.redact([]byte(failure)))}, nil)
}

// Close writes the footer, which makes the recording whole, and closes the files.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := footer{Lines: w.lines, Floats: w.floats, Ended: time.Now().UTC(),
		SHA: hex.EncodeToString(w.sum.Sum(nil)), VectorsSHA: hex.EncodeToString(w.vsum.Sum(nil))}
	err := w.add(line{Kind: "footer", Footer: &f}, nil)
	return errors.Join(err, w.close(err == nil))
}

// Abandon closes the files without a footer: what is there can be read, and is refused as incomplete.
func (w *Writer) Abandon() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.close(false)
}

func (w *Writer) close(sync bool) error {
	var errs []error
	for _, f := range w.files {
		if sync {
			errs = append(errs, f.Sync())
		}
		errs = append(errs, f.Close())
	}
	w.files = nil
	return errors.Join(errs...)
}

func (w *Writer) add(l line, vectors []contract.Vector) error {
	if err := w.put(l); err != nil {
		return err
	}
	w.rec.apply(l, vectors)
	return nil
}

// put appends one line in one write. After a failed write nothing more is written, so the files stay a prefix.
func (w *Writer) put(v any) error {
	if w.failed != nil {
		return w.failed
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b) // ends the line
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	if _, err := w.out.Write(b.Bytes()); err != nil {
		w.failed = fmt.Errorf("recording cannot be written, free space or name another folder: %w", err)
		return w.failed
	}
	w.sum.Write(b.Bytes())
	w.lines++
	return nil
}

func (w *Writer) encode(s contract.Step) (*exchange, []contract.Vector, error) {
	e := &exchange{
		Step: s.Name, Method: s.Request.Method, Path: s.Request.Path, ContentType: s.Request.ContentType,
		Recipe: s.Request.Recipe, RequestSize: len(s.Request.Body), Violates: s.Request.Violates,
		Status: s.Status, Header: w.header(s.Header), Fault: s.Fault, Detail: string(w.redact([]byte(s.Detail))),
		Sent: s.Sent.UTC().Round(0), TTFB: milliseconds(s.TTFB), Took: milliseconds(s.Took),
	}
	if s.Request.Recipe == "" {
		e.Request, e.RequestB64 = text(w.redact(s.Request.Body))
	} else {
		e.RequestSHA = digest(s.Request.Body)
	}
	if len(s.Body) > 0 {
		e.BodySHA = digest(s.Body)
	}
	body := w.redact(s.Body)
	var vectors []contract.Vector
	if found := extract(body); len(found) > 0 && s.Fault == "" {
		var stored []byte
		at := 0
		for _, x := range found {
			first, err := w.store(x.values)
			if err != nil {
				return nil, nil, err
			}
			stored = append(append(stored, body[at:x.start]...), "[]"...)
			at = x.end
			offset := len(stored) - 2
			e.Vectors = append(e.Vectors, vectorRef{Item: x.item, Offset: offset, First: first, N: len(x.values)})
			vectors = append(vectors, contract.Vector{Item: x.item, Offset: offset, Values: x.values})
		}
		body = append(stored, body[at:]...)
	}
	e.Body, e.BodyB64 = text(body)
	return e, vectors, nil
}

func (w *Writer) store(v []float32) (int64, error) {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	sum := sha256.Sum256(b)
	if at, ok := w.stored[sum]; ok {
		return at, nil
	}
	if w.failed != nil {
		return 0, w.failed
	}
	if _, err := w.vectors.Write(b); err != nil {
		w.failed = fmt.Errorf("recording cannot be written, free space or name another folder: %w", err)
		return 0, w.failed
	}
	w.vsum.Write(b)
	at := w.floats
	w.stored[sum] = at
	w.floats += int64(len(v))
	return at, nil
}

func (w *Writer) redact(b []byte) []byte {
	if len(w.secret) == 0 {
		return b
	}
	return bytes.ReplaceAll(b, w.secret, []byte(Redacted))
}

func (w *Writer) header(h map[string][]string) map[string][]string {
	out := map[string][]string{}
	for k, vs := range h {
		for _, v := range vs {
			if k == "Set-Cookie" {
				v = Redacted
			}
			out[k] = append(out[k], string(w.redact([]byte(v))))
		}
	}
	return out
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func milliseconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e3 }
