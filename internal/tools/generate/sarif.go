package generate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "sarif", Reads: true, Wait: 90 * time.Second, MaxWait: 5 * time.Minute, Example: `{"save_to":"findings.sarif"}`,
	Doc: "SARIF 2.1.0 of what analyze finds in the page, for code hosts and editors: accessibility, security, contract, a run each. Locations are " +
		"files of the repository where stacks or components tell them, else paths of pages; findings keep their fingerprints.",
	Errors: []problem.Code{
		problem.InvalidParam, problem.NoData, problem.PathNotAllowed, problem.Conflict, problem.TooLarge, problem.NotFound,
		problem.ExtensionOffline, problem.NoTab,
	},
}, sarif)

// sarifChecks are what analyze looks at, and by which mode.
var sarifChecks = []struct{ name, mode string }{
	{"accessibility", "accessibility"}, {"security", "security_audit"}, {"contract", "api_validation"},
}

type sarifParams struct {
	view.Scoped
	saving
	Checks   []string `json:"checks,omitempty" length:"10" doc:"accessibility, security, contract; default all that can be made"`
	File     string   `json:"file,omitempty" length:"4096" doc:"OpenAPI 3 document of the project that the contract is"`
	Baseline string   `json:"baseline,omitempty" length:"4096" doc:"earlier .sarif file: findings are new or unchanged against it, and what is suppressed in it stays so"`
	Suppress []string `json:"suppress,omitempty" length:"500" doc:"rules, or fingerprints of findings, that are accepted"`
}

// audited is a result of analyze that has findings for a log; ok says that something was looked at.
type audited interface {
	SARIF(version string) (in artifact.SARIFInput, ok bool)
}

// sarifResult is a log, or where it was saved.
type sarifResult struct {
	log     *artifact.SARIF
	saved   *savedLog
	counts  []string // findings of each run, in words
	notRun  []string // what could not be looked at, and why
	notes   []string
	entries []answer.Entry
	origins []string

	compared bool // with a baseline
}

// savedLog says where a log is.
type savedLog struct {
	SavedTo    string         `json:"saved_to"`
	Results    map[string]int `json:"results"` // findings by what they are of
	Levels     map[string]int `json:"levels"`  // by level; none: a person has to look
	Suppressed int            `json:"suppressed,omitempty"`
	New        int            `json:"new,omitempty"`  // against the baseline
	Gone       int            `json:"gone,omitempty"` // of the baseline
	NotRun     []string       `json:"not_run,omitempty"`
	Size       int            `json:"file_size_bytes,omitempty"`
}

// mostLog is how large an earlier log may be.
const mostLog = 20 << 20

func sarif(ctx context.Context, env Env, p sarifParams) (*sarifResult, error) {
	for i, c := range p.Checks {
		p.Checks[i] = strings.ToLower(strings.TrimSpace(c))
		if !slices.ContainsFunc(sarifChecks, func(x struct{ name, mode string }) bool { return x.name == p.Checks[i] }) {
			return nil, problem.New(problem.InvalidParam, "Use some of: accessibility, security, contract.", "there is no check %.60q.", c)
		}
	}
	if env.Call.Detached {
		return nil, problem.New(problem.InvalidParam, "Leave out background.", "the answer is not kept for later.")
	}
	var file *save.File
	var earlier *save.Source
	var err error
	if p.SaveTo != "" { // before anything is looked at
		if file, err = env.places().Check(p.SaveTo, p.Overwrite, ".sarif", ".json"); err != nil {
			return nil, err
		}
	}
	if p.Baseline != "" {
		if earlier, err = env.places().By("baseline").Read(p.Baseline, mostLog); err != nil {
			return nil, err
		}
		if earlier.Data == nil {
			return nil, save.TooLarge(earlier.Path, mostLog)
		}
	}
	runs, notRun, err := env.audits(ctx, p)
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		out := problem.New(problem.NoData, "Use the page, with the extension, so that something is captured; then repeat this call.", "nothing could be looked at.")
		out.Details = notRun
		return nil, out
	}
	out := &sarifResult{notRun: notRun, saved: &savedLog{Results: map[string]int{}, Levels: map[string]int{}, NotRun: notRun}}
	for i := range runs {
		env.locate(ctx, &runs[i])
	}
	out.log = artifact.NewSARIF(runs...)
	if out.compared = earlier != nil; out.compared {
		if out.saved.Gone, err = out.log.Compare(earlier.Data); err != nil {
			return nil, problem.New(problem.InvalidParam, "Give a file that generate sarif wrote.", "%s is no SARIF 2.1.0 log: %v.", earlier.Path, err)
		}
	}
	if _, unknown := out.log.Suppress(p.Suppress); len(unknown) > 0 {
		out.notes = append(out.notes, "suppress names what nothing is found of: "+answer.Cut(answer.Clean(strings.Join(unknown, ", ")), 200))
	}
	out.sum(runs)
	if err := ctx.Err(); err != nil || file == nil {
		return out, err
	}
	data, err := json.MarshalIndent(out.log, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := file.Write(append(data, '\n')); err != nil {
		return nil, err
	}
	out.saved.SavedTo, out.saved.Size = file.Path, len(data)+1
	return out, nil
}

// audits has analyze look at the page. What could not be done is told, unless it was asked for alone.
func (env Env) audits(ctx context.Context, p sarifParams) (runs []artifact.SARIFInput, notRun []string, _ error) {
	for _, c := range sarifChecks {
		if len(p.Checks) > 0 && !slices.Contains(p.Checks, c.name) {
			continue
		}
		args := map[string]any{"what": c.mode, "limit": 1000}
		switch {
		case c.mode == "accessibility":
			args["incomplete"] = true
			if p.Tab != 0 {
				args["tab"] = p.Tab
			}
		default:
			for name, value := range map[string]string{"scope": p.Scope, "test_id": p.TestID, "session": p.Session} {
				if value != "" {
					args[name] = value
				}
			}
			if p.Tab != 0 {
				args["tab"] = p.Tab
			}
			if c.mode == "api_validation" && p.File != "" {
				args["file"] = p.File
			}
		}
		out, err := env.analyze(ctx, args, env.Call.Deadline)
		if ctx.Err() != nil && env.Call.Left() > 0 {
			return nil, nil, ctx.Err() // cancelled
		}
		if err != nil {
			if len(p.Checks) == 1 {
				return nil, nil, err
			}
			refused := problem.From(err)
			notRun = append(notRun, c.name+": "+strings.TrimSpace(refused.Message+" "+refused.Fix))
			continue
		}
		found, ok := out.(audited)
		if !ok {
			return nil, nil, fmt.Errorf("analyze %s has no findings for a log", c.mode)
		}
		in, looked := found.SARIF(env.Version)
		if !looked {
			notRun = append(notRun, c.name+": nothing was captured that could be judged")
			continue
		}
		runs = append(runs, in)
	}
	return runs, notRun, nil
}

func (env Env) analyze(ctx context.Context, args map[string]any, until time.Time) (any, error) {
	data, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	call := env.Call
	call.Deadline = until
	out, err := env.Analyze.Call(ctx, call, data)
	return out.Value, err
}

const (
	mostComponents = 20 // elements whose component is asked for
	componentWait  = 2 * time.Second
)

// locate finds out in which files of the repository findings are: by the stack of what tells of them, and by the component
// that made an element.
func (env Env) locate(ctx context.Context, in *artifact.SARIFInput) {
	asked := 0
	for i := range in.Rules {
		for j := range in.Rules[i].Found {
			f := &in.Rules[i].Found[j]
			switch {
			case f.Evidence != "":
				f.File, f.Line, f.Column = env.frameOf(f.Evidence)
			case f.Selector != "" && f.Frame == "" && asked < mostComponents && env.Call.Left() > 2*componentWait:
				asked++
				f.File, f.Line = env.componentOf(ctx, f.Selector)
			}
		}
	}
}

// frameOf is the application's innermost place in the stack of an event, by source maps.
func (env Env) frameOf(handle string) (file string, line, column int) {
	it, err := query.ByHandle(env.Reader, handle)
	if err != nil {
		return "", 0, 0
	}
	var stack []event.StackFrame
	switch e := it.Event.(type) {
	case *event.Exchange:
		stack = e.Initiator.Stack
	case *event.Log:
		stack = e.Stack
	case *event.Exception:
		stack = e.Stack
	}
	for _, at := range stack {
		if at.InApp && at.Source != "" {
			return env.repositoryPath(at.Source), at.SourceLine, at.SourceColumn
		}
	}
	return "", 0, 0
}

// componentOf is where the component around an element is written, as far as its framework tells.
func (env Env) componentOf(ctx context.Context, selector string) (file string, line int) {
	out, err := env.analyze(ctx, map[string]any{"what": "component", "selector": selector}, time.Now().Add(componentWait))
	if err != nil {
		return "", 0
	}
	data, err := json.Marshal(out)
	if err != nil {
		return "", 0
	}
	var told struct {
		Documents []struct {
			Answer struct {
				Components []struct {
					Source string `json:"source"`
				} `json:"components"`
			} `json:"answer"`
		} `json:"documents"`
	}
	if json.Unmarshal(data, &told) != nil || len(told.Documents) == 0 || len(told.Documents[0].Answer.Components) == 0 {
		return "", 0
	}
	return env.placeOf(told.Documents[0].Answer.Components[0].Source)
}

// placeOf splits src/Pay.tsx:12:3.
func (env Env) placeOf(source string) (file string, line int) {
	for range 2 {
		i := strings.LastIndexByte(source, ':')
		n, err := strconv.Atoi(source[i+1:])
		if i < 0 || err != nil {
			break
		}
		source, line = source[:i], n
	}
	return env.repositoryPath(source), line
}

// repositoryPath is the path in the repository of a file as source maps and frameworks name it; "" for one that is not in it.
func (env Env) repositoryPath(source string) string {
	source, _, _ = strings.Cut(strings.ReplaceAll(source, `\`, "/"), "?")
	if u, err := page.ParseURL(source); err == nil && len(u.Scheme) > 1 {
		source = u.Path // of a bundler, or of a server that serves the files themselves
		if u.Scheme == "file" && u.Host != "" {
			return ""
		}
		if u.Scheme != "file" {
			source = strings.TrimLeft(source, "/")
		}
	}
	if path.IsAbs(source) || filepath.IsAbs(source) {
		rest, err := filepath.Rel(cmp.Or(env.Call.Root, "/"), filepath.FromSlash(source))
		if env.Call.Root == "" || err != nil || !filepath.IsLocal(rest) {
			return ""
		}
		source = filepath.ToSlash(rest)
	}
	source = path.Clean(source)
	for strings.HasPrefix(source, "../") {
		source = source[3:]
	}
	if source == "." || source == ".." || strings.HasPrefix(source, "node_modules/") || strings.Contains(source, "/node_modules/") {
		return ""
	}
	return source
}

// sum counts the findings, and puts them into lines for readers.
func (r *sarifResult) sum(runs []artifact.SARIFInput) {
	for i, run := range r.log.Runs {
		about := runs[i].About
		r.saved.Results[about] = len(run.Results)
		r.counts = append(r.counts, fmt.Sprintf("%s %d", about, len(run.Results)))
		r.origins = append(r.origins, answer.Origin(runs[i].URL))
	}
	order := []string{"error", "warning", "note", "none"}
	var found []artifact.SARIFResult
	for _, run := range r.log.Runs {
		for _, x := range run.Results {
			r.saved.Levels[x.Level]++
			if len(x.Suppressions) > 0 {
				r.saved.Suppressed++
				continue
			}
			if x.Baseline == "new" {
				r.saved.New++
			}
			found = append(found, x)
		}
	}
	slices.SortStableFunc(found, func(a, b artifact.SARIFResult) int {
		return slices.Index(order, a.Level) - slices.Index(order, b.Level)
	})
	for _, x := range found {
		at := x.Locations[0]
		place := at.Physical.Artifact.URI
		if at.Physical.Region.Line > 1 {
			place += ":" + strconv.Itoa(at.Physical.Region.Line)
		}
		line := strings.TrimSpace(x.Baseline+" "+x.Level) + " " + x.RuleID + " " + place + " " + answer.Cut(at.Logical[0].Name, 100) + ": " + answer.Cut(x.Message.Text, 160)
		r.entries = append(r.entries, answer.Entry{Text: answer.Clean(line)})
	}
	for i, run := range r.log.Runs {
		for _, n := range run.Invocations[0].Notifications {
			r.entries = append(r.entries, answer.Entry{Text: answer.Clean(runs[i].About + " not covered: " + answer.Cut(n.Message.Text, 200))})
		}
	}
}

// MarshalJSON gives the log itself, or where it is.
func (r *sarifResult) MarshalJSON() ([]byte, error) {
	if r.saved.SavedTo != "" {
		return answer.JSON(r.saved)
	}
	return answer.JSON(r.log)
}

// Text writes the findings for a reader.
func (r *sarifResult) Text(w *answer.Writer) {
	w.Head("sarif: %s", strings.Join(r.counts, ", "))
	s := r.saved
	if s.SavedTo != "" {
		w.Head("saved to %s, %s", s.SavedTo, answer.Bytes(int64(s.Size)))
	} else {
		w.Note(`save_to writes the log; as:"json" answers with it`)
	}
	if r.compared {
		w.Head("%d new, %d gone since the baseline", s.New, s.Gone)
	}
	if s.Suppressed > 0 {
		w.Head("%d suppressed, and not listed", s.Suppressed)
	}
	for _, n := range append(slices.Clone(r.notes), r.notRun...) {
		w.Note("%s", answer.Clean(n))
	}
	w.Page(r.origins...)
	if from, to := w.Entries(answer.Oldest, r.entries); to-from < len(r.entries) {
		w.Note("%d of %d lines are shown; a larger budget shows more", to-from, len(r.entries))
	}
}
