// Package suites is the contract: what a client of an OpenAI-compatible embeddings endpoint relies on. One file
// holds one behaviour, its checks as data with a probe and a classifier. There is no test framework here; the
// thin shell for go test and ginkgo is suite_test.go.
package suites

import (
	"fmt"

	"github.com/embedcontract/embedcontract/fixtures/corpora"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/openapi"
)

// draft is the contract as this package states it. It fails when the corpus or the OpenAPI document that are built
// in cannot be read.
func draft() (contract.Suite, error) {
	texts, err := corpora.Load()
	if err != nil {
		return contract.Suite{}, fmt.Errorf("corpus: %w", err)
	}
	doc, err := openapi.Load()
	if err != nil {
		return contract.Suite{}, fmt.Errorf("OpenAPI document: %w", err)
	}
	s := contract.Suite{
		Revision: contract.Draft,
		Facts:    facts(),
		Corpus:   texts,
		Behaviours: []contract.Behaviour{
			responseShape(doc),
			dimensions(),
			unitNorm(),
			tokenParity(),
			vectorParity(),
			instructions(),
			truncation(),
			encodingFormat(),
			inputForms(),
			text(),
			batching(),
			witnesses(),
			concurrency(),
			statusCodes(doc),
			service(doc),
			auth(),
			lifecycle(),
		},
	}
	return s, s.Validate()
}
