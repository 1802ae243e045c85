package observe

import (
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/answer"
)

// What is said of a cut takes room, which must not cost the longest line its place.
func TestALongLineIsCutToTheRoomThereIs(t *testing.T) {
	for _, size := range []int{5_800, 5_950, 6_000, 9_000, 16_000} {
		lines := []string{
			"r1 POST 500",
			"request body: {}",
			"response body: " + strings.Repeat("x", size),
			"page: http://localhost/",
		}
		w := answer.NewWriter(answer.DefaultBudget, "f")
		writeFitted(w, lines)
		got := w.String()
		if shown := strings.Count(got, "x"); shown < 5_000 || len(got) > answer.DefaultBudget ||
			strings.Count(got, "[+") > 1 {
			t.Errorf(
				"of %d characters %d are shown in an answer of %d: …%s",
				size,
				shown,
				len(got),
				got[max(0, len(got)-120):],
			)
		}
		for _, want := range []string{"r1 POST 500", "request body: {}", "page: http://localhost/"} {
			if !strings.Contains(got, want) {
				t.Errorf("%d: %q is missing", size, want)
			}
		}
	}
}
