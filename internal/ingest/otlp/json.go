package otlp

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
)

// cursor reads JSON that is known to be well-formed. What has another type than the caller wants is stepped
// over, and noted.
type cursor struct {
	s     string
	i     int
	wrong bool // a value had another type than was wanted
}

// peek steps over blanks and returns the next byte, 0 at the end.
func (c *cursor) peek() byte {
	for c.i < len(c.s) {
		switch b := c.s[c.i]; b {
		case ' ', '\t', '\n', '\r', ',', ':':
			c.i++
		default:
			return b
		}
	}
	return 0
}

// skip steps over one value.
func (c *cursor) skip() {
	depth := 0
	for {
		switch b := c.peek(); b {
		case 0:
			return
		case '"':
			c.skipText()
		case '{', '[':
			depth++
			c.i++
		case '}', ']':
			depth--
			c.i++
		default:
			for c.i < len(c.s) && strings.IndexByte(",:]} \t\r\n", c.s[c.i]) < 0 {
				c.i++
			}
		}
		if depth <= 0 {
			return
		}
	}
}

// skipText steps over a string and reports whether it has escapes.
func (c *cursor) skipText() (escaped bool) {
	for c.i++; c.i < len(c.s); c.i++ {
		switch c.s[c.i] {
		case '\\':
			c.i++
			escaped = true
		case '"':
			c.i++
			return escaped
		}
	}
	return escaped
}

// members calls each for the members of an object, which has to step over the value.
func (c *cursor) members(each func(key string)) {
	if c.peek() != '{' {
		c.unwanted()
		return
	}
	c.i++
	for b := c.peek(); b != '}' && b != 0; b = c.peek() {
		each(c.text())
	}
	c.i++
}

// elements calls each for the elements of an array, which has to step over it.
func (c *cursor) elements(each func()) {
	if c.peek() != '[' {
		c.unwanted()
		return
	}
	c.i++
	for b := c.peek(); b != ']' && b != 0; b = c.peek() {
		each()
	}
	c.i++
}

// unwanted steps over a value; null stands for an absent one.
func (c *cursor) unwanted() {
	c.wrong = c.wrong || c.peek() != 'n'
	c.skip()
}

// text reads a string.
func (c *cursor) text() string {
	if c.peek() != '"' {
		c.unwanted()
		return ""
	}
	from := c.i
	if !c.skipText() {
		return c.s[from+1 : c.i-1]
	}
	return unescaped(c.s[from+1 : c.i-1])
}

// unescaped resolves the escapes of a string; half a surrogate pair becomes U+FFFD.
func unescaped(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			j := strings.IndexByte(s[i:], '\\')
			if j < 0 {
				j = len(s) - i
			}
			out.WriteString(s[i : i+j])
			i += j - 1
			continue
		}
		i++
		switch s[i] {
		case 'b':
			out.WriteByte('\b')
		case 'f':
			out.WriteByte('\f')
		case 'n':
			out.WriteByte('\n')
		case 'r':
			out.WriteByte('\r')
		case 't':
			out.WriteByte('\t')
		case 'u':
			r := unit(s[i+1:])
			i += 4
			if r >= 0xd800 && r < 0xdc00 && strings.HasPrefix(s[i+1:], `\u`) {
				if low := unit(s[i+3:]); low >= 0xdc00 && low < 0xe000 {
					r = 0x10000 + (r-0xd800)<<10 + (low - 0xdc00)
					i += 6
				}
			}
			out.WriteRune(r) // U+FFFD for half a pair
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

// unit reads the four digits of an escape.
func unit(s string) rune {
	n, err := strconv.ParseUint(s[:min(4, len(s))], 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// number returns the text of a number, which may stand in a string.
func (c *cursor) number() string {
	switch b := c.peek(); {
	case b == '"':
		return c.text()
	case b == '-' || b >= '0' && b <= '9':
		from := c.i
		c.skip()
		return c.s[from:c.i]
	}
	c.unwanted()
	return ""
}

// unsigned reads a number of nanoseconds or a count.
func (c *cursor) unsigned() uint64 {
	s := c.number()
	if s == "" {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil { // such as 1.7e18, as some languages write large numbers
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || !(f >= 0 && f < math.MaxUint64) {
			c.wrong = true
			return 0
		}
		n = uint64(f)
	}
	return n
}

// signed reads a whole number, which may be written as 1.0 or 1e3.
func (c *cursor) signed() int64 {
	s := c.number()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f != math.Trunc(f) || !(f > math.MinInt64 && f < math.MaxInt64) { // -2^63 itself was read above
			c.wrong = true
			return 0
		}
		n = int64(f)
	}
	return n
}

// count reads a number that fits into 31 bits, else it is 0.
func (c *cursor) count() int { return number32(c.unsigned()) }

// enum reads a number or its name: the index of the last word that the name ends with.
func (c *cursor) enum(names ...string) int {
	if c.peek() != '"' {
		return c.count()
	}
	name := c.text()
	for i, n := range names {
		if name == n {
			return i
		}
	}
	n, err := strconv.ParseUint(name, 10, 31)
	c.wrong = c.wrong || err != nil
	return int(n)
}

func (c *cursor) boolean() bool {
	switch c.peek() {
	case 't':
		c.skip()
		return true
	case 'f':
		c.skip()
		return false
	}
	c.unwanted()
	return false
}

var (
	spanKindNames = []string{
		"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER", "SPAN_KIND_CLIENT", "SPAN_KIND_PRODUCER",
		"SPAN_KIND_CONSUMER",
	}
	statusNames   = []string{"STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"}
	severityNames = func() []string {
		out := []string{"SEVERITY_NUMBER_UNSPECIFIED"}
		for n := 1; event.LevelOfSeverity(n) != ""; n++ {
			out = append(out, "SEVERITY_NUMBER_"+strings.ToUpper(event.LevelOfSeverity(n))+[...]string{"", "2", "3", "4"}[(n-1)%4])
		}
		return out
	}()
)

// maxStray bounds the name of a member that is told of.
const maxStray = 64

// readJSON reads a request.
func readJSON(m *maker, body []byte) error {
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	if !json.Valid(body) {
		return errors.New("it is no JSON")
	}
	r := jsonReader{maker: m}
	r.s = string(body)
	if r.peek() != '{' {
		return errors.New("it is no JSON object")
	}
	list := [...][2]string{
		{"resourceLogs", "resource_logs"}, {"resourceSpans", "resource_spans"},
		{"resourceMetrics", "resource_metrics"},
	}[m.signal]
	found, other := false, ""
	r.members(func(key string) {
		if key != list[0] && key != list[1] {
			other = key
			r.skip()
			return
		}
		found = true
		r.elements(r.ofResource)
	})
	if !found && other != "" {
		m.stray, _ = clipped(other, maxStray)
	}
	if r.wrong {
		return errors.New("one of its lists is no list")
	}
	return nil
}

type jsonReader struct {
	*maker
	cursor
}

// within reads an object that has one member which what its list holds depends on: the resource of scopes, the
// scope of records. A list that stands before that member is read after it.
func (r *jsonReader) within(dependsOn, list func(key string) bool, element func()) {
	begun := false
	var later []int
	r.members(func(key string) {
		switch {
		case dependsOn(key):
			begun = true
		case list(key) && begun:
			r.elements(element)
		case list(key):
			later = append(later, r.i)
			r.skip()
		default:
			r.skip()
		}
	})
	after := r.i
	for _, at := range later {
		r.i = at
		r.elements(element)
	}
	r.i = after
}

func (r *jsonReader) ofResource() {
	r.maker.attributes = r.maker.attributes[:0]
	r.resource()
	lists := [...][2]string{
		{"scopeLogs", "scope_logs"}, {"scopeSpans", "scope_spans"}, {"scopeMetrics", "scope_metrics"},
	}[r.signal]
	r.within(
		func(key string) bool {
			if key != "resource" {
				return false
			}
			r.maker.attributes = r.maker.attributes[:0]
			r.members(func(key string) {
				if key == "attributes" {
					r.pairs()
					return
				}
				r.skip()
			})
			r.resource()
			return true
		},
		func(key string) bool { return key == lists[0] || key == lists[1] },
		r.ofScope,
	)
}

func (r *jsonReader) ofScope() {
	r.inScope("")
	lists := [...][2]string{{"logRecords", "log_records"}, {"spans", "spans"}, {"metrics", "metrics"}}[r.signal]
	r.within(
		func(key string) bool {
			if key != "scope" {
				return false
			}
			r.inScope("")
			r.members(func(key string) {
				if key == "name" {
					r.inScope(r.text())
					return
				}
				r.skip()
			})
			return true
		},
		func(key string) bool { return key == lists[0] || key == lists[1] },
		r.ofRecord,
	)
}

func (r *jsonReader) ofRecord() {
	r.begin()
	outer := r.wrong
	r.wrong = false
	switch r.signal {
	case Logs:
		r.readLog()
	case Traces:
		r.readSpan()
	default:
		r.skip()
	}
	wrong := r.wrong
	r.wrong = outer
	r.end(!wrong)
}

func (r *jsonReader) readLog() {
	l := &r.log
	r.members(func(key string) {
		switch key {
		case "timeUnixNano", "time_unix_nano":
			l.time = r.unsigned()
		case "observedTimeUnixNano", "observed_time_unix_nano":
			l.observed = r.unsigned()
		case "severityNumber", "severity_number":
			l.severity = r.enum(severityNames...)
		case "severityText", "severity_text":
			l.level = r.text()
		case "body":
			l.body = r.value()
		case "attributes":
			r.pairs()
		case "droppedAttributesCount", "dropped_attributes_count":
			l.dropped = r.count()
		case "traceId", "trace_id":
			l.trace = r.hexID(16)
		case "spanId", "span_id":
			l.span = r.hexID(8)
		case "eventName", "event_name":
			l.event = r.text()
		default:
			r.skip()
		}
	})
}

func (r *jsonReader) readSpan() {
	s := &r.span
	events, links := -1, -1
	r.members(func(key string) {
		switch key {
		case "traceId", "trace_id":
			s.trace = r.hexID(16)
		case "spanId", "span_id":
			s.span = r.hexID(8)
		case "parentSpanId", "parent_span_id":
			s.parent = r.hexID(8)
		case "name":
			s.name = r.text()
		case "kind":
			s.kind = r.enum(spanKindNames...)
		case "startTimeUnixNano", "start_time_unix_nano":
			s.start = r.unsigned()
		case "endTimeUnixNano", "end_time_unix_nano":
			s.end = r.unsigned()
		case "attributes":
			r.pairs()
		case "droppedAttributesCount", "droppedEventsCount", "droppedLinksCount",
			"dropped_attributes_count", "dropped_events_count", "dropped_links_count":
			s.dropped += r.count()
		case "status":
			r.members(func(key string) {
				switch key {
				case "code":
					s.status = r.enum(statusNames...)
				case "message":
					s.statusMessage = r.text()
				default:
					r.skip()
				}
			})
		case "events": // they have attributes too, so they come after the span's own
			events = r.i
			r.skip()
		case "links":
			links = r.i
			r.skip()
		default:
			r.skip()
		}
	})
	s.attributes = len(r.maker.attributes)
	after := r.i
	if events >= 0 {
		r.i = events
		r.elements(r.readEvent)
	}
	if links >= 0 {
		r.i = links
		r.elements(r.readLink)
	}
	r.i = after
}

func (r *jsonReader) readEvent() {
	e := r.addEvent()
	if e == nil {
		r.skip()
		return
	}
	r.members(func(key string) {
		switch key {
		case "timeUnixNano", "time_unix_nano":
			e.time = r.unsigned()
		case "name":
			e.name = r.text()
		case "attributes":
			r.pairs()
		case "droppedAttributesCount", "dropped_attributes_count":
			e.dropped = r.count()
		default:
			r.skip()
		}
	})
	e.to = len(r.maker.attributes)
}

func (r *jsonReader) readLink() {
	l := r.addLink()
	if l == nil {
		r.skip()
		return
	}
	r.members(func(key string) {
		switch key {
		case "traceId", "trace_id":
			l.trace = r.hexID(16)
		case "spanId", "span_id":
			l.span = r.hexID(8)
		default:
			r.skip()
		}
	})
}

// hexID reads an id of size bytes.
func (r *jsonReader) hexID(size int) id {
	s := r.text()
	if s == "" {
		return id{}
	}
	var raw [16]byte
	if len(s) != 2*size {
		return id{bad: true}
	}
	if _, err := hex.Decode(raw[:size], []byte(s)); err != nil {
		return id{bad: true}
	}
	if strings.Trim(s, "0") == "" {
		return id{}
	}
	return id{hex: strings.ToLower(s)}
}

// pairs reads a list of attributes.
func (r *jsonReader) pairs() {
	r.elements(func() {
		var a attribute
		r.members(func(key string) {
			switch key {
			case "key":
				a.key = r.text()
			case "value":
				a.value = r.value()
			default:
				r.skip()
			}
		})
		r.addAttribute(a)
	})
}

// value reads an AnyValue.
func (r *jsonReader) value() (v value) {
	r.members(func(key string) {
		if r.peek() == 'n' { // null is as if the member were not there
			r.skip()
			return
		}
		switch key {
		case "arrayValue", "array_value", "kvlistValue", "kvlist_value":
			r.scratch = r.list(r.scratch[:0], key[0] == 'k')
			v = value{kind: composite, text: r.keep(r.scratch)}
		default:
			r.plain(key, &v)
		}
	})
	return v
}

// plain reads a value that is no list.
func (r *jsonReader) plain(key string, v *value) {
	switch key {
	case "stringValue", "string_value":
		*v = value{kind: text, text: r.text()}
	case "boolValue", "bool_value":
		*v = value{kind: boolean}
		if r.boolean() {
			v.number = 1
		}
	case "intValue", "int_value":
		*v = value{kind: integer, number: r.signed()}
	case "doubleValue", "double_value":
		f, err := strconv.ParseFloat(r.number(), 64)
		r.wrong = r.wrong || err != nil && !errors.Is(err, strconv.ErrRange)
		*v = value{kind: double, float: f}
	case "bytesValue", "bytes_value":
		*v = value{kind: text, text: r.clip(r.text(), base64.StdEncoding.EncodedLen(maxText))}
	default:
		r.skip()
	}
}

// list appends an ArrayValue or a KeyValueList as JSON.
func (r *jsonReader) list(dst []byte, pairs bool) []byte {
	opening, closing := byte('['), byte(']')
	if pairs {
		opening, closing = '{', '}'
	}
	if r.deep++; r.deep > maxDepth {
		r.cut = true
		r.deep--
		r.skip()
		return append(dst, "null"...)
	}
	dst = append(dst, opening)
	first := true
	element := func() {
		if len(dst) > maxArgs {
			r.cut = true
			r.skip()
			return
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if !pairs {
			dst = r.appendValue(dst)
			return
		}
		key, at := "", -1
		r.members(func(name string) {
			switch name {
			case "key":
				key = r.text()
			case "value":
				at = r.i
				r.skip()
			default:
				r.skip()
			}
		})
		dst = append(appendText(dst, r.clip(key, maxKey)), ':')
		if at < 0 {
			dst = append(dst, "null"...)
			return
		}
		after := r.i
		r.i = at
		dst = r.appendValue(dst)
		r.i = after
	}
	r.members(func(key string) {
		if key == "values" {
			r.elements(element)
			return
		}
		r.skip()
	})
	r.deep--
	return append(dst, closing)
}

// appendValue appends an AnyValue as JSON.
func (r *jsonReader) appendValue(dst []byte) []byte {
	from := len(dst)
	r.members(func(key string) {
		if r.peek() == 'n' {
			r.skip()
			return
		}
		switch key {
		case "arrayValue", "array_value", "kvlistValue", "kvlist_value":
			dst = r.list(dst[:from], key[0] == 'k')
		default:
			var v value
			if r.plain(key, &v); v.kind != none {
				v.text = r.clip(v.text, maxText)
				dst = v.appendJSON(dst[:from])
			}
		}
	})
	if len(dst) == from {
		dst = append(dst, "null"...)
	}
	return dst
}
