package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/daemon"
)

func TestHelpOfAModeIsForPeople(t *testing.T) {
	m := newMachine(t)
	out, _, code := m.run("observe", "errors", "--help")
	const want = `Uncaught exceptions, unhandled rejections, failed resources, CSP violations and
console errors, with stacks and causes. An id (x7) gives one with its whole
stack.

Also: exceptions, error.

Usage:
  gasoline observe errors [flags]

Example:
  gasoline observe errors --limit 5

Flags:
      --id string    one entry's handle, for all of it
      --url string   only those whose script, resource or page URL
                     contains this
      --summary      counts and the most frequent instead of entries

Flags of several modes:
      --scope string     tab (default: the one in use, all its frames),
                         page, or all (tab, page, all, current_page)
      --tab int          another tab's id
      --test-id string   only this test's
      --limit int        most entries, 1-1000
      --cursor string    go on from an earlier answer
      --since string     last, a duration back (30s), or an RFC 3339 time

Flags of every mode:
      --budget int      most characters of the answer, 500–30000
                        (default 6000)
      --json            print the typed result, whole
      --output string   write the answer to this file; - is stdout
  -h, --help            help for errors

Global flags:
      --memory string      memory for captured events, 16MB–4GB
                           (GASOLINE_MEMORY, default 200MB)
      --port string        port of the daemon (GASOLINE_PORT, default 7890)
      --state-dir string   where the daemon keeps token and files
                           (GASOLINE_STATE_DIR, default ~/.gasoline)
`
	if code != exitOK || out != want {
		t.Errorf("exit %d, got\n%s\nwant\n%s", code, out, want)
	}
	for args, wants := range map[string][]string{
		"interact click --help":      {`--selector 'role=button[name="Save"]'`, `Needs a connected browser and "AI Web Pilot" switched on`, "--new-tab ", "mouse button (default left) (left, middle, right)", "(default 5000)"},
		"interact check --help":      {"uncheck it with --checked=false."},
		"interact navigate --help":   {"where to go (required)"},
		"observe timeline --help":    {"--include actions,errors,network --since 30s", "--include list "},
		"observe screenshot --help":  {"screenshot-TIME.png"},
		"observe --help":             {"Modes:\n  error_bundles     Each error with what led to it in the same tab\n"},
		"pair --help":                {"in the extension's popup", "gasoline pair ABCD23"},
		"generate har --help":        {"gasoline generate har --save-to session.har"},
		"analyze error_clusters -h":  {"gasoline analyze error_clusters --limit 10"},
		"interact type --help":       {"--text a@b.example --clear"},
		"configure telemetry --help": {"off, auto"},
	} {
		out, _, code := m.run(strings.Fields(args)...)
		for _, want := range wants {
			if code != exitOK || !strings.Contains(out, want) {
				t.Errorf("%s: exit %d, %q is missing in\n%s", args, code, want, out)
			}
		}
	}
}

// No mode's help falls back into the words of tool calls, and every line of a list is short.
func TestHelpOfEveryMode(t *testing.T) {
	for _, tool := range daemon.Catalogue() {
		for _, m := range tool.Modes() {
			if s := summary(m.Doc); s == "" || utf8.RuneCountInString(s) > oneLine {
				t.Errorf("%s %s: %q", tool.Name, m.Name, s)
			}
			text := explanation(m)
			for _, p := range m.Params {
				if strings.Contains(p.Name, "_") && strings.Contains(text, p.Name) {
					t.Errorf("%s %s: help names %s, no flag", tool.Name, m.Name, p.Name)
				}
			}
			if m.Example != "" {
				command, err := shellCommand(tool.Name, m.Name, m.Example)
				if err != nil || !strings.HasPrefix(command, "gasoline "+tool.Name+" "+m.Name+" --") {
					t.Errorf("%s %s: %q %v", tool.Name, m.Name, command, err)
				}
			}
		}
	}
}

func TestDefaultsStandWhereHelpExpectsThem(t *testing.T) {
	for doc, want := range map[string]string{
		"of jpeg; 80":                            "of jpeg (default 80)",
		"tab id; default the one in use":         "tab id (default the one in use)",
		"which match, from 0; -1 is the last":    "which match, from 0; -1 is the last",
		"value; entries without it are left out": "value; entries without it are left out",
		"":                                       "",
	} {
		if got := flagText(catalog.Param{Doc: doc}); got != want {
			t.Errorf("%q: %q, want %q", doc, got, want)
		}
	}
}

func TestCompletion(t *testing.T) {
	m := newMachine(t)
	const words, files, dirs = ":4\n", ":0\n", ":16\n"
	for _, tt := range []struct{ args, last, want string }{
		{"observe errors --scope", "", "tab\npage\nall\ncurrent_page\n" + words},
		{"observe", "err", "error_bundles\tEach error with what led to it in the same tab\nerrors\tUncaught exceptions, unhandled rejections, failed resources …\n" + words},
		{"observe help", "erro", "errors\t"},
		{"observe errors", "", words},
		{"observe errors --url", "", words},
		{"pair", "", words},
		{"observe errors --output", "", files},
		{"generate har --save-to", "", files},
		{"status --state-dir", "", dirs},
	} {
		out, _, code := m.run(append(append([]string{"__complete"}, strings.Fields(tt.args)...), tt.last)...)
		if code != exitOK || !strings.Contains(out, tt.want) || !strings.HasPrefix(tt.want, ":") != strings.Contains(out, "\n:") {
			t.Errorf("%s %q: exit %d, %q, want %q", tt.args, tt.last, code, out, tt.want)
		}
	}
}
