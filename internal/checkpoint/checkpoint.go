// Package checkpoint keeps what a site has stored in a browser: cookies, both storages, databases, the values of
// fields. A checkpoint is one file of the state directory. It holds secrets, because a state without them restores no
// login: its values go to the file and back to the browser, and never into an answer. What may be told of it are names
// and counts; see [Contents] and [Compare].
//
// A file is one line of JSON, the head, then two sections of JSON that the browser compressed by gzip: what the tab has
// (cookies, fields) and what the page's origin has (storages, databases). The daemon passes the sections on as they came.
package checkpoint

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/state"
)

// Bounds of checkpoints.
const (
	MaxFiles    = 50
	maxTotal    = 256 << 20 // bytes of all files
	maxSection  = 40 << 20  // bytes of a compressed section
	maxUnpacked = 96 << 20  // bytes of a section's JSON
	maxHead     = 512 << 10 // bytes of the head
	maxURL      = 100_000   // bytes of the address
	maxTitle    = 2000      // bytes of the title
)

// version is that of the files that this daemon writes. It reads files up to it.
const version = 1

// Current is what means the page as it is now where a checkpoint is named; no checkpoint is called so.
const Current = "current"

// folder and suffix are where a checkpoint is below the state directory: the suffix makes "." and ".." names like others.
const (
	folder = "states"
	suffix = ".gasoline-state"
)

var names = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// CheckName returns a problem for what cannot be a checkpoint's name.
func CheckName(name string) error {
	if names.MatchString(name) && name != Current {
		return nil
	}
	return problem.New(
		problem.InvalidParam,
		"Use 1 to 64 letters, digits, dots, hyphens and underscores.",
		"a checkpoint cannot be called %.80q.",
		name,
	)
}

// Head says what a checkpoint is of.
type Head struct {
	Version  int       `json:"gasoline_state"`
	Name     string    `json:"name"`
	SavedAt  time.Time `json:"saved_at"`
	Origin   string    `json:"origin"`
	URL      string    `json:"url,omitempty"` // "" when it was not to be kept
	Title    string    `json:"title"`
	Parts    []string  `json:"parts"` // what was taken: local, session, cookies, indexeddb, forms
	Counts   Counts    `json:"counts"`
	Sections [2]int    `json:"sections"` // bytes of the two sections
	Sum      string    `json:"sha256"`   // of both
}

// Checkpoint is a checkpoint with its two sections, compressed.
type Checkpoint struct {
	Head
	Tab, Page []byte
}

// New returns a checkpoint of two sections with what is in them. Problems: too_large, and invalid_state for sections that
// are not understood.
func New(h Head, tab, page []byte) (*Checkpoint, *Contents, error) {
	c := &Checkpoint{Head: h, Tab: tab, Page: page}
	c.Version, c.Sections = version, [2]int{len(tab), len(page)}
	if len(c.URL) > maxURL {
		return nil, nil, problem.New(problem.TooLarge, "Say include_url:false.", "the page's address has %d bytes.", len(c.URL))
	}
	c.Title = strings.ToValidUTF8(c.Title[:min(len(c.Title), maxTitle)], "")
	contents, err := c.Open()
	if err != nil {
		return nil, nil, err
	}
	c.Counts = contents.count()
	c.Sum = c.sum()
	return c, contents, nil
}

func (c *Checkpoint) sum() string {
	h := sha256.New()
	h.Write(c.Tab)
	h.Write(c.Page)
	return hex.EncodeToString(h.Sum(nil))
}

// Open unpacks the sections. Problems: too_large, and invalid_state for what is not understood.
func (c *Checkpoint) Open() (*Contents, error) {
	out := &Contents{}
	for _, section := range [][]byte{c.Tab, c.Page} {
		data, err := unpack(section)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, out); err != nil {
			return nil, damaged(c.Name, "what is in it is not understood")
		}
	}
	return out, nil
}

func unpack(section []byte) ([]byte, error) {
	if len(section) > maxSection {
		return nil, tooLarge(len(section), maxSection)
	}
	z, err := gzip.NewReader(bytes.NewReader(section))
	if err != nil {
		return nil, damaged("", "a section is not compressed by gzip")
	}
	data, err := io.ReadAll(io.LimitReader(z, maxUnpacked+1))
	switch {
	case err != nil:
		return nil, damaged("", "a section cannot be unpacked")
	case len(data) > maxUnpacked:
		return nil, tooLarge(len(data), maxUnpacked)
	}
	return data, nil
}

func tooLarge(n, most int) error {
	return problem.New(
		problem.TooLarge,
		`Leave databases out: storage_type:"local,session,cookies,forms".`,
		"the state has %d bytes or more; %d is the most.",
		n,
		most,
	)
}

// damaged is the problem of a checkpoint that cannot be used. It tells nothing of what is in it.
func damaged(name, why string) error {
	which := "the checkpoint"
	if name != "" {
		which = fmt.Sprintf("the checkpoint %q", name)
	}
	return problem.New("invalid_state", "Save it anew with save_state.", "%s cannot be used: %s.", which, why)
}

// Files keeps checkpoints below a state directory.
type Files struct{ Dir *state.Dir }

// Path is where a checkpoint is, for people.
func (f Files) Path(name string) string { return f.Dir.Path(file(name)) }

func file(name string) string { return folder + "/" + name + suffix }

// Write writes a checkpoint as a whole. Problems: conflict for one that is there while overwrite is false, too_large when
// there are MaxFiles others or the bytes of all would be too many.
func (f Files) Write(c *Checkpoint, overwrite bool) error {
	if err := CheckName(c.Name); err != nil {
		return err
	}
	infos, err := f.Dir.Files(folder)
	if err != nil {
		return err
	}
	head, err := json.Marshal(c.Head)
	if err != nil {
		return fmt.Errorf("encode the head of a checkpoint: %w", err)
	}
	data := slices.Concat(head, []byte("\n"), c.Tab, c.Page)
	total, count := int64(len(data)), 1
	for _, info := range infos {
		if info.Name() == c.Name+suffix {
			if !overwrite {
				return f.Exists(c.Name)
			}
			continue
		}
		total, count = total+info.Size(), count+1
	}
	const fix = `Delete one: interact {"action":"list_states"} lists them, delete_state deletes.`
	if count > MaxFiles {
		return problem.New(problem.TooLarge, fix, "there are %d checkpoints; that is the most.", MaxFiles)
	}
	if total > maxTotal {
		return problem.New(problem.TooLarge, fix, "all checkpoints would have %d bytes; %d is the most.", total, maxTotal)
	}
	return f.Dir.Write(file(c.Name), data)
}

// Exists returns the problem of a name that is taken; nil when it is free.
func (f Files) Exists(name string) error {
	if _, err := f.Dir.ReadStart(file(name), 1); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	const fix = "Choose another name, or say overwrite:true."
	return problem.New(problem.Conflict, fix, "there is a checkpoint %q already.", name)
}

// Read returns a checkpoint. Problems: no_data for one that is not there, invalid_state for one that is damaged or that a
// later version wrote.
func (f Files) Read(name string) (*Checkpoint, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	data, err := f.Dir.ReadUpTo(file(name), maxHead+2*maxSection)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, f.missing(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read a checkpoint: %w", err)
	}
	head, rest, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	tab := head.Sections[0]
	if tab < 1 || tab >= len(rest) || tab+head.Sections[1] != len(rest) {
		return nil, damaged(name, "a part of it is missing")
	}
	c := &Checkpoint{Head: *head, Tab: rest[:tab], Page: rest[tab:]}
	if c.sum() != c.Sum {
		return nil, damaged(name, "it was changed after it was written")
	}
	return c, nil
}

// parse reads the head. The file's name is the checkpoint's, whatever the head says.
func parse(name string, data []byte) (*Head, []byte, error) {
	line, rest, found := bytes.Cut(data, []byte("\n"))
	var h Head
	if !found || json.Unmarshal(line, &h) != nil || h.Version < 1 {
		return nil, nil, damaged(name, "its head is not understood")
	}
	if h.Version > version {
		why := fmt.Sprintf("its format is %d, and this version of Gasoline reads up to %d", h.Version, version)
		return nil, nil, damaged(name, why)
	}
	h.Name = name
	return &h, rest, nil
}

func (f Files) missing(name string) error {
	infos, _ := f.List() // of a folder that cannot be read nothing is told
	p := problem.New(problem.NoData, `interact {"action":"list_states"} lists them.`, "there is no checkpoint %q.", name)
	if len(infos) == 0 {
		p.Fix = "Make one with save_state."
	}
	return p
}

// Info is a checkpoint in a list.
type Info struct {
	Head
	Bytes   int64
	Problem string // why it cannot be used, "" when its head is fine
}

// List returns the checkpoints, the newest first.
func (f Files) List() ([]Info, error) {
	infos, err := f.Dir.Files(folder)
	if err != nil {
		return nil, err
	}
	var out []Info
	for _, i := range infos {
		name, ours := strings.CutSuffix(i.Name(), suffix)
		if !ours || !names.MatchString(name) {
			continue
		}
		info := Info{Head: Head{Name: name, SavedAt: i.ModTime()}, Bytes: i.Size()}
		start, err := f.Dir.ReadStart(file(name), maxHead)
		if err == nil {
			var h *Head
			if h, _, err = parse(name, start); err == nil {
				info.Head = *h
			}
		}
		if err != nil {
			info.Problem = problem.From(err).Message
		}
		out = append(out, info)
	}
	slices.SortStableFunc(out, func(a, b Info) int { return b.SavedAt.Compare(a.SavedAt) })
	return out, nil
}

// Remove deletes a checkpoint. Problem: no_data for one that is not there.
func (f Files) Remove(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if f.Exists(name) == nil {
		return f.missing(name)
	}
	return f.Dir.Remove(file(name))
}
