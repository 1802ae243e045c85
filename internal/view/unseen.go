package view

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// mostLooked is how many requests of a page are looked at for what is not captured.
const mostLooked = 2000

// Unseen says what of the page that a selection shows no capture reaches: iframes of sites that were not
// granted, and workers: their console, which only a debugger sees, and their requests, which Chrome shows where the user
// switched network detail on. Only what was seen to be there is named.
func (v View) Unseen(ctx context.Context, s Selection) []string {
	if !s.Known || !s.Tab.Granted {
		return nil
	}
	f := query.Filter{Session: s.Filter.Session, Tab: s.Tab.ID, Page: s.Tab.URL}
	frames, cover, err := query.Read(
		ctx,
		v.Reader,
		f,
		query.Page{Limit: 50, Look: mostLooked},
		func(r *event.ResourceTiming) bool {
			return r.InitiatorType == "iframe" && !granted(s.grants, r.URL)
		},
	)
	if err != nil {
		return nil // the call has ended
	}
	var out, sites []string
	for _, r := range frames.Items {
		if o := answer.Origin(r.URL); o != "" && !slices.Contains(sites, answer.Short(o, 80)) {
			sites = append(sites, answer.Short(o, 80))
		}
	}
	if n := len(sites); n > 0 {
		more := ""
		if n > 3 {
			sites, more = sites[:3], fmt.Sprintf(" and %d more", n-3)
		}
		out = append(
			out,
			"not captured: iframes of "+strings.Join(
				sites,
				", ",
			)+more+", which the user has not granted in the extension's popup",
		)
	}
	if !cover.Exhausted {
		out = append(out, fmt.Sprintf(
			"whether more iframes are not captured is not known: the newest %d loads of the page were looked at",
			cover.Looked,
		))
	}
	f.Page = "" // a page that was renamed since has its workers still
	workers, cover, err := query.Read(
		ctx,
		v.Reader,
		f,
		query.Page{Limit: 1, Look: mostLooked},
		func(e *event.Lifecycle) bool { return e.State == "worker_started" },
	)
	if err != nil {
		return out // the call has ended
	}
	what, how := "the console and the requests of this tab's workers are", "the user can switch network detail on in "+
		"the extension's options, for the requests"
	if s.detail {
		what, how = "the console of this tab's workers is", "only a debugger sees it"
	}
	switch {
	case len(workers.Items) > 0:
		out = append(out, what+" not seen: "+how)
	case !cover.Exhausted:
		out = append(out, fmt.Sprintf(
			"whether the tab has workers, which are not seen, is not known: the newest %d events of its pages' lives were "+
				"looked at", cover.Looked,
		))
	}
	return out
}

// granted reports whether one of Chrome's match patterns covers a URL. Ports do not matter.
func granted(patterns []string, raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return true // it has no site that could be granted
	}
	return slices.ContainsFunc(patterns, func(p string) bool {
		if p == "<all_urls>" {
			return true
		}
		scheme, rest, _ := strings.Cut(p, "://")
		host, _, _ := strings.Cut(rest, "/")
		host, _, _ = strings.Cut(host, ":")
		switch name := u.Hostname(); {
		case scheme != "*" && scheme != u.Scheme:
			return false
		case host == "*" || host == name:
			return true
		default:
			base, wild := strings.CutPrefix(host, "*.")
			return wild && (name == base || strings.HasSuffix(name, "."+base))
		}
	})
}
