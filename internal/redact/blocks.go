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
	maxOtherLines = 20  // one after the other, of which none is the key's: its end was not printed
)

// blocks knows who is within a private key.
type blocks struct {
	mu   sync.Mutex
	open map[writer]*keyBlock
}

// writer is whose lines follow each other.
type writer struct {
	event.Origin
	session, document string
}

// keyBlock is a private key of which not all lines have come.
type keyBlock struct {
	value  string // one for all its lines, for their pseudonym
	before string // what stands before the key's part in each of its lines
	left   int    // lines that may come
	others int    // lines since the key's last one
}

// keyLines hides the lines of private keys that began in earlier events.
func (p *pass) keyLines(b event.Batch) {
	k := &p.r.blocks
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range b {
		l, ok := e.(*event.Log)
		if !ok {
			continue
		}
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
				w = writer{event.Origin{
					Source: strings.Clone(w.Source), Service: strings.Clone(w.Service), Instance: strings.Clone(w.Instance),
				}, strings.Clone(w.session), strings.Clone(w.document)}
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
	if to-from < minKeyLine && (at.value == "" || s[:from] != at.before) || from == to {
		return
	}
	if at.value == "" {
		at.value = strings.Clone(s[from:to])
	}
	at.before, at.others = strings.Clone(s[:from]), 0
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
