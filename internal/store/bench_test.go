package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// consoleBatch is what a busy page sends in a second: 50 lines of about 550 bytes each in all.
func consoleBatch() event.Batch {
	logs := make([]event.Log, 50)
	for i := range logs {
		logs[i] = event.Log{
			Head: event.Head{
				Time: time.UnixMilli(
					1_790_000_000_000 + int64(i),
				), Received: time.UnixMilli(1_790_000_001_000), Mono: 1234.5, Sender: uint64(i),
				Origin: event.Origin{
					Source: "extension",
				}, Session: "5b0c1d7e-2f", Tab: 412, Document: "7E5A0B9C1F2D4E6A8B0C2D4E6F8A0B1C",
				PageURL: "http://localhost:3000/shop/checkout?step=2", TraceID: fmt.Sprintf("%032x", i/5+1),
				SpanID: "b7ad6b7169203331",
			},
			Severity: 9, Level: "info",
			Message: "cart updated: 3 items, total 119.97 EUR, voucher SUMMER applied to the second item only",
			Args:    `["cart updated",{"items":3,"total":119.97,"currency":"EUR","voucher":"SUMMER","lines":[{"sku":"A-1","n":1},{"sku":"B-7","n":2}]}]`,
			URL:     "http://localhost:3000/static/js/checkout.chunk.js", Line: 1042, Column: 17, Logger: "console.info",
		}
	}
	return event.Of(logs)
}

// BenchmarkAppend appends batches of 50 logs to a ring that is full: steady eviction.
func BenchmarkAppend(b *testing.B) {
	s := open(b, store.DefaultLimits(0))
	batch := consoleBatch()
	for s.Stats().Rings[0].Evicted == 0 {
		for range 100 {
			s.Append(batch)
		}
	}
	b.ReportAllocs()
	b.SetBytes(50 * 550)
	for b.Loop() {
		s.Append(batch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/50, "ns/event")
}

// BenchmarkMixed appends one event of each of the commonest kinds.
func BenchmarkMixed(b *testing.B) {
	s := open(b, store.DefaultLimits(0))
	batch := consoleBatch()
	head := *batch[0].Base()
	batch = append(batch[:10],
		&event.Exchange{Head: head, URL: head.PageURL, Method: "POST", ResponseBody: string(make([]byte, 5000))},
		&event.Message{Head: head, Connection: "c", Event: "message", Direction: "incoming", Data: "hello"},
		&event.Action{Head: head, Type: "click", Locators: []event.Locator{{Kind: "testid", Value: "pay"}}})
	for s.Stats().Rings[0].Evicted == 0 {
		for range 100 {
			s.Append(batch)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Append(batch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(batch)), "ns/event")
}

// BenchmarkNewest copies and decodes the newest 100 logs.
func BenchmarkNewest(b *testing.B) {
	s := open(b, store.DefaultLimits(0))
	for range 30 {
		s.Append(consoleBatch())
	}
	var c store.Slice
	logs := make([]event.Log, 100)
	b.ReportAllocs()
	b.SetBytes(100 * 550)
	for b.Loop() {
		s.Backward(&store.Want{Kinds: []event.Kind{event.KindLog}}, s.NextSeq(), 0, 100, &c)
		for i := range c.Len() {
			c.Decode(i, &logs[i])
		}
	}
}

// BenchmarkScan walks over the headers of 60,000 events of eight tabs that are not wanted, in both directions.
func BenchmarkScan(b *testing.B) {
	s := open(b, store.DefaultLimits(0))
	for i := range 600 {
		s.Append(logs(100, event.Head{Session: "s", Tab: 1 + i%8, Worker: "w"}))
	}
	w := store.Want{Session: "s", TestID: "none"}
	var c store.Slice
	b.Run("forward", func(b *testing.B) {
		for b.Loop() {
			for at, end := event.Seq(0), s.NextSeq(); at < end; {
				at = s.Forward(&w, at, end, 100, &c)
			}
		}
	})
	b.Run("backward", func(b *testing.B) {
		for b.Loop() {
			for at := s.NextSeq(); at > 0; {
				at = s.Backward(&w, at, 0, 100, &c)
			}
		}
	})
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			if n, err := s.Count(b.Context(), &w); n != 0 || err != nil {
				b.Fatal(n, err)
			}
		}
	})
}
