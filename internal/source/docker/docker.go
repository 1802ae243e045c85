// Package docker follows the output of a container by the API of Docker or Podman on this machine's socket.
//
// A container that is started again, or made anew under its name, is followed on. Podman gives times in whole seconds
// in some versions, so a cursor counts the lines since a second instead of naming a time.
package docker

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/source"
)

type options struct {
	Container string `json:"container" required:"true" length:"200" pattern:"^[A-Za-z0-9][A-Za-z0-9_.-]*$" doc:"name or id of the container"`
	Socket    string `json:"socket,omitempty" length:"200" doc:"path of the socket; default that of DOCKER_HOST, else /var/run/docker.sock"`
	Begin     bool   `json:"from_start,omitempty" doc:"read the output from its beginning when it was never read"`
}

// Adapter is that of containers.
var Adapter = source.Declare("docker", "The output of a container of Docker or Podman.", source.Capabilities{
	Stamped: true, Resolution: time.Second,
}, open)

type container struct {
	options
	client *http.Client
}

func open(o options, _ source.Env) (out source.Opened, _ error) {
	path, uses := o.Socket, source.Uses{}
	if path == "" {
		uses.Variables = []string{"DOCKER_HOST"}
		path = "/var/run/docker.sock"
		if host, ok := strings.CutPrefix(os.Getenv("DOCKER_HOST"), "unix://"); ok {
			path = host
		}
	}
	if !strings.HasPrefix(path, "/") {
		return out, problem.New(problem.InvalidParam, "Give the path of a socket, as /var/run/docker.sock.",
			"socket is no absolute path")
	}
	uses.Sockets = []string{path}
	c := container{o, &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		},
		DisableKeepAlives: true,
	}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	return source.Opened{Uses: uses, Title: o.Container + " at " + path, Tail: c}, nil
}

// cursor is how far which container's output was read: the whole second of the last line, and how many lines of that
// second and later were taken. Last is the newest time among these, in nanoseconds: a newer line was not taken, also
// where the engine threw lines away that were counted. Ends are the last lines that had no newline when their stream
// ended, by output: what follows them in the log is another line.
type cursor struct {
	ID    string `json:"id"`
	Since int64  `json:"since"`
	Taken int    `json:"taken"`
	Last  int64  `json:"last,omitempty"`

	Ends [3]ending `json:"ends,omitzero"`
}

// ending is a line without a newline: when it began, in nanoseconds, and how many bytes it has.
type ending struct {
	At   int64 `json:"at"`
	Size int   `json:"size"`
}

// Tail follows the container through its restarts.
func (c container) Tail(ctx context.Context, from string, emit source.Emit) error {
	at := cursor{Since: time.Now().Unix()}
	if c.Begin {
		at.Since = 0
	}
	if from != "" && json.Unmarshal([]byte(from), &at) != nil {
		return &source.Fault{Kind: source.Expired, Text: "where the output was read to is not known"}
	}
	if from == "" { // what comes from now on is read, also by the next tail
		data, err := json.Marshal(at)
		if err != nil {
			return err
		}
		if err := emit(ctx, nil, string(data)); err != nil {
			return err
		}
	}
	for first := true; ; first = false {
		asked := time.Now()
		var state struct {
			ID     string `json:"Id"`
			Config struct {
				Tty    bool
				Labels map[string]string
			}
			State struct{ Running bool }
		}
		err := c.get(ctx, "/containers/"+c.Container+"/json", nil, func(body io.Reader) error {
			return json.NewDecoder(io.LimitReader(body, 4<<20)).Decode(&state)
		})
		if err != nil && (first || !errors.Is(err, errNone)) {
			return err
		}
		if err == nil {
			if at.ID != "" && at.ID != state.ID {
				at = cursor{} // another container of that name: all of it
			}
			at.ID = state.ID
			r := &reader{at: at, tty: state.Config.Tty, instance: state.ID[:min(12, len(state.ID))], emit: emit}
			query := url.Values{
				"follow": {"1"}, "stdout": {"1"}, "stderr": {"1"}, "timestamps": {"1"}, "since": {strconv.FormatInt(at.Since, 10)},
			}
			r.skip = at.Taken
			err = c.get(ctx, "/containers/"+state.ID+"/logs", query, func(body io.Reader) error { return r.read(ctx, body) })
			at = r.at
			if err != nil {
				return err
			}
			if state.State.Running {
				asked = time.Now().Add(-time.Second) // it ended just now
			}
		}
		if err := c.started(ctx, asked); err != nil {
			return err
		}
	}
}

// errNone says that there is no such container.
var errNone = errors.New("no such container")

// started waits until a container of that name starts.
func (c container) started(ctx context.Context, since time.Time) error {
	filters, err := json.Marshal(map[string][]string{"type": {"container"}, "event": {"start"}, "container": {c.Container}})
	if err != nil {
		return err
	}
	query := url.Values{"since": {strconv.FormatInt(since.Unix(), 10)}, "filters": {string(filters)}}
	return c.get(ctx, "/events", query, func(body io.Reader) error {
		var e struct {
			Time   int64 `json:"time"`
			Status string
			Action string
		}
		for d := json.NewDecoder(body); ; {
			if err := d.Decode(&e); err != nil {
				return err
			}
			if cmp.Or(e.Action, e.Status) == "start" && e.Time >= since.Unix() {
				return nil
			}
		}
	})
}

// get hands an answer's body to read.
func (c container) get(ctx context.Context, path string, query url.Values, read func(io.Reader) error) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://docker"+path+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	answer, err := c.client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		if errors.Is(err, os.ErrPermission) {
			return &source.Fault{Kind: source.Refused, Text: err.Error(), Fix: "Let this user use the socket, or give another one."}
		}
		return &source.Fault{Text: err.Error()}
	}
	defer answer.Body.Close() // it was read
	if answer.StatusCode != http.StatusOK {
		var said struct{ Message string }
		_ = json.NewDecoder(io.LimitReader(answer.Body, 10_000)).Decode(&said) // the status says enough
		text := cmp.Or(said.Message, answer.Status)
		if answer.StatusCode == http.StatusNotFound {
			return fmt.Errorf("%w: %s", errNone, text)
		}
		return &source.Fault{Text: text}
	}
	err = read(answer.Body)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

const (
	maxLine  = 256 << 10
	maxBatch = 200
	setBack  = 60 // seconds by which a line is older than what was asked for
)

// reader reads the stream of one request.
type reader struct {
	at       cursor
	skip     int
	tty      bool
	instance string
	emit     source.Emit
	lines    [3]line // by stream
	rows     []source.Row
}

// line is a line that is not complete.
type line struct {
	time time.Time
	text []byte
	size int
}

var outputs = [3]string{"stdout", "stdout", "stderr"} // by the number in a frame

// read reads frames, or lines of a terminal, until the stream ends.
func (r *reader) read(ctx context.Context, body io.Reader) error {
	in := &ahead{Reader: body}
	var head [8]byte
	for {
		if in.empty() {
			if err := r.give(ctx); err != nil {
				return err
			}
		}
		if r.tty {
			text, err := in.until('\n')
			if len(text) > 0 {
				r.take(1, append(text, '\n'))
			}
			if err != nil {
				return r.give(ctx)
			}
			continue
		}
		if _, err := io.ReadFull(in, head[:]); err != nil {
			if errors.Is(err, io.EOF) {
				r.last()
			}
			if err := r.give(ctx); err != nil {
				return err
			}
			return cutOff(err)
		}
		n := binary.BigEndian.Uint32(head[4:])
		if head[0] > 2 || n > 16<<20 {
			return &source.Fault{Text: "the container's stream is not understood"}
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(in, text); err != nil {
			if err := r.give(ctx); err != nil {
				return err
			}
			return cutOff(err)
		}
		r.take(int(head[0]), text)
		if len(r.rows) >= maxBatch {
			if err := r.give(ctx); err != nil {
				return err
			}
		}
	}
}

// cutOff is nil at the end of a stream.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return &source.Fault{Text: "the connection broke off: " + err.Error()}
}

// take takes a frame: a time, a space, and text to the end of a line, or a part of one.
func (r *reader) take(stream int, text []byte) {
	l := &r.lines[stream]
	if space := bytes.IndexByte(text, ' '); space > 0 {
		if at, err := time.Parse(time.RFC3339Nano, string(text[:space])); err == nil {
			text = text[space+1:]
			if l.size == 0 {
				l.time = at
			}
		}
	}
	whole := len(text) > 0 && text[len(text)-1] == '\n'
	text = bytes.TrimSuffix(text, []byte("\n"))
	l.size += len(text)
	l.text = append(l.text, text[:min(len(text), maxLine-len(l.text))]...)
	if whole || l.size > 0 && r.at.Ends[stream] == l.ending() {
		r.end(stream)
	}
}

func (l *line) ending() ending { return ending{l.time.UnixNano(), l.size} }

// last takes what programs wrote at their end without a newline.
func (r *reader) last() {
	for stream := range r.lines {
		if l := &r.lines[stream]; l.size > 0 {
			r.at.Ends[stream] = l.ending()
			r.end(stream)
		}
	}
}

// end ends the open line of an output.
func (r *reader) end(stream int) {
	l := &r.lines[stream]
	row := source.Row{Time: l.time, Stream: r.instance, Instance: r.instance, Output: outputs[stream], Text: string(l.text)}
	if l.size > len(l.text) {
		row.Size = l.size
	}
	*l = line{text: l.text[:0]}
	if r.tty {
		row.Output = "stdout"
	}
	second, newer := row.Time.Unix(), row.Time.UnixNano() > r.at.Last
	if r.skip == 0 && second < r.at.Since-setBack { // the engine's clock was set back
		r.at.Since, r.at.Taken, r.at.Last, newer = second, 0, 0, true
	}
	if second > r.at.Since && newer {
		r.skip = 0 // what is left to skip is no longer there
	}
	if r.skip > 0 && !newer { // it was taken before
		r.skip--
		return
	}
	if second > r.at.Since && r.skip == 0 {
		r.at.Since, r.at.Taken = second, 0
	}
	if second >= r.at.Since {
		r.at.Taken++
	}
	if newer {
		r.at.Last = row.Time.UnixNano()
	}
	r.rows = append(r.rows, row)
}

// give hands on what was read.
func (r *reader) give(ctx context.Context) error {
	if len(r.rows) == 0 {
		return nil
	}
	data, err := json.Marshal(r.at)
	if err != nil {
		return err
	}
	err = r.emit(ctx, r.rows, string(data))
	r.rows = nil
	return err
}

// ahead knows whether a read would wait.
type ahead struct {
	io.Reader
	buf  [32 << 10]byte
	rest []byte
}

func (a *ahead) empty() bool { return len(a.rest) == 0 }

// Read reads what was read ahead, else from the stream.
func (a *ahead) Read(p []byte) (int, error) {
	if a.empty() {
		n, err := a.Reader.Read(a.buf[:])
		if a.rest = a.buf[:n]; n == 0 {
			return 0, err
		}
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// until reads to a byte, which it leaves out. What is longer than a line may be is left out, too.
func (a *ahead) until(end byte) (out []byte, _ error) {
	var one [1]byte
	for {
		n, err := a.Read(one[:])
		switch {
		case n == 1 && one[0] == end:
			return bytes.TrimSuffix(out, []byte("\r")), nil
		case n == 1 && len(out) < maxLine+64:
			out = append(out, one[0])
		case err != nil:
			return out, err
		}
	}
}
