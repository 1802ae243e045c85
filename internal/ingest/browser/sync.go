package browser

import (
	"encoding/json"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/wire"
)

// maxSession bounds the name of a session, maxDocument that of a document, in bytes.
const (
	maxSession  = 64
	maxDocument = 128
)

// ReadSync reads the body of POST /sync. The error is a problem; events that are none do not cause
// one but are reported in Upload. body is not kept.
func ReadSync(body []byte) (Message, error) {
	s, err := prepare(body)
	if err != nil {
		return Message{}, err
	}
	r := &reader{cursor: cursor{s: s}, batch: &event.Batch{}}
	var m Message
	if r.enter('{') {
		for first := true; r.more(&first, '}'); {
			r.envelope(&m, r.key())
		}
	}
	r.finish()
	if r.err != nil {
		return Message{}, malformed(&r.cursor)
	}
	if m.Session == "" || len(m.Session) > maxSession {
		return Message{}, problem.New(problem.InvalidParam, "Send the browser profile's run as session.", "session has to have 1 to %d bytes", maxSession)
	}
	for _, h := range r.batch.Heads() {
		h.Session = m.Session
		h.Source = "extension"
	}
	m.Upload = r.upload(m.Session, m.Sent)
	return m, nil
}

// envelope reads one member of the upload.
func (r *reader) envelope(m *Message, name string) {
	switch name {
	case "groups":
		*r.batch, r.reports = event.Batch{}, nil // the last of two counts
		if r.null() || !r.enter('[') {
			return
		}
		for first := true; r.more(&first, ']'); {
			r.group()
		}
	case "v":
		r.into(&m.V)
	case "capture_version":
		r.into(&m.CaptureVersion)
	case "session":
		r.into(&m.Session)
	case "version":
		r.into(&m.Version)
	case "sent":
		r.into(&m.Sent)
	case "settings":
		m.Settings = nil
		r.into(&m.Settings)
	case "tabs":
		m.Tabs = nil
		r.into(&m.Tabs)
	case "results":
		m.Results = nil
		r.into(&m.Results)
	default:
		r.skip()
	}
}

// into reads a value by encoding/json; one of the wrong type makes the body malformed.
func (r *reader) into(v any) {
	raw := r.skip()
	if r.err != nil {
		return
	}
	if err := json.Unmarshal([]byte(raw), v); err != nil {
		r.fail(wrongType(err))
	}
}

// starts remembers how long the batch's slices were before a group.
type starts struct {
	logs, exceptions, exchanges, resources, frames, actions, dom, lifecycle, performance, extensionLogs, marks int
}

func startsOf(b *event.Batch) starts {
	return starts{
		len(b.Logs), len(b.Exceptions), len(b.Exchanges), len(b.Resources), len(b.Frames), len(b.Actions),
		len(b.DOM), len(b.Lifecycle), len(b.Performance), len(b.ExtensionLogs), len(b.Marks),
	}
}

// group reads what happened in one document. Members may come in any order, so the events get their
// document when all is read.
func (r *reader) group() {
	var g wire.Group
	var refused []refusal
	if !r.enter('{') {
		return
	}
	from := startsOf(r.batch)
	refuse := func(f refusal) { refused = append(refused, f) }
	b := r.batch
	for first := true; r.more(&first, '}'); {
		switch r.key() {
		case "tab":
			r.into(&g.Tab)
		case "frame":
			r.into(&g.Frame)
		case "document":
			r.into(&g.Document)
		case "page_url":
			r.into(&g.PageURL)
		case "since":
			r.into(&g.Since)
		case "dropped":
			r.into(&g.Dropped)
		case "logs":
			b.Logs = b.Logs[:from.logs]
			r.records(event.KindLog, r.addLog, refuse)
		case "exceptions":
			b.Exceptions = b.Exceptions[:from.exceptions]
			r.records(event.KindException, r.addException, refuse)
		case "network":
			b.Exchanges = b.Exchanges[:from.exchanges]
			values(r, event.KindExchange, &b.Exchanges, func(w *wire.Exchange) *wire.Base { return &w.Base }, exchange, refuse)
		case "waterfall":
			b.Resources = b.Resources[:from.resources]
			values(r, event.KindResource, &b.Resources, func(w *wire.Resource) *wire.Base { return &w.Base }, resource, refuse)
		case "websocket":
			b.Frames = b.Frames[:from.frames]
			values(r, event.KindFrame, &b.Frames, func(w *wire.Frame) *wire.Base { return &w.Base }, frame, refuse)
		case "actions":
			b.Actions = b.Actions[:from.actions]
			values(r, event.KindAction, &b.Actions, func(w *wire.Action) *wire.Base { return &w.Base }, action, refuse)
		case "dom":
			b.DOM = b.DOM[:from.dom]
			values(r, event.KindDOM, &b.DOM, func(w *wire.DOM) *wire.Base { return &w.Base }, dom, refuse)
		case "lifecycle":
			b.Lifecycle = b.Lifecycle[:from.lifecycle]
			values(r, event.KindLifecycle, &b.Lifecycle, func(w *wire.Lifecycle) *wire.Base { return &w.Base }, lifecycle, refuse)
		case "performance":
			b.Performance = b.Performance[:from.performance]
			values(r, event.KindPerformance, &b.Performance, func(w *wire.Performance) *wire.Base { return &w.Base }, performance, refuse)
		case "extension_logs":
			b.ExtensionLogs = b.ExtensionLogs[:from.extensionLogs]
			values(r, event.KindExtensionLog, &b.ExtensionLogs, func(w *wire.ExtensionLog) *wire.Base { return &w.Base }, extensionLog, refuse)
		case "marks":
			b.Marks = b.Marks[:from.marks]
			values(r, event.KindMark, &b.Marks, func(w *wire.Mark) *wire.Base { return &w.Base }, mark, refuse)
		default:
			r.skip()
		}
	}
	if r.err == nil && len(g.Document) > maxDocument {
		r.fail("the name of a document is too long")
		return
	}
	var cut bounded
	g.PageURL = cut.text(g.PageURL, maxURL)
	r.stamp(from, &g)
	for _, f := range refused {
		r.reports = append(r.reports, f.report(&g))
	}
	for word, n := range g.Dropped {
		r.reports = append(r.reports, ingest.Report{Document: g.Document, Tab: g.Tab, Kind: kindOf(word), Cause: ingest.Sender, Count: count(n, maxCount)})
	}
}

// stamp gives the events since from their document.
func (r *reader) stamp(from starts, g *wire.Group) {
	b := r.batch
	part := event.Batch{
		Logs: b.Logs[from.logs:], Exceptions: b.Exceptions[from.exceptions:], Exchanges: b.Exchanges[from.exchanges:],
		Resources: b.Resources[from.resources:], Frames: b.Frames[from.frames:], Actions: b.Actions[from.actions:],
		DOM: b.DOM[from.dom:], Lifecycle: b.Lifecycle[from.lifecycle:], Performance: b.Performance[from.performance:],
		ExtensionLogs: b.ExtensionLogs[from.extensionLogs:], Marks: b.Marks[from.marks:],
	}
	for _, h := range part.Heads() {
		h.Tab, h.Frame, h.Document, h.PageURL = g.Tab, g.Frame, g.Document, g.PageURL
		if g.Since == "late" {
			h.Flags |= event.Late
		}
	}
}

// kindOf returns the kind of a word in "dropped": the event's or the list's.
func kindOf(word string) event.Kind {
	if k, ok := event.KindOf(word); ok && len(word) > 1 {
		return k
	}
	switch word {
	case "logs":
		return event.KindLog
	case "exceptions":
		return event.KindException
	case "network":
		return event.KindExchange
	case "websocket":
		return event.KindFrame
	case "actions":
		return event.KindAction
	case "extension_logs":
		return event.KindExtensionLog
	case "marks":
		return event.KindMark
	}
	return 0
}
