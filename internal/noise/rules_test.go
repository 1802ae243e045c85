package noise_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/noise"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/testkit"
)

func keptAt(t testing.TB, h *testkit.Daemon) string {
	t.Helper()
	folder, err := save.ProjectFolder(catalog.Call{Root: h.Project}, "")
	if err != nil {
		t.Fatal(err)
	}
	return folder + "/noise.json"
}

// There are 42 rules to be proposed; each can be read, has an id of its own, and names what it is of.
func TestBuiltinRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range noise.Builtins() {
		if err := r.Compile(); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		if seen[r.ID] || r.Reason == "" || r.Classification == "" || r.Own {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
		if got, ok := noise.Builtin(r.ID); !ok || got.ID != r.ID {
			t.Errorf("%s is %+v, %v", r.ID, got, ok)
		}
	}
	if got, ok := noise.Builtin("none"); ok {
		t.Errorf("%+v", got)
	}
	if len(seen) != 42 {
		t.Errorf("%d rules, want 42", len(seen))
	}
}

const (
	own    = "http://localhost:3000/assets/app.js"
	widget = "https://widget.example/w.js"
	inline = "http://localhost:3000/cart"
)

func stack(urls ...string) (out []event.StackFrame) {
	for _, u := range urls {
		out = append(out, event.StackFrame{Function: "f", URL: u, Line: 1, Column: 1, InApp: !strings.Contains(u, "node_modules")})
	}
	return out
}

// Whose an error is follows from the stack: the innermost call, or one further out of a script of the page's site.
func TestWhoseAnErrorIs(t *testing.T) {
	page := event.Head{PageURL: inline, Session: "s1"}
	service := event.Head{Origin: event.Origin{Service: "api"}}
	for _, tt := range []struct {
		name string
		e    event.Event
		want bool
	}{
		{"own script", &event.Exception{Head: page, Stack: stack(own)}, true},
		{"own script on another port", &event.Exception{Head: page, Stack: stack("http://127.0.0.1:5173/a.js")}, true},
		{"widget", &event.Exception{Head: page, Stack: stack(widget)}, false},
		{"widget, told by its place", &event.Exception{Head: page, URL: widget}, false},
		{"own, told by its place", &event.Exception{Head: page, URL: own}, true},
		{"nobody knows", &event.Exception{Head: page}, true},
		{"a monitor around the console", &event.Log{Head: page, Severity: 17, Stack: stack(widget, own)}, true},
		{"a snippet in the page calls a widget", &event.Log{Head: page, Severity: 17, Stack: stack(widget, inline)}, false},
		{"inline script", &event.Exception{Head: page, Stack: stack(inline)}, true},
		{"library of the application", &event.Exception{Head: page, Stack: stack("http://localhost:3000/node_modules/x/i.js")}, false},
		{"library, called by own", &event.Exception{Head: page, Stack: stack("http://localhost:3000/node_modules/x/i.js", own)}, true},
		{"extension", &event.Exception{Head: page, Stack: stack("chrome-extension://abc/c.js")}, false},
		{"mapped source", &event.Exception{Head: page, Stack: []event.StackFrame{{Source: "src/pay.ts", URL: own, InApp: true}}}, true},
		{"own, with a query of the page", &event.Exception{Head: event.Head{PageURL: inline + "?a=1#b"}, Stack: stack(widget, inline+"?c=2")}, false},
		{"own script in a page with a query", &event.Exception{Head: event.Head{PageURL: inline + "?a=1#b"}, Stack: stack(widget, own)}, true},
		{"error line by its place", &event.Log{Head: page, Severity: 17, URL: widget}, false},
		{"error line of its own place", &event.Log{Head: page, Severity: 17, URL: own}, true},
		{"eval", &event.Exception{Head: page, Stack: stack("<anonymous>")}, true},
		{"blob", &event.Exception{Head: page, Stack: stack("blob://x/1")}, true},
		{"no page", &event.Exception{Stack: stack(widget)}, true},
		{"https", &event.Exception{Head: event.Head{PageURL: "https://shop.example/"}, Stack: stack("https://cdn.shop.example/a.js")}, true},
		{"mapped library", &event.Exception{Head: page, Stack: []event.StackFrame{{URL: own, Source: "webpack:///node_modules/x/i.js"}}}, false},
		{"mapped without an address", &event.Exception{Head: page, Stack: []event.StackFrame{{Source: "src/pay.ts"}}}, true},
		{"below error", &event.Log{Head: page, Severity: 13, Stack: stack(own)}, false},
		{"error line", &event.Log{Head: page, Severity: 17, Stack: stack(own)}, true},
		{"service's error", &event.Log{Head: service, Severity: 17}, true},
		{"service's line", &event.Log{Head: service, Severity: 9}, false},
		{"service's exception", &event.Exception{Head: service}, true},
		{"own server fails", &event.Exchange{Head: page, URL: "http://localhost:8080/api", Status: 500}, true},
		{"own server is away", &event.Exchange{Head: page, URL: "http://localhost:8080/api", Outcome: "network_error"}, true},
		{"own server has none", &event.Exchange{Head: page, URL: "http://localhost:8080/api", Status: 404}, false},
		{"tracker fails", &event.Exchange{Head: page, URL: "https://t.example/c", Status: 503}, false},
		{"message", &event.Message{Head: page, URL: "ws://localhost:3000/"}, false},
	} {
		if got := noise.Own(tt.e); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A rule hides what fits all of its conditions, and the project's own errors only where it was confirmed.
func TestWhatRulesHide(t *testing.T) {
	page := event.Head{PageURL: inline, Session: "s1", Time: time.Now()}
	third := &event.Exception{Head: page, Type: "TypeError", Message: "no total", Stack: stack(widget)}
	mine := &event.Exception{Head: page, Type: "TypeError", Message: "no total", Stack: stack(own)}
	warn := &event.Log{Head: page, Severity: 13, Level: "warning", Message: "slow", Logger: "console", Stack: stack(own)}
	line := &event.Log{Head: event.Head{Origin: event.Origin{Service: "api"}}, Severity: 9, Level: "info", Message: "GET /health 200", Logger: "access"}
	x := &event.Exchange{Head: page, Method: "POST", URL: "https://t.example/c?x", Status: 204, Outcome: "ok"}
	lost := &event.Exchange{Head: page, Method: "GET", URL: "https://t.example/d", Outcome: "blocked", Error: "net::ERR_BLOCKED_BY_CLIENT"}
	timing := &event.ResourceTiming{Head: page, URL: "https://t.example/c.js", Status: 200}
	message := &event.Message{Head: page, URL: "ws://localhost/s", Data: `{"type":"ping"}`}
	placed := &event.Log{Head: page, Severity: 9, Level: "info", Message: "hello", URL: widget}
	mapped := &event.Exception{Head: page, Message: "bare", URL: own, Stack: []event.StackFrame{{Function: "native"}, {URL: widget, Source: "src/w.ts"}, {URL: own, InApp: true}}}
	bare := &event.Exception{Head: page, Message: "bare", URL: widget}
	for _, tt := range []struct {
		name  string
		rule  noise.Rule
		hides []event.Event
		not   []event.Event
	}{
		{"text", rule(noise.Console, noise.Match{Message: "no total"}), []event.Event{third}, []event.Event{mine, warn, x, message}},
		{"type and text", rule(noise.Console, noise.Match{Message: "^TypeError: no"}), []event.Event{third}, []event.Event{mine}},
		{"confirmed", noise.Rule{Category: noise.Console, Match: noise.Match{Message: "no total"}, Own: true}, []event.Event{third, mine}, nil},
		{"source", rule(noise.Console, noise.Match{Source: `widget\.example`}), []event.Event{third}, []event.Event{mine, warn, line}},
		{"source by the place", rule(noise.Console, noise.Match{Source: `widget\.example`, Message: "hello|bare"}), []event.Event{placed, bare}, []event.Event{mapped}},
		{"source by the stack", noise.Rule{Category: noise.Console, Match: noise.Match{Source: `widget\.example`}, Own: true}, []event.Event{mapped}, nil},
		{"source by the map", noise.Rule{Category: noise.Console, Match: noise.Match{Source: `^src/w\.ts$`}, Own: true}, []event.Event{mapped}, []event.Event{placed, bare}},
		{"the innermost source alone", noise.Rule{Category: noise.Console, Match: noise.Match{Source: `app\.js`}, Own: true}, []event.Event{mine}, []event.Event{mapped}},
		{"text without a type", rule(noise.Console, noise.Match{Message: "^bare$"}), []event.Event{bare}, []event.Event{third}},
		{"source of a service", rule(noise.Console, noise.Match{Source: "^api$"}), []event.Event{line}, []event.Event{third}},
		{"logger of a service", rule(noise.Console, noise.Match{Source: "^access$"}), []event.Event{line}, []event.Event{warn}},
		{"level", rule(noise.Console, noise.Match{Level: "warn"}), []event.Event{warn}, []event.Event{third, line, placed}},
		{"level in other letters", rule(noise.Console, noise.Match{Level: "WARNING"}), []event.Event{warn}, []event.Event{third, line}},
		{"level of exceptions", rule(noise.Console, noise.Match{Level: "error"}), []event.Event{third}, []event.Event{mine, warn}},
		{"page", rule(noise.Console, noise.Match{URL: "/cart$"}), []event.Event{third, warn}, []event.Event{mine, line, x}},
		{"both", rule(noise.Console, noise.Match{Message: "slow", Source: "widget"}), nil, []event.Event{warn, third}},
		{"page of an error", rule(noise.Console, noise.Match{URL: "/elsewhere$"}), nil, []event.Event{third, warn, line}},
		{"another address", rule(noise.Network, noise.Match{URL: `/nothing$`}), nil, []event.Event{x, lost, timing}},
		{"address", rule(noise.Network, noise.Match{URL: `^https://t\.example/`}), []event.Event{x, lost, timing}, []event.Event{message}},
		{"method", rule(noise.Network, noise.Match{Method: "post"}), []event.Event{x}, []event.Event{lost, timing}},
		{"status", rule(noise.Network, noise.Match{StatusMin: 200, StatusMax: 299}), []event.Event{x, timing}, []event.Event{lost}},
		{"least status", rule(noise.Network, noise.Match{StatusMin: 201}), []event.Event{x}, []event.Event{lost, timing}},
		{"why it failed", rule(noise.Network, noise.Match{Message: "BLOCKED_BY_CLIENT"}), []event.Event{lost}, []event.Event{x, timing}},
		{"message", rule(noise.WebSocket, noise.Match{Message: "ping"}), []event.Event{message}, []event.Event{x, warn}},
		{"connection", rule(noise.WebSocket, noise.Match{URL: "/s$"}), []event.Event{message}, []event.Event{x}},
	} {
		if err := tt.rule.Compile(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		for _, e := range tt.hides {
			if !tt.rule.Hides(e) {
				t.Errorf("%s does not hide %+v", tt.name, e)
			}
		}
		for _, e := range tt.not {
			if tt.rule.Hides(e) {
				t.Errorf("%s hides %+v", tt.name, e)
			}
		}
	}
}

// Only the head of a text is looked at, so that a long one costs no more.
func TestLongTextsAreLookedAtInPart(t *testing.T) {
	r := rule(noise.Console, noise.Match{Message: "end$|far"})
	if err := r.Compile(); err != nil {
		t.Fatal(err)
	}
	log := &event.Log{Severity: 9, Level: "info", Message: strings.Repeat("x", 3000) + " far"}
	if r.Hides(log) {
		t.Error("the end of a long text was looked at")
	}
}

// said are many lines, and as many rules as there may be that look at each of them and hide none.
func said(t testing.TB, lines int) *testkit.Daemon {
	h := testkit.NewDaemon(t, 0)
	var batch event.Batch
	for i := range lines {
		batch = append(batch, &event.Log{
			Head: event.Head{Session: "s1", Tab: 12, PageURL: inline, Sender: uint64(i)}, Severity: 9, Level: "info",
			Message: strings.Repeat("a line that says something ", 5), Logger: "console", URL: own,
		})
	}
	h.Store.Append(batch)
	var rules []noise.Rule
	for range noise.MaxRules {
		rules = append(rules, rule(noise.Console, noise.Match{Message: `^(no|such)\b[a-z ]*thing [0-9]+$`}))
	}
	add(t, h, rules...)
	return h
}

// A call over many lines with many rules ends soon after it was cancelled.
func TestManyRulesOverManyEventsEndInTheMiddle(t *testing.T) {
	h := said(t, 2000)
	r := h.Noise.Reader(catalog.Call{Root: h.Project, Hidden: &catalog.Hidden{}}, h.Reader)
	read := func(last int) (*testkit.Looks, int, error) {
		ctx, seen := testkit.NewLooks(t.Context(), last), 0
		_, err := query.Survey(ctx, r, []event.Kind{event.KindLog}, query.Filter{}, func(query.Item) { seen++ })
		return ctx, seen, err
	}
	whole, seen, err := read(0)
	if err != nil || seen != 2000 {
		t.Fatalf("%d lines, %v", seen, err)
	}
	for _, n := range testkit.Samples(whole.Count()) {
		ctx, _, err := read(n)
		if err == nil || ctx.Count()-n > 6 {
			t.Errorf("cancelled at look %d of %d: %d more looks, %v", n, whole.Count(), ctx.Count()-n, err)
		}
	}
}

// What a hundred rules cost over twenty thousand lines, beside none.
func BenchmarkManyRules(b *testing.B) {
	h := said(b, 20_000)
	for name, r := range map[string]query.Reader{
		"none": h.Reader, "hundred": h.Noise.Reader(catalog.Call{Root: h.Project, Hidden: &catalog.Hidden{}}, h.Reader),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := query.Survey(b.Context(), r, []event.Kind{event.KindLog}, query.Filter{}, func(query.Item) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A file is read with care: whatever is wrong in it, it is no set of rules.
func TestFilesOfRules(t *testing.T) {
	one := func(id string) string {
		return `{"id":"` + id + `","category":"console","match_spec":{"message_regex":"a"}}`
	}
	many := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, one(fmt.Sprint("n", i)))
		}
		return strings.Join(all, ",")
	}
	for text, want := range map[string]string{
		`{"version":1,"rules":[` + one("n1") + `]}`:                    "",
		`{"version":1,"rules":[` + many(100) + `]}`:                    "",
		`{"version":1,"rules":[` + many(101) + `]}`:                    "it has 101 rules; 100 are the most",
		`{"version":2,"rules":[]}`:                                     "it is of version 2; this program reads version 1",
		`{}`:                                                           "it is of version 0",
		"{\n\"version\":x}":                                            "line 2: ",
		`{"version":1,"rules":[` + one("") + `]}`:                      "rule 1 has no id of its own",
		`{"version":1,"rules":[` + one("n1") + "," + one("n1") + `]}`:  "rule 2 has no id of its own",
		`{"version":1,"rules":[` + one(strings.Repeat("n", 41)) + `]}`: "rule 1 has no id of its own",
		`{"version":1,"rules":[` + one(strings.Repeat("n", 40)) + `]}`: "",
		`{"version":1,"rules":[{"id":"n1","category":"x"}]}`:           "rule 1: ",
		`{"version":1,"rules":[{"id":"n1","category":"console","match_spec":{"level":"loud"}}]}`:  "rule 1: ",
		`{"version":1,"rules":[{"id":"n1","category":"network","match_spec":{"url_regex":"("}}]}`: "rule 1: ",
	} {
		r, err := noise.Parse([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", text, err, want)
		}
		if err == nil && r.Next != 1 {
			t.Errorf("%.80s: next %d", text, r.Next)
		}
	}
}

// What is too long for a rule is refused, and what just fits is taken.
func TestBoundsOfRules(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	for _, tt := range []struct {
		rule noise.Rule
		good bool
	}{
		{rule(noise.Console, noise.Match{Message: long(512)}), true},
		{rule(noise.Console, noise.Match{Message: long(513)}), false},
		{rule(noise.Network, noise.Match{Method: long(20)}), true},
		{rule(noise.Network, noise.Match{Method: long(21)}), false},
		{noise.Rule{Category: noise.Console, Match: noise.Match{Message: "a"}, Reason: long(300), Classification: long(40)}, true},
		{noise.Rule{Category: noise.Console, Match: noise.Match{Message: "a"}, Reason: long(301)}, false},
		{noise.Rule{Category: noise.Console, Match: noise.Match{Message: "a"}, Classification: long(41)}, false},
		{rule(noise.Network, noise.Match{StatusMin: 400, StatusMax: 400}), true},
		{rule(noise.Network, noise.Match{StatusMax: 400}), true},
		{rule(noise.Network, noise.Match{StatusMin: 401, StatusMax: 400}), false},
		{rule(noise.WebSocket, noise.Match{Level: "info"}), false},
		{rule(noise.WebSocket, noise.Match{Source: "a"}), false},
		{rule(noise.WebSocket, noise.Match{StatusMin: 1}), false},
		{rule(noise.Console, noise.Match{StatusMax: 1}), false},
		{rule(noise.Console, noise.Match{Message: "(a?b)+"}), true},
		{rule(noise.Console, noise.Match{Message: "(a{1}b)+"}), true},
		{rule(noise.Console, noise.Match{Message: "(a{2}b)+"}), false},
		{rule(noise.Console, noise.Match{Message: "((a+))*"}), false},
		{rule(noise.Console, noise.Match{Message: "a+b*c{3}"}), true},
		{rule(noise.Console, noise.Match{Source: "a*"}), false},
		// 56,000 steps for each byte: one line of 2,000 bytes takes seconds.
		{rule(noise.Console, noise.Match{Message: strings.Repeat(`\w{0,999}`, 56) + "!"}), false},
		{rule(noise.Console, noise.Match{Message: "a{0,490}!"}), true},
		{rule(noise.Console, noise.Match{Message: strings.Repeat("a?", 256)}), false}, // fits every text
		{rule(noise.Console, noise.Match{Message: "!" + strings.Repeat("a?", 255)}), true},
		{rule(noise.Console, noise.Match{URL: "("}), false},
		{rule("", noise.Match{URL: "a"}), false},
	} {
		if err := tt.rule.Compile(); (err == nil) != tt.good {
			t.Errorf("%+v: %v", tt.rule, err)
		}
	}
}

// What was read is remembered, for a number of projects.
func TestRulesAreRemembered(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	call := catalog.Call{Root: h.Project, Hidden: &catalog.Hidden{}}
	if _, err := h.Noise.Change(call, func(r *noise.Rules) error {
		r.Next = 8
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := h.Dir.Write(keptAt(t, h), []byte("x")); err != nil { // the daemon alone writes there
		t.Fatal(err)
	}
	if r, err := h.Noise.Of(call); err != nil || r.Next != 8 {
		t.Errorf("%+v, %v", r, err)
	}
	if n, err := h.Noise.Reset(call); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if r, err := noise.New(h.Dir).Of(call); err != nil || r.Next != 8 {
		t.Errorf("an id is given again: %+v, %v", r, err)
	}
	for i := range 60 {
		if _, err := h.Noise.Of(catalog.Call{Root: fmt.Sprint("/p", i)}); err != nil {
			t.Fatal(err)
		}
		if n := h.Noise.Known(); n < 1 || n > 50 {
			t.Fatalf("%d projects are remembered", n)
		}
	}
	if n := h.Noise.Known(); n != 11 {
		t.Errorf("%d projects are remembered", n)
	}
}

// A mark tells the rules apart that are laid over what a call reads.
func TestMarksOfRules(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	call := catalog.Call{Root: h.Project, Hidden: &catalog.Hidden{}}
	if got := h.Noise.Mark(call); got != "" {
		t.Errorf("without rules %q", got)
	}
	add(t, h, rule(noise.Console, noise.Match{Message: "a"}))
	one := h.Noise.Mark(call)
	if got := noise.New(h.Dir).Mark(call); one == "" || got != one {
		t.Errorf("%q, after a start %q", one, got)
	}
	if got := h.Noise.Mark(catalog.Call{Root: h.Project}); got != "" {
		t.Errorf("of a call that hides nothing %q", got)
	}
	if got := h.Noise.Mark(catalog.Call{Hidden: &catalog.Hidden{}}); got != "" {
		t.Errorf("without a project %q", got)
	}
	if _, err := h.Noise.Change(call, func(r *noise.Rules) error {
		r.Rules[0].Own = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := h.Noise.Mark(call); got == "" || got == one {
		t.Errorf("of other rules %q", got)
	}
}

func FuzzRules(f *testing.F) {
	f.Add([]byte(`{"version":1,"next":2,"rules":[{"id":"n1","category":"console","match_spec":{"message_regex":"a"}}]}`))
	f.Add([]byte(`{"version":1,"rules":[{"id":"n1","category":"network","match_spec":{"url_regex":"("}}]}`))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := noise.Parse(data)
		if err != nil {
			return
		}
		if len(r.Rules) > noise.MaxRules || r.Next < 1 {
			t.Errorf("%d rules, next %d", len(r.Rules), r.Next)
		}
		for i := range r.Rules {
			r.Rules[i].Hides(&event.Log{Level: "info", Message: "a"})
		}
	})
}
