package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
)

// failure is what comes of one failed request of a program that writes to a file, and sends spans and logs besides: what it
// says is the same each time, but for the number.
type failure struct {
	start  time.Time
	number int
	at     time.Duration
}

func (f failure) head(source string, at time.Duration) event.Head {
	h := by(source)
	h.Service, h.Time = "api", f.start.Add(at)
	if source == "otlp" {
		h.TraceID, h.SpanID = fmt.Sprintf("%032x", f.number), fmt.Sprintf("%016x", f.number)
	}
	return h
}

func (f failure) access(source string, at time.Duration) event.Event {
	text := fmt.Sprintf(`127.0.0.1:50%02d - "GET /pay/%[1]d HTTP/1.1" 500`, f.number)
	return &event.Log{Head: f.head(source, at), Level: "info", Severity: event.SeverityInfo, Message: text}
}

func (f failure) error(source, mechanism string, at time.Duration) event.Event {
	message := fmt.Sprintf("no price for sku-%d", f.number)
	stack := "Traceback (most recent call last):\n  File \"/app/pay.py\", line 3, in pay\nValueError: " + message
	if mechanism == "log" {
		stack = "Exception in ASGI application\n" + stack
	}
	return &event.Exception{
		Head: f.head(source, at), Type: "ValueError", Message: message, Mechanism: mechanism, RawStack: stack,
		Stack: []event.StackFrame{{Function: "pay", URL: "/app/pay.py", Line: 3, InApp: true}},
	}
}

func (f failure) span() event.Event {
	return &event.Span{
		Head: f.head("otlp", f.at-time.Millisecond), SpanKind: "server", Status: "error",
		Attributes: fmt.Sprintf(`{"url.path":"/pay/%d"}`, f.number),
	}
}

// Two requests fail alike shortly after one another. However late their lines are read, and their spans and logs sent, and in
// whichever order these come, they are two errors, each with all that tells it and with the line about its own request.
func TestFailuresAlikeThatAreReadLateAreNotConfused(t *testing.T) {
	const ms = time.Millisecond
	type arrival struct {
		at    time.Duration
		batch event.Batch
	}
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 1))
		upTo := func(n int) time.Duration { return time.Duration(random.IntN(n)) * ms }
		r := newCopiesRig(t)
		var all []arrival
		var at, read time.Duration
		for number := 7; number < 9; number++ {
			at += 3*ms + upTo(150)
			f := failure{r.start, number, at}
			line := max(read, at+upTo(600))
			read = line + upTo(2)*upTo(400)/ms
			all = append(all,
				arrival{at + upTo(1500), event.Batch{f.span(), f.error("otlp", "span_event", at)}},
				arrival{at + upTo(1500), event.Batch{f.access("otlp", at+ms), f.error("otlp", "log", at+2*ms)}},
				arrival{line, event.Batch{f.access("tail", line)}},
				arrival{read + upTo(300), event.Batch{f.error("tail", "log", read)}}, // a stack is held until it ends
			)
		}
		slices.SortStableFunc(all, func(a, b arrival) int { return int(a.at - b.at) })
		for _, a := range all {
			r.elapsed = a.at
			if _, err := r.in.Ingest(t.Context(), ingest.Upload{Batch: a.batch, Bytes: 10}, ingest.Partial); err != nil {
				t.Fatal(err)
			}
		}
		exceptions, logs := r.all()
		if len(exceptions) != 2 || len(logs) != 2 {
			t.Fatalf("seed %d: %d errors, %d logs", seed, len(exceptions), len(logs))
		}
		for _, x := range exceptions {
			var told []string
			for _, w := range strings.Split(x.Witnesses, ", ") {
				for _, l := range logs {
					if w == fmt.Sprintf("access l%d", l.Seq) {
						w = strings.Fields(l.Message)[3]
					}
				}
				told = append(told, w)
			}
			slices.Sort(told)
			want := []string{"/pay/" + x.Message[len(x.Message)-1:], "log otlp", "log tail", "span_event otlp"}
			if !slices.Equal(told, want) {
				t.Errorf("seed %d: %s is told by %q", seed, x.Message, told)
			}
		}
	}
}
