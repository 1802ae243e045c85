package lines

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/stacktrace"
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
	failed            string // what a field says of the error
	form              form
	stream            string             // that the framing names
	pid               string             // of the process that wrote it
	mongo             bool               // it is one of MongoDB
	values            bool               // rows below its message may be its values
	meridiem          bool               // its time says AM or PM
	inner             []event.ErrorCause // that the error holds
}

// form says what a line was read as, as far as the joining of lines asks.
type form uint8

const (
	plain  form = iota
	whole       // structured or an access line: no line goes on with it
	dotnet      // the head of a .NET console line: the message is on the next lines
	jul         // the head of java.util.logging: level and message are on the next line
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
	if strings.IndexByte(word, 0x1b) >= 0 { // a logger coloured it before it wrote JSON
		word = plainText(word)
	}
	level, severity, ok := levelOf(word)
	if ok {
		r.level, r.severity = level, severity
	}
	return ok
}

// parse reads one line without its newline and without colours.
func (r *record) parse(s string, near time.Time) {
	trimmed := strings.TrimLeft(s, " ")
	if trimmed == "" {
		return
	}
	switch c := trimmed[0]; {
	case c == '{':
		if r.object(trimmed, near) {
			return
		}
	case isDigit(c) || isLetter(c) || c == '[' || c == ':' || c == '+':
		if strings.HasPrefix(trimmed, "xxx ") && r.asked(trimmed[len("xxx "):]) { // Koa
			r.message = s
			return
		}
		if r.access(trimmed, near) || r.pairs(trimmed, near) || r.redis(trimmed, near) || r.headed(trimmed, near) {
			return
		}
		if r.words(trimmed, near) {
			return
		}
		r.stamp, r.logger = stamp{}, ""
	case c == '"':
		if at, n := scanTime(trimmed[1:], near); n > 0 && strings.HasPrefix(trimmed[1+n:], `",`) {
			if r.cells(trimmed[n+3:], ',') {
				r.stamp = at
				return
			}
		}
	case c == '<' && r.angle(trimmed), c >= 0x80 && r.words(trimmed, near):
		return
	case strings.HasPrefix(trimmed, "--> "): // as Hono and Koa write what they answered
		if r.asked(trimmed[len("--> "):]) {
			r.message = s
			return
		}
	}
	r.message = s
}

// angle reads a level in angle brackets: <e> [webpack-dev-server] text, <error> text.
func (r *record) angle(s string) bool {
	word, rest, ok := strings.Cut(s[1:], "> ")
	if !ok {
		return false
	}
	if len(word) == 1 {
		r.level, r.severity, ok = levelOfLetter(word[0] - 'a' + 'A')
	} else {
		ok = r.setLevel(word)
	}
	if ok {
		r.message = rest
	}
	return ok
}

// object reads a JSON object.
func (r *record) object(s string, near time.Time) bool {
	count := 0
	end := members(s, 0, 0, func(string, string) { count++ })
	if end < 0 || skipSpace(s, end) != len(s) || count == 0 {
		return false
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
	if level, severity := levelOfStatus(r.status); r.status != 0 &&
		(r.level == "" || r.requested != "" && severity >= event.SeverityError && r.severity < severity) {
		r.level, r.severity = level, severity
	}
	if r.message == "" && r.errText == "" && r.requested != "" && r.status != 0 {
		r.message = strings.TrimPrefix(r.method+" "+r.requested+" "+strconv.Itoa(r.status), " ")
	}
}

// messageRank says how good a key is for the message; 0 is none.
func messageRank(key string) int {
	switch key {
	case "message", "Message", "@m", "@message", "MESSAGE", "short_message":
		return 5
	case "msg", "Body":
		return 4
	case "event", "@mt", "RenderedMessage":
		return 3
	case "body":
		return 2
	case "log", "text", "M":
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
	if raw[0] == '{' && r.nested(key, raw) {
		return
	}
	switch key {
	case "s", "c", "ctx": // MongoDB
		if v := unquote(raw); r.mongo && isText && r.mongoField(key, v) {
			return
		}
	case "time", "timestamp", "ts", "@timestamp", "date", "eventTime", "asctime", "@t", "Timestamp", "t", "datetime", "__REALTIME_TIMESTAMP", "T":
		if r.when(raw, near) {
			return
		}
	case "level", "severity", "lvl", "log.level", "levelname", "severity_text", "severityText", "@l", "LogLevel",
		"loglevel", "Level", "log_level", "@level", "PRIORITY", "logLevel", "_logLevel", "level_name", "levelName", "SeverityText", "priority",
		"lev", "L":
		if v := unquote(raw); isText && (r.setLevel(v) || r.letter(v)) {
			return
		}
		if n, err := strconv.Atoi(unquote(raw)); err == nil {
			if level, severity, ok := levelOfNumber(n, false); ok {
				r.level, r.severity = level, severity
				return
			}
		}
	case "levelno", "level_value": // Python's and logback's: 10 to 50, 10000 to 40000
		n, err := strconv.Atoi(raw)
		if level, severity, ok := levelOfNumber(scaled(n), false); err == nil && ok && r.level == "" && n >= 10 {
			r.level, r.severity = level, severity
		}
	case "severity_number", "severityNumber", "SeverityNumber":
		if n, err := strconv.Atoi(raw); err == nil {
			if level, severity, ok := levelOfNumber(n, true); ok {
				r.level, r.severity = level, severity
				return
			}
		}
	case "logger", "logger_name", "loggerName", "log.logger", "Category", "category", "name", "context", "component",
		"SourceContext", "module", "@module", "SYSLOG_IDENTIFIER", "target", "channel", "N":
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
	case "pid", "process_id", "_PID":
		if n, err := strconv.Atoi(unquote(raw)); err == nil {
			r.attr("process.pid", strconv.Itoa(n))
			return
		}
	case "hostname", "_HOSTNAME":
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
		if v := unquote(raw); isText && inRows(v) != v {
			r.stack = inRows(v)
			return
		}
		if raw[0] == '{' {
			r.failure(raw)
			return
		}
		if v := unquote(raw); isText && stacktrace.IsType(v) && key == "exception" { // Eliot
			r.errType = v
			return
		}
		if raw[0] == '[' && r.calls(raw) {
			return
		}
	case "throwable", "thrown": // Logback, Log4j
		if raw[0] == '{' && r.throwable(raw) {
			return
		}
	case "err", "error":
		if raw[0] == '{' {
			r.failure(raw)
			return
		}
		v := unquote(raw)
		if isText && strings.Contains(v, "\n    at ") {
			r.stack = v
			return
		}
		if isText {
			r.failed = v
		}
	case "reason": // Eliot
		if r.errType != "" && isText {
			r.errText = unquote(raw)
			return
		}
	case "action_status":
		if unquote(raw) == "failed" {
			r.level, r.severity = "error", event.SeverityError
		}
	case "error.type", "exception.type", "error.kind", "errorType":
		r.errType = unquote(raw)
		return
	case "error.message", "exception.message", "errorMessage":
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

// nested takes what some formats keep one level down: ECS its level, logger and trace, Datadog its ids, MongoDB its time.
func (r *record) nested(key, raw string) bool {
	var near time.Time // the times there are whole
	known := 0
	switch key {
	case "level", "severity": // with a name, a text, a number
		members(raw, 0, 0, func(inner, raw string) {
			switch inner {
			case "name", "text", "levelStr", "label":
				if raw[0] == '"' && r.setLevel(unquote(raw)) {
					known++
				}
			}
		})
	case "instant": // Log4j's
		var sec, nano int64
		members(raw, 0, 0, func(inner, raw string) {
			n, _ := strconv.ParseInt(raw, 10, 64) // what is no number is none
			switch inner {
			case "epochSecond":
				sec = n
			case "nanoOfSecond":
				nano = n
			}
		})
		if sec > 0 {
			r.stamp = stamp{time: time.Unix(sec, nano), zoned: true}
			known++
		}
	case "log":
		members(raw, 0, 0, func(key, raw string) {
			if key == "level" || key == "logger" {
				known++
				r.field(key, raw, near)
			}
		})
	case "fields": // of Rust's tracing
		members(raw, 0, 0, func(key, raw string) {
			if key == "message" || key == "error" {
				known++
				r.field(key, raw, near)
			}
		})
		return false
	case "meta", "context": // of winston's middleware, of Roarr
		members(raw, 0, 0, func(key, raw string) {
			switch key {
			case "stack", "err", "error", "logLevel":
				known++
				r.field(key, raw, near)
			}
		})
		return false
	case "record": // loguru's
		members(raw, 0, 0, func(key, raw string) {
			switch key {
			case "level", "time":
				known++
				members(raw, 0, 0, func(inner, raw string) {
					if inner == "name" || inner == "timestamp" {
						r.field(key, raw, near)
					}
				})
			case "message", "name":
				r.field(key, raw, near)
			}
		})
	case "trace", "span":
		members(raw, 0, 0, func(inner, raw string) {
			if inner == "id" && r.set(idOf(key+"_id"), unquote(raw)) {
				known++
			}
		})
	case "dd":
		members(raw, 0, 0, func(inner, raw string) {
			if k := idOf("dd_" + inner); k != noID {
				r.set(k, unquote(raw)) // it stays an attribute, too
			}
		})
	case "t":
		members(raw, 0, 0, func(key, raw string) {
			if key == "$date" && r.when(raw, near) {
				r.mongo = true
				known++
			}
		})
	}
	return known > 0
}

// mongoField takes the severity, the component and the thread of a line of MongoDB.
func (r *record) mongoField(key, v string) bool {
	switch key {
	case "s":
		level, severity, ok := "", 0, false
		if v != "" {
			level, severity, ok = levelOfLetter(v[0])
		}
		if ok {
			r.level, r.severity = level, severity
		}
		return ok
	case "c":
		r.logger = v
	case "ctx":
		r.text("thread.name", v)
	}
	return true
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

// httpRequest takes the object that loggers of HTTP servers write for a request.
func (r *record) httpRequest(raw string) {
	members(raw, 0, 0, func(key, raw string) {
		switch v := unquote(raw); key {
		case "id":
			r.set(requestID, v)
		case "method":
			r.text("http.request.method", strings.ToUpper(v))
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
		if n, ok := statusOf(raw); ok && len(raw) == 3 && (key == "statusCode" || key == "status") && r.status == 0 {
			r.status = n
			r.attr("http.response.status_code", raw)
		}
	})
}

// path takes a path with or without a query, or a URL.
func (r *record) path(v string) {
	if _, after, ok := strings.Cut(v, "://"); ok && v[0] != '/' {
		r.text("url.full", v)
		_, after, _ = strings.Cut(after, "/")
		v = "/" + after
	}
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

func (r *record) program(name, pid string) {
	if r.logger == "" && name != "-" {
		r.logger = name
	}
	if n, err := strconv.Atoi(pid); err == nil {
		r.pid = pid
		r.attr("process.pid", strconv.Itoa(n))
	}
}
