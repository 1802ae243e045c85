package setup

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Apply writes a change and returns the backup's path, "" when there was nothing to keep. The file is
// replaced at once, never half written, and keeps its mode; a symbolic link is written through, but not out of the
// project. When the file is not any more what the change was made from, nothing is written.
func (c Change) Apply(now time.Time) (backup string, err error) {
	if c.Err != nil {
		return "", c.Err
	}
	if !c.Needed() {
		return "", nil
	}
	path, err := leadsTo(c.Path, c.within)
	if err != nil {
		return "", err
	}
	if path != c.resolved {
		return "", fmt.Errorf("%s leads to %s now; repeat", c.Path, path)
	}
	root, name, err := c.open(path)
	if err != nil {
		return "", fmt.Errorf("make the folder of %s: %w", c.Path, err)
	}
	defer root.Close() // every file in it is closed before
	mode := fs.FileMode(0o600)
	present, exists, err := readIn(root, name)
	switch {
	case err != nil:
		return "", err
	case exists != c.Exists || !bytes.Equal(present, c.Old):
		return "", fmt.Errorf("%s was changed meanwhile; repeat", c.Path)
	case exists:
		st, err := root.Stat(name)
		if err != nil {
			return "", err
		}
		mode = st.Mode().Perm()
	}
	if exists {
		suffix := ".gasoline-" + now.Format("20060102-150405")
		kept := name + suffix + ".bak"
		for n := 2; ; n++ {
			err := create(root, kept, present, mode)
			if err == nil {
				break
			}
			if !errors.Is(err, fs.ErrExist) || n > 100 {
				return "", fmt.Errorf("keep a copy of %s: %w", c.Path, err)
			}
			kept = fmt.Sprintf("%s%s-%d.bak", name, suffix, n)
		}
		backup = filepath.Join(root.Name(), kept)
	}
	if err := replaceIn(root, name, c.New, mode); err != nil {
		return backup, fmt.Errorf("write %s: %w", c.Path, err)
	}
	return backup, nil
}

// open opens the folder that the file is written in, made where it is not there: the project's, which no link leaves, or
// the file's own.
func (c Change) open(path string) (root *os.Root, name string, err error) {
	folder := filepath.Dir(path)
	if c.within == "" {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, "", err
		}
		root, err = os.OpenRoot(folder)
		return root, filepath.Base(path), err
	}
	if folder, err = filepath.EvalSymlinks(c.within); err != nil {
		return nil, "", err
	}
	if name, err = filepath.Rel(folder, path); err != nil {
		return nil, "", err
	}
	if root, err = os.OpenRoot(folder); err != nil {
		return nil, "", err
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, "", errors.Join(err, root.Close())
	}
	return root, name, nil
}

// readIn is read in a folder.
func readIn(root *os.Root, name string) (data []byte, exists bool, err error) {
	data, err = root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, true, err
}

// create writes a file that must not be there yet.
func create(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}

// replace puts a new file into an old one's place.
func replace(path string, data []byte, mode fs.FileMode) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close() // every file in it is closed before
	return replaceIn(root, filepath.Base(path), data, mode)
}

func replaceIn(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	tmp := name + "." + rand.Text() + ".tmp"
	if err := create(root, tmp, data, mode); err != nil {
		return err
	}
	if err := root.Rename(tmp, name); err != nil {
		return errors.Join(err, root.Remove(tmp))
	}
	return nil
}

// leadsTo returns the file that a path leads to, through links of the file and of its folders; it need not exist. One that is
// not within a folder is an error; "" is any.
func leadsTo(path, within string) (string, error) {
	path, err := throughLinks(path)
	if err != nil {
		return "", err
	}
	if within == "" {
		return path, nil
	}
	folder, rest := filepath.Dir(path), filepath.Base(path)
	for {
		real, err := filepath.EvalSymlinks(folder)
		if err == nil {
			path = filepath.Join(real, rest)
			break
		}
		if st, linkErr := os.Lstat(folder); linkErr == nil && st.Mode()&fs.ModeSymlink != 0 || !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%s is a link that leads nowhere, or cannot be looked at", folder)
		}
		folder, rest = filepath.Dir(folder), filepath.Join(filepath.Base(folder), rest)
	}
	real, err := filepath.EvalSymlinks(within)
	if err != nil {
		return "", err
	}
	if name, err := filepath.Rel(real, path); err != nil || !filepath.IsLocal(name) {
		return "", fmt.Errorf("it leads to %s, outside of the project", path)
	}
	return path, nil
}

// throughLinks returns the file that a chain of symbolic links ends at; it need not exist.
func throughLinks(path string) (string, error) {
	for range 40 {
		st, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && st.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}
