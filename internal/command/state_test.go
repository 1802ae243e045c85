package command_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

func saveState(wait time.Duration) command.Request {
	r := click(wait)
	r.Kind, r.Params = "save_state", command.SaveStateParams{Parts: []string{"local"}}
	return r
}

// A private result reaches the call that waits as the browser sent it, and nobody else, then or later.
func TestAPrivateResultIsItsCallersAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", marks{})
		nobody := func(id string) {
			t.Helper()
			rec, known := q.Get(id)
			_, done, _ := q.Lists()
			waited, err := q.Wait(t.Context(), id, time.Now())
			if !known || err != nil || rec.Result != nil || waited.Result != nil || done[0].Result != nil || !rec.Dropped {
				t.Errorf("kept %s, %s, %v %v", rec.Result, waited.Result, known, err)
			}
		}
		go func() {
			cmds := take(t.Context(), q, "s", time.Minute)
			q.Answer(command.Answer{ID: cmds[0].ID, Status: "complete", Result: json.RawMessage(`{"page_section":"secret"}`)})
			nobody(cmds[0].CorrelationID)
		}()
		rec, err := q.Do(t.Context(), saveState(5*time.Second))
		if err != nil || string(rec.Result) != `{"page_section":"secret"}` || rec.Dropped {
			t.Fatalf("%+v %v", rec, err)
		}
		nobody(rec.ID)
		if q.Totals().Completed != 1 {
			t.Errorf("%+v", q.Totals())
		}
	})
}

// Past the deadline, or when the call is over, a private command has ended: what comes later has no reader.
func TestAPrivateCommandEndsWithItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", marks{})
		// A poll that is open before the command comes is given the cancellation of the one before, and asks again.
		next := func() string {
			for told := []string(nil); ; {
				work := q.Take(t.Context(), command.Poll{Session: "s", Cancelled: told}, time.Minute)
				if len(work.Commands) > 0 {
					return work.Commands[0].ID
				}
				if len(work.Cancel) == 0 {
					t.Error("no command came")
					return ""
				}
				told = work.Cancel
			}
		}
		late := func(acknowledged bool) {
			id := next()
			if acknowledged {
				take(t.Context(), q, "s", 8*time.Second, id)
			}
			time.Sleep(10 * time.Second)
			if s := q.Answer(command.Answer{ID: id, Result: json.RawMessage(`"secret"`)}); s != "duplicate" {
				t.Errorf("the late answer is %s", s)
			}
		}
		for _, acknowledged := range []bool{true, false} {
			go late(acknowledged)
			rec, err := q.Do(t.Context(), saveState(5*time.Second))
			// Where the browser does not poll on, the command was interrupted before.
			over := rec.Status == command.TimedOut || !acknowledged && rec.Status == command.Interrupted
			if err != nil || !over || rec.Result != nil {
				t.Errorf("acknowledged %v: %+v %v", acknowledged, rec, err)
			}
			time.Sleep(time.Minute)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			id := next()
			cancel()
			synctest.Wait()
			q.Answer(command.Answer{ID: id, Result: json.RawMessage(`"secret"`)})
		}()
		if rec, err := q.Do(ctx, saveState(5*time.Second)); problem.From(err).Code != problem.Cancelled || rec.Result != nil {
			t.Errorf("%+v %v", rec, err)
		}
		if _, err := q.Start(saveState(time.Second)); problem.From(err).Code != problem.InvalidParam {
			t.Errorf("started without a reader: %v", err)
		}
	})
}

// What a private command fails with is cleaned and kept as that of others.
func TestAPrivateFailureIsCleaned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", marks{})
		go func() {
			cmds := take(t.Context(), q, "s", time.Minute)
			f := &command.Failure{Code: "too_large", Message: "big"}
			q.Answer(command.Answer{ID: cmds[0].ID, Status: "error", Failure: f, Result: json.RawMessage(`"x"`)})
		}()
		rec, err := q.Do(t.Context(), saveState(5*time.Second))
		if err != nil || rec.Status != command.Failed || !strings.HasPrefix(rec.Failure.Message, "text:") {
			t.Errorf("%+v %v", rec, err)
		}
	})
}
