package witness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// The environment by which a witness in another process learns what to ask.
const (
	askVariable = "EMBEDCONTRACT_WITNESS_ASK" // its arguments, as JSON
	keyVariable = "EMBEDCONTRACT_WITNESS_KEY"
)

const (
	// pipeLimit bounds the wait for what a process left behind, once it has ended.
	pipeLimit = time.Second
	// shownOfErrors is how much of what a broken witness printed is shown.
	shownOfErrors = 2000
)

type arguments struct {
	BaseURL string  `json:"base_url"`
	Request request `json:"request"`
	Once    bool    `json:"once"` // the user has turned the retries off
}

// runProcess lets a script ask. Its Output has no calls, answers and times.
func (r *Runner) runProcess(ctx context.Context, name string, m *meter, ask request) (statement.Output, error) {
	args, dir, err := r.c.Tools.command(name)
	if err != nil {
		return statement.Output{}, err
	}
	d, err := open(ctx, m, r.c.BaseURL)
	if err != nil {
		return statement.Output{}, err
	}
	defer d.close()
	said, err := json.Marshal(arguments{BaseURL: d.url + "/v1", Request: ask, Once: ask.Once})
	if err != nil {
		return statement.Output{}, err
	}
	script := r.c.Tools.Python.Script
	if name == statement.Node {
		script = r.c.Tools.Node.Script
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(script)
	// Nothing of the caller's environment, in which there may be keys, proxies and options of the SDK.
	cmd.Env = []string{askVariable + "=" + string(said), keyVariable + "=" + d.token, "HOME=" + os.TempDir(), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1"}
	out, complaints := &bounded{max: MaxOutput}, &bounded{max: shownOfErrors}
	cmd.Stdout, cmd.Stderr = out, complaints
	ownGroup(cmd)
	cmd.WaitDelay = pipeLimit
	err = cmd.Run()
	if ctx.Err() != nil {
		return statement.Output{}, nil
	}
	if err != nil {
		return statement.Output{}, fmt.Errorf("%s ended without an answer: %w: %s", args[0], err, bytes.TrimSpace(complaints.kept))
	}
	return out.output(args[0])
}

// output reads what a script said.
func (b *bounded) output(program string) (statement.Output, error) {
	var got statement.Output
	dec := json.NewDecoder(bytes.NewReader(b.kept))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil || b.cut || got.SDK == "" {
		return statement.Output{}, errors.Join(fmt.Errorf("%s said something else than its JSON object (%d bytes)", program, len(b.kept)), err)
	}
	return got, nil
}

// bounded keeps the start of what is written.
type bounded struct {
	kept []byte
	max  int
	cut  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	keep := min(len(p), b.max-len(b.kept))
	b.cut = b.cut || keep < len(p)
	b.kept = append(b.kept, p[:keep]...)
	return len(p), nil
}
