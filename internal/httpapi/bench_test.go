package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/wire"
)

// BenchmarkSync is an upload of 50 console entries, without the network: read, decoded, redacted, stored, answered.
func BenchmarkSync(b *testing.B) {
	const n = 50
	g := wire.Group{
		Tab:      12,
		Document: "00000000E5F60718293A4B5C6D7E8F90",
		PageURL:  "http://localhost:3000/shop/checkout?step=2",
	}
	for i := range n {
		g.Logs = append(g.Logs, wire.Log{
			Base: wire.Base{Seq: uint64(i + 1), T: 1763636400000.25 + float64(i)}, Level: "log",
			Message: fmt.Sprintf(
				"[Checkout] order %d updated: 3 items, total 59.97 EUR, shipping to Berlin (express) in 2 days; next step: payment",
				i,
			),
			Args: json.RawMessage(
				fmt.Sprintf(
					`["[Checkout]",{"orderId":%d,"items":[{"sku":"A-1","qty":2,"price":19.99}],"customer":{"name":"Ann","city":"Berlin"},"express":true}]`,
					i,
				),
			),
			URL: "http://localhost:3000/assets/checkout.js", Line: 212, Column: 17,
		})
	}
	body, err := json.Marshal(wire.Sync{V: 1, Session: "s1", Groups: []wire.Group{g}})
	if err != nil {
		b.Fatal(err)
	}
	at := strings.Index(string(body), "00000000E5")
	r := newRigAt(b, port, 1<<40)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		copy(body[at:], fmt.Sprintf("%08X", i))
		req := httptest.NewRequest("POST", "/sync", strings.NewReader(string(body)))
		req.Host = fmt.Sprintf("127.0.0.1:%d", port)
		req.Header.Set("Authorization", "Bearer "+r.token)
		w := httptest.NewRecorder()
		r.api.ServeHTTP(w, req)
		if w.Code != 200 {
			b.Fatal(w.Code, w.Body)
		}
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "events/s")
}
