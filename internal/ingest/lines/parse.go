package lines

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// record is what was read from one line. Its strings are parts of the line where that is possible.
type record struct {
	stamp
	ids
	level             string
	severity          int
	logger            string
	message           string
	rank              int    // how good the key was that message came from
	named             string // that key
	attrs             []byte
	status            int    // of an answer
	method, requested string // of a request
	stack             string // that a structured line carries in a field
	errType           string
	errText           string
	form              form
	stream            string // that the framing names
	before            string // the word before, while an access line is read
}

// form says what a line was read as, as far as the joining of lines asks.
type form uint8

const (
	plain  form = iota
	whole       // structured or an access line: no line goes on with it
	dotnet      // the head of a .NET console line: the message is on the next lines
)

// attr appends one attribute whose value is JSON already.
func (r *record) attr(key, raw string) {
	if len(r.attrs) > 0 {
		r.attrs = append(r.attrs, ',')
	}
	r.attrs = quote(r.attrs, key)
	r.attrs = append(r.attrs, ':')
	r.attrs = append(r.attrs, raw...)
}

// text appends one attribute with a text.
func (r *record) text(key, value string) {
	if value == "" || value == "-" {
		return
	}
	if len(r.attrs) > 0 {
		r.attrs = append(r.attrs, ',')
	}
	r.attrs = quote(r.attrs, key)
	r.attrs = append(r.attrs, ':')
	r.attrs = quote(r.attrs, value)
}

func (r *record) setLevel(word string) bool {
	level, severity, ok := levelOf(word)
	if ok {
		r.level, r.severity = level, severity
	}
	return ok
}

// parse reads one line without its newline and without colours.
func (r *record) parse(s string, near time.Time, depth int) {
	trimmed := strings.TrimLeft(s, " ")
	if trimmed == "" {
		r.message = s
		return
	}
	switch c := trimmed[0]; {
	case c == '{':
		if r.object(trimmed, near, depth) {
			return
		}
	case c == '<':
		if r.syslog(trimmed, near, depth) {
			return
		}
	case isDigit(c) || isLetter(c) || c == '[' || c == ':':
		if r.framed(trimmed, near, depth) || r.access(trimmed, near) || r.pairs(trimmed, near) || r.headed(trimmed, near) {
			return
		}
	}
	r.message = s
}

// object reads a JSON object.
func (r *record) object(s string, near time.Time, depth int) bool {
	var log, stream, stampText string
	count := 0
	end := members(s, 0, 0, func(key, raw string) {
		count++
		switch key {
		case "log":
			log = raw
		case "stream":
			stream = raw
		case "time":
			stampText = raw
		}
	})
	if end < 0 || skipSpace(s, end) != len(s) || count == 0 {
		return false
	}
	if log != "" && log[0] == '"' && stampText != "" && (stream == `"stdout"` || stream == `"stderr"`) && depth < 2 {
		r.stamp, _ = scanTime(unquote(stampText), near) // as Docker's json-file driver writes it
		outer := r.stamp
		text := strings.TrimSuffix(unquote(log), "\n")
		r.parse(text, near, depth+1)
		if r.stamp.time.IsZero() || r.whole && !outer.time.IsZero() {
			r.stamp = outer
		}
		r.stream = unquote(stream)
		return true
	}
	r.form = whole
	members(s, 0, 0, func(key, raw string) { r.field(key, raw, near) })
	r.finish()
	if r.message == "" && r.errText == "" {
		r.message = s
	}
	return true
}

// finish completes a structured record: the level by the status, the message by the error.
func (r *record) finish() {
	if level, severity := levelOfStatus(r.status); r.status >= 100 &&
		(r.level == "" || r.requested != "" && severity >= event.SeverityError && r.severity < severity) {
		r.level, r.severity = level, severity
	}
	if r.message == "" && r.errText == "" && r.requested != "" && r.status > 0 {
		r.message = strings.TrimPrefix(r.method+" "+r.requested+" "+strconv.Itoa(r.status), " ")
	}
}

// messageRank says how good a key is for the message; 0 is none.
func messageRank(key string) int {
	switch key {
	case "message", "Message", "@m", "MESSAGE", "short_message":
		return 5
	case "msg":
		return 4
	case "event", "@mt", "RenderedMessage":
		return 3
	case "body":
		return 2
	case "log", "text":
		return 1
	}
	return 0
}

// field takes one member of a structured line.
func (r *record) field(key, raw string, near time.Time) {
	isText := raw[0] == '"'
	if rank := messageRank(key); rank > 0 && isText {
		if rank > r.rank {
			if r.rank > 0 {
				r.text(r.named, r.message)
			}
			r.rank, r.named, r.message = rank, key, unquote(raw)
			return
		}
		r.attr(key, raw)
		return
	}
	if k := idOf(key); k != noID {
		v := unquote(raw)
		if r.set(k, v) {
			return
		}
		if k != requestID && isText && v == "" {
			return
		}
	}
	switch key {
	case "time", "timestamp", "ts", "@timestamp", "date", "eventTime", "asctime", "@t", "Timestamp", "t", "datetime":
		if r.when(raw, near) {
			return
		}
	case "level", "severity", "lvl", "log.level", "levelname", "severity_text", "severityText", "@l", "LogLevel",
		"loglevel", "Level", "log_level":
		if isText && r.setLevel(unquote(raw)) {
			return
		}
		if n, err := strconv.Atoi(unquote(raw)); err == nil {
			if level, severity, ok := levelOfNumber(n, false); ok {
				r.level, r.severity = level, severity
				return
			}
		}
	case "severity_number", "severityNumber":
		if n, err := strconv.Atoi(raw); err == nil {
			if level, severity, ok := levelOfNumber(n, true); ok {
				r.level, r.severity = level, severity
				return
			}
		}
	case "logger", "logger_name", "loggerName", "log.logger", "Category", "category", "name", "context", "component",
		"SourceContext", "module":
		if isText && r.logger == "" {
			r.logger = unquote(raw)
			return
		}
	case "status", "statusCode", "status_code", "http.status_code", "http.response.status_code", "code":
		if isText && key == "status" && r.level == "" && r.setLevel(unquote(raw)) {
			return
		}
		if n, err := strconv.Atoi(unquote(raw)); err == nil && n >= 100 && n <= 599 && r.status == 0 && key != "code" {
			r.status = n
			if strings.HasPrefix(key, "http.") {
				break
			}
			r.attr("http.response.status_code", strconv.Itoa(n))
			return
		}
	case "method":
		if v := unquote(raw); isMethod(v) {
			r.method = v
			r.text("http.request.method", v)
			return
		}
	case "path", "url", "uri":
		if v := unquote(raw); isText && strings.HasPrefix(v, "/") {
			r.path(v)
			return
		}
	case "pid", "process_id":
		if _, err := strconv.Atoi(raw); err == nil {
			r.attr("process.pid", raw)
			return
		}
	case "hostname":
		if isText {
			r.attr("host.name", raw)
			return
		}
	case "stack", "stack_trace", "stacktrace", "stackTrace", "error.stack_trace", "error.stack", "exc_info",
		"exception.stacktrace", "traceback", "@x", "exception", "Exception":
		if isText && strings.Contains(raw, `\n`) {
			r.stack = unquote(raw)
			return
		}
		if raw[0] == '{' {
			r.failure(raw)
			return
		}
	case "err", "error":
		if raw[0] == '{' {
			r.failure(raw)
			return
		}
		if v := unquote(raw); isText && strings.Contains(v, "\n    at ") {
			r.stack = v
			return
		}
	case "error.type", "exception.type", "error.kind":
		r.errType = unquote(raw)
		return
	case "error.message", "exception.message":
		r.errText = unquote(raw)
		return
	case "req", "request":
		if raw[0] == '{' {
			r.httpRequest(raw)
			return
		}
	case "res", "response":
		if raw[0] == '{' {
			r.response(raw)
			return
		}
	case "responseTime":
		if v, err := strconv.ParseFloat(raw, 64); err == nil {
			r.seconds(v / 1000)
			return
		}
	}
	r.attr(key, raw)
}

// when takes the time of a structured line.
func (r *record) when(raw string, near time.Time) bool {
	if raw[0] == '"' {
		text := unquote(raw)
		if st, n := scanTime(text, near); n > 0 {
			r.stamp = st
			return true
		}
		raw = text
	}
	if n, err := strconv.ParseInt(raw, 10, 64); err == nil && n >= 1e17 { // nanoseconds do not fit a float
		r.stamp = stamp{time: time.Unix(0, n), zoned: true}
		return true
	}
	v, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return false
	}
	t, ok := epochOf(v)
	if ok {
		r.stamp = stamp{time: t, whole: v < 1e11 && v == float64(int64(v)), zoned: true}
	}
	return ok
}

// failure takes an error's object, as serialisers of errors write it.
func (r *record) failure(raw string) {
	members(raw, 0, 0, func(key, raw string) {
		switch key {
		case "type", "name", "kind", "class":
			if raw[0] == '"' && (r.errType == "" || key == "type") {
				r.errType = unquote(raw)
			}
		case "message", "msg":
			if raw[0] == '"' {
				r.errText = unquote(raw)
			}
		case "stack", "stack_trace", "stacktrace":
			if raw[0] == '"' {
				r.stack = unquote(raw)
			}
		case "code":
			r.attr("error.code", raw)
		}
	})
}

// httpRequest takes the object that loggers of HTTP servers write for a request.
func (r *record) httpRequest(raw string) {
	members(raw, 0, 0, func(key, raw string) {
		switch v := unquote(raw); key {
		case "id":
			r.set(requestID, v)
		case "method":
			r.text("http.request.method", v)
		case "url", "uri":
			r.path(v)
		case "remoteAddress":
			r.text("client.address", v)
		case "headers":
			members(raw, 0, 0, func(key, raw string) {
				v := unquote(raw)
				var several []string // as Go's headers are
				if raw[0] == '[' && json.Unmarshal([]byte(raw), &several) == nil && len(several) > 0 {
					v = several[0]
				}
				switch k := idOf(key); {
				case k == traceID && r.trace == "", k == requestID && r.request == "":
					r.set(k, v)
				case strings.EqualFold(key, "user-agent"):
					r.text("user_agent.original", v)
				}
			})
		}
	})
}

func (r *record) response(raw string) {
	members(raw, 0, 0, func(key, raw string) {
		if n, err := strconv.Atoi(raw); err == nil && (key == "statusCode" || key == "status") && r.status == 0 {
			r.status = n
			r.attr("http.response.status_code", raw)
		}
	})
}

// path takes a path with or without a query.
func (r *record) path(v string) {
	path, query, _ := strings.Cut(v, "?")
	r.requested = path
	r.text("url.path", path)
	r.text("url.query", query)
}

// seconds takes how long a request took.
func (r *record) seconds(v float64) {
	r.attr("http.server.request.duration", strconv.FormatFloat(v, 'g', 6, 64))
}

func isMethod(s string) bool {
	switch s {
	case "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", "TRACE":
		return true
	}
	return false
}

// syslog reads RFC 5424 and RFC 3164.
func (r *record) syslog(s string, near time.Time, depth int) bool {
	end := strings.IndexByte(s, '>')
	if end < 2 || end > 4 {
		return false
	}
	priority, err := strconv.Atoi(s[1:end])
	if err != nil || priority > 191 {
		return false
	}
	rest := s[end+1:]
	if after, ok := strings.CutPrefix(rest, "1 "); ok { // RFC 5424
		var f [5]string // time, host, program, process, message id
		for i := range f {
			if f[i], after, ok = strings.Cut(after, " "); !ok {
				return false
			}
		}
		r.stamp, _ = scanTime(f[0], near)
		data := "-"
		if strings.HasPrefix(after, "[") {
			if n := structuredEnd(after); n > 0 {
				data, after = after[:n], strings.TrimPrefix(after[n:], " ")
			}
		} else {
			after = strings.TrimPrefix(strings.TrimPrefix(after, "-"), " ")
		}
		r.inner(strings.TrimPrefix(after, "\ufeff"), near, depth, priority)
		r.text("host.name", f[1])
		r.program(f[2], f[3])
		r.text("syslog.msg_id", f[4])
		r.text("syslog.structured_data", data)
		return true
	}
	st, n := scanTime(rest, near)
	if n == 0 || n >= len(rest) {
		return false
	}
	host, after, ok := strings.Cut(strings.TrimPrefix(rest[n:], " "), " ")
	if !ok {
		return false
	}
	r.stamp = st
	r.daemonLine(host, after, near, depth, priority)
	return true
}

// structuredEnd returns the end of the structured data of RFC 5424 at the beginning of s.
func structuredEnd(s string) int {
	quoted := false
	for i := range len(s) {
		switch {
		case quoted && s[i] == '"' && s[i-1] != '\\':
			quoted = false
		case quoted:
		case s[i] == '"':
			quoted = true
		case s[i] == ']' && (i+1 == len(s) || s[i+1] == ' '):
			return i + 1
		}
	}
	return 0
}

// daemonLine reads "program[pid]: message" behind a host.
func (r *record) daemonLine(host, s string, near time.Time, depth, priority int) {
	tag, message, ok := strings.Cut(s, ": ")
	if !ok || strings.Contains(tag, " ") {
		tag, message = "", s
	}
	name, pid, _ := strings.Cut(strings.TrimSuffix(tag, "]"), "[")
	r.inner(message, near, depth, priority)
	r.text("host.name", host)
	r.program(name, pid)
}

// inner reads what syslog frames. The line's own level comes before the priority's.
func (r *record) inner(message string, near time.Time, depth, priority int) {
	outer := r.stamp
	if depth < 2 {
		r.parse(message, near, depth+1)
	} else {
		r.message = message
	}
	if r.stamp.time.IsZero() || r.whole && !outer.time.IsZero() {
		r.stamp = outer
	}
	if r.level == "" && priority >= 0 {
		r.level, r.severity = syslogLevel(priority)
	}
}

func (r *record) program(name, pid string) {
	if r.logger == "" && name != "-" {
		r.logger = name
	}
	if n, err := strconv.Atoi(pid); err == nil {
		r.attr("process.pid", strconv.Itoa(n))
	}
}

// framed reads lines that a runtime of containers, or a syslog daemon's file, put around others.
func (r *record) framed(s string, near time.Time, depth int) bool {
	if depth >= 2 || !isDigit(s[0]) && !isLetter(s[0]) {
		return false
	}
	if isDigit(s[0]) && len(s) > 24 && s[4] == '-' {
		stampText, rest, _ := strings.Cut(s, " ")
		stream, rest, _ := strings.Cut(rest, " ")
		if stream == "stdout" || stream == "stderr" {
			if tag, message, ok := strings.Cut(rest, " "); ok && (tag == "F" || tag == "P") {
				st, n := scanTime(stampText, near)
				if n != len(stampText) {
					return false
				}
				r.parse(message, near, depth+1)
				if r.stamp.time.IsZero() || r.whole {
					r.stamp = st
				}
				r.stream = stream
				return true
			}
		}
		return false
	}
	if _, ok := monthOf(s, 0); ok { // the file of a syslog daemon: Oct 11 22:14:15 host program[1]: message
		st, n := scanTime(s, near)
		if n == 0 || n+1 >= len(s) || s[n] != ' ' {
			return false
		}
		host, rest, ok := strings.Cut(s[n+1:], " ")
		if tag, _, found := strings.Cut(rest, ": "); !ok || !found || strings.Contains(tag, " ") {
			return false
		}
		r.stamp = st
		r.daemonLine(host, rest, near, depth, -1)
		return true
	}
	return false
}

// pairs reads logfmt: key=value and nothing else, at least two of them.
func (r *record) pairs(s string, near time.Time) bool {
	if !isLetter(s[0]) || strings.Count(s, "=") < 2 || !eachPair(s, nil) {
		return false
	}
	r.form = whole
	eachPair(s, func(key, value string) { r.pair(key, value, near) })
	r.finish()
	if r.message == "" {
		r.message = s
	}
	return true
}

// pair takes one key and value of logfmt.
func (r *record) pair(key, value string, near time.Time) {
	raw := value
	if value == "" {
		raw = `""`
	} else if end := numberEnd(value, 0); value[0] == '"' || end != len(value) && value != "true" && value != "false" {
		raw = string(quote(nil, unquote(value)))
	}
	if key == "at" && r.level == "" && r.setLevel(unquote(raw)) { // as Heroku's router writes it
		return
	}
	r.field(key, raw, near)
}

// eachPair hands on the pairs of s, and reports whether s has nothing else.
func eachPair(s string, visit func(key, value string)) bool {
	return pairsEnd(s, visit) == len(s)
}

// pairsEnd hands on the pairs that s begins with and returns where what is no pair begins.
func pairsEnd(s string, visit func(key, value string)) int {
	for i := 0; i < len(s); {
		if s[i] == ' ' {
			i++
			continue
		}
		begin := i
		for i < len(s) && (isLetter(s[i]) || isDigit(s[i]) || strings.IndexByte("_.-@/", s[i]) >= 0) {
			i++
		}
		if i == begin || i >= len(s) || s[i] != '=' || !isLetter(s[begin]) && s[begin] != '_' && s[begin] != '@' {
			return begin
		}
		key := s[begin:i]
		i++
		end, _ := stringEnd(s, i)
		switch {
		case end > 0:
		case i < len(s) && s[i] == '"':
			return begin
		default:
			if end = strings.IndexByte(s[i:], ' '); end < 0 {
				end = len(s)
			} else {
				end += i
			}
		}
		if end < len(s) && s[end] != ' ' {
			return begin
		}
		if visit != nil {
			visit(key, s[i:end])
		}
		i = end
	}
	return len(s)
}

// trailing moves the pairs at the end of the message, as slog and others write them, to the attributes.
func (r *record) trailing(near time.Time) {
	s := r.message
	for from := 0; ; {
		eq := strings.IndexByte(s[from:], '=')
		if eq < 0 {
			return
		}
		begin := strings.LastIndexByte(s[:from+eq], ' ') + 1
		end := begin + pairsEnd(s[begin:], nil)
		if begin > 0 && end == len(s) {
			eachPair(s[begin:], func(key, value string) { r.pair(key, value, near) })
			r.message = strings.TrimRight(s[:begin], " ")
			return
		}
		// What begins before the end ends there, too; the rest of the word begins where this did.
		word := strings.IndexByte(s[from+eq:], ' ')
		if word < 0 {
			return
		}
		from = max(from+eq+word, end)
	}
}
