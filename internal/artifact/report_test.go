package artifact_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/artifact"
)

// codeSpan reads a code span as CommonMark does (section 6.1): it ends at the next run of as many backticks as it began with.
func codeSpan(s string) (inner, rest string, ok bool) {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	for i := n; i < len(s); {
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		switch {
		case run == 0:
			i++
		case run == n:
			return s[n:i], s[i+n:], true
		default:
			i += run
		}
	}
	return "", s, false
}

// A text is one code span, whatever is in it: nothing of it becomes a link, a picture, a mention or HTML.
func FuzzCodeIsOneSpan(f *testing.F) {
	for _, s := range []string{
		"", "a", "`", "``", "`a`", "a``b```c", "``` fence", " a ", "@octocat", "![x](http://a/b.png)", "<script>", "a\n- b\n# c", "\\`", "\x00\xff", "````", "|", "`\n`",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		code := artifact.Code(s)
		inner, rest, ok := codeSpan(code)
		if !ok || rest != "" {
			t.Fatalf("%q is written as %q: %q is left", s, code, rest)
		}
		if strings.ContainsAny(code, "\n\r") || !utf8.ValidString(code) || utf8.RuneCountInString(inner) > 252 {
			t.Errorf("%q is written as %q", s, code)
		}
		if want := strings.Join(strings.Fields(s), " "); utf8.ValidString(s) && utf8.RuneCountInString(want) <= 250 &&
			strings.TrimSpace(inner) != want {
			t.Errorf("%q is written as %q", s, code)
		}
		// Behind the mark of a list it is no fence: the information behind one has no backtick.
		if strings.HasPrefix(code, "```") && !strings.Contains(strings.TrimLeft(code, "`"), "`") {
			t.Errorf("%q begins a block", code)
		}
	})
}

// A report that would be too long has the beginning of its lists, and says how much is left out.
func TestReportsFit(t *testing.T) {
	var r artifact.Report
	r.Title = "T"
	for s := range 4 {
		var lists []artifact.ReportList
		for l := range 5 {
			list := artifact.ReportList{Title: fmt.Sprint("list ", l)}
			for range 100 {
				list.Items = append(list.Items, artifact.ReportItem{Code: strings.Repeat("😀", 400), Why: strings.Repeat("w", 400)})
			}
			lists = append(lists, list)
		}
		r.Sections = append(r.Sections, artifact.ReportSection{Title: fmt.Sprint("section ", s), Lists: lists})
	}
	got := r.Markdown(65_536)
	if n := len(utf16.Encode([]rune(got))); n > 65_536 || n < 10_000 {
		t.Errorf("it has %d characters", n)
	}
	for _, want := range []string{"### section 3\n", "**list 4 (100)**", "more\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if all := r.Markdown(1 << 30); !strings.Contains(all, "- … 75 more\n") || strings.Count(all, "\n- `") != 20*25 {
		t.Errorf("%d items are written", strings.Count(all, "\n- `"))
	}
}

// What is empty is left out.
func TestEmptyPartsAreLeftOut(t *testing.T) {
	r := artifact.Report{Title: "T", Lines: []string{"one"}, Sections: []artifact.ReportSection{
		{Title: "none", Lists: []artifact.ReportList{{Title: "empty"}}},
		{Title: "some", Lines: []string{"two"}, Lists: []artifact.ReportList{{Title: "few", Items: []artifact.ReportItem{{Code: "a", After: "×2", Why: "b"}}}}},
	}}
	const want = "## T\n\none\n\n### some\n\ntwo\n\n**few (1)**\n\n- `a` ×2 (`b`)\n"
	if got := r.Markdown(1000); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
