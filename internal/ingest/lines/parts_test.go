package lines_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
)

// cri is a line as runtimes of containers write it, or a part of one.
func cri(tag, text string) string { return "2026-10-12T12:00:00.000000001Z stdout " + tag + " " + text }

// A line that comes in parts is cut as others are, and says so.
func TestPartsOfALongLine(t *testing.T) {
	const most = 256 << 10
	half := strings.Repeat("x", most/2)
	for name, c := range map[string]struct {
		parts []string
		kept  int // bytes before the mark
		mark  string
	}{
		"one line":               {[]string{cri("P", "a"), cri("P", "b"), cri("F", "c")}, 3, ""},
		"as long as it may be":   {[]string{cri("P", half), cri("P", half), cri("F", "")}, most, ""},
		"a part is more":         {[]string{cri("P", half), cri("P", half+"y"), cri("P", "zz"), cri("F", "end")}, most + 3, " … [cut: 262150 bytes in all]"},
		"a letter is in two":     {[]string{cri("P", half+"x"), cri("P", half[:most/2-2]+"é"), cri("F", "end")}, most - 1 + 3, " … [cut: 262148 bytes in all]"},
		"its end does not come":  {[]string{cri("P", half), cri("P", half), cri("P", "y")}, most, " … [cut: 262145 bytes in all]"},
		"its last part is more":  {[]string{cri("P", "a"), cri("F", half+half)}, -1, "[cut: "},
		"an object":              {[]string{cri("P", `{"level":"error","msg":"`), cri("P", half), cri("P", half), cri("F", `"`)}, -1, "x"},
		"behind it is another":   {[]string{cri("P", half), cri("P", half), cri("P", "y"), cri("F", "end"), cri("F", "next")}, most + 3, " … [cut: 262148 bytes in all]"},
		"behind it is no record": {[]string{cri("P", "a"), cri("F", "b"), cri("F", "")}, 2, ""},
	} {
		got := reading(lines.Reader{}, arrived, c.parts...)
		l, ok := got[0].(*event.Log)
		if !ok {
			t.Fatalf("%s: %T", name, got[0])
		}
		if text, is := strings.CutSuffix(l.Message, c.mark); !is && c.kept >= 0 || !strings.Contains(l.Message, c.mark) || c.kept >= 0 && len(text) != c.kept {
			t.Errorf("%s: %d bytes end with %q", name, len(l.Message), l.Message[max(0, len(l.Message)-40):])
		}
		if (l.Flags&event.Truncated != 0) != (c.mark != "") {
			t.Errorf("%s: %v", name, l.Flags.Names())
		}
		if name == "an object" && l.Level != "error" {
			t.Errorf("an object is of level %s", l.Level)
		}
	}
}

// A line of which parts came is held as long as any record, from its first part on.
func TestHowLongPartsAreHeld(t *testing.T) {
	var r lines.Reader
	var b event.Batch
	add := func(after time.Duration, text string) time.Duration {
		now := arrived.Add(after)
		b = r.Add(lines.Line{Time: now, Text: text}, b)
		r.Hold(now)
		return r.Due().Sub(arrived)
	}
	add(0, cri("F", "one"))
	b = r.FlushDue(arrived.Add(time.Second), b)
	const ms = time.Millisecond
	if due := add(5000*ms, cri("P", "two")); due != 5300*ms {
		t.Errorf("a first part is due after %s", due)
	}
	for after := 5200 * ms; after < 7000*ms; after += 200 * ms {
		if due := add(after, cri("P", ".")); due != min(after+300*ms, 7000*ms) {
			t.Errorf("a part after %s is due after %s", after, due)
		}
	}
	if b = r.FlushDue(arrived.Add(6999*ms), b); len(b) != 1 {
		t.Errorf("%d records too early", len(b))
	}
	if b = r.FlushDue(arrived.Add(7000*ms), b); len(b) != 2 || b[1].(*event.Log).Message != "two........." {
		t.Errorf("%d records", len(b))
	}
	add(8000*ms, cri("F", "ERROR three"))
	if due := add(9900*ms, cri("P", "four")); due != 10_000*ms {
		t.Errorf("an error with a part behind it is due after %s", due)
	}
}

// What is behind a record and may belong to it keeps all that is known of it where it does not.
func TestWhatMayBelongIsARecordOfItsOwn(t *testing.T) {
	var stamped []any
	r := lines.Reader{Stamp: func(_ event.Event, beside any) { stamped = append(stamped, beside) }}
	var b event.Batch
	for i, l := range []lines.Line{
		{Text: "Error: boom", Time: arrived},
		{Text: "second", Time: arrived.Add(time.Second), Size: 1000},
		{Text: "third", Time: arrived.Add(2 * time.Second)},
		{Text: "INFO fourth", Time: arrived.Add(3 * time.Second)},
	} {
		l.Beside = i
		b = r.Add(l, b)
	}
	b = r.Flush(b)
	for i, e := range b {
		h := e.Base()
		if (h.Flags&event.Truncated != 0) != (i == 1) || !h.Time.Equal(arrived.Add(time.Duration(i)*time.Second)) || stamped[i] != i {
			t.Errorf("%d: %v %s %v", i, h.Flags.Names(), h.Time, stamped[i])
		}
	}
	if len(b) != 4 {
		t.Errorf("%q", texts(b))
	}
}

// A line without a head goes on with an error where at most one record of ten has none.
func TestWhereRecordsHaveHeads(t *testing.T) {
	for heads, want := range map[int]string{3: "boom|more", 4: "boom|more", 8: "boom|more", 9: "boom\nmore"} {
		in := append([]string{"no head"}, strings.Split(strings.Repeat("INFO a|", heads)+"ERROR boom|more|INFO b", "|")...)
		out := texts(reading(lines.Reader{}, arrived, in...))
		if got := strings.Join(out[heads+1:len(out)-1], "|"); got != want {
			t.Errorf("behind %d heads: %q", heads, got)
		}
	}
	for heads, want := range map[int]string{3: "boom|more", 4: "boom\nmore"} {
		in := strings.Split(strings.Repeat("INFO a|", heads)+"ERROR boom|more|INFO b", "|")
		out := texts(reading(lines.Reader{}, arrived, in...))
		if got := strings.Join(out[heads:len(out)-1], "|"); got != want {
			t.Errorf("behind nothing but %d heads: %q", heads, got)
		}
	}
}

// A record has 500 lines and 64 KiB at most, with those that may belong to it.
func TestHowLongARecordGetsByItsLines(t *testing.T) {
	for lines, want := range map[int]int{499: 1, 500: 2} {
		in := append([]string{"ERROR boom"}, strings.Split(strings.Repeat("  more|", lines-1)+"  last", "|")...)
		if got := reading0(in...); len(got) != want {
			t.Errorf("an error and %d lines are %d records", lines, len(got))
		}
	}
	const most = 64 << 10
	for extra, want := range map[int]int{0: 1, 1: 2} {
		if got := reading0("ERROR boom", "  "+strings.Repeat("x", most/2-2), "  "+strings.Repeat("x", most/2-2-len("ERROR boom")-1+extra)); len(got) != want {
			t.Errorf("%d bytes more than a record may have are %d records", extra, len(got))
		}
	}
	// 50 lines may belong to it.
	for maybe, want := range map[int]int{50: 1, 51: 52} {
		in := append([]string{"Error: boom"}, strings.Split(strings.Repeat("line|", maybe)+"    at a (/a.js:1:1)", "|")...)
		if got := reading0(in...); len(got) != want {
			t.Errorf("an error, %d lines and a call are %d records", maybe, len(got))
		}
	}
	if got := reading0("Error: boom", strings.Repeat("y", most/2), strings.Repeat("z", most/2), "    at a (/a.js:1:1)"); len(got) != 3 {
		t.Errorf("lines that may belong, and are too long, are %d records", len(got))
	}
}

func reading0(texts ...string) event.Batch { return reading(lines.Reader{}, arrived, texts...) }

// An error or a warning is held back when nothing more came yet, other lines are not.
func TestWhatIsHeld(t *testing.T) {
	for text, want := range map[string]int{"INFO a": 1, "WARN a": 0, "ERROR a": 0, "a": 1, "a {": 0, `{"level":"error","msg":"a"}`: 1} {
		var r lines.Reader
		b := r.Add(lines.Line{Text: text, Time: arrived}, nil)
		if b = r.Settle(b); len(b) != want {
			t.Errorf("%q: %d records", text, len(b))
		}
		if b = r.Flush(b); len(b) != 1 {
			t.Errorf("%q: %d records in all", text, len(b))
		}
	}
}

// What is no text, or moves a terminal's cursor, is not kept.
func TestTextOfATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"a\x7fb": "ab", "a\xffb": "a\ufffdb", "a\xff\x1b[0mb": "a\ufffdb", "abc\b\bd": "ad", "\bab": "ab", "a\nb": "a b",
		"a\x1b[2@b\x1b[5~c": "abc", "a\x1b]0;title\x07b": "ab", "a\x1b]8;;x\x1b\\b": "ab", "a\x1b]0;x\x1b": "a", "a\x1b": "a", "a\x1b(Bb": "aBb",
		"a\x1b[31": "a", "a\tb": "a\tb", "a\x01b": "ab",
	} {
		if got := reading0(in); len(got) != 1 || got[0].(*event.Log).Message != want {
			t.Errorf("%q is %q", in, texts(got))
		}
	}
}

// What names anything in a line is not longer than names are, and JSON not deeper than anybody writes it.
func TestNamesInLinesAreShort(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for n, want := range map[int]string{120: x(120), 121: ""} {
		if l := reading0("ERROR [com." + x(n-4) + "] no stock")[0].(*event.Log); (l.Logger != "") != (want != "") {
			t.Errorf("a logger of %d bytes: %q", n, l.Logger)
		}
	}
	for n, there := range map[int]bool{199: true, 200: false} {
		if l := reading0("2026-10-12 10:00:00.5 [" + x(n) + "] ERROR com.shop.Api - no stock")[0].(*event.Log); strings.Contains(l.Attributes, "xx") != there {
			t.Errorf("a thread of %d bytes: %s", n, l.Attributes)
		}
	}
	for n, want := range map[int]int{200: 200, 201: 0} {
		if l := reading0(`{"msg":"a","request_id":"` + x(n) + `"}`)[0].(*event.Log); len(l.RequestID) != want {
			t.Errorf("a request of %d bytes: %q", n, l.RequestID)
		}
	}
	for n, want := range map[int]string{31: "a", 32: ""} {
		for _, nest := range [...][2]string{{"[", "]"}, {`{"a":`, "}"}} {
			text := `{"msg":"a","deep":` + strings.Repeat(nest[0], n) + "{}" + strings.Repeat(nest[1], n) + "}"
			if l := reading0(text)[0].(*event.Log); (l.Message == "a") != (want == "a") {
				t.Errorf("%d of %s: %q", n, nest[0], l.Message)
			}
			r := lines.Reader{}
			cut := `{"msg":"a","level":"error","deep":` + strings.Repeat(nest[0], n) + "1,"
			if l := r.Flush(r.Add(lines.Line{Text: cut, Size: 1 << 20}, nil))[0].(*event.Log); (l.Message == "a") != (want == "a") {
				t.Errorf("%d of %s, cut: %q", n, nest[0], l.Message)
			}
		}
	}
	for n, want := range map[int]string{256: "a", 257: ""} {
		r := lines.Reader{}
		text := `{"msg":"a","level":"error"` + `,"` + x(n-2)
		if l := r.Flush(r.Add(lines.Line{Text: "  " + text, Size: 1 << 20}, nil))[0].(*event.Log); (l.Message == "a") != (want == "a") {
			t.Errorf("%d bytes left out: %q", n, l.Message)
		}
	}
	for n, several := range map[int]bool{255: true, 256: false} {
		r := lines.Reader{Several: true}
		got := reading(r, arrived, x(n)+" | text")
		if (got[0].Base().Origin.Instance != "") != several {
			t.Errorf("a process of %d bytes: %+v", n, got[0].Base().Origin)
		}
	}
	for name, want := range map[string]string{"api-": "api-", "api-1": "api", "_1": "_1", "api-x": "api-x", "api-1a": "api-1a"} {
		if o := reading(lines.Reader{Several: true}, arrived, name+" | text")[0].Base().Origin; o.Service != want || o.Instance != name {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// What a receiver says of a stream is of the sender, at the time when it was so.
func TestNoticesAreOfTheSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := newReceiver(t, 0)
		in := batchOf(1, "one")
		in.Host, in.Dropped, in.Finished, in.Ended = "web1", 3, true, "exit status 2"
		take(t, r, in)
		var told []string
		for _, e := range s.stored() {
			if l := e.(*event.Log); l.Logger == "gasoline" {
				told = append(told, l.Level)
				if l.Origin.Service != in.Service || l.ClockDomain != "web1" || !l.Time.Equal(time.Now()) || l.Severity != event.SeverityOf(l.Level) {
					t.Errorf("%+v", l)
				}
			}
		}
		if strings.Join(told, " ") != "warn error" {
			t.Errorf("%q", told)
		}
	})
}
