package state_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/brennhill/gasoline/internal/state"
)

func open(t *testing.T) *state.Dir {
	t.Helper()
	d, err := state.Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func TestFilesAreForTheUserOnly(t *testing.T) {
	d := open(t)
	if err := d.Write("a/b.json", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		for name, want := range map[string]fs.FileMode{"": 0o700, "a": 0o700, "a/b.json": 0o600} {
			if st, err := os.Stat(d.Path(name)); err != nil || st.Mode().Perm() != want {
				t.Errorf("%q has %v, want %v (%v)", name, st.Mode().Perm(), want, err)
			}
		}
	}
	if err := d.Write("../out", nil); err == nil {
		t.Error("wrote outside of the directory")
	}
	if err := os.Symlink(t.TempDir(), d.Path("link")); err == nil {
		if err := d.Write("link/out", nil); err == nil {
			t.Error("wrote through a symlink out of the directory")
		}
	}
}

func TestTokenIsMadeOnceByManyAtOnce(t *testing.T) {
	for range 20 { // who sees a file that is not written yet must not replace it
		manyMakeTheToken(t, filepath.Join(t.TempDir(), "state"))
	}
}

func manyMakeTheToken(t *testing.T, path string) {
	t.Helper()
	var mu sync.Mutex
	seen := map[string]int{}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			d, err := state.Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer d.Close()
			token, err := d.Token()
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			seen[token]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(seen) != 1 {
		t.Errorf("%d different tokens", len(seen))
	}
}

func TestADamagedTokenIsToldNotReplaced(t *testing.T) {
	for _, contents := range []string{"", "\n", "abc", "no hexadecimal digits at all",
		strings.Repeat("ab", 16) + "\r\nX-Evil: 1"} {
		d := open(t)
		if err := os.WriteFile(d.Path("token"), []byte(contents), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := d.Token()
		if err == nil || !strings.Contains(err.Error(), d.Path("token")) ||
			!strings.Contains(err.Error(), "delete it") {
			t.Errorf("token file %q: %v", contents, err)
		}
		if now, err := os.ReadFile(d.Path("token")); err != nil || string(now) != contents {
			t.Errorf("token file %q became %q (%v)", contents, now, err)
		}
	}
}

func TestTrimKeepsTheNewestByName(t *testing.T) {
	d := open(t)
	for _, n := range []string{"3", "1", "2"} {
		if err := d.Write("shots/"+n, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Trim("shots", 2); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[string]bool{"1": false, "2": true, "3": true} {
		if _, err := d.Read("shots/" + n); (err == nil) != want {
			t.Errorf("%s: %v", n, err)
		}
	}
}

// A folder's files are listed without what a write has begun, and the start of one is read without the rest.
func TestFilesAndStarts(t *testing.T) {
	d := open(t)
	if list, err := d.Files("none"); err != nil || list != nil {
		t.Errorf("%v %v", list, err)
	}
	for _, name := range []string{"f/b", "f/a", "f/b.0123abcd.tmp", "f/in/side"} {
		if err := d.Write(name, []byte("contents")); err != nil {
			t.Fatal(err)
		}
	}
	list, err := d.Files("f")
	if err != nil || len(list) != 2 || list[0].Name() != "a" || list[1].Name() != "b" {
		t.Errorf("%v %v", list, err)
	}
	if start, err := d.ReadStart("f/a", 4); err != nil || string(start) != "cont" {
		t.Errorf("%q %v", start, err)
	}
	if _, err := d.ReadUpTo("f/a", 7); err == nil {
		t.Error("read more than was allowed")
	}
	if all, err := d.ReadUpTo("f/a", 8); err != nil || string(all) != "contents" {
		t.Errorf("%q %v", all, err)
	}
	if _, err := d.ReadStart("f", 4); err == nil {
		t.Error("read a folder")
	}
}

// The directory is gone, too, when something else has the name of a folder above it.
func TestADirectoryBelowAFileHasMoved(t *testing.T) {
	base := filepath.Join(t.TempDir(), "base")
	d, err := state.Open(filepath.Join(base, "state"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if d.Moved() {
		t.Error("it has moved at once")
	}
	if err := os.RemoveAll(base); err != nil {
		t.Skip("an open directory cannot be removed here:", err)
	}
	if err := os.WriteFile(base, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !d.Moved() {
		t.Error("it has not moved")
	}
}
