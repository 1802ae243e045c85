package file_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/file"
	"github.com/brennhill/gasoline/internal/source/sourcetest"
)

func TestFilesAreReadOnWhereTheLastRunStopped(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "api.log")
	write := func(lines ...string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, l := range lines {
			fmt.Fprintln(f, l)
		}
	}
	var cursors sync.Map
	run := func(more func(), want ...string) {
		t.Helper()
		r := sourcetest.Kept(t, file.Adapter, `{"path":"*.log","from_start":true}`, source.Env{Root: dir}, &cursors)
		stop := r.Start()
		more()
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && len(r.Messages(t)) < len(want); {
			time.Sleep(20 * time.Millisecond)
		}
		stop()
		if got := r.Messages(t); !slices.Equal(got, want) {
			t.Fatalf("messages are %q, want %q: %s", got, want, r.Runner.Status()[0].Line(time.Now()))
		}
	}
	write("one", "two")
	run(func() {}, "one", "two")
	write("three", "Traceback (most recent call last):", `  File "a.py", line 1, in f`, "ValueError: no")
	run(func() {
		if err := os.Rename(path, path+".1"); err != nil {
			t.Error(err)
		}
		write("four")
	}, "four", "no", "three")
	run(func() {})
}

func TestTails(t *testing.T) {
	sourcetest.Tail(t, file.Adapter, func(t *testing.T) *sourcetest.Written {
		path := filepath.Join(t.TempDir(), "api.log")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return &sourcetest.Written{
			Options: `{"path":"api.log"}`, Env: source.Env{Root: filepath.Dir(path)},
			Write: func(lines ...string) {
				for _, l := range lines {
					fmt.Fprintln(f, l)
				}
			},
		}
	})
}

// A pattern that matches nothing is no fault, since the file may come; but an agent that finds no lines is told why.
func TestAPatternThatMatchesNothingIsTold(t *testing.T) {
	dir := t.TempDir()
	r := sourcetest.NewRig(t, file.Adapter, `{"path":"*.log"}`, source.Env{Root: dir})
	stop := r.Start()
	defer stop()
	until := func(n int) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && len(r.Messages(t)) < n; {
			time.Sleep(20 * time.Millisecond)
		}
	}
	until(1)
	note := "no file matches " + filepath.Join(dir, "*.log") + " yet"
	all := r.Events(t)
	if len(all) != 1 {
		t.Fatalf("%q", r.Messages(t))
	}
	if l, ok := all[0].(*event.Log); !ok || l.Message != note || l.Level != "warn" || l.Severity != event.SeverityWarn {
		t.Errorf("an agent sees %+v", all[0])
	}
	if st := r.Runner.Status()[0]; st.State != source.Follows || st.Error != "" || !strings.HasPrefix(st.Line(time.Now()), "api/file: follows; ") {
		t.Errorf("the status is %s", st.Line(time.Now()))
	}
	if err := os.WriteFile(filepath.Join(dir, "late.log"), []byte("here\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	until(2)
	if got := r.Messages(t); !slices.Equal(got, []string{"here", note}) {
		t.Errorf("when the file came: %q", got)
	}
}

// What was allowed is what was shown: a link of the project that leads elsewhere later is not followed.
func TestALinkThatLeadsOutLaterIsNotFollowed(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	link, key, harmless := filepath.Join(dir, "api.log"), filepath.Join(out, "key"), filepath.Join(dir, "real", "a.txt")
	if err := os.Mkdir(filepath.Dir(harmless), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{key: "hidden\n", harmless: "harmless\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join("real", "a.txt"), link); err != nil {
		t.Skip("no links:", err)
	}
	r := sourcetest.NewRig(t, file.Adapter, `{"path":"*.log","from_start":true}`, source.Env{Root: dir})
	stop := r.Start()
	defer stop()
	until := func(text string) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			all := strings.Join(r.Messages(t), "\n")
			if strings.Contains(all, text) {
				return
			}
			if strings.Contains(all, "hidden") || time.Now().After(end) {
				t.Fatalf("%q is not said: %q", text, all)
			}
		}
	}
	until("harmless")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(key, link); err != nil {
		t.Fatal(err)
	}
	until("leads out of the folder of gasoline.json, to " + key)
}
