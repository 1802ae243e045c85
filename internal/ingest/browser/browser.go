// Package browser reads what browsers send: the extension's uploads and the single-kind routes that
// the CI script and everybody else use. Bytes go in, batches of events come out.
//
// Console entries and exceptions, which come in floods, are read by a decoder of our own in one pass
// that also checks that the JSON is well-formed; the other kinds by encoding/json. One event that is
// none does not cost the others: it is left out and named. Lone surrogates and bytes that are no
// UTF-8 become U+FFFD. The package redacts nothing, limits nothing and keeps nothing.
package browser

import (
	"bytes"
	"time"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/wire"
)

// MaxBody is the longest body that is read, in bytes after decompression.
const MaxBody = 5 << 20

// Message is what one POST /sync said.
type Message struct {
	wire.Sync // without Groups, whose events are in Upload
	Upload    ingest.Upload
}

// Delivery is what one POST on a single-kind route said.
type Delivery struct {
	wire.Origin
	Upload   ingest.Upload
	Rejected []wire.Rejected // by index in the request's list, rising
}

// Accepted returns the answer to a delivery that was taken. Ask before the batch is handed on.
func (d *Delivery) Accepted() wire.Accepted {
	return wire.Accepted{Accepted: len(d.Upload.Batch), Rejected: d.Rejected}
}

// prepare returns the body as text that is valid UTF-8. Strings of events are parts of it, so a batch
// keeps it alive and body may be used again.
func prepare(body []byte) (string, error) {
	if len(body) > MaxBody {
		return "", problem.New(
			problem.TooLarge,
			"Send fewer events at once.",
			"the body has %d bytes, at most %d are read",
			len(body),
			MaxBody,
		)
	}
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return string(body), nil
}

// malformed is the problem of a body that is no JSON of the expected shape.
func malformed(c *cursor) error {
	return problem.New(
		problem.InvalidParam,
		"Send one JSON object as the route describes it.",
		"the body is not understood: %s",
		c.err,
	)
}

// reader collects the events of one body.
type reader struct {
	cursor
	batch   event.Batch
	logs    slab[event.Log]    // of the batch's
	frames  []event.StackFrame // of all events; each event's stack is a part
	record  record             // the console entry or exception at hand
	reports []ingest.Report
}

// upload returns what was read, for the ingester.
func (r *reader) upload(session string, sent float64) ingest.Upload {
	return ingest.Upload{Session: session, Sent: when(sent), Batch: r.batch, Bytes: len(r.s), Reports: r.reports}
}

// slab gives out events from memory that was allocated for many of them at once.
type slab[E any] struct{ free []E }

// next returns a zero event. When the slab is used up, n are allocated.
func (s *slab[E]) next(n int) *E {
	if len(s.free) == 0 {
		s.free = make([]E, max(n, 1))
	}
	e := &s.free[0]
	s.free = s.free[1:]
	return e
}

// when returns the time of epoch milliseconds; zero if they cannot be one.
func when(ms float64) time.Time {
	const year2200 = 7258118400000
	if !(ms > 0 && ms < year2200) {
		return time.Time{}
	}
	return time.UnixMicro(int64(ms * 1000))
}
