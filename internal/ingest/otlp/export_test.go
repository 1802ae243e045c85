package otlp

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
)

// ProtobufOf writes a request of OTLP/JSON as protobuf; message is Logs or Traces.
func ProtobufOf(t testing.TB, message string, data []byte) []byte {
	return protobufOf(t, message, data)
}

// CheckBody decodes a body and says what is wrong with the events.
func CheckBody(sig Signal, enc Encoding, body []byte) error {
	d, err := decode(sig, enc, body, "this-machine")
	if err != nil {
		return nil //nolint:nilerr // refused is right
	}
	for _, e := range d.batch {
		for _, s := range []string{attributesOf(e), argsOf(e), linksOf(e)} {
			if s != "" && !json.Valid([]byte(s)) {
				return fmt.Errorf("%q is no JSON", s)
			}
		}
		for _, s := range e.Searched() {
			if !utf8.ValidString(s) {
				return fmt.Errorf("%q is no UTF-8", s)
			}
		}
		h := e.Base()
		if h.TraceID != "" && len(h.TraceID) != 32 || h.SpanID != "" && len(h.SpanID) != 16 ||
			e.Kind() == event.KindSpan && (h.TraceID == "" || h.SpanID == "") {
			return fmt.Errorf("ids %q %q of a %v", h.TraceID, h.SpanID, e.Kind())
		}
	}
	return nil
}

// Sample returns a request of n records with eight attributes each, as a web service writes them; seed makes it
// different from others.
func Sample(sig Signal, seed, n int) string {
	var list []string
	for i := range n {
		attributes := fmt.Sprintf(`[{"key":"http.request.method","value":{"stringValue":"GET"}},
			{"key":"http.route","value":{"stringValue":"/api/items/:id"}},
			{"key":"url.path","value":{"stringValue":"/api/items/%d"}},
			{"key":"http.response.status_code","value":{"intValue":200}},
			{"key":"client.address","value":{"stringValue":"127.0.0.1"}},
			{"key":"user_agent.original","value":{"stringValue":"Mozilla/5.0 (X11; Linux x86_64)"}},
			{"key":"thread.id","value":{"intValue":%d}},
			{"key":"enduser.id","value":{"stringValue":"u-%d"}}]`, i, i%16, i%100)
		ids := fmt.Sprintf(`"traceId":"%016x%016x","spanId":"%016x"`, seed+1, i/10+1, seed*n+i+1)
		if sig == Logs {
			list = append(list, fmt.Sprintf(`{"timeUnixNano":"%d","severityNumber":9,"severityText":"INFO",
				"body":{"stringValue":"handled request %d in 12 ms"},"attributes":%s,%s}`, 1795300000000000000+i, i, attributes, ids))
		} else {
			list = append(list, fmt.Sprintf(`{"name":"GET /api/items/:id","kind":2,"startTimeUnixNano":"%d",
				"endTimeUnixNano":"%d","attributes":%s,%s,"status":{"code":1}}`,
				1795300000000000000+i, 1795300000012000000+i, attributes, ids))
		}
	}
	resource := `"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]}`
	if sig == Logs {
		return `{"resourceLogs":[{` + resource + `,"scopeLogs":[{"logRecords":[` + strings.Join(list, ",") + `]}]}]}`
	}
	return `{"resourceSpans":[{` + resource + `,"scopeSpans":[{"spans":[` + strings.Join(list, ",") + `]}]}]}`
}

// SpanIDs returns a function that numbers the span ids of a body of [Sample] with the seed 0 anew, from n up.
func SpanIDs(t testing.TB, enc Encoding, body []byte, records int) func(n int) {
	at := make([]int, records)
	for i := range at {
		id := binary.BigEndian.AppendUint64([]byte{10<<3 | bytesType, 8}, uint64(i+1))
		other := binary.BigEndian.AppendUint64([]byte{2<<3 | bytesType, 8}, uint64(i+1))
		if enc == JSON {
			id = fmt.Appendf(nil, `"spanId":"%016x`, i+1)
			other = id
		}
		found := bytes.Index(body, id)
		if found < 0 {
			found = bytes.Index(body, other)
		}
		if found < 0 {
			t.Fatalf("there is no span with the id %d", i+1)
		}
		at[i] = found + len(id)
	}
	return func(n int) {
		for i, end := range at {
			if enc == JSON {
				var id [8]byte
				binary.BigEndian.PutUint64(id[:], uint64(n+i+1))
				hex.Encode(body[end-16:end], id[:])
			} else {
				binary.BigEndian.PutUint64(body[end-8:end], uint64(n+i+1))
			}
		}
	}
}
