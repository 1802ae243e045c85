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
		r.records(event.KindLog, func() string {
			if r.record.mechanism != "" {
				return r.addException()
			}
			return r.addLog()
		}, refuse)
	})
}

// ReadBodies reads the body of POST /network-bodies.
func ReadBodies(body []byte) (Delivery, error) { return read(body, "bodies", lists["network"].read) }

// ReadWaterfall reads the body of POST /network-waterfall.
func ReadWaterfall(body []byte) (Delivery, error) {
	return read(body, "entries", lists["waterfall"].read)
}

// ReadMessages reads the body of POST /websocket-events.
func ReadMessages(body []byte) (Delivery, error) {
	return read(body, "events", lists["websocket"].read)
}

// ReadActions reads the body of POST /enhanced-actions.
func ReadActions(body []byte) (Delivery, error) { return read(body, "actions", lists["actions"].read) }

// ReadSnapshots reads the body of POST /performance-snapshots.
func ReadSnapshots(body []byte) (Delivery, error) {
	return read(body, "snapshots", lists["performance"].read)
}

// read reads a body with one list of that name; events reads the list.
func read(body []byte, list string, events func(r *reader, refuse func(refusal))) (Delivery, error) {
	s, err := prepare(body)
	if err != nil {
		return Delivery{}, err
	}
	r := &reader{cursor: cursor{s: s}}
	var d Delivery
	found := false
	var refused []refusal
	if r.enter('{') {
		for first := true; r.more(&first, '}'); {
			name := r.key()
			if name == list {
				found, refused, r.batch = true, nil, nil // the last of two counts
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
		return Delivery{}, problem.New(
			problem.MissingParam,
			"Send the events as a list named "+list+".",
			"the body has no %s",
			list,
		)
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
	case "instance":
		r.into(&o.Instance)
	case "clock_domain":
		r.into(&o.ClockDomain)
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
	o.Instance, o.ClockDomain = b.text(o.Instance, maxID), b.text(o.ClockDomain, maxID)
	o.TestID, o.Worker = b.text(o.TestID, maxTestID), b.text(o.Worker, maxID)
	if o.Source == "" {
		o.Source = "http"
	}
	for _, e := range r.batch {
		h := e.Base()
		h.Session, h.Tab, h.Frame, h.Document, h.PageURL = o.Session, o.Tab, o.Frame, o.Document, o.PageURL
		h.Origin = event.Origin{Source: o.Source, Service: o.Service, Instance: o.Instance}
		h.ClockDomain = o.ClockDomain
		if h.TestID == "" {
			h.TestID = o.TestID
		}
		if h.Worker == "" {
			h.Worker = o.Worker
		}
	}
}
