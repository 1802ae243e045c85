// Package bridge joins an MCP client on stdio to the daemon: it finds or starts the daemon, forwards
// newline-delimited JSON-RPC unchanged in both directions, survives the daemon's death and its
// hanging, and says in readable words when it cannot.
//
// The bridge learns only id and method of a message. Stdout has one writer and carries nothing but
// the protocol. Calls that were under way when the daemon died get an answer at once, never a hang;
// those that a stopping daemon did not begin go to the next one.
package bridge

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"
)

// Bounds of the bridge.
const (
	maxLine     = 16 << 20         // of the client
	maxAnswer   = 64 << 20         // of the daemon, whose images may be long
	quiet       = 5 * time.Second  // with calls under way and nothing heard, the daemon is asked whether it lives
	lastWait    = 10 * time.Second // for answers after stdin closed
	maxFlights  = 10_000
	maxSends    = 4 // times that a request is sent, each time to another daemon
	maxRenewals = 2 // older daemons that one bridge replaces
)

// Config is what a bridge is built from.
type Config struct {
	Port     int
	StateDir string // for errors
	Version  string
	Root     string // project root, told to the daemon
	Toolset  string // which tools the client is shown; "" is the usual ones
	Stdin    io.Reader
	Stdout   io.Writer
	Log      *slog.Logger // to stderr; never to Stdout

	// Gone is closed when nobody reads Stdout any more; nil where the system cannot tell before a write.
	Gone <-chan struct{}

	// Connect opens a connection to Port; nil stands for TCP to the loopback address.
	Connect func(context.Context) (net.Conn, error)

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
	// Stopped returns the mark of a person who stopped the daemon, whose first line says how; "" when nobody did since the
	// last start. Two stops have different marks.
	Stopped() string
	// Failed returns why the daemon that was spawned last could not start; nil while nothing is known.
	Failed() error
	// Held reports whether a daemon of ours holds this state directory and port.
	Held() bool
	// Still reports whether the process of the daemon that holds them stands still and will go on: it was stopped, is being
	// debugged, or waits for a disk. false where the system does not tell.
	Still() bool
	// SaveDebugLog keeps why there is no daemon, for whoever looks at it later, and returns where.
	SaveDebugLog(cause error) (path string, _ error)
	// LogPath is where the daemon writes what went wrong.
	LogPath() string
}

// Run forwards until stdin closes, the client has gone or ctx ends. When stdin closes before anything
// came, it starts the daemon all the same and leaves it up. A client that stops reading ends it with an error.
func Run(ctx context.Context, cfg Config) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b := &bridge{cfg: cfg, ctx: ctx, end: cancel, out: newOutlet(), flights: map[string]*flight{}, heard: time.Now()}
	// Writing to stdout cannot be interrupted either; see forward.
	go b.out.run(cfg.Stdout, func(err error) {
		cfg.Log.Debug("write to client", "error", err.Error())
		cancel(errGone)
	})
	// Whoever waits for a client that does not read is let go a moment after the end.
	context.AfterFunc(ctx, func() { time.AfterFunc(lastWrite, b.out.stop) })
	var work sync.WaitGroup
	work.Go(func() { b.watch(ctx) })
	err := b.forward(ctx)
	if errors.Is(err, io.EOF) {
		err = nil
		if !b.spoken {
			if _, err = b.connect(ctx, ""); errors.As(err, new(stopError)) {
				err = nil // nobody asks for anything
			}
		}
	}
	b.drain(ctx)
	cancel(nil)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errGone):
		err = nil // that is how clients end
	case errors.Is(cause, errStuck):
		err = cause
	}
	b.mu.Lock()
	if err == nil && b.failed != nil && !errors.Is(b.failed, errGone) {
		err = fmt.Errorf("%w: %w", ErrNoDaemon, b.failed)
	}
	b.mu.Unlock()
	b.drop(b.current(), errEnds)
	work.Wait()
	b.readers.Wait()
	b.out.put(nil) // taken when all before it is written
	return err
}

type bridge struct {
	cfg     Config
	ctx     context.Context
	end     context.CancelCauseFunc
	out     *outlet
	readers sync.WaitGroup
	spoken  bool // the client sent a line; forward's own

	// connecting is held while a link is made, so that there is one. It comes before mu.
	connecting sync.Mutex
	renewals   int  // daemons that were replaced for being older
	undone     bool // the daemon that is being started had been stopped by a person

	mu         sync.Mutex
	link       *link              // nil while there is none
	flights    map[string]*flight // by id
	known      string             // run of the daemon that was there last, "" none
	contact    time.Time          // when it was heard last
	initialize []byte             // the client's handshake, replayed to a new daemon
	handshake  string             // its id
	ready      []byte             // its "initialized"
	shaken     bool               // the handshake was answered
	heard      time.Time
	seen       string        // mark of a person's stop, until the next link
	sent       uint64        // requests that were sent
	failed     error         // why the last try to reach a daemon failed; nil when it did not
	details    string        // the file that says more, "" none
	landed     chan struct{} // closed when no call is under way; nil unless somebody waits
}

// flight is a request without an answer.
type flight struct {
	message
	line  []byte
	link  *link // that it was sent on; nil while it waits to be sent again
	sends int
	order uint64 // of the last sending
}

// incoming is a line of the client, or why there is none.
type incoming struct {
	line []byte
	err  error
}

// forward reads the client's lines until stdin ends.
func (b *bridge) forward(ctx context.Context) error {
	lines := make(chan incoming)
	// Reading stdin cannot be interrupted, so this goroutine may outlive Run by the process's last moments.
	go func() {
		in := bufio.NewReaderSize(b.cfg.Stdin, 64<<10)
		for {
			line, err := readLine(in, maxLine)
			select {
			case lines <- incoming{line, err}:
			case <-ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, errLong) {
				return
			}
		}
	}()
	for {
		select {
		case in := <-lines:
			switch {
			case errors.Is(in.err, errLong):
				b.spoken = true
				b.answer(failure(json.RawMessage("null"), -32700, fmt.Sprintf("a message may have %d MB", maxLine>>20)))
				continue
			case len(in.line) > 0:
				b.spoken = true
				b.take(ctx, in.line, false)
			}
			if in.err != nil {
				return in.err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// take forwards one line, of the client or again of a call that no daemon has begun. It answers itself what is no message and
// what the daemon cannot get.
func (b *bridge) take(ctx context.Context, line []byte, again bool) {
	if !json.Valid(line) {
		b.answer(failure(json.RawMessage("null"), -32700, "the message is no JSON"))
		return
	}
	m, err := parse(line)
	if err != nil {
		b.answer(failure(json.RawMessage("null"), -32600, err.Error()))
		return
	}
	if deeper(line, maxDepth) {
		if m.request() {
			b.answer(failure(m.raw, -32600, fmt.Sprintf("a message may nest %d levels", maxDepth)))
		}
		return
	}
	switch m.method {
	case "initialize":
		b.mu.Lock()
		if !b.shaken { // a second one is an error that the daemon tells; the first stays in force
			b.initialize, b.handshake, b.ready = bytes.Clone(line), m.id, nil
		}
		b.mu.Unlock()
	case "notifications/initialized":
		b.mu.Lock()
		b.ready = bytes.Clone(line)
		b.mu.Unlock()
	}
	if !m.request() && m.method != "notifications/initialized" {
		// It is about a call of this daemon, and no reason to start another one.
		if l := b.current(); l != nil && l.write(line) != nil {
			b.drop(l, errors.New("it was stopped or killed"))
		}
		return
	}
	undoes := ""
	if !again {
		undoes = b.undoes(m)
	}
	for attempt := 0; ; attempt++ {
		l, err := b.connect(ctx, undoes)
		if err == nil && attempt >= 2 {
			err = errors.New("it closes the connection at once")
		}
		if errors.As(err, new(stopError)) {
			b.stay(m, err)
			return
		}
		if err != nil {
			b.cfg.Log.Error("no daemon", "error", err.Error())
			if m.request() {
				b.land(nil, m.id)
				b.giveUp(ctx, m, err)
			}
			return
		}
		if m.request() && !b.depart(l, m, line) {
			continue // the link ended meanwhile
		}
		if err := l.write(line); err == nil {
			return
		}
		// The daemon went away before it read the line, so the line may be sent again, unless
		// whoever saw the link end first has answered it or sends it.
		again := !m.request() || b.recall(l, m.id)
		b.drop(l, errors.New("it was stopped or killed"))
		if !again {
			return
		}
	}
}

// ErrNoDaemon is the error of a bridge that ends and could not reach a daemon when its client wanted one last.
var ErrNoDaemon = errors.New("there is no daemon")

// giveUp answers a call for which there is no daemon. The first time, why is kept in a file, which the answers name.
func (b *bridge) giveUp(ctx context.Context, m message, err error) {
	if ctx.Err() == nil {
		b.mu.Lock()
		b.failed = err
		if b.details == "" {
			b.details, _ = b.cfg.Daemon.SaveDebugLog(err) // without it the answer has the reason
		}
		details := b.details
		b.mu.Unlock()
		if details != "" {
			err = fmt.Errorf("%w (details: %s)", err, details)
		}
	}
	b.answer(refusal(m, err))
}

// undoes returns the stop that a message may undo by starting a daemon, "" none. What agents ask for may, and the first
// words of a new client. Clients say the rest by themselves.
func (b *bridge) undoes(m message) string {
	b.mu.Lock()
	there, fresh := b.link != nil, b.known == ""
	b.mu.Unlock()
	if there || !m.request() || m.method != "tools/call" && !fresh {
		return ""
	}
	return b.mark()
}

// mark returns the mark of a person's stop. A bridge that has seen one goes by it until a daemon is there: the state
// directory may have been removed.
func (b *bridge) mark() string {
	if mark := b.cfg.Daemon.Stopped(); mark != "" {
		return mark
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen
}

// stopped returns the error of a stop by a person since the one that the message undoes.
func (b *bridge) stopped(undoes string) error {
	mark := b.mark()
	if mark == "" || mark == undoes {
		return nil
	}
	return stopped(mark)
}

// stay answers a message for which no daemon is started, because a person stopped it.
func (b *bridge) stay(m message, err error) {
	if !m.request() {
		return
	}
	b.land(nil, m.id)
	if m.method == "ping" { // it asks whether the bridge is there
		b.answer(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.raw))
		return
	}
	b.answer(interrupted(m, err, false))
}

// depart notes a request that is about to be sent; false when the link is not the present one any more.
func (b *bridge) depart(l *link, m message, line []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.link != l {
		return false
	}
	if len(b.flights) == 0 {
		b.heard = time.Now()
	}
	f := b.flights[m.id]
	if f == nil || f.link != nil { // a client that uses an id twice means the later one
		if f == nil && len(b.flights) >= maxFlights {
			return true
		}
		f = &flight{message: m, line: line}
		b.flights[m.id] = f
	}
	b.sent++
	f.link, f.order = l, b.sent
	f.sends++
	return true
}

// recall takes back a request that could not be written; false when it is not the caller's any more.
func (b *bridge) recall(l *link, id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.flights[id]
	if f == nil || f.link != l {
		return false
	}
	f.link = nil
	return true
}

// land notes that a request which was sent on l has its answer; false when none is under way there.
func (b *bridge) land(l *link, id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.flights[id]
	if f == nil || f.link != l {
		return false
	}
	delete(b.flights, id)
	b.landing()
	return true
}

// shook notes the answer to the handshake. One that failed is no handshake.
func (b *bridge) shook(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.shaken || b.initialize == nil || b.handshake != m.id:
	case m.failed:
		b.initialize, b.handshake = nil, ""
	default:
		b.shaken = true
	}
}

// listen is the request that is answered when its client has heard enough: nobody waits for it.
const listen = "subscriptions/listen"

// waiting reports whether a call is under way that somebody waits for. The caller holds mu.
func (b *bridge) waiting() bool {
	for _, f := range b.flights {
		if f.method != listen {
			return true
		}
	}
	return false
}

// drain waits, within a bound, until the calls under way have their answers.
func (b *bridge) drain(ctx context.Context) {
	b.mu.Lock()
	if !b.waiting() {
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
func (b *bridge) answer(line []byte) { b.out.put(line) }

// watch asks a silent daemon with calls under way whether it lives, and replaces one that does not.
func (b *bridge) watch(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.cfg.Gone:
			b.out.stop()
			b.end(errGone)
			return
		case <-tick.C:
		}
		if b.out.stuck() {
			b.out.stop()
			b.end(errStuck)
			return
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
		if b.cfg.Daemon.Still() { // it has all that was captured, and goes on; the calls are not held for that long
			b.mu.Lock()
			silent := time.Since(b.heard)
			b.mu.Unlock()
			if silent >= still {
				b.drop(l, errStill)
			}
			continue
		}
		b.cfg.Log.Warn("the daemon does not answer; replacing it", "run", l.run)
		if err := b.cfg.Daemon.Kill(l.run); err != nil {
			b.cfg.Log.Error("cannot replace the daemon", "error", err.Error())
		}
		b.drop(l, errors.New("it did not answer"))
	}
}

// drop ends a link. The calls that were under way on it are answered, but those that the daemon said
// it has not begun go to the next daemon, and so does a handshake that the client waits for.
func (b *bridge) drop(l *link, why error) {
	if l == nil {
		return
	}
	// Closed last: who reads from it would tell its end as one of its own.
	defer l.close()
	mark := b.cfg.Daemon.Stopped()
	b.mu.Lock()
	if b.link != l {
		b.mu.Unlock()
		return
	}
	b.link = nil
	b.known, b.contact = l.run, b.heard
	b.seen = mark
	if mark != "" {
		why = stopped(mark)
	}
	var again, lost []*flight
	for id, f := range b.flights {
		switch {
		case f.link != l: // on its way to be sent again
		case b.ctx.Err() == nil && mark == "" && f.sends < maxSends && (l.unbegun || id == b.handshake && f.method == "initialize"):
			f.link = nil
			again = append(again, f)
		default:
			lost = append(lost, f)
			delete(b.flights, id)
		}
	}
	begun := !l.unbegun
	b.landing()
	b.mu.Unlock()
	for _, f := range lost {
		b.answer(interrupted(f.message, why, begun))
	}
	if len(again) > 0 {
		slices.SortFunc(again, func(x, y *flight) int { return cmp.Compare(x.order, y.order) })
		b.readers.Go(func() {
			for _, f := range again {
				b.take(b.ctx, f.line, true)
			}
		})
	}
}

// landing tells whoever waits for it that no call is under way. The caller holds mu.
func (b *bridge) landing() {
	if b.landed != nil && !b.waiting() {
		close(b.landed)
		b.landed = nil
	}
}

func (b *bridge) current() *link {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.link
}
