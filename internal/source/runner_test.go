package source_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/sourcetest"
)

// platform is a made-up place with ids, page tokens that expire, and arrival times.
type platform struct {
	script *sourcetest.Script
	mu     sync.Mutex
	rows   []source.Row
}

func (p *platform) put(rows ...source.Row) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range rows {
		r.ID, r.Ingested = "id"+strconv.Itoa(len(p.rows)), time.Now()
		p.rows = append(p.rows, r)
	}
}

func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	number := func(name string) int64 { n, _ := strconv.ParseInt(q.Get(name), 10, 64); return n }
	if number("page") > 0 && p.script.Take(sourcetest.Expire) != "" {
		http.Error(w, "the token expired", http.StatusGone)
		return
	}
	var found []source.Row
	p.mu.Lock()
	for _, row := range p.rows {
		at := row.Time
		if q.Get("ingested") != "" {
			at = row.Ingested
		}
		if at.UnixNano() >= number("from") && at.UnixNano() < number("to") && strings.Contains(row.Text, q.Get("trace")) {
			found = append(found, row)
		}
	}
	p.mu.Unlock()
	var out struct {
		Rows []source.Row
		Next string
	}
	const size = 7
	begin := min(int(number("page")), len(found))
	out.Rows = found[begin:min(begin+size, len(found))]
	if begin+size < len(found) {
		out.Next = strconv.Itoa(begin + size)
	}
	switch p.script.Take(sourcetest.Duplicates, sourcetest.Disorder, sourcetest.EmptyPage) {
	case sourcetest.Duplicates:
		out.Rows = append(slices.Clone(out.Rows), out.Rows...)
	case sourcetest.Disorder:
		out.Rows = slices.Clone(out.Rows)
		slices.Reverse(out.Rows)
	case sourcetest.EmptyPage:
		out.Rows, out.Next = nil, "+"+strconv.Itoa(begin)
	}
	_ = json.NewEncoder(w).Encode(out)
}

type searcher struct{ client *source.Client }

func (s searcher) Search(ctx context.Context, q source.Query, page string) (out source.Page, _ error) {
	values := url.Values{"from": {strconv.FormatInt(q.From.UnixNano(), 10)}, "to": {strconv.FormatInt(q.To.UnixNano(), 10)},
		"trace": {q.Trace}, "page": {page}}
	if q.Ingested {
		values.Set("ingested", "1")
	}
	body, pause, err := s.client.Get(ctx, "/search", values, nil)
	if err != nil {
		return out, err
	}
	out.Pause, out.Bytes = pause, int64(len(body))
	return out, json.Unmarshal(body, &out)
}

type options struct {
	Tail     bool   `json:"tail,omitempty"`
	Requests int    `json:"requests_per_hour,omitempty"`
	URL      string `json:"url" required:"true" doc:"where it is"`
}

func declare(c source.Capabilities) source.Adapter {
	c.Cost = "requests"
	return source.Declare("made", "Made up.", c, func(o options, env source.Env) (source.Opened, error) {
		client, err := source.NewClient(o.URL, source.Auth{}, env)
		return source.Opened{Uses: source.Uses{Files: []string{"made"}},
			Title: o.URL, Search: searcher{client}, Credential: o.URL, Poll: o.Tail, Requests: o.Requests, Rate: 5,
		}, err
	})
}

func place(options string) func(t *testing.T) *sourcetest.Place {
	return func(*testing.T) *sourcetest.Place {
		s := &sourcetest.Script{}
		p := &platform{script: s}
		return &sourcetest.Place{
			Script: s, Put: p.put, Env: source.Env{Transport: sourcetest.Transport(s, p)}, Options: options,
			Can: []sourcetest.Failure{sourcetest.Duplicates, sourcetest.Disorder, sourcetest.EmptyPage, sourcetest.Expire},
		}
	}
}

func TestAPlatformWithIDsAndTokensPassesTheSuite(t *testing.T) {
	sourcetest.Search(t, declare(source.Capabilities{StableIDs: true, Stamped: true}), place(`{"url":"http://made.test"}`))
}

func TestACursorByArrivalReadsLateRowsOnceAndLittleElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := place(`{"url":"http://made.test","tail":true}`)(t)
		r := sourcetest.NewRig(t, declare(source.Capabilities{Ingested: true, StableIDs: true, Stamped: true}), p.Options, p.Env)
		defer r.Start()()
		time.Sleep(time.Second)
		for i := range 300 {
			p.Put(source.Row{Time: time.Now().Add(-time.Duration(i%7) * time.Minute), Text: fmt.Sprint("row ", i)})
			time.Sleep(time.Second)
		}
		time.Sleep(10 * time.Second)
		st := r.Runner.Status()[0]
		if got := slices.Compact(r.Messages(t)); len(got) != 300 || st.Rows != 300 {
			t.Fatalf("%d rows are stored: %s", len(got), st.Line(time.Now()))
		}
		if st.Repeated > 200 {
			t.Fatalf("%d rows were read again", st.Repeated)
		}
	})
}

func TestTheBudgetOfAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := place(`{"url":"http://made.test","requests_per_hour":3}`)(t)
		r := sourcetest.NewRig(t, declare(source.Capabilities{}), p.Options, p.Env)
		defer r.Start()()
		at := time.Now()
		for i := range 5 {
			r.Runner.Want(fmt.Sprintf("%032x", i+1), at, at)
		}
		time.Sleep(4 * time.Second)
		if n := len(p.Script.Asked()); n != 3 {
			t.Fatalf("it was asked %d times, want 3", n)
		}
		st := r.Runner.Status()[0]
		if line := st.Line(time.Now()); st.State != source.Spent || !strings.Contains(line, "budget of 3 requests") {
			t.Fatalf("the state says %q", line)
		}
		_, unread := r.Runner.Missing([]string{fmt.Sprintf("%032x", 5)})
		if len(unread) != 1 || !strings.Contains(unread[0], "budget of this hour is spent") {
			t.Fatalf("unread is %q", unread)
		}
		time.Sleep(time.Hour)
		r.Runner.Want(fmt.Sprintf("%032x", 9), time.Now(), time.Now())
		time.Sleep(3 * time.Second)
		if n := len(p.Script.Asked()); n != 4 {
			t.Fatalf("in the next hour it was asked %d times in all, want 4", n)
		}
	})
}

func TestMoreSearchesThanOneSourceMayHave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := place(`{"url":"http://made.test"}`)(t)
		r := sourcetest.NewRig(t, declare(source.Capabilities{}), p.Options, p.Env)
		for i := range 130 {
			r.Runner.Want(fmt.Sprintf("%032x", i+1), time.Now(), time.Now())
		}
		if st := r.Runner.Status()[0]; st.Lost != 30 || st.Chasing != 100 {
			t.Fatalf("%d are given up, %d searched for", st.Lost, st.Chasing)
		}
	})
}

// follower gives rows in pieces and breaks off, as a connection does that drops.
type follower struct {
	every int // rows of one connection
	all   int
	calls int
}

func (f *follower) Tail(ctx context.Context, cursor string, emit source.Emit) error {
	f.calls++
	n, _ := strconv.Atoi(cursor)
	for i := range f.every {
		if n+i >= f.all {
			<-ctx.Done()
			return ctx.Err()
		}
		if err := emit(ctx, []source.Row{{Text: fmt.Sprint("row ", n+i)}}, strconv.Itoa(n+i+1)); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
	return errors.New("connection reset")
}

func TestATailThatDropsEveryFiveSecondsLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &follower{every: 5, all: 100}
		a := source.Declare("made", "Made up.", source.Capabilities{}, func(options, source.Env) (source.Opened, error) {
			return source.Opened{Uses: source.Uses{Files: []string{"made"}}, Title: "it", Tail: f}, nil
		})
		var cursors sync.Map
		r := sourcetest.Kept(t, a, `{"url":"x"}`, source.Env{}, &cursors)
		stop := r.Start()
		time.Sleep(5*time.Second + 1)
		if st := r.Runner.Status()[0]; st.State != source.Pausing || !strings.Contains(st.Error, "connection reset") {
			t.Fatalf("the state says %q", st.Line(time.Now()))
		}
		time.Sleep(4 * time.Minute)
		stop()
		if got := slices.Compact(r.Messages(t)); len(got) != 100 || f.calls != 21 {
			t.Fatalf("%d rows in %d connections: %s", len(got), f.calls, r.Runner.Status()[0].Line(time.Now()))
		}
		if kept, _ := cursors.Load("api/made"); kept != "100" {
			t.Fatalf("the cursor that is kept is %v", kept)
		}
	})
}

func TestTraceIDsInAllTheirForms(t *testing.T) {
	want := []string{
		"4bf92f3577b34da6a3ce929d0e0e4736", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "1-4bf92f35-77b34da6a3ce929d0e0e4736",
		"a3ce929d0e0e4736", "11803532876627986230",
	}
	if got := source.Variants(strings.ToUpper(sourcetest.Trace)); !slices.Equal(got, want) {
		t.Fatalf("the forms are %q", got)
	}
	// A lower half that is a small number, or none, is in lines of all sorts.
	for id, most := range map[string]int{
		"4bf92f3577b34da60000000000000000": 3, "4bf92f3577b34da60000000000000005": 4, "4bf92f3577b34da60000ffffffffffff": 4,
		"4bf92f3577b34da60001000000000000": 5,
	} {
		if got := source.Variants(id); len(got) != most {
			t.Errorf("the forms of %s are %q", id, got)
		}
	}
	if got := source.Variants("no id"); got != nil {
		t.Fatalf("the forms of no id are %q", got)
	}
}
