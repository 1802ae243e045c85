package source

import (
	"fmt"
	"strings"
	"time"
)

// State is what a source does.
type State string

// The states.
const (
	Idle    State = "idle"    // it would answer, and nobody asks
	Asking  State = "asking"  // a question is under way
	Follows State = "follows" // it is being read as it is written
	Waiting State = "waiting" // for its turn: its credential's rate, or the platform asked for a pause
	Pausing State = "pausing" // after a failure
	Broken  State = "broken"  // after several failures; it is tried now and then
	Spent   State = "spent"   // the budget of this hour
	Failed  State = "failed"  // the user has to do something
)

// Status is what a source does and did.
type Status struct {
	Name     string // unique: service and adapter, with a number where there are several
	Service  string
	Adapter  string
	Title    string
	Cost     string
	State    State
	Error    string    // of the last failure, "" after an answer
	Next     time.Time // try; zero: none is planned
	Answered time.Time // last; zero: never
	Newest   time.Time // row that was taken
	Rows     uint64    // that were taken
	Repeated uint64    // that had been taken before
	Lost     uint64    // searches that were given up because there were too many
	Partial  string    // why the last answer was not whole
	Requests int       // of this hour
	Bytes    int64
	Budget   int // requests that an hour may have
	Chasing  int // traces that are searched for
}

// Line is the state in a line: "api/loki: waiting, next try in 14 s; newest row 22 s old".
func (s Status) Line(now time.Time) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s", s.Name, s.State)
	if d := s.Next.Sub(now); d > 0 && s.State != Idle {
		fmt.Fprintf(&out, ", next try in %s", seconds(d))
	}
	if s.Error != "" {
		out.WriteString("; " + s.Error)
	}
	if s.Partial != "" {
		out.WriteString("; the last answer is partial: " + s.Partial)
	}
	switch {
	case !s.Newest.IsZero():
		fmt.Fprintf(&out, "; newest row %s old", seconds(max(0, now.Sub(s.Newest))))
	case !s.Answered.IsZero():
		out.WriteString("; no row yet")
	default:
		out.WriteString("; never answered")
	}
	if s.Rows == 1 {
		out.WriteString("; 1 row")
	} else {
		fmt.Fprintf(&out, "; %d rows", s.Rows)
	}
	if s.Cost != "" {
		fmt.Fprintf(&out, "; %d of %d requests this hour, %d kB", s.Requests, s.Budget, s.Bytes/1000)
	}
	if s.Chasing > 0 {
		fmt.Fprintf(&out, "; searching for %d traces", s.Chasing)
	}
	if s.Lost > 0 {
		fmt.Fprintf(&out, "; %d searches were given up: too many at once", s.Lost)
	}
	return out.String()
}

func seconds(d time.Duration) string {
	if d >= 10*time.Minute {
		return d.Round(time.Minute).String()
	}
	return fmt.Sprintf("%d s", int(d.Round(time.Second).Seconds()))
}
