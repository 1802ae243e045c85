package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/wire"
)

// busyPage is what a page with a tab does before it fails, n times: requests, timings and lines. Its document's name
// begins with eight zeros, to be overwritten.
func busyPage(n int) wire.Group {
	g := wire.Group{
		Tab:      5,
		Document: "00000000E5F60718293A4B5C6D7E8F90",
		PageURL:  "http://localhost:3000/",
		Since:    "document_start",
	}
	seq := uint64(0)
	base := func(at float64) wire.Base {
		seq++
		return wire.Base{Seq: seq, T: 1763632800000 + at}
	}
	for i := range n {
		at := float64(100 * i)
		url := fmt.Sprintf("http://localhost:3000/api/orders/%d", i)
		g.Network = append(g.Network, wire.Exchange{
			Base: base(
				at,
			), Method: "GET", URL: url, Status: 200, Duration: 12, Outcome: "ok",
			ResponseBody: strings.Repeat("text ", 180), ContentType: "text/plain",
		})
		g.Waterfall = append(
			g.Waterfall,
			wire.ResourceTiming{Base: base(at), URL: url, InitiatorType: "fetch", Duration: 12, Status: 200},
		)
		for j := range 4 {
			g.Logs = append(
				g.Logs,
				wire.Log{
					Base:    base(at + float64(j)),
					Level:   "log",
					Message: fmt.Sprintf("tick %d of %d, all is well and nothing has to be done", j, i),
				},
			)
		}
	}
	return g
}

// failing adds n errors to a page, each with a request that failed before it; every fourth came after a click.
func failing(g *wire.Group, first, n int) {
	for i := range n {
		at := 1763636400000 + float64(500*(first+i))
		base := wire.Base{Seq: uint64(1_000_000 + 10*i), T: at}
		if i%4 == 0 {
			g.Actions = append(
				g.Actions,
				wire.Action{Base: base, Type: "click", By: "user", Role: "button", Name: "Pay now"},
			)
		}
		base.Seq, base.T = base.Seq+1, at+80
		g.Network = append(g.Network, wire.Exchange{
			Base: base, Method: "POST", URL: "http://localhost:3000/api/pay", Status: 500, Duration: 70,
			Outcome: "http_error", ResponseBody: `{"error":"no such order"}`,
		})
		base.Seq, base.T = base.Seq+1, at+85
		g.Logs = append(
			g.Logs,
			wire.Log{
				Base:    base,
				Level:   "warn",
				Message: fmt.Sprintf("payment of order %d did not go through", first+i),
			},
		)
		base.Seq, base.T = base.Seq+1, at+90
		g.Exceptions = append(g.Exceptions, wire.Exception{
			Base: base, Type: "TypeError", Message: fmt.Sprintf("order %d has no total", first+i),
			Mechanism: "onerror", URL: "http://localhost:3000/app.js", Line: 10,
			Stack: []wire.StackFrame{{Function: "pay", URL: "http://localhost:3000/app.js", Line: 10, Column: 7}},
		})
	}
}

// full sends a page to a daemon until its rings are full, each time as another document. It returns what sends further
// pages.
func (m *machine) full(page wire.Group) (func(wire.Group) error, error) {
	sent := 0
	send := func(g wire.Group) error {
		sent++
		g.Document = fmt.Sprintf("%08X", sent) + g.Document[8:]
		body, err := json.Marshal(wire.Sync{V: 1, Session: "s-bench", Groups: []wire.Group{g}, Tabs: []wire.Tab{
			{
				ID:      5,
				URL:     "http://localhost:3000/",
				Title:   "Shop",
				Active:  true,
				Focused: true,
				Granted: true,
				Status:  "complete",
			},
		}})
		if err != nil {
			return err
		}
		_, err = m.ask("POST", "/sync", body, nil)
		return err
	}
	for {
		for range 20 {
			if err := send(page); err != nil {
				return nil, err
			}
		}
		raw, err := m.ask("GET", "/health", nil, nil)
		if err != nil {
			return nil, err
		}
		var h wire.Health
		if err := json.Unmarshal(raw, &h); err != nil {
			return nil, err
		}
		if h.Budget == 0 || sent > 5000 {
			return nil, fmt.Errorf("the rings do not fill: %d of %d bytes after %d uploads", h.Memory, h.Budget, sent)
		}
		if h.Memory >= h.Budget*8/10 {
			return send, nil
		}
	}
}

// bundles measures error_bundles over 500 errors, on rings that are full.
func (b *bench) bundles() error {
	const errors, upload, rounds = 500, 300, 200
	m, err := b.daemon()
	if err != nil {
		return err
	}
	defer m.stop()
	send, err := m.full(busyPage(upload))
	if err != nil {
		return err
	}
	for first := 0; first < errors; first += 50 {
		g := busyPage(50)
		failing(&g, first, 50)
		if err := send(g); err != nil {
			return err
		}
	}
	go m.extension(math.MaxInt) // the browser is asked for what its pages hold back, until the daemon ends
	for f, form := range []struct{ what, args string }{
		{"as a cold agent asks", ``}, {"limit 500, text", `,"limit":500`}, {"limit 500, JSON", `,"limit":500,"as":"json"`},
	} {
		args := []byte(`{"what":"error_bundles","scope":"all"` + form.args + `}`)
		var answer []byte
		ts, err := repeat(rounds, func(int) (err error) {
			answer, err = m.ask(
				"POST",
				"/tools/observe",
				args,
				http.Header{"X-Gasoline-Client": {"bundles-" + strconv.Itoa(f)}},
			)
			return err
		})
		if err != nil {
			return err
		}
		if !bytes.Contains(answer, []byte("order 499 has no total")) {
			return fmt.Errorf("the newest error is not in the answer: %.400s", answer)
		}
		what := fmt.Sprintf("error_bundles of %d errors on full rings, %s", errors, form.what)
		b.table.add(
			row{
				id:     "B22",
				what:   what + ", median",
				value:  ts.median() / ms,
				unit:   "ms",
				budget: "≤ 20 ms",
				met:    ts.median() <= 20*ms,
			},
		)
		b.table.add(row{id: "B22", what: what + ", p99", value: ts.at(0.99) / ms, unit: "ms"})
	}
	return nil
}
