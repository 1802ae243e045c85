// Package gasoline sends what a service does to Gasoline's daemon on this machine: logs, spans of requests and queries,
// panics. It needs the standard library only, speaks OTLP/JSON, and never fails, blocks or panics by itself: without a
// daemon it drops and counts.
//
//	c := gasoline.Start(gasoline.Config{Service: "shop"})
//	defer c.Close(context.Background())
//	slog.SetDefault(slog.New(c.Slog(slog.Default().Handler())))
//	http.ListenAndServe("127.0.0.1:8080", c.Handler(mux))
package gasoline

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Config is how a client starts. Its zero value takes everything from the environment.
type Config struct {
	// Service is service.name. "" stands for OTEL_SERVICE_NAME, and that for the program's name.
	Service string
	// Version is service.version.
	Version string
	// URL is the daemon's address, or the whole string that "gasoline token create" prints, with a token and the pin of the
	// daemon's key. "" stands for GASOLINE_URL, and that for http://127.0.0.1:7890.
	URL string
	// Token lets events in. "" stands for GASOLINE_TOKEN, that for the token in the URL, and that, on this machine, for the
	// file that GASOLINE_TOKEN_FILE names or token in GASOLINE_STATE_DIR or ~/.gasoline.
	Token string
	// TLS is for a URL that begins with https. With a pin, chain and name are not looked at.
	TLS *tls.Config
	// Interval is how long records wait for others; 0 stands for 100 ms, and 500 ms in production. Errors do not wait.
	Interval time.Duration
	// MaxRecords and MaxBytes bound what waits; 0 stands for 5,000 and 4 MiB.
	MaxRecords, MaxBytes int
	// EndBy are signals on which the client flushes, at most 500 ms, and has the signal do what it does to a program
	// that does not handle it. Leave it empty in a program that handles signals; call Close there.
	EndBy []os.Signal
	// Off switches the client off, as GASOLINE=off does.
	Off bool
}

// Client captures and sends. Its methods may be called by many goroutines, and on nil or after Close: nothing is
// captured then.
type Client struct {
	queue      queue
	sender     *sender
	clean      *redactor
	production bool
	token      func() (string, bool)
	base       *url.URL
	running    atomic.Bool
	close      sync.Once
	errors     allowance
	signals    chan os.Signal
}

// Stats are counts since the start.
type Stats struct {
	Sent    uint64 // records that the daemon took
	Refused uint64 // of these, records that it said were not usable or too many
	Dropped uint64 // records that never left
	Waiting int    // records in the queue
	Problem string // why the newest request failed; "" when it did not
}

// productionNames are the variables that say in which environment a program runs; productionValues what they say in
// production.
var (
	productionNames  = []string{"GASOLINE_ENV", "APP_ENV", "GO_ENV", "ENV", "ENVIRONMENT"}
	productionValues = map[string]bool{"production": true, "prod": true, "live": true}
)

// inProduction reports whether one of the variables says production.
func inProduction(getenv func(string) string) bool {
	for _, name := range productionNames {
		if productionValues[strings.ToLower(getenv(name))] {
			return true
		}
	}
	return false
}

// Start returns a client, which is never nil. It is off when GASOLINE is off, and in production unless there is a token
// in Config, GASOLINE_TOKEN or the URL. With one it captures there only requests that carry a valid gasoline-session, see [Sign],
// what happens in them, and one error a second besides.
func Start(cfg Config) *Client {
	c := &Client{clean: newRedactor()}
	c.queue.maxCount, c.queue.maxBytes = cfg.MaxRecords, cfg.MaxBytes
	if c.queue.maxCount <= 0 {
		c.queue.maxCount = 5000
	}
	if c.queue.maxBytes <= 0 {
		c.queue.maxBytes = 4 << 20
	}
	c.production = inProduction(os.Getenv)
	switch strings.ToLower(os.Getenv("GASOLINE")) {
	case "off", "0", "false", "no":
		return c
	}
	if cfg.Off {
		return c
	}
	address := cfg.URL
	if address == "" {
		address = os.Getenv("GASOLINE_URL")
	}
	if address == "" {
		address = "http://127.0.0.1:7890"
	}
	paired, err := readPairing(address)
	if err != nil {
		complain(err)
		return c
	}
	given := givenToken(cfg.Token, paired.token)
	if c.production && given == "" {
		return c
	}
	c.base, c.token = paired.base, tokens(given, paired.base)
	interval := cfg.Interval
	if interval <= 0 {
		interval = 100 * time.Millisecond
		if c.production {
			interval = 500 * time.Millisecond
		}
	}
	c.sender = newSender(&c.queue, encodeResource(resourceOf(cfg)), c.clean, paired, c.token, interval, cfg.TLS)
	c.running.Store(true)
	go c.sender.run()
	if len(cfg.EndBy) > 0 {
		c.signals = make(chan os.Signal, 1)
		signal.Notify(c.signals, cfg.EndBy...)
		go c.endBySignal()
	}
	return c
}

// complain says on stderr why nothing is sent, in one line.
func complain(err error) { fmt.Fprintln(os.Stderr, "gasoline:", err) }

// endBySignal flushes when a signal comes and then lets it end the program.
func (c *Client) endBySignal() {
	s, ok := <-c.signals
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushWithin)
	defer cancel()
	_ = c.Flush(ctx) // the program ends either way
	signal.Reset(s)
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
		return
	}
	os.Exit(1)
}

const flushWithin = 500 * time.Millisecond

// resourceOf returns what all records have in common.
func resourceOf(cfg Config) []Attr {
	given := map[string]string{}
	for _, pair := range strings.Split(os.Getenv("OTEL_RESOURCE_ATTRIBUTES"), ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok || name == "" {
			continue
		}
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		given[name] = value
	}
	first := func(values ...string) string {
		for _, v := range values {
			if v != "" {
				return v
			}
		}
		return ""
	}
	program := "go"
	if len(os.Args) > 0 {
		program = strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	}
	host, _ := os.Hostname() // "" when the system does not know
	out := []Attr{
		String("service.name", first(cfg.Service, os.Getenv("OTEL_SERVICE_NAME"), given["service.name"], program)),
		Int("process.pid", os.Getpid()),
		String("telemetry.sdk.name", "gasoline"),
		String("telemetry.sdk.language", "go"),
	}
	instance := first(given["service.instance.id"], host+":"+strconv.Itoa(os.Getpid()))
	for _, a := range []Attr{
		String("service.instance.id", instance), String("host.name", host),
		String("service.version", first(cfg.Version, given["service.version"])),
		String("deployment.environment.name", first(given["deployment.environment.name"], given["deployment.environment"])),
	} {
		if a.text != "" {
			out = append(out, a)
		}
	}
	return out
}

func (c *Client) on() bool { return c != nil && c.running.Load() }

// admits reports whether what happens under l is captured: in production only what the developer caused.
func (c *Client) admits(l *local) bool { return !c.production || l != nil && l.own }

// push hands a record to the sender. It does not block on anything but a short lock.
func (c *Client) push(r record) {
	if !c.on() {
		return
	}
	count, bytes := c.queue.push(r)
	if r.rank == rankError || count >= batchCount || bytes >= batchBytes {
		select {
		case c.sender.hurry <- struct{}{}:
		default:
		}
		return
	}
	select {
	case c.sender.wake <- struct{}{}:
	default:
	}
}

// Flush sends what waits. It returns when that was tried, or with ctx's error.
func (c *Client) Flush(ctx context.Context) error {
	if !c.on() {
		return nil
	}
	done := make(chan struct{})
	select {
	case c.sender.flushes <- done:
	case <-c.sender.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-done:
		return nil
	case <-c.sender.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close flushes, at most 500 ms, and ends the client. Later calls do nothing.
func (c *Client) Close(ctx context.Context) (err error) {
	if c == nil || c.sender == nil {
		return nil
	}
	c.close.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, flushWithin)
		defer cancel()
		err = c.Flush(ctx)
		c.running.Store(false)
		close(c.sender.stop)
		if c.signals != nil {
			signal.Stop(c.signals)
			close(c.signals)
		}
	})
	return err
}

// Stats returns the client's counts.
func (c *Client) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	count, _ := c.queue.size()
	c.queue.mu.Lock()
	out := Stats{Dropped: c.queue.total, Waiting: count}
	c.queue.mu.Unlock()
	if c.sender != nil {
		out.Sent, out.Refused = c.sender.sent.Load(), c.sender.refused.Load()
		out.Problem, _ = c.sender.problem.Load().(string)
	}
	return out
}

// allowance lets one pass in each second, also when the clock was set back.
type allowance struct{ last atomic.Int64 }

func (a *allowance) pass(now time.Time) bool {
	last, n := a.last.Load(), now.UnixNano()
	return (last == 0 || n < last || n-last >= int64(time.Second)) && a.last.CompareAndSwap(last, n)
}
