package query

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"math"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

// Cursor is where a reader stands: opaque text that names the daemon's run and the number of an event.
// It stays valid when filters change, when events are evicted (the next answer counts them) and over a
// restart (the next answer says so). Events get rising numbers over all rings at once, so one number
// is a place in each of them.
type Cursor string

// position is what a cursor says.
type position struct {
	run    uint64 // hash of the run's name, runBytes long
	kind   event.Kind
	back   bool      // goes to older events
	before event.Seq // back: number below which to go on
	next   event.Seq // of the next event to read going forward; cursors that go back keep it, to lose nothing new
}

// A cursor is base64 of: the run's hash, one byte with the kind (0 for timelines) and the
// direction, varints, and a checksum, because models write cursors from memory and get them wrong.
const (
	runBytes   = 5
	checkBytes = 2
	backBit    = 0x80
	maxCursor  = 100 // characters; the longest that is given out has fewer
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

func (p *position) encode() Cursor {
	b := make([]byte, 0, 32)
	for i := range runBytes {
		b = append(b, byte(p.run>>(8*i)))
	}
	shape := byte(p.kind)
	if p.back {
		shape |= backBit
	}
	b = append(b, shape)
	if p.back {
		b = binary.AppendUvarint(b, uint64(p.before))
	}
	b = binary.AppendUvarint(b, uint64(p.next))
	b = binary.BigEndian.AppendUint16(b, checksum(b))
	return Cursor(base64.RawURLEncoding.EncodeToString(b))
}

// decode reads a cursor and reports whether it is one.
func decode(c Cursor) (p position, ok bool) {
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
	if int(p.kind) >= event.KindCount {
		return p, false
	}
	b = b[runBytes+1:]
	next := func() event.Seq {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > math.MaxInt64 {
			ok = false
			return 0
		}
		b = b[n:]
		return event.Seq(v)
	}
	ok = true
	if p.back {
		p.before = next()
	}
	p.next = next()
	return p, ok && len(b) == 0
}

const cursorFix = `Pass the "cursor" of an earlier answer of the same list unchanged, ` +
	"or leave it out to begin with the newest."

// start says how a page begins.
type start struct {
	newest    bool     // no cursor: the newest events
	restarted bool     // a cursor of another run: the oldest kept
	at        position // else
}

// open reads the cursor of a page over one kind, or over all for kind 0.
func open(r Reader, c Cursor, kind event.Kind) (start, error) {
	if c == "" {
		return start{newest: true}, nil
	}
	p, ok := decode(c)
	if !ok {
		return start{}, problem.New(
			problem.InvalidParam,
			cursorFix,
			"cursor %.60q is not one that Gasoline gave.",
			string(c),
		)
	}
	if p.kind != kind {
		return start{}, problem.New(
			problem.InvalidParam,
			cursorFix,
			"cursor %s belongs to %s, not to %s.",
			c,
			listName(p.kind),
			listName(kind),
		)
	}
	if p.run != runHash(r.Run()) {
		return start{restarted: true}, nil
	}
	return start{at: p}, nil
}

func ahead(c Cursor) error {
	return problem.New(problem.InvalidParam, cursorFix, "cursor %s is ahead of everything that was recorded.", c)
}

func listName(k event.Kind) string {
	if k == 0 {
		return "a timeline"
	}
	return "the list of kind " + k.String()
}
