package analyze

import (
	"fmt"
	"strings"
	"testing"
)

// Large forms are told shorter until they fit; what is left out is counted, and no form is lost.
func TestLargeFormsAreToldShort(t *testing.T) {
	field := func(i, options int) foundField {
		f := foundField{Ref: fmt.Sprint("e", i), Role: "combobox", Label: strings.Repeat("label ", 10), Name: "name", Hint: strings.Repeat("hint ", 20)}
		for o := range options {
			f.Options = append(f.Options, fieldOption{Label: fmt.Sprint("option ", o), Chosen: o == options-1 && options != 5})
		}
		f.OptionCount = options
		return f
	}
	form := func(fields, options int) foundForm {
		f := foundForm{formHead: formHead{Ref: "e1", Label: strings.Repeat("form ", 8)}, Method: "post", Action: "/pay", Count: fields}
		for i := range fields {
			f.Fields = append(f.Fields, field(i, options))
		}
		return f
	}
	for name, c := range map[string]struct {
		forms []foundForm
		want  []string // in this order
		not   string
	}{
		"one that fits":        {[]foundForm{form(2, 12)}, []string{"hint hint", "option 0 | option 1", "option 11 (chosen)"}, "told in short"},
		"many options":         {[]foundForm{form(8, 12)}, []string{"option 3 | option 11 (chosen) | 7 more", "told in short"}, "option 4"},
		"many with no options": {[]foundForm{form(16, 2)}, []string{`name=name: option 1 (chosen) | 1 more`, "told in short"}, "hint"},
		"nothing is chosen":    {[]foundForm{form(14, 5)}, []string{"name=name: 5 options", "told in short"}, "option 0"},
		"many fields":          {[]foundForm{form(25, 0)}, []string{"12 of 25 fields", "told in short"}, "e12 "},
		"many forms":           {[]foundForm{form(9, 0), form(9, 0), form(9, 0)}, []string{"6 of 9 fields", "6 of 9 fields", "6 of 9 fields"}, "e6 "},
		"very many": {
			[]foundForm{form(9, 9), form(9, 9), form(9, 9), form(9, 9), form(9, 9), form(9, 9), form(9, 9), form(9, 9), form(9, 9), form(9, 9)},
			append(slicesOf("0 of 9 fields", 10), "told in short"), "combobox",
		},
	} {
		found := formsFound{Forms: c.forms, Count: len(c.forms)}
		text := strings.Join(formsText(found, false), "\n")
		rest := text
		for _, want := range c.want {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Fatalf("%s: %q is missing in\n%s", name, want, text)
			}
			rest = after
		}
		if len(text) > 2300 || strings.Contains(text, c.not) {
			t.Errorf("%s: %d bytes, or it has %q:\n%s", name, len(text), c.not, text)
		}
		if whole := strings.Join(formsText(found, true), "\n"); strings.Contains(whole, "told in short") || strings.Contains(whole, " of 25 fields") {
			t.Errorf("%s: a limit that was given is cut:\n%s", name, whole)
		}
	}
}

func slicesOf(word string, n int) []string {
	return strings.Split(strings.TrimSuffix(strings.Repeat(word+"|", n), "|"), "|")
}
