package store

import (
	"sort"
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

// maxOwners bounds the owners that a ring tells apart. Events of further owners go to
// one shared owner, so that any number of invented sessions, tabs and services costs no more memory.
const maxOwners = 64

// ownerKey names an owner by hashes: a tab of a session, or an instance of a service.
type ownerKey struct{ name, part uint64 }

// owner is the part of a ring that belongs to one sender. While the ring is within its share, the events
// of other rings do not evict from it. See ring.fullest for which owner of a ring gives memory.
type owner struct {
	key     ownerKey
	shared  bool // the owner of all events whose key has no owner
	merged  bool // its histories are sums of several
	session uint32
	tab     int32
	service uint32
	source  string // Origin.Source

	young strand
	kept  strand // of traces with an error, after they were evicted from young

	evicted       uint64 // for room or age, in all
	evictedErrors uint64 // those that were errors
	gone          []gone // how evicted grew, by rising number; ≤ maxGone entries
	goneErrors    []gone
}

// gone says that count of an owner's events with numbers below below were evicted.
type gone struct {
	below event.Seq
	count uint64
}

const maxGone = 64

// note adds the evicted event seq to list, and returns the list. total is the count of evicted events with this one.
func note(list []gone, seq event.Seq, total uint64) []gone {
	i := sort.Search(len(list), func(i int) bool { return list[i].below > seq })
	if i < len(list) { // it was kept longer than younger ones
		for j := i; j < len(list); j++ {
			list[j].count++
		}
		return list
	}
	if len(list) == 0 {
		list = append(list, gone{seq, total - 1})
	}
	// When all numbers between two entries were evicted, the entries between them are not needed.
	if n := len(list); n >= 2 && list[n-1].below == seq &&
		uint64(seq-list[n-2].below) == list[n-1].count-list[n-2].count {
		list[n-1] = gone{seq + 1, total}
		return list
	}
	if len(list) == maxGone {
		list = thin(list, maxGone*3/4, total)
	}
	return append(list, gone{seq + 1, total})
}

// thin drops entries until about n are left, and fewer than maxGone for certain. It drops first the entries that matter
// least for the count of events after them. It keeps the last entry.
func thin(list []gone, n int, total uint64) []gone {
	for part := uint64(n); part > 0 && len(list) > n; part = part * 3 / 4 {
		kept := list[:1]
		for i := 1; i < len(list); i++ {
			before := kept[len(kept)-1].count
			if i == len(list)-1 || (list[i+1].count-before)*part >= total-before {
				kept = append(kept, list[i])
			}
		}
		list = kept
	}
	return list[max(0, len(list)-maxGone+1):]
}

// since returns how many of total evicted events had the number from or a higher one, and whether
// n is an upper bound, not exact.
func since(list []gone, total uint64, from event.Seq) (n uint64, upper bool) {
	i := sort.Search(len(list), func(i int) bool { return list[i].below > from })
	if i == len(list) {
		return 0, false
	}
	var last gone // at or below from
	if i > 0 {
		last = list[i-1]
	}
	// Of the events between two entries it is not known which went, only how many, and how many there are.
	next := list[i]
	most := min(next.count, last.count+uint64(from-last.below))
	least := max(last.count, next.count-min(next.count, uint64(next.below-from)))
	return total - least, most != least
}

func (o *owner) count() int { return o.young.count + o.kept.count }

// ring keeps the newest records of one kind from one class. The store's lock guards it.
type ring struct {
	id     RingID
	cap    Cap
	exists bool
	owners []*owner // the first is the shared one; nil before the first event
	index  map[ownerKey]int
	recent int   // index of an owner that method owner returned lately
	bytes  int64 // of all young segments
	count  int   // events in young strands
	live   int   // kept and not cleared

	total   uint64 // ever appended
	evicted uint64 // for room or age
	refused uint64 // larger than the share
	cleared uint64
	// replaced by what was told later of the same; no loss
	replaced uint64
}

// fits reports whether a record of this size, in bytes, fits into the ring's share, and into what it may use.
func (r *ring) fits(size int) bool { return int64(size+headerSize+minSegment) <= r.cap.most() }

// owner returns the owner of a key and its index in owners. It makes the owner when there is a place or an owner
// without events to replace, and returns the shared owner otherwise. Events come in runs, so
// it tries the recent owner first.
func (r *ring) owner(key ownerKey, h *header, source string) (*owner, int) {
	if r.recent < len(r.owners) && r.recent > 0 && r.owners[r.recent].key == key {
		return r.owners[r.recent], r.recent
	}
	if i, ok := r.index[key]; ok {
		r.recent = i
		return r.owners[i], i
	}
	if r.owners == nil {
		r.owners = []*owner{{shared: true}}
		r.index = map[ownerKey]int{}
	}
	fresh := &owner{key: key, session: h.session, tab: h.tab, service: h.service, source: strings.Clone(source)}
	if len(r.owners) < maxOwners {
		r.owners = append(r.owners, fresh)
		r.index[key] = len(r.owners) - 1
		return fresh, len(r.owners) - 1
	}
	for i, o := range r.owners[1:] {
		if o.count() > 0 {
			continue
		}
		// The shared owner takes over its counts, so that Evicted does not return too few.
		shared := r.owners[0]
		shared.evicted += o.evicted
		shared.evictedErrors += o.evictedErrors
		shared.gone, shared.goneErrors = merge(shared.gone, o.gone), merge(shared.goneErrors, o.goneErrors)
		shared.merged = true
		delete(r.index, o.key)
		r.owners[i+1] = fresh
		r.index[key] = i + 1
		return fresh, i + 1
	}
	return r.owners[0], 0
}

// merge adds up two histories, thinned to maxGone. The counts of the result are at most the sums there: what went
// between two entries of the one is not known at an entry of the other.
func merge(a, b []gone) []gone {
	var all []gone
	var na, nb uint64
	for len(a) > 0 || len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0].below <= b[0].below {
			na = a[0].count
			all = append(all, gone{a[0].below, na + nb})
			a = a[1:]
		} else {
			nb = b[0].count
			all = append(all, gone{b[0].below, na + nb})
			b = b[1:]
		}
	}
	return thin(all, maxGone-1, na+nb)
}

// fullest returns the owner from which the ring evicts to give memory: the one with the most bytes among those with
// more events than the floor, or among all when none has more. It returns nil when the ring has no young events.
func (r *ring) fullest() *owner {
	var best *owner
	more := func(o, than *owner) bool {
		if a, b := o.young.count > r.cap.Floor, than.young.count > r.cap.Floor; a != b {
			return a
		}
		return o.young.bytes > than.young.bytes
	}
	for _, o := range r.owners {
		if o.young.count > 0 && (best == nil || more(o, best)) {
			best = o
		}
	}
	return best
}

// longest returns the owner with the most events.
func (r *ring) longest() *owner {
	best := r.owners[0]
	for _, o := range r.owners {
		if o.young.count > best.young.count {
			best = o
		}
	}
	return best
}

// pressure returns the part of its share that the ring would use with more bytes added; 1 is all of it.
func (r *ring) pressure(more int) float64 { return float64(r.bytes+int64(more)) / float64(r.cap.Share) }
