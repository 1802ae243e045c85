package source

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
)

// Bounds.
const (
	maxSources  = 100
	maxPages    = 40      // of one question
	maxRows     = 5000    // of one question
	maxBytes    = 8 << 20 // of one question
	maxParts    = 20      // of one poll, each as large as a question may be
	maxTries    = 6       // of one page
	maxChases   = 100     // traces that one source is searched for
	maxFinished = 1000    // searches whose end is remembered
	maxTold     = 1000    // bytes of what a place says is wrong
	pageRows    = 1000    // that a page is asked for
	oneCall     = 30 * time.Second
	saveEvery   = 2 * time.Second
)

// steps are when a trace is searched for, after its request ended.
var steps = [...]time.Duration{2 * time.Second, 5 * time.Second, 15 * time.Second, 45 * time.Second, 120 * time.Second}

// The window of a search around a request, and when one that ended may begin anew.
const (
	before   = 5 * time.Second
	after    = 60 * time.Second
	askAgain = 30 * time.Second
)

// Polls look back further than where the last one ended, as far as rows come late.
const (
	pollEvery    = 5 * time.Second
	firstOverlap = 120 * time.Second
	leastOverlap = 10 * time.Second
	mostOverlap  = 15 * time.Minute
	behind       = 2 * time.Second // of an ingest-time cursor
	maxLags      = 1000
	fewLags      = 50 // below which the first overlap holds
)

// Config is what a runner works with. Load and Save may be nil: then tails begin anew with each run.
type Config struct {
	Ingest *ingest.Ingester
	Known  func(trace string) bool                      // events of the trace are kept
	Whole  func(ctx context.Context, trace string) bool // nothing of the trace is missing
	Host   string                                       // this machine's name
	Run    string                                       // the daemon's: rows that it has exported itself are left out
	Fresh  func(event.Batch) (event.Batch, int)         // leaves out spans that came another way, and counts them; nil: none did
	Load   func(key string) string                      // the cursor of a source, "" when none is kept
	Save   func(key, cursor string) error
}

// Spec is one source of a service.
type Spec struct {
	Name    string // as users see it; New adds a number where it is there twice
	Key     string // names it to Load and Save
	Service string
	Adapter Adapter
	Opened  Opened
}

// Runner runs sources. It may be used by many goroutines. Make it with New, and run its Jobs. Which sources there are may change:
// see [Runner.Drop] and [Runner.Add].
type Runner struct {
	cfg  Config
	seen *seen

	mu      sync.Mutex // guards what follows
	sources []*running // in the order in which they were given; ≤ maxSources
	dropped []*running // by Drop, until Add; ≤ maxSources
	buckets map[string]*bucket
	number  uint64 // of the source that was begun last
}

// Begun is a source that was added, with what is to be run for it.
type Begun struct {
	ID   uint64 // names it to who stops it; no other has it
	Jobs []func(context.Context)
}

// running is one source under way.
type running struct {
	Spec
	id     uint64
	place  string // where rows are from, by whichever name and options they are asked for
	cfg    *Config
	seen   *seen
	bucket *bucket
	wake   chan struct{}
	search assembly
	tail   assembly

	mu       sync.Mutex // guards what follows
	gate     gate
	status   Status
	chases   []*chase // ≤ maxChases
	finished map[string]finished
	cursor   string
	dirty    bool            // the cursor is not saved
	lags     []time.Duration // ring of the newest maxLags
	lag      int             // where the next goes
	partial  string
}

// chase is the search for one trace.
type chase struct {
	trace    string
	from, to time.Time
	base     time.Time // when the request ended
	step     int
	due      time.Time
	err      string // of the last search
	asked    bool   // somebody waits for it, whether anything of it is kept or not
}

// finished is how a search ended.
type finished struct {
	at    time.Time
	whole bool
	err   string
}

// New returns a runner of sources, at most 100.
func New(c Config, specs []Spec) *Runner {
	r := &Runner{cfg: c, seen: newSeen()}
	r.Add(specs)
	return r
}

// Drop takes away the sources that are not among these, and returns their IDs. The caller ends their jobs before it calls Add.
func (r *Runner) Drop(specs []Spec) (gone []uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, kept := r.matched(named(specs[:min(len(specs), maxSources)]))
	r.dropped = nil
	for _, s := range r.sources {
		if !slices.Contains(kept, s) {
			gone, r.dropped = append(gone, s.id), append(r.dropped, s)
		}
	}
	r.sources = slices.DeleteFunc(slices.Clone(r.sources), func(s *running) bool { return slices.Contains(r.dropped, s) })
	return gone
}

// Add begins the sources of these that are not there yet, and returns them. Those that are there go on as they are. One that has the
// name of one that was dropped takes over what that one was still searching for, and where it stood if it reads the same place.
func (r *Runner) Add(specs []Spec) (begun []Begun) {
	r.mu.Lock()
	defer r.mu.Unlock()
	specs = named(specs[:min(len(specs), maxSources)])
	there, _ := r.matched(specs)
	used := map[string]*bucket{}
	sources := make([]*running, 0, len(specs))
	for i, spec := range specs {
		s := there[i]
		if s == nil {
			s = r.begin(spec)
			begun = append(begun, Begun{s.id, s.jobs()})
		}
		used[s.account()] = s.bucket
		sources = append(sources, s)
	}
	r.sources, r.dropped, r.buckets = sources, nil, used
	return begun
}

// matched returns the source that runs already for each of the specs, nil where there is none, and all of these. Locked by the
// caller.
func (r *Runner) matched(specs []Spec) (of, all []*running) {
	of = make([]*running, len(specs))
	for i, spec := range specs {
		j := slices.IndexFunc(r.sources, func(s *running) bool {
			return s.Key == spec.Key && s.Name == spec.Name && !slices.Contains(all, s)
		})
		if j >= 0 {
			of[i], all = r.sources[j], append(all, r.sources[j])
		}
	}
	return of, all
}

// account names what limits a source together with others.
func (s *running) account() string {
	if c := s.Opened.Credential; c != "" {
		return c
	}
	return "\x00" + s.Name
}

// begin makes a source that is ready to run. Locked by the caller.
func (r *Runner) begin(spec Spec) *running {
	o := &spec.Opened
	if o.Requests == 0 {
		o.Requests = 600
	}
	if o.Bytes == 0 {
		o.Bytes = 256 << 20
	}
	if spec.Adapter.Cost == "" { // nobody pays, and nobody else is kept waiting
		o.Requests, o.Bytes, o.Rate = math.MaxInt, math.MaxInt64, 100
	}
	r.number++
	s := &running{
		Spec: spec, id: r.number, place: strings.Join(slices.Concat([]string{spec.Adapter.Name}, o.Uses.Hosts, o.Uses.Sockets,
			o.Uses.Files), "\x00"), cfg: &r.cfg, seen: r.seen, wake: make(chan struct{}, 1),
		gate: gate{maxRequests: o.Requests, maxBytes: o.Bytes}, finished: map[string]finished{},
		status: Status{Name: spec.Name, Service: spec.Service, Adapter: spec.Adapter.Name, Title: o.Title,
			Cost: spec.Adapter.Cost, State: Idle, Budget: o.Requests},
	}
	if s.bucket = r.buckets[s.account()]; s.bucket == nil || s.bucket.rate != rateOf(o.Rate) {
		s.bucket = newBucket(o.Rate)
		if r.buckets == nil {
			r.buckets = map[string]*bucket{}
		}
		r.buckets[s.account()] = s.bucket
	}
	for _, a := range [...]*assembly{&s.search, &s.tail} {
		a.adapter, a.service, a.domain, a.host = spec.Adapter.Name, spec.Service, o.Domain, r.cfg.Host
		a.live, a.known, a.fresh = spec.Adapter.Stamped, r.cfg.Known, r.cfg.Fresh
	}
	if r.cfg.Load != nil {
		s.cursor = r.cfg.Load(spec.Key)
	}
	for _, was := range r.dropped {
		if was.Name != s.Name {
			continue
		}
		if s.Opened.Search != nil {
			s.chases, s.finished = was.chases, was.finished
		}
		if s.cursor == "" && was.Adapter.Name == s.Adapter.Name && was.Opened.Title == o.Title {
			s.cursor, s.dirty = was.cursor, was.cursor != ""
		}
		s.gate.requests, s.gate.bytes, s.gate.hour = was.gate.requests, was.gate.bytes, was.gate.hour
	}
	return s
}

// Jobs returns what is to be run for all sources, each in a goroutine of its own until its context ends.
func (r *Runner) Jobs() []func(context.Context) {
	var out []func(context.Context)
	for _, s := range r.all() {
		out = append(out, s.jobs()...)
	}
	return out
}

func (s *running) jobs() (out []func(context.Context)) {
	if s.Opened.Search != nil {
		out = append(out, s.searching)
	}
	if s.Opened.Tail != nil {
		out = append(out, s.tailing, s.keep)
	}
	return out
}

func (r *Runner) all() []*running {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sources // is not changed, but replaced
}

// Status returns how the sources stand, in the order of New.
func (r *Runner) Status() []Status {
	sources := r.all()
	out := make([]Status, 0, len(sources))
	for _, s := range sources {
		s.mu.Lock()
		st := s.status
		st.Requests, st.Bytes, st.Chasing = s.gate.requests, s.gate.bytes, len(s.chases)
		s.mu.Unlock()
		out = append(out, st)
	}
	return out
}

// Want has the sources searched for a trace of a request that went from start to end, by the daemon's clock. It returns
// at once. A search that goes on is widened; one that ended lately is not begun anew.
func (r *Runner) Want(trace string, start, end time.Time) { r.want(trace, start, end, false) }

// Ask is Want for a trace that somebody asks for: it is searched for also while nothing of it is kept.
func (r *Runner) Ask(trace string, start, end time.Time) { r.want(trace, start, end, true) }

func (r *Runner) want(trace string, start, end time.Time, asked bool) {
	now := time.Now()
	for _, s := range r.all() {
		if s.Opened.Search != nil {
			s.want(trace, start, end, now, asked)
		}
	}
}

func (s *running) want(trace string, start, end, now time.Time, asked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, to := start.Add(-before), end.Add(after)
	for _, c := range s.chases {
		if c.trace == trace {
			c.asked = c.asked || asked
			if from.Before(c.from) {
				c.from = from
			}
			if to.After(c.to) {
				c.to, c.base = to, end
			}
			return
		}
	}
	if f, ok := s.finished[trace]; ok && (f.whole || now.Sub(f.at) < askAgain) {
		return
	}
	delete(s.finished, trace)
	if len(s.chases) >= maxChases {
		s.finish(s.chases[0], finished{at: now, err: "too many searches at once"})
		s.status.Lost++
	}
	c := &chase{trace: trace, from: from, to: to, base: end, due: now, asked: asked}
	for c.step < len(steps) && !end.Add(steps[c.step]).After(now) {
		c.step++
	}
	if c.step == 0 {
		c.due = end.Add(steps[0])
	}
	s.chases = append(s.chases, c)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// finish takes a search off the list. Locked by the caller.
func (s *running) finish(c *chase, f finished) {
	s.chases = slices.DeleteFunc(s.chases, func(o *chase) bool { return o == c })
	if len(s.finished) >= maxFinished {
		oldest := ""
		for id, o := range s.finished {
			if oldest == "" || o.at.Before(s.finished[oldest].at) {
				oldest = id
			}
		}
		delete(s.finished, oldest)
	}
	s.finished[c.trace] = f
}

// Missing tells of traces which sources may still bring rows, and which could not be asked and why.
func (r *Runner) Missing(traces []string) (pending, unread []string) {
	now := time.Now()
	for _, s := range r.all() {
		s.mu.Lock()
		waits, failed := false, ""
		for _, c := range s.chases {
			if slices.Contains(traces, c.trace) {
				waits = true
			}
		}
		for _, t := range traces {
			if f := s.finished[t]; f.err != "" {
				failed = f.err
			}
		}
		st := s.status
		s.mu.Unlock()
		switch {
		case waits && st.Error != "":
			word := st.Name + ": " + string(st.State)
			if d := st.Next.Sub(now); d > 0 {
				word += ", next try in " + seconds(d)
			}
			pending = append(pending, word+"; "+st.Error)
		case waits:
			pending = append(pending, st.Name)
		case failed != "":
			unread = append(unread, st.Name+": "+failed)
		}
	}
	return pending, unread
}

// keep stores records of a tail that nothing was added to, and its cursor, until ctx ends.
func (s *running) keep(ctx context.Context) {
	tick := time.NewTicker(settled)
	defer tick.Stop()
	saved := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			s.rest(ctx, now, false)
			if now.Sub(saved) >= saveEvery {
				saved = now
				s.save()
			}
		}
	}
}

// rest stores open records of the tail: those that are idle, or all.
func (s *running) rest(ctx context.Context, now time.Time, all bool) {
	s.settle(ctx, &s.tail, now, all)
}

func (s *running) settle(ctx context.Context, a *assembly, now time.Time, all bool) {
	a.mu.Lock()
	batch, bytes := a.idle(now, all)
	a.mu.Unlock()
	if len(batch) > 0 { // what is over the limits is counted there
		_, _ = s.cfg.Ingest.Ingest(ctx, ingest.Upload{Batch: batch, Bytes: bytes}, ingest.Drop)
	}
}

func (s *running) save() {
	s.mu.Lock()
	cursor, dirty := s.cursor, s.dirty
	s.dirty = false
	s.mu.Unlock()
	if !dirty || s.cfg.Save == nil {
		return
	}
	if err := s.cfg.Save(s.Key, cursor); err != nil {
		s.mu.Lock()
		s.dirty, s.status.Partial = true, "where it was read to cannot be kept: "+err.Error()
		s.mu.Unlock()
	}
}

// searching is the job of a source that is asked.
func (s *running) searching(ctx context.Context) {
	defer func() { s.settle(context.WithoutCancel(ctx), &s.search, time.Now(), true) }() // of a question that was ended
	timer := time.NewTimer(0)
	defer timer.Stop()
	p := poll{on: s.Opened.Poll, next: time.Now()}
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-timer.C:
		}
		now := time.Now()
		if c := s.due(now); c != nil {
			s.run(ctx, c)
			timer.Reset(0)
			continue
		}
		if p.on && !now.Before(p.next) {
			s.poll(ctx, &p, now)
			if p.next = time.Now(); p.parts == 0 {
				p.next = p.next.Add(pollEvery)
			}
		}
		timer.Reset(s.pause(time.Now(), &p))
	}
}

// due returns the search that is due first, or nil.
func (s *running) due(now time.Time) (first *chase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.chases {
		if !c.due.After(now) && (first == nil || c.due.Before(first.due)) {
			first = c
		}
	}
	return first
}

// pause is how long nothing is to be done.
func (s *running) pause(now time.Time, p *poll) time.Duration {
	d := time.Hour
	if p.on {
		d = p.next.Sub(now)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.chases {
		d = min(d, c.due.Sub(now))
	}
	return max(d, 0)
}

// run searches for a trace once and says when it is searched for next.
func (s *running) run(ctx context.Context, c *chase) {
	s.mu.Lock()
	asked := c.asked
	wanted := func() bool { return asked || s.cfg.Known == nil || s.cfg.Known(c.trace) }
	q := Query{From: c.from, To: c.to, Trace: c.trace, Limit: pageRows}
	s.mu.Unlock()
	var err error
	if wanted() {
		_, _, err = s.ask(ctx, q, "", false, wanted)
	}
	if ctx.Err() != nil { // another goes on with it
		return
	}
	whole := err == nil && s.cfg.Whole != nil && s.cfg.Whole(ctx, c.trace)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if c.err = ""; err != nil {
		c.err = err.Error()
	}
	for c.step < len(steps) && !c.base.Add(steps[c.step]).After(now) {
		c.step++
	}
	var f *Fault
	lost := errors.As(err, &f) && (f.Kind == Invalid || f.Kind == Refused)
	if whole || lost || c.step == len(steps) || !wanted() {
		s.finish(c, finished{now, whole, c.err})
		return
	}
	c.due = c.base.Add(steps[c.step])
}

// poll is where the search for all that is new stands.
type poll struct {
	on       bool
	next     time.Time
	since    time.Time // up to which rows were asked for; zero: never
	ingested time.Time // of the newest row

	// A question that has more than may be read at once is gone on with, rather than asked again from its beginning: there
	// would be more in it each time.
	rest  Query
	page  string // of rest
	parts int    // of rest that were read; 0: there is no rest
}

func (s *running) poll(ctx context.Context, p *poll, now time.Time) {
	q := Query{To: now, Limit: pageRows}
	if p.parts > 0 {
		q = p.rest
	} else if s.Adapter.Ingested {
		q.Ingested, q.From = true, p.ingested
		if p.ingested.IsZero() {
			q.From = now
		}
		q.From = q.From.Add(-behind)
	} else {
		q.From = p.since
		if p.since.IsZero() {
			q.From = now
		}
		q.From = q.From.Add(-s.overlap())
	}
	first := p.since.IsZero()
	rows, rest, err := s.ask(ctx, q, p.page, p.parts+1 < maxParts, nil)
	if err != nil { // status tells; the next poll begins where this one did
		if f := (*Fault)(nil); errors.As(err, &f) && f.Kind == Invalid {
			p.page, p.parts = "", 0 // the page may be what is wrong
		}
		return
	}
	if p.page = rest; rest != "" {
		p.rest, p.parts = q, p.parts+1
	} else {
		p.since, p.parts = q.To, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rows {
		arrived := r.ingested
		if arrived.After(p.ingested) {
			p.ingested = arrived
		}
		if arrived.IsZero() {
			arrived = q.To // what it was asked for later is not its delay
		}
		if first {
			continue // it may have been there for long
		}
		if lag := max(0, arrived.Sub(r.time)); len(s.lags) < maxLags {
			s.lags = append(s.lags, lag)
		} else {
			s.lags[s.lag] = lag
			s.lag = (s.lag + 1) % maxLags
		}
	}
	if p.ingested.IsZero() {
		p.ingested = now
	}
}

// overlap is how far a poll looks back before the end of the last one.
func (s *running) overlap() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lags) < fewLags {
		return firstOverlap
	}
	sorted := slices.Sorted(slices.Values(s.lags))
	high := sorted[min(len(sorted)-1, len(sorted)*995/1000)]
	return min(max(high*3/2, leastOverlap), mostOverlap)
}

// taken is when a row that was taken for the first time happened and arrived.
type taken struct{ time, ingested time.Time }

// ask asks one question from a page on ("": the first) to its end, with all its pages, and stores the rows. It ends when wanted
// (nil: always) says that nobody needs the answer any more. Where there is more than may be read at once, rest is the page
// to go on with when the caller says that it goes on, else "". What may be missing is in the status. Errors are a [*Fault] and
// ctx's.
func (s *running) ask(ctx context.Context, q Query, page string, goesOn bool, wanted func() bool) (
	out []taken, rest string, err error,
) {
	times := map[uint64]int{}
	rows, bytes, tries, partial := 0, int64(0), 0, ""
	for pages := 0; ; {
		if wanted != nil && !wanted() {
			return out, rest, nil
		}
		if err := s.permit(ctx, wanted != nil); err != nil {
			return out, "", err
		}
		call, cancel := context.WithTimeout(ctx, oneCall)
		p, err := s.Opened.Search.Search(call, q, page)
		cancel()
		if ctx.Err() != nil {
			return out, "", ctx.Err()
		}
		if err != nil {
			f := s.failed(err)
			if f.Kind == Refused || f.Kind == Invalid {
				return out, "", f
			}
			if tries++; tries == maxTries {
				return out, "", f
			}
			if f.Kind == Expired {
				page, times = "", map[uint64]int{}
			}
			continue
		}
		tries = 0
		if p.Partial != "" {
			partial = told(p.Partial)
		}
		rows, bytes, pages = rows+len(p.Rows), bytes+p.Bytes, pages+1
		over := p.Next != "" && (pages == maxPages || rows >= maxRows || bytes >= maxBytes || p.Next == page)
		switch {
		case over && p.Next == page:
			partial = "its pages repeat"
		case over && goesOn:
			rest = p.Next
		case over:
			partial = fmt.Sprintf("the question has more than %d pages, %d rows or %d MiB", maxPages, maxRows, maxBytes>>20)
		}
		s.passed(&p, partial)
		complete := p.Next == "" || over
		now, err := s.take(ctx, &s.search, p.Rows, q.Trace, times, true, complete)
		if err != nil {
			return out, "", err
		}
		out = append(out, now...)
		if complete {
			return out, rest, nil
		}
		page = p.Next
	}
}

// take stores rows that were not taken before and returns them.
func (s *running) take(
	ctx context.Context, a *assembly, rows []Row, asked string, times map[uint64]int, once, complete bool,
) (out []taken, _ error) {
	now := time.Now()
	fresh := make([]*Row, 0, len(rows))
	var keys []uint64
	here := map[uint64]bool{}
	newest, repeated := time.Time{}, 0
	for i := range rows {
		r := &rows[i]
		if r.Run != "" && r.Run == s.cfg.Run {
			repeated++
			continue
		}
		if once {
			k := s.seen.key(s.place, r, times)
			if here[k] || s.seen.has(k) {
				repeated++
				continue
			}
			here[k] = true
			keys = append(keys, k)
		}
		fresh = append(fresh, r)
		out = append(out, taken{r.Time, r.Ingested})
		if r.Time.After(newest) {
			newest = r.Time
		}
	}
	a.mu.Lock()
	batch, bytes, again := a.add(fresh, asked, complete, now)
	a.mu.Unlock()
	if len(batch) > 0 {
		up := ingest.Upload{Batch: batch, Bytes: max(bytes, len(batch))}
		// All of it or nothing, also where the source is ended meanwhile: who goes on has to know what was taken.
		if _, err := s.cfg.Ingest.Ingest(context.WithoutCancel(ctx), up, ingest.Wait); err != nil {
			return nil, err
		}
	}
	s.seen.add(keys)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Rows += uint64(len(fresh) - again)
	s.status.Repeated += uint64(repeated + again)
	if newest.After(s.status.Newest) {
		s.status.Newest = newest
	}
	return out, nil
}

// permit waits until the source may be asked. Where somebody waits for one answer it gives up rather than wait for the
// next hour.
func (s *running) permit(ctx context.Context, impatient bool) error {
	for {
		now := time.Now()
		s.mu.Lock()
		d, state := s.gate.wait(now)
		s.mu.Unlock()
		if d == 0 {
			d, state = s.bucket.take(now), Waiting
		}
		s.mu.Lock()
		if d == 0 {
			s.gate.requests++
			s.status.State, s.status.Next = Asking, time.Time{}
			s.mu.Unlock()
			return nil
		}
		if s.status.State != Failed || state != Pausing && state != Broken { // which says more
			s.status.State = state
		}
		s.status.Next = now.Add(d)
		spent := state == Spent
		if spent {
			s.status.Error = fmt.Sprintf("the budget of %d requests or %d MiB an hour is spent", s.gate.maxRequests,
				s.gate.maxBytes>>20)
		}
		s.mu.Unlock()
		if spent && impatient {
			return &Fault{Kind: Refused, After: d, Text: "the budget of this hour is spent",
				Fix: "Raise requests_per_hour or mb_per_hour of the source."}
		}
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// passed notes an answer.
func (s *running) passed(p *Page, partial string) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate.passed()
	s.gate.bytes += p.Bytes
	s.status.State, s.status.Error, s.status.Answered, s.status.Partial = Idle, "", now, partial
	if p.Pause > 0 {
		s.bucket.pause(now, p.Pause)
		s.status.State, s.status.Next = Waiting, now.Add(p.Pause)
	}
}

// told bounds what a place says: the words are kept and shown.
func told(s string) string {
	if len(s) <= maxTold {
		return s
	}
	return strings.ToValidUTF8(s[:maxTold], "") + "…"
}

// failed notes a failure and says which it is.
func (s *running) failed(err error) *Fault {
	now := time.Now()
	var f *Fault
	if !errors.As(err, &f) {
		f = fault(Unavailable, "%v", err)
	}
	f.Text = told(f.Text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Error = f.Error()
	s.gate.bytes += f.Bytes
	switch f.Kind {
	case Throttled:
		s.bucket.pause(now, max(f.After, firstPause))
		s.status.State, s.status.Next = Waiting, now.Add(max(f.After, firstPause))
		return f
	case Invalid:
		s.status.State = Failed
		return f
	case Refused:
		s.gate.failed(now, max(f.After, refusedWait))
		s.status.State = Failed
	default:
		s.gate.failed(now, f.After)
		s.status.State = Pausing
		if s.gate.probing {
			s.status.State = Broken
		}
	}
	s.status.Next = s.gate.until
	return f
}

// steady is how long a tail lasts that did not fail at once.
const steady = 30 * time.Second

var errSpent = errors.New("budget")

// tailing is the job of a source that is followed.
func (s *running) tailing(ctx context.Context) {
	defer func() {
		now := context.WithoutCancel(ctx)
		s.rest(now, time.Now(), true)
		s.save()
	}()
	for {
		if s.permit(ctx, false) != nil {
			return
		}
		s.mu.Lock()
		cursor := s.cursor
		s.status.State = Follows
		s.mu.Unlock()
		began, times := time.Now(), map[uint64]int{}
		err := s.Opened.Tail.Tail(ctx, cursor, func(ctx context.Context, rows []Row, cursor string) error {
			if len(times) > maxRows { // rows of one moment are near each other
				clear(times)
			}
			if _, err := s.take(ctx, &s.tail, rows, "", times, s.Adapter.StableIDs, false); err != nil {
				return err
			}
			return s.followed(rows, cursor)
		})
		if ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		if time.Since(began) >= steady {
			s.gate.passed()
		}
		s.mu.Unlock()
		if errors.Is(err, errSpent) || errors.Is(err, ErrAgain) {
			continue
		}
		if err == nil {
			err = fault(Unavailable, "it ended")
		}
		if f := s.failed(err); f.Kind == Expired || f.Kind == Invalid {
			s.mu.Lock()
			if f.Kind == Expired {
				s.cursor, s.dirty = "", true
				s.partial = "it could not go on where it stopped: rows may be missing"
				s.status.Partial = s.partial
			} else {
				s.gate.failed(time.Now(), refusedWait)
				s.status.Next = s.gate.until
			}
			s.mu.Unlock()
		}
	}
}

// followed notes rows of a tail.
func (s *running) followed(rows []Row, cursor string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate.passed()
	for i := range rows {
		s.gate.bytes += int64(len(rows[i].Text))
	}
	s.status.State, s.status.Error, s.status.Answered, s.status.Partial = Follows, "", time.Now(), s.partial
	if cursor != "" && cursor != s.cursor {
		s.cursor, s.dirty = cursor, true
	}
	if d, state := s.gate.wait(time.Now()); d > 0 && state == Spent && s.Adapter.Cost != "" {
		return errSpent
	}
	return nil
}
