package browser_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
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
