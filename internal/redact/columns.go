package redact

import "strings"

// Bounds of the first line of a table.
const (
	maxHeaderLine  = 1024
	maxLinesBefore = 4 // a table that is drawn: its rule is among so many lines
	maxColumns     = 100
)

// rules begin the lines around the first one of a table that is drawn.
var rules = [...]string{"+-", "┌─", "╭─", "┏━", "╔═"}

// bars stand between the columns of a table: one for CSV, several for tables that are drawn.
var bars = [...]string{",", ";", "\t", "|", "│", "┃", "║"}

// columns replaces the values below the secret names in the first line of a table: "id,password\n1,hunter2". Of one that
// is drawn, the first line is below a rule, which may stand behind what was said before.
func (sc *scan) columns() string {
	s := sc.s
	if strings.IndexByte(s[:min(len(s), maxHeaderLine)], '\n') < 0 {
		return s
	}
	start := drawn(s)
	end := start + strings.IndexByte(s[start:min(len(s), start+maxHeaderLine)], '\n')
	if end < start+8 || end == len(s)-1 {
		return s
	}
	line := strings.TrimSuffix(s[start:end], "\r")
	separator := ""
	for _, bar := range bars {
		if n := strings.Index(line, bar); n > 0 || n == 0 && start > 0 {
			separator = bar
			break
		}
	}
	if separator == "" || strings.Count(line, separator) >= maxColumns {
		return s
	}
	names := strings.Split(line, separator)
	secret := make([]string, len(names))
	any := false
	for i, n := range names {
		n = strings.Trim(n, ` "'`)
		if len(n) > maxNameBytes || strings.ContainsAny(n, ":={}()<>[]/.") || strings.Count(n, " ") > 2 {
			if start > 0 && (n == "(index)" || n == "(iteration index)") { // of console.table
				continue
			}
			return s
		}
		if secret[i] = sc.r.names.match(n); queryOnly[secret[i]] {
			secret[i] = ""
		}
		any = any || secret[i] != ""
	}
	if !any {
		return s
	}
	for at := end + 1; at < len(s); {
		stop := lineStop(s, at)
		if !rule(s[at:stop]) {
			sc.row(at, stop, separator, secret)
		}
		at = stop + 1
	}
	return sc.rest()
}

// drawn returns the index of the line below the first rule of s, 0 where none of its first lines is one.
func drawn(s string) int {
	at := 0
	for range maxLinesBefore {
		end := at + strings.IndexByte(s[at:min(len(s), at+maxHeaderLine)], '\n')
		if end < at {
			return 0
		}
		if s[at] == '+' || s[at] == rules[1][0] {
			for _, rule := range rules {
				if strings.HasPrefix(s[at:], rule) {
					return end + 1
				}
			}
		}
		at = end + 1
	}
	return 0
}

// queryOnly are weak names that mean something else as the name of a column.
var queryOnly = wordSet("code", "state", "ticket", "nonce", "key", "policy", "signature", "hmac", "user_code", "auth")

// row replaces the secret fields of the line s[from:to], if it has as many as the first one.
func (sc *scan) row(from, to int, separator string, secret []string) {
	type field struct{ from, to int }
	s := sc.s
	var fields []field
	start, quoted := from, false
	for i := from; i <= to; i++ {
		switch {
		case i < to && s[i] == '"':
			quoted = !quoted
		case i == to || !quoted && strings.HasPrefix(s[i:to], separator):
			fields = append(fields, field{start, i})
			start = i + len(separator)
		}
		if len(fields) > maxColumns {
			return
		}
	}
	if len(fields) != len(secret) {
		return
	}
	for i, f := range fields {
		if secret[i] == "" {
			continue
		}
		for f.from < f.to && strings.IndexByte(` "'`, s[f.from]) >= 0 {
			f.from++
		}
		for f.to > f.from && strings.IndexByte(" \"'\r", s[f.to-1]) >= 0 {
			f.to--
		}
		if f.from < f.to {
			sc.hide(held{from: f.from, to: f.to, content: true}, secret[i])
		}
	}
}
