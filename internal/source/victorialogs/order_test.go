package victorialogs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/victorialogs"
)

// A page may end early only where its rows came in order: else what was not read would be passed by.
func TestALargeAnswerOutOfOrder(t *testing.T) {
	at := time.Unix(1_795_300_000, 0).UTC()
	for _, inOrder := range []bool{true, false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for i := range 12 {
				row := at.Add(time.Duration(i) * time.Second)
				if i == 2 && !inOrder {
					row = at.Add(500 * time.Millisecond)
				}
				fmt.Fprintf(w, `{"_time":%q,"_msg":%q}`+"\n", row.Format(time.RFC3339Nano), strings.Repeat("x", 1<<20))
			}
		}))
		opened, err := victorialogs.Adapter.Open(json.RawMessage(`{"url":"`+server.URL+`","query":"*"}`), source.Env{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := opened.Search.Search(t.Context(), source.Query{From: at, To: at.Add(time.Minute), Limit: 1000}, "")
		var f *source.Fault
		switch {
		case inOrder && (err != nil || len(a.Rows) == 0 || a.Next != fmt.Sprint(at.Add(time.Duration(len(a.Rows))*time.Second).UnixNano())):
			t.Errorf("in order: %d rows, next %q, %v", len(a.Rows), a.Next, err)
		case !inOrder && (!errors.As(err, &f) || !strings.Contains(f.Text, "not in order")):
			t.Errorf("out of order: %d rows, %v", len(a.Rows), err)
		}
		server.Close()
	}
}
