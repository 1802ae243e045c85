package configure

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/memory"
	"github.com/brennhill/gasoline/internal/problem"
)

// sorted returns the keys of a map in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// selectors answers what is asked of the namespace of names of elements.
func (env Env) selectors(ctx context.Context, p storeParams) (answer.Texter, error) {
	m, err := env.Drive.Memory(env.Call)
	if err != nil {
		return nil, err
	}
	if p.Key != "" {
		if err := memory.CheckName(p.Key); err != nil {
			return nil, err
		}
	}
	switch p.Operation {
	case "save":
		return env.learn(ctx, m, p)
	case "load":
		e, err := m.Find(p.Key)
		if err != nil {
			return nil, err
		}
		return &learnt{Status: "loaded", Namespace: selectors, Key: p.Key, Data: e}, nil
	case "delete":
		if err := m.Forget(p.Key); err != nil {
			return nil, err
		}
		return &storedOne{Status: "deleted", Namespace: selectors, Key: p.Key}, nil
	}
	all, err := m.All()
	if err != nil {
		return nil, err
	}
	return &learntNames{Namespace: selectors, Keys: sorted(all), Names: all}, nil
}

// learn keeps an element under a name.
func (env Env) learn(ctx context.Context, m memory.Memory, p storeParams) (answer.Texter, error) {
	if p.Value != "" && p.Selector == "" {
		p.Selector = p.Value
	}
	if !p.aimed() || p.Ref == "" && p.Selector == "" && p.Named == "" {
		return nil, problem.New(problem.MissingParam,
			`Give ref or selector; interact {"action":"list_interactive"} shows what is there.`, "an element is required.")
	}
	if env.Call.Detached {
		return nil, problem.New(problem.InvalidParam, "Leave out background.", "an element is learnt while the call waits.")
	}
	if _, err := m.All(); err != nil {
		return nil, err // before the browser is asked
	}
	o, err := drive.Do(ctx, env.Drive, env.Call, command.Locators, p.Tab, command.LocatorsParams{Search: p.Search})
	if f := problem.From(err); f != nil && p.Unchecked && p.Ref == "" && p.Selector != "" &&
		(f.Code == problem.ExtensionOffline || f.Code == problem.NoTab) {
		return keep(m, p.Key, memory.Entry{Locators: []string{p.Selector}, By: caller(env.Call.Name), Unchecked: true})
	}
	if err != nil {
		return nil, err
	}
	if o.Going() {
		return nil, problem.New(problem.Timeout, "Raise timeout_ms.", "the page did not say in time what the element is. Nothing was kept.")
	}
	r := o.Result
	e := memory.Entry{
		URL: memory.Pattern(r.PageURL), Role: r.Role, Name: r.Name, Tag: r.Tag, Locators: drive.Kept(r.Selectors), By: caller(env.Call.Name),
	}
	if r.Frame != "" {
		e.Frame = memory.Pattern(r.URL)
	}
	if err := memorable(p.Key, e); err != nil {
		return nil, err
	}
	out, err := keep(m, p.Key, e)
	if err != nil {
		return nil, err
	}
	out.Ref = r.Ref
	return out, nil
}

// keep keeps an entry under a name.
func keep(m memory.Memory, name string, e memory.Entry) (*learnt, error) {
	was, err := m.Learn(name, e)
	if err != nil {
		return nil, err
	}
	if e, err = m.Find(name); err != nil { // as it is kept
		return nil, err
	}
	return &learnt{Status: "saved", Namespace: selectors, Key: name, Data: e, Was: was}, nil
}

// caller is the program that learns, as far as it is told in the file.
func caller(name string) string {
	return answer.Cut(strings.Join(strings.Fields(answer.Clean(name)), " "), 60)
}

// memorable returns the problem of an element that could not be told from others when it is looked for again.
func memorable(name string, e memory.Entry) error {
	switch {
	case memory.Masked(e.Name):
		return problem.New(problem.InvalidParam, "Choose an element whose name holds none.",
			"%s cannot be kept: what the element is called holds a secret.", name)
	case e.URL == "":
		return problem.New(problem.InvalidParam, "Go to the page first.", "%s cannot be kept: the tab shows no page with an address.", name)
	case len(e.Locators) == 0:
		return problem.New(problem.InvalidParam, "Choose an element around it or in it, or give it a test id.",
			"%s cannot be kept: nothing finds this element and no other one.", name)
	case e.Name == "" && !slices.ContainsFunc(e.Locators, telling):
		return problem.New(problem.InvalidParam, "Give it an aria-label or a test id in the page's source, or choose an element in it that has a text.",
			"%s cannot be kept: the element has no name, so nothing but its place would find it.", name)
	}
	return nil
}

// telling reports whether a locator goes by what an element is rather than by its place.
func telling(locator string) bool {
	for _, engine := range command.Engines {
		if strings.HasPrefix(locator, engine+"=") {
			return true
		}
	}
	return strings.HasPrefix(locator, "#") && !strings.ContainsAny(locator, " >")
}

// learnt is an element with its name.
type learnt struct {
	Status    string        `json:"status"` // saved, loaded
	Namespace string        `json:"namespace"`
	Key       string        `json:"key"`
	Data      memory.Entry  `json:"data"`
	Was       *memory.Entry `json:"replaced,omitempty"` // what had the name before
	Ref       string        `json:"ref,omitempty"`
}

// Text writes it for a reader.
func (l *learnt) Text(w *answer.Writer) {
	word := "known"
	if l.Status == "saved" {
		word = "learnt"
		if l.Was != nil {
			word = "learnt anew"
		}
	}
	w.Head("store: %s is %s, in %s", l.Key, word, memory.File)
	w.Page("")
	lines := []string{about(l.Data)}
	for _, loc := range l.Data.Locators {
		lines = append(lines, "by "+answer.Cut(answer.Clean(loc), 200))
	}
	if l.Was != nil && (l.Was.Role != l.Data.Role || l.Was.Name != l.Data.Name) {
		lines = append(lines, "before: "+about(*l.Was))
	}
	entries := make([]answer.Entry, len(lines))
	for i, line := range lines {
		entries[i].Text = line
	}
	w.Entries(answer.Oldest, entries)
	if l.Status == "saved" && l.Data.Unchecked {
		w.Note("no browser was asked: the selector is kept as it is, and looked for when the name is used first")
	} else if l.Status == "saved" {
		if !slices.ContainsFunc(l.Data.Locators, telling) {
			w.Note("only its place in the page finds it; a test id would outlive changes of the page")
		}
		w.Note(`named:%q aims at it from now on, as in interact {"action":"click","named":%q}`, l.Key, l.Key)
	}
}

// about says what an element is and where.
func about(e memory.Entry) string {
	if e.Unchecked {
		return "never looked for in a page, learnt " + e.Learned
	}
	out := fmt.Sprintf("%s %q on %s", answer.Clean(e.Role), answer.Cut(answer.Clean(e.Name), 80), answer.Cut(answer.Clean(e.URL), 160))
	if e.Frame != "" {
		out += " in the frame " + answer.Cut(answer.Clean(e.Frame), 160)
	}
	out += fmt.Sprintf(", learnt %s, found last %s", e.Learned, e.Verified)
	if e.By != "" {
		out += ", by " + answer.Cut(answer.Clean(e.By), 60)
	}
	return out
}

// learntNames are all names of a project's elements.
type learntNames struct {
	Namespace string                  `json:"namespace"`
	Keys      []string                `json:"keys"`
	Names     map[string]memory.Entry `json:"names"`
}

// Text writes the list for a reader.
func (l *learntNames) Text(w *answer.Writer) {
	w.Head("store: %d names of elements in %s", len(l.Keys), memory.File)
	if len(l.Keys) == 0 {
		w.Note("%s learns one", memory.LearnCall("checkout_submit", "e17"))
		return
	}
	w.Page("")
	var entries []answer.Entry
	for _, k := range l.Keys {
		entries = append(entries, answer.Entry{Text: k + ": " + about(l.Names[k])})
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d; a larger budget shows more", to-from, len(entries))
	}
}

// Len returns how many names can be left out.
func (l *learntNames) Len() int { return len(l.Keys) }

// Keep keeps the first n names.
func (l *learntNames) Keep(n int) {
	for _, k := range l.Keys[n:] {
		delete(l.Names, k)
	}
	l.Keys = l.Keys[:n]
}
