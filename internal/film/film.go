// Package film keeps films of tabs: the browser sends encoded pictures in batches, and each film is a WebM file below the
// state directory with a JSON file beside it that describes it. A film is playable at any moment, so one that ends without
// being stopped is only shorter.
package film

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/webm"
	"github.com/brennhill/gasoline/internal/wire"
)

// Bounds of films.
const (
	maxDuration = time.Hour
	maxBytes    = 2 << 30 // of one film
	maxKept     = 20      // films in the folder
	maxAtOnce   = 2
	maxFrames   = 1000             // of one batch
	silence     = 10 * time.Second // a browser tells of each film every 2 s
	describe    = 5 * time.Second  // so often a film that goes on is described anew
	maxEnded    = 50               // ended films of this run that are remembered

	maxUncovered = 10  // origins that a film names
	maxOrigin    = 300 // bytes of one
	maxHead      = 255 // bytes of what an encoder says of its sound
)

const folder = "videos"

// Names of films are names of files.
var name = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// Info describes one film.
type Info struct {
	Name      string    `json:"name"`
	Display   string    `json:"display_name,omitempty"` // the page's title when it began
	URL       string    `json:"url,omitempty"`          // of the page when it began
	Session   string    `json:"session,omitempty"`
	Tab       int       `json:"tab"`
	CreatedAt time.Time `json:"created_at"`
	Seconds   float64   `json:"duration_seconds"`
	Bytes     int64     `json:"size_bytes"`
	FPS       int       `json:"fps"` // the most pictures a second
	Width     int       `json:"width"`
	Height    int       `json:"height"`
	Codec     string    `json:"codec"`
	Frames    int       `json:"frames"`
	Dropped   int       `json:"dropped"`
	Source    string    `json:"source,omitempty"` // tab_capture, screencast; "" until something came
	Audio     bool      `json:"has_audio"`
	Sound     string    `json:"audio"`                 // opus, none
	Covered   int       `json:"covered_fields"`        // values of so many fields are not shown
	Uncovered []string  `json:"not_covered,omitempty"` // origins of documents that are shown as they are
	Truncated bool      `json:"truncated"`             // it ended before it was stopped
	Ended     string    `json:"ended,omitempty"`       // why; "" while it goes on
	Path      string    `json:"path,omitempty"`
}

// Films are the films of one state directory. Safe for concurrent use.
type Films struct {
	dir *state.Dir

	mu    sync.Mutex
	live  map[string]*live
	ended []Info // of this run, the newest last
}

// live is a film that goes on.
type live struct {
	Info
	file      *os.File
	writer    *webm.Writer // nil until the first picture came
	sound     bool         // the file has a track of sound
	batch     int          // the last one that was added
	heard     time.Time
	described time.Time
}

// New returns the films below dir.
func New(dir *state.Dir) *Films { return &Films{dir: dir, live: map[string]*live{}} }

// Begin makes room for a film of a tab. in has a name or, for one made of the tab and the time, none; returned is the
// film's description with its name. Problems: invalid_param for the name, conflict where the name is taken, the tab is filmed already, or the
// bounds of films are reached.
func (f *Films) Begin(in Info) (Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if in.Name == "" {
		in.Name = nameOf(in.Tab, now)
	}
	if !name.MatchString(in.Name) {
		return in, problem.New(problem.InvalidParam, "Use at most 64 of A-Z, a-z, 0-9, dot, dash, underscore.",
			"name %.80q is no name of a film.", in.Name)
	}
	for _, l := range f.live {
		if l.Session == in.Session && l.Tab == in.Tab {
			return in, problem.New(problem.Conflict, `End it with interact {"action":"screen_recording_stop"}.`,
				"tab %d is filmed already, as %s.", in.Tab, l.Name)
		}
	}
	if len(f.live) >= maxAtOnce {
		return in, problem.New(problem.Conflict, "Stop one of them first.", "%d tabs are filmed already.", len(f.live))
	}
	kept, err := f.listLocked()
	if err != nil {
		return in, err
	}
	if slices.ContainsFunc(kept, func(k Info) bool { return strings.EqualFold(k.Name, in.Name) }) {
		return in, problem.New(problem.Conflict, "Choose another name.", "there is a film %s already.", in.Name)
	}
	if len(kept) >= maxKept {
		return in, problem.New(problem.Conflict, "Ask the user to move or delete some in "+f.dir.Path(folder)+".",
			"%d films are kept, which is the most.", len(kept))
	}
	file, err := f.dir.Create(in.file())
	if errors.Is(err, fs.ErrExist) {
		return in, problem.New(problem.Conflict, "Choose another name.", "there is a file %s already.", f.dir.Path(in.file()))
	}
	if err != nil {
		return in, err
	}
	in.Sound = "none"
	in.CreatedAt, in.Path = now.UTC().Truncate(time.Millisecond), f.dir.Path(in.file())
	l := &live{Info: in, file: file, heard: now}
	f.live[in.Name] = l
	return in, nil
}

// Cancel forgets a film that did not begin.
func (f *Films) Cancel(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.live[name]; l != nil {
		_ = f.endLocked(l, "failed") // it has no picture
	}
}

// Take adds a batch. Problems: no_data when there is no such film, conflict when a batch before is missing, invalid_param
// for what is no batch. An answer with Ended says that the film takes no more.
func (f *Films) Take(in wire.Film) (wire.FilmAnswer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.live[in.Name]
	if l == nil || l.Session != in.Session {
		i := slices.IndexFunc(f.ended, func(e Info) bool { return e.Name == in.Name && e.Session == in.Session })
		if i >= 0 {
			return wire.FilmAnswer{Ended: f.ended[i].Ended}, nil
		}
		return wire.FilmAnswer{}, problem.New(problem.NoData, "Begin one with screen_recording_start.",
			"no film %.80q is recorded.", in.Name)
	}
	switch {
	case in.Batch == l.batch && in.Batch > 0:
		return wire.FilmAnswer{}, nil
	case in.Batch != l.batch+1:
		return wire.FilmAnswer{}, problem.New(problem.Conflict, "Send batches in their order.",
			"batch %d came, %d is next.", in.Batch, l.batch+1)
	case in.Source != "" && in.Source != "tab_capture" && in.Source != "screencast":
		return wire.FilmAnswer{}, problem.New(problem.InvalidParam, "Send tab_capture or screencast.",
			"source %.40q is none.", in.Source)
	case len(in.Frames) > maxFrames:
		return wire.FilmAnswer{}, problem.New(problem.TooLarge, "Send fewer at once.", "a batch has at most %d frames.", maxFrames)
	}
	frames, err := decode(in.Frames)
	if err != nil {
		return wire.FilmAnswer{}, err
	}
	sound, err := soundOf(in.Sound)
	if err != nil {
		return wire.FilmAnswer{}, err
	}
	sounds := slices.ContainsFunc(in.Frames, func(f wire.FilmFrame) bool { return f.Sound })
	if sounds && !l.sound && (l.writer != nil || sound == nil) {
		return wire.FilmAnswer{}, problem.New(problem.InvalidParam, "Describe the sound in the first batch with frames.",
			"the film has no sound.")
	}
	if l.writer == nil && len(frames) > 0 {
		if l.writer, err = webm.New(l.file, webm.Video{
			Codec: in.Codec, Width: in.Width, Height: in.Height, Matrix: in.Matrix, FullRange: in.FullRange,
		}, sound); err != nil {
			l.writer = nil
			return wire.FilmAnswer{}, problem.New(problem.InvalidParam, "Send vp8 or vp9 with its size.", "%v.", err)
		}
		l.Codec, l.Width, l.Height, l.sound = in.Codec, in.Width, in.Height, sound != nil
	}
	if len(frames) > 0 && (in.Codec != l.Codec || in.Width != l.Width || in.Height != l.Height) {
		return wire.FilmAnswer{}, problem.New(problem.InvalidParam, "Keep codec and size.", "the film is %d×%d %s.",
			l.Width, l.Height, l.Codec)
	}
	l.batch, l.heard = in.Batch, time.Now()
	l.Dropped, l.Covered, l.Source = max(l.Dropped, in.Dropped), max(l.Covered, in.Covered), in.Source
	l.Uncovered = nil
	for _, origin := range in.Uncovered[:min(len(in.Uncovered), maxUncovered)] {
		l.Uncovered = append(l.Uncovered, origin[:min(len(origin), maxOrigin)])
	}
	why := in.Ended
	for i, frame := range frames {
		at := time.Duration(in.Frames[i].US) * time.Microsecond
		if at > maxDuration || l.writer.Size()+int64(len(frame)) > maxBytes {
			why = "too_large"
			if at > maxDuration {
				why = "too_long"
			}
			break
		}
		track := webm.Pictures
		if in.Frames[i].Sound {
			track = webm.Sound
		}
		if err := l.writer.Frame(track, at, in.Frames[i].Key, frame); err != nil {
			_ = f.endLocked(l, "failed") // the write's error is the one to tell
			return wire.FilmAnswer{}, fmt.Errorf("write %s: %w", l.Path, err)
		}
		if track == webm.Pictures {
			l.Frames++
		} else {
			l.Audio, l.Sound = true, "opus"
		}
	}
	if why != "" {
		return wire.FilmAnswer{Ended: why}, f.endLocked(l, why)
	}
	if len(frames) > 0 {
		if err := l.writer.Flush(); err != nil {
			_ = f.endLocked(l, "failed") // as above
			return wire.FilmAnswer{}, fmt.Errorf("write %s: %w", l.Path, err)
		}
	}
	if l.writer != nil && time.Since(l.described) >= describe {
		l.described = time.Now()
		return wire.FilmAnswer{}, f.describeLocked(l)
	}
	return wire.FilmAnswer{}, nil
}

// soundOf returns what the file says of the sound; nil for none.
func soundOf(in *wire.FilmSound) (*webm.Audio, error) {
	if in == nil {
		return nil, nil //nolint:nilnil // a film without sound
	}
	head, err := base64.StdEncoding.DecodeString(in.Head)
	if err != nil || len(head) < 19 || len(head) > maxHead || in.Channels < 1 || in.Channels > 2 {
		return nil, problem.New(problem.InvalidParam, "Send the header of Opus as base64, and one channel or two.",
			"%d bytes for %d channels describe no sound.", len(in.Head), in.Channels)
	}
	return &webm.Audio{Rate: 48_000, Channels: in.Channels, Head: head}, nil
}

func decode(in []wire.FilmFrame) ([][]byte, error) {
	out := make([][]byte, 0, len(in))
	last := int64(0)
	for i, frame := range in {
		data, err := base64.StdEncoding.DecodeString(frame.Data)
		if err != nil || len(data) == 0 || len(data) > webm.MaxFrame {
			return nil, problem.New(problem.InvalidParam, "Send frames as base64.", "frame %d is none.", i)
		}
		if frame.US < last {
			return nil, problem.New(problem.InvalidParam, "Send frames in the order of their times.",
				"frame %d is earlier than the one before.", i)
		}
		last = frame.US
		out = append(out, data)
	}
	return out, nil
}

// End ends a film whose browser does not.
func (f *Films) End(name, why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.live[name]; l != nil {
		_ = f.endLocked(l, why) // who asks reads the film's description, which has no path then
	}
}

// EndSilent ends the films whose browsers have said nothing for long.
func (f *Films) EndSilent() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.live {
		if time.Since(l.heard) >= silence {
			_ = f.endLocked(l, "browser_lost") // nobody waits for it
		}
	}
}

// Close ends all films.
func (f *Films) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.live {
		_ = f.endLocked(l, "daemon_stopped") // nobody waits for it
	}
}

// endLocked ends a film. One without pictures leaves no file.
func (f *Films) endLocked(l *live, why string) error {
	delete(f.live, l.Name)
	l.Ended, l.Truncated = why, why != "stopped"
	var err error
	if l.writer != nil {
		err = l.writer.Close()
	}
	err = errors.Join(err, l.file.Close())
	if l.Frames == 0 {
		l.Path = ""
		err = errors.Join(err, f.dir.Remove(l.Info.file()))
	} else {
		err = errors.Join(err, f.describeLocked(l))
	}
	f.ended = append(f.ended, l.Info)
	f.ended = f.ended[max(0, len(f.ended)-maxEnded):]
	return err
}

func (i Info) file() string { return folder + "/" + i.Name + ".webm" }

func (f *Films) describeLocked(l *live) error {
	l.measure()
	info := l.Info
	info.Path = "" // where the file is, whoever moved it
	data, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return fmt.Errorf("describe %s: %w", l.Path, err)
	}
	return f.dir.Write(folder+"/"+l.Name+".json", append(data, '\n'))
}

func (l *live) measure() {
	if l.writer != nil {
		l.Seconds, l.Bytes = l.writer.Duration().Seconds(), l.writer.Size()
	}
}

// Last returns the last film of a tab that began in this run, the one that goes on before others; name, unless "", says
// which.
func (f *Films) Last(session string, tab int, name string) (Info, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fits := func(i Info) bool {
		if name != "" {
			return i.Name == name
		}
		return i.Session == session && i.Tab == tab
	}
	for _, l := range f.live {
		if fits(l.Info) {
			l.measure()
			return l.Info, true
		}
	}
	for _, e := range slices.Backward(f.ended) {
		if fits(e) {
			return e, true
		}
	}
	return Info{}, false
}

// List returns the films that are kept, the newest first, and the bytes of their files.
func (f *Films) List() (out []Info, bytes int64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if out, err = f.listLocked(); err != nil {
		return nil, 0, err
	}
	for _, i := range out {
		bytes += i.Bytes
	}
	return out, bytes, nil
}

func (f *Films) listLocked() (out []Info, _ error) {
	files, err := f.dir.Files(folder)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		stem, isFilm := strings.CutSuffix(file.Name(), ".webm")
		if !isFilm {
			continue
		}
		if l := f.live[stem]; l != nil {
			l.measure()
			out = append(out, l.Info)
			continue
		}
		i := Info{Name: stem, CreatedAt: file.ModTime().UTC(), Sound: "none"}
		if data, err := f.dir.Read(folder + "/" + stem + ".json"); err == nil {
			if json.Unmarshal(data, &i) != nil { // a file that the user put there, or half of one
				i = Info{Name: stem, CreatedAt: file.ModTime().UTC(), Sound: "none"}
			}
		}
		i.Name, i.Path, i.Bytes = stem, f.dir.Path(folder+"/"+file.Name()), file.Size()
		if i.Ended == "" && i.Frames > 0 {
			i.Ended, i.Truncated = "daemon_lost", true
		}
		out = append(out, i)
	}
	slices.SortStableFunc(out, func(a, b Info) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return out, nil
}

// nameOf makes a name of a tab and a time: film-20260301-120010-tab12. A page has no part in it: names stand in answers.
func nameOf(tab int, at time.Time) string {
	return fmt.Sprintf("film-%s-tab%d", at.UTC().Format("20060102-150405"), tab)
}
