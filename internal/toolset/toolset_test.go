package toolset

import (
	"encoding/json"
	"testing"

	"github.com/brennhill/gasoline/internal/problem"
)

// Names, descriptions and schemas are those of the specification.
func TestTheEightToolsAreThoseOfTheSpecification(t *testing.T) {
	want := map[string][2]string{
		"get_browser_logs": {"Retrieves the last N console logs, errors, or warnings from the browser.",
			`{"type":"object","properties":{"level":{"type":"string","enum":["all","error","warn","info"],"default":"error"},"limit":{"type":"integer","default":20}}}`},
		"get_network_activity": {"Retrieves recent network requests, specifically looking for failures.",
			`{"type":"object","properties":{"status_filter":{"type":"string","enum":["failed","all"],"default":"failed"},"include_bodies":{"type":"boolean","default":true}}}`},
		"take_screenshot": {"Returns a base64 encoded screenshot of the current viewport or a specific element.",
			`{"type":"object","properties":{"selector":{"type":"string","description":"Optional CSS selector to crop to."}}}`},
		"highlight_element": {"Draws a red box around a specific element on the user's screen to indicate focus.",
			`{"type":"object","properties":{"selector":{"type":"string"},"duration_ms":{"type":"integer","default":5000}},"required":["selector"]}`},
		"execute_javascript": {"Executes raw JavaScript in the browser context and returns the result.",
			`{"type":"object","properties":{"script":{"type":"string","description":"The JS code to run. Must return a JSON-serializable value."}},"required":["script"]}`},
		"learn_selector": {"Saves a semantic name for a CSS selector to long-term memory.",
			`{"type":"object","properties":{"semantic_name":{"type":"string","description":"E.g., 'login_button'"},"selector":{"type":"string"}}}`},
		"manage_state": {"Save or Load a browser state snapshot.",
			`{"type":"object","properties":{"action":{"type":"string","enum":["save","load","list"]},"snapshot_name":{"type":"string"}}}`},
		"generate_test_file": {"Converts the recent session history into a Playwright/Cypress test.",
			`{"type":"object","properties":{"framework":{"type":"string","enum":["playwright","cypress"],"default":"playwright"},"test_name":{"type":"string"}}}`},
	}
	tools := V2()
	if len(tools) != len(want) {
		t.Errorf("%d tools", len(tools))
	}
	for _, n := range tools {
		if w := want[n.Name]; n.Description != w[0] || string(n.Schema) != w[1] {
			t.Errorf("%s: %q\n%s\nwant %q\n%s", n.Name, n.Description, n.Schema, w[0], w[1])
		}
	}
}

func TestCallsAreThoseOfModes(t *testing.T) {
	tools := map[string]Named{}
	for _, n := range V2() {
		tools[n.Name] = n
	}
	for _, c := range [][3]string{
		{"get_browser_logs", ``, `{"limit":20,"what":"errors"}`},
		{"get_browser_logs", `{"level":"all","limit":5}`, `{"include":["errors","logs"],"limit":5,"what":"timeline"}`},
		{"get_browser_logs", `{"level":"info","limit":"7"}`, `{"limit":7,"min_level":"info","what":"logs"}`},
		{"get_browser_logs", `{"level":"info","limit":20.0}`, `{"limit":20,"min_level":"info","what":"logs"}`},
		{"get_browser_logs", `{"level":"info","limit":"2e1"}`, `{"limit":20,"min_level":"info","what":"logs"}`},
		{"get_network_activity", `{}`, `{"failed":true,"what":"network_bodies","without":["media"]}`},
		{"get_network_activity", `{"status_filter":"all","include_bodies":"false"}`, `{"what":"network_bodies","without":["media","bodies"]}`},
		{"take_screenshot", `{"selector":"#a"}`, `{"grayscale":true,"max_width":800,"selector":"#a","what":"screenshot"}`},
		{"take_screenshot", `{"selector":null}`, `{"grayscale":true,"max_width":800,"what":"screenshot"}`},
		{"highlight_element", `{"selector":"#a"}`, `{"action":"highlight","duration_ms":5000,"selector":"#a"}`},
		{"execute_javascript", `{"script":"1"}`, `{"action":"execute_js","script":"1"}`},
		{"learn_selector", `{"semantic_name":"pay","selector":"#pay"}`,
			`{"action":"store","key":"pay","namespace":"selectors","operation":"save","selector":"#pay","unchecked":true}`},
		{"manage_state", `{"action":"save","snapshot_name":"full"}`, `{"action":"save_state","snapshot_name":"full"}`},
		{"manage_state", `{"action":"load","snapshot_name":"full"}`, `{"action":"load_state","snapshot_name":"full"}`},
		{"manage_state", `{"action":"list"}`, `{"action":"list_states"}`},
		{"generate_test_file", `{"test_name":"pays"}`, `{"format":"test","framework":"playwright","test_name":"pays"}`},
		{"generate_test_file", `{"framework":"cypress"}`, `{"format":"test","framework":"cypress"}`},
	} {
		n := tools[c[0]]
		got, err := n.Call(json.RawMessage(c[1]))
		if err != nil || string(got) != c[2] {
			t.Errorf("%s %s: %s %v, want %s", c[0], c[1], got, err, c[2])
		}
	}
	for _, c := range [][3]string{
		{"highlight_element", `{}`, "missing_param: highlight_element needs selector."},
		{"learn_selector", `{"selector":"#a"}`, "missing_param: learn_selector needs semantic_name."},
		{"manage_state", `{"action":"save"}`, "missing_param: manage_state needs snapshot_name."},
		{"manage_state", `{"action":"load","snapshot_name":""}`, "missing_param: manage_state needs snapshot_name."},
		{"get_browser_logs", `{"limit":1e30}`, "invalid_param: limit of get_browser_logs cannot be 1e30."},
		{"manage_state", `{}`, "missing_param: manage_state needs action."},
		{"get_browser_logs", `[]`, "invalid_param: the arguments of get_browser_logs are no JSON object."},
		{"get_browser_logs", `{"limit":"many"}`, "invalid_param: limit of get_browser_logs cannot be many."},
		{"get_browser_logs", `{"limit":1.5}`, "invalid_param: limit of get_browser_logs cannot be 1.5."},
		{"get_browser_logs", `{"level":{}}`, "invalid_param: level of get_browser_logs cannot be map[]."},
		{"get_network_activity", `{"include_bodies":"perhaps"}`, "invalid_param: include_bodies of get_network_activity cannot be perhaps."},
		{"take_screenshot", `{"colour":1}`, `invalid_param: take_screenshot has no parameter "colour".`},
	} {
		n := tools[c[0]]
		if _, err := n.Call(json.RawMessage(c[1])); problem.From(err) == nil || err.Error() != c[2] {
			t.Errorf("%s %s: %v, want %s", c[0], c[1], err, c[2])
		}
	}
}

func TestToolsetsAreKnownByName(t *testing.T) {
	for _, name := range append(Names, "") {
		has := Of(name)
		if has == nil || has("observe") != (name != "v2") || has("learn_selector") != (name == "v2" || name == "all") {
			t.Errorf("%q", name)
		}
	}
	if Of("v3") != nil {
		t.Error("there is no v3")
	}
}
