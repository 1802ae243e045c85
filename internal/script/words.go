package script

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/brennhill/gasoline/internal/steps"
)

// plainly reports whether a character may stand in a file as it is: it is seen, and changes nothing around it. Overrides of the
// direction of text would show a line other than it is read.
func plainly(r rune) bool { return r == ' ' || unicode.IsPrint(r) && r != unicode.ReplacementChar }

// quoteJS writes a string of JavaScript and TypeScript.
func quoteJS(s string) string { return quoted(s, `\u{%x}`) }

// quotePython writes a string of Python.
func quotePython(s string) string { return quoted(s, `\U%08x`) }

func quoted(s, astral string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case plainly(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, astral, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// escape writes a text as a part of a regular expression that means it, in JavaScript and Python alike and between slashes or
// quotes. White space of any length is one.
func escape(s string) string {
	var b strings.Builder
	space := false
	last := rune(0)
	for _, r := range s {
		before := last
		last = r
		if unicode.IsSpace(r) {
			space = true
			continue
		}
		if space {
			b.WriteString(`\s+`)
			space = false
		}
		switch {
		case strings.ContainsRune(`.*+?^${}()|[]\/`, r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '"':
			b.WriteString(`\x22`)
		case (r == '\'' || r == '`') && strings.ContainsRune("'`\"", before): // Playwright escapes but every second one of a row
			fmt.Fprintf(&b, `\x%x`, r)
		case plainly(r):
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteString(`\S+`)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	if space {
		b.WriteString(`\s+`)
	}
	return b.String()
}

// remark makes one line of a text, for a comment.
func remark(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if plainly(r) {
			b.WriteRune(r)
		}
	}
	out := []rune(b.String())
	if len(out) > 100 {
		return string(out[:99]) + "…"
	}
	return string(out)
}

const (
	weekday = `(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?`
	month   = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
)

// changing is what differs from run to run in a text: pseudonyms, times, dates, UUIDs, hashes, long numbers, and how long
// something took or is ago.
var changing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<[a-z_]+(?:[#:]|%23|%3a)[0-9a-z]+>` +
		`|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b` +
		`|\b\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?z?)?\b` +
		`|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b` +
		`|\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?` +
		`|\b\d+(?:\.\d+)?\s?(?:ms|s|secs?|seconds?|mins?|minutes?|hours?|days?)\b(?: ago)?` +
		`|\b(?:\d+|an?|one)\s?(?:m|h|hrs?|hour|minute|second|d|day|w|weeks?|mo|months?|y|yrs?|years?) ago\b|\byesterday\b|\bjust now\b` +
		// Dates in words: of English, and of any language where they have a year. 2026年11月28日, 2026년 11월 28일.
		`|\b(?:` + weekday + `,?\s+)?` + month + `\s+\d{1,2}(?:st|nd|rd|th)?\b(?:,?\s+\d{4}\b)?` +
		`|\b(?:` + weekday + `,?\s+)?\d{1,2}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?` + month + `\b(?:,?\s+\d{4}\b)?` +
		`|(?:[\p{L}\p{M}]+\.?,\s+)?\d{1,2}\.?\s+(?:[\p{L}\p{M}]+\.?,?\s+){1,3}(?:19|20)\d\d\b` +
		`|(?:[\p{L}\p{M}]+\.?,\s+)?[\p{L}\p{M}]+\.?\s+\d{1,2},\s+(?:19|20)\d\d\b` +
		`|(?:\d{4}\s?[年년]\s?)?\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일](?:\s?[(（][日月火水木金土월화수목금토일][)）])?` +
		`|\b(?:[0-9]+[a-f]|[a-f]+[0-9])[0-9a-f]{6,}\b` +
		`|\d+\.\d{4,}|\d{4,}`)
})

// pattern writes a regular expression for a text in which what changes may be anything; "" where nothing else is in it.
func pattern(s string) string {
	var b strings.Builder
	kept, from := "", 0
	for _, at := range changing().FindAllStringIndex(s, -1) {
		part := s[from:at[0]]
		kept += part
		b.WriteString(escape(part))
		b.WriteString(`.+`)
		from = at[1]
	}
	kept += s[from:]
	b.WriteString(escape(s[from:]))
	if !strings.ContainsFunc(kept, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return b.String()
}

// whole is a pattern for a text from its beginning to its end, or only from its beginning.
func whole(s string, cut bool) string {
	p := pattern(s)
	if p == "" {
		return ""
	}
	p = `^\s*` + p
	if !cut {
		p += `\s*$`
	}
	if strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana)
	}) {
		// Marks of the direction stand around words there, and nobody sees them.
		p = strings.ReplaceAll(p, `\s`, `[\s\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]`)
	}
	return p
}

// addressPattern writes a regular expression for an address: its path on any host, ids in it as they come. The query is
// left out, and the fragment unless it is a route.
func addressPattern(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return `^` + escape(steps.PageOf(address))
	}
	end := `\/?(?:[?#]|$)`
	route := ""
	if f := u.EscapedFragment(); strings.HasPrefix(f, "/") || strings.HasPrefix(f, "!/") {
		page, _, _ := strings.Cut(f, "?")
		route, end = `\/?(?:\?[^#]*)?#`+parts(page), `\/?(?:\?|$)`
	}
	return `^[a-z]+:\/\/[^\/]+` + parts(strings.TrimSuffix(u.EscapedPath(), "/")) + route + end
}

// queryPattern writes a regular expression for an address whose query says something: values that are ids may be anything.
func queryPattern(address string) string {
	list := strings.Split(query(address), "&")
	for i, part := range list {
		name, value, _ := strings.Cut(part, "=")
		if value != "" && steps.Volatile(value) && len(value) > 3 {
			list[i] = escape(name) + `=[^&#]*`
		} else {
			list[i] = escape(part)
		}
	}
	path := strings.TrimSuffix(addressPattern(steps.PageOf(address)), `(?:[?#]|$)`)
	return path + `\?` + strings.Join(list, "&") + `(?:#|$)`
}

// parts writes a path with its ids left open.
func parts(path string) string {
	list := strings.Split(path, "/")
	for i, part := range list {
		if steps.Volatile(part) {
			list[i] = `[^\/?#]+`
		} else {
			list[i] = escape(part)
		}
	}
	return strings.Join(list, `\/`)
}

// variable makes the name of a variable of the environment from the name of a field.
func variable(label string, number int) string {
	var b strings.Builder
	for _, r := range strings.ToUpper(label) {
		switch {
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		if b.Len() >= 40 {
			break
		}
	}
	name := strings.Trim(b.String(), "_")
	switch {
	case name == "":
		return fmt.Sprintf("VALUE_%d", number)
	case taken[name] || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "NODE_"):
		return fmt.Sprintf("VALUE_%d_%s", number, name)
	}
	return name
}

// taken are variables that environments have for other things: a test would type those.
var taken = set(`APPDATA BASE_URL BROWSER CI COLUMNS COMPUTERNAME CYPRESS_BASE_URL DEBUG DISPLAY DOMAIN EDITOR ENV FORCE_COLOR GROUP
	GROUPS HOME HOST HOSTNAME HOSTTYPE IFS INIT_CWD LANG LANGUAGE LINES LOCALE LOGNAME MAIL NAME NO_COLOR NO_PROXY OLDPWD OS PAGER PATH
	PATHEXT PORT PPID PROMPT PROXY PWD PYTHONPATH RANDOM SECONDS SHELL SHLVL START_URL TEMP TERM TEST_FILES TMP TMPDIR TZ UID USER
	USERDOMAIN USERNAME USERPROFILE VISUAL`)
