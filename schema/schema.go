// Package schema holds what is generated from declarations: the tools as clients see them and the
// HTTP interface. Review its files as the API; "make gen" writes them.
package schema

import _ "embed"

// OpenAPI is the HTTP interface as an OpenAPI 3.1 document.
//
//go:embed openapi.json
var OpenAPI []byte

// ExtensionID is the id of the extension that this daemon talks to, as {"id": "…"}; it follows from
// the key in the extension's manifest.
//
//go:embed extension-id.json
var ExtensionID []byte
