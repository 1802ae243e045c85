package browser

import (
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/wire"
)

// The Read functions of the single-kind routes return a problem for a body that is not understood or
// has no list. Entries that are no events are in Rejected. body is not kept.

// ReadLogs reads the body of POST /logs. An entry with a mechanism is an exception.
func ReadLogs(body []byte) (Delivery, error) {
	return read(body, "entries", func(r *reader, refuse func(refusal)) {
		r.batch.Logs, r.batch.Exceptions = nil, nil
		r.records(event.KindLog, func() string {
			if r.record.mechanism != "" {
				return r.addException()
			}
			return r.addLog()
		}, refuse)
	})
}

// ReadBodies reads the body of POST /network-bodies.
func ReadBodies(body []byte) (Delivery, error) {
	return read(body, "bodies", func(r *reader, refuse func(refusal)) {
		r.batch.Exchanges = nil
		values(r, event.KindExchange, &r.batch.Exchanges, func(w *wire.Exchange) *wire.Base { return &w.Base }, exchange, refuse)
	})
}

// ReadWaterfall reads the body of POST /network-waterfall.
func ReadWaterfall(body []byte) (Delivery, error) {
	return read(body, "entries", func(r *reader, refuse func(refusal)) {
		r.batch.Resources = nil
		values(r, event.KindResource, &r.batch.Resources, func(w *wire.Resource) *wire.Base { return &w.Base }, resource, refuse)
	})
}

// ReadFrames reads the body of POST /websocket-events.
func ReadFrames(body []byte) (Delivery, error) {
	return read(body, "events", func(r *reader, refuse func(refusal)) {
		r.batch.Frames = nil
		values(r, event.KindFrame, &r.batch.Frames, func(w *wire.Frame) *wire.Base { return &w.Base }, frame, refuse)
	})
}

// ReadActions reads the body of POST /enhanced-actions.
func ReadActions(body []byte) (Delivery, error) {
	return read(body, "actions", func(r *reader, refuse func(refusal)) {
		r.batch.Actions = nil
		values(r, event.KindAction, &r.batch.Actions, func(w *wire.Action) *wire.Base { return &w.Base }, action, refuse)
	})
}

// ReadSnapshots reads the body of POST /performance-snapshots.
func ReadSnapshots(body []byte) (Delivery, error) {
	return read(body, "snapshots", func(r *reader, refuse func(refusal)) {
		r.batch.Performance = nil
		values(r, event.KindPerformance, &r.batch.Performance, func(w *wire.Performance) *wire.Base { return &w.Base }, performance, refuse)
	})
}

// read reads a body with one list of that name; events reads the list.
func read(body []byte, list string, events func(r *reader, refuse func(refusal))) (Delivery, error) {
	s, err := prepare(body)
	if err != nil {
		return Delivery{}, err
	}
	r := &reader{cursor: cursor{s: s}, batch: &event.Batch{}}
	var d Delivery
	found := false
	var refused []refusal
	if r.enter('{') {
		for first := true; r.more(&first, '}'); {
			name := r.key()
			if name == list {
				found, refused = true, nil
				events(r, func(f refusal) { refused = append(refused, f) })
				continue
			}
			r.origin(&d.Origin, name)
		}
	}
	r.finish()
	if r.err != nil {
		return Delivery{}, malformed(&r.cursor)
	}
	if !found {
		return Delivery{}, problem.New(problem.MissingParam, "Send the events as a list named "+list+".", "the body has no %s", list)
	}
	for _, f := range refused {
		d.Rejected = append(d.Rejected, wire.Rejected{Index: f.index, Reason: f.reason})
		r.reports = append(r.reports, ingest.Report{Kind: f.kind, Cause: ingest.Invalid, Count: 1})
	}
	r.claim(&d.Origin)
	d.Upload = r.upload(d.Session, d.Sent)
	return d, nil
}

// origin reads one member of who sends.
func (r *reader) origin(o *wire.Origin, name string) {
	switch name {
	case "v":
		r.into(&o.V)
	case "sent":
		r.into(&o.Sent)
	case "session":
		r.into(&o.Session)
	case "tab":
		r.into(&o.Tab)
	case "frame":
		r.into(&o.Frame)
	case "document":
		r.into(&o.Document)
	case "page_url":
		r.into(&o.PageURL)
	case "source":
		r.into(&o.Source)
	case "service":
		r.into(&o.Service)
	case "test_id":
		r.into(&o.TestID)
	case "worker":
		r.into(&o.Worker)
	default:
		r.skip()
	}
}

// claim bounds the origin and writes it to the events; an event's own test and worker win.
func (r *reader) claim(o *wire.Origin) {
	var b bounded
	o.Session, o.Document = b.text(o.Session, maxSession), b.text(o.Document, maxDocument)
	o.PageURL, o.Source, o.Service = b.text(o.PageURL, maxURL), b.text(o.Source, maxWord), b.text(o.Service, maxID)
	o.TestID, o.Worker = b.text(o.TestID, maxTestID), b.text(o.Worker, maxID)
	if o.Source == "" {
		o.Source = "http"
	}
	for _, h := range r.batch.Heads() {
		h.Session, h.Tab, h.Frame, h.Document, h.PageURL = o.Session, o.Tab, o.Frame, o.Document, o.PageURL
		h.Source, h.Service = o.Source, o.Service
		if h.TestID == "" {
			h.TestID = o.TestID
		}
		if h.Worker == "" {
			h.Worker = o.Worker
		}
	}
}
