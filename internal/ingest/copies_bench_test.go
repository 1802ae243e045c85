package ingest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
)

// BenchmarkCopies is what a line costs from the reader to the store: alone, as one of many equal ones, and with its copy.
func BenchmarkCopies(b *testing.B) {
	for name, c := range map[string]struct {
		format string
		ways   []string
	}{
		"alone":       {"2026 handled request %d of customer in shop eu-west within some ms", []string{"run"}},
		"equal":       {"tick", []string{"run"}},
		"with a copy": {"handled request %d of customer in shop eu-west within some ms", []string{"run", "otlp"}},
	} {
		b.Run(name, func(b *testing.B) {
			kept, err := store.New(store.Config{Run: "r", FirstSeq: 1, Limits: store.DefaultLimits(0)})
			if err != nil {
				b.Fatal(err)
			}
			in := ingest.New(ingest.Config{ByteRate: 1 << 40}, redact.New(redact.Rules{}), correlate.New(time.Now), kept)
			const size = 500
			b.ReportAllocs()
			for n := 0; n < b.N; n += size * len(c.ways) {
				at := time.Now()
				for _, way := range c.ways {
					batch := make(event.Batch, size)
					for i := range batch {
						text := c.format
						if len(text) > 10 {
							text = fmt.Sprintf(text, n+i)
						}
						l := &event.Log{Head: event.Head{Origin: event.Origin{Source: way, Service: "api"}, Time: at}, Level: "info", Severity: 9,
							Message: text, Attributes: `{"log.iostream":"stdout"}`}
						if way == "otlp" {
							l.Attributes, l.TraceID, l.Logger = `{"code.line.number":7}`, fmt.Sprintf("%032x", n+1), "shop"
						}
						batch[i] = l
					}
					if _, err := in.Ingest(b.Context(), ingest.Upload{Batch: batch, Bytes: size * 80}, ingest.Drop); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
