package redact

import "github.com/brennhill/gasoline/internal/event"

// Batch replaces the secrets in every text of every event of b in place and sets event.Redacted
// where it did. The batch has to be the caller's alone. It returns what was found for the first
// time, for [Redactor.Keep].
func (r *Redactor) Batch(b *event.Batch) []Found {
	before := r.known.count.Load()
	p := pass{r: r}
	p.batch(b)
	if r.known.count.Load() != before {
		// What was learned from one event may stand in those that were looked at before it.
		p.heads, p.urls = [headTexts]repeated{}, [4]repeated{}
		p.batch(b)
	}
	return p.found
}

func (p *pass) batch(b *event.Batch) {
	for i := range b.Logs {
		p.log(&b.Logs[i])
	}
	for i := range b.Exceptions {
		p.exception(&b.Exceptions[i])
	}
	for i := range b.Exchanges {
		p.exchange(&b.Exchanges[i])
	}
	for i := range b.Resources {
		e := &b.Resources[i]
		p.head(&e.Head)
		p.url(&e.URL)
		p.texts("resource", &e.InitiatorType, &e.Protocol)
		p.mark(&e.Head)
	}
	for i := range b.Frames {
		e := &b.Frames[i]
		p.head(&e.Head)
		p.url(&e.URL)
		p.body(&e.Data, "", "frame")
		p.texts("frame", &e.Connection, &e.Protocol, &e.Event, &e.Direction, &e.Type, &e.Reason)
		p.mark(&e.Head)
	}
	for i := range b.Actions {
		p.action(&b.Actions[i])
	}
	for i := range b.DOM {
		e := &b.DOM[i]
		p.head(&e.Head)
		p.texts("dom", &e.Type, &e.Selector, &e.Class, &e.Role, &e.Text)
		for k := range e.Changes {
			p.text(&e.Changes[k], "dom")
		}
		p.mark(&e.Head)
	}
	for i := range b.Lifecycle {
		e := &b.Lifecycle[i]
		p.head(&e.Head)
		p.url(&e.FromURL)
		p.url(&e.ToURL)
		p.texts("lifecycle", &e.State, &e.Trigger, &e.Title)
		p.mark(&e.Head)
	}
	for i := range b.Performance {
		p.performance(&b.Performance[i])
	}
	for i := range b.ExtensionLogs {
		e := &b.ExtensionLogs[i]
		p.head(&e.Head)
		p.texts("extension_log", &e.Level, &e.Message, &e.Category)
		p.body(&e.Data, "", "extension_log")
		p.mark(&e.Head)
	}
	for i := range b.Marks {
		e := &b.Marks[i]
		p.head(&e.Head)
		p.texts("mark", &e.Type, &e.Label)
		p.mark(&e.Head)
	}
}

// pass is one walk over a batch. Texts that events of a batch share are looked at once in a row.
type pass struct {
	r       *Redactor
	at      *event.Head // of the event at hand
	changed bool        // a text of it
	found   []Found

	heads [headTexts]repeated
	urls  [4]repeated
	turn  int // place in urls that is overwritten next
}

// repeated is a text and what became of it.
type repeated struct{ in, out string }

const headTexts = 8

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
		p.set(s, p.r.clean(p, *s, plain, place))
	}
}

func (p *pass) texts(place string, list ...*string) {
	for _, s := range list {
		p.text(s, place)
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
	out := p.r.clean(p, *s, form, "url")
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
}

func (p *pass) shared(at int, s *string, m mode) {
	if *s == "" {
		return
	}
	memo := &p.heads[at]
	if memo.in != *s {
		*memo = repeated{*s, p.r.clean(p, *s, m, "head")}
	}
	p.set(s, memo.out)
}

func (p *pass) stack(frames []event.StackFrame) {
	for i := range frames {
		p.url(&frames[i].URL)
		p.url(&frames[i].Source)
		p.text(&frames[i].Function, "stack")
	}
}

func (p *pass) log(e *event.Log) {
	p.head(&e.Head)
	p.text(&e.Message, "message")
	p.body(&e.Args, "", "args")
	p.body(&e.Attributes, "", "attributes")
	p.text(&e.Level, "log")
	p.text(&e.Logger, "log")
	p.text(&e.RequestID, "log")
	p.url(&e.URL)
	p.stack(e.Stack)
	p.mark(&e.Head)
}

func (p *pass) exception(e *event.Exception) {
	p.head(&e.Head)
	p.texts("exception", &e.Type, &e.Message, &e.Mechanism, &e.Element)
	p.text(&e.RawStack, "stack")
	p.url(&e.URL)
	p.stack(e.Stack)
	for i := range e.Causes {
		p.texts("exception", &e.Causes[i].Type, &e.Causes[i].Message)
		p.stack(e.Causes[i].Stack)
	}
	p.mark(&e.Head)
}

func (p *pass) exchange(e *event.Exchange) {
	p.head(&e.Head)
	p.url(&e.URL)
	for i := range e.Redirects {
		p.url(&e.Redirects[i])
	}
	for _, list := range [][]event.Header{e.RequestHeaders, e.ResponseHeaders} {
		if p.r.fields(p, list) {
			p.changed = true
		}
		for i := range list {
			p.text(&list[i].Name, "header")
		}
	}
	p.body(&e.RequestBody, headerOf(e.RequestHeaders, "content-type"), "body")
	p.body(&e.ResponseBody, e.ContentType, "body")
	p.stack(e.Initiator.Stack)
	p.texts("exchange", &e.RequestID, &e.Method, &e.StatusText, &e.BodyNote, &e.ContentType, &e.Initiator.Type,
		&e.Outcome, &e.Error, &e.Protocol, &e.ServerTiming, &e.RemoteAddress)
	p.mark(&e.Head)
}

// headerOf returns the value of the first header with this lower-case name, or "".
func headerOf(hs []event.Header, name string) string {
	for i := range hs {
		if len(hs[i].Name) == len(name) && hasPrefixFold(hs[i].Name, name) {
			return hs[i].Value
		}
	}
	return ""
}

func (p *pass) action(e *event.Action) {
	p.head(&e.Head)
	p.url(&e.FromURL)
	p.url(&e.ToURL)
	for i := range e.Locators {
		p.texts("action", &e.Locators[i].Kind, &e.Locators[i].Value)
	}
	p.texts("action", &e.Type, &e.By, &e.Client, &e.Role, &e.Name, &e.Text, &e.Key, &e.Outcome)
	if p.r.secretField(e) && e.Value != "" {
		sc := scan{r: p.r, s: e.Value, place: "action", pass: p}
		sc.hide(held{to: len(e.Value), content: true}, kindSecret)
		p.set(&e.Value, sc.rest())
	} else {
		p.text(&e.Value, "action")
	}
	p.mark(&e.Head)
}

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

func (p *pass) performance(e *event.Performance) {
	p.head(&e.Head)
	p.url(&e.URL)
	p.text(&e.NavigationType, "performance")
	for _, v := range []*event.Vital{&e.LCP, &e.CLS, &e.INP, &e.FCP, &e.TTFB} {
		p.text(&v.Rating, "performance")
		p.body(&v.Attribution, "", "performance")
	}
	for i := range e.LongTasks {
		p.url(&e.LongTasks[i].Script)
	}
	for i := range e.Resources {
		p.text(&e.Resources[i].Type, "performance")
	}
	p.mark(&e.Head)
}
