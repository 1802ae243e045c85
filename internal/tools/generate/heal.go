package generate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/memory"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/steps"
	"github.com/brennhill/gasoline/internal/testfile"
)

const (
	// nearWithin is how long a page is asked what might have been meant.
	nearWithin = 700 * time.Millisecond
	// similarLeft is how much of a call's time has to be left for a look at what is called alike.
	similarLeft = 8 * time.Second
	// sure is the confidence from which on a locator is written without somebody's decision.
	sure = 0.9
	// alike is how much a name has to have of another one to be thought of as the same, and apart how much less the next
	// one has to have.
	alike, apart = 0.5, 0.15
)

// healer looks at one page for the locators of tests.
type healer struct {
	env      Env
	tab      int
	url      string // of the page
	known    []known
	counts   map[string]looked // of locators that were looked for, by what they are
	warnings []string
	hasty    bool // it is told that the time was too short
}

// known is an element of which several locators were kept.
type known struct {
	source   string // memory, recording
	words    string // which, for people
	role     string
	name     string
	page     string // address where it was
	frame    string // address of its iframe; "" is the page
	pattern  bool   // frame is one
	locators []string
}

// looked is what the page said of a locator.
type looked struct {
	count  int
	why    string // why it fits nothing; "" where that is not known
	unread string // why it cannot be looked for here
}

// prepare reads what is known of elements: the memory of the project, and what was done in pages.
func (h *healer) prepare(ctx context.Context) error {
	if m, err := h.env.Drive.Memory(h.env.Call); err == nil {
		all, err := m.All()
		if err != nil {
			h.warnings = append(h.warnings, "names of the project were not used: "+problem.From(err).Message)
		}
		for name, e := range all {
			h.known = append(h.known, known{
				source: "memory", words: name, role: e.Role, name: e.Name, page: e.URL, frame: e.Frame, pattern: true, locators: e.Locators,
			})
		}
		slices.SortFunc(h.known, func(a, b known) int { return strings.Compare(a.words, b.words) })
	}
	actions, _, err := query.Read[event.Action](ctx, h.env.Reader, query.Filter{}, query.Page{Limit: query.MaxLimit}, nil)
	if err != nil {
		return err
	}
	for _, a := range slices.Backward(actions.Items) { // the newest first
		if len(a.Locators) < 2 || a.By == "script" {
			continue
		}
		step := steps.Step{}
		for _, l := range a.Locators {
			if l.Matches <= 1 {
				step.Locators = append(step.Locators, steps.Locator(l))
			}
		}
		k := known{source: "recording", words: a.Time.UTC().Format("2006-01-02 15:04"), role: a.Role, name: a.Name, page: a.PageURL, locators: step.Selectors()}
		if a.Frame != 0 {
			k.page, k.frame = "", a.PageURL
		}
		h.known = append(h.known, k)
	}
	return nil
}

// file finds the broken locators of a test, and what fits in their place.
func (h *healer) file(ctx context.Context, f *healedFile, p testHealParams) error {
	lang, _ := testfile.LanguageOf(f.source.Name)
	src := string(f.source.Data)
	uses := testfile.Read(src, lang)
	f.content, f.Broken = src, []broken{}
	if len(p.Broken) > 0 && f.Path != "" {
		uses = slices.DeleteFunc(uses, func(u testfile.Use) bool {
			return !slices.ContainsFunc(p.Broken, func(s string) bool { return s == u.Source || s == u.Selector || strings.Contains(u.Source, s) })
		})
		if len(uses) == 0 {
			return problem.New(problem.NoData, "Give them as the test writes them.", "%s has none of broken_selectors.", f.Path)
		}
	}
	same := map[string][]testfile.Use{}
	var order []string
	for _, u := range uses {
		if u.Why != "" {
			f.Unread = append(f.Unread, fmt.Sprintf("line %d: %s: %s", u.Line, answer.Cut(u.Source, 120), u.Why))
			continue
		}
		k := u.Selector + "\x00" + u.Within + "\x00" + u.Frame
		if same[k] == nil {
			order = append(order, k)
		}
		same[k] = append(same[k], u)
	}
	type edit struct {
		start, end int
		text       string
	}
	var edits []edit
	elsewhere := false
	for i, k := range order {
		u := same[k][0]
		if i >= healLooks {
			f.Unread = append(f.Unread, fmt.Sprintf("line %d: %s: a call looks for %d of a file", u.Line, answer.Cut(u.Source, 120), healLooks))
			continue
		}
		at, err := h.look(ctx, u)
		if err != nil {
			return err
		}
		if at.unread != "" {
			f.Unread = append(f.Unread, fmt.Sprintf("line %d: %s: %s", u.Line, answer.Cut(u.Source, 120), at.unread))
			continue
		}
		f.Locators++
		b, ok := h.judge(at, same[k])
		if !ok {
			continue
		}
		elsewhere = elsewhere || len(f.Broken) == 0 && !h.opened(testfile.Opens(src, lang))
		if p.Op != "analyze" {
			if err := h.heal(ctx, &b, same[k]); err != nil {
				return err
			}
		}
		if b.Auto && elsewhere {
			b.Auto, b.Manual = false, "the test opens another page than the tab shows"
		}
		if b.Auto {
			for _, u := range same[k] {
				text, _ := u.Write(b.selector)
				edits = append(edits, edit{u.Start, u.End, text})
			}
		}
		f.Broken = append(f.Broken, b.broken)
	}
	if elsewhere {
		h.warnings = append(h.warnings, fmt.Sprintf("%s opens other pages than the tab shows: what is on those is not found here", f.Path))
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.start - a.start })
	for _, e := range edits { // from the end, so that the places stay
		f.content = f.content[:e.start] + e.text + f.content[e.end:]
	}
	return nil
}

// opened reports whether a test that opens addresses may be about the page that was looked at.
func (h *healer) opened(addresses []string) bool {
	page, err := url.Parse(h.url)
	if err != nil || len(addresses) == 0 {
		return true
	}
	return slices.ContainsFunc(addresses, func(a string) bool {
		u, err := url.Parse(a)
		return err != nil || u.Opaque != "" || strings.Trim(u.Path, "/") == strings.Trim(page.Path, "/")
	})
}

// look asks the page how many elements a locator fits.
func (h *healer) look(ctx context.Context, u testfile.Use) (looked, error) {
	return h.count(ctx, u.Selector, u.Within, u.Frame)
}

func (h *healer) count(ctx context.Context, selector, within, frame string) (looked, error) {
	key := selector + "\x00" + within + "\x00" + frame
	if l, ok := h.counts[key]; ok {
		return l, nil
	}
	o, err := drive.Do(ctx, h.env.Drive, h.env.Call, command.Query, h.tab,
		command.QueryParams{Selector: selector, Within: within, Frame: frame, QueryType: "count"})
	l := looked{count: o.Result.Count}
	switch p := problem.From(err); {
	case err == nil && o.Going():
		return l, problem.New(problem.Timeout, "Raise timeout_ms, or name fewer tests.", "the page did not answer in time. Nothing was written.")
	case err == nil:
		if h.url == "" {
			h.url = o.Target.Tab.URL
		}
	case p != nil && p.Code == "frame_not_found":
		l.why = "the frame that it is in is not there"
	case p != nil && (p.Code == "scope_not_found" || p.Code == problem.NotFound):
		l.why = "what it is looked for in is not there"
	case p != nil && p.Code == "ambiguous_target":
		l.unread = "what it is looked for in fits several elements"
	case p != nil && p.Code == "invalid_selector":
		l.why = "no browser reads it"
	default:
		return l, err
	}
	h.counts[key] = l
	return l, nil
}

// candidate is a broken locator with the selector that fits in its place.
type candidate struct {
	broken
	selector string
}

// judge says whether a locator is broken: it fits nothing that the test needs, or several where the test acts on one. What
// the test says is absent may be.
func (h *healer) judge(at looked, uses []testfile.Use) (candidate, bool) {
	u := uses[0]
	b := candidate{broken: broken{Line: u.Line, Uses: len(uses), Old: u.Source}}
	needed, single := false, false
	for _, u := range uses {
		needed = needed || !u.Absent
		single = single || u.Act != "" && !u.Many
		b.Asserted = b.Asserted || u.Assertion
	}
	switch {
	case !needed:
		return b, false
	case at.why != "":
		b.Why = at.why
	case at.count == 0:
		b.Why = "fits nothing"
	case at.count > 1 && single:
		b.Why = fmt.Sprintf("fits %d elements, and the test acts on one", at.count)
	default:
		return b, false
	}
	return b, true
}

// heal looks for what a broken locator meant.
func (h *healer) heal(ctx context.Context, b *candidate, uses []testfile.Use) error {
	u := uses[0]
	var wanted known
	for _, k := range h.known {
		if !slices.ContainsFunc(k.locators, func(l string) bool { return plain(l) == plain(u.Selector) }) {
			continue
		}
		if wanted.source == "" {
			wanted = k
		}
		others := slices.DeleteFunc(slices.Clone(k.locators), func(l string) bool { return plain(l) == plain(u.Selector) })
		if done, err := h.again(ctx, b, u, k, others); done || err != nil {
			b.decide(uses)
			return err
		}
	}
	if wanted.source == "" {
		wanted = meant(u)
	}
	err := h.similar(ctx, b, u, wanted)
	b.decide(uses)
	return err
}

// decide says whether what was found is written without asking anybody.
func (b *candidate) decide(uses []testfile.Use) {
	switch {
	case b.New == "":
	case b.Asserted:
		b.Manual = "the test asserts it; that it is not there may be the fault that the test is for"
	case b.Confidence < sure:
		b.Manual = map[string]string{"renamed": "it is called otherwise now"}[b.Strategy]
		b.Manual = cmp.Or(b.Manual, "another element may have been meant")
	case slices.ContainsFunc(uses, func(u testfile.Use) bool { return !u.Acted }):
		b.Manual = "what the test does with it is not seen"
	case slices.ContainsFunc(uses, func(u testfile.Use) bool { return u.Extra }):
		b.Manual = "what else stands in its parentheses would go"
	case slices.ContainsFunc(uses, func(u testfile.Use) bool { _, ok := u.Write(b.selector); return !ok }):
		b.Manual = "it is used in several ways"
	default:
		b.Auto = true
	}
}

// again looks for an element by what was kept of it beside the locator that is broken.
func (h *healer) again(ctx context.Context, b *candidate, u testfile.Use, k known, others []string) (bool, error) {
	if len(others) == 0 {
		return false, nil
	}
	params := command.LocateParams{Selectors: others[:min(len(others), 20)], FrameURL: k.frame, Agree: true, Role: k.role, Name: k.name}
	found, err := h.locate(ctx, params)
	if err != nil {
		return false, err
	}
	if found.Index >= 0 && found.Ref != "" {
		confidence, because := 0.95, fmt.Sprintf("it is %s, of the same role and name", k.words)
		if k.page != "" && h.url != "" && !steps.Same(k.page, h.url) {
			confidence, because = 0.8, because+", on another page"
		}
		return h.take(ctx, b, u, found, confidence, k.source, because)
	}
	// What a developer gives an element for tests outlives its name.
	var strong []string
	for _, l := range others {
		if strings.HasPrefix(l, "testid=") || strings.HasPrefix(l, "[id=") {
			strong = append(strong, l)
		}
	}
	if len(strong) == 0 || k.pattern && k.frame != "" {
		return false, nil
	}
	found, err = h.locate(ctx, command.LocateParams{Selectors: strong, FrameURL: k.frame})
	if err != nil || found.Index < 0 || found.Ref == "" {
		return false, err
	}
	return h.take(ctx, b, u, found, 0.75, "renamed", fmt.Sprintf("it was %s %q, %s", k.role, k.name, k.words))
}

// locate asks the page for an element, for a short time.
func (h *healer) locate(ctx context.Context, params command.LocateParams) (command.LocateResult, error) {
	call := h.env.Call
	if end := time.Now().Add(nearWithin); end.Before(call.Deadline) || call.Deadline.IsZero() {
		call.Deadline = end
	}
	call.Detached, call.Progress = false, nil
	o, err := drive.Do(ctx, h.env.Drive, call, command.Locate, h.tab, params)
	found := o.Result
	if p := problem.From(err); p != nil && (p.Code == problem.NotFound || p.Code == "frame_not_found" || p.Code == problem.Timeout) && ctx.Err() == nil {
		err = nil
	}
	if err != nil || o.Going() || found.Index >= len(params.Selectors) || found.Counts == nil {
		found.Index = -1
	}
	return found, err
}

// take makes of an element what stands in the place of the broken locator: the best way to find it that the dialect has
// words for, and that the page says fits nothing else.
func (h *healer) take(
	ctx context.Context, b *candidate, u testfile.Use, found command.LocateResult, confidence float64, strategy, because string,
) (bool, error) {
	o, err := drive.Do(ctx, h.env.Drive, h.env.Call, command.Locators, h.tab, command.LocatorsParams{Search: command.Search{Ref: found.Ref}})
	if p := problem.From(err); p != nil && p.Code == "stale_ref" || err == nil && o.Going() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, selector := range o.Result.Selectors {
		text, ok := u.Write(selector)
		if !ok || memory.Masked(selector) {
			continue
		}
		at, err := h.count(ctx, selector, u.Within, u.Frame)
		if err != nil {
			return false, err
		}
		if at.count != 1 {
			continue
		}
		b.New, b.selector, b.Confidence, b.Strategy, b.Because = text, selector, confidence, strategy, because
		b.Element = fmt.Sprintf("%s %q", o.Result.Role, o.Result.Name)
		return true, nil
	}
	return false, nil
}

// similar looks for an element that is called nearly as the one that was meant.
func (h *healer) similar(ctx context.Context, b *candidate, u testfile.Use, k known) error {
	if k.name == "" {
		return nil
	}
	if h.env.Call.Left() < similarLeft {
		if !h.hasty {
			h.hasty = true
			h.warnings = append(h.warnings, "the time was too short to look for what is called alike; raise timeout_ms, or name fewer tests")
		}
		return nil
	}
	type near struct {
		ref, words string
		score      float64
	}
	var all []near
	for _, role := range rolesOf(k, u) {
		found, err := h.locate(ctx, command.LocateParams{Selectors: []string{fmt.Sprintf("role=%s[name=%q]", role, k.name)}, Agree: true, Role: role, Name: k.name})
		if err != nil {
			return err
		}
		if found.Index >= 0 && found.Ref != "" {
			all = append(all, near{found.Ref, fmt.Sprintf("%s %q", role, k.name), 1})
			continue
		}
		for _, line := range found.Near {
			m := nearLine().FindStringSubmatch(line)
			if m == nil || slices.ContainsFunc(all, func(n near) bool { return n.ref == m[1] }) {
				continue
			}
			var name string
			if json.Unmarshal([]byte(m[3]), &name) != nil {
				continue
			}
			all = append(all, near{m[1], m[2] + " " + m[3], likeness(k.name, name)})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return -int(math.Copysign(1, a.score-b.score)) })
	for _, n := range all[:min(len(all), 3)] {
		if n.score > 0 {
			b.Near = append(b.Near, n.words)
		}
	}
	if len(all) == 0 || all[0].score < alike || len(all) > 1 && all[0].score-all[1].score < apart {
		return nil
	}
	done, err := h.take(ctx, b, u, command.LocateResult{Ref: all[0].ref}, math.Round(100*(0.4+0.4*all[0].score))/100, "similar",
		fmt.Sprintf("it is called nearly as %q", k.name))
	if done {
		b.Near = nil
	}
	return err
}

// nearLine is a line of [command.LocateResult.Near] about an element that can be seen.
var nearLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(e\d+) (\S+) ("(?:[^"\\]|\\.)*")(?: in frame .*)?$`)
})

// meant tells role and name of what a locator means, as far as it says so itself.
func meant(u testfile.Use) (k known) {
	kind, value, found := strings.Cut(u.Selector, "=")
	value = strings.Trim(value, `"`)
	switch {
	case kind == "role" && found:
		k.role, value, _ = strings.Cut(value, "[name=")
		k.name = strings.Trim(value, `"]`)
	case kind == "text", kind == "label", kind == "placeholder":
		k.name = value
	case kind == "testid":
		k.name = words(value[strings.LastIndexByte(value, '=')+1:])
	default:
		ids := cssNames().FindAllStringSubmatch(u.Selector, -1)
		if len(ids) > 0 {
			k.name = words(strings.Join(ids[len(ids)-1][1:], ""))
		}
	}
	return k
}

// cssNames are the ids, classes and values of attributes of a selector.
var cssNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[#.]([\w-]+)|="([^"]+)"|='([^']+)'`) })

// rolesOf are the roles that an element of a locator may have.
func rolesOf(k known, u testfile.Use) []string {
	switch {
	case k.role != "" && !strings.ContainsAny(k.role, " []"):
		return []string{k.role}
	case strings.HasPrefix(u.Selector, "label="), strings.HasPrefix(u.Selector, "placeholder="):
		return []string{"textbox", "combobox", "checkbox", "searchbox", "spinbutton"}
	}
	switch u.Act {
	case "fill", "type", "pressSequentially", "press_sequentially", "clear":
		return []string{"textbox", "searchbox", "spinbutton", "combobox"}
	case "check", "uncheck", "setChecked", "set_checked":
		return []string{"checkbox", "radio", "switch"}
	case "selectOption", "select_option", "select":
		return []string{"combobox", "listbox"}
	}
	if u.Act == "" {
		return []string{"heading", "button", "link"}
	}
	return []string{"button", "link", "tab", "menuitem"}
}

// words makes words of a name in a program: submit-order, submitOrder.
func words(name string) string {
	var b strings.Builder
	var last rune
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte(' ')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		last = r
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// likeness is how much two names have in common, 0 to 1: words that both have, of all that one has.
func likeness(a, b string) float64 {
	x, y := strings.Fields(strings.ToLower(words(a))), strings.Fields(strings.ToLower(words(b)))
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	both := 0
	left := slices.Clone(y)
	for _, w := range x {
		if i := slices.Index(left, w); i >= 0 {
			both++
			left = slices.Delete(left, i, i+1)
		}
	}
	return float64(2*both) / float64(len(x)+len(y))
}

// plain is a locator in the form in which two are compared.
func plain(selector string) string {
	s := strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(strings.Join(strings.Fields(selector), " "))
	for _, attribute := range []string{"data-testid", "data-test-id", "data-test", "data-cy", "data-qa"} {
		if rest, ok := strings.CutPrefix(s, "["+attribute+"="); ok && strings.HasSuffix(rest, "]") {
			return "testid=" + strings.TrimSuffix(rest, "]")
		}
		s = strings.Replace(s, "testid="+attribute+"=", "testid=", 1)
	}
	if rest, ok := strings.CutPrefix(s, "[id="); ok && strings.HasSuffix(rest, "]") {
		return "#" + strings.TrimSuffix(rest, "]")
	}
	return s
}
