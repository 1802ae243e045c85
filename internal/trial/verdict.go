package trial

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/steps"
)

// The verdicts on an edit.
const (
	fixed       = "fixed"
	still       = "still"
	newBreakage = "new_breakage"
	CannotTell  = "cannot_tell"
)

const unopened = "the page could not be opened"

// maxEvidence is how many lines of one kind a verdict gives.
const maxEvidence = 8

// Evidence is whether something was seen, and by what.
type Evidence struct {
	Seen  bool     `json:"seen"`
	Lines []string `json:"evidence,omitempty"` // with words of pages in them
}

func (e *Evidence) add(format string, args ...any) {
	e.Seen = true
	if len(e.Lines) < maxEvidence {
		e.Lines = append(e.Lines, fmt.Sprintf(format, args...))
	}
}

// Verdict says whether an edit removed a failure.
type Verdict struct {
	Word    string   `json:"verdict"`
	Why     string   `json:"why"`
	Fix     string   `json:"fix,omitempty"`
	Runs    int      `json:"runs"`
	Failed  int      `json:"failed"` // runs in which the old failure came
	Code    Evidence `json:"new_code"`
	Reached Evidence `json:"reached"`
	New     []string `json:"new_problems,omitempty"` // of each run, with words of pages in them
	NotDone []string `json:"not_done,omitempty"`

	Sometimes []string `json:"new_in_some_runs,omitempty"` // as New, of some runs
}

// Judge says what runs of a case's steps mean, wanted of which were to be made. It says fixed only where new code ran, all
// steps were done, the point of the failure was reached, and the failure came in no run.
func (c *Case) Judge(trials []*Trial, wanted int) *Verdict {
	v := &Verdict{Runs: len(trials)}
	cut := len(trials) < wanted
	for _, t := range trials {
		switch {
		case t.Outcome == Failed:
			v.Failed++
		case t.Outcome == Cut:
			cut = true
		case t.Err != nil && !slices.Contains(v.NotDone, unopened):
			v.NotDone = append(v.NotDone, unopened)
		}
		for _, d := range t.Done {
			if line := fmt.Sprintf("step %d %s: %s", d.Index+1, d.Type, d.Error); d.Failed() && !slices.Contains(v.NotDone, line) {
				v.NotDone = append(v.NotDone, line)
			}
		}
	}
	sure, now := c.newProblems(trials)
	v.New, v.Sometimes = sure, now[:min(len(now), maxEvidence)]
	v.Code, v.Reached = c.codeOf(trials), c.reachedIn(trials)
	tell := func(word, fix, why string, args ...any) *Verdict {
		v.Word, v.Fix, v.Why = word, fix, fmt.Sprintf(why, args...)
		return v
	}
	n := len(trials)
	switch {
	case n == 0 || cut && v.Failed < n:
		return tell(CannotTell, "Repeat the call with a larger max_seconds, or fewer runs.",
			"the time was over after %d of %d runs", n, wanted)
	case len(sure) > 0 && v.Failed == 0:
		return tell(newBreakage, "Look at what is new with observe errors and observe network_bodies.",
			"the failure did not come, but in each of %d runs something else failed that had not before", n)
	case len(sure) > 0 && v.Failed == n:
		return tell(newBreakage, "Look at what is new with observe errors and observe network_bodies.",
			"the failure came in each of %d runs, and something else failed that had not before", n)
	case v.Failed == n && !v.Code.Seen:
		return tell(still, "If the edit should run by now: is it saved, built and served?",
			"the failure came in each of %d runs; that new code ran was not seen", n)
	case v.Failed == n:
		return tell(still, "", "the failure came in each of %d runs, with new code", n)
	case v.Failed > 0:
		return tell(still, "It depends on something else than the steps: find that first; runs:10 tells how often it comes.",
			"the failure came in %d of %d runs", v.Failed, n)
	case len(now) > 0:
		return tell(CannotTell, "Repeat the call with more runs.", "something failed in some of %d runs only that had not before", n)
	case len(v.NotDone) > 0:
		return tell(CannotTell, "Look at the page with observe screenshot; if the edit changed what the steps need, bring about the failure's way anew.",
			"not all steps could be done")
	case c.doubtful:
		return tell(CannotTell, "Bring the failure about once more, by interact or by hand, then repeat this call.",
			"the failure did not come in %d runs, and it did not in each of those before the edit either", n)
	case c.recovered(trials) != "":
		return tell(CannotTell, "Undo the edit, call, redo it, call: then it is known that the failure came each time before.",
			"the failure did not come in %d runs, but a request that failed then is answered well now though the page sends the same: "+
				"the server may have recovered by itself", n)
	case !v.Code.Seen:
		return tell(CannotTell, c.codeFix(),
			"the failure did not come in %d runs, but that other code ran than then was not seen", n)
	case !v.Reached.Seen:
		return tell(CannotTell, "Do the last step and look whether what it is for happens: observe screenshot, observe network_bodies.",
			"the failure did not come in %d runs, but that its point was reached was not seen: it may only be hushed, or its step do nothing", n)
	}
	return tell(fixed, "", "new code ran, all %d steps were done, the point of the failure was reached, and it came in 0 of %d runs", len(c.Steps), n)
}

func (c *Case) codeFix() string {
	if c.reproduced {
		return "Is the edit saved, built and served? A service worker or a cache may serve the code of before: reload, then repeat the call."
	}
	return "Is the edit saved, built and served? An edit that leaves sizes and addresses as they were is seen only where this call was made " +
		"before the edit, too: undo it, call, redo it, call."
}

// newProblems are what failed in each run and had never before, and what did in some.
func (c *Case) newProblems(trials []*Trial) (sure, now []string) {
	counts, words := map[string]int{}, map[string]string{}
	for _, t := range trials {
		for _, list := range []map[string]string{t.Seen.errors, t.Seen.failed} {
			for key, said := range list {
				if !c.known[key] && !c.Failure.says(said) && key != c.Failure.key() {
					counts[key]++
					words[key] = said
				}
			}
		}
	}
	for _, text := range c.newTexts(trials) {
		if wrong().MatchString(text) {
			sure = append(sure, fmt.Sprintf("the page shows %q", text))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		if counts[key] == len(trials) {
			sure = append(sure, words[key])
		} else {
			now = append(now, words[key])
		}
	}
	return sure[:min(len(sure), maxEvidence)], now
}

// newTexts are what the page shows in each run and did not in the one that failed, as far as both are known.
func (c *Case) newTexts(trials []*Trial) []string {
	if c.run.lines != nil && inAll(trials, func(s *Seen) bool { return s.lines != nil }) {
		return common(trials, c.run.lines, func(s *Seen) map[string]bool { return s.lines })
	}
	if c.run.cut {
		return nil
	}
	return common(trials, c.run.texts, func(s *Seen) map[string]string { return s.texts })
}

// hashed is the part of a file's name that a build makes of its content.
var hashed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[-._][A-Za-z0-9_-]{6,64}(\.[A-Za-z0-9.]+)$`) })

// builtKey is the same for the files that builds make of one.
func builtKey(address string) string { return hashed().ReplaceAllString(address, "-*$1") }

// codeOf tells by what the code of the runs is another than that of the run that failed. What differs between the runs
// themselves says nothing.
func (c *Case) codeOf(trials []*Trial) (out Evidence) {
	if len(trials) == 0 {
		return out
	}
	// What the daemon fetched is what the last run had, if that had what those before it had.
	everywhere := func(address string) (file, bool) {
		f, ok := trials[0].Seen.code[address]
		for _, t := range trials[1:] {
			other, too := t.Seen.code[address]
			if !too || other.url != f.url {
				return f, false
			}
			if other.size != f.size {
				f.size = 0 // it is another one each time
			}
			if other.hash != f.hash {
				f.hash = ""
			}
			if other.tag != f.tag {
				f.tag = ""
			}
		}
		return f, ok
	}
	for _, address := range slices.Sorted(maps.Keys(c.run.code)) {
		before := c.run.code[address]
		f, all := everywhere(address)
		switch name := pathOf(address); {
		case !all:
			if next := c.successor(address, trials[0], everywhere); next != "" {
				out.add("%s in place of %s", pathOf(next), name)
			}
		case f.hash != "" && before.hash != "":
			if f.hash != before.hash {
				out.add("%s has another content", name)
			}
		case f.url != before.url && !f.document:
			out.add("%s was asked for as %s, before as %s", name, queryOf(f.url), queryOf(before.url))
		case f.size > 0 && before.size > 0 && f.size != before.size:
			out.add("%s has %d bytes, before %d", name, f.size, before.size)
		case f.tag != "" && before.tag != "" && f.tag != before.tag && !f.document:
			out.add("%s has the tag %s, before %s", name, f.tag, before.tag)
		}
	}
	for _, address := range c.loadedInstead(trials) {
		out.add("%s is loaded now", pathOf(address))
	}
	c.servers(trials, &out)
	return out
}

// loadedInstead is the code that each run loaded and the one that failed did not, where code that did not load is the failure.
func (c *Case) loadedInstead(trials []*Trial) (out []string) {
	missing := c.Failure.loads()
	if missing == "" {
		return nil
	}
	missing = steps.PageOf(missing)
	for _, address := range slices.Sorted(maps.Keys(trials[0].Seen.code)) {
		_, had := c.run.code[address]
		if had && address != missing || trials[0].Seen.code[address].document {
			continue
		}
		if inAll(trials, func(s *Seen) bool { f, ok := s.code[address]; return ok && !f.missing }) {
			out = append(out, address)
		}
	}
	return out
}

func queryOf(address string) string {
	if rest := strings.TrimPrefix(address, steps.PageOf(address)); rest != "" {
		return rest
	}
	return "without a query"
}

// successor is the file that a build made in place of one that is not loaded any more; "" there is none.
func (c *Case) successor(address string, t *Trial, everywhere func(string) (file, bool)) string {
	if _, still := t.Seen.code[address]; still || builtKey(address) == address {
		return ""
	}
	for _, other := range slices.Sorted(maps.Keys(t.Seen.code)) {
		if _, had := c.run.code[other]; had || builtKey(other) != builtKey(address) {
			continue
		}
		if _, all := everywhere(other); all {
			return other
		}
	}
	return ""
}

// servers tells which requests that failed then were answered well in each run. That the server's code is another one is
// seen by its answers only, and a server may also recover by itself: only where it was tried before the edit how often the
// failure comes, its answers say something.
func (c *Case) servers(trials []*Trial, out *Evidence) {
	if !c.reproduced {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(c.run.failed)) {
		request := requestOf(key)
		if inAll(trials, func(s *Seen) bool { return s.answered[request] && s.failed[key] == "" }) {
			out.add("%s then, and is answered well now", c.run.failed[key])
		}
	}
}

// requestOf is the key of the request of which a failed one's key is.
func requestOf(failed string) string {
	request := failed[:strings.LastIndexByte(failed, ' ')]
	return strings.TrimSuffix(request, " no") // of "no answer"
}

// recovered is a request that failed then and, sent again as it was, is answered well in each run; "" there is none, or it
// was tried before the edit.
func (c *Case) recovered(trials []*Trial) string {
	if c.reproduced {
		return ""
	}
	for _, key := range slices.Sorted(maps.Keys(c.run.failed)) {
		request := requestOf(key)
		sent, asked := c.run.asked[request]
		if asked && inAll(trials, func(s *Seen) bool { return s.answered[request] && s.asked[request] == sent }) {
			return c.run.failed[key]
		}
	}
	return ""
}

func inAll(trials []*Trial, is func(*Seen) bool) bool {
	return len(trials) > 0 && !slices.ContainsFunc(trials, func(t *Trial) bool { return !is(t.Seen) })
}

// common are the keys that each run has and the one that failed had not.
func common[V any](trials []*Trial, before map[string]V, of func(*Seen) map[string]V) (out []string) {
	if len(trials) == 0 {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(of(trials[0].Seen))) {
		if _, had := before[key]; !had && inAll(trials, func(s *Seen) bool { _, has := of(s)[key]; return has }) {
			out = append(out, key)
		}
	}
	return out
}

// reachedIn tells by what it is seen that the runs came to the point of the failure and beyond it.
//
// A request that failed has to be answered well, or another one of its method in its place. An error has to have kept
// something from happening that happens now: an error that is only hushed leaves everything else as it was. What its steps
// asked for has to be asked for again, and the script that it came from be loaded.
func (c *Case) reachedIn(trials []*Trial) (out Evidence) {
	beyond := Evidence{}
	again := ""
	for _, key := range common(trials, c.run.answered, func(s *Seen) map[string]bool { return s.answered }) {
		// What was asked for then, too, is the point itself and not what comes behind it.
		if _, then := c.run.asked[key]; then {
			again = key
		} else {
			beyond.add("%s is answered well", key)
		}
	}
	// Another document that comes may be what the steps are for, or where an edit leads away from the point. Only a request
	// that is answered tells them apart.
	if !beyond.Seen && again == "" && len(common(trials, c.run.opened, func(s *Seen) map[string]bool { return s.opened })) > 0 {
		return out
	}
	for _, address := range c.loadedInstead(trials) {
		beyond.add("%s is loaded", pathOf(address))
	}
	if c.Failure.loads() != "" && !beyond.Seen {
		return out
	}
	for _, key := range common(trials, c.run.pages, func(s *Seen) map[string]string { return s.pages }) {
		beyond.add("the page %s comes", trials[0].Seen.pages[key])
	}
	for _, text := range c.newTexts(trials) {
		// That it says it cannot do it is not that it does it.
		if !sorry().MatchString(text) {
			beyond.add("the page shows %q", text)
		}
	}
	if c.Failure.Request() {
		key := requestKey(c.Failure.Method, c.Failure.URL)
		switch again := inAll(trials, func(s *Seen) bool { return s.answered[key] || s.loaded(c.Failure.URL) }); {
		case again && (beyond.Seen || len(c.run.texts) == 0):
			out.add("%s is answered well", key)
			out.Lines = append(out.Lines, beyond.Lines...)
		case !again && slices.ContainsFunc(beyond.Lines, func(l string) bool {
			return strings.HasPrefix(l, c.Failure.Method+" ") && strings.HasSuffix(l, " is answered well")
		}):
			return beyond
		}
		return out
	}
	for key := range c.run.asked {
		if !inAll(trials, func(s *Seen) bool { _, now := s.asked[key]; return now }) && !slices.ContainsFunc(beyond.Lines, func(l string) bool {
			return strings.HasSuffix(l, " is answered well")
		}) {
			return out
		}
	}
	if c.script != "" && !inAll(trials, func(s *Seen) bool { return s.loaded(c.script) }) {
		return out
	}
	if !beyond.Seen && again != "" && len(c.run.texts) == 0 {
		beyond.add("%s is answered well", again)
	}
	return beyond
}

// loaded reports whether a file was loaded, or what a build made in its place.
func (s *Seen) loaded(address string) bool {
	at := steps.PageOf(address)
	if _, ok := s.code[at]; ok {
		return true
	}
	for other := range s.code {
		if builtKey(other) == builtKey(at) {
			return true
		}
	}
	return false
}

// Files are the addresses of what the page of the case is made of, as the runs had it, of its own origin.
func (t *Trial) Files(origin string, most int) (out []string) {
	for _, f := range t.Seen.code {
		if strings.HasPrefix(f.url, origin+"/") && len(out) < most {
			out = append(out, f.url)
		}
	}
	slices.Sort(out)
	return out
}

// Hashed notes the hash of what a file of the trial is now; "" unknown.
func (t *Trial) Hashed(address, hash string) {
	key := steps.PageOf(address)
	if f, ok := t.Seen.code[key]; ok && f.url == address {
		f.hash = hash
		t.Seen.code[key] = f
	}
}
