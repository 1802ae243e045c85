package source

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// busy is a place that a service writes to steadily, in pages by time as Loki's are.
type busy struct {
	every time.Duration
}

func (s *busy) Search(_ context.Context, q Query, page string) (p Page, _ error) {
	first := (q.From.UnixNano() + int64(s.every) - 1) / int64(s.every)
	if page != "" {
		first, _ = strconv.ParseInt(page, 10, 64)
	}
	for n := first; ; n++ {
		at := time.Unix(0, n*int64(s.every))
		if !at.Before(q.To) {
			return p, nil
		}
		if len(p.Rows) == q.Limit {
			p.Next = strconv.FormatInt(n, 10)
			return p, nil
		}
		p.Rows = append(p.Rows, Row{Time: at, Text: fmt.Sprint("row ", n)})
	}
}

// A service that writes more within the time that polls look back than one question may have is read all the same: what is
// new comes soon, and nothing between is left out.
func TestPollsKeepUpWithABusyPlace(t *testing.T) {
	for _, perSecond := range []int{20, 100, 200, 500} {
		t.Run(fmt.Sprint(perSecond), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &busy{every: time.Second / time.Duration(perSecond)}
				r, stop := started(t, Capabilities{Stamped: true}, Opened{Search: s, Poll: true, Rate: 100, Requests: 1 << 30, Bytes: 1 << 50})
				began := time.Now()
				time.Sleep(10 * time.Second)
				for range 170 { // three minutes; polls are five seconds apart
					time.Sleep(time.Second)
					if st := r.Status()[0]; time.Since(st.Newest) > 6*time.Second {
						t.Errorf("after %s the newest row is %s old: %s", time.Since(began), time.Since(st.Newest), st.Line(time.Now()))
						break
					}
				}
				stop()
				st := r.Status()[0]
				if least := uint64(st.Newest.Sub(began) / s.every); st.Rows < least {
					t.Errorf("%d rows were taken, want at least %d", st.Rows, least)
				}
				if st.Partial != "" {
					t.Errorf("nothing is lost, and it says %q", st.Partial)
				}
			})
		})
	}
}

// forever is a place whose pages have no end.
type forever struct{ pages int }

func (s *forever) Search(_ context.Context, q Query, _ string) (Page, error) {
	s.pages++
	return Page{Rows: []Row{{Time: q.From, Text: fmt.Sprint("row ", s.pages)}}, Next: strconv.Itoa(s.pages)}, nil
}

// A poll that is gone on with is given up in the end, and the loss is told.
func TestPollsOfPagesWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &forever{}
		r, stop := started(t, Capabilities{Stamped: true}, Opened{Search: s, Poll: true, Rate: 1000, Requests: 1 << 30})
		defer stop()
		time.Sleep(4 * time.Second)
		if st := r.Status()[0]; s.pages != maxParts*maxPages || !strings.Contains(st.Partial, "more than") {
			t.Errorf("%d pages: %s", s.pages, st.Line(time.Now()))
		}
	})
}

// A poll that is gone on with goes on where it was after a failure, and from its beginning where its page is wrong.
func TestPollsThatGoOnFail(t *testing.T) {
	for kind, want := range map[FaultKind]string{Unavailable: "40", Invalid: ""} {
		synctest.Test(t, func(t *testing.T) {
			s := &failing{kind: kind}
			_, stop := started(t, Capabilities{Stamped: true}, Opened{Search: s, Poll: true, Rate: 1000, Requests: 1 << 30})
			time.Sleep(30 * time.Minute)
			stop()
			if s.after != want {
				t.Errorf("after kind %d it asks for page %q, want %q", kind, s.after, want)
			}
		})
	}
}

// failing fails the second part of a poll until it is given up, and answers then.
type failing struct {
	kind   FaultKind
	pages  int
	failed int
	after  string // page that was asked for after that
}

func (s *failing) Search(_ context.Context, q Query, page string) (Page, error) {
	most := maxTries
	if s.kind == Invalid {
		most = 1
	}
	switch {
	case s.failed == most:
		s.failed++
		s.after = page
		return Page{}, nil
	case s.failed > most:
		return Page{}, nil
	case s.pages == maxPages:
		s.failed++
		return Page{}, &Fault{Kind: s.kind, Text: "no"}
	}
	s.pages++
	return Page{Rows: []Row{{Time: q.From, Text: fmt.Sprint("row ", s.pages)}}, Next: strconv.Itoa(s.pages)}, nil
}
