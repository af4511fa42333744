package recording_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = full.Close() })
	isFull := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "free space or name another folder") || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = recording.To(full, io.Discard, header(), "")
	isFull("the header", err)

	body := `{"data":[{"embedding":[1]}]}`
	for name, open := range map[string]func(lines, vectors *bytes.Buffer) (*recording.Writer, error){
		"vectors": func(lines, _ *bytes.Buffer) (*recording.Writer, error) {
			return recording.To(lines, full, header(), "")
		},
		"lines": func(lines, vectors *bytes.Buffer) (*recording.Writer, error) {
			return recording.To(&fillsUp{Buffer: lines, room: 1, then: full}, vectors, header(), "")
		},
	} {
		var lines, vectors bytes.Buffer
		w, err := open(&lines, &vectors)
		if err != nil {
			t.Fatal(name, err)
		}
		_, err = w.Exchange(step("first", body))
		isFull(name+": exchange", err)
		before := lines.Len()
		_, err = w.Exchange(step("no vectors", `{}`))
		isFull(name+": another exchange", err)
		_, err = w.Exchange(step("the same vector", body))
		isFull(name+": the same vector", err)
		isFull(name+": plan", w.Plan(contract.Plan{}))
		isFull(name+": log", w.Log("c/one", 0, recording.LogLine{}))
		isFull(name+": end", w.End("c/one", 0, "", ""))
		isFull(name+": close", w.Close())
		if lines.Len() != before || len(w.Recording().Checks()) != 0 {
			t.Errorf("%s: something was recorded after the disk was full: %d bytes, checks %v", name, lines.Len()-before, w.Recording().Checks())
		}
		if _, err := recording.Read(lines.Bytes(), vectors.Bytes()); !errors.Is(err, recording.ErrIncomplete) {
			t.Errorf("%s: what was left reads as %v", name, err)
		}
	}
}
