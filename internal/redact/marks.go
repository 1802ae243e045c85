package redact

import (
	"slices"
	"strings"
	"sync"
)

// Marks hands the kind of each secret that a pseudonym stands for in s to visit, with its place, and so also those of
// the user part of a URL, where a pseudonym is written with %3C and %3E.
func Marks(s string, visit func(kind string, at int)) {
	escaped := 0
	for i := 0; ; {
		if escaped = max(escaped, i); escaped < len(s) && !strings.HasPrefix(s[escaped:], "%3C") {
			escaped += from(s[escaped:], "%3C")
		}
		at := i + from(s[i:], "<")
		if at = min(at, escaped); at >= len(s) {
			return
		}
		i = at + 1
		if s[at] == '%' {
			rest := s[at+len("%3C") : min(len(s), at+len("%3C%23%3E")+maxKindBytes+20)]
			if inner, _, whole := strings.Cut(rest, "%3E"); whole && pseudonymAt("<"+inner+">") > 0 {
				kind, _, _ := strings.Cut(inner, "%23")
				visit(kind, at)
			}
		} else if n := pseudonymAt(s[at:]); n > 0 {
			visit(s[at+1:at+kindAt(s[at:])], at)
			i = at + n
		} else if kind, n := pagePseudonymAt(s[at:]); n > 0 {
			visit(kind, at)
			i = at + n
		}
	}
}

// from returns where word begins in s, or the length of s.
func from(s, word string) int {
	if i := strings.Index(s, word); i >= 0 {
		return i
	}
	return len(s)
}

// Personal hands the kinds of personal data that stand in s in the clear to visit, with their places: an e-mail address
// or an international telephone number, as far as its form shows it. Card numbers and the like are never in the clear.
func Personal(s string, visit func(kind string, at int)) {
	for i := 0; i < len(s); {
		at := strings.IndexByte(s[i:], '@')
		if at < 0 {
			break
		}
		from, to := email(s, i+at, i)
		if to > from {
			visit(kindEmail, from)
		}
		i = max(to, i+at+1)
	}
	for i := 0; i < len(s); {
		at := strings.IndexByte(s[i:], '+')
		if at < 0 {
			return
		}
		at += i
		i = at + 1
		if at == 0 || !alnum(s[at-1]) {
			if end := phone(s, at); end > 0 {
				visit(kindPhone, at)
				i = end
			}
		}
	}
}

// IsPersonal reports whether secrets of a kind are about a person.
func IsPersonal(kind string) bool {
	return slices.Contains([]string{kindCard, kindSSN, kindIBAN, kindEmail, kindPhone}, kind)
}

// HasForm reports whether secrets of a kind show by their form who issued them, or that they are private keys.
func HasForm(kind string) bool { return kind == kindPrivateKey || withForm()[kind] }

var withForm = sync.OnceValue(func() map[string]bool {
	kinds := map[string]bool{}
	for _, f := range formats {
		kinds[f.Kind] = true
	}
	return kinds
})

// Marked reports whether something in s stands for a secret.
func Marked(s string) (is bool) {
	Marks(s, func(string, int) { is = true })
	return is
}
