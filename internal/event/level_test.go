package event_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// A level is of its number: of four in a row each.
func TestLevelsAndNumbersAgree(t *testing.T) {
	for word, want := range map[string]int{
		"trace": 1, "FINER": 2, "Debug": 5, "info": 9, "notice": 10, "WARNING": 13, "err": 17, "SEVERE": 17, "critical": 21,
		"Alert": 22, "Informational": 9, "emergency": 23, "emerg": 23, "panic": 21, "0": 23, "1": 22, "2": 21, "3": 17, "4": 13, "5": 10, "6": 9, "7": 5,
	} {
		for _, w := range []string{word, strings.ToUpper(word), strings.ToLower(word)} {
			level, severity, ok := event.LevelOf(w)
			if !ok || severity != want || level != event.LevelOfSeverity(want) || event.SeverityOf(w) != want {
				t.Errorf("%s is %q %d, %d, want %d", w, level, severity, event.SeverityOf(w), want)
			}
		}
	}
	for _, w := range []string{"", "8", "order", "informationally", strings.Repeat("x", 1000), "errör"} {
		if level, n, ok := event.LevelOf(w); ok || level != "" || n != 0 || event.SeverityOf(w) != event.SeverityInfo {
			t.Errorf("%q is a level: %q %d", w, level, n)
		}
	}
	for n := -1; n < 30; n++ {
		if got := event.LevelOfSeverity(n); (got == "") != (n < 1 || n > 24) {
			t.Errorf("%d is %q", n, got)
		}
	}
}

// Where the clock of a sender is off, all times that were read from it are moved.
func TestShiftMovesTheTimesOfTheSender(t *testing.T) {
	at := time.Date(2026, 10, 12, 10, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		time, started         time.Time
		by                    time.Duration
		wantTime, wantStarted time.Time
	}{
		"both":            {at, at.Add(-time.Second), time.Hour, at.Add(time.Hour), at.Add(time.Hour - time.Second)},
		"no begin":        {at, time.Time{}, -time.Hour, at.Add(-time.Hour), time.Time{}},
		"no time":         {time.Time{}, at, time.Hour, time.Time{}, at},
		"a clock in time": {at, at, 0, at, at},
	} {
		x := &event.Exchange{Head: event.Head{Time: c.time}, Started: c.started}
		if event.Shift(x, c.by); !x.Time.Equal(c.wantTime) || !x.Started.Equal(c.wantStarted) {
			t.Errorf("%s: %v, begun %v", name, x.Time, x.Started)
		}
	}
}

// What is an error by its severity.
func TestSeverities(t *testing.T) {
	for name, c := range map[string]struct {
		e    event.Event
		want int
	}{
		"a log":                      {&event.Log{Severity: 13}, 13},
		"a witness of an error":      {&event.Log{Severity: 17, Head: event.Head{Flags: event.Witness}}, 16},
		"a witness that warns":       {&event.Log{Severity: 13, Head: event.Head{Flags: event.Witness}}, 13},
		"more than there is":         {&event.Log{Severity: 99}, 24},
		"an exception":               {&event.Exception{}, 17},
		"an answer":                  {&event.Exchange{Status: 200}, 0},
		"an answer that is no error": {&event.Exchange{Status: 304}, 0},
		"a failure":                  {&event.Exchange{Status: 500}, 17},
		"the extension's error":      {&event.ExtensionLog{Level: "error"}, 17},
		"the extension's warning":    {&event.ExtensionLog{Level: "warn"}, 13},
		"a span":                     {&event.Span{Status: "ok"}, 0},
		"a span that failed":         {&event.Span{Status: "error"}, 17},
		"an action":                  {&event.Action{}, 0},
	} {
		if got := event.Severity(c.e); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// Classes have their words, and what is none has one, too.
func TestWordsOfClassesAndKinds(t *testing.T) {
	for c := range event.Class(8) {
		if (c.String() == "unknown") != (c > event.Extension) {
			t.Errorf("%d is %q", c, c)
		}
	}
	for k := range event.Kind(40) {
		if known := k > 0 && k <= event.KindSpan; !known && k.String() != "unknown" {
			t.Errorf("%d is %q", k, k)
		}
	}
}
