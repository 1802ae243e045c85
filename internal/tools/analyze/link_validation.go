package analyze

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/problem"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "link_validation", Doc: "Ask for each of these URLs from the daemon, without the user's cookies, and say what it came to. Only servers of this " +
		"machine whose pages were captured, and origins that the user lists in settings.json.",
	Wait: 15 * time.Second, MaxWait: time.Minute, Limit: 15, Aliases: []string{"validate_links", "check_links"},
	Example: `{"urls":["http://localhost:3000/a"]}`, Errors: []problem.Code{problem.OriginNotAllowed},
}, linkValidation)

type linkParams struct {
	URLs    []string `json:"urls" required:"true" length:"1000" doc:"http and https URLs, at most 1000"`
	Workers int      `json:"max_workers,omitempty" min:"1" max:"100" doc:"requests at a time, two for each host; default 20"`
	Limit   int      `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
}

type linkResult struct {
	Status  string         `json:"status"` // complete, partial: the time was up
	Total   int            `json:"total"`
	Summary map[string]int `json:"summary"`
	Results []linkEntry    `json:"results"` // the worst first, then in the order of the call
	More    int            `json:"more_results,omitempty"`

	limit    int
	settings string
	barred   []string // origins that nobody allowed
}

type linkEntry struct {
	URL      string `json:"url"`
	Status   int    `json:"status"` // 0: no answer came
	Code     string `json:"code"`
	Time     int64  `json:"time_ms"`
	Redirect string `json:"redirect_to,omitempty"` // without its query
	Error    string `json:"error,omitempty"`
}

func (e *linkEntry) line() string {
	text := e.Code
	if e.Status > 0 {
		text += fmt.Sprintf(" %d", e.Status)
	}
	text += " " + answer.Short(e.URL, 160)
	if e.Redirect != "" {
		text += " → " + answer.Short(e.Redirect, 160)
	}
	if e.Error != "" {
		text += ": " + answer.Cut(answer.Clean(e.Error), 160)
	}
	return text
}

// maxURL is how long a URL may be.
const maxURL = 4096

func linkValidation(ctx context.Context, env Env, p linkParams) (*linkResult, error) {
	if env.Call.Detached {
		return nil, problem.New(problem.InvalidParam, "Leave out background.", "the answer is not kept for later.")
	}
	var urls []string
	for _, u := range p.URLs {
		if u = strings.TrimSpace(u); len(u) > maxURL {
			return nil, problem.New(problem.InvalidParam, "Leave it out.", "a URL has %d bytes; it may have %d.", len(u), maxURL)
		}
		if u != "" && !slices.Contains(urls, u) {
			urls = append(urls, u)
		}
	}
	if len(urls) == 0 {
		return nil, problem.New(problem.MissingParam, "Give the URLs to ask for.", "urls is empty.")
	}
	links, err := env.checkLinks(ctx, urls, p.Workers)
	if err != nil {
		return nil, err
	}
	settings := env.Dir.Path("settings.json")
	out := &linkResult{Status: "complete", Total: len(links), Summary: map[string]int{}, Results: []linkEntry{}, limit: cmp.Or(p.Limit, env.Call.Limit), settings: settings}
	slices.SortStableFunc(links, func(a, b outbound.Link) int {
		return slices.Index(outbound.Verdicts, a.Verdict) - slices.Index(outbound.Verdicts, b.Verdict)
	})
	for _, l := range links {
		out.Summary[string(l.Verdict)]++
		switch l.Verdict {
		case outbound.Unchecked, outbound.TimedOut:
			out.Status = "partial"
		case outbound.NotAllowed:
			if o := answer.Origin(l.URL); !slices.Contains(out.barred, o) {
				out.barred = append(out.barred, o)
			}
		}
		out.Results = append(out.Results, linkEntry{l.URL, l.Status, string(l.Verdict), l.Time.Milliseconds(), l.Redirect, l.Why})
	}
	if n := out.Summary[string(outbound.NotAllowed)]; n > 0 && n == len(links) {
		refused := problem.New(problem.OriginNotAllowed, allowOrigins(settings), "none of the %d URLs may be asked for.", n)
		for _, o := range out.barred[:min(5, len(out.barred))] {
			refused.Details = append(refused.Details, "not allowed: "+answer.Cut(answer.Clean(o), 100))
		}
		return nil, refused
	}
	if p.Limit > 0 {
		out.Keep(min(p.Limit, out.Len()))
	}
	return out, nil
}

// checkLinks has the daemon ask for URLs, until shortly before the deadline of the call.
func (env Env) checkLinks(ctx context.Context, urls []string, workers int) ([]outbound.Link, error) {
	shown, err := env.Shown(ctx)
	if err != nil {
		return nil, err
	}
	const tellWithin = 200 * time.Millisecond // of the deadline
	within, end := context.WithTimeout(ctx, max(env.Call.Left()-tellWithin, tellWithin))
	defer end()
	var told time.Time
	links, err := env.Links.Check(within, urls, outbound.Options{
		Workers: cmp.Or(workers, 20), Shown: func(origin string) bool { return shown[origin] },
		Progress: func(done, of int) {
			if env.Call.Progress != nil && time.Since(told) > time.Second {
				told = time.Now()
				env.Call.Progress(fmt.Sprintf("%d of %d links", done, of))
			}
		},
	})
	if err == nil && ctx.Err() != nil && env.Call.Left() > 0 {
		err = ctx.Err() // cancelled
	}
	return links, err
}

// Len and Keep cut the list at a link; the worst stay.
func (r *linkResult) Len() int { return len(r.Results) }

// Keep keeps the n worst links, and counts the others.
func (r *linkResult) Keep(n int) {
	r.More += len(r.Results) - n
	r.Results = r.Results[:n]
}

// allowOrigins says how the user allows origins.
func allowOrigins(settings string) string {
	return `Ask the user to list the origins in ` + settings + `: {"fetch": ["https://docs.example.com", "*.example.org"]}. A server of this machine ` +
		`needs no line once one of its pages is open in the browser. Or look in the browser: interact {"action":"navigate","url":"https://docs.example.com"}.`
}

// Text writes the links for a reader: those that are well are counted only.
func (r *linkResult) Text(w *answer.Writer) {
	var counts []string
	for _, v := range slices.Backward(outbound.Verdicts) {
		if n := r.Summary[string(v)]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	w.Head("link validation: %d URLs, %s", r.Total, strings.Join(counts, ", "))
	var entries []answer.Entry
	var origins []string
	for _, e := range r.Results {
		if e.Code == string(outbound.OK) {
			continue
		}
		if len(entries) == r.limit {
			break
		}
		entries = append(entries, answer.Entry{Text: e.line()})
		origins = append(origins, answer.Origin(e.URL))
	}
	if r.Summary[string(outbound.Unsure)] > 0 {
		w.Note(`unsure: a browser can tell, interact {"action":"navigate","url":"https://docs.example.com"}`)
	}
	if r.Summary[string(outbound.NotAllowed)] > 0 {
		w.Note("not allowed: %s", allowOrigins(r.settings))
	}
	if r.Status == "partial" {
		w.Note("the time was up for some: give fewer, or a larger timeout_ms")
	}
	w.Page(origins...)
	from, to := w.Entries(answer.Oldest, entries)
	if more := r.Total - r.Summary[string(outbound.OK)] - (to - from); more > 0 {
		w.Note("%d more; raise limit or budget", more)
	}
}
