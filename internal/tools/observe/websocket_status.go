package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "websocket_status", Reads: true,
	Doc: "WebSocket and EventSource connections, open and closed, with rates, last messages and the JSON keys " +
		"that they carry.",
	Aliases: []string{"ws_status", "connections"},
	Example: `{"url":"/feed"}`,
}, websocketStatus)

type connectionsParams struct {
	view.Scoped
	URL        string `json:"url,omitempty" doc:"only those whose URL contains this"`
	Connection string `json:"connection_id,omitempty" doc:"only this connection"`
	Summary    bool   `json:"summary,omitempty" doc:"counts instead of entries"`
}

type connectionsResult struct {
	Open        []connectionEntry `json:"connections"`
	Closed      []connectionEntry `json:"closed"`
	ActiveCount int               `json:"active_count"`
	ClosedCount int               `json:"closed_count"`
	Scope       string            `json:"scope"`
	Notes       []string          `json:"notes,omitempty"`

	pages []string
}

// connectionEntry is one connection.
type connectionEntry struct {
	ID          string         `json:"id"`
	Protocol    string         `json:"protocol"`
	URL         string         `json:"url"`
	State       string         `json:"state"`               // open, reconnecting, closed
	Lost        string         `json:"lost_at,omitempty"`   // since when it is reconnecting
	Opened      string         `json:"opened_at,omitempty"` // absent: before capture began
	Closed      string         `json:"closed_at,omitempty"`
	DurationMS  int64          `json:"duration_ms,omitempty"`
	CloseCode   int            `json:"close_code,omitempty"`
	CloseReason string         `json:"close_reason,omitempty"`
	Total       uint64         `json:"total_messages"`
	Rate        directions     `json:"message_rate"`
	Last        lastMessages   `json:"last_message"`
	Schema      *schemas       `json:"schema,omitempty"`
	Sampling    *samplingEntry `json:"sampling,omitempty"`
	Tab         int            `json:"tab,omitempty"`
	PageURL     string         `json:"page_url,omitempty"`

	lost time.Duration // how long it is reconnecting
}

type directions struct {
	Incoming traffic `json:"incoming"`
	Outgoing traffic `json:"outgoing"`
}

type traffic struct {
	PerSecond float64 `json:"per_second"` // over the last ten seconds
	Total     uint64  `json:"total"`
	Bytes     uint64  `json:"bytes"`
}

type lastMessages struct {
	Incoming *lastMessage `json:"incoming,omitempty"`
	Outgoing *lastMessage `json:"outgoing,omitempty"`
}

type lastMessage struct {
	At      string `json:"at"`
	Age     string `json:"age"`
	Preview string `json:"preview,omitempty"`
}

// schemas are the keys of recent JSON messages with their types, the most frequent first.
type schemas struct {
	Incoming []string `json:"incoming,omitempty"`
	Outgoing []string `json:"outgoing,omitempty"`
}

type samplingEntry struct {
	Active  bool    `json:"active"`
	Rate    float64 `json:"rate"`
	Skipped uint64  `json:"skipped"`
	Reason  string  `json:"reason"`
}

func websocketStatus(ctx context.Context, env Env, p connectionsParams) (any, error) {
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return nil, err
	}
	open, closed := env.Reader.Connections()
	f := selection.Filter
	mine := func(c query.Connection) bool {
		return (f.Session == "" || c.Session == f.Session) && (f.Tab == 0 || c.Tab == f.Tab) &&
			(f.TestID == "" || c.TestID == f.TestID) &&
			(f.Page == "" || samePage(c.PageURL, f.Page)) && query.Contains(c.URL, p.URL) &&
			(p.Connection == "" || c.ID == p.Connection)
	}
	out := &connectionsResult{
		Open:   []connectionEntry{},
		Closed: []connectionEntry{},
		Scope:  selection.Words,
		Notes:  append(selection.Notes, env.LossNotes(selection.Filter, event.KindMessage)...),
	}
	now := time.Now()
	lost := query.Coverage{Exhausted: true} // of the messages by which keys are known
	add := func(to *[]connectionEntry, from []query.Connection) error {
		for _, c := range from {
			if !mine(c) {
				continue
			}
			e := newConnectionEntry(c, now)
			if p.Summary {
				*to = append(*to, e)
				continue
			}
			var cover query.Coverage
			if e.Schema, cover, err = schemasOf(ctx, env, c); err != nil {
				return err
			}
			if cover.Evicted > lost.Evicted {
				lost.Evicted, lost.EvictedUpper = cover.Evicted, cover.EvictedUpper
			}
			*to = append(*to, e)
			out.pages = append(out.pages, answer.Origin(c.PageURL))
		}
		return nil
	}
	if err := add(&out.Open, open); err != nil {
		return nil, err
	}
	if err := add(&out.Closed, closed); err != nil {
		return nil, err
	}
	for _, n := range env.CoverNotes(lost) {
		out.Notes = append(out.Notes, "keys of messages may be missing: "+n)
	}
	out.ActiveCount, out.ClosedCount = len(out.Open), len(out.Closed)
	if p.Summary {
		protocols := map[string]int{}
		for _, e := range slices.Concat(out.Open, out.Closed) {
			protocols[e.Protocol]++
		}
		return &view.Tally{
			Title: "connections", Total: out.ActiveCount + out.ClosedCount, Scope: out.Scope, Notes: out.Notes,
			Groups: []view.Group{
				{Name: "by_state", Counts: map[string]int{"open": out.ActiveCount, "closed": out.ClosedCount}},
				{Name: "by_protocol", Counts: protocols},
			},
		}, nil
	}
	return out, nil
}

func samePage(a, b string) bool {
	a, _, _ = strings.Cut(a, "#")
	b, _, _ = strings.Cut(b, "#")
	return a == b
}

func newConnectionEntry(c query.Connection, now time.Time) connectionEntry {
	e := connectionEntry{
		ID: c.ID, Protocol: c.Protocol, URL: c.URL, State: c.State, CloseCode: c.Code, CloseReason: c.Reason,
		Tab: c.Tab, PageURL: c.PageURL,
		Total: c.Incoming.Messages + c.Outgoing.Messages,
		Rate: directions{
			trafficOf(c.Incoming.PerSecond, c.Incoming.Messages, c.Incoming.Bytes),
			trafficOf(c.Outgoing.PerSecond, c.Outgoing.Messages, c.Outgoing.Bytes),
		},
		Last: lastMessages{
			lastOf(c.Incoming.Last, c.Incoming.Preview, now),
			lastOf(c.Outgoing.Last, c.Outgoing.Preview, now),
		},
	}
	end := now
	if !c.Closed.IsZero() {
		end, e.Closed = c.Closed, view.Stamp(c.Closed)
	}
	if !c.Lost.IsZero() {
		end, e.Lost, e.lost = c.Lost, view.Stamp(c.Lost), now.Sub(c.Lost)
	}
	if !c.Opened.IsZero() {
		e.Opened, e.DurationMS = view.Stamp(c.Opened), end.Sub(c.Opened).Milliseconds()
	}
	if c.Skipped > 0 || c.Rate > 0 {
		e.Sampling = &samplingEntry{c.Rate > 0, c.Rate, c.Skipped, "more messages a second than are kept"}
	}
	return e
}

func trafficOf(perSecond float64, total, bytes uint64) traffic {
	return traffic{perSecond, total, bytes}
}

func lastOf(at time.Time, preview string, now time.Time) *lastMessage {
	if at.IsZero() {
		return nil
	}
	return &lastMessage{view.Stamp(at), answer.Ago(now.Sub(at)), preview}
}

// schemaFrames is how many of a connection's newest messages are looked at for their keys.
const schemaFrames = 50

// schemasOf returns the keys of a connection's newest messages. When some of these were evicted, the coverage says how
// many messages of the connection's tab were.
func schemasOf(ctx context.Context, env Env, c query.Connection) (*schemas, query.Coverage, error) {
	kept := c.Skipped // messages of the connection that were not evicted
	list, cover, err := query.Read(
		ctx,
		env.Reader.Whole(), // what a connection carries is told of the connection, whatever lists leave out
		query.Filter{Session: c.Session, Tab: c.Tab},
		query.Page{Limit: schemaFrames},
		func(f *event.Message) bool {
			if f.Connection != c.ID || f.Event != "message" {
				return false
			}
			kept++
			return f.Data != ""
		},
	)
	if err != nil {
		return nil, cover, err
	}
	if len(list.Items) == schemaFrames || kept >= c.Incoming.Messages+c.Outgoing.Messages {
		cover.Evicted = 0
	}
	var in, out keys
	for _, f := range list.Items {
		if f.Direction == "outgoing" {
			out.add(f.Data)
		} else {
			in.add(f.Data)
		}
	}
	s := &schemas{in.list(), out.list()}
	if s.Incoming == nil && s.Outgoing == nil {
		return nil, cover, nil
	}
	return s, cover, nil
}

// keys counts the top-level keys of JSON objects.
type keys struct {
	seen  map[string]*keyCount
	order []*keyCount
}

type keyCount struct {
	name string
	n    int
}

const maxKeys = 12

// add counts the keys of one message. What is no object counts nothing; one that was cut counts up
// to the cut.
func (k *keys) add(data string) {
	dec := json.NewDecoder(strings.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return
		}
		name := fmt.Sprintf("%v %s", key, typeOf(value))
		if k.seen == nil {
			k.seen = map[string]*keyCount{}
		}
		c := k.seen[name]
		if c == nil {
			c = &keyCount{name: name}
			k.seen[name] = c
			k.order = append(k.order, c)
		}
		c.n++
	}
}

func (k *keys) list() []string {
	var out []string
	for _, c := range view.Most(k.order, maxKeys, func(c *keyCount) int { return c.n }) {
		out = append(out, answer.Cut(answer.Clean(c.name), 60))
	}
	return out
}

func typeOf(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// Text writes the connections for a reader.
func (r *connectionsResult) Text(w *answer.Writer) {
	w.Head("connections: %d open, %d closed, %s", r.ActiveCount, r.ClosedCount, r.Scope)
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	var entries []answer.Entry
	for _, e := range slices.Concat(r.Closed, r.Open) {
		entries = append(entries, answer.Entry{Text: e.text()})
	}
	if len(entries) == 0 {
		return
	}
	w.Page(r.pages...)
	if from, _ := w.Entries(answer.Newest, entries); from > 0 {
		w.Note("%d more left out; a larger budget, url or connection_id shows them", from)
	}
}

func (e connectionEntry) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s", answer.Clean(e.ID), e.State)
	if e.Lost != "" {
		out.WriteString(" for " + answer.Took(e.lost))
	}
	switch e.Protocol {
	case "eventsource":
		out.WriteString(" EventSource")
	case "fetch":
		out.WriteString(" fetch")
	}
	if e.Opened != "" {
		out.WriteString(" " + answer.Took(time.Duration(e.DurationMS)*time.Millisecond))
	}
	out.WriteString(" " + answer.Short(e.URL, 120))
	if e.State != "open" {
		if e.CloseCode != 0 {
			fmt.Fprintf(&out, " code %d", e.CloseCode)
		}
		out.WriteString(part("%s", answer.Clean(e.CloseReason)))
	}
	direction := func(word string, t traffic, last *lastMessage, keys []string) {
		if t.Total == 0 {
			return
		}
		fmt.Fprintf(&out, "\n  %s %d", word, t.Total)
		if t.PerSecond > 0 {
			fmt.Fprintf(&out, " (%.1f/s)", t.PerSecond)
		}
		out.WriteString(" " + answer.Bytes(int64(t.Bytes)))
		if len(keys) > 0 {
			out.WriteString(" keys: " + strings.Join(keys, ", "))
		}
		if last != nil {
			out.WriteString(" last " + last.Age + part("%s", answer.Cut(flat(last.Preview), 120)))
		}
	}
	s := e.Schema
	if s == nil {
		s = &schemas{}
	}
	direction("in", e.Rate.Incoming, e.Last.Incoming, s.Incoming)
	direction("out", e.Rate.Outgoing, e.Last.Outgoing, s.Outgoing)
	if e.Sampling != nil {
		fmt.Fprintf(&out, "\n  sampled: %d messages were counted and not kept", e.Sampling.Skipped)
		if e.Sampling.Active {
			fmt.Fprintf(&out, ", %.0f/s now", e.Sampling.Rate)
		}
	}
	return out.String()
}
