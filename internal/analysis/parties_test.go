package analysis_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/event"
)

func partiesOf(own []string, events ...event.Event) *analysis.Parties {
	p := analysis.NewParties(own)
	for i, e := range events {
		handle := fmt.Sprint("h", i)
		switch e := e.(type) {
		case *event.Exchange:
			p.Exchange(e, handle)
		case *event.ResourceTiming:
			p.Resource(e, handle)
		case *event.Message:
			p.Socket(e, handle)
		}
	}
	return p
}

func timing(url, by string) *event.ResourceTiming {
	return &event.ResourceTiming{Head: event.Head{PageURL: "https://shop.example/"}, URL: url, InitiatorType: by, TransferSize: 10}
}

func TestRisksOfThirdParties(t *testing.T) {
	post := func(body string) func(*event.Exchange) {
		return func(e *event.Exchange) { e.Method, e.RequestBody, e.RequestHeaders = "POST", body, network }
	}
	bare := func(e *event.Exchange) { e.RequestHeaders = network }
	for name, c := range map[string]struct {
		of   event.Event
		want string
	}{
		"a picture":             {timing("https://o.example/a.png", "img"), "low only gives what the page shows static"},
		"a picture with fields": {timing("https://o.example/a.gif?id=1", "img"), "low gets fields in the addresses of pictures"},
		"a picture by http":     {timing("http://o.example/a.png", "img"), "medium what it gives comes unencrypted"},
		"a font":                {timing("https://o.example/a.woff2", "css"), "low only gives what the page shows static"},
		"something":             {timing("https://o.example/a", "other"), "low answers requests"},
		"a frame":               {timing("https://o.example/a", "iframe"), "low answers requests"},
		"a script":              {timing("https://o.example/a", "script"), "medium its scripts can do all that the page can"},
		"a script by http":      {timing("http://o.example/a.js", "link"), "high its scripts come unencrypted"},
		"a script with a sign":  {timing("https://o.example/100%", "script"), "medium its scripts can do all that the page can"},
		"a request":             {request("https://o.example/a", bare), "low answers requests"},
		"with cookies":          {request("https://o.example/a", nil), "medium gets cookies of its own"},
		"that sets one":         {request("https://o.example/a", bare, "set-cookie: a=1"), "medium sets cookies"},
		"that deletes one":      {request("https://o.example/a", bare, "set-cookie: a=1; Max-Age=0"), "low answers requests"},
		"with a body":           {request("https://o.example/a", post("a=1")), "medium gets bodies of requests"},
		"with a secret":         {request("https://o.example/a", post(`{"a":"<jwt#1>"}`)), "high gets secrets (jwt); gets bodies of requests"},
		"with authorization":    {request("https://o.example/a", func(e *event.Exchange) { bare(e); e.HasAuth = true }), "high gets secrets (authorization)"},
		"with an address":       {request("https://o.example/a?m=b%40c.example", bare), "medium gets personal data (email)"},
		"with a card":           {request("https://o.example/a?m=<card%231>", bare), "high gets numbers of cards or people"},
		"with its own key":      {request("https://o.example/a?key=<google_key%231>", bare), "low answers requests"},
		"a socket":              {&event.Message{Head: event.Head{PageURL: "https://shop.example/"}, URL: "wss://o.example/", Event: "open"}, "low answers requests"},
		"what is sent on it":    {&event.Message{Head: event.Head{PageURL: "https://shop.example/"}, URL: "wss://o.example/", Event: "message", Direction: "outgoing", Data: "<jwt#1>"}, "high gets secrets (jwt); gets bodies of requests"},
	} {
		list := partiesOf(nil, c.of).List()
		if len(list) != 1 {
			t.Errorf("%s: %d parties", name, len(list))
			continue
		}
		got := list[0].Risk + " " + strings.Join(list[0].Reasons, "; ")
		if list[0].Static {
			got += " static"
		}
		if got != c.want || list[0].Site != "o.example" || !slices.Equal(list[0].Evidence, []string{"h0"}) {
			t.Errorf("%s: %s %s %v, want %s", name, list[0].Site, got, list[0].Evidence, c.want)
		}
	}
}

func TestWhoIsNoThirdParty(t *testing.T) {
	framed := func(page, url string) *event.Exchange {
		e := request(url, nil)
		e.PageURL, e.Frame = page, 3
		return e
	}
	incoming := &event.Message{Head: event.Head{PageURL: "https://shop.example/"}, URL: "wss://o.example/", Event: "message", Direction: "incoming"}
	for name, c := range map[string]struct {
		own    []string
		events []event.Event
		want   string
	}{
		"the page's site":        {nil, []event.Event{request("https://shop.example/a", nil), request("http://www.shop.example:8080/a", nil)}, ""},
		"what the caller names":  {[]string{"https://o.example", "p.example"}, []event.Event{request("https://a.o.example/", nil), request("https://p.example/", nil), request("https://q.example/", nil)}, "q.example"},
		"no page":                {nil, []event.Event{request("https://o.example/", func(e *event.Exchange) { e.PageURL = "" })}, ""},
		"a frame's own requests": {nil, []event.Event{framed("https://pay.example/", "https://pay.example/a"), framed("https://pay.example/", "https://shop.example/b"), request("https://shop.example/a", nil)}, "pay.example"},
		"a timing of fetch":      {nil, []event.Event{timing("https://o.example/", "fetch"), timing("https://o.example/", "xmlhttprequest"), timing("https://o.example/", "beacon")}, ""},
		"what failed":            {nil, []event.Event{&event.ResourceTiming{Head: event.Head{PageURL: "https://shop.example/"}, URL: "https://o.example/", Status: 404}}, ""},
		"what comes in":          {nil, []event.Event{incoming}, ""},
		"another app here":       {nil, []event.Event{request("http://localhost:1/", func(e *event.Exchange) { e.PageURL = "http://app.localhost:2/" })}, ""},
		"two suffixes":           {nil, []event.Event{request("https://b.github.io/", func(e *event.Exchange) { e.PageURL = "https://a.github.io/" })}, "b.github.io"},
	} {
		var got []string
		for _, p := range partiesOf(c.own, c.events...).List() {
			got = append(got, p.Site)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

func TestWhatAThirdPartyGot(t *testing.T) {
	post := func(kind, body string) *event.Exchange {
		e := request("https://o.example/a?q=1", nil)
		e.Method, e.RequestBody, e.TransferSize, e.RequestHeaders = "POST", body, 100, headersOf("content-type: "+kind)
		return e
	}
	p := partiesOf(nil,
		post("application/json; charset=x", `{"a":{"b":[{"c" :1},"no\":"]},"bob@example.com":1,"`+strings.Repeat("x", 41)+`":1,"cut":"it i`),
		post("application/x-www-form-urlencoded", "d=1&e=2&q=x"),
		post("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nvalue: \"g\":\r\n"),
		post("text/plain", "some text = no field"),
		request("https://o.example/b?h=1", nil, "set-cookie: sid=<cookie#1>", "set-cookie: sid=<cookie#2>"),
		timing("https://o.example/a.css", "link"), timing("https://o.example/a.png", "img"), timing("https://o.example/a.mp4", "video"),
		timing("https://o.example/x.ttf", "css"),
	).List()[0]
	if got := strings.Join(p.Fields, " "); got != "q a b c cut d e f h" {
		t.Errorf("fields %s", got)
	}
	if got := fmt.Sprint(p.Methods, p.Types, p.Cookies, p.Requests, p.Bytes, p.Unsized); got != "[POST] [application/json application/x-www-form-urlencoded multipart/form-data text/plain] [sid] 9 440 1" {
		t.Error(got)
	}
	want := map[string]int{"requests": 5, "styles": 1, "images": 1, "media": 1, "fonts": 1}
	if !maps.Equal(p.Kinds, want) {
		t.Errorf("kinds %v", p.Kinds)
	}
	if !slices.Equal(p.Evidence, []string{"h0", "h1", "h2"}) || p.URLs[0] != "https://o.example/a" || len(p.URLs) != 6 {
		t.Errorf("%v %v", p.Evidence, p.URLs)
	}
}

func TestEvidenceBeginsWithWhatMakesTheRisk(t *testing.T) {
	p := partiesOf(nil, timing("https://o.example/1", "img"), timing("https://o.example/2", "img"), timing("https://o.example/3", "img"),
		timing("https://o.example/4?t=<jwt%231>", "img")).List()[0]
	if !slices.Equal(p.Evidence, []string{"h3", "h0", "h1"}) {
		t.Errorf("evidence %v", p.Evidence)
	}
}

func TestTheRiskiestPartyComesFirst(t *testing.T) {
	var got []string
	for _, p := range partiesOf(nil, timing("https://b.example/", "img"), timing("https://a.example/", "img"), timing("https://c.example/", "img"),
		timing("https://c.example/", "img"), timing("https://d.example/", "script")).List() {
		got = append(got, p.Site)
	}
	if strings.Join(got, " ") != "d.example c.example a.example b.example" {
		t.Error(got)
	}
}

func TestPartiesHaveBounds(t *testing.T) {
	p := analysis.NewParties(nil)
	for i := range 600 {
		p.Resource(timing(fmt.Sprintf("https://h%d.example/", i), "img"), "t1")
	}
	for i := range 30 {
		p.Resource(timing(fmt.Sprintf("https://s%d.h0.example/%d?f%d=1", i, i, i), "img"), "t1")
	}
	list := p.List()
	if len(list) != 500 || p.Dropped != 100 || p.Requests != 630 {
		t.Errorf("%d parties, %d dropped", len(list), p.Dropped)
	}
	if of := list[0]; len(of.Origins) != 10 || len(of.URLs) != 10 || len(of.Fields) != 20 || of.More != 10 {
		t.Errorf("%+v", of)
	}
}

func TestAllThatAThirdPartyGotIsTold(t *testing.T) {
	bare := func(change func(*event.Exchange), fields ...string) *event.Exchange {
		e := request("https://o.example/a", nil, fields...)
		e.RequestHeaders, e.Time = headersOf("user-agent: x"), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		change(e)
		return e
	}
	p := partiesOf(nil,
		bare(func(e *event.Exchange) { e.Method, e.RequestBody = "POST", `{"a":"<jwt#1>","m":"b@c.example"}` },
			"set-cookie: a=1", "set-cookie: b=1", "set-cookie: c=1; Expires=Wed, 31 Dec 2025 00:00:00 GMT"),
		bare(func(e *event.Exchange) { e.Method, e.RequestBody = "PUT", "<aws_key#1> +44 20 7946 0958" }),
		bare(func(e *event.Exchange) { e.RequestHeaders = headersOf("Authorization: Bearer <secret#1>") }),
		bare(func(e *event.Exchange) { e.Method, e.RequestSize = "PATCH", 5 }),
	).List()[0]
	if got := fmt.Sprint(p.Cookies, p.Methods, p.Secrets, p.Personal, p.Evidence); got != "[a b] [POST PUT PATCH] [jwt aws_key authorization] [email phone] [h0 h1 h2]" {
		t.Error(got)
	}
	picture := timing("https://o.example/1.png", "img")
	for i, e := range []event.Event{
		bare(func(e *event.Exchange) { e.HasAuth = true }), bare(func(e *event.Exchange) { e.URL += "?t=<jwt%231>" }),
		bare(func(e *event.Exchange) { e.RequestBody = "<jwt#1>" }),
		&event.Message{Head: event.Head{PageURL: "https://shop.example/"}, URL: "wss://o.example/?t=<jwt%231>", Event: "open"},
		&event.Message{Head: event.Head{PageURL: "https://shop.example/"}, URL: "wss://o.example/", Event: "message", Direction: "outgoing", Data: "<jwt#1>"},
	} {
		p := partiesOf(nil, picture, picture, picture, e).List()[0]
		if !slices.Equal(p.Evidence, []string{"h3", "h0", "h1"}) || p.Risk != "high" {
			t.Errorf("%d: %v %s", i, p.Evidence, p.Risk)
		}
	}
}

func TestPagesAreToldInOrder(t *testing.T) {
	own := func(site string) *event.Exchange {
		return request("https://"+site+"/", func(e *event.Exchange) { e.PageURL = "https://" + site + "/" })
	}
	p := partiesOf(nil, own("c.example"), own("a.example"), own("b.example"))
	if got := strings.Join(p.Pages(), " "); got != "a.example b.example c.example" {
		t.Error(got)
	}
	// b.example is a page of its own, and another's third party.
	framed := request("https://b.example/x", nil)
	framed.Frame = 3
	list := partiesOf(nil, own("b.example"), request("https://b.example/y", nil), framed).List()
	if len(list) != 1 || list[0].Site != "b.example" || list[0].Requests != 2 {
		t.Errorf("%+v", list)
	}
}

func TestBodiesAreReadToABound(t *testing.T) {
	e := request("https://o.example/a", nil)
	e.RequestBody = " \n{\"first\":1," + strings.Repeat(" ", 9000) + "\"last\":2}"
	if p := partiesOf(nil, e).List()[0]; strings.Join(p.Fields, " ") != "first" {
		t.Errorf("fields %v", p.Fields)
	}
	e.RequestBody = fmt.Sprintf(`{"%s":1,"%s":2}`, strings.Repeat("a", 40), strings.Repeat("b", 41))
	if p := partiesOf(nil, e).List()[0]; len(p.Fields) != 1 {
		t.Errorf("fields %v", p.Fields)
	}
	failed := timing("https://o.example/", "img")
	failed.Status = 400
	if n := len(partiesOf(nil, failed).List()); n != 0 {
		t.Errorf("%d parties", n)
	}
}

func TestWhoseAThirdPartyIs(t *testing.T) {
	for url, want := range map[string]string{
		"https://www.google-analytics.com/g":     "Google Analytics analytics",
		"https://stats.g.doubleclick.net/a":      "Google/Doubleclick Ads ad",
		"https://doubleclick.net./a":             "Google/Doubleclick Ads ad",
		"https://AJAX.googleapis.com/jquery.js":  "Google CDN cdn",
		"https://x.ajax.googleapis.com/j.js":     "",
		"https://notdoubleclick.net/a":           "",
		"https://o.example/a":                    "",
		"https://net/a":                          "",
		"https://fbcdn-photos-e-a.akamaihd.net/": "Facebook social",
	} {
		var got []string
		for _, s := range partiesOf(nil, request(url, nil)).List()[0].Services {
			got = append(got, s.Name+" "+s.For)
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s: %v, want %s", url, got, want)
		}
	}
	many := partiesOf(nil, request("https://adservice.google.com/", nil), request("https://apis.google.com/", nil), request("https://adservice.google.com:444/x", nil)).List()
	if len(many) != 1 || len(many[0].Services) != 2 {
		t.Errorf("%+v", many[0].Services)
	}
	if here := partiesOf(nil, request("http://127.0.0.1:1/", nil)).List(); !here[0].Here || many[0].Here {
		t.Error("which party is this machine")
	}
}

func TestWhatTheCallerLists(t *testing.T) {
	for name, c := range map[string]struct {
		blocked, allowed []string
		want             string
	}{
		"neither":           {[]string{"xo.example", "http://["}, []string{"a.b.o.example"}, " low"},
		"the site":          {[]string{"o.example"}, nil, "blocked high"},
		"the host":          {[]string{"https://b.o.example:444/x"}, nil, "blocked high"},
		"a star":            {[]string{"https://*.o.example"}, nil, "blocked high"},
		"known":             {nil, []string{"O.example"}, "allowed low"},
		"both, blocked":     {[]string{"b.o.example"}, []string{"o.example"}, "blocked high"},
		"another of a site": {[]string{"c.o.example"}, nil, "blocked high"},
	} {
		p := analysis.NewParties(nil)
		p.Lists(c.blocked, c.allowed)
		p.Resource(timing("https://b.o.example/a.png", "img"), "h0")
		p.Resource(timing("https://c.o.example/a.png", "img"), "h1")
		of := p.List()[0]
		if got := of.Listed + " " + of.Risk; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if of.Listed == "blocked" && (of.Static || of.Reasons[0] != "is on your list of blocked origins") {
			t.Errorf("%s: %v %v", name, of.Static, of.Reasons)
		}
	}
}
