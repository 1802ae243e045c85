package query

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// maxSummary is the most characters of a summary.
const maxSummary = 200

// Summary tells the event that e points to in one line of at most 200 characters, for timelines.
func Summary(e any) string {
	switch e := e.(type) {
	case *event.Log:
		return line(e.Level, e.Message, times(e.Count))
	case *event.Exception:
		how := ""
		if e.Mechanism != "" && e.Mechanism != "onerror" {
			how = "(" + e.Mechanism + ")"
		}
		return line(named(e.Type, e.Message), how, times(e.Count))
	case *event.Exchange:
		status := e.Outcome
		if e.Status != 0 {
			status = strconv.Itoa(e.Status)
		}
		return line(e.Method, e.URL, status, e.Error, took(e.Duration))
	case *event.Resource:
		return line(e.InitiatorType, e.URL, took(time.Duration(e.Duration*float64(time.Millisecond))))
	case *event.Frame:
		if e.Event == "message" {
			return line(e.Direction, e.URL, sized(e.Size), e.Data)
		}
		return line(e.Event, e.URL, code(e.Code), e.Reason)
	case *event.Action:
		by := ""
		if e.By == "agent" {
			by = "(agent)"
		}
		what := e.Name
		if what == "" {
			what = e.Text
		}
		if what == "" && len(e.Locators) > 0 {
			what = e.Locators[0].Value
		}
		return line(e.Type, by, e.Role, quoted(what), quoted(e.Value), e.Key, e.ToURL)
	case *event.DOM:
		if e.Type == "transient" {
			return line(e.Class, quoted(e.Text), e.Selector)
		}
		return line(fmt.Sprintf("+%d −%d ~%d", e.Added, e.Removed, e.Changed), strings.Join(e.Changes, "; "))
	case *event.Lifecycle:
		return line(e.State, e.Trigger, e.ToURL, quoted(e.Title))
	case *event.Performance:
		return line(e.URL, vital("LCP", e.LCP, "ms"), vital("INP", e.INP, "ms"), vital("CLS", e.CLS, ""), vital("FCP", e.FCP, "ms"), vital("TTFB", e.TTFB, "ms"))
	case *event.ExtensionLog:
		return line(e.Level, e.Category, e.Message)
	case *event.Mark:
		return line(e.Type, e.Label)
	}
	return ""
}

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

func vital(name string, v event.Vital, unit string) string {
	if v.Rating == "" && v.Value == 0 {
		return ""
	}
	digits := 0
	if unit == "" {
		digits = 3
	}
	return name + " " + strconv.FormatFloat(v.Value, 'f', digits, 64) + unit
}
