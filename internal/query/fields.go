package query

import (
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// headFields are the fields that every event has. Here e is an *event.Head.
var headFields = map[string]getter{
	"seq":      counts(func(h *event.Head) uint64 { return uint64(h.Seq) }),
	"time":     moments(func(h *event.Head) time.Time { return h.Time }),
	"received": moments(func(h *event.Head) time.Time { return h.Received }),
	"mono":     numbers(func(h *event.Head) float64 { return h.Mono }),
	"source":   texts(func(h *event.Head) string { return h.Source }),
	"service":  texts(func(h *event.Head) string { return h.Service }),
	"session":  texts(func(h *event.Head) string { return h.Session }),
	"tab":      counts(func(h *event.Head) int { return h.Tab }),
	"frame":    counts(func(h *event.Head) int { return h.Frame }),
	"document": texts(func(h *event.Head) string { return h.Document }),
	"page_url": texts(func(h *event.Head) string { return h.PageURL }),
	"test_id":  texts(func(h *event.Head) string { return h.TestID }),
	"worker":   texts(func(h *event.Head) string { return h.Worker }),
	"trace_id": texts(func(h *event.Head) string { return h.TraceID }),
	"span_id":  texts(func(h *event.Head) string { return h.SpanID }),
	"flags":    texts(func(h *event.Head) string { return strings.Join(h.Flags.Names(), " ") }),
}

// madeFields are made from the whole event, whatever its kind.
var madeFields = map[string]getter{
	"kind": {text, func(e any) value {
		k, _ := KindOf(e)
		return value{shape: text, s: k.String()}
	}},
	"handle": {text, func(e any) value {
		k, _ := KindOf(e)
		return value{shape: text, s: Handle(k, store.HeadOf(e).Seq)}
	}},
	"summary": {text, func(e any) value { return value{shape: text, s: Summary(e)} }},
}

// kindFields are the fields of each kind, under the names of the wire. Durations are numbers of
// milliseconds, lists are texts with an entry a line.
var kindFields = [kindCount]map[string]getter{
	event.KindLog: {
		"severity":   counts(func(e *event.Log) int { return e.Severity }),
		"level":      texts(func(e *event.Log) string { return e.Level }),
		"message":    texts(func(e *event.Log) string { return e.Message }),
		"args":       texts(func(e *event.Log) string { return e.Args }),
		"attributes": texts(func(e *event.Log) string { return e.Attributes }),
		"logger":     texts(func(e *event.Log) string { return e.Logger }),
		"url":        texts(func(e *event.Log) string { return e.URL }),
		"line":       counts(func(e *event.Log) int { return e.Line }),
		"column":     counts(func(e *event.Log) int { return e.Column }),
		"stack":      texts(func(e *event.Log) string { return stackText(e.Stack) }),
		"count":      counts(func(e *event.Log) int { return max(e.Count, 1) }),
		"request_id": texts(func(e *event.Log) string { return e.RequestID }),
	},
	event.KindException: {
		"type":      texts(func(e *event.Exception) string { return e.Type }),
		"message":   texts(func(e *event.Exception) string { return e.Message }),
		"stack":     texts(func(e *event.Exception) string { return stackText(e.Stack) }),
		"raw_stack": texts(func(e *event.Exception) string { return e.RawStack }),
		"handled":   truths(func(e *event.Exception) bool { return e.Handled }),
		"mechanism": texts(func(e *event.Exception) string { return e.Mechanism }),
		"url":       texts(func(e *event.Exception) string { return e.URL }),
		"line":      counts(func(e *event.Exception) int { return e.Line }),
		"column":    counts(func(e *event.Exception) int { return e.Column }),
		"element":   texts(func(e *event.Exception) string { return e.Element }),
		"count":     counts(func(e *event.Exception) int { return max(e.Count, 1) }),
	},
	event.KindExchange: {
		"request_id":       texts(func(e *event.Exchange) string { return e.RequestID }),
		"method":           texts(func(e *event.Exchange) string { return e.Method }),
		"url":              texts(func(e *event.Exchange) string { return e.URL }),
		"status":           counts(func(e *event.Exchange) int { return e.Status }),
		"status_text":      texts(func(e *event.Exchange) string { return e.StatusText }),
		"started":          moments(func(e *event.Exchange) time.Time { return e.Started }),
		"ttfb":             spans(func(e *event.Exchange) time.Duration { return e.TTFB }),
		"duration":         spans(func(e *event.Exchange) time.Duration { return e.Duration }),
		"request_headers":  texts(func(e *event.Exchange) string { return headerText(e.RequestHeaders) }),
		"response_headers": texts(func(e *event.Exchange) string { return headerText(e.ResponseHeaders) }),
		"has_auth":         truths(func(e *event.Exchange) bool { return e.HasAuth }),
		"request_body":     texts(func(e *event.Exchange) string { return e.RequestBody }),
		"response_body":    texts(func(e *event.Exchange) string { return e.ResponseBody }),
		"request_size":     counts(func(e *event.Exchange) int64 { return e.RequestSize }),
		"response_size":    counts(func(e *event.Exchange) int64 { return e.ResponseSize }),
		"transfer_size":    counts(func(e *event.Exchange) int64 { return e.TransferSize }),
		"body_note":        texts(func(e *event.Exchange) string { return e.BodyNote }),
		"content_type":     texts(func(e *event.Exchange) string { return e.ContentType }),
		"initiator":        texts(func(e *event.Exchange) string { return e.Initiator.Type }),
		"outcome":          texts(func(e *event.Exchange) string { return e.Outcome }),
		"failed":           truths(func(e *event.Exchange) bool { return e.Failed() }),
		"error":            texts(func(e *event.Exchange) string { return e.Error }),
		"protocol":         texts(func(e *event.Exchange) string { return e.Protocol }),
		"from_cache":       truths(func(e *event.Exchange) bool { return e.FromCache }),
		"redirects":        texts(func(e *event.Exchange) string { return strings.Join(e.Redirects, "\n") }),
		"server_timing":    texts(func(e *event.Exchange) string { return e.ServerTiming }),
		"remote_address":   texts(func(e *event.Exchange) string { return e.RemoteAddress }),
	},
	event.KindResource: {
		"url":             texts(func(e *event.Resource) string { return e.URL }),
		"initiator_type":  texts(func(e *event.Resource) string { return e.InitiatorType }),
		"start":           numbers(func(e *event.Resource) float64 { return e.Start }),
		"duration":        numbers(func(e *event.Resource) float64 { return e.Duration }),
		"dns":             numbers(func(e *event.Resource) float64 { return e.DNS }),
		"connect":         numbers(func(e *event.Resource) float64 { return e.Connect }),
		"tls":             numbers(func(e *event.Resource) float64 { return e.TLS }),
		"wait":            numbers(func(e *event.Resource) float64 { return e.Wait }),
		"receive":         numbers(func(e *event.Resource) float64 { return e.Receive }),
		"transfer_size":   counts(func(e *event.Resource) int64 { return e.TransferSize }),
		"encoded_size":    counts(func(e *event.Resource) int64 { return e.EncodedSize }),
		"decoded_size":    counts(func(e *event.Resource) int64 { return e.DecodedSize }),
		"status":          counts(func(e *event.Resource) int { return e.Status }),
		"render_blocking": truths(func(e *event.Resource) bool { return e.RenderBlocking }),
		"from_cache":      truths(func(e *event.Resource) bool { return e.FromCache }),
		"protocol":        texts(func(e *event.Resource) string { return e.Protocol }),
	},
	event.KindFrame: {
		"connection": texts(func(e *event.Frame) string { return e.Connection }),
		"protocol":   texts(func(e *event.Frame) string { return e.Protocol }),
		"url":        texts(func(e *event.Frame) string { return e.URL }),
		"event":      texts(func(e *event.Frame) string { return e.Event }),
		"direction":  texts(func(e *event.Frame) string { return e.Direction }),
		"order":      counts(func(e *event.Frame) uint64 { return e.Order }),
		"type":       texts(func(e *event.Frame) string { return e.Type }),
		"size":       counts(func(e *event.Frame) int64 { return e.Size }),
		"data":       texts(func(e *event.Frame) string { return e.Data }),
		"code":       counts(func(e *event.Frame) int { return e.Code }),
		"reason":     texts(func(e *event.Frame) string { return e.Reason }),
		"skipped":    counts(func(e *event.Frame) int { return e.Skipped }),
		"rate":       numbers(func(e *event.Frame) float64 { return e.Rate }),
	},
	event.KindAction: {
		"type":     texts(func(e *event.Action) string { return e.Type }),
		"by":       texts(func(e *event.Action) string { return e.By }),
		"client":   texts(func(e *event.Action) string { return e.Client }),
		"locators": texts(func(e *event.Action) string { return locatorText(e.Locators) }),
		"role":     texts(func(e *event.Action) string { return e.Role }),
		"name":     texts(func(e *event.Action) string { return e.Name }),
		"text":     texts(func(e *event.Action) string { return e.Text }),
		"value":    texts(func(e *event.Action) string { return e.Value }),
		"key":      texts(func(e *event.Action) string { return e.Key }),
		"from_url": texts(func(e *event.Action) string { return e.FromURL }),
		"to_url":   texts(func(e *event.Action) string { return e.ToURL }),
		"x":        numbers(func(e *event.Action) float64 { return e.X }),
		"y":        numbers(func(e *event.Action) float64 { return e.Y }),
		"outcome":  texts(func(e *event.Action) string { return e.Outcome }),
	},
	event.KindDOM: {
		"type":     texts(func(e *event.DOM) string { return e.Type }),
		"added":    counts(func(e *event.DOM) int { return e.Added }),
		"removed":  counts(func(e *event.DOM) int { return e.Removed }),
		"changed":  counts(func(e *event.DOM) int { return e.Changed }),
		"changes":  texts(func(e *event.DOM) string { return strings.Join(e.Changes, "\n") }),
		"selector": texts(func(e *event.DOM) string { return e.Selector }),
		"class":    texts(func(e *event.DOM) string { return e.Class }),
		"role":     texts(func(e *event.DOM) string { return e.Role }),
		"text":     texts(func(e *event.DOM) string { return e.Text }),
		"shown":    spans(func(e *event.DOM) time.Duration { return e.Shown }),
	},
	event.KindLifecycle: {
		"state":     texts(func(e *event.Lifecycle) string { return e.State }),
		"trigger":   texts(func(e *event.Lifecycle) string { return e.Trigger }),
		"from_url":  texts(func(e *event.Lifecycle) string { return e.FromURL }),
		"to_url":    texts(func(e *event.Lifecycle) string { return e.ToURL }),
		"title":     texts(func(e *event.Lifecycle) string { return e.Title }),
		"persisted": truths(func(e *event.Lifecycle) bool { return e.Persisted }),
	},
	event.KindPerformance: {
		"url":                texts(func(e *event.Performance) string { return e.URL }),
		"navigation_type":    texts(func(e *event.Performance) string { return e.NavigationType }),
		"dom_content_loaded": numbers(func(e *event.Performance) float64 { return e.DOMContentLoaded }),
		"load":               numbers(func(e *event.Performance) float64 { return e.Load }),
		"lcp":                numbers(func(e *event.Performance) float64 { return e.LCP.Value }),
		"cls":                numbers(func(e *event.Performance) float64 { return e.CLS.Value }),
		"inp":                numbers(func(e *event.Performance) float64 { return e.INP.Value }),
		"fcp":                numbers(func(e *event.Performance) float64 { return e.FCP.Value }),
		"ttfb":               numbers(func(e *event.Performance) float64 { return e.TTFB.Value }),
		"long_tasks":         counts(func(e *event.Performance) int { return len(e.LongTasks) }),
		"soft":               truths(func(e *event.Performance) bool { return e.Soft }),
	},
	event.KindExtensionLog: {
		"level":    texts(func(e *event.ExtensionLog) string { return e.Level }),
		"message":  texts(func(e *event.ExtensionLog) string { return e.Message }),
		"category": texts(func(e *event.ExtensionLog) string { return e.Category }),
		"data":     texts(func(e *event.ExtensionLog) string { return e.Data }),
	},
	event.KindMark: {
		"type":  texts(func(e *event.Mark) string { return e.Type }),
		"label": texts(func(e *event.Mark) string { return e.Label }),
	},
}

// Fields returns the names that expressions and projections over this kind may use, sorted.
func Fields(k event.Kind) []string {
	var names []string
	for n := range headFields {
		names = append(names, n)
	}
	for n := range madeFields {
		names = append(names, n)
	}
	if int(k) < kindCount {
		for n := range kindFields[k] {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// column is a field by its name, resolved for every kind.
type column struct {
	name string
	of   [kindCount]getter
}

// resolve finds a field in at least one of the kinds.
func resolve(name string, kinds []event.Kind) (column, bool) {
	c := column{name: name}
	found := false
	for _, k := range kinds {
		g, ok := kindFields[k][name]
		if head, is := headFields[name]; !ok && is {
			g, ok = getter{head.shape, func(e any) value { return head.get(store.HeadOf(e)) }}, true
		}
		if !ok {
			g, ok = madeFields[name]
		}
		if ok {
			c.of[k], found = g, true
		}
	}
	return c, found
}

// value returns the field of an item, an absent value when its kind has none.
func (c *column) value(it Item) value {
	if g := &c.of[it.Kind]; g.get != nil {
		return g.get(it.Event)
	}
	return value{}
}
