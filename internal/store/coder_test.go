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
	stack := []event.StackFrame{
		{
			Function:     "f",
			URL:          "http://localhost/a.js",
			Line:         1,
			Column:       2,
			Source:       "a.ts",
			SourceLine:   3,
			SourceColumn: 4,
			InApp:        true,
		},
	}
	at := time.UnixMilli(1_790_000_000_123).UTC()
	h := event.Head{
		Seq: 1, Time: at, Raw: at.Add(-time.Hour), Received: at.Add(time.Second), Clock: 3, ClockDomain: "clock", Cause: event.Cause{Action: "a1", Command: "k1"}, Mono: 12.5, Sender: 7, Origin: event.Origin{Source: "extension", Service: "shop", Instance: "i1"}, Session: "s1", Tab: 9, Frame: 3,
		Document: "D1", PageURL: "http://localhost/p#x", TestID: "t1", Worker: "w1", TraceID: "0af7651916cd43dd8448eb211c80319c", SpanID: "b7ad6b7169203331", Flags: event.Truncated | event.Unmapped,
	}
	v := event.Vital{Value: 1.5, Rating: "good", Final: true, Attribution: "{}"}
	return event.Batch{
		&event.Log{
			Head:       h,
			Severity:   17,
			Level:      "error",
			Message:    "m",
			Args:       "[1]",
			Attributes: "{}",
			Logger:     "console",
			URL:        "u",
			Line:       1,
			Column:     2,
			Stack:      stack,
			Count:      3,
			RequestID:  "r",
		},
		&event.Exception{
			Head:      h,
			Type:      "TypeError",
			Message:   "m",
			Stack:     stack,
			RawStack:  "raw",
			Causes:    []event.ErrorCause{{Type: "E", Message: "c", Stack: stack}},
			Handled:   true,
			Mechanism: "onerror",
			URL:       "u",
			Line:      1,
			Column:    2,
			Element:   "img",
			Count:     2,
		},
		&event.Exchange{
			Head: h, RequestID: "r1", Method: "POST", URL: "u", Status: 500, StatusText: "no", Started: at, TTFB: 1, Duration: 2,
			RequestHeaders: []event.Header{
				{Name: "a", Value: "b"},
			}, ResponseHeaders: []event.Header{{Name: "c", Value: "d"}}, HasAuth: true, RequestBody: "in", ResponseBody: "out",
			RequestSize: 2, ResponseSize: -1, TransferSize: 4, BodyNote: "truncated", ContentType: "t", Initiator: event.Initiator{Type: "fetch", Stack: stack},
			Outcome: "http_error", Error: "e", Protocol: "h2", FromCache: true, Redirects: []string{"x"}, ServerTiming: "s", RemoteAddress: "127.0.0.1",
		},
		&event.ResourceTiming{
			Head:           h,
			URL:            "u",
			InitiatorType:  "img",
			Start:          1,
			Duration:       2,
			DNS:            3,
			Connect:        4,
			TLS:            5,
			Wait:           6,
			Receive:        7,
			TransferSize:   8,
			EncodedSize:    9,
			DecodedSize:    10,
			Status:         200,
			RenderBlocking: true,
			FromCache:      true,
			Protocol:       "h2",
		},
		&event.Message{
			Head:       h,
			Connection: "c",
			Protocol:   "websocket",
			URL:        "u",
			Event:      "message",
			Direction:  "incoming",
			Order:      1,
			Type:       "text",
			Size:       5,
			Data:       "hello",
			Code:       1000,
			Reason:     "bye",
			Skipped:    2,
			Rate:       1.5,
		},
		&event.Action{
			Head:     h,
			Type:     "click",
			By:       "agent",
			Client:   "c",
			Locators: []event.Locator{{Kind: "css", Value: "#a", Matches: 1, Score: 2}},
			Role:     "button",
			Name:     "n",
			Text:     "t",
			Value:    "v",
			Key:      "k",
			FromURL:  "f",
			ToURL:    "t",
			X:        1,
			Y:        2,
			Outcome:  "ok",
		},
		&event.DOM{
			Head:     h,
			Type:     "summary",
			Added:    1,
			Removed:  2,
			Changed:  3,
			Changes:  []string{"c"},
			Selector: "s",
			Class:    "toast",
			Role:     "alert",
			Text:     "t",
			Shown:    5,
		},
		&event.Lifecycle{
			Head:      h,
			State:     "visible",
			Trigger:   "push",
			FromURL:   "f",
			ToURL:     "t",
			Title:     "T",
			Persisted: true,
		},
		&event.Performance{
			Head:             h,
			URL:              "u",
			NavigationType:   "reload",
			DOMContentLoaded: 1,
			Load:             2,
			LCP:              v,
			CLS:              v,
			INP:              v,
			FCP:              v,
			TTFB:             v,
			LongTasks:        []event.LongTask{{Start: 1, Duration: 2, Script: "s"}},
			Resources:        []event.ResourceSum{{Type: "img", Count: 1, Bytes: 2}},
			Soft:             true,
		},
		&event.ExtensionLog{Head: h, Level: "info", Message: "m", Category: "c", Data: "{}"},
		&event.Mark{Head: h, Type: "user", Label: "l"},
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
	if done := s.Append(b); done.Stored != len(b) || len(b) != len(event.Kinds()) {
		t.Fatalf("Append stored %d of %d: %+v", done.Stored, len(b), done.Refused)
	}
	var c Slice
	for _, want := range b {
		k, seq := want.Kind(), want.Base().Seq
		if seq == 0 || !s.Find([]event.Kind{k}, seq, &c) {
			t.Errorf("%s %d not found", k, seq)
			continue
		}
		got := event.New(k)
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
	encode := func(e event.Event) []byte {
		var c coder
		c.head(e.Base(), 0)
		e.Fields(&c)
		return c.out
	}
	decode := func(e event.Event, data []byte) bool {
		d := coder{reading: true, in: string(data)}
		d.head(e.Base(), 0)
		e.Fields(&d)
		return !d.bad
	}
	for _, e := range full() {
		f.Add(byte(e.Kind()), encode(e))
	}
	f.Add(byte(1), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		k := event.Kind(kind)
		first := event.New(k)
		if first == nil || !decode(first, data) {
			return
		}
		once := encode(first)
		second := event.New(k)
		if !decode(second, once) {
			t.Fatalf("own encoding is not read: %q", once)
		}
		if again := encode(second); string(again) != string(once) {
			t.Errorf("encodings differ:\n%q\n%q", once, again)
		}
	})
}
