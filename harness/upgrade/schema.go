package upgrade

import _ "embed" // for the schema

//go:embed schema.json
var schemaJSON string

// SchemaJSON is the JSON Schema of the published form.
func SchemaJSON() []byte { return []byte(schemaJSON) }
