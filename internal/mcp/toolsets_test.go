package mcp_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/mcp"
)

// tools lists the names of the tools that a client of a toolset is shown; the server of the tests has observe only.
func (c *client) tools() string {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	m := c.read()
	if m.Error != nil {
		return m.Error.Message
	}
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(m.Result, &list); err != nil {
		c.t.Fatal(err)
	}
	var names []string
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

func TestAClientSeesTheToolsOfItsToolset(t *testing.T) {
	const eight = "get_browser_logs get_network_activity take_screenshot"
	for name, want := range map[string]string{
		"": "observe", "default": "observe", "v2": eight, "all": "get_browser_logs get_network_activity observe take_screenshot",
		"v3": `there is no toolset "v3"; one of default, v2, all`,
	} {
		c := dialPeer(t, mcp.Config{}, mcp.Peer{Toolset: name})
		if name == "v3" {
			c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}`)
			if m := c.read(); m.Error == nil || m.Error.Message != want {
				t.Errorf("v3: %+v", m.Error)
			}
			continue
		}
		c.handshake()
		if got := c.tools(); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
		for tool, listed := range map[string]bool{"observe": name != "v2", "get_browser_logs": name == "v2" || name == "all"} {
			c.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`)
			if m := c.read(); (m.Error == nil) != listed {
				t.Errorf("%q calls %s: %+v %s", name, tool, m.Error, m.Result)
			}
		}
	}
}

// A call is the mode's with its own arguments, and what is wrong with them is said in the tool's own words.
func TestANamedToolIsACallOfAMode(t *testing.T) {
	c := dialPeer(t, mcp.Config{}, mcp.Peer{Toolset: "v2"})
	c.handshake()
	for args, want := range map[string]string{
		`{}`:               `observe has no mode \"errors\"`,
		`{"level":"warn"}`: `observe has no mode \"logs\"`,
		`{"level":"loud"}`: `Use one of: all, error, warn, info.`,
		`{"colour":1}`:     `get_browser_logs has no parameter \"colour\". It takes: level, limit.`,
	} {
		c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_browser_logs","arguments":` + args + `}}`)
		if m := c.read(); m.Error != nil || !strings.Contains(string(m.Result), want) || !strings.Contains(string(m.Result), `"isError":true`) {
			t.Errorf("%s: %+v %s", args, m.Error, m.Result)
		}
	}
}

// A client that has an address only chooses by it, in each of its requests.
func TestAClientOverHTTPChoosesByItsAddress(t *testing.T) {
	h := mcp.New(mcp.Config{Version: "1", Log: slog.New(slog.DiscardHandler), Tools: []*catalog.Bound{tool()}}).Handler()
	for address, want := range map[string]string{
		"http://127.0.0.1/mcp": `"name":"observe"`, "http://127.0.0.1/mcp?toolset=v2": `"name":"get_browser_logs"`,
		"http://127.0.0.1/mcp?toolset=v3": "there is no toolset",
	} {
		chosen := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.RawQuery = strings.TrimPrefix(strings.TrimPrefix(address, "http://127.0.0.1/mcp"), "?")
			h.ServeHTTP(w, r)
		})
		_, id, said := post(chosen, "", hello)
		if id != "" && !strings.Contains(want, "no toolset") {
			_, _, said = post(chosen, id, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		}
		if !strings.Contains(said, want) || strings.Contains(said, `"name":"observe"`) != (want == `"name":"observe"`) {
			t.Errorf("%s: %.300s", address, said)
		}
	}
}
