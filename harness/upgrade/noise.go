package upgrade

import (
	"fmt"
	"slices"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// spread is how far a server is from itself, 1 − cosine: where a text is asked for alone once more, and where it is computed
// beside others, of the same request or of others at the same time. Each has a bar of its own.
type spread struct {
	again, beside float64
	n             int // pairs of vectors
}

// noiseOf measures the texts that were asked for more than once.
func noiseOf(a asked) (s spread) {
	for _, t := range a.texts {
		for i, v := range t.vectors[1:] {
			now := t.alone[i+1]
			for j, was := range t.alone[:i+1] {
				again := now != "" && was == now
				if j > 0 && (!again || slices.Contains(t.alone[:j], now)) {
					continue // one is compared with the first, and with the first that was asked for just so
				}
				d, err := parity.Distance(t.vectors[j], v)
				if err != nil {
					continue
				}
				s.n++
				if again {
					s.again = max(s.again, d)
				} else {
					s.beside = max(s.beside, d)
				}
			}
		}
	}
	return s
}

func (s spread) farthest() float64 { return max(s.again, s.beside) }

// excessive is a server that is farther from itself than it may be: it fails its own checks.
func (s spread) excessive() bool { return s.again > parity.SameBar || s.beside > parity.BatchBar }

// floor is the noise that may excuse a distance; that of a server that fails its own checks must not excuse an upgrade.
func (s spread) floor() float64 {
	if s.excessive() {
		return 0
	}
	return s.farthest()
}

// noise compares how far each server is from itself.
func noise(older, newer spread) Measure {
	if older.n == 0 || newer.n == 0 {
		return Measure{}
	}
	m := Measure{Name: "noise floor", Text: fmt.Sprintf("a text asked again, alone and in batches: cosine at least %s, then %s",
		contract.FormatNumber(1-older.farthest()), contract.FormatNumber(1-newer.farthest())),
		Numbers: []Number{{"old", older.farthest()}, {"new", newer.farthest()}, {"old, same request", older.again}, {"new, same request", newer.again}}}
	beyond := func(was, is float64) bool { return is > max(jitter, floors*was) }
	wider := beyond(older.again, newer.again) || beyond(older.beside, newer.beside)
	switch {
	case !wider && !beyond(newer.again, older.again) && !beyond(newer.beside, older.beside):
	case newer.excessive() && !older.excessive():
		m.Moved, m.Effect, m.Why = true, string(contract.IndexBreak), fmt.Sprintf("a text no longer repeats: the same request must within cosine %s, and does within %s; beside others %s, and %s",
			contract.FormatNumber(1-parity.SameBar), contract.FormatNumber(1-newer.again), contract.FormatNumber(1-parity.BatchBar), contract.FormatNumber(1-newer.beside))
	case wider:
		m.Moved, m.Effect, m.Why = true, string(contract.Compatible), "texts repeat less exactly, within the bars or as badly as before"
	default:
		m.Moved, m.Effect, m.Why = true, string(contract.Compatible), "texts repeat more exactly"
	}
	return m
}
