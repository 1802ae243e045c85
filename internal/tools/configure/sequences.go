package configure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/series"
)

// Bounds of sequences.
const (
	maxSequences     = 200     // of a project
	maxSequence      = 1 << 20 // bytes of one
	maxTag           = 50      // characters
	maxDescription   = 500     // characters
	sequencesVersion = 1
)

// Modes that keep actions under a name, for each project.
var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "save_sequence", Doc: "Keep up to 50 steps of interact under a name, for this project. The same name replaces them.",
		Aliases: []string{"save_macro"},
		Example: `{"name":"sign-in","steps":[{"action":"click","selector":"text=Sign in"}]}`,
		Errors:  []problem.Code{problem.InvalidParam, problem.MissingParam, problem.NoData, problem.TooLarge},
	}, saveSequence)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "get_sequence", Doc: "The steps of a saved sequence.",
		Aliases: []string{"get_macro"}, Example: `{"name":"sign-in"}`, Errors: []problem.Code{problem.NoData},
	}, getSequence)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "list_sequences", Doc: "The saved sequences of this project.",
		Aliases: []string{"list_macros", "sequences"}, Example: `{"tags":["auth"]}`, Errors: []problem.Code{problem.NoData},
	}, listSequences)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "delete_sequence", Doc: "Delete a saved sequence.",
		Aliases: []string{"delete_macro"}, Example: `{"name":"sign-in"}`, Errors: []problem.Code{problem.NoData},
	}, deleteSequence)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "replay_sequence", Doc: "Carry out a saved sequence, as interact batch does, with what each step led to.",
		Aliases: []string{"run_sequence", "replay_macro"}, Needs: catalog.Extension | catalog.Pilot | catalog.Tab, Wait: series.Wait,
		Example: `{"name":"sign-in","stop_after_step":2}`,
		Errors: []problem.Code{
			problem.NoData, problem.InvalidParam, problem.PilotOff, problem.ExtensionOffline, problem.NoTab, problem.TabGone,
		},
	}, replaySequence)
)

// sequence is a saved sequence, as its file holds it.
type sequence struct {
	Version     int               `json:"version"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Tags        []string          `json:"tags,omitempty"`
	SavedAt     time.Time         `json:"saved_at"`
	Steps       []json.RawMessage `json:"steps"`
}

type sequenceParams struct {
	Name string `json:"name" required:"true" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"of the sequence: letters, digits, _ and -"`
}

type saveSequenceParams struct {
	sequenceParams
	Steps       []json.RawMessage `json:"steps" required:"true" length:"50" doc:"arguments of interact, one object for each step"`
	Tags        []string          `json:"tags,omitempty" length:"10" doc:"words to find it by"`
	Description string            `json:"description,omitempty" length:"500" doc:"what it is for"`
}

type sequenceSaved struct {
	Status    string    `json:"status"`
	Name      string    `json:"name"`
	StepCount int       `json:"step_count"`
	SavedAt   time.Time `json:"saved_at"`
	Replaced  bool      `json:"replaced,omitempty"`
}

// find returns the file of a sequence. Some file systems take two names that differ in case for one, so do we.
func (env Env) find(name string) (folder, file string, names []string, err error) {
	if folder, err = save.ProjectFolder(env.Call, "sequences"); err != nil {
		return "", "", nil, err
	}
	folder += "/sequences"
	files, err := env.Dir.Files(folder)
	if err != nil {
		return "", "", nil, err
	}
	for _, f := range files {
		n, ok := strings.CutSuffix(f.Name(), ".json")
		if !ok {
			continue
		}
		names = append(names, n)
		if strings.EqualFold(n, name) {
			file = folder + "/" + f.Name()
		}
	}
	return folder, file, names, nil
}

func (env Env) loadSequence(name string) (*sequence, string, error) {
	_, file, names, err := env.find(name)
	if err != nil {
		return nil, "", err
	}
	var s *sequence
	if file != "" {
		s, err = env.readSequence(file)
	}
	if err == nil && s == nil || errors.Is(err, fs.ErrNotExist) {
		fix := `configure {"action":"save_sequence","name":"…","steps":[{"action":"click","selector":"…"}]} saves one.`
		if near := catalog.Nearest(name, names); near != "" {
			fix = fmt.Sprintf("Is %q meant? ", near) + `configure {"action":"list_sequences"} lists them.`
		} else if len(names) > 0 {
			fix = `configure {"action":"list_sequences"} lists them.`
		}
		return nil, "", problem.New(problem.NoData, fix, "this project has no sequence %q.", name)
	}
	return s, file, err
}

func (env Env) readSequence(file string) (*sequence, error) {
	data, err := env.Dir.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var s sequence
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err == nil && s.Version != sequencesVersion {
		err = fmt.Errorf("it is of version %d; this program reads version %d", s.Version, sequencesVersion)
	}
	if err != nil {
		return nil, problem.New(problem.NoData, "Save it again, or delete it.", "%s cannot be read: %v.", env.Dir.Path(file), err)
	}
	return &s, nil
}

func saveSequence(_ context.Context, env Env, p saveSequenceParams) (*sequenceSaved, error) {
	for _, tag := range p.Tags {
		if tag == "" || utf8.RuneCountInString(tag) > maxTag {
			return nil, problem.New(problem.InvalidParam, "Use short words.", "a tag has 1–%d characters, not %d.", maxTag,
				utf8.RuneCountInString(tag))
		}
	}
	if err := series.Check(env.Interact, p.Steps); err != nil {
		return nil, err
	}
	folder, file, names, err := env.find(p.Name)
	if err != nil {
		return nil, err
	}
	if file == "" && len(names) >= maxSequences {
		return nil, problem.New(problem.TooLarge, `configure {"action":"delete_sequence","name":"…"} makes room.`,
			"this project has %d sequences; it may have %d.", len(names), maxSequences)
	}
	s := sequence{
		Version: sequencesVersion, Name: p.Name, Description: p.Description, Tags: p.Tags, SavedAt: time.Now().UTC(), Steps: p.Steps,
	}
	data, err := answer.JSON(s)
	if err != nil {
		return nil, err
	}
	if len(data) > maxSequence {
		return nil, problem.New(problem.TooLarge, "Give less text in its steps.", "the sequence has %s; it may have %s.",
			answer.Bytes(int64(len(data))), answer.Bytes(maxSequence))
	}
	if file == "" {
		file = folder + "/" + p.Name + ".json"
		return &sequenceSaved{Status: "saved", Name: p.Name, StepCount: len(p.Steps), SavedAt: s.SavedAt}, env.Dir.Write(file, data)
	}
	return &sequenceSaved{
		Status: "saved", Name: p.Name, StepCount: len(p.Steps), SavedAt: s.SavedAt, Replaced: true,
	}, env.Dir.Write(file, data)
}

// inSteps counts steps in words.
func inSteps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

// Text writes the result for a reader.
func (s *sequenceSaved) Text(w *answer.Writer) {
	word := "saved"
	if s.Replaced {
		word = "replaced"
	}
	w.Head("save_sequence: %s %s, %s", s.Name, word, inSteps(s.StepCount))
	w.Note(`configure {"action":"replay_sequence","name":%q} carries it out`, s.Name)
}

func getSequence(_ context.Context, env Env, p sequenceParams) (*sequence, error) {
	s, _, err := env.loadSequence(p.Name)
	return s, err
}

// Text writes the steps for a reader.
func (s *sequence) Text(w *answer.Writer) {
	w.Head("get_sequence: %s, %s, saved %s", s.Name, inSteps(len(s.Steps)), s.SavedAt.UTC().Format(time.RFC3339))
	w.Page("") // an agent wrote it, perhaps from what a page said
	var entries []answer.Entry
	if s.Description != "" {
		entries = append(entries, answer.Entry{Text: answer.Clean(s.Description)})
	}
	if len(s.Tags) > 0 {
		entries = append(entries, answer.Entry{Text: "tags: " + answer.Clean(strings.Join(s.Tags, ", "))})
	}
	for i, step := range s.Steps {
		entries = append(entries, answer.Entry{Text: fmt.Sprintf("%d %s", i, answer.Cut(answer.Clean(string(step)), 500))})
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d lines; a larger budget shows more", to-from, len(entries))
	}
}

type listSequencesParams struct {
	Tags []string `json:"tags,omitempty" length:"10" doc:"only those with all of these"`
}

type sequenceList struct {
	Sequences []sequenceHead `json:"sequences"`
	Count     int            `json:"count"`
	Notes     []string       `json:"notes,omitempty"`
}

type sequenceHead struct {
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Tags        []string  `json:"tags,omitempty"`
	StepCount   int       `json:"step_count"`
	SavedAt     time.Time `json:"saved_at"`
}

func listSequences(_ context.Context, env Env, p listSequencesParams) (*sequenceList, error) {
	folder, _, names, err := env.find("")
	if err != nil {
		return nil, err
	}
	out := &sequenceList{Sequences: []sequenceHead{}}
	for _, name := range names {
		s, err := env.readSequence(folder + "/" + name + ".json")
		if err != nil {
			out.Notes = append(out.Notes, problem.From(err).Message)
			continue
		}
		if slices.ContainsFunc(p.Tags, func(tag string) bool {
			return !slices.ContainsFunc(s.Tags, func(has string) bool { return strings.EqualFold(tag, has) })
		}) {
			continue
		}
		out.Sequences = append(out.Sequences, sequenceHead{s.Name, s.Description, s.Tags, len(s.Steps), s.SavedAt})
	}
	out.Count = len(out.Sequences)
	return out, nil
}

// Text writes the list for a reader.
func (l *sequenceList) Text(w *answer.Writer) {
	w.Head("list_sequences: %d", l.Count)
	w.Page("") // an agent wrote them, perhaps from what a page said
	var entries []answer.Entry
	for _, s := range l.Sequences {
		line := fmt.Sprintf("%s, %s", s.Name, inSteps(s.StepCount))
		if len(s.Tags) > 0 {
			line += " [" + answer.Clean(strings.Join(s.Tags, ", ")) + "]"
		}
		if s.Description != "" {
			line += ": " + answer.Cut(answer.Clean(s.Description), 120)
		}
		entries = append(entries, answer.Entry{Text: line})
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d; a larger budget shows more", to-from, len(entries))
	}
	for _, n := range l.Notes {
		w.Note("%s", n)
	}
}

type sequenceDeleted struct {
	Status string `json:"status"`
	Name   string `json:"name"`
}

func deleteSequence(_ context.Context, env Env, p sequenceParams) (*sequenceDeleted, error) {
	_, file, _, err := env.find(p.Name)
	if err != nil {
		return nil, err
	}
	if file == "" {
		_, _, err := env.loadSequence(p.Name)
		return nil, err
	}
	if err := env.Dir.Remove(file); err != nil {
		return nil, fmt.Errorf("delete sequence %s: %w", p.Name, err)
	}
	return &sequenceDeleted{"deleted", p.Name}, nil
}

// Text writes the result for a reader.
func (s *sequenceDeleted) Text(w *answer.Writer) { w.Head("delete_sequence: %s is deleted", s.Name) }

type replayParams struct {
	sequenceParams
	Override []json.RawMessage `json:"override_steps,omitempty" length:"50" doc:"steps in place of the saved ones, by their place; null keeps the saved one"`
	series.Options
}

// replayed is what a sequence came to.
type replayed struct {
	Name string `json:"name"`
	*series.Result
	Message string `json:"message"`
}

func replaySequence(ctx context.Context, env Env, p replayParams) (*replayed, error) {
	s, _, err := env.loadSequence(p.Name)
	if err != nil {
		return nil, err
	}
	if len(p.Override) > len(s.Steps) {
		return nil, problem.New(problem.InvalidParam, "Give at most one for each saved step.",
			"override_steps has %s, and %s has %s.", inSteps(len(p.Override)), s.Name, inSteps(len(s.Steps)))
	}
	for i, step := range p.Override {
		if string(step) != "null" {
			s.Steps[i] = step
		}
	}
	if err := series.Check(env.Interact, s.Steps); err != nil {
		return nil, err
	}
	done, err := series.Run(ctx, env.Interact, env.Call, "replay_sequence "+s.Name, s.Steps, p.Options)
	if err != nil {
		return nil, err
	}
	switch {
	case done.Status == "failed" && done.StepsFailed < done.StepsExecuted:
		done.Status = "partial"
	case done.Status == "failed":
		done.Status = "error"
	case done.Status == "complete":
		done.Status = "ok"
	}
	return &replayed{s.Name, done, fmt.Sprintf("%d of %d steps done", done.StepsExecuted-done.StepsFailed, done.StepsTotal)}, nil
}
