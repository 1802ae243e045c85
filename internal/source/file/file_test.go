package file_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

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
