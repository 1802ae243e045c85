package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/problem"
)

// pageLogs returns n logs of a tab.
func pageLogs(tab, n int) event.Batch {
	all := make([]event.Log, n)
	for i := range all {
		all[i].Head = event.Head{Session: "s", Tab: tab}
	}
	return event.Of(all)
}

func (d *daemon) put(t *testing.T, p ingest.Policy, b event.Batch, bytes int) (ingest.Receipt, error) {
	t.Helper()
	return d.Ingest(t.Context(), ingest.Upload{Session: "s", Batch: b, Bytes: bytes}, p)
}

// Each group of kinds of each tab has a window of its own, and a flood in one costs the others nothing.
func TestFloodsCostOnlyTheirOwnGroup(t *testing.T) {
	one := map[string]func() event.Event{
		"actions": func() event.Event { return &event.Action{Head: event.Head{Session: "s", Tab: 1}} },
		"errors":  func() event.Event { return &event.Exception{Head: event.Head{Session: "s", Tab: 1}} },
		"console": func() event.Event { return &event.Log{Head: event.Head{Session: "s", Tab: 1}} },
		"console_errors": func() event.Event {
			return &event.Log{Head: event.Head{Session: "s", Tab: 1}, Level: "error", Severity: event.SeverityError}
		},
		"network": func() event.Event {
			return &event.Exchange{Head: event.Head{Session: "s", Tab: 1},
				Status: 200}
		},
		"websocket":      func() event.Event { return &event.Message{Head: event.Head{Session: "s", Tab: 1}} },
		"dom":            func() event.Event { return &event.DOM{Head: event.Head{Session: "s", Tab: 1}} },
		"extension_logs": func() event.Event { return &event.ExtensionLog{Head: event.Head{Session: "s", Tab: 1}} },
	}
	for flood, make := range one {
		d := start(t, ingest.Config{Rate: 10, Burst: 10})
		var b event.Batch
		for range 30 {
			b = append(b, make())
		}
		if r, err := d.put(t, ingest.Drop, b, 0); err != nil || r.Stored != 10 || r.Dropped[make().Kind()] != 20 ||
			r.Rejected != nil {
			t.Errorf("%s: %+v, %v", flood, r, err)
		}
		for other, make := range one {
			want := 1
			if other == flood {
				want = 0
			}
			if r, _ := d.put(t, ingest.Drop, event.Batch{make()}, 0); r.Stored != want {
				t.Errorf("after a flood of %s, %d of %s are stored", flood, r.Stored, other)
			}
		}
		if r, _ := d.put(t, ingest.Drop, pageLogs(2, 10), 0); r.Stored != 10 {
			t.Errorf("after a flood of %s, another tab stores %d", flood, r.Stored)
		}
	}
	d := start(t, ingest.Config{Rate: 1, Burst: 1}) // a failed exchange counts as an error
	failed := func() event.Batch {
		return event.Batch{&event.Exchange{Head: event.Head{Session: "s", Tab: 1}, Status: 500, Outcome: "http_error"}}
	}
	d.put(t, ingest.Drop, event.Batch{one["network"]()}, 0)
	if r, _ := d.put(t, ingest.Drop, failed(), 0); r.Stored != 1 {
		t.Error("a failed exchange pays for others")
	}
	if r, _ := d.put(t, ingest.Drop, event.Batch{one["errors"]()}, 0); r.Stored != 0 {
		t.Error("a failed exchange does not count as an error")
	}
}

// A window lets in as many as it holds, and more only as its oldest tenth leaves it.
func TestTheWindowHoldsItsBurst(t *testing.T) {
	d := start(t, ingest.Config{Rate: 100, Burst: 200}) // two seconds, of slots of 0.2 s
	take := func(n int) int {
		t.Helper()
		r, err := d.put(t, ingest.Drop, pageLogs(1, n), 0)
		if err != nil {
			t.Fatal(err)
		}
		return r.Stored
	}
	for i, c := range []struct {
		pass time.Duration
		send int
		want int
	}{
		{0, 150, 150}, {200 * time.Millisecond, 50, 50}, {0, 1, 0}, {1799 * time.Millisecond, 10, 0},
		{time.Millisecond, 160, 150},
		{199 * time.Millisecond, 1, 0}, {time.Millisecond, 60, 50}, {0, 1, 0}, {time.Hour, 201, 200},
	} {
		d.pass(c.pass)
		if got := take(c.send); got != c.want {
			t.Errorf("step %d: %d of %d are let in, want %d", i, got, c.send, c.want)
		}
	}
	plain := start(t, ingest.Config{})
	if r, _ := plain.put(t, ingest.Drop, pageLogs(1, 5001), 0); r.Stored != 5000 {
		t.Errorf("by default %d are let in at once, want 5,000", r.Stored)
	}
	small := start(t, ingest.Config{Rate: 10, Burst: 3}) // a burst is at least a second's
	if r, _ := small.put(t, ingest.Drop, pageLogs(1, 20), 0); r.Stored != 10 {
		t.Errorf("a burst below the rate lets in %d, want 10", r.Stored)
	}
}

// A refused request says how long to wait, and is taken just then.
func TestRetryAfterIsTrue(t *testing.T) {
	for _, bytes := range []bool{false, true} {
		d := start(t, ingest.Config{Rate: 100, Burst: 500, ByteRate: 300})
		d.pass(100 * time.Second)
		each := map[bool]int{true: 3, false: 1}[bytes] // bytes of an event
		send := func(n int) error {
			b := pageLogs(1, n)
			if bytes {
				for _, e := range b {
					*e.Base() = event.Head{Origin: event.Origin{Source: "http", Service: "api"}}
				}
			}
			_, err := d.put(t, ingest.Refuse, b, n*each)
			return err
		}
		most := 500
		if bytes {
			most = 200
		}
		if err := send(most); err != nil {
			t.Fatal(err)
		}
		err := send(1)
		var limited *ingest.Limited
		if !errors.As(err, &limited) {
			t.Fatalf("bytes %v: %v", bytes, err)
		}
		unit := map[bool]string{true: "bytes", false: "events"}[bytes]
		want := fmt.Sprintf("more than %d %s per second came from one source", 100*each, unit)
		if p := problem.From(err); p.Code != problem.RateLimited || !strings.Contains(err.Error(), want) ||
			!strings.Contains(p.Fix, fmt.Sprintf("after %d s,",
				limited.RetryAfter/time.Second)) || limited.RetryAfter%time.Second != 0 {
			t.Errorf("bytes %v: %v, fix %q, after %v", bytes, err, p.Fix, limited.RetryAfter)
		}
		d.pass(limited.RetryAfter - time.Second - 1)
		if send(1) == nil {
			t.Errorf("bytes %v: a second early is taken", bytes)
		}
		d.pass(time.Second + 1)
		if err := send(1); err != nil {
			t.Errorf("bytes %v: after %v: %v", bytes, limited.RetryAfter, err)
		}
		err = send(most + 1)
		if p := problem.From(err); p.Code != problem.TooLarge ||
			!strings.Contains(p.Fix, fmt.Sprintf("at most %d %s", most*each, unit)) ||
			!strings.Contains(err.Error(), fmt.Sprintf("%d %s of one source", (most+1)*each, unit)) {
			t.Errorf("bytes %v: %v, fix %q", bytes, err, p.Fix)
		}
	}
}

// What is attempted is counted for the second and the one before, refused or not.
func TestStateTellsTheRate(t *testing.T) {
	d := start(t, ingest.Config{Rate: 10, Burst: 10})
	d.pass(100 * time.Second)
	if s := d.State(); s != (ingest.State{Threshold: 10}) {
		t.Errorf("at first: %+v", s)
	}
	d.put(t, ingest.Drop, pageLogs(1, 30), 0)
	d.put(t, ingest.Refuse, pageLogs(2, 12), 0)
	d.pass(time.Second)
	d.put(t, ingest.Drop, pageLogs(3, 5), 0)
	d.put(t, ingest.Refuse, pageLogs(4, 1), 0)
	d.put(t, ingest.Wait, pageLogs(5, 4), 0)
	for i, want := range []int{42, 10, 0, 0} {
		if s := d.State(); s.Rate != want || s.Total429s != 1 || s.Open || s.Reason != "" {
			t.Errorf("after %d s: %+v, want %d", i, s, want)
		}
		d.pass(time.Second)
	}
}

// Losses know their kind, cause and place; what cannot be a loss is not counted.
func TestLossesAreCounted(t *testing.T) {
	d := start(t, ingest.Config{})
	report := func(k event.Kind, c ingest.Cause, n int) {
		_, err := d.Ingest(t.Context(), ingest.Upload{Session: "s", Reports: []ingest.Report{{Tab: 1, Kind: k,
			Cause: c, Count: n}}}, ingest.Drop)
		if err != nil {
			t.Fatal(err)
		}
	}
	report(event.KindLog, ingest.Sender, 2)
	report(event.KindLog, ingest.Sender, 3)
	report(event.KindDOM, ingest.Gap, 1)
	report(event.Kind(200), ingest.Invalid, 4)
	report(event.Kind(event.KindCount), ingest.Invalid, 1)
	report(event.KindLog, ingest.Sender, 0)
	report(event.KindLog, ingest.Sender, -1)
	report(event.KindLog, ingest.Cause(99), 1)
	if got, want := d.lost(), "unknown/invalid=5 log/sender=5 dom/gap=1"; got != want {
		t.Errorf("lost %s, want %s", got, want)
	}
	if ingest.Cause(99).String() != "unknown" || ingest.TooLarge.String() != "too_large" ||
		ingest.Breaker.String() != "breaker" {
		t.Error("words of causes")
	}
	large := &event.Log{Head: event.Head{Session: "s", Tab: 3}, Message: strings.Repeat("x", 40<<20)}
	r, err := d.put(t, ingest.Drop, event.Batch{large}, 0)
	if err != nil || r.Stored != 0 || r.Dropped[event.KindLog] != 1 ||
		fmt.Sprint(d.LossesOf("s", 3, "")) != fmt.Sprint([]ingest.Loss{{Kind: event.KindLog, Cause: ingest.TooLarge, Count: 1}}) {
		t.Errorf("%+v, %v, lost %v", r, err, d.LossesOf("s", 3, ""))
	}
	service := event.Head{Origin: event.Origin{Source: "http", Service: "api"}}
	b := start(t, ingest.Config{ByteRate: 1})
	b.put(t, ingest.Drop, event.Batch{&event.Log{Head: service}, &event.Log{Head: service},
		&event.Log{Head: service}}, 300)
	if b.lost() != "log/rate=3" || len(b.LossesOf("s", 0, "")) != 0 || len(b.LossesOf("", 1, "")) != 0 ||
		len(b.LossesOf("", 0, "")) != 1 {
		t.Errorf("a service lost %s; a page is told %v", b.lost(), b.LossesOf("s", 1, ""))
	}
	if own, other := b.LossesOf("", 0, "api"), b.LossesOf("", 0, "web"); len(own) != 1 || len(other) != 0 {
		t.Errorf("the service is told %v, another one %v", own, other)
	}
	if _, err := b.Ingest(t.Context(), ingest.Upload{Session: "s", Reports: []ingest.Report{
		{Tab: 1, Kind: event.KindAction, Cause: ingest.Sender, Count: 2},
		{Origin: service.Origin, Kind: event.KindSpan, Cause: ingest.Invalid, Count: 3},
	}}, ingest.Drop); err != nil {
		t.Fatal(err)
	}
	if own, other := b.LossesOf("", 0, "api"), b.LossesOf("", 0, "web"); len(own) != 2 || own[1].Count != 3 || len(other) != 0 {
		t.Errorf("with reports the service is told %v, another one %v", own, other)
	}
	if page := b.LossesOf("s", 1, ""); len(page) != 1 || page[0].Kind != event.KindAction {
		t.Errorf("with reports a page is told %v", page)
	}
	if _, err := b.Ingest(t.Context(), ingest.Upload{Reports: []ingest.Report{{Cause: ingest.Gap, Count: 7}}}, ingest.Drop); err != nil {
		t.Fatal(err)
	}
	if other := b.LossesOf("", 0, "web"); len(other) != 1 || other[0].Count != 7 {
		t.Errorf("what nobody knows of concerns all: %v", other)
	}
}

// With Wait, what is given up before it begins stores nothing, and time of the limit is waited, not more.
func TestWaitIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, ingest.Config{})
		in := ingest.New(ingest.Config{Rate: 10, Burst: 20}, d.redactor, correlate.New(time.Now), d.store)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r, err := in.Ingest(ctx, ingest.Upload{Session: "s", Batch: pageLogs(1, 5)}, ingest.Wait)
		if !errors.Is(err, context.Canceled) || r.Stored != 0 {
			t.Errorf("%+v, %v", r, err)
		}
		began := time.Now()
		if r, err = in.Ingest(t.Context(), ingest.Upload{Session: "s", Batch: pageLogs(1, 60)},
			ingest.Wait); err != nil || r.Stored != 60 {
			t.Errorf("%+v, %v", r, err)
		}
		if took := time.Since(began); took < 3*time.Second || took > 5*time.Second {
			t.Errorf("60 at 10 a second, 20 at once, took %v", took)
		}
		if r, err = in.Ingest(t.Context(), ingest.Upload{}, ingest.Wait); err != nil || r.Stored != 0 {
			t.Errorf("nothing: %+v, %v", r, err)
		}
	})
}

// With Wait, what comes while the breaker of a service is open is stored when it has closed.
func TestWaitOutlastsTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, ingest.Config{})
		in := ingest.New(ingest.Config{ByteRate: 100}, d.redactor, correlate.New(time.Now), d.store)
		send := func(p ingest.Policy, bytes int) ingest.Receipt {
			l := &event.Log{Head: event.Head{Origin: event.Origin{Source: "http", Service: "api"}}}
			r, err := in.Ingest(t.Context(), ingest.Upload{Batch: event.Batch{l}, Bytes: bytes}, p)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		for range 6 {
			send(ingest.Drop, 300)
			time.Sleep(time.Second)
		}
		if s := in.State(); !s.Open || s.Reason != "lines of one service came at more than 100 bytes per second for 5 s" {
			t.Errorf("%+v", s)
		}
		began := time.Now()
		if r := send(ingest.Wait, 10); r.Stored != 1 || r.Dropped != nil {
			t.Errorf("%+v", r)
		}
		if took := time.Since(began); took < 9*time.Second || took > 11*time.Second {
			t.Errorf("it took %s", took)
		}
		if s := in.State(); s.Open {
			t.Errorf("%+v", s)
		}
	})
}

// When there are too many sources, those go that were silent for a minute; while none is, newcomers share a limit.
func TestNewcomersReplaceIdleSources(t *testing.T) {
	d := start(t, ingest.Config{Rate: 1, Burst: 1})
	d.pass(10 * time.Second)
	stored := func(from, to int) (n int) {
		for tab := from; tab <= to; tab++ {
			r, err := d.put(t, ingest.Drop, pageLogs(tab, 1), 0)
			if err != nil {
				t.Fatal(err)
			}
			n += r.Stored
		}
		return n
	}
	if n := stored(1, 1024); n != 1024 {
		t.Errorf("%d of 1,024 sources are let in", n)
	}
	if n := stored(2001, 2010); n != 1 {
		t.Errorf("%d of ten newcomers are let in, want one for all", n)
	}
	for range 6 {
		stored(2001, 2003)
		d.pass(time.Second)
	}
	if s := d.State(); s.Reason != "console of many new senders came at more than 1 events per second for 5 s" {
		t.Errorf("newcomers: %+v", s)
	}
	service := event.Batch{&event.Log{Head: event.Head{Origin: event.Origin{Source: "http", Service: "api"}}}}
	if r, err := d.put(t, ingest.Drop, service, 1); err != nil || r.Stored != 1 {
		t.Errorf("a service pays for tabs: %+v, %v", r, err)
	}
	d.pass(time.Minute)
	stored(1, 24)
	d.pass(time.Second)
	if n := stored(3001, 3010); n != 10 {
		t.Errorf("%d of ten newcomers are let in after the others were silent", n)
	}
	if n := stored(1, 24) + stored(1, 24); n != 24 {
		t.Errorf("%d of 24 sources are let in a second later, want each once", n)
	}
	if sources, _ := ingest.Sizes(d.Ingester); sources > 40 {
		t.Errorf("%d sources are kept", sources)
	}
}

// The breaker of a source that is asked for requests refuses them, and says when it may close.
func TestTheBreakerRefusesRequests(t *testing.T) {
	d := start(t, ingest.Config{Rate: 10, Burst: 10})
	d.pass(100 * time.Second)
	for range 5 {
		d.put(t, ingest.Drop, pageLogs(1, 30), 0)
		d.pass(time.Second)
	}
	_, err := d.put(t, ingest.Refuse, pageLogs(1, 3), 0)
	var limited *ingest.Limited
	if !errors.As(err, &limited) || limited.RetryAfter != 10*time.Second || d.lost() != "log/rate=100" {
		t.Fatalf("%v, lost %s", err, d.lost())
	}
	if s := d.State(); !s.Open || s.Reason != "console of tab 1 came at more than 10 events per second for 5 s" {
		t.Errorf("%+v", s)
	}
	d.pass(limited.RetryAfter + time.Second)
	if _, err := d.put(t, ingest.Refuse, pageLogs(1, 3), 0); err != nil || d.State().Open {
		t.Errorf("after %v: %v, %+v", limited.RetryAfter, err, d.State())
	}
}

// Requests that are refused as a whole open the breaker like events that are dropped.
func TestRefusedRequestsOpenTheBreaker(t *testing.T) {
	d := start(t, ingest.Config{Rate: 10, Burst: 10})
	d.pass(100 * time.Second)
	for second := range 5 {
		for i, refused := range []bool{false, true} {
			if _, err := d.put(t, ingest.Refuse, pageLogs(1, 10), 0); (err != nil) != refused {
				t.Errorf("request %d of second %d: %v", i, second, err)
			}
		}
		if d.State().Open {
			t.Errorf("open in second %d", second)
		}
		d.pass(time.Second)
	}
	if !d.State().Open {
		t.Error("not open after five seconds with refused requests")
	}
}

// An open breaker stays open as long as more comes than the rate, though all of it is refused.
func TestTheBreakerStaysOpenInAFlood(t *testing.T) {
	d := start(t, ingest.Config{Rate: 10, Burst: 10})
	flood := func(seconds, n int) {
		for range seconds {
			d.put(t, ingest.Drop, pageLogs(1, n), 0)
			d.pass(time.Second)
		}
	}
	flood(25, 11)
	if !d.State().Open {
		t.Error("closed in a flood")
	}
	if flood(9, 10); !d.State().Open {
		t.Error("closed after nine good seconds")
	}
	if flood(2, 10); d.State().Open {
		t.Error("open after eleven good seconds")
	}
}

// Every policy stamps when events came, and learns the sender's clock from when it says that it sent them.
func TestEventsAreCorrelated(t *testing.T) {
	for _, p := range []ingest.Policy{ingest.Drop, ingest.Refuse, ingest.Partial, ingest.Wait} {
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		clock := func() time.Time { return now }
		d := start(t, ingest.Config{})
		tests := correlate.New(clock)
		in := ingest.New(ingest.Config{Now: clock}, d.redactor, tests, d.store)
		e := &event.Log{Head: event.Head{Session: "s", Tab: 1, Time: now.Add(40 * time.Minute)}} // 20 minutes old
		u := ingest.Upload{Session: "s", Sent: now.Add(time.Hour), Batch: event.Batch{e}}
		if _, err := in.Ingest(t.Context(), u, p); err != nil {
			t.Fatal(err)
		}
		if off := tests.Offset(e.Clock); !e.Received.Equal(now) || off > -59*time.Minute || off < -61*time.Minute {
			t.Errorf("policy %d: received %v, its clock is off by %v", p, e.Received, off)
		}
	}
}

// Unless it is said otherwise, a service has 64 MiB in any two seconds.
func TestTheBytesOfAService(t *testing.T) {
	d := start(t, ingest.Config{})
	one := func() event.Batch {
		return event.Batch{&event.Log{Head: event.Head{Origin: event.Origin{Source: "run", Service: "api"}}}}
	}
	for i, c := range []struct {
		pass  time.Duration
		bytes int
		fits  bool
	}{
		{0, 32 << 20, true}, {0, 32<<20 + 1, false}, {time.Second, 32 << 20, true}, {0, 1, false},
		{time.Second, 32 << 20, true}, {0, 1, false}, {time.Hour, 64<<20 + 1, false}, {0, 64 << 20, true},
	} {
		d.pass(c.pass)
		r, err := d.put(t, ingest.Refuse, one(), c.bytes)
		if fits := err == nil && r.Stored == 1; fits != c.fits {
			t.Errorf("step %d, %d bytes after %v: taken %v, want %v (%v)", i, c.bytes, c.pass, fits, c.fits, err)
		}
	}
}

// A source is idle a minute after it was last asked for, whatever the policy of its requests.
func TestHowLongSourcesAreKept(t *testing.T) {
	for _, p := range []ingest.Policy{ingest.Drop, ingest.Refuse, ingest.Partial, ingest.Wait} {
		for _, c := range []struct {
			idle time.Duration
			want int
		}{{0, 1}, {time.Minute, 1}, {time.Minute + 1, 10}} {
			d := start(t, ingest.Config{Rate: 1, Burst: 1})
			d.pass(100 * time.Second)
			for tab := 1; tab <= 1024; tab++ {
				if r, err := d.put(t, p, pageLogs(tab, 1), 0); err != nil || r.Stored != 1 {
					t.Fatalf("policy %v: source %d: %+v, %v", p, tab, r, err)
				}
			}
			d.pass(c.idle)
			n := 0
			for tab := 2001; tab <= 2010; tab++ {
				r, err := d.put(t, ingest.Drop, pageLogs(tab, 1), 0)
				if err != nil {
					t.Fatal(err)
				}
				n += r.Stored
			}
			if n != c.want {
				t.Errorf("policy %v, silent for %v: %d of ten newcomers are let in, want %d", p, c.idle, n, c.want)
			}
		}
	}
	d := start(t, ingest.Config{Rate: 1, Burst: 1})
	for tab := 1; tab <= 1024; tab++ {
		if _, err := d.put(t, ingest.Drop, pageLogs(tab, 1), 0); err != nil {
			t.Fatal(err)
		}
	}
	d.pass(time.Minute + 1)
	first, _ := d.put(t, ingest.Drop, pageLogs(3001, 1), 0)
	again, _ := d.put(t, ingest.Drop, pageLogs(3001, 1), 0)
	if first.Stored != 1 || again.Stored != 0 {
		t.Errorf("a newcomer is let in %d and %d times, want once", first.Stored, again.Stored)
	}
}

// A request of a newcomer makes idle sources go before it is judged.
func TestRequestsOfNewcomersAreJudgedByTheirOwnLimit(t *testing.T) {
	d := start(t, ingest.Config{Rate: 1, Burst: 1})
	for tab := 1; tab <= 1024; tab++ {
		d.put(t, ingest.Refuse, pageLogs(tab, 1), 0)
	}
	d.pass(time.Minute)
	if _, err := d.put(t, ingest.Refuse, pageLogs(2001, 1), 0); err != nil {
		t.Errorf("the first newcomer: %v", err)
	}
	d.pass(1)
	if _, err := d.put(t, ingest.Refuse, pageLogs(2002, 1), 0); err != nil {
		t.Errorf("a newcomer, when others are idle: %v", err)
	}
}

// Tabs of one number in two sessions have limits and losses of their own; a report of nothing takes no room.
func TestSessionsAreToldApart(t *testing.T) {
	d := start(t, ingest.Config{Rate: 2, Burst: 2})
	for _, session := range []string{"a", "b"} {
		many := make([]event.Log, 3)
		for i := range many {
			many[i].Head = event.Head{Session: session, Tab: 1}
		}
		if session == "b" {
			many = many[:2]
		}
		r, err := d.Ingest(t.Context(), ingest.Upload{Session: session, Batch: event.Of(many)}, ingest.Drop)
		if err != nil || r.Stored != 2 {
			t.Errorf("session %s: stored %d, %v", session, r.Stored, err)
		}
	}
	if a, b := d.LossesOf("a", 1, ""), d.LossesOf("b", 1, ""); len(a) != 1 || a[0].Count != 1 || len(b) != 0 {
		t.Errorf("lost %v of a, %v of b", a, b)
	}
	none := ingest.Upload{Session: "c", Reports: []ingest.Report{{Tab: 1, Cause: ingest.Sender}}}
	if _, err := d.Ingest(t.Context(), none, ingest.Drop); err != nil {
		t.Fatal(err)
	}
	if _, places := ingest.Sizes(d.Ingester); places != 1 {
		t.Errorf("%d places, want that of session a alone", places)
	}
}

// A source that goes on alone is not idle: it gets no second burst when newcomers replace the others.
func TestTheLastSourceIsNotIdle(t *testing.T) {
	d := start(t, ingest.Config{Rate: 1, Burst: 1})
	store := func(tab int) int {
		r, err := d.put(t, ingest.Drop, pageLogs(tab, 1), 0)
		if err != nil {
			t.Fatal(err)
		}
		return r.Stored
	}
	for tab := 1; tab <= 1024; tab++ {
		store(tab)
	}
	for range 2 {
		d.pass(40 * time.Second)
		if store(1024) != 1 {
			t.Error("the last source is not let in")
		}
	}
	if store(2001) != 1 || store(1024) != 0 {
		t.Error("a newcomer gave the last source another burst")
	}
}

// Losses of causes that nobody knows are not counted; those of kinds that nobody knows are, as of none.
func TestLossesOfUnknownCausesAndKinds(t *testing.T) {
	d := start(t, ingest.Config{})
	report := func(k event.Kind, c ingest.Cause, n, tab int) {
		d.sync(nil, ingest.Report{Document: "d", Kind: k, Cause: c, Count: n, Tab: tab})
	}
	report(event.KindLog, ingest.TooLarge, 1, 1)
	report(event.KindLog, ingest.TooLarge+1, 10, 1)
	report(event.KindLog, 255, 100, 1)
	report(event.Kind(event.KindCount), ingest.Sender, 1, 1)
	report(255, ingest.Sender, 1, 1)
	if got, want := d.lost(), "unknown/sender=2 log/too_large=1"; got != want {
		t.Errorf("lost %q, want %q", got, want)
	}
	if got := (ingest.TooLarge + 1).String(); got != "unknown" {
		t.Errorf("a cause that nobody knows is called %q", got)
	}
	for tab := range 300 {
		report(event.KindLog, ingest.Sender, 1, tab+1)
	}
	if _, places := ingest.Sizes(d.Ingester); places != 257 {
		t.Errorf("%d places are told apart, want 256 and one for the rest", places)
	}
}

// Each instance of each service of each source has a budget of its own.
func TestServicesDoNotShareTheirBudgets(t *testing.T) {
	d := start(t, ingest.Config{ByteRate: 100})
	put := func(o event.Origin) error {
		_, err := d.put(t, ingest.Refuse, event.Batch{&event.Log{Head: event.Head{Origin: o}}}, 100)
		return err
	}
	first := event.Origin{Source: "sdk", Service: "api", Instance: "1"}
	if err := put(first); err != nil {
		t.Fatal(err)
	}
	full := false
	for range 100 {
		full = full || put(first) != nil
	}
	if !full {
		t.Error("one instance is let in beyond its budget")
	}
	for _, o := range []event.Origin{
		{Source: "http", Service: "api", Instance: "1"}, {Source: "sdk", Service: "web", Instance: "1"},
		{Source: "sdk", Service: "api", Instance: "2"},
	} {
		if err := put(o); err != nil {
			t.Errorf("%+v pays for another one: %v", o, err)
		}
	}
}

// After seconds in which nothing came, the rate is 0.
func TestTheRateOfASilentDaemon(t *testing.T) {
	d := start(t, ingest.Config{})
	d.put(t, ingest.Drop, pageLogs(1, 5), 0)
	d.pass(time.Second)
	d.put(t, ingest.Drop, pageLogs(1, 7), 0)
	if got := d.State().Rate; got != 5 {
		t.Errorf("rate %d, want that of the second before, 5", got)
	}
	d.pass(2 * time.Second)
	if got := d.State().Rate; got != 0 {
		t.Errorf("rate %d after a silent second, want 0", got)
	}
}

// The first event may be of no session and no tab.
func TestTheFirstEventIsOfNobody(t *testing.T) {
	d := start(t, ingest.Config{})
	done, err := d.Ingest(t.Context(), ingest.Upload{Batch: event.Batch{&event.Action{Head: event.Head{Origin: event.Origin{Source: "extension"}}}}}, ingest.Drop)
	if err != nil || done.Stored != 1 {
		t.Errorf("%+v %v", done, err)
	}
}

// Requests that were refused are counted, and no others.
func TestRefusedRequestsAreCounted(t *testing.T) {
	d := start(t, ingest.Config{Rate: 10, Burst: 10})
	for i, n := range []int{3, 3, 3, 9, 9} {
		_, err := d.put(t, ingest.Refuse, pageLogs(1, n), 0)
		if refused := max(0, i-2); (err != nil) != (refused > 0) || d.State().Total429s != uint64(refused) {
			t.Errorf("request %d: %v, %d were refused", i, err, d.State().Total429s)
		}
	}
}

// An event that is larger than all that a service may send at once passes alone, as soon as nothing else is under way.
func TestALargeEventIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, ingest.Config{})
		in := ingest.New(ingest.Config{ByteRate: 100}, d.redactor, correlate.New(time.Now), d.store)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		for i, bytes := range []int{100, 900} {
			l := &event.Log{Head: event.Head{Origin: event.Origin{Source: "tail", Service: "api"}}}
			if r, err := in.Ingest(ctx, ingest.Upload{Batch: event.Batch{l}, Bytes: bytes}, ingest.Wait); err != nil || r.Stored != 1 {
				t.Errorf("event %d: %+v %v", i, r, err)
			}
		}
		if took := time.Since(began); took < time.Second || took > 3*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}
