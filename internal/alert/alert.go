// Package alert tells clients of errors, failed requests and the like while they happen. It reads what
// the store gets, judges it once, and hands each client what it asked for: no more often than it said,
// the same thing once in half a minute, never more than its bounds.
//
// A client that enabled it has a stream, which ends with the client's session. What is handed over is
// the transport's to deliver; what waits is kept here, bounded, and what was left out is counted.
package alert

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
)

// Bounds of streams.
const (
	maxStreams = 200              // clients at once
	maxPending = 100              // alerts of one client that wait; older ones make room and are counted
	maxRecent  = 50               // alerts of one client that were handed over and can be read again
	perMinute  = 12               // notifications of one client
	same       = 30 * time.Second // within which an equal alert is counted and not told again
	maxSame    = 500              // alerts of one client that are remembered for that
	pause      = 250 * time.Millisecond
)

// DefaultThrottle is the usual Config.Throttle.
const DefaultThrottle = 5 * time.Second

// Config is what a client wants to be told.
type Config struct {
	Events   []string      // of [Events]; not empty
	Throttle time.Duration // between two notifications, 1 to 60 s
	Severity string        // the least, of [severities]
	URL      string        // contained in the page's or the event's address; "" any

	// Hides returns what reports whether the client's present noise rules hide an event; nil, or one that returns nil, hides
	// none. It is asked once for each look at what is new, and may read a file.
	Hides func() func(event.Event) bool
}

// occurrence is one thing that happened, and how often.
type occurrence struct {
	Event    string
	Severity string
	Handle   string // for id of observe
	Time     time.Time
	From     string // origin of the page, or the service
	Text     string // words of a page or a service, at most 200 characters
	Count    int    // when more than one

	key string // equal for what is the same
}

// Status is how a client's stream stands.
type Status struct {
	On       bool
	Config   Config
	Notified int // notifications that were handed over
	Pending  int // alerts that wait
	Repeated int // that were counted and not told
	Dropped  int // that made room, or were evicted before they were looked at
	Hidden   int // that noise rules hide
}

// Send hands a notification to the transport: level is MCP's, text is complete. It does not wait for the client.
// It is false when the client hears nothing at the moment: the alerts wait then.
type Send func(client, level, text string) bool

// Hub has the streams of all clients. Safe for concurrent use.
type Hub struct {
	reader *query.Live
	send   Send

	mu      sync.Mutex
	streams map[string]*stream
	cursor  query.Cursor  // how far was read; meaningful while there are streams
	judge   judge         // of Run
	wake    chan struct{} // has one element when streams have changed
}

// stream is one client's.
type stream struct {
	Config
	from     event.Seq // newest event before it was enabled
	pending  []occurrence
	recent   []occurrence
	told     memory[time.Time] // keys, and when they were told last
	sent     []time.Time       // notifications of the last minute
	notified int
	repeated int
	dropped  int
	hidden   int

	fresh map[string]int // alerts since the client's last answer, by event
	worst occurrence     // of these
}

// New returns a hub without streams. Alerts are made while Run runs.
func New(reader *query.Live, send Send) *Hub {
	return &Hub{reader: reader, send: send, streams: map[string]*stream{}, wake: make(chan struct{}, 1)}
}

// Enable begins a client's stream, or changes it: what waits stays. Problem: rate_limited, when too many clients have one.
func (h *Hub) Enable(ctx context.Context, client string, c Config) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.streams[client]; s != nil {
		s.Config = c
		h.changed()
		return nil
	}
	if len(h.streams) >= maxStreams {
		return problem.New(problem.RateLimited, `Read with observe {"what":"errors","since":"last"} instead.`,
			"%d clients are told already, which is the most.", maxStreams)
	}
	if len(h.streams) == 0 {
		list, _, err := query.Timeline(ctx, h.reader, read, query.Filter{}, query.Page{Limit: 1}, nil)
		if err != nil {
			return err
		}
		h.cursor = list.Cursor
	}
	h.streams[client] = &stream{Config: c, from: h.reader.Stats().Seq, fresh: map[string]int{}}
	h.changed()
	return nil
}

// Disable ends a client's stream and returns how many alerts waited.
func (h *Hub) Disable(client string) (pending int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.streams[client]; s != nil {
		pending = len(s.pending)
		delete(h.streams, client)
	}
	return pending
}

// Any reports whether a client has a stream.
func (h *Hub) Any() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams) > 0
}

// Status returns how a client's stream stands.
func (h *Hub) Status(client string) Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.streams[client]
	if s == nil {
		return Status{}
	}
	c := s.Config
	c.Events = slices.Clone(c.Events)
	return Status{On: true, Config: c, Notified: s.notified, Pending: len(s.pending), Repeated: s.repeated, Dropped: s.dropped, Hidden: s.hidden}
}

// Delta returns what came since the client's last answer, in words of ours only, and forgets it; "" when nothing did. It
// reaches clients that show no notifications.
func (h *Hub) Delta(client string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.streams[client]
	if s == nil || len(s.fresh) == 0 {
		return ""
	}
	total := 0
	var parts []string
	for _, name := range Events {
		if n := s.fresh[name]; n > 0 {
			total += n
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	w := s.worst
	s.fresh, s.worst = map[string]int{}, occurrence{}
	return fmt.Sprintf("alerts since your last call: %d (%s); the worst: %s, %s %s", total, strings.Join(parts, ", "), w.Handle, w.Severity, w.Event)
}

// Text is what the resource of a client's alerts says: those that wait and those that were told last, newest last.
func (h *Hub) Text(client string) string {
	h.mu.Lock()
	s := h.streams[client]
	var list []occurrence
	dropped := 0
	if s != nil {
		list, dropped = append(slices.Clone(s.recent), s.pending...), s.dropped
	}
	h.mu.Unlock()
	if s == nil {
		return `alerts: off. configure {"action":"streaming","operation":"enable"} begins them for this session.`
	}
	return text(list, dropped, answer.DefaultBudget)
}

// changed has Run look again. The caller holds mu.
func (h *Hub) changed() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// Run makes and hands over alerts until ctx ends. While no client has a stream it waits and reads nothing.
func (h *Hub) Run(ctx context.Context) {
	for ctx.Err() == nil {
		changed := h.reader.Changed() // before the look, so that nothing falls between the two
		h.look(ctx)
		wait, any := h.deliver(time.Now())
		if !any {
			changed = nil
		}
		if wait == 0 {
			wait = never
		}
		due := time.NewTimer(wait)
		select {
		case <-changed: // events come in floods; one look serves what came within a moment
			due.Reset(pause)
			select {
			case <-due.C:
			case <-ctx.Done():
			}
		case <-due.C:
		case <-h.wake:
		case <-ctx.Done():
		}
		due.Stop()
	}
}

// never is how long Run waits where nothing is due.
const never = time.Hour

// look judges what is new, for all clients at once.
func (h *Hub) look(ctx context.Context) {
	for ctx.Err() == nil {
		h.mu.Lock()
		cursor, any := h.cursor, len(h.streams) > 0
		rules := map[string]func() func(event.Event) bool{} // by client
		for client, s := range h.streams {
			if s.Hides != nil {
				rules[client] = s.Hides
			}
		}
		h.mu.Unlock()
		if !any {
			return
		}
		hides := map[string]func(event.Event) bool{}
		for client, present := range rules {
			if hide := present(); hide != nil {
				hides[client] = hide
			}
		}
		var found []occurrence
		var seqs []event.Seq
		var addresses []string
		var from []map[string]bool // clients whose rules hide it
		list, _, err := query.Timeline(ctx, h.reader, read, query.Filter{}, query.Page{Cursor: cursor, Limit: 1000},
			func(it query.Item) bool {
				made := h.judge.of(it)
				var hidden map[string]bool
				if len(made) > 0 {
					hidden = hiddenFrom(hides, it.Event)
				}
				for _, a := range made {
					head := it.Event.Base()
					a.Handle, a.Time = query.Handle(it.Kind, head.Seq), head.Time
					a.From = strings.Clone(answer.Source(head.PageURL, head.Service))
					a.key = a.Event + " " + a.From + " " + analysis.Fingerprint(a.Text)
					found, seqs, from = append(found, a), append(seqs, head.Seq), append(from, hidden)
					addresses = append(addresses, head.PageURL+" "+it.Event.Address())
				}
				return false
			})
		if err != nil {
			return // ctx ended, or the cursor is of no use: the next Enable makes one
		}
		now := time.Now()
		h.mu.Lock()
		if h.cursor == cursor { // nobody began anew meanwhile
			h.cursor = list.Cursor
		}
		for client, s := range h.streams {
			s.dropped += int(list.Missed)
			for i, a := range found {
				switch {
				case seqs[i] <= s.from || !s.wants(a, addresses[i]):
				case from[i][client]:
					s.hidden++
				default:
					s.add(a, now)
				}
			}
		}
		h.mu.Unlock()
		if !list.More {
			return
		}
	}
}

// hiddenFrom returns the clients whose rules hide an event.
func hiddenFrom(hides map[string]func(event.Event) bool, e event.Event) map[string]bool {
	out := map[string]bool{}
	for client, hide := range hides {
		if hide(e) {
			out[client] = true
		}
	}
	return out
}

// wants reports whether the client asked for an alert with this address.
func (s *stream) wants(a occurrence, address string) bool {
	return slices.Contains(s.Events, a.Event) && rank(a.Severity) >= rank(s.Severity) &&
		(s.URL == "" || query.Contains(address, s.URL))
}

// add takes an alert, unless an equal one was told a moment ago.
func (s *stream) add(a occurrence, now time.Time) {
	s.fresh[a.Event]++
	if s.worst.Handle == "" || rank(a.Severity) > rank(s.worst.Severity) {
		s.worst = a
	}
	if last, known := s.told.get(a.key); known && now.Sub(last) < same {
		s.repeated++
		for i := range s.pending {
			if s.pending[i].key == a.key {
				s.pending[i].Count = max(1, s.pending[i].Count) + 1
			}
		}
		return
	}
	s.told.put(a.key, now)
	if len(s.pending) == maxPending {
		s.pending = slices.Delete(s.pending, 0, 1)
		s.dropped++
	}
	s.pending = append(s.pending, a)
}

// deliver hands over what is due. It returns when the next alert is, 0 when none waits, and whether there is a stream.
func (h *Hub) deliver(now time.Time) (wait time.Duration, any bool) {
	type parcel struct {
		client, level, text string
		stream              *stream
		count               int
		throttle            time.Duration
	}
	var due []parcel
	h.mu.Lock()
	for client, s := range h.streams {
		if len(s.pending) == 0 {
			continue
		}
		if left := s.left(now); left > 0 {
			wait = sooner(wait, left)
			continue
		}
		level := s.pending[0].Severity
		for _, a := range s.pending {
			if rank(a.Severity) > rank(level) {
				level = a.Severity
			}
		}
		due = append(due, parcel{client, level, text(s.pending, 0, maxNotice), s, len(s.pending), s.Throttle})
	}
	any = len(h.streams) > 0
	h.mu.Unlock()
	for _, p := range due {
		if !h.send(p.client, p.level, p.text) {
			wait = sooner(wait, p.throttle)
			continue
		}
		h.mu.Lock()
		s := p.stream
		s.sent = append(s.sent, now)
		s.notified++
		gone := min(p.count, len(s.pending)) // only look adds, and it runs before us
		s.recent = append(s.recent, s.pending[:gone]...)
		s.recent = slices.Clone(s.recent[max(0, len(s.recent)-maxRecent):])
		s.pending = slices.Clone(s.pending[gone:])
		h.mu.Unlock()
	}
	return wait, any
}

// left returns how long the stream has to wait until its next notification, 0 for not at all.
func (s *stream) left(now time.Time) time.Duration {
	s.sent = slices.DeleteFunc(s.sent, func(t time.Time) bool { return now.Sub(t) >= time.Minute })
	if len(s.sent) == 0 {
		return 0
	}
	left := s.Throttle - now.Sub(s.sent[len(s.sent)-1])
	if len(s.sent) >= perMinute {
		left = max(left, time.Minute-now.Sub(s.sent[0]))
	}
	return max(0, left)
}

// sooner returns the shorter of two waits, of which 0 is none.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// maxNotice are the characters of one notification.
const maxNotice = 1500

// text writes alerts as clients read them: what pages and services said is fenced.
func text(list []occurrence, dropped, budget int) string {
	text, _, err := answer.Render(catalog.Outcome{Value: notice{list, dropped}, Budget: budget}, answer.Options{})
	if err != nil { // a text without a deadline has none
		return "alerts: " + err.Error()
	}
	return text
}

// notice is some alerts for a reader.
type notice struct {
	list    []occurrence
	dropped int
}

// maxShown are the characters of one alert's text.
const maxShown = 200

// Text writes the newest of the alerts.
func (n notice) Text(w *answer.Writer) {
	w.Head("alerts: %d", len(n.list))
	var from []string
	entries := make([]answer.Entry, len(n.list))
	for i, a := range n.list {
		from = append(from, a.From)
		line := fmt.Sprintf("%s %s %s %s: %s", a.Handle, answer.Clock(a.Time), a.Severity, a.Event, answer.Cut(answer.Clean(a.Text), maxShown))
		if a.Count > 1 {
			line += fmt.Sprintf(" (×%d)", a.Count)
		}
		entries[i] = answer.Entry{Text: strings.ReplaceAll(line, "\n", " ")}
	}
	w.Page(from...)
	first, to := w.Entries(answer.Newest, entries)
	if to-first < len(entries) {
		w.Note("%d older ones are left out; resource gasoline://alerts has more", len(entries)-(to-first))
	}
	if n.dropped > 0 {
		w.Note("%d made room before they could be told", n.dropped)
	}
	if len(n.list) > 0 {
		w.Note(`observe {"what":"errors"} and the other modes take these ids`)
	}
}
