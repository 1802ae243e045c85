package browser_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/browser"
	"github.com/brennhill/gasoline/internal/problem"
)

// Of two lists of groups the last one counts, with its reports.
func TestLastOfTwoListsOfGroupsCounts(t *testing.T) {
	m, err := browser.ReadSync([]byte(`{"session":"s","groups":[{"document":"a","logs":[{"message":"1","seq":1},7]}],` +
		`"groups":[{"document":"b","logs":[{"message":"2","seq":1}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if logs := all[event.Log](m.Upload.Batch); len(logs) != 1 || logs[0].Message != "2" || len(m.Upload.Reports) != 0 {
		t.Errorf("%d events, reports %v", len(logs), m.Upload.Reports)
	}
}

// Members that are not known are left out, wherever they stand; 0 is a number.
func TestUnknownMembersAndZeros(t *testing.T) {
	m, err := browser.ReadSync([]byte(`{"session":"s","groups":[{"document":"a","exceptions":[{"message":"m","cause":[` +
		`{"type":"T","more":{"a":[1]},"message":"c"}]}],"logs":[{"message":"1","line":0,"column":0,"t":0,"mono":0}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	xs := all[event.Exception](m.Upload.Batch)
	if len(xs) != 1 || len(xs[0].Causes) != 1 || xs[0].Causes[0].Message != "c" || xs[0].Causes[0].Type != "T" {
		t.Errorf("exceptions %+v", xs)
	}
	if logs := all[event.Log](m.Upload.Batch); len(logs) != 1 || logs[0].Message != "1" {
		t.Errorf("logs %+v, reports %v", logs, m.Upload.Reports)
	}
}

// A body without its list is a problem that names the list.
func TestBodiesWithoutTheirList(t *testing.T) {
	for _, r := range routes() {
		_, err := r.read([]byte(`{"other":[]}`))
		var p *problem.Problem
		if !errors.As(err, &p) || strings.HasSuffix(p.Error(), "has no ") {
			t.Errorf("%s: %v", r.name, err)
		}
	}
}

// The origin of a body is bounded, field by field.
func TestOriginsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 600)
	d, err := browser.ReadLogs([]byte(`{"test_id":"` + long + `","worker":"` + long + `","service":"` + long +
		`","entries":[{"message":"a"}],"logs":[{"message":"a"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range d.Upload.Batch {
		if h := e.Base(); len(h.TestID) != 512 || len(h.Worker) != 128 || len(h.Service) != 128 {
			t.Errorf("test %d, worker %d, service %d bytes", len(h.TestID), len(h.Worker), len(h.Service))
		}
	}
	if len(d.Upload.Batch) == 0 {
		t.Error("no event was read")
	}
}

// What a sender reports as dropped is counted under the list's name or the kind's; a letter names no kind there.
func TestDroppedEventsAreCountedByKind(t *testing.T) {
	m, err := browser.ReadSync([]byte(`{"session":"s","groups":[{"document":"a","tab":3,` +
		`"dropped":{"logs":1,"exception":2,"exchange":3,"network":4,"l":5,"other":6}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[event.Kind]int{}
	for _, r := range m.Upload.Reports {
		if r.Cause != ingest.Sender || r.Tab != 3 || r.Document != "a" {
			t.Errorf("report %+v", r)
		}
		got[r.Kind] += r.Count
	}
	want := map[event.Kind]int{event.KindLog: 1, event.KindException: 2, event.KindExchange: 7, 0: 11}
	if !maps.Equal(got, want) {
		t.Errorf("dropped %v, want %v", got, want)
	}
}

// A body that ends early, in a number too, is a problem; the name of a document has its bound.
func TestBodiesThatEndEarly(t *testing.T) {
	whole := `{"v":1,"session":"s","groups":[{"tab":-1.5e+2,"document":"` + strings.Repeat("d", 128) +
		`","logs":[{"message":"a","t":12.25,"mono":-0.5,"line":3}]}]}`
	var p *problem.Problem
	for i := range whole {
		if _, err := browser.ReadSync([]byte(whole[:i])); !errors.As(err, &p) {
			t.Errorf("%q: %v, want a problem", whole[:i], err)
		}
	}
	whole = strings.Replace(whole, "-1.5e+2", "15", 1)
	if _, err := browser.ReadSync([]byte(whole)); err != nil {
		t.Errorf("the whole body: %v", err)
	}
	long := strings.Replace(whole, `"document":"`, `"document":"d`, 1)
	if _, err := browser.ReadSync([]byte(long)); err == nil ||
		!strings.Contains(err.Error(), "name of a document is too long") {
		t.Errorf("129 bytes as a document's name: %v", err)
	}
}

// An action is a user's unless it says otherwise, and the stack of what began an exchange is cut like others.
func TestWhoActsAndWhatBegan(t *testing.T) {
	frames := strings.Repeat(`,{"function":"f"}`, 101)[1:]
	m, err := browser.ReadSync([]byte(`{"session":"s","groups":[{"document":"a","actions":[{"type":"click"},{"type":"click","by":"agent"}],` +
		`"network":[{"url":"/a","initiator":{"type":"script","stack":[` + frames + `]}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	acts := all[event.Action](m.Upload.Batch)
	if len(acts) != 2 || acts[0].By != "user" || acts[1].By != "agent" {
		t.Errorf("actions %+v", acts)
	}
	xs := all[event.Exchange](m.Upload.Batch)
	if len(xs) != 1 || len(xs[0].Initiator.Stack) != 100 || xs[0].Flags&event.Truncated == 0 {
		t.Errorf("exchanges %+v", xs)
	}
}

// What is wrong with a body is said, and where.
func TestMalformedBodiesAreExplained(t *testing.T) {
	deep := func(n int) string {
		return `{"session":"s","x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	if _, err := browser.ReadSync([]byte(deep(99))); err != nil {
		t.Errorf("99 lists in an object: %v", err)
	}
	for body, want := range map[string]string{
		deep(100):                             "nested too deep at byte 118",
		`{"session":"s",5:1}`:                 "missing string at byte 15",
		`{"session":"s","x":{5:1}}`:           "missing string at byte 20",
		`{"session":"s","x":"a` + "\n" + `"}`: "control character in a string at byte 21",
		`{"session":"s\n\q"}`:                 "bad escape at byte 15",
		`{"session":"s\n` + "\n" + `"}`:       "control character in a string at byte 15",
		`{"session":"s"} x`:                   "something follows at byte 16",
		`{"a\n\q":1}`:                         "bad escape at byte 5",
		`{"a\n` + "\n" + `":1}`:               "control character in a string at byte 5",
	} {
		_, err := browser.ReadSync([]byte(body))
		if p := problem.From(err); p == nil || p.Code != problem.InvalidParam || !strings.Contains(p.Message, want) {
			t.Errorf("%.40q: %v, want %s", body, err, want)
		}
	}
	for _, body := range []string{`{}`, `{"session":"` + strings.Repeat("s", 65) + `"}`} {
		if _, err := browser.ReadSync([]byte(body)); err == nil || problem.From(err).Code != problem.InvalidParam {
			t.Errorf("%q: %v", body, err)
		}
	}
}

// Values at their bounds are taken, and what is not known in a group is stepped over.
func TestValuesAtTheirBounds(t *testing.T) {
	args := `["` + strings.Repeat("a", 64<<10-4) + `"]`
	attribution := `"` + strings.Repeat("b", 2<<10-2) + `"`
	group := `{"session":"s","groups":[{"document":"a","more":{"x":[1]},"logs":[` +
		`{"message":"","seq":9007199254740992,"count":2147483648,"mono":0.00000000000000000000001,"args":` + args + `},` +
		`{"message":"\u00Ff\u00fA"},{"args":["` + strings.Repeat("a", 64<<10) + `"],"message":"b"},{"message":""}],` +
		`"performance":[{"url":"/","lcp":{"value":1,"attribution":` + attribution + `}}]}]}`
	m, err := browser.ReadSync([]byte(group))
	if err != nil {
		t.Fatal(err)
	}
	logs := all[event.Log](m.Upload.Batch)
	if len(logs) != 4 || len(m.Upload.Reports) != 0 {
		t.Fatalf("%d logs, reports %v", len(logs), m.Upload.Reports)
	}
	if l := logs[0]; l.Message != "" || l.Level != "log" || l.Sender != 1<<53 || l.Count != 1<<31 ||
		l.Mono != 1e-23 || l.Args != args {
		t.Errorf("the first log: level %q, seq %d, count %d, mono %v, %d bytes of args", l.Level, l.Sender, l.Count,
			l.Mono, len(l.Args))
	}
	if logs[1].Message != "ÿú" || logs[2].Args != "" || logs[2].Flags&event.Truncated == 0 {
		t.Errorf("%q, %d bytes of args, flags %v", logs[1].Message, len(logs[2].Args), logs[2].Flags)
	}
	if p := all[event.Performance](m.Upload.Batch); len(p) != 1 || p[0].LCP.Attribution != attribution {
		t.Errorf("%d snapshots", len(p))
	}
}
