package calls

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/problem"
)

func TestTheLogIsBoundedAndCountsWhatIsGone(t *testing.T) {
	var l Log
	for range maxKept + 5 {
		l.Add(Record{Tool: "observe", Mode: "logs"})
	}
	all := func(*Record) bool { return true }
	if found, gone := l.Records(all); len(found) != maxKept || gone != 5 || found[0].ID != 6 {
		t.Errorf("%d calls are kept from %d on and %d are gone, want %d from 6 on and 5", len(found), found[0].ID, gone, maxKept)
	}
	for range 3 {
		l.Add(Record{Tool: "interact", Args: strings.Repeat("x", maxBytes/2), Err: problem.Timeout})
	}
	found, gone := l.Records(all)
	bytes := 0
	for i := range found {
		bytes += found[i].bytes()
	}
	if len(found) != 1 || bytes > maxBytes || gone != maxKept+7 || bytes != l.bytes {
		t.Errorf("%d calls of %d bytes are kept and %d are gone", len(found), bytes, gone)
	}
	if n := l.Clear(); n != 1 || l.bytes != 0 {
		t.Errorf("cleared %d, and %d bytes are left", n, l.bytes)
	}
	if c := l.Counts(); c.Total != maxKept+8 || c.Errors != 3 || c.ByTool["interact"] != 3 {
		t.Errorf("the counts are %+v", c)
	}
}

func TestEnteredTextsAndSecretsAreNotKept(t *testing.T) {
	clean := func(s string) string { return strings.ReplaceAll(s, "sk_live", "***") }
	for _, c := range []struct{ tool, mode, args, want string }{
		{"interact", "type", `{"action":"type","ref":"e1","text":"pässword"}`, `{"action":"type","ref":"e1","text":"(8 characters)"}`},
		{"interact", "batch", `{"steps":[{"text":"a","fields":[{"value":"bc"},{"value":true}]}]}`, `{"steps":[{"fields":[{"value":"(2 characters)"},{"value":true}],"text":"(1 characters)"}]}`},
		{"interact", "key_press", `{"text":"Enter"}`, `{"text":"Enter"}`},
		// By other spellings and names, as numbers, in lists that are given as text.
		{"interact", "type", `{"Text":"pw","TEXT":"pw","value":"pw"}`, `{"TEXT":"(2 characters)","Text":"(2 characters)","value":"(2 characters)"}`},
		{"interact", "type", `{"text":483920}`, `{"text":"(a number)"}`},
		{"interact", "fill_form", `{"fields":[{"ref":"e1","checked":"pw"},{"values":["pw"]}]}`, `{"fields":[{"checked":"(2 characters)","ref":"e1"},{"values":"(1 items)"}]}`},
		{"interact", "fill_form", `{"fields":" [{\"value\":\"pw\"}]"}`, `{"fields":[{"value":"(2 characters)"}]}`},
		{"interact", "batch", `{"steps":["{\"text\":\"pw\"}"]}`, `{"steps":[{"text":"(2 characters)"}]}`},
		{"interact", "paste", `{"text":"pw","html":"<b>pw</b>"}`, `{"html":"(9 characters)","text":"(2 characters)"}`},
		{"interact", "click", `{"ref":"e1","dialog_text":"pw"}`, `{"dialog_text":"(2 characters)","ref":"e1"}`},
		{"interact", "key_press", `{"text":"Enter","dialog_text":"pw"}`, `{"dialog_text":"(2 characters)","text":"Enter"}`},
		// What is to be typed later.
		{"configure", "playback", `{"recording_id":"rec-1","values":{"3":"pw"}}`, `{"recording_id":"rec-1","values":"(1 members)"}`},
		{"configure", "save_sequence", `{"name":"a","steps":[{"action":"type","text":"pw"}]}`, `{"name":"a","steps":[{"action":"type","text":"(2 characters)"}]}`},
		{"configure", "replay_sequence", `{"override_steps":[null,{"text":"pw"}]}`, `{"override_steps":[null,{"text":"(2 characters)"}]}`},
		{"configure", "store", `{"key":"a","value":"pw","data":{"b":"pw"}}`, `{"data":"(1 members)","key":"a","value":"(2 characters)"}`},
		{"observe", "logs", `{"url":"sk_live","text":"shown"}`, `{"text":"shown","url":"***"}`},
		{"observe", "logs", `{}`, ``},
		{"observe", "logs", `[1`, ``},
		{"observe", "logs", `{"a":"` + strings.Repeat("x", maxRead) + `"}`, `(65544 bytes)`},
	} {
		if got := argsOf(c.tool, c.mode, json.RawMessage(c.args), clean); got != c.want {
			t.Errorf("of %.60s is kept %s, want %s", c.args, got, c.want)
		}
	}
	long := argsOf("observe", "logs", json.RawMessage(`{"a":"`+strings.Repeat("x", 1000)+`"}`), nil)
	if n := len([]rune(long)); n > maxArgs {
		t.Errorf("%d characters are kept, want at most %d", n, maxArgs)
	}
}
