package redact

import "strings"

// Names in XML, HTML and multipart bodies.

// attribute returns name and value of the attribute of a tag at k, the index behind the name, and the
// index behind it all, 0 if there is none.
func (sc *scan) attribute(k int) (name, value string, named, end int) {
	s := sc.s
	i := sc.blanks(k)
	from := i
	for i < len(s) && i-from < maxNameBytes && (class[s[i]] == wordByte || s[i] == ':') {
		i++
	}
	if i == from || from == k {
		return "", "", 0, 0
	}
	name, named = s[from:i], i
	if i == len(s) || s[i] != '=' {
		return name, "", named, i
	}
	open, quote, slashes := closing(s, i+1)
	if quote == 0 {
		for i++; i < len(s) && (class[s[i]] == wordByte || s[i] == '.'); {
			i++
		}
		return name, "", named, i
	}
	delim := s[open-1-slashes : open]
	rest := s[open:min(len(s), open+maxBetween)]
	n := strings.Index(rest, delim)
	if n < 0 {
		return name, "", named, 0
	}
	return name, rest[:n], named, open + n + len(delim)
}

// part returns the value of the part of a multipart body whose name in the quotes delim begins before
// i and ends at k: form-data; name="password".
func (sc *scan) part(i, k int, delim string) (v held, ok bool) {
	s := sc.s
	open := sc.opening(i, delim)
	if open < 0 || !strings.HasSuffix(s[:open], "name=") || !strings.Contains(s[max(0, open-64):open], "form-data") {
		return held{}, false
	}
	head := s[k:min(len(s), k+maxBetween)]
	for _, line := range [...]string{"\r\n", "\n", `\r\n`, `\n`} {
		blank := strings.Index(head, line+line)
		if blank < 0 {
			continue
		}
		v = held{from: k + blank + 2*len(line), content: true}
		v.to = sc.until(v.from, line+"--")
		return v, true
	}
	return held{}, false
}

// until returns the index of mark behind k, or the end of the string or text that k is in.
func (sc *scan) until(k int, mark string) int {
	inString := sc.mode == document && sc.quoted
	for i := k; i < len(sc.s); i++ {
		switch {
		case strings.HasPrefix(sc.s[i:], mark), inString && sc.s[i] == '"':
			return i
		case inString && sc.s[i] == '\\' && i+1 < len(sc.s):
			i++
		}
	}
	return len(sc.s)
}

// element returns the content of the XML element whose tag's name ends with s[i:j]; the element has
// to end with the same name, or the text with its content.
func (sc *scan) element(i, j int) (v held, ok bool) {
	s := sc.s
	tag := i
	if i > 1 && s[i-1] == ':' {
		for tag--; tag > 0 && i-tag < maxNameBytes && class[s[tag-1]] == wordByte; {
			tag--
		}
	}
	lt, gt := "<", ">"
	if !strings.HasSuffix(s[:tag], lt) {
		if lt, gt = "&lt;", "&gt;"; !strings.HasSuffix(s[:tag], lt) {
			return held{}, false
		}
	}
	n := strings.Index(s[j:min(len(s), j+maxBetween)], gt)
	if n < 0 || n > 0 && s[j] != ' ' || strings.Contains(s[j:j+n], lt) {
		return held{}, false
	}
	v.content, v.from = true, j+n+len(gt)
	if hidden := pseudonymAt(s[v.from:]); hidden > 0 {
		v.to = v.from + hidden
		return v, true
	}
	if strings.HasPrefix(s[v.from:], "<![CDATA[") {
		v.from += len("<![CDATA[")
		v.to = sc.until(v.from, "]]>")
		return v, true
	}
	if v.to = sc.until(v.from, lt); v.to == len(s) {
		return v, strings.IndexByte(s[v.from:], ' ') < 0
	}
	end := strings.TrimPrefix(s[v.to:], lt)
	end = strings.TrimPrefix(end, `\`)
	return v, strings.HasPrefix(end, "/"+s[tag:j])
}
