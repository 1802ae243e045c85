package artifact

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// Report is a Markdown document for people, in GitHub's dialect. Words of pages and services stand in code spans, in which a renderer
// makes no link, picture, mention, reference or HTML of them. All other words are the program's own.
type Report struct {
	Title    string
	Lines    []string // paragraphs
	Sections []ReportSection
}

// ReportSection is a heading with what stands below it. One without lines and lists is left out.
type ReportSection struct {
	Title string
	Lines []string
	Lists []ReportList
}

// ReportList is a list with its name and the number of its items. An empty one is left out.
type ReportList struct {
	Title string
	Items []ReportItem
}

// ReportItem is one line of a list.
type ReportItem struct {
	Code  string // words of others
	After string // the program's own
	Why   string // words of others
}

// Most characters of an item's code, and items of a list that are written.
const (
	maxCode  = 250
	maxItems = 25
)

// Markdown writes the report in at most most characters, as UTF-16 counts them: of long lists the beginning, with the number of what
// is left out.
func (r Report) Markdown(most int) string {
	for items := maxItems; ; items /= 2 {
		if out := r.markdown(items); len(utf16.Encode([]rune(out))) <= most || items == 0 {
			return out
		}
	}
}

func (r Report) markdown(items int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "## %s\n", r.Title)
	for _, l := range r.Lines {
		fmt.Fprintf(&out, "\n%s\n", l)
	}
	for _, s := range r.Sections {
		var body strings.Builder
		for _, l := range s.Lines {
			fmt.Fprintf(&body, "\n%s\n", l)
		}
		for _, l := range s.Lists {
			l.write(&body, items)
		}
		if body.Len() > 0 {
			fmt.Fprintf(&out, "\n### %s\n%s", s.Title, body.String())
		}
	}
	return out.String()
}

func (l ReportList) write(out *strings.Builder, most int) {
	if len(l.Items) == 0 {
		return
	}
	fmt.Fprintf(out, "\n**%s (%d)**\n\n", l.Title, len(l.Items))
	for _, i := range l.Items[:min(most, len(l.Items))] {
		out.WriteString("- " + Code(i.Code))
		if i.After != "" {
			out.WriteString(" " + i.After)
		}
		if i.Why != "" {
			out.WriteString(" (" + Code(i.Why) + ")")
		}
		out.WriteString("\n")
	}
	if left := len(l.Items) - most; left > 0 {
		fmt.Fprintf(out, "- … %d more\n", left)
	}
}

// Code returns a text as a code span of Markdown that nothing in the text can end: the marks around it are longer than any within.
// White space becomes single blanks, and at most 250 characters are written.
func Code(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " ")
	if r := []rune(text); len(r) > maxCode {
		text = string(r[:maxCode-1]) + "…"
	}
	if text == "" {
		return "` `"
	}
	longest, run := 0, 0
	for _, c := range text {
		if run++; c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	marks := strings.Repeat("`", longest+1)
	if text[0] == '`' || text[len(text)-1] == '`' {
		text = " " + text + " "
	}
	return marks + text + marks
}
