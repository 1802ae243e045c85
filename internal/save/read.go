package save

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

// Source is a file that a caller may hand to a page.
type Source struct {
	Path     string // absolute, without links
	Name     string // its last part
	Size     int64  // bytes
	Modified time.Time
	Data     []byte // all of the file; nil when it is larger than the caller takes
}

// Read resolves the path of a file that is to go to a page, or to be read for an answer: absolute, or relative to the project root. It may be in the
// project or in the artifact folders of the state directory, by links neither outside of them nor into .git. A file of
// at most most bytes is read. Problems: path_not_allowed, not_found, permission_denied.
func (p Places) Read(path string, most int64) (*Source, error) {
	p.param = cmp.Or(p.param, "file_path")
	if why := p.spelt(path); why != "" {
		return nil, p.refuse(path, why)
	}
	f, err := p.place(path)
	if err != nil {
		return nil, err
	}
	dir := f.root
	if f.state != nil {
		dir = f.state.Path("")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, missing(f.Path, err)
	}
	defer root.Close() // only read
	info, err := root.Stat(filepath.FromSlash(f.name))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, missing(f.Path, err)
	case err != nil:
		return nil, p.refuse(path, "it leads outside: "+err.Error())
	case info.IsDir():
		return nil, p.refuse(path, "it is a directory")
	case !info.Mode().IsRegular():
		return nil, p.refuse(path, "it is no regular file")
	}
	real, err := filepath.EvalSymlinks(f.Path)
	if err != nil {
		return nil, missing(f.Path, err)
	}
	name, _ := inside(dir, real)
	parts := strings.Split(f.name+"/"+name, "/")
	switch {
	case slices.ContainsFunc(parts, isGit):
		return nil, p.refuse(path, "it is inside .git")
	case slices.ContainsFunc(parts, SecretFolder), secretFile(filepath.Base(f.name)), secretFile(filepath.Base(name)):
		return nil, problem.New(problem.PathNotAllowed,
			"Ask the user to give it to the page, or use a copy without secrets by another name.",
			"%s %.200q is not allowed: files of this name hold secrets.", p.param, path)
	}
	if p.State != nil && f.state == nil {
		f.forbidden, f.Path = p.State.Path(""), real
		if f.insideState() {
			return nil, p.refuse(path, "it is in the state directory")
		}
	}
	file, err := root.Open(filepath.FromSlash(f.name))
	if err != nil {
		return nil, missing(f.Path, err)
	}
	defer file.Close() // only read
	out := &Source{Path: real, Name: filepath.Base(real), Size: info.Size(), Modified: info.ModTime()}
	if out.Size <= most {
		if out.Data, err = io.ReadAll(io.LimitReader(file, most+1)); err != nil {
			return nil, missing(f.Path, err)
		}
		out.Size = int64(len(out.Data)) // as it was read
		if out.Size > most {
			return nil, problem.New(problem.Conflict, "Repeat it when nothing writes the file any more.", "%s grows while it is read.", f.Path)
		}
	}
	return out, nil
}

// Files returns the regular files in a folder and in those below it, by paths that [Places.Read] takes, in their order.
// Folders of packages and those whose names begin with a point are left out, and links. The folder may be absolute, or
// relative to the project root. Problems: path_not_allowed, not_found, permission_denied; too_large where more than most
// files and folders are there.
func (p Places) Files(dir string, most int) (paths []string, err error) {
	p.param = cmp.Or(p.param, "file_path")
	if why := p.spelt(dir); why != "" {
		return nil, p.refuse(dir, why)
	}
	f, err := p.place(dir)
	if err != nil {
		return nil, err
	}
	if f.state != nil {
		return nil, p.refuse(dir, "it is in the state directory")
	}
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return nil, missing(f.Path, err)
	}
	defer root.Close() // only read
	from := filepath.ToSlash(cmp.Or(f.name, "."))
	if info, err := root.Stat(filepath.FromSlash(from)); err == nil && !info.IsDir() {
		return nil, p.refuse(dir, "it is no directory")
	}
	seen := 0
	err = fs.WalkDir(root.FS(), from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return missing(filepath.Join(f.root, filepath.FromSlash(path)), err)
		}
		if seen++; seen > most {
			return problem.New(problem.TooLarge, "Name a smaller folder.", "%s has more than %d files.", f.Path, most)
		}
		switch {
		case d.IsDir() && path != from && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.Type().IsRegular():
			paths = append(paths, filepath.Join(f.root, filepath.FromSlash(path)))
		}
		return nil
	})
	return paths, err
}

func isSlash(r rune) bool { return r == '/' || r == filepath.Separator }

// spelt says what is wrong with a path before anything is looked at, "" when nothing is.
func (p Places) spelt(path string) string {
	if path == "" || strings.ContainsRune(path, 0) {
		return "it is empty or holds a zero byte"
	}
	if slices.Contains(strings.FieldsFunc(path[len(filepath.VolumeName(path)):], isSlash), "..") {
		return `it holds ".."`
	}
	if runtime.GOOS != "windows" {
		return ""
	}
	own := []string{p.Root}
	if p.State != nil {
		own = append(own, p.State.Path(""))
	}
	return windowsPathFault(path, own...)
}

// missing says why a file that may be read cannot be.
func missing(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return problem.New("file_not_found", "Give the path of a file that is there.", "there is no file %s.", path)
	case errors.Is(err, fs.ErrPermission):
		return problem.New("permission_denied", "Give the account that runs Gasoline the right to read it.", "%s may not be read.", path)
	}
	return problem.New("file_not_found", "Give the path of a file that can be read.", "%s cannot be read: %v.", path, err)
}
