// Package setup writes this program into the configuration of the programs that use it, and says what
// stands there: MCP clients, each a [Target] that knows its own files, and browsers, which find the native
// messaging host by a file of ours ([Host]). The package reads and writes files only, and on Windows the
// registry; it opens no connection.
//
// A file of somebody else is changed where it must be and nowhere else: comments, unknown keys and
// formatting stay. What cannot be changed that way is refused with the lines to paste.
package setup

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Machine is what a target looks at to find its files.
type Machine struct {
	OS   string // as runtime.GOOS names it
	Home string // absolute
	Dir  string // absolute, the project's folder
	Env  func(name string) string
	Look func(program string) (path string, err error) // in PATH
}

// Want is what is to stand in the configuration.
type Want struct {
	Program string   // absolute path of this program
	Args    []string // the place's flags, where they are not the defaults
	Project bool     // into the project's own file, which others read too, instead of the user's
	Remove  bool     // nothing of ours is to stand there
}

// Change is what would be written into one file. Old and New are equal when there is nothing to do.
type Change struct {
	Path   string
	Real   string // where links lead from Path; "" where they do not
	Exists bool
	Old    []byte
	New    []byte

	within   string // folder that it may not leave; "" for any
	resolved string // Path without links

	// Err says why the file is left alone; Paste are the lines to put there by hand then.
	Err   error
	Paste string
}

// changeOf begins the change of a file, with what is in it.
func changeOf(path, within string) Change {
	c := Change{Path: path, within: within}
	c.resolved, c.Err = leadsTo(path, within)
	if c.Err == nil {
		c.Old, c.Exists, c.Err = read(c.resolved)
	}
	if folder, err := filepath.EvalSymlinks(within); err == nil && within != "" {
		if name, err := filepath.Rel(within, path); err == nil { // by which links people came to the project says nothing
			path = filepath.Join(folder, name)
		}
	}
	if c.resolved != path {
		c.Real = c.resolved
	}
	return c
}

// where is the path, and the file that it leads to.
func (c Change) where() string {
	if c.Real == "" {
		return c.Path
	}
	return c.Path + " (that is " + c.Real + ")"
}

// Needed reports whether the file would be written.
func (c Change) Needed() bool { return c.Err == nil && !bytes.Equal(c.Old, c.New) }

// State is a word for what stands in a target's configuration.
type State string

// The states of a target.
const (
	Absent  State = "absent"         // the program is not on this machine
	Unset   State = "not set up"     // it is, and does not name us
	Ready   State = "ready"          // it names this program
	Other   State = "other program"  // it names another program's file
	Missing State = "missing"        // it names a file that is not there
	Args    State = "other settings" // it names this program with another port or state directory
	Broken  State = "broken"         // its configuration cannot be read
)

// Report is what stands in a target's configuration.
type Report struct {
	State   State    `json:"state"`
	Path    string   `json:"file"`
	Command []string `json:"command,omitempty"` // as it stands there
	Note    string   `json:"note,omitempty"`
}

// Target is a program that this one can be set up in.
type Target interface {
	Name() string  // as it is typed
	Title() string // as people know it

	// Installed reports whether the program seems to be on this machine.
	Installed(Machine) bool
	// Plan returns the changes of the target's files; an error when it has no place for what is wanted.
	Plan(Machine, Want) ([]Change, error)
	// Check returns what stands there.
	Check(Machine, Want) Report
}

// Targets lists all targets, clients first.
func Targets() []Target {
	var out []Target
	for i := range clients {
		out = append(out, &clients[i])
	}
	return out
}

// Find returns the target of this name, nil when there is none.
func Find(name string) Target {
	name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-")
	for _, t := range Targets() {
		if t.Name() == name {
			return t
		}
	}
	for i := range clients {
		if slices.Contains(clients[i].aliases, name) {
			return &clients[i]
		}
	}
	return nil
}

// read returns a file's content; none is no error.
func read(path string) (data []byte, exists bool, err error) {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if !st.Mode().IsRegular() {
		return nil, true, fmt.Errorf("%s is no regular file", path)
	}
	const most = 64 << 20
	if st.Size() > most {
		return nil, true, fmt.Errorf("%s has more than %d MB", path, most>>20)
	}
	data, err = os.ReadFile(path)
	return data, true, err
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// Preview prints a change as lines that go and come. Lines that stay are not shown: they may hold other
// servers' secrets.
func (c Change) Preview() string {
	var out strings.Builder
	switch {
	case c.Err != nil:
		fmt.Fprintf(&out, "%s: left alone: %v\n", c.where(), c.Err)
		if c.Paste != "" {
			out.WriteString("  put this there by hand:\n" + indent(c.Paste, "    "))
		}
		return out.String()
	case !c.Needed():
		fmt.Fprintf(&out, "%s: nothing to do\n", c.where())
		return out.String()
	case !c.Exists:
		fmt.Fprintf(&out, "%s: new file\n", c.where())
	default:
		fmt.Fprintf(&out, "%s:\n", c.where())
	}
	was, is := lines(c.Old), lines(c.New)
	from := 0
	for from < len(was) && from < len(is) && was[from] == is[from] {
		from++
	}
	end := 0
	for end < len(was)-from && end < len(is)-from && was[len(was)-1-end] == is[len(is)-1-end] {
		end++
	}
	fmt.Fprintf(&out, "  line %d:\n", from+1)
	was, is = was[from:len(was)-end], is[from:len(is)-end]
	// Two places of a file may change; what stays between them is not shown.
	common := map[string]int{}
	for _, l := range was {
		common[l]++
	}
	var added []string
	for _, l := range is {
		if common[l] > 0 {
			common[l]--
			continue
		}
		added = append(added, l)
	}
	for _, l := range was {
		if common[l] > 0 {
			common[l]--
			out.WriteString("  - " + l + "\n")
		}
	}
	for _, l := range added {
		out.WriteString("  + " + l + "\n")
	}
	return out.String()
}

func lines(data []byte) []string {
	text := strings.TrimSuffix(string(data), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func indent(text, by string) string {
	var out strings.Builder
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		out.WriteString(by + l + "\n")
	}
	return out.String()
}

// dir returns the first of a variable of the environment and a folder below home.
func (m Machine) dir(variable string, below ...string) string {
	if variable != "" {
		if v := m.Env(variable); filepath.IsAbs(v) {
			return v
		}
	}
	return filepath.Join(append([]string{m.Home}, below...)...)
}

// appData is where graphical programs keep a user's settings.
func (m Machine) appData() string {
	switch m.OS {
	case "darwin":
		return filepath.Join(m.Home, "Library", "Application Support")
	case "windows":
		return cmp.Or(m.Env("APPDATA"), filepath.Join(m.Home, "AppData", "Roaming"))
	}
	return m.dir("XDG_CONFIG_HOME", ".config")
}
