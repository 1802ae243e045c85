package flow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// Skeleton is what a run of an operation consisted of, without what differs in every run.
type Skeleton struct {
	Operation string // method and path of its request, with numbers and ids masked
	ID        string // handle of its request
	Steps     []Step // in the order in which they began, each once; at most maxSteps
}

// Step is what a run did once or several times.
type Step struct {
	Name     string // "api server POST /orders", "api info cart # loaded"
	Status   string // of requests and spans: 200, error …
	Count    int
	Duration time.Duration // of all together; 0 for lines
}

const maxSteps = 200

// Skeleton returns what a flow consisted of; ok is false when it has no request.
func (f *Flow) Skeleton() (s Skeleton, ok bool) {
	index := map[string]int{}
	add := func(n *Node, times int) {
		name, status := stepOf(n)
		if name == "" {
			return
		}
		i, known := index[name]
		if !known {
			if len(s.Steps) == maxSteps {
				return
			}
			i = len(s.Steps)
			index[name] = i
			s.Steps = append(s.Steps, Step{Name: name, Status: status})
		}
		s.Steps[i].Count += times
		s.Steps[i].Duration += n.Duration()
		if n.Failed {
			s.Steps[i].Status = status
		}
	}
	f.Walk(func(n *Node) {
		if x := n.exchange(); x != nil && !ok {
			s.Operation, s.ID, ok = operation(x), n.ID(), true
		}
		add(n, 1)
		for _, l := range n.Like {
			add(l, 1)
		}
	})
	return s, ok
}

// operation names what a request does: equal for requests that differ in ids only.
func operation(x *event.Exchange) string { return x.Method + " " + Route(x.URL) }

// Route returns the path of an address, equal for addresses that differ in ids only: "/orders/#".
func Route(address string) string {
	path, _ := partsOf(address)
	return template(path)
}

func stepOf(n *Node) (name, status string) {
	switch e := n.Item.Event.(type) {
	case *event.Exchange:
		return operation(e), strconv.Itoa(e.Status)
	case *event.Span:
		status = cmp.Or(n.attribute(statusNames), e.Status, "ok")
		if status == "unset" {
			status = "ok"
		}
		return strings.TrimSpace(n.Service + " " + e.SpanKind + " " + template(e.Name)), status
	case *event.Log:
		return strings.TrimSpace(n.Service + " " + e.Level + " " + template(first(e.Message))), ""
	case *event.Exception:
		return strings.TrimSpace(n.Service + " " + e.Type + ": " + template(first(e.Message))), ""
	}
	return "", ""
}

func first(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.ToValidUTF8(line[:min(len(line), 200)], "")
}

// template masks what differs between two writings of one message: numbers, ids and what stands in quotes.
func template(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"' || c == '\'' || c == '`':
			end := strings.IndexByte(text[i+1:], c)
			if end > 0 && (i == 0 || !alphanumeric(text[i-1])) {
				out.WriteByte(c)
				out.WriteByte('#')
				out.WriteByte(c)
				i += end + 2
				continue
			}
			out.WriteByte(c)
			if i++; end == 0 { // nothing is quoted: the second is no beginning
				out.WriteByte(c)
				i++
			}
		case alphanumeric(c):
			j, digit, letter := i, false, false
			for j < len(text) && (alphanumeric(text[j]) || text[j] == '-' && j+1 < len(text) && digit) {
				if '0' <= text[j] && text[j] <= '9' {
					digit = true
				} else {
					letter = true
				}
				j++
			}
			word := text[i:j]
			switch {
			case digit && (!letter || len(word) >= 8 || '0' <= word[0] && word[0] <= '9'):
				out.WriteByte('#')
			default:
				out.WriteString(word)
			}
			i = j
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.String()
}

// Difference is what two runs of one operation do not have in common.
type Difference struct {
	Passing string   // handle of the request of the run that passed
	New     []string // steps that only the later run has
	Missing []string // steps that only the run that passed has
	Changed []string // "api server POST /orders: 200, now 500"; "12 times, now 1"; "8 ms, now 920 ms"
}

// Same reports whether nothing differs.
func (d *Difference) Same() bool { return len(d.New)+len(d.Missing)+len(d.Changed) == 0 }

// mostDiffers is the most entries of each list of a difference.
const mostDiffers = 8

// compare tells what a run did otherwise than those that passed, the newest of which is last: a step is new when none of
// them had it, missing when all had it, and changed as against the newest.
func compare(passed []Skeleton, now Skeleton) Difference {
	newest := passed[len(passed)-1]
	d := Difference{Passing: newest.ID}
	times, before := map[string]int{}, map[string]Step{}
	for _, run := range passed {
		for _, s := range run.Steps {
			times[s.Name]++
			before[s.Name] = s
		}
	}
	latest := map[string]bool{}
	for _, s := range newest.Steps {
		latest[s.Name] = true
	}
	has := map[string]bool{}
	for _, s := range now.Steps {
		has[s.Name] = true
		b, ok := before[s.Name]
		switch {
		case !ok:
			d.New = append(d.New, strings.TrimSpace(s.Name+" "+s.Status))
		case !latest[s.Name]:
		case b.Status != s.Status:
			d.Changed = append(d.Changed, fmt.Sprintf("%s: %s, now %s", s.Name, b.Status, s.Status))
		case s.Count >= 2*b.Count+3 || b.Count >= 2*s.Count+3:
			d.Changed = append(d.Changed, fmt.Sprintf("%s: %d times, now %d", s.Name, b.Count, s.Count))
		case slower(b, s):
			d.Changed = append(d.Changed, fmt.Sprintf("%s: %s, now %s", s.Name, short(b.Duration), short(s.Duration)))
		}
	}
	for _, s := range newest.Steps {
		if !has[s.Name] && times[s.Name] == len(passed) {
			d.Missing = append(d.Missing, s.Name)
		}
	}
	for _, list := range []*[]string{&d.New, &d.Missing, &d.Changed} {
		*list = (*list)[:min(len(*list), mostDiffers)]
	}
	return d
}

// slower reports whether a step took much longer: more than three times as long, and long enough to be noticed.
func slower(b, s Step) bool {
	return s.Duration > 3*b.Duration && s.Duration-b.Duration > 50*time.Millisecond
}

func short(d time.Duration) string {
	if d < 10*time.Millisecond {
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// request returns the request that a flow is about: the first that failed, else the first.
func (f *Flow) request() (found *event.Exchange) {
	f.Walk(func(n *Node) {
		if x := n.exchange(); x != nil && (found == nil || x.Failed() && !found.Failed()) {
			found = x
		}
	})
	return found
}

// lastPassing returns the newest run of a request's operation that passed before it and is still kept; ok is false when
// there is none.
func lastPassing(ctx context.Context, r query.Reader, failed *event.Exchange) (s Skeleton, ok bool, err error) {
	wanted := operation(failed)
	span := query.Span{Kinds: []event.Kind{event.KindExchange}, To: failed.Seq, Back: true, Most: 2000}
	var found *event.Exchange
	_, err = r.Scan(ctx, span, &query.Filter{}, func(it query.Item) bool {
		if x := it.Event.(*event.Exchange); passes(x) && operation(x) == wanted {
			found = x
		}
		return found == nil
	})
	if err != nil || found == nil {
		return s, false, err
	}
	return skeletonOf(ctx, r, found)
}

// passes reports whether a request ended well and its trace is known.
func passes(x *event.Exchange) bool { return !x.Failed() && x.Outcome != "pending" && x.TraceID != "" }

// skeletonOf returns what a run consisted of; ok is false when a part of it failed. Where a service refused, its caller knew what to do.
func skeletonOf(ctx context.Context, r query.Reader, x *event.Exchange) (s Skeleton, ok bool, err error) {
	m, err := collect(ctx, r, query.Handle(event.KindExchange, x.Seq))
	if err != nil {
		return s, false, err
	}
	s, ok = build(m).Skeleton()
	return s, ok && !slices.ContainsFunc(s.Steps, func(s Step) bool { return s.Status == "error" || strings.HasPrefix(s.Status, "5") }), nil
}
