// Package save writes what an agent asked to keep as a file: into the caller's project or into the
// artifact folders of the state directory, and nowhere else. Paths come from models and, through
// them, from pages, so they are checked before anything is made, and files are opened through
// os.Root, which no symlink leaves. The files that an agent may hand to a page are found by the same rules. It also keeps what a
// project stores under keys.
package save

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/state"
)

// folders of the state directory that artifacts may be written to. The rest of it holds tokens and
// settings.
var folders = []string{"artifacts", "screenshots", "recordings"}

// Places are where a caller may save.
type Places struct {
	Root    string     // the caller's project, absolute; "" when it is not known
	Unknown string     // that it is not known, and why
	State   *state.Dir // may be nil

	param string // the parameter that names the path, for refusals; "" is save_to
}

// Of returns the places of a caller.
func Of(call catalog.Call, dir *state.Dir) Places {
	return Places{Root: call.Root, Unknown: call.NoProject(), State: dir}
}

// By returns the places for a path that a parameter of this name gives.
func (p Places) By(param string) Places {
	p.param = param
	return p
}

// File is a path that was checked and may be written.
type File struct {
	Path string // absolute, for people and answers

	root      string     // project root, "" for the state directory
	state     *state.Dir // for the state directory
	forbidden string     // path of the state directory, for the project; "" when there is none
	name      string     // slash-separated, inside root or state
	overwrite bool
}

// Check resolves the path of a file: absolute, or relative to the project root. The extension must
// be one of exts (".png"), so that a slip cannot replace a source file. Problems: path_not_allowed,
// invalid_param for an extension, conflict for a file that is there while overwrite is false.
func (p Places) Check(path string, overwrite bool, exts ...string) (*File, error) {
	if why := p.spelt(path); why != "" {
		return nil, p.refuse(path, why)
	}
	f, err := p.place(path)
	if err != nil {
		return nil, err
	}
	f.overwrite = overwrite
	if p.State != nil && f.state == nil {
		f.forbidden = p.State.Path("")
		if f.insideState() {
			return nil, p.refuse(
				path,
				"it is in the state directory; only "+strings.Join(
					folders,
					", ",
				)+" there take files, by their absolute paths",
			)
		}
	}
	ends := func(ext string) bool { return strings.HasSuffix(strings.ToLower(f.name), ext) }
	if ext := strings.ToLower(filepath.Ext(f.name)); len(exts) > 0 && !slices.ContainsFunc(exts, ends) {
		return nil, problem.New(
			problem.InvalidParam,
			"End it with "+strings.Join(exts, " or ")+".",
			"save_to %.200q has the extension %q.",
			path,
			ext,
		)
	}
	if why := f.closed(); why != "" {
		return nil, p.refuse(path, why)
	}
	switch info, err := f.stat(); {
	case err == nil && info.IsDir():
		return nil, p.refuse(path, "it is a directory")
	case err == nil && !overwrite:
		return nil, problem.New(
			problem.Conflict,
			"Choose another name, or say overwrite:true.",
			"%s is there already.",
			f.Path,
		)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, p.refuse(path, "it leads outside: "+err.Error())
	}
	return f, nil
}

// place finds out in which of the places a path is.
func (p Places) place(path string) (*File, error) {
	if !filepath.IsAbs(path) {
		if p.Root == "" {
			return nil, p.refuse(path, "it is relative, and "+cmp.Or(p.Unknown, "the caller's project is not known"))
		}
		if !filepath.IsLocal(path) {
			return nil, p.refuse(path, "it is no path below the project")
		}
		return &File{Path: filepath.Join(p.Root, path), root: p.Root, name: filepath.ToSlash(filepath.Clean(path))}, nil
	}
	if p.State != nil {
		if name, ok := inside(p.State.Path(""), path); ok {
			if folder, _, below := strings.Cut(name, "/"); !below || !slices.Contains(folders, folder) {
				return nil, p.refuse(path, "of the state directory only "+strings.Join(folders, ", ")+" are open to callers")
			}
			return &File{Path: p.State.Path(name), state: p.State, name: name}, nil
		}
	}
	if p.Root != "" {
		if name, ok := inside(p.Root, path); ok {
			return &File{Path: filepath.Join(p.Root, filepath.FromSlash(name)), root: p.Root, name: name}, nil
		}
	}
	if p.Root == "" {
		return nil, p.refuse(path, cmp.Or(p.Unknown, "the caller's project is not known"))
	}
	return nil, p.refuse(path, "it is outside")
}

// inside returns path relative to dir, slash-separated, if it is below it. Each of the two may be reached by
// a symlink, as temporary directories are on some systems, and projects of people who link theirs.
func inside(dir, path string) (string, bool) {
	dirs := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		dirs = append(dirs, real)
	}
	for _, d := range dirs {
		if rel, err := filepath.Rel(d, path); err == nil && rel != "." && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	own, err := os.Stat(dir)
	if err != nil {
		return "", false
	}
	for at, rel := filepath.Dir(path), filepath.Base(path); ; at, rel = filepath.Dir(at), filepath.Join(filepath.Base(at), rel) {
		if info, err := os.Stat(at); err == nil && os.SameFile(info, own) {
			return filepath.ToSlash(rel), true
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
}

// folder is the folder of the file without links; where it is not there, the nearest above that is.
func (f *File) folder() string {
	dir := filepath.Dir(f.Path)
	for {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return real
		}
		parent := filepath.Dir(dir) // the rest is made when the file is written
		if parent == dir {
			return dir
		}
		dir = parent
	}
}

// parts are the names on the way to the file, as they were given and without links.
func (f *File) parts() []string {
	parts := strings.Split(f.name, "/")
	dir := f.root
	if f.state != nil {
		dir = f.state.Path("")
	}
	if real, ok := inside(dir, f.folder()); ok {
		parts = append(parts, strings.Split(real, "/")...)
	}
	return parts
}

// closed says why the file's folder takes none, "" when it does.
func (f *File) closed() string {
	for _, part := range f.parts() {
		if isGit(part) {
			return "it is inside .git"
		}
		if SecretFolder(part) {
			return "it is in " + part + ", where secrets are"
		}
	}
	return ""
}

// insideState reports whether a file of the project would be in the state directory. It compares
// directories by what they are, not by how they are spelled: links, other cases and mounts lead there, too.
func (f *File) insideState() bool {
	state, err := os.Stat(f.forbidden)
	if err != nil {
		return false
	}
	dir := f.folder()
	for {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, state) {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

func (p Places) refuse(path, why string) error {
	var where []string
	if p.Root != "" {
		where = append(where, "the project "+p.Root)
	}
	if p.State != nil {
		where = append(where, p.State.Path("artifacts"))
	}
	fix := "Use a path below " + strings.Join(where, " or ") + "."
	if p.Root == "" {
		fix = strings.TrimSpace(catalog.StartInProject + " " + fix)
	}
	if len(where) == 0 {
		fix = catalog.StartInProject
	}
	return problem.New(
		problem.PathNotAllowed,
		fix,
		"%s %.200q is not allowed: %s.",
		cmp.Or(p.param, "save_to"),
		path,
		why,
	)
}

func (f *File) stat() (fs.FileInfo, error) {
	dir := f.root
	if f.state != nil {
		dir = f.state.Path("")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() // only read
	return root.Stat(filepath.FromSlash(f.name))
}

// Write writes the file: whole or not at all, 0600, with folders made 0700. Without overwrite a file
// that appeared since Check is a conflict.
func (f *File) Write(data []byte) error {
	return f.Stream(func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Stream is Write for what is made piece by piece; an error of write takes the file away again.
func (f *File) Stream(write func(io.Writer) error) error {
	if err := f.write(write); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return problem.New(
				problem.Conflict,
				"Choose another name, or say overwrite:true.",
				"%s is there already.",
				f.Path,
			)
		}
		return fmt.Errorf("save %s: %w", f.Path, err)
	}
	return nil
}

func (f *File) write(write func(io.Writer) error) error {
	// A link may have been put there since Check: between the two a picture is taken, or a page waited for.
	if f.forbidden != "" && f.insideState() {
		return errors.New("it has become a path into the state directory")
	}
	if why := f.closed(); why != "" {
		return errors.New("its path has become another: " + why)
	}
	if f.state != nil && f.overwrite {
		var data bytes.Buffer
		if err := write(&data); err != nil {
			return err
		}
		return f.state.Write(f.name, data.Bytes())
	}
	dir := f.root
	if f.state != nil {
		dir = f.state.Path("")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() // every file in it is closed before
	name := filepath.FromSlash(f.name)
	if parent := filepath.Dir(name); parent != "." {
		if err := root.MkdirAll(parent, 0o700); err != nil {
			return err
		}
	}
	if f.overwrite {
		// The name is one that nobody knows before: the project may have a link of any other.
		tmp := filepath.Join(filepath.Dir(name), ".gasoline-"+rand.Text()+".tmp")
		if err := fill(root, tmp, write); err != nil {
			return err
		}
		if err := root.Rename(tmp, name); err != nil {
			return errors.Join(err, root.Remove(tmp))
		}
		return nil
	}
	return fill(root, name, write)
}

// fill makes one file and takes it away again when it cannot be written whole. A file or link that is there is an error.
func fill(root *os.Root, name string, write func(io.Writer) error) error {
	file, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = write(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}
