package generate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/view"
)

// asksPage is what formats need that ask the page.
const asksPage = catalog.Extension | catalog.Tab

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "csp", Needs: asksPage, Reads: true, Wait: 30 * time.Second, MaxWait: 2 * time.Minute, Example: `{"mode":"strict","save_to":"csp.txt"}`,
	Doc: "Content-Security-Policy that lets through what the pages of the tab's origin did while they were captured: hashes of code in the " +
		"documents, origins of what was loaded. Use the pages first, then ask on each of them; it tells what it has not seen.",
	Aliases: []string{"content_security_policy"},
	Errors: []problem.Code{
		problem.InvalidParam, problem.PathNotAllowed, problem.Conflict, problem.Timeout, problem.ExtensionOffline, problem.OriginNotAllowed,
		problem.TabGone, problem.NoTab,
	},
}, csp)

type cspParams struct {
	view.Scoped
	saving
	Mode    string   `json:"mode,omitempty" doc:"moderate: the page's own origin, and styles in documents, are let through; strict: only what was seen, styles by hashes; report_only: moderate, as a header that only reports; default moderate"`
	Report  bool     `json:"include_report_uri,omitempty" doc:"with report-uri /csp-reports, which the server has to answer"`
	Exclude []string `json:"exclude_origins,omitempty" length:"100" doc:"origins that the policy is not to name"`
}

var cspModes = []string{"moderate", "strict", "report_only"}

// cspResult is a policy, with what it rests on.
type cspResult struct {
	Status     string              `json:"status"` // complete; partial: something of the pages was not seen
	Mode       string              `json:"mode"`
	Header     string              `json:"header"`
	Policy     string              `json:"policy"`
	Directives map[string][]string `json:"directives"`
	Origins    []string            `json:"origins_observed"`
	Excluded   []string            `json:"origins_excluded,omitempty"`
	Coverage   cspCoverage         `json:"coverage"`
	Warnings   []string            `json:"warnings,omitempty"`
	SavedTo    string              `json:"saved_to,omitempty"`

	url   string
	lines []string
}

// cspCoverage is what a policy rests on.
type cspCoverage struct {
	Pages     []string `json:"pages"`              // of the origin that were used, without query; at most 20
	Asked     []string `json:"asked"`              // whose documents were looked at for code
	Unasked   []string `json:"not_asked"`          // pages that were used, and whose code was not looked at
	From      string   `json:"from,omitempty"`     // time of the first load
	To        string   `json:"to,omitempty"`       // time of the last
	Loads     int      `json:"loads"`              // that were captured
	Unread    []string `json:"unread,omitempty"`   // scripts and styles whose text nobody saw; at most 20
	NotLooked []string `json:"not_seen,omitempty"` // in sentences
}

const (
	mostPages = 20
	// Of the scripts and styles of a page so many are read, so much of each, at a time.
	mostFiles, fileHead, fileWorkers = 200, 4 << 20, 4
	// cspLoads is how many events of each kind are looked at, the newest.
	cspEvents = 20_000
)

// What the text of code is looked at for. Both halves read the expressions: this program and the page's.
var cspPatterns = []struct{ directive, source, expression string }{
	{"eval", "", `(?:^|[^.\w$])(?:eval\s*\(|set(?:Timeout|Interval)\s*\(\s*["'\x60])|(?:window|self|globalThis)\.eval\s*\(|\(\s*0\s*,\s*eval\s*\)`},
	// What asks for the global object has another way to it.
	{"eval", "", `new\s+(?:Async|Generator)?Function\s*\(\s*(?:[^"'\x60\s]|["'\x60](?:[^r]|r[^e]|re[^t]|return\(|return [^t]|return t[^h]|return this[^"'\x60]))`},
	{"wasm", "", `\bWebAssembly\s*\.\s*(?:compile|instantiate|Module|Instance)`},
	{"img-src", "data:", `data:image/`},
	{"font-src", "data:", `data:(?:font/|application/(?:x-)?font)`},
	{"media-src", "data:", `data:(?:audio|video)/`},
}

func csp(ctx context.Context, env Env, p cspParams) (*cspResult, error) {
	mode := strings.ReplaceAll(strings.ToLower(cmp.Or(p.Mode, "moderate")), "-", "_")
	if !slices.Contains(cspModes, mode) { // help has a parameter of this name, so that the schema lists no words for it
		return nil, problem.New(problem.InvalidParam, "Use one of: "+strings.Join(cspModes, ", ")+".", "mode cannot be %.40q.", p.Mode)
	}
	for i, raw := range p.Exclude {
		if p.Exclude[i] = answer.Origin(strings.TrimSpace(raw)); !strings.Contains(p.Exclude[i], "://") {
			return nil, problem.New(problem.InvalidParam, `Give origins, such as "https://ads.example".`, "exclude_origins has %.100q, which is no origin.", raw)
		}
	}
	var file *save.File
	if p.SaveTo != "" { // before the page is asked
		var err error
		if file, err = env.places().Check(p.SaveTo, p.Overwrite, ".txt", ".json"); err != nil {
			return nil, err
		}
	}
	expressions := make([]string, len(cspPatterns))
	for i, x := range cspPatterns {
		expressions[i] = x.expression
	}
	asked, err := env.askPolicies(ctx, p.Tab, expressions)
	if err != nil {
		return nil, err
	}
	l := &cspLook{
		origin: answer.Origin(asked.url), tab: asked.tab, loads: map[[2]string]bool{}, pages: map[string]bool{}, asked: map[string]bool{}, texts: map[string]bool{},
		in: artifact.CSPInput{Strict: mode == "strict", Exclude: p.Exclude},
	}
	l.in.Origin = l.origin
	if p.Report {
		l.in.Report = "/csp-reports"
	}
	l.documents(asked)
	notes, err := l.events(ctx, env, p.Scoped)
	if err != nil {
		return nil, err
	}
	unread, err := l.read(ctx, env)
	if err != nil {
		return nil, err
	}
	l.in.Loads = slices.SortedFunc(maps.Keys(l.loads), func(a, b [2]string) int { return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1])) })
	made := artifact.NewCSP(l.in)
	out := &cspResult{
		Status: "complete", Mode: mode, Header: "Content-Security-Policy", Policy: made.Policy(), Directives: map[string][]string{},
		Origins: []string{}, Excluded: made.Excluded, Warnings: append(made.Warnings, l.warnings(p.Report)...), url: asked.url,
	}
	if mode == "report_only" {
		out.Header += "-Report-Only"
	}
	for _, d := range made.Directives {
		out.Directives[d.Name] = d.Words
		out.lines = append(out.lines, strings.TrimSpace(d.Name+" "+strings.Join(d.Words, " ")))
	}
	for _, load := range l.in.Loads {
		if o := answer.Origin(load[1]); strings.Contains(o, "://") && !slices.Contains(out.Origins, o) {
			out.Origins = append(out.Origins, o)
		}
	}
	slices.Sort(out.Origins)
	out.Coverage = l.coverage(asked, append(notes, asked.lacking...), unread)
	if len(out.Coverage.Unasked)+len(out.Coverage.Unread)+len(out.Coverage.NotLooked) > 0 {
		out.Status = "partial"
	}
	if err := ctx.Err(); err != nil || file == nil {
		return out, err
	}
	data := []byte(out.Header + ": " + out.Policy + "\n")
	if strings.HasSuffix(strings.ToLower(file.Path), ".json") {
		if data, err = answer.JSON(out); err != nil {
			return nil, err
		}
	}
	if err := file.Write(data); err != nil {
		return nil, err
	}
	out.SavedTo = file.Path
	return out, nil
}

// cspLook collects what a policy is made of.
type cspLook struct {
	in          artifact.CSPInput
	origin      string
	tab         int
	loads       map[[2]string]bool // directive and URL
	texts       map[string]bool    // URLs of scripts and styles
	pages       map[string]bool    // that were used, without query
	asked       map[string]bool
	first, last time.Time
	count       int
	reported    int // loads that a policy would have blocked
	inline      int // code in documents that a policy would have blocked
	evals       []string
	unlisted    int
	unhashed    int
	foreign     int // documents of others
}

// pageOf is the address of a page of the origin, without query and fragment; "" for another.
func (l *cspLook) pageOf(raw string) string {
	if answer.Origin(raw) != l.origin {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return l.origin + u.EscapedPath()
}

// documents takes what the documents of the page said.
func (l *cspLook) documents(p *policed) {
	for i, d := range p.documents {
		if at := l.pageOf(d.URL); at != "" {
			l.asked[at], l.pages[at] = true, true
			l.in.Framed = l.in.Framed || i > 0
		}
		if d.Worker != "" {
			l.load("worker-src", d.Worker)
		}
		for _, c := range d.Code {
			if code := [2]string{c.Sort, c.Hash}; !slices.Contains(l.in.Code, code) {
				l.in.Code = append(l.in.Code, code)
			}
		}
		for _, x := range d.Loads {
			directive := artifact.CSPElement(x.Tag, x.Name, x.Rel, x.As)
			l.load(directive, x.URL)
			if directive == "script-src" || directive == "style-src" {
				l.texts[x.URL] = true
			}
		}
		for _, m := range d.Marks {
			if m >= 0 && m < len(cspPatterns) {
				l.mark(m, "code in the document")
			}
		}
		l.unlisted += d.More
		l.unhashed += d.Unhashed
	}
	for _, at := range p.frames {
		l.load("frame-src", at)
	}
	l.foreign = p.others
}

func (l *cspLook) load(directive, url string) {
	if directive != "" {
		l.loads[[2]string{directive, url}] = true
	}
}

// mark takes a pattern that some code fits.
func (l *cspLook) mark(n int, where string) {
	switch x := cspPatterns[n]; x.directive {
	case "eval":
		l.in.Eval = true
		if !slices.Contains(l.evals, where) {
			l.evals = append(l.evals, where)
		}
	case "wasm":
		l.in.WASM = true
	default:
		l.load(x.directive, x.source)
	}
}

// ours reports whether an event is of a page of the origin, or of a frame in one that has no policy of its own.
func (l *cspLook) ours(h *event.Head) bool {
	if at := l.pageOf(h.PageURL); at != "" {
		l.pages[at] = true
		return true
	}
	return inherits(h.PageURL) && h.Tab == l.tab
}

func (l *cspLook) saw(h *event.Head, initiator, raw, media string) {
	l.count++
	if l.first.IsZero() || h.Time.Before(l.first) {
		l.first = h.Time
	}
	if h.Time.After(l.last) {
		l.last = h.Time
	}
	for _, d := range artifact.CSPDirectives(initiator, raw, media) {
		l.load(d, raw)
		if d == "script-src" || d == "style-src" {
			l.texts[raw] = true
		}
	}
	if strings.HasSuffix(pathOf(raw), ".wasm") {
		l.in.WASM = true
	}
}

func pathOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Path
}

// report takes what a policy that only reports would have blocked, in the words that the page's half wrote.
var report = regexp.MustCompile(`^([a-z-]+) would block (\S+?)(?:: |$)`)

// events takes what was captured of the pages.
func (l *cspLook) events(ctx context.Context, env Env, scope view.Scoped) ([]string, error) {
	selection, err := env.Select(ctx, scope)
	if err != nil {
		return nil, err
	}
	notes := append(selection.Notes, env.LossNotes(selection.Filter, event.KindExchange, event.KindResource)...)
	look := query.Page{Limit: 1, Look: cspEvents}
	_, cover, err := query.Read(ctx, env.Reader, selection.Filter, look, func(e *event.Exchange) bool {
		if e.Service == "" && e.Initiator.Type != "navigation" && e.Outcome != "blocked" && e.Outcome != "network_error" && l.ours(&e.Head) {
			for _, at := range slices.Concat(e.Redirects, []string{e.URL}) {
				l.saw(&e.Head, e.Initiator.Type, at, e.ContentType)
			}
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	notes = append(notes, env.CoverNotes(cover)...)
	if _, cover, err = query.Read(ctx, env.Reader, selection.Filter, look, func(e *event.ResourceTiming) bool {
		if e.Service == "" && l.ours(&e.Head) {
			l.saw(&e.Head, e.InitiatorType, e.URL, "")
		}
		return false
	}); err != nil {
		return nil, err
	}
	notes = append(notes, env.CoverNotes(cover)...)
	if _, _, err = query.Read(ctx, env.Reader, selection.Filter, look, func(e *event.Message) bool {
		if e.Event == "open" && l.ours(&e.Head) {
			l.saw(&e.Head, "websocket", e.URL, "")
		}
		return false
	}); err != nil {
		return nil, err
	}
	var frames []string // that were shown after what comes next
	if _, _, err = query.Read(ctx, env.Reader, selection.Filter, look, func(e *event.Lifecycle) bool {
		switch {
		case e.Frame != 0 && !inherits(e.PageURL):
			frames = append(frames, e.PageURL)
		case view.IsVisit(e) && e.State != "navigate":
			for _, at := range frames {
				if answer.Origin(e.PageURL) == l.origin {
					l.load("frame-src", at)
				}
			}
			frames = nil
		}
		if l.ours(&e.Head) && e.State == "worker_started" && e.ToURL != "" {
			l.saw(&e.Head, "worker", e.ToURL, "")
			l.texts[e.ToURL] = true
		}
		return false
	}); err != nil {
		return nil, err
	}
	_, _, err = query.Read(ctx, env.Reader, selection.Filter, look, func(e *event.Exception) bool {
		if m := report.FindStringSubmatch(e.Message); m != nil && e.Mechanism == "csp" && l.ours(&e.Head) {
			l.told(m[1], m[2])
		}
		return false
	})
	return notes, err
}

// told takes one report.
func (l *cspLook) told(directive, blocked string) {
	directive = strings.TrimSuffix(strings.TrimSuffix(directive, "-elem"), "-attr")
	switch blocked {
	case "inline":
		l.inline++
	case "eval":
		l.in.Eval = true
		l.evals = append(l.evals, "a report")
	case "wasm-eval":
		l.in.WASM = true
	case "data", "blob", "filesystem":
		l.load(directive, blocked+":")
	case "trusted-types-policy", "trusted-types-sink":
	default:
		l.reported++
		l.load(directive, blocked)
	}
}

// read looks at the text of scripts and styles. It returns those whose text it did not get.
func (l *cspLook) read(ctx context.Context, env Env) (unread []string, _ error) {
	var urls []string
	for _, u := range slices.Sorted(maps.Keys(l.texts)) {
		switch scheme, _, _ := strings.Cut(u, ":"); {
		case scheme != "http" && scheme != "https":
		case redact.Marked(u) || len(urls) == mostFiles:
			unread = append(unread, u)
		default:
			urls = append(urls, u)
		}
	}
	if len(urls) == 0 {
		return unread, nil
	}
	patterns := make([]*regexp.Regexp, len(cspPatterns))
	for i, x := range cspPatterns {
		patterns[i] = regexp.MustCompile(x.expression)
	}
	err := env.files(ctx, urls, l.origin, fileHead, func(n int, f outbound.File) {
		if f.Verdict != outbound.OK || f.Size > int64(len(f.Body)) {
			unread = append(unread, urls[n])
		}
		for i, x := range patterns {
			if x.Match(f.Body) {
				l.mark(i, urls[n])
			}
		}
	})
	slices.Sort(unread)
	return unread, err
}

// files fetches files for the page's origin, until shortly before the deadline of the call.
func (env Env) files(ctx context.Context, urls []string, origin string, keep int, got func(n int, f outbound.File)) error {
	shown, err := env.Shown(ctx)
	if err != nil {
		return err
	}
	const tellWithin = 500 * time.Millisecond // of the deadline
	within, end := context.WithTimeout(ctx, max(env.Call.Left()-tellWithin, tellWithin))
	defer end()
	err = env.Links.Files(within, urls, origin, keep, outbound.Options{
		Workers: fileWorkers, Shown: func(origin string) bool { return shown[origin] },
	}, got)
	if err == nil && ctx.Err() != nil && env.Call.Left() > 0 {
		err = ctx.Err() // cancelled
	}
	return err
}

// warnings are what somebody has to know before the policy is sent.
func (l *cspLook) warnings(reports bool) (out []string) {
	out = append(out, "Send it as Content-Security-Policy-Report-Only first, use every page, and ask again: what it would block is added.")
	if l.in.Eval {
		out = append(out, fmt.Sprintf("'unsafe-eval' is there for %s: text that looks as if it made code out of text. Try the policy without it.",
			listed(l.evals, 3)))
	}
	if l.inline > 0 {
		out = append(out, fmt.Sprintf("Reports tell %d times of code in documents that the policy did not name; a report has no hash, so ask on the page that has it.", l.inline))
	}
	if l.reported > 0 {
		out = append(out, fmt.Sprintf("%d loads are let through that an earlier policy only reported: see that each is the application's.", l.reported))
	}
	if hashed := slices.ContainsFunc(l.in.Code, func(c [2]string) bool {
		return c[1] != "nonce" && (l.in.Strict || c[0] != "style" && c[0] != "attribute")
	}); hashed {
		out = append(out, "A hash holds for exactly this code: what the server writes anew each time needs a nonce instead.")
	}
	if local := l.local(); len(local) > 0 {
		out = append(out, fmt.Sprintf("%s is of this machine: replace it where the application runs elsewhere.", strings.Join(local, ", ")))
	}
	if reports {
		out = append(out, "report-uri /csp-reports has to be answered by the server.")
	}
	return out
}

// local are origins of this machine that the policy names.
func (l *cspLook) local() (out []string) {
	for load := range l.loads {
		o := answer.Origin(load[1])
		u, err := url.Parse(o)
		if err != nil || o == l.origin || slices.Contains(out, o) {
			continue
		}
		if h := u.Hostname(); h == "localhost" || strings.HasSuffix(h, ".localhost") || strings.HasPrefix(h, "127.") {
			out = append(out, o)
		}
	}
	slices.Sort(out)
	return out
}

// coverage says what the policy rests on.
func (l *cspLook) coverage(p *policed, notes, unread []string) cspCoverage {
	out := cspCoverage{
		Pages: slices.Sorted(maps.Keys(l.pages)), Asked: slices.Sorted(maps.Keys(l.asked)), Unasked: []string{}, Loads: l.count, NotLooked: notes,
	}
	for _, at := range out.Pages {
		if !l.asked[at] {
			out.Unasked = append(out.Unasked, at)
		}
	}
	if l.count > 0 {
		out.From, out.To = view.Stamp(l.first), view.Stamp(l.last)
	}
	say := func(n int, format string) {
		if n > 0 {
			out.NotLooked = append(out.NotLooked, fmt.Sprintf(format, n))
		}
	}
	say(l.unlisted, "%d pieces of code and loads of the documents were not listed")
	say(l.unhashed, "%d pieces of code could not be hashed: the page came unencrypted from another machine")
	say(l.foreign, "%d frames are of other origins, and have policies of their own")
	say(len(out.Pages)-mostPages, "%d further pages are not listed")
	say(len(unread)-mostPages, "%d further scripts and styles are not listed")
	out.Pages, out.Unasked = out.Pages[:min(mostPages, len(out.Pages))], out.Unasked[:min(mostPages, len(out.Unasked))]
	out.Unread = unread[:min(mostPages, len(unread))]
	out.NotLooked = append(out.NotLooked, "code that was gone from the documents when they were asked, and who shows the pages in frames")
	return out
}

// listed names the first of some.
func listed(all []string, most int) string {
	slices.Sort(all)
	short := make([]string, 0, most)
	for _, s := range all[:min(most, len(all))] {
		short = append(short, answer.Short(s, 100))
	}
	text := strings.Join(short, ", ")
	if len(all) > most {
		text += fmt.Sprintf(" and %d more", len(all)-most)
	}
	return text
}

// Text writes the policy for a reader.
func (r *cspResult) Text(w *answer.Writer) {
	w.Head("csp: %s, %s, of %s in %s", r.Mode, r.Status, plural(r.Coverage.Loads, "load"), plural(len(r.Coverage.Pages), "page"))
	if r.SavedTo != "" {
		w.Head("saved to %s, %s", r.SavedTo, answer.Bytes(int64(len(r.Policy))))
	}
	w.Head("%s:", r.Header)
	w.Page(append([]string{answer.Origin(r.url)}, r.Origins...)...)
	var entries []answer.Entry
	add := func(format string, args ...any) {
		entries = append(entries, answer.Entry{Text: answer.Clean(fmt.Sprintf(format, args...))})
	}
	for _, l := range r.lines {
		if r.SavedTo != "" {
			l = answer.Cut(l, 200)
		}
		add("%s;", l)
	}
	for _, text := range r.Warnings {
		add("! %s", text)
	}
	c := r.Coverage
	if c.From != "" {
		add("seen from %s to %s: %s", c.From, c.To, listed(c.Pages, 5))
	}
	if len(c.Unasked) > 0 {
		add("code in the documents not looked at, open them and ask again: %s", listed(c.Unasked, 5))
	}
	if len(c.Unread) > 0 {
		add("text not read, so eval in it is not known: %s", listed(c.Unread, 5))
	}
	for _, text := range c.NotLooked {
		add("not seen: %s", text)
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d lines: save_to writes all of the policy, as does a larger budget", to-from, len(entries))
	}
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
