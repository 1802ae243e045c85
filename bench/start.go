package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

const ms = 1000.0 // microseconds

// size measures what a download and a client's context pay.
func (b *bench) size() error {
	st, err := os.Stat(b.program)
	if err != nil {
		return err
	}
	mb := float64(st.Size()) / (1 << 20)
	b.table.add(
		row{id: "", what: "program, stripped", value: mb, unit: "MB", budget: "≤ 25 MB", met: mb <= 25, limit: 25},
	)
	m, err := b.daemon()
	if err != nil {
		return err
	}
	defer m.stop()
	c, err := m.bridge()
	if err != nil {
		return err
	}
	if err := c.initialize(); err != nil {
		return err
	}
	line, err := c.call(2, "tools/list", `{}`)
	if err != nil {
		return err
	}
	var answer struct {
		Result struct {
			Tools []json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return err
	}
	n := float64(len(line))
	b.table.add(
		row{
			id:     "B1",
			what:   fmt.Sprintf("tools/list, %d tools", len(answer.Result.Tools)),
			value:  n,
			unit:   "bytes",
			budget: "≤ 14 KB",
			met:    n <= 14<<10,
			limit:  14 << 10,
		},
	)
	return c.close()
}

// start measures from the spawn of a client's server to its first answers.
func (b *bench) start() error {
	const rounds = 21
	bare, err := repeat(rounds, func(int) error { return (&machine{b: b}).command("version").Run() })
	if err != nil {
		return err
	}
	var cold, coldTool, warm times
	for range rounds {
		m, err := b.machine()
		if err != nil {
			return err
		}
		initialized, answered, err := m.firstAnswer()
		if err != nil {
			return err
		}
		again, _, err := m.firstAnswer()
		if err != nil {
			return err
		}
		m.stop()
		cold, coldTool, warm = append(cold, initialized), append(coldTool, answered), append(warm, again)
	}
	const peer = "the program's version command, ms"
	base := bare.median() / ms
	b.table.add(
		row{
			id:     "B10",
			what:   "spawn → initialize answered, daemon cold, median",
			value:  cold.median() / ms,
			unit:   "ms",
			budget: "≤ 25 ms",
			met:    cold.median() <= 25*ms,
			peer:   peer,
			base:   base,
			most:   12,
		},
	)
	b.table.add(
		row{
			id:     "B10",
			what:   "spawn → first tool answer, daemon cold, median",
			value:  coldTool.median() / ms,
			unit:   "ms",
			budget: "≤ 12 ms",
			met:    coldTool.median() <= 12*ms,
			peer:   peer,
			base:   base,
			most:   15,
		},
	)
	b.table.add(
		row{
			id:    "B10",
			what:  "spawn → initialize answered, daemon warm, median",
			value: warm.median() / ms,
			unit:  "ms",
			peer:  peer,
			base:  base,
			most:  8,
		},
	)
	return nil
}

func (m *machine) firstAnswer() (initialized, answered time.Duration, err error) {
	start := time.Now()
	c, err := m.bridge()
	if err != nil {
		return 0, 0, err
	}
	if err := c.initialize(); err != nil {
		return 0, 0, err
	}
	initialized = time.Since(start)
	if _, err := c.call(2, "tools/call", `{"name":"configure","arguments":{"action":"health"}}`); err != nil {
		return 0, 0, err
	}
	answered = time.Since(start)
	return initialized, answered, c.close()
}

// idle measures a daemon that nobody uses.
func (b *bench) idle() error {
	m, err := b.daemon()
	if err != nil {
		return err
	}
	defer m.stop()
	pid, err := m.pid()
	if err != nil {
		return err
	}
	before, err := cpu(pid)
	if err != nil {
		return err
	}
	const watched = 4 * time.Second
	time.Sleep(watched)
	after, err := cpu(pid)
	if err != nil {
		return err
	}
	mb, err := rss(pid)
	if err != nil {
		return err
	}
	percent := 100 * float64(after-before) / float64(watched)
	b.table.add(
		row{
			id:     "B11",
			what:   "idle daemon, resident",
			value:  mb,
			unit:   "MB",
			budget: "≤ 16 MB",
			met:    mb <= 16,
			limit:  30,
		},
	)
	b.table.add(
		row{
			id:     "B11",
			what:   "idle daemon, processor",
			value:  percent,
			unit:   "%",
			budget: "< 0.5 %",
			met:    percent < 0.5,
		},
	)
	return nil
}

// clients measures five agents at once: nobody may see another's answer.
func (b *bench) clients() error {
	const clients, calls = 5, 200
	m, err := b.daemon()
	if err != nil {
		return err
	}
	defer m.stop()
	for c := range clients {
		var body bytes.Buffer
		body.WriteString(`{"entries":[`)
		for i := range calls {
			if i > 0 {
				body.WriteByte(',')
			}
			fmt.Fprintf(&body, `{"level":"log","message":"marker-%d-%d-end"}`, c, i)
		}
		body.WriteString(`]}`)
		if _, err := m.ask("POST", "/logs", body.Bytes(), nil); err != nil {
			return err
		}
	}
	pid, err := m.pid()
	if err != nil {
		return err
	}
	before, err := rss(pid)
	if err != nil {
		return err
	}
	type outcome struct {
		took  times
		cross int
		rss   float64
		err   error
	}
	done := make(chan outcome)
	for c := range clients {
		go func() {
			var o outcome
			defer func() { done <- o }()
			agent, err := m.bridge()
			if err != nil {
				o.err = err
				return
			}
			if o.err = agent.initialize(); o.err != nil {
				return
			}
			for i := range calls {
				start := time.Now()
				line, err := agent.call(
					10+i,
					"tools/call",
					fmt.Sprintf(
						`{"name":"observe","arguments":{"what":"logs","scope":"all","text":"marker-%d-%d-end"}}`,
						c,
						i,
					),
				)
				if err != nil {
					o.err = err
					return
				}
				o.took = append(o.took, time.Since(start))
				if !bytes.Contains(line, fmt.Appendf(nil, "marker-%d-%d-end", c, i)) ||
					bytes.Count(
						line,
						[]byte("marker-"),
					) != bytes.Count(
						line,
						fmt.Appendf(nil, "marker-%d-%d-end", c, i),
					) {
					o.cross++
				}
			}
			if o.rss, o.err = rss(agent.cmd.Process.Pid); o.err == nil {
				o.err = agent.close()
			}
		}()
	}
	var all times
	cross, bridges := 0, 0.0
	var failed error
	for range clients {
		o := <-done
		if o.err != nil {
			failed = o.err
		}
		all, cross, bridges = append(all, o.took...), cross+o.cross, bridges+o.rss
	}
	if failed != nil {
		return failed
	}
	after, err := rss(pid)
	if err != nil {
		return err
	}
	b.table.add(
		row{
			id:     "B17",
			what:   "5 clients × 200 calls: answers of others",
			value:  float64(cross),
			unit:   "",
			budget: "0",
			met:    cross == 0,
			limit:  0.5,
		},
	)
	b.table.add(
		row{
			id:     "B17",
			what:   "the same: growth of the daemon per client",
			value:  max(0, after-before) / clients,
			unit:   "MB",
			budget: "≤ 8 MB",
			met:    (after-before)/clients <= 8,
		},
	)
	b.table.add(
		row{
			id:    "B17",
			what:  "the same: resident per bridge, shared text included",
			value: bridges / clients,
			unit:  "MB",
		},
	)
	b.table.add(row{id: "B17", what: "the same: a call through the bridge, median", value: all.median(), unit: "µs"})
	return nil
}
