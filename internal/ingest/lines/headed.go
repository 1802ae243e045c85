package lines

import (
	"strconv"
	"strings"
	"time"
)

// headed reads lines that begin with a time, a level, a logger, in one of the orders that loggers write them.
func (r *record) headed(s string, near time.Time) bool {
	if r.klog(s, near) || r.ruby(s, near) || r.nest(s, near) || r.python(s) || r.dotnetHead(s) || r.rails(s) {
		return true
	}
	rest := s
	if at := strings.IndexByte(s, ' '); at == 6 || at == 7 { // 1:55PM, as zerolog writes it: the line's arrival is finer
		if half := s[at-2 : at]; (half == "AM" || half == "PM") && s[at-5] == ':' {
			return r.afterTime(s[at+1:], near)
		}
	}
	bracket := rest[0] == '['
	if bracket {
		rest = rest[1:]
	}
	st, n := scanTime(rest, near)
	if n > 0 {
		r.stamp = st
		rest = rest[n:]
		if bracket && !strings.HasPrefix(rest, "]") {
			r.stamp = stamp{}
			return false
		}
		rest = strings.TrimLeft(strings.TrimPrefix(rest, "]"), " :")
		rest = strings.TrimPrefix(rest, "- ")
		rest = strings.TrimPrefix(rest, "| ")
		return r.afterTime(rest, near)
	}
	return r.levelFirst(s, near)
}

// afterTime reads what follows a time. A time alone makes a line ours.
func (r *record) afterTime(s string, near time.Time) bool {
	r.message = s
	if s == "" {
		return true
	}
	if thread, rest, ok := bracketed(s); ok { // [main] INFO com.shop.Api - started
		switch word, after := firstWord(rest); {
		case r.setLevel(thread): // [error] 31#31: *1 open() failed
			r.message = strings.TrimLeft(rest, " :-")
			if pid, text, ok := strings.Cut(r.message, ": "); ok && strings.Contains(pid, "#") {
				r.message = text
				if pid, _, _ = strings.Cut(pid, "#"); pid != "" {
					r.program("", pid)
				}
			}
			return true
		case r.setLevel(strings.Trim(word, "[]:")):
			r.text("thread.name", thread)
			r.loggerThen(after)
			return true
		case strings.Contains(thread, ":"): // [core:error] [pid 35708:tid 4328636416] message
			if module, level, _ := strings.Cut(thread, ":"); r.setLevel(level) {
				r.logger = module
				for inner, more, ok := bracketed(rest); ok; inner, more, ok = bracketed(rest) {
					if pid, found := strings.CutPrefix(inner, "pid "); found {
						pid, _, _ = strings.Cut(pid, ":")
						r.program("", pid)
					} else if address, found := strings.CutPrefix(inner, "client "); found {
						if host, _, port := strings.Cut(address, ":"); port && strings.Count(address, ":") == 1 {
							address = host
						}
						r.text("client.address", address)
					}
					rest = more
				}
				r.message = rest
				return true
			}
		}
		return true
	}
	word, rest := firstWord(s)
	if rest != "" && !isOrdinary(word) && r.setLevel(strings.TrimRight(word, ":|")) {
		rest = strings.TrimLeft(rest, " ")
		if pid, after := firstWord(rest); strings.HasPrefix(after, "--- [") { // Spring Boot
			thread, after, ok := bracketed(after[len("--- "):])
			if ok {
				r.program("", pid)
				if app, more, found := bracketed(after); found { // [shop] [main] com.shop.Api
					r.text("service.name", strings.TrimSpace(thread))
					thread, after = app, more
				}
				r.text("thread.name", strings.TrimSpace(thread))
				name, message, found := strings.Cut(after, " : ")
				if found {
					r.logger, r.message = strings.TrimSpace(name), message
					r.baggage()
					return true
				}
			}
		}
		if thread, after, ok := bracketed(rest); ok && !strings.Contains(thread, "=") {
			if strings.ContainsAny(after, "-:") { // INFO [main] com.shop.Api - started
				r.text("thread.name", thread)
				r.loggerThen(after)
				return true
			}
		}
		r.message = strings.TrimPrefix(strings.TrimPrefix(rest, "- "), "| ")
		if name, message, ok := strings.Cut(r.message, " - "); ok && (isName(name) || r.place(name)) {
			if r.logger == "" {
				r.logger = name
			}
			r.message = message
		} else if name, message, ok := strings.Cut(r.message, " : "); ok && isName(name) {
			r.logger, r.message = name, message
		} else if name, message, ok := strings.Cut(r.message, " | "); ok && isName(name) {
			r.logger, r.message = name, message
		} else {
			r.module()
			r.caller()
			r.trailing(near)
		}
		return true
	}
	// 2026-10-09 12:00:00,123 - shop.api - ERROR - could not pay
	if !r.nameFirst(s, " - ") && !r.nameFirst(s, " | ") && !r.nameThenLevel(word, s) && !r.python(s) {
		if level, message, ok := strings.Cut(s, ":"); ok && isLoud(level) && r.setLevel(level) { // …:ERROR:could not pay
			r.message = message
			return true
		}
		r.caller()
	}
	return true
}

// nameFirst reads "shop.api - ERROR - could not pay". Without a time, the level is in capitals.
func (r *record) nameFirst(s, between string) bool {
	name, after, ok := strings.Cut(s, between)
	level, message, found := strings.Cut(after, between)
	level = strings.TrimSpace(level)
	if !ok || !found || !isName(name) || r.time.IsZero() && !isLoud(level) || !r.setLevel(level) {
		return false
	}
	r.logger, r.message = strings.TrimSpace(name), message
	return true
}

// nameThenLevel reads "shop.api ERROR could not pay" behind a time. A dot in the first word, or columns that are filled
// up, tell a logger. Another word may begin a sentence: then the message stays whole, and the level counts only behind a
// time that is finer than seconds, as Python writes it.
func (r *record) nameThenLevel(name, s string) bool {
	after := strings.TrimPrefix(s, name)
	level, message, ok := strings.Cut(strings.TrimLeft(after, " "), " ")
	if !ok || !isName(name) || !isLoud(level) {
		return false
	}
	sure := strings.HasPrefix(after, "  ") || strings.HasPrefix(message, " ") || strings.ContainsRune(name, '.')
	if !sure && (r.whole || r.time.IsZero()) || !r.setLevel(level) {
		return false
	}
	if sure {
		r.logger, r.message = name, strings.TrimLeft(message, " ")
	}
	return true
}

// place takes "shop.api:pay:12", as loguru writes logger, function and line.
func (r *record) place(s string) bool {
	name, rest, _ := strings.Cut(s, ":")
	function, line, ok := strings.Cut(rest, ":")
	n, err := strconv.Atoi(line)
	if !ok || err != nil || !isName(name) || strings.ContainsRune(function, ' ') {
		return false
	}
	r.logger = name
	r.text("code.function.name", function)
	r.attr("code.line.number", strconv.Itoa(n))
	return true
}

// isLoud reports whether a level's word is in capitals, and no word of a sentence even so.
func isLoud(word string) bool {
	return word != "" && word == strings.ToUpper(word) && !isOrdinary(strings.ToLower(word))
}

// isOrdinary reports whether a level's word, without a colon and in small letters, is more likely a word of a sentence.
func isOrdinary(word string) bool {
	switch word {
	case "fine", "finer", "finest", "config", "default", "log", "http", "exception", "fail", "alert", "verbose", "silly":
		return true
	}
	return false
}

// module takes "in app: " from the beginning of a message behind a level, as Flask writes the logger.
func (r *record) module() {
	after, ok := strings.CutPrefix(r.message, "in ")
	if name, rest, found := strings.Cut(after, ": "); ok && found && r.logger == "" && isName(name) {
		r.logger, r.message = name, rest
	}
}

// caller takes "main.go:23: " from the beginning of a message, as Go's package log writes it.
func (r *record) caller() {
	place, rest, ok := strings.Cut(r.message, ": ")
	file, line, found := strings.Cut(place, ".go:")
	if !ok {
		place, rest, ok = strings.Cut(r.message, " > ") // zerolog
		file, line, found = strings.Cut(place, ".go:")
	}
	if !ok || !found || strings.Contains(file, " ") {
		return
	}
	if n, err := strconv.Atoi(line); err == nil {
		r.text("code.file.path", file+".go")
		r.attr("code.line.number", strconv.Itoa(n))
		r.message = rest
	}
}

// baggage takes "[trace,span]" from the beginning of a message, as Spring writes it.
func (r *record) baggage() {
	inner, rest, ok := bracketed(r.message)
	if !ok {
		return
	}
	parts := strings.FieldsFunc(inner, func(c rune) bool { return c == ',' || c == '-' || c == ' ' })
	if len(parts) < 2 {
		return
	}
	if n := len(parts); r.set(traceID, parts[n-2]) && r.set(spanID, parts[n-1]) {
		r.message = rest
	}
}

// loggerThen reads "com.shop.Api - message" and "com.shop.Api: message".
func (r *record) loggerThen(s string) {
	s = strings.TrimLeft(s, " ")
	for _, between := range [...]string{" - ", ": ", " : "} {
		if name, message, ok := strings.Cut(s, between); ok && isName(name) {
			r.logger, r.message = strings.TrimSpace(name), message
			return
		}
	}
	r.message = strings.TrimPrefix(s, "- ")
}

// levelFirst reads lines that begin with a level: "INFO:  started", "[error] text", "ERROR in app: text".
func (r *record) levelFirst(s string, near time.Time) bool {
	if inner, rest, ok := bracketed(s); ok {
		if r.setLevel(strings.TrimSpace(inner)) {
			rest = strings.TrimLeft(rest, " \t")
			if st, n := scanTime(rest, near); n > 0 && n < len(rest) { // [ERROR] 2026-10-09T12:00:00.123Z text
				r.stamp, rest = st, rest[n:]
			}
			r.message = strings.TrimLeft(rest, " \t:-")
			r.trailing(near)
			return true
		}
		return false
	}
	end := 0
	for end < len(s) && isLetter(s[end]) {
		end++
	}
	word := s[:end]
	// An ordinary sentence may begin with such a word: it is a level in capitals, or before a colon.
	colon := end < len(s) && s[end] == ':'
	capitals := strings.ToUpper(word) == word && end < len(s) && (s[end] == ' ' || s[end] == '\t')
	if !colon && !capitals && r.nameFirst(s, " - ") { // shop.api - ERROR - could not pay
		return true
	}
	if !colon && !capitals || word == "LOG" || !r.setLevel(word) || word == "Error" || word == "HTTP" || word == "panic" {
		r.level, r.severity = "", 0
		return false
	}
	rest := strings.TrimPrefix(strings.TrimLeft(s[end:], ": \t"), "| ")
	if inner, after, ok := strings.Cut(rest, "] "); capitals && ok && strings.HasPrefix(inner, "[") { // INFO [2026-…] text
		if st, n := scanTime(inner[1:], near); n > 0 {
			r.stamp, rest = st, after
		}
	} else if st, n := scanTime(rest, near); n > 0 && n < len(rest) {
		r.stamp = st
		rest = strings.TrimLeft(rest[n:], " -:")
	}
	r.message = rest
	if colon {
		r.access(rest, near) // INFO:     127.0.0.1:53714 - "GET /api HTTP/1.1" 200 OK
	}
	if r.status == 0 {
		r.module()
		r.trailing(near)
	}
	return true
}

// klog reads Kubernetes' lines: E1009 13:55:36.123456  1234 server.go:42] message.
func (r *record) klog(s string, near time.Time) bool {
	level, severity, ok := levelOfLetter(s[0])
	if !ok || len(s) < 22 || s[5] != ' ' {
		return false
	}
	month, ok1 := digits(s, 1, 2)
	day, ok2 := digits(s, 3, 2)
	h, m, sec, nano, end, ok3 := clockOf(s, 6)
	place, message, ok4 := strings.Cut(s[max(end, 0):], "] ")
	if !ok1 || !ok2 || !ok3 || !ok4 || month < 1 || month > 12 {
		return false
	}
	fields := strings.Fields(place)
	if len(fields) != 2 {
		return false
	}
	r.level, r.severity = level, severity
	r.stamp = stamp{time: time.Date(near.Year(), time.Month(month), day, h, m, sec, nano, time.Local)}
	r.program("", fields[0])
	file, line, _ := strings.Cut(fields[1], ":")
	r.text("code.file.path", file)
	if n, err := strconv.Atoi(line); err == nil {
		r.attr("code.line.number", strconv.Itoa(n))
	}
	if end, _ := stringEnd(message, 0); end > 0 { // structured: "message" key="value"
		r.message = unquote(message[:end])
		if rest := strings.TrimSpace(message[end:]); rest != "" && eachPair(rest, nil) {
			eachPair(rest, func(key, value string) { r.pair(key, value, near) })
		}
		return true
	}
	r.message = message
	return true
}

// ruby reads Ruby's logger: E, [2026-10-09T13:55:36.123456 #1234] ERROR -- shop: message.
func (r *record) ruby(s string, near time.Time) bool {
	if len(s) < 30 || s[1] != ',' || s[2] != ' ' || s[3] != '[' {
		return false
	}
	level, severity, ok := levelOfLetter(s[0])
	st, n := scanTime(s[4:], near)
	head, rest, found := strings.Cut(s[4+n:], " -- ")
	if !ok || n == 0 || !found {
		return false
	}
	r.stamp, r.level, r.severity = st, level, severity
	if pid, _, ok := strings.Cut(strings.TrimLeft(head, " #"), "]"); ok {
		r.program("", pid)
	}
	name, message, ok := strings.Cut(rest, ": ")
	if !ok {
		name, message = "", strings.TrimPrefix(rest, ":")
	}
	r.logger, r.message = name, strings.TrimLeft(message, " ")
	for inner, after, ok := bracketed(r.message); ok; inner, after, ok = bracketed(r.message) { // tagged logging
		if !isUUID(inner) && idOf(inner) == noID {
			break
		}
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
	if len(s) < 9 || s[4] != ':' || s[5] != ' ' || s[len(s)-1] != ']' {
		return false
	}
	switch s[:4] {
	case "trce", "dbug", "info", "warn", "fail", "crit":
	default:
		return false
	}
	name, id, ok := strings.Cut(s[6:len(s)-1], "[")
	if !ok || !isName(name) {
		return false
	}
	if _, err := strconv.Atoi(id); err != nil {
		return false
	}
	r.setLevel(s[:4])
	r.logger, r.form = name, dotnet
	return true
}

// bracketed takes "[inner] " from the beginning of s.
func bracketed(s string) (inner, rest string, ok bool) {
	if s == "" || s[0] != '[' {
		return "", s, false
	}
	end := strings.IndexByte(s, ']')
	if end < 0 || end > 200 {
		return "", s, false
	}
	return s[1:end], strings.TrimLeft(s[end+1:], " "), true
}

func firstWord(s string) (word, rest string) {
	word, rest, _ = strings.Cut(s, " ")
	return word, strings.TrimLeft(rest, " ")
}

// isName reports whether s can be a logger's name.
func isName(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 120 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && strings.IndexByte("_.-$/", c) < 0 {
			return false
		}
	}
	return isLetter(s[0]) || s[0] == '_'
}

// access reads lines about one request: those of Apache, nginx, and of development servers.
func (r *record) access(s string, near time.Time) bool {
	if strings.HasPrefix(s, "[GIN] ") {
		return r.gin(s, near)
	}
	if method, rest := firstWord(s); isMethod(method) && strings.HasPrefix(rest, "/") { // GET /api/x 200 in 12ms
		path, rest := firstWord(rest)
		status, ok := digits(rest, 0, 3)
		if !ok || status < 100 || status > 599 || len(rest) > 3 && rest[3] != ' ' {
			return false
		}
		r.form, r.message = whole, s
		r.text("http.request.method", method)
		r.path(path)
		r.answered(status)
		for word, rest := firstWord(rest); word != ""; word, rest = firstWord(rest) {
			if (word == "ms" || word == "s") && r.before != "" {
				word = r.before + word
			}
			r.before = word
			if r.duration(word) {
				break
			}
		}
		return true
	}
	// address - user [time] "GET /path HTTP/1.1" 200 512 "referer" "agent"
	begin := strings.IndexByte(s, '"')
	if begin < 0 {
		return false
	}
	end := begin + 1 + strings.IndexByte(s[begin+1:], '"')
	if end <= begin {
		return false
	}
	method, target, ok := strings.Cut(s[begin+1:end], " ")
	path, protocol, _ := strings.Cut(target, " ")
	rest := strings.TrimPrefix(s[end+1:], " ")
	status, found := digits(rest, 0, 3)
	if !ok || !isMethod(method) || !found || status < 100 || status > 599 {
		return false
	}
	head := s[:begin]
	if open := strings.IndexByte(head, '['); open >= 0 {
		if st, n := scanTime(head[open+1:], near); n > 0 {
			r.stamp = st
		}
	}
	r.form, r.message = whole, s
	address, after := firstWord(head)
	if word, ok := strings.CutSuffix(address, ":"); ok && r.setLevel(word) {
		address, _ = firstWord(after)
	}
	if address != "" && address[0] != '[' && strings.ContainsAny(address, ".:") {
		if host, port, ok := strings.Cut(address, ":"); ok && strings.Count(address, ":") == 1 && port != "" {
			address = host
		}
		r.text("client.address", address)
	}
	r.text("http.request.method", method)
	r.path(path)
	if _, v, ok := strings.Cut(protocol, "/"); ok {
		r.text("network.protocol.version", v)
	}
	r.answered(status)
	rest = strings.TrimPrefix(rest[3:], " ")
	size, rest := firstWord(rest)
	if numberEnd(size, 0) == len(size) && size != "" && !strings.Contains(size, ".") {
		r.attr("http.response.body.size", size)
	}
	for i, quoted := 0, ""; strings.HasPrefix(rest, `"`); i++ {
		close := strings.IndexByte(rest[1:], '"')
		if close < 0 {
			break
		}
		quoted, rest = rest[1:1+close], strings.TrimLeft(rest[2+close:], " ")
		r.text([...]string{"http.request.header.referer", "user_agent.original", "client.forwarded"}[min(i, 2)], quoted)
	}
	for word, rest := firstWord(rest); word != ""; word, rest = firstWord(rest) {
		key, value, ok := strings.Cut(word, "=")
		switch value = strings.Trim(value, `"`); {
		case ok && idOf(key) != noID:
			r.set(idOf(key), value)
		case ok && (key == "rt" || key == "request_time" || key == "duration"):
			r.duration(value + "s")
		case !ok && strings.Contains(word, ".") && numberEnd(word, 0) == len(word):
			r.duration(word + "s")
		}
	}
	return true
}

// gin reads what Gin writes: 2026/10/09 - 13:55:36 | 200 | 1.2ms | 127.0.0.1 | GET "/api".
func (r *record) gin(s string, near time.Time) bool {
	parts := strings.Split(s, "|")
	if len(parts) != 5 {
		return false
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	st, n := scanTime(strings.TrimPrefix(parts[0], "[GIN] "), near)
	status, ok := digits(parts[1], 0, 3)
	method, path := firstWord(parts[4])
	if n == 0 || !ok || !isMethod(method) {
		return false
	}
	r.stamp, r.form, r.message = st, whole, s
	r.text("client.address", parts[3])
	r.text("http.request.method", method)
	r.path(strings.Trim(path, `"`))
	r.answered(status)
	r.duration(parts[2])
	return true
}

// answered takes the status of a request, which gives the level.
func (r *record) answered(status int) {
	r.status = status
	r.level, r.severity = levelOfStatus(status)
	r.attr("http.response.status_code", strconv.Itoa(status))
}

// duration takes how long a request took when the text begins with a duration, such as 12ms or 0.4s.
func (r *record) duration(s string) bool {
	end := 0
	for end < len(s) && (isDigit(s[end]) || s[end] == '.') {
		end++
	}
	v, err := strconv.ParseFloat(s[:end], 64)
	if err != nil {
		return false
	}
	for _, u := range [...]struct {
		name string
		part float64
	}{{"ms", 1e-3}, {"µs", 1e-6}, {"us", 1e-6}, {"ns", 1e-9}, {"s", 1}} {
		if strings.HasPrefix(s[end:], u.name) {
			r.seconds(v * u.part)
			return true
		}
	}
	return false
}
