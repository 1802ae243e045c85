package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Stamp prints a time as results carry it.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Key joins what a since:"last" position depends on: scope and filters.
func Key(parts ...any) string { return fmt.Sprintf("%v", parts) }

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
