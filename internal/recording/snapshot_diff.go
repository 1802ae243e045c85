package recording

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/event"
)

// More verdicts, of snapshots.
const (
	slower   = "slower"                 // pages are, and nothing else is worse
	notTried = "not_tried"              // nothing of the first was done again
	Others   = "different_applications" // nothing was compared
)

// SnapshotDiff is how a later snapshot differs from an earlier one. Only what happened after the earlier one is the later
// one's. What is not there any more is resolved or missing only where what led to it was done again.
type SnapshotDiff struct {
	Errors      ErrorsDiff      `json:"errors"`
	Network     NetworkDiff     `json:"network"`
	Performance PerformanceDiff `json:"performance"`
	Verdict     string          `json:"-"`
	Notes       []string        `json:"-"`
}

// ErrorsDiff compares errors.
type ErrorsDiff struct {
	New       []ErrorChange `json:"new"`
	Resolved  []ErrorChange `json:"resolved"`
	Unchanged []ErrorChange `json:"unchanged"`
	NotTried  []ErrorChange `json:"not_tried"`     // not seen this time, and not known to be gone
	Passed    []ErrorChange `json:"came_and_went"` // it came after the first, and is gone again
}

// ErrorChange is equal errors.
type ErrorChange struct {
	Message string `json:"message"`
	Count   int    `json:"count"` // in the snapshot that has it, the later one where both have
	Why     string `json:"why,omitempty"`
}

// NetworkDiff compares requests.
type NetworkDiff struct {
	New       []RequestChange `json:"new_errors"` // they fail now and did not
	Resolved  []RequestChange `json:"resolved"`   // they failed, and were asked again without failing
	Failing   []RequestChange `json:"unchanged_errors"`
	Statuses  []RequestChange `json:"status_changes"`
	Endpoints []RequestChange `json:"new_endpoints"`
	Missing   []RequestChange `json:"missing_endpoints"` // not asked, though the page that did was visited again
	NotTried  []RequestChange `json:"not_tried"`
}

// RequestChange is the requests of one method to one address.
type RequestChange struct {
	Method   string  `json:"method"`
	URL      string  `json:"url"`
	Before   string  `json:"before,omitempty"`          // status
	After    string  `json:"after,omitempty"`           // status
	Duration float64 `json:"duration_change,omitempty"` // ms, of the medians
	Why      string  `json:"why,omitempty"`
}

// PerformanceDiff compares the newest loads of the pages that both have: sums over pages.
type PerformanceDiff struct {
	Pages    int     `json:"pages"`
	LoadTime *Figure `json:"load_time,omitempty"`     // ms
	Requests *Figure `json:"request_count,omitempty"` // of a load
	Bytes    *Figure `json:"transfer_size,omitempty"`
}

// Figure is a number before and after. It is a regression from half as much again, and by no less than what is noise.
type Figure struct {
	Before     float64 `json:"before"`
	After      float64 `json:"after"`
	Change     float64 `json:"change"` // after − before
	Regression bool    `json:"regression"`
}

// The least differences that are no noise.
const (
	leastMS       = 100
	leastRequests = 3
	leastBytes    = 50_000
	patience      = 10 * time.Second // that an error may want after what led to it
)

// Regressions counts the figures that are worse.
func (p PerformanceDiff) Regressions() (n int) {
	for _, f := range []*Figure{p.LoadTime, p.Requests, p.Bytes} {
		if f != nil && f.Regression {
			n++
		}
	}
	return n
}

// Words prints a figure before and after, each as of says.
func (f *Figure) Words(of func(float64) string) string {
	out := of(f.Before) + " → " + of(f.After)
	if f.Regression {
		out += " (worse)"
	}
	return out
}

// newer is a later snapshot seen from an earlier one.
type newer struct {
	a, b  *Snapshot
	since event.Seq        // of b, what has this number or a higher one came after a
	whole bool             // nothing of that was evicted
	pages map[string]Place // visited since
	acts  map[string]Place
	calls map[string]Called // asked since
}

// Since returns the number from which on the events of b are of after s was captured.
func (s *Snapshot) Since(b *Snapshot) event.Seq {
	if s.Run != b.Run {
		return 0
	}
	return s.Through
}

// CompareSnapshots says how b differs from a, which has to be the earlier one where both are of one run of the daemon.
func CompareSnapshots(a, b *Snapshot) *SnapshotDiff {
	a, b = unslugged(a, b), unslugged(b, a)
	l := &newer{a: a, b: b, whole: !b.Over.Unread, pages: map[string]Place{}, acts: map[string]Place{}, calls: map[string]Called{}}
	l.since = a.Since(b)
	l.whole = l.whole && b.Whole <= l.since
	d := &SnapshotDiff{
		Errors: ErrorsDiff{New: []ErrorChange{}, Resolved: []ErrorChange{}, Unchanged: []ErrorChange{}, NotTried: []ErrorChange{},
			Passed: []ErrorChange{}},
		Network: NetworkDiff{
			New: []RequestChange{}, Resolved: []RequestChange{}, Failing: []RequestChange{}, Statuses: []RequestChange{},
			Endpoints: []RequestChange{}, Missing: []RequestChange{}, NotTried: []RequestChange{},
		},
	}
	was, is := a.Hosts(0), b.Hosts(l.since)
	if len(was) > 0 && len(is) > 0 && disjoint(was, is) {
		d.Verdict = Others
		return d
	}
	for _, p := range b.Pages {
		if p.Last >= l.since {
			l.pages[p.Key] = p
		}
	}
	for _, p := range b.Acts {
		if p.Last >= l.since {
			l.acts[p.Key] = p
		}
	}
	for _, c := range b.Requests {
		if c.Last >= l.since {
			l.calls[c.Key] = c
		}
	}
	l.errors(&d.Errors)
	l.network(&d.Network)
	d.Performance = l.performance()
	d.Notes = l.notes(d)
	d.Verdict = l.verdict(d)
	return d
}

func (l *newer) errors(d *ErrorsDiff) {
	had, has := map[string]bool{}, map[string]bool{}
	for _, t := range l.a.Errors {
		had[t.Key] = !t.Gone
	}
	for _, t := range l.b.Errors {
		if t.Last < l.since {
			continue
		}
		has[t.Key] = true
		c := ErrorChange{Message: t.Message, Count: t.Count}
		switch {
		case had[t.Key] && t.Gone && l.whole:
			d.Resolved = append(d.Resolved, c)
		case had[t.Key]:
			d.Unchanged = append(d.Unchanged, c)
		case t.Gone:
			d.Passed = append(d.Passed, c)
		default:
			d.New = append(d.New, c)
		}
	}
	for _, t := range l.a.Errors {
		if has[t.Key] || t.Gone {
			continue
		}
		c := ErrorChange{Message: t.Message, Count: t.Count, Why: l.untried(t)}
		if c.Why == "" {
			d.Resolved = append(d.Resolved, c)
		} else {
			d.NotTried = append(d.NotTried, c)
		}
	}
}

const (
	gone   = "not all events since the first are known: it may be among the others"
	hidden = "the noise rules are others than then: one may hide it"
	tooNew = "what led to it was done again a moment ago only: it may still come"
)

// untried says why it is not known that an error is gone; "" when what led to it was done again, long enough ago, and all
// that followed is known.
func (l *newer) untried(t Trouble) string {
	var done bool
	var last time.Time
	was := func(keys []string, places map[string]Place) {
		for _, k := range keys {
			if p, ok := places[k]; ok {
				done = true
				if last.IsZero() || p.Time.Before(last) {
					last = p.Time
				}
			}
		}
	}
	why := "its page was not visited again"
	switch {
	case len(t.Acts) > 0:
		why = "what was done before it was not done again: " + t.Acts[0]
		was(t.Acts, l.acts)
	case len(t.Pages) > 0:
		was(t.Pages, l.pages)
	case len(t.Calls) > 0:
		why = "its request was not made again"
		for _, k := range t.Calls {
			_, asked := l.calls[k]
			done = done || asked
		}
	default:
		why = "what leads to it is not known"
	}
	switch {
	case !done:
		return why
	case l.a.Noise != l.b.Noise:
		return hidden
	case !l.whole || l.b.Over.Errors > 0:
		return gone
	case !last.IsZero() && l.b.Captured.Sub(last) < min(t.After, patience):
		return tooNew
	}
	return ""
}

func (l *newer) network(d *NetworkDiff) {
	had := map[string]Called{}
	for _, c := range l.a.Requests {
		had[c.Key] = c
	}
	for _, c := range l.b.Requests {
		if c.Last < l.since {
			continue
		}
		before, known := had[c.Key]
		delete(had, c.Key)
		fails := c.fails() && c.LastFailed >= l.since
		r := RequestChange{Method: c.Method, URL: c.URL, Before: before.Status, After: c.Status}
		if was, is := before.took(0), c.took(l.since); len(was) > 0 && len(is) > 0 {
			r.Duration = analysis.SpreadOf(is).Median - analysis.SpreadOf(was).Median
		}
		if known && before.Status != c.Status {
			d.Statuses = append(d.Statuses, r)
		}
		bad := r
		if fails {
			bad.After = c.FailedAs
		}
		if before.fails() {
			bad.Before = before.FailedAs
		}
		switch {
		case fails && !before.fails():
			d.New = append(d.New, bad)
		case fails:
			d.Failing = append(d.Failing, bad)
		case before.fails() && l.whole:
			d.Resolved = append(d.Resolved, bad)
		case before.fails():
			bad.Why = gone
			d.NotTried = append(d.NotTried, bad)
		}
		if !known {
			d.Endpoints = append(d.Endpoints, r)
		}
	}
	for _, c := range l.a.Requests {
		if _, left := had[c.Key]; !left {
			continue
		}
		r := RequestChange{Method: c.Method, URL: c.URL, Before: c.Status}
		visited := slices.ContainsFunc(c.Pages, func(p string) bool { _, ok := l.pages[p]; return ok })
		switch {
		case !visited:
			r.Why = "its page was not visited again"
		case l.a.Noise != l.b.Noise:
			r.Why = hidden
		case !l.whole || l.b.Over.Requests > 0:
			r.Why = gone
		}
		if r.Why == "" && !c.fails() {
			d.Missing = append(d.Missing, r)
			continue
		}
		if r.Why == "" {
			r.Why = "it failed, and was not asked again"
		}
		d.NotTried = append(d.NotTried, r)
	}
}

func (l *newer) performance() (out PerformanceDiff) {
	var ms, requests, bytes Figure
	for _, after := range l.b.Loads {
		i := slices.IndexFunc(l.a.Loads, func(x Load) bool { return x.Page == after.Page })
		if i < 0 || after.Seq < l.since {
			continue
		}
		before := l.a.Loads[i]
		out.Pages++
		ms.add(before.MS, after.MS)
		requests.add(float64(before.Requests), float64(after.Requests))
		bytes.add(float64(before.Bytes), float64(after.Bytes))
	}
	if out.Pages == 0 {
		return out
	}
	for f, least := range map[*Figure]float64{&ms: leastMS, &requests: leastRequests, &bytes: leastBytes} {
		f.Change = f.After - f.Before
		f.Regression = f.After > 1.5*f.Before && f.Change >= least
	}
	out.LoadTime, out.Requests, out.Bytes = &ms, &requests, &bytes
	return out
}

func (f *Figure) add(before, after float64) {
	f.Before += before
	f.After += after
}

func (l *newer) notes(d *SnapshotDiff) (out []string) {
	if l.a.Over.Errors > 0 && len(d.Errors.New) > 0 {
		out = append(out, fmt.Sprintf("the first had no room for %d errors: what is called new may have been among them", l.a.Over.Errors))
	}
	if l.a.Over.Requests > 0 && len(d.Network.Endpoints) > 0 {
		out = append(out, fmt.Sprintf("the first had no room for %d requests: endpoints that are called new may have been among them",
			l.a.Over.Requests))
	}
	if l.a.Over.Unread && len(d.Errors.New)+len(d.Network.Endpoints) > 0 {
		out = append(out, "the first looked at the newest events only: what is called new may have been among the others")
	}
	if l.b.Over.Errors > 0 || l.b.Over.Requests > 0 {
		out = append(out, fmt.Sprintf("the later one had no room for %d errors and %d requests", l.b.Over.Errors, l.b.Over.Requests))
	}
	if l.a.Noise != l.b.Noise && len(d.Errors.New)+len(d.Network.New)+len(d.Network.Endpoints) > 0 {
		out = append(out, "the noise rules are others than then: what is called new may have been hidden before")
	}
	if !l.whole {
		out = append(out, "not all events since the first are known, since some were evicted or more came than are looked at: what is not seen is not known to be gone")
	}
	if was, is := l.a.origins(0), l.b.origins(l.since); len(was) > 0 && len(is) > 0 && disjoint(was, is) {
		out = append(out, fmt.Sprintf("the first is of %s, the later one of %s: ports do not count, so all this is wrong if these are two applications",
			strings.Join(was, ", "), strings.Join(is, ", ")))
	}
	if d.Performance.Pages > 0 {
		out = append(out, `times are of the newest load of each page, which tells little; analyze {"what":"performance"} compares many`)
	}
	return out
}

func disjoint(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func (l *newer) verdict(d *SnapshotDiff) string {
	n := d.Network
	switch {
	case len(d.Errors.New)+len(n.New) > 0:
		return Regression
	case len(l.pages)+len(l.acts)+len(l.calls) == 0 && len(d.Errors.Unchanged) == 0:
		return notTried
	case d.Performance.Regressions() > 0:
		return slower
	case len(d.Errors.Resolved)+len(n.Resolved) > 0:
		return Fixed
	case len(n.Statuses)+len(n.Endpoints)+len(n.Missing)+len(d.Errors.Passed) > 0:
		return Changed
	case len(d.Errors.NotTried) > 0 && len(d.Errors.Unchanged) == 0:
		return notTried
	}
	return Match
}

// unslugged returns a snapshot in which names that are values of a parameter in paths are left out, as both snapshots tell
// which are.
func unslugged(s, other *Snapshot) *Snapshot {
	paths := map[string][]string{} // by what is before the path
	cut := func(key string) (before, path string) {
		from := 0
		if i := strings.Index(key, "://"); i >= 0 {
			from = i + 3
		}
		if i := strings.IndexByte(key[from:], '/'); i >= 0 {
			return key[:from+i], key[from+i:]
		}
		return key, ""
	}
	add := func(key string) {
		if before, path := cut(key); path != "" && !slices.Contains(paths[before], path) {
			paths[before] = append(paths[before], path)
		}
	}
	for _, x := range []*Snapshot{s, other} {
		for _, c := range x.Requests {
			add(c.Key)
		}
		for _, p := range x.Pages {
			add(p.Key)
		}
	}
	folded := map[string]string{}
	for before, all := range paths {
		slices.Sort(all)
		for path, to := range analysis.FoldSlugs(all) {
			folded[before+path] = before + to
		}
	}
	key := func(k string) string { return cmp.Or(folded[k], k) }
	keys := func(list []string) (out []string) {
		for _, k := range list {
			out = append(out, key(k))
		}
		return out
	}
	out := *s
	out.Requests, out.Pages, out.Errors, out.Loads = nil, nil, slices.Clone(s.Errors), slices.Clone(s.Loads)
	for i := range out.Errors {
		out.Errors[i].Pages, out.Errors[i].Calls = keys(out.Errors[i].Pages), keys(out.Errors[i].Calls)
	}
	for i := range out.Loads {
		out.Loads[i].Page = key(out.Loads[i].Page)
	}
	at := map[string]int{}
	for _, c := range s.Requests { // the newest first
		c.Key, c.Pages = key(c.Key), keys(c.Pages)
		i, known := at[c.Key]
		if !known {
			at[c.Key] = len(out.Requests)
			out.Requests = append(out.Requests, c)
			continue
		}
		to := &out.Requests[i]
		to.Count += c.Count
		if to.Failed += c.Failed; c.LastFailed > to.LastFailed {
			to.LastFailed, to.FailedAs = c.LastFailed, c.FailedAs
		}
		to.Pages, to.Took = slices.Concat(to.Pages, c.Pages), slices.Concat(to.Took, c.Took)
	}
	seen := map[string]bool{}
	for _, p := range s.Pages {
		if p.Key = key(p.Key); !seen[p.Key] {
			seen[p.Key] = true
			out.Pages = append(out.Pages, p)
		}
	}
	return &out
}
