package lines

import (
	"strconv"
	"strings"
	"time"
)

// headed reads lines that begin with a time, a level, a logger, in one of the orders that loggers write them.
func (r *record) headed(s string, near time.Time) bool {
	if r.klog(s, near) || r.logcat(s, near) || r.logcatBrief(s) || r.chromium(s, near) || r.ruby(s, near) || r.nest(s, near) || r.python(s) || r.dotnetHead(s) || r.rails(s) {
		return true
	}
	rest := s
	if at := strings.IndexByte(s, ' '); at == 6 || at == 7 { // 1:55PM, as zerolog writes it: the line's arrival is finer
		if half := s[at-2 : at]; (half == "AM" || half == "PM") && s[at-5] == ':' {
			return r.afterTime(s[at+1:], near)
		}
	}
	if len(s) > len("Thu, 26 Nov 2026 12:48:12 GMT ") && s[3] == ',' && s[4] == ' ' {
		if at, err := time.Parse(http1123, s[:len(http1123)]); err == nil { // debug
			r.stamp = stamp{time: at, whole: true, zoned: true}
			return r.afterDate(s[len(http1123):])
		}
	}
	if len(s) > 12 && isDigit(s[0]) && s[10] == ':' && s[11] == ' ' { // mosquitto
		at, text := s[:10], s[12:]
		if sec, err := strconv.ParseInt(at, 10, 64); err == nil {
			if st := (stamp{time: time.Unix(sec, 0), whole: true, zoned: true}); !st.far(near) {
				r.stamp = st
				return r.afterTime(text, near)
			}
		}
	}
	bracket := rest[0] == '['
	if bracket {
		rest = rest[1:]
	}
	st, n := scanTime(rest, near)
	if n > 0 {
		r.stamp, r.meridiem = st, rest[n-1] == 'M'
		rest = rest[n:]
		if bracket && !strings.HasPrefix(rest, "]") {
			r.stamp = stamp{}
			return false
		}
		rest = strings.TrimLeft(strings.TrimPrefix(rest, "]"), " :\t")
		rest = strings.TrimPrefix(rest, "- ")
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, "|"), " ")
		return r.afterTime(rest, near)
	}
	return r.levelFirst(s, near)
}

// http1123 is how HTTP and JavaScript's toUTCString write a time.
const http1123 = "Mon, 02 Jan 2006 15:04:05 GMT"

// afterTime reads what follows a time. A time alone makes a line ours.
func (r *record) afterTime(s string, near time.Time) bool {
	s = strings.TrimPrefix(s, "\u203a ")
	r.message = s
	if s != "" && (s[0] == ',' || s[0] == ';') && r.cells(s[1:], s[0]) {
		return true
	}
	if s == "" || s[0] == '<' && r.angle(s) || r.barred(s) {
		return true
	}
	if len(s) > 4 && s[1:4] == " | " { // etcd
		letter := strings.ReplaceAll(strings.ReplaceAll(s[:1], "N", "I"), "C", "F")
		if level, severity, ok := levelOfLetter(letter[0]); ok {
			r.level, r.severity, r.message = level, severity, s[4:]
			return true
		}
	}
	if level, text, ok := strings.Cut(s, " "); ok && strings.HasPrefix(strings.TrimLeft(text, " "), ": ") && !isOrdinary(level) && r.setLevel(level) { // monit
		r.message = strings.TrimLeft(text, " :")
		return true
	}
	if place, _, ok := strings.Cut(s, " "); ok && strings.Contains(place, ".go:") && r.caller() { // main.go:16: WARN slow
		said := r.message
		if r.words(said, near) || r.levelFirst(said, near) {
			return true
		}
		r.message = said
		return true
	}
	if thread, rest, ok := bracketed(s); ok { // [main] INFO com.shop.Api - started
		switch word, after := firstWord(rest); {
		case r.setLevel(strings.TrimSpace(thread)): // [error] 31#31: *1 open() failed
			r.message = strings.TrimLeft(rest, " :-")
			r.trailing(near)
			r.loggerBehind()
			r.loggerAhead()
			r.owner()
			if pid, text, ok := strings.Cut(r.message, ": "); ok && strings.Contains(pid, "#") {
				r.message = text
				if pid, _, _ = strings.Cut(pid, "#"); pid != "" {
					r.program("", pid)
				}
			}
			return true
		case r.setLevel(strings.Trim(word, "[]:")):
			if r.loggerThen(after); r.logger == "" && strings.Contains(thread, ".") && isName(thread) { // [scrapy.core] INFO: text
				r.logger = thread
			} else {
				r.thread(thread)
			}
			return true
		case strings.Contains(thread, ":"): // [core:error] [pid 35708:tid 4328636416] message
			if module, level, _ := strings.Cut(thread, ":"); r.setLevel(level) {
				r.logger = module
				for inner, more, ok := bracketed(rest); ok; inner, more, ok = bracketed(rest) {
					if pid, found := strings.CutPrefix(inner, "pid "); found {
						pid, _, _ = strings.Cut(pid, ":")
						r.program("", pid)
					} else if address, found := strings.CutPrefix(inner, "client "); found {
						r.text("client.address", withoutPort(address))
					}
					rest = more
				}
				r.message = rest
				return true
			}
		}
		if class, ok := strings.CutSuffix(rest, "()"); ok && isName(class) && strings.Contains(class, ".") { // tinylog
			r.logger, r.form = class[:strings.LastIndexByte(class, '.')], jul
			r.text("code.function.name", class[len(r.logger)+1:])
			r.thread(thread)
			return true
		}
		r.words(s, near)
		return true
	}
	if r.rds(s) || r.julHead(s) || r.bars(s) {
		return true
	}
	word, rest := firstWord(s)
	if rest != "" && !isOrdinary(word) && r.setLevel(strings.TrimRight(word, ":|")) {
		if inner, behind, ok := bracketed(rest); ok && strings.Contains(inner, ",") { // Sleuth: [shop,trace,span] 12 --- [main]
			app, ids, _ := strings.Cut(inner, ",")
			if number, _, _ := strings.Cut(behind, " --- ["); isNumber(number) && r.correlation(strings.TrimSuffix(strings.TrimSuffix(ids, ",true"), ",false")) {
				r.text("service.name", app)
				rest = behind
			}
		}
		pid, after := firstWord(rest)
		if strings.HasPrefix(rest, "--- [") { // LocalStack has no process
			pid, after = "", rest
		}
		if strings.HasPrefix(after, "--- [") { // Spring Boot
			thread, after, ok := bracketed(after[len("--- "):])
			if ok {
				r.program("", pid)
				if app, more, found := bracketed(after); found { // [shop] [main] com.shop.Api
					r.text("service.name", strings.TrimSpace(thread))
					thread, after = app, more
				}
				r.text("thread.name", strings.TrimSpace(thread))
				if inner, more, found := bracketed(after); found && r.correlation(inner) { // [trace-span], [-]
					after = more
				}
				name, message, found := strings.Cut(after, " : ")
				if found {
					r.logger, r.message = strings.TrimSpace(name), message
					r.baggage()
					return true
				}
			}
		}
		if thread, after, ok := bracketed(rest); ok && strings.Contains(thread, ".") && isName(thread) && strings.HasPrefix(after, "(") {
			r.logger, r.message = thread, after // ERROR [com.shop.Api] (worker-1) text, as Quarkus writes it
			if inner, text, ok := strings.Cut(after[1:], ") "); ok && len(inner) < 60 {
				r.text("thread.name", inner)
				r.message = text
			}
			return true
		}
		if thread, after, ok := bracketed(rest); ok && !strings.Contains(thread, "=") {
			if strings.ContainsAny(after, "-:") { // INFO [main] com.shop.Api - started
				r.thread(thread)
				r.loggerThen(after)
				return true
			}
		}
		r.message = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(rest, "- "), "| "), "> ")
		r.category()
		if name, message, ok := strings.Cut(r.message, " - "); ok && (isName(name) || r.place(name)) {
			if r.logger == "" {
				r.logger = name
			}
			r.message = message
		} else if name, message, ok := strings.Cut(r.message, " : "); ok && isName(name) {
			r.logger, r.message = name, message
		} else {
			r.module()
			r.caller()
			r.owner()
			r.placeColumn() // before the logger's: of a message of one word it is all that stands behind
			r.loggerColumn()
			r.trailing(near)
		}
		return true
	}
	if !r.nameThenLevel(word, s) && !r.python(s) {
		if level, message, ok := strings.Cut(s, ":"); ok && isLoud(level) && r.setLevel(level) { // …:ERROR:could not pay
			r.message = message
			return true
		}
		if !r.words(s, near) {
			r.caller()
		}
	}
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

// isLoud reports whether a level's word is in capitals, and no word of a sentence even so.
func isLoud(word string) bool {
	return word != "" && word == strings.ToUpper(word) && !isOrdinary(strings.ToLower(word))
}

// isOrdinary reports whether a level's word, without a colon and in small letters, is more likely a word of a sentence.
func isOrdinary(word string) bool {
	switch word {
	case "fine", "finer", "finest", "config", "default", "log", "http", "exception", "fail", "alert", "verbose", "silly", "audit", "verb":
		return true
	}
	return false
}

// levelFirst reads lines that begin with a level: "INFO:  started", "[error] text", "ERROR in app: text".
func (r *record) levelFirst(s string, near time.Time) bool {
	if inner, rest, ok := bracketed(s); ok {
		if len(inner) == 1 && inner[0] < 'Z' && rest != "" { // [W] text, as colog writes it
			if level, severity, ok := levelOfLetter(inner[0]); ok {
				r.level, r.severity, r.message = level, severity, rest
				return true
			}
		}
		if r.setLevel(strings.TrimSpace(inner)) {
			rest = strings.TrimLeft(rest, " \t")
			if st, n := scanTime(rest, near); n > 0 && n < len(rest) { // [ERROR] 2026-10-09T12:00:00.123Z text
				r.stamp, rest = st, rest[n:]
			}
			r.message = strings.TrimLeft(rest, " \t:-")
			if id, text, ok := strings.Cut(r.message, "\t"); ok && isUUID(id) { // of a call of AWS Lambda
				r.request, r.message = id, text
			}
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
	if end < len(s) && s[end] == '[' { // DBUG[11-26|12:43:00] text
		if inner, rest, ok := bracketed(s[end:]); ok && r.tagged(word, inner, near) && r.level != "" {
			r.message = rest
			r.trailing(near)
			return true
		}
	}
	if rest, ok := strings.CutPrefix(s, "ERR! "); ok && r.setLevel("ERR") { // npmlog
		r.message = rest
		return true
	}
	if rest := marked(word, s[end:]); rest != "" && !isOrdinary(word) && r.setLevel(word) {
		r.message = rest
		r.trailing(near)
		return true
	}
	if name, said, ok := strings.Cut(s, " "); ok && r.qualified(name) { // prisma:error text
		r.message = said
		return true
	}
	// An ordinary sentence may begin with such a word: it is a level in capitals, or before a colon.
	colon := end < len(s) && s[end] == ':' && !strings.HasPrefix(s[end:], "://")
	capitals := strings.ToUpper(word) == word && end < len(s) && (s[end] == ' ' || s[end] == '\t')
	if !colon && !capitals || word == "LOG" || word == "FAIL" || capitals && word == "SUCCESS" || colon && strings.EqualFold(word, "success") || !r.setLevel(word) || word == "Error" || word == "HTTP" && !isColumn(s[end:]) || word == "panic" {
		r.level, r.severity = "", 0
		return false
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(s[end:], ": \t"), "| "), "-  ") // MkDocs has a bar of its own
	if after, ok := strings.CutPrefix(rest, "- "); ok && beginsWithTime(after, near) {             // CodeIgniter
		rest = after
	}
	if thread, after, ok := bracketed(rest); ok && capitals && beginsWithTime(after, near) { // INFO [main] 2026-… text
		r.thread(thread)
		rest = after
	}
	if inner, after, ok := bracketed(rest); ok && capitals && isName(inner) && strings.Contains(inner, ".") { // INFO  [alembic.runtime] text
		r.logger, rest = inner, after
	}
	if inner, after, ok := strings.Cut(rest, "] "); capitals && ok && strings.HasPrefix(inner, "[") { // INFO [2026-…] text
		if st, n := scanTime(inner[1:], near); n > 0 {
			r.stamp, rest = st, after
		}
	} else if st, n := scanTime(rest, near); n > 0 && n < len(rest) {
		r.stamp = st
		rest = strings.TrimLeft(rest[n:], " -:|>")
	}
	r.message = rest
	if name, text, ok := strings.Cut(rest, ": "); ok && !r.time.IsZero() && strings.Contains(name, ".") && isName(name) && !isPlace(name) { // Dropwizard
		r.logger, r.message = name, text
	}
	r.module()
	r.placed()
	r.placeColumn()
	r.trailing(near)
	return true
}

// marked returns what stands behind a level in small letters, where something tells it from the word of a sentence: a mark
// ("error - text", "info => text"), or for yarn a beginning of one ("error Command failed").
func marked(word, after string) string {
	if word == "" || word != strings.ToLower(word) {
		return ""
	}
	rest := strings.TrimLeft(after, " ")
	for _, mark := range [...]string{"- ", "=> ", "--- ", "\u00bb ", "\u203a "} {
		if text, ok := strings.CutPrefix(rest, mark); ok {
			return strings.TrimLeft(text, " ")
		}
	}
	if text, ok := strings.CutPrefix(after, " "); ok && text != "" && (word == "error" || word == "warning") {
		if first, _ := firstWord(text); text[0] >= 'A' && text[0] <= 'Z' || text[0] == '"' || strings.HasSuffix(first, ":") && strings.Contains(first, ".") {
			return text
		}
	}
	return ""
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
