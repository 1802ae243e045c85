package observe

import (
	"context"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// maxTimings is how many timings of a tab are looked at for the one of an exchange.
const maxTimings = 4000

// trueSize returns how large an answer was whose capture stopped at its limit before the end and
// whose headers do not say; -1 when it cannot be known. The browser's own timing of the same document
// and URL knows, where the page may; several loads of one URL are told apart by when they ended.
func trueSize(ctx context.Context, r query.Reader, e *event.Exchange) int64 {
	if e.ResponseSize >= 0 || e.ResponseBodyNote != "truncated" || e.Document == "" {
		return e.ResponseSize
	}
	f := query.Filter{Session: e.Session, Tab: e.Tab, Document: e.Document}
	timings, cover, err := query.Read(
		ctx,
		r,
		f,
		query.Page{Limit: 1000, Look: maxTimings},
		func(t *event.ResourceTiming) bool {
			return t.URL == e.URL && t.DecodedSize > 0
		},
	)
	if err != nil {
		return -1 // the call has ended
	}
	size, ended, best := int64(-1), e.Started.Add(e.Duration), time.Duration(1<<62)
	for _, t := range timings.Items {
		if gap := t.Time.Sub(ended).Abs(); gap < best {
			best, size = gap, t.DecodedSize
		}
	}
	// Where not all were looked at, only one that ended with it is surely its own.
	if (!cover.Exhausted || timings.Older != "") && best > time.Second {
		return -1
	}
	return size
}
