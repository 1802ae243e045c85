package ingest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// bothOrders gives two events of one service in both orders, and the events that are kept to check.
func bothOrders(t *testing.T, name string, a, b event.Event, check func(name string, exceptions []*event.Exception, logs []*event.Log)) {
	t.Helper()
	for _, turned := range []bool{false, true} {
		r := newCopiesRig(t)
		list := []event.Event{again(a), again(b)}
		for _, e := range list {
			h := e.Base()
			h.Time, h.Service = r.start, "api"
		}
		if turned {
			list[0], list[1] = list[1], list[0]
		}
		r.gives(list...)
		exceptions, logs := r.all()
		check(fmt.Sprintf("%s, turned %v", name, turned), exceptions, logs)
	}
}

// again is a copy of an event, since what is stored is changed.
func again(e event.Event) event.Event {
	switch e := e.(type) {
	case *event.Log:
		l := *e
		return &l
	case *event.Exception:
		x := *e
		return &x
	}
	return e
}

func by(source string) event.Head { return event.Head{Origin: event.Origin{Source: source}} }

// The attributes of a record and those of its line are those of one log: each once, and the record's own where both have it.
func TestAttributesOfBothTellingsAreKept(t *testing.T) {
	large := fmt.Sprintf(`{"body":%q}`, strings.Repeat("x", 8<<10))
	half := fmt.Sprintf(`{"a":%q,"b":1}`, strings.Repeat("x", 5<<10))
	for name, c := range map[string]struct{ record, line, want string }{
		"of the line alone":       {"", `{"n":3,"log.iostream":"stdout"}`, `{"n":3,"log.iostream":"stdout"}`},
		"of the record alone":     {`{"n":3}`, "", `{"n":3}`},
		"the stream":              {`{"n":3}`, `{"log.iostream":"stderr"}`, `{"n":3,"log.iostream":"stderr"}`},
		"the stream to none":      {`{}`, `{"log.iostream":"stderr"}`, `{"log.iostream":"stderr"}`},
		"another stream":          {`{"n":3,"log.iostream":"stdout"}`, `{"log.iostream":"stderr"}`, `{"n":3,"log.iostream":"stdout"}`},
		"several":                 {`{"n":3}`, `{"z":1,"a":"x y","log.iostream":"stderr"}`, `{"n":3,"a":"x y","log.iostream":"stderr","z":1}`},
		"several to none":         {`{}`, `{"z":1,"a":{"b":[1]}}`, `{"a":{"b":[1]},"z":1}`},
		"in both":                 {`{"n":3}`, `{"n":3.0,"m":"4"}`, `{"n":3,"m":"4"}`},
		"more than there is room": {large, `{"n":3}`, large},
		"no room for one":         {half, fmt.Sprintf(`{"c":%q,"d":2}`, strings.Repeat("y", 5<<10)), half[:len(half)-1] + `,"d":2}`},
		"the stream to a list":    {`[1]`, `{"log.iostream":"stderr"}`, `[1]`},
		"a list to the stream":    {`{"log.iostream":"stderr"}`, `[1]`, `{"log.iostream":"stderr"}`},
		"no room for a stream":    {large, `{"log.iostream":"stderr"}`, large},
	} {
		record := &event.Log{Head: by("otlp"), Logger: "shop", Message: "no stock left", Attributes: c.record}
		record.TraceID = oneTrace
		line := &event.Log{Head: by("run"), Message: "no stock left", Attributes: c.line}
		bothOrders(t, name, record, line, func(name string, _ []*event.Exception, logs []*event.Log) {
			if len(logs) != 1 || logs[0].Attributes != c.want {
				t.Errorf("%s: %d logs, %.200s\nwant %.200s", name, len(logs), logs[0].Attributes, c.want)
			}
		})
	}
}

// Values that say the same in two ways are no difference, and those that say another are.
func TestValuesTellTwoLogsApart(t *testing.T) {
	long := strings.Repeat("0123456789", 7)
	for name, c := range map[string]struct {
		record, attributes string
		line, fields       string
		logs               int
	}{
		"a number as text":           {"paid", `{"order":17}`, "paid", `{"order":"17"}`, 1},
		"a number with a point":      {"paid", `{"order":17}`, "paid", `{"order":17.0}`, 1},
		"another number":             {"paid", `{"order":17}`, "paid", `{"order":170}`, 2},
		"another word":               {"paid", `{"by":"bob"}`, "paid", `{"by":"eve"}`, 2},
		"true and false":             {"paid", `{"late":true}`, "paid", `{"late":false}`, 2},
		"an object":                  {"paid", `{"by":{"id":1}}`, "paid", `{"by":{"id":2}}`, 1},
		"a list":                     {"paid", `{"by":[1]}`, "paid", `{"by":[2]}`, 1},
		"nothing":                    {"paid", `{"by":null}`, "paid", `{"by":"eve"}`, 1},
		"a long text that was cut":   {"paid", `{"by":"` + long + `"}`, "paid", `{"by":"` + long[:66] + `"}`, 1},
		"a text that was cut to 65":  {"paid", `{"by":"` + long + `"}`, "paid", `{"by":"` + long[:65] + `"}`, 1},
		"a text of 64 that goes on":  {"paid", `{"by":"` + long + `"}`, "paid", `{"by":"` + long[:64] + `"}`, 2},
		"another long text":          {"paid", `{"by":"` + long + `"}`, "paid", `{"by":"z` + long[:66] + `"}`, 2},
		"a short text that goes on":  {"paid", `{"by":"bob"}`, "paid", `{"by":"bobby"}`, 2},
		"a text with a quote":        {"paid", `{"by":"a\"b"}`, "paid", `{"by":"a\"b"}`, 1},
		"where it was logged":        {"paid", `{"log.file.path":"a"}`, "paid", `{"log.file.path":"b"}`, 1},
		"no object":                  {"paid", `{"by":"eve"`, "paid", `{"by":"bob"}`, 2},
		"a pair and its field":       {"paid", `{"order":17}`, "paid order=17", "", 1},
		"a pair in quotes":           {"paid", `{"by":"bob"}`, `paid by="bob"`, "", 1},
		"a pair with a comma":        {"paid", `{"order":17,"n":2}`, "paid order=17, n=2", "", 1},
		"a pair with another":        {"paid", `{"by":"bob"}`, `paid by="eve"`, "", 2},
		"a pair with another sign":   {"paid", `{"by":"bob"}`, "paid by=\x01eve", "", 2},
		"a pair of no value":         {"paid", `{"by":"bob"}`, "paid by=", "", 1},
		"a pair behind words":        {"failed order=17 declined", `{"n":2}`, "failed order=17 declined n=2", "", 1},
		"a pair further behind":      {"paid order=17", "", "paid   order=17", "", 1},
		"the second pair":            {"paid order=17", `{"n":2}`, "paid order=17 n=2", "", 1},
		"the second pair is another": {"paid order=17", `{"n":2}`, "paid order=17 n=3", "", 2},
		"a pair of the record":       {"paid order=17", "", "paid", `{"order":17}`, 1},
		"a pair that is another's":   {"paid order=17", "", "paid", `{"order":18}`, 2},
		"pairs that begin otherwise": {"paid order=17", "", "paid by=eve", "", 2},
		"no object behind a pair":    {"paid", "[1]", "paid order=17", "", 2},
		"how long, in nanoseconds":   {"paid", `{"took":150000000}`, "paid", `{"took":"150ms"}`, 1},
		"how long, in milliseconds":  {"paid", `{"took":150}`, "paid", `{"took":"150ms"}`, 1},
		"how long, in seconds":       {"paid", `{"took":"1.5s"}`, "paid", `{"took":1.5}`, 1},
		"how long, otherwise":        {"paid", `{"took":151}`, "paid", `{"took":"150ms"}`, 2},
		"how long, no number":        {"paid", `{"took":"0s"}`, "paid", `{"took":"none"}`, 2},
		"a time that was cut":        {"paid", `{"at":"2026-01-02T03:04:05.126789Z"}`, "paid", `{"at":"2026-01-02T03:04:05.126Z"}`, 1},
		"a time of another zone":     {"paid", `{"at":"2026-01-02T03:04:05.126789+01:00"}`, "paid", `{"at":"2026-01-02T02:04:05Z"}`, 1},
		"another time":               {"paid", `{"at":"2026-01-02T03:04:05.127Z"}`, "paid", `{"at":"2026-01-02T03:04:05.126Z"}`, 2},
		"a later time":               {"paid", `{"at":"2026-01-02T03:04:05.127001Z"}`, "paid", `{"at":"2026-01-02T03:04:05.126Z"}`, 2},
	} {
		record := &event.Log{Head: by("otlp"), Message: c.record, Attributes: c.attributes}
		line := &event.Log{Head: by("run"), Message: c.line, Attributes: c.fields}
		bothOrders(t, name, record, line, func(name string, _ []*event.Exception, logs []*event.Log) {
			if len(logs) != c.logs {
				t.Errorf("%s: %d logs", name, len(logs))
			}
		})
	}
}

// What only one of two tellings of a log knows stays known, whichever came first.
func TestWhatOneTellingOfALogKnowsIsKept(t *testing.T) {
	const text = "no stock left"
	at := []event.StackFrame{{Function: "pay", URL: "/app/pay.py", Line: 3}}
	record := event.Log{Head: by("otlp"), Message: text, Level: "info", Severity: 9}
	record.TraceID, record.SpanID = oneTrace, oneSpan
	for name, with := range map[string]func(l *event.Log){
		"the logger":  func(l *event.Log) { l.Logger = "shop" },
		"arguments":   func(l *event.Log) { l.Args = `["a"]` },
		"the request": func(l *event.Log) { l.RequestID = "req-1" },
		"the place":   func(l *event.Log) { l.URL, l.Line, l.Column = "/app/pay.py", 3, 9 },
		"calls":       func(l *event.Log) { l.Stack = at },
		"how often":   func(l *event.Log) { l.Count = 3 },
		"the level":   func(l *event.Log) { l.Level, l.Severity = "warn", 13 },
		"who":         func(l *event.Log) { l.Instance, l.Session, l.TestID, l.Worker = "1", "s", "t", "w" },
		"redaction":   func(l *event.Log) { l.Flags = event.Redacted },
		"the action":  func(l *event.Log) { l.Cause = event.Cause{Action: "a7"} },
	} {
		line := event.Log{Head: by("run"), Message: text, Level: "info", Severity: 9}
		with(&line)
		bothOrders(t, name, &record, &line, func(name string, _ []*event.Exception, logs []*event.Log) {
			if len(logs) != 1 {
				t.Fatalf("%s: %d logs", name, len(logs))
			}
			want, got := again(&record).(*event.Log), logs[0]
			with(want)
			want.Seq, want.Time, want.Service, want.Witnesses, want.Clock = got.Seq, got.Time, got.Service, got.Witnesses, got.Clock
			want.Raw, want.Received = got.Raw, got.Received
			if a, b := fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got); a != b {
				t.Errorf("%s: kept is\n%s\nwant\n%s", name, b, a)
			}
		})
	}
}

// A level that somebody stated is not replaced by one that nobody did: the line's is info where its head says none, and a
// record that a collector made of a line has none of its own.
func TestAStatedLevelIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		logger, record, line, want string
	}{
		"both":                       {"shop", "warn", "error", "warn"},
		"of the record":              {"shop", "warn", "info", "warn"},
		"info, by a logger":          {"shop", "info", "error", "info"},
		"of the line":                {"", "info", "error", "error"},
		"of a record without logger": {"", "debug", "error", "debug"},
		"of a line without level":    {"", "info", "", "info"},
	} {
		record := &event.Log{Head: by("otlp"), Logger: c.logger, Message: "no stock left", Level: c.record}
		record.TraceID = oneTrace
		line := &event.Log{Head: by("run"), Message: "no stock left", Level: c.line}
		bothOrders(t, name, record, line, func(name string, _ []*event.Exception, logs []*event.Log) {
			if len(logs) != 1 || logs[0].Level != c.want {
				t.Errorf("%s: %d logs, %q", name, len(logs), logs[0].Level)
			}
		})
	}
}

// Of two tellings of an error, each field is the one that says more.
func TestWhatOneTellingOfAnErrorKnowsIsKept(t *testing.T) {
	own := []event.StackFrame{{Function: "pay", URL: "/app/pay.py", Line: 3, InApp: true}}
	theirs := []event.StackFrame{{Function: "run", URL: "/lib/run.py", Line: 9}}
	const raw = "Traceback (most recent call last):\nValueError: no price"
	span := event.Exception{Head: by("otlp"), Type: "ValueError", Message: "no price", Mechanism: "span_event", Handled: true, RawStack: raw}
	span.TraceID, span.SpanID = oneTrace, oneSpan
	for name, c := range map[string]struct {
		line event.Exception
		want func(x *event.Exception) bool
	}{
		"the package of the type": {
			event.Exception{Type: "shop.errors.ValueError", Message: "no price"},
			func(x *event.Exception) bool { return x.Type == "shop.errors.ValueError" },
		},
		"no type": {
			event.Exception{Message: "no price"}, func(x *event.Exception) bool { return x.Type == "ValueError" },
		},
		"any error may be a panic": {
			event.Exception{Type: "panic", Message: "no price"}, func(x *event.Exception) bool { return x.Type == "ValueError" },
		},
		"the rest of the message": {
			event.Exception{Type: "ValueError", Message: "no price\nof sku-2"},
			func(x *event.Exception) bool { return x.Message == "no price\nof sku-2" },
		},
		"calls": {
			event.Exception{Type: "ValueError", Message: "no price", Stack: theirs, RawStack: raw + "\nat run", URL: "/lib/run.py", Line: 9, Column: 2},
			func(x *event.Exception) bool {
				return len(x.Stack) == 1 && x.RawStack == raw+"\nat run" && x.URL == "/lib/run.py" && x.Line == 9 && x.Column == 2
			},
		},
		"what caused it": {
			event.Exception{Type: "ValueError", Message: "no price", Causes: []event.ErrorCause{{Type: "IOError"}}},
			func(x *event.Exception) bool { return len(x.Causes) == 1 && x.Causes[0].Type == "IOError" },
		},
		"how often": {
			event.Exception{Type: "ValueError", Message: "no price", Count: 4}, func(x *event.Exception) bool { return x.Count == 4 },
		},
		"what a logger said": {
			event.Exception{Type: "ValueError", Message: "no price", RawStack: "could not pay\n" + raw, Mechanism: "log", Handled: true},
			func(x *event.Exception) bool { return x.Said() == "could not pay" && x.Handled },
		},
		"own calls beside what was said": {
			event.Exception{Type: "ValueError", Message: "no price", RawStack: "could not pay\n" + raw, Stack: own, Mechanism: "log", Handled: true},
			func(x *event.Exception) bool {
				return x.Said() == "could not pay" && len(x.Stack) == 1 && x.Stack[0].InApp
			},
		},
	} {
		c.line.Head = by("run")
		c.line.Instance, c.line.TestID = "i", "t" // which only the line has
		if c.line.Mechanism == "" {
			c.line.Mechanism = "uncaught"
		}
		bothOrders(t, name, &span, &c.line, func(name string, exceptions []*event.Exception, logs []*event.Log) {
			if len(exceptions) != 1 || len(logs) != 0 || !c.want(exceptions[0]) || exceptions[0].TraceID != oneTrace || exceptions[0].Mechanism == "uncaught" ||
				!exceptions[0].Handled || exceptions[0].Instance != "i" || exceptions[0].TestID != "t" {
				t.Errorf("%s: %d exceptions, %d logs, %+v", name, len(exceptions), len(logs), exceptions[0])
			}
		})
	}
}

// The ways by which a log came are all named, up to a bound.
func TestWaysAreNamed(t *testing.T) {
	r := newCopiesRig(t)
	for i, way := range append(ways, "eleven") {
		l := &event.Log{Head: event.Head{Origin: event.Origin{Source: way, Service: "api"}, Time: r.start}, Message: "no stock left"}
		r.gives(l)
		_, logs := r.all()
		want := strings.Join(ways[:min(i+1, 8)], ", ")
		if i == 0 {
			want = "" // its source says it
		}
		if len(logs) != 1 || logs[0].Witnesses != want {
			t.Fatalf("%s: %d logs, %q, want %q", way, len(logs), logs[0].Witnesses, want)
		}
	}
}

// What loggers say of one error is collected once each, and no more of it than a screen holds.
func TestWhatLoggersSayOfAnErrorIsBounded(t *testing.T) {
	r := newCopiesRig(t)
	const raw = "Traceback (most recent call last):\nValueError: no price"
	for i, said := range []string{"could not pay", "ERROR could not pay", "could not pay", "no refund", strings.Repeat("y", 300), "sorry"} {
		x := &event.Exception{Head: by([]string{"otlp", "run", "tail"}[i%3]), Type: "ValueError", Message: "no price", Mechanism: "log", Handled: true,
			RawStack: said + "\n" + raw}
		x.Service, x.TraceID, x.SpanID, x.Time = "api", oneTrace, oneSpan, r.start.Add(time.Duration(i)*time.Millisecond)
		r.gives(x)
	}
	exceptions, _ := r.all()
	if got := exceptions[0].Said(); len(exceptions) != 1 || got != "could not pay; no refund; sorry" || !strings.HasSuffix(exceptions[0].RawStack, "\n"+raw) {
		t.Errorf("%d exceptions, %q", len(exceptions), got)
	}
}

// What is said of an error by the telling without calls stays beside the calls of the other, and an error that was caught by
// one telling was caught, whichever of the two is richer.
func TestTheRicherTellingOfAnErrorTakesTheCallsOfTheOther(t *testing.T) {
	own := []event.StackFrame{{Function: "pay", URL: "/app/pay.py", Line: 3, InApp: true}}
	theirs := []event.StackFrame{{Function: "run", URL: "/lib/run.py", Line: 9}}
	const raw = "Traceback (most recent call last):\nValueError: no price"
	for name, c := range map[string]struct {
		rich, poor   string // what is said of them
		calls, other []event.StackFrame
		said         string
	}{
		"said of the richer":            {"could not pay", "", nil, own, "could not pay"},
		"said of the poorer":            {"", "could not pay", nil, own, "could not pay"},
		"the same of both":              {"could not pay", "could not pay", nil, own, "could not pay"},
		"of neither":                    {"", "", nil, own, ""},
		"calls of others":               {"could not pay", "", theirs, own, "could not pay"},
		"own calls":                     {"could not pay", "", own, theirs, "could not pay"},
		"own calls, said of the poorer": {"", "could not pay", own, theirs, "could not pay"},
		"own calls of both":             {"could not pay", "", own, []event.StackFrame{{Function: "charge", InApp: true}}, "could not pay"},
	} {
		of := func(source, said string, calls []event.StackFrame) *event.Exception {
			x := &event.Exception{Head: by(source), Type: "ValueError", Message: "no price", Mechanism: "uncaught", Stack: calls,
				RawStack: strings.TrimPrefix(said+"\n"+raw, "\n")}
			if said != "" {
				x.Mechanism, x.Handled = "log", true
			}
			return x
		}
		rich, poor := of("run", c.rich, c.calls), of("otlp", c.poor, c.other)
		rich.TraceID = oneTrace
		bothOrders(t, name, rich, poor, func(name string, exceptions []*event.Exception, logs []*event.Log) {
			x := exceptions[0]
			if len(exceptions) != 1 || x.Said() != c.said || x.Handled != (c.said != "") || len(x.Stack) != 1 || x.Stack[0].Function != "pay" || !strings.HasSuffix(x.RawStack, raw) {
				t.Errorf("%s: %d exceptions, %q, %+v", name, len(exceptions), x.Said(), x)
			}
		})
	}
}

// What loggers say of one error is at most 300 bytes.
func TestHowMuchOfWhatLoggersSayIsKept(t *testing.T) {
	const raw = "ValueError: no price"
	for second, kept := range map[int]bool{285: true, 286: false} {
		r := newCopiesRig(t)
		more := strings.Repeat("y", second)
		for i, said := range []string{"could not pay", more} {
			x := &event.Exception{Head: by([]string{"otlp", "run"}[i]), Type: "ValueError", Message: "no price", Mechanism: "log", RawStack: said + "\n" + raw}
			x.Service, x.TraceID, x.Time = "api", oneTrace, r.start
			r.gives(x)
		}
		want := "could not pay"
		if kept {
			want += "; " + more
		}
		if exceptions, _ := r.all(); len(exceptions) != 1 || exceptions[0].Said() != want || exceptions[0].RawStack != want+"\n"+raw {
			t.Errorf("%d bytes: %d exceptions, %q", second, len(exceptions), exceptions[0].RawStack)
		}
	}
}

// The richer of two tellings is kept: what has a trace, then a span, then attributes of its own or calls, then a logger's record.
func TestTheRicherTellingIsKept(t *testing.T) {
	calls := []event.StackFrame{{Function: "pay"}}
	log := func(way, trace, span, attributes string) event.Event {
		l := &event.Log{Head: by(way), Message: "no stock left", Attributes: attributes}
		l.TraceID, l.SpanID = trace, span
		return l
	}
	thrown := func(way, trace string, calls []event.StackFrame) event.Event {
		x := &event.Exception{Head: by(way), Type: "ValueError", Message: "no price", Mechanism: "log", Stack: calls}
		x.TraceID = trace
		return x
	}
	for name, c := range map[string]struct {
		rich, poor event.Event
	}{
		"a trace":          {log("run", oneTrace, "", ""), log("otlp", "", "", `{"n":3}`)},
		"a span":           {log("run", oneTrace, oneSpan, ""), log("otlp", oneTrace, "", `{"n":3}`)},
		"attributes":       {log("run", "", "", `{"n":3}`), log("otlp", "", "", "")},
		"the stream alone": {log("otlp", "", "", ""), log("run", "", "", `{"log.iostream":"stderr"}`)},
		"a record":         {log("otlp", "", "", ""), log("run", "", "", "")},
		"an error's trace": {thrown("run", oneTrace, nil), thrown("otlp", "", calls)},
		"calls":            {thrown("run", "", calls), thrown("otlp", "", nil)},
		"a record of it":   {thrown("otlp", "", nil), thrown("run", "", nil)},
		"calls of both":    {thrown("otlp", "", calls), thrown("run", "", calls)},
	} {
		bothOrders(t, name, c.rich, c.poor, func(name string, exceptions []*event.Exception, logs []*event.Log) {
			got := ""
			for _, x := range exceptions {
				got += x.Source
			}
			for _, l := range logs {
				got += l.Source
			}
			if want := c.rich.Base().Source; got != want {
				t.Errorf("%s: kept is %q, want %q", name, got, want)
			}
		})
	}
}

// Of the names that two tellings give an error the richer one's is kept, unless the other says more; any error may be a panic.
func TestTheNameOfAnError(t *testing.T) {
	for name, c := range map[string]struct{ rich, poor, message, other, typ, want string }{
		"as long":               {"shop.ValueError", "bank.ValueError", "no price", "no price", "shop.ValueError", "no price"},
		"a short one":           {"panic", "EOF", "no price", "no price", "EOF", "no price"},
		"a panic":               {"EOF", "panic", "no price", "no price", "EOF", "no price"},
		"a panic and nothing":   {"", "panic", "no price", "no price", "panic", "no price"},
		"none":                  {"panic", "", "no price", "no price", "panic", "no price"},
		"a message that is cut": {"E", "E", "no price\nof sku-2", "no price", "E", "no price\nof sku-2"},
	} {
		rich := &event.Exception{Head: by("run"), Type: c.rich, Message: c.message, Mechanism: "log"}
		rich.TraceID = oneTrace
		poor := &event.Exception{Head: by("otlp"), Type: c.poor, Message: c.other, Mechanism: "log"}
		bothOrders(t, name, rich, poor, func(name string, exceptions []*event.Exception, _ []*event.Log) {
			if len(exceptions) != 1 || exceptions[0].Type != c.typ || exceptions[0].Message != c.want {
				t.Errorf("%s: %d exceptions, %q: %q", name, len(exceptions), exceptions[0].Type, exceptions[0].Message)
			}
		})
	}
}

// What a logger said is not said again without the head of its line.
func TestWhatIsSaidBehindAHeadIsSaidOnce(t *testing.T) {
	const raw = "ValueError: no price"
	x := func(way, said string) *event.Exception {
		return &event.Exception{Head: by(way), Type: "ValueError", Message: "no price", Mechanism: "log", RawStack: said + "\n" + raw}
	}
	bothOrders(t, "a head", x("run", "ERROR could not pay"), x("otlp", "could not pay"), func(name string, exceptions []*event.Exception, _ []*event.Log) {
		if len(exceptions) != 1 || strings.Contains(exceptions[0].Said(), ";") || !strings.HasSuffix(exceptions[0].Said(), "could not pay") {
			t.Errorf("%s: %d exceptions, %q", name, len(exceptions), exceptions[0].Said())
		}
	})
}

// The same words of two requests are two records.
func TestTheRequestTellsTwoLogsApart(t *testing.T) {
	for name, c := range map[string]struct {
		one, other string
		logs       int
	}{
		"of one request": {"req-1", "req-1", 1},
		"of two":         {"req-1", "req-2", 2},
		"one knows it":   {"req-1", "", 1},
	} {
		for _, text := range []string{"handles the order", "GET /order 200"} {
			one := &event.Log{Head: by("run"), Message: text, RequestID: c.one}
			other := &event.Log{Head: by("file"), Message: text, RequestID: c.other}
			bothOrders(t, name, one, other, func(name string, _ []*event.Exception, logs []*event.Log) {
				if len(logs) != c.logs {
					t.Errorf("%s, %s: %d logs", text, name, len(logs))
				}
			})
		}
	}
}

// Which of two lines came first does not say whether the logger stands in the text.
func TestALoggersNameIsNotKeptInTheText(t *testing.T) {
	named := &event.Log{Head: by("file"), Message: "could not pay", Logger: "shop.pay"}
	line := &event.Log{Head: by("run"), Message: "shop.pay: could not pay"}
	bothOrders(t, "a logger", named, line, func(name string, _ []*event.Exception, logs []*event.Log) {
		if len(logs) != 1 || logs[0].Message != "could not pay" || logs[0].Logger != "shop.pay" {
			t.Errorf("%s: %d logs, %+v", name, len(logs), logs[0])
		}
	})
	other := &event.Log{Head: by("file"), Message: "could not pay"}
	bothOrders(t, "none", other, line, func(name string, _ []*event.Exception, logs []*event.Log) {
		if len(logs) != 1 || !strings.HasSuffix(logs[0].Message, "could not pay") {
			t.Errorf("%s: %d logs, %+v", name, len(logs), logs[0])
		}
	})
}
