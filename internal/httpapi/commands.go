package httpapi

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/wire"
)

// maxScreenshots bounds the images that are kept below the state directory.
const maxScreenshots = 200

// maxPoll bounds a long poll: the extension's worker must make a call of its own every 30 s to live.
const maxPoll = 25 * time.Second

func (s *Server) pending(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	id, err := sessionOf(q.Get("session"))
	if err != nil {
		return err
	}
	wait := time.Duration(0)
	if v := q.Get("wait"); v != "" {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || !(n >= 0 && n <= 3600) { // the negation refuses NaN, too
			return problem.New(problem.InvalidParam, "Give seconds, 0–25.", "wait is %q.", clip(v))
		}
		wait = min(time.Duration(n*float64(time.Second)), maxPoll)
	}
	closed := s.cfg.Registry.Poll(id)
	defer func() { closed(r.Context().Err() != nil && s.cfg.Context.Err() == nil) }()
	work := s.cfg.Queue.Take(r.Context(), command.Poll{
		Session: id, Life: q.Get("life"), Taken: ids(q.Get("ack")), Cancelled: ids(q.Get("cancelled")),
	}, wait)
	answer := wire.Poll{Commands: []wire.Command{}, Cancel: work.Cancel}
	for _, c := range work.Commands {
		answer.Commands = append(answer.Commands, wire.Command{
			ID: c.ID, CorrelationID: c.CorrelationID, Kind: c.Kind, Params: c.Params, Tab: c.Tab, Client: c.Client,
			Site:      c.Site,
			TimeoutMS: float64(max(0, time.Until(c.Deadline).Milliseconds())),
		})
	}
	s.json(w, http.StatusOK, answer)
	return nil
}

// ids reads a list of ids.
func ids(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

func sessionOf(id string) (string, error) {
	if id == "" || len(id) > 64 {
		return "", problem.New(
			problem.MissingParam,
			"Send the browser profile's session id.",
			"session must have 1–64 characters.",
		)
	}
	return id, nil
}

func (s *Server) result(w http.ResponseWriter, r *http.Request) error {
	var in wire.Result
	if err := s.decode(r, &in); err != nil {
		return err
	}
	if in.ID == "" {
		return problem.New(problem.MissingParam, "Send the command's id.", "id is required.")
	}
	s.json(w, http.StatusOK, wire.ResultAnswer{Status: s.take(in)})
	return nil
}

// take hands a command's result to the queue, which replaces the secrets that a page may have shown.
func (s *Server) take(in wire.Result) string {
	a := command.Answer{
		ID: in.ID, Session: in.Session, Status: in.Status, Result: in.Result,
		Elapsed: time.Duration(in.ElapsedMS * float64(time.Millisecond)),
	}
	if e := in.Error; e != nil {
		a.Failure = &command.Failure{Code: e.Code, Message: e.Message}
		if e.Blocker != "" {
			a.Failure.Details = append(a.Failure.Details, "in the way: "+e.Blocker)
		}
		for _, c := range e.Candidates {
			line := fmt.Sprintf("%s %s %q", c.Ref, c.Role, c.Name)
			if c.Selector != "" {
				line += " " + c.Selector
			}
			if c.In != "" {
				line += " in " + c.In
			}
			if !c.Visible {
				line += " (not visible)"
			}
			if c.Frame != "" {
				line += " in frame " + c.Frame
			}
			a.Failure.Details = append(a.Failure.Details, line)
		}
	}
	if in.Tab != nil && in.Session != "" {
		s.cfg.Registry.SetTab(in.Session, s.tab(*in.Tab))
	}
	return s.cfg.Queue.Answer(a)
}

// tab is a tab as the registry keeps it: its address and title are the page's, so they may hold secrets.
func (s *Server) tab(in wire.Tab) session.Tab {
	t := session.Tab(in)
	t.URL, t.Title = s.cfg.Redact.URL(bounded(t.URL, maxTabText)), s.cfg.Redact.Text(bounded(t.Title, maxTabText))
	t.Status, t.CSP = bounded(t.Status, maxTabWord), bounded(t.CSP, maxTabWord)
	t.NoPageScript = bounded(t.NoPageScript, maxTabWord)
	return t
}

// The bounds of a tab's texts, in bytes.
const (
	maxTabText = 4 << 10 // address and title: a page makes them as long as it likes
	maxTabWord = 64      // state, policy and what is missing, which are words
)

func bounded(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// tracking takes the user's choice of the tab that agents use.
func (s *Server) tracking(w http.ResponseWriter, r *http.Request) error {
	var in wire.Tracking
	if err := s.decode(r, &in); err != nil {
		return err
	}
	id, err := sessionOf(in.Session)
	if err != nil {
		return err
	}
	if _, known := s.cfg.Registry.Browser(id); !known && (in.Use != 0 || in.Release != 0) {
		return problem.New(problem.NoData, "Send its tabs by POST /sync first.", "no browser %q is known.", clip(id))
	}
	if in.Release != 0 {
		if err := s.cfg.Registry.Release(in.Agent, id, in.Release); err != nil {
			return err
		}
	}
	if in.Use != 0 {
		if err := s.cfg.Registry.Use(in.Agent, id, in.Use); err != nil {
			return err
		}
	}
	s.json(w, http.StatusOK, wire.TrackingAnswer{Agents: s.agents(id), Insecure: s.insecure()})
	return nil
}

// agents are the clients that are there, with their tabs in one browser.
func (s *Server) agents(browser string) []wire.Agent {
	out := []wire.Agent{}
	for _, a := range s.cfg.Registry.Agents(browser) {
		out = append(out, wire.Agent(a))
	}
	return out
}

func (s *Server) completed(w http.ResponseWriter, r *http.Request) error {
	answer := wire.Completed{Results: []wire.Result{}}
	if id := r.URL.Query().Get("correlation_id"); id != "" {
		rec, ok := s.cfg.Queue.Get(id)
		if !ok {
			return problem.New(
				problem.NoData,
				"Finished commands are kept for five minutes.",
				"no command %q is known.",
				clip(id),
			)
		}
		if rec.Status.Final() {
			answer.Results = append(answer.Results, resultOf(rec))
		}
	} else {
		_, done, _ := s.cfg.Queue.Lists()
		for _, rec := range done {
			answer.Results = append(answer.Results, resultOf(rec))
		}
	}
	s.json(w, http.StatusOK, answer)
	return nil
}

func resultOf(rec command.Record) wire.Result {
	out := wire.Result{ID: rec.ID, CorrelationID: rec.CorrelationID, Session: rec.Session, Status: string(rec.Status),
		Result: rec.Result, ElapsedMS: float64(rec.Finished.Sub(rec.Created).Microseconds()) / 1000}
	if rec.Failure != nil {
		out.Error = &wire.CommandError{Code: rec.Failure.Code, Message: rec.Failure.Message}
	}
	return out
}

func (s *Server) screenshot(w http.ResponseWriter, r *http.Request) error {
	var in wire.Screenshot
	if err := s.decode(r, &in); err != nil {
		return err
	}
	if in.Format != "png" && in.Format != "jpeg" {
		return problem.New(problem.InvalidParam, "Use png or jpeg.", "format is %q.", clip(in.Format))
	}
	image, err := base64.StdEncoding.DecodeString(in.Data)
	if err != nil || http.DetectContentType(image) != "image/"+in.Format {
		return problem.New(
			problem.InvalidParam,
			"Send the image as base64.",
			"data is no %s image in base64.",
			in.Format,
		)
	}
	name := fmt.Sprintf("screenshot-%s-%d.%s", time.Now().UTC().Format("20060102-150405.000"), in.Tab, in.Format)
	if err := s.cfg.Dir.Write("screenshots/"+name, image); err != nil {
		return err
	}
	if err := s.cfg.Dir.Trim("screenshots", maxScreenshots); err != nil {
		return err
	}
	s.json(w, http.StatusOK, wire.ScreenshotAnswer{Filename: name, Path: s.cfg.Dir.Path("screenshots/" + name)})
	return nil
}

// insecure is what the popup says of the security mode.
func (s *Server) insecure() string {
	if s.cfg.Insecure == nil {
		return ""
	}
	return s.cfg.Insecure()
}
