package generate

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/testfile"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "test_heal", Doc: "Locators of tests that fit nothing on the page that the tab shows, and what fits in their place, " +
		"with how sure that is and why. Files are changed by auto_apply only, and assertions never.",
	Needs: catalog.Extension | catalog.Tab, Wait: time.Minute,
	Example: `{"op":"repair","test_file":"tests/checkout.spec.ts"}`,
	Errors: []problem.Code{
		problem.NoData, problem.MissingParam, problem.PathNotAllowed, problem.TooLarge, problem.Conflict, problem.ExtensionOffline,
		problem.NoTab, problem.OriginNotAllowed,
	},
}, testHeal)

// Bounds of one call.
const (
	healFile  = 500 << 10 // bytes of a file
	healFiles = 20
	healBytes = 5 << 20 // of all files
	healLooks = 50      // different locators of a file
)

type testHealParams struct {
	saving
	Op       string   `json:"op,omitempty" alias:"action" enum:"analyze,repair,batch" doc:"analyze: what is broken; repair: what fits, too; batch: repair of a folder; default analyze"`
	TestFile string   `json:"test_file,omitempty" doc:"test in the project, of Playwright, Cypress or Testing Library"`
	TestDir  string   `json:"test_dir,omitempty" doc:"folder of tests, for batch"`
	Broken   []string `json:"broken_selectors,omitempty" length:"50" doc:"only these, as the test writes them; without test_file by themselves"`
	Apply    bool     `json:"auto_apply,omitempty" doc:"write into the tests what is sure"`
	Tab      int      `json:"tab,omitempty" doc:"tab id; default the one in use"`
}

// healResult says what became of the files.
type healResult struct {
	Op       string       `json:"action"`
	Page     string       `json:"url"` // that was looked at
	Files    []healedFile `json:"file_results"`
	Skipped  []string     `json:"files_skipped,omitempty"` // with the reason
	Summary  healSummary  `json:"summary"`
	Warnings []string     `json:"warnings,omitempty"`
	SavedTo  string       `json:"saved_to,omitempty"`
}

// healSummary counts over all files.
type healSummary struct {
	Files     int `json:"files_processed"`
	Locators  int `json:"total_selectors"` // different ones
	Broken    int `json:"total_broken"`
	Auto      int `json:"healed_auto"`   // sure enough to be written
	Manual    int `json:"healed_manual"` // for somebody to decide
	Unhealed  int `json:"unhealed"`
	NotLooked int `json:"not_looked_at"` // computed ones, and those over the bound
}

// healedFile is one test.
type healedFile struct {
	Path     string      `json:"file"`
	Broken   []broken    `json:"broken_selectors"`
	Locators int         `json:"total_selectors"`
	Unread   []string    `json:"not_looked_at,omitempty"` // with the reason
	Content  string      `json:"updated_content,omitempty"`
	Applied  bool        `json:"applied,omitempty"`
	content  string      // with what is sure
	source   save.Source // as it was read
}

// broken is a locator that does not do what the test needs.
type broken struct {
	Line       int      `json:"line_number,omitempty"` // of its first use
	Uses       int      `json:"uses,omitempty"`
	Old        string   `json:"old_selector"`
	Why        string   `json:"why"`
	Asserted   bool     `json:"asserted,omitempty"`
	New        string   `json:"new_selector,omitempty"`
	Element    string   `json:"element,omitempty"` // that New fits
	Confidence float64  `json:"confidence,omitempty"`
	Strategy   string   `json:"strategy,omitempty"` // memory, recording, renamed, similar
	Because    string   `json:"because,omitempty"`
	Auto       bool     `json:"auto,omitempty"`
	Manual     string   `json:"manual,omitempty"` // why it is for somebody to decide
	Near       []string `json:"near,omitempty"`   // what might have been meant
}

func testHeal(ctx context.Context, env Env, p testHealParams) (*healResult, error) {
	if p.Op == "" {
		p.Op = "analyze"
	}
	files, skipped, err := env.tests(ctx, p)
	if err != nil {
		return nil, err
	}
	h := &healer{env: env, tab: p.Tab, counts: map[string]looked{}}
	if err := h.prepare(ctx); err != nil {
		return nil, err
	}
	out := &healResult{Op: p.Op, Skipped: skipped, Files: []healedFile{}}
	for i, f := range files {
		if env.Call.Progress != nil && len(files) > 1 {
			env.Call.Progress(fmt.Sprintf("test %d of %d: %s", i+1, len(files), filepath.Base(f.Path)))
		}
		if err := h.file(ctx, &f, p); err != nil {
			return nil, err
		}
		out.Files = append(out.Files, f)
	}
	out.Page, out.Warnings = h.url, h.warnings
	for _, f := range out.Files {
		out.Summary.add(f)
	}
	if p.Op == "analyze" {
		return out, nil
	}
	return out, env.writeTests(ctx, p, out)
}

// add counts a file.
func (s *healSummary) add(f healedFile) {
	s.Files++
	s.Locators += f.Locators
	s.Broken += len(f.Broken)
	s.NotLooked += len(f.Unread)
	for _, b := range f.Broken {
		switch {
		case b.Auto:
			s.Auto++
		case b.New != "":
			s.Manual++
		default:
			s.Unhealed++
		}
	}
}

// tests reads the files that are asked for. Those that cannot be read are skipped where a folder was named.
func (env Env) tests(ctx context.Context, p testHealParams) (files []healedFile, skipped []string, err error) {
	switch {
	case p.Op == "batch" && p.TestDir == "":
		return nil, nil, problem.New(problem.MissingParam, "Name the folder of the tests in test_dir.", "test_dir is required for batch.")
	case p.Op == "batch":
		return env.folder(ctx, p.TestDir)
	case p.TestFile == "" && len(p.Broken) > 0:
		lines := make([]string, len(p.Broken))
		for i, s := range p.Broken {
			lines[i] = s
			if len(testfile.Read(s, testfile.JavaScript)) == 0 {
				lines[i] = fmt.Sprintf("page.locator(%q)", s)
			}
		}
		return []healedFile{{source: save.Source{Name: "x.js", Data: []byte(strings.Join(lines, "\n"))}}}, nil, nil
	case p.TestFile == "":
		return nil, nil, problem.New(problem.MissingParam,
			"Name the test in test_file, or give broken_selectors.", "test_file is required.")
	}
	if _, ok := testfile.LanguageOf(p.TestFile); !ok {
		return nil, nil, problem.New(problem.InvalidParam, "Give a file of "+strings.Join(testfile.Extensions, " ")+".",
			"test_file %.200q is no test that can be read.", p.TestFile)
	}
	source, err := env.places().By("test_file").Read(p.TestFile, healFile)
	if err != nil {
		return nil, nil, err
	}
	if source.Data == nil && source.Size > 0 {
		return nil, nil, save.TooLarge(source.Path, healFile)
	}
	return []healedFile{{Path: p.TestFile, source: *source}}, nil, nil
}

// folder reads the tests of a folder and of those in it, in the order of their names.
func (env Env) folder(ctx context.Context, dir string) (files []healedFile, skipped []string, err error) {
	names, err := env.places().By("test_dir").Files(dir, 2000)
	if err != nil {
		return nil, nil, err
	}
	total := int64(0)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		lang, ok := testfile.LanguageOf(name)
		if !ok {
			continue
		}
		source, err := env.places().By("test_dir").Read(name, healFile)
		switch {
		case err != nil:
			skipped = append(skipped, fmt.Sprintf("%s: %s", name, problem.From(err).Message))
			continue
		case source.Data == nil && source.Size > 0:
			skipped = append(skipped, fmt.Sprintf("%s: it has more than %s", name, answer.Bytes(healFile)))
			continue
		case len(testfile.Read(string(source.Data), lang)) == 0:
			continue // no test of a page
		case len(files) == healFiles || total+source.Size > healBytes:
			skipped = append(skipped, fmt.Sprintf("%s: a call takes %d files of %s; name a smaller folder", name, healFiles, answer.Bytes(healBytes)))
			continue
		}
		total += source.Size
		files = append(files, healedFile{Path: name, source: *source})
	}
	if len(files) == 0 && len(skipped) == 0 {
		return nil, nil, problem.New(problem.NoData, "Name the folder that has the tests.",
			"%.200q has no file that looks for elements of a page.", dir)
	}
	return files, skipped, nil
}

// writeTests writes what is sure: into the tests where that was asked for, or one test into another file. A file that was
// changed meanwhile is left as it is.
func (env Env) writeTests(ctx context.Context, p testHealParams, out *healResult) error {
	for i := range out.Files {
		f := &out.Files[i]
		if f.Path == "" || f.content == string(f.source.Data) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case p.SaveTo != "" && len(out.Files) == 1 && p.Op != "batch":
			file, err := env.places().Check(p.SaveTo, p.Overwrite, testfile.Extensions...)
			if err != nil {
				return err
			}
			if err := file.Write([]byte(f.content)); err != nil {
				return err
			}
			out.SavedTo = file.Path
		case p.Apply:
			err := env.places().By("test_file").Update(f.Path, healFile, func(old []byte) ([]byte, error) {
				if string(old) != string(f.source.Data) {
					return nil, problem.New(problem.Conflict, "Repeat the call.", "%s was changed meanwhile; it is left as it is.", f.Path)
				}
				return []byte(f.content), nil
			})
			if err != nil && len(out.Files) == 1 {
				return err
			}
			if err != nil { // the others are told
				out.Warnings = append(out.Warnings, fmt.Sprintf("%s was not written: %s", f.Path, problem.From(err).Message))
				continue
			}
			f.Applied = true
		default:
			f.Content = f.content
		}
	}
	return nil
}

// Text writes what is broken and what fits in its place.
func (r *healResult) Text(w *answer.Writer) {
	s := r.Summary
	if r.Op == "analyze" {
		w.Head("test_heal: %d of %d locators in %s do not fit", s.Broken, s.Locators, plural(s.Files, "test"))
		if s.Broken > 0 {
			w.Note(`op:"repair" looks for what fits in their place`)
		}
	} else {
		w.Head("test_heal: %d of %d locators in %s do not fit; %d can be healed for sure, %d need a decision, %d are not found",
			s.Broken, s.Locators, plural(s.Files, "test"), s.Auto, s.Manual, s.Unhealed)
	}
	for _, n := range r.Warnings {
		w.Note("note: %s", answer.Clean(n))
	}
	if s.NotLooked > 0 {
		w.Note("%s not looked at: computed, or of a kind that pages are not asked for", plural(s.NotLooked, "locator"))
	}
	if s.Auto > 0 && r.Op != "analyze" && r.SavedTo == "" && !slices.ContainsFunc(r.Files, func(f healedFile) bool { return f.Applied }) {
		w.Note("nothing was written; auto_apply:true writes what is sure into the tests, save_to a copy")
	}
	if r.SavedTo != "" {
		w.Note("saved to %s", r.SavedTo)
	}
	w.Page(answer.Origin(r.Page))
	entries := []answer.Entry{{Text: "looked at " + answer.Short(r.Page, 160)}}
	add := func(format string, args ...any) {
		entries = append(entries, answer.Entry{Text: answer.Clean(fmt.Sprintf(format, args...))})
	}
	for _, f := range r.Files {
		if f.Path != "" && len(r.Files) > 1 || f.Applied {
			add("## %s%s", f.Path, map[bool]string{true: ", written"}[f.Applied])
		}
		for _, b := range f.Broken {
			at := ""
			if f.Path != "" {
				at = fmt.Sprintf("line %d: ", b.Line)
			}
			add("%s%s %s%s", at, answer.Cut(b.Old, 160), b.Why, map[bool]string{true: " (asserted)"}[b.Asserted])
			if b.New != "" {
				add("  → %s is %s, %.2f %s: %s%s", answer.Cut(b.New, 160), answer.Cut(b.Element, 120), b.Confidence, b.Strategy, b.Because,
					map[bool]string{true: "; decide: " + b.Manual}[!b.Auto])
			}
			for _, n := range b.Near {
				add("  near: %s", answer.Cut(n, 120))
			}
		}
	}
	for _, s := range r.Skipped {
		add("skipped %s", answer.Cut(s, 200))
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d lines; a larger budget shows more", to-from, len(entries))
	}
}
