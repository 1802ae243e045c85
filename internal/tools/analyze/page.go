package analyze

import (
	"context"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
)

// What modes need that ask the page, how long they wait, and how they may fail.
const (
	looks    = catalog.Extension | catalog.Tab
	lookWait = 15 * time.Second
)

var lookErrors = []problem.Code{
	problem.NotFound, "invalid_selector", "stale_ref", "frame_not_found", problem.Timeout,
	problem.ExtensionOffline, problem.OriginNotAllowed, problem.TabGone, problem.NoTab,
}

// in names the tab.
type in struct {
	Tab int `json:"tab,omitempty" doc:"tab id; default the one in use"`
}

// inspect asks the page a question. words are the lines of one document's answer, which may hold text of the page; none is
// said where no document has any.
func inspect[P, R any](
	ctx context.Context, env Env, kind command.Kind[P, command.Inspected[R]], tab int, params P,
	words func(R) []string, none string,
) (*inspected[R], error) {
	o, err := drive.Do(ctx, env.Drive, env.Call, kind, tab, params)
	if err != nil {
		return nil, err
	}
	return &inspected[R]{Outcome: o, kind: kind.Name, words: words, none: none, short: env.Call.Budget == 0}, nil
}

// inspected is what a page answered, for readers.
type inspected[R any] struct {
	drive.Outcome[command.Inspected[R]]
	kind  string
	words func(R) []string
	none  string
	short bool // no budget was asked for: of many iframes the first are told
}

// shortAnswer is how many bytes of a page's and its iframes' answers are told where nobody asked for more.
const shortAnswer = 1800

// Text writes the answers of the documents, the page's own first.
func (r *inspected[R]) Text(w *answer.Writer) {
	if r.Going() {
		w.Head("%s: still_running correlation_id=%s", r.kind, r.CorrelationID)
		w.Note(`observe {"what":"command_result","correlation_id":%q} gives the rest`, r.CorrelationID)
		return
	}
	w.Head("%s: tab %d", r.kind, r.Target.Tab.ID)
	w.Page(answer.Origin(r.Result.URL))
	lines := []string{fmt.Sprintf("%s %q", answer.Short(r.Result.URL, 120), answer.Cut(answer.Clean(r.Result.Title), 80))}
	for _, n := range r.Named {
		lines = append(lines, n.Lines()...)
	}
	empty, size, left := true, 0, 0
	for _, d := range r.Result.Documents {
		own := r.words(d.Answer)
		if len(own) == 0 {
			continue
		}
		empty = false
		for _, l := range own {
			size += len(l) + 1
		}
		if left > 0 || r.short && d.Frame != nil && size > shortAnswer {
			left++
			continue
		}
		if d.Frame != nil {
			lines = append(lines, "--- "+drive.FrameWords(*d.Frame))
		}
		lines = append(lines, own...)
	}
	if empty {
		lines = append(lines, r.none)
	}
	lines = append(lines, drive.Uncovered(r.Result.Coverage)...)
	if left > 0 {
		w.Note("%s: a larger budget shows them, frame names one", plural(left, "more iframe"))
	}
	entries := make([]answer.Entry, 0, len(lines))
	for _, l := range lines {
		entries = append(entries, answer.Entry{Text: l})
	}
	from, to := w.Entries(answer.Oldest, entries)
	if to-from < len(entries) {
		w.Note("cut to %d of %d lines; a larger budget shows more, selector and frame name a part", to-from, len(entries))
	}
}

// MarshalJSON gives the outcome.
func (r *inspected[R]) MarshalJSON() ([]byte, error) {
	out := struct {
		Status        string        `json:"status"`
		Final         bool          `json:"final"`
		CorrelationID string        `json:"correlation_id"`
		Tab           int           `json:"effective_tab,omitempty"`
		Named         []drive.Named `json:"named,omitempty"`
		*command.Inspected[R]
	}{
		Status: string(r.Status), Final: !r.Going(), CorrelationID: r.CorrelationID, Tab: r.Target.Tab.ID, Named: r.Named,
	}
	if out.Final {
		out.Inspected = &r.Result
	}
	return answer.JSON(out)
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
