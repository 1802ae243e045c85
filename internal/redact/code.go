package redact

import "strings"

// typeWords are types of GraphQL and of programs where a schema or a signature has them behind a name.
var typeWords = []string{"string", "str", "id", "int", "float", "boolean", "bool", "number", "object", "any", "unknown",
	"void"}

// code reports whether the value s[k:to], which is not empty and has no quotes, cannot be the secret of the name
// s[i:…] that passed the list as word: a variable, a type, a call, a punctuation mark, a small number
// of something else. It is asked about texts and GraphQL only: in forms, URLs and quotes a password
// may look like any of these.
func (sc *scan) code(i, k, to int, word string) bool {
	s := sc.s
	value := s[k:to]
	last := len(value) - 1
	if last >= 16 && alnum(value[0]) && alnum(value[last]) && (to == len(s) || s[to] == ' ' || s[to] == ',') {
		return false // what most secrets look like
	}
	switch c := value[0]; {
	case strings.HasPrefix(s[k:], "${{"):
		return true
	case c == '$':
		if !sc.variable(k+1, to) {
			return false
		}
		if name := s[k+1 : to]; sc.r.names.match(name) == "" && len(sc.declared) < maxMembers {
			sc.declared = append(sc.declared, name) // of GraphQL: its value stands elsewhere
		}
		return true
	case strings.HasPrefix(s[k:], "(*"), strings.HasPrefix(s[k:], "{{"):
		return true // a pointer, a template
	case c == '[':
		return typeWord(strings.Trim(value, "[]!"))
	case isDigit(c):
		return (word == "sid" || word == "sig") && len(value) <= 4 && strings.Trim(value, "0123456789") == ""
	case !isLetter(c) && c != '_':
		return len(value) <= 3 && punctuation(value)
	case strings.HasPrefix(s[i:k], value) && class[s[i+len(value)]] != wordByte:
		return true // this.token = token
	case len(value) < 10 && typeWord(strings.TrimRight(value, "!")):
		return true
	case i > 0 && s[i-1] == '$' && strings.HasSuffix(value, "!") && letters(value[:len(value)-1]):
		return true // an input type of a schema
	}
	if value == "new" && to < len(s) && s[to] == ' ' {
		return true
	}
	before := ""
	for p := i; p > 0 && i-p < maxNameBytes && (s[p-1] == ' ' || class[s[p-1]] == wordByte); {
		p--
		before = s[p:i]
	}
	before = before[strings.LastIndexByte(strings.TrimRight(before, " "), ' ')+1:]
	switch before = strings.TrimRight(before, " "); {
	case before == "const" || before == "let" || before == "var":
		return sc.expression(k)
	case word == "token" && len(before) == len("unexpected") && hasPrefixFold(before, "unexpected"):
		return !alphanumeric(value)
	}
	return sc.call(k)
}

// argument returns the text in quotes at k that a call is given first: decrypt("x").
func (sc *scan) argument(k int) (v held, ok bool) {
	from, quote, slashes := closing(sc.s, k)
	if quote == 0 || sc.mode == document && sc.quoted && quote == '"' && slashes%2 == 0 {
		return held{}, false
	}
	v = held{from: from, content: true, opens: quote == '"' && slashes%2 == 0}
	v.to = sc.closeOf(from, quote, slashes, false)
	return v, true
}

// field reports whether the value v of the name at i stands in a form, the query of a URL, a
// connection string or a line of an environment, where no program's text is.
func (sc *scan) field(i int, v held) bool {
	s := sc.s
	if sc.mode == form {
		return true
	}
	if v.from == 0 || s[v.from-1] != '=' {
		return false
	}
	return i == 0 || strings.IndexByte("?&[;\n", s[i-1]) >= 0 || v.to < len(s) && s[v.to] == '&'
}

func alnum(c byte) bool { return isLetter(c) || isDigit(c) }

func typeWord(s string) bool {
	for _, w := range typeWords {
		if len(w) == len(s) && hasPrefixFold(s, w) {
			return true
		}
	}
	return false
}

func letters(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isLetter(s[i]) {
			return false
		}
	}
	return s != ""
}

// punctuation reports whether s holds ASCII marks only.
func punctuation(s string) bool {
	for i := 0; i < len(s); i++ {
		if class[s[i]] == wordByte || s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// variable reports whether s[from:to] is the name of a variable that is declared before it, or
// itself passes the list: a password may begin with '$' as well.
func (sc *scan) variable(from, to int) bool {
	name := strings.TrimPrefix(sc.s[from:to], "{")
	for i := 0; i < len(name); i++ {
		if !isLetter(name[i]) && !isDigit(name[i]) && name[i] != '_' {
			return false
		}
	}
	if name == "" || isDigit(name[0]) {
		return false
	}
	const reach = 1024
	return sc.r.names.match(name) != "" || strings.Contains(sc.s[max(0, from-reach):from], "$"+name+":")
}

// expression reports whether an expression of a program begins at k that is more than one word.
func (sc *scan) expression(k int) bool {
	i := sc.path(k)
	rest := sc.s[i:]
	switch sc.s[k:i] {
	case "await", "new", "async", "function", "typeof":
		return strings.HasPrefix(rest, " ")
	}
	return rest != "" && strings.IndexByte("(;[?", rest[0]) >= 0
}

// call reports whether a call begins at k whose arguments are none or names of variables.
func (sc *scan) call(k int) bool {
	s := sc.s
	i := sc.path(k)
	if i == len(s) || s[i] != '(' || strings.ContainsAny(s[k:i], "0123456789") {
		return false
	}
	end := i + 1
	for end < len(s) && end-i < maxNameBytes && (isLetter(s[end]) || strings.IndexByte("_., ", s[end]) >= 0) {
		end++
	}
	if end == len(s) || s[end] != ')' {
		return false
	}
	return end+1 == len(s) || strings.IndexByte(";,.) \r\n}]\\", s[end+1]) >= 0
}

// path returns the index behind the name at k, with the names of what it belongs to.
func (sc *scan) path(k int) int {
	s := sc.s
	i := k
	for i < len(s) && (isLetter(s[i]) || isDigit(s[i]) || s[i] == '_' || s[i] == '.' || s[i] == '$') {
		i++
	}
	return i
}
