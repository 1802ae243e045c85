package command_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

func click(wait time.Duration) command.Request {
	return command.Request{Session: "s", Tab: 7, Kind: "click", Params: command.ClickParams{}, Wait: wait}
}

func TestDoReturnsTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r1")
		go func() {
			cmds := q.Take(t.Context(), "s", 25*time.Second, nil)
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
		q := command.NewQueue("r")
		start := time.Now()
		_, err := q.Do(t.Context(), click(5*time.Second))
		if waited := time.Since(start); waited != 5*time.Second || problem.From(err).Code != problem.Timeout {
			t.Errorf("waited %v, want 5s: %v", waited, err)
		}
		if cmds := q.Take(t.Context(), "s", 0, nil); len(cmds) != 0 {
			t.Errorf("an expired command was handed out: %+v", cmds)
		}
	})
}

func TestStillRunningAtTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r")
		go func() {
			cmds := q.Take(t.Context(), "s", time.Minute, nil)
			q.Take(t.Context(), "s", 0, []string{cmds[0].ID})
			time.Sleep(8 * time.Second)
			q.Answer(command.Answer{ID: cmds[0].ID, Status: "complete"})
		}()
		rec, err := q.Do(t.Context(), click(5*time.Second))
		if err != nil || rec.Status != command.Running {
			t.Fatalf("%+v %v", rec, err)
		}
		rec, err = q.Wait(t.Context(), rec.CorrelationID, 10*time.Second)
		if err != nil || rec.Status != command.Complete {
			t.Errorf("%+v %v", rec, err)
		}
	})
}

func TestUnacknowledgedCommandsAreHandedOutAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r")
		if _, err := q.Start(click(time.Minute)); err != nil {
			t.Fatal(err)
		}
		first := q.Take(t.Context(), "s", 0, nil)
		start := time.Now()
		second := q.Take(t.Context(), "s", 25*time.Second, nil) // the first poll's answer was lost
		if len(first) != 1 || len(second) != 1 || first[0].ID != second[0].ID || time.Since(start) != command.Lease {
			t.Fatalf("%v then %v after %v", first, second, time.Since(start))
		}
		start = time.Now()
		if third := q.Take(t.Context(), "s", 25*time.Second, []string{first[0].ID}); len(third) != 0 || time.Since(start) != 25*time.Second {
			t.Errorf("acknowledged, yet handed out: %v after %v", third, time.Since(start))
		}
	})
}

func TestSessionsDoNotMix(t *testing.T) {
	q := command.NewQueue("r")
	rec, _ := q.Start(click(time.Minute))
	if got := q.Take(t.Context(), "other", 0, nil); len(got) != 0 {
		t.Errorf("another session took %v", got)
	}
	if s := q.Answer(command.Answer{ID: rec.ID, Session: "other", Status: "complete"}); s != "unknown" {
		t.Errorf("another session answered: %s", s)
	}
}

func TestTheSixteenthCommandIsRefused(t *testing.T) {
	q := command.NewQueue("r")
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

func TestCallersOfEndedCommandsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r")
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
		q := command.NewQueue("r")
		ctx, cancel := context.WithCancel(t.Context())
		go func() { time.Sleep(time.Second); cancel() }()
		_, err := q.Do(ctx, click(time.Minute))
		if problem.From(err).Code != problem.Cancelled {
			t.Errorf("got %v", err)
		}
		if got := q.Take(t.Context(), "s", 0, nil); len(got) != 0 {
			t.Errorf("a cancelled command was handed out: %v", got)
		}
	})
}

func TestEndedCommandsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r")
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
	q := command.NewQueue("r")
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

func TestManyAtOnce(t *testing.T) {
	q := command.NewQueue("r")
	ctx, cancel := context.WithCancel(t.Context())
	var browser, callers sync.WaitGroup
	browser.Go(func() {
		var acks []string
		for ctx.Err() == nil {
			cmds := q.Take(ctx, "s", time.Second, acks)
			acks = nil
			for _, c := range cmds {
				acks = append(acks, c.ID)
				q.Answer(command.Answer{ID: c.ID, Status: "complete", Result: c.Params})
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
		q := command.NewQueue("r")
		got := make(chan []command.Command, 1)
		go func() { got <- q.Take(t.Context(), "s", time.Minute, nil) }()
		synctest.Wait()
		for i := range 1000 {
			q.Take(t.Context(), fmt.Sprint("stranger ", i), 0, nil)
		}
		if _, err := q.Start(click(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if cmds := <-got; len(cmds) != 1 {
			t.Errorf("the waiting session got %v", cmds)
		}
	})
}

// Commands of a browser that went away end; those of others go on.
func TestCommandsOfABrowserThatWentAwayEnd(t *testing.T) {
	q := command.NewQueue("r1")
	one, err := q.Start(command.Request{Session: "s1", Kind: "click", Params: map[string]any{}, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	two, err := q.Start(command.Request{Session: "s2", Kind: "click", Params: map[string]any{}, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if n := q.Gone("s1"); n != 1 {
		t.Errorf("%d ended", n)
	}
	if rec, _ := q.Get(one.CorrelationID); !rec.Status.Final() || rec.Failure == nil || rec.Failure.Code != "interrupted" {
		t.Errorf("%+v", rec)
	}
	if rec, _ := q.Get(two.CorrelationID); rec.Status.Final() {
		t.Errorf("%+v", rec)
	}
}
