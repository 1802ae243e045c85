package answer_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
)

// unseen are characters that nobody sees or that change how others are shown, one of each kind.
var unseen = []rune{
	0x7f, 0x85, 0x9b, 0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180b, 0x180e, 0x200b, 0x200e, 0x202e, 0x2028, 0x2060, 0x2065, 0x2066, 0x2800,
	0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff0, 0xfff9, 0x1bca0, 0x1d173, 0xe0001, 0xe0041, 0xe0100, 0xe01ef, 0x200d,
}

func TestNothingIsHidden(t *testing.T) {
	for _, r := range unseen {
		for _, s := range []string{"a" + string(r) + "b", string(r), "\u4e2d" + string(r), "1" + string(r)} {
			if got := answer.Clean(s); strings.ContainsRune(got, r) {
				t.Errorf("%U of %q is left", r, s)
			}
			plain, err := json.Marshal(map[string]string{s: s})
			if err != nil {
				t.Fatal(err)
			}
			escaped := answer.EscapeJSON(plain)
			if strings.ContainsRune(string(escaped), r) {
				t.Errorf("JSON: %U of %q is left", r, s)
			}
			var back map[string]string
			if err := json.Unmarshal(escaped, &back); err != nil || back[s] != s {
				t.Errorf("%s is read as %q, %v", escaped, back, err)
			}
			text, _, err := answer.Render(catalog.Outcome{Value: map[string]string{s: s}, AsJSON: true}, answer.Options{})
			if err != nil || strings.ContainsRune(text, r) {
				t.Errorf("an answer in JSON: %U of %q is left, %v", r, s, err)
			}
		}
	}
	// Every character that Unicode calls ignorable, and every one of its format characters.
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
			strings.ContainsRune(answer.Clean("a"+string(r)+"b"), r) {
			t.Errorf("%U is left", r)
		}
	}
}

// Emoji stay as they are; what is hidden behind them does not.
func TestEmojiStay(t *testing.T) {
	for _, s := range []string{
		"✅ 3", "❤️", "1️⃣ #️⃣ *️⃣", "👩\u200d💻", "👩🏽\u200d🚀", "🏳️\u200d🌈", "👨\u200d👩\u200d👧\u200d👦", "©️ ↔️ ‼️ ☎︎", "🇩🇪", "日本語", "naïve", "ﷺ",
	} {
		if got := answer.Clean(s); got != s {
			t.Errorf("%q becomes %q", s, got)
		}
	}
	for _, s := range []string{
		"😀\ufe0f\ufe0f\ufe0e", "😀\ufe00\ufe01", "😀\u200d\u200d😀", "😀\u200dx", "😀\U000e0101", "🏴\U000e0067\U000e007f", "1\ufe0f", "e\ufe0f\u20e3",
	} {
		if got := answer.Clean(s); !strings.Contains(got, `\u{`) {
			t.Errorf("%q stays %q", s, got)
		}
	}
}
