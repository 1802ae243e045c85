package gasoline

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"testing/slogtest"
)

// What the handler hands on to next passes slog's own suite.
func TestSlogPassesOn(t *testing.T) {
	d := newDaemon(t)
	var buf bytes.Buffer
	h := d.start(Config{}).Slog(slog.NewJSONHandler(&buf, nil))
	err := slogtest.TestHandler(h, func() []map[string]any { return lines(t, buf.Bytes()) })
	if err != nil {
		t.Error(err)
	}
}

func lines(t *testing.T, data []byte) (out []map[string]any) {
	t.Helper()
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		m := map[string]any{}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

// What it sends to the daemon passes the suite as well.
func TestSlogSends(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	err := slogtest.TestHandler(c.Slog(nil), func() []map[string]any {
		d.flush(c)
		var out []map[string]any
		for _, l := range d.logs() {
			m := map[string]any{slog.MessageKey: l.Body.plain(), slog.LevelKey: l.SeverityText}
			if l.TimeUnixNano != "" {
				m[slog.TimeKey] = l.TimeUnixNano
			}
			for k, v := range l.attributes() {
				if k != "code.file.path" && k != "code.line.number" {
					m[k] = v
				}
			}
			out = append(out, m)
		}
		return out
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSlogTakesTheTraceFromTheContext(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	log := slog.New(c.Slog(nil))
	ctx, span := c.Span(context.Background(), "work")
	log.With("a", 1).WithGroup("g").ErrorContext(ctx, "it broke", "b", []string{"x"}, "password", "hunter2")
	span.End()
	d.flush(c)
	l := d.logs()[0]
	if l.TraceID != span.Context().TraceID.String() || l.SpanID != span.Context().SpanID.String() {
		t.Errorf("%+v", l)
	}
	g := l.attributes()["g"].(map[string]any)
	if l.SeverityNumber != 17 || l.attributes()["a"] != int64(1) || g["b"].([]any)[0] != "x" {
		t.Errorf("%+v", l.attributes())
	}
	if secret := g["password"].(string); len(secret) != len("<password:12345678>") {
		t.Error(secret)
	}
	if l.attributes()["code.line.number"].(int64) < 10 {
		t.Errorf("%+v", l.attributes())
	}
}

type angry struct{}

func (angry) LogValue() slog.Value { panic("no") }

// slog's default handler writes by package log, which writes to slog: tried with a deadline by the test run.
func TestSlogOverTheDefaultHandler(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(c.Slog(before.Handler())))
	slog.Info("hello", "value", angry{})
	slog.Warn("hello again")
	d.flush(c)
	if logs := d.logs(); len(logs) == 0 || logs[len(logs)-1].Body.plain() != "hello again" {
		t.Errorf("%+v", logs)
	}
}
