package testkit

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/command"
)

// Extension is a browser that takes commands from the real queue and answers them as it was told.
// The zero value with a Session answers every command with an error.
type Extension struct {
	Session string
	Answers map[string]Scripted // by the command's kind

	Taken     []command.Command // what it was given, in order; read it when Serve has returned
	news      []Received        // of Taken, what Received has not told yet
	Cancelled []string          // ids that it was told to cancel
}

// Scripted is what an extension does with a command of one kind.
type Scripted struct {
	Result  json.RawMessage  `json:"result,omitempty"`
	Status  string           `json:"status,omitempty"` // complete when absent, error with an Error
	Error   *command.Failure `json:"error,omitempty"`
	DelayMS int              `json:"delay_ms,omitempty"`
	Silent  bool             `json:"silent,omitempty"` // acknowledged and never answered
	Sync    json.RawMessage  `json:"sync,omitempty"`   // body of a POST /sync that it sends before it answers
	Then    []Scripted       `json:"then,omitempty"`   // what it does with the next ones of the kind; the last holds for all after it
}

// Received is a command as the browser got it.
type Received struct {
	command.Command
	Left time.Duration // until its deadline
}

// Received returns the commands that came since it was asked last. The caller sees to it that nothing
// comes meanwhile.
func (e *Extension) Received() []Received {
	news := e.news
	e.news = nil
	return news
}

// Serve polls until ctx ends. Commands are executed one after the other, beside the polls.
func (e *Extension) Serve(ctx context.Context, h *Daemon) error {
	closed := h.Registry.Poll(e.Session)
	defer closed(false)
	work := make(chan command.Command, 100) // more than a session may have unfinished
	worked := make(chan error, 1)
	go func() {
		var first error
		for c := range work {
			if err := e.carryOut(ctx, h, c); err != nil && first == nil {
				first = err
			}
		}
		worked <- first
	}()
	poll := command.Poll{Session: e.Session}
	var taken []command.Command
	for ctx.Err() == nil {
		wait := 25 * time.Second
		if len(taken) > 0 {
			wait = 0 // commands are acknowledged before they are answered
		}
		given := h.Queue.Take(ctx, poll, wait)
		for _, c := range taken {
			work <- c
		}
		taken = given.Commands
		poll.Taken, poll.Cancelled = nil, given.Cancel
		e.Cancelled = append(e.Cancelled, given.Cancel...)
		for _, c := range given.Commands {
			poll.Taken = append(poll.Taken, c.ID)
			e.Taken = append(e.Taken, c)
			e.news = append(e.news, Received{c, time.Until(c.Deadline)})
		}
	}
	close(work)
	return <-worked
}

func (e *Extension) carryOut(ctx context.Context, h *Daemon, c command.Command) error {
	s, known := e.Answers[c.Kind]
	if !known {
		s.Error = &command.Failure{
			Code:    "unsupported",
			Message: fmt.Sprintf("this browser was not told what to do with %q", c.Kind),
		}
	}
	if len(s.Then) > 0 {
		next := s.Then[0]
		next.Then = s.Then[1:]
		e.Answers[c.Kind] = next
	}
	if s.DelayMS > 0 {
		timer := time.NewTimer(time.Duration(s.DelayMS) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil
		}
	}
	if len(s.Sync) > 0 {
		if err := h.Sync(s.Sync); err != nil {
			return err
		}
	}
	if s.Silent {
		return nil
	}
	a := command.Answer{
		ID:      c.ID,
		Session: e.Session,
		Status:  s.Status,
		Result:  s.Result,
		Failure: s.Error,
		Elapsed: time.Duration(s.DelayMS) * time.Millisecond,
	}
	if a.Status == "" {
		a.Status = "complete"
		if s.Error != nil {
			a.Status = "error"
		}
	}
	h.Queue.Answer(a)
	return nil
}
