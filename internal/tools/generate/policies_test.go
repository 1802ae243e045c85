package generate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/generate"
)

// policedPage is a page of a server of this machine, in a browser whose tab 12 shows it.
type policedPage struct {
	*testkit.Daemon
	t    *testing.T
	base string
	tool *catalog.Bound
}

// newPolicedPage serves files and answers the question of the page; BASE stands for the server in both.
func newPolicedPage(t *testing.T, files map[string]string, documents string) *policedPage {
	p := &policedPage{Daemon: testkit.NewDaemon(t, 0), t: t}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := files[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	p.base = s.URL
	tabs, err := os.ReadFile("testdata/browser.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Sync([]byte(strings.Replace(string(tabs), "http://localhost:3000/checkout", s.URL+"/page?q=1", 1))); err != nil {
		t.Fatal(err)
	}
	result := strings.ReplaceAll(`{"url":"BASE/page?q=1","title":"Page","documents":[`+documents+`]}`, "BASE", s.URL)
	e := &testkit.Extension{Session: "s1", Answers: map[string]testkit.Scripted{"policies": {Result: json.RawMessage(result)}}}
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- e.Serve(ctx, p.Daemon) }()
	t.Cleanup(func() {
		end()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	links := &outbound.Client{Allowed: func() ([]string, error) { return nil, nil }, Start: func(f func()) { go f() }}
	p.tool = catalog.Bind(generate.Tool, func(c catalog.Call) generate.Env {
		return generate.Env{View: p.View(c), Dir: p.Dir, Version: "1.0.0", Drive: p.Driver(), Links: links}
	}, nil)
	return p
}

// head is that of an event of a page of the server.
func (p *policedPage) head(path string) event.Head {
	at := time.Now()
	return event.Head{Time: at, Received: at, Session: "s1", Tab: 12, Document: "D", PageURL: p.base + path}
}

// ask returns the result as JSON, decoded, or the problem.
func (p *policedPage) ask(args string, into any) *problem.Problem {
	p.t.Helper()
	said, isText := into.(*string)
	if !isText {
		args = `{"as":"json",` + args[1:]
	}
	out, err := p.tool.Call(p.t.Context(), catalog.Call{Client: "agent", Root: p.Project}, json.RawMessage(strings.ReplaceAll(args, "BASE", p.base)))
	if err != nil {
		return problem.From(err)
	}
	text, _, err := answer.Render(out, answer.Options{Uncut: true, Fence: "f3"})
	if err != nil {
		p.t.Fatal(err)
	}
	if isText {
		*said = text
		return nil
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		p.t.Fatalf("%v: %s", err, text)
	}
	return nil
}

type policy struct {
	Status, Header, Policy string
	Directives             map[string][]string
	Origins                []string `json:"origins_observed"`
	Coverage               struct {
		Pages, Asked, Unread []string
		NotAsked             []string `json:"not_asked"`
		NotSeen              []string `json:"not_seen"`
		Loads                int
		From, To             string
	}
	Warnings []string
	SavedTo  string `json:"saved_to"`
}

func document(url, more string) string {
	return fmt.Sprintf(`{"answer":{"url":%q,"code":[],"loads":[],"marks":[],"more":0,"unhashed":0%s}}`, url, more)
}

// What was captured of pages of the origin is let through; of other pages nothing is.
func TestAPolicyIsOfThePagesOfOneOrigin(t *testing.T) {
	p := newPolicedPage(t, nil, document("BASE/page?q=1", ""))
	own, other := p.head("/page"), p.head("/page")
	other.PageURL = "https://elsewhere.example/x"
	framed, blank := p.head("/page"), p.head("")
	framed.PageURL, framed.Frame = "https://frame.example/f?s=1", 3
	blank.PageURL = "about:srcdoc"
	exchange := func(h event.Head, kind, url, outcome string, redirects ...string) *event.Exchange {
		return &event.Exchange{Head: h, Method: "GET", URL: url, Status: 200, Outcome: outcome, Initiator: event.Initiator{Type: kind}, Redirects: redirects}
	}
	served := p.head("/page")
	served.Service = "api"
	p.Store.Append(event.Batch{
		&event.Lifecycle{Head: other, State: "document_start", ToURL: other.PageURL},
		&event.Lifecycle{Head: event.Head{Time: time.Now(), Session: "s1", Tab: 12, Frame: 2, PageURL: "https://old.example/"}, State: "document_start"},
		&event.Lifecycle{Head: other, State: "document_start", ToURL: other.PageURL},
		&event.Lifecycle{Head: own, State: "document_start", ToURL: own.PageURL},
		&event.Lifecycle{Head: framed, State: "document_start", ToURL: framed.PageURL},
		&event.Lifecycle{Head: own, State: "worker_started", ToURL: "blob:" + p.base + "/1"},
		exchange(own, "fetch", "https://api.example/a?b=1", "ok", "https://first.example/"),
		exchange(own, "fetch", "https://refused.example/", "blocked"),
		exchange(own, "fetch", "https://down.example/", "network_error"),
		exchange(own, "navigation", "https://next.example/", "ok"),
		exchange(other, "fetch", "https://others.example/", "ok"),
		exchange(served, "fetch", "https://service.example/", "ok"),
		exchange(blank, "xhr", "https://inner.example/", "ok"),
		&event.ResourceTiming{Head: p.head("/second#x"), URL: "https://img.example/a", InitiatorType: "img"},
		&event.ResourceTiming{Head: own, URL: "https://img.example/a.wasm", InitiatorType: "other"},
		&event.ResourceTiming{Head: other, URL: "https://others.example/b", InitiatorType: "img"},
		&event.Message{Head: own, URL: "wss://live.example/s", Event: "open"},
		&event.Message{Head: own, URL: "wss://dead.example/s", Event: "error"},
		&event.Exception{Head: own, Mechanism: "csp", Message: "script-src-elem would block https://late.example/x.js"},
		&event.Exception{Head: own, Mechanism: "csp", Message: "font-src would block data"},
		&event.Exception{Head: own, Mechanism: "csp", Message: "script-src would block inline: var a"},
		&event.Exception{Head: own, Mechanism: "csp", Message: "script-src would block wasm-eval"},
		&event.Exception{Head: own, Mechanism: "csp", Message: "img-src blocked https://held.example/x.png"},
		&event.Exception{Head: own, Mechanism: "onerror", Message: "script-src would block https://lie.example/x.js"},
		&event.Exception{Head: own, Mechanism: "csp", Message: "require-trusted-types-for would block trusted-types-sink: x"},
	})
	var got policy
	if problem := p.ask(`{"format":"csp"}`, &got); problem != nil {
		t.Fatal(problem)
	}
	want := "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' https://late.example; img-src 'self' https://img.example; font-src 'self' data:; " +
		"connect-src 'self' https://api.example https://first.example https://inner.example wss://live.example; frame-src 'self' https://frame.example; " +
		"worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
	if got.Policy != want || got.Header != "Content-Security-Policy" || got.Status != "partial" {
		t.Errorf("%s %s: %s\nwant %s", got.Status, got.Header, got.Policy, want)
	}
	c := got.Coverage
	if !slices.Equal(c.Pages, []string{p.base + "/page", p.base + "/second"}) || !slices.Equal(c.Asked, c.Pages[:1]) ||
		!slices.Equal(c.NotAsked, c.Pages[1:]) || c.Loads != 7 || c.From == "" || c.To < c.From {
		t.Errorf("%+v", c)
	}
	if w := strings.Join(got.Warnings, "\n"); !strings.Contains(w, "Reports tell 1 times") || !strings.Contains(w, "1 loads are let through") || strings.Contains(w, "'unsafe-eval'") {
		t.Error(w)
	}
}

// Code that the daemon may read is looked at for what makes code out of text; what it may not read is named.
func TestCodeIsLookedAtForEval(t *testing.T) {
	load := func(url string) string {
		return `,"loads":[{"tag":"script","name":"src","url":"` + url + `"}],"marks":[]`
	}
	for text, want := range map[string]bool{
		`eval(x)`: true, `a=eval (x)`: true, `window.eval(x)`: true, `(0, eval)(x)`: true, `new Function("a", b)`: true, `new Function(x)`: true,
		`setTimeout("x()", 1)`: true, `setInterval('x', 1)`: true, "setTimeout(`x`)": true, `new Function("return 1")`: true, `new AsyncFunction(a)`: true,
		`new Function("return this.x")`: true, `new Function("r")`: true,
		`medieval(x)`: false, `a.eval(x)`: false, `$eval(x)`: false, `new Function("return this")()`: false, `new Function('return this')`: false,
		`setTimeout(f, 1)`: false, `evaluate(x)`: false, `new Functional(x)`: false, `x.setTimeout("a")`: false,
	} {
		p := newPolicedPage(t, map[string]string{"/a.js": text}, document("BASE/page", load("BASE/a.js")))
		var got policy
		if problem := p.ask(`{"format":"csp","mode":"strict"}`, &got); problem != nil {
			t.Fatal(problem)
		}
		if has := strings.Contains(got.Policy, "'unsafe-eval'"); has != want || len(got.Coverage.Unread) > 0 {
			t.Errorf("%s: %s, %q", text, got.Policy, got.Coverage.Unread)
		}
	}
	for text, want := range map[string]string{
		`WebAssembly.instantiateStreaming(x)`: "'wasm-unsafe-eval'", `url(data:image/png;base64,)`: "img-src data:", `url(data:font/woff2;base64,)`: "font-src data:",
		`url("data:application/x-font-ttf;`: "font-src data:", `a.src = "data:audio/wav;`: "media-src data:",
	} {
		p := newPolicedPage(t, map[string]string{"/a.js": text}, document("BASE/page", load("BASE/a.js")))
		var got policy
		if problem := p.ask(`{"format":"csp","mode":"strict"}`, &got); problem != nil || !strings.Contains(got.Policy, want) {
			t.Errorf("%s: %s %v", text, got.Policy, problem)
		}
	}
	p := newPolicedPage(t, map[string]string{"/large.js": strings.Repeat(" ", 4<<20) + "eval(1)"}, document("BASE/page",
		`,"loads":[{"tag":"script","name":"src","url":"https://cdn.example/a.js"},{"tag":"link","name":"href","rel":"stylesheet","url":"BASE/gone.css"},`+
			`{"tag":"script","name":"src","url":"BASE/large.js"},{"tag":"script","name":"src","url":"BASE/x.js?token=«token:1f»"}],"marks":[]`))
	var got policy
	if problem := p.ask(`{"format":"csp"}`, &got); problem != nil || len(got.Coverage.Unread) != 4 || !strings.Contains(got.Coverage.Unread[0], "/gone.css") {
		t.Errorf("%q %v", got.Coverage.Unread, problem)
	}
}

// What one cannot be asked for is said before the page is asked, and a file holds what a server sends.
func TestAPolicyAsAFile(t *testing.T) {
	p := newPolicedPage(t, nil, document("BASE/page", `,"worker":"BASE/sw.js","more":2,"unhashed":3`)+","+
		`{"frame":{"name":"0","url":"https://x.example/"},"answer":{"url":"https://x.example/a","code":[{"sort":"script","hash":"theirs","count":1}],"loads":[],"marks":[0,99,-1],"more":0,"unhashed":0}}`+","+
		`{"frame":{"name":"1","url":"BASE/in"},"answer":{"url":"BASE/in","code":[{"sort":"script","hash":"ours","count":1}],"loads":[],"marks":[2,99],"more":0,"unhashed":0}}`)
	for args, want := range map[string]problem.Code{
		`{"format":"csp","exclude_origins":["nothing"]}`: problem.InvalidParam, `{"format":"csp","save_to":"a.js"}`: problem.InvalidParam,
		`{"format":"csp","save_to":"../a.txt"}`: problem.PathNotAllowed, `{"format":"csp","background":true}`: problem.InvalidParam,
		`{"format":"sri","origins":["x"]}`: problem.InvalidParam, `{"format":"sri","resource_types":["image"]}`: problem.InvalidParam,
		`{"format":"sri"}`: problem.NoData, `{"format":"sri","save_to":"a.txt"}`: problem.InvalidParam,
	} {
		if got := p.ask(args, &policy{}); got == nil || got.Code != want {
			t.Errorf("%s: %v, want %s", args, got, want)
		}
	}
	var got policy
	if problem := p.ask(`{"format":"csp","save_to":"csp.txt","mode":"report_only","include_report_uri":true}`, &got); problem != nil {
		t.Fatal(problem)
	}
	data, err := os.ReadFile(filepath.Join(p.Project, "csp.txt"))
	want := "Content-Security-Policy-Report-Only: default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'sha256-ours'; frame-src 'self' https://x.example; object-src 'none'; " +
		"base-uri 'self'; form-action 'self'; frame-ancestors 'self'; report-uri /csp-reports\n"
	if err != nil || string(data) != want || !strings.HasSuffix(got.SavedTo, "csp.txt") {
		t.Errorf("%s %v, saved to %q\nwant %s", data, err, got.SavedTo, want)
	}
	said := strings.Join(got.Coverage.NotSeen, "; ")
	for _, part := range []string{"2 pieces of code and loads", "3 pieces of code could not be hashed", "1 frames are of other origins"} {
		if !strings.Contains(said, part) {
			t.Errorf("%q without %q", said, part)
		}
	}
	if problem := p.ask(`{"format":"csp","save_to":"csp.json"}`, &got); problem != nil {
		t.Fatal(problem)
	}
	if data, err := os.ReadFile(filepath.Join(p.Project, "csp.json")); err != nil || !json.Valid(data) || !strings.Contains(string(data), `"directives"`) {
		t.Errorf("%s %v", data, err)
	}
	var strict policy
	if problem := p.ask(`{"format":"csp","mode":"strict"}`, &strict); problem != nil || !strings.Contains(strict.Policy, "frame-ancestors 'self'") ||
		!strings.Contains(strict.Policy, "worker-src 'self'") {
		t.Errorf("%s %v: a page of the origin is in a frame of it", strict.Policy, problem)
	}
}

type integrities struct {
	Resources []struct {
		URL, Type, Hash, Crossorigin, Warning string
		Tag                                   string `json:"tag_template"`
		Size                                  int64  `json:"size_bytes"`
		Had                                   bool   `json:"already_has_sri"`
		Wrong                                 bool   `json:"wrong_sri"`
		Immutable                             bool
	}
	ImportMap string `json:"import_map"`
	Summary   map[string]int
	Warnings  []string
}

// Tags are of what stays the same for everybody; what is not is warned of.
func TestTagsAreOfWhatStaysTheSame(t *testing.T) {
	const empty = "sha384-OLBgp1GsljhM2TJ+sbHjaiH9txEUvgdDTAzHv2P24donTt6/529l+9Ua0vFImLlb"
	loads := `,"loads":[{"tag":"script","name":"src","url":"BASE/a-1.2.3.js?b=1&c=\"2\"","type":"module"},{"tag":"link","name":"href","rel":"preload","as":"style","url":"BASE/b.css"},
		{"tag":"link","name":"href","rel":"stylesheet","url":"BASE/b.css","integrity":"sha384-other","crossorigin":""},{"tag":"link","name":"href","rel":"preload","as":"image","url":"BASE/i.png"},
		{"tag":"link","name":"href","rel":"stylesheet","url":"BASE/ok.css","integrity":"` + empty + `","crossorigin":"Anonymous"},{"tag":"script","name":"src","url":"data:text/javascript,1"},
		{"tag":"script","name":"src","url":"BASE/gone.js"},{"tag":"script","name":"src","url":"https://cdn.example/x@1.2.3.js"},{"tag":"script","name":"src","url":"BASE/x?token=«token:1f»"},
		{"tag":"script","name":"src","url":"BASE/other.js"}]`
	p := newPolicedPage(t, map[string]string{"/a-1.2.3.js": "", "/b.css": "", "/ok.css": "", "/late.js": "", "/other.js": "abc"}, document("BASE/page", loads))
	here := p.head("/page?q=1#x")
	p.Store.Append(event.Batch{
		&event.ResourceTiming{Head: here, URL: p.base + "/late.js", InitiatorType: "other"},
		&event.ResourceTiming{Head: here, URL: p.base + "/other.js", InitiatorType: "script", DecodedSize: 4},
		&event.ResourceTiming{Head: p.head("/before"), URL: p.base + "/before.js", InitiatorType: "script"},
	})
	var got integrities
	if problem := p.ask(`{"format":"sri"}`, &got); problem != nil {
		t.Fatal(problem)
	}
	var lines []string
	for _, r := range got.Resources {
		lines = append(lines, fmt.Sprint(r.Type, " ", strings.TrimPrefix(r.URL, p.base), " ", r.Hash == empty, r.Had, r.Wrong, r.Immutable, " ", r.Tag, " ! ", r.Warning))
	}
	want := []string{
		`script /a-1.2.3.js?b=1&c="2" true false false true <script type="module" src="/a-1.2.3.js?b=1&amp;c=&#34;2&#34;" integrity="` + empty + `"></script> ! `,
		`script /gone.js false false false false  ! broken: the server answers 404`,
		`script https://cdn.example/x@1.2.3.js false false false false  ! not_allowed: https://cdn.example is not allowed`,
		`script /x?token=<secret%231> false false false false  ! a secret in its address is kept from programs`,
		`script /other.js false false false false  ! the browser got 4 bytes and the daemon 3: its content depends on who asks, or has changed`,
		`style /b.css true true true false <link rel="stylesheet" href="/b.css" integrity="` + empty + `"> ! its address has no version: write the tag anew whenever the file changes`,
		`style /ok.css true true false false <link rel="stylesheet" href="/ok.css" integrity="` + empty + `" crossorigin="anonymous"> ! its address has no version: write the tag anew whenever the file changes`,
		`preload /b.css true false false false <link rel="preload" as="style" href="/b.css" integrity="` + empty + `"> ! its address has no version: write the tag anew whenever the file changes`,
		`import /late.js true false false false  ! `,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if got.ImportMap != `{"integrity":{"/late.js":"`+empty+`"}}` {
		t.Error(got.ImportMap)
	}
	if s := got.Summary; s["total"] != 9 || s["hashed"] != 6 || s["tagged"] != 4 || s["already_has_sri"] != 2 || s["wrong"] != 1 || s["not_read"] != 3 || s["imported"] != 1 || s["total_bytes"] != 3 {
		t.Error(s)
	}
	if len(got.Warnings) != 3 || !strings.Contains(got.Warnings[2], "settings.json") {
		t.Errorf("%q", got.Warnings)
	}
	for args, want := range map[string]int{`"resource_types":["Preload"]`: 1, `"origins":["https://cdn.example/"]`: 1, `"origins":["BASE"],"resource_types":["script","import"]`: 5} {
		var some integrities
		if problem := p.ask(`{"format":"sri",`+args+`}`, &some); problem != nil || len(some.Resources) != want {
			t.Errorf("%s: %d, %v", args, len(some.Resources), problem)
		}
	}
	var text string
	if problem := p.ask(`{"format":"sri","save_to":"sri.json"}`, &text); problem != nil || !strings.Contains(text, `script <script type="module"`) ||
		!strings.Contains(text, "its integrity is of another content") || !strings.Contains(text, `<script type="importmap">`) {
		t.Errorf("%s %v", text, problem)
	}
	if data, err := os.ReadFile(filepath.Join(p.Project, "sri.json")); err != nil || !json.Valid(data) {
		t.Error(err)
	}
}

func TestWhichAddressesHaveAVersion(t *testing.T) {
	for path, want := range map[string]bool{
		"/a@1.2.3/b.js": true, "/v1.2/b.js": true, "/jquery-3.7.1.min.js": true, "/1.0.0-rc.1/a.css": true, "/app.3f2a1b9c.js": true, "/index-BxZ3kP9q.css": true,
		"/main.0123456789abcdef0123.chunk.js": true, "/app.js": false, "/jquery.js": false, "/lib/v3/a.js": false, "/2024/a.js": false, "/stylesheet.css": false,
		"/bootstrap.bundle.min.js": false, "/a.js?v=1.2.3": false, "/component2.js": false,
	} {
		if got := generate.Versioned("https://cdn.example" + path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
