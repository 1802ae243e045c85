package interact

import (
	"fmt"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/command"
)

// diffLines says in lines, which hold text of the page, what an act changed.
func diffLines(d *command.PageDiff) (out []string) {
	out = append(out, fmt.Sprintf(
		"changed: %d elements added, %d removed, %d changes", d.ElementsAdded, d.ElementsRemoved, d.Changes,
	))
	if d.URLChanged {
		out = append(out, "the address changed within the document")
	}
	if d.TitleChanged {
		out = append(out, "the title changed")
	}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, p := range d.OverlaysOpened {
		say("opened %s %q", answer.Clean(p.Selector), answer.Clean(p.Text))
	}
	for _, text := range d.OverlaysClosed {
		say("closed %q", answer.Clean(text))
	}
	for _, t := range d.Toasts {
		say("%s %q", answer.Clean(t.Type), answer.Clean(t.Text))
	}
	for _, e := range d.FormErrors {
		say("invalid field %q: %s", answer.Clean(e.Field), answer.Clean(e.Text))
	}
	for _, s := range d.LoadingIndicators {
		say("loading: %s", answer.Clean(s))
	}
	for _, t := range d.TextChanges {
		say("text of %s: %q, was %q", answer.Clean(t.Selector), answer.Clean(t.To), answer.Clean(t.From))
	}
	for _, m := range d.Mutations {
		say("mutation: %s", answer.Clean(m))
	}
	return out
}
