package recording

import (
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
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/state"
)

// folder of the state directory.
const folder = "recordings"

// The beginnings of ids.
const (
	recordPrefix   = "rec-"
	playbackPrefix = "play-"
)

// idForm is what an id looks like.
var idForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(rec|play)-[0-9]{8}-[0-9]{6}(-[0-9]{1,4})?$`)
})

func fileOf(id string) string { return folder + "/" + id + ".json" }

// write keeps a recording as a file: whole or not at all. Steps over the bound are cut and counted. It returns the file's
// bytes.
func write(dir *state.Dir, r *Record) (int, error) {
	for {
		data, err := answer.JSON(r)
		if err != nil {
			return 0, fmt.Errorf("encode recording %s: %w", r.ID, err)
		}
		if len(data) <= maxBytes || len(r.Steps) == 0 {
			return len(data), dir.Write(fileOf(r.ID), data)
		}
		keep := min(len(r.Steps)-1, int(int64(len(r.Steps))*maxBytes/int64(len(data))))
		r.Lost.Over += len(r.Steps) - keep
		r.Steps = r.Steps[:keep]
	}
}

// read returns a recording. One that another run of the daemon left under way was interrupted.
func (r *Recorder) read(id string) (*Record, error) {
	data, err := r.dir.ReadUpTo(fileOf(id), maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknown(id)
	}
	var rec Record
	if err == nil {
		err = json.Unmarshal(data, &rec)
	}
	if err == nil && rec.Version != version {
		err = fmt.Errorf("it is of version %d; this program reads version %d", rec.Version, version)
	}
	if err == nil && rec.ID != id {
		err = fmt.Errorf("it holds the recording %.40q", rec.ID)
	}
	if err != nil {
		return nil, problem.New(problem.NoData, "Record again, or delete the file.", "%s cannot be read: %v.",
			r.dir.Path(fileOf(id)), err)
	}
	if rec.State == Recording && rec.Run != r.run {
		rec.State = Interrupted
	}
	return &rec, nil
}

func unknown(name string) error {
	return problem.New(problem.NoData, `observe {"what":"recordings"} lists what there is.`,
		"there is no recording %.100q.", name)
}

// ids returns the ids of all files, oldest first, and their bytes.
func (r *Recorder) ids() (ids []string, bytes int64, err error) {
	files, err := r.dir.Files(folder)
	if err != nil {
		return nil, 0, err
	}
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), ".json"); ok && idForm().MatchString(id) {
			ids = append(ids, id)
			bytes += f.Size()
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int { return compareIDs(a, b) })
	return ids, bytes, nil
}

// compareIDs compares the times in ids, then their numbers.
func compareIDs(a, b string) int {
	_, a, _ = strings.Cut(a, "-")
	_, b, _ = strings.Cut(b, "-")
	const stamp = len("20060102-150405")
	if c := strings.Compare(a[:stamp], b[:stamp]); c != 0 {
		return c
	}
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// newID returns an id that no file has.
func (r *Recorder) newID(prefix string, now time.Time) (string, error) {
	ids, _, err := r.ids()
	if err != nil {
		return "", err
	}
	base := prefix + now.UTC().Format("20060102-150405")
	id := base
	for n := 2; slices.Contains(ids, id) || r.active[id] != nil; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	return id, nil
}

// makeRoom removes the oldest playbacks when there are too many files. Recordings are the user's to remove.
func (r *Recorder) makeRoom() error {
	ids, bytes, err := r.ids()
	if err != nil {
		return err
	}
	left := len(ids)
	for _, id := range ids {
		if left < maxRecordings && bytes < maxTotal {
			return nil
		}
		if !strings.HasPrefix(id, playbackPrefix) || r.active[id] != nil {
			continue
		}
		if err := r.dir.Remove(fileOf(id)); err != nil {
			return err
		}
		left--
		if _, bytes, err = r.ids(); err != nil {
			return err
		}
	}
	if left < maxRecordings && bytes < maxTotal {
		return nil
	}
	return problem.New(problem.TooLarge, "Ask the user to delete old ones in "+r.dir.Path(folder)+".",
		"there are %d recordings of %s; at most %d of %s are kept.", left, answer.Bytes(bytes), maxRecordings,
		answer.Bytes(maxTotal))
}

// Head is a recording in a list.
type Head struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	State      string    `json:"state"`
	Created    time.Time `json:"created_at"`
	DurationMS int64     `json:"duration_ms"`
	StartURL   string    `json:"start_url"`
	Actions    int       `json:"action_count"`
	PlaybackOf string    `json:"playback_of,omitempty"`
	Result     string    `json:"result,omitempty"` // of a playback: complete, failed, …
}

// List returns the newest recordings and playbacks, newest first, how many there are in all, and a line for each file that
// cannot be read.
func (r *Recorder) List(limit int) (heads []Head, total int, broken []string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids, _, err := r.ids()
	if err != nil {
		return nil, 0, nil, err
	}
	total = len(ids)
	slices.Reverse(ids)
	heads = []Head{}
	for _, id := range ids {
		if len(heads) == limit {
			break
		}
		rec, err := r.loadLocked(id)
		if err != nil {
			broken = append(broken, problem.From(err).Message)
			continue
		}
		h := Head{
			ID: rec.ID, Name: rec.Name, State: rec.State, Created: rec.Created, DurationMS: rec.Duration().Milliseconds(),
			StartURL: rec.StartURL, Actions: len(rec.Steps),
		}
		if p := rec.Playback; p != nil {
			h.PlaybackOf, h.Result = p.Of, p.Status
		}
		heads = append(heads, h)
	}
	return heads, total, broken, nil
}

// Load returns a recording by its id, or the newest one of a name; of one under way what is known so far.
func (r *Recorder) Load(name string) (*Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if idForm().MatchString(name) {
		return r.loadLocked(name)
	}
	return r.newest(func(rec *Record) bool { return rec.Playback == nil && rec.Name == name }, unknown(name))
}

// LastPlayback returns the newest playback of a recording that is over.
func (r *Recorder) LastPlayback(of string) (*Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.newest(
		func(rec *Record) bool { return rec.Playback != nil && rec.Playback.Of == of && rec.State != Recording },
		problem.New(problem.NoData, fmt.Sprintf(`configure {"action":"playback","recording_id":%q} plays it.`, of),
			"%s was never played.", of),
	)
}

func (r *Recorder) newest(is func(*Record) bool, none error) (*Record, error) {
	ids, _, err := r.ids()
	if err != nil {
		return nil, err
	}
	slices.Reverse(ids)
	for _, id := range ids {
		if rec, err := r.loadLocked(id); err == nil && is(rec) {
			return rec, nil
		}
	}
	return nil, none
}

func (r *Recorder) loadLocked(id string) (*Record, error) {
	if a := r.active[id]; a != nil {
		return r.build(a), nil
	}
	return r.read(id)
}
