// Package kubectl follows the output of pods by the user's own kubectl, with its contexts and ways to sign in.
//
// kubectl follows the pods that there are when it begins, so pods are watched beside it, and it is begun anew when one
// comes or a container is started again, whose last lines are asked for then. It goes on at a whole second, a little earlier than the newest line, since the lines of pods come mixed: what was taken
// of a container is known by its time.
package kubectl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/follow"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/source"
)

type options struct {
	Selector  string `json:"selector,omitempty" length:"500" pattern:"^[A-Za-z0-9(!][^\\x00-\\x1f]*$" doc:"labels of the pods, as app=api"`
	Pod       string `json:"pod,omitempty" length:"253" pattern:"^[a-z0-9][a-z0-9.-]*$" doc:"one pod's name"`
	Container string `json:"container,omitempty" length:"63" pattern:"^[a-z0-9][a-z0-9-]*$" doc:"container; default all of a pod"`
	Namespace string `json:"namespace,omitempty" length:"63" pattern:"^[a-z0-9][a-z0-9-]*$" doc:"namespace; default the context's"`
	Context   string `json:"context,omitempty" length:"253" pattern:"^[^-\\x00-\\x1f][^\\x00-\\x1f]*$" doc:"context of the kubeconfig; default the one in use"`
}

// Adapter is that of pods.
var Adapter = source.Declare("kubectl", "The output of pods of Kubernetes.", source.Capabilities{
	Stamped: true, Resolution: time.Nanosecond,
}, open)

// pods is what Tail follows. Tail is called by one at a time.
type pods struct {
	options
	known   map[string]string // restarts of the containers of each pod that runs, ≤ maxKnown pods
	crashed []string          // pods whose containers were started anew since the last tail began, ≤ maxCrashed
}

func open(o options, _ source.Env) (out source.Opened, _ error) {
	if (o.Selector == "") == (o.Pod == "") {
		return out, problem.New(problem.InvalidParam, "Give selector or pod.", "it is not said which pods")
	}
	title := o.Selector
	if o.Pod != "" {
		title = "pod/" + o.Pod
	}
	for _, s := range []string{o.Container, o.Namespace, o.Context} {
		if s != "" {
			title += " " + s
		}
	}
	cluster := "the cluster of the context in use"
	if o.Context != "" {
		cluster = "the cluster of the context " + o.Context
	}
	return source.Opened{Uses: source.Uses{Programs: []string{"kubectl"}, Hosts: []string{cluster}}, Title: title, Domain: "kubernetes:" + o.Context, Tail: &pods{options: o, known: map[string]string{}}}, nil
}

// command returns a command of kubectl with the context and namespace.
func (p *pods) command(args ...string) []string {
	out := []string{"kubectl"}
	if p.Context != "" {
		out = append(out, "--context="+p.Context)
	}
	if p.Namespace != "" {
		out = append(out, "--namespace="+p.Namespace)
	}
	return append(out, args...)
}

// logs returns a command that gives lines since a time, with options and what they are of.
func (p *pods) logs(since time.Time, args ...string) []string {
	out := p.command("logs", "--timestamps", "--prefix", "--since-time="+since.UTC().Format(time.RFC3339))
	if p.Container != "" {
		out = append(out, "--container="+p.Container)
	} else {
		out = append(out, "--all-containers=true")
	}
	return append(out, args...)
}

// cursor is how far the output was read.
type cursor struct {
	From  time.Time       `json:"from"`            // nothing before it is wanted
	Taken map[string]mark `json:"taken,omitempty"` // by container, at most maxTaken

	again map[string]mark // what of each container was taken before, and is given again from its newest line on
}

// mark is the time of the newest line of a container, how many lines have that time, and how many older ones came behind
// it: a runtime writes what it read of stdout and of stderr into one file, and stamps the lines before.
type mark struct {
	At   time.Time `json:"at"`
	N    int       `json:"n"`
	Late int       `json:"late,omitempty"`
}

const (
	maxTaken = 300
	mixed    = 5 * time.Second // by which a container's lines may come later than newer ones of another
	setBack  = time.Minute     // lines that are older than the newest by more were never asked for: a clock was set back
)

// since returns from when on lines are to be given, and expects those that were taken.
func (c *cursor) since() time.Time {
	since := c.From
	c.again = make(map[string]mark, len(c.Taken))
	for stream, m := range c.Taken {
		c.again[stream] = m
		if at := m.At.Add(-mixed); at.After(since) {
			since = at
		}
	}
	return since
}

// take notes a line; it reports false for one that was taken before.
func (c *cursor) take(r *source.Row) bool {
	m, known := c.Taken[r.Stream]
	again := c.again[r.Stream]
	switch {
	case r.Time.Before(m.At) && m.At.Sub(r.Time) <= setBack:
		if again.N > 0 { // the newest is still to be given again
			return false
		}
		if again.Late > 0 {
			again.Late--
			c.again[r.Stream] = again
			return false
		}
		m.Late++
	case known && r.Time.Equal(m.At):
		if again.N > 0 {
			again.N--
			c.again[r.Stream] = again
			return false
		}
		m.N++
	default:
		m = mark{At: r.Time, N: 1}
		delete(c.again, r.Stream)
	}
	if !known && len(c.Taken) >= maxTaken {
		oldest := ""
		for stream, m := range c.Taken {
			if oldest == "" || m.At.Before(c.Taken[oldest].At) {
				oldest = stream
			}
		}
		delete(c.Taken, oldest)
	}
	c.Taken[r.Stream] = m
	return true
}

// Tail follows the pods that there are now, until there are others.
func (p *pods) Tail(ctx context.Context, from string, emit source.Emit) error {
	at := cursor{From: time.Now()}
	if from != "" && json.Unmarshal([]byte(from), &at) != nil {
		return &source.Fault{Kind: source.Expired, Text: "where the output was read to is not known"}
	}
	if at.Taken == nil {
		at.Taken = map[string]mark{}
	}
	save := func(rows []source.Row) error {
		data, err := json.Marshal(at)
		if err != nil {
			return err
		}
		return emit(ctx, rows, string(data))
	}
	if from == "" { // what comes from now on is read, also by the next tail
		if err := save(nil); err != nil {
			return err
		}
	}
	take := func(lines []follow.Piece) error {
		rows := make([]source.Row, 0, len(lines))
		for _, l := range lines {
			r := row(string(l.Text))
			r.Size = l.Size
			if r.Time.IsZero() {
				r.Time = l.Time
			} else if !at.take(&r) {
				continue
			}
			rows = append(rows, r)
		}
		return save(rows)
	}
	since := at.since()
	crashed := p.crashed
	p.crashed = nil
	for _, pod := range crashed { // why it ended stands in what it wrote before
		// Without --ignore-errors, kubectl gives up at the first container that did not end. With it, that is a line.
		err := source.Command{Args: p.logs(since, "--ignore-errors", "--previous", "pod/"+pod)}.Lines(ctx, func(lines []follow.Piece) error {
			return take(slices.DeleteFunc(lines, func(l follow.Piece) bool { return bytes.HasPrefix(l.Text, []byte("error: ")) }))
		})
		if fault := (*source.Fault)(nil); err != nil && !errors.As(err, &fault) { // the pod may be gone
			return err
		}
	}
	at.since() // what is followed begins as early, and gives it once more
	now, end := context.WithCancelCause(ctx)
	defer end(nil)
	which := "pod/" + p.Pod
	if p.Selector != "" {
		which = "--selector=" + p.Selector
	}
	list := p.command("get", "pods", "--watch", "--no-headers",
		"--output=custom-columns=N:.metadata.name,P:.status.phase,R:.status.containerStatuses[*].restartCount")
	if p.Selector != "" {
		list = append(list, which)
	} else {
		list = append(list, p.Pod)
	}
	w := &watcher{more: func() { end(source.ErrAgain) }, pods: p, begun: time.Now(), first: len(p.known) == 0}
	wait, err := source.Command{Args: list}.Beside(now, w)
	if err != nil {
		return err
	}
	defer wait()
	defer end(nil)
	args := p.logs(since, "--follow", which)
	if p.Selector != "" {
		args = append(args, "--max-log-requests=20")
	}
	err = source.Command{Args: args}.Lines(now, take)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(context.Cause(now), source.ErrAgain) {
		return source.ErrAgain
	}
	return err
}

// row reads "[pod/name/container] time text".
func row(line string) (r source.Row) {
	r.Text = line
	if !strings.HasPrefix(line, "[pod/") {
		return r
	}
	prefix, rest, ok := strings.Cut(line, "] ")
	if !ok {
		return r
	}
	stamp, text, _ := strings.Cut(rest, " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return r
	}
	r.Time, r.Text, r.Stream = at, text, strings.TrimPrefix(prefix, "[pod/")
	r.Instance, _, _ = strings.Cut(r.Stream, "/")
	return r
}

// settle is how long pods that are listed at first are no news.
const settle = time.Second

// watcher notices pods that begin to run, and containers that were started anew.
type watcher struct {
	more  func()
	mu    sync.Mutex
	first bool // nothing is known yet
	begun time.Time
	pods  *pods
	line  []byte
}

const (
	maxKnown   = 5000
	maxCrashed = 20
)

// Write takes lines "name phase restarts".
func (w *watcher) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line = append(w.line, data...)
	for {
		end := bytes.IndexByte(w.line, '\n')
		if end < 0 {
			break
		}
		words := strings.Fields(string(w.line[:end]))
		w.line = w.line[end+1:]
		if len(words) == 3 {
			w.pod(words[0], words[1], words[2])
		}
	}
	if len(w.line) > 64<<10 {
		w.line = nil
	}
	return len(data), nil
}

func (w *watcher) pod(name, phase, restarts string) {
	known := w.pods.known
	before, listed := known[name]
	switch {
	case phase != "Running":
		delete(known, name)
	case !listed && len(known) < maxKnown:
		known[name] = restarts
		if !w.first || time.Since(w.begun) > settle {
			w.more()
		}
	case listed && before != restarts:
		known[name] = restarts
		if len(w.pods.crashed) < maxCrashed && !slices.Contains(w.pods.crashed, name) {
			w.pods.crashed = append(w.pods.crashed, name)
		}
		w.more()
	}
}
