package film_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/wire"
)

const opusHead = "OpusHead\x01\x02\x38\x01\x44\xac\x00\x00\x00\x00\x00"

// sounding is a batch with a picture and a packet of sound.
func sounding(name string, n int) wire.Film {
	b := batch(name, n, 0)
	b.Source = "tab_capture"
	b.Sound = &wire.FilmSound{Channels: 2, Head: base64.StdEncoding.EncodeToString([]byte(opusHead))}
	b.Frames = append(b.Frames, wire.FilmFrame{US: 20_000, Key: true, Sound: true, Data: "c291bmQ="})
	return b
}

func TestAFilmHasTheSoundThatCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, t.TempDir())
		begin(t, f, "a", 1)
		b := sounding("a", 1)
		b.Covered, b.Uncovered = 3, []string{strings.Repeat("x", 1000), "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}
		take(t, f, b)
		end := batch("a", 2)
		end.Source, end.Ended, end.Covered = "tab_capture", "stopped", 3
		end.Uncovered = b.Uncovered
		take(t, f, end)
		i, _ := f.Last("s", 1, "")
		if !i.Audio || i.Sound != "opus" || i.Source != "tab_capture" || i.Frames != 1 || i.Covered != 3 {
			t.Errorf("%+v", i)
		}
		if len(i.Uncovered) != 10 || len(i.Uncovered[0]) != 300 {
			t.Errorf("%d origins, the first of %d bytes", len(i.Uncovered), len(i.Uncovered[0]))
		}
		data, err := os.ReadFile(i.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"A_OPUS", opusHead, "sound"} {
			if !strings.Contains(string(data), part) {
				t.Errorf("the file lacks %q", part)
			}
		}
	})
}

func TestAFilmThatWasToHaveSoundAndGotNoneSaysSo(t *testing.T) {
	f := open(t, t.TempDir())
	begin(t, f, "a", 1)
	b := sounding("a", 1)
	b.Frames = b.Frames[:1]
	b.Ended = "capture_ended"
	take(t, f, b)
	if i, _ := f.Last("s", 1, ""); i.Audio || i.Sound != "none" || i.Ended != "capture_ended" || !i.Truncated {
		t.Errorf("%+v", i)
	}
}

func TestSoundThatIsNoneIsRefused(t *testing.T) {
	f := open(t, t.TempDir())
	begin(t, f, "a", 1)
	for what, change := range map[string]func(*wire.Film){
		"no header":        func(b *wire.Film) { b.Sound.Head = "" },
		"no base64":        func(b *wire.Film) { b.Sound.Head = "?" },
		"a short header":   func(b *wire.Film) { b.Sound.Head = "T3B1c0hlYWQ=" },
		"a long header":    func(b *wire.Film) { b.Sound.Head = base64.StdEncoding.EncodeToString(make([]byte, 256)) },
		"no channel":       func(b *wire.Film) { b.Sound.Channels = 0 },
		"many channels":    func(b *wire.Film) { b.Sound.Channels = 3 },
		"not described":    func(b *wire.Film) { b.Sound = nil },
		"an empty packet":  func(b *wire.Film) { b.Frames[1].Data = "" },
		"an earlier one":   func(b *wire.Film) { b.Frames[1].US = -1 },
		"an unknown place": func(b *wire.Film) { b.Source = "camera" },
	} {
		b := sounding("a", 1)
		change(&b)
		if _, err := f.Take(b); code(err) != problem.InvalidParam {
			t.Errorf("%s: %v", what, err)
		}
	}
	take(t, f, sounding("a", 1)) // none of them was the first batch
	silent := batch("a", 2, time.Second)
	take(t, f, silent)
	if i, _ := f.Last("s", 1, ""); i.Frames != 2 || !i.Audio {
		t.Errorf("%+v", i)
	}
}

// Whatever a browser sends, a film takes it or refuses it, within its bounds.
func FuzzTake(f *testing.F) {
	for _, seed := range []wire.Film{sounding("a", 1), batch("a", 1, 0, time.Second), batch("a", 7), {Name: "a"}} {
		data, err := json.Marshal(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, data)
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		films := open(t, t.TempDir())
		begin(t, films, "a", 1)
		frames := 0
		for _, data := range [][]byte{first, second} {
			var b wire.Film
			if json.Unmarshal(data, &b) != nil {
				continue
			}
			b.Session, b.Name = "s", "a"
			if _, err := films.Take(b); err == nil {
				frames += len(b.Frames)
			}
		}
		films.Close()
		i, ok := films.Last("s", 1, "a")
		if !ok || i.Frames > frames || i.Seconds < 0 || i.Seconds > time.Hour.Seconds() || len(i.Uncovered) > 10 {
			t.Errorf("%+v of %d frames", i, frames)
		}
		if i.Path == "" {
			return
		}
		if info, err := os.Stat(i.Path); err != nil || info.Size() != i.Bytes {
			t.Errorf("%v, %d bytes", err, i.Bytes)
		}
	})
}
