package observe

import (
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// trueSize returns how large an answer was whose capture stopped at its limit before the end and
// whose headers do not say; -1 when it cannot be known. The browser's own timing of the same document
// and URL knows, where the page may; several loads of one URL are told apart by when they ended.
func trueSize(r *query.Reader, e *event.Exchange) int64 {
	if e.ResponseSize >= 0 || e.BodyNote != "truncated" || e.Document == "" {
		return e.ResponseSize
	}
	timings, err := query.Read(r, query.Filter{Session: e.Session, Tab: e.Tab, Document: e.Document}, query.Page{Limit: 1000}, func(t *event.Resource) bool {
		return t.URL == e.URL && t.DecodedSize > 0
	})
	if err != nil {
		return -1 // only a cursor can be wrong, and there is none
	}
	size, ended, best := int64(-1), e.Started.Add(e.Duration), time.Duration(1<<62)
	for _, t := range timings.Items {
		if gap := t.Time.Sub(ended).Abs(); gap < best {
			best, size = gap, t.DecodedSize
		}
	}
	return size
}
