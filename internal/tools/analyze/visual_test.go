package analyze_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	stddraw "image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
)

// looker is a browser whose pages are pictures.
type looker struct {
	*testkit.Daemon
	ext  *testkit.Extension
	bind *catalog.Bound
	t    *testing.T
	args []string // that the screenshots were asked with
}

// pictured runs a test in a bubble with a browser.
func pictured(t *testing.T, test func(t *testing.T, l *looker)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		browser, err := os.ReadFile("testdata/browser.json")
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Sync(browser); err != nil {
			t.Fatal(err)
		}
		l := &looker{Daemon: h, t: t, ext: &testkit.Extension{Session: "s1", Answers: map[string]testkit.Scripted{}}}
		l.bind = catalog.Bind(analyze.Tool, func(c catalog.Call) analyze.Env {
			c.Root = h.Project
			return analyze.Env{View: h.View(c), Drive: h.Driver(), Dir: h.Dir}
		}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- l.ext.Serve(ctx, h) }()
		synctest.Wait()
		l.shows(plain())
		l.is(seen{})
		test(t, l)
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

func (l *looker) ask(args string) string {
	l.t.Helper()
	var runner calls.Runner
	a, p := runner.Run(l.t.Context(), l.bind, catalog.Call{Client: "agent", Name: "agent"}, json.RawMessage(args), answer.Options{Fence: "f3"})
	synctest.Wait()
	for _, c := range l.ext.Received() {
		if c.Kind == "screenshot" {
			l.args = append(l.args, string(c.Params))
		}
	}
	if p != nil {
		return p.Text()
	}
	return a.Text
}

// says checks that an answer holds words, and not those that begin with a !.
func (l *looker) says(args string, words ...string) string {
	l.t.Helper()
	text := l.ask(args)
	for _, w := range words {
		if no, ok := strings.CutPrefix(w, "!"); strings.Contains(text, strings.TrimPrefix(w, "!")) == ok {
			l.t.Errorf("%s: %q is missing, or there: %v\n%s", args, no, ok, text)
		}
	}
	return text
}

// page is what a browser's picture is of.
type page struct {
	*image.NRGBA
	url, route, cut string
	w, h, ratio     float64
	x, y            float64
	fit             []int
}

func plain() page {
	p := image.NewNRGBA(image.Rect(0, 0, 100, 60))
	stddraw.Draw(p, p.Rect, image.White, image.Point{}, stddraw.Src)
	return page{NRGBA: p, url: "http://localhost:3000/checkout?a=1", route: "visible", w: 100, h: 60, ratio: 1}
}

func (p page) with(r image.Rectangle, c color.Color) page {
	out := image.NewNRGBA(p.Rect)
	copy(out.Pix, p.Pix)
	stddraw.Draw(out, r, image.NewUniform(c), image.Point{}, stddraw.Src)
	p.NRGBA = out
	return p
}

var (
	redPixel = color.NRGBA{255, 0, 0, 255}
	offWhite = color.NRGBA{251, 251, 251, 255}
	bluish   = color.NRGBA{0, 0, 255, 255}
)

func encoded(t *testing.T, p image.Image) []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// shows has the browser give these pictures, the last one from then on.
func (l *looker) shows(pages ...page) {
	var all []testkit.Scripted
	for _, p := range pages {
		result, err := json.Marshal(command.ScreenshotResult{
			Format: "png", Data: base64.StdEncoding.EncodeToString(encoded(l.t, p.NRGBA)), Width: p.Rect.Dx(), Height: p.Rect.Dy(), URL: p.url,
			Title: "Shop", Route: p.route, Cut: p.cut, Masked: p.fit, View: &command.PictureView{Width: p.w, Height: p.h, Ratio: p.ratio, X: p.x, Y: p.y},
		})
		if err != nil {
			l.t.Fatal(err)
		}
		all = append(all, testkit.Scripted{Result: result})
	}
	l.ext.Answers["screenshot"] = queued(all)
}

func queued(all []testkit.Scripted) testkit.Scripted {
	first := all[0]
	first.Then = all[1:]
	return first
}

// seen is what the page says of itself.
type seen struct {
	url, more string
	under     string
	document  int
	scroll    int
	scheme    string
}

// is has the page answer so, the last from then on.
func (l *looker) is(all ...seen) {
	var out []testkit.Scripted
	for _, s := range all {
		if s.url == "" {
			s.url = "http://localhost:3000/checkout?a=1"
		}
		if s.under == "" {
			s.under = `{"ref":"e7","tag":"button","role":"button","name":"Pay","selector":"#pay"},{"ref":"e8","tag":"div"}`
		}
		if s.scheme == "" {
			s.scheme = "light"
		}
		out = append(out, testkit.Scripted{Result: fmt.Appendf(nil, `{"url":%q,"title":"Shop","documents":[{"answer":{"document":%d,"scroll_x":0,"scroll_y":%d,`+
			`"scheme":%q,"browser":"Chrome/140.0","under":[%s]%s}}]}`, s.url, s.document, s.scroll, s.scheme, s.under, s.more)})
	}
	l.ext.Answers["visual"] = queued(out)
}

// pictures are the files of the gallery, by name.
func (l *looker) pictures() map[string]os.FileInfo {
	out := map[string]os.FileInfo{}
	files, err := filepath.Glob(filepath.Join(l.Dir.Path("projects"), "*", "visual", "*"))
	if err != nil {
		l.t.Fatal(err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			l.t.Fatal(err)
		}
		out[filepath.Base(f)] = info
	}
	return out
}

func TestAPageIsComparedWithItsBaseline(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		begun := time.Now()
		l.says(`{"what":"visual_baseline","name":"home"}`, "visual_baseline: home saved, 100×60 pixels, viewport 100×60, tab 12", `"baseline":"home"`,
			`http://localhost:3000/checkout?a=1 "Shop"`, "!by itself", "!not stable", "!dark", "!pixels each")
		if waited := time.Since(begun); waited < time.Second {
			t.Errorf("the pictures after %v: a clock did not go on meanwhile", waited)
		}
		files := l.pictures()
		if len(files) != 2 || files["home.json"] == nil {
			t.Errorf("%v", files)
		}
		for name, f := range files {
			if f.Mode().Perm() != 0o600 {
				t.Errorf("%s has %v", name, f.Mode())
			}
		}
		l.says(`{"what":"visual_diff","baseline":"home"}`, "visual_diff: PASS, 0 % of pixels changed (0 of 6000, at most 0 % may), 0 parts, tab 12", "!difference",
			"!not counted", "!left out", "!px: ")
		changed := plain().with(image.Rect(10, 10, 30, 20), redPixel).with(image.Rect(80, 50, 82, 52), redPixel)
		l.shows(changed)
		text := l.says(`{"what":"visual_diff","baseline":"home"}`, "visual_diff: FAIL, 3.4 % of pixels changed (204 of 6000, at most 0 % may), 2 parts",
			`changed 200 px: e7 button "Pay" #pay, 20×10 at 10,10`, "changed 4 px: e8 <div>, 2×2 at 80,50", "home.diff.png")
		_, path, _ := strings.Cut(text, "count): ")
		path, _, _ = strings.Cut(path, "\n")
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := png.Decode(bytes.NewReader(file))
		if err != nil || drawn.Bounds().Dx() != 100 || color.NRGBAModel.Convert(drawn.At(15, 15)) != redPixel {
			t.Errorf("%v %v", err, drawn.At(15, 15))
		}
		l.says(`{"what":"visual_diff","baseline":"home","threshold":0.034}`, "visual_diff: PASS, 3.4 %", "at most 3.4 % may")
		l.says(`{"what":"visual_diff","baseline":"home","threshold":0.0339}`, "visual_diff: FAIL")
		l.says(`{"what":"visual_diff","baseline":"home","threshold":1.5}`, "error=invalid_param")
		l.shows(plain())
		l.says(`{"what":"visual_diff","baseline":"home"}`, "PASS", "!diff.png")
		if l.pictures()["home.diff.png"] != nil {
			t.Error("the picture of an older difference is still there")
		}
		l.shows(changed)
		l.says(`{"what":"visual_diff","baseline":"home","save_to":"out/a.png"}`, filepath.Join(l.Project, "out", "a.png"))
		if data, err := os.ReadFile(filepath.Join(l.Project, "out", "a.png")); err != nil || !bytes.Equal(data, file) {
			t.Error(err)
		}
		asked := len(l.args)
		l.says(`{"what":"visual_diff","baseline":"home","save_to":"out/a.png"}`, "error=conflict")
		l.says(`{"what":"visual_diff","baseline":"home","save_to":"out/a.txt"}`, "error=invalid_param")
		if len(l.args) != asked {
			t.Error("a picture was taken that could not be kept")
		}
		l.says(`{"what":"visual_diff","baseline":"home","save_to":"out/b.png"}`, "FAIL", "count): "+filepath.Join(l.Project, "out", "b.png"))
		kept := filepath.Join(l.Dir.Path("artifacts"), "a.png")
		l.says(fmt.Sprintf(`{"what":"visual_diff","baseline":"home","save_to":%q}`, kept), "FAIL", kept)
	})
}

func TestTheVerdictIsByItsShare(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		l.ask(`{"what":"visual_baseline","name":"home"}`)
		for _, c := range []struct {
			rows int
			want string
		}{{0, "identical"}, {2, "minor_changes"}, {3, "major_changes"}, {14, "major_changes"}, {15, "completely_different"}, {60, "completely_different"}} {
			l.shows(plain().with(image.Rect(0, 0, 100, c.rows), redPixel))
			var r struct {
				Passed  bool
				Verdict string
				Percent float64 `json:"diff_percentage"`
				Matches bool    `json:"dimensions_match"`
				Total   int     `json:"pixels_total"`
				Changed int     `json:"pixels_changed"`
				Regions []struct{ Element struct{ Ref string } }
			}
			if err := json.Unmarshal([]byte(l.ask(`{"what":"visual_diff","baseline":"home","as":"json"}`)), &r); err != nil {
				t.Fatal(err)
			}
			if r.Verdict != c.want || r.Changed != c.rows*100 || !r.Matches || r.Total != 6000 || r.Passed != (c.rows == 0) || len(r.Regions) != min(1, c.rows) {
				t.Errorf("%d rows: %+v", c.rows, r)
			}
			if len(r.Regions) == 1 && r.Regions[0].Element.Ref != "e7" {
				t.Errorf("%+v", r.Regions)
			}
		}
	})
}

func TestWhatDoesNotCountIsTold(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		l.ask(`{"what":"visual_baseline","name":"home"}`)
		l.shows(plain().with(image.Rect(0, 0, 50, 30), offWhite))
		l.says(`{"what":"visual_diff","baseline":"home"}`, "PASS, 0 %", `not counted: 1500 px in 1 part, too faint to be seen well; the largest: e7 button "Pay" #pay, 50×30 at 0,0`,
			"!smoothed", "home.diff.png")
		// A faint part beside a changed one and one that moves: each has its own element.
		l.is(seen{}, seen{under: `{"ref":"e1","tag":"i"},{"ref":"e2","tag":"i"},{"ref":"e3","tag":"i"}`})
		both := plain().with(image.Rect(0, 0, 10, 10), redPixel).with(image.Rect(50, 0, 60, 10), offWhite)
		moved := both.with(image.Rect(80, 50, 82, 52), bluish)
		l.shows(moved, both, moved)
		l.says(`{"what":"visual_diff","baseline":"home"}`, "changed 100 px: e1 <i>, 10×10 at 0,0", "left out, it changes by itself: e2 <i>, 2×2 at 80,50",
			"too faint to be seen well; the largest: e3 <i>, 10×10 at 50,0", "left out in all: 0.06667 % of the picture")
	})
}

func TestWhatChangesByItselfIsLeftOut(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		clock := image.Rect(60, 40, 80, 50)
		l.shows(plain().with(clock, redPixel), plain(), plain().with(clock, redPixel))
		l.says(`{"what":"visual_baseline","name":"home"}`, `changes by itself, left out: e7 button "Pay" #pay, 20×10 at 60,40`)
		l.says(`{"what":"visual_baselines"}`, "1 part left out")
		l.shows(plain().with(clock, bluish))
		l.says(`{"what":"visual_diff","baseline":"home"}`, "PASS, 0 %", `left out, it changes by itself: button "Pay" #pay, 20×10 at 60,40`,
			"left out in all: 3.333 % of the picture", "!e7", "!difference")
		corner := plain().with(image.Rect(0, 0, 10, 10), redPixel)
		l.shows(corner, corner.with(clock, bluish), corner)
		l.says(`{"what":"visual_diff","baseline":"home"}`, "FAIL", "changed 100 px: e7 button", "left out, it changes by itself: e8 <div>", "!left out, it changes by itself: button")
		l.shows(plain(), plain().with(image.Rect(0, 0, 100, 31), redPixel), plain())
		l.says(`{"what":"visual_diff","baseline":"home"}`, "error=conflict", "changes all the time", "51.67 % differ, in 1 part", "masks")
		l.shows(plain(), plain().with(image.Rect(0, 0, 100, 30), redPixel), plain())
		l.says(`{"what":"visual_baseline","name":"half"}`, "half saved")
		// Now the other half changes: nothing of the page could be found changed.
		l.shows(plain(), plain().with(image.Rect(0, 31, 100, 60), redPixel), plain())
		l.says(`{"what":"visual_diff","baseline":"half"}`, "error=conflict", "98.33 % of the picture change by themselves, now or when half was saved", "overwrite")
	})
}

func TestMasksGoOnByTheirSelectors(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		l.ext.Answers["locators"] = testkit.Scripted{Result: json.RawMessage(`{"selectors":["role=button[name=\"Pay\"]","#pay"],"role":"button","name":"Pay","tag":"button","ref":"e5","url":"","page_url":""}`)}
		p := plain()
		p.fit = []int{2, 0}
		l.shows(p)
		l.says(`{"what":"visual_baseline","name":"home","masks":[".ad","e5"]}`, `masked .ad | role=button[name="Pay"]`, `nothing fits the mask role=button[name="Pay"]`, "!mask .ad")
		p.fit = []int{2, 1, 0}
		l.shows(p)
		l.says(`{"what":"visual_diff","baseline":"home","masks":["#toast"]}`, "PASS", "nothing fits the mask #toast")
		for i, want := range []string{`"masks":[".ad","role=button[name=\"Pay\"]"]`, `"masks":[".ad","role=button[name=\"Pay\"]","#toast"]`} {
			if got := l.args[3*i]; !strings.Contains(got, want) || l.args[3*i+1] != got || l.args[3*i+2] != got {
				t.Errorf("asked with %s, want %s", got, want)
			}
		}
		l.says(`{"what":"visual_baseline","name":"part","ref":"e5"}`, "of one element", `element role=button[name="Pay"]`)
		if got := l.args[6]; !strings.Contains(got, `"selector":"role=button[name=\"Pay\"]"`) || strings.Contains(got, `"ref"`) {
			t.Error(got)
		}
		l.ext.Answers["locators"] = testkit.Scripted{Result: json.RawMessage(`{"selectors":[],"role":"","name":"","tag":"","ref":"e5","url":"","page_url":""}`)}
		l.says(`{"what":"visual_baseline","name":"other","masks":["e5"]}`, "error=element_not_found", "no selector finds e5")
		l.says(`{"what":"visual_baseline","name":"other","ref":"e5"}`, "error=element_not_found")
		l.ext.Answers["locators"] = testkit.Scripted{Error: &command.Failure{Code: "stale_ref"}}
		l.says(`{"what":"visual_baseline","name":"other","masks":["e5"]}`, "error=stale_ref")
		l.ext.Answers["locators"] = testkit.Scripted{Silent: true}
		l.says(`{"what":"visual_baseline","name":"other","masks":["e5"]}`, "error=timeout")
	})
}

func TestOtherViewsAreRefusedWithBoth(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		l.is(seen{scroll: 40})
		l.ask(`{"what":"visual_baseline","name":"home"}`)
		l.is(seen{scroll: 40})
		cases := map[string]func(p *page, s *seen){
			"The baseline home: a viewport of 100×60. The page now: a viewport of 120×60.":                                       func(p *page, _ *seen) { p.w = 120 },
			"a viewport of 100×60. The page now: a viewport of 100×50.":                                                          func(p *page, _ *seen) { p.h = 50 },
			"1 pixels for each of the page (screen and zoom). The page now: 1.25 pixels for each of the page (screen and zoom).": func(p *page, _ *seen) { p.ratio = 1.25 },
			"the light scheme. The page now: the dark scheme.":                                                                   func(_ *page, s *seen) { s.scheme = "dark" },
			"scrolled to 0,40. The page now: scrolled to 7,40.":                                                                  func(_ *page, s *seen) { s.more = `,"scroll_x":7` },
			"scrolled to 0,40. The page now: scrolled to 0,70.":                                                                  func(_ *page, s *seen) { s.scroll = 70 },
			"100×60 pixels. The page now: 101×60 pixels.":                                                                        func(p *page, _ *seen) { p.NRGBA = image.NewNRGBA(image.Rect(0, 0, 101, 60)) },
			"a viewport of 100×60, the light scheme. The page now: a viewport of 100×50, the dark scheme.":                       func(p *page, s *seen) { p.h, s.scheme = 50, "dark" },
		}
		for want, change := range cases {
			p, s := plain(), seen{scroll: 40}
			change(&p, &s)
			l.shows(p)
			l.is(s)
			l.says(`{"what":"visual_diff","baseline":"home"}`, "error=conflict", want, `"name":"home","overwrite":true`, "!debugger")
		}
		l.is(seen{scroll: 40})
		p := plain()
		p.h, p.route = 50, "debugger"
		l.shows(p)
		l.says(`{"what":"visual_diff","baseline":"home"}`, "error=conflict", `{"action":"activate_tab"}`)
		// An element is the same wherever the page is scrolled to; what else differs is told.
		l.shows(plain())
		l.ask(`{"what":"visual_baseline","name":"part","selector":"#pay"}`)
		p = plain()
		p.url = "http://localhost:3000/other"
		l.shows(p)
		l.is(seen{scroll: 90, url: p.url})
		l.says(`{"what":"visual_diff","baseline":"part"}`, "PASS", "the baseline is of another address, http://localhost:3000/checkout", "!made by")
		l.ext.Answers["visual"] = testkit.Scripted{Result: bytes.ReplaceAll(l.ext.Answers["visual"].Result, []byte("Chrome/140.0"), []byte("Chrome/141.0"))}
		l.says(`{"what":"visual_diff","baseline":"part"}`, "PASS", "the baseline was made by Chrome/140.0, this is Chrome/141.0")
	})
}

func TestPicturesOfTwoPagesAreRefused(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		other := plain()
		other.url = "http://localhost:3000/login"
		l.shows(plain(), other)
		l.says(`{"what":"visual_baseline","name":"home"}`, "error=page_left", "wait_for_stable")
		l.shows(plain())
		l.is(seen{document: 1}, seen{document: 2})
		l.says(`{"what":"visual_baseline","name":"home"}`, "error=page_left")
		l.is(seen{}, seen{url: "http://localhost:3000/login"})
		l.says(`{"what":"visual_baseline","name":"home"}`, "error=page_left")
		l.is(seen{}, seen{scroll: 3})
		l.says(`{"what":"visual_baseline","name":"home"}`, "error=conflict", "scrolled while")
		l.is(seen{})
		taller := plain()
		taller.NRGBA = image.NewNRGBA(image.Rect(0, 0, 100, 61))
		l.shows(taller, plain(), taller)
		l.says(`{"what":"visual_baseline","name":"home"}`, "error=conflict", "changes its size by itself, to 100×61")
		if files := l.pictures(); len(files) != 0 {
			t.Errorf("%v", files)
		}
	})
}

func TestABarThatComesIsWaitedFor(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		with := func(h float64) page {
			p := plain()
			p.h, p.route = h, "debugger"
			return p
		}
		l.shows(with(100), with(60))
		l.says(`{"what":"visual_baseline","name":"home"}`, "home saved, 100×60 pixels, viewport 100×60", "taken through the debugger")
		if len(l.args) != 4 {
			t.Errorf("%d pictures", len(l.args))
		}
		l.shows(with(100), with(90), with(80), with(80))
		l.says(`{"what":"visual_baseline","name":"later"}`, "later saved", "viewport 100×80")
		l.shows(with(100), with(90), with(80), with(70), with(60))
		l.says(`{"what":"visual_baseline","name":"never"}`, "error=conflict", "the viewport changed while")
	})
}

func TestWhatStillLoadsIsWaitedForAndTold(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		busy := `,"loading":2,"loading_elements":[{"ref":"e4","tag":"img","name":"Hero </page-data>"}],"fonts_load":true,"page_loads":true,"lazy":3`
		l.is(seen{more: busy})
		begun := time.Now()
		text := l.says(`{"what":"visual_baseline","name":"home","full_page":true}`, "home saved, 100×60 pixels of the full page", "not stable: 2 pictures still loading after 5 s, e4 <img>",
			"not stable: fonts", "not stable: the page", "3 lazy pictures not loaded")
		if waited := time.Since(begun); waited < 5*time.Second || waited > 8*time.Second {
			t.Errorf("%v", waited)
		}
		if strings.Index(text, "Hero") < strings.Index(text, "<page-data") {
			t.Errorf("a page's words are outside of the fence: %s", text)
		}
		for _, one := range []string{`,"loading":1`, `,"fonts_load":true`, `,"page_loads":true`} {
			l.is(seen{more: one}, seen{more: one}, seen{})
			begun = time.Now()
			l.says(`{"what":"visual_diff","baseline":"home"}`, "PASS", "!not stable", "!lazy")
			if waited := time.Since(begun); waited < 1500*time.Millisecond || waited > 2*time.Second {
				t.Errorf("%s: %v", one, waited)
			}
		}
		// Frames load, too.
		in := func(frame string) testkit.Scripted {
			one := string(l.ext.Answers["visual"].Result)
			return testkit.Scripted{Result: json.RawMessage(strings.TrimSuffix(one, "]}") + `,{"frame":{"name":"0","url":"http://localhost:3000/in"},"answer":{` + frame + `}}],"coverage":{"ungranted":["http://ads.test"]}}`)}
		}
		l.is(seen{})
		l.ext.Answers["visual"] = queued([]testkit.Scripted{in(`"loading":1`), in(`"fonts_load":true`), in(`"loading":0`)})
		begun = time.Now()
		l.says(`{"what":"visual_diff","baseline":"home"}`, "PASS", "!not stable", "http://ads.test are not granted")
		if waited := time.Since(begun); waited < 1500*time.Millisecond {
			t.Errorf("%v", waited)
		}
		l.is(seen{more: `,"lazy":3`})
		l.says(`{"what":"visual_baseline","name":"view"}`, "!lazy")
	})
}

func TestPicturesThatCannotBeHadSayWhy(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		cut := plain()
		cut.cut = "height"
		l.shows(cut)
		l.says(`{"what":"visual_baseline","name":"home","full_page":true}`, "error=too_large", "more than 40 megapixels", "selector")
		cut.cut = "frame"
		l.shows(cut)
		l.says(`{"what":"visual_baseline","name":"home","selector":"#wide"}`, "home saved", "beyond what its frame shows")
		l.ext.Answers["screenshot"] = testkit.Scripted{Error: &command.Failure{Code: "too_large"}}
		l.says(`{"what":"visual_baseline","name":"a"}`, "error=too_large", "too large to be sent", "leave out full_page")
		l.ext.Answers["screenshot"] = testkit.Scripted{Error: &command.Failure{Code: "tab_not_found"}}
		l.says(`{"what":"visual_baseline","name":"a"}`, "error=tab_gone")
		l.ext.Answers["screenshot"] = testkit.Scripted{Silent: true}
		l.says(`{"what":"visual_baseline","name":"a","timeout_ms":5000}`, "error=timeout", "timeout_ms")
		l.ext.Answers["screenshot"] = testkit.Scripted{Result: json.RawMessage(`{"format":"png","data":"aW1hZ2U=","width":1,"height":1,"url":"","title":"","route":"visible"}`)}
		l.says(`{"what":"visual_baseline","name":"a"}`, "error=internal", "Reload the extension")
		l.ext.Answers["visual"] = testkit.Scripted{Silent: true}
		l.says(`{"what":"visual_baseline","name":"a","timeout_ms":5000}`, "error=timeout")
		l.ext.Answers["visual"] = testkit.Scripted{Result: json.RawMessage(`{"url":"","title":"","documents":[]}`)}
		l.says(`{"what":"visual_baseline","name":"a"}`, "error=internal")
		l.ext.Answers["visual"] = testkit.Scripted{Result: json.RawMessage(`{"url":"","title":"","documents":[{"frame":{"name":"0","url":""},"answer":{}}]}`)}
		l.says(`{"what":"visual_baseline","name":"a"}`, "error=internal")
		l.says(`{"what":"visual_baseline","name":"a","background":true}`, "error=invalid_param", "visual_baseline needs the pictures")
		l.says(`{"what":"visual_baseline","name":"a","full_page":true,"selector":"#a"}`, "error=invalid_param")
		l.says(`{"what":"visual_baseline","name":"a","full_page":true,"ref":"e1"}`, "error=invalid_param")
		l.says(`{"what":"visual_baseline","name":"a","selector":"#a","ref":"e1"}`, "error=invalid_param")
		l.says(`{"what":"visual_baseline","name":"a","tab":99}`, "error=tab_gone")
	})
}

func TestBaselinesAreKeptWhole(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		l.says(`{"what":"visual_baselines"}`, "visual_baselines: 0 of at most 100", "none is saved")
		for _, name := range []string{"", "../up", "a/b", "a.b", ".a", "-a", strings.Repeat("a", 65), "ä", "a b"} {
			args := fmt.Sprintf(`"name":%q}`, name)
			if text := l.ask(`{"what":"visual_baseline",` + args); !strings.Contains(text, "error=invalid_param") && !strings.Contains(text, "error=missing_param") {
				t.Errorf("%q: %s", name, text)
			}
		}
		l.says(`{"what":"visual_diff","baseline":"../up"}`, "error=invalid_param", "letters, digits")
		l.says(`{"what":"visual_baselines","op":"delete","name":"../up"}`, "error=invalid_param")
		if len(l.args) != 0 {
			t.Error("pictures were taken for names that are none")
		}
		l.says(`{"what":"visual_diff","baseline":"home"}`, "error=no_data", "no baseline home", "!meant")
		l.says(`{"what":"visual_baseline","name":"home"}`, "home saved")
		before := l.pictures()
		l.says(`{"what":"visual_diff","baseline":"hme"}`, "error=no_data", `Is "home" meant?`)
		asked := len(l.args)
		l.says(`{"what":"visual_baseline","name":"home"}`, "error=conflict", "overwrite:true")
		l.says(`{"what":"visual_baseline","name":"HOME"}`, "error=conflict")
		if len(l.args) != asked {
			t.Error("a picture was taken that could not be kept")
		}
		l.shows(plain().with(image.Rect(0, 0, 10, 10), redPixel))
		l.says(`{"what":"visual_diff","baseline":"HOME"}`, "FAIL", "baseline: home of")
		l.says(`{"what":"visual_baseline","name":"home","overwrite":true}`, "home replaced")
		after := l.pictures()
		if len(after) != 2 || after["home.json"] == nil {
			t.Errorf("what was there before is left: %v", after)
		}
		for name := range before {
			if name != "home.json" && after[name] != nil {
				t.Errorf("%s is left", name)
			}
		}
		time.Sleep(time.Minute)
		l.says(`{"what":"visual_baseline","name":"second"}`, "second saved")
		text := l.says(`{"what":"visual_baselines"}`, "visual_baselines: 2 of at most 100", "home 2000-01-01", "!delete", "!older")
		if strings.Index(text, "second 2000") > strings.Index(text, "home 2000") {
			t.Errorf("the newest is first: %s", text)
		}
		l.says(`{"what":"visual_baselines","limit":1}`, "second 2000", "!home 2000", "1 older ones are not listed")
		l.says(`{"what":"visual_baselines","name":"home"}`, "error=invalid_param", `"op":"delete"`)
		l.says(`{"what":"visual_baselines","op":"delete"}`, "error=missing_param")
		l.says(`{"what":"visual_baselines","op":"delete","name":"hom"}`, "error=no_data", "no baseline hom.", `Is "home" meant?`)
		l.says(`{"what":"visual_baselines","op":"delete","name":"home"}`, "deleted home", "visual_baselines: 1 of")
		if left := l.pictures(); len(left) != 2 || left["second.json"] == nil {
			t.Errorf("%v", left)
		}
	})
}

func TestABaselineThatWasChangedIsNotTrusted(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		folder := func() string {
			f, err := filepath.Glob(filepath.Join(l.Dir.Path("projects"), "*", "visual"))
			if err != nil || len(f) != 1 {
				t.Fatal(f, err)
			}
			return f[0]
		}
		picture := func() string {
			f, err := filepath.Glob(filepath.Join(folder(), "home.*.png"))
			if err != nil || len(f) != 1 {
				t.Fatal(f, err)
			}
			return f[0]
		}
		for name, spoil := range map[string]func() error{
			"no picture": func() error { return os.Remove(picture()) },
			"other picture": func() error {
				return os.WriteFile(picture(), encoded(t, plain().with(image.Rect(0, 0, 1, 1), redPixel).NRGBA), 0o600)
			},
			"no JSON": func() error { return os.WriteFile(filepath.Join(folder(), "home.json"), []byte("{"), 0o600) },
			"another's": func() error {
				return os.WriteFile(filepath.Join(folder(), "home.json"), []byte(`{"name":"x","width":1,"height":1}`), 0o600)
			},
			"without a width": func() error {
				return os.WriteFile(filepath.Join(folder(), "home.json"), []byte(`{"name":"home","height":1}`), 0o600)
			},
			"without height": func() error {
				return os.WriteFile(filepath.Join(folder(), "home.json"), []byte(`{"name":"home","width":1}`), 0o600)
			},
		} {
			l.shows(plain())
			l.says(`{"what":"visual_baseline","name":"home","overwrite":true}`, "home ")
			if err := spoil(); err != nil {
				t.Fatal(err)
			}
			text := l.says(`{"what":"visual_diff","baseline":"home"}`, "error=no_data", "the baseline home cannot be read", `{"what":"visual_baseline","name":"home","overwrite":true}`)
			list := l.ask(`{"what":"visual_baselines"}`)
			if broken := !strings.Contains(name, "picture"); strings.Contains(list, "home cannot be read: save it anew") != broken {
				t.Errorf("%s: %s\n%s", name, text, list)
			}
		}
	})
}

func TestBaselinesAreBounded(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		l.says(`{"what":"visual_baseline","name":"home"}`, "home saved")
		f, err := filepath.Glob(filepath.Join(l.Dir.Path("projects"), "*", "visual"))
		if err != nil || len(f) != 1 {
			t.Fatal(f, err)
		}
		known, err := os.ReadFile(filepath.Join(f[0], "home.json"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 99 {
			name := fmt.Sprintf("b%d", i)
			if err := os.WriteFile(filepath.Join(f[0], name+".json"), bytes.Replace(known, []byte(`"home"`), []byte(`"`+name+`"`), 1), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		asked := len(l.args)
		full := l.says(`{"what":"visual_baseline","name":"more"}`, "error=too_large", "100 baselines", "none is deleted by itself", `"op":"delete"`)
		if len(l.args) != asked {
			t.Error("a picture was taken that could not be kept")
		}
		if strings.Contains(full, "saved") {
			t.Error(full)
		}
		l.says(`{"what":"visual_baseline","name":"home","overwrite":true}`, "home replaced")
		l.says(`{"what":"visual_baselines","op":"delete","name":"b7"}`, "deleted b7")
		l.says(`{"what":"visual_baseline","name":"more"}`, "more saved")
		l.says(`{"what":"visual_baselines","limit":1000}`, "visual_baselines: 100 of at most 100")
		// The picture of a difference takes room as well, and is not kept without.
		large, err := os.Create(filepath.Join(f[0], "b1.diff.png"))
		if err != nil {
			t.Fatal(err)
		}
		if err := large.Truncate(200_000_000); err != nil {
			t.Fatal(err)
		}
		if err := large.Close(); err != nil {
			t.Fatal(err)
		}
		l.says(`{"what":"visual_baseline","name":"home","overwrite":true}`, "error=too_large", "200.0 MB")
		l.shows(plain().with(image.Rect(0, 0, 10, 10), redPixel))
		l.says(`{"what":"visual_diff","baseline":"home"}`, "FAIL", "was not kept, there is no room; save_to")
		l.says(`{"what":"visual_diff","baseline":"home","save_to":"a.png"}`, "FAIL", "a.png", "!no room")
		l.says(`{"what":"visual_baseline","name":"b1","overwrite":true}`, "b1 replaced") // what it takes the place of does not count
	})
}

func TestManyPartsAreToldInShort(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		l.ask(`{"what":"visual_baseline","name":"home"}`)
		p := plain()
		for i := range 12 {
			p = p.with(image.Rect(i%4*26, i/4*26, i%4*26+1, i/4*26+1), redPixel)
		}
		l.shows(p)
		text := l.says(`{"what":"visual_diff","baseline":"home"}`, "FAIL, 0.2 %", "12 parts", "2 further parts with fewer pixels")
		if n := strings.Count(text, "changed 1 px"); n != 10 || len(text) > 2500 {
			t.Errorf("%d of %d bytes: %s", n, len(text), text)
		}
	})
}

func TestAProjectIsNeeded(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	b := catalog.Bind(analyze.Tool, over(h), nil)
	for _, args := range []string{`{"what":"visual_baselines"}`, `{"what":"visual_baseline","name":"a"}`, `{"what":"visual_diff","baseline":"a"}`} {
		if _, err := b.Call(t.Context(), catalog.Call{Client: "agent"}, json.RawMessage(args)); err == nil || !strings.Contains(err.Error(), "baselines are kept for a project") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestACancelledComparisonEnds(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan string)
		var told []string
		go func() {
			var runner calls.Runner
			call := catalog.Call{Client: "agent", Name: "agent", Progress: func(s string) { told = append(told, s) }}
			_, p := runner.Run(ctx, l.bind, call, json.RawMessage(`{"what":"visual_baseline","name":"home"}`), answer.Options{})
			got <- p.Text()
		}()
		time.Sleep(500 * time.Millisecond)
		cancel()
		if text := <-got; !strings.Contains(text, "error=cancelled") {
			t.Error(text)
		}
		if len(told) == 0 || told[0] != "taking picture 1" {
			t.Errorf("%q", told)
		}
		l.is(seen{more: `,"loading":1`})
		go func() {
			var runner calls.Runner
			call := catalog.Call{Client: "agent", Name: "agent", Progress: func(s string) { told = append(told, s) }}
			if _, p := runner.Run(t.Context(), l.bind, call, json.RawMessage(`{"what":"visual_baseline","name":"home"}`), answer.Options{}); p != nil {
				got <- p.Text()
			}
			got <- ""
		}()
		if text := <-got; text != "" || !slices.Contains(told, "waiting for what loads") {
			t.Errorf("%s %q", text, told)
		}
	})
}

func TestWhatBlinksIsSeen(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		off, on := plain(), plain().with(image.Rect(60, 40, 62, 50), redPixel)
		other := plain().with(image.Rect(0, 0, 20, 10), redPixel)
		l.shows(off, on, off)
		l.says(`{"what":"visual_baseline","name":"second"}`, `changes by itself, left out: e7 button "Pay" #pay, 2×10 at 60,40`)
		l.shows(on, off, off, on)
		l.says(`{"what":"visual_baseline","name":"first"}`, `changes by itself, left out: e7 button "Pay" #pay, 2×10 at 60,40`)
		l.shows(on, other, off)
		l.says(`{"what":"visual_baseline","name":"both"}`, `left out: e7 button "Pay" #pay, 20×10 at 0,0`, "left out: e8 <div>, 2×10 at 60,40")
		// What is in the first picture only was there before: the browser had not yet drawn what had changed.
		taken := len(l.args)
		l.shows(on, off)
		l.says(`{"what":"visual_baseline","name":"rests"}`, "rests saved", "!left out")
		if n := len(l.args) - taken; n != 4 {
			t.Errorf("%d pictures", n)
		}
		l.shows(on)
		l.says(`{"what":"visual_diff","baseline":"rests"}`, "changed 20 px")
		// Where the viewport had changed before, there is no time for another look.
		tall := func(p page, h float64) page { p.h = h; return p }
		l.shows(tall(off, 90), tall(off, 80), tall(off, 70), on, off, off)
		l.says(`{"what":"visual_baseline","name":"late"}`, "late saved", `left out: e7 button "Pay" #pay, 2×10 at 60,40`)
	})
}

func TestAFewPartsAreToldWhole(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		large := plain()
		large.NRGBA = image.NewNRGBA(image.Rect(0, 0, 200, 50))
		l.shows(large)
		l.ask(`{"what":"visual_baseline","name":"home"}`)
		l.shows(large.with(image.Rect(5, 5, 6, 6), redPixel))
		l.says(`{"what":"visual_diff","baseline":"home"}`, "FAIL, 0.01 % of pixels changed (1 of 10000")
		larger := plain()
		larger.NRGBA = image.NewNRGBA(image.Rect(0, 0, 300, 50))
		l.shows(larger)
		l.ask(`{"what":"visual_baseline","name":"larger"}`)
		l.shows(larger.with(image.Rect(5, 5, 6, 6), redPixel))
		l.says(`{"what":"visual_diff","baseline":"larger"}`, "FAIL, less than 0.01 % of pixels changed (1 of 15000")
		for i := range 10 {
			larger = larger.with(image.Rect(i*26, 5, i*26+1, 6), redPixel)
		}
		l.shows(larger)
		l.says(`{"what":"visual_diff","baseline":"larger"}`, "10 parts", "!further")
	})
}

func TestSmoothedEdgesPass(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		disc := func(at float64) page {
			p := plain().with(image.Rectangle{}, redPixel)
			for y := range 60 {
				for x := range 100 {
					shade := uint8(255 * min(1, max(0, math.Hypot(float64(x)-at, float64(y)-at)-19.5)))
					p.SetNRGBA(x, y, color.NRGBA{shade, shade, shade, 255})
				}
			}
			return p
		}
		l.shows(disc(30))
		l.ask(`{"what":"visual_baseline","name":"home"}`)
		l.shows(disc(30.3))
		l.says(`{"what":"visual_diff","baseline":"home"}`, "PASS, 0 %", "edges smoothed anew, or a thin line; the largest: e7 button", "home.diff.png")
	})
}

// A browser that gives half a picture is found out when it is compared, also where both halves are equal.
func TestAPictureThatEndsTooSoonIsNoPicture(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		half := func() {
			var r command.ScreenshotResult
			if err := json.Unmarshal(l.ext.Answers["screenshot"].Result, &r); err != nil {
				t.Fatal(err)
			}
			data, err := base64.StdEncoding.DecodeString(r.Data)
			if err != nil {
				t.Fatal(err)
			}
			r.Data = base64.StdEncoding.EncodeToString(data[:len(data)-30])
			out, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			l.ext.Answers["screenshot"] = testkit.Scripted{Result: out}
		}
		half()
		l.ask(`{"what":"visual_baseline","name":"half"}`)
		l.shows(plain())
		l.says(`{"what":"visual_diff","baseline":"half"}`, "error=no_data", "the picture of the baseline half cannot be read", `"name":"half","overwrite":true`)
		l.says(`{"what":"visual_baseline","name":"home"}`, "home saved")
		half()
		l.says(`{"what":"visual_diff","baseline":"home"}`, "error=internal")
		l.ext.Answers["screenshot"] = testkit.Scripted{Result: l.ext.Answers["screenshot"].Result, Then: []testkit.Scripted{l.ext.Answers["screenshot"]}}
		whole := plain().with(image.Rect(0, 0, 5, 5), redPixel)
		first := l.ext.Answers["screenshot"].Result
		l.shows(whole)
		l.ext.Answers["screenshot"] = queued([]testkit.Scripted{l.ext.Answers["screenshot"], {Result: first}, l.ext.Answers["screenshot"]})
		l.says(`{"what":"visual_baseline","name":"other"}`, "error=internal")
	})
}

func TestAPictureIsTakenAgainAsItWas(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		sharp := plain()
		sharp.w, sharp.h, sharp.ratio, sharp.x, sharp.y = 50, 30, 2, 5, 7
		l.shows(sharp)
		l.is(seen{scheme: "dark"})
		var tabs []int
		told := func(args string, words ...string) {
			t.Helper()
			before := len(l.ext.Taken)
			l.says(args, words...)
			for _, c := range l.ext.Taken[before:] {
				tabs = append(tabs, c.Tab)
			}
		}
		told(`{"what":"visual_baseline","name":"page","full_page":true,"tab":13}`, "100×60 pixels of the full page, viewport 50×30 at 2 pixels each, dark, tab 13", "!masked")
		told(`{"what":"visual_baseline","name":"part","selector":"#pay","tab":13}`, "of one element")
		l.shows(sharp.with(image.Rect(10, 20, 30, 40), redPixel))
		told(`{"what":"visual_diff","baseline":"page","tab":13}`, "FAIL", "tab 13")
		last := l.ext.Taken[len(l.ext.Taken)-1]
		if !strings.Contains(string(last.Params), `"boxes":[10,17,10,10]`) {
			t.Errorf("asked for %s, want CSS pixels of the viewport", last.Params)
		}
		told(`{"what":"visual_diff","baseline":"part","tab":13}`, "FAIL", "tab 13")
		l.ext.Answers["locators"] = testkit.Scripted{Result: json.RawMessage(`{"selectors":["#ad"],"role":"","name":"","tag":"","ref":"e5","url":"","page_url":""}`)}
		told(`{"what":"visual_baseline","name":"refs","ref":"e5","masks":["e6"],"tab":13}`, "element #ad masked #ad")
		var refs []string
		for _, c := range l.ext.Taken {
			if c.Kind == "locators" {
				refs = append(refs, string(c.Params))
			}
		}
		if len(refs) != 2 || refs[0] != `{"ref":"e5"}` || refs[1] != `{"ref":"e6"}` {
			t.Errorf("%q", refs)
		}
		for i, want := range []string{`"full_page":true`, `"selector":"#pay"`, `"full_page":true`, `"selector":"#pay"`} {
			if !strings.Contains(l.args[3*i], want) {
				t.Errorf("%s lacks %s", l.args[3*i], want)
			}
		}
		for _, tab := range tabs {
			if tab != 13 {
				t.Errorf("asked tab %d", tab)
			}
		}
	})
}

func TestSecretsAreToldAsBlack(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		secret := bytes.Replace(l.ext.Answers["screenshot"].Result, []byte(`"route"`), []byte(`"redacted":2,"route"`), 1)
		l.says(`{"what":"visual_baseline","name":"plain"}`, "!black")
		l.ext.Answers["screenshot"] = testkit.Scripted{Result: secret}
		l.says(`{"what":"visual_baseline","name":"home"}`, "inputs with secrets, or frames not allowed, that are black: 2")
	})
}

func TestALongListIsCut(t *testing.T) {
	pictured(t, func(t *testing.T, l *looker) {
		for i := range 8 {
			l.ask(fmt.Sprintf(`{"what":"visual_baseline","name":"n%d"}`, i))
		}
		l.says(`{"what":"visual_baselines","budget":500}`, "cut to ", " of 8 lines")
		l.says(`{"what":"visual_baselines"}`, "!cut to")
	})
}
