package script

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/steps"
)

// act is one thing that a test does, with what is checked after it.
type act struct {
	number int
	remark string
	verb   string // goto, back, click, dblclick, fill, check, uncheck, choose, press, scroll, upload, submit, drag, gap
	at     *place // nil: the page
	to     *place // of a drag
	value  value
	list   []string // options to choose, files to upload
	key    string
	x, y   float64
	set    bool // the value is set, not typed: a slider, a colour
	again  bool // it is the first on its page: a page that is not ready yet may lose it
	asks   []ask
	checks []check
	opens  bool // dialogs of the browser
}

// place is where an act is done.
type place struct {
	frame string // pattern of the address of the frame; "" the page
	*locator
}

// locator finds an element.
type locator struct {
	kind    string // testid, attribute, role, label, placeholder, text, css
	value   string
	role    string // of kind role
	written bool   // the name is the element's text
	attr    string // of kind attribute
	summary bool   // the element is one of a <details>, which the frameworks give no role
}

// value is a text to type, or a variable that holds it.
type value struct{ text, variable string }

// ask is a request that an act causes.
type ask struct {
	name    string
	method  string
	pattern string
	status  int
	choose  bool     // only an answer with this status is meant: the same was asked for with several
	under   bool     // any status below 400 is good
	shape   []member // of the answer
}

// member is one member of a JSON answer.
type member struct {
	path []string
	kind string // string, number, boolean, object, array
}

// check is something that is to be true after an act.
type check struct {
	kind    string // url, text, value, checked, unchecked, chosen, dialog
	at      *place
	frame   string
	css     string // of a text's element
	role    string
	pattern string
	text    string
	visible bool
	list    []string
}

// acts turns steps into acts.
func (p *Plan) acts(w printer, s *Script) (out []act) {
	fresh := true // nothing was done yet on this page
	known := map[string]bool{}
	names := 0
	for i := 0; i < len(p.Steps); i++ {
		step := p.Steps[i]
		last := i == len(p.Steps)-1
		a := act{number: i + 1, remark: describe(&step)}
		p.do(&a, &step, w, s)
		if a.verb == "drag" {
			if i+1 == len(p.Steps) || p.Steps[i+1].Type != "drop" {
				a.gap(s, "where it was dropped is not recorded")
			} else {
				i++
				last = i == len(p.Steps)-1
				target := &p.Steps[i]
				step.Texts, step.Requests, step.Dialogs, step.LedTo = target.Texts, target.Requests, target.Dialogs, target.LedTo
				if a.to = placeOf(target, w); a.to == nil {
					a.gap(s, "nothing finds the element that it was dropped on")
				}
			}
		}
		if a.verb == "gap" {
			out = append(out, a)
			continue
		}
		if a.at != nil && a.at.locator != nil {
			if code, ok := w.locator("page", a.at.locator); ok && !known[code] {
				known[code] = true
				s.Selectors = append(s.Selectors, code)
			}
		}
		failing := last && p.Failure != nil
		p.asks(&a, &step, failing, &names)
		p.checks(&a, &step, failing)
		for _, c := range a.checks {
			s.count(c.kind)
		}
		for range a.asks {
			s.count("network")
		}
		a.again = fresh && a.verb != "goto" && a.verb != "back" && a.verb != "scroll" && a.verb != "drag"
		fresh = a.verb == "goto" || a.verb == "back" || step.LedTo != "" && !steps.Same(step.LedTo, step.PageURL)
		out = append(out, a)
	}
	return out
}

func (s *Script) count(kind string) {
	s.Checks++
	if !slices.Contains(s.Assertions, kind) {
		s.Assertions = append(s.Assertions, kind)
	}
}

func (a *act) gap(s *Script, why string) {
	a.verb, a.asks, a.checks = "gap", nil, nil
	a.value = value{text: fmt.Sprintf("Step %d has to be written by hand: %s.", a.number, why)}
	s.Gaps = append(s.Gaps, fmt.Sprintf("step %d, %s: %s", a.number, a.remark, why))
}

// do fills in what an act does.
func (p *Plan) do(a *act, step *steps.Step, w printer, s *Script) {
	need := func(verb string) bool {
		a.verb = verb
		if a.at = placeOf(step, w); a.at == nil {
			why := "no locator of its element finds exactly one"
			if len(step.Locators) == 0 {
				why = "nothing that finds its element was recorded"
			}
			a.gap(s, why)
			return false
		}
		return true
	}
	text := func() {
		a.value.text = step.Value
		if step.Masked {
			a.value = value{variable: s.variable(step.Label(), step.Value, a.number)}
		}
	}
	switch step.Type {
	case "navigate":
		a.verb, a.value.text = "goto", p.local(step.ToURL)
		if steps.Masked(step.ToURL) {
			a.value = value{variable: s.variable(fmt.Sprintf("url %d", a.number), step.ToURL, a.number)}
		}
	case "back":
		a.verb = "back"
	case "click":
		if step.Count == 2 {
			need("dblclick")
		} else {
			need("click")
		}
	case "input":
		if need("fill") {
			text()
		}
	case "select":
		if need("choose") {
			text()
			a.list = []string{step.Value}
			if step.Role == "listbox" {
				a.list = strings.Split(step.Value, ", ")
			}
		}
	case "check":
		switch step.Value {
		case "checked":
			need("check")
		case "unchecked":
			need("uncheck")
		default: // a slider, a colour
			if need("fill") {
				text()
				a.set = true
			}
		}
	case "keypress":
		a.verb, a.key = "press", step.Key
		if len(step.Locators) > 0 {
			need("press")
		}
	case "scroll":
		a.verb, a.x, a.y = "scroll", step.X, step.Y
		if len(step.Locators) > 0 {
			need("scroll")
		} else if step.InFrame {
			a.at = &place{frame: addressPattern(step.PageURL)}
		}
	case "upload":
		if need("upload") {
			a.list = files(step.Value)
		}
	case "submit":
		need("submit")
	case "drag":
		need("drag")
	case "drop":
		a.gap(s, "what was dropped came from outside of the page")
	default:
		a.gap(s, "it is a "+remark(step.Type))
	}
}

// files are the names of files in what a step tells of an upload: "cat.png (120 bytes), …".
func files(told string) (out []string) {
	for told != "" {
		name, rest := told, ""
		if at := fileEnd().FindStringIndex(told); at != nil {
			name, rest = told[:at[0]], told[at[1]:]
		}
		if name != "" {
			out = append(out, name)
		}
		told = rest
	}
	return out
}

// fileEnd is what stands behind the name of a file, which may have commas itself.
var fileEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` \(\d+ bytes\)(?:, |$)`) })

// variable names a variable that has to be set. What was typed into a field of the same name is another one where it was
// another secret.
func (s *Script) variable(label, typed string, number int) string {
	name := variable(label, number)
	if was, taken := s.typed[name]; taken && was != typed {
		name = fmt.Sprintf("%s_%d", name, number)
	}
	if s.typed == nil {
		s.typed = map[string]string{}
	}
	s.typed[name] = typed
	if !slices.Contains(s.Variables, name) {
		s.Variables = append(s.Variables, name)
	}
	return name
}

// local is an address as the test goes to it: without the origin where that is the test's own.
func (p *Plan) local(address string) string {
	if rest, ok := strings.CutPrefix(address, p.Origin); ok && (rest == "" || rest[0] == '/') {
		if rest == "" {
			return "/"
		}
		return rest
	}
	return address
}

// placeOf is where a step is done, by the first of its locators that finds exactly one and that the framework has; nil: none.
func placeOf(step *steps.Step, w printer) *place {
	l := chosen(step.Locators, step.Text, w)
	if l == nil {
		return nil
	}
	out := &place{locator: l}
	if step.InFrame {
		out.frame = addressPattern(step.PageURL)
	}
	return out
}

func chosen(list []steps.Locator, text string, w printer) *locator {
	for _, l := range list {
		if l.Matches != 1 {
			continue
		}
		if at := locatorOf(l); at != nil {
			at.written = text != "" && text == at.value
			at.summary = slices.ContainsFunc(list, func(l steps.Locator) bool { return l.Kind == "css" && isSummary(l.Value) })
			if _, ok := w.locator("page", at); ok {
				return at
			}
		}
	}
	return nil
}

// isSummary reports whether CSS ends with a summary.
func isSummary(css string) bool {
	at := css[strings.LastIndexAny(css, " >")+1:]
	end := strings.IndexFunc(at, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
	return at == "summary" || end > 0 && at[:end] == "summary"
}

// locatorOf reads a locator as the page wrote it (capture/locators/grammar.ts); nil for one that is not understood.
func locatorOf(l steps.Locator) *locator {
	switch l.Kind {
	case "testid":
		if name, rest, ok := strings.Cut(l.Value, "="); ok && strings.HasPrefix(name, "data-") {
			return &locator{kind: "attribute", attr: name, value: bare(rest)}
		}
		return &locator{kind: "testid", value: bare(l.Value)}
	case "role":
		role, rest, named := strings.Cut(l.Value, "[name=")
		if !named || !strings.HasSuffix(rest, "]") {
			return nil
		}
		return &locator{kind: "role", role: role, value: bare(strings.TrimSuffix(rest, "]"))}
	case "label", "placeholder", "text":
		return &locator{kind: l.Kind, value: bare(l.Value)}
	case "id":
		return &locator{kind: "attribute", attr: "id", value: l.Value}
	case "css":
		return &locator{kind: "css", value: l.Value}
	}
	return nil
}

// bare takes the quotes off a text.
func bare(s string) string {
	if len(s) < 2 || s[0] != '"' && s[0] != '\'' || s[len(s)-1] != s[0] {
		return s
	}
	var b strings.Builder
	inner := s[1 : len(s)-1]
	for i := 0; i < len(inner); i++ {
		if inner[i] == '\\' && i+1 < len(inner) && strings.IndexByte(`\"'`, inner[i+1]) >= 0 {
			i++
		}
		b.WriteByte(inner[i])
	}
	return b.String()
}

// attribute is CSS for an element with this attribute.
func attribute(name, value string) string {
	return `[` + name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\a `).Replace(value) + `"]`
}

// asks adds the requests that a step caused.
func (p *Plan) asks(a *act, step *steps.Step, failing bool, names *int) {
	if !p.Network {
		return
	}
	for _, r := range step.Requests {
		if r.Status == 0 || a.verb == "fill" && partly(r.URL, step.Value) {
			continue // no answer came, or it was of what stood there for a moment: that is not to be had again
		}
		one := ask{method: r.Method, pattern: addressPattern(r.URL), status: r.Status}
		same := func(b ask) bool { return b.method == one.method && b.pattern == one.pattern }
		if slices.ContainsFunc(a.asks, func(b ask) bool { return same(b) && b.status == one.status }) {
			continue
		}
		for i := range a.asks {
			if same(a.asks[i]) {
				a.asks[i].choose, one.choose = true, true
			}
		}
		// The one that failed is what the test is about.
		if f := p.Failure; f != nil && f.Request != nil && !p.Seen && failing && r.Status >= 400 &&
			f.Request.Method == r.Method && addressPattern(f.Request.URL) == one.pattern && len(p.Mocks) == 0 {
			one.under = true
		}
		*names++
		one.name = fmt.Sprintf("answer%d", *names)
		if body := p.Bodies[r.Seq]; body != "" && !one.under {
			one.shape = shapeOf(body)
		}
		a.asks = append(a.asks, one)
	}
}

// partly reports whether an address is of a part of a text: a test types all of it at once.
func partly(address, typed string) bool {
	if strings.ContainsAny(typed, "/?#") {
		return false
	}
	for part := range strings.SplitSeq(steps.PageOf(address), "/") {
		if s, err := url.PathUnescape(part); err == nil && s != "" && len(s) < len(typed) && strings.HasPrefix(typed, s) {
			return true
		}
	}
	return false
}

// maxMembers are the members of an answer that are checked.
const maxMembers = 30

// shapeOf lists the members of a JSON object, parents first; of an array only that it is one.
func shapeOf(body string) (out []member) {
	var v any
	if json.Unmarshal([]byte(body), &v) != nil {
		return nil
	}
	var walk func(path []string, v any)
	walk = func(path []string, v any) {
		kind := ""
		object, _ := v.(map[string]any)
		switch v.(type) {
		case string:
			kind = "string"
		case float64:
			kind = "number"
		case bool:
			kind = "boolean"
		case map[string]any:
			kind = "object"
		case []any:
			kind = "array"
		}
		if kind == "" || len(out) >= maxMembers {
			return // null says nothing of what else can stand there
		}
		out = append(out, member{path, kind})
		if len(path) >= 4 {
			return
		}
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if !steps.Volatile(key) {
				walk(append(slices.Clip(path), key), object[key])
			}
		}
	}
	walk(nil, v)
	return out
}

// checks adds what is to be true after an act.
func (p *Plan) checks(a *act, step *steps.Step, failing bool) {
	a.opens = len(step.Dialogs) > 0
	if !p.Texts {
		return
	}
	add := func(c check) { a.checks = append(a.checks, c) }
	switch a.verb {
	case "fill":
		if a.value.variable == "" && field(step) && !steps.Masked(step.Value) {
			add(check{kind: "value", at: a.at, text: step.Value})
		}
	case "check":
		add(check{kind: "checked", at: a.at})
	case "uncheck":
		add(check{kind: "unchecked", at: a.at})
	case "choose":
		if a.value.variable == "" {
			add(check{kind: "chosen", at: a.at, list: a.list})
		}
	}
	for _, d := range step.Dialogs {
		if m := pattern(d.Message); m != "" {
			message, cut := strings.CutSuffix(d.Message, "…")
			add(check{kind: "dialog", pattern: whole(message, cut || d.Cut), text: d.Type})
		}
	}
	if failing {
		return // what it led to is what was wrong
	}
	if to := addressPattern(step.LedTo); step.LedTo != "" {
		switch here := addressPattern(step.PageURL); {
		case a.verb == "goto" || to != here:
			add(check{kind: "url", pattern: to})
		case query(step.LedTo) != query(step.PageURL):
			add(check{kind: "url", pattern: queryPattern(step.LedTo)})
		}
	}
	for _, t := range step.Texts {
		c := check{kind: "text", pattern: whole(t.Value, t.Cut), text: t.Value, visible: t.Visible, role: t.Role}
		if c.pattern == "" || t.Brief {
			continue
		}
		if t.InFrame {
			c.frame = addressPattern(t.PageURL)
		}
		if tag, id, named := strings.Cut(t.Element, "#"); named {
			c.css = tag + attribute("id", id)
		} else {
			c.css = tag
		}
		add(c)
	}
}

// query is that of an address.
func query(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.RawQuery
}

// field reports whether a step's element is one with a value, as far as is told of it. Editable elements have a text instead.
func field(step *steps.Step) bool {
	if step.Text == "" && step.Value != "" {
		return true
	}
	for _, l := range step.Locators {
		if l.Kind == "css" {
			at := l.Value[strings.LastIndexAny(l.Value, " >")+1:]
			return strings.HasPrefix(at, "input") || strings.HasPrefix(at, "textarea")
		}
	}
	return false
}

// describe says what a step does, for a comment.
func describe(step *steps.Step) string {
	what := step.Type
	if step.Count == 2 {
		what = "double click"
	}
	who := strings.TrimSpace(step.Role + " " + quoteLabel(step.Label()))
	switch {
	case step.Type == "keypress":
		what = "press " + step.Key
	case step.Type == "navigate":
		return "go to " + remark(steps.PageOf(step.ToURL))
	}
	if who == "" {
		return remark(what)
	}
	return remark(what + " " + who)
}

func quoteLabel(s string) string {
	if s == "" {
		return ""
	}
	return "“" + s + "”"
}
