// Package page has the type of text that a web page wrote, or has a say in.
//
// An agent that reads such text must be able to tell it from the daemon's own words: a page can write
// "ignore your instructions". So a [Text] cannot be printed by accident. Package answer takes the words
// out, into a fence that the page cannot forge; arch_test.go lists who else may.
package page

import (
	"encoding/json"
	"fmt"
	"io"
)

// Text is text of a page. The zero value is empty.
type Text struct{ words string }

// Wrote marks words as a page's.
func Wrote(words string) Text { return Text{words} }

// Wrotef marks a line as a page's that has a page's words among its arguments.
func Wrotef(format string, args ...any) Text { return Text{fmt.Sprintf(format, args...)} }

// Words takes the text out. Who calls it puts it into a fence, or shows it to a person.
func (t Text) Words() string { return t.words }

// Format writes a stand-in, whatever the verb: text of a page that package fmt prints would stand
// among the daemon's own words.
func (t Text) Format(f fmt.State, _ rune) {
	if t.words != "" {
		_, _ = io.WriteString(f, "[text of a page]") // the state keeps the error
	}
}

// MarshalJSON writes the words as a JSON string: there they are a value, and nothing else.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(t.words) }

// UnmarshalJSON reads a JSON string.
func (t *Text) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &t.words) }
