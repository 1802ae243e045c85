package recording

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/steps"
)

// kinds are what a recording reads.
var kinds = []event.Kind{
	event.KindAction, event.KindLifecycle, event.KindLog, event.KindException, event.KindExchange, event.KindDOM,
}

// Recorder makes recordings of tabs and keeps them. What happened since it looked last is read from the store by Collect,
// which every call does and Run does each second, so that little is lost when the daemon is killed. Safe for concurrent use.
type Recorder struct {
	dir     *state.Dir
	reader  *query.Live
	run     string
	dropped func(session string, tab int) uint64
	clean   func(text string) string

	mu     sync.Mutex
	active map[string]*active // ≤ maxActive
}

// active is a recording under way.
type active struct {
	head    Record
	next    event.Seq // first event that was not read
	steps   steps.Collector
	sums    *summing
	dropped uint64 // before it began
	lost    Lost
	news    bool      // since it was written
	written time.Time // when the file was
	size    int       // of the file, bytes
}

// New returns a recorder of what a reader has. dropped tells how many actions of a tab never reached the store. clean returns
// a text without the secrets that are known by now: some became known after the action came.
func New(
	dir *state.Dir, reader *query.Live, dropped func(session string, tab int) uint64, clean func(text string) string,
) *Recorder {
	return &Recorder{
		dir: dir, reader: reader, run: reader.Run(), dropped: dropped, clean: clean, active: map[string]*active{},
	}
}

// Start says what to record.
type Start struct {
	Name     string // "" gets one
	StartURL string
	Session  string
	Tab      int
	Private  bool   // leave out what is typed
	Of       string // of a playback: the id of what is played
}

// Start begins a recording. Its file is there when Start returns. Problems: invalid_param for a name that is too long,
// conflict for a tab that is being recorded, too_large when there are too many recordings.
func (r *Recorder) Start(ctx context.Context, s Start) (*Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if utf8.RuneCountInString(s.Name) > maxName {
		return nil, problem.New(problem.InvalidParam, "Choose a shorter name.", "the name has more than %d characters.", maxName)
	}
	for _, a := range r.active {
		if s.Of == "" && a.head.Playback == nil && a.head.Session == s.Session && a.head.Tab == s.Tab {
			return nil, problem.New(problem.Conflict, stopFix(a.head.ID), "tab %d is being recorded as %s.", s.Tab, a.head.ID)
		}
	}
	if len(r.active) >= maxActive {
		var ids []string
		for id := range r.active {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		return nil, problem.New(problem.Conflict, stopFix(ids[0]), "%d recordings are under way: %s.",
			len(ids), strings.Join(ids, ", "))
	}
	if err := r.makeRoom(); err != nil {
		return nil, err
	}
	prefix := recordPrefix
	if s.Of != "" {
		prefix = playbackPrefix
	}
	now := time.Now().Round(0)
	id, err := r.newID(prefix, now)
	if err != nil {
		return nil, err
	}
	sum, err := r.reader.Sum(ctx, kinds, &query.Filter{}, 0, false)
	if err != nil {
		return nil, err
	}
	a := &active{
		head: Record{
			Version: version, ID: id, Name: s.Name, State: Recording, Created: now, Run: r.run, StartURL: s.StartURL,
			Session: s.Session, Tab: s.Tab, Private: s.Private,
		},
		next: sum.Next, sums: newSumming(), steps: steps.Collector{Private: s.Private}, dropped: r.dropped(s.Session, s.Tab),
	}
	if a.head.Name == "" {
		a.head.Name = id
	}
	if s.Of != "" {
		a.head.Playback = &Playback{Of: s.Of, Results: []steps.Result{}}
	}
	if err := r.keep(a); err != nil {
		return nil, err
	}
	r.active[id] = a
	return r.build(a), nil
}

func stopFix(id string) string {
	return `Stop it with configure {"action":"event_recording_stop","recording_id":"` + id + `"}.`
}

// Stop ends a recording and returns it. One that an end of the daemon interrupted is returned as it is. Problems: no_data for what is not known, conflict for
// one that was stopped already.
func (r *Recorder) Stop(ctx context.Context, name string) (*Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := name
	for _, a := range r.active {
		if a.head.Name == name && a.head.Playback == nil {
			id = a.head.ID
		}
	}
	a := r.active[id]
	if a == nil {
		if !idForm().MatchString(id) {
			return nil, unknown(name)
		}
		rec, err := r.read(id)
		if err != nil || rec.State == Interrupted {
			return rec, err
		}
		return nil, problem.New(problem.Conflict,
			"observe recording_actions shows it.", "%s was stopped already.", id)
	}
	return r.end(ctx, a, complete)
}

// Finish ends the recording of a playback with what became of its steps.
func (r *Recorder) Finish(ctx context.Context, id string, p *Playback) (*Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.active[id]
	if a == nil {
		return nil, unknown(id)
	}
	a.head.Playback = p
	return r.end(ctx, a, complete)
}

func (r *Recorder) end(ctx context.Context, a *active, as string) (*Record, error) {
	if err := r.collect(ctx, a); err != nil {
		return nil, err
	}
	a.head.State = as
	rec := r.build(a)
	if _, err := write(r.dir, rec); err != nil {
		a.head.State = Recording
		return nil, err
	}
	delete(r.active, a.head.ID)
	return rec, nil
}

// Collect reads what happened since, and writes the recordings that have news.
func (r *Recorder) Collect(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.active {
		if err := r.collect(ctx, a); err != nil {
			return err
		}
		// A large file is written less often: not more than writesPerSecond bytes in the long run.
		if !a.news || time.Since(a.written) < time.Duration(a.size)*time.Second/writesPerSecond {
			continue
		}
		if err := r.keep(a); err != nil {
			return err
		}
	}
	return nil
}

// writesPerSecond is how many bytes a recording under way writes in a second.
const writesPerSecond = 256 << 10

// keep writes the file of a recording under way.
func (r *Recorder) keep(a *active) (err error) {
	a.size, err = write(r.dir, r.build(a))
	a.news, a.written = false, time.Now()
	return err
}

func (r *Recorder) collect(ctx context.Context, a *active) error {
	filter := query.Filter{Session: a.head.Session, Tab: a.head.Tab}
	sum, err := r.reader.Sum(ctx, kinds, &filter, 0, false)
	if err != nil {
		return err
	}
	span := query.Span{Kinds: kinds, From: a.next, To: sum.Next}
	done, err := r.reader.Scan(ctx, span, &filter, func(it query.Item) bool {
		if !it.Head.Time.Before(a.head.Created) {
			a.take(it.Event)
		}
		return true
	})
	if err != nil {
		return err
	}
	a.next = sum.Next
	a.lost.Evicted += done.Missed
	a.lost.Dropped = r.dropped(a.head.Session, a.head.Tab) - min(a.dropped, r.dropped(a.head.Session, a.head.Tab))
	a.news = a.news || done.Missed > 0
	return nil
}

func (a *active) take(e event.Event) {
	a.news = true
	if !a.steps.Take(e) {
		a.sums.add(e)
	}
}

// build makes the recording of what was read so far.
func (r *Recorder) build(a *active) *Record {
	rec := a.head
	rec.Ended = time.Now().Round(0)
	rec.Steps, rec.Lost, rec.Summary = a.steps.Steps(rec.Created), a.lost, a.sums.summary()
	rec.Lost.Over += a.steps.Over
	if over := len(rec.Steps) - maxSteps; over > 0 {
		rec.Steps, rec.Lost.Over = rec.Steps[:maxSteps], rec.Lost.Over+over
	}
	for i := range rec.Steps {
		rec.Steps[i].Hide(r.clean)
	}
	return &rec
}

// Run collects each second until ctx ends. Recordings under way are written as interrupted then. failed is told what could
// not be done.
func (r *Recorder) Run(ctx context.Context, failed func(error)) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			r.mu.Lock()
			defer r.mu.Unlock()
			for _, a := range r.active {
				if _, err := r.end(context.WithoutCancel(ctx), a, Interrupted); err != nil {
					failed(err)
				}
			}
			return
		case <-tick.C:
			if err := r.Collect(ctx); err != nil && ctx.Err() == nil {
				failed(err)
			}
		}
	}
}
