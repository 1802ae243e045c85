package configure_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/configure"
)

// Large bodies do not take the room of the requests: they are cut. A recording of nothing is an empty list.
func TestBodiesMakeRoomForRequests(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	made := env(t, configure.Limits{})
	b := catalog.Bind(configure.Tool, func(c catalog.Call) configure.Env { return made(h, c) }, nil)
	type recorded struct {
		Count    int
		Requests []struct {
			Method           string
			RequestBody      string `json:"request_body"`
			ResponseBody     string `json:"response_body"`
			ResponseBodyNote string `json:"response_body_note"`
		}
	}
	call := func(operation string) (out recorded, text string) {
		t.Helper()
		got, err := b.Call(t.Context(), catalog.Call{Client: "agent"},
			json.RawMessage(`{"action":"network_recording","as":"json","operation":"`+operation+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		text, _, err = answer.Render(got, answer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		return out, text
	}
	call("start")
	var list []event.Event
	for _, body := range []string{"small", strings.Repeat("x", 50_000), strings.Repeat("y", 7000), ""} {
		now := time.Now()
		list = append(list, &event.Exchange{
			Head: event.Head{Session: "s1", Tab: 12, Time: now, Received: now}, Method: "GET", URL: "http://localhost:3000/api",
			Status: 200, Outcome: "ok", Started: now, ResponseBody: body,
		})
	}
	h.Store.Append(list)
	got, text := call("stop")
	if got.Count != 4 || len(got.Requests) != 4 {
		t.Fatalf("%d of %d requests: %.600s", len(got.Requests), got.Count, text)
	}
	if r := got.Requests; r[0].ResponseBody != "small" || !strings.HasSuffix(r[1].ResponseBody, "x…[+42500 bytes]") || len(r[2].ResponseBody) != 7000 || r[3].ResponseBodyNote != "" {
		t.Errorf("%.900s", text)
	}
	call("start")
	if _, text := call("stop"); !strings.Contains(text, `"requests":[]`) {
		t.Errorf("a recording of nothing: %s", text)
	}
}
