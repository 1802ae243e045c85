// Package sourcetest is the suite that every adapter passes which is searched: what a place answers that is busy,
// broken, slow or odd, and what has to be kept of it all the same. It serves tests only.
//
// Time is that of a synctest bubble, so that pauses of minutes cost nothing.
package sourcetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/store"
)

// Failure is something that the next answer has.
type Failure string

// The failures. The first ones are of the transport, the rest are the place's own.
const (
	Throttle   Failure = "429 with Retry-After"
	Break      Failure = "500"
	Slow       Failure = "a body that does not end"
	Cut        Failure = "a body that is cut"
	Away       Failure = "a redirect to another host"
	Duplicates Failure = "each row twice"
	Disorder   Failure = "rows out of order"
	EmptyPage  Failure = "a page without rows that has a next one"
	Expire     Failure = "a page that is too old"
)

// Script holds the failures of the next answers. It may be used by many goroutines.
type Script struct {
	mu    sync.Mutex
	next  []Failure
	asked []time.Time
	hosts []string
}

// Fail adds failures, one for each of the next answers.
func (s *Script) Fail(f ...Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = append(s.next, f...)
}

// Take returns the failure of this answer when it is one of these, else "".
func (s *Script) Take(of ...Failure) Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.next) == 0 || !slices.Contains(of, s.next[0]) {
		return ""
	}
	f := s.next[0]
	s.next = s.next[1:]
	return f
}

// Asked returns when requests came, and Hosts to whom.
func (s *Script) Asked() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Hosts returns the hosts that were asked.
func (s *Script) Hosts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.hosts)
}

// Transport answers requests by a handler, with the failures of a script and without a network.
func Transport(s *Script, h http.Handler) http.RoundTripper { return transport{s, h} }

type transport struct {
	script  *Script
	handler http.Handler
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.script.mu.Lock()
	t.script.asked = append(t.script.asked, time.Now())
	t.script.hosts = append(t.script.hosts, r.URL.Host)
	t.script.mu.Unlock()
	w := httptest.NewRecorder()
	switch f := t.script.Take(Throttle, Break, Slow, Cut, Away); f {
	case Throttle:
		w.Header().Set("Retry-After", "20")
		http.Error(w, "too many outstanding requests", http.StatusTooManyRequests)
	case Break:
		http.Error(w, "internal error", http.StatusInternalServerError)
	case Away:
		http.Redirect(w, r, "http://elsewhere.test/", http.StatusFound)
	case Slow, Cut:
		t.handler.ServeHTTP(w, r)
		a := w.Result()
		a.Request = r
		half := w.Body.Bytes()[:w.Body.Len()/2]
		a.Body = io.NopCloser(io.MultiReader(bytes.NewReader(half), &rest{ctx: r.Context(), cut: f == Cut}))
		return a, nil
	default:
		t.handler.ServeHTTP(w, r)
	}
	a := w.Result()
	a.Request = r
	return a, nil
}

// rest is the second half of a body that does not come.
type rest struct {
	ctx context.Context
	cut bool
}

func (r *rest) Read([]byte) (int, error) {
	if r.cut {
		return 0, io.ErrUnexpectedEOF
	}
	<-r.ctx.Done()
	return 0, r.ctx.Err()
}

// Place is a fake of what an adapter reads.
type Place struct {
	Script  *Script
	Put     func(rows ...source.Row) // adds rows, which can be read from now on
	Env     source.Env
	Options string    // JSON
	Can     []Failure // of its own, which it plays
}

// Rig is a runner with one source, and all that it writes to.
type Rig struct {
	Runner *source.Runner
	Store  *store.Store
	Whole  func(trace string) bool              // says when a trace is whole; nil: never
	Known  func(trace string) bool              // says whether something of a trace is kept; nil: of each
	Fresh  func(event.Batch) (event.Batch, int) // leaves out spans that came another way; nil: none did
}

// NewRig opens a source of options and makes its runner.
func NewRig(t *testing.T, a source.Adapter, options string, env source.Env) *Rig {
	t.Helper()
	return newRig(t, a, options, env, nil, nil)
}

// Kept makes a rig whose cursor is kept in cursors.
func Kept(t *testing.T, a source.Adapter, options string, env source.Env, cursors *sync.Map) *Rig {
	t.Helper()
	return newRig(t, a, options, env, func(name string) string {
		v, _ := cursors.Load(name)
		s, _ := v.(string)
		return s
	}, func(name, cursor string) error {
		cursors.Store(name, cursor)
		return nil
	})
}

func newRig(t *testing.T, a source.Adapter, options string, env source.Env, load func(string) string,
	save func(string, string) error,
) *Rig {
	t.Helper()
	opened, err := a.Open(json.RawMessage(options), env)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.New(store.Config{Run: "test", FirstSeq: 1, Limits: store.DefaultLimits(64 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	rig := &Rig{Store: st}
	in := ingest.New(ingest.Config{}, redact.New(redact.Rules{}), correlate.New(time.Now), st)
	rig.Runner = source.New(source.Config{
		Ingest: in, Host: "here", Run: Run, Load: load, Save: save,
		Known: func(trace string) bool { return rig.Known == nil || rig.Known(trace) },
		Fresh: func(b event.Batch) (event.Batch, int) {
			if rig.Fresh == nil {
				return b, 0
			}
			return rig.Fresh(b)
		},
		Whole: func(_ context.Context, trace string) bool { return rig.Whole != nil && rig.Whole(trace) },
	}, []source.Spec{{Name: "api/" + a.Name, Key: "api/" + a.Name, Service: "api", Adapter: a, Opened: opened}})
	return rig
}

// Start runs the jobs until the returned function is called.
func (r *Rig) Start() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	for _, job := range r.Runner.Jobs() {
		work.Add(1)
		go func() {
			defer work.Done()
			job(ctx)
		}()
	}
	return func() {
		cancel()
		work.Wait()
	}
}

// Events returns what was stored, in order of arrival.
func (r *Rig) Events(t *testing.T) []event.Event {
	t.Helper()
	var out []event.Event
	_, err := query.New(r.Store, nil).Scan(context.Background(), query.Span{From: 1, To: r.Store.NextSeq()}, &query.Filter{},
		func(it query.Item) bool {
			out = append(out, it.Event)
			return true
		})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Messages returns the messages of the logs and exceptions and the names of the spans that were stored, sorted.
func (r *Rig) Messages(t *testing.T) []string {
	t.Helper()
	out := r.Arrived(t)
	slices.Sort(out)
	return out
}

// Arrived returns the messages of the logs and exceptions that were stored, in order of arrival.
func (r *Rig) Arrived(t *testing.T) (out []string) {
	t.Helper()
	for _, e := range r.Events(t) {
		switch e := e.(type) {
		case *event.Log:
			out = append(out, e.Message)
		case *event.Exception:
			out = append(out, e.Message)
		case *event.Span:
			out = append(out, e.Name)
		}
	}
	return out
}

// Run is that of the daemon whose runner it is.
const Run = "a-run"

// Trace is what the suite searches for.
const Trace = "4bf92f3577b34da6a3ce929d0e0e4736"

// Search is the suite. Place makes a fake anew for each test, inside a bubble.
func Search(t *testing.T, a source.Adapter, place func(t *testing.T) *Place) {
	lines := func(n int, at time.Time) (rows []source.Row, want []string) {
		for i := range n {
			m := fmt.Sprintf("row %03d of trace_id=%s", i, Trace)
			rows = append(rows, source.Row{Time: at.Add(time.Duration(i) * time.Millisecond), Text: m})
			want = append(want, m)
		}
		return rows, want
	}
	try := func(name string, f func(t *testing.T, p *Place, r *Rig, at time.Time)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := place(t)
				at := time.Now()
				r := NewRig(t, a, p.Options, p.Env)
				stop := r.Start()
				defer stop()
				f(t, p, r, at)
			})
		})
	}
	want := func(t *testing.T, r *Rig, want []string) {
		t.Helper()
		if got := r.Messages(t); !slices.Equal(got, want) {
			t.Fatalf("%d rows are stored, want %d:\n%s\nstatus: %s", len(got), len(want), strings.Join(got, "\n"),
				r.Runner.Status()[0].Line(time.Now()))
		}
		for _, e := range r.Events(t) {
			if h := e.Base(); h.TraceID != Trace || h.Source != a.Name || h.Service != "api" {
				t.Fatalf("an event has trace %q, source %q, service %q", h.TraceID, h.Source, h.Service)
			}
		}
	}
	failures := append([]Failure{Throttle, Break, Slow, Cut}, place(t).Can...)
	for _, failure := range append([]Failure{"nothing"}, failures...) {
		try("with "+string(failure), func(t *testing.T, p *Place, r *Rig, at time.Time) {
			rows, all := lines(30, at)
			p.Put(rows...)
			p.Put(source.Row{Time: at, Text: "of another request"})
			if failure != "nothing" {
				p.Script.Fail(failure)
			}
			r.Runner.Want(Trace, at, at)
			time.Sleep(2200 * time.Millisecond)
			if st := r.Runner.Status()[0]; failure == Throttle &&
				(st.State != source.Waiting || !strings.Contains(st.Line(time.Now()), "next try in 20 s")) {
				t.Fatalf("the state says %q", st.Line(time.Now()))
			}
			time.Sleep(3 * time.Minute)
			want(t, r, all)
			if st := r.Runner.Status()[0]; st.Error != "" || st.State != source.Idle || st.Chasing != 0 {
				t.Fatalf("in the end the state says %q", st.Line(time.Now()))
			}
		})
	}
	try("rows that come late", func(t *testing.T, p *Place, r *Rig, at time.Time) {
		rows, all := lines(4, at)
		r.Runner.Want(Trace, at, at)
		for i, wait := range []time.Duration{time.Second, 3 * time.Second, 20 * time.Second, 60 * time.Second} {
			time.Sleep(wait)
			p.Put(rows[i])
		}
		time.Sleep(2 * time.Minute)
		want(t, r, all)
	})
	try("rows by another clock", func(t *testing.T, p *Place, r *Rig, at time.Time) {
		rows, all := lines(4, at)
		for i := range rows {
			rows[i].Time = rows[i].Time.Add(-4 * time.Second)
		}
		rows[3].Time = at.Add(50 * time.Second)
		p.Put(rows...)
		r.Runner.Want(Trace, at, at)
		time.Sleep(3 * time.Minute)
		want(t, r, all)
	})
	try("equal rows of one moment are all kept", func(t *testing.T, p *Place, r *Rig, at time.Time) {
		var all []string
		for range 3 {
			rows, m := lines(1, at)
			p.Put(rows...)
			all = append(all, m...)
		}
		r.Runner.Want(Trace, at, at)
		time.Sleep(3 * time.Minute)
		want(t, r, all)
	})
	try("the search ends when nothing is missing", func(t *testing.T, p *Place, r *Rig, at time.Time) {
		rows, all := lines(2, at)
		p.Put(rows...)
		r.Whole = func(string) bool { return true }
		r.Runner.Want(Trace, at, at)
		if pending, _ := r.Runner.Missing([]string{Trace}); len(pending) != 1 {
			t.Fatalf("pending is %q", pending)
		}
		time.Sleep(3 * time.Minute)
		want(t, r, all)
		if n := len(p.Script.Asked()); n != 1 {
			t.Fatalf("the place was asked %d times, want once", n)
		}
		if pending, unread := r.Runner.Missing([]string{Trace}); len(pending)+len(unread) > 0 {
			t.Fatalf("pending is %q, unread %q", pending, unread)
		}
	})
	try("a place that is down is asked seldom, and told", func(t *testing.T, p *Place, r *Rig, at time.Time) {
		rows, all := lines(2, at)
		p.Put(rows...)
		for range 9 {
			p.Script.Fail(Break)
		}
		r.Runner.Want(Trace, at, at)
		time.Sleep(45 * time.Second)
		asked := p.Script.Asked()
		if st := r.Runner.Status()[0]; st.State != source.Broken || st.Error == "" || st.Next.IsZero() {
			t.Fatalf("after %d questions the state says %q", len(asked), st.Line(time.Now()))
		}
		if pending, _ := r.Runner.Missing([]string{Trace}); len(pending) != 1 || !strings.Contains(pending[0], "500") {
			t.Fatalf("pending is %q", pending)
		}
		for i := 5; i < len(asked); i++ {
			if d := asked[i].Sub(asked[i-1]); d < 30*time.Second {
				t.Fatalf("question %d came %s after the one before", i, d)
			}
		}
		time.Sleep(12 * time.Minute)
		want(t, r, all)
	})
	try("a redirect does not leave the host", func(t *testing.T, p *Place, r *Rig, at time.Time) {
		p.Script.Fail(Away)
		r.Runner.Want(Trace, at, at)
		time.Sleep(3 * time.Minute)
		for _, h := range p.Script.Hosts() {
			if h == "elsewhere.test" {
				t.Fatal("another host was asked")
			}
		}
		if _, unread := r.Runner.Missing([]string{Trace}); len(unread) != 1 || !strings.Contains(unread[0], "elsewhere.test") {
			t.Fatalf("unread is %q", unread)
		}
	})
	try("it ends at once", func(t *testing.T, p *Place, r *Rig, at time.Time) {
		p.Script.Fail(Slow)
		r.Runner.Want(Trace, at, at)
		time.Sleep(3 * time.Second) // a question is under way; the deferred stop has to return
	})
}
