package redact

import (
	"strconv"
	"strings"
)

// inserted replaces what statements of SQL put into columns with secret names, also where it follows as a list: INSERT
// INTO users (id, password) VALUES (1, 'hunter2'), … VALUES ($1, $2) -- ["1","hunter2"].
func (sc *scan) inserted() string {
	s := sc.s
	upper, lower := -1, -1 // the next one of each
	stop := len(s)         // in a document, where the string ends that was looked at
	if sc.mode == document {
		stop = 0
	}
	for at := 0; ; {
		upper, lower = indexFrom(s, "VALUES", upper, at), indexFrom(s, "values", lower, at)
		next := min(upper, lower)
		if next == len(s) {
			return sc.rest()
		}
		at = next + len("values")
		secret := sc.columnsBefore(next)
		if secret == nil {
			continue
		}
		if sc.mode == document && stop < at {
			for stop = at; stop < len(s) && s[stop] != '"'; stop++ {
				if s[stop] == '\\' {
					stop++
				}
			}
			stop = min(stop, len(s))
		}
		near := *sc // no further than its string
		near.s = s[:stop]
		given := map[int]string{} // entries of the name list, by the place of what is given for them
		for marks := 0; ; at++ {
			if at = near.blanks(at); at == stop || s[at] != '(' {
				break
			}
			var row []held
			row, at = near.listItems(at+1, ')')
			for i, v := range row {
				mark, place := "", marks
				if !v.content && v.from < v.to && strings.IndexByte("?$%:@", s[v.from]) >= 0 {
					mark = s[v.from:v.to]
					marks++
				}
				switch {
				case i >= len(secret) || secret[i] == "":
				case mark == "":
					sc.hideItem(v, secret[i])
				default:
					if n, err := strconv.Atoi(mark[1:]); err == nil && mark[0] == '$' {
						place = n - 1
					}
					given[place] = secret[i]
				}
			}
			if at = near.blanks(at); at == stop || s[at] != ',' {
				break
			}
		}
		open := strings.IndexByte(s[at:min(stop, at+maxBetween)], '[')
		if len(given) == 0 || open < 0 {
			continue
		}
		var list []held
		list, at = near.listItems(at+open+1, ']')
		for i, v := range list {
			if given[i] != "" {
				sc.hideItem(v, given[i])
			}
		}
	}
}

// maxKeyBytes bounds what is looked at of the values of a key.
const maxKeyBytes = 4 << 10

// keys replaces what PostgreSQL tells of columns with secret names: Key (id, token)=(1, hunter2) already exists.
func (sc *scan) keys() string {
	s := sc.s
	for at := 0; ; {
		n := strings.Index(s[at:], ")=(")
		if n < 0 {
			return sc.rest()
		}
		secret := sc.columnsBefore(at + n + 1)
		at += n + len(")=(")
		if secret == nil {
			continue
		}
		near := s[at:min(len(s), at+maxKeyBytes)]
		near = near[:lineStop(near, 0)]
		if end := strings.Index(near, ") "); end >= 0 {
			near = near[:end]
		}
		if sc.mode == document && strings.IndexByte(near, '"') >= 0 { // it could reach over the end of its string
			continue
		}
		stop := at + len(near)
		values := strings.SplitN(near, ", ", maxColumns)
		for i, value := range values {
			if i == len(secret)-1 && len(values) > len(secret) { // one of the values has what is between two
				value = s[at:stop]
			}
			if i >= len(secret) {
				break
			}
			if value = strings.TrimRight(value, ")."); secret[i] != "" && value != "" {
				sc.hide(held{from: at, to: at + len(value), content: true}, secret[i])
			}
			at += len(values[i]) + len(", ")
		}
		at = min(max(at, sc.done), stop)
	}
}

// hideItem hides an item of a list, if it is no word of SQL such as DEFAULT.
func (sc *scan) hideItem(v held, word string) {
	if at, _ := nextPseudonym(sc.s[:v.to], v.from); at < v.to && !v.content {
		return // what is secret in it is hidden already
	}
	if v.content || strings.ContainsAny(sc.s[v.from:v.to], "'0123456789") {
		v.content = true
		sc.hide(v, word)
	}
}

// indexFrom returns where word is next in s, from at on, if it was before found at known; len(s) if nowhere.
func indexFrom(s, word string, known, at int) int {
	if known >= at {
		return known
	}
	if n := strings.Index(s[at:], word); n >= 0 {
		return at + n
	}
	return len(s)
}

// columnsBefore returns for each name of the list in round brackets that ends before k the entry of the name list that it
// passes by; nil if none does.
func (sc *scan) columnsBefore(k int) []string {
	head := strings.TrimRight(sc.s[max(0, k-maxHeaderLine):k], " \t\r\n")
	list, ok := strings.CutSuffix(head, ")")
	open := strings.LastIndexByte(list, '(')
	if !ok || open < 0 || strings.Count(list[open:], ",") >= maxColumns {
		return nil
	}
	var secret []string
	any := false
	for name := range strings.SplitSeq(list[open+1:], ",") {
		word := sc.r.names.match(strings.Trim(name[strings.LastIndexByte(name, '.')+1:], " \t\r\n\"`[]\\"))
		if queryOnly[word] {
			word = ""
		}
		any = any || word != ""
		secret = append(secret, word)
	}
	if !any {
		return nil
	}
	return secret
}

// listItems returns the items of a list that begins at k, without their quotes, and the index behind its end. The
// last one may be cut.
func (sc *scan) listItems(k int, end byte) (items []held, behind int) {
	s := sc.s
	v, depth := held{from: sc.blanks(k)}, 0
	for i := v.from; i < len(s) && len(items) < maxColumns; {
		if open, quote, slashes := closing(s, i); quote != 0 {
			delim := s[open-1-slashes : open]
			n := open
			for at := strings.Index(s[n:], delim); ; at = strings.Index(s[n:], delim) {
				if at < 0 { // cut
					return append(items, held{from: open, to: len(s), content: true}), len(s)
				}
				if n += at; !strings.HasPrefix(s[n+len(delim):], delim) {
					break
				}
				n += 2 * len(delim) // a quote that is doubled is one of the text
			}
			if depth == 0 {
				v.from, v.to, v.content = open, n, true
			}
			i = n + len(delim)
			continue
		}
		switch c := s[i]; {
		case depth == 0 && (c == ',' || c == end):
			if !v.content {
				v.to = v.from + len(strings.TrimRight(s[v.from:i], " \t\r\n"))
			}
			if items = append(items, v); c == end {
				return items, i + 1
			}
			v = held{from: sc.blanks(i + 1)}
			i = v.from
			continue
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		}
		i++
	}
	if !v.content {
		v.to = len(s)
	}
	if len(items) < maxColumns && v.from < v.to { // cut
		items = append(items, v)
	}
	return items, len(s)
}
