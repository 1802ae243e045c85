package observe

import (
	"context"
	"fmt"
	"net/url"
	pathname "path"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "network_bodies", Reads: true, Limit: 50,
	Doc: "Requests of fetch and XHR with status, time, size; failures and short lists with the head of the " +
		"response body. An id (r42) gives headers and bodies.",
	Aliases: []string{"bodies", "requests", "network_requests"},
	Example: `{"failed":true,"limit":10}`,
	Errors:  []problem.Code{problem.InvalidParam, problem.NoData},
}, networkBodies)

type networkBodiesParams struct {
	view.Scoped
	view.Paged
	ID        string   `json:"id,omitempty" alone:"body_path" doc:"one entry's handle, for all of it"`
	URL       string   `json:"url,omitempty" doc:"only those whose URL contains this"`
	Text      string   `json:"text,omitempty" doc:"only those that contain this, bodies included"`
	Method    string   `json:"method,omitempty" doc:"GET, POST, …"`
	StatusMin int      `json:"status_min,omitempty" min:"100" max:"599" doc:"this status and above"`
	StatusMax int      `json:"status_max,omitempty" min:"100" max:"599" doc:"this status and below"`
	Failed    bool     `json:"failed,omitempty" doc:"only status 400 and above, network errors and blocked ones"`
	BodyPath  string   `json:"body_path,omitempty" doc:"JSON value of the response body, as items[0].name; entries without it are left out"`
	Without   []string `json:"without,omitempty" enum:"media,bodies" doc:"media: pictures, fonts, styles, sound and films; bodies: their heads in lists"`
	Summary   bool     `json:"summary,omitempty" doc:"counts instead of entries"`
}

// headOfFailed and headOfOK are the most characters of a response body in a list; bodies of good
// answers are shown in lists of at most shortList.
const (
	headOfFailed = 300
	headOfOK     = 300
	shortList    = 3
)

func networkBodies(ctx context.Context, env Env, p networkBodiesParams) (any, error) {
	var path []step
	if p.BodyPath != "" {
		var err error
		if path, err = parsePath(p.BodyPath); err != nil {
			return nil, err
		}
	}
	if p.ID != "" {
		return oneExchange(ctx, env, p.ID, path)
	}
	o, err := env.open(
		ctx,
		p.Scoped,
		p.Paged,
		p.Summary,
		p.URL,
		p.Text,
		p.Method,
		p.StatusMin,
		p.StatusMax,
		p.Failed,
		p.BodyPath,
		strings.Join(p.Without, " "),
	)
	if err != nil {
		return nil, err
	}
	o.Filter.Text = p.Text
	var without, cut int // requests without the value, and those of them whose body is not whole
	var keep func(*event.Exchange) bool
	if p.Method != "" || p.StatusMin > 0 || p.StatusMax > 0 || p.Failed || path != nil || slices.Contains(p.Without, "media") {
		keep = func(e *event.Exchange) bool {
			if !p.takes(e) {
				return false
			}
			if path == nil {
				return true
			}
			_, ok := selectJSON(e.ResponseBody, path)
			if !ok {
				without++
			}
			if !ok && (e.ResponseBodyNote != "" || e.Flags&event.Truncated != 0) {
				cut++
			}
			return ok
		}
	}
	list, cover, err := query.ReadBodies(ctx, env.Reader, o.Filter, o.page, keep)
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		list.Items[i].ResponseSize = trueSize(ctx, env.Reader, &list.Items[i])
	}
	notes := append(env.Bodies(o.Selection), env.LossNotes(o.Filter, event.KindExchange)...)
	if slices.ContainsFunc(list.Items, func(e event.Exchange) bool {
		return e.Outcome == "network_error" && !strings.HasPrefix(e.Error, "net::")
	}) {
		if why := env.Unanswered(o.Selection); why != "" {
			notes = append(notes, why)
		}
	}
	if without > 0 {
		notes = append(
			notes,
			fmt.Sprintf(
				"left out without such a value: %d requests, %d of them with a body that is absent or cut",
				without,
				cut,
			),
		)
	}
	if p.Summary {
		return tallyExchanges(list.Items, o, append(notes, env.CoverNotes(cover)...)), nil
	}
	out := view.NewList(env.View, o.Selection, o.key, "entries", &list, cover, func(e *event.Exchange) exchangeEntry {
		entry := newExchangeEntry(e)
		entry.choose(path)
		if slices.Contains(p.Without, "bodies") {
			entry.RequestBody, entry.ResponseBody, entry.response, entry.bodiless = "", nil, "", true
		}
		return entry
	})
	out.Title, out.Origin = "requests", func(e exchangeEntry) string { return answer.Origin(e.PageURL) }
	out.Line = func(e exchangeEntry) answer.Entry { return exchangeLine(e, len(out.Entries) <= shortList) }
	out.Empty = o.nothing("no request was seen", env.countOf(ctx, []event.Kind{event.KindExchange}, nil))
	return out.Note(notes...), nil
}

// takes applies what the query cannot.
func (p *networkBodiesParams) takes(e *event.Exchange) bool {
	return (p.Method == "" || strings.EqualFold(p.Method, e.Method)) &&
		(p.StatusMin == 0 || e.Status >= p.StatusMin) &&
		(p.StatusMax == 0 || e.Status != 0 && e.Status <= p.StatusMax) &&
		(!p.Failed || e.Failed()) &&
		(!slices.Contains(p.Without, "media") || !isMedia(e))
}

// isMedia reports whether a request was for something to be shown or heard, or for how it is shown: by what came, else by what
// asked for it, else by its address.
func isMedia(e *event.Exchange) bool {
	kind, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(e.ContentType)), ";")
	switch family, _, _ := strings.Cut(kind, "/"); {
	case family == "image", family == "font", family == "audio", family == "video", kind == "text/css",
		strings.HasPrefix(kind, "application/font"), strings.HasPrefix(kind, "application/x-font"), kind == "application/vnd.ms-fontobject":
		return true
	case kind != "" && e.Status < 400: // a failure often comes as a page of text
		return false
	}
	switch e.Initiator.Type {
	case "img", "image", "imageset", "icon", "css", "link", "stylesheet", "font", "audio", "video", "media", "track", "input":
		return true
	case "fetch", "xhr", "xmlhttprequest":
		if kind != "" {
			return false
		}
	}
	at, err := url.Parse(e.URL)
	return err == nil && slices.Contains(mediaNames, strings.ToLower(pathname.Ext(at.Path)))
}

// mediaNames are the ends of the names of such files.
var mediaNames = []string{
	".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".ico", ".bmp", ".css", ".woff", ".woff2", ".ttf", ".otf", ".eot",
	".mp3", ".mp4", ".webm", ".ogg", ".wav", ".m4a", ".mov",
}

// oneExchange gives a request in full, with what a path selects of its response body.
func oneExchange(ctx context.Context, env Env, handle string, path []step) (any, error) {
	missed := false
	out, err := one(ctx, env, handle, func(e *event.Exchange) exchangeEntry {
		e.ResponseSize = trueSize(ctx, env.Reader, e)
		entry := newExchangeEntry(e)
		missed = !entry.choose(path)
		return entry
	}, exchangeDetail)
	if err == nil && missed {
		return nil, problem.New(
			problem.NoData,
			"Ask without body_path to see the body.",
			"the response body of %s has no such value.",
			answer.Clean(handle),
		)
	}
	return out, err
}

// choose replaces the response body by the value at the path, and reports whether there is one. An
// empty path leaves it as it is.
func (e *exchangeEntry) choose(path []step) bool {
	if path == nil {
		return true
	}
	value, ok := selectJSON(e.response, path)
	if ok {
		e.ResponseBody, e.response, e.selected = value, string(value), true
	}
	return ok
}

func exchangeLine(e exchangeEntry, bodies bool) answer.Entry {
	text, fold := e.ID+" "+e.clock+" "+e.brief(), ""
	head := ""
	switch {
	case e.bodiless:
	case e.selected:
		head = answer.Cut(flat(e.response), headOfOK)
	case e.failed:
		head = e.head(headOfFailed)
	case bodies:
		head = e.head(headOfOK)
	}
	if !e.selected {
		fold = e.Method + e.ending() + e.URL + head
	}
	return answer.Entry{Text: text + part("→ %s", head), Fold: fold}
}

func tallyExchanges(items []event.Exchange, o opened, notes []string) *view.Tally {
	status, method := map[string]int{}, map[string]int{}
	var recent []string
	for i := range items {
		e := &items[i]
		group := e.Outcome
		if e.Status > 0 {
			group = fmt.Sprintf("%dxx", e.Status/100)
		}
		status[group]++
		method[e.Method]++
		recent = append(recent, answer.Short(e.URL, 120))
	}
	recent = recent[max(0, len(recent)-5):]
	out := &view.Tally{
		Title: "requests", Total: len(items), Scope: o.Words, Notes: append(o.Notes, notes...),
		Groups: []view.Group{{Name: "by_status_group", Counts: status}, {Name: "by_method", Counts: method}},
		Fields: map[string]any{"recent_urls": recent},
	}
	for i := max(0, len(items)-5); i < len(items); i++ {
		e := newExchangeEntry(&items[i])
		out.Lines = append(out.Lines, e.ID+" "+e.clock+" "+e.brief())
		out.Pages = append(out.Pages, answer.Origin(e.PageURL))
	}
	return out
}
