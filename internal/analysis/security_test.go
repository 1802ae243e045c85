package analysis_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/event"
)

func headersOf(lines ...string) (out []event.Header) {
	for _, l := range lines {
		name, value, _ := strings.Cut(l, ": ")
		out = append(out, event.Header{Name: name, Value: value})
	}
	return out
}

var network = headersOf("user-agent: Mozilla/5.0")

// document is a document with these headers beside those that leave nothing to find.
func document(url string, fields ...string) *event.Exchange {
	e := &event.Exchange{
		Head: event.Head{PageURL: url, Time: time.Unix(1_772_000_000, 0)}, URL: url, Method: "GET", Status: 200, ContentType: "text/html; charset=utf-8",
		Initiator: event.Initiator{Type: "navigation"}, RequestHeaders: network,
		ResponseHeaders: headersOf("Content-Security-Policy: script-src 'self'; frame-ancestors 'self'", "Strict-Transport-Security: max-age=31536000",
			"X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer", "Permissions-Policy: camera=()"),
	}
	for _, h := range headersOf(fields...) {
		e.ResponseHeaders = slices.DeleteFunc(e.ResponseHeaders, func(old event.Header) bool {
			return strings.EqualFold(old.Name, h.Name) && h.Name != "set-cookie"
		})
		if h.Value != "-" {
			e.ResponseHeaders = append(e.ResponseHeaders, h)
		}
	}
	return e
}

// request is a call of a page of https://shop.example, as the network stack saw it.
func request(url string, change func(*event.Exchange), fields ...string) *event.Exchange {
	e := &event.Exchange{
		Head: event.Head{PageURL: "https://shop.example/"}, URL: url, Method: "GET", Status: 200, ContentType: "application/json",
		Initiator: event.Initiator{Type: "fetch"}, RequestHeaders: headersOf("user-agent: x", "cookie: a=<cookie#1>"),
		ResponseHeaders: append(headersOf("X-Content-Type-Options: nosniff"), headersOf(fields...)...),
	}
	if change != nil {
		change(e)
	}
	return e
}

func rulesOf(checks []string, events ...event.Event) string {
	s := analysis.NewSecurity(checks)
	for i, e := range events {
		handle := fmt.Sprint("h", i)
		switch e := e.(type) {
		case *event.Exchange:
			s.Exchange(e, handle)
		case *event.ResourceTiming:
			s.Resource(e, handle)
		case *event.Message:
			s.Socket(e, handle)
		case *event.Log:
			s.Line(e, handle)
		case *event.Exception:
			s.Exception(e, handle)
		}
	}
	var out []string
	for _, f := range s.Findings() {
		out = append(out, f.Rule.ID+" "+f.Place)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func csp(policy string) *event.Exchange {
	return document("https://shop.example/", "Content-Security-Policy: frame-ancestors 'self';"+policy)
}

func TestRulesOfDocuments(t *testing.T) {
	const at = " https://shop.example"
	for name, c := range map[string]struct {
		of   *event.Exchange
		want string
	}{
		"nothing": {document("https://shop.example/"), ""},
		"an error page": {func() *event.Exchange {
			e := document("https://shop.example/", "Content-Security-Policy: -")
			e.Status = 404
			return e
		}(), ""},
		"no headers seen": {func() *event.Exchange { e := document("https://shop.example/"); e.ResponseHeaders = nil; return e }(), ""},
		"not by the network": {func() *event.Exchange {
			e := document("https://shop.example/", "Referrer-Policy: -")
			e.RequestHeaders, e.PageURL = nil, "https://other.example/"
			return e
		}(), ""},
		"a picture": {func() *event.Exchange {
			e := document("https://shop.example/", "Referrer-Policy: -")
			e.ContentType = "image/png"
			return e
		}(), ""},
		"no hsts":                {document("https://shop.example/", "Strict-Transport-Security: -"), "hsts-missing" + at},
		"hsts switched off":      {document("https://shop.example/", "Strict-Transport-Security: max-age=0"), "hsts-missing" + at},
		"hsts without age":       {document("https://shop.example/", "Strict-Transport-Security: includeSubDomains"), "hsts-missing" + at},
		"hsts of an hour":        {document("https://shop.example/", `Strict-Transport-Security: preload; Max-Age="3600"`), "hsts-weak" + at},
		"hsts of half a year":    {document("https://shop.example/", "Strict-Transport-Security: max-age=15552000"), ""},
		"no hsts here":           {document("https://localhost:3000/", "Strict-Transport-Security: -"), ""},
		"no hsts of an address":  {document("https://192.0.2.7/", "Strict-Transport-Security: -"), ""},
		"no nosniff":             {document("https://shop.example/", "X-Content-Type-Options: nosnif"), "nosniff-missing" + at},
		"nosniff twice":          {document("https://shop.example/", "X-Content-Type-Options: NoSniff, nosniff"), ""},
		"no policy":              {document("https://shop.example/", "Content-Security-Policy: -"), "csp-missing" + at + "\nframes-missing" + at},
		"an empty policy":        {document("https://shop.example/", "Content-Security-Policy:  ; ,", "X-Frame-Options: DENY"), "csp-missing" + at},
		"reports only":           {document("https://shop.example/", "Content-Security-Policy: -", "Content-Security-Policy-Report-Only: script-src 'none'", "X-Frame-Options: SAMEORIGIN"), "csp-report-only" + at},
		"allow-from":             {document("https://shop.example/", "Content-Security-Policy: script-src 'self'", "X-Frame-Options: ALLOW-FROM https://a.example"), "frames-missing" + at},
		"two frame options":      {document("https://shop.example/", "Content-Security-Policy: script-src 'self'", "X-Frame-Options: SAMEORIGIN, ALLOWALL"), "frames-missing" + at},
		"frames of everybody":    {document("https://shop.example/", "Content-Security-Policy: script-src 'self'; frame-ancestors *"), "frames-missing" + at},
		"frames of every server": {document("https://shop.example/", "Content-Security-Policy: script-src 'self'; frame-ancestors 'self' HTTPS:"), "frames-missing" + at},
		"frames of every name":   {document("https://shop.example/", "Content-Security-Policy: script-src 'self'; frame-ancestors https://*:*"), "frames-missing" + at},
		"frames of one site":     {document("https://shop.example/", "Content-Security-Policy: script-src 'self'; frame-ancestors https://*.example.org"), ""},
		"frame options beside": {
			document("https://shop.example/", "Content-Security-Policy: script-src 'self'; frame-ancestors *", "X-Frame-Options: DENY"), "frames-missing" + at,
		},
		"two policies of frames": {
			document("https://shop.example/", "Content-Security-Policy: script-src 'self'; frame-ancestors *, frame-ancestors 'none'"), "",
		},
		"scripts of every port":     {csp("script-src https://*:443"), "csp-any-script" + at},
		"referrer of whole":         {document("https://shop.example/", "Referrer-Policy: no-referrer, unsafe-url, new-word"), "referrer-unsafe" + at},
		"referrer of unknown words": {document("https://shop.example/", "Referrer-Policy: new-word"), "referrer-missing" + at},
		"no permissions":            {document("https://shop.example/", "Permissions-Policy: -"), "permissions-missing" + at},

		"nothing of scripts": {csp("img-src 'self'"), "csp-no-scripts" + at},
		"default":            {csp("default-src 'self'"), ""},
		"inline":             {csp("script-src 'self' 'unsafe-inline'"), "csp-unsafe-inline" + at},
		"inline, upper case": {csp("SCRIPT-SRC 'UNSAFE-INLINE'"), "csp-unsafe-inline" + at},
		"inline by default":  {csp("default-src 'unsafe-inline'"), "csp-unsafe-inline" + at},
		"inline elements":    {csp("script-src 'none'; script-src-elem 'unsafe-inline'"), "csp-unsafe-inline" + at},
		"the first counts":   {csp("script-src 'self'; script-src 'unsafe-inline'"), ""},
		"one policy keeps it out": {
			csp("script-src 'unsafe-inline' *, script-src 'self'"), "",
		},
		"beside a nonce":      {csp("base-uri 'none'; script-src 'unsafe-inline' 'nonce-abc'"), ""},
		"beside strict":       {csp("base-uri 'none'; script-src 'unsafe-inline' 'strict-dynamic' https:"), ""},
		"a nonce and no base": {csp("script-src 'nonce-abc'"), "csp-base" + at},
		"any server":          {csp("script-src https:"), "csp-any-script" + at},
		"any server, data":    {csp("script-src 'self' data:"), "csp-any-script" + at},
		"any server, star":    {csp("script-src *"), "csp-any-script" + at},
		"eval":                {csp("script-src 'self' 'unsafe-eval'"), "csp-eval" + at},
		"without quotes":      {csp("script-src self unsafe-inline"), "csp-ignored" + at},
		"other quotes":        {csp("script-src ‘self’"), "csp-ignored" + at},
		"hosts like keywords": {csp("script-src self.example sha256-x.example https://nonce-x.example"), ""},
		"an unknown keyword":  {csp("script-src 'selfish'"), "csp-ignored" + at},
	} {
		if got := rulesOf([]string{"headers"}, c.of); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// What Chromium 156 did with a page whose one script is inline: whether a word beside 'unsafe-inline' kept it from running.
func TestHashesAndNoncesAreReadAsBrowsersDo(t *testing.T) {
	for word, keeps := range map[string]bool{
		"'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='": true, "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU'": true,
		"'sha256-47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU='": true, "'SHA256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='": true,
		"'sha-256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='": true, "'sha512-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='": true,
		"'sha256-abcd'": true, "'sha256-abcde'": false, "'sha256-abcd==='": false, "'sha256-abcd='": false, "'sha256-47DEQpj8*BSa'": false,
		"sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=": false, "'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk='": false,
		"'nonce-abc'": true, "'nonce-'": false, "'nonce-a$b'": false, "'nonce-abc==='": false, "'strict-dynamic'": true,
	} {
		got := rulesOf([]string{"headers"}, csp("base-uri 'none'; script-src 'unsafe-inline' "+word))
		if strings.Contains(got, "csp-unsafe-inline") == keeps {
			t.Errorf("%s keeps inline scripts out: %v is wrong", word, !keeps)
		}
		if strings.Contains(got, "csp-ignored") == keeps {
			t.Errorf("%s is ignored: %v is wrong", word, keeps)
		}
	}
}

func TestRulesOfCookies(t *testing.T) {
	const here, away = "http://localhost:3000/", "https://shop.example/"
	for line, want := range map[string]string{
		away + " sid=<cookie#1>; Secure; HttpOnly; SameSite=Lax":            "",
		away + " sid=<cookie#1>; SECURE; httponly; samesite=STRICT; Path=/": "",
		away + " sid=<cookie#1>; HttpOnly; SameSite=Lax":                    "cookie-secure",
		away + " sid=<cookie#1>; Secure; SameSite=Lax":                      "cookie-httponly",
		away + " sid=<cookie#1>; Secure; HttpOnly":                          "cookie-samesite",
		away + " sid=<cookie#1>; Secure; HttpOnly; SameSite=Maybe":          "cookie-samesite",
		away + " xsrf-token=<cookie#1>; Secure; SameSite=Lax":               "",
		away + " theme=dark":                                                     "cookie-plain",
		away + " theme=dark; Secure":                                             "",
		away + " theme=dark; SameSite=None":                                      "cookie-refused",
		away + " theme=dark; SameSite=None; Secure":                              "",
		away + " __Host-sid=<cookie#1>; Secure; Path=/; HttpOnly; SameSite=Lax":  "",
		away + " __Host-sid=<cookie#1>; Secure; HttpOnly; SameSite=Lax":          "cookie-prefix",
		away + " __host-sid=<cookie#1>; Secure; Path=/x; HttpOnly":               "cookie-prefix",
		away + " __Host-sid=<cookie#1>; Secure; Path=/; Domain=shop.example":     "cookie-prefix",
		away + " __Host-sid=<cookie#1>; Path=/":                                  "cookie-prefix",
		away + " __Secure-sid=<cookie#1>; HttpOnly":                              "cookie-prefix",
		away + " __Secure-a=<cookie#1>; Secure; Domain=.shop.example":            "",
		away + " a=1; Secure; Domain=example":                                    "cookie-refused",
		away + " a=1; Secure; Domain=other.example":                              "cookie-refused",
		"https://user.github.io/ a=1; Secure; Domain=github.io":                  "cookie-refused",
		away + " sid=; Max-Age=0":                                                "",
		away + " sid=; Max-Age=-5":                                               "",
		away + " sid=; Max-Age=05":                                               "cookie-httponly cookie-samesite cookie-secure",
		away + " sid=; Expires=Thu, 01-Jan-1970 00:00:00 GMT":                    "",
		away + " sid=; Expires=Thu, 01 Jan 1970 00:00:00 GMT":                    "",
		away + " sid=; Expires=Thu, 01-Jan-70 00:00:01 GMT":                      "",
		away + " sid=; Expires=Thursday, 01-Jan-70 00:00:01 GMT":                 "",
		away + " sid=; Expires=Thu, 1 Jan 1970 00:00:00 GMT":                     "",
		away + " sid=; Expires=Thu Jan  1 00:00:00 1970":                         "",
		away + " sid=x; Expires=Thu, 01 Jan 2099 00:00:00 GMT; HttpOnly; Secure": "cookie-samesite",
		away + " Secure":           "",
		away + " =x":               "",
		away + " a=1; Secure\nb=2": "cookie-plain",
		here + " sid=<cookie#1>; HttpOnly; SameSite=Lax":              "",
		here + " theme=dark":                                          "",
		"http://shop.example/ sid=<cookie#1>; HttpOnly; SameSite=Lax": "cookie-secure",
	} {
		url, cookie, _ := strings.Cut(line, " ")
		var got []string
		for l := range strings.Lines(rulesOf([]string{"cookies"}, document(url, "set-cookie: "+cookie))) {
			rule, place, _ := strings.Cut(strings.TrimSpace(l), " ")
			got = append(got, rule)
			name, _, _ := strings.Cut(cookie, "=")
			if of := strings.TrimSuffix(url, "/") + " cookie "; place != of+name && place != of+"b" {
				t.Errorf("%s: place %q", line, place)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", line, got, want)
		}
	}
}

func TestRulesOfRequests(t *testing.T) {
	body := func(request, response string) func(*event.Exchange) {
		return func(e *event.Exchange) { e.RequestBody, e.ResponseBody = request, response }
	}
	page := func(url string) func(*event.Exchange) { return func(e *event.Exchange) { e.PageURL = url } }
	bare := func(e *event.Exchange) { e.RequestHeaders = network }
	for name, c := range map[string]struct {
		of   event.Event
		want string
	}{
		"nothing":           {request("https://shop.example/api", body(`{"password":"<secret#1>"}`, `{"token":"<jwt#1>","session":"<secret#2>","a":"b@c.example"}`)), ""},
		"no address":        {request("about:blank", nil), ""},
		"a provider's key":  {request("https://shop.example/api", body("", `{"k":"<aws_key#1>"}`)), "key-in-response https://shop.example/api"},
		"a private key":     {request("https://shop.example/api", body("", "<private_key#1>")), "private-key-in-response https://shop.example/api"},
		"a password":        {request("https://shop.example/users/12345", body("", `{"name":"a", "userPassword" : "<secret#1>"}`)), "password-in-response https://shop.example/users/*"},
		"a password's hash": {request("https://shop.example/api", body("", "<password_hash#1>")), "password-in-response https://shop.example/api"},
		"a browser's key":   {request("https://shop.example/api", body("", `{"k":"<google_key#1>"}`)), "browser-key https://shop.example/api"},
		"own rule":          {request("https://shop.example/api", body("", `{"k":"<emp#1>"}`)), ""},
		"a card":            {request("https://shop.example/api", body("", `{"c":"<card#1>"}`)), "number-in-response https://shop.example/api"},

		"user and password":      {request("https://%3Ccredentials%231%3E@shop.example/a", nil), "credentials-in-url https://shop.example/a"},
		"a token":                {request("https://shop.example/a?x=1&token=<secret%231>", nil), "secret-in-url https://shop.example/a?token"},
		"a token behind #":       {request("https://shop.example/a#access_token=<jwt%231>", nil), "secret-in-url https://shop.example/a?access_token"},
		"a token in the path":    {request("https://shop.example/reset/<secret%231>", nil), "secret-in-url https://shop.example/reset/*"},
		"a sign-in's code":       {request("https://shop.example/cb?code=<secret%231>&State=<secret%232>", nil), ""},
		"a signature":            {request("https://bucket.example/f?X-Amz-Signature=<secret%231>&X-Amz-Credential=<secret%232>", nil), "signature-in-url https://bucket.example/f"},
		"a maps key":             {request("https://maps.example/js?key=<google_key%231>", nil), "browser-key https://maps.example"},
		"an e-mail":              {request("https://shop.example/a?to=b%40c.example", nil), "personal-in-url https://shop.example/a?to"},
		"a card in the URL":      {request("https://shop.example/a?n=<card%231>", nil), "number-in-url https://shop.example/a?n"},
		"an e-mail to others":    {request("https://stats.example/a", body(`{"to":"b@c.example"}`, "")), "personal-to-others https://stats.example/a"},
		"an e-mail to others by": {request("https://stats.example/a?m=b%40c.example", nil), "personal-in-url https://stats.example/a?m\npersonal-to-others https://stats.example/a"},
		"unencrypted":            {request("http://shop.example/a", body("to=b@c.example", ""), ""), "login-unencrypted http://shop.example\nmixed-content https://shop.example → http://shop.example\npersonal-unencrypted http://shop.example/a"},
		"an answer unencrypted":  {request("http://shop.example/a", func(e *event.Exchange) { body("", `["b@c.example"]`)(e); page("http://shop.example/")(e); bare(e) }), "personal-unencrypted http://shop.example/a\nrequest-unencrypted http://shop.example"},

		"a document":         {document("http://shop.example/"), "page-unencrypted http://shop.example"},
		"a document here":    {document("http://[::1]:3000/"), ""},
		"authorized":         {request("http://shop.example/a", func(e *event.Exchange) { e.RequestHeaders = nil; e.HasAuth = true; e.PageURL = "http://shop.example/" }), "login-unencrypted http://shop.example"},
		"from https to here": {request("http://127.0.0.1:8080/a", nil), ""},
		"down": {request("http://shop.example/b", func(e *event.Exchange) {
			e.Redirects = []string{"https://shop.example/a"}
			page("http://shop.example/")(e)
			bare(e)
		}), "redirect-down https://shop.example/a\nrequest-unencrypted http://shop.example"},
		"down and up": {request("https://shop.example/c", func(e *event.Exchange) { e.Redirects = []string{"https://shop.example/a", "http://shop.example/b"} }), "redirect-down https://shop.example/a"},
		"up":          {request("https://shop.example/c", func(e *event.Exchange) { e.Redirects = []string{"http://shop.example/a", "https://shop.example/b"} }), ""},

		"everybody":        {request("https://api.example/a", nil, "Access-Control-Allow-Origin: *"), "cors-any https://api.example"},
		"reflected":        {request("https://api.example/a", nil, "Access-Control-Allow-Origin: https://shop.example", "Access-Control-Allow-Credentials: true"), "cors-reflected https://api.example"},
		"without":          {request("https://api.example/a", nil, "Access-Control-Allow-Origin: https://shop.example"), ""},
		"of one site":      {request("https://api.shop.example/a", nil, "Access-Control-Allow-Origin: https://shop.example", "Access-Control-Allow-Credentials: true"), ""},
		"another's origin": {request("https://api.example/a", func(e *event.Exchange) { e.RequestHeaders = headersOf("user-agent: x", "Origin: https://evil.example") }, "Access-Control-Allow-Origin: https://evil.example", "Access-Control-Allow-Credentials: true"), "cors-reflected https://api.example"},
		"not the asker's":  {request("https://api.example/a", nil, "Access-Control-Allow-Origin: https://list.example", "Access-Control-Allow-Credentials: true"), ""},
		"a choice":         {request("https://shop.example/api/admin", func(e *event.Exchange) { bare(e); e.Status = 300; e.ResponseHeaders = headersOf("a: b") }), ""},
		"with a secret":    {request("https://shop.example/api/admin", func(e *event.Exchange) { e.RequestHeaders = headersOf("user-agent: x", "x-session: <secret#1>") }), ""},
		"by its header": {request("http://shop.example/a", func(e *event.Exchange) {
			e.RequestHeaders = headersOf("authorization: <secret#1>")
			e.PageURL = "http://shop.example/"
		}), "login-unencrypted http://shop.example"},
		"a masked address": {request("http://shop.example/a", func(e *event.Exchange) { body("", `["<email#1>"]`)(e); page("http://shop.example/")(e); bare(e) }), "personal-unencrypted http://shop.example/a\nrequest-unencrypted http://shop.example"},
		"in upper case":    {request("HTTPS://Shop.Example/a?token=<jwt%231>", nil), "secret-in-url https://shop.example/a?token"},
		"null":             {request("https://shop.example/a", nil, "Access-Control-Allow-Origin: null", "Access-Control-Allow-Credentials: true"), "cors-reflected https://shop.example"},

		"open":               {request("https://shop.example/api/Admin/users", bare), "open-endpoint https://shop.example/api/Admin/users"},
		"open at the end":    {request("https://shop.example/me", bare), "open-endpoint https://shop.example/me"},
		"not a word":         {request("https://shop.example/theme/admins", bare), ""},
		"with a cookie":      {request("https://shop.example/api/admin", nil), ""},
		"with a key":         {request("https://shop.example/api/admin", func(e *event.Exchange) { e.RequestHeaders = headersOf("user-agent: x", "X-Api-Key: 1") }), ""},
		"with a token":       {request("https://shop.example/api/admin", func(e *event.Exchange) { e.RequestHeaders = headersOf("user-agent: x", "x-a-token: 1") }), ""},
		"with authorization": {request("https://shop.example/api/admin", func(e *event.Exchange) { bare(e); e.HasAuth = true }), ""},
		"refused":            {request("https://shop.example/api/admin", func(e *event.Exchange) { bare(e); e.Status = 401 }), ""},
		"no JSON":            {request("https://shop.example/api/admin", func(e *event.Exchange) { bare(e); e.ContentType = "text/css" }), ""},
		"not seen":           {request("https://shop.example/api/admin", func(e *event.Exchange) { e.RequestHeaders = nil }), ""},

		"a map's header": {request("https://shop.example/a.js", nil, "SourceMap: a.js.map"), "source-map https://shop.example"},
		"an old header":  {request("https://shop.example/a.js", nil, "X-SourceMap: a.js.map"), "source-map https://shop.example"},
		"a map's line": {request("https://shop.example/a", func(e *event.Exchange) {
			e.ContentType = "text/javascript"
			e.ResponseBody = "x\n//# sourceMappingURL=a.js.map"
		}), "source-map https://shop.example"},
		"a map within":   {request("https://shop.example/a.js", func(e *event.Exchange) { e.ResponseBody = "x\n//# sourceMappingURL=data:application/json,{}" }), ""},
		"a map here":     {request("http://localhost/a.js", page("http://localhost/"), "SourceMap: a.js.map"), ""},
		"a mapped stack": {&event.Exception{Head: event.Head{PageURL: "https://shop.example/"}, Stack: []event.StackFrame{{URL: "http://localhost/b.js", Source: "b.ts"}, {URL: "https://cdn.example/a.js"}, {URL: "https://shop.example/a.js", Source: "src/a.ts"}}}, "source-map https://shop.example"},
		"integrity": {request("https://shop.example/p", func(e *event.Exchange) {
			e.ContentType = "text/html"
			e.ResponseBody = `<script src=https://cdn.example/a.js></script><SCRIPT SRC='//cdn.example/b.js'></SCRIPT><script integrity="sha384-x" src="https://cdn.example/c.js"></script><script src="/d.js"></script><script>x</script><script src="https://img.shop.example/e.js">`
		}), "integrity-missing https://shop.example https://cdn.example/a.js\nintegrity-missing https://shop.example https://cdn.example/b.js"},
		"a policy in a meta": {request("https://shop.example/p", func(e *event.Exchange) {
			e.ContentType = "text/html"
			e.ResponseBody = `<meta name="a"><meta http-equiv="Content-Security-Policy" content="default-src 'self'; frame-ancestors 'none'">`
		}), "csp-in-meta https://shop.example"},

		"a picture by http":  {&event.ResourceTiming{Head: event.Head{PageURL: "https://shop.example/"}, URL: "http://img.example/a.png?k=<secret%231>", InitiatorType: "img"}, "mixed-content https://shop.example → http://img.example\nsecret-in-url http://img.example/a.png?k"},
		"all by http":        {&event.ResourceTiming{Head: event.Head{PageURL: "http://shop.example/"}, URL: "http://img.example/a.png", InitiatorType: "img"}, "request-unencrypted http://img.example"},
		"a timing of fetch":  {&event.ResourceTiming{Head: event.Head{PageURL: "https://shop.example/"}, URL: "http://img.example/a.png", InitiatorType: "fetch"}, ""},
		"a timing here":      {&event.ResourceTiming{Head: event.Head{PageURL: "https://shop.example/"}, URL: "http://localhost/a.png", InitiatorType: "img"}, ""},
		"a socket":           {&event.Message{Head: event.Head{PageURL: "http://shop.example/"}, URL: "ws://shop.example/f?token=<jwt%231>", Event: "open"}, "request-unencrypted ws://shop.example\nsecret-in-url ws://shop.example/f?token"},
		"a sealed socket":    {&event.Message{URL: "wss://shop.example/f", Event: "open"}, ""},
		"a message":          {&event.Message{URL: "ws://shop.example/f", Event: "message"}, ""},
		"a line":             {&event.Log{Head: event.Head{PageURL: "https://shop.example/a"}, Message: "token <jwt#1 iss=a> of b@c.example"}, "personal-in-console https://shop.example\nsecret-in-console https://shop.example"},
		"a line of a script": {&event.Log{Head: event.Head{PageURL: "https://shop.example/a"}, Args: `["<jwt#1>"]`, URL: "https://cdn.example/a.js?v=1", Line: 7}, "secret-in-console https://cdn.example/a.js:7"},
		"a service's line":   {&event.Log{Message: "token <jwt#1>"}, ""},
	} {
		if got := rulesOf([]string{"credentials", "pii", "transport", "auth", "scripts", "headers"}, c.of); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestAFindingIsToldOnceWithItsCountAndTheSameIdInEveryRun(t *testing.T) {
	run := func(n int) []*analysis.SecurityFinding {
		s := analysis.NewSecurity([]string{"headers"})
		for i := range n {
			s.Exchange(document(fmt.Sprintf("https://shop.example/%d", i), "Strict-Transport-Security: -"), fmt.Sprint("r", n-i))
		}
		return s.Findings()
	}
	once, often := run(1), run(5)
	if len(once) != 1 || len(often) != 1 || often[0].Count != 5 || !slices.Equal(often[0].Evidence, []string{"r5", "r4", "r3"}) {
		t.Fatalf("findings: %+v", often)
	}
	if once[0].ID != often[0].ID || len(once[0].ID) != 12 {
		t.Errorf("ids: %s, %s", once[0].ID, often[0].ID)
	}
	s := analysis.NewSecurity(nil)
	e := request("https://shop.example/a", func(e *event.Exchange) { e.ResponseBody = `{"a":"<aws_key#1>","b":"<aws_key#2>"}` })
	s.Exchange(e, "r1")
	if f := s.Findings(); len(f) != 1 || f[0].Count != 1 || f[0].Detail != "aws_key in a" {
		t.Errorf("two keys of one answer: %+v", f)
	}
}

func TestTheGravestComeFirst(t *testing.T) {
	s := analysis.NewSecurity(nil)
	s.Exchange(document("https://shop.example/", "Referrer-Policy: -", "Strict-Transport-Security: -", "X-Content-Type-Options: -"), "r1")
	s.Exchange(document("https://b.example/", "X-Content-Type-Options: -"), "r2")
	s.Exchange(document("https://b.example/x", "X-Content-Type-Options: -"), "r3")
	var got []string
	for _, f := range s.Findings() {
		got = append(got, f.Rule.Severity+" "+f.Place)
	}
	if want := "high https://shop.example, medium https://b.example, medium https://shop.example, low https://shop.example"; strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestWhatOnlyProductionHasIsNotHeldAgainstADevelopmentServer(t *testing.T) {
	s := analysis.NewSecurity(nil)
	s.Exchange(document("http://localhost:3000/", "Strict-Transport-Security: -", "Content-Security-Policy: -", "set-cookie: sid=<cookie#1>; HttpOnly; SameSite=Lax"), "r1")
	found := s.Findings()
	for _, f := range found {
		if !f.Development || analysis.Rank(f.Rule.Severity) < analysis.Rank("medium") {
			t.Errorf("%+v", f)
		}
	}
	if len(found) != 2 {
		t.Errorf("%d findings", len(found))
	}
}

// Events come newest first: what the newest answer of a URL has no more is mended.
func TestWhatWasMendedIsNoFinding(t *testing.T) {
	with := func(url string, fields ...string) *event.Exchange { return document(url, fields...) }
	bad := []string{"Content-Security-Policy: default-src 'self'", "X-Content-Type-Options: -"}
	blind := with("https://shop.example/")
	blind.RequestHeaders, blind.ResponseHeaders = nil, nil
	post := with("https://shop.example/", bad...)
	post.Method = "POST"
	for name, c := range map[string]struct {
		events []*event.Exchange
		want   string
	}{
		"mended":            {[]*event.Exchange{with("https://shop.example/"), with("https://shop.example/", bad...)}, ""},
		"broken since":      {[]*event.Exchange{with("https://shop.example/", bad...), with("https://shop.example/")}, "frames-missing ×1 nosniff-missing ×1"},
		"another page":      {[]*event.Exchange{with("https://shop.example/"), with("https://shop.example/b", bad...)}, "frames-missing ×1 nosniff-missing ×1"},
		"another method":    {[]*event.Exchange{with("https://shop.example/"), post}, "frames-missing ×1 nosniff-missing ×1"},
		"the newest unseen": {[]*event.Exchange{blind, with("https://shop.example/", bad...)}, "frames-missing ×1 nosniff-missing ×1"},
		"a cookie mended": {[]*event.Exchange{
			with("https://shop.example/", "set-cookie: sid=<cookie#1>; Path=/; Secure; HttpOnly; SameSite=Lax"), with("https://shop.example/login", "set-cookie: sid=<cookie#2>; Path=/"),
		}, ""},
		"a cookie of another path": {[]*event.Exchange{
			with("https://shop.example/", "set-cookie: sid=<cookie#1>; Path=/; Secure; HttpOnly; SameSite=Lax"), with("https://shop.example/login", "set-cookie: sid=<cookie#2>; Path=/a; Secure; HttpOnly"),
		}, "cookie-samesite ×1"},
		"a cookie set twice at once": {[]*event.Exchange{
			with("https://shop.example/", "set-cookie: sid=<cookie#1>; Path=/; Secure; HttpOnly; SameSite=Lax", "set-cookie: sid=<cookie#2>; Path=/; Secure; HttpOnly"),
		}, "cookie-samesite ×1"},
	} {
		s := analysis.NewSecurity([]string{"headers", "cookies"})
		for i, e := range c.events {
			s.Exchange(e, fmt.Sprint("r", i))
		}
		var got []string
		for _, f := range s.Findings() {
			got = append(got, fmt.Sprintf("%s ×%d", f.Rule.ID, f.Count))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

func TestAnAuditSaysWhatItRestsOn(t *testing.T) {
	s := analysis.NewSecurity([]string{"cookies", "headers", "credentials", "scripts", "auth"})
	s.Exchange(document("https://shop.example/"), "r1")
	blind := document("https://shop.example/other")
	blind.RequestHeaders, blind.ResponseHeaders, blind.ResponseSize = nil, nil, 100
	s.Exchange(blind, "r2")
	off := request("https://shop.example/a", nil)
	off.ResponseBodyNote = "off"
	s.Exchange(off, "r3")
	s.Resource(&event.ResourceTiming{Head: event.Head{PageURL: "https://shop.example/"}, URL: "https://cdn.example/a.js", InitiatorType: "script"}, "t4")
	var got []string
	for _, l := range s.Looked() {
		got = append(got, fmt.Sprintf("%s %d/%d %v", l.Check, l.Seen, l.Blind, l.Why != ""))
	}
	if want := "credentials 4/2 true, headers 1/1 true, cookies 2/1 true, auth 1/0 false, scripts 0/3 true"; strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	if s.Requests != 4 {
		t.Errorf("%d requests", s.Requests)
	}
}

func TestFindingsHaveABound(t *testing.T) {
	s := analysis.NewSecurity(nil)
	for i := range 1500 {
		s.Exchange(request(fmt.Sprintf("https://a.example/x?t%d=<jwt%%231>", i), nil), fmt.Sprint("r", i))
	}
	if n := len(s.Findings()); n != 100 || s.Dropped != 1400 || !s.Found["credentials"] || s.Found["pii"] {
		t.Errorf("%d findings, %d dropped", n, s.Dropped)
	}
}

func TestEveryRuleIsDocumented(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guides/audits.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range analysis.SecurityRules {
		if seen[r.ID] || analysis.Rank(r.Severity) < 0 || !slices.Contains(analysis.SecurityChecks, r.Check) {
			t.Errorf("rule %+v", r)
		}
		seen[r.ID] = true
		if !strings.Contains(string(guide), "`"+r.ID+"`") {
			t.Errorf("the guide does not name %s", r.ID)
		}
	}
}

func TestSites(t *testing.T) {
	for host, want := range map[string]string{
		"www.shop.co.uk": "shop.co.uk", "Shop.Example.": "shop.example", "user.github.io": "user.github.io", "github.io": "github.io",
		"localhost": "localhost", "app.localhost": "localhost", "127.0.0.1": "127.0.0.1", "::1": "::1", "intranet": "intranet", "": "",
	} {
		if got := analysis.Site(host); got != want {
			t.Errorf("%s is of %s, want %s", host, got, want)
		}
	}
	for host, want := range map[string]bool{
		"localhost": true, "a.localhost": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true, "10.0.0.1": false,
		"localhost.example": false, "example.com": false, "127.0.0.1.example": false,
	} {
		if analysis.Loopback(host) != want {
			t.Errorf("%s is this machine: %v is wrong", host, !want)
		}
	}
}

// What a finding says is there is the newest, in few words, and nothing of a value.
func TestFindingsSayWhatIsThere(t *testing.T) {
	for want, e := range map[string]*event.Exchange{
		"referrer-unsafe: unsafe-url":                  document("https://shop.example/", "Referrer-Policy: unsafe-url"),
		"csp-any-script: https:":                       csp("script-src https:"),
		"csp-ignored: self unsafe-eval 'none":          csp("script-src self unsafe-eval 'none ‘self’"),
		"hsts-weak: max-age=5":                         document("https://shop.example/", "Strict-Transport-Security: max-age=5"),
		"secret-in-url: jwt":                           request("https://shop.example/?a=<jwt%231>", nil),
		"secret-in-url: secret in the path":            request("https://shop.example/<secret%231>", nil),
		"personal-in-url: email":                       request("https://shop.example/?a=b@c.example", nil),
		"number-in-url: ssn":                           request("https://shop.example/?a=<ssn%231>", nil),
		"browser-key: google_key":                      request("https://shop.example/?a=<google_key%231>", nil),
		"private-key-in-response: ssh_key in text":     request("https://shop.example/", func(e *event.Exchange) { e.ResponseBody = "<ssh_key#1>" }),
		"number-in-response: card in no":               request("https://shop.example/", func(e *event.Exchange) { e.ResponseBody = `{"no": "<card#1>"}` }),
		"password-in-response: in old_password":        request("https://shop.example/", func(e *event.Exchange) { e.ResponseBody = "a=1&old_password=<secret#1>" }),
		"cookie-refused: Domain=other.example":         document("https://shop.example/", "set-cookie: a=1; Secure; Domain=.Other.Example"),
		"cookie-refused: SameSite=None without Secure": document("https://shop.example/", "set-cookie: a=1; SameSite=None"),
		"redirect-down: to http://b.example": request("http://b.example/", func(e *event.Exchange) {
			e.Redirects, e.PageURL, e.RequestHeaders = []string{"https://a.example/"}, "http://b.example/", network
		}),
	} {
		s := analysis.NewSecurity(nil)
		s.Exchange(e, "r1")
		var got []string
		for _, f := range s.Findings() {
			got = append(got, f.Rule.ID+": "+f.Detail)
		}
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
}

func TestFindingsHaveThePageAndTheAddressThatTheyAreOf(t *testing.T) {
	s := analysis.NewSecurity(nil)
	s.Exchange(request("https://api.shop.example/a/b?token=<jwt%231>", nil), "r1")
	alone := document("https://shop.example/", "Referrer-Policy: -")
	alone.PageURL = ""
	s.Exchange(alone, "r2")
	s.Line(&event.Log{Head: event.Head{PageURL: "https://c.example/"}, Message: "<jwt#1>"}, "l3")
	s.Exception(&event.Exception{Head: event.Head{PageURL: "https://d.example/"}, Stack: []event.StackFrame{{URL: "https://d.example/a.js", Source: "a.ts"}}}, "x4")
	var got []string
	for _, f := range s.Findings() {
		got = append(got, fmt.Sprintf("%s %s %s %v", f.Rule.ID, f.URL, f.Page, f.Evidence))
	}
	if want := "secret-in-url https://api.shop.example/a/b https://shop.example/ [r1], secret-in-console https://c.example/ https://c.example/ [l3], " +
		"referrer-missing https://shop.example/ https://shop.example/ [r2], source-map https://d.example/a.js https://d.example/ [x4]"; strings.Join(got, ", ") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(got, ", "), want)
	}
}

func TestHeadersOfTheNetworkAreKnown(t *testing.T) {
	e := document("https://shop.example/", "Referrer-Policy: -")
	e.RequestHeaders, e.PageURL, e.RequestID = nil, "https://other.example/", "wr-7"
	if got := rulesOf([]string{"headers"}, e); got != "referrer-missing https://shop.example" {
		t.Error(got)
	}
	e.RequestID = "k1-7"
	if got := rulesOf([]string{"headers"}, e); got != "" {
		t.Error(got)
	}
	s := analysis.NewSecurity([]string{"cookies"})
	blind := request("https://o.example/", func(e *event.Exchange) { e.RequestHeaders, e.ResponseHeaders, e.RequestID = nil, nil, "wr-8" })
	s.Exchange(blind, "r1")
	if l := s.Looked()[0]; l.Seen != 0 || l.Blind != 1 {
		t.Errorf("%+v", l)
	}
}

func TestEverythingThatIsLookedAtCounts(t *testing.T) {
	count := func(take func(*analysis.Security)) string {
		s := analysis.NewSecurity([]string{"credentials", "pii", "transport", "scripts"})
		take(s)
		var out []string
		for _, l := range s.Looked() {
			out = append(out, fmt.Sprint(l.Seen))
		}
		return strings.Join(out, " ")
	}
	head := event.Head{PageURL: "https://shop.example/"}
	for name, c := range map[string]struct {
		take func(*analysis.Security)
		want string
	}{
		"a request": {func(s *analysis.Security) { s.Exchange(request("https://shop.example/", nil), "r1") }, "1 1 1 0"},
		"a script": {func(s *analysis.Security) {
			s.Exchange(request("https://shop.example/", func(e *event.Exchange) { e.ContentType = "text/javascript" }), "r1")
		}, "1 1 1 1"},
		"a resource": {func(s *analysis.Security) {
			s.Resource(&event.ResourceTiming{Head: head, URL: "https://shop.example/a.png"}, "t1")
		}, "1 1 1 0"},
		"a socket": {func(s *analysis.Security) {
			s.Socket(&event.Message{Head: head, URL: "wss://shop.example/", Event: "open"}, "w1")
		}, "1 0 1 0"},
		"a line": {func(s *analysis.Security) { s.Line(&event.Log{Head: head}, "l1") }, "1 1 0 0"},
		"an exception": {func(s *analysis.Security) {
			s.Exception(&event.Exception{Head: head, Stack: []event.StackFrame{{URL: "https://a.example/b.js", Source: "b.ts"}}}, "x1")
		}, "0 0 0 1"},
	} {
		if got := count(c.take); got != c.want {
			t.Errorf("%s counts %s, want %s", name, got, c.want)
		}
	}
}

func TestRoutesLeaveOutWhatNamesOneThing(t *testing.T) {
	for path, want := range map[string]string{
		"/": "/", "": "", "/orders/8812": "/orders/*", "/v1/users": "/v1/users", "/a1/b": "/a1/b", "/a1234567": "/*", "/a123456": "/a123456",
		"/f47ac10b-58cc-4372-a567-0e02b2c3d479": "/*", "/a-long-title-of-a-post": "/a-long-title-of-a-post", "/abcdef12": "/*", "/abcdefg1": "/abcdefg1",
		"/abcdefghi123": "/*", "/abcdefghij123": "/abcdefghij123", "/:;:;:;:;": "/:;:;:;:;", "/2026": "/*",
		"/" + strings.Repeat("x", 40): "/" + strings.Repeat("x", 40), "/" + strings.Repeat("x", 41): "/*", "/reset/%3Csecret%231%3E": "/reset/*", "/9/0": "/*/*",
		strings.Repeat("/a", 11): strings.Repeat("/a", 11), strings.Repeat("/a", 12): strings.Repeat("/a", 11) + "/…",
	} {
		if got := analysis.RouteOf("https://shop.example" + path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}
