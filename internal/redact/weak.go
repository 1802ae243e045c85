package redact

import "strings"

// weak reports whether the value v of the name s[i:j], which passed the list as word, is no secret after all: the
// name means other things in most places.
func (sc *scan) weak(i, j int, word string, v held) bool {
	s := sc.s
	value := s[v.from:v.to]
	if at, _ := nextPseudonym(value, 0); 0 < at && at < len(value) {
		return weakNow[word] // what is secret in it is hidden already
	}
	if !v.content && sc.mode != form && (quantity(s, v) || fileOf(s[i:j], value)) {
		return true
	}
	switch word {
	case "code", "state", "ticket", "nonce", "user_code", "policy", "hmac":
		return !sc.query(i, v)
	case "signature", "key":
		return !sc.query(i, v) && !random(value)
	case "auth":
		return !sc.query(i, v) && !random(value) && !(len(value) >= 8 && basic(value))
	case "pass":
		if count(value) {
			return true // "pass: 12", of tests
		}
		if !v.level0 && s[j-1] == 'S' && s[j-2] == 'S' && j < len(s) && s[j] == ':' {
			return true // "--- PASS: TestX"
		}
		keyed := v.content || v.level0 || v.quote != "" || v.from > 0 && s[v.from-1] == '='
		return !keyed && !hasBoth(value, isDigit, isLetter)
	case "pat", "clave", "passe", "parola", "parol":
		return !v.content && !v.level0 && !hasBoth(value, isDigit, isLetter)
	}
	return strings.HasSuffix(word, "s") && word != "pass" && count(value)
}

// weakNow are the words that weak judges by the value.
var weakNow = wordSet("code", "state", "ticket", "nonce", "user_code", "policy", "hmac", "signature", "key", "auth", "pass",
	"pat", "clave", "passe", "parola", "parol")

// quantity reports whether the value without quotes is a number with a unit behind it: "VmPin: 0 kB".
func quantity(s string, v held) bool {
	if v.from == v.to || strings.Trim(s[v.from:v.to], "0123456789.") != "" || v.to == len(s) || s[v.to] != ' ' {
		return false
	}
	unit := s[v.to+1:]
	n := 0
	for n < len(unit) && n < 8 && alnum(unit[n]) {
		n++
	}
	return units[strings.ToLower(unit[:n])]
}

var units = wordSet("kb", "mb", "gb", "tb", "kib", "mib", "gib", "byte", "bytes", "ns", "us", "ms")

// fileOf reports whether value is the path of a file or directory that name tells of: the shell's PWD, a file of keys.
func fileOf(name, value string) bool {
	if value == "" || strings.IndexByte("/$~.", value[0]) < 0 || strings.IndexByte(value, '/') < 0 {
		return false
	}
	if name == "PWD" || name == "OLDPWD" {
		return value[0] == '/'
	}
	value = strings.TrimRight(value, "#,;)")
	dot := strings.LastIndexByte(value, '.')
	return dot >= 0 && keyFiles[strings.ToLower(value[dot+1:])]
}

var keyFiles = wordSet("pem", "key", "crt", "cer", "der", "p12", "pfx", "jks", "pub", "asc", "gpg", "txt", "json", "yaml", "yml")

// count reports whether value is a number of things.
func count(value string) bool {
	return len(value) <= 5 && strings.Trim(value, "0123456789") == ""
}

// several extends the value v of a name for several words or codes, without quotes, over all of them: a mnemonic is 12
// to 24 words, recovery codes are a list.
func (sc *scan) several(word string, v held) held {
	if v.content || v.level0 || sc.mode == form {
		return v
	}
	s := sc.s
	most, codes := 24, strings.HasSuffix(word, "codes")
	if !codes && !strings.Contains(word, "phrase") && !strings.Contains(word, "mnemonic") && !strings.HasSuffix(word, "words") {
		return v
	}
	if word == "passphrase" || word == "pass_phrase" {
		return v
	}
	for range most {
		at := v.to
		for at < len(s) && (s[at] == ' ' || codes && (s[at] == ',' || s[at] == '\n')) {
			at++
		}
		end := at
		for end < len(s) && class[s[end]] == wordByte {
			end++
		}
		next := s[at:end]
		if at == v.to || next == "" || codes && !hasBoth(next, isDigit, alnum) || !codes && (len(next) < 3 || len(next) > 8 || !letters(next)) {
			break
		}
		v.to = end
	}
	return v
}

// children replaces the values of the lines that are indented below "credentials:" in YAML. It returns the index
// behind them, or 0.
func (sc *scan) children(i, j int, word string) int {
	s := sc.s
	if sc.mode == document || j == len(s) || s[j] != ':' || !strings.HasSuffix(word, "s") && !strings.HasPrefix(word, "credential") {
		return 0
	}
	at := j + 1
	for at < len(s) && (s[at] == ' ' || s[at] == '\r') {
		at++
	}
	if at == len(s) || s[at] != '\n' {
		return 0
	}
	own := indent(s, strings.LastIndexByte(s[:i], '\n')+1)
	end := 0
	for at++; at < len(s); {
		deep := indent(s, at)
		stop := lineStop(s, at)
		line := s[at+deep : stop]
		item := strings.HasPrefix(line, "- ")
		if line == "" || deep < own || deep == own && !item {
			break
		}
		from := at + deep
		name, _, ok := strings.Cut(line, ":")
		switch {
		case ok && !item || ok && strings.HasPrefix(line[len(name):], ": "):
			from += len(name) + 1
		case item:
			from++
		default:
			return end
		}
		name = strings.TrimPrefix(name, "- ")
		v := held{from: from, to: stop}
		for v.from < v.to && s[v.from] == ' ' {
			v.from++
		}
		for v.to > v.from && (s[v.to-1] == '\r' || s[v.to-1] == ' ') {
			v.to--
		}
		if open, quote, slashes := closing(s, v.from); quote != 0 && open < v.to {
			v.from, v.to, v.content = open, min(v.to, sc.closeOf(open, quote, slashes, false)), true
		}
		if v.from < v.to && !plainChild[strings.ToLower(name)] && pseudonymAt(s[v.from:v.to]) == 0 {
			if next := sc.hide(held{from: v.from, to: v.to, content: true}, word); next > 0 {
				end = next
			}
		}
		at = stop + 1
	}
	return end
}

// plainChild are the members of credentials that are none.
var plainChild = wordSet("user", "username", "name", "id", "type", "host", "port", "email", "url", "provider", "region", "scope")

// lineStop returns the end of the line that at is in.
func lineStop(s string, at int) int {
	if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(s)
}

func indent(s string, at int) int {
	n := 0
	for at+n < len(s) && (s[at+n] == ' ' || s[at+n] == '\t') {
		n++
	}
	return n
}

// foreign returns the entry of foreignNames that the run s[i:j] ends with, or "".
func foreign(run string) string {
	lower := strings.ToLower(run)
	for _, name := range foreignNames {
		if strings.HasSuffix(lower, name) {
			return name
		}
	}
	return ""
}
