package redact

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A text of words that many known values begin with is read in time, and the newest of those are still found.
func TestManyKnownValuesThatBeginAlike(t *testing.T) {
	r := New(Rules{})
	words := strings.Repeat("Abcdef12 ", 80_000)
	for n := 100; n < 4000; n += 2 {
		r.Text(`{"password":"` + words[:n-1] + `x9"}`)
	}
	secret := "Abcdef12 of mine, 7"
	r.Text(fmt.Sprintf(`{"password":%q}`, secret))
	begin := time.Now()
	out := r.Text(words + secret + " and so on")
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if strings.Contains(out, "of mine") || !strings.HasSuffix(out, " and so on") {
		t.Errorf("…%s", out[len(out)-60:])
	}
}
