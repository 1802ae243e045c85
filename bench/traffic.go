package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/brennhill/gasoline/internal/wire"
)

// console is an upload of n console entries of about 560 bytes, every tenth a warning with a stack.
// Its document's name begins with eight zeros, to be overwritten: an upload that came before is left out.
func console(n int) (body []byte, document int, err error) {
	g := wire.Group{
		Tab:      12,
		Document: "00000000E5F60718293A4B5C6D7E8F90",
		PageURL:  "http://localhost:3000/shop/checkout?step=2",
		Since:    "document_start",
	}
	for i := range n {
		l := wire.Log{
			Base:  wire.Base{Seq: uint64(i + 1), T: 1763636400000.25 + float64(i)*3.5, Mono: 1204.3 + float64(i)*3.5},
			Level: "log",
			Message: fmt.Sprintf(
				"[Checkout] order %d updated: 3 items, total 59.97 EUR, shipping to Berlin (express) in 2 days; "+
					"cart synced with server after 142 ms, next step: payment",
				8800+i,
			),
			Args: json.RawMessage(
				fmt.Sprintf(
					`["[Checkout]",{"orderId":%d,"items":[{"sku":"A-1","qty":2,"price":19.99},{"sku":"B-7","qty":1,"price":19.99}],"customer":{"name":"Ann","city":"Berlin"},"express":true}]`,
					8800+i,
				),
			),
			URL: "http://localhost:3000/assets/checkout.js", Line: 212, Column: 17,
		}
		if i%10 == 9 {
			l.Level = "warn"
			l.Stack = []wire.StackFrame{
				{Function: "sync", URL: "http://localhost:3000/assets/cart.js", Line: 88, Column: 9},
				{Function: "onUpdate", URL: "http://localhost:3000/assets/checkout.js", Line: 212, Column: 17},
			}
		}
		g.Logs = append(g.Logs, l)
	}
	body, err = json.Marshal(wire.Sync{V: 1, Session: "s-bench", Sent: 1763636401000, Groups: []wire.Group{g}})
	return body, bytes.Index(body, []byte("00000000E5F6")), err
}

// Console events of an upload: few, and as many as the extension gathers in 400 ms of a page that writes a thousand a
// second.
const calm, busy = 50, 400

// ingest measures console events over HTTP, by the processor time that the daemon takes for them.
func (b *bench) ingest() error {
	m, err := b.daemon()
	if err != nil {
		return err
	}
	defer m.stop()
	pid, err := m.pid()
	if err != nil {
		return err
	}
	if err := b.bare.keep([]byte(`{"ack":{},"dropped":{}}`)); err != nil {
		return err
	}
	n := 0
	for _, events := range []int{calm, busy} {
		body, at, err := console(events)
		if err != nil {
			return err
		}
		stored, err := pump(pid, events, func() error {
			n++
			copy(body[at:], fmt.Sprintf("%08X", n))
			_, err := m.ask("POST", "/sync", body, nil)
			return err
		})
		if err != nil {
			return err
		}
		bare, err := pump(b.bare.cmd.Process.Pid, events, func() error { _, err := b.bare.ask(body); return err })
		if err != nil {
			return err
		}
		valid, err := pump(os.Getpid(), events, func() error {
			if !json.Valid(body) {
				return errors.New("the upload is no JSON")
			}
			return nil
		})
		if err != nil {
			return err
		}
		b.table.add(row{
			id:     "B22",
			what:   fmt.Sprintf("console events stored over HTTP, %d × %d bytes an upload", events, len(body)/events),
			value:  stored.perCore,
			unit:   "events/s/core",
			budget: "≥ 250,000",
			met:    stored.perCore >= 250_000,
			peer:   "json.Valid of the same bytes",
			base:   valid.perCore,
			rate:   true,
			most:   8,
		})
		b.table.add(row{
			id:    "B22",
			what:  "the same, against a server that only reads",
			value: stored.perCore,
			unit:  "events/s/core",
			peer:  "bare net/http",
			base:  bare.perCore,
			rate:  true,
			most:  16,
		})
		b.table.add(row{
			id: "B22", what: "the same by the clock, one connection", value: stored.perSecond, unit: "events/s",
		})
	}
	return nil
}

// rates are events for a second of a server's processor, and of the clock.
type rates struct{ perCore, perSecond float64 }

// pump uploads for a few seconds and says how fast the process took the events.
func pump(pid, events int, upload func() error) (r rates, err error) {
	const lasting = 5 * time.Second
	for range 200 {
		if err := upload(); err != nil {
			return r, err
		}
	}
	before, err := cpu(pid)
	if err != nil {
		return r, err
	}
	count, start := 0, time.Now()
	for time.Since(start) < lasting {
		if err := upload(); err != nil {
			return r, err
		}
		count += events
	}
	took := time.Since(start)
	after, err := cpu(pid)
	return rates{float64(count) / (after - before).Seconds(), float64(count) / took.Seconds()}, err
}

// answers measures what agents and the CLI wait for.
func (b *bench) answers() error {
	m, err := b.daemon()
	if err != nil {
		return err
	}
	defer m.stop()
	body, _, err := console(100)
	if err != nil {
		return err
	}
	if _, err := m.ask("POST", "/sync", body, nil); err != nil {
		return err
	}
	go m.extension(math.MaxInt) // the browser is asked for what its pages hold back, until the daemon ends
	compare := func(n int, do func(i int) ([]byte, error)) (ours, bare times, answer []byte, err error) {
		ours, err = repeat(n, func(i int) (err error) { answer, err = do(i); return err })
		if err == nil {
			err = b.bare.keep(answer)
		}
		if err == nil {
			bare, err = repeat(n, func(int) error { _, err := b.bare.ask([]byte(`{}`)); return err })
		}
		return ours, bare, answer, err
	}
	// A client may make 500 calls a minute, so there are several.
	logs := func(as string) func(i int) ([]byte, error) {
		args := []byte(`{"what":"logs","scope":"all","limit":100` + as + `}`)
		return func(i int) ([]byte, error) {
			return m.ask(
				"POST",
				"/tools/observe?uncut=1",
				args,
				http.Header{"X-Gasoline-Client": {as[:min(3, len(as))] + strconv.Itoa(i/400)}},
			)
		}
	}
	for _, form := range []struct{ what, as string }{{"text", ""}, {"JSON", `,"as":"json"`}} {
		ours, bare, answer, err := compare(3000, logs(form.as))
		if err != nil {
			return err
		}
		if n := bytes.Count(answer, []byte("[Checkout] order")); n < 100 {
			return fmt.Errorf("the answer holds %d of 100 entries: %.300s", n, answer)
		}
		what := fmt.Sprintf("observe logs of 100 entries, %s of %d KB", form.what, len(answer)>>10)
		b.table.add(
			row{
				id:    "B22",
				what:  what + ", median",
				value: ours.median(),
				unit:  "µs",
				peer:  "bare net/http with the same bytes",
				base:  bare.median(),
				most:  12,
			},
		)
		b.table.add(
			row{
				id:     "B22",
				what:   what + ", p99",
				value:  ours.at(0.99),
				unit:   "µs",
				budget: "≤ 1 ms",
				met:    ours.at(0.99) <= ms,
				peer:   "the same",
				base:   bare.at(0.99),
			},
		)
	}
	for _, e := range []struct {
		method, path string
		body         []byte
	}{{"GET", "/health", nil}, {"POST", "/logs", []byte(`{"entries":[{"level":"log","message":"one line"}]}`)},
		{"GET", "/completed", nil}} {
		ours, bare, _, err := compare(2000, func(int) ([]byte, error) { return m.ask(e.method, e.path, e.body, nil) })
		if err != nil {
			return err
		}
		b.table.add(
			row{
				id:     "B22",
				what:   e.method + " " + e.path + ", median",
				value:  ours.median(),
				unit:   "µs",
				budget: "< 0.5 ms",
				met:    ours.median() < 0.5*ms,
				peer:   "bare net/http",
				base:   bare.median(),
				most:   6,
			},
		)
	}
	return nil
}

// cursors measures that a page costs the same wherever it is.
func (b *bench) cursors() error {
	m, err := b.daemon()
	if err != nil {
		return err
	}
	defer m.stop()
	page := func(cursor string) (wire.Timeline, error) {
		var out wire.Timeline
		raw, err := m.ask("GET", "/buffers/timeline?kinds=log&limit=20&cursor="+cursor, nil, nil)
		if err == nil {
			err = json.Unmarshal(raw, &out)
		}
		return out, err
	}
	add := func(n int) error {
		body, at, err := console(n)
		if err != nil {
			return err
		}
		copy(body[at:], fmt.Sprintf("%08X", n))
		_, err = m.ask("POST", "/sync", body, nil)
		return err
	}
	places := []string{"beginning", "middle", "end"}
	var cursors []string
	for _, n := range []int{1, 480, 478, 40} { // 999 events: the ring's 1,000 hold them all
		if err := add(n); err != nil {
			return err
		}
		p, err := page("")
		if err != nil {
			return err
		}
		cursors = append(cursors, p.Cursor)
	}
	var first float64
	for i, place := range places {
		if p, err := page(cursors[i]); err != nil || len(p.Events) != 20 || p.Missed != 0 {
			return fmt.Errorf("page at the %s: %d events, %d missed, %w", place, len(p.Events), p.Missed, err)
		}
		ts, err := repeat(1500, func(int) error { _, err := page(cursors[i]); return err })
		if err != nil {
			return err
		}
		r := row{
			id:    "B22",
			what:  "page of 20 by cursor, at the " + place + " of 1,000, median",
			value: ts.median(),
			unit:  "µs",
		}
		if i == 0 {
			first = ts.median()
		} else {
			r.peer, r.base, r.most = "at the beginning", first, 2
		}
		b.table.add(r)
	}
	return nil
}

// commands measures the way to the browser and back with an extension that does nothing.
func (b *bench) commands() error {
	m, err := b.daemon()
	if err != nil {
		return err
	}
	defer m.stop()
	body, err := json.Marshal(
		wire.Sync{V: 1, Session: "s-bench", Version: "1", Settings: &wire.ExtensionSettings{Pilot: true},
			Tabs: []wire.Tab{
				{
					ID:      5,
					URL:     "http://localhost:3000/",
					Title:   "Shop",
					Active:  true,
					Focused: true,
					Granted: true,
					Status:  "complete",
				},
			}},
	)
	if err != nil {
		return err
	}
	if _, err := m.ask("POST", "/sync", body, nil); err != nil {
		return err
	}
	const calls = 2000
	failed := make(chan error, 1)
	go func() { failed <- m.extension(calls + calls/10) }()
	ts, err := repeat(calls, func(i int) error {
		_, err := m.ask(
			"POST",
			"/tools/interact",
			[]byte(`{"action":"get_text"}`),
			http.Header{"X-Gasoline-Client": {strconv.Itoa(i / 400)}},
		)
		return err
	})
	if err := errors.Join(err, <-failed); err != nil {
		return err
	}
	bare, err := repeat(calls, func(int) error { _, err := b.bare.ask([]byte(`{}`)); return err })
	if err != nil {
		return err
	}
	b.table.add(
		row{
			id:     "B23",
			what:   "command to the browser and back, median",
			value:  ts.median(),
			unit:   "µs",
			budget: "≤ 0.5 ms",
			met:    ts.median() <= 0.5*ms,
			peer:   "one exchange with bare net/http",
			base:   bare.median(),
			most:   15,
		},
	)
	b.table.add(
		row{
			id:     "B23",
			what:   "command to the browser and back, p99",
			value:  ts.at(0.99),
			unit:   "µs",
			budget: "≤ 25 ms",
			met:    ts.at(0.99) <= 25*ms,
			peer:   "the same",
			base:   bare.at(0.99),
		},
	)
	return nil
}

// extension polls and answers as the browser does, n times.
func (m *machine) extension(n int) error {
	ack := ""
	for done := 0; done < n; {
		raw, err := m.ask("GET", "/pending-queries?session=s-bench&wait=25&ack="+ack, nil, nil)
		if err != nil {
			return err
		}
		var poll wire.Poll
		if err := json.Unmarshal(raw, &poll); err != nil {
			return err
		}
		for _, c := range poll.Commands {
			ack = c.ID
			given := `{"id":"` + c.ID + `","session":"s-bench","status":"complete",` +
				`"result":{"value":"Total 5 EUR","url":"http://localhost:3000/"}}`
			if _, err := m.ask("POST", "/query-result", []byte(given), nil); err != nil {
				return err
			}
			done++
		}
	}
	return nil
}
