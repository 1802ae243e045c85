package configure

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/view"
)

// Bounds of what a recording of requests gives.
const (
	maxRecorded  = 1000    // requests, the first ones
	maxBodyBytes = 4 << 20 // of all their bodies
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "network_recording", Reads: true,
	Doc: "Requests of the tab in use between start and stop, with their bodies as far as these are captured. Each client has its own " +
		"recording.",
	Aliases: []string{"record_network"}, Wait: 5 * time.Second, Example: `{"operation":"start","url":"/api/","method":"POST"}`,
	Errors: []problem.Code{problem.Conflict, problem.NoData, problem.InvalidParam},
}, networkRecording)

type networkRecordingParams struct {
	Operation string `json:"operation" required:"true" alias:"op" enum:"start,stop,status" doc:"what to do"`
	Domain    string `json:"domain,omitempty" length:"253" doc:"start: only to this host and those below it"`
	Method    string `json:"method,omitempty" length:"20" doc:"start: only this method"`
	URL       string `json:"url,omitempty" length:"2000" doc:"start: only with this in the URL"`
	Tab       int    `json:"tab,omitempty" doc:"start: tab id; default the one in use"`
}

type recordingFilters struct {
	Tab    int    `json:"tab,omitempty"` // 0: all
	Domain string `json:"domain,omitempty"`
	Method string `json:"method,omitempty"`
	URL    string `json:"url,omitempty"`
}

type networkRecordingResult struct {
	Status     string            `json:"status"` // recording, stopped, none
	Active     bool              `json:"active"`
	Started    string            `json:"started_at,omitempty"`
	DurationMS int64             `json:"duration_ms,omitempty"`
	Filters    *recordingFilters `json:"filters,omitempty"`
	Requests   []recordedRequest `json:"requests,omitzero"`
	Count      int               `json:"count"`             // that fit, given or not
	Before     int               `json:"begun_before"`      // that fit, but were under way when it began
	Pending    int               `json:"pending,omitempty"` // that have no answer yet
	Evicted    uint64            `json:"evicted,omitempty"` // of the tab's that had to make room meanwhile; some may have fitted
	Notes      []string          `json:"notes,omitempty"`

	op     string
	bodies bool
	left   int // requests that are not given
}

type recordedRequest struct {
	ID               string  `json:"id"`
	Method           string  `json:"method"`
	URL              string  `json:"url"`
	Status           int     `json:"status"` // 0: no answer came
	Outcome          string  `json:"outcome"`
	RequestBody      string  `json:"request_body,omitempty"`
	ResponseBody     string  `json:"response_body,omitempty"`
	RequestBodyNote  string  `json:"request_body_note,omitempty"`
	ResponseBodyNote string  `json:"response_body_note,omitempty"`
	ContentType      string  `json:"content_type,omitempty"`
	DurationMS       float64 `json:"duration_ms"`
	HasAuth          bool    `json:"has_auth_header"`
	Timestamp        string  `json:"timestamp"` // when it began

	clock, page string
}

func networkRecording(ctx context.Context, env Env, p networkRecordingParams) (*networkRecordingResult, error) {
	if env.Call.Sessionless {
		return nil, problem.New(problem.InvalidParam, `Name yourself with "client", in each of the calls.`,
			"a recording is of one client, and this connection does not tell its clients apart.")
	}
	if p.Operation == "start" {
		return env.startNetwork(ctx, p)
	}
	if p.Domain != "" || p.Method != "" || p.URL != "" || p.Tab != 0 {
		return nil, problem.New(problem.InvalidParam, "Leave it out; give it with start.", "what is recorded was said with start, %s takes no filter.",
			p.Operation)
	}
	w, active := env.Registry.Watch(env.Call.Client)
	switch {
	case !active && p.Operation == "status":
		return &networkRecordingResult{Status: "none", op: p.Operation}, nil
	case !active:
		return nil, problem.New(problem.NoData, `configure {"action":"network_recording","operation":"start"} begins one.`,
			"no recording of requests of this client is under way: none was started, it was stopped, or the daemon, which began at %s, was started since.",
			answer.Clock(env.Daemon.Started))
	}
	out, err := env.recorded(ctx, w, p.Operation == "stop")
	if err != nil {
		return nil, err
	}
	out.op = p.Operation
	if p.Operation == "stop" {
		env.Registry.EndWatch(env.Call.Client, w)
		out.Status, out.Active = "stopped", false
	}
	return out, nil
}

func (env Env) startNetwork(ctx context.Context, p networkRecordingParams) (*networkRecordingResult, error) {
	v := env.view()
	selection, err := v.Select(ctx, view.Scoped{Tab: p.Tab})
	if err != nil {
		return nil, err
	}
	sum, err := env.Reader.Sum(ctx, []event.Kind{event.KindExchange}, &query.Filter{}, 0, false)
	if err != nil {
		return nil, err
	}
	w, fresh := env.Registry.BeginWatch(env.Call.Client, session.NetworkWatch{
		Started: time.Now().Round(0), From: uint64(sum.Next), Session: selection.Filter.Session, Tab: selection.Filter.Tab,
		Domain: strings.ToLower(p.Domain), Method: strings.ToUpper(p.Method), URL: p.URL,
	})
	if !fresh {
		return nil, problem.New(problem.Conflict, `configure {"action":"network_recording","operation":"stop"} ends it and gives what it has.`,
			"a recording of requests is under way since %s.", answer.Clock(w.Started))
	}
	return &networkRecordingResult{
		Status: "recording", Active: true, Started: view.Stamp(w.Started), Filters: filtersOf(w), op: p.Operation,
		Notes: append(selection.Notes, v.Bodies(selection)...),
	}, nil
}

func filtersOf(w session.NetworkWatch) *recordingFilters {
	return &recordingFilters{Tab: w.Tab, Domain: w.Domain, Method: w.Method, URL: w.URL}
}

// recorded reads what a recording has so far; with the requests themselves where they are wanted.
func (env Env) recorded(ctx context.Context, w session.NetworkWatch, whole bool) (*networkRecordingResult, error) {
	now := time.Now()
	out := &networkRecordingResult{
		Status: "recording", Active: true, Started: view.Stamp(w.Started), DurationMS: now.Sub(w.Started).Milliseconds(), Filters: filtersOf(w),
	}
	if whole {
		out.Requests = []recordedRequest{}
	}
	reader, kinds := env.Reader.Whole(), []event.Kind{event.KindExchange}
	filter := query.Filter{Session: w.Session, Tab: w.Tab, URL: w.URL}
	sum, err := reader.Sum(ctx, kinds, &filter, event.Seq(w.From), false)
	if err != nil {
		return nil, err
	}
	out.Evicted = sum.Evicted
	room, without := maxBodyBytes, 0
	span := query.Span{Kinds: kinds, From: event.Seq(w.From), To: sum.Next, Bodies: whole}
	if _, err := reader.Scan(ctx, span, &filter, func(it query.Item) bool {
		e, ok := it.Event.(*event.Exchange)
		if !ok || w.Method != "" && !strings.EqualFold(e.Method, w.Method) || !below(e.URL, w.Domain) || e.Started.After(now) {
			return true
		}
		if e.Started.Before(w.Started) {
			out.Before++
			return true
		}
		if out.Count++; e.Outcome == "pending" {
			out.Pending++
		}
		if !whole {
			return true
		}
		if len(out.Requests) >= maxRecorded {
			out.left++
			return true
		}
		r := requestOf(it.Handle(), e)
		if room -= len(r.RequestBody) + len(r.ResponseBody); room < 0 && r.RequestBody+r.ResponseBody != "" {
			r.RequestBody, r.ResponseBody, r.RequestBodyNote, r.ResponseBodyNote = "", "", "", "left out here"
			without++
		}
		out.bodies = out.bodies || r.RequestBody != "" || r.ResponseBody != ""
		out.Requests = append(out.Requests, r)
		return true
	}); err != nil {
		return nil, err
	}
	v := env.view()
	of := view.Selection{Filter: query.Filter{Session: w.Session, Tab: w.Tab}}
	out.Notes = append(v.BrowserNotes(w.Session), v.Bodies(of)...)
	if env.Call.Unheard != "" {
		out.Notes = append(out.Notes, env.Call.Unheard)
	}
	out.Notes = append(out.Notes, v.LossNotes(of.Filter, event.KindExchange)...)
	if out.Evicted > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("up to %d requests were evicted meanwhile and are missing", out.Evicted))
	}
	if out.Before > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("requests that were under way when it began, and are left out: %d", out.Before))
	}
	if out.Pending > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("requests without an answer yet: %d", out.Pending))
	}
	if without > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("requests whose bodies had no room: %d; observe network_bodies with their id gives them", without))
	}
	if out.left > 0 {
		out.Notes = append(out.Notes, notGiven(out.left, out.Started))
	}
	return out, nil
}

// below reports whether an address is of a host, or of one below it; every one is where none is named.
func below(raw, host string) bool {
	if host == "" {
		return true
	}
	u, err := page.ParseURL(raw)
	if err != nil {
		return false
	}
	name := strings.ToLower(u.Hostname())
	return name == host || strings.HasSuffix(name, "."+host) || strings.EqualFold(u.Host, host)
}

func requestOf(id string, e *event.Exchange) recordedRequest {
	return recordedRequest{
		ID: id, Method: e.Method, URL: e.URL, Status: e.Status, Outcome: e.Outcome, RequestBody: e.RequestBody, ResponseBody: e.ResponseBody,
		RequestBodyNote: e.RequestBodyNote, ResponseBodyNote: e.ResponseBodyNote, ContentType: e.ContentType,
		DurationMS: float64(e.Duration.Microseconds()) / 1000, HasAuth: e.HasAuth, Timestamp: view.Stamp(e.Started),
		clock: answer.Clock(e.Started), page: e.PageURL,
	}
}

// Len returns how many requests are given.
func (r *networkRecordingResult) Len() int { return len(r.Requests) }

// Keep gives the first n requests and says where the rest is.
func (r *networkRecordingResult) Keep(n int) {
	r.left += len(r.Requests) - n
	r.Requests = r.Requests[:n]
	if before := len(r.Notes) - 1; before >= 0 && strings.HasPrefix(r.Notes[before], unsaid) {
		r.Notes = r.Notes[:before]
	}
	r.Notes = append(r.Notes, notGiven(r.left, r.Started))
}

const unsaid = "requests that are not given: "

func notGiven(n int, started string) string {
	return fmt.Sprintf("%s%d; observe network_bodies with since %s has them", unsaid, n, started)
}

// Text writes the result for a reader.
func (r *networkRecordingResult) Text(w *answer.Writer) {
	if r.Status == "none" {
		w.Head("network_recording: none is under way")
		return
	}
	f := r.Filters
	what := "all tabs"
	if f.Tab != 0 {
		what = fmt.Sprintf("tab %d", f.Tab)
	}
	for _, c := range []struct{ word, value string }{{"to", f.Domain}, {"by", f.Method}, {"with", f.URL}} {
		if c.value != "" {
			what += fmt.Sprintf(", %s %s", c.word, answer.Cut(answer.Clean(c.value), 100))
		}
	}
	for _, n := range r.Notes {
		if !strings.HasPrefix(n, unsaid) { // what is shown is counted below
			w.Note("note: %s", n)
		}
	}
	if r.op == "start" {
		w.Head("network_recording: begun, %s", what)
		w.Note(`configure {"action":"network_recording","operation":"stop"} ends it and gives the requests`)
		return
	}
	state := "under way for"
	if !r.Active {
		state = "stopped after"
	}
	w.Head("network_recording: %d requests, %s %s, %s", r.Count, state, answer.Took(time.Duration(r.DurationMS)*time.Millisecond), what)
	var entries []answer.Entry
	var origins []string
	for i := range r.Requests {
		entries = append(entries, answer.Entry{Text: r.Requests[i].line()})
		origins = append(origins, answer.Origin(r.Requests[i].page))
	}
	w.Page(origins...)
	from, to := w.Entries(answer.Oldest, entries)
	if left := len(entries) - (to - from) + r.left; left > 0 {
		w.Note("%s", notGiven(left, r.Started))
	}
}

func (r *recordedRequest) line() string {
	status := r.Outcome
	if r.Status != 0 {
		status = fmt.Sprint(r.Status)
	}
	out := fmt.Sprintf("%s %s %s %s %s %s", r.ID, r.clock, answer.Clean(r.Method), answer.Clean(status), answer.Short(r.URL, 200),
		answer.Took(time.Duration(r.DurationMS*float64(time.Millisecond))))
	if r.HasAuth {
		out += " with credentials"
	}
	for _, b := range []struct{ word, text, note string }{
		{"sent", r.RequestBody, r.RequestBodyNote}, {"got", r.ResponseBody, r.ResponseBodyNote},
	} {
		if b.text != "" {
			out += "\n  " + b.word + " " + answer.Cut(answer.Clean(strings.Join(strings.Fields(b.text), " ")), 300)
		}
		if b.note != "" && b.note != "off" {
			out += "\n  " + b.word + ": " + answer.Clean(b.note)
		}
	}
	return out
}
