package configure

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "examples", Doc: "Calls for a goal, a tool or a mode that work as they are: with the refs, addresses, handles and names that " +
		"there are now.",
	Aliases: []string{"example", "how_to"}, Limit: 12,
	Example: `{"goal":"fill in the form"}`, Errors: []problem.Code{problem.UnknownMode, problem.NoData},
}, examples)

type examplesParams struct {
	Tool  string `json:"tool,omitempty" doc:"observe, analyze, generate, configure or interact"`
	Mode  string `json:"mode,omitempty" doc:"one mode"`
	Goal  string `json:"goal,omitempty" length:"200" doc:"what is to be done, in words"`
	Limit int    `json:"limit,omitempty" min:"1" max:"200" doc:"most examples, 1-200"`
}

type examplesResult struct {
	Examples []example `json:"examples"`
	LeftOut  []leftOut `json:"left_out,omitempty"` // modes that nothing can be shown of now
	More     int       `json:"more,omitempty"`     // examples beyond the limit

	pages []string
}

// example is a call that works when it is sent as it is.
type example struct {
	Goal string          `json:"goal"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"arguments"`
}

type leftOut struct {
	Tool  string `json:"tool"`
	Mode  string `json:"mode"`
	Needs string `json:"needs"` // what is not there
}

// Len, Keep make the JSON form fit: see answer.Shortener.
func (r *examplesResult) Len() int { return len(r.Examples) }

// Keep keeps the first n examples.
func (r *examplesResult) Keep(n int) {
	r.More += len(r.Examples) - n
	r.Examples, r.LeftOut = r.Examples[:n], nil
}

// args are the arguments of a call without its mode.
type args = map[string]any

// fill makes the arguments of a mode's example, or says what is missing.
type fill func(l *live) (_ args, missing string)

// with gives arguments that need nothing.
func with(a args) fill { return func(*live) (args, string) { return a, "" } }

// of gives arguments with a value that has to be there.
func of(param, missing string, value func(*live) string, more ...args) fill {
	return func(l *live) (args, string) {
		v := value(l)
		if v == "" {
			return nil, missing
		}
		a := args{param: v}
		for _, m := range more {
			for k, v := range m {
				a[k] = v
			}
		}
		return a, ""
	}
}

// where gives arguments of a mode that has nothing to say without something.
func where(missing string, there func(*live) string, a args) fill {
	return func(l *live) (args, string) {
		if there(l) == "" {
			return nil, missing
		}
		return a, ""
	}
}

// on gives arguments with the ref of an element of one of these kinds.
func on(what string, kinds []string, more ...args) fill {
	return of("ref", what+" on the page", func(l *live) string { return l.element(kinds...) }, more...)
}

// never leaves a mode out whose needs nobody can know.
func never(needs string) fill { return func(*live) (args, string) { return nil, needs } }

var (
	clickable = []string{"button", "link", "tab", "checkbox", "clickable", "interactive", "any"}
	writable  = []string{"input:text", "input:search", "input:email", "input:tel", "input:url", "input:password", "textarea", "input"}
)

func (l *live) request() string  { return l.handle(event.KindExchange, "", nil) }
func (l *live) deed() string     { return l.handle(event.KindAction, "", nil) }
func (l *live) drawn() string    { return l.handle(event.KindMark, "annotation", isAnnotation) }
func (l *live) recorded() string { return l.recording("complete", false) }
func (l *live) sequence() string { return l.name("configure", "list_sequences", "sequences", "name") }
func (l *live) state() string    { return l.name("interact", "list_states", "states", "name") }
func (l *live) baseline() string { return l.name("analyze", "visual_baselines", "baselines", "name") }
func (l *live) drawing() string  { return l.name("analyze", "draw_history", "sessions", "name") }
func (l *live) address() string  { return l.page }
func (l *live) correlation() string {
	_, done, _ := l.env.Queue.Lists()
	if len(done) == 0 {
		return ""
	}
	return done[len(done)-1].CorrelationID
}

// fills are the arguments of modes that need some, or that say more with some. All other modes are shown by themselves.
var fills = map[string]fill{
	"observe page":               where("a page in use", (*live).address, args{}),
	"generate har":               where("a request", (*live).request, args{}),
	"generate annotation_report": where("an annotation of the user", (*live).drawn, args{}),
	"generate annotation_issues": where("an annotation of the user", (*live).drawn, args{}),
	"generate visual_test":       of("annot_session", "a drawing of the user", (*live).drawing),
	"generate pr_summary":        where("a page in use", (*live).address, args{}),
	"generate sarif":             where("a page in use", (*live).address, args{}),
	"generate sri":               never("a script or a style that the page loads"),
	"generate test":              where("something that was done in the page", (*live).deed, args{}),
	"generate reproduction":      where("something that was done in the page", (*live).deed, args{}),
	"generate test_from_context": where("something that was done in the page", (*live).deed, args{"context": "interaction"}),
	"generate test_classify":     with(args{"error": "page.goto: net::ERR_CONNECTION_REFUSED"}),
	"generate test_heal":         where("a page in use", (*live).address, args{"broken_selectors": []string{"#example"}}),
	"observe errors":             with(args{"limit": 5}),
	"observe logs":               with(args{"min_level": "warn", "limit": 20}),
	"observe network_bodies":     of("id", "a request", (*live).request),
	"observe timeline":           with(args{"include": []string{"actions", "errors", "network"}, "since": "5m"}),
	"observe actions":            with(args{"last_n": 10}),
	"observe command_result":     of("correlation_id", "a command that has ended", (*live).correlation),
	"observe storage":            with(args{"storage_type": "local"}),
	"observe indexeddb":          database,
	"observe recording_actions":  of("recording_id", "a recording", (*live).recorded),
	"observe log_diff_report":    of("original_id", "a recording that was played back", func(l *live) string { return l.recording("", true) }),
	"observe playback_results":   of("recording_id", "a recording that was played back", func(l *live) string { return l.recording("", true) }),
	"analyze annotation_detail":  of("id", "an annotation of the user", (*live).drawn),
	"analyze draw_session":       of("name", "a drawing of the user", (*live).drawing),
	"analyze link_validation": func(l *live) (args, string) {
		if l.page == "" {
			return nil, "a page in use"
		}
		return args{"urls": []string{l.page}}, ""
	},
	"analyze computed_styles":         with(args{"selector": "body", "properties": []string{"color", "display"}}),
	"analyze dom":                     with(args{"selector": "body", "max_depth": 2}),
	"analyze data_table":              where("a table on the page", (*live).table, args{}),
	"analyze visual_baseline":         with(args{"name": "example", "overwrite": true}),
	"analyze visual_diff":             of("baseline", "a saved picture", (*live).baseline),
	"interact click":                  on("an element", clickable),
	"interact type":                   on("a field", writable, args{"text": "example", "clear": true}),
	"interact paste":                  on("a field", writable, args{"text": "example"}),
	"interact get_value":              on("a field", writable),
	"interact select":                 option,
	"interact check":                  on("a checkbox", []string{"checkbox"}),
	"interact key_press":              with(args{"text": "Tab"}),
	"interact scroll_to":              with(args{"direction": "bottom"}),
	"interact hover":                  on("an element", clickable),
	"interact focus":                  on("an element", clickable),
	"interact highlight":              on("an element", clickable),
	"interact drag":                   never("two elements, one of which can be dragged"),
	"interact hardware_click":         with(args{"x": 5, "y": 5}),
	"interact batch":                  with(args{"steps": []args{{"action": "scroll_to", "direction": "bottom"}, {"action": "get_text"}}}),
	"interact clipboard_write":        with(args{"text": "example"}),
	"interact draw_mode_start":        never("the user, who draws"),
	"interact clipboard_read":         never("the browser's window in front"),
	"interact screen_recording_start": never("a file that nobody may want; see its help"),
	"interact screen_recording_stop":  never("a film that is being made"),
	"interact fill_form": func(l *live) (args, string) {
		ref := l.element(writable...)
		if ref == "" {
			return nil, "a field on the page"
		}
		return args{"fields": []args{{"ref": ref, "value": "example"}}}, ""
	},
	"interact fill_form_and_submit":   never("a form and its values"),
	"interact dismiss_top_overlay":    never("an overlay on the page"),
	"interact auto_dismiss_overlays":  never("an overlay on the page"),
	"interact confirm_top_dialog":     never("a dialog on the page"),
	"interact open_composer":          never("a composer on the page"),
	"interact submit_active_composer": never("a composer on the page"),
	"interact navigate":               of("url", "a page in use", (*live).address),
	"interact navigate_and_wait_for":  of("url", "a page in use", (*live).address, args{"wait_for": "body"}),
	"interact new_tab":                of("url", "a page in use", (*live).address),
	"interact switch_tab":             func(l *live) (args, string) { return args{"tab": l.tab}, "" },
	"interact back":                   never("a page before this one"),
	"interact forward":                never("a page after this one"),
	"interact subtitle":               with(args{"text": "An example"}),
	"interact get_attribute":          on("an element", clickable, args{"name": "class"}),
	"interact set_attribute":          on("an element", clickable, args{"name": "data-example", "value": "1"}),
	"interact query":                  with(args{"selector": "body", "query_type": "count"}),
	"interact wait_for":               with(args{"selector": "body"}),
	"interact wait_for_stable":        with(args{"stability_ms": 500}),
	"interact execute_js":             with(args{"script": "document.title"}),
	"interact save_state":             with(args{"name": "example", "overwrite": true}),
	"interact load_state":             of("name", "a saved state", (*live).state),
	"interact delete_state":           of("name", "a saved state", (*live).state),
	"interact set_storage":            with(args{"key": "example", "value": "1"}),
	"interact delete_storage":         with(args{"key": "example"}),
	"interact clear_storage":          with(args{"storage_type": "sessionStorage"}),
	"interact set_cookie":             with(args{"name": "example", "value": "1"}),
	"interact delete_cookie":          with(args{"name": "example"}),
	"interact upload":                 never("a file and where it belongs"),
	"configure audit_log":             with(args{"operation": "report", "limit": 20}),
	"configure clear":                 with(args{"buffer": "logs"}),
	"configure log_diff":              of("original_id", "a recording that was played back", func(l *live) string { return l.recording("", true) }),
	"configure playback":              of("recording_id", "a recording", (*live).recorded),
	"configure event_recording_stop":  of("recording_id", "a recording that goes on", func(l *live) string { return l.recording("recording", false) }),
	"configure save_sequence":         with(args{"name": "example", "steps": []args{{"action": "scroll_to", "direction": "top"}}}),
	"configure get_sequence":          of("name", "a saved sequence", (*live).sequence),
	"configure delete_sequence":       of("name", "a saved sequence", (*live).sequence),
	"configure replay_sequence":       of("name", "a saved sequence", (*live).sequence),
	"configure examples":              with(args{"goal": "read what failed"}),
	"configure report_issue":          with(args{"operation": "list_templates"}),
	"configure diff_sessions":         with(args{"operation": "list"}),
	"configure network_recording":     with(args{"operation": "status"}),
	"configure test_boundary_start":   with(args{"test_id": "example"}),
	"configure test_boundary_end":     with(args{"test_id": "example"}),
	"configure streaming":             with(args{"operation": "status"}),
}

// database names a store of a database that the page has.
func database(l *live) (args, string) {
	for _, d := range l.databases() {
		if len(d.Stores) > 0 {
			return args{"database": d.Name, "store": d.Stores[0]}, ""
		}
	}
	return nil, "a database of the page"
}

// option names an option that a list of the page has.
func option(l *live) (args, string) {
	for _, f := range l.fields() {
		if f.Hidden || f.Disabled || f.ReadOnly || f.Type != "select" && f.Type != "select-one" {
			continue
		}
		for _, o := range f.Options {
			if !o.Refused && o.Label != "" {
				return args{"ref": f.Ref, "value": o.Label}, ""
			}
		}
	}
	return nil, "a list of options on the page"
}

func isAnnotation(e event.Event) bool {
	m, ok := e.(*event.Mark)
	return ok && m.Type == "annotation"
}

// usual are the modes that are shown when nothing is asked for.
var usual = []string{
	"observe errors", "observe logs", "observe network_bodies", "observe timeline", "interact list_interactive", "interact click",
	"interact type", "interact navigate", "interact screenshot", "analyze error_clusters", "analyze page_structure", "configure doctor",
}

func examples(ctx context.Context, env Env, p examplesParams) (*examplesResult, error) {
	l := env.live(ctx)
	limit := env.Call.Limit
	if p.Limit > 0 {
		limit = p.Limit
	}
	chosen, err := l.modes(p)
	if err != nil {
		return nil, err
	}
	out := &examplesResult{Examples: []example{}}
	for _, m := range chosen {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(out.Examples) == limit {
			out.More++
			continue
		}
		a, missing, err := l.example(m)
		if err != nil {
			return nil, err
		}
		if missing != "" {
			out.LeftOut = append(out.LeftOut, leftOut{m.tool.Name, m.mode.Name, missing})
			continue
		}
		out.Examples = append(out.Examples, example{purpose(m.mode), m.tool.Name, a})
	}
	if l.page != "" {
		out.pages = []string{answer.Origin(l.page)}
	}
	return out, nil
}

// purpose is what a mode is for, in a few words.
func purpose(m catalog.Mode) string {
	first, _, _ := strings.Cut(m.Doc, ". ")
	for _, end := range []string{": ", "; "} {
		if begin, _, found := strings.Cut(first, end); found && len(begin) > 20 {
			first = begin
		}
	}
	return answer.Cut(strings.TrimSuffix(first, "."), 100)
}

// chosen is a mode that an example is wanted of.
type chosen struct {
	tool *catalog.Bound
	mode catalog.Mode
}

// modes returns the modes that are meant, the ones that fit a goal best first. Problem: unknown_mode, no_data.
func (l *live) modes(p examplesParams) (out []chosen, err error) {
	var names []string
	fits := map[string]int{}
	for _, b := range l.tools {
		names = append(names, b.Name)
		if p.Tool != "" && b.Name != strings.ToLower(p.Tool) {
			continue
		}
		wanted, found := catalog.Mode{}, false
		if p.Mode != "" {
			if wanted, found = b.Lookup(p.Mode); !found {
				continue
			}
		}
		for _, m := range b.Modes() {
			if found && m.Name != wanted.Name {
				continue
			}
			id := b.Name + " " + m.Name
			fits[id] = score(p.Goal, m)
			if p.Goal != "" && fits[id] == 0 || p.Goal == "" && p.Tool == "" && p.Mode == "" && !slices.Contains(usual, id) {
				continue
			}
			out = append(out, chosen{b, m})
		}
	}
	id := func(c chosen) string { return c.tool.Name + " " + c.mode.Name }
	switch {
	case p.Goal != "":
		slices.SortStableFunc(out, func(a, b chosen) int { return cmp.Compare(fits[id(b)], fits[id(a)]) })
	case p.Tool == "" && p.Mode == "":
		slices.SortFunc(out, func(a, b chosen) int { return cmp.Compare(slices.Index(usual, id(a)), slices.Index(usual, id(b))) })
	}
	if len(out) == 0 && p.Goal != "" {
		return nil, problem.New(problem.NoData, `Use other words, or leave "goal" out. configure {"action":"describe_capabilities"} lists all modes.`,
			"no mode is for %q.", answer.Cut(answer.Clean(p.Goal), 60))
	}
	if len(out) == 0 {
		return nil, problem.New(problem.UnknownMode,
			"Tools are: "+strings.Join(names, ", ")+`. configure {"action":"describe_capabilities"} lists their modes.`,
			"there is no tool or mode %q.", answer.Cut(strings.TrimSpace(p.Tool+" "+p.Mode), 80))
	}
	return out, nil
}

// score is how well a mode fits a goal: words of its name count most, then its aliases, then what it says of itself.
func score(goal string, m catalog.Mode) (sum int) {
	for _, word := range strings.FieldsFunc(strings.ToLower(goal), func(r rune) bool { return !('a' <= r && r <= 'z') }) {
		if len(word) < 3 {
			continue
		}
		word = strings.TrimSuffix(word, "s")
		switch {
		case strings.Contains(m.Name, word):
			sum += 5
		case strings.Contains(strings.Join(m.Aliases, " "), word):
			sum += 3
		case len(word) > 3 && strings.Contains(strings.ToLower(m.Doc), word):
			sum++
		}
	}
	return sum
}

// example returns the arguments of a call of a mode that works now, or what is missing for one.
func (l *live) example(c chosen) (_ json.RawMessage, missing string, err error) {
	for _, need := range []struct {
		needs catalog.Needs
		there bool
		words string
	}{
		{catalog.Extension, l.browser, "a browser with the extension"},
		{catalog.Tab, l.tab != 0, "a tab of a granted site"},
		{catalog.Pilot, l.pilot, "AI Web Pilot, which the user switches on"},
	} {
		if c.mode.Needs&need.needs != 0 && !need.there {
			return nil, need.words, nil
		}
	}
	a := args{}
	if f, ok := fills[c.tool.Name+" "+c.mode.Name]; ok {
		if a, missing = f(l); missing != "" {
			return nil, missing, nil
		}
	}
	for _, p := range c.mode.Params {
		if p.Required && a[p.Name] == nil {
			return nil, fmt.Sprintf("a value for %q", p.Name), nil
		}
	}
	raw, err := callOf(c.tool, c.mode.Name, a)
	return raw, "", err
}

// callOf writes the arguments of a call, the mode first.
func callOf(tool *catalog.Bound, mode string, a args) (json.RawMessage, error) {
	raw, err := answer.JSON(a)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("{%q:%q", tool.Key, mode)
	if len(a) > 0 {
		head += ","
	}
	return json.RawMessage(head + string(raw[1:])), nil
}

// Text writes the examples for a reader.
func (r *examplesResult) Text(w *answer.Writer) {
	w.Head("examples: %d, each as it can be sent", len(r.Examples))
	w.Page(r.pages...)
	entries := make([]answer.Entry, len(r.Examples))
	for i, e := range r.Examples {
		entries[i].Text = fmt.Sprintf("%s %s   %s", e.Tool, answer.Clean(string(e.Args)), e.Goal)
	}
	from, to := w.Entries(answer.Oldest, entries)
	if more := r.More + len(entries) - (to - from); more > 0 {
		w.Note("%d more; name a tool, a mode or a goal, or give a limit", more)
	}
	needs := map[string][]string{}
	var order []string
	for _, o := range r.LeftOut {
		if needs[o.Needs] == nil {
			order = append(order, o.Needs)
		}
		needs[o.Needs] = append(needs[o.Needs], o.Tool+" "+o.Mode)
	}
	for _, n := range order {
		modes := needs[n]
		more := ""
		if len(modes) > 5 {
			more = fmt.Sprintf(" and %d more", len(modes)-5)
			modes = modes[:5]
		}
		w.Note("without %s: no %s%s", n, strings.Join(modes, ", "), more)
	}
}
