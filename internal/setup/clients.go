package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/shell"
)

// name is how clients call this server.
const name = "gasoline"

// asking are the tools that a client asks about each time, free those that it calls by itself: they change
// nothing outside the daemon.
var (
	free   = []string{"observe", "analyze"}
	asking = []string{"generate", "configure", "interact"}
)

// client is an MCP client: where its configuration is and how a server stands in it.
type client struct {
	name, title string
	aliases     []string
	programs    []string                     // in PATH
	traces      func(Machine) []string       // files and folders, one of which is there when it is installed
	file        func(Machine) string         // the user's
	project     []string                     // the project's, from its folder on; nil when it has none
	keys        []string                     // under which servers stand
	list        bool                         // command is a list with the arguments
	extra       []field                      // of a new entry only: the user may change them
	toml        func(Want) []field           // of a new table, for TOML; nil for JSON
	more        func(Machine, Want) []Change // approvals, in the user's configuration only
	amend       func(*document, Want) error  // approvals in the same file
}

var clients = []client{
	{
		name: "claude-code", title: "Claude Code", aliases: []string{"claude"}, programs: []string{"claude"},
		traces: func(m Machine) []string {
			return []string{m.dir("CLAUDE_CONFIG_DIR", ".claude"), filepath.Join(m.dir("CLAUDE_CONFIG_DIR"), ".claude.json")}
		},
		file: func(m Machine) string {
			return filepath.Join(m.dir("CLAUDE_CONFIG_DIR"), ".claude.json")
		},
		project: []string{".mcp.json"}, keys: []string{"mcpServers"}, extra: []field{{"type", "stdio"}},
		more: claudeApprovals,
	},
	{
		name: "codex", title: "Codex", programs: []string{"codex"},
		traces:  func(m Machine) []string { return []string{m.dir("CODEX_HOME", ".codex")} },
		file:    func(m Machine) string { return filepath.Join(m.dir("CODEX_HOME", ".codex"), "config.toml") },
		project: []string{".codex", "config.toml"}, keys: []string{"mcp_servers"}, toml: codexTable,
	},
	{
		name: "gemini", title: "Gemini CLI", aliases: []string{"gemini-cli"}, programs: []string{"gemini"},
		traces:  func(m Machine) []string { return []string{filepath.Join(m.dir("GEMINI_CLI_HOME"), ".gemini")} },
		file:    func(m Machine) string { return filepath.Join(m.dir("GEMINI_CLI_HOME"), ".gemini", "settings.json") },
		project: []string{".gemini", "settings.json"}, keys: []string{"mcpServers"},
	},
	{
		name: "opencode", title: "opencode", programs: []string{"opencode"},
		traces: func(m Machine) []string { return []string{m.dir("XDG_CONFIG_HOME", ".config") + "/opencode"} },
		file:   opencodeFile, project: []string{"opencode.json"}, keys: []string{"mcp"}, list: true,
		extra: []field{{"type", "local"}}, amend: opencodeApprovals,
	},
	{
		name: "qwen", title: "Qwen Code", aliases: []string{"qwen-code"}, programs: []string{"qwen"},
		traces:  func(m Machine) []string { return []string{m.dir("QWEN_HOME", ".qwen")} },
		file:    func(m Machine) string { return filepath.Join(m.dir("QWEN_HOME", ".qwen"), "settings.json") },
		project: []string{".qwen", "settings.json"}, keys: []string{"mcpServers"},
	},
	{
		name: "cursor", title: "Cursor", programs: []string{"cursor", "cursor-agent"},
		traces:  func(m Machine) []string { return []string{m.dir("", ".cursor")} },
		file:    func(m Machine) string { return m.dir("", ".cursor", "mcp.json") },
		project: []string{".cursor", "mcp.json"}, keys: []string{"mcpServers"},
	},
	{
		name: "vscode", title: "VS Code", aliases: []string{"vs-code", "code"}, programs: []string{"code"},
		traces:  func(m Machine) []string { return []string{filepath.Join(m.appData(), "Code")} },
		file:    func(m Machine) string { return filepath.Join(m.appData(), "Code", "User", "mcp.json") },
		project: []string{".vscode", "mcp.json"}, keys: []string{"servers"}, extra: []field{{"type", "stdio"}},
	},
	{
		name: "windsurf", title: "Windsurf", programs: []string{"windsurf"},
		traces: func(m Machine) []string { return []string{m.dir("", ".codeium", "windsurf")} },
		file:   func(m Machine) string { return m.dir("", ".codeium", "windsurf", "mcp_config.json") },
		keys:   []string{"mcpServers"},
	},
	{
		name: "zed", title: "Zed", programs: []string{"zed", "zeditor"},
		traces:  func(m Machine) []string { return []string{zedFolder(m)} },
		file:    func(m Machine) string { return filepath.Join(zedFolder(m), "settings.json") },
		project: []string{".zed", "settings.json"}, keys: []string{"context_servers"},
	},
}

func zedFolder(m Machine) string {
	if m.OS == "windows" {
		return filepath.Join(m.appData(), "Zed")
	}
	return filepath.Join(m.dir("XDG_CONFIG_HOME", ".config"), "zed")
}

// opencodeFile is the file that opencode reads: one that is there, else the one that it would make.
func opencodeFile(m Machine) string {
	if v := m.Env("OPENCODE_CONFIG"); filepath.IsAbs(v) {
		return v
	}
	folder := filepath.Join(m.dir("XDG_CONFIG_HOME", ".config"), "opencode")
	for _, f := range []string{"opencode.json", "opencode.jsonc", "config.json"} {
		if _, err := os.Stat(filepath.Join(folder, f)); err == nil {
			return filepath.Join(folder, f)
		}
	}
	return filepath.Join(folder, "opencode.json")
}

// Name returns the word for the client.
func (c *client) Name() string { return c.name }

// Title returns the client's name.
func (c *client) Title() string { return c.title }

// Kind returns [Client].

// Installed reports whether its program is in PATH or its folder is there.
func (c *client) Installed(m Machine) bool {
	for _, p := range c.programs {
		if _, err := m.Look(p); err == nil {
			return true
		}
	}
	for _, f := range c.traces(m) {
		if _, err := os.Stat(f); err == nil {
			return true
		}
	}
	return false
}

// path is the file that is meant.
func (c *client) path(m Machine, w Want) (string, error) {
	if !w.Project {
		return c.file(m), nil
	}
	if c.project == nil {
		return "", fmt.Errorf("%s has no file of a project", c.title)
	}
	return filepath.Join(append([]string{m.Dir}, c.project...)...), nil
}

// within is the folder that the file may not leave, by links of a project; "" for any.
func (w Want) within(m Machine) string {
	if w.Project {
		return m.Dir
	}
	return ""
}

// command is what the client starts. A project's file is read on other machines too, so that it names
// the program by its word.
func (w Want) command() (program string, args []string) {
	if w.Project {
		return name, w.Args
	}
	return w.Program, w.Args
}

// Plan returns the change of the client's configuration, and of the file with its approvals.
func (c *client) Plan(m Machine, w Want) ([]Change, error) {
	path, err := c.path(m, w)
	if err != nil {
		return nil, err
	}
	change := changeOf(path, w.within(m))
	if change.Err != nil {
		return []Change{change}, nil
	}
	change.New = change.Old
	if c.toml != nil {
		change.New, change.Err = c.planTOML(change.Old, w)
	} else {
		change.New, change.Err = c.planJSON(change.Old, w)
	}
	if change.Err != nil {
		change.New = change.Old
		if !w.Remove {
			change.Paste = c.paste(w)
		}
		return []Change{change}, nil
	}
	out := []Change{change}
	if c.more != nil && !w.Project {
		out = append(out, c.more(m, w)...)
	}
	return out, nil
}

func (c *client) planJSON(src []byte, w Want) ([]byte, error) {
	d := &document{src}
	path := append(slices.Clone(c.keys), name)
	if w.Remove {
		if len(src) == 0 {
			return src, nil
		}
		if err := d.remove(path...); err != nil {
			return nil, err
		}
	} else {
		there, err := d.at(path...)
		if err != nil {
			return nil, err
		}
		own := c.own(w)
		// One that is there keeps what the user added, unless it is of another kind: a URL.
		if there == nil || there.kind != '{' || there.get("url") != nil || there.get("httpUrl") != nil ||
			there.get("serverUrl") != nil {
			if err := d.set(slices.Concat(c.extra, own), path...); err != nil {
				return nil, err
			}
		} else {
			for i := len(own) - 1; i >= 0; i-- {
				if err := d.set(own[i].value, append(slices.Clone(path), own[i].key)...); err != nil {
					return nil, err
				}
			}
		}
	}
	if c.amend != nil && !w.Project {
		if err := c.amend(d, w); err != nil {
			return nil, err
		}
	}
	if _, err := parseJSON(d.src); err != nil { // never write what cannot be read
		return nil, err
	}
	return d.src, nil
}

// own are the fields that say how the program is started.
func (c *client) own(w Want) []field {
	program, args := w.command()
	if c.list {
		return []field{{"command", append([]string{program}, args...)}}
	}
	return []field{{"command", program}, {"args", append([]string{}, args...)}}
}

func (c *client) planTOML(src []byte, w Want) ([]byte, error) {
	table := append(slices.Clone(c.keys), name)
	if w.Remove {
		return removeTOML(src, table)
	}
	program, args := w.command()
	out, err := setTOML(src, table, []field{{"command", tomlText(program)}, {"args", tomlList(args)}}, c.fresh(w))
	if err != nil {
		return nil, err
	}
	_, err = parseTOML(out)
	return out, err
}

// fresh is the TOML of a new entry.
func (c *client) fresh(w Want) string {
	program, args := w.command()
	table := strings.Join(append(slices.Clone(c.keys), name), ".")
	var out strings.Builder
	fmt.Fprintf(&out, "[%s]\ncommand = %s\nargs = %s\n", table, tomlText(program), tomlList(args))
	for _, f := range c.toml(w) {
		if sub, ok := f.value.([]field); ok {
			fmt.Fprintf(&out, "\n[%s.%s]\n", table, f.key)
			for _, s := range sub {
				fmt.Fprintf(&out, "%s = %v\n", s.key, s.value)
			}
			continue
		}
		fmt.Fprintf(&out, "%s = %v\n", f.key, f.value)
	}
	return out.String()
}

// paste is what to put into the file by hand.
func (c *client) paste(w Want) string {
	if c.toml != nil {
		return c.fresh(w)
	}
	var value any = slices.Concat(c.extra, c.own(w))
	for _, k := range slices.Backward(append(slices.Clone(c.keys), name)) {
		value = []field{{k, value}}
	}
	return show(value, "", "  ") + "\n"
}

// Check returns what stands in the client's configuration.
func (c *client) Check(m Machine, w Want) Report {
	path, err := c.path(m, w)
	if err != nil {
		return Report{State: Absent, Note: err.Error()}
	}
	r := Report{Path: path}
	file := changeOf(path, w.within(m))
	if err = file.Err; err == nil && file.Exists {
		r.Command, r.Note, err = c.standing(file.Old)
	}
	switch {
	case err != nil:
		r.State, r.Note = Broken, err.Error()
	case r.Command == nil && r.Note != "":
		r.State = Other
	case r.Command == nil && !c.Installed(m):
		r.State = Absent
	case r.Command == nil:
		r.State = Unset
	default:
		r.State, r.Note = w.compare(m, r.Command)
	}
	return r
}

// compare says what a command is next to the one that is wanted.
func (w Want) compare(m Machine, command []string) (State, string) {
	file := command[0]
	if !filepath.IsAbs(file) {
		found, err := m.Look(file)
		if err != nil {
			return Missing, file + " is not in PATH"
		}
		file = found
	}
	switch _, err := os.Stat(file); {
	case err != nil:
		return Missing, "there is no " + file
	case !sameFile(file, w.Program):
		return Other, "this one is " + w.Program
	case !slices.Equal(command[1:], w.Args):
		return Args, "now in force: " + shell.Line(append([]string{"gasoline"}, w.Args...)...)
	}
	return Ready, ""
}

// standing returns the command of our entry, nil when there is none. The note tells of one that starts no
// program.
func (c *client) standing(data []byte) (command []string, note string, err error) {
	path := append(slices.Clone(c.keys), name)
	if c.toml != nil {
		entries, err := parseTOML(data)
		if err != nil {
			return nil, "", err
		}
		var args []string
		for _, e := range entries {
			if e.header || len(e.path) != len(path)+1 || !under(e.path, path) {
				continue
			}
			switch e.path[len(path)] {
			case "command":
				if program, ok := untext(e.value); ok {
					command = []string{program}
				}
			case "args":
				args = tomlStrings(e.value)
			case "url":
				note = "it is set up by URL"
			}
		}
		if command != nil {
			command = append(command, args...)
		}
		return command, note, nil
	}
	d := &document{data}
	n, err := d.at(path...)
	if err != nil || n == nil {
		return nil, "", err
	}
	if words, ok := n.get("command").strings(); ok && len(words) > 0 {
		return words, "", nil
	}
	if v := n.get("command"); v != nil && v.kind == '"' {
		args, _ := n.get("args").strings() // none, or something that the client refuses
		return append([]string{v.text}, args...), "", nil
	}
	return nil, "it is set up by URL", nil
}

// tomlStrings reads a list of strings in one line; nil for anything else.
func tomlStrings(s string) (out []string) {
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	for s != "" {
		end, ok := tomlString([]byte(s), 0)
		if s[0] != '"' && s[0] != '\'' || !ok {
			return nil
		}
		word, ok := untext(s[:end])
		if !ok {
			return nil
		}
		out = append(out, word)
		s = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s[end:]), ","))
	}
	return out
}

// claudeApprovals lets Claude Code call the reading tools without a question.
func claudeApprovals(m Machine, w Want) []Change {
	c := changeOf(filepath.Join(m.dir("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"), "")
	c.New = c.Old
	if c.Err != nil || w.Remove && len(c.Old) == 0 {
		return []Change{c}
	}
	d := &document{c.Old}
	c.Err = func() error {
		n, err := d.at("permissions", "allow")
		if err != nil {
			return err
		}
		list, ok := n.strings()
		if n != nil && !ok {
			return fmt.Errorf(`"permissions.allow" is no list of words there`)
		}
		was := len(list)
		for _, tool := range free {
			rule := "mcp__" + name + "__" + tool
			switch at := slices.Index(list, rule); {
			case w.Remove && at >= 0:
				list = slices.Delete(list, at, at+1)
			case !w.Remove && at < 0:
				list = append(list, rule)
			}
		}
		switch {
		case len(list) == was:
			return nil
		case n == nil || len(n.items) == 0:
			return d.set(list, "permissions", "allow")
		}
		return d.amendList(n, list)
	}()
	if c.Err != nil {
		if !w.Remove {
			c.Paste = show(
				[]field{
					{"permissions", []field{{"allow", []string{"mcp__gasoline__observe", "mcp__gasoline__analyze"}}}},
				},
				"",
				"  ",
			) + "\n"
		}
		return []Change{c}
	}
	c.New = d.src
	return []Change{c}
}

// amendList writes a list of words anew, each in a line of its own where they stood so.
func (d *document) amendList(n *node, list []string) error {
	old := d.src[n.from:n.to]
	if strings.Contains(string(old), "//") || strings.Contains(string(old), "/*") {
		return fmt.Errorf("the list has comments in it")
	}
	text := show(list, "", "")
	if strings.ContainsRune(string(old), '\n') {
		before, _ := d.indentation(n.from)
		inner, _ := d.indentation(n.items[0].from)
		words := make([]string, len(list))
		for i, s := range list {
			words[i] = inner + quote(s)
		}
		text = "[\n" + strings.Join(words, ",\n") + "\n" + before + "]"
		if len(list) == 0 {
			text = "[]"
		}
	}
	d.splice(n.from, n.to, text)
	return nil
}

// opencodeApprovals makes opencode ask before it acts: without a rule it does not. Rules of the user's own
// for all tools, or for ours, stay.
func opencodeApprovals(d *document, w Want) error {
	n, err := d.at("permission")
	if err != nil || n != nil && n.kind != '{' {
		return err
	}
	if w.Remove {
		for _, tool := range asking {
			if err := d.remove("permission", name+"_"+tool); err != nil {
				return err
			}
		}
		if n, err := d.at("permission"); err == nil && n != nil && len(n.members) == 0 {
			return d.remove("permission")
		}
		return nil
	}
	if n != nil {
		for _, m := range n.members {
			if strings.HasPrefix(m.key, "*") || strings.HasPrefix(m.key, name) {
				return nil
			}
		}
	}
	for _, tool := range asking {
		if err := d.set("ask", "permission", name+"_"+tool); err != nil {
			return err
		}
	}
	return nil
}

// codexTable is what a new entry says beside the command. Codex gives a server a scrubbed environment, and
// ends calls after a minute, which is shorter than the longest that may be asked for.
func codexTable(w Want) []field {
	out := []field{
		{"env_vars", `["GASOLINE_PORT", "GASOLINE_STATE_DIR"]`},
		{"tool_timeout_sec", 130},
		{"default_tools_approval_mode", `"prompt"`},
	}
	for _, tool := range free {
		out = append(out, field{"tools." + tool, []field{{"approval_mode", `"approve"`}}})
	}
	return out
}
