package redact

import (
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

// A program that prints a table prints it line by line, and each line becomes an event of its own. What the columns are called
// is in the first one: it is kept for as long as lines with as many columns follow.

// head is the first line of a table, and the rule below it.
type head struct {
	text string // ≤ 2 · maxHeaderLine
	bar  string
	bars int
}

// notInHead tells the bytes that no name of a column has.
var notInHead = byteSet(":={}()<>[]/.\n")

// row hides what stands below a secret name that an earlier line of the same writer has.
func (p *pass) row(l *event.Log) {
	k := &p.r.blocks
	line := strings.TrimRight(l.Message, "\r ")
	begins, ok := p.r.headOf(line)
	if !ok && len(k.heads) == 0 || l.Args != "" {
		return
	}
	w := writer{l.Origin, l.Session, l.Document}
	h, follows := k.heads[w]
	switch {
	case follows && rule(line) && len(line) <= maxHeaderLine && strings.IndexByte(h.text, '\n') < 0:
		h.text += "\n" + line
		k.heads[w] = h
	case follows && (rule(line) || strings.HasPrefix(line, "+-")):
	case follows && !ok && countBars(line, h.bar) == h.bars && (h.bar != "," || !strings.Contains(line, ", ")):
		sc := scan{r: p.r, s: h.text + "\n" + line, place: "message", pass: p}
		p.at, p.kind = l.Base(), placeOf(l.Kind())
		out := sc.columns()
		sc = scan{r: p.r, s: out, place: "message", pass: p}
		if out = sc.tables(); strings.HasPrefix(out, h.text+"\n") {
			p.set(&l.Message, out[len(h.text)+1:]+l.Message[len(line):])
			p.mark(l.Base())
		}
	default:
		if delete(k.heads, w); ok && len(k.heads) < maxKeyWriters {
			begins.text = strings.Clone(begins.text)
			k.heads[w.kept()] = begins
		}
	}
}

// countBars counts the bars of a line outside of quotes.
func countBars(line, bar string) (n int) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 0 {
			n += strings.Count(part, bar)
		}
	}
	return n
}

// headOf returns the line as the first one of a table, if it is one and a column has a secret name.
func (r *Redactor) headOf(line string) (h head, ok bool) {
	if len(line) < 8 || len(line) > maxHeaderLine {
		return h, false
	}
	for i := 0; i < len(line); i++ {
		if notInHead[line[i]] {
			return h, false
		}
	}
	for _, bar := range bars {
		if n := strings.Count(line, bar); n > 0 && n < maxColumns {
			h = head{line, bar, n}
			break
		}
	}
	if h.bar == "" || h.bar == "," && strings.Contains(line, ", ") {
		return h, false
	}
	for name := range strings.SplitSeq(line, h.bar) {
		name = strings.Trim(name, ` "'`)
		if len(name) > maxNameBytes || strings.Count(name, " ") > 2 {
			return h, false
		}
		if word := r.names.match(name); word != "" && !queryOnly[word] {
			ok = true
		}
	}
	return h, ok
}
