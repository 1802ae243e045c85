package steps

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
)

// What belongs together. A browser tells one thing that a person does by several events; a page is left some time after
// what made it go.
const (
	sameTask  = 100 * time.Millisecond // an event that the browser made of the one before
	oneClick  = 50 * time.Millisecond  // a click that it made of another one, at the same point
	following = time.Second            // a submit, or a change of the address, because of a click or a key
	leadsTo   = 5 * time.Second        // another document
	redirects = 3 * time.Second        // a document that leads on by itself
)

// deed is an action or a visit with what only its event knows.
type deed struct {
	Step
	at       time.Time
	seq      event.Seq
	action   string // id of the act, "" unknown
	began    string // of what was typed in several parts: that of the first
	document string
	visit    bool   // the main frame shows another page
	inPage   bool   // of a visit: the document stayed
	from     string // of a visit
}

// element names the element of a deed within its document; "" where it has none.
func (d *deed) element() string {
	if len(d.Locators) == 0 {
		return ""
	}
	best := d.Locators[0]
	for _, l := range d.Locators {
		if l.Kind == "css" {
			best = l // the only one that tells equal elements apart
		}
	}
	return best.Kind + "=" + best.Value
}

// typedBy reports whether an act is a later key of what a deed typed. Typing is told when it is over, as the act of its first key:
// what its other keys cause comes before it, by acts that nothing else is told of. The acts of a document are numbered.
func (d *deed) typedBy(action string) bool {
	if d.Type != "input" {
		return false
	}
	number := func(id string) (n int64, document string) {
		of, document, _ := strings.Cut(id, "-")
		n, err := strconv.ParseInt(strings.TrimPrefix(of, "u"), 36, 64)
		if err != nil || !strings.HasPrefix(of, "u") {
			return -1, ""
		}
		return n, document
	}
	first, document := number(cmp.Or(d.began, d.action))
	n, of := number(action)
	return first >= 0 && n >= first && of == document
}

// on reports whether two deeds were done to the same element.
func (d *deed) on(other *deed) bool {
	e := d.element()
	return e != "" && d.document == other.document && e == other.element()
}

// made makes steps of deeds: one for each thing that somebody did. What the browser made of it by itself is no step, nor is
// a page that was reached because of a step; that one says where it led. typing is one step a field.
func made(deeds []deed) []*deed {
	slices.SortStableFunc(deeds, func(a, b deed) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.seq, b.seq))
	})
	var out []*deed
	var pages []string // of the main frame, in their order
	for i := range deeds {
		d := deeds[i]
		if d.visit {
			out, pages = visit(out, pages, &d)
			continue
		}
		if !d.InFrame && len(pages) == 0 {
			pages = append(pages, d.PageURL)
		}
		out = add(out, &d)
	}
	return out
}

// add adds a deed to what is there, and takes away what it says already.
func add(out []*deed, d *deed) []*deed {
	last := func() *deed {
		if len(out) == 0 {
			return &deed{}
		}
		return out[len(out)-1]
	}
	drop := func() { out = out[:len(out)-1] }
	prev := last()
	soon := func(within time.Duration) bool { return prev.document == d.document && d.at.Sub(prev.at) <= within }
	switch d.Type {
	case "click":
		// Enter and space click a button, and a label clicks its field.
		if soon(sameTask) && prev.Type == "keypress" ||
			soon(oneClick) && prev.Type == "click" && !prev.on(d) && sameSpot(prev, d) {
			return out
		}
	case "dblclick":
		d.Type, d.Count = "click", 2
		for prev.Type == "click" && prev.Count == 0 && prev.on(d) && soon(following) {
			drop()
			prev = last()
		}
	case "check", "select", "upload":
		for {
			key := prev.Type == "keypress" && prev.Key != "Tab" && prev.Key != "Enter"
			if !(prev.Type == "click" || key) || !prev.on(d) && !soon(sameTask) {
				break
			}
			drop()
			prev = last()
		}
		if prev.Type == d.Type && prev.on(d) && d.Value != "checked" && d.Value != "unchecked" {
			drop() // a slider tells each of its places
		}
	case "submit":
		if prev.action != "" && prev.action == d.action || soon(following) {
			return out
		}
	case "input":
		for prev.Type == "keypress" && prev.on(d) &&
			(editing(prev.Key) || strings.HasSuffix(prev.Key, "Enter") && strings.Contains(d.Value, "\n")) {
			drop()
			prev = last()
		}
		if prev.Type == "input" && prev.on(d) && prev.By == d.By {
			d.at, d.began = prev.at, cmp.Or(prev.began, prev.action)
			drop()
		}
	case "scroll":
		if prev.Type == "scroll" && prev.document == d.document && prev.element() == d.element() {
			drop()
		}
	}
	return append(out, d)
}

// sameSpot reports whether two clicks were at one point: the browser gives the click that it makes the place of its cause.
func sameSpot(a, b *deed) bool { return a.X == b.X && a.Y == b.Y }

// editing reports whether a key only changes what is typed or where.
func editing(key string) bool {
	switch strings.TrimPrefix(strings.TrimPrefix(key, "Control+"), "Meta+") {
	case "Backspace", "Delete", "ArrowLeft", "ArrowRight", "Home", "End", "a", "c", "v", "x", "z":
		return true
	}
	return false
}

// visit adds that the tab shows another page: a step when nothing that was done led there.
func visit(out []*deed, pages []string, d *deed) ([]*deed, []string) {
	before := ""
	if len(pages) > 0 {
		before = pages[len(pages)-1]
	}
	if before == "" {
		before = d.from
	}
	if d.ToURL == before && d.inPage {
		return out, pages
	}
	cause := causeOf(out, d)
	if d.ToURL != before { // a page that is loaded again has no place of its own in the history
		pages = append(pages, d.ToURL)
	}
	if cause != nil {
		if !Same(cause.LedTo, d.ToURL) || cause.LedTo == "" {
			cause.LedTo = d.ToURL
		}
		return out, pages
	}
	if before == "" && d.inPage {
		return out, pages // a script of the first page
	}
	d.Type = "navigate"
	if n := len(pages); n >= 3 && pages[n-3] == d.ToURL && d.inPage && d.By == "user" {
		d.Type = "back"
	}
	if d.inPage && d.By == "script" {
		return out, pages
	}
	d.LedTo = d.ToURL
	return append(out, d), pages
}

// causeOf returns what led to a visit; nil when nothing that was recorded did.
func causeOf(out []*deed, d *deed) *deed {
	if d.action != "" {
		for i := len(out) - 1; i >= 0; i-- {
			if out[i].action == d.action {
				return out[i]
			}
		}
		if !strings.HasPrefix(d.action, "u") {
			return nil // a command that leaves no other action: it went there
		}
	}
	if len(out) == 0 {
		return nil
	}
	prev := out[len(out)-1]
	within := leadsTo
	if d.inPage {
		within = following
	}
	switch prev.Type {
	case "click", "submit", "select", "check", "drop":
	case "keypress":
		if prev.Key != "Enter" && prev.Key != " " {
			return nil
		}
	case "navigate", "back":
		within = redirects
	default:
		return nil
	}
	if d.at.Sub(prev.at) > within {
		return nil
	}
	return prev
}

// deedOf makes a deed of an event; false for what is none: what scripts of pages do, and documents of iframes.
func deedOf(e event.Event, private bool) (deed, bool) {
	h := e.Base()
	d := deed{at: h.Time, seq: h.Seq, action: h.Cause.Action, document: h.Document}
	d.PageURL, d.InFrame = h.PageURL, h.Frame != 0
	switch e := e.(type) {
	case *event.Action:
		if e.By == "script" || e.Type == "navigate" || e.Outcome != "" && e.Outcome != "ok" {
			return deed{}, false // navigations come as visits
		}
		d.Type, d.By, d.Client, d.Role, d.Name, d.Text = e.Type, e.By, e.Client, e.Role, e.Name, e.Text
		d.Value, d.Key, d.X, d.Y = e.Value, e.Key, e.X, e.Y
		for _, l := range e.Locators {
			d.Locators = append(d.Locators, Locator(l))
		}
		switch d.Type {
		case "input", "select":
			d.Masked = Masked(d.Value)
			if private && d.Type == "input" && d.Value != "" {
				d.Value, d.Masked = "", true
			}
		case "keypress":
			if private && utf8.RuneCountInString(d.Key[strings.LastIndexByte(d.Key, '+')+1:]) == 1 && d.Key != " " {
				return deed{}, false
			}
		}
		return d, true
	case *event.Lifecycle:
		if h.Frame != 0 || !(e.State == "document_start" || e.State == "navigate" || e.State == "pageshow" && e.Persisted) {
			return deed{}, false
		}
		d.visit, d.inPage, d.from, d.ToURL = true, e.State == "navigate", e.FromURL, e.ToURL
		if d.ToURL == "" {
			d.ToURL = h.PageURL
		}
		d.By = "user"
		if d.inPage && e.Trigger != "traverse" {
			d.By = "script"
		}
		if d.action != "" && !strings.HasPrefix(d.action, "u") {
			d.By = "agent"
		}
		return d, true
	}
	return deed{}, false
}

// pseudonym is what stands where a secret was, in an address with an escaped sign. It is compiled at its first use.
var pseudonym = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[a-z_]+(?:[#:]|%23|%3[Aa])[0-9a-z]+>`) })

// maxValue is how many characters of what is typed the page tells; a longer text ends with "…".
const maxValue = 500

// Masked reports whether a text is not what it was: a secret is left out of it, or it is cut.
func Masked(value string) bool {
	return pseudonym().MatchString(value) || strings.HasSuffix(value, "…") && utf8.RuneCountInString(value) >= maxValue
}

// size is about how many bytes a deed takes in a file.
func (d *deed) size() int {
	n := 250 + len(d.PageURL) + len(d.Name) + len(d.Text) + len(d.Value) + len(d.ToURL)*2 + len(d.Client)
	for _, l := range d.Locators {
		n += 60 + len(l.Value)
	}
	return n
}
