package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/wire"
)

// picture is what the browser of these tests answers a screenshot with.
var picture = append([]byte("\x89PNG\r\n\x1a\n"), "not decoded by anybody"...)

// exchanges stores n requests.
func (m *machine) exchanges(n int) {
	m.t.Helper()
	bodies := make([]wire.Exchange, n)
	for i := range bodies {
		bodies[i] = wire.Exchange{
			Method:       "GET",
			URL:          fmt.Sprintf("http://localhost:3000/api/%d", i),
			Status:       500,
			ResponseBody: strings.Repeat("oops ", 20),
			ContentType:  "text/plain",
		}
	}
	body, err := json.Marshal(wire.Bodies{Bodies: bodies})
	must(m.t, err)
	if code, out := m.ask(http.MethodPost, "/network-bodies", string(body)); code >= 300 {
		m.t.Fatalf("network-bodies: %d %s", code, out)
	}
}

// whole fails unless text is an archive with n entries and nothing beside it.
func whole(t *testing.T, what, text string, n int) {
	t.Helper()
	var har struct{ Log struct{ Entries []any } }
	if err := json.Unmarshal([]byte(text), &har); err != nil || len(har.Log.Entries) != n {
		t.Errorf("%s: %v, %d entries, want %d in %.200s", what, err, len(har.Log.Entries), n, text)
	}
}

func TestAnArtifactIsPrintedWholeAndAlone(t *testing.T) {
	m := newMachine(t)
	m.run()
	const n = 100 // what is kept; far more than the budget of an answer
	m.exchanges(n)
	for _, args := range []string{"generate har --scope all", "generate har --scope all --json",
		"generate har --scope all --output -"} {
		out, errs, code := m.run(strings.Fields(args)...)
		if code != exitOK || errs != "" {
			t.Errorf("%s: exit %d, stderr %s", args, code, errs)
		}
		whole(t, args, out, n)
	}
	out, errs, code := m.run("generate", "har", "--scope", "all", "--output", "x.har")
	data, err := os.ReadFile(filepath.Join(m.dir, "x.har"))
	if code != exitOK || out != "" || !strings.Contains(errs, "wrote x.har") || err != nil {
		t.Errorf("--output: exit %d, %q, %s, %v", code, out, errs, err)
	}
	whole(t, "--output", string(data), n)
	// The daemon writes what is saved in the project, and says so.
	out, errs, code = m.run("generate", "har", "--scope", "all", "--save-to", "y.har")
	data, err = os.ReadFile(filepath.Join(m.dir, "y.har"))
	if code != exitOK || !strings.Contains(out, "saved to "+filepath.Join(m.dir, "y.har")) || errs != "" || err != nil {
		t.Errorf("--save-to: exit %d, %q, %s, %v", code, out, errs, err)
	}
	whole(t, "--save-to", string(data), n)
	out, errs, code = m.run("generate", "har", "--scope", "all", "--url", "/nowhere")
	if code != exitOK || errs != "" {
		t.Errorf("an archive of nothing: exit %d, %s", code, errs)
	}
	whole(t, "--url", out, 0)
	if out, errs, code := m.run("generate", "test", "--scope", "all"); code != exitError || out != "" || errs == "" {
		t.Errorf("nothing to make one of: exit %d, %q, %s", code, out, errs)
	}
}

func TestABudgetCutsTypedResultsToo(t *testing.T) {
	m := newMachine(t)
	m.run()
	m.exchanges(100)
	args := []string{"observe", "network_bodies", "--scope", "all", "--limit", "100", "--json"}
	all, _, _ := m.run(args...)
	some, _, code := m.run(append(args, "--budget", "1000")...)
	if code != exitOK || len(some) > 1001 || len(all) < 5000 || !json.Valid([]byte(some)) {
		t.Errorf("exit %d: %d characters, %d without a budget", code, len(some), len(all))
	}
}

// answerScreenshot lets a browser answer the one screenshot that ask asks for.
func (m *machine) answerScreenshot(ask func()) {
	m.t.Helper()
	m.browse()
	done := make(chan struct{})
	go func() {
		defer close(done)
		ask()
	}()
	taken := m.take()
	result, err := json.Marshal(
		command.ScreenshotResult{
			Format: "png",
			Data:   base64.StdEncoding.EncodeToString(picture),
			Width:  10,
			Height: 20,
			URL:    "http://localhost:3000/",
			Title:  "Shop",
			Route:  "visible",
		},
	)
	must(m.t, err)
	body, err := json.Marshal(
		wire.Result{
			ID:            taken.ID,
			CorrelationID: taken.CorrelationID,
			Session:       "s1",
			Status:        "complete",
			Result:        result,
		},
	)
	must(m.t, err)
	if code, out := m.ask(http.MethodPost, "/query-result", string(body)); code >= 300 {
		m.t.Fatalf("query-result: %d %s", code, out)
	}
	<-done
}

// shoot runs a command that takes a screenshot.
func (m *machine) shoot(args ...string) (stdout, stderr string, code int) {
	m.t.Helper()
	m.answerScreenshot(func() { stdout, stderr, code = m.run(args...) })
	return stdout, stderr, code
}

func TestAPictureIsNeverThrownAway(t *testing.T) {
	m := newMachine(t)
	m.run()
	kept := func(what, path string) {
		t.Helper()
		if data, err := os.ReadFile(path); err != nil || string(data) != string(picture) {
			t.Errorf("%s: %q, %v", what, data, err)
		}
	}
	named := func() []string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(m.dir, "screenshot-*.png"))
		must(t, err)
		return found
	}
	out, errs, code := m.shoot("observe", "screenshot")
	files := named()
	if code != exitOK || len(files) != 1 || !strings.Contains(errs, "wrote "+filepath.Base(files[0])) ||
		!strings.Contains(out, "10×20 png") {
		t.Fatalf("exit %d, %v\n%s%s", code, files, out, errs)
	}
	kept("without --output", files[0])

	out, errs, code = m.shoot("observe", "screenshot", "--json")
	var typed struct {
		Width  int
		Output string
	}
	if err := json.Unmarshal([]byte(out), &typed); err != nil || code != exitOK || typed.Width != 10 ||
		len(named()) != 2 ||
		!filepath.IsAbs(typed.Output) {
		t.Fatalf("--json: exit %d, %v\n%s%s", code, err, out, errs)
	}
	kept("--json", typed.Output)

	out, errs, code = m.shoot("observe", "screenshot", "--output", "a.png", "--json")
	if err := json.Unmarshal([]byte(out), &typed); err != nil || code != exitOK ||
		typed.Output != filepath.Join(m.dir, "a.png") {
		t.Errorf("--json --output: exit %d, %v\n%s%s", code, err, out, errs)
	}
	kept("--json --output", filepath.Join(m.dir, "a.png"))

	if out, errs, code = m.shoot("observe", "screenshot", "--output", "-"); code != exitOK || out != string(picture) ||
		errs != "" {
		t.Errorf("--output -: exit %d, %q, %s", code, out, errs)
	}
	if out, errs, code = m.shoot("interact", "screenshot", "--save-to", "b.png"); code != exitOK ||
		!strings.Contains(out, "saved to") ||
		len(named()) != 2 {
		t.Errorf("--save-to: exit %d, %v\n%s%s", code, named(), out, errs)
	}
	kept("--save-to", filepath.Join(m.dir, "b.png"))
}
