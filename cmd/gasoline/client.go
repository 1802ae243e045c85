package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/wire"
)

// client talks to the daemon of a place.
type client struct {
	place  daemon.Place
	token  string
	memory string // as --memory asks for it, until that was compared
	http   http.Client
}

// client returns a client of the daemon that the settings mean.
func (s settings) client() (*client, error) {
	place, err := s.place()
	if err != nil {
		return nil, err
	}
	token, err := place.Token()
	if err != nil {
		return nil, fail{code: exitError, err: err}
	}
	return newClient(place, token, s.memory), nil
}

// newClient returns a client whose connections lead to the daemon of the place and nobody else: each
// begins with the daemon's proof, before the token or anything of a request is sent.
func newClient(place daemon.Place, token, memory string) *client {
	transport := &http.Transport{DialContext: place.Dialer().DialContext}
	return &client{place: place, token: token, memory: memory, http: http.Client{Transport: transport}}
}

var (
	errDown = errors.New("no daemon runs")
	errHung = errors.New("no answer")
)

// do sends a request and returns the answer's body. A refusal is an error with the daemon's words.
func (c *client) do(ctx context.Context, method, path string, body any, header http.Header) ([]byte, error) {
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1:"+strconv.Itoa(c.place.Port)+path, in)
	if err != nil {
		return nil, err
	}
	for k, v := range header {
		req.Header[k] = v
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("User-Agent", "gasoline-cli/"+version)
	res, err := c.http.Do(req)
	if err != nil {
		var op *net.OpError
		var foreign *proof.Foreign
		switch {
		case errors.As(err, &foreign):
			return nil, c.foreign(foreign)
		case errors.Is(context.Cause(ctx), errHung):
			return nil, c.hung()
		case ctx.Err() != nil:
			return nil, fail{code: exitError, err: context.Cause(ctx)}
		case errors.As(err, &op) && op.Op == "dial":
			return nil, fail{
				code: exitDown,
				err:  fmt.Errorf(`%w on port %d; "gasoline serve" starts one`, errDown, c.place.Port),
			}
		}
		return nil, fail{
			code: exitDown,
			err:  fmt.Errorf("the daemon on port %d went away, or it is another program: %w", c.place.Port, err),
		}
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, fail{code: exitDown, err: fmt.Errorf("read the daemon's answer: %w", err)}
	}
	if res.StatusCode < 300 {
		return out, nil
	}
	var p wire.Problem
	if json.Unmarshal(out, &p) != nil || p.Error.Message == "" {
		return nil, fail{code: exitError, err: fmt.Errorf("the daemon answers %s", res.Status)}
	}
	return nil, fail{code: exitOf(p.Error.Code), err: errors.New(refusal(p.Error, isTerminal(os.Stderr)))}
}

// refusal is a problem as its reader wants it: a person the lines as they are, a program with the fence
// around those that a page has a say in.
func refusal(p wire.ProblemBody, person bool) string {
	lines := append([]string{strings.TrimSpace(p.Message + " " + p.Fix)}, p.Details...)
	if person {
		for i, l := range lines {
			lines[i] = toAPerson(l, "")
		}
		for _, l := range p.Page {
			lines = append(lines, answer.Clean(l.Words()))
		}
	} else if len(p.Page) > 0 {
		w := answer.NewWriter(answer.DefaultBudget, "")
		w.Lines(p.Page)
		lines = append(lines, w.String())
	}
	return strings.Join(lines, "\n")
}

// exitOf returns the exit code for a problem's code.
func exitOf(code string) int {
	switch code {
	case "pilot_off", "origin_not_allowed", "extension_offline", "unauthorized":
		return exitUser
	case "invalid_param", "missing_param", "unknown_mode":
		return exitUsage
	case "stopping", "stopped":
		return exitDown
	}
	return exitError
}

// ensure starts a daemon when none answers, and says so on stderr when it takes a while. It also says
// there when --memory is not what the daemon runs with.
func (c *client) ensure(ctx context.Context, stderr io.Writer) error {
	h, err := c.health(ctx)
	if !errors.Is(err, errDown) {
		if err == nil {
			c.compare(h, stderr)
		}
		return err
	}
	undone := c.place.Stopped()
	if undone != "" {
		fmt.Fprintln(stderr, "gasoline: Gasoline had been stopped; this call starts it again")
	}
	if err := c.place.Spawn(); err != nil {
		return fail{code: exitDown, err: err}
	}
	told := false
	start := time.Now()
	spawned := start
	for time.Since(start) < 8*time.Second {
		// One that finds after it listens that it cannot start closes what had connected by then.
		if _, err := c.health(ctx); !errors.Is(err, errDown) && !errors.Is(err, proof.ErrCloses) {
			return err
		}
		if ctx.Err() != nil {
			return fail{code: exitError, err: context.Cause(ctx)}
		}
		if err := c.place.Failed(); err != nil {
			return fail{code: exitDown, err: fmt.Errorf("the daemon did not start: %w", err)}
		}
		if mark := c.place.Stopped(); mark != "" && mark != undone {
			how, _, _ := strings.Cut(mark, "\n")
			return fail{code: exitDown, err: fmt.Errorf("the daemon was stopped %s before it had started", how)}
		}
		// One that another program began to start, which ours left the place to, may have ended meanwhile.
		if time.Since(spawned) > 2*time.Second {
			spawned = time.Now()
			if err := c.place.Spawn(); err != nil {
				return fail{code: exitDown, err: err}
			}
		}
		if !told && time.Since(start) > time.Second {
			fmt.Fprintln(stderr, "gasoline: starting the daemon …")
			told = true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return fail{
		code: exitDown,
		err: fmt.Errorf(
			`the daemon did not start; its log is %s, and "gasoline doctor" shows what is wrong`,
			c.place.LogPath(),
		),
	}
}

// compare warns when the daemon that runs has another memory than --memory asks for.
func (c *client) compare(h wire.Health, stderr io.Writer) {
	asked := c.memory
	c.memory = "" // once is enough
	if asked == "" {
		return
	}
	if wanted, err := daemon.ParseMemory(asked); err == nil && h.Budget > 0 && h.Budget != wanted {
		fmt.Fprintf(
			stderr,
			"gasoline: --memory %s has no effect: the daemon that runs has %s; \"gasoline stop\" ends it\n",
			asked,
			size(h.Budget),
		)
	}
}

// patience is how long a daemon may take for what it answers at once when it is well.
const patience = 5 * time.Second

// quick is do for requests that the daemon answers at once.
func (c *client) quick(ctx context.Context, method, path string, body any) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errHung)
	defer cancel()
	return c.do(ctx, method, path, body, nil)
}

// health asks who answers; errDown when nobody listens.
func (c *client) health(ctx context.Context) (h wire.Health, err error) {
	out, err := c.quick(ctx, http.MethodGet, "/health", nil)
	if err != nil {
		return h, err
	}
	if err := json.Unmarshal(out, &h); err != nil {
		return h, fail{code: exitError, err: fmt.Errorf("read /health: %w", err)}
	}
	return h, nil
}

// foreign is the error for a port whose holder gave no proof. A daemon of this place that hangs holds a
// lock, so it is told apart from another program.
func (c *client) foreign(f *proof.Foreign) error {
	if errors.Is(f, proof.ErrSilent) && c.place.Held() {
		return c.hung()
	}
	return fail{code: exitDown, err: f}
}

// hung is the error for a daemon of this place that does not answer.
func (c *client) hung() error {
	return fail{
		code: exitDown,
		err:  fmt.Errorf(`%w on port %d; "gasoline stop" ends a daemon that hangs`, errHung, c.place.Port),
	}
}
