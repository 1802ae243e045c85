package redact

import "strings"

// Bounds of the first line of a table.
const (
	maxHeaderLine = 1024
	maxColumns    = 100
)

// columns replaces the values below the secret names in the first line of a table in CSV: "id,password\n1,hunter2".
func (sc *scan) columns() string {
	s := sc.s
	end := strings.IndexByte(s[:min(len(s), maxHeaderLine)], '\n')
	if end < 8 || end == len(s)-1 {
		return s
	}
	line := strings.TrimSuffix(s[:end], "\r")
	separator := byte(0)
	for _, c := range [...]byte{',', ';', '\t', '|'} {
		if strings.IndexByte(line, c) > 0 {
			separator = c
			break
		}
	}
	if separator == 0 || strings.Count(line, string(rune(separator))) >= maxColumns {
		return s
	}
	names := strings.Split(line, string(rune(separator)))
	secret := make([]string, len(names))
	any := false
	for i, n := range names {
		n = strings.Trim(n, ` "'`)
		if len(n) > maxNameBytes || strings.ContainsAny(n, ":={}()<>[]/.") || strings.Count(n, " ") > 2 {
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
		sc.row(at, stop, separator, secret)
		at = stop + 1
	}
	return sc.rest()
}

// queryOnly are weak names that mean something else as the name of a column.
var queryOnly = wordSet("code", "state", "ticket", "nonce", "key", "policy", "signature", "hmac", "user_code", "auth")

// row replaces the secret fields of the line s[from:to], if it has as many as the first one.
func (sc *scan) row(from, to int, separator byte, secret []string) {
	type field struct{ from, to int }
	s := sc.s
	var fields []field
	start, quoted := from, false
	for i := from; i <= to; i++ {
		switch {
		case i < to && s[i] == '"':
			quoted = !quoted
		case i == to || s[i] == separator && !quoted:
			fields = append(fields, field{start, i})
			start = i + 1
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
