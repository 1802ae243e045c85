package analysis_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/analysis"
)

func visit(ratings string) analysis.Visit {
	out := analysis.Visit{}
	for i, pair := range strings.Fields(ratings) {
		name, rating, _ := strings.Cut(pair, "=")
		out[name] = analysis.Measured{Value: float64(map[string]int{"good": 100, "needs-improvement": 200, "poor": 300}[rating] + i), Rating: rating}
	}
	return out
}

func TestLoadsAreGradedByTheOneInTheMiddle(t *testing.T) {
	const good = "lcp=good inp=good cls=good fcp=good ttfb=good"
	for name, c := range map[string]struct {
		visits []string
		want   string
	}{
		"all good":             {[]string{good, good, good}, "100 100-100 map[] []"},
		"all poor":             {[]string{strings.ReplaceAll(good, "good", "poor")}, "0 0-0 map[cls:25 fcp:10 inp:30 lcp:25 ttfb:10] []"},
		"one is slow":          {[]string{good, good, "lcp=poor inp=good cls=good fcp=good ttfb=good"}, "100 75-100 map[] []"},
		"two are slow":         {[]string{good, "lcp=poor", "lcp=poor"}, "75 75-100 map[lcp:25] []"},
		"half points":          {[]string{"lcp=needs-improvement inp=needs-improvement cls=good fcp=good ttfb=good"}, "72 72-72 map[inp:15 lcp:13] []"},
		"nobody interacted":    {[]string{"lcp=poor cls=good fcp=good ttfb=good"}, "64 64-64 map[lcp:36] [inp]"},
		"one vital":            {[]string{"ttfb=poor"}, "0 0-0 map[ttfb:100] [cls fcp inp lcp]"},
		"no vital that counts": {[]string{"fid=poor"}, "100 100-100 map[] [cls fcp inp lcp ttfb]"},
	} {
		var visits []analysis.Visit
		for _, v := range c.visits {
			visits = append(visits, visit(v))
		}
		l := analysis.GradeLoads(visits)
		if got := fmt.Sprintf("%d %d-%d %v %v", l.Score, l.Low, l.High, l.Cost, l.Missing); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestEveryPointIsAFinding(t *testing.T) {
	of := func(points ...int) (out []analysis.Graded) {
		for i, p := range points {
			out = append(out, analysis.Graded{Rule: analysis.Rule{ID: fmt.Sprint("r", i), Points: p}, Count: i})
		}
		return out
	}
	for want, found := range map[int][]analysis.Graded{100: of(), 97: of(3, 0), 0: of(60, 50), 55: of(15, 30)} {
		if got := analysis.Score(found); got != want {
			t.Errorf("%d points are left of %v, want %d", got, found, want)
		}
	}
	found := of(3, 10, 3, 10, 0)
	analysis.Dearest(found)
	got := ""
	for _, f := range found {
		got += f.ID
	}
	if got != "r3r1r2r0r4" {
		t.Errorf("in the order %s", got)
	}
	if analysis.Points("critical") <= analysis.Points("serious") || analysis.Points("serious") <= analysis.Points("moderate") ||
		analysis.Points("moderate") <= analysis.Points("minor") || analysis.Points("high") <= analysis.Points("medium") || analysis.Points("info") != 0 {
		t.Error("what is graver costs less")
	}
}

func TestRulesOfPages(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guides/audits.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range analysis.Categories {
		for id, r := range analysis.PageRules(c) {
			if seen[id] || r.ID != id || r.Category != c || r.Title == "" || r.Fix == "" || strings.HasSuffix(r.Title, ".") || !strings.HasSuffix(r.Fix, ".") {
				t.Errorf("%+v", r)
			}
			told := "`" + id + "`. "
			if r.Points > 0 {
				told = fmt.Sprintf("`%s`, %d points. ", id, r.Points)
			}
			if !strings.Contains(string(guide), told) {
				t.Errorf("the guide does not tell %s", told)
			}
			seen[id] = true
		}
	}
	if len(seen) != 25 {
		t.Errorf("%d rules", len(seen))
	}
}
