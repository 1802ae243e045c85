package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/wire"
)

func (s *Server) snapshot(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	if err := known(q, snapshotQuery); err != nil {
		return err
	}
	f := query.Filter{TestID: q.Get("test_id"), Worker: q.Get("worker")}
	if v := q.Get("since"); v != "" {
		t, err := time.Parse(time.RFC3339, v)
		if err != nil {
			return problem.New(
				problem.InvalidParam,
				"Use a time such as 2026-01-02T15:04:05Z.",
				"since is %q.",
				clip(v),
			)
		}
		f.Since = t
	}
	out := wire.Snapshot{
		Timestamp: time.Now().UTC().Format(time.RFC3339Nano), TestID: f.TestID,
		Logs: []wire.SnapshotLog{}, WebSocketEvents: []wire.Message{}, NetworkBodies: []wire.Exchange{},
		EnhancedActions: []wire.Action{},
		Exhausted:       true,
	}
	// rests notes what the list of a kind does not rest on.
	rests := func(k event.Kind, older query.Cursor, c query.Coverage) {
		out.Exhausted = out.Exhausted && c.Exhausted && older == ""
		if c.Evicted > 0 {
			if out.Missed == nil {
				out.Missed = map[string]int{}
			}
			out.Missed[k.String()] = int(c.Evicted)
			out.MissedIsUpper = out.MissedIsUpper || c.EvictedUpper
		}
	}
	all := query.Page{Limit: query.MaxLimit}
	ctx := r.Context()
	logs, cover, err := query.Read[event.Log](ctx, s.cfg.Reader, f, all, nil)
	if err != nil {
		return err
	}
	rests(event.KindLog, logs.Older, cover)
	exceptions, cover, err := query.Read[event.Exception](ctx, s.cfg.Reader, f, all, nil)
	if err != nil {
		return err
	}
	rests(event.KindException, exceptions.Older, cover)
	for i, j := 0, 0; i < len(logs.Items) || j < len(exceptions.Items); {
		if j == len(exceptions.Items) || i < len(logs.Items) && !logs.Items[i].Time.After(exceptions.Items[j].Time) {
			e := &logs.Items[i]
			i++
			out.Logs = append(out.Logs, snapshotLog(e))
			switch {
			case e.Severity >= event.SeverityError:
				out.Stats.ErrorCount++
			case e.Severity >= event.SeverityWarn:
				out.Stats.WarningCount++
			}
			continue
		}
		out.Logs = append(out.Logs, snapshotException(&exceptions.Items[j]))
		out.Stats.ErrorCount++
		j++
	}
	connections := map[string]bool{}
	frames, cover, err := query.Read[event.Message](ctx, s.cfg.Reader, f, all, nil)
	if err != nil {
		return err
	}
	rests(event.KindMessage, frames.Older, cover)
	for i := range frames.Items {
		out.WebSocketEvents = append(out.WebSocketEvents, messageOut(&frames.Items[i]))
		connections[frames.Items[i].Session+"\x00"+frames.Items[i].Connection] = true
	}
	out.Stats.WSConnections = len(connections)
	exchanges, cover, err := query.ReadBodies(ctx, s.cfg.Reader, f, all, nil)
	if err != nil {
		return err
	}
	rests(event.KindExchange, exchanges.Older, cover)
	for i := range exchanges.Items {
		out.NetworkBodies = append(out.NetworkBodies, exchangeOut(&exchanges.Items[i]))
		if exchanges.Items[i].Failed() {
			out.Stats.NetworkFailures++
		}
	}
	actions, cover, err := query.Read[event.Action](ctx, s.cfg.Reader, f, all, nil)
	if err != nil {
		return err
	}
	rests(event.KindAction, actions.Older, cover)
	for i := range actions.Items {
		out.EnhancedActions = append(out.EnhancedActions, actionOut(&actions.Items[i]))
	}
	s.json(w, http.StatusOK, out)
	return nil
}

func (s *Server) clear(w http.ResponseWriter, r *http.Request) error {
	var in wire.Clear
	if err := s.decodeStrict(r, &in); err != nil {
		return err
	}
	if in.TestID != "" && in.Worker == "" && s.cfg.Archive != nil && s.cfg.Correlator.Ended(in.TestID) {
		if err := s.cfg.Archive.Keep(r.Context(), s.cfg.Reader, in.TestID); err != nil {
			return err
		}
	}
	n := s.cfg.Clear(store.Scope{TestID: in.TestID, Worker: in.Worker})
	if in.TestID == "" && in.Worker == "" {
		n += s.cfg.Queue.Cancel("")
	}
	s.json(
		w,
		http.StatusOK,
		wire.Cleared{Cleared: true, EntriesRemoved: n, Timestamp: time.Now().UTC().Format(time.RFC3339Nano)},
	)
	return nil
}

func (s *Server) boundary(w http.ResponseWriter, r *http.Request) error {
	var in wire.Boundary
	if err := s.decode(r, &in); err != nil {
		return err
	}
	var at time.Time
	if in.Timestamp != "" {
		t, err := time.Parse(time.RFC3339, in.Timestamp)
		if err != nil {
			return problem.New(
				problem.InvalidParam,
				"Use a time such as 2026-01-02T15:04:05Z, or leave it out.",
				"timestamp is %q.",
				clip(in.Timestamp),
			)
		}
		at = t
	}
	switch in.Action {
	case "start":
		b, err := s.cfg.Correlator.Start(in.TestID, in.Worker, "", at)
		if err != nil {
			return err
		}
		at = b.Started
	case "end":
		b, err := s.cfg.Correlator.End(in.TestID, in.Worker, at)
		if err != nil {
			return err
		}
		at = b.Ended
	default:
		return problem.New(problem.InvalidParam, "Use start or end.", "action is %q.", clip(in.Action))
	}
	s.json(
		w,
		http.StatusOK,
		wire.BoundaryAnswer{
			Acknowledged: true,
			TestID:       in.TestID,
			Action:       in.Action,
			Timestamp:    at.UTC().Format(time.RFC3339Nano),
		},
	)
	return nil
}

// numbers reads whole numbers from a query string.
func number(q url.Values, name string, least, most int) (int, error) {
	v := q.Get(name)
	if v == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		return 0, problem.New(problem.InvalidParam, fmt.Sprintf("Use %d–%d.", least, most), "%s is %q.", name, clip(v))
	}
	return n, nil
}

// kindsOf reads a comma-separated list of kinds.
func kindsOf(list string) ([]event.Kind, error) {
	var out []event.Kind
	for _, word := range strings.Split(list, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		k, ok := event.KindOf(word)
		if !ok {
			var all []string
			for _, k := range event.Kinds() {
				all = append(all, k.String())
			}
			return nil, problem.New(
				problem.InvalidParam,
				"Kinds are: "+strings.Join(all, ", ")+".",
				"there is no kind %q.",
				clip(word),
			)
		}
		out = append(out, k)
	}
	return out, nil
}

// trace answers with the flow of a trace or an event.
func (s *Server) trace(w http.ResponseWriter, r *http.Request) error {
	f, err := s.cfg.Flows.Read(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	s.json(w, http.StatusOK, f.Wire())
	return nil
}

func (s *Server) timeline(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	if err := known(q, timelineQuery()); err != nil {
		return err
	}
	kinds, err := kindsOf(q.Get("kinds"))
	if err != nil {
		return err
	}
	limit, err := number(q, "limit", 1, 1000)
	if err != nil {
		return err
	}
	tab, err := number(q, "tab", 0, 1<<31-1)
	if err != nil {
		return err
	}
	f := query.Filter{
		TestID:  q.Get("test_id"),
		TraceID: q.Get("trace_id"),
		Service: q.Get("service"),
		Action:  q.Get("action"),
		Tab:     tab,
		Text:    q.Get("q"),
	}
	if v := q.Get("until"); v != "" {
		if f.Until, err = time.Parse(time.RFC3339, v); err != nil {
			return problem.New(
				problem.InvalidParam,
				"Use a time such as 2026-01-02T15:04:05Z.",
				"until is %q.",
				clip(v),
			)
		}
	}
	list, cover, err := query.Timeline(
		r.Context(),
		s.cfg.Reader,
		kinds,
		f,
		query.Page{Cursor: query.Cursor(q.Get("cursor")), Since: q.Get("since"), Limit: limit},
		nil,
	)
	if err != nil {
		return err
	}
	out := wire.Timeline{
		Events:    []wire.TimelineEvent{},
		Cursor:    string(list.Cursor),
		Missed:    list.Missed,
		Exhausted: cover.Exhausted,
	}
	for _, it := range list.Items {
		out.Events = append(out.Events, wire.TimelineEvent{
			ID: query.ID(
				s.cfg.Reader,
				it.Head.Seq,
			), Handle: it.Handle(), Kind: it.Kind.String(), Time: epoch(it.Head.Time), Summary: it.Event.Summary(),
			Source: it.Head.Source, Service: it.Head.Service, Tab: it.Head.Tab, PageURL: it.Head.PageURL,
			TestID: it.Head.TestID, TraceID: it.Head.TraceID,
		})
	}
	s.json(w, http.StatusOK, out)
	return nil
}

func (s *Server) query(w http.ResponseWriter, r *http.Request) error {
	var in wire.Query
	if r.Method == http.MethodPost {
		if err := s.decodeStrict(r, &in); err != nil {
			return err
		}
		if in.Limit < 0 || in.Limit > 1000 {
			return problem.New(problem.InvalidParam, "Use 1–1000.", "limit is %d.", in.Limit)
		}
	} else {
		q := r.URL.Query()
		if err := known(q, expressionQuery()); err != nil {
			return err
		}
		limit, err := number(q, "limit", 1, 1000)
		if err != nil {
			return err
		}
		in.Kinds, in.Where, in.Select, in.Group = q.Get("kinds"), q.Get("where"), q.Get("select"), q.Get("group")
		in.Cursor, in.Since, in.Limit = q.Get("cursor"), q.Get("since"), limit
	}
	var lists [3][]string
	for i, v := range []any{in.Kinds, in.Select, in.Group} {
		list, ok := words(v)
		if !ok {
			return problem.New(
				problem.InvalidParam,
				"Use a list of words, or one text with commas.",
				"%s is no list of words.",
				[]string{"kinds", "select", "group"}[i],
			)
		}
		lists[i] = list
	}
	kinds, err := kindsOf(strings.Join(lists[0], ","))
	if err != nil {
		return err
	}
	got, cover, err := query.Query{
		Kinds: kinds, Where: in.Where, Select: lists[1], Group: lists[2],
		Page: query.Page{Cursor: query.Cursor(in.Cursor), Since: in.Since, Limit: in.Limit},
	}.Run(r.Context(), s.cfg.Reader)
	if err != nil {
		return err
	}
	if got.Rows == nil {
		got.Rows = [][]any{}
	}
	s.json(w, http.StatusOK, wire.Rows{
		Columns: got.Columns, Rows: got.Rows, Cursor: string(got.Cursor), Missed: got.Missed, More: got.More,
		Exhausted: cover.Exhausted,
	})
	return nil
}

// words reads a list that may be an array or comma-separated; false when it is neither.
func words(v any) (out []string, ok bool) {
	switch v := v.(type) {
	case nil:
	case string:
		for _, w := range strings.Split(v, ",") {
			if w = strings.TrimSpace(w); w != "" {
				out = append(out, w)
			}
		}
	case []any:
		for _, x := range v {
			w, ok := x.(string)
			if !ok {
				return nil, false
			}
			out = append(out, w)
		}
	default:
		return nil, false
	}
	return out, true
}

// known refuses parameters of a query string that a route does not have.
func known(q url.Values, has []Query) error {
	var names []string
	for _, h := range has {
		names = append(names, h.Name)
	}
	for name := range q {
		if !slices.Contains(names, name) {
			return problem.New(
				problem.InvalidParam,
				"There are: "+strings.Join(names, ", ")+".",
				"there is no parameter %q.",
				clip(name),
			)
		}
	}
	return nil
}
