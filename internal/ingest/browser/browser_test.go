package browser_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/browser"
	"github.com/brennhill/gasoline/internal/problem"
)

func readLogs(t *testing.T, entries string) browser.Delivery {
	t.Helper()
	d, err := browser.ReadLogs([]byte(`{"entries":[` + entries + `]}`))
	if err != nil {
		t.Fatalf("ReadLogs(%s): %v", entries, err)
	}
	return d
}

func TestOneBadEventDoesNotCostTheOthers(t *testing.T) {
	d := readLogs(
		t,
		`{"message":"a"}, {"message":7}, 5, {"message":"b","line":"x"}, {"message":"c","stack":[{"line":"x"}]}, {"level":"log"},
		{"message":"d","seq":-1}, {"message":"e","args":{}}, {"mechanism":"onerror"}, {"message":"z"}`,
	)
	got := fmt.Sprint(d.Rejected)
	want := `[{1 message is not a string} {2 it is not an object} {3 line is not a number} {4 line is not a number} {5 message is missing} {6 seq is out of range} {7 args is not a list} {8 type and message are missing}]`
	if got != want {
		t.Errorf("rejected\n%s, want\n%s", got, want)
	}
	if logs := all[event.Log](d.Upload.Batch); len(logs) != 2 || logs[0].Message != "a" || logs[1].Message != "z" {
		t.Errorf("kept %+v", logs)
	}
	if len(d.Upload.Reports) != 8 {
		t.Errorf("%d reports, want 8", len(d.Upload.Reports))
	}
}

func TestBadValuesOfOtherKindsAreNamed(t *testing.T) {
	check := func(read func([]byte) (browser.Delivery, error), body, want string) {
		t.Helper()
		d, err := read([]byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
		} else if got := fmt.Sprint(d.Rejected); got != want {
			t.Errorf("%s: rejected %s, want %s", body, got, want)
		}
	}
	check(
		browser.ReadBodies,
		`{"bodies":[{"url":"/a"},{"url":"/b","status":"500"},null,{}]}`,
		`[{1 status cannot be a string} {2 it is not an object} {3 url is missing}]`,
	)
	check(
		browser.ReadMessages,
		`{"events":[{"event":"message"},{"event":"ping"},[]]}`,
		`[{1 event is not open, message, close or error} {2 it is not an object}]`,
	)
	check(browser.ReadActions, `{"actions":[{"type":"click","seq":9007199254740993}]}`, `[{0 seq is out of range}]`)
}

func TestMalformedBodiesAreProblems(t *testing.T) {
	for _, body := range []string{
		``, `null`, `[]`, `{`, `{"entries":[}`, `{"entries":[{"message":"a"}]`, `{"entries":[{"message":"a",}]}`,
		`{"entries":[,]}`,
		`{"entries":[{"message":"a"}]} x`, `{"entries":[{"message":"` + "\n" + `"}]}`,
		`{"entries":[{"message":"\q"}]}`, `{"entries":[{"line":01}]}`,
		`{"entries":[{"x":tru}]}`, `{"entries":[{"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}]}`,
		`{"entries":[{"x":"\u12"}]}`,
		`{"entries":5}`, `{}`, `{"entries":[]}` + "\x00", `{"tab":"x","entries":[]}`,
	} {
		_, err := browser.ReadLogs([]byte(body))
		var p *problem.Problem
		if !errors.As(err, &p) {
			t.Errorf("ReadLogs(%q) = %v, want a problem", body, err)
		}
	}
	for _, body := range []string{`{}`, `{"session":""}`, `{"session":"` + strings.Repeat("s", 65) + `"}`,
		`{"session":"s","groups":[5]}`, `{"session":"s","groups":[{"tab":"x"}]}`} {
		if _, err := browser.ReadSync([]byte(body)); err == nil {
			t.Errorf("ReadSync(%q) is no problem", body)
		}
	}
	if _, err := browser.ReadLogs(make([]byte, browser.MaxBody+1)); problem.From(err).Code != problem.TooLarge {
		t.Errorf("a body over the bound: %v", err)
	}
}

func TestStringsAreRepaired(t *testing.T) {
	check := func(raw, want string) {
		t.Helper()
		d := readLogs(t, `{"message":"`+raw+`"}`)
		if got := all[event.Log](d.Upload.Batch)[0].Message; got != want || !utf8.ValidString(got) {
			t.Errorf("%q was read as %q, want %q", raw, got, want)
		}
	}
	check(`a\ud800b`, "a\uFFFDb")
	check(`\udc00\ud83d\ude00`, "\uFFFD\U0001F600")
	check(`\ud83dx`, "\uFFFDx")
	check(`\ud800\ud83d\ude00`, "\uFFFD\U0001F600")
	check("a\xffb", "a\uFFFDb")
	check(`\"\\\/\b\f\n\r\t\u00e9`, "\"\\/\b\f\n\r\té")
}

func TestLastOfTwoKeysCounts(t *testing.T) {
	d := readLogs(t, `{"message":"a","message":"b","unknown":{"x":[1,{"y":null}]},"line":1,"line":2}`)
	if l := all[event.Log](d.Upload.Batch)[0]; l.Message != "b" || l.Line != 2 {
		t.Errorf("read %+v", l)
	}
	m, err := browser.ReadSync(
		[]byte(`{"session":"s","groups":[{"logs":[{"message":"a"}],"logs":[{"message":"b"}],"document":"d"}]}`),
	)
	if err != nil || len(all[event.Log](m.Upload.Batch)) != 1 || all[event.Log](m.Upload.Batch)[0].Message != "b" ||
		all[event.Log](m.Upload.Batch)[0].Document != "d" {
		t.Errorf("read %+v, %v", m.Upload.Batch, err)
	}
}

func TestFieldsAreBounded(t *testing.T) {
	long := strings.Repeat("é", 6000)
	frames := strings.TrimSuffix(strings.Repeat(`{"function":"f"},`, 101), ",")
	d := readLogs(t, `{"message":"x`+long+`","stack":[`+frames+`]}`)
	l := all[event.Log](d.Upload.Batch)[0]
	if len(l.Message) > 10<<10 || !utf8.ValidString(l.Message) || len(l.Stack) != 100 || l.Flags&event.Truncated == 0 {
		t.Errorf("%d bytes of message, %d frames, flags %v", len(l.Message), len(l.Stack), l.Flags.Names())
	}
	f, err := browser.ReadMessages([]byte(`{"events":[{"event":"message","data":"` + long + `","size":-7,"code":-1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if e := all[event.Message](f.Upload.Batch)[0]; len(e.Data) != 4<<10 || e.Size != -1 || e.Code != 0 ||
		e.Flags&event.Truncated == 0 {
		t.Errorf("%d bytes of data, size %d, code %d", len(e.Data), e.Size, e.Code)
	}
}

func TestNumbersThatCannotBe(t *testing.T) {
	check := func(entry string, want time.Time, mono float64) {
		t.Helper()
		if h := all[event.Log](readLogs(t, entry).Upload.Batch)[0].Head; !h.Time.Equal(want) || h.Mono != mono {
			t.Errorf("%s: time %v, mono %v; want %v, %v", entry, h.Time, h.Mono, want, mono)
		}
	}
	check(`{"message":"a"}`, time.Time{}, 0)
	check(`{"message":"a","t":-5,"mono":-3}`, time.Time{}, 0)
	check(`{"message":"a","t":9e14,"mono":1e12}`, time.Time{}, 0)
	check(`{"message":"a","t":1763636400000.125,"mono":12.5}`, time.UnixMicro(1763636400000125), 12.5)
	check(`{"message":"a","t":1.763636400000125E+12,"mono":125e-1}`, time.UnixMicro(1763636400000125), 12.5)
}

func TestLevels(t *testing.T) {
	for level, want := range map[string]int{"debug": 5, "log": 9, "info": 9, "warn": 13, "error": 17, "": 9, "shout": 9} {
		if got := all[event.Log](readLogs(t, `{"message":"a","level":"`+level+`"}`).Upload.Batch)[0].Severity; got != want {
			t.Errorf("level %q has severity %d, want %d", level, got, want)
		}
	}
}

// Made-up documents cost no more than their bound.
func TestAnyNumberOfDocumentsIsBounded(t *testing.T) {
	uploads := browser.NewReceiver(newIngester(nowhere{}))
	for i := range 10_000 {
		name := fmt.Sprintf("%0128d", i)
		b := event.Batch{&event.Log{Head: event.Head{Session: "s", Document: name, Sender: 1}}}
		if _, err := uploads.Sync(t.Context(), ingest.Upload{Session: "s", Batch: b}); err != nil {
			t.Fatal(err)
		}
	}
	if n := browser.Documents(uploads); n > 4096 {
		t.Errorf("%d documents", n)
	}
}
