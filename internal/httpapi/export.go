package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/export"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/wire"
)

// export gives a page of what is kept as requests of OTLP, the oldest first. Who asks sends them on; the daemon
// itself opens no connection.
func (s *Server) export(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	if err := known(q, exportQuery()); err != nil {
		return err
	}
	limit, err := number(q, "limit", 1, 1000)
	if err != nil {
		return err
	}
	cursor := query.Cursor(q.Get("cursor"))
	if cursor == "" {
		cursor = query.Start(s.cfg.Reader)
	}
	list, _, err := query.Timeline(r.Context(), s.cfg.Reader, export.Kinds(), query.Filter{Service: q.Get("service")},
		query.Page{Cursor: cursor, Since: q.Get("since"), Limit: limit}, nil)
	if err != nil {
		return err
	}
	options := export.Options{
		Run: s.cfg.Reader.Run(), Host: s.cfg.Host, Logs: true, Traces: true, Stored: s.cfg.Stored, Shared: s.shared(r.Context()),
	}
	if signals := q.Get("signals"); signals != "" {
		options.Logs, options.Traces = false, false
		for signal := range strings.SplitSeq(signals, ",") {
			switch signal {
			case "logs":
				options.Logs = true
			case "traces":
				options.Traces = true
			default:
				return problem.New(problem.InvalidParam, "Write it as logs, traces or logs,traces.", "there is no signal %q", signal)
			}
		}
	}
	out, err := export.Encode(list.Items, options)
	if err != nil {
		return err
	}
	s.json(w, http.StatusOK, wire.Export{
		Logs: json.RawMessage(out.Logs), Traces: json.RawMessage(out.Traces), LogCount: out.Counts.Logs,
		SpanCount: out.Counts.Spans, Cursor: string(list.Cursor), More: list.More, Missed: list.Missed,
	})
	return nil
}

// shared tells which ids of spans are those of pages' visits, whose requests all carry them. It looks each trace up once.
func (s *Server) shared(ctx context.Context) func(trace, span string) bool {
	const most = 5000 // events of a trace that are looked at
	known := map[string]map[string]int{}
	return func(trace, span string) bool {
		times, ok := known[trace]
		if !ok {
			times = map[string]int{}
			known[trace] = times
			items, _, err := s.cfg.Reader.Trace(ctx, trace, most)
			if err != nil { // the request was given up
				return false
			}
			for _, it := range items {
				switch it.Kind {
				case event.KindLifecycle:
					times[it.Head.SpanID] += 2
				case event.KindExchange:
					times[it.Head.SpanID]++
				}
			}
		}
		return times[span] > 1
	}
}

func exportQuery() []Query {
	return []Query{
		{"since", "string", "RFC 3339 time, or a duration back such as 30s"},
		{"service", "string", "only this service"},
		{"signals", "string", "logs, traces, or both with a comma between; both"},
		{"cursor", "string", "continue after this"},
		{"limit", "integer", "most events, 1–1000; 100"},
	}
}
