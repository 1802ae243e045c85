// Package testfile reads which elements a test looks for: the locators of tests that are written for Playwright, Cypress or
// Testing Library, in JavaScript, TypeScript or Python. It reads a file's text; nothing of it is run, and no text is an
// error. A locator that is computed is told as such.
package testfile

import (
	"path/filepath"
	"slices"
	"strings"
)

// Language is what a test is written in. TypeScript counts as JavaScript.
type Language int

// The languages.
const (
	JavaScript Language = iota
	Python
)

// Extensions are the endings of the names of files that can be read.
var Extensions = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".py"}

// LanguageOf returns the language of a file by its name; false for none that can be read.
func LanguageOf(name string) (Language, bool) {
	ending := strings.ToLower(filepath.Ext(name))
	if ending == ".py" {
		return Python, true
	}
	return JavaScript, slices.Contains(Extensions, ending)
}

// Use is one place of a test where an element is looked for.
type Use struct {
	Line       int    // from 1, of Start
	Start, End int    // bytes: from the method's name to behind its closing parenthesis
	Source     string // these bytes
	Dialect    Dialect
	Selector   string // as the parameter selector takes it; "" where Why says why not
	Within     string // selector of the element in which it is looked for; "" for the whole page
	Frame      string // selector of its iframe; "" for the page
	Why        string // why it cannot be looked for
	Many       bool   // the test takes one of several, or all
	Extra      bool   // the call has more than what Selector says: other arguments, comments
	Act        string // what is done to the element, as the test calls it; "" for nothing
	Acted      bool   // the file acts on the element, or on what it holds, and asserts nothing of it
	Assertion  bool   // the test asserts something of it
	Absent     bool   // the test is about its not being there, or not being seen
}

// Read returns the uses of a test in their order.
func Read(src string, lang Language) []Use {
	r := reader{src: src, tokens: scan(src, lang), lang: lang, names: map[string][]int{}}
	r.pair()
	for i := range r.tokens {
		r.chain(i)
	}
	if len(r.names) > 0 {
		r.held()
	}
	slices.SortStableFunc(r.uses, func(a, b Use) int { return a.Start - b.Start })
	line, from := 1, 0
	for i := range r.uses {
		u := &r.uses[i]
		line, from = line+strings.Count(src[from:u.Start], "\n"), u.Start
		u.Line, u.Source = line, src[u.Start:u.End]
	}
	return r.uses
}

// Opens returns the addresses that a test opens, as far as they are written out: what goto and visit are given.
func Opens(src string, lang Language) (addresses []string) {
	r := reader{src: src, tokens: scan(src, lang), lang: lang}
	r.pair()
	for i, t := range r.tokens {
		if t.kind != word || t.value != "goto" && t.value != "visit" || !r.tokens[i+1].is("(") || r.closing[i+1] < 0 {
			continue
		}
		if a := r.args(link{i, i + 1, r.closing[i+1]}); len(a.plain) > 0 && a.plain[0].known {
			addresses = append(addresses, a.plain[0].value)
		}
	}
	return addresses
}
