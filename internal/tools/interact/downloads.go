package interact

import (
	"fmt"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/command"
)

// downloaded says which files an act has the browser save, a line each.
func downloaded(list []command.Download) (out []string) {
	for _, d := range list {
		line := fmt.Sprintf("download %q", answer.Cut(answer.Clean(d.Name), 120))
		if d.Size > 0 {
			line += ", " + answer.Bytes(int64(d.Size))
		}
		switch d.State {
		case "asked_for":
			line += ": the page asked for it; where it goes is told once the user allows that in Gasoline's options"
		case "complete":
			line += ": saved to " + answer.Cut(answer.Clean(d.Path), 300)
		case "in_progress":
			line += ": still coming"
			if d.Path != "" {
				line += ", to " + answer.Cut(answer.Clean(d.Path), 300)
			}
		default:
			line += ": did not come, " + answer.Cut(answer.Clean(d.Error), 80)
		}
		if d.SameTime {
			line += " (at the same time)"
		}
		out = append(out, line)
	}
	return out
}
