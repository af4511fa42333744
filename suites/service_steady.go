package suites

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const (
	// steadyAsks is how many plain requests are sent one after the other. Sixty of them are lists, so that a fault which
	// hits one answer in 20 at random is met with 95 % even when it shows in lists only, as two texts that are swapped
	// do: 1 - (1-1/20)^60. Of all answers it is met with 98 %.
	steadyAsks = 84
	// steadyCycle is after how many requests the kinds repeat, of which steadyAlone ask for a single text. It is a prime
	// number: a fault on every n-th request meets each kind, unless n is a multiple of it.
	steadyCycle = 7
	// steadyKinds is how many different single texts are asked for in turn, and how many different lists of two.
	steadyKinds = 3
)

// steadyAlone says which requests of a cycle are for a single text.
func steadyAlone(i int) bool { return i%steadyCycle == 0 || i%steadyCycle == steadyCycle/2 }

// steadyFaulty says which plain requests come right after one that is refused. Their distances differ, so that a fault
// on every n-th request does not hide in those that are refused anyway. Single texts and lists are among them.
func steadyFaulty(i int) bool { return slices.Contains([]int{9, 25, 49, 81}, i) }

// steadyInputs are the inputs in turn. No other check asks for these texts, so that a server which answers a text
// otherwise when it has seen it before has not seen them; and none of a list stands alone, or in another list.
func steadyInputs() (alone []string, lists [][]string) {
	return []string{"Salt melts on the warm stairs.", "Nobody opened the blue letter.", "Seven geese crossed the frozen field."},
		[][]string{{"The ferry leaves at noon.", "My aunt repairs violins."}, {"Thunder woke the sleeping dog.", "Fresh paint dries slowly."},
			{"Old maps show no bridge here.", "A red kite hung in the tree."}}
}

// steadyAsk is one of the plain requests.
type steadyAsk struct {
	step  string // names the request and its place: "plain:list-1:5"
	input any
}

func steadyPlan() (asks []steadyAsk) {
	alone, lists := steadyInputs()
	turns := map[string]int{}
	for i := range steadyAsks {
		kind := "list"
		if steadyAlone(i) {
			kind = "text"
		}
		turn := turns[kind] % steadyKinds
		turns[kind]++
		input := any(lists[turn])
		if kind == "text" {
			input = alone[turn]
		}
		asks = append(asks, steadyAsk{fmt.Sprintf("%s%s-%d:%d", steadyStep, kind, turn, i), input})
	}
	return asks
}

const (
	steadyCheck = "service/steady"
	steadyStep  = "plain:"
)

func serviceSteady() contract.Check {
	const stores = "every client: now and then a text is stored, or looked for, with the vector of another one, in silence"
	return contract.Check{
		ID: steadyCheck, Promise: "84 requests one after the other, some of them right after one that is refused, get the same answer each time they are repeated",
		Why:   "a buffer that is used again, a replica that is broken, a cache or a race spoils one answer in many; whoever asks once sees nothing, and an index of a million texts has thousands of wrong vectors",
		Level: contract.Must, ReadsFaults: true,
		Sources: []string{"det-repeat", "health-survives-bad-input", "https://github.com/ollama/ollama/issues/8713"},
		Variants: []contract.Variant{
			{Name: "steady", Outcome: contract.Pass, Meaning: "each answer is the first one to the same request again, within cosine 0.9999"},
			{Name: "wrong-vector", Outcome: contract.Fail, Meaning: "an answer has a vector that is far from the first one of its text (cosine below 0.9)", Breaks: stores},
			{Name: "broken-vector", Outcome: contract.Fail, Meaning: "an answer has another number of vectors than the first one, or one that is cut, empty or of zeros",
				Breaks: "vector stores refuse the text; clients that do not look store nothing to be found", Remedy: "look at the length of each vector, and ask again"},
			{Name: "below-bar", Outcome: contract.Fail, Meaning: "a vector is farther from the first one of its text than cosine 0.9999", Breaks: "near-duplicate search, caches, tests: the same text is two points"},
			{Name: "some-fail", Refuses: true, Outcome: contract.Fail, Meaning: "some of the requests get an error, or no answer", Breaks: "clients without retries: a job of a thousand requests does not end",
				Remedy: "ask again, twice at least"},
			{Name: "some-busy", Refuses: true, Outcome: contract.Differs, Meaning: "some are refused as too many (429, 503, 529), the others are answered alike",
				Breaks: "clients without retries", Remedy: "ask more slowly"},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "*", To: "wrong-vector", Effect: contract.IndexBreak, Silent: true, Why: "now and then clients store the vector of another text"},
			{From: "some-fail", To: "wrong-vector", Effect: contract.IndexBreak, Silent: true, Why: "now and then clients store the vector of another text"},
			{From: "some-busy", To: "wrong-vector", Effect: contract.IndexBreak, Silent: true, Why: "now and then clients store the vector of another text"},
			{From: "wrong-vector", To: "*", Effect: contract.IndexBreak, Silent: true, Why: "some of what clients have stored belongs to other texts"},
			{From: "wrong-vector", To: "some-fail", Effect: contract.IndexBreak, Silent: true, Why: "some of what clients have stored belongs to other texts"},
			{From: "wrong-vector", To: "some-busy", Effect: contract.IndexBreak, Silent: true, Why: "some of what clients have stored belongs to other texts"},
			{From: "*", To: "below-bar", Effect: contract.IndexBreak, Silent: true, Why: "vectors differ from the stored ones now and then"},
			{From: "below-bar", To: "steady", Effect: contract.Compatible, Why: "vectors are steadier now; vector_parity/cosine says whether they moved"},
			{From: "broken-vector", To: "steady", Effect: contract.Compatible, Why: "what was cut or empty now and then is whole"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			for i, ask := range steadyPlan() {
				if steadyFaulty(i) {
					if _, err := p.Embed(ctx, fmt.Sprintf("refused:%d", i), contract.Body{"input": contract.Absent}, contract.Violates("input is required")); err != nil {
						return err
					}
				}
				if _, err := p.Embed(ctx, ask.step, contract.Body{"input": ask.input}); err != nil {
					return err
				}
			}
			return nil
		},
		Classify: func(e contract.Evidence) contract.Finding {
			t := repeats{first: map[string]contract.Step{}, found: map[string][]string{}}
			asked := e.StepsLike(steadyStep)
			for _, s := range asked {
				if _, known := t.first[repeatedRequest(s)]; s.OK() && !known {
					t.first[repeatedRequest(s)] = s
				}
			}
			if len(t.first) == 0 && len(asked) > 0 {
				return contract.Found("refused", "%s: %s", asked[0].Name, asked[0].Describe()).From(asked[0].Name)
			}
			afterRefusal := false
			for _, s := range e.Steps {
				t.add(s, afterRefusal) // what is refused has no first answer to be compared with
				afterRefusal = !strings.HasPrefix(s.Name, steadyStep)
			}
			return t.finding()
		},
	}
}

// repeatedRequest names the request of which a step is a repetition.
func repeatedRequest(s contract.Step) string {
	request, _, _ := strings.Cut(strings.TrimPrefix(s.Name, steadyStep), ":")
	return request
}

// repeats are answers to requests that were sent more than once, each compared with the first one to the same request.
type repeats struct {
	first  map[string]contract.Step // answers that were served, by request
	trials contract.Trials
	seen   int                 // answers that could be compared
	worst  float64             // distance among these
	found  map[string][]string // steps by variant
	what   string              // was seen first of the gravest variant so far
	grave  int                 // its place in graveness
	calm   bool                // a fault was seen that did not follow a refused request
	broken error               // why the vectors of an answer could not be read
}

// graveness are the variants of an answer that is not as it should be, the gravest first: one that is silent hides from
// clients what others tell them.
func graveness() []string {
	return []string{"wrong-vector", "broken-vector", "below-bar", "some-fail", "some-busy"}
}

// add compares an answer, which came right after a refused request or did not. A request that is never served is answered
// alike, too: that is for other checks to judge.
func (t *repeats) add(s contract.Step, afterRefusal bool) {
	first, served := t.first[repeatedRequest(s)]
	if !served {
		return
	}
	variant, what := "", ""
	switch {
	case overloaded(s):
		t.note("some-busy", s, s.Describe())
		return // nothing was answered that could be judged
	case !s.OK():
		variant, what = "some-fail", s.Describe()
	default:
		variant, what = t.compare(first, s) // the first one, too, with itself
	}
	t.trials.Answers++
	if strings.HasPrefix(repeatedRequest(s), "list") {
		t.trials.Lists++
	}
	if variant == "" {
		return
	}
	t.trials.Unlike++
	t.calm = t.calm || !afterRefusal
	t.note(variant, s, what)
}

func (t *repeats) note(variant string, s contract.Step, what string) {
	at := slices.Index(graveness(), variant)
	if len(t.found) == 0 || at < t.grave {
		t.grave, t.what = at, fmt.Sprintf("%s: %s", s.Name, what)
	}
	t.found[variant] = append(t.found[variant], s.Name)
}

// compare says in which way an answer is unlike the first one; an empty variant: in none. Answers that hold no vectors
// alike are for other checks to judge.
func (t *repeats) compare(first, s contract.Step) (variant, what string) {
	a, errA := listedVectors(first)
	b, errB := listedVectors(s)
	switch {
	case errA != nil && errB != nil:
		t.broken = errB
		return "", ""
	case errB != nil:
		return "broken-vector", errB.Error()
	case errA != nil:
		return "broken-vector", fmt.Sprintf("the first answer, %s: %v", first.Name, errA)
	case len(a) != len(b):
		return "broken-vector", fmt.Sprintf("%d vectors, %d in the first answer", len(b), len(a))
	}
	for i := range a {
		d, err := parity.Distance(a[i], b[i])
		switch {
		case errors.Is(err, parity.ErrZero) && parity.Norm(a[i]) == 0 && parity.Norm(b[i]) == 0:
		case err != nil:
			return "broken-vector", err.Error()
		case d > parity.SpaceBar:
			return "wrong-vector", cosineSeen(d, nil) + " to the first answer"
		case d > parity.SameBar:
			variant, what = "below-bar", cosineSeen(d, nil)+" to the first answer"
		default:
			t.worst = max(t.worst, d)
		}
	}
	t.seen++
	return variant, what
}

// listedVectors are the vectors of an answer by their index, or as they stand where it names none: whether index is right
// is for batching/index to say.
func listedVectors(s contract.Step) ([][]float32, error) {
	r, err := s.Response()
	if err != nil {
		return nil, err
	}
	if vs, err := s.Many(len(r.Items)); err == nil {
		return vs, nil
	}
	return inOrder(r)
}

// finding says what all answers show together.
func (t *repeats) finding() contract.Finding {
	f := contract.Finding{Trials: t.trials}.With("answers", float64(t.trials.Answers)).With("lists", float64(t.trials.Lists)).
		With("unlike", float64(t.trials.Unlike))
	switch {
	case len(t.found) > 0:
		f.Variant = graveness()[t.grave]
		steps := t.found[f.Variant]
		f.Observed = fmt.Sprintf("%d of %d; %s", len(steps), steadyAsks, t.what)
		if t.trials.Unlike > 1 && !t.calm {
			f.Observed += "; only answers right after a refused request are so"
		}
		return f.From(steps[:min(len(steps), shownProofs)]...)
	case t.seen == 0:
		f.Variant, f.Observed, f.Trials = contract.Other, fmt.Sprintf("no answer has vectors to compare: %v", t.broken), contract.Trials{}
	default:
		f.Variant, f.Observed = "steady", t.trials.String()
		f = f.With("cosine min", 1-t.worst)
	}
	return f
}

// shownProofs is how many of the answers that are wrong a report shows.
const shownProofs = 3
