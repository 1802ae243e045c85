package query

import (
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// What decodes encodes back to the same text; garbage never panics and never opens a list.
func FuzzCursor(f *testing.F) {
	for _, p := range []position{
		{run: runHash("a"), kind: event.KindLog, next: 812},
		{run: runHash("b"), kind: event.KindExchange, back: true, before: 7, next: 1 << 40},
		{run: runHash("c"), next: 1},
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
	r := New(s, nil)
	f.Fuzz(func(t *testing.T, text string) {
		p, ok := decode(Cursor(text))
		if !ok {
			if _, _, err := Read[event.Log](t.Context(), r, Filter{}, Page{Cursor: Cursor(text)}, nil); err == nil &&
				text != "" {
				t.Errorf("garbage %q opened a list", text)
			}
			return
		}
		again, ok := decode(p.encode())
		if !ok || again != p {
			t.Errorf("%q reads as %+v, then as %+v", text, p, again)
		}
		_, _, _ = Read[event.Log](t.Context(), r, Filter{}, Page{Cursor: Cursor(text)}, nil)
		_, _, _ = Timeline(t.Context(), r, nil, Filter{}, Page{Cursor: Cursor(text)}, nil)
	})
}

func TestCursorsAreShort(t *testing.T) {
	p := position{run: runHash("run"), kind: event.KindLog, next: 100_000}
	if c := p.encode(); len(c) > 16 {
		t.Errorf("cursor %s of a list has %d characters", c, len(c))
	}
	p = position{run: runHash("run"), back: true, before: 1<<63 - 1, next: 1<<63 - 1}
	c := p.encode()
	if again, ok := decode(c); len(c) > maxCursor || !ok || again != p {
		t.Errorf("the longest cursor has %d characters and reads as %+v", len(c), again)
	}
}
