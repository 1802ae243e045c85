package observe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// messages appends n messages of a connection in tab 1.
func messages(s *store.Store, connection string, n int, data string) {
	for n > 0 {
		many := make([]event.Message, min(n, 1000))
		for i := range many {
			many[i] = event.Message{
				Head:     event.Head{Session: "s", Tab: 1, Document: "D", Time: time.Now(), Received: time.Now()},
				Protocol: "websocket", Connection: connection, Event: "message", Direction: "incoming", URL: "ws://localhost/",
				Data: data, Size: int64(len(data)),
			}
		}
		s.Append(event.Of(many))
		n -= len(many)
	}
}

// The keys of a connection whose messages were evicted are not known, and the answer says so.
func TestEvictedMessagesAreToldBesideTheirKeys(t *testing.T) {
	const missing = "keys of messages may be missing: "
	s := newStore(t, store.MinMemory)
	tool := over(s)
	messages(s, "quiet", 3, `{"total":1}`)
	if text := ask(t, tool, `{"what":"websocket_status","tab":1}`); strings.Contains(text, missing) ||
		!strings.Contains(text, "keys: total") {
		t.Errorf("all are kept: %s", text)
	}
	messages(s, "busy", 20_000, `{"price":"`+strings.Repeat("x", 2000)+`"}`)
	text := ask(t, tool, `{"what":"websocket_status","tab":1}`)
	if !strings.Contains(text, missing) || !strings.Contains(text, "older ones were evicted") ||
		strings.Contains(text, "keys: total") || !strings.Contains(text, "keys: price") {
		t.Errorf("those of one are gone: %s", text)
	}
	if text := ask(t, tool, `{"what":"websocket_status","tab":1,"connection_id":"busy"}`); strings.Contains(text,
		missing) {
		t.Errorf("the newest of this one are kept: %s", text)
	}
	if text := ask(t, tool, `{"what":"websocket_status","tab":1,"summary":true}`); strings.Contains(text, missing) {
		t.Errorf("a summary has no keys: %s", text)
	}
	messages(s, "late", 2, `{"total":1}`)
	if text := ask(t, tool, `{"what":"websocket_status","tab":1,"connection_id":"late"}`); strings.Contains(text,
		missing) {
		t.Errorf("all of this one are kept: %s", text)
	}
}

// Errors that an action may have led to which was not looked at, or is not kept, are not told as those of none.
func TestActionsThatWereNotLookedAtAreTold(t *testing.T) {
	const unknown = "which action led to these errors is not known; of the actions: "
	begin := time.Now().Add(-time.Hour)
	at := func(n int) event.Head {
		h := begin.Add(time.Duration(n) * time.Second)
		return event.Head{Session: "s", Tab: 1, Time: h, Received: h}
	}
	clicks := func(s *store.Store, from, n int, name string) {
		for i := range n {
			s.Append(event.Batch{&event.Action{Head: at(from + i), Type: "click", Name: name}})
		}
	}
	for what, c := range map[string]struct {
		fill func(*store.Store)
		want string // "": nothing is said
	}{
		"no actions":                {func(s *store.Store) {}, ""},
		"few, long after the error": {func(s *store.Store) { clicks(s, 100, 10, "b") }, ""},
		"an eleventh before the error": {func(s *store.Store) {
			clicks(s, 29, 1, "a")
			clicks(s, 100, 10, "b")
		}, "looked at the newest 10, more are kept"},
		"evicted": {func(s *store.Store) { clicks(s, 100, 8000, strings.Repeat("b", 4000)) }, "older ones were evicted"},
	} {
		s := newStore(t, store.MinMemory)
		tool := over(s)
		s.Append(event.Batch{&event.Exception{Head: at(30), Message: "the one"}})
		c.fill(s)
		text := ask(t, tool, `{"what":"error_bundles","tab":1}`)
		if !strings.Contains(text, "the one") {
			t.Errorf("%s: %s", what, text)
		}
		if told := strings.Contains(text, unknown); told != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("%s: want %q in %s", what, c.want, text)
		}
	}
	// Errors after the oldest action that was looked at can only be of these.
	s := newStore(t, store.MinMemory)
	clicks(s, 0, 20, "a")
	s.Append(event.Batch{&event.Exception{Head: at(50), Message: "the one"}})
	if text := ask(t, over(s), `{"what":"error_bundles","tab":1}`); strings.Contains(text, unknown) {
		t.Errorf("after all actions: %s", text)
	}
}

// What other tabs did takes no room of what is looked at around an error.
func TestOtherTabsDoNotCrowdABundle(t *testing.T) {
	s := newStore(t, store.MinMemory)
	at := time.Now()
	head := func(tab int) event.Head {
		return event.Head{Session: "s", Tab: tab, Time: at, Received: at}
	}
	s.Append(event.Batch{
		&event.Action{Head: head(1), Type: "click", Name: "Pay"},
		&event.Exception{Head: head(1), Type: "Error", Message: "broken"},
	})
	many := make([]event.Log, 20_001)
	for i := range many {
		many[i] = event.Log{Head: head(2)}
	}
	s.Append(event.Of(many))
	text := ask(t, over(s), `{"what":"error_bundles","scope":"all","as":"json"}`)
	if strings.Contains(text, "context_incomplete") || !strings.Contains(text, "Pay") {
		t.Errorf("the bundle of the other tab: %s", text)
	}
}
