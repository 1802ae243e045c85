package query

import (
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// shape is what a field holds.
type shape uint8

const (
	absent shape = iota // the kind has no such field
	text
	number
	truth
	moment
)

func (s shape) String() string {
	return [...]string{"absent", "a text", "a number", "true or false", "a time"}[s]
}

// value is one field of one event.
type value struct {
	shape shape
	s     string    // text
	n     float64   // number; truth as 0 or 1
	t     time.Time // moment
}

// output returns the value as JSON knows it: string, float64, bool, RFC 3339 string, or nil.
func (v value) output() any {
	switch v.shape {
	case text:
		return v.s
	case number:
		return v.n
	case truth:
		return v.n != 0
	case moment:
		if !v.t.IsZero() {
			return v.t.Format("2006-01-02T15:04:05.000Z07:00")
		}
	}
	return nil
}

// key returns the value as text, for grouping and for "~".
func (v value) key() string {
	switch v.shape {
	case text:
		return v.s
	case number:
		return strconv.FormatFloat(v.n, 'f', -1, 64)
	case truth:
		return strconv.FormatBool(v.n != 0)
	case moment:
		s, _ := v.output().(string)
		return s
	}
	return ""
}

// set reports whether a field named alone holds.
func (v value) set() bool {
	return v.s != "" || v.n != 0 || !v.t.IsZero()
}

// getter reads one field of one kind of event.
type getter struct {
	shape shape
	get   func(e any) value
}

func texts[T any](get func(*T) string) getter {
	return getter{text, func(e any) value { return value{shape: text, s: get(e.(*T))} }}
}

func counts[T any, N int | int64 | uint64](get func(*T) N) getter {
	return getter{number, func(e any) value { return value{shape: number, n: float64(get(e.(*T)))} }}
}

func numbers[T any](get func(*T) float64) getter {
	return getter{number, func(e any) value { return value{shape: number, n: get(e.(*T))} }}
}

// spans are numbers of milliseconds.
func spans[T any](get func(*T) time.Duration) getter {
	return numbers(func(e *T) float64 { return float64(get(e)) / float64(time.Millisecond) })
}

func truths[T any](get func(*T) bool) getter {
	return getter{truth, func(e any) value {
		v := value{shape: truth}
		if get(e.(*T)) {
			v.n = 1
		}
		return v
	}}
}

func moments[T any](get func(*T) time.Time) getter {
	return getter{moment, func(e any) value { return value{shape: moment, t: get(e.(*T))} }}
}

func stackText(stack []event.StackFrame) string {
	var b strings.Builder
	for _, f := range stack {
		url, line := f.URL, f.Line
		if f.Source != "" {
			url, line = f.Source, f.SourceLine
		}
		b.WriteString(f.Function + " " + url + ":" + strconv.Itoa(line) + "\n")
	}
	return b.String()
}

func headerText(headers []event.Header) string {
	var b strings.Builder
	for _, h := range headers {
		b.WriteString(h.Name + ": " + h.Value + "\n")
	}
	return b.String()
}

func locatorText(locators []event.Locator) string {
	var b strings.Builder
	for _, l := range locators {
		b.WriteString(l.Kind + "=" + l.Value + "\n")
	}
	return b.String()
}
