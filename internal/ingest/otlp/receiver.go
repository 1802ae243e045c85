package otlp

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/problem"
)

// Receiver takes requests of SDKs. It may be used by many goroutines.
type Receiver struct {
	in      *ingest.Ingester
	host    string
	repeats *repeats
	counts  [SignalCount]struct{ taken, refused, repeated, left atomic.Uint64 }
}

// Counts are the records of one signal since the start.
type Counts struct {
	Taken    uint64
	Refused  uint64 // not usable, over the limits
	Repeated uint64 // that were there already
	Left     uint64 // that are not kept: metrics
}

// NewReceiver returns a receiver that hands over to in. host is this machine's name: who calls itself so has the
// daemon's clock.
func NewReceiver(in *ingest.Ingester, host string) *Receiver {
	return &Receiver{in: in, host: host, repeats: newRepeats()}
}

// Counts returns the counters of a signal.
func (r *Receiver) Counts(sig Signal) Counts {
	c := &r.counts[sig]
	return Counts{c.taken.Load(), c.refused.Load(), c.repeated.Load(), c.left.Load()}
}

// retryAfter is when a request that the limits refused as a whole may come again.
const (
	retryAfter        = time.Second
	retryAfterBreaker = 10 * time.Second
)

// Take reads a request and stores what it holds. It returns the answer in the request's encoding, which tells
// what was refused. Errors are a problem for a body that is no request, a [*ingest.Limited] when all of it is over
// the limits, from's among them, and ctx's. body is free again when Take returns.
func (r *Receiver) Take(
	ctx context.Context, from ingest.From, sig Signal, enc Encoding, body []byte,
) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := from.Take(0, len(body)); err != nil {
		return nil, err
	}
	request, fresh := r.repeats.request(sig, body)
	if !fresh && sig != Metrics {
		return r.repeated(sig, enc, body)
	}
	d, err := decode(sig, enc, body, r.host)
	if err != nil {
		r.repeats.forgetRequest(request)
		return nil, err
	}
	if err := from.Take(d.records, 0); err != nil {
		r.repeats.forgetRequest(request)
		return nil, err
	}
	from.Stamp(d.batch)
	c := &r.counts[sig]
	if d.stray != "" {
		r.repeats.forgetRequest(request)
		return answer(enc, sig, 0, strays(sig, d.stray)), nil
	}
	if sig == Metrics {
		r.repeats.forgetRequest(request)
		c.left.Add(uint64(d.records))
		return answer(enc, sig, 0, ""), nil
	}
	var notes []string
	if d.refused > 0 {
		notes = append(notes, d.reason)
	}
	if d.ignored > 0 {
		notes = append(notes, fmt.Sprintf("%d logs have ids of a wrong length and were taken without them", d.ignored))
	}
	batch, repeated := r.repeats.fresh(d.batch)
	if repeated > 0 {
		notes = append(notes, fmt.Sprintf("%d spans were here already and were left out", repeated))
	}
	u := ingest.Upload{Batch: batch, Bytes: len(body)}
	for _, r := range d.whose {
		r.origin.Service = cmp.Or(from.Service, r.origin.Service)
		u.Reports = append(u.Reports, ingest.Report{
			Origin: r.origin, Kind: sig.kind(), Cause: ingest.Invalid, Count: r.count,
		})
	}
	receipt, err := r.in.Ingest(ctx, u, ingest.Partial)
	if err != nil {
		r.repeats.forgetRequest(request)
		return nil, err
	}
	limited, thrown, breaker := 0, 0, false
	for _, rejected := range receipt.Rejected {
		breaker = breaker || rejected.Cause == ingest.Breaker
		switch e := rejected.Event.(type) {
		case *event.Span:
			r.repeats.forgetSpan(e)
			limited++
		case *event.Log:
			if sig == Logs {
				limited++
			}
		case *event.Exception:
			if sig == Logs { // all that was made of a log
				thrown++
			}
		}
	}
	tooLarge := receipt.Dropped[sig.kind()] - limited
	limited += thrown
	c.taken.Add(uint64(max(0, d.records-d.refused-repeated-limited-tooLarge)))
	c.refused.Add(uint64(d.refused + limited + tooLarge))
	c.repeated.Add(uint64(repeated))
	if n := len(receipt.Rejected); n > 0 && receipt.Stored == 0 {
		r.repeats.forgetRequest(request)
		return nil, limitedFor(breaker)
	}
	if n := len(receipt.Rejected); n > 0 {
		notes = append(notes, fmt.Sprintf("%d records and span events were over the limit of their service", n))
	}
	if tooLarge > 0 {
		notes = append(notes, fmt.Sprintf("%d records are larger than what is kept", tooLarge))
	}
	return answer(enc, sig, d.refused+limited+tooLarge, strings.Join(notes, "; ")), nil
}

// strays says that a request has no list of its signal, and where the one that it has belongs.
func strays(sig Signal, member string) string {
	lists := [SignalCount]string{"resourceLogs", "resourceSpans", "resourceMetrics"}
	said := fmt.Sprintf("nothing was taken: the request has no %s, but %q", lists[sig], member)
	for other, list := range lists {
		if member == list {
			said += ", which belongs to /v1/" + Signal(other).String()
		}
	}
	return said
}

// Fresh returns a batch without the spans that were sent before, and their events, which stand behind them, and how many
// spans it left out. The others count as sent from now on. It writes into b.
func (r *Receiver) Fresh(b event.Batch) (event.Batch, int) { return r.repeats.fresh(b) }

// repeated answers a request that came before: it is read to be counted only.
func (r *Receiver) repeated(sig Signal, enc Encoding, body []byte) ([]byte, error) {
	d, err := decode(sig, enc, body, r.host)
	if err != nil {
		return nil, err
	}
	r.counts[sig].repeated.Add(uint64(d.records))
	return answer(enc, sig, 0, "the same request came before and was taken then"), nil
}

func limitedFor(breaker bool) error {
	wait := retryAfter
	if breaker {
		wait = retryAfterBreaker
	}
	return &ingest.Limited{RetryAfter: wait, Problem: problem.New(
		problem.RateLimited,
		fmt.Sprintf("Repeat the request after %d s.", int(wait/time.Second)),
		"the service sends more bytes per second than are let in",
	)}
}

// answer returns an Export…ServiceResponse: empty when all was taken. A message without refused records is a
// warning.
func answer(enc Encoding, sig Signal, refused int, message string) []byte {
	message, _ = clipped(message, maxName)
	whole := refused == 0 && message == ""
	if enc == JSON {
		if whole {
			return []byte("{}")
		}
		name := [SignalCount]string{"rejectedLogRecords", "rejectedSpans", "rejectedDataPoints"}[sig]
		out := fmt.Appendf(nil, `{"partialSuccess":{"%s":"%d","errorMessage":`, name, refused)
		return append(appendText(out, message), "}}"...)
	}
	if whole {
		return []byte{}
	}
	var partial []byte
	if refused > 0 {
		partial = binary.AppendUvarint(append(partial, 1<<3|varintType), uint64(refused))
	}
	partial = appendField(partial, 2, message)
	return appendField(nil, 1, string(partial))
}

// appendField appends a field with a length.
func appendField(dst []byte, number int, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(number)<<3|bytesType)
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
