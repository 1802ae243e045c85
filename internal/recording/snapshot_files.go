package recording

import (
	"encoding/json"
	"fmt"
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

const (
	maxSnapshots = 10        // of a project; the one goes that was used longest ago
	current      = "current" // what happens now
)

// SnapshotsNamespace is that of snapshots among the values of a project.
const SnapshotsNamespace = "snapshots"

var snapshotName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.-]{1,50}$`) })

// CheckSnapshotName says what is wrong with the value of a parameter that is to name a snapshot.
func CheckSnapshotName(param, name string) error {
	switch {
	case name == "":
		return problem.New(problem.MissingParam, fmt.Sprintf(`Give it as string, as in %q:"before".`, param), "%s is required.", param)
	case strings.EqualFold(name, current):
		return problem.New(problem.InvalidParam, "Choose another name.", "current means what happens now, so no snapshot can have this name.")
	case !snapshotName().MatchString(name):
		return problem.New(problem.InvalidParam, `Use 1 to 50 of a-z, A-Z, 0-9, "_", "-" and ".".`, "%.80q cannot be a snapshot's name.", name)
	}
	return nil
}

// Snapshots are the snapshots of a project. They are among the values that it stores, within the bounds of these.
type Snapshots struct{ values *save.Values }

// SnapshotsOf returns the snapshots of the caller's project. Problem: no_data when the project is not known.
func SnapshotsOf(call catalog.Call, dir *state.Dir) (Snapshots, error) {
	values, err := save.ValuesOf(call, dir)
	return Snapshots{values}, err
}

// Names returns the names in order.
func (k Snapshots) Names() []string { return k.values.Keys(SnapshotsNamespace) }

// Load returns a snapshot. Problem: no_data for one that is not there, or cannot be read.
func (k Snapshots) Load(name string) (*Snapshot, error) {
	names := k.Names()
	if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
		fix := `configure {"action":"diff_sessions","operation":"capture","name":"before"} captures one.`
		if near := catalog.Nearest(name, names); near != "" {
			fix = fmt.Sprintf("Is %q meant? ", near) + `configure {"action":"diff_sessions","operation":"list"} lists them.`
		} else if len(names) > 0 {
			fix = `configure {"action":"diff_sessions","operation":"list"} lists them.`
		}
		return nil, problem.New(problem.NoData, fix, "this project has no snapshot %.80q: none was captured, or it had to make room.", name)
	}
	data, err := k.values.Load(SnapshotsNamespace, name)
	if err != nil {
		return nil, err
	}
	var s Snapshot
	why := ""
	if err := json.Unmarshal(data, &s); err != nil {
		why = err.Error()
	} else {
		why = s.Fault()
	}
	if why != "" {
		return nil, problem.New(problem.NoData, "Capture it again, or delete it.", "the snapshot %.80q cannot be read: %s.", name, why)
	}
	return &s, nil
}

// All returns those that can be read, by the time of their capture, and the names of the others.
func (k Snapshots) All() (list []*Snapshot, broken []string) {
	for _, name := range k.Names() {
		s, err := k.Load(name)
		if err != nil {
			broken = append(broken, name)
			continue
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b *Snapshot) int { return a.Captured.Compare(b.Captured) })
	return list, broken
}

// Save keeps a snapshot under its name, which is checked. It reports whether it replaced one, and names those that had to make
// room. Problem: too_large.
func (k Snapshots) Save(s *Snapshot) (replaced bool, gone []string, _ error) {
	data, err := answer.JSON(s)
	if err != nil {
		return false, nil, err
	}
	list, broken := k.All()
	slices.SortStableFunc(list, func(a, b *Snapshot) int { return a.Used.Compare(b.Used) })
	others := slices.DeleteFunc(list, func(o *Snapshot) bool { return strings.EqualFold(o.Name, s.Name) })
	for over := len(others) + len(broken) + 1 - maxSnapshots; over > 0 && len(others) > 0; over-- {
		if err := k.values.Remove(SnapshotsNamespace, others[0].Name); err != nil {
			return false, gone, err
		}
		gone, others = append(gone, others[0].Name), others[1:]
	}
	replaced, err = k.values.Save(SnapshotsNamespace, s.Name, data)
	return replaced, gone, err
}

// Use notes that a snapshot was used now.
func (k Snapshots) Use(s *Snapshot) error {
	s.Used = time.Now().Round(0).UTC()
	data, err := answer.JSON(s)
	if err == nil {
		_, err = k.values.Save(SnapshotsNamespace, s.Name, data)
	}
	return err
}

// Remove deletes a snapshot, also one that cannot be read. Problem: no_data.
func (k Snapshots) Remove(name string) error {
	if !slices.ContainsFunc(k.Names(), func(n string) bool { return strings.EqualFold(n, name) }) {
		_, err := k.Load(name)
		return err
	}
	return k.values.Remove(SnapshotsNamespace, name)
}
