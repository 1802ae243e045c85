package store

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/brennhill/gasoline/internal/event"
)

// The memory budget's bounds and default, in bytes.
const (
	MinMemory     = 16 << 20
	DefaultMemory = 200 << 20
	MaxMemory     = 4 << 30
)

// RingID names a ring: the events of one kind from one class of senders.
type RingID uint8

// ringOf returns the ring for a class and kind.
func ringOf(c event.Class, k event.Kind) RingID { return RingID(int(c)*event.KindCount + int(k)) }

// Class returns the ring's class.
func (id RingID) Class() event.Class { return event.Class(int(id) / event.KindCount) }

// Kind returns the ring's kind.
func (id RingID) Kind() event.Kind { return event.Kind(int(id) % event.KindCount) }

// String returns the kind's word, with "service_" before it for a ring of services.
func (id RingID) String() string {
	if id.Class() == event.Service {
		return "service_" + id.Kind().String()
	}
	return id.Kind().String()
}

const ringCount = event.ClassCount * event.KindCount

// Cap bounds one ring, mainly by bytes. A ring may use free memory above its share, and gives it back when other rings
// need theirs. It always gets memory up to its share.
type Cap struct {
	Share   int64         // bytes that other rings cannot take from it
	Floor   int           // the ring evicts from an owner with at most so many events only when no owner has more
	Entries int           // most events, without those kept longer; 0: bounded by bytes only
	Bytes   int64         // most bytes, without those kept longer, while memory is free, too; 0: all that is free
	Age     time.Duration // an event goes this long after it arrived; 0 means never
	Strict  bool          // nothing of it is kept longer: the bounds are what the user set
}

// most is how many bytes the ring can be sure of and may use.
func (c *Cap) most() int64 {
	if c.Bytes > 0 {
		return min(c.Share, c.Bytes)
	}
	return c.Share
}

// MinBytes is the least Cap.Bytes.
const MinBytes = 64 << 10

// Limits holds the memory budget and its parts.
type Limits struct {
	Memory      int64          // bytes that everything together never exceeds
	Rings       map[RingID]Cap // an event whose class has no ring for its kind goes to the browser's
	Kept        int64          // bytes for the events that are kept longer (see Store.keep)
	Connections ConnectionCap
}

// ConnectionCap bounds the table of WebSocket and EventSource connections.
type ConnectionCap struct {
	Active int
	Closed int
	Bytes  int64
}

// shares holds the default rings and the share of each in thousandths of the memory. Any ring may use the rest.
var shares = map[RingID]int64{
	ringOf(event.Browser, event.KindLog):            90,
	ringOf(event.Browser, event.KindException):      80,
	ringOf(event.Browser, event.KindExchange):       135,
	ringOf(event.Browser, event.KindResource):       40,
	ringOf(event.Browser, event.KindMessage):        50,
	ringOf(event.Browser, event.KindAction):         40,
	ringOf(event.Browser, event.KindDOM):            20,
	ringOf(event.Browser, event.KindLifecycle):      20,
	ringOf(event.Browser, event.KindPerformance):    20,
	ringOf(event.Browser, event.KindMark):           10,
	ringOf(event.Service, event.KindLog):            90,
	ringOf(event.Service, event.KindException):      30,
	ringOf(event.Service, event.KindExchange):       20,
	ringOf(event.Service, event.KindSpan):           110,
	ringOf(event.Extension, event.KindExtensionLog): 10,
}

// The other parts of the memory, in thousandths.
const (
	keptPart        = 60
	tracesPart      = 40
	connectionsPart = 10
)

// floor is the default Cap.Floor: about as many events as an agent reads of one tab.
const floor = 200

// DefaultLimits returns the limits for a budget of memory bytes, clamped to MinMemory and MaxMemory;
// 0 means DefaultMemory. The caller owns the result.
func DefaultLimits(memory int64) Limits {
	if memory == 0 {
		memory = DefaultMemory
	}
	memory = min(max(memory, MinMemory), MaxMemory)
	part := func(n int64) int64 { return memory / 1000 * n }
	l := Limits{
		Memory: memory, Rings: make(map[RingID]Cap, len(shares)), Kept: part(keptPart),
		Connections: ConnectionCap{Active: 20, Closed: 10, Bytes: part(connectionsPart)},
	}
	for id, n := range shares {
		l.Rings[id] = Cap{Share: part(n), Floor: floor}
	}
	return l
}

// traceBytes is the most bytes of the table of traces. While it grows, the old and the new table count together.
func (l *Limits) traceBytes() int64 { return l.Memory / 1000 * tracesPart }

// pool is the memory for the young segments of all rings, in bytes.
func (l *Limits) pool() int64 {
	return l.Memory - l.Kept - l.traceBytes() - l.Connections.Bytes - ownersBytes*int64(len(l.Rings))
}

// ownersBytes is the most bytes of the owners of one ring, without their segments.
const ownersBytes = int64(maxOwners) * (int64(unsafe.Sizeof(owner{})) + maxGone*int64(unsafe.Sizeof(gone{})) + 512)

// check returns an error when a ring cannot work or the shares together exceed the memory.
func (l *Limits) check() error {
	sum := int64(0)
	for id, c := range l.Rings {
		if int(id) >= ringCount || id.Kind() == 0 {
			return fmt.Errorf("limits: there is no ring %d", id)
		}
		if c.Share < 2*minSegment || c.Entries < 0 || c.Age < 0 || c.Floor < 0 {
			return fmt.Errorf(
				"limit of ring %s: want a share of at least %d bytes and nothing negative, got %+v",
				id,
				2*minSegment,
				c,
			)
		}
		if c.Bytes != 0 && c.Bytes < MinBytes {
			return fmt.Errorf("limit of ring %s: %d bytes are fewer than the %d that it needs", id, c.Bytes, MinBytes)
		}
		if c.Share >= 1<<31 {
			return fmt.Errorf(
				"limit of ring %s: %d bytes are more than the %d that a ring can be sure of",
				id,
				c.Share,
				1<<31-1,
			)
		}
		sum += c.Share
	}
	for _, k := range event.Kinds() {
		if _, ok := l.Rings[ringOf(event.Browser, k)]; !ok && k != event.KindExtensionLog && k != event.KindSpan {
			return fmt.Errorf("limits: kind %s has no ring", k)
		}
	}
	if l.Connections.Active < 0 || l.Connections.Closed < 0 || l.Connections.Bytes < 0 || l.Kept < 0 {
		return fmt.Errorf("limits of connections and of what is kept: negative: %+v %d", l.Connections, l.Kept)
	}
	if sum > l.pool() {
		return fmt.Errorf("limits of the rings: their shares are %d bytes, the budget leaves %d", sum, l.pool())
	}
	return nil
}
