package testfile

import (
	"slices"
	"strings"
)

// reader finds the locators among the tokens of a program.
type reader struct {
	lang    Language
	tokens  []token
	closing []int         // of each opening bracket the token that closes it; -1 for others
	expects []expectation // that are open
	uses    []Use
}

// expectation is a call of expect: what stands in its parentheses is asserted.
type expectation struct {
	from, to int // tokens
	absent   bool
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
	opens := map[string]string{")": "(", "]": "[", "}": "{"}
	var open []int
	count := map[string]int{} // of each kind in open
	for i, t := range r.tokens {
		r.closing[i] = -1
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
	r.expects = slices.DeleteFunc(r.expects, func(e expectation) bool { return e.to < head })
	if t.value == "expect" {
		for _, l := range links {
			if l.open > 0 {
				r.expects = append(r.expects, expectation{l.open, l.close, r.denied(links)})
				break
			}
		}
	}
	var parts []*Use
	var frame, why string
	many := false
	for i, l := range links {
		name := r.tokens[l.name].value
		if l.open == 0 {
			if name == "first" || name == "last" { // of Python
				many = true
			}
			continue
		}
		switch name {
		case "first", "last", "nth", "eq", "all", "count":
			many = true
			continue
		case "filter", "and", "or", "or_", "and_":
			if len(parts) > 0 && why == "" && (name != "and" || t.value != "cy") {
				why = "what " + name + " leaves of it is not looked at"
			}
			continue
		case "frameLocator", "frame_locator":
			if args := r.args(l); len(args.plain) == 1 && args.plain[0].known && frame == "" && len(parts) == 0 {
				frame = args.plain[0].value
			} else {
				why = "its frame is computed, or in another one"
			}
			continue
		}
		method, ok := methods[name]
		if !ok || method.cypress && t.value != "cy" || i == 0 && name == "locator" {
			continue
		}
		selector, reason := method.read(r.args(l))
		if reason == "" && why != "" {
			reason = why
		}
		if selector == "" && reason == skip {
			continue
		}
		u := Use{
			Start: r.tokens[l.name].start, End: r.tokens[l.close].end,
			Dialect: dialectOf(t.value, name, r.lang), Selector: selector, Why: reason, Frame: frame,
		}
		if method.all {
			u.Many = true
		}
		if n := len(parts); n > 0 && !method.fresh {
			within := parts[n-1]
			switch {
			case within.Why != "":
				u.Why = "what it is looked for in cannot be looked for"
			case within.Within != "":
				u.Why = "it is looked for in an element in an element"
			default:
				u.Within = within.Selector
			}
		}
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
		last.Why, last.Selector = why, ""
	}
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
		case acts[name] && last.Act == "":
			last.Act = name
		case t.value == "cy" && (name == "should" || name == "and"):
			last.Assertion = true
			if args := r.args(l); len(args.plain) > 0 && (args.plain[0].value == "not.exist" || args.plain[0].value == "not.be.visible") {
				last.Absent = true
			}
		}
	}
	for _, e := range r.expects {
		if head > e.from {
			last.Assertion, last.Absent = true, last.Absent || e.absent
		}
	}
	for _, p := range parts {
		r.uses = append(r.uses, *p)
	}
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
