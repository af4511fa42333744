package kill_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/embedcontract/embedcontract/fixtures/emulator"
	"github.com/embedcontract/embedcontract/harness/contract"
)

// upgrade is one thing that a release of Dynamo before 1.6.1 did otherwise, alone: what differs among releases was found by
// hand first, and the suite has to find each by itself.
type upgrade struct {
	what   string // and up to which release
	before string // the switches of the older release, over the personality of 1.6.1
	check  string
	old    string // the variant of the older release
	now    string // and of 1.6.1
}

// upgrades are the observed differences of releases 1.3.1, 1.4.2, 1.5.1 and 1.6.1. Not among them: the health and the
// list of models while a dead worker is not yet forgotten, which change from second to second.
func upgrades() []upgrade {
	const fold = "{status: 500, shape: flat, message: Failed to fold embeddings stream}"
	const text = "{shape: text, message: 'Failed to parse the request body as JSON: expected value'}"
	const reason = "status_codes/message-reason"
	folds := func(class string) string { return "faults: {" + class + ": " + fold + "}" }
	return []upgrade{
		// Errors of the worker.
		{"dimensions 0 is a 500, to 1.5.1", folds("dimensions-zero"), "dimensions/zero", "failed-5xx", "rejected-4xx"},
		{"an empty list is a 500, to 1.5.1", folds("empty-array"), "input_forms/empty-array", "failed-5xx", "rejected-4xx"},
		{"truncate_prompt_tokens −2 is a 500, to 1.5.1", folds("truncate-negative"), "truncation/truncate-negative", "failed-5xx", "rejected-4xx"},
		{"a size of dimensions fails with words of the inside, to 1.5.1", folds("dimensions-reduced"), reason, "some-beside", "some-bare"},
		{"the native size fails with words of the inside, to 1.5.1", folds("dimensions-native"), reason, "some-beside", "some-bare"},
		{"too large dimensions fail with words of the inside, to 1.5.1", folds("dimensions-above"), reason, "some-beside", "some-bare"},
		{"a text that is too long fails with words of the inside, to 1.5.1", folds("over-long"), reason, "some-beside", "some-bare"},
		{"ids that are too many fail with words of the inside, to 1.5.1", folds("over-long-ids"), reason, "some-beside", "some-bare"},
		{"a list of nothing fails with words of the inside, to 1.5.1", folds("nested-empty"), reason, "some-beside", "some-bare"},
		{"an unknown id fails with words of the inside, to 1.5.1", folds("id-out-of-range"), reason, "some-beside", "some-bare"},

		// Errors of the framework.
		{"malformed JSON gets text, to 1.5.1", "faults: {malformed-json: " + text + "}", "status_codes/unreadable-body-error", "not-json", "json"},
		{"no body gets text, to 1.5.1", "faults: {empty-body: " + text + "}", "status_codes/unreadable-body-error", "mixed", "json"},
		{"half of a surrogate pair gets text, to 1.5.1", "faults: {lone-surrogate: " + text + "}", "status_codes/error-envelope", "mixed", "flat"},
		{"another content type gets text, to 1.5.1", "faults: {content-type: {shape: text}}", "status_codes/content-type-error", "not-json", "json"},
		{"a large body gets text, to 1.5.1", "faults: {body-too-large: {shape: text, message: length limit exceeded}}", "status_codes/too-large-error", "not-json", "json"},
		{"an unknown path gets nothing, to 1.4.2", "faults: {path: {shape: empty}}", "status_codes/wrong-path", "not-found-404-no-json", "not-found-404"},
		{"a path without /v1 gets nothing, to 1.4.2", "faults: {unversioned: {shape: empty}}", "status_codes/without-version", "not-found-404-no-json", "not-found-404"},
		{"a slash too many gets nothing, to 1.4.2", "faults: {trailing-slash: {shape: empty}}", "status_codes/trailing-slash-error", "empty", "json"},
		{"a bare newline is refused, to 1.5.1", "request: {raw_control: refused}", "text/raw-control", "rejected-4xx", "read-as-newline"},
		{"a byte that is no UTF-8 is refused, to 1.5.1", "request: {invalid_utf8: refused}", "text/invalid-utf8", "rejected-4xx", "replaced"},

		// Fields.
		{"add_special_tokens has no effect, to 1.4.2", "request: {add_special_tokens: ignored}", "input_forms/add-special-tokens", "without-effect", "honoured"},
		{"add_special_tokens has no effect and is not named, to 1.4.2", "request: {add_special_tokens: ignored}\nroutes: {document_fields: [nvext, truncate_prompt_tokens]}",
			"service/document-special-tokens", "not-offered", "named"},

		// The worker goes.
		{"the first request after the end fails, in 1.5.1", "faults: {worker-ending: {status: 500, message: Failed to generate embeddings}}", "lifecycle/first-after-stop", "failed-5xx", "told"},
		{"the first request after the end is held and fails, to 1.4.2", "life: {grace: held, grace_ms: 5000}\nfaults: {worker-ending: " + fold + "}", "lifecycle/first-after-stop", "late", "told"},
		{"the first request after a kill fails, to 1.5.1", "faults: {worker-ending: {status: 500, message: Failed to generate embeddings}}", "lifecycle/first-after-kill", "failed-5xx", "told"},
		{"requests in between fail, to 1.5.1", "faults: {worker-ending: {status: 500, message: Failed to generate embeddings}}", "lifecycle/while-stopping", "failed-5xx", "not-found"},
		{"a request in flight fails, to 1.5.1", folds("cut") + "\nlife: {in_flight: told}", "lifecycle/in-flight", "cut-5xx", "finished"},
	}
}

// TestReleasesAreToldApart asks the emulated 1.6.1 with each difference alone.
func TestReleasesAreToldApart(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	of, err := os.ReadFile(filepath.Join("..", "..", "fixtures", "personalities", "dynamo-1.6.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	now, err := emulator.Parse("dynamo-1.6", of)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range upgrades() {
		t.Run(u.what, func(t *testing.T) {
			t.Parallel()
			c, ok := l.suite.Check(u.check)
			if !ok || u.old == u.now {
				t.Fatalf("%s: no check, or no difference", u.check)
			}
			for with, want := range map[string]string{"": u.now, u.before: u.old} {
				p, err := now.With([]byte(with))
				if err != nil {
					t.Fatal(err)
				}
				declared := func(f *contract.Facts) { f.MaxTokens, f.QueryPrefix = p.Model.Limit, "" }
				rec, err := l.alone().inMemory(t, mutant{name: "release", only: u.check, declare: declared}, 1, func() (http.RoundTripper, actor, error) {
					h, err := emulator.New(p)
					if err != nil {
						return nil, nil, err
					}
					a, _ := h.(actor)
					return inMemory{h}, a, nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if cell := l.judge.Target(rec, c); cell.Variant() != want {
					t.Errorf("%q: %s is %s, want %s: %s %s", with, u.check, cell.Variant(), want, cell.Finding.Observed, cell.Reason)
				}
			}
		})
	}
}
