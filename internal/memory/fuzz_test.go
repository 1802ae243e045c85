package memory

import (
	"bytes"
	"testing"
)

// Whatever the file holds, it is refused with a line of it, or it comes back as it was when it is written and read again.
func FuzzDecode(f *testing.F) {
	good := `{"version": 1, "names": {"a": {"url": "http://localhost/*", "role": "button", "name": "A<>&\u2028", "tag": "b",
"locators": ["#a", "role=x[name=\"y\"]"], "learned": "2026-02-01", "verified": "2026-02-01", "by": "c"}}}`
	for _, seed := range []string{
		"", good, `{"version":2}`, `{"version":1,"names":{"a":null}}`, `{"names":{},"version":1}`, `{"version":1,"version":1}`,
		"{\"version\":1,\n<<<<<<< a\n", `{"version":1,"names":{"a":{}}}`, "\xef\xbb\xbf{}", `{"Version":1,"NAMES":{}}`,
		`{"version":1,"names":{"a":{"URL":"x"}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, fault := decode(data)
		if fault != nil {
			if lines := 1 + bytes.Count(data, []byte("\n")); fault.line < 1 || fault.line > lines || fault.what == "" {
				t.Fatalf("line %d of %d: %q", fault.line, lines, fault.what)
			}
			return
		}
		first, err := encode(all)
		if err != nil {
			t.Fatal(err)
		}
		again, fault := decode(first)
		if fault != nil {
			t.Fatalf("what was written is refused: line %d: %s\n%s", fault.line, fault.what, first)
		}
		second, err := encode(again)
		if err != nil || !bytes.Equal(first, second) || len(again) != len(all) {
			t.Fatalf("written again:\n%s\nbefore:\n%s", second, first)
		}
	})
}
