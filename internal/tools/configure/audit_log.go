package configure

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "audit_log", Doc: "What agents have called, newest last: report, analyze (counts), or clear.",
	Aliases: []string{"audit", "call_log"}, Example: `{"operation":"report","tool_name":"interact","since":"10m"}`,
	Errors: []problem.Code{problem.InvalidParam},
}, auditLog)

type auditParams struct {
	Operation string `json:"operation,omitempty" enum:"report,analyze,clear" doc:"default report"`
	Client    string `json:"audit_session_id,omitempty" length:"64" doc:"only calls of this client, by its id in a report"`
	ToolName  string `json:"tool_name,omitempty" enum:"observe,analyze,generate,configure,interact" doc:"only calls of this tool"`
	Since     string `json:"since,omitempty" length:"64" doc:"a duration back (10m) or a time (RFC 3339)"`
	Limit     int    `json:"limit,omitempty" min:"1" max:"1000" doc:"the newest so many; default 100"`
}

// auditResult is a report, an analysis, or that the log is empty now.
type auditResult struct {
	Entries []audited     `json:"entries,omitempty"`
	Count   int           `json:"count"` // calls that fit, shown or not
	Gone    uint64        `json:"gone,omitempty"`
	Summary *auditSummary `json:"summary,omitempty"`
	Cleared *int          `json:"cleared,omitempty"`
}

type audited struct {
	ID         uint64       `json:"id"`
	Time       time.Time    `json:"timestamp"`
	Client     string       `json:"audit_session_id"`
	Program    string       `json:"client,omitempty"`
	Tool       string       `json:"tool_name"`
	Mode       string       `json:"mode"`
	Parameters string       `json:"parameters,omitempty"` // JSON without secrets and entered texts, cut at 300 characters
	Size       int          `json:"response_size"`
	DurationMS float64      `json:"duration_ms"`
	Success    bool         `json:"success"`
	Error      problem.Code `json:"error,omitempty"`
}

type auditSummary struct {
	Total   int            `json:"total_calls"`
	Good    int            `json:"success_count"`
	Failed  int            `json:"failure_count"`
	Clients int            `json:"audit_session_count"`
	ByTool  map[string]int `json:"calls_by_tool"`
	ByMode  map[string]int `json:"calls_by_mode"` // "tool mode"
	ByError map[string]int `json:"calls_by_error,omitempty"`
	Slowest *audited       `json:"slowest,omitempty"`
}

func auditLog(_ context.Context, env Env, p auditParams) (*auditResult, error) {
	var since time.Time
	if p.Since != "" {
		back, t, err := query.Since(p.Since)
		if err != nil {
			return nil, err
		}
		if since = t; back > 0 {
			since = time.Now().Add(-back)
		}
	}
	log := env.Daemon.Audit
	if p.Operation == "clear" {
		if p.Client != "" || p.ToolName != "" || p.Since != "" {
			return nil, problem.New(problem.InvalidParam, "Leave the others out.", "clear empties the whole log.")
		}
		n := log.Clear()
		return &auditResult{Cleared: &n}, nil
	}
	found, gone := log.Records(func(r *calls.Record) bool {
		return (p.Client == "" || r.Client == p.Client) && (p.ToolName == "" || r.Tool == p.ToolName) && !r.Time.Before(since)
	})
	out := &auditResult{Count: len(found), Gone: gone}
	if p.Operation == "analyze" {
		out.Summary = summarize(found)
		return out, nil
	}
	limit := cmp.Or(p.Limit, 100)
	for _, r := range found[max(0, len(found)-limit):] {
		out.Entries = append(out.Entries, auditedOf(&r))
	}
	return out, nil
}

func auditedOf(r *calls.Record) audited {
	return audited{
		ID: r.ID, Time: r.Time.UTC(), Client: r.Client, Program: r.Name, Tool: r.Tool, Mode: r.Mode, Parameters: r.Args,
		Size: r.Size, DurationMS: float64(r.Duration.Round(100*time.Microsecond).Microseconds()) / 1000, Success: r.Err == "", Error: r.Err,
	}
}

func summarize(found []calls.Record) *auditSummary {
	s := &auditSummary{Total: len(found), ByTool: map[string]int{}, ByMode: map[string]int{}, ByError: map[string]int{}}
	clients := map[string]bool{}
	for i := range found {
		r := &found[i]
		clients[r.Client] = true
		s.ByTool[r.Tool]++
		s.ByMode[r.Tool+" "+r.Mode]++
		if r.Err == "" {
			s.Good++
		} else {
			s.Failed++
			s.ByError[string(r.Err)]++
		}
		if a := auditedOf(r); s.Slowest == nil || a.DurationMS > s.Slowest.DurationMS {
			s.Slowest = &a
		}
	}
	s.Clients = len(clients)
	return s
}

// Len returns how many entries there are.
func (r *auditResult) Len() int { return len(r.Entries) }

// Keep keeps the newest n entries.
func (r *auditResult) Keep(n int) { r.Entries = r.Entries[len(r.Entries)-n:] }

// Text writes the log for a reader.
func (r *auditResult) Text(w *answer.Writer) {
	switch {
	case r.Cleared != nil:
		w.Head("audit_log: cleared, %d calls", *r.Cleared)
		return
	case r.Summary != nil:
		s := r.Summary
		w.Head("audit_log: %d calls, %d failed, %d clients", s.Total, s.Failed, s.Clients)
		var lines []answer.Entry
		for _, of := range []map[string]int{s.ByMode, s.ByError} {
			names := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], strings.Compare(a, b)) })
			for _, name := range names {
				lines = append(lines, answer.Entry{Text: fmt.Sprintf("%d %s", of[name], answer.Clean(name))})
			}
		}
		if s.Slowest != nil {
			lines = append(lines, answer.Entry{Text: "slowest: " + s.Slowest.line()})
		}
		w.Entries(answer.Oldest, lines)
	default:
		w.Head("audit_log: %d of %d calls", len(r.Entries), r.Count)
		lines := make([]answer.Entry, 0, len(r.Entries))
		for _, e := range r.Entries {
			lines = append(lines, answer.Entry{Text: e.line()})
		}
		w.Entries(answer.Newest, lines)
	}
	if r.Gone > 0 {
		w.Note("calls that are no longer kept: %d", r.Gone)
	}
}

func (e *audited) line() string {
	who := e.Client
	if e.Program != "" {
		who += " (" + e.Program + ")"
	}
	end := answer.Bytes(int64(e.Size))
	if e.Error != "" {
		end = "error=" + string(e.Error)
	}
	return strings.Join(strings.Fields(fmt.Sprintf(
		"%s %s %s %s %s %.0f ms, %s", e.Time.Format("15:04:05"), answer.Clean(who), e.Tool, answer.Clean(e.Mode), answer.Clean(e.Parameters),
		e.DurationMS, end,
	)), " ")
}
