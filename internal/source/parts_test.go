package source

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/follow"
	"github.com/brennhill/gasoline/internal/problem"
)

func TestClientsThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		url  string
		auth Auth
		want string
	}{
		{"ftp://x", Auth{}, "no http or https URL"},
		{"http://", Auth{}, "no http or https URL"},
		{"::", Auth{}, "no http or https URL"},
		{"http://me@x", Auth{}, "no credential"},
		{"http://x?a=b", Auth{}, "no credential"},
		{"http://x#a", Auth{}, "no credential"},
		{"http://x", Auth{TokenEnv: "T"}, "unencrypted"},
		{"http://10.0.0.1", Auth{TokenFile: "t"}, "unencrypted"},
		{"https://x", Auth{TokenEnv: "T", TokenFile: "t"}, "both given"},
		{"https://x", Auth{User: "me"}, "no password"},
		{"https://x/base/", Auth{User: "me", TokenEnv: "T"}, ""},
		{"http://localhost:1", Auth{TokenEnv: "T"}, ""},
		{"http://127.0.0.9:1", Auth{TokenEnv: "T"}, ""},
		{"http://[::1]:1", Auth{TokenEnv: "T"}, ""},
		{"http://x", Auth{}, ""},
	} {
		client, err := NewClient(c.url, c.auth, Env{})
		if c.want == "" {
			if err != nil || client == nil {
				t.Errorf("%s: %v", c.url, err)
			}
		} else if err == nil || problem.From(err).Code != problem.InvalidParam || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %+v: %v, want %q", c.url, c.auth, err, c.want)
		}
	}
	for address, want := range map[string]string{
		"http://127.0.0.1:3100/a": " http://127.0.0.1:3100/a http://127.0.0.1:3100   ",
		"https://x.example":       "x.example https://x.example https://x.example   ",
	} {
		c, err := NewClient(address, Auth{}, Env{})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Host() + " " + c.String() + " " + c.Credential(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWhatAClientSends(t *testing.T) {
	var got *http.Request
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r }))
	defer s.Close()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("token", "  secret\n")
	write("empty", "\n")
	write("odd", "a\nb")
	t.Setenv("SOURCE_TOKEN", "from env")
	t.Setenv("SOURCE_EMPTY", "")
	for _, c := range []struct {
		auth Auth
		want string // of Authorization, or of the fault
	}{
		{Auth{}, ""},
		{Auth{TokenEnv: "SOURCE_TOKEN"}, "Bearer from env"},
		{Auth{TokenEnv: "SOURCE_EMPTY"}, "fault SOURCE_EMPTY"},
		{Auth{TokenFile: "token"}, "Bearer secret"},
		{Auth{TokenFile: filepath.Join(dir, "token")}, "Bearer secret"},
		{Auth{TokenFile: "token", User: "me"}, "Basic bWU6c2VjcmV0"},
		{Auth{TokenFile: "none"}, "fault cannot be read"},
		{Auth{TokenFile: "empty"}, "fault has no token"},
		{Auth{TokenFile: "odd"}, "fault characters"},
	} {
		got = nil
		client, err := NewClient(s.URL+"/base/", c.auth, Env{Root: dir})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = client.Get(t.Context(), "/search", url.Values{"q": {"a b"}}, http.Header{"X-Scope": {"7"}})
		if word, isFault := strings.CutPrefix(c.want, "fault "); isFault {
			var f *Fault
			if !errors.As(err, &f) || f.Kind != Refused || f.Fix == "" || !strings.Contains(f.Text, word) || got != nil {
				t.Errorf("%+v: %v", c.auth, err)
			}
			continue
		}
		if err != nil || got.URL.Path != "/base/search" || got.URL.RawQuery != "q=a+b" || got.Header.Get("X-Scope") != "7" ||
			got.Header.Get("Authorization") != c.want {
			t.Errorf("%+v: %v %+v", c.auth, err, got)
		}
	}
}

func TestWhatAnswersMean(t *testing.T) {
	var status int
	header := http.Header{}
	body := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for k, v := range header {
			w.Header()[k] = v
		}
		if r.URL.Path == "/again" {
			http.Redirect(w, r, "/again", http.StatusFound)
			return
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	defer s.Close()
	now := time.Unix(1_800_000_000, 0)
	client, err := NewClient(s.URL, Auth{}, Env{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		status        int
		name, value   string
		kind          FaultKind
		after         time.Duration
		words, answer string
	}{
		{500, "", "", Unavailable, 0, "answers 500: a b", "a\n b"},
		{502, "Retry-After", "7", Unavailable, 7 * time.Second, "answers 502", ""},
		{429, "", "", Throttled, time.Second, "429", ""},
		{429, "Retry-After", "99999", Throttled, time.Hour, "429", ""},
		{429, "Retry-After", "10000000000", Throttled, time.Hour, "429", ""},
		{503, "Retry-After", "9223372036854775807", Unavailable, time.Hour, "503", ""},
		{429, "X-Ratelimit-Reset", "1e300", Throttled, time.Hour, "429", ""},
		{429, "X-Ratelimit-Reset", "NaN", Throttled, time.Second, "429", ""},
		{429, "Retry-After", "-3", Throttled, time.Second, "429", ""},
		{429, "Retry-After", now.Add(90 * time.Second).UTC().Format(http.TimeFormat), Throttled, 90 * time.Second, "429", ""},
		{429, "Retry-After", now.Add(-90 * time.Second).UTC().Format(http.TimeFormat), Throttled, time.Second, "429", ""},
		{429, "X-Ratelimit-Reset", "12.5", Throttled, 12500 * time.Millisecond, "429", ""},
		{429, "X-Ratelimit-Reset", "1800000040", Throttled, 40 * time.Second, "429", ""},
		{429, "X-Ratelimit-Reset", "9000", Throttled, time.Hour, "429", ""},
		{429, "X-Ratelimit-Reset", "soon", Throttled, time.Second, "429", ""},
		{401, "", "", Refused, 0, "401", ""},
		{403, "", "", Refused, 0, "403", ""},
		{410, "", "", Expired, 0, "410", ""},
		{408, "", "", Unavailable, 0, "408", ""},
		{404, "", "", Invalid, 0, "404", ""},
		{204, "", "", Invalid, 0, "204", ""},
		{400, "", "", Invalid, 0, strings.Repeat("x", 300), strings.Repeat("x", 400)},
	} {
		clear(header)
		if c.name != "" {
			header.Set(c.name, c.value)
		}
		status, body = c.status, c.answer
		_, _, err := client.Get(t.Context(), "/", nil, nil)
		var f *Fault
		if !errors.As(err, &f) || f.Kind != c.kind || f.After != c.after || !strings.Contains(f.Text, c.words) || f.HTTP != c.status ||
			strings.Contains(f.Text, strings.Repeat("x", 301)) {
			t.Errorf("%d %s %s: %+v", c.status, c.name, c.value, f)
		}
	}
	clear(header)
	header.Set("X-Ratelimit-Remaining", "0")
	header.Set("X-Ratelimit-Reset", "30")
	status, body = 200, "ok"
	if got, pause, err := client.Get(t.Context(), "/", nil, nil); err != nil || string(got) != "ok" || pause != 30*time.Second {
		t.Errorf("%q %s %v", got, pause, err)
	}
	header.Set("X-Ratelimit-Remaining", "1")
	if _, pause, err := client.Get(t.Context(), "/", nil, nil); err != nil || pause != 0 {
		t.Errorf("%s %v", pause, err)
	}
	body = strings.Repeat("x", maxAnswer)
	if got, _, err := client.Get(t.Context(), "/", nil, nil); err != nil || len(got) != maxAnswer {
		t.Errorf("%d %v", len(got), err)
	}
	body += "x"
	if _, _, err := client.Get(t.Context(), "/", nil, nil); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Error(err)
	}
	if _, _, err := client.Get(t.Context(), "/again", nil, nil); err == nil || !strings.Contains(err.Error(), "again and again") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := client.Get(ctx, "/", nil, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s.Close()
	if _, _, err := client.Get(t.Context(), "/", url.Values{"q": {"long"}}, nil); err == nil ||
		!strings.Contains(err.Error(), "does not answer") || strings.Contains(err.Error(), "long") {
		t.Error(err)
	}
}

// A server that repeats the credential in its refusal does not have it told.
func TestARefusalThatNamesTheToken(t *testing.T) {
	const token = "glsa 7/Q=="
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		http.Error(w, fmt.Sprintf("no such token: %s %s %s", r.Header.Get("Authorization"), user, password), http.StatusUnauthorized)
	}))
	defer s.Close()
	t.Setenv("SOURCE_TOKEN", token)
	for _, user := range []string{"", "me"} {
		client, err := NewClient(s.URL, Auth{TokenEnv: "SOURCE_TOKEN", User: user}, Env{})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = client.Get(t.Context(), "/", nil, nil)
		basic := base64.StdEncoding.EncodeToString([]byte(user + ":" + token))
		if err == nil || !strings.Contains(err.Error(), "no such token") || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), basic) {
			t.Errorf("%v", err)
		}
	}
}

func TestQuestionsPerSecond(t *testing.T) {
	now := time.Unix(1000, 0)
	b := newBucket(2) // ten at once, then one each half second
	for i := range 10 {
		if d := b.take(now); d != 0 {
			t.Errorf("question %d waits %s", i, d)
		}
	}
	if d := b.take(now); d != 500*time.Millisecond {
		t.Errorf("the eleventh waits %s", d)
	}
	now = now.Add(500 * time.Millisecond)
	if d := b.take(now); d != 0 {
		t.Errorf("half a second later: %s", d)
	}
	now = now.Add(time.Hour)
	for range 10 {
		b.take(now)
	}
	if d := b.take(now); d != 500*time.Millisecond {
		t.Errorf("after an hour there are more than ten: %s", d)
	}
	b.pause(now, 3*time.Second)
	b.pause(now, time.Second) // a shorter pause changes nothing
	if d := b.take(now.Add(time.Second)); d != 2*time.Second {
		t.Errorf("in the pause: %s", d)
	}
	if b := newBucket(0); b.rate != 1 || b.burst != 5 {
		t.Errorf("%+v", b)
	}
	if b := newBucket(0.1); b.burst != 1 {
		t.Errorf("%+v", b)
	}
}

func TestPausesAndBudgets(t *testing.T) {
	now := time.Unix(1000, 0)
	g := gate{maxRequests: 2, maxBytes: 100}
	wait := func(d time.Duration, s State) {
		t.Helper()
		if got, state := g.wait(now); got != d || state != s {
			t.Errorf("%s %s, want %s %s", got, state, d, s)
		}
	}
	wait(0, Idle)
	g.bytes = 100
	now = now.Add(time.Minute)
	wait(59*time.Minute, Spent)
	g.bytes, g.requests = 99, 2
	wait(59*time.Minute, Spent)
	now = now.Add(59 * time.Minute)
	wait(0, Idle)
	if g.bytes != 0 || g.requests != 0 {
		t.Errorf("%+v", g)
	}
	bound := firstPause
	for i := range 12 {
		g.failed(now, 0)
		d, state := g.wait(now)
		if i+1 < breakAfter {
			if state != Pausing || d < 50*time.Millisecond || d > bound+50*time.Millisecond {
				t.Errorf("failure %d: %s %s", i+1, d, state)
			}
		} else if state != Broken || d < probeAfter || d > longPause+50*time.Millisecond {
			t.Errorf("failure %d: %s %s", i+1, d, state)
		}
		bound = min(2*bound, longPause)
	}
	g.passed()
	wait(0, Idle)
	g.failed(now, 77*time.Second)
	wait(77*time.Second, Pausing)
}

func TestLinesOfTheState(t *testing.T) {
	now := time.Unix(10_000, 0)
	for want, s := range map[string]Status{
		"a/loki: idle; never answered; 0 rows":                                                                     {State: Idle, Next: now.Add(time.Minute)},
		"a/loki: waiting, next try in 14 s; no row yet; 0 rows":                                                    {State: Waiting, Next: now.Add(14 * time.Second), Answered: now},
		"a/loki: pausing; broken; never answered; 0 rows":                                                          {State: Pausing, Next: now, Error: "broken"},
		"a/loki: idle; the last answer is partial: cut; newest row 22 s old; 3 rows":                               {State: Idle, Partial: "cut", Newest: now.Add(-22 * time.Second), Rows: 3},
		"a/loki: idle; newest row 0 s old; 3 rows":                                                                 {State: Idle, Newest: now.Add(22 * time.Second), Rows: 3},
		"a/loki: idle; newest row 10m0s old; 1 row":                                                                {State: Idle, Newest: now.Add(-10 * time.Minute), Rows: 1},
		"a/loki: spent; never answered; 0 rows; 3 of 5 requests this hour, 2 kB":                                   {State: Spent, Cost: "requests", Requests: 3, Budget: 5, Bytes: 2100},
		"a/loki: idle; never answered; 0 rows; searching for 2 traces; 1 searches were given up: too many at once": {State: Idle, Chasing: 2, Lost: 1},
	} {
		s.Name = "a/loki"
		if got := s.Line(now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFormsOfATraceAreRead(t *testing.T) {
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	for id, want := range map[string]string{
		" " + strings.ToUpper(trace) + " ":     trace,
		"4bf92f35-77b3-4da6-a3ce-929d0e0e4736": trace,
		"1-4bf92f35-77b34da6a3ce929d0e0e4736":  trace,
		"projects/p/traces/" + trace:           trace,
		"a3ce929d0e0e4736":                     trace, // the half that was asked for
		"11803532876627986230":                 trace,
		"b3ce929d0e0e4736":                     "",
		"1-5bf92f35-77b34da6a3ce929d0e0e4736":  "5bf92f3577b34da6a3ce929d0e0e4736",
		"1-1bf92f35-77b34da6a3ce929d0e0e4736":  "1bf92f3577b34da6a3ce929d0e0e4736",
		strings.Repeat("0", 32):                "",
		strings.Repeat("g", 32):                "",
		trace + "0":                            "",
		"":                                     "",
	} {
		if got := traceOf(id, trace); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
	if got := traceOf("a3ce929d0e0e4736", ""); got != "" {
		t.Errorf("half an id nobody asked for is %q", got)
	}
}

// A line of another request is not a trace's because it has a digit of its id.
func TestLinesOfOthersAreNotATraces(t *testing.T) {
	a := &assembly{adapter: "loki", service: "api", live: true}
	now := time.Now()
	for _, trace := range []string{"4bf92f3577b34da60000000000000005", "4bf92f3577b34da60000000000000000"} {
		rows := []*Row{{Time: now, Text: "took 15 ms"}, {Time: now, Text: "span 0000000000000000 is not sampled"}}
		b, _, _ := a.add(rows, trace, true, now)
		for i, e := range b {
			if id := e.Base().TraceID; id != "" {
				t.Errorf("%q is of trace %s", rows[i].Text, id)
			}
		}
		if len(b) != len(rows) {
			t.Errorf("%d events", len(b))
		}
	}
}

// Places that look for a level in each row find it in some rows of a stack only: the stack is one error, with what the place
// says of its first row. Rows of two requests are not one record, whatever they look like.
func TestRowsOfOneStackBecomeOneErrorWhateverThePlaceSaysOfEach(t *testing.T) {
	const trace, other = "4bf92f3577b34da6a3ce929d0e0e4736", "5bf92f3577b34da6a3ce929d0e0e4736"
	now := time.Unix(1000, 0)
	stack := func(trace string, levels ...int) (rows []*Row) {
		for i, text := range []string{
			"2026-10-09 12:00:00,123 ERROR shop.api could not pay", "Traceback (most recent call last):",
			`  File "/app/pay.py", line 12, in pay`, "    charge(card)", "ValueError: no card",
		} {
			r := &Row{Time: now, Text: text, Stream: "1", Attributes: []Attribute{{Key: "detected_level", Value: "unknown"}}}
			if slices.Contains(levels, i) {
				r.Severity, r.Level = 17, "error"
			}
			if i == 0 {
				r.Trace = trace
			}
			rows = append(rows, r)
		}
		return rows
	}
	for _, levels := range [][]int{nil, {0}, {0, 4}, {4}, {0, 1, 2, 3, 4}} {
		a := assembly{adapter: "made", service: "api"}
		b, _, _ := a.add(append(stack(trace, levels...), stack(other, levels...)...), "", true, now)
		if len(b) != 2 {
			t.Fatalf("%v: %d events", levels, len(b))
		}
		for i, e := range b {
			x, ok := e.(*event.Exception)
			if !ok || x.Type != "ValueError" || len(x.Stack) != 1 || x.Said() == "" || x.TraceID != []string{trace, other}[i] {
				t.Errorf("%v: %+v", levels, e)
			}
		}
	}
	a := assembly{adapter: "made", service: "api"}
	b, _, _ := a.add([]*Row{{Time: now, Text: "ERROR TypeError: no card", Trace: trace}, {Time: now, Text: "    at pay (/app/pay.js:3:1)", Trace: other}}, "", true, now)
	if len(b) != 2 || b[0].Base().TraceID != trace || b[1].Base().TraceID != other {
		t.Errorf("%d events", len(b))
	}
}

// Lines of one stream are joined, of two they are not; bytes are those of the records that are handed on.
func TestRowsBecomeRecords(t *testing.T) {
	a := assembly{adapter: "made", service: "api", host: "here", domain: "here", live: true}
	now := time.Unix(1000, 0)
	row := func(stream, text string) *Row { return &Row{Time: now, Stream: stream, Text: text} }
	b, bytes, _ := a.add([]*Row{row("1", "Traceback (most recent call last):"), row("2", "hello")}, "", false, now)
	if len(b) != 1 || bytes != 39 || b[0].(*event.Log).Message != "hello" || b[0].Base().ClockDomain != "" {
		t.Fatalf("%d events, %d bytes", len(b), bytes)
	}
	b, bytes, _ = a.add([]*Row{row("1", `  File "a.py", line 1, in f`), row("1", "ValueError: no")}, "", false, now)
	if len(b) != 0 || bytes != 41 {
		t.Fatalf("%d events, %d bytes", len(b), bytes)
	}
	if b, _ = a.idle(now.Add(settled-1), false); len(b) != 0 {
		t.Fatal("too early")
	}
	b, bytes = a.idle(now.Add(settled), false)
	if len(b) != 1 || bytes != 75 || b[0].(*event.Exception).Message != "no" {
		t.Fatalf("%d events, %d bytes", len(b), bytes)
	}
	if b, bytes = a.idle(now.Add(time.Hour), true); len(b) != 0 || bytes != 0 {
		t.Fatalf("%d events, %d bytes again", len(b), bytes)
	}
	// What the place says beside the text is added, unless the text says it.
	said := &Row{Time: now, Text: "paid", Trace: "4bf92f3577b34da6a3ce929d0e0e4736", Span: "00f067aa0ba902b7", Severity: 17, Level: "error",
		Service: "pay", Instance: "i", Host: "there", Output: "stdout", Attributes: []Attribute{{Key: "a", Value: "b"}, {Key: "c", Value: "\""}}}
	own := &Row{Time: now, Text: "WARN slow trace_id=5bf92f3577b34da6a3ce929d0e0e4736", Trace: said.Trace, Span: said.Span, Severity: 9, Level: "info"}
	b, _, _ = a.add([]*Row{said, own, {Text: "of 4bf92f35-77b3-4da6-a3ce-929d0e0e4736"}}, said.Trace, true, now)
	if len(b) != 3 {
		t.Fatalf("%d events", len(b))
	}
	l := b[0].(*event.Log)
	if l.TraceID != said.Trace || l.SpanID != said.Span || l.Level != "error" || l.Severity != 17 || l.Service != "pay" || l.ClockDomain != "there" ||
		l.Attributes != `{"log.iostream":"stdout","a":"b","c":"\""}` {
		t.Errorf("%+v", l)
	}
	if l = b[1].(*event.Log); l.TraceID != "5bf92f3577b34da6a3ce929d0e0e4736" || l.SpanID != "" || l.Level != "warn" {
		t.Errorf("%+v", l)
	}
	if l = b[2].(*event.Log); l.TraceID != said.Trace || !l.Time.Equal(now) {
		t.Errorf("%+v", l)
	}
	for i := range 2 * maxStreams {
		a.add([]*Row{row(fmt.Sprint("s", i), "x")}, "", true, now)
	}
	if len(a.streams) > maxStreams {
		t.Errorf("%d streams", len(a.streams))
	}
}

// A row that is there again is known; two equal rows of one pass are two.
func TestRowsAreTakenOnce(t *testing.T) {
	s := newSeen()
	r := Row{Time: time.Unix(1, 0), Stream: "s", Output: "o", Text: "t"}
	one, two := map[uint64]int{}, map[uint64]int{}
	first, second := s.key("x", &r, one), s.key("x", &r, one)
	if first == second || s.key("x", &r, two) != first || s.key("x", &r, two) != second {
		t.Error("equal rows")
	}
	for name, change := range map[string]func(*Row){
		"time": func(r *Row) { r.Time = r.Time.Add(1) }, "stream": func(r *Row) { r.Stream = "u" }, "output": func(r *Row) { r.Output = "u" },
		"text": func(r *Row) { r.Text = "u" }, "id": func(r *Row) { r.ID = "u" },
	} {
		o := r
		if change(&o); s.key("x", &o, map[uint64]int{}) == first {
			t.Errorf("another %s is the same row", name)
		}
	}
	if s.key("y", &r, map[uint64]int{}) == first {
		t.Error("another source has the same row")
	}
	s.add([]uint64{first})
	if !s.has(first) || s.has(second) {
		t.Error("what was taken")
	}
	for i := range maxSeen {
		s.add([]uint64{uint64(i)})
	}
	if s.has(first) || !s.has(maxSeen-1) || len(s.now)+len(s.past) > maxSeen {
		t.Errorf("%d and %d are remembered", len(s.now), len(s.past))
	}
}

func TestProgramsOfSources(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	sh := func(script string) Command { return Command{Args: []string{"sh", "-c", script}} }
	lines := func(c Command) (out []string, err error) {
		err = c.Lines(t.Context(), func(ps []follow.Piece) error {
			if len(ps) > maxBatch {
				t.Errorf("%d lines at once", len(ps))
			}
			for _, p := range ps {
				out = append(out, string(p.Text))
			}
			return nil
		})
		return out, err
	}
	for _, c := range []struct {
		script string
		want   []string
		words  string
	}{
		{"echo one; printf two", []string{"one", "two"}, "sh: it ended"},
		{"echo one; exit 3", []string{"one"}, "sh: exit status 3"},
		{"echo 'permission\n  denied' >&2; exit 3", nil, "sh: permission denied"},
		{"echo 'sh: it is late' >&2; exit 3", nil, "sh: it is late"}, // its name once
		{"echo 'E1123 17:50:00.123456    1234 memcache.go:265] \"Unhandled Error\" no list' >&2; " +
			"echo 'E1123 17:50:00.223456    1234 memcache.go:265] \"Unhandled Error\" no list' >&2; echo 'The connection was refused' >&2; exit 1",
			nil, "sh: The connection was refused"},
		{"for i in 1 2; do echo \"W1123 17:50:00.12345$i    1234 a.go:265] no list\" >&2; done; exit 1", nil, "sh: no list"},
		{"echo $LC_ALL", []string{"C"}, "it ended"},
		{"cat", nil, "it ended"}, // no input
	} {
		got, err := lines(sh(c.script))
		var f *Fault
		if !slices.Equal(got, c.want) || !errors.As(err, &f) || f.Kind != Unavailable || !strings.HasSuffix(f.Text, c.words) ||
			strings.Contains(f.Text, "sh: sh:") {
			t.Errorf("%s: %q %v", c.script, got, err)
		}
	}
	if _, err := lines(Command{Args: []string{"no-such-program-at-all"}}); err == nil || err.(*Fault).Kind != Refused ||
		!strings.Contains(err.Error(), "is not installed") {
		t.Error(err)
	}
	// Its input stays open while it is read.
	with := sh("read x; echo got $x; exec sleep 60 3<&0")
	with.Input = "hello\n"
	enough := errors.New("enough")
	began := time.Now()
	if err := with.Lines(t.Context(), func(ps []follow.Piece) error {
		if string(ps[0].Text) != "got hello" {
			t.Errorf("%q", ps[0].Text)
		}
		return enough
	}); !errors.Is(err, enough) || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
	many, err := lines(sh("seq 1 1000"))
	if len(many) != 1000 || many[999] != "1000" {
		t.Errorf("%d lines: %v", len(many), err)
	}
	var said tailOf
	for i := range 2000 {
		fmt.Fprintf(&said, "%d ", i)
	}
	if said.Len() > maxSaid || !strings.HasSuffix(said.words(), "1998 1999") {
		t.Errorf("%d bytes", said.Len())
	}
	var log tailOf
	for range 100 {
		_, _ = log.Write([]byte("E1123 17:50:00.123456    1234 memcache.go:265] no list of all that there is\n"))
	}
	if log.words() != "no list of all that there is" {
		t.Errorf("%q", log.words())
	}
	_, _ = said.Write([]byte(strings.Repeat("x", 2*maxSaid) + "end"))
	if said.Len() != maxSaid || !strings.HasSuffix(said.words(), "end") {
		t.Errorf("%d bytes", said.Len())
	}
}

// Two sources of one kind have names and keys of their own; paths are of the file's folder.
func TestSourcesOfAFile(t *testing.T) {
	var roots []string
	type made struct {
		Path string `json:"path" required:"true" doc:"where"`
	}
	a := Declare("made", "Made up.", Capabilities{}, func(o made, env Env) (Opened, error) {
		roots = append(roots, env.Root)
		if o.Path == "bad" {
			return Opened{}, problem.New(problem.InvalidParam, "Write it otherwise.", "path is bad")
		}
		return Opened{Uses: Uses{Files: []string{o.Path}}, Title: o.Path}, nil
	})
	text := `{"services":{"api":{"sources":[{"type":"made","path":"a"},{"type":"made","path":"b"}]},"web":{"sdk":true}}}`
	services, specs, err := Read("/srv/gasoline.json", []byte(text), []Adapter{a}, Env{})
	if err != nil || len(services) != 2 || len(specs) != 2 || specs[0].Key == specs[1].Key || len(specs[0].Key) != 16 ||
		specs[1].Name != "api/made" || specs[1].Service != "api" || roots[len(roots)-1] != "/srv" {
		t.Fatalf("%v %+v %v", err, specs, roots)
	}
	_, moved, _ := Read("/other/gasoline.json", []byte(text), []Adapter{a}, Env{})
	if moved[0].Key == specs[0].Key {
		t.Error("another file has the same keys")
	}
	r := New(Config{}, specs)
	if st := r.Status(); st[0].Name != "api/made" || st[1].Name != "api/made#2" || st[0].Title != "a" || st[0].State != Idle {
		t.Errorf("%+v", st)
	}
	if _, _, err := Read("g.json", []byte(strings.Replace(text, `"a"`, `"bad"`, 1)), []Adapter{a}, Env{}); err == nil ||
		!strings.Contains(err.Error(), "path is bad") {
		t.Error(err)
	}
	if _, _, err := Read("g.json", []byte(strings.Replace(text, `"made"`, `"mades"`, 1)), []Adapter{a}, Env{}); err == nil ||
		!strings.Contains(problem.From(err).Fix, "Did you mean made?") {
		t.Error(err)
	}
	many := make([]Spec, maxSources+5)
	for i := range many {
		many[i] = Spec{Name: strconv.Itoa(i), Adapter: a}
	}
	if n := len(New(Config{}, many).Status()); n != maxSources {
		t.Errorf("%d sources", n)
	}
}

// still is a source that answers with nothing, and counts.
type still struct {
	mu    sync.Mutex
	asked []Query
}

// questions returns what it was asked.
func (s *still) questions() []Query {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *still) Search(_ context.Context, q Query, _ string) (Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	return Page{}, nil
}

// A search is widened by a second request of its trace, is not begun anew for half a minute after its end, and uses the
// bounds of its declaration.
func TestSearchesOfOneTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &still{}
		r := New(Config{Known: func(string) bool { return true }}, []Spec{{Name: "a", Opened: Opened{Search: s}}})
		if st := r.Status()[0]; st.Budget != math.MaxInt {
			t.Errorf("what costs nothing has a budget of %d", st.Budget)
		}
		paid := New(Config{}, []Spec{{Name: "a", Adapter: Adapter{Capabilities: Capabilities{Cost: "requests"}}, Opened: Opened{Search: s}}})
		if st := paid.Status()[0]; st.Budget != 600 || st.Cost != "requests" {
			t.Errorf("%+v", st)
		}
		ctx, cancel := context.WithCancel(t.Context())
		for _, job := range r.Jobs() {
			go job(ctx)
		}
		start := time.Now()
		r.Want("t", start, start)
		r.Want("t", start.Add(-time.Second), start.Add(time.Second))
		time.Sleep(2500 * time.Millisecond)
		if len(s.questions()) != 1 || !s.questions()[0].From.Equal(start.Add(-6*time.Second)) || !s.questions()[0].To.Equal(start.Add(61*time.Second)) ||
			s.questions()[0].Trace != "t" || s.questions()[0].Limit != pageRows {
			t.Fatalf("%+v", s.questions())
		}
		if pending, unread := r.Missing([]string{"t"}); !slices.Equal(pending, []string{"a"}) || len(unread) != 0 {
			t.Errorf("%q %q", pending, unread)
		}
		time.Sleep(3 * time.Minute)
		n := len(s.questions())
		if n != len(steps)+1 { // once more, since the second request ended later
			t.Errorf("asked %d times", n)
		}
		end := time.Now()
		r.Want("t", end, end)
		time.Sleep(3 * time.Second)
		if len(s.questions()) == n {
			t.Error("not searched for again after half a minute")
		}
		cancel()
		synctest.Wait()
	})
}

// The cursor is kept every two seconds when it moved, and only then; that it cannot be is told.
func TestCursorsAreSavedWhenTheyMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		moved := make(chan string)
		var mu sync.Mutex // of saves and failing
		var saves []string
		var failing error
		s := tailer(func(ctx context.Context, cursor string, emit Emit) error {
			for {
				select {
				case c := <-moved:
					if err := emit(ctx, nil, c); err != nil {
						return err
					}
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		})
		r := New(Config{Load: func(string) string { return "1" }, Save: func(key, cursor string) error {
			mu.Lock()
			defer mu.Unlock()
			saves = append(saves, key+" "+cursor)
			return failing
		}}, []Spec{{Name: "a", Key: "k", Opened: Opened{Tail: s}}})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		for _, job := range r.Jobs() {
			go func() { job(ctx); done <- struct{}{} }()
		}
		time.Sleep(5 * time.Second)
		moved <- "1" // it did not move
		time.Sleep(5 * time.Second)
		moved <- "2"
		time.Sleep(10 * time.Second)
		mu.Lock()
		if !slices.Equal(saves, []string{"k 2"}) {
			t.Errorf("%q", saves)
		}
		failing = errors.New("disk full")
		mu.Unlock()
		moved <- "3"
		time.Sleep(3 * time.Second)
		if st := r.Status()[0]; !strings.Contains(st.Partial, "cannot be kept: disk full") || st.State != Follows {
			t.Errorf("%+v", st)
		}
		mu.Lock()
		failing = nil
		mu.Unlock()
		cancel()
		<-done
		<-done
		if saves[len(saves)-1] != "k 3" || len(saves) > 4 {
			t.Errorf("%q", saves)
		}
	})
}

type tailer func(context.Context, string, Emit) error

func (t tailer) Tail(ctx context.Context, cursor string, emit Emit) error {
	return t(ctx, cursor, emit)
}
