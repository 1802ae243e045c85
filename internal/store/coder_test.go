package store

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// full has one event of each kind with no field left at its zero value.
func full() event.Batch {
	stack := []event.StackFrame{{Function: "f", URL: "http://localhost/a.js", Line: 1, Column: 2, Source: "a.ts", SourceLine: 3, SourceColumn: 4, InApp: true}}
	at := time.UnixMilli(1_790_000_000_123).UTC()
	h := event.Head{
		Seq: 1, Time: at, Received: at.Add(time.Second), Mono: 12.5, Sender: 7, Source: "extension", Service: "shop", Session: "s1", Tab: 9, Frame: 3,
		Document: "D1", PageURL: "http://localhost/p#x", TestID: "t1", Worker: "w1", TraceID: "0af7651916cd43dd8448eb211c80319c", SpanID: "b7ad6b7169203331", Flags: event.Truncated | event.Unmapped,
	}
	v := event.Vital{Value: 1.5, Rating: "good", Final: true, Attribution: "{}"}
	return event.Batch{
		Logs:       []event.Log{{Head: h, Severity: 17, Level: "error", Message: "m", Args: "[1]", Attributes: "{}", Logger: "console", URL: "u", Line: 1, Column: 2, Stack: stack, Count: 3, RequestID: "r"}},
		Exceptions: []event.Exception{{Head: h, Type: "TypeError", Message: "m", Stack: stack, RawStack: "raw", Causes: []event.Cause{{Type: "E", Message: "c", Stack: stack}}, Handled: true, Mechanism: "onerror", URL: "u", Line: 1, Column: 2, Element: "img", Count: 2}},
		Exchanges: []event.Exchange{{
			Head: h, RequestID: "r1", Method: "POST", URL: "u", Status: 500, StatusText: "no", Started: at, TTFB: 1, Duration: 2,
			RequestHeaders: []event.Header{{Name: "a", Value: "b"}}, ResponseHeaders: []event.Header{{Name: "c", Value: "d"}}, HasAuth: true, RequestBody: "in", ResponseBody: "out",
			RequestSize: 2, ResponseSize: -1, TransferSize: 4, BodyNote: "truncated", ContentType: "t", Initiator: event.Initiator{Type: "fetch", Stack: stack, Action: 4},
			Outcome: "http_error", Error: "e", Protocol: "h2", FromCache: true, Redirects: []string{"x"}, ServerTiming: "s", RemoteAddress: "127.0.0.1",
		}},
		Resources:     []event.Resource{{Head: h, URL: "u", InitiatorType: "img", Start: 1, Duration: 2, DNS: 3, Connect: 4, TLS: 5, Wait: 6, Receive: 7, TransferSize: 8, EncodedSize: 9, DecodedSize: 10, Status: 200, RenderBlocking: true, FromCache: true, Protocol: "h2"}},
		Frames:        []event.Frame{{Head: h, Connection: "c", Protocol: "websocket", URL: "u", Event: "message", Direction: "incoming", Order: 1, Type: "text", Size: 5, Data: "hello", Code: 1000, Reason: "bye", Skipped: 2, Rate: 1.5}},
		Actions:       []event.Action{{Head: h, Type: "click", By: "agent", Client: "c", Locators: []event.Locator{{Kind: "css", Value: "#a", Matches: 1, Score: 2}}, Role: "button", Name: "n", Text: "t", Value: "v", Key: "k", FromURL: "f", ToURL: "t", X: 1, Y: 2, Outcome: "ok"}},
		DOM:           []event.DOM{{Head: h, Type: "summary", Added: 1, Removed: 2, Changed: 3, Changes: []string{"c"}, Selector: "s", Class: "toast", Role: "alert", Text: "t", Shown: 5}},
		Lifecycle:     []event.Lifecycle{{Head: h, State: "visible", Trigger: "push", FromURL: "f", ToURL: "t", Title: "T", Persisted: true}},
		Performance:   []event.Performance{{Head: h, URL: "u", NavigationType: "reload", DOMContentLoaded: 1, Load: 2, LCP: v, CLS: v, INP: v, FCP: v, TTFB: v, LongTasks: []event.LongTask{{Start: 1, Duration: 2, Script: "s"}}, Resources: []event.ResourceSum{{Type: "img", Count: 1, Bytes: 2}}, Soft: true}},
		ExtensionLogs: []event.ExtensionLog{{Head: h, Level: "info", Message: "m", Category: "c", Data: "{}"}},
		Marks:         []event.Mark{{Head: h, Type: "user", Label: "l"}},
	}
}

// zeros lists the paths of v's parts that are zero, so that a new field cannot be forgotten in full.
func zeros(path string, v any) []string {
	switch v := v.(type) {
	case nil:
		return []string{path}
	case map[string]any:
		var out []string
		for k, e := range v {
			out = append(out, zeros(path+"."+k, e)...)
		}
		return out
	case []any:
		var out []string
		for i, e := range v {
			out = append(out, zeros(fmt.Sprintf("%s[%d]", path, i), e)...)
		}
		return out
	case string:
		if v == "" {
			return []string{path}
		}
	case float64:
		if v == 0 {
			return []string{path}
		}
	case bool:
		if !v {
			return []string{path}
		}
	}
	return nil
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFixtureHasEveryField(t *testing.T) {
	var v any
	if err := json.Unmarshal([]byte(asJSON(t, full())), &v); err != nil {
		t.Fatal(err)
	}
	if z := zeros("", v); len(z) > 0 {
		t.Errorf("zero in the fixture: %v", z)
	}
}

func TestEveryFieldComesBack(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	b := full()
	if done := s.Append(&b); done.Stored != b.Len() {
		t.Fatalf("Append stored %d of %d: %+v", done.Stored, b.Len(), done.Refused)
	}
	var c Slice
	for _, k := range event.Kinds() {
		want, h := at(&b, k, 0)
		if h.Seq == 0 {
			t.Errorf("%s got no number", k)
		}
		if !s.Find(k, h.Seq, &c) {
			t.Errorf("%s %d not found", k, h.Seq)
			continue
		}
		got := Blank(k)
		if !c.Decode(0, got) {
			t.Errorf("%s not decoded", k)
		}
		if x, ok := got.(*event.Exchange); ok {
			if x.RequestBody != "" || x.ResponseBody != "" {
				t.Error("exchange came with bodies")
			}
			s.Attach(&c, 0, x)
		}
		if g, w := asJSON(t, got), asJSON(t, want); g != w {
			t.Errorf("%s:\n got %s\nwant %s", k, g, w)
		}
	}
}

func TestTimesAreClamped(t *testing.T) {
	for _, at := range []time.Time{{}, time.Unix(0, 1), time.Unix(1<<40, 0), time.Unix(-1<<40, 0), time.Unix(-3, 7)} {
		got := instant(nanos(at))
		if again := instant(nanos(got)); !again.Equal(got) {
			t.Errorf("%v: %v, then %v", at, got, again)
		}
	}
	if !instant(nanos(time.Time{})).IsZero() {
		t.Error("zero time does not stay zero")
	}
}

// What decodes encodes to something that decodes to the same; garbage is refused and never panics.
func FuzzCoder(f *testing.F) {
	b := full()
	for _, k := range event.Kinds() {
		e, _ := at(&b, k, 0)
		var c coder
		c.visit(e)
		f.Add(byte(k), c.out)
	}
	f.Add(byte(1), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		k := event.Kind(kind)
		first := Blank(k)
		if first == nil {
			return
		}
		d := coder{reading: true, in: string(data)}
		if d.visit(first); d.bad {
			return
		}
		var c coder
		c.visit(first)
		second := Blank(k)
		d = coder{reading: true, in: string(c.out)}
		if d.visit(second); d.bad || d.in != "" {
			t.Fatalf("own encoding is not read: %q", c.out)
		}
		var again coder
		if again.visit(second); string(again.out) != string(c.out) {
			t.Errorf("encodings differ:\n%q\n%q", c.out, again.out)
		}
	})
}
