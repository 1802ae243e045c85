package session

import "fmt"

// Fault is a file of the state directory that is not as it has to be, and what the daemon does instead.
type Fault struct {
	File   string // absolute path
	Line   int    // from 1; 0 when there is none to name
	Error  string
	Effect string // what holds until it is fixed
	Fix    string // a sentence
}

func (f Fault) String() string {
	at := f.File
	if f.Line > 0 {
		at = fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s: %s (%s). %s", at, f.Error, f.Effect, f.Fix)
}
