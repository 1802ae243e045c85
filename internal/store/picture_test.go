package store_test

import (
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// A mark is kept with its picture, and without it where the ring has no room for that: the user's words are not lost.
func TestAMarkOutlivesAPictureThatIsTooLarge(t *testing.T) {
	for memory, want := range map[int64]int{store.DefaultMemory: 400_000, store.MinMemory: 0} {
		s := open(t, store.DefaultLimits(memory))
		mark := &event.Mark{Type: "annotation", Label: "too small", Detail: `{"id":"d1"}`, Picture: strings.Repeat("x", 400_000)}
		if done := s.Append(event.Batch{mark}); done.Stored != 1 {
			t.Fatalf("%d bytes of memory: stored %d of 1", memory, done.Stored)
		}
		var c store.Slice
		var got event.Mark
		if !s.Find(nil, mark.Seq, &c) || !c.Decode(0, &got) {
			t.Fatalf("%d bytes of memory: the mark is not there", memory)
		}
		if got.Label != "too small" || got.Detail != mark.Detail || len(got.Picture) != want {
			t.Errorf("%d bytes of memory: %+v with a picture of %d bytes; want %d", memory, got.Label, len(got.Picture), want)
		}
		if len(mark.Picture) != 400_000 {
			t.Error("the sender's event was changed")
		}
	}
}
