// Package otlp reads what OpenTelemetry SDKs send, in both encodings of OTLP: logs and spans become events,
// metrics are counted and left out.
//
// Protobuf and JSON are read by walkers of our own, in one pass and without a copy of the texts. A body whose
// framing is broken is refused as a whole; a record that cannot be used is refused alone, and the answer says
// so. Texts are cut at their bounds, bytes that are no UTF-8 become U+FFFD. What was taken before is not taken
// again. See https://opentelemetry.io/docs/specs/otlp/.
package otlp

import (
	"fmt"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

// MaxBody is the longest body on the wire, MaxUnpacked the longest after decompression, in bytes.
const (
	MaxBody     = 16 << 20
	MaxUnpacked = 64 << 20
)

// Bounds of what is kept of one record, in bytes; what is longer is cut and the event flagged as truncated.
const (
	maxMessage    = 10 << 10
	maxStack      = 10 << 10 // of an exception's stack trace
	maxArgs       = 64 << 10 // JSON cannot be cut, so longer ones are left out
	maxAttributes = 8 << 10  // of the JSON of all attributes
	maxText       = 4 << 10  // of one attribute
	maxKey        = 256
	maxName       = 1 << 10
	maxWord       = 256 // names of scopes, levels
	maxID         = 128
	maxPath       = 8 << 10
)

// Bounds of lists and of nesting. Records beyond maxEvents are refused, and the rest is left out and counted.
const (
	maxEvents     = 32 << 10 // that one body becomes
	maxSpanEvents = 128      // of one span
	maxLinks      = 64       // of one span
	maxDepth      = 32       // of values
	maxPairs      = 1024     // attributes of one record that are looked at
)

// Signal is what a request carries.
type Signal uint8

// The signals.
const (
	Logs Signal = iota
	Traces
	Metrics
	SignalCount = iota
)

// String returns the signal's word in the path of its route.
func (s Signal) String() string { return [SignalCount]string{"logs", "traces", "metrics"}[s] }

// kind returns the kind of the signal's records.
func (s Signal) kind() event.Kind {
	return [SignalCount]event.Kind{event.KindLog, event.KindSpan, 0}[s]
}

// Encoding is how a request is written. Its answer is written likewise.
type Encoding uint8

// The encodings.
const (
	Protobuf Encoding = iota
	JSON
)

// decoded is what a body became. Its strings may be parts of the body.
type decoded struct {
	batch   event.Batch
	records int       // logs, spans or metrics in the body
	refused int       // records that could not be used
	whose   []refusal // the refused ones; ≤ maxRefusals + 1
	ignored int       // ids of logs that are none: the logs are kept without them
	reason  string
	stray   string // a member of a JSON request that has no list of the signal; unknown ones are let be otherwise
}

// refusal is how many records of one service, which stood one after the other, could not be used.
type refusal struct {
	origin event.Origin
	count  int
}

// maxRefusals bounds the runs of services that are told apart; what is refused beyond counts as of nobody known.
const maxRefusals = 64

func (m *maker) refuse(index int, format string, args ...any) {
	if m.refused == 0 {
		m.reason = fmt.Sprintf("record %d: ", index) + fmt.Sprintf(format, args...)
	}
	m.refused++
	of := m.origin
	if len(m.whose) >= maxRefusals && m.whose[len(m.whose)-1].origin != of {
		of = event.Origin{}
	}
	if n := len(m.whose); n > 0 && m.whose[n-1].origin == of {
		m.whose[n-1].count++
		return
	}
	m.whose = append(m.whose, refusal{of, 1})
}

// Spans reads an ExportTraceServiceRequest in JSON that a store of traces answers with, and stores nothing. A span stands
// before its events. It returns how many spans could not be used, and why the first could not. host is this machine's
// name. The error is a problem. The batch may hold parts of the body.
func Spans(body []byte, host string) (b event.Batch, refused int, reason string, _ error) {
	d, err := decode(Traces, JSON, body, host)
	return d.batch, d.refused, d.reason, err
}

// decode reads a body. host is this machine's name.
func decode(sig Signal, enc Encoding, body []byte, host string) (decoded, error) {
	m := &maker{host: host, signal: sig}
	var err error
	if enc == JSON {
		err = readJSON(m, body)
	} else {
		err = readProtobuf(m, string(body))
	}
	if err != nil {
		return decoded{}, problem.New(problem.InvalidParam, "Send an Export"+
			[SignalCount]string{"Logs", "Trace", "Metrics"}[sig]+"ServiceRequest of OTLP with its content type.",
			"the body is not understood: %v", err)
	}
	return m.decoded, nil
}
