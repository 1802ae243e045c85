package redact

import "strings"

// Values that are indented below a name.

// children replaces the values of the lines that are indented below "credentials:" in YAML. It returns the index
// behind them, or 0.
func (sc *scan) children(i, j int, word string) int {
	s := sc.s
	if sc.mode == document || j == len(s) || s[j] != ':' || !strings.HasSuffix(word, "s") && !strings.HasPrefix(word,
		"credential") {
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
	known := 0 // behind the colon, when lines below it were read: what is no secret in them is no value of the name
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
			return max(end, known)
		}
		known = j + 1
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
	return max(end, known)
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
