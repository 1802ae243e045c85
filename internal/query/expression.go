package query

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

// grammar is the language of Query.Where:
//
//	or     = and { "or" and } .
//	and    = not { "and" not } .
//	not    = "not" not | "(" or ")" | test .
//	test   = field [ op value ] .
//	op     = "=" | "!=" | "~" | "!~" | "<" | "<=" | ">" | ">=" .
//	value  = a word without spaces and parentheses, or text in '…' or "…" with \ before ' " and \ .
//
// Words of the language are read without regard to case; "==", "&&", "||" and "!" are understood as
// well. A field alone holds when it is true, not empty or not 0. "=" compares exactly, "~" looks for a
// part without regard to case. Times take an RFC 3339 time, epoch milliseconds, or a duration back
// ("time > 30s" is the last 30 seconds); other numbers take a duration as milliseconds ("duration > 1.5s").
// An event whose kind has no such field passes no test of it, "!=" and "!~" included; "not" turns that around.
const grammar = `field = value, also != ~ !~ < <= > >=, joined by and, or, not, ( ): ` +
	`status >= 400 and url ~ /api or message ~ "timed out"`

// The bounds of an expression.
const (
	maxExpression = 2048 // bytes
	maxDepth      = 32   // of parentheses and nots
	maxTests      = 64
)

// expression is a filter in words, compiled for some kinds. It may be shared by goroutines.
type expression struct {
	root   *node
	bodies bool
}

// node is an operator with one or two operands, or a test.
type node struct {
	op          string // and, or, not, or a test's; "" for a field alone
	left, right *node
	field       column
	of          [event.KindCount]value // what to compare with, in the field's shape for the kind
}

// compile reads an expression over the kinds. "" passes everything; durations back are counted from now. Error:
// invalid_param that tells the place, as a character counted from 1.
func compile(source string, kinds []event.Kind, now time.Time) (*expression, error) {
	if len(source) > maxExpression {
		return nil, problem.New(
			problem.InvalidParam,
			"Use a shorter expression.",
			"where has %d bytes, more than %d.",
			len(source),
			maxExpression,
		)
	}
	p := parser{source: source, kinds: kinds, now: now, x: &expression{}}
	p.space()
	if p.at == len(source) {
		return p.x, nil
	}
	root, err := p.or(0)
	if err == nil && p.at < len(source) {
		err = p.problem(p.at, "%q does not belong here", p.peek())
	}
	if err != nil {
		return nil, err
	}
	p.x.root = root
	return p.x, nil
}

// known returns the kinds that exist, all for none.
func known(kinds []event.Kind) []event.Kind {
	if len(kinds) == 0 {
		return event.Kinds()
	}
	var out []event.Kind
	for _, k := range kinds {
		if k > 0 && int(k) < event.KindCount {
			out = append(out, k)
		}
	}
	return out
}

// narrow adds to f what the expression asks of every event and headers can tell, so that the rest is not
// decoded. A test that is there already stays.
func (x *expression) narrow(f Filter) Filter {
	var all func(*node)
	all = func(n *node) {
		switch {
		case n == nil:
		case n.op == "and":
			all(n.left)
			all(n.right)
		case n.op == "=":
			for _, v := range n.of {
				if v.shape == text && v.s != "" {
					f.demand(n.field.name, v.s)
					return
				}
			}
		}
	}
	all(x.root)
	return f
}

// demand sets a field that is not set.
func (f *Filter) demand(name, s string) {
	into := map[string]*string{
		"service": &f.Service, "session": &f.Session, "test_id": &f.TestID, "worker": &f.Worker,
		"trace_id": &f.TraceID, "action": &f.Action,
	}[name]
	switch {
	case into != nil && *into == "":
		*into = s
	case name == "level" && (s == "error" || s == "warn"):
		f.Severity = max(f.Severity, event.SeverityOf(s))
	}
}

// match reports whether the item passes.
func (x *expression) match(it Item) bool { return x.root == nil || x.root.match(it) }

func (n *node) match(it Item) bool {
	switch n.op {
	case "and":
		return n.left.match(it) && n.right.match(it)
	case "or":
		return n.left.match(it) || n.right.match(it)
	case "not":
		return !n.left.match(it)
	}
	v := n.field.value(it)
	if n.op == "" {
		return v.set()
	}
	if v.shape == absent {
		return false
	}
	return compare(v, n.op, n.of[it.Kind])
}

func compare(v value, op string, with value) bool {
	if op == "~" || op == "!~" {
		return Contains(v.key(), with.s) == (op == "~")
	}
	order := 0
	switch v.shape {
	case text:
		order = strings.Compare(v.s, with.s)
	case moment:
		order = v.t.Compare(with.t)
	default:
		switch { // not cmp.Compare: NaN equals nothing
		case v.n < with.n:
			order = -1
		case v.n > with.n:
			order = 1
		case v.n != with.n:
			return op == "!="
		}
	}
	switch op {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	default:
		return order >= 0
	}
}

type parser struct {
	source string
	at     int
	tests  int
	kinds  []event.Kind
	now    time.Time
	x      *expression
}

func (p *parser) problem(at int, format string, args ...any) error {
	return problem.New(
		problem.InvalidParam,
		"Write "+grammar,
		"where, character %d: %s.",
		len([]rune(p.source[:at]))+1,
		fmt.Sprintf(format, args...),
	)
}

func (p *parser) space() {
	for p.at < len(p.source) && strings.IndexByte(" \t\r\n", p.source[p.at]) >= 0 {
		p.at++
	}
}

// peek returns a few of the next characters, for messages.
func (p *parser) peek() string {
	rest := []rune(p.source[p.at:])
	return string(rest[:min(len(rest), 12)])
}

// word takes a word of the language or its sign.
func (p *parser) word(word, sign string) bool {
	rest := p.source[p.at:]
	if sign != "" && strings.HasPrefix(rest, sign) && !strings.HasPrefix(rest, "!=") && !strings.HasPrefix(rest, "!~") {
		p.at += len(sign)
		p.space()
		return true
	}
	if len(rest) < len(word) || !strings.EqualFold(rest[:len(word)], word) ||
		len(rest) > len(word) && inName(rest[len(word)]) {
		return false
	}
	p.at += len(word)
	p.space()
	return true
}

func (p *parser) or(depth int) (*node, error) {
	left, err := p.and(depth)
	for err == nil && p.word("or", "||") {
		n := &node{op: "or", left: left}
		n.right, err = p.and(depth)
		left = n
	}
	return left, err
}

func (p *parser) and(depth int) (*node, error) {
	left, err := p.not(depth)
	for err == nil && p.word("and", "&&") {
		n := &node{op: "and", left: left}
		n.right, err = p.not(depth)
		left = n
	}
	return left, err
}

func (p *parser) not(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, p.problem(p.at, "more than %d levels", maxDepth)
	}
	start := p.at
	if p.word("not", "!") {
		left, err := p.not(depth + 1)
		return &node{op: "not", left: left}, err
	}
	if p.at == len(p.source) || p.source[p.at] != '(' {
		return p.test()
	}
	p.at++
	p.space()
	n, err := p.or(depth + 1)
	if err != nil {
		return nil, err
	}
	if p.at == len(p.source) || p.source[p.at] != ')' {
		return nil, p.problem(p.at, "the parenthesis of character %d is not closed", start+1)
	}
	p.at++
	p.space()
	return n, nil
}

func inName(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (p *parser) test() (*node, error) {
	start := p.at
	for p.at < len(p.source) && inName(p.source[p.at]) {
		p.at++
	}
	name := strings.ToLower(p.source[start:p.at])
	if name == "" {
		if p.at == len(p.source) {
			return nil, p.problem(p.at, "a field is missing at the end")
		}
		return nil, p.problem(p.at, "%q is not a field", p.peek())
	}
	if p.tests++; p.tests > maxTests {
		return nil, p.problem(start, "more than %d tests", maxTests)
	}
	field, ok := resolve(name, p.kinds)
	if !ok {
		return nil, unknownField(p.problem(start, "no field %q", name), p.kinds)
	}
	p.x.bodies = p.x.bodies || isBody(name)
	p.space()
	n := &node{field: field}
	for _, op := range []string{"==", "!=", "!~", "<=", ">=", "=", "~", "<", ">"} {
		if strings.HasPrefix(p.source[p.at:], op) {
			n.op = op
			p.at += len(op)
			break
		}
	}
	if n.op == "" {
		return n, nil
	}
	if n.op == "==" {
		n.op = "="
	}
	p.space()
	return n, p.operand(n)
}

// operand reads the value and converts it to the field's shape in each kind.
func (p *parser) operand(n *node) error {
	start := p.at
	literal, err := p.literal()
	if err != nil {
		return err
	}
	p.space()
	if n.op == "~" || n.op == "!~" {
		for k := range n.of {
			n.of[k] = value{shape: text, s: literal}
		}
		return nil
	}
	fits, wanted := false, absent
	for _, k := range p.kinds {
		s := n.field.of[k].shape
		if s == absent {
			continue
		}
		v, ok := convert(literal, s, p.now)
		if !ok {
			wanted = s
			n.field.of[k] = getter{} // this kind's field can never equal it
			continue
		}
		n.of[k], fits = v, true
	}
	if !fits {
		return p.problem(start, "%s is %s, %.40q is not", n.field.name, wanted, literal)
	}
	return nil
}

func (p *parser) literal() (string, error) {
	start := p.at
	if p.at == len(p.source) {
		return "", p.problem(p.at, "a value is missing at the end")
	}
	quote := p.source[p.at]
	if quote != '"' && quote != '\'' {
		for p.at < len(p.source) && strings.IndexByte(" \t\r\n()", p.source[p.at]) < 0 {
			p.at++
		}
		if p.at == start {
			return "", p.problem(p.at, "a value is missing before %q", p.peek())
		}
		return p.source[start:p.at], nil
	}
	var b strings.Builder
	for p.at++; p.at < len(p.source); p.at++ {
		c := p.source[p.at]
		if c == quote {
			p.at++
			return b.String(), nil
		}
		if c == '\\' && p.at+1 < len(p.source) && strings.IndexByte(`\'"`, p.source[p.at+1]) >= 0 {
			p.at++
			c = p.source[p.at]
		}
		b.WriteByte(c)
	}
	return "", p.problem(start, "the quote is not closed")
}

func convert(s string, to shape, now time.Time) (value, bool) {
	switch to {
	case text:
		return value{shape: text, s: s}, true
	case truth:
		b, err := strconv.ParseBool(strings.ToLower(s))
		v := value{shape: truth}
		if b {
			v.n = 1
		}
		return v, err == nil
	case number:
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return value{shape: number, n: f}, true
		}
		d, err := time.ParseDuration(s)
		return value{shape: number, n: float64(d) / float64(time.Millisecond)}, err == nil
	case moment:
		if t, err := time.Parse(time.RFC3339, s); err == nil {
			return value{shape: moment, t: t}, true
		}
		if ms, err := strconv.ParseFloat(s, 64); err == nil && ms >= 0 && ms < 1e15 {
			return value{shape: moment, t: time.UnixMicro(int64(ms * 1000))}, true
		}
		d, err := time.ParseDuration(s)
		return value{shape: moment, t: now.Add(-d)}, err == nil
	}
	return value{}, false
}

func isBody(name string) bool { return name == "request_body" || name == "response_body" }

// unknownField adds to a problem which fields there are.
func unknownField(err error, kinds []event.Kind) error {
	p := problem.From(err)
	p.Fix = "Use one of the fields below."
	for _, k := range kinds {
		p.Details = append(p.Details, k.String()+": "+strings.Join(fields(k), " "))
	}
	return p
}
