package lines_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
)

// reading returns what a reader makes of lines that came at one time.
func reading(r lines.Reader, at time.Time, texts ...string) event.Batch {
	var b event.Batch
	for _, text := range texts {
		b = r.Add(lines.Line{Time: at, Text: text}, b)
	}
	return r.Flush(b)
}

// Times of lines that are read as they are written are near.
func TestTimesOfLiveLinesAreNear(t *testing.T) {
	for _, c := range []struct{ at, text, want, message string }{
		{"2026-10-09T12:00:00Z", "2024-05-01 10:00:00 order 17 was paid", "2026-10-09T12:00:00Z", "2024-05-01 10:00:00 order 17 was paid"},
		{"2026-10-09T12:00:00Z", "2031-01-01T00:00:00Z until then", "2026-10-09T12:00:00Z", "2031-01-01T00:00:00Z until then"},
		{"2026-10-09T12:00:00Z", "2026-10-07 10:00:00,123 ERROR shop.api could not pay", "2026-10-09T12:00:00Z", "shop.api could not pay"},
		{"2026-10-09T12:00:00Z", "2026-10-08 13:00:00.5 kept", "2026-10-08T13:00:00.5Z", "kept"},
		// The day stands before the month, or behind it.
		{"2026-10-09T12:00:05Z", "[Nest] 4711  - 09/10/2026, 12:00:00   ERROR [Api] could not pay", "2026-10-09T12:00:00Z", "could not pay"},
		{"2026-09-10T12:00:05Z", "[Nest] 4711  - 09/10/2026, 12:00:00   ERROR [Api] could not pay", "2026-09-10T12:00:00Z", "could not pay"},
		{"2026-02-03T12:00:05Z", "[Nest] 7  - 03/02/2026, 12:00:00     LOG [Api] started", "2026-02-03T12:00:00Z", "started"},
		{"2026-10-31T12:00:05Z", "[Nest] 7  - 31/10/2026, 12:00:00     LOG [Api] started", "2026-10-31T12:00:00Z", "started"},
		{"2026-10-31T12:00:05Z", "[Nest] 7  - 10/31/2026, 12:00:00 PM     LOG [Api] started", "2026-10-31T12:00:00Z", "started"},
		// A year that is not written is that of the line.
		{"2027-01-01T00:00:01Z", "E1231 23:59:59.900000  1234 server.go:42] could not pay", "2026-12-31T23:59:59.9Z", "could not pay"},
		{"2028-01-03T00:00:01Z", "I0103 00:00:01.500000       1 server.go:42] listens", "2028-01-03T00:00:01.5Z", "listens"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		local := time.Local
		time.Local = time.UTC
		got := reading(lines.Reader{Live: true}, at, c.text)
		time.Local = local
		if at := got[0].Base().Time.UTC().Format(time.RFC3339Nano); len(got) != 1 || at != c.want || got[0].(*event.Log).Message != c.message {
			t.Errorf("%q, read at %s, is %q of %s", c.text, c.at, got[0].(*event.Log).Message, at)
		}
	}
	// What lies in a file may be old.
	old := reading(lines.Reader{}, time.Date(2026, 10, 9, 12, 0, 0, 0, time.UTC), "2024-05-01T10:00:00Z order 17 was paid")
	if got := old[0].Base().Time; got.Year() != 2024 {
		t.Errorf("a line of a file is of %s", got)
	}
}

// A value that is printed over several lines is one record.
func TestPrintedValuesAreOneRecord(t *testing.T) {
	at := time.Date(2026, 10, 9, 12, 0, 0, 0, time.UTC)
	for _, texts := range [][]string{
		{"{", "  id: 17,", "  items: [", "    { sku: 'a', n: 1 },", "  ],", "}"},
		{"order {", "  id: 17,", "}"},
		{"[", "  'one',", "  'two'", "]"},
		{"Map(1) {", "  'a' => {", "    b: 1", "  }", "}"},
		{"call(", "  1,", ")"},
		{"rows [", "\t{", "\t\t\"id\": 1", "\t}", "];"},
	} {
		if got := reading(lines.Reader{Live: true}, at, texts...); len(got) != 1 {
			t.Errorf("%q … is %d records", texts[0], len(got))
		}
		// Also where it comes in pieces, and others follow.
		r := lines.Reader{Live: true}
		var b event.Batch
		for _, text := range append(texts, "}", "listening") {
			b = r.Settle(r.Add(lines.Line{Time: at, Text: text}, b))
		}
		if b = r.Flush(b); len(b) != 3 {
			t.Errorf("%q … and two lines are %d records", texts[0], len(b))
		}
	}
	for _, texts := range [][]string{{"a", "}"}, {"{", "a", "}"}, {"x {", "  y", "z", "}"}} {
		if got := reading(lines.Reader{Live: true}, at, texts...); len(got) == 1 {
			t.Errorf("%q is one record", texts)
		}
	}
}

// A logger may colour the level before it writes JSON.
func TestLevelsWithColours(t *testing.T) {
	for _, text := range []string{
		`{"level":"\u001b[31merror\u001b[39m","message":"could not pay"}`, `{"severity":"\u001b[1;31mERROR\u001b[0m","msg":"could not pay"}`,
	} {
		if l := reading(lines.Reader{}, time.Now(), text)[0].(*event.Log); l.Level != "error" || l.Severity != event.SeverityError {
			t.Errorf("%s is of level %q, %d", text, l.Level, l.Severity)
		}
	}
}

// What a program of Rust, PHP or Ruby says when nothing caught its error is one record, and an error.
func TestWhatProgramsSayAtTheirEndIsOneError(t *testing.T) {
	for _, texts := range [][]string{
		{"thread 'main' panicked at src/main.rs:2:5:", "could not pay", "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"},
		{"thread 'tokio-runtime-worker' panicked at src/pay.rs:17:9:", "order 17", "stack backtrace:", "   0: rust_begin_unwind", "   1: shop::pay", "note: Some details are omitted"},
		{"thread 'main' panicked at 'no card', src/main.rs:2:5", "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"},
		{"PHP Fatal error:  Uncaught Exception: no card in /app/pay.php:12", "Stack trace:", "#0 /app/index.php(3): pay()", "#1 {main}", "  thrown in /app/pay.php on line 12"},
		{"Fatal error: Uncaught TypeError: x in /app/a.php:1", "Stack trace:", "#0 {main}", "  thrown in /app/a.php on line 1"},
		{"NoMethodError (undefined method `pay' for nil:NilClass):", "  ", "app/controllers/pay_controller.rb:12:in `create'", "app/controllers/application_controller.rb:3:in `block'"},
		{"ActiveRecord::RecordNotFound (Couldn't find Order with 'id'=17):", "", "app/controllers/orders_controller.rb:7:in 'show'"},
		{"pay.rb:3:in 'Object#pay': no card (RuntimeError)", "\tfrom pay.rb:6:in '<main>'"},
	} {
		got := reading(lines.Reader{Live: true}, time.Now(), append(texts, "listening")...)
		if len(got) != 2 {
			t.Errorf("%q … and a line are %d records", texts[0], len(got))
			continue
		}
		x, ok := got[0].(*event.Exception)
		if !ok || x.Type == "" || x.Message == "" || x.Line == 0 || !strings.Contains(x.RawStack, strings.TrimSpace(texts[len(texts)-1])) {
			t.Errorf("%q … is %+v", texts[0], got[0])
		}
	}
	for _, text := range []string{
		"paid (17 orders):", "thread 'main' started", "Note (see below):", "GET /a:1:in (x)", "Fatal errors: 0", "#1 is first", "app.rb:3:in 'pay'",
	} {
		if l := reading(lines.Reader{Live: true}, time.Now(), text)[0].(*event.Log); l.Level != "info" {
			t.Errorf("%q is of level %s", text, l.Level)
		}
	}
}

// Of a place that stamps nothing, lines with a time are by its clock and the others by ours.
func TestLinesWithoutATimeAreByOurClock(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	ahead := now.Add(7 * time.Minute).Format("2006-01-02T15:04:05.000Z")
	b := reading(lines.Reader{Origin: event.Origin{Source: "ssh", Service: "api"}, ClockDomain: "web1", Ours: true}, now,
		ahead+" INFO took order 17", ahead+" INFO took order 18", "worker 3 was restarted", ahead+" INFO took order 19")
	c := correlate.New(func() time.Time { return now })
	c.Batch(b, time.Time{}, now)
	for _, e := range b {
		h := e.Base()
		if off := h.Time.Add(c.Offset(h.Clock)).Sub(now); off.Abs() > time.Second {
			t.Errorf("%q is stored %s from when it came", e.Searched()[0], off)
		}
	}
}
