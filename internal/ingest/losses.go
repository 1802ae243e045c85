package ingest

import (
	"github.com/brennhill/gasoline/internal/event"
)

// Cause says why events were lost.
type Cause uint8

// The causes.
const (
	OverRate Cause = iota // above the rate of their source
	Breaker               // the source's circuit breaker was open
	Invalid               // not an event
	Sender                // lost by the sender, as it reported itself
	Gap                   // numbers that a sender skipped and never explained
	TooLarge              // larger than the ring for its kind
	causeEnd
)

var causeNames = [causeEnd]string{"rate", "breaker", "invalid", "sender", "gap", "too_large"}

// String returns the cause's word.
func (c Cause) String() string {
	if c >= causeEnd {
		return "unknown"
	}
	return causeNames[c]
}

// Loss is how many events of a kind were lost for one cause.
type Loss struct {
	Kind  event.Kind // 0: the kind is not known
	Cause Cause
	Count uint64
}

// maxPlaces bounds the places that are told apart; what is lost beyond counts as of everywhere.
const maxPlaces = 256

// losses counts by kind and cause, since the start and, until they are forgotten, by place.
type losses struct {
	total  tally
	places map[place]*tally // ≤ maxPlaces + 1
}

type tally [event.KindCount][causeEnd]uint64

func (l *losses) add(at place, k event.Kind, c Cause, n int) {
	if int(k) >= event.KindCount {
		k = 0
	}
	if n <= 0 || c >= causeEnd {
		return
	}
	l.total[k][c] += uint64(n)
	if l.places == nil {
		l.places = map[place]*tally{}
	}
	if l.places[at] == nil && len(l.places) >= maxPlaces {
		at = place{}
	}
	t := l.places[at]
	if t == nil {
		t = &tally{}
		l.places[at.clone()] = t
	}
	t[k][c] += uint64(n)
}

// of sums what may concern a tab of a session, or a service; "" and 0 mean any.
func (l *losses) of(at place) tally {
	var sum tally
	for p, t := range l.places {
		if at.service != "" && p != (place{}) && (p.class != event.Service || p.service != "" && p.service != at.service) {
			continue
		}
		if p.class == event.Service && (at.session != "" || at.tab != 0) {
			continue
		}
		if at.session != "" && p.session != "" && p.session != at.session ||
			at.tab != 0 && p.tab != 0 && p.tab != at.tab {
			continue
		}
		for k := range t {
			for c, n := range t[k] {
				sum[k][c] += n
			}
		}
	}
	return sum
}

func (t *tally) list() []Loss {
	var out []Loss
	for k := range t {
		for c, n := range t[k] {
			if n > 0 {
				out = append(out, Loss{Kind: event.Kind(k), Cause: Cause(c), Count: n})
			}
		}
	}
	return out
}
