package interact

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/checkpoint"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
)

// stateWait is the deadline of taking and bringing back state when the caller names none: a large state crosses in many
// commands.
const stateWait = 40 * time.Second

// stateParts are what a checkpoint is made of, by the words of storage_type.
var stateParts = []string{"local", "session", "cookies", "indexeddb", "forms"}

// stateErrors are the errors of every mode that takes or brings back state.
var stateErrors = []problem.Code{
	problem.InvalidParam, problem.TooLarge, "invalid_state", "debugger_refused", problem.OriginNotAllowed, problem.Timeout,
	problem.PilotOff, problem.ExtensionOffline, problem.TabGone, problem.NoTab,
}

// Modes about checkpoints.
var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name:    "save_state",
		Doc:     "Keep a checkpoint of what the site has stored in the browser, logins included. Values are never shown.",
		Aliases: []string{"save_checkpoint"}, Needs: acts, Wait: stateWait, Example: `{"name":"logged-in"}`,
		Errors: append(stateErrors, problem.Conflict),
	}, saveState)
	_ = catalog.Add(Tool, catalog.Spec{
		Name:    "load_state",
		Doc:     "Bring a checkpoint back: the page is left, what it stored is made as it was and verified, the page is loaded.",
		Aliases: []string{"restore_state", "load_checkpoint"}, Needs: acts, Wait: stateWait, Example: `{"name":"logged-in"}`,
		Errors: append(stateErrors, problem.NoData, "other_origin", problem.NavigationFailed),
	}, loadState)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "list_states", Doc: "List the checkpoints, or tell what differs between two, by names and counts.",
		Aliases: []string{"list_checkpoints"}, Wait: stateWait, Example: `{"compare":["logged-in","current"]}`,
		Errors: append(stateErrors, problem.NoData),
	}, listStates)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "delete_state", Doc: "Delete a checkpoint.", Aliases: []string{"delete_checkpoint"}, Example: `{"name":"logged-in"}`,
		Errors: []problem.Code{problem.NoData, problem.InvalidParam},
	}, deleteState)
)

// stateName names a checkpoint.
type stateName struct {
	Name string `json:"name" required:"true" length:"64" alias:"snapshot_name" doc:"of the attribute, cookie or checkpoint"`
}

type whichState struct {
	StorageType string `json:"storage_type,omitempty" length:"100" doc:"some of local,session,cookies,indexeddb,forms; default all"`
	IncludeURL  *bool  `json:"include_url,omitempty" doc:"the address, too; default true"`
}

// parts returns what is meant, in the order of stateParts.
func (w whichState) parts() ([]string, error) {
	if w.StorageType == "" || w.StorageType == "all" {
		return stateParts, nil
	}
	var out []string
	for word := range strings.SplitSeq(w.StorageType, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		switch word {
		case "localstorage", "sessionstorage":
			word = strings.TrimSuffix(word, "storage")
		case "form", "cookie":
			word += "s"
		}
		if !slices.Contains(stateParts, word) {
			return nil, problem.New(
				problem.InvalidParam,
				"Use some of: "+strings.Join(stateParts, ", ")+".",
				"storage_type cannot be %.80q.",
				word,
			)
		}
		out = append(out, word)
	}
	return slices.DeleteFunc(slices.Clone(stateParts), func(p string) bool { return !slices.Contains(out, p) }), nil
}

func (w whichState) withURL() bool { return w.IncludeURL == nil || *w.IncludeURL }

type saveParams struct {
	command.Toast
	stateName
	whichState
	Overwrite bool `json:"overwrite,omitempty" doc:"replace one that is there"`
	in
}

// savedState is what save_state answers. Name, URL, Title and LeftOut are texts of the page or about it, cleaned of secrets.
type savedState struct {
	Status     string            `json:"status"`
	Name       string            `json:"snapshot_name"`
	State      statePage         `json:"state"`
	Capture    checkpoint.Counts `json:"state_capture"`
	Parts      []string          `json:"parts"`
	Bytes      int               `json:"bytes"`
	Path       string            `json:"path"`
	LeftOut    []string          `json:"left_out,omitempty"`
	NotCovered []string          `json:"not_covered,omitempty"`
	ElapsedMS  int64             `json:"elapsed_ms"`
	Tab        int               `json:"tab"`

	origin string
}

type statePage struct {
	URL   string `json:"url,omitempty"`
	Title string `json:"title"`
}

func saveState(ctx context.Context, env Env, p saveParams) (*savedState, error) {
	began := time.Now()
	files := checkpoint.Files{Dir: env.Dir}
	if err := checkpoint.CheckName(p.Name); err != nil {
		return nil, err
	}
	if !p.Overwrite {
		if err := files.Exists(p.Name); err != nil {
			return nil, err
		}
	}
	parts, err := p.parts()
	if err != nil {
		return nil, err
	}
	c, contents, taken, err := take(ctx, env, p.Tab, p.Toast, p.Name, parts, p.withURL())
	if err != nil {
		return nil, err
	}
	if err := files.Write(c, p.Overwrite); err != nil {
		return nil, err
	}
	out := &savedState{
		Status: "saved", Name: p.Name, Capture: c.Counts, Parts: parts, Bytes: len(c.Tab) + len(c.Page), Path: files.Path(p.Name),
		State: statePage{URL: env.Clean.URL(c.URL), Title: env.Clean.Text(c.Title)}, Tab: taken.Target.Tab.ID,
		NotCovered: cleaned(env, taken.Result.NotCovered), ElapsedMS: time.Since(began).Milliseconds(), origin: c.Origin,
	}
	for _, l := range contents.LeftOut() {
		out.LeftOut = append(out.LeftOut, fmt.Sprintf("%s (%d): %s", env.Clean.Text(l.Why), l.Count, env.Clean.Text(l.What)))
	}
	return out, nil
}

// take has the browser take the state of a tab's site. The command's outcome comes without the sections.
func take(
	ctx context.Context, env Env, tab int, toast command.Toast, name string, parts []string, withURL bool,
) (*checkpoint.Checkpoint, *checkpoint.Contents, drive.Outcome[command.SavedState], error) {
	if env.Call.Detached {
		err := problem.New(problem.InvalidParam, "Leave out background.", "state is taken while the call waits.")
		return nil, nil, drive.Outcome[command.SavedState]{}, err
	}
	out, err := drive.Do(ctx, env.Drive, env.Call, command.SaveState, tab, command.SaveStateParams{Toast: toast, Parts: parts})
	if err != nil {
		return nil, nil, out, err
	}
	r := &out.Result
	page, err := chunk(nil, r.Page)
	for i := 1; i < r.Chunks && err == nil; i++ {
		var next drive.Outcome[command.StatePart]
		params := command.StatePartParams{Token: r.Token, Chunk: i}
		if next, err = drive.Do(ctx, env.Drive, env.Call, command.StatePartOf, out.Target.Tab.ID, params); err == nil {
			page, err = chunk(page, next.Result.Page)
		}
	}
	if err != nil {
		return nil, nil, out, err
	}
	section, err := chunk(nil, r.Tab)
	if err != nil {
		return nil, nil, out, err
	}
	head := checkpoint.Head{Name: name, SavedAt: time.Now().UTC(), Origin: r.Origin, URL: r.URL, Title: r.Title, Parts: parts}
	if !withURL {
		head.URL = ""
	}
	r.Tab, r.Page = "", ""
	c, contents, err := checkpoint.New(head, section, page)
	return c, contents, out, err
}

func chunk(to []byte, text string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, problem.New(
			problem.Internal, "Reload the extension; its version may not fit the daemon's.", "the browser's state is not understood.",
		)
	}
	return append(to, data...), nil
}

func cleaned(env Env, texts []string) []string {
	out := make([]string, 0, len(texts))
	for _, t := range texts {
		out = append(out, env.Clean.Text(t))
	}
	return out
}

// Text writes what was kept for a reader.
func (s *savedState) Text(w *answer.Writer) {
	w.Head("save_state: %s in %d ms, tab %d: %s; %s", s.Name, s.ElapsedMS, s.Tab, countsInWords(s.Capture, s.Parts),
		answer.Bytes(int64(s.Bytes)))
	where := fmt.Sprintf("%s %q", answer.Short(s.State.URL, 160), answer.Cut(answer.Clean(s.State.Title), 120))
	lines := []string{strings.TrimSpace(where)}
	for _, l := range s.LeftOut {
		lines = append(lines, "left out: "+answer.Clean(l))
	}
	for _, n := range s.NotCovered {
		lines = append(lines, "not covered: "+answer.Clean(n))
	}
	fencedLines(w, s.origin, lines)
	if slices.Contains(s.Parts, "cookies") {
		w.Note("cookies were read by the debugger, for which the browser shows a bar")
	}
	w.Note("it holds logins as they are, readable by this user only: %s", s.Path)
}

// fencedLines writes lines that hold text of a page.
func fencedLines(w *answer.Writer, origin string, lines []string) {
	entries := make([]answer.Entry, len(lines))
	for i, l := range lines {
		entries[i].Text = l
	}
	w.Page(answer.Origin(origin))
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d lines; a larger budget shows more", to-from, len(entries))
	}
}

// countsInWords says how much is in a checkpoint, of the parts that were taken.
func countsInWords(c checkpoint.Counts, parts []string) string {
	said := map[string]string{
		"local":     fmt.Sprintf("localStorage %d", c.Local),
		"session":   fmt.Sprintf("sessionStorage %d", c.Session),
		"cookies":   fmt.Sprintf("cookies %d (%d HttpOnly)", c.Cookies, c.HTTPOnly),
		"indexeddb": fmt.Sprintf("databases %d (records %d)", c.Databases, c.Records),
		"forms":     fmt.Sprintf("fields %d", c.Fields),
	}
	var out []string
	for _, p := range parts {
		out = append(out, said[p])
	}
	return strings.Join(out, ", ")
}

type loadParams struct {
	command.Toast
	stateName
	whichState
	in
}

// loadedState is what load_state answers.
type loadedState struct {
	Status        string              `json:"status"` // loaded, incomplete
	Name          string              `json:"snapshot_name"`
	CorrelationID string              `json:"correlation_id"`
	ElapsedMS     int64               `json:"elapsed_ms"`
	Result        command.LoadedState `json:"result"`
	Target        place               `json:"target"`
}

func loadState(ctx context.Context, env Env, p loadParams) (*loadedState, error) {
	began := time.Now()
	if env.Call.Detached {
		return nil, problem.New(problem.InvalidParam, "Leave out background.", "a state is verified while the call waits.")
	}
	c, err := checkpoint.Files{Dir: env.Dir}.Read(p.Name)
	if err != nil {
		return nil, err
	}
	parts, err := p.parts()
	if err != nil {
		return nil, err
	}
	parts = slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return !slices.Contains(c.Parts, part) })
	if len(parts) == 0 {
		return nil, problem.New(
			problem.InvalidParam,
			"It has "+strings.Join(c.Parts, ", ")+".",
			"the checkpoint %q has nothing of what storage_type names.",
			p.Name,
		)
	}
	token := fmt.Sprintf("%s-%.16s", p.Name, c.Sum)
	token = token[max(0, len(token)-64):]
	chunks := slices.Collect(slices.Chunk(c.Page, command.StateChunk))
	for i, data := range chunks[:len(chunks)-1] {
		params := command.StatePutParams{Token: token, Chunk: i, Page: base64.StdEncoding.EncodeToString(data)}
		if _, err := drive.Do(ctx, env.Drive, env.Call, command.StatePut, p.Tab, params); err != nil {
			return nil, err
		}
	}
	params := command.LoadStateParams{
		Toast: p.Toast, Origin: c.Origin, Parts: parts, Token: token, Chunks: len(chunks),
		Tab: base64.StdEncoding.EncodeToString(c.Tab), Page: base64.StdEncoding.EncodeToString(chunks[len(chunks)-1]),
	}
	if p.withURL() {
		params.URL = c.URL
	}
	out, err := drive.Do(ctx, env.Drive, env.Call, command.LoadState, p.Tab, params)
	if err != nil {
		return nil, err
	}
	r := &out.Result
	if r.Receipt != nil {
		complete(ctx, env, r.Receipt, out.Target.Browser.Session, out.CorrelationID, began)
	}
	status := "loaded"
	switch {
	case out.Going():
		status = string(out.Status)
	case len(r.Differs) > 0:
		status = "incomplete"
	}
	return &loadedState{
		Status: status, Name: p.Name, CorrelationID: out.CorrelationID, ElapsedMS: time.Since(began).Milliseconds(), Result: *r,
		Target: place{out.Target.Tab.ID, r.FinalURL},
	}, nil
}

// Text writes what was brought back for a reader.
func (l *loadedState) Text(w *answer.Writer) {
	if l.Status != "loaded" && l.Status != "incomplete" {
		going(w, "load_state", command.Status(l.Status), l.CorrelationID)
		return
	}
	restored := strings.Join(l.Result.Restored, ", ")
	if l.Status == "loaded" {
		w.Head("load_state: %s loaded and verified in %d ms, tab %d: %s", l.Name, l.ElapsedMS, l.Target.Tab, restored)
	} else {
		w.Head("load_state: %s INCOMPLETE after %d ms, tab %d; as saved: %s", l.Name, l.ElapsedMS, l.Target.Tab, restored)
	}
	lines := loaded(l.Result.PageResult)
	for _, d := range l.Result.Differs {
		lines = append(lines, "not as saved: "+answer.Clean(d))
	}
	for _, n := range l.Result.NotCovered {
		lines = append(lines, "not covered, left as it is: "+answer.Clean(n))
	}
	fencedLines(w, l.Result.FinalURL, append(lines, receiptLines(l.Result.Receipt, true)...))
	if refused := refusals(l.Result.Receipt); refused != "" {
		w.Note("the browser refused the page: %s", refused)
	}
	w.Note("verified before any script of the page ran; what the page changed since is its own")
	w.Note("the debugger was used, for which the browser shows a bar")
}

type listStatesParams struct {
	Compare []string `json:"compare,omitempty" length:"2" doc:"two names; current is the page as it is now"`
	in
}

// stateList is what list_states answers: the checkpoints, or what differs between two.
type stateList struct {
	States      []stateInfo             `json:"states,omitempty"`
	Count       int                     `json:"count"`
	Compared    []string                `json:"compared,omitempty"`
	Equal       bool                    `json:"equal,omitempty"`
	Differences []checkpoint.Difference `json:"differences,omitempty"`
	Skipped     []string                `json:"not_compared,omitempty"`

	origin string
}

type stateInfo struct {
	Name    string            `json:"name"`
	URL     string            `json:"url,omitempty"`
	Title   string            `json:"title"`
	Origin  string            `json:"origin"`
	SavedAt string            `json:"saved_at"`
	Bytes   int64             `json:"bytes"`
	Capture checkpoint.Counts `json:"state_capture"`
	Parts   []string          `json:"parts,omitempty"`
	Problem string            `json:"problem,omitempty"`

	at time.Time
}

func listStates(ctx context.Context, env Env, p listStatesParams) (*stateList, error) {
	if len(p.Compare) > 0 {
		return compareStates(ctx, env, p)
	}
	infos, err := checkpoint.Files{Dir: env.Dir}.List()
	if err != nil {
		return nil, err
	}
	out := &stateList{Count: len(infos), States: []stateInfo{}}
	for _, i := range infos {
		out.States = append(out.States, stateInfo{
			Name: i.Name, URL: env.Clean.URL(i.URL), Title: env.Clean.Text(i.Title), Origin: env.Clean.URL(i.Origin), at: i.SavedAt,
			SavedAt: i.SavedAt.UTC().Format(time.RFC3339), Bytes: i.Bytes, Capture: i.Counts, Parts: i.Parts, Problem: i.Problem,
		})
	}
	return out, nil
}

func compareStates(ctx context.Context, env Env, p listStatesParams) (*stateList, error) {
	if len(p.Compare) != 2 {
		return nil, problem.New(
			problem.InvalidParam,
			`Give two: "compare":["logged-in","current"].`,
			"compare has %d names; it takes two.",
			len(p.Compare),
		)
	}
	var both [2]*checkpoint.Contents
	var origins [2]string
	for i, name := range p.Compare {
		var c *checkpoint.Checkpoint
		var err error
		if name == checkpoint.Current {
			c, both[i], _, err = take(ctx, env, p.Tab, command.Toast{}, name, stateParts, false)
		} else if c, err = (checkpoint.Files{Dir: env.Dir}).Read(name); err == nil {
			both[i], err = c.Open()
		}
		if err != nil {
			return nil, err
		}
		origins[i] = c.Origin
	}
	if origins[0] != origins[1] {
		return nil, problem.New(
			problem.InvalidParam,
			"Compare states of one site.",
			"%s is of %s and %s is of %s.",
			p.Compare[0],
			env.Clean.URL(origins[0]),
			p.Compare[1],
			env.Clean.URL(origins[1]),
		)
	}
	out := &stateList{Compared: p.Compare, origin: origins[0]}
	out.Differences, out.Skipped = checkpoint.Compare(both[0], both[1])
	for i := range out.Differences {
		d := &out.Differences[i]
		d.Store = env.Clean.Text(d.Store)
		for _, c := range []*checkpoint.Changed{&d.Added, &d.Removed, &d.Changed} {
			c.Names = cleaned(env, c.Names)
		}
		out.Count += d.Added.Count + d.Removed.Count + d.Changed.Count
	}
	out.Equal = out.Count == 0
	return out, nil
}

// Text writes the list for a reader.
func (l *stateList) Text(w *answer.Writer) {
	if l.Compared != nil {
		l.differences(w)
		return
	}
	w.Head("list_states: %d of at most %d", len(l.States), checkpoint.MaxFiles)
	if len(l.States) == 0 {
		w.Note("save_state makes one")
		return
	}
	var lines []string
	for _, s := range l.States {
		if s.Problem != "" {
			lines = append(lines, fmt.Sprintf("%s (%s): %s", s.Name, answer.Bytes(s.Bytes), answer.Clean(s.Problem)))
			continue
		}
		where := s.URL
		if where == "" {
			where = s.Origin
		}
		lines = append(lines, fmt.Sprintf("%s, %s, %s: %s; %s %q", s.Name, s.SavedAt, answer.Bytes(s.Bytes),
			countsInWords(s.Capture, s.Parts), answer.Short(where, 120), answer.Cut(answer.Clean(s.Title), 80)))
	}
	fencedLines(w, "", lines)
}

func (l *stateList) differences(w *answer.Writer) {
	if l.Equal {
		w.Head("list_states: %s and %s are equal", l.Compared[0], l.Compared[1])
	} else {
		w.Head("list_states: %d differences from %s to %s", l.Count, l.Compared[0], l.Compared[1])
	}
	var lines []string
	for _, d := range l.Differences {
		for _, c := range []struct {
			word string
			checkpoint.Changed
		}{{"added", d.Added}, {"removed", d.Removed}, {"changed", d.Changed}} {
			if c.Count == 0 {
				continue
			}
			line := fmt.Sprintf("%s: %s %d", answer.Clean(d.Store), c.word, c.Count)
			var names []string
			for _, n := range c.Names {
				names = append(names, fmt.Sprintf("%q", answer.Cut(answer.Clean(n), 100)))
			}
			if len(names) > 0 {
				line += ": " + strings.Join(names, ", ")
			}
			if more := c.Count - len(names); more > 0 && len(names) > 0 {
				line += fmt.Sprintf(" and %d more", more)
			}
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		fencedLines(w, l.origin, lines)
	}
	if len(l.Skipped) > 0 {
		w.Note("not compared, because one of the two did not take it: %s", strings.Join(l.Skipped, ", "))
	}
}

type deletedState struct {
	Status string `json:"status"`
	Name   string `json:"snapshot_name"`
}

func deleteState(_ context.Context, env Env, p stateName) (*deletedState, error) {
	if err := (checkpoint.Files{Dir: env.Dir}).Remove(p.Name); err != nil {
		return nil, err
	}
	return &deletedState{"deleted", p.Name}, nil
}

// Text writes it for a reader.
func (d *deletedState) Text(w *answer.Writer) { w.Head("delete_state: %s is gone", d.Name) }
