package loki_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
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
