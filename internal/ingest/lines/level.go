package lines

import (
	"strings"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/stacktrace"
)

// levelOf returns the level that a word of any case stands for. Digits are numbers, which keys tell the meaning of.
func levelOf(word string) (level string, severity int, ok bool) {
	if len(word) < 3 {
		return "", 0, false
	}
	return event.LevelOf(word)
}

// levelOfNumber returns the level of a number: pino's and bunyan's 10 to 60, OpenTelemetry's 1 to 24 where the key
// says that it is one, syslog's 0 to 7.
func levelOfNumber(n int, otel bool) (level string, severity int, ok bool) {
	switch {
	case otel:
		level = event.LevelOfSeverity(n)
		return level, n, level != ""
	case n >= 10 && n <= 69:
		severity = (n/10-1)*4 + 1
		return event.LevelOfSeverity(severity), severity, true
	case n >= 0 && n <= 7:
		level, severity = syslogLevel(n)
		return level, severity, true
	}
	return "", 0, false
}

// scaled takes Python's numbers of levels, and logback's, to pino's.
func scaled(n int) int {
	if n >= 5000 {
		n /= 1000
	}
	return n + 10 - n%10
}

func syslogLevel(n int) (string, int) {
	level, severity, _ := event.LevelOf(string(rune('0' + n&7))) // each is one
	return level, severity
}

// levelOfLetter returns the level of the letter that klog, Ruby's and Android's loggers begin a line with.
func levelOfLetter(c byte) (level string, severity int, ok bool) {
	switch c {
	case 'T', 'V':
		level = "trace"
	case 'D':
		level = "debug"
	case 'I':
		level = "info"
	case 'W':
		level = "warn"
	case 'E':
		level = "error"
	case 'F':
		level = "fatal"
	}
	return event.LevelOf(level)
}

// levelOfStatus returns the level of an answer with this HTTP status.
func levelOfStatus(status int) (string, int) {
	switch {
	case status >= 500:
		return "error", event.SeverityError
	case status >= 400:
		return "warn", event.SeverityWarn
	}
	return "info", event.SeverityInfo
}

// levelOfText returns the level of a line that names none: what begins like an error is one.
func levelOfText(s string) (string, int) {
	s = strings.TrimLeft(s, " ")
	word, _, _ := strings.Cut(s, " ")
	word, _, _ = strings.Cut(word, ":")
	switch {
	case word == "panic" && strings.HasPrefix(s, "panic: "), strings.HasPrefix(s, "fatal error: "), strings.HasPrefix(s, "Fatal Python error: "):
		return "fatal", event.SeverityFatal
	case isToolError(s), isMake(s), strings.Contains(s[:min(len(s), 80)], "ELIFECYCLE"), strings.HasPrefix(s, "ERR_PNPM_"), strings.HasPrefix(s, "e: /"), strings.HasPrefix(s, "e: file:"):
		return "error", event.SeverityError
	case isCrash(s):
		return "fatal", event.SeverityFatal
	case strings.HasPrefix(s, "Error response from daemon: "), strings.HasPrefix(s, "dependency failed to start: "), strings.Contains(s[:min(len(s), 60)], " Task timed out after "):
		return "error", event.SeverityError
	case strings.HasPrefix(s, "w: /"), strings.HasPrefix(s, "w: file:"): // Kotlin
		return "warn", event.SeverityWarn
	case strings.HasPrefix(s, "npm ERR!"), strings.HasPrefix(s, "npm error"), strings.HasPrefix(s, "error["), strings.HasPrefix(s, "\u2718 [ERROR]"), strings.HasPrefix(s, "\u2a2f "), strings.HasPrefix(s, "[!] "), strings.HasPrefix(s, "error during build"), strings.HasPrefix(s, "not ok "), strings.HasPrefix(s, "--- FAIL: "), strings.HasPrefix(s, "FAILED: "),
		strings.HasPrefix(s, "PHP Fatal error: "), strings.HasPrefix(s, "PHP Parse error: "), strings.Contains(s, "UnhandledPromiseRejectionWarning: "):
		return "error", event.SeverityError
	case strings.HasPrefix(s, "npm WARN"), strings.HasPrefix(s, "npm warn"), strings.HasPrefix(s, "PHP Warning: "), strings.HasPrefix(s, "\u26a0 "), strings.HasPrefix(s, "\u25b2 [WARNING]"),
		strings.HasPrefix(s, "OpenJDK ") && strings.Contains(s, " warning: "),
		strings.HasPrefix(s, "(node:") && strings.Contains(s, "Warning: "):
		return "warn", event.SeverityWarn
	case strings.HasPrefix(s, "E   "): // pytest
		if _, _, ok := stacktrace.Head(s[4:]); ok {
			return "error", event.SeverityError
		}
	case strings.HasPrefix(s, "*** FATAL "):
		return "fatal", 21
	case strings.HasPrefix(s, "E: "), strings.HasPrefix(s, "Error in "), strings.HasPrefix(s, "curl: ("), isComplaint(s): // apt, R
		return "error", event.SeverityError
	case strings.HasPrefix(s, "W: "), strings.HasPrefix(s, "Warning message"), strings.HasPrefix(s, "=WARNING REPORT===="):
		return "warn", event.SeverityWarn
	case strings.HasPrefix(s, "=") && strings.Contains(s, " REPORT==== ") && !strings.HasPrefix(s, "=ERROR REPORT====") && !strings.HasPrefix(s, "=CRASH REPORT===="):
		return "info", 9
	case strings.HasPrefix(s, "Rack app (") && strings.Contains(s, "): #<"), isRackDump(s):
		return "error", event.SeverityError
	default:
		if level, severity := levelBehindPlace(s); level != "" {
			return level, severity
		}
		if level, severity := levelOfPicture(s); level != "" {
			return level, severity
		}
	}
	switch {
	case strings.HasPrefix(s, "Traceback (most recent call last)"), strings.HasPrefix(s, "Exception in thread "),
		strings.HasPrefix(s, "Unhandled exception"), strings.HasPrefix(s, "Uncaught "),
		len(s) > len(word) && s[len(word)] == ':' && stacktrace.IsType(word), isDump(s):
		return "error", event.SeverityError
	}
	return "info", event.SeverityInfo
}

// marks are what compilers, runtimes and tools say behind a place or a name.
var marks = [...]struct {
	word     string
	level    string
	severity int
	named    bool // a name will do
}{
	{": error ", "error", event.SeverityError, false}, {" - error ", "error", event.SeverityError, false}, {": error: ", "error", event.SeverityError, true},
	{": syntax error", "error", event.SeverityError, true}, {": fatal error: ", "error", event.SeverityError, true},
	{": Fatal error: ", "fatal", 21, true}, {": warning ", "warn", event.SeverityWarn, false}, {": warning: ", "warn", event.SeverityWarn, true},
	{": E: ", "error", event.SeverityError, false}, {": F: ", "fatal", 21, false}, {": W: ", "warn", event.SeverityWarn, false}, // RuboCop
	{": [Warning] ", "warn", event.SeverityWarn, true}, {": [ERROR] ", "error", event.SeverityError, true},
	{": WARNING: ", "warn", event.SeverityWarn, true}, {": ERROR: ", "error", event.SeverityError, true},
}

// levelBehindPlace returns the level that stands behind a place or a name, where the line begins with one:
// src/a.ts(3,9): error TS2322: text, src/a.ts:3:9 - error TS2322: text, a.go:3:9: text, a.py:3: DeprecationWarning: text.
func levelBehindPlace(s string) (level string, severity int) {
	s = strings.TrimPrefix(s, "vet: ")
	space := strings.IndexByte(s, ' ')
	if space < 2 || space > 300 {
		return "", 0
	}
	place, colon := strings.CutSuffix(s[:space], ":")
	said := s[len(place):]
	if !colon && !strings.HasPrefix(said, " - error ") {
		return "", 0
	}
	known := isPlace(place)
	if !known && !isProcess(place) {
		return "", 0
	}
	for _, m := range marks {
		if (known || m.named) && strings.HasPrefix(said, m.word) {
			return m.level, m.severity
		}
	}
	if kind, _, ok := strings.Cut(said[min(2, len(said)):], ": "); known && ok && strings.HasSuffix(kind, "Warning") && stacktrace.IsType(kind) {
		return "warn", event.SeverityWarn
	}
	if known && colon && strings.Contains(place, ".go:") && strings.Count(place, ":") == 2 {
		return "error", event.SeverityError // Go's compiler says nothing but errors
	}
	return "", 0
}

// levelOfPicture returns the level of a picture that stands before a text and can mean nothing else.
func levelOfPicture(s string) (level string, severity int) {
	picture, rest, ok := strings.Cut(s, " ")
	if !ok || picture[0] < 0x80 || strings.TrimSpace(rest) == "" || strings.HasPrefix(rest, "Build failed") { // what failed is told beside it
		return "", 0
	}
	switch strings.TrimSuffix(picture, "\ufe0f") {
	case "\u274c", "\u26d4", "\U0001f6a8", "\U0001f4a5", "\U0001f6d1", "\U0001f534": // a red cross, no entry, a siren, a blow, a stop, a red light
		return "error", event.SeverityError
	case "\u26a0", "\U0001f7e1":
		return "warn", event.SeverityWarn
	}
	return "", 0
}

// isPicture reports whether a text begins with one of the pictures that programs put before what they say.
func isPicture(s string) bool {
	c, n := utf8.DecodeRuneInString(s)
	return (c >= 0x1f300 && c < 0x1fb00 || c >= 0x2600 && c < 0x2794 && c != '\u276f' || c == '\u2139') && n < len(s)
}

// isCrash reports whether the runtime of C and C++, a shell, a sanitizer or the virtual machine of Java says that a program
// ended by a fault of its own.
func isCrash(s string) bool {
	if s == "" || strings.IndexByte("SABt*#fmr=", s[0]) < 0 && !strings.HasSuffix(s, "' failed.") { // most lines are none
		return false
	}
	for _, begin := range [...]string{"Segmentation fault", "Aborted (core dumped)", "Bus error (core dumped)", "terminate called ", "*** stack smashing detected ***", "# A fatal error has been detected by the Java Runtime Environment"} {
		if strings.HasPrefix(s, begin) {
			return true
		}
	}
	name, rest, _ := strings.Cut(s, "(): ")
	if freed := name == "free" || name == "malloc" || name == "realloc"; freed && rest != "" {
		return true
	}
	return strings.HasPrefix(s, "==") && strings.Contains(s, "==ERROR: ") || strings.HasSuffix(s, "' failed.") && strings.Contains(s, ": Assertion `")
}

// isMake reports whether make says that a recipe failed.
func isMake(s string) bool {
	if !strings.HasPrefix(s, "make") && !strings.HasPrefix(s, "gmake") {
		return false
	}
	who, _, ok := strings.Cut(s, ": *** ")
	who, _, _ = strings.Cut(who, "[")
	return ok && (who == "make" || who == "gmake")
}

// isRackDump reports whether a line is how Rack's middleware for errors begins one: ArgumentError - no stock:
func isRackDump(s string) bool {
	if !strings.HasSuffix(s, ":") {
		return false
	}
	typ, _, ok := strings.Cut(s, " - ")
	return ok && stacktrace.IsType(strings.ReplaceAll(typ, "::", "."))
}

// isComplaint reports whether a line is how a shell or a tool says behind a name what went wrong: app.sh: line 3: text,
// cat: /a: No such file or directory.
func isComplaint(s string) bool {
	name, rest, _ := strings.Cut(s, " ")
	name, ok := strings.CutSuffix(name, ":")
	if !ok {
		return false
	}
	if after, line := strings.CutPrefix(rest, "line "); line {
		number, _, found := strings.Cut(after, ": ")
		return found && isNumber(number)
	}
	for _, end := range [...]string{": No such file or directory", ": Permission denied", ": command not found", ": not found", ": Connection refused"} {
		if strings.HasSuffix(rest, end) && isProcess(name) {
			return true
		}
	}
	return strings.HasPrefix(rest, "error during ") && isProcess(name)
}

// isPlace reports whether a text is a file with a line: a.ts(3,9), /srv/a.c:3:9.
func isPlace(s string) bool {
	if len(s) < 4 || len(s) > 300 || strings.ContainsAny(s, " \t") {
		return false
	}
	last := s[len(s)-1]
	return (last == ')' || isDigit(last)) && strings.ContainsAny(s, ":(") && strings.Contains(s, ".")
}

// isToolError reports whether a tool says behind its name what kind of error came: [vite] Internal server error: text,
// [vite] (client) Pre-transform error: text.
func isToolError(s string) bool {
	name, rest, ok := bracketed(s)
	if !ok {
		return false
	}
	if name == "request error" || strings.HasPrefix(rest, "[request error]") { // h3 and what is built on it
		return true
	}
	if part, after, found := strings.Cut(rest, ") "); found && strings.HasPrefix(part, "(") {
		rest = after
	}
	kind, _, found := strings.Cut(rest, ": ")
	switch strings.ToLower(kind) {
	case "error", "internal server error", "pre-transform error", "transform error", "build error", "parse error", "syntax error":
		return found
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
