package redact

import "strings"

// Fields without quotes around their names, in brackets: {name: DB_PASSWORD, value: x}, Parameter(name=password, value=x).

// nameKeys are keys of the name in such a pair.
var nameKeys = wordSet("name", "key", "k", "id", "field", "header", "variable", "var", "property", "env")

var unescaped = strings.NewReplacer(`\n`, "\n", `\r`, "", `\t`, " ", `\\`, `\`, `\"`, `"`)

// valueIn replaces the value behind the key s[i:j] where a field beside it in the same brackets has the name of a secret.
// It returns the index behind it, or 0.
func (sc *scan) valueIn(i, j int) int {
	s := sc.s
	sep := sc.separator(j, true)
	if sep == 0 || j+sep >= len(s) || sc.mode == form {
		return 0
	}
	before := s[max(0, i-maxBetween):i]
	open := strings.LastIndexAny(before, "{}()[]")
	if open < 0 || strings.IndexByte("{([", before[open]) < 0 {
		return 0
	}
	for k := open + 1; sc.mode == document && k < len(before); k++ {
		if before[k] == '"' && before[k-1] != '\\' {
			return 0 // the bracket is none of the string
		}
	}
	v, ok := sc.valueAt(j+sep, "", 0, 0, false)
	if !ok || v.from >= v.to || !v.content && sc.reference(v) {
		return 0
	}
	word := sc.fieldName(before[open+1:])
	if word == "" {
		at := v.to
		if v.content {
			at, _, _ = closing(s, at)
		}
		after := s[at:min(len(s), at+maxBetween)]
		if stop := strings.IndexAny(after, "{}()[]"); stop >= 0 {
			after = after[:stop]
		}
		word = sc.fieldName(after)
	}
	if word == "" || queryOnly[word] {
		return 0
	}
	return sc.hide(v, word)
}

// reference reports whether the value v, without quotes, names what stands elsewhere: props.value, token, $x, read().
func (sc *scan) reference(v held) bool {
	value := sc.s[v.from:v.to]
	switch {
	case strings.IndexByte("${[<(", value[0]) >= 0, sc.call(v.from):
		return true
	case sc.r.names.match(value) != "":
		return sc.path(v.from) == v.to
	}
	for part := range strings.SplitSeq(value, ".") {
		if !letters(part) {
			return false
		}
	}
	return strings.IndexByte(value, '.') >= 0
}

// fieldName returns the word by which one of the fields in list says that it is the name of a secret, or "".
func (sc *scan) fieldName(list string) string {
	for n := 0; n < 3 && strings.IndexByte(list, '\\') >= 0; n++ {
		list = unescaped.Replace(list) // of JSON within JSON
	}
	for range maxMembers {
		end := strings.IndexAny(list, ",;\n")
		part := list
		if end >= 0 {
			part = list[:end]
		}
		at := strings.IndexAny(part, ":=")
		if at > 0 && nameKeys[strings.ToLower(strings.Trim(part[:at], " \t\r\"'\\"))] {
			name := strings.Trim(part[at+1:], " \t\r\"'\\=>")
			if word := sc.r.names.match(name); word != "" && len(name) <= 2*maxNameBytes && !strings.Contains(name, " ") {
				return word
			}
		}
		if end < 0 {
			break
		}
		list = list[end+1:]
	}
	return ""
}
