package analyze

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "third_party_audit", Reads: true, Limit: 5, Doc: "Other sites that pages load from or send to, the riskiest first: kinds of " +
		"resources, bytes, cookies, names of the fields that were sent, which known service it is, and what to do.",
	Aliases: []string{"third_parties"}, Errors: []problem.Code{problem.InvalidParam}, Example: `{"first_party_origins":["https://cdn.example"]}`,
}, thirdPartyAudit)

type partiesParams struct {
	view.Scoped
	URL    string   `json:"url,omitempty" doc:"only those whose script or page URL contains this"`
	Own    []string `json:"first_party_origins,omitempty" doc:"further origins or hosts that are your own" length:"100"`
	No     []string `json:"blocked_origins,omitempty" doc:"origins or hosts that may not be there, with those below them" length:"100"`
	Yes    []string `json:"allowed_origins,omitempty" doc:"origins or hosts that are known and wanted, with those below them" length:"100"`
	Static bool     `json:"include_static,omitempty" doc:"also those that only gave pictures, styles, fonts and media"`
	Limit  int      `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
}

type partiesResult struct {
	First   []string       `json:"first_parties"` // sites of the pages
	Parties []partyEntry   `json:"third_parties"`
	Summary partiesSummary `json:"summary"`
	Scope   string         `json:"scope"`
	Advice  []string       `json:"recommendations,omitempty"` // of all third parties
	Notes   []string       `json:"notes,omitempty"`
	More    int            `json:"more_third_parties,omitempty"` // beyond the limit
}

type partiesSummary struct {
	Total    int            `json:"total"`
	ByRisk   map[string]int `json:"by_risk"`
	Static   int            `json:"static_left_out"`
	Requests int            `json:"requests"` // of all pages, to whomever
}

type partyEntry struct {
	Site     string         `json:"origin"`
	Origins  []string       `json:"origins"`
	Risk     string         `json:"risk_level"`
	Reason   string         `json:"risk_reason"`
	Known    reputation     `json:"reputation"`
	Kinds    map[string]int `json:"resources"`
	Outbound bool           `json:"data_outbound"`
	Details  *sent          `json:"outbound_details,omitempty"`
	Sets     bool           `json:"sets_cookies"`
	Cookies  []string       `json:"cookies,omitempty"`
	Requests int            `json:"request_count"`
	Bytes    int64          `json:"total_transfer_bytes"`
	Unsized  int            `json:"requests_of_unknown_size,omitempty"`
	First    string         `json:"first_seen"`
	URLs     []string       `json:"urls"`
	Evidence []string       `json:"evidence"`

	when string
}

// reputation is what lists say of a site. No list says that one is harmless.
type reputation struct {
	Class    string             `json:"classification"`   // blocked, allowed, known, unknown
	Source   string             `json:"source,omitempty"` // the list
	Services []analysis.Service `json:"services,omitempty"`
}

type sent struct {
	Methods  []string `json:"methods,omitempty"`
	Types    []string `json:"content_types,omitempty"`
	Fields   []string `json:"fields,omitempty"` // names only
	More     int      `json:"more_fields,omitempty"`
	Personal []string `json:"personal_data,omitempty"`
	Secrets  []string `json:"secrets,omitempty"`
}

func thirdPartyAudit(ctx context.Context, env Env, p partiesParams) (*partiesResult, error) {
	for _, word := range slices.Concat(p.Own, p.No, p.Yes) {
		if _, ok := analysis.HostOf(word); !ok {
			return nil, problem.New(problem.InvalidParam, "Give origins or hosts: https://cdn.example, stats.example.", "%s is none of a host.", answer.Cut(answer.Clean(word), 80))
		}
	}
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return nil, err
	}
	selection.Filter.URL = p.URL
	parties := analysis.NewParties(p.Own)
	parties.Lists(p.No, p.Yes)
	notes, err := look(ctx, env, selection, takers{exchange: parties.Exchange, resource: parties.Resource, socket: parties.Socket})
	if err != nil {
		return nil, err
	}
	out := &partiesResult{
		First: parties.Pages(), Parties: []partyEntry{}, Scope: selection.Words, Notes: append(selection.Notes, notes...),
		Summary: partiesSummary{ByRisk: map[string]int{}, Requests: parties.Requests},
	}
	if parties.Requests > 0 && parties.Wired == 0 {
		out.Notes = append(out.Notes, "cookies are not seen without Network detail in the extension's options")
	}
	if parties.Requests > 0 {
		out.Notes = append(out.Notes, "DNS was not looked at: a name of the page's own site may lead to another's server")
	}
	if parties.Dropped > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d requests to further sites were left out", parties.Dropped))
	}
	list := parties.List()
	out.Advice = advice(list)
	for _, of := range list {
		out.Summary.Total++
		out.Summary.ByRisk[of.Risk]++
		switch {
		case of.Static && !p.Static:
			out.Summary.Static++
		default:
			out.Parties = append(out.Parties, newParty(of))
		}
	}
	out.Keep(min(cmp.Or(p.Limit, env.Call.Limit), out.Len()))
	return out, nil
}

// Len and Keep cut the list at a site; the riskiest stay.
func (r *partiesResult) Len() int { return len(r.Parties) }

// Keep keeps the n riskiest sites, and counts the others.
func (r *partiesResult) Keep(n int) {
	r.More += len(r.Parties) - n
	r.Parties = r.Parties[:n]
}

func newParty(of *analysis.Party) partyEntry {
	known := reputation{Class: "unknown", Services: of.Services}
	if len(of.Services) > 0 {
		known.Class, known.Source = "known", analysis.KnownBy
	}
	if of.Listed != "" {
		known.Class, known.Source = of.Listed, of.Listed+"_origins"
	}
	e := partyEntry{
		Known: known, Site: of.Site, Origins: of.Origins, Risk: of.Risk, Reason: strings.Join(of.Reasons, "; "), Kinds: of.Kinds,
		Sets: len(of.Cookies) > 0, Cookies: of.Cookies, Requests: of.Requests, Bytes: of.Bytes, Unsized: of.Unsized,
		First: view.Stamp(of.First), URLs: of.URLs, Evidence: of.Evidence, when: answer.Clock(of.First),
	}
	if len(of.Methods)+len(of.Fields)+len(of.Personal)+len(of.Secrets) > 0 {
		e.Outbound = true
		e.Details = &sent{of.Methods, of.Types, of.Fields, of.More, of.Personal, of.Secrets}
	}
	return e
}

// Text writes the third parties for a reader.
func (r *partiesResult) Text(w *answer.Writer) {
	var counts []string
	for _, s := range analysis.Severities {
		if n := r.Summary.ByRisk[s]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, s))
		}
	}
	risks := ""
	if len(counts) > 0 {
		risks = " (" + strings.Join(counts, ", ") + ")"
	}
	w.Head("third parties: %d sites%s in %d requests, %s", r.Summary.Total, risks, r.Summary.Requests, r.Scope)
	if n := r.Summary.Static; n > 0 {
		w.Note("%d sites that only gave pictures, styles, fonts and media are not listed; include_static:true lists them", n)
	}
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	var entries []answer.Entry
	for _, e := range r.Parties {
		entries = append(entries, answer.Entry{Text: e.text()})
	}
	var origins []string
	for _, site := range r.First {
		origins = append(origins, answer.Cut(answer.Clean(site), 80))
	}
	w.Page(origins...)
	parties := len(entries)
	for _, a := range r.Advice[:min(len(r.Advice), mostAdvice)] {
		entries = append(entries, answer.Entry{Text: "do: " + answer.Cut(answer.Clean(a), 240)})
	}
	from, to := w.Entries(answer.Oldest, entries)
	if more := parties - (min(to, parties) - min(from, parties)) + r.More; more > 0 {
		w.Note("%d more sites; raise limit or budget", more)
	}
}

func (e *partyEntry) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s%s ×%d %s: %s", e.Risk, answer.Cut(answer.Clean(e.Site), 80), e.Known.words(), e.Requests, answer.Bytes(e.Bytes), e.Reason)
	if e.Unsized > 0 {
		fmt.Fprintf(&out, " (size of %d unknown)", e.Unsized)
	}
	var kinds []string
	for k, n := range e.Kinds {
		kinds = append(kinds, fmt.Sprintf("%d %s", n, k))
	}
	slices.Sort(kinds)
	fmt.Fprintf(&out, "\n  %s; first %s, see %s", strings.Join(kinds, ", "), e.when, strings.Join(e.Evidence, " "))
	if d := e.Details; d != nil {
		out.WriteString("\n  sent")
		if len(d.Methods) > 0 {
			out.WriteString(" by " + answer.Clean(strings.Join(d.Methods, ", ")))
		}
		if len(d.Fields) > 0 {
			out.WriteString(": " + answer.Cut(answer.Clean(strings.Join(d.Fields, ", ")), 200))
		}
		if d.More > 0 {
			fmt.Fprintf(&out, " and %d more", d.More)
		}
	}
	if e.Sets {
		out.WriteString("\n  sets cookies " + answer.Cut(answer.Clean(strings.Join(e.Cookies, ", ")), 120))
	}
	return out.String()
}

// mostAdvice is how much advice is told; JSON has all.
const mostAdvice = 3

// words are empty for what no list has.
func (k reputation) words() string {
	var words []string
	if k.Class == "allowed" {
		words = append(words, "allowed")
	}
	for _, s := range k.Services {
		words = append(words, s.Name+": "+s.For)
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, "; ") + ")"
}

// advice says what to do about third parties, the most urgent first, naming at most two sites for each.
func advice(list []*analysis.Party) (out []string) {
	for _, a := range []struct {
		do string
		to func(*analysis.Party) bool
	}{
		{"remove what is blocked", func(of *analysis.Party) bool { return of.Listed == "blocked" }},
		{"keep secrets out of what is sent, change those that were", func(of *analysis.Party) bool { return len(of.Secrets) > 0 }},
		{"load it by https", (*analysis.Party).Unsealed},
		{"is personal data needed there, did users agree", func(of *analysis.Party) bool { return len(of.Personal) > 0 && of.Listed != "allowed" }},
		{"give scripts an integrity, or serve them yourself", func(of *analysis.Party) bool {
			return of.Kinds["scripts"] > 0 && of.Is("cdn") && of.Listed != "allowed"
		}},
		{"find out whose scripts these are: no list has them", func(of *analysis.Party) bool {
			return of.Kinds["scripts"] > 0 && len(of.Services) == 0 && of.Listed == "" && !of.Here
		}},
	} {
		var sites []string
		for _, of := range list {
			if a.to(of) {
				sites = append(sites, of.Site)
			}
		}
		if n := len(sites); n > 2 {
			sites = append(sites[:2], fmt.Sprintf("%d more", n-2))
		}
		if len(sites) > 0 {
			out = append(out, a.do+": "+strings.Join(sites, ", "))
		}
	}
	return out
}

// takers are what takes each kind of event of pages; nil where nobody does.
type takers struct {
	exchange  func(*event.Exchange, string)
	resource  func(*event.ResourceTiming, string)
	socket    func(*event.Message, string)
	line      func(*event.Log, string)
	exception func(*event.Exception, string)
}

// look hands the newest events of pages to who looks at them, the newest first. It returns what is not seen by that.
func look(ctx context.Context, env Env, of view.Selection, to takers) ([]string, error) {
	notes := env.LossNotes(of.Filter, event.KindExchange, event.KindResource)
	notes = append(notes, env.Bodies(of)...)
	_, cover, err := query.ReadBodies(ctx, env.Reader, of.Filter, query.Page{Limit: 1, Look: mostLooked[event.KindExchange]}, func(e *event.Exchange) bool {
		if e.Service == "" {
			to.exchange(e, query.Handle(event.KindExchange, e.Seq))
		}
		return false
	})
	if covered := env.CoverNotes(cover); len(covered) > 0 {
		notes = append(notes, "requests: "+strings.Join(covered, "; "))
	}
	return notes, cmp.Or(
		err,
		lookAt(ctx, env, of, "resources", to.resource, &notes),
		lookAt(ctx, env, of, "messages", to.socket, &notes),
		lookAt(ctx, env, of, "lines of the console", to.line, &notes),
		lookAt(ctx, env, of, "exceptions", to.exception, &notes),
	)
}

func lookAt[T any, P interface {
	*T
	event.Event
}](ctx context.Context, env Env, of view.Selection, what string, take func(P, string), notes *[]string) error {
	if take == nil {
		return nil
	}
	kind := P(nil).Kind()
	_, cover, err := query.Read(ctx, env.Reader, of.Filter, query.Page{Limit: 1, Look: mostLooked[kind]}, func(e P) bool {
		if e.Base().Service == "" {
			take(e, query.Handle(kind, e.Base().Seq))
		}
		return false
	})
	if covered := env.CoverNotes(cover); len(covered) > 0 {
		*notes = append(*notes, what+": "+strings.Join(covered, "; "))
	}
	return err
}
