package query_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/testkit"
)

// A reader passes over what is hidden wherever it looks for events, counts none of it, and gives what is asked for by its number.
func TestHiddenEventsArePassedOver(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	var batch event.Batch
	for i := range 40 {
		head := event.Head{Session: "s1", Tab: 12, TraceID: fmt.Sprintf("%032x", 1)}
		batch = append(batch, &event.Log{Head: head, Severity: event.SeverityError, Level: "error", Message: fmt.Sprint("line ", i%2)})
	}
	batch = append(batch, &event.DOM{Head: event.Head{Session: "s1", Tab: 12}, Type: "summary"})
	h.Store.Append(batch)
	logs := []event.Kind{event.KindLog}
	asked := 0
	r := h.Reader.Without(logs, func(it query.Item) bool {
		asked++
		l, ok := it.Event.(*event.Log)
		return ok && l.Message == "line 1"
	})
	ctx := context.Background()
	list, _, err := query.Read[event.Log](ctx, r, query.Filter{}, query.Page{Limit: 100}, nil)
	if err != nil || len(list.Items) != 20 || list.Total != -1 {
		t.Errorf("%d of %d, %v", len(list.Items), list.Total, err)
	}
	for _, l := range list.Items {
		if l.Message != "line 0" {
			t.Errorf("%q is shown", l.Message)
		}
	}
	page, _, err := query.Read[event.Log](ctx, r, query.Filter{}, query.Page{Limit: 5}, nil)
	if err != nil || len(page.Items) != 5 || page.Older == "" {
		t.Errorf("%d, older %q, %v", len(page.Items), page.Older, err)
	}
	if timeline, _, err := query.Timeline(ctx, r, nil, query.Filter{}, query.Page{}, nil); err != nil || len(timeline.Items) != 21 || timeline.Total != -1 {
		t.Errorf("%d of %d, %v", len(timeline.Items), timeline.Total, err)
	}
	n := 0
	if _, err := query.Survey(ctx, r, logs, query.Filter{}, func(query.Item) { n++ }); err != nil || n != 20 {
		t.Errorf("%d, %v", n, err)
	}
	// Kinds that nothing can be hidden of are counted as ever, and nobody is asked about them.
	asked = 0
	if sum, err := r.Sum(ctx, []event.Kind{event.KindDOM}, &query.Filter{}, 0, true); err != nil || sum.Passing != 1 || sum.Live != 1 || asked != 0 {
		t.Errorf("%+v, %v, asked %d times", sum, err, asked)
	}
	for _, kinds := range [][]event.Kind{logs, nil} {
		if sum, err := r.Sum(ctx, kinds, &query.Filter{}, 0, true); err != nil || sum.Passing != -1 || sum.Live != -1 || sum.Next != 42 {
			t.Errorf("%+v, %v", sum, err)
		}
	}
	if sum, err := r.Whole().Sum(ctx, logs, &query.Filter{}, 0, true); err != nil || sum.Passing != 40 || sum.Live != 40 {
		t.Errorf("whole: %+v, %v", sum, err)
	}
	if it, ok := r.Find(logs, 2); !ok || it.Event.(*event.Log).Message != "line 1" {
		t.Errorf("%+v, %v", it, ok)
	}
	if items, _, err := r.Trace(ctx, fmt.Sprintf("%032x", 1), 100); err != nil || len(items) != 40 {
		t.Errorf("%d of the trace, %v", len(items), err)
	}
}
