package observe

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "page_inventory",
	Doc: "What the page shows now, as an ARIA tree with refs to act on: an overview of 2 KB, one section, " +
		"what fits find, or since:last what changed.",
	Aliases: []string{"snapshot", "page_snapshot", "aria_snapshot", "inventory"},
	Needs:   catalog.Extension | catalog.Tab,
	Wait:    10 * time.Second,
	Example: `{"find":"gift card"}`,
	Errors: []problem.Code{
		"scope_not_found", "stale_ref", problem.Ambiguous, "frame_not_found", problem.OriginNotAllowed,
		problem.ExtensionOffline, problem.NoTab, problem.TabGone, problem.Timeout,
	},
}, pageInventory)

type inventoryParams struct {
	command.SnapshotPart
	Since  string `json:"since,omitempty" doc:"last: what changed since your last snapshot of the page"`
	Cursor string `json:"cursor,omitempty" doc:"of an earlier snapshot: what changed since then"`
	Tab    int    `json:"tab,omitempty" doc:"another tab's id"`
}

type inventoryResult struct {
	Status        string `json:"status"`
	Final         bool   `json:"final"`
	CorrelationID string `json:"correlation_id"`
	Tab           int    `json:"effective_tab,omitempty"`
	command.SnapshotResult
	Named []namedPart `json:"named,omitempty"` // at most 20 parts

	find string
}

const (
	// beside is what an answer has beside the snapshot: its head, the fence, the page's address and title.
	beside = 400
	// leastBytes is the smallest snapshot that is worth its call.
	leastBytes = 200
)

// mark is what cursors of snapshots look like.
var mark = regexp.MustCompile(`^s[0-9a-z]{5}$`)

func pageInventory(ctx context.Context, env Env, p inventoryParams) (*inventoryResult, error) {
	since, err := snapshotBefore(env, p)
	if err != nil {
		return nil, err
	}
	params := command.SnapshotParams{SnapshotPart: p.SnapshotPart, Since: since, Elements: env.Call.JSON}
	if env.Call.Budget > 0 {
		params.Bytes = min(max(env.Call.Budget-beside, leastBytes), answer.MaxBudget-beside)
	}
	a, err := drive.Do(ctx, env.Drive, env.Call, command.Snapshot, p.Tab, params)
	if err != nil {
		return nil, err
	}
	out := &inventoryResult{
		Status:         string(a.Status),
		Final:          !a.Going(),
		CorrelationID:  a.CorrelationID,
		Tab:            a.Target.Tab.ID,
		SnapshotResult: a.Result,
		find:           p.Find,
	}
	if out.Final {
		if !mark.MatchString(out.Cursor) {
			out.Cursor = ""
		}
		url, frame := out.URL, p.Frame != "" && p.Frame != "main"
		if frame {
			url = a.Target.Tab.URL
		}
		out.tell(env, frame, url)
		env.Remember(snapshotKey(p.Tab, p.Frame), query.Cursor(out.Cursor))
	}
	return out, nil
}

// snapshotBefore returns the cursor of the snapshot that this one is compared with; "" when it stands alone.
func snapshotBefore(env Env, p inventoryParams) (string, error) {
	compared := p.Since != "" || p.Cursor != ""
	switch {
	case p.Find != "" && (p.Section != "" || compared), p.Section != "" && compared:
		return "", problem.New(problem.InvalidParam, "Call it once for each.",
			"only one of section, find and since can be given.")
	case p.Depth != 0 && p.Section == "":
		return "", problem.New(problem.InvalidParam, `Name the part, as in {"section":"main","depth":2}.`,
			"depth counts from a section.")
	case p.Cursor != "":
		if p.Since != "" {
			return "", problem.New(problem.InvalidParam, "Leave out one of them.", "since and cursor exclude each other.")
		}
		if !mark.MatchString(p.Cursor) {
			return "", problem.New(problem.CursorExpired, `Use the cursor of an earlier snapshot, or since:"last".`,
				"%q is no cursor of a snapshot.", p.Cursor)
		}
		return p.Cursor, nil
	case p.Since != "" && p.Since != "last":
		return "", problem.New(problem.InvalidParam, `Use since:"last", or the cursor of an earlier snapshot.`,
			"since is %q; a snapshot is compared with another snapshot.", p.Since)
	}
	page, err := env.Page(view.Paged{Since: p.Since}, 0, snapshotKey(p.Tab, p.Frame))
	if err != nil {
		return "", err
	}
	if compared && page.Cursor == "" {
		return never, nil
	}
	return string(page.Cursor), nil
}

// never is the cursor of no snapshot: what is compared with it is an overview that says so.
const never = "s-----"

// snapshotKey is the name of the client's last snapshot of a tab.
func snapshotKey(tab int, frame string) string { return fmt.Sprintf("%d %s", tab, frame) }

// Text writes the snapshot for a reader.
func (r *inventoryResult) Text(w *answer.Writer) {
	if !r.Final {
		w.Head("page_inventory: still_running correlation_id=%s", r.CorrelationID)
		w.Note(`observe {"what":"command_result","correlation_id":%q} gives the rest`, r.CorrelationID)
		return
	}
	w.Head("page_inventory: %s, tab %d%s", r.counts(), r.Tab, part("cursor %s", r.Cursor))
	w.Page(answer.Origin(r.URL))
	var lines []string
	if r.View == "overview" || r.View == "section" {
		lines = append(lines, fmt.Sprintf("%s %q", answer.Short(r.URL, 120), answer.Cut(answer.Clean(r.Title), 80)))
	}
	if r.Snapshot != "" {
		for l := range strings.SplitSeq(r.Snapshot, "\n") {
			lines = append(lines, answer.Clean(l))
		}
	}
	if l := leftOut(r.Coverage); l != "" {
		lines = append(lines, l)
	}
	entries := make([]answer.Entry, len(lines))
	for i, l := range lines {
		entries[i].Text = l
	}
	if r.Fresh {
		w.Note("the page remembers no snapshot to compare with: it is another document, or the snapshot is too old")
	}
	if r.Partial {
		w.Note("not all was looked at: the time was up, or the page changes all the time; timeout_ms gives more")
	}
	if l := namedLine(r.Named); l != "" {
		w.Note("%s", l)
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d lines; a larger budget shows more", to-from, len(entries))
	}
}

// counts says what the answer is and how much of it there is.
func (r *inventoryResult) counts() string {
	switch r.View {
	case "find":
		return fmt.Sprintf("%d of %d that fit %q", r.Shown, r.Total, answer.Cut(answer.Clean(r.find), 40))
	case "delta":
		if r.Total == 0 {
			return "nothing changed"
		}
		return fmt.Sprintf("%d added, %d removed, %d changed", r.Added, r.Removed, r.Changed)
	}
	return fmt.Sprintf("%s, %d of %d parts", answer.Clean(r.View), r.Shown, r.Total)
}

// leftOut names the frames that a snapshot does not show, in a line; "" when it shows all.
func leftOut(c *command.Coverage) string {
	if c == nil {
		return ""
	}
	var parts []string
	if len(c.Ungranted) > 0 {
		parts = append(parts, fmt.Sprintf("iframes of %s (not granted)", answer.Cut(strings.Join(c.Ungranted, ", "), 80)))
	}
	for _, f := range c.Unanswered {
		parts = append(parts, fmt.Sprintf("frame %s (no answer)", f.Name))
	}
	if c.More > 0 {
		parts = append(parts, fmt.Sprintf("%d more frames: name one by frame", c.More))
	}
	return "not in it: " + answer.Clean(strings.Join(parts, "; "))
}
