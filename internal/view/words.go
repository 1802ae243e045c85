package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
)

// Stamp prints a time as results carry it.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Key joins what a since:"last" position depends on: scope and filters. Different parts give different keys.
func Key(parts ...any) string { return fmt.Sprintf("%#v", parts) }

// Counts prints a table of counts, the largest first: "console 3, onerror 1".
func Counts(m map[string]int) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(m[b]-m[a], strings.Compare(a, b)) })
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s %d", k, m[k])
	}
	return strings.Join(keys, ", ")
}

// Most returns the values of the n items with the largest counts, ties in their order.
func Most[T any](items []*T, n int, count func(*T) int) []T {
	slices.SortStableFunc(items, func(a, b *T) int { return count(b) - count(a) })
	out := make([]T, 0, min(n, len(items)))
	for _, t := range items[:min(n, len(items))] {
		out = append(out, *t)
	}
	return out
}

// Tally is the result of a list mode that was asked for counts instead of entries.
type Tally struct {
	Title  string
	Total  int
	Groups []Group        // in the order in which the text tells them
	Fields map[string]any // more fields of the JSON form
	Lines  []string       // shown below the counts
	Pages  []string       // origins of what Lines hold
	Scope  string
	Notes  []string
}

// Group is one way to count: by_method, with its words.
type Group struct {
	Name   string
	Counts map[string]int
}

// MarshalJSON writes the counts under their groups' names.
func (t *Tally) MarshalJSON() ([]byte, error) {
	out := map[string]any{"total": t.Total, "scope": t.Scope}
	for _, g := range t.Groups {
		out[g.Name] = g.Counts
	}
	for k, v := range t.Fields {
		out[k] = v
	}
	if len(t.Notes) > 0 {
		out["notes"] = t.Notes
	}
	return answer.JSON(out)
}

// plain returns counts under words that may stand outside the fence. Some of them come from pages,
// such as a request's method: what is no short plain word counts as other.
func plain(counts map[string]int) map[string]int {
	out := map[string]int{}
	for word, n := range counts {
		ok := len(word) <= 24
		for _, r := range word {
			ok = ok && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
		}
		if !ok {
			word = "other"
		}
		out[word] += n
	}
	return out
}

// Text writes the counts for a reader.
func (t *Tally) Text(w *answer.Writer) {
	var words []string
	for _, g := range t.Groups {
		if len(g.Counts) > 0 {
			words = append(words, Counts(plain(g.Counts)))
		}
	}
	head := fmt.Sprintf("%s: %d, %s", t.Title, t.Total, t.Scope)
	if len(words) > 0 {
		head += "; " + strings.Join(words, "; ")
	}
	w.Head("%s", head)
	for _, n := range t.Notes {
		w.Note("note: %s", n)
	}
	if len(t.Lines) == 0 {
		return
	}
	w.Page(t.Pages...)
	entries := make([]answer.Entry, len(t.Lines))
	for i, l := range t.Lines {
		entries[i].Text = l
	}
	w.Entries(answer.Oldest, entries)
}
