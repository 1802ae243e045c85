package store

import (
	"cmp"
	"slices"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// Service is what is kept of one service from one source.
type Service struct {
	Name      string // service.name; "" for senders that do not say
	Source    string // otlp, run, …
	Instances int
	Logs      int // kept
	Errors    int // exceptions, kept
	Spans     int // kept
	Evicted   uint64
	Newest    time.Time // Received of the newest event
}

// Services lists the services that the rings tell apart, by name and source. A ring tells 64 instances apart; those
// beyond share a place and are not listed: others says whether there are any.
func (s *Store) Services() (list []Service, others bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	type name struct{ service, source string }
	found := map[name]*Service{}
	instances := map[name]map[uint64]bool{}
	for i := range s.rings {
		r := &s.rings[i]
		if !r.exists || r.id.Class() != event.Service {
			continue
		}
		for _, o := range r.owners {
			n := o.count()
			if n == 0 {
				continue
			}
			if o.shared {
				others = true
				continue
			}
			t, seg, h := o.newest()
			if h == nil {
				continue
			}
			key := name{headOf(t, seg, h).Service, o.source} // a copy of another source may have been put in
			svc := found[key]
			if svc == nil {
				svc = &Service{Name: key.service, Source: key.source}
				found[key], instances[key] = svc, map[uint64]bool{}
			}
			instances[key][o.key.part] = true
			svc.Instances = len(instances[key])
			svc.Evicted += o.evicted
			switch r.id.Kind() {
			case event.KindLog:
				svc.Logs += n
			case event.KindException:
				svc.Errors += n
			case event.KindSpan:
				svc.Spans += n
			}
			if at := instant(h.received); at.After(svc.Newest) {
				svc.Newest = at
			}
		}
	}
	list = make([]Service, 0, len(found))
	for _, svc := range found {
		list = append(list, *svc)
	}
	slices.SortFunc(list, func(a, b Service) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Source, b.Source)) })
	return list, others
}

// newest returns the owner's last live event, nil when it has none.
func (o *owner) newest() (*strand, *segment, *header) {
	for _, t := range []*strand{&o.young, &o.kept} {
		for i := len(t.segments) - 1; i >= 0; i-- {
			seg := &t.segments[i]
			if seg.live == 0 {
				continue
			}
			for j := seg.heads - 1; j >= seg.dropped; j-- {
				if h := seg.head(j); h.marks&dead == 0 {
					return t, seg, h
				}
			}
		}
	}
	return nil, nil, nil
}
