package query

import (
	"strconv"
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

func frameText(f event.StackFrame) string {
	url, line := f.URL, f.Line
	if f.Source != "" {
		url, line = f.Source, f.SourceLine
	}
	return f.Function + " " + url + ":" + strconv.Itoa(line)
}
