package lines

import (
	"strconv"
	"strings"
	"time"
)

// access reads lines about one request: those of Apache, nginx, and of development servers.
func (r *record) access(s string, near time.Time) bool {
	if strings.HasPrefix(s, "[GIN] ") {
		return r.gin(s, near)
	}
	if r.asked(s) {
		return true
	}
	if space := strings.IndexByte(s, ' '); space > 0 && isDigit(s[0]) && strings.HasPrefix(s[space:], " - ") && strings.Contains(s, " HTTP/") { // morgan's short
		address, rest := s[:space], s[space+3:]
		method, rest := firstWord(rest)
		path, rest := firstWord(rest)
		_, rest = firstWord(rest)
		if r.asked(method + " " + path + " " + rest) {
			r.message = s
			r.text("client.address", address)
			return true
		}
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
	if from, after, chi := strings.Cut(rest, " - "); chi && strings.HasPrefix(from, "from ") {
		rest = after
	}
	if rest == "" { // HAProxy has it before
		fields := strings.Fields(s[:begin])
		for i, field := range fields[:max(len(fields)-1, 0)] {
			if strings.Count(field, "/") == 4 && strings.Trim(field, "0123456789/-+") == "" && len(fields[i+1]) == 3 {
				rest = fields[i+1]
				break
			}
		}
	}
	status, found := statusOf(rest)
	if !ok || !isMethod(method) || !found {
		return false
	}
	head := s[:begin]
	if open := strings.IndexByte(head, '['); open >= 0 {
		r.stamp, _ = scanTime(head[open+1:], near)
	}
	r.form, r.message = whole, s
	address, after := firstWord(head)
	if word, ok := strings.CutSuffix(address, ":"); ok && r.setLevel(word) {
		address, _ = firstWord(after)
	} else if r.python(address) { // INFO:aiohttp.access:127.0.0.1
		address, r.message = r.message, s
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
	took := false // nginx writes how long its upstream took behind it
	for word, rest := firstWord(rest); word != ""; word, rest = firstWord(rest) {
		key, value, ok := strings.Cut(word, "=")
		switch value = strings.Trim(value, `"`); {
		case ok && idOf(key) != noID:
			r.set(idOf(key), value)
		case took:
		case ok && (key == "rt" || key == "request_time" || key == "duration"):
			took = r.duration(value + "s")
		case !ok && strings.Contains(word, ".") && numberEnd(word, 0) == len(word):
			took = r.duration(word + "s")
		}
	}
	return true
}

// barred reads what Fiber and Negroni write behind a time: 200 | 82µs | 127.0.0.1 | GET | /ok | -
func (r *record) barred(s string) bool {
	s = strings.TrimLeft(s, "| ")
	status, ok := statusOf(s)
	if !ok || !strings.HasPrefix(s[3:], " |") {
		return false
	}
	parts := strings.SplitN(s, "|", 10)
	for i, part := range parts {
		method, path := firstWord(strings.TrimSpace(part))
		if !isMethod(method) {
			continue
		}
		if path == "" && i+1 < len(parts) {
			path = strings.TrimSpace(parts[i+1])
		}
		r.form = whole
		r.text("http.request.method", method)
		r.path(path)
		r.answered(status)
		r.duration(strings.TrimSpace(parts[1]))
		return true
	}
	return false
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

// asked reads a method, a path, a status, and maybe how long it took: GET /api/x 200 in 12ms.
func (r *record) asked(s string) bool {
	method, rest := firstWord(s)
	if !isMethod(method) || !strings.HasPrefix(rest, "/") {
		return false
	}
	path, rest := firstWord(rest)
	status, ok := statusOf(rest)
	if !ok || len(rest) > 3 && rest[3] != ' ' {
		return false
	}
	r.form, r.message = whole, s
	r.text("http.request.method", method)
	r.path(path)
	r.answered(status)
	before := ""
	for word, rest := firstWord(rest); word != "" && !r.duration(word); word, rest = firstWord(rest) {
		if (word == "ms" || word == "s") && r.duration(before+word) {
			break
		}
		before = word
	}
	return true
}

// statusOf returns the status that s begins with.
func statusOf(s string) (status int, ok bool) {
	status, ok = digits(s, 0, 3)
	return status, ok && status >= 100 && status <= 599
}

// answered takes the status of a request, which gives the level.
func (r *record) answered(status int) {
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
