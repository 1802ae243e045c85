package analyze

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/flow"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "navigation_patterns", Reads: true, Limit: 10,
	Doc: "How users went through the app: routes with ids folded, ways between them, loops, back and forth, where they did not " +
		"go on, and repeated clicks without effect.",
	Aliases: []string{"journeys", "rage_clicks"}, Example: `{"limit":10}`,
}, navigationPatterns)

type navigationParams struct {
	view.Scoped
	Limit   int    `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
	URL     string `json:"url,omitempty" doc:"only what has a page with this in its URL"`
	Summary bool   `json:"summary,omitempty" doc:"the counts and what is odd only"`
}

type navigationResult struct {
	Visits      int              `json:"visits"`
	RouteCount  int              `json:"route_count"`
	Routes      []routeEntry     `json:"routes"`
	Transitions []wayEntry       `json:"transitions"`
	Loops       []loopEntry      `json:"loops"`
	Abandoned   []abandonedEntry `json:"abandoned"`
	Rage        []rageEntry      `json:"rage_clicks"`
	More        int              `json:"more,omitempty"` // entries beyond the limit
	Scope       string           `json:"scope"`
	Notes       []string         `json:"notes,omitempty"`

	summary  bool
	filtered bool
	origin   string   // of the newest visit; its routes are told by their paths
	origins  []string // of all
}

type routeEntry struct {
	Path   string `json:"path"`
	Visits int    `json:"visits"`
	Mean   int64  `json:"avg_ms"` // of those that are over; 0: none is
	Last   string `json:"last"`   // handle of the newest visit
}

type wayEntry struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Count int    `json:"count"`
	Last  string `json:"last"`
}

type loopEntry struct {
	Paths []string `json:"paths"`
	Times int      `json:"times"`
	Acts  int      `json:"user_actions"` // during it; 0: nobody drove it
	First string   `json:"first"`
	Last  string   `json:"last"`
}

type abandonedEntry struct {
	Path   string `json:"path"`
	Visits int    `json:"visits"`
	Ended  int    `json:"ended,omitempty"`     // the tab was closed there, or went where nothing is captured
	Back   int    `json:"went_back,omitempty"` // the user went back at once
	Last   string `json:"last"`
}

type rageEntry struct {
	Element string   `json:"element"`
	Path    string   `json:"path"`
	Clicks  int      `json:"clicks"`
	MS      int64    `json:"within_ms"`
	IDs     []string `json:"ids"`
	Errors  []string `json:"errors,omitempty"` // what the clicks threw
}

// controls are roles whose elements answer each click: who clicks one three times selects no text.
var controls = []string{
	"button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem",
	"gridcell", "columnheader", "summary",
}

// typed are roles of elements in which a click sets the caret or a value, which no event tells.
var typed = []string{"textbox", "searchbox", "combobox", "spinbutton", "slider", "listbox"}

func navigationPatterns(ctx context.Context, env Env, p navigationParams) (*navigationResult, error) {
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return nil, err
	}
	out := &navigationResult{
		Routes: []routeEntry{}, Transitions: []wayEntry{}, Loops: []loopEntry{}, Abandoned: []abandonedEntry{}, Rage: []rageEntry{},
		Scope: selection.Words, summary: p.Summary, filtered: p.URL != "" || selection.Filter.Page != "",
	}
	// What has to be near a page may be on another one.
	page := selection.Filter.Page
	all := selection.Filter
	all.Page = ""
	visits, cover, err := env.Visits(ctx, all, stepsLooked)
	if err != nil {
		return nil, err
	}
	meant := func(urls ...string) bool {
		return slices.ContainsFunc(urls, func(u string) bool {
			return query.Contains(u, p.URL) && (page == "" || route(u) == route(page))
		})
	}
	names := map[string]string{} // routes of a page that is meant, with one of its addresses
	steps := make([]analysis.Step, 0, len(visits))
	for _, v := range visits {
		s := analysis.Step{
			Handle: query.Handle(event.KindLifecycle, v.Event.Seq), Tab: tabOf(&v.Event.Head), Route: route(v.To),
			Took: v.Took, Current: v.Current, Closed: v.Left, Acts: v.Acts,
			Back: v.Reached == "traverse" || v.Reached == "back_forward",
		}
		if meant(v.To) {
			out.Visits++
			names[s.Route] = v.To
			out.origin = answer.Origin(v.To)
			out.origins = append(out.origins, out.origin)
		}
		steps = append(steps, s)
	}
	found := analysis.Journeys(steps)
	known := func(routes ...string) bool {
		return slices.ContainsFunc(routes, func(r string) bool { return names[r] != "" })
	}
	limit := cmp.Or(p.Limit, env.Call.Limit)
	for _, r := range found.Visits {
		if known(r.Route) {
			out.RouteCount++
			add(out, &out.Routes, limit, routeEntry{r.Route, r.Visits, r.Mean.Milliseconds(), r.Last})
		}
	}
	for _, t := range found.Transitions {
		if known(t.From, t.To) {
			add(out, &out.Transitions, limit, wayEntry(t))
		}
	}
	for _, l := range found.Loops {
		if known(l.Routes...) {
			add(out, &out.Loops, limit, loopEntry{l.Routes, l.Times, l.Acts, l.First, l.Last})
		}
	}
	for _, a := range found.Abandoned {
		if known(a.Route) {
			add(out, &out.Abandoned, limit, abandonedEntry{a.Route, a.Of, a.Closed, a.Back, a.Last})
		}
	}
	rages, clicksCover, err := rageClicks(ctx, env, all)
	if err != nil {
		return nil, err
	}
	for _, r := range rages {
		first, last := r.Clicks[0], r.Clicks[len(r.Clicks)-1]
		if !meant(first.Route) {
			continue
		}
		e := rageEntry{
			Element: first.Words, Path: route(first.Route), Clicks: len(r.Clicks), MS: last.Time.Sub(first.Time).Milliseconds(), Errors: r.Errors,
		}
		for _, c := range r.Clicks {
			e.IDs = append(e.IDs, c.Handle)
		}
		out.origins = append(out.origins, answer.Origin(first.Route))
		add(out, &out.Rage, limit, e)
	}
	out.Notes = append(selection.Notes, env.LossNotes(all, event.KindLifecycle, event.KindAction)...)
	out.Notes = append(out.Notes, env.CoverNotes(cover)...)
	if !clicksCover.Exhausted {
		out.Notes = append(out.Notes, "clicks before those are not looked at for repeated ones")
	}
	if len(out.Rage) > 0 {
		out.Notes = append(out.Notes, "what a script draws on a canvas or sets as a field's value is no change that is seen")
	}
	return out, nil
}

func add[T any](out *navigationResult, list *[]T, limit int, entry T) {
	if len(*list) == limit {
		out.More++
		return
	}
	*list = append(*list, entry)
}

// route names the page that an address leads to, ids folded. Apps that route by the fragment have their route there.
func route(address string) string {
	out := answer.Origin(address) + flow.Route(address)
	if _, fragment, ok := strings.Cut(address, "#"); ok && (strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!/")) {
		out += "#" + flow.Route(fragment)
	}
	return out
}

// stepsLooked is how many visits and actions are looked at, clicksLooked how many actions for repeated clicks.
const (
	stepsLooked  = 6000
	clicksLooked = 3000
)

// rageClicks returns repeated clicks of the user that had no effect. Their Route is the address of the page.
func rageClicks(ctx context.Context, env Env, f query.Filter) ([]analysis.Rage, query.Coverage, error) {
	var clicks []analysis.Click
	_, cover, err := query.Read(ctx, env.Reader, f, query.Page{Limit: 1, Look: clicksLooked}, func(a *event.Action) bool {
		if a.Type == "click" && a.By == "user" && !slices.Contains(typed, a.Role) {
			clicks = append(clicks, click(a))
		}
		return false
	})
	if err != nil || len(clicks) < 3 {
		return nil, cover, err
	}
	slices.Reverse(clicks) // they came newest first
	slices.SortStableFunc(clicks, func(a, b analysis.Click) int { return a.Time.Compare(b.Time) })
	found := analysis.RageClicks(clicks)
	if len(found) == 0 {
		return nil, cover, nil
	}
	var times []time.Time
	for _, r := range found {
		for _, c := range r.Clicks {
			times = append(times, c.Time)
		}
	}
	kinds := []event.Kind{
		event.KindAction, event.KindLifecycle, event.KindDOM, event.KindExchange, event.KindMessage, event.KindException,
	}
	items, whole, err := query.Around(ctx, env.Reader, times, ambient, followed, kinds, f)
	if err != nil {
		return nil, cover, err
	}
	cover.Exhausted = cover.Exhausted && whole
	var out []analysis.Rage
	for _, r := range found {
		if !effect(&r, items) {
			out = append(out, r)
		}
	}
	return out, cover, nil
}

const (
	ambient  = 5 * time.Second         // before the clicks: what happens then anyway
	answered = 1100 * time.Millisecond // after a click: changes are told once a second
	followed = 5 * time.Second         // after a click: what carries its id
)

// click is an action as findings see it.
func click(a *event.Action) analysis.Click {
	out := analysis.Click{
		Handle: query.Handle(event.KindAction, a.Seq), Action: a.Cause.Action, Time: a.Time,
		Where: tabOf(&a.Head) + " " + a.Document, Route: a.PageURL, Control: slices.Contains(controls, a.Role),
	}
	out.Words = a.Role
	if name := cmp.Or(a.Name, a.Text); name != "" {
		out.Words = strings.TrimSpace(a.Role + " " + strconv.Quote(answer.Cut(name, 60)))
	}
	out.Element = a.Role + "\x00" + a.Name
	if len(a.Locators) > 0 {
		best := a.Locators[0]
		out.Element = best.Kind + "\x00" + best.Value
		out.Words = cmp.Or(out.Words, best.Value)
	} else {
		out.Element += "\x00" + strconv.FormatFloat(a.X, 'f', 0, 64) + "," + strconv.FormatFloat(a.Y, 'f', 0, 64)
	}
	out.Words = cmp.Or(out.Words, "something without a name")
	return out
}

// tabOf names the tab of an event.
func tabOf(h *event.Head) string { return h.Session + " " + strconv.Itoa(h.Tab) }

// effect reports whether clicks led to something: it carries an id of theirs, or came right after one and does not come
// without them as well. Errors are none; they are added to the clicks.
func effect(r *analysis.Rage, items []query.Item) bool {
	first, last := r.Clicks[0], r.Clicks[len(r.Clicks)-1]
	ids := map[string]bool{}
	for _, c := range r.Clicks {
		ids[c.Action] = c.Action != ""
	}
	before := map[string]bool{}
	for _, it := range items {
		h := it.Head
		if tabOf(h) != first.Where[:strings.LastIndexByte(first.Where, ' ')] {
			continue
		}
		own := ids[h.Cause.Action]
		if !own && h.Time.After(last.Time.Add(answered)) {
			continue
		}
		for _, sign := range signs(it, first.Element) {
			switch {
			case h.Time.Before(first.Time) && !own:
				before[sign] = true
			case own || h.Cause.Action == "" && !before[sign]:
				return true
			}
		}
		if x, ok := it.Event.(*event.Exception); ok && own {
			r.Errors = append(r.Errors, query.Handle(event.KindException, x.Seq))
		}
	}
	return false
}

// signs tells what an event would be an effect by: the same for what comes again without the click.
func signs(it query.Item, element string) []string {
	switch e := it.Event.(type) {
	case *event.Action:
		if e.Type == "click" || e.Type == "dblclick" {
			if element == click(e).Element {
				return nil // one of them
			}
		}
		return []string{"action " + it.Handle()}
	case *event.Lifecycle:
		if view.IsVisit(e) || e.State == "hidden" || e.State == "pagehide" || e.State == "dialog_opened" {
			return []string{"visit " + it.Handle()}
		}
	case *event.DOM:
		if e.Type == "transient" {
			return []string{"transient " + e.Selector}
		}
		var out []string
		for _, c := range e.Changes {
			what, _, _ := strings.Cut(c, `"`) // what it says differs each time
			out = append(out, "change "+what)
		}
		if out == nil {
			out = []string{"change"}
		}
		return out
	case *event.Exchange:
		return []string{"request " + e.Method + flow.Route(e.URL)}
	case *event.Message:
		return []string{"message " + e.Connection}
	}
	return nil
}

// Text writes the findings for a reader.
func (r *navigationResult) Text(w *answer.Writer) {
	w.Head("navigation patterns: %d visits of %d routes, %s", r.Visits, r.RouteCount, r.Scope)
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	if r.Visits == 0 && len(r.Notes) == 0 && !r.filtered {
		w.Head("no page was visited yet")
	}
	var entries []answer.Entry
	line := func(format string, args ...any) {
		entries = append(entries, answer.Entry{Text: fmt.Sprintf(format, args...)})
	}
	name := func(path string) string { return answer.Local(path, r.origin, 80) }
	for _, e := range r.Rage {
		text := fmt.Sprintf("%d clicks without effect on %s, %s, within %s: %s", e.Clicks, answer.Clean(e.Element), name(e.Path),
			answer.Took(time.Duration(e.MS)*time.Millisecond), strings.Join(some(e.IDs, 4), " "))
		if len(e.Errors) > 0 {
			text += "; they threw " + strings.Join(some(e.Errors, 4), " ")
		}
		line("%s", text)
	}
	for _, l := range r.Loops {
		var paths []string
		for _, p := range l.Paths {
			paths = append(paths, name(p))
		}
		by := fmt.Sprintf("%d user actions in it", l.Acts)
		if l.Acts == 0 {
			by = "nobody acted in it: a script or a redirect"
		}
		switch len(l.Paths) {
		case 1:
			line("loaded again and again: %s ×%d, %s–%s, %s", paths[0], l.Times, l.First, l.Last, by)
		case 2:
			line("back and forth: %s ⇄ %s ×%d, %s–%s, %s", paths[0], paths[1], l.Times, l.First, l.Last, by)
		default:
			line("loop: %s ×%d, %s–%s, %s", strings.Join(paths, " → "), l.Times, l.First, l.Last, by)
		}
	}
	for _, a := range r.Abandoned {
		var how []string
		if a.Back > 0 {
			how = append(how, fmt.Sprintf("%d went back without doing anything", a.Back))
		}
		if a.Ended > 0 {
			how = append(how, fmt.Sprintf("%d ended there (closed, or left for a page that is not captured)", a.Ended))
		}
		line("dead end: %s, of %d visits %s, %s", name(a.Path), a.Visits, strings.Join(how, ", "), a.Last)
	}
	if !r.summary {
		for _, e := range r.Routes {
			stay := "still there"
			if e.Mean > 0 {
				stay = answer.Took(time.Duration(e.Mean)*time.Millisecond) + " on average"
			}
			line("route %s ×%d, %s, %s", name(e.Path), e.Visits, stay, e.Last)
		}
		for _, t := range r.Transitions {
			line("way %s → %s ×%d, %s", name(t.From), name(t.To), t.Count, t.Last)
		}
	}
	if r.Visits > 0 && len(r.Rage)+len(r.Loops)+len(r.Abandoned) == 0 {
		w.Head("no loops, no dead ends, no repeated clicks without effect")
	}
	w.Page(r.origins...)
	from, to := w.Entries(answer.Oldest, entries)
	if more := len(entries) - (to - from) + r.More; more > 0 {
		w.Note("%d more; raise limit or budget", more)
	}
}

// some are at most n words, and how many more there are.
func some(words []string, n int) []string {
	if len(words) <= n {
		return words
	}
	return append(slices.Clone(words[:n]), fmt.Sprintf("and %d more", len(words)-n))
}
