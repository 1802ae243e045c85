package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Texts of several lines within the strings of a document: tables and YAML are read as if they were texts of their own.
const (
	maxLayers     = 3         // strings within strings
	maxLayerBytes = 256 << 10 // of a string that is read so
)

// layers replaces what the lines of the strings of a document say. Of a string that it changes, it writes the escapes anew.
func (sc *scan) layers(depth int) string {
	s := sc.s
	if strings.IndexByte(s, '\\') < 0 || !strings.Contains(s, `\n`) {
		return s
	}
	begin := 0
	if sc.mode != document { // a line that holds one
		if begin = strings.Index(s, `{"`); begin < 0 {
			return s
		}
	}
	for at := begin; ; {
		n := strings.IndexByte(s[at:], '"')
		if n < 0 {
			return sc.rest()
		}
		from := at + n + 1
		end := from
		for end < len(s) && s[end] != '"' {
			if s[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(s) { // cut
			end = len(strings.TrimRight(s, `\`))
		}
		if text := s[from:max(from, end)]; len(text) <= maxLayerBytes && laidOut(text) {
			if out := sc.layer(`"`+text+`"`, depth); out != "" {
				sc.out = append(append(sc.out, s[sc.done:from]...), out[1:len(out)-1]...)
				sc.done = end
			}
		}
		if at = end + 1; at >= len(s) {
			return sc.rest()
		}
	}
}

// laidOut reports whether the lines of the text of a string may mean more than its words.
func laidOut(text string) bool {
	first := strings.Index(text, `\n`)
	if first < 0 {
		return false
	}
	if strings.ContainsAny(text[:first], ",;|│║┃") || strings.Contains(text[:first], `\t`) {
		return true
	}
	for _, sign := range [...]string{`:\n`, `:\r\n`, `: \n`, `: |`, `: >`, `value`, `--`, `:\\n`, "data"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// layer returns the string, which is in quotes, without the secrets of its lines; "" if it has none.
func (sc *scan) layer(quoted string, depth int) string {
	var text string
	if json.Unmarshal([]byte(quoted), &text) != nil {
		return ""
	}
	in := scan{r: sc.r, s: text, place: sc.place, pass: sc.pass}
	out := text
	if isDocument(text) {
		if depth == maxLayers {
			return ""
		}
		in.mode = document
		out = in.layers(depth + 1)
	} else {
		for _, step := range [...]func(*scan) string{(*scan).columns, (*scan).tables, (*scan).run} {
			out = step(&in)
			in = scan{r: sc.r, s: out, place: sc.place, pass: sc.pass, learned: in.learned}
		}
	}
	if out == text {
		return ""
	}
	sc.learned = sc.learned || in.learned
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(out) != nil {
		return ""
	}
	return strings.TrimRight(b.String(), "\n")
}
