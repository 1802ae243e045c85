package testfile

import (
	"maps"
	"slices"
	"strings"
)

// Dialect is whose words a locator is written in.
type Dialect string

// The dialects.
const (
	Playwright       Dialect = "playwright"
	PlaywrightPython Dialect = "playwright-python"
	Cypress          Dialect = "cypress"
	TestingLibrary   Dialect = "testing-library"
)

// method is a function that looks for elements.
type method struct {
	cypress bool // it is one of cy only
	fresh   bool // it looks in the whole page, wherever it stands in the chain
	all     bool // it may give several
	// read returns the selector, or why there is none. The reason skip means that the call looks for no element.
	read func(args) (selector, why string)
}

// skip is the reason of a call that looks for no element.
const skip = "skip"

// acts are what tests do to elements.
var acts = set(
	"click", "dblclick", "dblClick", "rightclick", "tap", "fill", "type", "press", "pressSequentially", "press_sequentially",
	"check", "uncheck", "setChecked", "set_checked", "selectOption", "select_option", "select", "selectFile", "setInputFiles",
	"set_input_files", "hover", "focus", "blur", "clear", "dragTo", "drag_to", "trigger", "dispatchEvent", "dispatch_event",
	"scrollIntoView", "scrollIntoViewIfNeeded", "scroll_into_view_if_needed", "selectText", "select_text", "submit",
)

func set(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// methods are the functions by their names.
var methods = func() map[string]method {
	out := map[string]method{
		"locator": {read: engine},
		"get":     {cypress: true, fresh: true, all: true, read: cypressCSS},
		"find":    {cypress: true, all: true, read: cypressCSS},
		"contains": {cypress: true, read: func(a args) (string, string) {
			if len(a.plain) > 1 && a.plain[1].known {
				return "", "an element of a selector and a text is not looked for"
			}
			return textual("text", a)
		}},
	}
	for _, by := range []struct {
		camel, snake string
		read         func(args) (string, string)
	}{
		{"Role", "role", role},
		{"Text", "text", func(a args) (string, string) { return textual("text", a) }},
		{"LabelText", "", func(a args) (string, string) { return exactly(textual)("label", a) }},
		{"Label", "label", func(a args) (string, string) { return textual("label", a) }},
		{"PlaceholderText", "", func(a args) (string, string) { return exactly(textual)("placeholder", a) }},
		{"Placeholder", "placeholder", func(a args) (string, string) { return textual("placeholder", a) }},
		{"TestId", "test_id", func(a args) (string, string) { return exactly(textual)("testid", a) }},
		{"AltText", "alt_text", func(a args) (string, string) { return attribute("alt", a) }},
		{"Title", "title", func(a args) (string, string) { return attribute("title", a) }},
	} {
		out["getBy"+by.camel] = method{read: by.read}
		for _, verb := range []string{"findBy", "queryBy"} {
			out[verb+by.camel] = method{read: by.read}
		}
		for _, verb := range []string{"getAllBy", "findAllBy", "queryAllBy"} {
			out[verb+by.camel] = method{all: true, read: by.read}
		}
		if by.snake != "" {
			out["get_by_"+by.snake] = method{read: by.read}
		}
	}
	return out
}()

// dialectOf tells the dialect of a call by what the chain begins with, the method and the language.
func dialectOf(root, name string, lang Language) Dialect {
	switch {
	case root == "cy":
		return Cypress
	case lang == Python:
		return PlaywrightPython
	case root == name, root == "screen", root == "within", strings.HasPrefix(name, "find"), strings.HasPrefix(name, "query"),
		strings.HasPrefix(name, "getAll"), strings.HasSuffix(name, "LabelText"), strings.HasSuffix(name, "PlaceholderText"):
		return TestingLibrary
	}
	return Playwright
}

const computed = "it is computed, or a pattern"

// textual reads a text behind a name of the selector language.
func textual(engine string, a args) (string, string) {
	if len(a.plain) == 0 || !a.plain[0].known {
		return "", computed
	}
	return engine + "=" + written(a.plain[0].value, isTrue(a.named["exact"])), ""
}

// exactly makes a reader of texts that are the whole text.
func exactly(read func(string, args) (string, string)) func(string, args) (string, string) {
	return func(engine string, a args) (string, string) {
		a.named = maps.Clone(a.named)
		a.named["exact"] = arg{word: "true"}
		return read(engine, a)
	}
}

func isTrue(a arg) bool { return a.word == "true" || a.word == "True" }

// written is a text as the selector language takes it: in quotes where it has to be the whole text, or would be read as
// something else.
func written(text string, exact bool) string {
	folded := strings.Join(strings.Fields(text), " ")
	if exact || folded == "" || strings.ContainsAny(folded[:1], `"'`) {
		return `"` + escaped.Replace(folded) + `"`
	}
	return folded
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// states are the options of roles that the selector language knows.
var states = []string{"checked", "disabled", "expanded", "pressed", "selected"}

func role(a args) (string, string) {
	if len(a.plain) == 0 || !a.plain[0].known {
		return "", computed
	}
	out := "role=" + a.plain[0].value
	exact := isTrue(a.named["exact"])
	for _, option := range slices.Sorted(maps.Keys(a.named)) {
		v := a.named[option]
		switch {
		case option == "exact", option == "hidden", option == "include_hidden", option == "includeHidden":
		case option == "name" && !v.known:
			return "", "its name is computed, or a pattern"
		case option == "name":
			// In brackets a text without quotes ends at the next bracket.
			name := written(v.value, exact)
			if !exact && strings.ContainsAny(name, "[]") {
				return "", "its name has brackets and may be a part"
			}
			out += "[name=" + name + "]"
		case slices.Contains(states, option) && (isTrue(v) || strings.EqualFold(v.word, "false")):
			out += "[" + option + `="` + strings.ToLower(v.word) + `"]`
		default:
			return "", "the option " + option + " is not looked at"
		}
	}
	return out, ""
}

// attribute reads a text that an attribute holds.
func attribute(name string, a args) (string, string) {
	if len(a.plain) == 0 || !a.plain[0].known {
		return "", computed
	}
	value := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\a `, "\r", `\d `, "\f", `\c `).Replace(a.plain[0].value)
	if isTrue(a.named["exact"]) {
		return "[" + name + `="` + value + `"]`, ""
	}
	return "[" + name + `*="` + value + `" i]`, ""
}

// engine reads a selector of Playwright: CSS, or one with the name of another engine.
func engine(a args) (string, string) {
	if len(a.plain) == 0 || !a.plain[0].known {
		return "", computed
	}
	for _, option := range slices.Sorted(maps.Keys(a.named)) {
		if option != "strict" {
			return "", "the option " + option + " is not looked at"
		}
	}
	s := strings.TrimSpace(a.plain[0].value)
	name, body, named := strings.Cut(s, "=")
	switch {
	case strings.Contains(s, ">>"):
		return "", "it is several selectors in one"
	case named && (name == "text" || name == "role" || name == "css"):
		if name == "css" {
			return css(body)
		}
		return s, ""
	case named && (name == "data-testid" || name == "data-test-id" || name == "data-test"):
		return "testid=" + name + "=" + written(body, true), ""
	case named && name == "id":
		return "[id=" + written(body, true) + "]", ""
	case strings.HasPrefix(s, "//"), strings.HasPrefix(s, ".."), strings.HasPrefix(s, "("), named && name == "xpath":
		return "", "it is an XPath"
	case strings.HasPrefix(s, `"`), strings.HasPrefix(s, `'`):
		return "text=" + s, ""
	}
	return css(s)
}

// foreign are pseudo-classes that no browser knows.
var foreign = []string{
	":has-text(", ":text(", ":text-is(", ":text-matches(", ":visible", ":nth-match(", ":near(", ":left-of(", ":right-of(",
	":above(", ":below(", ":contains(", ":eq(", ":first", ":last", ":hidden", ":light(", ":parent", ":button", ":input",
}

// css returns a selector that a browser takes.
func css(s string) (string, string) {
	if s = strings.TrimSpace(s); s == "" {
		return "", "it is empty"
	}
	rest := strings.NewReplacer(":first-child", "", ":first-of-type", "", ":first-letter", "", ":first-line", "",
		":last-child", "", ":last-of-type", "").Replace(s)
	for _, f := range foreign {
		if strings.Contains(rest, f) {
			return "", "browsers do not know " + strings.TrimSuffix(f, "(")
		}
	}
	return s, ""
}

// cypressCSS reads a selector of cy.get; an alias looks for no element.
func cypressCSS(a args) (string, string) {
	if len(a.plain) == 0 || !a.plain[0].known {
		return "", computed
	}
	s := strings.TrimSpace(a.plain[0].value)
	if strings.HasPrefix(s, "@") || s == "" {
		return "", skip
	}
	return css(s)
}
