package browser_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/browser"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/wire"
)

// consoleUpload returns an upload of n console entries of about 560 bytes, every tenth of them a
// warning with a stack.
func consoleUpload(n int) []byte {
	g := wire.Group{
		Tab:      12,
		Document: "A1B2C3D4E5F60718293A4B5C6D7E8F90",
		PageURL:  "http://localhost:3000/shop/checkout?step=2",
		Since:    "document_start",
	}
	for i := range n {
		l := wire.Log{
			Base:  wire.Base{Seq: uint64(i + 1), T: 1763636400000.25 + float64(i)*3.5, Mono: 1204.3 + float64(i)*3.5},
			Level: "log",
			Message: fmt.Sprintf(
				"[Checkout] order %d updated: 3 items, total 59.97 EUR, shipping to Berlin (express) in 2 days; "+
					"cart synced with server after 142 ms, next step: payment",
				8800+i,
			),
			Args: json.RawMessage(
				fmt.Sprintf(
					`["[Checkout]",{"orderId":%d,"items":[{"sku":"A-1","qty":2,"price":19.99},{"sku":"B-7","qty":1,"price":19.99}],"customer":{"name":"Ann","city":"Berlin"},"express":true}]`,
					8800+i,
				),
			),
			URL: "http://localhost:3000/assets/checkout.js", Line: 212, Column: 17,
		}
		if i%10 == 9 {
			l.Level = "warn"
			l.Stack = []wire.StackFrame{
				{Function: "sync", URL: "http://localhost:3000/assets/cart.js", Line: 88, Column: 9},
				{Function: "onUpdate", URL: "http://localhost:3000/assets/checkout.js", Line: 212, Column: 17},
			}
		}
		g.Logs = append(g.Logs, l)
	}
	body, err := json.Marshal(wire.Sync{V: 1, Session: "s-bench", Sent: 1763636401000, Groups: []wire.Group{g}})
	if err != nil {
		panic(err)
	}
	return body
}

type nowhere struct{}

func (nowhere) Append(b event.Batch) store.Appended { return store.Appended{Stored: len(b)} }

func newIngester(sink ingest.Sink) *ingest.Ingester {
	return ingest.New(ingest.Config{Rate: 1 << 40}, redact.New(redact.Rules{}), correlate.New(time.Now), sink)
}

// BenchmarkSync is the write side without HTTP: 50 console entries in each upload. Compare its
// ns/event with that of json.Valid over the same bytes.
func BenchmarkSync(b *testing.B) {
	const n = 50
	body := consoleUpload(n)
	report := func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
		b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "events/s")
	}
	b.Run("json.Valid", func(b *testing.B) {
		for b.Loop() {
			json.Valid(body)
		}
		report(b)
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := browser.ReadSync(body); err != nil {
				b.Fatal(err)
			}
		}
		report(b)
	})
	b.Run("decode+redact", func(b *testing.B) {
		r := redact.New(redact.Rules{})
		for b.Loop() {
			m, err := browser.ReadSync(body)
			if err != nil {
				b.Fatal(err)
			}
			r.Batch(m.Upload.Batch)
		}
		report(b)
	})
	// Each upload comes from a new document, or it would be a repetition.
	whole := func(b *testing.B, sink ingest.Sink) {
		in := newIngester(sink)
		uploads := browser.NewReceiver(in)
		text := string(body)
		at := strings.Index(text, "A1B2C3D4")
		mine := []byte(text)
		i := 0
		for b.Loop() {
			i++
			copy(mine[at:], fmt.Sprintf("%08X", i))
			m, err := browser.ReadSync(mine)
			if err != nil {
				b.Fatal(err)
			}
			if r, err := uploads.Sync(b.Context(), m.Upload); err != nil || r.Stored != n {
				b.Fatalf("stored %d of %d: %v %v", r.Stored, n, in.Losses(), err)
			}
		}
		report(b)
	}
	b.Run("no-op sink", func(b *testing.B) { whole(b, nowhere{}) })
	b.Run("store", func(b *testing.B) {
		s, err := store.New(store.Config{Run: "bench", Limits: store.DefaultLimits(200 << 20)})
		if err != nil {
			b.Fatal(err)
		}
		for s.Stats().Rings[0].Evicted == 0 { // from here on each event costs another its memory
			m, err := browser.ReadSync(body)
			if err != nil {
				b.Fatal(err)
			}
			s.Append(m.Upload.Batch)
		}
		whole(b, s)
	})
}
