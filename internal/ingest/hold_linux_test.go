package ingest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/testkit/cpu"
)

// The largest batch that a request may become does not keep others waiting, whoever its events are of and whatever is lost.
func TestNobodyHoldsTheLockForLong(t *testing.T) {
	if cpu.Racing {
		t.Skip("measures what is computed")
	}
	const most, body = 32 << 10, 5 << 20
	now := time.Now()
	text := strings.Repeat("x", body/most)
	for _, source := range []string{"run", "otlp"} {
		for _, instances := range []int{1, most} {
			in := New(Config{ByteRate: 1000}, nil, nil, nil)
			logs := make([]event.Log, most)
			for round := range 2 {
				for i := range logs {
					o := event.Origin{Source: source, Service: "a", Instance: fmt.Sprint(round, i%instances)}
					logs[i] = event.Log{Head: event.Head{Origin: o, Time: now, TraceID: fmt.Sprint(round, i)}, Logger: "l", Message: text + fmt.Sprint(round, i)}
				}
				b := event.Of(logs)
				parts := partsOf(b, body/most)
				for what, took := range map[string]time.Duration{
					"refusing it":    cpu.Least(t, 3, func() { _ = in.limiter.request(parts, most, in.elapsed()) }),
					"finding copies": cpu.Least(t, 1, func() { in.copies.fold(b[:foldPiece:foldPiece], in.elapsed()) }),
					"what fits":      cpu.Least(t, 1, func() { in.limiter.fitting(b, body/most, in.elapsed()) }),
					"dropping it": cpu.Least(t, 1, func() {
						for _, e := range b {
							if cause, ok := in.limiter.admit(e, body/most, in.elapsed()); !ok {
								in.losses.add(placeOf(e), e.Kind(), cause, 1)
							}
						}
					}),
				} {
					if took > 50*time.Millisecond && took > cpu.Scaled(t, 50*time.Millisecond) {
						t.Errorf("%s, %d instances, %s: the lock is held while %v are computed", source, instances, what, took)
					}
				}
			}
		}
	}
}

// Large events that lines are compared with in vain cost them no more than small ones, or four times as much at most: a service
// that sends the one by one way and the other by another holds nobody up. Its copies are found all the same.
func TestWhatIsComparedInVainHasABound(t *testing.T) {
	if cpu.Racing {
		t.Skip("measures what is computed")
	}
	now := time.Now() // of all: however long this takes, they are copies
	took := func(members int) time.Duration {
		kept, err := store.New(store.Config{Run: "r", FirstSeq: 1, Limits: store.DefaultLimits(0)})
		if err != nil {
			t.Fatal(err)
		}
		in := New(Config{Elapsed: func() time.Duration { return 0 }}, redact.New(redact.Rules{}), correlate.New(time.Now), kept)
		log := func(source, attributes string) *event.Log {
			return &event.Log{
				Head:    event.Head{Origin: event.Origin{Source: source, Service: "api"}, Time: now},
				Message: "boom it is", Attributes: attributes, Level: "info", Severity: 9,
			}
		}
		var large event.Batch
		for i := range 8 {
			var all strings.Builder
			for n := range members {
				fmt.Fprintf(&all, `"key%06d":"%d",`, n, i)
			}
			large = append(large, log("otlp", fmt.Sprintf(`{%s"k":"%d"}`, &all, i)))
		}
		in.append(large, time.Time{}, time.Now(), &Receipt{})
		lines := make(event.Batch, foldPiece)
		for i := range lines {
			lines[i] = log("run", `{"k":"x","l":"y"}`)
		}
		cost := cpu.Least(t, 1, func() { in.copies.append(lines, in.elapsed(), in.sink) })
		live := kept.Edge(nil).Live
		for i := range 8 {
			in.append(event.Batch{log("tail", fmt.Sprintf(`{"k":"%d"}`, i))}, time.Time{}, time.Now(), &Receipt{})
		}
		if now := kept.Edge(nil).Live; members < 50 && now != live {
			t.Errorf("%d members: %d of 8 copies are kept as events", members, now-live)
		}
		return cost
	}
	small, large := took(1), took(3000)
	if large > 4*small {
		t.Errorf("%v, and %v with large events", small, large)
	}
}

// A line costs about the same whether it is the first of its text or one of thousands that came by its own way or, of other
// traces, by another way.
func TestEqualLinesCostNoWalk(t *testing.T) {
	if cpu.Racing {
		t.Skip("measures what is computed")
	}
	cost := func(format, before string) time.Duration {
		in := New(Config{}, nil, nil, nil)
		log := func(source string, i int) *event.Log {
			h := event.Head{Origin: event.Origin{Source: source, Service: "api"}, Time: time.Now(), TraceID: fmt.Sprintf("%032x", i+1)}
			return &event.Log{Head: h, Message: fmt.Sprintf(format, fmt.Sprint(i))}
		}
		came, lines := make(event.Batch, foldPiece-1), make(event.Batch, foldPiece)
		for i := range came {
			came[i] = log(before, i)
		}
		for i := range lines {
			lines[i] = log("run", foldPiece+i)
		}
		other := log("tail", 0)
		other.Message = "output"
		in.copies.append(event.Batch{other}, 0, nowhere{})
		in.copies.append(came, 0, nowhere{})
		return cpu.Least(t, 1, func() { in.copies.append(lines, 0, nowhere{}) })
	}
	apart := cost("line %s", "run")
	for _, before := range []string{"run", "otlp"} {
		if equal := cost("tick%.0s", before); equal > 8*apart {
			t.Errorf("behind lines by %s: %v, and %v where all differ", before, equal, apart)
		}
	}
}

// nowhere is a sink that keeps nothing.
type nowhere struct{}

func (nowhere) Append(event.Batch) store.Appended { return store.Appended{} }
