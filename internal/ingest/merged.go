package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

const (
	maxMerged    = 8 << 10 // bytes of attributes
	maxWitnesses = 8
	maxSaid      = 300 // bytes of what loggers said of one exception
)

// merged returns what two tellings come to, of which the first is kept already: the richer, with what only the poorer says.
// ok is false, and they stay two, when they are not of one thing.
func merged(kept, came event.Event) (now event.Event, ok bool) {
	a, _ := kept.(*event.Log)
	b, _ := came.(*event.Log)
	head := ""
	if a != nil && b != nil {
		if !sameValue(a.RequestID, b.RequestID) {
			return nil, false
		}
		_, request := requestOf(a)
		_, other := requestOf(b)
		if !request || !other {
			if head, ok = sameLog(a, b); !ok {
				return nil, false
			}
		}
	}
	if x, l := kept, cmp.Or(a, b); l != nil && (a == nil || b == nil) {
		if a != nil {
			x = came
		}
		said, tail := withoutTail(textOf(l.Message))
		if l.Source != "otlp" && tail != "" && !isOrigin(tail) && said == x.(*event.Exception).Said() {
			return nil, false
		}
	}
	if x, _ := kept.(*event.Exception); x != nil {
		if y, _ := came.(*event.Exception); y != nil && !sameMessage(x, y) {
			return nil, false
		}
	}
	rich, poor := kept, came
	if richness(came) > richness(kept) {
		rich, poor = came, kept
	}
	if a != nil && b != nil {
		l := *rich.(*event.Log)
		fill(&l.Head, poor.Base())
		fillLog(&l, poor.(*event.Log), head)
		l.Witnesses = with(tellings(a), tellings(b))
		return &l, true
	}
	// It is an error, whoever of the two has the trace.
	x, isError := rich.(*event.Exception)
	if !isError {
		x = poor.(*event.Exception)
	}
	out := *x
	out.Head = *rich.Base()
	fill(&out.Head, poor.Base())
	for _, e := range [...]event.Event{rich, poor} {
		switch e := e.(type) {
		case *event.Exception:
			if e != x {
				fillException(&out, e)
			}
		case *event.Log:
			say(&out, firstLine(textOf(e.Message)))
		}
	}
	// It was thrown in the first span that told of it. Spans around that one may log it, and tell that it left them.
	for _, e := range [...]event.Event{kept, came} {
		if h := e.Base(); strings.Contains(witnesses(e), "span_event") && h.SpanID != "" && h.TraceID == out.TraceID {
			out.SpanID = h.SpanID
			break
		}
	}
	out.Witnesses = with(witnesses(kept), witnesses(came))
	return &out, true
}

// richness says which of two tellings is kept: one with a trace, then with attributes, then an exception with calls, then one
// that a logger's own record tells.
func richness(e event.Event) (n int) {
	h := e.Base()
	if h.TraceID != "" {
		n += 32
		if h.SpanID != "" {
			n += 16
		}
	}
	switch e := e.(type) {
	case *event.Log:
		if e.Attributes != "" && !onlyStream(e.Attributes) {
			n += 8
		}
	case *event.Exception:
		if len(e.Stack) > 0 {
			n += 4
		}
	}
	if h.Source == "otlp" {
		n++
	}
	return n
}

func onlyStream(attributes string) bool {
	return strings.HasPrefix(attributes, `{"log.iostream":"std`) && strings.Count(attributes, ":") == 1
}

// fill gives a head what only another has. Trace and span are the richer one's.
func fill(h, from *event.Head) {
	if h.Cause == (event.Cause{}) {
		h.Cause = from.Cause
	}
	for _, field := range [...]struct{ to, from *string }{
		{&h.Instance, &from.Instance}, {&h.Session, &from.Session}, {&h.TestID, &from.TestID}, {&h.Worker, &from.Worker},
	} {
		if *field.to == "" {
			*field.to = *field.from
		}
	}
	h.Flags |= from.Flags & (event.Redacted | event.Witness)
}

// fillLog gives a log what only another telling of it has. head is what that or the log itself has before the text, "" where
// nothing is lost with it.
func fillLog(l, from *event.Log, head string) {
	if l.Source != "otlp" && from.Source == "otlp" { // what the program said, without what was printed around it
		if head != "" {
			head, l.Message = l.Message, from.Message
		} else {
			l.Message = from.Message
		}
	} else if head != "" {
		head = from.Message
	} else if before, ok := strings.CutSuffix(l.Message, from.Message); ok && l.Source != "otlp" && // the logger is known, so the line need not say it
		strings.TrimRight(before, ":|- ") == cmp.Or(from.Logger, l.Logger, l.Message) {
		l.Message = from.Message
	}
	if stated(from) && (!stated(l) || from.Severity > l.Severity) { // what one calls an error, no other makes less of
		l.Level, l.Severity = from.Level, from.Severity
	}
	l.Attributes = joined(l.Attributes, from.Attributes)
	if head != "" {
		original, _ := json.Marshal(map[string]string{"log.record.original": head}) // a map of strings is always JSON
		l.Attributes = joined(l.Attributes, string(original))
	}
	if l.Logger == "" {
		l.Logger = from.Logger
	}
	if l.Args == "" {
		l.Args = from.Args
	}
	if l.RequestID == "" {
		l.RequestID = from.RequestID
	}
	if l.URL == "" {
		l.URL, l.Line, l.Column = from.URL, from.Line, from.Column
	}
	if len(l.Stack) == 0 {
		l.Stack = from.Stack
	}
	l.Count = max(l.Count, from.Count)
}

// stated reports whether somebody said how severe a log is. Lines that say nothing are info, and those about requests are as
// severe as the status; so are records that a collector made of lines.
func stated(l *event.Log) bool {
	if l.Source == "otlp" {
		return l.Logger != "" || l.Level != "info"
	}
	_, request := requestOf(l)
	return l.Level != "info" && l.Level != "" && !request
}

// sameMessage reports whether the messages of two exceptions may be of one, where no trace tells: many that a logger or a server
// tells with the same words differ in their messages alone.
func sameMessage(x, y *event.Exception) bool {
	if x.TraceID != "" && x.TraceID == y.TraceID {
		return true
	}
	a, b := firstLine(x.Message), firstLine(y.Message)
	return strings.Contains(a, b) || strings.Contains(b, a)
}

// fillException gives an exception what only another telling of it has.
func fillException(x, from *event.Exception) {
	switch {
	case from.Type == "" || from.Type == "panic" && x.Type != "": // any error may be a panic
	case len(from.Type) > len(x.Type) || x.Type == "panic":
		x.Type = from.Type
	}
	if strings.HasPrefix(from.Message, x.Message) {
		x.Message = from.Message
	}
	said := from.Said()
	inApp := func(list []event.StackFrame) bool {
		return slices.ContainsFunc(list, func(f event.StackFrame) bool { return f.InApp })
	}
	if len(x.Stack) == 0 && len(from.Stack) > 0 || !inApp(x.Stack) && inApp(from.Stack) {
		own := x.Said()
		x.Stack, x.RawStack, x.URL, x.Line, x.Column = from.Stack, from.RawStack, from.URL, from.Line, from.Column
		if own != "" && own != said {
			said = own
		}
	}
	if len(x.Causes) == 0 {
		x.Causes = from.Causes
	}
	if x.Mechanism == "uncaught" && from.Mechanism != "uncaught" {
		x.Mechanism, x.Handled = from.Mechanism, from.Handled
	}
	x.Count = max(x.Count, from.Count)
	say(x, said)
}

// say adds what a logger said of an exception.
func say(x *event.Exception, said string) {
	before := x.Said()
	if said == "" || said == x.Message || strings.Contains(before, said) {
		return
	}
	if bare, tail := withoutTail(said); isOrigin(tail) && bare == before {
		return
	}
	for part := range strings.SplitSeq(before, "; ") {
		if part != "" && strings.HasSuffix(said, part) {
			return
		}
	}
	if before == "" {
		x.Mechanism, x.RawStack = "log", said+"\n"+x.RawStack
		return
	}
	if both := before + "; " + said; len(both) <= maxSaid {
		rest, _ := strings.CutPrefix(x.RawStack, before+"\n")
		x.RawStack = both + "\n" + rest
	}
}

// tellings are the ways by which a log came.
func tellings(l *event.Log) string { return cmp.Or(l.Witnesses, l.Source) }

// witnesses are what told of an error.
func witnesses(e event.Event) string {
	switch e := e.(type) {
	case *event.Exception:
		return cmp.Or(e.Witnesses, e.Mechanism+" "+e.Source)
	case *event.Log:
		return "log " + strings.ReplaceAll(tellings(e), ", ", ", log ")
	}
	return ""
}

// with adds a word to a list that has each once.
func with(list, word string) string {
	if strings.Count(list, ", ")+1 < maxWitnesses && !strings.Contains(", "+list+", ", ", "+word+", ") {
		list += ", " + word
	}
	return list
}

// without takes a word off a list.
func without(list, word string) string {
	return strings.Trim(strings.Replace(", "+list+", ", ", "+word+", ", ", ", 1), ", ")
}

// joined returns a JSON object with the members of another that it does not have.
func joined(object, other string) string {
	switch {
	case other == "" || other == object:
		return object
	case object == "":
		return other
	case onlyStream(other) && strings.HasSuffix(object, "}") && len(object) > 2 && len(object)+len(other) < maxMerged:
		if strings.Contains(object, `"log.iostream"`) {
			return object
		}
		return object[:len(object)-1] + "," + other[1:]
	}
	var has, more map[string]json.RawMessage
	if json.Unmarshal([]byte(object), &has) != nil || json.Unmarshal([]byte(other), &more) != nil {
		return object
	}
	out := bytes.NewBufferString(strings.TrimSuffix(strings.TrimRight(object, " \n"), "}"))
	for _, key := range slices.Sorted(maps.Keys(more)) {
		if _, there := has[key]; there || out.Len()+len(key)+len(more[key]) > maxMerged {
			continue
		}
		if len(has) > 0 {
			out.WriteByte(',')
		}
		has[key] = nil
		name, _ := json.Marshal(key) // a string is always JSON
		out.Write(name)
		out.WriteByte(':')
		out.Write(more[key])
	}
	return out.String() + "}"
}

// sameLog reports whether two logs tell the same: the text of the one ends with that of the other, what is before it may be a
// head, and no value differs. head is that, where there are words in it that neither log has elsewhere.
func sameLog(a, b *event.Log) (head string, ok bool) {
	long, short := a, b
	l, s := withoutPairs(textOf(a.Message)), withoutPairs(textOf(b.Message))
	if len(l) < len(s) {
		long, short, l, s = b, a, s, l
	}
	before, ends := strings.CutSuffix(l, s)
	if said, tail := withoutTail(l); !ends && long.Source != "otlp" && isOf(tail, short) {
		before, ends = strings.CutSuffix(said, s)
	}
	if !ends || !agree(long, short, textOf(long.Message)[len(l):], textOf(short.Message)[len(s):]) {
		return "", false
	}
	if before == "" {
		return "", true
	}
	if !isBorder(before[len(before)-1]) {
		return "", false
	}
	known, odd := readHead(before, short, long)
	several := strings.Contains(s, " ")
	switch {
	case odd == 0 && (known > 0 || several):
		return "", true
	case odd == 1 && several:
		return before, true
	}
	return "", false
}

// withoutTail cuts what stands in brackets at the end of a line: a logger, a place.
func withoutTail(text string) (said, tail string) {
	for _, of := range [...][2]string{{" [", "]"}, {" (", ")"}} {
		inner, closed := strings.CutSuffix(text, of[1])
		if at := strings.LastIndex(inner, of[0]); closed && at > 0 && !strings.Contains(inner[at:], "\n") {
			return strings.TrimRight(text[:at], " "), strings.TrimPrefix(inner[at+2:], "in ")
		}
	}
	return text, ""
}

// isOf reports whether what stands in brackets behind a line is the logger or the place of a record.
func isOf(tail string, l *event.Log) bool {
	file, _, _ := strings.Cut(tail, ":")
	return tail != "" && (tail == l.Logger || isPartOf(tail, l.Logger) || file == l.URL || isPartOf(file, l.URL))
}

// isOrigin reports whether it can be nothing but a logger or a place.
func isOrigin(tail string) bool {
	return strings.ContainsAny(tail, "./") && !strings.ContainsAny(tail, " =") && (tail[0] == '/' || isPlain(tail[:1]))
}

// readHead counts the words of what stands before a text that are known for parts of a head, and those that are not. Numbers
// are neither. A logger's name that is not the record's is never the head of it.
func readHead(head string, short, long *event.Log) (known, odd int) {
	head = strings.TrimSpace(head)
	bare := strings.TrimRight(head, ":|- ")
	for _, logger := range [...]string{short.Logger, long.Logger} {
		if logger != "" && bare == logger {
			return 1, 0
		}
	}
	if short.Logger != "" && strings.HasSuffix(head, ":") && !isLevel(bare) && isPlain(bare) {
		return 0, 2
	}
	for word := range strings.FieldsFuncSeq(head, func(r rune) bool { return strings.ContainsRune(" \t|,;", r) }) {
		word = strings.Trim(word, ":-=/.*#\"'")
		switch {
		case word == "":
		case strings.Contains(word, "="):
			odd++
		case isLevel(word) || len(word) == 1 && strings.Contains("TDIWEFC", word) || word == short.Logger || word == long.Logger || word == short.Service || isPartOf(word, short.Logger) ||
			isPartOf(word, short.URL) || word == "MainThread" || word == "MainProcess":
			known++
		case strings.ContainsAny(word, "0123456789"):
			if !isNumber(word) {
				known++
			}
		case isPlain(word):
			odd++
		default: // api.views, web/api, http_server, [main], <module>
			known++
		}
	}
	return known, odd
}

func isNumber(word string) bool {
	return strings.Trim(word, "0123456789") == ""
}

// isPlain reports whether a word is one of letters only.
func isPlain(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool {
		return r < 0x80 && (r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	}) < 0
}

// isPartOf reports whether a word is the last name of a logger or a file.
func isPartOf(word, name string) bool {
	if name == "" {
		return false
	}
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	stem := strings.TrimSuffix(base, path.Ext(base))
	return word == base || word == stem || word == name[strings.LastIndexByte(name, '.')+1:]
}

func isLevel(word string) bool {
	switch strings.ToLower(word) {
	case "trace", "debug", "info", "information", "notice", "log", "warn", "warning", "error", "err", "severe", "fatal", "critical", "crit",
		"alert", "emergency", "panic", "verbose":
		return true
	}
	return false
}

// agree reports whether no value of one log is another in the other: what stands behind the texts of both, and their attributes.
func agree(long, short *event.Log, behindLong, behindShort string) bool {
	behindLong, behindShort = strings.TrimSpace(behindLong), strings.TrimSpace(behindShort)
	more, of := behindLong, short
	switch {
	case strings.HasPrefix(behindLong, behindShort):
		more = behindLong[len(behindShort):]
	case strings.HasPrefix(behindShort, behindLong):
		more, of = behindShort[len(behindLong):], long
	default:
		return false
	}
	var a, b map[string]json.RawMessage
	if more != "" || !onlyStream(long.Attributes) && !onlyStream(short.Attributes) && long.Attributes != "" && short.Attributes != "" {
		if json.Unmarshal([]byte(orEmpty(long.Attributes)), &a) != nil || json.Unmarshal([]byte(orEmpty(short.Attributes)), &b) != nil {
			return false
		}
	}
	given := b
	if of == long {
		given = a
	}
	for word := range strings.FieldsSeq(more) {
		key, value, pair := strings.Cut(word, "=")
		if !pair {
			return false
		}
		if has, there := given[key]; there && !sameValue(scalar(has), strings.Trim(value, `",`)) {
			return false
		}
	}
	for key, value := range a {
		if other, there := b[key]; there && !strings.HasPrefix(key, "log.") && !sameValue(scalar(value), scalar(other)) {
			return false
		}
	}
	return true
}

func orEmpty(object string) string {
	if object == "" {
		return "{}"
	}
	return object
}

// sameValue compares two texts or numbers by what they say. One may be cut, and "" is anything.
func sameValue(x, y string) bool {
	if x == "" || y == "" || x == y || strings.HasPrefix(x, y) && len(y) > 64 || strings.HasPrefix(y, x) && len(x) > 64 {
		return true
	}
	n, err1 := strconv.ParseFloat(x, 64)
	m, err2 := strconv.ParseFloat(y, 64)
	if err1 == nil && err2 == nil {
		return n == m
	}
	return sameDuration(x, m, err2) || sameDuration(y, n, err1) || sameMoment(x, y) || sameMoment(y, x)
}

// sameDuration reports whether a number is how long a text says: loggers of Go write 150ms where a person reads, and
// nanoseconds, milliseconds or seconds in JSON.
func sameDuration(text string, n float64, err error) bool {
	if err != nil {
		return false
	}
	d, err := time.ParseDuration(text)
	return err == nil && (n == float64(d) || n == d.Seconds() || n == float64(d)/float64(time.Millisecond))
}

// sameMoment reports whether a time is what another one is cut to: a logger may write milliseconds in one output and
// nanoseconds in the other.
func sameMoment(short, long string) bool {
	if len(short) < len("2006-01-02T15:04:05Z") || len(short) > len(long) {
		return false
	}
	s, err1 := time.Parse(time.RFC3339, short)
	l, err2 := time.Parse(time.RFC3339, long)
	digits := 0
	if _, fraction, ok := strings.Cut(short, "."); ok {
		digits = len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
	}
	return err1 == nil && err2 == nil && l.Sub(s) >= 0 && l.Sub(s) < time.Duration(math.Pow10(9-min(digits, 9)))
}

// scalar returns what a text or a number says, "" for anything else.
func scalar(v json.RawMessage) string {
	if len(v) == 0 || v[0] == '{' || v[0] == '[' || v[0] == 'n' {
		return ""
	}
	if v[0] != '"' {
		return string(v)
	}
	var text string
	_ = json.Unmarshal(v, &text) // it was read from JSON
	return text
}

// textOf is a log's text as copies have it in common.
func textOf(message string) string { return strings.TrimSpace(message) }

// withoutPairs returns the text before the first key=value that is not its beginning. Of a line, such pairs at the end
// are fields already.
func withoutPairs(text string) string {
	for begin := strings.IndexByte(text, ' ') + 1; begin > 0; {
		word, _, more := strings.Cut(text[begin:], " ")
		if strings.LastIndexByte(word, '=') > 0 {
			return strings.TrimRight(text[:begin], " ")
		}
		if !more {
			break
		}
		begin += len(word) + 1
	}
	return text
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

func firstWord(text string) string {
	first, _, _ := strings.Cut(text, " ")
	return first
}

// shortType is a type without its package: printed stacks have it, and records have it not, or the other way round.
func shortType(typ string) string { return typ[strings.LastIndexAny(typ, ".:\\/*")+1:] }

// formOf is a text without its numbers.
func formOf(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}

// pathIn returns the first path of a URL that a text names, "" for none.
func pathIn(text string) string {
	at := strings.Index(text, " /")
	if at < 0 {
		return ""
	}
	return pathOf(firstWord(text[at+1:]))
}

func pathOf(target string) string {
	p, _, _ := strings.Cut(target, "?")
	if plain, err := url.PathUnescape(p); err == nil {
		return plain
	}
	return p
}

// servedPath is the path of the request that a span answers, "" where it answers none. SDKs of both conventions for HTTP are read.
func servedPath(s *event.Span) string {
	if s.SpanKind != "server" || s.Attributes == "" {
		return ""
	}
	var told struct {
		Path   string `json:"url.path"`
		Target string `json:"http.target"`
		URL    string `json:"http.url"`
	}
	if json.Unmarshal([]byte(s.Attributes), &told) != nil {
		return ""
	}
	if target := cmp.Or(told.Path, told.Target); target != "" {
		return pathOf(target)
	}
	if whole, err := url.Parse(told.URL); err == nil {
		return whole.Path
	}
	return ""
}

// request is what a line about a request says.
type request struct {
	method, target string
	status         int
}

// requestOf reads a line about a request and nothing else, as servers write them: a method, a path, maybe the protocol, and the
// status. One that says more, in words or by its level, is a log like others.
func requestOf(l *event.Log) (r request, ok bool) {
	text := l.Message
	at := strings.Index(text[:min(len(text), 512)], " /")
	if at < 3 {
		return r, false
	}
	begin := at
	for begin > 0 && text[begin-1] >= 'A' && text[begin-1] <= 'Z' {
		begin--
	}
	switch r.method = text[begin:at]; r.method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
	default:
		return r, false
	}
	rest := text[at+1:]
	end := strings.IndexAny(rest, " \"")
	if end < 0 {
		return r, false
	}
	r.target, rest = rest[:end], strings.TrimLeft(rest[end:], " ")
	if strings.HasPrefix(rest, "HTTP/") {
		end := strings.IndexAny(rest, " \"")
		if end < 0 {
			return r, false
		}
		rest = rest[end:]
	}
	rest = strings.TrimLeft(rest, `" `)
	if len(rest) < 3 || len(rest) > 3 && rest[3] >= '0' && rest[3] <= '9' {
		return r, false
	}
	status, err := strconv.Atoi(rest[:3])
	r.status = status
	if err != nil || status < 100 || status >= 600 {
		return r, false
	}
	severe := l.Severity >= event.SeverityError && status < 500 || l.Severity > event.SeverityError
	return r, !severe && said(text[:begin], false) <= 1 && said(rest[3:], true) == 0
}

// maxReason is how many words a status has: Request Header Fields Too Large.
const maxReason = 5

// said counts the plain words around a request that servers do not write there. Those in quotes and brackets are of the request
// and of who sent it. behind: it follows the status, so it may begin with what that is called.
func said(text string, behind bool) (n int) {
	until, reason := "", behind
	words := 0
	for word := range strings.FieldsSeq(text) {
		if until == "" {
			switch word[0] {
			case '"':
				until = `"`
			case '[':
				until = "]"
			case '(':
				until = ")"
			}
			if until != "" {
				word = word[1:]
			} else if _, value, ok := strings.Cut(word, `="`); ok { // a pair
				until, word = `"`, value
			}
		}
		if until != "" {
			if strings.Contains(word, until) {
				until = ""
			}
			continue
		}
		bare := strings.Trim(word, ":,;.|-\"'")
		if len(bare) < 2 || !isPlain(bare) || isLevel(bare) {
			reason = reason && !isLevel(bare)
			continue
		}
		if words++; reason && words <= maxReason && bare[0] < 'a' && !strings.HasSuffix(word, ":") {
			continue
		}
		reason = false
		switch bare {
		case "in", "took", "after", "ms", "us", "ns", "sec", "bytes", "kB", "KB", "MB":
		default:
			n++
		}
	}
	return n
}

// exits are the words of programs that run others: that one failed, and not why.
var exits = [...]*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(exited with|exit status|exit code:?|exited with code|non-zero exit (status|code)) -?\d+\W*$`),
	regexp.MustCompile(`^(make|gmake)(\[\d+\])?: \*\*\* \[.*\] Error \d+$`),
	regexp.MustCompile(`\bELIFECYCLE\b|^npm (error|ERR!) (Lifecycle script|command failed|Exit status|Test failed)`),
	regexp.MustCompile(`^(error: )?(test failed, to rerun|could not compile .* due to \d+ previous error|aborting due to \d*)`),
	regexp.MustCompile(`\(core dumped\)$`),
	regexp.MustCompile(`^FAILURE: Build failed with an exception|^(one error|\d+ errors?) found$|^\(.* / .*\) Compilation failed$`),
}

// saysExit reports whether a text says that a program failed, and not why.
func saysExit(text string) bool {
	text = text[:min(len(text), 4<<10)]
	for _, e := range exits {
		if e.MatchString(text) {
			return true
		}
	}
	return false
}
