// Package redact replaces what must never be stored: passwords, tokens, keys, cookies, card numbers.
//
// A text goes through five steps.
//
//  1. The gate (gate.go) finds the words of the text, 64 bytes at a time, and lets few of them through: those that
//     begin like a token, end like a secret name, are long, or stand beside something that tells. A text of which no
//     word passes comes back as it is, without an allocation.
//  2. Match (match.go, shown.go): does the word begin a secret that shows by its own form what it is? The table
//     formats.go has the tokens of providers; numbers of cards, private keys and JWTs have rules of their own.
//  3. Named places (named.go and the files that it leads to): is the word a name (names.go) with a secret behind it?
//     behind finds the value in code, JSON at any depth, forms, lists, markup and YAML, bounds.go finds its end,
//     weak.go and measure.go tell the values that are none.
//  4. Known values: what was secret by its name or place is masked wherever it appears from then on (known.go), and
//     so is what a page masked before it sent it, of which the daemon has a hash of 32 bits only (masked.go).
//  5. Pseudonyms (pseudonym.go, replace.go): a secret becomes <kind#number>, such as <jwt#3>. Equal values have equal
//     numbers as long as the daemon runs; a pseudonym that a page made gets a number, too.
//
// Of a batch, texts and members of JSON objects in which nothing was found are remembered (memo.go), and not looked at
// again until a value becomes known.
//
// The write side calls [Redactor.Batch] for every event before the store sees it (batch.go); what does not become an
// event goes through [Redactor.Text], URL, Body and Headers. Redacting twice changes nothing; valid UTF-8 and valid
// JSON stay valid. The work for a text is linear in its length. The package keeps no value that
// it took for a secret, does no I/O and cannot see what is in images or binary data.
package redact

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/event"
)

// Redactor holds the rules and the numbers given so far. It may be used by many goroutines. Make it with New.
type Redactor struct {
	names   *nameSet
	headers map[string]bool
	custom  []customRule
	numbers *pseudonyms
	known   *known
	masked  masked
	blocks  blocks
	pii     bool
	found   *findings
	memos   sync.Pool // of *memo
}

// New returns a redactor with the built-in rules and the given ones, which may be zero.
func New(rules Rules) *Redactor {
	r := &Redactor{
		names:   builtInNames(),
		pii:     rules.pii,
		headers: map[string]bool{},
		custom:  rules.custom,
		numbers: newPseudonyms(),
		known:   newKnown(),
		masked:  masked{kinds: map[uint32]string{}},
		blocks:  blocks{open: map[writer]*keyBlock{}, asks: map[writer]string{}, heads: map[writer]head{}},
		found:   newFindings(),
		memos:   sync.Pool{New: func() any { return newMemo() }},
	}
	if extra := rules.allNames(); len(extra) > 0 {
		r.names = newNameSet(extra)
	}
	for _, list := range [][]string{headerNames, rules.headers} {
		for _, h := range list {
			r.headers[strings.ToLower(h)] = true
		}
	}
	return r
}

// Text returns s without secrets.
func (r *Redactor) Text(s string) string { return r.clean(nil, s, plain, "text") }

// URL returns a URL, absolute or not, without secrets in its user part, query and fragment. What
// was a URL stays one.
func (r *Redactor) URL(s string) string { return r.clean(nil, s, form, "url") }

// Body returns the text of a message body without secrets, also when it was cut at its end.
// contentType may be empty; a JSON body is known by its first character as well.
func (r *Redactor) Body(s, contentType string) string { return r.body(nil, s, contentType, "body") }

// Headers replaces the secret values of hs in place and reports whether there were any.
func (r *Redactor) Headers(hs []event.Header) bool { return r.fields(nil, hs) }

func (r *Redactor) fields(p *pass, hs []event.Header) bool {
	changed := false
	for i := range hs {
		if v := r.header(p, hs[i].Name, hs[i].Value); v != hs[i].Value {
			hs[i].Value = v
			changed = true
		}
	}
	return changed
}

// Findings returns what was found so far, oldest first, each kind once per place: never a value. The
// slice is the caller's.
func (r *Redactor) Findings() []event.Finding { return r.found.list() }

func (r *Redactor) body(p *pass, s, contentType, place string) string {
	m := plain
	switch {
	case s == "":
		return s
	case isDocument(s):
		m = document
	case strings.HasPrefix(contentType, "application/x-www-form-urlencoded"):
		m = form
	}
	if p != nil {
		return p.clean(s, m, place)
	}
	return r.clean(nil, s, m, place)
}

// isDocument reports whether s begins as a JSON text does.
func isDocument(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\r', '\n':
			continue
		}
		c := s[i]
		return c == '{' || c == '[' || c == '"' || (c == '-' || isDigit(c)) && len(s) < 24 && json.Valid([]byte(s))
	}
	return false
}

func (r *Redactor) clean(p *pass, s string, m mode, place string) string {
	if len(s) < 4 {
		return s
	}
	sc := scan{r: r, s: s, mode: m, place: place, pass: p}
	if m == plain {
		if out := sc.columns(); sc.done > 0 {
			s = out
			sc = scan{r: r, s: s, mode: m, place: place, pass: p, learned: sc.learned}
		}
		if strings.IndexByte(s, '\n') >= 0 {
			if out := sc.tables(); sc.done > 0 {
				s = out
				sc = scan{r: r, s: s, mode: m, place: place, pass: p, learned: sc.learned}
			}
		}
	}
	if m != form {
		if out := sc.layers(1); sc.done > 0 {
			s = out
			sc = scan{r: r, s: s, mode: m, place: place, pass: p, learned: sc.learned}
		}
	}
	if out := sc.inserted(); sc.done > 0 {
		s = out
		sc = scan{r: r, s: s, mode: m, place: place, pass: p, learned: sc.learned}
	}
	if out := sc.keys(); sc.done > 0 {
		s = out
		sc = scan{r: r, s: s, mode: m, place: place, pass: p, learned: sc.learned}
	}
	if out := sc.sourceNames(); sc.done > 0 {
		s = out
		sc = scan{r: r, s: s, mode: m, place: place, pass: p, learned: sc.learned}
	}
	out := sc.run()
	if len(sc.declared) > 0 {
		again := scan{r: r, s: out, mode: m, place: place, pass: p, variables: wordSet(sc.declared...)}
		out = again.run()
	}
	if strings.IndexByte(out, '%') >= 0 {
		written := scan{r: r, s: out, mode: m, place: place, pass: p}
		out = written.percent(1)
		sc.learned = sc.learned || written.learned
	}
	// What was learned behind a text's place may stand before it.
	for more := 0; sc.learned && more < 3; more++ {
		sc = scan{r: r, s: out, mode: m, place: place, pass: p}
		out = sc.run()
	}
	if r.pii {
		out = sc.personal(out)
	}
	if len(r.custom) > 0 {
		out = sc.custom(out)
	}
	return out
}

// header returns the value of the header without secrets.
func (r *Redactor) header(p *pass, name, value string) string {
	if value == "" {
		return value
	}
	lower := name
	if strings.IndexFunc(name, func(c rune) bool { return 'A' <= c && c <= 'Z' }) >= 0 {
		lower = strings.ToLower(name)
	}
	word := ""
	switch {
	case lower == "cookie" || lower == "set-cookie":
		word = "cookie"
	case r.headers[lower] || secretHeaderEnd(lower):
		word = lower
	default:
		if word = r.names.match(name); queryOnly[word] {
			word = ""
		}
	}
	if word == "" {
		if lower == "location" || lower == "referer" || lower == ":path" || lower == "content-location" ||
			lower == "origin" {
			return r.clean(p, value, form, "header:"+lower)
		}
		return r.clean(p, value, plain, "header")
	}
	sc := scan{r: r, s: value, place: "header", pass: p}
	if word == "cookie" && pseudonymAt(value) != len(value) {
		if _, n := pagePseudonymAt(value); n != len(value) {
			sc.cookies(0, len(value), lower == "set-cookie")
			return sc.rest()
		}
	}
	sc.hide(held{to: len(value), content: true}, word)
	return sc.rest()
}

// rest returns the text of a scan that was steered from outside.
func (sc *scan) rest() string {
	if sc.done == 0 {
		return sc.s
	}
	return string(append(sc.out, sc.s[sc.done:]...))
}
