package lines_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/lines"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/wire"
)

// from has a batch come from a sender by a token, or without one.
func (s *sink) from(t *testing.T, r *lines.Receiver, token, client string, number uint64, texts ...string) (duplicate bool, err error) {
	t.Helper()
	b := batchOf(number, texts...)
	b.Client = client
	a, err := r.Take(t.Context(), ingest.From{ID: token}, b)
	return a.Duplicate, err
}

// running has what is held stored when it is due, until the test ends.
func running(t *testing.T, r *lines.Receiver) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); r.Run(ctx) }()
	synctest.Wait() // it has nothing to do yet
	t.Cleanup(func() { cancel(); <-done })
}

// Nobody takes another one's numbers of batches by its name.
func TestSendersOfTokensAreApart(t *testing.T) {
	r, _, s := newReceiver(t, 0)
	for _, token := range []string{"", "away", "another"} {
		for n := range uint64(2) {
			if duplicate, err := s.from(t, r, token, "c", 1, "one"); err != nil || duplicate != (n == 1) {
				t.Errorf("token %q, time %d: duplicate %v, %v", token, n, duplicate, err)
			}
		}
	}
	s.want(t, "one", "one", "one")
}

// What a token sends is of the token's service and environment, also what was held back; and its limits are asked for all
// lines and bytes.
func TestWhatATokenSendsIsOfItsService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, in, s := newReceiver(t, 0)
		running(t, r)
		asked := ""
		from := ingest.From{ID: "away", Service: "shop", Environment: "prod", Allow: func(n, size int) error {
			asked = fmt.Sprint(n, " ", size)
			return nil
		}}
		b := batchOf(1, "plain", "ERROR may go on", "api-1  | one")
		b.Several, b.Dropped = true, 3
		if _, err := r.Take(t.Context(), from, b); err != nil || asked != "3 32" {
			t.Errorf("asked for %s, %v", asked, err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(s.stored()) != 4 {
			t.Fatalf("%d events", len(s.stored()))
		}
		for _, e := range s.stored() {
			if l := e.(*event.Log); l.Service != "shop" || !strings.Contains(l.Attributes, `"deployment.environment.name":"prod"`) {
				t.Errorf("%q is of %q: %s", l.Message, l.Service, l.Attributes)
			}
		}
		if here, there := in.LossesOf("", 0, "shop"), in.LossesOf("", 0, "other"); len(here) != 1 || here[0].Kind != event.KindLog || len(there) != 0 {
			t.Errorf("lost of the service: %+v, of another one: %+v", here, there)
		}
	})
}

// When there are too many senders, the one that was silent for longest is forgotten, and who is refused is told how many
// there are.
func TestTheSilentSenderIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := newReceiver(t, 0)
		all := func(token string, count int) {
			for i := range count {
				if _, err := s.from(t, r, token, fmt.Sprint(i), 1); err != nil {
					t.Fatalf("sender %d of token %q: %v", i, token, err)
				}
				time.Sleep(time.Millisecond)
			}
		}
		refused := func(token, says string) {
			if _, err := s.from(t, r, token, "more", 1); problem.From(err).Code != problem.RateLimited || !strings.Contains(fmt.Sprint(err), says) {
				t.Errorf("token %q: %v", token, err)
			}
		}
		kept := func(token string, i int) bool {
			duplicate, err := s.from(t, r, token, fmt.Sprint(i), 1)
			if err != nil {
				t.Fatal(err)
			}
			return duplicate
		}
		all("", 3) // of nobody's token, and silent for longer
		time.Sleep(time.Second)
		all("away", 64)
		refused("away", "64 senders")
		kept("away", 0) // it is heard of again
		time.Sleep(5 * time.Second)
		if _, err := s.from(t, r, "away", "more", 1); err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{0, 2, 3, 40, 63} {
			if !kept("away", i) {
				t.Errorf("sender %d of the token was forgotten", i)
			}
		}
		if !kept("", 0) || !kept("", 1) {
			t.Error("a sender without a token was forgotten")
		}
		if kept("away", 1) {
			t.Error("the silent sender was kept")
		}
	})
	synctest.Test(t, func(t *testing.T) { // of all
		r, _, s := newReceiver(t, 0)
		sends := func(token, client string, number uint64) bool {
			duplicate, err := s.from(t, r, token, client, number)
			if err != nil {
				t.Fatalf("%s: %v", client, err)
			}
			return duplicate
		}
		for i := range 256 {
			sends(fmt.Sprint("token ", i%8), fmt.Sprint(i), 1)
		}
		if _, err := s.from(t, r, "", "more", 1); problem.From(err).Code != problem.RateLimited || !strings.Contains(fmt.Sprint(err), "256 senders") {
			t.Error(err)
		}
		for i := range 256 {
			time.Sleep(20 * time.Millisecond)
			if i != 7 {
				sends(fmt.Sprint("token ", i%8), fmt.Sprint(i), 2)
			}
		}
		sends("", "more", 1)
		for i := range 256 {
			if i != 7 && !sends(fmt.Sprint("token ", i%8), fmt.Sprint(i), 2) {
				t.Fatalf("sender %d was forgotten", i)
			}
		}
		if _, err := s.from(t, r, "token 7", "7", 1); err == nil {
			t.Error("the silent sender was kept")
		}
	})
}

// What begins a record in a refused batch is not kept, in whatever stream.
func TestARefusedBatchLeavesNoRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := newReceiver(t, 1000)
		if _, err := s.from(t, r, "", "d", 1, strings.Repeat("x", 1990)); err != nil {
			t.Fatal(err)
		}
		b := batchOf(1, strings.Repeat("y", 900), "ERROR no stock")
		b.Lines[1].Stream = "stdout"
		if _, err := r.Take(t.Context(), ingest.From{}, b); err == nil {
			t.Fatal("it was not refused")
		}
		if _, err := s.from(t, r, "", "e", 1, "ERROR no card"); err != nil {
			t.Error("nothing is stored of what may go on, and it was refused:", err)
		}
		time.Sleep(10 * time.Second)
		take(t, r, b)
		last := batchOf(2)
		last.Finished = true
		take(t, r, last)
		s.want(t, strings.Repeat("x", 1990), strings.Repeat("y", 900), "no stock")
	})
}

// An open record keeps what was read of it, whatever a refused batch had: its rows, its attributes, and what may belong to it.
func TestAnOpenRecordStaysAsItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := newReceiver(t, 1000)
		take(t, r, batchOf(1, "ERROR no stock order=17", "  of sku-2"))
		if _, err := s.from(t, r, "", "d", 1, strings.Repeat("x", 1990)); err != nil {
			t.Fatal(err)
		}
		b := batchOf(2, "ERROR no card order=18 card=3", "  of a customer", "INFO "+strings.Repeat("y", 900))
		if _, err := r.Take(t.Context(), ingest.From{}, b); err == nil {
			t.Fatal("it was not refused")
		}
		time.Sleep(10 * time.Second)
		take(t, r, batchOf(2, "INFO next"))
		s.want(t, strings.Repeat("x", 1990), "no stock\n  of sku-2", "next")
		if l := s.stored()[1].(*event.Log); !strings.HasPrefix(l.Attributes, `{"order":17,`) {
			t.Error(l.Attributes)
		}
	})
}

// A name that is in a refused batch once is not counted twice when the batch comes again.
func TestNamesOfARefusedBatchAreCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := newReceiver(t, 1000)
		take(t, r, batchOf(1, "web:dev: "+strings.Repeat("x", 1970)))
		b := batchOf(2, "api:dev: two", strings.Repeat("y", 900))
		if _, err := r.Take(t.Context(), ingest.From{}, b); err == nil {
			t.Fatal("it was not refused")
		}
		time.Sleep(10 * time.Second)
		take(t, r, b)
		if got := texts(s.stored()[1:]); got[0] != "api:dev: two" {
			t.Errorf("%q", got)
		}
	})
}

// A client may have so many records that wait for their copy; what is more is stored at once.
func TestRecordsThatWaitForTheirCopyAreBounded(t *testing.T) {
	for _, count := range []int{5000, 5001} {
		synctest.Test(t, func(t *testing.T) {
			r, _, s := newReceiver(t, 0)
			texts := make([]string, count)
			for i := range texts {
				texts[i] = fmt.Sprint("line ", i)
			}
			b := batchOf(1, texts...)
			b.OTLP = true
			take(t, r, b)
			if stored := len(s.stored()); stored != map[int]int{5000: 0, 5001: 5001}[count] {
				t.Errorf("%d of %d are stored", stored, count)
			}
		})
	}
}

// Each line counts once to the bytes that are let in, when it is stored: at once, when its record was held back, with what came
// behind it, or at the end.
func TestEachLineCountsOnce(t *testing.T) {
	plain, open := strings.Repeat("x", 900), "ERROR may go on "+strings.Repeat("x", 884)
	for name, batches := range map[string][][]string{
		"held back":                          {{open}},
		"behind what is stored":              {{plain, open}},
		"with what came behind it":           {{open}, {plain}},
		"with what came behind it, and more": {{open}, {plain[:400], open[:500]}},
		"a part of a line":                   {{plain, "2026-11-26T12:00:00.0Z stdout P " + plain[:868]}},
		"a row at a time":                    {{open[:500]}, {"    at pay (/srv/app.js:7:9) " + plain[:371]}},
	} {
		for _, ends := range []string{"in time", "with the program", "with the daemon"} {
			t.Run(name+", stored "+ends, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r, _, s := newReceiver(t, 2000)
					ctx, cancel := context.WithCancel(t.Context())
					done := make(chan struct{})
					go func() { defer close(done); r.Run(ctx) }()
					sent := 0
					for i, texts := range batches {
						take(t, r, batchOf(uint64(i+1), texts...))
						for _, text := range texts {
							sent += len(text)
						}
					}
					switch ends {
					case "in time":
						time.Sleep(300 * time.Millisecond)
						synctest.Wait()
					case "with the program":
						b := batchOf(9)
						b.Finished = true
						take(t, r, b)
					}
					cancel()
					<-done
					if _, err := s.from(t, r, "", "d", 1, strings.Repeat("y", 4000-sent+20)); err == nil {
						t.Error("there was room for more")
					}
					if _, err := s.from(t, r, "", "d", 1, strings.Repeat("y", 4000-sent-20)); err != nil {
						t.Errorf("there was no room for the rest: %v", err)
					}
				})
			})
		}
	}
}

// Each record is stored when its own time has come, whoever else has one open: another sender, the other stream, another
// process.
func TestEachRecordHasItsOwnTime(t *testing.T) {
	for _, who := range []string{"sender", "stream", "process"} {
		synctest.Test(t, func(t *testing.T) {
			r, _, s := newReceiver(t, 0)
			running(t, r)
			begun := time.Now()
			number := map[string]uint64{}
			for i := range 8 {
				b := batchOf(0, fmt.Sprintf("ERROR no stock of sku-%d", i))
				switch who {
				case "sender":
					b.Client = fmt.Sprint(i)
				case "stream":
					b.Lines[0].Stream = []string{"stdout", "stderr"}[i%2]
				case "process":
					b.Several, b.Lines[0].Text = true, fmt.Sprintf("api-%d  | %s", i, b.Lines[0].Text)
				}
				number[b.Client]++
				b.Batch = number[b.Client]
				take(t, r, b)
				time.Sleep(20 * time.Millisecond)
			}
			for len(s.stored()) < 8 {
				if time.Since(begun) > time.Second {
					t.Fatalf("%s: %q", who, texts(s.stored()))
				}
				time.Sleep(10 * time.Millisecond)
				synctest.Wait()
				// The i-th began at 20 i, and is complete 300 ms later; in one stream the next one but one completes it.
				due := int((time.Since(begun) - 300*time.Millisecond) / (20 * time.Millisecond))
				if want := min(8, due); len(s.stored()) < want {
					t.Fatalf("%s: %d of %d are stored after %s", who, len(s.stored()), want, time.Since(begun))
				}
			}
			if got := slices.Compact(texts(s.stored())); len(got) != 8 {
				t.Errorf("%s: %q", who, got)
			}
		})
	}
}

// Records of the streams of a program are stored in the order in which they began.
func TestRecordsOfStreamsKeepTheirOrder(t *testing.T) {
	for range 10 { // streams are kept in a map
		r, _, s := newReceiver(t, 0)
		b := batchOf(1, "one", "ERROR two", "ERROR three", "ERROR four")
		b.Lines[1].Stream, b.Lines[3].Stream = "stdout", "other"
		b.Finished = true
		take(t, r, b)
		s.want(t, "one", "two", "three", "four")
	}
}

// What a program writes to streams of any other name is one stream, which no record names.
func TestStreamsOfOtherNames(t *testing.T) {
	r, _, s := newReceiver(t, 0)
	b := batchOf(1, "Error: no stock", "    at pay (/srv/a.js:3:9)", "out", "err")
	for i, name := range []string{"log", "journal", "stdout", "stderr"} {
		b.Lines[i].Stream = name
	}
	b.Finished = true
	take(t, r, b)
	s.want(t, "! Error: no stock", "out", "err")
	for i, want := range []string{`{"log.iostream":"stdout"}`, `{"log.iostream":"stderr"}`} {
		if l := s.stored()[i+1].(*event.Log); l.Attributes != want {
			t.Errorf("%q has %s", l.Message, l.Attributes)
		}
	}
}

// An id in a text that is the one of a kept trace makes the line a part of it.
func TestLinesOfKeptTraces(t *testing.T) {
	r, in, s := newReceiver(t, 0)
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	span := &event.Span{Head: event.Head{Time: time.Now(), Origin: event.Origin{Source: "otlp", Service: "api"}, TraceID: trace, SpanID: "00f067aa0ba902b7"}, Name: "pay"}
	if _, err := in.Ingest(t.Context(), ingest.Upload{Batch: event.Batch{span}}, ingest.Partial); err != nil {
		t.Fatal(err)
	}
	take(t, r, batchOf(1, "paid by "+trace))
	if got := s.stored()[1].Base().TraceID; got != trace {
		t.Errorf("it is of trace %q", got)
	}
}

// Times that no clock can have are none: the line is of when it came.
func TestTimesThatAreNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := newReceiver(t, 0)
		time.Sleep(24 * time.Hour) // no clock is believed to be before the first day of the test's
		now := time.Now()
		last := now.Add(-time.Hour)
		b := batchOf(1, "none", "before", "of an hour ago", "too far")
		for i, ms := range []float64{0, -1, float64(last.UnixMilli()), 1e14 + 1} {
			b.Lines[i].T = ms
		}
		take(t, r, b)
		for i, want := range []time.Time{now, now, last, now} {
			if h := s.stored()[i].Base(); h.Time.Sub(want).Abs() > time.Second {
				t.Errorf("%s is of %s, want %s", texts(s.stored())[i], h.Time, want)
			}
		}
	})
}

// What the receiver says itself has a level, a time and the sender's name; a line that the sender cut is told to be cut.
func TestWhatTheReceiverSaysItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(24 * time.Hour)
		r, _, s := newReceiver(t, 0)
		b := batchOf(1, "cut")
		b.Lines[0].Size = 1 << 20
		b.Lines = append(b.Lines, wire.Line{T: float64(time.Now().Add(-time.Minute).UnixMilli()), Binary: 100, Stream: "stdout"})
		b.Dropped, b.Finished, b.Ended = 17, true, "exit status 1"
		take(t, r, b)
		got := map[string]int{}
		for _, e := range s.stored() {
			l := e.(*event.Log)
			if l.Service != "api" {
				t.Errorf("%q is of %q", l.Message, l.Service)
			}
			ago := time.Since(l.Time).Round(time.Minute)
			got[fmt.Sprintf("%s %d %s %s %.12s", l.Level, l.Severity, ago, strings.Join(l.Flags.Names(), ","), l.Message)]++
		}
		want := map[string]int{
			"warn 13 0s  17 lines bef": 1, "info 9 0s truncated cut … [cut: ": 1, "warn 13 1m0s  binary outpu": 1, "error 17 0s  the program ": 1,
		}
		if !maps.Equal(got, want) {
			t.Errorf("%v", got)
		}
	})
}

// What waits for its copy goes on to wait when the batch that would have stored it is refused.
func TestWhatWaitsStaysWhenABatchIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := newReceiver(t, 1000)
		running(t, r)
		first := batchOf(1, "one", "two")
		first.OTLP = true
		take(t, r, first)
		if _, err := s.from(t, r, "", "d", 1, strings.Repeat("x", 1990)); err != nil {
			t.Fatal(err)
		}
		last := batchOf(2, strings.Repeat("y", 900))
		last.OTLP, last.Finished = true, true
		if _, err := r.Take(t.Context(), ingest.From{}, last); err == nil {
			t.Fatal("it was not refused")
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		s.want(t, strings.Repeat("x", 1990), "one", "two")
	})
}

// The end of a file tells the zone of its times, whether lines come with it or not.
func TestTheEndOfAFileTellsTheZone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(100 * time.Hour)
		r, _, s := newReceiver(t, 0)
		now := time.Now()
		there := func(at time.Time) string { return at.In(time.Local).Add(5 * time.Hour).Format("2006-01-02 15:04:05") }
		b := batchOf(1, there(now.Add(-40*time.Hour))+" INFO paid")
		b.Source, b.End = "tail", &wire.Line{T: float64(now.UnixMilli()), Text: there(now) + " INFO last"}
		take(t, r, b)
		if d := s.stored()[0].Base().Time.Sub(now.Add(-40 * time.Hour)); d.Abs() > time.Second {
			t.Errorf("off by %s", d)
		}
		b = batchOf(2)
		b.Source, b.End = "tail", &wire.Line{T: float64(now.UnixMilli()), Text: there(now) + " INFO last"}
		take(t, r, b)
	})
}

// A sender that says when it sent tells how far its clock is behind.
func TestTheClockOfASender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(100 * time.Hour)
		kept, err := store.New(store.Config{Run: "r", FirstSeq: 1, Limits: store.DefaultLimits(32 << 20)})
		if err != nil {
			t.Fatal(err)
		}
		s, clocks := &sink{Store: kept}, correlate.New(time.Now)
		r := lines.NewReceiver(lines.Config{Ingest: ingest.New(ingest.Config{}, redact.New(redact.Rules{}), clocks, s)})
		b := batchOf(1, "paid")
		behind := float64(time.Now().Add(-10 * time.Minute).UnixMilli())
		b.Host, b.Sent, b.Lines[0].T = "elsewhere", behind, behind
		take(t, r, b)
		h := s.stored()[0].Base()
		if d := time.Since(h.Time.Add(clocks.Offset(h.Clock))); d.Abs() > time.Second {
			t.Errorf("off by %s", d)
		}
	})
}

// What waits for its copy is stored at once for who reads next, and what was held when its time has come, whoever runs.
func TestAReadStoresWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := newReceiver(t, 0)
		b := batchOf(1, "one", "two")
		b.OTLP = true
		take(t, r, b)
		begun := time.Now()
		if !r.Settle(t.Context(), time.Second) || time.Since(begun) > 350*time.Millisecond {
			t.Errorf("not all after %s", time.Since(begun))
		}
		s.want(t, "one", "two")
		take(t, r, batchOf(2, "ERROR three"))
		if !r.Settle(t.Context(), time.Second) {
			t.Error("not all")
		}
		s.want(t, "one", "two", "three")
	})
}

// A line of a file that is read as it is written tells the zone, as a program's does.
func TestALiveLineOfAFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(100 * time.Hour)
		r, _, s := newReceiver(t, 0)
		now := time.Now()
		b := batchOf(1, now.In(time.Local).Add(5*time.Hour).Format("2006-01-02 15:04:05")+" INFO paid")
		b.Source, b.Lines[0].Live = "tail", true
		take(t, r, b)
		if d := s.stored()[0].Base().Time.Sub(now); d.Abs() > time.Second {
			t.Errorf("off by %s", d)
		}
	})
}

// Who gives a name that is too long is told how long it may be.
func TestLongNamesAreTold(t *testing.T) {
	_, err := lines.Read([]byte(`{"service":"` + strings.Repeat("n", 257) + `","client":"c","source":"run","batch":1}`))
	if fix := problem.From(err).Fix; !strings.Contains(fix, "256 bytes") {
		t.Errorf("%q", fix)
	}
}
