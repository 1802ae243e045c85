package gasoline

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"log/slog"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Slog returns a handler that sends records to the daemon, with the trace of their context, and passes them on to next.
// next may be nil. Records below next's level are not captured either.
func (c *Client) Slog(next slog.Handler) slog.Handler {
	if !c.on() && next != nil {
		return next
	}
	if fmt.Sprintf("%T", next) == "*slog.defaultHandler" {
		// It writes by package log, which slog.SetDefault makes write to the handler that is being made here.
		next = newPlain(next)
	}
	return &handler{client: c, next: next}
}

type handler struct {
	client *Client
	next   slog.Handler
	fixed  []Attr   // by WithAttrs, outside of groups
	groups []*group // open groups, outermost first
}

// group is an open group and the attributes that WithAttrs put into it.
type group struct {
	name  string
	fixed []Attr
}

// Enabled reports whether records of a level are taken.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	if h.next != nil {
		return h.next.Enabled(ctx, level)
	}
	return h.client.on()
}

// Handle captures a record and passes it on. Its error is next's.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	h.capture(ctx, r)
	if h.next == nil {
		return nil
	}
	return h.next.Handle(ctx, r)
}

func (h *handler) capture(ctx context.Context, r slog.Record) {
	if !h.client.on() {
		return
	}
	defer func() { _ = recover() }() // a LogValue of the program's may panic; next will say so
	l := fromContext(ctx)
	if !h.client.admits(l) && (r.Level < slog.LevelError || !h.client.errors.pass(time.Now())) {
		return
	}
	own := make([]Attr, 0, r.NumAttrs()+len(h.fixed)+2)
	target := &own
	if len(h.groups) == 0 {
		own = append(own, h.fixed...)
	}
	r.Attrs(func(a slog.Attr) bool {
		*target = appendSlog(*target, a)
		return len(*target) < maxAttributes
	})
	for i := len(h.groups) - 1; i >= 0; i-- {
		g := h.groups[i]
		members := append(append([]Attr(nil), g.fixed...), own...)
		own = nil
		if len(members) > 0 {
			own = []Attr{{key: g.name, kind: groupKind, list: members}}
		}
		if i == 0 {
			own = append(append(make([]Attr, 0, len(h.fixed)+len(own)+2), h.fixed...), own...)
		}
	}
	if r.PC != 0 {
		f, _ := runtime.CallersFrames([]uintptr{r.PC}).Next()
		own = append(own, String("code.file.path", f.File), Int("code.line.number", f.Line))
	}
	rec := record{
		time: r.Time, text: clip(r.Message, maxMessage), severity: severityOf(r.Level), level: r.Level.String(),
		scope: "slog", attributes: own, rank: rankOf(r.Level),
		left: max2(0, r.NumAttrs()-maxAttributes),
	}
	if rec.time.IsZero() {
		rec.end = time.Now() // when it was observed
	}
	if l != nil {
		rec.trace, rec.span = l.TraceID, l.SpanID
	}
	h.client.push(rec)
}

const maxMessage = 64 << 10 // bytes

// appendSlog appends an attribute; the members of a group without a name stand for themselves.
func appendSlog(to []Attr, a slog.Attr) []Attr {
	if a.Key == "" && a.Value.Resolve().Kind() == slog.KindGroup {
		for _, m := range a.Value.Resolve().Group() {
			to = appendSlog(to, m)
		}
		return to
	}
	if out, ok := fromSlog(a, 0); ok {
		to = append(to, out)
	}
	return to
}

func rankOf(l slog.Level) int {
	switch {
	case l >= slog.LevelError:
		return rankError
	case l >= slog.LevelWarn:
		return rankWarn
	case l >= slog.LevelInfo:
		return rankInfo
	}
	return rankDebug
}

// severityOf returns OpenTelemetry's number: Info is 0 there and 9 here.
func severityOf(l slog.Level) int {
	n := int(l) + 9
	switch {
	case n < 1:
		return 1
	case n > 24:
		return 24
	}
	return n
}

// WithAttrs returns a handler that adds attributes to each record.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h
	}
	out := *h
	if h.next != nil {
		out.next = h.next.WithAttrs(attrs)
	}
	var own []Attr
	func() {
		defer func() { _ = recover() }()
		for _, a := range attrs {
			own = appendSlog(own, a)
		}
	}()
	if n := len(h.groups); n > 0 {
		out.groups = append([]*group(nil), h.groups...)
		last := h.groups[n-1]
		out.groups[n-1] = &group{last.name, append(append([]Attr(nil), last.fixed...), own...)}
	} else {
		out.fixed = append(append([]Attr(nil), h.fixed...), own...)
	}
	return &out
}

// WithGroup returns a handler whose later attributes stand in a group.
func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	out := *h
	if h.next != nil {
		out.next = h.next.WithGroup(name)
	}
	out.groups = append(append([]*group(nil), h.groups...), &group{name: name})
	return &out
}

// plain writes what slog's own default handler writes, to the same place, without package log's lock.
type plain struct {
	mu    *sync.Mutex
	out   *log.Logger
	buf   *bytes.Buffer
	text  slog.Handler
	least slog.Level
}

func newPlain(next slog.Handler) *plain {
	p := &plain{mu: new(sync.Mutex), buf: &bytes.Buffer{}, least: leastOf(next)}
	p.text = slog.NewTextHandler(p.buf, &slog.HandlerOptions{Level: slog.Level(math.MinInt)})
	to := log.Writer()
	if fmt.Sprintf("%T", to) == "*slog.handlerWriter" {
		to = os.Stderr // what package log writes to comes here already
	}
	p.out = log.New(to, log.Prefix(), log.Flags()&^(log.Lshortfile|log.Llongfile))
	return p
}

// leastOf returns the lowest level that a handler takes. slog.SetLogLoggerLevel sets it before slog.SetDefault, and means
// something else after it.
func leastOf(h slog.Handler) slog.Level {
	for l := slog.LevelDebug - 12; l < slog.LevelError+12; l++ {
		if h.Enabled(context.Background(), l) {
			return l
		}
	}
	return slog.LevelError + 12
}

func (p *plain) Enabled(_ context.Context, l slog.Level) bool { return l >= p.least }

// nothing is what a TextHandler writes before the attributes of a record without a time and a message.
const nothing = `level=INFO msg=""`

func (p *plain) Handle(ctx context.Context, r slog.Record) error {
	attributes := slog.NewRecord(time.Time{}, slog.LevelInfo, "", 0)
	r.Attrs(func(a slog.Attr) bool {
		attributes.AddAttrs(a)
		return true
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.buf.Reset()
	if err := p.text.Handle(ctx, attributes); err != nil {
		return err
	}
	rest := strings.TrimPrefix(strings.TrimSuffix(p.buf.String(), "\n"), nothing)
	return p.out.Output(2, r.Level.String()+" "+r.Message+rest)
}

func (p *plain) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *p
	out.text = p.text.WithAttrs(attrs)
	return &out
}

func (p *plain) WithGroup(name string) slog.Handler {
	out := *p
	out.text = p.text.WithGroup(name)
	return &out
}
