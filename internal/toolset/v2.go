package toolset

import "github.com/brennhill/gasoline/internal/catalog"

var (
	reading = catalog.Hints{ReadOnly: true, Idempotent: true}
	acting  = catalog.Hints{Destructive: true, Open: true}
)

// V2 returns the eight tools.
func V2() []Named {
	tools := []Named{
		{
			Name: "get_browser_logs", Title: "Browser logs", Tool: "observe", Hints: reading,
			Description: "Retrieves the last N console logs, errors, or warnings from the browser.",
			params: []param{
				{name: "level", kind: "string", enum: []string{"all", "error", "warn", "info"}, standard: "error"},
				{name: "limit", kind: "integer", standard: 20},
			},
			call: func(a map[string]any) map[string]any {
				switch a["level"] {
				case "error": // what was thrown, and what the console says of errors
					return map[string]any{"what": "errors", "limit": a["limit"]}
				case "all":
					return map[string]any{"what": "timeline", "include": []string{"errors", "logs"}, "limit": a["limit"]}
				}
				return map[string]any{"what": "logs", "min_level": a["level"], "limit": a["limit"]}
			},
		},
		{
			Name: "get_network_activity", Title: "Network activity", Tool: "observe", Hints: reading,
			Description: "Retrieves recent network requests, specifically looking for failures.",
			params: []param{
				{name: "status_filter", kind: "string", enum: []string{"failed", "all"}, standard: "failed"},
				{name: "include_bodies", kind: "boolean", standard: true},
			},
			call: func(a map[string]any) map[string]any {
				without := []string{"media"}
				if a["include_bodies"] == false {
					without = append(without, "bodies")
				}
				out := map[string]any{"what": "network_bodies", "without": without}
				if a["status_filter"] == "failed" {
					out["failed"] = true
				}
				return out
			},
		},
		{
			Name: "take_screenshot", Title: "Screenshot", Tool: "observe", Hints: reading,
			Description: "Returns a base64 encoded screenshot of the current viewport or a specific element.",
			params:      []param{{name: "selector", kind: "string", doc: "Optional CSS selector to crop to."}},
			call: func(a map[string]any) map[string]any {
				return with(a, "selector", map[string]any{"what": "screenshot", "grayscale": true, "max_width": 800})
			},
		},
		{
			Name: "highlight_element", Title: "Highlight", Tool: "interact", Hints: acting,
			Description: "Draws a red box around a specific element on the user's screen to indicate focus.",
			params: []param{
				{name: "selector", kind: "string", required: true},
				{name: "duration_ms", kind: "integer", standard: 5000},
			},
			call: func(a map[string]any) map[string]any {
				return map[string]any{"action": "highlight", "selector": a["selector"], "duration_ms": a["duration_ms"]}
			},
		},
		{
			Name: "execute_javascript", Title: "Run JavaScript", Tool: "interact", Hints: acting,
			Description: "Executes raw JavaScript in the browser context and returns the result.",
			params: []param{
				{name: "script", kind: "string", required: true, doc: "The JS code to run. Must return a JSON-serializable value."},
			},
			call: func(a map[string]any) map[string]any {
				return map[string]any{"action": "execute_js", "script": a["script"]}
			},
		},
		{
			Name: "learn_selector", Title: "Learn a name", Tool: "configure", Hints: catalog.Hints{Idempotent: true},
			Description: "Saves a semantic name for a CSS selector to long-term memory.",
			params: []param{
				{name: "semantic_name", kind: "string", needed: true, doc: "E.g., 'login_button'"},
				{name: "selector", kind: "string", needed: true},
			},
			call: func(a map[string]any) map[string]any {
				return map[string]any{
					"action": "store", "operation": "save", "namespace": "selectors", "key": a["semantic_name"], "selector": a["selector"],
					"unchecked": true,
				}
			},
		},
		{
			Name: "manage_state", Title: "Browser state", Tool: "interact", Hints: acting,
			Description: "Save or Load a browser state snapshot.",
			params: []param{
				{name: "action", kind: "string", enum: []string{"save", "load", "list"}, needed: true},
				{name: "snapshot_name", kind: "string", neededFor: []string{"save", "load"}},
			},
			call: func(a map[string]any) map[string]any {
				switch a["action"] {
				case "save":
					return with(a, "snapshot_name", map[string]any{"action": "save_state"})
				case "load":
					return with(a, "snapshot_name", map[string]any{"action": "load_state"})
				}
				return map[string]any{"action": "list_states"}
			},
		},
		{
			Name: "generate_test_file", Title: "Test file", Tool: "generate", Hints: catalog.Hints{Idempotent: true},
			Description: "Converts the recent session history into a Playwright/Cypress test.",
			params: []param{
				{name: "framework", kind: "string", enum: []string{"playwright", "cypress"}, standard: "playwright"},
				{name: "test_name", kind: "string"},
			},
			call: func(a map[string]any) map[string]any {
				return with(a, "test_name", map[string]any{"format": "test", "framework": a["framework"]})
			},
		},
	}
	for i := range tools {
		tools[i].Schema = schema(tools[i].params)
	}
	return tools
}

// with adds an argument where it was given.
func with(given map[string]any, name string, out map[string]any) map[string]any {
	if v, ok := given[name]; ok {
		out[name] = v
	}
	return out
}
