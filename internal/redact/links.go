package redact

import "strings"

// linkWords are the segments of a path behind which an opaque one lets its holder in: "/reset/3f9c…". They also count
// as one of the words of a segment: "/password-reset/…", "/verify-email/…", "/confirmEmail/…".
var linkWords = wordSet("reset", "magic", "magiclink", "invite", "invites", "invitation", "invitations", "verify",
	"verification", "confirm", "confirmation", "activate", "activation", "unlock", "recover", "recovery",
	"passwordless", "onetime", "otp", "unsubscribe", "link", "login", "signin", "join", "accept", "share",
	"webhook", "webhooks", "hook", "hooks", "token", "validate", "auth", "sso", "password", "edit", "register", "setup")

func wordSet(words ...string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

// link replaces the opaque segment of a path behind the word s[i:j], which '/' follows, and returns the index behind
// it, or 0. Up to two plain segments may stand between.
func (sc *scan) link(i, j int) int {
	s := sc.s
	if i == 0 || s[i-1] != '/' || !linkSegment(s[i:j]) {
		return 0
	}
	at := j
	for range 3 {
		if at == len(s) || s[at] != '/' {
			return 0
		}
		from := at + 1
		for at = from; at < len(s) && inSegment[s[at]]; {
			at++
		}
		for at > from && strings.IndexByte(".,:;)", s[at-1]) >= 0 { // of the text around
			at--
		}
		if opaque(s[from:at]) {
			sc.replace(from, at, kindSecret, s[from:at], "link")
			return at
		}
		if strings.IndexFunc(s[from:at], func(c rune) bool { return class[byte(c)] != wordByte }) >= 0 {
			return 0
		}
		if sc.r.known.count.Load() > 0 {
			if end := sc.knownAt(from, at); end > 0 {
				return end
			}
		}
	}
	return 0
}

const maxLinkWord = 16 // bytes, at least those of the longest

// linkSegment reports whether one of the words of a segment is a word of links. '-', '_' and the change from a small
// letter to a capital separate words; what the first two separate also counts as a whole ("MagicLink").
func linkSegment(segment string) bool {
	whole, part := 0, 0
	for k := 0; k <= len(segment); k++ {
		end := k == len(segment) || segment[k] == '-' || segment[k] == '_'
		if end && (linkWord(segment[whole:k]) || part > whole && linkWord(segment[part:k])) {
			return true
		}
		if end {
			whole, part = k+1, k+1
		} else if k > part && isUpper(segment[k]) && isLower(segment[k-1]) {
			if linkWord(segment[part:k]) {
				return true
			}
			part = k
		}
	}
	return false
}

func linkWord(word string) bool {
	return len(word) <= maxLinkWord && linkWords[strings.ToLower(word)]
}

// manyWords reports whether a short segment can have a word of links that is not at its end.
func manyWords(segment string) bool {
	for k := 1; k < len(segment); k++ {
		if c := segment[k]; c == '-' || c == '_' || isUpper(c) {
			return true
		}
	}
	return false
}

var inSegment = byteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~%+")

// opaque reports whether a segment of a path or a value of a query is no word, number or file, but was drawn: 8
// bytes or more of letters and digits that alternate, a UUID, or many capitals within.
func opaque(s string) bool {
	if len(s) < 8 || strings.HasPrefix(s, "%3C") {
		return false
	}
	if dot := strings.LastIndexByte(s, '.'); dot >= 0 && len(s)-dot <= 5 && dot < 40 && letters(s[dot+1:]) {
		return false // a file
	}
	changes, digits, long, run := 0, 0, 0, 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if isDigit(c) {
			digits++
		}
		if alnum(c) {
			run++
			long = max(long, run)
		} else {
			run = 0
		}
		if i > 0 &&
			(isDigit(c) && isLetter(s[i-1]) || isLetter(c) && isDigit(s[i-1]) || isUpper(c) && isLower(s[i-1])) {
			changes++
		}
	}
	switch {
	case isUUID(s):
		return true
	case long < 5:
		return false
	case digits == 0:
		return len(s) >= 16 && changes >= max(3, len(s)/6)
	case digits == len(s):
		return false // a number of something
	}
	return changes >= 2 && changes >= len(s)/12
}

// query reports whether the value v of the name at i is one of a query or form, and opaque.
func (sc *scan) query(i int, v held) bool {
	s := sc.s
	value := s[v.from:v.to]
	if v.from == 0 || s[v.from-1] != '=' {
		return false
	}
	if sc.mode != form && (i == 0 || s[i-1] != '?' && s[i-1] != '&' && s[i-1] != '#') {
		return false
	}
	if len(value) == 6 && strings.Trim(value, "0123456789") == "" {
		return strings.HasSuffix(s[:v.from-1], "code") || strings.HasSuffix(s[:v.from-1], "otp")
	}
	return opaque(value)
}
