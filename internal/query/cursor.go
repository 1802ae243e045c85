package query

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"math"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/store"
)

// Cursor is where a reader stands: opaque text that names the daemon's run and the place in one
// kind's ring, or in all of them for timelines. It stays valid when filters change, when events are
// evicted (the next answer counts them) and over a restart (the next answer says so).
type Cursor string

// kindCount is the number of kinds plus the unused 0.
const kindCount = int(event.KindMark) + 1

// place is what a cursor says.
type place struct {
	run       uint64 // hash of the run's name, runBytes long
	kind      event.Kind
	back      bool   // goes to older events
	before    uint64 // back: position of the kind, or number in timelines, before which to go on
	positions [kindCount]store.Position
	// positions are of the next event to read going forward: that of kind, or of all kinds in
	// timelines. Cursors that go back keep them, so that paging back loses nothing new.
}

// A cursor is base64 of: the run's hash, one byte with the kind (0 for timelines) and the
// direction, varints, and a checksum, because models write cursors from memory and get them wrong.
const (
	runBytes   = 5
	checkBytes = 2
	backBit    = 0x80
	maxCursor  = 400 // characters; the longest that is given out has fewer
)

func runHash(run string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(run))
	return h.Sum64() & (1<<(8*runBytes) - 1)
}

func checksum(b []byte) uint16 {
	h := fnv.New32a()
	h.Write([]byte("cursor"))
	h.Write(b)
	sum := h.Sum32()
	return uint16(sum ^ sum>>16)
}

func (p *place) encode() Cursor {
	b := make([]byte, 0, 64)
	for i := range runBytes {
		b = append(b, byte(p.run>>(8*i)))
	}
	shape := byte(p.kind)
	if p.back {
		shape |= backBit
	}
	b = append(b, shape)
	if p.back {
		b = binary.AppendUvarint(b, p.before)
	}
	if p.kind != 0 {
		b = binary.AppendUvarint(b, uint64(p.positions[p.kind]))
	} else {
		for k := 1; k < kindCount; k++ {
			b = binary.AppendUvarint(b, uint64(p.positions[k]))
		}
	}
	b = binary.BigEndian.AppendUint16(b, checksum(b))
	return Cursor(base64.RawURLEncoding.EncodeToString(b))
}

// decode reads a cursor and reports whether it is one.
func decode(c Cursor) (p place, ok bool) {
	if len(c) > maxCursor {
		return p, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(string(c))
	if err != nil || len(b) < runBytes+1+checkBytes {
		return p, false
	}
	b, sum := b[:len(b)-checkBytes], binary.BigEndian.Uint16(b[len(b)-checkBytes:])
	if checksum(b) != sum {
		return p, false
	}
	for i := range runBytes {
		p.run |= uint64(b[i]) << (8 * i)
	}
	p.kind = event.Kind(b[runBytes] &^ backBit)
	p.back = b[runBytes]&backBit != 0
	if int(p.kind) >= kindCount {
		return p, false
	}
	b = b[runBytes+1:]
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > math.MaxInt64 {
			ok = false
			return 0
		}
		b = b[n:]
		return v
	}
	ok = true
	if p.back {
		p.before = next()
	}
	if p.kind != 0 {
		p.positions[p.kind] = store.Position(next())
	} else {
		for k := 1; k < kindCount; k++ {
			p.positions[k] = store.Position(next())
		}
	}
	return p, ok && len(b) == 0
}

const cursorFix = `Pass the "cursor" of an earlier answer of the same list unchanged, or leave it out to begin with the newest.`

// start says how a page begins.
type start struct {
	newest    bool  // no cursor: the newest events
	restarted bool  // a cursor of another run: the oldest kept
	at        place // else
}

// open reads the cursor of a page over one kind, or over all for kind 0. The bounds are those of
// the rings now.
func (r *Reader) open(c Cursor, kind event.Kind, all *store.All) (start, error) {
	if c == "" {
		return start{newest: true}, nil
	}
	p, ok := decode(c)
	if !ok {
		return start{}, problem.New(problem.InvalidParam, cursorFix, "cursor %.60q is not one that Gasoline gave.", string(c))
	}
	if p.kind != kind {
		return start{}, problem.New(problem.InvalidParam, cursorFix, "cursor %s belongs to %s, not to %s.", c, listName(p.kind), listName(kind))
	}
	if p.run != runHash(r.store.Run()) {
		return start{restarted: true}, nil
	}
	for k := range kindCount {
		if p.positions[k] > all[k].Next {
			return start{}, problem.New(problem.InvalidParam, cursorFix, "cursor %s is ahead of everything that was recorded.", c)
		}
	}
	return start{at: p}, nil
}

func listName(k event.Kind) string {
	if k == 0 {
		return "a timeline"
	}
	return "the list of kind " + k.String()
}
