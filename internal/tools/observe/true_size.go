package observe

import (
	"context"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// trueSize returns how large an answer was whose capture stopped at its limit before the end and
// whose headers do not say; -1 when it cannot be known. The browser's own timing of the same document
// and URL knows, where the page may; several loads of one URL are told apart by when they ended.
func trueSize(ctx context.Context, r query.Reader, e *event.Exchange) int64 {
	if e.ResponseSize >= 0 || e.BodyNote != "truncated" || e.Document == "" {
		return e.ResponseSize
	}
	timings, _, err := query.Read(ctx, r, query.Filter{Session: e.Session, Tab: e.Tab, Document: e.Document}, query.Page{Limit: 1000}, func(t *event.ResourceTiming) bool {
		return t.URL == e.URL && t.DecodedSize > 0
	})
	if err != nil {
		return -1 // the call has ended
	}
	size, ended, best := int64(-1), e.Started.Add(e.Duration), time.Duration(1<<62)
	for _, t := range timings.Items {
		if gap := t.Time.Sub(ended).Abs(); gap < best {
			best, size = gap, t.DecodedSize
		}
	}
	return size
}
