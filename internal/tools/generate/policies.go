package generate

import (
	"context"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
)

var policiesKind = command.Question[policiesParams, policyFacts]("policies")

type policiesParams struct {
	command.Part
	Patterns []string `json:"patterns,omitempty" length:"20" doc:"regular expressions to look for in the code"`
}

// policyFacts are what policies about a document would be about.
type policyFacts struct {
	URL      string       `json:"url"`
	Worker   string       `json:"worker,omitempty"` // URL of the service worker that serves it
	Code     []inlineCode `json:"code"`             // that stands in it; at most 500
	Loads    []pageLoad   `json:"loads"`            // of its elements; at most 1000
	Marks    []int        `json:"marks"`            // patterns that some of its code fits
	More     int          `json:"more"`             // code and loads that are not listed
	Unhashed int          `json:"unhashed"`         // code that could not be hashed: the page came unencrypted
}

// inlineCode is code, or several times the same.
type inlineCode struct {
	Sort  string `json:"sort"`  // script, style; handler, attribute: of an element; javascript: a URL
	Hash  string `json:"hash"`  // SHA-256 in base64; nonce: it is named by one
	Count int    `json:"count"` // so often
}

// pageLoad is what an element loads.
type pageLoad struct {
	Tag       string `json:"tag"`
	Name      string `json:"name"` // of the attribute
	URL       string `json:"url"`  // of scripts and links; of others the origin, or the scheme with its colon
	Rel       string `json:"rel,omitempty"`
	As        string `json:"as,omitempty"`
	Type      string `json:"type,omitempty"`
	Integrity string `json:"integrity,omitempty"`
	Cross     string `json:"crossorigin,omitempty"`
}

// policed is a page with what its documents said.
type policed struct {
	url       string
	tab       int
	session   string
	documents []policyFacts // of the page's origin, and those that have no policy of their own; the page's first
	frames    []string      // addresses that frames of the page show, and origins of those that nobody may look into
	others    int           // of other origins, which have policies of their own
	lacking   []string
}

// askPolicies asks the page what policies about it would be about.
func (env Env) askPolicies(ctx context.Context, tab int, patterns []string) (*policed, error) {
	if env.Call.Detached {
		return nil, problem.New(problem.InvalidParam, "Leave out background.", "the answer is not kept for later.")
	}
	o, err := drive.Do(ctx, env.Drive, env.Call, policiesKind, tab, policiesParams{Patterns: patterns})
	if err != nil {
		return nil, err
	}
	if o.Going() {
		return nil, problem.New(problem.Timeout, "Give a larger timeout_ms.", "the page has not said what it has.")
	}
	out := &policed{
		url: o.Result.URL, tab: o.Target.Tab.ID, session: o.Target.Browser.Session, lacking: drive.Uncovered(o.Result.Coverage),
	}
	if c := o.Result.Coverage; c != nil {
		out.frames = append(out.frames, c.Ungranted...)
		for _, f := range c.Unanswered {
			out.frames = append(out.frames, f.URL)
		}
	}
	own := answer.Origin(out.url)
	for _, d := range o.Result.Documents {
		if d.Frame != nil && !inherits(d.Answer.URL) {
			out.frames = append(out.frames, d.Answer.URL)
		}
		switch at := d.Answer.URL; {
		case d.Frame == nil, answer.Origin(at) == own, inherits(at):
			out.documents = append(out.documents, d.Answer)
		default:
			out.others++
		}
	}
	return out, nil
}

// inherits reports whether a document has the policy of the one that made it.
func inherits(url string) bool {
	scheme, _, _ := strings.Cut(url, ":")
	return scheme == "about" || scheme == "blob" || scheme == "data"
}
