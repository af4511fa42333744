package report

import (
	"fmt"
	"maps"
	"slices"
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
	if s.Request.Action != "" {
		return contract.Shorten(string(s.Sketch()), shownAnswer) // what it had to say, which is no answer with a status
	}
	return fmt.Sprintf("%d %s", s.Status, contract.Shorten(string(s.Sketch()), shownAnswer))
}

// Curl writes a request for a shell. A generated text is named by its recipe: run the check itself to send it.
func Curl(r contract.Request) string {
	if r.Action != "" {
		return "# not a request: " + string(r.Action)
	}
	args := []string{"curl -sS -X " + r.Method, `"$BASE_URL` + strings.NewReplacer(`\`, `\\`, "$", `\$`, "`", "\\`", `"`, `\"`).Replace(r.Path) + `"`}
	fields := map[string]string{"Authorization": "Bearer $API_KEY"}
	if r.ContentType != "" {
		fields["Content-Type"] = r.ContentType
	}
	maps.Copy(fields, r.Header)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch v := fields[name]; {
		case v == "":
			args = append(args, "-H "+quote(name+":")) // curl would send one of its own
		case name == "Authorization" && r.Header[name] == "":
			args = append(args, `-H "`+name+": "+v+`"`) // for the shell to fill in
		default:
			args = append(args, "-H "+quote(name+": "+v))
		}
	}
	if r.HangUp > 0 {
		args = append(args, fmt.Sprintf("--max-time %g", r.HangUp.Seconds()))
	}
	switch {
	case r.Recipe != "":
		args = append(args, "--data-binary @- # "+r.Recipe)
	case len(r.Body) > 0 || r.Method == "POST":
		args = append(args, "--data-binary "+quote(string(r.Body)))
	}
	return strings.Join(args, " ")
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
		for _, sdk := range witnessesOf(c, targets) {
			args = append(args, "--witness "+sdk)
		}
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

// witnessesOf are the SDKs that were asked for an extended check: such a check asks those only that are named.
func witnessesOf(c contract.Check, targets []Source) []string {
	var out []string
	for _, t := range targets {
		if t.Recording == nil {
			continue
		}
		for _, trail := range t.Recording.Trails(c.ID) {
			for _, s := range trail.Steps {
				if sdk, _, ok := s.Request.Action.Witnesses(); ok && !slices.Contains(out, sdk) {
					out = append(out, sdk)
				}
			}
		}
	}
	return out
}
