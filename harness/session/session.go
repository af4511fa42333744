// Package session takes one target from its start to its whole recording. A Ginkgo container and the command
// use it alike.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/probe"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/target"
	"github.com/embedcontract/embedcontract/harness/wire"
	"github.com/embedcontract/embedcontract/harness/witness"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// Config is what sessions of one run have in common.
type Config struct {
	Suite contract.Suite
	Tool  map[string]string // provenance: version, commit
	// Out is the folder in which each target gets a folder of its own name; empty: recordings are not kept.
	Out      string
	Embedded func(personality string) (http.Handler, error)
	Valid    func(contentType string, body []byte) []string
	Progress func(string) // may be nil
	// Waiting is told what a target answers in place of being ready, and Heard each line that it prints. Both may be nil,
	// and are called from several goroutines.
	Waiting, Heard func(target, text string)
	Timeout        time.Duration
	Gap            time.Duration // the least time between two requests
	Rounds         int
	Limit          time.Duration // of the time in which the target is asked; probe.DefaultLimit when 0, none when negative
	Room           int64         // for the recording of each round, in bytes; recording.Room when 0
	MaxBody        int64         // of one answer, in bytes; wire.DefaultMaxBody when 0
	// Tools are the SDKs that run in processes of their own; of them, those in Witnesses are asked.
	Tools     witness.Tools
	Witnesses []string
}

// Session is a running target that is being asked.
type Session struct {
	config Config
	spec   *target.Spec
	life   context.Context //nolint:containedctx // of the target, which may be started again
	starts int
	server *target.Server
	client *wire.Client
	sdks   *witness.Runner
	writer *recording.Writer
	engine *probe.Engine
	facts  contract.Facts
}

// Unstarted is the recording of a target that has no answers. Its header names the target, so that its column
// can be shown.
func Unstarted(c Config, s *target.Spec) *recording.Recording {
	h, err := header(c, s)
	if err != nil {
		h = recording.Header{}
	}
	return &recording.Recording{Header: h}
}

// Open starts the target and discovers its facts. The target lives until Close, or until ctx ends.
func Open(ctx context.Context, c Config, s *target.Spec) (*Session, error) {
	h, err := header(c, s)
	if err != nil {
		return nil, err
	}
	if c.Out != "" {
		// Before the start: a server can take minutes, and its log would go where the other recording is.
		if err := recording.Vacant(filepath.Join(c.Out, s.Name)); err != nil {
			return nil, err
		}
	}
	n := &Session{config: c, spec: s, life: ctx}
	if err := n.start(); err != nil {
		return nil, err
	}
	if err := n.open(ctx, c, s, h); err != nil {
		return nil, errors.Join(err, n.Abandon())
	}
	return n, nil
}

func (n *Session) open(ctx context.Context, c Config, s *target.Spec, h recording.Header) error {
	var err error
	maps.Copy(h.Machine, n.server.Provenance(ctx))
	if c.Out == "" {
		n.writer, err = recording.InMemory(h, n.server.APIKey())
	} else {
		n.writer, err = recording.Create(filepath.Join(c.Out, s.Name), h, n.server.APIKey())
	}
	if err != nil {
		return err
	}
	for _, p := range privatePaths(s) {
		n.writer.Hide(p[0], p[1])
	}
	config := probe.Config{
		Suite: c.Suite, Asker: n.client, Record: n.writer, Model: s.Model, Declared: s.Facts, Valid: c.Valid,
		Logs: n.logs, Act: n.act, Rounds: c.Rounds, Limit: c.Limit, Room: c.Room,
	}
	if s.Controlled() { // of an endpoint nobody knows whether it lives
		config.Renew, config.Alive = n.renew, n.server.Alive
	}
	if s.InProcess() {
		config.Pause = quickly
	}
	n.engine = probe.New(config)
	n.facts, err = n.engine.Discover(ctx)
	return err
}

const (
	// embeddedPace is how much faster time passes for a server in this process: nothing in it takes as long as it does
	// in a real one, whose idle connections and dying workers a check may have to wait for by the minute.
	embeddedPace = 25
	// embeddedIdle is the idle time of connections in that time.
	embeddedIdle = 80 * time.Millisecond
	// embeddedTimeout is how long a request to such a server may take: far longer than the longest takes on a busy machine,
	// and short enough to wait for one that hangs.
	embeddedTimeout = 15 * time.Second
)

func quickly(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d / embeddedPace)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return nil
}

// start starts the target, and makes the client that asks it.
func (n *Session) start() error {
	o := target.Options{Embedded: n.config.Embedded, Progress: n.config.Progress}
	if tell := n.config.Waiting; tell != nil {
		o.Waiting = func(text string) { tell(n.spec.Name, text) }
	}
	if tell := n.config.Heard; tell != nil {
		o.Heard = func(l target.LogLine) { tell(n.spec.Name, l.Text) }
	}
	n.starts++
	if n.config.Out != "" {
		o.LogDir = filepath.Join(n.config.Out, n.spec.Name, "logs")
		if n.starts > 1 {
			o.LogDir = fmt.Sprintf("%s-%d", o.LogDir, n.starts)
		}
	}
	server, err := n.spec.Start(n.life, o)
	if err != nil {
		return err
	}
	n.server = server
	options := wire.Options{Key: server.APIKey(), Timeout: n.config.Timeout, Gap: n.config.Gap, MaxBody: n.config.MaxBody}
	if n.spec.InProcess() {
		options.Idle = embeddedIdle
		if options.Timeout == 0 {
			options.Timeout, options.Hasty = embeddedTimeout, true
		}
	}
	n.client = wire.New(server.BaseURL(), options)
	asked := witness.Config{BaseURL: server.BaseURL(), Key: server.APIKey(), Model: n.spec.Model, Tools: n.config.Tools}
	if n.config.Timeout > 0 {
		asked.Limit = n.config.Timeout + witness.Overhead
	}
	n.sdks = witness.New(asked)
	return nil
}

// renew stops the target and starts it anew: a GPU does not hold it twice.
func (n *Session) renew(ctx context.Context) (probe.Server, error) {
	n.client.Close()
	stop, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	if err := n.server.Stop(stop); err != nil {
		return probe.Server{}, err
	}
	if err := n.start(); err != nil {
		return probe.Server{}, err
	}
	return probe.Server{Asker: n.client, Alive: n.server.Alive, Logs: n.logs, Act: n.act}, nil
}

// act does what a check wants done to its target.
func (n *Session) act(ctx context.Context, a contract.Action) ([]byte, error) {
	sdk, scenario, ok := a.Witnesses()
	if !ok {
		return n.server.Act(ctx, a)
	}
	if sdk != statement.Go && !slices.Contains(n.config.Witnesses, sdk) {
		return nil, contract.Inapplicable("not asked: --witness %s", sdk)
	}
	return n.sdks.Run(ctx, sdk, scenario)
}

// privatePaths are the folders that say where a run took place, the longest first, and what stands for them in
// recordings.
func privatePaths(s *target.Spec) [][2]string {
	var pairs [][2]string
	if cache, err := target.CacheDir(); err == nil {
		pairs = append(pairs, [2]string{cache + "/", "${cache}/"})
	}
	if s.Dir != "" {
		pairs = append(pairs, [2]string{s.Dir + "/", "${dir}/"}, [2]string{filepath.Dir(s.Dir) + "/", "${dir}/../"})
	}
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		pairs = append(pairs, [2]string{home + "/", "~/"})
	}
	return pairs
}

func header(c Config, s *target.Spec) (recording.Header, error) {
	spec, err := json.Marshal(s)
	if err != nil {
		return recording.Header{}, fmt.Errorf("target %s: %w", s.Name, err)
	}
	return recording.Header{
		Tool: c.Tool, Started: time.Now().UTC(), Revision: c.Suite.Revision,
		Target: recording.Target{Name: s.Name, Title: s.Title, Kind: string(s.Kind), Model: s.Model, Weights: s.Weights, Versions: s.Versions,
			Declared: s.Facts, Spec: spec},
		Machine: map[string]string{"os": runtime.GOOS, "arch": runtime.GOARCH, "cpus": strconv.Itoa(runtime.NumCPU())},
	}, nil
}

func (n *Session) logs(since time.Time) []recording.LogLine {
	var out []recording.LogLine
	for _, l := range n.server.Logs(since) {
		out = append(out, recording.LogLine{Component: l.Component, Time: l.Time.UTC().Round(0), Text: l.Text})
	}
	return out
}

// Facts returns what was declared or discovered of the target.
func (n *Session) Facts() contract.Facts { return n.facts }

// Recording returns what was recorded so far.
func (n *Session) Recording() *recording.Recording { return n.writer.Recording() }

// Follow sets the plan; it must come before the first Ask.
func (n *Session) Follow(p contract.Plan) error { return n.engine.Follow(p) }

// Ask runs a check and what it reads, unless it was asked before.
func (n *Session) Ask(ctx context.Context, check string) error { return n.engine.Ask(ctx, check) }

// stopLimit bounds the stop of a target; after it, its processes are killed.
const stopLimit = 2 * time.Minute

// Close makes the recording whole and stops the target.
func (n *Session) Close() error { return n.end((*recording.Writer).Close) }

// Abandon stops the target and leaves the recording without its end, as of an interrupted run.
func (n *Session) Abandon() error { return n.end((*recording.Writer).Abandon) }

func (n *Session) end(finish func(*recording.Writer) error) error {
	var errs []error
	if n.writer != nil {
		errs = append(errs, finish(n.writer))
	}
	if n.client != nil {
		n.client.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	return errors.Join(append(errs, n.server.Stop(ctx))...)
}
