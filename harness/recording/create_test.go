package recording_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

func TestCreateRefusesARecording(t *testing.T) {
	dir := t.TempDir()
	if err := recording.Vacant(dir); err != nil {
		t.Error("an empty folder:", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := recording.Create(dir, header(), "")
	if err != nil {
		t.Fatal("a folder with something else in it:", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(filepath.Join(dir, "exchanges.jsonl"))
	for what, err := range map[string]error{"Create": second(recording.Create(dir, header(), "")), "Vacant": recording.Vacant(dir)} {
		if !errors.Is(err, recording.ErrExists) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "name another folder") {
			t.Errorf("%s: %v", what, err)
		}
	}
	after, _ := os.ReadFile(filepath.Join(dir, "exchanges.jsonl"))
	if !bytes.Equal(before, after) {
		t.Error("the refused recording was changed")
	}

	// One file alone is refused too, and the refusal leaves nothing that would be refused in its turn.
	half := t.TempDir()
	if err := os.WriteFile(filepath.Join(half, "vectors.f32"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := recording.Create(half, header(), ""); !errors.Is(err, recording.ErrExists) {
		t.Error("half a recording:", err)
	}
	if err := os.Remove(filepath.Join(half, "vectors.f32")); err != nil {
		t.Fatal(err)
	}
	w, err = recording.Create(half, header(), "")
	if err != nil {
		t.Fatal("after the half was removed:", err)
	}
	if err := w.Abandon(); err != nil {
		t.Error(err)
	}

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := recording.Create(file, header(), ""); err == nil || errors.Is(err, recording.ErrExists) {
		t.Error("a file in place of the folder:", err)
	}
}

func second[T any](_ T, err error) error { return err }

// A disk on which there is room again does not mend a recording that lacks a line.
func TestWriterFailsForGood(t *testing.T) {
	for _, room := range []int{1, 2} { // the header, and one line more
		var lines bytes.Buffer
		w, err := recording.To(&failsOnce{Buffer: &lines, after: room}, io.Discard, header(), "")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			_, err := w.Exchange(step("s", `{}`))
			if failed := i >= room-1; failed != (err != nil) {
				t.Errorf("room %d, write %d: %v", room, i, err)
			}
		}
		if err := w.Close(); err == nil {
			t.Errorf("room %d: Close made no error", room)
		}
		if n := lineCount(lines.Bytes()); n != room {
			t.Errorf("%d lines are written, there was room for %d", n, room)
		}
	}
}

// failsOnce fails one write and serves those after it.
type failsOnce struct {
	*bytes.Buffer
	after int
}

func (f *failsOnce) Write(b []byte) (int, error) {
	if f.after--; f.after == -1 {
		return 0, errors.New("no room")
	}
	return f.Buffer.Write(b)
}

func TestTimesAreInUTC(t *testing.T) {
	_, _, live := written(t, func(w *recording.Writer) { fill(t, w) })
	for _, s := range live.Trails("c/one")[0].Steps {
		if s.Sent.Location() != time.UTC {
			t.Errorf("%s was sent at %v", s.Name, s.Sent)
		}
	}
}

// fillsUp is a disk with room for some writes.
type fillsUp struct {
	*bytes.Buffer
	room int
	then io.Writer
}

func (f *fillsUp) Write(b []byte) (int, error) {
	if f.room--; f.room < 0 {
		return f.then.Write(b)
	}
	return f.Buffer.Write(b)
}

func TestNothingFollowsTheEnd(t *testing.T) {
	for name, finish := range map[string]func(*recording.Writer) error{"Close": (*recording.Writer).Close, "Abandon": (*recording.Writer).Abandon} {
		var lines, vectors bytes.Buffer
		w, err := recording.To(&lines, &vectors, header(), "")
		if err != nil {
			t.Fatal(err)
		}
		if err := finish(w); err != nil {
			t.Fatal(err)
		}
		before := lines.Len()
		if _, err := w.Exchange(step("late", `{"data":[{"embedding":[1]}]}`)); err == nil {
			t.Errorf("an exchange after %s was accepted", name)
		}
		if err := w.Close(); err == nil {
			t.Errorf("a Close after %s made no error", name)
		}
		if err := w.Abandon(); err != nil {
			t.Errorf("Abandon after %s: %v", name, err)
		}
		if lines.Len() != before || vectors.Len() != 0 {
			t.Errorf("something was written after %s", name)
		}
	}
}

// Create flushes nothing but the system's buffers: what was recorded before a crash can be read.
func TestAbandonedIsIncomplete(t *testing.T) {
	dir := t.TempDir()
	w, err := recording.Create(dir, header(), "")
	if err != nil {
		t.Fatal(err)
	}
	fill(t, w)
	for _, when := range []string{"while it runs", "after Abandon"} {
		rec, err := recording.Open(dir)
		if !errors.Is(err, recording.ErrIncomplete) || rec == nil {
			t.Fatalf("%s: %v", when, err)
		}
		same(t, when, rec, w.Recording())
		if !rec.Ended.IsZero() {
			t.Error(when, "it has an end")
		}
		if err := w.Abandon(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriterRefusesWhatCannotBeRead(t *testing.T) {
	var lines, vectors bytes.Buffer
	w, err := recording.To(&lines, &vectors, header(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Exchange(contract.Step{Name: "of no check"}); err == nil {
		t.Error("an exchange of no check was written")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := recording.Read(lines.Bytes(), vectors.Bytes()); err != nil {
		t.Error(err)
	}
}

func TestConcurrentWrites(t *testing.T) {
	lines, vectors, live := written(t, func(w *recording.Writer) {
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				s := step(fmt.Sprint(i), fmt.Sprintf(`{"data":[{"embedding":[%d,1]}]}`, i))
				s.Check = fmt.Sprintf("c/%d", i)
				if _, err := w.Exchange(s); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
	rec, err := recording.Read(lines, vectors)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "concurrent", rec, live)
	for i := range 20 {
		v, err := rec.Trails(fmt.Sprintf("c/%d", i))[0].Steps[0].One()
		if err != nil || v[0] != float32(i) {
			t.Errorf("check %d has vector %v, %v", i, v, err)
		}
	}
}
