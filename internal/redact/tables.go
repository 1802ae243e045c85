package redact

import "strings"

// Tables with a rule below their first line, wherever they stand in a text: Markdown, those that databases and programs print.

// tables replaces the values below secret names, and in tables of names and values those beside secret names.
func (sc *scan) tables() string {
	s := sc.s
	for at := 0; ; {
		n := strings.Index(s[at:], "--")
		if n < 0 {
			return sc.rest()
		}
		n += at
		begin := at + strings.LastIndexByte(s[at:n], '\n') + 1
		stop := lineStop(s, n)
		if begin > 1 && rule(s[begin:stop]) {
			stop = max(stop, sc.table(begin, stop))
		}
		if at = stop + 1; at >= len(s) {
			return sc.rest()
		}
	}
}

// rule reports whether a line is the one below the names of a table's columns: |---|:---:|, ----+----, --- ---.
func rule(line string) bool {
	line = strings.TrimRight(line, "\r ")
	dashes, bars := 0, 0
	for i := range len(line) {
		switch line[i] {
		case '-':
			dashes++
		case '|', '+':
			bars++
		case ' ', '\t':
			if i > 0 && line[i-1] == '-' {
				bars++
			}
		case ':', '=':
		default:
			return false
		}
	}
	return dashes > 1 && bars > 0
}

// table replaces what is secret in the table whose rule is the line s[begin:stop]. It returns the end of its last line.
func (sc *scan) table(begin, stop int) int {
	s := sc.s
	from := max(0, begin-1-maxHeaderLine)
	from += strings.LastIndexByte(s[from:begin-1], '\n') + 1
	line := s[begin:stop]
	if first := strings.IndexByte(s[from:begin-1], '|'); first > 0 && (line[0] == '|' || line[0] == '+') {
		from += first // behind what was said before
	}
	barred := strings.ContainsAny(line, "|+")
	if barred != (strings.IndexByte(s[from:begin-1], '|') >= 0) {
		return 0
	}
	split := func(a, b int) []held { return barCells(s, a, b) }
	if !barred {
		starts := groups(line)
		split = func(a, b int) []held { return placedCells(s, a, b, starts) }
	}
	names := split(from, begin-1)
	secret := make([]string, len(names))
	name, value, any := -1, -1, false
	for i, c := range names {
		text := strings.Trim(s[c.from:c.to], " `*_\"'")
		if len(text) > maxNameBytes || strings.Count(text, " ") > 2 {
			continue
		}
		if secret[i] = sc.r.names.match(text); queryOnly[secret[i]] {
			secret[i] = ""
		}
		any = any || secret[i] != ""
		switch lower := strings.ToLower(text); {
		case value < 0 && (lower == "value" || lower == "values" || lower == "default" || lower == "current value" || lower == "setting"):
			value = i
		case name < 0 && (columnNames[lower] || nameKeys[lower]):
			name = i
		}
	}
	if !any && (name < 0 || value < 0) {
		return 0
	}
	for stop < len(s) {
		from := stop + 1
		end := lineStop(s, from)
		row := s[from:end]
		if strings.TrimRight(row, "\r ") == "" || barred && strings.IndexByte(row, '|') < 0 && !rule(row) {
			break
		}
		stop = end
		if rule(row) {
			continue
		}
		cells := split(from, end)
		for i, c := range cells {
			word := ""
			switch {
			case i < len(secret) && secret[i] != "":
				word = secret[i]
			case i == value && name >= 0 && name < len(cells):
				word = sc.r.names.match(strings.Trim(s[cells[name].from:cells[name].to], " `*\"'"))
				if queryOnly[word] {
					word = ""
				}
			}
			if word != "" {
				sc.cell(c, word)
			}
		}
	}
	return stop
}

// columnNames are the first lines' words above the names of settings.
var columnNames = wordSet("(index)", "setting", "option", "parameter", "variable", "variable_name", "config", "secret", "environment variable", "env var", "attribute")

// cell replaces the value of a cell, unless it is prose, a mark or the name of a type.
func (sc *scan) cell(v held, word string) {
	s := sc.s
	for v.from < v.to && strings.IndexByte(" `\"'\t", s[v.from]) >= 0 {
		v.from++
	}
	for v.to > v.from && strings.IndexByte(" `\"'\r\t", s[v.to-1]) >= 0 {
		v.to--
	}
	value := s[v.from:v.to]
	if at, _ := nextPseudonym(value, 0); at < len(value) || value == "" || harmlessCell(value) || v.from < sc.done {
		return
	}
	v.content = true
	sc.hide(v, word)
}

// harmlessCell reports whether a cell is three words or more, a mark, or one of few words.
func harmlessCell(value string) bool {
	if strings.Count(value, " ") > 1 {
		return true
	}
	if len(value) < 4 && strings.IndexFunc(value, func(c rune) bool { return c < 0x80 && alnum(byte(c)) }) < 0 || value == "✅" || value == "❌" {
		return true
	}
	value = strings.ToLower(strings.Trim(value, ".()[]<>"))
	return typeWord(value) || harmlessWord(value) || numbered[value] || cellWords[value]
}

var cellWords = wordSet("text", "optional", "hidden", "redacted", "unset", "not set", "masked", "sensitive", "secret", "password", "token", "uuid",
	"varchar", "bytea", "n/a", "default", "env", "any", "random", "generated", "(none)",
	"name", "type", "description", "role", "email", "e-mail", "username", "user", "login", "status", "value", "created", "changed", "updated", "notes",
	"bcrypt", "scrypt", "blob", "binary", "char", "date", "enabled", "disabled", "ok", "valid", "changes", "-")

// barCells returns where the cells of the line s[from:to] are.
func barCells(s string, from, to int) (cells []held) {
	for from < to && strings.IndexByte(" \t", s[from]) >= 0 {
		from++
	}
	if from < to && s[from] == '|' {
		from++
	}
	for to > from && strings.IndexByte(" \r", s[to-1]) >= 0 {
		to--
	}
	if to > from && s[to-1] == '|' {
		to--
	}
	at := from
	for i := from; i <= to && len(cells) < maxColumns; i++ {
		if i == to || s[i] == '|' && s[i-1] != '\\' {
			cells = append(cells, held{from: at, to: i})
			at = i + 1
		}
	}
	return cells
}

// groups returns where the groups of dashes of a rule begin.
func groups(line string) (starts []int) {
	for i := range len(line) {
		if line[i] == '-' && (i == 0 || line[i-1] != '-') && len(starts) < maxColumns {
			starts = append(starts, i)
		}
	}
	return starts
}

// placedCells returns what stands in the line s[from:to] below the groups of dashes that begin at starts, nothing where a
// value is longer than its group.
func placedCells(s string, from, to int, starts []int) (cells []held) {
	line := strings.TrimRight(s[from:to], "\r")
	for i, start := range starts {
		if start > len(line) || start > 0 && line[start-1] != ' ' && line[start-1] != '\t' {
			return nil
		}
		end := len(line)
		if i+1 < len(starts) && starts[i+1] < end {
			end = starts[i+1]
		}
		cells = append(cells, held{from: from + start, to: from + end})
	}
	return cells
}
