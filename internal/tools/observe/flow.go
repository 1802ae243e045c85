package observe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/flow"
	"github.com/brennhill/gasoline/internal/query"
)

// flowResult is one operation as it went through the page and the services.
type flowResult struct {
	of   string
	flow *flow.Flow
}

// flowOf reads the flow of a trace, or of the event with a handle.
func flowOf(ctx context.Context, env Env, of string) (*flowResult, error) {
	f, err := env.Flows.Read(ctx, strings.TrimSpace(of))
	if err != nil {
		return nil, err
	}
	return &flowResult{of, f}, nil
}

// MarshalJSON writes what GET /trace/{id} answers.
func (r *flowResult) MarshalJSON() ([]byte, error) { return answer.JSON(r.flow.Wire()) }

// Text writes the cause first, then the tree, then what is not known.
func (r *flowResult) Text(w *answer.Writer) {
	f := r.flow
	word, why := f.Complete()
	from, to := f.Extent()
	head := fmt.Sprintf("flow of %s: %s, %s", answer.Clean(r.of), answer.Took(to.Sub(from)), word)
	if len(f.Services) > 0 {
		services := "1 service"
		if n := len(f.Services); n > 1 {
			services = fmt.Sprintf("%d services", n)
		}
		head = fmt.Sprintf("flow of %s: %s through %s, %s", answer.Clean(r.of), answer.Took(to.Sub(from)), services, word)
	}
	w.Head("%s", head)
	// Both name what a service, or a place that keeps its lines, has written.
	for _, reason := range why {
		w.Told("not whole: %s", reason)
	}
	for _, c := range f.Clocks {
		if c.Offset != 0 || !c.Known {
			w.Told("%s", clockNote(c))
		}
	}
	if f.Left > 0 {
		w.Note("%d events are left out", f.Left)
	}
	w.Page(r.origins()...)
	w.Entries(answer.Oldest, r.entries(from))
	w.Note("* is on the critical path, ! failed; a handle in id gives all of an entry")
}

// origins names who wrote what the answer shows.
func (r *flowResult) origins() (out []string) {
	seen := map[string]bool{}
	r.flow.Walk(func(n *flow.Node) {
		if !n.Missing() && n.Service == "" {
			if o := answer.Origin(n.Item.Head.PageURL); o != "" && !seen[o] {
				seen[o] = true
				out = append(out, o)
			}
		}
	})
	for _, s := range r.flow.Services {
		out = append(out, "service "+answer.Clean(s))
	}
	return out
}

func clockNote(c flow.Clock) string {
	if !c.Known {
		return fmt.Sprintf("the clock of %s was set in between: the order of its events is uncertain", answer.Clean(c.Domain))
	}
	way := "ahead"
	if c.Offset < 0 {
		way = "behind"
	}
	return fmt.Sprintf("the clock of %s is %s %s; its times are corrected, right within %s", answer.Clean(c.Domain),
		answer.Took(c.Offset.Abs()), way, answer.Took(c.Bound))
}

// entries are the lines of the answer; the tree comes last, since it is what can be cut.
func (r *flowResult) entries(from time.Time) []answer.Entry {
	out := causeLines(r.flow)
	if d := r.flow.Differs; d != nil && !d.Same() {
		out = append(out, answer.Entry{Text: "differs from " + d.Passing + ", which passed:"})
		for _, part := range []struct {
			word  string
			lines []string
		}{{"new", d.New}, {"missing", d.Missing}, {"changed", d.Changed}} {
			for _, l := range part.lines {
				out = append(out, answer.Entry{Text: "  " + part.word + ": " + answer.Cut(answer.Clean(l), 200)})
			}
		}
	}
	var down func(n *flow.Node, indent string)
	down = func(n *flow.Node, indent string) {
		out = append(out, answer.Entry{Text: indent + flowLine(n, from)})
		for _, c := range n.Children {
			down(c, indent+" ")
		}
	}
	for _, root := range r.flow.Roots {
		down(root, "")
	}
	return out
}

// causeLines say what failed first, with what says so.
func causeLines(f *flow.Flow) []answer.Entry {
	c := f.Cause
	if c == nil {
		return []answer.Entry{{Text: "nothing failed"}}
	}
	where := c.Node.Service
	if where == "" {
		where = "the page"
	}
	out := []answer.Entry{{Text: fmt.Sprintf("cause (%.2f): %s in %s: %s", c.Score, c.Node.ID(), answer.Clean(where),
		answer.Cut(answer.Clean(c.Node.Message()), 400))}}
	if c.Node.Missing() {
		out[0].Text = fmt.Sprintf("cause (%.2f): %s", c.Score, answer.Clean(c.Node.Silent()))
	}
	if q := c.Node.Query(); q != "" {
		out = append(out, answer.Entry{Text: "  " + answer.Clean(c.Node.System()) + " query: " + answer.Cut(answer.Clean(q), 300)})
	}
	for _, e := range c.Evidence {
		out = append(out, answer.Entry{Text: "  " + e.ID() + " " + answer.Cut(brief(e.Item), 400)})
	}
	if len(c.Others) > 0 {
		var ids []string
		for _, o := range c.Others {
			ids = append(ids, o.ID())
		}
		out = append(out, answer.Entry{Text: "  or: " + strings.Join(ids, ", ")})
	}
	return out
}

// flowLine is one node: handle, when, what, and how it is known to belong there where that is not sure.
func flowLine(n *flow.Node, from time.Time) string {
	var out strings.Builder
	if id := n.ID(); id != "" {
		out.WriteString(id + " ")
	}
	fmt.Fprintf(&out, "+%s ", answer.Took(n.Start.Sub(from)))
	switch e := n.Item.Event.(type) {
	case nil:
		out.WriteString("(" + answer.Clean(n.Silent()) + ")")
	case *event.Log:
		out.WriteString(answer.Cut(answer.Clean(n.Service)+" "+brief(n.Item), 200))
	case *event.Exchange:
		entry := newExchangeEntry(e)
		out.WriteString(entry.brief())
		if entry.failed {
			out.WriteString(part("→ %s", entry.head(headOfFailed)))
		}
	default:
		out.WriteString(answer.Cut(brief(n.Item), 300))
	}
	if len(n.Like) > 0 {
		fmt.Fprintf(&out, " ×%d", 1+len(n.Like))
	}
	if n.Failed {
		out.WriteString(" !")
	}
	if n.Critical {
		out.WriteString(" *")
	}
	if n.Async {
		out.WriteString(" (async)")
	}
	if n.Note != "" {
		out.WriteString(" (" + n.Note + ")")
	}
	if s := n.Link.Score; n.Parent != nil && s < 0.95 && n.Link.Method != "action" {
		fmt.Fprintf(&out, " (by %s, %.2f)", strings.ReplaceAll(n.Link.Method, "_", " "), s)
	}
	return out.String()
}

// failedFlow returns the flow behind an error: its own trace, or that of the request that failed nearest before it in
// its tab, by its action's id where there is one. nil when there is none.
func failedFlow(ctx context.Context, env Env, it query.Item, window time.Duration) (*flow.Flow, error) {
	h := it.Head
	if h.Service != "" {
		return env.Flows.Read(ctx, it.Handle())
	}
	filter := query.Filter{Session: h.Session, Tab: h.Tab, Severity: event.SeverityError}
	near := func(x *event.Exchange) bool {
		d := h.Time.Sub(x.Time)
		return d >= -maxAfter && d <= window && (h.Cause.Action == "" || x.Cause.Action == "" || h.Cause.Action == x.Cause.Action)
	}
	list, _, err := query.Read(ctx, env.Reader, filter, query.Page{Limit: 5}, near)
	if err != nil || len(list.Items) == 0 {
		return nil, err
	}
	best := &list.Items[len(list.Items)-1]
	for i := range list.Items {
		if x := &list.Items[i]; h.Cause.Action != "" && x.Cause.Action == h.Cause.Action {
			best = x
			break
		}
	}
	return env.Flows.Read(ctx, query.Handle(event.KindExchange, best.Seq))
}

// mostChain is how many links of the way from a cause to the page an error bundle tells.
const mostChain = 8

// serviceLines tells in a few lines what services did: the cause, what says so, the way out to the page, what differs.
func serviceLines(f *flow.Flow) string {
	var out strings.Builder
	word, why := f.Complete()
	out.WriteString("\n  in " + answer.Cut(answer.Clean(strings.Join(f.Services, ", ")), 100) + ", " + word)
	if len(why) > 0 {
		out.WriteString(": " + answer.Cut(answer.Clean(strings.Join(why, "; ")), 160))
	}
	if f.Cause == nil {
		out.WriteString(", nothing failed there")
		return out.String()
	}
	for _, l := range causeLines(f) {
		out.WriteString("\n  " + l.Text)
	}
	var way []string
	for _, n := range append([]*flow.Node{f.Cause.Node}, f.Cause.Chain...) {
		if len(way) == mostChain {
			way = append(way, "…")
			break
		}
		if n.Missing() {
			way = append(way, "("+answer.Clean(n.Silent())+")")
			continue
		}
		step := n.ID()
		if e, ok := n.Item.Event.(*event.Span); ok {
			step += " " + answer.Cut(answer.Clean(e.Service+" "+e.Name), 60)
		}
		way = append(way, step)
	}
	out.WriteString("\n  way: " + strings.Join(way, " ← "))
	if d := f.Differs; d != nil && !d.Same() {
		lines := append(append(append([]string{}, d.New...), d.Changed...), d.Missing...)
		out.WriteString("\n  not so in " + d.Passing + ", which passed: " +
			answer.Cut(answer.Clean(strings.Join(lines[:min(len(lines), 3)], "; ")), 240))
	}
	out.WriteString("\n  all: observe {\"what\":\"timeline\",\"trace\":\"" + f.Cause.Node.ID() + "\"}")
	return out.String()
}
