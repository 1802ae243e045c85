package event

import "time"

// Event is any kind of event: a pointer to one of the types of this package.
//
// A kind is declared in the table below and in the methods of its type, all in this package. Who
// stores, redacts, queries or prints events of every kind goes by them, and lists no kinds itself.
type Event interface {
	Base() *Head
	Kind() Kind

	// Fields hands every field beside the head to v, in an order that never changes within a run.
	Fields(v Visitor)
	// Summary tells the event in one line of at most 200 characters, for timelines.
	Summary() string
	// Address returns the URL that a reader means when asking for events by URL: the request's, the
	// connection's, the script's, where a navigation led; "" when that is the page's.
	Address() string
	// Searched returns the texts in which a reader looks for words.
	Searched() []string
}

// Kind says which type an event has. Its number is part of the store's encoding.
type Kind uint8

// The kinds, in the order in which the wire lists them.
const (
	KindLog Kind = iota + 1
	KindException
	KindExchange
	KindResource // of a ResourceTiming
	KindMessage
	KindAction
	KindDOM
	KindLifecycle
	KindPerformance
	KindExtensionLog
	KindMark
	KindSpan
)

// kinds declares every kind.
var kinds = [...]struct {
	name   string       // on the wire
	handle byte         // first letter of its handles
	blank  func() Event // makes a zero event
}{
	KindLog:          {"log", 'l', func() Event { return new(Log) }},
	KindException:    {"exception", 'x', func() Event { return new(Exception) }},
	KindExchange:     {"exchange", 'r', func() Event { return new(Exchange) }},
	KindResource:     {"waterfall", 't', func() Event { return new(ResourceTiming) }},
	KindMessage:      {"message", 'w', func() Event { return new(Message) }},
	KindAction:       {"action", 'a', func() Event { return new(Action) }},
	KindDOM:          {"dom", 'd', func() Event { return new(DOM) }},
	KindLifecycle:    {"lifecycle", 'n', func() Event { return new(Lifecycle) }},
	KindPerformance:  {"performance", 'p', func() Event { return new(Performance) }},
	KindExtensionLog: {"extension_log", 'g', func() Event { return new(ExtensionLog) }},
	KindMark:         {"mark", 'm', func() Event { return new(Mark) }},
	KindSpan:         {"span", 's', func() Event { return new(Span) }},
}

// KindCount is the number of kinds and of the unused 0: the length of a table by kind.
const KindCount = len(kinds)

// Kind returns KindLog.
func (*Log) Kind() Kind { return KindLog }

// Kind returns KindException.
func (*Exception) Kind() Kind { return KindException }

// Kind returns KindExchange.
func (*Exchange) Kind() Kind { return KindExchange }

// Kind returns KindResource.
func (*ResourceTiming) Kind() Kind { return KindResource }

// Kind returns KindMessage.
func (*Message) Kind() Kind { return KindMessage }

// Kind returns KindAction.
func (*Action) Kind() Kind { return KindAction }

// Kind returns KindDOM.
func (*DOM) Kind() Kind { return KindDOM }

// Kind returns KindLifecycle.
func (*Lifecycle) Kind() Kind { return KindLifecycle }

// Kind returns KindPerformance.
func (*Performance) Kind() Kind { return KindPerformance }

// Kind returns KindExtensionLog.
func (*ExtensionLog) Kind() Kind { return KindExtensionLog }

// Kind returns KindMark.
func (*Mark) Kind() Kind { return KindMark }

// Kind returns KindSpan.
func (*Span) Kind() Kind { return KindSpan }

func (k Kind) known() bool { return k > 0 && int(k) < len(kinds) }

// String returns the kind's word on the wire, or "unknown".
func (k Kind) String() string {
	if !k.known() {
		return "unknown"
	}
	return kinds[k].name
}

// Handle returns the letter that begins the short handles of this kind ("l812", "r42"), or '?'.
func (k Kind) Handle() byte {
	if !k.known() {
		return '?'
	}
	return kinds[k].handle
}

// New returns a zero event of the kind, nil when there is no such kind.
func New(k Kind) Event {
	if !k.known() {
		return nil
	}
	return kinds[k].blank()
}

// Kinds returns every kind in wire order. The slice is the caller's.
func Kinds() []Kind {
	ks := make([]Kind, 0, len(kinds)-1)
	for k := range kinds[1:] {
		ks = append(ks, Kind(k+1))
	}
	return ks
}

// KindOf returns the kind of a wire word ("log") or of a handle's letter ("l"), and whether there is one.
func KindOf(word string) (Kind, bool) {
	for k := 1; k < len(kinds); k++ {
		if word == kinds[k].name || len(word) == 1 && word[0] == kinds[k].handle {
			return Kind(k), true
		}
	}
	return 0, false
}

// Class says what sort of sender an event has. Classes are stored apart and have limits of their own,
// so that a flood of one costs the others nothing.
type Class uint8

// The classes.
const (
	Browser   Class = iota // a page's
	Service                // a backend's, a build's, a script's: lines that no page wrote
	Extension              // the extension's own
	classEnd
)

// ClassCount is the number of classes.
const ClassCount = int(classEnd)

// String returns the class's word.
func (c Class) String() string {
	if c >= classEnd {
		return "unknown"
	}
	return [classEnd]string{"browser", "service", "extension"}[c]
}

// ClassOf returns the class of an event. A service that names itself is one, and what makes spans; else what has a
// session, a tab, or comes from the extension or the CI script is a page's.
func ClassOf(e Event) Class {
	if e.Kind() == KindExtensionLog {
		return Extension
	}
	h := e.Base()
	if h.Service == "" && e.Kind() != KindSpan &&
		(h.Session != "" || h.Tab != 0 || h.Document != "" || h.Source == "extension" || h.Source == "ci") {
		return Browser
	}
	return Service
}

// Batch is what one producer hands over at once, in any order. Its events share nothing with the
// sender's buffers unless the dialect says so; the store copies what it keeps.
type Batch []Event

// Of returns a batch of the events in a slab. They stay where they are.
func Of[T any, P interface {
	*T
	Event
}](slab []T) Batch {
	b := make(Batch, len(slab))
	for i := range slab {
		b[i] = P(&slab[i])
	}
	return b
}

// Severity returns an event's severity by OpenTelemetry's numbers, 1–24; 0 for what has none. An
// exception is an error, and so is an exchange or a span that failed. A log that is the witness of an error is none itself.
func Severity(e Event) int {
	switch e := e.(type) {
	case *Log:
		if e.Flags&Witness != 0 {
			return max(0, min(e.Severity, SeverityError-1))
		}
		return max(0, min(e.Severity, 24))
	case *Exception:
		return SeverityError
	case *Exchange:
		if e.Failed() {
			return SeverityError
		}
	case *ExtensionLog:
		return SeverityOf(e.Level)
	case *Span:
		if e.Status == "error" {
			return SeverityError
		}
	}
	return 0
}

// Notable reports whether what belongs to the same trace is worth keeping longer: the event is an
// error, an exchange that failed, or an agent's action whose outcome is not known yet.
func Notable(e Event) bool {
	if a, ok := e.(*Action); ok {
		return a.By == "agent" && a.Outcome == ""
	}
	return Severity(e) >= SeverityError && e.Kind() != KindExtensionLog
}

// Shift moves the times of an event that were read from its sender's clock.
func Shift(e Event, by time.Duration) {
	h := e.Base()
	if h.Time.IsZero() || by == 0 {
		return
	}
	h.Time = h.Time.Add(by)
	if x, ok := e.(*Exchange); ok && !x.Started.IsZero() {
		x.Started = x.Started.Add(by)
	}
}
