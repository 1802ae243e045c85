package trial_test

import (
	"strings"
	"testing"
	"time"
)

// leads opens another document.
func (a *app) leads(url string) {
	a.document, a.seq = a.document+1, 0
	a.tell("lifecycle", map[string]any{"state": "document_start", "to_url": "http://localhost:3000" + url})
}

// An edit that leads elsewhere before the point of the failure looks as one does that goes on behind it, but for its requests.
func TestAnotherDocumentIsNotThePointOfTheFailure(t *testing.T) {
	for _, c := range []struct {
		name string
		does func(a *app)
		want string
	}{
		{"to the sign-in page", func(a *app) { a.leads("/login"); a.shows("Sign in") }, "cannot_tell"},
		{"behind the order", func(a *app) {
			a.asks("POST", "/api/pay", 200)
			a.asks("POST", "/api/orders", 201)
			a.leads("/thanks")
			a.shows("Thank you")
		}, "fixed"},
	} {
		in(t, func(t *testing.T, a *app) {
			a.does = pays
			a.user("add", "pay")
			a.size, a.does = 90, func(a *app, done []string) {
				if last(done) == "pay" {
					c.does(a)
				}
			}
			if _, v := a.judged("price", 2, nil); v.Word != c.want {
				t.Errorf("%s: %s, want %s: %+v", c.name, v.Word, c.want, v)
			}
		})
	}
}

func TestCodeThatDidNotLoad(t *testing.T) {
	loads := func(path string, status int) func(*app, []string) {
		return func(a *app, done []string) {
			if len(done) > 0 || path == "" {
				return
			}
			url := "http://localhost:3000" + path
			a.tell("waterfall", map[string]any{"url": url, "initiator_type": "script", "decoded_size": 55, "status": status})
			if status == 404 {
				a.tell("exceptions", map[string]any{"type": "ResourceError", "message": "<script> did not load " + url + ": it was answered 404"})
			}
		}
	}
	for _, c := range []struct {
		name string
		does func(*app, []string)
		want string
	}{
		{"it is there", loads("/menu.js", 200), "fixed"},
		{"another one is loaded in its place", loads("/scripts/menu.js", 200), "fixed"},
		{"it is still not there", loads("/menu.js", 404), "still"},
		{"nor is another one", loads("/script/menu.js", 404), "new_breakage"},
		{"nothing is loaded in its place", loads("", 0), "cannot_tell"},
	} {
		in(t, func(t *testing.T, a *app) {
			a.does = loads("/menu.js", 404)
			a.user("open")
			a.does = c.does
			if _, v := a.judged("", 2, nil); v.Word != c.want {
				t.Errorf("%s: %s, want %s: %+v", c.name, v.Word, c.want, v)
			}
		})
	}
}

// A page tells what was typed when the typing pauses; the failure came at a key before that.
func TestTypingIsAStepOfTheFailureThatItBringsAbout(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.does = func(*app, []string) {}
		a.user("open")
		a.fails("Maximum call stack size exceeded")
		time.Sleep(time.Second)
		field := []any{map[string]any{"kind": "css", "value": "#size", "matches": 1, "score": 1}}
		a.tell("actions", map[string]any{"type": "input", "by": "user", "name": "size", "value": "4", "action": "u9", "locators": field})
		time.Sleep(time.Second)
		a.act("user", "later")
		time.Sleep(20 * time.Second)
		if c, _ := a.judged("", 1, nil); names(c.Steps) != "open size" {
			t.Errorf("the steps are %q", names(c.Steps))
		}
	})
}

// Whoever names an error by a part of what it says means all that say so.
func TestAnErrorThatSaysMoreIsTheSame(t *testing.T) {
	for said, want := range map[string]string{"(reading 'price')": "still", "": "new_breakage"} {
		in(t, func(t *testing.T, a *app) {
			a.does = pays
			a.user("add", "pay")
			a.size, a.does = 90, func(a *app, done []string) {
				if last(done) == "pay" {
					a.fails("Cannot read properties of undefined (reading 'price'), says the cart")
				}
			}
			if _, v := a.judged(said, 2, nil); v.Word != want {
				t.Errorf("by %q: %+v", said, v)
			}
		})
	}
}

func TestAFailureThatComesNowAndThenIsStillThere(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.does = pays
		a.user("add", "pay")
		a.size, a.does = 90, func(a *app, done []string) {
			if good(a, done); a.document%3 == 0 && last(done) == "pay" {
				a.fails("Cannot read properties of undefined (reading 'price')")
			}
		}
		if _, v := a.judged("", 3, nil); v.Word != "still" || v.Failed != 1 || !strings.Contains(v.Why, "in 1 of 3 runs") {
			t.Errorf("%+v", v)
		}
	})
}
