package lines

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/wire"
)

const (
	maxClients = 256
	maxOfToken = 64                     // senders of one token, so that it leaves room for others
	maxLines   = 10_000                 // of one batch
	maxName    = 256                    // bytes of a service's, an instance's, a client's name
	copied     = 800 * time.Millisecond // how long records wait for their copy by OTLP, where one is expected
)

// Config is what a receiver is made of.
type Config struct {
	Ingest *ingest.Ingester
	Known  func(trace string) bool // reports whether events of a trace are kept; nil: none is known
	Now    func() time.Time        // nil means time.Now
}

// Receiver takes batches of lines. Its error of a call is a problem or an [*ingest.Limited]. It may be used by many
// goroutines. Make it with NewReceiver, and call Run.
type Receiver struct {
	cfg  Config
	host string
	wake chan struct{}

	mu      sync.Mutex
	clients map[string]*client // ≤ maxClients
}

// client is one sender.
type client struct {
	mu      sync.Mutex
	last    uint64             // the highest batch that was taken
	token   string             // that it sends by, "" without one
	readers map[string]*Reader // by stream
	used    time.Time          // guarded by the receiver's lock
	from    ingest.From        // of the last batch
	waiting []waiting          // records that wait for their copy by OTLP
}

// waiting is a record that is stored when its copy by OTLP has not come.
type waiting struct {
	event event.Event
	bytes int
	due   time.Time
}

const maxWaiting = 5000 // records of one client

// NewReceiver returns a receiver.
func NewReceiver(c Config) *Receiver {
	if c.Now == nil {
		c.Now = time.Now
	}
	host, _ := os.Hostname() // "": all senders are of other machines
	return &Receiver{cfg: c, host: host, wake: make(chan struct{}, 1), clients: map[string]*client{}}
}

// Read decodes and checks the body of POST /lines.
func Read(body []byte) (in wire.Lines, err error) {
	if tooMany(body) {
		return in, problem.New(problem.TooLarge, "Send smaller batches.", "a batch may have %d lines", maxLines)
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return in, problem.New(problem.InvalidParam, "Send the object that GET /openapi.json describes.",
			"the body is no batch of lines: %v", err)
	}
	for name, v := range map[string]string{"service": in.Service, "client": in.Client, "source": in.Source} {
		if v == "" {
			return in, problem.New(problem.MissingParam, "Give "+name+".", "%s is missing", name)
		}
	}
	for _, v := range [...]string{in.Service, in.Instance, in.Client, in.Host, in.Ended} {
		if len(v) > maxName {
			return in, problem.New(problem.InvalidParam, "Give names of at most "+strconv.Itoa(maxName)+" bytes.",
				"a name has %d bytes", len(v))
		}
	}
	if in.Source != "run" && in.Source != "tail" {
		return in, problem.New(problem.InvalidParam, `Give "run" or "tail".`, "source is %q", in.Source)
	}
	if in.Batch == 0 {
		return in, problem.New(problem.MissingParam, "Count the batches from 1.", "batch is missing")
	}
	return in, nil
}

// tooMany reports whether a body has more lines than a batch may have. It keeps none: an empty line has two bytes there
// and many in memory.
func tooMany(body []byte) bool {
	if bytes.Count(body, []byte{','}) < maxLines {
		return false // there is one between two lines
	}
	var in struct {
		Lines counted `json:"lines"`
	}
	return errors.Is(json.Unmarshal(body, &in), errTooMany) // what is wrong otherwise, Read tells
}

var errTooMany = errors.New("too many")

// counted is a list of which only the length matters.
type counted struct{}

// UnmarshalJSON reads the list up to its bound.
func (counted) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return err
	}
	var line struct{}
	for n := 1; d.More(); n++ {
		if n > maxLines {
			return errTooMany
		}
		if err := d.Decode(&line); err != nil {
			return err
		}
	}
	return nil
}

// Take stores the lines of a batch, unless it came before. What the limits do not let in is refused as a whole.
func (r *Receiver) Take(ctx context.Context, from ingest.From, in wire.Lines) (wire.LinesAnswer, error) {
	now := r.cfg.Now()
	if from.ID != "" { // nobody takes another one's numbers of batches
		in.Client = from.ID + "/" + in.Client
	}
	c, most := r.client(in.Client, from.ID, now)
	if c == nil {
		return wire.LinesAnswer{}, problem.New(problem.RateLimited, "Repeat the request after 1 s.",
			"%d senders of lines are active", most)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if in.Batch <= c.last {
		return wire.LinesAnswer{Duplicate: true}, nil
	}
	size := 0
	for _, l := range in.Lines {
		size += len(l.Text)
	}
	if err := from.Take(max(1, len(in.Lines)), size); err != nil { // a batch without a line may still make an event
		return wire.LinesAnswer{}, err
	}
	before := c.save()
	batch, bytes := r.events(c, &in, now)
	from.Stamp(batch)
	c.from = from
	var lost []ingest.Report
	if in.Dropped > 0 { // the batch has a notice of it
		lost = []ingest.Report{{Origin: batch[0].Base().Origin, Kind: event.KindLog, Cause: ingest.Sender, Count: in.Dropped}}
	}
	var waited []waiting
	if in.Finished { // nobody waits longer than the sender: who asks now misses nothing
		waited, c.waiting = c.waiting, nil
		held := make(event.Batch, 0, len(waited)+len(batch))
		for _, w := range waited {
			held, bytes = append(held, w.event), bytes+w.bytes
		}
		batch = append(held, batch...)
	}
	if in.OTLP && !in.Finished && len(c.waiting)+len(batch) <= maxWaiting {
		for _, e := range batch {
			c.waiting = append(c.waiting, waiting{e, bytes / len(batch), now.Add(copied)})
		}
		batch = nil
	}
	if len(batch) > 0 || len(lost) > 0 {
		up := ingest.Upload{Sent: epoch(in.Sent), Batch: batch, Bytes: bytes, Reports: lost}
		if _, err := r.cfg.Ingest.Ingest(ctx, up, ingest.Refuse); err != nil {
			c.restore(before)
			c.waiting = append(waited, c.waiting...)
			return wire.LinesAnswer{}, err
		}
	}
	c.last = in.Batch
	if !c.next().IsZero() {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
	return wire.LinesAnswer{Accepted: len(in.Lines)}, nil
}

// events reads the lines of a batch. The bytes are of the lines that are complete by it.
func (r *Receiver) events(c *client, in *wire.Lines, now time.Time) (event.Batch, int) {
	batch, bytes := make(event.Batch, 0, len(in.Lines)+1), c.open()
	if in.Dropped > 0 {
		reader := r.reader(c, in, "")
		batch = append(batch, reader.notice(now, "warn", event.SeverityWarn,
			strconv.Itoa(in.Dropped)+" lines before this were lost: they came faster than the daemon took them, or while it was away"))
	}
	if in.End != nil && len(in.Lines) > 0 {
		r.reader(c, in, in.Lines[0].Stream).Learn(in.End.Text, epoch(in.End.T))
	}
	for i := range in.Lines {
		l := &in.Lines[i]
		reader := r.reader(c, in, l.Stream)
		if l.Binary > 0 {
			if !reader.told {
				reader.told = true
				batch = append(reader.Flush(batch), reader.notice(epoch(l.T), "warn", event.SeverityWarn,
					"binary output is not kept: "+strconv.Itoa(l.Binary)+" bytes, and what follows of its kind"))
			}
			continue
		}
		bytes += len(l.Text)
		batch = reader.Add(Line{Time: epoch(l.T), Text: l.Text, Size: l.Size, Live: l.Live}, batch)
		reader.Hold(now)
	}
	for _, reader := range c.inOrder() {
		if in.Finished {
			batch = reader.Flush(batch)
		} else {
			batch = reader.Settle(batch)
		}
	}
	if in.Finished && in.Ended != "" {
		batch = append(batch, r.reader(c, in, "").notice(now, "error", event.SeverityError,
			"the program ended: "+in.Ended))
	}
	return batch, bytes - c.open()
}

// Run stores what was held back when its time has come, until ctx ends; then it stores the rest.
func (r *Receiver) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		next := r.flush(ctx, r.cfg.Now(), due)
		wait := time.Hour
		if !next.IsZero() {
			wait = max(time.Millisecond, next.Sub(r.cfg.Now()))
		}
		timer.Reset(wait)
		select {
		case <-r.wake:
		case <-timer.C:
		case <-ctx.Done():
			r.flush(context.WithoutCancel(ctx), r.cfg.Now(), all)
			return
		}
	}
}

// Settle has what came before the call stored, for who reads next. What waits for its copy is stored at once: the copy
// takes its place. A record that may go on is waited for, at most within. It reports whether all is stored.
func (r *Receiver) Settle(ctx context.Context, within time.Duration) bool {
	came := r.cfg.Now()
	end := came.Add(within)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := r.cfg.Now()
		r.flush(ctx, now, copies)
		next := r.open(came)
		if next.IsZero() || ctx.Err() != nil || !now.Before(end) {
			return next.IsZero()
		}
		if next.After(end) {
			next = end
		}
		timer.Reset(max(time.Millisecond, next.Sub(now)))
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
}

// open returns when one of the open records that were there at a time is complete; zero: none is open.
func (r *Receiver) open(at time.Time) (next time.Time) {
	for _, c := range r.all() {
		c.mu.Lock()
		for _, reader := range c.readers {
			for _, j := range reader.joints {
				if j.waits() && !j.since.After(at) {
					next = j.due
				}
			}
		}
		c.mu.Unlock()
	}
	return next
}

// all returns the senders.
func (r *Receiver) all() []*client {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.clients))
}

// held says which of the things that are held back are stored.
type held uint8

const (
	due    held = iota // those whose time has come
	copies             // those that wait for their copy, too
	all
)

// flush stores what is held back and returns when the next is due.
func (r *Receiver) flush(ctx context.Context, now time.Time, which held) (next time.Time) {
	for _, c := range r.all() {
		c.mu.Lock()
		var batch event.Batch
		bytes := c.open()
		for _, reader := range c.inOrder() {
			if which == all {
				batch = reader.Flush(batch)
			} else {
				batch = reader.FlushDue(now, batch)
			}
		}
		bytes -= c.open()
		c.from.Stamp(batch)
		n := 0 // those that waited go before what was written behind them
		for n < len(c.waiting) && (which != due || len(batch) > 0 || !now.Before(c.waiting[n].due)) {
			n++
		}
		waited := make(event.Batch, 0, n+len(batch))
		for _, w := range c.waiting[:n] {
			waited, bytes = append(waited, w.event), bytes+w.bytes
		}
		batch, c.waiting = append(waited, batch...), slices.Delete(c.waiting, 0, n)
		if len(batch) > 0 { // what is over the limits is counted there
			_, _ = r.cfg.Ingest.Ingest(ctx, ingest.Upload{Batch: batch, Bytes: bytes}, ingest.Drop)
		}
		if due := c.next(); !due.IsZero() && (next.IsZero() || due.Before(next)) {
			next = due
		}
		c.mu.Unlock()
	}
	return next
}

// next returns when something of the client is due; zero: nothing is.
func (c *client) next() (next time.Time) {
	if len(c.waiting) > 0 {
		next = c.waiting[0].due
	}
	for _, reader := range c.readers {
		if due := reader.Due(); !due.IsZero() && (next.IsZero() || due.Before(next)) {
			next = due
		}
	}
	return next
}

// client returns the state of a sender. When there are too many, in all or by its token, the one of them that was silent
// for longest is forgotten; nil, and how many there may be, when all are active.
func (r *Receiver) client(name, token string, now time.Time) (c *client, most int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.clients[name]; c != nil {
		c.used = now
		return c, 0
	}
	of := 0
	for _, c := range r.clients {
		if c.token == token {
			of++
		}
	}
	switch {
	case token != "" && of >= maxOfToken:
		most = maxOfToken
	case len(r.clients) >= maxClients:
		most = maxClients
	}
	if most > 0 {
		oldest := ""
		for n, c := range r.clients {
			if (most == maxClients || c.token == token) && (oldest == "" || c.used.Before(r.clients[oldest].used)) {
				oldest = n
			}
		}
		if now.Sub(r.clients[oldest].used) < 2*copied { // it may have records that are not stored yet
			return nil, most
		}
		delete(r.clients, oldest)
	}
	c = &client{token: strings.Clone(token), readers: map[string]*Reader{}, used: now}
	r.clients[strings.Clone(name)] = c
	return c, 0
}

// reader returns the reader of a stream.
func (r *Receiver) reader(c *client, in *wire.Lines, stream string) *Reader {
	if stream != "stdout" && stream != "stderr" {
		stream = ""
	}
	reader := c.readers[stream]
	if reader == nil {
		domain := in.Host
		if domain == r.host {
			domain = ""
		}
		reader = &Reader{
			Origin:      event.Origin{Source: in.Source, Service: in.Service, Instance: in.Instance},
			ClockDomain: domain, Stream: stream, Live: in.Source == "run", Known: r.cfg.Known,
		}
		c.readers[stream] = reader
	}
	reader.Several = in.Several
	return reader
}

// open returns how many bytes the lines have that no event has yet.
func (c *client) open() (bytes int) {
	for _, reader := range c.readers {
		for _, j := range reader.joints {
			if j.waits() {
				bytes += j.bytes + len(j.half)
			}
		}
	}
	return bytes
}

// inOrder returns the readers by the time of the first line that is not stored.
func (c *client) inOrder() []*Reader {
	return slices.SortedFunc(maps.Values(c.readers), func(a, b *Reader) int { return a.first().Compare(b.first()) })
}

// save returns what Take has to put back when a batch is refused.
func (c *client) save() map[string]Reader {
	out := make(map[string]Reader, len(c.readers))
	for name, reader := range c.readers {
		saved := reader.saved()
		out[name] = saved
	}
	return out
}

func (c *client) restore(readers map[string]Reader) {
	clear(c.readers)
	for name, reader := range readers {
		c.readers[name] = &reader
	}
}

func epoch(ms float64) time.Time {
	if ms <= 0 || ms > 1e14 {
		return time.Time{}
	}
	return time.UnixMicro(int64(math.Round(ms * 1000)))
}
