package redact

import "strings"

// Words that stand behind a secret name without being the secret, as in "token: expired".
var harmlessWords = []string{
	"true", "false", "null", "undefined", "none", "nil", "nan", "required", "invalid", "missing",
	"expired", "empty", "no", "yes", "not", "is", "was", "a", "an", "the", "must", "unexpected", "string", "number",
	"object",
}

// schemes are the words before the credentials of an Authorization header.
var schemes = []string{"bearer", "basic", "digest", "token", "negotiate", "apikey", "hawk", "ntlm", "aws4-hmac-sha256"}

// rareSchemes are such words where the name says so.
var rareSchemes = []string{"oauth", "signature", "sharedkey", "sharedkeylite", "aws", "key", "jwt", "bot", "dpop",
	"vapid"}

// cookieAttributes are the parts of a Set-Cookie that are not the cookie.
var cookieAttributes = []string{"path", "domain", "expires", "max-age", "samesite", "priority", "version"}

// named looks whether the word s[i:j] names a secret, or a scheme, and replaces the value behind it.
// It returns the index behind what it replaced, or 0.
func (sc *scan) named(i, j int) int {
	s := sc.s
	if j == len(s) {
		return 0
	}
	switch s[j] {
	case ' ', '=', ':', '"', '\'', '\\', ']', '%', '+', '`', '\t', '[', '>', '(':
	case '&':
		if !strings.HasPrefix(s[j:], "&gt;") {
			return 0
		}
	default:
		return 0
	}
	if s[j] == ':' && strings.HasPrefix(s[j:], "://") {
		return sc.userinfo(j + 3)
	}
	if n := j - i; (n == 6 || n == 5) && s[i]|0x20 == 'b' && (s[j] == ' ' || s[j] == '+' || s[j] == '%') {
		return sc.scheme(i, j)
	}
	name := s[i:j]
	if sc.nameless || sc.variables == nil && name != "v" && name != "V" && !sc.r.names.mayMatch(name) {
		return 0
	}
	switch name {
	case "value", "Value", "content", "v", "V", "val":
		if end := sc.valueFirst(i, j); end > 0 {
			return end
		}
	}
	word := sc.r.names.match(name)
	if word == "" && i > 0 && s[j] != ' ' {
		word = sc.r.names.match(sc.wholeName(i, j))
	}
	if word == "" || word == "key" || word == "code" {
		if two := sc.twoWords(i, j); two != "" {
			word = two
		}
	}
	if word == "" && i > 0 && s[i-1] == '\\' && sc.mode != document {
		word = sc.r.names.match(s[i+1 : j]) // behind a \n that was printed
	}
	if word == "" && sc.variables != nil && sc.variables[name] && (s[j] == '"' || s[j] == '\\') {
		word = kindSecret
	}
	if word == "" {
		return 0
	}
	if s[j] == '(' {
		return sc.called(i, j, word)
	}
	return sc.namedAs(i, j, word)
}

// namedAs replaces the value behind the name s[i:j], which passed the list as word.
func (sc *scan) namedAs(i, j int, word string) int {
	if end := sc.children(i, j, word); end > 0 {
		return end
	}
	if i > 0 && sc.s[i-1] == '/' && j < len(sc.s) && (sc.s[j] == '"' || sc.s[j] == '\'') {
		return 0 // a path or a package, not the name of a field
	}
	const reach = 512
	if far := j + reach; far < len(sc.s) && queryOnly[word] {
		// Mostly these are no secrets: the whole value is read only if its start may be one.
		near := *sc
		near.s = sc.s[:far]
		if v, ok := near.behind(i, j, word); !ok || v.from >= v.to || near.weak(i, j, word, v) {
			return 0
		}
	}
	v, ok := sc.behind(i, j, word)
	if !ok || v.from >= v.to || sc.weak(i, j, word, v) {
		return 0
	}
	if !v.content && sc.mode != document { // in a document it could reach over the end of its string
		v.to = max(v.to, sc.knownEnd(v.from)) // a value without quotes may hold what seems to end it
	}
	return sc.hide(sc.several(word, v), word)
}

func byteSet(bytes string) (t [256]bool) {
	for i := range len(bytes) {
		t[bytes[i]] = true
	}
	return t
}

// held is where the value behind a name is.
type held struct {
	from, to int
	quote    string // put around a value that had none in a place that needs one
	weak     bool   // only a space stands between
	level0   bool   // the name was a key of the document itself: what follows is outside of strings
	content  bool   // from is inside quotes
	opens    bool   // and the opening one is a quote of the document itself
}

// behind finds the value of the name s[i:j], which passed the list as word.
func (sc *scan) behind(i, j int, word string) (v held, ok bool) {
	s := sc.s
	if i > 0 && (s[j] == '>' || s[j] == '&' || s[j] == ' ' && (s[i-1] == '<' || s[i-1] == ':' || s[i-1] == ';')) {
		if v, ok = sc.element(i, j); ok {
			return v, true
		}
	}
	start := sc.brackets(j) // user[password]=x
	if v, ok, closes := sc.item(i, start); closes {
		return v, ok
	}
	k, quote, slashes := closing(s, start)
	delimiter := ""
	if quote != 0 {
		delimiter = s[k-1-slashes : k]
		if v, ok := sc.part(i, k, delimiter); ok {
			return v, true
		}
		k = sc.brackets(sc.pairValue(i, k, delimiter)) // headers['token'] = x
	}
	// A symbol of Ruby, or a key as PHP prints it: else "=>" is the arrow of a function.
	symbol := i > 0 && (s[i-1] == ':' || s[i-1] == '[' && s[j] == ']')
	sep := sc.separator(k, quote != 0 || symbol)
	if sep == 0 {
		if quote == 0 && k == j && s[j] == ' ' {
			if s[i] == '-' && strings.HasPrefix(s[i:], "--") {
				return sc.optionValue(j + 1)
			}
			return sc.spaced(j+1, word)
		}
		return held{}, false
	}
	k += sep
	if quote == 0 && sc.mode == document && k < len(s) && s[k] == '%' {
		if v, ok := sc.formatted(i, k); ok {
			return v, true
		}
	}
	encoded := isLetter(s[k-1]) // of %3D
	if v, ok = sc.valueAt(k, delimiter, quote, slashes, encoded); !ok {
		return held{}, false
	}
	if sc.knownEnd(v.from) > 0 {
		return v, true // whatever code it looks like
	}
	if quote == 0 && !v.content && v.from < v.to && !sc.field(i, v) {
		if s[v.to-1] == '(' {
			if text, ok := sc.argument(v.to); ok {
				given := s[text.from:text.to]
				return text, pseudonymAt(given) == len(given) || sc.r.names.match(given) == ""
			}
		}
		if sc.code(i, v.from, v.to, word) {
			return held{}, false
		}
	}
	return v, true
}

// valueAt returns the value that begins at k, behind a key in the quotes delimiter, if it has any,
// with so many slashes. encoded: as in bareEnd.
func (sc *scan) valueAt(k int, delimiter string, quote byte, slashes int, encoded bool) (v held, ok bool) {
	s := sc.s
	keyed := quote != 0
	v.level0 = keyed && sc.mode == document && sc.quoted && quote == '"' && slashes%2 == 0
	v.quote = delimiter
	k = sc.literal(k)
	open, q, opened := closing(s, k)
	if q != 0 && sc.mode == document && sc.quoted && !v.level0 && q == '"' && opened%2 == 0 && endsString(s, open) {
		return held{}, false // the quote that ends the string around the name
	}
	if strings.HasPrefix(s[k:], "%22") {
		k += 3
	}
	switch {
	case q != 0:
		v.from, v.quote, v.content = open, "", true
		v.opens = q == '"' && opened%2 == 0
		v.to = sc.closeOf(open, q, opened, v.level0)
	case k < len(s) && (s[k] == '{' || s[k] == '[') && (keyed || sc.mode != document):
		if !keyed && sc.unclosed {
			return held{}, false
		}
		v.from, v.to = k, sc.closeBracket(k, slashes)
		if v.to == 0 && !keyed {
			sc.unclosed = true
			return held{}, false
		}
		if v.to == 0 {
			v.to = sc.limitUnlessOuter(k, v.level0)
		}
	default:
		v.from, v.to = k, sc.bareEnd(k, v.level0, encoded)
	}
	return v, true
}

// spaced takes the word at k as the value of the name before the space, if it can hardly be prose:
// letters and digits, six or more, in quotes or not; behind a word for passwords, any one word in quotes.
// "is" or "was" may stand between, and with a colon behind it anything is the value.
func (sc *scan) spaced(k int, word string) (held, bool) {
	s := sc.s
	if strings.HasPrefix(s[k:], "is: ") {
		k += len("is: ")
		return held{from: k, to: sc.bareEnd(k, false, false)}, true
	}
	for _, verb := range [...]string{"is ", "was "} {
		k += len(s[k:]) - len(strings.TrimPrefix(s[k:], verb))
	}
	v := held{from: k, weak: true}
	open, quote, slashes := closing(s, k)
	if quote != 0 {
		if sc.mode == document && sc.quoted && quote == '"' && slashes%2 == 0 {
			return held{}, false // the end of the string around it
		}
		v.from, v.content, v.opens = open, true, quote == '"' && slashes%2 == 0
		v.to = sc.closeOf(open, quote, slashes, false)
	} else {
		v.to = sc.bareEnd(k, false, false)
	}
	if at, _ := nextPseudonym(s[:v.to], v.from); at < v.to {
		return held{}, false // what is secret in it is hidden already
	}
	value := s[v.from:v.to]
	spoken := quote != 0 && len(value) >= 4 && strings.HasPrefix(word, "pass") && !strings.ContainsAny(value, " <>,:=")
	return v, spoken || alphanumeric(value)
}

// optionValue returns the word at k, the value of an option such as --password.
func (sc *scan) optionValue(k int) (held, bool) {
	s := sc.s
	if open, quote, slashes := closing(s, k); quote != 0 {
		if sc.mode == document && sc.quoted && quote == '"' && slashes%2 == 0 {
			return held{}, false // the end of the string around it
		}
		to := sc.closeOf(open, quote, slashes, false)
		return held{from: open, to: to, content: true, opens: quote == '"' && slashes%2 == 0}, true
	}
	v := held{from: k, to: sc.bareEnd(k, false, false), weak: true}
	if v.from == v.to || strings.IndexByte("-<[{$(|", s[k]) >= 0 {
		return held{}, false
	}
	return v, true
}
