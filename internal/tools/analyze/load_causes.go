package analyze

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// causes says why the values of a visit are what they are. Times are milliseconds; handles are of the waterfall.
type causes struct {
	ID       string         `json:"id"` // of the visit
	LCP      *lcpCause      `json:"lcp,omitempty"`
	INP      *inpCause      `json:"inp,omitempty"`
	CLS      *clsCause      `json:"cls,omitempty"`
	NoINP    string         `json:"no_inp,omitempty"` // why there is none
	Blocking []loadedEntry  `json:"render_blocking,omitempty"`
	Slow     []loadedEntry  `json:"slow,omitempty"`
	Uncached []loadedEntry  `json:"cache_misses,omitempty"` // came over the network, and had been loaded before
	Counts   map[string]int `json:"counts,omitempty"`       // of the three, where not all are listed
	Unknown  []string       `json:"unknown,omitempty"`
}

type lcpCause struct {
	Target      string  `json:"target,omitempty"`
	URL         string  `json:"url,omitempty"`
	ID          string  `json:"id,omitempty"` // of what was loaded
	TTFB        float64 `json:"ttfb_ms"`
	LoadDelay   float64 `json:"load_delay_ms"`
	Load        float64 `json:"load_ms"`
	RenderDelay float64 `json:"render_delay_ms"`
	Most        string  `json:"largest_part,omitempty"` // ttfb, load_delay, load, render_delay; "" where the parts are not told
}

type inpCause struct {
	Target       string  `json:"target,omitempty"`
	Type         string  `json:"type,omitempty"`
	Action       string  `json:"action,omitempty"` // handle
	Input        float64 `json:"input_delay_ms"`
	Processing   float64 `json:"processing_ms"`
	Presentation float64 `json:"presentation_ms"`
	Most         string  `json:"largest_part,omitempty"` // input_delay, processing, presentation
	Script       string  `json:"script,omitempty"`       // of the longest frame meanwhile
	ScriptMS     float64 `json:"frame_ms,omitempty"`
}

type clsCause struct {
	Target string  `json:"target,omitempty"` // of the largest shift
	Value  float64 `json:"value"`
	At     float64 `json:"at_ms"`
	State  string  `json:"load_state,omitempty"`
}

type loadedEntry struct {
	ID       string  `json:"id"`
	Type     string  `json:"type"`
	URL      string  `json:"url"`
	Start    float64 `json:"start_ms"`
	Duration float64 `json:"duration_ms"`
	Most     string  `json:"largest_phase,omitempty"` // queued, dns, connect, tls, wait, receive; "" not told
	Bytes    int64   `json:"bytes"`
}

const (
	slowAt    = 500 // ms from which a request is slow
	mostCause = 3   // of each kind that are listed
	lookedFor = 5000
	// reported is how long an interaction takes at least that browsers measure.
	reported = "40 ms"
)

// statics are what a page loads again and again: what a cache should give.
var statics = []string{"script", "link", "css", "img", "image", "font", "video", "audio"}

// causes finds out why a visit's values are so.
func (env Env) causes(ctx context.Context, s *event.Performance) (*causes, error) {
	out := &causes{ID: query.Handle(event.KindPerformance, s.Seq), Counts: map[string]int{}}
	f := query.Filter{Session: s.Session, Tab: s.Tab}
	resources, cover, err := query.Read[event.ResourceTiming](ctx, env.Reader, f, query.Page{Limit: lookedFor, Look: lookedFor}, nil)
	if err != nil {
		return nil, err
	}
	own := resources.Items[:0:0]
	before := map[string]bool{}
	for _, r := range resources.Items {
		switch {
		case r.Document == s.Document:
			own = append(own, r)
		case r.Time.Before(s.Time):
			before[r.URL] = true
		}
	}
	if !cover.Exhausted || cover.Evicted > 0 {
		out.Unknown = append(out.Unknown, "what was loaded before the newest that are kept")
	}
	f.Document = s.Document
	acts, _, err := query.Read(ctx, env.Reader, f, query.Page{Limit: lookedFor, Look: lookedFor}, func(a *event.Action) bool {
		return slices.Contains([]string{"click", "dblclick", "keypress", "input", "select", "check"}, a.Type) && a.By != "script"
	})
	if err != nil {
		return nil, err
	}
	out.LCP = lcpOf(s, own)
	out.INP = inpOf(s, acts.Items)
	out.CLS = clsOf(s)
	if s.INP.Rating == "" {
		switch n := len(acts.Items); {
		case n == 0:
			out.NoINP = "none: nobody has interacted yet"
		default:
			out.NoINP = fmt.Sprintf("fast: %d interactions, each below the threshold of %s", n, reported)
		}
	}
	if s.Soft {
		return out, nil // what it loaded cannot be told from what the document did
	}
	for i := range own {
		r := &own[i]
		if r.RenderBlocking {
			out.Blocking = append(out.Blocking, newLoadedEntry(r))
		}
		if r.Duration >= slowAt {
			out.Slow = append(out.Slow, newLoadedEntry(r))
		}
		if slices.Contains(statics, r.InitiatorType) && before[r.URL] && !r.FromCache && r.EncodedSize > 0 && r.TransferSize >= r.EncodedSize {
			out.Uncached = append(out.Uncached, newLoadedEntry(r))
		}
	}
	for name, list := range map[string]*[]loadedEntry{"render_blocking": &out.Blocking, "slow": &out.Slow, "cache_misses": &out.Uncached} {
		slices.SortStableFunc(*list, func(a, b loadedEntry) int { return cmp.Compare(b.Duration, a.Duration) })
		if n := len(*list); n > mostCause {
			out.Counts[name] = n
			*list = (*list)[:mostCause]
		}
	}
	return out, nil
}

// told reads an attribution: numbers and texts.
func told(v event.Vital) (numbers map[string]float64, texts map[string]string) {
	numbers, texts = map[string]float64{}, map[string]string{}
	var fields map[string]any
	if json.Unmarshal([]byte(v.Attribution), &fields) != nil {
		return numbers, texts
	}
	for name, value := range fields {
		switch x := value.(type) {
		case float64:
			numbers[name] = x
		case string:
			texts[name] = x
		}
	}
	return numbers, texts
}

// part is one part of a time.
type part struct {
	name string
	ms   float64
}

// largest names the largest part; "" where there are none.
func largest(parts ...part) string {
	best := slices.MaxFunc(parts, func(a, b part) int { return cmp.Compare(a.ms, b.ms) })
	if best.ms <= 0 {
		return ""
	}
	return best.name
}

func lcpOf(s *event.Performance, own []event.ResourceTiming) *lcpCause {
	if s.LCP.Rating == "" {
		return nil
	}
	n, t := told(s.LCP)
	out := &lcpCause{
		Target: t["target"], URL: t["url"], TTFB: n["timeToFirstByte"], LoadDelay: n["resourceLoadDelay"], Load: n["resourceLoadDuration"],
		RenderDelay: n["elementRenderDelay"],
	}
	if _, whole := n["elementRenderDelay"]; whole { // else a script without attribution told it
		out.Most = largest(part{"ttfb", out.TTFB}, part{"load_delay", out.LoadDelay}, part{"load", out.Load}, part{"render_delay", out.RenderDelay})
	}
	for i := range own {
		if out.URL != "" && own[i].URL == out.URL {
			out.ID = query.Handle(event.KindResource, own[i].Seq)
		}
	}
	return out
}

func inpOf(s *event.Performance, acts []event.Action) *inpCause {
	if s.INP.Rating == "" {
		return nil
	}
	n, t := told(s.INP)
	out := &inpCause{
		Target: t["interactionTarget"], Type: t["interactionType"], Input: n["inputDelay"], Processing: n["processingDuration"],
		Presentation: n["presentationDelay"],
	}
	out.Most = largest(part{"input_delay", out.Input}, part{"processing", out.Processing}, part{"presentation", out.Presentation})
	at, ok := n["interactionTime"]
	if !ok {
		return out
	}
	end := at + s.INP.Value
	for _, l := range s.LongTasks {
		if l.Start < end && l.Start+l.Duration > at && l.Duration > out.ScriptMS {
			out.Script, out.ScriptMS = l.Script, l.Duration
		}
	}
	// Its event came to the page between the input and the next picture.
	for i := range acts {
		if a := &acts[i]; out.Action == "" && a.Mono >= at-1 && a.Mono <= end {
			out.Action = query.Handle(event.KindAction, a.Seq)
		}
	}
	return out
}

func clsOf(s *event.Performance) *clsCause {
	n, t := told(s.CLS)
	out := &clsCause{Target: cmp.Or(t["largestShiftTarget"], t["target"]), Value: n["largestShiftValue"], At: n["largestShiftTime"], State: t["loadState"]}
	if *out == (clsCause{State: out.State}) {
		return nil // nothing shifted
	}
	return out
}

func newLoadedEntry(r *event.ResourceTiming) loadedEntry {
	out := loadedEntry{
		ID: query.Handle(event.KindResource, r.Seq), Type: r.InitiatorType, URL: r.URL, Start: r.Start, Duration: r.Duration, Bytes: r.TransferSize,
	}
	if r.Wait+r.Receive > 0 {
		queued := r.Duration - r.DNS - r.Connect - r.Wait - r.Receive
		out.Most = largest(part{"queued", queued}, part{"dns", r.DNS}, part{"connect", r.Connect}, part{"wait", r.Wait}, part{"receive", r.Receive})
	}
	return out
}

// hints say what makes a part of LCP large.
var hints = map[string]string{
	"ttfb": "the server or redirects", "load_delay": "it was found late: not in the HTML, lazy, or behind other loads",
	"load": "it is large, or the network slow", "render_delay": "it was there and not shown: scripts, styles or fonts before it",
}

// of says why a vital is as it is.
func (c *causes) of(name, page string) string {
	var out strings.Builder
	switch {
	case name == "lcp" && c.LCP != nil:
		l := c.LCP
		words := strings.TrimSpace(answer.Cut(answer.Clean(l.Target), 80) + " " + answer.Local(l.URL, page, 80))
		out.WriteString(cmp.Or(words, "of an element that is not told"))
		if l.ID != "" {
			out.WriteString(" (" + l.ID + ")")
		}
		if l.Most == "" {
			out.WriteString("; the parts of its time are not told")
			break
		}
		fmt.Fprintf(&out, ": first byte %.0f + load delay %.0f + load %.0f + render delay %.0f ms; most is %s (%s)", l.TTFB, l.LoadDelay, l.Load,
			l.RenderDelay, strings.ReplaceAll(l.Most, "_", " "), hints[l.Most])
	case name == "inp" && c.INP != nil:
		i := c.INP
		out.WriteString(strings.TrimSpace(answer.Cut(answer.Clean(i.Type), 20) + " on " + cmp.Or(answer.Cut(answer.Clean(i.Target), 80), "an element that is not told")))
		if i.Action != "" {
			out.WriteString(" (" + i.Action + ")")
		}
		if i.Most != "" {
			fmt.Fprintf(&out, ": input delay %.0f + processing %.0f + presentation %.0f ms", i.Input, i.Processing, i.Presentation)
		}
		if i.ScriptMS > 0 {
			fmt.Fprintf(&out, "; a frame of %.0f ms ran %s", i.ScriptMS, cmp.Or(answer.Local(i.Script, page, 80), "no script that is told"))
		}
	case name == "cls" && c.CLS != nil:
		if c.CLS.Value > 0 {
			fmt.Fprintf(&out, "largest %.3f at %.0f ms, ", c.CLS.Value, c.CLS.At)
		}
		out.WriteString(cmp.Or(answer.Cut(answer.Clean(c.CLS.Target), 80), "of an element that is not told"))
	}
	return out.String()
}

// lines tell what was loaded.
func (c *causes) lines(page string) (out []string) {
	for _, l := range []struct {
		name, words string
		list        []loadedEntry
	}{
		{"render_blocking", "blocked rendering", c.Blocking}, {"slow", "slow", c.Slow},
		{"cache_misses", "loaded again over the network", c.Uncached},
	} {
		if len(l.list) == 0 {
			continue
		}
		var words []string
		for _, e := range l.list {
			text := fmt.Sprintf("%s %s %s +%.0f %.0f ms", e.ID, answer.Clean(e.Type), answer.Local(e.URL, page, 60), e.Start, e.Duration)
			if l.name == "slow" && e.Most != "" {
				text += " (most " + e.Most + ")"
			}
			if l.name == "cache_misses" {
				text += " " + answer.Bytes(e.Bytes)
			}
			words = append(words, text)
		}
		head := l.words
		if n := c.Counts[l.name]; n > 0 {
			head += fmt.Sprintf(" (%d, the slowest)", n)
		}
		out = append(out, head+": "+strings.Join(words, "; "))
	}
	if len(c.Unknown) > 0 {
		out = append(out, "not known: "+strings.Join(c.Unknown, ", "))
	}
	return out
}
