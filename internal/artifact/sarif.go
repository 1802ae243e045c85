package artifact

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
)

// SARIF is a log in the Static Analysis Results Interchange Format, version 2.1.0
// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
type SARIF struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []SARIFRun `json:"runs"`
}

// SARIFRun is one run of one tool.
type SARIFRun struct {
	Tool              SARIFTool         `json:"tool"`
	Conversion        SARIFConversion   `json:"conversion"`
	AutomationDetails SARIFID           `json:"automationDetails"`
	Invocations       []SARIFInvocation `json:"invocations"`
	Artifacts         []SARIFArtifact   `json:"artifacts"`
	Results           []SARIFResult     `json:"results"`
}

// SARIFTool names the program that found the results.
type SARIFTool struct {
	Driver SARIFDriver `json:"driver"`
}

// SARIFDriver is the program with its rules.
type SARIFDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version,omitempty"`
	InformationURI string      `json:"informationUri,omitempty"`
	Rules          []SARIFRule `json:"rules"`
}

// SARIFConversion names the program that wrote the log: this one.
type SARIFConversion struct {
	Tool SARIFWriter `json:"tool"`
}

// SARIFWriter is a tool without rules.
type SARIFWriter struct {
	Driver SARIFNamed `json:"driver"`
}

// SARIFNamed is a program's name and version.
type SARIFNamed struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// SARIFID names what a run is about, the same in every run.
type SARIFID struct {
	ID string `json:"id"`
}

// SARIFInvocation says how the run went.
type SARIFInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []SARIFNotification `json:"toolExecutionNotifications,omitempty"`
}

// SARIFNotification is something that the run did not cover.
type SARIFNotification struct {
	Level   string    `json:"level"`
	Message SARIFText `json:"message"`
}

// SARIFText is a message.
type SARIFText struct {
	Text string `json:"text"`
}

// SARIFRule is a rule that a result refers to.
type SARIFRule struct {
	ID               string              `json:"id"`
	ShortDescription SARIFText           `json:"shortDescription"`
	FullDescription  SARIFText           `json:"fullDescription"`
	HelpURI          string              `json:"helpUri,omitempty"`
	Defaults         SARIFConfiguration  `json:"defaultConfiguration"`
	Properties       SARIFRuleProperties `json:"properties"`
}

// SARIFConfiguration is how grave a rule is.
type SARIFConfiguration struct {
	Level string `json:"level"`
}

// SARIFRuleProperties are what the standard has no word for.
type SARIFRuleProperties struct {
	Tags     []string `json:"tags"`
	Impact   string   `json:"impact,omitempty"`
	Severity string   `json:"security-severity,omitempty"` // 0.0 to 10.0, as code hosts read it
}

// SARIFArtifact is a document that was looked at.
type SARIFArtifact struct {
	Location SARIFArtifactLocation `json:"location"`
	Roles    []string              `json:"roles"`
}

// SARIFArtifactLocation is where a document is. Index is its place among the run's artifacts.
type SARIFArtifactLocation struct {
	URI   string `json:"uri"`
	Index *int   `json:"index,omitempty"`
}

// SARIFResult is one finding.
type SARIFResult struct {
	RuleID       string                `json:"ruleId"`
	RuleIndex    int                   `json:"ruleIndex"`
	Kind         string                `json:"kind"`  // fail, review
	Level        string                `json:"level"` // error, warning, note; none unless Kind is fail
	Message      SARIFText             `json:"message"`
	Locations    []SARIFLocation       `json:"locations"`
	Fingerprints map[string]string     `json:"partialFingerprints"`
	Properties   SARIFResultProperties `json:"properties"`
}

// SARIFLocation is where a finding is: in a document, without a line, since a page is no source file.
type SARIFLocation struct {
	Physical SARIFPhysical  `json:"physicalLocation"`
	Logical  []SARIFLogical `json:"logicalLocations"`
}

// SARIFPhysical is a place in a document.
type SARIFPhysical struct {
	Artifact SARIFArtifactLocation `json:"artifactLocation"`
}

// SARIFLogical is a place by its name: an element of a page.
type SARIFLogical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// SARIFResultProperties are what the standard has no word for.
type SARIFResultProperties struct {
	Impact string `json:"impact,omitempty"`
	HTML   string `json:"html,omitempty"`
	Frame  string `json:"frame,omitempty"`
}

// Rule is a rule of a tool, with what it found.
type Rule struct {
	ID, Help, Description, HelpURL string
	Impact                         string // critical, serious, moderate, minor; high, medium, low, info; "" unknown
	Security                       string // security-severity, 0.0 to 10.0; "" where the rule is of another sort
	Tags                           []string
	Review                         bool // a person has to look at what it found
	Found                          []Finding
}

// Finding is an element that a rule is about.
type Finding struct {
	URL      string // of its document
	Frame    string // names the iframe that it is in; "" is the page
	Selector string
	Impact   string // as Rule's; "" the rule's own
	HTML     string
	Message  string // what is wrong and how to mend it; may be ""

	Place string // what is meant where it is no element: a header, a cookie. Selector and Frame are "" then
	ID    string // tells it from others in every run; "": by rule, address and element
}

// SARIFInput is what goes into a log.
type SARIFInput struct {
	Version                   string // of this program
	Tool, ToolVersion, ToolAt string
	About                     string // what the run is about: accessibility
	URL                       string // of the page
	Rules                     []Rule
	Lacking                   []string // what the run did not cover, in sentences
}

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// Our ways to tell equal findings of two runs: by an element, or by an id that the caller gives.
const (
	fingerprint      = "gasolineElement/v1"
	givenFingerprint = "gasolineFinding/v1"
)

// NewSARIF returns the log of one run: a result for each element. Documents are named by their addresses without query
// and fragment, so that two runs name them alike; a finding in an iframe without an address is in the page.
func NewSARIF(in SARIFInput) *SARIF {
	about := cmp.Or(address(in.URL), "about:blank")
	run := SARIFRun{
		Tool: SARIFTool{Driver: SARIFDriver{
			Name: in.Tool, Version: in.ToolVersion, InformationURI: in.ToolAt, Rules: []SARIFRule{},
		}},
		Conversion:        SARIFConversion{Tool: SARIFWriter{Driver: SARIFNamed{Name: "Gasoline", Version: in.Version}}},
		AutomationDetails: SARIFID{ID: in.About + "/" + about},
		Invocations:       []SARIFInvocation{{Successful: true}},
		Artifacts:         []SARIFArtifact{},
		Results:           []SARIFResult{},
	}
	for _, text := range in.Lacking {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications,
			SARIFNotification{Level: "warning", Message: plain(text)})
	}
	documents := map[string]*int{}
	document := func(uri string) SARIFArtifactLocation {
		if documents[uri] == nil {
			documents[uri] = new(len(run.Artifacts))
			run.Artifacts = append(run.Artifacts, SARIFArtifact{
				Location: SARIFArtifactLocation{URI: uri}, Roles: []string{"analysisTarget"},
			})
		}
		return SARIFArtifactLocation{URI: uri, Index: documents[uri]}
	}
	document(about)
	rules := map[string]int{}
	for _, r := range in.Rules {
		at, known := rules[r.ID]
		if !known {
			at = len(run.Tool.Driver.Rules)
			rules[r.ID] = at
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule(r))
		}
		for _, f := range r.Found {
			uri := address(f.URL)
			if uri == "" {
				uri = about
			}
			run.Results = append(run.Results, result(r, at, f, document(uri)))
		}
	}
	return &SARIF{Schema: sarifSchema, Version: "2.1.0", Runs: []SARIFRun{run}}
}

func rule(r Rule) SARIFRule {
	out := SARIFRule{
		ID: r.ID, ShortDescription: SARIFText{r.Help}, FullDescription: SARIFText{r.Description},
		Defaults:   SARIFConfiguration{Level: level(r.Impact)},
		Properties: SARIFRuleProperties{Tags: slices.Clone(r.Tags), Impact: r.Impact, Severity: r.Security},
	}
	if out.Properties.Tags == nil {
		out.Properties.Tags = []string{}
	}
	if u, err := url.Parse(r.HelpURL); err == nil && u.IsAbs() {
		out.HelpURI = u.String()
	}
	return out
}

func result(r Rule, index int, f Finding, at SARIFArtifactLocation) SARIFResult {
	impact := f.Impact
	if impact == "" {
		impact = r.Impact
	}
	out := SARIFResult{
		RuleID: r.ID, RuleIndex: index, Kind: "fail", Level: level(impact), Message: plain(r.Help),
		Properties: SARIFResultProperties{Impact: impact, HTML: f.HTML, Frame: f.Frame},
	}
	if r.Review {
		out.Kind, out.Level = "review", "none" // the standard's level of what has not failed
	}
	if f.Message != "" {
		out.Message = plain(r.Help + ": " + f.Message)
	}
	name := f.Selector
	if f.Frame != "" {
		name = "iframe " + f.Frame + " >>> " + name
	}
	out.Locations = []SARIFLocation{{
		Physical: SARIFPhysical{Artifact: at}, Logical: []SARIFLogical{{Name: name, Kind: "element"}},
	}}
	if f.Place != "" {
		out.Locations[0].Logical[0] = SARIFLogical{Name: f.Place, Kind: "resource"}
	}
	if f.ID != "" {
		out.Fingerprints = map[string]string{givenFingerprint: f.ID}
		return out
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{r.ID, at.URI, name}, "\x00")))
	out.Fingerprints = map[string]string{fingerprint: hex.EncodeToString(sum[:16])}
	return out
}

// plain returns a message without links: the standard has [words](address) for them, and words of pages are in messages.
func plain(text string) SARIFText { return SARIFText{strings.ReplaceAll(text, "](", `]\(`)} }

// level is the standard's word for an impact.
func level(impact string) string {
	switch impact {
	case "critical", "serious", "high":
		return "error"
	case "minor", "low", "info":
		return "note"
	}
	return "warning"
}

// address is a page's URL as a URI without user, query and fragment; "" for one that is none, or about:blank.
func address(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		raw, _, _ = strings.Cut(raw, "?") // what stands in for a secret may be in it
		if u, err = url.Parse(raw); err != nil {
			return ""
		}
	}
	if !u.IsAbs() || u.Host == "" && u.Scheme != "file" {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}
