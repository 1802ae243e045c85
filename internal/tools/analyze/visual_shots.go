package analyze

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"regexp"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
)

const (
	settleFor = 5 * time.Second        // that the page, its pictures and its fonts may take to load
	lookAgain = 250 * time.Millisecond // meanwhile
	mostShots = 6                      // while the viewport changes, as by the debugger's bar that comes
	mostMoves = 0.5                    // share of a picture that may change by itself
)

// apart are the times between the pictures of a page. A clock of seconds goes on meanwhile, and what blinks is seldom the
// same in all of them.
var apart = []time.Duration{450 * time.Millisecond, 700 * time.Millisecond}

var visualKind = command.Question[visualParams, visualSeen]("visual")

// visualParams ask how the documents are shown.
type visualParams struct {
	command.Part
	Boxes []float64 `json:"boxes,omitempty" length:"1000" doc:"x, y, width, height of each, in CSS pixels of the viewport: which element is there"`
}

// visualSeen is how a document is shown.
type visualSeen struct {
	Document float64         `json:"document"` // when it began, epoch ms: another one began at another time
	ScrollX  float64         `json:"scroll_x"`
	ScrollY  float64         `json:"scroll_y"`
	Scheme   string          `json:"scheme"` // light, dark
	Browser  string          `json:"browser"`
	Loading  int             `json:"loading"` // pictures that a user would see
	Loads    []visualElement `json:"loading_elements"`
	Fonts    bool            `json:"fonts_load,omitempty"`
	Page     bool            `json:"page_loads,omitempty"`
	Lazy     int             `json:"lazy,omitempty"` // pictures that load once they are scrolled to
	Under    []visualElement `json:"under"`          // of each box
}

// visualElement is an element that a part of a picture is of.
type visualElement struct {
	Ref      string `json:"ref,omitempty"`
	Tag      string `json:"tag"`
	Role     string `json:"role,omitempty"`
	Name     string `json:"name,omitempty"`
	Selector string `json:"selector,omitempty"`
}

// words are as `e12 button "Pay" #pay`.
func (e *visualElement) words() string {
	var out []string
	if e.Ref != "" {
		out = append(out, answer.Clean(e.Ref))
	}
	if e.Role != "" {
		out = append(out, answer.Clean(e.Role))
	} else {
		out = append(out, "<"+answer.Clean(e.Tag)+">")
	}
	if e.Name != "" {
		out = append(out, fmt.Sprintf("%q", answer.Cut(answer.Clean(e.Name), 60)))
	}
	if e.Selector != "" {
		out = append(out, answer.Cut(answer.Clean(e.Selector), 100))
	}
	return strings.Join(out, " ")
}

// wanted is what a picture is to be of.
type wanted struct {
	tab      int
	selector string
	ref      string
	full     bool
	masks    []string
}

// shots are some pictures of a page, of which the last is kept.
type shots struct {
	wanted
	data          []byte
	width, height int
	url, title    string
	route         string
	cut           string
	redacted      int
	fit           []int // elements of each mask
	view          command.PictureView
	seen          visualSeen // of the page's own document, before the pictures
	dynamic       []changePart
	unseen        []string // frames that were not asked
}

// leftPage refuses pictures of two pages.
func leftPage() error {
	return problem.New("page_left", `Wait until the page rests, as with interact {"action":"wait_for_stable"}, then repeat this call.`,
		"the page was left, loaded anew or led elsewhere while its picture was taken.")
}

// look asks the documents how they are shown.
func (env Env) look(ctx context.Context, tab int, p visualParams) (drive.Outcome[command.Inspected[visualSeen]], error) {
	o, err := drive.Do(ctx, env.Drive, env.Call, visualKind, tab, p)
	switch {
	case err != nil:
		return o, err
	case o.Going():
		return o, late()
	case len(o.Result.Documents) == 0 || o.Result.Documents[0].Frame != nil:
		return o, problem.New(problem.Internal, "Reload the extension; its version may not fit the daemon's.", "the page did not say how it is shown.")
	}
	return o, nil
}

func late() error {
	return problem.New(problem.Timeout, "Raise timeout_ms; a hidden tab or a busy page takes longer.", "the pictures were not taken in time.")
}

// picture takes the pictures of the page.
func (env Env) picture(ctx context.Context, want wanted) (*shots, error) {
	if env.Call.Detached {
		return nil, problem.New(problem.InvalidParam, "Leave out background.", "%s needs the pictures, and background does not wait for them.", env.Call.Mode)
	}
	out := &shots{wanted: want}
	if err := env.settle(ctx, out); err != nil {
		return nil, err
	}
	if err := env.keepSelectors(ctx, &out.wanted); err != nil {
		return nil, err
	}
	var taken []*drive.Screenshot
	for n := 1; ; n++ {
		env.progress(fmt.Sprintf("taking picture %d", n))
		now, err := env.shot(ctx, out.wanted)
		if err != nil {
			return nil, err
		}
		if len(taken) > 0 && now.URL != taken[0].URL {
			return nil, leftPage()
		}
		if len(taken) > 0 && viewport(now) != viewport(taken[0]) {
			taken = nil
		}
		taken = append(taken, now)
		if len(taken) > len(apart) {
			// The browser may show what was before in the first picture, if it had not yet drawn what just changed. What
			// changes by itself is then another one in the next picture, too.
			if !early(taken) || n == mostShots {
				return out, out.keep(ctx, taken)
			}
			taken = taken[1:]
		}
		if n == mostShots {
			return nil, problem.New(problem.Conflict, "Wait until the window rests, then repeat this call.", "the viewport changed while the pictures were taken.")
		}
		if err := wait(ctx, apart[len(taken)-1]); err != nil {
			return nil, err
		}
	}
}

// early says that the first picture alone is another one.
func early(taken []*drive.Screenshot) bool {
	data := func(i int) []byte { return taken[i].Images()[0].Data }
	for i := 2; i < len(taken); i++ {
		if !bytes.Equal(data(1), data(i)) {
			return false
		}
	}
	return !bytes.Equal(data(0), data(1))
}

// settle waits until nothing loads any more, and notes what does all the same.
func (env Env) settle(ctx context.Context, out *shots) error {
	for until := time.Now().Add(settleFor); ; {
		o, err := env.look(ctx, out.tab, visualParams{})
		if err != nil {
			return err
		}
		out.tab = o.Target.Tab.ID // another one may come to be the one in use
		out.seen, out.unseen = o.Result.Documents[0].Answer, drive.Uncovered(o.Result.Coverage)
		for _, d := range o.Result.Documents[1:] {
			out.seen.Loading += d.Answer.Loading
			out.seen.Fonts = out.seen.Fonts || d.Answer.Fonts
		}
		if out.seen.Loading == 0 && !out.seen.Fonts && !out.seen.Page || time.Now().After(until) {
			return nil
		}
		env.progress("waiting for what loads")
		if err := wait(ctx, lookAgain); err != nil {
			return err
		}
	}
}

// viewport is what two pictures of a page have to share.
func viewport(s *drive.Screenshot) [3]float64 {
	return [3]float64{s.View.Width, s.View.Height, s.View.Ratio}
}

func (env Env) progress(words string) {
	if env.Call.Progress != nil {
		env.Call.Progress(words)
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return problem.New(problem.Cancelled, "", "the call was cancelled.")
	}
}

var isRef = regexp.MustCompile(`^e\d{1,12}$`)

// keepSelectors puts selectors in the place of refs: a baseline outlives the document that its refs are of.
func (env Env) keepSelectors(ctx context.Context, want *wanted) error {
	if want.ref != "" {
		selector, err := env.selectorOf(ctx, want.tab, want.ref)
		if err != nil {
			return err
		}
		want.selector, want.ref = selector, ""
	}
	masks := make([]string, 0, len(want.masks))
	for _, m := range want.masks {
		if isRef.MatchString(m) {
			selector, err := env.selectorOf(ctx, want.tab, m)
			if err != nil {
				return err
			}
			m = selector
		}
		masks = append(masks, m)
	}
	want.masks = masks
	return nil
}

func (env Env) selectorOf(ctx context.Context, tab int, ref string) (string, error) {
	o, err := drive.Do(ctx, env.Drive, env.Call, command.Locators, tab, command.LocatorsParams{Search: command.Search{Ref: ref}})
	if err != nil {
		return "", err
	}
	if o.Going() {
		return "", late()
	}
	if len(o.Result.Selectors) == 0 {
		return "", problem.New(problem.NotFound, "Give a selector instead.", "no selector finds %s and nothing else.", ref)
	}
	return o.Result.Selectors[0], nil
}

func (env Env) shot(ctx context.Context, want wanted) (*drive.Screenshot, error) {
	now, err := drive.Shoot(ctx, env.Drive, env.Call, drive.ScreenshotParams{Tab: want.tab, ScreenshotParams: command.ScreenshotParams{
		Format: "png", Selector: want.selector, FullPage: want.full, Masks: want.masks,
	}})
	const smaller = "Name a part of the page by selector, or leave out full_page."
	switch {
	case problem.From(err) != nil && problem.From(err).Code == problem.TooLarge:
		return nil, problem.New(problem.TooLarge, smaller, "the picture is too large to be sent.")
	case err != nil:
		return nil, err
	case !now.Final:
		return nil, late()
	case now.View == nil:
		return nil, problem.New(problem.Internal, "Reload the extension; its version may not fit the daemon's.", "the browser did not say how the picture was taken.")
	case now.Cut == "height":
		return nil, problem.New(problem.TooLarge, smaller, "the page has more than 40 megapixels.")
	}
	return now, nil
}

// keep takes the last of some pictures, and finds what changed by itself while they were taken.
func (s *shots) keep(ctx context.Context, taken []*drive.Screenshot) error {
	last := taken[len(taken)-1]
	s.url, s.title, s.route, s.cut, s.redacted, s.fit = last.URL, last.Title, last.Route, last.Cut, last.Masked, last.Fit
	s.view, s.data = *last.View, last.Images()[0].Data
	config, err := png.DecodeConfig(bytes.NewReader(s.data))
	if err != nil {
		return fmt.Errorf("the browser's picture: %w", err)
	}
	s.width, s.height = config.Width, config.Height
	var others [][]byte
	for _, t := range taken[:len(taken)-1] {
		if data := t.Images()[0].Data; !bytes.Equal(data, s.data) {
			others = append(others, data)
		}
	}
	if len(others) == 0 {
		return nil
	}
	free, err := compareAlone(ctx)
	if err != nil {
		return err
	}
	defer free()
	pictures := make([]*image.NRGBA, 0, len(taken))
	for _, data := range append([][]byte{s.data}, others...) {
		p, err := analysis.ReadPicture(data)
		if err != nil {
			return fmt.Errorf("the browser's picture: %w", err)
		}
		pictures = append(pictures, p)
	}
	const fix = `Wait until the page rests, as with interact {"action":"wait_for_stable"}, or mask what moves by masks, then repeat this call.`
	parts, same := analysis.Unequal(pictures[0], pictures[1:]...)
	if !same {
		return problem.New(problem.Conflict, fix, "the picture changes its size by itself, to %d×%d.", s.width, s.height)
	}
	s.dynamic = partsOf(parts)
	boxes := make([]image.Rectangle, 0, len(s.dynamic))
	for _, d := range s.dynamic {
		boxes = append(boxes, d.rect())
	}
	if share := float64(analysis.Area(pictures[0].Rect, boxes)) / float64(s.width*s.height); share > mostMoves || parts.More > 0 {
		return problem.New(problem.Conflict, fix, "the page changes all the time: of pictures that are a second apart %s differ, in %s.",
			percent(share*100), plural(len(parts.Most)+parts.More, "part"))
	}
	return nil
}

// name finds the elements that parts are of, and that the page is still the one of the picture.
func (env Env) name(ctx context.Context, s *shots, parts []changePart) error {
	boxes := make([]float64, 0, 4*len(parts))
	for _, p := range parts {
		r := s.view.Ratio
		boxes = append(boxes, s.view.X+float64(p.X)/r, s.view.Y+float64(p.Y)/r, float64(p.Width)/r, float64(p.Height)/r)
	}
	o, err := env.look(ctx, s.tab, visualParams{Part: command.Part{Frame: "main"}, Boxes: boxes})
	if err != nil {
		return err
	}
	now := o.Result.Documents[0].Answer
	if now.Document != s.seen.Document || o.Result.URL != s.url {
		return leftPage()
	}
	// For an element that is not in view the page is scrolled.
	if s.selector == "" && (now.ScrollX != s.seen.ScrollX || now.ScrollY != s.seen.ScrollY) {
		return problem.New(problem.Conflict, "Repeat this call when nobody scrolls.", "the page was scrolled while its picture was taken.")
	}
	for i := range min(len(parts), len(now.Under)) {
		parts[i].Element = &now.Under[i]
	}
	return nil
}

// notes say what the pictures may lack.
func (s *shots) notes() []string {
	var out []string
	if s.seen.Loading > 0 {
		line := fmt.Sprintf("not stable: %s still loading after %.0f s", plural(s.seen.Loading, "picture"), settleFor.Seconds())
		for i := range s.seen.Loads {
			line += ", " + s.seen.Loads[i].words()
		}
		out = append(out, line)
	}
	if s.seen.Fonts {
		out = append(out, "not stable: fonts were still loading")
	}
	if s.seen.Page {
		out = append(out, "not stable: the page was still loading")
	}
	if s.full && s.seen.Lazy > 0 {
		out = append(out, plural(s.seen.Lazy, "lazy picture")+" not loaded: scroll the page to its end before, so that they are in it")
	}
	for i, n := range s.fit {
		if n == 0 && i < len(s.masks) {
			out = append(out, "nothing fits the mask "+answer.Cut(answer.Clean(s.masks[i]), 100))
		}
	}
	if s.redacted > 0 {
		out = append(out, fmt.Sprintf("inputs with secrets, or frames not allowed, that are black: %d", s.redacted))
	}
	if s.cut == "frame" {
		out = append(out, "the element goes on beyond what its frame shows")
	}
	if s.route == "debugger" {
		out = append(out, "taken through the debugger, for which the browser shows a bar")
	}
	return append(out, s.unseen...)
}
