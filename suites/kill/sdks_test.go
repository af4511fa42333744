package kill_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/witness"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// sdks lets the witnesses ask a server of the table. openai-go is itself; for the SDKs of Python and Node, of which each
// question takes a second and an installation, stand models of them, unless real says otherwise.
type sdks struct {
	transport http.RoundTripper
	key       string
	limit     time.Duration
	real      *witness.Tools
}

func (s sdks) run(ctx context.Context, name, scenario string) ([]byte, error) {
	if name != statement.Go && s.real == nil {
		return json.Marshal(model{name: name, transport: s.transport, key: s.key}.ask(ctx, scenario))
	}
	c := witness.Config{BaseURL: "http://emulator.test", Key: s.key, Model: killModel, Transport: s.transport, Limit: s.limit, RetryPause: time.Millisecond}
	if s.real != nil {
		c.Tools = *s.real
	}
	return witness.New(c).Run(ctx, name, scenario)
}

// model does what openai for Python 3.57 and for Node 6.49 do with an answer. TestModelsOfSDKs compares.
type model struct {
	name      string
	transport http.RoundTripper
	key       string
}

// sdkCalls is how often the SDKs ask at most.
const sdkCalls = 3

func (m model) ask(ctx context.Context, scenario string) statement.Output {
	out := statement.Output{SDK: "model of openai-" + m.name, Version: "1", Scenario: scenario}
	request := map[string]any{"model": killModel, "input": statement.Text(), "encoding_format": "base64"}
	chosen := scenario == statement.Float || scenario == statement.Base64
	switch {
	case chosen:
		request["encoding_format"] = scenario
	case scenario == statement.Batch:
		request["input"] = statement.Texts()
	case scenario == statement.Error, scenario == statement.Once:
		request["dimensions"] = statement.HugeDimensions
	}
	fail := func(status int, text string) statement.Output {
		out.Error = &statement.Raised{Class: "Error", Status: status, Text: text}
		return out
	}
	var body []byte
	var res *http.Response
	var err error
	for again := true; again; out.Calls++ {
		res, body, err = m.call(ctx, request) //nolint:bodyclose // call has closed it
		answer := statement.Answer{}
		if err == nil {
			answer.Status = res.StatusCode
			if res.StatusCode >= 400 {
				answer.Body = string(body)
			}
		}
		out.Answers = append(out.Answers, answer)
		again = out.Calls+1 < sdkCalls && scenario != statement.Once && (err != nil || answer.Status == 408 || answer.Status == 409 || answer.Status == 429 || answer.Status >= 500)
	}
	if err != nil {
		return fail(0, "Connection error.")
	}
	if res.StatusCode >= 400 {
		return fail(res.StatusCode, m.text(res.StatusCode, body))
	}
	var told struct {
		Data []statement.Item `json:"data"`
	}
	// Python tries any content type.
	if m.name == statement.Node && !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		return fail(0, "Cannot read properties of undefined (reading 'map')")
	}
	if err := json.Unmarshal(body, &told); err != nil {
		return fail(0, err.Error())
	}
	if m.name == statement.Python && !chosen && len(told.Data) == 0 {
		return fail(0, "No embedding data received")
	}
	for i := range told.Data {
		if chosen {
			break
		}
		if told.Data[i].Embedding, err = m.decode(told.Data[i].Embedding); err != nil {
			return fail(0, err.Error())
		}
	}
	out.OK, out.Data = true, told.Data
	return out
}

func (m model) call(ctx context.Context, request map[string]any) (*http.Response, []byte, error) {
	raw, err := json.Marshal(request)
	if err != nil {
		return nil, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://emulator.test"+contract.EmbeddingsPath, bytes.NewReader(raw))
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+m.key)
	res, err := m.transport.RoundTrip(r)
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(res.Body)
	return res, body, errors.Join(err, res.Body.Close())
}

// text is what the SDK shows of an error. Python shows a message that it finds in error or beside it, Node what is in
// error, or a body that is no JSON.
func (m model) text(status int, body []byte) string {
	var whole map[string]any
	isObject := json.Unmarshal(body, &whole) == nil
	inner, nested := whole["error"].(map[string]any)
	if m.name == statement.Python {
		if _, there := whole["error"]; !there {
			inner = whole
		}
		if text, ok := inner["message"].(string); ok && text != "" {
			return fmt.Sprintf("Error code: %d - %s", status, text)
		}
		return fmt.Sprintf("Error code: %d", status)
	}
	switch text, ok := inner["message"].(string); {
	case nested && ok:
		return fmt.Sprintf("%d %s", status, text)
	case whole["error"] != nil:
		said, _ := json.Marshal(whole["error"])
		return fmt.Sprintf("%d %s", status, said)
	case !isObject && len(body) > 0:
		return fmt.Sprintf("%d %s", status, body)
	}
	return fmt.Sprintf("%d status code (no body)", status)
}

// decode is what an SDK that asked for base64 of itself makes of an embedding.
func (m model) decode(embedding json.RawMessage) (json.RawMessage, error) {
	var text string
	isText := json.Unmarshal(embedding, &text) == nil
	var raw []byte
	switch {
	case m.name == statement.Python && !isText:
		return embedding, nil
	case isText:
		var err error
		if raw, err = base64.StdEncoding.DecodeString(text); err != nil && m.name == statement.Python {
			return nil, err
		}
	default: // Buffer.from takes each number of a list as a byte
		var list []float64
		if err := json.Unmarshal(embedding, &list); err != nil {
			return nil, err
		}
		for _, x := range list {
			raw = append(raw, byte(int64(math.Trunc(x))))
		}
	}
	v := make([]*float32, len(raw)/4)
	for i := range v {
		if x := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])); !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) {
			v[i] = &x
		}
	}
	return json.Marshal(v)
}
