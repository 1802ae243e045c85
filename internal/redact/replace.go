package redact

import "strings"

// What is put where a secret was, and what is learned from it.

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

// hit counts a secret.
func (sc *scan) hit() {
	sc.hits++
	if sc.pass != nil {
		sc.pass.hits++
	}
}

// put is replace with text before and after the pseudonym.
func (sc *scan) put(from, to int, before, kind, value, what, after string) {
	if sc.hit(); sc.quiet {
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

// learn remembers the value of the name that passed the list as word, and of a list each of its strings.
func (sc *scan) learn(value, word string) {
	if sc.quiet {
		return
	}
	if strings.HasPrefix(value, "[") || plural(word) {
		for l := range leaves(value) {
			if item := value[l.from:l.to]; item != value && (l.quoted || plural(word)) && !strings.HasPrefix(item, "[") {
				sc.learn(item, word)
			}
		}
		if strings.HasPrefix(value, "[") {
			return
		}
	}
	if sc.r.known.learn(value, word != "cookie" && word != "set_cookie" && word != "link" && !queryOnly[word], false) {
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

// knownEnd returns the end of the known value that begins at from, or 0.
func (sc *scan) knownEnd(from int) int {
	if sc.r.known.count.Load() == 0 {
		return 0
	}
	i := from
	for i < len(sc.s) && i-from < minKnown && class[sc.s[i]] != wordByte {
		i++
	}
	if start, to := sc.r.known.find(sc.s, i); start == from {
		return to
	}
	return 0
}

// known replaces the known value s[from:to] if the document stays one, and reports whether it did.
func (sc *scan) known(from, to int, kind, value string) bool {
	s := sc.s
	if sc.mode == document && sc.quoted {
		for i := from; i < to; i++ {
			if s[i] == '"' {
				return false // it reaches over the end of its string
			}
			if s[i] == '\\' {
				i++
			}
		}
	}
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
