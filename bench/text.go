package main

import (
	"context"
	"os"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/lines"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
)

// ordinary are lines as services write them, in five formats.
var ordinary = []string{
	"GET /api/orders/8801 200 12.5 ms - 512",
	`{"level":30,"time":1763636400123,"pid":4711,"hostname":"box","reqId":"req-1f","msg":"order 8801 paid in 12 ms"}`,
	"2026-10-09 13:55:36,123 INFO shop.api order 8801 updated: 3 items, customer 4711, region eu-central, cache miss",
	"order 8801 updated: 3 items, customer 4711, region eu-central, cache miss, queue 2",
	`time=2026-10-09T13:55:36.123Z level=INFO msg="order paid" order=8801 trace_id=4bf92f3577b34da6a3ce929d0e0e4736`,
}

// text measures what it costs to read lines of services and to keep them, by the processor's time of this process:
// reading alone, reading and storing, and all that the daemon does, which replaces secrets as well.
func (b *bench) text() error {
	const perBatch, batches = 200, 2000
	kept, err := store.New(store.Config{Run: "bench", FirstSeq: 1, Limits: store.DefaultLimits(200 << 20)})
	if err != nil {
		return err
	}
	in := ingest.New(ingest.Config{ByteRate: 1 << 40}, redact.New(redact.Rules{}), correlate.New(time.Now), kept)
	for _, way := range []struct {
		what, budget string
		least        float64
		keep         func(event.Batch) error
	}{
		{"lines of services in five formats: read", "", 0, func(event.Batch) error { return nil }},
		{"the same: read and stored", "≥ 300,000", 300_000, func(batch event.Batch) error {
			kept.Append(batch)
			return nil
		}},
		{"the same: read, secrets replaced, correlated, stored", "", 0, func(batch event.Batch) error {
			_, err := in.Ingest(context.Background(), ingest.Upload{Batch: batch, Bytes: 100 * len(batch)}, ingest.Refuse)
			return err
		}},
	} {
		reader := lines.Reader{
			Origin: event.Origin{Source: "tail", Service: "api", Instance: "1"}, Stream: "stdout", Live: true, Known: kept.HasTrace,
		}
		before, err := cpu(os.Getpid())
		if err != nil {
			return err
		}
		for range batches {
			batch, now := make(event.Batch, 0, perBatch), time.Now()
			for i := range perBatch {
				batch = reader.Add(lines.Line{Time: now, Text: ordinary[i%len(ordinary)]}, batch)
			}
			if err := way.keep(reader.Flush(batch)); err != nil {
				return err
			}
		}
		after, err := cpu(os.Getpid())
		if err != nil {
			return err
		}
		perSecond := perBatch * batches / (after - before).Seconds()
		b.table.add(row{
			id: "B22", what: way.what, value: perSecond, unit: "lines/s/core", budget: way.budget, met: perSecond >= way.least,
		})
	}
	return nil
}
