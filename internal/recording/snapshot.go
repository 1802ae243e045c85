package recording

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/query"
)

// Bounds of a snapshot. What is newest stays.
const (
	maxTroubles  = 50
	maxCalls     = 100
	maxPlaces    = 100 // pages, and as many acts and loads
	maxCauses    = 8   // pages, acts and endpoints of one error
	maxDurations = 20
)

// Snapshot is how an application was at one time, as its kept events tell: what failed, what was requested, and what was
// done, so that a later one can tell what is new, what is gone and what was not tried again.
type Snapshot struct {
	Version  int       `json:"version"`
	Name     string    `json:"name"`
	Captured time.Time `json:"captured_at"`
	Used     time.Time `json:"used_at"` // when it was captured or compared last
	Run      string    `json:"run"`     // of the daemon, whose numbers these are:
	Through  event.Seq `json:"through"` // all events that were kept have lower numbers
	Whole    event.Seq `json:"whole"`   // from this number on, nothing was evicted
	Scope    string    `json:"scope"`
	URL      string    `json:"url,omitempty"`   // only what has this in its URL
	Noise    string    `json:"noise,omitempty"` // mark of the noise rules that were laid over it; "" none

	Errors   []Trouble `json:"errors"`
	Requests []Called  `json:"requests"`
	Pages    []Place   `json:"pages"`
	Acts     []Place   `json:"acts"`
	Loads    []Load    `json:"loads"`
	Over     Over      `json:"over,omitzero"` // that there was no room for
}

// Over counts what a snapshot had no room for.
type Over struct {
	Errors   int  `json:"errors,omitempty"`   // events
	Requests int  `json:"requests,omitempty"` // events
	Unread   bool `json:"unread,omitempty"`   // more events are kept than were looked at
}

// Trouble is equal errors: of one kind at one place of the code.
type Trouble struct {
	Group
	Last  event.Seq     `json:"last"`
	Time  time.Time     `json:"time"`            // of the last; what came together has numbers in any order
	Pages []string      `json:"pages,omitempty"` // keys of those that it was seen on
	Acts  []string      `json:"acts,omitempty"`  // keys of what led to it
	Calls []string      `json:"calls,omitempty"` // keys of requests in whose trace it is
	After time.Duration `json:"after,omitempty"` // it came at least so long after what led to it, or after its page began
	Gone  bool          `json:"gone,omitempty"`  // what led to it was done again later, and it did not come
}

// Called is the requests of one method to one address.
type Called struct {
	Endpoint
	Pages      []string  `json:"pages,omitempty"`
	Last       event.Seq `json:"last"`
	Time       time.Time `json:"time"` // of the last, when it began
	LastFailed event.Seq `json:"last_failed,omitempty"`
	TimeFailed time.Time `json:"time_failed,omitzero"`
	Status     string    `json:"status"`                  // of the last
	FailedAs   string    `json:"failed_status,omitempty"` // of the last that failed
	Took       []Took    `json:"took,omitempty"`          // by the newest that were answered
	Gone       bool      `json:"gone,omitempty"`          // it failed, and did not when its page asked again later
}

// Took is how long one request took.
type Took struct {
	Seq event.Seq `json:"seq"`
	MS  float64   `json:"ms"`
}

// took returns how long those took that have this number or a higher one, in ms.
func (c Called) took(since event.Seq) (out []float64) {
	for _, t := range c.Took {
		if t.Seq >= since {
			out = append(out, t.MS)
		}
	}
	return out
}

// fails reports whether it was failing when it was captured.
func (c Called) fails() bool { return c.Failed > 0 && !c.Gone }

// origins returns those of the pages that were visited from this number on, with ports, in order.
func (s *Snapshot) origins(since event.Seq) []string {
	origins := map[string]bool{}
	for _, p := range s.Pages {
		if u, err := page.ParseURL(p.What); err == nil && u.Host != "" && p.Main && p.Last >= since {
			origins[u.Host] = true
		}
	}
	return slices.Sorted(maps.Keys(origins))
}

// Hosts returns those of the pages that were visited from this number on, without ports, in order.
func (s *Snapshot) Hosts(since event.Seq) []string {
	hosts := map[string]bool{}
	for _, p := range s.Pages {
		if host, _, ok := strings.Cut(p.Key, "/"); ok && p.Main && p.Last >= since {
			hosts[host] = true
		}
	}
	return slices.Sorted(maps.Keys(hosts))
}

// Place is a page that was visited, or an act that was done.
type Place struct {
	Key  string    `json:"key"`
	What string    `json:"what"` // of the newest
	Last event.Seq `json:"last"`
	Time time.Time `json:"time"`           // of the last
	Main bool      `json:"main,omitempty"` // a page, not only an iframe's
}

// Load is how a page loaded the last time.
type Load struct {
	Page     string    `json:"page"`
	Seq      event.Seq `json:"seq"`
	MS       float64   `json:"load_ms"`
	Requests int       `json:"requests"`
	Bytes    int64     `json:"bytes"`

	Vitals map[string]float64 `json:"vitals,omitempty"` // lcp, inp, fcp and ttfb in ms, and cls, those that were measured
}

// Empty reports whether nothing is in it that could be compared.
func (s *Snapshot) Empty() bool {
	return len(s.Errors)+len(s.Requests)+len(s.Pages)+len(s.Acts)+len(s.Loads) == 0
}

// Wrong counts the errors that were not gone.
func (s *Snapshot) Wrong() (n int) {
	for _, t := range s.Errors {
		if !t.Gone {
			n++
		}
	}
	return n
}

// Failing counts the endpoints that failed and did not work later.
func (s *Snapshot) Failing() (n int) {
	for _, c := range s.Requests {
		if c.fails() {
			n++
		}
	}
	return n
}

// Snapshot takes what a reader has that passes the filter. Its texts are without the secrets that are known by now. Errors are ctx's.
func (r *Recorder) Snapshot(ctx context.Context, reader query.Reader, f query.Filter) (*Snapshot, error) {
	now := time.Now().Round(0).UTC()
	s := &taking{
		out:    Snapshot{Version: version, Captured: now, Used: now, Run: reader.Run(), URL: f.URL},
		errors: map[string]*Trouble{}, calls: map[string]*Called{}, pages: map[string]*Place{}, acts: map[string]*Place{},
		deeds: map[string]deedAt{}, began: map[string]time.Time{}, traces: map[string][]string{}, loads: map[string]bool{},
	}
	sum, err := reader.Sum(ctx, nil, &query.Filter{}, 0, false)
	if err != nil {
		return nil, err
	}
	s.out.Through = sum.Next
	// What led to errors is read first. The filter's URL is of errors and requests, not of what was done.
	done := f
	done.URL, done.Severity, done.Services = "", 0, 0
	every := f
	every.Severity = 0
	wrong := f
	wrong.Severity = event.SeverityError
	for _, part := range []struct {
		kinds  []event.Kind
		filter query.Filter
	}{
		{[]event.Kind{event.KindAction, event.KindLifecycle}, done},
		{[]event.Kind{event.KindExchange, event.KindPerformance}, every},
		{[]event.Kind{event.KindException, event.KindLog}, wrong},
	} {
		cover, err := query.Survey(ctx, reader, part.kinds, part.filter, s.take)
		if err != nil {
			return nil, err
		}
		s.out.Over.Unread = s.out.Over.Unread || !cover.Exhausted
	}
	if s.out.Whole, err = wholeFrom(ctx, reader, f, sum.Next); err != nil {
		return nil, err
	}
	return s.made(r.clean), nil
}

// wholeFrom returns the least number from which on nothing that passes was evicted.
func wholeFrom(ctx context.Context, reader query.Reader, f query.Filter, next event.Seq) (event.Seq, error) {
	kinds := []event.Kind{event.KindException, event.KindLog, event.KindExchange}
	f.URL = ""
	var from event.Seq // something with a lower number may have been evicted
	for to := next; from < to; {
		middle := from + (to-from)/2
		sum, err := reader.Sum(ctx, kinds, &f, middle, false)
		if err != nil {
			return 0, err
		}
		if sum.Evicted == 0 {
			to = middle
		} else {
			from = middle + 1
		}
	}
	return from, nil
}

// taking collects a snapshot from events that come newest first, kind by kind.
type taking struct {
	out    Snapshot
	errors map[string]*Trouble
	calls  map[string]*Called
	pages  map[string]*Place
	acts   map[string]*Place
	deeds  map[string]deedAt    // by session and id of the action
	began  map[string]time.Time // by session and document
	traces map[string][]string  // keys of calls by trace
	loads  map[string]bool      // pages whose newest load is known
}

type deedAt struct {
	key string
	at  time.Time
}

func (s *taking) take(it query.Item) {
	h := it.Head
	switch e := it.Event.(type) {
	case *event.Lifecycle:
		if key, ok := s.visited(e); ok {
			if p := see(s.pages, key, e.ToURL, h); p != nil && h.Frame == 0 {
				p.Main = true
			}
		}
	case *event.Action:
		d := deedAt{actKey(e), h.Time}
		if h.Cause.Action != "" && len(s.deeds) < 10_000 {
			s.deeds[h.Session+"\x00"+h.Cause.Action] = d
		}
		see(s.acts, d.key, d.key, h)
	case *event.Exchange:
		if e.Outcome != "pending" {
			s.called(e)
		}
	case *event.Performance:
		key := pageKey(e.URL)
		if h.Frame != 0 || e.Load <= 0 || e.Soft || s.loads[key] || len(s.loads) >= maxPlaces {
			return
		}
		s.loads[key] = true
		l := Load{Page: key, Seq: h.Seq, MS: e.Load, Vitals: map[string]float64{}}
		for name, v := range map[string]event.Vital{"lcp": e.LCP, "inp": e.INP, "fcp": e.FCP, "ttfb": e.TTFB, "cls": e.CLS} {
			if v.Rating != "" {
				l.Vitals[name] = v.Value
			}
		}
		for _, r := range e.Resources {
			l.Requests += r.Count
			l.Bytes += r.Bytes
		}
		s.out.Loads = append(s.out.Loads, l)
	case *event.Exception:
		message := e.Message
		if e.Type != "" && !strings.HasPrefix(message, e.Type) {
			message = e.Type + ": " + message
		}
		s.wrong(h, message, analysis.PlaceOf(e.Stack), e.Count)
	case *event.Log:
		s.wrong(h, e.Message, analysis.PlaceOf(e.Stack), e.Count)
	}
}

// visited returns the key of the page that an event says was begun, or gone to within a document.
func (s *taking) visited(e *event.Lifecycle) (key string, ok bool) {
	switch e.State {
	case "document_start":
		s.began[e.Session+"\x00"+e.Document] = e.Time
	case "navigate", "pageshow":
	default:
		return "", false
	}
	return pageKey(e.ToURL), e.ToURL != ""
}

// see notes a place; nil when there is no room. What comes first is the newest.
func see(places map[string]*Place, key, what string, h *event.Head) *Place {
	p := places[key]
	if p == nil && len(places) < maxPlaces {
		p = &Place{Key: key, What: cut(what, maxSample), Last: h.Seq}
		places[key] = p
	}
	if p != nil {
		p.Time = later(p.Time, h.Time)
	}
	return p
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (s *taking) called(e *event.Exchange) {
	url, _, _ := strings.Cut(e.URL, "#")
	url, _, _ = strings.Cut(url, "?")
	key := e.Method + " " + fingerprint(url)
	c := s.calls[key]
	if c == nil {
		if len(s.calls) >= maxCalls && !s.displace(e.Failed()) {
			s.out.Over.Requests++
			return
		}
		c = &Called{
			Endpoint: Endpoint{Method: e.Method, URL: cut(url, maxSample), Key: key, Statuses: map[string]int{}},
			Last:     e.Seq, Status: statusOf(e),
		}
		s.calls[key] = c
	}
	c.Time = later(c.Time, e.Started)
	c.Count++
	if n := statusOf(e); len(c.Statuses) < 20 || c.Statuses[n] > 0 {
		c.Statuses[n]++
	}
	if e.Failed() {
		c.TimeFailed = later(c.TimeFailed, e.Started)
		if c.Failed++; c.LastFailed == 0 {
			c.LastFailed, c.FailedAs = e.Seq, statusOf(e)
		}
	}
	if len(c.Took) < maxDurations && e.Status != 0 && !e.Streams() {
		c.Took = append(c.Took, Took{e.Seq, float64(e.Duration.Microseconds()) / 1000})
	}
	c.Pages = with(c.Pages, pageKey(e.PageURL))
	if e.TraceID != "" && len(s.traces) < 10_000 {
		s.traces[e.TraceID] = with(s.traces[e.TraceID], key)
	}
}

// displace makes room for an endpoint that failed: the one goes that was asked longest ago of those that did not.
func (s *taking) displace(failed bool) bool {
	var oldest *Called
	for _, c := range s.calls {
		if c.Failed == 0 && (oldest == nil || c.Last < oldest.Last) {
			oldest = c
		}
	}
	if !failed || oldest == nil {
		return false
	}
	delete(s.calls, oldest.Key)
	s.out.Over.Requests += oldest.Count
	return true
}

func statusOf(e *event.Exchange) string {
	if e.Status != 0 {
		return fmt.Sprint(e.Status)
	}
	return e.Outcome
}

func (s *taking) wrong(h *event.Head, message, at string, count int) {
	key := "error " + fingerprint(message)
	if h.Service != "" {
		key = "error in " + h.Service + " " + fingerprint(message)
	}
	if at = fingerprint(at); at != "" {
		// Names that a build made as short as can be change with each build.
		if name, script, ok := strings.Cut(at, " "); ok && len(name) < 3 {
			at = script
		}
		key += " @" + at
	}
	t := s.errors[key]
	if t == nil {
		if len(s.errors) >= maxTroubles {
			s.out.Over.Errors += max(count, 1)
			return
		}
		t = &Trouble{Group: Group{Key: key, Level: "error", Message: cut(message, maxSample)}, Last: h.Seq, After: -1}
		s.errors[key] = t
	}
	t.Time = later(t.Time, h.Time)
	t.Count += max(count, 1)
	if h.Service == "" {
		t.Pages = with(t.Pages, pageKey(h.PageURL))
	}
	// An act that led to the page led to the error by it: to visit the page again is enough.
	begun := s.began[h.Session+"\x00"+h.Document]
	d, led := s.deeds[h.Session+"\x00"+h.Cause.Action]
	if led && h.Cause.Action != "" && !begun.After(d.at) {
		t.Acts = with(t.Acts, d.key)
		begun = d.at
	}
	if after := h.Time.Sub(begun); !begun.IsZero() && after >= 0 && (t.After < 0 || after < t.After) {
		t.After = after
	}
	for _, call := range s.traces[h.TraceID] {
		t.Calls = with(t.Calls, call)
	}
}

// with adds a key to a short list.
func with(list []string, key string) []string {
	if key == "" || len(list) >= maxCauses || slices.Contains(list, key) {
		return list
	}
	return append(list, key)
}

// made orders what was collected and takes the secrets out of it.
func (s *taking) made(clean func(string) string) *Snapshot {
	out := &s.out
	all := func(list []string) {
		for i := range list {
			list[i] = clean(list[i])
		}
	}
	for _, t := range s.errors {
		t.After = max(t.After, 0)
		again := func(keys []string, places map[string]*Place) bool {
			return slices.ContainsFunc(keys, func(k string) bool {
				p := places[k]
				return p != nil && p.Time.After(t.Time) && out.Captured.Sub(p.Time) >= min(t.After, patience)
			})
		}
		if t.Gone = again(t.Acts, s.acts); len(t.Acts) == 0 {
			t.Gone = again(t.Pages, s.pages)
		}
		t.Key, t.Message = clean(t.Key), clean(t.Message)
		all(t.Pages)
		all(t.Acts)
		all(t.Calls)
		out.Errors = append(out.Errors, *t)
	}
	for _, c := range s.calls {
		c.Gone = c.Failed > 0 && slices.ContainsFunc(c.Pages, func(k string) bool {
			p := s.pages[k]
			return p != nil && p.Time.After(c.TimeFailed) && c.Time.After(p.Time)
		})
		c.Key, c.URL = clean(c.Key), clean(c.URL)
		all(c.Pages)
		out.Requests = append(out.Requests, *c)
	}
	slices.SortFunc(out.Errors, func(a, b Trouble) int { return cmp.Compare(b.Last, a.Last) })
	slices.SortFunc(out.Requests, func(a, b Called) int { return cmp.Compare(b.Last, a.Last) })
	for i := range out.Loads {
		out.Loads[i].Page = clean(out.Loads[i].Page)
	}
	out.Pages, out.Acts = inOrder(s.pages, clean), inOrder(s.acts, clean)
	return out
}

func inOrder(places map[string]*Place, clean func(string) string) []Place {
	out := make([]Place, 0, len(places))
	for _, p := range places {
		p.Key, p.What = clean(p.Key), clean(p.What)
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b Place) int { return cmp.Compare(b.Last, a.Last) })
	return out
}

// pageKey is the same for addresses of one page: host and path, without the port, with ids left out.
func pageKey(raw string) string {
	u, err := page.ParseURL(raw)
	if err != nil || u.Host == "" {
		return ""
	}
	return strings.ToLower(u.Hostname()) + fingerprint(cmp.Or(u.EscapedPath(), "/"))
}

// actKey says what was done to what: it is the same for the same act on another day.
func actKey(e *event.Action) string {
	of := cmp.Or(e.Name, e.Text)
	if of == "" && len(e.Locators) > 0 {
		of = e.Locators[0].Value
	}
	return strings.TrimSpace(e.Type+" "+e.Role) + " " + fingerprint(cut(of, 80)) + " on " + pageKey(e.PageURL)
}

// Fault says why a snapshot that was read cannot be compared; "" when it can.
func (s *Snapshot) Fault() string {
	switch {
	case s.Captured.IsZero():
		return "it is no snapshot"
	case s.Version != version:
		return fmt.Sprintf("it is of version %d; this program reads version %d", s.Version, version)
	}
	return ""
}
