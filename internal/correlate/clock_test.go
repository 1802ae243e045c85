package correlate_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
)

const s = time.Second

// moment is an event of document d in session s: performance.now in ms, and its time from noon; the latter may be
// absent.
type moment struct {
	mono float64
	time time.Duration
	none bool // it has no time
}

// upload is a batch of one document, sent and received at the same time from noon.
type upload struct {
	at     time.Duration
	events []moment
}

// The order within a document follows performance.now, over batches too; where that says nothing, the wall clock does.
func TestTimesWithinADocument(t *testing.T) {
	for name, tt := range map[string]struct {
		uploads []upload
		want    string // times from noon
	}{
		"nothing is later than its receipt": {
			[]upload{{0, []moment{{1000, s, false}, {2000, 2 * s, false}}}},
			"-1s 0s",
		},
		"of equal ones the last leads": {
			[]upload{{0, []moment{{1000, s, false}, {1000, 2 * s, false}}}},
			"-1s 0s",
		},
		"without performance.now the last leads": {
			[]upload{{0, []moment{{0, s, false}, {0, 3 * s, false}, {0, 2 * s, false}}}},
			"-1s 0s 0s",
		},
		"a wall clock that was set back": {
			[]upload{{0, []moment{{1000, time.Hour, false}, {2000, -s, false}}}},
			"-2s -1s",
		},
		"an event without performance.now is not moved by it": {
			[]upload{{0, []moment{{0, -5 * s, false}, {10000, -s, false}}}},
			"-5s -1s",
		},
		"a wall clock that was set forth": {
			[]upload{{0, []moment{{5000, -3 * s, false}, {6000, -s, false}}}},
			"-3s -1s",
		},
		"in the future without performance.now": {
			[]upload{{0, []moment{{0, 10 * s, false}, {1000, -s, false}}}},
			"0s -1s",
		},
		"a difference that is no jump": {
			[]upload{{0, []moment{{5000, -2*s + 20*time.Millisecond, false}, {6000, -s, false}}}},
			"-1.98s -1s",
		},
		"without time and performance.now": {
			[]upload{{0, []moment{{0, 0, true}, {1000, -s, false}, {700, 0, true}}}},
			"0s -1s -300ms",
		},
		"before the last of the batch before": {
			[]upload{{0, []moment{{1000, -s, false}}}, {s, []moment{{2000, -5 * s, false}}}},
			"-1s -1s",
		},
		"beside the last of the batch before": {
			[]upload{{0, []moment{{1000, -s, false}}}, {s, []moment{{1000, -5 * s, false}}}},
			"-1s -1s",
		},
		"older than the batch before": {
			[]upload{{0, []moment{{1000, -s, false}}}, {s, []moment{{500, -5 * s, false}}}},
			"-1s -5s",
		},
		"after one without performance.now": {
			[]upload{{0, []moment{{0, 0, false}}}, {s, []moment{{5, -3 * s, false}}}},
			"0s -3s",
		},
		"the last of two equal ones counts": {
			[]upload{{0, []moment{{1000, -5 * s, false}, {1000, -s, false}}}, {s, []moment{{2000, -3 * s, false}}}},
			"-5s -1s -1s",
		},
		"the last of two equal batches counts": {
			[]upload{{0, []moment{{1000, -5 * s, false}}}, {s, []moment{{1000, -s, false}}},
				{2 * s, []moment{{2000, -3 * s, false}}}},
			"-5s -1s -1s",
		},
		"an older batch does not count": {
			[]upload{{0, []moment{{1000, -s, false}}}, {s, []moment{{500, -8 * s, false}}},
				{2 * s, []moment{{2000, -3 * s, false}}}},
			"-1s -8s -1s",
		},
	} {
		d := start()
		var got []time.Duration
		for _, u := range tt.uploads {
			var b event.Batch
			for _, m := range u.events {
				h := event.Head{Session: "s", Document: "d", Mono: m.mono}
				if !m.none {
					h.Time = noon.Add(m.time)
				}
				b = append(b, &event.Log{Head: h})
			}
			d.Batch(b, noon.Add(u.at), noon.Add(u.at))
			for i := range b {
				got = append(got, d.at(b, i).Sub(noon))
			}
		}
		if text := fmt.Sprint(got); text != "["+tt.want+"]" {
			t.Errorf("%s: %s, want [%s]", name, text, tt.want)
		}
	}
}

// Documents and senders that share a batch do not share their order or their clock.
func TestABatchOfSeveralSenders(t *testing.T) {
	d := start()
	// The clock of one is an hour ahead.
	d.Batch(logs(event.Head{Session: "ahead", Time: noon.Add(time.Hour)}), noon.Add(time.Hour), noon)
	head := func(session, document string, mono float64, at time.Duration) event.Head {
		return event.Head{Session: session, Document: document, Mono: mono, Time: noon.Add(at)}
	}
	b := logs(
		head("ahead", "a", 1000, time.Hour+s),
		head("right", "b", 1000, -9*s),
		head("right", "c", 3000, -8*s),
		head("ahead", "a", 2000, time.Hour+2*s),
		head("right", "b", 2000, -7*s),
		head("right", "c", 2000, -7*s),
	)
	d.Batch(b, time.Time{}, noon)
	var got []time.Duration
	for i := range b {
		got = append(got, d.at(b, i).Sub(noon))
	}
	if want := []time.Duration{-s, -9 * s, -8 * s, 0, -7 * s, -9 * s}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A sender that does not say when it sent is taken to have sent at its newest event, if that is in our future.
func TestASenderWithoutATimeOfSending(t *testing.T) {
	d := start()
	origin := event.Origin{Source: "otlp", Service: "api"}
	head := func(at time.Duration) event.Head { return event.Head{Origin: origin, Time: noon.Add(at)} }
	b := logs(head(time.Hour-5*s), head(time.Hour), head(time.Hour-3*s))
	d.Batch(b, time.Time{}, noon)
	for i, want := range []time.Duration{-5 * s, 0, -3 * s} {
		if got := d.at(b, i).Sub(noon); got != want {
			t.Errorf("event %d is at %v, want %v", i, got, want)
		}
	}
}

// What has no time has ours, also when it is learned later that the sender's clock is ahead.
func TestAnEventWithoutATimeKeepsOurs(t *testing.T) {
	d := start()
	origin := event.Origin{Source: "otlp", Service: "api"}
	none := logs(event.Head{Origin: origin})
	d.Batch(none, time.Time{}, noon)
	both := logs(event.Head{Origin: origin, Time: noon.Add(time.Hour)}, event.Head{Origin: origin})
	d.Batch(both, time.Time{}, noon)
	for _, at := range []time.Time{d.at(none, 0), d.at(both, 0), d.at(both, 1)} {
		if got := at.Sub(noon); got != 0 {
			t.Errorf("an event is at %v", got)
		}
	}
}

// A sender whose clock is ahead and that does not say when it sent waits for shorter and longer before it sends: what it
// wrote keeps its order and its distances, also to what came before.
func TestBatchesThatWaitedKeepTheirDistances(t *testing.T) {
	const ahead = 4 * time.Minute
	d := start()
	origin := event.Origin{Source: "otlp", Service: "api"}
	head := func(at time.Duration) event.Head { return event.Head{Origin: origin, Time: noon.Add(ahead + at)} }
	var all []event.Batch
	for _, at := range []time.Duration{-20 * s, -45 * s, -s, -50 * s} { // the newest event of each
		b := logs(head(at), head(at-s))
		d.Batch(b, time.Time{}, noon)
		all = append(all, b)
	}
	for i, want := range []time.Duration{-19 * s, -44 * s, 0, -49 * s} {
		if got := d.at(all[i], 0).Sub(noon); got != want {
			t.Errorf("batch %d is at %v, want %v", i, got, want)
		}
		if got := d.at(all[i], 0).Sub(d.at(all[i], 1)); got != s {
			t.Errorf("batch %d has events %v apart", i, got)
		}
	}
	// A clock that is set by more than batches wait is another stretch of it: what came before keeps its place.
	b := logs(head(10 * time.Minute))
	d.Batch(b, time.Time{}, noon)
	if a, c := d.at(all[2], 0).Sub(noon), d.at(b, 0).Sub(noon); a != 0 || c != 0 {
		t.Errorf("they are at %v and %v", a, c)
	}
}

// Each sender has a clock of its own, by each part of its name, and keeps it.
func TestEachSenderHasItsClock(t *testing.T) {
	heads := []event.Head{
		{Origin: event.Origin{Source: "sdk", Service: "api", Instance: "1"}},
		{Origin: event.Origin{Source: "sdk", Service: "api", Instance: "2"}},
		{Origin: event.Origin{Source: "sdk", Service: "web", Instance: "1"}},
		{Origin: event.Origin{Source: "tail", Service: "api", Instance: "1"}},
		{ClockDomain: "one"},
		{ClockDomain: "two"},
		{Session: "one"},
		{Session: "two"},
	}
	d := start()
	for i, h := range heads {
		behind := noon.Add(-time.Duration(i+1) * time.Hour)
		h.Time = behind
		d.Batch(logs(h), behind, noon)
	}
	for i, h := range heads {
		h.Time = noon.Add(-time.Duration(i+1)*time.Hour - 10*s)
		b := logs(h)
		d.Batch(b, time.Time{}, noon)
		if got := d.at(b, 0).Sub(noon); got != -10*s {
			t.Errorf("%+v: %v", h.Origin, got)
		}
	}
}

// Of the readings of a clock that agree, the one with the shortest way counts.
func TestTheShortestWayCounts(t *testing.T) {
	d := start()
	var first event.Batch
	for i, way := range []time.Duration{100, 250, 30, 30, 60} {
		b := logs(event.Head{Session: "s", Time: noon.Add(-time.Hour)})
		if i == 0 {
			first = b
		}
		d.Batch(b, noon.Add(-time.Hour), noon.Add(way*time.Millisecond))
		least := []time.Duration{100, 100, 30, 30, 30}[i] * time.Millisecond
		if got := d.at(first, 0).Sub(noon); got != least {
			t.Errorf("after %d readings the first event is at %v, want %v", i+1, got, least)
		}
	}
	// Differences of up to a second are the way, not the clock.
	for sent, want := range map[time.Duration]time.Duration{-s: -s, -s - time.Millisecond: 0} {
		d := start()
		b := logs(event.Head{Session: "s", Time: noon.Add(sent)})
		d.Batch(b, noon.Add(sent), noon)
		if got := d.at(b, 0).Sub(noon); got != want {
			t.Errorf("sent %v before: at %v, want %v", -sent, got, want)
		}
	}
	// From a quarter of a second on, a difference means that the clock was set.
	for by, same := range map[time.Duration]bool{250 * time.Millisecond: true, 251 * time.Millisecond: false} {
		d := start()
		clock := func(ahead time.Duration) event.Clock {
			b := logs(event.Head{Session: "s", Time: noon})
			d.Batch(b, noon.Add(ahead), noon)
			return b[0].Base().Clock
		}
		if got := clock(time.Hour) == clock(time.Hour+by); got != same {
			t.Errorf("set by %v: the same clock is %v", by, got)
		}
	}
}

// A clock that was set is known again when it is set back, as long as it is one of its last four settings.
func TestTheLastFourSettingsOfAClockAreKnown(t *testing.T) {
	for settings, known := range map[int]bool{2: true, 4: true, 5: false} {
		d := start()
		clock := func(hours int) event.Clock {
			b := logs(event.Head{Session: "s", Time: noon})
			d.Batch(b, noon.Add(time.Duration(hours)*time.Hour), noon)
			return b[0].Base().Clock
		}
		first := clock(0)
		for h := 1; h < settings; h++ {
			clock(h)
		}
		last := clock(settings - 1)
		if got := clock(0) == first; got != known {
			t.Errorf("after %d settings: the first is known is %v", settings, got)
		}
		if clock(settings-1) != last {
			t.Errorf("after %d settings the one before is not known", settings)
		}
	}
}

// Of more clocks and documents than are remembered, an eighth goes, those that were not used longest.
func TestWhatIsUsedIsRemembered(t *testing.T) {
	d := start()
	use := func(name string, mono float64, sent, at time.Duration) time.Duration {
		b := logs(event.Head{Session: name, Document: name, Mono: mono, Time: noon.Add(at)})
		when := time.Time{}
		if sent != 0 {
			when = noon.Add(sent)
		}
		d.Batch(b, when, noon)
		return d.at(b, 0).Sub(noon)
	}
	check := func(n, wantClocks, wantPages int) {
		t.Helper()
		if clocks, pages := correlate.Sizes(d.Correlator); clocks != wantClocks || pages != wantPages {
			t.Errorf("of %d: %d clocks and %d documents, want %d and %d", n, clocks, pages, wantClocks, wantPages)
		}
	}
	for i := range 4097 {
		if i == 1024 || i == 1025 {
			check(i, map[int]int{1024: 1024, 1025: 896}[i], i)
		}
		use(fmt.Sprint(i), 1000, -time.Hour, -time.Hour-s)
		if i == 4095 {
			_, pages := correlate.Sizes(d.Correlator)
			if pages != 4096 {
				t.Errorf("of %d documents %d are known", i+1, pages)
			}
		}
		if i > 0 { // the first is used all along
			if got := use("0", 1000, 0, -time.Hour-s); got != -s {
				t.Fatalf("after %d others the first is at %v", i, got)
			}
		}
	}
	if _, pages := correlate.Sizes(d.Correlator); pages != 4096-513+1 {
		t.Errorf("of 4097 documents %d are known", pages)
	}
	if got := use("0", 2000, -time.Hour, -time.Hour-5*s); got != -s {
		t.Errorf("a later event of the first document is at %v", got)
	}
	if got := use("4000", 2000, -time.Hour, -time.Hour-5*s); got != -s {
		t.Errorf("a later event of a new document is at %v", got)
	}
	if got := use("1", 2000, -time.Hour, -time.Hour-5*s); got != -5*s {
		t.Errorf("an event of a document that was forgotten is at %v", got)
	}
}

// One time that cannot be, wherever it stands in a batch, moves nothing but its own event: neither the others nor what comes
// later from the same machine.
func TestATimeThatCannotBeMovesNothingElse(t *testing.T) {
	origin := event.Origin{Source: "otlp", Service: "api"}
	head := func(at time.Time) event.Head { return event.Head{Origin: origin, ClockDomain: "host", Time: at} }
	for _, wrong := range []time.Time{
		noon.Add(time.Hour), noon.AddDate(70, 0, 0), time.Date(2261, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2400, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		for place := range 4 {
			for _, sent := range []time.Time{{}, noon} {
				d := start()
				b := logs(head(noon.Add(-3*s)), head(noon.Add(-3*s)), head(noon.Add(-3*s)), head(noon.Add(-3*s)))
				b[place].Base().Time = wrong
				d.Batch(b, sent, noon)
				for i := range b {
					want := -3 * s
					if i == place {
						want = 0
					}
					if got := d.at(b, i).Sub(noon); got != want {
						t.Errorf("%v as event %d, sent %v: event %d is at %v, want %v", wrong, place, sent, i, got, want)
					}
				}
			}
		}
		// Alone it cannot be told from a clock that is ahead; what comes next tells.
		d := start()
		alone := logs(head(wrong))
		d.Batch(alone, time.Time{}, noon)
		if got := d.at(alone, 0); !got.Equal(noon) {
			t.Errorf("%v alone is at %v", wrong, got)
		}
		later := noon.Add(time.Minute)
		next := logs(head(later.Add(-2*s)), head(later.Add(-s)))
		d.Batch(next, time.Time{}, later)
		for i, want := range []time.Duration{-2 * s, -s} {
			if got := d.at(next, i).Sub(later); got != want {
				t.Errorf("after %v event %d is at %v, want %v", wrong, i, got, want)
			}
		}
	}
}

// The newest event of a document has a time that no clock has: the others keep theirs.
func TestADocumentWhoseNewestTimeCannotBe(t *testing.T) {
	for _, wrong := range []time.Time{time.Unix(0, 1), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
		d := start()
		b := logs(
			event.Head{Session: "s", Document: "d", Mono: 900, Time: noon.Add(-200 * time.Millisecond)},
			event.Head{Session: "s", Document: "d", Mono: 1000, Time: wrong},
		)
		d.Batch(b, noon, noon)
		if got := d.at(b, 0).Sub(noon); got != -200*time.Millisecond {
			t.Errorf("%v: the event before is at %v", wrong, got)
		}
		if got := d.at(b, 1).Sub(noon); got != 0 {
			t.Errorf("%v: it is at %v", wrong, got)
		}
	}
}

// How far ahead a sender's clock is that does not say when it sent is told by its newest event: by those in our future where
// they are most, or where they are so near that a sender may have kept the others for that long.
func TestWhichEventTellsOfAClock(t *testing.T) {
	for name, c := range map[string]struct{ sent, want []time.Duration }{
		"ahead by less than it waits":    {[]time.Duration{-10 * s, -5 * s, 20 * s}, []time.Duration{-30 * s, -25 * s, 0}},
		"one wrong time of two":          {[]time.Duration{-5 * s, time.Hour}, []time.Duration{-5 * s, 0}},
		"ahead by an hour, and one more": {[]time.Duration{-5 * s, time.Hour - s, time.Hour}, []time.Duration{-time.Hour - 5*s, -s, 0}},
	} {
		d := start()
		var b event.Batch
		for _, at := range c.sent {
			b = append(b, logs(event.Head{Origin: event.Origin{Source: "otlp", Service: "api"}, Time: noon.Add(at)})...)
		}
		d.Batch(b, time.Time{}, noon)
		for i, want := range c.want {
			if got := d.at(b, i).Sub(noon); got != want {
				t.Errorf("%s: event %d is at %v, want %v", name, i, got, want)
			}
		}
	}
}

// Ids are those of W3C Trace Context in lower case, or none.
func TestIDsOfEventsAreCleaned(t *testing.T) {
	const trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for id, want := range map[string]string{"": "", span: span, "00F067AA0BA902B7": span, "00f067aa": "", "0000000000000000": "", "00f067aa0ba902bx": "", trace: ""} {
		got := start().stamp(event.Head{TraceID: trace, SpanID: id, Half: id})
		if got.SpanID != want || got.Half != want || got.TraceID != trace {
			t.Errorf("%q: span %q, half %q, trace %q", id, got.SpanID, got.Half, got.TraceID)
		}
		if got := start().stamp(event.Head{TraceID: id}).TraceID; (got != "") != (id == trace) {
			t.Errorf("trace %q: %q", id, got)
		}
	}
}
