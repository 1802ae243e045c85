package observe

import (
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
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "errors", Reads: true, Limit: 20,
	Doc: "Uncaught exceptions, unhandled rejections, failed resources, CSP violations and console errors, with " +
		"stacks and causes. An id (x7) gives one with its whole stack.",
	Aliases: []string{"exceptions", "error"},
	Example: `{"limit":5}`,
}, errorsMode)

type errorsParams struct {
	view.Scoped
	view.Served
	view.Paged
	ID      string `json:"id,omitempty" alone:"-" doc:"one entry's handle, for all of it"`
	URL     string `json:"url,omitempty" doc:"only those whose script, resource or page URL contains this"`
	Summary bool   `json:"summary,omitempty" doc:"counts and the most frequent instead of entries"`
}

// errorEntry is one error, whether thrown or written to the console.
type errorEntry struct {
	ID        string       `json:"id"`
	Type      string       `json:"type,omitempty"`
	Message   string       `json:"message"`
	Source    string       `json:"source"`              // console, log, or the exception's mechanism
	Said      string       `json:"logged_as,omitempty"` // what a logger wrote beside an exception
	Service   string       `json:"service,omitempty"`
	URL       string       `json:"url,omitempty"`
	Line      int          `json:"line,omitempty"`
	Column    int          `json:"column,omitempty"`
	Stack     []view.Frame `json:"stack,omitempty"`
	Causes    []string     `json:"cause,omitempty"`
	Element   string       `json:"element,omitempty"`
	Count     int          `json:"repeats,omitempty"`
	Witnesses []string     `json:"witnesses,omitempty"` // what told of it, where that was more than one
	Alike     int          `json:"alike,omitempty"`     // errors that say the same, with this one, where there are more than the limit
	Timestamp string       `json:"timestamp"`
	Tab       int          `json:"tab,omitempty"`
	Frame     int          `json:"frame,omitempty"`
	PageURL   string       `json:"page_url,omitempty"`
	TraceID   string       `json:"trace_id,omitempty"`
	Flags     []string     `json:"flags,omitempty"`
	Earlier   bool         `json:"earlier_page,omitempty"` // its tab shows another page now

	clock string
	seq   event.Seq
	at    time.Time
}

var errorKinds = []event.Kind{event.KindException, event.KindLog}

// isError reports whether an item is an error: every exception, and console lines of that severity.
func isError(it query.Item) bool {
	return slices.Contains(errorKinds, it.Kind) && event.Severity(it.Event) >= event.SeverityError
}

// onlyErrors narrows what is read to errors. The store knows an event's severity without decoding it.
func (o *opened) onlyErrors() {
	o.Filter.Severity, o.scope.Severity = event.SeverityError, event.SeverityError
}

func errorsMode(ctx context.Context, env Env, p errorsParams) (any, error) {
	if p.ID != "" {
		return oneError(ctx, env, p.ID)
	}
	o, err := env.open(ctx, p.Scoped, p.Paged, p.Summary, p.URL, p.Service)
	if err != nil {
		return nil, err
	}
	o.beside(env, p.Served, event.SeverityError)
	o.onlyErrors()
	list, alike, cover, err := o.distinct(ctx, env, p.Summary)
	if err != nil {
		return nil, err
	}
	notes := env.LossNotes(o.Filter, errorKinds...)
	failed, err := failures(ctx, env, o, len(list.Items) == 0)
	if err != nil {
		return nil, err
	}
	if p.Summary {
		return tallyErrors(list.Items, o, append(append(notes, failed...), env.CoverNotes(cover)...)), nil
	}
	told := make([]*query.Item, len(list.Items))
	for i := range list.Items {
		told[i] = &list.Items[i]
	}
	earlier, err := ofEarlierPages(ctx, env, told)
	if err != nil {
		return nil, err
	}
	out := view.NewList(env.View, o.Selection, o.key, "errors", &list, cover, func(it *query.Item) errorEntry {
		e := newErrorEntry(it)
		e.Alike, e.Earlier = alike.Count[it.Head.Seq], earlier[e.ID]
		return e
	})
	if out.Order = byRank(alike, func(e errorEntry) event.Seq { return e.seq }); out.Order != nil {
		out.Time = func(e errorEntry) time.Time { return e.at }
	}
	out.Line, out.Origin = errorLine, func(e errorEntry) string { return answer.Source(e.PageURL, e.Service) }
	out.Empty = o.nothing(o.noErrors(), env.countOf(ctx, errorKinds, nil))
	return out.Note(notes...).Note(failed...).Note(env.Unseen(ctx, o.Selection)...), nil
}

const ofEarlierPage = " (of an earlier page)"

// ofEarlierPages returns the handles of those errors whose tab shows another page now.
func ofEarlierPages(ctx context.Context, env Env, errors []*query.Item) (map[string]bool, error) {
	earlier, now := map[string]bool{}, map[tabKey]string{}
	for _, it := range errors {
		if it == nil || it.Head.Service != "" || it.Head.Frame != 0 || it.Head.Document == "" {
			continue
		}
		key := tabKey{it.Head.Session, it.Head.Tab}
		if _, known := now[key]; !known {
			current, err := env.DocumentNow(ctx, key.session, key.tab)
			if err != nil {
				return nil, err
			}
			now[key] = current.Document
		}
		if shown := now[key]; shown != "" && shown != it.Head.Document {
			earlier[it.Handle()] = true
		}
	}
	return earlier, nil
}

// noErrors claims no more than what a page can be told.
func (o opened) noErrors() string {
	const words = "no errors were seen"
	if o.Filter.Service != "" {
		return words
	}
	return words + "; what a browser tells its console alone is not, as refused and sandboxed frames, wrong SVG, forms and " +
		"policies, rejections in another origin's script without CORS"
}

// distinct reads the page's errors so that a loud sender hides no other. A summary counts each.
func (o opened) distinct(ctx context.Context, env Env, each bool) (query.List[query.Item], query.Alike, query.Coverage, error) {
	if each {
		list, cover, err := query.Timeline(ctx, env.Reader, errorKinds, o.Filter, o.page, nil)
		return list, query.Alike{}, cover, err
	}
	return query.Distinct(ctx, env.Reader, errorKinds, o.Filter, o.page, func(it query.Item) (kind, same string) {
		e := newErrorEntry(&it)
		return kindOf(e), e.fold()
	})
}

// kindOf is the same for errors that are of one kind: what they say but for numbers and ids, how they were noticed, and the page.
func kindOf(e errorEntry) string {
	return analysis.Fingerprint(e.summary()) + "\n" + e.Source + "\n" + e.PageURL
}

// byRank orders entries so that those with the lowest rank stay; nil where none stands for others.
func byRank[E any](a query.Alike, seq func(E) event.Seq) func([]E) []E {
	if a.Rank == nil {
		return nil
	}
	return func(entries []E) []E {
		return slices.SortedStableFunc(slices.Values(entries), func(x, y E) int { return a.Rank[seq(x)] - a.Rank[seq(y)] })
	}
}

// failures names requests and connections that failed where no error tells of them, since pages often catch them, and
// what would say why where the page was not told. none says that there is no error.
func failures(ctx context.Context, env Env, o opened, none bool) ([]string, error) {
	page := query.Page{Since: o.page.Since, Limit: 3, Look: 2000}
	// The filter takes errors only, and of requests those are the failed ones.
	requests, _, err := query.Read[event.Exchange](ctx, env.Reader, o.Filter, page, nil)
	if err != nil {
		return nil, err
	}
	every := o.Filter
	every.Severity = 0
	sockets, _, err := query.Read(ctx, env.Reader, every, page, func(m *event.Message) bool {
		return m.Event == "error" || m.Event == "close" && m.Code == 0 && m.Reason != ""
	})
	if err != nil {
		return nil, err
	}
	var failed, broken, notes []string
	untold := false
	for i := range requests.Items {
		e := newExchangeEntry(&requests.Items[i])
		how := e.Outcome
		if e.Status != 0 {
			how = strconv.Itoa(e.Status)
		}
		untold = untold || e.Outcome == "network_error" && !strings.HasPrefix(e.Error, "net::")
		failed = append(failed, e.ID+" "+how) // no text of the page: notes stand outside the fence
	}
	for i := range sockets.Items {
		broken = append(broken, query.Handle(event.KindMessage, sockets.Items[i].Seq))
	}
	if none && len(failed) > 0 {
		notes = append(notes, `no errors, but requests failed: `+strings.Join(failed, ", ")+
			`; observe {"what":"network_bodies","failed":true} shows them`)
	}
	if none && len(broken) > 0 {
		notes = append(notes, `no errors, but connections failed: `+strings.Join(broken, ", ")+
			`; observe {"what":"websocket_events"} shows them`)
	}
	if why := env.Unanswered(o.Selection); untold && why != "" {
		notes = append(notes, why)
	}
	return notes, nil
}

// oneError gives an exception, or a console line as the error that it is, in full.
func oneError(ctx context.Context, env Env, handle string) (any, error) {
	it, err := query.ByHandle(env.Reader, handle)
	if err != nil {
		return nil, err
	}
	if it.Kind != event.KindLog {
		return whole(ctx, env, it), nil
	}
	return inFull(it, newErrorEntry(&it), errorDetail), nil
}

func errorDetail(e errorEntry) []string {
	lines := []string{fmt.Sprintf("%s %s [%s]", e.ID, e.Timestamp, answer.Clean(e.origin())), answer.Clean(e.summary())}
	if e.Said != "" {
		lines = append(lines, "logged as: "+answer.Clean(e.Said))
	}
	for _, f := range e.Stack {
		at := "  at " + view.StackOf([]view.Frame{f}, e.PageURL, 1)
		lines = append(lines, at+part("(%s)", f.Raw))
	}
	if len(e.Stack) == 0 {
		lines[1] += part("@%s", e.place(1))
	}
	for _, c := range e.Causes {
		lines = append(lines, "caused by "+answer.Clean(c))
	}
	if e.Element != "" {
		lines = append(lines, "element: "+answer.Clean(e.Element))
	}
	if e.TraceID != "" {
		lines = append(lines, fmt.Sprintf(`trace: observe {"what":"timeline","trace":%q}`, answer.Clean(e.TraceID)))
	}
	if e.PageURL == "" && e.Service != "" {
		return lines
	}
	return append(lines, "page: "+answer.Clean(e.PageURL))
}

func newErrorEntry(it *query.Item) errorEntry {
	h := it.Head
	out := errorEntry{
		ID:        it.Handle(),
		Timestamp: view.Stamp(h.Time),
		Tab:       h.Tab,
		Frame:     h.Frame,
		PageURL:   h.PageURL,
		Service:   h.Service,
		TraceID:   h.TraceID,
		Flags:     h.Flags.Names(),
		clock:     answer.Clock(h.Time),
		seq:       h.Seq,
		at:        h.Time,
	}
	switch e := it.Event.(type) {
	case *event.Exception:
		out.Type, out.Message, out.Source, out.URL, out.Line, out.Column = e.Type, e.Message, e.Mechanism, e.URL,
			e.Line, e.Column
		out.Stack, out.Element, out.Count = view.Stack(e.Stack), e.Element, e.Count
		out.Said, out.Witnesses = e.Said(), listOf(e.Witnesses)
		for _, c := range e.Causes {
			out.Causes = append(out.Causes, strings.TrimPrefix(c.Type+": "+c.Message, ": "))
		}
	case *event.Exchange, *event.Message:
		out.Message, out.Source = faultOf(it)
	case *event.Log:
		out.Message, out.Source, out.URL, out.Line, out.Column, out.Stack, out.Count = e.Message, "console", e.URL,
			e.Line, e.Column, view.Stack(e.Stack), e.Count
		if event.ClassOf(e) == event.Service {
			out.Source, out.Witnesses = "log", listOf(e.Witnesses)
			if cause := causeOf(e.Message, e.Attributes); cause != "" {
				out.Causes = []string{cause}
			}
		}
	}
	return out
}

// listOf is a list that an event has as a text.
func listOf(words string) []string {
	if words == "" {
		return nil
	}
	return strings.Split(words, ", ")
}

// summary is the type and the message of the error.
func (e errorEntry) summary() string {
	if e.Type != "" && !strings.HasPrefix(e.Message, e.Type) {
		return e.Type + ": " + e.Message
	}
	return e.Message
}

// place is the top of the stack, at most n calls of it, or the line that was told.
func (e errorEntry) place(n int) string {
	switch {
	case len(e.Stack) > 0:
		return view.StackOf(e.Stack, e.PageURL, n)
	case e.URL != "":
		return answer.LocalPlace(e.URL, e.PageURL, e.Line, e.Column)
	}
	return ""
}

// brief is the error without handle and time, on one line.
func (e errorEntry) brief() string {
	out := answer.Cut(answer.Clean(e.summary()), 200) + " [" + answer.Clean(e.origin()) + "]"
	if e.Count > 1 {
		out += fmt.Sprintf(" ×%d", e.Count)
	}
	return out + part("@%s", e.place(1))
}

// lines is the error in full: message, place, causes.
func (e errorEntry) lines() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s %s [%s]", e.ID, e.clock, answer.Cut(answer.Clean(e.summary()), 600), answer.Clean(e.origin()))
	if e.Frame != 0 {
		fmt.Fprintf(&out, " in an iframe of %s", answer.Origin(e.PageURL))
	}
	if e.Count > 1 {
		fmt.Fprintf(&out, " ×%d", e.Count)
	}
	if e.Alike > 1 {
		fmt.Fprintf(&out, " (×%d)", e.Alike)
	}
	out.WriteString(part("%s", answer.Clean(e.Element)))
	if e.Earlier {
		out.WriteString(ofEarlierPage)
	}
	if e.Said != "" {
		out.WriteString("\n  logged as: " + answer.Cut(answer.Clean(e.Said), 200))
	}
	if at := e.place(4); at != "" {
		out.WriteString("\n  at " + at)
	}
	for _, c := range e.Causes {
		fmt.Fprintf(&out, "\n  caused by %s", answer.Cut(answer.Clean(c), 300))
	}
	return out.String()
}

// origin says how the error was noticed, by all that told of it, and in which service where it was none of a page.
func (e errorEntry) origin() string {
	told := e.Source
	if len(e.Witnesses) > 0 {
		told = strings.Join(e.Witnesses, ", ")
	}
	if e.Service == "" {
		return told
	}
	return strings.TrimSpace(told + " in " + e.Service)
}

// fold is the same for errors that are shown as one.
func (e errorEntry) fold() string { return e.summary() + e.Source + e.Service + e.PageURL }

func errorLine(e errorEntry) answer.Entry { return answer.Entry{Text: e.lines(), Fold: e.fold()} }

type topMessage struct {
	Message string `json:"message"`
	Count   int    `json:"count"`
	ID      string `json:"id"` // of the newest

	page string
}

func tallyErrors(items []query.Item, o opened, losses []string) *view.Tally {
	sources := map[string]int{}
	tops := map[string]*topMessage{}
	var order []*topMessage
	total := 0
	for i := range items {
		e := newErrorEntry(&items[i])
		n := max(e.Count, 1)
		total += n
		sources[e.Source] += n
		t := tops[e.summary()]
		if t == nil {
			t = &topMessage{Message: e.summary()}
			tops[e.summary()] = t
			order = append(order, t)
		}
		t.Count += n
		t.ID, t.page = e.ID, e.PageURL
	}
	out := &view.Tally{
		Title:  "errors",
		Total:  total,
		Scope:  o.Words,
		Notes:  append(o.Notes, losses...),
		Groups: []view.Group{{Name: "by_source", Counts: sources}},
	}
	top := view.Most(order, 5, func(t *topMessage) int { return t.Count })
	for _, t := range top {
		line := t.ID + " " + answer.Cut(answer.Clean(t.Message), 200)
		if t.Count > 1 {
			line += fmt.Sprintf(" ×%d", t.Count)
		}
		out.Lines = append(out.Lines, line)
		out.Pages = append(out.Pages, answer.Origin(t.page))
	}
	out.Fields = map[string]any{"top_messages": top}
	return out
}

var _ = showInFull(plainly(func(e *event.Exception) errorEntry {
	return newErrorEntry(&query.Item{Kind: event.KindException, Event: e, Head: &e.Head})
}), errorDetail)
