package analyze_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
)

// busy fills a daemon with what a long session of an app with an API of many endpoints leaves.
func busy(t testing.TB, requests, endpoints, items int) *testkit.Daemon {
	h := testkit.NewDaemon(t, 0)
	for i := range requests {
		at := time.Now().Add(time.Duration(i-requests) * time.Millisecond)
		head := event.Head{
			Time: at, Received: at, Session: "s1", Tab: 12, Document: fmt.Sprint("D", i/100), PageURL: "http://localhost:3000/",
			Cause: event.Cause{Action: fmt.Sprint("u", i)},
		}
		name := strings.NewReplacer("0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j").
			Replace(fmt.Sprint(i % endpoints))
		x := &event.Exchange{
			Head: head, RequestID: fmt.Sprint("q", i), Method: "GET", URL: "http://localhost:3000/api/" + name, Status: 200, Outcome: "ok",
			ContentType: "application/json", Initiator: event.Initiator{Type: "fetch"}, Started: at, Duration: time.Millisecond,
			ResponseBody: fmt.Sprintf(`{"id":%d,"items":[%s{"sku":"last","n":2}]}`, i, strings.Repeat(`{"sku":"mug","n":1,"price":12.5},`, items)),
		}
		click := &event.Action{Head: head, Type: "click", By: "user", Role: "button", Name: name, Locators: []event.Locator{{Kind: "testid", Value: name}}}
		visit := &event.Lifecycle{Head: head, State: "navigate", Trigger: "push", ToURL: "http://localhost:3000/" + name}
		h.Store.Append(event.Batch{x, click, visit})
	}
	return h
}

func asked(t testing.TB, h *testkit.Daemon, args string) string {
	b := catalog.Bind(analyze.Tool, over(h), nil)
	out, err := b.Call(t.Context(), catalog.Call{Client: "agent"}, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := answer.Render(out, answer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestManyEndpointsAreBounded(t *testing.T) {
	h := busy(t, 12_000, 11_000, 0)
	text := asked(t, h, `{"what":"api_validation"}`)
	if !strings.Contains(text, "0 deviations of 6000 endpoints") || !strings.Contains(text, "looked at the newest 6000, more are kept") ||
		len(text) > 2500 {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	if text := asked(t, h, `{"what":"navigation_patterns"}`); len(text) > 2500 || !strings.Contains(text, "more; raise limit or budget") {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}

func BenchmarkModes(b *testing.B) {
	h := busy(b, 20_000, 50, 20)
	for _, mode := range []string{"api_validation", "navigation_patterns", "performance"} {
		b.Run(mode, func(b *testing.B) {
			for b.Loop() {
				asked(b, h, `{"what":"`+mode+`"}`)
			}
		})
	}
}
