// Package daemon builds the parts of the daemon, owns their goroutines and stops them in order. It
// also knows a daemon's place on the machine: who holds the port and the state directory, how a
// daemon is started and ended.
package daemon

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/schema"
)

// Config is what a daemon is started with.
type Config struct {
	Place
	Version    string
	IngestRate int           // events per second and source; 0 means the default
	IdleExit   time.Duration // stop after this long without client and browser; 0 never
	Spawned    bool          // started by a client, not by a person
	OTLP       bool          // listen where SDKs send to that nobody configured, too; settings.json may say so as well
	OTLPPorts  []int         // where that is
	IngestPort int           // for services of other machines, with a token; 0: it is open only while it is asked for
	Log        *slog.Logger
	Ready      func(url string) // called when it listens; may be nil
}

// ErrRunning says that another daemon holds the port.
var ErrRunning = errors.New("a daemon runs already")

// callsWithin is how long calls that are under way on streams have to be answered when the daemon stops,
// answerWithin how long other requests have to answer by themselves, stopWithin how long when they are told to.
const (
	callsWithin  = time.Second
	answerWithin = 200 * time.Millisecond
	stopWithin   = 2 * time.Second
)

// headroom is what the process needs beside the events; the collector works harder above it.
const headroom = 40 << 20

// listen takes the port. It waits a moment for one that is taken: a daemon that started at the same moment says who it is
// a moment after it has the port, and one that is ending gives it back.
func (p Place) listen() (net.Listener, error) {
	const patience = 3 * time.Second
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		port, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Port)))
		if err == nil {
			return port, nil
		}
		if id, ok := p.Running(); ok {
			return nil, fmt.Errorf("%w: pid %d on port %d (%w)", ErrRunning, id.PID, id.Port, err)
		}
		if !time.Now().Before(end) {
			return nil, fmt.Errorf("listen: %w; free the port or use another with --port", err)
		}
	}
}

// Run serves until ctx ends, somebody asks it to stop, or it has been idle for long.
func Run(ctx context.Context, cfg Config) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	memory, err := ParseMemory(cfg.Memory)
	if err != nil {
		return err
	}
	// On a busy machine a start may come so late that whoever asked for it has gone, with the state directory, or that
	// another daemon has started. To make a directory anew would leave a daemon that nobody knows of.
	if cfg.Spawned && !cfg.awaited() {
		return errUnawaited
	}
	debug.SetMemoryLimit(memory + headroom)
	// The heap beside the events is small, so that a collection at each doubling would come every few
	// hundred requests and be felt in one answer of a hundred. The limit above bounds what this costs.
	debug.SetGCPercent(400)
	defer cfg.started() // removes the starter's mark, also when what follows fails

	// The port decides which of several daemons started at once is the one, so it comes first.
	port, err := cfg.listen()
	if err != nil {
		return err
	}
	defer port.Close()
	// Who stops the daemon takes the mark away and looks for one that listens: one of the two is found.
	if cfg.Spawned && !cfg.awaited() {
		return errUnawaited
	}
	run := newRun()
	release, err := cfg.lock(
		Identity{PID: os.Getpid(), Run: run, Port: cfg.Port, Version: cfg.Version, Started: time.Now().UTC()},
	)
	if err != nil {
		return fmt.Errorf("lock the state directory: %w", err)
	}
	defer release()

	// Requests outlive ctx by a moment, so that they can be told that the daemon stops.
	serving, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	d, err := build(serving, cfg, run, memory, cancel)
	if err != nil {
		return err
	}
	defer d.dir.Close()
	cfg.UnmarkStopped()
	cfg.started()

	server := d.api.HTTP()
	server.BaseContext = func(net.Listener) context.Context { return serving }
	var work sync.WaitGroup
	listener := newListener(port, d.certs.Config())
	defer listener.Close() // the server closes it, but not before it serves
	services := d.listenForServices(serving, &work)
	defer services()
	defer d.foreign.stop(serving)
	defer d.insecure.stop()
	if cfg.IngestPort != 0 {
		if _, err := d.foreign.open(serving, cfg.IngestPort, 0); err != nil {
			return fmt.Errorf("%w; free the port or use another with --ingest-port", err)
		}
	}
	served := make(chan error, 1)
	work.Go(func() { served <- server.Serve(listener) })
	work.Go(func() { d.watchPlace(ctx, func() { cancel(errMoved) }) })
	work.Go(func() { d.watchFilms(ctx) })
	work.Go(func() { d.watchFlows(ctx) })
	work.Go(func() { d.watchKept(ctx) })
	work.Go(func() { d.alerts.Run(ctx) })
	work.Go(func() { d.insecure.watch(ctx) })
	work.Go(func() { d.foreign.watch(ctx) })
	work.Go(func() { d.lines.Run(ctx) })
	work.Go(func() { d.watchSources(ctx, host()) })
	work.Go(func() { d.watchIdle(ctx, cfg.IdleExit, func() { cancel(errIdle) }) })
	work.Go(func() {
		d.recorder.Run(ctx, func(err error) { cfg.Log.Error("keep recordings", "error", err.Error()) })
	})
	cfg.Log.Info(
		"listening",
		"url",
		"http://"+listener.Addr().String(),
		"run",
		run,
		"pid",
		os.Getpid(),
		"version",
		cfg.Version,
		"memory",
		memory,
	)
	if cfg.Ready != nil {
		cfg.Ready("http://" + listener.Addr().String())
	}

	select {
	case <-ctx.Done():
	case err := <-served:
		cancel(err)
		return fmt.Errorf("serve: %w", err)
	}
	cfg.Log.Info("stopping", "reason", context.Cause(ctx).Error())
	if by := stoppedBy(context.Cause(ctx)); by != "" {
		d.stopped(by) // before anybody hears of it
	}
	// Commands first: their callers get "stopping" while their connections still are there. What browsers send
	// because this daemon has just proved itself must not reach the next program at the port. Then the streams,
	// which answer what they have begun and send the rest away; the port is free by then, so that the rest finds
	// the next daemon. Then what would wait on: polls, slow tools.
	d.queue.Stop()
	trusted := d.api.EndProofs()
	left := make(chan struct{})
	endStreams := sync.OnceFunc(func() {
		defer close(left)
		within, end := context.WithTimeout(serving, callsWithin)
		defer end()
		if err := d.mcp.Stop(within); err != nil {
			cfg.Log.Info("streams are cut with calls under way", "error", err.Error())
		}
	})
	if trusted > 0 {
		until := time.Now().Add(trusted)
		endStreams()
		time.Sleep(time.Until(until))
	}
	server.RegisterOnShutdown(endStreams)
	grace, end := context.WithTimeout(serving, answerWithin)
	defer end()
	waiting := server.Shutdown(grace) != nil
	services()
	d.foreign.stop(serving)
	d.insecure.stop()
	<-left
	cut()
	shut, done := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer done()
	if waiting && server.Shutdown(shut) != nil {
		_ = server.Close() // what is still open after the grace is cut
	}
	work.Wait()
	d.films.Close()
	return errors.Join(d.count(true), d.saveSeq(d.store.NextSeq()))
}

var errUnawaited = fmt.Errorf("%w, or nobody waits for one any more", ErrRunning)

// newRun makes the id of this run: cursors and command ids of others are told apart by it.
func newRun() string {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // never fails; see crypto/rand
	return hex.EncodeToString(b)
}

// ParseMemory reads a size such as 64MB, 1GB or a number of bytes; "" is the default.
func ParseMemory(s string) (int64, error) {
	if s == "" {
		return store.DefaultMemory, nil
	}
	bytes, err := parseBytes(s)
	if err != nil {
		return 0, fmt.Errorf("memory %q is no size; use for example 200MB", s)
	}
	if bytes < store.MinMemory || bytes > store.MaxMemory {
		return 0, fmt.Errorf("memory %s is outside of 16MB–4GB", s)
	}
	return bytes, nil
}

// parseBytes reads a size such as 64MB, 1GB or a number of bytes.
func parseBytes(s string) (int64, error) {
	digits := strings.TrimRight(strings.ToUpper(strings.TrimSpace(s)), "KMGIB ")
	factor := int64(1)
	switch strings.Trim(strings.ToUpper(strings.TrimSpace(s))[len(digits):], "IB ") {
	case "":
	case "K":
		factor = 1 << 10
	case "M":
		factor = 1 << 20
	case "G":
		factor = 1 << 30
	default:
		factor = 0
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || factor == 0 {
		return 0, fmt.Errorf("%q is no size", s)
	}
	return int64(n * float64(factor)), nil
}

// seqFile holds the number that the first event of the next run at this place gets.
func (p Place) seqFile() string { return "run/seq-" + strconv.Itoa(p.Port) }

func (d *parts) saveSeq(n event.Seq) error {
	return d.dir.Write(d.cfg.seqFile(), []byte(strconv.FormatUint(uint64(n), 10)+"\n"))
}

// leap is added when the counter is lost, so that no number is given out twice: more than a daemon
// stores in hours at its highest rate.
const leap = 1_000_000_000

// readSeq returns the first number of this run. A counter that cannot be read is made anew, above the
// largest that is known at any port.
func (p Place) readSeq(dir *state.Dir) (event.Seq, *state.Fault) {
	data, err := dir.Read(p.seqFile())
	if errors.Is(err, fs.ErrNotExist) {
		return 1, nil
	}
	var n uint64
	if err == nil {
		n, err = strconv.ParseUint(strings.TrimSpace(string(data)), 10, 63)
	}
	if err == nil && n < 1<<62 {
		return event.Seq(n), nil
	}
	if err == nil {
		err = errors.New("the number is too large")
	}
	largest := uint64(0)
	others, _ := filepath.Glob(filepath.Join(p.StateDir, "run", "seq-*")) // the pattern is valid
	for _, other := range others {
		if data, readErr := dir.Read("run/" + filepath.Base(other)); readErr == nil {
			if n, parseErr := strconv.ParseUint(strings.TrimSpace(string(data)), 10, 61); parseErr == nil {
				largest = max(largest, n)
			}
		}
	}
	first := event.Seq(largest + leap)
	return first, &state.Fault{File: dir.Path(p.seqFile()), Line: 1, Error: err.Error(),
		Effect: fmt.Sprintf("events are numbered from %d on", first), Fix: "Nothing is to be done: it was made anew."}
}

// readRules returns the user's redaction rules. A file that cannot be read leaves the built-in ones.
func readRules(dir *state.Dir) (redact.Rules, *state.Fault) {
	data, err := dir.Read("redaction.json")
	if errors.Is(err, fs.ErrNotExist) {
		return redact.Rules{}, nil
	}
	var rules redact.Rules
	if err == nil {
		rules, err = redact.ParseRules(data)
	}
	if err == nil {
		return rules, nil
	}
	return redact.Rules{}, &state.Fault{
		File:   dir.Path("redaction.json"),
		Line:   state.LineOf(data, err),
		Error:  err.Error(),
		Effect: "your own rules are not applied; the built-in ones are",
		Fix:    "Correct it, then run \"gasoline stop\"; the next start reads it.",
	}
}

// watchPlace calls stop when the state directory is not at its place any more: every other program
// would make itself a new token there and be refused.
func (d *parts) watchPlace(ctx context.Context, stop func()) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for missing := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		held, err := state.Locked(d.cfg.identityFile())
		if !d.dir.Moved() && (held || err != nil) { // a directory that was made anew has no lock of ours
			missing = 0
		} else if missing++; missing == 2 {
			d.cfg.Log.Error("the state directory was moved, removed or replaced; the daemon ends, and the next "+
				"client starts another", "path", d.cfg.StateDir)
			stop()
			return
		}
	}
}

// watchFilms ends films whose browser went away.
func (d *parts) watchFilms(ctx context.Context) {
	every(ctx, time.Second, func(time.Time) { d.films.EndSilent() })
}

// learnEvery is how often runs that passed are looked for, to compare later ones with.
const learnEvery = 5 * time.Second

// watchFlows learns what operations consist of when they pass.
func (d *parts) watchFlows(ctx context.Context) {
	every(ctx, learnEvery, func(now time.Time) {
		if err := d.flows.Learn(ctx, now); err != nil && ctx.Err() == nil {
			d.cfg.Log.Error("learn from requests that passed", "error", err.Error())
		}
	})
}

// watchKept counts what is kept, for the next daemon.
func (d *parts) watchKept(ctx context.Context) {
	every(ctx, countEvery, func(time.Time) {
		if err := d.count(false); err != nil {
			d.cfg.Log.Error("count for the next daemon", "error", err.Error())
		}
	})
}

// every calls work again and again until ctx ends.
func every(ctx context.Context, interval time.Duration, work func(now time.Time)) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			work(now)
		}
	}
}

// ExtensionID returns the id that the pinned key gives the extension.
func ExtensionID() (string, error) {
	var id struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(schema.ExtensionID, &id); err != nil || len(id.ID) != 32 {
		return "", fmt.Errorf("the build has no valid extension id: %s", schema.ExtensionID)
	}
	return id.ID, nil
}

// watchIdle calls stop when neither client nor browser was there for the given time.
func (d *parts) watchIdle(ctx context.Context, after time.Duration, stop func()) {
	if after <= 0 {
		return
	}
	step := min(after/4+time.Millisecond, time.Minute)
	tick := time.NewTicker(step)
	defer tick.Stop()
	busy := time.Now()
	requests := int64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n := d.api.Counts().Requests
		if n != requests || d.mcp.Clients() > 0 || d.browserThere() {
			busy, requests = time.Now(), n
			continue
		}
		if time.Since(busy) >= after {
			stop()
			return
		}
	}
}

func (d *parts) browserThere() bool {
	now := time.Now()
	for _, b := range d.registry.Browsers() {
		if b.Connected(now) {
			return true
		}
	}
	return false
}

// maxDebugLogs is how many logs of failed starts are kept.
const maxDebugLogs = 3

// SaveFailure is SaveDebugLog of a daemon that could not start. Who waits for the start finds the reason in the state
// directory, see Place.Failed.
func (p Place) SaveFailure(cause error) (string, error) {
	p.fail(cause)
	return p.SaveDebugLog(cause)
}

// SaveDebugLog writes why there is no daemon into the system's temporary directory and returns the path.
func (p Place) SaveDebugLog(cause error) (string, error) {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), "gasoline-debug-*.log")) // the pattern is valid
	slices.SortFunc(old, func(a, b string) int { return modified(a).Compare(modified(b)) })
	for _, path := range old[:max(0, len(old)-maxDebugLogs+1)] {
		_ = os.Remove(path) // it may be another user's
	}
	f, err := os.CreateTemp("", "gasoline-debug-*.log")
	if err != nil {
		return "", err
	}
	fmt.Fprintf(
		f,
		"time: %s\nstate directory: %s\nport: %d\nprogram: %s\nerror: %v\n",
		time.Now().Format(time.RFC3339),
		p.StateDir,
		p.Port,
		p.Program,
		cause,
	)
	if tail, err := os.ReadFile(p.LogPath()); err == nil {
		fmt.Fprintf(f, "\nlast lines of %s:\n%s", p.LogPath(), tail[max(0, len(tail)-8000):])
	}
	return filepath.Clean(f.Name()), f.Close()
}

func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
