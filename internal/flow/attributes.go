package flow

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

// The attributes that are read, by OpenTelemetry's present names and those that many SDKs still send.
var (
	methodNames  = []string{"http.request.method", "http.method"}
	routeNames   = []string{"http.route", "http.target", "url.path"}
	statusNames  = []string{"http.response.status_code", "http.status_code"}
	addressNames = []string{"server.address", "peer.service", "net.peer.name", "http.host"}
	portNames    = []string{"server.port", "net.peer.port"}
	urlNames     = []string{"url.full", "http.url"}
	searchNames  = []string{"url.query"}
	queryNames   = []string{"db.query.text", "db.statement"}
	systemNames  = []string{"db.system.name", "db.system"}
)

// attributesOf reads a JSON object's values that are no objects, as text.
func attributesOf(text string) map[string]string {
	if text == "" {
		return nil
	}
	var raw map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &raw) != nil {
		return nil
	}
	out := make(map[string]string, len(raw))
	for k, v := range raw {
		switch {
		case len(v) == 0 || v[0] == '{':
		case v[0] == '"':
			var s string
			if json.Unmarshal(v, &s) == nil {
				out[k] = s
			}
		default:
			out[k] = string(v)
		}
	}
	return out
}

// attribute returns the first of the named attributes that the node's event has.
func (n *Node) attribute(names []string) string {
	if n.attributes == nil {
		switch e := n.Item.Event.(type) {
		case *event.Span:
			n.attributes = attributesOf(e.Attributes)
		case *event.Log:
			n.attributes = attributesOf(e.Attributes)
		}
		if n.attributes == nil {
			n.attributes = map[string]string{}
		}
	}
	for _, name := range names {
		if v := n.attributes[name]; v != "" {
			return v
		}
	}
	return ""
}

// Query returns what a span asked a database, "" for other spans.
func (n *Node) Query() string { return n.attribute(queryNames) }

// System returns the database of a span, "" for other spans.
func (n *Node) System() string { return n.attribute(systemNames) }

// request is what is known of an HTTP request, as both of its ends tell it.
type request struct {
	method string
	path   string // or a route: segments such as :id, {id}, <id>, [id] stand for any
	query  string // behind the "?", "" when there is none or it is not told
	status int
}

// requestOf returns the request of an exchange, a span or a line of an access log; ok is false for other events.
func (n *Node) requestOf() (r request, ok bool) {
	if x := n.exchange(); x != nil {
		r.path, r.query = partsOf(x.URL)
		r.method, r.status = x.Method, x.Status
		return r, true
	}
	r.method = strings.ToUpper(n.attribute(methodNames))
	if r.method == "" {
		return r, false
	}
	r.path = n.attribute([]string{"url.path"})
	for _, names := range [...][]string{urlNames, {"http.target"}, routeNames} {
		path, query := partsOf(n.attribute(names))
		r.path, r.query = cmp.Or(r.path, path), cmp.Or(r.query, query)
	}
	r.query = cmp.Or(strings.TrimPrefix(n.attribute(searchNames), "?"), r.query)
	r.status, _ = strconv.Atoi(n.attribute(statusNames))
	return r, true
}

// partsOf returns the path and the query of an address.
func partsOf(address string) (path, query string) {
	// Nearly all need no decoding, and who looks at thousands of events asks for each one's.
	if path, query, ok := plainParts(address); ok {
		return path, query
	}
	if u, err := url.Parse(address); err == nil {
		return u.Path, u.RawQuery
	}
	address, _, _ = strings.Cut(address, "#")
	path, query, _ = strings.Cut(address, "?")
	return path, query
}

// plainParts reads an address by http that has nothing to be decoded, as url.Parse would.
func plainParts(address string) (path, query string, ok bool) {
	scheme, rest, _ := strings.Cut(address, "://")
	if scheme != "http" && scheme != "https" {
		return "", "", false
	}
	for i := range len(rest) {
		if c := rest[i]; c < ' ' || c == 0x7f || c == '%' {
			return "", "", false
		}
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, query, _ = strings.Cut(rest, "?")
	authority, _, ok := strings.Cut(rest, "/")
	host, port, _ := strings.Cut(authority, ":")
	for i := range len(host) {
		ok = ok && (alphanumeric(host[i]) || host[i] == '.' || host[i] == '-')
	}
	for i := range len(port) {
		ok = ok && '0' <= port[i] && port[i] <= '9'
	}
	return rest[len(authority):], query, ok
}

// same reports whether two ends speak of one request, as far as both say. Proxies may take a prefix off the path.
func (r request) same(o request) bool {
	if !strings.EqualFold(r.method, o.method) || r.status != 0 && o.status != 0 && r.status != o.status {
		return false
	}
	return (r.path == "" || o.path == "" || samePath(r.path, o.path)) && sameQuery(r.query, o.query)
}

// maxQuery is how many bytes of a query are compared.
const maxQuery = 8 << 10

// sameQuery reports whether two ends may tell of one query. A service or a proxy may add, leave out and hide parts of it; of
// what both name, the values agree, and two that name nothing in common are two.
func sameQuery(a, b string) bool {
	if a == b || a == "" || b == "" || len(a) > maxQuery || len(b) > maxQuery {
		return true
	}
	as, errA := url.ParseQuery(a)
	bs, errB := url.ParseQuery(b)
	if errA != nil || errB != nil {
		return true
	}
	common := false
	for name, values := range as {
		others, ok := bs[name]
		if !ok {
			continue
		}
		common = true
		if !slices.ContainsFunc(append(slices.Clone(values), others...), hidden) && !slices.Equal(values, others) {
			return false
		}
	}
	return common
}

// hidden reports whether something stands for a value that is not to be seen.
func hidden(v string) bool {
	return v == "" || strings.IndexByte("[<*", v[0]) >= 0 || strings.Contains(strings.ToUpper(v), "REDACTED")
}

func samePath(a, b string) bool {
	as, bs := strings.Split(strings.Trim(a, "/"), "/"), strings.Split(strings.Trim(b, "/"), "/")
	n := min(len(as), len(bs))
	if len(as) != len(bs) && (n == 1 && (as[0] == "" || bs[0] == "")) {
		return false
	}
	for i := 1; i <= n; i++ { // from the end: a proxy takes a prefix off
		x, y := as[len(as)-i], bs[len(bs)-i]
		if x != y && !placeholder(x) && !placeholder(y) {
			return false
		}
	}
	return true
}

// placeholder reports whether a segment of a route stands for any.
func placeholder(s string) bool {
	if s == "" {
		return false
	}
	return s[0] == ':' || s[0] == '{' || s[0] == '<' || s[0] == '[' || s[0] == '*'
}

// targetOf names what a client's span called: its address, or its database.
func (n *Node) targetOf() string {
	if a := n.attribute(addressNames); a != "" {
		if p := n.attribute(portNames); p != "" && !strings.Contains(a, ":") {
			return a + ":" + p
		}
		return a
	}
	if full := n.attribute(urlNames); full != "" {
		if u, err := url.Parse(full); err == nil {
			return u.Host
		}
	}
	return n.System()
}
