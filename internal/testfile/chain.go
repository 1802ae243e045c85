package testfile

import (
	"cmp"
	"slices"
	"strings"
)

// reader finds the locators among the tokens of a program.
type reader struct {
	src     string
	lang    Language
	tokens  []token
	closing []int  // of each opening bracket the token that closes it; -1 for others
	spans   []span // that are open
	uses    []Use
	remarks []int            // how many comments stand before each token
	names   map[string][]int // of variables and members that hold elements: their uses
}

// span is a part of a program that says something of the chains in it.
type span struct {
	from, to int    // tokens
	asserts  bool   // what is found is asserted
	absent   bool   // that it is not there, or not to be seen
	zero     bool   // that there are none of it
	act      string // is done to it
	scoped   bool   // chains of cy look in what within has:
	within   string // selector
	why      string // why that is not known
}

// link is one call or property of a chain as a.b(c).d.
type link struct {
	name        int // token
	open, close int // tokens of the parentheses; 0 for a property
}

// pair finds the bracket that closes each opening one. One that closes nothing is left out, and one of another kind that is
// not closed.
func (r *reader) pair() {
	r.closing = make([]int, len(r.tokens))
	r.remarks = make([]int, len(r.tokens))
	opens := map[string]string{")": "(", "]": "[", "}": "{"}
	var open []int
	count := map[string]int{} // of each kind in open
	for i, t := range r.tokens {
		r.closing[i] = -1
		if i > 0 {
			r.remarks[i] = r.remarks[i-1]
			if strings.TrimSpace(r.src[r.tokens[i-1].end:t.start]) != "" {
				r.remarks[i]++
			}
		}
		switch {
		case t.is("("), t.is("["), t.is("{"):
			open = append(open, i)
			count[t.value]++
		case t.kind == sign && count[opens[t.value]] > 0:
			for closed := false; !closed; {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				was := r.tokens[last].value
				count[was]--
				if closed = was == opens[t.value]; closed {
					r.closing[last] = i
				}
			}
		}
	}
}

// links returns the chain that begins with a word, without the words that are neither called nor have a part.
func (r *reader) links(head int) (out []link) {
	at := head
	for {
		next := at + 1
		l := link{name: at}
		if r.tokens[next].is("(") && r.closing[next] > 0 {
			l.open, l.close = next, r.closing[next]
			next = l.close + 1
		}
		out = append(out, l)
		for r.tokens[next].is("!") || r.tokens[next].is("[") && r.closing[next] > 0 || r.tokens[next].is("(") && r.closing[next] > 0 {
			next = max(next, r.closing[next]) + 1 // not null, a part by its number, what a call gave is called
		}
		if r.tokens[next].is("?") && r.tokens[next+1].is(".") {
			next++
		}
		if !r.tokens[next].is(".") || r.tokens[next+1].kind != word {
			return out
		}
		at = next + 1
	}
}

// chain reads the chain that begins at a token, if one does.
func (r *reader) chain(head int) {
	t := r.tokens[head]
	if t.kind != word || head > 0 && r.tokens[head-1].is(".") {
		return
	}
	links := r.links(head)
	r.spans = slices.DeleteFunc(r.spans, func(s span) bool { return s.to < head })
	r.span(links)
	var parts []*Use
	place := r.place(head)
	why := ""
	many := false
	for i, l := range links {
		name := r.tokens[l.name].value
		if l.open == 0 {
			if name == "first" || name == "last" { // of Python
				many = true
			}
			if len(parts) == 0 {
				place.property(name)
			}
			continue
		}
		switch name {
		case "first", "last", "nth", "eq", "all", "count":
			many = true
			place.moves(name, t.value == "cy")
			continue
		case "filter", "or", "or_", "and_", "and":
			if name == "and" && t.value == "cy" {
				break
			}
			if len(parts) > 0 && why == "" {
				why = "what " + name + " leaves of it is not looked at"
			}
			continue
		case "frameLocator", "frame_locator":
			if args := r.args(l); len(args.plain) == 1 && args.plain[0].known && place.frame == "" && len(parts) == 0 && place.why == "" {
				place.frame = args.plain[0].value
			} else {
				why = "its frame is computed, or in another one"
			}
			continue
		}
		if len(parts) > 0 && t.value == "cy" && (name == "should" || name == "and") {
			parts[len(parts)-1].Assertion = true
		}
		if i > 0 && links[i-1].open == 0 && r.tokens[links[i-1].name].value == "page" && (acts[name] || ofPage[name]) && len(r.args(l).plain) > 0 {
			// An element is looked for by the act itself: there is no call that another locator could stand for.
			parts = append(parts, &Use{
				Start: r.tokens[l.name].start, End: r.tokens[l.close].end, Dialect: dialectOf(t.value, name, r.lang),
				Why: "page." + name + " looks for it itself: write it with page.locator",
			})
		}
		method, ok := methods[name]
		if !ok || method.cypress && t.value != "cy" || i == 0 && name == "locator" {
			place.moves(name, t.value == "cy")
			continue
		}
		args := r.args(l)
		dialect := dialectOf(t.value, name, r.lang)
		if _, said := args.named["exact"]; !said && dialect == TestingLibrary {
			args.named["exact"] = arg{word: "true"} // a text is the whole text there
		}
		selector, reason := method.read(args)
		if reason == "" && why != "" {
			reason = why
		}
		if selector == "" && reason == skip {
			place.moves(name, true)
			continue
		}
		u := Use{
			Start: r.tokens[l.name].start, End: r.tokens[l.close].end,
			Dialect: dialect, Selector: selector, Why: reason, Frame: place.frame, Many: method.all, Extra: r.extra(l, args),
		}
		switch n := len(parts); {
		case n > 0 && !method.fresh:
			within := parts[n-1]
			switch {
			case within.Why != "":
				u.Why = "what it is looked for in cannot be looked for"
			case within.Within != "":
				u.Why = "it is looked for in an element in an element"
			case place.why != "":
				u.Why = place.why
			default:
				u.Within = within.Selector
			}
		case method.cypress && i > 1 && !method.fresh:
			u.Why = "it is looked for in what " + r.tokens[links[i-1].name].value + " gives"
		case method.cypress || i == 0 || n > 0:
			u.Within = place.within
			if u.Why == "" && place.outer != "" {
				u.Why = place.outer
			}
		default:
			u.Within = place.within
			if u.Why == "" {
				u.Why = place.why
			}
		}
		place.why = ""
		if u.Why != "" {
			u.Selector, u.Within = "", ""
		}
		parts = append(parts, &u)
	}
	if len(parts) == 0 {
		return
	}
	last := parts[len(parts)-1]
	last.Many = last.Many || many
	if why != "" && last.Why == "" {
		last.Why, last.Selector, last.Within = why, "", ""
	}
	said := r.under(head, r.said(links, last))
	last.Act, last.Absent = said.Act, said.Absent
	for _, p := range parts {
		p.Assertion = p.Assertion || said.Assertion
		p.Acted = said.Act != "" && !p.Assertion
		r.uses = append(r.uses, *p)
	}
	if name := r.holder(head); name != "" && said.Act == "" && !said.Assertion {
		if end := r.tokens[r.end(head, links)]; end.is(";") || end.is(",") || end.is("}") || end.is(")") || end.kind != sign {
			r.names[name] = append(r.names[name], len(r.uses)-1)
		}
	}
}

// ofPage are what a page of Playwright does or asks with a selector, beside acts.
var ofPage = set(
	"waitForSelector", "wait_for_selector", "textContent", "text_content", "innerText", "inner_text", "innerHTML", "inner_html",
	"inputValue", "input_value", "getAttribute", "get_attribute", "isVisible", "is_visible", "isHidden", "is_hidden", "isChecked",
	"is_checked", "isEnabled", "is_enabled", "isDisabled", "is_disabled", "isEditable", "is_editable", "dragAndDrop", "drag_and_drop",
	"$", "$$", "$eval", "$$eval", "query_selector", "query_selector_all", "eval_on_selector", "eval_on_selector_all",
)

// maxSpans are the calls in calls that are looked at. No program has so many.
const maxSpans = 100

// place is where a chain looks for its next element.
type place struct {
	frame  string // selector of the iframe
	within string // selector of the element; "" for the whole page
	outer  string // why that is not known, for what begins anew
	why    string // why it is not known for what comes next
}

// place tells where a chain that begins at a token looks.
func (r *reader) place(head int) (out place) {
	if r.tokens[head].value != "cy" {
		return out
	}
	for _, s := range r.spans {
		if s.scoped && head > s.from {
			out.within, out.outer = s.within, s.why
		}
	}
	return out
}

// property is a word before the first call: only a page is known to be one by its name.
func (p *place) property(name string) {
	switch name {
	case "page", "screen", "cy":
		p.why = ""
	default:
		p.why = "it is looked for in " + name + ", which is not known here"
	}
}

// moves is a call between two elements: it may lead to another one, or to another page.
func (p *place) moves(name string, cypress bool) {
	if !cypress || !stays[name] && !acts[name] {
		p.why = "it is looked for in what " + name + " gives"
	}
}

// stays are the commands of Cypress that give on what they are given.
var stays = set("should", "and", "as", "wait", "log", "debug", "pause", "screenshot")

// said is what a chain says of its last element.
type said struct {
	Act               string
	Assertion, Absent bool
	asked             bool // whether it is there
}

func (r *reader) said(links []link, last *Use) (out said) {
	behind := false
	for _, l := range links {
		if r.tokens[l.name].start == last.Start {
			behind = true
			continue
		}
		if !behind || l.open == 0 {
			continue
		}
		switch name := r.tokens[l.name].value; {
		case acts[name] && out.Act == "":
			out.Act = name
		case asks[name]:
			out.asked = true
		case name == "waitFor", name == "wait_for":
			if state := r.args(l).named["state"].value; state == "hidden" || state == "detached" {
				out.Absent = true
			}
		case last.Dialect == Cypress && (name == "should" || name == "and"):
			out.Assertion = true
			args := r.args(l).plain
			if len(args) > 0 && (args[0].value == "not.exist" || args[0].value == "not.be.visible" ||
				args[0].value == "have.length" && len(args) > 1 && args[1].word == "0") {
				out.Absent = true
			}
		}
	}
	return out
}

// asks are the questions whether an element is there.
var asks = set("count", "isVisible", "is_visible", "isHidden", "is_hidden", "all")

// span takes what the calls of a chain say of the chains in them.
func (r *reader) span(links []link) {
	head := links[0].name
	t := r.tokens[head]
	if len(r.spans) > maxSpans {
		return
	}
	if r.lang == Python && t.value == "assert" {
		to := head
		for depth := 0; r.tokens[to+1].kind != trailing && (depth > 0 || !strings.Contains(r.src[r.tokens[to].end:r.tokens[to+1].start], "\n")); to++ {
			if r.closing[to+1] > 0 {
				depth++
			} else if n := r.tokens[to+1]; n.is(")") || n.is("]") || n.is("}") {
				depth--
			}
		}
		no := r.tokens[head+1].value == "not" || r.tokens[to].value == "0" && r.tokens[to-1].is("=") || r.tokens[to].value == "False"
		r.spans = append(r.spans, span{from: head, to: to, asserts: true, zero: no})
	}
	for i, l := range links {
		if l.open == 0 {
			continue
		}
		s := span{from: l.open, to: l.close}
		switch name := r.tokens[l.name].value; {
		case t.value == "expect" || t.value == "assert":
			s.asserts, s.absent, s.zero = true, r.denied(links), r.none(links)
			r.spans = append(r.spans, s)
			return
		case name == "waitForElementToBeRemoved":
			s.absent = true
		case i == 1 && (t.value == "userEvent" || t.value == "user" || t.value == "fireEvent"):
			s.act = name
		case i > 0 && name == "within":
			s.scoped = true
			s.why = "it is looked for within an element that is not known here"
			if i == 2 && t.value == "cy" && r.tokens[links[1].name].value == "get" {
				if selector, why := cypressCSS(r.args(links[1])); why == "" && !slices.ContainsFunc(r.spans, func(s span) bool { return s.scoped && s.from < head }) {
					s.within, s.why = selector, ""
				}
			}
		default:
			continue
		}
		r.spans = append(r.spans, s)
	}
}

// extra reports whether a call has more than what its selector says: other arguments, or comments.
func (r *reader) extra(l link, a args) bool {
	for name := range a.named {
		if name != "exact" && name != "name" && !slices.Contains(states, name) {
			return true
		}
	}
	return len(a.plain) > 1 || r.remarks[l.name] != r.remarks[l.close]
}

// holder returns the name that is given to the chain that begins at a token: of a variable or a member; "" for none.
func (r *reader) holder(head int) string {
	at := head - 1
	if at > 0 && r.tokens[at].value == "await" {
		at--
	}
	if at < 1 || !r.tokens[at].is("=") && !r.tokens[at].is(":") || r.tokens[at-1].kind != word {
		return ""
	}
	return r.tokens[at-1].value
}

// end returns the token behind a chain.
func (r *reader) end(head int, links []link) int {
	at := head
	for _, l := range links {
		at = max(at, l.name, l.close)
	}
	return at + 1
}

// held takes what is done elsewhere to the elements that have names: what is asserted of one by its name is asserted of it.
func (r *reader) held() {
	r.spans = nil
	of := map[string]said{}
	for i, t := range r.tokens {
		if t.kind != word {
			continue
		}
		if i == 0 || !r.tokens[i-1].is(".") {
			r.spans = slices.DeleteFunc(r.spans, func(s span) bool { return s.to < i })
			r.span(r.links(i))
		}
		if r.names[t.value] == nil || r.tokens[i+1].is("=") || r.tokens[i+1].is(":") {
			continue
		}
		begin := []link{{name: i}}
		if call := i + 2; r.tokens[i+1].is(".") && r.tokens[call].kind == word && r.tokens[call+1].is("(") && r.closing[call+1] > 0 {
			begin = append(begin, link{call, call + 1, r.closing[call+1]})
		}
		now, all := r.under(i, r.said(begin, &Use{Start: t.start})), of[t.value]
		all.Assertion, all.Absent = all.Assertion || now.Assertion, all.Absent || now.Absent
		all.Act = cmp.Or(all.Act, now.Act)
		of[t.value] = all
	}
	for name, uses := range r.names {
		for _, n := range uses {
			u := &r.uses[n]
			u.Assertion, u.Absent = of[name].Assertion, of[name].Absent
			u.Acted = of[name].Act != "" && !u.Assertion
		}
	}
}

// under adds what stands around a chain that begins at a token.
func (r *reader) under(head int, of said) said {
	for _, s := range r.spans {
		if head <= s.from {
			continue
		}
		of.Assertion = of.Assertion || s.asserts
		of.Absent = of.Absent || s.absent || s.zero && of.asked
		if of.Act == "" {
			of.Act = s.act
		}
	}
	of.Absent = of.Absent || of.asked && !of.Assertion // the test does without it
	return of
}

// denied reports whether what is expected is that something is not there or not seen.
func (r *reader) denied(links []link) bool {
	not := false
	for _, l := range links {
		switch name := r.tokens[l.name].value; name {
		case "not":
			not = !not
		case "toBeVisible", "to_be_visible", "toBeAttached", "to_be_attached", "toBeInViewport", "to_be_in_viewport", "toBeInTheDocument":
			return not
		case "toBeHidden", "to_be_hidden", "not_to_be_visible", "not_to_be_attached", "not_to_be_in_viewport", "toBeNull":
			return !not
		case "toHaveCount", "to_have_count":
			if l.open > 0 && l.close == l.open+2 && r.tokens[l.open+1].value == "0" {
				return !not
			}
		}
	}
	return false
}

// none reports whether what is expected is that nothing is there, of an answer to whether it is.
func (r *reader) none(links []link) bool {
	not := false
	for _, l := range links {
		switch name := r.tokens[l.name].value; name {
		case "not":
			not = !not
		case "toBe", "toEqual", "toStrictEqual":
			if l.open > 0 && l.close == l.open+2 && (r.tokens[l.open+1].value == "0" || r.tokens[l.open+1].value == "false") {
				return !not
			}
		case "toBeFalsy":
			return !not
		case "toBeTruthy":
			return not
		}
	}
	return false
}

// arg is one argument: a text that is known, or not.
type arg struct {
	value string
	known bool
	word  string // of a single word: true, 2
}

// args are the arguments of a call. Named are those of Python and the properties of an object of JavaScript.
type args struct {
	plain []arg
	named map[string]arg
}

// args reads the arguments of a call.
func (r *reader) args(l link) args {
	out := args{named: map[string]arg{}}
	for from := l.open + 1; from < l.close; {
		to := r.next(from, l.close)
		switch {
		case r.tokens[from].is("{"):
			for at := from + 1; at < r.closing[from]; {
				end := r.next(at, r.closing[from])
				r.property(out.named, at, end, ":")
				at = end + 1
			}
		case to-from > 2 && r.tokens[from].kind == word && r.tokens[from+1].is("=") && !r.tokens[from+2].is("="):
			r.property(out.named, from, to, "=")
		default:
			out.plain = append(out.plain, r.value(from, to))
		}
		from = to + 1
	}
	return out
}

// next returns the token that ends what begins at from: a comma that belongs to no bracket, or to.
func (r *reader) next(from, to int) int {
	for i := from; i < to; i++ {
		if r.tokens[i].is(",") {
			return i
		}
		if r.closing[i] > i {
			i = min(r.closing[i], to)
		}
	}
	return to
}

// property reads a name with its value; a name alone stands for a variable.
func (r *reader) property(out map[string]arg, from, to int, between string) {
	if from >= to || r.tokens[from].kind != word && r.tokens[from].kind != text {
		return
	}
	if from+1 < to && r.tokens[from+1].is(between) {
		out[r.tokens[from].value] = r.value(from+2, to)
		return
	}
	out[r.tokens[from].value] = arg{}
}

// value reads an expression. Strings of Python that stand side by side are one.
func (r *reader) value(from, to int) arg {
	if to-from == 1 && r.tokens[from].kind == word {
		return arg{word: r.tokens[from].value}
	}
	var b strings.Builder
	for i := from; i < to; i++ {
		if r.tokens[i].kind != text || i > from && r.lang != Python {
			return arg{}
		}
		b.WriteString(r.tokens[i].value)
	}
	return arg{value: b.String(), known: to > from}
}
