package report

import (
	"fmt"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// shownAnswer is how much of an answer a report repeats; the recording has all of it.
const shownAnswer = 400

func evidence(rec *recording.Recording, c contract.Check, cell judge.Cell) []Evidence {
	trails := rec.Trails(c.ID)
	if len(trails) == 0 {
		return nil
	}
	var out []Evidence
	for _, s := range trails[0].Steps {
		for _, name := range cell.Finding.Proof {
			if s.Name == name {
				out = append(out, Evidence{Step: s.Name, Curl: Curl(s.Request), Answer: answer(s)})
			}
		}
	}
	return out
}

func answer(s contract.Step) string {
	if s.Fault != "" {
		return s.Describe()
	}
	return fmt.Sprintf("%d %s", s.Status, contract.Shorten(string(s.Sketch()), shownAnswer))
}

// Curl writes a request for a shell. A generated text is named by its recipe: run the check itself to send it.
func Curl(r contract.Request) string {
	body := "@- # " + r.Recipe
	if r.Recipe == "" {
		body = quote(string(r.Body))
	}
	return fmt.Sprintf(`curl -sS -X %s "$BASE_URL%s" -H 'Content-Type: %s' -H "Authorization: Bearer $API_KEY" --data-binary %s`,
		r.Method, r.Path, r.ContentType, body)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func logs(cell judge.Cell) []string {
	var out []string
	for _, l := range cell.Logs {
		out = append(out, l.Component+": "+l.Text)
	}
	return out
}

// reproduce is the command that asks just this check again.
func reproduce(c contract.Check, options string, targets ...Source) string {
	args := []string{fmt.Sprintf("embedcontract run --focus '^%s$'", c.ID)}
	if c.Extended {
		args = append(args, "--extended")
	}
	if options != "" {
		args = append(args, options)
	}
	named := len(args)
	for _, t := range targets {
		if t.Argument != "" {
			args = append(args, t.Argument)
		}
	}
	if len(args) == named {
		return ""
	}
	return strings.Join(args, " ")
}
