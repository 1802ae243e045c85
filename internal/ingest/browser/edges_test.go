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
	if _, err := browser.ReadSync([]byte(long)); err == nil || !strings.Contains(err.Error(), "name of a document is too long") {
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
