package command_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/redact"
)

// marks is a cleaner that shows what was given to it, and as what.
type marks struct{}

func (marks) Text(s string) string    { return "text:" + s }
func (marks) URL(s string) string     { return "url:" + s }
func (marks) Body(s, _ string) string { return `{"body":` + s + `}` }

// start queues a command, which must be taken in.
func start(t *testing.T, q *command.Queue, r command.Request) command.Record {
	t.Helper()
	rec, err := q.Start(r)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// The words of the browser for an end are one of ours, or an error; each end is counted once.
func TestAnswersEndCommandsAsTheBrowserSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		none := "the browser gave no reason"
		for _, tt := range []struct {
			says   string
			why    *command.Failure
			want   command.Status
			reason string
		}{
			{"", nil, command.Complete, ""},
			{"ok", nil, command.Complete, ""},
			{"done", nil, command.Complete, ""},
			{"complete", nil, command.Complete, ""},
			{"complete", &command.Failure{Code: "odd"}, command.Complete, "odd "},
			{"error", &command.Failure{Code: "not_there", Message: "it is gone"}, command.Failed, "not_there it is gone"},
			{"error", nil, command.Failed, "error " + none},
			{"queued", nil, command.Failed, "error " + none},
			{"timeout", nil, command.TimedOut, "timeout " + none},
			{"cancelled", nil, command.Cancelled, "cancelled " + none},
			{"interrupted", nil, command.Interrupted, "interrupted " + none},
		} {
			rec := start(t, q, click(time.Minute))
			time.Sleep(time.Second)
			if s := q.Answer(command.Answer{ID: rec.ID, Session: "s", Status: tt.says, Failure: tt.why, Elapsed: time.Minute}); s != "ok" {
				t.Errorf("%q: %s", tt.says, s)
			}
			got, _ := q.Get(rec.ID)
			reason := ""
			if got.Failure != nil {
				reason = got.Failure.Code + " " + got.Failure.Message
			}
			if got.Status != tt.want || reason != tt.reason || got.Elapsed != time.Minute || !got.Finished.Equal(time.Now()) {
				t.Errorf("%q: %s %q, %+v, want %s %q", tt.says, got.Status, reason, got, tt.want, tt.reason)
			}
			if got.Status == command.Complete && !q.Totals().LastSuccess.Equal(time.Now()) {
				t.Errorf("the last success was at %v", q.Totals().LastSuccess)
			}
			if s := q.Answer(command.Answer{ID: rec.ID, Session: "s", Status: "complete"}); s != "duplicate" {
				t.Errorf("%q, the second time: %s", tt.says, s)
			}
		}
		if s := q.Answer(command.Answer{ID: "r-99", Status: "complete"}); s != "unknown" {
			t.Errorf("to no command: %s", s)
		}
		start(t, q, click(time.Second))
		time.Sleep(time.Second + command.Grace + time.Second)
		if _, _, failed := q.Lists(); len(failed) != 6 || failed[5].Failure.Message != "no answer came" {
			t.Errorf("failed: %+v", failed)
		}
		sum := q.Totals()
		sum.LastSuccess = time.Time{}
		if want := (command.Totals{Completed: 5, Failed: 4, TimedOut: 1, Expired: 1, Cancelled: 1, Duplicates: 11}); sum != want {
			t.Errorf("totals %+v, want %+v", sum, want)
		}
	})
}

// Everything of a page goes through the cleaner, but a picture's data does not: a pseudonym in it would break it.
func TestResultsAreCleanedByTheirKind(t *testing.T) {
	q := command.NewQueue("r", marks{})
	for _, tt := range []struct{ kind, result, want string }{
		{"click", `{"data":"x"}`, `{"body":{"data":"x"}}`},
		{"screenshot", `{"data":"x","url":"u","title":"t"}`, `{"format":"","data":"x","width":0,"height":0,"url":"url:u","title":"text:t","route":""}`},
		{"screenshot", `[]`, `{"body":[]}`},
		{"click", ``, ``},
	} {
		r := click(time.Minute)
		r.Kind = tt.kind
		rec := start(t, q, r)
		q.Answer(command.Answer{ID: rec.ID, Result: json.RawMessage(tt.result)})
		if got, _ := q.Get(rec.ID); string(got.Result) != tt.want {
			t.Errorf("%s %s: kept %s, want %s", tt.kind, tt.result, got.Result, tt.want)
		}
	}
}

// A failure is cleaned first and cut then, in each of its parts, and never inside of a character.
func TestFailuresAreCleanedAndCut(t *testing.T) {
	q := command.NewQueue("r", marks{})
	long := func(n int) string { return strings.Repeat("é", n) } // two bytes each
	f := &command.Failure{Code: long(100), Message: "m" + long(4000), Details: slices.Repeat([]string{long(1000)}, 60)}
	rec := start(t, q, click(time.Minute))
	q.Answer(command.Answer{ID: rec.ID, Status: "error", Failure: f})
	got, _ := q.Get(rec.ID)
	if want := "text:" + long(29); got.Failure.Code != want { // 5 bytes, 58 of 59
		t.Errorf("code %q, want %q", got.Failure.Code, want)
	}
	if want := "text:m" + long(2045); got.Failure.Message != want {
		t.Errorf("the message has %d bytes, want %d", len(got.Failure.Message), len(want))
	}
	if d := got.Failure.Details; len(d) != 50 || d[49] != "text:"+long(509) {
		t.Errorf("%d details, the last of %d bytes", len(d), len(d[len(d)-1]))
	}
	if len(f.Details) != 60 || f.Code != long(100) {
		t.Error("the caller's failure was changed")
	}
	short := start(t, q, click(time.Minute))
	q.Answer(command.Answer{ID: short.ID, Status: "error", Failure: &command.Failure{Code: "c", Details: []string{"d"}}})
	if got, _ := q.Get(short.ID); got.Failure.Code != "text:c" || !slices.Equal(got.Failure.Details, []string{"text:d"}) {
		t.Errorf("%+v", got.Failure)
	}
}

// A finished command is found by both ids for a while, a failed one for longer and without its result.
func TestFinishedCommandsAreKeptForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		var ids []command.Record
		for i := range 107 {
			rec := start(t, q, click(time.Minute))
			status := "error"
			if i < 5 {
				status = "complete"
			}
			q.Answer(command.Answer{ID: rec.ID, Status: status, Result: json.RawMessage(`{}`)})
			ids = append(ids, rec)
		}
		known := func(i int) (out string) {
			for _, id := range []string{ids[i].ID, ids[i].CorrelationID} {
				rec, ok := q.Get(id)
				if ok && rec.ID != ids[i].ID {
					t.Errorf("%s gives %s", id, rec.ID)
				}
				out += fmt.Sprint(ok, " ", len(rec.Result), " ", rec.Dropped, ";")
			}
			return out
		}
		const kept, lost, brief = "true 2 false;true 2 false;", "false 0 false;false 0 false;", "true 0 true;true 0 true;"
		for i := range ids {
			if got := known(i); got != kept {
				t.Errorf("%d at once: %s", i, got)
			}
		}
		time.Sleep(command.Keep + time.Second)
		for i, want := range map[int]string{0: lost, 4: lost, 5: lost, 6: lost, 7: brief, 106: brief} {
			if got := known(i); got != want {
				t.Errorf("%d after %v: %s, want %s", i, command.Keep, got, want)
			}
		}
		_, _, failed := q.Lists()
		if len(failed) != 100 || failed[0].ID != ids[7].ID || failed[99].ID != ids[106].ID {
			t.Errorf("%d failed ones, from %s to %s", len(failed), failed[0].ID, failed[len(failed)-1].ID)
		}
		for i := range 501 {
			rec := start(t, q, click(time.Minute))
			q.Answer(command.Answer{ID: rec.ID})
			if i < 2 {
				ids = append(ids, rec)
			}
		}
		if _, done, _ := q.Lists(); len(done) != 500 || known(107) != lost || known(108) == lost {
			t.Errorf("%d are kept; the first: %s, the second: %s", len(done), known(107), known(108))
		}
	})
}

// The room of results that were forgotten is free again; a command without a result loses none.
func TestResultsThatAreForgottenTakeNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", marks{})
		answer := func(n int) string {
			rec := start(t, q, click(time.Second))
			big := json.RawMessage(`"` + strings.Repeat("x", n) + `"`)
			if n == 0 {
				big = nil
			}
			q.Answer(command.Answer{ID: rec.ID, Result: big})
			return rec.ID
		}
		dropped := func() (out []string) {
			_, done, _ := q.Lists()
			for _, rec := range done {
				if rec.Dropped {
					out = append(out, rec.ID)
				}
			}
			return out
		}
		for range 3 {
			answer(10 << 20)
		}
		time.Sleep(command.Keep + time.Second)
		answer(0)
		first := answer(10 << 20)
		answer(10 << 20)
		answer(10 << 20)
		if got := dropped(); len(got) != 0 {
			t.Errorf("dropped %v, though there was room", got)
		}
		answer(10 << 20)
		if got := dropped(); !slices.Equal(got, []string{first}) {
			t.Errorf("dropped %v, want %s", got, first)
		}
	})
}

// Commands that nobody answers end when they are looked for, whoever looks, at the time of that look.
func TestOverdueCommandsEndWhoeverLooks(t *testing.T) {
	for name, look := range map[string]func(t *testing.T, q *command.Queue){
		"Start": func(t *testing.T, q *command.Queue) { start(t, q, click(time.Minute)) },
		"Take":  func(t *testing.T, q *command.Queue) { q.Take(t.Context(), command.Poll{Session: "other"}, 0) },
		"Lists": func(_ *testing.T, q *command.Queue) { q.Lists() },
		"Get":   func(_ *testing.T, q *command.Queue) { q.Get("x") },
	} {
		synctest.Test(t, func(t *testing.T) {
			q := command.NewQueue("r", redact.New(redact.Rules{}))
			var first command.Record
			for i := range command.MaxPending {
				if rec := start(t, q, click(time.Second)); i == 0 {
					first = rec
				}
			}
			time.Sleep(time.Second + command.Grace)
			if name != "Start" { // at the limit they may still be answered
				look(t, q)
				if got, _ := q.Get(first.ID); got.Status != command.Queued {
					t.Errorf("%s at the limit: %s", name, got.Status)
				}
			}
			time.Sleep(time.Second)
			look(t, q)
			ended := time.Now()
			time.Sleep(time.Second)
			got, _ := q.Get(first.ID)
			if got.Status != command.Expired || !got.Finished.Equal(ended) || got.Failure.Code != "timeout" {
				t.Errorf("%s: %s at %v, want expired at %v", name, got.Status, got.Finished, ended)
			}
		})
	}
}

// A browser that took a command and is gone has interrupted it, and the reason says so.
func TestInterruptedCommandsSayWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		taken := start(t, q, click(time.Hour))
		take(t.Context(), q, "s", 0)
		waiting := start(t, q, click(time.Hour))
		time.Sleep(command.Absence)
		if got, _ := q.Get(taken.ID); got.Status != command.Sent {
			t.Errorf("not yet absent: %s", got.Status)
		}
		time.Sleep(time.Second)
		got, _ := q.Get(taken.ID)
		if got.Status != command.Interrupted || !got.Finished.Equal(time.Now()) ||
			got.Failure.Code != "interrupted" || got.Failure.Message != "the browser went away while it ran" {
			t.Errorf("%+v %+v", got, got.Failure)
		}
		if got, _ := q.Get(waiting.ID); got.Status != command.Queued {
			t.Errorf("one that it did not take: %s", got.Status)
		}
		pending, _, _ := q.Lists()
		if len(pending) != 1 || pending[0].ID != waiting.ID {
			t.Errorf("pending: %+v", pending)
		}
	})
}

// What a command was asked for stands in its record, and its ids are of this queue only.
func TestRecordsSayWhatWasAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("run", redact.New(redact.Rules{}))
		r := click(time.Minute)
		r.Client = "agent"
		start(t, q, r)
		got := start(t, q, r)
		want := command.Record{Status: command.Queued, Created: time.Now(), Command: command.Command{
			ID: "run-2", CorrelationID: "c2-run", Session: "s", Kind: "click", Tab: 7, Client: "agent",
			Deadline: time.Now().Add(time.Minute), Params: json.RawMessage(`{}`),
		}}
		if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); a != b {
			t.Errorf("%s, want %s", a, b)
		}
		time.Sleep(time.Second)
		handed := take(t.Context(), q, "s", 0)
		if len(handed) != 2 || fmt.Sprintf("%+v", handed[1]) != fmt.Sprintf("%+v", want.Command) {
			t.Errorf("handed out %+v", handed)
		}
		sent := time.Now()
		time.Sleep(command.Lease)
		take(t.Context(), q, "s", 0)
		time.Sleep(time.Second)
		take(t.Context(), q, "s", 0, "run-2", "none")
		rec, _ := q.Get("c2-run")
		if rec.Status != command.Running || rec.Attempts != 2 || !rec.SentAt.Equal(sent) || !rec.Started.Equal(time.Now()) {
			t.Errorf("%+v", rec)
		}
		if n := q.Cancel("other"); n != 0 {
			t.Errorf("%d of another session were cancelled", n)
		}
		if n := q.Cancel("s"); n != 2 {
			t.Errorf("%d were cancelled", n)
		}
	})
}

// The name of an attribute is in the parameters alone, and says that its value is secret.
func TestAttributesWithSecretNames(t *testing.T) {
	for name, hidden := range map[string]bool{"data-token": true, "data-api-key": true, "class": false, "data-tokens": false} {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		r := start(t, q, command.Request{
			Kind: command.GetAttribute.Name, Session: "s", Params: command.AttributeParams{Name: name},
			Deadline: time.Now().Add(time.Minute),
		})
		q.Answer(command.Answer{ID: r.ID, Result: json.RawMessage(`{"value":"swordfish","url":"http://127.0.0.1/?q=1"}`)})
		done, ok := q.Get(r.ID)
		if !ok || strings.Contains(string(done.Result), "swordfish") == hidden || !strings.Contains(string(done.Result), "http://127.0.0.1/?q=1") {
			t.Errorf("%s: %s", name, done.Result)
		}
	}
}

// Refusals name the command or the bound, and what to do.
func TestRefusalsOfCommandsSayWhatIsTheMost(t *testing.T) {
	q := command.NewQueue("r", redact.New(redact.Rules{}))
	check := func(err error, want string) {
		t.Helper()
		p := problem.From(err)
		if p == nil {
			t.Errorf("no refusal, want %s", want)
			return
		}
		if got := string(p.Code) + ": " + p.Message + " " + p.Fix; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	sized := func(n int) command.Request {
		r := click(time.Minute)
		r.Params = strings.Repeat("x", n-2)
		return r
	}
	_, err := q.Start(sized(4<<20 + 1))
	check(err, "too_large: the parameters of click have 4194305 bytes; 4194304 is the most. Send less at once.")
	const wait = ` Wait for one of them: observe {"what":"pending_commands"}.`
	for range 4 {
		start(t, q, sized(4<<20))
	}
	_, err = q.Start(click(time.Minute))
	check(err, "queue_full: the commands under way hold 16777216 bytes; 16777216 is the most."+wait)
	q.Cancel("s")
	for range 15 {
		start(t, q, click(time.Minute))
	}
	_, err = q.Start(click(time.Minute))
	check(err, "queue_full: 15 commands are under way in this browser; that is the most."+wait)
	_, err = q.Wait(t.Context(), "zz", time.Now())
	check(err, `no_data: no command "zz" is known. observe {"what":"pending_commands"} lists those that are known.`)
	r := click(time.Minute)
	r.Params = func() {}
	if _, err := q.Start(r); err == nil || !strings.HasPrefix(err.Error(), "encode params of click: ") {
		t.Errorf("params that are no JSON: %v", err)
	}
}

// A waiting caller hears about every five seconds what its command does; short waits are told in their own unit.
func TestWaitingCallersHearWhatTheirCommandDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		began := time.Now()
		var heard []string
		r := click(17 * time.Second)
		r.Progress = func(s string) { heard = append(heard, fmt.Sprint(time.Since(began), " ", s)) }
		go func() {
			time.Sleep(7 * time.Second)
			q.Take(t.Context(), command.Poll{Session: "s"}, time.Second)
			q.Take(t.Context(), command.Poll{Session: "s", Taken: []string{"r-1"}}, time.Minute)
		}()
		if _, err := q.Do(t.Context(), r); err != nil {
			t.Error(err)
		}
		want := []string{"5s click: queued for 5 s", "10s click: running for 10 s", "15s click: running for 15 s"}
		if !slices.Equal(heard, want) {
			t.Errorf("heard %q, want %q", heard, want)
		}
	})
	for wait, want := range map[time.Duration]string{250 * time.Millisecond: "250 ms", time.Second: "1 s", 1250 * time.Millisecond: "1.3 s"} {
		synctest.Test(t, func(t *testing.T) {
			_, err := command.NewQueue("r", redact.New(redact.Rules{})).Do(t.Context(), click(wait))
			if p := problem.From(err); p == nil || !strings.Contains(p.Message, " within "+want+",") {
				t.Errorf("%v: %v", wait, err)
			}
		})
	}
}
