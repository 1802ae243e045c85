package ingest_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
)

// ways are all by which events of a service come; SDKs send by OTLP.
var ways = []string{"otlp", "run", "tail", "file", "docker", "kubectl", "journald", "ssh", "loki", "victorialogs"}

const (
	oneTrace, oneSpan     = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	otherTrace, otherSpan = "5bf92f3577b34da6a3ce929d0e0e4736", "10f067aa0ba902b7"
)

// gives hands events over, each batch by itself.
func (r *copiesRig) gives(list ...event.Event) {
	r.t.Helper()
	for _, e := range list {
		if _, err := r.in.Ingest(r.t.Context(), ingest.Upload{Batch: event.Batch{e}, Bytes: 10}, ingest.Partial); err != nil {
			r.t.Fatal(err)
		}
	}
}

// read returns all that is stored, as a reader of that number would have it.
func (r *copiesRig) read(seq event.Seq) event.Event {
	r.t.Helper()
	var c store.Slice
	if !r.kept.Find(nil, seq, &c) {
		return nil
	}
	e := event.New(c.Kind(0))
	if !c.Decode(0, e) {
		r.t.Fatal("not readable")
	}
	return e
}

// telling is one of a thing as it comes by a way.
func (r *copiesRig) telling(kind, way, trace string, at time.Duration) event.Event {
	h := event.Head{Origin: event.Origin{Source: way, Service: "api", Instance: way}, TraceID: trace, Time: r.start.Add(at)}
	if trace != "" {
		h.SpanID = oneSpan
	}
	record := way == "otlp"
	stream := `{"log.iostream":"stderr"}`
	switch kind {
	case "log":
		if record {
			return &event.Log{Head: h, Level: "warn", Severity: 13, Logger: "shop.api", Message: "no stock for sku-2 n=3", Attributes: `{"code.line.number":7}`}
		}
		return &event.Log{Head: h, Level: "info", Severity: 9, Message: "W 12:00:00.1 shop.api] no stock for sku-2", Attributes: `{"n":3,"log.iostream":"stderr"}`}
	case "access":
		if record {
			return &event.Log{Head: h, Level: "info", Severity: 9, Logger: "uvicorn.access", Message: `127.0.0.1:43860 - "GET /pay/7 HTTP/1.1" 500`}
		}
		return &event.Log{Head: h, Level: "error", Severity: 17, Message: `INFO:     127.0.0.1:43860 - "GET /pay/7 HTTP/1.1" 500 Internal Server Error`, Attributes: stream}
	}
	x := &event.Exception{Head: h, Type: "ValueError", Message: "no price", Mechanism: "log", Handled: true}
	x.RawStack = "could not pay\nTraceback (most recent call last):\n  File \"/app/pay.py\", line 3, in pay\nshop.ValueError: no price"
	x.Stack = []event.StackFrame{{Function: "pay", URL: "/app/pay.py", Line: 3, InApp: true}}
	if !record {
		x.Type, x.RawStack = "shop.ValueError", "W 12:00:00.1 shop.api] "+x.RawStack
	}
	return x
}

// Each pair of ways, in both orders, at once or much later and read in between, with a trace on either, on both or on none: one
// event, under the number that a reader may have, with the trace and what either alone says.
func TestEachPairOfWaysIsOne(t *testing.T) {
	n := 0
	for _, kind := range []string{"log", "access", "exception"} {
		for _, first := range ways {
			for _, second := range ways {
				for _, late := range []time.Duration{0, 1500 * time.Millisecond, 20 * time.Second} {
					for _, traces := range [][2]string{{"", ""}, {oneTrace, ""}, {"", oneTrace}, {oneTrace, oneTrace}} {
						if first == second {
							continue
						}
						n++
						name := fmt.Sprint(kind, " ", first, " ", second, " ", late, " ", traces)
						r := newCopiesRig(t)
						a := r.telling(kind, first, traces[0], 0)
						r.gives(a)
						seq := a.Base().Seq
						r.elapsed += late
						r.gives(r.telling(kind, second, traces[1], 40*time.Millisecond))
						exceptions, logs := r.all()
						if len(exceptions)+len(logs) != 1 {
							t.Fatalf("%s: %d exceptions and %d logs", name, len(exceptions), len(logs))
						}
						got := r.read(seq)
						if got == nil || got.Base().Seq != seq {
							t.Fatalf("%s: the number that was told leads to %v", name, got)
						}
						h := got.Base()
						if want := traces[0] + traces[1]; h.TraceID != want[:min(32, len(want))] || (h.TraceID == "") != (h.SpanID == "") {
							t.Errorf("%s: trace %q, span %q", name, h.TraceID, h.SpanID)
						}
						if rich := map[bool]string{true: first, false: second}[traces[0] != ""]; (traces[0] == "") != (traces[1] == "") && h.Source != rich {
							t.Errorf("%s: what has the trace came by %s, and %s is kept", name, rich, h.Source)
						}
						record := first == "otlp" || second == "otlp"
						switch e := got.(type) {
						case *event.Log:
							if strings.Count(e.Witnesses, ", ") != 1 || !strings.Contains(e.Attributes, `"log.iostream":"stderr"`) || e.Source == "" {
								t.Errorf("%s: %+v", name, e)
							}
							if record && kind == "log" && (e.Message != "no stock for sku-2 n=3" || e.Logger != "shop.api" || e.Level != "warn" ||
								!strings.Contains(e.Attributes, `"code.line.number":7`) || !strings.Contains(e.Attributes, `"n":3`)) {
								t.Errorf("%s: %+v", name, e)
							}
							if record && kind == "access" && e.Level != "info" {
								t.Errorf("%s: %+v", name, e)
							}
						case *event.Exception:
							if strings.Count(e.Witnesses, ", ") != 1 || len(e.Stack) != 1 || e.Said() == "" || strings.Contains(e.Said(), ";") || e.Type != "shop.ValueError" && record {
								t.Errorf("%s: %+v", name, e)
							}
						}
						// The same way again is another.
						r.gives(r.telling(kind, first, traces[0], 50*time.Millisecond))
						if exceptions, logs := r.all(); len(exceptions)+len(logs) != 2 {
							t.Errorf("%s, again: %d exceptions and %d logs", name, len(exceptions), len(logs))
						}
					}
				}
			}
		}
	}
	if n != 3*90*3*4 {
		t.Errorf("%d cases", n)
	}
}

// Formats put all kinds of heads before a text. What is lost with one that is not known for a head is kept.
func TestHeadsThatNobodyReadMakeNoDouble(t *testing.T) {
	const text = "no stock for sku-2"
	for line, original := range map[string]bool{
		text: false, "[shop.views] " + text: false, "dup 30718 140147392015232 " + text: false,
		"shop.views.<module>:7 " + text: false, "dup.py:7 " + text: false, "MainThread shop.views " + text: false,
		"<module> " + text: false, "myapp | " + text: true, "I 2026-11-26 12:56:54,686.686 shop.views] " + text: false,
		"[ForkPoolWorker-2] " + text: false, "charge " + text: true, "WARN web-1 - " + text: false,
		"*** " + text: false, "4711 " + text: false, "order=17 " + text: true, "INFO views " + text: false, "INFO dup " + text: false,
		"MainProcess " + text: false, "api " + text: false, "D " + text: false, "worker-2: " + text: false, "ERROR: " + text: false,
		"Az " + text: true, "Za " + text: true, "Kürzel " + text: true, "K\u0080rzel " + text: true, "dup.py INFO " + text: false, "INFO|web-1|" + text: false,
	} {
		for i := range 4 {
			recordFirst, trace := i%2 > 0, []string{"", oneTrace}[i/2] // of the line
			r := newCopiesRig(t)
			list := []event.Event{
				&event.Log{Head: event.Head{Origin: event.Origin{Source: "otlp", Service: "api"}, Time: r.start}, Logger: "shop.views", URL: "/app/dup.py", Message: text, Attributes: `{"n":3}`},
				&event.Log{Head: event.Head{Origin: event.Origin{Source: "run", Service: "api"}, Time: r.start, TraceID: trace}, Message: line},
			}
			if !recordFirst {
				list[0], list[1] = list[1], list[0]
			}
			r.gives(list...)
			_, logs := r.all()
			want := `{"n":3}`
			if original {
				want = fmt.Sprintf(`{"n":3,"log.record.original":%q}`, line)
			}
			if len(logs) != 1 || logs[0].Message != text || logs[0].Attributes != strings.ReplaceAll(want, `\u0080`, "\u0080") {
				t.Errorf("%q, the record first %v, trace %q: %d logs, %+v", line, recordFirst, trace, len(logs), logs[0])
			}
		}
	}
}

// A format may put the logger or the place behind the text. Anything else there tells two apart.
func TestWhatALineHasBehindItsText(t *testing.T) {
	for line, logs := range map[string]int{
		"no stock [shop.views]": 1, "no stock [views]": 1, "no stock (shop.views)": 1, "no stock [in /app/dup.py:7]": 1, "no stock [dup.py:7]": 1,
		"INFO no stock [shop.views]": 2, "no stock [order-7]": 2, "no stock [bank.views]": 2, "no stock []": 2, "no stock [in /app/pay.py:7]": 2, "no stock at all [shop.views]": 2,
	} {
		record := &event.Log{Head: by("otlp"), Logger: "shop.views", URL: "/app/dup.py", Message: "no stock"}
		bothOrders(t, line, record, &event.Log{Head: by("run"), Message: line}, func(name string, _ []*event.Exception, got []*event.Log) {
			if len(got) != logs || logs == 1 && got[0].Message != "no stock" {
				t.Errorf("%s: %d logs, %+v", name, len(got), got[0])
			}
		})
	}
	for line, logs := range map[string]int{"no stock [shop.views]": 0, "no stock [in /app/dup.py:7]": 0, "no stock [order-7]": 1, "no stock [a=b.c]": 1, "no stock [10.0.0.1]": 1} {
		record := &event.Exception{Head: by("otlp"), Type: "ValueError", Message: "no price", Mechanism: "log", RawStack: "no stock\nValueError: no price"}
		bothOrders(t, line, record, &event.Log{Head: by("run"), Message: line}, func(name string, x []*event.Exception, got []*event.Log) {
			if len(x) != 1 || len(got) != logs || x[0].Said() != "no stock" {
				t.Errorf("%s: %d exceptions, %d logs", name, len(x), len(got))
			}
		})
	}
}

// A single word may be what another line ends with: before it there is a head that is known.
func TestAWordIsTheSameBehindAHead(t *testing.T) {
	for line, logs := range map[string]int{
		"12:00:00 ready": 1, "[main] ready": 1, "INFO ready": 1, "shop.api ready": 1, "17 ready": 2, "get ready": 2, "n=1 ready": 2, "- ready": 2, "E ready": 1, "x ready": 2,
	} {
		record := &event.Log{Head: by("otlp"), Message: "ready"}
		bothOrders(t, line, record, &event.Log{Head: by("run"), Message: line}, func(name string, _ []*event.Exception, got []*event.Log) {
			if len(got) != logs {
				t.Errorf("%s: %d logs", name, len(got))
			}
		})
	}
}

// Two that differ in a value, in words or in what they are of are two, by whichever ways and in whichever order they come.
func TestWhatDiffersStaysApart(t *testing.T) {
	for name, pair := range map[string][2]event.Log{
		"a value in the middle": {{Message: "order=17 declined"}, {Message: "order=18 timeout"}},
		"a value of one form":   {{Message: "order=17 declined"}, {Message: "order=18 declined"}},
		"pairs at the end":      {{Message: "payment failed order=17 reason=declined"}, {Message: "payment failed order=18 reason=timeout"}},
		"a pair and a field":    {{Message: "payment failed", Attributes: `{"order":17}`}, {Message: "payment failed order=18"}},
		"two fields":            {{Message: "paid", Attributes: `{"order":17}`}, {Message: "paid", Attributes: `{"order":18,"log.iostream":"stdout"}`}},
		"a word behind a pair":  {{Message: "failed order=17 declined"}, {Message: "failed order=17 timeout"}},
		"words behind a pair":   {{Message: "failed for good order=17 declined"}, {Message: "failed for good"}},
		"a word more":           {{Message: "job 5 done"}, {Message: "done"}},
		"words before":          {{Message: "retry of job: could not connect"}, {Message: "could not connect"}},
		"a number before":       {{Message: "17 failed"}, {Message: "failed"}},
		"a pair before":         {{Message: "order=17 declined"}, {Message: "declined"}},
		"the logger":            {{Message: "shop: paid"}, {Message: "paid", Logger: "bank"}},
		"the end of a word":     {{Message: "unpaid"}, {Message: "paid"}},
		"the status":            {{Message: `"GET /a HTTP/1.1" 200`}, {Message: `"GET /a HTTP/1.1" 500`}},
		"the path":              {{Message: `"GET /a HTTP/1.1" 200`}, {Message: `"GET /b HTTP/1.1" 200`}},
		"the query":             {{Message: `"GET /a?id=1 HTTP/1.1" 200`}, {Message: `"GET /a?id=2 HTTP/1.1" 200`}},
		"words around a request": {
			{Message: "upstream call GET /pay 404 failed: card vault corrupted, rolling back order 17"}, {Message: "GET /pay 404 12ms"},
		},
		"words behind a request":  {{Message: "GET /pay 500 Internal Server Error: vault lost"}, {Message: "GET /pay 500 Internal Server Error"}},
		"how severe it is":        {{Message: "mirror GET /pay 404", Level: "error", Severity: 17}, {Message: "GET /pay 404", Level: "warn", Severity: 13}},
		"another's logger":        {{Message: "shop: paid in full"}, {Message: "paid in full", Logger: "bank"}},
		"another's, with a space": {{Message: "shop : paid in full"}, {Message: "paid in full", Logger: "bank"}},
		"two words before":        {{Message: "retry later paid in full"}, {Message: "paid in full"}},
		"the trace":               {{Head: event.Head{TraceID: oneTrace}, Message: "paid"}, {Head: event.Head{TraceID: otherTrace}, Message: "paid"}},
		"the service":             {{Message: "paid"}, {Head: event.Head{Origin: event.Origin{Service: "web"}}, Message: "paid"}},
		"of whom gasoline tells":  {{Message: "binary output is not kept", Logger: "gasoline"}, {Message: "binary output is not kept", Logger: "gasoline"}},
		"what is said of a line":  {{Message: "a b c d e f g h i j k l m n o p q r paid today"}, {Message: "paid today"}},
	} {
		for _, of := range [][2]string{{"otlp", "run"}, {"run", "otlp"}, {"docker", "tail"}, {"loki", "otlp"}} {
			for _, turned := range []bool{false, true} {
				r := newCopiesRig(t)
				var list []event.Event
				for i := range pair {
					l := pair[i]
					if l.Source, l.Time = of[i], r.start; l.Service == "" {
						l.Service = "api"
					}
					list = append(list, &l)
				}
				if turned {
					list[0], list[1] = list[1], list[0]
				}
				r.gives(list...)
				if _, logs := r.all(); len(logs) != 2 {
					t.Errorf("%s, %v, turned %v: %d logs", name, of, turned, len(logs))
				}
			}
		}
	}
}

// What one telling calls an error is one, whatever another that has more says of it, and in whatever order they come.
func TestNoTellingMakesLessOfAnError(t *testing.T) {
	for _, turned := range []bool{false, true} {
		r := newCopiesRig(t)
		of := func(way string) event.Head {
			return event.Head{Origin: event.Origin{Source: way, Service: "api"}, Time: r.start}
		}
		list := []event.Event{
			&event.Log{Head: of("run"), Level: "error", Severity: 17, Message: "payment failed for good"},
			&event.Log{Head: of("otlp"), Level: "debug", Severity: 5, Logger: "x", Attributes: `{"a":1}`, Message: "payment failed for good"},
		}
		list[1].Base().TraceID = oneTrace
		if turned {
			list[0], list[1] = list[1], list[0]
		}
		r.gives(list...)
		if _, logs := r.all(); len(logs) != 1 || logs[0].Severity != 17 || logs[0].Level != "error" || logs[0].TraceID != oneTrace {
			t.Errorf("turned %v: %d logs, %+v", turned, len(logs), logs[0])
		}
	}
}

// A line that says more than what a request came to is no witness of it: it stays the error that it is.
func TestALineThatSaysMoreIsNoWitness(t *testing.T) {
	for text, witness := range map[string]bool{
		"GET /pay 500 12ms": true,
		`127.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET /pay HTTP/1.1" 500 12 "-" "Mozilla/5.0 (X11; Linux) like Gecko"`: true,
		`INFO:     127.0.0.1:43860 - "GET /pay HTTP/1.1" 500 Internal Server Error`:                                       true,
		`request GET /pay 500 in 3 ms ua="Some Browser of mine" (cached by nobody)`:                                       true,
		"rolling back: GET /pay 500 from the bank":                                                                        false,
		"GET /pay 500 Request Header Fields Too Large":                                                                    true, "GET /pay 500 One Two Three Four Five Six": false, "GET /pay 500 vault error": false,
		"GET /pay 500 ERROR Vault Lost": false, "INFO request GET /pay 500": true, "two words GET /pay 500": false,
		`(a vault) [b vault] "c vault" GET /pay 500`: true, "GET /pay 500 took 12 ms after 3 kB": true,
		`GET /pay 500 ua="a vault" x`: true, `GET /pay 500 ua="a b" vault`: false, "GET /pay 500 Über": false, "GET /pay 500 Vault:": false,
		"GET /pay 500 card vault lost": false,
		"GET /pay 5000":                false, "GET /pay 5009": false, "GET /pay 500 took 12 Vault Lost": false, "GET /pay 500 of it": false, "GET /pay 500 again": false,
		"[b vault of cards] GET /pay 500": true, "(b vault of cards) GET /pay 500": true, `"b vault of cards" GET /pay 500`: true, "b vault of cards GET /pay 500": false,
		"GET /pay": false, "GET /pay HTTP/1.1": false, `"GET /pay HTTP/1.1" 50`: false, "GET /pay 5001": false, "GET /pay 600": false, "GET /pay 5x0": false,
		"FETCH /pay 500": false, "/pay 500": false, "x /pay 500": false, "HEAD /pay 599": true, "GET /pay 499": false, "GET /pay 500:": true,
	} {
		r := newCopiesRig(t)
		l := &event.Log{Head: event.Head{Origin: event.Origin{Source: "run", Service: "api"}, Time: r.start}, Level: "error", Severity: 17, Message: text}
		r.gives(r.telling("exception", "run", "", 0), l)
		if _, logs := r.all(); len(logs) != 1 || (logs[0].Flags&event.Witness != 0) != witness {
			t.Errorf("%q: %+v", text, logs)
		}
	}
}

// A record that says nothing of an exception and a printed stack are one error with the record's trace, and under both numbers.
func TestALogAndItsPrintedStackAreOneError(t *testing.T) {
	for _, order := range [][2]int{{0, 1}, {1, 0}} {
		r := newCopiesRig(t)
		l := &event.Log{Head: event.Head{Origin: event.Origin{Source: "otlp", Service: "api"}, TraceID: oneTrace, SpanID: oneSpan, Time: r.start},
			Severity: 17, Level: "error", Logger: "shop", Message: "could not pay"}
		list := []event.Event{l, r.telling("exception", "run", "", 0)}
		first := list[order[0]]
		r.gives(first, list[order[1]])
		exceptions, logs := r.all()
		got, ok := r.read(first.Base().Seq).(*event.Exception)
		if len(exceptions) != 1 || len(logs) != 0 || !ok || got.TraceID != oneTrace || got.SpanID != oneSpan || len(got.Stack) != 1 ||
			!strings.HasSuffix(got.Said(), "could not pay") || strings.Count(got.Witnesses, ", ") != 1 {
			t.Errorf("%v: %d exceptions, %d logs, %+v", order, len(exceptions), len(logs), got)
		}
	}
}

// What a line says more than a stack that was printed with it is said of the error.
func TestALogSaysMoreOfAnError(t *testing.T) {
	r := newCopiesRig(t)
	x, l := r.telling("exception", "otlp", "", 0), &event.Log{Head: by("run"), Severity: 17, Level: "error", Message: "could not pay order=17\nsee above"}
	bothOrders(t, "pairs", x, l, func(name string, exceptions []*event.Exception, logs []*event.Log) {
		if len(exceptions) != 1 || len(logs) != 0 || !strings.HasSuffix(exceptions[0].Said(), "could not pay order=17") {
			t.Errorf("%s: %d exceptions, %d logs, %q", name, len(exceptions), len(logs), exceptions[0].Said())
		}
	})
}

// An error is of the span in which it was thrown, also where the span around that knows more of it.
func TestAnErrorIsOfTheSpanInWhichItWasThrown(t *testing.T) {
	thrown := &event.Exception{Head: by("otlp"), Type: "ValueError", Message: "no price", Mechanism: "span_event"}
	logged := &event.Exception{Head: by("otlp"), Type: "ValueError", Message: "no price", Mechanism: "log", Stack: []event.StackFrame{{Function: "pay"}}}
	thrown.TraceID, thrown.SpanID, logged.TraceID, logged.SpanID = oneTrace, oneSpan, oneTrace, otherSpan
	bothOrders(t, "logged around it", thrown, logged, func(name string, exceptions []*event.Exception, _ []*event.Log) {
		if len(exceptions) != 1 || exceptions[0].SpanID != oneSpan || len(exceptions[0].Stack) != 1 {
			t.Errorf("%s: %d exceptions, %+v", name, len(exceptions), exceptions[0])
		}
	})
	logged.Mechanism, logged.Source = "uncaught", "run" // printed, which says no span
	logged.SpanID = ""
	bothOrders(t, "printed", thrown, logged, func(name string, exceptions []*event.Exception, _ []*event.Log) {
		if len(exceptions) != 1 || exceptions[0].SpanID != oneSpan {
			t.Errorf("%s: %d exceptions, %+v", name, len(exceptions), exceptions[0])
		}
	})
}

// What a program wrote many times by each of three ways is kept as many times, in whatever order they come.
func TestEachStandsForOneOfEachWay(t *testing.T) {
	const n = 300
	for _, order := range [][]string{{"run", "otlp", "docker"}, {"otlp", "docker", "run"}} {
		r := newCopiesRig(t)
		for range 2 {
			for _, way := range order {
				for i := range n / 2 {
					text := []string{"tick", "tock"}[i%2]
					r.gives(&event.Log{Head: event.Head{Origin: event.Origin{Source: way, Service: "api"}, Time: r.start}, Message: text})
				}
			}
			for range 2 { // what came is forgotten
				r.elapsed += time.Minute + time.Second
				r.stores("run", "web", "turns", "", 0)
			}
		}
		count := 0
		var c store.Slice
		for from := event.Seq(0); from < r.kept.NextSeq(); {
			from = r.kept.Forward(&store.Want{}, from, r.kept.NextSeq(), 1000, &c)
			for i := range c.Len() {
				var l event.Log
				if c.Decode(i, &l) && l.Service == "web" {
					continue
				}
				if count++; !c.Decode(i, &l) || strings.Count(l.Witnesses, ", ") != 2 {
					t.Fatalf("%v: %q", order, l.Witnesses)
				}
			}
		}
		if count != n {
			t.Errorf("%v: %d of %d", order, count, n)
		}
	}
}

// A batch of copies is put together before it is stored, and what is of another batch where it is kept.
func TestCopiesInOneBatch(t *testing.T) {
	r := newCopiesRig(t)
	span, action := &event.Span{Head: by("otlp")}, &event.Action{Head: event.Head{Session: "s", Tab: 1}} // neither has copies
	span.Service = "api"
	for _, list := range [][2]string{{"run", "otlp"}, {"otlp", "run"}} {
		r := newCopiesRig(t)
		b := event.Batch{r.telling("log", list[0], "", 0), r.telling("log", list[1], oneTrace, 0)}
		done, err := r.in.Ingest(t.Context(), ingest.Upload{Batch: b, Bytes: 10}, ingest.Partial)
		if _, logs := r.all(); err != nil || done.Stored != 1 || len(logs) != 1 || logs[0].TraceID != oneTrace || logs[0].Logger != "shop.api" {
			t.Errorf("%v alone: %+v %v %+v", list, done, err, logs)
		}
	}
	b := event.Batch{span, action, r.telling("log", "run", "", 0), r.telling("log", "otlp", oneTrace, 0), r.telling("exception", "tail", "", 0), r.telling("exception", "otlp", oneTrace, 0)}
	done, err := r.in.Ingest(t.Context(), ingest.Upload{Batch: b, Bytes: 10}, ingest.Partial)
	exceptions, logs := r.all()
	if err != nil || done.Stored != 4 || len(exceptions) != 1 || len(logs) != 1 || logs[0].TraceID != oneTrace || exceptions[0].TraceID != oneTrace {
		t.Errorf("%+v %v %v %v", done, err, exceptions, logs)
	}
}

// A failure is told by the event of its span, by loggers, by the line about its request, and by what was printed of it: that
// is one error. Two requests that fail alike at once are two.
func TestOneFailureIsOneError(t *testing.T) {
	type came struct {
		kind, source, trace, span, said string
		at                              time.Duration
	}
	const ms = time.Millisecond
	one := []came{
		{"thrown", "otlp", oneTrace, oneSpan, "", 0}, {"logged", "otlp", "", "", "Exception in ASGI application", ms},
		{"access", "run", "", "", "/pay/7", 2 * ms}, {"logged", "run", "", "", "ERROR:    Exception in ASGI application", 3 * ms},
	}
	two := []came{
		{"thrown", "otlp", otherTrace, otherSpan, "", ms}, {"logged", "otlp", "", "", "Exception in ASGI application", 2 * ms},
		{"logged", "run", "", "", "ERROR:    Exception in ASGI application", 4 * ms},
	}
	for name, c := range map[string]struct {
		list      []came
		errors    int
		witnesses int // of the first
	}{
		"as it comes":   {one, 1, 4},
		"printed first": {[]came{one[3], one[2], one[1], one[0]}, 1, 4},
		"the line last": {[]came{one[0], one[1], one[3], one[2]}, 1, 4},
		"two at once":   {append(one[:2:2], two...), 2, 2},
		"printed alone": {one[2:], 1, 2},
		"logged here and there": {[]came{
			one[0], {"logged", "otlp", oneTrace, oneSpan, "could not charge", 0}, one[1],
			{"logged", "run", "", "", "could not charge", ms}, one[3],
		}, 1, 3},
		"logged in a span around it": {[]came{
			one[0], {"logged", "otlp", oneTrace, otherSpan, "payment failed", ms}, {"logged", "run", "", "", "ERROR:root:payment failed", 2 * ms},
		}, 1, 3},
		"the record before the span": {[]came{{"logged", "otlp", oneTrace, otherSpan, "payment failed", ms}, one[0]}, 1, 2},
		"the record before the span, and left that span": {[]came{
			{"logged", "otlp", oneTrace, otherSpan, "payment failed", ms}, one[0], {"thrown", "otlp", oneTrace, otherSpan, "", 3 * ms},
		}, 1, 2},
		"logged elsewhere, later": {[]came{one[0], {"logged", "otlp", oneTrace, otherSpan, "payment failed", 300 * ms}}, 2, 0},
		"logged around it, and left that span": {[]came{
			one[0], {"logged", "otlp", oneTrace, otherSpan, "cannot count", ms}, {"logged", "otlp", oneTrace, otherSpan, "Exception in ASGI application", 2 * ms},
			{"thrown", "otlp", oneTrace, otherSpan, "", 3 * ms}, {"logged", "run", "", "", "ERROR:    Exception in ASGI application", 4 * ms},
		}, 1, 3},
		"left that span twice": {[]came{
			one[0], {"logged", "otlp", oneTrace, otherSpan, "cannot count", ms}, {"thrown", "otlp", oneTrace, otherSpan, "", 2 * ms},
			{"thrown", "otlp", oneTrace, otherSpan, "", 3 * ms},
		}, 2, 2},
		"two attempts, one record": {[]came{
			one[0], {"thrown", "otlp", oneTrace, otherSpan, "", 5 * ms}, {"logged", "otlp", oneTrace, "00000000000000aa", "payment failed", 6 * ms},
		}, 2, 0},
		"two of one form": {[]came{{"logged", "run", "", "", "could not pay 17", 0}, {"logged", "run", "", "", "could not pay 18", ms}}, 2, 0},
		"two of one form in a trace": {[]came{
			{"logged", "otlp", oneTrace, oneSpan, "attempt 1", 0}, {"logged", "otlp", oneTrace, oneSpan, "attempt 2", ms},
		}, 2, 0},
		"two of one form in a trace, of other digits": {[]came{
			{"logged", "otlp", oneTrace, oneSpan, "attempt 9", 0}, {"logged", "otlp", oneTrace, oneSpan, "attempt 10", ms},
		}, 2, 0},
		"two that nothing ties":              {[]came{{"logged", "run", "", "", "could not pay", 0}, {"logged", "run", "", "", "no refund", ms}}, 2, 0},
		"two that nothing ties, by two ways": {[]came{{"logged", "run", "", "", "could not pay", 0}, {"logged", "otlp", "", "", "no refund", ms}}, 2, 0},
		"a record, its stack and the line about its request": {[]came{
			{"line", "otlp", oneTrace, oneSpan, "could not pay", 0}, {"logged", "run", "", "", "could not pay", ms}, {"access", "run", "", "", "/pay/7", 2 * ms},
		}, 1, 3},
		"a line and its record, and the same before a stack": {[]came{
			{"line", "run", "", "", "could not pay", 0}, {"line", "otlp", "", "", "could not pay", 0}, {"logged", "run", "", "", "could not pay", ms},
		}, 1, 2},
		"a record and its stack with pairs": {[]came{
			{"line", "otlp", "", "", "could not pay", 0}, {"logged", "run", "", "", "could not pay order=17", ms},
		}, 1, 2},
		"cut in two": {[]came{
			one[0], one[1], {"line", "run", "", "", "Exception in ASGI application", ms}, {"logged", "run", "", "", "", ms},
		}, 1, 3},
		"cut in two, the line last": {[]came{
			one[0], one[1], {"logged", "run", "", "", "", ms}, {"line", "run", "", "", "Exception in ASGI application", ms},
		}, 1, 3},
		"another request that failed": {[]came{{"logged", "run", "", "", "Exception on /pay/7 [GET]", 0}, {"access", "run", "", "", "/buy", ms}}, 2, 0},
		"a request that failed later": {[]came{{"logged", "run", "", "", "", 0}, {"access", "run", "", "", "/buy", 300 * ms}}, 2, 0},
		"two lines, two errors": {[]came{
			{"logged", "run", "", "", "Exception on /a [GET]", 0}, {"logged", "run", "", "", "Exception on /b [GET]", 0},
			{"access", "run", "", "", "/b", ms}, {"access", "run", "", "", "/a", ms},
		}, 2, 2},
	} {
		r := newCopiesRig(t)
		for _, c := range c.list {
			h := event.Head{Origin: event.Origin{Source: c.source, Service: "api"}, TraceID: c.trace, SpanID: c.span, Time: r.start.Add(c.at)}
			x := &event.Exception{Head: h, Type: "ValueError", Message: "no price", Handled: true, Mechanism: "log",
				RawStack: "Traceback (most recent call last):\nValueError: no price"}
			switch c.kind {
			case "thrown":
				x.Mechanism = "span_event"
			case "access", "line":
				text := c.said
				if c.kind == "access" {
					text = `127.0.0.1:43860 - "GET ` + c.said + ` HTTP/1.1" 500 Internal Server Error`
				}
				r.gives(&event.Log{Head: h, Level: "error", Severity: 17, Message: text})
				continue
			default:
				if c.said != "" {
					x.RawStack = c.said + "\n" + x.RawStack
				}
			}
			r.gives(x)
		}
		var slice store.Slice
		r.kept.Forward(&store.Want{Severity: event.SeverityError}, 0, r.kept.NextSeq(), 100, &slice)
		exceptions, logs := r.all()
		if slice.Len() != c.errors {
			t.Errorf("%s: %d errors", name, slice.Len())
			for _, x := range exceptions {
				t.Logf("%s %q %v", x.TraceID, x.Said(), x.Witnesses)
			}
			for _, l := range logs {
				t.Logf("%q %v", l.Message, l.Flags)
			}
			continue
		}
		if got := len(strings.FieldsFunc(exceptions[0].Witnesses, func(r rune) bool { return r == ',' })); got != c.witnesses {
			t.Errorf("%s: %v", name, exceptions[0].Witnesses)
		}
		if got := exceptions[0].Said(); name == "logged here and there" && got != "could not charge; Exception in ASGI application" {
			t.Errorf("%s: %q", name, got)
		}
		for _, l := range logs {
			if l.Flags&event.Witness == 0 || !strings.Contains(l.Message, " /") {
				continue
			}
			handle := fmt.Sprint("access l", l.Seq)
			path := strings.Fields(l.Message)[3]
			named := 0
			for _, x := range exceptions {
				for w := range strings.SplitSeq(x.Witnesses, ", ") {
					if w == handle {
						if named++; strings.Contains(x.Said(), " /") && !strings.Contains(x.Said(), path) {
							t.Errorf("%s: %q is of %q", name, l.Message, x.Said())
						}
					}
				}
			}
			if named != 1 {
				t.Errorf("%s: %s is named %d times", name, handle, named)
			}
		}
	}
}

// What a second telling adds tells from then on what a third is of.
func TestAThirdTellingIsOfWhatTheFirstTwoCameTo(t *testing.T) {
	log := func(source, trace, span string, at time.Duration) *event.Log {
		l := &event.Log{Head: by(source), Message: "no stock left"}
		l.TraceID, l.SpanID, l.Time = trace, span, time.Time{}.Add(at)
		return l
	}
	thrown := func(source, typ, trace string, at time.Duration) *event.Exception {
		x := &event.Exception{Head: by(source), Type: typ, Message: "no price", Mechanism: "log", Handled: true, RawStack: "Traceback\nno price"}
		x.TraceID, x.Time = trace, time.Time{}.Add(at)
		return x
	}
	const late = 5 * time.Second
	for name, c := range map[string]struct {
		list []event.Event
		kept int
	}{
		"the trace, much later":     {[]event.Event{log("run", "", "", 0), log("otlp", oneTrace, oneSpan, 0), log("docker", oneTrace, "", late)}, 1},
		"another trace":             {[]event.Event{log("run", "", "", 0), log("otlp", oneTrace, oneSpan, 0), log("docker", otherTrace, "", 0)}, 2},
		"no trace, much later":      {[]event.Event{log("run", "", "", 0), log("otlp", oneTrace, oneSpan, 0), log("docker", "", "", late)}, 2},
		"a type":                    {[]event.Event{thrown("run", "", "", 0), thrown("otlp", "A", "", 0), thrown("docker", "A", "", 0)}, 1},
		"another type":              {[]event.Event{thrown("run", "", "", 0), thrown("otlp", "A", "", 0), thrown("docker", "B", "", 0)}, 2},
		"a panic of any type":       {[]event.Event{thrown("run", "panic", "", 0), thrown("otlp", "A", "", 0), thrown("docker", "B", "", 0)}, 2},
		"the trace of an error":     {[]event.Event{thrown("run", "A", "", 0), thrown("otlp", "A", oneTrace, 0), thrown("docker", "A", oneTrace, late)}, 1},
		"an error of another trace": {[]event.Event{thrown("run", "A", "", 0), thrown("otlp", "A", oneTrace, 0), thrown("docker", "A", otherTrace, 0)}, 2},
	} {
		r := newCopiesRig(t)
		for _, e := range c.list {
			h := e.Base()
			h.Service, h.Time = "api", r.start.Add(h.Time.Sub(time.Time{}))
		}
		r.gives(c.list...)
		if exceptions, logs := r.all(); len(exceptions)+len(logs) != c.kept {
			t.Errorf("%s: %d exceptions and %d logs, want %d", name, len(exceptions), len(logs), c.kept)
		}
	}
}

// Of two that say the same, the one is told once more whose values are those of the telling.
func TestATellingIsOfTheOneWithItsValues(t *testing.T) {
	for _, order := range [][2]int{{17, 18}, {18, 17}} {
		r := newCopiesRig(t)
		for _, n := range order {
			l := &event.Log{Head: by("run"), Message: "paid", Attributes: fmt.Sprintf(`{"order":%d}`, n)}
			l.Service, l.Time = "api", r.start
			r.gives(l)
		}
		l := &event.Log{Head: by("otlp"), Message: "paid", Attributes: `{"order":18}`, Logger: "shop"}
		l.Service, l.Time = "api", r.start
		r.gives(l)
		_, logs := r.all()
		for _, l := range logs {
			if len(logs) != 2 || (l.Logger == "shop") != (l.Attributes == `{"order":18}`) {
				t.Errorf("%v: %d logs, %+v", order, len(logs), l)
			}
		}
	}
}

// An error and the line about its request find one another by span, by path or by time, also when the one comes minutes late.
func TestAnErrorFindsItsRequest(t *testing.T) {
	const ms = time.Millisecond
	type came struct {
		request     string // "": an error
		said        string
		trace, span string
		at, after   time.Duration // after: how much later it comes
	}
	for name, c := range map[string]struct {
		list      []came
		witnesses []int // of the errors
	}{
		"at once":                         {[]came{{}, {request: "/a", at: ms}}, []int{1}},
		"the line first":                  {[]came{{request: "/a"}, {at: ms}}, []int{1}},
		"much later":                      {[]came{{}, {request: "/a", at: ms, after: 61 * time.Second}}, []int{1}},
		"the error later":                 {[]came{{request: "/a"}, {at: ms, after: 61 * time.Second}}, []int{1}},
		"of another trace":                {[]came{{trace: oneTrace, span: oneSpan}, {request: "/a", trace: otherTrace, span: otherSpan}}, []int{0}},
		"of the trace":                    {[]came{{trace: oneTrace, span: oneSpan}, {request: "/a", trace: oneTrace, span: oneSpan, at: 900 * ms}}, []int{1}},
		"of another span":                 {[]came{{trace: oneTrace, span: oneSpan}, {request: "/a", trace: oneTrace, span: otherSpan}}, []int{0}},
		"of its span":                     {[]came{{request: "/a", trace: oneTrace, span: otherSpan}, {request: "/b", trace: oneTrace, span: oneSpan}, {trace: oneTrace, span: oneSpan}}, []int{1}},
		"three seconds on":                {[]came{{trace: oneTrace, span: oneSpan}, {request: "/a", trace: oneTrace, span: oneSpan, at: 3 * time.Second}}, []int{0}},
		"two requests":                    {[]came{{request: "/a"}, {request: "/b", at: ms}, {at: 2 * ms}}, []int{0}},
		"its path":                        {[]came{{request: "/a"}, {request: "/b", at: ms}, {said: "Exception on /b [GET]", at: 2 * ms}}, []int{1}},
		"another path":                    {[]came{{request: "/a"}, {said: "Exception on /b [GET]", at: ms}}, []int{0}},
		"only one of two":                 {[]came{{}, {request: "/a", at: ms}, {request: "/a", at: 2 * ms}}, []int{1}},
		"of another trace, without spans": {[]came{{trace: oneTrace}, {request: "/a", trace: otherTrace}}, []int{0}},
		"a line without trace":            {[]came{{request: "/a"}, {trace: oneTrace, span: oneSpan, at: ms}}, []int{1}},
		"an error without trace":          {[]came{{at: ms}, {request: "/a", trace: oneTrace, span: oneSpan}}, []int{1}},
		"another path, behind others":     {[]came{{at: -4 * time.Second}, {request: "/a"}, {said: "Exception on /b [GET]", at: ms}}, []int{0, 0}},
		"three requests at once": {[]came{
			{request: "/a"}, {request: "/b"}, {request: "/c"}, {said: "Exception on /b [GET]"}, {said: "Exception on /c [GET]"}, {said: "Exception on /a [GET]"},
		}, []int{1, 1, 1}},
		"three errors at once": {[]came{
			{said: "Exception on /a [GET]"}, {said: "Exception on /b [GET]"}, {said: "Exception on /c [GET]"}, {request: "/a"}, {request: "/b"}, {request: "/c"},
		}, []int{1, 1, 1}},
		"a line that comes behind later errors": {[]came{
			{said: "Exception on /a [GET]"}, {said: "Exception on /b [GET]", at: 2 * time.Second}, {said: "Exception on /c [GET]", at: 2 * time.Second}, {request: "/a", at: ms},
		}, []int{1, 0, 0}},
		"a path twice": {[]came{{request: "/a"}, {request: "/a", at: ms}, {said: "Exception on /a [GET]", at: 2 * ms}}, []int{0}},
	} {
		r := newCopiesRig(t)
		for i, came := range c.list {
			h := by("run")
			h.Service, h.Time, h.TraceID, h.SpanID = "api", r.start.Add(came.at), came.trace, came.span
			if r.elapsed += came.after; came.after > 0 {
				r.stores("run", "other", "turns", "", 0)
			}
			if came.request != "" {
				r.gives(&event.Log{Head: h, Level: "error", Severity: 17, Message: `"GET ` + came.request + ` HTTP/1.1" 500`})
				continue
			}
			r.gives(&event.Exception{Head: h, Type: "ValueError", Message: fmt.Sprint("no price ", i), Mechanism: "log", Handled: true,
				RawStack: strings.TrimPrefix(fmt.Sprintf("%s\nValueError: no price %d", came.said, i), "\n")})
		}
		exceptions, _ := r.all()
		var witnesses []int
		for _, x := range exceptions {
			witnesses = append(witnesses, strings.Count(x.Witnesses, "access l"))
		}
		if fmt.Sprint(witnesses) != fmt.Sprint(c.witnesses) {
			t.Errorf("%s: %v, want %v", name, witnesses, c.witnesses)
		}
	}
}

// However many requests fail at once, each error finds its own.
func TestEachOfManyErrorsFindsItsRequest(t *testing.T) {
	const n = 100
	for _, turned := range []bool{false, true} {
		r := newCopiesRig(t)
		var list []event.Event
		head := func(i int) event.Head {
			h := by("otlp")
			h.Service, h.Time, h.TraceID, h.SpanID = "api", r.start, fmt.Sprintf("%032x", i+1), fmt.Sprintf("%016x", i+1)
			return h
		}
		for i := range n {
			list = append(list, &event.Exception{Head: head(i), Type: "ValueError", Message: fmt.Sprint("no price ", i), Mechanism: "span_event"})
		}
		for i := n - 1; i >= 0; i-- {
			list = append(list, &event.Log{Head: head(i), Level: "error", Severity: 17, Message: `"GET /pay HTTP/1.1" 500`})
		}
		if turned {
			list = append(list[n:], list[:n]...)
		}
		r.gives(list...)
		for _, e := range list {
			x, ok := e.(*event.Exception)
			if !ok {
				continue
			}
			_, witness, _ := strings.Cut(r.read(x.Seq).(*event.Exception).Witnesses, "access l")
			seq, _ := strconv.ParseUint(witness, 10, 64)
			if l, ok := r.read(event.Seq(seq)).(*event.Log); !ok || l.TraceID != x.TraceID {
				t.Fatalf("turned %v: the witness of %q is %q", turned, x.Message, witness)
			}
		}
	}
}

// What only one of two tellings of an error knows finds the line about its request: its span, or the path that it names.
func TestWhatATellingAddsFindsTheRequest(t *testing.T) {
	const ms = time.Millisecond
	type told struct{ source, said, trace, span string }
	for name, c := range map[string]struct {
		error []told
		trace string // of the line
		at    time.Duration
		found bool
	}{
		"a span":              {[]told{{source: "run", trace: oneTrace}, {source: "otlp", trace: oneTrace, span: oneSpan}}, oneTrace, 900 * ms, true},
		"the span of the one": {[]told{{source: "run", trace: oneTrace, span: oneSpan}, {source: "otlp", trace: oneTrace}}, oneTrace, 900 * ms, true},
		"a trace and a span":  {[]told{{source: "run"}, {source: "otlp", trace: oneTrace, span: oneSpan}}, oneTrace, 900 * ms, true},
		"none":                {[]told{{source: "run"}, {source: "otlp"}}, "", 900 * ms, false},
		"a path":              {[]told{{source: "run"}, {source: "otlp", said: "Exception on /b [GET]"}}, "", 2 * ms, true},
		"the path of the one": {[]told{{source: "run", said: "Exception on /b [GET]"}, {source: "otlp"}}, "", 2 * ms, true},
		"no path":             {[]told{{source: "run"}, {source: "otlp"}}, "", 2 * ms, false},
	} {
		for i := range 4 {
			turned, remembered := i%2 > 0, i/2 > 0
			r := newCopiesRig(t)
			var list []event.Event
			for _, told := range c.error {
				h := by(told.source)
				h.TraceID, h.SpanID = told.trace, told.span
				list = append(list, &event.Exception{Head: h, Type: "ValueError", Message: "no price", Mechanism: "log", Handled: true,
					RawStack: strings.TrimPrefix(told.said+"\nValueError: no price", "\n")})
			}
			if turned {
				list[0], list[1] = list[1], list[0]
			}
			for _, path := range []string{"/a", "/b"} {
				h := by("tail")
				if h.Time = r.start.Add(c.at); c.trace != "" && path == "/b" {
					h.TraceID, h.SpanID = c.trace, oneSpan
				}
				list = append(list, &event.Log{Head: h, Level: "error", Severity: 17, Message: `"GET ` + path + ` HTTP/1.1" 500`})
			}
			for _, e := range list {
				h := e.Base()
				if h.Service = "api"; h.Time.IsZero() {
					h.Time = r.start
				}
			}
			// The lines came before the error's second telling: a first that knows too little finds neither.
			r.gives(list[2], list[3], list[0])
			if remembered { // from a minute ago
				r.elapsed += time.Minute + time.Second
			}
			r.gives(list[1])
			exceptions, _ := r.all()
			want := ""
			if c.found {
				want = fmt.Sprint("access l", list[3].Base().Seq)
			}
			got := ""
			for w := range strings.SplitSeq(exceptions[0].Witnesses, ", ") {
				if strings.HasPrefix(w, "access") {
					got += w
				}
			}
			if len(exceptions) != 1 || got != want {
				t.Errorf("%s, turned %v, remembered %v: %d exceptions, %q, want %q", name, turned, remembered, len(exceptions), exceptions[0].Witnesses, want)
			}
		}
	}
}

// Of two errors that differ only in what was said of them, the one is told once more of which the same was said.
func TestATellingIsOfTheErrorOfWhichTheSameIsSaid(t *testing.T) {
	for _, said := range []string{"", "could not pay"} {
		for _, turned := range []bool{false, true} {
			r := newCopiesRig(t)
			of := func(source, said string, at time.Duration) *event.Exception {
				x := &event.Exception{Head: by(source), Type: "ValueError", Message: "no price", Mechanism: "log", Handled: true,
					RawStack: strings.TrimPrefix(said+"\nValueError: no price", "\n")}
				x.Service, x.Time = "api", r.start.Add(at)
				return x
			}
			list := []event.Event{of("otlp", "could not pay", 0), of("otlp", "", 0)}
			if turned {
				list[0], list[1] = list[1], list[0]
			}
			r.gives(list...)
			r.gives(of("run", said, time.Second))
			exceptions, _ := r.all()
			for _, x := range exceptions {
				if len(exceptions) != 2 || (x.Said() == said) != (x.Witnesses != "") {
					t.Errorf("%q, turned %v: %d exceptions, of %q: %q", said, turned, len(exceptions), x.Said(), x.Witnesses)
				}
			}
		}
	}
}

// Of two equal errors of one trace, a telling is of the one of its span, and of the nearer where it names none.
func TestATellingIsOfTheErrorOfItsSpan(t *testing.T) {
	for name, c := range map[string]struct {
		spans  [2]string // of the errors, of which the second is later
		source string
		span   string // of the telling, which is as late as the second
		of     int
	}{
		"of the earlier":             {[2]string{oneSpan, otherSpan}, "otlp", oneSpan, 0},
		"of the later":               {[2]string{oneSpan, otherSpan}, "otlp", otherSpan, 1},
		"none, by another way":       {[2]string{oneSpan, otherSpan}, "run", "", 1},
		"of the earlier, elsewhere":  {[2]string{oneSpan, otherSpan}, "run", oneSpan, 0},
		"none, like the earlier":     {[2]string{"", oneSpan}, "run", "", 1},
		"none, like the later":       {[2]string{oneSpan, ""}, "run", "", 1},
		"of a third, that is nearer": {[2]string{oneSpan, otherSpan}, "otlp", "00000000000000aa", 1},
	} {
		for _, turned := range []bool{false, true} {
			r := newCopiesRig(t)
			of := func(source, mechanism, span string, at time.Duration) *event.Exception {
				x := &event.Exception{Head: by(source), Type: "ValueError", Message: "no price", Mechanism: mechanism}
				x.Service, x.Time, x.TraceID, x.SpanID = "api", r.start.Add(at), oneTrace, span
				return x
			}
			list := []*event.Exception{of("otlp", "span_event", c.spans[0], 0), of("otlp", "span_event", c.spans[1], 50*time.Millisecond)}
			if turned {
				r.gives(list[1], list[0])
			} else {
				r.gives(list[0], list[1])
			}
			r.gives(of(c.source, "log", c.span, 50*time.Millisecond))
			exceptions, _ := r.all()
			for i, x := range list {
				if got := r.read(x.Seq).(*event.Exception); len(exceptions) != 2 || (got.Witnesses != "") != (i == c.of) {
					t.Errorf("%s, turned %v: %d exceptions, of %d: %q", name, turned, len(exceptions), i, got.Witnesses)
				}
			}
		}
	}
}

// forgetful is a store that has lost all that it had.
type forgetful struct{ *store.Store }

func (forgetful) Find([]event.Kind, event.Seq, *store.Slice) bool { return false }

// What is no longer kept is told of nothing more: its copy is an event, and the line about its request stays the error that it is.
func TestWhatIsNoLongerKept(t *testing.T) {
	r := newCopiesRig(t)
	r.in = ingest.New(ingest.Config{}, redact.New(redact.Rules{}), correlate.New(time.Now), forgetful{r.kept})
	r.gives(r.telling("log", "run", "", 0), r.telling("log", "otlp", "", 0), r.telling("exception", "run", "", 0), r.telling("access", "run", "", 0))
	r.gives(&event.Log{Head: r.telling("log", "run", "", 0).(*event.Log).Head, Level: "error", Severity: 17, Message: "make: *** [all] Error 1"})
	exceptions, logs := r.all()
	if len(exceptions) != 1 || exceptions[0].Witnesses != "" || len(logs) != 4 || logs[2].Flags&event.Witness != 0 || logs[3].Flags&event.Witness != 0 {
		t.Errorf("%d exceptions, %d logs: %+v", len(exceptions), len(logs), exceptions)
	}
}

// An error that had no request is in no later one's way.
func TestErrorsWithoutRequestsAreNotInTheWay(t *testing.T) {
	r := newCopiesRig(t)
	var last *event.Exception
	for i := range 200 {
		last = &event.Exception{Head: by("run"), Type: "ValueError", Message: fmt.Sprint("no price ", i), Mechanism: "log"}
		last.Service, last.Time = "api", r.start.Add(time.Duration(i-200)*time.Second)
		r.gives(last)
	}
	line := &event.Log{Head: by("run"), Level: "error", Severity: 17, Message: `"GET /pay HTTP/1.1" 500`}
	line.Service, line.Time = "api", last.Raw.Add(time.Millisecond)
	r.gives(line)
	if got := r.read(last.Seq).(*event.Exception); !strings.HasSuffix(got.Witnesses, fmt.Sprint("access l", line.Seq)) {
		t.Errorf("%q", got.Witnesses)
	}
}

// By one way what is said before an error is told once: a line with the same words, which a record told as well, is another.
func TestALineWithTheWordsOfAnErrorStays(t *testing.T) {
	for source, logs := range map[string]int{"run": 1, "tail": 0} {
		r := newCopiesRig(t)
		for _, way := range []string{"run", "otlp"} {
			l := &event.Log{Head: by(way), Level: "error", Severity: 17, Message: "could not pay"}
			l.Service, l.Time = "api", r.start
			r.gives(l)
		}
		x := &event.Exception{Head: by(source), Type: "ValueError", Message: "no price", Mechanism: "log", RawStack: "could not pay\nValueError: no price"}
		x.Service, x.Time = "api", r.start.Add(time.Millisecond)
		r.gives(x)
		if exceptions, got := r.all(); len(exceptions) != 1 || len(got) != logs {
			t.Errorf("by %s: %d exceptions and %d logs", source, len(exceptions), len(got))
		}
	}
}

// What was read in vain counts on when what came long before is forgotten: no service gets new room each minute.
func TestWhatWasReadInVainCountsOn(t *testing.T) {
	for name, c := range map[string]struct {
		size, kept int // of attributes that are read in vain; of two tellings
		later      time.Duration
	}{
		"nothing to speak of": {10, 1, 0}, "and a minute later": {10, 1, time.Minute + time.Second},
		"all the room": {150 << 10, 2, 0}, "all the room, a minute later": {150 << 10, 2, time.Minute + time.Second},
	} {
		r := newCopiesRig(t)
		log := func(way, text, attributes string) *event.Log {
			l := &event.Log{Head: by(way), Message: text, Attributes: attributes}
			l.Service, l.Time = "api", r.start
			return l
		}
		first := log("otlp", "paid in full", "")
		r.gives(first)
		for i := range 8 {
			r.gives(log("otlp", "boom it is", fmt.Sprintf(`{"x":%q,"k":%d}`, strings.Repeat("y", c.size), i)))
		}
		r.gives(log("run", "boom it is", `{"k":9}`))
		if r.elapsed = c.later; c.later > 0 {
			r.gives(log("otlp", "turns", ""))
		}
		r.gives(log("run", "paid in full", ""))
		if got := r.read(first.Seq).(*event.Log).Witnesses; (got != "") != (c.kept == 1) {
			t.Errorf("%s: it came by %q", name, got)
		}
	}
}

// An error that was a line before has a number of its own. A third telling finds it by that, however many others got one since.
func TestAnErrorThatWasALineIsFoundAgain(t *testing.T) {
	const others = 2001
	r := newCopiesRig(t)
	lines, stacks := make([]event.Log, others), make([]event.Exception, others)
	stack := func(way string, i int) event.Exception {
		x := event.Exception{Head: by(way), Type: "ValueError", Message: "no price", Mechanism: "log", Handled: true, RawStack: fmt.Sprintf("could not pay %d\nValueError: no price", i)}
		x.Service, x.Time = "api", r.start
		return x
	}
	for i := range others {
		lines[i] = event.Log{Head: by("otlp"), Level: "error", Severity: 17, Logger: "shop", Message: fmt.Sprint("could not pay ", i)}
		lines[i].Service, lines[i].Time = "api", r.start
		stacks[i] = stack("run", i)
	}
	for _, b := range []event.Batch{event.Of(lines), event.Of(stacks)} {
		if _, err := r.in.Ingest(t.Context(), ingest.Upload{Batch: b, Bytes: 10}, ingest.Wait); err != nil {
			t.Fatal(err)
		}
	}
	live := r.kept.Edge(nil).Live
	for i := range 3 {
		x := stack("tail", i)
		r.gives(&x)
	}
	if now := r.kept.Edge(nil).Live; live != others || now != live {
		t.Errorf("%d events of %d errors, and %d more of three that were told again", live, others, now-live)
	}
}
