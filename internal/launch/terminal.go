package launch

import (
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether a file is a terminal, at which a person reads or types; none is not.
func IsTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }
