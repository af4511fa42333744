package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError says of a value that cannot be read what is wanted in its place. The flags of the standard library pass on what
// strconv says of it, which is about Go and not about the flag.
func flagError(_ *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return exitError{exitUsage, err}
	}
	wanted := ""
	switch invalid.GetFlag().Value.Type() {
	case "int":
		wanted = "a whole number"
	case "float64":
		wanted = "a number"
	case "duration":
		wanted = "a time such as 90s or 2m"
	case "bool":
		wanted = "true or false, or nothing for true"
	default:
		return exitError{exitUsage, err}
	}
	return usage("--%s %q: %s is wanted", invalid.GetFlag().Name, invalid.GetValue(), wanted)
}
