package ingest

import "time"

const (
	slots      = 10 // of a window
	openAfter  = 5  // bad seconds in a row
	closeAfter = 10 // good seconds in a row
)

// budget is what each source of a class may send, in events or in bytes.
type budget struct {
	rate, burst int           // per second, and at once
	slot        time.Duration // a tenth of the window in which a burst may come
	unit        string        // events, bytes
}

func newBudget(rate, burst int, unit string) *budget {
	span := time.Duration(float64(burst) / float64(rate) * float64(time.Second))
	return &budget{rate: rate, burst: burst, slot: span / slots, unit: unit}
}

// meter is the sliding window and the circuit breaker of one source. Its times have passed since the
// start by a clock that nobody sets.
type meter struct {
	*budget
	used time.Duration // last asked for

	counts [slots]int // let in, by slot
	at     int64      // number of the newest slot
	total  int        // sum of counts; ≤ burst

	second    int64 // that is being judged
	attempted int   // in it, while the breaker is open
	over      bool  // something was refused in it
	bad, good int   // seconds in a row
	open      bool
}

// admit counts n events or bytes and reports whether all of them may pass.
func (m *meter) admit(n int, now time.Duration) (Cause, bool) {
	m.turn(int64(now / time.Second))
	m.slide(int64(now / m.slot))
	if m.open { // everything is refused, so a second is judged by what was tried
		if m.attempted += n; m.attempted > m.rate {
			m.over = true
		}
		return Breaker, false
	}
	if m.total+n > m.burst {
		m.over = true
		return OverRate, false
	}
	m.counts[m.at%slots] += n
	m.total += n
	return 0, true
}

// turn judges the seconds that have passed. Seconds in which nothing came are good.
func (m *meter) turn(second int64) {
	if second <= m.second {
		return
	}
	if m.over {
		m.bad, m.good = m.bad+1, 0
	} else {
		m.bad, m.good = 0, m.good+1
	}
	if idle := second - m.second - 1; idle > 0 {
		m.bad, m.good = 0, m.good+int(min(idle, closeAfter))
	}
	if m.bad >= openAfter {
		m.open = true
	}
	if m.good >= closeAfter {
		m.open = false
	}
	m.second, m.attempted, m.over = second, 0, false
}

// slide empties the slots that have left the window.
func (m *meter) slide(slot int64) {
	if slot-m.at >= slots {
		m.counts, m.total, m.at = [slots]int{}, 0, slot
		return
	}
	for m.at < slot {
		m.at++
		m.total -= m.counts[m.at%slots]
		m.counts[m.at%slots] = 0
	}
}

// wait returns how long it takes until n fit; 0 if they do now.
func (m *meter) wait(n int, now time.Duration) time.Duration {
	left := m.total
	for i := int64(1); left+n > m.burst && i <= slots; i++ {
		left -= m.counts[(m.at+i)%slots]
		if left+n <= m.burst {
			return max(0, time.Duration(m.at+i)*m.slot-now)
		}
	}
	return 0
}
