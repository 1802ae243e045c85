package analysis_test

import (
	"testing"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/analysis"
)

func TestLinesThatSayTheSameHaveOneFingerprint(t *testing.T) {
	for _, same := range [][]string{
		{"heartbeat 1 took 12ms", "heartbeat 27 took 9ms"},
		{`retrying "a" for 'x'`, `retrying "b c" for 'yz'`},
		{"user 550e8400-e29b-41d4-a716-446655440000 left", "user 123e4567-e89b-12d3-a456-426614174000 left"},
		{"commit deadbeef1 at 0xff", "commit 1234abc9 at 0x00a1"},
		{"3 of 4 items, 2.5 s", "10 of 400 items, 12.75 s"},
	} {
		if a, b := analysis.Fingerprint(same[0]), analysis.Fingerprint(same[1]); a != b {
			t.Errorf("%q and %q: %q and %q", same[0], same[1], a, b)
		}
	}
	for _, different := range [][]string{{"payment failed", "payment done"}, {"don't stop", "don't go"},
		{"face", "cafe"}} {
		if a, b := analysis.Fingerprint(different[0]), analysis.Fingerprint(different[1]); a == b {
			t.Errorf("%q and %q are both %q", different[0], different[1], a)
		}
	}
}

func FuzzFingerprint(f *testing.F) {
	f.Add(`a "b" 'c' 12ms 550e8400-e29b-41d4-a716-446655440000 ä`)
	f.Add("'\"`")
	f.Fuzz(func(t *testing.T, s string) {
		got := analysis.Fingerprint(s)
		if !utf8.ValidString(got) {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func TestFingerprintKeepsWords(t *testing.T) {
	for in, want := range map[string]string{
		`Cannot read "a" of undefined at 0x1f`:              `Cannot read "…" of undefined at #`,
		`user 3f2504e0-4f89-11d3-9a0c-0305e82c3301 is gone`: `user # is gone`,
		`decade of facade`:                                  `decade of facade`,
		`took 12.5 ms`:                                      `took #.# ms`,
	} {
		if got := analysis.Fingerprint(in); got != want {
			t.Errorf("Fingerprint(%q) = %q, want %q", in, got, want)
		}
	}
}
