package witness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// noKey is what the SDKs are given for a target without a key: they refuse to work without one.
const noKey = "none"

// versionHeader is how the SDK tells its version with each call; the build information of a test has none.
const versionHeader = "X-Stainless-Package-Version"

// runGo asks with openai-go. The service is made by hand, since the client reads OPENAI_* of the environment.
func (r *Runner) runGo(ctx context.Context, m *meter, ask request) (out statement.Output) {
	out.SDK = "openai-go"
	defer func() { out.Version = m.version() }()
	options := []option.RequestOption{option.WithBaseURL(r.c.BaseURL + "/v1/"), option.WithAPIKey(noKey), option.WithHTTPClient(&http.Client{Transport: m})}
	if r.c.RetryPause != 0 {
		options = append(options, option.WithMaxRetryDelay(r.c.RetryPause))
	}
	if ask.Once {
		options = append(options, option.WithMaxRetries(0))
	}
	service := openai.NewEmbeddingService(options...)
	params := openai.EmbeddingNewParams{Model: ask.Model, EncodingFormat: openai.EmbeddingNewParamsEncodingFormat(ask.Format)}
	if ask.One {
		params.Input.OfString = openai.String(ask.Input[0])
	} else {
		params.Input.OfArrayOfStrings = ask.Input
	}
	if ask.Dimensions != 0 {
		params.Dimensions = openai.Int(int64(ask.Dimensions))
	}
	res, err := service.New(ctx, params)
	if err != nil {
		out.Error = raisedByGo(err)
		return out
	}
	out.OK = true
	for _, d := range res.Data {
		out.Data = append(out.Data, statement.Item{Index: int(d.Index), Embedding: numbers(d.Embedding)})
	}
	return out
}

func raisedByGo(err error) *statement.Raised {
	e := &statement.Raised{Class: fmt.Sprintf("%T", err), Text: err.Error()}
	var api *openai.Error
	if errors.As(err, &api) {
		e.Class, e.Status, e.Message = "*openai.Error", api.StatusCode, api.Message
	}
	return e
}

// numbers writes a vector as float32, which is what servers have, with null for what JSON has no number for.
func numbers(v []float64) json.RawMessage {
	out := []byte{'['}
	for i, x := range v {
		if i > 0 {
			out = append(out, ',')
		}
		text, err := json.Marshal(float32(x))
		if err != nil || math.IsInf(float64(float32(x)), 0) {
			text = []byte("null")
		}
		out = append(out, text...)
	}
	return append(out, ']')
}
