package expect

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"

	"github.com/embedcontract/embedcontract/harness/strictyaml"
)

// read decodes a file strictly. A panic of the decoder is an error of the file.
func read(data []byte) (l *List, err error) {
	defer func() {
		if p := recover(); p != nil {
			l, err = nil, fmt.Errorf("this is not YAML that can be read (%v)", p)
		}
	}()
	docs, err := strictyaml.Parse(data)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		if err := strictyaml.Plain(d); err != nil {
			return nil, err
		}
	}
	l = &List{}
	if err := yaml.UnmarshalWithOptions(data, l, yaml.Strict()); err != nil {
		return nil, errors.New(yaml.FormatError(err, false, true))
	}
	return l, nil
}
