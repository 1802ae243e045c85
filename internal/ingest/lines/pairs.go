package lines

import (
	"strings"
	"time"
)

// pairs reads logfmt: key=value and nothing else, at least two of them.
func (r *record) pairs(s string, near time.Time) bool {
	if !isLetter(s[0]) || strings.Count(s, "=") < 2 || !eachPair(s, nil) {
		return false
	}
	r.form = whole
	eachPair(s, func(key, value string) { r.pair(key, value, near) })
	r.finish()
	if r.message == "" {
		r.message = s
	}
	return true
}

// pair takes one key and value of logfmt.
func (r *record) pair(key, value string, near time.Time) {
	raw := value
	if value == "" {
		raw = `""`
	} else if len(value) > 1 && value[0] == '\'' && value[len(value)-1] == '\'' {
		raw = string(quote(nil, value[1:len(value)-1]))
	} else if end := numberEnd(value, 0); value[0] == '"' || end != len(value) && value != "true" && value != "false" {
		raw = string(quote(nil, unquote(value)))
	}
	if key == "at" && r.level == "" && r.setLevel(unquote(raw)) { // as Heroku's router writes it
		return
	}
	r.field(key, raw, near)
}

// eachPair hands on the pairs of s, and reports whether s has nothing else.
func eachPair(s string, visit func(key, value string)) bool {
	return pairsEnd(s, visit) == len(s)
}

// pairsEnd hands on the pairs that s begins with and returns where what is no pair begins.
func pairsEnd(s string, visit func(key, value string)) int {
	for i := 0; i < len(s); {
		if s[i] == ' ' {
			i++
			continue
		}
		begin := i
		for i < len(s) && (isLetter(s[i]) || isDigit(s[i]) || strings.IndexByte("_.-@/", s[i]) >= 0) {
			i++
		}
		if i == begin || i >= len(s) || s[i] != '=' || !isLetter(s[begin]) && s[begin] != '_' && s[begin] != '@' {
			return begin
		}
		key := s[begin:i]
		if i++; i < len(s) && s[i] == '=' { // shop==1.2
			return begin
		}
		end, _ := stringEnd(s, i)
		switch {
		case end != -1:
		case i < len(s) && s[i] == '\'' && quoteEnd(s, i) > 0: // error='RuntimeError: no stock', as lograge writes it
			end = quoteEnd(s, i)
		case i < len(s) && s[i] == '"':
			return begin
		default:
			if end = strings.IndexByte(s[i:], ' '); end < 0 {
				end = len(s)
			} else {
				end += i
			}
		}
		if end < len(s) && s[end] != ' ' {
			return begin
		}
		if visit != nil {
			visit(key, strings.TrimSuffix(s[i:end], ",")) // low=1m, high=2m
		}
		i = end
	}
	return len(s)
}

// quoteEnd returns the index after the text in single quotes that begins at s[i] and ends with a word, 0 where none does.
func quoteEnd(s string, i int) int {
	for from := i + 1; ; {
		at := strings.IndexByte(s[from:], '\'')
		if at == -1 {
			return 0
		}
		if from += at + 1; from == len(s) || s[from] == ' ' {
			return from
		}
	}
}

// trailing moves the pairs at the end of the message, as slog and others write them, to the attributes.
func (r *record) trailing(near time.Time) {
	s := strings.TrimRight(strings.TrimSuffix(r.message, " []"), " ") // Monolog's
	if s == "" {
		return
	}
	if s[len(s)-1] == '}' {
		if text, _, ok := strings.Cut(s, " {\""); ok && valueEnd(s, len(text)+1, 0) == len(s) {
			members(s, len(text)+1, 0, func(key, raw string) { r.field(key, raw, near) })
			r.message = text
			return
		}
	}
	for from := 0; ; {
		before, _, found := strings.Cut(s[from:], "=")
		if !found {
			return
		}
		eq := from + len(before)
		begin := strings.LastIndexByte(s[:eq], ' ') + 1
		end := begin + pairsEnd(s[begin:], nil)
		if begin > 0 && end == len(s) {
			eachPair(s[begin:], func(key, value string) { r.pair(key, value, near) })
			r.message = strings.TrimRight(s[:begin], " ")
			return
		}
		// What begins before the end ends there, too; the rest of the word begins where this did.
		word := strings.IndexByte(s[eq:], ' ')
		if word == -1 {
			return
		}
		from = max(eq+word, end)
	}
}
