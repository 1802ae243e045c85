package observe

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

// spanEntry is one operation of a service.
type spanEntry struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Service    string          `json:"service"`
	Instance   string          `json:"instance,omitempty"`
	Kind       string          `json:"span_kind"`
	Status     string          `json:"status"`
	Message    string          `json:"status_message,omitempty"`
	Started    string          `json:"started"`
	Duration   float64         `json:"duration_ms"`
	TraceID    string          `json:"trace_id"`
	SpanID     string          `json:"span_id"`
	Parent     string          `json:"parent_span_id,omitempty"`
	Scope      string          `json:"scope,omitempty"`
	Attributes json.RawMessage `json:"attributes,omitempty"`
	Links      json.RawMessage `json:"links,omitempty"`
	Dropped    int             `json:"dropped,omitempty"`
	Source     string          `json:"source,omitempty"`
	Flags      []string        `json:"flags,omitempty"`

	took time.Duration
}

func newSpanEntry(e *event.Span) spanEntry {
	return spanEntry{
		ID: query.Handle(event.KindSpan, e.Seq), Name: e.Name, Service: e.Service, Instance: e.Instance, Kind: e.SpanKind,
		Status: e.Status, Message: e.StatusMessage, Started: view.Stamp(e.Time), Duration: milliseconds(e.Duration),
		TraceID: e.TraceID, SpanID: e.SpanID, Parent: e.Parent, Scope: e.Scope,
		Attributes: json.RawMessage(e.Attributes), Links: json.RawMessage(e.Links), Dropped: e.Dropped, Source: e.Source,
		Flags: e.Flags.Names(), took: e.Duration,
	}
}

// brief is the span without handle and time: "api server GET /cart error: no such table 12 ms".
func (e spanEntry) brief() string {
	var out strings.Builder
	out.WriteString(answer.Clean(e.Service))
	if e.Kind != "" && e.Kind != "internal" {
		out.WriteString(" " + answer.Clean(e.Kind))
	}
	out.WriteString(" " + answer.Cut(answer.Clean(e.Name), 120))
	if e.Status == "error" {
		out.WriteString(" error")
		if e.Message != "" {
			out.WriteString(": " + answer.Cut(answer.Clean(e.Message), 200))
		}
	}
	out.WriteString(" " + answer.Took(e.took))
	return strings.TrimSpace(out.String())
}

func spanDetail(e spanEntry) []string {
	out := []string{
		fmt.Sprintf("%s %s %s", e.ID, e.Started, e.brief()),
		"trace " + e.TraceID + " span " + e.SpanID + part("parent %s", e.Parent),
	}
	if e.Instance != "" {
		out = append(out, "instance: "+answer.Clean(e.Instance))
	}
	if e.Scope != "" {
		out = append(out, "scope: "+answer.Clean(e.Scope))
	}
	if len(e.Attributes) > 0 {
		out = append(out, "attributes: "+answer.Clean(string(e.Attributes)))
	}
	if len(e.Links) > 0 {
		out = append(out, "links: "+answer.Clean(string(e.Links)))
	}
	if e.Dropped > 0 {
		out = append(out, fmt.Sprintf("the sender left out %d attributes, events or links", e.Dropped))
	}
	return append(out, fmt.Sprintf(`all of it: observe {"what":"timeline","trace":%q}`, e.TraceID))
}

var _ = showInFull(plainly(newSpanEntry), spanDetail)
