package redact

import "strings"

// Lines of settings and commands in which a blank is all that stands between a name and its value: SetEnv DB_PASSWORD x.

// directiveNames begin such a line themselves.
var directiveNames = wordSet("requirepass", "masterauth", "bindpw", "rootpw", "olcrootpw", "masterpass")

// setterWords stand right before the name in such a line.
var setterWords = []string{"setenv ", "SetEnv ", "set -gx ", "set -x ", "set -Ux ", "set -lx ", "fastcgi_param ", "uwsgi_param ", "ENV ", "passenger_env_var ",
	"configure set ", "CONFIG SET ", "config set ", "setx ", "neo4j-admin dbms ", "neo4j-admin ", "ngrok ", "ngrok config ", "passwd/root-password "}

// directive returns the word behind the name s[i:j] where its line says that it is the value of the name.
func (sc *scan) directive(i, j int) (v held, ok bool) {
	s := sc.s
	const reach = 160
	above, line := lastLine(s[max(0, i-reach):i])
	_, login := lastLine(above)
	gap := j
	for gap < len(s) && (s[gap] == ' ' || s[gap] == '\t' || s[gap] == '\\') {
		at := gap
		for at < len(s) && s[at] == '\\' {
			at++
		}
		if at > gap && (at == len(s) || s[at] != 't') {
			break
		}
		gap = at + 1
	}
	switch {
	case line == "" && (gap > j+1 || gap > j && s[j] == '\t' || strings.HasPrefix(s[gap:], "| ")):
		return sc.aligned(gap, above, environment(s[i:j]))
	case line == "" && directiveNames[strings.ToLower(s[i:j])]:
	case line == "" && s[i:j] == "password" && strings.HasPrefix(login, "login "):
	case s[i:j] == "password" && strings.Contains(line, "login ") && (strings.HasPrefix(line, "machine ") || strings.HasPrefix(line, "default ") || strings.HasPrefix(line, "login ")):
	case s[i:j] == "password" && strings.Contains(line, "nmcli "):
	case strings.Contains(line, "npm config set //"):
	case !endsWithAny(line, setterWords):
		return held{}, false
	}
	k := j + 1
	for k < len(s) && s[k] == ' ' {
		k++
	}
	if strings.HasPrefix(s[k:], "--plaintext ") || strings.HasPrefix(s[k:], "--iscrypted ") {
		k += len("--plaintext ")
	}
	v, ok = sc.optionValue(k)
	return v, ok && v.from < v.to && !harmlessWord(s[v.from:v.to])
}

// lastLine returns the last line of s, or of the string that it ends within, without blanks and a prompt before it, and what stands
// above it.
func lastLine(s string) (above, line string) {
	at, next := strings.LastIndexByte(s, '\n'), 0
	if at >= 0 {
		next = at + 1
	}
	if n := strings.LastIndex(s[next:], `\n`); n >= 0 {
		at = next + n
		next = at + len(`\n`)
	}
	if n := strings.LastIndexByte(s[next:], '"'); n >= 0 {
		at, next = next+n, next+n+1
	}
	return s[:max(at, 0)], strings.TrimLeft(s[next:], " \t$>#")
}

// aligned returns the word at k, which is all that stands behind a name and wide blanks, if it can hardly be prose; in a record of
// psql, whatever stands behind the bar; named: behind the name of a variable of the environment, any word.
func (sc *scan) aligned(k int, above string, named bool) (v held, ok bool) {
	s := sc.s
	record := strings.HasPrefix(s[k:], "| ") && strings.Contains(above, "-[ RECORD ")
	if record {
		k += len("| ")
	}
	v = held{from: k, to: sc.bareEnd(k, false, false)}
	value := s[v.from:v.to]
	if v.from == v.to || pseudonymAt(value) > 0 || v.to < len(s) && s[v.to] != '\n' && s[v.to] != '\r' && s[v.to] != '"' && s[v.to] != '\\' {
		return held{}, false
	}
	return v, (record || named) && !harmlessCell(value) || alphanumeric(value) && strings.IndexByte(value, '(') < 0
}

// endsWithAny reports whether a line ends with one of the words, which stands on its own.
func endsWithAny(line string, words []string) bool {
	for _, w := range words {
		if rest, ok := strings.CutSuffix(line, w); ok && (rest == "" || class[rest[len(rest)-1]] != wordByte) {
			return true
		}
	}
	return false
}

// passwordFor returns the password of SQL's SET PASSWORD FOR bob = 'x', whose word PASSWORD ends at j.
func (sc *scan) passwordFor(j int) (v held, ok bool) {
	s := sc.s
	near := s[j:min(len(s), j+2*maxNameBytes)]
	at := strings.IndexAny(near, "=;\n")
	if at < 0 || near[at] != '=' {
		return held{}, false
	}
	k := sc.blanks(j + at + 1)
	if hasPrefixFold(s[k:], "password(") {
		return sc.argument(k + len("password("))
	}
	return sc.argument(k)
}

// tuple replaces the value behind the name s[i:j] in a tuple of Erlang or Elixir: {password, <<"x">>}, {:password, "x"}. It returns
// the index behind it, or 0.
func (sc *scan) tuple(i, j int) int {
	s := sc.s
	open := i
	if open > 0 && s[open-1] == ':' {
		open--
	}
	if open == 0 || s[open-1] != '{' {
		return 0
	}
	word := sc.r.names.match(s[i:j])
	k := sc.literal(sc.blanks(j + 1))
	v, ok := sc.argument(k)
	if word == "" || queryOnly[word] || !ok || v.from >= v.to {
		return 0
	}
	return sc.hide(v, word)
}

// replaced hides what a value becomes, which ends at k, in a diff: password = "a" -> "b".
func (sc *scan) replaced(k int, word string) int {
	s := sc.s
	after, quote, _ := closing(s, k)
	if quote == 0 || !strings.HasPrefix(s[after:], " -> ") && !strings.HasPrefix(s[after:], " => ") {
		return k
	}
	v, ok := sc.argument(after + len(" -> "))
	if !ok || v.from >= v.to || pseudonymAt(s[v.from:v.to]) > 0 {
		return k
	}
	if sc.mode == document && quote == '"' && !v.opens && sc.quoted && s[after-1] == '"' && s[max(0, after-2)] != '\\' {
		return k
	}
	return max(k, sc.hide(v, word))
}

// reads reports whether the bracket at i belongs to the call of a function that reads a setting, which is given what to take where
// there is none: getenv("DB_PASSWORD", "x").
func (sc *scan) reads(i int, name string) bool {
	from := i
	for from > 0 && i-from < maxNameBytes && isLetter(sc.s[from-1]) {
		from--
	}
	switch strings.ToLower(sc.s[from:i]) {
	case "getenv", "get", "fetch", "env", "config", "getordefault", "getproperty", "getenvordefault", "lookupenv":
		return name == strings.ToUpper(name)
	}
	return false
}
