package source

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// Pauses.
const (
	firstPause  = time.Second
	longPause   = 2 * time.Minute
	breakAfter  = 5 // failures one after the other
	probeAfter  = 30 * time.Second
	refusedWait = 2 * time.Minute // after a credential was refused
)

// bucket lets the questions of one credential pass.
type bucket struct {
	mu     sync.Mutex
	rate   float64 // per second
	burst  float64
	tokens float64
	last   time.Time
	until  time.Time // that the platform asked to wait for
}

// rateOf is how many questions a second a rate means.
func rateOf(rate float64) float64 {
	if rate <= 0 {
		return 1
	}
	return rate
}

func newBucket(rate float64) *bucket {
	rate = rateOf(rate)
	burst := max(1, math.Ceil(5*rate))
	return &bucket{rate: rate, burst: burst, tokens: burst}
}

// take takes a token, or says how long to wait.
func (b *bucket) take(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait := b.until.Sub(now); wait > 0 {
		return wait
	}
	if !b.last.IsZero() {
		b.tokens = min(b.burst, b.tokens+now.Sub(b.last).Seconds()*b.rate)
	}
	b.last = now
	if b.tokens >= 1-1e-9 {
		b.tokens--
		return 0
	}
	return time.Duration((1 - b.tokens) / b.rate * float64(time.Second))
}

// pause lets nothing pass for a while.
func (b *bucket) pause(now time.Time, d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if until := now.Add(d); until.After(b.until) {
		b.until = until
	}
}

// gate is what one source may do: pauses after failures, and the budget of an hour. Its owner locks it.
type gate struct {
	failures int
	until    time.Time // of the pause
	probing  bool      // the breaker is open; the next question is a probe

	maxRequests int
	maxBytes    int64
	hour        time.Time // when the hour began
	requests    int
	bytes       int64
}

// wait says how long the next question has to wait, and why.
func (g *gate) wait(now time.Time) (time.Duration, State) {
	if now.Sub(g.hour) >= time.Hour {
		g.hour, g.requests, g.bytes = now, 0, 0
	}
	if g.requests >= g.maxRequests || g.bytes >= g.maxBytes {
		return g.hour.Add(time.Hour).Sub(now), Spent
	}
	if d := g.until.Sub(now); d > 0 {
		if g.probing {
			return d, Broken
		}
		return d, Pausing
	}
	return 0, Idle
}

func (g *gate) passed() { g.failures, g.probing, g.until = 0, false, time.Time{} }

// failed notes a failure and sets the pause: full jitter below a bound that doubles, at least after; when the
// breaker opens half a minute until a probe.
func (g *gate) failed(now time.Time, after time.Duration) {
	g.failures++
	bound := min(longPause, firstPause<<min(g.failures-1, 10))
	d := max(after, 50*time.Millisecond+rand.N(bound))
	if g.failures >= breakAfter {
		g.probing = true
		d = max(d, probeAfter)
	}
	g.until = now.Add(d)
}
