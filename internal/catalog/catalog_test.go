package catalog_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
)

type env struct{ seen *catalog.Call }

type paging struct {
	Limit  int    `json:"limit,omitempty" doc:"most entries, 1-1000; default 100" min:"1" max:"1000" alias:"last_n"`
	Cursor string `json:"cursor,omitempty" doc:"continue after this"`
}

type logsParams struct {
	paging
	MinLevel string   `json:"min_level,omitempty" alias:"level" enum:"debug,log,info,warn,error"`
	Internal bool     `json:"include_internal,omitempty"`
	Tags     []string `json:"tags,omitempty"`
}

type clickParams struct {
	Ref string   `json:"ref,omitempty" doc:"e17"`
	X   *float64 `json:"x,omitempty"`
	URL string   `json:"url" required:"true" doc:"where to"`
}

func tool() (*catalog.Bound, *catalog.Call) {
	t := catalog.New[env](catalog.Info{Name: "observe", Key: "what", Doc: "Read.", Shown: []string{"limit", "ref"}})
	catalog.Add(t, catalog.Spec{Name: "logs", Doc: "Lines.", Aliases: []string{"console"}, Example: `{"limit":5}`},
		func(_ context.Context, e env, p logsParams) (logsParams, error) { return p, nil })
	catalog.Add(
		t,
		catalog.Spec{
			Name:   "click",
			Doc:    "Click.",
			Wait:   time.Second,
			Needs:  catalog.Pilot | catalog.Tab,
			Errors: []problem.Code{problem.PilotOff},
		},
		func(_ context.Context, e env, p clickParams) (clickParams, error) { return p, nil },
	)
	var seen catalog.Call
	return catalog.Bind(t, func(c catalog.Call) env { seen = c; return env{&seen} }, nil), &seen
}

func call(t *testing.T, args string) (any, error) {
	t.Helper()
	b, _ := tool()
	out, err := b.Call(t.Context(), catalog.Call{}, json.RawMessage(args))
	return out.Value, err
}

func TestCallDecodesKindly(t *testing.T) {
	for args, want := range map[string]logsParams{
		`{"what":"logs"}`:                           {},
		`{"what":"Console","limit":"7"}`:            {paging: paging{Limit: 7}},
		`{"what":"logs","last_n":3}`:                {paging: paging{Limit: 3}},
		`{"what":"logs","level":"WARN"}`:            {MinLevel: "warn"},
		`{"what":"logs","min-level":"error"}`:       {MinLevel: "error"},
		`{"what":"logs","include_internal":"true"}`: {Internal: true},
		`{"what":"logs","tags":"a, b"}`:             {Tags: []string{"a", "b"}},
		`{"what":"logs","tags":"[\"a,b\"]"}`:        {Tags: []string{"a,b"}},
		`{"what":"logs","cursor":null}`:             {},
		`{"what":"logs","cursor":12}`:               {paging: paging{Cursor: "12"}},
		`{"action":"logs","limit":1.0,"as":"text"}`: {paging: paging{Limit: 1}},
		`{"what":"logs","limit":4,"budget":"500"}`:  {paging: paging{Limit: 4}},
	} {
		got, err := call(t, args)
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		if string(g) != string(w) {
			t.Errorf("%s gave %s, want %s", args, g, w)
		}
	}
}

func TestCallRefusesWithTheWayOut(t *testing.T) {
	for args, want := range map[string]struct {
		code problem.Code
		text string
	}{
		`{}`:                                        {problem.MissingParam, "logs, click"},
		`{"what":"log"}`:                            {problem.UnknownMode, `did you mean "logs"?`},
		`{"what":"zzz"}`:                            {problem.UnknownMode, "One of: logs, click"},
		`{"what":"logs","limt":3}`:                  {problem.InvalidParam, `did you mean "limit"?`},
		`{"what":"logs","ref":"e1"}`:                {problem.InvalidParam, "it belongs to click"},
		`{"what":"logs","limit":-1}`:                {problem.InvalidParam, "1–1000"},
		`{"what":"logs","limit":1.5}`:               {problem.InvalidParam, "must be integer"},
		`{"what":"logs","limit":"many"}`:            {problem.InvalidParam, "must be integer"},
		`{"what":"logs","min_level":"loud"}`:        {problem.InvalidParam, "debug, log, info, warn, error"},
		`{"what":"click"}`:                          {problem.MissingParam, "url is required"},
		`{"what":"logs","timeout_ms":500}`:          {problem.InvalidParam, "timeout_ms"},
		`{"what":"click","url":"x","timeout_ms":5}`: {problem.InvalidParam, "100–120000"},
		`{"what":"logs","budget":1}`:                {problem.InvalidParam, "500–30000"},
		`{"what":"logs","cursor":{"a":1}}`:          {problem.InvalidParam, "must be string"},
		`[1]`:                                       {problem.InvalidParam, "JSON object"},
		`{"what":"help","mode":"clik"}`:             {problem.UnknownMode, `"click"`},
	} {
		_, err := call(t, args)
		var p *problem.Problem
		if !errors.As(err, &p) {
			t.Errorf("%s gave no problem: %v", args, err)
			continue
		}
		if p.Code != want.code || !strings.Contains(p.Text(), want.text) {
			t.Errorf("%s gave\n%s\nwant %s with %q", args, p.Text(), want.code, want.text)
		}
	}
}

func TestGateIsAskedBeforeTheMode(t *testing.T) {
	tl := catalog.New[env](catalog.Info{Name: "interact", Key: "action"})
	ran := false
	catalog.Add(tl, catalog.Spec{Name: "click", Needs: catalog.Pilot | catalog.Tab | catalog.Extension},
		func(context.Context, env, struct{}) (string, error) { ran = true; return "", nil })
	b := catalog.Bind(
		tl,
		func(catalog.Call) env { return env{} },
		func(_ context.Context, c catalog.Call, n catalog.Needs) error {
			if got := n.String(); got != "extension, pilot, tab" {
				t.Errorf("needs %q", got)
			}
			return problem.New(problem.PilotOff, "", "off")
		},
	)
	if _, err := b.Call(t.Context(), catalog.Call{}, json.RawMessage(`{"action":"click"}`)); problem.From(
		err,
	).Code != problem.PilotOff ||
		ran {
		t.Errorf("err %v, ran %v", err, ran)
	}
}

func TestDeadlineComesFromTheCallOrTheMode(t *testing.T) {
	b, seen := tool()
	for args, want := range map[string]time.Duration{
		`{"what":"click","url":"x"}`:                   time.Second,
		`{"what":"click","url":"x","timeout_ms":2500}`: 2500 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			came := time.Now()
			if _, err := b.Call(t.Context(), catalog.Call{}, json.RawMessage(args)); err != nil ||
				seen.Deadline.Sub(came) != want {
				t.Errorf("%s: may take %v, want %v (%v)", args, seen.Deadline.Sub(came), want, err)
			}
		})
	}
}

func TestHelpAndSchema(t *testing.T) {
	b, _ := tool()
	text, err := b.Help("console")
	if err != nil || !strings.Contains(text, `example: {"what":"logs","limit":5}`) ||
		!strings.Contains(text, "min_level debug|log|info|warn|error") {
		t.Errorf("help: %v\n%s", err, text)
	}
	var schema struct {
		Type       string
		Properties map[string]map[string]any
		Required   []string
	}
	if err := json.Unmarshal(b.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	if schema.Type != "object" || len(schema.Required) != 1 || schema.Properties["limit"]["type"] != "integer" ||
		len(schema.Properties) != 4 ||
		schema.Properties["mode"]["type"] != "string" {
		t.Errorf("schema %s", b.Schema())
	}
	if d := b.Description(); !strings.Contains(d, "click(ref,x,url*)") {
		t.Errorf("description %s", d)
	}
}

func TestDisagreementsAreFound(t *testing.T) {
	tl := catalog.New[env](
		catalog.Info{Name: "x", Key: "what", Shown: []string{"url", "text"}, Docs: map[string]string{"text": "a text"}},
	)
	catalog.Add(tl, catalog.Spec{Name: "a"}, func(context.Context, env, struct {
		Tab  string `json:"tab"`
		URL  string `json:"url" doc:"of a page"`
		Text string `json:"text" doc:"one"`
		Mode string `json:"only" doc:"one"`
	}) (int, error) {
		return 0, nil
	})
	catalog.Add(tl, catalog.Spec{Name: "b"}, func(context.Context, env, struct {
		Tab  int    `json:"tab"`
		URL  string `json:"url" doc:"of a script"`
		Text string `json:"text" doc:"another"`
		Mode string `json:"only" doc:"another"`
	}) (int, error) {
		return 0, nil
	})
	d := strings.Join(catalog.Bind(tl, func(catalog.Call) env { return env{} }, nil).Disagreements(), "; ")
	if d != `tab: a says string, b says integer; url: a says "of a page", b says "of a script"` {
		t.Errorf("disagreements: %s", d)
	}
}

func TestWhatWouldDoNothingIsRefused(t *testing.T) {
	tl := catalog.New[env](catalog.Info{Name: "x", Key: "what"})
	catalog.Add(tl, catalog.Spec{Name: "a"}, func(context.Context, env, struct {
		ID    string `json:"id" alone:"path"`
		Path  string `json:"path"`
		Limit int    `json:"limit"`
	}) (string, error) {
		return "done", nil
	})
	b := catalog.Bind(tl, func(catalog.Call) env { return env{} }, nil)
	for args, want := range map[string]string{
		`{"id":"r1"}`: "", `{"id":"r1","path":"a.b","as":"json"}`: "", `{"limit":3}`: "", `{"limit":3,"id":null}`: "",
		`{"id":"r1","limit":3}`: "limit would do nothing beside id.",
	} {
		_, err := b.Call(t.Context(), catalog.Call{}, json.RawMessage(strings.Replace(args, "{", `{"what":"a",`, 1)))
		if got := problem.From(err); got == nil && want != "" || got != nil && got.Message != want {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// The mistakes that callers make are led out of.
func TestMistakesAreLedOutOf(t *testing.T) {
	bind := func(name string, modes ...catalog.Spec) *catalog.Bound {
		tl := catalog.New[env](
			catalog.Info{Name: name, Key: map[string]string{"observe": "what", "interact": "action"}[name]},
		)
		for _, m := range modes {
			catalog.Add(tl, m, func(context.Context, env, struct {
				URL string `json:"url" required:"true" doc:"where"`
			}) (string, error) {
				return "done", nil
			})
		}
		return catalog.Bind(
			tl,
			func(catalog.Call) env { return env{} },
			func(context.Context, catalog.Call, catalog.Needs) error {
				return problem.New(problem.PilotOff, "", "It is off.")
			},
		)
	}
	observe := bind("observe", catalog.Spec{Name: "screenshot", Aliases: []string{"shot"}}, catalog.Spec{Name: "logs"})
	interact := bind(
		"interact",
		catalog.Spec{Name: "click", Needs: catalog.Pilot, Instead: map[string]string{"text": `selector:"text=…"`}},
		catalog.Spec{Name: "refresh"},
	)
	catalog.Introduce([]*catalog.Bound{observe, interact})
	for _, tt := range []struct {
		tool *catalog.Bound
		args string
		want string
	}{
		{interact, `{"action":"shot"}`, `interact has no mode "shot", but observe has. Call observe {"what":"screenshot"}.`},
		{observe, `{"what":"dom"}`, `observe has no mode "dom". One of: screenshot, logs.`},
		{observe, `{"what":"log_s"}`, `observe has no mode "log_s"; did you mean "logs"? One of: screenshot, logs.`},
		{observe, `{"what":["logs"],"url":"x"}`, ""},
		{observe, `{"what":["logs","screenshot"]}`, "what is required."},
		{interact, `{"action":"click","text":"Pay","url":"x"}`,
			`interact click has no parameter "text"; use selector:"text=…". It takes: url.`},
		{interact, `{"action":"click"}`, "url is required. Give it as string: where."}, // before anybody is asked to switch something on
		{interact, `{"action":"click","url":"x"}`, "It is off."},
		{observe, `{"what":"logs","url":"x","client":"` + strings.Repeat("c", 65) + `"}`,
			"client has 65 bytes; it may have 64."},
	} {
		_, err := tt.tool.Call(t.Context(), catalog.Call{}, json.RawMessage(tt.args))
		got := ""
		if p := problem.From(err); p != nil {
			got = strings.TrimSpace(p.Message + " " + p.Fix)
		}
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", tt.args, got, tt.want)
		}
	}
}

func FuzzCall(f *testing.F) {
	f.Add(`{"what":"logs","limit":"7"}`)
	f.Add(`{"what":"click","x":1e400}`)
	b, _ := tool()
	f.Fuzz(func(t *testing.T, args string) {
		_, err := b.Call(t.Context(), catalog.Call{}, json.RawMessage(args))
		if p := problem.From(err); p != nil && p.Code == problem.Internal {
			t.Errorf("%q gave an internal problem: %v", args, err)
		}
	})
}

func TestTheMostUsedModesComeFirst(t *testing.T) {
	tl := catalog.New[env](catalog.Info{Name: "x", Key: "what", First: []string{"c", "b"}})
	for _, name := range []string{"a", "b", "c", "d"} {
		catalog.Add(
			tl,
			catalog.Spec{Name: name},
			func(context.Context, env, struct{}) (string, error) { return name, nil },
		)
	}
	b := catalog.Bind(tl, func(catalog.Call) env { return env{} }, nil)
	order := ""
	for _, m := range b.Modes() {
		order += m.Name
		if out, err := b.Call(t.Context(), catalog.Call{}, json.RawMessage(`{"what":"`+m.Name+`"}`)); err != nil ||
			out.Value != m.Name {
			t.Errorf("%s ran %v (%v)", m.Name, out.Value, err)
		}
	}
	if order != "cbad" {
		t.Errorf("order %s, want cbad", order)
	}
}

// Two modes may take other words for one parameter: the schema takes both, and any where one takes any.
func TestTheSchemaTakesWhatAnyModeTakes(t *testing.T) {
	tool := catalog.New[env](catalog.Info{Name: "x", Key: "what", Shown: []string{"op", "how"}})
	catalog.Add(tool, catalog.Spec{Name: "a", Doc: "A."}, func(context.Context, env, struct {
		Op  string `json:"op" enum:"list,save" doc:"what to do"`
		How string `json:"how" enum:"fast" doc:"how"`
	}) (string, error) {
		return "", nil
	})
	catalog.Add(tool, catalog.Spec{Name: "b", Doc: "B."}, func(context.Context, env, struct {
		Op  string `json:"op" enum:"save,clear" doc:"what to do"`
		How string `json:"how" doc:"how"`
	}) (string, error) {
		return "", nil
	})
	schema := string(catalog.Bind(tool, func(catalog.Call) env { return env{} }, nil).Schema())
	for _, want := range []string{
		`"op":{"type":"string","enum":["list","save","clear"],"description":"what to do"}`, `"how":{"type":"string","description":"how"}`,
	} {
		if !strings.Contains(schema, want) {
			t.Errorf("%s is not in %s", want, schema)
		}
	}
}
