package redact

import "strings"

// Words that stand behind a secret name without being the secret, as in "token: expired".
var harmlessWords = []string{
	"true", "false", "null", "undefined", "none", "nil", "nan", "required", "invalid", "missing",
	"expired", "empty", "no", "yes", "not", "is", "was", "a", "an", "the", "must", "unexpected", "string", "number", "object",
}

// schemes are the words before the credentials of an Authorization header.
var schemes = []string{"bearer", "basic", "digest", "token", "negotiate", "apikey", "hawk", "ntlm", "aws4-hmac-sha256"}

// rareSchemes are such words where the name says so.
var rareSchemes = []string{"oauth", "signature", "sharedkey", "sharedkeylite", "aws", "key", "jwt", "bot", "dpop", "vapid"}

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
	case ' ', '=', ':', '"', '\'', '\\', ']', '%', '+', '`', '\t', '[', '>':
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
	if sc.variables == nil && name != "v" && name != "V" && !sc.r.names.mayMatch(name) {
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
	return sc.hide(sc.several(word, v), word)
}

// wholeName returns the decoded name that ends at j, if it holds escapes: "pass\u0077ord", "pass%77ord".
func (sc *scan) wholeName(i, j int) string {
	k := i
	for k > 0 && i-k < maxNameBytes && strings.IndexByte(`"'?&#;,{ `, sc.s[k-1]) < 0 {
		k--
	}
	if k == i {
		return ""
	}
	name := unescape(sc.s[k:j])
	if strings.IndexByte(name, '%') >= 0 {
		name = unescape(name) // a URL in the query of another one
	}
	return name
}

// twoWords returns the entry that the word before s[i:j] and it pass by together: "API key".
func (sc *scan) twoWords(i, j int) string {
	s := sc.s
	if i < 2 || s[i-1] != ' ' {
		return ""
	}
	switch s[i:j] {
	case "key", "Key", "KEY", "id", "Id", "ID", "code", "Code", "number", "Number", "codes", "Codes", "phrase", "Phrase",
		"words", "passe":
	default:
		return ""
	}
	k := i - 1
	for k > 0 && i-k < maxNameBytes && class[s[k-1]] == wordByte {
		k--
	}
	if k == i-1 {
		return ""
	}
	return sc.r.names.match(s[k:j])
}

// unescape decodes \uXXXX and %XX of ASCII characters; anything else stays.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		digits := ""
		switch {
		case s[i] == '%' && i+2 < len(s):
			digits = s[i+1 : i+3]
		case s[i] == '\\' && i+5 < len(s) && s[i+1] == 'u' && s[i+2:i+4] == "00":
			digits = s[i+4 : i+6]
		}
		if digits == "" || !isHex(digits[0]) || !isHex(digits[1]) {
			b.WriteByte(s[i])
			continue
		}
		b.WriteByte(unhex(digits[0])<<4 | unhex(digits[1]))
		if s[i] == '%' {
			i += 2
		} else {
			i += 5
		}
	}
	return b.String()
}

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// scheme replaces the credentials behind the word Bearer or Basic at s[i:j].
func (sc *scan) scheme(i, j int) int {
	s := sc.s
	isBearer := hasPrefixFold(s[i:j], "bearer")
	if !isBearer && (j-i != 5 || !hasPrefixFold(s[i:j], "basic")) {
		return 0
	}
	v := j
	for v < len(s) && (s[v] == ' ' || s[v] == '+') {
		v++
	}
	if strings.HasPrefix(s[v:], "%20") {
		v += 3
	}
	n := base64Run(s[v:])
	value := s[v : v+n]
	switch {
	case n < 8, !isBearer && !basic(value), isBearer && n < 20 && strings.IndexFunc(value, isDigitRune) < 0:
		return 0
	}
	kind := kindBasic
	if isBearer {
		kind = kindBearer
	}
	if own := wholeToken(value); own != "" {
		kind = own
	}
	sc.replace(v, v+n, kind, value, "")
	return v + n
}

func isDigitRune(c rune) bool { return '0' <= c && c <= '9' }

var endsAuthority = byteSet("/?#\\\"'<> \t\r\n,)")

func byteSet(bytes string) (t [256]bool) {
	for i := range len(bytes) {
		t[bytes[i]] = true
	}
	return t
}

// userinfo replaces user and password of the URL whose authority begins at i.
func (sc *scan) userinfo(i int) int {
	s := sc.s
	const longest = 512
	at := -1
	for k := i; k < len(s) && k-i < longest && !endsAuthority[s[k]]; k++ {
		if s[k] == '@' {
			at = k
		}
	}
	if at <= i {
		return 0
	}
	value := s[i:at]
	if strings.HasPrefix(value, "%3C") && strings.HasSuffix(value, "%3E") &&
		pseudonymAt("<"+value[3:len(value)-3]+">") == len(value)-4 {
		return at
	}
	sc.hits++
	if sc.quiet {
		return at
	}
	sc.out = append(sc.out, s[sc.done:i]...)
	// '<' is not allowed before the host; a URL that was one has to stay one.
	p := sc.r.numbers.of(kindCredentials, value).appendTo(nil, "", true)
	sc.out = append(append(append(sc.out, "%3C"...), p[1:len(p)-1]...), "%3E"...)
	sc.done = at
	sc.note(kindCredentials, "")
	if _, password, ok := strings.Cut(value, ":"); ok {
		sc.learn(password, kindCredentials)
	}
	return at
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
	sep := sc.separator(k, quote != 0)
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
	if quote == 0 && !v.content && v.from < v.to && !sc.field(i, v) {
		if s[v.to-1] == '(' {
			if text, ok := sc.argument(v.to); ok {
				return text, sc.r.names.match(s[text.from:text.to]) == ""
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

// limitUnlessOuter is limit, for a value that is outside of strings when outer is set.
func (sc *scan) limitUnlessOuter(k int, outer bool) int {
	if outer {
		return len(sc.s)
	}
	return sc.limit(k)
}

// closing steps over backslashes and a quote at j. quote is 0 if there is none. slashes is how many
// of the backslashes are the quote's: the others are escaped ones before it.
func closing(s string, j int) (after int, quote byte, slashes int) {
	k := j
	for k < len(s) && s[k] == '\\' {
		k++
	}
	if k < len(s) && (s[k] == '"' || s[k] == '\'' || s[k] == '`') {
		own := 0
		for (k-j)%(2*own+2) != own {
			own = 2*own + 1
		}
		return k + 1, s[k], own
	}
	return j, 0, 0
}

// endsString reports whether what stands at k may follow a string of a JSON document.
func endsString(s string, k int) bool {
	for k < len(s) && (s[k] == ' ' || s[k] == '\t' || s[k] == '\n' || s[k] == '\r') {
		k++
	}
	return k == len(s) || s[k] == ',' || s[k] == ':' || s[k] == ']' || s[k] == '}'
}

// separator returns the length of an assignment at k with the blanks around it, or 0.
func (sc *scan) separator(k int, keyed bool) int {
	s := sc.s
	i := sc.blanks(k)
	if strings.HasPrefix(s[i:], "%22") {
		i += 3
	}
	switch {
	case i == len(s):
		return 0
	case strings.HasPrefix(s[i:], "=>"):
		if !keyed {
			return 0 // the arrow of a function
		}
		i += 2
	case strings.HasPrefix(s[i:], "::"):
		return 0
	case s[i] == '=', s[i] == ':':
		for i++; i < len(s) && s[i] == '='; {
			i++ // := and comparisons
		}
	case hasPrefixFold(s[i:], "%3d"), hasPrefixFold(s[i:], "%3a"):
		i += 3
	case hasPrefixFold(s[i:], "%253d"):
		i += 5 // escaped twice
	default:
		return 0
	}
	return sc.blanks(i) - k
}

// blanks returns the index behind the white space at i; within a document's string, escaped, too.
func (sc *scan) blanks(i int) int {
	s := sc.s
	for i < len(s) {
		switch s[i] {
		case ' ', '\t', '\n', '\r':
			i++
			continue
		case '\\':
			if sc.mode == document && sc.quoted && i+1 < len(s) && (s[i+1] == 'n' || s[i+1] == 't' || s[i+1] == 'r') {
				i += 2
				continue
			}
		}
		return i
	}
	return i
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

// closeOf returns where the content of a string ends whose opening quote, behind so many
// backslashes, is just before from. JSON within JSON doubles the backslashes and adds one per
// level; a string also ends where one around it does.
func (sc *scan) closeOf(from int, quote byte, slashes int, level0 bool) int {
	s := sc.s
	inDocument := sc.mode == document && sc.quoted && !level0
	for i := from; i < len(s); i++ {
		run := i
		for i < len(s) && s[i] == '\\' {
			i++
		}
		if i == len(s) {
			break
		}
		k := i - run
		if s[i] != quote {
			if inDocument && s[i] == '"' && k%2 == 0 {
				return i
			}
			continue
		}
		for own := 0; own <= slashes; own = 2*own + 1 {
			if k%(2*own+2) == own {
				return i - own
			}
		}
	}
	return len(s)
}

// closeBracket returns the index behind the bracket that closes the one at k, or 0.
func (sc *scan) closeBracket(k, slashes int) int {
	s := sc.s
	depth := 0
	for i := k; i < len(s); i++ {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\\', '"':
			after, quote, n := closing(s, i)
			switch {
			case quote == '"' && n < slashes:
				return 0 // the string around it ends first
			case quote == '"':
				end := sc.closeOf(after, '"', n, slashes%2 == 0)
				for end < len(s) && s[end] == '\\' {
					end++
				}
				i = end
			default:
				i++
			}
		}
	}
	return 0
}

// bareEnd returns the end of a value without quotes at k. encoded: the value stands in a URL that is
// itself escaped, so that an escaped '&' ends it.
func (sc *scan) bareEnd(k int, level0, encoded bool) int {
	s := sc.s
	if k < len(s) && s[k] == '<' {
		if n := pseudonymAt(s[k:]); n > 0 {
			return k + n
		}
	}
	for i := k; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\r', '&', '"', '\'', '`':
			return i
		case ',', ';', ')', ']', '}':
			if sc.mode != form {
				return i
			}
		case '#':
			if sc.mode == form {
				return i
			}
		case '%':
			if encoded && (strings.HasPrefix(s[i:], "%26") || strings.HasPrefix(s[i:], "%22")) {
				return i
			}
		case '\\':
			if level0 || i+1 == len(s) {
				return i
			}
			if next := s[i+1]; next == '"' || next == '\\' || sc.mode == document && next != 'u' && next != '/' {
				return i
			}
			if sc.mode == document {
				i += sc.escape(i) - 1
			}
		}
	}
	return len(s)
}
