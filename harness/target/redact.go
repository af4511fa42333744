package target

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// redacted stands in recordings for a value that looks like a secret.
const redacted = "<redacted>"

// MarshalJSON writes the component as a recording keeps it. Variables are not expanded, so ${env:HF_TOKEN}
// is safe to show; what was written out in the file under a name such as HF_TOKEN or --api-key is not.
func (c Component) MarshalJSON() ([]byte, error) {
	type plain Component
	p := plain(c)
	p.Command, p.Args = redactArgs(c.Command), redactArgs(c.Args)
	p.Env = maps.Clone(c.Env)
	for name, value := range p.Env {
		if secretName(name) && !isVariable(value) {
			p.Env[name] = redacted
		}
	}
	return json.Marshal(p)
}

func redactArgs(args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		name, value, inline := strings.Cut(arg, "=")
		switch {
		case !strings.HasPrefix(name, "-") || !secretName(name):
		case inline && !isVariable(value):
			out[i] = name + "=" + redacted
		case !inline && i+1 < len(out) && !strings.HasPrefix(out[i+1], "-") && !isVariable(out[i+1]):
			out[i+1] = redacted
		}
	}
	return out
}

// secretName looks at whole words, so that --max-tokens, --tokenizer and --keyring stay readable.
func secretName(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	return slices.ContainsFunc(words, func(w string) bool {
		switch w {
		case "key", "apikey", "token", "secret", "password", "passwd", "credential", "credentials":
			return true
		}
		return false
	})
}

func isVariable(s string) bool {
	return strings.HasPrefix(s, "${") && strings.IndexByte(s, '}') == len(s)-1
}
