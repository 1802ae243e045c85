package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Apply writes a change and returns the backup's path, "" when there was nothing to keep. The file is
// replaced at once, never half written, and keeps its mode; a symbolic link is written through. When the
// file is not any more what the change was made from, nothing is written.
func (c Change) Apply(now time.Time) (backup string, err error) {
	if c.Err != nil {
		return "", c.Err
	}
	if !c.Needed() {
		return "", nil
	}
	path, err := throughLinks(c.Path)
	if err != nil {
		return "", err
	}
	mode := fs.FileMode(0o600)
	present, exists, err := read(path)
	switch {
	case err != nil:
		return "", err
	case exists != c.Exists || !bytes.Equal(present, c.Old):
		return "", fmt.Errorf("%s was changed meanwhile; repeat", c.Path)
	case exists:
		st, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		mode = st.Mode().Perm()
	default:
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", fmt.Errorf("make the folder of %s: %w", c.Path, err)
		}
	}
	if exists {
		backup = path + ".gasoline-" + now.Format("20060102-150405") + ".bak"
		for n := 2; ; n++ {
			err := create(backup, present, mode)
			if err == nil {
				break
			}
			if !errors.Is(err, fs.ErrExist) || n > 100 {
				return "", fmt.Errorf("keep a copy of %s: %w", c.Path, err)
			}
			backup = fmt.Sprintf("%s.gasoline-%s-%d.bak", path, now.Format("20060102-150405"), n)
		}
	}
	if err := replace(path, c.New, mode); err != nil {
		return backup, fmt.Errorf("write %s: %w", c.Path, err)
	}
	return backup, nil
}

// create writes a file that must not be there yet.
func create(path string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// replace puts a new file into an old one's place.
func replace(path string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
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
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
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

// inProject returns an error for a file that links of the project lead out of its folder: they come with a repository, and
// who is asked reads the name of the link.
func inProject(dir, path string) error {
	target, err := throughLinks(path)
	if err != nil {
		return err
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	for at := filepath.Dir(target); ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue // it is made when the file is written
		}
		if err != nil {
			return err
		}
		if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
			return fmt.Errorf("%s leads out of the project, to %s", path, target)
		}
		return nil
	}
}
