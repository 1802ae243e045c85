package interact

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
)

// after says what follows an act, within its deadline and in its answer.
type after struct {
	WaitForStable      bool   `json:"wait_for_stable,omitempty" doc:"afterwards wait until nothing changes"`
	StabilityMS        int    `json:"stability_ms,omitempty" min:"50" max:"30000" doc:"for how long nothing must change; default 500"`
	AutoDismiss        bool   `json:"auto_dismiss,omitempty" doc:"and take cookie banners away"`
	IncludeScreenshot  bool   `json:"include_screenshot,omitempty" doc:"and show a picture"`
	IncludeInteractive bool   `json:"include_interactive,omitempty" doc:"and list the elements"`
	ActionDiff         bool   `json:"action_diff,omitempty" doc:"and what it changed in the page, as data"`
	ObserveMutations   bool   `json:"observe_mutations,omitempty" doc:"and the single changes of the page"`
	Evidence           string `json:"evidence,omitempty" enum:"off,on_mutation,always" doc:"pictures from before and after; default off"`
	Receipt            string `json:"receipt,omitempty" enum:"off,brief,full" doc:"how much of what it led to is told; default brief"`

	// Subtitle comes before the act, so that the user reads what is about to be done.
	Subtitle string `json:"subtitle,omitempty" length:"500" doc:"narration on the page"`

	content bool
	waitFor string // selector of what is waited for before all else
	article bool
}

// stepTime is what each step after the waiting is left of the deadline.
const stepTime = 1500 * time.Millisecond

// act does an act and then what is to follow it. What follows and fails costs the act nothing: it is told beside it.
func act[P, R any](
	ctx context.Context, env Env, kind command.Kind[P, R], tab int, a after, params P, text func(R) []string,
) (*followed[R], error) {
	if a.Evidence == "off" {
		a.Evidence = ""
	}
	subtitle := a.Subtitle
	a.Subtitle = "" // it does not follow the act
	if env.Call.Detached && a != (after{}) {
		return nil, problem.New(
			problem.InvalidParam,
			"Leave out background, or what is to follow the act.",
			"what follows an act is part of its answer, and background does not wait for it.",
		)
	}
	env.receipt, a.Receipt = a.Receipt, ""
	began := time.Now()
	var from event.Seq // of what is stored from now on
	if a.content {
		sum, err := env.Reader.Sum(ctx, measured, &query.Filter{}, 0, false)
		if err != nil {
			return nil, err
		}
		from = sum.Next
	}
	var before *answer.Image
	if a.Evidence != "" {
		before = evidence(ctx, env, tab)
	}
	var silent error
	if subtitle != "" {
		_, silent = drive.Do(ctx, env.Drive, env.Call, command.Subtitle, tab, command.SubtitleParams{Text: subtitle})
	}
	done, err := do(ctx, env, kind, tab, params, text)
	if err != nil {
		return nil, err
	}
	changed := mutated(receiptOf(&done.Result))
	if at := receiptIn(&done.Result); at != nil && env.receipt == "off" {
		*at = nil
	}
	out := &followed[R]{result: done}
	if p := problem.From(silent); p != nil {
		out.Failed = []string{fmt.Sprintf("subtitle: %s: %s", p.Code, p.Message)}
	}
	if a == (after{}) {
		return out, nil
	}
	if done.Going() {
		out.Failed = append(out.Failed, "what was to follow, since the act goes on after the deadline")
		return out, nil
	}
	at, url := done.where()
	s := steps{env: env, tab: at, out: &out.aftermath}
	s.left = count(
		a.AutoDismiss, a.IncludeScreenshot || a.Evidence != "", a.IncludeInteractive, a.content, a.article, a.ActionDiff || a.ObserveMutations,
	)
	if a.waitFor != "" {
		out.Waited = step(ctx, &s, command.WaitFor, command.WaitParams{Search: command.Search{Selector: a.waitFor}})
	}
	if a.WaitForStable || a.StabilityMS > 0 {
		out.Stable = step(ctx, &s, command.WaitForStable, command.StableParams{StabilityMS: a.StabilityMS})
	}
	if a.AutoDismiss {
		out.Dismissed = s.dismiss(ctx)
	}
	if a.content {
		if text := step(ctx, &s, command.GetText, command.TextParams{}); text != nil {
			out.TextContent = text.Value
		}
		filter := query.Filter{Session: done.Target.Browser.Session, Tab: at, Arrived: began}
		var gone string
		if out.Vitals, gone = vitals(ctx, env, filter, url, from); gone != "" {
			out.Failed = append(out.Failed, "vitals: "+gone)
		}
	}
	if a.article {
		out.Readable = step(ctx, &s, command.Readable, command.ReadParams{})
	}
	if a.IncludeInteractive {
		out.Interactive = step(ctx, &s, command.ListInteractive, command.ListParams{Limit: listLimit})
	}
	if a.ActionDiff || a.ObserveMutations {
		out.Diff = step(ctx, &s, command.ActionDiff, command.DiffParams{Mutations: a.ObserveMutations})
	}
	if a.Evidence == "always" || a.Evidence == "on_mutation" && changed {
		if before == nil {
			out.Failed = append(out.Failed, "evidence: there is no picture from before the act")
		} else {
			out.images, out.Before = append(out.images, *before), true
		}
		a.IncludeScreenshot = true
	}
	if a.IncludeScreenshot {
		s.picture(ctx)
	}
	return out, nil
}

// evidence makes a picture of the tab as it is before an act; nil where none can be made.
func evidence(ctx context.Context, env Env, tab int) *answer.Image {
	o, err := drive.Do(ctx, env.Drive, env.Call, command.Screenshot, tab, command.ScreenshotParams{Format: "png"})
	if err != nil || o.Going() {
		return nil
	}
	image, err := drive.Picture(o.Result)
	if err != nil {
		return nil
	}
	return &image
}

// mutated says whether an act changed what a picture could show.
func mutated(r *command.Receipt) bool {
	return r != nil && (len(r.Changes) > 0 || r.To != "")
}

// picture makes a picture of the tab.
func (s *steps) picture(ctx context.Context) {
	shot := step(ctx, s, command.Screenshot, command.ScreenshotParams{Format: "png"})
	if shot == nil {
		return
	}
	image, err := drive.Picture(*shot)
	if err != nil {
		s.failed("screenshot", err)
		return
	}
	s.out.Screenshot = &picture{shot.Format, shot.Width, shot.Height, len(image.Data), shot.Redacted}
	s.out.images = append(s.out.images, image)
}

func count(given ...bool) (n int) {
	for _, g := range given {
		if g {
			n++
		}
	}
	return n
}

// steps are the commands that follow an act, on their way.
type steps struct {
	env  Env
	tab  int
	left int // steps that come after the wait for rest
	out  *aftermath
	why  *problem.Problem // of the first one that failed
}

// step sends one command and returns what it gave, nil when it gave nothing in time.
func step[P, R any](ctx context.Context, s *steps, kind command.Kind[P, R], params P) *R {
	call := s.env.Call
	left := call.Left()
	// What waits for a page that never rests leaves the others their time.
	waits := kind.Name == command.WaitForStable.Name || kind.Name == command.WaitFor.Name
	if most := left - time.Duration(s.left)*stepTime; waits {
		left = max(most, left/2)
		call.Deadline = time.Now().Add(left)
	}
	if left < 100*time.Millisecond {
		s.failed(kind.Name, problem.New(problem.Timeout, "Raise timeout_ms.", "no time was left for it."))
		return nil
	}
	o, err := drive.Do(ctx, s.env.Drive, call, kind, s.tab, params)
	if err == nil && o.Going() {
		err = problem.New(problem.Timeout, "Raise timeout_ms.", "it did not end in time.")
	}
	if err != nil {
		s.failed(kind.Name, err)
		return nil
	}
	s.tab = o.Target.Tab.ID // the same for what comes next, whatever tab the user goes to
	return &o.Result
}

// dismiss takes cookie banners and the like away. That there is none is fine.
func (s *steps) dismiss(ctx context.Context) *command.ActResult {
	before, why := len(s.out.Failed), s.why
	gone := step(ctx, s, command.DismissBanners, command.BannersParams{})
	if gone == nil && len(s.out.Failed) > before && strings.Contains(s.out.Failed[before], ": no_overlays: ") {
		s.out.Failed, s.why = s.out.Failed[:before], why
	}
	return gone
}

func (s *steps) failed(kind string, err error) {
	if p := problem.From(err); p != nil {
		if s.why == nil {
			s.why = p
		}
		s.out.Failed = append(
			s.out.Failed,
			fmt.Sprintf(
				"%s: %s: %s",
				kind,
				p.Code,
				strings.TrimSpace(strings.TrimPrefix(p.Message, kind+": ")+" "+p.Fix),
			),
		)
	}
}

// aftermath is what followed an act.
type aftermath struct {
	Waited      *command.WaitResult     `json:"wait_for,omitempty"`
	Stable      *command.StableResult   `json:"wait_for_stable,omitempty"`
	Dismissed   *command.ActResult      `json:"auto_dismiss,omitempty"`
	Readable    *command.ReadableResult `json:"readable,omitempty"`
	TextContent string                  `json:"text_content,omitempty"`
	Vitals      map[string]vital        `json:"vitals,omitempty"` // so far, by name
	Interactive *command.ListResult     `json:"interactive,omitempty"`
	Diff        *command.PageDiff       `json:"action_diff,omitempty"`
	Screenshot  *picture                `json:"screenshot,omitempty"`
	Before      bool                    `json:"picture_before,omitempty"` // the first image is from before the act
	Failed      []string                `json:"not_done,omitempty"`       // what was to follow and did not, and why

	images []answer.Image // with evidence the one from before the act first
}

func (a *aftermath) empty() bool {
	return a.Waited == nil && a.Dismissed == nil && a.Readable == nil && a.Stable == nil && a.TextContent == "" && a.Vitals == nil && a.Interactive == nil && a.Screenshot == nil &&
		a.Diff == nil && a.Failed == nil
}

// picture describes the image beside an answer.
type picture struct {
	Format string `json:"format"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Bytes  int    `json:"bytes"`
	Masked int    `json:"redacted,omitempty"` // inputs with secrets, and frames not allowed, that are black
}

type vital struct {
	Value  float64 `json:"value"`
	Rating string  `json:"rating"`
}

var measured = []event.Kind{event.KindPerformance}

// vitals returns what a page that was gone to has measured already; nil when nothing came yet. gone says what was
// evicted before it could be read, of what came with the number from or a higher one.
func vitals(
	ctx context.Context, env Env, filter query.Filter, url string, from event.Seq,
) (found map[string]vital, gone string) {
	// The page before tells its last values as it is left, and they are final.
	list, cover, err := query.Read(ctx, env.Reader, filter, query.Page{Limit: 1}, func(s *event.Performance) bool {
		return s.Head.Frame == 0 && s.URL == url && !s.LCP.Final
	})
	switch {
	case err != nil:
		return nil, "the call ended before they were read"
	case len(list.Items) == 0 && cover.Evicted > 0: // ever; of this page only what came since the act counts
		lost, err := env.Reader.Sum(ctx, measured, &filter, from, false)
		if err != nil || lost.Evicted == 0 {
			return nil, ""
		}
		return nil, fmt.Sprintf("up to %d measurements of the page were evicted to make room", lost.Evicted)
	case len(list.Items) == 0:
		return nil, ""
	}
	s := list.Items[0]
	out := map[string]vital{}
	for name, v := range map[string]event.Vital{"lcp": s.LCP, "cls": s.CLS, "inp": s.INP, "fcp": s.FCP, "ttfb": s.TTFB} {
		if v.Rating != "" {
			out[name] = vital{v.Value, v.Rating}
		}
	}
	return out, ""
}

// followed is an act with what followed it.
type followed[R any] struct {
	*result[R]
	aftermath
}

// Images gives the picture.
func (f *followed[R]) Images() []answer.Image {
	return f.images
}

// Text writes the act, then what followed it, for a reader.
func (f *followed[R]) Text(w *answer.Writer) {
	for _, s := range f.Failed {
		w.Note("not done: %s", s)
	}
	f.write(w, f.heads(), f.lines())
}

// stable says whether a page came to rest.
func stable(r command.StableResult) string {
	if r.Stable {
		return fmt.Sprintf("stable after %.0f ms, %d changes", r.WaitedMS, r.MutationsObserved)
	}
	return fmt.Sprintf("not stable: still changing after %.0f ms, %d changes", r.WaitedMS, r.MutationsObserved)
}

func (a *aftermath) heads() (out []string) {
	if a.Waited != nil {
		out = append(out, fmt.Sprintf("what was waited for came after %.0f ms", a.Waited.WaitedMS))
	}
	if a.Stable != nil {
		out = append(out, stable(*a.Stable))
	}
	if p := a.Screenshot; p != nil {
		line := fmt.Sprintf("screenshot: %d×%d %s", p.Width, p.Height, p.Format)
		if a.Before {
			line += ", after one from before the act"
		}
		out = append(out, line)
	}
	return out
}

func (a *aftermath) lines() (out []string) {
	var shown []string
	for _, name := range []string{"lcp", "cls", "inp", "fcp", "ttfb"} {
		if v, ok := a.Vitals[name]; ok {
			shown = append(
				shown,
				fmt.Sprintf("%s %.4g %s", strings.ToUpper(name), v.Value, answer.Clean(v.Rating)),
			)
		}
	}
	if len(shown) > 0 {
		out = append(out, "vitals so far: "+strings.Join(shown, ", "))
	}
	if a.Dismissed != nil {
		for _, line := range acted(*a.Dismissed) {
			out = append(out, "taken away: "+line)
		}
	}
	if a.Diff != nil {
		out = append(out, diffLines(a.Diff)...)
	}
	if a.Interactive != nil {
		out = append(out, listed(*a.Interactive)...)
	}
	if r := a.Readable; r != nil {
		out = append(out, articleHead(r.Title, r.Byline, r.WordCount, r.Article, r.Frames)...)
		out = append(append(out, texts(r.Content, nil)...), cut(r.TrueSize)...)
	}
	if a.TextContent != "" {
		out = append(out, readText(command.TextResult{Value: a.TextContent})...)
	}
	return out
}

// MarshalJSON gives the act's fields with those of what followed.
func (f *followed[R]) MarshalJSON() ([]byte, error) {
	if f.empty() {
		return f.marshal(nil)
	}
	return f.marshal(&f.aftermath)
}

// Len returns how many lines of text and elements can be left out.
func (f *followed[R]) Len() int {
	n := strings.Count(f.TextContent, "\n")
	if f.Readable != nil {
		n += strings.Count(f.Readable.Content, "\n")
	}
	if f.Interactive != nil {
		n += len(f.Interactive.Elements)
	}
	return n
}

// Keep keeps n of the elements and lines of text, elements first.
func (f *followed[R]) Keep(n int) {
	if f.Interactive != nil {
		kept := min(n, len(f.Interactive.Elements))
		f.Interactive.Elements = f.Interactive.Elements[:kept]
		n -= kept
	}
	texts := []*string{&f.TextContent}
	if f.Readable != nil {
		texts = append(texts, &f.Readable.Content)
	}
	for _, text := range texts {
		lines := strings.SplitAfterN(*text, "\n", n+2)
		if len(lines) > n+1 {
			*text = strings.TrimSuffix(strings.Join(lines[:n+1], ""), "\n")
		}
		n = max(0, n-len(lines)+1)
	}
}
