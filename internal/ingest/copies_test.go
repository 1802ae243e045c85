package ingest_test

import (
	"fmt"
	"strings"
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
		"a logger called as we are":        {{"otlp", "gasoline", "paid", 1}, {"run", "", "gasoline: paid", 0}},
		"a level that only the record has": {{"otlp", "", "ERROR: payment failed", 1}, {"run", "", "payment failed", 0}},
		"a level behind the line":          {{"run", "", "payment failed", 1}, {"otlp", "", "ERROR payment failed", 0}},
		"the end of another word":          {{"run", "", "paid", 1}, {"otlp", "", "INFO: paid", 0}, {"docker", "", "MYINFO: paid", 1}},
		"another logger":                   {{"run", "", "shop: paid", 1}, {"otlp", "bank", "paid", 1}},
		"a word of the text":               {{"otlp", "shop", "db: refused", 1}, {"run", "", "shop: db: refused", 0}, {"run", "", "db: refused", 1}},
		"the text reads so":                {{"otlp", "x", "a: b", 1}, {"otlp", "a", "b", 1}, {"run", "", "a: b", 0}, {"run", "", "a: b", 0}},
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
	exact := newCopiesRig(t)
	exact.stores("run", "api", "paid", "", 0)
	for _, exact.elapsed = range []time.Duration{time.Minute, time.Minute + 1, 2 * time.Minute} {
		exact.stores("run", "api", fmt.Sprint("x ", exact.elapsed), "", 0)
	}
	if exact.stores("otlp", "api", "paid", "", 0) != 0 {
		t.Error("a log was forgotten within a minute of another")
	}
	r := newCopiesRig(t)
	r.stores("run", "api", "paid", "", 0)
	r.elapsed = time.Minute + time.Second
	r.stores("run", "api", "x", "", 0) // turns
	r.elapsed = 2*time.Minute + 2*time.Second
	r.stores("run", "api", "y", "", 0)
	if r.stores("otlp", "api", "paid", "", 0) != 1 {
		t.Error("a log that came long after was taken for a copy")
	}
	if r.stores("tail", "api", "y", "", 0) != 0 || r.stores("tail", "api", "y", "", 0) != 1 {
		t.Error("a line of a file is not the copy of one line that was seen")
	}
}

// The times of a sender are compared by its own clock, as far as that is known.
func TestCopiesByAnotherClock(t *testing.T) {
	for apart, stored := range map[time.Duration]int{time.Second: 0, 3 * time.Second: 1} {
		for _, turned := range []bool{false, true} {
			r := newCopiesRig(t)
			record := &event.Log{Head: by("otlp"), Message: "paid"}
			record.Service, record.ClockDomain, record.Time = "api", "vm", r.start.Add(time.Hour)
			line := &event.Log{Head: by("run"), Message: "paid"}
			line.Service, line.Time = "api", r.start.Add(-apart)
			list := []ingest.Upload{{Batch: event.Batch{record}, Sent: r.start.Add(time.Hour)}, {Batch: event.Batch{line}}}
			if turned {
				list[0], list[1] = list[1], list[0]
			}
			r.stores("tail", "api", "output", "", 0)
			for i, u := range list {
				done, err := r.in.Ingest(t.Context(), u, ingest.Partial)
				if want := max(stored, 1-i); err != nil || done.Stored != want {
					t.Errorf("%s apart, turned %v: %d is stored %d times, %v", apart, turned, i, done.Stored, err)
				}
			}
		}
	}
}

// An error may have a type and say nothing, or say something and have no type. One that has neither is like no other.
func TestErrorsWithoutTypeOrMessage(t *testing.T) {
	for name, c := range map[string]struct {
		a, b event.Event
		kept int
	}{
		"no message":             {&event.Exception{Type: "StopIteration"}, &event.Exception{Type: "shop.StopIteration"}, 1},
		"another type":           {&event.Exception{Type: "StopIteration"}, &event.Exception{Type: "KeyError"}, 2},
		"no type":                {&event.Exception{Message: "no price"}, &event.Exception{Message: "no price"}, 1},
		"neither":                {&event.Exception{RawStack: "at pay"}, &event.Exception{RawStack: "at pay"}, 2},
		"a record of it":         {&event.Log{Message: "no price"}, &event.Exception{Message: "no price"}, 1},
		"a record that is alike": {&event.Log{Message: "no price"}, &event.Exception{Type: "ValueError", Message: "no price"}, 2},
	} {
		for e, source := range map[event.Event]string{c.a: "otlp", c.b: "run"} {
			e.Base().Source = source
			if x, ok := e.(*event.Exception); ok {
				x.Mechanism = "log"
			}
		}
		bothOrders(t, name, c.a, c.b, func(name string, exceptions []*event.Exception, logs []*event.Log) {
			if len(exceptions)+len(logs) != c.kept {
				t.Errorf("%s: %d exceptions and %d logs, want %d", name, len(exceptions), len(logs), c.kept)
			}
		})
	}
}

// Of several errors shortly before it, what says that a program failed is the witness of the last exception, else of the last log.
func TestOfWhichErrorAProgramEnds(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	type came struct {
		kind string
		at   time.Duration
	}
	for name, c := range map[string]struct {
		list  []came
		exit  time.Duration
		named int  // the error that names it, from 1
		error bool // it stays one
	}{
		"the last of two":             {[]came{{"exception", 0}, {"exception", s}}, 2 * s, 2, false},
		"the last of two, late":       {[]came{{"exception", s}, {"exception", 0}}, 2 * s, 1, false},
		"a log behind it":             {[]came{{"exception", 0}, {"log", s}}, 2 * s, 1, false},
		"a log before it":             {[]came{{"log", 0}, {"exception", s}}, 2 * s, 2, false},
		"a log at the same time":      {[]came{{"log", 0}, {"exception", 0}}, 2 * s, 2, false},
		"a log just within":           {[]came{{"exception", 0}, {"log", 5 * s}}, 5 * s, 1, false},
		"a log long behind":           {[]came{{"exception", 0}, {"log", 5*s + 1}}, 6 * s, 0, false},
		"just within":                 {[]came{{"exception", 0}}, 5 * s, 1, false},
		"too late":                    {[]came{{"exception", 0}}, 5*s + 1, 0, true},
		"a little before":             {[]came{{"exception", 100 * ms}}, 0, 1, false},
		"too early":                   {[]came{{"exception", 100*ms + 1}}, 0, 0, true},
		"none":                        {nil, 0, 0, true},
		"a request that failed alone": {[]came{{"access", 0}}, s, 0, true},
		"a request behind it":         {[]came{{"exception", 0}, {"access", s}}, 2 * s, 1, false},
	} {
		r := newCopiesRig(t)
		r.stores("run", "web", "output", "", 0) // of another
		var list []event.Event
		for i, came := range append(c.list, came{"exit", c.exit}) {
			h := by("run")
			h.Service, h.Time = "api", r.start.Add(came.at)
			switch came.kind {
			case "exception":
				list = append(list, &event.Exception{Head: h, Type: "Error", Message: fmt.Sprint("no stock ", i), Mechanism: "uncaught"})
			default:
				text := map[string]string{"log": "could not pay", "exit": "make: *** [all] Error 1", "access": `"GET /pay HTTP/1.1" 500`}[came.kind]
				list = append(list, &event.Log{Head: h, Level: "error", Severity: event.SeverityError, Message: text})
			}
		}
		r.gives(list...)
		exit := list[len(list)-1].Base().Seq
		if got := event.Severity(r.read(exit)) >= event.SeverityError; got != c.error {
			t.Errorf("%s: an error: %v", name, got)
		}
		for i, e := range list {
			x, ok := r.read(e.Base().Seq).(*event.Exception)
			if got := ok && strings.Contains(x.Witnesses, fmt.Sprint("exit l", exit)); got != (i == c.named-1) {
				t.Errorf("%s: the error %d names it: %v", name, i+1, got)
			}
		}
	}
}

// An error that came a while ago is that of which the end of the program tells, as long as it is remembered.
func TestTheEndOfAProgramComesLate(t *testing.T) {
	const minute = time.Minute + time.Second
	for name, c := range map[string]struct {
		first  bool            // the error is the first that ever came
		passes []time.Duration // before each further line
		of     string          // whose lines those are
		want   bool
	}{
		"at once":                        {true, nil, "", true},
		"a minute later":                 {true, []time.Duration{minute}, "web", true},
		"a minute later, not the first":  {false, []time.Duration{minute}, "web", true},
		"a minute later, behind another": {false, []time.Duration{minute}, "api", true},
		"two minutes later":              {true, []time.Duration{minute, minute}, "web", false},
		"two minutes later, with others": {true, []time.Duration{minute, minute}, "api", false},
		"three":                          {false, []time.Duration{minute, minute, minute}, "web", false},
	} {
		r := newCopiesRig(t)
		if !c.first {
			r.stores("run", "api", "output", "", 0)
		}
		x := &event.Exception{Head: by("run"), Type: "Error", Message: "no stock", Mechanism: "uncaught"}
		l := &event.Log{Head: by("run"), Level: "error", Severity: event.SeverityError, Message: "npm error Lifecycle script `start` failed"}
		x.Time, x.Service, l.Time, l.Service = r.start, "api", r.start.Add(time.Second), "api"
		r.gives(x)
		for i, after := range c.passes {
			r.elapsed += after
			r.stores("run", c.of, fmt.Sprint("line ", i), "", 0)
		}
		r.gives(l)
		exceptions, logs := r.all()
		last := logs[len(logs)-1]
		if got := event.Severity(last) < event.SeverityError; got != c.want || c.want != strings.Contains(exceptions[0].Witnesses, fmt.Sprintf("exit l%d", last.Seq)) {
			t.Errorf("%s: a witness: %v, the error names %q", name, got, exceptions[0].Witnesses)
		}
	}
}

// What was thrown within a span and logged there is kept once, however it comes, and so is what a span around it logged at once.
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
		"another span":   {{"otlp", "span_event", span, "E", 1}, {"otlp", "log", other, "E", 0}},
		"two spans":      {{"otlp", "span_event", span, "E", 1}, {"otlp", "span_event", other, "E", 1}},
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
			if want := 1 - i; err != nil || done.Stored != want {
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

// What says only that a program failed is no error of its own where the error is there: whoever runs the program says it, a
// package manager, make, a build, each once more. Without an error, or long after it, it is all that is known.
func TestWhatSaysThatAProgramFailedIsAWitness(t *testing.T) {
	log := func(text string) *event.Log {
		return &event.Log{Head: by("run"), Level: "error", Severity: event.SeverityError, Message: text}
	}
	thrown := &event.Exception{Head: by("run"), Type: "Error", Message: "no stock", Mechanism: "uncaught"}
	for _, text := range []string{
		"npm error Lifecycle script `start` failed with error:\nnpm error code 1", "make: *** [Makefile:3: all] Error 1", "make[1]: *** [all] Error 2",
		" ELIFECYCLE  Command failed with exit code 1.", "[ELIFECYCLE] Command failed with exit code 1.", `script "start" exited with code 1`,
		"Command failed with exit code 1.", "failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1",
		"FAILURE: Build failed with an exception.\n\n* What went wrong:\nx", "test failed, to rerun", "web: exit status 3",
		"could not compile `shop` (bin \"shop\") due to 1 previous error",
	} {
		for name, c := range map[string]struct {
			before event.Event
			after  time.Duration
			whose  string
			want   bool
		}{
			"behind an exception":     {again(thrown), 10 * time.Millisecond, "api", true},
			"behind a log":            {log("could not pay"), time.Second, "api", true},
			"behind its own kind":     {log("make: *** [x] Error 1"), time.Second, "api", false},
			"behind what is no error": {&event.Log{Head: by("run"), Level: "info", Severity: event.SeverityInfo, Message: "started"}, time.Second, "api", false},
			"of another service":      {again(thrown), time.Second, "web", false},
			"long after":              {again(thrown), time.Minute, "api", false},
		} {
			r := newCopiesRig(t)
			exit := log(text)
			c.before.Base().Time, c.before.Base().Service = r.start, "api"
			exit.Time, exit.Service = r.start.Add(c.after), c.whose
			r.gives(c.before)
			r.gives(exit)
			exceptions, logs := r.all()
			last := logs[len(logs)-1]
			if got := event.Severity(last) < event.SeverityError; got != c.want || last.Message != text {
				t.Errorf("%s, %s: a witness: %v", text, name, got)
			}
			if name == "behind an exception" && (len(exceptions) != 1 || exceptions[0].Witnesses != fmt.Sprintf("uncaught run, exit l%d", last.Seq)) {
				t.Errorf("%s, %s: %+v", text, name, exceptions)
			}
		}
	}
	for _, text := range []string{"could not pay", "exit code 7 of the mall is closed", "npm error code ENOENT", "make: *** No rule to make target 'x'.  Stop.", "error Command failed",
		strings.Repeat("page after page\n", 256) + "exit code 1"} {
		r := newCopiesRig(t)
		x, l := again(thrown), log(text)
		x.Base().Time, x.Base().Service, l.Time, l.Service = r.start, "api", r.start, "api"
		r.gives(x)
		r.gives(l)
		if _, logs := r.all(); event.Severity(logs[0]) < event.SeverityError {
			t.Errorf("%s is a witness", text)
		}
	}
}

// A line without a time of its own has that at which it was read. On a busy machine it is read late, and is the witness of the
// error whose request it names, as long as that is the only one.
func TestALineAboutARequestThatIsReadLateIsAWitness(t *testing.T) {
	const ms = time.Millisecond
	const seven, eight = `{"url.path":"/pay/7"}`, `{"url.path":"/pay/8"}`
	type failure struct{ attributes, message, kind string }
	type line struct {
		target string
		after  time.Duration
	}
	for name, c := range map[string]struct {
		failures []failure
		lines    []line
		want     []string // what the witnesses of each error are, by the targets of the lines
	}{
		"one":                      {[]failure{{seven, "a", "server"}}, []line{{"/pay/7", 400 * ms}}, []string{"/pay/7"}},
		"two":                      {[]failure{{seven, "a", "server"}, {eight, "b", "server"}}, []line{{"/pay/7", 400 * ms}, {"/pay/8", 401 * ms}}, []string{"/pay/7", "/pay/8"}},
		"two, the other way round": {[]failure{{seven, "a", "server"}, {eight, "b", "server"}}, []line{{"/pay/8", 400 * ms}, {"/pay/7", 401 * ms}}, []string{"/pay/7", "/pay/8"}},
		"at once":                  {[]failure{{seven, "a", "server"}, {eight, "b", "server"}}, []line{{"/pay/8", ms}, {"/pay/7", 2 * ms}}, []string{"/pay/7", "/pay/8"}},
		"a query":                  {[]failure{{seven, "a", "server"}}, []line{{"/pay/7?a=1", 400 * ms}}, []string{"/pay/7?a=1"}},
		"a target":                 {[]failure{{`{"http.target":"/pay/7?a=1"}`, "a", "server"}}, []line{{"/pay/7?a=1", 400 * ms}}, []string{"/pay/7?a=1"}},
		"an address":               {[]failure{{`{"http.url":"http://localhost:80/pay/7?a=1"}`, "a", "server"}}, []line{{"/pay/7?a=1", 400 * ms}}, []string{"/pay/7?a=1"}},
		"a path in its text":       {[]failure{{seven, "cannot open /etc/shop", "server"}}, []line{{"/pay/7", 400 * ms}}, []string{"/pay/7"}},
		"one escapes":              {[]failure{{`{"url.path":"/pay/a b"}`, "a", "server"}}, []line{{"/pay/a%20b", 400 * ms}}, []string{"/pay/a%20b"}},
		"another path":             {[]failure{{seven, "a", "server"}}, []line{{"/pay/8", 400 * ms}}, []string{""}},
		"a call of another":        {[]failure{{seven, "a", "client"}}, []line{{"/pay/7", 400 * ms}}, []string{""}},
		"no path":                  {[]failure{{"", "a", "server"}}, []line{{"/pay/7", 400 * ms}}, []string{""}},
		"too late":                 {[]failure{{seven, "a", "server"}}, []line{{"/pay/7", 2100 * ms}}, []string{""}},
		"of which, is not known":   {[]failure{{seven, "a", "server"}, {seven, "b", "server"}}, []line{{"/pay/7", 400 * ms}}, []string{"", ""}},
	} {
		r := newCopiesRig(t)
		for i, f := range c.failures {
			h := by("otlp")
			h.Service, h.TraceID, h.SpanID, h.Time = "api", fmt.Sprintf("%032x", i+1), fmt.Sprintf("%016x", i+1), r.start.Add(time.Duration(i)*ms)
			b := event.Batch{
				&event.Span{Head: h, SpanKind: f.kind, Status: "error", Attributes: f.attributes},
				&event.Exception{Head: h, Type: "ValueError", Message: f.message, Mechanism: "span_event"},
			}
			if _, err := r.in.Ingest(t.Context(), ingest.Upload{Batch: b, Bytes: 10}, ingest.Partial); err != nil {
				t.Fatal(err)
			}
		}
		for _, l := range c.lines {
			h := by("tail")
			h.Service, h.Time = "api", r.start.Add(l.after)
			r.gives(&event.Log{Head: h, Level: "info", Severity: event.SeverityInfo, Message: `"GET ` + l.target + ` HTTP/1.1" 500 Internal Server Error`})
		}
		exceptions, logs := r.all()
		for i, x := range exceptions {
			got := ""
			for _, l := range logs {
				if strings.Contains(x.Witnesses, fmt.Sprintf("access l%d", l.Seq)) {
					got = strings.Fields(l.Message)[1]
				}
			}
			if got != c.want[i] {
				t.Errorf("%s: the witness of error %d is %q, not %q", name, i, got, c.want[i])
			}
		}
		if len(exceptions) != len(c.failures) {
			t.Errorf("%s: %d errors", name, len(exceptions))
		}
	}
}

// A program may log in pieces what is one text where it is printed: Vite logs a file, and what went wrong in it, each by
// console.error. These are witnesses of the error that was read, early or late; a record of something else is not.
func TestRecordsOfTheRowsOfAnErrorAreWitnesses(t *testing.T) {
	const raw = "\u2718 [ERROR] no stock\n\nfailed to load config from /srv/vite.config.js\nerror during build:\nError: Build failed\n    at pay (/srv/app.js:7:9)\n" +
		"why?\n---\nseven\neight\nnine"
	for name, c := range map[string]struct {
		text, source, trace string
		at                  time.Duration
		want                bool
	}{
		"a row":                {"failed to load config from /srv/vite.config.js", "otlp", "", time.Second, true},
		"of its trace":         {"failed to load config from /srv/vite.config.js", "otlp", oneTrace, time.Second, true},
		"of another trace":     {"failed to load config from /srv/vite.config.js", "otlp", otherTrace, time.Second, false},
		"the rows from one on": {raw[strings.Index(raw, "error during"):], "otlp", "", time.Second, true},
		"by the same way":      {"failed to load config from /srv/vite.config.js", "run", "", time.Second, false},
		"long after":           {"failed to load config from /srv/vite.config.js", "otlp", "", 3 * time.Second, false},
		"a part of a row":      {"failed to load config", "otlp", "", time.Second, false},
		"a call":               {"at pay (/srv/app.js:7:9)", "otlp", "", time.Second, false},
		"a row of a few bytes": {"why?", "otlp", "", time.Second, true},
		"a row of fewer":       {"---", "otlp", "", time.Second, false},
		"the eighth row":       {"eight", "otlp", "", time.Second, true},
		"a row behind that":    {"nine", "otlp", "", time.Second, false},
	} {
		for i := range 4 {
			late, remembered := i%2 > 0, i/2 > 0
			r := newCopiesRig(t)
			x := &event.Exception{Head: by("run"), Type: "Error", Message: "Build failed", Mechanism: "log", RawStack: raw}
			l := &event.Log{Head: by(c.source), Level: "error", Severity: event.SeverityError, Message: c.text}
			x.Time, x.Service, l.Time, l.Service = r.start, "api", r.start.Add(c.at), "api"
			if l.TraceID = c.trace; c.trace != "" {
				x.TraceID = oneTrace
			}
			list := []event.Event{x, l}
			if late {
				list[0], list[1] = l, x
			}
			r.stores("run", "api", "output", "", 0)
			r.gives(list[0])
			if remembered { // from a minute ago
				r.elapsed += time.Minute + time.Second
			}
			r.gives(list[1])
			exceptions, logs := r.all()
			if len(exceptions) != 1 || len(logs) != 2 {
				t.Fatalf("%s: %d exceptions, %d logs", name, len(exceptions), len(logs))
			}
			if got := event.Severity(logs[1]) < event.SeverityError; got != c.want || got != strings.Contains(exceptions[0].Witnesses, fmt.Sprintf("log l%d", logs[1].Seq)) {
				t.Errorf("%s, late %v, remembered %v: a witness: %v, of %q", name, late, remembered, got, exceptions[0].Witnesses)
			}
		}
	}
}

// What gasoline run says of a program's end is a witness of the error by which it ended.
func TestTheEndOfAProgramIsAWitness(t *testing.T) {
	for _, failed := range []bool{true, false} {
		r := newCopiesRig(t)
		x := &event.Exception{Head: by("run"), Type: "Error", Message: "no stock", Mechanism: "uncaught"}
		l := &event.Log{Head: by("run"), Level: "error", Severity: event.SeverityError, Logger: "gasoline", Message: "the program ended: exit status 1"}
		x.Time, x.Service, l.Time, l.Service = r.start, "api", r.start.Add(time.Second), "api"
		if failed {
			r.gives(x)
			row := &event.Log{Head: by("otlp"), Level: "error", Severity: event.SeverityError, Message: "a record of something beside it"}
			row.Time, row.Service = r.start, "api"
			r.gives(row)
		}
		r.gives(l)
		exceptions, logs := r.all()
		if last := logs[len(logs)-1]; (event.Severity(last) < event.SeverityError) != failed {
			t.Errorf("an error before: %v: %+v", failed, last)
		} else if failed && exceptions[0].Witnesses != fmt.Sprintf("uncaught run, exit l%d", last.Seq) {
			t.Errorf("the error names %q", exceptions[0].Witnesses)
		}
	}
}

// A logger without levels prints its own line, which is info, and below it the calls. The record of the error tells both: in
// whichever order these come, the error is there once and the line is no log beside it. Calls that are of something else, or that
// the record of another error has told already, stay.
func TestALoggersLineAndTheCallsBelowItAreOne(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		order            string // l: the line, c: the calls, r: the record; of a second error in capitals
		below            time.Duration
		line             string
		typ, trace       string // of the calls; of the record
		exceptions, logs int
	}{
		"the record last":     {"lcr", ms, "could not pay", "ValueError", "", 1, 0},
		"of a trace":          {"lcr", ms, "could not pay", "ValueError", oneTrace, 1, 0},
		"the record between":  {"lrc", ms, "could not pay", "ValueError", "", 1, 0},
		"the record first":    {"rlc", ms, "could not pay", "ValueError", "", 1, 0},
		"behind a head":       {"lcr", ms, "30 could not pay", "ValueError", "", 1, 0},
		"two errors":          {"lcLCrR", ms, "could not pay", "ValueError", "", 2, 0},
		"two, one by one":     {"lcrLCR", ms, "could not pay", "ValueError", "", 2, 0},
		"of another type":     {"lcr", ms, "could not pay", "TypeError", "", 2, 0},
		"some time below":     {"lcr", 400 * ms, "could not pay", "ValueError", "", 1, 0}, // the line has the logger's time, the calls that of their arrival
		"long below the line": {"lcr", 2100 * ms, "could not pay", "ValueError", "", 2, 0},
		"above the line":      {"clr", -ms, "could not pay", "ValueError", "", 2, 0},
	} {
		r := newCopiesRig(t)
		r.stores("otlp", "api", "started", "", 0)
		for _, kind := range c.order {
			at := time.Duration(0)
			if kind < 'a' {
				at = 10 * ms
			}
			var e event.Event
			switch kind | 0x20 {
			case 'l':
				e = &event.Log{Head: by("run"), Level: "info", Severity: event.SeverityInfo, Message: c.line}
			case 'c':
				at += c.below
				e = &event.Exception{Head: by("run"), Type: c.typ, Message: "no price", Mechanism: "uncaught", RawStack: "Traceback (most recent call last):\n" + c.typ + ": no price"}
			case 'r':
				e = &event.Exception{Head: by("otlp"), Type: "ValueError", Message: "no price", Mechanism: "log", Handled: true, RawStack: "could not pay\nTraceback (most recent call last):\nValueError: no price"}
				e.Base().TraceID = c.trace
			}
			e.Base().Service, e.Base().Time = "api", r.start.Add(at)
			r.gives(e)
		}
		exceptions, logs := r.all()
		if len(exceptions) != c.exceptions || len(logs) != c.logs+1 {
			t.Errorf("%s: %d exceptions and %d logs", name, len(exceptions), len(logs)-1)
			continue
		}
		if c.exceptions == strings.Count(c.order, "r")+strings.Count(c.order, "R") {
			for _, x := range exceptions {
				if x.Said() == "" || x.TraceID != c.trace || strings.Count(x.Witnesses, ", ") != 2 || !x.Handled {
					t.Errorf("%s: said %q, trace %q, by %q", name, x.Said(), x.TraceID, x.Witnesses)
				}
			}
		}
	}
}
