package mcp_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/mcp"
)

// A client that has roots is asked for them, once and after each change; the one with its working directory comes first.
func TestRootsOfAClientAreItsProject(t *testing.T) {
	shop, blog := t.TempDir(), t.TempDir()
	for _, c := range []struct{ started, roots, want string }{
		{"/", `{"uri":"file://` + shop + `"},{"uri":"https://x"},{"uri":"file://` + blog + `"}`, shop},
		{filepath.Join(blog), `{"uri":"file://` + shop + `"},{"uri":"file://` + blog + `"}`, blog},
		{shop, ``, shop},
	} {
		a := dial(t, mcp.Config{Version: "1"}, c.started)
		a.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
			`"capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}`)
		a.read()
		a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		ask := func(id, roots string) string {
			t.Helper()
			a.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"observe","arguments":{"what":"who"}}}`)
			m := a.read()
			if m.Method == "roots/list" {
				if roots == "none" {
					t.Fatal("it asks again")
				}
				a.send(`{"jsonrpc":"2.0","id":1,"result":{"roots":[` + roots + `]}}`)
				m = a.read()
			} else if roots != "none" {
				t.Fatalf("it does not ask: %s", m.Result)
			}
			return string(m.Result)
		}
		if got := ask("2", c.roots); !strings.Contains(got, " "+c.want+`"`) {
			t.Errorf("started in %s with %s: %s", c.started, c.roots, got)
		}
		if got := ask("3", "none"); !strings.Contains(got, " "+c.want+`"`) {
			t.Errorf("asked again: %s", got)
		}
	}
}
