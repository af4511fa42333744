package openapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/openapi"
)

// foreignDocument has a schema of the 200 of the embeddings route, and definitions beside it.
func foreignDocument(schema, definitions string) []byte {
	return []byte(`{"openapi":"3.1.0","paths":{"/v1/embeddings":{"post":{"responses":{"200":{"content":{"application/json":{"schema":` +
		schema + `}}}}}}},"components":{"schemas":{` + definitions + `}}}`)
}

// A document may be small and keep a schema engine busy for years, or need all memory.
func TestForeignIsBounded(t *testing.T) {
	const soon = 20 * time.Second // on a busy machine; without the bounds none of these ends
	all := func(schema string, n int) string { return `{"allOf":[` + strings.Repeat(schema+",", n) + `{}]}` }
	doubling := []string{`"a0":{"type":"object"}`}
	for i := range 40 {
		doubling = append(doubling, fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/components/schemas/a%d"},{"$ref":"#/components/schemas/a%d"}]}`, i+1, i, i))
	}
	for name, c := range map[string]struct{ schema, more, want string }{
		"large exponents":        {all(`{"minimum":1e999999}`, 5000), "", "of which no reader knows the value"},
		"small exponents":        {all(`{"multipleOf":1E-0999999}`, 5000), "", "of which no reader knows the value"},
		"digits":                 {`{"minimum":` + strings.Repeat("9", 100_000) + `}`, "", "of which no reader knows the value"},
		"nesting":                {strings.Repeat(`{"not":`, 5000) + "{}" + strings.Repeat("}", 5000), "", "deep"},
		"repetitions":            {all(`{"pattern":"((a{30}){30})"}`, 20_000), "", "too many"},
		"patterns":               {all(`{"pattern":"a"}`, 20_000), "", "too many"},
		"each twice of the next": {`{"$ref":"#/components/schemas/a40"}`, strings.Join(doubling, ","), "takes more work than any honest schema does"},
		"itself":                 {`{"$ref":"#/paths/~1v1~1embeddings/post/responses/200/content/application~1json/schema"}`, "", ""},
		"a file":                 {`{"$ref":"file:///etc/passwd"}`, "", "is not fetched"},
		"an honest one":          {all(`{"properties":{"object":{"pattern":"^[a-z]{4}$","maxLength":1.0e2}}}`, 3), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			f, err := openapi.ParseForeign(foreignDocument(c.schema, c.more))
			if err == nil {
				_, err = f.Success([]byte(`{"object":"list","data":[]}`))
			}
			switch {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%.300v, expected %q", err, c.want)
			case time.Since(began) > soon:
				t.Errorf("it took %s", time.Since(began))
			}
			if err != nil && strings.Contains(err.Error(), "/openapi/") {
				t.Errorf("a path of this machine: %.300v", err)
			}
		})
	}
}
