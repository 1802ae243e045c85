package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/ingest/otlp"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/wire"
	"github.com/brennhill/gasoline/schema"
)

// health says that this is Gasoline; the rest only to somebody with the token.
func (s *Server) health(w http.ResponseWriter, r *http.Request) error {
	out := wire.Health{Server: s.server()}
	if !holds(s.bearer(r), Control) {
		s.json(w, http.StatusOK, out)
		return nil
	}
	now := time.Now()
	stats := s.cfg.Reader.Stats()
	out.Status, out.PID, out.Uptime = "ok", s.cfg.PID, int64(now.Sub(s.cfg.Started).Seconds())
	out.Memory, out.Budget, out.Clients = stats.Bytes, stats.MaxBytes, s.cfg.Clients()
	if s.cfg.Archive != nil { // it takes its part of what the user gave
		out.Budget += s.cfg.Archive.Limit()
	}
	if s.cfg.Ingest.State().Open || s.Counts().Panics > 0 {
		out.Status = "degraded"
	}
	if s.cfg.StateFaults != nil {
		if out.Problems = s.cfg.StateFaults(); len(out.Problems) > 0 {
			out.Status = "degraded"
		}
	}
	for _, b := range s.cfg.Registry.Browsers() {
		if b.Connected(now) {
			tabs := "1 tab"
			if n := len(b.Tabs); n != 1 {
				tabs = fmt.Sprintf("%d tabs", n)
			}
			out.Browsers = append(
				out.Browsers,
				fmt.Sprintf(
					"%s, extension %s, %s, browser control %s, bodies %s",
					clip(b.Label()),
					clip(b.Version),
					tabs,
					pilotOf(b.Settings),
					onOff(b.Settings.Bodies),
				),
			)
		}
	}
	s.json(w, http.StatusOK, out)
	return nil
}

// pilotOf says where agents may act.
func pilotOf(s session.Settings) string {
	if n := len(s.PilotSites); n > 0 && !s.Pilot {
		return fmt.Sprintf("on for %d chosen sites", n)
	}
	return onOff(s.Pilot)
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// doctor is the mode of configure, for who has no MCP.
func (s *Server) doctor(w http.ResponseWriter, r *http.Request) error {
	args, err := json.Marshal(map[string]string{"action": "doctor", "as": "json"})
	if err != nil {
		return err
	}
	return s.call(w, r, "configure", args, true)
}

// sources answers with how the sources stand.
func (s *Server) sources(w http.ResponseWriter, _ *http.Request) error {
	out := wire.Sources{}
	if s.cfg.SourceStates != nil {
		out = s.cfg.SourceStates()
	}
	s.json(w, http.StatusOK, out)
	return nil
}

func (s *Server) openapi(w http.ResponseWriter, _ *http.Request) error {
	s.write(w, http.StatusOK, "application/json", schema.OpenAPI)
	return nil
}

func (s *Server) shutdown(w http.ResponseWriter, r *http.Request) error {
	var in wire.Shutdown
	if err := s.decode(r, &in); err != nil {
		return err
	}
	s.json(w, http.StatusOK, map[string]bool{"stopping": true})
	if err := http.NewResponseController(w).Flush(); err != nil {
		s.cfg.Log.Debug("flush answer", "error", err.Error())
	}
	s.cfg.Shutdown(in.Replaced)
	return nil
}

// metrics prints counters in Prometheus' text format.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) error {
	var out strings.Builder
	metric := func(name, kind, help string, lines ...string) {
		fmt.Fprintf(&out, "# HELP gasoline_%s %s\n# TYPE gasoline_%s %s\n", name, help, name, kind)
		for _, l := range lines {
			fmt.Fprintf(&out, "gasoline_%s%s\n", name, l)
		}
	}
	value := func(v any) string { return fmt.Sprintf(" %v", v) }
	stats := s.cfg.Reader.Stats()
	metric(
		"uptime_seconds",
		"gauge",
		"Time since the daemon started.",
		value(int64(time.Since(s.cfg.Started).Seconds())),
	)
	metric("memory_bytes", "gauge", "Bytes reserved for events.", value(stats.Bytes))
	metric("memory_budget_bytes", "gauge", "Most bytes for events.", value(stats.MaxBytes))
	var entries, evicted, total []string
	for _, r := range stats.Rings {
		entries = append(entries, fmt.Sprintf(`{ring=%q} %d`, r.Name, r.Entries))
		evicted = append(evicted, fmt.Sprintf(`{ring=%q} %d`, r.Name, r.Evicted))
		total = append(total, fmt.Sprintf(`{ring=%q} %d`, r.Name, r.Total))
	}
	metric("ring_entries", "gauge", "Events kept.", entries...)
	metric("ring_evicted_total", "counter", "Events that made room.", evicted...)
	metric("ring_events_total", "counter", "Events stored.", total...)
	var lost []string
	for _, l := range s.cfg.Ingest.Losses() {
		lost = append(lost, fmt.Sprintf(`{kind=%q,cause=%q} %d`, l.Kind, l.Cause, l.Count))
	}
	metric("events_lost_total", "counter", "Events that never reached a ring.", lost...)
	var records []string
	for sig := range otlp.SignalCount {
		c := s.cfg.OTLP.Counts(otlp.Signal(sig))
		for _, o := range []struct {
			outcome string
			n       uint64
		}{{"taken", c.Taken}, {"refused", c.Refused}, {"repeated", c.Repeated}, {"left_out", c.Left}} {
			records = append(records, fmt.Sprintf(`{signal=%q,outcome=%q} %d`, otlp.Signal(sig), o.outcome, o.n))
		}
	}
	metric("otlp_records_total", "counter", "Records of OTLP by what became of them.", records...)
	c := s.Counts()
	metric("requests_total", "counter", "HTTP requests.", value(c.Requests))
	metric("requests_refused_total", "counter", "Requests that the guard refused.", value(c.Refused))
	metric("requests_malformed_total", "counter", "Requests with bad parameters or bodies.", value(c.Malformed))
	metric("requests_limited_total", "counter", "Requests over a limit.", value(c.TooMany))
	metric("panics_total", "counter", "Handlers that panicked.", value(c.Panics))
	t := s.cfg.Queue.Totals()
	metric(
		"commands_total",
		"counter",
		"Commands by their end.",
		fmt.Sprintf(
			`{status="complete"} %d`,
			t.Completed,
		),
		fmt.Sprintf(`{status="error"} %d`, t.Failed),
		fmt.Sprintf(`{status="timeout"} %d`, t.TimedOut),
		fmt.Sprintf(`{status="expired"} %d`, t.Expired),
		fmt.Sprintf(`{status="cancelled"} %d`, t.Cancelled),
	)
	metric("clients", "gauge", "MCP clients connected.", value(s.cfg.Clients()))
	s.write(w, http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", []byte(out.String()))
	return nil
}
