package steps

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// Bounds of what a collector holds. What is over them is counted.
const (
	maxActions = 5000     // actions and visits
	maxCaused  = 10_000   // effects
	maxBytes   = 10 << 20 // of both
	maxEffects = 12       // of each kind of one step
	maxText    = 300      // characters of a text or a message
)

// Text is a text that stood in the page after a step.
type Text struct {
	Element string `json:"element,omitempty"` // tag, with #id where that is sure: p#paid; "" unknown
	Role    string `json:"role,omitempty"`    // of a toast
	Value   string `json:"text"`
	Cut     bool   `json:"cut,omitempty"`     // Value is only the beginning
	Visible bool   `json:"visible,omitempty"` // somebody could see it; false: not known
	Brief   bool   `json:"brief,omitempty"`   // it went within a second
	PageURL string `json:"url,omitempty"`     // of the document
	InFrame bool   `json:"in_frame,omitempty"`
}

// Dialog is an alert, a confirm or a prompt.
type Dialog struct {
	Type    string `json:"type"`
	Message string `json:"message,omitempty"`
	Cut     bool   `json:"cut,omitempty"` // Message is only the beginning
}

// Request is an exchange that a step is known to have caused.
type Request struct {
	Method string    `json:"method"`
	URL    string    `json:"url"`
	Status int       `json:"status,omitempty"` // 0: no answer came
	Seq    event.Seq `json:"seq,omitempty"`    // of the exchange in the store of the run that recorded it
}

// effect is something that happened after a deed.
type effect struct {
	at       time.Time
	seq      event.Seq
	action   string
	document string
	main     bool   // its document is the main frame's
	batch    int    // texts that were told at once
	key      string // of a text: whose it is
	gone     string // a text that is there no more; text is nil
	id       string // of a request
	text     *Text
	dialog   *Dialog
	request  *Request
}

// Collector takes events of one tab and makes steps of them. The zero value is ready. Not safe for concurrent use.
type Collector struct {
	Private bool // leave out what is typed
	Over    int  // actions over the bounds, which were left out

	deeds   []deed
	effects []effect
	left    int // effects over the bounds
	bytes   int
	batch   int
}

// Take takes an event. It reports false for one that is neither an action nor a visit: that may still be an effect.
func (c *Collector) Take(e event.Event) bool {
	d, ok := deedOf(e, c.Private)
	if !ok {
		for _, x := range c.effectsOf(e) {
			if len(c.effects) >= maxCaused || c.bytes+x.size() > maxBytes {
				c.left++
				continue
			}
			c.bytes += x.size()
			c.effects = append(c.effects, x)
		}
		return false
	}
	if len(c.deeds) >= maxActions || c.bytes+d.size() > maxBytes {
		c.Over++
		return true
	}
	c.bytes += d.size()
	c.deeds = append(c.deeds, d)
	return true
}

// Steps makes steps of what was taken so far, with times since began.
func (c *Collector) Steps(began time.Time) []Step {
	deeds := slices.Clone(c.deeds)
	all := made(deeds)
	c.assign(all, deeds)
	out := make([]Step, 0, len(all))
	for _, d := range all {
		d.TimeMS = max(0, d.at.Sub(began).Milliseconds())
		out = append(out, d.Step)
	}
	if n := len(out); n > 0 {
		out[n-1].Unlisted += c.left
	}
	return out
}

// size is about how many bytes an effect takes.
func (x *effect) size() int {
	n := 150
	switch {
	case x.text != nil:
		n += len(x.text.Value) + len(x.text.PageURL)
	case x.dialog != nil:
		n += len(x.dialog.Message)
	case x.request != nil:
		n += len(x.request.URL)
	}
	return n
}

// effectsOf returns what an event tells of the effects of a deed.
func (c *Collector) effectsOf(e event.Event) []effect {
	h := e.Base()
	x := effect{at: h.Time, seq: h.Seq, action: h.Cause.Action, document: h.Document, main: h.Frame == 0}
	switch e := e.(type) {
	case *event.DOM:
		if e.Type == "transient" {
			text := newText(e.Text, h)
			text.Role, text.Visible, text.Brief = e.Role, true, e.Shown > 0 && e.Shown < time.Second
			x.at, x.text, x.key = h.Time.Add(-e.Shown), &text, "transient "+e.Text
			return []effect{x}
		}
		// At ten changes the page stopped looking: what is there last is not known.
		if len(e.Changes) >= 10 {
			return nil
		}
		c.batch++
		return c.changes(e, x)
	case *event.Lifecycle:
		if e.State != "dialog_opened" {
			return nil
		}
		message := cut(e.Title, maxText)
		x.dialog = &Dialog{Type: e.Trigger, Message: message, Cut: message != e.Title}
	case *event.Exchange:
		// An exchange that only the time speaks for may be another's.
		if x.action == "" || e.Outcome == "pending" || h.Flags&event.Inferred != 0 || !byScript(e.Initiator.Type) {
			return nil
		}
		x.at = e.Started
		if x.at.IsZero() {
			x.at = h.Time
		}
		x.id = e.RequestID
		x.request = &Request{Method: e.Method, URL: e.URL, Status: e.Status, Seq: h.Seq}
	default:
		return nil
	}
	return []effect{x}
}

// byScript reports whether a script asked for an exchange, and will in a test, too.
func byScript(initiator string) bool {
	switch initiator {
	case "fetch", "xhr", "":
		return true
	}
	return false
}

func newText(value string, h *event.Head) Text {
	t := Text{Value: value, PageURL: h.PageURL, InFrame: h.Frame != 0}
	if rest, ok := strings.CutSuffix(value, "…"); ok {
		t.Value, t.Cut = strings.TrimSpace(rest), true
	}
	return t
}

// changes reads the lines of a summary: `+ <p#paid.big> "Paid"` for an element that came, - for one that went, ~ for a text
// that changed; without a text it is empty now.
func (c *Collector) changes(e *event.DOM, x effect) (out []effect) {
	for _, line := range e.Changes {
		sign, rest, _ := strings.Cut(line, " ")
		element, value, ok := strings.Cut(rest, `> "`)
		if !ok {
			element, ok = strings.CutSuffix(rest, ">")
			value = `"`
		}
		if !ok || !strings.HasPrefix(element, "<") || !strings.HasSuffix(value, `"`) {
			continue
		}
		one := x
		one.batch = c.batch
		element, value = element[1:], strings.TrimSuffix(value, `"`)
		if sign == "-" {
			if one.gone = value; value != "" {
				out = append(out, one)
			}
			continue
		}
		text := newText(value, &e.Head)
		text.Element = plain(element)
		one.text, one.key = &text, sign+element
		if sign == "+" {
			one.key += " " + value
		}
		out = append(out, one)
	}
	return out
}

// plain returns the tag of an element, with its id where it is sure where that ends: classes follow it behind dots.
func plain(element string) string {
	tag, id, named := strings.Cut(element, "#")
	if named && !strings.ContainsAny(id, ". :") && id != "" && tag != "" && !Volatile(id) {
		return tag + "#" + id
	}
	tag, _, _ = strings.Cut(tag, ".")
	return tag
}

// assign gives each step what came of it. deeds are all deeds with the visits, in order; all are the steps made of them.
func (c *Collector) assign(all []*deed, deeds []deed) {
	if len(all) == 0 {
		return
	}
	byAction := map[string]*deed{}
	for _, d := range all {
		if d.action != "" {
			byAction[d.action] = d
		}
	}
	effects := slices.Clone(c.effects)
	slices.SortStableFunc(effects, func(a, b effect) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.seq, b.seq)) })
	texts := make([][]effect, len(all))
	seen := map[string]*Request{} // by the id of the exchange: the last that was told of it counts
	for _, x := range effects {
		i, found := slices.BinarySearchFunc(all, x.at, func(d *deed, at time.Time) int { return d.at.Compare(at) })
		if !found {
			i--
		}
		if byAction[x.action] == nil && i+1 < len(all) && all[i+1].typedBy(x.action) {
			i++
		}
		if x.text != nil || x.gone != "" {
			if i >= 0 && stays(x, deeds, all, i) {
				texts[i] = append(texts[i], x)
			}
			continue
		}
		d := byAction[x.action]
		if d == nil && i >= 0 {
			d = all[i]
		}
		switch {
		case d == nil:
		case x.dialog != nil:
			keep(d, &d.Dialogs, *x.dialog)
		case x.request != nil && x.id != "" && seen[x.id] != nil:
			*seen[x.id] = *x.request
		case x.request != nil:
			if keep(d, &d.Requests, *x.request) && x.id != "" {
				seen[x.id] = &d.Requests[len(d.Requests)-1]
			}
		}
	}
	for i, list := range texts {
		for _, t := range standing(list) {
			keep(all[i], &all[i].Texts, t)
		}
	}
}

func keep[T any](d *deed, list *[]T, one T) bool {
	if *list == nil {
		*list = make([]T, 0, maxEffects) // pointers into it stay
	}
	if len(*list) >= maxEffects {
		d.Unlisted++
		return false
	}
	*list = append(*list, one)
	return true
}

// stays reports whether a text's document is the one that the tab shows when the next step is done.
func stays(x effect, deeds []deed, all []*deed, i int) bool {
	for j := len(deeds) - 1; j >= 0; j-- {
		v := &deeds[j]
		if !v.visit || v.inPage || i+1 < len(all) && v.at.After(all[i+1].at) {
			continue
		}
		return !v.at.After(x.at) && (!x.main || v.document == x.document)
	}
	return true // no other document is known
}

// standing returns of what was told after a step the texts that stood there in the end. What goes by itself, like a clock,
// is left out.
func standing(list []effect) (out []Text) {
	last := map[string]int{}
	for i, x := range list {
		if x.text != nil {
			last[x.key] = i
		}
	}
	for i, x := range list {
		if x.text == nil || x.text.Value == "" || last[x.key] != i || ticks(list[:i], x) {
			continue
		}
		// What a toast says is told once more as an element that came.
		same := slices.ContainsFunc(out, func(t Text) bool { return t.Value == x.text.Value && t.InFrame == x.text.InFrame })
		toast := x.key[0] != 't' && slices.ContainsFunc(list, func(y effect) bool {
			return y.text != nil && y.key[0] == 't' && strings.Contains(x.text.Value, y.text.Value)
		})
		went := x.key[0] != 't' && slices.ContainsFunc(list[i+1:], func(y effect) bool {
			return y.gone != "" && strings.Contains(y.gone, x.text.Value)
		})
		if !same && !toast && !went {
			out = append(out, *x.text)
		}
	}
	return out
}

// ticks reports whether the same element had, at another time, a text that differs in digits only.
func ticks(before []effect, x effect) bool {
	return slices.ContainsFunc(before, func(y effect) bool {
		return y.text != nil && y.key == x.key && y.batch != x.batch && withoutDigits(y.text.Value) == withoutDigits(x.text.Value)
	})
}

func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, s)
}

// Volatile reports whether a part of a path, or an id, is likely another one next time: a number, a UUID, a hash.
func Volatile(part string) bool {
	digits, hexes := 0, 0
	for i := range len(part) {
		switch c := part[i]; {
		case c >= '0' && c <= '9':
			digits++
			hexes++
		case c >= 'a' && c <= 'f', c >= 'A' && c <= 'F', c == '-':
			hexes++
		}
	}
	return digits > 0 && (digits == len(part) || hexes == len(part) && len(part) >= 8 || digits >= 4) || pseudonym().MatchString(part)
}

func (s *Step) hideEffects(clean func(text string) string) {
	s.Texts, s.Dialogs, s.Requests = slices.Clone(s.Texts), slices.Clone(s.Dialogs), slices.Clone(s.Requests)
	for i := range s.Texts {
		s.Texts[i].Value = clean(s.Texts[i].Value)
	}
	for i := range s.Dialogs {
		s.Dialogs[i].Message = clean(s.Dialogs[i].Message)
	}
	for i := range s.Requests {
		s.Requests[i].URL = clean(s.Requests[i].URL)
	}
}

// cut returns at most n characters of s.
func cut(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
