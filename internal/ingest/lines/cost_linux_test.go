package lines_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/ingest/lines"
	"github.com/brennhill/gasoline/internal/testkit/cpu"
)

// What a line costs grows with its length only.
func TestALineOfManyPairsIsReadInTime(t *testing.T) {
	for _, c := range []struct{ head, part, end string }{
		{"ERROR text ", "a=b ", "x"}, {"ERROR ", `a="b `, ""}, {"ERROR ", `a="`, ""}, {"ERROR ", "=!", ""}, {"", "a: ", ""},
		{"", "[", ""}, {"", "{\"a\":", ""}, {"", "aaaaaaaa-", ""}, {"\x1b", "[", ""},
	} {
		least := func(bytes int) time.Duration {
			reader := lines.Reader{}
			text := c.head + strings.Repeat(c.part, bytes/len(c.part)) + c.end
			return cpu.Least(t, 3, func() {
				b := reader.Add(lines.Line{Time: arrived, Text: text}, nil)
				if b = reader.Flush(b); len(b) == 0 {
					t.Errorf("%.40s is lost", text)
				}
			})
		}
		// Eight times the text may take three times eight times as long; with quadratic cost it would take 64 times as long.
		if few, many := least(30_000), least(240_000); many > 24*few+20*time.Millisecond {
			t.Errorf("%q: %v for 240 kB, %v for 30 kB", c.part, many, few)
		}
	}
}
