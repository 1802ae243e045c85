package state

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Dir is the state directory. Files are 0600 in 0700 directories; names are slash-separated and
// cannot leave it, not even through symlinks. Safe for concurrent use.
type Dir struct {
	path string
	root *os.Root

	mu      sync.Mutex
	repairs []string
}

// Open opens the state directory and makes it if it is not there. One that other users may write to
// is made the user's own, or refused where that cannot be: see Repairs. One that others may have written is a [Foreign].
func Open(path string) (*Dir, error) {
	d, err := open(path)
	if err != nil {
		return nil, err
	}
	if err := d.own(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func open(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("resolve state directory: %w", err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make state directory: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open state directory: %w", err)
	}
	d := &Dir{path: path, root: root}
	if err := d.secure("."); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return d, nil
}

// Repairs tells which files and directories other users could use until they were made private, a
// sentence each.
func (d *Dir) Repairs() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.repairs)
}

func (d *Dir) repaired(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.repairs = append(d.repairs, fmt.Sprintf(format, args...))
}

// Moved reports whether the path does not lead to this directory any more: it was moved, removed or
// replaced, so that other programs look for it in vain.
func (d *Dir) Moved() bool {
	there, err := os.Stat(d.path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	ours, err := d.root.Stat(".")
	return err == nil && !os.SameFile(there, ours)
}

// Sweep removes what writes left behind that were cut off, if it is older than age.
func (d *Dir) Sweep(age time.Duration) error {
	for _, folder := range []string{".", "run", "screenshots", "artifacts", "states", "recordings"} {
		entries, err := fs.ReadDir(d.root.FS(), folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("list %s: %w", d.Path(folder), err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if !temporary.MatchString(e.Name()) || err != nil || time.Since(info.ModTime()).Abs() < age {
				continue
			}
			if err := d.Remove(folder + "/" + e.Name()); err != nil {
				return fmt.Errorf("sweep: %w", err)
			}
		}
	}
	return nil
}

// temporary is the name of a file that Write has begun.
var temporary = regexp.MustCompile(`\.[0-9a-f]{8}\.tmp$`)

// Close releases the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Path returns the absolute path of a name, for people and for answers; files are opened through d.
func (d *Dir) Path(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// maxFile bounds a file that is read as a whole, in bytes.
const maxFile = 4 << 20

// Read returns a file's contents, at most maxFile bytes. A file that is not there is fs.ErrNotExist.
// What is no regular file is an error at once: a pipe would be waited for without an end.
func (d *Dir) Read(name string) ([]byte, error) { return d.read(name, 0, maxFile) }

// ReadUpTo is Read for a file of at most most bytes.
func (d *Dir) ReadUpTo(name string, most int64) ([]byte, error) { return d.read(name, 0, most) }

// ReadStart returns the first bytes of a file, at most most of them.
func (d *Dir) ReadStart(name string, most int64) ([]byte, error) {
	f, _, err := d.open(name, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	return io.ReadAll(io.LimitReader(f, most))
}

func (d *Dir) read(name string, flag int, most int64) ([]byte, error) {
	f, size, err := d.open(name, flag)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	if size > most {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read", d.Path(name), size, most)
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// open opens a regular file for reading and tells its size.
func (d *Dir) open(name string, flag int) (*os.File, int64, error) {
	f, err := d.root.OpenFile(name, os.O_RDONLY|nonBlocking|flag, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file but %s; delete it", d.Path(name), kindOf(info.Mode()))
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// Files returns the regular files of a folder, by name, without those that a write has begun. A folder that is not there
// has none.
func (d *Dir) Files(folder string) ([]fs.FileInfo, error) {
	entries, err := fs.ReadDir(d.root.FS(), folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list %s: %w", d.Path(folder), err)
	}
	var out []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && !temporary.MatchString(e.Name()) {
			out = append(out, info)
		}
	}
	return out, nil
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	}
	return "a device or a socket"
}

// Write replaces a file as a whole: readers see the old or the new contents, never a part.
func (d *Dir) Write(name string, data []byte) error {
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		if err := d.root.MkdirAll(name[:i], 0o700); err != nil {
			return fmt.Errorf("make %s: %w", d.Path(name[:i]), err)
		}
	}
	tmp := fmt.Sprintf("%s.%s.tmp", name, randomHex(4))
	if err := d.root.WriteFile(tmp, data, 0o600); err != nil {
		_ = d.root.Remove(tmp) // a part of it may be there; the write's error is the one to tell
		return fmt.Errorf("write %s: %w", d.Path(name), err)
	}
	if err := d.root.Rename(tmp, name); err != nil {
		_ = d.root.Remove(tmp) // the rename's error is the one to tell
		return fmt.Errorf("replace %s: %w", d.Path(name), err)
	}
	return nil
}

// Append opens a file for appending.
func (d *Dir) Append(name string) (*os.File, error) {
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		if err := d.root.MkdirAll(name[:i], 0o700); err != nil {
			return nil, fmt.Errorf("make %s: %w", d.Path(name[:i]), err)
		}
	}
	return d.root.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
}

// Trim deletes the oldest files of a folder, by name, until at most keep are left. Names that begin
// with a time sort by it.
func (d *Dir) Trim(folder string, keep int) error {
	entries, err := fs.ReadDir(d.root.FS(), folder)
	if err != nil {
		return fmt.Errorf("list %s: %w", d.Path(folder), err)
	}
	for _, e := range entries[:max(0, len(entries)-keep)] {
		if err := d.Remove(folder + "/" + e.Name()); err != nil {
			return fmt.Errorf("trim %s: %w", d.Path(folder), err)
		}
	}
	return nil
}

// Create makes a new file and opens it for reading and writing, 0600. The error wraps fs.ErrExist when it is there. The
// caller closes it.
func (d *Dir) Create(name string) (*os.File, error) {
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		if err := d.root.MkdirAll(name[:i], 0o700); err != nil {
			return nil, fmt.Errorf("make %s: %w", d.Path(name[:i]), err)
		}
	}
	f, err := d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", d.Path(name), err)
	}
	return f, nil
}

// Remove deletes a file; one that is not there is no error.
func (d *Dir) Remove(name string) error {
	if err := d.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// secret returns the file's contents, made of n random bytes in hexadecimal when it is not there. A
// file with anything else in it is an error, not replaced: a daemon that runs may still go by it.
func (d *Dir) secret(name string, n int) (string, error) {
	info, err := d.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err = d.Place(name, []byte(randomHex(n)+"\n")); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("write %s: %w", d.Path(name), err)
		}
	case err == nil && !info.Mode().IsRegular():
		return "", fmt.Errorf(
			"%s is no file but %s; delete it, and end the daemon if one runs",
			d.Path(name),
			kindOf(info.Mode()),
		)
	}
	if err := d.secure(name); err != nil {
		return "", err
	}
	data, err := d.read(name, noFollow, maxFile)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", d.Path(name), err)
	}
	secret := strings.TrimSpace(string(data))
	if _, err := hex.DecodeString(secret); err != nil || len(secret) < 16 {
		return "", fmt.Errorf(
			`%s is damaged: it has to hold at least 16 hexadecimal digits; delete it, and end the daemon if one runs`,
			d.Path(name),
		)
	}
	return secret, nil
}

// Place makes a file with these contents, or fails with fs.ErrExist. Of several processes that do it at
// once one succeeds, and nobody ever sees a part: the file gets its name when it is whole.
func (d *Dir) Place(name string, data []byte) error {
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		if err := d.root.MkdirAll(name[:i], 0o700); err != nil {
			return fmt.Errorf("make %s: %w", d.Path(name[:i]), err)
		}
	}
	tmp := fmt.Sprintf("%s.%s.tmp", name, randomHex(4))
	if err := d.root.WriteFile(tmp, data, 0o600); err != nil {
		_ = d.root.Remove(tmp) // a part of it may be there
		return err
	}
	err := d.root.Link(tmp, name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		// A file system without links. Two that start at this very moment may now disagree, once.
		return d.root.Rename(tmp, name)
	}
	return errors.Join(err, d.root.Remove(tmp))
}

// Token returns the token of this install, made on first use. It opens every route.
func (d *Dir) Token() (string, error) { return d.secret(tokenFile, 32) }

// Salt returns what keys the pseudonyms that pages make, made on first use.
func (d *Dir) Salt() (string, error) { return d.secret(saltFile, 16) }

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails; see crypto/rand
	return hex.EncodeToString(b)
}
