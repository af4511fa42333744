package recording

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// The reasons for which a recording is refused.
var (
	ErrNotRecording = errors.New("not a recording")
	ErrVersion      = errors.New("recording of another major version")
	ErrIncomplete   = errors.New("recording without its end: the run was interrupted")
	ErrDigest       = errors.New("recording was changed after it was written")
	ErrMalformed    = errors.New("malformed recording")
)

// maxLine bounds one line; a body is at most 32 MiB, and JSON escapes can lengthen it sixfold.
const maxLine = 256 << 20

// Open reads the recording in a folder. With ErrIncomplete the readable prefix is returned beside the error.
func Open(dir string) (*Recording, error) {
	lines, err := os.ReadFile(filepath.Join(dir, exchangesFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: it has no %s", dir, ErrNotRecording, exchangesFile)
	}
	if err != nil {
		return nil, err
	}
	vectors, err := os.ReadFile(filepath.Join(dir, vectorsFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	rec, err := Read(lines, vectors)
	if rec != nil {
		rec.Path = dir
	}
	if err != nil {
		return rec, fmt.Errorf("%s: %w", dir, err)
	}
	return rec, nil
}

// Read reads a recording from the bytes of its two files.
func Read(lines, vectors []byte) (*Recording, error) {
	sc := bufio.NewScanner(bytes.NewReader(lines))
	sc.Buffer(make([]byte, 64<<10), maxLine)
	sc.Split(wholeLines)
	rec := &Recording{}
	sum := sha256.New()
	floats := floatsOf(vectors)
	n := 0
	for ; sc.Scan(); n++ {
		if n == 0 {
			if err := rec.readHeader(sc.Bytes()); err != nil {
				return nil, err
			}
		} else {
			l, err := parse(sc.Bytes())
			if err != nil {
				return rec, fmt.Errorf("%w: line %d: %w", ErrMalformed, n+1, err)
			}
			if l.Kind == "footer" {
				return rec, rec.finish(l, n, sum.Sum(nil), vectors, lines, sc)
			}
			if err := rec.repeats(l); err != nil {
				return rec, fmt.Errorf("%w: line %d: %w", ErrMalformed, n+1, err)
			}
			vs, err := l.vectors(floats)
			if err != nil {
				return rec, fmt.Errorf("%w: line %d: %w", ErrMalformed, n+1, err)
			}
			rec.apply(l, vs)
		}
		sum.Write(sc.Bytes())
	}
	if err := sc.Err(); err != nil {
		return rec, fmt.Errorf("%w: line %d: %w", ErrMalformed, n+1, err)
	}
	if n == 0 {
		return nil, fmt.Errorf("%w: no header line", ErrNotRecording)
	}
	return rec, fmt.Errorf("%w (%d lines read)", ErrIncomplete, n)
}

// wholeLines splits at newlines and keeps them; a last line without one was cut off and is dropped.
func wholeLines(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF {
		return len(data), nil, nil
	}
	return 0, nil, nil
}

func (r *Recording) readHeader(b []byte) error {
	if err := json.Unmarshal(b, &r.Header); err != nil || r.Header.Format != Format {
		return fmt.Errorf("%w: its first line is not a header of format %s", ErrNotRecording, Format)
	}
	major := func(v string) string { m, _, _ := strings.Cut(v, "."); return m }
	if major(r.Header.Version) != major(Version) {
		return fmt.Errorf("%w: it is %s, this program reads %s.x; record the target again", ErrVersion, r.Header.Version, major(Version))
	}
	if err := r.Header.Target.Declared.Validate(); err != nil {
		return fmt.Errorf("%w: line 1: declared facts: %w", ErrMalformed, err)
	}
	return nil
}

func parse(b []byte) (line, error) {
	var l line
	if err := json.Unmarshal(b, &l); err != nil {
		return l, err
	}
	missing := map[string]bool{"plan": l.Plan == nil, "exchange": l.Exchange == nil, "log": l.Log == nil, "end": false,
		"footer": l.Footer == nil}
	lacks, known := missing[l.Kind]
	switch {
	case !known:
		return l, fmt.Errorf("unknown kind %q", l.Kind)
	case lacks:
		return l, fmt.Errorf("kind %q without its content", l.Kind)
	case l.Check == "" && (l.Kind == "exchange" || l.Kind == "log" || l.Kind == "end"):
		return l, fmt.Errorf("kind %q without a check", l.Kind)
	case l.Plan != nil:
		if err := l.Plan.Facts.Validate(); err != nil {
			return l, fmt.Errorf("facts of the plan: %w", err)
		}
	}
	return l, nil
}

// repeats refuses what a writer never writes: a second plan, and anything of a round that was ended.
func (r *Recording) repeats(l line) error {
	if l.Kind == "plan" {
		if r.Plan.Corpus != "" {
			return errors.New("a second plan")
		}
		return nil
	}
	for _, t := range r.trails[l.Check] {
		if t.Round == l.Round && t.Ended {
			return fmt.Errorf("%s of check %s, which has ended", l.Kind, l.Check)
		}
	}
	return nil
}

// floatsOf reads a side file. Bytes beyond a whole number of floats are for its digest to notice.
func floatsOf(side []byte) []float32 {
	out := make([]float32, len(side)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(side[4*i:]))
	}
	return out
}

// vectors finds the vectors of an exchange in the side file. They are parts of it and no copies: a line can refer to all
// of it many times.
func (l line) vectors(side []float32) ([]contract.Vector, error) {
	if l.Exchange == nil {
		return nil, nil
	}
	var out []contract.Vector
	body := len(l.Exchange.Body)
	last := -2
	for _, ref := range l.Exchange.Vectors {
		have := int64(len(side))
		if !ref.Unkept && (ref.N < 1 || ref.First < 0 || int64(ref.N) > have || ref.First > have-int64(ref.N)) {
			return nil, fmt.Errorf("vector %d+%d is not in %s, which has %d numbers", ref.First, ref.N, vectorsFile, have)
		}
		if ref.Offset < last+2 || ref.Offset > body-2 || l.Exchange.Body[ref.Offset:ref.Offset+2] != "[]" {
			return nil, fmt.Errorf("vector of item %d has no place at %d in the body", ref.Item, ref.Offset)
		}
		last = ref.Offset
		if ref.Unkept {
			if ref.N < 1 || ref.N > maxUnkept || !(ref.Norm >= 0) || math.IsInf(float64(ref.Norm), 0) {
				return nil, fmt.Errorf("vector of item %d, of which no values are kept, cannot have %d numbers and norm %g", ref.Item, ref.N, ref.Norm)
			}
			out = append(out, contract.Vector{Item: ref.Item, Offset: ref.Offset, Unkept: ref.N, Norm: float64(ref.Norm)})
			continue
		}
		end := ref.First + int64(ref.N)
		out = append(out, contract.Vector{Item: ref.Item, Offset: ref.Offset, Values: side[ref.First:end:end]})
	}
	return out, nil
}

func (r *Recording) finish(l line, n int, sum, vectors, all []byte, sc *bufio.Scanner) error {
	f := l.Footer
	if sc.Scan() {
		return fmt.Errorf("%w: something follows the footer", ErrDigest)
	}
	if len(all) > 0 && all[len(all)-1] != '\n' {
		return fmt.Errorf("%w: something follows the footer", ErrDigest)
	}
	vsum := sha256.Sum256(vectors)
	switch {
	case f.Lines != n:
		return fmt.Errorf("%w: the footer counts %d lines, there are %d", ErrDigest, f.Lines, n)
	case f.SHA != hex.EncodeToString(sum):
		return fmt.Errorf("%w: digest of %s", ErrDigest, exchangesFile)
	case f.Floats*4 != int64(len(vectors)) || f.VectorsSHA != hex.EncodeToString(vsum[:]):
		return fmt.Errorf("%w: digest of %s", ErrDigest, vectorsFile)
	}
	r.apply(l, nil)
	return nil
}
