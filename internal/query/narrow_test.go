package query

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
)

// What an expression asks of every event is asked of the headers, and nothing that only some events have to pass.
func TestExpressionsNarrowTheFilter(t *testing.T) {
	for where, want := range map[string]Filter{
		"":              {},
		"service = api": {Service: "api"},
		"session = s and test_id = t and worker = w": {Session: "s", TestID: "t", Worker: "w"},
		"trace_id = q and (tab = 1 and action = a)":  {TraceID: "q", Action: "a"},
		"service = api and service = db":             {Service: "api"}, // the second test finds nothing then
		"service = api or service = db":              {},
		"not service = api":                          {},
		"service != api":                             {},
		"service ~ api":                              {},
		"service = ''":                               {},
		"level = error":                              {Severity: event.SeverityError},
		"level = warn and level = error":             {Severity: event.SeverityError},
		"level = error and level = warn":             {Severity: event.SeverityError},
		"level = info":                               {},
		"message = error":                            {},
		"level > error":                              {},
		"source = error":                             {},
	} {
		x, err := Compile(where, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.narrow(Filter{}); got != want {
			t.Errorf("%s: %+v, want %+v", where, got, want)
		}
	}
	x, err := Compile("service = api and level = warn", nil)
	if err != nil {
		t.Fatal(err)
	}
	given := Filter{Service: "db", Severity: event.SeverityError, Tab: 3}
	if got := x.narrow(given); got != given {
		t.Errorf("%+v became %+v", given, got)
	}
}

// A cursor is refused when it is cut, lengthened or of no list.
func TestCursorsAreReadStrictly(t *testing.T) {
	text := func(b []byte) Cursor {
		b = binary.BigEndian.AppendUint16(b, checksum(b))
		return Cursor(base64.RawURLEncoding.EncodeToString(b))
	}
	run := make([]byte, runBytes)
	for name, c := range map[string]struct {
		bytes []byte
		ok    bool
	}{
		"a list":          {append(run, byte(event.KindLog), 7), true},
		"back":            {append(run, byte(event.KindLog)|backBit, 7, 8), true},
		"the last kind":   {append(run, byte(event.KindCount-1), 7), true},
		"no kind":         {append(run, byte(event.KindCount), 7), false},
		"no number":       {append(run, byte(event.KindLog)), false},
		"half back":       {append(run, byte(event.KindLog)|backBit, 7), false},
		"cut number":      {append(run, byte(event.KindLog), 0x87), false},
		"cut back":        {append(run, byte(event.KindLog)|backBit, 0x87), false},
		"more behind":     {append(run, byte(event.KindLog), 7, 8), false},
		"too large":       {binary.AppendUvarint(append(run, byte(event.KindLog)), 1<<63), false},
		"too large back":  {append(binary.AppendUvarint(append(run, byte(event.KindLog)|backBit), 1<<63), 7), false},
		"largest":         {binary.AppendUvarint(append(run, byte(event.KindLog)), 1<<63-1), true},
		"no kind's place": {run, false},
	} {
		if p, ok := decode(text(append([]byte(nil), c.bytes...))); ok != c.ok {
			t.Errorf("%s: %+v, %v", name, p, ok)
		}
	}
	p := position{run: 1<<40 - 1, kind: event.KindLog, back: true, before: 300, next: 70_000}
	good := string(p.encode())
	if got, ok := decode(Cursor(good)); !ok || got != p {
		t.Errorf("%+v reads as %+v", p, got)
	}
	for i := range good {
		if _, ok := decode(Cursor(good[:i])); ok {
			t.Errorf("the first %d characters are a cursor", i)
		}
	}
	if _, ok := decode(Cursor(good + "A")); ok {
		t.Error("a longer one is a cursor")
	}
	if _, ok := decode(Cursor(strings.Repeat("A", maxCursor+1))); ok {
		t.Error("a very long one is a cursor")
	}
	if a, b := runHash("a"), runHash("b"); a == b || a>>(8*runBytes) != 0 {
		t.Errorf("hashes %x and %x", a, b)
	}
}
