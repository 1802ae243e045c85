package lines

import (
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// maxWords bounds how many words of a head stand before its level.
const maxWords = 7

// words reads a head by its words, whatever separates them: the first that is a level and stands in brackets, in capitals
// or before a colon is it. What stands before are a time, numbers, names. It reports whether there is a level.
func (r *record) words(s string, near time.Time) bool {
	var name, thread string
	counted := false // the place of a source stood before
	behind := ""     // the number that stood first
	pairs := ""
	rest := s
	for range maxWords {
		rest = strings.TrimLeft(rest, " \t|")
		if n := pairsEnd(rest, nil); n > 0 && pairs == "" { // request_id=F1 [error] text
			pairs, rest = rest[:n], rest[n:]
			continue
		}
		if rest == "" {
			return false
		}
		if inner, after, ok := bracketed(rest); ok {
			switch {
			case r.setLevel(strings.TrimSpace(inner)), r.ofDatabase(inner), r.qualified(inner), !r.time.IsZero() && r.letter(inner):
			case r.group(inner, near):
			case len(inner) > 60 && !r.correlation(inner):
				return false
			default:
				st, n := scanTime(inner, near)
				if n == 0 {
					st, n = epochAt(inner, near)
				}
				switch {
				case n > 0 && r.time.IsZero(): // [1795694400], [2026-11-26 21:00:00 #4711]
					r.stamp = st
				case !r.correlation(inner):
					thread = strings.TrimSpace(inner)
				}
				rest = strings.TrimLeft(strings.TrimPrefix(after, ":"), " ")
				continue
			}
			rest = after
			break
		}
		if place, after, ok := strings.Cut(rest, "} "); ok && strings.HasPrefix(place, "{") && isPlace(place[1:]) { // as Airflow writes it
			r.text("code.file.path", place[1:strings.LastIndexByte(place, ':')])
			rest = after
			continue
		}
		if r.time.IsZero() {
			if st, n := scanTime(rest, near); n > 0 {
				if r.stamp, rest = st, rest[n:]; r.barred(rest) {
					r.message = s
					return true
				}
				continue
			}
		}
		if symbol, after, ok := strings.Cut(rest, " "); ok && isSymbol(symbol) { // ✖ error  text
			level, severity := levelOfSymbol(symbol)
			rest = strings.TrimLeft(after, " ")
			if word, after, _ := strings.Cut(rest, " "); isColumn(" "+after) && r.setLevel(word) {
				rest = after
				break
			}
			if counted && level != "" { // 1:12  ✖  text
				r.level, r.severity = level, severity
				break
			}
			continue
		}
		if behind != "" && r.time.IsZero() && r.python(rest) {
			return true
		}
		end := strings.IndexAny(rest, " \t|")
		if end == -1 {
			return false
		}
		word, after := rest[:end], rest[end:]
		if isDigit(word[0]) && r.time.IsZero() {
			if st, n := epochAt(word, near); n == len(word) && n > 0 {
				r.stamp, rest = st, after
				continue
			}
		}
		if isElapsed(word) || !r.time.IsZero() && (isOwner(word) || word[0] == '{' && word[len(word)-1] == '}') { // +12ms; user@shop; {query}
			rest = after
			continue
		}
		if inner, ok := strings.CutSuffix(word, ">"); ok && word[0] == '<' && r.setLevel(inner[1:]) { // <Error>
			rest = after
			break
		}
		if !r.time.IsZero() && len(word) == 1 && isOrigin(strings.TrimLeft(after, " \t")) && r.letter(word) { // E [4711:main] Shop -- text
			rest = strings.TrimLeft(after, " \t")
			break
		}
		bare := strings.TrimRight(word, ":,")
		if behind != "" && r.time.IsZero() { // how long the program runs, as Python's logging counts it
			if bare == "MainThread" || strings.HasPrefix(bare, "Thread-") {
				thread, rest = bare, after
				continue
			}
			level, said := firstWord(strings.TrimLeft(after, " "))
			sure := strings.ContainsAny(bare, "._") || len(behind) > len("500") || isColumn(after)
			if sure && said != "" && isName(bare) && isLoud(level) && r.setLevel(level) {
				r.logger, r.message = bare, said
				r.thread(thread)
				return true
			}
		}
		if r.loud(bare, &name) || word == "LOG:" && !r.time.IsZero() && r.setLevel(bare) { // PostgreSQL's
			rest = after
			break
		}
		if before, inner, ok := strings.Cut(word, "["); ok && r.tagged(before, inner, near) {
			if rest = after; r.level != "" {
				break
			}
			if level, text, ok := strings.Cut(strings.TrimLeft(rest, " "), ": "); ok && r.setLevel(strings.TrimSuffix(level, " error")) { // unbound[1:0] notice: text
				rest = text
				break
			}
			continue
		}
		if host := strings.TrimLeft(after, " "); !r.time.IsZero() && isName(bare) && tagEnd(host) > 0 { // box shop[4711] ERROR text
			r.text("host.name", bare)
			rest = host
			continue
		}
		if strings.HasPrefix(after, "\t") && !r.time.IsZero() && r.setLevel(bare) { // a column of its own, as zap writes it
			rest = after
			break
		}
		if isUUID(bare) { // of a call of AWS Lambda
			r.request, rest = bare, after
			continue
		}
		if strings.HasSuffix(word, ":") && isColumn(after) && len(word) > 1 { // api#dev:  ERROR  text
			if level, text, _ := strings.Cut(strings.TrimLeft(after, " "), " "); isLoud(level) && r.setLevel(level) {
				name, rest = bare, text
				break
			}
		}
		if isName(bare) && isColumn(after) { // startup             info	text
			if level, text, ok := strings.Cut(strings.TrimLeft(after, " "), "\t"); ok && r.setLevel(level) {
				name, rest = bare, text
				break
			}
		}
		if at, found := strings.CutPrefix(after, " @"); found && thread != "" && r.setLevel(bare) { // warning @2026-11-26 13:03:06> text
			if st, n := scanTime(at, near); n > 0 {
				r.stamp, rest = st, strings.TrimPrefix(at[n:], ">")
				break
			}
		}
		if counted && isColumn(after) && r.setLevel(bare) { // 2:1  error    'pay' is not defined
			rest = after
			break
		}
		number := bare != "" && strings.Trim(bare, "0123456789#.") == ""
		if line, column, ok := strings.Cut(word, ":"); ok && line != "" && column != "" && strings.Trim(line+column, "0123456789") == "" && isColumn(after) {
			counted, number = true, true
		}
		separated := strings.HasPrefix(strings.TrimLeft(after, " \t"), "|") || strings.HasPrefix(strings.TrimLeft(after, " "), "- ")
		switch {
		case number && len(bare) == len("1795696984442406965") && r.time.IsZero():
			if ns, err := strconv.ParseInt(bare, 10, 64); err == nil {
				r.stamp = stamp{time: time.Unix(0, ns), zoned: true}
			}
		case number:
			if rest == strings.TrimLeft(s, " \t") {
				behind = bare
			}
		case word == "-":
		case isName(bare) && (separated || !r.time.IsZero() && isColumn(after) || r.time.IsZero() && beginsWithTime(after, near)):
			name = bare
		default:
			return false
		}
		rest = after
	}
	if r.level == "" {
		return false
	}
	r.message = strings.TrimPrefix(strings.TrimLeft(rest, " \t:-|"), "> ")
	r.placed()
	for inner, after, ok := bracketed(r.message); ok; inner, after, ok = bracketed(r.message) { // [MY-010119] [Server]
		if !isName(inner) {
			break
		}
		name, r.message = inner, after
	}
	r.columns()
	r.owner()
	if name != "" && r.logger == "" {
		r.logger = name
	}
	if strings.Contains(thread, ".") && isName(thread) && r.logger == "" { // [com.shop.Api] (worker-1) text
		r.logger, thread = thread, ""
	}
	if after, ok := strings.CutPrefix(r.message, "("); ok && thread == "" {
		if inner, text, ok := strings.Cut(after, ") "); ok && !strings.Contains(inner, " ") {
			thread, r.message = inner, text
		}
	}
	r.thread(thread)
	if pairs != "" {
		eachPair(pairs, func(key, value string) { r.pair(key, value, near) })
	}
	r.trailing(near)
	return true
}

// letter takes a level that is a single capital.
func (r *record) letter(s string) bool {
	if len(s) != 1 {
		return false
	}
	if s == "N" { // notice
		return r.setLevel("notice")
	}
	level, severity, ok := levelOfLetter(s[0])
	if ok {
		r.level, r.severity = level, severity
	}
	return ok
}

// isElapsed reports whether a word is how long ago something began: +12ms, 0.123s.
func isElapsed(s string) bool {
	if s[len(s)-1] != 's' || s[0] != '+' && !isDigit(s[0]) { // most words are none
		return false
	}
	_, err := time.ParseDuration(s)
	return err == nil
}

// isOwner reports whether a word names a user and what he is in: shop@orders, as Debian's PostgreSQL writes it.
func isOwner(s string) bool {
	user, of, ok := strings.Cut(s, "@")
	return ok && isProcess(user) && isProcess(of)
}

// isOrigin reports whether a text begins with a word in brackets, a path, or a name of several parts: where a record is from.
func isOrigin(s string) bool {
	word, rest, ok := strings.Cut(s, " ")
	return ok && rest != "" && (word[0] == '[' || strings.ContainsAny(word, "/") || strings.Contains(word, "::") || isPlace(strings.TrimRight(word, ":]")))
}

// loud takes a word in capitals that is a level, also behind a logger's name ("local.ERROR") and before a process's
// ("ERROR/MainProcess").
func (r *record) loud(word string, name *string) bool {
	before, behind, _ := strings.Cut(word, "/")
	if level, logger, ok := strings.Cut(behind, "/"); ok && isLoud(level) && isName(logger) && r.setLevel(level) { // box/INFO/locust.main
		r.text("host.name", before)
		*name = logger
		return true
	}
	i := strings.LastIndexByte(before, '.')
	if logger := before[:max(i, 0)]; isName(logger) && isLoud(before[i+1:]) && r.setLevel(before[i+1:]) {
		*name = logger
		return true
	}
	return isLoud(before) && r.setLevel(before)
}

// qualified takes a level behind a name: [shop.api#error], [wrangler:err].
func (r *record) qualified(inner string) bool {
	i := strings.LastIndexAny(inner, "#:")
	name := inner[:max(i, 0)]
	if !isName(name) || isOrdinary(inner[i+1:]) || !r.setLevel(inner[i+1:]) {
		return false
	}
	r.logger = name
	return true
}

// ofDatabase takes the words in brackets that only MySQL has for a level.
func (r *record) ofDatabase(inner string) bool {
	if inner != "Note" && inner != "System" {
		return false
	}
	return r.setLevel("info")
}

// tagged reads a word with brackets behind it: ERRO[0001] and DBUG[11-26|12:43:00], which say how long ago the program began
// or when it was, and shop[4711], the process.
func (r *record) tagged(word, inner string, near time.Time) bool {
	inner, colon := strings.CutSuffix(inner, "]:")
	inner = strings.TrimSuffix(inner, "]")
	number, _, _ := strings.Cut(inner, ":")
	st, n := scanTime(strings.Replace(inner, "|", " ", 1), near)
	switch {
	case isLoud(word) && strings.Trim(inner, "0123456789s") == "" && r.setLevel(word):
	case isLoud(word) && n == len(inner) && r.setLevel(word):
		r.stamp = st
	case (!r.time.IsZero() || colon) && word != "make" && isName(word) && isNumber(number):
		r.program(word, number)
	default:
		return false
	}
	return true
}

// tagEnd returns where "shop[4711] " ends at the beginning of s, else 0.
func tagEnd(s string) int {
	word, _, ok := strings.Cut(s, "] ")
	name, pid, both := strings.Cut(word, "[")
	if !ok || !both || !isName(name) || !isNumber(pid) {
		return 0
	}
	return len(word) + 2
}

// beginsWithTime reports whether a time stands behind spaces.
func beginsWithTime(s string, near time.Time) bool {
	if s = strings.TrimLeft(s, " |"); s == "" || !isDigit(s[0]) {
		return false
	}
	_, n := scanTime(s, near)
	return n > 0
}

// isSymbol reports whether a word has neither letters nor digits nor marks of ASCII.
func isSymbol(word string) bool {
	for i := range len(word) {
		if word[i] < 0x80 {
			return false
		}
	}
	return word != ""
}

// levelOfSymbol returns what a symbol stands for where tools list mistakes.
func levelOfSymbol(s string) (string, int) {
	switch s {
	case "\u2716", "\u2718", "\u2a2f", "\u00d7":
		return "error", event.SeverityError
	case "\u26a0":
		return "warn", event.SeverityWarn
	}
	return "", 0
}

// group reads brackets with several words of a head: [21:00:00 ERR], [2026-11-25 21:00:00,123: ERROR/ForkPoolWorker-1],
// [E 261125 21:00:00 web:1875]. It reports whether one is a level.
func (r *record) group(inner string, near time.Time) bool {
	if letter, after, _ := strings.Cut(inner, " "); len(letter) == 1 { // Tornado
		st, n := shortDate(after)
		if n == 0 {
			st, n = scanTime(after, near)
		}
		if n > 0 && r.letter(letter) {
			r.stamp = st
			if where := strings.TrimSpace(after[n:]); isName(where) {
				r.logger = where
			} else {
				file, line, _ := strings.Cut(where, ":")
				r.text("code.file.path", file)
				if n, err := strconv.Atoi(line); err == nil {
					r.attr("code.line.number", strconv.Itoa(n))
				}
			}
			return true
		}
	}
	found, n := scanTime(inner, near)
	if n == 0 {
		level, rest, _ := strings.Cut(strings.TrimLeft(inner, " "), " ") // Passenger has the level first
		if found, n = scanTime(rest, near); n > 0 && r.letter(level) {
			r.stamp = found
			return true
		}
		return false
	}
	if r.letter(strings.TrimSpace(inner[n:])) {
		r.stamp = found
		return true
	}
	for word := range strings.FieldsFuncSeq(inner[n:], func(c rune) bool { return c == ' ' || c == ':' || c == ',' }) {
		var name string
		if r.loud(word, &name) {
			_, target, _ := strings.Cut(inner[n:], word)
			if target = strings.TrimSpace(target); isName(strings.ReplaceAll(target, "::", ".")) { // of Rust
				r.logger = target
			}
			r.stamp = found
			return true
		}
	}
	return false
}

// shortDate reads "261125 21:00:00" at the beginning of s.
func shortDate(s string) (stamp, int) {
	date, clock, _ := strings.Cut(s[:min(len(s), 30)], " ")
	if len(date) != len("261125") {
		return stamp{}, 0
	}
	st, n := scanTime("20"+date[:2]+"-"+date[2:4]+"-"+date[4:]+" "+clock, time.Time{})
	return st, max(n-len("20--"), 0)
}

// isColumn reports whether a word was filled up to a column: more than one space stands behind it, or a tab.
func isColumn(after string) bool {
	return strings.HasPrefix(after, "  ") || strings.HasPrefix(after, "\t")
}

// redis reads Redis' lines: 1:M 25 Nov 2026 21:00:00.123 # Can't save in background.
func (r *record) redis(s string, near time.Time) bool {
	pid, rest, _ := strings.Cut(s, ":")
	if !isNumber(pid) {
		return false
	}
	role, rest, _ := strings.Cut(rest, " ")
	if len(role) != 1 || !strings.Contains("XCSM", role) {
		return false
	}
	st, n := scanTime(rest, near)
	mark, text, ok := strings.Cut(strings.TrimPrefix(rest[n:], " "), " ")
	if n == 0 || !ok {
		return false
	}
	switch mark {
	case ".":
		r.setLevel("debug")
	case "-":
		r.setLevel("info")
	case "*":
		r.setLevel("notice")
	case "#":
		r.setLevel("warning")
	default:
		return false
	}
	r.stamp, r.message = st, text
	r.program("", pid)
	return true
}
