package lines

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxFrames bounds how many frames lie in one another.
const maxFrames = 3

// frame is what other programs wrote around a line. The zero value with a priority of -1 is none.
type frame struct {
	stamp    stamp
	output   string // stdout or stderr
	process  string // its name among several of one stream
	service  string // that the process is of, where it is a service of its own
	host     string
	program  string
	pid      string
	id       string // syslog's kind of message
	data     string // syslog's structured data
	client   string // that the line is about
	logger   string
	priority int  // syslog's; -1: none
	alone    bool // for systemd: each line has its level
	part     bool // the line goes on with the next one of its process
	live     bool // the line was read as it was written
}

// off takes the frames off a line.
func (f *frame) off(s string, near time.Time) string {
	for range maxFrames {
		inner, ok := f.one(s, near)
		if !ok {
			break
		}
		s = inner
	}
	return s
}

// one takes off one frame, whatever its kind. Each kind writes down what it says only where it is one.
func (f *frame) one(s string, near time.Time) (inner string, ok bool) {
	if s == "" {
		return s, false
	}
	switch c := s[0]; {
	case c == '{':
		return f.jsonFile(s)
	case c == '<':
		return f.syslog(s, near)
	case c == '[':
		return f.apache(s)
	case isLetter(c):
		return f.syslogFile(s, near)
	case len(s) < 25 || !isDigit(c) || s[4] != '-' || s[10] != 'T':
		return s, false
	}
	if inner, ok = f.cri(s); ok {
		return inner, true
	}
	if inner, ok = f.stamped(s); ok {
		return inner, true
	}
	return f.journal(s)
}

// dated reads a time that begins with the year.
func dated(s string) (stamp, int) {
	if strings.IndexByte(s, '-') != len("2006") {
		return stamp{}, 0
	}
	return scanTime(s, time.Time{}) // no other time is asked
}

// when keeps the time of the innermost frame that has one.
func (f *frame) when(st stamp) {
	if !st.time.IsZero() {
		f.stamp = st
	}
}

// jsonFile reads what Docker's json-file driver writes: {"log":"text\n","stream":"stdout","time":"…"}. Without a newline
// the line goes on.
func (f *frame) jsonFile(s string) (string, bool) {
	if !strings.Contains(s, `"stream":"std`) {
		return s, false
	}
	var log, stream, at string
	end := members(s, 0, 0, func(key, raw string) {
		switch key {
		case "log":
			log = raw
		case "stream":
			stream = raw
		case "time":
			at = raw
		}
	})
	if end != len(s) || log == "" || log[0] != '"' || at == "" || stream != `"stdout"` && stream != `"stderr"` {
		return s, false
	}
	st, _ := dated(unquote(at))
	f.when(st)
	f.output = unquote(stream)
	text, whole := strings.CutSuffix(unquote(log), "\n")
	f.part = !whole
	return strings.TrimSuffix(text, "\r"), true
}

// cri reads what runtimes of containers write: TIME stdout F text. P says that the line goes on.
func (f *frame) cri(s string) (string, bool) {
	at, rest, _ := strings.Cut(s, " ")
	output, rest, _ := strings.Cut(rest, " ")
	if output != "stdout" && output != "stderr" {
		return s, false
	}
	tag, text, _ := strings.Cut(rest, " ")
	if tag, _, _ = strings.Cut(tag, ":"); tag != "F" && tag != "P" {
		return s, false
	}
	st, n := dated(at)
	if n != len(at) {
		return s, false
	}
	f.when(st)
	f.output, f.part = output, tag == "P"
	return text, true
}

// stamped reads the time that kubectl and docker put before a line when they are asked for times: nine digits of a second,
// in UTC. A logger's own line may begin so, too, and says the rest of its head behind it.
func (f *frame) stamped(s string) (string, bool) {
	const shape = "2026-11-25T21:00:00.000000001Z"
	if len(s) < len(shape) || s[19] != '.' || s[len(shape)-1] != 'Z' {
		return s, false
	}
	text, ok := strings.CutPrefix(s[len(shape):], " ")
	if !ok && text != "" {
		return s, false
	}
	st, n := dated(s)
	if n != len(shape) {
		return s, false
	}
	f.when(st)
	return text, true
}

// syslog reads RFC 5424 and RFC 3164, as they are sent.
func (f *frame) syslog(s string, near time.Time) (string, bool) {
	end := strings.IndexByte(s, '>')
	if end == 2 && s[1] >= '0' && s[1] <= '7' && len(s) > 3 && (isLetter(s[3]) || goesOn(s[3:])) { // for systemd, which takes the rest off
		f.priority, f.alone = int(s[1]-'0'), true
		return s[3:], true
	}
	if end < 2 || end > 4 {
		return s, false
	}
	priority, err := strconv.Atoi(s[1:end])
	if err != nil || priority > 191 {
		return s, false
	}
	rest := s[end+1:]
	if after, ok := strings.CutPrefix(rest, "1 "); ok { // RFC 5424
		var part [5]string // time, host, program, process, message id
		for i := range part {
			if part[i], after, ok = strings.Cut(after, " "); !ok {
				return s, false
			}
		}
		st, _ := dated(part[0])
		data := ""
		if strings.HasPrefix(after, "[") {
			n := structuredEnd(after)
			data, after = after[:n], after[n:]
		} else {
			after = strings.TrimPrefix(after, "-")
		}
		after = strings.TrimPrefix(after, " ")
		f.when(st)
		f.priority, f.host, f.program, f.pid, f.id, f.data = priority, part[1], part[2], part[3], part[4], data
		return strings.TrimPrefix(after, "\ufeff"), true
	}
	st, n := scanTime(rest, near)
	if n == 0 {
		return s, false
	}
	host, after, ok := strings.Cut(strings.TrimPrefix(rest[n:], " "), " ")
	if !ok {
		return s, false
	}
	if strings.HasSuffix(host, ":") { // as programs write to the socket of this machine
		host, after = "", host+" "+after
	}
	f.when(st)
	f.priority = priority
	return f.daemon(host, after), true
}

// syslogFile reads the file of a syslog daemon: Oct 11 22:14:15 host program[1]: message.
func (f *frame) syslogFile(s string, near time.Time) (string, bool) {
	if _, ok := monthOf(s); !ok {
		return s, false
	}
	st, n := scanTime(s, near)
	after, ok := strings.CutPrefix(s[n:], " ")
	if n == 0 || !ok {
		return s, false
	}
	host, rest, ok := strings.Cut(after, " ")
	if tag, _, found := strings.Cut(rest, ": "); !ok || !found || strings.Contains(tag, " ") {
		return s, false
	}
	f.when(st)
	return f.daemon(host, rest), true
}

// journal reads journalctl's "short-iso" forms: 2026-11-25T21:00:00+01:00 host program[1]: message.
func (f *frame) journal(s string) (string, bool) {
	at, rest, _ := strings.Cut(s, " ")
	host, rest, _ := strings.Cut(rest, " ")
	tag, _, found := strings.Cut(rest, ": ")
	if tag, _, drain := strings.Cut(host, "]:"); drain && strings.HasSuffix(host, "]:") { // Heroku: TIME app[web.1]: message
		name, dyno, bracket := strings.Cut(tag, "[")
		st, n := dated(at)
		if !bracket || !isName(name) || !isProcess(dyno) || n != len(at) {
			return s, false
		}
		f.when(st)
		f.program, f.process = name, dyno
		_, text, _ := strings.Cut(s, "]: ")
		return text, true
	}
	name, pid, bracket := strings.Cut(strings.TrimSuffix(tag, "]"), "[")
	if !found || !bracket || !isName(host) || !isName(name) || pid == "" || strings.Trim(pid, "0123456789") != "" {
		return s, false
	}
	st, n := dated(at)
	if n != len(at) {
		return s, false
	}
	f.when(st)
	return f.daemon(host, rest), true
}

// daemon reads "program[pid]: message" behind a host.
func (f *frame) daemon(host, s string) string {
	tag, message, ok := strings.Cut(s, ": ")
	if !ok || strings.Contains(tag, " ") {
		tag, message = "", s
	}
	f.host = host
	f.program, f.pid, _ = strings.Cut(strings.TrimSuffix(tag, "]"), "[")
	f.process = tag
	return message
}

// apache reads what Apache writes before each line that an application writes into its error log. What its own modules say
// is no frame.
func (f *frame) apache(s string) (string, bool) {
	if len(s) < len("[Fri Oct 09 11:59:59 2026] [cgi:warn] ") || s[4] != ' ' {
		return s, false
	}
	date, rest, _ := bracketed(s)
	module, rest, ok := bracketed(rest)
	name, level, _ := strings.Cut(module, ":")
	priority := slices.Index(apacheLevels[:], level)
	if !ok || priority == -1 {
		return s, false
	}
	var before string // what the module says first
	switch name {
	case "cgi", "cgid":
		before = "AH01215: "
	case "fcgid":
		before = "mod_fcgid: stderr: "
	case "wsgi", "perl", "python":
	default:
		return s, false
	}
	st, n := scanTime(date, time.Time{}) // it has its year
	if n == 0 || n != len(date) {
		return s, false
	}
	f.when(st)
	f.logger, f.priority = name, priority
	for strings.HasPrefix(rest, "[pid ") || strings.HasPrefix(rest, "[client ") || strings.HasPrefix(rest, "[remote ") {
		inner, after, closed := strings.Cut(rest[1:], "]")
		if !closed {
			break
		}
		rest = strings.TrimPrefix(after, " ") // more blanks are of the line
		if of, found := strings.CutPrefix(inner, "pid "); found {
			f.process = of
			f.pid, _, _ = strings.Cut(of, ":")
			continue
		}
		_, f.client, _ = strings.Cut(inner, " ")
	}
	if i := strings.LastIndex(rest, ", referer: "); i >= 0 && !strings.Contains(rest[i+len(", referer: "):], " ") {
		rest = rest[:i]
	}
	rest = strings.TrimPrefix(rest, before)
	if of, found := strings.CutPrefix(rest, "stderr from "); found && before != "" {
		if _, text, said := strings.Cut(of, ": "); said {
			rest = text
		}
	}
	return rest, true
}

// apacheLevels are Apache's, as syslog counts them.
var apacheLevels = [...]string{"emerg", "alert", "crit", "error", "warn", "notice", "info", "debug"}

// withoutPort returns the host of an address that Apache writes.
func withoutPort(address string) string {
	if host, _, port := strings.Cut(address, ":"); port && strings.Count(address, ":") == 1 {
		return host
	}
	return address
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

// onto adds what the frames say to the record of what lies within. The line's own time and level come first.
func (f *frame) onto(r *record) {
	if r.stamp.time.IsZero() || r.whole && !f.stamp.time.IsZero() {
		r.stamp = f.stamp
	}
	if r.level == "" && f.priority >= 0 {
		r.level, r.severity = syslogLevel(f.priority)
	}
	if r.logger == "" {
		r.logger = f.logger
	}
	r.stream = f.output
	r.text("client.address", withoutPort(f.client))
	r.text("host.name", f.host)
	r.program(f.program, f.pid)
	r.text("syslog.msg_id", f.id)
	r.text("syslog.structured_data", f.data)
}

// bar takes off the name of a process with a bar behind it, as docker compose ("api-1  | text") and foreman and its kind
// ("10:31:02 web.1 | text") write them. The process is a service of its own, without its number. Other lines are of the
// program itself.
func (f *frame) bar(text string) string {
	before, rest, ok := strings.Cut(text, "|")
	if !ok || len(before) > 4*maxName {
		return text
	}
	// Only colours stand around a name. What moves the cursor comes from a process that writes over its own name.
	before = colours.ReplaceAllString(before, "")
	if len(before) > maxName || strings.ContainsFunc(before, unicode.IsControl) {
		return text
	}
	fields := strings.Fields(before)
	if len(fields) == 2 {
		if _, _, _, _, end, clock := clockOf(fields[0], 0); clock && end == len(fields[0]) {
			fields = fields[1:]
		}
	}
	if len(fields) != 1 || !strings.HasSuffix(before, " ") {
		return text
	}
	name, _, task := strings.Cut(fields[0], "@") // of Swarm: shop_api.1.k3x@node
	if task {
		name = name[:max(strings.LastIndexByte(name, '.'), 0)]
	}
	if !isProcess(name) {
		return text
	}
	f.process, f.service = name, name
	if i := strings.LastIndexAny(name, "-_."); i > 0 && i+1 < len(name) && strings.Trim(name[i+1:], "0123456789") == "" {
		f.service = name[:i]
	}
	return strings.TrimPrefix(rest, " ")
}

// isProcess reports whether a word may be the name of a process.
func isProcess(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && c != '-' && c != '.' && !isLetter(c) && !isDigit(c) {
			return false
		}
	}
	return s != ""
}
