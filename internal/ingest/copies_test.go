package ingest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
)

type copiesRig struct {
	t       *testing.T
	in      *ingest.Ingester
	kept    *store.Store
	elapsed time.Duration
	start   time.Time
}

func newCopiesRig(t *testing.T) *copiesRig {
	t.Helper()
	kept, err := store.New(store.Config{Run: "r", FirstSeq: 1, Limits: store.DefaultLimits(32 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	r := &copiesRig{t: t, kept: kept, start: time.Now()}
	r.in = ingest.New(ingest.Config{Elapsed: func() time.Duration { return r.elapsed }}, redact.New(redact.Rules{}),
		correlate.New(time.Now), kept)
	return r
}

// stores gives one log and says how many were stored.
func (r *copiesRig) stores(source, service, text, trace string, at time.Duration) int {
	r.t.Helper()
	l := &event.Log{Head: event.Head{
		Origin: event.Origin{Source: source, Service: service}, TraceID: trace, Time: r.start.Add(at),
	}, Message: text}
	done, err := r.in.Ingest(r.t.Context(), ingest.Upload{Batch: event.Batch{l}, Bytes: 10}, ingest.Partial)
	if err != nil || len(done.Rejected) > 0 {
		r.t.Fatal(err, done)
	}
	return done.Stored
}

// all returns the exceptions and the logs that are stored.
func (r *copiesRig) all() (exceptions []*event.Exception, logs []*event.Log) {
	r.t.Helper()
	var c store.Slice
	r.kept.Forward(&store.Want{}, 0, r.kept.NextSeq(), 100, &c)
	for i := range c.Len() {
		var x event.Exception
		var l event.Log
		switch {
		case c.Kind(i) == event.KindException && c.Decode(i, &x):
			exceptions = append(exceptions, &x)
		case c.Kind(i) == event.KindLog && c.Decode(i, &l):
			logs = append(logs, &l)
		}
	}
	return exceptions, logs
}

func TestCopiesOfALogAreKeptOnce(t *testing.T) {
	const trace, other = "4bf92f3577b34da6a3ce929d0e0e4736", "5bf92f3577b34da6a3ce929d0e0e4736"
	for _, ways := range [][2]string{{"run", "otlp"}, {"otlp", "run"}} {
		t.Run(fmt.Sprint(ways), func(t *testing.T) {
			r := newCopiesRig(t)
			if r.stores("run", "x", "output", "", 0) != 1 { // some program is run
				t.Fatal("not stored")
			}
			for i, c := range []struct {
				way         int
				service     string
				text, trace string
				at          time.Duration
				stored      int
			}{
				{0, "api", "paid", trace, 0, 1}, {1, "api", "paid", trace, time.Second, 0},
				{0, "api", "paid", trace, 0, 1}, {0, "api", "paid", trace, 0, 1},
				{1, "api", "paid", "", time.Second, 0}, {1, "api", "paid", trace, time.Second, 0},
				{1, "api", "paid", "", time.Second, 1},
				{0, "api", "slow", "", 0, 1}, {1, "api", "slow", "", 3 * time.Second, 1},
				{0, "api", "late", trace, 0, 1}, {1, "api", "late", trace, 4 * time.Second, 0},
				{0, "api", "two", trace, 0, 1}, {1, "api", "two", other, 0, 1},
				{0, "api", "whose", "", 0, 1}, {1, "web", "whose", "", 0, 1},
			} {
				if got := r.stores(ways[c.way], c.service, c.text, c.trace, c.at); got != c.stored {
					t.Errorf("%d %+v: stored %d", i, c, got)
				}
			}
		})
	}
}

// A program's own format may put the logger before the text and fields behind it: it is the same log.
func TestCopiesThatAreWrittenInAnotherWayAreKeptOnce(t *testing.T) {
	type came struct {
		source, logger, text string
		stored               int
	}
	for name, list := range map[string][]came{
		"a logger, the line first":   {{"run", "", "shop.api: paid", 1}, {"otlp", "shop.api", "paid", 0}},
		"a logger, the record first": {{"otlp", "shop.api", "paid", 1}, {"run", "", "shop.api: paid", 0}},
		"each stands for one": {
			{"run", "", "a: x", 1}, {"run", "", "a: x", 1}, {"otlp", "a", "x", 0}, {"otlp", "a", "x", 0}, {"otlp", "a", "x", 1},
			{"run", "", "x", 0}, {"run", "", "a: x", 1},
		},
		"another logger":     {{"run", "", "shop: paid", 1}, {"otlp", "bank", "paid", 1}},
		"a word of the text": {{"otlp", "shop", "db: refused", 1}, {"run", "", "shop: db: refused", 0}, {"run", "", "db: refused", 1}},
		"the text reads so":  {{"otlp", "x", "a: b", 1}, {"otlp", "a", "b", 1}, {"run", "", "a: b", 0}, {"run", "", "a: b", 0}},
		"a key that is another's by now": {
			{"otlp", "x", "a: b", 1}, {"otlp", "x: a", "b", 1}, {"run", "", "a: b", 0}, {"run", "", "x: a: b", 0},
		},
		"fields": {{"otlp", "shop", "low: sku=A left=2", 1}, {"run", "", "shop: low:", 0}},
		"fields in the text": {
			{"run", "shop", "a=1 low if x == 3 and b=2 or", 1}, {"otlp", "shop", "a=1 low if x == 3 and b=2 or c=3", 0},
		},
		"fields alone": {{"run", "", "a=1", 1}, {"otlp", "", "a=2", 1}},
	} {
		r := newCopiesRig(t)
		r.stores("run", "x", "output", "", 0) // some program is run
		for i, c := range list {
			l := &event.Log{Head: event.Head{
				Origin: event.Origin{Source: c.source, Service: "api"}, Time: r.start,
			}, Logger: c.logger, Message: c.text}
			done, err := r.in.Ingest(t.Context(), ingest.Upload{Batch: event.Batch{l}, Bytes: 10}, ingest.Partial)
			if err != nil || done.Stored != c.stored {
				t.Errorf("%s: %d is stored %d times, %v", name, i, done.Stored, err)
			}
		}
	}
}

func TestCopiesAreForgotten(t *testing.T) {
	r := newCopiesRig(t)
	r.stores("run", "api", "paid", "", 0)
	r.elapsed = 6 * time.Second
	r.stores("run", "api", "x", "", 0) // turns
	r.elapsed = 12 * time.Second
	r.stores("run", "api", "y", "", 0)
	if r.stores("otlp", "api", "paid", "", 0) != 1 {
		t.Error("a log that came long after was taken for a copy")
	}
	for range 2 {
		if r.stores("tail", "api", "y", "", 0) != 1 {
			t.Error("lines of files have no copies")
		}
	}
}

// What was thrown within a span and logged there is kept once, however it comes; another span's is another.
func TestWhatWasThrownAndLoggedIsKeptOnce(t *testing.T) {
	const span, other = "00f067aa0ba902b7", "10f067aa0ba902b7"
	type came struct {
		source, mechanism, span, typ string
		stored                       int
	}
	for name, list := range map[string][]came{
		"the span's event first": {{"otlp", "span_event", span, "E", 1}, {"otlp", "log", span, "E", 0}},
		"the log first":          {{"otlp", "log", span, "E", 1}, {"otlp", "span_event", span, "E", 0}},
		"printed as well": {
			{"run", "log", "", "E", 1}, {"otlp", "span_event", span, "E", 0}, {"otlp", "log", span, "E", 0},
		},
		"twice of each":  {{"otlp", "span_event", span, "E", 1}, {"otlp", "span_event", span, "E", 1}, {"otlp", "log", span, "E", 0}, {"otlp", "log", span, "E", 0}},
		"another span":   {{"otlp", "span_event", span, "E", 1}, {"otlp", "log", other, "E", 1}},
		"another type":   {{"otlp", "span_event", span, "E", 1}, {"otlp", "log", span, "F", 1}},
		"without a span": {{"otlp", "log", "", "E", 1}, {"otlp", "log", "", "E", 1}},
	} {
		r := newCopiesRig(t)
		r.stores("run", "x", "output", "", 0) // some program is run
		for i, c := range list {
			x := &event.Exception{Head: event.Head{
				Origin: event.Origin{Source: c.source, Service: "api"}, TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", SpanID: c.span, Time: r.start,
			}, Type: c.typ, Message: "no money", Mechanism: c.mechanism}
			done, err := r.in.Ingest(t.Context(), ingest.Upload{Batch: event.Batch{x}, Bytes: 10}, ingest.Partial)
			if err != nil || done.Stored != c.stored {
				t.Errorf("%s: %d is stored %d times, %v", name, i, done.Stored, err)
			}
		}
	}
}

// What a logger wrote beside an exception is told in whichever order the two come.
func TestWhatWasLoggedBesideWhatWasThrownStays(t *testing.T) {
	for _, order := range [][]string{{"span_event", "log"}, {"log", "span_event"}} {
		r := newCopiesRig(t)
		for i, mechanism := range order {
			x := &event.Exception{Head: event.Head{
				Origin: event.Origin{Source: "otlp", Service: "api"}, TraceID: "4bf92f3577b34da6a3ce929d0e0e4736",
				SpanID: "00f067aa0ba902b7", Time: r.start,
			}, Type: "E", Message: "no money", Mechanism: mechanism, RawStack: "E: no money\n  at pay"}
			if mechanism == "log" {
				x.RawStack = "cannot pay 42\n" + x.RawStack
			}
			done, err := r.in.Ingest(t.Context(), ingest.Upload{Batch: event.Batch{x}, Bytes: 10}, ingest.Partial)
			if want := 1 - i; err != nil || order[0] == "log" && done.Stored != want || order[0] != "log" && done.Stored != 1 {
				t.Errorf("%s: %d is stored %d times, %v", order, i, done.Stored, err)
			}
		}
		exceptions, logs := r.all()
		said := ""
		for _, x := range exceptions {
			said += x.Said()
		}
		for _, l := range logs {
			said += l.Message
			if l.Severity != event.SeverityError || l.SpanID == "" || l.TraceID == "" {
				t.Errorf("%+v", l)
			}
		}
		if len(exceptions) != 1 || said != "cannot pay 42" {
			t.Errorf("%s: %d exceptions, %q", order, len(exceptions), said)
		}
	}
}
