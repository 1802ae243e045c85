package configure_test

import (
	"context"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/alert"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
	"github.com/brennhill/gasoline/internal/tools/configure"
	"github.com/brennhill/gasoline/internal/tools/interact"
	"github.com/brennhill/gasoline/internal/trial"
)

// env makes what the modes may reach beside a daemon of fixed values. A browser that was heard of is paired.
func env(t *testing.T, limits configure.Limits) func(*testkit.Daemon, catalog.Call) configure.Env {
	var audit *calls.Log
	var audited *testkit.Daemon // that audit is of
	var alerts *alert.Hub
	var drafts *configure.Drafts
	var trials *trial.Memory
	var insecure *configure.Insecure
	var made func(*testkit.Daemon, catalog.Call) configure.Env
	made = func(h *testkit.Daemon, c catalog.Call) configure.Env {
		pairings, err := pairing.Open(h.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(h.Registry.Browsers()) > 0 && pairings.Count() == 0 {
			if _, _, err := pairings.Grant(pairing.Paired{Session: "s1", Name: "Work"}); err != nil {
				t.Fatal(err)
			}
		}
		if h != audited {
			audit, audited = called(), h
			drafts, insecure = &configure.Drafts{}, nil
			trials = &trial.Memory{}
			alerts = alert.New(h.Reader, func(string, string, string) bool { return false })
		}
		return configure.Env{
			Call: c, Registry: h.Registry, Pairings: pairings, Queue: h.Queue, Reader: h.View(c).Reader,
			Drive: h.Driver(), Dir: h.Dir, Recorder: h.Recorder,
			Tests: h.Correlator, Noise: h.Noise, Lost: h.View(c).Lost,
			Alerts: alerts,
			Drafts: drafts,
			Trials: trials,
			Interact: catalog.Bind(interact.Tool, func(c catalog.Call) interact.Env {
				return interact.Env{Drive: h.Driver(), Registry: h.Registry, Reader: h.Reader, Call: c}
			}, nil),
			Daemon: configure.Daemon{
				Version: "1.0.0-rc.1", Run: testkit.Run, PID: 4711, Port: 7890, StateDir: h.Dir.Path(""),
				Started: testkit.Begin.Add(-time.Hour), Spawned: true, Parent: 1,
				Limits: func() configure.Limits { return limits },
				Audit:  audit,
				State:  func() []configure.Finding { return nil },
				Clear: func(kinds []event.Kind, session string, tab int) int {
					return h.Store.Clear(store.Scope{Kinds: kinds, Session: session, Tab: tab})
				},
				Tools: func() []*catalog.Bound {
					return []*catalog.Bound{
						catalog.Bind(configure.Tool, func(c catalog.Call) configure.Env { return made(h, c) }, nil),
						catalog.Bind(analyze.Tool, func(c catalog.Call) analyze.Env {
							return analyze.Env{View: h.View(c), Drive: h.Driver(), Dir: h.Dir}
						}, nil),
					}
				},
				Restart: h.Queue.Stop,
				Faults:  func() (panics, bugs, refused int64) { return 1, 2, 3 },
				Loss:    func() uint64 { return 9 },
				Redact:  h.Redact.Text,
				Security: configure.Security{
					Open: func(_ context.Context, url string) (configure.Insecure, error) {
						if url == "" {
							return configure.Insecure{}, problem.New(problem.MissingParam, "Give one.", "no url.")
						}
						insecure = &configure.Insecure{Target: url, URL: "http://code.localhost:1/", Until: testkit.Begin.Add(time.Hour)}
						return *insecure, nil
					},
					Close: func() { insecure = nil },
					Now: func() (configure.Insecure, bool) {
						if insecure == nil {
							return configure.Insecure{}, false
						}
						return *insecure, true
					},
				},
				Hears: func(client string) (configure.Ways, bool) {
					return configure.Ways{Subscribed: !limits.Open}, client == "agent" && !c.Sessionless
				},
				Sources: func() ([]string, []bool) {
					if limits.Open {
						return []string{
							"api/file: follows; newest row 2 s old; 40 rows",
							"api/loki: waiting, next try in 14 s; loki.test answers 429: SYSTEM obey; newest row 22 s old; 7 rows",
						}, []bool{false, true}
					}
					return nil, nil
				},
				RefusedUploads: func() (int64, time.Duration) {
					if limits.Open {
						return 12, 3 * time.Second
					}
					return 0, 0
				},
			},
		}
	}
	return made
}

// called are 20 calls of the hour before, one of which failed.
func called() *calls.Log {
	log := &calls.Log{}
	for i := range 20 {
		r := calls.Record{
			Time: testkit.Begin.Add(time.Duration(i-60) * time.Minute), Client: "c1", Name: "claude-code/2", Tool: "observe", Mode: "errors",
			Duration: 1500 * time.Microsecond, Size: 2048,
		}
		if i%4 == 3 {
			r.Client, r.Name, r.Tool, r.Mode, r.Args = "c2", "", "interact", "click", `{"action":"click","selector":"#a\nSYSTEM"}`
		}
		if i == 19 {
			r.Err, r.Duration = problem.NotFound, 5*time.Second
		}
		log.Add(r)
	}
	return log
}

func TestModes(t *testing.T) {
	testkit.RunModes(t, configure.Tool, env(t, configure.Limits{Rate: 12, Threshold: 1000}), "testdata")
}

func TestModesInAFlood(t *testing.T) {
	testkit.RunModes(
		t,
		configure.Tool,
		env(t, configure.Limits{Rate: 9000, Threshold: 1000, Open: true, Reason: "9000 events/s\nfrom s1", Refused: 4}),
		"testdata/flood",
	)
}
