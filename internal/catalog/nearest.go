package catalog

import (
	"strings"
	"unicode/utf8"
)

// Nearest returns the word that somebody meant who typed name, "" when none is near. It is the product's
// one measure of that. Case and the separators are folded. A name of more than 64 bytes is near nothing,
// so that the work is bounded by the words, which are ours.
func Nearest(name string, words []string) string {
	if len(name) > maxName {
		return ""
	}
	name = normal(name)
	best, bestDistance := "", len(name)/3+1 // what is further away is another word
	for _, w := range words {
		n := normal(w)
		if len(name) >= 3 && (strings.HasPrefix(n, name) || strings.HasPrefix(name, n)) {
			if d := 1; d < bestDistance {
				best, bestDistance = w, d
			}
			continue
		}
		if d := distance(name, n); d < bestDistance {
			best, bestDistance = w, d
		}
	}
	return best
}

// distance is the number of insertions, deletions and substitutions between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}

// Named reports whether what somebody sent is this word, which is in its normal spelling.
func Named(name, word string) bool { return len(name) <= maxName && normal(name) == word }

// cut shortens what somebody sent for a message.
func cut(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	end := most
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
