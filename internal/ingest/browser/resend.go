package browser

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
)

// A sender numbers the events of a document in one row, keeps what was not acknowledged, and sends
// it again in that order. Numbers may be missing for good: the sender's buffer was full, or an event
// was not one. So that a hole does not hold the acknowledgement back for ever, holes are closed
//   - by as many events as the sender reports as dropped, lowest hole first,
//   - by age: a hole that is still there half a minute after it was first seen is a loss,
//   - by number: more than 64 holes after one upload close from the lowest.
//
// The row of a document that is new to us, because it is or because the daemon is, begins with the
// lowest number of its first upload.
const (
	maxDocuments  = 4096
	maxSpans      = 64               // after an upload
	maxSpansWhile = 4096             // during an upload, whose kinds come one after the other
	holePatience  = 30 * time.Second // from when a hole is first seen
)

// Receiver takes the uploads of senders that repeat what was not acknowledged. It may be used by many
// goroutines. Make it with NewReceiver.
type Receiver struct {
	ingest *ingest.Ingester

	mu        sync.Mutex
	documents documents
}

// NewReceiver returns a receiver that hands on to in.
func NewReceiver(in *ingest.Ingester) *Receiver { return &Receiver{ingest: in} }

// Receipt tells what became of an upload.
type Receipt struct {
	ingest.Receipt
	Ack map[string]uint64 // by document: the number up to which everything is settled
}

// Sync takes an upload. Events that came before are left out by (session, document, number). It never
// refuses: what is over a limit is dropped, counted and acknowledged, and exceptions and failed
// exchanges have a limit of their own.
func (r *Receiver) Sync(ctx context.Context, u ingest.Upload) (Receipt, error) {
	r.mu.Lock()
	visit := r.documents.visit(u.Session, r.ingest.Elapsed())
	for _, rep := range u.Reports {
		visit.report(rep)
	}
	fresh := u.Batch[:0]
	for _, e := range u.Batch {
		if visit.fresh(e.Base()) {
			fresh = append(fresh, e)
		}
	}
	u.Batch = fresh
	var out Receipt
	out.Ack, u.Reports = visit.settle()
	r.mu.Unlock()
	var err error
	out.Receipt, err = r.ingest.Ingest(ctx, u, ingest.Drop)
	return out, err
}

type documentKey struct{ session, document string }

// documents remembers which numbers have come. It is bounded; a document that falls out of it and
// comes back is new, so that at most what was in flight could be stored twice.
type documents struct {
	table map[documentKey]*document
	uses  uint64
}

// numbers is the numbers from lo to hi, both included.
type numbers struct{ lo, hi uint64 }

// document is the row of one document.
type document struct {
	spans   []numbers     // that have come, rising, with holes between them
	ack     uint64        // up to here all is settled; 0 before the first settling
	credit  int           // events reported as dropped that no hole was closed with yet
	given   int           // numbers given up since the last settling, to keep the row short
	hole    uint64        // first number of the lowest hole above ack, 0 if there is none
	since   time.Duration // when it was first seen, or since when there has been none
	used    uint64
	visited uint64 // the visit that it is part of
	fresh   int    // new events in this visit
	events  int    // events in this visit
	tab     int
}

// visit is one upload's look at the documents.
type visit struct {
	all     *documents
	session string
	now     time.Duration
	id      uint64
	touched []string        // documents, in order
	rows    []*document     // of touched
	reports []ingest.Report // by the sender, to be counted if the upload is new
	recent  int             // in touched: the one asked for last
	refused []ingest.Report // new ones that had a number
}

func (d *documents) visit(session string, now time.Duration) *visit {
	d.uses++
	if d.table == nil {
		d.table = map[documentKey]*document{}
	}
	return &visit{all: d, session: session, now: now, id: d.uses, recent: -1}
}

// row returns the document's row.
func (v *visit) row(name string) *document {
	if v.recent >= 0 && v.touched[v.recent] == name {
		return v.rows[v.recent]
	}
	key := documentKey{v.session, name}
	row := v.all.table[key]
	if row == nil {
		if len(v.all.table) >= maxDocuments {
			v.all.forget()
		}
		row = &document{}
		// The key outlives the request whose body it may be a part of.
		v.all.table[documentKey{strings.Clone(v.session), strings.Clone(name)}] = row
	}
	if row.visited != v.id {
		row.visited, row.used, row.fresh, row.events = v.id, v.id, 0, 0
		v.touched = append(v.touched, name)
		v.rows = append(v.rows, row)
	}
	v.recent = slices.Index(v.rows, row)
	return row
}

// fresh reports whether an event comes for the first time, and remembers that it came.
func (v *visit) fresh(h *event.Head) bool {
	if h.Sender == 0 {
		return true
	}
	row := v.row(h.Document)
	row.tab = h.Tab
	row.events++
	if !row.add(h.Sender) {
		return false
	}
	row.fresh++
	return true
}

// report takes a loss into account. A refused event that has a number is settled like one that came.
func (v *visit) report(r ingest.Report) {
	if r.Count <= 0 {
		return
	}
	row := v.row(r.Document)
	row.tab = r.Tab
	if r.Seq != 0 {
		row.events++
		if row.add(r.Seq) {
			row.fresh++
			v.refused = append(v.refused, r)
		}
		return
	}
	v.reports = append(v.reports, r)
}

// settle closes holes and returns what may be acknowledged of the documents in the upload, and what was
// lost before it.
func (v *visit) settle() (ack map[string]uint64, lost []ingest.Report) {
	lost = v.refused
	for _, r := range v.reports {
		// An upload that repeats only what has come repeats its reports, too.
		if row := v.row(r.Document); row.fresh > 0 || row.events == 0 {
			lost = append(lost, r)
			row.credit += r.Count
		}
	}
	ack = make(map[string]uint64, len(v.touched))
	for i, row := range v.rows {
		if n := row.settle(v.now); n > 0 {
			lost = append(lost, ingest.Report{Tab: row.tab, Cause: ingest.Gap, Count: n})
		}
		if row.ack > 0 {
			ack[v.touched[i]] = row.ack
		}
	}
	return ack, lost
}

// add puts a number into the row and reports whether it was not there.
func (d *document) add(n uint64) bool {
	last := len(d.spans) - 1
	if last >= 0 && d.spans[last].hi+1 == n { // the usual case
		d.spans[last].hi = n
		return true
	}
	at, _ := slices.BinarySearchFunc(d.spans, n, func(s numbers, n uint64) int {
		if s.hi < n {
			return -1
		}
		return 1
	}) // the first numbers that ends at n or later
	if at < len(d.spans) && d.spans[at].lo <= n {
		return false
	}
	below := at > 0 && d.spans[at-1].hi+1 == n
	above := at < len(d.spans) && d.spans[at].lo == n+1
	switch {
	case below && above:
		d.spans[at-1].hi = d.spans[at].hi
		d.spans = slices.Delete(d.spans, at, at+1)
	case below:
		d.spans[at-1].hi = n
	case above:
		d.spans[at].lo = n
	default:
		d.spans = slices.Insert(d.spans, at, numbers{n, n})
		if len(d.spans) > maxSpansWhile {
			d.given += d.close(0)
		}
	}
	return true
}

// close takes the numbers between numbers i and the next as settled and returns how many they are.
func (d *document) close(i int) int {
	missing := d.spans[i+1].lo - d.spans[i].hi - 1
	d.spans[i].hi = d.spans[i+1].hi
	d.spans = slices.Delete(d.spans, i+1, i+2)
	return int(min(missing, 1<<31))
}

// settle moves ack as far as it goes and returns how many numbers were given up without a report.
func (d *document) settle(now time.Duration) (gaps int) {
	if len(d.spans) == 0 {
		return 0
	}
	gaps, d.given = d.given, 0
	for len(d.spans) > maxSpans {
		gaps += d.close(0)
	}
	at := 0
	if d.ack == 0 {
		d.ack = d.spans[0].hi
	} else {
		for at < len(d.spans)-1 && d.spans[at].hi < d.ack {
			at++
		}
		d.ack = max(d.ack, d.spans[at].hi)
	}
	for at+1 < len(d.spans) {
		missing := d.spans[at+1].lo - d.spans[at].hi - 1
		first := d.spans[at].hi + 1
		if d.hole != first {
			d.hole, d.since = first, now
		}
		switch {
		case missing <= uint64(d.credit):
			d.credit -= int(missing)
			d.close(at)
		case now-d.since >= holePatience:
			gaps += d.close(at)
		default:
			return gaps
		}
		d.ack = d.spans[at].hi
	}
	if d.hole != 0 || d.credit == 0 {
		d.hole, d.since = 0, now
	}
	if now-d.since >= holePatience {
		d.credit = 0 // dropped before it was numbered: it must not close a hole that is only late
	}
	return gaps
}

// forget drops the eighth of the documents that was not used longest.
func (d *documents) forget() {
	ages := make([]uint64, 0, len(d.table))
	for _, row := range d.table {
		ages = append(ages, row.used)
	}
	slices.Sort(ages)
	limit := ages[len(ages)/8]
	for key, row := range d.table {
		if row.used <= limit {
			delete(d.table, key)
		}
	}
}
