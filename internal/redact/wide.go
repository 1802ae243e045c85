package redact

import "strings"

// Blanks and signs outside of ASCII, as keyboards of other scripts and texts that were copied from pages have them:
// "password\u00a0=\u00a0x", "密码：x".

var (
	wideBlanks = []string{"\u00a0", "\u2002", "\u2003", "\u2007", "\u2009", "\u200a", "\u202f", "\u205f", "\u3000", "\ufeff"}
	wideSigns  = []string{"：", "＝", "﹕", "﹦"}
	wideEnds   = []string{"，", "；", "）", "、", "。", "」", "』", "】"}
)

// wideIn returns the length of the one of list that s has at k, or 0.
func wideIn(list []string, s string, k int) int {
	if k >= len(s) || s[k] < 0x80 {
		return 0
	}
	for _, w := range list {
		if strings.HasPrefix(s[k:], w) {
			return len(w)
		}
	}
	return 0
}

func wideBlank(s string, k int) int { return wideIn(wideBlanks, s, k) }

// wideBehind is the length of a blank or a sign outside of ASCII that may stand behind a name at k.
func wideBehind(s string, k int) int {
	if n := wideIn(wideSigns, s, k); n > 0 {
		return n
	}
	return wideBlank(s, k)
}

// wideAt returns the index of the next of those in s[k:end], or end, and its length.
func wideAt(s string, k, end int) (at, length int) {
	for ; k < end; k++ {
		if n := wideBehind(s, k); n > 0 {
			return k, n
		}
	}
	return end, 0
}
