package query

import (
	"context"
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

// Handle returns the short name of an event: its kind's letter and its number, such as "l812".
func Handle(k event.Kind, seq event.Seq) string {
	return string(rune(k.Handle())) + strconv.FormatUint(uint64(seq), 10)
}

// ByHandle returns the event that a handle ("r42"), an id ("run-42") or a bare number names, an
// exchange with its bodies. Errors: invalid_param for what is none of these, no_data for an event
// that is not kept any more, never was, or is of another run.
func ByHandle(r Reader, handle string) (Item, error) {
	const fix = `Pass a handle as lists print it, such as "l812" for a log or "r42" for a request.`
	text := strings.TrimSpace(handle)
	if run, number, ok := cutLast(text, "-"); ok {
		if run != r.Run() {
			return Item{}, problem.New(
				problem.NoData,
				"List again and take a handle from there.",
				"%.60q is of another run of the daemon; its events are gone.",
				handle,
			)
		}
		text = number
	}
	kind := event.Kind(0)
	if text != "" && (text[0] < '0' || text[0] > '9') {
		k, ok := event.KindOf(text[:1])
		if !ok {
			return Item{}, problem.New(problem.InvalidParam, fix, "%.60q is not the handle of an event.", handle)
		}
		kind, text = k, text[1:]
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n == 0 {
		return Item{}, problem.New(problem.InvalidParam, fix, "%.60q is not the handle of an event.", handle)
	}
	return find(r, kind, event.Seq(n), handle)
}

// BySeq returns the event with this number, of whatever kind, an exchange with its bodies. Error:
// no_data when it is not kept.
func BySeq(r Reader, seq event.Seq) (Item, error) {
	return find(r, 0, seq, strconv.FormatUint(uint64(seq), 10))
}

// find looks for one kind, or for any for kind 0.
func find(r Reader, kind event.Kind, seq event.Seq, name string) (Item, error) {
	var kinds []event.Kind
	if kind != 0 {
		kinds = []event.Kind{kind}
	}
	if it, ok := r.Find(kinds, seq); ok {
		return it, nil
	}
	if sum, err := r.Sum(context.Background(), nil, &Filter{}, 0, false); err == nil && seq >= sum.Next {
		return Item{}, problem.New(
			problem.NoData,
			"List again and take a handle from there.",
			"No event has the number of %.60q yet.",
			name,
		)
	}
	return Item{}, problem.New(
		problem.NoData,
		"List again: handles end when their event is evicted or cleared.",
		"%.60q is not kept any more, or is not of this kind.",
		name,
	)
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
