// Package memory keeps the names that agents give to elements of a project's pages, in the file gasoline_memory.json of the
// project. The file is for people and for version control: sorted, one line for each fact, the same bytes for the same names.
// It is read anew for each use, because others change it: colleagues by version control, other daemons, people.
package memory

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
)

// File is the name of the file in the project.
const File = "gasoline_memory.json"

// Bounds of the file. One that has more is refused, and left as it is.
const (
	maxNames = 1000
	maxBytes = 1 << 20
)

// fresh is how long after an element was found its entry is not written for having been found again: a file under version
// control should not change with each use.
const fresh = 7 * 24 * time.Hour

// Entry is an element that has a name. Values of fields, queries and fragments of addresses are not in it.
type Entry struct {
	URL      string   `json:"url"`             // pattern of the page's address, see [Pattern]
	Frame    string   `json:"frame,omitempty"` // pattern of the address of the iframe that it is in; "" is the page itself
	Role     string   `json:"role"`            // ARIA role; the tag where it has none
	Name     string   `json:"name"`            // accessible name, or the text of what has no role
	Tag      string   `json:"tag"`
	Locators []string `json:"locators"` // as the parameter selector takes them, best first; 1 to 10
	Learned  string   `json:"learned"`  // day, as in 2026-03-01
	Verified string   `json:"verified"` // day when it was found and used last, up to a week less
	By       string   `json:"by,omitempty"`

	// Unchecked says that no page was asked: nothing but the locators is known, and the first page where the name is used
	// becomes its page.
	Unchecked bool `json:"unchecked,omitempty"`
}

// Memory is the memory of one project. It keeps nothing between calls, so several may be used at once.
type Memory struct{ places save.Places }

// Of returns the memory of the project that Places.Root names. Problem: no_data when it is "".
func Of(places save.Places) (Memory, error) {
	if places.Root == "" {
		return Memory{}, problem.New(problem.NoData,
			catalog.StartInProject, "names of elements are kept in the project's %s, and %s.", File,
			cmp.Or(places.Unknown, "the caller's project is not known"))
	}
	return Memory{places}, nil
}

// All returns the entries by their names. A file that is not there has none. Problems: invalid_memory with the line, also
// for a file of a later version; too_large; path_not_allowed.
func (m Memory) All() (map[string]Entry, error) {
	source, err := m.places.Read(File, maxBytes)
	if p := problem.From(err); p != nil && p.Code == "file_not_found" {
		return map[string]Entry{}, nil
	}
	if err != nil {
		p := *problem.From(err)
		p.Message = strings.Replace(p.Message, "file_path", "the memory of names", 1)
		return nil, &p
	}
	if source.Data == nil && source.Size > 0 {
		return nil, save.TooLarge(source.Path, maxBytes)
	}
	return read(source.Path, source.Data)
}

// read decodes the file's contents.
func read(path string, data []byte) (map[string]Entry, error) {
	all, fault := decode(data)
	if fault == nil {
		return all, nil
	}
	if fault.newer {
		return nil, problem.New("invalid_memory", "Update Gasoline. The file is left as it is.", "%s %s.", path, fault.what)
	}
	return nil, problem.New("invalid_memory", "Mend that line. The file is left as it is.",
		"%s line %d: %s.", path, fault.line, fault.what)
}

// Find returns the entry of a name. Problems: those of [Memory.All]; no_data with the nearest names.
func (m Memory) Find(name string) (Entry, error) {
	if err := CheckName(name); err != nil {
		return Entry{}, err
	}
	all, err := m.All()
	if err != nil {
		return Entry{}, err
	}
	e, known := all[name]
	if !known {
		return Entry{}, unknown(name, all)
	}
	return e, nil
}

// CheckName returns an invalid_param problem when a name is none.
func CheckName(name string) error {
	if isName(name) {
		return nil
	}
	return problem.New(problem.InvalidParam, `Use 1 to 64 of a-z, A-Z, 0-9, "_", "-" and ".", as in checkout_submit.`,
		"%.80q cannot be the name of an element.", name)
}

func isName(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.", r))
	})
}

// mostNear is how many names are told for one that is not known.
const mostNear = 3

func unknown(name string, all map[string]Entry) error {
	left := slices.Sorted(maps.Keys(all))
	var near []string
	for len(near) < mostNear {
		next := catalog.Nearest(name, left)
		if next == "" {
			break
		}
		near = append(near, fmt.Sprintf("%q", next))
		left = slices.DeleteFunc(left, func(n string) bool { return n == next })
	}
	fix := "Name it: " + LearnCall(name, "e17") + ", with its ref from a list."
	switch {
	case len(near) > 0:
		fix = "Is " + strings.Join(near, " or ") + ` meant? configure {"action":"store","namespace":"selectors"} lists all.`
	case len(all) > 0:
		fix = `configure {"action":"store","namespace":"selectors"} lists those that are known.`
	}
	return problem.New(problem.NoData, fix, "%s knows no element %q.", File, name)
}

// LearnCall is the call that learns a name by a ref.
func LearnCall(name, ref string) string {
	return fmt.Sprintf(`configure {"action":"store","operation":"save","namespace":"selectors","key":%q,"ref":%q}`, name, ref)
}

// Learn keeps an entry under a name, in the place of another one, which it returns. Dates are set here. Problems: those of
// [Memory.All] and [save.Places.Update]; invalid_param; too_large.
func (m Memory) Learn(name string, e Entry) (was *Entry, err error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	e.Learned = today()
	e.Verified = e.Learned
	if what := e.fault(); what != "" {
		return nil, problem.New(problem.InvalidParam, "Choose another element.", "%s cannot be kept: %s.", name, what)
	}
	return was, m.update(func(all map[string]Entry) error {
		if old, known := all[name]; known {
			was = &old
		} else if len(all) >= maxNames {
			return problem.New(problem.TooLarge,
				`Forget names that are not used: configure {"action":"store","operation":"delete","namespace":"selectors","key":"…"}.`,
				"%s has %d names; it may have %d.", File, len(all), maxNames)
		}
		all[name] = e
		return nil
	})
}

// Forget removes a name. Problems: those of [Memory.Find] and [save.Places.Update].
func (m Memory) Forget(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return m.update(func(all map[string]Entry) error {
		if _, known := all[name]; !known {
			return unknown(name, all)
		}
		delete(all, name)
		return nil
	})
}

// Confirm notes that the element of a name was found by the entry used and that the act on it went well. locators are how
// it is found from now on; nil leaves them. An entry that somebody changed meanwhile stays as it is, and one that was
// verified within a week and keeps its locators is not written. It reports whether it was.
func (m Memory) Confirm(name string, used Entry, locators []string) (written bool, err error) {
	verified, err := time.Parse(time.DateOnly, used.Verified)
	if len(locators) == 0 && err == nil && time.Since(verified) < fresh {
		return false, nil
	}
	return written, m.update(func(all map[string]Entry) error {
		now, known := all[name]
		if !known || !same(now, used) {
			return nil
		}
		now.Verified = today()
		if len(locators) > 0 {
			now.Locators = locators
		}
		if now.fault() == "" {
			all[name], written = now, true
		}
		return nil
	})
}

// Check puts what a page says of an element in the place of an entry that was not checked. An entry that somebody changed
// meanwhile stays as it is. It reports whether it was written.
func (m Memory) Check(name string, used, now Entry) (written bool, err error) {
	now.Learned, now.By = used.Learned, used.By
	now.Verified = today()
	if now.fault() != "" {
		return false, nil
	}
	return written, m.update(func(all map[string]Entry) error {
		if is, known := all[name]; known && same(is, used) {
			all[name], written = now, true
		}
		return nil
	})
}

// same reports whether two entries are of one element and find it in the same way.
func same(a, b Entry) bool {
	return a.URL == b.URL && a.Frame == b.Frame && a.Role == b.Role && a.Name == b.Name && a.Unchecked == b.Unchecked && slices.Equal(a.Locators, b.Locators)
}

func (m Memory) update(change func(all map[string]Entry) error) error {
	return m.places.Update(File, maxBytes, func(old []byte) ([]byte, error) {
		all, err := read(filepath.Join(m.places.Root, File), old)
		if err == nil {
			err = change(all)
		}
		if err != nil {
			return nil, err
		}
		return encode(all)
	})
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }
