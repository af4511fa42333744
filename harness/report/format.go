// Package report is the published format of a judged run, and its renderers. A renderer reads nothing but the
// Report. The JSON Schema of the format is schema.json, in this folder.
package report

import (
	"time"

	"github.com/embedcontract/embedcontract/harness/verdict"
)

// Schema names the format and its major version.
const Schema = "embedcontract/report/v1"

// Report is a judged run.
type Report struct {
	Schema   string            `json:"schema"`
	Tool     map[string]string `json:"tool"`
	Revision string            `json:"revision"` // of the contract, by which this was judged
	Judged   time.Time         `json:"judged"`
	// Reference is the target that the others were compared with; empty for a lone target.
	Reference  string      `json:"reference,omitempty"`
	Verdict    Verdict     `json:"verdict"`
	Targets    []Target    `json:"targets"`
	Behaviours []Behaviour `json:"behaviours"`
	Cells      []Cell      `json:"cells"`
	Pairs      []Pair      `json:"pairs,omitempty"`
	Bars       *Bars       `json:"bars,omitempty"` // nil in reports of earlier programs
	// Baseline compares the targets with earlier recordings of theirs, where that was asked for.
	Baseline *Baseline `json:"baseline,omitempty"`
	// Since holds the report to an earlier one, where that was asked for.
	Since *Since `json:"since,omitempty"`
	// Corpus is the digest of the texts that were asked; empty where no target was.
	Corpus string `json:"corpus,omitempty"`
}

// Bars are what series of measurements are held to: distances are 1 − cosine.
type Bars struct {
	Peer float64 `json:"peer"` // two servers are no farther apart
	Same float64 `json:"same"` // a server is no farther from itself
	Norm float64 `json:"norm"` // how far from 1 a norm may be
}

// Baseline is the comparison of each target with an earlier recording of the same target.
type Baseline struct {
	Folder      string       `json:"folder"`
	Compared    int          `json:"compared"` // cells
	Differences []Difference `json:"differences"`
}

// Verdict is the answer in short. Expected says whether every cell is as expected, and Exit is the exit code of
// the command: 0 as expected, 1 not as expected, 3 cannot tell, 5 nothing was executed.
type Verdict struct {
	Words    []string       `json:"words"`
	Expected bool           `json:"expected"`
	Exit     int            `json:"exit"`
	Outcomes map[string]int `json:"outcomes"` // count of cells by outcome, pairs included
	// Provisional counts likewise the cells of provisional checks, which are in no other count and decide nothing.
	Provisional map[string]int `json:"provisional,omitempty"`
}

// Target is a column of the matrix.
type Target struct {
	Name     string            `json:"name"`
	Title    string            `json:"title,omitempty"`
	Kind     string            `json:"kind"`            // real, emulated, reconstructed, endpoint
	Label    string            `json:"label,omitempty"` // what must be said wherever its results are shown
	Model    string            `json:"model"`
	Weights  string            `json:"weights,omitempty"` // random, trained; empty where nobody said
	Versions map[string]string `json:"versions,omitempty"`
	Facts    Facts             `json:"facts"`
	Recorded time.Time         `json:"recorded"`
	Revision string            `json:"revision,omitempty"` // of the contract, under which it was recorded
	Machine  map[string]string `json:"machine,omitempty"`
	Timing   Timing            `json:"timing"`
	// Trials are of faults that come now and then; nil when no answer was judged for them.
	Trials *Trials `json:"trials,omitempty"`
	// Recording is the folder of the evidence; empty when it was not kept.
	Recording string `json:"recording,omitempty"`
	// Problem says why the target has no answers, such as that it did not start.
	Problem string `json:"problem,omitempty"`
}

// Facts are what was declared or discovered of a target.
type Facts struct {
	Dimensions int               `json:"dimensions"`
	MaxTokens  int               `json:"max_tokens"`
	Usage      string            `json:"usage"`
	Source     map[string]string `json:"source,omitempty"`
}

// Behaviour is a chapter of the contract with the checks that were judged.
type Behaviour struct {
	Stem    string  `json:"stem"`
	Promise string  `json:"promise"`
	Checks  []Check `json:"checks"`
}

// Check is a row of the matrix.
type Check struct {
	ID       string `json:"id"`
	Promise  string `json:"promise"`
	Why      string `json:"why"`
	Level    string `json:"level"`
	Extended bool   `json:"extended"`
	Pair     bool   `json:"pair"`
	Lone     bool   `json:"lone"` // a target check that says nothing of a pair
	// Provisional: the revision does not list the check. Its cells are shown, are always as expected, and count for
	// neither the exit code nor the verdict on a swap.
	Provisional bool     `json:"provisional,omitempty"`
	Sources     []string `json:"sources"`
	// Place is the file and line of what decides it, from the root of the project: "suites/truncation.go:45".
	Place    string    `json:"place,omitempty"`
	Variants []Variant `json:"variants"`
}

// Variant is one of the ways to answer a check.
type Variant struct {
	Name    string `json:"name"`
	Outcome string `json:"outcome"`
	Effect  string `json:"effect,omitempty"`
	Meaning string `json:"meaning"`
	Breaks  string `json:"breaks,omitempty"`
	Remedy  string `json:"remedy,omitempty"`
}

// Cell is the answer of one target to one target check.
type Cell struct {
	Target string `json:"target"`
	Check  string `json:"check"`
	Judgement
	Evidence  []Evidence `json:"evidence,omitempty"`
	Logs      []string   `json:"logs,omitempty"`
	Reproduce string     `json:"reproduce,omitempty"` // the command that runs only this
}

// Judgement is what was decided, and how it stands to the expectations.
type Judgement struct {
	Variant  string   `json:"variant,omitempty"` // empty when there is no verdict
	Outcome  string   `json:"outcome"`
	Observed string   `json:"observed,omitempty"`
	Reason   string   `json:"reason,omitempty"` // why there is no verdict
	Flaps    []string `json:"flaps,omitempty"`  // variants that the rounds of a flaky cell showed, sorted
	Numbers  []Number `json:"numbers,omitempty"`
	Series   []Series `json:"series,omitempty"`
	Meaning  string   `json:"meaning,omitempty"`
	Breaks   string   `json:"breaks,omitempty"`
	Remedy   string   `json:"remedy,omitempty"`
	Expected Expected `json:"expected"`
}

// Expected says how a cell stands to the list of known deviations; see harness/expect for the statuses.
type Expected struct {
	Status   string `json:"status"`
	OK       bool   `json:"ok"`
	Variant  string `json:"variant,omitempty"` // the one that is listed
	Why      string `json:"why,omitempty"`
	Upstream string `json:"upstream,omitempty"`
	Review   string `json:"review,omitempty"`
	Overdue  bool   `json:"overdue,omitempty"`
}

// Number is one measurement.
type Number struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`
}

// Series are measurements of one kind, one of each text or query, which Numbers sum up; contract.Series has the names.
type Series struct {
	Name   string    `json:"name"`
	Of     []string  `json:"of,omitempty"` // what each value is of; absent where its place says it
	Values []float64 `json:"values"`
}

// Evidence is one exchange that proves a cell, shortened for display.
type Evidence struct {
	Step   string `json:"step"`
	Curl   string `json:"curl"` // the request; $BASE_URL and $API_KEY stand for the target's
	Answer string `json:"answer"`
}

// Pair is a candidate in the place of the reference.
type Pair struct {
	Reference string         `json:"reference"`
	Candidate string         `json:"candidate"`
	Effects   map[string]int `json:"effects"` // count of cells by effect
	// Provisional counts likewise the cells of provisional checks.
	Provisional map[string]int `json:"provisional,omitempty"`
	Cells       []PairCell     `json:"cells"`
	// Remedies are the changes on the client's side that were tried.
	Remedies []Remedy `json:"remedies,omitempty"`
	// Decision says whether the candidate may stand where the reference stands.
	Decision verdict.Decision `json:"decision"`
}

// PairCell is the effect of the swap on one check. For a target check From and To are the variants of the two
// targets and the rest of the Judgement is empty; for a pair check the Judgement is of the pair.
type PairCell struct {
	Check  string `json:"check"`
	Effect string `json:"effect"` // same, compatible, client-change, index-break, unknown, not-compared
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Why    string `json:"why,omitempty"`
	Silent bool   `json:"silent,omitempty"` // nothing in any status tells the client
	Judgement
	Reproduce string `json:"reproduce,omitempty"`
}
