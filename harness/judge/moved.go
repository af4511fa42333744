package judge

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// Change says what the change from one target's cell to another's means for clients, as Effect does, and looks at the
// vectors where both answer in the same way and that way is no pass: two servers may lose the end of a text each in a
// place of its own.
func (j *Judge) Change(reference, candidate *recording.Recording, c contract.Check, from, to Cell) contract.Change {
	change := j.Effect(c, from, to)
	if change.Effect != contract.Same || to.Outcome == contract.Pass || c.Variant(to.Finding.Variant).Refuses {
		return change
	}
	if why := moved(j.trails(reference, c), j.trails(candidate, c)); why != "" {
		return contract.Change{Effect: contract.IndexBreak, Silent: true, Why: why}
	}
	return change
}

// moved says which request of a check has another vector on the candidate; empty when none has, or none can be compared.
func moved(reference, candidate []*recording.Trail) string {
	if len(reference) == 0 || len(candidate) == 0 {
		return ""
	}
	after := map[string]contract.Step{}
	for _, s := range candidate[0].Steps {
		after[s.Name] = s
	}
	for _, a := range reference[0].Steps {
		b, asked := after[a.Name]
		if !asked || !a.OK() || !b.OK() || a.Request.Action != "" || !sameRequest(a.Request, b.Request) {
			continue
		}
		va, vb := vectorsOf(a), vectorsOf(b)
		for i := range min(len(va), len(vb)) {
			d, err := parity.Distance(va[i], vb[i])
			if err == nil && d > parity.PeerBar {
				return fmt.Sprintf("both answer in this way, and %q has another vector: cosine %s", a.Name, contract.FormatNumber(1-d))
			}
		}
	}
	return ""
}

func vectorsOf(s contract.Step) [][]float32 {
	r, err := s.Response()
	if err != nil {
		return nil
	}
	vs, err := s.Many(len(r.Items))
	if err != nil {
		return nil
	}
	return vs
}

// sameRequest compares what was asked, but for the name of the model, which each server has its own.
func sameRequest(a, b contract.Request) bool {
	if a.Method != b.Method || a.Path != b.Path || a.Recipe != b.Recipe {
		return false
	}
	return a.Recipe != "" || bytes.Equal(a.Body, b.Body) || bytes.Equal(nameless(a.Body), nameless(b.Body))
}

// nameless is a JSON object without its model; nil of what is none, so that such bodies must be equal as they are.
func nameless(body []byte) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(body, &m) != nil {
		return body
	}
	delete(m, "model")
	out, err := json.Marshal(m)
	if err != nil {
		return body
	}
	return out
}
