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
		`"duration":"7s"`:             0, // longer than the request
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
