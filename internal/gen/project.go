package main

import (
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/daemon"
)

// project writes the JSON Schema of gasoline.json and its reference page, from what the adapters declare.
func project(_ string, files map[string][]byte) error {
	var kinds []any
	var page strings.Builder
	page.WriteString(generated)
	page.WriteString("# gasoline.json\n\nThis file lists the services of a project, and where their lines are kept. The daemon follows it after\n" +
		"`gasoline sources allow` in its folder, and so it does with one in its state directory. Paths are\n" +
		"relative to its folder, and links do not lead out of it: name the path that a link leads to. Editors\n" +
		"check the file by `\"$schema\"` with [gasoline.schema.json](../../schema/gasoline.schema.json).\n\n```json\n" +
		`{
  "services": {
    "api": {
      "sources": [
        {"type": "file", "path": "logs/*.log"},
        {"type": "loki", "url": "http://127.0.0.1:3100", "query": "{app=\"api\"}"},
        {"type": "jaeger", "url": "http://127.0.0.1:16686"}
      ]
    },
    "worker": {"sdk": true}
  }
}
` + "```" + "\n\nA service has the name of its telemetry (`service.name`). `sdk` says that the service sends by itself; it may " +
		"have\nsources as well. Secrets are never in the file: `token_env` and `token_file` name their place.\n")
	for _, a := range daemon.Adapters() {
		properties := map[string]any{"type": map[string]any{"const": a.Name}}
		required := []string{"type"}
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n| Option | Type | Meaning |\n|---|---|---|\n", a.Name, a.Doc)
		for _, p := range catalog.ParamsOf(a.Options) {
			properties[p.Name] = property(p)
			name := "`" + p.Name + "`"
			if p.Required {
				required = append(required, p.Name)
				name += " (required)"
			}
			fmt.Fprintf(&page, "| %s | %s | %s |\n", name, p.Type, escape(p.Doc))
		}
		kinds = append(kinds, map[string]any{
			"type": "object", "description": a.Doc, "properties": properties, "required": required, "additionalProperties": false,
		})
	}
	out, err := indented(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "gasoline.json", "type": "object",
		"additionalProperties": false,
		"properties": map[string]any{
			"$schema": map[string]any{"type": "string"},
			"services": map[string]any{
				"type": "object", "description": "By service.name.", "maxProperties": 100,
				"additionalProperties": map[string]any{
					"type": "object", "additionalProperties": false,
					"properties": map[string]any{
						"sdk":     map[string]any{"type": "boolean", "description": "The service sends by itself."},
						"sources": map[string]any{"type": "array", "maxItems": 100, "items": map[string]any{"oneOf": kinds}},
					},
				},
			},
		},
	})
	if err != nil {
		return err
	}
	files["schema/gasoline.schema.json"] = out
	files["docs/reference/gasoline-json.md"] = []byte(page.String())
	return nil
}

// property is the schema of one option.
func property(p catalog.Param) map[string]any {
	out := map[string]any{"type": p.Type}
	if p.Doc != "" {
		out["description"] = p.Doc
	}
	if p.Type == "array" {
		out["items"] = map[string]any{"type": p.Items}
	}
	if len(p.Enum) > 0 {
		out["enum"] = p.Enum
	}
	if p.Min != nil {
		out["minimum"] = *p.Min
	}
	if p.Max != nil {
		out["maximum"] = *p.Max
	}
	if p.Length > 0 && p.Type == "string" {
		out["maxLength"] = p.Length
	}
	if p.Pattern != "" {
		out["pattern"] = p.Pattern
	}
	return out
}
