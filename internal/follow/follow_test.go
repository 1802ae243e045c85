package follow_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/brennhill/gasoline/internal/follow"
)

// rig follows files of one folder within a bubble of time.
type rig struct {
	t     *testing.T
	dir   string
	got   []string
	lines []follow.Line
	marks map[string]follow.Mark
	notes []string
	ready []int
	most  int // lines at once
	saves int
	stop  func()
	fail  error
}

func newRig(t *testing.T) *rig {
	return &rig{t: t, dir: t.TempDir(), marks: map[string]follow.Mark{}}
}

func (r *rig) path(name string) string { return filepath.Join(r.dir, name) }

func (r *rig) write(name, text string) {
	r.t.Helper()
	f, err := os.OpenFile(r.path(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = io.WriteString(f, text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) rename(from, to string) {
	r.t.Helper()
	if err := os.Rename(r.path(from), r.path(to)); err != nil {
		r.t.Fatal(err)
	}
}

// start follows the pattern; the files that match were looked at when it returns.
func (r *rig) start(pattern string, begin bool) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan error, 1)
	go func() {
		done <- follow.Follow(ctx, follow.Config{
			Patterns: []string{r.path(pattern)}, Marks: r.marks, Begin: begin,
			Emit: func(_ context.Context, lines []follow.Line) error {
				r.lines = append(r.lines, lines...)
				r.most = max(r.most, len(lines))
				for _, l := range lines {
					if filepath.Dir(l.Path) != r.dir || strings.HasSuffix(l.Path, ".1") || l.Time.IsZero() || time.Since(l.Time) < 0 {
						r.t.Errorf("a line of %q at %s", l.Path, l.Time)
					}
					text := l.Text
					if l.Size > 0 {
						text = fmt.Sprintf("%d of %d", len(l.Text), l.Size)
					}
					r.got = append(r.got, text)
				}
				return r.fail
			},
			Save:  func(m map[string]follow.Mark) error { r.marks = m; r.saves++; return nil },
			Ready: func(files int) { r.ready = append(r.ready, files) },
			Note:  func(text string) { r.notes = append(r.notes, text) },
		})
	}()
	r.stop = func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) && !errors.Is(err, r.fail) {
			r.t.Error(err)
		}
	}
	synctest.Wait()
}

// later lets two seconds pass.
func (r *rig) later() {
	time.Sleep(2 * time.Second)
	synctest.Wait()
}

// quiet fails when the user was told of anything.
func (r *rig) quiet() {
	r.t.Helper()
	if len(r.notes) > 0 {
		r.t.Errorf("told %q", r.notes)
	}
}

func (r *rig) want(lines ...string) {
	r.t.Helper()
	if !slices.Equal(r.got, lines) {
		r.t.Errorf("got %q, want %q", r.got, lines)
	}
}

func TestFollowsFromTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "old\n")
		r.start("*.log", false)
		r.write("a.log", "one\ntwo")
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		r.want("one") // the other may go on
		r.write("a.log", " goes on\r\n")
		r.write("b.log", "of a new file\n")
		r.later()
		r.want("one", "two goes on", "of a new file")
		r.write("a.log", "no newline")
		r.later()
		r.want("one", "two goes on", "of a new file", "no newline")
		r.stop()
		r.start("*.log", false) // what was handed on without its newline is not handed on again
		r.write("a.log", "\nlast\n")
		r.later()
		r.want("one", "two goes on", "of a new file", "no newline", "", "last")
		r.stop()
		if !slices.Equal(r.ready, []int{1, 2}) {
			t.Errorf("%d files are followed", r.ready)
		}
	})
}

func TestRotationByRename(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "")
		r.start("a.log", false)
		r.write("a.log", "one\n")
		r.later()
		r.write("a.log", "two\n")
		r.rename("a.log", "a.log.1")
		r.write("a.log.1", "three\n") // the writer has not noticed yet
		r.write("a.log", "four\n")
		r.later()
		r.write("a.log.1", "five\n") // within the grace
		r.write("a.log", "six\n")
		r.later()
		slices.Sort(r.got[2:]) // two files have no common order
		r.want("one", "two", "five", "four", "six", "three")
		r.stop()
	})
}

func TestRotationByCopyAndTruncate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "")
		r.start("a.log", true)
		r.write("a.log", "first line\nhalf of")
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		if err := os.Truncate(r.path("a.log"), 0); err != nil {
			t.Fatal(err)
		}
		r.write("a.log", "new\n")
		r.later()
		// Truncated and written beyond the old size between two looks: the beginning tells.
		if err := os.Truncate(r.path("a.log"), 0); err != nil {
			t.Fatal(err)
		}
		r.write("a.log", "quite another and a much longer line\n")
		r.later()
		r.want("first line", "new", "quite another and a much longer line")
		r.stop()
	})
}

// A writer that does not append goes on where it was when a file is copied and truncated: zeros are in front of its next
// line, here more of them than a line may have.
func TestZerosInFrontOfALineAfterATruncation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		w, err := os.Create(r.path("a.log"))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		say := func(text string) {
			if _, err := w.WriteString(text); err != nil {
				t.Fatal(err)
			}
			r.later()
		}
		r.start("a.log", true)
		long := strings.Repeat("x", 200<<10)
		say(long + "\n" + long + "\n")
		if err := os.Truncate(r.path("a.log"), 0); err != nil {
			t.Fatal(err)
		}
		say("after\n")
		say("then\n")
		r.want(long, long, "after", "then")
		r.stop()
	})
}

// Many loggers rename a file to a name that the pattern means, too: it is the same file, of which nothing is read again.
func TestRotationToANameThatMatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("app.log", "old\n")
		r.start("*.log", false)
		r.write("app.log", "one\n")
		r.later()
		r.write("app.log", "two\n")
		r.rename("app.log", "app-1.log")
		r.write("app-1.log", "three\n")
		r.later()
		r.write("app.log", "four\n")
		r.later()
		r.rename("app-1.log", "app-2.log") // as logrotate counts
		r.rename("app.log", "app-1.log")
		r.write("app-1.log", "five\n")
		r.write("app.log", "six\n")
		r.later()
		r.want("one", "two", "three", "four", "five", "six")
		r.stop()
		r.write("app.log", "seven\n")
		r.rename("app.log", "app-0.log") // while nobody followed
		r.write("app-0.log", "eight\n")
		r.write("app.log", "nine\n")
		r.start("*.log", false)
		r.later()
		r.want("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
		r.stop()
		r.rename("app.log", "old-app.log") // a name that is not looked at before
		r.write("old-app.log", "ten\n")
		r.write("app.log", "eleven\n")
		r.start("*.log", false)
		r.later()
		slices.Sort(r.got[9:])
		r.want("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "eleven", "ten")
		r.stop()
	})
}

// What was in a file before it may be read is no part of what is new. (The superuser may from the beginning.)
func TestAFileThatMayBeReadLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "old\n")
		if err := os.Chmod(r.path("a.log"), 0); err != nil {
			t.Fatal(err)
		}
		r.start("*.log", false)
		r.later()
		if err := os.Chmod(r.path("a.log"), 0o600); err != nil {
			t.Fatal(err)
		}
		r.later()
		r.write("a.log", "new\n")
		r.later()
		r.want("new")
		r.stop()
	})
}

// Two names of one file, such as a link to the newest, are one file, also when the link is set to the next.
func TestNamesOfOneFile(t *testing.T) {
	for _, link := range []string{"a-current.log", "z-current.log"} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			set := func(to string) {
				t.Helper()
				err := os.Symlink(to, r.path("new"))
				if err := errors.Join(err, os.Rename(r.path("new"), r.path(link))); err != nil {
					t.Fatal(err)
				}
			}
			r.write("d-1.log", "old\n")
			set("d-1.log")
			r.start("*.log", true)
			r.write("d-1.log", "one\n")
			r.later()
			r.write("d-1.log", "two\n")
			r.write("d-2.log", "three\n")
			set("d-2.log")
			r.later()
			r.write("d-1.log", "four\n")
			r.later()
			r.write("d-2.log", "five\n")
			r.later()
			slices.Sort(r.got)
			r.want("five", "four", "old", "one", "three", "two")
			r.stop()
			r.start("*.log", true)
			r.write("d-2.log", "six\n")
			r.later()
			r.want("five", "four", "old", "one", "three", "two", "six")
			r.stop()
		})
	}
}

// Some programs begin with the same lines each time. A file that was written anew while nobody followed is known by what
// is before the mark, too.
func TestAFileThatBeginsAsBefore(t *testing.T) {
	banner := strings.Repeat("=", 300) + "\n"
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", banner+"one\n")
		r.start("a.log", true)
		r.later()
		anew := func(text string) {
			t.Helper()
			if err := os.WriteFile(r.path("a.log"), []byte(banner+text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		anew("two, which is longer\n") // between two looks
		r.later()
		r.stop()
		anew("three, which is a line that is longer still\n")
		r.start("a.log", true)
		r.later()
		line := strings.TrimSuffix(banner, "\n")
		r.want(line, "one", line, "two, which is longer", line, "three, which is a line that is longer still")
		r.stop()
	})
}

// How far a file was read is known also when it was not there, or could not be read, for a whole run.
func TestMarksOutliveARunWithoutTheFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "a1\n")
		r.write("b.log", "b1\n")
		r.start("*.log", false)
		r.write("a.log", "a2\n")
		r.write("b.log", "b2\n")
		r.later()
		r.stop()
		r.rename("a.log", "a.away")
		r.start("*.log", false)
		r.write("b.log", "b3\n")
		r.later()
		r.stop()
		r.write("a.away", "a3\n")
		r.rename("a.away", "a.log")
		r.start("*.log", false)
		r.later()
		r.want("a2", "b2", "b3", "a3")
		r.stop()
	})
}

// A file that was renamed is read for as long as lines come to it.
func TestAWriterThatIsSlowToNoticeARotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "")
		r.start("a.log", false)
		r.rename("a.log", "a.log.1")
		r.write("a.log", "")
		want := []string{}
		for i := range 10 {
			line := fmt.Sprint("line ", i)
			r.write("a.log.1", line+"\n")
			want = append(want, line)
			r.later()
		}
		r.want(want...)
		r.stop()
	})
}

// A file with other contents is noticed by its time alone, and by its size alone.
func TestAFileThatIsWrittenAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "first line\n")
		r.start("a.log", true)
		r.later()
		r.write("a.log", "one more\n")
		r.later()
		at := time.Now().Add(time.Hour)
		anew := func(text string) {
			t.Helper()
			err := os.WriteFile(r.path("a.log"), []byte(text), 0o600)
			if err := errors.Join(err, os.Chtimes(r.path("a.log"), at, at)); err != nil {
				t.Fatal(err)
			}
			r.later()
		}
		anew("other line\nno more.\n") // as long
		anew("short\n")                // at the same time
		r.want("first line", "one more", "other line", "no more.", "short")
		r.stop()
	})
}

func TestGoesOnWhereItStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "before\n")
		r.start("*.log", false)
		r.write("a.log", "one\nhalf")
		time.Sleep(300 * time.Millisecond)
		synctest.Wait()
		r.stop()
		r.write("a.log", " a line\nmeanwhile\n")
		r.rename("a.log", "a.log.1") // rotated while nobody followed
		r.write("a.log", "of the new file\n")
		r.start("*.log", false)
		r.later()
		slices.Sort(r.got[1:])
		r.want("one", "half a line", "meanwhile", "of the new file")
		r.write("a.log.1", "from one that has not noticed\n")
		r.later()
		r.want("one", "half a line", "meanwhile", "of the new file", "from one that has not noticed")
		r.stop()
	})
}

func TestFilesThatAreNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		if err := os.Mkdir(r.path("d.log"), 0o700); err != nil {
			t.Fatal(err)
		}
		r.write("old.log.gz", "zzz\n")
		r.start("*", true)
		r.later()
		r.want()
		r.write("long.log", strings.Repeat("x", 600<<10)+"\nshort\n")
		r.later()
		r.want("262144 of 614400", "short")
		r.quiet()
		r.stop()
	})
}

func TestWhatWasNotTakenIsNotMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "")
		r.start("a.log", false)
		r.write("a.log", "one\n")
		r.later()
		r.stop()
		r.fail = errors.New("no")
		r.start("a.log", false)
		r.write("a.log", "two\n")
		r.later()
		r.stop()
		r.fail = nil
		r.start("a.log", false)
		r.later()
		r.want("one", "two", "two")
		r.stop()
	})
}

func split(parts ...string) (out []string) {
	var s follow.Splitter
	emit := func(p follow.Piece) { out = append(out, string(p.Text)) }
	for _, p := range parts {
		s.Write([]byte(p), time.Unix(1, 0), emit)
	}
	s.Close(emit)
	return out
}

func TestSplitter(t *testing.T) {
	for _, c := range []struct{ in, want []string }{
		{[]string{"a\nb", "c\n\nd"}, []string{"a", "bc", "", "d"}},
		{[]string{"a\r\nb\r", "\nc"}, []string{"a", "b", "c"}},
		{[]string{"10 %\r50 %\r100 %\n"}, []string{"10 %\r100 %"}},
		{[]string{"10 %\r", "100 %", "\r\n"}, []string{"10 %\r100 %"}},
		{[]string{"a\r\r\nb\r", "\r", "\nc\r\rd\n"}, []string{"a", "b", "c\rd"}}, // nothing was written over what returned twice
	} {
		if got := split(c.in...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestAFileThatComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.start("later.log", false)
		r.later()
		r.write("later.log", "from its beginning\n")
		r.later()
		r.want("from its beginning")
		r.rename("later.log", "gone")
		r.later()
		r.quiet()
		r.stop()
	})
	if got, err := follow.Expand([]string{"/none/x*.log", "/none/y.log", "/none/y.log", "/none/a.log"}); err != nil ||
		!slices.Equal(got, []string{"/none/a.log", "/none/y.log"}) {
		t.Errorf("%q %v", got, err)
	}
	if _, err := follow.Expand([]string{"["}); err == nil || !strings.Contains(err.Error(), `"["`) {
		t.Error(err)
	}
}

// What cannot be followed is told once.
func TestWhatCannotBeFollowedIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		if err := os.Symlink(os.DevNull, r.path("a-device.log")); err != nil {
			t.Fatal(err)
		}
		device, err := os.Stat(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 300 { // after the device by name, before it by time
			name := fmt.Sprintf("f%03d.log", i)
			r.write(name, "old\n")
			old := device.ModTime().Add(-time.Hour)
			if err := os.Chtimes(r.path(name), old, old); err != nil {
				t.Fatal(err)
			}
		}
		r.start("*.log", true)
		r.later()
		r.later()
		r.stop()
		if len(r.got) != 255 || len(r.notes) != 2 {
			t.Errorf("%d lines, notes %q", len(r.got), r.notes)
		}
		for _, want := range []string{"301 files match; the 256 that were written to last are followed", r.path("a-device.log") + " cannot be read: it is no regular file"} {
			if !slices.Contains(r.notes, want) {
				t.Errorf("notes are %q, want %q", r.notes, want)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for i := range 256 {
			r.write(fmt.Sprintf("f%03d.log", i), "")
		}
		r.start("*.log", true)
		r.stop()
		if len(r.notes) != 0 || !slices.Equal(r.ready, []int{256}) {
			t.Errorf("%d files, notes %q", r.ready, r.notes)
		}
	})
}

// A mark is of a file by its beginning. One that is not of the file at its path is of what that was renamed to, even
// where the path has characters of patterns; else the file is read from its beginning.
func TestMarksOfOtherFiles(t *testing.T) {
	first := "the first line" + strings.Repeat("!", 300) // of more bytes than a mark is of
	head := first + "\n"
	for name, c := range map[string]struct {
		change func(r *rig, path string)
		want   []string
	}{
		"the same":    {func(r *rig, path string) { r.write(path, "more\n") }, []string{"more"}},
		"nothing new": {func(*rig, string) {}, nil},
		"emptied and written": {func(r *rig, path string) {
			r.t.Helper()
			if err := os.WriteFile(r.path(path), []byte("another line\nmore\n"), 0o600); err != nil {
				r.t.Fatal(err)
			}
		}, []string{"another line", "more"}},
		"shorter": {func(r *rig, path string) {
			r.t.Helper()
			m := r.marks[r.path(path)]
			m.Offset = 1000
			r.marks[r.path(path)] = m
		}, []string{first}},
		"a head of more bytes than are looked at": {func(r *rig, path string) {
			r.t.Helper()
			m := r.marks[r.path(path)]
			m.Length = 1 << 40
			r.marks[r.path(path)] = m
		}, []string{first}},
		"renamed": {func(r *rig, path string) {
			r.t.Helper()
			r.write(path, "end\n")
			r.rename(path, path+".1")
			r.write(path, "new\n")
			r.write(path+".0", head+"a copy\n")
		}, []string{"end", "new"}},
		"renamed and packed": {func(r *rig, path string) {
			r.t.Helper()
			r.write(path, "packed\n")
			r.rename(path, path+".gz")
			r.write(path, "new\n")
		}, []string{"new"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				const path = "a[1]*.log"
				r.write(path, head)
				pattern := `a\[1]\*.log`
				r.start(pattern, true)
				r.later()
				r.stop()
				r.want(first)
				r.got = nil
				c.change(r, path)
				r.start(pattern, false)
				r.later()
				r.want(c.want...)
				r.later()
				r.want(c.want...)
				r.stop()
			})
		})
	}
}

// What cannot be saved or is no pattern ends it.
func TestErrorsEndIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "one\n")
		full := errors.New("the disk is full")
		err := follow.Follow(t.Context(), follow.Config{
			Patterns: []string{r.path("a.log")}, Begin: true,
			Emit: func(context.Context, []follow.Line) error { return nil },
			Save: func(map[string]follow.Mark) error { return full },
		})
		if !errors.Is(err, full) {
			t.Errorf("save: %v", err)
		}
		if err := follow.Follow(t.Context(), follow.Config{Patterns: []string{"["}}); !errors.Is(err, filepath.ErrBadPattern) {
			t.Errorf("pattern: %v", err)
		}
	})
}

// After a truncation the mark is one of the new contents.
func TestMarksAfterATruncation(t *testing.T) {
	for name, c := range map[string]struct {
		line   string
		length int
	}{"a short beginning": {"new", 4}, "a long one": {strings.Repeat("new", 100), 256}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				before := strings.Repeat("a long line that goes", 20)
				r.write("a.log", before+"\n")
				r.start("a.log", true)
				r.later()
				if err := os.Truncate(r.path("a.log"), 0); err != nil {
					t.Fatal(err)
				}
				r.write("a.log", c.line+"\n")
				r.later()
				r.stop()
				if m := r.marks[r.path("a.log")]; m.Offset != int64(len(c.line)+1) || m.Length != c.length || m.File == "" {
					t.Errorf("%+v", m)
				}
				r.write("a.log", "more\n")
				r.start("a.log", false)
				r.later()
				r.want(before, c.line, "more")
				r.stop()
			})
		})
	}
}

// A line that is cut ends with a whole character; what is no character at all is cut where the bound is.
func TestLongLinesAreCutBetweenCharacters(t *testing.T) {
	for char, want := range map[string]int{"x": 256 << 10, "é": 256 << 10, "€": 256<<10 - 1, "\U0001f600": 256 << 10, "\xff": 256<<10 - 5} {
		line := strings.Repeat(char, 300<<10/len(char))
		var s follow.Splitter
		var text string
		size, calls := 0, 0
		emit := func(p follow.Piece) {
			calls++
			text, size = string(p.Text), p.Size
			if !p.Time.Equal(time.Unix(2, 0)) {
				t.Errorf("the time is %s", p.Time)
			}
		}
		s.Write([]byte(line[:1000]), time.Unix(1, 0), emit)
		s.Write([]byte(line[1000:]+"\n"), time.Unix(2, 0), emit)
		if len(text) != want || size != len(line) || calls != 1 {
			t.Errorf("%q: %d bytes of %d, want %d", char, len(text), size, want)
		}
	}
	// A line that stands for a while is given with the time of its last byte, once.
	var s follow.Splitter
	var got []string
	emit := func(p follow.Piece) { got = append(got, string(p.Text)+" "+p.Time.UTC().Format("05")) }
	s.Write([]byte("Password: "), time.Unix(3, 0), emit)
	s.Idle(time.Unix(3, 0), emit)
	if s.Open() != 10 || len(got) != 0 {
		t.Errorf("%d %q", s.Open(), got)
	}
	s.Idle(time.Unix(4, 0), emit)
	s.Idle(time.Unix(5, 0), emit)
	s.Close(emit)
	if s.Open() != 0 || !slices.Equal(got, []string{"Password:  03"}) {
		t.Errorf("%d %q", s.Open(), got)
	}
}

// A line that is cut anyway and pauses stays one line: what follows would look like another.
func TestALongLineThatPausesStaysOne(t *testing.T) {
	var s follow.Splitter
	var got []int
	emit := func(p follow.Piece) { got = append(got, p.Size) }
	s.Write([]byte(strings.Repeat("x", 300<<10)), time.Unix(1, 0), emit)
	s.Idle(time.Unix(10, 0), emit)
	s.Write([]byte("x\n"), time.Unix(10, 0), emit)
	if !slices.Equal(got, []int{300<<10 + 1}) {
		t.Errorf("%d", got)
	}
	s.Write([]byte(strings.Repeat("x", 300<<10)), time.Unix(20, 0), emit)
	s.Idle(time.Unix(31, 0), emit) // not held back forever
	if !slices.Equal(got, []int{300<<10 + 1, 300 << 10}) {
		t.Errorf("%d", got)
	}
}

// A line has the path of its file, also after it was renamed, and the time at which its last byte was read.
func TestLinesSayWhereAndWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.start("*.log", false)
		begin := time.Now()
		r.write("a.log", "one\n")
		r.later()
		r.write("a.log", "not whole")
		r.rename("a.log", "a.log.1")
		r.write("a.log", "new\n")
		time.Sleep(100 * time.Millisecond)
		r.write("a.log.1", " yet\nthe end")
		time.Sleep(6 * time.Second) // for which a renamed file is read
		synctest.Wait()
		for _, want := range []struct {
			text     string
			from, to time.Duration
		}{{"one", 0, time.Second}, {"new", 2 * time.Second, 3 * time.Second}, {"not whole yet", 2 * time.Second, 4 * time.Second}, {"the end", 2 * time.Second, 4 * time.Second}} {
			i := slices.IndexFunc(r.lines, func(l follow.Line) bool { return l.Text == want.text })
			if i < 0 {
				t.Fatalf("%q is not in %+v", want.text, r.lines)
			}
			l := r.lines[i]
			if after := l.Time.Sub(begin); l.Path != r.path("a.log") || after < want.from || after > want.to {
				t.Errorf("%q of %s after %v", l.Text, l.Path, after)
			}
		}
		if len(r.lines) != 4 {
			t.Errorf("%+v", r.lines)
		}
		r.stop()
	})
}

// What was there at the start is no part of what is new, also when it ends before a line came.
func TestMarksBeforeTheFirstLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "old\n")
		r.start("*.log", false)
		r.write("b.log", "b\n") // marks are saved
		r.later()
		r.stop()
		if m := r.marks[r.path("a.log")]; m.Offset != 4 {
			t.Errorf("%+v", m)
		}
		r.write("a.log", "while nobody looked\n")
		r.start("*.log", false)
		r.later()
		r.want("b", "while nobody looked")
		r.stop()
	})
}

// A file that was emptied and has as many bytes again is read anew: its time says it.
func TestAFileThatIsWrittenAnewWithTheSameSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.start("*.log", false)
		r.write("a.log", "first line\n")
		r.later()
		r.later()
		if err := os.WriteFile(r.path("a.log"), []byte("other line\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(time.Hour)
		if err := os.Chtimes(r.path("a.log"), at, at); err != nil { // the file system's clock is not the bubble's
			t.Fatal(err)
		}
		r.later()
		r.want("first line", "other line")
		r.stop()
	})
}

// While lines come, a file is looked at often; when none came for a while, each second.
func TestHowOftenFilesAreLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.start("*.log", false)
		r.write("a.log", "")
		for i := range 10 { // busy
			r.write("a.log", fmt.Sprintf("line %d\n", i))
			time.Sleep(150 * time.Millisecond)
			synctest.Wait()
			if i > 2 && len(r.got) < i {
				t.Errorf("after line %d there are %d", i, len(r.got))
			}
		}
		time.Sleep(20 * time.Second)
		r.write("a.log", "late\n")
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait()
		if len(r.got) != 11 {
			t.Errorf("%q", r.got)
		}
		r.stop()
	})
}

// A file may be renamed while nobody looks, and come anew after the first look: the rest of the renamed one is read, too.
func TestARotationThatTheStartFallsInto(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.start("*.log", true)
		r.write("a.log", "one\n")
		r.later()
		r.stop()
		r.write("a.log", "two\n")
		r.rename("a.log", "a.log.1")
		r.start("*.log", true)
		r.later()
		r.write("a.log", "three\n")
		r.later()
		slices.Sort(r.got)
		r.want("one", "three", "two")
		r.write("a.log", "four\n")
		r.rename("a.log", "a.log.2") // the mark is used up: it is read as what is open
		r.write("a.log", "five\n")
		r.later()
		slices.Sort(r.got)
		r.want("five", "four", "one", "three", "two")
		r.stop()
	})
}

// Windows' PowerShell redirects output as UTF-16, and some editors put a mark in front of UTF-8. Marks of how far a file was
// read are of its bytes.
func TestFilesOfWindows(t *testing.T) {
	wide := func(order binary.AppendByteOrder, text string) string {
		var out []byte
		for _, c := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, c)
		}
		return string(out)
	}
	for name, encode := range map[string]func(string) string{
		"UTF-8":     func(s string) string { return s },
		"UTF-16 LE": func(s string) string { return wide(binary.LittleEndian, s) },
		"UTF-16 BE": func(s string) string { return wide(binary.BigEndian, s) },
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			r.start("a.log", true)
			r.write("a.log", encode("\ufeffone\r\nzwölf Ċ 😀\r\nha"))
			time.Sleep(150 * time.Millisecond)
			synctest.Wait()
			r.write("a.log", encode("lf")[:1]) // within a character
			time.Sleep(150 * time.Millisecond)
			synctest.Wait()
			r.stop()
			r.write("a.log", encode("lf")[1:]+encode("\r\nlast\r\n"))
			r.start("a.log", true)
			r.later()
			if want := []string{"one", "zwölf Ċ 😀", "half", "last"}; !slices.Equal(r.got, want) {
				t.Errorf("%s: %q, want %q", name, r.got, want)
			}
			r.stop()
		})
	}
}

// A line is live when it was written while its file was followed; what a file had before comes with how it ended then.
func TestLinesAreLiveWhileTheyAreWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "one\ntwo\nnot who")
		written := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		if err := os.Chtimes(r.path("a.log"), written, written); err != nil {
			t.Fatal(err)
		}
		r.start("*.log", true)
		r.later()
		r.write("a.log", "le\nthree\n")
		r.later()
		r.rename("a.log", "a.log.1")
		r.write("a.log", "four\n")
		r.later()
		r.write("a.log", "five\n")
		r.later()
		r.write("new.log", "six\n")
		r.later()
		r.write("new.log", "seven\n")
		r.later()
		r.stop()
		r.write("a.log", "eight\n")
		r.start("*.log", false)
		r.later()
		r.write("a.log", "nine\n")
		r.later()
		r.stop()
		var got []string
		for _, l := range r.lines {
			text := l.Text
			if l.Live {
				text += " live"
			}
			if l.End != nil {
				text += fmt.Sprintf(" end %q", l.End.Text)
				if l.Text == "one" && !l.End.Time.Equal(written) {
					t.Errorf("%s", l.End.Time)
				}
			}
			got = append(got, text)
		}
		want := []string{
			`one end "one\ntwo"`, "two", "not who", "le live", "three live", `four end "four"`, "five live", `six end "six"`, "seven live",
			`eight end "four\nfive\neight"`, "nine live",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q\nwant %q", got, want)
		}
	})
}

// What is read long after it was written is not live, though it was written while its file was followed.
func TestLinesThatWaitedAreNotLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		path := filepath.Join(t.TempDir(), "a.log")
		write := func(text string) {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err == nil {
				_, err = io.WriteString(f, text)
				err = errors.Join(err, f.Close())
			}
			if err != nil {
				t.Error(err)
			}
		}
		write("")
		var got []string
		done := make(chan error)
		go func() {
			done <- follow.Follow(ctx, follow.Config{Patterns: []string{path}, Emit: func(_ context.Context, lines []follow.Line) error {
				for _, l := range lines {
					got = append(got, fmt.Sprint(l.Text, " ", l.Live))
					if l.Text == "one" { // the daemon is away for an hour
						time.Sleep(time.Hour)
					}
				}
				return nil
			}})
		}()
		for _, text := range []string{"one\n", "two\n"} {
			time.Sleep(2 * time.Second)
			write(text)
		}
		time.Sleep(2 * time.Hour)
		write("three\n")
		time.Sleep(2 * time.Second)
		cancel()
		<-done
		if want := []string{"one true", "two false", "three true"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// What was taken before the end does not come again, also where the end came while it was taken.
func TestWhatWasTakenBeforeTheEndIsMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "one\n")
		r.write("b.log", "two\n")
		ctx, cancel := context.WithCancel(t.Context())
		var got []string
		err := follow.Follow(ctx, follow.Config{
			Patterns: []string{r.path("*.log")}, Begin: true,
			Emit: func(_ context.Context, lines []follow.Line) error {
				for _, l := range lines {
					got = append(got, l.Text)
				}
				cancel()
				return nil
			},
			Save: func(m map[string]follow.Mark) error { r.marks = m; return nil },
		})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		r.start("*.log", true)
		r.later()
		r.stop()
		if got = append(got, r.got...); !slices.Equal(got, []string{"one", "two"}) {
			t.Errorf("%q", got)
		}
	})
}
