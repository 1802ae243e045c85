package redact

import "strings"

// mode says what a text is made of, where that changes how a secret may be replaced.
type mode uint8

const (
	plain    mode = iota // prose, stacks, anything
	form                 // a URL, or fields joined by '&'
	document             // JSON, perhaps cut at its end: what was valid stays valid
)

// The classes of bytes. Only a byte with a class of its own can begin or end a candidate.
const (
	otherByte = iota
	wordByte  // letters, digits, '_' and '-': names and tokens are runs of them
)

var class = classes()

func classes() *[256]uint8 {
	var c [256]uint8
	for b := range 256 {
		if x := byte(b); isLetter(x) || isDigit(x) || x == '_' || x == '-' {
			c[b] = wordByte
		}
	}
	return &c
}

// scan is one pass over one text. It copies nothing until the first secret is found.
type scan struct {
	r     *Redactor
	s     string
	mode  mode
	place string
	pass  *pass // the walk over a batch that this is a part of, or nil
	quiet bool  // only count hits: no numbers, no findings

	out    []byte
	done   int  // s[:done] is in out
	hits   int  // secrets found, pseudonyms renumbered
	state  int  // how far the text was read to know quoted
	quoted bool // in a document: inside a string of its outermost level

	declared  []string        // variables that stand for secrets, to be looked for in another pass
	variables map[string]bool // the same, in that pass

	learned  bool // a value that was not known before
	unclosed bool // a bracket was not closed: looking again would cost the whole rest each time
}

// run looks at the words that pass the gate and returns the text without secrets.
func (sc *scan) run() string {
	s := sc.s
	w := newWalk(s, sc.r)
	w.all = sc.variables != nil
	for at := 0; ; {
		i, j := w.next(at)
		if i == len(s) {
			break
		}
		at = sc.word(i, j)
	}
	if sc.done == 0 {
		return s
	}
	sc.out = append(sc.out, s[sc.done:]...)
	return string(sc.out)
}

// word looks closely at the word s[i:j] and returns where to go on: j, or behind what it replaced.
func (sc *scan) word(i, j int) int {
	s := sc.s
	i = sc.advance(i, j)
	if i > 0 && s[i-1] == '<' {
		if n := sc.angle(i - 1); n > 1 {
			sc.state = i - 1 + n
			return sc.state
		}
	}
	if sc.r.masked.count.Load() > 0 {
		if end := sc.maskedAt(i); end > 0 {
			sc.state = end
			return end
		}
	}
	if hasHigh(s[i:j]) {
		if name := foreign(s[i:j]); name != "" && j < len(s) && behind[s[j]]&behindName != 0 {
			if next := sc.namedAs(j-len(name), j, "password"); next > 0 {
				sc.state = next
				return next
			}
		}
	}
	for at := i; at < j; {
		if class[s[at]] != wordByte {
			at++
			continue
		}
		end := at + 1
		for end < j && class[s[end]] == wordByte {
			end++
		}
		if next := sc.ascii(at, end); next != end {
			sc.state = next
			return next
		}
		at = end
	}
	return j
}

func hasHigh(s string) bool {
	high := byte(0)
	for i := range len(s) {
		high |= s[i]
	}
	return high >= 0x80
}

// advance moves the state of the scan to i, the start of a word that ends at j, and returns where the word begins
// without the escape that it may seem to be a part of.
func (sc *scan) advance(i, j int) int {
	s := sc.s
	k := sc.state
	if sc.mode == document {
		for k < i {
			switch s[k] {
			case '"':
				sc.quoted = !sc.quoted
				k++
			case '\\':
				k += sc.escape(k)
			default:
				k++
			}
		}
	}
	k = max(k, i)
	if i > 1 && s[i-1] == '%' && j-i >= 2 && isHex(s[i]) && isHex(s[i+1]) {
		k = max(k, i+2)
	}
	sc.state = k
	return min(k, j)
}

// escape returns the length of what a backslash at i begins. Outside of documents a backslash
// stands for itself, as it does in one before anything that makes no escape; what follows it is
// looked at as a word.
func (sc *scan) escape(i int) int {
	s := sc.s
	if sc.mode != document || i+1 == len(s) {
		return 1
	}
	switch s[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if i+6 <= len(s) && isHex(s[i+2]) && isHex(s[i+3]) && isHex(s[i+4]) && isHex(s[i+5]) {
			return 6
		}
	}
	return 1
}

// angle steps over a pseudonym at i, numbering it if the page made it, or over '<'.
func (sc *scan) angle(i int) int {
	if n := pseudonymAt(sc.s[i:]); n > 0 && sc.harmless(sc.s[i:i+n]) {
		return n
	}
	kind, n := pagePseudonymAt(sc.s[i:])
	if n == 0 {
		return 1
	}
	sc.replace(i, i+n, kind, sc.s[i:i+n], "")
	return n
}

// harmless reports whether a pseudonym of ours says nothing secret in its claims.
func (sc *scan) harmless(p string) bool {
	_, rest, ok := strings.Cut(p, " iss=")
	if !ok {
		return true
	}
	iss, _, _ := strings.Cut(rest, " ")
	return sc.r.harmlessIssuer(strings.TrimSuffix(iss, ">"))
}

// replace puts the pseudonym of value where s[from:to] was. The place is noted with what, which is
// "" or the entry of the name list.
func (sc *scan) replace(from, to int, kind, value, what string) {
	sc.put(from, to, "", kind, value, what, "")
}

// put is replace with text before and after the pseudonym.
func (sc *scan) put(from, to int, before, kind, value, what, after string) {
	sc.hits++
	if sc.quiet {
		return
	}
	claims := ""
	if kind == kindJWT && sc.mode != form {
		claims = sc.r.jwtClaims(value)
	}
	sc.out = append(sc.out, sc.s[sc.done:from]...)
	sc.out = append(sc.out, before...)
	sc.out = sc.r.numbers.of(kind, value).appendTo(sc.out, claims, sc.mode == form || sc.inQuery(from))
	sc.out = append(sc.out, after...)
	sc.done = to
	if _, page := pagePseudonymAt(value); page != 0 {
		sc.learned = sc.r.masked.remember(value) || sc.learned
	} else {
		sc.note(kind, what)
		if what != "" || kind == kindBearer || kind == kindBasic {
			sc.learn(value, what)
		}
	}
}

// learn remembers the value of the name that passed the list as word.
func (sc *scan) learn(value, word string) {
	if sc.r.known.learn(value, word != "cookie" && word != "set_cookie" && word != "link" && !queryOnly[word]) {
		sc.learned = true
	}
}

// knownAt replaces a known value whose first word begins at i, or within the word s[i:j], and returns the index
// behind it, or 0.
func (sc *scan) knownAt(i, j int) int {
	s := sc.s
	for at := i; at < j; at++ {
		escape := i > 0 && s[i-1] == '\\' && (at == i+1 || at == i+5) // of a printed "\n" or "\u003d"
		if at > i && s[at-1] != '_' && s[at-1] != '-' && !escape {
			continue
		}
		from, to := sc.r.known.find(s, at)
		if to == 0 || from < sc.done {
			continue
		}
		if sc.mode == document && !sc.quoted && from != at ||
			sc.mode == document && strings.IndexByte(s[from:to], '"') >= 0 && s[max(0, to-1)] == '\\' {
			continue
		}
		if sc.known(from, to, kindSecret, s[from:to]) {
			return to
		}
	}
	return 0
}

// known replaces the known value s[from:to] if the document stays one, and reports whether it did.
func (sc *scan) known(from, to int, kind, value string) bool {
	s := sc.s
	if sc.mode != document || sc.quoted {
		sc.replace(from, to, kind, value, "")
		return true
	}
	// A number of the document itself: what stands for it has to be a string.
	if to < len(s) && strings.IndexByte(",]} \t\r\n", s[to]) < 0 ||
		from > 0 && strings.IndexByte(":,[ \t\r\n", s[from-1]) < 0 {
		return false
	}
	sc.put(from, to, `"`, kind, value, "", `"`)
	return true
}

// inQuery reports whether the value at from stands in the query of a URL within a text.
func (sc *scan) inQuery(from int) bool {
	i := from - 1
	if i < 0 || sc.s[i] != '=' {
		return false
	}
	for i > 0 && from-i < maxNameBytes && class[sc.s[i-1]] == wordByte {
		i--
	}
	return i > 0 && (sc.s[i-1] == '?' || sc.s[i-1] == '&')
}

// ascii looks at the run s[i:j] of ASCII letters, digits, '_' and '-', and returns where to go on.
func (sc *scan) ascii(i, j int) int {
	if sc.r.known.count.Load() > 0 {
		if end := sc.knownAt(i, j); end > 0 {
			return end
		}
	}
	if end := sc.value(i, j); end > 0 {
		// A name may end in what looks like a token: "ghp_…_password: x" hides both.
		if end != j {
			return end
		}
		if next := sc.named(i, j); next > 0 {
			return next
		}
		return end
	}
	if next := sc.named(i, j); next > 0 {
		return next
	}
	if next := sc.phrase(i, j); next > 0 {
		return next
	}
	return j
}

// value replaces a secret that shows itself by its form and returns the index behind it, or 0.
func (sc *scan) value(i, j int) int {
	s := sc.s
	switch c := s[i]; {
	case isDigit(c):
		if n := sc.number(i, j); n > 0 {
			return n
		}
	case c == '-' && (s[i:j] == "-u" || s[i:j] == "--user"):
		return sc.login(j)
	case c == '-' && (strings.HasPrefix(s[i:], "-----BEGIN") || strings.HasPrefix(s[i:], "---- BEGIN")):
		if n := sc.privateKey(i); n > 0 {
			return n
		}
	}
	if end := sc.token(i, j); end > 0 {
		return end
	}
	if at := sc.afterEscape(i, j); at > 0 {
		if end := sc.token(at, j); end > 0 {
			return end
		}
	}
	if j-i >= longWord || j < len(s) && (s[j] == '+' || s[j] == '/') {
		return sc.longRandom(i)
	}
	return 0
}

// token replaces the token whose first word is s[i:j] and returns the index behind it, or 0. It steps over the data
// of a data URL, in which anything may be found.
func (sc *scan) token(i, j int) int {
	s := sc.s
	switch {
	case j-i == len("base64") && j < len(s) && s[j] == ',' && s[i:j] == "base64":
		if n := base64Run(s[j+1:]); n >= longWord {
			return j + 1 + n
		}
		return 0
	case strings.HasPrefix(s[i:j], "PuTTY-User-Key-File-"):
		end := sc.limit(i)
		sc.replace(i, end, kindPrivateKey, s[i:end], "")
		return end
	}
	kind, from, to := tokenAt(s[i:], j-i)
	if to == 0 && i > 0 && i-1 >= sc.done && (s[i-1] == '+' || s[i-1] == '/') {
		if kind, from, to = tokenAt(s[i-1:], 0); to > 0 { // base64 may begin with either
			i--
		}
	}
	if to == 0 {
		return 0
	}
	sc.replace(i+from, i+to, kind, s[i+from:i+to], "")
	return i + to
}

// afterEscape returns where the word begins if its first letters belong to an escape ("\nAKIA…",
// "\u003dAKIA…"), else 0.
func (sc *scan) afterEscape(i, j int) int {
	if i == 0 || sc.s[i-1] != '\\' {
		return 0
	}
	if sc.s[i] == 'u' && j-i > 5 {
		return i + 5
	}
	if j-i > 1 {
		return i + 1
	}
	return 0
}

// number replaces a card or social security number and returns the index behind it, or 0.
func (sc *scan) number(i, j int) int {
	s := sc.s
	if i > 0 && (s[i-1] == '.' || s[i-1] >= 0x80) {
		return 0
	}
	if n := ssnAt(s[i:]); n > 0 {
		sc.replace(i, i+n, kindSSN, s[i:i+n], "")
		return i + n
	}
	if j-i < 14 && (j-i != 4 || j == len(s) || s[j] != ' ' && s[j] != '+') {
		return 0
	}
	n := cardAt(s[i:])
	if n == 0 {
		return 0
	}
	digits := strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return -1
		}
		return c
	}, s[i:i+n])
	if sc.mode == document && !sc.quoted {
		// A number of the document itself: what stands for it has to be a string.
		if i+n < len(s) && strings.IndexByte(",]} \t\r\n", s[i+n]) < 0 {
			return 0
		}
		sc.put(i, i+n, `"`, kindCard, digits, "", `"`)
		return i + n
	}
	sc.replace(i, i+n, kindCard, digits, "")
	return i + n
}

// privateKey replaces a PEM block, also one that was cut, and returns the index behind it, or 0.
func (sc *scan) privateKey(i int) int {
	s := sc.s
	head := s[i:min(len(s), i+64)]
	at := strings.Index(head, "PRIVATE KEY")
	if at < 0 {
		return 0
	}
	limit := sc.limit(i)
	end := limit
	body := i + at + len("PRIVATE KEY")
	if body > limit {
		return 0
	}
	mark, dashes := "-----END", "-----"
	if s[i+4] == ' ' { // the form of RFC 4716
		mark, dashes = "---- END", "----"
	}
	if stop := strings.Index(s[body:limit], mark); stop >= 0 {
		tail := body + stop + len(mark)
		if last := strings.Index(s[tail:limit], dashes); last >= 0 {
			end = tail + last + len(dashes)
		}
	}
	sc.replace(i, end, kindPrivateKey, s[i:end], "")
	return end
}

// limit returns the end of the string that i is in, for a document, else the end of the text.
func (sc *scan) limit(i int) int {
	if sc.mode != document || !sc.quoted {
		return len(sc.s)
	}
	for i < len(sc.s) && sc.s[i] != '"' {
		if sc.s[i] == '\\' {
			i++
		}
		i++
	}
	return min(i, len(sc.s))
}

// longRandom replaces a long random value behind a suspicious name; its first word begins at i.
func (sc *scan) longRandom(i int) int {
	s := sc.s
	from := i
	if i > 1 && (s[i-1] == '/' || s[i-1] == '+') && strings.IndexByte(`:="'`, s[i-2]) >= 0 {
		from-- // base64 may begin with either
	}
	k := from
	for k > 0 && from-k < 8 && strings.IndexByte(`:= "'\`, s[k-1]) >= 0 {
		k--
	}
	if k == from || k == 0 {
		return 0
	}
	n := k
	for n > 0 && k-n < maxNameBytes && class[s[n-1]] == wordByte {
		n--
	}
	if !suspicious(s[n:k]) {
		return 0
	}
	// Only what may be a secret is looked through to its end.
	if !random(s[from : from+base64Run(s[from:min(len(s), from+maxRandom)])]) {
		return 0
	}
	length := base64Run(s[from:])
	sc.replace(from, from+length, kindSecret, s[from:from+length], "")
	return from + length
}
