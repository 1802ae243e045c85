package state

import (
	"errors"
	"fmt"
	"io/fs"
)

// File is an entry of a folder.
type File struct {
	Name string // without the folder
	Size int64  // bytes
}

// List returns the files of a folder, sorted by name; none when the folder is not there. What is no regular file, and what
// a write has begun, is left out.
func (d *Dir) List(folder string) ([]File, error) {
	entries, err := fs.ReadDir(d.root.FS(), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", d.Path(folder), err)
	}
	var out []File
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || temporary.MatchString(e.Name()) {
			continue // an entry that went meanwhile is no file of the folder any more
		}
		out = append(out, File{Name: e.Name(), Size: info.Size()})
	}
	return out, nil
}

// ReadLarge is Read for a file of at most this many bytes.
func (d *Dir) ReadLarge(name string, most int64) ([]byte, error) { return d.readMost(name, 0, most) }
