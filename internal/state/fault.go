package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Fault is a file of the state directory that is not as it has to be, and what the daemon does instead.
type Fault struct {
	File   string // absolute path
	Line   int    // from 1; 0 when there is none to name
	Error  string
	Effect string // what holds until it is fixed
	Fix    string // a sentence
}

func (f Fault) String() string { return f.Detail() + ". " + f.Fix }

// Detail says what is wrong, without the fix.
func (f Fault) Detail() string {
	at := f.File
	if f.Line > 0 {
		at = fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s: %s (%s)", at, f.Error, f.Effect)
}

// LineOf returns the line that a JSON error points at, from 1; 0 when it points nowhere.
func LineOf(data []byte, err error) int {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	offset := int64(-1)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &typ):
		offset = typ.Offset
	}
	if offset < 0 || offset > int64(len(data)) {
		return 0
	}
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}
