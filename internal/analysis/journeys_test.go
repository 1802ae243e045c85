package analysis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
)

// steps makes visits of one second from "A B< C! D. E@": went back to, closed, still there, with an act of the user.
func steps(tab, text string) (out []analysis.Step) {
	for i, word := range strings.Fields(text) {
		out = append(out, analysis.Step{
			Handle: fmt.Sprint("n", i+1), Tab: tab, Route: strings.TrimRight(word, "<!.@"), Took: time.Second,
			Back: strings.Contains(word, "<"), Closed: strings.Contains(word, "!"), Current: strings.Contains(word, "."),
			Acts: strings.Count(word, "@"),
		})
	}
	return out
}

func TestRoundsThatRepeatAreLoops(t *testing.T) {
	for text, want := range map[string]string{
		"A B C D":                     "[]",
		"A A":                         "[]",
		"A A A@ B":                    "[{[A] 3 1 n1 n3}]",
		"A B A":                       "[]",
		"X A@ B@ A B C":               "[{[A B] 2 2 n2 n5}]",
		"A B C A B C A":               "[{[A B C] 2 0 n1 n6}]",
		"A B A B A B":                 "[{[A B] 3 0 n1 n6}]",
		"A B A B C A B A B A B":       "[{[A B] 3 0 n6 n11}]",
		"A B C D E F A B C D E F":     "[{[A B C D E F] 2 0 n1 n12}]",
		"A B C D E F G A B C D E F G": "[]",
	} {
		if got := fmt.Sprint(analysis.Journeys(steps("t", text)).Loops); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	two := append(steps("t", "A B"), steps("u", "A B")...)
	if got := analysis.Journeys(two); len(got.Loops) != 0 || fmt.Sprint(got.Transitions) != "[{A B 2 n2}]" {
		t.Errorf("visits of two tabs: %v", got)
	}
}

func TestFindingsAreInOrder(t *testing.T) {
	all := append(steps("t", "X X X B A B A B A C D C D"), steps("u", "X X X X")...)
	all = append(all, steps("v", "X X X")...)
	for range 10 {
		got := analysis.Journeys(all)
		if s := fmt.Sprint(got.Loops); s != "[{[X] 4 0 n1 n4} {[B A] 3 0 n4 n9} {[C D] 2 0 n10 n13}]" {
			t.Error(s)
		}
		if s := fmt.Sprint(got.Transitions); s != "[{X X 7 n3} {B A 3 n9} {A B 2 n8} {C D 2 n13} {A C 1 n10} {D C 1 n12} {X B 1 n4}]" {
			t.Error(s)
		}
		if s := fmt.Sprint(analysis.Journeys(steps("t", "E! D! C! A! A! B!")).Abandoned); s != "[{A 2 0 2 n5} {B 1 0 1 n6} {C 1 0 1 n3} {D 1 0 1 n2} {E 1 0 1 n1}]" {
			t.Error(s)
		}
		if s := fmt.Sprint(analysis.Journeys(steps("t", "C D C D A B A B")).Loops); s != "[{[A B] 2 0 n5 n8} {[C D] 2 0 n1 n4}]" {
			t.Error(s)
		}
		if s := fmt.Sprint(analysis.Journeys(steps("t", "A C A B A D")).Transitions); s != "[{A B 1 n4} {A C 1 n2} {A D 1 n6} {B A 1 n5} {C A 1 n3}]" {
			t.Error(s)
		}
	}
	equal := append(steps("a", "X X X"), steps("b", "Y X X X")...)
	if s := fmt.Sprint(analysis.Journeys(equal).Loops); s != "[{[X] 3 0 n2 n4}]" { // the newest of equal ones
		t.Error(s)
	}
}

func TestRoutesAndTheirEnds(t *testing.T) {
	got := analysis.Journeys(steps("t", "A B A< C@ A< D A< D A! D."))
	if s := fmt.Sprint(got.Visits); s != "[{A 5 1s n9} {D 3 1s n10} {B 1 1s n2} {C 1 1s n4}]" {
		t.Error(s)
	}
	if s := fmt.Sprint(got.Transitions); s != "[{A D 3 n10} {D A 2 n9} {A B 1 n2} {A C 1 n4} {B A 1 n3} {C A 1 n5}]" {
		t.Error(s)
	}
	// C had an act, and from the second D nobody went back.
	if s := fmt.Sprint(got.Abandoned); s != "[{A 1 0 5 n9} {B 0 1 1 n2} {D 0 1 3 n6}]" {
		t.Error(s)
	}
	if s := fmt.Sprint(analysis.Journeys(steps("t", "A.")).Visits); s != "[{A 1 0s n1}]" {
		t.Error(s)
	}
	if s := fmt.Sprint(analysis.Journeys(steps("t", "A A<")).Abandoned); s != "[]" {
		t.Error(s)
	}
}

func TestRepeatedClicksOnOneElement(t *testing.T) {
	at := time.Unix(1000, 0)
	for text, want := range map[string]int{
		"a0 a300 a600":                   1,
		"a0 a1000 a2000":                 1,
		"a0 a1000 a2001":                 0,
		"a0 a300":                        0,
		"a0 b100 a300 a600":              0,
		"a0 a300 a600 b900":              1,
		"a0 a300 a600 a3000 a3100 a3200": 2,
		"p0 p300 p600":                   0, // selects a paragraph
		"p0 p300 p601":                   1,
		"p0 p100 p200 p300":              1,
	} {
		var clicks []analysis.Click
		for _, word := range strings.Fields(text) {
			var ms int
			if _, err := fmt.Sscan(word[1:], &ms); err != nil {
				t.Fatal(err)
			}
			clicks = append(clicks, analysis.Click{
				Time: at.Add(time.Duration(ms) * time.Millisecond), Where: "d", Element: word[:1], Control: word[0] != 'p',
			})
		}
		if got := analysis.RageClicks(clicks); len(got) != want {
			t.Errorf("%s: %d, want %d: %v", text, len(got), want, got)
		}
	}
	apart := []analysis.Click{{Where: "d", Element: "a"}, {Where: "e", Element: "a"}, {Where: "d", Element: "a"}, {Where: "e", Element: "a"}}
	if got := analysis.RageClicks(append(apart, apart...)); len(got) != 2 || len(got[0].Clicks) != 4 {
		t.Errorf("clicks in two documents: %v", got)
	}
}
