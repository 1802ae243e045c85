package gasoline

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// sink is a client whose daemon takes everything at once.
func sink(b *testing.B) *Client {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "{}")
	}))
	c := Start(Config{URL: s.URL, Token: "x", Interval: time.Hour})
	b.Cleanup(func() {
		_ = c.Close(context.Background())
		s.Close()
	})
	return c
}

func BenchmarkPush(b *testing.B) {
	c := sink(b)
	now := time.Now()
	attributes := []Attr{String("a", "b")}
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		c.push(record{rank: rankInfo, text: "order taken", time: now, severity: 9, attributes: attributes})
	}
}

func BenchmarkSlog(b *testing.B) {
	ctx := context.Background()
	for _, k := range []struct {
		name string
		log  *slog.Logger
	}{
		{"without", slog.New(slog.NewTextHandler(io.Discard, nil))},
		{"with", slog.New(sink(b).Slog(slog.NewTextHandler(io.Discard, nil)))},
	} {
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				k.log.InfoContext(ctx, "order taken", "order", i, "user", "ann", "total", 12.5)
			}
		})
	}
}

func BenchmarkHandler(b *testing.B) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	for _, k := range []struct {
		name string
		h    http.Handler
	}{{"without", h}, {"with", sink(b).Handler(h)}} {
		b.Run(k.name, func(b *testing.B) {
			r := httptest.NewRequest("GET", "/items/1", nil)
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				k.h.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}
