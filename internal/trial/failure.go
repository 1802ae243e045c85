// Package trial does the steps that led to a failure again, and says whether it comes. By that, steps are left out that a
// failure does not need, and an edit is judged. Who does the steps is the caller's [Actor]; what came of them is read
// from the store.
package trial

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/steps"
)

// Failure is what is looked for: an error by what it says, or a request by its method, address and status.
type Failure struct {
	Message string `json:"message,omitempty"`
	Method  string `json:"method,omitempty"`
	URL     string `json:"url,omitempty"`
	Status  int    `json:"status,omitempty"` // 0: no answer came

	Said string `json:"-"` // by what the caller named the error: what says so, too, is the failure; "" nothing
}

// Request reports whether the failure is a request.
func (f *Failure) Request() bool { return f.Method != "" }

// String says the failure in one line, with a page's words in it.
func (f *Failure) String() string {
	if !f.Request() {
		return f.Message
	}
	return fmt.Sprintf("%s %s: %s", f.Method, f.URL, statusWord(f.Status))
}

func statusWord(status int) string {
	if status == 0 {
		return "no answer"
	}
	return fmt.Sprint(status)
}

// unloaded is what errors say of a script, a style sheet or a module that did not load: its address.
var unloaded = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:ResourceError: <(?:script|link)>[^:]*? |TypeError: Failed to fetch dynamically imported module: )(https?://[^\s,;]+?):?(?:\s|$)`)
})

// loads is the address of the code that did not load, where that is the failure; "" it is not.
func (f *Failure) loads() string {
	if m := unloaded().FindStringSubmatch(f.Message); m != nil {
		return m[1]
	}
	return ""
}

// key is the same for the same failure in another run.
func (f *Failure) key() string {
	if f.Request() {
		return failedKey(f.Method, f.URL, f.Status)
	}
	return errorKey(f.Message)
}

// is reports whether an event tells of the failure.
func (f *Failure) is(e event.Event) bool {
	if f.Request() {
		x, ok := e.(*event.Exchange)
		return ok && ended(x) && x.Failed() && failedKey(x.Method, x.URL, x.Status) == f.key()
	}
	message, ok := errorOf(e)
	return ok && f.says(message)
}

// says reports whether what an error says is the failure: the same, or what the caller named it by.
func (f *Failure) says(message string) bool {
	return !f.Request() && (errorKey(message) == f.key() || f.Said != "" && query.Contains(message, f.Said))
}

// errorOf returns what an error says, as browsers print it; false for what is none.
func errorOf(e event.Event) (string, bool) {
	switch e := e.(type) {
	case *event.Exception:
		if e.Type != "" && !strings.HasPrefix(e.Message, e.Type) {
			return e.Type + ": " + e.Message, true
		}
		return e.Message, true
	case *event.Log:
		return e.Message, e.Severity >= event.SeverityError
	}
	return "", false
}

// quoted are names of code in quotes: what a property is called tells two errors of one form apart.
var quoted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`['"` + "`" + `]([A-Za-z_$][A-Za-z_$]*)['"` + "`" + `]`)
})

// errorKey is the same for errors that say the same, whatever numbers and ids are in them.
func errorKey(message string) string {
	key := analysis.Fingerprint(message)
	for i, m := range quoted().FindAllStringSubmatch(message, 4) {
		if i == 0 {
			key += "\x00"
		}
		key += " " + m[1]
	}
	return key
}

// requestKey is the same for requests of one method to one address, whatever ids are in its path.
func requestKey(method, url string) string {
	return method + " " + analysis.Fingerprint(steps.PageOf(url))
}

func failedKey(method, url string, status int) string {
	return requestKey(method, url) + " " + statusWord(status)
}

func ended(e *event.Exchange) bool { return e.Outcome != "pending" && e.Outcome != "aborted" }
