package analyze

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/redact"
)

var linkHealthKind = command.Question[pageLinksParams, pageLinks]("link_health")

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "link_health", Needs: looks, Wait: 30 * time.Second, MaxWait: 5 * time.Minute, Limit: 15, Example: `{"selector":"nav"}`,
	Doc: "Where the links of the page lead: redirects, logins, what is broken, places in it that are not there, errors that are answered as pages. Links that look like an act are left out. " +
		"The daemon asks, as link_validation does, without the user's cookies; as_user has the browser ask again what needs them.",
	Aliases: []string{"broken_links"}, Errors: append(slices.Clone(lookErrors), problem.PilotOff),
}, linkHealth)

type linkHealthAsk struct {
	pageLinksParams
	in
	Workers int  `json:"max_workers,omitempty" min:"1" max:"100" doc:"requests at a time, two for each host; default 20"`
	AsUser  bool `json:"as_user,omitempty" doc:"have the browser ask again, with the user's cookies, for links of the page's own origin that need a login or a browser. Needs AI Web Pilot"`
	Limit   int  `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
}

type pageLinksParams struct {
	command.Part
	URL string `json:"url,omitempty" length:"2000" alias:"domain" doc:"only links whose URL contains this"`
}

// pageLinks is where the links of a document lead.
type pageLinks struct {
	Links  []leadingLink `json:"links"`            // by their URLs, in the order of the page; at most 1000
	Places []leadingLink `json:"places,omitempty"` // into the document itself, to a place that is not there; at most 100
	There  int           `json:"places_there"`     // links into the document whose place is there
	Other  int           `json:"other"`            // that lead to no page: mailto:, javascript:, …
	Count  int           `json:"count"`            // all links
	URLs   int           `json:"urls"`             // also those that are not listed
}

// leadingLink is a URL with the first link that leads there.
type leadingLink struct {
	URL      string `json:"url"`
	Ref      string `json:"ref"`
	Text     string `json:"text"`
	Count    int    `json:"count"` // links that lead there
	External bool   `json:"external,omitempty"`
}

// brokenPlace is the code of links to places of the document itself that are not there.
const brokenPlace = "broken_fragment"

// healthCodes are the codes of links, the worst first.
var healthCodes = func() []string {
	out := make([]string, 0, len(outbound.Verdicts)+1)
	for _, v := range outbound.Verdicts {
		if out = append(out, string(v)); v == outbound.Broken {
			out = append(out, brokenPlace)
		}
	}
	return out
}()

type healthResult struct {
	Status  string         `json:"status"` // complete, partial: the time was up for some
	URL     string         `json:"url"`
	Tab     int            `json:"effective_tab"`
	Summary map[string]int `json:"summary"` // links' URLs by code, and total_links, other_links
	Results []healthEntry  `json:"results"` // the worst first, then in the order of the page
	More    int            `json:"more_results,omitempty"`
	Notes   []string       `json:"notes,omitempty"`

	limit    int
	settings string
	barred   map[string]int // URLs by origins that nobody allowed
	origins  []string       // of barred, in the order of the page
}

type healthEntry struct {
	linkEntry
	Ref      string `json:"ref"`
	Text     string `json:"text"`
	Count    int    `json:"count"` // links that lead there
	External bool   `json:"is_external"`
	Server   bool   `json:"needs_server_verification,omitempty"` // nothing was asked: link_validation can, once the user allows it
	AsUser   bool   `json:"as_user,omitempty"`                   // the browser asked, with the user's cookies
	frame    string
	left     bool // it was left out on purpose
}

const (
	mostLinks  = 1000
	mostBarred = 5 // origins that a text names
)

func linkHealth(ctx context.Context, env Env, p linkHealthAsk) (*healthResult, error) {
	if env.Call.Detached {
		return nil, problem.New(problem.InvalidParam, "Leave out background.", "the answer is not kept for later.")
	}
	o, err := drive.Do(ctx, env.Drive, env.Call, linkHealthKind, p.Tab, p.pageLinksParams)
	if err != nil {
		return nil, err
	}
	if o.Going() {
		return nil, problem.New(problem.Timeout, "Give a larger timeout_ms, or a selector.", "the page has not said where its links lead.")
	}
	if b := o.Target.Browser; p.AsUser && b.Known && !b.Settings.Acts() {
		return nil, drive.PilotOff(env.Drive.Registry, b)
	}
	out := &healthResult{
		Status: "complete", URL: o.Result.URL, Tab: o.Target.Tab.ID, Summary: map[string]int{}, Results: []healthEntry{}, barred: map[string]int{},
		limit: cmp.Or(p.Limit, env.Call.Limit), settings: env.Dir.Path("settings.json"),
	}
	out.gather(o.Result.Documents)
	for _, l := range drive.Uncovered(o.Result.Coverage) {
		out.Notes = append(out.Notes, "not looked at: "+l)
	}
	if err := out.ask(ctx, env, p.Workers); err != nil {
		return nil, err
	}
	if p.AsUser {
		if err := out.askAsUser(ctx, env, o.Target.Tab.ID); err != nil {
			return nil, err
		}
	}
	out.sum()
	if p.Limit > 0 {
		out.Keep(min(p.Limit, out.Len()))
	}
	return out, nil
}

// gather lists the links of all documents by their URLs.
func (r *healthResult) gather(documents []command.Inspection[pageLinks]) {
	at := map[string]int{}
	unlisted := 0
	for _, d := range documents {
		frame := ""
		if d.Frame != nil {
			frame = drive.FrameWords(*d.Frame)
		}
		r.Summary["total_links"] += d.Answer.Count
		r.Summary["other_links"] += d.Answer.Other
		r.Summary[string(outbound.OK)] += d.Answer.There
		unlisted += d.Answer.URLs - len(d.Answer.Links)
		for _, l := range d.Answer.Places {
			r.Results = append(r.Results, healthEntry{
				linkEntry: linkEntry{URL: l.URL, Code: brokenPlace, Error: "nothing here is called so; a script may take it"},
				Ref:       l.Ref, Text: l.Text, Count: l.Count, frame: frame,
			})
		}
		for _, l := range d.Answer.Links {
			if i, known := at[l.URL]; known {
				r.Results[i].Count += l.Count
				continue
			}
			if len(at) == mostLinks {
				unlisted++
				continue
			}
			at[l.URL] = len(r.Results)
			r.Results = append(r.Results, healthEntry{
				linkEntry: linkEntry{URL: l.URL}, Ref: l.Ref, Text: l.Text, Count: l.Count, External: l.External, frame: frame,
			})
		}
	}
	if unlisted > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d more URLs were not asked for: of a page %d are; selector names a part", unlisted, mostLinks))
	}
}

// ask has the daemon ask for what it may ask for.
func (r *healthResult) ask(ctx context.Context, env Env, workers int) error {
	var urls []string
	var at []int
	for i := range r.Results {
		e := &r.Results[i]
		switch {
		case e.Code != "": // a place of the document
		case redact.Marked(e.URL):
			e.left, e.Code, e.Error = true, string(outbound.Unchecked), "a secret in its address is kept from programs"
		case looksLikeAct(e.URL):
			e.left, e.Code, e.Error = true, string(outbound.Unchecked), "its address looks like an act, which a request may do"
		case len(e.URL) > maxURL:
			e.left, e.Code, e.Error = true, string(outbound.Unchecked), fmt.Sprintf("its address has more than %d bytes", maxURL)
		default:
			urls, at = append(urls, e.URL), append(at, i)
		}
	}
	if len(urls) == 0 {
		return nil
	}
	links, err := env.checkLinks(ctx, urls, workers)
	if err != nil {
		return err
	}
	for n, l := range links {
		r.Results[at[n]].came(l)
	}
	return nil
}

// came notes what a link came to.
func (e *healthEntry) came(l outbound.Link) {
	e.linkEntry = linkEntry{l.URL, l.Status, string(l.Verdict), l.Time.Milliseconds(), l.Redirect, l.Why}
	e.Server = l.Verdict == outbound.NotAllowed
}

// actLike are words in the paths and queries of links that do something when they are loaded.
var actLike = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:log[-_ ]?(?:out|off)|sign[-_ ]?(?:out|off)|delete|remove|destroy|cancel|unsubscribe|revoke|reset|disable|deactivate|` +
	`approve|confirm|accept|decline|reject|pay|buy|add|vote|send|trash|purge|wipe|flush|clear|erase|restart|shutdown|abmelden)(?:[^a-z]|$)`)

// humps are where a word of deleteUser begins.
var humps = regexp.MustCompile(`([a-z])([A-Z])`)

func looksLikeAct(link string) bool {
	u, err := page.ParseURL(link)
	if err != nil {
		return false
	}
	words := u.Path + "?" + u.RawQuery
	for name, values := range u.Query() { // as the server reads them
		words += "&" + name + "=" + strings.Join(values, "&")
	}
	return actLike.MatchString(humps.ReplaceAllString(words, "$1 $2"))
}

// askAsUser has the browser ask for links of the page's origin that the daemon could not judge.
func (r *healthResult) askAsUser(ctx context.Context, env Env, tab int) error {
	again := map[string]int{}
	var urls []string
	own := answer.Origin(r.URL)
	for i, e := range r.Results {
		wants := slices.Contains([]string{string(outbound.NeedsLogin), string(outbound.Unsure), string(outbound.NotAllowed)}, e.Code)
		if wants && answer.Origin(e.URL) == own {
			again[e.URL] = i
			urls = append(urls, e.URL)
		}
	}
	if len(urls) == 0 {
		return nil
	}
	o, err := drive.Do(ctx, env.Drive, env.Call, command.AskLinks, tab, command.AskLinksParams{URLs: urls})
	if err != nil {
		return err
	}
	if o.Going() {
		r.Status = "partial"
		r.Notes = append(r.Notes, "the browser has not answered for the user in time")
		return nil
	}
	for _, l := range o.Result.Links {
		i, asked := again[l.URL]
		if !asked || l.Status == 0 && !l.Redirects {
			continue
		}
		r.Results[i].came(outbound.Judge(l.URL, l.Status, l.Redirects, l.Page))
		r.Results[i].AsUser = true
	}
	if left := len(urls) - len(o.Result.Links); left > 0 {
		r.Status = "partial"
		r.Notes = append(r.Notes, fmt.Sprintf("the time was up for %s as the user", plural(left, "link")))
	}
	return nil
}

// sum counts the links and puts the worst first.
func (r *healthResult) sum() {
	for _, e := range r.Results {
		r.Summary[e.Code]++
		if e.Server {
			o := answer.Origin(e.URL)
			if r.barred[o]++; r.barred[o] == 1 {
				r.origins = append(r.origins, o)
			}
		}
		if e.Code == string(outbound.TimedOut) || e.Code == string(outbound.Unchecked) && !e.left {
			r.Status = "partial"
		}
	}
	slices.SortStableFunc(r.Results, func(a, b healthEntry) int {
		return slices.Index(healthCodes, a.Code) - slices.Index(healthCodes, b.Code)
	})
}

// Len and Keep cut the list at a link; the worst stay.
func (r *healthResult) Len() int { return len(r.Results) }

// Keep keeps the n worst links, and counts the others.
func (r *healthResult) Keep(n int) {
	r.More += len(r.Results) - n
	r.Results = r.Results[:n]
}

// Text writes the links for a reader: those that are well are counted only, and those that nobody allowed by their origins.
func (r *healthResult) Text(w *answer.Writer) {
	var counts []string
	for _, c := range slices.Backward(healthCodes) {
		if n := r.Summary[c]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, c))
		}
	}
	if len(counts) == 0 {
		counts = []string{"none leads to a page"}
	}
	w.Head("link health: %s, tab %d: %s", plural(r.Summary["total_links"], "link"), r.Tab, strings.Join(counts, ", "))
	var entries []answer.Entry
	for _, e := range r.Results {
		if len(entries) < r.limit && e.Code != string(outbound.OK) && !e.Server {
			entries = append(entries, answer.Entry{Text: e.line()})
		}
	}
	told := len(entries)
	for i, o := range r.origins {
		if i == mostBarred {
			entries = append(entries, answer.Entry{Text: "not_allowed " + plural(len(r.origins)-i, "more origin")})
			break
		}
		entries = append(entries, answer.Entry{Text: fmt.Sprintf("not_allowed %s: %s", answer.Cut(answer.Clean(o), 100), plural(r.barred[o], "URL"))})
	}
	if r.Summary[string(outbound.Unsure)]+r.Summary[string(outbound.NeedsLogin)] > 0 {
		w.Note(`"as_user":true has the browser ask again, as the user, for links of the page's own origin`)
	}
	if len(r.origins) > 0 {
		w.Note("not allowed: %s", allowOrigins(r.settings))
	}
	if r.Status == "partial" {
		w.Note("the time was up for some: name a part by selector, or give a larger timeout_ms")
	}
	for _, n := range r.Notes {
		w.Note("%s", n)
	}
	w.Page(answer.Origin(r.URL))
	from, to := w.Entries(answer.Oldest, entries)
	told = min(told, to-from)
	for _, c := range healthCodes {
		if c != string(outbound.OK) && c != string(outbound.NotAllowed) {
			told -= r.Summary[c]
		}
	}
	if told < 0 {
		w.Note("%d more; raise limit or budget", -told)
	}
}

func (e *healthEntry) line() string {
	text := e.linkEntry.line() + " " + e.Ref
	if e.Text != "" {
		text += fmt.Sprintf(" %q", answer.Cut(answer.Clean(e.Text), 50))
	}
	if e.Count > 1 {
		text += fmt.Sprintf(" ×%d", e.Count)
	}
	if e.frame != "" {
		text += " in " + e.frame
	}
	if e.AsUser {
		text += " (as the user)"
	}
	return text
}
