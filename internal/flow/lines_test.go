package flow_test

import (
	"testing"

	"github.com/brennhill/gasoline/internal/event"
)

// Loggers write how long a request took in units of their own, which "duration" does not tell: zap and Caddy in seconds,
// Go's slog in nanoseconds, others in milliseconds, some with the unit. A line is not lost by a wrong one.
func TestUnitsOfDurations(t *testing.T) {
	for attributes, want := range map[string]float64{
		`"duration":70000000`:         0.97, // nanoseconds: as milliseconds they were 19 hours
		`"duration":"70ms"`:           0.97,
		`"duration":"70.5 ms"`:        0.97,
		`"duration":"0.07s"`:          0.97,
		`"duration":"70000µs"`:        0.97,
		`"latency":"70.12ms"`:         0.97,
		`"elapsed":"70ms"`:            0.97,
		`"elapsed_ms":70`:             0.97,
		`"elapsedMs":70`:              0.97,
		`"durationMs":70`:             0.97,
		`"response_time":"70ms"`:      0.97,
		`"responseTime":"70ms"`:       0.97,
		`"duration_ns":70000000`:      0.97,
		`"duration_seconds":0.07`:     0.97,
		`"duration":0.07`:             0.85, // seconds or milliseconds: when it ended is known
		`"duration":70.5`:             0.85,
		`"duration":70`:               0.97, // nobody answers within 70 nanoseconds, and seconds have a fraction
		`"duration":70000`:            0.85, // as milliseconds it is too long, as nanoseconds short
		`"latency":0.07`:              0.85,
		`"duration_ms":0`:             0.85,
		`"duration":"0s"`:             0.85,
		`"duration":10000`:            0, // ten seconds
		`"duration":10001`:            0.85,
		`"duration":1000000`:          0.97, // a millisecond
		`"duration":"7s"`:             0,    // longer than the request
		`"duration":"1m10s"`:          0,
		`"duration":7000000000`:       0,
		`"duration":"00:00:00.07"`:    0.85,
		`"duration":"70 furlongs"`:    0.85,
		`"http.server.duration":70.5`: 0.97,
	} {
		x := exchange(1000, 80, "GET", "http://localhost/api/pay", 200)
		line := &event.Log{Head: of("pay", 1075), Level: "info", Severity: 9, Message: "done"}
		line.TraceID = ""
		line.Attributes = `{"http.request.method":"get","url.path":"/api/pay",` + attributes + `}`
		f := build(t, kept(t, x, line), handle(x))
		got := 0.0
		if n := f.Find(line.Seq); n != nil {
			got = n.Link.Score
		}
		if got != want {
			t.Errorf("%s: %g, want %g", attributes, got, want)
		}
	}
}

// A service may write the trace into its lines and send no span. Its lines belong to the request that has the trace.
func TestLinesOfAServiceWithoutSpans(t *testing.T) {
	x := exchange(1000, 80, "GET", "http://localhost/api/pay", 500)
	x.TraceID, x.SpanID = trace, id(1)
	plain := &event.Log{Head: of("pay", 1040), Level: "error", Severity: 17, Message: "no money"}
	own := &event.Log{Head: of("pay", 1050), Level: "info", Severity: 9, Message: "gave up"}
	own.SpanID = id(2) // of a span that nobody exports
	r := kept(t, x, plain, own)
	for _, what := range []string{handle(x), trace} {
		f := build(t, r, what)
		same(t, tree(f), `
GET http://localhost/api/pay 500 failed *
  pay log no money [trace 0.98] failed
  pay log gave up [trace 0.98]
`)
	}
}

// A line that has the trace belongs to it also where its time is within no span: stamped to the second, or written later.
func TestLinesOutsideOfTheirSpans(t *testing.T) {
	x := exchange(1400, 300, "GET", "http://localhost/api/pay", 200)
	x.TraceID, x.SpanID = trace, id(1)
	server := span("pay", 1450, 200, "server", "GET /api/pay", 2, 1)
	coarse := &event.Log{Head: of("pay", 1000), Level: "info", Severity: 9, Message: "to the second"}
	late := &event.Log{Head: of("pay", 1900), Level: "error", Severity: 17, Message: "mail bounced"}
	elsewhere := &event.Log{Head: of("mail", 1800), Level: "info", Severity: 9, Message: "sent"}
	f := build(t, kept(t, x, server, coarse, late, elsewhere), handle(x))
	same(t, tree(f), `
GET http://localhost/api/pay 200 *
  pay server GET /api/pay [parent_span 1] *
    pay log to the second [trace 0.98]
    pay log mail bounced [trace 0.98] failed
  mail log sent [trace 0.98]
`)
}

// Requests of one visit of a page share a trace: only the time tells which of them a line is of.
func TestLinesOfATraceOfSeveralRequests(t *testing.T) {
	begin := &event.Lifecycle{Head: page(0)}
	begin.TraceID, begin.SpanID = trace, id(9)
	a, b := exchange(1000, 100, "GET", "http://localhost/a", 200), exchange(2000, 100, "GET", "http://localhost/b", 200)
	for _, x := range []*event.Exchange{a, b} {
		x.TraceID, x.SpanID = trace, id(9)
	}
	first := &event.Log{Head: of("pay", 1050), Level: "info", Severity: 9, Message: "one"}
	second := &event.Log{Head: of("pay", 2050), Level: "info", Severity: 9, Message: "two"}
	r := kept(t, begin, a, b, first, second)
	same(t, tree(build(t, r, handle(a))), `
GET http://localhost/a 200 *
  pay log one [time 0.6]
`)
	same(t, tree(build(t, r, handle(b))), `
GET http://localhost/b 200 *
  pay log two [time 0.6]
`)
}
