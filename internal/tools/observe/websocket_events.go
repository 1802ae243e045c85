package observe

import (
	"context"
	"fmt"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "websocket_events", Reads: true, Limit: 50,
	Doc: "Messages of WebSockets and EventSources with their opening and closing. An id (w12) gives one " +
		"message in full.",
	Aliases: []string{"ws", "websocket", "sse", "frames"},
	Example: `{"direction":"incoming","last_n":20}`,
	Errors:  []problem.Code{problem.InvalidParam, problem.NoData},
}, websocketEvents)

type framesParams struct {
	view.Scoped
	view.Paged
	lastN
	ID         string `json:"id,omitempty" alone:"-" doc:"one entry's handle, for all of it"`
	Connection string `json:"connection_id,omitempty" doc:"only this connection's"`
	Direction  string `json:"direction,omitempty" enum:"incoming,outgoing" doc:"only messages of this direction"`
	URL        string `json:"url,omitempty" doc:"only those whose URL contains this"`
	Text       string `json:"text,omitempty" doc:"only those that contain this"`
	Summary    bool   `json:"summary,omitempty" doc:"counts instead of entries"`
}

// frameEntry is one message, opening, closing or error of a connection.
type frameEntry struct {
	ID         string   `json:"id"`
	Connection string   `json:"connection"`
	Protocol   string   `json:"protocol"`
	URL        string   `json:"url"`
	Event      string   `json:"event"`
	Direction  string   `json:"direction,omitempty"`
	Order      uint64   `json:"order"` // per connection
	Type       string   `json:"type,omitempty"`
	Size       int64    `json:"size"` // true size in bytes
	Data       string   `json:"data,omitempty"`
	Code       int      `json:"code,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Skipped    int      `json:"skipped,omitempty"` // messages before it that were only counted
	Rate       float64  `json:"rate,omitempty"`    // messages per second while sampling
	Timestamp  string   `json:"timestamp"`
	Tab        int      `json:"tab,omitempty"`
	Frame      int      `json:"frame,omitempty"`
	PageURL    string   `json:"page_url,omitempty"`
	Flags      []string `json:"flags,omitempty"`

	clock string
}

func websocketEvents(ctx context.Context, env Env, p framesParams) (any, error) {
	if p.ID != "" {
		return one(ctx, env, p.ID, newFrameEntry, frameDetail)
	}
	o, err := env.open(ctx, p.Scoped, p.Paged, p.Summary, p.URL, p.Connection, p.Direction, p.Text)
	if err != nil {
		return nil, err
	}
	if err := p.narrow(&o.page); err != nil {
		return nil, err
	}
	o.Filter.Text = p.Text
	var keep func(*event.Message) bool
	if p.Connection != "" || p.Direction != "" {
		keep = func(f *event.Message) bool {
			return (p.Connection == "" || f.Connection == p.Connection) &&
				(p.Direction == "" || f.Direction == p.Direction)
		}
	}
	list, cover, err := query.Read(ctx, env.Reader, o.Filter, o.page, keep)
	if err != nil {
		return nil, err
	}
	losses := env.LossNotes(o.Filter, event.KindMessage)
	if p.Summary {
		return tallyFrames(list.Items, o, append(losses, env.CoverNotes(cover)...)), nil
	}
	out := view.NewList(env.View, o.Selection, o.key, "entries", &list, cover, newFrameEntry)
	out.Title, out.Origin = "websocket events", func(e frameEntry) string { return answer.Origin(e.PageURL) }
	out.Line = frameLines(out)
	out.Empty = o.nothing("no connection said anything", env.countOf(ctx, []event.Kind{event.KindMessage}, nil))
	return out.Note(losses...), nil
}

// frameLines returns the function that prints the list's entries: the first of each connection says
// its URL, the others its id only.
func frameLines(l *view.List[frameEntry]) func(frameEntry) answer.Entry {
	var named map[string]bool
	return func(e frameEntry) answer.Entry {
		if e.ID == l.Entries[0].ID {
			named = map[string]bool{} // the list is printed anew when it was cut
		}
		text := e.ID + " " + e.clock + " " + answer.Clean(e.Connection)
		if !named[e.Connection] {
			text += "=" + answer.Short(e.URL, 100)
			named[e.Connection] = true
		}
		brief := e.brief(200)
		return answer.Entry{Text: text + " " + brief, Fold: e.Connection + brief}
	}
}

func newFrameEntry(e *event.Message) frameEntry {
	return frameEntry{
		ID: query.Handle(
			event.KindMessage,
			e.Seq,
		), Connection: e.Connection, Protocol: e.Protocol, URL: e.URL, Event: e.Event, Direction: e.Direction,
		Order: e.Order, Type: e.Type, Size: e.Size, Data: e.Data, Code: e.Code, Reason: e.Reason, Skipped: e.Skipped,
		Rate: e.Rate,
		Timestamp: view.Stamp(
			e.Time,
		), Tab: e.Tab, Frame: e.Frame, PageURL: e.PageURL, Flags: e.Flags.Names(), clock: answer.Clock(e.Time),
	}
}

// brief is the entry without handle, time and connection, with at most n characters of its data:
// "in 34 B {"type":"tick"}".
func (e frameEntry) brief(n int) string {
	if e.Event != "message" {
		out := e.Event
		if e.Code != 0 {
			out += fmt.Sprintf(" %d", e.Code)
		}
		return out + part("%s", answer.Clean(e.Reason))
	}
	out := "in"
	if e.Direction == "outgoing" {
		out = "out"
	}
	if e.Type != "text" && e.Type != "message" {
		out += part("%s", answer.Clean(e.Type))
	}
	out += " " + answer.Bytes(e.Size) + part("%s", answer.Cut(flat(e.Data), n))
	if e.Skipped > 0 {
		out += fmt.Sprintf(" (%d before it not kept, %.0f/s)", e.Skipped, e.Rate)
	}
	return out
}

func frameDetail(e frameEntry) []string {
	out := []string{
		fmt.Sprintf(
			"%s %s %s=%s #%d %s",
			e.ID,
			e.Timestamp,
			answer.Clean(e.Connection),
			answer.Clean(e.URL),
			e.Order,
			e.brief(0),
		),
	}
	if e.Event == "message" {
		out[0] = fmt.Sprintf(
			"%s %s %s=%s #%d %s %s %s",
			e.ID,
			e.Timestamp,
			answer.Clean(e.Connection),
			answer.Clean(e.URL),
			e.Order,
			answer.Clean(e.Direction),
			answer.Clean(e.Type),
			answer.Bytes(e.Size),
		)
	}
	if e.Data != "" {
		out = append(out, flat(e.Data))
		if int64(len(e.Data)) < e.Size {
			out = append(out, fmt.Sprintf("(the head of %s is kept)", answer.Bytes(e.Size)))
		}
	}
	return append(out, "page: "+answer.Clean(e.PageURL))
}

func tallyFrames(items []event.Message, o opened, notes []string) *view.Tally {
	direction, kind, connections := map[string]int{}, map[string]int{}, map[string]bool{}
	for i := range items {
		e := &items[i]
		kind[e.Event]++
		connections[e.Connection] = true
		if e.Direction != "" {
			direction[e.Direction] += 1 + e.Skipped
		}
	}
	return &view.Tally{
		Title: "websocket events", Total: len(items),
		Scope: fmt.Sprintf("%s, %d connections", o.Words, len(connections)), Notes: append(o.Notes, notes...),
		Groups: []view.Group{{Name: "by_direction", Counts: direction}, {Name: "by_event_type", Counts: kind}},
		Fields: map[string]any{"connection_count": len(connections)},
	}
}

var _ = showInFull(plainly(newFrameEntry), frameDetail)
