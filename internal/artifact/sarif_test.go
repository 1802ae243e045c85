package artifact_test

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/brennhill/gasoline/internal/artifact"
)

// official is the official schema.
var official = sync.OnceValues(func() (*jsonschema.Resolved, error) {
	text, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		return nil, err
	}
	// It is of draft 4, which names itself by "id"; the rest of what it uses means the same in draft 7.
	draft7 := strings.NewReplacer(
		`"$schema": "http://json-schema.org/draft-04/schema#"`, `"$schema": "http://json-schema.org/draft-07/schema#"`,
		`  "id": "https`, `  "$id": "https`,
	).Replace(string(text))
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(draft7), &schema); err != nil {
		return nil, err
	}
	return schema.Resolve(nil)
})

// valid checks a document against the official schema.
func valid(t *testing.T, doc *artifact.SARIF) {
	t.Helper()
	resolved, err := official()
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var value map[string]any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("the official schema does not take it: %v\n%s", err, data)
	}
	// That the schema is really read: a document without its version is none.
	delete(value, "version")
	if resolved.Validate(value) == nil {
		t.Error("the schema takes anything")
	}
}

var audited = artifact.SARIFInput{
	Version: "1.2.3", Tool: "axe-core", ToolVersion: "4.14.1", ToolAt: "https://github.com/dequelabs/axe-core", About: "accessibility",
	URL: "http://user:pw@localhost:3000/cart?session=1#top",
	Rules: []artifact.Rule{
		{
			ID: "image-alt", Help: "Images must have alternative text", Description: "Ensure …", Impact: "critical",
			HelpURL: "https://dequeuniversity.com/rules/axe/4.14/image-alt?application=axeAPI", Tags: []string{"wcag2a", "wcag111"},
			Found: []artifact.Finding{
				{Selector: "#logo", HTML: `<img id="logo">`, Impact: "critical", Message: "Fix any of the following: …"},
				{URL: "https://pay.example/form", Frame: "2", Selector: "img", Impact: "critical"},
				{URL: "about:srcdoc", Frame: "3", Selector: "img"},
			},
		},
		{ID: "region", Help: "All content in landmarks", Impact: "moderate", Found: []artifact.Finding{{Selector: "p"}}},
		{ID: "odd", Help: "Without an impact", HelpURL: "not a url %", Found: []artifact.Finding{{Selector: "b", Impact: "minor"}}},
		{ID: "region", Help: "All content in landmarks", Impact: "moderate", Review: true, Found: []artifact.Finding{{Selector: "i"}}},
	},
	Lacking: []string{"1 more frames were not looked at: name one by frame"},
}

func TestSARIFIsValidAndSaysWhereAndHowGrave(t *testing.T) {
	doc := artifact.NewSARIF(audited)
	valid(t, doc)
	run := doc.Runs[0]
	var got []string
	for _, r := range run.Results {
		if rule := run.Tool.Driver.Rules[r.RuleIndex]; rule.ID != r.RuleID {
			t.Errorf("the index of %s leads to %s", r.RuleID, rule.ID)
		}
		at := r.Locations[0]
		if a := run.Artifacts[*at.Physical.Artifact.Index]; a.Location.URI != at.Physical.Artifact.URI {
			t.Errorf("the index of %s leads to %s", at.Physical.Artifact.URI, a.Location.URI)
		}
		got = append(got, strings.Join([]string{r.RuleID, r.Kind, r.Level, at.Physical.Artifact.URI, at.Logical[0].Name}, " | "))
	}
	want := `image-alt | fail | error | cart | #logo
image-alt | fail | error | pay.example/form | iframe 2 >>> img
image-alt | fail | error | cart | iframe 3 >>> img
region | fail | warning | cart | p
odd | fail | note | cart | b
region | review | none | cart | i`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("results:\n%s\nwant:\n%s", s, want)
	}
	if n := len(run.Tool.Driver.Rules); n != 3 {
		t.Errorf("%d rules, want each once: 3", n)
	}
	if text := run.Results[0].Message.Text; text != "Images must have alternative text: Fix any of the following: …" {
		t.Errorf("message %q", text)
	}
	if n := run.Invocations[0].Notifications; len(n) != 1 || n[0].Message.Text != audited.Lacking[0] {
		t.Errorf("what was not covered is not told: %v", n)
	}
	if uri := run.Tool.Driver.Rules[2].HelpURI; uri != "" {
		t.Errorf("%q is no URI", uri)
	}
}

func TestSARIFFingerprintsAreTheSameInTwoRunsAndTellElementsApart(t *testing.T) {
	other := audited
	other.URL = "http://localhost:3000/cart?session=2"
	other.Version = "9"
	first, second := artifact.NewSARIF(audited), artifact.NewSARIF(other)
	seen := map[string]bool{}
	for i, r := range first.Runs[0].Results {
		for name, print := range r.Fingerprints {
			if again := second.Runs[0].Results[i].Fingerprints[name]; again != print {
				t.Errorf("%s: %s in one run, %s in the next", r.RuleID, print, again)
			}
			if seen[name+print] {
				t.Errorf("%s of %s is another's, too", print, r.RuleID)
			}
			seen[name+print] = true
		}
	}
	if len(seen) != 2*len(first.Runs[0].Results) {
		t.Errorf("%d fingerprints of %d results", len(seen), len(first.Runs[0].Results))
	}
}

func TestSARIFOfNothingIsValid(t *testing.T) {
	for _, at := range []string{"http://localhost/", "about:blank", "", "%zz", "file:///tmp/a.html", "http://localhost/<jwt#3>/x"} {
		valid(t, artifact.NewSARIF(artifact.SARIFInput{Tool: "axe-core", About: "accessibility", URL: at}))
	}
}

// Viewers make a link of [words](address) in a message, and words of pages are in messages.
func TestNoTextOfAPageIsALinkInSARIF(t *testing.T) {
	in := audited
	const link = `[Sign in again](https://evil.test/)`
	in.Lacking = []string{"not asked: " + link}
	in.Rules = []artifact.Rule{{ID: "a", Help: "A rule", Found: []artifact.Finding{
		{URL: "http://localhost:3000/", Selector: link, Message: `aria-label="` + link + `", \` + link + `, [x\](https://evil.test/)`},
	}}}
	doc := artifact.NewSARIF(in)
	valid(t, doc)
	run := doc.Runs[0]
	for _, text := range []string{run.Results[0].Message.Text, run.Invocations[0].Notifications[0].Message.Text} {
		if strings.Contains(text, "](") || !strings.Contains(text, `[Sign in again]\(https://evil.test/)`) {
			t.Errorf("a link: %s", text)
		}
	}
}

// What stays in its place when a page is built anew, loaded again or changed elsewhere keeps its fingerprint.
func TestSARIFFingerprintsOutliveUnrelatedChanges(t *testing.T) {
	const url = "http://localhost:3000/cart"
	print := func(found ...artifact.Finding) (out []string) {
		in := artifact.SARIFInput{URL: url, Rules: []artifact.Rule{{ID: "image-alt", Found: found}}}
		for _, r := range artifact.NewSARIF(in).Runs[0].Results {
			out = append(out, r.Fingerprints["primaryLocationLineHash"])
		}
		return out
	}
	one := artifact.Finding{URL: url, Selector: "li:nth-child(2) > img", HTML: `<img class="a_1x2" src="/hat.png" id=":r1:" data-v-12="">`}
	first := print(one)[0]
	for name, change := range map[string]func(*artifact.Finding){
		"moved": func(f *artifact.Finding) { f.Selector = "li:nth-child(9) > img" }, "built anew": func(f *artifact.Finding) {
			f.HTML = `<img class="b_9z" src="/hat.png" id=":rf:" data-v-77="">`
		},
		"React 19": func(f *artifact.Finding) {
			f.HTML = `<img src="/hat.png" id="«r7»">`
			f.HTML = strings.Replace(f.HTML, "«r7»", ":r7:", 1)
		},
		"impact":        func(f *artifact.Finding) { f.Impact = "minor" },
		"found in file": func(f *artifact.Finding) { f.File, f.Line = "src/Cart.tsx", 7 },
		"another query": func(f *artifact.Finding) { f.URL += "?session=7" },
	} {
		other := one
		change(&other)
		if got := print(other)[0]; got != first {
			t.Errorf("%s: another fingerprint", name)
		}
	}
	for name, change := range map[string]func(*artifact.Finding){
		"another element": func(f *artifact.Finding) { f.HTML = `<img src="/cap.png">` }, "another page": func(f *artifact.Finding) { f.URL = "http://localhost:3000/shop" },
		"in a frame": func(f *artifact.Finding) { f.Frame = "1" }, "a place": func(f *artifact.Finding) { f.Place = "cookie" },
		"no markup": func(f *artifact.Finding) { f.HTML = "" },
	} {
		other := one
		change(&other)
		if print(other)[0] == first {
			t.Errorf("%s: the same fingerprint", name)
		}
	}
	three := print(one, one, one)
	if three[0] != first || three[0] == three[1] || three[1] == three[2] {
		t.Errorf("equal elements are told apart by their order: %v", three)
	}
}

// Code hosts refuse absolute locations, and take another run of one category for the next one of it.
func TestSARIFLocationsAreRelativeAndCategoriesApart(t *testing.T) {
	where := func(page string, f artifact.Finding) (string, artifact.SARIFLocation) {
		doc := artifact.NewSARIF(artifact.SARIFInput{About: "security", URL: page, Rules: []artifact.Rule{{ID: "a", Found: []artifact.Finding{f}}}})
		valid(t, doc)
		return doc.Runs[0].AutomationDetails.ID, doc.Runs[0].Results[0].Locations[0]
	}
	for _, c := range []struct {
		page, url, file, want, category string
		line                            int
	}{
		{"http://localhost:3000/", "", "", "index.html", "gasoline/security/index.html/", 0},
		{"http://localhost:3000", "", "", "index.html", "gasoline/security/index.html/", 0},
		{"http://localhost:3000/a/b?x", "", "", "a/b", "gasoline/security/a/b/", 0},
		{"http://localhost:3000/a/../../b/", "", "", "b/index.html", "gasoline/security/b/index.html/", 0},
		{"http://localhost:3000/a", "https://pay.example:444//f", "", "pay.example:444/f", "gasoline/security/a/", 0},
		{"http://localhost:3000/a%20b", "", "", "a%20b", "gasoline/security/a%20b/", 0},
		{"about:blank", "", "", "index.html", "gasoline/security/index.html/", 0},
		{"http://localhost/a", "", "src/a b.ts", "src/a%20b.ts", "gasoline/security/a/", 7},
		{"http://localhost/a", "", `src\a.ts`, "src/a.ts", "gasoline/security/a/", 7},
		{"http://localhost/a", "", "/etc/passwd", "a", "gasoline/security/a/", 0},
		{"http://localhost/a", "", "../a.ts", "a", "gasoline/security/a/", 0},
		{"http://localhost/a", "", "..", "a", "gasoline/security/a/", 0},
		{"http://localhost/a", "", "webpack://x/a.ts", "a", "gasoline/security/a/", 0},
	} {
		id, at := where(c.page, artifact.Finding{URL: c.url, File: c.file, Line: 7, Selector: "p"})
		if line := at.Physical.Region.Line; at.Physical.Artifact.URI != c.want || id != c.category || line != max(1, c.line) {
			t.Errorf("%+v: %s of %s, line %d", c, at.Physical.Artifact.URI, id, line)
		}
	}
}

// What is meant is named once, where it is the page itself, too: the schema wants each name once.
func TestSARIFNamesAPlaceOnce(t *testing.T) {
	for place, want := range map[string]int{"http://localhost/a": 1, "cookie sid": 2, "": 2} {
		doc := artifact.NewSARIF(artifact.SARIFInput{URL: "http://localhost/a", Rules: []artifact.Rule{{ID: "a", Found: []artifact.Finding{{Place: place}}}}})
		valid(t, doc)
		if at := doc.Runs[0].Results[0].Locations[0].Logical; len(at) != want {
			t.Errorf("%q: %v", place, at)
		}
	}
}

func TestSARIFHasTheBoundsOfCodeHosts(t *testing.T) {
	in := artifact.SARIFInput{URL: "http://localhost/", Lacking: make([]string, 1, 9), Rules: []artifact.Rule{{ID: "a", Tags: make([]string, 30), Found: make([]artifact.Finding, 5002)}}}
	run := artifact.NewSARIF(in).Runs[0]
	if len(run.Results) != 5000 || len(run.Tool.Driver.Rules[0].Properties.Tags) != 20 {
		t.Errorf("%d results, %d tags", len(run.Results), len(run.Tool.Driver.Rules[0].Properties.Tags))
	}
	if n := run.Invocations[0].Notifications; len(n) != 2 || !strings.HasPrefix(n[1].Message.Text, "2 further findings") {
		t.Errorf("%v", n)
	}
}

func TestSARIFIsComparedWithAnEarlierLogAndSuppressed(t *testing.T) {
	found := func(html ...string) *artifact.SARIF {
		var all []artifact.Finding
		for _, h := range html {
			all = append(all, artifact.Finding{HTML: h})
		}
		return artifact.NewSARIF(artifact.SARIFInput{URL: "http://localhost/", Rules: []artifact.Rule{{ID: "a", Found: all}, {ID: "b", Found: all[:1]}}})
	}
	earlier := found("<a>", "<b>", "<i>")
	if n, unknown := earlier.Suppress([]string{"b", earlier.Runs[0].Results[1].Fingerprints["gasolineFinding/v1"], "c"}); n != 2 || len(unknown) != 1 || unknown[0] != "c" {
		t.Errorf("%d suppressed, unknown %q", n, unknown)
	}
	valid(t, earlier)
	data, err := json.Marshal(earlier)
	if err != nil {
		t.Fatal(err)
	}
	now := found("<a>", "<b>", "<u>")
	gone, err := now.Compare(data)
	if err != nil || gone != 1 {
		t.Errorf("%d gone, %v", gone, err)
	}
	valid(t, now)
	var got []string
	for _, r := range now.Runs[0].Results {
		why := ""
		if len(r.Suppressions) > 0 {
			why = " " + r.Suppressions[0].Status
		}
		got = append(got, r.RuleID+" "+r.Baseline+why)
	}
	if text := strings.Join(got, ", "); text != "a unchanged, a unchanged accepted, a new, b unchanged accepted" {
		t.Error(text)
	}
	if n, _ := now.Suppress([]string{"b"}); n != 1 || len(now.Runs[0].Results[3].Suppressions) != 1 {
		t.Error("what is suppressed already is suppressed twice")
	}
	for _, bad := range []string{"", "{", `{"version":"1.0"}`, `[]`, `{"version":"2.1.0","runs":"a"}`} {
		if _, err := found("<a>").Compare([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a log", bad)
		}
	}
}
