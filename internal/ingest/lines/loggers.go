package lines

import (
	"strconv"
	"strings"
	"time"
)

// klog reads Kubernetes' lines: E1009 13:55:36.123456  1234 server.go:42] message.
func (r *record) klog(s string, near time.Time) bool {
	level, severity, ok := levelOfLetter(s[0])
	if !ok {
		return false
	}
	if st, n := shortDate(s[1:]); n > 0 { // CockroachDB: I261009 12:00:00.123456 12 sql/exec.go:12 ⋮ [n1] 3  text
		_, message, found := strings.Cut(s[1:], " ⋮ ")
		if !found {
			return false
		}
		if _, rest, tags := bracketed(message); tags {
			message = rest
		}
		if number, rest, _ := strings.Cut(message, "  "); isNumber(number) {
			message = rest
		}
		r.stamp, r.level, r.severity, r.message = st, level, severity, message
		return true
	}
	if _, year := digits(s, 1, 8); year && strings.HasPrefix(s[9:], " ") { // newer ones write the year, too
		return r.klog(s[:1]+s[5:], near)
	}
	if of, ok := strings.CutPrefix(s[1:], "0000 00:00:"); ok { // abseil before it is set up: in seconds
		if number, rest, _ := strings.Cut(of, " "); isNumber(strings.Replace(number, ".", "", 1)) {
			if sec, err := strconv.ParseFloat(number, 64); err == nil && sec < 1e10 {
				at := time.UnixMicro(int64(sec * 1e6))
				return r.klog(s[:1]+at.Format("0102 15:04:05.000000 ")+strings.TrimLeft(rest, " "), at)
			}
		}
	}
	date, clock, _ := strings.Cut(s[1:], " ")
	month, ok1 := digits(date, 0, 2)
	day, ok2 := digits(date, 2, 2)
	h, m, sec, nano, end, ok3 := clockOf(clock, 0)
	place, message, ok4 := strings.Cut(clock[end:], "] ")
	if len(date) != len("1009") || !ok1 || !ok2 || !ok3 || !ok4 || month < 1 || month > 12 {
		return false
	}
	fields := strings.Fields(place)
	if len(fields) != 2 {
		return false
	}
	r.level, r.severity = level, severity
	r.stamp = stamp{time: passed(time.Date(near.Year(), time.Month(month), day, h, m, sec, nano, time.Local), near)}
	r.program("", fields[0])
	file, line, _ := strings.Cut(fields[1], ":")
	r.text("code.file.path", file)
	if n, err := strconv.Atoi(line); err == nil {
		r.attr("code.line.number", strconv.Itoa(n))
	}
	r.message = message
	if end, _ := stringEnd(message, 0); end != -1 && eachPair(message[end:], nil) { // structured: "message" key="value"
		r.message = unquote(message[:end])
		eachPair(message[end:], func(key, value string) { r.pair(key, value, near) })
	}
	return true
}

// logcat reads Android's lines: 10-09 12:00:00.123  1234  1250 I Shop    : text.
func (r *record) logcat(s string, near time.Time) bool {
	if !isDigit(s[0]) || !strings.HasPrefix(s[min(len(s), 2):], "-") {
		return false
	}
	st, n := scanTime(s, near)
	head, message, ok := strings.Cut(s[n:], ": ")
	fields := strings.Fields(head)
	if n != len("01-02 15:04:05.000") || !ok || len(fields) < 4 || len(fields[2]) != 1 {
		return false
	}
	level, severity, ok := levelOfLetter(fields[2][0])
	if !ok {
		return false
	}
	r.stamp, r.level, r.severity, r.message = st, level, severity, message
	r.program(strings.Join(fields[3:], " "), fields[0])
	return true
}

// logcatBrief reads Android's lines without a time: E/Shop    ( 4711): text, W/Shop: text.
func (r *record) logcatBrief(s string) bool {
	if len(s) < 6 || s[1] != '/' || !isLetter(s[2]) {
		return false
	}
	level, severity, ok := levelOfLetter(s[0])
	tag, message, found := strings.Cut(s[2:], ": ")
	name, pid, _ := strings.Cut(tag, "(")
	name, pid = strings.TrimSpace(name), strings.Trim(pid, " )")
	if !ok || !found || !isName(name) || strings.Contains(name, "/") || strings.Trim(pid, "0123456789") != "" {
		return false
	}
	r.level, r.severity, r.message = level, severity, message
	r.program(name, pid)
	return true
}

// chromium reads what Chromium and Electron write: [4711:1126/120000.123456:ERROR:gpu_process.cc(12)] text.
func (r *record) chromium(s string, near time.Time) bool {
	inner, message, ok := bracketed(s)
	at, rest, dated := strings.Cut(inner, "/")
	clock, rest, timed := strings.Cut(rest, ":")
	level, place, placed := strings.Cut(rest, ":")
	if !ok || !dated || !timed || !placed || !strings.HasSuffix(place, ")") || !isLoud(level) {
		return false
	}
	date := at[strings.LastIndexByte(at, ':')+1:]
	if _, six := digits(clock, 0, 6); !six || len(date) != 4 || !r.setLevel(strings.TrimRight(level, "0123456789")) {
		return false
	}
	r.stamp, _ = scanTime(date[:2]+"-"+date[2:]+" "+clock[:2]+":"+clock[2:4]+":"+clock[4:], near)
	if pid, _, several := strings.Cut(at, ":"); several {
		r.program("", pid)
	}
	file, line, _ := strings.Cut(strings.TrimSuffix(place, ")"), "(")
	r.text("code.file.path", file)
	if _, err := strconv.Atoi(line); err == nil {
		r.attr("code.line.number", line)
	}
	r.message = message
	return true
}

// ruby reads Ruby's logger: E, [2026-10-09T13:55:36.123456 #1234] ERROR -- shop: message.
func (r *record) ruby(s string, near time.Time) bool {
	at, ok := strings.CutPrefix(s[1:], ", [")
	if !ok {
		return false
	}
	level, severity, ok := levelOfLetter(s[0])
	st, n := scanTime(at, near)
	head, rest, found := strings.Cut(at[n:], " -- ")
	name, message, named := strings.Cut(rest+" ", ": ") // the space is gone where nothing is said
	if !ok || n == 0 || !found || !named {
		return false
	}
	r.stamp, r.level, r.severity = st, level, severity
	if pid, _, ok := strings.Cut(strings.TrimLeft(head, " #"), "]"); ok {
		r.program("", pid)
	}
	r.logger, r.message = name, strings.TrimLeft(strings.TrimSuffix(message, " "), " ")
	if inner, after, ok := bracketed(r.message); ok && isUUID(inner) { // tagged logging
		r.request, r.message = inner, after
	}
	r.rails(r.message)
	return true
}

// rails reads the two lines that Rails writes of a request.
func (r *record) rails(s string) bool {
	if after, ok := strings.CutPrefix(s, "Started "); ok {
		method, rest, _ := strings.Cut(after, " ")
		path, rest, _ := strings.Cut(strings.TrimPrefix(rest, `"`), `" for `)
		address, _, _ := strings.Cut(rest, " ")
		if !isMethod(method) || !strings.HasPrefix(path, "/") {
			return false
		}
		r.message = s
		r.text("http.request.method", method)
		r.path(path)
		r.text("client.address", address)
		return true
	}
	after, ok := strings.CutPrefix(s, "Completed ")
	if !ok {
		return false
	}
	status, ok := digits(after, 0, 3)
	if !ok || !strings.Contains(after, " in ") {
		return false
	}
	r.message = s
	r.answered(status)
	_, took, _ := strings.Cut(after, " in ")
	r.duration(took)
	return true
}

// nest reads NestJS's lines: [Nest] 1234  - 10/09/2026, 1:55:36 PM   ERROR [Api] message.
func (r *record) nest(s string, near time.Time) bool {
	after, ok := strings.CutPrefix(s, "[Nest] ")
	if !ok {
		return false
	}
	pid, rest, ok := strings.Cut(after, " ")
	if !ok {
		return false
	}
	rest = strings.TrimLeft(rest, " -")
	st, n := scanTime(rest, near)
	if n == 0 {
		return false
	}
	word, message := firstWord(strings.TrimLeft(rest[n:], " "))
	if !r.setLevel(word) {
		return false
	}
	r.stamp = st
	r.program("", pid)
	if name, text, ok := bracketed(message); ok {
		r.logger, message = name, text
	}
	r.message = message
	return true
}

// python reads what logging.basicConfig writes: ERROR:shop.api:could not pay.
func (r *record) python(s string) bool {
	level, rest, ok := strings.Cut(s, ":")
	switch level {
	case "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL":
	default:
		return false
	}
	name, message, found := strings.Cut(rest, ":")
	if !ok || !found || !isName(name) {
		return false
	}
	r.setLevel(level)
	r.logger, r.message = name, message
	return true
}

// dotnetHead reads the first line of two that .NET's console logger writes: fail: Shop.Api[0].
func (r *record) dotnetHead(s string) bool {
	rest, ok := strings.CutPrefix(s[min(len(s), 4):], ": ")
	if !ok {
		return false
	}
	switch s[:4] {
	case "trce", "dbug", "info", "warn", "fail", "crit":
	default:
		return false
	}
	name, id, _ := strings.Cut(rest, "[")
	id, ok = strings.CutSuffix(id, "]")
	if _, err := strconv.Atoi(id); err != nil || !ok || !isName(name) {
		return false
	}
	r.setLevel(s[:4])
	r.logger, r.form = name, dotnet
	return true
}

// rds reads what Amazon's PostgreSQL writes behind a time: :10.0.0.1(5432):user@shop:[71]:ERROR:  no stock.
func (r *record) rds(s string) bool {
	if !strings.Contains(s, "@") { // most lines are none
		return false
	}
	_, after, ok := strings.Cut(s, ":[")
	pid, after, found := strings.Cut(after, "]:")
	word, message, both := strings.Cut(after, ":  ")
	if !ok || !found || !both || strings.Trim(pid, "0123456789") != "" || !r.setLevel(word) {
		return false
	}
	r.program("", pid)
	r.message = message
	return true
}

// julHead reads the first of the two lines that java.util.logging writes: a class and a method. The level is on the next.
func (r *record) julHead(s string) bool {
	class, function, ok := strings.Cut(s, " ")
	if _, _, level := levelOf(class); level || !ok || !isName(class) || !strings.Contains(class, ".") && (!r.meridiem || class[0] > 'Z') || !isName(function) || r.zoned || !r.whole {
		return false
	}
	r.logger, r.form = class, jul
	r.text("code.function.name", function)
	return true
}

// bars reads "INFO|com.shop.Api|text", as NLog writes it.
func (r *record) bars(s string) bool {
	level, rest, ok := strings.Cut(s, "|")
	name, message, both := strings.Cut(rest, "|")
	if !ok || !both || !isLoud(level) || !isName(name) || !r.setLevel(level) {
		return false
	}
	r.logger, r.message = name, message
	return true
}

// category takes "Microsoft.Hosting.Lifetime[14] " from before a message, as .NET writes the logger and the kind of event.
func (r *record) category() {
	end := tagEnd(r.message)
	if end == 0 {
		return
	}
	if name, _, _ := strings.Cut(r.message, "["); strings.Contains(name, ".") {
		r.logger, r.message = name, r.message[end:]
	}
}

// afterDate reads what debug writes: a namespace with a colon, and the text.
func (r *record) afterDate(s string) bool {
	r.message = strings.TrimLeft(s, " ")
	if name, rest := firstWord(r.message); strings.Contains(name, ":") && isName(strings.ReplaceAll(name, ":", ".")) {
		r.logger, r.message = name, rest
	}
	return true
}

// addendum reads what PostgreSQL writes behind an error, in lines with a head of their own: DETAIL, HINT and the like.
func addendum(s string, near time.Time) (pid, text string, ok bool) {
	_, n := scanTime(s, near)
	if n == 0 {
		return "", "", false
	}
	pid, text, ok = bracketed(strings.TrimLeft(s[n:], " "))
	if user, rest := firstWord(text); isOwner(user) {
		text = rest
	}
	word, _, found := strings.Cut(text, ":  ")
	switch word {
	case "DETAIL", "HINT", "CONTEXT", "STATEMENT", "QUERY", "LOCATION":
		return pid, text, ok && found
	}
	return "", "", false
}

// backend returns the process of PostgreSQL that a line names: several write to one stream, and what one of them adds to its
// error may come behind the line of another.
func backend(s string) string {
	if len(s) < len("2006-01-02 15:04:05 UTC [1] LOG:  ") || s[4] != '-' || s[10] != ' ' || !isDigit(s[0]) {
		return ""
	}
	at := strings.Index(s[:min(len(s), 48)], " [") + 1
	pid, text, ok := bracketed(s[at:])
	if at == 0 || !ok || pid == "" || !isNumber(pid) {
		return ""
	}
	word, _, ok := strings.Cut(text[:min(len(text), 200)], ":  ")
	switch word[strings.LastIndexByte(word, ' ')+1:] {
	case "LOG", "INFO", "NOTICE", "WARNING", "ERROR", "FATAL", "PANIC", "DETAIL", "HINT", "CONTEXT", "STATEMENT", "QUERY", "LOCATION":
		if ok {
			return pid
		}
	}
	return ""
}
