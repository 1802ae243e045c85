package collector_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// made is a span of a trace that the test makes. Its times are whole microseconds, as Jaeger's old interface gives them.
type made struct {
	id, parent string
	service    int
	name       string
	start, end int64 // µs since 1970, by the true time
	failed     bool
}

// making says what is odd about a trace.
type making struct {
	spans      int
	services   int
	duplicates bool
	missing    bool // some spans never come
	skewed     bool // each service's machine has a clock of its own
}

// simulated is a trace with what is odd about it.
type simulated struct {
	making
	id    string
	spans []made
	skew  []int64 // by service, µs
	gone  map[string]bool
}

// simulate makes a tree whose children lie within their parents, as the calls of services do.
func simulate(r *rand.Rand, n int, m making) *simulated {
	s := &simulated{making: m, id: fmt.Sprintf("%032x", 0xabc000+n), gone: map[string]bool{}}
	for i := range m.services {
		skew := int64(0)
		if m.skewed && i > 0 { // the first one's is the daemon's
			skew = r.Int64N(600e6) - 300e6
		}
		s.skew = append(s.skew, skew)
	}
	begin := time.Now().Add(-time.Minute).UnixMicro()
	s.spans = []made{{id: fmt.Sprintf("%08x%08x", n+1, 1), name: "op-0", start: begin, end: begin + 20e6}}
	room := map[string]int64{s.spans[0].id: begin} // from when on a span has nothing inside
	for i := 1; i < m.spans; i++ {
		var p made
		for { // one with room for another
			p = s.spans[r.IntN(len(s.spans))]
			if p.end-room[p.id] > 2000 || p.id == s.spans[0].id {
				break
			}
		}
		start := room[p.id] + 1 + r.Int64N(max(1, (p.end-room[p.id])/20))
		end := start + 1 + r.Int64N(max(1, (p.end-start)/2))
		room[p.id] = start + 1 + (end-start)/3 // siblings may overlap
		child := made{
			id: fmt.Sprintf("%08x%08x", n+1, i+1), parent: p.id, service: p.service, name: fmt.Sprint("op-", i), start: start, end: end,
			failed: r.IntN(9) == 0,
		}
		if r.IntN(3) == 0 {
			child.service = r.IntN(m.services)
		}
		room[child.id] = start
		s.spans = append(s.spans, child)
		if m.missing && i < m.spans-1 && r.IntN(8) == 0 {
			s.gone[child.id] = true
		}
	}
	return s
}

func (s *simulated) service(n int) string { return fmt.Sprintf("%s-%d", s.id[26:], n) }

// requests writes the spans in a random order as requests of a few spans each, some of them twice.
func (s *simulated) requests(r *rand.Rand) (out []string) {
	var all []made
	for _, m := range s.spans {
		if s.gone[m.id] {
			continue
		}
		all = append(all, m)
		if s.duplicates && r.IntN(4) == 0 {
			all = append(all, m)
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for part := range slices.Chunk(all, 1+len(all)/4) {
		var resources []string
		for _, m := range part {
			status, host := "", ""
			if m.failed {
				status = `,"status":{"code":2}`
			}
			if s.skewed && m.service > 0 {
				host = "," + pair("host.name", fmt.Sprint("host-", s.service(m.service)))
			}
			kind := "1"
			if i := slices.IndexFunc(s.spans, func(p made) bool { return p.id == m.parent }); i < 0 || s.spans[i].service != m.service {
				kind = "2"
			}
			ns := func(us int64) string { return fmt.Sprint((us + s.skew[m.service]) * 1000) }
			resources = append(resources, `{"resource":{"attributes":[`+pair("service.name", s.service(m.service))+host+
				`]},"scopeSpans":[{"spans":[{"traceId":"`+s.id+`","spanId":"`+m.id+`","parentSpanId":"`+m.parent+`","name":"`+m.name+
				`","kind":`+kind+`,"startTimeUnixNano":"`+ns(m.start)+`","endTimeUnixNano":"`+ns(m.end)+`"`+status+`}]}]}`)
		}
		out = append(out, `{"resourceSpans":[`+strings.Join(resources, ",")+`]}`)
	}
	return out
}

// known is what a server tells of a trace: each span with its parent, and each parent's children in order.
type known struct {
	spans    map[string]string // id → parent, service, name, µs, failed
	children map[string][]string
}

func (k *known) add(id, parent, service, name string, us int64, failed bool) {
	k.spans[id] = fmt.Sprintf("below %q: %s %s %d µs failed=%t", parent, service, name, us, failed)
	k.children[parent] = append(k.children[parent], id)
}

// jaegerSpan is one as Jaeger's pages read it.
type jaegerSpan struct {
	ID         string `json:"spanID"`
	Name       string `json:"operationName"`
	References []struct {
		Type string `json:"refType"`
		ID   string `json:"spanID"`
	} `json:"references"`
	Start    int64  `json:"startTime"`
	Duration int64  `json:"duration"`
	Process  string `json:"processID"`
	Tags     []struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	} `json:"tags"`
}

// byJaeger asks the interface that Jaeger's pages use: spans come once each, parents as references.
func byJaeger(t *testing.T, j store, id string) known {
	t.Helper()
	var out struct {
		Data []struct {
			Spans     []jaegerSpan `json:"spans"`
			Processes map[string]struct {
				Service string `json:"serviceName"`
			} `json:"processes"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(ask(t, j.query+"/api/traces/"+id)), &out); err != nil || len(out.Data) != 1 {
		t.Fatalf("%v: %d traces", err, len(out.Data))
	}
	k := known{map[string]string{}, map[string][]string{}}
	spans := out.Data[0].Spans
	slices.SortStableFunc(spans, func(a, b jaegerSpan) int {
		return cmp.Compare(a.Start, b.Start)
	})
	for _, s := range spans {
		parent, failed := "", false
		for _, ref := range s.References {
			if ref.Type == "CHILD_OF" {
				parent = ref.ID
			}
		}
		for _, tag := range s.Tags {
			failed = failed || tag.Key == "error" && tag.Value == true
		}
		if _, twice := k.spans[s.ID]; twice {
			t.Errorf("Jaeger gives %s twice", s.ID)
		}
		k.add(s.ID, parent, out.Data[0].Processes[s.Process].Service, s.Name, s.Duration, failed)
	}
	return k
}

// byDaemon reads GET /trace/{id}.
func byDaemon(t *testing.T, d *daemon, id string) (known, tree) {
	t.Helper()
	of, ok := d.trace(id)
	if !ok {
		t.Fatalf("the daemon does not know %s", id)
	}
	k := known{map[string]string{}, map[string][]string{}}
	var above []node
	for _, n := range of.Nodes {
		above = append(above[:n.Depth], n)
		if n.Times > 1 || n.Note != "" {
			t.Errorf("%s is %d times there: %s", n.Summary, n.Times, n.Note)
		}
		if n.Kind == "missing" {
			continue
		}
		parent := ""
		if n.Depth > 0 {
			parent = above[n.Depth-1].SpanID
		}
		words := strings.Fields(n.Summary)
		if _, twice := k.spans[n.SpanID]; twice {
			t.Errorf("%s is there twice", n.SpanID)
		}
		k.add(n.SpanID, parent, n.Service, words[1], int64(n.Duration*1000+0.5), n.Failed)
	}
	return k, of
}

// Trees of random traces are what Jaeger says they are: with spans out of order, twice, late, without their parents, and by
// clocks that are minutes apart.
func TestTreesAreJaegers(t *testing.T) {
	j, d := jaeger(t), start(t, "")
	r := rand.New(rand.NewPCG(52, 1))
	calls := map[string]int{} // of the traces without duplicates, by Jaeger's word for them
	spans, skewed := 0, 0
	for n := range 60 {
		m := making{
			spans: 5 + r.IntN(196), services: 1 + r.IntN(6), duplicates: n%2 == 1, missing: n%3 == 1, skewed: n%4 >= 2,
		}
		s := simulate(r, n, m)
		requests := s.requests(r)
		for i, body := range requests {
			d.post("/v1/traces", body)
			post(t, j.otlp+"/v1/traces", body)
			if i == len(requests)/2 { // the rest comes late: somebody has asked already
				d.trace(s.id)
			}
		}
		want := byJaeger(t, j, s.id)
		got, of := byDaemon(t, d, s.id)
		spans += len(got.spans)
		if len(want.spans) != len(s.spans)-len(s.gone) {
			t.Fatalf("Jaeger has %d spans of %d", len(want.spans), len(s.spans)-len(s.gone))
		}
		if !maps.Equal(got.spans, want.spans) {
			for id := range want.spans {
				if got.spans[id] != want.spans[id] {
					t.Errorf("%+v: %s is %s, Jaeger says %s", m, id, got.spans[id], want.spans[id])
				}
			}
			t.Fatalf("%+v: %d spans, Jaeger has %d", m, len(got.spans), len(want.spans))
		}
		for parent, list := range want.children {
			if !m.skewed && !slices.Equal(got.children[parent], list) {
				t.Errorf("%+v: below %q the order is %q, Jaeger's is %q", m, parent, got.children[parent], list)
			}
			if m.skewed { // Jaeger leaves clocks as they are; spans of one machine are in order
				for i := range m.services {
					own := func(id string) bool { return !strings.Contains(want.spans[id], ": "+s.service(i)+" ") }
					if a, b := slices.DeleteFunc(slices.Clone(got.children[parent]), own), slices.DeleteFunc(slices.Clone(list), own); !slices.Equal(a, b) {
						t.Errorf("%+v: below %q the order of %d is %q, Jaeger's is %q", m, parent, i, a, b)
					}
				}
			}
		}
		if word := of.Complete; (word == "complete") != (len(hidden(s)) == 0) {
			t.Errorf("%+v: it is said to be %s: %q", m, word, of.Because)
		}
		if m.skewed {
			skewed += misplaced(of)
		}
		if m.duplicates {
			continue
		}
		for _, m := range s.spans {
			i := slices.IndexFunc(s.spans, func(p made) bool { return p.id == m.parent })
			if i >= 0 && !s.gone[m.id] && !s.gone[m.parent] {
				calls[s.service(s.spans[i].service)+" → "+s.service(m.service)]++
			}
		}
	}
	var links struct {
		Data []struct {
			Parent, Child string
			CallCount     int
		} `json:"data"`
	}
	text := ask(t, fmt.Sprintf("%s/api/dependencies?endTs=%d&lookback=%d", j.query, time.Now().Add(10*time.Minute).UnixMilli(), time.Hour.Milliseconds()))
	if err := json.Unmarshal([]byte(text), &links); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	seen := 0
	for _, l := range links.Data {
		if n, ok := calls[l.Parent+" → "+l.Child]; ok {
			if seen++; n != l.CallCount {
				t.Errorf("%s calls %s %d times, Jaeger says %d", l.Parent, l.Child, n, l.CallCount)
			}
		}
	}
	if seen != len(calls) {
		t.Errorf("Jaeger knows %d of %d calls", seen, len(calls))
	}
	if skewed > 0 {
		t.Errorf("%d spans are outside of their parents once the clocks are set right", skewed)
	}
	t.Logf("60 traces of %d spans, %d pairs of services", spans, seen)
}

// hidden lists the spans that never came and have children that did.
func hidden(s *simulated) (out []string) {
	for _, m := range s.spans {
		if s.gone[m.parent] && !s.gone[m.id] {
			out = append(out, m.parent)
		}
	}
	return out
}

// misplaced counts the spans that lie outside of their parents with the clocks set right, by more than the answer says
// that they may.
func misplaced(of tree) (outside int) {
	times := func(n node) (from, to time.Time) {
		from, err := time.Parse(time.RFC3339Nano, n.Start)
		if err != nil {
			panic(err)
		}
		return from, from.Add(time.Duration(n.Duration * 1e6))
	}
	var above []node
	for _, n := range of.Nodes {
		above = append(above[:n.Depth], n)
		if n.Depth == 0 || n.Kind == "missing" || above[n.Depth-1].Kind == "missing" {
			continue
		}
		from, to := times(n)
		begin, end := times(above[n.Depth-1])
		off := time.Duration((n.Bound+above[n.Depth-1].Bound)*1e6) + 2*time.Microsecond // the answer has microseconds
		if from.Before(begin.Add(-off)) || to.After(end.Add(off)) {
			outside++
		}
	}
	return outside
}
