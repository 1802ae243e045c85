package lines

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
)

// Binary reports whether bytes are no text: they hold zeros, or mostly control characters and broken UTF-8.
func Binary(s []byte) bool {
	odd := 0
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == 0:
			return true
		case c < 0x20 && c != '\t' && c != '\r' && c != '\n' && c != 0x1b && c != '\b' && c != '\f':
			odd++
			i++
		case c < 0x80:
			i++
		default:
			r, n := utf8.DecodeRune(s[i:])
			if r == utf8.RuneError && n == 1 {
				odd++
			}
			i += n
		}
	}
	return odd*5 > len(s)
}

// clip cuts s to at most n bytes, between characters.
func clip(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// toBegin puts a carriage return for what moves the cursor to the begin of the line, or takes the line away.
var toBegin = strings.NewReplacer("\x1b[1G", "\r", "\x1b[0G", "\r", "\x1b[G", "\r", "\x1b[2K", "\r")

// overwritten returns a line without what a carriage return wrote over, where that says the same but for its numbers, as the
// states of a progress bar do. Else both are the line: a program cannot take back what it said.
func overwritten(s string) string {
	if strings.Contains(s, "\x1b[") {
		s = toBegin.Replace(s)
	}
	first, _, ok := strings.Cut(s, "\r")
	if !ok {
		return s
	}
	last := s[strings.LastIndexByte(s, '\r')+1:]
	if isProgress(first) && isFailed(last) {
		return last
	}
	if strings.TrimSpace(plainText(first)) == "" || words(first) == words(last) || strings.HasPrefix(last, first) {
		return last
	}
	return first + " " + last
}

// isFailed reports whether a text without a time begins with a level of failure, or as an error does.
func isFailed(s string) bool {
	var r record
	if r.levelFirst(s, time.Time{}); r.level == "" {
		r.level, _ = levelOfText(s)
	}
	return event.SeverityOf(r.level) >= event.SeverityWarn
}

// isProgress reports whether a text says how far something is: 10 %, [1/4].
func isProgress(s string) bool {
	at := max(strings.IndexAny(s, "%/"), 0)
	done := strings.TrimRight(s[:at], " ")
	return done != "" && isDigit(done[len(done)-1]) && (s[at] == '%' || at+1 < len(s) && isDigit(s[at+1]))
}

// words returns the letters of a text.
func words(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) {
			return c
		}
		return -1
	}, plainText(s))
}

// plainText removes colours and other control sequences of terminals, and what is no UTF-8.
func plainText(s string) string {
	control := false
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\t' || c == 0x7f {
			control = true
			break
		}
	}
	if !control {
		if utf8.ValidString(s) {
			return s
		}
		return strings.ToValidUTF8(s, "\ufffd")
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == 0x1b:
			i = escapeEnd(s, i)
			continue
		case c == '\b' && len(out) > 0:
			out = out[:len(out)-1]
		case c == '\r' || c == '\n':
			out = append(out, ' ')
		case c >= 0x20 && c != 0x7f || c == '\t':
			out = append(out, c)
		}
		i++
	}
	return strings.ToValidUTF8(string(out), "\ufffd")
}

// escapeEnd returns the index after the control sequence that begins at s[i].
func escapeEnd(s string, i int) int {
	if i++; i >= len(s) {
		return i
	}
	switch s[i] {
	case '[': // CSI: parameters, then a letter
		for i++; i < len(s); i++ {
			if c := s[i]; c >= 0x40 && c <= 0x7e {
				return i + 1
			}
		}
		return i
	case ']', 'P', '_', '^': // OSC and others: until BEL or ESC \
		for i++; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return i
	}
	return i + 1
}
