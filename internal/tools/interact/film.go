package interact

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/film"
	"github.com/brennhill/gasoline/internal/problem"
)

// defaultFPS is the most pictures a second of a film that names no other.
const defaultFPS = 15

var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "screen_recording_start", Doc: "Film the tab into a .webm file until screen_recording_stop.",
		Aliases: []string{"record_screen", "video_start"}, Needs: acts, Wait: 10 * time.Second, Example: `{"name":"checkout"}`,
		Errors: []problem.Code{
			problem.InvalidParam, problem.Conflict, problem.TabGone, problem.NoTab, problem.PilotOff, problem.Timeout,
			"debugger_refused", "unsupported",
		},
	}, startFilm)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "screen_recording_stop", Doc: "End the film of the tab; gives its path, duration and size.",
		Aliases: []string{"video_stop"}, Needs: looks, Wait: 15 * time.Second,
		Errors: []problem.Code{problem.NoData, problem.TabGone, problem.NoTab, problem.Timeout},
	}, stopFilm)
)

type filmParams struct {
	in
	Name  string `json:"name,omitempty" doc:"the film's name, of A-Z a-z 0-9 . _ -; default of time and tab"`
	FPS   *int   `json:"fps,omitempty" min:"5" max:"60" doc:"most pictures a second; default 15"`
	Audio string `json:"audio,omitempty" enum:"none,tab" doc:"tab: with its sound, where the user clicked the extension; default none"`
}

type filmResult struct {
	Status        string    `json:"status"` // recording, saved
	Final         bool      `json:"final"`
	CorrelationID string    `json:"correlation_id,omitempty"`
	Visible       bool      `json:"visible"` // a picture came
	Source        string    `json:"source"`
	Refused       string    `json:"refused,omitempty"` // why the tab is not captured
	Film          film.Info `json:"film"`
	asked         bool      // for sound
}

func startFilm(ctx context.Context, env Env, p filmParams) (*filmResult, error) {
	target, err := env.Registry.Await(ctx, env.Call.Client, p.Tab, true, min(drive.ComeBack, env.Call.Left()))
	if err != nil {
		return nil, err
	}
	fps := defaultFPS
	if p.FPS != nil {
		fps = *p.FPS
	}
	begun, err := env.Films.Begin(film.Info{
		Name: p.Name, Session: target.Browser.Session, Tab: target.Tab.ID, URL: target.Tab.URL, Display: target.Tab.Title, FPS: fps,
	})
	if err != nil {
		return nil, err
	}
	asked := p.Audio == "tab"
	o, err := drive.Do(ctx, env.Drive, env.Call, command.FilmStart, target.Tab.ID,
		command.FilmParams{Name: begun.Name, FPS: fps, Sound: asked})
	if err != nil {
		env.Films.Cancel(begun.Name)
		return nil, err
	}
	begun.Width, begun.Height, begun.Source = o.Result.Width, o.Result.Height, o.Result.Source
	begun.Covered, begun.Uncovered, begun.Audio = o.Result.Covered, o.Result.Uncovered, o.Result.Sound
	if begun.Audio {
		begun.Sound = "opus"
	}
	return &filmResult{
		Status: "recording", Final: !o.Going(), CorrelationID: o.CorrelationID, Visible: o.Result.Visible,
		Source: begun.Source, Refused: o.Result.Refused, Film: begun, asked: asked,
	}, nil
}

func stopFilm(ctx context.Context, env Env, p struct {
	in
	Name string `json:"name,omitempty" doc:"which film; default that of the tab"`
}) (*filmResult, error) {
	if p.Name != "" {
		known, ok := env.Films.Last("", 0, p.Name)
		switch {
		case !ok:
			return nil, noFilm("no film %.80q was recorded in this run.", p.Name)
		case known.Ended != "":
			return ended(known)
		case p.Tab == 0:
			p.Tab = known.Tab
		}
	}
	o, err := drive.Do(ctx, env.Drive, env.Call, command.FilmStop, p.Tab, command.NoParams{})
	if o.Going() && err == nil {
		return &filmResult{Status: string(o.Status), CorrelationID: o.CorrelationID}, nil
	}
	name := p.Name
	if err == nil {
		name = o.Result.Name
	}
	known, ok := env.Films.Last(o.Target.Browser.Session, o.Target.Tab.ID, name)
	switch {
	case ok && known.Ended != "":
		return ended(known)
	case ok: // the browser knows nothing of it any more, or does not answer
		env.Films.End(known.Name, "browser_lost")
		if known, ok = env.Films.Last("", 0, known.Name); ok {
			return ended(known)
		}
	case o.Target.Tab.ID != 0:
		return nil, noFilm("tab %d is not filmed.", o.Target.Tab.ID)
	}
	return nil, err
}

func noFilm(format string, args ...any) error {
	return problem.New(problem.NoData, `observe {"what":"saved_videos"} lists the films.`, format, args...)
}

// ended answers with a film that has ended.
func ended(i film.Info) (*filmResult, error) {
	if i.Path == "" {
		return nil, problem.New(problem.NoData, `Bring the tab to the front with interact {"action":"activate_tab"} and film again.`,
			"the film %s has no picture and was not kept (%s): a tab in the background shows none.", i.Name, i.Ended)
	}
	return &filmResult{Status: "saved", Final: true, Visible: true, Source: i.Source, Film: i}, nil
}

// Text writes what became of the film.
func (r *filmResult) Text(w *answer.Writer) {
	i := r.Film
	switch {
	case !r.Final:
		w.Head("screen_recording: %s correlation_id=%s", r.Status, r.CorrelationID)
		w.Note(`observe {"what":"saved_videos"} tells of it`)
	case r.Status == "recording":
		size := ""
		if i.Width > 0 {
			size = fmt.Sprintf(", %d×%d", i.Width, i.Height)
		}
		w.Head("screen_recording_start: filming tab %d as %s%s, at most %d pictures a second, %s, audio %s",
			i.Tab, i.Name, size, i.FPS, i.Source, i.Sound)
		if !r.Visible {
			w.Note(`note: no picture came yet: a tab in the background shows none; interact {"action":"activate_tab"} brings it to the front`)
		}
		if r.Refused != "" {
			without := ""
			if r.asked {
				without = "; it gives no sound"
			}
			w.Note("note: the tab cannot be captured: %s. The debugger films instead: the browser shows a bar, and who cancels that "+
				"ends the film%s. Who wants it captured asks the user to open the extension's popup in the tab, and begins anew",
				answer.Clean(r.Refused), without)
		}
		w.Note("note: it ends after an hour or 2 GB")
		r.covers(w)
	default:
		w.Head("screen_recording_stop: saved %s", i.Path)
		w.Head("%.1f s, %s, %d×%d %s, %d pictures, %s, audio %s", i.Seconds, answer.Bytes(i.Bytes), i.Width, i.Height, i.Codec,
			i.Frames, i.Source, i.Sound)
		if i.Truncated {
			w.Note("note: it ended before it was stopped: %s", i.Ended)
		}
		if i.Dropped > 0 {
			w.Note("note: %d pictures could not be taken", i.Dropped)
		}
		r.covers(w)
	}
}

// covers tells what the film does not show, and what it shows that nobody looked at.
func (r *filmResult) covers(w *answer.Writer) {
	w.Note("note: fields of passwords, codes and cards are black in it (%d of them); canvases, pictures and other text are as the screen shows them",
		r.Film.Covered)
	origins := make([]string, 0, len(r.Film.Uncovered))
	for _, origin := range r.Film.Uncovered {
		origins = append(origins, answer.Short(origin, 80))
	}
	if len(origins) > 0 {
		w.Note("note: not reached, so shown whole: %s", strings.Join(origins, ", "))
	}
}
