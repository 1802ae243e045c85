package film_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/film"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/wire"
)

func open(t *testing.T, path string) *film.Films {
	t.Helper()
	dir, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return film.New(dir)
}

func begin(t *testing.T, f *film.Films, name string, tab int) {
	t.Helper()
	if _, err := f.Begin(film.Info{Name: name, Session: "s", Tab: tab, FPS: 15}); err != nil {
		t.Fatal(err)
	}
}

// batch is one with a key frame at each of these times.
func batch(name string, n int, at ...time.Duration) wire.Film {
	b := wire.Film{Session: "s", Name: name, Batch: n, Codec: "vp8", Width: 320, Height: 200}
	for _, d := range at {
		b.Frames = append(b.Frames, wire.FilmFrame{US: d.Microseconds(), Key: true, Data: "aGVsbG8="})
	}
	return b
}

func take(t *testing.T, f *film.Films, b wire.Film) string {
	t.Helper()
	out, err := f.Take(b)
	if err != nil {
		t.Fatal(err)
	}
	return out.Ended
}

func code(err error) problem.Code {
	if err == nil {
		return ""
	}
	return problem.From(err).Code
}

func TestBatchesAreTakenOnceAndInTheirOrder(t *testing.T) {
	f := open(t, t.TempDir())
	begin(t, f, "a", 1)
	take(t, f, batch("a", 1, 0, time.Second))
	take(t, f, batch("a", 1, 0, time.Second)) // sent again: its answer was lost
	other := batch("a", 2, 2*time.Second)
	other.Session = "t"
	wide := batch("a", 2, 2*time.Second)
	wide.Width = 640
	back := batch("a", 2, 2*time.Second, time.Second)
	garbage := batch("a", 2, 2*time.Second)
	garbage.Frames[0].Data = "no base64!"
	many := batch("a", 2, make([]time.Duration, 1001)...)
	for _, tt := range []struct {
		what string
		in   wire.Film
		want problem.Code
	}{
		{"a gap", batch("a", 3, 3*time.Second), problem.Conflict},
		{"one from before", batch("a", 0), problem.Conflict},
		{"another browser", other, problem.NoData},
		{"another size", wide, problem.InvalidParam},
		{"backwards", back, problem.InvalidParam},
		{"garbage", garbage, problem.InvalidParam},
		{"too many", many, problem.TooLarge},
		{"no film", batch("b", 1, 0), problem.NoData},
	} {
		if _, err := f.Take(tt.in); code(err) != tt.want {
			t.Errorf("%s: %v, want %s", tt.what, err, tt.want)
		}
	}
	last := batch("a", 2, 2*time.Second)
	last.Ended = "stopped"
	if got := take(t, f, last); got != "stopped" {
		t.Errorf("ended %q", got)
	}
	if i, ok := f.Last("s", 1, ""); !ok || i.Frames != 3 || i.Seconds != 2 || i.Truncated {
		t.Errorf("%+v", i)
	}
	if got := take(t, f, batch("a", 3, 3*time.Second)); got != "stopped" {
		t.Errorf("after its end: %q", got)
	}
}

func TestFilmsHaveBounds(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	begin(t, f, "a", 1)
	if _, err := f.Begin(film.Info{Name: "b", Session: "s", Tab: 1}); code(err) != problem.Conflict {
		t.Errorf("a second film of a tab: %v", err)
	}
	begin(t, f, "b", 2)
	if _, err := f.Begin(film.Info{Name: "c", Session: "s", Tab: 3}); code(err) != problem.Conflict {
		t.Errorf("a third film: %v", err)
	}
	take(t, f, batch("a", 1, 0))
	if got := take(t, f, batch("a", 2, time.Hour, time.Hour+time.Second)); got != "too_long" {
		t.Errorf("after an hour: %q", got)
	}
	if i, _ := f.Last("s", 1, ""); i.Seconds != 3600 || !i.Truncated {
		t.Errorf("%+v", i)
	}
	f.Cancel("b")
	if _, err := os.Stat(filepath.Join(dir, "videos", "b.webm")); !os.IsNotExist(err) {
		t.Errorf("a film without a picture is kept: %v", err)
	}
	for _, name := range []string{"A", "a/b", "..", "x y", strings.Repeat("x", 65)} {
		if _, err := f.Begin(film.Info{Name: name, Session: "s", Tab: 4}); err == nil {
			t.Errorf("a film is called %q", name)
		}
	}
	for i := range 20 - 1 {
		name := fmt.Sprint("n", i)
		begin(t, f, name, 5)
		b := batch(name, 1, 0)
		b.Ended = "stopped"
		take(t, f, b)
	}
	_, err := f.Begin(film.Info{Name: "z", Session: "s", Tab: 6})
	if code(err) != problem.Conflict || !strings.Contains(problem.From(err).Fix, "delete") {
		t.Errorf("one more than may be kept: %v", err)
	}
}

func TestAFilmWhoseBrowserIsSilentEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, t.TempDir())
		begin(t, f, "a", 1)
		take(t, f, batch("a", 1, 0))
		time.Sleep(9 * time.Second)
		take(t, f, batch("a", 2)) // nothing new
		time.Sleep(9 * time.Second)
		if f.EndSilent(); func() bool { i, _ := f.Last("s", 1, ""); return i.Ended != "" }() {
			t.Error("it ended too early")
		}
		time.Sleep(2 * time.Second)
		f.EndSilent()
		if i, _ := f.Last("s", 1, ""); i.Ended != "browser_lost" || !i.Truncated {
			t.Errorf("%+v", i)
		}
	})
}

func TestADaemonThatEndsLeavesFilms(t *testing.T) {
	path := t.TempDir()
	f := open(t, path)
	begin(t, f, "stopped", 1)
	take(t, f, batch("stopped", 1, 0, time.Second))
	f.Close()
	begin(t, f, "killed", 2)
	take(t, f, batch("killed", 1, 0, time.Second, 2*time.Second))
	films, bytes, err := open(t, path).List() // as the next daemon sees it
	if err != nil || len(films) != 2 {
		t.Fatalf("%+v %v", films, err)
	}
	why := map[string]string{}
	for _, i := range films {
		why[i.Name] = i.Ended
		if info, err := os.Stat(i.Path); err != nil || info.Mode().Perm() != 0o600 || !i.Truncated || i.Bytes != info.Size() {
			t.Errorf("%+v %v", i, err)
		}
	}
	// What was taken is in the file of the killed one: the header, and its three frames.
	if data, err := os.ReadFile(filepath.Join(path, "videos", "killed.webm")); err != nil || strings.Count(string(data), "hello") != 3 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if why["stopped"] != "daemon_stopped" || why["killed"] != "daemon_lost" || bytes == 0 {
		t.Errorf("%v, %d bytes", why, bytes)
	}
	f.Close()
}
