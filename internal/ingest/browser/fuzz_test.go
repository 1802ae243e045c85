package browser_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/browser"
	"github.com/brennhill/gasoline/internal/wire"
)

// checkBatch holds what every batch promises, whatever the bytes were.
func checkBatch(t *testing.T, b event.Batch) {
	t.Helper()
	for _, e := range b {
		if h := e.Base(); h.Mono < 0 || h.Sender > 1<<53 {
			t.Errorf("head %+v", *h)
		}
	}
	for _, l := range all[event.Log](b) {
		if len(l.Message) > 10<<10 || len(l.Stack) > 100 || l.Line < 0 || l.Count < 0 || l.Severity < 1 ||
			!utf8.ValidString(l.Message) {
			t.Errorf("log %+v", l)
		}
		if l.Args != "" && !json.Valid([]byte(l.Args)) {
			t.Errorf("args %q", l.Args)
		}
	}
	for _, e := range all[event.Exchange](b) {
		if e.Duration < 0 || e.TTFB < 0 || e.RequestSize < -1 || e.Status < 0 || e.Outcome == "" {
			t.Errorf("exchange %+v", e)
		}
	}
	for _, f := range all[event.Message](b) {
		if len(f.Data) > 4<<10 || f.Size < -1 || f.Rate < 0 {
			t.Errorf("message %+v", f)
		}
	}
}

// all returns the events of one type.
func all[T any](b event.Batch) (out []*T) {
	for _, e := range b {
		if x, ok := any(e).(*T); ok {
			out = append(out, x)
		}
	}
	return out
}

func FuzzSync(f *testing.F) {
	f.Add(fixture(f, "sync"))
	f.Add(consoleUpload(2))
	f.Add([]byte(`{"session":"s","groups":[{"document":"d","logs":[{"seq":1,"message":"\ud800"}]}],"sent":1e400}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := browser.ReadSync(body)
		if err != nil {
			if json.Valid(body) && json.Unmarshal(body, &wire.Sync{}) == nil && len(m.Session) > 0 {
				t.Errorf("refused valid body: %v", err)
			}
			return
		}
		if !json.Valid(body) && utf8.Valid(body) {
			t.Errorf("took what is no JSON: %q", body)
		}
		checkBatch(t, m.Upload.Batch)
	})
}

// FuzzLogs compares with encoding/json: what both take, both read alike.
func FuzzLogs(f *testing.F) {
	f.Add(fixture(f, "logs"))
	f.Add([]byte(`{"entries":[{"message":"a","t":0.00000000000000000000000001}]}`))
	f.Add([]byte(`{"entries":[{"message":"a\u00e9\n","line":1,"t":1763636400000.125,"level":"warn"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := browser.ReadLogs(body)
		if err != nil {
			return
		}
		if !json.Valid(body) && utf8.Valid(body) {
			t.Errorf("took what is no JSON: %q", body)
		}
		checkBatch(t, d.Upload.Batch)
	})
}

func FuzzMessage(f *testing.F) {
	f.Add(`plain`)
	f.Add(`esc\n\ud83d\ude00\ud800`)
	f.Fuzz(func(t *testing.T, raw string) {
		body := []byte(`{"entries":[{"message":"` + raw + `"}]}`)
		var want struct{ Entries []struct{ Message string } }
		wantErr := json.Unmarshal(body, &want)
		d, err := browser.ReadLogs(body)
		if (err == nil) != (wantErr == nil) && utf8.Valid(body) {
			t.Fatalf("%q: %v, encoding/json: %v", raw, err, wantErr)
		}
		if err != nil || wantErr != nil || len(raw) > 1000 || len(all[event.Log](d.Upload.Batch)) != 1 ||
			!utf8.Valid(body) ||
			len(want.Entries) != 1 {
			return
		}
		if got := all[event.Log](d.Upload.Batch)[0].Message; got != want.Entries[0].Message && json.Valid(body) &&
			!hasOtherCase(body) {
			t.Fatalf("%q was read as %q, encoding/json: %q", raw, got, want.Entries[0].Message)
		}
	})
}

// hasOtherCase reports whether members are named like ours but for case, which only encoding/json takes for ours.
func hasOtherCase(body []byte) bool {
	var any map[string][]map[string]json.RawMessage
	if json.Unmarshal(body, &any) != nil {
		return true
	}
	return !reflect.DeepEqual(keys(any), []string{"entries"}) || len(any["entries"]) != 1 ||
		!reflect.DeepEqual(keys(any["entries"][0]), []string{"message"})
}

func keys[V any](m map[string]V) (ks []string) {
	for k := range m {
		ks = append(ks, k)
	}
	return ks
}

func FuzzSingleKinds(f *testing.F) {
	for i, r := range routes() {
		f.Add(i, fixture(f, r.name))
	}
	f.Fuzz(func(t *testing.T, which int, body []byte) {
		rs := routes()
		r := rs[((which%len(rs))+len(rs))%len(rs)]
		d, err := r.read(body)
		if err != nil {
			return
		}
		checkBatch(t, d.Upload.Batch)
		for i := 1; i < len(d.Rejected); i++ {
			if d.Rejected[i].Index <= d.Rejected[i-1].Index {
				t.Errorf("rejected %v", d.Rejected)
			}
		}
	})
}

// What is compared eight bytes at once is compared as byte by byte.
func TestPlainBytesEndWhereTheyDo(t *testing.T) {
	for b := range 256 {
		for at := range 20 {
			for _, next := range []byte{'x', 0x01, '"', 0xff} {
				text := []byte(strings.Repeat("x\x7f\xc3\xa9", 6))
				text[at], text[at+1] = byte(b), next
				want := len(text)
				for i, c := range text {
					if c < ' ' || c == '"' || c == '\\' {
						want = i
						break
					}
				}
				if got := browser.Plain(string(text), 0); got != want {
					t.Fatalf("%q: %d, want %d", text, got, want)
				}
			}
		}
	}
}
