package generate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/script"
	"github.com/brennhill/gasoline/internal/trial"
	"github.com/brennhill/gasoline/internal/view"
)

// maxScript are the bytes of a script.
const maxScript = 200 << 10

// written are the parameters of what writes code.
type written struct {
	Framework string `json:"framework,omitempty" enum:"playwright,cypress" doc:"default playwright"`
	Language  string `json:"language,omitempty" enum:"typescript,javascript,python" doc:"python for playwright only; default typescript"`
}

// choose returns the framework and the language.
func (w written) choose() (framework, language string, err error) {
	framework, language = cmp.Or(w.Framework, script.Playwright), cmp.Or(w.Language, script.TypeScript)
	if framework == script.Cypress && language == script.Python {
		return "", "", problem.New(problem.InvalidParam, `Say language:"typescript", or framework:"playwright".`, "Cypress has no tests in Python.")
	}
	return framework, language, nil
}

// scriptResult is a file of code, or where it was saved.
type scriptResult struct {
	Script     string         `json:"script,omitempty"`
	SavedTo    string         `json:"saved_to,omitempty"`
	Size       int            `json:"file_size_bytes"`
	Format     string         `json:"format"`
	Filename   string         `json:"filename,omitempty"`
	TestName   string         `json:"test_name,omitempty"`
	Actions    int            `json:"action_count"`
	Checks     int            `json:"assertion_count"`
	DurationMS int64          `json:"duration_ms"`
	StartURL   string         `json:"start_url,omitempty"`
	Variables  []string       `json:"variables,omitempty"` // of the environment, that have to be set
	Gaps       []string       `json:"not_repeated,omitempty"`
	Metadata   scriptMetadata `json:"metadata"`
	Notes      []string       `json:"notes,omitempty"`
	Cut        bool           `json:"cut,omitempty"` // script is only the beginning
	Minimal    *trial.Minimal `json:"minimized,omitempty"`

	mode  string
	words string
	lines []string
}

type scriptMetadata struct {
	GeneratedAt string   `json:"generated_at"`
	Selectors   []string `json:"selectors_used"`
	Assertions  []string `json:"assertions"`
	Available   int      `json:"actions_available"`
	Included    int      `json:"actions_included"`
}

// result writes the plan's file and saves it where the caller wants that.
func (env Env) result(mode string, s *source, plan *script.Plan, to saving, notes []string) (*scriptResult, error) {
	made := script.Write(plan)
	out := &scriptResult{
		Format: plan.Framework, Filename: made.File, TestName: plan.Name, Checks: made.Checks, Variables: made.Variables, Gaps: made.Gaps,
		mode: mode, words: plan.Framework + ", " + plan.Language,
		Metadata: scriptMetadata{Selectors: made.Selectors, Assertions: made.Assertions},
	}
	if made.Snapshots {
		notes = append(notes, "pictures are compared: the first run has none, fails and writes them; they are good on this platform only")
	}
	if made.Checks == 0 {
		notes = append(notes, "nothing was recorded that could be checked: the test passes whatever the page does, as long as the steps can be done")
	}
	return out, env.finish(out, s, made.Text, to, notes, script.Extensions(plan.Framework, plan.Language)...)
}

// finish completes a result and saves it.
func (env Env) finish(out *scriptResult, s *source, text string, to saving, notes []string, exts ...string) error {
	out.Actions, out.DurationMS, out.StartURL = len(s.steps), s.took.Milliseconds(), s.start
	out.Metadata.GeneratedAt, out.Metadata.Available, out.Metadata.Included = view.Stamp(time.Now()), s.available, len(s.steps)
	out.Notes = append(slices.Clip(s.notes), notes...)
	if out.Metadata.Selectors == nil {
		out.Metadata.Selectors = []string{}
	}
	if out.Metadata.Assertions == nil {
		out.Metadata.Assertions = []string{}
	}
	out.Size = len(text)
	if len(text) > maxScript {
		return problem.New(problem.TooLarge, "Give last_n, or record a shorter way.", "the script has %s; at most %s are written.",
			answer.Bytes(int64(len(text))), answer.Bytes(maxScript))
	}
	if to.SaveTo == "" {
		out.Script = text
		out.lines = strings.SplitAfter(text, "\n")
		return nil
	}
	file, err := env.places().Check(to.SaveTo, to.Overwrite, exts...)
	if err != nil {
		return err
	}
	if err := file.Write([]byte(text)); err != nil {
		return err
	}
	out.SavedTo = file.Path
	return nil
}

// Len and Keep let a caller's budget cut the script at a line.
func (r *scriptResult) Len() int { return len(r.lines) }

// Keep keeps the first n lines and says so.
func (r *scriptResult) Keep(n int) {
	r.lines, r.Cut = r.lines[:n], true
	r.Script = strings.Join(r.lines, "")
	const cut = "script is only the beginning: save_to writes all of it"
	if !slices.Contains(r.Notes, cut) {
		r.Notes = append(r.Notes, cut)
	}
}

// Text writes the script where it fits, else its beginning and how to get it.
func (r *scriptResult) Text(w *answer.Writer) {
	line := fmt.Sprintf("%s: %d steps, %d checks, %s", r.mode, r.Actions, r.Checks, r.words)
	if r.Metadata.Available > r.Metadata.Included {
		line += fmt.Sprintf(", of %d steps", r.Metadata.Available)
	}
	if r.SavedTo != "" {
		line += fmt.Sprintf(", %s, saved to %s", answer.Bytes(int64(r.Size)), r.SavedTo)
	}
	w.Head("%s", line)
	if len(r.Variables) > 0 {
		w.Head("set before it runs: %s", strings.Join(r.Variables, ", "))
	}
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	w.Page(answer.Origin(r.StartURL))
	for i, g := range r.Gaps {
		if i == 5 {
			w.Lines([]page.Text{page.Wrote(fmt.Sprintf("%d more steps that have to be written by hand", len(r.Gaps)-i))})
			break
		}
		w.Lines([]page.Text{page.Wrote("to be written by hand: " + answer.Cut(answer.Clean(g), 200))})
	}
	if r.SavedTo != "" {
		if len(r.Gaps) == 0 {
			w.Own()
		}
		return
	}
	if len(r.Script) <= w.Room() {
		w.Raw(strings.TrimSuffix(r.Script, "\n"))
		return
	}
	w.Note("the script has %s: give save_to for a file, or a larger budget", answer.Bytes(int64(r.Size)))
	for i, l := range r.lines {
		if len(l) > w.Room() {
			w.Note("%d more lines", len(r.lines)-i)
			return
		}
		w.Raw(strings.TrimSuffix(l, "\n"))
	}
}
