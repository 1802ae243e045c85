package main

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// columns is what a line of Markdown has at most, as scripts/markdown.mjs checks. Tables are the exception.
const columns = 100

// asItIs matches the beginnings of lines that are no running text, item the beginning of a list's item, and
// marker a word that would begin a block at the beginning of a line.
var (
	asItIs = regexp.MustCompile(`^(\||#|<!--|$)`)
	item   = regexp.MustCompile(`^ *(?:[-*+]|\d+\.) +`)
	marker = regexp.MustCompile(`^(?:[-*+>|]|#+|=+|\d+[.)])$`)
)

// wrapped breaks the running text of a Markdown page into lines of at most columns. Tables, headings and code
// stay as they are.
func wrapped(page []byte) []byte {
	var out bytes.Buffer
	var words []string
	var first, rest string // what begins the first line of the running text, and the others
	flush := func() {
		line, started := first, false
		for _, word := range words {
			switch {
			case !started:
				line += word
			case marker.MatchString(word) || utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= columns:
				line += " " + word
			default:
				out.WriteString(line + "\n")
				line = rest + word
			}
			started = true
		}
		if started {
			out.WriteString(line + "\n")
		}
		words, first, rest = nil, "", ""
	}
	code := false
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSuffix(line, "\n")
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if code || fence || asItIs.MatchString(line) {
			flush()
			out.WriteString(line + "\n")
			code = code != fence
			continue
		}
		if begin := item.FindString(line); begin != "" {
			flush()
			first, rest = begin, strings.Repeat(" ", len(begin))
			line = line[len(begin):]
		}
		words = append(words, strings.Fields(line)...)
	}
	flush()
	return out.Bytes()
}
