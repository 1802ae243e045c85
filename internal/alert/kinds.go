package alert

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
)

// Events are the kinds of alerts that something makes.
var Events = []string{"errors", "network_errors", "performance", "user_frustration", "security", "regression"}

// Unmade are the kinds that nothing makes, each with the reason and what to use instead.
var Unmade = map[string]string{
	"anomaly": "nothing here judges what is unusual; regression compares a page's load with the one before",
	"ci":      "no test run tells its result to the daemon; errors of its pages and services come as errors",
}

// severities are the words for how bad an alert is, as MCP's logging has them, from the least.
var severities = []string{"info", "warning", "error", "critical"}

// rank is the place of a severity in severities.
func rank(severity string) int {
	for i, s := range severities {
		if s == severity {
			return i
		}
	}
	return 0
}

// read are the kinds of events that alerts are made of.
var read = []event.Kind{event.KindException, event.KindLog, event.KindExchange, event.KindPerformance, event.KindAction}

// Bounds of what a judge remembers, and what it goes by.
const (
	maxRemembered = 500         // documents, pages and tabs, each
	rageClicks    = 3           // clicks on one element
	rageWithin    = time.Second // of each other, the first to the last
	slower        = 1.5         // times the load before
	slowerBy      = 500.0       // milliseconds at least
)

// judge makes alerts of events. It remembers what several events together tell. Not safe for concurrent use.
type judge struct {
	poor   memory[struct{}] // vitals of documents that were told
	loaded memory[struct{}] // documents whose load was compared
	loads  memory[float64]  // milliseconds that a page took last, by its address without query
	clicks memory[clicked]  // by session and tab
}

// clicked is a row of clicks on one element.
type clicked struct {
	target string
	first  time.Time
	count  int
}

// of returns the alerts that an event makes, without their times; most make none.
func (j *judge) of(it query.Item) []occurrence {
	switch e := it.Event.(type) {
	case *event.Exception:
		if e.Mechanism == "csp" {
			return []occurrence{{Event: "security", Severity: "error", Text: e.Summary()}}
		}
		return []occurrence{{Event: "errors", Severity: "error", Text: e.Summary()}}
	case *event.Log:
		severity := event.Severity(e) // of a witness: less than an error's, since the error itself is told
		if severity < event.SeverityError {
			return nil
		}
		word := "error"
		if severity >= event.SeverityFatal {
			word = "critical"
		}
		return []occurrence{{Event: "errors", Severity: word, Text: e.Summary()}}
	case *event.Exchange:
		if !e.Failed() {
			return nil
		}
		word := "error"
		if e.Status >= 400 && e.Status < 500 || e.Outcome == "blocked" {
			word = "warning"
		}
		return []occurrence{{Event: "network_errors", Severity: word, Text: e.Summary()}}
	case *event.Performance:
		return append(j.vitals(e), j.load(e)...)
	case *event.Action:
		return j.click(e)
	}
	return nil
}

// vitals tells, once for each document, the vitals that are rated poor.
func (j *judge) vitals(e *event.Performance) (out []occurrence) {
	for _, v := range []struct {
		name  string
		vital event.Vital
	}{{"LCP", e.LCP}, {"CLS", e.CLS}, {"INP", e.INP}, {"FCP", e.FCP}, {"TTFB", e.TTFB}} {
		if v.vital.Rating != "poor" {
			continue
		}
		if _, told := j.poor.put(e.Session+" "+e.Document+" "+v.name, struct{}{}); told {
			continue
		}
		value := fmt.Sprintf("%.0f ms", v.vital.Value)
		if v.name == "CLS" {
			value = fmt.Sprintf("%.2f", v.vital.Value)
		}
		out = append(out, occurrence{Event: "performance", Severity: "warning", Text: fmt.Sprintf("%s is poor: %s, %s", v.name, value, e.URL)})
	}
	return out
}

// load compares how long a document took with the one before it at the same address.
func (j *judge) load(e *event.Performance) []occurrence {
	if e.Load <= 0 || e.Soft || math.IsInf(e.Load, 0) {
		return nil
	}
	if _, known := j.loaded.put(e.Session+" "+e.Document, struct{}{}); known {
		return nil
	}
	address, _, _ := strings.Cut(store.Page(e.URL), "?")
	before, known := j.loads.put(address, e.Load)
	if !known || e.Load < before*slower || e.Load-before < slowerBy {
		return nil
	}
	return []occurrence{{
		Event: "regression", Severity: "warning",
		Text: fmt.Sprintf("the page loaded in %.0f ms, and in %.0f ms before: %s", e.Load, before, address),
	}}
}

// click tells of a user who clicks the same element again and again.
func (j *judge) click(e *event.Action) []occurrence {
	if e.By != "user" || e.Type != "click" {
		return nil
	}
	target := e.Role + " " + e.Name
	if len(e.Locators) > 0 {
		target = e.Locators[0].Kind + " " + e.Locators[0].Value
	}
	key := fmt.Sprintf("%s %d", e.Session, e.Tab)
	row := clicked{target: target, first: e.Time, count: 1}
	if last, known := j.clicks.get(key); known && last.target == target && e.Time.Sub(last.first) <= rageWithin {
		row.first, row.count = last.first, last.count+1
	}
	j.clicks.put(key, row)
	if row.count != rageClicks {
		return nil
	}
	return []occurrence{{
		Event: "user_frustration", Severity: "warning",
		Text: fmt.Sprintf("%d clicks within %v: %s", rageClicks, rageWithin, e.Summary()),
	}}
}

// memory holds the newest maxRemembered values by key. The zero value is empty.
type memory[V any] struct {
	values map[string]V
	order  []string // oldest first
}

func (m *memory[V]) get(key string) (V, bool) {
	v, ok := m.values[key]
	return v, ok
}

// put sets a value and returns the one before it.
func (m *memory[V]) put(key string, value V) (before V, known bool) {
	if m.values == nil {
		m.values = map[string]V{}
	}
	if before, known = m.values[key]; !known {
		if len(m.order) == maxRemembered {
			delete(m.values, m.order[0])
			m.order = m.order[1:]
		}
		key = strings.Clone(key)
		m.order = append(m.order, key)
	}
	m.values[key] = value
	return before, known
}
