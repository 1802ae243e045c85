package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
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
		Seq: 1, Time: at, Raw: at.Add(-time.Hour), Received: at.Add(time.Second), Clock: 3, ClockDomain: "clock",
		Cause: event.Cause{Action: "a1", Command: "k1"}, Mono: 12.5, Sender: 7,
		Origin: event.Origin{Source: "extension", Service: "shop", Instance: "i1"}, Session: "s1", Tab: 9, Frame: 3,
		Document: "D1", PageURL: "http://localhost/p#x", TestID: "t1", Worker: "w1",
		TraceID: "0af7651916cd43dd8448eb211c80319c", SpanID: "b7ad6b7169203331", Half: "8448eb211c80319c", Flags: event.Truncated | event.Unmapped,
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
			Witnesses:  "otlp, run",
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
			Witnesses: "log otlp, log run",
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
			RequestSize: 2, ResponseSize: -1, TransferSize: 4, RequestBodyNote: "binary", ResponseBodyNote: "truncated", ContentType: "t",
			Initiator: event.Initiator{Type: "fetch", Stack: stack},
			Outcome:   "http_error", Error: "e", Protocol: "h2", FromCache: true, Redirects: []string{"x"},
			ServerTiming: "s", RemoteAddress: "127.0.0.1",
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
		&event.Mark{Head: h, Type: "user", Label: "l", Detail: `{"id":"d"}`, Picture: "\xff\xd8"},
		&event.Span{
			Head: h, Name: "GET /cart", SpanKind: "server", Parent: "00f067aa0ba902b7", Duration: time.Second, Status: "error",
			StatusMessage: "m", Scope: "http", Attributes: `{"http.route":"/cart"}`, Links: "[{}]", Dropped: 1,
		},
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
			without := *want.(*event.Exchange)
			without.RequestBody, without.ResponseBody = "", ""
			if g, w := asJSON(t, got), asJSON(t, without); g != w {
				t.Errorf("without bodies:\n got %s\nwant %s", g, w)
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

// A record that is cut or wrong anywhere is refused, and the fields from there on are zero.
func TestMalformedRecordsAreRefused(t *testing.T) {
	many := func(n int, b byte, rest ...byte) string {
		return string(append(bytes.Repeat([]byte{b}, n), rest...))
	}
	for _, c := range []struct {
		in   string
		want uint64
		bad  bool
	}{
		{"\x05", 5, false},
		{"\x80\x01", 128, false},
		{many(9, 0xff, 1), 1<<64 - 1, false},
		{many(9, 0xff, 2), 0, true},  // beyond 64 bits
		{many(10, 0xff, 1), 0, true}, // too long
		{many(3, 0xff), 0, true},     // cut
		{"", 0, true},                // nothing
		{many(10, 0x80), 0, true},    // no end
		{many(9, 0x80, 1), 1 << 63, false},
	} {
		d := coder{reading: true, in: c.in}
		got := uint64(99)
		if d.unsigned(&got); got != c.want || d.bad != c.bad || d.in != "" {
			t.Errorf("%q: %d, bad %v, %d bytes left; want %d, %v, 0", c.in, got, d.bad, len(d.in), c.want, c.bad)
		}
	}
	for _, in := range []string{"\x04abc", "\x03ab", many(9, 0xff, 1) + "abc", "\x80"} {
		d := coder{reading: true, in: in}
		text, after := "old", uint64(99)
		d.string(&text)
		if d.unsigned(&after); !d.bad || text != "" || after != 0 {
			t.Errorf("%q: text %q, then %d, bad %v", in, text, after, d.bad)
		}
	}
	d := coder{reading: true, in: "\x02ab\x00"}
	if text, after := "", uint64(99); true {
		d.string(&text)
		if d.unsigned(&after); d.bad || text != "ab" || after != 0 || d.in != "" {
			t.Errorf("text %q, then %d, bad %v", text, after, d.bad)
		}
	}
	for _, in := range []string{"\x03\x01a", "\x02\x01a\x05b", "\x7f", "\x80"} {
		d := coder{reading: true, in: in}
		texts, after := []string{"old"}, uint64(99)
		d.Texts("", &texts)
		if d.unsigned(&after); !d.bad || texts != nil || after != 0 {
			t.Errorf("%q: list %q, then %d, bad %v", in, texts, after, d.bad)
		}
	}
	long := strings.Repeat("\x00", 200)
	d = coder{reading: true, in: "\xc8\x01" + long}
	var texts []string
	if d.Texts("", &texts); d.bad || len(texts) != 200 || d.in != "" {
		t.Errorf("200 empty texts: %d, bad %v", len(texts), d.bad)
	}
}

// A stored record that does not end where its event ends is a bug, and is not shown.
func TestARecordOfAnotherKindIsNotDecoded(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	s.Append(event.Batch{&event.Mark{Type: "user", Label: "l"}})
	var c Slice
	s.Find(nil, 1, &c)
	refused := func(what string, e event.Event) {
		t.Helper()
		defer func() {
			if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "BUG: store: decode record 1 of kind mark") {
				t.Errorf("%s: %v", what, r)
			}
		}()
		c.Decode(0, e)
	}
	refused("another kind", &event.Log{})
	refused("more fields than the record has", &event.ExtensionLog{})
	c.records[0].size--
	refused("a cut record", &event.Mark{})
}

// Senders' own times and flags come back, also where they equal the corrected time.
func TestTimesOfSendersComeBack(t *testing.T) {
	at := time.Unix(1_790_000_000, 5).UTC()
	for _, raw := range []time.Time{{}, at, at.Add(time.Hour), at.Add(-time.Nanosecond)} {
		s := testStore(t, DefaultLimits(0))
		s.Append(event.Batch{&event.Mark{Head: event.Head{Time: at, Raw: raw, Tab: 3}}})
		var c Slice
		var got event.Mark
		if !s.Find(nil, 1, &c) || !c.Decode(0, &got) || !got.Raw.Equal(raw) || !got.Time.Equal(at) || got.Tab != 3 {
			t.Errorf("raw %v came back as %+v", raw, got.Head)
		}
	}
}

func TestTimesOfAllSizes(t *testing.T) {
	for _, at := range []time.Time{
		time.Unix(math.MaxInt64/int64(time.Second)-1, 999), time.Unix(-(math.MaxInt64/int64(time.Second))+1, 1),
		time.Unix(0, -1), time.Unix(0, 1), time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)),
	} {
		if got := instant(nanos(at)); !got.Equal(at) || got.Location() != time.UTC {
			t.Errorf("%v came back as %v", at, got)
		}
	}
	for _, c := range []struct {
		at   time.Time
		want int64
	}{
		{time.Unix(math.MaxInt64/int64(time.Second), 0), math.MaxInt64},
		{time.Unix(-(math.MaxInt64 / int64(time.Second)), 0), math.MinInt64},
		{time.Unix(1<<40, 0), math.MaxInt64}, {time.Unix(-1<<40, 0), math.MinInt64},
	} {
		if got := nanos(c.at); got != c.want {
			t.Errorf("nanos(%v) = %d, want %d", c.at, got, c.want)
		}
	}
}
