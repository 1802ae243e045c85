package artifact

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
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
	Help             SARIFText           `json:"help"`
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
	Baseline     string                `json:"baselineState,omitempty"` // new, unchanged; "" compared with nothing
	Suppressions []SARIFSuppression    `json:"suppressions,omitempty"`
	Properties   SARIFResultProperties `json:"properties"`
}

// SARIFSuppression says that somebody decided not to be told of a finding.
type SARIFSuppression struct {
	Kind          string `json:"kind"` // external: it stands in no source
	Status        string `json:"status,omitempty"`
	Justification string `json:"justification,omitempty"`
}

// SARIFLocation is where a finding is: in a file of the repository, as far as that is known.
type SARIFLocation struct {
	Physical SARIFPhysical  `json:"physicalLocation"`
	Logical  []SARIFLogical `json:"logicalLocations"`
}

// SARIFPhysical is a place in a file.
type SARIFPhysical struct {
	Artifact SARIFArtifactLocation `json:"artifactLocation"`
	Region   SARIFRegion           `json:"region"`
}

// SARIFRegion is a line, from 1; code hosts want one, so that it is 1 where none is known.
type SARIFRegion struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn,omitempty"`
}

// SARIFLogical is a place by its name: an element of a page, a page.
type SARIFLogical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// SARIFResultProperties are what the standard has no word for.
type SARIFResultProperties struct {
	Impact string `json:"impact,omitempty"`
	HTML   string `json:"html,omitempty"`
	Frame  string `json:"frame,omitempty"`
	Page   string `json:"page,omitempty"` // its URL, without query and fragment
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

	File         string // of the repository, relative to it, that it is written in; "" unknown
	Line, Column int    // in the file, from 1; 0 unknown
	Evidence     string // handle of an event that tells of it; "" none. It does not go into a log
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

// How equal findings of two runs are told: by our id, and by the name that GitHub reads.
const (
	fingerprint       = "gasolineFinding/v1"
	githubFingerprint = "primaryLocationLineHash"
)

// Bounds that code hosts have for one run.
const (
	maxSARIFResults = 5000
	maxSARIFTags    = 20
)

// NewSARIF returns a log with these runs, which are about different things: a result for each element. Locations are
// relative: files of the repository where they are known, else a path made of the page's, since code hosts refuse addresses.
func NewSARIF(runs ...SARIFInput) *SARIF {
	out := &SARIF{Schema: sarifSchema, Version: "2.1.0", Runs: []SARIFRun{}}
	for _, in := range runs {
		out.Runs = append(out.Runs, sarifRun(in))
	}
	return out
}

func sarifRun(in SARIFInput) SARIFRun {
	about := cmp.Or(address(in.URL), "about:blank")
	// The part before the last slash is the category of a run: one with the same takes the place of the one before.
	category := strings.Join([]string{"gasoline", in.About, pagePath(about, about)}, "/") + "/"
	run := SARIFRun{
		Tool: SARIFTool{Driver: SARIFDriver{
			Name: in.Tool, Version: in.ToolVersion, InformationURI: in.ToolAt, Rules: []SARIFRule{},
		}},
		Conversion:        SARIFConversion{Tool: SARIFWriter{Driver: SARIFNamed{Name: "Gasoline", Version: in.Version}}},
		AutomationDetails: SARIFID{ID: category},
		Invocations:       []SARIFInvocation{{Successful: true}},
		Artifacts:         []SARIFArtifact{},
		Results:           []SARIFResult{},
	}
	lacking := in.Lacking
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
	document(pagePath(about, about))
	rules := map[string]int{}
	same := map[string]int{} // findings that nothing but their order tells apart
	left := 0
	for _, r := range in.Rules {
		at, known := rules[r.ID]
		if !known {
			at = len(run.Tool.Driver.Rules)
			rules[r.ID] = at
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule(r))
		}
		for _, f := range r.Found {
			if len(run.Results) == maxSARIFResults {
				left++
				continue
			}
			page := cmp.Or(address(f.URL), about)
			uri := cmp.Or(filePath(f.File), pagePath(page, about))
			one := result(r, at, f, page, document(uri))
			id := f.ID
			if id == "" {
				id = elementID(r.ID, pagePath(page, about), f)
				same[id]++
				id = fmt.Sprintf("%s:%d", id, same[id])
			}
			one.Fingerprints = map[string]string{fingerprint: id, githubFingerprint: id}
			run.Results = append(run.Results, one)
		}
	}
	if left > 0 {
		lacking = append(slices.Clone(lacking), fmt.Sprintf("%d further findings are left out: code hosts take %d of a run", left, maxSARIFResults))
	}
	for _, text := range lacking {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications,
			SARIFNotification{Level: "warning", Message: plain(text)})
	}
	return run
}

// Suppress marks findings as accepted, by their rules' ids or their fingerprints. It returns how many are, and the names that
// none has.
func (s *SARIF) Suppress(names []string) (n int, unknown []string) {
	for _, name := range names {
		had := n
		for i := range s.Runs {
			for j := range s.Runs[i].Results {
				if r := &s.Runs[i].Results[j]; r.RuleID == name || r.Fingerprints[fingerprint] == name {
					n++
					if len(r.Suppressions) == 0 {
						r.Suppressions = []SARIFSuppression{{Kind: "external", Status: "accepted"}}
					}
				}
			}
		}
		if n == had {
			unknown = append(unknown, name)
		}
	}
	return n, unknown
}

// Compare says of each finding whether an earlier log has it, and suppresses what is suppressed there. It returns how many of
// the earlier findings are gone.
func (s *SARIF) Compare(earlier []byte) (gone int, _ error) {
	var old SARIF
	if err := json.Unmarshal(earlier, &old); err != nil {
		return 0, err
	}
	if old.Version != s.Version {
		return 0, fmt.Errorf("it is of version %.20q", old.Version)
	}
	known := map[string][]SARIFSuppression{}
	for _, run := range old.Runs {
		for _, r := range run.Results {
			if id := r.Fingerprints[fingerprint]; id != "" {
				known[id] = r.Suppressions
			}
		}
	}
	gone = len(known)
	for i := range s.Runs {
		for j := range s.Runs[i].Results {
			r := &s.Runs[i].Results[j]
			suppressed, had := known[r.Fingerprints[fingerprint]]
			if r.Baseline = "new"; had {
				r.Baseline, r.Suppressions = "unchanged", suppressed
				gone--
			}
		}
	}
	return gone, nil
}

// volatile is what of an element's markup changes from build to build and load to load.
var volatile = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s(?:class|style|nonce|data-[\w-]+|aria-(?:controls|describedby|labelledby|owns|activedescendant))="[^"]*"|` +
		`[:«_]r[0-9a-z_]*[:»_]|\d+`)
})

// elementID tells an element by what it is, as far as it is the same after the page was loaded again or changed elsewhere.
func elementID(rule, at string, f Finding) string {
	what := strings.Join(strings.Fields(volatile().ReplaceAllString(f.HTML, "")), " ")
	if what == "" {
		what = f.Selector
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{rule, at, f.Frame, what, f.Place}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// pagePath is a relative path that stands for a page: its own, behind its host where that is another than the run's page's.
func pagePath(page, about string) string {
	u, err := url.Parse(page)
	own, aboutErr := url.Parse(about)
	if err != nil || aboutErr != nil || u.Host == "" && u.Path == "" {
		return "index.html"
	}
	at := u.EscapedPath()
	if strings.HasSuffix(at, "/") || at == "" {
		at += "/index.html"
	}
	if u.Host != own.Host {
		at = url.PathEscape(u.Host) + "/" + at
	}
	return relative(at)
}

// filePath is a file of the repository as a URI reference; "" for none in it.
func filePath(file string) string {
	file = path.Clean(strings.ReplaceAll(file, `\`, "/"))
	if file == "." || strings.HasPrefix(file, "/") || file == ".." || strings.HasPrefix(file, "../") || strings.Contains(file, ":") {
		return ""
	}
	return (&url.URL{Path: file}).EscapedPath()
}

func relative(at string) string { return strings.TrimLeft(path.Clean("/"+at), "/") }

func rule(r Rule) SARIFRule {
	out := SARIFRule{
		ID: r.ID, ShortDescription: SARIFText{r.Help}, FullDescription: SARIFText{cmp.Or(r.Description, r.Help)},
		Help:       SARIFText{strings.TrimSpace(cmp.Or(r.Description, r.Help) + " " + r.HelpURL)},
		Defaults:   SARIFConfiguration{Level: level(r.Impact)},
		Properties: SARIFRuleProperties{Tags: slices.Clone(r.Tags), Impact: r.Impact, Severity: r.Security},
	}
	if out.Properties.Tags == nil {
		out.Properties.Tags = []string{}
	}
	out.Properties.Tags = out.Properties.Tags[:min(maxSARIFTags, len(out.Properties.Tags))]
	if u, err := url.Parse(r.HelpURL); err == nil && u.IsAbs() {
		out.HelpURI = u.String()
	}
	return out
}

func result(r Rule, index int, f Finding, page string, at SARIFArtifactLocation) SARIFResult {
	impact := f.Impact
	if impact == "" {
		impact = r.Impact
	}
	out := SARIFResult{
		RuleID: r.ID, RuleIndex: index, Kind: "fail", Level: level(impact), Message: plain(r.Help),
		Properties: SARIFResultProperties{Impact: impact, HTML: f.HTML, Frame: f.Frame, Page: page},
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
	where := SARIFLocation{
		Physical: SARIFPhysical{Artifact: at, Region: SARIFRegion{Line: 1}}, Logical: []SARIFLogical{{Name: name, Kind: "element"}},
	}
	if f.Place != "" {
		where.Logical[0] = SARIFLogical{Name: f.Place, Kind: "resource"}
	}
	if where.Logical[0].Name != page {
		where.Logical = append(where.Logical, SARIFLogical{Name: page, Kind: "resource"})
	}
	if f.Line > 0 && filePath(f.File) != "" {
		where.Physical.Region = SARIFRegion{f.Line, f.Column}
	}
	out.Locations = []SARIFLocation{where}
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
