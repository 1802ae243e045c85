package redact

import (
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/event"
)

// A program that prints a private key prints it line by line, and each line becomes an event of its own. The event that
// begins a key says so, the others have no form: what their writer says is the key's until its end.
const (
	maxKeyLines   = 400 // that may follow a beginning: an RSA key of 16,384 bits has 200
	maxKeyWriters = 256 // that are within a key at a time; the beginning of another one hides nothing that follows it
	minKeyLine    = 16  // bytes of a line, but for the last one
	maxAskWords   = 5   // of a prompt that says whose password it asks for
	maxOtherLines = 20  // one after the other, of which none is the key's: its end was not printed
)

// blocks knows who is within a private key.
type blocks struct {
	mu    sync.Mutex
	open  map[writer]*keyBlock
	asks  map[writer]string // the entry of the name list that the last line ends with, behind which a colon is
	heads map[writer]head
}

// writer is whose lines follow each other.
type writer struct {
	event.Origin
	session, document string
}

// kept returns w without the text that its names are parts of.
func (w writer) kept() writer {
	return writer{event.Origin{
		Source: strings.Clone(w.Source), Service: strings.Clone(w.Service), Instance: strings.Clone(w.Instance),
	}, strings.Clone(w.session), strings.Clone(w.document)}
}

// keyBlock is a private key of which not all lines have come.
type keyBlock struct {
	value  string // one for all its lines, for their pseudonym
	before string // what stands before the key's part in each of its lines, without digits
	after  string // what stands behind it
	left   int    // lines that may come
	others int    // lines since the key's last one
}

// keyLines hides what earlier events of a writer say of its next lines: those of private keys, the answer to a prompt, and the rows of a
// table.
func (p *pass) keyLines(b event.Batch) {
	k := &p.r.blocks
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range b {
		l, ok := e.(*event.Log)
		if !ok {
			continue
		}
		p.answer(l)
		p.row(l)
		begins := strings.Contains(l.Message, "PRIVATE KEY") || strings.Contains(l.Message, "Private-Lines:")
		if !begins && len(k.open) == 0 {
			continue
		}
		w := writer{l.Origin, l.Session, l.Document}
		switch at := k.open[w]; {
		case begins && keyBegins(l.Message):
			if at == nil && len(k.open) >= maxKeyWriters {
				continue
			}
			if at == nil {
				w = w.kept()
			}
			k.open[w] = &keyBlock{left: maxKeyLines}
		case at == nil:
		default:
			ends := begins || strings.Contains(l.Message, "Private-MAC:")
			if p.keyLine(l, at); ends || at.left == 0 || at.others > maxOtherLines {
				delete(k.open, w)
			}
		}
	}
}

// longestRun returns where the longest run of base64 ends in a line, 0 if none is as long as a line of a key.
func longestRun(s string) (to int) {
	longest := 39 // bytes; fewer are no whole line
	for i, start := 0, 0; i <= len(s); i++ {
		if i < len(s) && (alnum(s[i]) || strings.IndexByte("+/=", s[i]) >= 0) {
			continue
		}
		if i-start > longest {
			longest, to = i-start, i
		}
		start = i + 1
	}
	return to
}

// answer hides a line that is one word and follows a prompt for a secret of the same writer: "Enter password:".
func (p *pass) answer(l *event.Log) {
	k := &p.r.blocks
	word := ""
	if text := strings.TrimRight(l.Message, " \t\r"); strings.HasSuffix(text, ":") {
		text = text[:len(text)-1]
		if ask, _, ok := strings.Cut(text, " for "); ok && strings.Count(text, " ") < maxAskWords {
			text = ask
		}
		if word = p.r.names.match(text); queryOnly[word] {
			word = ""
		}
	}
	if word == "" && len(k.asks) == 0 {
		return
	}
	w := writer{l.Origin, l.Session, l.Document}
	asked := k.asks[w]
	delete(k.asks, w)
	if word != "" && len(k.asks) < maxKeyWriters {
		k.asks[w.kept()] = word
	}
	value := strings.Trim(l.Message, " \t\r\n\"'")
	if asked == "" || word != "" || !answers(value) {
		return
	}
	p.at, p.kind = l.Base(), placeOf(l.Kind())
	from := strings.Index(l.Message, value)
	sc := scan{r: p.r, s: l.Message, place: "message", pass: p}
	sc.hide(held{from: from, to: from + len(value), content: true}, asked)
	p.set(&l.Message, sc.rest())
	name := string(p.r.numbers.of(kindSecret, value).appendTo(nil, "", false))
	for _, written := range [...]string{value, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value)} {
		p.set(&l.Args, strings.ReplaceAll(l.Args, written, name))
		p.set(&l.Attributes, strings.ReplaceAll(l.Attributes, written, name))
	}
	p.mark(l.Base())
}

// answers reports whether a line may be the answer to a prompt: one word with letters and digits, or with a sign. What is of letters alone
// may be the next thing that the program says: "listening".
func answers(value string) bool {
	if len(value) < 4 || strings.ContainsAny(value, " \t\n/(){}[]<>|") || strings.IndexByte("-*#=:", value[0]) >= 0 || harmlessCell(value) {
		return false
	}
	last := value[len(value)-1]
	if last == ':' || last == '.' || last == ',' {
		return false
	}
	return hasBoth(value, isLetter, isDigit) || strings.ContainsAny(value, "!@$%^&*~?+")
}

// keyBegins reports whether a text has the beginning of a private key and not its end.
func keyBegins(s string) bool {
	begin := max(strings.LastIndex(s, "-----BEGIN "), strings.LastIndex(s, "---- BEGIN "))
	if begin < 0 {
		return strings.Contains(s, "Private-Lines:") // PuTTY's form
	}
	return !strings.Contains(s[begin:], "-----END ") && !strings.Contains(s[begin:], "---- END ")
}

// keyLine hides the part of a private key in a line. A line of another thread of the same writer may stand between.
func (p *pass) keyLine(l *event.Log, at *keyBlock) {
	at.left--
	at.others++
	s := l.Message
	if end := strings.Index(s, "----END"); end >= 0 {
		s = strings.TrimRight(s[:end], "-")
	}
	if at.after == "" {
		if end := longestRun(s); end > 0 {
			at.after = strings.Clone(s[end:])
		}
	}
	s = strings.TrimSuffix(s, at.after)
	to := 0
	for n := -1; to != n; {
		n = to
		s = strings.TrimSuffix(strings.TrimSuffix(s, `\n`), `\r`)
		s = strings.TrimRight(s, " \t\r\n\"',;|")
		to = len(s)
	}
	from := to
	for from > 0 && (class[s[from-1]] == wordByte || strings.IndexByte("+/=", s[from-1]) >= 0) {
		from--
	}
	before := strings.Map(func(c rune) rune {
		if '0' <= c && c <= '9' {
			return -1 // of a time or the number of a line
		}
		return c
	}, s[:from])
	if to-from < minKeyLine && (at.value == "" || before != at.before) || from == to {
		return
	}
	if at.value == "" {
		at.value = strings.Clone(s[from:to])
	}
	at.before, at.others = strings.Clone(before), 0
	p.at, p.kind = l.Base(), placeOf(l.Kind())
	sc := scan{r: p.r, s: l.Message, place: "message", pass: p}
	sc.replace(from, to, kindPrivateKey, at.value, "")
	secret := s[from:to]
	p.set(&l.Message, sc.rest())
	if len(secret) >= minKnown {
		name := string(p.r.numbers.of(kindPrivateKey, at.value).appendTo(nil, "", false))
		p.set(&l.Args, strings.ReplaceAll(l.Args, secret, name))
		p.set(&l.Attributes, strings.ReplaceAll(l.Attributes, secret, name))
	}
	p.mark(l.Base())
}
