package lines

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// ids are the identifiers that a line carries.
type ids struct {
	trace, span, request string
	half                 string // lower half of a trace, where the line says no more
}

// hexRun returns how many lower or upper case hex digits s begins with.
func hexRun(s string) int {
	for i := range len(s) {
		if !isHex(s[i]) {
			return i
		}
	}
	return len(s)
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// Shapes of ids: how many characters they have.
const (
	traceLen = 32
	spanLen  = 16
	uuidLen  = 36 // 8-4-4-4-12
	xrayLen  = 35 // 1-8-24
)

// keyBefore returns the word that names the value at s[i:]: what stands before "=", ":", quotes and spaces.
func keyBefore(s string, i int) string {
	end := i
	for end > 0 && strings.IndexByte(`=:"' []`, s[end-1]) >= 0 {
		end--
	}
	if end == i {
		return ""
	}
	begin := end
	for begin > 0 && (isLetter(s[begin-1]) || isDigit(s[begin-1]) || strings.IndexByte("_.-", s[begin-1]) >= 0) {
		begin--
	}
	return s[begin:end]
}

// idKey says which id a key names.
type idKey uint8

const (
	noID idKey = iota
	traceID
	spanID
	requestID
)

// idOf says which id a key of any spelling names.
func idOf(key string) idKey {
	switch key { // Serilog's
	case "@tr":
		return traceID
	case "@sp":
		return spanID
	}
	if len(key) < len("trace") || len(key) > 40 {
		return noID
	}
	var flat [40]byte
	n := 0
	for i := range len(key) {
		switch c := key[i]; {
		case c == '_' || c == '-' || c == '.' || c == '/':
		case c >= 'A' && c <= 'Z':
			flat[n] = c + 'a' - 'A'
			n++
		default:
			flat[n] = c
			n++
		}
	}
	switch string(flat[:n]) {
	case "traceid", "trace", "ddtraceid", "oteltraceid", "logginggoogleapiscomtrace", "xamzntraceid", "traceparent",
		"xb3traceid", "xraytraceid":
		return traceID
	case "spanid", "ddspanid", "otelspanid", "logginggoogleapiscomspanid", "xb3spanid":
		return spanID
	case "requestid", "reqid", "xrequestid", "correlationid", "xcorrelationid":
		return requestID
	}
	return noID
}

// set takes the value of a key that names an id. It reports whether the value has the shape of one.
func (x *ids) set(k idKey, v string) bool {
	switch k {
	case traceID:
		v = v[strings.LastIndexByte(v, '/')+1:] // projects/P/traces/T
		if trace, span, ok := traceparent(v); ok {
			x.trace = trace
			if x.span == "" {
				x.span = span
			}
			return true
		}
		if i := strings.Index(v, "Root="); i >= 0 {
			v = v[i+len("Root="):]
		}
		switch {
		case len(v) >= xrayLen && xray(v) != "":
			x.trace = xray(v)
		case len(v) == uuidLen && isUUID(v):
			x.trace = undashed(v)
		case len(v) == traceLen && hexRun(v) == traceLen:
			x.trace = strings.ToLower(v)
		default:
			x.half = cmp.Or(halfID(v, false), x.half)
			return false // it stays an attribute: nobody knows yet whether it is one
		}
		x.trace = orNone(x.trace)
		return true
	case spanID:
		if len(v) != spanLen || hexRun(v) != spanLen || x.half != "" {
			if x.half != "" && x.span == "" {
				x.span = halfID(v, true)
			}
			return false
		}
		if v = orNone(strings.ToLower(v)); v != "" {
			x.span = v
		}
		return true
	case requestID:
		if v == "" || v == "-" || len(v) > 200 {
			return false
		}
		x.request = v
		return true
	}
	return false
}

// halfID returns 64 bits as 16 digits: of a decimal number as Datadog writes it, or of 16 hex digits as Zipkin does. Small numbers are
// no ids, since random ones are below 2^48 once in 65,536 times; a span has its trace beside it.
func halfID(v string, span bool) string {
	const fewDigits = 1 << 48
	if n, err := strconv.ParseUint(v, 10, 64); err == nil && len(v) > 10 && (n >= fewDigits || span) && (len(v) != spanLen || v[0] != '0') {
		return fmt.Sprintf("%016x", n)
	}
	if len(v) == spanLen && hexRun(v) == spanLen {
		return orNone(strings.ToLower(v))
	}
	return ""
}

// orNone returns an id, "" for one of zeros, which says that there is none.
func orNone(id string) string {
	if strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}

// traceparent reads a W3C traceparent. An id of zeros is none.
func traceparent(v string) (trace, span string, ok bool) {
	if len(v) < 55 || v[2] != '-' || v[35] != '-' || v[52] != '-' || hexRun(v[3:35]) != traceLen ||
		hexRun(v[36:52]) != spanLen || hexRun(v[:2]) != 2 || hexRun(v[53:55]) != 2 || strings.EqualFold(v[:2], "ff") {
		return "", "", false
	}
	return orNone(strings.ToLower(v[3:35])), orNone(strings.ToLower(v[36:52])), true
}

// xray reads an X-Ray id, 1-5759e988-bd862e3fe1be46a994272793, and returns its 32 digits, or "".
func xray(v string) string {
	if len(v) < xrayLen || v[0] != '1' || v[1] != '-' || v[10] != '-' || hexRun(v[2:10]) != 8 || hexRun(v[11:35]) != 24 {
		return ""
	}
	return strings.ToLower(v[2:10] + v[11:35])
}

func isUUID(v string) bool {
	return len(v) >= uuidLen && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-' && hexRun(v[:8]) == 8 &&
		hexRun(v[9:13]) == 4 && hexRun(v[14:18]) == 4 && hexRun(v[19:23]) == 4 && hexRun(v[24:36]) == 12
}

func undashed(v string) string { return strings.ToLower(strings.ReplaceAll(v[:uuidLen], "-", "")) }

// scan finds ids in free text in one pass. A trace id is taken when a key names it, when its shape says so
// (traceparent, X-Ray), or when it is known already; a bare number of 32 digits is none.
func (x *ids) scan(s string, known func(string) bool) {
	for i := 0; i < len(s); {
		if !isHex(s[i]) {
			i++
			continue
		}
		n := hexRun(s[i:])
		end := i + n
		if i > 0 && (isLetter(s[i-1]) || s[i-1] == '_') || end < len(s) && (isLetter(s[end]) || s[end] == '_') {
			i = end // a part of a word
			continue
		}
		switch {
		case n == traceLen:
			if i >= 3 && s[i-1] == '-' {
				if trace, span, ok := traceparent(s[i-3:]); ok {
					if x.trace == "" {
						x.trace, x.span = trace, span
					}
					break
				}
			}
			x.take(s, i, s[i:end], known)
		case n >= spanLen-1 && n <= 20: // a span, and what is half a trace
			k := idOf(keyBefore(s, i))
			if strings.HasSuffix(s[:i], "span=") {
				k = spanID
			}
			switch {
			case k == traceID && x.trace == "" && x.half == "", k == spanID && x.span == "":
				x.set(k, s[i:end])
			}
		case n == 8 && isUUID(s[i:]):
			x.take(s, i, s[i:i+uuidLen], known)
		case n == 8 && i >= 2 && s[i-1] == '-' && s[i-2] == '1':
			if id := xray(s[i-2:]); id != "" {
				if x.trace == "" {
					x.trace = orNone(id)
				}
			}
		}
		i = end
	}
}

// take decides what a run of 32 digits or a UUID at s[i:] is.
func (x *ids) take(s string, i int, v string, known func(string) bool) {
	k := idOf(keyBefore(s, i))
	switch {
	case k == traceID && x.trace == "", k == requestID && x.request == "":
		x.set(k, v)
	case k == noID && x.trace == "" && known != nil:
		id := strings.ToLower(v)
		if len(v) == uuidLen {
			id = undashed(v)
		}
		if known(id) {
			x.trace = id
		}
	}
}
