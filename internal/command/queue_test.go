package command_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/redact"
)

func click(wait time.Duration) command.Request {
	return command.Request{
		Session:  "s",
		Tab:      7,
		Kind:     "click",
		Params:   command.ClickParams{},
		Deadline: time.Now().Add(wait),
	}
}

// take polls as an extension without a word on its life does.
func take(
	ctx context.Context,
	q *command.Queue,
	session string,
	wait time.Duration,
	taken ...string,
) []command.Command {
	return q.Take(ctx, command.Poll{Session: session, Taken: taken}, wait).Commands
}

func TestDoReturnsTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r1", redact.New(redact.Rules{}))
		go func() {
			cmds := take(t.Context(), q, "s", 25*time.Second)
			if len(cmds) != 1 || cmds[0].Kind != "click" || cmds[0].Tab != 7 {
				t.Errorf("took %+v", cmds)
				return
			}
			time.Sleep(30 * time.Millisecond)
			if s := q.Answer(command.Answer{ID: cmds[0].ID, Status: "complete", Result: json.RawMessage(`{"a":1}`)}); s != "ok" {
				t.Errorf("answer: %s", s)
			}
			if s := q.Answer(command.Answer{ID: cmds[0].ID, Status: "error"}); s != "duplicate" {
				t.Errorf("second answer: %s", s)
			}
		}()
		rec, err := q.Do(t.Context(), click(5*time.Second))
		if err != nil || rec.Status != command.Complete || string(rec.Result) != `{"a":1}` {
			t.Errorf("%+v %v", rec, err)
		}
	})
}

func TestDoTimesOutWhenNobodyTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		start := time.Now()
		_, err := q.Do(t.Context(), click(5*time.Second))
		if waited := time.Since(start); waited != 5*time.Second || problem.From(err).Code != problem.Timeout {
			t.Errorf("waited %v, want 5s: %v", waited, err)
		}
		if cmds := take(t.Context(), q, "s", 0); len(cmds) != 0 {
			t.Errorf("an expired command was handed out: %+v", cmds)
		}
	})
}

func TestStillRunningAtTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		go func() {
			cmds := take(t.Context(), q, "s", time.Minute)
			take(t.Context(), q, "s", 8*time.Second, cmds[0].ID)
			q.Answer(command.Answer{ID: cmds[0].ID, Status: "complete"})
		}()
		rec, err := q.Do(t.Context(), click(5*time.Second))
		if err != nil || rec.Status != command.Running {
			t.Fatalf("%+v %v", rec, err)
		}
		rec, err = q.Wait(t.Context(), rec.CorrelationID, time.Now().Add(10*time.Second))
		if err != nil || rec.Status != command.Complete {
			t.Errorf("%+v %v", rec, err)
		}
	})
}

func TestUnacknowledgedCommandsAreHandedOutAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		if _, err := q.Start(click(time.Minute)); err != nil {
			t.Fatal(err)
		}
		first := take(t.Context(), q, "s", 0)
		start := time.Now()
		second := take(t.Context(), q, "s", 25*time.Second) // the first poll's answer was lost
		if len(first) != 1 || len(second) != 1 || first[0].ID != second[0].ID || time.Since(start) != command.Lease {
			t.Fatalf("%v then %v after %v", first, second, time.Since(start))
		}
		start = time.Now()
		if third := take(t.Context(), q, "s", 25*time.Second, first[0].ID); len(third) != 0 ||
			time.Since(start) != 25*time.Second {
			t.Errorf("acknowledged, yet handed out: %v after %v", third, time.Since(start))
		}
	})
}

func TestSessionsDoNotMix(t *testing.T) {
	q := command.NewQueue("r", redact.New(redact.Rules{}))
	rec, _ := q.Start(click(time.Minute))
	if got := take(t.Context(), q, "other", 0); len(got) != 0 {
		t.Errorf("another session took %v", got)
	}
	if s := q.Answer(command.Answer{ID: rec.ID, Session: "other", Status: "complete"}); s != "unknown" {
		t.Errorf("another session answered: %s", s)
	}
}

func TestTheSixteenthCommandIsRefused(t *testing.T) {
	q := command.NewQueue("r", redact.New(redact.Rules{}))
	for range command.MaxPending {
		if _, err := q.Start(click(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := q.Start(click(time.Minute)); problem.From(err).Code != problem.QueueFull {
		t.Errorf("got %v", err)
	}
	other := click(time.Minute)
	other.Session = "second"
	if _, err := q.Start(other); err != nil {
		t.Errorf("another session: %v", err)
	}
}

func TestACommandAsideTakesNobodysPlace(t *testing.T) {
	q := command.NewQueue("r", redact.New(redact.Rules{}))
	var asides []command.Record
	for range command.MaxPending + 1 {
		aside := click(time.Minute)
		aside.Aside = true
		rec, err := q.Start(aside)
		if err != nil {
			t.Fatal(err)
		}
		asides = append(asides, rec)
	}
	for range command.MaxPending {
		if _, err := q.Start(click(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(take(t.Context(), q, "s", 0)); got != 2*command.MaxPending+1 {
		t.Errorf("%d were taken", got)
	}
	if s := q.Answer(command.Answer{ID: asides[0].ID, Session: "s", Status: "error"}); s != "ok" {
		t.Errorf("the answer is %s", s)
	}
	pending, done, failed := q.Lists()
	if len(pending) != command.MaxPending || len(done)+len(failed) != 0 || q.Totals() != (command.Totals{}) {
		t.Errorf("%d pending, %d done, %d failed, %+v", len(pending), len(done), len(failed), q.Totals())
	}
	if _, known := q.Get(asides[0].ID); known {
		t.Error("it is known although it has ended")
	}
}

func TestCallersOfEndedCommandsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		for _, tt := range []struct {
			code string
			end  func()
		}{{"cancelled", func() { q.Cancel("s") }}, {"stopping", q.Stop}} {
			go func() { time.Sleep(time.Second); tt.end() }()
			rec, err := q.Do(t.Context(), click(time.Minute))
			if err != nil || rec.Status != command.Cancelled || rec.Failure.Code != tt.code {
				t.Errorf("%s: %+v %v", tt.code, rec, err)
			}
		}
		if _, err := q.Start(click(time.Minute)); problem.From(err).Code != problem.Stopping {
			t.Errorf("after stop: %v", err)
		}
	})
}

func TestCancellingTheCallCancelsTheCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		ctx, cancel := context.WithCancel(t.Context())
		go func() { time.Sleep(time.Second); cancel() }()
		_, err := q.Do(ctx, click(time.Minute))
		if problem.From(err).Code != problem.Cancelled {
			t.Errorf("got %v", err)
		}
		if got := take(t.Context(), q, "s", 0); len(got) != 0 {
			t.Errorf("a cancelled command was handed out: %v", got)
		}
	})
}

func TestEndedCommandsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		rec, _ := q.Start(click(time.Second))
		q.Cancel("")
		time.Sleep(command.Keep - time.Second)
		if _, known := q.Get(rec.ID); !known {
			t.Error("forgotten too early")
		}
		time.Sleep(2 * time.Second)
		if _, known := q.Get(rec.ID); known {
			t.Error("kept with nothing newer to push it out")
		}
		next, _ := q.Start(click(time.Second))
		time.Sleep(time.Second + command.Grace + time.Second)
		if got, _ := q.Get(next.ID); got.Status != command.Expired {
			t.Errorf("unanswered command is %s", got.Status)
		}
	})
}

func TestResultsMakeRoomForLaterOnes(t *testing.T) {
	q := command.NewQueue("r", redact.New(redact.Rules{}))
	var ids []string
	for range 12 {
		rec, err := q.Start(click(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, rec.ID)
		q.Answer(command.Answer{ID: rec.ID, Status: "error", Result: make(json.RawMessage, 4<<20)})
	}
	_, done, failed := q.Lists()
	bytes, dropped := 0, 0
	for _, rec := range append(done, failed...) {
		bytes += len(rec.Result)
		if rec.Dropped {
			dropped++
		}
	}
	if bytes != 32<<20 || dropped != 4+12 {
		t.Errorf("%d bytes are kept, %d results were dropped", bytes, dropped)
	}
	if first, known := q.Get(ids[0]); !known || !first.Dropped || first.Result != nil {
		t.Errorf("the oldest: %v", first.Dropped)
	}
	if last, _ := q.Get(ids[11]); len(last.Result) != 4<<20 {
		t.Error("the newest has no result")
	}
}

// A caller that waits is told of its command's end, however many others end before it looks.
func TestACallerHearsOfItsCommandThoughTheQueueForgotIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		answer := func() {
			for _, c := range take(t.Context(), q, "s", 0) {
				q.Answer(command.Answer{ID: c.ID, Status: "complete", Result: json.RawMessage(`{}`)})
			}
		}
		looked := false
		ctx := onDone{t.Context(), func() {
			if looked {
				return
			}
			looked = true
			for range 501 { // more than the queue remembers
				if _, err := q.Start(click(time.Minute)); err != nil {
					t.Error(err)
				}
				answer()
			}
		}}
		rec, err := q.Do(ctx, click(time.Minute))
		if err != nil || rec.Status != command.Complete {
			t.Errorf("%+v %v", rec, err)
		}
	})
}

// onDone calls looked whenever somebody begins to wait for its end.
type onDone struct {
	context.Context
	looked func()
}

func (c onDone) Done() <-chan struct{} {
	c.looked()
	return c.Context.Done()
}

func TestManyAtOnce(t *testing.T) {
	q := command.NewQueue("r", redact.New(redact.Rules{}))
	ctx, cancel := context.WithCancel(t.Context())
	var browser, callers sync.WaitGroup
	browser.Go(func() {
		var acks []string
		for ctx.Err() == nil {
			cmds := take(ctx, q, "s", time.Second, acks...)
			acks = nil
			for _, c := range cmds {
				acks = append(acks, c.ID)
				q.Answer(command.Answer{ID: c.ID, Status: "complete", Result: json.RawMessage(`{}`)})
			}
		}
	})
	for range 10 {
		callers.Go(func() {
			for range 100 {
				if rec, err := q.Do(ctx, click(10*time.Second)); err != nil || rec.Status != command.Complete {
					t.Errorf("%+v %v", rec, err)
					return
				}
			}
		})
	}
	callers.Wait()
	cancel()
	browser.Wait()
}

func TestPollsOfManySessionsAreBoundedAndStillWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		got := make(chan []command.Command, 1)
		go func() { got <- take(t.Context(), q, "s", time.Minute) }()
		synctest.Wait()
		for i := range 1000 {
			take(t.Context(), q, fmt.Sprint("stranger ", i), 0)
		}
		if _, err := q.Start(click(time.Minute)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if cmds := <-got; len(cmds) != 1 || time.Since(began) != 0 {
			t.Errorf("the waiting session got %v after %v", cmds, time.Since(began))
		}
	})
}

// beside polls for a session until the test ends, and keeps what it is given.
func beside(t *testing.T, q *command.Queue, session, life string) (given func() command.Work, stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	var all command.Work
	done := make(chan struct{})
	go func() {
		defer close(done)
		p := command.Poll{Session: session, Life: life}
		for ctx.Err() == nil {
			w := q.Take(ctx, p, 25*time.Second)
			p.Taken, p.Cancelled = nil, w.Cancel
			mu.Lock()
			for _, c := range w.Commands {
				p.Taken = append(p.Taken, c.ID)
			}
			all.Commands = append(all.Commands, w.Commands...)
			all.Cancel = append(all.Cancel, w.Cancel...)
			mu.Unlock()
		}
	}()
	return func() command.Work {
		mu.Lock()
		defer mu.Unlock()
		return all
	}, func() { cancel(); <-done }
}

func TestWhatWasTakenAndNotConfirmedHasAnUnknownOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		for _, tt := range []struct {
			kind string
			want problem.Code
		}{{"click", problem.UnknownOutcome}, {"get_text", problem.Timeout}} {
			r := click(1500 * time.Millisecond)
			r.Kind = tt.kind
			go take(t.Context(), q, "s", time.Minute)
			rec, err := q.Do(t.Context(), r)
			if p := problem.From(err); p == nil || p.Code != tt.want || strings.Contains(p.Message, "did not take") {
				t.Errorf("%s: %v", tt.kind, err)
			}
			now, _ := q.Get(rec.ID)
			if ended := now.Status.Final(); ended == (tt.kind == "click") {
				t.Errorf("%s is %s", tt.kind, now.Status)
			}
			if s := q.Answer(command.Answer{ID: rec.ID, Status: "complete"}); tt.kind == "click" && s != "ok" {
				t.Errorf("a late answer: %s", s)
			}
		}
	})
}

func TestACancelledCallIsCancelledInTheBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		given, stop := beside(t, q, "s", "")
		defer stop()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		rec, err := q.Do(ctx, click(time.Minute))
		if p := problem.From(err); p == nil || p.Code != problem.Cancelled || p.Fix == "" {
			t.Errorf("%v", err)
		}
		synctest.Wait()
		if w := given(); len(w.Cancel) != 1 || w.Cancel[0] != rec.ID {
			t.Errorf("the browser was told to cancel %v, want %s", w.Cancel, rec.ID)
		}
		time.Sleep(time.Minute)
		if w := given(); len(w.Cancel) != 1 {
			t.Errorf("a confirmed cancel was told again: %v", w.Cancel)
		}
	})
}

func TestAnUnconfirmedCancelIsToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		if _, err := q.Start(click(time.Minute)); err != nil {
			t.Fatal(err)
		}
		take(t.Context(), q, "s", 0)
		q.Cancel("s")
		p := command.Poll{Session: "s"}
		first := q.Take(t.Context(), p, time.Second)
		began := time.Now()
		again := q.Take(t.Context(), p, 10*time.Second)
		if len(first.Cancel) != 1 || len(again.Cancel) != 1 || time.Since(began) != command.Lease {
			t.Fatalf("told %v, then %v after %v", first.Cancel, again.Cancel, time.Since(began))
		}
		p.Cancelled = again.Cancel
		if more := q.Take(t.Context(), p, 10*time.Second); len(more.Cancel) != 0 {
			t.Errorf("confirmed, and told again: %v", more.Cancel)
		}
	})
}

func TestABrowserThatGoesAwayEndsWhatItTook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		_, stop := beside(t, q, "s", "")
		go func() { time.Sleep(2 * time.Second); stop() }()
		began := time.Now()
		rec, err := q.Do(t.Context(), click(time.Minute))
		if err != nil || rec.Status != command.Interrupted {
			t.Errorf("%s %v", rec.Status, err)
		}
		if waited := time.Since(began); waited > 2*time.Second+command.Absence+2*time.Second {
			t.Errorf("told after %v", waited)
		}
	})
}

func TestWhatAnEarlierWorkerBeganIsAskedOfTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		rec, err := q.Start(click(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		first := command.Poll{Session: "s", Life: "one"}
		q.Take(t.Context(), first, 0)
		first.Taken = []string{rec.ID}
		if w := q.Take(t.Context(), first, 0); len(w.Commands) != 0 {
			t.Errorf("the same worker got it twice: %v", w.Commands)
		}
		if w := q.Take(t.Context(), command.Poll{Session: "s", Life: "two"}, 0); len(w.Commands) != 1 {
			t.Errorf("the next worker was not asked: %v", w.Commands)
		}
	})
}

func TestParamsAreBoundedAndGoWithTheEnd(t *testing.T) {
	q := command.NewQueue("r", redact.New(redact.Rules{}))
	big := func(session string) command.Request {
		r := click(time.Minute)
		r.Session, r.Params = session, strings.Repeat("x", command.MaxParams-2)
		return r
	}
	var full error
	started := 0
	for i := range 60 {
		if _, err := q.Start(big(fmt.Sprint("s", i))); err != nil {
			full = err
			break
		}
		started++
	}
	if problem.From(full).Code != problem.QueueFull || started != 4 {
		t.Errorf("%d commands of 4 MB are under way: %v", started, full)
	}
	q.Cancel("")
	_, done, failed := q.Lists()
	for _, rec := range append(done, failed...) {
		if rec.Params != nil {
			t.Errorf("%s kept %d bytes of params", rec.ID, len(rec.Params))
		}
	}
	if _, err := q.Start(big("s")); err != nil {
		t.Errorf("after the end: %v", err)
	}
	more := big("s")
	more.Params = strings.Repeat("x", command.MaxParams)
	if _, err := q.Start(more); problem.From(err).Code != problem.TooLarge {
		t.Errorf("more than one may have: %v", err)
	}
}

func TestAnswersAreRedactedWhereTheyEnter(t *testing.T) {
	q := command.NewQueue("r", redact.New(redact.Rules{}))
	rec, _ := q.Start(click(time.Minute))
	q.Answer(command.Answer{
		ID: rec.ID, Status: "error", Result: json.RawMessage(`{"password":"hunter2hunter2"}`),
		Failure: &command.Failure{
			Code:    "x",
			Message: "password=hunter2hunter2",
			Details: []string{"password=hunter2hunter2", strings.Repeat("d", 1<<20)},
		},
	})
	got, _ := q.Get(rec.ID)
	if all := fmt.Sprint(string(got.Result), *got.Failure); strings.Contains(all, "hunter2") || len(all) > 8<<10 {
		t.Errorf("kept %d bytes: %.300s", len(all), all)
	}
}

func TestCancelsAreBounded(t *testing.T) {
	q := command.NewQueue("r", redact.New(redact.Rules{}))
	for range 300 {
		if _, err := q.Start(click(time.Minute)); err != nil {
			t.Fatal(err)
		}
		take(t.Context(), q, "s", 0)
		q.Cancel("s")
	}
	if w := q.Take(t.Context(), command.Poll{Session: "s"}, 0); len(w.Cancel) > 100 {
		t.Errorf("%d cancelled commands are kept", len(w.Cancel))
	}
}

// A browser may be at work on a command that the daemon has given up, or begin it when it comes back.
func TestACommandThatWasGivenUpIsCancelledInTheBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		given, stop := beside(t, q, "s", "")
		rec, err := q.Start(click(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second + command.Grace + time.Second)
		if now, _ := q.Get(rec.ID); now.Status != command.Expired {
			t.Fatalf("is %s, want expired", now.Status)
		}
		synctest.Wait()
		if w := given(); len(w.Cancel) != 1 || w.Cancel[0] != rec.ID {
			t.Errorf("expired: the browser was told to cancel %v, want %s", w.Cancel, rec.ID)
		}
		stop()
	})
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		rec, err := q.Start(click(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		take(t.Context(), q, "s", 0)
		take(t.Context(), q, "s", 0, rec.ID)
		time.Sleep(command.Absence + time.Second)
		if now, _ := q.Get(rec.ID); now.Status != command.Interrupted {
			t.Fatalf("is %s, want interrupted", now.Status)
		}
		back := q.Take(t.Context(), command.Poll{Session: "s"}, 0)
		if len(back.Cancel) != 1 || back.Cancel[0] != rec.ID {
			t.Errorf("interrupted: the browser was told to cancel %v, want %s", back.Cancel, rec.ID)
		}
	})
}

// A secret that lies across the bound is replaced whole, not cut to something that no rule knows.
func TestASecretAcrossTheBoundOfAFailureIsReplaced(t *testing.T) {
	q := command.NewQueue("r", redact.New(redact.Rules{}))
	rec, err := q.Start(click(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	take(t.Context(), q, "s", 0)
	const secret = "AKIA" + "IOSFODNN7EXAMPLQ"
	long := strings.Repeat("a ", 2<<10)[:4<<10-8] + secret
	detail := strings.Repeat("a ", 1<<9)[:1<<10-8] + secret
	failure := &command.Failure{Code: "internal", Message: long, Details: []string{detail}}
	q.Answer(command.Answer{ID: rec.ID, Status: "error", Failure: failure})
	now, _ := q.Get(rec.ID)
	for _, text := range append(now.Failure.Details, now.Failure.Message) {
		if strings.Contains(text, "AKIA") || len(text) > 4<<10 {
			t.Errorf("%d bytes, ends with %q", len(text), text[len(text)-20:])
		}
	}
}

func TestNoCommandIsHandedOutAfterItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		if _, err := q.Start(click(time.Second)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if got := take(t.Context(), q, "s", 0); len(got) != 0 {
			t.Errorf("handed out a second late: %+v", got)
		}
	})
}

// Once the queue refuses commands because it stops, it hands none out either: their callers are told that they ended.
func TestNoCommandIsHandedOutByAQueueThatStops(t *testing.T) {
	q := command.NewQueue("r", redact.New(redact.Rules{}))
	for range 30 { // records to list, which takes long
		for range command.MaxPending {
			if _, err := q.Start(click(time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
		q.Cancel("s")
	}
	if _, err := q.Start(click(time.Minute)); err != nil {
		t.Fatal(err)
	}
	other := click(time.Minute)
	other.Session = "other"
	var asked, others sync.WaitGroup
	for range 40 { // so many wait for the queue that every step of Stop has to wait, too
		asked.Add(1)
		others.Go(func() {
			q.Lists()
			asked.Done()
			for {
				q.Lists()
				if _, err := q.Start(other); problem.From(err) != nil && problem.From(err).Code == problem.Stopping {
					break
				}
			}
			if got := take(t.Context(), q, "s", 0); len(got) != 0 {
				t.Errorf("%d commands were handed out", len(got))
			}
		})
	}
	asked.Wait()
	q.Stop()
	others.Wait()
}

// Who gets a timeout or is cancelled gets the record as it is then, and lists say why the command ended.
func TestACommandThatEndsWithoutAnAnswerSaysWhy(t *testing.T) {
	for _, tt := range []struct {
		name, kind string
		taken      bool
		cancel     time.Duration
		want, says string
	}{
		{
			"never taken", "click", false, time.Hour,
			"timeout: expired, timeout, the browser did not take it within 1.5 s",
			"the browser did not take click within 1.5 s, and will not.",
		},
		{
			"too late", "click", false, time.Hour,
			"timeout: expired, timeout, the time of the call was up before",
			"the time of the call was up before the browser was asked for click.|larger timeout_ms",
		},
		{
			"taken, changes nothing", "get_text", true, time.Hour,
			"timeout: timeout, timeout, the browser took it and did not answer within 1.5 s",
			"the browser took get_text and did not answer within 1.5 s.",
		},
		{
			"taken, changes the page", "click", true, time.Hour,
			"unknown_outcome: sent",
			`the browser took click and has said nothing since: whether it was carried out is not known.|"correlation_id":"c1-r"`,
		},
		{
			"cancelled", "click", false, time.Second,
			"cancelled: cancelled, cancelled, the call was cancelled",
			"the call was cancelled; click c1-r.",
		},
		{
			"cancelled when taken", "click", true, time.Second,
			"cancelled: cancelled, cancelled, the call was cancelled",
			"the call was cancelled after the browser took click c1-r: it may have been carried out.|Look at the page",
		},
		{
			"cancelled when taken, changes nothing", "get_text", true, time.Second,
			"cancelled: cancelled, cancelled, the call was cancelled",
			"the call was cancelled; get_text c1-r.",
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := command.NewQueue("r", redact.New(redact.Rules{}))
			r := click(1500 * time.Millisecond)
			r.Kind = tt.kind
			if tt.name == "too late" {
				r.Deadline = time.Now().Add(-31 * time.Second)
			}
			if tt.taken {
				go take(t.Context(), q, "s", time.Minute)
			}
			ctx, cancel := context.WithTimeout(t.Context(), tt.cancel)
			defer cancel()
			rec, err := q.Do(ctx, r)
			text := func(rec command.Record) string {
				out := string(problem.From(err).Code) + ": " + string(rec.Status)
				if f := rec.Failure; f != nil {
					out += ", " + f.Code + ", " + f.Message
				}
				return out
			}
			says, fix, _ := strings.Cut(tt.says, "|")
			if p := problem.From(err); p.Message != says || !strings.Contains(p.Fix, fix) {
				t.Errorf("%s: %s %s, want %s %s", tt.name, p.Message, p.Fix, says, fix)
			}
			kept, known := q.Get(rec.ID)
			if got, then := text(rec), text(kept); got != tt.want || then != tt.want || !known {
				t.Errorf("%s: %s, kept as %s, want %s", tt.name, got, then, tt.want)
			}
			pending, done, failed := q.Lists()
			lists := fmt.Sprint(len(pending), len(done), len(failed))
			want := map[command.Status]string{command.Sent: "1 0 0", command.Cancelled: "0 1 0"}[rec.Status]
			if want == "" {
				want = "0 1 1"
			}
			if lists != want {
				t.Errorf("%s: pending, done, failed are %s, want %s", tt.name, lists, want)
			}
		})
	}
}

// Start tells that the command was queued, also when a browser that waits for it takes it in the same moment.
func TestStartTellsWhatItDid(t *testing.T) {
	q := command.NewQueue("r1", redact.New(redact.Rules{}))
	ctx, stop := context.WithCancel(t.Context())
	var browser sync.WaitGroup
	browser.Go(func() {
		var taken []string
		for ctx.Err() == nil {
			cmds := take(ctx, q, "s", time.Second, taken...)
			taken = nil
			for _, c := range cmds {
				taken = append(taken, c.ID)
				q.Answer(command.Answer{ID: c.ID, Session: "s", Status: "complete"})
			}
		}
	})
	for range 2000 {
		rec, err := q.Start(click(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		if rec.Status != command.Queued {
			t.Fatalf("%s", rec.Status)
		}
		if _, err := q.Wait(t.Context(), rec.CorrelationID, rec.Deadline); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	browser.Wait()
}
