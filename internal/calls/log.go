package calls

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
)

// Bounds of what is kept of calls. The oldest go first.
const (
	maxKept  = 10_000
	maxBytes = 4 << 20
	maxArgs  = 300      // characters of a call's parameters
	maxRead  = 64 << 10 // bytes of parameters that are looked at; of more only the size is kept
	perEntry = 200      // bytes that an entry takes beside its texts
)

// Record is one call as the log keeps it.
type Record struct {
	ID         uint64 // from 1, in the order of the calls' ends
	Time       time.Time
	Client     string
	Name       string // the client's program
	Tool, Mode string
	Args       string // parameters as JSON, without secrets and typed texts, cut
	Duration   time.Duration
	Size       int          // bytes of the answer
	Err        problem.Code // "" when it went well
}

func (r *Record) bytes() int {
	return perEntry + len(r.Client) + len(r.Name) + len(r.Tool) + len(r.Mode) + len(r.Args) + len(r.Err)
}

// Log keeps the newest calls, at most 10,000 of together 4 MB, and counts all of them. The zero value works. Safe for
// concurrent use. Nothing of it is written to disk.
type Log struct {
	mu      sync.Mutex
	records []Record
	bytes   int
	next    uint64
	counts  Counts
}

// Counts counts tool calls since the daemon began.
type Counts struct {
	Total, Errors int
	ByTool        map[string]int
}

// Add keeps a record and gives it its number.
func (l *Log) Add(r Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.counts.ByTool == nil {
		l.counts.ByTool = map[string]int{}
	}
	l.counts.Total++
	l.counts.ByTool[r.Tool]++
	if r.Err != "" {
		l.counts.Errors++
	}
	l.next++
	r.ID = l.next
	l.records = append(l.records, r)
	l.bytes += r.bytes()
	drop := 0
	for n := len(l.records); drop < n && (n-drop > maxKept || l.bytes > maxBytes); drop++ {
		l.bytes -= l.records[drop].bytes()
	}
	l.records = slices.Delete(l.records, 0, drop)
}

// Records returns copies of the records that fits accepts, oldest first, and how many are no longer kept.
func (l *Log) Records(fits func(*Record) bool) (found []Record, gone uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.records {
		if fits(&l.records[i]) {
			found = append(found, l.records[i])
		}
	}
	return found, l.next - uint64(len(l.records))
}

// Clear forgets the records and returns how many there were. The counts stay.
func (l *Log) Clear() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.records)
	l.records, l.bytes = nil, 0
	return n
}

// Counts returns the counts, as a copy.
func (l *Log) Counts() Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.counts
	out.ByTool = map[string]int{}
	for k, v := range l.counts.ByTool {
		out.ByTool[k] = v
	}
	return out
}

// spoken are the modes of interact whose text or value is no text that the agent enters somewhere.
var spoken = []string{"wait_for", "key_press", "subtitle", "list_interactive", "select"}

// entered are the parameters of interact and configure that hold what the agent enters somewhere or keeps, by all their
// names, and those that do so in the modes that are spoken, too.
var (
	entered = append([]string{"text", "value", "values", "checked", "data"}, always...)
	always  = []string{"html", "dialog_text"}
)

// argsOf returns a call's parameters as they are kept: without texts that the agent enters, which may be passwords, and
// cleaned of secrets.
func argsOf(tool, mode string, args json.RawMessage, clean func(string) string) string {
	if len(args) > maxRead {
		return fmt.Sprintf("(%d bytes)", len(args))
	}
	var params map[string]any
	if json.Unmarshal(args, &params) != nil || len(params) == 0 {
		return ""
	}
	switch {
	case tool == "interact" && slices.Contains(spoken, mode):
		hide(params, always)
	case tool == "interact", tool == "configure":
		hide(params, entered)
	}
	out, _ := json.Marshal(params) // of what was JSON
	text := string(out)
	if clean != nil {
		text = clean(text)
	}
	return answer.Cut(text, maxArgs)
}

// hide replaces what parameters of these names hold, in lists of fields and steps too, and where a list is given as its
// JSON.
func hide(in any, names []string) {
	switch v := in.(type) {
	case map[string]any:
		for key, value := range v {
			if slices.ContainsFunc(names, func(name string) bool { return catalog.Named(key, name) }) {
				v[key] = hidden(value)
				continue
			}
			v[key] = opened(value)
			hide(v[key], names)
		}
	case []any:
		for i, value := range v {
			v[i] = opened(value)
			hide(v[i], names)
		}
	}
}

// opened returns the list or object that a text is the JSON of, else its argument: where a list is wanted, such a text is
// taken for one.
func opened(value any) any {
	text, _ := value.(string)
	var list any
	if text = strings.TrimSpace(text); text == "" || text[0] != '[' && text[0] != '{' || json.Unmarshal([]byte(text), &list) != nil {
		return value
	}
	return list
}

// hidden says how much was entered; whether something is checked is no secret.
func hidden(value any) any {
	switch v := value.(type) {
	case nil, bool:
		return v
	case string:
		return fmt.Sprintf("(%d characters)", utf8.RuneCountInString(v))
	case []any:
		return fmt.Sprintf("(%d items)", len(v))
	case map[string]any:
		return fmt.Sprintf("(%d members)", len(v))
	}
	return "(a number)"
}
