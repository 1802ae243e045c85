package drive

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

// aimed is a command's params that name elements.
type aimed interface {
	Selectors() (selector, within string)
}

// checkSelectors refuses selectors in the language of another tool, which no page could make elements of, and says the
// same in ours.
func checkSelectors(kind string, params any) error {
	a, ok := params.(aimed)
	if !ok {
		return nil
	}
	selector, within := a.Selectors()
	for _, s := range []string{selector, within} {
		what, ours := foreign(s)
		if what == "" {
			continue
		}
		if s != selector {
			ours = strings.Replace(ours, "selector:", "within:", 1)
		}
		fix := fixes["invalid_selector"]
		if ours != "" {
			fix = "Write " + ours + "."
		}
		return problem.New(
			"invalid_selector",
			fix,
			"%s: %s is not understood in %s.",
			kind,
			what,
			answer.Cut(answer.Clean(s), 200),
		)
	}
	return nil
}

// Parts of other tools' selectors. q takes a text with or without quotes.
const q = `\s*["']?([^"')\]]*)["']?\s*`

// pattern compiles at its first use: a program that starts before every client compiles none.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	engines    = strings.Join(command.Engines, "|")
	ownEngine  = pattern(`^\s*(` + engines + `)=`)
	chained    = pattern(`>>\s*(` + engines + `|css|xpath|nth)=`)
	values     = pattern(`\[[^\]]*\]`)
	xpath      = pattern(`^\s*(xpath=|\(?\.?/)`)
	xpathText  = pattern(`(?:text\(\)|normalize-space\([^)]*\)|\.)\s*[=,]\s*["']([^"']*)["']`)
	xpathTag   = pattern(`/([a-z][a-z0-9]*)(?:\[@([a-z-]+)=["']([^"']*)["']\])?$`)
	xpathTagIn = pattern(`/([a-z][a-z0-9]*)\[[^\[]*$`)
	byText     = pattern(`^(.*?):(has-text|contains|text|text-is|text-matches|icontains)\(` + q + `\)(.*)$`)
	byPlace    = pattern(`^(.*?):(eq|nth)\((-?\d+)\)(.*)$`)
	byEnd      = pattern(`^(.*?):(first|last)($|[^\w-].*$)`)
	byState    = pattern(`^(.*?):(visible|hidden|button|input|text|submit|parent|selected)$`)
	getBy      = pattern(
		`\bgetBy(Role|Text|Label|LabelText|Placeholder|PlaceholderText|TestId)\(` + q + `(?:,\s*\{[^}]*name:` + q + `[^}]*\})?.*\)`,
	)
	otherStart = pattern(
		`^\s*(css|id|name|class|className|link|linkText|partialLinkText|tag|alt|title|aria|data-testid)[=/]` + q + `$`,
	)
)

// foreign says what in a selector belongs to another tool, "" for nothing, and how that is said here, "" where that
// cannot be told. It names only what is certain: nothing of it is CSS.
func foreign(selector string) (what, ours string) {
	if ownEngine().MatchString(selector) && !chained().MatchString(selector) { // a text may hold anything
		return "", ""
	}
	if xpath().MatchString(selector) {
		return "XPath", fromXPath(selector)
	}
	bare := values().ReplaceAllString(selector, "[]") // what stands in attributes' values is nobody's syntax
	if m := getBy().FindStringSubmatch(bare); m != nil {
		return "getBy" + m[1] + "()", fromGetBy(m[1], m[2], m[3])
	}
	if m := otherStart().FindStringSubmatch(selector); m != nil {
		return m[1] + "=", fromStart(m[1], m[2])
	}
	if i := strings.Index(strings.ReplaceAll(bare, ">>>", "   "), ">>"); i >= 0 {
		before, after, _ := strings.Cut(strings.ReplaceAll(selector, ">>>", "\x00"), ">>")
		before, after = strings.TrimSpace(
			strings.ReplaceAll(before, "\x00", ">>>"),
		), strings.TrimSpace(
			strings.ReplaceAll(after, "\x00", ">>>"),
		)
		if n, ok := strings.CutPrefix(after, "nth="); ok {
			return ">>", given("selector", before) + " with nth:" + n
		}
		return ">>", given("selector", unforeign(after)) + " with " + given("within", unforeign(before))
	}
	if byText().MatchString(bare) {
		if m := byText().FindStringSubmatch(selector); m != nil {
			return ":" + m[2] + "()", given("selector", called(m[1], m[3]))
		}
	}
	if byPlace().MatchString(bare) {
		if m := byPlace().FindStringSubmatch(selector); m != nil {
			return ":" + m[2] + "()", given("selector", m[1]+m[4]) + " with nth:" + m[3]
		}
	}
	if byEnd().MatchString(bare) {
		if m := byEnd().FindStringSubmatch(selector); m != nil {
			return ":" + m[2], given(
				"selector",
				m[1]+m[3],
			) + " with nth:" + map[string]string{"first": "0", "last": "-1"}[m[2]]
		}
	}
	if m := byState().FindStringSubmatch(bare); m != nil {
		if m[2] == "visible" {
			return ":visible", given(
				"selector",
				strings.TrimSuffix(selector, ":visible"),
			) + "; what is visible is preferred anyway"
		}
		return ":" + m[2], ""
	}
	return "", ""
}

// given is a parameter as a caller writes it.
func given(name, value string) string { return fmt.Sprintf("%s:%q", name, strings.TrimSpace(value)) }

// roles are the roles of elements whose text is their name.
var roles = map[string]string{
	"button":          "button",
	"a":               "link",
	"h1":              "heading",
	"h2":              "heading",
	"h3":              "heading",
	"option":          "option",
	"[role=button]":   "button",
	`[role="button"]`: "button",
	"[role=link]":     "link",
}

// called is a selector for an element of a tag with a text.
func called(tag, text string) string {
	text = strings.TrimSpace(text)
	if role := roles[strings.TrimSpace(tag)]; role != "" {
		return fmt.Sprintf(`role=%s[name="%s"]`, role, text)
	}
	return "text=" + text
}

// unforeign is a part of a selector in our language, if it can be said in it.
func unforeign(part string) string {
	if _, ours := foreign(part); strings.HasPrefix(ours, "selector:") {
		var s string
		if _, err := fmt.Sscanf(ours, "selector:%q", &s); err == nil {
			return s
		}
	}
	return part
}

func fromXPath(s string) string {
	if m := xpathText().FindStringSubmatch(s); m != nil {
		tag := ""
		if t := xpathTagIn().FindStringSubmatch(s); t != nil {
			tag = t[1]
		}
		return given("selector", called(tag, m[1]))
	}
	if m := xpathTag().FindStringSubmatch(strings.TrimSpace(s)); m != nil && strings.Count(s, "[") <= 1 {
		if m[2] == "" {
			return given("selector", m[1])
		}
		return given("selector", fmt.Sprintf(`%s[%s="%s"]`, m[1], m[2], m[3]))
	}
	return ""
}

func fromGetBy(what, value, name string) string {
	switch what {
	case "Role":
		if name != "" {
			value += `[name="` + name + `"]`
		}
		return given("selector", "role="+value)
	case "Text":
		return given("selector", "text="+value)
	case "TestId":
		return given("selector", "testid="+value)
	case "Label", "LabelText":
		return given("selector", "label="+value)
	default:
		return given("selector", "placeholder="+value)
	}
}

func fromStart(key, value string) string {
	switch key {
	case "css", "tag":
		return given("selector", value)
	case "id":
		return given("selector", "#"+value)
	case "class", "className":
		return given("selector", "."+value)
	case "link", "linkText", "partialLinkText":
		return given("selector", called("a", value))
	case "aria":
		return given("selector", "text="+value)
	case "data-testid":
		return given("selector", "testid="+value)
	default:
		return given("selector", fmt.Sprintf(`[%s="%s"]`, key, value))
	}
}
