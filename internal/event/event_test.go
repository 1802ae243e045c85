package event_test

import (
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// What a logger wrote beside an exception is told, and nothing of the exception itself.
func TestWhatWasLoggedBesideAnException(t *testing.T) {
	for raw, want := range map[string]string{
		"request failed\nError: no money\n    at pay (/a.js:1:2)": "request failed",
		"request failed": "request failed",
		"proxy failed Error: no money\n    at pay (/a.js:1:2)": "proxy failed",
		"proxy failed: Error: no money":                        "proxy failed",
		"proxy failed Error [E_PAY]: no money":                 "proxy failed",
		"Error in proxy: Error [E_PAY]: no money":              "Error in proxy",
		"got Error, then Error: no money":                      "got Error, then",
		"got Error [E_PAY, and no more":                        "got Error [E_PAY, and no more",
		"\tError: no money":                                    "", " Error: no money": "", "AnError: no money": "",
		"Error: no money\n    at pay (/a.js:1:2)": "",
		"Error at pay": "", "an Error at pay": "an Error at pay",
		"ERROR could not pay: no money":                               "",
		"Traceback (most recent call last):\n  File \"a.py\", line 1": "",
		"goroutine 1 [running]:":                                      "", "    at pay (/a.js:1:2)": "", "\tat a.B(C.java:1)": "", "": "",
	} {
		e := &event.Exception{Type: "Error", Message: "no money", Mechanism: "log", RawStack: raw}
		if got := e.Said(); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
		if e.Mechanism = "span_event"; e.Said() != "" {
			t.Errorf("%q is told of what no logger wrote", raw)
		}
	}
}

// An error without a message is told by its type alone.
func TestWhatWasLoggedBesideAnErrorWithoutAMessage(t *testing.T) {
	for raw, want := range map[string]string{
		"proxy failed Error\n    at pay (/a.js:1:2)": "proxy failed",
		"proxy failed: Error":                        "proxy failed",
		"Error\n    at pay (/a.js:1:2)":              "",
		"an Error at pay":                            "an Error at pay",
	} {
		e := &event.Exception{Type: "Error", Mechanism: "log", RawStack: raw}
		if got := e.Said(); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
	if e := (&event.Exception{Mechanism: "log", RawStack: "proxy failed "}); e.Said() != "proxy failed " {
		t.Errorf("%q without a type", e.Said())
	}
}

// Whose an event is, and whether what belongs to it is worth keeping longer.
func TestWhoseAnEventIsAndWhetherItIsNotable(t *testing.T) {
	of := func(h event.Head) *event.Log { return &event.Log{Head: h} }
	for name, c := range map[string]struct {
		e       event.Event
		class   event.Class
		notable bool
	}{
		"nobody's":               {of(event.Head{}), event.Service, false},
		"of a session":           {of(event.Head{Session: "s"}), event.Browser, false},
		"of a tab":               {of(event.Head{Tab: 1}), event.Browser, false},
		"of a document":          {of(event.Head{Document: "d"}), event.Browser, false},
		"of the extension":       {of(event.Head{Origin: event.Origin{Source: "extension"}}), event.Browser, false},
		"of the script for CI":   {of(event.Head{Origin: event.Origin{Source: "ci"}}), event.Browser, false},
		"of another source":      {of(event.Head{Origin: event.Origin{Source: "otlp"}}), event.Service, false},
		"of a service and a tab": {of(event.Head{Tab: 1, Origin: event.Origin{Service: "s"}}), event.Service, false},
		"a span of a session":    {&event.Span{Head: event.Head{Session: "s"}}, event.Service, false},
		"a span that failed":     {&event.Span{Status: "error"}, event.Service, true},
		"the extension's own":    {&event.ExtensionLog{Level: "error"}, event.Extension, false},
		"a warning":              {&event.Log{Severity: event.SeverityError - 1}, event.Service, false},
		"an error":               {&event.Log{Severity: event.SeverityError}, event.Service, true},
		"what an agent does":     {&event.Action{By: "agent"}, event.Service, true},
		"what an agent did":      {&event.Action{By: "agent", Outcome: "done"}, event.Service, false},
		"what a user does":       {&event.Action{By: "user"}, event.Service, false},
	} {
		if class, notable := event.ClassOf(c.e), event.Notable(c.e); class != c.class || notable != c.notable {
			t.Errorf("%s: %v %v", name, class, notable)
		}
	}
}

// A stream that goes on has no duration.
func TestSummaryOfAStream(t *testing.T) {
	x := event.Exchange{Method: "POST", URL: "/chat", Status: 200, Duration: 574 * time.Millisecond, ResponseBodyNote: "streaming"}
	if got := x.Summary(); got != "POST /chat 200 still streaming" {
		t.Error(got)
	}
	x.ResponseBodyNote = ""
	if got := x.Summary(); got != "POST /chat 200 574 ms" {
		t.Error(got)
	}
}

// An action is told by the first of its name, its text and its locators.
func TestSummariesOfActions(t *testing.T) {
	for want, a := range map[string]event.Action{
		"click (agent) button “Pay”":         {Type: "click", By: "agent", Role: "button", Name: "Pay", Text: "Pay now"},
		"click (script) “Pay now”":           {Type: "click", By: "script", Text: "Pay now", Locators: []event.Locator{{Value: "#pay"}}},
		"click “#pay”":                       {Type: "click", By: "user", Locators: []event.Locator{{Value: "#pay"}}},
		"input “City” “Bern”":                {Type: "input", Name: "City", Value: "Bern"},
		`press Enter https://shop.test/done`: {Type: "press", Key: "Enter", ToURL: "https://shop.test/done"},
	} {
		if got := a.Summary(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
