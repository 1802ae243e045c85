package store

import "github.com/brennhill/gasoline/internal/event"

// Event is any kind of event that the store keeps.
type Event interface {
	event.Log | event.Exception | event.Exchange | event.Resource | event.Frame | event.Action |
		event.DOM | event.Lifecycle | event.Performance | event.ExtensionLog | event.Mark
}

// HeadOf returns the head of the event that e points to, nil when e points to none.
func HeadOf(e any) *event.Head {
	switch e := e.(type) {
	case *event.Log:
		return &e.Head
	case *event.Exception:
		return &e.Head
	case *event.Exchange:
		return &e.Head
	case *event.Resource:
		return &e.Head
	case *event.Frame:
		return &e.Head
	case *event.Action:
		return &e.Head
	case *event.DOM:
		return &e.Head
	case *event.Lifecycle:
		return &e.Head
	case *event.Performance:
		return &e.Head
	case *event.ExtensionLog:
		return &e.Head
	case *event.Mark:
		return &e.Head
	}
	return nil
}

// Blank returns a pointer to a zero event of the kind, nil when there is no such kind.
func Blank(k event.Kind) any {
	switch k {
	case event.KindLog:
		return new(event.Log)
	case event.KindException:
		return new(event.Exception)
	case event.KindExchange:
		return new(event.Exchange)
	case event.KindResource:
		return new(event.Resource)
	case event.KindFrame:
		return new(event.Frame)
	case event.KindAction:
		return new(event.Action)
	case event.KindDOM:
		return new(event.DOM)
	case event.KindLifecycle:
		return new(event.Lifecycle)
	case event.KindPerformance:
		return new(event.Performance)
	case event.KindExtensionLog:
		return new(event.ExtensionLog)
	case event.KindMark:
		return new(event.Mark)
	}
	return nil
}

// visit codes the event that e points to and reports whether its type is known.
func (c *coder) visit(e any) bool {
	switch e := e.(type) {
	case *event.Log:
		c.log(e)
	case *event.Exception:
		c.exception(e)
	case *event.Exchange:
		c.exchange(e)
	case *event.Resource:
		c.resource(e)
	case *event.Frame:
		c.frame(e)
	case *event.Action:
		c.action(e)
	case *event.DOM:
		c.dom(e)
	case *event.Lifecycle:
		c.lifecycle(e)
	case *event.Performance:
		c.performance(e)
	case *event.ExtensionLog:
		c.extensionLog(e)
	case *event.Mark:
		c.mark(e)
	default:
		return false
	}
	return true
}

// head leaves out Seq, Time and Received, which the record's header holds.
func (c *coder) head(h *event.Head) {
	c.float(&h.Mono)
	c.unsigned(&h.Sender)
	c.string(&h.Source)
	c.string(&h.Service)
	c.string(&h.Session)
	c.int(&h.Tab)
	c.int(&h.Frame)
	c.string(&h.Document)
	c.string(&h.PageURL)
	c.string(&h.TestID)
	c.string(&h.Worker)
	c.string(&h.TraceID)
	c.string(&h.SpanID)
	c.flags(&h.Flags)
}

func (c *coder) log(e *event.Log) {
	c.head(&e.Head)
	c.int(&e.Severity)
	c.string(&e.Level)
	c.string(&e.Message)
	c.string(&e.Args)
	c.string(&e.Attributes)
	c.string(&e.Logger)
	c.string(&e.URL)
	c.int(&e.Line)
	c.int(&e.Column)
	list(c, &e.Stack, (*coder).stackFrame)
	c.int(&e.Count)
	c.string(&e.RequestID)
}

func (c *coder) stackFrame(f *event.StackFrame) {
	c.string(&f.Function)
	c.string(&f.URL)
	c.int(&f.Line)
	c.int(&f.Column)
	c.string(&f.Source)
	c.int(&f.SourceLine)
	c.int(&f.SourceColumn)
	c.bool(&f.InApp)
}

func (c *coder) cause(e *event.Cause) {
	c.string(&e.Type)
	c.string(&e.Message)
	list(c, &e.Stack, (*coder).stackFrame)
}

func (c *coder) exception(e *event.Exception) {
	c.head(&e.Head)
	c.string(&e.Type)
	c.string(&e.Message)
	list(c, &e.Stack, (*coder).stackFrame)
	c.string(&e.RawStack)
	list(c, &e.Causes, (*coder).cause)
	c.bool(&e.Handled)
	c.string(&e.Mechanism)
	c.string(&e.URL)
	c.int(&e.Line)
	c.int(&e.Column)
	c.string(&e.Element)
	c.int(&e.Count)
}

func (c *coder) header(h *event.Header) {
	c.string(&h.Name)
	c.string(&h.Value)
}

// exchange leaves out the two bodies; they live in a ring of their own (bodies).
func (c *coder) exchange(e *event.Exchange) {
	c.head(&e.Head)
	c.string(&e.RequestID)
	c.string(&e.Method)
	c.string(&e.URL)
	c.int(&e.Status)
	c.string(&e.StatusText)
	c.when(&e.Started)
	c.span(&e.TTFB)
	c.span(&e.Duration)
	list(c, &e.RequestHeaders, (*coder).header)
	list(c, &e.ResponseHeaders, (*coder).header)
	c.bool(&e.HasAuth)
	c.int64(&e.RequestSize)
	c.int64(&e.ResponseSize)
	c.int64(&e.TransferSize)
	c.string(&e.BodyNote)
	c.string(&e.ContentType)
	c.string(&e.Initiator.Type)
	list(c, &e.Initiator.Stack, (*coder).stackFrame)
	c.seq(&e.Initiator.Action)
	c.string(&e.Outcome)
	c.string(&e.Error)
	c.string(&e.Protocol)
	c.bool(&e.FromCache)
	list(c, &e.Redirects, (*coder).string)
	c.string(&e.ServerTiming)
	c.string(&e.RemoteAddress)
}

func (c *coder) bodies(e *event.Exchange) {
	c.string(&e.RequestBody)
	c.string(&e.ResponseBody)
}

func (c *coder) resource(e *event.Resource) {
	c.head(&e.Head)
	c.string(&e.URL)
	c.string(&e.InitiatorType)
	c.float(&e.Start)
	c.float(&e.Duration)
	c.float(&e.DNS)
	c.float(&e.Connect)
	c.float(&e.TLS)
	c.float(&e.Wait)
	c.float(&e.Receive)
	c.int64(&e.TransferSize)
	c.int64(&e.EncodedSize)
	c.int64(&e.DecodedSize)
	c.int(&e.Status)
	c.bool(&e.RenderBlocking)
	c.bool(&e.FromCache)
	c.string(&e.Protocol)
}

func (c *coder) frame(e *event.Frame) {
	c.head(&e.Head)
	c.string(&e.Connection)
	c.string(&e.Protocol)
	c.string(&e.URL)
	c.string(&e.Event)
	c.string(&e.Direction)
	c.unsigned(&e.Order)
	c.string(&e.Type)
	c.int64(&e.Size)
	c.string(&e.Data)
	c.int(&e.Code)
	c.string(&e.Reason)
	c.int(&e.Skipped)
	c.float(&e.Rate)
}

func (c *coder) locator(l *event.Locator) {
	c.string(&l.Kind)
	c.string(&l.Value)
	c.int(&l.Matches)
	c.int(&l.Score)
}

func (c *coder) action(e *event.Action) {
	c.head(&e.Head)
	c.string(&e.Type)
	c.string(&e.By)
	c.string(&e.Client)
	list(c, &e.Locators, (*coder).locator)
	c.string(&e.Role)
	c.string(&e.Name)
	c.string(&e.Text)
	c.string(&e.Value)
	c.string(&e.Key)
	c.string(&e.FromURL)
	c.string(&e.ToURL)
	c.float(&e.X)
	c.float(&e.Y)
	c.string(&e.Outcome)
}

func (c *coder) dom(e *event.DOM) {
	c.head(&e.Head)
	c.string(&e.Type)
	c.int(&e.Added)
	c.int(&e.Removed)
	c.int(&e.Changed)
	list(c, &e.Changes, (*coder).string)
	c.string(&e.Selector)
	c.string(&e.Class)
	c.string(&e.Role)
	c.string(&e.Text)
	c.span(&e.Shown)
}

func (c *coder) lifecycle(e *event.Lifecycle) {
	c.head(&e.Head)
	c.string(&e.State)
	c.string(&e.Trigger)
	c.string(&e.FromURL)
	c.string(&e.ToURL)
	c.string(&e.Title)
	c.bool(&e.Persisted)
}

func (c *coder) vital(v *event.Vital) {
	c.float(&v.Value)
	c.string(&v.Rating)
	c.bool(&v.Final)
	c.string(&v.Attribution)
}

func (c *coder) longTask(t *event.LongTask) {
	c.float(&t.Start)
	c.float(&t.Duration)
	c.string(&t.Script)
}

func (c *coder) resourceSum(s *event.ResourceSum) {
	c.string(&s.Type)
	c.int(&s.Count)
	c.int64(&s.Bytes)
}

func (c *coder) performance(e *event.Performance) {
	c.head(&e.Head)
	c.string(&e.URL)
	c.string(&e.NavigationType)
	c.float(&e.DOMContentLoaded)
	c.float(&e.Load)
	c.vital(&e.LCP)
	c.vital(&e.CLS)
	c.vital(&e.INP)
	c.vital(&e.FCP)
	c.vital(&e.TTFB)
	list(c, &e.LongTasks, (*coder).longTask)
	list(c, &e.Resources, (*coder).resourceSum)
	c.bool(&e.Soft)
}

func (c *coder) extensionLog(e *event.ExtensionLog) {
	c.head(&e.Head)
	c.string(&e.Level)
	c.string(&e.Message)
	c.string(&e.Category)
	c.string(&e.Data)
}

func (c *coder) mark(e *event.Mark) {
	c.head(&e.Head)
	c.string(&e.Type)
	c.string(&e.Label)
}
