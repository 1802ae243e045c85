package pairing

import "time"

// SleepFor is what a sleep of the machine does to codes: the wall clock goes on, the other one stands still.
func (p *Pairings) SleepFor(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.codes {
		p.codes[i].wall = p.codes[i].wall.Add(-d)
	}
}
