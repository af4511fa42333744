package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// ErrExists says that the folder already holds a recording: recordings are never written over.
var ErrExists = errors.New("a recording is there already")

// errClosed keeps lines from following the footer.
var errClosed = errors.New("the recording is closed")

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
	secrets [][]byte           // the credential, in each way in which a body may spell it
	private [][2][]byte        // what says where a run took place, and what stands for it
	rec     *Recording
	failed  error
	size    int64 // of both files, in bytes
	room    int64
}

// Room is how large a recording may become before Full, in bytes, for each round of the checks. One with all extended
// checks takes 3 MB of a model with 1024 dimensions, so this is room for 8192 and much besides.
const Room = 64 << 20

// Vacant returns ErrExists when the folder already holds a recording, which Create would refuse: whoever starts a
// server that takes minutes asks before.
func Vacant(dir string) error {
	for _, name := range []string{exchangesFile, vectorsFile} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return existsError(dir)
		}
	}
	return nil
}

func existsError(dir string) error {
	return fmt.Errorf("recording %s: %w; name another folder or remove it", dir, ErrExists)
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
			return nil, existsError(dir)
		}
		return f, err
	}
	lines, err := open(exchangesFile)
	if err != nil {
		return nil, err
	}
	vectors, err := open(vectorsFile)
	if err != nil {
		// Without this, the empty file would be taken for a recording from now on.
		return nil, errors.Join(err, lines.Close(), os.Remove(lines.Name()))
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
		secrets: spellings(secret), rec: &Recording{}, room: Room}
}

func (w *Writer) begin(h Header) error {
	h.Kind, h.Format, h.Version = "header", Format, Version
	b, err := encodeLine(h)
	if err != nil {
		return err
	}
	if err := w.rec.readHeader(b); err != nil { // as it will be read, like any line
		return err
	}
	return w.put(b)
}

// Hide replaces a text by another wherever it would be written, such as the path of a folder that only this machine has:
// recordings are shown around. The longest must come first.
func (w *Writer) Hide(private, by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.private = append(w.private, [2][]byte{[]byte(private), []byte(by)})
}

// SetRoom sets how large the recording may become before Full, in bytes.
func (w *Writer) SetRoom(bytes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.room = bytes
}

// Full says that the recording has no room for more answers: it is longer than those of any honest server. What is
// recorded all the same is cut to its start.
func (w *Writer) Full() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.full()
}

func (w *Writer) full() bool { return w.size > w.room }

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
	return w.add(line{Kind: "end", Check: check, Round: round, Inapplicable: string(w.redact([]byte(inapplicable))),
		Error: string(w.redact([]byte(failure)))}, nil)
}

// Unasked records that a check was not asked because the target no longer answers, and since when.
func (w *Writer) Unasked(check string, round int, since string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.add(line{Kind: "end", Check: check, Round: round, Unasked: true, Error: string(w.redact([]byte(since)))}, nil)
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
	if w.failed == nil {
		w.failed = errClosed
	}
	return errors.Join(errs...)
}

// add appends a line and applies it as it is read, not as it was given: JSON replaces bytes that are not UTF-8 and
// drops what is empty, and what is judged now must be what will be read.
func (w *Writer) add(l line, vectors []contract.Vector) error {
	b, err := encodeLine(l)
	if err != nil {
		return err
	}
	back, err := parse(b)
	if err != nil {
		return fmt.Errorf("recording: a line that could not be read again: %w", err)
	}
	if err := w.put(b); err != nil {
		return err
	}
	w.rec.apply(back, vectors)
	return nil
}

func encodeLine(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b) // ends the line
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	return b.Bytes(), nil
}

// put appends one line in one write. After a failed write nothing more is written, so the files stay a prefix.
func (w *Writer) put(b []byte) error {
	if w.failed != nil {
		return w.failed
	}
	if _, err := w.out.Write(b); err != nil {
		w.failed = writeError(err)
		return w.failed
	}
	w.sum.Write(b)
	w.lines++
	w.size += int64(len(b))
	return nil
}

func writeError(err error) error {
	return fmt.Errorf("recording cannot be written, free space or name another folder: %w", err)
}
