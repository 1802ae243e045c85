package lines_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/follow"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/lines"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/wire"
)

// sink keeps the events that a store would.
type sink struct {
	*store.Store
	mu  sync.Mutex
	got []event.Event
}

func (s *sink) Append(b event.Batch) store.Appended {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, b...)
	return s.Store.Append(b)
}

// stored is what came so far.
func (s *sink) stored() []event.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got[:len(s.got):len(s.got)]
}

func newReceiver(t testing.TB, rate int) (*lines.Receiver, *ingest.Ingester, *sink) {
	t.Helper()
	kept, err := store.New(store.Config{Run: "r", FirstSeq: 1, Limits: store.DefaultLimits(32 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{Store: kept}
	in := ingest.New(ingest.Config{ByteRate: rate}, redact.New(redact.Rules{}), correlate.New(time.Now), s)
	return lines.NewReceiver(lines.Config{Ingest: in, Known: kept.HasTrace}), in, s
}

func batchOf(number uint64, texts ...string) wire.Lines {
	b := wire.Lines{V: 1, Service: "api", Instance: "1", Source: "run", Client: "c", Batch: number}
	now := float64(time.Now().UnixMicro()) / 1000
	for i, text := range texts {
		b.Lines = append(b.Lines, wire.Line{T: now + float64(i)/1000, Stream: "stderr", Text: text})
	}
	return b
}

func (s *sink) want(t *testing.T, texts ...string) {
	t.Helper()
	var got []string
	for _, e := range s.stored() {
		switch e := e.(type) {
		case *event.Log:
			got = append(got, e.Message)
		case *event.Exception:
			got = append(got, "! "+e.Type+": "+e.Message)
		}
	}
	if strings.Join(got, "|") != strings.Join(texts, "|") {
		t.Errorf("stored %q, want %q", got, texts)
	}
}

func take(t *testing.T, r *lines.Receiver, b wire.Lines) wire.LinesAnswer {
	t.Helper()
	a, err := r.Take(t.Context(), ingest.From{}, b)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestABatchIsTakenOnce(t *testing.T) {
	r, _, s := newReceiver(t, 0)
	if a := take(t, r, batchOf(1, "one")); a.Accepted != 1 || a.Duplicate {
		t.Errorf("%+v", a)
	}
	if a := take(t, r, batchOf(1, "one")); a.Accepted != 0 || !a.Duplicate {
		t.Errorf("%+v", a)
	}
	take(t, r, batchOf(2, "two"))
	other := batchOf(1, "of another")
	other.Client = "d"
	take(t, r, other)
	s.want(t, "one", "two", "of another")
}

func TestAStackMayComeInSeveralBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, _, s := newReceiver(t, 0)
		done := make(chan struct{})
		go func() { defer close(done); r.Run(ctx) }()
		take(t, r, batchOf(1, "hello", "Traceback (most recent call last):", `  File "/app/pay.py", line 3, in pay`))
		s.want(t, "hello")
		time.Sleep(200 * time.Millisecond)
		take(t, r, batchOf(2, `    raise ValueError("x")`, "ValueError: x"))
		time.Sleep(250 * time.Millisecond)
		synctest.Wait()
		s.want(t, "hello")
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		s.want(t, "hello", "! ValueError: x")
		take(t, r, batchOf(3, "ERROR might go on"))
		cancel()
		<-done
		s.want(t, "hello", "! ValueError: x", "might go on")
	})
}

func TestTheLastBatchLeavesNothingOpen(t *testing.T) {
	r, _, s := newReceiver(t, 0)
	b := batchOf(1, "panic: boom")
	b.Finished = true
	take(t, r, b)
	s.want(t, "panic: boom")
}

// A terminal echoes the key at the beginning of what the program writes next.
func TestAnErrorBehindTheEchoOfCtrlC(t *testing.T) {
	r, _, s := newReceiver(t, 0)
	b := batchOf(1, "^C^CTraceback (most recent call last):", `  File "/app/pay.py", line 3, in pay`, "KeyboardInterrupt: x",
		"^Cbye")
	b.Finished = true
	take(t, r, b)
	s.want(t, "! KeyboardInterrupt: x", "^Cbye")
	if x := s.got[0].(*event.Exception); x.Mechanism != "uncaught" || !strings.HasPrefix(x.RawStack, "Traceback") {
		t.Errorf("%s, %q", x.Mechanism, x.RawStack)
	}
}

// A program that was killed says nothing itself.
func TestHowAProgramFailedIsTold(t *testing.T) {
	r, _, s := newReceiver(t, 0)
	b := batchOf(1, "panic: boom")
	b.Finished, b.Ended = true, "signal: killed"
	take(t, r, b)
	s.want(t, "panic: boom", "the program ended: signal: killed")
	if l := s.stored()[1].(*event.Log); l.Level != "error" || l.Logger != "gasoline" {
		t.Errorf("%+v", l)
	}
}

// What runs several processes puts their names in front: each is a service, with its own open record.
func TestLinesOfSeveralProcesses(t *testing.T) {
	r, _, s := newReceiver(t, 0)
	b := batchOf(1,
		"Attaching to api-1, db-1",
		"\x1b[36mapi-1  | \x1b[0mTraceback (most recent call last):",
		"db-1   | 2026-11-22 10:00:00.000 UTC [1] LOG:  ready",
		"api-1  |   File \"/app/pay.py\", line 3, in pay",
		"10:31:02 web.2    | listening | on 3000",
		"api-1  | ValueError: no price",
		"a b | not a name",
		"/bin/x | y",
		"api-1|x",
		"api-1 exited with code 1",
	)
	b.Several = true
	b.Finished = true
	take(t, r, b)
	got := map[string]string{}
	for _, e := range s.stored() {
		h := e.Base()
		text := ""
		switch e := e.(type) {
		case *event.Log:
			text = e.Message
		case *event.Exception:
			text = e.Type + ": " + e.Message
		}
		got[h.Origin.Service+" "+h.Origin.Instance] += text + "\n"
	}
	want := map[string]string{
		"api 1":     "Attaching to api-1, db-1\na b | not a name\n/bin/x | y\napi-1|x\napi-1 exited with code 1\n",
		"api api-1": "ValueError: no price\n",
		"db db-1":   "ready\n",
		"web web.2": "listening | on 3000\n",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
	s.got = nil
	b = batchOf(2, "api-1  | one")
	take(t, r, b) // nobody says that there are several
	s.want(t, "api-1  | one")
}

// A record that may go on is stored when its own stream and process are silent, however much others say meanwhile.
func TestOthersDoNotHoldARecordBack(t *testing.T) {
	for _, several := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r, _, s := newReceiver(t, 0)
			ctx, end := context.WithCancel(t.Context())
			defer end()
			done := make(chan struct{})
			go func() { r.Run(ctx); close(done) }()
			say := func(n uint64, stream, text string) {
				b := batchOf(n)
				b.Several = several
				b.Lines = []wire.Line{{Stream: stream, Text: text}}
				take(t, r, b)
			}
			say(1, "stderr", "api-1  | ERROR could not pay")
			for n := range uint64(4) {
				time.Sleep(200 * time.Millisecond)
				if several {
					say(n+2, "stderr", "db-1   | WARN slow checkpoint")
				} else {
					say(n+2, "stdout", "GET / 200")
				}
			}
			first := ""
			for _, e := range s.stored() {
				if l, ok := e.(*event.Log); ok && strings.Contains(l.Message, "could not pay") {
					first = l.Message
				}
			}
			if first == "" {
				t.Errorf("several processes: %t: the error is not stored after 800 ms", several)
			}
			end()
			<-done
		})
	}
}

// Lines that a sender dropped are losses, also where those of the batch wait for their copies.
func TestDroppedLinesAreLossesWithCopies(t *testing.T) {
	for _, otlp := range []bool{false, true} {
		r, in, _ := newReceiver(t, 0)
		b := batchOf(1, "one")
		b.Dropped, b.OTLP = 1000, otlp
		take(t, r, b)
		var n uint64
		for _, l := range in.Losses() {
			n += l.Count
		}
		if n != 1000 {
			t.Errorf("with copies: %t: %d losses are counted", otlp, n)
		}
	}
}

// A process cannot write over its name, so no line of it is another one's.
func TestNoProcessSpeaksForAnother(t *testing.T) {
	const forged = "db-1   | FATAL: forged"
	for _, between := range []string{
		"\r", "\r\r", "x\ry\r", "\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b", "\x1b[2K\x1b[1G", "\x1b[2K\r", "\x1b[1A\x1b[0G", "\v", "\f", "\u0085",
		"\u2028", "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f", "\x1b]0;t\a\r", "\x1bc", "\r\b",
	} {
		for _, name := range []string{"api-1  | ", "\x1b[36mapi-1  | \x1b[0m", "10:31:02 api-1  | "} {
			r, _, s := newReceiver(t, 0)
			b := batchOf(1)
			b.Several, b.Finished = true, true
			split := follow.Splitter{}
			split.Write([]byte(name+"user said: x"+between+forged+"\n"+name+between+forged+"\n"), time.Time{}, func(p follow.Piece) {
				b.Lines = append(b.Lines, wire.Line{Stream: "stdout", Text: string(p.Text)})
			})
			take(t, r, b)
			if len(s.stored()) != 2 {
				t.Fatalf("%q: %d events of %+v: %+v", between, len(s.stored()), b.Lines, s.stored()[0])
			}
			for _, e := range s.stored() {
				if o := e.Base().Origin; o.Service != "api" || o.Instance != "api-1" {
					t.Errorf("%q behind %q is told as %s of %s: %q", between, name, o.Instance, o.Service, e.(*event.Log).Message)
				}
			}
		}
	}
	// Nor is a line that moves the cursor before a name: where the name stands is not where it is shown.
	for _, before := range []string{"\x1b[2K\x1b[1G", "\x1b[1A", "\b", "\v", "\x1b]0;t\a", "\x7f", "x\r"} {
		r, _, s := newReceiver(t, 0)
		b := batchOf(1, before+forged)
		b.Several, b.Finished = true, true
		take(t, r, b)
		for _, e := range s.stored() {
			if o := e.Base().Origin; o.Service != "api" || o.Instance != "1" {
				t.Errorf("%q before a name is told as %s of %s", before, o.Instance, o.Service)
			}
		}
	}
}

// What a carriage return wrote over is a part of the line, but for the states of a progress bar.
func TestWhatIsWrittenOver(t *testing.T) {
	for _, c := range [][2]string{
		{"10 %\r100 %", "100 %"}, {"Downloading 3 of 9\rDownloading 9 of 9", "Downloading 9 of 9"}, {"building\rbuilding: done", "building: done"},
		{"\x1b[33m[=>   ]\x1b[0m\r[====>]", "[====>]"}, {"it failed\rok", "it failed ok"}, {"done\r", "done"}, {"a\rb\rc", "a c"},
	} {
		r, _, s := newReceiver(t, 0)
		b := batchOf(1, c[0])
		b.Finished = true
		take(t, r, b)
		s.want(t, c[1])
	}
}

func TestProcessesOfASenderAreBounded(t *testing.T) {
	r, _, s := newReceiver(t, 0)
	b := batchOf(1)
	for i := range 200 {
		b.Lines = append(b.Lines, wire.Line{Stream: "stdout", Text: fmt.Sprintf("p%d_x | line", i)})
	}
	b.Several, b.Finished = true, true
	take(t, r, b)
	services := map[string]bool{}
	for _, e := range s.stored() {
		services[e.Base().Origin.Service] = true
	}
	if len(s.stored()) != 200 || len(services) > 64 || !services["p0_x"] || !services["api"] {
		t.Errorf("%d events of %d services", len(s.stored()), len(services))
	}
}

// A batch that the limits refuse comes again, and the lines that were open before are not lost or doubled.
func TestARefusedBatchChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, in, s := newReceiver(t, 1000)
		take(t, r, batchOf(1, "ERROR first"))
		fill := batchOf(1, strings.Repeat("x", 1990))
		fill.Client = "d"
		take(t, r, fill)
		again := batchOf(2, "  goes on", "INFO "+strings.Repeat("y", 900))
		_, err := r.Take(t.Context(), ingest.From{}, again)
		var limited *ingest.Limited
		if !errors.As(err, &limited) || in.State().Total429s == 0 {
			t.Fatalf("%v", err)
		}
		time.Sleep(10 * time.Second)
		take(t, r, again)
		s.want(t, strings.Repeat("x", 1990), "first\n  goes on", strings.Repeat("y", 900))
	})
}

func TestWhatTheSenderLostIsTold(t *testing.T) {
	r, in, s := newReceiver(t, 0)
	b := batchOf(1, "after")
	b.Dropped = 17
	b.Lines = append(b.Lines, wire.Line{T: 1, Binary: 100, Stream: "stdout"}, wire.Line{T: 1, Binary: 5, Stream: "stdout"})
	take(t, r, b)
	if len(s.stored()) != 3 || !strings.HasPrefix(s.stored()[0].(*event.Log).Message, "17 lines before this were lost") ||
		!strings.HasPrefix(s.stored()[1].(*event.Log).Message, "binary output is not kept: 100 bytes") {
		t.Errorf("%+v", s.stored())
	}
	if lost := in.Losses(); len(lost) != 1 || lost[0].Cause != ingest.Sender || lost[0].Count != 17 {
		t.Errorf("%+v", lost)
	}
}

func TestLinesWaitForTheirCopyByOTLP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, in, s := newReceiver(t, 0)
		done := make(chan struct{})
		go func() { defer close(done); r.Run(ctx) }()
		b := batchOf(1, `{"level":30,"msg":"paid"}`, "no copy of this")
		b.OTLP = true
		take(t, r, b)
		s.want(t)
		time.Sleep(300 * time.Millisecond)
		copied := &event.Log{Head: event.Head{
			Origin: event.Origin{Source: "otlp", Service: "api"}, Time: time.Now(),
			TraceID: "4bf92f3577b34da6a3ce929d0e0e4736",
		}, Message: "paid"}
		if _, err := in.Ingest(ctx, ingest.Upload{Batch: event.Batch{copied}}, ingest.Partial); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		s.want(t, "paid", "no copy of this")
		if s.stored()[0].Base().TraceID == "" {
			t.Error("the poorer copy was kept")
		}
		cancel()
		<-done
	})
}

func TestTimesByTheDaemonsOwnClock(t *testing.T) {
	r, _, s := newReceiver(t, 0)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	here, there := batchOf(1, "here"), batchOf(2, "there")
	here.Host, there.Host = host, "elsewhere"
	there.Client = "d"
	take(t, r, here)
	take(t, r, there)
	if s.stored()[0].Base().ClockDomain != "" || s.stored()[1].Base().ClockDomain != "elsewhere" {
		t.Errorf("%q %q", s.stored()[0].Base().ClockDomain, s.stored()[1].Base().ClockDomain)
	}
}

func TestBadBatches(t *testing.T) {
	for _, body := range []string{
		``, `[]`, `{}`, `{"service":"a","client":"c","source":"run"}`, `{"service":"a","client":"c","source":"x","batch":1}`,
		`{"service":"a","source":"run","batch":1}`, `{"client":"c","source":"run","batch":1}`,
		`{"service":"a","client":"` + strings.Repeat("c", 300) + `","source":"run","batch":1}`, `{"lines":7}`,
		`{"service":"a","client":"c","source":"run","batch":1,"lines":[` + strings.Repeat("null,", 20_000) + `null]}`,
	} {
		_, err := lines.Read([]byte(body))
		var p *problem.Problem
		if !errors.As(err, &p) {
			t.Errorf("%.60s: %v", body, err)
		}
	}
}

func TestSendersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, _ := newReceiver(t, 0)
		for i := range 256 {
			b := batchOf(1, "x")
			b.Client = fmt.Sprint(i)
			take(t, r, b)
		}
		b := batchOf(1, "x")
		b.Client = "one more"
		if _, err := r.Take(t.Context(), ingest.From{}, b); err == nil {
			t.Error("active senders were forgotten")
		}
		time.Sleep(5 * time.Second)
		take(t, r, b)
	})
}

// What a token sends by any number of names leaves room for the user's own programs and for other tokens.
func TestSendersOfATokenAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, _ := newReceiver(t, 0)
		refused := 0
		for i := range 300 {
			b := batchOf(1)
			b.Client = fmt.Sprint(i)
			if _, err := r.Take(t.Context(), ingest.From{ID: "away"}, b); err != nil {
				refused++
			}
		}
		if refused == 0 {
			t.Error("300 senders of one token were let in")
		}
		take(t, r, batchOf(1, "x"))
		if _, err := r.Take(t.Context(), ingest.From{ID: "another"}, batchOf(1, "x")); err != nil {
			t.Errorf("another token: %v", err)
		}
		time.Sleep(5 * time.Second)
		b := batchOf(1, "x")
		b.Client = "one more"
		if _, err := r.Take(t.Context(), ingest.From{ID: "away"}, b); err != nil {
			t.Errorf("senders that are silent keep the place: %v", err)
		}
	})
}

// A batch without a line is one of the events that a token may send in a second.
func TestAnEmptyBatchCounts(t *testing.T) {
	r, _, _ := newReceiver(t, 0)
	events := 0
	from := ingest.From{ID: "away", Allow: func(n, _ int) error { events += n; return nil }}
	b := batchOf(1)
	b.Dropped = 5 // which makes an event
	if _, err := r.Take(t.Context(), from, b); err != nil || events != 1 {
		t.Errorf("%d events, %v", events, err)
	}
}

// What takes few bytes on the wire takes few in memory.
func TestABatchOfNothingTakesNoMemory(t *testing.T) {
	body := []byte(`{"service":"a","client":"c","source":"run","batch":1,"lines":[` + strings.Repeat("{},", 5<<20/3-50) + `{}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := lines.Read(body)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; problem.From(err).Code != problem.TooLarge || took > 16<<20 {
		t.Errorf("%v; it took %d MB", err, took>>20)
	}
}

func TestLongRecords(t *testing.T) {
	reader := lines.Reader{}
	var b event.Batch
	b = reader.Add(lines.Line{Text: strings.Repeat("é", 200<<10)}, b)
	for i := range 1200 {
		b = reader.Add(lines.Line{Text: fmt.Sprintf("  row %d", i)}, b)
	}
	b = reader.Flush(b)
	rows := 0
	for _, e := range b {
		l := e.(*event.Log)
		rows += strings.Count(l.Message, "row ")
		if len(l.Message) > 257<<10 || strings.Count(l.Message, "\n") > 500 {
			t.Errorf("%d bytes", len(l.Message))
		}
	}
	first := b[0].(*event.Log)
	if rows != 1200 || first.Flags&event.Truncated == 0 || !strings.Contains(first.Message, "[cut: 409600 bytes in all]") {
		t.Errorf("%d rows, %v", rows, first.Flags.Names())
	}
}

// A line of JSON that was cut keeps what it says before the cut.
func TestJSONThatWasCut(t *testing.T) {
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	long := strings.Repeat("x", 300<<10)
	for name, test := range map[string]struct{ line, message, attributes string }{
		"in the message":     {`{"level":"error","trace_id":"` + trace + `","msg":"` + long, "xxxxx", `{}`},
		"in an attribute":    {`{"level":"error","trace_id":"` + trace + `","msg":"no","body":{"rows":["` + long, "no", `{"body":{"rows":["xxxxx`},
		"in an escape":       {`{"level":"error","trace_id":"` + trace + `","msg":"no","more":"` + strings.Repeat(`\u00e9`, 60<<10), "no", `{"more":"\u00e9`},
		"in a list":          {`{"level":"error","trace_id":"` + trace + `","msg":"no","ns":[` + strings.Repeat("12345,", 60<<10), "no", `{"ns":[12345,`},
		"in a key":           {`{"level":"error","trace_id":"` + trace + `","msg":"no",` + strings.Repeat(`"key":1, `, 60<<10), "no", `{"key":1,`},
		"in a key too long":  {`{"level":"error","` + long, `{"level":"error","xxxxx`, ``},
		"where it is broken": {`{"level":"error"; "` + long, `{"level":"error"; "xxxx`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			r := lines.Reader{}
			b := r.Flush(r.Add(lines.Line{Time: time.Now(), Text: test.line}, nil))
			if len(b) != 1 {
				t.Fatalf("%d events", len(b))
			}
			l := b[0].(*event.Log)
			if !strings.HasPrefix(l.Message, test.message) || l.Flags&event.Truncated == 0 {
				t.Errorf("flags %v, message %.60s", l.Flags, l.Message)
			}
			if test.attributes == "" {
				if !strings.HasSuffix(l.Message, "bytes in all]") {
					t.Errorf("the message ends in %q", l.Message[len(l.Message)-40:])
				}
				return
			}
			if l.Level != "error" || l.TraceID != trace {
				t.Errorf("level %q, trace %q", l.Level, l.TraceID)
			}
			if test.attributes != "{}" && (!strings.HasPrefix(l.Attributes, test.attributes) || !json.Valid([]byte(l.Attributes))) {
				t.Errorf("attributes %.60s … %s", l.Attributes, l.Attributes[max(0, len(l.Attributes)-60):])
			}
		})
	}
}

func FuzzReader(f *testing.F) {
	data, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, block := range strings.Split(string(data), "=== ")[1:] {
		_, rest, _ := strings.Cut(block, "\n")
		text, _, _ := strings.Cut(rest, "\n---\n")
		f.Add(text, true)
	}
	f.Add("[\x00\xff\n<34>1 \n[]\n{\"\":\"\"}\n\x1b[", false)
	f.Fuzz(func(t *testing.T, text string, live bool) {
		reader := lines.Reader{Stream: "stdout", Live: live, Known: func(string) bool { return live }}
		var b event.Batch
		for line := range strings.SplitSeq(text, "\n") {
			b = reader.Add(lines.Line{Time: arrived, Text: line}, b)
			b = reader.Add(lines.Line{Time: arrived, Text: line[:len(line)/2], Size: len(line)}, b) // and cut
		}
		b = reader.Flush(b)
		for _, e := range b {
			h := e.Base()
			if h.TraceID != "" && len(h.TraceID) != 32 || h.SpanID != "" && len(h.SpanID) != 16 || h.Time.IsZero() {
				t.Errorf("%+v", h)
			}
			if l, ok := e.(*event.Log); ok {
				if l.Attributes != "" && !json.Valid([]byte(l.Attributes)) {
					t.Errorf("attributes %q", l.Attributes)
				}
				if l.Severity < 1 || l.Severity > 24 || l.Level == "" {
					t.Errorf("level %q %d", l.Level, l.Severity)
				}
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	texts := []string{
		"GET /api/orders/8801 200 12.5 ms - 512",
		`{"level":30,"time":1763636400123,"pid":4711,"hostname":"box","reqId":"req-1f","msg":"order 8801 paid in 12 ms, region eu-central"}`,
		"2026-10-09 13:55:36,123 INFO shop.api order 8801 updated: 3 items, customer 4711, region eu-central, cache miss",
		"order 8801 updated: 3 items, customer 4711, region eu-central, cache miss, queue 2",
		`time=2026-10-09T13:55:36.123Z level=INFO msg="order paid" order=8801 trace_id=4bf92f3577b34da6a3ce929d0e0e4736`,
	}
	reader := lines.Reader{Stream: "stdout", Live: true, Known: func(string) bool { return false }}
	batch := make(event.Batch, 0, 256)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		batch = reader.Add(lines.Line{Time: arrived, Text: texts[i%len(texts)]}, batch)
		if len(batch) >= 200 {
			batch = batch[:0]
		}
		i++
	}
}

// When a sender has taken its leave, what it sent can be read: "gasoline run" returns then, and somebody may ask at once.
func TestTheLastLinesCanBeReadAtOnce(t *testing.T) {
	for _, otlp := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r, _, s := newReceiver(t, 0)
			first := batchOf(1, "INFO begun", "ERROR could not pay", "    at pay (/app/pay.js:1:2)")
			first.OTLP = otlp
			take(t, r, first)
			last := batchOf(2, "ERROR the last")
			last.OTLP, last.Finished, last.Ended = otlp, true, "exit status 1"
			take(t, r, last)
			if want := 4; len(s.stored()) != want {
				t.Errorf("otlp=%v: %d of %d are stored when the sender has finished", otlp, len(s.stored()), want)
			}
		})
	}
}

// Who reads at once what a program has just written finds all of it: the record that may go on is waited for, and what
// waits for its copy is stored.
func TestWhatCameBeforeAReadIsStored(t *testing.T) {
	crash := []string{"INFO begun", "Traceback (most recent call last):", `  File "/app/pay.py", line 3, in pay`, "ValueError: x"}
	for _, test := range []struct {
		title string
		otlp  bool
		after time.Duration // from the last line to the read
		more  time.Duration // from the read to the next line of the record; 0: none comes
		wait  time.Duration
		whole bool
		want  []string
	}{
		{"at once", false, 0, 0, 300 * time.Millisecond, true, []string{"begun", "! ValueError: x"}},
		{"a moment later", false, 200 * time.Millisecond, 0, 100 * time.Millisecond, true, []string{"begun", "! ValueError: x"}},
		{"nothing is held", false, time.Second, 0, 0, true, []string{"begun", "! ValueError: x"}},
		{"with a copy to come", true, 0, 0, 300 * time.Millisecond, true, []string{"begun", "! ValueError: x"}},
		{"one that goes on", false, 0, 250 * time.Millisecond, 400 * time.Millisecond, false, []string{"begun"}},
	} {
		t.Run(test.title, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				r, _, s := newReceiver(t, 0)
				done := make(chan struct{})
				go func() { defer close(done); r.Run(ctx) }()
				b := batchOf(1, crash...)
				b.OTLP = test.otlp
				take(t, r, b)
				time.Sleep(test.after)
				synctest.Wait()
				if test.more > 0 {
					go func() {
						time.Sleep(test.more)
						take(t, r, batchOf(2, "  in two lines"))
					}()
				}
				begun := time.Now()
				whole := r.Settle(ctx, 400*time.Millisecond)
				if d := time.Since(begun); whole != test.whole || d != test.wait {
					t.Errorf("all is stored: %v after %v, want %v after %v", whole, d, test.whole, test.wait)
				}
				s.want(t, test.want...)
				cancel()
				<-done
			})
		})
	}
}

// A record of a loud service is always open. Nobody waits for those that began after the question.
func TestAReadWaitsForNothingThatCameLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := newReceiver(t, 0)
		take(t, r, batchOf(1, "ERROR first"))
		go func() {
			for n := range 100 {
				time.Sleep(10 * time.Millisecond)
				take(t, r, batchOf(uint64(n+2), "ERROR next"))
			}
		}()
		begun := time.Now()
		time.Sleep(time.Millisecond)
		if !r.Settle(t.Context(), 400*time.Millisecond) || time.Since(begun) > 300*time.Millisecond {
			t.Errorf("not all, or after %v", time.Since(begun))
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if s.stored()[0].(*event.Log).Message != "first" {
			t.Errorf("stored %d", len(s.stored()))
		}
	})
}

// Lines that waited for a copy are numbered as they were written.
func TestLinesThatWaitedKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, _, s := newReceiver(t, 0)
		done := make(chan struct{})
		go func() { defer close(done); r.Run(ctx) }()
		b := batchOf(1, "one", "ERROR two", "three")
		b.OTLP = true
		take(t, r, b)
		time.Sleep(time.Second)
		synctest.Wait()
		s.want(t, "one", "two", "three")
		cancel()
		<-done
	})
}
