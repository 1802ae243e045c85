package lines

import (
	"strings"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/stacktrace"
)

// levels are the words for levels that loggers write, in lower case, with the word and the number that we give them.
var levels = map[string]struct {
	word     string
	severity int
}{
	"trace": {"trace", 1}, "trc": {"trace", 1}, "trce": {"trace", 1}, "verbose": {"trace", 1}, "finest": {"trace", 1},
	"finer": {"trace", 2}, "silly": {"trace", 1},
	"debug": {"debug", 5}, "dbug": {"debug", 5}, "dbg": {"debug", 5}, "debu": {"debug", 5}, "fine": {"debug", 5},
	"info": {"info", 9}, "inf": {"info", 9}, "information": {"info", 9}, "informational": {"info", 9},
	"notice": {"info", 10}, "log": {"info", 9}, "http": {"info", 9}, "config": {"info", 9}, "default": {"info", 9},
	"warn": {"warn", 13}, "warning": {"warn", 13}, "wrn": {"warn", 13},
	"error": {"error", 17}, "err": {"error", 17}, "eror": {"error", 17}, "erro": {"error", 17}, "fail": {"error", 17},
	"severe": {"error", 17}, "exception": {"error", 17},
	"fatal": {"fatal", 21}, "ftl": {"fatal", 21}, "fata": {"fatal", 21}, "critical": {"fatal", 21},
	"crit": {"fatal", 21}, "panic": {"fatal", 21}, "pnc": {"fatal", 21}, "dpanic": {"fatal", 21},
	"alert": {"fatal", 22}, "emerg": {"fatal", 23}, "emergency": {"fatal", 23},
}

// levelOf returns the level that a word of any case stands for.
func levelOf(word string) (level string, severity int, ok bool) {
	if len(word) < 3 || len(word) > 13 {
		return "", 0, false
	}
	var lower [13]byte
	for i := range len(word) {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	l, ok := levels[string(lower[:len(word)])]
	return l.word, l.severity, ok
}

// levelOfNumber returns the level of a number: pino's and bunyan's 10 to 60, OpenTelemetry's 1 to 24 where the key
// says that it is one, syslog's 0 to 7.
func levelOfNumber(n int, otel bool) (level string, severity int, ok bool) {
	switch {
	case otel && n >= 1 && n <= 24:
		return [...]string{"trace", "debug", "info", "warn", "error", "fatal"}[(n-1)/4], n, true
	case otel:
		return "", 0, false
	case n >= 10 && n <= 69:
		return [...]string{"trace", "debug", "info", "warn", "error", "fatal"}[n/10-1], (n/10-1)*4 + 1, true
	case n >= 0 && n <= 7:
		level, severity = syslogLevel(n)
		return level, severity, true
	}
	return "", 0, false
}

func syslogLevel(n int) (string, int) {
	l := levels[[...]string{"emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"}[n&7]]
	return l.word, l.severity
}

// levelOfLetter returns the level of the letter that klog, Ruby's and Android's loggers begin a line with.
func levelOfLetter(c byte) (level string, severity int, ok bool) {
	switch c {
	case 'T', 'V':
		return "trace", 1, true
	case 'D':
		return "debug", 5, true
	case 'I':
		return "info", 9, true
	case 'W':
		return "warn", event.SeverityWarn, true
	case 'E':
		return "error", event.SeverityError, true
	case 'F':
		return "fatal", 21, true
	}
	return "", 0, false
}

// levelOfStatus returns the level of an answer with this HTTP status.
func levelOfStatus(status int) (string, int) {
	switch {
	case status >= 500:
		return "error", event.SeverityError
	case status >= 400:
		return "warn", event.SeverityWarn
	}
	return "info", 9
}

// levelOfText returns the level of a line that names none: what begins like an error is one.
func levelOfText(s string) (string, int) {
	word := s
	if i := strings.IndexAny(s, " :"); i > 0 {
		word = s[:i]
	}
	switch {
	case word == "panic" && strings.HasPrefix(s, "panic: "), strings.HasPrefix(s, "fatal error: "):
		return "fatal", 21
	case strings.HasPrefix(s, "Traceback (most recent call last)"), strings.HasPrefix(s, "Exception in thread "),
		strings.HasPrefix(s, "Unhandled exception"), strings.HasPrefix(s, "Uncaught "),
		len(s) > len(word) && s[len(word)] == ':' && stacktrace.IsType(word):
		return "error", event.SeverityError
	}
	return "info", 9
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
