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
		from := i + 1
		for i++; i < len(s) && (class[s[i]] == wordByte || s[i] == '.'); {
			i++
		}
		return name, s[from:i], named, i
	}
	delim := s[open-1-slashes : open]
	rest := s[open:min(len(s), open+maxBetween)]
	n := strings.Index(rest, delim)
	if n < 0 {
		return name, "", named, 0
	}
	return name, rest[:n], named, open + n + len(delim)
}

// inTag reports whether i is within a tag.
func (sc *scan) inTag(i int) bool {
	before := sc.s[max(0, i-maxBetween):i]
	at := strings.LastIndexAny(before, "<>")
	return at >= 0 && before[at] == '<'
}

// bareAttribute returns the value of the tag in which the name s[…:j] stands as an attribute without quotes:
// <input name=password value="x">.
func (sc *scan) bareAttribute(i, j int) (v held, ok bool) {
	s := sc.s
	of := s[max(0, i-len("name=")):i]
	if !hasPrefixFold(of, "name=") && !hasPrefixFold(of, "type=") && !strings.HasSuffix(of, " id=") || !sc.inTag(i) {
		return held{}, false
	}
	return sc.attributeOf(j, "")
}

// tagValue returns the value v, without quotes, as far as it is of a tag.
func (sc *scan) tagValue(v held) held {
	hidden := pseudonymAt(sc.s[v.from:v.to])
	if n := strings.IndexByte(sc.s[v.from+hidden:v.to], '>'); n >= 0 && !v.content {
		v.to = v.from + hidden + n
	}
	return v
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
	if i > 0 && s[i-1] == '\\' && strings.HasPrefix(s[i:j], "u003c") {
		i += len("u003c")
	}
	tag := i
	if i > 1 && s[i-1] == ':' {
		for tag--; tag > 0 && i-tag < maxNameBytes && class[s[tag-1]] == wordByte; {
			tag--
		}
	}
	lt := angleBefore(s, tag)
	if lt == "" {
		return held{}, false
	}
	if v, ok = sc.attributeOf(j, lt); ok {
		return v, true
	}
	end := sc.tagEnd(j, lt)
	if end == 0 || s[j] != ' ' && angle(s, j, '>') == 0 {
		return held{}, false
	}
	return sc.content(end, lt, s[tag:j])
}

// elements returns the elements within the one whose tag's name ends with s[i:j], which is for several secrets.
func (sc *scan) elements(i, j int) (v held, ok bool) {
	s := sc.s
	lt := angleBefore(s, i)
	if lt == "" {
		return held{}, false
	}
	begin := sc.tagEnd(j, lt)
	if begin == 0 || sc.lists > maxLists*len(s) {
		return held{}, false
	}
	near := *sc
	near.s = s[:min(len(s), begin+maxListBytes)]
	first := near.between(begin)
	if !strings.HasPrefix(near.s[first:], lt) {
		return held{}, false
	}
	v = held{from: begin, to: near.until(begin, lt+"/"+s[i:j]), content: true, apart: true}
	sc.lists += v.to - begin
	return v, strings.HasPrefix(near.s[v.to:], lt+"/"+s[i:j])
}

// attributeOf returns the value of the attribute value of the tag whose name ends at j: <password value="x"/>; where lt is "", of
// the one in which j is.
func (sc *scan) attributeOf(j int, lt string) (v held, ok bool) {
	at := j
	for n := 0; n < maxMembers && at-j < maxBetween; n++ {
		name, _, named, end := sc.attribute(at)
		if end == 0 {
			return held{}, false
		}
		if (hasPrefixFold(name, "value") && len(name) == len("value") || lt == "" && name == "content") && named < len(sc.s) && sc.s[named] == '=' {
			v, ok = sc.valueAt(named+1, "", 0, 0, false)
			v = sc.tagValue(v)
			return v, ok && (v.content || lt == "") && v.from < v.to
		}
		at = end
	}
	return held{}, false
}

// content returns the content that begins at k of an element named tag, or of the first one within it. lt is how the angle
// of the tag is written. The element has to end, or the text with a content without blanks.
func (sc *scan) content(k int, lt, tag string) (v held, ok bool) {
	s := sc.s
	for range 3 {
		first := sc.between(k)
		if !strings.HasPrefix(s[first:], lt) || pseudonymAt(s[first:]) > 0 || strings.HasPrefix(s[first:], "<![CDATA[") {
			break
		}
		name := first + len(lt)
		end := name
		for end < len(s) && end-name < maxNameBytes && (class[s[end]] == wordByte || s[end] == ':' || s[end] == '.') {
			end++
		}
		if end == name || !valueTag(s[name:end]) {
			return held{}, false
		}
		tag = s[name:end]
		if k = sc.tagEnd(end, lt); k == 0 {
			return held{}, false
		}
	}
	v.content, v.from = true, k
	if hidden := pseudonymAt(s[v.from:]); hidden > 0 {
		v.to = v.from + hidden
		return v, true
	}
	if strings.HasPrefix(s[v.from:], "<![CDATA[") {
		v.from += len("<![CDATA[")
		v.to = sc.until(v.from, "]]>")
		return v, true
	}
	if v.to = sc.until(v.from, lt); !strings.HasPrefix(s[v.to:], lt) {
		return v, v.from < v.to && strings.IndexByte(s[v.from:v.to], ' ') < 0
	}
	end := strings.TrimPrefix(s[v.to:], lt)
	end = strings.TrimPrefix(end, `\`)
	return v, strings.HasPrefix(end, "/"+tag)
}

// valueTag reports whether an element of this name is the value of what it stands in or behind: <value>, <string>.
func valueTag(name string) bool {
	name = strings.ToLower(name)
	for _, end := range [...]string{"value", "string", "text", "data", "val"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return name == "v" || cellTags[name]
}

// nameTag reports whether the content of an element of this name names what follows it.
func nameTag(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "name") || strings.HasSuffix(name, "key") || name == "k" || cellTags[name]
}

// cellTags are elements of pages, in which mostly prose stands.
var cellTags = wordSet("td", "th", "dt", "dd")

// shownTags are elements of pages and programs whose content people read.
var shownTags = wordSet("a", "button", "label", "option", "select", "form", "iframe", "slot", "map", "fieldset", "details", "string", "plurals",
	"item", "template", "section", "i18n", "msg", "message", "test", "testcase", "testsuite", "method", "class")

// voidTags are elements of pages without content.
var voidTags = wordSet("input", "meta", "link", "img", "source", "area", "base", "col", "embed", "track", "br", "hr")

// sibling replaces the value behind an element whose content is the name that ends with s[i:j], before the angle of n bytes:
// <name>db.password</name><value>x</value>. It returns the index behind it, or 0.
func (sc *scan) sibling(i, j, n int) int {
	s := sc.s
	lt := s[j : j+n]
	name := i
	for name > 0 && j-name < 2*maxNameBytes && (class[s[name-1]] == wordByte || strings.IndexByte("./: ", s[name-1]) >= 0) {
		name--
	}
	if name > 0 && s[name-1] == '\\' && strings.HasPrefix(s[name:], "u003e") {
		name += len("u003e")
	}
	head := strings.LastIndex(s[max(0, name-2*maxNameBytes):name], lt)
	if name == 0 || s[name-1] != '>' && s[name-1] != ';' && s[name-1] != 'e' || head < 0 {
		return 0
	}
	head += max(0, name-2*maxNameBytes) + n
	tag := head
	for tag < name && (class[s[tag]] == wordByte || s[tag] == ':' || s[tag] == '.') {
		tag++
	}
	end := s[head:tag]
	if angle(s, tag, '>') == 0 && s[tag] != ' ' || !nameTag(end) || !strings.HasPrefix(strings.TrimPrefix(s[j+n:], `\`), "/"+end) {
		return 0
	}
	word := sc.r.names.match(s[name:j])
	next := sc.tagEnd(j+n+len("/")+len(end), lt)
	if s[j+n] == '\\' {
		next = sc.tagEnd(j+n+len(`\/`)+len(end), lt)
	}
	if word == "" || queryOnly[word] || next == 0 {
		return 0
	}
	if next = sc.between(next); !strings.HasPrefix(s[next:], lt) {
		return 0
	}
	v, ok := sc.content(next, lt, "")
	if !ok || v.from >= v.to || cellTags[strings.ToLower(end)] && !alphanumeric(s[v.from:v.to]) {
		return 0
	}
	return sc.hide(v, word)
}

// attributed returns the content of the element that has the name, in the quotes delim, which begins before i and ends at k,
// as the value of an attribute: <entry key="password">x</entry>.
func (sc *scan) attributed(i, k int, delim string) (v held, ok bool) {
	s := sc.s
	open := sc.opening(i, delim)
	if open < 1 || s[open-1] != '=' {
		return held{}, false
	}
	from := max(0, open-2*maxNameBytes)
	attribute := s[from : open-1]
	at := strings.LastIndexAny(attribute, " \t\n")
	if at < 0 {
		return held{}, false
	}
	if name := strings.ToLower(attribute[at+1:]); name != "name" && name != "key" && name != "k" {
		return held{}, false
	}
	lt := ""
	tag := at
	for ; tag > 0 && lt == ""; tag-- {
		if lt = angleBefore(s, from+tag); lt != "" {
			if pseudonymAt(s[from+tag-len(lt):]) == 0 {
				break
			}
			lt = "" // of a value that was hidden before, not of a tag
		}
	}
	end := tag
	for end < at && (class[attribute[end]] == wordByte || attribute[end] == ':' || attribute[end] == '.') {
		end++
	}
	name := attribute[tag:end]
	if lt == "" || end == tag || voidTags[strings.ToLower(name)] {
		return held{}, false
	}
	begin := sc.tagEnd(k, lt)
	if begin == 0 {
		return held{}, false
	}
	v, ok = sc.content(begin, lt, name)
	return v, ok && (!shownTags[strings.ToLower(name)] || alphanumeric(s[v.from:v.to]))
}

// tagEnd returns the index behind the angle that ends the tag in which k is, 0 where there is none or the tag has no content.
func (sc *scan) tagEnd(k int, lt string) int {
	s := sc.s
	for i := k; i < len(s) && i-k < maxBetween; i++ {
		switch s[i] {
		case '"':
			if sc.mode == document && sc.quoted && (i == 0 || s[i-1] != '\\') {
				return 0
			}
		case '<', '>', '&', '\\':
			if n := angle(s, i, '>'); n > 0 {
				if i > k && s[i-1] == '/' {
					return 0
				}
				return i + n
			}
			if angle(s, i, '<') > 0 {
				return 0
			}
		}
	}
	return 0
}

// between returns the index behind the blanks between two tags at k, also as strings write them.
func (sc *scan) between(k int) int {
	s := sc.s
	for {
		k = sc.blanks(k)
		at := k
		for at < len(s) && s[at] == '\\' {
			at++
		}
		if at == k || at == len(s) || strings.IndexByte("nrt", s[at]) < 0 {
			return k
		}
		k = at + 1
	}
}

// angle returns the length of the angle c that s has at k, as markup, markup in it, or JSON may write it; 0 if there is none.
func angle(s string, k int, c byte) int {
	if k >= len(s) {
		return 0
	}
	switch s[k] {
	case c:
		return 1
	case '&':
		at := k + 1
		for n := 0; n < 3 && strings.HasPrefix(s[at:], "amp;"); n++ {
			at += len("amp;")
		}
		entities := [...]string{"lt;", "#60;", "#x3c;"}
		if c == '>' {
			entities = [...]string{"gt;", "#62;", "#x3e;"}
		}
		for _, e := range entities {
			if hasPrefixFold(s[at:], e) {
				return at + len(e) - k
			}
		}
	case '\\':
		at := k + 1
		for at < len(s) && at-k < 8 && s[at] == '\\' {
			at++
		}
		if c == '<' && hasPrefixFold(s[at:], "u003c") || c == '>' && hasPrefixFold(s[at:], "u003e") {
			return at + len("u003c") - k
		}
	}
	return 0
}

// angleBefore returns the '<' that ends at k, as it is written, or "".
func angleBefore(s string, k int) string {
	if k < 1 {
		return ""
	}
	switch s[k-1] {
	case '<':
		return "<"
	case ';', 'c', 'C':
		for from := k - 1; from >= 0 && k-from < 20; from-- {
			if c := s[from]; (c == '&' || c == '\\' && (from == 0 || s[from-1] != '\\')) && angle(s, from, '<') == k-from {
				return s[from:k]
			}
		}
	}
	return ""
}
