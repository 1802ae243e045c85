package event

import "time"

// Visitor is handed the fields of an event one after the other, under their names on the wire. It may
// read and change them. The store, the redactor and the query language are visitors: each field is
// listed once, here, so that they cannot drift apart.
type Visitor interface {
	Text(name string, s *string)                     // what people read
	Word(name string, s *string)                     // an id, or one of a few words
	URL(name string, s *string)                      //
	JSON(name string, s *string)                     // "" when there is none
	Input(name string, s *string, of *Action)        // what was typed or chosen in the action's element
	Body(name string, s *string, contentType string) // of a request or an answer; stored apart from the rest
	Picture(name string, s *string)                  // bytes of an image; neither cleaned nor searched
	Int(name string, n *int)
	Int64(name string, n *int64)
	Uint64(name string, n *uint64)
	Repeats(name string, n *int) // 0 and 1 both mean once
	Float(name string, f *float64)
	Bool(name string, b *bool)
	Time(name string, t *time.Time) // by the same clock as Head.Time
	Span(name string, d *time.Duration)
	Texts(name string, list *[]string)
	URLs(name string, list *[]string)
	Headers(name string, list *[]Header)
	Stack(name string, list *[]StackFrame)
	Causes(name string, list *[]ErrorCause)
	Locators(name string, list *[]Locator)
	Vital(name string, v *Vital)
	LongTasks(name string, list *[]LongTask)
	Sums(name string, list *[]ResourceSum)
	Fact(name string, value bool) // made from other fields: not stored
}

// Fields hands the head's fields to v, without Seq, Time, Received and Clock, which a store keeps with
// its own data.
func (h *Head) Fields(v Visitor) {
	v.URL("page_url", &h.PageURL)
	v.Word("session", &h.Session)
	v.Word("document", &h.Document)
	v.Word("source", &h.Source)
	v.Word("service", &h.Service)
	v.Word("instance", &h.Instance)
	v.Word("test_id", &h.TestID)
	v.Word("worker", &h.Worker)
	v.Word("action", &h.Cause.Action)
	v.Word("command", &h.Cause.Command)
	v.Word("clock_domain", &h.ClockDomain)
	v.Float("mono", &h.Mono)
	v.Uint64("sender_seq", &h.Sender)
	v.Int("tab", &h.Tab)
	v.Int("frame", &h.Frame)
	v.Word("trace_id", &h.TraceID)
	v.Word("span_id", &h.SpanID)
	v.Word("trace_half", &h.Half)
}

// Fields hands the fields to v.
func (e *Log) Fields(v Visitor) {
	v.Text("message", &e.Message)
	v.JSON("args", &e.Args)
	v.JSON("attributes", &e.Attributes)
	v.Word("level", &e.Level)
	v.Word("logger", &e.Logger)
	v.Word("request_id", &e.RequestID)
	v.URL("url", &e.URL)
	v.Stack("stack", &e.Stack)
	v.Int("severity", &e.Severity)
	v.Int("line", &e.Line)
	v.Int("column", &e.Column)
	v.Repeats("count", &e.Count)
	v.Word("witnesses", &e.Witnesses)
}

// Fields hands the fields to v.
func (e *Exception) Fields(v Visitor) {
	v.Word("type", &e.Type)
	v.Text("message", &e.Message)
	v.Word("mechanism", &e.Mechanism)
	v.Text("element", &e.Element)
	v.Text("raw_stack", &e.RawStack)
	v.URL("url", &e.URL)
	v.Stack("stack", &e.Stack)
	v.Causes("cause", &e.Causes)
	v.Bool("handled", &e.Handled)
	v.Int("line", &e.Line)
	v.Int("column", &e.Column)
	v.Repeats("count", &e.Count)
	v.Word("witnesses", &e.Witnesses)
}

// Fields hands the fields to v.
func (e *Exchange) Fields(v Visitor) {
	v.URL("url", &e.URL)
	v.URLs("redirects", &e.Redirects)
	v.Headers("request_headers", &e.RequestHeaders)
	v.Headers("response_headers", &e.ResponseHeaders)
	v.Body("request_body", &e.RequestBody, headerOf(e.RequestHeaders, "content-type"))
	v.Body("response_body", &e.ResponseBody, e.ContentType)
	v.Stack("initiator_stack", &e.Initiator.Stack)
	v.Word("request_id", &e.RequestID)
	v.Word("method", &e.Method)
	v.Word("status_text", &e.StatusText)
	v.Word("request_body_note", &e.RequestBodyNote)
	v.Word("response_body_note", &e.ResponseBodyNote)
	v.Word("content_type", &e.ContentType)
	v.Word("initiator", &e.Initiator.Type)
	v.Word("outcome", &e.Outcome)
	v.Text("error", &e.Error)
	v.Word("protocol", &e.Protocol)
	v.Text("server_timing", &e.ServerTiming)
	v.Word("remote_address", &e.RemoteAddress)
	v.Int("status", &e.Status)
	v.Time("started", &e.Started)
	v.Span("ttfb", &e.TTFB)
	v.Span("duration", &e.Duration)
	v.Bool("has_auth", &e.HasAuth)
	v.Int64("request_size", &e.RequestSize)
	v.Int64("response_size", &e.ResponseSize)
	v.Int64("transfer_size", &e.TransferSize)
	v.Bool("from_cache", &e.FromCache)
	v.Fact("failed", e.Failed())
}

// Fields hands the fields to v.
func (e *ResourceTiming) Fields(v Visitor) {
	v.URL("url", &e.URL)
	v.Word("initiator_type", &e.InitiatorType)
	v.Word("protocol", &e.Protocol)
	v.Float("start", &e.Start)
	v.Float("duration", &e.Duration)
	v.Float("dns", &e.DNS)
	v.Float("connect", &e.Connect)
	v.Float("tls", &e.TLS)
	v.Float("wait", &e.Wait)
	v.Float("receive", &e.Receive)
	v.Int64("transfer_size", &e.TransferSize)
	v.Int64("encoded_size", &e.EncodedSize)
	v.Int64("decoded_size", &e.DecodedSize)
	v.Int("status", &e.Status)
	v.Bool("render_blocking", &e.RenderBlocking)
	v.Bool("from_cache", &e.FromCache)
}

// Fields hands the fields to v.
func (e *Message) Fields(v Visitor) {
	v.URL("url", &e.URL)
	v.JSON("data", &e.Data)
	v.Word("connection", &e.Connection)
	v.Word("protocol", &e.Protocol)
	v.Word("event", &e.Event)
	v.Word("direction", &e.Direction)
	v.Word("type", &e.Type)
	v.Text("reason", &e.Reason)
	v.Uint64("order", &e.Order)
	v.Int64("size", &e.Size)
	v.Int("code", &e.Code)
	v.Int("skipped", &e.Skipped)
	v.Float("rate", &e.Rate)
}

// Fields hands the fields to v.
func (e *Action) Fields(v Visitor) {
	v.URL("from_url", &e.FromURL)
	v.URL("to_url", &e.ToURL)
	v.Locators("locators", &e.Locators)
	v.Word("type", &e.Type)
	v.Word("by", &e.By)
	v.Word("client", &e.Client)
	v.Word("role", &e.Role)
	v.Text("name", &e.Name)
	v.Text("text", &e.Text)
	v.Word("key", &e.Key)
	v.Word("outcome", &e.Outcome)
	v.Input("value", &e.Value, e)
	v.Float("x", &e.X)
	v.Float("y", &e.Y)
}

// Fields hands the fields to v.
func (e *DOM) Fields(v Visitor) {
	v.Word("type", &e.Type)
	v.Text("selector", &e.Selector)
	v.Word("class", &e.Class)
	v.Word("role", &e.Role)
	v.Text("text", &e.Text)
	v.Texts("changes", &e.Changes)
	v.Int("added", &e.Added)
	v.Int("removed", &e.Removed)
	v.Int("changed", &e.Changed)
	v.Span("shown", &e.Shown)
}

// Fields hands the fields to v.
func (e *Lifecycle) Fields(v Visitor) {
	v.URL("from_url", &e.FromURL)
	v.URL("to_url", &e.ToURL)
	v.Word("state", &e.State)
	v.Word("trigger", &e.Trigger)
	v.Text("title", &e.Title)
	v.Bool("persisted", &e.Persisted)
}

// Fields hands the fields to v.
func (e *Performance) Fields(v Visitor) {
	v.URL("url", &e.URL)
	v.Word("navigation_type", &e.NavigationType)
	v.Vital("lcp", &e.LCP)
	v.Vital("cls", &e.CLS)
	v.Vital("inp", &e.INP)
	v.Vital("fcp", &e.FCP)
	v.Vital("ttfb", &e.TTFB)
	v.LongTasks("long_tasks", &e.LongTasks)
	v.Sums("resources", &e.Resources)
	v.Float("dom_content_loaded", &e.DOMContentLoaded)
	v.Float("load", &e.Load)
	v.Bool("soft", &e.Soft)
}

// Fields hands the fields to v.
func (e *ExtensionLog) Fields(v Visitor) {
	v.Word("level", &e.Level)
	v.Text("message", &e.Message)
	v.Word("category", &e.Category)
	v.JSON("data", &e.Data)
}

// Fields hands the fields to v.
func (e *Mark) Fields(v Visitor) {
	v.Word("type", &e.Type)
	v.Text("label", &e.Label)
	v.JSON("detail", &e.Detail)
	v.Picture("picture", &e.Picture)
}

// Fields hands the fields to v.
func (e *Span) Fields(v Visitor) {
	v.Text("name", &e.Name)
	v.Word("span_kind", &e.SpanKind)
	v.Word("parent_span_id", &e.Parent)
	v.Span("duration", &e.Duration)
	v.Word("span_status", &e.Status)
	v.Text("status_message", &e.StatusMessage)
	v.Word("scope", &e.Scope)
	v.JSON("attributes", &e.Attributes)
	v.JSON("links", &e.Links)
	v.Int("dropped", &e.Dropped)
	v.Fact("failed", e.Status == "error")
}

// headerOf returns the value of the first header with this name in lower case, or "".
func headerOf(hs []Header, name string) string {
	for i := range hs {
		if len(hs[i].Name) == len(name) && foldedEqual(hs[i].Name, name) {
			return hs[i].Value
		}
	}
	return ""
}

func foldedEqual(s, low string) bool {
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != low[i] {
			return false
		}
	}
	return true
}
