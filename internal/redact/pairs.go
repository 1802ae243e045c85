package redact

import "strings"

// Bounds of what is looked through for the other half of a pair.
const (
	maxLookBack = 256 // bytes back to the quote that opens a string
	maxBetween  = 512 // bytes between a name and its value
	maxMembers  = 8   // members or attributes between a name and its value
)

// bracket returns the length of a square bracket at the start of s, also of an escaped one, once or
// twice: ']' and 'd' for "]", "%5D" and "%255d". It is 0 if there is none.
func bracket(s string, literal, digit byte) int {
	switch {
	case s == "":
	case s[0] == literal:
		return 1
	case strings.HasPrefix(s, "%5") && len(s) > 2 && s[2]|0x20 == digit:
		return 3
	case strings.HasPrefix(s, "%255") && len(s) > 4 && s[4]|0x20 == digit:
		return 5
	}
	return 0
}

// brackets returns the index behind what fields of forms have after a name at k: the bracket that
// closes around it, and indices, as in "user[password][0]".
func (sc *scan) brackets(k int) int {
	s := sc.s
	if k < len(s) && s[k] == ':' {
		near := s[k:min(len(s), k+2*maxNameBytes)]
		for _, end := range [...]string{":private]", ":protected]"} { // of PHP's dumps
			if n := strings.Index(near, end); n >= 0 && !strings.ContainsAny(near[:n], "\n=[ ") {
				return k + n + len(end)
			}
		}
	}
	k += bracket(s[k:], ']', 'd')
	for {
		open := bracket(s[k:], '[', 'b')
		if open == 0 {
			return k
		}
		i := k + open
		for i < len(s) && i-k < maxNameBytes && class[s[i]] == wordByte {
			i++
		}
		end := bracket(s[i:], ']', 'd')
		if end == 0 {
			return k
		}
		k = i + end
	}
}

// member returns the indices around the key and the scalar of `,"key":value` at k, with the quotes of
// delim or without, and the index behind it, 0 if there is none.
func (sc *scan) member(k int, delim string) (key, value string, end int) {
	s := sc.s
	i := sc.blanks(k)
	if i == len(s) || s[i] != ',' {
		return "", "", 0
	}
	i = sc.blanks(i + 1)
	if !strings.HasPrefix(s[i:], delim) {
		return "", "", 0
	}
	i += len(delim)
	from := i
	for i < len(s) && i-from < maxNameBytes && class[s[i]] == wordByte {
		i++
	}
	key = s[from:i]
	if !strings.HasPrefix(s[i:], delim) {
		return "", "", 0
	}
	i = sc.blanks(i + len(delim))
	if i == len(s) || s[i] != ':' {
		return "", "", 0
	}
	i = sc.blanks(i + 1)
	if strings.HasPrefix(s[i:], delim) {
		i += len(delim)
		rest := s[i:min(len(s), i+maxBetween)]
		n := strings.Index(rest, delim)
		if n < 0 || strings.HasSuffix(rest[:n], `\`) {
			return key, "", 0
		}
		return key, rest[:n], i + n + len(delim)
	}
	for from = i; i < len(s) && i-from < maxNameBytes && (class[s[i]] == wordByte || s[i] == '.'); {
		i++
	}
	if i == from {
		return key, "", 0
	}
	return key, s[from:i], i
}

// pairValue returns the index behind the key of the value that belongs to the name whose string, in
// the quotes delim, begins before i and ends at k, or k: {"name":"password","value":"…"},
// <input name="password" value="…">.
func (sc *scan) pairValue(i, k int, delim string) int {
	s := sc.s
	at := k
	if strings.HasPrefix(s[k:], ";s:") {
		return k
	}
	if c := s[k:min(len(s), k+1)]; c == " " || c == "\n" || c == "\r" || c == "\t" || c == `\` {
		open := sc.opening(i, delim)
		tag := open > 0 && s[open-1] == '='
		for n := 0; tag && n < maxMembers && at-k < maxBetween; n++ {
			name, _, named, end := sc.attribute(at)
			switch {
			case (hasPrefixFold(name, "value") && len(name) == len("value") || name == "content") && named < len(s) && s[named] == '=':
				return named
			case end == 0:
				tag = false
			}
			at = end
		}
		at = k
	}
	for n := 0; n < maxMembers && at-k < maxBetween; n++ {
		j := sc.blanks(at)
		if j == len(s) || s[j] != ',' {
			return k
		}
		j = sc.blanks(j + 1)
		if !strings.HasPrefix(s[j:], delim) {
			return k
		}
		j += len(delim)
		for _, key := range [...]string{"value", "val", "v"} {
			if hasPrefixFold(s[j:], key) && strings.HasPrefix(s[j+len(key):], delim) {
				return j + len(key) + len(delim)
			}
		}
		if _, _, at = sc.member(at, delim); at == 0 {
			return k
		}
	}
	return k
}

// valueFirst looks whether the word value or content at s[i:j] is the key of a value whose name
// follows, {"value":"…","name":"password"}, and replaces the value. It returns the index behind it, or 0.
func (sc *scan) valueFirst(i, j int) int {
	s := sc.s
	k, quote, slashes := closing(s, j)
	if s[j] == ':' {
		if end := sc.valueOf(i, j); end > 0 {
			return end
		}
		return sc.valueIn(i, j)
	}
	if quote == 0 {
		if end := sc.valueIn(i, j); end > 0 || s[j] != '=' {
			return end
		}
	}
	delim := ""
	if quote != 0 {
		if delim = s[k-1-slashes : k]; !strings.HasSuffix(s[:i], delim) {
			return 0
		}
	} else if _, q, _ := closing(s, j+1); q == 0 && !sc.inTag(i) {
		return 0
	}
	sep := sc.separator(k, quote != 0)
	if k += sep; sep == 0 || k == len(s) || s[k] == '{' || s[k] == '[' {
		return 0
	}
	v, ok := sc.valueAt(k, delim, quote, slashes, false)
	if !ok {
		return 0
	}
	if quote == 0 {
		v = sc.tagValue(v)
	}
	at := v.to
	if v.content {
		at, _, _ = closing(s, at)
	}
	for range maxMembers {
		var name, value string
		if quote != 0 {
			name, value, at = sc.member(at, delim)
		} else {
			name, value, _, at = sc.attribute(at)
		}
		if at == 0 {
			return 0
		}
		switch strings.ToLower(name) {
		case "name", "key", "id", "field", "header", "type", "k":
			if word := sc.r.names.match(value); word != "" {
				return sc.hide(v, word)
			}
		}
	}
	return 0
}
