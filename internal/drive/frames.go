package drive

import (
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/command"
)

// FrameWords names a frame by its number, where it is from and its title.
func FrameWords(f command.Frame) string {
	line := "a frame"
	if f.Name != "" {
		line = "frame " + answer.Clean(f.Name)
	}
	if at := answer.Short(f.URL, 80); at != "" && !strings.HasPrefix(f.URL, "about:") {
		line += " (" + at + ")"
	}
	if f.Title != "" {
		line += fmt.Sprintf(" %q", answer.Cut(answer.Clean(f.Title), 60))
	}
	if f.Hidden {
		line += ", hidden"
	}
	return line
}

// Uncovered says which frames of the page an answer does not cover; nothing when it covers all.
func Uncovered(c *command.Coverage) []string {
	if c == nil {
		return nil
	}
	var out []string
	if len(c.Ungranted) > 0 {
		out = append(out, fmt.Sprintf(
			"iframes of %s are not granted: only the user can grant their sites, in the Gasoline popup",
			answer.Clean(strings.Join(c.Ungranted, ", ")),
		))
	}
	for _, f := range c.Unanswered {
		out = append(out, "not looked at, it did not answer: "+FrameWords(f))
	}
	if c.More > 0 {
		out = append(out, fmt.Sprintf("%d more frames were not looked at: name one by frame", c.More))
	}
	return out
}
