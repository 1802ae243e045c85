package ingest

import "github.com/brennhill/gasoline/internal/event"

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

// losses counts by kind and cause.
type losses [event.KindMark + 1][causeEnd]uint64

func (l *losses) add(k event.Kind, c Cause, n int) {
	if k > event.KindMark {
		k = 0
	}
	if n > 0 && c < causeEnd {
		l[k][c] += uint64(n)
	}
}

func (l *losses) list() []Loss {
	var out []Loss
	for k := range l {
		for c, n := range l[k] {
			if n > 0 {
				out = append(out, Loss{Kind: event.Kind(k), Cause: Cause(c), Count: n})
			}
		}
	}
	return out
}
