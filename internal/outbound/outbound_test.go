package outbound_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/problem"
)

// names answers DNS from memory: of each name one list of addresses for each question, the last again and again.
type names struct {
	mu      sync.Mutex
	answers map[string][]string
	asked   int
}

func (n *names) resolver(t *testing.T) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			for n.serve(t, far) == nil {
			}
		}()
		return near, nil
	}}
}

func (n *names) serve(t *testing.T, c net.Conn) error {
	var size [2]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return err
	}
	question := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(c, question); err != nil {
		return err
	}
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		t.Error(err)
		return err
	}
	q := m.Questions[0]
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	n.mu.Lock()
	name := strings.TrimSuffix(q.Name.String(), ".")
	list := n.answers[name]
	if len(list) == 0 {
		m.RCode = dnsmessage.RCodeNameError
	} else if q.Type == dnsmessage.TypeA {
		n.asked++
		for _, a := range strings.Fields(list[0]) {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, Type: dnsmessage.TypeA},
				Body:   &dnsmessage.AResource{A: netip.MustParseAddr(a).As4()},
			})
		}
		if len(list) > 1 {
			n.answers[name] = list[1:]
		}
	}
	n.mu.Unlock()
	answer, err := m.Pack()
	if err != nil {
		t.Error(err)
		return err
	}
	_, err = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
	return err
}

// server answers paths; hits counts the requests.
func server(t *testing.T, handle http.HandlerFunc) (base string, hits *atomic.Int32) {
	hits = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, hits
}

func shown(origins ...string) func(string) bool {
	return func(o string) bool {
		for _, s := range origins {
			if s == o {
				return true
			}
		}
		return false
	}
}

func check(t *testing.T, c *outbound.Client, o outbound.Options, urls ...string) []outbound.Link {
	t.Helper()
	if c.Allowed == nil {
		c.Allowed = func() ([]string, error) { return nil, nil }
	}
	out, err := c.Check(t.Context(), urls, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatALinkCameTo(t *testing.T) {
	page := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	to := func(status int, where string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", where)
			w.WriteHeader(status)
		}
	}
	cut := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(status)
			if r.Method != "HEAD" {
				_, _ = io.WriteString(w, body)
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
		}
	}
	paths := map[string]http.HandlerFunc{
		"/ok": page(200, "<title>Prices</title><script src=app.js></script>"), "/gone": page(410, ""), "/500": page(500, ""), "/403": page(403, ""), "/999": page(999, ""),
		"/401": page(401, ""), "/204": page(204, ""), "/304": page(304, ""), "/503": page(503, ""), "/451": page(451, ""),
		"/soft": page(200, "<html><title>Shop</title><h1 class=x>Page Not Found</h1>"), "/text404": page(200, "<p>404 tables</p>"),
		"/room404": page(200, "<title>Room 4040</title>"),
		"/head500": func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "HEAD" {
				w.WriteHeader(500)
			}
		},
		"/headdrop": func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "HEAD" {
				panic(http.ErrAbortHandler)
			}
		},
		"/drop":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"/moved": to(301, "/ok?token=abc#x"), "/account": to(302, "/users/sign_in?next=1"), "/users/sign_in": page(200, ""),
		"/login": page(200, ""), "/loop": to(302, "/loop"), "/away": to(307, "https://elsewhere.example/a?b=c"),
		"/awaylogin": to(307, "https://elsewhere.example/oauth2/start"), "/nowhere": to(302, ""), "/softmoved": to(308, "/soft"), "/hop": to(302, "/moved"),
		"/secretlogin": to(302, "ftp://x.example/"), "/300": to(300, "/ok"), "/300n": to(300, ""), "/400l": to(400, "/ok"), "/200l": to(200, "/ok"),
		"/enc": to(302, "/x%2Fy"), "/png": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			if r.Method != "HEAD" {
				t.Error("a picture is loaded")
			}
		},
		"/guides/auth": to(308, "/guides/auth/"), "/guides/auth/": page(200, ""), "/moved/auth": to(302, "/login"),
		"/cookie": func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
			http.Redirect(w, r, "/cookie", http.StatusFound)
		},
		"/quoted": page(200, `<title>Shop</title><template><h1>Not found</h1></template><!-- <title>404</title> --><SCRIPT>t="<h1>Not found</h1>"</script
			><style><h1>404</h1></style><noscript><h1>Not found</h1></noscript><svg><title>404</title></svg><h1>Shop</h1>`),
		"/quotedlater": page(200, `<script>t="<h1>Not found</h1>"`), "/softlater": page(200, "<script></script><h1>Not found</h1>"),
		"/fortune": page(200, "<title>Fortune 500 - companies</title>"), "/500best": page(200, "<h1>500 best cars</h1>"), "/peugeot": page(200, "<title>Peugeot 404</title>"),
		"/soft1": page(200, "<title>Shop | 404</title>"), "/soft2": page(200, "<title>Server Error (500)</title>"), "/soft3": page(200, "<h1>404</h1>"),
		"/soft4": page(200, "<title>Error 403</title>"), "/soft5": page(200, "<title>404: This page could not be found.</title>"),
		"/50%off": page(200, ""), "/to50": to(302, "/50%off"), "/file": to(302, "file:///etc/passwd"), "/script": to(302, "javascript:alert(1)"), "/mail": to(302, "mailto:a@b.example"),
		"/credential": func(w http.ResponseWriter, r *http.Request) { to(302, "http://u:p@"+r.Host+"/ok")(w, r) },
		"/cut":        cut(200, ""), "/cut404": cut(404, ""), "/cutlater": cut(200, "<title>a</title>"), "/cut300": cut(300, ""),
	}
	base, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		if handle := paths[r.URL.Path]; handle != nil {
			handle(w, r)
			return
		}
		http.NotFound(w, r)
	})
	whys := map[string]string{
		"/away": "it was not followed: https://elsewhere.example is not allowed", "/400l": "", "/300n": "it leads nowhere", "/loop": "it redirects again and again",
		"/account": "it leads to a login", "/soft": `it is answered well, and the page says "Page Not Found"`, "/drop": "no answer came",
		"/cookie": "it redirects again and again without its cookies, which a browser sends", "/credential": "it was not followed: it has a credential",
		"/secretlogin": "it was not followed: it is no http or https URL", "/file": "browsers do not follow a redirect to file:",
		"/403": "a server may answer programs so and give browsers the page", "/cut": "no answer came",
	}
	for path, want := range map[string]string{
		"/ok": "ok 200", "/missing": "broken 404", "/gone": "broken 410", "/500": "broken 500", "/403": "unsure 403", "/999": "unsure 999",
		"/401": "requires_auth 401", "/204": "ok 204", "/304": "broken 304", "/503": "unsure 503", "/451": "unsure 451", "/soft": "suspicious 200",
		"/text404": "ok 200", "/room404": "ok 200", "/head500": "ok 200", "/headdrop": "ok 200", "/drop": "broken 0", "/moved": "redirect 200 /ok?…",
		"/account": "requires_auth 200 /users/sign_in?…", "/login": "ok 200", "/loop": "broken 302 /loop", "/away": "redirect 307 https://elsewhere.example/a?…",
		"/awaylogin": "requires_auth 307 https://elsewhere.example/oauth2/start", "/nowhere": "broken 302", "/softmoved": "suspicious 200 /soft",
		"/guides/auth": "redirect 200 /guides/auth/", "/moved/auth": "requires_auth 200 /login", "/cookie": "unsure 302 /cookie", "/quoted": "ok 200",
		"/quotedlater": "ok 200", "/softlater": "suspicious 200", "/fortune": "ok 200", "/500best": "ok 200", "/peugeot": "ok 200",
		"/soft1": "suspicious 200", "/soft2": "suspicious 200", "/soft3": "suspicious 200", "/soft4": "suspicious 200", "/soft5": "suspicious 200",
		"/50%off": "ok 200", "/to50": "redirect 200 /50%25off", "/file": "broken 302 file:///etc/passwd", "/script": "broken 302 javascript:", "/mail": "redirect 302 mailto:", "/credential": "redirect 302 /ok",
		"/300": "redirect 200 /ok", "/300n": "broken 300", "/400l": "broken 400", "/200l": "ok 200", "/enc": "broken 404 /x%2Fy", "/png": "ok 200",
		"/cut": "broken 0", "/cut404": "broken 404", "/cutlater": "ok 200", "/cut300": "broken 300", "/hop": "redirect 200 /ok?…", "/secretlogin": "redirect 302 ftp://x.example/", "/ok#part": "ok 200",
	} {
		l := check(t, &outbound.Client{}, outbound.Options{Shown: shown(base)}, base+path)[0]
		got := strings.TrimSpace(fmt.Sprintf("%s %d %s", l.Verdict, l.Status, strings.TrimPrefix(l.Redirect, base)))
		if why := whys[path]; got != want || l.URL != base+path || l.Time <= 0 || why != "" && l.Why != why || l.Verdict == outbound.OK && l.Why != "" {
			t.Errorf("%s came to %q, want %q (%s)", path, got, want, l.Why)
		}
	}
}

func TestThePlaceInAPageIsLookedFor(t *testing.T) {
	words := strings.Repeat("word ", 30)
	pages := map[string]string{
		"/doc":    `<h2 id="one">` + words + `<a name='two'></a><h3 class=x ID=three>x</h3><p id="é t">` + words + `<p data-id="six"><p id="a&amp;b">` + words,
		"/built":  `<head><title>` + words + `</title></head><div id=root></div><script>` + words + `</script><!-- ` + words + `-->`,
		"/long":   words + strings.Repeat("x", 70_000) + `<p id=end>`,
		"/broken": `<title>Not found</title>` + words,
		"/named":  words + `<p id="caf&eacute;"><p id='it&quot;s'><p id=a&#x20;b><p id="user-content-install">`,
		"/plain":  `<h1 id=one>One</h1>`,
		"/latin":  words + "<p id=\"caf\xe9\">", "/half": words,
	}
	var hits atomic.Int32
	base, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.Method == http.MethodGet {
			hits.Add(1)
		}
		if r.URL.Path == "/to" {
			http.Redirect(w, r, "/doc", http.StatusFound)
		}
		if to, ok := strings.CutPrefix(r.URL.Path, "/to/"); ok {
			w.Header().Set("Location", "/doc#"+to)
			w.WriteHeader(http.StatusFound)
		}
		if r.URL.Path == "/half" && r.Method == http.MethodGet {
			w.Header().Set("Content-Length", "50000")
			_, _ = io.WriteString(w, words)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, pages[r.URL.Path])
	})
	want := map[string]outbound.Verdict{
		"/doc#one": "ok", "/doc#two": "ok", "/doc#three": "ok", "/doc#%C3%A9%20t": "ok", "/doc#four": "suspicious", "/doc#One": "suspicious",
		"/doc#six": "suspicious", "/doc#ne": "suspicious", "/doc#top": "ok", "/doc#": "ok", "/doc#/route": "ok", "/doc#!route": "ok", "/doc#a=b": "ok",
		"/doc#:~:text=word": "ok", "/doc": "ok", "/built#x": "ok", "/long#end": "ok", "/broken#x": "suspicious",
		"/doc#o.e": "suspicious", "/doc#a%26b": "ok",
		"/to#one": "redirect", "/to#five": "suspicious", "/missing#x": "ok",
		"/to/one#five": "redirect", "/to/five#one": "suspicious", "/to/five": "suspicious", "/named#caf%C3%A9": "ok", "/named#it%22s": "ok",
		"/named#a%20b": "ok", "/named#install": "ok", "/named#nstall": "suspicious", "/latin#caf%C3%A9": "ok", "/latin#cafe": "suspicious", "/half#x": "ok",
		"/plain#one": "ok", "/plain#two": "suspicious",
	}
	var urls []string
	for u := range want {
		urls = append(urls, base+u)
	}
	links := check(t, &outbound.Client{}, outbound.Options{Shown: shown(base)}, urls...)
	for i, l := range links {
		path := strings.TrimPrefix(l.URL, base)
		if l.URL != urls[i] || l.Verdict != want[path] {
			t.Errorf("%s came to %s (%s), want %s", path, l.Verdict, l.Why, want[path])
		}
		if path == "/doc#four" && l.Why != `its page has no element called "four"; a script may make it` {
			t.Error(l.Why)
		}
		if lacks := strings.Contains(l.Why, "no element called"); lacks != (l.Verdict == "suspicious" && path != "/broken#x") {
			t.Errorf("%s: %s", path, l.Why)
		}
	}
	// Places of one page are one request.
	if n := hits.Load(); n != 12 {
		t.Errorf("%d pages were loaded, want 12", n)
	}
}

func TestWhatABrowserAskedForIsJudged(t *testing.T) {
	const base = "http://app.example"
	for _, c := range []struct {
		status    int
		redirects bool
		page      string
		want      string
	}{
		{200, false, "<title>Orders</title>", "ok"},
		{200, false, "<title>Page not found</title>", "suspicious"},
		{0, true, "", "unsure"},
		{403, false, "", "requires_auth"},
		{401, false, "", "requires_auth"},
		{404, false, "", "broken"},
		{429, false, "", "unsure"},
		{503, false, "", "unsure"},
	} {
		l := outbound.Judge(base+"/a", c.status, c.redirects, c.page)
		got := strings.TrimSpace(fmt.Sprintf("%s %s", l.Verdict, l.Redirect))
		if got != c.want || l.URL != base+"/a" || l.Status != c.status || (l.Why == "the user may not see it") != (c.status == 403) {
			t.Errorf("%d %v came to %q (%s), want %q", c.status, c.redirects, got, l.Why, c.want)
		}
	}
}

func TestOnlyOriginsThatTheUserAllowedAreAsked(t *testing.T) {
	base, hits := server(t, func(http.ResponseWriter, *http.Request) {})
	port := base[strings.LastIndexByte(base, ':'):]
	for raw, want := range map[string]outbound.Verdict{
		base + "/": outbound.NotAllowed, "http://localhost" + port + "/": outbound.NotAllowed, "http://127.1" + port: outbound.NotAllowed,
		"http://2130706433" + port: outbound.NotAllowed, "http://0.0.0.0" + port: outbound.NotAllowed, "http://[::]" + port: outbound.NotAllowed,
		"http://[::ffff:127.0.0.1]" + port: outbound.NotAllowed, "http://169.254.169.254/latest": outbound.NotAllowed,
		"https://example.com/": outbound.NotAllowed, "file:///etc/passwd": outbound.Broken, "gopher://127.0.0.1/": outbound.Broken,
		"//x": outbound.Broken, "http://": outbound.Broken, "http://a:b@127.0.0.1" + port: outbound.Refused, "http://%zz": outbound.Broken, "": outbound.Broken,
	} {
		if l := check(t, &outbound.Client{}, outbound.Options{}, raw)[0]; l.Verdict != want {
			t.Errorf("%q came to %s, want %s: %s", raw, l.Verdict, want, l.Why)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Fatalf("%d requests were made", n)
	}
	list := func(entries ...string) *outbound.Client {
		return &outbound.Client{Allowed: func() ([]string, error) { return entries, nil }}
	}
	for entry, want := range map[string]outbound.Verdict{
		base: outbound.OK, base + "/": outbound.OK, "127.0.0.1" + port: outbound.OK, "HTTP://127.0.0.1" + port: outbound.OK,
		"127.0.0.1": outbound.NotAllowed, "https://127.0.0.1" + port: outbound.NotAllowed, "localhost" + port: outbound.NotAllowed,
	} {
		if l := check(t, list(entry), outbound.Options{}, base)[0]; l.Verdict != want {
			t.Errorf("with %q in the list it came to %s, want %s: %s", entry, l.Verdict, want, l.Why)
		}
	}
	for _, entry := range []string{"", "*", "*.com", "https://*", "a.example/path", "ftp://a.example", "https://a.example?x", "https://u:p@a.example", "a.*.example", "https://"} {
		_, err := list(entry).Check(t.Context(), []string{base}, outbound.Options{})
		if p := problem.From(err); p == nil || p.Code != problem.InvalidParam || !strings.Contains(p.Message, fmt.Sprintf("%q is no origin", entry)) {
			t.Errorf("the entry %q: %v", entry, err)
		}
	}
	broken := errors.New("the settings are broken")
	if _, err := (&outbound.Client{Allowed: func() ([]string, error) { return nil, broken }}).Check(t.Context(), nil, outbound.Options{}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestAStarStandsForWhatIsBelow(t *testing.T) {
	n := &names{answers: map[string][]string{}}
	c := &outbound.Client{Resolver: n.resolver(t), Allowed: func() ([]string, error) { return []string{"https://*.shop.example", "b.example"}, nil }}
	for raw, want := range map[string]outbound.Verdict{ // DNS has none of the names
		"https://a.shop.example/": outbound.Broken, "https://a.b.shop.example./": outbound.Broken, "https://shop.example/": outbound.NotAllowed,
		"https://xshop.example/": outbound.NotAllowed, "http://a.shop.example/": outbound.NotAllowed, "https://a.shop.example:444/": outbound.NotAllowed,
		"http://b.example/": outbound.Broken, "https://B.example:443/": outbound.Broken, "http://b.example:8080/": outbound.NotAllowed,
	} {
		if l := check(t, c, outbound.Options{}, raw)[0]; l.Verdict != want {
			t.Errorf("%s came to %s, want %s: %s", raw, l.Verdict, want, l.Why)
		}
	}
}

// The address is checked when it is dialled, so that neither DNS nor a redirect leads to what is behind the door.
func TestNoNameLeadsToAddressesOfThisMachineOrItsNetworks(t *testing.T) {
	base, hits := server(t, func(http.ResponseWriter, *http.Request) {})
	port := base[strings.LastIndexByte(base, ':'):]
	for _, address := range []string{"127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1",
		"255.255.255.255", "10.0.0.1 127.0.0.1"} {
		n := &names{answers: map[string][]string{"docs.example": {address}}}
		c := &outbound.Client{Resolver: n.resolver(t), Allowed: func() ([]string, error) { return []string{"http://docs.example" + port}, nil }}
		if l := check(t, c, outbound.Options{}, "http://docs.example"+port)[0]; l.Verdict != outbound.Refused || n.asked == 0 {
			t.Errorf("%s came to %s after %d questions: %s", address, l.Verdict, n.asked, l.Why)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests came through", n)
	}
}

// A name whose second answer is another address: what was right for the first request is looked at again for the second.
func TestASecondAnswerOfDNSIsCheckedAsTheFirst(t *testing.T) {
	var methods []string
	base, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		methods = append(methods, r.Method)
		w.Header().Set("Connection", "close")
		w.Header().Set("Content-Type", "text/html")
	})
	port := base[strings.LastIndexByte(base, ':'):]
	at := "http://app.example" + port
	n := &names{answers: map[string][]string{"app.example": {"127.0.0.1", "169.254.169.254"}}}
	c := &outbound.Client{Resolver: n.resolver(t), Allowed: func() ([]string, error) { return []string{at}, nil }}
	l := check(t, c, outbound.Options{Shown: shown(at)}, at)[0]
	if l.Verdict != outbound.Refused || len(methods) != 1 || methods[0] != "HEAD" {
		t.Errorf("it came to %s after %v: %s", l.Verdict, methods, l.Why)
	}
}

func TestNoRedirectLeadsToWhatIsNotAllowed(t *testing.T) {
	hidden, hits := server(t, func(http.ResponseWriter, *http.Request) {})
	port := hidden[strings.LastIndexByte(hidden, ':'):]
	base, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		where, _ := url.QueryUnescape(r.URL.RawQuery)
		w.Header().Set("Location", where)
		w.WriteHeader(http.StatusFound)
	})
	n := &names{answers: map[string][]string{"docs.example": {"127.0.0.1"}}}
	c := &outbound.Client{Resolver: n.resolver(t), Allowed: func() ([]string, error) { return []string{"http://docs.example" + port}, nil }}
	for where, want := range map[string]outbound.Verdict{
		hidden: outbound.Redirected, "//127.0.0.1" + port: outbound.Redirected, "http://[::ffff:7f00:1]" + port: outbound.Redirected,
		"http://169.254.169.254/latest/meta-data": outbound.Redirected, "http://docs.example" + port: outbound.Refused,
		"file:///etc/passwd": outbound.Broken, "http://u:p@127.0.0.1" + port: outbound.Redirected,
	} {
		if l := check(t, c, outbound.Options{Shown: shown(base)}, base+"/?"+url.QueryEscape(where))[0]; l.Verdict != want || l.Redirect == "" {
			t.Errorf("%s came to %s, want %s: %s", where, l.Verdict, want, l.Why)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests came through", n)
	}
	if l := check(t, c, outbound.Options{Shown: shown(base, hidden)}, base+"/?"+url.QueryEscape(hidden))[0]; l.Verdict != outbound.Redirected || l.Status != 200 || hits.Load() == 0 {
		t.Errorf("what is allowed is not followed: %+v", l)
	}
}

func TestWhichAddressesMayBeConnectedTo(t *testing.T) {
	const public, private, loopback = 1, 2, 4
	for address, may := range map[string]int{
		"93.184.216.34": public, "2606:2800:220:1::1": public, "8.8.8.8": public, "172.15.0.1": public, "172.32.0.1": public, "100.128.0.1": public,
		"::ffff:8.8.8.8": public, "64:ff9b::808:808": public, "2002:808:808::1": public,
		"10.1.2.3": private, "172.16.0.1": private, "192.168.0.1": private, "100.64.0.1": private, "198.18.0.1": private, "fd00:ec2::254": private,
		"::ffff:10.0.0.1": private, "64:ff9b::a00:1": private, "2002:a00:1::1": private,
		"127.0.0.1": loopback, "127.255.255.254": loopback, "::1": loopback, "::ffff:127.0.0.1": loopback, "64:ff9b::7f00:1": loopback,
		"0.0.0.0": 0, "0.1.2.3": 0, "::": 0, "::ffff:0.0.0.0": 0, "169.254.169.254": 0, "::ffff:169.254.169.254": 0, "fe80::1": 0, "fe80::1%eth0": 0, "fec0::1": 0,
		"224.0.0.1": 0, "239.1.1.1": 0, "240.0.0.1": 0, "255.255.255.255": 0, "ff02::1": 0, "192.0.0.8": 0, "192.0.2.1": 0, "2001:db8::1": 0, "2001::1": 0,
		"100::1": 0, "64:ff9b::a9fe:a9fe": 0, "2002:a9fe:a9fe::1": 0,
	} {
		for one := public; one <= loopback; one *= 2 {
			why := outbound.Refuses(one&public > 0, one&private > 0, one&loopback > 0, netip.MustParseAddr(address))
			if (why == "") != (may == one) {
				t.Errorf("%s with reach %d: %q", address, one, why)
			}
		}
	}
	if outbound.Refuses(true, true, true, netip.Addr{}) == "" {
		t.Error("no address is connected to")
	}
}

func TestManyLinksAtOnceAndAFewOfAHost(t *testing.T) {
	var now, most atomic.Int32
	together := make(chan struct{})
	base, hits := server(t, func(w http.ResponseWriter, r *http.Request) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		if r.URL.Path == "/0" || r.URL.Path == "/1" { // each waits for the other
			select {
			case together <- struct{}{}:
			case <-together:
			}
		}
		now.Add(-1)
		w.Header().Set("Content-Type", "text/css")
	})
	var urls []string
	for i := range 40 {
		urls = append(urls, fmt.Sprintf("%s/%d", base, i))
	}
	var told []int
	out := check(t, &outbound.Client{Start: func(f func()) { go f() }}, outbound.Options{Workers: 20, Shown: shown(base), Progress: func(done, of int) {
		told = append(told, done)
		if of != 40 {
			t.Errorf("of %d", of)
		}
	}}, urls...)
	for i, l := range out {
		if l.Verdict != outbound.OK || l.URL != urls[i] {
			t.Errorf("%s came to %s: %s", urls[i], l.Verdict, l.Why)
		}
	}
	if most.Load() != 2 || hits.Load() != 40 || len(told) != 40 || told[39] != 40 {
		t.Errorf("%d at once, %d requests, told %v", most.Load(), hits.Load(), told)
	}
}

func TestAServerThatAsksForFewerRequestsGetsNoMore(t *testing.T) {
	base, hits := server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) })
	out := check(t, &outbound.Client{}, outbound.Options{Shown: shown(base)}, base+"/1", base+"/2", base+"/3")
	for _, l := range out {
		if l.Verdict != outbound.Unsure {
			t.Errorf("it came to %s", l.Verdict)
		}
	}
	if hits.Load() != 1 {
		t.Errorf("%d requests", hits.Load())
	}
}

func TestACallThatEndsLeavesTheRestUnchecked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	base, hits := server(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	c := &outbound.Client{Allowed: func() ([]string, error) { return nil, nil }}
	out, err := c.Check(ctx, []string{base + "/1", base + "/2", base + "/3"}, outbound.Options{Shown: shown(base)})
	if err != nil || hits.Load() != 1 {
		t.Fatalf("%v, %d requests", err, hits.Load())
	}
	for _, l := range out {
		if l.Verdict != outbound.Unchecked || l.Why == "" {
			t.Errorf("%+v", l)
		}
	}
	if out[0].Why != "the call was cancelled" {
		t.Errorf("%+v", out[0])
	}
}

func TestWhatDoesNotAnswerInTimeIsTold(t *testing.T) {
	base, _ := server(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c := &outbound.Client{Allowed: func() ([]string, error) { return nil, nil }}
	out, err := c.Check(ctx, []string{base}, outbound.Options{Shown: shown(base)})
	if err != nil || out[0].Verdict != outbound.TimedOut {
		t.Errorf("%v %+v", err, out)
	}
}

// Of a page without end its beginning is read.
func TestBodiesHaveABound(t *testing.T) {
	base, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.Method == http.MethodHead {
			return
		}
		for {
			if _, err := w.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	})
	if l := check(t, &outbound.Client{}, outbound.Options{Shown: shown(base)}, base)[0]; l.Verdict != outbound.OK {
		t.Errorf("%+v", l)
	}
}

func TestNothingOfTheUsersIsSent(t *testing.T) {
	base, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		w.Header().Set("Content-Type", "text/html")
		if len(r.Cookies()) > 0 || r.Header.Get("Authorization") != "" || r.Header.Get("Referer") != "" || r.UserAgent() != "Gasoline/1" || !strings.HasPrefix(r.Header.Get("Accept"), "text/html") {
			t.Errorf("headers %v", r.Header)
		}
	})
	check(t, &outbound.Client{Agent: "Gasoline/1"}, outbound.Options{Shown: shown(base)}, base+"/1", base+"/2")
}

func TestNamesOfThisMachineNeedNoDNS(t *testing.T) {
	base, _ := server(t, func(http.ResponseWriter, *http.Request) {})
	at := "http://app.localhost" + base[strings.LastIndexByte(base, ':'):]
	n := &names{answers: map[string][]string{"app.localhost": {"93.184.216.34"}}}
	if l := check(t, &outbound.Client{Resolver: n.resolver(t)}, outbound.Options{Shown: shown(at)}, at)[0]; l.Verdict != outbound.OK {
		t.Errorf("%+v", l)
	}
}

func TestWhyThereIsNoAnswerIsTold(t *testing.T) {
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tls.Close)
	plain, _ := server(t, func(http.ResponseWriter, *http.Request) {})
	closed, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := "http://" + closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	sealed := strings.Replace(plain, "http:", "https:", 1)
	for raw, want := range map[string]string{
		tls.URL: "unsure: its certificate is not trusted here", gone: "broken: nobody listens there", sealed: "broken: it does not speak TLS",
	} {
		if l := check(t, &outbound.Client{}, outbound.Options{Shown: shown(raw)}, raw)[0]; string(l.Verdict)+": "+l.Why != want {
			t.Errorf("%s: %s, want %s", l.Verdict, l.Why, want)
		}
	}
}

func TestHowFarAnOriginReaches(t *testing.T) {
	for _, c := range []struct {
		list  string
		shown bool
		url   string
		want  string
	}{
		{"docs.example", false, "https://docs.example/", "public"},
		{"docs.example", true, "https://docs.example/", "public private loopback"},
		{"10.1.2.3:8080", false, "http://10.1.2.3:8080/", "public private"},
		{"[fd00::1]", false, "https://[fd00::1]/", "public private"},
		{"other.example", true, "https://docs.example/", "refused"},
		{"other.example", true, "http://localhost:3000/", "loopback"},
		{"other.example", true, "http://[::1]:3000/", "loopback"},
		{"other.example", false, "http://localhost:3000/", "refused"},
		{"localhost:3000", false, "http://LOCALHOST.:3000/", "loopback"},
		{"other.example", true, "http://localhost.example:3000/", "refused"},
	} {
		public, private, loopback, ok := outbound.Reach([]string{c.list}, c.shown, c.url)
		got := ""
		for word, is := range map[string]bool{"public": public, "private": private, "loopback": loopback} {
			if is && ok {
				got += word
			}
		}
		for _, word := range strings.Fields(c.want) {
			if !ok && word == "refused" {
				continue
			}
			if !strings.Contains(got, word) {
				t.Errorf("%+v reaches %q", c, got)
			}
			got = strings.Replace(got, word, "", 1)
		}
		if got != "" {
			t.Errorf("%+v reaches %q, too", c, got)
		}
	}
}

// An origin is written as browsers write it: by that pages are compared.
func TestOriginsAreWrittenAsBrowsersDo(t *testing.T) {
	var asked []string
	ask := func(o string) bool { asked = append(asked, o); return false }
	check(t, &outbound.Client{}, outbound.Options{Shown: ask}, "HTTP://LocalHost:80/a", "https://localhost:443", "http://localhost:443", "https://localhost:80",
		"http://[::1]:3000/", "https://[::1]/")
	if got := strings.Join(asked, " "); got != "http://localhost https://localhost:80 https://localhost http://localhost:443 http://[::1]:3000 https://[::1]" {
		t.Error(got)
	}
}

func TestLinksOfAHostAreInTwoLanes(t *testing.T) {
	got := fmt.Sprint(outbound.LanesOf([]string{"http://a/1", "http://b/1", "http://A/2", "http://a/3", "%zz", "http://a/4", "%zz"}))
	if got != "[[0 3] [2 5] [1] [4] [6]]" {
		t.Error(got)
	}
	if outbound.LanesOf(nil) != nil {
		t.Error("no links have lanes")
	}
}
