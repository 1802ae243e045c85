package docker_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/docker"
	"github.com/brennhill/gasoline/internal/source/sourcetest"
)

// engine answers as the API 1.41 of Docker is specified, for one container.
type engine struct {
	mu      sync.Mutex
	changed chan struct{} // closed at each change
	id      string
	tty     bool
	running bool
	gone    bool
	frames  []frame
	starts  []int64
	seconds bool // times are cut to seconds, as Podman 4.3 does
	drops   int  // connections that were broken
}

type frame struct {
	at     time.Time
	stream byte
	text   string
}

func (e *engine) change(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
	close(e.changed)
	e.changed = make(chan struct{})
}

func (e *engine) write(stream byte, text string) {
	e.change(func() { e.frames = append(e.frames, frame{time.Now(), stream, text}) })
}

func (e *engine) start(id string) {
	e.change(func() {
		if id != e.id {
			e.frames = nil
		}
		e.id, e.running, e.gone = id, true, false
		e.starts = append(e.starts, time.Now().Unix())
	})
}

func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	since, _ := strconv.ParseInt(q.Get("since"), 10, 64)
	e.mu.Lock()
	id, gone := e.id, e.gone
	e.mu.Unlock()
	switch {
	case r.URL.Path == "/events":
		e.events(w, r, since)
	case gone:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"message":"No such container: api"}`)
	case r.URL.Path == "/containers/api/json":
		e.mu.Lock()
		defer e.mu.Unlock()
		_ = json.NewEncoder(w).Encode(map[string]any{"Id": id, "Config": map[string]any{"Tty": e.tty},
			"State": map[string]any{"Running": e.running}})
	case r.URL.Path == "/containers/"+id+"/logs" && q.Get("follow") == "1" && q.Get("timestamps") == "1":
		e.logs(w, r, since, id)
	default:
		http.NotFound(w, r)
	}
}

func (e *engine) logs(w http.ResponseWriter, r *http.Request, since int64, id string) {
	_ = http.NewResponseController(w).Flush()
	next, drops := 0, -1
	for {
		e.mu.Lock()
		changed, same, frames := e.changed, e.id == id, e.frames
		running := e.running && same
		if drops < 0 {
			drops = e.drops
		}
		dropped := drops != e.drops
		e.mu.Unlock()
		for ; next < len(frames) && same; next++ {
			f := frames[next]
			if f.at.Unix() < since {
				continue
			}
			layout := "2006-01-02T15:04:05.000000000Z07:00"
			if e.seconds {
				layout = time.RFC3339
			}
			text := f.at.UTC().Format(layout) + " " + f.text
			if !e.tty {
				head := [8]byte{f.stream}
				binary.BigEndian.PutUint32(head[4:], uint32(len(text)))
				text = string(head[:]) + text
			}
			_, _ = io.WriteString(w, text)
		}
		_ = http.NewResponseController(w).Flush()
		if dropped {
			panic(http.ErrAbortHandler)
		}
		if !running {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (e *engine) events(w http.ResponseWriter, r *http.Request, since int64) {
	_ = http.NewResponseController(w).Flush()
	if !strings.Contains(r.URL.Query().Get("filters"), `"container":["api"]`) {
		http.Error(w, `{"message":"filters"}`, http.StatusBadRequest)
		return
	}
	for sent := 0; ; {
		e.mu.Lock()
		changed, starts := e.changed, e.starts
		e.mu.Unlock()
		for ; sent < len(starts); sent++ {
			if starts[sent] >= since {
				fmt.Fprintf(w, `{"Type":"container","Action":"start","status":"start","time":%d}`+"\n", starts[sent])
			}
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func serve(t *testing.T, e *engine) (options string) {
	path := filepath.Join(t.TempDir(), "d.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	e.changed = make(chan struct{})
	s := &http.Server{Handler: e}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return `{"container":"api","socket":"` + path + `","from_start":true}`
}

func TestAContainerIsFollowedThroughDropsAndRestarts(t *testing.T) {
	for _, seconds := range []bool{false, true} {
		t.Run(fmt.Sprint("times in whole seconds: ", seconds), func(t *testing.T) {
			e := &engine{seconds: seconds}
			options := serve(t, e)
			e.start("first0123456789")
			var cursors sync.Map
			var want, got []string
			line := func() {
				text := fmt.Sprintf("line %03d", len(want))
				want = append(want, text)
				e.write(byte(1+len(want)%2), text+"\n")
			}
			r := sourcetest.Kept(t, docker.Adapter, options, source.Env{}, &cursors)
			stop := r.Start()
			until := func(what string) {
				t.Helper()
				for end := time.Now().Add(20 * time.Second); len(got)+len(r.Messages(t)) < len(want); time.Sleep(10 * time.Millisecond) {
					if time.Now().After(end) {
						t.Fatalf("%s: %q, want %q: %s", what, r.Messages(t), want, r.Runner.Status()[0].Line(time.Now()))
					}
				}
			}
			for range 40 {
				line()
			}
			until("at first")
			for range 4 { // the connection breaks, and equal seconds are read again
				e.change(func() { e.drops++ })
				line()
				until("a connection that breaks")
			}
			e.change(func() { e.running = false })
			e.start("first0123456789")
			line()
			until("a restart")
			stop()
			got = append(got, r.Messages(t)...)
			line()
			r = sourcetest.Kept(t, docker.Adapter, options, source.Env{}, &cursors)
			stop = r.Start()
			until("another run")
			e.change(func() { e.running, e.gone = false, true })
			e.start("second0123456789")
			line()
			until("another container of that name")
			stop()
			if got = append(got, r.Messages(t)...); !slices.Equal(got, want) {
				t.Fatalf("lines are %q, want %q", got, want)
			}
		})
	}
}

// The engine threw away lines of the second that was read last: what came then stands where these stood.
func TestLinesThatTheEngineThrewAwayAreNotCounted(t *testing.T) {
	e := &engine{}
	options := serve(t, e)
	e.start("first0123456789")
	second := time.Now().Truncate(time.Second).Add(-time.Minute)
	write := func(lines ...string) {
		e.change(func() {
			e.frames = nil
			for _, l := range lines {
				n, _ := strconv.Atoi(strings.Fields(l)[1])
				e.frames = append(e.frames, frame{second.Add(time.Duration(n) * time.Millisecond), 1, l + "\n"})
			}
		})
	}
	var cursors sync.Map
	var got []string
	read := func(want ...string) {
		t.Helper()
		r := sourcetest.Kept(t, docker.Adapter, options, source.Env{}, &cursors)
		stop := r.Start()
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && len(r.Messages(t)) < len(want); {
			time.Sleep(10 * time.Millisecond)
		}
		stop()
		if got = r.Messages(t); !slices.Equal(got, want) {
			t.Fatalf("lines are %q, want %q", got, want)
		}
	}
	write("line 0001", "line 0002", "line 0003")
	read("line 0001", "line 0002", "line 0003")
	write("line 0003", "line 0004", "line 0005", "line 1001")
	read("line 0004", "line 0005", "line 1001")
	write("line 1001", "line 1002")
	read("line 1002")
}

func TestPartsOfALineAndTerminals(t *testing.T) {
	e := &engine{}
	options := serve(t, e)
	e.start("abcdefabcdef0")
	e.write(1, "a long line of ")
	e.write(2, "level=error msg=beside\n")
	e.write(1, "two parts\n")
	wait := func(r *sourcetest.Rig, n int) []string {
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && len(r.Messages(t)) < n; {
			time.Sleep(10 * time.Millisecond)
		}
		return r.Messages(t)
	}
	r := sourcetest.NewRig(t, docker.Adapter, options, source.Env{})
	stop := r.Start()
	got := wait(r, 2)
	stop()
	if !slices.Equal(got, []string{"a long line of two parts", "beside"}) {
		t.Fatalf("lines are %q", got)
	}
	for _, x := range r.Events(t) {
		l := x.(*event.Log)
		if l.Instance != "abcdefabcdef" || l.Service != "api" || l.Source != "docker" ||
			(l.Message == "beside") != strings.Contains(l.Attributes, "stderr") {
			t.Errorf("the line is %+v", l)
		}
	}
	e = &engine{tty: true}
	options = serve(t, e)
	e.start("abcdefabcdef0")
	e.write(1, "at a \x1b[31mterminal\x1b[0m\r\n")
	r = sourcetest.NewRig(t, docker.Adapter, options, source.Env{})
	stop = r.Start()
	got = wait(r, 1)
	stop()
	if !slices.Equal(got, []string{"at a terminal"}) {
		t.Fatalf("lines are %q", got)
	}
}

// The last words of a program may have no newline. They are told when it ends, and are no part of what it says first when
// it is started again.
func TestTheLastLineOfAContainerWithoutANewline(t *testing.T) {
	e := &engine{}
	options := serve(t, e)
	e.start("abcdefabcdef0")
	r := sourcetest.NewRig(t, docker.Adapter, options, source.Env{})
	stop := r.Start()
	defer stop()
	wait := func(want ...string) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && len(r.Messages(t)) < len(want); {
			time.Sleep(20 * time.Millisecond)
		}
		got := slices.Sorted(slices.Values(r.Messages(t)))
		if slices.Sort(want); !slices.Equal(got, want) { // two outputs have no common order
			t.Fatalf("%q, want %q", got, want)
		}
	}
	part := strings.Repeat("x", 16<<10)
	e.write(1, "starts\n")
	e.write(1, part)
	e.write(1, "y\n")
	e.write(2, "there is no port")
	e.change(func() { e.running = false })
	wait("starts", part+"y", "there is no port")
	e.start("abcdefabcdef0")
	e.write(2, "starts again\n")
	wait("starts", part+"y", "there is no port", "starts again")
}

func TestAContainerThatIsNotThereIsTold(t *testing.T) {
	e := &engine{gone: true}
	r := sourcetest.NewRig(t, docker.Adapter, serve(t, e), source.Env{})
	defer r.Start()()
	for end := time.Now().Add(10 * time.Second); !strings.Contains(r.Runner.Status()[0].Error, "No such container: api"); {
		if time.Now().After(end) {
			t.Fatal(r.Runner.Status()[0].Line(time.Now()))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestTails(t *testing.T) {
	sourcetest.Tail(t, docker.Adapter, func(t *testing.T) *sourcetest.Written {
		e := &engine{}
		options := serve(t, e)
		e.start("abcdefabcdef0")
		return &sourcetest.Written{
			Options: options,
			Write: func(lines ...string) {
				for _, l := range lines {
					for len(l) > 16<<10 { // the engine cuts lines there
						e.write(1, l[:16<<10])
						l = l[16<<10:]
					}
					e.write(1, l+"\n")
				}
			},
			Break: func() { e.change(func() { e.drops++ }) },
		}
	})
}
