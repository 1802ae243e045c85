package lines

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
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
	maxReaders = 64                     // of one sender; the lines of further processes are the sender's own
	maxName    = 256                    // bytes of a service's, an instance's, a client's name
	idle       = 300 * time.Millisecond // after which a record that might go on is complete
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
	readers map[string]*Reader // by stream, and by process where there are several; <= maxReaders
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
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
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
	if from.Service != "" {
		in.Service = from.Service
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
	if len(batch) > 0 && in.OTLP && len(c.waiting)+len(batch) <= maxWaiting {
		for _, e := range batch {
			c.waiting = append(c.waiting, waiting{e, bytes / len(batch), now.Add(copied)})
		}
		batch = nil
	}
	if len(batch) > 0 || len(lost) > 0 {
		up := ingest.Upload{Sent: epoch(in.Sent), Batch: batch, Bytes: bytes, Reports: lost}
		if _, err := r.cfg.Ingest.Ingest(ctx, up, ingest.Refuse); err != nil {
			c.restore(before)
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

// events reads the lines of a batch.
func (r *Receiver) events(c *client, in *wire.Lines, now time.Time) (batch event.Batch, bytes int) {
	batch = make(event.Batch, 0, len(in.Lines)+1)
	if in.Dropped > 0 {
		reader := r.reader(c, in, "")
		batch = append(batch, reader.notice(now, "warn", event.SeverityWarn,
			strconv.Itoa(in.Dropped)+" lines before this were lost: they came faster than the daemon took them, or while it was away"))
	}
	for i := range in.Lines {
		l := &in.Lines[i]
		reader, text := r.readerOf(c, in, l)
		if l.Binary > 0 {
			if !reader.told {
				reader.told = true
				batch = append(reader.Flush(batch), reader.notice(epoch(l.T), "warn", event.SeverityWarn,
					"binary output is not kept: "+strconv.Itoa(l.Binary)+" bytes, and what follows of its kind"))
			}
			continue
		}
		bytes += len(l.Text)
		batch = reader.Add(Line{Time: epoch(l.T), Text: text, Size: l.Size}, batch)
		reader.due = now.Add(idle) // whatever other streams and processes say
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
	return batch, bytes
}

// Run stores what was held back when its time has come, until ctx ends; then it stores the rest.
func (r *Receiver) Run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		next := r.flush(ctx, r.cfg.Now(), false)
		wait := time.Hour
		if !next.IsZero() {
			wait = max(time.Millisecond, next.Sub(r.cfg.Now()))
		}
		timer.Reset(wait)
		select {
		case <-r.wake:
		case <-timer.C:
		case <-ctx.Done():
			r.flush(context.WithoutCancel(ctx), r.cfg.Now(), true)
			return
		}
	}
}

// flush stores what is due and returns when the next is.
func (r *Receiver) flush(ctx context.Context, now time.Time, all bool) (next time.Time) {
	r.mu.Lock()
	clients := make([]*client, 0, len(r.clients))
	for _, c := range r.clients {
		clients = append(clients, c)
	}
	r.mu.Unlock()
	for _, c := range clients {
		c.mu.Lock()
		var batch event.Batch
		bytes := 0
		for _, reader := range c.inOrder() {
			if reader.open && (all || !now.Before(reader.due)) {
				bytes += reader.bytes
				batch = reader.Flush(batch)
			}
		}
		c.from.Stamp(batch)
		kept := c.waiting[:0]
		for _, w := range c.waiting {
			if all || !now.Before(w.due) {
				batch, bytes = append(batch, w.event), bytes+w.bytes
			} else {
				kept = append(kept, w)
			}
		}
		clear(c.waiting[len(kept):])
		c.waiting = kept
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
		if reader.open && (next.IsZero() || reader.due.Before(next)) {
			next = reader.due
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

// readerOf returns the reader of a line and the text that it reads.
func (r *Receiver) readerOf(c *client, in *wire.Lines, l *wire.Line) (*Reader, string) {
	if !in.Several || l.Binary > 0 {
		return r.reader(c, in, l.Stream), l.Text
	}
	name, service, text, ok := process(l.Text)
	if !ok {
		return r.reader(c, in, l.Stream), l.Text
	}
	of := r.reader(c, in, l.Stream)
	key := of.Stream + "\n" + name
	reader := c.readers[key]
	if reader == nil {
		if len(c.readers) >= maxReaders {
			return of, l.Text
		}
		reader = &Reader{
			Origin:      event.Origin{Source: in.Source, Service: service, Instance: name},
			ClockDomain: of.ClockDomain, Stream: of.Stream, Live: of.Live, Known: of.Known,
		}
		c.readers[key] = reader
	}
	return reader, text
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
	return reader
}

// inOrder returns the readers by the time of the first line that is not stored.
func (c *client) inOrder() []*Reader {
	return slices.SortedFunc(maps.Values(c.readers), func(a, b *Reader) int { return a.time.Compare(b.time) })
}

// save returns what Take has to put back when a batch is refused.
func (c *client) save() map[string]Reader {
	out := make(map[string]Reader, len(c.readers))
	for name, reader := range c.readers {
		saved := *reader
		saved.parts = append([]string(nil), reader.parts...)
		saved.first.attrs = append([]byte(nil), reader.first.attrs...)
		saved.logs, saved.scratch = nil, nil
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
	return time.UnixMicro(int64(ms * 1000))
}
