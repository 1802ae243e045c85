package save_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/state"
)

func places(t testing.TB) (p save.Places, outside string) {
	t.Helper()
	base := t.TempDir()
	p.Root = filepath.Join(base, "project")
	outside = filepath.Join(base, "outside")
	for _, d := range []string{p.Root, outside, filepath.Join(p.Root, "shots"), filepath.Join(p.Root, ".git")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(p.Root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "own.png"), []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "own.png"), filepath.Join(p.Root, "linked.png")); err != nil {
		t.Fatal(err)
	}
	state, err := state.Open(filepath.Join(base, "state"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = state.Close() })
	p.State = state
	return p, outside
}

func TestFilesGoWhereTheyMay(t *testing.T) {
	p, _ := places(t)
	for _, path := range []string{"a.png", "shots/b.png", "new/dir/c.PNG", filepath.Join(p.Root, "d.png"),
		p.State.Path("artifacts/e.png"), p.State.Path("screenshots/f.png")} {
		f, err := p.Check(path, false, ".png")
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := f.Write([]byte("image")); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		info, err := os.Stat(f.Path)
		if err != nil || info.Mode().Perm() != 0o600 || info.Size() != 5 {
			t.Errorf("%s: %v %v", path, info, err)
		}
		if _, err := p.Check(path, false, ".png"); problem.From(err).Code != problem.Conflict {
			t.Errorf("%s again: %v, want conflict", path, err)
		}
		again, err := p.Check(path, true, ".png")
		if err != nil {
			t.Errorf("%s overwritten: %v", path, err)
		} else if err := again.Write([]byte("other image")); err != nil {
			t.Errorf("%s overwritten: %v", path, err)
		}
		if data, err := os.ReadFile(f.Path); err != nil || string(data) != "other image" {
			t.Errorf("%s holds %q %v", path, data, err)
		}
	}
}

func TestOtherPathsAreRefused(t *testing.T) {
	p, outside := places(t)
	for _, path := range []string{
		"", "../a.png", "shots/../../a.png", "shots/../a.png", filepath.Join(outside, "a.png"), "/etc/a.png",
		p.Root + "x/a.png",
		"link/a.png", "link/own.png", "linked.png", "shots", "shots/.git/a.png", ".git/hooks/a.png", "a\x00.png",
		p.State.Path("a.png"), p.State.Path("token.png"), p.State.Path("run/a.png"), "C:\\..\\a.png/..",
	} {
		f, err := p.Check(path, true)
		if err == nil {
			err = f.Write([]byte("image")) // a symlink on the way is found at the latest here
		}
		if err == nil {
			t.Errorf("%q was written to %s", path, f.Path)
		}
	}
	if data, err := os.ReadFile(filepath.Join(outside, "own.png")); err != nil || string(data) != "theirs" {
		t.Errorf("a file outside is now %q %v", data, err)
	}
	if _, err := p.Check("main.go", true, ".png", ".jpg"); problem.From(err).Code != problem.InvalidParam {
		t.Errorf("extension: %v", err)
	}
	if _, err := (save.Places{State: p.State}).Check("a.png", false); problem.From(err).Code != problem.PathNotAllowed {
		t.Errorf("relative without a project: %v", err)
	}
}

func TestAFileThatAppearsInBetweenIsKept(t *testing.T) {
	p, _ := places(t)
	f, err := p.Check("a.png", false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Write([]byte("ours")); problem.From(err).Code != problem.Conflict {
		t.Errorf("got %v", err)
	}
	if data, _ := os.ReadFile(f.Path); string(data) != "theirs" {
		t.Errorf("it is now %q", data)
	}
}

func FuzzNothingIsWrittenOutside(f *testing.F) {
	f.Add("a.png")
	f.Add("../x")
	f.Add("link/../../x")
	p, outside := places(f)
	base := filepath.Dir(outside)
	f.Fuzz(func(t *testing.T, path string) {
		file, err := p.Check(path, true)
		if err != nil {
			return
		}
		if !strings.HasPrefix(file.Path, p.Root+string(filepath.Separator)) &&
			!strings.HasPrefix(file.Path, p.State.Path("")+string(filepath.Separator)) {
			t.Errorf("%q became %q", path, file.Path)
		}
		_ = file.Write(nil) // names that the file system refuses are no finding
		left, err := os.ReadDir(outside)
		if err != nil || len(left) != 1 {
			t.Errorf("%q: outside holds %v %v", path, left, err)
		}
		if all, _ := os.ReadDir(base); len(all) != 3 {
			t.Errorf("%q: beside the project there is %v", path, all)
		}
	})
}

// The state directory is known by what it is: no spelling of a path below the project leads into it.
func TestNoPathOfTheProjectLeadsIntoTheStateDirectory(t *testing.T) {
	base := t.TempDir()
	state, err := state.Open(filepath.Join(base, ".gasoline"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = state.Close() })
	for _, name := range []string{"pairings.json", "run/x.json", "artifacts/a.json"} {
		if err := state.Write(name, []byte("ours")); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"inside": ".gasoline", "deep": ".gasoline/run", "home": "."} {
		if err := os.Symlink(filepath.Join(base, target), filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, root := range []string{base, filepath.Join(base, ".gasoline"), filepath.Join(base, "home"),
		filepath.Join(base, "home", ".gasoline", "run")} {
		p := save.Places{Root: root, State: state}
		for _, path := range []string{
			".gasoline/pairings.json", ".gasoline/new.json", ".gasoline/new/deep/x.json", "./.gasoline//run/x.json",
			"inside/pairings.json",
			"deep/x.json", "deep/new.json", "home/.gasoline/pairings.json", "home/inside/new.json", "pairings.json",
			"x.json", "run/x.json",
			".gasoline/artifacts/a.json", filepath.Join(base, "home/.gasoline/token.json"),
			filepath.Join(base, "inside/new.json"),
		} {
			f, err := p.Check(path, true, ".json")
			if err != nil {
				if problem.From(err).Code != problem.PathNotAllowed {
					t.Errorf("%s from %s: %v", path, root, err)
				}
				continue
			}
			// What is let through is in the project, beside the state directory.
			if real, err := filepath.EvalSymlinks(filepath.Dir(f.Path)); err == nil &&
				strings.HasPrefix(real+"/", state.Path("")+"/") {
				t.Errorf("%s from %s is let through as %s", path, root, f.Path)
			}
		}
	}
	// A link that appears between the check and the write.
	p := save.Places{Root: base, State: state}
	f, err := p.Check("later/pairings.json", true, ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(state.Path(""), filepath.Join(base, "later")); err != nil {
		t.Fatal(err)
	}
	if err := f.Write([]byte("theirs")); err == nil {
		t.Error("it was written")
	}
	if data, err := state.Read("pairings.json"); err != nil || string(data) != "ours" {
		t.Errorf("%q %v", data, err)
	}
}

// A folder may be a link to one in which nothing is written, at each level.
func TestLinksIntoFoldersThatAreClosed(t *testing.T) {
	p, _ := places(t)
	for _, to := range []string{".git", ".ssh"} {
		if err := os.MkdirAll(filepath.Join(p.Root, to, "hooks"), 0o700); err != nil {
			t.Fatal(err)
		}
		link := "a" + to[1:]
		if err := os.Symlink(to, filepath.Join(p.Root, link)); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{link + "/x.png", link + "/hooks/x.png", link + "/new/deep/x.png", to + "/x.png"} {
			if f, err := p.Check(path, true); err == nil {
				t.Errorf("%s may be written: %s", path, f.Path)
			}
		}
	}
}

func TestALinkThatComesAfterTheCheckIsNotFollowed(t *testing.T) {
	p, _ := places(t)
	for _, to := range []string{".git", ".ssh"} {
		if err := os.MkdirAll(filepath.Join(p.Root, to), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, overwrite := range []bool{false, true} {
			folder := filepath.Join(p.Root, "late")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			f, err := p.Check("late/x.png", overwrite, ".png")
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.Remove(folder), os.Symlink(to, folder)); err != nil {
				t.Fatal(err)
			}
			if err := f.Write([]byte("x")); err == nil {
				t.Errorf("%s/x.png is written, overwrite %v", to, overwrite)
			}
			if err := os.Remove(folder); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What is replaced is made beside its place first. A link of the project that has the name of that would be written through.
func TestALinkWithTheNameOfWhatIsMadeFirstIsNotFollowed(t *testing.T) {
	p, _ := places(t)
	config := filepath.Join(p.Root, ".git", "config")
	if err := os.WriteFile(config, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run.har.gasoline.tmp", "run.har.tmp", "run.har.lock"} {
		if err := os.Symlink(filepath.Join("..", ".git", "config"), filepath.Join(p.Root, "shots", name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"first", "second"} {
		f, err := p.Check("shots/run.har", true, ".har")
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(f.Path)
		if err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s is %v, %v", f.Path, info, err)
		}
		if got, err := os.ReadFile(f.Path); err != nil || string(got) != text {
			t.Errorf("%s holds %q, %v", f.Path, got, err)
		}
	}
	if got, err := os.ReadFile(config); err != nil || string(got) != "theirs" {
		t.Errorf("what the link leads to holds %q, %v", got, err)
	}
	if left, _ := filepath.Glob(filepath.Join(p.Root, "shots", "*")); len(left) != 4 {
		t.Errorf("in the folder are %q", left)
	}
}

func TestWithoutAProjectTheReasonAndTheWayOutAreTold(t *testing.T) {
	p, outside := places(t)
	p.Root, p.Unknown = "", `the caller's project is not known ("/" is the whole disk)`
	for _, path := range []string{"a.png", filepath.Join(outside, "a.png")} {
		_, err := p.Check(path, false)
		got := problem.From(err)
		if got.Code != problem.PathNotAllowed || !strings.Contains(got.Message, "the whole disk") ||
			!strings.Contains(got.Fix, "X-Gasoline-Project") {
			t.Errorf("%s: %v (%s)", path, err, got.Fix)
		}
		if _, err := p.Read(path, 10); err == nil || !strings.Contains(err.Error(), "the whole disk") {
			t.Errorf("%s is read: %v", path, err)
		}
	}
}
