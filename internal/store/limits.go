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

// Cap bounds one ring.
type Cap struct {
	Entries int           // most events
	Bytes   int64         // most bytes reserved, headers and unused parts of segments included
	Age     time.Duration // an event goes this long after it was received; 0 means never
}

// Limits is how much the store keeps of what.
type Limits struct {
	Memory      int64              // bytes that everything together never exceeds
	Kinds       map[event.Kind]Cap // one for every kind
	Bodies      Cap                // bodies of exchanges; Entries counts exchanges with a body
	Connections ConnectionCap
}

// ConnectionCap bounds the table of WebSocket and EventSource connections.
type ConnectionCap struct {
	Active int
	Closed int
	Bytes  int64
}

// The caps at the default budget.
const mb = 1 << 20

var defaults = Limits{
	Memory: DefaultMemory,
	Kinds: map[event.Kind]Cap{
		event.KindLog:          {Entries: 1000, Bytes: 8 * mb},
		event.KindException:    {Entries: 500, Bytes: 4 * mb},
		event.KindExchange:     {Entries: 1000, Bytes: 8 * mb},
		event.KindResource:     {Entries: 1000, Bytes: 500 << 10},
		event.KindFrame:        {Entries: 500, Bytes: 4 * mb},
		event.KindAction:       {Entries: 1000, Bytes: 2 * mb},
		event.KindDOM:          {Entries: 500, Bytes: 1 * mb},
		event.KindLifecycle:    {Entries: 500, Bytes: 1 * mb},
		event.KindPerformance:  {Entries: 100, Bytes: 1 * mb},
		event.KindExtensionLog: {Entries: 500, Bytes: 1 * mb},
		event.KindMark:         {Entries: 500, Bytes: 1 * mb},
	},
	Bodies:      Cap{Entries: 100, Bytes: 8 * mb},
	Connections: ConnectionCap{Active: 20, Closed: 10, Bytes: 2 * mb},
}

// The smallest ring that DefaultLimits gives, and the largest waterfall.
const (
	minEntries   = 100
	minBytes     = 256 << 10
	maxResources = 10_000
)

// DefaultLimits returns the documented caps for a budget of memory bytes: those of the default
// budget in proportion, but never less than 100 entries and 256 KiB a ring. Memory is brought
// between MinMemory and MaxMemory; 0 means DefaultMemory. The result is the caller's to change.
func DefaultLimits(memory int64) Limits {
	if memory == 0 {
		memory = DefaultMemory
	}
	memory = min(max(memory, MinMemory), MaxMemory)
	scaled := func(n int64) int64 { return int64(float64(n) * float64(memory) / DefaultMemory) }
	grow := func(c Cap) Cap {
		return Cap{Entries: int(max(scaled(int64(c.Entries)), minEntries)), Bytes: max(scaled(c.Bytes), minBytes)}
	}
	l := Limits{Memory: memory, Kinds: make(map[event.Kind]Cap, len(defaults.Kinds)), Bodies: grow(defaults.Bodies)}
	for k, c := range defaults.Kinds {
		l.Kinds[k] = grow(c)
	}
	waterfall := l.Kinds[event.KindResource]
	waterfall.Entries = min(waterfall.Entries, maxResources)
	l.Kinds[event.KindResource] = waterfall
	l.Connections = defaults.Connections
	l.Connections.Bytes = max(scaled(defaults.Connections.Bytes), minBytes)
	return l
}

// segment returns the size of the ring's segments: a sixteenth of it, so that dropping one is a
// small loss, between 16 and 256 KiB.
func (c Cap) segment() int {
	return int(min(max(c.Bytes/16, 16<<10), 256<<10))
}

// headers returns the bytes of the ring's table of headers.
func (c Cap) headers() int64 { return int64(c.Entries) * int64(unsafe.Sizeof(header{})) }

func (c Cap) check(name string) error {
	const most = 1 << 31 // offsets and sizes inside a segment are 32 bits
	switch {
	case c.Entries <= 0 || c.Bytes <= 0 || c.Age < 0:
		return fmt.Errorf("limit of ring %s: want entries and bytes above 0, got %+v", name, c)
	case c.Bytes >= most:
		return fmt.Errorf("limit of ring %s: %d bytes are more than the %d that a ring can have", name, c.Bytes, most-1)
	case c.headers()+int64(c.segment()) > c.Bytes:
		return fmt.Errorf("limit of ring %s: %d bytes are too few for %d entries: their headers and one segment take %d",
			name, c.Bytes, c.Entries, c.headers()+int64(c.segment()))
	}
	return nil
}

// check returns an error when a ring cannot work or all full rings together would exceed Memory.
func (l Limits) check() error {
	sum, entries := l.Connections.Bytes+l.Bodies.Bytes, 0
	if err := l.Bodies.check("bodies"); err != nil {
		return err
	}
	for _, k := range event.Kinds() {
		c := l.Kinds[k]
		if err := c.check(k.String()); err != nil {
			return err
		}
		sum += c.Bytes
		entries += c.Entries
	}
	if l.Connections.Active < 0 || l.Connections.Closed < 0 || l.Connections.Bytes < 0 {
		return fmt.Errorf("limit of connections: negative: %+v", l.Connections)
	}
	if sum += mostTraceBytes(entries); sum > l.Memory {
		return fmt.Errorf("limits of the rings: they reach %d bytes, the budget is %d", sum, l.Memory)
	}
	return nil
}
