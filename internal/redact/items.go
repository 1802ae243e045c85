package redact

import (
	"iter"
	"strings"
)

// Lists of secrets: tokens=[a, b], {"secrets": ["a"]}, Set(2) { 'a', 'b' }, <tokens><item>a</item></tokens>.

// listNames are names of lists that mostly hold something else: what a model counts, the words of a text. Their items are
// hidden one by one, where they look like secrets.
var listNames = wordSet("tokens", "cookies")

// plural reports whether the entry is for several secrets.
func plural(word string) bool { return strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") }

// leaf is where an item of a list is.
type leaf struct {
	from, to int
	quoted   bool
}

// leaves yields the items of a list, or of an object the values, that is written as JSON, code, or a dump of either.
func leaves(s string) iter.Seq[leaf] {
	return func(yield func(leaf) bool) {
		for i := 0; i < len(s); {
			if strings.IndexByte(" \t\r\n,;()[]{}<>=:", s[i]) >= 0 {
				n := max(pseudonymAt(s[i:]), 1)
				if end := strings.IndexByte(s[i:min(len(s), i+maxNameBytes)], '>'); s[i] == '<' && n == 1 && end > 0 {
					n = end // a tag, or a type
				}
				i += n
				continue
			}
			at, end, quoted := i, i, false
			if from, quote, slashes := closing(s, i); quote != 0 {
				n := strings.Index(s[from:], s[from-1-slashes:from])
				if n < 0 { // cut
					n = len(s) - from
				}
				at, end, i, quoted = from, from+n, min(len(s), from+n+slashes+1), true
				if after := strings.TrimLeft(s[i:], " "); strings.HasPrefix(after, ":") || strings.HasPrefix(after, "=>") {
					continue // the name of a member
				}
			} else {
				for end < len(s) && strings.IndexByte(" \t\r\n,;()[]{}<>\"'`=:", s[end]) < 0 {
					end++
				}
				for strings.HasPrefix(s[end:], "=") && (end+1 == len(s) || strings.IndexByte("=,;\"'` ", s[end+1]) >= 0) {
					end++ // of base64
				}
				if i = end; end < len(s) && (s[end] == '=' || s[end] == ':') {
					continue
				}
			}
			if at < end && !yield(leaf{at, end, quoted}) {
				return
			}
		}
	}
}

// secretItem reports whether an item can hardly be a word, a number with its unit or a time.
func secretItem(s string) bool {
	return len(s) >= minKnown && alphanumeric(s) && telling(s, true) && len(strings.TrimLeft(s, "0123456789.")) > 2
}

// drawn is opaque for one among others that are not: it changes more often between letters and digits, and names no thing.
func drawnItem(s string) bool { return secretItem(s) && !isUUID(s) && changes(s) >= 3 }

// items replaces the items of the value v that look like secrets. It returns the index behind v, or 0 where none is one.
func (sc *scan) items(v held, word string) int {
	s := sc.s
	value := s[v.from:v.to]
	if sc.mode == form {
		text := unescape(value)
		for l := range leaves(text) {
			if secretItem(text[l.from:l.to]) {
				sc.replace(v.from, v.to, kindSecret, value, word)
				return v.to
			}
		}
		return 0
	}
	all, some := true, false
	for l := range leaves(value) {
		item := value[l.from:l.to]
		all = all && secretItem(item)
		some = some || drawnItem(item)
	}
	if !some && (!all || strings.Trim(value, " []{}()") == "") {
		return 0
	}
	if v.level0 {
		sc.quoted = v.content
	} else if v.opens {
		sc.quoted = !sc.quoted
	}
	for l := range leaves(value) {
		if item := value[l.from:l.to]; all || drawnItem(item) {
			kind := kindSecret
			if own := wholeToken(item); own != "" {
				kind = own
			}
			sc.replace(v.from+l.from, v.from+l.to, kind, item, word)
		}
	}
	sc.learned = true // what is between them is looked at in another pass
	return v.to
}

// constructed returns the list that begins at k as code or a dump writes it: ("a" "b"), Set(2) { 'a' }, []string{"a"},
// array('a'), and of PHP Array and a bracket in the next line.
func (sc *scan) constructed(k int) (v held, ok bool) {
	s := sc.s
	at := k
	for at < len(s) && at-k < maxNameBytes && (class[s[at]] == wordByte || strings.IndexByte("[]!<>*&.:", s[at]) >= 0) {
		at++
	}
	name := s[k:at]
	if name == "new" && at+1 < len(s) && isLetter(s[at+1]) {
		v, ok = sc.constructed(at + 1)
		v.from = k
		return v, ok
	}
	open := at
	if name == "Array" || name == "array" {
		open = sc.blanks(at)
	}
	if n := strings.Trim(s[at:min(len(s), at+8)], "0123456789"); name != "" && strings.HasPrefix(n, "(") {
		digits := at + 1
		for digits < len(s) && isDigit(s[digits]) {
			digits++
		}
		if rest := s[digits:]; digits > at+1 && (strings.HasPrefix(rest, ") {") || strings.HasPrefix(rest, ") [")) {
			open = digits + len(") ")
		}
	}
	if open == len(s) || strings.IndexByte("([{", s[open]) < 0 || name == "" && s[open] != '(' {
		return held{}, false
	}
	end := sc.closeRound(open)
	if end == 0 {
		return held{}, false
	}
	if first := sc.blanks(open + 1); name != "" && open == at { // of an array or a call
		for first < end && strings.IndexByte("([{", s[first]) >= 0 {
			first = sc.blanks(first + 1)
		}
		if _, quote, _ := closing(s, first); quote == 0 {
			return held{}, false
		}
	}
	return held{from: k, to: end}, true
}

// closeRound returns the index behind the bracket that closes the one at k, of any kind, within a line's or a string's reach; 0
// where there is none.
func (sc *scan) closeRound(k int) int {
	s := sc.s[:min(len(sc.s), k+maxListBytes)]
	if sc.lists > maxLists*len(sc.s) {
		return 0
	}
	depth, i := 0, k
	defer func() { sc.lists += i - k }()
	for ; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\\', '\'':
			after, quote, slashes := closing(s, i)
			if quote == 0 {
				continue
			}
			if sc.mode == document && sc.quoted && quote == '"' && slashes%2 == 0 {
				return 0 // the end of the string around it
			}
			n := strings.Index(s[after:], s[after-1-slashes:after])
			if n < 0 {
				return 0
			}
			i = after + n + slashes
		}
	}
	return 0
}

const (
	maxListBytes = 4 << 10 // of a list in round brackets
	maxLists     = 16      // times the length of a text, of the lists in it that are looked at
)

// further returns the end of the list whose first item, without quotes, ends at k: a,b and a, b2 and c3.
func (sc *scan) further(k int) int {
	s := sc.s
	for {
		at := k
		for _, sign := range [...]string{", ", ",", "; ", ";", " and "} {
			if strings.HasPrefix(s[k:], sign) {
				at = k + len(sign)
				break
			}
		}
		if at == k {
			return k
		}
		end := sc.bareEnd(at, false, false)
		item := s[at:end]
		if item == "" || strings.ContainsAny(item, "=:<([{") || s[at-1] == ' ' && !alphanumeric(item) || pseudonymAt(s[at:]) > 0 {
			return k
		}
		k = end
	}
}
