// Package file reads log files of this machine as they grow.
package file

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/follow"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/source"
)

type options struct {
	Path  string `json:"path" required:"true" length:"1000" doc:"file or glob, relative to the folder of gasoline.json, as logs/*.log"`
	Begin bool   `json:"from_start,omitempty" doc:"read files that were never read from their beginning"`
}

// Adapter is that of files.
var Adapter = source.Declare("file", "Files of this machine, followed through rotation.", source.Capabilities{}, open)

type files struct {
	pattern string
	begin   bool
	open    func(path string) (*os.File, error)
}

func open(o options, env source.Env) (out source.Opened, _ error) {
	pattern := env.Path(o.Path)
	if _, err := filepath.Match(pattern, ""); err != nil {
		return out, problem.New(problem.InvalidParam, "Write it as logs/*.log.", "path is no pattern: %v", err)
	}
	return source.Opened{
		Uses: source.Uses{Files: []string{pattern}}, Title: pattern, Tail: files{pattern, o.Begin, env.Open},
	}, nil
}

// Tail follows the files. The cursor has the mark of each.
func (f files) Tail(ctx context.Context, cursor string, emit source.Emit) error {
	marks := map[string]follow.Mark{}
	if cursor != "" && json.Unmarshal([]byte(cursor), &marks) != nil {
		return &source.Fault{Kind: source.Expired, Text: "where the files were read to is not known"}
	}
	return follow.Follow(ctx, follow.Config{
		Patterns: []string{f.pattern}, Marks: marks, Begin: f.begin, Open: f.open,
		Emit: func(ctx context.Context, lines []follow.Line) error {
			rows := make([]source.Row, len(lines))
			for i, l := range lines {
				rows[i] = source.Row{Time: l.Time, Stream: l.Path, Instance: instance(l.Path), Text: l.Text, Size: l.Size, Live: l.Live, End: l.End}
			}
			return emit(ctx, rows, "")
		},
		Save: func(m map[string]follow.Mark) error {
			data, err := json.Marshal(m)
			if err != nil {
				return err
			}
			return emit(ctx, nil, string(data))
		},
		Ready: func(n int) {
			if n == 0 && len(marks) == 0 { // else it was there, and may be rotated now
				_ = emit(ctx, []source.Row{{
					Time: time.Now(), Text: "no file matches " + f.pattern + " yet", Level: "warn", Severity: event.SeverityWarn,
				}}, "")
			}
		},
		Note: func(text string) { // an error of emit comes again with the next lines
			_ = emit(ctx, []source.Row{{Time: time.Now(), Text: text, Level: "warn", Severity: event.SeverityWarn}}, "")
		},
	})
}

// instance names the file as one of several of a service.
func instance(path string) string { return path[max(0, len(path)-256):] }
