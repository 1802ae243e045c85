package interact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/command"
)

// Whatever a page writes, a receipt stays within its bytes and keeps what failed.
func TestAReceiptIsBounded(t *testing.T) {
	for _, receipt := range []string{"brief", "full"} {
		t.Run(receipt, func(t *testing.T) { bounded(t, roomOf(receipt)) })
	}
}

func bounded(t *testing.T, most room) {
	for name, text := range map[string]string{
		"plain": strings.Repeat("x", 400), "quotes": strings.Repeat(`"\`, 200), "wide": strings.Repeat("\u2028界", 200), "control": strings.Repeat("\x01", 400),
	} {
		r := &command.Receipt{From: text, To: text, Changes: make([]string, 8), Busy: make([]string, 5), Stored: make([]string, most.stored), SettledMS: 2000}
		for i := range r.Stored {
			r.Stored[i] = text
		}
		for range most.messages {
			r.Messages = append(r.Messages, command.CausedMessage{
				Handle: "w123456789", Direction: "incoming", Path: text, Size: 1 << 30, Text: text, Inferred: true,
			})
		}
		for i := range r.Changes {
			r.Changes[i] = text
		}
		for i := range r.Busy {
			r.Busy[i] = text
		}
		for range most.errors {
			r.Errors = append(r.Errors, command.CausedError{Handle: "x123456789", Text: text, At: text, Inferred: true})
		}
		for i := range most.calls {
			status := 200
			if i == 0 {
				status = 500
			}
			r.Requests = append(r.Requests, command.CausedCall{
				Handle: "r123456789", Method: text, Path: text, Status: status, Outcome: "network_error", Body: text, Inferred: true,
			})
		}
		bound(r, most.bytes)
		got, err := json.Marshal(r)
		if err != nil || len(got) > most.bytes {
			t.Errorf("%s: %d bytes, want at most %d: %v\n%s", name, len(got), most.bytes, err, got)
		}
		if len(r.Errors) == 0 || len(r.Requests) == 0 || r.Requests[0].Status != 500 {
			t.Errorf("%s: what failed is gone: %s", name, got)
		}
	}
}
