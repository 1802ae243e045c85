package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/film"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/otlp"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/wire"
)

var update = flag.Bool("update", false, "rewrite the results in testdata")

// Begin is when every archive's clock begins.
var Begin = time.Date(2026, 3, 1, 12, 0, 10, 0, time.UTC)

// RunModes runs every archive of a folder as a subtest against a tool. env makes what the tool's
// modes may reach. The sections of an archive are carried out in order, in a bubble whose clock
// begins at [Begin] and moves only while something waits:
//
//	setup.json      {"entries":20, "lost":[{"kind":"log","cause":"…","count":3}], "sessionless":true, "no_project":true}; first
//	events.json     the body of a POST /sync: events, and what the browser tells of itself
//	browser.json    the same; by custom only settings and tabs
//	traces.json     the body of a POST /v1/traces: what services tell of their spans
//	logs.json       the body of a POST /v1/logs
//	extension.json  what a browser does with commands: {"session":"s1","answers":{"screenshot":{"result":{}}}}; it polls from then on
//	state NAME      what a file of the state directory holds from then on
//	project NAME    what a file of the project holds from then on
//	film.json       {"begin":{"name":"a","session":"s1","tab":12},"batch":{}}: a film begins, and the body of a POST /films
//	start           a command without its call waiting: {"kind":"click","tab":12,"wait_ms":5000}
//	sleep           a duration that passes
//	call            arguments of a call, as JSON
//	command         what the browsers received for the call before: one line of JSON for each command.
//	                A call for which a browser receives something must have it
//	result          what the call before answers, as an agent reads it
//	result.json     what it answers to as:"json", indented
//	file NAME       what a file of the project or state directory holds afterwards
//
// What pages write holds the word [Hostile] in many places: an answer that shows it outside of a fence fails.
//
// Text that begins with @ names a file in the folder to be read instead. In calls {{cursor}}, {{older}} and
// {{command}} stand for the
// last answer's cursors and the last command's correlation id, {{project}}, {{state}} and {{kept}}, what the
// latter holds of the project, for directories, {{id}} for the last part of that; these are put back in results. With -update, results are rewritten.
func RunModes[E any](t *testing.T, tool *catalog.Tool[E], env func(h *Daemon, c catalog.Call) E, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives in %s: %v", dir, err)
	}
	local := time.Local
	time.Local = time.UTC // answers print the time of day
	t.Cleanup(func() { time.Local = local })
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := ReadArchive(file)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(Begin))
				runArchive(t, archive, dir, func(h *Daemon) *catalog.Bound {
					return catalog.Bind(
						tool,
						func(c catalog.Call) E { return env(h, c) },
						drive.Gate(h.Registry, func() time.Duration { return time.Second }),
					)
				})
			})
			if !*update || t.Failed() {
				return
			}
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

type setup struct {
	Entries     int  `json:"entries"`
	Sessionless bool `json:"sessionless"`
	NoProject   bool `json:"no_project"`
	Lost        []struct {
		Kind  string `json:"kind"`
		Cause string `json:"cause"`
		Count uint64 `json:"count"`
	} `json:"lost"`
}

// script is an archive under way.
type script struct {
	t      *testing.T
	dir    string
	daemon *Daemon
	bound  *catalog.Bound
	setup  setup
	stop   []func()

	args     string // of the call whose result comes next
	answer   string // of that call, when it was carried out already
	answered bool
	twin     bool // the second profile's events are there
	json     bool // the section that follows wants JSON
	browsers []*Extension
	answers  map[string]string
}

// ReadArchive reads an archive. Carriage returns are left out, which some checkouts add.
func ReadArchive(file string) (*txtar.Archive, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return txtar.Parse(bytes.ReplaceAll(text, []byte("\r"), nil)), nil
}

func runArchive(t *testing.T, a *txtar.Archive, dir string, bind func(*Daemon) *catalog.Bound) {
	s := &script{t: t, dir: dir, answers: map[string]string{}}
	if len(a.Files) > 0 && a.Files[0].Name == "setup.json" {
		s.decode(a.Files[0], &s.setup)
	}
	s.daemon = NewDaemon(t, s.setup.Entries)
	for _, l := range s.setup.Lost {
		k, ok := event.KindOf(l.Kind)
		if !ok {
			t.Fatalf("setup.json: no kind %q", l.Kind)
		}
		s.daemon.Lose(k, l.Cause, l.Count)
	}
	s.bound = bind(s.daemon)
	defer func() {
		for _, stop := range s.stop {
			stop()
		}
	}()
	for i := range a.Files {
		s.json = i+1 < len(a.Files) && a.Files[i+1].Name == "result.json"
		s.section(&a.Files[i])
	}
	if s.args != "" {
		t.Errorf("the last call has no result")
	}
}

func (s *script) section(x *txtar.File) {
	t := s.t
	if s.args != "" && !strings.HasPrefix(x.Name, "result") && x.Name != "command" {
		t.Errorf("call %s has no result", s.args)
		s.args = ""
	}
	switch name, rest, _ := strings.Cut(x.Name, " "); name {
	case "setup.json":
	case "events.json", "browser.json":
		if err := s.daemon.Sync(s.read(*x)); err != nil {
			t.Fatalf("%s: %v", x.Name, err)
		}
	case "traces.json", "logs.json":
		signal := otlp.Traces
		if name == "logs.json" {
			signal = otlp.Logs
		}
		body := s.read(*x)
		if _, err := otlp.NewReceiver(s.daemon.Ingest, "this-machine").Take(t.Context(), ingest.From{}, signal, otlp.JSON, body); err != nil {
			t.Fatalf("%s: %v", x.Name, err)
		}
	case "extension.json":
		s.extension(*x)
	case "state":
		if err := s.daemon.Dir.Write(rest, s.read(*x)); err != nil {
			t.Fatal(err)
		}
	case "project":
		path, now := filepath.Join(s.daemon.Project, rest), time.Now() // the disk has another clock than the bubble
		if err := errors.Join(
			os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, s.read(*x), 0o600), os.Chtimes(path, now, now),
		); err != nil {
			t.Fatal(err)
		}
	case "film.json":
		s.film(*x)
	case "start":
		s.start(*x)
	case "sleep":
		d, err := time.ParseDuration(strings.TrimSpace(string(x.Data)))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(d)
	case "call":
		s.args = s.fill(strings.TrimSpace(string(x.Data)))
	case "command":
		s.answer, s.answered = s.call(s.args, s.json), true
		s.compare(x, s.received())
	case "result", "result.json":
		if !s.answered {
			s.answer = s.call(s.args, name == "result.json")
			if got := s.received(); got != "" {
				t.Errorf("the browser received for %s what no section named command checks:\n%s", s.args, got)
			}
		}
		s.compare(x, s.answer)
		s.args, s.answered = "", false
	case "file":
		data, err := os.ReadFile(s.fill(rest))
		if err != nil {
			t.Error(err)
		}
		s.compare(x, string(data))
	default:
		t.Fatalf("no section is called %q", x.Name)
	}
}

// read returns a section's text, or the file's that it names.
func (s *script) read(x txtar.File) []byte {
	if name, ok := strings.CutPrefix(strings.TrimSpace(string(x.Data)), "@"); ok {
		data, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil {
			s.t.Fatal(err)
		}
		return data
	}
	return x.Data
}

func (s *script) decode(x txtar.File, into any) {
	dec := json.NewDecoder(bytes.NewReader(s.read(x)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		s.t.Fatalf("%s: %v", x.Name, err)
	}
}

func (s *script) film(x txtar.File) {
	var in struct {
		Begin *film.Info `json:"begin"`
		Batch *wire.Film `json:"batch"`
	}
	s.decode(x, &in)
	if in.Begin != nil {
		if _, err := s.daemon.Films.Begin(*in.Begin); err != nil {
			s.t.Fatalf("film.json: %v", err)
		}
	}
	if in.Batch != nil {
		if _, err := s.daemon.Films.Take(*in.Batch); err != nil {
			s.t.Fatalf("film.json: %v", err)
		}
	}
}

func (s *script) extension(x txtar.File) {
	var in struct {
		Session string              `json:"session"`
		Answers map[string]Scripted `json:"answers"`
	}
	s.decode(x, &in)
	e := &Extension{Session: in.Session, Answers: in.Answers}
	s.browsers = append(s.browsers, e)
	ctx, cancel := context.WithCancel(s.t.Context())
	served := make(chan error, 1)
	go func() { served <- e.Serve(ctx, s.daemon) }()
	synctest.Wait()
	s.stop = append(s.stop, func() {
		cancel()
		if err := <-served; err != nil {
			s.t.Error(err)
		}
	})
}

// second adds what another browser profile, which is closed by now, recorded in tabs of the same ids, before the first
// call. Only who asks for all tabs may see it.
func (s *script) second() {
	browsers := s.daemon.Registry.Browsers()
	if s.twin || len(browsers) != 1 || !browsers[0].Connected(time.Now()) {
		return
	}
	s.twin = true
	groups := []map[string]any{}
	for _, t := range browsers[0].Tabs {
		at := float64(Begin.Add(-5 * time.Second).UnixMilli())
		one := func(seq int, more map[string]any) []map[string]any {
			more["seq"], more["t"], more["mono"] = seq, at, 1
			return []map[string]any{more}
		}
		groups = append(groups, map[string]any{
			"tab": t.ID, "frame": 0, "document": "OTHER" + fmt.Sprint(t.ID), "page_url": t.URL, "since": "document_start",
			"logs": one(
				1,
				map[string]any{"severity": 17, "level": "error", "message": OtherProfile, "logger": "console"},
			),
			"exceptions": one(2, map[string]any{"type": "Error", "message": OtherProfile, "mechanism": "onerror"}),
			"network": one(
				3,
				map[string]any{
					"method":        "GET",
					"url":           t.URL + "?" + OtherProfile,
					"status":        500,
					"started":       at,
					"duration":      5,
					"request_size":  -1,
					"response_size": -1,
					"transfer_size": -1,
					"initiator":     map[string]any{"type": "fetch"},
					"outcome":       "http_error",
				},
			),
			"actions":   one(4, map[string]any{"type": "click", "by": "user", "text": OtherProfile}),
			"dom":       one(5, map[string]any{"type": "transient", "class": "toast", "text": OtherProfile}),
			"lifecycle": one(6, map[string]any{"state": "document_start", "to_url": t.URL, "title": OtherProfile}),
			"websocket": one(
				7,
				map[string]any{"connection": "c", "url": "ws://localhost/" + OtherProfile, "event": "open"},
			),
		})
	}
	body, err := json.Marshal(
		map[string]any{"v": 1, "capture_version": "1", "session": "zz-other", "version": "1", "groups": groups},
	)
	if err == nil {
		err = s.daemon.Events(body)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// OtherProfile is a word that everything of the second profile holds.
const OtherProfile = "OTHER_PROFILE"

// received returns what the browsers were given since it was asked last.
func (s *script) received() string {
	synctest.Wait()
	var out strings.Builder
	for _, e := range s.browsers {
		for _, c := range e.Received() {
			line, err := json.Marshal(struct {
				Session string          `json:"session"`
				Kind    string          `json:"kind"`
				Tab     int             `json:"tab"`
				Client  string          `json:"client,omitempty"`
				Left    string          `json:"left"` // until the deadline
				Params  json.RawMessage `json:"params"`
			}{c.Session, c.Kind, c.Tab, c.Client, c.Left.Round(time.Millisecond).String(), c.Params})
			if err != nil {
				s.t.Fatal(err)
			}
			fmt.Fprintf(&out, "%s\n", line)
		}
	}
	return out.String()
}

// fill replaces the words in braces.
func (s *script) fill(text string) string {
	for name, value := range s.answers {
		text = strings.ReplaceAll(text, "{{"+name+"}}", value)
	}
	text = strings.ReplaceAll(text, "{{project}}", s.daemon.Project)
	text = strings.ReplaceAll(text, "{{kept}}", s.kept())
	return strings.ReplaceAll(text, "{{state}}", filepath.Clean(s.daemon.Dir.Path("")))
}

// kept is the folder of the state directory for the project.
func (s *script) kept() string {
	folder, err := save.ProjectFolder(catalog.Call{Root: s.daemon.Project}, "")
	if err != nil {
		s.t.Fatal(err)
	}
	return s.daemon.Dir.Path(folder)
}

// call carries a call out and returns the answer as the caller reads it.
func (s *script) call(args string, asJSON bool) string {
	if asJSON {
		args = strings.TrimSuffix(strings.TrimSpace(args), "}") + `,"as":"json"}`
	}
	s.second()
	c := catalog.Call{Client: "agent", Name: "agent", Root: s.daemon.Project, Sessionless: s.setup.Sessionless}
	if s.setup.NoProject {
		c.Root = ""
	}
	runner := calls.Runner{
		Note: func(c catalog.Call) string { return s.daemon.Registry.Moved(c.Client) }, Log: slog.Default(),
	}
	a, refused := runner.Run(s.t.Context(), s.bound, c, json.RawMessage(args), answer.Options{Fence: "f3"})
	text, images := a.Text, a.Images
	s.remember(text)
	if !asJSON && !json.Valid([]byte(text)) && strings.Contains(outsideFences(text), Hostile) {
		s.t.Errorf("text of a page stands outside of the fence in the answer to %s:\n%s", args, text)
	}
	if head, _, _ := strings.Cut(text, "\n"); strings.Contains(text, OtherProfile) &&
		!strings.Contains(args, `"all"`) &&
		!strings.Contains(head, "all tabs") {
		s.t.Errorf("another profile's events are in the answer to %s:\n%s", args, text)
	}
	if asJSON && refused == nil {
		var indented bytes.Buffer
		if err := json.Indent(&indented, []byte(text), "", "  "); err != nil {
			s.t.Errorf("%s: the answer is no JSON: %v", args, err)
		}
		text = indented.String()
	}
	for _, im := range images {
		text += fmt.Sprintf("\n[image %s, %d bytes]", im.MIME, len(im.Data))
	}
	text = strings.ReplaceAll(text, s.daemon.Project, "{{project}}")
	text = strings.ReplaceAll(text, s.kept(), "{{kept}}")
	text = strings.ReplaceAll(text, filepath.Base(s.kept()), "{{id}}")
	return strings.ReplaceAll(text, filepath.Clean(s.daemon.Dir.Path("")), "{{state}}")
}

// Hostile is a word that archives put into what pages write, and nowhere else. No answer may show it
// outside of a fence.
const Hostile = "SYSTEM"

var fenced = regexp.MustCompile(`(?s)<page-data f3 from [^\n]*>\n.*?\n</page-data f3>`)

func outsideFences(text string) string { return fenced.ReplaceAllString(text, "") }

// remember keeps what later calls refer to.
func (s *script) remember(text string) {
	for line := range strings.Lines(text) {
		for word := range strings.FieldsSeq(line) {
			name, value, ok := strings.Cut(word, "=")
			switch {
			case ok && (name == "cursor" || name == "older"):
				s.answers[name] = value
			case ok && name == "correlation_id":
				s.answers["command"] = value
			}
		}
	}
}

// compare checks a result, or rewrites it.
func (s *script) compare(x *txtar.File, got string) {
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n" // as every section has one
	}
	if *update {
		x.Data = []byte(got)
		return
	}
	if string(x.Data) != got {
		s.t.Errorf("%s of %s\ngot:\n%s\nwant:\n%s", x.Name, s.args, got, x.Data)
	}
}

// start sends a command for which no call waits.
func (s *script) start(x txtar.File) {
	var in struct {
		Session string `json:"session"`
		Kind    string `json:"kind"`
		Tab     int    `json:"tab"`
		WaitMS  int    `json:"wait_ms"`
	}
	s.decode(x, &in)
	rec, err := s.daemon.Queue.Start(command.Request{
		Session: in.Session, Kind: in.Kind, Tab: in.Tab, Params: struct{}{}, Client: "agent",
		Deadline: time.Now().Add(time.Duration(in.WaitMS) * time.Millisecond),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.answers["command"] = rec.CorrelationID
	synctest.Wait()
}
