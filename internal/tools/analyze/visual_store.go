package analyze

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/state"
)

// Bounds of a project's baselines. None is deleted to make room: whoever saved it counts on it.
const (
	maxBaselines     = 100
	maxBaselineBytes = 200_000_000 // with the pictures of differences
	maxPictureBytes  = 64 << 20
)

// baseline is what a saved picture was made of.
type baseline struct {
	Name     string       `json:"name"`
	Picture  string       `json:"picture"` // its file, which is called by what is in it
	SavedAt  time.Time    `json:"saved_at"`
	URL      string       `json:"url"`
	Title    string       `json:"title,omitempty"`
	Width    int          `json:"width"` // pixels
	Height   int          `json:"height"`
	Viewport [2]float64   `json:"viewport"` // width, height in CSS pixels
	Scale    float64      `json:"device_scale"`
	Scheme   string       `json:"scheme"`
	Scroll   [2]float64   `json:"scroll"`
	Browser  string       `json:"browser"`
	Route    string       `json:"route"`
	Selector string       `json:"selector,omitempty"`
	FullPage bool         `json:"full_page,omitempty"`
	Masks    []string     `json:"masks,omitempty"`
	Dynamic  []changePart `json:"dynamic,omitempty"` // that changed by themselves while it was taken
}

// gallery is where a project's baselines are: NAME.json, NAME.<sum>.png of the same, and NAME.diff.png of the last
// comparison. A name has no dot.
type gallery struct {
	dir    *state.Dir
	folder string
}

// galleryLock keeps a picture and what is known of it together. Only one daemon uses a state directory.
var galleryLock sync.Mutex

var baselineName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

func (env Env) gallery() (*gallery, error) {
	folder, err := save.ProjectFolder(env.Call, "baselines")
	if err != nil {
		return nil, err
	}
	return &gallery{env.Dir, folder + "/" + save.VisualFolder}, nil
}

// checkName refuses a name that is none: it becomes a file's.
func checkName(name string) error {
	if baselineName.MatchString(name) {
		return nil
	}
	return problem.New(problem.InvalidParam, "Take letters, digits, - and _, at most 64: home-dark.",
		"%s is no name of a baseline.", answer.Cut(answer.Clean(name), 80))
}

// of returns the files of a baseline. Some file systems take two names that differ in case for one, so do we.
func of(name string, files []fs.FileInfo) []fs.FileInfo {
	return slices.DeleteFunc(slices.Clone(files), func(f fs.FileInfo) bool {
		own, _, _ := strings.Cut(f.Name(), ".")
		return !strings.EqualFold(own, name)
	})
}

func sizeOf(files []fs.FileInfo) (n int64) {
	for _, f := range files {
		n += f.Size()
	}
	return n
}

// all returns every baseline by name, and the bytes of all. Those that cannot be read are told.
func (g *gallery) all() (list []baseline, bytes int64, broken []string, err error) {
	galleryLock.Lock()
	defer galleryLock.Unlock()
	files, err := g.dir.Files(g.folder)
	if err != nil {
		return nil, 0, nil, err
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".json")
		if !ok {
			continue
		}
		b, err := g.read(f.Name())
		if err != nil {
			broken = append(broken, name)
			continue
		}
		list = append(list, *b)
	}
	return list, sizeOf(files), broken, nil
}

func (g *gallery) read(file string) (*baseline, error) {
	data, err := g.dir.Read(g.folder + "/" + file)
	if err != nil {
		return nil, err
	}
	var b baseline
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, err
	}
	if name, _, _ := strings.Cut(file, "."); name != b.Name || b.Width <= 0 || b.Height <= 0 {
		return nil, errors.New("it holds no baseline")
	}
	return &b, nil
}

// load returns a baseline and its picture. Problem: no_data.
func (g *gallery) load(name string) (*baseline, []byte, error) {
	if err := checkName(name); err != nil {
		return nil, nil, err
	}
	galleryLock.Lock()
	defer galleryLock.Unlock()
	files, err := g.dir.Files(g.folder)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range of(name, files) {
		if !strings.HasSuffix(f.Name(), ".json") {
			continue
		}
		b, err := g.read(f.Name())
		if err != nil {
			return nil, nil, g.broken(name, err)
		}
		data, err := g.dir.ReadUpTo(g.folder+"/"+b.Picture, maxPictureBytes)
		if err != nil {
			return nil, nil, g.broken(name, err)
		}
		if b.Picture != pictureName(b.Name, data) {
			return nil, nil, g.broken(name, errors.New("the picture was changed"))
		}
		return b, data, nil
	}
	return nil, nil, unknownBaseline(name, files)
}

func (g *gallery) broken(name string, err error) error {
	return problem.New(problem.NoData, fmt.Sprintf(`Save it anew: analyze {"what":"visual_baseline","name":%q,"overwrite":true}.`, name),
		"the baseline %s cannot be read: %v.", name, err)
}

func unknownBaseline(name string, files []fs.FileInfo) error {
	var names []string
	for _, f := range files {
		if own, ok := strings.CutSuffix(f.Name(), ".json"); ok {
			names = append(names, own)
		}
	}
	fix := `analyze {"what":"visual_baselines"} lists them, analyze {"what":"visual_baseline","name":"…"} saves one.`
	if near := catalog.Nearest(name, names); near != "" {
		fix = fmt.Sprintf("Is %q meant? ", near) + fix
	}
	return problem.New(problem.NoData, fix, "this project has no baseline %s.", name)
}

func pictureName(name string, data []byte) string {
	sum := sha256.Sum256(data)
	return name + "." + hex.EncodeToString(sum[:8]) + ".png"
}

// room refuses a name that is taken, and what would be over the bounds. size is what is to be stored.
func (g *gallery) room(name string, size int, overwrite bool) error {
	files, err := g.dir.Files(g.folder)
	if err != nil {
		return err
	}
	own := of(name, files)
	there := slices.ContainsFunc(own, func(f fs.FileInfo) bool { return strings.HasSuffix(f.Name(), ".json") })
	if there && !overwrite {
		return problem.New(problem.Conflict, "Choose another name, or say overwrite:true.", "there is a baseline %s already.", name)
	}
	count := 0
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".json") {
			count++
		}
	}
	bytes := sizeOf(files) - sizeOf(own) + int64(size)
	if !there && count >= maxBaselines || bytes > maxBaselineBytes {
		return problem.New(problem.TooLarge,
			`Delete one that is not needed any more: analyze {"what":"visual_baselines"} lists them, with "op":"delete" and "name" it deletes one.`,
			"this project has %d baselines with %s; at most %d with %s are kept, and none is deleted by itself.",
			count, answer.Bytes(sizeOf(files)), maxBaselines, answer.Bytes(maxBaselineBytes))
	}
	return nil
}

// save stores a baseline; the one before stays whole until the new one is.
func (g *gallery) save(b *baseline, data []byte, overwrite bool) (replaced bool, err error) {
	galleryLock.Lock()
	defer galleryLock.Unlock()
	if err := g.room(b.Name, len(data), overwrite); err != nil {
		return false, err
	}
	files, err := g.dir.Files(g.folder)
	if err != nil {
		return false, err
	}
	b.Picture = pictureName(b.Name, data)
	known, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return false, err
	}
	if err := g.dir.Write(g.folder+"/"+b.Picture, data); err != nil {
		return false, fmt.Errorf("save the picture of %s: %w", b.Name, err)
	}
	file := b.Name + ".json"
	if err := g.dir.Write(g.folder+"/"+file, known); err != nil {
		return false, fmt.Errorf("save the baseline %s: %w", b.Name, err)
	}
	for _, f := range of(b.Name, files) {
		replaced = replaced || strings.HasSuffix(f.Name(), ".json")
		if f.Name() == b.Picture || f.Name() == file {
			continue
		}
		if err := g.dir.Remove(g.folder + "/" + f.Name()); err != nil {
			return false, fmt.Errorf("remove what was there before %s: %w", b.Name, err)
		}
	}
	return replaced, nil
}

// remove deletes a baseline. Problem: no_data.
func (g *gallery) remove(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	galleryLock.Lock()
	defer galleryLock.Unlock()
	files, err := g.dir.Files(g.folder)
	if err != nil {
		return err
	}
	own := of(name, files)
	if len(own) == 0 {
		return unknownBaseline(name, files)
	}
	for _, f := range own {
		if err := g.dir.Remove(g.folder + "/" + f.Name()); err != nil {
			return fmt.Errorf("delete the baseline %s: %w", name, err)
		}
	}
	return nil
}

// saveDiff stores the picture of a difference in the place of the last one; nil removes that. It returns the path, "" where
// there is no room.
func (g *gallery) saveDiff(name string, data []byte) (string, error) {
	galleryLock.Lock()
	defer galleryLock.Unlock()
	file := g.folder + "/" + name + ".diff.png"
	if err := g.dir.Remove(file); err != nil || data == nil {
		return "", err
	}
	files, err := g.dir.Files(g.folder)
	if err != nil || sizeOf(files)+int64(len(data)) > maxBaselineBytes {
		return "", err
	}
	return g.dir.Path(file), g.dir.Write(file, data)
}
