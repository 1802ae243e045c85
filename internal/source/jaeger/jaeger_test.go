package jaeger_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/jaeger"
	"github.com/brennhill/gasoline/internal/source/sourcetest"
)

// fake answers as Jaeger 2 does: a trace is a whole, a search gives at most as many traces as it is asked for, and where
// there is none the answer is 404.
type fake struct {
	t      *testing.T
	script *sourcetest.Script
	mu     sync.Mutex
	spans  []span
	asked  []string
}

type span struct {
	trace, id, name, service string
	start                    time.Time
	exception, host, run     string
	blanks                   string // that make the answer larger
}

func (f *fake) put(s ...span) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spans = append(f.spans, s...)
}

// rows puts each row as a span of the service api; one that does not name the trace is of another.
func (f *fake) rows(rows ...source.Row) {
	for _, r := range rows {
		f.mu.Lock()
		s := span{trace: sourcetest.Trace, id: fmt.Sprintf("%016x", len(f.spans)+1), name: r.Text, service: "api", start: r.Time}
		f.mu.Unlock()
		if !strings.Contains(r.Text, sourcetest.Trace) {
			s.trace = strings.Repeat("ab", 16)
		}
		f.put(s)
	}
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	q := r.URL.Query()
	f.asked = append(f.asked, r.URL.RequestURI())
	if q.Get("raw_traces")+q.Get("query.raw_traces") != "true" {
		f.t.Errorf("the request is %s", r.URL)
	}
	var found []span
	if id, ok := strings.CutPrefix(r.URL.Path, "/api/v3/traces/"); ok {
		for _, s := range f.spans {
			if s.trace == id {
				found = append(found, s)
			}
		}
	} else {
		if r.URL.Path != "/api/v3/traces" {
			f.t.Errorf("the request is %s", r.URL)
		}
		from, err := time.Parse(time.RFC3339Nano, q.Get("query.start_time_min"))
		to, err2 := time.Parse(time.RFC3339Nano, q.Get("query.start_time_max"))
		most, _ := strconv.Atoi(q.Get("query.num_traces"))
		if err != nil || err2 != nil || most < 1 || q.Get("query.service_name") == "" {
			f.t.Errorf("the request is %s", r.URL)
		}
		var traces []string
		for _, s := range f.spans {
			if s.service == q.Get("query.service_name") && !s.start.Before(from) && !s.start.After(to) &&
				len(traces) < most && !slices.Contains(traces, s.trace) {
				traces = append(traces, s.trace)
			}
		}
		for _, s := range f.spans {
			if slices.Contains(traces, s.trace) {
				found = append(found, s)
			}
		}
	}
	if len(found) == 0 {
		http.Error(w, `{"error":{"httpCode":404,"message":"No traces found"}}`, http.StatusNotFound)
		return
	}
	switch f.script.Take(sourcetest.Disorder, sourcetest.Duplicates) {
	case sourcetest.Disorder:
		slices.Reverse(found)
	case sourcetest.Duplicates:
		found = append(found, found...)
	}
	var resources []any
	for _, s := range found {
		one := map[string]any{
			"traceId": s.trace, "spanId": s.id, "name": s.name, "kind": 2,
			"startTimeUnixNano": strconv.FormatInt(s.start.UnixNano(), 10),
			"endTimeUnixNano":   strconv.FormatInt(s.start.Add(time.Millisecond).UnixNano(), 10),
		}
		if s.exception != "" {
			one["events"] = []any{map[string]any{"name": "exception", "timeUnixNano": strconv.FormatInt(s.start.UnixNano()+1, 10), "attributes": []any{
				map[string]any{"key": "exception.message", "value": map[string]any{"stringValue": s.exception}},
			}}}
		}
		resources = append(resources, map[string]any{
			"resource": map[string]any{"attributes": []any{
				map[string]any{"key": "service.name", "value": map[string]any{"stringValue": s.service}},
				map[string]any{"key": "host.name", "value": map[string]any{"stringValue": s.host}},
				map[string]any{"key": "gasoline.run", "value": map[string]any{"stringValue": s.run}},
			}},
			"scopeSpans": []any{map[string]any{"spans": []any{one}}},
		})
	}
	for _, s := range found {
		_, _ = w.Write([]byte(s.blanks))
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"result": map[string]any{"resourceSpans": resources}})
}

func place(t *testing.T, options string) (*fake, *sourcetest.Place) {
	s := &sourcetest.Script{}
	f := &fake{t: t, script: s}
	return f, &sourcetest.Place{
		Script: s, Put: f.rows, Env: source.Env{Transport: sourcetest.Transport(s, f)}, Options: options,
		Can: []sourcetest.Failure{sourcetest.Disorder, sourcetest.Duplicates},
	}
}

const search = `{"url":"http://jaeger.test:16686"}`

func TestJaegerPassesTheSuite(t *testing.T) {
	sourcetest.Search(t, jaeger.Adapter, func(t *testing.T) *sourcetest.Place {
		_, p := place(t, search)
		return p
	})
}

// A trace comes with the spans of all services and their exceptions, or with those of one.
func TestATraceComesWhole(t *testing.T) {
	for options, want := range map[string]string{
		search: "GET /orders web, SELECT orders, no such table orders",
		`{"url":"http://jaeger.test:16686","service":"orders"}`: "SELECT orders, no such table orders",
	} {
		synctest.Test(t, func(t *testing.T) {
			f, p := place(t, options)
			at := time.Now()
			f.put(span{trace: sourcetest.Trace, id: "00000000000000a1", name: "GET /orders", service: "web", start: at},
				span{trace: sourcetest.Trace, id: "00000000000000a2", name: "SELECT", service: "orders", start: at, exception: "no such table"})
			r := sourcetest.NewRig(t, jaeger.Adapter, options, p.Env)
			defer r.Start()()
			r.Runner.Want(sourcetest.Trace, at, at)
			time.Sleep(3 * time.Minute)
			var got []string
			for _, e := range r.Events(t) {
				switch e := e.(type) {
				case *event.Span:
					got = append(got, e.Name+" "+e.Service)
				case *event.Exception:
					got = append(got, e.Message+" "+e.Service)
					if e.SpanID != "00000000000000a2" {
						t.Errorf("the exception is of span %q", e.SpanID)
					}
				}
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("%s gives %q", options, got)
			}
			if st := r.Runner.Status()[0]; st.Title != strings.TrimSuffix("http://jaeger.test:16686 orders", map[bool]string{true: " orders"}[options == search]) {
				t.Errorf("its title is %q", st.Title)
			}
		})
	}
}

// More traces than one answer has are read in parts, each once.
func TestATailReadsBusyServices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p := place(t, `{"url":"http://jaeger.test:16686","service":"api","tail":true}`)
		r := sourcetest.NewRig(t, jaeger.Adapter, p.Options, p.Env)
		defer r.Start()()
		time.Sleep(time.Second)
		for i := range 300 { // in 3 s
			time.Sleep(10 * time.Millisecond)
			f.put(span{trace: fmt.Sprintf("%032x", i+1), id: fmt.Sprintf("%016x", i+1), name: fmt.Sprint("n", i), service: "api", start: time.Now()})
		}
		time.Sleep(30 * time.Second)
		got := r.Messages(t)
		if len(got) != 300 || len(slices.Compact(got)) != 300 {
			t.Fatalf("%d spans are stored, want 300: %s", len(got), r.Runner.Status()[0].Line(time.Now()))
		}
		if st := r.Runner.Status()[0]; st.Partial != "" {
			t.Errorf("the answer is said to be partial: %s", st.Partial)
		}
		at := time.Now()
		for i := range 130 {
			f.put(span{trace: fmt.Sprintf("%032x", i+9001), id: fmt.Sprintf("%016x", i+9001), name: "of one moment", service: "api", start: at})
		}
		partial := ""
		for range 100 { // the window is halved until it is a millisecond, two questions a second
			time.Sleep(time.Second)
			partial += r.Runner.Status()[0].Partial
		}
		if !strings.Contains(partial, "more than 100 traces began within 1ms") {
			t.Errorf("nobody says that traces of one moment are missing: %s", r.Runner.Status()[0].Line(time.Now()))
		}
	})
}

// A window whose traces are few and too large for one answer is halved as well, and a tail does not stay at it.
func TestATailReadsLargeTraces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p := place(t, `{"url":"http://jaeger.test:16686","service":"api","tail":true,"mb_per_hour":100000}`)
		r := sourcetest.NewRig(t, jaeger.Adapter, p.Options, p.Env)
		defer r.Start()()
		time.Sleep(time.Second)
		blanks := strings.Repeat(" ", 1<<20)
		for trace := range 4 { // of 6 MB each, in 4 s
			time.Sleep(time.Second)
			for i := range 6 {
				f.put(span{trace: fmt.Sprintf("%032x", trace+1), id: fmt.Sprintf("%016x", trace*6+i+1), name: fmt.Sprint("n", trace, i),
					service: "api", start: time.Now(), blanks: blanks})
			}
		}
		names := map[string]bool{}
		for began := time.Now(); len(names) < 24 && time.Since(began) < 40*time.Second; {
			time.Sleep(time.Second)
			for _, e := range r.Events(t) {
				if s, ok := e.(*event.Span); ok {
					names[s.Name] = true
				}
			}
		}
		time.Sleep(5 * time.Second) // it goes on without a fault
		if st := r.Runner.Status()[0]; len(names) != 24 || st.Error != "" {
			t.Errorf("%d spans are stored, want 24: %s", len(names), st.Line(time.Now()))
		}
		if r.Runner.Status()[0].Bytes < 32<<20 {
			t.Errorf("what was too large is not counted: %s", r.Runner.Status()[0].Line(time.Now()))
		}
	})
}

// An answer 404 of what stands before Jaeger is none of Jaeger's: it does not say that there is no such trace.
func TestAnotherAnswer404(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := sourcetest.NewRig(t, jaeger.Adapter, search, source.Env{Transport: sourcetest.Transport(&sourcetest.Script{},
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, `{"error":"no such route"}`, http.StatusNotFound)
			}))})
		defer r.Start()()
		r.Runner.Want(sourcetest.Trace, time.Now(), time.Now())
		time.Sleep(4 * time.Second)
		if _, unread := r.Runner.Missing([]string{sourcetest.Trace}); len(unread) != 1 || !strings.Contains(unread[0], "no such route") {
			t.Errorf("unread is %q: %s", unread, r.Runner.Status()[0].Line(time.Now()))
		}
	})
}

// One question at a time: texts, windows of time, and what the answer costs.
func TestQuestions(t *testing.T) {
	f, p := place(t, `{"url":"http://jaeger.test:16686","service":"api"}`)
	opened, err := jaeger.Adapter.Open(json.RawMessage(p.Options), p.Env)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1795300000, 0)
	f.put(span{trace: sourcetest.Trace, id: "00000000000000a1", name: "GET /cart", service: "api", start: at},
		span{trace: sourcetest.Trace, id: "00000000000000a2", name: "SELECT", service: "api", start: at, exception: "no such table"},
		span{trace: sourcetest.Trace, id: "00000000000000a3", name: "SELECT cart", service: "db", start: at})
	for i := range 150 {
		f.put(span{trace: fmt.Sprintf("%032x", i+1), id: fmt.Sprintf("%016x", i+1), name: "busy", service: "api",
			start: at.Add(time.Hour + time.Duration(i)*time.Second)})
	}
	for _, c := range []struct {
		q     source.Query
		names string
		asked int
	}{
		{source.Query{Trace: sourcetest.Trace}, "GET /cart, SELECT", 1},
		{source.Query{Trace: sourcetest.Trace, Text: "cart"}, "GET /cart", 1},
		{source.Query{Trace: sourcetest.Trace, Text: "such table"}, "SELECT", 1},
		{source.Query{Trace: sourcetest.Trace, Text: "nothing"}, "", 1},
		{source.Query{Trace: strings.Repeat("ef", 16)}, "", 1},
		{source.Query{From: at, To: at.Add(time.Second)}, "GET /cart, SELECT", 1},
		{source.Query{From: at, To: at.Add(time.Second), Text: "cart"}, "GET /cart", 1},
		{source.Query{From: at.Add(time.Second), To: at.Add(time.Minute)}, "", 1},
		{source.Query{From: at, To: at}, "", 0},
		{source.Query{From: at.Add(time.Hour), To: at.Add(time.Hour + 140*time.Second)}, strings.TrimSuffix(strings.Repeat("busy, ", 141), ", "), 3},
	} {
		f.asked = nil
		var names []string
		bytes, seen := int64(0), map[string]bool{}
		for page := ""; ; {
			a, err := opened.Search.Search(t.Context(), c.q, page)
			if err != nil || a.Partial != "" {
				t.Fatalf("%+v: %v %q", c.q, err, a.Partial)
			}
			bytes += a.Bytes
			for _, r := range a.Rows {
				s := r.Events[0].(*event.Span)
				if seen[r.ID] {
					continue // of two windows' common moment
				}
				seen[r.ID] = true
				if names = append(names, s.Name); r.Size < 100 || !r.Time.Equal(s.Time) || s.ClockDomain != "" {
					t.Errorf("%+v: %+v", c.q, r)
				}
			}
			if page = a.Next; page == "" {
				break
			}
		}
		if got := strings.Join(names, ", "); got != c.names || len(f.asked) != c.asked || (bytes > 0) != (c.names != "" || c.q.Text != "") {
			t.Errorf("%+v: %q by %d questions, %d bytes: %q", c.q, got, len(f.asked), bytes, f.asked)
		}
	}
	for _, page := range []string{"x", "1", "1/", "/2", "1/x"} {
		_, err := opened.Search.Search(t.Context(), source.Query{From: at, To: at.Add(time.Second)}, page)
		var fault *source.Fault
		if !errors.As(err, &fault) || fault.Kind != source.Expired {
			t.Errorf("page %q: %v", page, err)
		}
	}
	if opened.Requests != 0 || opened.Poll || opened.Rate != 2 || opened.Domain != "jaeger.test" || !strings.HasPrefix(opened.Credential, "http://jaeger.test:16686") {
		t.Errorf("%+v", opened)
	}
	here, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{here: "", "db-host": "db-host"} {
		id := fmt.Sprintf("%032x", 9000+len(host))
		f.put(span{trace: id, id: "00000000000000a9", name: "GET", service: "api", start: at, host: host})
		a, err := opened.Search.Search(t.Context(), source.Query{Trace: id}, "")
		if err != nil || len(a.Rows) != 1 || a.Rows[0].Events[0].Base().ClockDomain != want {
			t.Errorf("%s: %+v %v", host, a.Rows, err)
		}
	}
	opened, err = jaeger.Adapter.Open(json.RawMessage(`{"url":"http://localhost:1","service":"api","tail":true,"mb_per_hour":3}`), p.Env)
	if err != nil || opened.Requests != 2000 || !opened.Poll || opened.Bytes != 3_000_000 || opened.Domain != "" || opened.Title != "http://localhost:1 api" {
		t.Errorf("%+v %v", opened, err)
	}
	opened, err = jaeger.Adapter.Open(json.RawMessage(`{"url":"http://localhost:1","service":"api","tail":true,"requests_per_hour":7}`), p.Env)
	if err != nil || opened.Requests != 7 {
		t.Errorf("%+v %v", opened, err)
	}
}

// What this daemon has exported itself is not read back; what another one has is.
func TestWhatWasExportedHereStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p := place(t, search)
		at := time.Now()
		f.put(span{trace: sourcetest.Trace, id: "00000000000000a1", name: "own", service: "web", start: at, run: sourcetest.Run},
			span{trace: sourcetest.Trace, id: "00000000000000a2", name: "other", service: "web", start: at, run: "another"},
			span{trace: sourcetest.Trace, id: "00000000000000a3", name: "none", service: "web", start: at})
		r := sourcetest.NewRig(t, jaeger.Adapter, p.Options, p.Env)
		defer r.Start()()
		r.Runner.Want(sourcetest.Trace, at, at)
		time.Sleep(3 * time.Minute)
		if got := r.Messages(t); strings.Join(got, " ") != "none other" {
			t.Errorf("%q is stored", got)
		}
	})
}

// What is there already, by OTLP or by another source, does not come again.
func TestSpansOfTwoSourcesAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p := place(t, search)
		at := time.Now()
		f.put(span{trace: sourcetest.Trace, id: "00000000000000a1", name: "GET", service: "web", start: at, exception: "no"},
			span{trace: sourcetest.Trace, id: "00000000000000a2", name: "SELECT", service: "web", start: at})
		r := sourcetest.NewRig(t, jaeger.Adapter, p.Options, p.Env)
		r.Fresh = func(b event.Batch) (event.Batch, int) {
			if b[0].(*event.Span).Name == "GET" {
				return nil, 1
			}
			return b, 0
		}
		defer r.Start()()
		r.Runner.Want(sourcetest.Trace, at, at)
		time.Sleep(3 * time.Minute)
		if got := r.Messages(t); strings.Join(got, " ") != "SELECT" {
			t.Errorf("%q is stored", got)
		}
		if st := r.Runner.Status()[0]; st.Rows != 1 || st.Repeated < 1 {
			t.Errorf("it counts %d rows and %d that are repeated", st.Rows, st.Repeated)
		}
	})
}

func TestAnswersThatAreNotJaegers(t *testing.T) {
	for body, want := range map[string]string{
		"\n<!DOCTYPE html><p>Jaeger UI": "failed; a page came instead of an answer of Jaeger's query interface. Give the address of",
		"":                              "not understood",
		`{"data":[]}`:                   "not understood",
		`{"result":{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"a"}]}]}]}}`: "1 spans cannot be used: record 0: a span needs a trace id",
		`{"result":{"resourceSpans":[7]}} x`:                                       "not understood",
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &sourcetest.Script{}
			r := sourcetest.NewRig(t, jaeger.Adapter, search, source.Env{Transport: sourcetest.Transport(s,
				http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }))})
			defer r.Start()()
			r.Runner.Want(sourcetest.Trace, time.Now(), time.Now())
			time.Sleep(4 * time.Second)
			if line := r.Runner.Status()[0].Line(time.Now()); !strings.Contains(line, want) {
				t.Errorf("%s: %s", body, line)
			}
		})
	}
}

func TestWhatIsWrongWithOptions(t *testing.T) {
	for options, want := range map[string]string{
		`{}`: "url is required",
		`{"url":"http://127.0.0.1:16686","tail":true}`:         "one service",
		`{"url":"http://jaeger.example","token_env":"X"}`:      "unencrypted",
		`{"url":"http://127.0.0.1:16686","query":"{a=\"b\"}"}`: `there is no "query"`,
		`{"url":"127.0.0.1:16686"}`:                            "no http or https URL",
		`{"url":"http://127.0.0.1:16686","mb_per_hour":0}`:     "must be 1",
	} {
		_, err := jaeger.Adapter.Check(json.RawMessage(options))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q", options, err, want)
		}
	}
}

// A trace of which nothing is kept is searched for when somebody asks for it, and not when a request merely named it.
func TestATraceThatIsNotKeptIsSearchedForWhenSomebodyAsks(t *testing.T) {
	for _, asked := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f, p := place(t, search)
			at := time.Now()
			f.put(span{trace: sourcetest.Trace, id: "00000000000000a1", name: "GET", service: "web", start: at})
			r := sourcetest.NewRig(t, jaeger.Adapter, p.Options, p.Env)
			r.Known = func(string) bool { return false }
			defer r.Start()()
			r.Runner.Want(sourcetest.Trace, at, at)
			if asked {
				r.Runner.Ask(sourcetest.Trace, at, at)
			}
			time.Sleep(3 * time.Minute)
			if got := len(r.Messages(t)) == 1; got != asked {
				t.Errorf("asked %t: read %t", asked, got)
			}
			if n := len(p.Script.Asked()); !asked && n > 0 || asked && n != 5 {
				t.Errorf("asked %t: the place was asked %d times", asked, n)
			}
		})
	}
}
