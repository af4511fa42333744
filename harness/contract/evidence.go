package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Facts are what the checks must know of a server. They are declared in the target file or discovered.
type Facts struct {
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"`           // native length of a vector; 0 unknown
	MaxTokens  int    `json:"max_tokens,omitempty"` // longest input, special tokens included; 0 unknown
	// Usage says whether usage.prompt_tokens can be trusted to count tokens: "tokens", "absent", "unreliable" (it counts
	// something else, such as characters) or "unknown" (texts that would show it were not answered with a count).
	Usage string `json:"usage"`
	// Keyed says that requests carry an API key; declared only.
	Keyed bool `json:"keyed,omitempty"`
	// QueryPrefix is the text that the server puts before a query for input_type "query"; declared only.
	QueryPrefix string `json:"query_prefix,omitempty"`
	// Limit is a text of exactly MaxTokens tokens; its zero value means that none could be made.
	Limit Filler `json:"limit_text"`
	// Source says of each fact (by its JSON name) whether it was declared or discovered, or why it is unknown.
	Source map[string]string `json:"source,omitempty"`
}

// Longest bounds what facts may say of lengths: of vectors in numbers, of texts in tokens or words. No model comes near
// it, and texts are built to that length.
const Longest = 1 << 20

// Validate refuses lengths that are negative or above Longest. Facts that are declared or read must pass it.
func (f Facts) Validate() error {
	for _, n := range []struct {
		name string
		is   int
	}{{"dimensions", f.Dimensions}, {"max_tokens", f.MaxTokens}, {"limit_text.words", f.Limit.Words}, {"limit_text.pads", f.Limit.Pads}} {
		if n.is < 0 || n.is > Longest {
			return fmt.Errorf("%s is %d, expected 0 to %d", n.name, n.is, Longest)
		}
	}
	return nil
}

// UsageTokens is the value of Facts.Usage for a server whose usage counts tokens, and UsageOther for one whose usage was
// seen to count something else.
const (
	UsageTokens = "tokens"
	UsageOther  = "unreliable"
)

// Filler is the recipe of a generated text: a number of words, then a number of pads, each of which adds one
// token. A recipe is kept in recordings where the text would be long.
type Filler struct {
	Words int `json:"words"`
	Pads  int `json:"pads,omitempty"`
}

// fillerPad is the unit by which a text is lengthened by one token: a frequent one-letter word, a token of its
// own in every byte-level BPE, WordPiece and Unigram vocabulary that we know of. It is measured before use.
const fillerPad = " a"

// String makes the text. Its words follow each other without a period, so that a server which cuts anywhere
// loses something that its vector should show.
func (f Filler) String() string {
	var b strings.Builder
	for i := range f.Words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(fillerWord(i))
	}
	b.WriteString(strings.Repeat(fillerPad, f.Pads))
	return b.String()
}

// Recipe names the text in a recording.
func (f Filler) Recipe() string { return fmt.Sprintf("filler(words=%d, pads=%d)", f.Words, f.Pads) }

// fillerWord walks a fixed list in a fixed pseudo-random order (a linear congruential generator, so that no
// library's generator can change it).
func fillerWord(i int) string {
	x := uint32(i)*1664525 + 1013904223
	x ^= x >> 15
	x *= 2246822519
	x ^= x >> 13
	return fillerWords[x%uint32(len(fillerWords))]
}

var fillerWords = [...]string{
	"the", "river", "carries", "small", "stones", "from", "high", "fields", "into", "town", "where", "people",
	"build", "bridges", "and", "count", "boats", "each", "morning", "before", "school", "opens", "its", "doors",
	"while", "bakers", "sell", "warm", "bread", "near", "station", "clock", "that", "never", "tells", "time",
	"right", "because", "rain", "once", "found", "way", "through", "roof", "of", "old", "market", "hall",
}

// Plan fixes what is asked of every target of a comparison: the facts of the reference and the texts.
type Plan struct {
	Reference string `json:"reference"`
	Facts     Facts  `json:"facts"`
	Corpus    string `json:"corpus"` // name and digest of the texts
	texts     Corpus
}

// NewPlan makes the plan of a comparison with the named reference.
func NewPlan(reference string, facts Facts, texts Corpus) Plan {
	return Plan{Reference: reference, Facts: facts, Corpus: texts.Digest(), texts: texts}
}

// Texts returns the corpus of the plan; it is empty in a plan that was read from a recording.
func (p Plan) Texts() Corpus { return p.texts }

// Parts of a plan on which the questions of some checks depend.
const (
	PlanPrefix = "query_prefix"
	PlanLimit  = "limit"
)

// Key is equal for plans by which a check asks the same questions: the corpus, and the named parts. What a reference
// is called and how its facts were found does not change a question.
func (p Plan) Key(parts []string) string {
	key := []any{p.Corpus}
	if slices.Contains(parts, PlanPrefix) {
		key = append(key, p.Facts.QueryPrefix)
	}
	if slices.Contains(parts, PlanLimit) {
		key = append(key, p.Facts.MaxTokens, p.Facts.Limit)
	}
	b, _ := json.Marshal(key)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Digest names the corpus and its bytes.
func (c Corpus) Digest() string {
	h := sha256.New()
	for _, list := range [][]Text{c.Documents, c.Queries, c.Edge} {
		for _, t := range list {
			fmt.Fprintf(h, "%s\x00%s\x00", t.ID, t.Text)
		}
		h.Write([]byte{1})
	}
	return c.Name + ":" + hex.EncodeToString(h.Sum(nil)[:8])
}

// Evidence is all that a classifier may read of one check on one target.
type Evidence struct {
	Target string
	Facts  Facts
	Plan   Plan
	Steps  []Step
	Read   map[string]Evidence // by check id, for the checks named in Reads
}

// Step finds the step of that name; the zero Step, with Status 0, when it was not asked.
func (e Evidence) Step(name string) Step {
	for _, s := range e.Steps {
		if s.Name == name {
			return s
		}
	}
	return Step{Name: name, Fault: FaultNotAsked}
}

// StepsLike returns the steps whose name begins with prefix, in the order in which they were asked.
func (e Evidence) StepsLike(prefix string) []Step {
	var out []Step
	for _, s := range e.Steps {
		if strings.HasPrefix(s.Name, prefix) {
			out = append(out, s)
		}
	}
	return out
}
