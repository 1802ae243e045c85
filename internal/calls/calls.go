// Package calls is the one way from a transport to a tool and back: it limits, runs, renders and keeps the books.
package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
)

// Runner is the one way from a transport to a tool and back: it limits, runs, renders and keeps books.
// The zero value works. Safe for concurrent use.
type Runner struct {
	// Project returns the project that a folder stands for, and why it is none; nil takes every folder.
	Project func(folder string) (root string, _ error)
	Allow   func(catalog.Call) error // limits calls; nil allows all
	// Note returns what an answer in text and a refusal say once beside their own; "" nothing, nil nothing ever.
	Note func(catalog.Call) string
	// Relaxed returns what every answer and refusal says while it is so, JSON too; "" nothing, nil nothing ever.
	Relaxed func() string

	Audit *Log                // keeps every call; nil keeps none
	Clean func(string) string // takes the secrets out of what Audit keeps; nil leaves them
	Log   *slog.Logger        // told of panics; nil tells nobody

	// Stopped returns why calls end when a person stopped the daemon, else nil; nil: nobody does.
	Stopped func() error

	panics atomic.Int64
}

// Answer is what a call gave.
type Answer struct {
	Text   string // JSON when JSON is set; of a problem, its text
	JSON   bool
	Images []answer.Image
}

// Panics returns how many handlers panicked.
func (c *Runner) Panics() int64 { return c.panics.Load() }

// Run calls a tool and renders what it gives. It never panics: a handler that does gives a problem,
// and the log has the stack. Answer.Text is set in every case. A call that can be repeated without harm gives ctx's
// error when ctx ended before its answer was written.
func (c *Runner) Run(
	ctx context.Context,
	t *catalog.Bound,
	call catalog.Call,
	args json.RawMessage,
	opt answer.Options,
) (a Answer, p *problem.Problem) {
	start := time.Now()
	mode := t.ModeOf(args)
	c.Place(&call)
	defer func() {
		if r := recover(); r != nil {
			c.Panicked(t.Name+" "+mode, r)
			p = problem.From(fmt.Errorf("%s %s failed inside the daemon; the log has the details", t.Name, mode))
		}
		if p != nil {
			a = Answer{Text: answer.Refusal(p, opt.Fence)}
		}
		if c.Audit != nil {
			r := Record{
				Time:     start,
				Client:   call.Client,
				Name:     call.Name,
				Tool:     t.Name,
				Mode:     mode,
				Args:     argsOf(t.Name, mode, args, c.Clean),
				Duration: time.Since(start),
				Size:     len(a.Text),
			}
			if p != nil {
				r.Err = p.Code
			}
			c.Audit.Add(r)
		}
	}()
	if c.Allow != nil {
		if err := c.Allow(call); err != nil {
			return a, problem.From(err)
		}
	}
	out, err := t.Call(ctx, call, args)
	if err == nil {
		a.JSON = out.AsJSON
		if t.Idempotent { // else what was done has to be told
			opt.Ended = ctx.Err
		}
		if c.Note != nil {
			opt.Note = func() string { return c.Note(call) }
		}
		if c.Relaxed != nil {
			opt.Relaxed = c.Relaxed()
		}
		a.Text, a.Images, err = answer.Render(out, opt)
	}
	p = problem.From(err)
	if p != nil && c.Stopped != nil && (p.Code == problem.Stopping || ctx.Err() != nil) {
		if why := c.Stopped(); why != nil {
			p = problem.From(why)
		}
	}
	return a, c.noted(p, call)
}

// noted adds the notes of an answer to a problem, nil to none.
func (c *Runner) noted(p *problem.Problem, call catalog.Call) *problem.Problem {
	if p == nil {
		return nil
	}
	told := *p // others may hold the problem
	told.Details = slices.Clone(p.Details)
	if c.Note != nil {
		if note := c.Note(call); note != "" {
			told.Details = append(told.Details, "note: "+note)
		}
	}
	if c.Relaxed != nil {
		if note := c.Relaxed(); note != "" {
			told.Details = append(told.Details, "note: "+note)
		}
	}
	return &told
}

// Place sets the caller's project, unless that was done: the first of its folders that may be one.
func (c *Runner) Place(call *catalog.Call) {
	if call.Root != "" || call.Unknown != "" {
		return
	}
	for _, folder := range call.Folders {
		root, err := folder, error(nil)
		if c.Project != nil {
			root, err = c.Project(folder)
		}
		if err == nil {
			call.Root, call.Unknown = root, ""
			return
		}
		if call.Unknown == "" {
			call.Unknown = err.Error()
		}
	}
}

// Panicked notes a panic and where it happened; for callers that recovered one themselves.
func (c *Runner) Panicked(where string, r any) {
	c.panics.Add(1)
	if c.Log != nil {
		c.Log.Error("panic in handler", "where", where, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
	}
}
