package source

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
)

const (
	maxStreams = 1000                   // whose lines are joined at a time
	settled    = 300 * time.Millisecond // after which a record that might go on is complete
)

// assembly turns rows into events. Lines of one stream are joined to records.
type assembly struct {
	adapter string
	service string
	domain  string
	host    string // this machine's
	live    bool   // rows have the time of the place
	known   func(string) bool
	fresh   func(event.Batch) (event.Batch, int) // see Config.Fresh

	mu      sync.Mutex
	streams map[string]*stream
	rows    uint64
}

type stream struct {
	reader lines.Reader
	used   time.Time
	open   bool
	bytes  int    // of the open record
	trace  string // of the last row
	last   uint64 // number of the last row
}

// beside is what the place knows about a row, and the trace that was asked for.
type beside struct {
	row   *Row
	asked string
}

// add reads rows, which came by a question for a trace or by "", into events; complete says that no row of theirs
// is still to come. Repeated is how many spans came another way before. Locked by the caller.
func (a *assembly) add(rows []*Row, asked string, complete bool, now time.Time) (b event.Batch, bytes, repeated int) {
	forms := Variants(asked)
	for _, r := range rows {
		if r.Events != nil {
			events, again := r.Events, 0
			for _, e := range events {
				h := e.Base()
				h.Source, h.Service = a.adapter, cmp.Or(h.Service, a.service)
			}
			if a.fresh != nil {
				events, again = a.fresh(events)
			}
			b, bytes, repeated = append(b, events...), bytes+r.Size, repeated+again
			continue
		}
		s := a.stream(r, now)
		if asked != "" && r.Trace == "" && slices.ContainsFunc(forms, func(f string) bool { return strings.Contains(r.Text, f) }) {
			r.Trace = asked
		}
		bytes += len(r.Text)
		line := lines.Line{Time: r.Time, Text: r.Text, Size: r.Size, Live: r.Live}
		if r.End != nil {
			s.reader.Learn(r.End.Text, r.End.Time)
		}
		if line.Time.IsZero() {
			line.Time = now
		}
		n := len(b)
		if r.Trace != "" && s.trace != "" && r.Trace != s.trace { // of two requests, whatever the lines look like
			b = s.reader.Flush(b)
		}
		a.rows++
		s.trace, s.last = r.Trace, a.rows
		if r.Trace != "" || r.Severity != 0 || len(r.Attributes) > 0 {
			line.Beside = beside{r, asked}
		}
		b, s.open = s.reader.Add(line, b), true
		if len(b) > n {
			s.bytes = 0
		}
		if n = len(b); line.Beside != nil { // most rows of such a place are records of their own
			b = s.reader.Settle(b)
		}
		if s.bytes += len(r.Text); len(b) > n {
			s.open, s.bytes = false, 0
		}
	}
	for _, s := range a.opened() {
		n := len(b)
		if complete {
			b = s.reader.Flush(b)
		} else {
			b = s.reader.Settle(b)
		}
		if complete || len(b) > n {
			s.open, s.bytes = false, 0
		}
	}
	return b, bytes, repeated
}

// opened returns the streams with an open record, in the order in which their last rows came.
func (a *assembly) opened() (open []*stream) {
	for _, s := range a.streams {
		if s.open {
			open = append(open, s)
		}
	}
	slices.SortFunc(open, func(s, t *stream) int { return cmp.Compare(s.last, t.last) })
	return open
}

// idle returns the records that nothing was added to for a while, with their size. Locked by the caller.
func (a *assembly) idle(now time.Time, all bool) (b event.Batch, bytes int) {
	for _, s := range a.opened() {
		if all || now.Sub(s.used) >= settled {
			b, s.open = s.reader.Flush(b), false
			bytes += s.bytes
			s.bytes = 0
		}
	}
	return b, bytes
}

func (a *assembly) stream(r *Row, now time.Time) *stream {
	service := r.Service
	if service == "" {
		service = a.service
	}
	key := service + "\x00" + r.Instance + "\x00" + r.Stream + "\x00" + r.Output
	s := a.streams[key]
	if s == nil {
		if len(a.streams) >= maxStreams {
			for k, old := range a.streams {
				if !old.open {
					delete(a.streams, k)
				}
			}
		}
		domain := r.Host
		if domain == "" {
			domain = a.domain
		}
		if domain == a.host {
			domain = ""
		}
		s = &stream{reader: lines.Reader{
			Origin:      event.Origin{Source: a.adapter, Service: service, Instance: r.Instance},
			ClockDomain: domain, Stream: r.Output, Live: a.live, Ours: !a.live, Known: a.known,
			Stamp: func(e event.Event, of any) {
				if of, ok := of.(beside); ok {
					stamp(e, of.row, of.asked)
				}
			},
		}}
		if a.streams == nil {
			a.streams = map[string]*stream{}
		}
		a.streams[key] = s
	}
	s.used = now
	return s
}

// stamp adds what the place knows about a row beside its text. What the text says itself stays.
func stamp(e event.Event, r *Row, asked string) {
	h := e.Base()
	if h.TraceID == "" {
		h.TraceID = traceOf(r.Trace, asked)
		if h.SpanID == "" && len(r.Span) == 16 {
			h.SpanID = r.Span
		}
	}
	l, ok := e.(*event.Log)
	if !ok {
		return
	}
	if r.Severity != 0 && l.Level == "info" { // the reader's word for a line that says none
		l.Severity, l.Level = r.Severity, r.Level
	}
	if len(r.Attributes) == 0 {
		return
	}
	out := []byte(l.Attributes)
	if len(out) < 2 {
		out = []byte("{}")
	}
	out = out[:len(out)-1]
	for _, at := range r.Attributes {
		key, _ := json.Marshal(at.Key) // a string is always JSON
		value, _ := json.Marshal(at.Value)
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	l.Attributes = string(append(out, '}'))
}
