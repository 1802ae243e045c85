package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/wire"
)

// lines measures what a service may send: lines over HTTP as curl sends them, with the limits that a daemon has by
// itself.
func (b *bench) lines() error {
	const events, lasting = 200, 4 * time.Second
	const most = 120_000 // events a second that are sent, below the limit of bytes
	m, err := b.daemon("--ingest-rate", "1000")
	if err != nil {
		return err
	}
	defer m.stop()
	var body bytes.Buffer
	body.WriteString(`{"service":"shop-api","instance":"1","source":"curl","entries":[`)
	for i := range events {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(
			&body,
			`{"level":"info","t":%d,"message":"GET /api/orders/%d 200 in 14 ms, 3 items, customer 4711, region eu-central, cache miss, queue 2"}`,
			1763636400000+i,
			8800+i,
		)
	}
	body.WriteString(`]}`)
	pid, err := m.pid()
	if err != nil {
		return err
	}
	before, err := cpu(pid)
	if err != nil {
		return err
	}
	count, start := 0, time.Now()
	for time.Since(start) < lasting {
		raw, err := m.ask("POST", "/logs", body.Bytes(), nil)
		if err != nil {
			return err
		}
		var taken wire.Accepted
		if err := json.Unmarshal(raw, &taken); err != nil {
			return err
		}
		if taken.Accepted != events {
			return fmt.Errorf("%d of %d lines were taken: %.300s", taken.Accepted, events, raw)
		}
		count += events
		time.Sleep(time.Until(start.Add(time.Duration(count) * time.Second / most)))
	}
	took := time.Since(start)
	after, err := cpu(pid)
	if err != nil {
		return err
	}
	perSecond := float64(count) / took.Seconds()
	what := fmt.Sprintf(
		"lines of a service, POST /logs, %d × %d bytes a request, one connection",
		events,
		body.Len()/events,
	)
	b.table.add(
		row{id: "B22", what: what, value: perSecond, unit: "events/s", budget: "≥ 50,000", met: perSecond >= 50_000},
	)
	b.table.add(
		row{
			id:    "B22",
			what:  "the same by the processor",
			value: float64(count) / (after - before).Seconds(),
			unit:  "events/s/core",
		},
	)
	return nil
}
