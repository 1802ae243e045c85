package noise

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/state"
)

const (
	file        = "noise.json"
	version     = 1
	maxFile     = 1 << 20 // bytes; MaxRules of the longest are less
	maxProjects = 50      // whose rules are remembered
)

// Store keeps the rules of projects, a file for each in the state directory. Safe for concurrent use.
type Store struct {
	dir *state.Dir

	mu    sync.Mutex
	known map[string]*Rules // by folder; ≤ maxProjects
}

// New returns a store in a state directory.
func New(dir *state.Dir) *Store { return &Store{dir: dir, known: map[string]*Rules{}} }

// Rules are those of one project. They do not change.
type Rules struct {
	Version int    `json:"version"`
	Next    int    `json:"next"` // number of the next rule
	Rules   []Rule `json:"rules"`
}

// Of returns the rules of the caller's project, with which nothing may be done but to read. Problems: no_data when the project is not
// known, invalid_file when what is kept cannot be read.
func (s *Store) Of(call catalog.Call) (*Rules, error) {
	folder, err := save.ProjectFolder(call, "noise rules")
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ofLocked(folder)
}

func (s *Store) ofLocked(folder string) (*Rules, error) {
	if r := s.known[folder]; r != nil {
		return r, nil
	}
	r, err := read(s.dir, folder+"/"+file)
	if err != nil {
		return nil, problem.New("invalid_file", `configure {"action":"noise_rule","operation":"reset"} begins anew.`,
			"%s cannot be read: %v.", s.dir.Path(folder+"/"+file), err)
	}
	s.keepLocked(folder, r)
	return r, nil
}

func (s *Store) keepLocked(folder string, r *Rules) {
	if len(s.known) >= maxProjects {
		clear(s.known)
	}
	s.known[folder] = r
}

// read returns the rules of a file; none where there is no file.
func read(dir *state.Dir, name string) (*Rules, error) {
	data, err := dir.ReadUpTo(name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &Rules{Version: version, Next: 1}, nil
	}
	if err != nil {
		return nil, err
	}
	return parse(data)
}

// parse decodes a file and makes its rules ready.
func parse(data []byte) (*Rules, error) {
	var r Rules
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("line %d: %w", state.LineOf(data, err), err)
	}
	if r.Version != version {
		return nil, fmt.Errorf("it is of version %d; this program reads version %d", r.Version, version)
	}
	if len(r.Rules) > MaxRules {
		return nil, fmt.Errorf("it has %d rules; %d are the most", len(r.Rules), MaxRules)
	}
	ids := map[string]bool{}
	for i := range r.Rules {
		rule := &r.Rules[i]
		if rule.ID == "" || len(rule.ID) > maxWord || ids[rule.ID] {
			return nil, fmt.Errorf("rule %d has no id of its own", i+1)
		}
		ids[rule.ID] = true
		if err := rule.Compile(); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
	}
	r.Next = max(r.Next, 1)
	return &r, nil
}

// Change replaces the rules of the caller's project by what change makes of a copy, and returns them. One change comes after another.
func (s *Store) Change(call catalog.Call, change func(*Rules) error) (*Rules, error) {
	folder, err := save.ProjectFolder(call, "noise rules")
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.ofLocked(folder)
	if err != nil {
		return nil, err
	}
	next := &Rules{Version: version, Next: r.Next, Rules: slices.Clone(r.Rules)}
	if err := change(next); err != nil {
		return nil, err
	}
	return next, s.writeLocked(folder, next)
}

// Reset removes all rules of the caller's project, also of a file that cannot be read, and returns how many there were; -1 where
// that cannot be told.
func (s *Store) Reset(call catalog.Call) (int, error) {
	folder, err := save.ProjectFolder(call, "noise rules")
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next, n := &Rules{Version: version, Next: 1}, -1
	if r, err := s.ofLocked(folder); err == nil {
		next.Next, n = r.Next, len(r.Rules)
	}
	return n, s.writeLocked(folder, next)
}

func (s *Store) writeLocked(folder string, r *Rules) error {
	data, err := answer.JSON(r)
	if err != nil {
		return err
	}
	if err := s.dir.Write(folder+"/"+file, data); err != nil {
		return fmt.Errorf("keep the noise rules: %w", err)
	}
	s.keepLocked(folder, r)
	return nil
}

// Mark is the same for calls from which the same rules hide; "" where nothing is hidden.
func (s *Store) Mark(call catalog.Call) string {
	if call.Hidden == nil || call.Root == "" {
		return ""
	}
	rules, err := s.Of(call)
	if err != nil || len(rules.Rules) == 0 {
		return ""
	}
	text, _ := json.Marshal(rules.Rules) // texts and numbers always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Reader returns what the caller reads: r, over which the rules of its project are laid where the call is one from which something
// may be hidden. Rules that cannot be read hide nothing, and the answer says so.
func (s *Store) Reader(call catalog.Call, r *query.Live) *query.Live {
	if call.Hidden == nil || call.Root == "" {
		return r
	}
	rules, err := s.Of(call)
	if err != nil {
		call.Hidden.Broken(problem.From(err).Message)
		return r
	}
	if len(rules.Rules) == 0 {
		return r
	}
	return r.Without(rules.kinds(), func(it query.Item) bool {
		rule := rules.hides(it.Event)
		if rule != nil {
			call.Hidden.Add(uint64(it.Head.Seq), rule.ID)
		}
		return rule != nil
	})
}

// Hider returns what gives the rules that a client's project has at that time, as a test of events: nil where there are none, or
// they cannot be read.
func (s *Store) Hider(call catalog.Call) func() func(event.Event) bool {
	return func() func(event.Event) bool {
		rules, err := s.Of(call)
		if err != nil || len(rules.Rules) == 0 {
			return nil
		}
		return func(e event.Event) bool { return rules.hides(e) != nil }
	}
}

func (r *Rules) kinds() (out []event.Kind) {
	for i := range r.Rules {
		for _, k := range kindsOf(r.Rules[i].Category) {
			if !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	return out
}

// hides returns the first rule that hides an event, or nil.
func (r *Rules) hides(e event.Event) *Rule {
	for i := range r.Rules {
		if r.Rules[i].hides(e) {
			return &r.Rules[i]
		}
	}
	return nil
}
