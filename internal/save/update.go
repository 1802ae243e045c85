package save

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

// Bounds of changing a file that several programs write.
const (
	lockWait  = 2 * time.Second       // how long another program's change is waited for
	lockStale = 30 * time.Second      // an older lock was left by a program that ended
	lockLong  = time.Second           // time for which it has to look so
	lockLook  = 10 * time.Millisecond // time between two looks
)

// Update changes a file of the project. change gets what the file holds, nil when it is not there, and returns what it is
// to hold; the same bytes leave the file alone. Whoever changes the file in this way waits for the others, so that no
// change is lost: the new contents are written to path.lock, which only one program can make, and take the file's place
// as a whole. The file keeps its permissions; a new one has 0644, less the umask. A link is followed where it stays in the
// project. The file may have most bytes. Problems: those of [Places.Check] and of change; too_large, conflict when the
// lock is not given up, permission_denied.
func (p Places) Update(path string, most int64, change func(old []byte) ([]byte, error)) error {
	f, err := p.Check(path, true)
	if err == nil {
		err = p.follow(f, path)
	}
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return unwritable(f.Path, err)
	}
	defer root.Close() // every file in it is closed before
	name := filepath.FromSlash(f.name)
	lock, err := lockFile(root, name)
	if errors.Is(err, fs.ErrExist) {
		return problem.New(problem.Conflict, "Repeat the call; delete "+f.Path+".lock if no program writes the file.",
			"another program is changing %s.", f.Path)
	}
	if err != nil {
		return unwritable(f.Path, err)
	}
	done := false
	defer func() {
		if !done {
			_ = lock.Close()              // the error before is the one to tell
			_ = root.Remove(lockOf(name)) // what stays is swept when it is old
		}
	}()
	old, mode, err := readAll(root, name, most)
	switch {
	case errors.Is(err, errTooLarge):
		return TooLarge(f.Path, most)
	case err != nil:
		return unwritable(f.Path, err)
	}
	data, err := change(old)
	if err != nil || old != nil && bytes.Equal(data, old) {
		return err
	}
	if int64(len(data)) > most {
		return TooLarge(f.Path, most)
	}
	_, err = lock.Write(data)
	if mode != 0 {
		err = errors.Join(err, lock.Chmod(mode))
	}
	if err = errors.Join(err, lock.Close()); err != nil {
		return unwritable(f.Path, err)
	}
	if err := root.Rename(lockOf(name), name); err != nil {
		return unwritable(f.Path, err)
	}
	done = true
	return nil
}

// TooLarge is the problem of a file with more bytes than it may have.
func TooLarge(path string, most int64) error {
	return problem.New(problem.TooLarge, "Take something out of it.", "%s may have %d bytes, and it has more.", path, most)
}

var errTooLarge = errors.New("the file is too large")

func lockOf(name string) string { return name + ".lock" }

// follow makes a link's target the file. It has to be in the project, and neither in .git nor in the state directory.
func (p Places) follow(f *File, path string) error {
	real, err := filepath.EvalSymlinks(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if info, err := os.Lstat(f.Path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return p.refuse(path, "it is a link that leads nowhere")
		}
		return nil
	}
	if err != nil {
		return unwritable(f.Path, err)
	}
	name, ok := inside(f.root, real)
	if !ok {
		return p.refuse(path, "it leads outside")
	}
	g, err := p.Check(filepath.Join(f.root, filepath.FromSlash(name)), true)
	if err != nil {
		return err
	}
	*f = *g
	return nil
}

// lockFile makes the lock. The error wraps fs.ErrExist when another program holds it for too long. The lock has the time
// of this program's clock: a file server or a virtual machine may have another, by which a lock is old as soon as it is
// made. One that looks old is looked at for lockLong, since it has the other time for moments.
func lockFile(root *os.Root, name string) (*os.File, error) {
	var old, since time.Time // the time of a lock that looks old, and when that was first seen
	for end := time.Now().Add(lockWait); ; time.Sleep(lockLook) {
		lock, err := root.OpenFile(lockOf(name), os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
		if err == nil {
			now := time.Now()
			_ = root.Chtimes(lockOf(name), now, now) // where that is not possible it has the other time
		}
		if !errors.Is(err, fs.ErrExist) {
			return lock, err
		}
		if info, err := root.Stat(lockOf(name)); err != nil || time.Since(info.ModTime()).Abs() <= lockStale {
			old = time.Time{}
		} else if !info.ModTime().Equal(old) {
			old, since = info.ModTime(), time.Now()
		} else if time.Since(since) >= lockLong {
			_ = root.Remove(lockOf(name)) // somebody else may have done so
			old = time.Time{}
			continue
		}
		if time.Now().After(end) {
			return nil, err
		}
	}
}

// readAll reads a file of at most most bytes and tells its permissions; nil when it is not there.
func readAll(root *os.Root, name string, most int64) ([]byte, fs.FileMode, error) {
	info, err := root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errors.New("it is no regular file")
	}
	if info.Size() > most {
		return nil, 0, errTooLarge
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close() // only read
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = errTooLarge
	}
	if data == nil {
		data = []byte{}
	}
	return data, info.Mode().Perm(), err
}

// unwritable says why a file of the project cannot be changed.
func unwritable(path string, err error) error {
	return problem.New("permission_denied", "Let the account that runs Gasoline write there.", "%s cannot be changed: %v.",
		path, err)
}
