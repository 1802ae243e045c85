package steps_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/steps"
)

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// told collects events that happen at seconds after began, and returns what each step led to, in words.
type told struct {
	steps.Collector
	seq event.Seq
}

func (c *told) at(second float64, e event.Event) {
	h := e.Base()
	c.seq++
	h.Seq, h.Time = c.seq, began.Add(time.Duration(second*float64(time.Second)))
	if h.Document == "" {
		h.Document = "D1"
	}
	if h.PageURL == "" {
		h.PageURL = "http://localhost/"
	}
	c.Take(e)
}

func (c *told) click(second float64, action string) {
	c.at(second, &event.Action{
		Head: event.Head{Cause: event.Cause{Action: action}}, Type: "click", By: "user",
		Locators: []event.Locator{{Kind: "id", Value: action, Matches: 1}},
	})
}

func (c *told) changes(second float64, lines ...string) {
	c.at(second, &event.DOM{Type: "summary", Changes: lines})
}

func (c *told) visit(second float64, document string) {
	c.at(second, &event.Lifecycle{
		Head: event.Head{Document: document, PageURL: "http://localhost/" + document}, State: "document_start", ToURL: "http://localhost/" + document,
	})
}

func (c *told) words() string {
	var out []string
	for _, s := range c.Steps(began) {
		var list []string
		for _, t := range s.Texts {
			w := t.Element + "=" + t.Value
			if t.Cut {
				w += "(cut)"
			}
			if t.InFrame {
				w += " in " + t.PageURL
			}
			if t.Visible {
				w += " seen"
			}
			if t.Brief {
				w += " briefly"
			}
			list = append(list, w)
		}
		for _, d := range s.Dialogs {
			list = append(list, d.Type+" "+d.Message)
		}
		for _, r := range s.Requests {
			list = append(list, fmt.Sprintf("%s %s %d", r.Method, r.URL, r.Status))
		}
		if s.Unlisted > 0 {
			list = append(list, fmt.Sprintf("%d more", s.Unlisted))
		}
		out = append(out, s.Type+"("+strings.Join(list, ", ")+")")
	}
	return strings.Join(out, " ")
}

// What a step led to is told with it: what stands there in the end, and what it is known to have caused.
func TestStepsTellWhatTheyLedTo(t *testing.T) {
	exchange := func(action, id, method string, status int, flags event.Flags) *event.Exchange {
		return &event.Exchange{
			Head: event.Head{Cause: event.Cause{Action: action}, Flags: flags}, RequestID: id, Method: method, URL: "/" + id, Status: status,
			Initiator: event.Initiator{Type: "fetch"}, Outcome: "ok",
		}
	}
	for _, c := range []struct {
		name string
		do   func(*told)
		want string
	}{
		{"texts go to the step before them", func(c *told) {
			c.click(1, "u1")
			c.changes(1.5, `~ <p#a> "one"`)
			c.click(2, "u2")
			c.changes(2.5, `+ <li.row> "two"`)
		}, "click(p#a=one) click(li=two)"},
		{"what was before the first step is nobody's", func(c *told) {
			c.changes(0.5, `~ <p#a> "one"`)
			c.click(1, "u1")
		}, "click()"},
		{"the last text of an element counts", func(c *told) {
			c.click(1, "u1")
			c.changes(1.5, `~ <p#a> "Paying"`, `~ <p#a> "Paid"`)
		}, "click(p#a=Paid)"},
		{"a text that is emptied again is none", func(c *told) {
			c.click(1, "u1")
			c.changes(1.5, `~ <p#a> "wrong"`, `~ <p#a>`, `- <p>`, "~ >")
		}, "click()"},
		{"an element that went is none, also a while later", func(c *told) {
			c.click(1, "u1")
			c.changes(1.2, `+ <i> "loading"`, `+ <b> "also"`, `- <b> "also"`)
			c.changes(1.9, `- <i> "loading"`, `+ <p> "done"`)
		}, "click(p=done)"},
		{"what went before stays, what goes with its parent does not", func(c *told) {
			c.click(1, "u1")
			c.changes(1.2, `- <li> "Mug"`, `+ <li> "Mug"`, `+ <li> "Pen"`)
			c.changes(1.4, `+ <p> "done"`, `- <div> "all done"`)
		}, "click(li=Mug, li=Pen)"},
		{"however late it arrives", func(c *told) {
			c.click(1, "u1")
			c.changes(1.9, `~ <p#a> "second"`)
			c.changes(1.2, `~ <p#a> "first"`)
			c.changes(1.9, `~ <p#b> "one"`)
			c.changes(1.9, `~ <p#b> "two"`)
		}, "click(p#a=second, p#b=two)"},
		{"the same in a frame is another text", func(c *told) {
			c.click(1, "u1")
			c.changes(1.2, `~ <p#a> "yes"`, `~ <p#b> "yes"`)
			c.at(1.3, &event.DOM{Head: event.Head{Document: "F", Frame: 3, PageURL: "http://f/"}, Type: "summary", Changes: []string{`~ <p#c> "yes"`}})
		}, "click(p#a=yes, p#c=yes in http://f/)"},
		{"a page that is left before the next step", func(c *told) {
			c.click(1, "u1")
			c.changes(1.5, `~ <p#a> "leaving"`)
			c.visit(1.8, "D2")
			c.click(2, "u2")
		}, "click() click()"},
		{"a clock is none", func(c *told) {
			c.click(1, "u1")
			c.changes(2, `~ <p#clock> "90 s"`, `~ <p#state> "10 %"`)
			c.changes(3, `~ <p#clock> "8 s"`, `~ <p#state> "done"`)
		}, "click(p#state=done)"},
		{"ten changes are not all", func(c *told) {
			c.click(1, "u1")
			c.changes(1.5, strings.Split(strings.Repeat(`~ <p#a> "x"|`, 10), "|")[:10]...)
			c.click(2, "u2")
			c.changes(2.5, strings.Split(strings.Repeat(`~ <p#a> "x"|`, 9), "|")[:9]...)
		}, "click() click(p#a=x)"},
		{"lines that are none are left out", func(c *told) {
			c.click(1, "u1")
			c.changes(1.5, "~ <p#a> class", "", "~", `~ p "x"`, `~ <p> "x`, `? <p#b.c> "kept"`)
		}, "click(p=kept)"},
		{"classes with signs, ids that may end elsewhere and ids that change", func(c *told) {
			c.click(1, "u1")
			c.changes(1.5, `+ <a.[&>svg]:w-4> "one"`, `~ <b#x.y> "two"`, `~ <c#:r1:> "three"`, `~ <d#row-4711> "four"`, `~ <e#r2> "a long one…"`)
		}, "click(a=one, b=two, c=three, d=four, e#r2=a long one(cut))"},
		{"a toast is told once, when it came", func(c *told) {
			c.click(1, "u1")
			c.changes(1.5, `+ <div.toast> "Saved"`)
			c.click(2, "u2")
			c.at(2.5, &event.DOM{Type: "transient", Role: "status", Text: "Saved", Shown: 1400 * time.Millisecond})
			c.at(2.6, &event.DOM{Type: "transient", Text: "Quick", Shown: 300 * time.Millisecond})
			c.at(2.7, &event.DOM{Type: "transient", Text: "Stays"})
			c.changes(2.8, `+ <div> "Stays ×"`, `+ <p> "Sta"`)
		}, "click(=Saved seen) click(=Quick seen briefly, =Stays seen, p=Sta)"},
		{"texts of a page that is left are not looked for on the next", func(c *told) {
			c.visit(0, "D1")
			c.click(1, "u1")
			c.changes(1.5, `~ <p#a> "leaving"`)
			c.visit(2, "D2")
			c.at(2.5, &event.DOM{Head: event.Head{Document: "D2"}, Type: "summary", Changes: []string{`~ <p#a> "there"`}})
			c.at(2.6, &event.DOM{Head: event.Head{Document: "D1"}, Type: "summary", Changes: []string{`~ <p#a> "late"`}})
		}, "navigate() click(p#a=there)"},
		{"texts of a frame, as long as its page is there", func(c *told) {
			c.visit(0, "D1")
			c.click(1, "u1")
			c.at(1.5, &event.DOM{Head: event.Head{Document: "F", Frame: 3}, Type: "summary", Changes: []string{`~ <p#a> "in it"`}})
			c.click(2, "u2")
			c.at(2.5, &event.DOM{Head: event.Head{Document: "F", Frame: 3}, Type: "summary", Changes: []string{`~ <p#a> "gone"`}})
			c.visit(3, "D2")
		}, "navigate() click(p#a=in it in http://localhost/) click()"},
		{"requests go to what caused them, however late", func(c *told) {
			c.click(1, "u1")
			c.click(2, "u2")
			c.at(3, exchange("u1", "a", "POST", 201, 0))
			c.at(3, exchange("u2", "b", "GET", 200, 0))
			c.at(3, exchange("", "c", "GET", 200, 0))
			c.at(3, exchange("u2", "d", "GET", 200, event.Inferred))
		}, "click(POST /a 201) click(GET /b 200)"},
		{"of an act that became another, to the one in time", func(c *told) {
			c.click(1, "u1")
			c.at(0.5, exchange("u0", "before", "GET", 200, 0))
			late := exchange("u0", "a", "GET", 200, 0)
			late.Started = began.Add(1500 * time.Millisecond)
			c.click(2, "u2")
			c.at(3, late)
			c.at(3, exchange("u0", "b", "GET", 200, 0))
		}, "click(GET /a 200) click(GET /b 200)"},
		{"an exchange that is told twice counts once", func(c *told) {
			c.click(1, "u1")
			c.at(2, exchange("u1", "a", "GET", 0, 0))
			c.at(2, exchange("u1", "b", "GET", 200, 0))
			c.at(2, exchange("u1", "c", "GET", 200, 0))
			c.at(3, exchange("u1", "a", "GET", 200, 0))
		}, "click(GET /a 200, GET /b 200, GET /c 200)"},
		{"pictures and pending ones are none", func(c *told) {
			c.click(1, "u1")
			image, pending := exchange("u1", "a", "GET", 200, 0), exchange("u1", "b", "GET", 0, 0)
			image.Initiator.Type, pending.Outcome = "img", "pending"
			c.at(2, image)
			c.at(2, pending)
		}, "click()"},
		{"dialogs", func(c *told) {
			c.click(1, "u1")
			c.at(1.1, &event.Lifecycle{State: "dialog_opened", Trigger: "confirm", Title: "Sure?"})
			c.at(1.2, &event.Lifecycle{State: "dialog_closed", Trigger: "confirm"})
		}, "click(confirm Sure?)"},
		{"more than twelve are counted", func(c *told) {
			c.click(1, "u1")
			for i := range 15 {
				c.at(2, exchange("u1", fmt.Sprint(i), "GET", 200, 0))
			}
		}, "click(" + func() string {
			var list []string
			for i := range 12 {
				list = append(list, fmt.Sprintf("GET /%d 200", i))
			}
			return strings.Join(append(list, "3 more"), ", ")
		}() + ")"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told told
			c.do(&told)
			if got := told.words(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if again := told.words(); again != c.want {
				t.Errorf("asked again: %s", again)
			}
		})
	}
}

// What is over the bounds is counted, and the collector stays usable.
func TestACollectorIsBounded(t *testing.T) {
	var c told
	for i := range 6000 {
		c.click(float64(i), fmt.Sprint("u", i))
	}
	for i := range 11_000 {
		c.changes(float64(i)/2, fmt.Sprintf(`~ <p> "text %d"`, i))
	}
	got := c.Steps(began)
	if len(got) != 5000 || c.Over != 1000 || got[4999].Unlisted < 1000 {
		t.Errorf("%d steps, %d over, %d effects not listed", len(got), c.Over, got[4999].Unlisted)
	}
	var large told
	for range 30 {
		large.changes(1, `~ <p> "`+strings.Repeat("x", 1<<20)+`"`)
	}
	large.click(0.5, "u1")
	if got := large.Steps(began); got[0].Unlisted != 21 || got[0].TimeMS != 500 {
		t.Errorf("%d effects of 1 MB are over, at %d", got[0].Unlisted, got[0].TimeMS)
	}
	var urls told
	for range 30 {
		urls.at(1, &event.Exchange{Head: event.Head{Cause: event.Cause{Action: "u1"}}, URL: strings.Repeat("x", 1<<20), Outcome: "ok"})
	}
	urls.click(0.5, "u1")
	if got := urls.Steps(began); got[0].Unlisted != 21 {
		t.Errorf("%d addresses of 1 MB are over", got[0].Unlisted)
	}
	var acts told
	for i := range 30 {
		acts.at(1, &event.Action{Head: event.Head{PageURL: strings.Repeat("x", 1<<20)}, Type: "click", By: "user", X: float64(i)})
	}
	if got := acts.Steps(began); len(got) != 9 || acts.Over != 21 {
		t.Errorf("%d steps of 1 MB, %d over", len(got), acts.Over)
	}
	var dialogs told
	dialogs.click(1, "u1")
	for _, n := range []int{299, 300, 301} {
		dialogs.at(2, &event.Lifecycle{State: "dialog_opened", Trigger: "alert", Title: strings.Repeat("é", n)})
	}
	for i, d := range dialogs.Steps(began)[0].Dialogs {
		if got := strings.Count(d.Message, "é"); got != []int{299, 300, 300}[i] {
			t.Errorf("dialog %d has %d characters", i, got)
		}
	}
}

func TestVolatileParts(t *testing.T) {
	for part, want := range map[string]bool{
		"7": true, "88124": true, "0b9f1c2e-58a5-4cb1-a0a3-1f2d3c4b5a69": true, "deadbeef12": true, "abc-4711": true, "<jwt#3>": true,
		"0": true, "9": true, "ABCDEFA9": true, "FFFFFFF0": true, "AAAAAAA0": true, "abcdef-9": true, "aaaaaaa0": true, "ffffffff9": true,
		"abcde-9": false, "GHIJKLM9": false, "ghijklm9": false, "@@@@@@@9": false,
		"": false, "users": false, "v1": false, "deadbeef": false, "page-2": false, "oauth2": false, "<jwt>": false,
	} {
		if got := steps.Volatile(part); got != want {
			t.Errorf("%q: %v", part, got)
		}
	}
}

// Secrets that become known later are left out of what steps led to; the recording's own stay as they were.
func TestEffectsHideSecrets(t *testing.T) {
	var c told
	c.click(1, "u1")
	c.changes(1.5, `~ <p> "key hunter2"`)
	c.at(2, &event.Lifecycle{State: "dialog_opened", Trigger: "alert", Title: "hunter2"})
	c.at(2, &event.Exchange{
		Head: event.Head{Cause: event.Cause{Action: "u1"}}, Method: "GET", URL: "/?k=hunter2", Status: 200, Outcome: "ok",
	})
	list := c.Steps(began)
	s := list[0]
	s.Hide(func(text string) string { return strings.ReplaceAll(text, "hunter2", "<secret#1>") })
	if said := fmt.Sprint(s); strings.Contains(said, "hunter2") || strings.Count(said, "<secret#1>") != 3 {
		t.Error(said)
	}
	if said := fmt.Sprint(list[0]); strings.Count(said, "hunter2") != 3 {
		t.Error(said)
	}
}

// Who goes back from a page that was loaded again goes back, too.
func TestBackFromAPageThatWasLoadedAgain(t *testing.T) {
	var c told
	c.visit(0, "D1")
	c.click(1, "u1")
	within := func(second float64, trigger, from, to string) {
		c.at(second, &event.Lifecycle{State: "navigate", Trigger: trigger, FromURL: "http://localhost/" + from, ToURL: "http://localhost/" + to})
	}
	within(1.1, "push", "D1", "D1#/two")
	c.at(20, &event.Lifecycle{Head: event.Head{Document: "D2"}, State: "document_start", ToURL: "http://localhost/D1#/two"})
	within(40, "traverse", "D1#/two", "D1")
	var got []string
	for _, s := range c.Steps(began) {
		got = append(got, s.Type+" "+s.LedTo)
	}
	want := "navigate http://localhost/D1, click http://localhost/D1#/two, navigate http://localhost/D1#/two, back http://localhost/D1"
	if strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}

// Typing is told when it pauses, as the act of its first key. What its other keys lead to comes before that.
func TestWhatTypingLeadsToIsNotOfTheStepBefore(t *testing.T) {
	var c told
	c.click(1, "u9-d")
	ask := func(second float64, action, url string) {
		c.at(second, &event.Exchange{
			Head: event.Head{Cause: event.Cause{Action: action}}, Method: "GET", URL: url, Status: 200, Outcome: "ok", Started: began.Add(time.Duration(second * 1e9)),
		})
	}
	ask(2, "u9-d", "of the click")
	ask(2.1, "ua-d", "t")
	ask(2.2, "ub-d", "te")
	c.at(2.3, &event.DOM{Head: event.Head{Cause: event.Cause{Action: "uc-d"}}, Type: "summary", Changes: []string{`+ <p> "tea"`}})
	ask(2.4, "ua-other", "of another document")
	c.at(3, &event.Action{
		Head: event.Head{Cause: event.Cause{Action: "ua-d"}}, Type: "input", By: "user", Value: "tea",
		Locators: []event.Locator{{Kind: "id", Value: "q", Matches: 1}},
	})
	var got []string
	for _, s := range c.Steps(began) {
		w := s.Type
		for _, r := range s.Requests {
			w += " " + r.URL
		}
		for _, t := range s.Texts {
			w += " " + t.Value
		}
		got = append(got, w)
	}
	if want := "click of the click of another document; input t te tea"; strings.Join(got, "; ") != want {
		t.Errorf("%s, want %s", strings.Join(got, "; "), want)
	}
}
