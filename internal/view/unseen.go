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

// Unanswered says what tells why requests of a selection's tab got no answer; "" where the answers say it, or the tab is
// not known.
func (v View) Unanswered(s Selection) string {
	if !s.Known || s.detail {
		return ""
	}
	return "network detail, which the user can switch on in the extension's options, tells CORS, preflights and dead ports apart"
}

// Unseen says what of the page that a selection shows no capture reaches: iframes of sites that were not
// granted, and workers: of those the page learns what a dedicated one throws. Their requests Chrome shows where the user
// switched network detail on, the rest a debugger only. Only what was seen to be there is named.
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
	what, how := "console, rejections and requests", "the user can switch network detail on in the extension's options, "+
		"for the requests"
	if s.detail {
		what, how = "console and rejections", "only a debugger sees them"
	}
	switch {
	case len(workers.Items) > 0:
		out = append(out, "not seen of this tab's workers: "+what+", and what others than dedicated ones throw: "+how)
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
