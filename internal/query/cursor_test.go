package query

import (
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// What decodes encodes back to the same text; garbage never panics and never opens a list.
func FuzzCursor(f *testing.F) {
	for _, p := range []place{
		{run: runHash("a"), kind: event.KindLog, positions: [kindCount]store.Position{event.KindLog: 812}},
		{run: runHash("b"), kind: event.KindExchange, back: true, before: 7, positions: [kindCount]store.Position{event.KindExchange: 1 << 40}},
		{run: runHash("c"), positions: [kindCount]store.Position{1: 1, 2: 300, 11: 70_000}},
		{run: runHash("c"), back: true, before: 1 << 50},
	} {
		f.Add(string(p.encode()))
	}
	f.Add("")
	f.Add("eyJydW4iOiJhIn0")
	s, err := store.New(store.Config{Run: "a", Limits: store.DefaultLimits(0)})
	if err != nil {
		f.Fatal(err)
	}
	r := New(s)
	f.Fuzz(func(t *testing.T, text string) {
		p, ok := decode(Cursor(text))
		if !ok {
			if _, err := Read[event.Log](r, Filter{}, Page{Cursor: Cursor(text)}, nil); err == nil && text != "" {
				t.Errorf("garbage %q opened a list", text)
			}
			return
		}
		again, ok := decode(p.encode())
		if !ok || again != p {
			t.Errorf("%q reads as %+v, then as %+v", text, p, again)
		}
		_, _ = Read[event.Log](r, Filter{}, Page{Cursor: Cursor(text)}, nil)
		_, _ = r.Timeline(nil, Filter{}, Page{Cursor: Cursor(text)}, nil)
	})
}

func TestCursorsAreShort(t *testing.T) {
	p := place{run: runHash("run"), kind: event.KindLog, positions: [kindCount]store.Position{event.KindLog: 100_000}}
	if c := p.encode(); len(c) > 16 {
		t.Errorf("cursor %s of a list has %d characters", c, len(c))
	}
	p = place{run: runHash("run"), back: true, before: ^uint64(0) >> 1}
	for k := range p.positions {
		p.positions[k] = 1<<63 - 1
	}
	p.positions[0] = 0
	c := p.encode()
	if again, ok := decode(c); len(c) > maxCursor || !ok || again != p {
		t.Errorf("the longest cursor has %d characters and reads as %+v", len(c), again)
	}
}
