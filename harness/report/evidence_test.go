package report

import (
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

func TestCurl(t *testing.T) {
	const key = ` -H "Authorization: Bearer $API_KEY"`
	for name, c := range map[string]struct {
		r    contract.Request
		want string
	}{
		"a body": {contract.Request{Method: "POST", Path: "/v1/embeddings", ContentType: "application/json", Body: []byte(`{"input":"it's"}`)},
			`curl -sS -X POST "$BASE_URL/v1/embeddings"` + key + ` -H 'Content-Type: application/json' --data-binary '{"input":"it'\''s"}'`},
		"a recipe": {contract.Request{Method: "POST", Path: "/v1/embeddings", ContentType: "application/json", Body: []byte("long"), Recipe: "filler(words=9, pads=0)"},
			`curl -sS -X POST "$BASE_URL/v1/embeddings"` + key + ` -H 'Content-Type: application/json' --data-binary @- # filler(words=9, pads=0)`},
		"no body":                {contract.Request{Method: "GET", Path: "/v1/models"}, `curl -sS -X GET "$BASE_URL/v1/models"` + key},
		"an empty body":          {contract.Request{Method: "POST", Path: "/x"}, `curl -sS -X POST "$BASE_URL/x"` + key + ` --data-binary ''`},
		"a header":               {contract.Request{Method: "GET", Path: "/x", Header: map[string]string{"X-Request-Id": "7"}}, `curl -sS -X GET "$BASE_URL/x"` + key + ` -H 'X-Request-Id: 7'`},
		"without a key":          {contract.Request{Method: "GET", Path: "/x", Header: map[string]string{"Authorization": ""}}, `curl -sS -X GET "$BASE_URL/x" -H 'Authorization:'`},
		"with a wrong key":       {contract.Request{Method: "GET", Path: "/x", Header: map[string]string{"Authorization": "Bearer no$body"}}, `curl -sS -X GET "$BASE_URL/x" -H 'Authorization: Bearer no$body'`},
		"a client that hangs up": {contract.Request{Method: "GET", Path: "/x", HangUp: 50 * time.Millisecond}, `curl -sS -X GET "$BASE_URL/x"` + key + ` --max-time 0.05`},
		"an action":              {contract.Request{Action: contract.StopWorker}, "# not a request: stop worker"},
	} {
		if got := Curl(c.r); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestReproduce(t *testing.T) {
	targets := []Source{{Argument: "old.yaml"}, {Argument: "new.yaml"}}
	for _, c := range []struct {
		check   contract.Check
		options string
		targets []Source
		want    string
	}{
		{contract.Check{ID: "b/c"}, "", targets, "embedcontract run --focus '^b/c$' old.yaml new.yaml"},
		{contract.Check{ID: "b/c", Extended: true}, "--revision draft", targets[:1], "embedcontract run --focus '^b/c$' --extended --revision draft old.yaml"},
		{contract.Check{ID: "b/c"}, "--revision draft", []Source{{}}, ""},
	} {
		if got := reproduce(c.check, c.options, c.targets...); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// The SDKs that are asked on request must be asked again by the command.
func TestReproduceNamesTheWitness(t *testing.T) {
	w, err := recording.InMemory(recording.Header{Target: recording.Target{Name: "t", Model: "m"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	told := contract.Step{Check: "w/node", Name: "told", Request: contract.Request{Action: contract.Witness("node", "default")}, Body: []byte(`{"sdk":"x"}`)}
	if _, err := w.Exchange(told); err != nil {
		t.Fatal(err)
	}
	told.Check = "w/core"
	if _, err := w.Exchange(told); err != nil {
		t.Fatal(err)
	}
	s := Source{Argument: "a.yaml", Recording: w.Recording()}
	for want, c := range map[string]contract.Check{
		"embedcontract run --focus '^w/node$' --extended --witness node a.yaml": {ID: "w/node", Extended: true},
		"embedcontract run --focus '^w/core$' a.yaml":                           {ID: "w/core"},
	} {
		if got := reproduce(c, "", s); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	if got := answer(told); got != `{"sdk":"x"}` {
		t.Errorf("what it told is shown as %s", got)
	}
}
