package observe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "network_waterfall", Reads: true, Limit: 100,
	Doc: "Everything that pages loaded, by Resource Timing: scripts, images, styles, fetches; with times and " +
		"sizes. An id (t12) gives the phases.",
	Aliases: []string{"network", "waterfall", "resources"},
	Example: `{"url":".js","limit":20}`,
	Errors:  []problem.Code{problem.InvalidParam, problem.NoData},
}, networkWaterfall)

type waterfallParams struct {
	view.Scoped
	view.Paged
	ID      string `json:"id,omitempty" alone:"-" doc:"one entry's handle, for all of it"`
	URL     string `json:"url,omitempty" doc:"only those whose URL contains this"`
	Summary bool   `json:"summary,omitempty" doc:"counts and the slowest instead of entries"`
}

// resourceEntry is one thing that a page loaded. Times are milliseconds.
type resourceEntry struct {
	ID             string             `json:"id"`
	URL            string             `json:"url"`
	InitiatorType  string             `json:"initiator_type"`
	Start          float64            `json:"start_time"` // since the document began
	Duration       float64            `json:"duration_ms"`
	Phases         map[string]float64 `json:"phases,omitempty"` // dns, connect, tls, wait, receive; absent: not told
	TransferSize   int64              `json:"transfer_size"`
	EncodedSize    int64              `json:"encoded_body_size"`
	DecodedSize    int64              `json:"decoded_body_size"`
	Status         int                `json:"status,omitempty"`
	RenderBlocking bool               `json:"render_blocking,omitempty"`
	FromCache      bool               `json:"from_cache,omitempty"`
	Protocol       string             `json:"protocol,omitempty"`
	Timestamp      string             `json:"timestamp"`
	Tab            int                `json:"tab,omitempty"`
	Frame          int                `json:"frame,omitempty"`
	PageURL        string             `json:"page_url,omitempty"`
	Flags          []string           `json:"flags,omitempty"`
}

func networkWaterfall(ctx context.Context, env Env, p waterfallParams) (any, error) {
	if p.ID != "" {
		return one(ctx, env, p.ID, newResourceEntry, resourceDetail)
	}
	o, err := env.open(ctx, p.Scoped, p.Paged, p.Summary, p.URL)
	if err != nil {
		return nil, err
	}
	list, cover, err := query.Read[event.ResourceTiming](ctx, env.Reader, o.Filter, o.page, nil)
	if err != nil {
		return nil, err
	}
	notes := env.LossNotes(o.Filter, event.KindResource)
	if p.Summary {
		return tallyResources(list.Items, o, append(notes, env.CoverNotes(cover)...)), nil
	}
	out := view.NewList(env.View, o.Selection, o.key, "entries", &list, cover, newResourceEntry)
	out.Title, out.Line = "waterfall", resourceLine
	out.Origin = func(e resourceEntry) string { return answer.Origin(e.PageURL) }
	out.Empty = o.nothing("nothing was loaded", env.countOf(ctx, []event.Kind{event.KindResource}, nil))
	return out.Note(notes...), nil
}

func newResourceEntry(e *event.ResourceTiming) resourceEntry {
	out := resourceEntry{
		ID: query.Handle(
			event.KindResource,
			e.Seq,
		), URL: e.URL, InitiatorType: e.InitiatorType, Start: e.Start, Duration: e.Duration,
		TransferSize: e.TransferSize, EncodedSize: e.EncodedSize, DecodedSize: e.DecodedSize, Status: e.Status,
		RenderBlocking: e.RenderBlocking,
		FromCache:      e.FromCache, Protocol: e.Protocol, Timestamp: view.Stamp(e.Time), Tab: e.Tab, Frame: e.Frame,
		PageURL: e.PageURL, Flags: e.Flags.Names(),
	}
	for i, v := range []float64{e.DNS, e.Connect, e.TLS, e.Wait, e.Receive} {
		if v > 0 {
			if out.Phases == nil {
				out.Phases = map[string]float64{}
			}
			out.Phases[phases[i]] = v
		}
	}
	return out
}

var phases = []string{"dns", "connect", "tls", "wait", "receive"}

// brief is the entry without its handle: "+120 ms 45 ms 12.3 kB script /assets/app.js".
func (e resourceEntry) brief() string {
	var out strings.Builder
	fmt.Fprintf(&out, "+%.0f %s", e.Start, answer.Took(time.Duration(e.Duration*float64(time.Millisecond))))
	switch {
	case e.FromCache:
		out.WriteString(" cache")
	case e.TransferSize > 0:
		out.WriteString(" " + answer.Bytes(e.TransferSize))
	}
	if e.Status >= 400 {
		fmt.Fprintf(&out, " %d", e.Status)
	}
	out.WriteString(" " + answer.Clean(e.InitiatorType) + " " + answer.Local(e.URL, e.PageURL, 120))
	if e.RenderBlocking {
		out.WriteString(" (render-blocking)")
	}
	return out.String()
}

func resourceLine(e resourceEntry) answer.Entry {
	return answer.Entry{Text: e.ID + " " + e.brief()}
}

func resourceDetail(e resourceEntry) []string {
	var times []string
	for _, name := range phases {
		if v, ok := e.Phases[name]; ok {
			times = append(times, fmt.Sprintf("%s %.1f ms", name, v))
		}
	}
	if times == nil {
		times = []string{"phases not told: another origin without Timing-Allow-Origin, or from cache"}
	}
	return []string{
		e.ID + " " + e.Timestamp + " " + e.brief(),
		answer.Clean(e.URL),
		strings.Join(times, ", "),
		fmt.Sprintf(
			"transferred %s, encoded %s, decoded %s%s",
			answer.Bytes(e.TransferSize),
			answer.Bytes(e.EncodedSize),
			answer.Bytes(e.DecodedSize),
			part("over %s", answer.Clean(e.Protocol)),
		),
		"page: " + answer.Clean(e.PageURL),
	}
}

func tallyResources(items []event.ResourceTiming, o opened, notes []string) *view.Tally {
	type row struct {
		ID   string  `json:"id"`
		URL  string  `json:"url"`
		MS   float64 `json:"ms"`
		Type string  `json:"type"`
	}
	kinds := map[string]int{}
	var bytes int64
	order := make([]*event.ResourceTiming, len(items))
	for i := range items {
		order[i] = &items[i]
		kinds[items[i].InitiatorType]++
		bytes += max(0, items[i].TransferSize)
	}
	slices.SortStableFunc(order, func(a, b *event.ResourceTiming) int { return cmp.Compare(b.Duration, a.Duration) })
	out := &view.Tally{
		Title: "waterfall", Total: len(items), Scope: o.Words + ", " + answer.Bytes(bytes) + " transferred",
		Notes:  append(o.Notes, notes...),
		Groups: []view.Group{{Name: "by_type", Counts: kinds}},
	}
	rows := []row{}
	for _, e := range order[:min(10, len(order))] {
		entry := newResourceEntry(e)
		rows = append(rows, row{entry.ID, answer.Short(e.URL, 80), e.Duration, e.InitiatorType})
		out.Lines = append(out.Lines, entry.ID+" "+entry.brief())
		out.Pages = append(out.Pages, answer.Origin(e.PageURL))
	}
	out.Fields = map[string]any{"slowest": rows, "transfer_size": bytes}
	return out
}

var _ = showInFull(plainly(newResourceEntry), resourceDetail)
