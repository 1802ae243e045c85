package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brennhill/gasoline/internal/daemon"
)

// Whatever is wrong with a command line is said in one form: "gasoline: " and a sentence, then the command whose help
// tells more; the exit code is 2, and nothing is started.
func TestEveryCommandRefusesInOneForm(t *testing.T) {
	dir := t.TempDir()
	for name, value := range map[string]string{"GASOLINE_STATE_DIR": dir, "GASOLINE_PORT": "1", "HOME": dir} {
		t.Setenv(name, value)
	}
	tried := 0
	refuses := func(about string, args ...string) {
		t.Helper()
		tried++
		var out, errs bytes.Buffer
		code := executeWith(t.Context(), args, &out, &errs)
		said, more, _ := strings.Cut(strings.TrimSuffix(errs.String(), "\n"), "\n")
		wayOut := strings.HasPrefix(more, `"gasoline`) && strings.HasSuffix(more, `--help" shows what there is.`)
		if code != exitUsage || out.Len() > 0 || !strings.HasPrefix(said, "gasoline: ") || !wayOut ||
			!strings.Contains(said, about) {
			t.Errorf("gasoline %s: exit %d, %s%s\nwant a sentence with %q", strings.Join(args, " "), code, &out, &errs, about)
		}
		for _, foreign := range []string{"arg(s)", "required flag(s)", "strconv", "invalid argument", "error=", "if any flags"} {
			if strings.Contains(errs.String(), foreign) {
				t.Errorf("gasoline %s says %q: %s", strings.Join(args, " "), foreign, &errs)
			}
		}
	}
	var all []string
	for _, tool := range daemon.Catalogue() {
		all = append(all, tool.Name)
	}
	shared := map[string]bool{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		with := func(more ...string) []string { return append(append([]string{}, path...), more...) }
		words := strings.Fields(c.Use)[1:]
		switch {
		case c.Name() == "run": // what is behind it is the program's
		case len(path) == 0:
			refuses(`"nonsense"`, "nonsense")
		case c.Name() == "setup":
			refuses(`"nonsense"`, with("nonsense")...)
		case strings.HasSuffix(c.Use, "…") && !c.HasSubCommands(), c.Name() == "tunnel": // any number
			refuses("needs ", with()...)
			refuses("as in: gasoline ", with()...)
		case len(words) == 1 && strings.HasPrefix(words[0], "[") && words[0] != "[flags]" && c.Name() != "help":
			refuses("takes one ", with("a", "b")...)
		default:
			refuses(`"nonsense"`, with("nonsense")...)
		}
		refuses("--nonsense", with("--nonsense")...)
		refuses("-Q", with("-Q")...)
		says := "must be " // what is missing is said before what is wrong
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if strings.HasSuffix(f.Usage, "(required)") {
				says = ""
			}
		})
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Name == "version" || shared[f.Name] && f.Annotations[flagGroup] != nil {
				return
			}
			shared[f.Name] = slices.Contains(f.Annotations[flagGroup], answerFlags) // each mode has the same
			if f.NoOptDefVal == "" {
				refuses("--"+f.Name+" needs an argument", with("--"+f.Name)...)
			}
			switch f.Value.Type() {
			case "int", "intSlice", "duration", "bool", "number":
				if says == "" {
					refuses("--", with("--"+f.Name+"=nonsense")...)
					return
				}
				refuses("--"+f.Name+" must be ", with("--"+f.Name+"=nonsense")...)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	root := rootCommand(all) // with all modes
	root.InitDefaultHelpCmd()
	walk(root)
	if tried < 1000 {
		t.Errorf("only %d command lines were tried", tried)
	}
	for _, tt := range []struct{ args, about string }{
		{"--port", "--port needs an argument: port of the daemon"},
		{"status --port x", `port "x" (--port) is not between 1 and 65535`},
		{"status --memory 1MB", "(--memory)"},
		{"help nonsense", `unknown command "nonsense"`},
		{"help obsrve", `did you mean "gasoline observe"?`},
		{"help observe erors", `did you mean "errors"?`},
		{"help token creat", `did you mean "gasoline token create"?`},
		{"completion tcsh", "gasoline completion has bash, zsh, fish, powershell"},
		{"token nonsense", "gasoline token has create, list, revoke"},
		{"export", "as in: gasoline export --otlp http://127.0.0.1:4318"},
		{"tail", "gasoline tail needs a file, as in: gasoline tail 'log/*.log'"},
		{"interact navigate", "--url is required"},
		{"observe logs --level loud", "--min-level cannot be \"loud\". Use one of: "},
		{"observe logs --limit 0x", "--limit must be a whole number"},
		{"observe logs --limit 5000", "--limit is 5000; it must be 1–1000"},
		{"observe logs --budget 3", "--budget is 3; it must be 500–30000"},
		{"interact fill_form --fields nonsense", "--fields must be a list"},
		{"setup --check --remove", "--check and --remove do not go together"},
		{"setup --check --dry-run", "--check and --dry-run do not go together"},
		{"token create --scope nonsense", "Give ingest, query or admin."},
	} {
		refuses(tt.about, strings.Fields(tt.args)...)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 1 {
		t.Errorf("something was started: %v %v", left, err)
	}
}

func TestHelpNamesACommandOrAMode(t *testing.T) {
	for args, want := range map[string]string{
		"help": "Daemon:", "help status": "gasoline status [flags]", "help token create": "--expires",
		"help observe errors": "gasoline observe errors", "help observe error-bundles": "gasoline observe error_bundles",
		"help observe": "Modes:", "token": "Available Commands:", "completion": "powershell",
	} {
		var out, errs bytes.Buffer
		if code := executeWith(t.Context(), strings.Fields(args), &out, &errs); code != exitOK ||
			!strings.Contains(out.String(), want) {
			t.Errorf("gasoline %s: exit %d, %s%s\nwant %q", args, code, &out, &errs, want)
		}
	}
}
