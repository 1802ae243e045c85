package event_test

import (
	"testing"

	"github.com/brennhill/gasoline/internal/event"
)

// What a logger wrote beside an exception is told, and nothing of the exception itself.
func TestWhatWasLoggedBesideAnException(t *testing.T) {
	for raw, want := range map[string]string{
		"request failed\nError: no money\n    at pay (/a.js:1:2)": "request failed",
		"request failed": "request failed",
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
