package event

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxSummary is the most characters of a summary.
const maxSummary = 200

// Address returns the script's URL.
func (e *Log) Address() string { return e.URL }

// Address returns the script's or the resource's URL.
func (e *Exception) Address() string { return e.URL }

// Address returns the request's URL.
func (e *Exchange) Address() string { return e.URL }

// Address returns the resource's URL.
func (e *ResourceTiming) Address() string { return e.URL }

// Address returns the connection's URL.
func (e *Message) Address() string { return e.URL }

// Address returns where the action led.
func (e *Action) Address() string { return e.ToURL }

// Address returns "": a change is the page's.
func (e *DOM) Address() string { return "" }

// Address returns where a navigation led.
func (e *Lifecycle) Address() string { return e.ToURL }

// Address returns the measured page's URL.
func (e *Performance) Address() string { return e.URL }

// Address returns "".
func (e *ExtensionLog) Address() string { return "" }

// Address returns "".
func (e *Mark) Address() string { return "" }

// Address returns "": what a span asked for is among its attributes.
func (e *Span) Address() string { return "" }

// Searched returns the line and what belongs to it.
func (e *Log) Searched() []string { return []string{e.Message, e.Args, e.Attributes, e.Logger} }

// Searched returns the error's texts.
func (e *Exception) Searched() []string { return []string{e.Message, e.Type, e.RawStack, e.Element} }

// Searched returns the request's line, its error and the bodies.
func (e *Exchange) Searched() []string {
	return []string{e.URL, e.Method, e.StatusText, e.Error, e.RequestBody, e.ResponseBody}
}

// Searched returns the URL and the type.
func (e *ResourceTiming) Searched() []string { return []string{e.URL, e.InitiatorType} }

// Searched returns what was sent and to where.
func (e *Message) Searched() []string { return []string{e.Data, e.URL, e.Reason} }

// Searched returns what was done to what.
func (e *Action) Searched() []string { return []string{e.Type, e.Name, e.Text, e.Value, e.ToURL} }

// Searched returns the texts that changed.
func (e *DOM) Searched() []string { return append([]string{e.Text, e.Selector}, e.Changes...) }

// Searched returns the state, the title and the target.
func (e *Lifecycle) Searched() []string { return []string{e.State, e.Title, e.ToURL} }

// Searched returns the URL.
func (e *Performance) Searched() []string { return []string{e.URL} }

// Searched returns the line and its data.
func (e *ExtensionLog) Searched() []string { return []string{e.Message, e.Category, e.Data} }

// Searched returns the type and the label.
func (e *Mark) Searched() []string { return []string{e.Type, e.Label} }

// Searched returns the name, the status and the attributes.
func (e *Span) Searched() []string { return []string{e.Name, e.StatusMessage, e.Attributes, e.Scope} }

// Summary tells level and message.
func (e *Log) Summary() string { return line(e.Level, e.Message, times(e.Count)) }

// Summary tells type, message and mechanism.
func (e *Exception) Summary() string {
	how := ""
	if e.Mechanism != "" && e.Mechanism != "onerror" {
		how = "(" + e.Mechanism + ")"
	}
	return line(named(e.Type, e.Message), how, times(e.Count))
}

// Summary tells request, status and duration.
func (e *Exchange) Summary() string {
	status := e.Outcome
	if e.Status != 0 {
		status = strconv.Itoa(e.Status)
	}
	lasted := took(e.Duration)
	if e.Streams() {
		lasted = "still streaming"
	}
	return line(e.Method, e.URL, status, e.Error, lasted)
}

// Summary tells what was loaded and how long it took.
func (e *ResourceTiming) Summary() string {
	return line(e.InitiatorType, e.URL, took(time.Duration(e.Duration*float64(time.Millisecond))))
}

// Summary tells direction, connection and data.
func (e *Message) Summary() string {
	if e.Event == "message" {
		return line(e.Direction, e.URL, sized(e.Size), e.Data)
	}
	return line(e.Event, e.URL, code(e.Code), e.Reason)
}

// Summary tells what was done to which element.
func (e *Action) Summary() string {
	by := ""
	if e.By == "agent" || e.By == "script" {
		by = "(" + e.By + ")"
	}
	what := e.Name
	if what == "" {
		what = e.Text
	}
	if what == "" && len(e.Locators) > 0 {
		what = e.Locators[0].Value
	}
	return line(e.Type, by, e.Role, quoted(what), quoted(e.Value), e.Key, e.ToURL)
}

// Summary tells a transient's text, or what changed.
func (e *DOM) Summary() string {
	if e.Type == "transient" {
		return line(e.Class, quoted(e.Text), e.Selector)
	}
	return line(fmt.Sprintf("+%d −%d ~%d", e.Added, e.Removed, e.Changed), strings.Join(e.Changes, "; "))
}

// Summary tells the state and where a navigation led.
func (e *Lifecycle) Summary() string { return line(e.State, e.Trigger, e.ToURL, quoted(e.Title)) }

// Summary tells the vitals.
func (e *Performance) Summary() string {
	return line(e.URL, vital("LCP", e.LCP, "ms"), vital("INP", e.INP, "ms"), vital("CLS", e.CLS, ""),
		vital("FCP", e.FCP, "ms"), vital("TTFB", e.TTFB, "ms"))
}

// Summary tells level, category and message.
func (e *ExtensionLog) Summary() string { return line(e.Level, e.Category, e.Message) }

// Summary tells type and label.
func (e *Mark) Summary() string { return line(e.Type, e.Label) }

// line joins the parts that are there, flattens white space and cuts.
func line(parts ...string) string {
	var b strings.Builder
	n, space := 0, false
	for _, p := range parts {
		space = space || n > 0 && p != ""
		for _, c := range p {
			if c <= ' ' || c == 0x7f {
				space = n > 0
				continue
			}
			if n >= maxSummary-2 {
				b.WriteRune('…')
				return b.String()
			}
			if space {
				b.WriteByte(' ')
				n++
				space = false
			}
			b.WriteRune(c)
			n++
		}
	}
	return b.String()
}

func named(name, text string) string {
	if name == "" || strings.HasPrefix(text, name) {
		return text
	}
	return name + ": " + text
}

func times(n int) string {
	if n < 2 {
		return ""
	}
	return "×" + strconv.Itoa(n)
}

func took(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
}

func sized(n int64) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatInt(n, 10) + " B"
}

// Summary tells service, name, how it ended and how long it took.
func (e *Span) Summary() string {
	failed := ""
	if e.Status == "error" {
		failed = line("error", e.StatusMessage)
	}
	return line(e.SpanKind, e.Name, failed, took(e.Duration), "("+e.Service+")")
}

func code(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return "“" + s + "”"
}

func vital(name string, v Vital, unit string) string {
	if v.Rating == "" && v.Value == 0 {
		return ""
	}
	digits := 0
	if unit == "" {
		digits = 3
	}
	return name + " " + strconv.FormatFloat(v.Value, 'f', digits, 64) + unit
}
