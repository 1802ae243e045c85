package store

import (
	"testing"

	"github.com/brennhill/gasoline/internal/event"
)

func serviceLog(service, instance string, severity int, message string) *event.Log {
	return &event.Log{
		Head:     event.Head{Origin: event.Origin{Source: "otlp", Service: service, Instance: instance}},
		Severity: severity, Message: message,
	}
}

// What services wrote can be asked for beside a tab's events: from a severity on, or all of it.
func TestServicesBesideATab(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	s.Append(event.Batch{
		&event.Log{Head: tabHead(1), Message: "mine", Severity: 9},
		&event.Log{Head: tabHead(2), Message: "another tab's", Severity: 17},
		serviceLog("api", "1", 9, "info"),
		serviceLog("api", "1", 13, "warn"),
		serviceLog("db", "1", 17, "error"),
		&event.Span{Head: event.Head{Origin: event.Origin{Service: "api"}}, Name: "GET /"},
	})
	head := tabHead(1)
	for _, c := range []struct {
		want Want
		n    int
	}{
		{Want{Session: head.Session, Tab: 1}, 1},
		{Want{Session: head.Session, Tab: 1, Services: event.SeverityWarn}, 3},
		{Want{Session: head.Session, Tab: 1, Services: event.SeverityWarn, Severity: event.SeverityError}, 1},
		{Want{Session: head.Session, Tab: 1, Services: event.SeverityError, Severity: 1}, 2},
		{Want{Session: head.Session, Tab: 1, Services: 1}, 5},
		{Want{Session: head.Session, Tab: 1, Services: 1, Service: "api"}, 3},
		{Want{Page: "http://nowhere/", Services: event.SeverityError}, 1},
		{Want{Services: event.SeverityError}, 6}, // there is nothing to stand beside
	} {
		n, err := s.Count(t.Context(), &c.want)
		if err != nil || n != c.n {
			t.Errorf("%+v: %d, %v; want %d", c.want, n, err, c.n)
		}
		var out Slice
		if s.Backward(&c.want, 100, 0, 100, &out); out.Len() != c.n {
			t.Errorf("%+v: %d backward, want %d", c.want, out.Len(), c.n)
		}
	}
}

func TestServicesAreListed(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	s.Append(event.Batch{
		&event.Log{Head: tabHead(1), Message: "a page's"},
		serviceLog("db", "1", 9, "a"), serviceLog("db", "2", 9, "b"),
		serviceLog("api", "1", 9, "c"),
		&event.Span{Head: event.Head{Origin: event.Origin{Source: "otlp", Service: "api", Instance: "1"}}},
		&event.Exception{Head: event.Head{Origin: event.Origin{Source: "run", Service: "api"}}, Message: "x"},
	})
	list, others := s.Services()
	if others || len(list) != 3 {
		t.Fatalf("%+v, others %v", list, others)
	}
	for i, want := range []Service{
		{Name: "api", Source: "otlp", Instances: 1, Logs: 1, Spans: 1},
		{Name: "api", Source: "run", Instances: 1, Errors: 1},
		{Name: "db", Source: "otlp", Instances: 2, Logs: 2},
	} {
		if list[i].Newest = want.Newest; list[i] != want {
			t.Errorf("%+v, want %+v", list[i], want)
		}
	}
	for i := range 2 * maxOwners {
		s.Append(event.Batch{serviceLog("many", string(rune('a'+i)), 9, "m")})
	}
	if list, others = s.Services(); !others || len(list) != 4 {
		t.Errorf("%d services, others %v", len(list), others)
	}
}
