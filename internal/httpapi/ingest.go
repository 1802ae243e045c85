package httpapi

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/browser"
	"github.com/brennhill/gasoline/internal/ingest/lines"
	"github.com/brennhill/gasoline/internal/problem"
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
		Ack: receipt.Ack, Dropped: map[string]int{}, Server: s.server(), Agents: s.agents(in.Session), Insecure: s.insecure(),
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
		return retryLater(w, err)
	}
	s.json(w, http.StatusOK, accepted)
	return nil
}

// retryLater says when a request that the limits refused may be repeated. It returns its argument.
func retryLater(w http.ResponseWriter, err error) error {
	var limited *ingest.Limited
	if errors.As(err, &limited) {
		w.Header().Set("Retry-After", retryAfter(limited))
	}
	return err
}

// retryAfter writes whole seconds, rounded up.
func retryAfter(l *ingest.Limited) string {
	return strconv.Itoa(max(1, int((l.RetryAfter+time.Second-1)/time.Second)))
}

// from says by whose leave a request gives events.
func (s *Server) from(r *http.Request) ingest.From {
	g := s.bearer(r).Grant
	if g == nil {
		return ingest.From{}
	}
	return ingest.From{ID: g.ID, Service: g.Service, Environment: g.Environment, Allow: func(events, bytes int) error {
		wait := g.Allow(events, bytes)
		if wait == 0 {
			return nil
		}
		return &ingest.Limited{RetryAfter: wait, Problem: problem.New(
			problem.RateLimited,
			"Repeat the request after the time of Retry-After, or make a token with a higher --rate.",
			"the token takes %d events and %d bytes a second.",
			g.Events,
			g.Bytes,
		)}
	}}
}

// lines takes text of a program.
func (s *Server) lines(w http.ResponseWriter, r *http.Request) error {
	from := s.from(r) // by the token that was let in, which may end while the body comes
	data, giveBack, err := s.linesOf(r, from)
	if err != nil {
		return err
	}
	defer giveBack()
	in, err := lines.Read(data)
	if err != nil {
		return err
	}
	answer, err := s.cfg.Lines.Take(r.Context(), from, in)
	if err != nil {
		return retryLater(w, err)
	}
	s.json(w, http.StatusOK, answer)
	return nil
}

// linesOf is borrow, within the account of the port for who sends by a token: any number of its bodies may be under way.
func (s *Server) linesOf(r *http.Request, from ingest.From) (data []byte, giveBack func(), err error) {
	if from.ID == "" {
		return s.borrow(r)
	}
	gzipped, err := isGzipped(r)
	if err != nil {
		return nil, nil, err
	}
	data, giveBack, err = unpack(s.accountOf(r), r.Body, r.ContentLength, gzipped, maxBody)
	if errors.Is(err, errTooLarge) {
		err = tooLarge()
	}
	return data, giveBack, err
}
