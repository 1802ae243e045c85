package observe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

func headAt(at time.Time) event.Head {
	return event.Head{Session: "s", Tab: 1, Document: "D", Time: at, Received: at, PageURL: "http://localhost/"}
}

// An error in a flood is told with a part of what was around it, and says so; one beside it is told whole.
func TestABundleSaysThatNotAllAroundItWasLookedAt(t *testing.T) {
	s := newStore(t, 0)
	at := time.Now().Add(-time.Hour)
	s.Append(event.Batch{
		&event.Action{Head: headAt(at.Add(-time.Second)), Type: "click", Name: "Pay"},
		&event.Exception{Head: headAt(at), Message: "in the flood"},
	})
	flood := make([]event.Log, 25_000)
	for i := range flood {
		flood[i] = event.Log{
			Head:     headAt(at.Add(time.Duration(i) * time.Microsecond)),
			Severity: 9,
			Level:    "info",
			Message:  "noise",
		}
	}
	s.Append(event.Of(flood))
	s.Append(event.Batch{&event.Exception{Head: headAt(at.Add(time.Minute)), Message: "later"}})
	tool := over(s)
	for _, limit := range []string{"", `,"limit":10`} {
		text := ask(t, tool, `{"what":"error_bundles","tab":1,"url":"localhost"`+limit+`}`)
		if strings.Count(text, "not all that was around it was looked at") != 1 {
			t.Errorf("limit %q: %s", limit, text)
		}
		json := ask(t, tool, `{"what":"error_bundles","tab":1,"as":"json"`+limit+`}`)
		older, newer, _ := strings.Cut(json, `"later"`)
		if !strings.Contains(older, `"context_incomplete":true`) || strings.Contains(newer, "context_incomplete") {
			t.Errorf("limit %q: %.600s … %.600s", limit, older, newer)
		}
	}
}

// What a tab's page has that is not captured is looked for among its newest requests, and where these are not all that
// is said.
func TestWhatIsNotCapturedIsKnownOrSaidNotToBe(t *testing.T) {
	s := newStore(t, 0)
	at := time.Now().Add(-time.Minute)
	s.Append(event.Batch{&event.Lifecycle{Head: headAt(at), State: "document_start", ToURL: "http://localhost/"}})
	add := func(n int) {
		for range n {
			s.Append(event.Batch{
				&event.ResourceTiming{Head: headAt(at), URL: "http://localhost/a.png", InitiatorType: "img"},
				&event.Exchange{Head: headAt(at), URL: "http://localhost/api", Method: "GET", Status: 200},
				&event.Lifecycle{Head: headAt(at), State: "navigate", ToURL: "http://localhost/#x"},
			})
		}
	}
	add(100)
	if text := ask(t, over(s), `{"what":"errors","tab":1}`); strings.Contains(text, "is not known") {
		t.Errorf("all were looked at: %s", text)
	}
	add(2000)
	text := ask(t, over(s), `{"what":"errors","tab":1}`)
	for _, want := range []string{
		"whether more iframes are not captured is not known", "whether the tab has workers",
		"whether capture began with this page is not known",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said: %s", want, text)
		}
	}
}

// A visit says when what came before it was not looked at, in the list and alone.
func TestAVisitSaysThatWhatCameBeforeWasNotLookedAt(t *testing.T) {
	s := newStore(t, 0)
	at := time.Now().Add(-time.Minute)
	s.Append(event.Batch{
		&event.Lifecycle{Head: headAt(at), State: "document_start", ToURL: "http://localhost/"},
		&event.Action{Head: headAt(at.Add(time.Second)), Type: "click", Name: "Cart", Role: "link"},
		&event.Lifecycle{Head: headAt(at.Add(2 * time.Second)), State: "navigate", ToURL: "http://localhost/cart"},
	})
	const words = "what came before it was not looked at"
	if text := ask(t, over(s), `{"what":"history","tab":1}`); strings.Contains(text, words) {
		t.Errorf("all was looked at: %s", text)
	}
	actions := make([]event.Action, 20_001)
	for i := range actions {
		actions[i] = event.Action{Head: headAt(at.Add(3 * time.Second)), Type: "scroll"}
	}
	s.Append(event.Of(actions))
	text := ask(t, over(s), `{"what":"history","tab":1}`)
	if strings.Count(text, words) != 2 {
		t.Errorf("two visits: %s", text)
	}
	_, rest, _ := strings.Cut(text, "instructions>\n")
	id, _, _ := strings.Cut(rest, " ")
	if text := ask(t, over(s), `{"what":"history","id":"`+id+`"}`); !strings.Contains(text, words) {
		t.Errorf("alone: %s", text)
	}
}

// The size of a cut answer comes from a timing only where that is surely its own.
func TestASizeIsNotTakenFromATimingThatMayBeAnothers(t *testing.T) {
	for _, c := range []struct {
		others int
		gap    time.Duration
		size   int
	}{{10, 5 * time.Second, 777}, {4100, 5 * time.Second, -1}, {4100, 0, 777}} {
		s := newStore(t, 0)
		at := time.Now().Add(-time.Minute)
		s.Append(event.Batch{&event.Exchange{
			Head: headAt(
				at,
			), Method: "GET", URL: "http://localhost/big", Status: 200, Started: at, ResponseSize: -1,
			RequestSize: -1, TransferSize: -1,
			ResponseBody: "cut", ResponseBodyNote: "truncated",
		}})
		others := make([]event.ResourceTiming, c.others)
		for i := range others {
			others[i] = event.ResourceTiming{Head: headAt(at), URL: fmt.Sprint("http://localhost/", i), DecodedSize: 5}
		}
		s.Append(event.Of(others))
		s.Append(
			event.Batch{
				&event.ResourceTiming{Head: headAt(at.Add(c.gap)), URL: "http://localhost/big", DecodedSize: 777},
			},
		)
		if json := ask(t, over(s), `{"what":"network_bodies","tab":1,"as":"json"}`); !strings.Contains(
			json,
			fmt.Sprintf(`"response":%d`, c.size),
		) {
			t.Errorf("%+v: %s", c, json)
		}
	}
}
