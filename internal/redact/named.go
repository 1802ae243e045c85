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
	case ' ', '=', ':', '"', '\'', '\\', ']', '%', '+', '`', '\t', '[', '>', '(', '<', ',', '|':
	case '.':
		if !strings.HasPrefix(s[j:], "..") {
			return 0
		}
	case '&':
		if angle(s, j, '>') == 0 && angle(s, j, '<') == 0 && writtenQuote(s, j) == "" && writtenEquals(s, j) == 0 {
			return 0
		}
	default:
		if wideBehind(s, j) == 0 && arrow(s, j) == 0 {
			return 0
		}
	}
	if s[j] == ':' && strings.HasPrefix(s[j:], "://") {
		return sc.userinfo(j + 3)
	}
	if s[j] == ',' {
		if sc.nameless || !sc.r.names.mayMatch(s[i:j]) {
			return 0
		}
		return sc.tuple(i, j)
	}
	if n := angle(s, j, '<'); n > 0 {
		if sc.nameless || !sc.r.names.mayMatch(s[i:j]) {
			return 0
		}
		return sc.sibling(i, j, n)
	}
	if n := j - i; (n == 6 || n == 5) && s[i]|0x20 == 'b' && (hasPrefixFold(s[i:j], "bearer") || hasPrefixFold(s[i:j], "basic")) && (s[j] == ' ' || s[j] == '+' || s[j] == '%') {
		return sc.scheme(i, j)
	}
	name := s[i:j]
	if name == "data" && sc.ofSecret() {
		return sc.namedAs(i, j, "secrets")
	}
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
		i = min(i+behindEscape(s[i:j]), j) // behind a \n, a quote or an angle that was printed
		word = sc.r.names.match(s[i:j])
	}
	if word == "" && len(name) > 2 && s[i] == '-' && strings.IndexByte("DPEe", s[i+1]) >= 0 {
		word = sc.r.names.match(name[2:]) // -Dpassword=x, of the JVM
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

// ofSecret reports whether the text has an object of Kubernetes that is a Secret, whose data may have any names.
func (sc *scan) ofSecret() bool {
	if !sc.asked {
		sc.asked = true
		for rest := sc.s; !sc.secret; {
			_, behind, ok := strings.Cut(rest, "kind")
			if !ok {
				break
			}
			behind = behind[:min(len(behind), maxNameBytes)]
			of := strings.TrimLeft(behind, `"\' :`)
			sc.secret = strings.Contains(behind[:len(behind)-len(of)], ":") && strings.HasPrefix(of, "Secret") &&
				(len(of) == len("Secret") || class[of[len("Secret")]] != wordByte)
			rest = rest[strings.Index(rest, "kind")+len("kind"):]
		}
	}
	return sc.secret
}

// namedAs replaces the value behind the name s[i:j], which passed the list as word.
func (sc *scan) namedAs(i, j int, word string) int {
	if end := sc.children(i, j, word); end > 0 {
		return end
	}
	if end := sc.block(i, j, word); end > 0 {
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
	end := sc.hide(sc.several(word, v), word)
	if v.content && end == v.to && sc.mode != form {
		return sc.replaced(end, word)
	}
	return end
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
	apart    bool   // a list of which only the items are hidden that look like secrets
}

// behind finds the value of the name s[i:j], which passed the list as word.
func (sc *scan) behind(i, j int, word string) (v held, ok bool) {
	s := sc.s
	if i > 3 && s[i-1] == '=' && s[j] == ' ' {
		if v, ok = sc.bareAttribute(i, j); ok {
			return v, true
		}
	}
	if i > 0 && plural(word) {
		if v, ok = sc.elements(i, j); ok {
			return v, true
		}
	}
	if i > 0 && (s[j] == '>' || s[j] == '&' || s[j] == '\\' || s[j] == ' ' && (s[i-1] == '<' || s[i-1] == ':' || s[i-1] == ';' || s[i-1]|0x20 == 'c')) {
		if v, ok = sc.element(i, j); ok {
			return v, true
		}
	}
	if v, ok, is := sc.written(j); is {
		return v, ok
	}
	start := sc.brackets(j) // user[password]=x
	if v, ok, closes := sc.item(i, start, word); closes {
		return v, ok
	}
	k, quote, slashes := closing(s, start)
	delimiter := ""
	if quote != 0 {
		delimiter = s[k-1-slashes : k]
		if v, ok := sc.part(i, k, delimiter); ok {
			return v, true
		}
		at := sc.pairValue(i, k, delimiter)
		if v, ok := sc.attributed(i, k, delimiter); ok && at == k {
			return v, true
		}
		k = sc.brackets(at) // headers['token'] = x
	}
	// A symbol of Ruby, or a key as PHP prints it: else "=>" is the arrow of a function.
	symbol := i > 0 && (s[i-1] == ':' || s[i-1] == '[' && (s[j] == ']' || s[k-1] == ']'))
	if quote == 0 && k == j {
		for k < len(s) && s[k] == '.' {
			k++ // password......: x
		}
		k = sc.remark(k)
	}
	dotted := k > j
	sep := sc.separator(k, quote != 0 || symbol)
	if quote == 0 && !symbol && !dotted && sep == 0 {
		if v, ok := sc.pointed(i, j); ok {
			return v, true
		}
		if v, ok := sc.besideBar(i, j); ok {
			return v, true
		}
	}
	if quote == '`' && sep == 0 {
		if v, ok := sc.besideBar(i, j); ok {
			return v, true
		}
	}
	if sep == 0 {
		if dotted && sc.mode == plain && quote == 0 && k < len(s) && s[k] == ' ' {
			return sc.spaced(k+1, word)
		}
		if n := wideBlank(s, j); quote == 0 && k == j && n > 0 && sc.mode != form {
			return sc.spaced(j+n, word)
		}
		if quote == 0 && k == j && (s[j] == ' ' || s[j] == '\t' || s[j] == '\\') && sc.mode != form {
			if v, ok := sc.directive(i, j); ok {
				return v, true
			}
			if hasPrefixFold(s[j:], " for ") && hasPrefixFold(s[max(0, i-len("set ")):i], "set ") {
				return sc.passwordFor(j)
			}
		}
		if quote == 0 && k == j && s[j] == ' ' {
			if s[i] == '-' && strings.HasPrefix(s[i:], "--") {
				return sc.optionValue(j + 1)
			}
			return sc.spaced(j+1, word)
		}
		return held{}, false
	}
	k += sep
	if value := sc.properties(k); sc.mode == plain && value > k && value < len(s) && s[k-1] == ' ' && strings.HasPrefix(s[j:], ":") &&
		(class[s[value]] == wordByte || s[value] == '"' || s[value] == '\'' || pseudonymAt(s[value:]) > 0) {
		k = value
	}
	if quote == 0 && sc.mode == document && k < len(s) && s[k] == '%' {
		if v, ok := sc.formatted(i, k, word); ok {
			return v, true
		}
	}
	k = sc.typed(k)
	if plural(word) && sc.mode != form {
		if quote == 0 && sc.mode == document && k < len(s) && (s[k] == '[' || s[k] == '{') {
			if end := sc.closeRound(k); end > 0 {
				return held{from: k, to: end}, true
			}
		}
		if v, ok := sc.constructed(k); ok {
			v.level0 = quote != 0 && sc.mode == document && sc.quoted && quote == '"' && slashes%2 == 0
			return v, !v.level0
		}
	}
	encoded := isLetter(s[k-1]) || strings.HasSuffix(s[:k], "%2522") // of %3D
	if v, ok = sc.valueAt(k, delimiter, quote, slashes, encoded); !ok {
		return held{}, false
	}
	if quote == 0 && s[k-1] == '=' && !v.content && strings.IndexByte(s[v.from:v.to], '>') > 0 && sc.inTag(i) {
		v = sc.tagValue(v)
	}
	if quote == 0 && !v.content && v.from < v.to && sc.breaks(k-sep, k) && (s[v.to-1] == ':' || s[v.from:v.to] == "-") ||
		quote == 0 && !v.content && onlyEscapes(s[v.from:v.to]) {
		return held{}, false // what stands below the name has names or items of its own
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

// onlyEscapes reports whether a value is the end of a line as strings write it, also behind the sign of a block of YAML.
func onlyEscapes(value string) bool {
	value = strings.TrimLeft(value, "|>+-")
	if !strings.HasPrefix(value, `\`) {
		return false
	}
	for value != "" {
		rest := strings.TrimLeft(value, `\`)
		if len(rest) == len(value) || rest == "" || strings.IndexByte("nrt", rest[0]) < 0 {
			return false
		}
		value = rest[1:]
	}
	return true
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
	case q != 0 && q != '`' && opened == 0 && (sc.mode != document || q != '"') && strings.HasPrefix(s[open:], s[open-1:open]+s[open-1:open]):
		mark := s[open-1 : open+2] // of a text of several lines
		v.from, v.quote, v.content = open+2, "", true
		v.to = sc.upTo(v.from, mark)
	case strings.HasPrefix(s[k:], "<<") && sc.heredoc(k) > 0:
		v.from, v.quote, v.content = sc.heredoc(k), "", true
		word := strings.Trim(s[k+2:v.from], "-~ \r\n\"'")
		v.to = v.from
		for v.to < len(s) && strings.TrimSpace(s[v.to:lineStop(s, v.to)]) != word {
			v.to = min(len(s), lineStop(s, v.to)+1)
		}
		for v.to > v.from && (s[v.to-1] == '\n' || s[v.to-1] == '\r') {
			v.to--
		}
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

// heredoc returns where the lines begin that follow "<<EOF" at k, or 0.
func (sc *scan) heredoc(k int) int {
	s := sc.s
	i := k + 2
	for i < len(s) && i-k < maxNameBytes && (class[s[i]] == wordByte || s[i] == '~' || s[i] == '"' || s[i] == '\'') {
		i++
	}
	word := i
	if i < len(s) && s[i] == '\r' {
		i++
	}
	if sc.mode == document || word < k+4 || i >= len(s) || s[i] != '\n' {
		return 0
	}
	return i + 1
}

// typed returns the index behind the type and the sign at k, of a declaration: password: str = 'x', let password: &str = "x"; else k.
func (sc *scan) typed(k int) int {
	s := sc.s
	const longest = 40
	if k == len(s) || !isLetter(s[k]) && s[k] != '&' && s[k] != '*' {
		return k
	}
	i := k
	for i < len(s) && i-k < longest && (s[i] != ' ' || i+1 < len(s) && (s[i+1] == '=' || s[i+1] == '|' || s[i-1] == '|')) && (class[s[i]] == wordByte || strings.IndexByte("&*<>[]|.?! ", s[i]) >= 0) {
		i++
	}
	if i == k || i == len(s) || s[i] != '=' || s[i-1] != ' ' || class[s[k]] != wordByte && s[k] != '&' && s[k] != '*' {
		return k
	}
	at := sc.literal(sc.blanks(i + 1))
	_, quote, slashes := closing(s, at)
	if quote == 0 || sc.mode == document && sc.quoted && quote == '"' && slashes%2 == 0 || strings.Contains(s[k:i], "  ") {
		return k
	}
	return sc.blanks(i + 1)
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
	if v, ok := sc.announced(k); ok {
		return v, true
	}
	if at := sc.typed(k); at > k { // var password string = "x"
		v, _ := sc.valueAt(at, "", 0, 0, false)
		return v, v.content
	}
	if hasPrefixFold(s[k:], "in (") || hasPrefixFold(s[k:], "in(") { // of SQL
		from := k + strings.IndexByte(s[k:], '(') + 1
		if open, quote, _ := closing(s, from); quote == '\'' {
			end := min(len(s), from+maxBetween)
			if sc.mode == document && sc.quoted {
				near := *sc
				near.s = s[:end]
				end = near.limit(from)
			}
			if stop := strings.IndexByte(s[open:max(open, end)], ')'); stop > 0 && s[open+stop-1] == '\'' {
				return held{from: open, to: open + stop - 1, content: true}, true
			}
		}
	}
	if v, ok := sc.constructed(k); plural(word) && k < len(s) && strings.IndexByte("([", s[k]) >= 0 {
		if s[k] == '[' {
			v, ok = held{from: k, to: sc.closeRound(k)}, true
		}
		v.apart = true
		return v, ok
	}
	begin := k
	for _, verb := range [...]string{"is ", "was ", "are "} {
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
	if strings.HasPrefix(value, "(") {
		return held{}, false // what is said of the name
	}
	if code := strings.TrimRight(value, ".!"); k > begin && onceNames[word] && onceCode(code) {
		v.to = v.from + len(code)
		return v, true // "Your verification code is 482913."
	}
	const reach = 160
	if before := s[max(0, k-reach):k]; quote == '\'' && (containsFold(before, "create ") || containsFold(before, "alter ")) {
		for _, whose := range [...]string{" user ", " role ", " login "} {
			if containsFold(before, whose) {
				return v, v.from < v.to // of SQL
			}
		}
	}
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
	value := s[v.from:v.to]
	if value == "" || strings.IndexByte("-<[{$(|", s[k]) >= 0 || value == strings.ToUpper(value) && sc.r.names.match(value) != "" {
		return held{}, false
	}
	return v, true
}
