package correlate

import (
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

const (
	traceDigits = 32
	spanDigits  = 16
)

// traceparent is what a W3C traceparent says.
type traceparent struct {
	TraceID string // 32 lower-case hex digits, not all zero
	SpanID  string // 16 lower-case hex digits, not all zero: the caller's span
	Sampled bool
}

// parseTraceparent reads the value of a traceparent or traceresponse header by the rules of W3C
// Trace Context: version 00 exactly, later ones as far as 00 goes, ff never. ok is false for
// anything else, upper-case digits included.
func parseTraceparent(s string) (tp traceparent, ok bool) {
	const size = 2 + 1 + traceDigits + 1 + spanDigits + 1 + 2
	s = strings.Trim(s, " \t")
	if len(s) < size || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return tp, false
	}
	version, flags := s[:2], s[53:55]
	if !lowerHex(version) || version == "ff" || !lowerHex(flags) {
		return tp, false
	}
	if len(s) > size && (version == "00" || s[size] != '-') {
		return tp, false
	}
	tp = traceparent{TraceID: s[3:35], SpanID: s[36:52], Sampled: flags[1]&1 == 1}
	if isLetter := flags[1] >= 'a'; isLetter {
		tp.Sampled = (flags[1]-'a'+10)&1 == 1
	}
	if !valid(tp.TraceID) || !valid(tp.SpanID) {
		return traceparent{}, false
	}
	return tp, true
}

// valid reports whether an id is lower-case hex and not all zero.
func valid(id string) bool { return lowerHex(id) && strings.Trim(id, "0") != "" }

func lowerHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// validID returns id in lower case, or "" if it is not an id of so many digits.
func validID(id string, digits int) string {
	if id == "" {
		return ""
	}
	if len(id) != digits {
		return ""
	}
	if !lowerHex(id) {
		id = strings.ToLower(id)
	}
	if !valid(id) {
		return ""
	}
	return id
}

// adopt gives an exchange the ids that travelled with it, unless the sender named a span. A trace without a span is that
// of a page's visit: what the answer names is nearer. The request's ids are the request's own span. The answer names the
// server's span, which is another one, so only the trace is taken from there.
func adopt(e *event.Exchange) {
	if e.TraceID != "" && e.SpanID != "" {
		return
	}
	if tp, ok := parseTraceparent(header(e.RequestHeaders, "traceparent")); ok {
		e.TraceID, e.SpanID = tp.TraceID, tp.SpanID
		return
	}
	if tp, ok := parseTraceparent(header(e.ResponseHeaders, "traceresponse")); ok {
		e.TraceID = tp.TraceID
		return
	}
	for _, timing := range []string{e.ServerTiming, header(e.ResponseHeaders, "server-timing")} {
		if tp, ok := serverTiming(timing); ok {
			e.TraceID = tp.TraceID
			return
		}
	}
	for _, hs := range [][]event.Header{e.ResponseHeaders, e.RequestHeaders} {
		for i := range hs {
			if read := traceHeaders[strings.ToLower(hs[i].Name)]; read != nil {
				if id := validID(read(strings.TrimSpace(hs[i].Value)), traceDigits); id != "" {
					e.TraceID = id
					return
				}
			}
		}
	}
}

// traceHeaders read the trace out of the headers of other systems. What they give is checked by the caller.
var traceHeaders = map[string]func(value string) string{
	// https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
	"x-amzn-trace-id": func(value string) string {
		for part := range strings.SplitSeq(value, ";") {
			if root, ok := strings.CutPrefix(strings.TrimSpace(part), "Root=1-"); ok {
				return strings.Replace(root, "-", "", 1)
			}
		}
		return ""
	},
	// https://cloud.google.com/trace/docs/trace-context#legacy-http-header
	"x-cloud-trace-context": func(value string) string { id, _, _ := strings.Cut(value, "/"); return id },
	// https://github.com/openzipkin/b3-propagation; ids of 64 bits stand in the lower half
	"b3":           func(value string) string { id, _, _ := strings.Cut(value, "-"); return wide(id) },
	"x-b3-traceid": wide,
	// https://develop.sentry.dev/sdk/telemetry/traces/#header-sentry-trace
	"sentry-trace": func(value string) string { id, _, _ := strings.Cut(value, "-"); return id },
	// https://www.jaegertracing.io/docs/latest/client-libraries/#propagation-format
	"uber-trace-id": func(value string) string { id, _, _ := strings.Cut(value, ":"); return wide(id) },
}

// wide returns a trace id of 64 bits as one of 128.
func wide(id string) string {
	if n := len(id); n > 0 && n <= spanDigits {
		return strings.Repeat("0", traceDigits-n) + id
	}
	return id
}

func header(hs []event.Header, name string) string {
	for i := range hs {
		if strings.EqualFold(hs[i].Name, name) {
			return hs[i].Value
		}
	}
	return ""
}

// serverTiming finds `traceparent;desc="00-…"` among the metrics of a Server-Timing header.
func serverTiming(value string) (traceparent, bool) {
	for metric := range strings.SplitSeq(value, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(metric), ";")
		if !strings.EqualFold(strings.TrimSpace(name), "traceparent") {
			continue
		}
		for param := range strings.SplitSeq(params, ";") {
			key, desc, _ := strings.Cut(strings.TrimSpace(param), "=")
			if strings.EqualFold(strings.TrimSpace(key), "desc") {
				return parseTraceparent(strings.Trim(strings.TrimSpace(desc), `"`))
			}
		}
	}
	return traceparent{}, false
}
