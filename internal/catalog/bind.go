package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

// Gate is asked before a mode runs: it returns a problem when what the mode needs is not there.
type Gate func(ctx context.Context, call Call, needs Needs) error

// Bound is a tool tied to its environment. It is safe for concurrent use.
type Bound struct {
	Info
	modes  []Mode
	find   func(name string) (int, bool)
	params func(i int) []Param
	check  func(i int, fields map[string]json.RawMessage) error
	call   func(ctx context.Context, i int, call Call, fields map[string]json.RawMessage) (any, error)
	gate   Gate
	fresh  Fresh    // nil: nobody is asked
	others []*Bound // the tools that are offered together
}

// Introduce tells tools that are offered together of each other, so that one can name the other's modes.
func Introduce(tools []*Bound) {
	for _, b := range tools {
		b.others = tools
	}
}

// Ask has tools ask the pages before their modes read.
func Ask(tools []*Bound, fresh Fresh) {
	for _, b := range tools {
		b.fresh = fresh
	}
}

// Mode describes one mode of a bound tool.
type Mode struct {
	Spec
	Params []Param
}

// Outcome is what a call gave, and how the caller wants to read it.
type Outcome struct {
	Value  any
	AsJSON bool // as: "json"
	Budget int  // characters; 0 means the default
	Limit  bool // an explicit limit was given, which lifts the default budget

	// Hidden tells what the answer does not show because noise rules hide it; nil: nothing. It counts while the answer is
	// rendered, too, as far as that reads.
	Hidden *Hidden

	// Idle are parameters that were given and do nothing in this mode, and that no caller should be refused for.
	Idle []string
}

// Bind ties a tool to an environment made for each call. gate may be nil: nothing is needed then.
func Bind[E any](t *Tool[E], env func(Call) E, gate Gate) *Bound {
	b := &Bound{Info: t.Info, gate: gate}
	modes := t.ordered()
	for _, m := range modes {
		b.modes = append(b.modes, Mode{Spec: m.Spec, Params: nil})
	}
	index := map[*mode[E]]int{}
	for i, m := range modes {
		index[m] = i
	}
	b.find = func(name string) (int, bool) {
		m := t.find(name)
		if m == nil {
			return 0, false
		}
		return index[m], true
	}
	b.check = func(i int, fields map[string]json.RawMessage) error { return modes[i].check(fields) }
	b.call = func(ctx context.Context, i int, call Call, fields map[string]json.RawMessage) (any, error) {
		return modes[i].call(ctx, env(call), fields)
	}
	params := make([]func() []Param, len(modes))
	for i, m := range modes {
		params[i] = sync.OnceValue(func() []Param { return withDefault(m.params(), m.Limit) })
	}
	b.params = func(i int) []Param { return params[i]() }
	return b
}

// withDefault says the mode's own default where a parameter is its limit.
func withDefault(params []Param, limit int) []Param {
	at := slices.IndexFunc(params, func(p Param) bool { return p.Name == "limit" })
	if limit == 0 || at < 0 {
		return params
	}
	out := slices.Clone(params)
	out[at].Doc += fmt.Sprintf("; default %d", limit)
	return out
}

// ordered returns the modes with those that Info puts first in front.
func (t *Tool[E]) ordered() []*mode[E] {
	out := slices.Clone(t.modes)
	rank := func(m *mode[E]) int {
		if i := slices.Index(t.First, m.Name); i >= 0 {
			return i
		}
		return len(t.First)
	}
	slices.SortStableFunc(out, func(a, b *mode[E]) int { return rank(a) - rank(b) })
	return out
}

// common are the parameters that every mode takes. Waiting modes take two more.
var (
	common = []Param{
		{
			Name: "as",
			Type: "string",
			Enum: []string{"text", "json"},
			Doc:  "json gives the typed result instead of text",
		},
		{Name: "budget", Type: "integer", Doc: "most characters of the answer, 500–30000; default 6000"},
		{Name: "client", Type: "string", Doc: "names the caller, for clients without a session"},
	}
	waiting = []Param{
		{Name: "timeout_ms", Type: "integer", Doc: "one deadline for finding, waiting and acting"},
		{Name: "background", Type: "boolean", Doc: "answer at once with a correlation_id"},
	}
	reading = []Param{{Name: "noise", Type: "boolean", Doc: "show what noise rules hide, too"}}
)

// Shared returns the parameters that a mode takes beside its own.
func Shared(m Mode) []Param {
	out := slices.Clone(common)
	if m.Wait > 0 {
		out = append(out, waiting...)
	}
	if m.Reads {
		out = append(out, reading...)
	}
	return out
}

// Modes lists the modes in the order of their declaration, with their parameters.
func (b *Bound) Modes() []Mode {
	out := slices.Clone(b.modes)
	for i := range out {
		out[i].Params = b.params(i)
	}
	return out
}

// Lookup returns the mode with this name or alias.
func (b *Bound) Lookup(name string) (Mode, bool) {
	i, ok := b.lookup(name)
	if !ok {
		return Mode{}, false
	}
	m := b.modes[i]
	m.Params = b.params(i)
	return m, true
}

// Bounds of what a caller names.
const (
	maxName   = 64  // bytes of a mode's or parameter's name; longer ones are not looked up
	maxFields = 100 // parameters of one call
)

// extras are parameters that clients add to every call for themselves. They are ignored, unless a mode
// has one of its own by that name.
var extras = []string{
	"wait_for_previous", // Gemini CLI, for the order of parallel calls
}

// lookup is find for a name that somebody sent.
func (b *Bound) lookup(name string) (int, bool) {
	if len(name) > maxName {
		return 0, false
	}
	return b.find(name)
}

// fields reads the arguments, which are a JSON object or empty. Clients that fill every property of the
// schema send null and "" for what they do not mean: both are as if they were not there, but for "" where
// a mode has a use for it, which the mode's declaration says.
func (b *Bound) fields(args json.RawMessage) (map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if len(args) == 0 || string(args) == "null" {
		return fields, nil
	}
	if err := json.Unmarshal(args, &fields); err != nil {
		return nil, problem.New(
			problem.InvalidParam,
			"Send a JSON object.",
			"the arguments of %s are no JSON object.",
			b.Name,
		)
	}
	if len(fields) > maxFields {
		return nil, problem.New(
			problem.InvalidParam,
			"Send only what the mode takes.",
			"%d parameters are more than %d.",
			len(fields),
			maxFields,
		)
	}
	for name, raw := range fields {
		if string(raw) == "null" {
			delete(fields, name)
		}
	}
	return fields, nil
}

// has reports whether the tool knows a parameter of this name, in whatever mode.
func (b *Bound) has(name string) bool {
	is := func(p Param) bool { return p.Name == normal(name) }
	if slices.ContainsFunc(slices.Concat(common, waiting, reading), is) || Named(name, "mode") {
		return true
	}
	for i := range b.modes {
		if slices.ContainsFunc(b.params(i), is) {
			return true
		}
	}
	return false
}

// Call runs the mode that args name. args is a JSON object, or empty. Errors are problems that say
// what to change.
func (b *Bound) Call(ctx context.Context, call Call, args json.RawMessage) (Outcome, error) {
	came := time.Now()
	fields, err := b.fields(args)
	if err != nil {
		return Outcome{}, err
	}
	name, err := b.dispatch(fields)
	if err != nil {
		return Outcome{}, err
	}
	if Named(name, "help") {
		text, err := b.Help(stringField(fields, "mode"))
		return Outcome{Value: text}, err
	}
	i, ok := b.lookup(name)
	if !ok {
		return Outcome{}, b.unknownMode(name)
	}
	m, params := b.modes[i], b.params(i)
	idle := takeIdle(fields, params)
	fields, err = b.resolve(m, params, fields)
	if err != nil {
		return Outcome{}, err
	}
	call.Tool, call.Mode, call.Limit = b.Name, m.Name, m.Limit
	out, err := takeCommon(m, &call, came, params, fields)
	if err != nil {
		return Outcome{}, err
	}
	// What is missing is said before a person is asked to switch anything on for it.
	if err := missing(params, fields); err != nil {
		return Outcome{}, err
	}
	if b.gate != nil && m.Needs != Nothing {
		if err := b.gate(ctx, call, m.Needs); err != nil {
			return Outcome{}, err
		}
	}
	if whose, asks := whoseOf(params, fields); b.fresh != nil && m.Reads && asks {
		call.Unheard = b.fresh(ctx, call, whose)
	}
	out.Value, err = b.call(ctx, i, call, fields)
	out.Idle = idle
	return out, err
}

// Check returns what is wrong with a call's arguments by themselves, before anything is asked or done; nil when nothing is.
func (b *Bound) Check(args json.RawMessage) error {
	fields, err := b.fields(args)
	if err != nil {
		return err
	}
	name, err := b.dispatch(fields)
	if err != nil || Named(name, "help") {
		return err
	}
	i, ok := b.lookup(name)
	if !ok {
		return b.unknownMode(name)
	}
	m, params := b.modes[i], b.params(i)
	takeIdle(fields, params)
	if fields, err = b.resolve(m, params, fields); err != nil {
		return err
	}
	if _, err = takeCommon(m, &Call{}, time.Now(), params, fields); err != nil {
		return err
	}
	if err = missing(params, fields); err != nil {
		return err
	}
	return b.check(i, fields)
}

// ModeOf returns the name of the mode that args ask for, for logs and audits; "" when none.
func (b *Bound) ModeOf(args json.RawMessage) string {
	fields, err := b.fields(args)
	if err != nil {
		return ""
	}
	name, err := b.dispatch(fields)
	if err != nil {
		return ""
	}
	if i, ok := b.lookup(name); ok {
		return b.modes[i].Name
	}
	return ""
}

// dispatch takes the mode's name out of fields. Every tool accepts "what" beside its own key, as
// long as that is no parameter of the mode.
func (b *Bound) dispatch(fields map[string]json.RawMessage) (string, error) {
	for _, key := range []string{b.Key, "what", "action", "format"} {
		raw, ok := fields[key]
		if !ok || key != b.Key && key != "what" && fields[b.Key] != nil {
			continue
		}
		var name string
		var list []string
		if json.Unmarshal(raw, &list) == nil && len(list) == 1 {
			name = list[0]
		} else if json.Unmarshal(raw, &name) != nil || name == "" {
			continue
		}
		if key != b.Key && key != "what" {
			if _, known := b.lookup(name); !known {
				continue
			}
		}
		delete(fields, key)
		return name, nil
	}
	return "", problem.New(
		problem.MissingParam,
		fmt.Sprintf(
			`Give %s, one of: %s. %s {"%s":"help"} explains them.`,
			b.Key,
			strings.Join(b.names(), ", "),
			b.Name,
			b.Key,
		),
		"%s is required.",
		b.Key,
	)
}

func (b *Bound) names() []string {
	out := make([]string, len(b.modes))
	for i, m := range b.modes {
		out[i] = m.Name
	}
	return out
}

func (b *Bound) unknownMode(name string) error {
	p := problem.New(
		problem.UnknownMode,
		"One of: "+strings.Join(b.names(), ", ")+".",
		"%s has no mode %q.",
		b.Name,
		cut(name),
	)
	if len(name) > maxName {
		return p
	}
	var words []string
	for _, m := range b.modes {
		words = append(words, m.Name)
		words = append(words, m.Aliases...)
	}
	for _, o := range b.others {
		if i, ok := o.lookup(name); ok {
			p.Message = fmt.Sprintf("%s has no mode %q, but %s has.", b.Name, name, o.Name)
			p.Fix = fmt.Sprintf(`Call %s {%q:%q}.`, o.Name, o.Key, o.modes[i].Name)
			return p
		}
	}
	if near := Nearest(name, words); near != "" {
		if i, ok := b.find(near); ok {
			p.Message = fmt.Sprintf("%s has no mode %q; did you mean %q?", b.Name, name, b.modes[i].Name)
		}
	}
	return p
}

// resolve returns the fields under their proper names, or the problem of the first that has none.
func (b *Bound) resolve(m Mode, params []Param, fields map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	known := map[string]string{}
	declared := map[string]Param{}
	add := func(ps []Param) {
		for _, p := range ps {
			declared[p.Name] = p
			known[normal(p.Name)] = p.Name
			for _, a := range p.Aliases {
				known[normal(a)] = p.Name
			}
		}
	}
	add(Shared(m))
	add(params)
	out := make(map[string]json.RawMessage, len(fields))
	given := make([]string, 0, len(fields))
	for name := range fields {
		given = append(given, name)
	}
	slices.Sort(given) // the same call gives the same error
	for _, name := range given {
		if len(name) > maxName {
			return nil, b.unknownParam(m, params, name)
		}
		proper, ok := known[normal(name)]
		if !ok {
			if string(fields[name]) == `""` || slices.Contains(extras, normal(name)) ||
				idle(fields[name]) && b.has(name) {
				continue
			}
			return nil, b.unknownParam(m, params, name)
		}
		p := declared[proper]
		if p.absent(fields[name]) {
			continue
		}
		if _, twice := out[proper]; twice && name != proper {
			continue // the proper name wins over an alias of it
		}
		out[proper] = fields[name]
	}
	return out, nil
}

func (b *Bound) unknownParam(m Mode, params []Param, name string) error {
	fix := "It takes no parameters."
	if len(params) > 0 {
		fix = "It takes: " + strings.Join(paramNames(params), ", ") + "."
	}
	if len(name) > maxName {
		return problem.New(problem.InvalidParam, fix, "%s %s has no parameter %q.", b.Name, m.Name, cut(name))
	}
	words := make([]string, 0, len(params))
	for _, p := range params {
		words = append(words, p.Name)
		words = append(words, p.Aliases...)
	}
	if instead, ok := m.Instead[normal(name)]; ok {
		return problem.New(
			problem.InvalidParam,
			fix,
			"%s %s has no parameter %q; use %s.",
			b.Name,
			m.Name,
			name,
			instead,
		)
	}
	if near := Nearest(name, words); near != "" {
		return problem.New(
			problem.InvalidParam,
			fix,
			"%s %s has no parameter %q; did you mean %q?",
			b.Name,
			m.Name,
			name,
			near,
		)
	}
	var owners []string
	for i, other := range b.modes {
		if slices.ContainsFunc(b.params(i), func(p Param) bool { return p.Name == normal(name) }) {
			owners = append(owners, other.Name)
		}
	}
	if len(owners) > 0 {
		if len(owners) > 6 {
			owners = append(owners[:6], "…")
		}
		return problem.New(
			problem.InvalidParam,
			fix,
			"%s %s has no parameter %q; it belongs to %s.",
			b.Name,
			m.Name,
			name,
			strings.Join(owners, ", "),
		)
	}
	return problem.New(problem.InvalidParam, fix, "%s %s has no parameter %q.", b.Name, m.Name, name)
}

func paramNames(params []Param) []string {
	out := make([]string, len(params))
	for i, p := range params {
		out[i] = p.Name
	}
	return out
}

// takeIdle takes a limit out of fields where the mode has one entry, or its own bound: a caller that asks for few
// gets them. It returns the names that it took.
func takeIdle(fields map[string]json.RawMessage, params []Param) []string {
	const limit = "limit"
	if _, given := fields[limit]; !given ||
		slices.ContainsFunc(
			params,
			func(p Param) bool { return p.Name == limit || slices.Contains(p.Aliases, limit) },
		) {
		return nil
	}
	delete(fields, limit)
	return []string{limit}
}

// whoseOf reads whose events fields mean. It is false where nobody can have more of them: an event that has a handle was
// sent. What is not understood, the mode refuses.
func whoseOf(params []Param, fields map[string]json.RawMessage) (w Whose, more bool) {
	if fields["id"] != nil {
		return w, false
	}
	var scope string
	for name, target := range map[string]any{"scope": &scope, "tab": &w.Tab, "session": &w.Session, "service": &w.Service} {
		at := slices.IndexFunc(params, func(p Param) bool { return p.Name == name })
		w.Services = w.Services || name == "service" && at >= 0
		if raw, given := fields[name]; given && at >= 0 {
			if fixed, err := coerce(params[at], raw); err == nil {
				_ = json.Unmarshal(fixed, target)
			}
		}
	}
	w.All = scope == "all"
	return w, true
}

// takeCommon reads the parameters that every mode has and takes them out of fields, unless the mode
// declares a parameter of that name itself. came is when the call came: its deadline counts from there.
func takeCommon(
	m Mode,
	call *Call,
	came time.Time,
	params []Param,
	fields map[string]json.RawMessage,
) (Outcome, error) {
	var c struct {
		As         string `json:"as"`
		Budget     int    `json:"budget"`
		TimeoutMS  int    `json:"timeout_ms"`
		Background bool   `json:"background"`
		Client     string `json:"client"`
		Noise      bool   `json:"noise"`
	}
	own := map[string]bool{}
	for _, p := range params {
		own[p.Name] = true
	}
	targets := map[string]any{
		"as":         &c.As,
		"budget":     &c.Budget,
		"timeout_ms": &c.TimeoutMS,
		"background": &c.Background,
		"client":     &c.Client,
		"noise":      &c.Noise,
	}
	for _, p := range slices.Concat(common, waiting, reading) {
		raw, ok := fields[p.Name]
		if !ok || own[p.Name] {
			continue
		}
		delete(fields, p.Name)
		fixed, err := coerce(p, raw)
		if err == nil && json.Unmarshal(fixed, targets[p.Name]) != nil {
			err = wrongType(p, raw)
		}
		if err != nil {
			return Outcome{}, err
		}
	}
	if c.Budget != 0 && (c.Budget < 500 || c.Budget > 30000) {
		return Outcome{}, problem.New(
			problem.InvalidParam,
			"",
			"budget is %d; it must be 500–30000 characters.",
			c.Budget,
		)
	}
	most := m.MaxWait
	if most == 0 {
		most = 2 * time.Minute
	}
	if c.TimeoutMS != 0 && (c.TimeoutMS < 100 || time.Duration(c.TimeoutMS)*time.Millisecond > most) {
		return Outcome{}, problem.New(
			problem.InvalidParam,
			"",
			"timeout_ms is %d; it must be 100–%d.",
			c.TimeoutMS,
			most.Milliseconds(),
		)
	}
	wait := m.Wait
	if c.TimeoutMS > 0 {
		wait = time.Duration(c.TimeoutMS) * time.Millisecond
	}
	if end := came.Add(wait); wait > 0 && (call.Deadline.IsZero() || end.Before(call.Deadline)) {
		call.Deadline = end
	}
	call.Detached, call.JSON, call.Budget = c.Background, c.As == "json", c.Budget
	if len(c.Client) > 64 {
		return Outcome{}, problem.New(problem.InvalidParam, "", "client has %d bytes; it may have 64.", len(c.Client))
	}
	if c.Client != "" {
		call.Client, call.Sessionless = "named-"+c.Client, false
	}
	if m.Reads && !c.Noise {
		call.Hidden = &Hidden{}
	}
	_, limited := fields["limit"]
	return Outcome{AsJSON: call.JSON, Budget: c.Budget, Limit: limited, Hidden: call.Hidden}, nil
}

func stringField(fields map[string]json.RawMessage, name string) string {
	var s string
	_ = json.Unmarshal(fields[name], &s) // absent or no string: no mode named
	return s
}
