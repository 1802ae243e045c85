package session

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

// A tab is one agent's at a time, until it rests or goes; whoever takes it has it.
func TestATabIsOneAgentsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRegistry()
		r.Named("a", "claude-code/2", "")
		r.Named("b", "", "")
		may := func(id string, tab int) bool {
			t.Helper()
			_, err := r.Lease(id, "s1", tab)
			if p := problem.From(err); p != nil && p.Code != problem.TabInUse {
				t.Fatalf("Lease(%s) = %v", id, err)
			}
			return err == nil
		}
		if !may("a", 1) || may("b", 1) || !may("b", 2) || !may("a", 1) {
			t.Fatal("b could act where a does, or a could not")
		}
		_, err := r.Lease("b", "s1", 1)
		if want := "tab 1 is in use by another agent (claude-code), for 31 s more unless it acts again. Nothing was done."; problem.From(err).Message != want {
			t.Errorf("the refusal says %q, want %q", problem.From(err).Message, want)
		}
		if _, err := r.Lease("b", "s2", 1); err != nil {
			t.Errorf("the tab of that number in another browser is refused: %v", err)
		}
		time.Sleep(29 * time.Second)
		if !may("a", 1) {
			t.Fatal("a lost its tab")
		}
		time.Sleep(29 * time.Second)
		if may("b", 1) {
			t.Error("b could act 29 s after a")
		}
		time.Sleep(2 * time.Second)
		if !may("b", 1) || may("a", 1) {
			t.Error("b could not act 31 s after a, or a still could")
		}
		r.Take("a", "s1", 1)
		if may("b", 1) || !may("a", 1) {
			t.Error("a took the tab and has it not")
		}
		r.Forget("a")
		if !may("b", 1) {
			t.Error("the tab is still that of an agent that has gone")
		}
		// Commands of the user's shell are refused nothing, and refuse nobody.
		if !may(Requests, 1) || !may(Requests+" 2", 3) || !may("b", 3) {
			t.Error("a command of the shell was refused, or has a tab")
		}
	})
}

func TestALeaseTellsWhenTheClientActedBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRegistry()
		at := func(id string) time.Time {
			last, _ := r.Lease(id, "s1", 1)
			return last
		}
		if last := at("a"); !last.IsZero() {
			t.Errorf("the first act has one before it, at %v", last)
		}
		began := time.Now()
		time.Sleep(time.Minute)
		if last := at("a"); !last.Equal(began) {
			t.Errorf("the act before was at %v, want %v", last, began)
		}
		time.Sleep(time.Minute)
		if last := at("b"); !last.IsZero() {
			t.Errorf("b is told of an act of a, at %v", last)
		}
	})
}

func TestLeasesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRegistry()
		for i := range 3 * maxLeases {
			if _, err := r.Lease("c"+strconv.Itoa(i), "s1", i); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		if len(r.leases) > maxLeases {
			t.Errorf("%d leases are remembered, want at most %d", len(r.leases), maxLeases)
		}
		if _, known := r.leases[place{"s1", 3*maxLeases - 1}]; !known {
			t.Error("the newest lease was dropped")
		}
	})
}
