package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/session"
	"github.com/embedcontract/embedcontract/harness/target"
	"github.com/embedcontract/embedcontract/harness/wire"
)

// runner asks the targets of a run, one after the other or side by side.
type runner struct {
	config   session.Config
	suite    contract.Suite
	selected func(contract.Check) bool
	told     *progress
	parallel bool

	mu   sync.Mutex
	plan *contract.Plan // of the first target that started, once it is known
}

// all asks every target. A target that does not start is a column of errors; the error returned here is for an
// interrupted run and a recording that cannot be written.
func (r *runner) all(ctx context.Context, plan []*planned) error {
	defer r.told.watch()()
	if r.parallel {
		return r.sideBySide(ctx, plan)
	}
	for _, p := range plan {
		if err := r.one(ctx, p, func() {}, func() {}); err != nil {
			return err
		}
	}
	return nil
}

// sideBySide runs every target at once, except that those on a GPU form a queue. Each waits, once it is started, for
// those before it to be started: the plan is that of the first.
func (r *runner) sideBySide(ctx context.Context, plan []*planned) error {
	var queue, all sync.WaitGroup
	errs := make([]error, len(plan))
	opened := make([]chan struct{}, len(plan))
	for i := range plan {
		opened[i] = make(chan struct{})
	}
	ask := func(i int) {
		once := sync.OnceFunc(func() { close(opened[i]) })
		defer once() // also of one that did not start
		errs[i] = r.one(ctx, plan[i], func() {
			for _, before := range opened[:i] {
				<-before
			}
		}, once)
	}
	queue.Go(func() {
		for i, p := range plan {
			if p.onGPU() {
				ask(i)
			}
		}
	})
	for i, p := range plan {
		if !p.onGPU() {
			all.Go(func() { ask(i) })
		}
	}
	queue.Wait()
	all.Wait()
	return errors.Join(errs...)
}

func (p *planned) onGPU() bool { return p.spec != nil && p.spec.OnGPU() }

func (r *runner) setPlan(reference string, facts contract.Facts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.plan == nil {
		made := contract.NewPlan(reference, facts, r.suite.Corpus)
		r.plan = &made
	}
}

// one asks one target. Once it is started, turn waits for those before it, and known is called when the plan stands.
func (r *runner) one(ctx context.Context, p *planned, turn, known func()) error {
	if p.recorded != nil {
		if p.recorded.Plan.Corpus != r.suite.Corpus.Digest() {
			return fmt.Errorf("the recording in %s was made with other texts (%s) than this program has (%s): record it again",
				p.recorded.Path, p.recorded.Plan.Corpus, r.suite.Corpus.Digest())
		}
		turn()
		r.setPlan(p.recorded.Plan.Reference, p.recorded.Plan.Facts)
		return nil
	}
	r.told.start(p.spec.Name)
	defer r.told.end(p.spec.Name)
	s, err := session.Open(ctx, r.config, p.spec)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return errors.Join(cause, err)
		}
		r.told.say(fmt.Sprintf("%s: %v", p.spec.Name, err))
		p.source.Recording, p.source.Problem = session.Unstarted(r.config, p.spec), firstLine(err)
		return nil
	}
	f := s.Facts()
	limit := "limit " + f.Source["max_tokens"]
	if f.MaxTokens > 0 {
		limit = fmt.Sprintf("limit %d tokens (%s)", f.MaxTokens, f.Source["max_tokens"])
	}
	r.told.say(fmt.Sprintf("%s: %d dimensions (%s), %s", p.spec.Name, f.Dimensions, f.Source["dimensions"], limit))
	turn()
	r.setPlan(p.spec.Name, f)
	known()
	if err := r.ask(ctx, s, p); err != nil {
		return errors.Join(err, s.Abandon())
	}
	p.source.Recording = s.Recording()
	err = s.Close()
	if errors.Is(err, target.ErrLeft) { // the recording is whole, and the other targets can still be asked
		r.told.say(fmt.Sprintf("%s: %v", p.spec.Name, err))
		return nil
	}
	return err
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func (r *runner) ask(ctx context.Context, s *session.Session, p *planned) error {
	if err := s.Follow(*r.plan); err != nil {
		return err
	}
	total, done := 0, 0
	for _, c := range slices.Concat(r.suite.Checks(), r.suite.Remedies()) {
		if r.selected(c) {
			total++
		}
	}
	for _, b := range r.suite.AskingOrder() {
		for _, c := range b.Checks {
			if !r.selected(c) {
				continue
			}
			r.told.ask(p.spec.Name, b.Stem, c.ID, done, total)
			if err := s.Ask(ctx, c.ID); err != nil {
				return err
			}
			done++
			r.told.ask(p.spec.Name, b.Stem, c.ID, done, total)
		}
	}
	return nil
}

// modelOf finds the model to ask a URL for: the given one, or the first that the server lists.
func modelOf(ctx context.Context, url, model, keyEnv string) (string, error) {
	if !strings.Contains(url, "://") {
		return "", usage("--url %s: begin it with http:// or https://", url)
	}
	if keyEnv != "" && os.Getenv(keyEnv) == "" {
		return "", usage("--api-key-env: the environment variable %s is not set", keyEnv)
	}
	if model != "" {
		return model, nil
	}
	base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(url, "/"), "/embeddings"), "/v1")
	c := wire.New(base, wire.Options{Key: os.Getenv(keyEnv), Timeout: 10 * time.Second})
	defer c.Close()
	s, err := c.Do(ctx, contract.Request{Method: http.MethodGet, Path: "/v1/models"})
	if err != nil {
		return "", unknown(err)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	switch {
	case s.Fault != "":
		return "", unknown(fmt.Errorf("%s does not answer (%s): is the server running there?", base, s.Describe()))
	case s.Status == http.StatusUnauthorized || s.Status == http.StatusForbidden:
		return "", unknown(fmt.Errorf("%s asks for a key (%d): name the environment variable that holds it with --api-key-env", base, s.Status))
	}
	if !s.OK() || json.Unmarshal(s.Body, &list) != nil || len(list.Data) == 0 {
		return "", unknown(fmt.Errorf("%s/v1/models lists no model (%s): name one with --model", base, s.Describe()))
	}
	if id := list.Data[0].ID; len(id) > maxModelName || report.Clean(id) != id || strings.ContainsAny(id, "\n\t") {
		return "", unknown(fmt.Errorf("%s/v1/models lists first what is no name of a model (%d bytes: %s): name one with --model", base, len(id), contract.Shorten(id, 60)))
	}
	return list.Data[0].ID, nil
}

// maxModelName bounds a name that a server gives to its model, in bytes: it is sent with every request.
const maxModelName = 1 << 10
