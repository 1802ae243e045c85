package query_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
)

// A finished test reads as the store read it, after it was cleared there; oldest tests go first.
func TestAFinishedTestReadsAsBefore(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	a := query.NewArchive(4000)
	for i := range 50 {
		test := fmt.Sprint("t", i)
		for n := range 3 {
			h := event.Head{TestID: test, Time: time.UnixMilli(int64(n + 1)).UTC(), TraceID: "q"}
			s.Append(
				event.Batch{
					&event.Exchange{Head: h, Method: "GET", URL: fmt.Sprint("/", n), Status: 200, ResponseBody: "body"},
					&event.Mark{Head: h},
				},
			)
		}
		before, _, err := query.ReadBodies(t.Context(), r, query.Filter{TestID: test}, query.Page{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Keep(t.Context(), r, test); err != nil {
			t.Fatal(err)
		}
		s.Clear(store.Scope{TestID: test})
		old, ok := a.Open(test)
		if !ok {
			t.Fatalf("%s is not kept", test)
		}
		after, cover, err := query.ReadBodies(t.Context(), old, query.Filter{TestID: test}, query.Page{}, nil)
		if err != nil || !cover.Whole() {
			t.Fatalf("%+v, %v", cover, err)
		}
		check(t, "exchanges", after.Items, before.Items)
		last, _, _ := query.ReadBodies(t.Context(), old, query.Filter{}, query.Page{Limit: 1}, nil)
		check(t, "the newest", []any{len(last.Items), last.Items[0].URL, last.Older != ""}, []any{1, "/2", true})
	}
	if _, ok := a.Open("t0"); ok {
		t.Error("the oldest test was kept beyond the bound")
	}
}
