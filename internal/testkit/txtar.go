package testkit

import (
	"bytes"
	"fmt"
	"strings"
)

// Archive is a text file of named sections: a comment, then "-- name --" lines, each followed by the
// section's text. It is the format of golang.org/x/tools/txtar.
type Archive struct {
	Comment  string
	Sections []Section
}

// Section is one part of an archive. Data ends with a newline unless it is empty.
type Section struct {
	Name string
	Data string
}

// ParseArchive reads an archive. Every text is one. Carriage returns are left out, which some checkouts add.
func ParseArchive(text string) Archive {
	var a Archive
	into := &a.Comment
	for line := range strings.Lines(strings.ReplaceAll(text, "\r", "")) {
		if name, ok := marker(line); ok {
			a.Sections = append(a.Sections, Section{Name: name})
			into = &a.Sections[len(a.Sections)-1].Data
			continue
		}
		*into += line
	}
	return a
}

// marker returns the name in a line that begins a section.
func marker(line string) (name string, ok bool) {
	line, ok = strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
	if !ok {
		return "", false
	}
	line, ok = strings.CutSuffix(line, " --")
	name = strings.TrimSpace(line)
	return name, ok && name != ""
}

// Format writes the archive as ParseArchive reads it.
func (a Archive) Format() []byte {
	var out bytes.Buffer
	out.WriteString(ended(a.Comment))
	for _, s := range a.Sections {
		fmt.Fprintf(&out, "-- %s --\n%s", s.Name, ended(s.Data))
	}
	return out.Bytes()
}

// ended returns text with a newline at its end, unless it is empty.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
