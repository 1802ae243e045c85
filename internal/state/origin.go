package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Foreign is the error of Open for a state directory that others may have written: what is in it decides which programs
// run and who is let in, and a repository or an archive can bring one along.
type Foreign struct {
	Path  string
	In    string   // the work tree or the caller's project that it is in; "" when it is in none
	Files []string // what is in it, where it is in none
}

func (f *Foreign) Error() string {
	if f.In != "" {
		return fmt.Sprintf("the state directory %s is in the project %s, where code of others can bring files along; give a "+
			"folder outside of it by --state-dir or GASOLINE_STATE_DIR, or leave both out", f.Path, f.In)
	}
	return fmt.Sprintf("the state directory %s holds %s and was not made by Gasoline on this machine; if it is yours, say so by "+
		`"gasoline serve --state-dir" with it in a terminal, else give another by --state-dir or GASOLINE_STATE_DIR`, f.Path,
		strings.Join(f.Files, ", "))
}

// originFile ties the directory to this disk: it holds the numbers that the disk has for the directory and for the file
// itself, and the time that the file was changed at. Neither git nor an archive keeps the three.
const originFile = "origin"

// The files of the secrets that every state directory has.
const (
	tokenFile = "token"
	saltFile  = "salt"
)

// IsMade reports whether a folder looks like a state directory, of whichever user and daemon.
func IsMade(folder string) bool {
	for _, name := range []string{originFile, tokenFile, saltFile} {
		if info, err := os.Lstat(filepath.Join(folder, name)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// Accept makes a directory that Open refuses as [Foreign] one of this machine, for a person who said so. One in a work
// tree stays refused.
func Accept(path string) error {
	d, err := open(path)
	if err != nil {
		return err
	}
	defer d.Close() // every file in it is closed
	if err := d.Remove(originFile); err != nil {
		return err
	}
	if err := d.placeOrigin(); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return d.own()
}

// own returns a [Foreign] when others may have written the directory. The one in the user's home is the user's.
func (d *Dir) own() error {
	if d.isAccounts() {
		return nil
	}
	if tree := workTree(d.path); tree != "" {
		return &Foreign{Path: d.path, In: tree}
	}
	there, same := d.origin()
	if same {
		return nil
	}
	files, err := d.deciding()
	if err != nil {
		return err
	}
	if !there && len(files) == 0 {
		if err := d.placeOrigin(); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	// Another process may have made it meanwhile: it is there before everything else.
	if _, same := d.origin(); same {
		return nil
	}
	return &Foreign{Path: d.path, Files: files}
}

// origin reports whether the file is there, and whether it is of this directory on this disk.
func (d *Dir) origin() (there, same bool) {
	data, err := d.read(originFile, noFollow, maxFile)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist), false
	}
	info, err := d.root.Lstat(originFile)
	if err != nil {
		return true, false
	}
	want, err := d.originText(originFile, info.ModTime())
	return true, err == nil && string(data) == want
}

func (d *Dir) originText(name string, at time.Time) (string, error) {
	dir, err := d.number(".")
	if err != nil {
		return "", err
	}
	file, err := d.number(name)
	return fmt.Sprintf("%d %d %d\n", dir, file, at.UnixNano()), err
}

// placeOrigin makes the file, or fails with fs.ErrExist.
func (d *Dir) placeOrigin() error {
	tmp := fmt.Sprintf("%s.%s.tmp", originFile, randomHex(4))
	defer func() { _ = d.root.Remove(tmp) }() // it may have its name by then
	at := time.Now()
	for range 2 { // once more when the disk keeps times less exactly
		if err := d.root.WriteFile(tmp, nil, 0o600); err != nil {
			return fmt.Errorf("write %s: %w", d.Path(originFile), err)
		}
		text, err := d.originText(tmp, at)
		if err == nil {
			err = d.root.WriteFile(tmp, []byte(text), 0o600)
		}
		if err == nil {
			err = d.root.Chtimes(tmp, at, at)
		}
		info, statErr := d.root.Lstat(tmp)
		if err = errors.Join(err, statErr); err != nil {
			return fmt.Errorf("write %s: %w", d.Path(originFile), err)
		}
		if info.ModTime().Equal(at) {
			break
		}
		at = info.ModTime()
	}
	err := d.root.Link(tmp, originFile)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return d.root.Rename(tmp, originFile) // a file system without links
	}
	return err
}

// deciding returns the names in the directory, without those that decide nothing: places and logs of daemons, that browsers
// are left alone, and what systems put into folders.
func (d *Dir) deciding() ([]string, error) {
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", d.path, err)
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, ".") && !temporary.MatchString(name) &&
			!slices.Contains([]string{originFile, "run", "logs", "no-browser-setup", "lost+found"}, name) {
			out = append(out, name)
		}
	}
	return out, nil
}

// isAccounts reports whether the directory is the one in the user's home. The home is the one that the system knows: the
// environment may come with a repository, too.
func (d *Dir) isAccounts() bool {
	home := AccountHome()
	if home == "" {
		return false
	}
	standard, err := os.Stat(filepath.Join(home, ".gasoline"))
	if err != nil {
		return false
	}
	ours, err := d.root.Stat(".")
	return err == nil && os.SameFile(standard, ours)
}

// AccountHome is the user's home as the system knows it, "" when it knows none.
var AccountHome = sync.OnceValue(func() string {
	u, err := user.Current()
	if uid := os.Getuid(); uid >= 0 {
		u, err = user.LookupId(strconv.Itoa(uid))
	}
	if err != nil {
		return ""
	}
	return u.HomeDir
})

// workTree returns the folder under version control that a directory is in, "" when it is in none.
func workTree(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	for {
		for _, name := range []string{".git", ".hg", ".jj", ".svn"} {
			if _, err := os.Lstat(filepath.Join(path, name)); err == nil {
				return path
			}
		}
		parent := filepath.Dir(path)
		if parent == path {
			return ""
		}
		path = parent
	}
}
