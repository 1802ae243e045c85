package bridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// What the bridge lets through, the daemon's decoder takes: else it would end the connection with
// everybody's calls.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","id":"\ud800","method":"x"}`, `{"jsonrpc":"2.0","method":"x","id":null}`,
		`{"jsonrpc":"2.0","id":-5,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":1e3,"method":"x"}`, `{"jsonrpc":"2.0","id":99999999999999999999,"method":"x"}`,
		`{"jsonrpc":"2.0","id":9007199270000001,"method":"x"}`, `{"jsonrpc":"2.0","id":1,"result":null}`,
		`{"jsonrpc":"2.0","id":1,"error":"x"}`, `{"jsonrpc":"2.0","id":1,"error":null}`, `[1]`,
		`{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`, `{"jsonrpc":"2.0","id":1,"method":null}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if !json.Valid(line) || bytes.ContainsAny(line, "\n") {
			return
		}
		m, err := parse(line)
		if err != nil || deeper(line, maxDepth) {
			return
		}
		got, err := jsonrpc.DecodeMessage(line)
		if err != nil {
			t.Fatalf("the daemon refuses %q: %v", line, err)
		}
		req, isRequest := got.(*jsonrpc.Request)
		if isRequest != (m.method != "") || isRequest && (req.Method != m.method || req.ID.IsValid() != (m.id != "")) {
			t.Fatalf("%q: read as %+v, by the daemon as %+v", line, m, got)
		}
		if m.request() {
			// The answer carries the id as the daemon spells it.
			back, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: req.ID, Result: json.RawMessage(`{}`)})
			if err != nil {
				t.Fatal(err)
			}
			if a, err := parse(back); err != nil || a.id != m.id {
				t.Fatalf("%q came back as %q: %q, want %q (%v)", line, back, a.id, m.id, err)
			}
		}
	})
}

func FuzzReadLine(f *testing.F) {
	f.Add([]byte("a\n\xef\xbb\xbfb\r\n\n c "), 8)
	f.Add([]byte(strings.Repeat("x", 300)+"\nshort\n"), 100)
	f.Add([]byte("\n"), 1)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		if limit < 1 || limit > 1<<16 {
			return
		}
		in := bufio.NewReaderSize(bytes.NewReader(data), 16)
		var want []string
		for _, l := range strings.SplitAfter(string(data), "\n") {
			if len(l) > limit {
				want = append(want, "LONG")
			} else {
				want = append(want, string(bytes.TrimSpace(bytes.TrimPrefix([]byte(l), []byte("\xef\xbb\xbf")))))
			}
		}
		var got []string
		for {
			line, err := readLine(in, limit)
			switch {
			case errors.Is(err, errLong):
				got = append(got, "LONG")
				continue
			case err == nil || errors.Is(err, io.EOF):
				got = append(got, string(line))
			}
			if err != nil {
				break
			}
		}
		// A long last line is followed by an empty one, for its end.
		if strings.TrimRight(
			strings.Join(got, "\x00"),
			"\x00",
		) != strings.TrimRight(
			strings.Join(want, "\x00"),
			"\x00",
		) {
			t.Fatalf("%q: got %q, want %q", data, got, want)
		}
	})
}
