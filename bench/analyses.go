package main

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/tools/analyze"
	"github.com/brennhill/gasoline/internal/wire"
)

// usedPage is what a page of an app with an API, third parties and errors does while somebody uses it, n steps long.
func usedPage(n int) wire.Group {
	g := busyPage(n)
	body := `{"total":3,"items":[` + strings.Repeat(`{"sku":"mug","n":1,"price":12.5},`, 20) + `{"sku":"last","n":2}]}`
	headers := []wire.Header{{Name: "set-cookie", Value: "sid=1; Path=/"}, {Name: "access-control-allow-origin", Value: "*"}}
	for i := range n {
		base := wire.Base{Seq: uint64(2_000_000 + 10*i), T: 1763632800000 + float64(100*i)}
		next := func() wire.Base { base.Seq++; return base }
		g.Network = append(g.Network,
			wire.Exchange{
				Base: next(), Method: "POST", URL: fmt.Sprintf("http://localhost:3000/api/area%d/orders/%d", i%40, i), Status: 200, Duration: 12,
				Outcome: "ok", RequestBody: body, ResponseBody: body, ContentType: "application/json", ResponseHeaders: headers,
			},
			wire.Exchange{
				Base: next(), Method: "GET", URL: fmt.Sprintf("https://stats%d.example/collect?id=%d", i%100, i), Status: 200, Duration: 12,
				Outcome: "ok", Initiator: wire.Initiator{Type: "fetch"}, ResponseHeaders: headers,
			})
		g.Waterfall = append(g.Waterfall, wire.ResourceTiming{
			Base: next(), URL: fmt.Sprintf("https://cdn%d.example/app.js", i%100), InitiatorType: "script", Duration: 600, Status: 200,
		})
		g.Actions = append(g.Actions, wire.Action{Base: next(), Type: "click", By: "user", Role: "button", Name: fmt.Sprint("Go ", i%7)})
		g.Lifecycle = append(g.Lifecycle, wire.Lifecycle{
			Base: next(), State: "navigate", Trigger: "push", ToURL: fmt.Sprintf("http://localhost:3000/area%d/orders/%d", i%40, i),
		})
	}
	failing(&g, 0, n/10)
	good := &wire.Vital{Value: 1200, Rating: "good", Final: true}
	g.Performance = append(g.Performance, wire.Performance{
		Base: wire.Base{Seq: 9_000_000, T: 1763636400000}, URL: g.PageURL, Load: 900, LCP: good, INP: good, FCP: good, TTFB: good,
	})
	return g
}

// analyses measures every mode of analyze that asks no page, on rings that are full.
func (b *bench) analyses() error {
	const rounds = 40
	m, err := b.daemon()
	if err != nil {
		return err
	}
	defer m.stop()
	if _, err := m.full(usedPage(200)); err != nil {
		return err
	}
	go m.extension(math.MaxInt) // the browser is asked for what its pages hold back, until the daemon ends
	tool := catalog.Bind(analyze.Tool, func(catalog.Call) analyze.Env { return analyze.Env{} }, nil)
	for _, mode := range tool.Modes() {
		// What needs the extension asks a page, one asks servers, two are about a single drawing, and one reads a project's files.
		if mode.Needs != 0 || slices.Contains([]string{"link_validation", "annotation_detail", "draw_session", "visual_baselines", "help"}, mode.Name) {
			continue
		}
		args := []byte(`{"what":"` + mode.Name + `","scope":"all"}`)
		if strings.HasPrefix(mode.Name, "draw_") {
			args = []byte(`{"what":"` + mode.Name + `"}`)
		}
		var answer []byte
		ts, err := repeat(rounds, func(int) (err error) {
			answer, err = m.ask("POST", "/tools/analyze", args, http.Header{"X-Gasoline-Client": {mode.Name}})
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", mode.Name, err)
		}
		what := fmt.Sprintf("analyze %s on full rings, %d bytes", mode.Name, len(bytes.TrimSpace(answer)))
		b.table.add(row{
			id: "B22", what: what + ", median", value: ts.median() / ms, unit: "ms", budget: "≤ 20 ms", met: ts.median() <= 20*ms,
		})
		b.table.add(row{id: "B22", what: what + ", p99", value: ts.at(0.99) / ms, unit: "ms"})
	}
	return nil
}
