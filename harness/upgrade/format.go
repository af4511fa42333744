// Package upgrade compares two recordings of one server, or of two that should be alike, as before and after an
// upgrade: which checks are answered otherwise, for better or for worse, what that means for clients and for the index,
// which facts and measurements moved, and what the two recordings do not let anybody decide.
//
// It is a pure function of the recordings, the checks and a date. Renderers read nothing but the Diff; the JSON Schema of
// its published form is schema.json, in this folder.
package upgrade

import "time"

// Schema names the format and its major version.
const Schema = "embedcontract/upgrade/v1"

// Diff is a compared pair of recordings.
type Diff struct {
	Schema   string            `json:"schema"`
	Tool     map[string]string `json:"tool"`
	Revision string            `json:"revision"` // of the contract, by which both were judged
	Judged   time.Time         `json:"judged"`
	Verdict  Verdict           `json:"verdict"`
	Old      Side              `json:"old"`
	New      Side              `json:"new"`
	// Changes are the checks that read otherwise: first what regressed, then what moved, then what was fixed.
	Changes []Change `json:"changes"`
	// Ways are the fewest changes on the side of clients that bridge what they notice, each shown by what was recorded.
	Ways     []Way     `json:"ways"`
	Facts    []Fact    `json:"facts"`
	Measures []Measure `json:"measures"`
	// Added are the checks that only the new recording holds, Removed those that only the old one does. What the other
	// server would have answered is not known.
	Added     []Held `json:"added"`
	Removed   []Held `json:"removed"`
	Unchanged []Held `json:"unchanged"`
	// Neither are checks that could be asked of neither, or that neither recording holds.
	Neither []Held `json:"neither"`
	// Gaps are what keeps the two from being compared, with the command that settles it.
	Gaps []Gap `json:"gaps"`
}

// Exit codes of a comparison, those of the command.
const (
	ExitHarmless = 0 // nothing that matters changed
	ExitChanged  = 1 // something regressed, or clients or the index must change
	ExitUnknown  = 3 // cannot tell
	ExitNothing  = 5 // the two have no check in common
)

// Verdict is the answer in short. Counts are of checks that the revision lists; Provisional counts the changes of others.
type Verdict struct {
	Words     string `json:"words"`
	Exit      int    `json:"exit"`
	Index     string `json:"index"` // keep, keep-but-do-not-mix, re-embed, unknown
	Compared  int    `json:"compared"`
	Fixed     int    `json:"fixed"`
	Regressed int    `json:"regressed"`
	Moved     int    `json:"moved"`
	// Clients counts the checks by which a client must change something, Silent those of them that no status tells.
	Clients     int `json:"clients"`
	Silent      int `json:"silent"`
	Provisional int `json:"provisional"`
}

// Side is one of the two recordings.
type Side struct {
	Name      string            `json:"name"`
	Title     string            `json:"title,omitempty"`
	Kind      string            `json:"kind"` // real, emulated, reconstructed, endpoint
	Model     string            `json:"model"`
	Versions  map[string]string `json:"versions,omitempty"`
	Recorded  time.Time         `json:"recorded"`
	Revision  string            `json:"revision,omitempty"` // of the contract, under which it was recorded
	Machine   map[string]string `json:"machine,omitempty"`
	Recording string            `json:"recording,omitempty"` // the folder
	Checks    int               `json:"checks"`              // that it holds, of those that were looked at
}

// Mark says whether a change is for better or for worse.
type Mark string

// The marks.
const (
	Fixed     Mark = "fixed"     // a better outcome than before
	Regressed Mark = "regressed" // a worse one
	Moved     Mark = "moved"     // another answer of equal rank
)

// Change is a check that is answered otherwise. Of a pair check, From is what the old server is to itself and To what
// the new one is to it; where the new one answers what the old one could not, To is what it is to itself.
type Change struct {
	Check       string `json:"check"`
	Promise     string `json:"promise"`
	Level       string `json:"level"`
	Extended    bool   `json:"extended"`
	Pair        bool   `json:"pair"`
	Provisional bool   `json:"provisional,omitempty"` // shown, and not counted
	Mark        Mark   `json:"mark"`
	From        State  `json:"from"`
	To          State  `json:"to"`
	// Effect on clients and the index: same, compatible, client-change, index-break, unknown; not-compared for a check
	// that says nothing of a pair.
	Effect string `json:"effect"`
	Silent bool   `json:"silent,omitempty"` // no status and no error tells the client
	Why    string `json:"why,omitempty"`
}

// State is how one server answered a check.
type State struct {
	Variant  string `json:"variant"`
	Outcome  string `json:"outcome"`
	Observed string `json:"observed,omitempty"`
	Meaning  string `json:"meaning,omitempty"`
	Breaks   string `json:"breaks,omitempty"`
	Remedy   string `json:"remedy,omitempty"`
}

// Way is a remedy that holds for these two recordings.
type Way struct {
	Remedy string   `json:"remedy"` // its id
	Do     string   `json:"do"`     // what clients do, in the imperative
	Checks []string `json:"checks"` // that it bridges
	Proof  string   `json:"proof"`  // what was compared
}

// Fact is what was declared or discovered of both servers, and differs.
type Fact struct {
	Name   string `json:"name"` // dimensions, max_tokens, usage, model, query_prefix
	Old    string `json:"old"`
	New    string `json:"new"`
	Mark   Mark   `json:"mark"`
	Effect string `json:"effect"`
	Why    string `json:"why"`
}

// Measure is what was measured on both, or between them. It is there whether or not it moved.
type Measure struct {
	Name string `json:"name"`
	// Moved: by more than noise. Effect and Why are set just then.
	Moved   bool     `json:"moved"`
	Text    string   `json:"text"`
	Numbers []Number `json:"numbers"`
	Effect  string   `json:"effect,omitempty"`
	Why     string   `json:"why,omitempty"`
}

// Number is one measurement.
type Number struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Held is a check and how it was answered. Variant is empty for a pair check that only one recording holds.
type Held struct {
	Check       string `json:"check"`
	Variant     string `json:"variant,omitempty"`
	Outcome     string `json:"outcome,omitempty"`
	Extended    bool   `json:"extended"`
	Provisional bool   `json:"provisional,omitempty"`
	Reason      string `json:"reason,omitempty"` // why there is no verdict
}

// Gap is something that the two recordings do not share, so that it is not known whether it changed.
type Gap struct {
	Checks  []string `json:"checks"`
	Reason  string   `json:"reason"`
	Command string   `json:"command"` // settles it
	// Decides: it leaves open what the comparison was asked.
	Decides bool `json:"decides"`
}
