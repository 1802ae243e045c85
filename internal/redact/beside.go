package redact

import "strings"

// Values that stand beside a name in the row of a table, or behind an arrow.

// arrows point from a name to its value, or to what is done with it.
var arrows = [...]string{"-->", "==>", "->", "=>", "<-", "→", "⇒"}

// arrow returns the length of the arrow at k, or 0.
func arrow(s string, k int) int {
	for _, a := range arrows {
		if strings.HasPrefix(s[k:], a) {
			return len(a)
		}
	}
	return 0
}

// numbered are words with digits in them that name a method or a type.
var numbered = wordSet("sha1", "sha256", "sha512", "sha3", "md5", "argon2", "argon2i", "argon2id", "pbkdf2", "oauth2", "base64", "base32", "utf8",
	"utf16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "ed25519", "rs256", "hs256", "es256")

// pointed returns the value behind an arrow that follows the name s[i:j]: in quotes, or a word that can hardly be the next step of
// something. Behind the name of a variable of the environment it may be any word.
func (sc *scan) pointed(i, j int) (v held, ok bool) {
	s := sc.s
	for s[j-1] == '-' || s[j-1] == '=' {
		j-- // of "-->" and "->" without blanks
	}
	at := j
	for at < len(s) && s[at] == ' ' {
		at++
	}
	n := arrow(s, at)
	if n == 0 || sc.mode == form || i > 0 && s[i-1] == '/' { // a route
		return held{}, false
	}
	k := at + n
	for k < len(s) && s[k] == ' ' {
		k++
	}
	if v, ok := sc.argument(k); ok {
		return v, v.from < v.to && !harmlessCell(s[v.from:v.to]) && !ruled(s[v.from:v.to])
	}
	v = held{from: k, to: sc.bareEnd(k, false, false), weak: true}
	value := s[v.from:v.to]
	rest := strings.TrimLeft(s[v.to:], " ")
	if value == "" || value[0] == '$' || harmlessCell(value) || strings.ContainsAny(value, "(){}[]<>") || arrow(rest, 0) > 0 ||
		pseudonymAt(value) > 0 || sc.path(v.from) == v.to && strings.IndexByte(value, '.') >= 0 {
		return held{}, false
	}
	return v, environment(s[i:j]) || len(value) >= 4 && hasBoth(value, isLetter, isDigit)
}

// ruled reports whether a value is a list of rules for what is typed: required|min:8.
func ruled(value string) bool {
	first, more, ok := strings.Cut(value, "|")
	return ok && (harmlessCell(first) || strings.Contains(more, "min:") || strings.Contains(more, "max:"))
}

// counted reports whether a cell is a small number, or one with a unit: 812, 12.3 kB.
func counted(value string) bool {
	const longest = 3 // digits, for a PIN has four
	number := strings.TrimLeft(value, "0123456789.,")
	digits := len(value) - len(number)
	unit := strings.TrimLeft(number, " ")
	return digits > 0 && (unit == "" && digits <= longest || len(unit) < len(number) && len(unit) <= longest && unit != "" && strings.TrimLeft(unit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%") == "")
}

// environment reports whether a name is one of a variable of the environment: DB_PASSWORD.
func environment(name string) bool {
	return strings.IndexByte(name, '_') > 0 && name == strings.ToUpper(name)
}

// maxRowBytes bounds the rest of a row behind a name: each of its names looks at all of it.
const maxRowBytes = 1024

// rowBars stand between the cells of a row.
var rowBars = [...]string{"|", "│", "┃", "║"}

// besideBar returns the cell beside the name s[i:j], which is a cell of its own in the row of a table. Of a row of two cells it is
// the value; in a longer one, which may be the line of the columns' names, only where a cell says that it is none, or the value itself.
func (sc *scan) besideBar(i, j int) (v held, ok bool) {
	s := sc.s
	k := j
	for k < len(s) && (s[k] == ' ' || s[k] == '`' || s[k] == '\t') {
		k++
	}
	bar := ""
	for _, b := range rowBars {
		if strings.HasPrefix(s[k:], b) {
			bar = b
		}
	}
	if bar == "" || sc.mode == form || strings.HasPrefix(s[k:], "||") || strings.HasPrefix(s[k:], "|=") {
		return held{}, false
	}
	const reach = 256
	begin := max(0, i-reach)
	begin += strings.LastIndexAny(s[begin:i], "\n\"") + 1
	open := begin + strings.LastIndex(s[begin:i], bar)
	if open < begin || len(strings.TrimLeft(s[open+len(bar):i], " `\t")) > maxNameBytes || strings.Contains(strings.TrimSpace(s[open+len(bar):i]), " ") {
		return held{}, false
	}
	stop := k + strings.IndexAny(s[k:min(len(s), k+maxRowBytes)], "\n\r\"\\")
	if stop < k {
		if stop = len(s); stop-k > maxRowBytes {
			return held{}, false
		}
	}
	below := strings.TrimLeft(s[stop:min(len(s), stop+reach)], "\\rn\r\n ")
	if strings.HasPrefix(below, "+-") { // the end of the table, or what stands over its rows
		below = strings.TrimLeft(below, "+-=")
		below = strings.Replace(strings.TrimLeft(below, "\\rn\r\n "), "|", "|-", 1)
	}
	row, closed := strings.CutSuffix(strings.TrimRight(s[k+len(bar):max(stop, k+len(bar))], " "), bar)
	if !closed || strings.HasPrefix(below, "|-") || strings.HasPrefix(below, "--") || strings.HasPrefix(below, "|:-") || strings.HasPrefix(below, "| -") {
		return held{}, false // no row, or that of the columns' names
	}
	cells := strings.Split(row, bar)
	v = held{from: k + len(bar), to: k + len(bar) + len(cells[0]), content: true}
	for v.from < v.to && strings.IndexByte(" `'\t", s[v.from]) >= 0 {
		v.from++
	}
	for v.to > v.from && strings.IndexByte(" `'\r\t", s[v.to-1]) >= 0 {
		v.to--
	}
	value := s[v.from:v.to]
	if value == "" || harmlessCell(value) || counted(value) || strings.ContainsAny(value, "()") || sc.r.names.match(value) != "" {
		return held{}, false
	}
	if at, _ := nextPseudonym(value, 0); at < len(value) {
		return held{}, false
	}
	before := strings.Split(s[begin:open], bar)
	if len(cells) == 1 && len(before) == 1 {
		return v, true
	}
	for _, c := range append(before[1:], cells[1:]...) {
		if c = strings.TrimSpace(c); c != "" && isDigit(c[0]) {
			return v, true
		}
	}
	return v, alphanumeric(value)
}

// announced returns what a program made itself and says at the end of a line, a few words behind the name that ends before k: "A
// temporary password is generated for root@localhost: x".
func (sc *scan) announced(k int) (v held, ok bool) {
	const reach, least = 96, 8
	s := sc.s
	near := s[k:min(len(s), k+reach)]
	if end := strings.IndexAny(near, "\n\r\"\\"); end >= 0 {
		near = near[:end]
	}
	words, value, ok := strings.Cut(near, ": ")
	before := s[max(0, k-reach/2):k]
	if !ok || sc.mode == form || strings.ContainsAny(words, "=:'{}<>|/") ||
		!containsFold(words, "generated") && !containsFold(before, "generated") && !containsFold(before, "temporary") && !containsFold(before, "initial") {
		return held{}, false
	}
	value = strings.TrimRight(value, " .")
	if len(value) < least || strings.IndexByte(value, ' ') >= 0 || !hasBoth(value, isLetter, isDigit) || pseudonymAt(value) > 0 {
		return held{}, false
	}
	from := k + len(words) + len(": ")
	return held{from: from, to: from + len(value), content: true}, true
}

// remark returns the index behind the words in brackets that stand between a name and its sign: "password (base64): x"; else k.
func (sc *scan) remark(k int) int {
	s := sc.s
	if !strings.HasPrefix(s[k:], " (") {
		return k
	}
	const longest = 40
	near := s[k+2 : min(len(s), k+longest)]
	end := strings.IndexAny(near, ")\"'\\\n(")
	if end < 1 || near[end] != ')' || end+1 == len(near) || near[end+1] != ':' && near[end+1] != '=' {
		return k
	}
	return k + 2 + end + 1
}
