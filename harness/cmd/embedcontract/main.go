// Command embedcontract answers whether one embedding server may stand where another stands: it asks both the
// same questions, records the answers, and judges them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/suites"
)

// The exit codes, the same for every subcommand.
const (
	exitOK       = 0 // yes, or as expected
	exitNo       = 1 // no, or not as expected
	exitUsage    = 2 // the command line or a file that it names cannot be used
	exitUnknown  = 3 // cannot tell: environment, target or suite error
	exitNothing  = 5 // nothing was executed
	exitCodeText = `
Exit codes: 0 yes, as expected; 1 no, not as expected; 2 usage; 3 cannot tell
(environment, target or suite error); 5 nothing was executed.`
)

// exitError carries an exit code through cobra.
type exitError struct {
	code int
	err  error // nil when everything was said already
}

func (e exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return exitError{exitUsage, fmt.Errorf(format, args...)}
}

func unknown(err error) error { return exitError{exitUnknown, err} }

// errInterrupted is the cause of a context that a signal ended.
var errInterrupted = errors.New("interrupted")

// sameSignal is how long a second signal counts as the first: timeout(1) and terminals send theirs to the process and to its
// group, and nobody has decided to leave servers behind.
const sameSignal = time.Second

func main() {
	// net/http tells there of servers that send what nobody asked for, with what they sent; what matters of it is recorded.
	log.SetOutput(io.Discard)
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-signals
		fmt.Fprintf(os.Stderr, "embedcontract: %s: stopping what was started; once more to leave at once (the next run clears up)\n", s)
		cancel(fmt.Errorf("%w by %s", errInterrupted, s))
		time.Sleep(sameSignal)
		for len(signals) > 0 {
			<-signals
		}
		<-signals
		os.Exit(exitUnknown)
	}()
	os.Exit(execute(ctx, suites.At, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs a command line and returns its exit code.
func execute(ctx context.Context, load loader, args []string, stdout, stderr io.Writer) int {
	root := rootCommand(load)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var exit exitError
	if !errors.As(err, &exit) {
		exit = exitError{exitUsage, err} // cobra's own errors are about the command line
	}
	if exit.err != nil {
		fmt.Fprintf(stderr, "embedcontract: %s\n", report.Clean(exit.err.Error()))
	}
	if exit.code == exitUsage {
		fmt.Fprintln(stderr, `Run "embedcontract help" for the commands and their flags.`)
	}
	return exit.code
}

func rootCommand(load loader) *cobra.Command {
	root := &cobra.Command{
		Use:   "embedcontract",
		Short: "May I put embedding server B where server A stands?",
		Long: `embedcontract asks embedding servers the questions that their clients and
indexes depend on, records what they answer, and judges it: does each server
meet the contract, and may one stand where the other stands?
` + exitCodeText,
		Version:       built(tool()),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(flagError) // of the commands below as well
	root.AddCommand(runCommand(load), judgeCommand(load), swapCommand(load), diffCommand(load), expectCommand(load, time.Now), htmlCommand(), imagesCommand(), listCommand(load), explainCommand(load), versionCommand(load))
	return root
}

func versionCommand(load loader) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of the command and of the contract", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			suite, err := load.suite("")
			if err != nil {
				return err
			}
			t := tool()
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "embedcontract %s, contract revision %s (%s), %s %s/%s\n",
				built(t), suite.Revision, census(suite.Checks()), t["go"], t["os"], t["arch"])
			return err
		},
	}
}

// built says of which version and commit a program is. One that was installed as a module has no commit; its version
// says which.
func built(tool map[string]string) string {
	commit := tool["commit"]
	if commit == "" {
		return tool["version"]
	}
	const shown = 12
	s := tool["version"] + " (commit " + commit[:min(shown, len(commit))]
	if tool["modified"] == "true" {
		s += " and changes"
	}
	return s + ")"
}

// census counts checks by what a run makes of them.
func census(all []contract.Check) string {
	extended, provisional := 0, 0
	for _, c := range all {
		if c.Extended {
			extended++
		}
		if c.Provisional {
			provisional++
		}
	}
	s := fmt.Sprintf("%d checks", len(all))
	if extended > 0 {
		s += fmt.Sprintf(", %d of them extended", extended)
	}
	if provisional > 0 {
		s += fmt.Sprintf(", %d provisional", provisional)
	}
	return s
}

// tool is the provenance of this program.
func tool() map[string]string {
	t := map[string]string{"name": "embedcontract", "version": "devel", "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			t["version"] = v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				t["commit"] = s.Value
			}
			if s.Key == "vcs.modified" && s.Value == "true" {
				t["modified"] = "true"
			}
		}
	}
	return t
}
