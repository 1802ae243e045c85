package noise_test

import (
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
		{"source of a service", rule(noise.Console, noise.Match{Source: "^api$"}), []event.Event{line}, []event.Event{third}},
		{"logger of a service", rule(noise.Console, noise.Match{Source: "^access$"}), []event.Event{line}, []event.Event{warn}},
		{"level", rule(noise.Console, noise.Match{Level: "warn"}), []event.Event{warn}, []event.Event{third, line}},
		{"level of exceptions", rule(noise.Console, noise.Match{Level: "error"}), []event.Event{third}, []event.Event{mine, warn}},
		{"page", rule(noise.Console, noise.Match{URL: "/cart$"}), []event.Event{third, warn}, []event.Event{mine, line, x}},
		{"both", rule(noise.Console, noise.Match{Message: "slow", Source: "widget"}), nil, []event.Event{warn, third}},
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

// A hundred rules over fifty thousand events take about as long as reading the events many times, not for ever.
func TestManyRulesOverManyEvents(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	var batch event.Batch
	for i := range 20_000 {
		batch = append(batch, &event.Log{
			Head: event.Head{Session: "s1", Tab: 12, PageURL: inline, Sender: uint64(i)}, Severity: 9, Level: "info",
			Message: strings.Repeat("a line that says something ", 5), Logger: "console", URL: own,
		})
	}
	h.Store.Append(batch)
	read := func(r query.Reader) time.Duration {
		start := time.Now()
		if _, err := query.Survey(t.Context(), r, []event.Kind{event.KindLog}, query.Filter{}, func(query.Item) {}); err != nil {
			t.Fatal(err)
		}
		return time.Since(start)
	}
	plain := read(h.Reader)
	var rules []noise.Rule
	for range noise.MaxRules {
		rules = append(rules, rule(noise.Console, noise.Match{Message: `^(no|such)\b[a-z ]*thing [0-9]+$`}))
	}
	add(t, h, rules...)
	laid := read(h.Noise.Reader(catalog.Call{Root: h.Project, Hidden: &catalog.Hidden{}}, h.Reader))
	t.Logf("%v without rules, %v with %d", plain, laid, len(rules))
	if laid > 100*plain+100*time.Millisecond {
		t.Errorf("%v without rules, %v with them", plain, laid)
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
