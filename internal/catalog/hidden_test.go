package catalog_test

import (
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/catalog"
)

// What is hidden is counted once for each event, and told by rule, the five first ones.
func TestWhatIsHiddenIsCounted(t *testing.T) {
	var none *catalog.Hidden
	if none.Count() != 0 || none.Note() != "" {
		t.Errorf("%d, %q", none.Count(), none.Note())
	}
	h := &catalog.Hidden{}
	if h.Count() != 0 || h.Note() != "" {
		t.Errorf("%d, %q", h.Count(), h.Note())
	}
	h.Add(1, "n1")
	h.Add(1, "n2") // the same event, read again
	h.Add(2, "n1")
	h.Add(3, "n2")
	if h.Count() != 3 || h.Note() != "noise rules hide 3 events here (n1 ×2, n2 ×1); noise:true shows them" {
		t.Errorf("%d, %q", h.Count(), h.Note())
	}
	for i := range uint64(5) {
		h.Add(10+i, strings.Repeat("x", int(i)+1))
	}
	if got, want := h.Note(), "noise rules hide 8 events here (n1 ×2, n2 ×1, x ×1, xx ×1, xxx ×1, 2 more); noise:true shows them"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	h.Broken("the file is no JSON")
	if got, want := h.Note(), "noise rules: the file is no JSON; nothing is hidden"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Above its bound the count is the least.
func TestTheCountOfTheHiddenIsBounded(t *testing.T) {
	h := &catalog.Hidden{}
	for i := range uint64(100_001) {
		h.Add(i, "n1")
	}
	if h.Count() != 100_000 || !strings.HasPrefix(h.Note(), "noise rules hide at least 100000 events") {
		t.Errorf("%d, %q", h.Count(), h.Note())
	}
}
