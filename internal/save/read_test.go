package save_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/state"
)

// put writes a file and returns its path.
func put(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFilesOfTheProjectAndArtifactsAreRead(t *testing.T) {
	p, _ := places(t)
	inner := put(t, filepath.Join(p.Root, "docs", "a b ü.txt"), []byte("hello"))
	shot := put(t, p.State.Path("screenshots/s.png"), []byte("image"))
	if err := os.Symlink(filepath.Join("docs", "a b ü.txt"), filepath.Join(p.Root, "inside.txt")); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(inner)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"docs/a b ü.txt", "./docs/a b ü.txt", inner, shot, "inside.txt"} {
		s, err := p.Read(path, 5)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if s.Size != 5 || len(s.Data) != 5 || s.Modified.IsZero() || !filepath.IsAbs(s.Path) {
			t.Errorf("%s: %+v", path, s)
		}
		// The browser is told the file itself: a link may lead elsewhere by then.
		if path == "inside.txt" && (s.Path != real || s.Name != "a b ü.txt") {
			t.Errorf("a link is told as %s, %s", s.Path, s.Name)
		}
	}
	large, err := p.Read(inner, 4)
	if err != nil || large.Data != nil || large.Size != 5 {
		t.Errorf("a file of 5 bytes where 4 are taken: %+v %v", large, err)
	}
	empty, err := p.Read(put(t, filepath.Join(p.Root, "empty"), nil), 0)
	if err != nil || empty.Data == nil || empty.Size != 0 {
		t.Errorf("an empty file: %+v %v", empty, err)
	}
}

// A project may be reached by a link, which is what its user and agents name it by.
func TestAProjectIsReadByALinkToIt(t *testing.T) {
	p, outside := places(t)
	put(t, filepath.Join(p.Root, "docs", "a.txt"), []byte("hello"))
	put(t, filepath.Join(p.Root, ".env"), []byte("x"))
	put(t, filepath.Join(outside, "b.txt"), []byte("x"))
	above := t.TempDir()
	for link, to := range map[string]string{"shop": p.Root, "twice": filepath.Join(above, "shop"), "deep": filepath.Join(p.Root, "docs"), "away": outside} {
		if err := os.Symlink(to, filepath.Join(above, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range []string{"shop", "twice"} {
		if s, err := p.Read(filepath.Join(above, link, "docs", "a.txt"), 5); err != nil || string(s.Data) != "hello" {
			t.Errorf("by %s: %+v %v", link, s, err)
		}
		if _, err := p.Check(filepath.Join(above, link, "new", "b.har"), false, ".har"); err != nil {
			t.Errorf("a new file by %s: %v", link, err)
		}
	}
	for _, path := range []string{"shop/.env", "shop/docs/../.env", "deep/a.txt", "away/b.txt", "shop", "b.txt"} {
		if _, err := p.Read(above+"/"+path, 5); problem.From(err).Code != problem.PathNotAllowed {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestOtherFilesAreNotRead(t *testing.T) {
	p, outside := places(t)
	put(t, filepath.Join(p.Root, ".git", "config"), []byte("x"))
	put(t, filepath.Join(p.Root, "sub", ".GIT", "config"), []byte("x"))
	put(t, p.State.Path("token"), []byte("secret"))
	for link, to := range map[string]string{
		"config": filepath.Join(".git", "config"), "up": outside, "token": p.State.Path("token"), "dangling": "nowhere",
	} {
		if err := os.Symlink(to, filepath.Join(p.Root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".env", "keys/id_ed25519", ".ssh/config", "certs/tls.pem", ".npmrc"} {
		put(t, filepath.Join(p.Root, name), []byte("x"))
	}
	if err := os.Symlink(".env", filepath.Join(p.Root, "plain.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".ssh", filepath.Join(p.Root, "open")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]problem.Code{
		".env":                                 problem.PathNotAllowed,
		"plain.txt":                            problem.PathNotAllowed, // a link to such a file
		"keys/id_ed25519":                      problem.PathNotAllowed,
		".ssh/config":                          problem.PathNotAllowed,
		"open/config":                          problem.PathNotAllowed, // below a link to such a folder
		"certs/tls.pem":                        problem.PathNotAllowed,
		".npmrc":                               problem.PathNotAllowed,
		"":                                     problem.PathNotAllowed,
		"a\x00b":                               problem.PathNotAllowed,
		"../outside/own.png":                   problem.PathNotAllowed,
		"docs/../../outside/own.png":           problem.PathNotAllowed,
		filepath.Join(outside, "own.png"):      problem.PathNotAllowed,
		"/etc/passwd":                          problem.PathNotAllowed,
		"linked.png":                           problem.PathNotAllowed, // a link to a file outside
		"link/own.png":                         problem.PathNotAllowed, // below a link outside
		"up/own.png":                           problem.PathNotAllowed,
		"token":                                problem.PathNotAllowed,
		p.State.Path("token"):                  problem.PathNotAllowed,
		p.State.Path("artifacts/../token"):     problem.PathNotAllowed,
		".git/config":                          problem.PathNotAllowed,
		"sub/.GIT/config":                      problem.PathNotAllowed,
		"config":                               problem.PathNotAllowed, // a link into .git
		"shots":                                problem.PathNotAllowed,
		"~/.ssh/id_rsa":                        "file_not_found",
		"nowhere.txt":                          "file_not_found",
		"nowhere/at/all.txt":                   "file_not_found",
		"dangling":                             "file_not_found",
		p.State.Path("screenshots/nowhere"):    "file_not_found",
		filepath.Join(p.Root, "shots", "gone"): "file_not_found",
	} {
		s, err := p.Read(path, 100)
		if err == nil {
			t.Errorf("%q is read: %+v", path, s)
			continue
		}
		if got := problem.From(err); got.Code != want || got.Fix == "" {
			t.Errorf("%q: %v (fix %q), want %s", path, err, got.Fix, want)
		}
		if strings.Contains(err.Error(), "save_to") {
			t.Errorf("%q: the refusal names another parameter: %v", path, err)
		}
	}
}

// The state directory may lie in the project: a home directory can be one.
func TestTheStateDirectoryIsNotReadWhereItIsInTheProject(t *testing.T) {
	root := t.TempDir()
	dir, err := state.Open(filepath.Join(root, ".gasoline"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	put(t, dir.Path("token"), []byte("secret"))
	if err := os.Symlink(".gasoline", filepath.Join(root, "other")); err != nil {
		t.Fatal(err)
	}
	p := save.Places{Root: root, State: dir}
	for _, path := range []string{".gasoline/token", "other/token", dir.Path("token")} {
		if s, err := p.Read(path, 100); err == nil || bytes.Contains([]byte(err.Error()), []byte("secret")) {
			t.Errorf("%s: %+v %v", path, s, err)
		}
	}
}
