package configure_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/configure"
)

// issues is a caller of report_issue beside a gh that writes down what it is given.
type issues struct {
	t      *testing.T
	bound  *catalog.Bound
	daemon *testkit.Daemon
	told   string // folder that gh writes into
}

// fakeGH writes its arguments and its input into $TOLD, and does as $GH_DOES says.
const fakeGH = `#!/bin/sh
printf '%s\n' "$@" > "$TOLD/args"
cat > "$TOLD/body"
pwd > "$TOLD/folder"
echo "$GH_PROMPT_DISABLED" > "$TOLD/prompt"
case "$GH_DOES" in
fail) echo "HTTP 401: Bad credentials token ghp_0123456789abcdefghijABCDEFGHIJ012345" >&2; exit 1;;
silent) ;;
odd) echo "created"; echo "not an address";;
hang) exec sleep 100;;
*) echo "Creating issue in brennhill/gasoline"; echo "https://github.com/brennhill/gasoline/issues/7";;
esac
`

func newIssues(t *testing.T, does string) *issues {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake gh is a shell script")
	}
	bin := t.TempDir()
	if does != "none" {
		if err := os.WriteFile(filepath.Join(bin, "gh"), []byte(fakeGH), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	i := &issues{t: t, told: t.TempDir(), daemon: testkit.NewDaemon(t, 0)}
	path := bin
	if does != "none" {
		path += string(os.PathListSeparator) + os.Getenv("PATH") // for cat and sleep
	}
	t.Setenv("PATH", path)
	t.Setenv("TOLD", i.told)
	t.Setenv("GH_DOES", does)
	made := env(t, configure.Limits{Open: true, Reason: "flood"})
	i.bound = catalog.Bind(configure.Tool, func(c catalog.Call) configure.Env { return made(i.daemon, c) }, nil)
	return i
}

// call returns the answer as text, whatever it is.
func (i *issues) call(ctx context.Context, args string) string {
	i.t.Helper()
	return i.callFor(ctx, "agent", args)
}

func (i *issues) callFor(ctx context.Context, client, args string) string {
	i.t.Helper()
	out, err := i.bound.Call(ctx, catalog.Call{Client: client, Name: "probe\n/1", Root: i.daemon.Project}, json.RawMessage(args))
	if err != nil {
		return answer.Refusal(problem.From(err), "f")
	}
	text, _, err := answer.Render(out, answer.Options{})
	if err != nil {
		i.t.Fatal(err)
	}
	return text
}

// given returns a file that gh wrote; "" when it was not asked.
func (i *issues) given(name string) string {
	data, _ := os.ReadFile(filepath.Join(i.told, name))
	return string(data)
}

const (
	preview = `{"action":"report_issue","operation":"preview","title":"It ends $(touch x)\n at night","user_context":"Token ghp_0123456789abcdefghijABCDEFGHIJ012345 and «a»\u200b\udb40\udc41; rm -rf /"}`
	submit  = `{"action":"report_issue","operation":"submit","confirm":true}`
)

func TestAnIssueIsSentAsItWasShown(t *testing.T) {
	i := newIssues(t, "")
	browser, err := os.ReadFile("testdata/browser.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := i.daemon.Sync(browser); err != nil {
		t.Fatal(err)
	}
	if text := i.call(t.Context(), submit); !strings.Contains(text, "no preview") {
		t.Errorf("without a preview: %s", text)
	}
	shown := i.call(t.Context(), preview)
	if text := i.call(t.Context(), `{"action":"report_issue","operation":"submit"}`); !strings.Contains(text, "public") {
		t.Errorf("without a confirmation: %s", text)
	}
	if text := i.call(t.Context(), `{"action":"report_issue","operation":"submit","confirm":true,"title":"Another"}`); !strings.Contains(text, "belong to preview") {
		t.Errorf("with another title: %s", text)
	}
	if text := i.callFor(t.Context(), "another", submit); !strings.Contains(text, "no preview") {
		t.Errorf("of another caller: %s", text)
	}
	if i.given("args") != "" {
		t.Fatalf("gh was asked: %s", i.given("args"))
	}
	if text := i.call(t.Context(), submit); text != "report_issue: https://github.com/brennhill/gasoline/issues/7" {
		t.Error(text)
	}
	if got, want := i.given("args"), "issue\ncreate\n--repo\nbrennhill/gasoline\n--title=It ends $(touch x) at night\n--body-file=-\n"; got != want {
		t.Errorf("gh was given %q, want %q", got, want)
	}
	body := i.given("body")
	for line := range strings.Lines(body) {
		if !strings.Contains(shown, strings.TrimSpace(line)) {
			t.Errorf("%q is sent and was not shown in\n%s", line, shown)
		}
	}
	for _, want := range []string{"## What happened", "rm -rf /", "## Environment", "- Gasoline 1.0.0-rc.1, ", "- client: probe⏎/1\n", "- circuit_breaker: warn\n", "1 panics, 2 bugs"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
	if !strings.Contains(body, "Token [github_token#1] and") {
		t.Errorf("the secret's place is not told in\n%s", body)
	}
	// Secrets, pages, names and paths of the user stay here.
	for _, never := range []string{"ghp_", "localhost:3000", "Work", i.daemon.Dir.Path("")} {
		if strings.Contains(body, never) {
			t.Errorf("%q is in\n%s", never, body)
		}
	}
	if got := strings.TrimSpace(i.given("folder")); got != strings.TrimSuffix(i.daemon.Dir.Path(""), "/") {
		t.Errorf("gh ran in %s", got)
	}
	if i.given("prompt") != "1\n" {
		t.Error("gh may ask a person")
	}
	if text := i.call(t.Context(), submit); !strings.Contains(text, "no preview") {
		t.Errorf("a second time: %s", text)
	}
}

func TestDetailsAreInWhenTheyAreAskedFor(t *testing.T) {
	i := newIssues(t, "")
	text := i.call(t.Context(), `{"action":"report_issue","operation":"preview","title":"x","details":true}`)
	if !strings.Contains(text, "- circuit_breaker: warn (events are cut off: flood)") || !strings.Contains(text, "_Nothing was written here._") {
		t.Error(text)
	}
	for template, want := range map[string]string{"feature": "## What is wanted", "question": "## Question"} {
		text := i.call(t.Context(), `{"action":"report_issue","operation":"preview","title":"x","template":"`+template+`"}`)
		if !strings.Contains(text, want) || strings.Contains(text, "## Checks") {
			t.Error(text)
		}
	}
}

func TestAnIssueAsAFile(t *testing.T) {
	i := newIssues(t, "none")
	i.call(t.Context(), preview)
	if text := i.call(t.Context(), submit); !strings.Contains(text, "gh is not installed") || !strings.Contains(text, `"save_to":"issue.md"`) {
		t.Error(text)
	}
	for _, bad := range []string{"../issue.md", "issue.txt"} {
		if text := i.call(t.Context(), `{"action":"report_issue","operation":"submit","confirm":true,"save_to":"`+bad+`"}`); strings.Contains(text, "written") {
			t.Error(text)
		}
	}
	file := `{"action":"report_issue","operation":"submit","confirm":true,"save_to":"issue.md"}`
	if text := i.call(t.Context(), file); !strings.Contains(text, "written to "+filepath.Join(i.daemon.Project, "issue.md")) {
		t.Error(text)
	}
	data, err := os.ReadFile(filepath.Join(i.daemon.Project, "issue.md"))
	if err != nil || !strings.HasPrefix(string(data), "# It ends $(touch x) at night\n\n## What happened\n") {
		t.Errorf("%v %s", err, data)
	}
	i.call(t.Context(), preview)
	if text := i.call(t.Context(), file); !strings.Contains(text, "is there already") {
		t.Error(text)
	}
}

func TestWhatGHSaysIsTold(t *testing.T) {
	for does, want := range map[string]string{
		"fail":   "gh could not make the issue (exit status 1).",
		"silent": "told no address",
		"odd":    "told no address",
	} {
		i := newIssues(t, does)
		i.call(t.Context(), preview)
		text := i.call(t.Context(), submit)
		if !strings.Contains(text, want) || strings.Contains(text, "ghp_") {
			t.Errorf("%s: %s", does, text)
		}
		// What was not sent can be sent again.
		t.Setenv("GH_DOES", "")
		if text := i.call(t.Context(), submit); !strings.Contains(text, "/issues/7") {
			t.Errorf("%s: again: %s", does, text)
		}
	}
}

func TestAHangingGHIsEnded(t *testing.T) {
	i := newIssues(t, "hang")
	i.call(t.Context(), preview)
	if text := i.call(t.Context(), `{"action":"report_issue","operation":"submit","confirm":true,"timeout_ms":200}`); !strings.Contains(text, "did not end in time") {
		t.Error(text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if text := i.call(ctx, submit); !strings.Contains(text, "cancelled") {
		t.Error(text)
	}
}

func TestPreviewsAreBounded(t *testing.T) {
	i := newIssues(t, "")
	i.callFor(t.Context(), "first", preview)
	for n := range 50 {
		i.callFor(t.Context(), string(rune('A'+n)), preview)
	}
	if text := i.callFor(t.Context(), "first", submit); !strings.Contains(text, "no preview") {
		t.Error(text)
	}
	if text := i.callFor(t.Context(), "A", submit); !strings.Contains(text, "/issues/7") {
		t.Error(text)
	}
}
