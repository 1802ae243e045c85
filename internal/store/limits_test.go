package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

func TestDefaultLimitsFollowTheMemory(t *testing.T) {
	for memory, want := range map[int64]int64{
		0: DefaultMemory, 1: MinMemory, MinMemory - 1: MinMemory, MinMemory: MinMemory, 100 << 20: 100 << 20,
		MaxMemory + 1: MaxMemory,
	} {
		l := DefaultLimits(memory)
		if l.Memory != want || l.Kept != want/1000*60 || l.Connections != (ConnectionCap{20, 10, want / 1000 * 10}) {
			t.Errorf("%d: %d bytes, %d kept, %+v", memory, l.Memory, l.Kept, l.Connections)
		}
		if c := l.Rings[browserLog]; c != (Cap{Share: want / 1000 * 90, Floor: 200}) {
			t.Errorf("%d: logs %+v", memory, c)
		}
		if err := l.check(); err != nil {
			t.Error(err)
		}
	}
}

// What is refused is named; what is just within the bounds is not refused.
func TestLimitsAreChecked(t *testing.T) {
	mark, service := ringOf(event.Browser, event.KindMark), ringOf(event.Service, event.KindLog)
	set := func(id RingID, c Cap) func(*Limits) { return func(l *Limits) { l.Rings[id] = c } }
	for _, c := range []struct {
		change func(*Limits)
		want   string // "" for no error
	}{
		{func(*Limits) {}, ""},
		{set(mark, Cap{Share: 2 * minSegment}), ""},
		{set(mark, Cap{Share: 2*minSegment - 1}), "limit of ring mark: want a share of at least 8192 bytes"},
		{set(service, Cap{Share: 100}), "limit of ring service_log: want a share"},
		{set(mark, Cap{Share: 1 << 20, Floor: -1}), "nothing negative, got {Share:1048576 Floor:-1"},
		{set(mark, Cap{Share: 1 << 20, Entries: -1}), "nothing negative"},
		{set(mark, Cap{Share: 1 << 20, Age: -time.Second}), "nothing negative"},
		{set(mark, Cap{Share: 1 << 20, Floor: 0, Entries: 1, Age: 1}), ""},
		{set(mark, Cap{Share: 1 << 31}), "limit of ring mark: 2147483648 bytes are more than the 2147483647"},
		{set(mark, Cap{Share: 1<<31 - 1}), "limits of the rings: their shares are "},
		{set(RingID(ringCount), Cap{Share: 1 << 20}), fmt.Sprintf("there is no ring %d", ringCount)},
		{set(ringOf(event.Service, 0), Cap{Share: 1 << 20}), fmt.Sprintf("there is no ring %d", ringOf(event.Service, 0))},
		{func(l *Limits) { delete(l.Rings, mark) }, "kind mark has no ring"},
		{func(l *Limits) { delete(l.Rings, ringOf(event.Extension, event.KindExtensionLog)) }, ""},
		{func(l *Limits) { delete(l.Rings, service) }, ""},
		{func(l *Limits) { l.Connections = ConnectionCap{} }, ""},
		{func(l *Limits) { l.Kept = 0 }, ""},
		{func(l *Limits) { l.Connections.Active = -1 }, "negative: {Active:-1 "},
		{func(l *Limits) { l.Connections.Closed = -1 }, "negative: "},
		{func(l *Limits) { l.Connections.Bytes = -1 }, "negative: "},
		{func(l *Limits) { l.Kept = -7 }, "} -7"},
		{func(l *Limits) { l.Memory = 100 << 20 }, "their shares are 160431975 bytes, the budget leaves "},
	} {
		l := DefaultLimits(0)
		c.change(&l)
		err := l.check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	l := DefaultLimits(0)
	spare := l.pool()
	for _, c := range l.Rings {
		spare -= c.Share
	}
	c := l.Rings[mark]
	c.Share += spare
	if l.Rings[mark] = c; l.check() != nil {
		t.Errorf("the whole budget: %v", l.check())
	}
	c.Share++
	if l.Rings[mark] = c; l.check() == nil {
		t.Error("more than the budget: no error")
	}
}
