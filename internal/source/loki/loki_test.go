package loki_test

import (
	"encoding/json"
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
	"github.com/brennhill/gasoline/internal/source/loki"
	"github.com/brennhill/gasoline/internal/source/sourcetest"
)

// fake answers query_range as Loki 3 does: start inclusive, end exclusive, lines grouped by stream, at most 5,000.
type fake struct {
	t      *testing.T
	script *sourcetest.Script
	mu     sync.Mutex
	rows   []source.Row
}

func (f *fake) put(rows ...source.Row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = append(f.rows, rows...)
}

var wantedIDs = regexp.MustCompile(`\(\?P<gasoline>([^)]+)\)`)

// comments are of LogQL: they end with the line.
var comments = regexp.MustCompile(`#[^\n]*`)

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if r.URL.Path != "/loki/api/v1/query_range" || r.Header.Get("X-Loki-Response-Encoding-Flags") != "categorize-labels" ||
		!strings.HasPrefix(q.Get("query"), `{app="api"}`) || q.Get("direction") != "forward" {
		f.t.Errorf("the request is %s", r.URL)
	}
	limit, _ := strconv.Atoi(q.Get("limit"))
	start, _ := strconv.ParseInt(q.Get("start"), 10, 64)
	end, _ := strconv.ParseInt(q.Get("end"), 10, 64)
	if limit > 5000 {
		http.Error(w, "max entries limit per query exceeded, limit > max_entries_limit_per_query (5001 > 5000)", 400)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []source.Row
	m := wantedIDs.FindStringSubmatch(comments.ReplaceAllString(q.Get("query"), ""))
	for _, row := range f.rows {
		ns := row.Time.UnixNano()
		if ns < start || ns >= end || m != nil && row.Trace != sourcetest.Trace && !regexp.MustCompile(m[1]).MatchString(row.Text) {
			continue
		}
		found = append(found, row)
	}
	slices.SortStableFunc(found, func(a, b source.Row) int { return a.Time.Compare(b.Time) })
	found = found[:min(len(found), limit)]
	if f.script.Take(sourcetest.Disorder) != "" {
		slices.Reverse(found)
	}
	type result struct {
		Stream map[string]string `json:"stream"`
		Values [][]any           `json:"values"`
	}
	streams := map[string]*result{}
	order := []*result{}
	for _, row := range found {
		s := streams[row.Stream]
		if s == nil {
			s = &result{Stream: map[string]string{"app": "api", "pod": row.Stream}}
			streams[row.Stream] = s
			order = append(order, s)
		}
		beside := map[string]any{}
		if row.Trace != "" {
			beside["structuredMetadata"] = map[string]string{"trace_id": row.Trace, "detected_level": "error"}
		}
		s.Values = append(s.Values, []any{strconv.FormatInt(row.Time.UnixNano(), 10), row.Text, beside})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": map[string]any{
		"resultType": "streams", "encodingFlags": []string{"categorize-labels"}, "result": order}})
}

func place(options string) func(t *testing.T) *sourcetest.Place {
	return func(t *testing.T) *sourcetest.Place {
		s := &sourcetest.Script{}
		f := &fake{t: t, script: s}
		return &sourcetest.Place{
			Script: s, Put: f.put, Env: source.Env{Transport: sourcetest.Transport(s, f)}, Options: options,
			Can: []sourcetest.Failure{sourcetest.Disorder},
		}
	}
}

const search = `{"url":"http://loki.test:3100","query":"{app=\"api\"}"}`

func TestLokiPassesTheSuite(t *testing.T) { sourcetest.Search(t, loki.Adapter, place(search)) }

// A comment in the query ends with it, and not with what narrows it to a trace.
func TestAQueryWithAComment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := place(`{"url":"http://loki.test:3100","query":"{app=\"api\"} # the shop"}`)(t)
		at := time.Now()
		p.Put(source.Row{Time: at, Text: "of another request"}, source.Row{Time: at, Text: "mine trace_id=" + sourcetest.Trace})
		r := sourcetest.NewRig(t, loki.Adapter, p.Options, p.Env)
		defer r.Start()()
		r.Runner.Ask(sourcetest.Trace, at, at)
		time.Sleep(3 * time.Minute)
		if got := r.Messages(t); len(got) != 1 || !strings.HasPrefix(got[0], "mine") {
			t.Errorf("%q", got)
		}
	})
}

// What gives more than it was asked for is not read on.
func TestMoreLinesThanWereAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := `["` + strconv.FormatInt(time.Now().UnixNano(), 10) + `","x"]`
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"data":{"resultType":"streams","result":[{"stream":{},"values":[` +
				strings.Repeat(line+",", 5000) + line + `]}]}}`))
		})
		r := sourcetest.NewRig(t, loki.Adapter, search, source.Env{Transport: sourcetest.Transport(&sourcetest.Script{}, h)})
		defer r.Start()()
		r.Runner.Ask(sourcetest.Trace, time.Now(), time.Now())
		time.Sleep(3 * time.Minute)
		if st := r.Runner.Status()[0]; st.Rows != 0 || !strings.Contains(st.Error, "more lines than") {
			t.Errorf("%s", st.Line(time.Now()))
		}
	})
}

// Loki gives some of the lines of one nanosecond when they do not fit into a page.
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
		r := sourcetest.NewRig(t, loki.Adapter, p.Options, p.Env)
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

func TestATailReadsEachLineOnceAlsoLateOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := place(`{"url":"http://loki.test:3100","query":"{app=\"api\"}","tail":true}`)(t)
		r := sourcetest.NewRig(t, loki.Adapter, p.Options, p.Env)
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

func TestWhatIsWrongWithOptions(t *testing.T) {
	for options, want := range map[string]string{
		`{"query":"{a=\"b\"}"}`:                                                      "url is required",
		`{"url":"http://127.0.0.1:3100","query":"rate(x[1m])"}`:                      "selects no streams",
		`{"url":"http://user:pw@127.0.0.1:3100","query":"{a=\"b\"}"}`:                "must have no credential",
		`{"url":"http://loki.example","query":"{a=\"b\"}","token_env":"X"}`:          "unencrypted",
		`{"url":"http://127.0.0.1:3100","query":"{a=\"b\"}","token":"glsa_123"}`:     `there is no "token"`,
		`{"url":"http://127.0.0.1:3100","query":"{a=\"b\"}","tail":"yes"}`:           "tail must be boolean",
		`{"url":"http://127.0.0.1:3100","query":"{a=\"b\"}","requests_per_hour":0}`:  "must be 1",
		`{"url":"http://127.0.0.1:3100","query":"{a=\"b\"}","requests_per_hour":-1}`: "must be 1",
	} {
		_, err := loki.Adapter.Check(json.RawMessage(options))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q", options, err, want)
		}
	}
}
