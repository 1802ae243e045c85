package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/daemon"
)

type pickParams struct {
	Tab   int      `json:"tab,omitempty" doc:"another tab's id"`
	Kind  string   `json:"kind,omitempty" enum:"png,jpeg" doc:"which; default png"`
	Most  int      `json:"most_entries" required:"true" doc:"most entries"`
	Share float64  `json:"share,omitempty" doc:"part of all; default the half"`
	Brief bool     `json:"brief,omitempty" doc:"counts only"`
	Words []string `json:"words,omitempty" doc:"only with these, in any order that they may have, anywhere"`
}

func TestHelpOfAModeIsForPeople(t *testing.T) {
	tool := catalog.New[int](
		catalog.Info{Name: "watch", Key: "what", Groups: []catalog.Group{{Short: "S", Params: []string{"tab"}}}},
	)
	catalog.Add(tool, catalog.Spec{
		Name: "pick", Aliases: []string{"choose"}, Needs: catalog.Extension | catalog.Pilot, Wait: 5 * time.Second,
		Doc: "Picks some entries; brief:true picks fewer, and most_entries bounds them. Then there is more to " +
			"say of them.",
		Example: `{"most_entries":5,"words":["a b","c"]}`,
	}, func(context.Context, int, pickParams) (string, error) { return "", nil })
	bound := catalog.Bind(tool, func(catalog.Call) int { return 0 }, nil)
	cmd := modeCommand(&settings{}, bound, bound.Modes()[0])
	parent := &cobra.Command{Use: "gasoline"}
	parent.PersistentFlags().String("port", "", "port of the daemon")
	watch := &cobra.Command{Use: "watch"}
	watch.AddGroup(&cobra.Group{ID: "modes"})
	watch.AddCommand(cmd)
	parent.AddCommand(watch)
	var out bytes.Buffer
	parent.SetOut(&out)
	parent.SetArgs([]string{"watch", "pick", "--help"})
	must(t, parent.Execute())
	const want = `Picks some entries; --brief picks fewer, and --most-entries bounds them. Then
there is more to say of them.

Needs a connected browser and "AI Web Pilot" switched on in the extension's
popup.

Also: choose.

Usage:
  gasoline watch pick [flags]

Example:
  gasoline watch pick --most-entries 5 --words 'a b,c'

Flags:
      --kind string        which (default png) (png, jpeg)
      --most-entries int   most entries (required)
      --share number       part of all (default the half)
      --brief              counts only
      --words list         only with these, in any order that they may
                           have, anywhere (with commas, or repeated)

Flags of several modes:
      --tab int   another tab's id

Flags of every mode:
      --budget int       most characters of the answer, 500–30000
                         (default 6000)
      --timeout-ms int   one deadline for finding, waiting and acting
                         (default 5000)
      --background       answer at once with a correlation_id
      --json             print the typed result, whole
      --output string    write the answer to this file; - is stdout
  -h, --help             help for pick

Global flags:
      --port string   port of the daemon
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
	if cmd.Short != "Picks some entries; brief:true picks fewer …" {
		t.Errorf("in a list: %q", cmd.Short)
	}
}

func TestHelpFromTheShell(t *testing.T) {
	m := newMachine(t)
	for args, wants := range map[string][]string{
		"observe errors --help": {"gasoline observe errors --limit 5", "--limit int ", "--summary ", "Global flags:"},
		"interact click --help": {`--selector 'role=button[name="Save"]'`,
			`Needs a connected browser and "AI Web Pilot" switched on`, "--new-tab ",
			"mouse button (default left) (left, middle, right)", "(default 5000)"},
		"interact check --help":      {"uncheck it with --checked=false."},
		"interact navigate --help":   {"where to go (required)"},
		"observe timeline --help":    {"--include actions,errors,network --since 30s", "--include list "},
		"observe screenshot --help":  {"screenshot-TIME.png"},
		"observe --help":             {"Modes:\n  error_bundles     Errors with what led to them in the same tab\n"},
		"pair --help":                {"the extension's popup", "setup browser"},
		"generate har --help":        {"gasoline generate har --save-to session.har"},
		"analyze error_clusters -h":  {"gasoline analyze error_clusters --limit 10"},
		"interact type --help":       {"--text a@b.example --clear"},
		"configure telemetry --help": {"off, auto"},
		"run --help": {"Run a program as you do, and let agents read what it writes.", "GASOLINE=off", "exit code is the program's",
			"--name string", "(default OTEL_SERVICE_NAME, or the project's name)", "load OpenTelemetry's instrumentation that the project has", "\n      --otel ", "gasoline run -- npm run dev"},
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
		"of jpeg; default 80":                    "of jpeg (default 80)",
		"in one line; short":                     "in one line; short",
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
		{"observe", "err", "error_bundles\tErrors with what led to them in the same tab\nerrors\tUncaught " +
			"exceptions, unhandled rejections, failed resources …\n" + words},
		{"observe help", "erro", "errors\t"},
		{"observe errors", "", words},
		{"observe errors --url", "", words},
		{"pair", "", words},
		{"observe errors --output", "", files},
		{"generate har --save-to", "", files},
		{"status --state-dir", "", dirs},
	} {
		out, _, code := m.run(append(append([]string{"__complete"}, strings.Fields(tt.args)...), tt.last)...)
		if code != exitOK || !strings.Contains(out, tt.want) ||
			!strings.HasPrefix(tt.want, ":") != strings.Contains(out, "\n:") {
			t.Errorf("%s %q: exit %d, %q, want %q", tt.args, tt.last, code, out, tt.want)
		}
	}
}

func TestEveryLimitHasItsDefaultInHelp(t *testing.T) {
	for _, tool := range daemon.Catalogue() {
		for _, m := range tool.Modes() {
			for _, p := range m.Params {
				if p.Name == "limit" && !strings.Contains(flagText(p), "(default ") {
					t.Errorf("%s %s: --limit %s", tool.Name, m.Name, flagText(p))
				}
			}
		}
	}
}
