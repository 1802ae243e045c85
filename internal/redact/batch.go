package redact

import (
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// Batch replaces the secrets in every text of every event of b in place and sets event.Redacted
// where it did. The batch has to be the caller's alone. It returns what was found for the first
// time, for [Redactor.Keep].
func (r *Redactor) Batch(b event.Batch) []Found {
	before := r.learned()
	p := pass{r: r}
	if !r.pii && len(r.custom) == 0 {
		p.memo = r.memos.Get().(*memo)
		defer r.memos.Put(p.memo)
	}
	p.keyLines(b)
	p.batch(b)
	if r.learned() != before {
		// What was learned from one event may stand in those that were looked at before it.
		p.heads, p.urls = [headTexts]repeated{}, [4]repeated{}
		p.batch(b)
	}
	return p.found
}

// learned counts what became known so far.
func (r *Redactor) learned() int64 { return r.known.count.Load() + r.masked.count.Load() }

func (p *pass) batch(b event.Batch) {
	for _, e := range b {
		h := e.Base()
		p.kind = placeOf(e.Kind())
		p.head(h)
		e.Fields(p)
		p.mark(h)
	}
}

// placeOf returns the word for where a secret was found in an event of a kind: the kind's own.
func placeOf(k event.Kind) string {
	if k == event.KindResource {
		return "resource"
	}
	return k.String()
}

// pass is one walk over a batch. Texts that events of a batch share are looked at once in a row.
type pass struct {
	r       *Redactor
	at      *event.Head // of the event at hand
	kind    string      // its place
	changed bool        // a text of it
	found   []Found
	hits    int   // secrets found, pseudonyms renumbered
	memo    *memo // nil when rules of the user's own look at every text

	heads [headTexts]repeated
	urls  [4]repeated
	turn  int // place in urls that is overwritten next
}

// repeated is a text and what became of it.
type repeated struct{ in, out string }

const headTexts = 11

func (p *pass) mark(h *event.Head) {
	if p.changed {
		h.Flags |= event.Redacted
		p.changed = false
	}
}

func (p *pass) set(s *string, out string) {
	if out != *s {
		*s = out
		p.changed = true
	}
}

func (p *pass) text(s *string, place string) {
	if len(*s) >= 4 {
		p.set(s, p.clean(*s, plain, place))
	}
}

func (p *pass) body(s *string, contentType, place string) {
	if len(*s) >= 4 {
		p.set(s, p.r.body(p, *s, contentType, place))
	}
}

// url cleans a URL; scripts of one page log from few files.
func (p *pass) url(s *string) {
	if *s == "" {
		return
	}
	for i := range p.urls {
		if p.urls[i].in == *s {
			p.set(s, p.urls[i].out)
			return
		}
	}
	out := p.clean(*s, form, "url")
	p.urls[p.turn] = repeated{*s, out}
	p.turn = (p.turn + 1) % len(p.urls)
	p.set(s, out)
}

func (p *pass) head(h *event.Head) {
	p.at = h
	p.shared(0, &h.PageURL, form)
	p.shared(1, &h.Session, plain)
	p.shared(2, &h.Document, plain)
	p.shared(3, &h.Source, plain)
	p.shared(4, &h.Service, plain)
	p.shared(5, &h.TestID, plain)
	p.shared(6, &h.Worker, plain)
	p.shared(7, &h.Instance, plain)
	p.shared(8, &h.Cause.Action, plain)
	p.shared(9, &h.Cause.Command, plain)
	p.shared(10, &h.ClockDomain, plain)
}

func (p *pass) shared(at int, s *string, m mode) {
	if *s == "" {
		return
	}
	memo := &p.heads[at]
	if memo.in != *s {
		*memo = repeated{*s, p.clean(*s, m, "head")}
	}
	p.set(s, memo.out)
}

// The methods of event.Visitor.

// Text cleans what people read. Messages and stacks are places of their own.
func (p *pass) Text(name string, s *string) {
	place := p.kind
	switch name {
	case "message":
		if p.kind == "log" {
			place = "message"
		}
	case "raw_stack":
		place = "stack"
	}
	p.text(s, place)
}

// Word cleans an id or a word.
func (p *pass) Word(_ string, s *string) { p.text(s, p.kind) }

// URL cleans a URL.
func (p *pass) URL(_ string, s *string) { p.url(s) }

// JSON cleans text that may be JSON.
func (p *pass) JSON(name string, s *string) {
	place := p.kind
	if name == "args" || name == "attributes" {
		place = name
	}
	p.body(s, "", place)
}

// Input cleans what was typed; all of it, when the element is named like one for a secret.
func (p *pass) Input(_ string, s *string, of *event.Action) {
	if *s != "" && p.r.secretField(of) {
		sc := scan{r: p.r, s: *s, place: p.kind, pass: p}
		sc.hide(held{to: len(*s), content: true}, kindSecret)
		p.set(s, sc.rest())
		return
	}
	p.text(s, p.kind)
}

// Body cleans the body of a request or an answer by its type.
func (p *pass) Body(_ string, s *string, contentType string) { p.body(s, contentType, "body") }

// Picture leaves the bytes of a JPEG as they are, and nothing of what is none.
func (p *pass) Picture(_ string, s *string) {
	if *s != "" && !strings.HasPrefix(*s, "\xff\xd8\xff") {
		p.set(s, "")
	}
}

// Texts cleans each text.
func (p *pass) Texts(_ string, list *[]string) {
	for i := range *list {
		p.text(&(*list)[i], p.kind)
	}
}

// URLs cleans each URL.
func (p *pass) URLs(_ string, list *[]string) {
	for i := range *list {
		p.url(&(*list)[i])
	}
}

// Headers cleans the values by their names, and the names.
func (p *pass) Headers(_ string, list *[]event.Header) {
	if p.r.fields(p, *list) {
		p.changed = true
	}
	for i := range *list {
		p.text(&(*list)[i].Name, "header")
	}
}

// Stack cleans the calls.
func (p *pass) Stack(_ string, list *[]event.StackFrame) {
	for i := range *list {
		f := &(*list)[i]
		p.url(&f.URL)
		p.url(&f.Source)
		p.text(&f.Function, "stack")
	}
}

// Causes cleans the errors and their stacks.
func (p *pass) Causes(name string, list *[]event.ErrorCause) {
	for i := range *list {
		c := &(*list)[i]
		p.text(&c.Type, p.kind)
		p.text(&c.Message, p.kind)
		p.Stack(name, &c.Stack)
	}
}

// Locators cleans what elements are found by.
func (p *pass) Locators(_ string, list *[]event.Locator) {
	for i := range *list {
		p.text(&(*list)[i].Kind, p.kind)
		p.text(&(*list)[i].Value, p.kind)
	}
}

// Vital cleans what the vital is attributed to.
func (p *pass) Vital(_ string, v *event.Vital) {
	p.text(&v.Rating, p.kind)
	p.body(&v.Attribution, "", p.kind)
}

// LongTasks cleans the scripts' URLs.
func (p *pass) LongTasks(_ string, list *[]event.LongTask) {
	for i := range *list {
		p.url(&(*list)[i].Script)
	}
}

// Sums cleans the types.
func (p *pass) Sums(_ string, list *[]event.ResourceSum) {
	for i := range *list {
		p.text(&(*list)[i].Type, p.kind)
	}
}

// Numbers hold no secrets.

func (p *pass) Int(string, *int)            {}
func (p *pass) Int64(string, *int64)        {}
func (p *pass) Uint64(string, *uint64)      {}
func (p *pass) Repeats(string, *int)        {}
func (p *pass) Float(string, *float64)      {}
func (p *pass) Bool(string, *bool)          {}
func (p *pass) Time(string, *time.Time)     {}
func (p *pass) Span(string, *time.Duration) {}
func (p *pass) Fact(string, bool)           {}

// secretField reports whether the element that was typed into is named like one for a secret.
func (r *Redactor) secretField(e *event.Action) bool {
	if r.names.match(e.Name) != "" {
		return true
	}
	for i := range e.Locators {
		switch l := &e.Locators[i]; l.Kind {
		case "label", "placeholder", "id", "testid":
			if r.names.match(l.Value) != "" {
				return true
			}
		}
	}
	return false
}
