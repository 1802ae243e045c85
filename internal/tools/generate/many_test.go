package generate_test

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
	"github.com/brennhill/gasoline/internal/tools/generate"
)

// harOf returns the archive that the daemon makes with the parameters.
func harOf(t *testing.T, h *testkit.Daemon, params string) string {
	t.Helper()
	b := catalog.Bind(generate.Tool, func(c catalog.Call) generate.Env {
		return generate.Env{View: h.View(c), Dir: h.Dir, Recorder: h.Recorder, Version: "1.0.0"}
	}, nil)
	out, err := b.Call(
		t.Context(),
		catalog.Call{Client: "agent"},
		json.RawMessage(`{"format":"har","as":"json",`+params+`}`),
	)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := answer.Render(out, answer.Options{Uncut: true})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// An archive holds everything that is kept, with the phases and load times of all of it.
func TestAnArchiveHoldsAllThatIsKept(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	at := time.Now()
	for i := range 150 {
		at = at.Add(time.Millisecond)
		url := fmt.Sprintf("http://localhost:3000/%d", i)
		head := event.Head{Time: at, Received: at, Session: "s1", Tab: 12, Document: fmt.Sprint("D", i), PageURL: url}
		h.Store.Append(event.Batch{
			&event.Exchange{
				Head:     head,
				Method:   "GET",
				URL:      url,
				Status:   200,
				Started:  at.Add(-9 * time.Millisecond),
				Duration: 9 * time.Millisecond,
				Outcome:  "ok",
			},
			&event.ResourceTiming{Head: head, URL: url, Duration: 9, Wait: 2, Receive: 7},
			&event.Performance{Head: head, URL: url, Load: 77},
		})
	}
	text := harOf(t, h, `"scope":"all"`)
	for _, want := range []string{`"method":"GET"`, `"receive":7`, `"onLoad":77`} {
		if n := strings.Count(text, want); n != 150 {
			t.Errorf("%s stands %d times, want 150", want, n)
		}
	}
}

// Phases and load times are of the test that is asked for, though another loads the same URL in the same document.
func TestTimingsAreOfTheTestAskedFor(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	at := time.Now()
	for i, test := range []string{"t1", "t2", "t3"} {
		at = at.Add(time.Millisecond)
		head := event.Head{Time: at, Received: at, Session: "s1", Tab: 1, Document: "D", TestID: test}
		h.Store.Append(event.Batch{
			&event.Exchange{
				Head: head, Method: "GET", URL: "http://a", Status: 200, Started: at, Duration: 9 * time.Millisecond, Outcome: "ok",
			},
			&event.ResourceTiming{Head: head, URL: "http://a", Duration: 9, Wait: float64(1 + i), Receive: float64(8 - i)},
			&event.Performance{Head: head, URL: "http://a", Load: float64(81 + i)},
		})
	}
	text := harOf(t, h, `"scope":"all","test_id":"t2"`)
	for _, want := range []string{`"receive":7`, `"onLoad":82`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}
