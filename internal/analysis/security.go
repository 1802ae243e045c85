package analysis

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
)

// Severities are the words of the scale, the gravest first. docs/guides/audits.md says what each means.
var Severities = []string{"critical", "high", "medium", "low", "info"}

// SecurityRule is what a finding is an instance of.
type SecurityRule struct {
	ID, Check, Severity, Title, Fix string
}

// securityRules are all rules, by their checks. docs/guides/audits.md lists them.
var securityRules = []SecurityRule{
	{"private-key-in-response", "credentials", "critical", "A private key is sent to the browser", "Keep the key on the server, and replace it."},
	{"key-in-response", "credentials", "high", "A key of a provider is sent to the browser", "Call the provider from the server, and replace the key."},
	{"password-in-response", "credentials", "high", "A password comes back in an answer", "Leave the field out of the answer."},
	{"credentials-in-url", "credentials", "high", "User and password stand in a URL", "Send them in the Authorization header."},
	{"secret-in-url", "credentials", "high", "A secret stands in a URL, which logs, histories and referrers keep", "Send it in a header or in the body."},
	{"secret-in-console", "credentials", "medium", "A secret is written to the console", "Leave it out of the line."},
	{"browser-key", "credentials", "low", "A key that may be meant for browsers is sent to one", "Restrict it at its provider to your origins."},
	{"signature-in-url", "credentials", "low", "A URL carries its own permission", "Let it expire soon, and send no referrer from the page."},

	{"number-in-url", "pii", "high", "A card or social security number stands in a URL", "Send it in the body of a POST."},
	{"personal-unencrypted", "pii", "high", "Personal data goes over the network unencrypted", "Use https."},
	{"personal-in-url", "pii", "medium", "Personal data stands in a URL", "Send it in the body of a POST, or use an id."},
	{"personal-to-others", "pii", "medium", "Personal data is sent to another site", "Send an id instead, or see that the site may have it."},
	{"number-in-response", "pii", "medium", "A card or social security number comes back whole", "Send the last digits only."},
	{"personal-in-console", "pii", "low", "Personal data is written to the console", "Leave it out of the line."},

	{"hsts-missing", "headers", "high", "Strict-Transport-Security is missing: the first request of a visit may go unencrypted", "Send Strict-Transport-Security: max-age=31536000; includeSubDomains."},
	{"csp-missing", "headers", "medium", "No Content-Security-Policy: any script that gets into the page runs", "Send a policy with script-src of nonces or hashes."},
	{"csp-report-only", "headers", "medium", "The Content-Security-Policy only reports", "Send it as Content-Security-Policy as well, once the reports are quiet."},
	{"csp-no-scripts", "headers", "medium", "The Content-Security-Policy says nothing of scripts", "Add script-src, or default-src."},
	{"csp-unsafe-inline", "headers", "medium", "The Content-Security-Policy lets inline scripts run", "Give scripts a nonce or hash, and put it into script-src."},
	{"csp-any-script", "headers", "medium", "The Content-Security-Policy lets scripts of any server run", "Name the servers, or use nonces with 'strict-dynamic'."},
	{"csp-in-meta", "headers", "medium", "A policy in a meta element has directives that browsers ignore there", "Send frame-ancestors, sandbox and report-uri in the header."},
	{"frames-missing", "headers", "medium", "Any site may show the page in a frame", "Send Content-Security-Policy: frame-ancestors 'self'."},
	{"nosniff-missing", "headers", "medium", "X-Content-Type-Options is missing: browsers may take content for a script", "Send X-Content-Type-Options: nosniff."},
	{"hsts-weak", "headers", "low", "Strict-Transport-Security lasts less than half a year", "Raise max-age to 31536000."},
	{"csp-ignored", "headers", "low", "Browsers ignore words of the Content-Security-Policy", "Write keywords, nonces and hashes whole and in single quotes."},
	{"csp-eval", "headers", "low", "The Content-Security-Policy allows eval", "Remove 'unsafe-eval'; 'wasm-unsafe-eval' is enough for WebAssembly."},
	{"csp-base", "headers", "low", "The Content-Security-Policy lets base elements redirect scripts that are named by nonce", "Add base-uri 'none'."},
	{"referrer-unsafe", "headers", "low", "Referrer-Policy gives whole URLs to other sites", "Send Referrer-Policy: strict-origin-when-cross-origin."},
	{"referrer-missing", "headers", "low", "Referrer-Policy is missing; browsers choose", "Send Referrer-Policy: strict-origin-when-cross-origin."},
	{"permissions-missing", "headers", "low", "Permissions-Policy is missing: frames may ask for camera, microphone and place", "Send Permissions-Policy: camera=(), microphone=(), geolocation=()."},

	{"cookie-secure", "cookies", "medium", "A session cookie may go over unencrypted connections", "Add Secure."},
	{"cookie-httponly", "cookies", "medium", "Scripts can read a session cookie", "Add HttpOnly."},
	{"cookie-prefix", "cookies", "medium", "Browsers refuse a cookie: it has not what its name promises", "Give it Secure, and for __Host- also Path=/ and no Domain."},
	{"cookie-refused", "cookies", "medium", "Browsers refuse a cookie by its attributes", "Add Secure to SameSite=None, and name a Domain of your own."},
	{"cookie-plain", "cookies", "low", "A cookie may go over unencrypted connections", "Add Secure."},
	{"cookie-samesite", "cookies", "low", "A session cookie does not say SameSite; browsers choose", "Add SameSite=Lax or Strict."},

	{"login-unencrypted", "transport", "high", "Credentials go over the network unencrypted", "Use https."},
	{"page-unencrypted", "transport", "high", "A page comes over the network unencrypted", "Use https, and redirect to it."},
	{"redirect-down", "transport", "high", "A redirect leads from https to http", "Redirect to https."},
	{"mixed-content", "transport", "medium", "A page of https asks for something by http", "Use https for it."},
	{"request-unencrypted", "transport", "medium", "A request goes over the network unencrypted", "Use https or wss."},

	{"cors-reflected", "auth", "high", "Other sites may read answers with the user's cookies", "Compare Origin with a list, and allow credentials for that list only."},
	{"open-endpoint", "auth", "medium", "What looks private is answered without credentials", "Ask for credentials, or move it to a public path."},
	{"cors-any", "auth", "low", "Every site may read an answer, without the user's cookies", "Name the origins, where the answer is not public."},

	{"integrity-missing", "scripts", "low", "A script of another site has no integrity", "Add integrity and crossorigin, and a version in its URL."},
	{"source-map", "scripts", "low", "The sources of scripts can be loaded by everybody", "Leave the maps out of what is served, or send them to insiders only."},
}

// SecurityChecks are the names of groups of rules.
var SecurityChecks = []string{"credentials", "pii", "headers", "cookies", "transport", "auth", "scripts"}

// SecurityFinding is one rule that is broken in one place, however often.
type SecurityFinding struct {
	ID          string // the same for the same rule and place in every run
	Rule        SecurityRule
	Place       string   // an origin, a route, a cookie of an origin
	URL         string   // that SARIF names
	Detail      string   // what is there, in words of the page; may be ""
	Count       int      // events
	Evidence    []string // handles of the newest, at most 3
	Development bool     // a server of this machine: production may differ
	Page        string

	last string // handle of the event that was counted last
}

// Looked says what a check rests on.
type Looked struct {
	Check string
	Seen  int    // what could be judged
	Blind int    // what could not
	What  string // the former in a word: requests, documents …
	Why   string // the latter cannot be judged; "" when nothing is missing
}

const (
	maxPlaces   = 100 // findings of one rule that are told apart
	maxEvidence = 3
	halfYear    = 15552000 // seconds
)

// Security collects findings from events that come newest first. Make it with NewSecurity.
type Security struct {
	Requests int
	Dropped  int             // findings beyond the most that are told apart of a rule
	Found    map[string]bool // checks that found something

	checks map[string]bool
	rules  map[string]SecurityRule
	found  map[[2]string]*SecurityFinding
	places map[string]int // findings of a rule
	order  []*SecurityFinding
	looked map[string]*Looked
	hosts  hosts
	handle string
	page   string
	judged map[string]string // handles of answers whose headers were seen, by method and URL; of cookies, by origin and name
}

// NewSecurity returns a collector for these checks; none means all.
func NewSecurity(checks []string) *Security {
	s := &Security{
		checks: map[string]bool{}, rules: map[string]SecurityRule{}, found: map[[2]string]*SecurityFinding{}, looked: map[string]*Looked{},
		hosts: hosts{}, places: map[string]int{}, Found: map[string]bool{}, judged: map[string]string{},
	}
	for _, c := range SecurityChecks {
		s.checks[c] = len(checks) == 0 || slices.Contains(checks, c)
	}
	for _, r := range securityRules {
		s.rules[r.ID] = r
	}
	words := map[string][2]string{
		"credentials": {"requests and lines", "their bodies are not kept"},
		"pii":         {"requests and lines", "their bodies are not kept"},
		"headers":     {"documents", "their headers are not seen without Network detail in the extension's options"},
		"cookies":     {"answers", "Set-Cookie is not seen without Network detail in the extension's options"},
		"transport":   {"requests", ""},
		"auth":        {"requests", "their cookies and CORS headers are not seen without Network detail in the extension's options"},
		"scripts":     {"documents and scripts", "the markup of documents is not captured, so integrity is not seen"},
	}
	for c, w := range words {
		s.looked[c] = &Looked{Check: c, What: w[0], Why: w[1]}
	}
	return s
}

// saw counts what a check could judge, or could not.
func (s *Security) saw(check string, could bool) {
	if could {
		s.looked[check].Seen++
	} else {
		s.looked[check].Blind++
	}
}

// Looked says what each of the wanted checks rests on.
func (s *Security) Looked() (out []Looked) {
	for _, c := range SecurityChecks {
		if s.checks[c] {
			l := *s.looked[c]
			if l.Blind == 0 {
				l.Why = ""
			}
			out = append(out, l)
		}
	}
	return out
}

// Findings returns what was found, the gravest first, then the most frequent.
func (s *Security) Findings() []*SecurityFinding {
	out := slices.Clone(s.order)
	slices.SortStableFunc(out, func(a, b *SecurityFinding) int {
		return cmp.Or(Rank(a.Rule.Severity)-Rank(b.Rule.Severity), b.Count-a.Count, strings.Compare(a.Rule.ID+a.Place, b.Rule.ID+b.Place))
	})
	return out
}

// Rank is a severity's place in the scale, 0 the gravest.
func Rank(severity string) int { return slices.Index(Severities, severity) }

// add notes that a rule is broken.
func (s *Security) add(rule string, at target, place, detail string) {
	r := s.rules[rule]
	if !s.checks[r.Check] {
		return
	}
	key := [2]string{rule, place}
	f := s.found[key]
	if f == nil {
		if s.Found[r.Check] = true; s.places[rule] == maxPlaces {
			s.Dropped++
			return
		}
		s.places[rule]++
		sum := sha256.Sum256([]byte(r.Check + "\x00" + rule + "\x00" + place))
		f = &SecurityFinding{ID: fmt.Sprintf("%x", sum[:6]), Rule: r, Place: place, URL: at.origin + at.Path, Detail: detail, Development: at.here, Page: s.page}
		s.found[key] = f
		s.order = append(s.order, f)
	}
	if f.last == s.handle {
		return
	}
	f.last = s.handle
	f.Count++
	if len(f.Evidence) < maxEvidence {
		f.Evidence = append(f.Evidence, s.handle)
	}
}

// Exchange looks at a request with its answer.
func (s *Security) Exchange(e *event.Exchange, handle string) {
	at, ok := s.hosts.target(e.URL)
	if !ok {
		return
	}
	s.Requests++
	s.handle, s.page = handle, cmp.Or(e.PageURL, e.URL)
	page, _ := s.hosts.target(cmp.Or(e.PageURL, e.URL))
	wire := byNetwork(e)
	s.transport(e, at, page)
	s.secrets(e, at, page)
	if e.Status > 0 {
		// What was mended since is no finding: of one URL the newest answer whose headers were seen is judged.
		if key := e.Method + " " + e.URL; s.judged[key] == "" {
			if wire {
				s.judged[key] = handle
			}
			s.headers(e, at, page, wire)
			s.access(e, at, page, wire)
		}
		s.cookies(e, at, wire)
	}
	s.markup(e, at)
}

// byNetwork reports whether the headers are those of the network: the page's own record has none of these.
func byNetwork(e *event.Exchange) bool {
	for _, h := range e.RequestHeaders {
		switch strings.ToLower(h.Name) {
		case "user-agent", "sec-fetch-mode", "sec-fetch-site", "cookie", "accept-encoding", "host":
			return true
		}
	}
	return strings.HasPrefix(e.RequestID, "wr-") && len(e.ResponseHeaders) > 0
}

func values(headers []event.Header, name string) (out []string) {
	for _, h := range headers {
		if strings.EqualFold(h.Name, name) {
			out = append(out, h.Value)
		}
	}
	return out
}

// header joins the fields of a name, as browsers do.
func header(headers []event.Header, name string) string {
	return strings.Join(values(headers, name), ", ")
}

func (s *Security) transport(e *event.Exchange, at, page target) {
	s.saw("transport", true)
	document := e.Initiator.Type == "navigation"
	if page.sealed() && !at.sealed() && !at.here && !document {
		s.add("mixed-content", at, page.origin+" → "+at.origin, "")
	}
	for i, raw := range e.Redirects {
		from, ok := s.hosts.target(raw)
		to := at
		if i+1 < len(e.Redirects) {
			to, _ = s.hosts.target(e.Redirects[i+1])
		}
		if ok && from.sealed() && to.URL != nil && !to.sealed() && !to.here {
			s.add("redirect-down", from, from.origin+from.route(), "to "+to.origin)
		}
	}
	if at.sealed() || at.here {
		return
	}
	switch {
	case e.HasAuth || len(values(e.RequestHeaders, "authorization"))+len(values(e.RequestHeaders, "cookie")) > 0:
		s.add("login-unencrypted", at, at.origin, "")
	case document:
		s.add("page-unencrypted", at, at.origin, "")
	case !page.sealed():
		s.add("request-unencrypted", at, at.origin, "")
	}
}

// publicKinds are keys that their providers mean for browsers, or that may be of that sort.
var publicKinds = []string{
	"google_key", "mapbox_token", "stripe_key", "posthog_key", "paystack_key", "flutterwave_key", "razorpay_key", "launchdarkly_key",
	"newrelic_key", "datadog_key", "sentry_token", "supabase_key", "facebook_token", "square_token", "plaid_token", "checkout_key", "fcm_key",
}

var privateKinds = []string{"private_key", "pem_key", "pkcs8_key", "ssh_key", "age_key", "kubernetes_token"}

// sessionKinds have a form and are given to browsers by every login.
var sessionKinds = []string{"jwt", "paseto", "cas_ticket", "rails_key", "password_hash"}

// secrets looks for credentials and personal data in what was sent and came back.
func (s *Security) secrets(e *event.Exchange, at, page target) {
	bodies := e.RequestBody != "" || e.ResponseBody != ""
	without := e.RequestBodyNote == "off" || e.ResponseBodyNote == "off" || !bodies && (e.RequestSize > 0 || e.ResponseSize > 0)
	s.saw("credentials", true)
	s.saw("pii", true)
	if without && !bodies {
		s.saw("credentials", false)
		s.saw("pii", false)
	}
	where := at.origin + at.route()
	s.inURL(at, where)
	open, foreign := !at.sealed() && !at.here, page.URL != nil && page.site != at.site
	out := func(kind, field string) {
		if !redact.IsPersonal(kind) {
			return
		}
		if open {
			s.add("personal-unencrypted", at, where, kind+" in "+field)
		}
		if foreign {
			s.add("personal-to-others", at, where, kind+" in "+field)
		}
	}
	if open || foreign {
		both(e.RequestBody, func(kind string, i int) { out(kind, fieldBefore(e.RequestBody, i)) })
		for _, p := range queryOf(at) {
			both(p[1], func(kind string, _ int) { out(kind, p[0]) })
		}
	}
	redact.Marks(e.ResponseBody, func(kind string, i int) {
		field := fieldBefore(e.ResponseBody, i)
		switch {
		case kind == "card" || kind == "ssn":
			s.add("number-in-response", at, where, kind+" in "+field)
		case redact.IsPersonal(kind):
			if open {
				s.add("personal-unencrypted", at, where, kind+" in "+field)
			}
		case slices.Contains(privateKinds, kind):
			s.add("private-key-in-response", at, where, kind+" in "+field)
		case strings.HasSuffix(strings.ToLower(field), "password") || kind == "password_hash":
			s.add("password-in-response", at, where, "in "+field)
		case slices.Contains(sessionKinds, kind) || !redact.HasForm(kind):
		case slices.Contains(publicKinds, kind):
			s.add("browser-key", at, where, kind+" in "+field)
		default:
			s.add("key-in-response", at, where, kind+" in "+field)
		}
	})
	if open {
		redact.Personal(e.ResponseBody, func(kind string, i int) {
			s.add("personal-unencrypted", at, where, kind+" in "+fieldBefore(e.ResponseBody, i))
		})
	}
}

// both hands on what stands for secrets and personal data in the clear.
func both(text string, visit func(kind string, at int)) {
	redact.Marks(text, visit)
	redact.Personal(text, visit)
}

// queryOf returns names and values of the query and of the fragment, at most 50.
func queryOf(at target) (out [][2]string) {
	for _, part := range strings.Split(at.RawQuery+"&"+at.EscapedFragment(), "&") {
		name, value, ok := strings.Cut(part, "=")
		if !ok || len(out) == 50 {
			continue
		}
		if v, err := url.QueryUnescape(value); err == nil {
			value = v
		}
		out = append(out, [2]string{name, value})
	}
	return out
}

// once are parameters of sign-in, which are good once and for a moment.
var once = []string{"code", "state", "nonce", "ticket", "session_state", "samlrequest", "samlresponse", "relaystate"}

func (s *Security) inURL(at target, where string) {
	if at.User != nil {
		redact.Marks(at.User.String(), func(string, int) { s.add("credentials-in-url", at, where, "") })
	}
	redact.Marks(at.Path, func(kind string, _ int) {
		if !redact.IsPersonal(kind) {
			s.add("secret-in-url", at, where, kind+" in the path")
		}
	})
	for _, p := range queryOf(at) {
		name := strings.ToLower(p[0])
		both(p[1], func(kind string, _ int) {
			switch {
			case kind == "card" || kind == "ssn":
				s.add("number-in-url", at, where+"?"+p[0], kind)
			case redact.IsPersonal(kind):
				s.add("personal-in-url", at, where+"?"+p[0], kind)
			case slices.Contains(once, name):
			case strings.HasSuffix(name, "signature") || strings.HasSuffix(name, "credential") || name == "sig" || name == "policy":
				s.add("signature-in-url", at, where, "")
			case slices.Contains(publicKinds, kind):
				s.add("browser-key", at, at.origin, kind)
			default:
				s.add("secret-in-url", at, where+"?"+p[0], kind)
			}
		})
	}
}

// fieldBefore is the name of the field of JSON or of a form that i is the value of; "text" when there is none.
func fieldBefore(s string, i int) string {
	before := s[max(0, i-200):i]
	if at := strings.LastIndexByte(before, ':'); at > 0 {
		if name := strings.TrimRight(before[:at], " "); strings.HasSuffix(name, `"`) {
			if from := strings.LastIndexByte(name[:len(name)-1], '"'); from >= 0 && !strings.Contains(before[at:], ",") {
				return name[from+1 : len(name)-1]
			}
		}
	}
	if name, ok := strings.CutSuffix(before, "="); ok {
		return name[strings.LastIndexAny(name, "&? \n\"';,{<>")+1:]
	}
	return "text"
}

// document reports whether an exchange is a document whose headers decide about a page.
func document(e *event.Exchange) bool {
	return e.Initiator.Type == "navigation" && e.Status >= 200 && e.Status < 300 && e.Status != 204
}

func (s *Security) headers(e *event.Exchange, at, page target, wire bool) {
	h := e.ResponseHeaders
	whole := len(h) > 0 && (wire || at.origin == page.origin && len(e.Redirects) == 0)
	isDocument := document(e)
	if isDocument {
		s.saw("headers", whole)
	}
	if !whole || e.Status < 200 || e.Status >= 300 {
		return
	}
	if kind, _, _ := strings.Cut(strings.ToLower(header(h, "x-content-type-options")), ","); strings.TrimSpace(kind) != "nosniff" && e.ContentType != "" && at.site == page.site {
		s.add("nosniff-missing", at, at.origin, "")
	}
	if !isDocument || !strings.Contains(cmp.Or(e.ContentType, "text/html"), "html") {
		return
	}
	s.hsts(at, values(h, "strict-transport-security"))
	policies := policiesOf(values(h, "content-security-policy"))
	s.csp(at, policies, len(values(h, "content-security-policy-report-only")) > 0)
	if open, told := framed(policies); open || !told && !framedBy(values(h, "x-frame-options")) {
		s.add("frames-missing", at, at.origin, "")
	}
	switch referrer := lastReferrer(header(h, "referrer-policy")); referrer {
	case "":
		s.add("referrer-missing", at, at.origin, "")
	case "unsafe-url", "no-referrer-when-downgrade":
		s.add("referrer-unsafe", at, at.origin, referrer)
	}
	if header(h, "permissions-policy") == "" {
		s.add("permissions-missing", at, at.origin, "")
	}
}

func (s *Security) hsts(at target, fields []string) {
	if _, err := netip.ParseAddr(at.Hostname()); err == nil || at.here || !at.sealed() {
		return // browsers take it over https only, and for no address; one for localhost would be for every project
	}
	if len(fields) == 0 {
		s.add("hsts-missing", at, at.origin, "")
		return
	}
	age := -1
	for _, d := range strings.Split(fields[0], ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(d), "=")
		if strings.EqualFold(strings.TrimSpace(name), "max-age") {
			if n, err := strconv.Atoi(strings.Trim(strings.TrimSpace(value), `"`)); err == nil {
				age = n
			}
		}
	}
	switch {
	case age <= 0:
		s.add("hsts-missing", at, at.origin, fields[0])
	case age < halfYear:
		s.add("hsts-weak", at, at.origin, fields[0])
	}
}

func (s *Security) csp(at target, policies []policy, reports bool) {
	if len(policies) == 0 {
		rule := "csp-missing"
		if reports {
			rule = "csp-report-only"
		}
		s.add(rule, at, at.origin, "")
		return
	}
	var ignored []string
	for _, p := range policies {
		ignored = append(ignored, p.ignored()...)
	}
	words := strings.Join(ignored[:min(3, len(ignored))], " ")
	switch {
	case all(policies, func(p policy) bool { _, ok := p.scripts(); return !ok }):
		s.add("csp-no-scripts", at, at.origin, "")
	case all(policies, policy.inline):
		detail := ""
		if words != "" {
			detail = "'unsafe-inline' stays in force beside what browsers ignore: " + words
		}
		s.add("csp-unsafe-inline", at, at.origin, detail)
	}
	if words != "" {
		s.add("csp-ignored", at, at.origin, words)
	}
	if all(policies, func(p policy) bool { return p.anywhere() != "" }) {
		s.add("csp-any-script", at, at.origin, policies[0].anywhere())
	}
	if all(policies, policy.eval) {
		s.add("csp-eval", at, at.origin, "")
	}
	if all(policies, func(p policy) bool {
		list, ok := p.scripts()
		_, based := p["base-uri"]
		return ok && named(list) && !based
	}) {
		s.add("csp-base", at, at.origin, "")
	}
}

// framedBy reports whether X-Frame-Options keeps other sites out. Browsers ignore what is neither of the two words, and
// fields that differ.
func framedBy(fields []string) bool {
	words := map[string]bool{}
	for _, f := range fields {
		for _, w := range strings.Split(f, ",") {
			words[strings.ToLower(strings.TrimSpace(w))] = true
		}
	}
	return words["deny"] || words["sameorigin"] && len(words) == 1
}

var referrerPolicies = []string{
	"no-referrer", "no-referrer-when-downgrade", "same-origin", "origin", "strict-origin", "origin-when-cross-origin",
	"strict-origin-when-cross-origin", "unsafe-url",
}

// lastReferrer is the last policy that browsers know.
func lastReferrer(list string) (out string) {
	for _, w := range strings.Split(strings.ToLower(list), ",") {
		if w = strings.TrimSpace(w); slices.Contains(referrerPolicies, w) {
			out = w
		}
	}
	return out
}

var (
	sessionName = form(`(?i)sess|sid$|^sid|auth|token|jwt|login|remember|connect\.|^id$`)
	forScripts  = form(`(?i)csrf|xsrf`) // what a script sends back
)

func (s *Security) cookies(e *event.Exchange, at target, wire bool) {
	fields := values(e.ResponseHeaders, "set-cookie")
	s.saw("cookies", wire || len(fields) > 0)
	for _, field := range fields {
		for _, line := range strings.Split(field, "\n") {
			s.cookie(e, at, line)
		}
	}
}

// setCookie is what a Set-Cookie line says.
type setCookie struct {
	name                   string
	attributes             map[string]string // by name in lower case
	secure, httpOnly, gone bool
}

func cookieOf(line string, now time.Time) (c setCookie, ok bool) {
	first, rest, _ := strings.Cut(line, ";")
	name, _, named := strings.Cut(first, "=")
	c = setCookie{name: strings.TrimSpace(name), attributes: map[string]string{}}
	if !named || c.name == "" {
		return c, false
	}
	for _, part := range strings.Split(rest, ";") {
		name, value, _ := strings.Cut(part, "=")
		c.attributes[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
	}
	_, c.secure = c.attributes["secure"]
	_, c.httpOnly = c.attributes["httponly"]
	if age, ok := c.attributes["max-age"]; ok {
		c.gone = strings.HasPrefix(age, "-") || age == "0"
	} else {
		// As browsers, which read days of one digit and years of two.
		_, date, _ := strings.Cut(strings.ReplaceAll(c.attributes["expires"], "-", " "), ", ")
		for text, form := range map[string]string{date: "2 Jan 2006 15:04:05 MST", " " + date: " 2 Jan 06 15:04:05 MST", c.attributes["expires"]: time.ANSIC} {
			if at, err := time.Parse(form, text); err == nil {
				c.gone = at.Before(now)
			}
		}
	}
	return c, true
}

func (s *Security) cookie(e *event.Exchange, at target, line string) {
	c, ok := cookieOf(line, e.Time)
	if !ok || c.gone {
		return
	}
	key := at.origin + " " + c.name + ";" + c.attributes["path"]
	if newer := s.judged[key]; newer != "" && newer != s.handle {
		return
	}
	s.judged[key] = s.handle
	where := at.origin + " cookie " + c.name
	name, site := strings.ToLower(c.name), strings.ToLower(c.attributes["samesite"])
	domain := strings.ToLower(strings.TrimPrefix(c.attributes["domain"], "."))
	path, hasPath := c.attributes["path"]
	host := strings.HasPrefix(name, "__host-")
	switch {
	case (host || strings.HasPrefix(name, "__secure-")) && !c.secure, host && (domain != "" || hasPath && path != "/" || !hasPath):
		s.add("cookie-prefix", at, where, "")
		return
	case site == "none" && !c.secure:
		s.add("cookie-refused", at, where, "SameSite=None without Secure")
		return
	case domain != "" && domain != at.Hostname() && (isSuffix(domain) || !strings.HasSuffix(at.Hostname(), "."+domain)):
		s.add("cookie-refused", at, where, "Domain="+domain)
		return
	}
	session := sessionName().MatchString(c.name)
	if !c.secure && !at.here {
		rule := "cookie-plain"
		if session {
			rule = "cookie-secure"
		}
		s.add(rule, at, where, "")
	}
	if session && !c.httpOnly && !forScripts().MatchString(c.name) {
		s.add("cookie-httponly", at, where, "")
	}
	if session && site != "lax" && site != "strict" && site != "none" {
		s.add("cookie-samesite", at, where, "")
	}
}

var privatePath = form(`(?i)(?:^|/)(?:admin|accounts?|me|users?|profile|orders?|billing|invoices?|payments?|settings|internal|private|customers?|tokens|api[_-]?keys|secrets)(?:/|$)`)

// access looks at who may read an answer.
func (s *Security) access(e *event.Exchange, at, page target, wire bool) {
	if e.Initiator.Type == "preflight" || e.Initiator.Type == "navigation" {
		return
	}
	h := e.ResponseHeaders
	allowed, credentials := header(h, "access-control-allow-origin"), strings.TrimSpace(header(h, "access-control-allow-credentials")) == "true"
	s.saw("auth", wire || allowed != "")
	origin := header(e.RequestHeaders, "origin")
	if origin == "" && page.URL != nil {
		origin = page.origin
	}
	asker, ok := s.hosts.target(origin)
	switch {
	case allowed == "*":
		s.add("cors-any", at, at.origin, "")
	case !credentials || allowed == "":
	case allowed == "null":
		s.add("cors-reflected", at, at.origin, "allows the origin null, which any page can have")
	case ok && allowed == origin && asker.site != at.site:
		s.add("cors-reflected", at, at.origin, "allows "+allowed+" with credentials")
	}
	if !wire || e.Status < 200 || e.Status >= 300 || !strings.Contains(e.ContentType, "json") || !privatePath().MatchString(at.Path) {
		return
	}
	if e.HasAuth || slices.ContainsFunc(e.RequestHeaders, func(h event.Header) bool {
		name := strings.ToLower(h.Name)
		return name == "authorization" || name == "cookie" || strings.HasSuffix(name, "-key") || strings.HasSuffix(name, "-token") || redact.Marked(h.Value)
	}) || redact.Marked(e.URL) {
		return
	}
	s.add("open-endpoint", at, at.origin+at.route(), e.Method)
}

var (
	scriptTag = form(`(?i)<script\b[^>]*>`)
	metaTag   = form(`(?i)<meta\b[^>]*>`)
	attribute = form(`(?i)([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`)
	mapLine   = form(`(?m)^\s*(?://|/\*)[#@]\s*sourceMappingURL=([^\s*]+)`)
)

func attributes(tag string) map[string]string {
	out := map[string]string{}
	for _, m := range attribute().FindAllStringSubmatch(tag, 50) {
		if name := strings.ToLower(m[1]); out[name] == "" {
			out[name] = m[2] + m[3] + m[4]
		}
	}
	return out
}

// markup looks into documents and scripts whose text was captured.
func (s *Security) markup(e *event.Exchange, at target) {
	isScript := strings.Contains(e.ContentType, "javascript")
	html := strings.Contains(e.ContentType, "html")
	if document(e) {
		s.saw("scripts", e.ResponseBody != "")
	} else if isScript {
		s.saw("scripts", true)
	}
	if !at.here && (isScript || strings.HasSuffix(at.Path, ".js")) && e.Status == 200 {
		where := cmp.Or(header(e.ResponseHeaders, "sourcemap"), header(e.ResponseHeaders, "x-sourcemap"))
		if m := mapLine().FindStringSubmatch(e.ResponseBody[max(0, len(e.ResponseBody)-4096):]); where == "" && m != nil {
			where = m[1]
		}
		if where != "" && !strings.HasPrefix(where, "data:") {
			s.add("source-map", at, at.origin, where)
		}
	}
	if !html || e.ResponseBody == "" {
		return
	}
	for _, tag := range scriptTag().FindAllString(e.ResponseBody, 200) {
		a := attributes(tag)
		from, err := at.Parse(a["src"])
		if err != nil || a["src"] == "" || a["integrity"] != "" {
			continue
		}
		if of, ok := s.hosts.target(from.String()); ok && of.site != at.site {
			s.add("integrity-missing", at, at.origin+" "+of.origin+of.Path, "")
		}
	}
	if !s.checks["headers"] {
		return
	}
	for _, tag := range metaTag().FindAllString(e.ResponseBody, 50) {
		a := attributes(tag)
		if !strings.EqualFold(a["http-equiv"], "content-security-policy") {
			continue
		}
		for _, p := range policiesOf([]string{a["content"]}) {
			for _, name := range []string{"frame-ancestors", "sandbox", "report-uri"} {
				if _, ok := p[name]; ok {
					s.add("csp-in-meta", at, at.origin, name)
				}
			}
		}
	}
}

// Resource looks at the timing of something that a page loaded.
func (s *Security) Resource(e *event.ResourceTiming, handle string) {
	at, ok := s.hosts.target(e.URL)
	page, paged := s.hosts.target(e.PageURL)
	if !ok || e.InitiatorType == "fetch" || e.InitiatorType == "xmlhttprequest" || e.InitiatorType == "beacon" {
		return // told as a request
	}
	s.Requests++
	s.handle, s.page = handle, e.PageURL
	s.saw("transport", true)
	s.saw("credentials", true)
	s.saw("pii", true)
	s.inURL(at, at.origin+at.route())
	switch {
	case at.sealed() || at.here:
	case paged && page.sealed():
		s.add("mixed-content", at, page.origin+" → "+at.origin, "")
	default:
		s.add("request-unencrypted", at, at.origin, "")
	}
	if e.InitiatorType == "script" && paged && page.site != at.site {
		s.saw("scripts", false) // its integrity
	}
}

// Socket looks at the address of a connection.
func (s *Security) Socket(e *event.Message, handle string) {
	at, ok := s.hosts.target(e.URL)
	if !ok || e.Event != "open" {
		return
	}
	s.Requests++
	s.handle, s.page = handle, e.PageURL
	s.saw("transport", true)
	s.saw("credentials", true)
	s.inURL(at, at.origin+at.route())
	if !at.sealed() && !at.here {
		s.add("request-unencrypted", at, at.origin, "")
	}
}

// Line looks at what a page wrote to its console.
func (s *Security) Line(e *event.Log, handle string) {
	page, ok := s.hosts.target(e.PageURL)
	if !ok {
		return
	}
	s.handle, s.page = handle, e.PageURL
	s.saw("credentials", true)
	s.saw("pii", true)
	where := page.origin
	if script, ok := s.hosts.target(e.URL); ok {
		where = script.origin + script.Path + ":" + strconv.Itoa(e.Line)
	}
	for _, text := range []string{e.Message, e.Args} {
		both(text, func(kind string, i int) {
			rule := "secret-in-console"
			if redact.IsPersonal(kind) {
				rule = "personal-in-console"
			}
			s.add(rule, page, where, kind)
		})
	}
}

// Exception looks at a stack whose places a source map of a server told.
func (s *Security) Exception(e *event.Exception, handle string) {
	s.handle, s.page = handle, e.PageURL
	for _, f := range e.Stack {
		if at, ok := s.hosts.target(f.URL); ok && !at.here && f.Source != "" {
			s.saw("scripts", true)
			s.add("source-map", at, at.origin, "a map leads to "+f.Source)
			return
		}
	}
}
