package gasoline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func texts(logs []otlpLog) (out []string) {
	for _, l := range logs {
		out = append(out, l.Body.plain().(string))
	}
	return out
}

// What is worth least goes first, the oldest of it, and the daemon is told how much.
func TestAFullQueueDropsTheLeast(t *testing.T) {
	d := newDaemon(t)
	gate := make(chan struct{})
	d.refuse(func(http.ResponseWriter, *http.Request, []byte) bool { <-gate; return false })
	c := d.start(Config{MaxRecords: 10})
	log := slog.New(c.Slog(nil))
	log.Error("in flight") // occupies the sender
	for n, _ := c.queue.size(); n > 0; n, _ = c.queue.size() {
		time.Sleep(time.Millisecond)
	}
	ctx, span := c.Span(context.Background(), "failing")
	log.DebugContext(ctx, "of the failing trace")
	log.ErrorContext(ctx, "an error")
	for i := 0; i < 9; i++ {
		log.Debug(fmt.Sprint("debug ", i))
	}
	for i := 0; i < 4; i++ {
		log.Info(fmt.Sprint("info ", i))
	}
	log.Warn("a warning")
	span.Fail("")
	span.End()
	log.Info("info 4")
	log.Info("info 5")
	log.Info("info 6")
	close(gate)
	d.flush(c)
	got := strings.Join(texts(d.logs()), "; ")
	want := "in flight; of the failing trace; an error; info 1; info 2; info 3; a warning; info 4; info 5; info 6"
	want += "; 10 records of this service were dropped: more came than could be sent"
	if got != want || len(d.spans()) != 1 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if a := d.logs()[len(d.logs())-1].attributes(); a["gasoline.dropped.debug"] != int64(9) || a["gasoline.dropped.info"] != int64(1) {
		t.Errorf("%v", a)
	}
}

func TestTheQueueIsBoundedInBytes(t *testing.T) {
	q := queue{maxCount: 1000, maxBytes: 10_000}
	for i := 0; i < 100; i++ {
		q.push(record{rank: rankInfo, text: strings.Repeat("x", 1000)})
	}
	if n, bytes := q.size(); n != 7 || bytes > 10_000 || q.total != 93 {
		t.Error(n, bytes, q.total)
	}
	q.push(record{rank: rankError, text: strings.Repeat("x", 20_000)})
	if n, _ := q.size(); n != 7 || q.dropped[rankError] != 1 {
		t.Error("one that never fits cost others", n)
	}
}

func TestARequestThatIsTooLargeIsSplit(t *testing.T) {
	d := newDaemon(t)
	d.refuse(func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
		if len(body) > 2000 || strings.Contains(string(body), "never fits") {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return true
		}
		return false
	})
	c := d.start(Config{})
	log := slog.New(c.Slog(nil))
	for i := 0; i < 50; i++ {
		log.Info(fmt.Sprint("line ", i))
	}
	log.Info("never fits")
	d.flush(c)
	d.flush(c)
	got := texts(d.logs())
	if len(got) != 51 || got[0] != "line 0" || !strings.HasPrefix(got[50], "1 records of this service were dropped") {
		t.Errorf("%d: %v", len(got), got)
	}
}

// After 429 the same bytes come again, so that the daemon knows what it has already.
func TestARefusedRequestComesAgain(t *testing.T) {
	for _, status := range []int{429, 500, 503, 401, 0} {
		d := newDaemon(t)
		var tries atomic.Int32
		var first []byte
		d.refuse(func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			if tries.Add(1) > 1 {
				if string(first) != string(body) {
					t.Errorf("%d: other bytes", status)
				}
				return false
			}
			first = body
			if status == 0 { // it dies in the middle
				conn, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					conn.Close()
				}
				return true
			}
			w.WriteHeader(status)
			return true
		})
		c := d.start(Config{})
		slog.New(c.Slog(nil)).Info("once")
		d.flush(c)
		if c.Stats().Problem == "" || len(d.logs()) != 0 {
			t.Errorf("%d: %+v", status, c.Stats())
		}
		d.flush(c)
		if got := texts(d.logs()); len(got) != 1 || c.Stats().Dropped != 0 || c.Stats().Problem != "" {
			t.Errorf("%d: %v %+v", status, got, c.Stats())
		}
	}
}

func TestItWaitsAsLongAsItIsAskedTo(t *testing.T) {
	d := newDaemon(t)
	var mu sync.Mutex
	var at []time.Time
	d.refuse(func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
		mu.Lock()
		defer mu.Unlock()
		if at = append(at, time.Now()); len(at) > 1 {
			return false
		}
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	})
	c := d.start(Config{Interval: time.Millisecond})
	log := slog.New(c.Slog(nil))
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && c.Stats().Sent == 0; time.Sleep(10 * time.Millisecond) {
		log.Error("does not hurry it")
	}
	mu.Lock()
	defer mu.Unlock()
	if len(at) < 2 || at[1].Sub(at[0]) < time.Second {
		t.Error(at)
	}
}

func TestWhatIsNotUnderstoodIsDroppedAndTold(t *testing.T) {
	d := newDaemon(t)
	var tries atomic.Int32
	d.refuse(func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
		if tries.Add(1) == 1 {
			w.WriteHeader(http.StatusBadRequest)
			return true
		}
		return false
	})
	c := d.start(Config{})
	slog.New(c.Slog(nil)).Info("bad")
	d.flush(c)
	d.flush(c)
	if got := texts(d.logs()); len(got) != 1 || !strings.HasPrefix(got[0], "1 records") {
		t.Errorf("%v", got)
	}
}

// After five failures only errors and their traces are kept, until the daemon is back.
func TestWithoutADaemonOnlyErrorsAreKept(t *testing.T) {
	d := newDaemon(t)
	down := true
	var mu sync.Mutex
	d.refuse(func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
		mu.Lock()
		defer mu.Unlock()
		if down {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return down
	})
	c := d.start(Config{})
	log := slog.New(c.Slog(nil))
	log.Info("before")
	for i := 0; i < openAfter; i++ {
		d.flush(c)
	}
	log.Info("lost")
	ctx, span := c.Span(context.Background(), "work")
	log.ErrorContext(ctx, "kept")
	log.InfoContext(ctx, "kept with it")
	span.End()
	mu.Lock()
	down = false
	mu.Unlock()
	d.flush(c)
	d.flush(c)
	log.Info("after")
	d.flush(c)
	got := strings.Join(texts(d.logs()), "; ")
	if !strings.HasPrefix(got, "before; kept; kept with it; 1 records") || !strings.HasSuffix(got, "after") || len(d.spans()) != 1 {
		t.Error(got)
	}
}

func TestAMessageOfAMegabyteIsCut(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	slog.New(c.Slog(nil)).Info(strings.Repeat("é", 1<<19), "bin", []byte(strings.Repeat("\xff", 1<<20)), "bad", "\xff\x00")
	d.flush(c)
	l := d.logs()[0]
	if text := l.Body.plain().(string); len(text) > maxMessage+3 || !strings.HasSuffix(text, "é…") {
		t.Error(len(text))
	}
	if bad := l.attributes()["bad"]; bad != "\ufffd\x00" {
		t.Errorf("%q", bad)
	}
	if d.packed != 1 {
		t.Error("it was not packed")
	}
}

// Ten times what can be sent does not slow the program: a push is a short lock.
// A clock that is set back or forward neither stops what is bound to it nor turns a span round.
func TestAClockThatJumps(t *testing.T) {
	var a allowance
	now := time.Now()
	for i, k := range []struct {
		after time.Duration
		want  bool
	}{{0, true}, {time.Second / 2, false}, {-time.Hour, true}, {-time.Hour + time.Second/2, false}, {-time.Hour + time.Second, true},
		{time.Hour, true}, {time.Hour + time.Second/2, false}} {
		if got := a.pass(now.Add(k.after)); got != k.want {
			t.Errorf("%d: %v", i, got)
		}
	}
	d := newDaemon(t)
	c := d.start(Config{})
	_, span := c.Span(context.Background(), "work")
	span.endAt(time.Now().Round(0).Add(-time.Hour)) // a reading without the monotonic clock, of a clock that was set back
	d.flush(c)
	s := d.spans()[0]
	if s.EndTimeUnixNano < s.StartTimeUnixNano || len(s.EndTimeUnixNano) != 19 {
		t.Errorf("%s to %s", s.StartTimeUnixNano, s.EndTimeUnixNano)
	}
}

func TestOverloadDoesNotBlock(t *testing.T) {
	d := newDaemon(t)
	d.refuse(func(http.ResponseWriter, *http.Request, []byte) bool { time.Sleep(20 * time.Millisecond); return false })
	c := d.start(Config{MaxRecords: 1000})
	log := slog.New(c.Slog(nil))
	var slowest atomic.Int64
	var wg sync.WaitGroup
	for g := 0; g < 4; g++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 25_000; i++ {
				start := time.Now()
				log.Info("flood", "i", i)
				if took := int64(time.Since(start)); took > slowest.Load() {
					slowest.Store(took)
				}
			}
		}()
	}
	wg.Wait()
	d.flush(c)
	d.flush(c)
	s := c.Stats()
	told := int64(0)
	for _, l := range d.logs() {
		if n, ok := l.attributes()["gasoline.dropped"].(int64); ok {
			told += n
		}
	}
	if s.Sent+s.Dropped != 100_000 || uint64(told) != s.Dropped || s.Dropped == 0 || s.Waiting != 0 {
		t.Errorf("%+v, %d told", s, told)
	}
	t.Logf("slowest push %v", time.Duration(slowest.Load()))
}

func TestOffMeansOff(t *testing.T) {
	for _, env := range []string{"GASOLINE=off", "APP_ENV=production", "GO_ENV=prod", "GASOLINE_URL=ftp://x"} {
		name, value, _ := strings.Cut(env, "=")
		t.Run(env, func(t *testing.T) {
			t.Setenv(name, value)
			t.Setenv("GASOLINE_TOKEN", "")
			c := Start(Config{})
			next := slog.NewTextHandler(os.Stderr, nil)
			if c.on() || c.Slog(next) != slog.Handler(next) || c.Transport(nil) != http.DefaultTransport {
				t.Error("it is on")
			}
			if _, span := c.Span(context.Background(), "x"); span != nil {
				t.Error("a span")
			}
			if err := c.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	var none *Client
	none.Slog(nil)
	none.Handler(http.NotFoundHandler())
	none.Transport(nil)
	if err := errors.Join(none.Close(context.Background()), none.Flush(context.Background())); err != nil {
		t.Error(err)
	}
}

func TestInProductionOnlyOwnRequests(t *testing.T) {
	t.Setenv("ENV", "production")
	d := newDaemon(t)
	c := d.start(Config{})
	log := slog.New(c.Slog(nil))
	var passed string
	behind := serve(t, c, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { passed = r.Header.Get(SessionHeader) }))
	client := &http.Client{Transport: c.Transport(nil)}
	s := serve(t, c, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		log.InfoContext(r.Context(), "inside")
		req, _ := http.NewRequestWithContext(r.Context(), "GET", behind.URL, nil)
		if res, err := client.Do(req); err == nil {
			res.Body.Close()
		}
	}))
	now := time.Now()
	for _, value := range []string{
		"", "1.x.y", Sign("another token", now), Sign("secret", now.Add(-2*time.Hour)), Sign("secret", now.Add(2*time.Hour)),
	} {
		get(t, http.DefaultClient, s.URL, SessionHeader, value)
	}
	log.Info("outside")
	d.flush(c)
	if len(d.logs())+len(d.spans()) != 0 || passed != "" {
		t.Errorf("%v %v", d.logs(), d.spans())
	}
	get(t, http.DefaultClient, s.URL, SessionHeader, Sign("secret", now))
	log.Error("one error a second")
	log.Error("another one")
	d.flush(c)
	if len(d.spans()) != 3 || strings.Join(texts(d.logs()), "; ") != "inside; one error a second" {
		t.Errorf("%v %v", texts(d.logs()), d.spans())
	}
}

// TestMain lets the test's program be the child that a signal ends.
func TestMain(m *testing.M) {
	if url := os.Getenv("GASOLINE_TEST_CHILD"); url != "" {
		c := Start(Config{URL: url, Token: "secret", Interval: time.Hour, EndBy: []os.Signal{syscall.SIGTERM}})
		slog.New(c.Slog(nil)).Info("last words")
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			_ = p.Signal(syscall.SIGTERM)
		}
		time.Sleep(10 * time.Second)
		os.Exit(3)
	}
	os.Exit(m.Run())
}

func TestASignalFlushesAndEndsTheProgram(t *testing.T) {
	d := newDaemon(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GASOLINE_TEST_CHILD="+d.server.URL)
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !strings.Contains(exit.String(), "terminated") {
		t.Errorf("it ended by %v", err)
	}
	if got := texts(d.logs()); len(got) != 1 || got[0] != "last words" {
		t.Errorf("%v", got)
	}
}

// The fixtures of OTLP that all SDKs share hold what this one sends: its names of fields, and its forms of values.
func TestTheFixturesHaveOurFields(t *testing.T) {
	known := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, m := range v {
				known[k] = true
				walk(m)
			}
		case []any:
			for _, m := range v {
				walk(m)
			}
		}
	}
	for _, name := range []string{"logs", "traces"} {
		data, err := os.ReadFile("../../schema/fixtures/otlp/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		walk(v)
	}
	d := newDaemon(t)
	c := d.start(Config{})
	ctx, span := c.Span(context.Background(), "s", Int("i", 1), Bool("b", true), Strings("l", "x"))
	slog.New(c.Slog(nil)).InfoContext(WithRemote(ctx, span.Context()), "x", "f", 1.5, "bytes", []byte{1}, slog.Group("g", "a", 1))
	span.Error(errors.New("x"))
	span.End()
	d.flush(c)
	for _, body := range d.bodies {
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		ours := known
		known = map[string]bool{}
		walk(v)
		for k := range known {
			if !ours[k] {
				t.Errorf("the fixtures have no %q", k)
			}
		}
		known = ours
	}
}
