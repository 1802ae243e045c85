package correlate_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// daemon is a correlator with a clock that the test turns.
type daemon struct {
	*correlate.Correlator
	now time.Time
}

func start() *daemon {
	d := &daemon{now: noon}
	d.Correlator = correlate.New(func() time.Time { return d.now })
	return d
}

func logs(heads ...event.Head) (b event.Batch) {
	for _, h := range heads {
		b = append(b, &event.Log{Head: h})
	}
	return b
}

// at returns when the daemon takes the i-th event of a batch to have happened.
func (d *daemon) at(b event.Batch, i int) time.Time {
	h := b[i].Base()
	return h.Time.Add(d.Offset(h.Clock))
}

func (d *daemon) stamp(h event.Head) event.Head {
	if h.Time.IsZero() {
		h.Time = d.now
	}
	b := logs(h)
	d.Batch(b, time.Time{}, d.now)
	return *b[0].Base()
}

func TestStampsWhileExactlyOneTestIsOpen(t *testing.T) {
	d := start()
	check := func(when string, h event.Head, want string) {
		t.Helper()
		if got := d.stamp(h).TestID; got != want {
			t.Errorf("%s: test %q, want %q", when, got, want)
		}
	}
	check("before any", event.Head{}, "")
	if _, err := d.Start("one", "1", "first", time.Time{}); err != nil {
		t.Fatal(err)
	}
	d.now = d.now.Add(time.Second)
	check("one open", event.Head{}, "one")
	check("its worker", event.Head{Worker: "1"}, "one")
	check("another worker", event.Head{Worker: "2"}, "")
	check("the sender's own", event.Head{TestID: "own"}, "own")
	check("from before the start", event.Head{Time: noon.Add(-time.Minute)}, "")
	if got := d.stamp(event.Head{}).Worker; got != "1" {
		t.Errorf("worker %q, want the test's", got)
	}
	if _, err := d.Start("two", "2", "", time.Time{}); err != nil {
		t.Fatal(err)
	}
	d.now = d.now.Add(time.Second)
	check("two open", event.Head{}, "")
	check("two open, worker named", event.Head{Worker: "2"}, "two")
	ended := d.now
	if b, err := d.End("one", "1", time.Time{}); err != nil || !b.Ended.Equal(ended) || b.Label != "first" {
		t.Errorf("End = %+v, %v", b, err)
	}
	d.now = d.now.Add(time.Second)
	check("one left", event.Head{}, "two")
	check("late, of the ended one", event.Head{Worker: "1", Time: ended.Add(-500 * time.Millisecond)}, "one")
	if open := d.Open(); len(open) != 1 || open[0].TestID != "two" {
		t.Errorf("open %+v", open)
	}
	d.now = d.now.Add(time.Hour)
	check("forgotten", event.Head{Worker: "1", Time: ended}, "")
}

func TestBoundariesThatDoNotFit(t *testing.T) {
	d := start()
	check := func(err error, want problem.Code) {
		t.Helper()
		var p *problem.Problem
		if !errors.As(err, &p) || p.Code != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	_, err := d.End("never", "", time.Time{})
	check(err, problem.Conflict)
	_, err = d.Start("", "", "", time.Time{})
	check(err, problem.MissingParam)
	_, err = d.Start(strings.Repeat("x", 1000), "", "", time.Time{})
	check(err, problem.InvalidParam)
	first, _ := d.Start("a", "", "", time.Time{})
	d.now = d.now.Add(time.Second)
	if again, err := d.Start("a", "", "", time.Time{}); err != nil || again != first {
		t.Errorf("a repeated start gave %+v, %v", again, err)
	}
	_, err = d.End("a", "other worker", time.Time{})
	check(err, problem.Conflict)
	for range 200 {
		_, err = d.Start(time.Duration(len(d.Open())).String(), "w", "", time.Time{})
	}
	check(err, problem.Conflict)
	// A runner whose clock is an hour ahead does not put its test into the future.
	d = start()
	if b, _ := d.Start("b", "", "", noon.Add(time.Hour)); !b.Started.Equal(noon) {
		t.Errorf("started %v", b.Started)
	}
	if b, _ := d.Start("c", "", "", noon.Add(-time.Second)); !b.Started.Equal(noon.Add(-time.Second)) {
		t.Errorf("started %v", b.Started)
	}
}

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "00f067aa0ba902b7"
	parent  = "00-" + traceID + "-" + spanID + "-01"
)

func TestParseTraceparent(t *testing.T) {
	check := func(s string, ok, sampled bool) {
		t.Helper()
		tp, got := correlate.ParseTraceparent(s)
		if got != ok || ok && (tp.TraceID != traceID || tp.SpanID != spanID || tp.Sampled != sampled) {
			t.Errorf("ParseTraceparent(%q) = %+v, %v", s, tp, got)
		}
	}
	check(parent, true, true)
	check(" "+parent+"\t", true, true)
	check(parent[:54]+"0", true, false)
	check(parent[:53]+"0b", true, true)
	check("cc"+parent[2:]+"-what-comes-later", true, true)
	check("cc"+parent[2:]+".x", false, false)
	check(parent+"-x", false, false)
	check("ff"+parent[2:], false, false)
	check("0g"+parent[2:], false, false)
	check(parent[:53]+"0g", false, false)
	check(strings.ToUpper(parent), false, false)
	check(strings.Replace(parent, traceID, strings.Repeat("0", 32), 1), false, false)
	check(strings.Replace(parent, spanID, strings.Repeat("0", 16), 1), false, false)
	check(parent[:54], false, false)
	check("", false, false)
}

func TestExchangesAdoptTraces(t *testing.T) {
	check := func(what string, e event.Exchange, trace, span string) {
		t.Helper()
		b := event.Batch{&e}
		start().Batch(b, time.Time{}, noon)
		if got := b[0].Base(); got.TraceID != trace || got.SpanID != span {
			t.Errorf("%s: trace %q span %q, want %q %q", what, got.TraceID, got.SpanID, trace, span)
		}
	}
	other := strings.Replace(parent, "4bf9", "aaaa", 1)
	check(
		"request",
		event.Exchange{
			RequestHeaders:  []event.Header{{Name: "Traceparent", Value: parent}},
			ResponseHeaders: []event.Header{{Name: "traceresponse", Value: other}},
		},
		traceID,
		spanID,
	)
	check(
		"answer",
		event.Exchange{ResponseHeaders: []event.Header{{Name: "TraceResponse", Value: parent}}},
		traceID,
		"",
	)
	check(
		"server timing header",
		event.Exchange{
			ResponseHeaders: []event.Header{
				{Name: "Server-Timing", Value: `db;dur=1, traceparent;desc="` + parent + `"`},
			},
		},
		traceID,
		"",
	)
	check("server timing", event.Exchange{ServerTiming: `traceparent;dur=1;desc=` + parent}, traceID, "")
	check(
		"own",
		event.Exchange{
			Head:         event.Head{TraceID: strings.ToUpper(traceID), SpanID: spanID},
			ServerTiming: `traceparent;desc=` + other,
		},
		traceID,
		spanID,
	)
	check("bad", event.Exchange{Head: event.Head{TraceID: "00", SpanID: spanID}}, "", spanID)
}

func TestPageURL(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		if got := correlate.PageURL(in); got != want {
			t.Errorf("PageURL(%q) = %q, want %q", in, got, want)
		}
		if got := correlate.PageURL(want); got != want {
			t.Errorf("PageURL(%q) = %q the second time", want, got)
		}
	}
	check("HTTP://LocalHost:80", "http://localhost/")
	check("https://Shop.example:443/A?B=c#top", "https://shop.example/A?B=c")
	check("http://localhost:3000/#/cart", "http://localhost:3000/#/cart")
	check("http://localhost:3000?x=1", "http://localhost:3000/?x=1")
	check("https://ann:pw@x.example/p", "https://x.example/p")
	check("https://@x.example/p", "https://x.example/p")
	check("https://x.example#top", "https://x.example/")
	check("https://x.example:80/", "https://x.example:80/")
	check("file:///home/ann/x.html#top", "file:///home/ann/x.html")
	check("://x", "://x")
	check("about:blank", "about:blank")
	check("", "")
}

func TestTimesOfAnotherClockBecomeOurs(t *testing.T) {
	d := start()
	ahead := time.Hour
	b := logs(
		event.Head{Session: "s", Document: "d", Mono: 1000, Time: noon.Add(ahead - 400*time.Millisecond)},
		event.Head{Session: "s", Document: "d", Mono: 1300, Time: noon.Add(ahead - 100*time.Millisecond)},
	)
	d.Batch(b, noon.Add(ahead), noon)
	if got, want := d.at(b, 0), noon.Add(-400*time.Millisecond); !got.Equal(want) {
		t.Errorf("time %v, want %v", got, want)
	}
	// A slower way later does not move the clock.
	later := noon.Add(10 * time.Second)
	b = logs(event.Head{Session: "s", Document: "d", Mono: 11000, Time: later.Add(ahead - 300*time.Millisecond)})
	d.Batch(b, later.Add(ahead-200*time.Millisecond), later)
	if got, want := d.at(b, 0), later.Add(-300*time.Millisecond); !got.Equal(want) {
		t.Errorf("time %v, want %v", got, want)
	}
}

// The start of a request moves with the event that tells of it, and is never the year one.
func TestStartsOfRequestsAreCorrected(t *testing.T) {
	c := correlate.New(func() time.Time { return noon })
	theirs := noon.Add(-time.Hour)
	b := event.Batch{
		&event.Exchange{
			Head:     event.Head{Session: "s", Time: theirs},
			Started:  theirs.Add(-2 * time.Second),
			Duration: time.Second,
		},
		&event.Exchange{Head: event.Head{Session: "s", Time: theirs}, Duration: time.Second},
		&event.Exchange{Head: event.Head{Session: "s"}, Started: theirs, Duration: time.Second},
		&event.Exchange{Head: event.Head{Session: "s"}},
	}
	c.Batch(b, theirs, noon)
	for i, want := range []time.Duration{-2 * time.Second, -time.Second, -time.Second, 0} {
		if got := b[i].(*event.Exchange).Started.Add(c.Offset(b[i].Base().Clock)).Sub(noon); got != want {
			t.Errorf("%d started %v from now, want %v", i, got, want)
		}
	}
}

func TestTimesOfTheSameClockAreKept(t *testing.T) {
	d := start()
	b := logs(
		event.Head{Session: "s", Document: "d", Mono: 5, Time: noon.Add(-10 * time.Minute)},
	) // waited in the spill
	d.Batch(b, noon.Add(-30*time.Millisecond), noon)
	if got := d.at(b, 0); !got.Equal(noon.Add(-10 * time.Minute)) {
		t.Errorf("time %v was changed", got)
	}
	if got := b[0].Base().Received; !got.Equal(noon) {
		t.Errorf("received %v", got)
	}
}

func TestMissingAndAbsurdTimesAreEstimated(t *testing.T) {
	d := start()
	b := logs(
		event.Head{Session: "s", Document: "d", Mono: 700},
		event.Head{Session: "s", Document: "d", Mono: 900, Time: time.Unix(0, 1)},
		event.Head{Session: "s", Document: "d", Mono: 1000, Time: noon.Add(48 * time.Hour)},
		event.Head{},
	)
	d.Batch(b, noon, noon)
	for i, want := range []time.Duration{-300 * time.Millisecond, -100 * time.Millisecond, 0, 0} {
		if got := d.at(b, i).Sub(noon); got != want {
			t.Errorf("event %d: %v from receipt, want %v", i, got, want)
		}
	}
}

func TestClockJumpsKeepTheOrder(t *testing.T) {
	for _, jump := range []time.Duration{-time.Hour, -700 * time.Millisecond, 700 * time.Millisecond, time.Hour} {
		d := start()
		mono := 0.0
		var last time.Time
		for batch := range 6 {
			received := noon.Add(time.Duration(batch) * time.Second)
			b := event.Batch{}
			for range 10 {
				mono += 100
				wall := noon.Add(time.Duration(mono) * time.Millisecond).Add(-time.Second)
				if mono > 2500 {
					wall = wall.Add(jump)
				}
				b = append(b, &event.Log{Head: event.Head{Session: "s", Document: "d", Mono: mono, Time: wall}})
			}
			sent := received
			if mono > 2500 {
				sent = sent.Add(jump)
			}
			d.Batch(b, sent, received)
			for i, e := range b {
				at, h := d.at(b, i), e.Base()
				if at.Before(last) {
					t.Errorf("jump %v: mono %v is at %v, before %v", jump, h.Mono, at.Sub(noon), last.Sub(noon))
				}
				if at.After(received) {
					t.Errorf("jump %v: mono %v is %v after receipt", jump, h.Mono, at.Sub(received))
				}
				last = at
			}
		}
	}
}

// One sender an hour ahead moves nobody else's lines.
func TestAClockThatIsWrongMovesOnlyItsOwnLines(t *testing.T) {
	d := start()
	from := func(service, instance, domain string) event.Head {
		return event.Head{
			Origin:      event.Origin{Source: "sdk", Service: service, Instance: instance},
			ClockDomain: domain,
			Time:        noon.Add(-time.Second),
		}
	}
	others := logs(
		from("api", "1", ""),
		from("api", "2", ""),
		from("web", "", ""),
		event.Head{Origin: event.Origin{Source: "ci"}, Time: noon.Add(-time.Second)},
	)
	d.Batch(others, noon, noon)
	wrong := logs(from("api", "3", ""))
	wrong[0].Base().Time = noon.Add(time.Hour - time.Second)
	d.Batch(wrong, noon.Add(time.Hour), noon)
	if got := d.at(wrong, 0); !got.Equal(noon.Add(-time.Second)) {
		t.Errorf("the wrong clock's line is at %v", got.Sub(noon))
	}
	if raw := wrong[0].Base().Raw; !raw.Equal(noon.Add(time.Hour - time.Second)) {
		t.Errorf("its own time is %v", raw)
	}
	for i := range others {
		if got := d.at(others, i); !got.Equal(noon.Add(-time.Second)) {
			t.Errorf("line %d of another clock is at %v", i, got.Sub(noon))
		}
	}
	same := logs(from("api", "4", "host"), from("web", "5", "host"))
	if d.Batch(same, noon, noon); same[0].Base().Clock != same[1].Base().Clock {
		t.Error("two services that name one clock have two")
	}
}

// What is learned of a clock later holds for what came before.
func TestOffsetsComeAfterStoring(t *testing.T) {
	d := start()
	h := event.Head{Session: "s", Time: noon.Add(-2 * time.Hour)}
	first := logs(h)
	d.Batch(first, time.Time{}, noon) // it does not say when it sent
	if got := d.at(first, 0); !got.Equal(noon.Add(-2 * time.Hour)) {
		t.Errorf("before anything is known: %v", got.Sub(noon))
	}
	d.Batch(logs(h), noon.Add(-2*time.Hour+time.Millisecond), noon)
	if got := d.at(first, 0); got.Before(noon.Add(-time.Second)) || got.After(noon) {
		t.Errorf("after a measure: %v", got.Sub(noon))
	}
}

// A clock that is set by hours, to and fro, does not move what was recorded before.
func TestAClockThatIsSetKeepsWhatWasBefore(t *testing.T) {
	d := start()
	received := noon
	var batches []event.Batch
	var want []time.Time
	for _, ahead := range []time.Duration{0, 3 * time.Hour, 0, -time.Hour, 3 * time.Hour, -time.Hour, 0} {
		received = received.Add(time.Minute)
		b := logs(event.Head{Session: "s", Time: received.Add(ahead - time.Second)})
		d.Batch(b, received.Add(ahead), received)
		batches, want = append(batches, b), append(want, received.Add(-time.Second))
	}
	for i, b := range batches {
		if got := d.at(b, 0); !got.Equal(want[i]) {
			t.Errorf("batch %d is at %v, want %v", i, got.Sub(noon), want[i].Sub(noon))
		}
	}
}

// Lines that are read from a file are as old as they are.
func TestOldLinesKeepTheirTime(t *testing.T) {
	d := start()
	b := logs(event.Head{Origin: event.Origin{Source: "tail", Service: "api"}, Time: noon.Add(-90 * 24 * time.Hour)})
	d.Batch(b, time.Time{}, noon)
	if got := d.at(b, 0); !got.Equal(noon.Add(-90 * 24 * time.Hour)) {
		t.Errorf("a line of ninety days ago is at %v", got)
	}
}

// When all numbers of clocks are given out, times are still right, and so is the order within a document.
func TestAnyNumberOfClocksIsBounded(t *testing.T) {
	d := start()
	send := func(name string, mono float64, before time.Duration, received time.Time) time.Duration {
		b := logs(event.Head{
			Origin:   event.Origin{Source: "sdk", Service: name, Instance: name},
			Document: name,
			Time:     noon.Add(time.Hour - before),
			Mono:     mono,
		})
		d.Batch(b, received.Add(time.Hour), received)
		return noon.Sub(d.at(b, 0))
	}
	for i := range 70_000 {
		if at := send(time.Duration(i).String(), 1, 10*time.Second, noon); at != 10*time.Second {
			t.Fatalf("clock %d: %v before now", i, at)
		}
	}
	if at := send(time.Duration(69_999).String(), 2, time.Minute, noon.Add(time.Second)); at != 10*time.Second {
		t.Errorf("an event that its wall clock puts before the last of its document is %v before now", at)
	}
	if clocks, pages := correlate.Sizes(d.Correlator); clocks > 1024 || pages > 4096 {
		t.Errorf("%d clocks, %d documents", clocks, pages)
	}
}

func TestTablesAreBounded(t *testing.T) {
	d := start()
	for i := range 6000 {
		name := time.Duration(i).String()
		b := logs(event.Head{Session: name, Document: name, Mono: 1, Time: noon})
		d.Batch(b, noon, noon)
	}
	if clocks, pages := correlate.Sizes(d.Correlator); clocks > 1024 || pages > 4096 || clocks < 512 || pages < 2048 {
		t.Errorf("%d clocks, %d documents", clocks, pages)
	}
}

func FuzzTraceparent(f *testing.F) {
	f.Add(parent)
	f.Fuzz(func(t *testing.T, s string) {
		tp, ok := correlate.ParseTraceparent(s)
		if !ok {
			return
		}
		if _, ok := correlate.ParseTraceparent("00-" + tp.TraceID + "-" + tp.SpanID + "-00"); !ok {
			t.Errorf("%q was read as %+v, which is not valid", s, tp)
		}
	})
}

func FuzzPageURL(f *testing.F) {
	f.Add("HTTP://u@LocalHost:80?x#/y")
	f.Fuzz(func(t *testing.T, s string) {
		once := correlate.PageURL(s)
		if twice := correlate.PageURL(once); twice != once {
			t.Errorf("%q, %q, %q", s, once, twice)
		}
	})
}
