package loki_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/loki"
)

// answering opens a Loki that gives one answer to all that it is asked, and notes what that was.
func answering(t *testing.T, more, answer string) (s source.Searcher, asked *http.Request) {
	t.Helper()
	asked = &http.Request{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = *r
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	opened, err := loki.Adapter.Open(json.RawMessage(`{"url":"`+server.URL+`","query":"{app=\"api\"}"`+more+`}`), source.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return opened.Search, asked
}

var noon = time.Unix(1_795_300_000, 0)

// What Loki says beside the lines is told, and what it keeps beside a line counts before the labels of the stream.
func TestWhatAnAnswerOfLokiSays(t *testing.T) {
	s, asked := answering(t, `,"tenant":"shop"`, `{"data":{"resultType":"streams","result":[{"stream":{"app":"api","level":"info","service_name":"unknown_service","pod":"p1"},
		"values":[["1795300000000000007","no table",{"structuredMetadata":{"level":"error","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"00f067aa0ba902b7",
		"gasoline_run":"r1","code_file_path":"a.go","exception_type":"E","host_name":"h1"}}]]}]},"warnings":["a part","is missing"]}`)
	a, err := s.Search(t.Context(), source.Query{From: noon, To: noon.Add(time.Second), Trace: "4bf92f3577b34da6a3ce929d0e0e4736", Text: `a "b\`}, "")
	if err != nil || a.Partial != "a part; is missing" || len(a.Rows) != 1 || a.Next != "" || a.Bytes < 100 {
		t.Fatalf("%+v %v", a, err)
	}
	r := a.Rows[0]
	if !r.Time.Equal(noon.Add(7)) || r.Text != "no table" || r.Service != "" || r.Instance != "p1" || r.Host != "h1" || r.Run != "r1" ||
		r.Level != "error" || r.Span != "00f067aa0ba902b7" || r.Trace != "4bf92f3577b34da6a3ce929d0e0e4736" ||
		!slices.Equal(r.Attributes, []source.Attribute{{Key: "code.file.path", Value: "a.go"}, {Key: "exception.type", Value: "E"}}) {
		t.Errorf("%+v", r)
	}
	if asked.Header.Get("X-Scope-OrgID") != "shop" {
		t.Errorf("the tenant is %q", asked.Header.Get("X-Scope-OrgID"))
	}
	ids := strings.Join(source.Variants("4bf92f3577b34da6a3ce929d0e0e4736"), "|")
	want := `{app="api"}` + "\n" + ` | regexp "(?P<gasoline>` + ids + `)" | gasoline!="" or trace_id=~"` + ids + `" or traceID=~"` + ids + `" |= "a \"b\\"`
	if got := asked.URL.Query().Get("query"); got != want {
		t.Errorf("the query is %s, want %s", got, want)
	}
}

// lines opens a Loki with lines of a size at the given nanoseconds. It notes the limits that it was asked with.
func lines(t *testing.T, size int, at []int64) (s source.Searcher, limits *[]int) {
	t.Helper()
	limits = &[]int{}
	text := strings.Repeat("x", size)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		limit, _ := strconv.Atoi(q.Get("limit"))
		begin, _ := strconv.ParseInt(q.Get("start"), 10, 64)
		end, _ := strconv.ParseInt(q.Get("end"), 10, 64)
		*limits = append(*limits, limit)
		_, _ = w.Write([]byte(`{"data":{"resultType":"streams","result":[{"stream":{"app":"api"},"values":[`))
		n := 0
		for i, ns := range at {
			if ns >= begin && ns < end && n < limit {
				if n++; n > 1 {
					_, _ = w.Write([]byte(","))
				}
				_, _ = fmt.Fprintf(w, `["%d","%d %s"]`, ns, i, text)
			}
		}
		_, _ = w.Write([]byte(`]}]}}`))
	}))
	t.Cleanup(server.Close)
	opened, err := loki.Adapter.Open(json.RawMessage(`{"url":"`+server.URL+`","query":"{app=\"api\"}"}`), source.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return opened.Search, limits
}

// pages reads all pages of a question: the numbers of the lines, and what was said to be missing.
func pages(t *testing.T, s source.Searcher) (numbers []string, partial string, asked int64) {
	t.Helper()
	page := ""
	for range 100 {
		a, err := s.Search(t.Context(), source.Query{From: noon, To: noon.Add(time.Minute)}, page)
		if err != nil {
			t.Fatal(err)
		}
		asked += a.Bytes
		partial = cmp.Or(partial, a.Partial)
		for _, r := range a.Rows {
			n, _, _ := strings.Cut(r.Text, " ")
			numbers = append(numbers, n)
		}
		if page = a.Next; page == "" {
			return numbers, partial, asked
		}
	}
	t.Fatal("the question has no end")
	return nil, "", 0
}

// Lines that are too large together are asked for in smaller parts, each once and all of them.
func TestLinesThatAreTooLargeTogether(t *testing.T) {
	var at []int64
	for i := range 900 {
		at = append(at, noon.UnixNano()+int64(i)*1000)
	}
	s, limits := lines(t, 20_000, at)
	numbers, partial, bytes := pages(t, s)
	if len(numbers) != 900 || partial != "" || bytes < 34_000_000 { // what was read in vain counts, too
		t.Errorf("%d lines, %q, %d bytes", len(numbers), partial, bytes)
	}
	for i, n := range numbers {
		if n != strconv.Itoa(i) {
			t.Fatalf("line %d is %s", i, n)
		}
	}
	if want := []int{5000, 625, 625}; !slices.Equal(*limits, want) {
		t.Errorf("asked with %v, want %v", *limits, want)
	}
}

// Where such lines have one time, those that cannot be read are told, and the others come.
func TestLinesOfOneMomentThatAreTooLargeTogether(t *testing.T) {
	at := slices.Repeat([]int64{noon.UnixNano()}, 900)
	s, limits := lines(t, 20_000, append(at, noon.UnixNano()+5))
	numbers, partial, _ := pages(t, s)
	if len(numbers) != 626 || numbers[625] != "900" || !strings.Contains(partial, "the same nanosecond") {
		t.Errorf("%d lines, %q", len(numbers), partial)
	}
	if want := []int{5000, 625, 625}; !slices.Equal(*limits, want) {
		t.Errorf("asked with %v, want %v", *limits, want)
	}
}

// One line that is larger than what is read is an error of its own, and no question without an end.
func TestALineThatIsTooLarge(t *testing.T) {
	s, limits := lines(t, 17<<20, []int64{noon.UnixNano()})
	page := ""
	for range 10 {
		a, err := s.Search(t.Context(), source.Query{From: noon, To: noon.Add(time.Minute)}, page)
		if err != nil {
			if !strings.Contains(err.Error(), "more than 16 MiB") || !slices.Equal(*limits, []int{5000, 625, 78, 9, 1}) {
				t.Errorf("%v, asked with %v", err, *limits)
			}
			return
		}
		page = a.Next
	}
	t.Error("the question has no end")
}

// A page that this adapter never gave is not asked for.
func TestPagesThatAreNone(t *testing.T) {
	s, limits := lines(t, 1, nil)
	for _, page := range []string{"x", "1~", "1~0", "1~-1", "1~5001", "~5", "1!!"} {
		_, err := s.Search(t.Context(), source.Query{From: noon, To: noon.Add(time.Minute)}, page)
		if f, ok := errors.AsType[*source.Fault](err); !ok || f.Kind != source.Expired || len(*limits) > 0 {
			t.Errorf("%q: %v", page, err)
		}
	}
}

// Answers that are no lines are told as what they are.
func TestAnswersOfLokiThatAreNoLines(t *testing.T) {
	for answer, want := range map[string]string{
		`{"data":{"resultType":"matrix","result":[]}}`: "gives matrix and no lines",
		`<!DOCTYPE html>`: "not understood",
		`{"data":{"resultType":"streams","result":[{"values":[["1"]]}]}}`:                              "a line of Loki's answer",
		`{"data":{"resultType":"streams","result":[{"values":[["1.5","x"]]}]}}`:                        "a line of Loki's answer",
		`{"data":{"resultType":"streams","result":[{"values":[["99999999999999999999","x"]]}]}}`:       "a line of Loki's answer",
		`{"data":{"resultType":"streams","result":[{"values":[["1","x",{"structuredMetadata":7}]]}]}}`: "a line of Loki's answer",
	} {
		s, _ := answering(t, "", answer)
		_, err := s.Search(t.Context(), source.Query{From: noon, To: noon.Add(time.Second)}, "")
		var f *source.Fault
		if !errors.As(err, &f) || !strings.Contains(f.Text, want) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	s, asked := answering(t, "", `{}`)
	if _, err := s.Search(t.Context(), source.Query{From: noon, To: noon.Add(time.Second)}, "x!"); err == nil || asked.URL != nil {
		t.Errorf("a page that is none: %v", err)
	}
}

// More lines of one nanosecond than Loki gives are passed by, and told.
func TestMoreLinesOfOneMomentThanLokiGives(t *testing.T) {
	line := fmt.Sprintf(`["%d","x"]`, noon.UnixNano())
	s, _ := answering(t, "", `{"data":{"resultType":"streams","result":[{"stream":{},"values":[`+strings.Repeat(line+",", 4999)+line+`]}]}}`)
	q := source.Query{From: noon, To: noon.Add(time.Second), Limit: 1000}
	a, err := s.Search(t.Context(), q, fmt.Sprint(noon.UnixNano())+"!")
	if err != nil || len(a.Rows) != 5000 || a.Next != fmt.Sprint(noon.UnixNano()+1) || !strings.Contains(a.Partial, "same nanosecond") {
		t.Errorf("%d rows, next %q, %q, %v", len(a.Rows), a.Next, a.Partial, err)
	}
}

// Streams are told apart by their labels, whatever those contain.
func TestStreamsWhoseLabelsLookAlike(t *testing.T) {
	s, _ := answering(t, "", `{"data":{"resultType":"streams","result":[
		{"stream":{"a":"1,b=2"},"values":[["1795300000000000001","x"]]},{"stream":{"a":"1","b":"2"},"values":[["1795300000000000001","x"]]},
		{"stream":{"a":"1\",b=\"2"},"values":[["1795300000000000001","x"]]}]}}`)
	a, err := s.Search(t.Context(), source.Query{From: noon, To: noon.Add(time.Second)}, "")
	streams := map[string]bool{}
	for _, r := range a.Rows {
		streams[r.Stream] = true
	}
	if err != nil || len(streams) != 3 {
		t.Errorf("%v %v", streams, err)
	}
}
