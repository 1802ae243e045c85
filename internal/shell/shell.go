// Package shell writes words and command lines so that a shell reads them as they are.
package shell

import (
	"runtime"
	"strings"
)

// Word returns s as one word of a POSIX shell: as it is where that is enough, else in quotes.
func Word(s string) string {
	if plain(s, "-_./:,@%+=") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Line returns a command as a person pastes it into the shell of this system.
func Line(words ...string) string { return line(runtime.GOOS, words) }

func line(system string, words []string) string {
	word := Word
	if system == "windows" {
		word = windows
	}
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = word(w)
	}
	return strings.Join(out, " ")
}

// windows is a word for cmd.exe, and for PowerShell where the word is an argument.
func windows(s string) string {
	if plain(s, `-_./:,@+=\~`) {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
}

// plain reports whether a word needs no quotes.
func plain(s, marks string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune(marks, r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
