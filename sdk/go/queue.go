package gasoline

import (
	"sync"
	"time"
)

// The ranks of records: what is worth least goes first when the room is full.
const (
	rankDebug = iota
	rankInfo
	rankWarn // and spans
	rankError
	ranks
)

// record is a log or a span that was not sent yet.
type record struct {
	rank   int
	number uint64 // in the order of coming
	bytes  int
	trace  TraceID
	span   SpanID
	time   time.Time

	text       string // of a log; why a span failed
	attributes []Attr
	left       int // attributes and events that were too many

	severity int    // of a log
	level    string // of a log, as its library calls it
	scope    string // of a log

	kind   int // of a span; 0 for a log
	name   string
	parent SpanID
	end    time.Time // of a log without a time: when it came
	failed bool
	events []spanEvent
	state  string
}

func (r *record) size() int {
	n := 320 + len(r.text) + len(r.name) + len(r.state)
	for i := range r.attributes {
		n += r.attributes[i].size()
	}
	for i := range r.events {
		n += 64
		for j := range r.events[i].attributes {
			n += r.events[i].attributes[j].size()
		}
	}
	return n
}

// line is the records of one rank, oldest first, in a ring that grows to what it needed once.
type line struct {
	ring []record
	head int
	n    int
}

func (l *line) push(r record) {
	if l.n == len(l.ring) {
		larger := make([]record, max2(64, 2*len(l.ring)))
		for i := 0; i < l.n; i++ {
			larger[i] = l.ring[(l.head+i)%len(l.ring)]
		}
		l.ring, l.head = larger, 0
	}
	l.ring[(l.head+l.n)%len(l.ring)] = r
	l.n++
}

func (l *line) first() *record { return &l.ring[l.head] }

func (l *line) pop() record {
	r := l.ring[l.head]
	l.ring[l.head] = record{}
	l.head = (l.head + 1) % len(l.ring)
	l.n--
	return r
}

func max2(a, b int) int {
	if a > b {
		return a
	}
	return b
}

// queue holds what was not sent yet: at most maxCount records and maxBytes bytes. When it is full, the oldest of the
// lowest rank is dropped and counted, but what belongs to a trace with an error counts as a warning.
type queue struct {
	mu       sync.Mutex
	lines    [ranks]line
	count    int
	bytes    int
	next     uint64
	dropped  [ranks]uint64 // since the last report
	total    uint64        // dropped since the start
	onlyErrs bool          // nobody is there: errors and their traces only

	failing [64]TraceID // the newest traces with an error
	turn    int

	maxCount, maxBytes int
}

func (q *queue) fails(t TraceID) bool {
	if t == (TraceID{}) {
		return false
	}
	for i := range q.failing {
		if q.failing[i] == t {
			return true
		}
	}
	return false
}

// push adds a record and returns how many there are and their bytes.
func (q *queue) push(r record) (count, bytes int) {
	r.bytes = r.size()
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.rank == rankError && r.trace != (TraceID{}) && !q.fails(r.trace) {
		q.failing[q.turn] = r.trace
		q.turn = (q.turn + 1) % len(q.failing)
	}
	if r.bytes > q.maxBytes || q.onlyErrs && r.rank < rankError && !q.fails(r.trace) {
		q.drop(r.rank)
		return q.count, q.bytes
	}
	r.number = q.next
	q.next++
	for q.count >= q.maxCount || q.bytes+r.bytes > q.maxBytes {
		if !q.makeRoom(r.rank) {
			q.drop(r.rank)
			return q.count, q.bytes
		}
	}
	q.lines[r.rank].push(r)
	q.count++
	q.bytes += r.bytes
	return q.count, q.bytes
}

func (q *queue) drop(rank int) {
	q.dropped[rank]++
	q.total++
}

// makeRoom drops one record whose rank is not above most. false means that there is none.
func (q *queue) makeRoom(most int) bool {
	for rank := 0; rank <= most; rank++ {
		l := &q.lines[rank]
		for l.n > 0 {
			r := l.pop()
			if rank < rankWarn && q.fails(r.trace) {
				q.lines[rankWarn].push(r) // it is judged as a warning from now on
				continue
			}
			q.count--
			q.bytes -= r.bytes
			q.drop(rank)
			return true
		}
	}
	return false
}

// take returns the oldest records, at most count and about bytes, in the order of their coming, and what was dropped
// since the last time.
func (q *queue) take(count, bytes int) (out []record, dropped [ranks]uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	size := 0
	for len(out) < count && q.count > 0 {
		best := -1
		for rank := range q.lines {
			if l := &q.lines[rank]; l.n > 0 && (best < 0 || l.first().number < q.lines[best].first().number) {
				best = rank
			}
		}
		if size > 0 && size+q.lines[best].first().bytes > bytes {
			break
		}
		r := q.lines[best].pop()
		size += r.bytes
		q.count--
		q.bytes -= r.bytes
		out = append(out, r)
	}
	dropped, q.dropped = q.dropped, [ranks]uint64{}
	return out, dropped
}

// giveBack adds counts of what was dropped to the next report.
func (q *queue) giveBack(dropped [ranks]uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, n := range dropped {
		q.dropped[i] += n
	}
}

// lost counts records that were taken and will not be sent.
func (q *queue) lost(records []record) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range records {
		q.drop(records[i].rank)
	}
}

// away says whether nobody takes records: then what is no error goes.
func (q *queue) away(yes bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.onlyErrs = yes
}

func (q *queue) size() (count, bytes int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count, q.bytes
}
