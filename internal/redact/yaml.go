package redact

import "strings"

// Values that are indented below a name.

// children replaces the values of the lines that are indented below "credentials:" in YAML; below "password:", single words
// that are items of a list. It returns the index behind them, or 0.
func (sc *scan) children(i, j int, word string) int {
	s := sc.s
	if sc.mode == document || j == len(s) || s[j] != ':' || queryOnly[word] {
		return 0
	}
	several := strings.HasSuffix(word, "s") || strings.HasPrefix(word, "credential") || word == "string_data"
	at := j + 1
	for at < len(s) && (s[at] == ' ' || s[at] == '\r') {
		at++
	}
	if at == len(s) || s[at] != '\n' {
		return 0
	}
	own := indent(s, strings.LastIndexByte(s[:i], '\n')+1)
	end := 0
	known := 0 // behind the colon, when lines below it were read: what is no secret in them is no value of the name
	for at++; at < len(s); {
		deep := indent(s, at)
		stop := lineStop(s, at)
		line := s[at+deep : stop]
		item := strings.HasPrefix(line, "- ")
		if line == "" || deep < own || deep == own && !item || !several && !item {
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
			sc.listed = max(sc.listed, at)
			return max(end, known)
		}
		if known = j + 1; at < sc.listed {
			return known // they were read below another name
		}
		name = strings.TrimPrefix(name, "- ")
		v := held{from: min(sc.properties(from), stop), to: stop}
		if v.from < v.to && (s[v.from] == '|' || s[v.from] == '>') {
			if from, to := sc.below(at+deep, v.from); from > 0 {
				v.from, v.to, stop = from, to, lineStop(s, to)
			}
		}
		for v.to > v.from && (s[v.to-1] == '\r' || s[v.to-1] == ' ') {
			v.to--
		}
		if open, quote, slashes := closing(s, v.from); quote != 0 && open < v.to {
			v.from, v.to, v.content = open, min(v.to, sc.closeOf(open, quote, slashes, false)), true
		}
		if !several && !v.content && (ok || harmlessWord(s[v.from:v.to]) || strings.Contains(s[v.from:v.to], " ")) {
			v.to = v.from
		}
		if v.from < v.to && pseudonymAt(s[v.from:v.to]) == 0 {
			next := 0
			if plainChild[strings.ToLower(name)] {
				next = sc.within(v.from, v.to)
			} else {
				next = sc.hide(held{from: v.from, to: v.to, content: true}, word)
			}
			end = max(end, next)
		}
		at = stop + 1
	}
	sc.listed = max(sc.listed, at)
	return max(end, known)
}

// block replaces the text that is indented below "password: |" in YAML, 8.1 of its specification. It returns the index
// behind it, or 0.
func (sc *scan) block(i, j int, word string) int {
	s := sc.s
	if sc.mode == document || j == len(s) || s[j] != ':' || queryOnly[word] {
		return 0
	}
	at := sc.properties(j + 1)
	if at == len(s) || s[at] != '|' && s[at] != '>' {
		return 0
	}
	from, to := sc.below(i, at)
	if from == 0 {
		return 0
	}
	if pseudonymAt(s[from:to]) == to-from {
		return to
	}
	return sc.hide(held{from: from, to: to, content: true}, word)
}

// below returns where the text is that is indented below the line of i and of the sign of a block at k; 0 where none is.
func (sc *scan) below(i, k int) (from, to int) {
	s := sc.s
	if i < sc.blockless {
		return 0, 0
	}
	sign := k + 1
	for sign < len(s) && (s[sign] == '+' || s[sign] == '-' || isDigit(s[sign]) || s[sign] == ' ' || s[sign] == '\r') {
		sign++
	}
	if sign < len(s) && s[sign] != '\n' && (s[sign] != '#' || s[sign-1] != ' ') {
		return 0, 0
	}
	stop := lineStop(s, sign)
	own := indent(s, strings.LastIndexByte(s[:i], '\n')+1)
	for at := stop + 1; at < len(s); {
		deep := indent(s, at)
		end := lineStop(s, at)
		if line := strings.TrimRight(s[at+deep:end], "\r "); line != "" {
			if deep <= own {
				break
			}
			if from == 0 {
				from = at + deep
			}
			to = at + deep + len(line)
		}
		at = end + 1
	}
	if from == 0 {
		sc.blockless = stop
	}
	return from, to
}

// properties returns the index behind the blanks at k and what YAML may have before a value, 6.9 of its specification: a tag and
// an anchor. What may be code is neither.
func (sc *scan) properties(k int) int {
	s := sc.s
	for n := 0; ; n++ {
		for k < len(s) && s[k] == ' ' {
			k++
		}
		end := k + 1
		for end < len(s) && end-k < maxNameBytes && (class[s[end]] == wordByte || s[end] == '!' || s[end] == ':' || s[end] == '/' || s[end] == '.') {
			end++
		}
		if n == 2 || k == len(s) || s[k] != '!' && s[k] != '&' || end == k+1 || end == len(s) || s[end] != ' ' {
			return k
		}
		k = end
	}
}

// valueOf replaces the value of the YAML line "value: x" whose key ends at j, where the line above or below it says that
// it is a secret's: "- name: DB_PASSWORD". It returns the index behind it, or 0.
func (sc *scan) valueOf(i, j int) int {
	s := sc.s
	begin := i
	for begin > 0 && i-begin < maxNameBytes && (s[begin-1] == ' ' || s[begin-1] == '-') {
		begin--
	}
	if sc.mode == document || begin > 0 && s[begin-1] != '\n' {
		return 0
	}
	stop := lineStop(s, j)
	word, item := "", strings.Contains(s[begin:i], "-")
	for end, n := begin-1, 0; word == "" && end > 0 && n < maxMembers && !(item && n > 0); n++ {
		near := s[max(0, end-2*maxNameBytes):end]
		near = near[strings.LastIndexByte(near, '\n')+1:]
		if word = sc.nameIn(near); strings.HasPrefix(strings.TrimLeft(near, " "), "- ") {
			break // the item that it is in begins
		}
		end -= len(near) + 1
	}
	for at, n := stop+1, 0; word == "" && item && at < len(s) && n < maxMembers; n++ {
		near := s[at:min(len(s), at+2*maxNameBytes)]
		near = near[:lineStop(near, 0)]
		if strings.HasPrefix(strings.TrimLeft(near, " "), "- ") {
			break // the next one
		}
		word = sc.nameIn(near)
		at += len(near) + 1
	}
	if word == "" || queryOnly[word] {
		return 0
	}
	v := held{from: min(sc.properties(j+1), stop), to: stop}
	if v.from < v.to && (s[v.from] == '|' || s[v.from] == '>') {
		if from, to := sc.below(i, v.from); from > 0 {
			v.from, v.to = from, to
		}
	}
	for v.to > v.from && (s[v.to-1] == '\r' || s[v.to-1] == ' ') {
		v.to--
	}
	if open, quote, slashes := closing(s, v.from); quote != 0 && open < v.to {
		v.from, v.to = open, min(v.to, sc.closeOf(open, quote, slashes, false))
	}
	if v.from == v.to || pseudonymAt(s[v.from:v.to]) == v.to-v.from {
		return 0
	}
	v.content = true
	return sc.hide(v, word)
}

// nameIn returns the word by which the name in the YAML line "- name: DB_PASSWORD" is a secret's, or "".
func (sc *scan) nameIn(line string) string {
	key, name, ok := strings.Cut(strings.TrimLeft(line, "- "), ":")
	if !ok || key != "name" && key != "key" || len(name) > 2*maxNameBytes {
		return ""
	}
	return sc.r.names.match(strings.Trim(name, " \r\"'"))
}

// within replaces the secrets that show by themselves in s[from:to]. It returns to, or 0 when there are none.
func (sc *scan) within(from, to int) int {
	inner := scan{r: sc.r, s: sc.s[from:to], mode: sc.mode, place: sc.place, pass: sc.pass, quiet: sc.quiet}
	out := inner.run()
	if inner.hits == 0 {
		return 0
	}
	sc.hits += inner.hits
	sc.learned = sc.learned || inner.learned
	if !sc.quiet {
		sc.out = append(append(sc.out, sc.s[sc.done:from]...), out...)
		sc.done = to
	}
	return to
}

// plainChild are the members of credentials that are none.
var plainChild = wordSet("user", "username", "name", "id", "type", "host", "port", "email", "url", "provider", "region",
	"scope")

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
