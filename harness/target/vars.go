package target

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// variable is one ${name} or ${name:arg} of a value.
type variable struct{ name, arg string }

func (v variable) String() string {
	if v.arg == "" {
		return "${" + v.name + "}"
	}
	return "${" + v.name + ":" + v.arg + "}"
}

// validVariables is the list that errors show.
const validVariables = "${cache}, ${dir}, ${run}, ${port}, ${port:COMPONENT}, ${env:NAME}; $${ is a plain ${"

// expand replaces the variables of a text by what value returns for them. $${ stands for a plain ${.
func expand(text string, value func(variable) (string, error)) (string, error) {
	var out strings.Builder
	for {
		at := strings.Index(text, "${")
		if at < 0 {
			out.WriteString(text)
			return out.String(), nil
		}
		if at > 0 && text[at-1] == '$' {
			out.WriteString(text[:at-1] + "${")
			text = text[at+2:]
			continue
		}
		out.WriteString(text[:at])
		end := strings.IndexByte(text[at:], '}')
		if end < 0 {
			return "", fmt.Errorf("%q has no closing brace; valid variables: %s", cut(text[at:]), validVariables)
		}
		var v variable
		v.name, v.arg, _ = strings.Cut(text[at+2:at+end], ":")
		s, err := value(v)
		if err != nil {
			return "", err
		}
		out.WriteString(s)
		text = text[at+end+1:]
	}
}

// checkVariables reports a variable that does not exist. ported names the components that have a port,
// self says whether the component of this value is one of them.
func checkVariables(text string, ported []string, self bool) error {
	_, err := expand(text, func(v variable) (string, error) {
		switch {
		case v.arg == "" && (v.name == "cache" || v.name == "dir" || v.name == "run"):
		case v.name == "env" && v.arg != "":
		case v.name == "port" && v.arg == "":
			if !self {
				return "", fmt.Errorf("${port} is a port on this machine that a component listens on; this one has none")
			}
		case v.name == "port":
			if !slices.Contains(ported, v.arg) {
				return "", fmt.Errorf("%v names no component with a port%s; those are: %s", v, didYouMean(nearest(v.arg, ported)), strings.Join(ported, ", "))
			}
		default:
			hint := nearest(v.name, []string{"cache", "dir", "run", "port", "env"})
			return "", fmt.Errorf("unknown variable %v%s; valid: %s", v, didYouMean(hint), validVariables)
		}
		return "", nil
	})
	return err
}

// knowsPort reports whether the component is told its port.
func (r *specReader) knowsPort(component string) bool {
	return slices.ContainsFunc(r.values, func(v value) bool {
		return v.component == component && (strings.Contains(v.text, "${port}") || strings.Contains(v.text, "${port:"+component+"}"))
	})
}

// scope holds the values of variables in one start of a target.
type scope struct {
	cache, run, dir string
	ports           map[string]int
	inside          map[string]int // of containers: the port within, by which containers reach each other
}

// in returns the values as component sees them.
func (s scope) in(component string) func(variable) (string, error) {
	return func(v variable) (string, error) {
		switch v.name {
		case "cache":
			return s.cache, nil
		case "dir":
			return s.dir, nil
		case "run":
			return s.run, nil
		case "env":
			value, ok := os.LookupEnv(v.arg)
			if !ok {
				return "", fmt.Errorf("environment variable %s, which component %s needs, is not set", v.arg, component)
			}
			return value, nil
		case "port":
			name := v.arg
			if name == "" {
				name = component
			}
			if _, self := s.inside[component]; self && s.inside[name] > 0 {
				return fmt.Sprint(s.inside[name]), nil
			}
			if port, ok := s.ports[name]; ok {
				return fmt.Sprint(port), nil
			}
		}
		return "", fmt.Errorf("unknown variable %v in component %s; valid: %s", v, component, validVariables)
	}
}
