package browser

import (
	"encoding/json"
	"slices"

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
	r := &reader{cursor: cursor{s: s}}
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
		return Message{}, problem.New(
			problem.InvalidParam,
			"Send the browser profile's run as session.",
			"session has to have 1 to %d bytes",
			maxSession,
		)
	}
	for _, e := range r.batch {
		h := e.Base()
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
		r.batch, r.reports = nil, nil // the last of two counts
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

// group reads what happened in one document. Members may come in any order, so the events get their
// document when all is read. Of two lists with one name the last counts.
func (r *reader) group() {
	var g wire.Group
	var refused []refusal
	if !r.enter('{') {
		return
	}
	from := len(r.batch)
	type part struct{ from, to int }
	parts := map[string]part{}
	refuse := func(f refusal) { refused = append(refused, f) }
	for first := true; r.more(&first, '}'); {
		name := r.key()
		if l, ok := lists[name]; ok {
			if before, again := parts[name]; again {
				clear(r.batch[before.from:before.to])
			}
			start := len(r.batch)
			l.read(r, refuse)
			parts[name] = part{start, len(r.batch)}
			continue
		}
		switch name {
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
		default:
			r.skip()
		}
	}
	r.batch = slices.DeleteFunc(r.batch, func(e event.Event) bool { return e == nil })
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
		r.reports = append(
			r.reports,
			ingest.Report{
				Document: g.Document,
				Tab:      g.Tab,
				Kind:     kindOf(word),
				Cause:    ingest.Sender,
				Count:    count(n, maxCount),
			},
		)
	}
}

// stamp gives the events since from their document.
func (r *reader) stamp(from int, g *wire.Group) {
	for _, e := range r.batch[from:] {
		h := e.Base()
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
	return lists[word].kind
}
