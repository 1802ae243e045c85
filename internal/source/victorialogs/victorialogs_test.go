package victorialogs_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/sourcetest"
	"github.com/brennhill/gasoline/internal/source/victorialogs"
)

// fake answers a query as VictoriaLogs does: JSON lines, in order of time where the query sorts, as many as its limit says.
type fake struct {
	t      *testing.T
	script *sourcetest.Script
	mu     sync.Mutex
	rows   []source.Row
	header http.Header // of the last request
}

func (f *fake) put(rows ...source.Row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = append(f.rows, rows...)
}

var asked = regexp.MustCompile(`^_time:\[([^,]+), ([^)]+)\)( \(_msg:\(([^)]*)\).*\))? \| sort by \(_time\) limit (\d+)$`)

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		f.t.Error(err)
	}
	q := r.PostForm.Get("query")
	m := asked.FindStringSubmatch(q)
	if r.URL.Path != "/select/logsql/query" || r.Method != http.MethodPost || r.URL.RawQuery != "" || m == nil ||
		r.PostForm.Get("extra_filters") != "(service.name:=api\n)" {
		f.t.Errorf("the request is %s %s %s", r.Method, r.URL, r.PostForm)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	from, err := time.Parse(time.RFC3339Nano, m[1])
	to, err2 := time.Parse(time.RFC3339Nano, m[2])
	limit, _ := strconv.Atoi(m[5])
	if err != nil || err2 != nil || limit < 1 || limit > 5000 {
		f.t.Errorf("the query is %s", q)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.header = r.Header.Clone()
	var found []source.Row
	for _, row := range f.rows {
		if row.Time.Before(from) || !row.Time.Before(to) || m[3] != "" && row.Trace != sourcetest.Trace &&
			!strings.Contains(row.Text, sourcetest.Trace) {
			continue
		}
		found = append(found, row)
	}
	slices.SortStableFunc(found, func(a, b source.Row) int { return a.Time.Compare(b.Time) })
	found = found[:min(len(found), limit)]
	if f.script.Take(sourcetest.Disorder) != "" {
		slices.Reverse(found)
	}
	for _, row := range found {
		fields := map[string]string{"_time": row.Time.UTC().Format(time.RFC3339Nano), "_msg": row.Text, "_stream": `{pod="` + row.Stream + `"}`}
		if row.Trace != "" {
			fields["trace_id"], fields["level"] = row.Trace, "error"
		}
		_ = json.NewEncoder(w).Encode(fields)
	}
}

const search = `{"url":"http://vl.test:9428","query":"service.name:=api"}`

func fakeOf(t *testing.T, options string) (*fake, *sourcetest.Place) {
	s := &sourcetest.Script{}
	f := &fake{t: t, script: s}
	return f, &sourcetest.Place{
		Script: s, Put: f.put, Env: source.Env{Transport: sourcetest.Transport(s, f)}, Options: options,
		Can: []sourcetest.Failure{sourcetest.Disorder},
	}
}

func place(options string) func(t *testing.T) *sourcetest.Place {
	return func(t *testing.T) *sourcetest.Place {
		_, p := fakeOf(t, options)
		return p
	}
}

func TestVictoriaLogsPassesTheSuite(t *testing.T) {
	sourcetest.Search(t, victorialogs.Adapter, place(search))
}

// Some of the lines of one nanosecond are given when they do not fit into a page.
func TestLinesOfOneMomentThatDoNotFitIntoAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := place(search)(t)
		at := time.Now()
		for i := range 2700 {
			p.Put(source.Row{Time: at.Add(time.Duration(i/900) * time.Second), Stream: "p" + strconv.Itoa(i%7),
				Text: "line " + strconv.Itoa(i) + " trace_id=" + sourcetest.Trace})
		}
		for i := range 1500 {
			p.Put(source.Row{Time: at.Add(5 * time.Second), Text: "more " + strconv.Itoa(i), Trace: sourcetest.Trace})
		}
		r := sourcetest.NewRig(t, victorialogs.Adapter, p.Options, p.Env)
		defer r.Start()()
		r.Runner.Want(sourcetest.Trace, at, at)
		time.Sleep(3 * time.Minute)
		if n := len(r.Messages(t)); n != 4200 {
			t.Fatalf("%d lines are stored, want 4200: %s", n, r.Runner.Status()[0].Line(time.Now()))
		}
		if st := r.Runner.Status()[0]; st.Partial != "" {
			t.Fatalf("the answer is said to be partial: %s", st.Partial)
		}
	})
}

// More lines of one nanosecond than an answer has are told as missing, and what comes later is read.
func TestMoreLinesOfOneMomentThanAnAnswerHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := place(search)(t)
		at := time.Now()
		for i := range 5100 {
			p.Put(source.Row{Time: at, Text: "line " + strconv.Itoa(i), Trace: sourcetest.Trace})
		}
		p.Put(source.Row{Time: at.Add(time.Nanosecond), Text: "later", Trace: sourcetest.Trace})
		opened, err := victorialogs.Adapter.Open(json.RawMessage(p.Options), p.Env)
		if err != nil {
			t.Fatal(err)
		}
		q := source.Query{From: at, To: at.Add(time.Second), Trace: sourcetest.Trace}
		page, err := opened.Search.Search(t.Context(), q, "")
		if err != nil || len(page.Rows) != 5000 || !strings.HasPrefix(page.Partial, "more than 5000 lines or 16 MiB have the same nanosecond") {
			t.Fatalf("%d rows, %q, %v", len(page.Rows), page.Partial, err)
		}
		page, err = opened.Search.Search(t.Context(), q, page.Next)
		if err != nil || len(page.Rows) != 1 || page.Rows[0].Text != "later" || page.Next != "" || page.Partial != "" {
			t.Errorf("%+v, %v", page, err)
		}
	})
}

func TestATailReadsEachLineOnceAlsoLateOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := place(strings.Replace(search, "}", `,"tail":true}`, 1))(t)
		r := sourcetest.NewRig(t, victorialogs.Adapter, p.Options, p.Env)
		defer r.Start()()
		for i := range 400 {
			time.Sleep(time.Second)
			late := time.Duration(i%5) * 3 * time.Second
			p.Put(source.Row{Time: time.Now().Add(-late), Text: "level=info msg=\"line " + strconv.Itoa(i) + "\""})
		}
		time.Sleep(10 * time.Second)
		got := r.Messages(t)
		if len(got) != 400 || len(slices.Compact(got)) != 400 {
			t.Fatalf("%d lines are stored, want 400: %s", len(got), r.Runner.Status()[0].Line(time.Now()))
		}
	})
}

// answers opens a source whose server answers with a text.
func answers(t *testing.T, status int, body string) source.Searcher {
	t.Helper()
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // the test reads it
	})
	opened, err := victorialogs.Adapter.Open(json.RawMessage(search), source.Env{Transport: sourcetest.Transport(&sourcetest.Script{}, h)})
	if err != nil {
		t.Fatal(err)
	}
	return opened.Search
}

func ask(t *testing.T, s source.Searcher, page string) (source.Page, error) {
	t.Helper()
	return s.Search(t.Context(), source.Query{From: time.Unix(0, 0), To: time.Unix(4e9, 0)}, page)
}

// What its intake of OTLP and what agents write is read into the same fields.
func TestFieldsOfRows(t *testing.T) {
	const begin = `{"_time":"2026-03-01T12:00:00.000000001Z",`
	for _, c := range []struct {
		row  string
		want source.Row
	}{
		{`"_msg":"m","_stream_id":"1","service.name":"api","service.instance.id":"i","host.name":"h","gasoline.run":"r","trace_id":"t","span_id":"s",
			"severity":"Warn2","severity_number":"14"}`,
			source.Row{Text: "m", Stream: "1", Service: "api", Instance: "i", Host: "h", Run: "r", Trace: "t", Span: "s", Level: "warn", Severity: 14}},
		{`"_msg":"m","_stream":"{a=\"b\"}","service_name":"unknown_service","service":"web","pod":"p","hostname":"h","dd.trace_id":"7","dd.span_id":"8","level":"ERROR"}`,
			source.Row{Text: "m", Stream: `{a="b"}`, Service: "web", Instance: "p", Host: "h", Trace: "7", Span: "8", Level: "error", Severity: 17}},
		{`"_msg":"m","severity":"Info2"}`, source.Row{Text: "m", Level: "info", Severity: 10}},
		{`"_msg":"m","level":"emergency"}`, source.Row{Text: "m", Level: "fatal", Severity: 23}},
		{`"_msg":"m","level":"SEVERE"}`, source.Row{Text: "m", Level: "error", Severity: 17}},
		{`"_msg":"m","severity":"Fatal4"}`, source.Row{Text: "m", Level: "fatal", Severity: 24}},
		{`"_msg":"m","severity":"Info5","severity_number":"25"}`, source.Row{Text: "m"}},
		{`"_msg":"m","http.route":"/a","exception.type":"E","code.line.number":7,"other":"x"}`,
			source.Row{Text: "m", Attributes: []source.Attribute{{Key: "code.line.number", Value: "7"}, {Key: "http.route", Value: "/a"}, {Key: "exception.type", Value: "E"}}}},
		{`"_stream":"{}","a":"1","b":"2"}`, source.Row{Text: `{"a":"1","b":"2"}`, Stream: "{}"}},
		{`"_msg":"missing _msg field; see https://docs.victoriametrics.com/victorialogs/keyconcepts/#message-field","a":"1"}`, source.Row{Text: `{"a":"1"}`}},
	} {
		c.want.Time = time.Date(2026, 3, 1, 12, 0, 0, 1, time.UTC)
		page, err := ask(t, answers(t, 200, begin+strings.Join(strings.Fields(c.row), " ")+"\n\n"), "")
		if err != nil || len(page.Rows) != 1 {
			t.Errorf("%s: %+v %v", c.row, page, err)
			continue
		}
		if got := page.Rows[0]; fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) {
			t.Errorf("%s:\n%+v, want\n%+v", c.row, got, c.want)
		}
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	const row = `{"_time":"2026-03-01T12:00:00Z","_msg":"m"}`
	for _, c := range []struct {
		status     int
		body, want string
	}{
		{200, "<html>", "a line of VictoriaLogs' answer is not understood: <html>"},
		{200, row + "\nnull", "is not understood: null"},
		{200, `{"_msg":"m"}`, "has no time"},
		{200, `{"_time":"1969-01-01T00:00:00Z"}`, "has no time"},
		{200, `{"_time":"2262-01-01T00:00:00Z"}`, "has no time"},
		{200, row + "\n" + `{"_time":"2026-03-01T12:00:00Z","_msg":"` + strings.Repeat("x", 17<<20) + `"}`, "has more than 16 MiB"},
		{400, `remoteAddr: "127.0.0.1:1"; requestURI: /select/logsql/query?query=` + strings.Repeat("x", 9000) + `; cannot parse query: why`, "cannot parse query: why"},
		{400, "plain", "plain"},
		{503, "", "503"},
	} {
		if page, err := ask(t, answers(t, c.status, c.body), ""); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "xxxx") {
			t.Errorf("%.60s: %d rows, %v", c.body, len(page.Rows), err)
		}
	}
	if _, err := ask(t, answers(t, 200, ""), "other"); err == nil || !strings.Contains(err.Error(), "none of VictoriaLogs'") {
		t.Errorf("another's page: %v", err)
	}
	if page, err := ask(t, answers(t, 200, ""), ""); err != nil || len(page.Rows) != 0 || page.Next != "" {
		t.Errorf("nothing: %+v %v", page, err)
	}
}

// A page ends after some megabytes, with the last whole nanosecond; the next begins there.
func TestLargeAnswersAreRead(t *testing.T) {
	var body strings.Builder
	for i := range 60 {
		fmt.Fprintf(&body, `{"_time":"2026-03-01T12:00:%02dZ","_msg":"%s"}`+"\n", i, strings.Repeat("x", 100<<10))
	}
	page, err := ask(t, answers(t, 200, body.String()), "")
	if err != nil || len(page.Rows) < 35 || len(page.Rows) > 45 || page.Partial != "" {
		t.Fatalf("%d rows, %q, %v", len(page.Rows), page.Partial, err)
	}
	last := page.Rows[len(page.Rows)-1].Time
	if want := strconv.FormatInt(last.Add(time.Second).UnixNano(), 10); page.Next != want {
		t.Errorf("the next page is %s, want %s", page.Next, want)
	}
}

// An answer that breaks off is told as that, and an error in the midst of one by its reason.
func TestAnswersThatEndEarly(t *testing.T) {
	const row = `{"_time":"2026-03-01T12:00:00Z","_msg":"m"}`
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(row + "\n" + row[:20])) // the test reads it
	})
	s := &sourcetest.Script{}
	opened, err := victorialogs.Adapter.Open(json.RawMessage(search), source.Env{Transport: sourcetest.Transport(s, h)})
	if err != nil {
		t.Fatal(err)
	}
	s.Fail(sourcetest.Cut)
	if _, err := ask(t, opened.Search, ""); err == nil || !strings.Contains(err.Error(), "broke off") {
		t.Errorf("a part of a row: %v", err)
	}
	body := row + "\nremoteAddr: \"127.0.0.1:1\"; requestURI: /select/logsql/query?query=" + strings.Repeat("x", 900) + "; too much memory"
	if _, err := ask(t, answers(t, 200, body), ""); err == nil || !strings.Contains(err.Error(), "too much memory") {
		t.Errorf("an error in the midst: %v", err)
	}
}

// A text is searched for as it stands, also within words.
func TestTextIsSearchedForAsItStands(t *testing.T) {
	var asked string
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.PostFormValue("query") })
	opened, err := victorialogs.Adapter.Open(json.RawMessage(search), source.Env{Transport: sourcetest.Transport(&sourcetest.Script{}, h)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := opened.Search.Search(t.Context(), source.Query{From: time.Unix(0, 0), To: time.Unix(1, 0), Text: `rder "o-1".`}, ""); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(asked, ` _msg:~"rder \"o-1\"\\." | sort`) {
		t.Errorf("asked %s", asked)
	}
}

func TestTheTenantIsNamed(t *testing.T) {
	for tenant, want := range map[string][2]string{"": {"", ""}, "12": {"12", "0"}, "12:3": {"12", "3"}} {
		synctest.Test(t, func(t *testing.T) {
			f, p := fakeOf(t, strings.Replace(search, "}", `,"tenant":"`+tenant+`"}`, 1))
			opened, err := victorialogs.Adapter.Open(json.RawMessage(p.Options), p.Env)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ask(t, opened.Search, ""); err != nil {
				t.Fatal(err)
			}
			if got := [2]string{f.header.Get("AccountID"), f.header.Get("ProjectID")}; got != want {
				t.Errorf("%q: %q, want %q", tenant, got, want)
			}
		})
	}
}

func TestWhatIsWrongWithOptions(t *testing.T) {
	for options, want := range map[string]string{
		`{"query":"*"}`: "url is required",
		`{"url":"http://127.0.0.1:9428","query":" "}`:                       "query selects nothing",
		`{"url":"http://127.0.0.1:9428","query":"* | stats count()"}`:       "query has a pipe",
		`{"url":"http://127.0.0.1:9428","query":"(a"}`:                      "a quote that is not closed",
		`{"url":"http://127.0.0.1:9428","query":"a:\"b"}`:                   "a quote that is not closed",
		`{"url":"http://127.0.0.1:9428","query":"a) or (b"}`:                "closes a bracket that it does not open",
		`{"url":"http://127.0.0.1:9428","query":"*","tenant":"a"}`:          "is no AccountID:ProjectID",
		`{"url":"http://127.0.0.1:9428","query":"*","tenant":"1:2:3"}`:      "is no AccountID:ProjectID",
		`{"url":"http://user:pw@127.0.0.1:9428","query":"*"}`:               "must have no credential",
		`{"url":"http://vl.example","query":"*","token_env":"X"}`:           "unencrypted",
		`{"url":"http://127.0.0.1:9428","query":"*","requests_per_hour":0}`: "must be 1",
	} {
		_, err := victorialogs.Adapter.Check(json.RawMessage(options))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q", options, err, want)
		}
	}
	for _, query := range []string{`*`, `{app=\"api\"} level:in(error,warn)`, `a:\"x | y)\"`, `_time:[1, 2)`, "a:`|` \\\"b\\\\\\\"|\\\""} {
		if _, err := victorialogs.Adapter.Check(json.RawMessage(`{"url":"http://127.0.0.1:9428","query":"` + query + `"}`)); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
	for options, want := range map[string]int{``: 0, `,"tail":true`: 2000, `,"tail":true,"requests_per_hour":7`: 7} {
		opened, err := victorialogs.Adapter.Open(json.RawMessage(strings.Replace(search, "}", options+"}", 1)), source.Env{})
		if err != nil || opened.Requests != want || opened.Poll != (options != "") {
			t.Errorf("%s: %+v %v", options, opened, err)
		}
	}
}

// What gives more than it was asked for is not read on.
func TestMoreRowsThanWereAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		row := `{"_time":"` + time.Now().UTC().Format(time.RFC3339) + `","_msg":"x"}` + "\n"
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(strings.Repeat(row, 5001))) })
		r := sourcetest.NewRig(t, victorialogs.Adapter, `{"url":"http://logs.test:9428","query":"*"}`,
			source.Env{Transport: sourcetest.Transport(&sourcetest.Script{}, h)})
		defer r.Start()()
		r.Runner.Ask(sourcetest.Trace, time.Now(), time.Now())
		time.Sleep(3 * time.Minute)
		if st := r.Runner.Status()[0]; st.Rows != 0 || !strings.Contains(st.Error, "more rows than") {
			t.Errorf("%s", st.Line(time.Now()))
		}
	})
}
