// Package testkit is for tests only: a daemon's parts put together without its doors and goroutines,
// a browser that answers commands as it was told to, archives of named sections, and the runner that
// tests the modes of a tool by such archives.
package testkit

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/film"
	"github.com/brennhill/gasoline/internal/flow"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/browser"
	"github.com/brennhill/gasoline/internal/noise"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/view"
)

// Run is the daemon's run in every test, so that ids and cursors are the same in every run of the tests.
const Run = "k9f2"

// Salt keys the pseudonyms that pages make for every daemon.
const Salt = "salt"

// Daemon is a daemon's parts: the real store, write side, read side, queue and registry. Its clock is
// the process's until SetClock, so tests that need a fixed time stand in a synctest bubble.
type Daemon struct {
	Store      *store.Store
	Reader     *query.Live
	Ingest     *ingest.Ingester
	Uploads    *browser.Receiver
	Correlator *correlate.Correlator
	Registry   *session.Registry
	Queue      *command.Queue
	Dir        *state.Dir // a fresh state directory
	Project    string     // a fresh directory that stands for the caller's project
	Redact     *redact.Redactor
	Recorder   *recording.Recorder
	Films      *film.Films
	Flows      *flow.Flows
	Noise      *noise.Store
	Lost       []view.Loss // what footers tell beside what the ingester counts

	ahead atomic.Int64 // of the process's clock, in nanoseconds
}

// SetClock sets the clock on the wall by which the write side stamps what it receives. Intervals do not change.
func (h *Daemon) SetClock(by time.Duration) { h.ahead.Add(int64(by)) }

func (h *Daemon) now() time.Time { return time.Now().Round(0).Add(time.Duration(h.ahead.Load())) }

// NewDaemon returns a daemon without events whose rings hold at most entries events each; 0 means the
// defaults. Its directories go with the test.
func NewDaemon(t testing.TB, entries int) *Daemon {
	t.Helper()
	base := t.TempDir()
	dir, err := state.Open(filepath.Join(base, "state"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dir.Close(); err != nil {
			t.Error(err)
		}
	})
	limits := store.DefaultLimits(store.MinMemory)
	if entries > 0 {
		for id, c := range limits.Rings {
			c.Entries = entries
			limits.Rings[id] = c
		}
	}
	s, err := store.New(store.Config{Run: Run, FirstSeq: 1, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	redactor := redact.New(redact.Rules{})
	redactor.SetSalt(Salt)
	h := &Daemon{
		Store: s, Registry: session.NewRegistry(), Queue: command.NewQueue(Run, redactor), Redact: redactor, Dir: dir,
		Project: t.TempDir(),
	}
	h.Correlator = correlate.New(h.now)
	h.Reader = query.New(s, h.Correlator.Offset)
	h.Ingest = ingest.New(ingest.Config{Now: h.now}, redactor, h.Correlator, s)
	h.Films = film.New(dir)
	h.Flows = flow.New(h.Reader)
	h.Noise = noise.New(dir)
	h.Recorder = recording.New(dir, h.Reader, func(session string, tab int) (n uint64) {
		for _, l := range h.losses(session, tab, "") {
			if l.Kind == event.KindAction {
				n += l.Count
			}
		}
		return n
	}, redactor.Text)
	h.Uploads = browser.NewReceiver(h.Ingest)
	return h
}

// Events takes the events of the body of a POST /sync, and nothing of what it tells of its browser.
func (h *Daemon) Events(body []byte) error {
	m, err := browser.ReadSync(body)
	if err == nil {
		_, err = h.Uploads.Sync(context.Background(), m.Upload)
	}
	return err
}

// Clear empties a tab.
func (h *Daemon) Clear(session string, tab int) int {
	return h.Store.Clear(store.Scope{Session: session, Tab: tab})
}

// Sync takes the body of a POST /sync as the daemon's route does, results of commands left out.
func (h *Daemon) Sync(body []byte) error {
	m, err := browser.ReadSync(body)
	if err != nil {
		return err
	}
	var settings *session.Settings
	if m.Settings != nil {
		s := session.Settings(*m.Settings)
		settings = &s
	}
	var tabs []session.Tab
	for _, t := range m.Tabs {
		tabs = append(tabs, session.Tab(t))
	}
	h.Registry.Heard(m.Session, m.Version, m.CaptureVersion, settings, tabs)
	_, err = h.Uploads.Sync(context.Background(), m.Upload)
	return err
}

// View is what a call sees.
func (h *Daemon) View(c catalog.Call) view.View {
	return view.View{Reader: h.Noise.Reader(c, h.Reader), Registry: h.Registry, Call: c, Lost: h.losses}
}

// Driver sends commands to the browsers that are connected.
func (h *Daemon) Driver() drive.Driver {
	return drive.Driver{Queue: h.Queue, Registry: h.Registry, Dir: h.Dir}
}

func (h *Daemon) losses(session string, tab int, service string) []view.Loss {
	out := append([]view.Loss(nil), h.Lost...)
	for _, l := range h.Ingest.LossesOf(session, tab, service) {
		out = append(out, view.Loss{Kind: l.Kind, Cause: l.Cause.String(), Count: l.Count})
	}
	return out
}

// Lose adds to what footers tell was lost.
func (h *Daemon) Lose(k event.Kind, cause string, n uint64) {
	h.Lost = append(h.Lost, view.Loss{Kind: k, Cause: cause, Count: n})
}
