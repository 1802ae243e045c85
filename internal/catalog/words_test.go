package catalog_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
)

type fullParams struct {
	Text   string            `json:"text,omitempty" doc:"what to write" length:"5" pattern:"^[a-zé]*$"`
	Bare   string            `json:"bare,omitempty"`
	Word   string            `json:"word,omitempty" enum:"up_side,down"`
	Count  int               `json:"count,omitempty" doc:"how many" min:"2" max:"9"`
	Least  float64           `json:"least,omitempty" min:"0.5"`
	Most   float64           `json:"most,omitempty" max:"1.5"`
	On     bool              `json:"on,omitempty" doc:"whether"`
	List   []string          `json:"list,omitempty" doc:"names" length:"3"`
	Counts []int             `json:"counts,omitempty"`
	Any    json.RawMessage   `json:"any,omitempty" doc:"an object"`
	Map    map[string]string `json:"map,omitempty"`
	Budget string            `json:"budget,omitempty" doc:"the mode's own"`
}

func full() *catalog.Bound {
	t := catalog.New[env](catalog.Info{Name: "observe", Key: "what", Doc: "Read."})
	catalog.Add(t, catalog.Spec{Name: "all", Doc: "All.", Aliases: []string{"every thing"}},
		func(_ context.Context, _ env, p fullParams) (fullParams, error) { return p, nil })
	catalog.Add(
		t,
		catalog.Spec{Name: "empty", Doc: "None."},
		func(context.Context, env, struct{}) (string, error) { return "", nil },
	)
	catalog.Add(t, catalog.Spec{Name: "waits", Doc: "Waits.", Wait: time.Second, MaxWait: 3 * time.Second},
		func(context.Context, env, struct {
			URL string `json:"url" required:"true" doc:"where to"`
		}) (string, error) {
			return "", nil
		})
	return catalog.Bind(t, func(catalog.Call) env { return env{} }, nil)
}

// What a parameter may be is said with its name, its bounds and its meaning; what is at a bound is taken.
func TestParametersAreTakenUpToTheirBounds(t *testing.T) {
	b := full()
	for args, want := range map[string]string{
		`"text":"abcdé"`: `{"text":"abcdé"}`, `"text":"abcdéf"`: "text has 6 characters; it may have 5. Give less.",
		`"text":""`: `{}`, `"text":true`: `{"text":"true"}`,
		`"text":"A"`: `text must be string, not "A". text: what to write.`,
		`"text":[1]`: `text must be string, not [1]. text: what to write.`,
		`"text":1.5`: `text must be string, not 1.5. text: what to write.`,
		`"bare":{"a":"` + strings.Repeat("b", 52) + `"}`: `bare must be string, not {"a":"` + strings.Repeat("b", 52) + `"}.`,
		`"bare":{"a":"` + strings.Repeat("b", 53) + `"}`: `bare must be string, not {"a":"` + strings.Repeat("b", 53) + `"….`,
		`"word":"UP-SIDE"`: `{"word":"up_side"}`, `"word":"up side"`: `{"word":"up_side"}`,
		`"word":"left"`: `word cannot be "left". Use one of: up_side, down.`,
		`"count":2`:     `{"count":2}`, `"count":9`: `{"count":9}`, `"count":" 9 "`: `{"count":9}`,
		`"count":1`: "count is 1; it must be 2–9.", `"count":10`: "count is 10; it must be 2–9.",
		`"count":2.5`:    "count must be integer, not 2.5. count: how many.",
		`"count":"many"`: `count must be integer, not "many". count: how many.`,
		`"count":true`:   "count must be integer, not true. count: how many.",
		`"least":0.5`:    `{"least":0.5}`, `"least":0.4`: "least is 0.4; it must be at least 0.5.",
		`"most":1.5`: `{"most":1.5}`, `"most":1.6`: "most is 1.6; it must be at most 1.5.",
		`"on":"Yes"`: `{"on":true}`, `"on":" on "`: `{"on":true}`, `"on":"1"`: `{"on":true}`, `"on":"No"`: `{}`,
		`"on":"off"`: `{}`, `"on":"0"`: `{}`, `"on":false`: `{}`,
		`"on":1`: "on must be boolean, not 1. on: whether.", `"on":"maybe"`: `on must be boolean, not "maybe". on: whether.`,
		`"list":["a","b","c"]`:     `{"list":["a","b","c"]}`,
		`"list":["a","b","c","d"]`: "list has 4 items; it may have 3. Give less.", `"list":"a"`: `{"list":["a"]}`,
		`"list":"a,b,c,d"`:                   "list has 4 items; it may have 3. Give less.",
		`"list":"[\"a\",\"b\",\"c\",\"d\"]"`: "list has 4 items; it may have 3. Give less.",
		`"list":" [\"a,b\"]"`:                `{"list":["a,b"]}`, `"list":"[a"`: `{"list":["[a"]}`,
		`"list":[1]`: `list must be array of string, not [1]. list: names.`,
		`"list":7`:   `list must be array of string, not 7. list: names.`,
		`"counts":5`: `{"counts":[5]}`, `"counts":"[5,6]"`: `{"counts":[5,6]}`,
		`"counts":"5"`:      `counts must be array of integer, not "5".`,
		`"any":"{\"a\":1}"`: `{"any":{"a":1}}`, `"any":"plain"`: `{"any":"plain"}`,
		`"any":{"b":[2]}`: `{"any":{"b":[2]}}`, `"map":"{\"a\":\"b\"}"`: `{"map":{"a":"b"}}`,
		`"map":5`:         "map must be object, not 5.",
		`"budget":"mine"`: `{"budget":"mine"}`,
	} {
		out, err := b.Call(t.Context(), catalog.Call{}, json.RawMessage(`{"what":"all",`+args+`}`))
		got := ""
		if p := problem.From(err); p != nil {
			got = strings.TrimSpace(p.Message + " " + p.Fix)
			if p.Code != problem.InvalidParam {
				t.Errorf("%s: code %s", args, p.Code)
			}
		} else if data, err := json.Marshal(out.Value); err == nil {
			got = string(data)
		}
		if got != want {
			t.Errorf("%s gave\n%s, want\n%s", args, got, want)
		}
	}
}

func TestCallsAreRefusedInWholeSentences(t *testing.T) {
	b := full()
	for args, want := range map[string]string{
		`[1]`: "invalid_param the arguments of observe are no JSON object. Send " +
			"a JSON object.",
		`null`:                                  `missing_param what is required. Give what, one of: all, empty, waits. observe {"what":"help"} explains them.`,
		``:                                      `missing_param what is required. Give what, one of: all, empty, waits. observe {"what":"help"} explains them.`,
		`{"what":"empty","zzz":1}`:              `invalid_param observe empty has no parameter "zzz". It takes no parameters.`,
		`{"what":"empty","count":1}`:            `invalid_param observe empty has no parameter "count"; it belongs to all. It takes no parameters.`,
		`{"what":"waits","url":"a","urll":"b"}`: `invalid_param observe waits has no parameter "urll"; did you mean "url"? It takes: url.`,
		`{"what":"waits","timeout_ms":99}`:      "invalid_param timeout_ms is 99; it must be 100–3000.",
		`{"what":"waits","timeout_ms":3001}`:    "invalid_param timeout_ms is 3001; it must be 100–3000.",
		`{"what":"waits","timeout_ms":"soon"}`:  `invalid_param timeout_ms must be integer, not "soon". timeout_ms: one deadline for finding, waiting and acting.`,
		`{"what":"waits","timeout_ms":3000}`:    "missing_param url is required. Give it as string: where to.",
		`{"what":"waits","url":null}`:           "missing_param url is required. Give it as string: where to.",
		`{"what":"empty","timeout_ms":100}`:     `invalid_param observe empty has no parameter "timeout_ms". It takes no parameters.`,
		`{"what":"empty","budget":499}`:         "invalid_param budget is 499; it must be 500–30000 characters.",
		`{"what":"empty","budget":30001}`:       "invalid_param budget is 30001; it must be 500–30000 characters.",
		`{"what":"emty"}`:                       `unknown_mode observe has no mode "emty"; did you mean "empty"? One of: all, empty, waits.`,
		`{"what":"every_thin"}`:                 `unknown_mode observe has no mode "every_thin"; did you mean "all"? One of: all, empty, waits.`,
		`{"what":"al"}`:                         `unknown_mode observe has no mode "al". One of: all, empty, waits.`,
		`{"what":"empty","budget":500}`:         "", `{"what":"Empty ","budget":30000}`: "",
		`{"what":"Every-Thing"}`: "", `{"what":"empty","client":"` + strings.Repeat("c", 64) + `"}`: "",
		`{"what":"waits","url":"a","timeout_ms":100,"background":true}`: "",
	} {
		_, err := b.Call(t.Context(), catalog.Call{}, json.RawMessage(args))
		got := ""
		if p := problem.From(err); p != nil {
			got = strings.TrimSpace(string(p.Code) + " " + p.Message + " " + p.Fix)
		}
		if got != want {
			t.Errorf("%s gave\n%s, want\n%s", args, got, want)
		}
	}
}

func TestTheModeOfACallIsNamedForItsRecord(t *testing.T) {
	b := full()
	for args, want := range map[string]string{`{"what":"every thing","zzz":1}`: "all", `{"action":"empty"}`: "empty",
		`{"what":"none"}`: "", `[`: "", `{}`: ""} {
		if got := b.ModeOf(json.RawMessage(args)); got != want {
			t.Errorf("%s is a call of %q, want %q", args, got, want)
		}
	}
}

func TestModesShareTheCommonParameters(t *testing.T) {
	names := func(m catalog.Mode) (out []string) {
		for _, p := range catalog.Shared(m) {
			out = append(out, p.Name)
		}
		return out
	}
	for _, m := range full().Modes() {
		got, want := strings.Join(names(m), " "), "as budget client"
		if m.Name == "waits" {
			want += " timeout_ms background"
		}
		if got != want {
			t.Errorf("%s shares %s, want %s", m.Name, got, want)
		}
	}
}
