// Package bridge joins an MCP client on stdio to the daemon: it finds or starts the daemon, forwards
// newline-delimited JSON-RPC unchanged in both directions, survives the daemon's death and its
// hanging, and says in readable words when it cannot.
//
// The bridge learns only id and method of a message. Stdout has one writer and carries nothing but
// the protocol. Calls that were under way when the daemon died get an answer at once, never a hang.
package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
)

// Bounds of the bridge.
const (
	maxLine    = 16 << 20
	quiet      = 5 * time.Second  // with calls under way and nothing heard, the daemon is asked whether it lives
	lastWait   = 10 * time.Second // for answers after stdin closed
	maxFlights = 10_000
)

// Config is what a bridge is built from.
type Config struct {
	Port    int
	Version string
	Root    string // project root, told to the daemon
	Stdin   io.Reader
	Stdout  io.Writer
	Log     *slog.Logger // to stderr; never to Stdout

	Daemon Daemon
}

// Daemon is what the bridge needs to know of the daemon on this machine.
type Daemon interface {
	// Token returns the token of the state directory.
	Token() (string, error)
	// Spawn starts a daemon that outlives this process. Several callers may do so at once; one daemon wins.
	Spawn() error
	// Kill ends the daemon that holds this state directory and port, when it proves to be ours; it
	// returns an error that says what was found when it does not.
	Kill(run string) error
	// LogPath is where the daemon writes what went wrong.
	LogPath() string
}

// Run forwards until stdin closes or ctx ends.
func Run(ctx context.Context, cfg Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := &bridge{cfg: cfg, ctx: ctx, flights: map[string]flight{}, heard: time.Now()}
	var work sync.WaitGroup
	work.Go(func() { b.watch(ctx) })
	err := b.forward(ctx)
	b.drain(ctx)
	cancel()
	b.drop(b.current(), errors.New("the bridge ends"))
	work.Wait()
	b.readers.Wait()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

type bridge struct {
	cfg     Config
	ctx     context.Context
	readers sync.WaitGroup

	out sync.Mutex // stdout's one writer

	mu         sync.Mutex
	link       *link // nil while there is none
	flights    map[string]flight
	initialize []byte // the client's handshake, replayed to a new daemon
	ready      []byte // its "initialized"
	shaken     bool   // the handshake was answered
	heard      time.Time
	landed     chan struct{} // closed when no call is under way; nil unless somebody waits
}

// flight is a request without an answer yet.
type flight struct {
	method string
	modern bool
}

// message is all that the bridge reads of one.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	} `json:"params"`
}

// forward reads the client's lines until stdin ends.
func (b *bridge) forward(ctx context.Context) error {
	lines := make(chan []byte)
	failed := make(chan error, 1)
	// Reading stdin cannot be interrupted, so this goroutine may outlive Run by the process's last moments.
	go func() {
		in := bufio.NewReaderSize(b.cfg.Stdin, 64<<10)
		for {
			line, err := readLine(in)
			if len(line) > 0 {
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				failed <- err
				return
			}
		}
	}()
	for {
		select {
		case line := <-lines:
			b.take(ctx, line)
		case err := <-failed:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

var errLong = errors.New("line too long")

// readLine returns the next line without its end, blanks and byte order mark. An over-long line is
// skipped and reported as one that is no JSON.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			long, line = true, line[:0]
		}
		if !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			return []byte(errLong.Error()), err
		}
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		return bytes.TrimSpace(line), err
	}
}

// take forwards one line. It answers itself what is no JSON and what the daemon cannot get.
func (b *bridge) take(ctx context.Context, line []byte) {
	if !json.Valid(line) {
		b.answer(failure(json.RawMessage("null"), -32700, "the message is no JSON"))
		return
	}
	var m message
	_ = json.Unmarshal(line, &m) // an array or a scalar: the daemon says what is wrong with it
	_, isModern := m.Params.Meta["io.modelcontextprotocol/protocolVersion"]
	request := m.Method != "" && len(m.ID) > 0
	switch m.Method {
	case "initialize":
		b.mu.Lock()
		b.initialize, b.ready, b.shaken = bytes.Clone(line), nil, false
		b.mu.Unlock()
	case "notifications/initialized":
		b.mu.Lock()
		b.ready = bytes.Clone(line)
		b.mu.Unlock()
	}
	for attempt := 0; ; attempt++ {
		l, err := b.connect(ctx)
		if err != nil {
			b.cfg.Log.Error("no daemon", "error", err.Error())
			if request {
				b.answer(refusal(m.ID, m.Method, isModern, err))
			}
			return
		}
		if request {
			b.depart(m.ID, flight{m.Method, isModern})
		}
		if err := l.write(line); err == nil {
			return
		}
		// The daemon went away before it read the line, so the line may be sent again.
		if request {
			b.land(m.ID)
		}
		b.drop(l, errors.New("write failed"))
		if attempt >= 2 {
			if request {
				b.answer(refusal(m.ID, m.Method, isModern, errors.New("the daemon closes the connection at once")))
			}
			return
		}
	}
}

func (b *bridge) depart(id json.RawMessage, f flight) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.flights) == 0 {
		b.heard = time.Now()
	}
	if len(b.flights) < maxFlights {
		b.flights[string(id)] = f
	}
}

// land notes that a request has its answer.
func (b *bridge) land(id json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.flights, string(id))
	if must(b.initialize) == string(id) {
		b.shaken = true
	}
	if len(b.flights) == 0 && b.landed != nil {
		close(b.landed)
		b.landed = nil
	}
}

// drain waits, within a bound, until the calls under way have their answers.
func (b *bridge) drain(ctx context.Context) {
	b.mu.Lock()
	if len(b.flights) == 0 || b.link == nil {
		b.mu.Unlock()
		return
	}
	done := make(chan struct{})
	b.landed = done
	b.mu.Unlock()
	timer := time.NewTimer(lastWait)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// answer writes one line to the client.
func (b *bridge) answer(line []byte) {
	b.out.Lock()
	defer b.out.Unlock()
	if _, err := b.cfg.Stdout.Write(append(line, '\n')); err != nil {
		b.cfg.Log.Debug("write to client", "error", err.Error()) // it has gone; stdin will end
	}
}

// watch asks a silent daemon with calls under way whether it lives, and replaces one that does not.
func (b *bridge) watch(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		b.mu.Lock()
		l, idle := b.link, len(b.flights) == 0 || time.Since(b.heard) < quiet
		b.mu.Unlock()
		if l == nil || idle {
			continue
		}
		if b.lives(ctx) {
			b.mu.Lock()
			b.heard = time.Now()
			b.mu.Unlock()
			continue
		}
		if ctx.Err() != nil {
			return
		}
		b.cfg.Log.Warn("the daemon does not answer; replacing it", "run", l.run)
		if err := b.cfg.Daemon.Kill(l.run); err != nil {
			b.cfg.Log.Error("cannot replace the daemon", "error", err.Error())
		}
		b.drop(l, errors.New("the daemon did not answer"))
	}
}

// drop ends a link and answers the calls that were under way on it.
func (b *bridge) drop(l *link, why error) {
	if l == nil {
		return
	}
	l.close()
	b.mu.Lock()
	if b.link != l {
		b.mu.Unlock()
		return
	}
	b.link = nil
	flights := b.flights
	b.flights = map[string]flight{}
	if b.landed != nil {
		close(b.landed)
		b.landed = nil
	}
	first := b.initialize
	b.mu.Unlock()
	for key, f := range flights {
		if f.method == "initialize" && b.ctx.Err() == nil && key == must(first) {
			// The client waits for it and would give up: ask the next daemon.
			b.readers.Go(func() { b.take(b.ctx, first) })
			continue
		}
		b.answer(interrupted(json.RawMessage(key), f, why))
	}
}

func (b *bridge) current() *link {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.link
}

func id(line []byte) (string, bool) {
	var m message
	if json.Unmarshal(line, &m) != nil || len(m.ID) == 0 {
		return "", false
	}
	return string(m.ID), true
}

// failure is a JSON-RPC error.
func failure(id json.RawMessage, code int, message string) []byte {
	text, _ := json.Marshal(message) // a string always encodes
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, text)
}

// toolError is a result that models see; protocol errors are not shown to them.
func toolError(id json.RawMessage, modern bool, text string) []byte {
	quoted, _ := json.Marshal(text) // a string always encodes
	kind := ""
	if modern {
		kind = `"resultType":"complete",`
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{%s"content":[{"type":"text","text":%s}],"isError":true}}`, id, kind, quoted)
}

// interrupted answers a call that was under way when the daemon went.
func interrupted(id json.RawMessage, f flight, why error) []byte {
	text := "error=interrupted retry=now\nThe Gasoline daemon went away during the call (" + why.Error() + "). Repeat the call; a new daemon starts by itself. What was captured before is lost."
	if f.method == "tools/call" {
		return toolError(id, f.modern, text)
	}
	return failure(id, -32603, text)
}

// refusal answers a call for which there is no daemon.
func refusal(id json.RawMessage, method string, modern bool, err error) []byte {
	text := "Gasoline cannot reach its daemon: " + err.Error()
	if method == "tools/call" {
		return toolError(id, modern, "error=internal retry=later\n"+text)
	}
	return failure(id, -32603, text)
}
