// Package source reads what services wrote where it is kept already: log platforms, other machines, containers,
// journals, files. It says what an adapter is, and runs them all alike.
//
// An [Adapter] knows one kind of place and does only what is special there: it turns one question into rows, or follows
// what is written. The [Runner] does the rest once for all: limits, pauses, repeats, budgets, what came before, when to
// ask again, and the state that agents see. Rows go through the parser of package lines and the limits of package
// ingest. Only the packages here and below connect to other machines, and only to what the user configured.
//
// Nothing here starts a goroutine: [Runner.Jobs] are for the daemon to run.
package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/bug"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/follow"
)

// Capabilities say what an adapter's places can do.
type Capabilities struct {
	Ingested   bool          // Query.Ingested is understood: rows are found by when they arrived
	StableIDs  bool          // Row.ID is set
	Stamped    bool          // Row.Time is the place's own, with Resolution; else it is when the row was read
	Resolution time.Duration // of Row.Time
	Cost       string        // of a question, in words: "requests", "bytes scanned"; "" when it costs nothing
}

// Adapter declares one kind of source. Make it with [Declare].
type Adapter struct {
	Name    string // as "type" in gasoline.json, and the Source of the events
	Doc     string // one sentence
	Options any    // zero value of the struct of its options, with the tags of [catalog.Param]
	Capabilities

	open func(json.RawMessage, Env) (Opened, string, error)
}

// Declare makes an adapter whose options are a T. Open checks them and connects to nothing; its error is a problem.
func Declare[T any](name, doc string, c Capabilities, open func(T, Env) (Opened, error)) Adapter {
	var zero T
	return Adapter{Name: name, Doc: doc, Options: zero, Capabilities: c,
		open: func(raw json.RawMessage, env Env) (Opened, string, error) {
			var options T
			if field, err := catalog.Options(&options, raw); err != nil {
				return Opened{}, field, err
			}
			opened, err := open(options, env)
			if err == nil && opened.Uses.empty() {
				err = bug.Errorf("the adapter %s does not say what it uses", name)
			}
			return opened, "", err
		}}
}

// Check returns what is wrong with options: the name of the one, "" for all of them, and a problem.
func (a Adapter) Check(options json.RawMessage) (field string, err error) {
	_, field, err = a.open(options, Env{})
	return field, err
}

// Open makes a source of options. Its error is a problem.
func (a Adapter) Open(options json.RawMessage, env Env) (Opened, error) {
	opened, _, err := a.open(options, env)
	return opened, err
}

// Env is what adapters may use. The zero value is the process's own.
type Env struct {
	Root      string            // folder that relative paths are in; see [Env.Open]
	Transport http.RoundTripper // nil: the network
	Now       func() time.Time  // nil: time.Now
}

// Opened is one source, ready to be asked.
type Opened struct {
	Uses       Uses
	Title      string // where it reads, without secrets: "http://127.0.0.1:3100 {app=\"api\"}"
	Credential string // sources with the same one share the limits of its account; "" shares nothing
	Domain     string // whose clock rows are by when they do not say; "" is this machine's
	Search     Searcher
	Tail       Tailer
	Poll       bool    // search again and again for what is new, too
	Rate       float64 // questions per second of the credential; 0 means 1
	Requests   int     // that an hour may have; 0 means 600
	Bytes      int64   // that an hour may have; 0 means 256 MiB
}

// Searcher answers questions. Its errors are a [*Fault], ctx's, or any other, which counts as Unavailable.
type Searcher interface {
	// Search returns a page of the rows that a query asks for; page is "", or the Next of the page before.
	Search(ctx context.Context, q Query, page string) (Page, error)
}

// Tailer follows what is written.
type Tailer interface {
	// Tail hands on rows from a cursor on ("": from now on) until ctx or the source ends, or emit fails. With
	// rows comes the cursor after them, "" when there is none. Errors are as those of Search. It leaves nothing behind:
	// processes that it started have ended.
	Tail(ctx context.Context, cursor string, emit Emit) error
}

// ErrAgain ends a tail that is to begin anew at once, from the cursor that it gave last.
var ErrAgain = errors.New("it begins anew")

// Emit takes rows, in order. Its error ends the tail.
type Emit func(ctx context.Context, rows []Row, cursor string) error

// Query is one question.
type Query struct {
	From, To time.Time // From ≤ time < To
	Ingested bool      // From and To are of the arrival at the place; only with that capability
	Trace    string    // 32 hex digits, to be searched in all its forms: see [Variants]; "": any
	Text     string    // that rows contain; "": any
	Limit    int       // rows of one page
}

// Page is a part of an answer.
type Page struct {
	Rows    []Row
	Next    string        // "": this was the last one; a page without rows may have a next one
	Partial string        // why rows may be missing, "" when none are
	Bytes   int64         // that the answer had
	Pause   time.Duration // that the place wants before the next question of this credential
}

// Row is one line or record as a place keeps it.
type Row struct {
	ID         string    // the place's own, "" where it has none
	Time       time.Time // see Capabilities.Stamped
	Ingested   time.Time // when it arrived at the place, zero where that is not known
	Stream     string    // what the row is a line of, where the lines of several are mixed: labels, a container
	Text       string
	Size       int         // bytes of the text when it was cut, or of the record that Events are of; else 0
	Live       bool        // it was written shortly before it was read, where Time is when it was read
	End        *follow.End // of the file as it was opened, with the first of its rows; else nil
	Service    string
	Instance   string
	Host       string
	Output     string // stdout, stderr, ""
	Trace      string // any form of a trace id, "" when the place does not keep it beside the text
	Span       string
	Level      string
	Severity   int // OpenTelemetry's, of Level; 0: the text says it
	Attributes []Attribute
	Run        string // of the daemon that exported the row to the place, where the place tells; else ""

	// Events are what the row is, where a place keeps records that need no reading; nil for text. Of the rest, ID, Time, Stream,
	// Ingested, Size and Run count then. The runner adds the source and, to those that name none, the service.
	Events event.Batch
}

// Attribute is something that the place knows about a row, by OpenTelemetry's names where there is one.
type Attribute struct{ Key, Value string }

// FaultKind says what a failed question means for the next one.
type FaultKind uint8

// The kinds of faults.
const (
	Unavailable FaultKind = iota // it may work soon
	Throttled                    // it works again after a pause
	Refused                      // the credential is not accepted; the user has to do something
	Invalid                      // the question is wrong; it is not asked again
	Expired                      // the page or cursor is too old; the question is asked from its beginning
)

// Fault is why a source did not answer.
type Fault struct {
	Kind  FaultKind
	After time.Duration // at least until the next question; 0: as the runner thinks
	HTTP  int           // status of the answer; 0 where none came
	Bytes int64         // that were read of an answer that has more than is read; 0 for other faults
	Text  string        // a sentence without secrets
	Fix   string        // what the user can do, ""
}

// Error returns the sentence, with the fix.
func (f *Fault) Error() string {
	if f.Fix != "" {
		return strings.TrimRight(f.Text, ".") + ". " + f.Fix
	}
	return f.Text
}

func fault(kind FaultKind, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Text: fmt.Sprintf(format, args...)}
}
