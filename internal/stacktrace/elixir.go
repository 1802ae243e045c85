package stacktrace

import (
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

// ElixirError reads "** (RuntimeError) no stock".
func ElixirError(row string) (typ, message string, ok bool) {
	after, ok := strings.CutPrefix(row, "** (")
	typ, message, found := strings.Cut(after, ")")
	return typ, strings.TrimSpace(message), ok && found && typ != ""
}

func isElixir(text string) bool { return strings.Contains(text, "** (") }

// elixirError reads an error of Elixir: its calls are "(shop 0.1.0) lib/shop.ex:3: Shop.pay/1".
func elixirError(_, text string) (x Thrown, ok bool) {
	for row := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(row)
		if !ok {
			x.Type, x.Message, ok = ElixirError(trimmed)
			continue
		}
		app := ""
		if after, found := strings.CutPrefix(trimmed, "("); found {
			if app, after, found = strings.Cut(after, ") "); found {
				trimmed = after
			}
		}
		place, function, found := strings.Cut(trimmed, ": ")
		file, line, _ := placeOf(place)
		if !found || line == 0 || !strings.HasSuffix(file, ".ex") && !strings.HasSuffix(file, ".exs") && !strings.HasSuffix(file, ".erl") {
			if len(x.Stack) == 0 && trimmed != "" && row[0] == ' ' && trimmed != "stacktrace:" && !strings.HasPrefix(trimmed, "code: ") {
				x.Message += "\n" + trimmed
			}
			continue
		}
		name, _, _ := strings.Cut(app, " ")
		x.add(event.StackFrame{Function: function, URL: file, Line: line, InApp: inElixirApp(name, file)})
	}
	return x, ok
}

func inElixirApp(app, file string) bool {
	switch app {
	case "elixir", "stdlib", "kernel", "erts", "logger", "mix", "ex_unit", "phoenix", "phoenix_live_view", "plug", "plug_cowboy",
		"cowboy", "bandit", "ecto", "ecto_sql", "db_connection", "postgrex", "oban", "absinthe":
		return false
	}
	return !strings.HasPrefix(file, "deps/") && !strings.HasSuffix(file, ".erl")
}
