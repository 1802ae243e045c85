package query_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
)

// says appends logs of a service, one for each text, and an error, which is none of what is asked for.
func says(s *store.Store, service string, texts ...string) {
	b := event.Batch{}
	for _, text := range texts {
		l := &event.Log{Head: event.Head{Time: time.UnixMilli(int64(s.NextSeq()) + int64(len(b))), Received: time.Now()}, Message: text}
		l.Service = service
		b = append(b, l)
	}
	s.Append(append(b, &event.Exception{Head: event.Head{Origin: event.Origin{Service: service}, Time: time.UnixMilli(1)}}))
}

// many are n texts of one kind.
func many(kind string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint(kind, " ", i))
	}
	return out
}

// alike: the first word of a log is its kind, the text what it says.
func alike(it query.Item) (kind, same string) {
	text := it.Event.(*event.Log).Message
	kind, _, _ = strings.Cut(text, " ")
	return kind, text
}

func distinct(t *testing.T, s *store.Store, p query.Page) (query.List[query.Item], query.Alike, query.Coverage) {
	t.Helper()
	l, a, c, err := query.Distinct(t.Context(), query.New(s, nil), []event.Kind{event.KindLog}, query.Filter{}, p, alike)
	if err != nil {
		t.Fatal(err)
	}
	return l, a, c
}

func said(l query.List[query.Item]) (out []string) {
	for _, it := range l.Items {
		out = append(out, it.Head.Service+" "+it.Event.(*event.Log).Message)
	}
	return out
}

// Where all have room, and where no two of many are of one kind, the page is that of a timeline.
func TestDistinctIsATimelineWhereNobodyIsLoud(t *testing.T) {
	s := newStore(t, "run")
	says(s, "api", "a", "a", "a")
	l, a, _ := distinct(t, s, query.Page{Limit: 3})
	check(t, "all have room", said(l), []string{"api a", "api a", "api a"})
	check(t, "counts", len(a.Count)+len(a.Rank), 0)
	says(s, "api", "b", "c", "d")
	l, a, _ = distinct(t, s, query.Page{Limit: 3})
	check(t, "each of its own kind", said(l), []string{"api b", "api c", "api d"})
	check(t, "their ranks", len(a.Rank), 0)
	older, a, _ := distinct(t, s, query.Page{Limit: 3, Cursor: l.Older})
	check(t, "what is older", said(older), []string{"api a", "api a", "api a"})
	check(t, "ranks of what is older", len(a.Rank), 0)
}

// A service that says much hides neither another nor what else it said itself, however much it says.
func TestALoudServiceHidesNobody(t *testing.T) {
	s := newStore(t, "run")
	says(s, "mail", "bounced")
	says(s, "api", "down")
	says(s, "api", many("tick", 200)...)
	says(s, "web", "slow", "slow", "slow")
	l, a, c := distinct(t, s, query.Page{Limit: 5})
	check(t, "the page", said(l), []string{"mail bounced", "api down", "api tick 198", "api tick 199", "web slow"})
	check(t, "total", l.Total, 205)
	check(t, "all were looked at", fmt.Sprint(c.Exhausted, c.Looked), "true 205")
	newest := l.Items[4].Head.Seq
	check(t, "slow stands for three", a.Count, map[event.Seq]int{newest: 3})
	var ranks []int
	for _, it := range l.Items {
		ranks = append(ranks, a.Rank[it.Head.Seq])
	}
	check(t, "each service comes first, then each kind", ranks, []int{2, 3, 4, 1, 0})
	check(t, "the first and the last time", fmt.Sprint(l.OldestTime.Equal(l.Items[0].Head.Time), l.NewestTime.Equal(l.Items[4].Head.Time)), "true true")
	// What has no place on this page is on the next ones.
	seen := map[string]bool{}
	for page := l; ; {
		for _, text := range said(page) {
			seen[text] = true
		}
		if page.Older == "" {
			break
		}
		page, _, _ = distinct(t, s, query.Page{Limit: 50, Cursor: page.Older})
	}
	check(t, "all that was said", len(seen), 203)
}

// Each of the newest is of its own kind, and a service has none among them: it has a place.
func TestAServiceBehindThePageHasAPlace(t *testing.T) {
	s := newStore(t, "run")
	says(s, "mail", "bounced")
	says(s, "api", "a", "b", "c")
	l, _, _ := distinct(t, s, query.Page{Limit: 3})
	check(t, "just behind it", said(l), []string{"mail bounced", "api b", "api c"})
	says(s, "api", "d", "e", "f")
	l, _, _ = distinct(t, s, query.Page{Limit: 3})
	check(t, "further behind it", said(l), []string{"mail bounced", "api e", "api f"})
}

// Only what passes the filter and is new enough has a place.
func TestDistinctIsOfWhatPasses(t *testing.T) {
	s := newStore(t, "run")
	old := &event.Log{Head: event.Head{Origin: event.Origin{Service: "old"}, Time: time.UnixMilli(1)}, Message: "old 1"}
	s.Append(event.Batch{old})
	says(s, "mail", "bounced 1")
	says(s, "api", many("tick", 20)...)
	for name, c := range map[string]struct {
		filter query.Filter
		since  string
		want   []string
	}{
		"all":         {query.Filter{}, "", []string{"old old 1", "mail bounced 1", "api tick 19"}},
		"new enough":  {query.Filter{}, time.UnixMilli(2).UTC().Format(time.RFC3339Nano), []string{"mail bounced 1", "api tick 18", "api tick 19"}},
		"one service": {query.Filter{Service: "api"}, "", []string{"api tick 17", "api tick 18", "api tick 19"}},
	} {
		l, _, _, err := query.Distinct(t.Context(), query.New(s, nil), []event.Kind{event.KindLog}, c.filter, query.Page{Limit: 3, Since: c.since}, alike)
		if err != nil {
			t.Fatal(err)
		}
		check(t, name, said(l), c.want)
	}
	if _, _, _, err := query.Distinct(t.Context(), query.New(s, nil), nil, query.Filter{}, query.Page{Limit: 3, Since: "soon"}, alike); err == nil {
		t.Error("a time that is none is no error")
	}
}

// What says the same has room once, so that no more is left than there is; then nothing is older.
func TestWhatSaysTheSameNeedsOnePlace(t *testing.T) {
	s := newStore(t, "run")
	says(s, "api", slices.Repeat([]string{"a 1", "a 2", "b 1"}, 40)...)
	l, a, _ := distinct(t, s, query.Page{Limit: 4})
	check(t, "the page", said(l), []string{"api a 1", "api a 2", "api b 1"})
	for _, it := range l.Items {
		check(t, "each stands for", a.Count[it.Head.Seq], 40)
	}
	check(t, "older", l.Older, "")
	l, _, _ = distinct(t, s, query.Page{Limit: 2})
	check(t, "of each kind one", said(l), []string{"api a 2", "api b 1"})
	check(t, "the rest is older", l.Older != "", true)
}

// Tabs are told apart as services are.
func TestALoudTabHidesNoOther(t *testing.T) {
	s := newStore(t, "run")
	tab := func(session string, tab int, texts ...string) {
		for _, text := range texts {
			s.Append(event.Batch{&event.Log{Head: event.Head{Session: session, Tab: tab, Time: time.UnixMilli(int64(s.NextSeq()))}, Message: text}})
		}
	}
	tab("s1", 1, "one 1")
	tab("s2", 1, "one 2")
	tab("s1", 2, many("one", 50)...)
	l, _, _ := distinct(t, s, query.Page{Limit: 3})
	var tabs []string
	for _, it := range l.Items {
		tabs = append(tabs, fmt.Sprint(it.Head.Session, it.Head.Tab))
	}
	check(t, "the tabs", tabs, []string{"s11", "s21", "s12"})
}

// What is collected has a bound: of more services than are told apart, the rest is older.
func TestDistinctIsBounded(t *testing.T) {
	s := newStore(t, "run")
	for i := range 900 {
		says(s, fmt.Sprint("s", i), "a")
	}
	l, _, _ := distinct(t, s, query.Page{Limit: 950})
	check(t, "all have room", len(l.Items), 900)
	limits := store.DefaultLimits(0)
	s, err := store.New(store.Config{Run: "run", Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1005 {
		says(s, fmt.Sprint("s", i), "a 1")
	}
	says(s, "s1004", "a 2")
	l, _, _ = distinct(t, s, query.Page{Limit: 1003})
	check(t, "services that are told apart", len(l.Items), 1001)
	check(t, "the rest is older", l.Older != "", true)
	older, _, _ := distinct(t, s, query.Page{Limit: 1003, Cursor: l.Older})
	check(t, "what is older", said(older), []string{"s0 a 1", "s1 a 1", "s2 a 1", "s3 a 1", "s4 a 1"})
	// Of one kind four times as many as there are places are collected, and of further kinds twenty times.
	says(s, "loud", many("tick", 60)...)
	says(s, "loud", "tick 0")
	l, _, _ = distinct(t, s, query.Page{Limit: 2})
	check(t, "the newest of the loud one, and another service", said(l), []string{"s1004 a 2", "loud tick 0"})
}

// Also a service that said something before 50,000 others is asked for, and no error of asking is lost.
func TestASurveyAsksForEachService(t *testing.T) {
	s, err := store.New(store.Config{Run: "run", Limits: store.DefaultLimits(0)})
	if err != nil {
		t.Fatal(err)
	}
	says(s, "mail", "early", "bounced")
	says(s, "", "nobody's")
	for range 51 {
		says(s, "api", many("tick", 1000)...)
	}
	survey := func(ctx context.Context, f query.Filter) (texts []string, c query.Coverage, err error) {
		c, err = query.Survey(ctx, query.New(s, nil), []event.Kind{event.KindLog}, f, func(it query.Item) {
			texts = append(texts, it.Head.Service+" "+it.Event.(*event.Log).Message)
		})
		return texts, c, err
	}
	texts, c, err := survey(t.Context(), query.Filter{})
	if err != nil || len(texts) != 50_001 || texts[0] != "api tick 999" || texts[50_000] != "mail bounced" || c.Exhausted || c.Looked != 50_000 {
		t.Errorf("%d, the last is %q, %+v, %v", len(texts), texts[len(texts)-1], c, err)
	}
	if texts, c, err = survey(t.Context(), query.Filter{Service: "mail"}); err != nil || len(texts) != 2 || !c.Exhausted {
		t.Errorf("%d of one service, %+v, %v", len(texts), c, err)
	}
	// Nothing of what says the same 50,000 times has no place, but what is behind was not looked at.
	same, err := store.New(store.Config{Run: "run", Limits: store.DefaultLimits(0)})
	if err != nil {
		t.Fatal(err)
	}
	says(same, "api", "first")
	for range 51 {
		says(same, "api", slices.Repeat([]string{"tick"}, 1000)...)
	}
	l, a, _ := distinct(t, same, query.Page{Limit: 5})
	check(t, "what says the same", said(l), []string{"api tick"})
	check(t, "and how often", a.Count[l.Items[0].Head.Seq], 50_000)
	older, _, _ := distinct(t, same, query.Page{Limit: 2000, Cursor: l.Older})
	check(t, "what was not looked at", fmt.Sprint(len(older.Items), " ", said(older)[0]), "1001 api first")
	// What was evicted is told.
	small := newStore(t, "run")
	for range 4 {
		says(small, "api", many("tick", 300)...)
	}
	c, err = query.Survey(t.Context(), query.New(small, nil), []event.Kind{event.KindLog}, query.Filter{}, func(query.Item) {})
	if err != nil || c.Evicted != 200 || c.EvictedUpper {
		t.Errorf("%+v, %v", c, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err = survey(ctx, query.Filter{}); err == nil {
		t.Error("an end of the call is no error")
	}
	if _, _, _, err = query.Distinct(ctx, query.New(s, nil), nil, query.Filter{}, query.Page{Limit: 5}, alike); err == nil {
		t.Error("an end of the call is no error")
	}
}
