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
	want := `image-alt | fail | error | http://localhost:3000/cart | #logo
image-alt | fail | error | https://pay.example/form | iframe 2 >>> img
image-alt | fail | error | http://localhost:3000/cart | iframe 3 >>> img
region | fail | warning | http://localhost:3000/cart | p
odd | fail | note | http://localhost:3000/cart | b
region | review | none | http://localhost:3000/cart | i`
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
			if seen[print] {
				t.Errorf("%s of %s is another's, too", print, r.RuleID)
			}
			seen[print] = true
		}
	}
	if len(seen) != len(first.Runs[0].Results) {
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
