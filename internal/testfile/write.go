package testfile

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/steps"
)

// Write returns the call that looks for a selector in the place of a use, in its words; false where its dialect has none for
// it. The selector is one that the recorder gives: testid=, role= with the whole name in quotes, label=, placeholder=, text=
// or CSS.
func (u Use) Write(selector string) (string, bool) {
	kind, value := parts(selector)
	q := u.quote
	if u.Dialect == Cypress {
		verb := "get"
		if u.Within != "" {
			verb = "find"
		}
		switch kind {
		case "testid":
			return fmt.Sprintf("%s(%s)", verb, q(`[data-testid="`+escaped.Replace(value)+`"]`)), true
		case "css":
			return fmt.Sprintf("%s(%s)", verb, q(value)), true
		case "text":
			return fmt.Sprintf("contains(%s)", q(value)), true
		}
		return "", false
	}
	by := func(camel, snake string) string {
		switch u.Dialect {
		case PlaywrightPython:
			return "get_by_" + snake
		case TestingLibrary:
			verb := "get"
			if m := verbs().FindString(u.Source); m != "" {
				verb = m
			}
			return verb + "By" + map[string]string{"Label": "LabelText", "Placeholder": "PlaceholderText"}[camel] +
				map[bool]string{true: camel}[camel != "Label" && camel != "Placeholder"]
		}
		return "getBy" + camel
	}
	exact := map[Dialect]string{Playwright: ", { exact: true }", PlaywrightPython: ", exact=True"}[u.Dialect]
	exactly := map[Dialect]string{Playwright: ", exact: true", PlaywrightPython: ", exact=True"}[u.Dialect]
	if shown := value[strings.IndexByte(value, 0)+1:]; (kind == "role" || kind == "label" || kind == "text") && steps.InCapitals(shown) {
		if u.Dialect == TestingLibrary {
			return "", false
		}
		exact, exactly = "", ""
	}
	switch kind {
	case "testid":
		return fmt.Sprintf("%s(%s)", by("TestId", "test_id"), q(value)), true
	case "label":
		return fmt.Sprintf("%s(%s%s)", by("Label", "label"), q(value), exact), true
	case "placeholder":
		return fmt.Sprintf("%s(%s%s)", by("Placeholder", "placeholder"), q(value), exact), true
	case "text":
		return fmt.Sprintf("%s(%s%s)", by("Text", "text"), q(value), exact), true
	case "role":
		role, name, named := strings.Cut(value, "\x00")
		switch {
		case !named:
			return fmt.Sprintf("%s(%s)", by("Role", "role"), q(role)), true
		case u.Dialect == PlaywrightPython:
			return fmt.Sprintf("%s(%s, name=%s%s)", by("Role", "role"), q(role), q(name), exactly), true
		case u.Dialect == TestingLibrary:
			return fmt.Sprintf("%s(%s, { name: %s })", by("Role", "role"), q(role), q(name)), true
		}
		return fmt.Sprintf("%s(%s, { name: %s%s })", by("Role", "role"), q(role), q(name), exactly), true
	case "css":
		if u.Dialect != TestingLibrary {
			return fmt.Sprintf("locator(%s)", q(value)), true
		}
	}
	return "", false
}

// verbs are the ways of Testing Library to look.
var verbs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(get|find|query)(All)?`) })

// roleForm is a role as the recorder writes it: role=button[name="Pay"].
var roleForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^role=([\w-]+)(?:\[name="((?:[^"\\]|\\.)*)"\])?$`)
})

// parts tells what a selector of the recorder looks for: its kind, and the value without quotes. A role and its name have a
// zero between them. What is not read is of no kind.
func parts(selector string) (kind, value string) {
	kind, value, found := strings.Cut(selector, "=")
	switch {
	case strings.HasPrefix(selector, "role="):
		m := roleForm().FindStringSubmatch(selector)
		if m == nil {
			return "", ""
		}
		if m[2] == "" {
			return "role", m[1]
		}
		return "role", m[1] + "\x00" + unescaped.Replace(m[2])
	case found && (kind == "label" || kind == "placeholder" || kind == "text" || kind == "testid"):
		if kind == "testid" && strings.HasPrefix(value, "data-") && strings.Contains(value, "=") {
			attribute, id, _ := strings.Cut(value, "=")
			return "css", "[" + attribute + `="` + escaped.Replace(bare(id)) + `"]`
		}
		return kind, bare(value)
	case found && kind == "ref":
		return "", ""
	}
	if strings.Contains(selector, ">>>") { // Playwright and Cypress have no such sign
		return "", ""
	}
	return "css", selector
}

var unescaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

// bare takes the quotes from around a text.
func bare(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return unescaped.Replace(s[1 : len(s)-1])
	}
	return s
}

// quote writes a text as a string of the use's language, in the quotes that the use has.
func (u Use) quote(s string) string {
	q := "'"
	if i := strings.IndexAny(u.Source, "'\""); i >= 0 {
		q = u.Source[i : i+1]
	}
	var b strings.Builder
	b.WriteString(q)
	for _, r := range s {
		switch {
		case r == '\\' || string(r) == q:
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString(q)
	return b.String()
}
