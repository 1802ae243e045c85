package save

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/state"
)

// Bounds of what a project stores under keys.
const (
	maxValue  = 1 << 20  // bytes of one value as JSON
	MaxValues = 10 << 20 // bytes of all values
	maxKeys   = 1000     // of all namespaces
)

// VisualFolder is where a project's folder keeps the baselines of pictures: NAME.json of each.
const VisualFolder = "visual"

// Namespaces of what modes save.
const (
	LoadsNamespace  = "performance"    // loads of pages
	ShapesNamespace = "api_validation" // what the bodies of an API look like
)

// ProjectFolder returns the folder of the state directory for the caller's project, which is to hold what. Problem: no_data
// when the project is not known.
func ProjectFolder(call catalog.Call, what string) (string, error) {
	if call.Root == "" {
		return "", problem.New(problem.NoData,
			catalog.StartInProject, "%s are kept for a project, and %s.", what, call.NoProject())
	}
	sum := sha256.Sum256([]byte(call.Root))
	return "projects/" + hex.EncodeToString(sum[:8]), nil
}

// Values are what a project stores by namespace and key: files NAMESPACE.KEY.json of a folder of the state directory. Namespaces
// have no dot in their names.
type Values struct {
	dir    *state.Dir
	folder string
	files  []fs.FileInfo
}

// ValuesOf returns what the caller's project stores. Problem: no_data when the project is not known.
func ValuesOf(call catalog.Call, dir *state.Dir) (*Values, error) {
	folder, err := ProjectFolder(call, "values")
	if err != nil {
		return nil, err
	}
	files, err := dir.Files(folder + "/store")
	return &Values{dir, folder + "/store", files}, err
}

// find returns a key's file. Some file systems take two names that differ in case for one, so do we.
func (v *Values) find(namespace, key string) (string, bool) {
	want := namespace + "." + key + ".json"
	for _, f := range v.files {
		if strings.EqualFold(f.Name(), want) {
			return v.folder + "/" + f.Name(), true
		}
	}
	return v.folder + "/" + want, false
}

// Keys returns the keys of a namespace in order.
func (v *Values) Keys(namespace string) []string {
	keys := []string{}
	for _, f := range v.files {
		ns, rest, _ := strings.Cut(f.Name(), ".")
		if key, ok := strings.CutSuffix(rest, ".json"); ok && strings.EqualFold(ns, namespace) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Stats returns the keys of each namespace by number, and the bytes of all values.
func (v *Values) Stats() (namespaces map[string]int, bytes int64) {
	namespaces = map[string]int{}
	for _, f := range v.files {
		ns, _, _ := strings.Cut(f.Name(), ".")
		namespaces[ns]++
		bytes += f.Size()
	}
	return namespaces, bytes
}

// saving has one value saved after another: the bounds are of all, whoever saves at the same time.
var saving sync.Mutex

// Save stores JSON under a key and reports whether it replaced what was there. Problem: too_large.
func (v *Values) Save(namespace, key string, data []byte) (replaced bool, err error) {
	if len(data) > maxValue {
		return false, problem.New(problem.TooLarge, "Save less, or under several keys.", "the value has %d bytes; it may have %d.",
			len(data), maxValue)
	}
	saving.Lock()
	defer saving.Unlock()
	if v.files, err = v.dir.Files(v.folder); err != nil {
		return false, err
	}
	file, there := v.find(namespace, key)
	total := int64(len(data))
	for _, f := range v.files {
		if v.folder+"/"+f.Name() != file {
			total += f.Size()
		}
	}
	if total > MaxValues || !there && len(v.files) >= maxKeys {
		return false, problem.New(problem.TooLarge, `configure {"action":"store","operation":"stats"} tells what takes the room; delete some.`,
			"this project would store %s under %d keys; %s and %d keys are kept.", megabytes(total), len(v.files)+1,
			megabytes(MaxValues), maxKeys)
	}
	if err := v.dir.Write(file, data); err != nil {
		return false, fmt.Errorf("store %s: %w", key, err)
	}
	return there, nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1000/1000) }

// Load returns what is stored under a key. Problem: no_data.
func (v *Values) Load(namespace, key string) (json.RawMessage, error) {
	file, there := v.find(namespace, key)
	if !there {
		return nil, v.unknown(namespace, key)
	}
	data, err := v.dir.ReadUpTo(file, maxValue)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, v.unknown(namespace, key)
	}
	if err == nil && !json.Valid(data) {
		err = errors.New("it is no JSON")
	}
	if err != nil {
		return nil, problem.New(problem.NoData, "Save it again, or delete it.", "%s cannot be read: %v.", v.dir.Path(file), err)
	}
	return data, nil
}

// Remove deletes a key. Problem: no_data.
func (v *Values) Remove(namespace, key string) error {
	file, there := v.find(namespace, key)
	if !there {
		return v.unknown(namespace, key)
	}
	if err := v.dir.Remove(file); err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

func (v *Values) unknown(namespace, key string) error {
	keys := v.Keys(namespace)
	fix := fmt.Sprintf(`configure {"action":"store","namespace":%q} lists the keys.`, namespace)
	if near := catalog.Nearest(key, keys); near != "" {
		fix = fmt.Sprintf("Is %q meant? ", near) + fix
	}
	return problem.New(problem.NoData, fix, "this project stores no %q in the namespace %s.", key, namespace)
}
