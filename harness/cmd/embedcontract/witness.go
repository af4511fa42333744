package main

import (
	"github.com/embedcontract/embedcontract/fixtures/witnesses"
	"github.com/embedcontract/embedcontract/harness/witness"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// tools finds the witnesses of a run. One that is not installed ends it before any server is started.
func (f *runFlags) tools() (witness.Tools, error) {
	for _, name := range f.witnesses {
		if err := statement.Known(name); err != nil {
			return witness.Tools{}, usage("--witness: %v", err)
		}
	}
	tools, err := witnesses.Tools()
	if err != nil {
		return witness.Tools{}, unknown(err)
	}
	if err := tools.Ready(f.witnesses...); err != nil {
		return witness.Tools{}, unknown(err)
	}
	return tools, nil
}
