package ingest

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
)

// Whatever comes, what is remembered of it has a bound in count and in bytes.
func TestWhatIsRememberedHasABound(t *testing.T) {
	var c *copies
	for round := range 40 {
		border := " " // words have many keys each
		if round%20 == 0 {
			c = &New(Config{}, nil, nil, nil).copies
		}
		if round >= 20 {
			border = "_"
		}
		logs := make([]event.Log, foldPiece)
		for i := range logs {
			logs[i] = event.Log{
				Head:    event.Head{Origin: event.Origin{Source: fmt.Sprint("s", round, i%2), Service: fmt.Sprint("a", i%100)}, Time: time.Now()},
				Message: strings.Repeat(fmt.Sprintf("%d_%d%s", round, i, border), 40),
			}
		}
		c.fold(event.Of(logs), 0)
		c.stored()
		for _, r := range []*remembered{&c.young, &c.old} {
			bytes := len(r.entries)*int(unsafe.Sizeof(entry{})) + len(r.links)*int(unsafe.Sizeof(link{})) + 34*len(r.lists)
			if len(r.entries) > maxCopies || len(r.links) > maxKeys+foldPiece || len(r.lists) > len(r.links) || len(r.passed) > len(r.lists) ||
				len(r.of) > 2*maxCopies+2*foldPiece || bytes > 6<<20 {
				t.Fatalf("%d entries, %d links, %d keys, %d bytes", len(r.entries), len(r.links), len(r.lists), bytes)
			}
		}
	}
	if len(c.ways) != 32 {
		t.Errorf("%d ways", len(c.ways))
	}
}

// What came is turned over when its keys have just reached their bound.
func TestTheLastKeyTurnsWhatIsRemembered(t *testing.T) {
	c := &New(Config{}, nil, nil, nil).copies
	words := func(i, n int) *event.Log { // a key for each word
		return &event.Log{Head: event.Head{Origin: event.Origin{Source: "run", Service: "a"}, Time: time.Now()}, Message: strings.Repeat(fmt.Sprint(i, " "), n)}
	}
	fold := func(b event.Batch) {
		c.fold(b, 0)
		c.stored()
	}
	var b event.Batch
	for i := range maxKeys / (maxBorders + 1) {
		if b = append(b, words(i, maxBorders+1)); len(b) == foldPiece {
			fold(b)
			b = nil
		}
	}
	fold(append(b, words(-1, maxKeys%(maxBorders+1))))
	if len(c.young.links) != maxKeys || len(c.old.links) != 0 {
		t.Fatalf("%d keys, %d before", len(c.young.links), len(c.old.links))
	}
	if fold(event.Batch{words(-2, 1)}); len(c.young.links) != 1 || len(c.old.links) != maxKeys {
		t.Errorf("%d keys, %d before", len(c.young.links), len(c.old.links))
	}
}

// FuzzCopies puts any two events together: they are one or two, what is told of them is bounded, and the number leads to it.
func FuzzCopies(f *testing.F) {
	f.Add("order=17 declined", "x] order=17 declined", `{"a":1}`, `{"log.iostream":"stderr"}`, "E", "no price", byte(0))
	f.Add(`a - "GET /a?b=1 HTTP/1.1" 500`, `INFO: a - "GET /a?b=1 HTTP/1.1" 500 Internal`, "", "{", "", "", byte(1))
	f.Add("could not pay\nE: no", "ERROR could not pay", "[]", `{"a":{}}`, "a.E", "", byte(6))
	f.Fuzz(func(t *testing.T, one, two, attributes, others, typ, message string, kinds byte) {
		if len(one)+len(two)+len(attributes)+len(others)+len(typ)+len(message) > 64<<10 {
			return
		}
		kept, err := store.New(store.Config{Run: "r", FirstSeq: 1, Limits: store.DefaultLimits(0)})
		if err != nil {
			t.Fatal(err)
		}
		in := New(Config{}, redact.New(redact.Rules{}), correlate.New(time.Now), kept)
		make := func(source, text, attributes string, exception, thrown bool) event.Event {
			h := event.Head{Origin: event.Origin{Source: source, Service: "api"}, Time: time.Now()}
			if !exception {
				return &event.Log{Head: h, Message: text, Attributes: attributes, Severity: 17, Level: "error"}
			}
			x := &event.Exception{Head: h, Type: typ, Message: message, RawStack: text, Mechanism: "log"}
			if thrown {
				x.Mechanism = "span_event"
			}
			return x
		}
		b := []event.Event{
			make("otlp", one, attributes, kinds&1 != 0, kinds&4 != 0), make("run", two, others, kinds&2 != 0, false),
			make("tail", two, others, kinds&8 != 0, false),
		}
		for _, e := range b {
			if _, err := in.Ingest(t.Context(), Upload{Batch: event.Batch{e}, Bytes: 10}, Partial); err != nil {
				t.Fatal(err)
			}
		}
		if n := kept.Edge(nil).Live; n < 1 || n > len(b) {
			t.Errorf("%d are kept", n)
		}
		var c store.Slice
		if !kept.Find(nil, b[0].Base().Seq, &c) {
			t.Fatal("the first is not found")
		}
		e := event.New(c.Kind(0))
		if !c.Decode(0, e) {
			t.Fatal("not readable")
		}
		if x, ok := e.(*event.Exception); ok && strings.Count(x.Witnesses, ", ") >= maxWitnesses {
			t.Errorf("%q", x.Witnesses)
		}
	})
}

// What a request came to is a status of HTTP.
func TestStatusesOfRequests(t *testing.T) {
	for status, want := range map[string]bool{"099": false, "100": true, "599": true, "600": false, "5": false, "50": false} {
		if _, ok := requestOf(&event.Log{Message: `"GET /pay HTTP/1.1" ` + status}); ok != want {
			t.Errorf("%s: %v", status, ok)
		}
	}
}

// A text of any shape is read once.
func TestTextsOfAnyShapeAreReadOnce(t *testing.T) {
	for _, text := range []string{"=", "a=", " =", "a ", " /", "a=b ", "x] ", "\n"} {
		long := strings.Repeat(text, 1<<20/len(text))
		l := &event.Log{Message: long + "1"}
		other := &event.Log{Message: "x: " + long + "2"}
		merged(l, other)
		requestOf(l)
		requestOf(&event.Log{Message: "GET /" + long + " 500 " + long})
		if got := withoutPairs(long); len(got) > len(long) {
			t.Error(len(got))
		}
	}
	for text, want := range map[string]string{
		"": "", "a=1": "a=1", "a=1 b=2": "a=1", "low b=2 c": "low", "low  b=2": "low", "x == 3": "x", "x = 3": "x = 3", "x =": "x =", "x =a=": "x",
	} {
		if got := withoutPairs(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
