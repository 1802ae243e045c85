package analysis

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
)

// Party is a site that a page of another site loaded something from or sent something to.
type Party struct {
	Site     string
	Origins  []string       // at most 10
	Services []Service      // whose its hosts are, by a list, at most 3
	Listed   string         // blocked or allowed by what the caller lists; "" in neither list
	Kinds    map[string]int // scripts, frames, styles, fonts, images, media, requests, sockets, other
	Requests int
	Bytes    int64    // on the network, of those whose size is told
	Unsized  int      // requests whose size is not told
	Cookies  []string // names of those that it set, at most 10
	Methods  []string // of requests with a body
	Types    []string // of such bodies
	Fields   []string // names in bodies and queries, at most 20
	More     int      // names beyond these
	Personal []string // kinds of personal data that it got
	Secrets  []string // kinds of secrets that it got
	URLs     []string // without query, at most 10
	First    time.Time
	Evidence []string // handles of the newest, at most 3, those of what makes the risk first
	Risk     string   // high, medium, low
	Reasons  []string // of the risk, the gravest first
	Here     bool     // it is this machine
	Static   bool     // it gave pictures, styles, fonts and media, and got nothing

	open, cookied bool     // something came unencrypted; it got cookies
	told          bool     // addresses of pictures have fields
	own           bool     // only frames asked
	risky         []string // handles
}

const (
	maxParties = 500
	maxListed  = 10
	maxFields  = 20

	maxServices = 3
)

// Parties collects third parties from events that come newest first. Make it with NewParties.
type Parties struct {
	Requests int // of pages, to whomever
	Wired    int // exchanges whose headers are those of the network
	Dropped  int // events of parties beyond the most that are told apart

	hosts hosts
	own   map[string]bool // sites that the caller calls its own
	no    []string        // hosts that the caller does not want
	yes   []string        // hosts that the caller knows
	pages map[string]bool // sites of pages
	found map[string]*Party
}

// NewParties returns a collector. own are origins or hosts that are no third parties.
func NewParties(own []string) *Parties {
	p := &Parties{hosts: hosts{}, own: map[string]bool{}, pages: map[string]bool{}, found: map[string]*Party{}}
	for _, host := range hostsOf(own) {
		p.own[siteOf(host)] = true
	}
	return p
}

// Lists names origins or hosts that the caller does not want, and those that it knows, each with what is below it.
func (p *Parties) Lists(blocked, allowed []string) {
	p.no, p.yes = hostsOf(blocked), hostsOf(allowed)
}

func hostsOf(words []string) (out []string) {
	for _, w := range words {
		if host, ok := HostOf(w); ok {
			out = append(out, host)
		}
	}
	return out
}

// HostOf is the host of an origin or a host; "*." before it may be there.
func HostOf(word string) (host string, ok bool) {
	scheme, rest, whole := strings.Cut(word, "://")
	if !whole {
		scheme, rest = "https", word
	}
	u, err := url.Parse(scheme + "://" + strings.TrimPrefix(rest, "*."))
	if err != nil {
		return "", false
	}
	host = strings.ToLower(u.Hostname())
	return host, host != "" && !strings.ContainsAny(host, "* ")
}

// isBelow reports whether a host is one of some, or below one of them.
func isBelow(host string, some []string) bool {
	return slices.ContainsFunc(some, func(s string) bool { return host == s || strings.HasSuffix(host, "."+s) })
}

// Pages are the sites of the pages, sorted.
func (p *Parties) Pages() (out []string) {
	for site := range p.pages {
		out = append(out, site)
	}
	slices.Sort(out)
	return out
}

// party returns who an address belongs to, nil when that is the page's own site.
func (p *Parties) party(h *event.Head, raw, handle string) (*Party, target) {
	at, ok := p.hosts.target(raw)
	page, paged := p.hosts.target(h.PageURL)
	if !ok || !paged {
		return nil, at
	}
	p.Requests++
	if h.Frame == 0 {
		p.pages[page.site] = true
		if page.site == at.site {
			return nil, at
		}
	}
	if p.own[at.site] {
		return nil, at
	}
	of := p.found[at.site]
	if of == nil {
		if len(p.found) == maxParties {
			p.Dropped++
			return nil, at
		}
		of = &Party{Site: at.site, Kinds: map[string]int{}, own: true}
		p.found[at.site] = of
	}
	of.Here = at.here
	of.own = of.own && h.Frame != 0 // a frame may be of the page's own site
	of.Requests++
	of.First = h.Time
	if !slices.Contains(of.Origins, at.origin) {
		p.identify(of, strings.TrimSuffix(strings.ToLower(at.Hostname()), "."))
	}
	of.Origins = listed(of.Origins, at.origin, maxListed)
	of.URLs = listed(of.URLs, at.origin+at.Path, maxListed)
	if len(of.Evidence) < maxEvidence {
		of.Evidence = append(of.Evidence, handle)
	}
	of.open = of.open || !at.sealed() && !at.here
	return of, at
}

// identify says whose a host is, and whether the caller lists it. Blocked wins.
func (p *Parties) identify(of *Party, host string) {
	if s, ok := serviceOf(host); ok && len(of.Services) < maxServices && !slices.Contains(of.Services, s) {
		of.Services = append(of.Services, s)
	}
	switch {
	case isBelow(host, p.no):
		of.Listed = "blocked"
	case of.Listed == "" && isBelow(host, p.yes):
		of.Listed = "allowed"
	}
}

// listed adds a word to a list unless it is there, or the list is full.
func listed(list []string, word string, most int) []string {
	if word == "" || len(list) >= most || slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}

func (of *Party) size(n int64) {
	if n > 0 {
		of.Bytes += n
	} else {
		of.Unsized++
	}
}

// Exchange looks at a request with its answer.
func (p *Parties) Exchange(e *event.Exchange, handle string) {
	if byNetwork(e) {
		p.Wired++
	}
	of, at := p.party(&e.Head, e.URL, handle)
	if of == nil {
		return
	}
	of.Kinds[kindOf(e.Initiator.Type, at)]++
	of.size(e.TransferSize)
	for _, field := range values(e.ResponseHeaders, "set-cookie") {
		if c, ok := cookieOf(field, e.Time); ok && !c.gone {
			of.Cookies = listed(of.Cookies, c.name, maxListed)
		}
	}
	of.cookied = of.cookied || len(values(e.RequestHeaders, "cookie")) > 0
	if e.HasAuth || redact.Marked(header(e.RequestHeaders, "authorization")) {
		of.got("authorization", handle)
	}
	of.query(at, handle)
	if e.RequestBody == "" && e.RequestSize <= 0 {
		return
	}
	kind, _, _ := strings.Cut(header(e.RequestHeaders, "content-type"), ";")
	of.Methods = listed(of.Methods, e.Method, maxListed)
	of.Types = listed(of.Types, kind, maxListed)
	of.name(fieldsOf(e.RequestBody)...)
	both(e.RequestBody, func(kind string, _ int) { of.got(kind, handle) })
}

// Resource looks at the timing of something that a page loaded.
func (p *Parties) Resource(e *event.ResourceTiming, handle string) {
	if e.InitiatorType == "fetch" || e.InitiatorType == "xmlhttprequest" || e.InitiatorType == "beacon" || e.Status >= 400 {
		return // told as a request
	}
	of, at := p.party(&e.Head, e.URL, handle)
	if of == nil {
		return
	}
	kind := kindOf(e.InitiatorType, at)
	of.Kinds[kind]++
	of.told = of.told || kind == "images" && len(queryOf(at)) > 0
	if !e.FromCache {
		of.size(e.TransferSize)
	}
	of.query(at, handle)
}

// Socket looks at a connection, or a message on it.
func (p *Parties) Socket(e *event.Message, handle string) {
	if e.Event != "open" && e.Direction != "outgoing" {
		return
	}
	of, at := p.party(&e.Head, e.URL, handle)
	if of == nil {
		return
	}
	if e.Event == "open" {
		of.Kinds["sockets"]++
		of.query(at, handle)
		return
	}
	of.Requests-- // it is of a connection
	of.Methods = listed(of.Methods, "message", maxListed)
	of.name(fieldsOf(e.Data)...)
	both(e.Data, func(kind string, _ int) { of.got(kind, handle) })
}

// query takes what an address tells.
func (of *Party) query(at target, handle string) {
	for _, p := range queryOf(at) {
		of.name(p[0])
		both(p[1], func(kind string, _ int) { of.got(kind, handle) })
	}
}

// got notes a kind of secret that was sent there. Keys that are meant for browsers are none.
func (of *Party) got(kind, handle string) {
	switch {
	case redact.IsPersonal(kind):
		of.Personal = listed(of.Personal, kind, maxListed)
	case slices.Contains(publicKinds, kind) || kind == "cookie":
		return
	default:
		of.Secrets = listed(of.Secrets, kind, maxListed)
	}
	of.risky = listed(of.risky, handle, maxEvidence)
}

// name notes names of fields. What may be a value in the place of a name is not told.
func (of *Party) name(fields ...string) {
	for _, f := range fields {
		if f == "" || len(f) > 40 || strings.ContainsAny(f, "@<>%+ \\") {
			continue
		}
		if !slices.Contains(of.Fields, f) {
			if len(of.Fields) == maxFields {
				of.More++
				continue
			}
			of.Fields = append(of.Fields, f)
		}
	}
}

var partName = form(`(?i)content-disposition: form-data; name="([^"]*)"`)

// mostOfABody is how many bytes of a body are looked at for names.
const mostOfABody = 8 << 10

// fieldsOf returns the names of the fields of a body: of JSON at any depth, of a form, of its parts. The body may be cut.
func fieldsOf(body string) (out []string) {
	body = strings.TrimSpace(body[:min(len(body), mostOfABody)])
	switch {
	case body == "":
	case body[0] == '{' || body[0] == '[':
		return jsonNames(body)
	case body[0] != '-' && strings.Contains(body, "=") && !strings.ContainsAny(body, " \n<{"):
		for _, pair := range strings.Split(body, "&") {
			name, _, _ := strings.Cut(pair, "=")
			out = append(out, name)
		}
	default:
		for _, m := range partName().FindAllStringSubmatch(body, 200) {
			out = append(out, m[1])
		}
	}
	return out
}

// jsonNames returns the strings before colons.
func jsonNames(body string) (out []string) {
	for {
		_, rest, ok := strings.Cut(body, `"`)
		if !ok {
			return out
		}
		end := 0
		for end < len(rest) && rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(rest) {
			return out
		}
		body = rest[end+1:]
		if strings.HasPrefix(strings.TrimLeft(body, " \t\r\n"), ":") {
			out = append(out, rest[:end])
		}
	}
}

// kindOf is what sort of thing was loaded, by what asked for it and by its name.
func kindOf(initiator string, at target) string {
	switch strings.ToLower(path.Ext(at.Path)) {
	case ".css":
		return "styles"
	case ".woff", ".woff2", ".ttf", ".otf", ".eot":
		return "fonts"
	}
	switch initiator {
	case "script":
		return "scripts"
	case "stylesheet":
		return "styles"
	case "font":
		return "fonts"
	case "img", "image", "icon", "input":
		return "images"
	case "iframe", "frame", "navigation", "object", "embed":
		return "frames"
	case "video", "audio", "media", "track":
		return "media"
	case "fetch", "xhr", "beacon", "worker", "eventsource", "ping":
		return "requests"
	}
	switch strings.ToLower(path.Ext(at.Path)) {
	case ".js", ".mjs":
		return "scripts"
	case ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".ico":
		return "images"
	}
	return "other"
}

// List returns the third parties, the riskiest first, then those with the most requests.
func (p *Parties) List() []*Party {
	out := []*Party{}
	for _, of := range p.found {
		if of.own && p.pages[of.Site] || of.Requests <= 0 && len(of.Methods) == 0 {
			continue
		}
		of.judge()
		out = append(out, of)
	}
	slices.SortFunc(out, func(a, b *Party) int {
		return cmp.Or(Rank(a.Risk)-Rank(b.Risk), b.Requests-a.Requests, strings.Compare(a.Site, b.Site))
	})
	return out
}

// Unsealed reports whether something of it came unencrypted.
func (of *Party) Unsealed() bool { return of.open }

// Is reports whether one of its services is for that.
func (of *Party) Is(what string) bool {
	return slices.ContainsFunc(of.Services, func(s Service) bool { return s.For == what })
}

// judge says what the risk is, and why.
func (of *Party) judge() {
	var high, medium []string
	runs := of.Kinds["scripts"] > 0
	add := func(to *[]string, when bool, reason string) {
		if when {
			*to = append(*to, reason)
		}
	}
	numbers := slices.ContainsFunc(of.Personal, func(k string) bool { return k == "card" || k == "ssn" })
	add(&high, of.Listed == "blocked", "is on your list of blocked origins")
	add(&high, len(of.Secrets) > 0, "gets secrets ("+strings.Join(of.Secrets, ", ")+")")
	add(&high, numbers, "gets numbers of cards or people")
	add(&high, runs && of.open, "its scripts come unencrypted")
	add(&medium, runs && !of.open, "its scripts can do all that the page can")
	add(&medium, len(of.Personal) > 0 && !numbers, "gets personal data ("+strings.Join(of.Personal, ", ")+")")
	add(&medium, len(of.Methods) > 0, "gets bodies of requests")
	add(&medium, len(of.Cookies) > 0, "sets cookies")
	add(&medium, of.cookied, "gets cookies of its own")
	add(&medium, of.open && !runs, "what it gives comes unencrypted")
	switch {
	case len(high) > 0:
		of.Risk = "high"
	case len(medium) > 0:
		of.Risk = "medium"
	default:
		of.Risk, medium = "low", []string{"only gives what the page shows"}
		if of.told {
			medium = []string{"gets fields in the addresses of pictures"}
		} else if of.Kinds["requests"]+of.Kinds["sockets"]+of.Kinds["frames"]+of.Kinds["other"] > 0 {
			medium = []string{"answers requests"}
		}
	}
	of.Reasons = append(high, medium...)
	for _, e := range of.Evidence {
		of.risky = listed(of.risky, e, maxEvidence)
	}
	of.Evidence = of.risky
	static := of.Kinds["images"] + of.Kinds["styles"] + of.Kinds["fonts"] + of.Kinds["media"]
	of.Static = of.Risk == "low" && static == of.Requests && !of.told
}
