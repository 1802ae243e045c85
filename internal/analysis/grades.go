package analysis

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Categories are what an audit looks at, in the order of its answer.
var Categories = []string{"performance", "accessibility", "security", "best_practices", "seo"}

// Rule is what a page is held against, and what breaking it costs of the 100 points of a category. What costs nothing is
// worth knowing and no fault.
type Rule struct {
	ID, Category string
	Points       int
	Title, Fix   string
}

// pageRules are the rules of pages, by category. docs/guides/audits.md lists them.
var pageRules = []Rule{
	{"image-unsized", "performance", 0, "Pictures have no place before they are loaded, so that what follows shifts", "Give width and height, or aspect-ratio."},
	{"image-oversized", "performance", 0, "Pictures have many more pixels than are shown", "Serve them in the size that is shown; srcset and sizes choose."},
	{"image-lazy-in-view", "performance", 0, "Pictures of the first screen are loaded lazily", "Leave out loading=lazy; the largest may have fetchpriority=high."},
	{"elements-many", "performance", 0, "The document has so many elements that each change is slow", "Show a part of long lists; content-visibility: auto skips the rest."},

	{"errors-in-console", "best_practices", 15, "The page writes errors to the console", "observe errors tells them."},
	{"requests-failed", "best_practices", 15, "Requests of the page fail", "observe network_waterfall tells them."},
	{"connections-failed", "best_practices", 15, "Connections of the page fail", "observe websocket_events tells them."},
	{"doctype-missing", "best_practices", 15, "The document has no doctype: browsers lay it out as those of 1998 did", "Begin it with <!doctype html>."},
	{"image-broken", "best_practices", 15, "Pictures do not load", "Mend their address."},
	{"charset-not-utf8", "best_practices", 10, "The document is not UTF-8", "Save it so, and say <meta charset=utf-8> first."},
	{"image-distorted", "best_practices", 10, "Pictures are stretched", "Keep their ratio, or use object-fit."},
	{"id-twice", "best_practices", 10, "Two elements have one id: labels, links and scripts find the first only", "Give each its own."},
	{"image-blurry", "best_practices", 5, "Pictures have fewer pixels than are shown", "Serve them for the screen's density."},
	{"element-outdated", "best_practices", 5, "Elements are used that HTML has given up", "Use CSS, or what took their place."},

	{"noindex", "seo", 30, "Search engines are told to leave the page out", "Remove noindex, where the page is to be found."},
	{"status-of-error", "seo", 30, "The page is answered with the status of an error", "Answer with 200 what is to be found."},
	{"title-missing", "seo", 20, "The page has no title", "Give it one that tells it from others."},
	{"viewport-missing", "seo", 15, "Phones show the page as a small picture of a desktop", "Add <meta name=viewport content=\"width=device-width, initial-scale=1\">."},
	{"description-missing", "seo", 10, "The page has no description", "Add <meta name=description> with a sentence or two."},
	{"canonical-wrong", "seo", 10, "The canonical address is none, or another page's", "Name one absolute address, of this page."},
	{"link-without-address", "seo", 10, "Links have no address: crawlers and new tabs do not follow them", "Give href the address; use a button for what acts."},
	{"structured-data-broken", "seo", 10, "Structured data is no JSON", "Mend it where the message says."},
	{"link-text-vague", "seo", 5, "Texts of links do not say where they lead", "Name the goal in the link."},
	{"hreflang-wrong", "seo", 5, "A language of hreflang is none", "Use codes as en, de-AT or x-default."},
	{"text-small", "seo", 5, "Most of the text is smaller than 12 pixels", "Set it larger."},
}

// PageRules are the rules of a category, by id.
func PageRules(category string) map[string]Rule {
	out := map[string]Rule{}
	for _, r := range pageRules {
		if r.Category == category {
			out[r.ID] = r
		}
	}
	return out
}

// Points of findings by how grave they are: of axe-core's impacts, and of the severities of security.
var gravity = map[string]int{"critical": 30, "serious": 15, "moderate": 6, "minor": 3, "unknown": 6, "high": 20, "medium": 8, "low": 3, "info": 0}

// Points is what a finding costs that has a word for how grave it is.
func Points(word string) int { return gravity[word] }

// vitalPoints is what a vital costs at most: what is poor costs it all, what needs improvement half.
var vitalPoints = map[string]int{"lcp": 25, "inp": 30, "cls": 25, "fcp": 10, "ttfb": 10}

// Visit is one load of a page: the ratings and values of its vitals, by their names in lower case.
type Visit map[string]Measured

// Measured is one vital of one visit.
type Measured struct {
	Value  float64
	Rating string // good, needs-improvement, poor
}

// EnoughVisits is how many loads it takes for a number: one load says little.
const EnoughVisits = 3

// Loads is what several loads of a page come to.
type Loads struct {
	Score, Low, High int                 // of the middle, and of the worst and best load
	Middle           map[string]Measured // of each vital the load in the middle
	Cost             map[string]int      // points of each vital that is not good
	Missing          []string            // vitals that no load has
}

// GradeLoads grades the loads of one page; there has to be one. Vitals that no load has share their points among the others.
func GradeLoads(visits []Visit) Loads {
	out := Loads{Middle: map[string]Measured{}, Cost: map[string]int{}}
	most := 0
	for name, points := range vitalPoints {
		var all []Measured
		for _, v := range visits {
			if m, ok := v[name]; ok {
				all = append(all, m)
			}
		}
		if len(all) == 0 {
			out.Missing = append(out.Missing, name)
			continue
		}
		most += points
		slices.SortFunc(all, func(a, b Measured) int { return cmp.Compare(a.Value, b.Value) })
		out.Middle[name] = all[len(all)/2]
	}
	slices.Sort(out.Missing)
	cost := func(name, rating string) int {
		share := map[string]float64{"poor": 1, "needs-improvement": 0.5}[rating]
		return int(math.Round(share * float64(vitalPoints[name]) * 100 / float64(max(most, 1))))
	}
	out.Score = 100
	for name, m := range out.Middle {
		if points := cost(name, m.Rating); points > 0 {
			out.Cost[name] = points
			out.Score -= points
		}
	}
	out.Score = max(out.Score, 0)
	out.Low, out.High = out.Score, out.Score
	for _, v := range visits {
		score := 100
		for name, m := range v {
			score -= cost(name, m.Rating)
		}
		out.Low, out.High = min(out.Low, max(0, score)), max(out.High, score)
	}
	return out
}

// Graded is a finding of an audit.
type Graded struct {
	Rule
	Severity string   // in the words of what found it; "" where it has none
	Count    int      // places
	Places   []string // the first of them, in words
	Evidence []string // handles and refs
}

// Score is what is left of 100 points.
func Score(findings []Graded) int {
	score := 100
	for _, f := range findings {
		score -= f.Points
	}
	return max(score, 0)
}

// Dearest puts the findings that cost most first.
func Dearest(findings []Graded) {
	slices.SortStableFunc(findings, func(a, b Graded) int {
		return cmp.Or(b.Points-a.Points, b.Count-a.Count, strings.Compare(a.ID, b.ID))
	})
}
