package httpapi

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/browser"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/wire"
)

// bodyLimit is what the extension keeps of a captured body, in bytes.
const bodyLimit = 16 << 10

// sync takes an upload of the extension. Limits never refuse it; what cannot be read is refused and
// counted, since events may be lost with it.
func (s *Server) sync(w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		if err != nil {
			s.refusedUploads.Add(1)
			s.lastRefused.Store(new(time.Now()))
		}
	}()
	data, giveBack, err := s.borrow(r)
	if err != nil {
		return err
	}
	defer giveBack()
	in, err := browser.ReadSync(data)
	if err != nil {
		return err
	}
	var settings *session.Settings
	if in.Settings != nil {
		v := session.Settings(*in.Settings)
		v.LastError, v.Name = s.cfg.Redact.Text(v.LastError), s.cfg.Redact.Text(v.Name)
		settings = &v
	}
	var tabs []session.Tab
	if in.Tabs != nil {
		tabs = make([]session.Tab, 0, len(in.Tabs))
		for _, t := range in.Tabs {
			tabs = append(tabs, s.tab(t))
		}
	}
	s.cfg.Registry.Heard(in.Session, in.Version, in.CaptureVersion, settings, tabs)
	for _, res := range in.Results {
		res.Session = in.Session
		s.take(res)
	}
	receipt, err := s.cfg.Uploads.Sync(r.Context(), in.Upload)
	if err != nil {
		return err
	}
	answer := wire.SyncAnswer{
		Ack: receipt.Ack, Dropped: map[string]int{}, Server: s.server(), Agents: s.agents(in.Session),
		Settings: wire.DaemonSettings{Salt: s.cfg.Salt, BodyLimit: bodyLimit},
	}
	if answer.Ack == nil {
		answer.Ack = map[string]uint64{}
	}
	for k, n := range receipt.Dropped {
		answer.Dropped[k.String()] = n
	}
	s.json(w, http.StatusOK, answer)
	return nil
}

// readers are the dialects of the single-kind routes.
var readers = map[string]func([]byte) (browser.Delivery, error){
	"/logs":                  browser.ReadLogs,
	"/network-bodies":        browser.ReadBodies,
	"/network-waterfall":     browser.ReadWaterfall,
	"/websocket-events":      browser.ReadMessages,
	"/enhanced-actions":      browser.ReadActions,
	"/performance-snapshots": browser.ReadSnapshots,
}

// ingestRoute takes events of one kind from anybody with a token.
func (s *Server) ingestRoute(w http.ResponseWriter, r *http.Request) error {
	data, giveBack, err := s.borrow(r)
	if err != nil {
		return err
	}
	defer giveBack()
	in, err := readers[r.URL.Path](data)
	if err != nil {
		return err
	}
	accepted := in.Accepted()
	if _, err := s.cfg.Ingest.Ingest(r.Context(), in.Upload, ingest.Refuse); err != nil {
		var limited *ingest.Limited
		if errors.As(err, &limited) {
			w.Header().Set("Retry-After", strconv.Itoa(max(1, int(limited.RetryAfter/time.Second))))
		}
		return err
	}
	s.json(w, http.StatusOK, accepted)
	return nil
}
