package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/browser"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
)

// daemon is an ingester over a real store, with a clock that the test turns.
type daemon struct {
	*ingest.Ingester
	redactor *redact.Redactor
	store    *store.Store
	uploads  *browser.Receiver
	now      time.Time
	elapsed  time.Duration
}

func start(t testing.TB, c ingest.Config) *daemon {
	t.Helper()
	s, err := store.New(store.Config{Run: "test", Limits: store.DefaultLimits(64 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{store: s, redactor: redact.New(redact.Rules{}), now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	c.Now = func() time.Time { return d.now }
	c.Elapsed = func() time.Duration { return d.elapsed }
	d.Ingester = ingest.New(c, d.redactor, correlate.New(c.Now), s)
	d.uploads = browser.NewReceiver(d.Ingester)
	return d
}

// pass lets time go by.
func (d *daemon) pass(by time.Duration) {
	d.now, d.elapsed = d.now.Add(by), d.elapsed+by
}

// set turns the clock on the wall, and nothing else.
func (d *daemon) set(by time.Duration) { d.now = d.now.Add(by) }

// numbered returns logs of document "d" with these numbers.
func numbered(ns ...uint64) (b event.Batch) {
	for _, n := range ns {
		b = append(b, &event.Log{Head: event.Head{Session: "s", Document: "d", Sender: n}, Message: fmt.Sprint("m", n)})
	}
	return b
}

func (d *daemon) sync(b event.Batch, reports ...ingest.Report) browser.Receipt {
	r, err := d.uploads.Sync(context.Background(), ingest.Upload{Session: "s", Batch: b, Reports: reports})
	if err != nil {
		panic(err)
	}
	return r
}

func (d *daemon) lost() string {
	var parts []string
	for _, l := range d.Losses() {
		parts = append(parts, fmt.Sprintf("%v/%v=%d", l.Kind, l.Cause, l.Count))
	}
	return strings.Join(parts, " ")
}

func TestStoresRedactedEventsAndNumbersFindings(t *testing.T) {
	d := start(t, ingest.Config{})
	b := numbered(1, 2)
	secret := b[1].(*event.Log)
	secret.Message = "password=hunter2"
	r := d.sync(b)
	if r.Stored != 2 || r.Ack["d"] != 2 || r.Dropped != nil {
		t.Errorf("receipt %+v", r)
	}
	if secret.Message != "password=<secret#1>" {
		t.Errorf("stored %q", secret.Message)
	}
	want := event.Finding{Kind: "secret", Place: "message:password", Event: secret.Seq}
	if got := d.redactor.Findings(); len(got) != 1 || got[0] != want || want.Event == 0 {
		t.Errorf("findings %+v, want %+v", got, want)
	}
}

func TestSyncAcknowledgesWhatIsSettled(t *testing.T) {
	d := start(t, ingest.Config{})
	check := func(what string, r browser.Receipt, stored int, ack uint64) {
		t.Helper()
		if r.Stored != stored || r.Ack["d"] != ack {
			t.Errorf("%s: stored %d, ack %d; want %d, %d", what, r.Stored, r.Ack["d"], stored, ack)
		}
	}
	check("the row begins", d.sync(numbered(5, 6, 7)), 3, 7)
	check("repeated with more", d.sync(numbered(5, 6, 7, 8)), 1, 8)
	check("a hole", d.sync(numbered(11, 12)), 2, 8)
	check("part of it", d.sync(numbered(10, 11)), 1, 8)
	check("filled", d.sync(numbered(9)), 1, 12)
	check("older than the row's begin", d.sync(numbered(3)), 1, 12)
	check("that again", d.sync(numbered(3)), 0, 12)
	check("kinds one after the other", d.sync(numbered(13, 15, 17, 14, 16)), 5, 17)
	if d.lost() != "" {
		t.Errorf("lost %s", d.lost())
	}
	other := numbered(1)
	other[0].Base().Document = "e"
	if r := d.sync(other); r.Ack["e"] != 1 || r.Ack["d"] != 0 {
		t.Errorf("acks %v", r.Ack)
	}
	if r := d.sync(numbered(0, 0)); r.Stored != 2 || len(r.Ack) != 0 {
		t.Errorf("events without a number: %+v", r)
	}
}

func TestHolesAreClosedByReportsAndByAge(t *testing.T) {
	d := start(t, ingest.Config{})
	d.sync(numbered(1, 2))
	dropped := ingest.Report{Document: "d", Kind: event.KindLog, Cause: ingest.Sender, Count: 3}
	if r := d.sync(numbered(6, 7), dropped); r.Ack["d"] != 7 {
		t.Errorf("ack %d behind a reported hole, want 7", r.Ack["d"])
	}
	d.sync(numbered(6, 7), dropped) // the answer was lost: the same again
	if got, want := d.lost(), "log/sender=3"; got != want {
		t.Errorf("lost %q, want %q", got, want)
	}
	if r := d.sync(numbered(10)); r.Ack["d"] != 7 {
		t.Errorf("ack %d over an unexplained hole", r.Ack["d"])
	}
	d.pass(31 * time.Second)
	if r := d.sync(numbered(10, 11)); r.Ack["d"] != 11 {
		t.Errorf("ack %d after half a minute, want 11", r.Ack["d"])
	}
	if got, want := d.lost(), "unknown/gap=2 log/sender=3"; got != want {
		t.Errorf("lost %q, want %q", got, want)
	}
	refused := ingest.Report{Document: "d", Kind: event.KindAction, Cause: ingest.Invalid, Count: 1, Seq: 12}
	if r := d.sync(numbered(13), refused, refused); r.Ack["d"] != 13 {
		t.Errorf("ack %d over a refused event, want 13", r.Ack["d"])
	}
	if got, want := d.lost(), "unknown/gap=2 log/sender=3 action/invalid=1"; got != want {
		t.Errorf("lost %q, want %q", got, want)
	}
	// Every second number is missing, more often than holes are kept.
	var odd []uint64
	for n := uint64(15); n < 15+400; n += 2 {
		odd = append(odd, n)
	}
	if r := d.sync(numbered(odd...)); r.Ack["d"] < 200 {
		t.Errorf("ack %d, holes were kept without bound", r.Ack["d"])
	}
}

func TestSyncDropsOverTheLimitAndKeepsErrors(t *testing.T) {
	d := start(t, ingest.Config{})
	b := event.Batch{}
	for n := range uint64(6000) {
		b = append(b, &event.Log{Head: event.Head{Session: "s", Document: "d", Sender: n + 1}})
	}
	boom := &event.Exception{Head: event.Head{Session: "s", Document: "d", Sender: 6001}, Message: "boom"}
	failed := &event.Exchange{Head: event.Head{Session: "s", Document: "d", Sender: 6002}, URL: "/", Status: 500}
	b = append(b, boom, failed)
	r := d.sync(b)
	if r.Stored != 5002 || r.Dropped[event.KindLog] != 1000 || r.Ack["d"] != 6002 {
		t.Errorf("stored %d, dropped %v, ack %d", r.Stored, r.Dropped, r.Ack["d"])
	}
	if got, want := d.lost(), "log/rate=1000"; got != want {
		t.Errorf("lost %q, want %q", got, want)
	}
	if boom.Seq == 0 || failed.Seq == 0 {
		t.Errorf("errors were dropped with the flood")
	}
	other := numbered(1)
	other[0].Base().Tab = 7
	if r := d.sync(other); r.Stored != 0 && r.Dropped != nil {
		t.Errorf("another tab pays: %+v", r)
	}
	d.pass(5 * time.Second)
	if r := d.sync(numbered(6003)); r.Stored != 1 {
		t.Errorf("nothing is let in after the window: %+v", r)
	}
}

func TestWindowSlides(t *testing.T) {
	d := start(t, ingest.Config{Rate: 100, Burst: 500})
	n := uint64(0)
	send := func(count int) int {
		b := event.Batch{}
		for range count {
			n++
			b = append(b, &event.Log{Head: event.Head{Session: "s", Document: "d", Sender: n}})
		}
		return d.sync(b).Stored
	}
	total := 0
	for range 60 {
		total += send(50) // 100 each second: exactly the rate
		d.pass(500 * time.Millisecond)
	}
	if total != 3000 {
		t.Errorf("%d of 3000 at the rate were let in", total)
	}
	if got := send(1000); got > 100 {
		t.Errorf("a full window let in %d more", got)
	}
}

func TestRefuseRefusesWholeRequests(t *testing.T) {
	d := start(t, ingest.Config{Rate: 100, Burst: 500})
	take := func(n int) error {
		many := make([]event.Log, n)
		for i := range many {
			many[i].Session = "ci"
		}
		_, err := d.Ingest(t.Context(), ingest.Upload{Session: "ci", Batch: event.Of(many), Bytes: n, Reports: []ingest.Report{
			{Kind: event.KindLog, Cause: ingest.Sender, Count: 1},
		}}, ingest.Refuse)
		return err
	}
	if err := take(450); err != nil {
		t.Fatal(err)
	}
	err := take(100)
	var limited *ingest.Limited
	if !errors.As(err, &limited) || problem.From(err).Code != problem.RateLimited || limited.RetryAfter < time.Second ||
		limited.RetryAfter > 6*time.Second {
		t.Fatalf("take = %v", err)
	}
	// What is refused comes again: it is not lost, and what its sender reports counts when it is taken.
	if got, want := d.lost(), "log/sender=1"; got != want {
		t.Errorf("lost %q, want %q", got, want)
	}
	d.pass(limited.RetryAfter)
	if err := take(100); err != nil {
		t.Errorf("after Retry-After: %v", err)
	}
	if err := take(501); problem.From(err).Code != problem.TooLarge {
		t.Errorf("more than ever fits: %v", err)
	}
	if s := d.State(); s.Total429s != 2 || s.Threshold != 100 || s.Open {
		t.Errorf("state %+v", s)
	}
}

func TestBreakerOpensAndCloses(t *testing.T) {
	d := start(t, ingest.Config{Rate: 100, Burst: 100})
	n := uint64(0)
	flood := func(count int) browser.Receipt {
		b := event.Batch{}
		for range count {
			n++
			b = append(b, &event.Log{Head: event.Head{Session: "s", Document: "d", Sender: n}})
		}
		n++
		b = append(b, &event.Exception{Head: event.Head{Session: "s", Document: "d", Sender: n}})
		return d.sync(b)
	}
	for second := range 5 {
		if d.State().Open {
			t.Errorf("open after %d bad seconds", second)
		}
		flood(300)
		d.pass(time.Second)
	}
	s := d.State()
	if !s.Open || s.Rate != 301 || !strings.Contains(s.Reason, "console") {
		t.Errorf("after five bad seconds: %+v", s)
	}
	if r := flood(10); r.Stored != 1 || r.Dropped[event.KindLog] != 10 {
		t.Errorf("an open breaker let in %+v", r)
	}
	if !strings.Contains(d.lost(), "log/breaker=10") {
		t.Errorf("lost %q", d.lost())
	}
	d.pass(9 * time.Second)
	if r := flood(10); r.Stored != 1 {
		t.Errorf("closed after nine good seconds")
	}
	d.pass(2 * time.Second)
	if r := flood(10); r.Stored != 11 || d.State().Open {
		t.Errorf("still open after ten good seconds: %+v", d.State())
	}
}

func TestSourcesAndDocumentsAreBounded(t *testing.T) {
	d := start(t, ingest.Config{})
	for i := range 6000 {
		b := numbered(1)
		b[0].Base().Document = fmt.Sprint("d", i)
		b[0].Base().Tab = i
		d.sync(b)
	}
	if sources, _ := ingest.Sizes(d.Ingester); sources > 1024+8 {
		t.Errorf("%d sources", sources)
	}
}

func TestManySendersAtOnce(t *testing.T) {
	d := start(t, ingest.Config{})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for n := range uint64(50) {
				b := numbered(n + 1)
				b[0].Base().Document = fmt.Sprint("d", g)
				d.sync(b)
				d.State()
				d.Losses()
			}
		})
	}
	wg.Wait()
	if got := d.store.NextSeq(); got != 401 {
		t.Errorf("%d events were stored, want 400", got-1)
	}
}

// The tests of the redactor itself start no goroutines, so that they can run without the race detector.
func TestTheRedactorIsSafeForManyGoroutines(t *testing.T) {
	const senders, each = 8, 200
	r := redact.New(redact.Rules{})
	secret := func(g, i int) string { return fmt.Sprintf("password=%d-%d", g, i) }
	var got [senders][each]string
	var wg sync.WaitGroup
	for g := range senders {
		wg.Go(func() {
			for i := range each {
				got[g][i] = r.Text(secret(g, i))
				r.Findings()
			}
		})
	}
	wg.Wait()
	names := map[string]bool{}
	for g := range senders {
		for i := range each {
			names[got[g][i]] = true
			if again := r.Text(secret(g, i)); again != got[g][i] || strings.Contains(again, secret(g, i)) {
				t.Fatalf("%s became %s and then %s", secret(g, i), got[g][i], again)
			}
		}
	}
	if len(names) != senders*each {
		t.Errorf("%d pseudonyms for %d values", len(names), senders*each)
	}
}

// FuzzRow compares the row of spans with a plain set.
func FuzzRow(f *testing.F) {
	f.Add([]byte{1, 2, 3, 5, 4, 9, 9, 7, 8, 0, 6})
	f.Fuzz(func(t *testing.T, ns []byte) {
		d := start(t, ingest.Config{Rate: 1 << 30})
		seen := map[uint64]bool{}
		var last uint64
		for i, n := range ns {
			if i > 500 {
				break
			}
			n := uint64(n) + 1
			r := d.sync(numbered(n))
			if fresh := r.Stored == 1; fresh == seen[n] {
				t.Fatalf("number %d: stored %d, seen %v", n, r.Stored, seen[n])
			}
			seen[n] = true
			if ack := r.Ack["d"]; ack < last {
				t.Fatalf("ack went from %d back to %d", last, ack)
			} else if last = ack; !seen[ack] {
				t.Fatalf("ack %d never came", ack)
			}
			if seen[last+1] {
				t.Fatalf("ack %d, but %d has come", last, last+1)
			}
			if len(seen) > 60 {
				break // beyond, holes may be closed
			}
		}
	})
}

// A reader of one tab is told what may have been lost of it, and not what another tab lost.
func TestLossesAreToldByPlace(t *testing.T) {
	d := start(t, ingest.Config{})
	lose := func(session string, tab, n int) {
		u := ingest.Upload{Session: session, Reports: []ingest.Report{
			{Document: fmt.Sprint(session, tab), Tab: tab, Kind: event.KindLog, Cause: ingest.Sender, Count: n},
		}}
		if _, err := d.uploads.Sync(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	of := func(session string, tab int) (n uint64) {
		for _, l := range d.LossesOf(session, tab, "") {
			n += l.Count
		}
		return n
	}
	lose("a", 1, 1)
	lose("a", 2, 10)
	lose("b", 1, 100)
	lose("a", 0, 1000) // nobody knows of which tab
	for _, tt := range []struct {
		session string
		tab     int
		want    uint64
	}{{"a", 1, 1001}, {"a", 2, 1010}, {"a", 3, 1000}, {"b", 1, 100}, {"b", 2, 0}, {"a", 0, 1011}, {"", 0, 1111},
		{"c", 0, 0}} {
		if got := of(tt.session, tt.tab); got != tt.want {
			t.Errorf("of %s/%d: %d, want %d", tt.session, tt.tab, got, tt.want)
		}
	}
	for tab := range 1000 { // more places than are told apart
		lose("d", tab+1, 1)
	}
	if got := of("e", 5); got == 0 || got > 1000 {
		t.Errorf("beyond the places that are kept: %d", got)
	}
	if got := d.lost(); got != "log/sender=2111" {
		t.Errorf("in all: %s", got)
	}
	d.ForgetLosses()
	if of("", 0) != 0 || d.lost() != "log/sender=2111" {
		t.Errorf("forgotten: %d %s", of("", 0), d.lost())
	}
}

// A clock that is set back an hour or forward three loses and refuses nothing.
func TestAClockThatIsSetLosesNothing(t *testing.T) {
	for _, by := range []time.Duration{-time.Hour, 3 * time.Hour} {
		d := start(t, ingest.Config{Rate: 100, Burst: 500})
		n := uint64(0)
		for second := range 60 {
			if second == 20 {
				d.set(by)
			}
			var b event.Batch
			for range 100 {
				n++
				b = append(b, &event.Log{Head: event.Head{Session: "s", Document: "d", Sender: n}})
			}
			if r := d.sync(b); r.Stored != 100 || r.Ack["d"] != n {
				t.Fatalf(
					"set by %v: in second %d %d of 100 were stored, ack %d of %d",
					by,
					second,
					r.Stored,
					r.Ack["d"],
					n,
				)
			}
			line := &event.Log{Head: event.Head{Origin: event.Origin{Source: "http"}}}
			if _, err := d.Ingest(t.Context(), ingest.Upload{Batch: event.Batch{line}, Bytes: 100}, ingest.Refuse); err != nil {
				t.Fatalf("set by %v: %v", by, err)
			}
			d.pass(time.Second)
		}
		if d.lost() != "" || d.State().Open {
			t.Errorf("set by %v: lost %s, %+v", by, d.lost(), d.State())
		}
	}
}

// A service's lines have a budget of bytes, and a page's flood does not touch it.
func TestServicesHaveABudgetOfBytes(t *testing.T) {
	d := start(t, ingest.Config{})
	const n = 50_000
	many := make([]event.Log, n)
	for i := range many {
		many[i].Head = event.Head{Origin: event.Origin{Source: "sdk", Service: "api"}}
	}
	for second := range 3 {
		for i := 0; i < n; i += 5000 {
			r, err := d.Ingest(
				t.Context(),
				ingest.Upload{Batch: event.Of(many[i : i+5000]), Bytes: 5000 * 300},
				ingest.Refuse,
			)
			if err != nil || r.Stored != 5000 {
				t.Fatalf("second %d: stored %d: %v", second, r.Stored, err)
			}
		}
		d.pass(time.Second)
	}
}

func TestPartialTakesWhatFitsAndNamesTheRest(t *testing.T) {
	d := start(t, ingest.Config{ByteRate: 1000})
	many := make([]event.Log, 50)
	for i := range many {
		many[i].Origin = event.Origin{Source: "otlp", Service: "api"}
	}
	b := event.Of(many)
	r, err := d.Ingest(t.Context(), ingest.Upload{Batch: b, Bytes: 50 * 100}, ingest.Partial)
	if err != nil || r.Stored != 20 || len(r.Rejected) != 30 || r.Rejected[0].Event != event.Event(&many[20]) ||
		r.Rejected[0].Cause != ingest.OverRate {
		t.Errorf("stored %d, rejected %d, %v", r.Stored, len(r.Rejected), err)
	}
	if d.lost() != "log/rate=30" {
		t.Errorf("lost %s", d.lost())
	}
}

func TestWaitStoresEverythingInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, ingest.Config{ByteRate: 1000})
		began := time.Now()
		in := ingest.New(ingest.Config{ByteRate: 1000}, d.redactor, correlate.New(time.Now), d.store)
		batch := func() event.Batch {
			many := make([]event.Log, 100)
			for i := range many {
				many[i].Origin = event.Origin{Source: "tail", Service: "api"}
			}
			return event.Of(many)
		}
		r, err := in.Ingest(t.Context(), ingest.Upload{Batch: batch(), Bytes: 100 * 100}, ingest.Wait)
		if err != nil || r.Stored != 100 {
			t.Fatalf("stored %d: %v", r.Stored, err)
		}
		if took := time.Since(began); took < 7*time.Second || took > 11*time.Second {
			t.Errorf("10 kB at 1 kB a second took %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r, err = in.Ingest(ctx, ingest.Upload{Batch: batch(), Bytes: 100 * 100}, ingest.Wait)
		if !errors.Is(err, context.DeadlineExceeded) || r.Stored == 100 {
			t.Errorf("stored %d: %v", r.Stored, err)
		}
		if len(in.Losses()) != 0 {
			t.Errorf("lost %v", in.Losses())
		}
	})
}

// Made-up names of every sort cost no more than their bound.
func TestAnyNumberOfSendersIsBounded(t *testing.T) {
	d := start(t, ingest.Config{Rate: 1, Burst: 1, ByteRate: 1})
	for i := range 1500 {
		name := fmt.Sprintf("%064d", i)
		page := event.Head{Session: name, Document: name, Tab: i, Sender: 1}
		service := event.Head{Origin: event.Origin{Source: name, Service: name, Instance: name}}
		b := event.Batch{
			&event.Log{
				Head: page,
			}, &event.Exception{Head: page}, &event.Action{Head: page}, &event.Log{Head: service}, &event.Log{Head: service},
		}
		if _, err := d.uploads.Sync(t.Context(), ingest.Upload{Session: name, Batch: b, Bytes: 10}); err != nil {
			t.Fatal(err)
		}
	}
	sources, places := ingest.Sizes(d.Ingester)
	if sources > 1024+8 || places > 257 {
		t.Errorf("%d sources, %d places", sources, places)
	}
}
