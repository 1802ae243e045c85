package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/wire"
)

// floods are uploads of every kind of event, as large as they may be, so that every ring runs full.
func floods() ([][]byte, error) {
	long := func(n int) string { return strings.Repeat("some text of a page that goes on ", n/33+1)[:n] }
	base := func(i int) wire.Base { return wire.Base{Seq: uint64(i + 1), T: 1763636400000 + float64(i)} }
	group := func(fill func(g *wire.Group, i int)) ([]byte, error) {
		g := wire.Group{Tab: 12, Document: "00000000E5F60718293A4B5C6D7E8F90", PageURL: "http://localhost:3000/"}
		for i := range 50 {
			fill(&g, i)
		}
		return json.Marshal(wire.Sync{V: 1, Session: "s-bench", Groups: []wire.Group{g}})
	}
	var out [][]byte
	for _, fill := range []func(g *wire.Group, i int){
		func(g *wire.Group, i int) {
			g.Logs = append(g.Logs, wire.Log{Base: base(i), Level: "log", Message: long(8000)})
		},
		func(g *wire.Group, i int) {
			g.Exceptions = append(g.Exceptions, wire.Exception{Base: base(i), Type: "TypeError", Message: long(6000)})
		},
		func(g *wire.Group, i int) {
			g.Network = append(g.Network, wire.Exchange{Base: base(i), Method: "GET",
				URL: "http://localhost:3000/api/" + long(1000), Status: 200, ResponseBody: long(16 << 10),
				RequestBody: long(16 << 10), ContentType: "text/plain"})
		},
		func(g *wire.Group, i int) {
			g.WebSocket = append(g.WebSocket, wire.Message{Base: base(i), Connection: fmt.Sprint(i),
				URL: "ws://localhost:3000/", Event: "message", Direction: "incoming", Data: long(8000)})
		},
		func(g *wire.Group, i int) {
			g.Actions = append(g.Actions, wire.Action{Base: base(i), Type: "click", Name: long(200), Text: long(1000)})
		},
		func(g *wire.Group, i int) {
			g.Waterfall = append(g.Waterfall, wire.ResourceTiming{Base: base(i), URL: "http://localhost:3000/" + long(1000)})
		},
		func(g *wire.Group, i int) {
			g.DOM = append(g.DOM, wire.DOM{Base: base(i), Type: "toast", Text: long(1000)})
		},
		func(g *wire.Group, i int) {
			g.ExtensionLogs = append(g.ExtensionLogs, wire.ExtensionLog{Base: base(i), Level: "info", Message: long(1000)})
		},
	} {
		body, err := group(fill)
		if err != nil {
			return nil, err
		}
		out = append(out, body)
	}
	return out, nil
}

// memory floods a daemon and watches that it stays within its budget and stops growing.
func (b *bench) memory() error {
	for _, budget := range []int{16, 200} {
		m, err := b.daemon("--memory", fmt.Sprintf("%dMB", budget))
		if err != nil {
			return err
		}
		err = b.drown(m, budget)
		m.stop()
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) drown(m *machine, budget int) error {
	bodies, err := floods()
	if err != nil {
		return err
	}
	at := make([]int, len(bodies))
	for i, body := range bodies {
		at[i] = strings.Index(string(body), "00000000E5F6")
	}
	pid, err := m.pid()
	if err != nil {
		return err
	}
	lasting := b.flood / 2
	var most, half, last, kept, limit float64
	events, n := 0, 0
	for start, look := time.Now(), time.Now(); time.Since(start) < lasting; {
		for i, body := range bodies {
			n++
			copy(body[at[i]:], fmt.Sprintf("%08X", n))
			if _, err := m.ask("POST", "/sync", body, nil); err != nil {
				return err
			}
			events += 50
		}
		if time.Since(look) < 200*time.Millisecond {
			continue
		}
		look = time.Now()
		now, err := rss(pid)
		if err != nil {
			return err
		}
		raw, err := m.ask("GET", "/health", nil, nil)
		if err != nil {
			return err
		}
		var h wire.Health
		if err := json.Unmarshal(raw, &h); err != nil {
			return err
		}
		kept, limit = max(kept, float64(h.Memory)/(1<<20)), float64(h.Budget)/(1<<20)
		if most = max(most, now); time.Since(start) < lasting/2 {
			half = max(half, now)
		} else {
			last = max(last, now)
		}
	}
	what := fmt.Sprintf("flood of every kind for %v at --memory %dMB: ", lasting, budget)
	allowed := float64(budget) + 60
	b.table.add(
		row{
			id:     "B24",
			what:   what + fmt.Sprintf("events held, most, of %d sent", events),
			value:  kept,
			unit:   "MB",
			budget: fmt.Sprintf("≤ %s MB", number(limit)),
			met:    kept <= limit && limit <= float64(budget),
			limit:  float64(budget),
		},
	)
	b.table.add(
		row{
			id:     "B11",
			what:   what + "resident, most",
			value:  most,
			unit:   "MB",
			budget: fmt.Sprintf("≤ %.0f MB", allowed),
			met:    most <= allowed,
			limit:  allowed,
		},
	)
	b.table.add(
		row{
			id:    "B24",
			what:  what + "most of the second half",
			value: last,
			unit:  "MB",
			peer:  "most of the first half, MB",
			base:  half,
			most:  1.25,
		},
	)
	return nil
}
