package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/memory"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/session"
)

const (
	// actsWithin is how much of a call's time is kept for the act while its element is looked for.
	actsWithin = time.Second
	// goneWithin is how long an element is looked for that is to be gone, or whose page is of another site.
	goneWithin = time.Second
)

// Named says how an element was found whose name is in the project's memory.
type Named struct {
	Name     string  `json:"name"`
	Selector string  `json:"selector"`             // that found it; "" for one that is gone, as was asked for
	Healed   *Healed `json:"healed,omitempty"`     // it was not found as it was learnt
	Learned  string  `json:"learned_on,omitempty"` // pattern of the address of its page, when this is another one
	Unsaved  string  `json:"unsaved,omitempty"`    // why the memory could not be brought up to date
	Checked  string  `json:"checked,omitempty"`    // what the page says of it, where none had been asked before

	entry memory.Entry
	fresh []string      // locators from now on; nil: those of the entry
	now   *memory.Entry // of what was not checked: what it is; nil otherwise
}

// Healed says that another locator than the best one found an element.
type Healed struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Why   string `json:"because"`
	Saved bool   `json:"saved"` // the memory finds it by the new ones from now on
}

// Lines says it in lines, which hold text of pages and of the project's memory. Nothing is said of an element that was
// found as it was learnt.
func (n Named) Lines() (out []string) {
	if h := n.Healed; h != nil {
		line := fmt.Sprintf("healed: %s from %s, %s, to %s", n.Name, answer.Cut(answer.Clean(h.From), 160), h.Why,
			answer.Cut(answer.Clean(h.To), 160))
		if h.Saved {
			line += "; " + memory.File + " has it"
		}
		out = append(out, line)
	}
	if n.Learned != "" {
		out = append(out, fmt.Sprintf("%s was learnt on another page, %s", n.Name, answer.Cut(answer.Clean(n.Learned), 160)))
	}
	if n.Checked != "" {
		out = append(out, fmt.Sprintf("%s was never looked for before: it is %s", n.Name, n.Checked))
	}
	if n.Unsaved != "" {
		out = append(out, fmt.Sprintf("%s was not brought up to date: %s", memory.File, answer.Clean(n.Unsaved)))
	}
	return out
}

// Memory returns the memory of the caller's project. Problem: no_data when the project is not known.
func (d Driver) Memory(call catalog.Call) (memory.Memory, error) {
	return memory.Of(save.Of(call, d.Dir))
}

// locate sends locate, and keeps a part of the call's time for what is done with the element. Index is -1 when none of the
// selectors finds exactly one, also when the browser did not say so in time.
func locate(
	ctx context.Context, d Driver, call catalog.Call, tab int, params command.LocateParams,
) (command.LocateResult, error) {
	left := call.Left()
	call.Deadline = time.Now().Add(max(left-actsWithin, left/2))
	o, err := Do(ctx, d, call, command.Locate, tab, params)
	found := o.Result
	if o.Going() || found.Index >= len(params.Selectors) {
		found.Index = -1
	}
	return found, err
}

// why says how many elements fit a locator that once found exactly one.
func why(n int) string {
	if n == 0 {
		return "no element fits it any more"
	}
	return fmt.Sprintf("%d elements fit it now", n)
}

// resolve puts the refs of elements in the place of their names, for all that params name by a name.
func resolve(ctx context.Context, d Driver, call catalog.Call, at session.Target, params any) ([]Named, error) {
	var all []command.Aim
	if aims, ok := params.(interface{ Aims() []command.Aim }); ok {
		all = slices.DeleteFunc(aims.Aims(), func(a command.Aim) bool {
			if *a.Ref != "" || *a.Selector != "" {
				*a.Named = ""
			}
			return *a.Named == ""
		})
	}
	scope := scopeOf(params, all)
	if scope != nil {
		all = append(all, *scope)
	}
	if len(all) == 0 {
		return nil, nil
	}
	known, err := d.Memory(call)
	if err != nil {
		return nil, err
	}
	out := make([]Named, len(all))
	for i, aim := range all { // a name that is not known is told before anything is looked for
		out[i].Name = *aim.Named
		if out[i].entry, err = known.Find(*aim.Named); err != nil {
			return nil, inPlace(aim, err)
		}
	}
	absent := false
	if w, ok := params.(interface{ Leaves() bool }); ok {
		absent = w.Leaves()
	}
	for i, aim := range all {
		n := &out[i]
		found, err := find(ctx, d, call, at, n, absent && aim.Place != within)
		if err != nil {
			return nil, inPlace(aim, err)
		}
		if aim.Place == within {
			// Frames are asked for a selector one by one; a ref is of one of them.
			*aim.Within, *aim.Frame = "ref="+found.Ref, found.Frame
			continue
		}
		for _, field := range []*string{aim.Within, aim.Frame} {
			if field != nil {
				*field = "" // the memory says where it is
			}
		}
		if aim.Nth != nil {
			*aim.Nth = nil
		}
		*aim.Ref, *aim.Named = found.Ref, ""
		if found.Ref == "" {
			*aim.Selector = gone(n.entry, found)
		}
	}
	return out, nil
}

const (
	within = "within" // the place of the part of the page in which others are looked for
	named  = "named=" // stands before a name there
)

// scopeOf returns where params say by a name in which part of the page to look; nil where they do not, or where the only
// element that is looked for has a name itself, which says where it is.
func scopeOf(params any, aims []command.Aim) *command.Aim {
	p, ok := params.(interface {
		Scope() (within, frame *string)
	})
	if !ok || slices.ContainsFunc(aims, func(a command.Aim) bool { return a.Within != nil }) {
		return nil
	}
	scope, frame := p.Scope()
	name, ok := strings.CutPrefix(*scope, named)
	if !ok {
		return nil
	}
	return &command.Aim{Place: within, Named: &name, Within: scope, Frame: frame}
}

// Tell writes the names of the project's memory beside elements of the page at url that have the role and name that was
// learnt for this page, where only one has. A memory that cannot be read gives none:
// who uses a name hears of it.
func (d Driver) Tell(call catalog.Call, url string, elements []command.Element) {
	if len(elements) == 0 {
		return
	}
	m, err := d.Memory(call)
	if err != nil {
		return
	}
	all, err := m.All()
	if err != nil {
		return
	}
	for name, e := range all {
		if e.Fit(url) != memory.SamePage || e.Name == "" {
			continue
		}
		var only *command.Element
		count := 0
		for i := range elements {
			x := &elements[i]
			role := x.Role
			if role == "" {
				role = x.Tag
			}
			if role == e.Role && strings.Join(strings.Fields(x.Label), " ") == e.Name && (x.Frame == "") == (e.Frame == "") {
				only, count = x, count+1
			}
		}
		// Of two names of one element the first by the alphabet is told.
		if count == 1 && (only.Named == "" || name < only.Named) {
			only.Named = name
		}
	}
}

// inPlace names the place of an element among several.
func inPlace(aim command.Aim, err error) error {
	p := *problem.From(err)
	switch aim.Place {
	case "":
	case within:
		p.Message = "within: " + p.Message
	default:
		p.Message = aim.Place + ": " + p.Message + " No field was filled."
	}
	return &p
}

// gone is a selector for an element that is not there: a locator that finds nothing, not even something else.
func gone(e memory.Entry, found command.LocateResult) string {
	for i, selector := range e.Locators {
		if i < len(found.Counts) && found.Counts[i] == 0 && i < len(found.Others) && found.Others[i] == 0 {
			return selector
		}
	}
	return fmt.Sprintf(`role=%s[name="%s"]`, e.Role, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(e.Name))
}

// find finds the element of a name in a tab, and says in n how. absent: that there is none is no problem; its ref is "" then.
func find(
	ctx context.Context, d Driver, call catalog.Call, at session.Target, n *Named, absent bool,
) (command.LocateResult, error) {
	name, e := n.Name, n.entry
	call.Detached, call.Progress = false, nil
	if e.Unchecked {
		return first(ctx, d, call, at, n, absent)
	}
	looked := call
	if end := time.Now().Add(goneWithin + actsWithin); (absent || e.Fit(at.Tab.URL) == memory.OtherSite) && end.Before(call.Deadline) {
		looked.Deadline = end
	}
	found, err := locate(ctx, d, looked, at.Tab.ID, command.LocateParams{
		Selectors: e.Locators, FrameURL: e.Frame, Agree: true, Role: e.Role, Name: e.Name,
	})
	if err != nil {
		return found, err
	}
	url := found.URL
	if url == "" {
		url = at.Tab.URL
	}
	fit := e.Fit(url)
	if fit == memory.OtherSite {
		return found, otherSite(name, e, url)
	}
	if found.Index < 0 || found.Ref == "" {
		if absent && !slices.ContainsFunc(found.Counts, func(n int) bool { return n > 0 }) {
			found.Ref = ""
			return found, nil
		}
		return found, lost(name, e, found, url, fit)
	}
	n.Selector = e.Locators[found.Index]
	if fit == memory.OtherPage {
		n.Learned = e.URL
	}
	if found.Index > 0 {
		n.Healed = &Healed{From: e.Locators[0], To: n.Selector, Why: why(found.Counts[0])}
		if len(found.Others) > 0 && found.Counts[0] == 0 && found.Others[0] > 0 {
			n.Healed.Why = "which finds something else now"
		}
		n.fresh = relearn(ctx, d, call, at.Tab.ID, found.Ref, e.Locators[found.Index:])
	}
	return found, nil
}

// first finds the element of a name that no page was asked for yet, and says in n what it is.
func first(
	ctx context.Context, d Driver, call catalog.Call, at session.Target, n *Named, absent bool,
) (command.LocateResult, error) {
	looked := call
	if end := time.Now().Add(goneWithin + actsWithin); absent && end.Before(call.Deadline) {
		looked.Deadline = end
	}
	found, err := locate(ctx, d, looked, at.Tab.ID, command.LocateParams{Selectors: n.entry.Locators})
	if err != nil || absent && found.Index < 0 {
		return found, err
	}
	if found.Index < 0 || found.Ref == "" {
		return found, lost(n.Name, n.entry, found, at.Tab.URL, memory.SamePage)
	}
	n.Selector = n.entry.Locators[found.Index]
	o, err := Do(ctx, d, call, command.Locators, at.Tab.ID, command.LocatorsParams{Search: command.Search{Ref: found.Ref}})
	if err != nil || o.Going() {
		return found, err
	}
	r := o.Result
	n.now = &memory.Entry{
		URL: memory.Pattern(r.PageURL), Role: r.Role, Name: r.Name, Tag: r.Tag, Locators: Kept(r.Selectors),
	}
	if r.Frame != "" {
		n.now.Frame = memory.Pattern(r.URL)
	}
	n.Checked = fmt.Sprintf("%s %q on %s", answer.Clean(r.Role), answer.Cut(answer.Clean(r.Name), 80), answer.Cut(answer.Clean(n.now.URL), 160))
	return found, nil
}

// relearn returns how an element is found from now on; rest, whose first way found it, where the page does not say.
func relearn(ctx context.Context, d Driver, call catalog.Call, tab int, ref string, rest []string) []string {
	params := command.LocatorsParams{Search: command.Search{Ref: ref}}
	o, err := Do(ctx, d, call, command.Locators, tab, params)
	if err != nil || o.Going() {
		return rest
	}
	if fresh := Kept(o.Result.Selectors); len(fresh) > 0 {
		return fresh
	}
	return rest
}

// Kept returns the selectors that the memory keeps: those that no secret was left out of.
func Kept(selectors []string) []string {
	return slices.DeleteFunc(slices.Clone(selectors), memory.Masked)
}

// confirm notes in the memory that the elements were found and that the command went well. That it could not is told and
// costs the command nothing.
func confirm(d Driver, call catalog.Call, all []Named) {
	for i := range all {
		n := &all[i]
		if n.Selector == "" {
			continue
		}
		known, err := d.Memory(call)
		written := false
		switch {
		case err != nil:
		case n.now != nil:
			_, err = known.Check(n.Name, n.entry, *n.now)
		case !n.entry.Unchecked:
			written, err = known.Confirm(n.Name, n.entry, n.fresh)
		}
		if err != nil {
			n.Unsaved = problem.From(err).Message
		}
		if n.Healed != nil {
			n.Healed.Saved = written
			if written {
				n.Healed.To = n.fresh[0]
			}
		}
	}
}

// otherSite refuses a name on a page of another site: what is typed there might be a secret of the first one.
func otherSite(name string, e memory.Entry, url string) error {
	p := problem.New("other_origin",
		`Go to a page of its site with interact {"action":"navigate","url":"…"}, or name the tab that shows it. If this site has it, too, `+
			"learn it here under a name of its own: "+memory.LearnCall("…", "e17")+".",
		"%s is an element of another site than the tab's page. Nothing was done.", name)
	p.From = answer.Origin(url)
	p.Page = []page.Text{page.Wrotef("%s is for %s; the tab shows %s", name, answer.Clean(e.URL), answer.Short(url, 200))}
	return p
}

// lost is the problem of a name whose element is not found any more, or of several that are the same.
func lost(name string, e memory.Entry, found command.LocateResult, url string, fit memory.Fit) error {
	code, what := problem.NotFound, "its locators do not find it any more"
	fix := "If the page has changed, learn the element that is meant now: " + memory.LearnCall(name, "e17") + ", with its ref."
	for i, n := range found.Counts {
		switch {
		case n > 1:
			code, what = problem.Ambiguous, "several elements have its role and name"
			fix = "Use the ref of the one that is meant, and learn it anew: " + memory.LearnCall(name, "e17") + "."
		case code == problem.NotFound && i < len(found.Others) && found.Others[i] > 0:
			what = "its locators find something else now"
		}
	}
	if fit == memory.OtherPage {
		fix = "It was learnt on another page: go there first, or wait for it. " + fix
	}
	p := problem.New(code, fix, "%s: %s. Nothing was done.", name, what)
	p.From = answer.Origin(url)
	was := fmt.Sprintf("%s was %s %q", name, answer.Clean(e.Role), answer.Cut(answer.Clean(e.Name), 80))
	if fit == memory.OtherPage {
		was += fmt.Sprintf(" on %s; this is %s", answer.Cut(answer.Clean(e.URL), 120), answer.Short(url, 120))
	}
	p.Page = []page.Text{page.Wrote(was)}
	for i, selector := range e.Locators {
		if i >= len(found.Counts) {
			break
		}
		line := fmt.Sprintf("%s: %d", answer.Cut(answer.Clean(selector), 160), found.Counts[i])
		if i < len(found.Others) && found.Others[i] > 0 {
			line += fmt.Sprintf(", and %d with another role or name", found.Others[i])
		}
		p.Page = append(p.Page, page.Wrote(line))
	}
	if len(found.Near) > 0 {
		p.Page = append(p.Page, page.Wrote("near: "+strings.Join(near(found.Near), "; ")))
	}
	return p
}

func near(lines []string) []string {
	out := make([]string, 0, len(lines))
	for _, l := range lines[:min(len(lines), 8)] {
		out = append(out, answer.Cut(answer.Clean(l), 160))
	}
	return out
}
