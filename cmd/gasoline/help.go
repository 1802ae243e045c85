package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brennhill/gasoline/internal/catalog"
)

const (
	columns = 80 // of help
	oneLine = 70 // of a description in a list
)

// flagGroup is the annotation with a flag's place in a mode's help.
const flagGroup = "gasoline_group"

// The groups of flags in a mode's help, in their order.
const (
	ownFlags    = "Flags"
	sharedFlags = "Flags of several modes"
	answerFlags = "Flags of every mode"
)

// summary is the beginning of a description that fits a line of a list: its first sentence, or as
// much of it as makes sense alone.
func summary(doc string) string {
	first, _, _ := strings.Cut(doc, ". ")
	first = strings.TrimSuffix(first, ".")
	if utf8.RuneCountInString(first) <= oneLine {
		return first
	}
	for _, end := range []string{": ", "; ", ", ", " "} {
		cut := first
		for utf8.RuneCountInString(cut) > oneLine-2 {
			cut = cut[:max(0, strings.LastIndex(cut, end))]
		}
		if len(cut) > 20 {
			if end == ", " || end == " " {
				cut += " …"
			}
			return cut
		}
	}
	return first
}

// wrapped breaks lines at spaces.
func wrapped(text string) string {
	var out strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		width := 0
		for i, word := range strings.Fields(line) {
			n := utf8.RuneCountInString(word)
			switch {
			case i > 0 && width+1+n > columns:
				out.WriteByte('\n')
				width = 0
			case i > 0:
				out.WriteByte(' ')
				width++
			}
			out.WriteString(word)
			width += n
		}
		out.WriteByte('\n')
	}
	return strings.TrimRight(out.String(), "\n")
}

// explanation is a mode's description in a person's words.
func explanation(m catalog.Mode) string {
	text := m.Doc
	for _, p := range m.Params {
		flag := "--" + strings.ReplaceAll(p.Name, "_", "-")
		if p.Type == "boolean" {
			text = strings.NewReplacer(p.Name+":true", flag, p.Name+":false", flag+"=false").Replace(text)
		}
		if strings.Contains(p.Name, "_") {
			text = strings.ReplaceAll(text, p.Name, flag)
		}
	}
	var needs []string
	if m.Needs&catalog.Extension != 0 {
		needs = append(needs, "a connected browser")
	}
	if m.Needs&catalog.Pilot != 0 {
		needs = append(needs, `"AI Web Pilot" switched on in the extension's popup`)
	}
	if len(needs) > 0 {
		text += "\n\nNeeds " + strings.Join(needs, " and ") + "."
	}
	if len(m.Aliases) > 0 {
		text += "\n\nAlso: " + strings.Join(m.Aliases, ", ") + "."
	}
	return wrapped(text)
}

// atTheEnd finds the default where the description of a parameter says it: "most elements; default 60".
var atTheEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+); default (.+)$`) })

// flagText is what help says of a parameter.
func flagText(p catalog.Param) string {
	text := p.Doc
	if m := atTheEnd().FindStringSubmatch(text); m != nil {
		text = m[1] + " (default " + m[2] + ")"
	}
	if len(p.Enum) > 0 {
		text = strings.TrimSpace(text + " (" + strings.Join(p.Enum, ", ") + ")")
	}
	if p.Type == "array" {
		text += " (with commas, or repeated)"
	}
	if p.Required {
		text += " (required)"
	}
	return text
}

// modeUsage writes the flags of a mode in their groups.
func modeUsage(cmd *cobra.Command) error {
	out := cmd.OutOrStderr()
	fmt.Fprintf(out, "Usage:\n  %s\n", cmd.UseLine())
	if cmd.Example != "" {
		fmt.Fprintf(out, "\nExample:\n  %s\n", cmd.Example)
	}
	section := func(title string, from *pflag.FlagSet, in func(*pflag.Flag) bool) {
		set := pflag.NewFlagSet(title, pflag.ContinueOnError)
		set.SortFlags = false
		from.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && in(f) {
				set.AddFlag(f)
			}
		})
		if set.HasFlags() {
			fmt.Fprintf(out, "\n%s:\n%s", title, set.FlagUsagesWrapped(columns))
		}
	}
	for _, title := range []string{ownFlags, sharedFlags, answerFlags} {
		section(title, cmd.LocalFlags(), func(f *pflag.Flag) bool {
			group := f.Annotations[flagGroup]
			return slices.Contains(group, title) || group == nil && title == answerFlags // --help
		})
	}
	section("Global flags", cmd.InheritedFlags(), func(*pflag.Flag) bool { return true })
	return nil
}
