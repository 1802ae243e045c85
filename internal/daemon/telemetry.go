package daemon

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/brennhill/gasoline/internal/bug"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/tools/configure"
)

// footer is what stands below an answer: what else happened since the client's last one, and the alerts that it asked for.
func (d *parts) footer(call catalog.Call) string {
	return strings.Trim(d.beside(call)+"\n"+d.alerts.Delta(call.Client), "\n")
}

// beside is the line below an answer that tells a client what else happened since its last one. In
// mode auto it speaks only of errors and failed requests, in full of everything, and never of what lists leave out as noise. It says what it could not count: what
// was evicted, and what is behind the events that one call looks at; the next call goes on there.
func (d *parts) beside(call catalog.Call) string {
	mode := d.registry.Telemetry(call.Client)
	if mode == "off" || call.Sessionless {
		return ""
	}
	const key = "telemetry"
	cursor := query.Cursor(d.registry.Position(call.Client, key))
	call.Hidden = &catalog.Hidden{}
	kinds := []event.Kind{event.KindException, event.KindLog, event.KindExchange, event.KindMark}
	if mode == "full" {
		kinds = nil
	}
	counts := map[string]int{}
	list, cover, err := query.Timeline(
		context.Background(),
		d.noise.Reader(call, d.reader),
		kinds,
		query.Filter{},
		query.Page{Cursor: cursor, Limit: 1000},
		func(it query.Item) bool {
			switch e := it.Event.(type) {
			case *event.Exception:
				counts["errors"]++
			case *event.Log:
				if e.Level == "error" {
					counts["console errors"]++
				} else if mode == "full" {
					counts["log lines"]++
				}
			case *event.Exchange:
				if e.Failed() {
					counts["failed requests"]++
				} else if mode == "full" {
					counts["requests"]++
				}
			case *event.Mark:
				switch e.Type {
				case "user":
					counts[markedBugs]++
				case "annotation":
					counts[annotations]++
				case "annotations_end":
					counts[endedDrawings]++
				}
			default:
				counts[it.Kind.String()+" events"]++
			}
			return false // only counted
		},
	)
	if err != nil {
		d.cfg.Log.Debug("count what is new", "error", err.Error())
		return ""
	}
	d.registry.SetPosition(call.Client, key, string(list.Cursor))
	if cursor == "" || len(counts) == 0 && list.Missed == 0 && cover.Exhausted {
		return "" // the first answer has nothing to compare with
	}
	var words []string
	for _, w := range []string{markedBugs, annotations, endedDrawings, "errors", "console errors", "failed requests", "requests", "log lines"} {
		if n := counts[w]; n > 0 {
			words = append(words, plural(n, w))
			delete(counts, w)
			if w == markedBugs || w == annotations || w == endedDrawings {
				words[len(words)-1] += " (observe inbox)"
			}
		}
	}
	for _, k := range event.Kinds() {
		if n := counts[k.String()+" events"]; n > 0 {
			words = append(words, plural(n, k.String()+" events"))
		}
	}
	if !cover.Exhausted {
		words = append(words, fmt.Sprintf("more that was not looked at yet (behind the first %d)", cover.Looked))
	}
	if list.Missed > 0 {
		upTo := ""
		if list.MissedIsUpper {
			upTo = "up to "
		}
		words = append(words, fmt.Sprintf("%s%d evicted uncounted", upTo, list.Missed))
	}
	return "new since your last call: " + strings.Join(words, ", ")
}

// What the user showed to agents: bugs by a key, and drawings.
const (
	markedBugs    = "marked bugs"
	annotations   = "annotations of the user"
	endedDrawings = "drawings that came to nothing"
)

// plural is "1 error" or "2 errors"; words come in the plural.
func plural(n int, words string) string {
	if n == 1 {
		switch words {
		case annotations:
			return "1 annotation of the user"
		case endedDrawings:
			return "1 drawing that came to nothing"
		}
		words = strings.TrimSuffix(words, "s")
	}
	return fmt.Sprintf("%d %s", n, words)
}

// self is what the tool configure knows of the daemon.
func (d *parts) self() configure.Daemon {
	return configure.Daemon{
		Version: d.cfg.Version, Run: d.run, PID: d.pid, Port: d.cfg.Port, StateDir: d.cfg.StateDir,
		Started: d.started, Spawned: d.cfg.Spawned, Parent: os.Getppid(),
		Limits: func() configure.Limits {
			s := d.ingest.State()
			return configure.Limits{
				Rate:      s.Rate,
				Threshold: s.Threshold,
				Open:      s.Open,
				Reason:    s.Reason,
				Refused:   s.Total429s,
			}
		},
		Audit: &d.audit,
		State: d.faults, Ports: func() []configure.Finding { return d.taken },
		Clear:   d.clear,
		Tools:   d.tools,
		Restart: func() { d.stop(errRestarted) },
		Faults: func() (panics, bugs, refused int64) {
			c := d.api.Counts()
			return c.Panics, bug.Count(), c.Refused
		},
		Loss: func() (lost uint64) {
			for _, l := range d.ingest.Losses() {
				lost += l.Count
			}
			return lost
		},
		RefusedUploads: d.api.RefusedUploads,
		Sources:        d.sourceLines,
		Redact:         d.redact.Text,
		Security: configure.Security{
			Open: func(_ context.Context, url string) (configure.Insecure, error) {
				return d.insecure.open(d.serving, url)
			},
			Close: d.insecure.close, Now: d.insecure.now,
		},
		Hears: func(client string) (ways configure.Ways, ok bool) {
			ways.Subscribed, ways.Log, ok = d.mcp.Hears(client)
			return ways, ok
		},
	}
}
