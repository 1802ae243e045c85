package trial_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/trial"
)

// judged finds the failure, and judges n runs of its steps. memory may be nil.
func (a *app) judged(said string, n int, memory *trial.Memory) (*trial.Case, *trial.Verdict) {
	a.t.Helper()
	if memory == nil {
		memory = &trial.Memory{}
	}
	c, err := trial.Find(a.t.Context(), a.h.Reader, a.h.Reader, session, a.tab, said, memory.Windows(session, a.tab))
	if err != nil || c == nil {
		a.t.Fatalf("the failure is not found: %v", err)
	}
	memory.Recall(c)
	r := c.Runner(a, a.h.Reader)
	var list []*trial.Trial
	began := time.Now()
	for range n {
		one, err := r.Try(a.t.Context(), c.Steps)
		if err != nil {
			a.t.Fatal(err)
		}
		list = append(list, one)
	}
	time.Sleep(time.Millisecond)
	memory.Tried(session, a.tab, trial.Window{From: began, To: time.Now()})
	time.Sleep(time.Second)
	v := c.Judge(list, n)
	memory.Keep(c, v, list)
	return c, v
}

// pays is a shop that asks the server, fails, and shows nothing.
func pays(a *app, done []string) {
	if last(done) == "pay" {
		a.asks("POST", "/api/pay", 200)
		a.fails("Cannot read properties of undefined (reading 'price')")
	}
}

func last(done []string) string {
	if len(done) == 0 {
		return ""
	}
	return done[len(done)-1]
}

// good is what the shop was to do.
func good(a *app, done []string) {
	if last(done) == "pay" {
		a.asks("POST", "/api/pay", 200)
		a.shows("paid 12.50")
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(a *app)
		want string
		why  string // a part
	}{
		{"nothing was edited", func(*app) {}, "still", "new code ran was not seen"},
		{"an edit that misses", func(a *app) { a.size = 90 }, "still", "with new code"},
		{"a fix", func(a *app) { a.size, a.does = 90, good }, "fixed", "all 2 steps"},
		{"a fix of a module that is loaded with another query", func(a *app) { a.script, a.does = a.script+"?t=17", good }, "fixed", ""},
		{"no failure, and the code of before", func(a *app) { a.does = good }, "cannot_tell", "other code"},
		{"an address that is another one each time is no new code", func(a *app) {
			a.does = func(a *app, done []string) {
				a.script = "http://localhost:3000/app.js?_=" + string(rune('a'+a.document))
				good(a, done)
			}
		}, "cannot_tell", "other code"},
		{"an error that is hushed", func(a *app) {
			a.size, a.does = 90, func(a *app, done []string) {
				if last(done) == "pay" {
					a.asks("POST", "/api/pay", 200)
				}
			}
		}, "cannot_tell", "hushed"},
		{"a button that does nothing any more", func(a *app) { a.size, a.does = 90, func(*app, []string) {} }, "cannot_tell", "hushed"},
		{"what says that it failed", func(a *app) {
			a.size, a.does = 90, func(a *app, done []string) {
				if last(done) == "pay" {
					a.asks("POST", "/api/pay", 200)
					a.shows("Something went wrong")
				}
			}
		}, "cannot_tell", ""},
		{"it is not asked for any more", func(a *app) {
			a.size, a.does = 90, func(a *app, done []string) {
				if last(done) == "pay" {
					a.shows("paid 12.50")
				}
			}
		}, "cannot_tell", ""},
		{"a value that is missing is shown", func(a *app) {
			a.size, a.does = 90, func(a *app, done []string) {
				if last(done) == "pay" {
					a.asks("POST", "/api/pay", 200)
					a.shows("paid NaN")
				}
			}
		}, "new_breakage", "did not come"},
		{"another property is missing", func(a *app) {
			a.size, a.does = 90, func(a *app, done []string) {
				if last(done) == "pay" {
					a.asks("POST", "/api/pay", 200)
					a.fails("Cannot read properties of undefined (reading 'total')")
				}
			}
		}, "new_breakage", "did not come"},
		{"an error beside the old one", func(a *app) {
			a.size, a.does = 90, func(a *app, done []string) {
				if pays(a, done); len(done) == 0 {
					a.fails("x is not defined")
				}
			}
		}, "new_breakage", "the failure came"},
		{"a request that fails now", func(a *app) {
			a.size, a.does = 90, func(a *app, done []string) {
				if good(a, done); last(done) == "pay" {
					a.asks("GET", "/api/receipt", 404)
				}
			}
		}, "new_breakage", ""},
		{"what failed before, too, is noise", func(a *app) {
			a.size, a.does = 90, func(a *app, done []string) {
				if good(a, done); len(done) == 0 {
					a.fails("noise of a library")
				}
			}
		}, "fixed", ""},
		{"now and then", func(a *app) {
			a.size, a.does = 90, func(a *app, done []string) {
				if a.document%3 == 0 {
					pays(a, done)
				} else {
					good(a, done)
				}
			}
		}, "still", "in 1 of 3 runs"},
		{"something new now and then", func(a *app) {
			a.size, a.does = 90, func(a *app, done []string) {
				if good(a, done); a.document%3 == 0 {
					a.fails("x is not defined")
				}
			}
		}, "cannot_tell", "some of 3 runs"},
		{"a step that cannot be done", func(a *app) {
			a.size, a.does = 90, good
			a.cannot = func([]string, string) string { return string(problem.NotFound) }
		}, "cannot_tell", "not all steps"},
		{"a page that does not come", func(a *app) { a.opens = problem.New(problem.NavigationFailed, "Mend it.", "no page came.") },
			"cannot_tell", "not all steps"},
		{"a script that is not loaded any more", func(a *app) { a.script, a.does = "http://localhost:3000/other.js", good }, "cannot_tell", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(t *testing.T, a *app) {
				a.does = func(a *app, done []string) {
					if pays(a, done); len(done) == 0 {
						a.fails("noise of a library")
					}
				}
				a.user("add", "pay")
				c.edit(a)
				_, v := a.judged("price", 3, nil)
				if v.Word != c.want || !strings.Contains(v.Why, c.why) {
					t.Errorf("%s: %s, want %s; %+v", v.Word, v.Why, c.want, v)
				}
			})
		})
	}
}

func TestTheStepsAreThoseSinceThePageWasOpened(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.does = pays
		a.user("old", "older")
		a.user("add", "pay", "later")
		c, v := a.judged("", 3, nil)
		if names(c.Steps) != "add pay" || c.Start != start || v.Word != "still" || v.Runs != 3 {
			t.Errorf("%s from %s: %+v", names(c.Steps), c.Start, v)
		}
	})
}

// What is typed after the failure takes no key away that led to it.
func TestWhatIsDoneLaterChangesNoStep(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.does = func(*app, []string) {}
		a.user()
		field := []any{map[string]any{"kind": "css", "value": "#tags", "matches": 1, "score": 1}}
		a.tell("actions", map[string]any{"type": "keypress", "by": "user", "key": "Backspace", "action": "u1-1", "locators": field})
		a.fails("Cannot read properties of undefined (reading 'id')")
		time.Sleep(100 * time.Millisecond)
		a.tell("actions", map[string]any{"type": "input", "by": "user", "value": "", "action": "u1-2", "locators": field})
		c, _ := a.judged("", 1, nil)
		if len(c.Steps) != 1 || c.Steps[0].Type != "keypress" {
			t.Errorf("%+v", c.Steps)
		}
	})
}

// A failure of an older trial is nobody's: what was found before the edit is what is asked about.
func TestFailuresOfTrialsAreNotTaken(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.does = pays
		a.user("add", "pay")
		var memory trial.Memory
		if _, v := a.judged("", 2, &memory); v.Word != "still" {
			t.Fatalf("%+v", v)
		}
		a.does = func(a *app, done []string) {
			if last(done) == "pay" {
				a.fails("x is not defined")
			}
		}
		a.size = 91
		if _, v := a.judged("", 2, &memory); v.Word != "new_breakage" {
			t.Fatalf("%+v", v)
		}
		// The new error was not there before the edits, so it is still new; the failure is the user's.
		a.size = 92
		if c, v := a.judged("", 2, &memory); v.Word != "new_breakage" || !strings.Contains(c.Failure.Message, "price") {
			t.Fatalf("%s: %+v", c.Failure.Message, v)
		}
		a.size, a.does = 93, good
		if c, v := a.judged("", 2, &memory); v.Word != "fixed" || !c.Reproduced() {
			t.Fatalf("%+v", v)
		}
	})
}

// What a page says in the end is known of trials only: with it an error of a load can be judged.
func TestAnErrorOnLoadIsJudgedByThePagesText(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		broken := func(a *app, done []string) {
			if len(done) == 0 {
				a.fails("Cannot read properties of null (reading 'price')")
			}
		}
		a.does, a.text = broken, func([]string) string { return "Shop\nLoading" }
		a.user()
		a.size, a.does, a.text = 90, func(*app, []string) {}, func([]string) string { return "Shop\n12.50" }
		if _, v := a.judged("", 2, nil); v.Word != "cannot_tell" {
			t.Errorf("without a trial of before: %+v", v)
		}
		a.size, a.does, a.text = 100, broken, func([]string) string { return "Shop\nLoading" }
		var memory trial.Memory
		if _, v := a.judged("", 2, &memory); v.Word != "still" {
			t.Fatalf("%+v", v)
		}
		a.size, a.does = 90, func(*app, []string) {}
		if _, v := a.judged("", 2, &memory); v.Word != "cannot_tell" || v.Reached.Seen {
			t.Errorf("hushed: %+v", v)
		}
		a.text = func([]string) string { return "Shop\n12.50" }
		if _, v := a.judged("", 2, &memory); v.Word != "fixed" {
			t.Errorf("%+v", v)
		}
	})
}

func TestRequestsThatFail(t *testing.T) {
	fails := func(status int) func(*app, []string) {
		return func(a *app, done []string) {
			if last(done) == "load" {
				a.asks("GET", "/api/orders", status)
				a.shows("Sorry")
			}
		}
	}
	works := func(path string) func(*app, []string) {
		return func(a *app, done []string) {
			if last(done) == "load" {
				a.asks("GET", path, 200)
				a.shows("soap, towel")
			}
		}
	}
	for _, c := range []struct {
		name  string
		size  int
		does  func(*app, []string)
		first func(*app, []string) // that came before the failure
		tried bool                 // it was judged before the edit
		want  string
	}{
		{"the server answers", 100, works("/api/orders"), nil, true, "fixed"},
		{"the server answers, and may have recovered by itself", 100, works("/api/orders"), nil, false, "cannot_tell"},
		{"so it may beside an edit of the page", 90, works("/api/orders"), nil, false, "cannot_tell"},
		{"the page asks for something else", 90, works("/api/orders?all=1"), nil, false, "fixed"},
		{"another status", 100, fails(404), nil, false, "new_breakage"},
		{"still", 90, fails(500), nil, false, "still"},
		{"the page asks elsewhere", 90, works("/api/v2/orders"), nil, false, "fixed"},
		{"the page asks for nothing", 90, func(a *app, done []string) {
			if last(done) == "load" {
				a.shows("no orders")
			}
		}, nil, false, "cannot_tell"},
		{"the server had answered well before", 100, works("/api/orders"), works("/api/orders"), false, "cannot_tell"},
		{"an answer that helps nobody", 100, func(a *app, done []string) {
			if last(done) == "load" {
				a.asks("GET", "/api/orders", 200)
				a.shows("Sorry")
			}
		}, nil, false, "cannot_tell"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(t *testing.T, a *app) {
				if c.first != nil {
					a.does = c.first
					a.user("load")
				}
				a.does = fails(500)
				a.user("load")
				var memory trial.Memory
				if c.tried {
					a.judged("/api/orders", 3, &memory)
				}
				a.size, a.does = c.size, c.does
				one, v := a.judged("/api/orders", 3, &memory)
				if v.Word != c.want || !one.Failure.Request() || one.Failure.Status != 500 {
					t.Errorf("%s, want %s: %+v", v.Word, c.want, v)
				}
			})
		})
	}
}

// What the steps did not bring about before the edit either is not fixed by it.
func TestAFailureThatTheStepsDoNotBringAbout(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.does = pays
		a.user("add", "pay")
		a.does = good // of a server's state, not of an edit
		var memory trial.Memory
		if _, v := a.judged("price", 3, &memory); v.Word != "cannot_tell" {
			t.Fatalf("%+v", v)
		}
		a.size = 90
		if _, v := a.judged("price", 3, &memory); v.Word != "cannot_tell" || !strings.Contains(v.Why, "before the edit") {
			t.Errorf("%+v", v)
		}
		a.does = pays
		a.user("add", "pay") // it comes again
		a.size, a.does = 91, good
		if _, v := a.judged("price", 3, &memory); v.Word != "fixed" {
			t.Errorf("%+v", v)
		}
	})
}

func TestNoFailureIsFound(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.does = good
		a.user("add", "pay")
		for _, said := range []string{"", "nothing says so"} {
			c, err := trial.Find(t.Context(), a.h.Reader, a.h.Reader, session, tab, said, nil)
			if c != nil || err != nil {
				t.Errorf("%+v, %v", c, err)
			}
		}
	})
}

func TestBuiltFilesAreKnownByTheirNames(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.script, a.does = "http://localhost:3000/assets/index-BxK3a9Qz.js", pays
		a.user("add", "pay")
		a.script, a.does = "http://localhost:3000/assets/index-D4f_9hLm.js", good
		_, v := a.judged("price", 3, nil)
		if v.Word != "fixed" || !slices.ContainsFunc(v.Code.Lines, func(l string) bool { return strings.Contains(l, "in place of") }) {
			t.Errorf("%+v", v)
		}
	})
}

func TestAMemoryIsBounded(t *testing.T) {
	var m trial.Memory
	now := time.Now()
	for i := range 300 {
		m.Tried(session, i, trial.Window{From: now, To: now})
		m.Tried(session, 299, trial.Window{From: now, To: now})
	}
	if n := len(m.Windows(session, 299)); n > 200 {
		t.Errorf("%d windows of one tab", n)
	}
	if n := len(m.Windows(session, 0)); n > 300 {
		t.Errorf("%d windows of all", n)
	}
}
