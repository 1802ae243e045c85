package observe_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/httpapi"
	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/observe"
)

// upload is the body of a POST /sync of one document of a tab.
func upload(session string, tab int, document, address string, lists map[string][]string) string {
	var parts []string
	for name, events := range lists {
		parts = append(parts, fmt.Sprintf("%q:[%s]", name, strings.Join(events, ",")))
	}
	group := fmt.Sprintf(
		`{"tab":%d,"frame":0,"document":%q,"page_url":%q,"since":"document_start",%s}`,
		tab,
		document,
		address,
		strings.Join(parts, ","),
	)
	return fmt.Sprintf(`{"v":1,"capture_version":"1","session":%q,"version":"1",
		"settings":{"pilot":false,"bodies":true,"grants":["http://localhost/*"],"script_hosts":[],"user_scripts":false},
		"tabs":[{"id":1,"index":0,"window":1,"url":"http://localhost/one","title":"","active":true,"focused":true,"granted":true},
			{"id":2,"index":1,"window":1,"url":"http://localhost/two","title":"","active":false,"granted":true}],"groups":[%s]}`, session, group)
}

func some(n, from int, format string, at time.Time) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(`{"seq":%d,"t":%d,`+format+`}`, from+i, at.UnixMilli(), i)
	}
	return out
}

// An answer that says that there were no errors is true, whatever else goes wrong. Each fault happens after
// tab 1 told of an error; who asks for it gets the error, or is told that something is missing.
func TestNoFaultMakesAnErrorUnseen(t *testing.T) {
	const (
		line      = `"level":"error","severity":17,"message":"line %d"`
		plain     = `"level":"info","message":"line %d"`
		exception = `"type":"Error","message":"of a flood %d","mechanism":"onerror"`
	)
	missing := regexp.MustCompile(`evicted|lost|dropped|not understood|more are kept|over the rate`)
	type fault = func(t *testing.T, h *testkit.Daemon, sync func(string))
	// repeat sends n uploads, with a pause behind each.
	repeat := func(n int, pause time.Duration, body func(i int) string) fault {
		return func(_ *testing.T, _ *testkit.Daemon, sync func(string)) {
			for i := range n {
				sync(body(i))
				time.Sleep(pause)
			}
		}
	}
	one := func(lists map[string][]string) string {
		return upload("s1", 1, "D1", "http://localhost/one", lists)
	}
	clockOff := func(by time.Duration) fault {
		return repeat(20, time.Second, func(i int) string {
			return upload("s2", 1, "DX", "http://localhost/x",
				map[string][]string{"logs": some(100, i*100+1, line, time.Now().Add(by))})
		})
	}
	faults := map[string]fault{
		"a busy tab beside it": repeat(10, 6*time.Second, func(i int) string {
			return upload("s1", 2, "D2", "http://localhost/two", map[string][]string{
				"logs":       some(2000, i*4000+1, line, time.Now()),
				"exceptions": some(1200, i*4000+2001, exception, time.Now()),
			})
		}),
		"a flood in the same tab": repeat(40, 6*time.Second, func(i int) string {
			return one(map[string][]string{"logs": some(4000, i*4000+100, plain, time.Now())})
		}),
		"more errors than are kept": repeat(40, 6*time.Second, func(i int) string {
			long := `"type":"Error","message":"%d ` + strings.Repeat("x", 4000) + `","mechanism":"onerror"`
			return one(map[string][]string{"exceptions": some(1000, i*1000+100, long, time.Now())})
		}),
		"addresses of 2 MB": repeat(1, 0, func(int) string {
			long := "http://localhost/#" + strings.Repeat("x", 2_000_000)
			return upload("s1", 2, "D2", long, map[string][]string{"logs": some(10, 1, plain, time.Now())})
		}),
		"a sender an hour ahead":      clockOff(time.Hour),
		"a sender three hours behind": clockOff(-3 * time.Hour),
		"ten thousand made-up tabs": func(t *testing.T, h *testkit.Daemon, _ func(string)) {
			for i := range 10_000 {
				body := upload(
					fmt.Sprint("made-up-", i%300),
					i,
					fmt.Sprint("D", i),
					"http://localhost/x",
					map[string][]string{"exceptions": some(3, 1, exception, time.Now())},
				)
				if err := h.Events([]byte(body)); err != nil {
					t.Fatal(err)
				}
			}
		},
		"another profile with the same tab": func(t *testing.T, h *testkit.Daemon, _ func(string)) {
			body := upload(
				"s2",
				1,
				"D1",
				"http://localhost/one",
				map[string][]string{"logs": some(3000, 1, line, time.Now())},
			)
			if err := h.Events([]byte(body)); err != nil {
				t.Fatal(err)
			}
		},
		"events that are none": func(t *testing.T, h *testkit.Daemon, _ func(string)) {
			bad := []string{
				`7`,
				`null`,
				`{"seq":-1}`,
				`{"seq":3,"t":"x"}`,
				`{"seq":4,"message":{"a":1}}`,
				`{"seq":1e99}`,
			}
			body := upload(
				"s1",
				1,
				"D3",
				"http://localhost/one",
				map[string][]string{"logs": bad, "exceptions": bad, "network": bad, "actions": bad},
			)
			if err := h.Events([]byte(body)); err != nil && !strings.Contains(err.Error(), "invalid") {
				t.Fatal(err)
			}
		},
		"uploads that are none": func(t *testing.T, h *testkit.Daemon, _ func(string)) {
			for _, body := range []string{"", "{", "[]", `{"groups":7}`, strings.Repeat("[", 100_000), "\x00\xff"} {
				if err := h.Events([]byte(body)); err == nil {
					t.Errorf("%.20q was taken", body)
				}
			}
		},
		"numbers that never come": func(t *testing.T, _ *testkit.Daemon, sync func(string)) {
			sync(one(map[string][]string{"logs": some(10, 5000, plain, time.Now())}))
			time.Sleep(time.Minute)
			sync(one(map[string][]string{"logs": some(10, 6000, plain, time.Now())}))
		},
		"the daemon's clock is set back": func(_ *testing.T, h *testkit.Daemon, sync func(string)) {
			// The limits are reached when it happens.
			sync(one(map[string][]string{
				"exceptions": some(7000, 10_000, exception, time.Now()),
			}))
			for i, by := range []time.Duration{-time.Hour, -26 * time.Hour, 3 * time.Hour} {
				h.SetClock(by)
				time.Sleep(10 * time.Second)
				for j := range 5 {
					n := 20_000 + 1000*i + 100*j
					sync(one(map[string][]string{"logs": some(5, n, line, time.Now())}))
					sync(upload("s1", 2, "D2", "http://localhost/two", map[string][]string{"logs": some(50, n, line, time.Now())}))
					time.Sleep(time.Second)
				}
			}
		},
		"uploads that are refused as too large": func(t *testing.T, h *testkit.Daemon, sync func(string)) {
			post, api := route(t, h)
			large := `"type":"Error","message":"%d ` + strings.Repeat("x", 60_000) + `","mechanism":"onerror"`
			for i := range 4 {
				tab := 1 + i%2
				body := upload("s1", tab, fmt.Sprint("D", tab), "http://localhost/one", map[string][]string{
					"exceptions": some(100, 2+100*i, large, time.Now()),
				})
				if code := post(body); code != http.StatusRequestEntityTooLarge {
					t.Fatalf("%d bytes: %d", len(body), code)
				}
				time.Sleep(time.Second)
			}
			if n, _ := api.RefusedUploads(); n != 4 {
				t.Errorf("%d refused uploads were counted, want 4", n)
			}
			if code := post(upload("s1", 2, "D2", "http://localhost/two", map[string][]string{
				"logs": some(10, 900, plain, time.Now()),
			})); code != http.StatusOK {
				t.Errorf("what fits afterwards: %d", code)
			}
			sync(one(map[string][]string{"logs": some(10, 900, plain, time.Now())}))
		},
		"the other tab is emptied": func(_ *testing.T, h *testkit.Daemon, _ func(string)) { h.Clear("s1", 2) },
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(testkit.Begin))
				h := testkit.NewDaemon(t, 0)
				sync := func(body string) {
					t.Helper()
					if err := h.Sync([]byte(body)); err != nil {
						t.Fatal(err)
					}
				}
				sync(one(map[string][]string{
					"exceptions": {
						fmt.Sprintf(
							`{"seq":1,"t":%d,"type":"Error","message":"the one that counts","mechanism":"onerror"}`,
							time.Now().UnixMilli(),
						),
					},
				}))
				fault(t, h, sync)
				// What is told afterwards is heard as well.
				sync(upload("s1", 1, "D9", "http://localhost/one", map[string][]string{
					"exceptions": {
						fmt.Sprintf(
							`{"seq":1,"t":%d,"type":"Error","message":"the one after it","mechanism":"onerror"}`,
							time.Now().UnixMilli(),
						),
					},
				}))
				bound := catalog.Bind(observe.Tool, func(c catalog.Call) observe.Env {
					return observe.Env{View: h.View(c), Drive: h.Driver(), Queue: h.Queue, Dir: h.Dir, Recorder: h.Recorder, Films: h.Films, Flows: h.Flows}
				}, nil)
				for _, args := range []string{
					`{"what":"errors","tab":1,"session":"s1","limit":1000}`,
					`{"what":"errors","tab":1,"session":"s1","text":"that counts"}`,
					`{"what":"error_bundles","tab":1,"session":"s1"}`, `{"what":"timeline","tab":1,"session":"s1","limit":500}`,
				} {
					if !strings.Contains(args, "text") || hasText(bound) {
						var calls calls.Runner
						began := time.Now()
						a, p := calls.Run(
							t.Context(),
							bound,
							catalog.Call{Client: "agent"},
							json.RawMessage(args),
							answer.Options{Fence: "f3"},
						)
						if p != nil {
							t.Fatalf("%s: %v", args, p)
						}
						if strings.Contains(a.Text, "no errors were seen") {
							t.Errorf("%s claims that there was none", args)
						}
						if !strings.Contains(a.Text, "the one after it") && !strings.Contains(args, "text") {
							t.Errorf("%s lacks what came after the fault:\n%.600s", args, a.Text)
						}
						if !strings.Contains(a.Text, "the one that counts") && !missing.MatchString(a.Text) {
							t.Errorf(
								"%s neither has the error nor says that anything is missing:\n%.600s",
								args,
								a.Text,
							)
						}
						if took := time.Since(began); took > 0 {
							t.Errorf("%s waited %v", args, took)
						}
					}
				}
			})
		})
	}
}

// route returns how a paired browser posts to /sync of a server over the daemon's parts, and the server.
func route(t *testing.T, h *testkit.Daemon) (post func(body string) int, api *httpapi.Server) {
	t.Helper()
	pairings, err := pairing.Open(h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	id, key, err := pairings.Grant(pairing.Paired{Session: "s1", Name: "Chromium"})
	if err != nil {
		t.Fatal(err)
	}
	const extension = "abcdefghijklmnopabcdefghijklmnop"
	api = httpapi.New(httpapi.Config{
		Port: 7890, Version: "1", Run: testkit.Run, Started: time.Now(), ExtensionID: extension, Salt: testkit.Salt,
		Log: slog.New(slog.DiscardHandler), Pairings: pairings, Registry: h.Registry, Queue: h.Queue, Calls: &calls.Runner{},
		Context: t.Context(), Ingest: h.Ingest, Uploads: h.Uploads, Redact: h.Redact, Correlator: h.Correlator,
		Reader: h.Reader,
		Clear:  h.Store.Clear, Dir: h.Dir,
	})
	bearer := id + "." + proof.Of(key, proof.Bearer, pairings.Boot())
	return func(body string) int {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:7890/sync", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+bearer)
		r.Header.Set("Origin", "chrome-extension://"+extension)
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		return w.Code
	}, api
}

// An error that was in an upload that was refused, and that the browser gave up then, is told as missing.
func TestWhatARefusedUploadHeldIsToldAsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin))
		h := testkit.NewDaemon(t, 0)
		post, _ := route(t, h)
		large := `"type":"Error","message":"%d ` + strings.Repeat("x", 6_000_000) + `","mechanism":"onerror"`
		if code := post(upload("s1", 1, "D1", "http://localhost/one", map[string][]string{
			"exceptions": some(1, 1, large, time.Now()),
		})); code != http.StatusRequestEntityTooLarge {
			t.Fatalf("%d", code)
		}
		rest := upload("s1", 1, "D1", "http://localhost/one", map[string][]string{
			"logs": some(1, 2, `"level":"info","message":"line %d"`, time.Now()),
		})
		rest = strings.Replace(rest, `"document":"D1",`, `"document":"D1","dropped":{"exception":1},`, 1)
		if code := post(rest); code != http.StatusOK {
			t.Fatalf("the rest: %d", code)
		}
		bound := catalog.Bind(observe.Tool, func(c catalog.Call) observe.Env {
			return observe.Env{View: h.View(c), Drive: h.Driver(), Queue: h.Queue, Dir: h.Dir, Recorder: h.Recorder, Films: h.Films, Flows: h.Flows}
		}, nil)
		for _, what := range []string{"errors", "error_bundles"} {
			text := ask(t, bound, fmt.Sprintf(`{"what":%q,"tab":1,"session":"s1"}`, what))
			if strings.Contains(text, "no errors were seen") || !strings.Contains(text, "lost: 1 exception event (") {
				t.Errorf("%s: %s", what, text)
			}
		}
	})
}

// hasText reports whether errors can be searched by text.
func hasText(b *catalog.Bound) bool {
	m, _ := b.Lookup("errors")
	for _, p := range m.Params {
		if p.Name == "text" {
			return true
		}
	}
	return false
}
