package gasoline

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"
)

// Attr is an attribute. Its value is a copy: what it was made from may change afterwards.
type Attr struct {
	key  string
	kind kind
	text string // also of JSON
	num  uint64
	list []Attr // members, with their keys
}

type kind uint8

const (
	textKind kind = iota
	intKind
	floatKind
	boolKind
	bytesKind
	groupKind
	listKind
)

// String returns a text.
func String(key, value string) Attr { return Attr{key: key, text: clip(value, maxText)} }

// Int returns a number.
func Int(key string, value int) Attr { return Attr{key: key, kind: intKind, num: uint64(int64(value))} }

// Bool returns a truth value.
func Bool(key string, value bool) Attr {
	a := Attr{key: key, kind: boolKind}
	if value {
		a.num = 1
	}
	return a
}

// Strings returns a list of texts.
func Strings(key string, values ...string) Attr {
	a := Attr{key: key, kind: listKind}
	for i, v := range values {
		if i == maxAttributes {
			break
		}
		a.list = append(a.list, String("", v))
	}
	return a
}

const (
	maxText  = 16 << 10 // bytes of a text
	maxDepth = 6        // of groups
)

// clip cuts a text to at most most bytes at a character's end.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// fromSlog returns attributes of log/slog's, resolved.
func fromSlog(a slog.Attr, depth int) (out Attr, ok bool) {
	v := a.Value.Resolve()
	out.key = clip(a.Key, 256)
	switch v.Kind() {
	case slog.KindString:
		out.text = clip(v.String(), maxText)
	case slog.KindInt64:
		out.kind, out.num = intKind, uint64(v.Int64())
	case slog.KindUint64:
		if v.Uint64() > math.MaxInt64 {
			out.text = strconv.FormatUint(v.Uint64(), 10)
		} else {
			out.kind, out.num = intKind, v.Uint64()
		}
	case slog.KindFloat64:
		out.kind, out.num = floatKind, math.Float64bits(v.Float64())
	case slog.KindBool:
		return Bool(out.key, v.Bool()), true
	case slog.KindDuration:
		out.text = v.Duration().String()
	case slog.KindTime:
		out.text = v.Time().Format(time.RFC3339Nano)
	case slog.KindGroup:
		out.kind = groupKind
		if depth >= maxDepth {
			return out, false
		}
		for i, m := range v.Group() {
			if i == maxAttributes {
				break
			}
			if m, ok := fromSlog(m, depth+1); ok {
				out.list = append(out.list, m)
			}
		}
		return out, len(out.list) > 0
	default:
		if v.Any() == nil && a.Key == "" {
			return out, false
		}
		any := fromAny(v.Any())
		any.key = out.key
		return any, true
	}
	return out, true
}

// fromAny writes a value of any type now: it may change when the caller goes on. It never panics.
func fromAny(v any) (out Attr) {
	defer func() {
		if p := recover(); p != nil {
			out = Attr{text: fmt.Sprintf("!PANIC: %T", v)}
		}
	}()
	switch v := v.(type) {
	case nil:
		return Attr{text: "<nil>"}
	case error:
		return Attr{text: clip(v.Error(), maxText)}
	case json.Marshaler:
	case fmt.Stringer:
		return Attr{text: clip(v.String(), maxText)}
	case []byte:
		if len(v) > maxText {
			v = v[:maxText]
		}
		return Attr{kind: bytesKind, text: base64.StdEncoding.EncodeToString(v)}
	case []string:
		return Strings("", v...)
	}
	if data, err := json.Marshal(v); err == nil {
		return Attr{text: clip(string(data), maxText)}
	}
	return Attr{text: clip(fmt.Sprintf("%+v", v), maxText)}
}

// size is about what an attribute takes in memory, in bytes.
func (a *Attr) size() int {
	n := 72 + len(a.key) + len(a.text)
	for i := range a.list {
		n += a.list[i].size()
	}
	return n
}

func typeName(v any) string {
	if t := reflect.TypeOf(v); t != nil {
		return t.String()
	}
	return "nil"
}

// messageOf returns an error's text. It never panics.
func messageOf(err error) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("!PANIC: %T", err)
		}
	}()
	return clip(err.Error(), maxText)
}
