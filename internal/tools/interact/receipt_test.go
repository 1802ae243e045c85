package interact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/command"
)

// Whatever a page writes, a receipt stays within its bytes and keeps what failed.
func TestAReceiptIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"plain": strings.Repeat("x", 400), "quotes": strings.Repeat(`"\`, 200), "wide": strings.Repeat("\u2028界", 200), "control": strings.Repeat("\x01", 400),
	} {
		r := &command.Receipt{From: text, To: text, Changes: make([]string, 8), Busy: make([]string, 5), Stored: make([]string, mostStored), SettledMS: 2000}
		for i := range r.Stored {
			r.Stored[i] = text
		}
		for range mostMessages {
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
		for range mostErrors {
			r.Errors = append(r.Errors, command.CausedError{Handle: "x123456789", Text: text, At: text, Inferred: true})
		}
		for i := range mostCalls {
			status := 200
			if i == 0 {
				status = 500
			}
			r.Requests = append(r.Requests, command.CausedCall{
				Handle: "r123456789", Method: text, Path: text, Status: status, Outcome: "network_error", Body: text, Inferred: true,
			})
		}
		bound(r)
		got, err := json.Marshal(r)
		if err != nil || len(got) > receiptBytes {
			t.Errorf("%s: %d bytes, want at most %d: %v\n%s", name, len(got), receiptBytes, err, got)
		}
		if len(r.Errors) == 0 || len(r.Requests) == 0 || r.Requests[0].Status != 500 {
			t.Errorf("%s: what failed is gone: %s", name, got)
		}
	}
}
