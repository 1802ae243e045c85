// Package interact declares the tool that acts in the browser. A mode sends one command and turns
// its result into an answer; everything between the daemon and the element is the extension's. What
// acts needs AI Web Pilot, which only the user switches on; what only looks needs a tab.
package interact

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/film"
	"github.com/brennhill/gasoline/internal/flow"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/state"
)

// Env is what the modes may reach.
type Env struct {
	Drive    drive.Driver
	Registry *session.Registry
	Reader   *query.Live
	Flows    *flow.Flows
	Dir      *state.Dir
	Clean    command.Cleaner // of what is told about checkpoints
	Call     catalog.Call
	Films    *film.Films
	Version  string // of this program

	receipt string // how much of what an act led to is told: off, full, or ""
}

// Tool is interact.
var Tool = catalog.New[Env](catalog.Info{
	Name: "interact", First: []string{"click"}, Title: "Act in the browser", Key: "action", Always: true,
	Hints: catalog.Hints{Destructive: true, Open: true},
	Doc: "Act in the user's browser, in the tab in use: navigate, click, type, wait, read, run JavaScript.\n" +
		"Needs AI Web Pilot, which only the user switches on. list_interactive gives refs. Elements are waited for and checked; two equal matches are an error.",
	Shown: []string{
		"ref",
		"selector",
		"text",
		"value",
		"url",
		"script",
		"named",
		"nth",
		"frame",
		"tab",
		"timeout_ms",
		"background",
	},
	Docs: map[string]string{
		"selector": `CSS (>>> pierces shadow roots), or text=… role=button[name="Save"] label=… placeholder=… testid=…`,
		"tab":      "tab id; default the one in use",
		"value":    "the option, or what is to be there",
		"text":     "text to type, to wait for, or key to press (Enter, Control+a)",
	},
	Groups: []catalog.Group{{
		Short: "T", Doc: "ref | selector with nth, within, frame | named | x,y",
		Params: []string{"ref", "selector", "named", "nth", "within", "frame", "x", "y", "tab"},
	}, {
		Short: "A", Doc: "afterwards: wait_for_stable, include_screenshot, include_interactive, action_diff, evidence",
		Params: []string{
			"wait_for_stable", "stability_ms", "auto_dismiss", "include_screenshot", "include_interactive", "action_diff",
			"observe_mutations", "evidence", "receipt", "subtitle",
		},
	}, {
		Doc: "Also: tab (which one), frame, reason (shown to the user), trusted (real input); the rest is in help",
		Params: []string{
			"tab", "frame", "within", "reason", "trusted", "button", "count", "set_tracked", "take", "visible_only", "scope_rect", "exclude_nav",
			"attribute_names", "world", "domain", "path", "limit", "structured", "step_timeout_ms", "continue_on_error",
			"stop_after_step", "submit_ref", "submit_named", "file_paths", "submit", "save_to", "overwrite", "format", "quality", "max_width", "grayscale",
			"storage_type", "include_url", "compare", "fps", "audio", "html", "to", "to_x", "to_y", "dx", "dy", "dialog", "dialog_text",
		},
	}},
})

// wait is the deadline of an action when the caller names none.
const wait = 5 * time.Second

const (
	acts  = catalog.Extension | catalog.Pilot | catalog.Tab
	looks = catalog.Extension | catalog.Tab
)

// in names the tab.
type in struct {
	Tab int `json:"tab,omitempty" doc:"tab id; default the one in use"`
}

// aimed returns a problem when no element is named.
func aimed(t command.Target) error {
	if t.Empty() {
		return problem.New(
			problem.MissingParam,
			`Give ref, selector, named, or x and y; interact {"action":"list_interactive"} shows what is there.`,
			"an element is required.",
		)
	}
	return nil
}

// elementErrors are the errors of every mode that aims at an element.
var elementErrors = []problem.Code{
	problem.NotFound, "invalid_selector", "stale_ref", problem.Ambiguous, problem.Blocked, problem.NotActionable, problem.Timeout,
	problem.PilotOff, problem.ExtensionOffline, problem.TabGone, problem.NoTab,
}

// do sends a command and wraps what it gave. text says it in lines, which may hold text of the page.
func do[P, R any](
	ctx context.Context,
	env Env,
	kind command.Kind[P, R],
	tab int,
	params P,
	text func(R) []string,
) (*result[R], error) {
	began := time.Now()
	o, err := drive.Do(ctx, env.Drive, env.Call, kind, tab, params)
	if err != nil {
		return nil, err
	}
	if receipt := receiptOf(&o.Result); receipt != nil && env.receipt != "off" {
		complete(ctx, env, receipt, o.Target.Browser.Session, o.CorrelationID, began)
	}
	return &result[R]{Action: kind.Name, Outcome: o, text: text, User: userActs(ctx, env, &o)}, nil
}

// result is what an action came to, for readers.
type result[R any] struct {
	Action string
	drive.Outcome[R]
	User []string // what the user did in the tab since the client acted there last
	text func(R) []string
}

// Text writes the result for a reader.
func (r *result[R]) Text(w *answer.Writer) { r.write(w, nil, nil) }

// write is Text with further head lines, and further lines that hold text of the page.
func (r *result[R]) write(w *answer.Writer, heads, more []string) {
	if r.Going() {
		going(w, r.Action, r.Status, r.CorrelationID)
		return
	}
	tab, url := r.where()
	w.Head("%s: done in %d ms, tab %d", r.Action, r.Elapsed.Milliseconds(), tab)
	for _, h := range heads {
		w.Head("%s", h)
	}
	if r.Waited > 0 {
		w.Note("waited %d ms before it, as action_jitter says", r.Waited.Milliseconds())
	}
	var lines []string
	for _, n := range r.Named {
		lines = append(lines, n.Lines()...)
	}
	lines = append(append(lines, r.text(r.Result)...), receiptLines(receiptOf(&r.Result), url != r.Target.Tab.URL)...)
	if len(r.User) > 0 {
		lines = append(lines, "since your last act the user did here: "+strings.Join(r.User, ", "))
	}
	lines = append(lines, more...)
	entries := make([]answer.Entry, 0, len(lines))
	for _, l := range lines {
		entries = append(entries, answer.Entry{Text: l})
	}
	w.Page(answer.Origin(url))
	from, to := w.Entries(answer.Oldest, entries)
	if to-from < len(entries) {
		w.Note("cut to %d of %d lines; a larger budget shows more", to-from, len(entries))
	}
	if refused := refusals(receiptOf(&r.Result)); refused != "" {
		w.Note(`the browser refused the page: %s. It gives that to real input only: act again with trusted:"always".`, refused)
	}
}

func going(w *answer.Writer, action string, status command.Status, id string) {
	word := "still_running"
	if status == command.Queued {
		word = "queued"
	}
	w.Head("%s: %s correlation_id=%s", action, word, id)
	w.Note(`observe {"what":"command_result","correlation_id":%q} gives the rest`, id)
}

// where returns the tab in which the action ended, and its address. Navigations and tab commands tell
// it themselves; of an element command it is the tab that it was sent to, unless the page went on.
func (r *result[R]) where() (tab int, url string) {
	tab, url = r.Target.Tab.ID, r.Target.Tab.URL
	switch x := any(r.Result).(type) {
	case command.PageResult:
		if x.Tab != 0 {
			tab, url = x.Tab, x.FinalURL
		}
	case command.TabResult:
		if x.Tab != 0 && x.ClosedTab == 0 {
			tab, url = x.Tab, x.URL
		}
	case command.ActResult:
		if x.Navigated {
			url = x.URL
		}
	}
	return tab, url
}

// MarshalJSON gives the outcome.
func (r *result[R]) MarshalJSON() ([]byte, error) { return r.marshal(nil) }

func (r *result[R]) marshal(then *aftermath) ([]byte, error) {
	tab, url := r.where()
	out := outcome[R]{
		Status: string(
			r.Status,
		), Final: !r.Going(), CorrelationID: r.CorrelationID, ElapsedMS: r.Elapsed.Milliseconds(), WaitedMS: r.Waited.Milliseconds(),
		Target: place{tab, url}, Named: r.Named, User: r.User, After: then,
	}
	if out.Final {
		out.Result = &r.Result
	}
	return answer.JSON(out)
}

// outcome is the JSON form of what every action came to.
type outcome[R any] struct {
	Status        string        `json:"status"`
	Final         bool          `json:"final"`
	CorrelationID string        `json:"correlation_id"`
	ElapsedMS     int64         `json:"elapsed_ms"`
	WaitedMS      int64         `json:"waited_ms,omitempty"` // before it, by action_jitter
	Target        place         `json:"target"`              // where the action ended
	Named         []drive.Named `json:"named,omitempty"`     // elements that were named by the project's memory
	Result        *R            `json:"result,omitempty"`    // the command's own
	User          []string      `json:"user_acted,omitempty"`
	After         *aftermath    `json:"after,omitempty"` // what followed the act
}

type place struct {
	Tab int    `json:"tab,omitempty"`
	URL string `json:"url,omitempty"`
}

// element prints an element as lists do: e17 button "Save".
func element(e *command.Element) string {
	if e == nil {
		return ""
	}
	role := e.Role
	if role == "" {
		role = e.Tag
	}
	out := fmt.Sprintf("%s %s %q", e.Ref, answer.Clean(role), answer.Cut(answer.Clean(e.Label), 80))
	if e.Named != "" {
		out += " named " + e.Named
	}
	if !e.Visible {
		out += " (not visible)"
	}
	if e.Frame != "" {
		out += " in frame " + answer.Clean(e.Frame)
	}
	return out
}

// acted prints what an element command did.
func acted(r command.ActResult) []string {
	var out []string
	for _, f := range r.Filled {
		line := fmt.Sprintf("filled %s = %q", element(f.Matched), answer.Cut(answer.Clean(f.Value), 80))
		if f.SetTo != nil {
			line += fmt.Sprintf(": not kept, set to %q", answer.Cut(answer.Clean(*f.SetTo), 80))
		}
		out = append(out, line)
	}
	if e := element(r.Matched); e != "" {
		line := "on " + e
		if r.MatchCount > 1 {
			line += fmt.Sprintf(", 1 of %d matches by %s", r.MatchCount, r.MatchStrategy)
		}
		if r.Option != "" {
			line += fmt.Sprintf(", chose option %q", answer.Cut(answer.Clean(r.Option), 80))
		}
		if r.SetTo != nil {
			line += fmt.Sprintf(", set to %q, which the page changed", answer.Cut(answer.Clean(*r.SetTo), 120))
		}
		if r.Value != "" || r.SetTo != nil {
			line += fmt.Sprintf(", now %q", answer.Cut(answer.Clean(r.Value), 120))
		}
		out = append(out, line)
	}
	if o := r.Overlay; o != nil {
		line := answer.Clean(o.Type)
		if o.Strategy != "" {
			line += " by " + answer.Clean(o.Strategy)
		}
		if r.Dismissed > 1 {
			line = fmt.Sprintf("%d overlays went, the last: %s", r.Dismissed, line)
		}
		out = append(out, fmt.Sprintf("%s: %q", line, answer.Cut(answer.Clean(o.Text), 120)))
	}
	var notes []string
	if r.Healed {
		notes = append(notes, "on what the page has put in its place since")
	}
	if r.AutoScrolled {
		notes = append(notes, "scrolled to it")
	}
	if r.Trusted {
		notes = append(notes, "by real input events")
	}
	if r.Unclicked {
		notes = append(notes, "the page replaced or moved it when it was pressed, and no click of it followed: look before you repeat it")
	}
	if r.Unseen {
		notes = append(notes, "in a frame that Gasoline cannot see: what came of it is not known")
	}
	if r.InsertionStrategy != "" {
		notes = append(notes, "inserted by "+r.InsertionStrategy)
	}
	if len(notes) > 0 {
		out = append(out, strings.Join(notes, ", "))
	}
	out = append(out, answered(r.Dialog)...)
	if r.OverlayWarning != "" {
		out = append(out, "overlay: "+answer.Clean(r.OverlayWarning))
	}
	if v := r.Viewport; v != nil {
		out = append(
			out,
			fmt.Sprintf(
				"viewport %.0f×%.0f at %.0f,%.0f of height %.0f",
				v.Width,
				v.Height,
				v.ScrollX,
				v.ScrollY,
				v.ScrollHeight,
			),
		)
	}
	switch {
	case r.Failed != "":
		out = append(out, "led to a page that did not load: "+answer.Cut(answer.Clean(r.Failed), 320))
	case r.Navigated:
		out = append(out, "navigated to "+answer.Short(r.URL, 120)+" "+answer.Clean(r.Title))
	case r.LeavingFor != "":
		out = append(out, "is leaving for "+answer.Short(r.LeavingFor, 120)+", not there yet: the page before is still shown")
	}
	if r.OpenedTab != 0 {
		line := fmt.Sprintf("opened tab %d %s %s", r.OpenedTab, answer.Short(r.OpenedURL, 120), answer.Cut(answer.Clean(r.OpenedTitle), 80))
		out = append(out, strings.TrimSpace(line))
	}
	if e := element(r.Matched); e != "" && quiet(r.Receipt) && r.Value == "" && r.OpenedTab == 0 && r.Dialog == nil &&
		len(r.Downloads) == 0 && !r.Navigated && r.LeavingFor == "" && r.Failed == "" && !r.Unseen {
		out = append(out, fmt.Sprintf("nothing came of it within %.0f ms; code that the page imports is not waited for", r.Receipt.SettledMS))
	}
	return append(out, downloaded(r.Downloads)...)
}

// answered is the line of a native dialog that was answered as the caller asked for; none for one that was not.
func answered(d *command.Dialog) []string {
	if d == nil || d.Answer == "" {
		return nil
	}
	return []string{fmt.Sprintf("%s dialog %q: %s", answer.Clean(d.Type), answer.Cut(answer.Clean(d.Message), 120), d.Answer)}
}
