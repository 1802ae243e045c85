package observe

import (
	"context"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "actions", Reads: true, Limit: 50,
	Doc: "What the user and agents did in pages: clicks, typing, choices, submits, navigations. An id (a12) " +
		"gives every way to find the element again.",
	Aliases: []string{"user_actions", "enhanced_actions"},
	Example: `{"last_n":10}`,
	Errors:  []problem.Code{problem.InvalidParam, problem.NoData},
}, actionsMode)

type actionsParams struct {
	view.Scoped
	view.Paged
	lastN
	ID      string `json:"id,omitempty" alone:"-" doc:"one entry's handle, for all of it"`
	URL     string `json:"url,omitempty" doc:"only those whose page or target URL contains this"`
	Type    string `json:"type,omitempty" doc:"click, input, submit, navigate, …"`
	Summary bool   `json:"summary,omitempty" doc:"counts instead of entries"`
}

// actionEntry is one thing that somebody did.
type actionEntry struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	By        string         `json:"by"` // user, agent, script
	Client    string         `json:"client,omitempty"`
	Locators  []locatorEntry `json:"locators,omitempty"` // best first
	Role      string         `json:"role,omitempty"`
	Name      string         `json:"name,omitempty"`
	Text      string         `json:"text,omitempty"`
	Value     string         `json:"value,omitempty"`
	Key       string         `json:"key,omitempty"`
	FromURL   string         `json:"from_url,omitempty"`
	ToURL     string         `json:"to_url,omitempty"`
	X         float64        `json:"x,omitempty"`
	Y         float64        `json:"y,omitempty"`
	Outcome   string         `json:"outcome,omitempty"`
	Timestamp string         `json:"timestamp"`
	Tab       int            `json:"tab,omitempty"`
	Frame     int            `json:"frame,omitempty"`
	PageURL   string         `json:"page_url,omitempty"`
	TestID    string         `json:"test_id,omitempty"`
	Flags     []string       `json:"flags,omitempty"`

	clock string
}

type locatorEntry struct {
	Kind    string `json:"kind"`
	Value   string `json:"value"`
	Matches int    `json:"matches"`
	Score   int    `json:"score"`
}

func actionsMode(ctx context.Context, env Env, p actionsParams) (any, error) {
	if p.ID != "" {
		return one(ctx, env, p.ID, newActionEntry, actionDetail)
	}
	o, err := env.open(ctx, p.Scoped, p.Paged, p.Summary, p.URL, p.Type)
	if err != nil {
		return nil, err
	}
	if err := p.narrow(&o.page); err != nil {
		return nil, err
	}
	var keep func(*event.Action) bool
	if p.Type != "" {
		keep = func(a *event.Action) bool { return strings.EqualFold(a.Type, p.Type) }
	}
	list, cover, err := query.Read(ctx, env.Reader, o.Filter, o.page, keep)
	if err != nil {
		return nil, err
	}
	losses := env.LossNotes(o.Filter, event.KindAction)
	if p.Summary {
		kinds, by := map[string]int{}, map[string]int{}
		for _, a := range list.Items {
			kinds[a.Type]++
			by[a.By]++
		}
		return withRange(&view.Tally{
			Title: "actions", Total: len(list.Items), Scope: o.Words,
			Notes:  append(o.Notes, append(losses, env.CoverNotes(cover)...)...),
			Groups: []view.Group{{Name: "by_type", Counts: kinds}, {Name: "by_actor", Counts: by}},
		}, list.OldestTime, list.NewestTime), nil
	}
	out := view.NewList(env.View, o.Selection, o.key, "entries", &list, cover, newActionEntry)
	out.Title, out.Line = "actions", actionLine
	out.Origin = func(e actionEntry) string { return answer.Origin(e.PageURL) }
	out.Empty = o.nothing("nobody did anything", env.countOf(ctx, []event.Kind{event.KindAction}, nil))
	return out.Note(losses...), nil
}

func newActionEntry(e *event.Action) actionEntry {
	out := actionEntry{
		ID: query.Handle(
			event.KindAction,
			e.Seq,
		), Type: e.Type, By: e.By, Client: e.Client, Role: e.Role, Name: e.Name, Text: e.Text, Value: e.Value,
		Key: e.Key, FromURL: e.FromURL, ToURL: e.ToURL, X: e.X, Y: e.Y, Outcome: e.Outcome,
		Timestamp: view.Stamp(e.Time), Tab: e.Tab, Frame: e.Frame,
		PageURL: e.PageURL, TestID: e.TestID, Flags: e.Flags.Names(), clock: answer.Clock(e.Time),
	}
	for _, l := range e.Locators {
		out.Locators = append(out.Locators, locatorEntry(l))
	}
	return out
}

// brief is the action without handle and time: `click button "Pay now" [testid=pay]`.
func (e actionEntry) brief() string {
	var out strings.Builder
	out.WriteString(answer.Clean(e.Type))
	if e.By == "agent" {
		out.WriteString(" (agent" + part("%s", answer.Clean(e.Client)) + ")")
	}
	if e.By == "script" {
		out.WriteString(" (script)")
	}
	out.WriteString(part("%s", answer.Clean(e.Role)))
	name := e.Name
	if name == "" {
		name = e.Text
	}
	if name != "" {
		fmt.Fprintf(&out, " %q", answer.Cut(answer.Clean(name), 80))
	}
	if l := e.locator(); l != "" {
		out.WriteString(" [" + l + "]")
	}
	if e.Value != "" {
		fmt.Fprintf(&out, " = %q", answer.Cut(answer.Clean(e.Value), 80))
	}
	out.WriteString(part("%s", answer.Clean(e.Key)))
	if e.Type == "scroll" {
		fmt.Fprintf(&out, " to %.0f,%.0f", e.X, e.Y)
	}
	if e.ToURL != "" {
		out.WriteString(" to " + answer.Local(e.ToURL, e.PageURL, 100))
	}
	if e.Outcome != "" && e.Outcome != "ok" {
		out.WriteString(" failed: " + answer.Clean(e.Outcome))
	}
	return out.String()
}

// locator is the best way to find the element, unless role and name already say it.
func (e actionEntry) locator() string {
	if len(e.Locators) == 0 {
		return ""
	}
	l := e.Locators[0]
	if l.Kind == "role" && e.Role != "" && e.Name != "" || l.Kind == "text" && (e.Name != "" || e.Text != "") {
		return ""
	}
	if l.Kind == "css" {
		return answer.Cut(answer.Clean(l.Value), 80)
	}
	return answer.Clean(l.Kind) + "=" + answer.Cut(answer.Clean(l.Value), 80)
}

func actionLine(e actionEntry) answer.Entry {
	brief := e.brief()
	return answer.Entry{Text: e.ID + " " + e.clock + " " + brief, Fold: brief + e.PageURL}
}

func actionDetail(e actionEntry) []string {
	out := []string{e.ID + " " + e.Timestamp + " " + e.brief()}
	if e.Text != "" && e.Text != e.Name {
		out = append(out, "text: "+answer.Clean(e.Text))
	}
	if e.Value != "" {
		out = append(out, "value: "+answer.Clean(e.Value))
	}
	if e.FromURL != "" || e.ToURL != "" {
		out = append(out, "from "+answer.Clean(e.FromURL)+" to "+answer.Clean(e.ToURL))
	}
	if e.X != 0 || e.Y != 0 {
		out = append(out, fmt.Sprintf("at %.0f,%.0f", e.X, e.Y))
	}
	for _, l := range e.Locators {
		out = append(out, fmt.Sprintf("found by %s=%s (%d matches)", answer.Clean(l.Kind), answer.Clean(l.Value), l.Matches))
	}
	return append(out, "page: "+answer.Clean(e.PageURL))
}

var _ = showInFull(plainly(newActionEntry), actionDetail)
