//go:build !windows

package state

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

const (
	nonBlocking = syscall.O_NONBLOCK // opening a named pipe must not wait for its other end
	noFollow    = syscall.O_NOFOLLOW
)

// secure makes a file, or the directory itself, the user's own. A directory that others may only read
// stays as it is: what is in it cannot be read.
func (d *Dir) secure(name string) error {
	info, err := d.root.Lstat(name)
	if err != nil {
		return fmt.Errorf("look at %s: %w", d.Path(name), err)
	}
	others := info.Mode().Perm() & 0o077
	if info.IsDir() {
		others = info.Mode().Perm() & 0o022
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch uid := os.Getuid(); {
	case !ok || uid == 0 && others == 0: // root may use another's directory, as in a container
		return nil
	case owner.Uid != uint32(uid):
		return fmt.Errorf("%s belongs to another user (uid %d); use another --state-dir", d.Path(name), owner.Uid)
	case others == 0:
		return nil
	case info.Mode()&fs.ModeSticky != 0:
		return fmt.Errorf("%s is shared by all users; use a directory of your own as --state-dir", d.Path(name))
	}
	private := info.Mode().Perm() &^ 0o077
	if err := d.root.Chmod(name, private); err != nil {
		return fmt.Errorf("%s can be used by other users, and could not be made private: %w", d.Path(name), err)
	}
	d.repaired("%s could be used by other users (%v) and was made private.", d.Path(name), info.Mode().Perm())
	return nil
}

// number is what the disk has for a file or folder; no other on it has the same at this time.
func (d *Dir) number(name string) (uint64, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("%s has no number on this disk", d.Path(name))
	}
	return uint64(stat.Ino), nil
}
