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
	gone, come := without(was, is), without(is, was)
	stays, still := same(gone, come)
	for _, side := range []struct {
		sign  string
		lines []string
		stays []bool
	}{{"-", gone, stays}, {"+", come, still}} {
		at := 0
		for _, l := range side.lines {
			n := len(parts(l))
			if text, some := changing(parts(l), side.stays[at:at+n]); some {
				out.WriteString("  " + side.sign + " " + text + "\n")
			}
			at += n
		}
	}
	return out.String()
}

// without returns the lines that others do not have: two places of a file may change, and what is between them stays.
func without(all, others []string) (out []string) {
	common := map[string]int{}
	for _, l := range others {
		common[l]++
	}
	for _, l := range all {
		if common[l] > 0 {
			common[l]--
			continue
		}
		out = append(out, l)
	}
	return out
}

// same reports which parts of lines that go and come are in both: a line may hold more than what changes.
func same(gone, come []string) (stays, still []bool) {
	flat := func(lines []string) (out []string) {
		for _, l := range lines {
			for _, part := range parts(l) {
				out = append(out, bare(part))
			}
		}
		return out
	}
	was, is := flat(gone), flat(come)
	stays, still = make([]bool, len(was)), make([]bool, len(is))
	from, end := 0, 0
	for ; from < min(len(was), len(is)) && was[from] == is[from]; from++ {
		stays[from], still[from] = true, true
	}
	for ; end < min(len(was), len(is))-from && was[len(was)-1-end] == is[len(is)-1-end]; end++ {
		stays[len(was)-1-end], still[len(is)-1-end] = true, true
	}
	places := map[string][]int{}
	for i := from; i < len(is)-end; i++ {
		places[is[i]] = append(places[is[i]], i)
	}
	for i := from; i < len(was)-end; i++ {
		at := places[was[i]]
		switch {
		case was[i] == "": // brackets are with what is before them
			stays[i] = i > 0 && stays[i-1]
		case len(at) > 0:
			stays[i], still[at[0]] = true, true
			places[was[i]] = at[1:]
		}
	}
	for _, i := range places[""] {
		still[i] = i > 0 && still[i-1]
	}
	return stays, still
}

// changing joins the parts of a line that do not stay. some is false when there are none but brackets beside what stays.
func changing(all []string, stays []bool) (out string, some bool) {
	some = !slices.Contains(stays, true)
	for i, part := range all {
		switch {
		case !stays[i]:
			out += part
			some = some || bare(part) != ""
		case !strings.HasSuffix(out, "…"):
			out = strings.TrimRight(out, " ") + "…"
		}
	}
	if rest, ok := strings.CutPrefix(out, "…"); ok {
		out = "… " + strings.TrimLeft(rest, " ")
	}
	return out, some
}

// parts splits a line behind each opening bracket and comma and before each closing bracket, outside of strings.
func parts(line string) (out []string) {
	from, quoted := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[' || c == ',':
			out, from = append(out, line[from:i+1]), i+1
		case c == '}' || c == ']':
			out, from = append(out, line[from:i]), i
		}
	}
	return append(out, line[from:])
}

// bare is a part without what is around a member; "" for brackets and commas alone.
func bare(part string) string { return strings.Trim(part, "{}[], \t\r") }

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
