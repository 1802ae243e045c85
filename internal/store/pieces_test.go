package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// A large batch is stored in pieces that take little memory, each event once, in the order of the times over all kinds.
func TestLargeBatchesAreStoredInPieces(t *testing.T) {
	s := testStore(t, DefaultLimits(64<<20))
	page := "http://localhost/" + strings.Repeat("p", 4000)
	start := time.Now()
	var b event.Batch
	for i := range 6000 {
		head := event.Head{Time: start.Add(time.Duration(i/2) * time.Millisecond), PageURL: page, Session: "s"}
		if i%2 == 0 {
			b = append(b, &event.Log{Head: head, Message: fmt.Sprint(i)})
		} else {
			b = append(b, &event.Exchange{Head: head, URL: fmt.Sprint(i)})
		}
	}
	enc := new(encoder)
	for rest := merged(b); len(rest) > 0; enc.reset() {
		n := enc.encode(s, rest)
		if n == 0 || n > pieceEvents || len(enc.coder.out) > pieceBytes+len(page)+1000 {
			t.Fatalf("%d events of %d bytes are one piece", n, len(enc.coder.out))
		}
		rest = rest[n:]
	}
	if done := s.Append(b); done.Stored != len(b) {
		t.Errorf("%d are stored", done.Stored)
	}
	got := s.contents(t)
	if len(got) == 0 || got[len(got)-1].text != "5999" {
		t.Fatalf("%d are read", len(got))
	}
	for i := 1; i < len(got); i++ {
		if got[i].seq != got[i-1].seq+1 || !follows(got[i-1].text, got[i].text) {
			t.Fatalf("%v is behind %v", got[i], got[i-1])
		}
	}
}

// follows reports whether the event of the second text comes behind that of the first: two events have one time.
func follows(a, b string) bool {
	var x, y int
	_, _ = fmt.Sscan(a, &x)
	_, _ = fmt.Sscan(b, &y)
	return y/2 >= x/2
}
