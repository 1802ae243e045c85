// Package lines turns text that services write for people into events: it knows the formats of common loggers by
// their content, joins the lines of a stack, and finds times, levels and ids.
//
// A line goes through four stages. What other programs wrote around it comes off first (frame.go): runtimes of
// containers, syslog daemons, runners of several processes. Its head is read (head.go), or its structure
// (structured.go). Then it goes on with the open record of its stream and process, or begins one (join.go). What is
// complete becomes an event (emit.go).
//
// A [Reader] reads one stream of one sender. It does nothing by itself: who has it hands over lines, and says when
// nothing more came. A [Receiver] does that for senders that post batches.
package lines

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
)

// Bounds.
const (
	maxLine    = 256 << 10 // bytes of a line; what is longer is cut
	maxJoined  = 64 << 10  // bytes of lines that are one record
	maxRows    = 500       // lines of one record
	maxRaw     = 10_000    // bytes of an exception's text
	maxMessage = 8 << 10   // bytes of an exception's message
	maxJoints  = 64        // streams and processes whose records are told apart; lines of further ones are the reader's own
)

// How long a record that might go on is held back.
const (
	idle    = 300 * time.Millisecond // after its last line
	maxHeld = 2 * time.Second        // after its first one
)

// Line is one line of text, without its newline.
type Line struct {
	Time time.Time // when it was read
	Text string
	Size int  // bytes that it had before it was cut; 0: it is whole
	Live bool // it was read as it was written

	Beside any // what is known of it beside its text; see Reader.Stamp
}

// Reader turns the lines of one stream into events. It is for one goroutine. Known may be nil.
type Reader struct {
	Origin      event.Origin
	ClockDomain string
	Stream      string                          // stdout, stderr, or "" where lines come from a file
	Live        bool                            // all lines are read as they are written
	Ours        bool                            // Line.Time is by our own clock, whatever ClockDomain says of a line's own time
	Several     bool                            // lines begin with the name of a process and a bar: each is a service of its own
	Known       func(trace string) bool         // reports whether events of this trace are kept
	Stamp       func(e event.Event, beside any) // is given each record with what its first line had beside it; may be nil

	joints  []*joint    // by what the frames say; <= maxJoints
	last    *joint      // that took the last line
	begun   int         // how many records were
	zone    zone        // of the times that name none
	names   names       // of processes, as the stream writes them
	logs    []event.Log // room for those that Add makes
	scratch []byte
	aside   bool // records of PostgreSQL were put aside
	told    bool // that the stream had binary output
}

// Add takes the next line and appends the events that are complete to b.
func (r *Reader) Add(l Line, b event.Batch) event.Batch {
	text := strings.TrimSuffix(l.Text, "\r")
	cut := 0
	if l.Size > len(l.Text) {
		cut = l.Size
	}
	if len(text) > maxLine {
		cut = max(cut, len(text))
		end := maxLine
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	f, asItCame := frame{priority: -1, live: r.Live || l.Live}, text
	if r.Several {
		text = f.bar(text)
	}
	text = plainText(overwritten(text))
	if rest, echo := strings.CutPrefix(text, "^C"); echo { // a terminal's
		for strings.HasPrefix(rest, "^C") {
			rest = rest[2:]
		}
		if isUncaught(rest) {
			text = rest
		}
	}
	text = f.off(text, l.Time)
	if f.process == "" {
		text = r.named(&f, text)
	}
	j := r.joint(&f)
	if j == nil { // too many processes: the line is the program's own
		text, f = plainText(overwritten(asItCame)), frame{priority: -1, live: f.live}
		j = r.joint(&f)
	}
	j = r.backend(j, text, l.Time)
	r.last, j.coming = j, l.Beside
	if f.part {
		j.more(text, f, l.Time)
		return b
	}
	text, cut = j.ended(text, cut)
	b = j.add(r, text, f, l.Time, cut, b)
	j.heard = l.Time
	return b
}

// joint returns where the records of a line are joined, by what its frames say. nil: there are too many, and all are open.
func (r *Reader) joint(f *frame) *joint {
	if j := r.last; j != nil && !j.aside && j.output == f.output && j.process == f.process {
		return j
	}
	for _, j := range r.joints {
		if !j.aside && j.output == f.output && j.process == f.process {
			return j
		}
	}
	own := f.output == "" && f.process == ""
	if len(r.joints) >= maxJoints-1 && !own {
		i := slices.IndexFunc(r.joints, func(j *joint) bool { return !j.waits() })
		if i == -1 {
			return nil
		}
		r.joints = slices.Delete(r.joints, i, i+1)
	}
	j := &joint{origin: r.Origin, output: strings.Clone(f.output), process: strings.Clone(f.process)}
	if f.process != "" && f.service != "" {
		j.origin.Service, j.origin.Instance = strings.Clone(f.service), j.process
	}
	r.joints = append(r.joints, j)
	return j
}

// backend returns where a line of PostgreSQL goes on. Its processes write to one stream: a record is put aside when a line of another
// one comes, since what its own adds to it may still follow.
func (r *Reader) backend(j *joint, text string, at time.Time) *joint {
	if l := r.last; l != nil && l.aside && l.open && l.output == j.output && l.process == j.process && strings.HasPrefix(text, "\t") {
		return l
	}
	pid := backend(text)
	if pid == "" || !j.open || j.head.pid == "" || j.head.pid == pid {
		return j
	}
	var free *joint
	beside := j.failed()
	for _, a := range r.joints {
		switch {
		case !a.aside || a.output != j.output || a.process != j.process:
		case !a.open:
			free = a
		case a.head.pid == pid:
			if _, _, ok := addendum(text, at); ok {
				return a
			}
			beside = true
		default:
			beside = true
		}
	}
	if !beside || free == nil && len(r.joints) >= maxJoints-1 {
		return j
	}
	if free == nil {
		free = new(joint)
		r.joints = append(r.joints, free)
	}
	*free = *j
	free.aside, j.open, j.parts, j.maybe = true, false, nil, nil
	r.aside = true
	return j
}

// Hold says when a record that the last line is of is complete, if nothing more comes of it.
func (r *Reader) Hold(now time.Time) {
	j := r.last
	if j == nil {
		return
	}
	if j.since.IsZero() {
		j.since = now
	}
	j.due = now.Add(idle)
	if most := j.since.Add(maxHeld); j.due.After(most) {
		j.due = most
	}
}

// Due returns when the first of the open records is complete. Zero: none is open.
func (r *Reader) Due() (due time.Time) {
	for _, j := range r.joints {
		if j.waits() && (due.IsZero() || j.due.Before(due)) {
			due = j.due
		}
	}
	return due
}

// Settle appends the open records unless they are likely to go on. It is for the end of what came at once.
func (r *Reader) Settle(b event.Batch) event.Batch {
	for _, j := range r.inOrder() {
		if !j.held() {
			b = j.flush(r, b)
		}
	}
	return b
}

// Flush appends the open records.
func (r *Reader) Flush(b event.Batch) event.Batch {
	for _, j := range r.inOrder() {
		b = j.flush(r, b)
	}
	return b
}

// FlushDue appends the open records whose time has come.
func (r *Reader) FlushDue(now time.Time, b event.Batch) event.Batch {
	for _, j := range r.inOrder() {
		if j.waits() && !now.Before(j.due) {
			b = j.flush(r, b)
		}
	}
	return b
}

// inOrder returns the joints by which one's record began first.
func (r *Reader) inOrder() []*joint {
	if len(r.joints) < 2 {
		return r.joints
	}
	return slices.SortedStableFunc(slices.Values(r.joints), func(a, b *joint) int { return cmp.Compare(a.number, b.number) })
}

// first is the time of the first line that is no event yet.
func (r *Reader) first() (first time.Time) {
	for _, j := range r.joints {
		if j.waits() && (first.IsZero() || j.time.Before(first)) {
			first = j.time
		}
	}
	return first
}

// saved is a copy that later lines do not reach.
func (r *Reader) saved() Reader {
	out := *r
	out.logs, out.scratch, out.last = nil, nil, nil
	out.names = r.names.saved()
	out.joints = make([]*joint, len(r.joints))
	for i, j := range r.joints {
		c := *j
		c.parts, c.maybe = slices.Clone(j.parts), slices.Clone(j.maybe)
		c.head.attrs = slices.Clone(j.head.attrs)
		out.joints[i] = &c
	}
	return out
}
