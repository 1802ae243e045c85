package ingest

import "time"

const (
	slots      = 10 // of a window
	openAfter  = 5  // bad seconds in a row
	closeAfter = 10 // good seconds in a row
)

// meter is the sliding window and the circuit breaker of one source.
type meter struct {
	used time.Time // last asked for

	counts [slots]int // let in, by slot
	slot   int64      // number of the newest slot
	total  int        // sum of counts; ≤ burst

	second    int64 // that is being judged
	attempted int   // in it
	over      bool  // something was refused in it
	bad, good int   // seconds in a row
	open      bool
}

// admit counts n events and reports whether all of them may pass.
func (m *meter) admit(l *limiter, n int, now time.Time) (Cause, bool) {
	m.turn(now.Unix())
	m.slide(now.UnixNano() / int64(l.slot))
	if m.open {
		m.attempt(l, n, false)
		return Breaker, false
	}
	if m.total+n > l.burst {
		m.attempt(l, n, true)
		return OverRate, false
	}
	m.attempt(l, n, false)
	m.counts[m.slot%slots] += n
	m.total += n
	return 0, true
}

// attempt counts events, refused or not. While the breaker is open everything is refused, so a
// second is then judged by what was tried.
func (m *meter) attempt(l *limiter, n int, refused bool) {
	m.attempted += n
	if refused || m.open && m.attempted > l.rate {
		m.over = true
	}
}

// turn judges the seconds that have passed. Seconds in which nothing came are good.
func (m *meter) turn(second int64) {
	if second <= m.second {
		return // the clock was set back: the second goes on
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
	if slot-m.slot >= slots {
		m.counts, m.total, m.slot = [slots]int{}, 0, slot
		return
	}
	for m.slot < slot {
		m.slot++
		m.total -= m.counts[m.slot%slots]
		m.counts[m.slot%slots] = 0
	}
}

// wait returns how long it takes until n events fit; 0 if they do now.
func (m *meter) wait(l *limiter, n int, now time.Time) time.Duration {
	m.slide(now.UnixNano() / int64(l.slot))
	left := m.total
	for i := int64(1); left+n > l.burst && i <= slots; i++ {
		left -= m.counts[(m.slot+i)%slots]
		if left+n <= l.burst {
			return time.Duration((m.slot+i)*int64(l.slot) - now.UnixNano())
		}
	}
	return 0
}
