// Package steps makes steps of what browsers told: one for each thing that a user or an agent did, with the ways to find its
// element again and what it led to. Recordings keep them, playbacks and generated tests do them again.
package steps

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Step is one thing that a user or an agent did.
type Step struct {
	Type     string    `json:"type"` // click, input, select, check, keypress, scroll, navigate, back, …
	TimeMS   int64     `json:"timestamp_ms"`
	By       string    `json:"by"`
	Client   string    `json:"client,omitempty"`
	PageURL  string    `json:"url"`                // of the document
	InFrame  bool      `json:"in_frame,omitempty"` // the document is an iframe's
	Locators []Locator `json:"locators,omitempty"` // best first
	Role     string    `json:"role,omitempty"`
	Name     string    `json:"name,omitempty"`
	Text     string    `json:"text,omitempty"`
	Value    string    `json:"value,omitempty"`
	Masked   bool      `json:"masked,omitempty"` // Value is not what was typed; a playback has to be given it
	Key      string    `json:"key,omitempty"`
	Count    int       `json:"count,omitempty"` // 2: a double click
	ToURL    string    `json:"to_url,omitempty"`
	X        float64   `json:"x,omitempty"`
	Y        float64   `json:"y,omitempty"`
	LedTo    string    `json:"led_to,omitempty"` // the page that the tab showed because of it

	Texts    []Text    `json:"texts,omitempty"`    // that came because of it, or soon after it; at most maxEffects
	Dialogs  []Dialog  `json:"dialogs,omitempty"`  // of the browser, that it opened; at most maxEffects
	Requests []Request `json:"requests,omitempty"` // that it is known to have caused; at most maxEffects
	Unlisted int       `json:"unlisted,omitempty"` // what else came of it
}

// Label names the step's element for people; "" where it has no name.
func (s Step) Label() string {
	if s.Name != "" {
		return s.Name
	}
	return s.Text
}

// Locator is one way to find an element, with how many elements it found when it was recorded.
type Locator struct {
	Kind    string `json:"kind"`
	Value   string `json:"value"`
	Matches int    `json:"matches"`
	Score   int    `json:"score"`
}

// Fragile reports whether a change of the page's style or texts makes the locator fail.
func (l Locator) Fragile() bool { return l.Kind == "css" || l.Kind == "text" || l.Matches > 1 }

// Selectors returns the step's locators as the parameter selector takes them, best first.
func (s Step) Selectors() []string {
	out := make([]string, 0, len(s.Locators))
	for _, l := range s.Locators {
		switch l.Kind {
		case "css":
			out = append(out, l.Value)
		case "id":
			out = append(out, `[id="`+quote.Replace(l.Value)+`"]`)
		default:
			out = append(out, l.Kind+"="+l.Value)
		}
	}
	return out
}

// quote escapes a value for a string of CSS.
var quote = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\a `)

// Rebased returns the step for pages of another origin: where its addresses are of the origin from, they are of to. Origins
// have no path.
func (s Step) Rebased(from, to string) Step {
	for _, at := range []*string{&s.PageURL, &s.ToURL, &s.LedTo} {
		if rest, ok := strings.CutPrefix(*at, from); ok && from != "" && to != "" && (rest == "" || rest[0] == '/') {
			*at = to + rest
		}
	}
	return s
}

// Same reports whether two addresses are of one page, whatever their queries and fragments say.
func Same(a, b string) bool {
	return strings.TrimSuffix(PageOf(a), "/") == strings.TrimSuffix(PageOf(b), "/")
}

// PageOf returns an address without query and fragment.
func PageOf(address string) string {
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		return address[:i]
	}
	return address
}

// Renamed reports whether an element that is called name now was called otherwise. Names with secrets in them cannot be
// compared.
func (s Step) Renamed(name string) bool {
	if s.Name == "" || name == "" || Masked(s.Name) || Masked(name) {
		return false
	}
	return strings.Join(strings.Fields(s.Name), " ") != strings.Join(strings.Fields(name), " ")
}

// Hide leaves secrets out of what a step tells of its element and of what was typed. A locator with one in it finds nothing
// without it, and goes.
func (s *Step) Hide(clean func(text string) string) {
	for _, text := range []*string{&s.Name, &s.Text, &s.Value} {
		*text = clean(*text)
	}
	if s.Type == "input" || s.Type == "select" {
		s.Masked = s.Masked || Masked(s.Value)
	}
	kept := make([]Locator, 0, len(s.Locators)) // the deed's own stay
	for _, l := range s.Locators {
		if clean(l.Value) == l.Value && !pseudonym().MatchString(l.Value) {
			kept = append(kept, l)
		}
	}
	s.Locators = kept
	s.hideEffects(clean)
}

// InCapitals reports whether a text may be one that a page only shows in capitals, by its style: Playwright and others know it as it
// is written in the document.
func InCapitals(s string) bool {
	return strings.ContainsFunc(s, unicode.IsUpper) && strings.ToUpper(s) == s && utf8.RuneCountInString(s) > 1
}
