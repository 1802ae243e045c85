package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit"
)

// A request whose client has gone while it reads the store ends soon after, and gives no answer that looks whole.
func TestReadsEndInTheMiddle(t *testing.T) {
	const events, looks, further = 1500, 6, 6
	r := newRig(t)
	for range events {
		h := event.Head{Session: "s", Tab: 1, Time: time.Now(), Received: time.Now(), TestID: "t1"}
		r.store.Append(event.Batch{
			&event.Log{Head: h, Level: "info", Severity: 9, Message: "x"}, &event.Exception{Head: h, Message: "x"},
			&event.Message{Head: h, Connection: "c", Event: "message"}, &event.Exchange{Head: h, URL: "http://localhost/"},
			&event.Action{Head: h, Type: "click"},
		})
	}
	for _, path := range []string{
		"/snapshot", "/snapshot?test_id=t1", "/buffers/timeline?q=nowhere", "/query?where=message+~+nowhere",
		"/query?group=kind",
	} {
		get := func(last int) (*testkit.Looks, *httptest.ResponseRecorder) {
			ctx := testkit.NewLooks(t.Context(), last)
			req := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
			req.Host = fmt.Sprintf("127.0.0.1:%d", r.port)
			req.Header.Set("Authorization", "Bearer "+r.token)
			w := httptest.NewRecorder()
			r.api.ServeHTTP(w, req)
			return ctx, w
		}
		whole, w := get(0)
		all := whole.Count()
		if w.Code != http.StatusOK || all < looks {
			t.Errorf("%s: %d, looks %d times whether it is over, with %d events: %.200s", path, w.Code, all, events, w.Body)
		}
		for _, n := range testkit.Samples(all) {
			ctx, w := get(n)
			if w.Code == http.StatusOK {
				t.Errorf("%s cancelled at look %d of %d: %d %.100s", path, n, all, w.Code, w.Body)
			}
			if more := ctx.Count() - n; more > further {
				t.Errorf("%s cancelled at look %d of %d looks %d more times", path, n, all, more)
			}
		}
	}
}
