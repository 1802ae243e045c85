package analysis

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Step is one visit of a route, as findings about navigation see it.
type Step struct {
	Handle  string
	Tab     string // of a session
	Route   string // ids folded
	Took    time.Duration
	Current bool // it is still there
	Closed  bool // its document ended, and nothing came after it
	Back    bool // it was reached by going back
	Acts    int  // of the user in it
}

// Routes are how often a route was visited, and how one led to another.
type Routes struct {
	Visits      []Route
	Transitions []Transition
	Loops       []Loop
	Abandoned   []Abandoned
}

// Route is one route's visits.
type Route struct {
	Route  string
	Visits int
	Mean   time.Duration // of the visits that are over; 0 when none is
	Last   string        // handle
}

// Transition is a way from one route to the next.
type Transition struct {
	From, To string
	Count    int
	Last     string // handle of the visit that it led to
}

// Loop is routes that came again and again in the same order.
type Loop struct {
	Routes []string // one: it was loaded again and again; two: back and forth
	Times  int      // whole rounds, the most in a row
	Acts   int      // of the user during them; 0: nobody drove it
	First  string   // handles
	Last   string
}

// Abandoned is a route from which the user did not go on.
type Abandoned struct {
	Route  string
	Closed int // the tab was closed there, or left our view
	Back   int // the user went back and had done nothing
	Of     int // visits
	Last   string
}

const (
	longestLoop = 6 // routes of a loop
	reloads     = 3 // loads in a row that are a loop
)

// Journeys makes findings from visits that come in order of time. What was most frequent comes first.
func Journeys(steps []Step) Routes {
	var out Routes
	routes := map[string]*Route{}
	over := map[string]int{}
	ways := map[[2]string]*Transition{}
	dead := map[string]*Abandoned{}
	tabs := map[string][]Step{}
	var order []string
	abandoned := func(s Step) *Abandoned {
		a := dead[s.Route]
		if a == nil {
			a = &Abandoned{Route: s.Route}
			dead[s.Route] = a
		}
		a.Last = s.Handle
		return a
	}
	for _, s := range steps {
		r := routes[s.Route]
		if r == nil {
			r = &Route{Route: s.Route}
			routes[s.Route] = r
		}
		r.Visits++
		r.Last = s.Handle
		if !s.Current {
			r.Mean += s.Took
			over[s.Route]++
		}
		if tabs[s.Tab] == nil {
			order = append(order, s.Tab)
		}
		if n := len(tabs[s.Tab]); n > 0 {
			from := tabs[s.Tab][n-1]
			key := [2]string{from.Route, s.Route}
			if ways[key] == nil {
				ways[key] = &Transition{From: from.Route, To: s.Route}
			}
			ways[key].Count++
			ways[key].Last = s.Handle
			if s.Back && from.Acts == 0 && from.Route != s.Route {
				abandoned(from).Back++
			}
		}
		tabs[s.Tab] = append(tabs[s.Tab], s)
		if s.Closed {
			abandoned(s).Closed++
		}
	}
	for _, r := range routes {
		if n := over[r.Route]; n > 0 {
			r.Mean /= time.Duration(n)
		}
		out.Visits = append(out.Visits, *r)
	}
	for _, t := range ways {
		out.Transitions = append(out.Transitions, *t)
	}
	for _, a := range dead {
		a.Of = routes[a.Route].Visits
		out.Abandoned = append(out.Abandoned, *a)
	}
	loops := map[string]Loop{}
	for _, tab := range order {
		for _, l := range loopsOf(tabs[tab]) {
			key := strings.Join(l.Routes, "\x00")
			if had, ok := loops[key]; !ok || l.Times >= had.Times {
				loops[key] = l
			}
		}
	}
	for _, l := range loops {
		out.Loops = append(out.Loops, l)
	}
	slices.SortFunc(out.Visits, func(a, b Route) int { return cmp.Or(b.Visits-a.Visits, cmp.Compare(a.Route, b.Route)) })
	slices.SortFunc(out.Transitions, func(a, b Transition) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	slices.SortFunc(out.Loops, func(a, b Loop) int {
		return cmp.Or(b.Times-a.Times, cmp.Compare(strings.Join(a.Routes, " "), strings.Join(b.Routes, " ")))
	})
	slices.SortFunc(out.Abandoned, func(a, b Abandoned) int {
		return cmp.Or(b.Closed+b.Back-a.Closed-a.Back, cmp.Compare(a.Route, b.Route))
	})
	return out
}

// loopsOf returns the stretches of a tab's visits that repeat a round: of each stretch its shortest round.
func loopsOf(steps []Step) (out []Loop) {
	for i := 0; i < len(steps); {
		best, end := Loop{}, i
		for period := 1; period <= longestLoop && end == i; period++ {
			n := period
			for i+n < len(steps) && steps[i+n].Route == steps[i+n-period].Route {
				n++
			}
			if times := n / period; times >= 2 && (period > 1 || times >= reloads) {
				end = i + times*period
				best = Loop{Times: times, First: steps[i].Handle, Last: steps[end-1].Handle}
				for _, s := range steps[i : i+period] {
					best.Routes = append(best.Routes, s.Route)
				}
				for _, s := range steps[i:end] {
					best.Acts += s.Acts
				}
			}
		}
		if end == i {
			i++
			continue
		}
		out = append(out, best)
		i = end
	}
	return out
}

// Click is one click of the user.
type Click struct {
	Handle  string
	Action  string // its id; "" unknown
	Time    time.Time
	Where   string // session, tab and document
	Element string // the same for clicks on one element
	Words   string // what the element is, for readers
	Route   string
	Control bool // a button, a link or the like: who clicks three times selects no text
}

// Rage is several clicks on one element in a row.
type Rage struct {
	Clicks []Click
	Errors []string // handles of errors that they led to
}

const (
	rageGap  = time.Second
	rageMost = 3                      // clicks that are rage
	tripled  = 600 * time.Millisecond // within which three clicks select a paragraph
)

// RageClicks returns stretches of three clicks or more on one element, each at most a second after the one before. The
// clicks come in order of time. Whether they had an effect is not looked at. Three quick clicks on what is no
// control select text.
func RageClicks(clicks []Click) (out []Rage) {
	open := map[string]*Rage{} // by Where
	var all []*Rage
	for _, c := range clicks {
		r := open[c.Where]
		if r != nil {
			last := r.Clicks[len(r.Clicks)-1]
			if last.Element == c.Element && c.Time.Sub(last.Time) <= rageGap {
				r.Clicks = append(r.Clicks, c)
				continue
			}
		}
		r = &Rage{Clicks: []Click{c}}
		open[c.Where] = r
		all = append(all, r)
	}
	for _, r := range all {
		n := len(r.Clicks)
		if n < rageMost || n == 3 && !r.Clicks[0].Control && r.Clicks[2].Time.Sub(r.Clicks[0].Time) <= tripled {
			continue
		}
		out = append(out, *r)
	}
	return out
}
