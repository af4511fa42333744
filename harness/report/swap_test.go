package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/embedcontract/embedcontract/harness/verdict"
)

// The published schema is that of what swap --json writes.
func TestSwapFollowsItsSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(SchemaJSON()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("report.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("report.json#/$defs/swap")
	if err != nil {
		t.Fatal(err)
	}
	s, err := sample().Swap()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.JSON(&b); err != nil {
		t.Fatal(err)
	}
	written, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(written); err != nil {
		t.Error(err)
	}
	written.(map[string]any)["decision"].(map[string]any)["answer"] = "perhaps"
	if schema.Validate(written) == nil {
		t.Error("an answer that does not exist is accepted")
	}
}

func TestSwapOfNoPair(t *testing.T) {
	r := sample()
	r.Pairs = nil
	if _, err := r.Swap(); !errors.Is(err, ErrNoPair) {
		t.Errorf("%v", err)
	}
}

// Whatever a server has said keeps its place on the screen.
func TestSwapOnATerminal(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		for name, r := range map[string]*Report{"sample": sample(), "hostile": hostileEverywhere()} {
			s, err := r.Swap()
			if err != nil {
				t.Fatal(err)
			}
			if name == "hostile" {
				d := &s.Decision
				d.Words, d.Operations[0].What, d.Unknown[0].What, d.Index.Reasons[0] = hostile, hostile, hostile, hostile
				d.Clients.Changes[0].Do, d.Clients.Changes[0].Proof, d.Clients.Breaks[0].Why = hostile, hostile, hostile
			}
			var b strings.Builder
			if err := s.Terminal(&b, TerminalOptions{Width: width, Verbose: true}); err != nil {
				t.Fatal(err)
			}
			for l := range strings.Lines(b.String()) {
				if l = strings.TrimRight(l, "\n"); columns(l) > width || strings.ContainsAny(l, "\x1b\r\x00") {
					t.Errorf("%s at %d: %q", name, width, l)
				}
			}
			if name != "sample" {
				continue
			}
			for _, want := range []string{"CLIENTS", "not safe", "SILENT: leave dimensions out", "or: ask another server", "dimensions/zero rejected-4xx → failed-5xx SILENT", "does not help",
				"INDEX", "embed the corpus again", "OPERATIONS", "! lifecycle/health-while-gone", "NOT KNOWN"} {
				if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), want) {
					t.Errorf("%q is missing at %d in\n%s", want, width, b.String())
				}
			}
		}
	}
}

func columns(s string) int { return width(s) }

// decision has each part that a decision can have.
func decision() verdict.Decision {
	return verdict.Decision{
		Answer: verdict.NotSafe, Words: "dynamo-1.6-emulated (emulated) in place of legacy (reconstructed): no, not as it is.",
		Clients: verdict.Clients{
			Answer: verdict.NotSafe,
			Changes: []verdict.Change{{Remedy: "dimensions/slice-on-client", Do: "leave dimensions out", Why: []string{"refused", "short vectors are lost"}, Silent: true,
				Checks: []string{"dimensions/reduced-256"}, Proof: "verified for 1 check: cosine min 1", Instead: []string{"ask another server"}}},
			Breaks: []verdict.Break{{Check: "dimensions/zero", From: "rejected-4xx", To: "failed-5xx", Why: "more calls", Silent: true}},
			Failed: []verdict.Change{{Remedy: "dimensions/other", Do: "do otherwise", Why: []string{"dimensions/zero: cosine 0.2"}, Checks: []string{"dimensions/zero"}, Proof: "failed for 1 check"}},
		},
		Index: verdict.Index{Answer: verdict.ReEmbed, Reasons: []string{"vector_parity/cosine: cosine min 0.2"}, Bound: "40 documents were compared", Ranking: []string{"unknown"},
			Breaks: []verdict.Break{{Check: "vector_parity/cosine", Why: "vectors differ", Silent: true}}},
		Operations: []verdict.Operation{{Check: "lifecycle/health-while-gone", What: "green; before: says-so", Changes: true, Remedy: "probe with an embedding"}},
		Unknown:    []verdict.Open{{What: "60 extended checks were not asked", Command: "embedcontract run legacy --extended"}},
	}
}
