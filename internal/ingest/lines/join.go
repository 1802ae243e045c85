package lines

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/stacktrace"
)

// joint joins the lines of one stream and process to records.
type joint struct {
	output  string // as the frames name it
	process string
	aside   bool // it has a record of another process of PostgreSQL than the last line's
	origin  event.Origin

	number int      // of its record among those of the reader
	open   bool     // there is a record that may go on
	state  state    // what its lines are
	parts  []string // its lines, without frames
	bytes  int
	time   time.Time // when its first line was read
	cut    int       // size of its first line when that was cut, else 0
	head   record    // what its first line says
	of     frame     // of its first line
	due    time.Time // when it is complete: who has the reader says
	since  time.Time // when it was held first
	maybe  []loose   // lines of which it is not known whether they belong to it; <= maxMaybe
	logged bool      // its head has a level
	named  bool      // a line with an error's type came behind the logger's own
	called bool      // a call of a stack came
	heard  time.Time // when the last line was read
	rows   bool      // lines went on with a record that was complete: others are held, too
	headed int       // records that had a head
	bare   int       // records that had none
	prefix string    // that a program writes before each line of a panic
	half   string    // the parts of a line whose end has not come
	halfOf frame     // what was around the last of them
	lost   int       // bytes of them that are more than a line may have
	coming any       // what the line that is added has beside it
	beside any       // what the record's first line had
}

// state says which lines may follow in a record.
type state uint8

const (
	single     state = iota
	traceback        // of Python, before the line with the error
	tracebacks       // of Python, after it
	goroutines       // of Go
	source           // the place and the source line that Node prints before an error
	stacked          // at least one line of a stack of the "at" kind came
	dumped           // what a program of another language says at its end
)

// stateAfter returns the state that a line leads to.
func stateAfter(s string, before state) state {
	switch {
	case before == traceback && s != "" && strings.IndexByte(" >|", s[0]) < 0:
		return tracebacks
	case strings.HasPrefix(s, "Traceback (most recent call last):"), before == single && strings.HasPrefix(s, `  File "`):
		return traceback
	case strings.HasPrefix(s, "panic: "), strings.HasPrefix(s, "fatal error: "), strings.HasPrefix(s, "goroutine "),
		strings.Contains(s, "http: panic serving "):
		return goroutines
	case before == single && isSourcePlace(s):
		return source
	case before == single && (isDump(s) || stacktrace.PytestHead(s)):
		return dumped
	}
	if _, ok := stacktrace.Frame(s); ok || before == single && strings.HasPrefix(s, "\t/") && isGoPlace(s) {
		return stacked
	}
	return before
}

// isSourcePlace reports whether a line is a file and a line, as Node prints them before an uncaught error. Spaces are of a
// path only where it ends as one of a script does.
func isSourcePlace(s string) bool {
	colon := strings.LastIndexByte(s, ':')
	if colon < 2 || strings.IndexByte(s, ' ') >= 0 && !isScript(s[:colon]) {
		return false
	}
	if _, err := strconv.Atoi(s[colon+1:]); err != nil {
		return false
	}
	if base := s[strings.LastIndexByte(s[:colon], '/')+1 : colon]; strings.Contains(base, ".") && !isScript(s[:colon]) {
		return false
	}
	return s[0] == '/' || strings.HasPrefix(s, "file://") || strings.HasPrefix(s, "node:") || s[1] == ':' && s[2] == '\\'
}

func isScript(path string) bool {
	switch path[strings.LastIndexByte(path, '.')+1:] {
	case "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx":
		return true
	}
	return false
}

// loose is a line that may be a record of its own.
type loose struct {
	text   string
	of     frame
	at     time.Time
	cut    int
	beside any
}

// waits reports whether something is held back.
func (j *joint) waits() bool { return j.open || j.half != "" }

// more takes a part of a line.
func (j *joint) more(text string, f frame, at time.Time) {
	if j.half == "" && !j.open {
		j.time, j.since = at, time.Time{}
	}
	j.halfOf = f
	if room := maxLine - len(j.half); len(text) > room {
		j.lost += len(text)
		text = clip(text, room)
		j.lost -= len(text)
	}
	j.half += text
}

// ended returns a line with the parts that came before its last one, and the bytes that it had when it was cut, which its
// end says.
func (j *joint) ended(text string, cut int) (string, int) {
	all := len(j.half) + j.lost + max(cut, len(text))
	if j.lost > 0 {
		cut = all
	}
	text, j.half, j.lost = j.half+text, "", 0
	if cut == 0 {
		return text, 0
	}
	mark := " … [cut: " + strconv.Itoa(all) + " bytes in all]"
	if object, ok := closed(text, mark); ok {
		return object, all
	}
	return text + mark, all
}

// add takes the next line without its frames.
func (j *joint) add(r *Reader, text string, f frame, at time.Time, cut int, b event.Batch) event.Batch {
	if j.open {
		v := part
		if more, ok := j.adds(text, at); ok {
			text = more
		} else {
			v = j.joins(text, at)
		}
		if v == maybe && f.alone {
			v = apart
		}
		switch v {
		case part:
			for _, l := range j.maybe {
				j.take(l.text)
			}
			j.maybe = nil
			j.take(text)
			return b
		case maybe:
			j.maybe = append(j.maybe, loose{text, f, at, cut, j.coming})
			j.bytes += len(text) + 1
			return b
		}
	}
	coming := j.coming
	if !j.open && text != "" && (text[0] == ' ' || text[0] == '\t') && j.headed > 0 && j.head.form != whole && at.Sub(j.heard) < idle {
		j.rows = true
	}
	b = j.flush(r, b)
	if j.coming = coming; strings.TrimSpace(text) != "" {
		j.begin(r, text, f, at, cut)
	}
	return b
}

// adds returns what a line adds to the error of the same process, where it is one that does.
func (j *joint) adds(text string, at time.Time) (more string, ok bool) {
	if j.head.pid != "" {
		if pid, more, ok := addendum(text, at); ok {
			return more, pid == j.head.pid
		}
	}
	if more, ok := j.panics(text); ok {
		return more, true
	}
	if !j.failed() {
		return "", false
	}
	if more, ok := strings.CutPrefix(text, "! "); ok && j.head.form == plain && !j.time.IsZero() { // Dropwizard
		if strings.HasPrefix(more, "at ") || strings.HasPrefix(more, "... ") {
			more = "\t" + more
		}
		return more, true
	}
	for _, mark := range [...]string{"[error] ", "[warn] "} { // sbt has it before each line
		if more, ok := strings.CutPrefix(text, mark); ok && strings.HasPrefix(j.parts[0], mark) && (more == "" || more[0] == ' ' || more[0] == '\t') {
			return more, true
		}
	}
	if !strings.Contains(text, " at ") && !strings.Contains(text, "\tat ") && !strings.Contains(text, "| ") && !strings.Contains(text, ": #") {
		return "", false
	}
	var r record // a logger that writes its head before each line of a stack
	r.parse(text, at)
	more = "    " + strings.TrimLeft(r.message, " \t")
	if _, ok = stacktrace.Frame(more); !ok {
		ok = stacktrace.IsSource(more)
	}
	if dart := strings.TrimLeft(more, " "); len(dart) > 2 && dart[0] == '#' && isDigit(dart[1]) {
		more, ok = dart, true
	}
	return more, ok && r.form == plain && r.level != "" && r.level == j.head.level && r.logger == j.head.logger && r.message != text
}

// panics takes the prefix off a line of a panic of Go that has one before each line.
func (j *joint) panics(text string) (more string, ok bool) {
	if len(j.parts) == 1 && len(j.maybe) == 0 && j.prefix == "" {
		at := strings.Index(j.parts[0], " panic: ") + 1
		if at == 0 || at > maxPrefix || strings.TrimSpace(j.parts[0][:at]) == "" {
			return "", false
		}
		prefix := j.parts[0][:at]
		if more, ok = strings.CutPrefix(text, strings.TrimRight(prefix, " ")); !ok {
			return "", false
		}
		if more = strings.TrimPrefix(more, " "); more != "" && !goesOn(more) {
			return "", false
		}
		j.prefix, j.parts[0], j.state = prefix, j.parts[0][at:], goroutines
		j.head.message = j.parts[0]
		j.head.level, j.head.severity = levelOfText(j.parts[0])
		return more, true
	}
	if j.prefix == "" {
		return "", false
	}
	if more, ok = strings.CutPrefix(text, j.prefix); !ok {
		return "", text == strings.TrimRight(j.prefix, " ")
	}
	return more, j.state == goroutines
}

// maxPrefix bounds what stands before each line of a panic.
const maxPrefix = 80

// take makes a line a part of the record.
func (j *joint) take(text string) {
	if !j.called {
		_, j.called = stacktrace.Frame(text)
	}
	j.parts = append(j.parts, text)
	j.bytes += len(text) + 1
}

// begin starts a record with a line.
func (j *joint) begin(r *Reader, text string, f frame, at time.Time, cut int) {
	r.begun++
	j.number, j.beside = r.begun, j.coming
	j.open, j.state, j.time, j.cut, j.of, j.since = true, single, at, cut, f, time.Time{}
	j.parts, j.bytes, j.named, j.called = append(j.parts[:0], text), len(text), false, false
	j.prefix = ""
	j.head = record{attrs: r.scratch[:0]}
	r.scratch = nil
	j.read(r, text)
	if h := &j.head; h.form != plain || h.message != text {
		j.headed++
	} else {
		j.bare++
	}
	j.state = stateAfter(text, single)
	if j.state == single && j.head.message != text {
		j.state = stateAfter(j.head.message, single)
	}
}

// read reads what a record begins with: its first line, or all of an object.
func (j *joint) read(r *Reader, text string) {
	h, at := &j.head, j.time
	framed := j.of.stamp.zoned // who wrote the frame read the line as it was written
	if framed {
		at = j.of.stamp.time
	}
	h.parse(text, at)
	own := !h.stamp.time.IsZero()
	j.of.onto(h)
	if j.of.priority >= 0 && h.logger == "" {
		h.category()
	}
	if (j.of.live || framed) && h.far(at) { // a date that is no time of writing: of a migration, a report, a row of data
		h.stamp = stamp{}
		if framed {
			h.stamp = j.of.stamp
		}
		if h.level == "" && h.logger == "" && strings.HasSuffix(text, h.message) {
			h.message = text
		}
	}
	if isSummary(text) {
		h.level, h.severity, h.message = "info", event.SeverityInfo, text
	}
	if framed && own {
		var z zone
		h.stamp.time, h.stamp.zoned = z.settle(h.stamp, at, true), true
	}
	if j.logged = h.level != ""; !j.logged {
		h.level, h.severity = levelOfText(h.message)
	}
}

// verdict says whether a line belongs to the open record.
type verdict uint8

const (
	apart verdict = iota
	maybe         // when a line that surely does follows, or where all records of the stream have heads
	part
)

// maxMaybe bounds the lines of which it is not known.
const maxMaybe = 50

// joins says whether a line belongs to the open record, and moves the record's state where it does.
func (j *joint) joins(s string, near time.Time) verdict {
	if len(j.parts)+len(j.maybe) >= maxRows || j.bytes+len(s) > maxJoined {
		return apart
	}
	v := j.follows(s, near)
	if v == maybe && len(j.maybe) >= maxMaybe {
		return apart
	}
	if v == part && !strings.HasPrefix(s, "\u256d") { // the box of a logger's own error
		j.state = stateAfter(s, j.state)
	}
	return v
}

// failed reports whether the record is an error or a warning, or has begun to be one.
func (j *joint) failed() bool {
	return j.state != single || j.head.form != whole && j.head.severity >= event.SeverityWarn
}

func (j *joint) follows(s string, near time.Time) verdict {
	if strings.TrimSpace(s) == "" {
		if j.failed() || j.isObject() {
			return maybe
		}
		return apart
	}
	if j.isObject() {
		if closes(j.parts[len(j.parts)-1]) {
			return apart
		}
		if s[0] == ' ' || s[0] == '\t' || closes(s) {
			return part
		}
		return apart
	}
	if v, ok := j.test(s); ok {
		return v
	}
	if s[0] == ' ' || s[0] == '\t' {
		switch {
		case j.head.form == whole:
			return apart
		case goesOn(s): // a call of a stack
			return part
		case j.state == stacked && isHead(strings.TrimLeft(s, " \t"), near):
			return apart
		case j.state != traceback && j.parts[0][0] == ' ' && isCounted(s, near): // both begin with a number that is filled up
			return apart
		case (j.state == single || j.state == dumped) && beginsInside(strings.TrimLeft(s, " \t"), near):
			return apart
		case len(j.maybe) > 0 && j.state == single:
			return maybe
		}
		return part
	}
	if j.head.form == jul && len(j.parts) == 1 {
		word, message, ok := strings.Cut(s, ": ")
		if !ok || !j.head.setLevel(word) {
			return apart
		}
		j.head.message = message
		return part
	}
	if closes(s) && opens(j.parts[0]) && j.head.form != whole {
		if closes(j.last()) {
			return apart
		}
		return part
	}
	if v := j.byState(s); v != maybe {
		return v
	}
	if isGoFunction(s) && len(j.maybe) == 0 {
		return maybe // its place may come next
	}
	if j.head.form == whole || !j.failed() {
		if strings.HasPrefix(s, "Caused by: ") {
			return part
		}
		return apart
	}
	if level, _ := levelBehindPlace(s); j.state == single && level != "" || beginsRecord(s, near) || isPicture(s) ||
		strings.HasPrefix(s, "Exception in thread ") || strings.HasPrefix(s, "Exception ignored in") { // by a runtime itself
		return apart
	}
	if goesOn(s) {
		return part
	}
	if _, _, ok := stacktrace.Head(s); ok || isDump(s) { // what a logger prints after its own line
		if j.logged && j.state == single && !startsRecord(j.head.message) && !j.named && j.blanks() {
			j.named = true
			return part
		}
		return apart
	}
	if j.state == stacked && j.called && !strings.HasPrefix(j.parts[len(j.parts)-1], "Caused by: ") || j.head.severity < event.SeverityError && j.state == single {
		return apart
	}
	return maybe
}

// byState says what the kind of stack that has begun asks for. maybe: it has no opinion.
func (j *joint) byState(s string) verdict {
	switch j.state {
	case traceback: // the line with the error
		return part
	case tracebacks:
		if strings.HasPrefix(s, "Traceback (most recent call last):") && !j.blankBefore() {
			return apart
		}
	case source:
		if _, _, ok := stacktrace.Head(s); ok || strings.Trim(j.last(), " \t^") == "" && strings.HasSuffix(j.last(), "^") { // or what is thrown and is no error
			j.state = stacked
			return part
		}
		if len(j.parts) < 3 { // the source line itself may not be indented
			return part
		}
		return apart
	case dumped:
		if j.dumpGoesOn(s) {
			return part
		}
	case stacked:
		if s == "}" || s == "]" {
			return part
		}
	}
	return maybe
}

// continuations are words that begin a line only where it goes on with an error.
var continuations = [...]string{
	"Caused by:", "Wrapped by: ", "Suppressed: ", "During handling of the above", "The above exception was", "goroutine ",
	"created by ", "[signal ", "exit status ", "[SQL: ", "[parameters: ", "(Background on this error", "[cause]: ", "[errors]: ",
	`"}`, "Last message: ", "Last message (from", "Bun v", "note: ", "stack backtrace:", "Stack trace:", "Stack Trace:", "[stacktrace]", "(Use `node --trace-uncaught", "Node.js v", "Traceback (most recent call last):",
	"DETAIL:  ", "HINT:  ", "\u256d", "\u2502", "\u2570", // the boxes of rich
}

// goesOn reports whether a line can only be a part of an error: a call of a stack, or a word of one.
func goesOn(s string) bool {
	for _, c := range continuations {
		if strings.HasPrefix(s, c) {
			return true
		}
	}
	if _, ok := stacktrace.Frame(s); ok {
		return true
	}
	if stacktrace.IsSource(s) {
		return true
	}
	trimmed := strings.TrimLeft(s, " \t|>")
	if strings.HasPrefix(trimmed, "[errors]: [") || strings.HasPrefix(trimmed, "[cause]: ") {
		return true
	}
	if strings.HasPrefix(s, "\t/") && isGoPlace(s) {
		return true
	}
	if number, call, ok := strings.Cut(s, ". "); ok && len(number) < 4 && number != "" && strings.Trim(number, "0123456789") == "" && strings.Contains(call, " @ 0x") {
		return true // ClickHouse
	}
	if strings.HasPrefix(s, "- /") && strings.Contains(s, ".php:") { // CakePHP
		return true
	}
	if strings.HasPrefix(trimmed, `File "`) || len(trimmed) > 2 && trimmed[0] == '#' && isDigit(trimmed[1]) {
		return true
	}
	_, _, ok := stacktrace.RubyCall(trimmed)
	return ok
}

// isGoPlace reports whether a line is the place of a call, as pkg/errors and the runtime of Go print it below the function.
func isGoPlace(s string) bool {
	place, _, _ := strings.Cut(s, " +0x")
	_, line, ok := strings.Cut(place, ".go:")
	return ok && strings.Trim(line, "0123456789") == ""
}

// isGoFunction reports whether a line is the name of a function of Go, as pkg/errors prints it above its place.
func isGoFunction(s string) bool {
	slash := strings.LastIndexByte(s, '/') + 1
	dot := strings.IndexByte(s[slash:], '.')
	return dot > 0 && slash+dot+1 < len(s) && !strings.ContainsAny(s, " \t:=\"{")
}

// beginsRecord reports whether a line begins a record of its own: it has a head, or is structured.
func beginsRecord(s string, near time.Time) bool {
	if word, rest, ok := bracketed(s); ok && rest != "" && isName(word) { // [vite] connected
		return true
	}
	if strings.HasPrefix(s, "error[E") || isGoTest(s) { // rustc
		return true
	}
	var r record
	r.parse(s, near)
	return r.form != plain || !r.time.IsZero() || r.level != ""
}

// isHead reports whether a line says a time and a level, so that nothing but a record begins with it.
func isHead(s string, near time.Time) bool {
	if s == "" || !isDigit(s[0]) {
		return false
	}
	var r record
	r.parse(s, near)
	return !r.time.IsZero() && r.level != ""
}

// isCounted reports whether a line begins a record by a number.
func isCounted(s string, near time.Time) bool {
	s = strings.TrimLeft(s, " ")
	return isDigit(s[0]) && beginsRecord(s, near)
}

// beginsInside reports whether a line that is indented begins a record all the same. A small word with a colon is the name
// of a value, as pino-pretty writes it.
func beginsInside(s string, near time.Time) bool {
	if strings.HasPrefix(s, "\u2022 ") || strings.HasPrefix(s, "\u2a2f ") { // apex
		return true
	}
	if name, _, ok := strings.Cut(s, ":"); ok && (name == strings.ToLower(name) && isName(name) || name == "[C]") { // Lua's own
		return false
	}
	return beginsRecord(s, near)
}

// last is the line before.
func (j *joint) last() string {
	if n := len(j.maybe); n > 0 {
		return j.maybe[n-1].text
	}
	return j.parts[len(j.parts)-1]
}

// blanks reports whether nothing but empty lines came since the last line of the record.
func (j *joint) blanks() bool {
	return !slices.ContainsFunc(j.maybe, func(l loose) bool { return strings.TrimSpace(l.text) != "" })
}

// isObject reports whether the record is a JSON value that is written over several lines.
func (j *joint) isObject() bool { return j.parts[0] == "{" || j.parts[0] == "[" }

// startsRecord reports whether a message is an error's head itself.
func startsRecord(message string) bool {
	_, _, ok := stacktrace.Head(message)
	return ok
}

// opens reports whether a value that is printed over several lines begins at the end of a line.
func opens(s string) bool { return s != "" && strings.IndexByte("{[(", s[len(s)-1]) >= 0 }

// closes reports whether a line only ends such a value.
func closes(s string) bool {
	return s != "" && strings.IndexByte("}])", s[0]) >= 0 && strings.Trim(s, "}]),;") == ""
}

func (j *joint) blankBefore() bool { return strings.TrimSpace(j.last()) == "" }

// held reports whether the open record is likely to go on: it is or names an error, or has several lines already.
func (j *joint) held() bool {
	if j.open && j.isObject() {
		return !closes(j.last())
	}
	return j.open && (j.state != single || j.parts[0] == boxTop || len(j.parts) > 1 || opens(j.parts[0]) || j.head.values || j.head.form == dotnet || j.head.form == jul ||
		j.head.form != whole && (j.rows || j.head.severity >= event.SeverityWarn || stacktrace.Named(j.head.message)))
}
