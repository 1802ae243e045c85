package flow_test

import (
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/flow"
)

const visit = "visit-8f3a1c"

// ofVisit is an exchange that carries one id with all others of its visit.
func ofVisit(from, took float64, method, url string, status int) *event.Exchange {
	x := exchange(from, took, method, url, status)
	x.RequestHeaders = []event.Header{{Name: "X-Correlation-ID", Value: visit}}
	return x
}

func lineOf(ms float64, severity int, text, attributes string) *event.Log {
	l := &event.Log{Head: of("api", ms), Severity: severity, Level: event.LevelOfSeverity(severity), Message: text, RequestID: visit,
		Attributes: attributes}
	l.TraceID = ""
	return l
}

// linkOf returns the link of the node with a line, and whether the flow has it.
func linkOf(f *flow.Flow, text string) (link flow.Link, parent *flow.Node) {
	f.Walk(func(n *flow.Node) {
		if l, ok := n.Item.Event.(*event.Log); ok && l.Message == text {
			link, parent = n.Link, n.Parent
		}
	})
	return link, parent
}

// Many pages send one id for a whole visit: a line is of the request that was under way when it was written.
func TestAnIDOfAVisitIsOfSeveralRequests(t *testing.T) {
	for name, c := range map[string]struct {
		at         float64
		attributes string
		trace      string
		pay        bool    // the line is of POST /pay
		most       float64 // how sure at most; 0: as an id of one request
	}{
		"within":                  {at: 10_020, pay: true},
		"after the answer":        {at: 10_300, pay: true},
		"long after both":         {at: 60_000, pay: true, most: 0.7},
		"before pay began":        {at: 9_000},
		"the path is another's":   {at: 10_020, attributes: `{"http.request.method":"GET","url.path":"/cart"}`},
		"the trace is another's":  {at: 10_020, trace: other},
		"within, with its method": {at: 10_020, attributes: `{"http.request.method":"POST","url.path":"/pay"}`, pay: true},
	} {
		cart, pay := ofVisit(0, 40, "GET", "http://localhost/cart", 200), ofVisit(10_000, 40, "POST", "http://localhost/pay", 500)
		cart.TraceID = c.trace
		line := lineOf(c.at, event.SeverityError, "card was declined", c.attributes)
		line.TraceID = c.trace
		r := kept(t, cart, lineOf(20, 9, "loaded the cart", ""), pay, line)
		for _, x := range []*event.Exchange{cart, pay} {
			f := build(t, r, handle(x))
			link, parent := linkOf(f, "card was declined")
			if has := parent != nil; has != (c.pay == (x == pay)) {
				t.Errorf("%s: the flow of %s has the line: %v\n%s", name, x.URL, has, tree(f))
			} else if has && c.trace == "" && c.most == 0 && link.Score < 0.9 || c.most > 0 && has && (link.Score > c.most || link.Score < 0.3) {
				t.Errorf("%s: %+v", name, link)
			}
			if x == cart && c.pay && f.Cause != nil {
				t.Errorf("%s: the cause of GET /cart is %q", name, f.Cause.Node.Message())
			}
		}
	}
}

// Where two requests were under way, nothing says which wrote the line: it is told under both, as what it is.
func TestAnIDOfRequestsAtOnceIsUnsure(t *testing.T) {
	one, two := ofVisit(0, 100, "GET", "http://localhost/a", 200), ofVisit(10, 100, "GET", "http://localhost/b", 500)
	r := kept(t, one, two, lineOf(50, event.SeverityError, "no stock", ""))
	for _, x := range []*event.Exchange{one, two} {
		if link, parent := linkOf(build(t, r, handle(x)), "no stock"); parent == nil || link.Score < 0.4 || link.Score > 0.5 {
			t.Errorf("%s: %+v", x.URL, link)
		}
	}
	// Of many it is not told at all: it would be a guess.
	many := []event.Event{lineOf(50, event.SeverityError, "no stock", "")}
	for range 20 {
		many = append(many, ofVisit(0, 100, "GET", "http://localhost/a", 200))
	}
	r = kept(t, many...)
	if link, parent := linkOf(build(t, r, handle(many[3])), "no stock"); parent != nil {
		t.Errorf("one of 20: %+v", link)
	}
}

// The query tells requests of one path apart, by whatever name a service tells it.
func TestQueriesTellRequestsApart(t *testing.T) {
	for name, attributes := range map[string]string{
		"url.query":         `{"http.request.method":"GET","url.path":"/api/item","url.query":"$"}`,
		"with a mark":       `{"http.request.method":"GET","url.path":"/api/item","url.query":"?$"}`,
		"url.full":          `{"http.request.method":"GET","url.full":"http://10.0.0.1:80/api/item?$"}`,
		"http.target":       `{"http.method":"GET","http.target":"/api/item?$","http.route":"/api/item"}`,
		"more than asked":   `{"http.request.method":"GET","url.path":"/api/item","url.query":"from=proxy&$"}`,
		"behind an address": `{"http.request.method":"GET","url.full":"http://api/v2/api/item?x=%20&$"}`,
	} {
		one, two := exchange(0, 100, "GET", "http://localhost/api/item?id=1", 200), exchange(1, 100, "GET", "http://localhost/api/item?id=2", 200)
		server := func(from float64, own int, query string) *event.Span {
			s := span("api", from, 80, "server", "GET /api/item", own, 7)
			s.Attributes = strings.ReplaceAll(attributes, "$", query)
			return s
		}
		for _, x := range []*event.Exchange{one, two} {
			x.TraceID, x.SpanID = trace, id(7)
		}
		f := build(t, kept(t, one, two, server(10, 12, "id=2"), server(11, 11, "id=1")), trace)
		for _, x := range []*event.Exchange{one, two} {
			n := f.Find(x.Seq)
			want := x.URL[len(x.URL)-4:]
			if n == nil || len(n.Children) != 1 || !strings.Contains(n.Children[0].Item.Event.(*event.Span).Attributes, want) ||
				n.Children[0].Link.Score != 0.95 {
				t.Errorf("%s: %s\n%s", name, want, tree(f))
			}
		}
	}
}

// A pair of several that would do is as sure as that.
func TestPairsOfSeveralAreLessSure(t *testing.T) {
	for name, query := range map[string]string{"none is told": "", "hidden": "id=REDACTED", "a pseudonym": "id=[token#1]"} {
		one, two := exchange(0, 100, "GET", "http://localhost/api/item?id=1", 200), exchange(1, 100, "GET", "http://localhost/api/item?id=2", 200)
		var all []event.Event
		for i, x := range []*event.Exchange{one, two} {
			x.TraceID, x.SpanID = trace, id(7)
			s := span("api", 10+float64(i), 80, "server", "GET /api/item", 11+i, 7)
			s.Attributes = `{"http.request.method":"GET","url.path":"/api/item","url.query":"` + query + `"}`
			all = append(all, x, s)
		}
		f := build(t, kept(t, all...), trace)
		for _, x := range []*event.Exchange{one, two} {
			if n := f.Find(x.Seq); n == nil || len(n.Children) != 1 || n.Children[0].Link.Score > 0.7 || n.Children[0].Link.Score < 0.4 {
				t.Errorf("%s:\n%s", name, tree(f))
			}
		}
	}
	// One alone is as sure as before.
	x := exchange(0, 100, "GET", "http://localhost/api/item?id=1", 200)
	x.TraceID, x.SpanID = trace, id(8)
	s := span("api", 10, 80, "server", "GET /api/item", 11, 7)
	s.Attributes = `{"http.request.method":"GET","url.path":"/api/item"}`
	if f := build(t, kept(t, x, s), trace); f.Find(s.Seq).Link.Score != 0.95 {
		t.Error(tree(f))
	}
}

// Lines that no id ties to a request are compared by their query, too.
func TestLinesNameTheQuery(t *testing.T) {
	for name, make := range map[string]func(ms float64, query string) *event.Log{
		"access line": func(ms float64, query string) *event.Log {
			l := lineOf(ms, 9, "GET /api/item?"+query+" 200", `{"http.request.method":"GET","url.path":"/api/item","url.query":"`+query+`"}`)
			l.RequestID = ""
			return l
		},
		"in words": func(ms float64, query string) *event.Log {
			l := lineOf(ms, 9, "took '/api/item?"+query+"'.", "")
			l.RequestID = ""
			return l
		},
	} {
		one, two := exchange(0, 100, "GET", "http://localhost/api/item?id=1", 200), exchange(2, 100, "GET", "http://localhost/api/item?id=2", 200)
		second, first := make(99, "id=2"), make(98, "id=1")
		r := kept(t, one, two, second, first)
		for x, l := range map[*event.Exchange]*event.Log{one: first, two: second} {
			f := build(t, r, handle(x))
			if n := f.Find(l.Seq); n == nil || n.Parent != f.Find(x.Seq) {
				t.Errorf("%s: %s:\n%s", name, x.URL, tree(f))
			}
		}
	}
}

// A line that names a path with an empty query says nothing of the query.
func TestALineOfAnEmptyQuery(t *testing.T) {
	for text, found := range map[string]bool{"took '/api/item?'.": true, "took /api/item? in 3 ms": true, "took /api/item?id=2 in 3 ms": false, "took /api/item": true, "took /api/items": false} {
		x, l := exchange(0, 100, "GET", "http://localhost/api/item?id=1", 200), lineOf(98, 9, text, "")
		l.RequestID = ""
		if f := build(t, kept(t, x, l), handle(x)); (f.Find(l.Seq) != nil) != found {
			t.Errorf("%q: %s", text, tree(f))
		}
	}
}
