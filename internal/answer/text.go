package answer

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Clean returns page text as it may stand in an answer: on one line, without control characters,
// terminal escapes, or the invisible and direction-changing characters that hide instructions. What
// is taken out leaves a visible escape, so that nothing disappears silently.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	last := rune(-1)
	for i, r := range s {
		switch {
		case r == '\n':
			b.WriteString("⏎")
		case r == '\t':
			b.WriteByte(' ')
		case r == '\r':
		case !hidden(r) || joins(last, r, s[i+utf8.RuneLen(r):]):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		last = after(last, r)
	}
	return b.String()
}

// EscapeJSON returns a JSON text in which what [Clean] takes out is written as \uXXXX. It is the same JSON.
func EscapeJSON(in []byte) []byte {
	s := string(in)
	if plain(s) {
		return in
	}
	out := make([]byte, 0, len(in)+16)
	last := rune(-1)
	for i, r := range s {
		switch {
		case r < 0x20 || !hidden(r) || joins(last, r, s[i+utf8.RuneLen(r):]):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		last = after(last, r)
	}
	return out
}

// plain reports whether nothing is hidden in s, as in most texts.
func plain(s string) bool {
	for _, r := range s {
		if hidden(r) {
			return false
		}
	}
	return utf8.ValidString(s)
}

// hidden reports whether a character is not seen, or changes how others are shown. Some of those belong to emoji: see joins.
// Sources: Unicode's Default_Ignorable_Code_Point (UAX 44), which is made of these sets; the braille pattern without a dot.
func hidden(r rune) bool {
	switch {
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return true
	case r < 0x300:
		return r == 0xad // soft hyphen
	case r == utf8.RuneError:
		return false
	case r >= 0xe0000 && r <= 0xe0fff: // tags, selectors, and what is kept free for their kind
		return true
	case r == 0x2028 || r == 0x2029 || r == 0x2800:
		return true
	default:
		return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
	}
}

const joiner = 0x200d

// joins reports whether a hidden character is a part of an emoji: one selector behind it, or one joiner between two. A chain of
// them, or one behind a letter, carries bytes that nobody sees.
func joins(last, r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case 0xfe0e, 0xfe0f:
		return emoji(last) || next == 0x20e3 && (last >= '0' && last <= '9' || last == '#' || last == '*') // keycaps
	case joiner:
		return (emoji(last) || last == 0xfe0f) && emoji(next)
	}
	return false
}

// after returns what the next character stands behind: a selector of no emoji is not one.
func after(last, r rune) rune {
	if r == 0xfe0f && !emoji(last) {
		return -1
	}
	return r
}

// emoji reports whether a character may be an emoji: a picture, an arrow, one of the few signs that are shown as one.
func emoji(r rune) bool {
	switch {
	case r < 0x2000:
		return r == 0xa9 || r == 0xae
	case r >= 0x1f000 && r <= 0x1faff, r >= 0x2190 && r <= 0x21ff:
		return true
	case r == 0x203c, r == 0x2049, r == 0x3030, r == 0x303d:
		return true
	}
	return unicode.Is(unicode.So, r) && r != 0x2800
}

// oneLine joins the lines of our own text.
func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

// Cut returns at most n bytes of s, whole characters, and says how many bytes it left out.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	end := max(0, n-24)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s…[+%d bytes]", s[:end], len(s)-end)
}

// Clock prints a time of day with milliseconds, as lists show it.
func Clock(t time.Time) string { return t.Format("15:04:05.000") }

// Ago prints a duration back in the coarsest unit that still says something.
func Ago(d time.Duration) string {
	switch {
	case d < 0:
		return "now"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms ago"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s ago"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min ago"
	default:
		return strconv.Itoa(int(d.Hours())) + " h ago"
	}
}

// Took prints how long something took, in as few characters as still say it: "48 ms", "1.2 s", "3 min".
func Took(d time.Duration) string {
	switch {
	case d < 0:
		return "?"
	case d < time.Second:
		return strconv.FormatInt(d.Round(time.Millisecond).Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < 3*time.Minute && d%time.Minute != 0:
		return strconv.Itoa(int(d.Seconds())) + " s" // minutes would hide half of it
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min"
	default:
		return strconv.FormatFloat(d.Hours(), 'f', 1, 64) + " h"
	}
}

// Bytes prints a size; -1 is "?".
func Bytes(n int64) string {
	switch {
	case n < 0:
		return "?"
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1000/1000)
	}
}

// Source names in fences whose text an event holds: the origin of its page, or a service where it is of no page.
func Source(pageURL, service string) string {
	if pageURL == "" && service != "" {
		return "service " + Cut(Clean(service), 40)
	}
	return Origin(pageURL)
}

// Origin returns the origin of a URL, as fences and lists name pages; "" when there is none.
func Origin(raw string) string {
	// Nearly every URL is plain; lists ask for the origin of each entry.
	if scheme, rest, ok := strings.Cut(raw, "://"); ok && (scheme == "http" || scheme == "https") {
		end := strings.IndexAny(rest, "/?#")
		if end < 0 {
			end = len(rest)
		}
		if host := rest[:end]; host != "" &&
			!strings.ContainsFunc(
				host,
				func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("@%<>\"\\^`{|}", r) },
			) {
			return raw[:len(scheme)+3+end]
		}
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		if i := strings.IndexByte(raw, ':'); i > 0 && i < 8 {
			return raw[:i+1]
		}
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Place returns "file.js:12:5" for a script's place, with as much of the path as tells files apart.
func Place(raw string, line, column int) string {
	if raw == "" {
		return ""
	}
	s := Short(raw, 80)
	if line > 0 {
		s += ":" + strconv.Itoa(line)
		if column > 0 {
			s += ":" + strconv.Itoa(column)
		}
	}
	return s
}

// Local is Short for a URL that stands in a list of one page's: of the page's own origin only the path
// is left, since the fence names the origin.
func Local(raw, page string, n int) string {
	return Short(local(raw, page), n)
}

// LocalPlace is Place with a script's URL as Local prints it.
func LocalPlace(raw, page string, line, column int) string {
	return Place(local(raw, page), line, column)
}

func local(raw, page string) string {
	if o := Origin(page); strings.Contains(o, "://") && strings.HasPrefix(raw, o+"/") {
		return raw[len(o):]
	}
	return raw
}

// Short returns a URL without its scheme's noise, cut in the middle to at most n characters.
func Short(raw string, n int) string {
	s := Clean(raw)
	if strings.HasPrefix(s, "data:") {
		s, _, _ = strings.Cut(s, ",")
	}
	if len(s) <= n {
		return s
	}
	half := (n - 1) / 2
	a, b := half, len(s)-half
	for a > 0 && !utf8.RuneStart(s[a]) {
		a--
	}
	for b < len(s) && !utf8.RuneStart(s[b]) {
		b++
	}
	return s[:a] + "…" + s[b:]
}
