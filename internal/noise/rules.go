// Package noise keeps a project's rules of what lists do not show: console lines, requests and messages that say nothing of the
// application. Nothing is hidden that no rule was added for, what is hidden is counted in each answer, and errors of the project's
// own code and services are hidden by rules only that were confirmed for them.
package noise

import (
	"cmp"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

// Bounds of rules.
const (
	MaxRules = 100  // of a project
	maxRegex = 512  // bytes
	maxText  = 300  // characters of a reason
	maxWord  = 40   // bytes of a classification
	maxSeen  = 2000 // bytes of a text that a rule looks at
	frames   = 8    // calls of a stack that are looked at
	maxSteps = 1000 // instructions of a regular expression; each byte of a text may cost as many
)

// Categories of what rules hide.
const (
	Console   = "console"   // log lines and exceptions, of pages and of services
	network   = "network"   // requests, and timings of what a page loaded
	websocket = "websocket" // connections and messages, of event streams too
)

// Rule hides the events of its category that fit all that it says. At least one of its conditions is set.
type Rule struct {
	ID             string `json:"id"`
	Category       string `json:"category"`
	Classification string `json:"classification,omitempty"` // a word for what it is: extension, analytics, dev_server …
	Reason         string `json:"reason,omitempty"`
	Match          Match  `json:"match_spec"`
	Own            bool   `json:"own,omitempty"` // confirmed: errors of the project's own code and services are hidden, too

	message, source, url *regexp.Regexp
}

// Match is what an event has to be like. Regular expressions are RE2's, and case matters.
type Match struct {
	Message   string `json:"message_regex,omitempty"` // of a line, of an error with its type, of a request's error, of a message's text
	Source    string `json:"source_regex,omitempty"`  // URL of a script in the stack; name of a service or logger
	URL       string `json:"url_regex,omitempty"`     // of the request or connection; of a line, of its page
	Method    string `json:"method,omitempty"`
	StatusMin int    `json:"status_min,omitempty"`
	StatusMax int    `json:"status_max,omitempty"`
	Level     string `json:"level,omitempty"` // of a line; exceptions are error
}

// kindsOf are those of the events that a category is of.
func kindsOf(category string) []event.Kind {
	switch category {
	case Console:
		return []event.Kind{event.KindLog, event.KindException}
	case network:
		return []event.Kind{event.KindExchange, event.KindResource}
	}
	return []event.Kind{event.KindMessage}
}

// Compile checks a rule and makes it ready. Problem: invalid_param, which names the condition and the place in it.
func (r *Rule) Compile() error {
	if r.Category != Console && r.Category != network && r.Category != websocket {
		return problem.New(problem.InvalidParam, "Give category as console, network or websocket.", "category is %.40q.", r.Category)
	}
	if r.Match == (Match{}) {
		return problem.New(problem.InvalidParam, "Give a condition, such as the source of a script.",
			"a rule without a condition would hide all of %s.", r.Category)
	}
	if m := r.Match; r.Category != network && (m.Method != "" || m.StatusMin != 0 || m.StatusMax != 0) ||
		r.Category != Console && (m.Level != "" || m.Source != "") {
		return problem.New(problem.InvalidParam, "method and status are of network rules, level and source_regex of console rules.",
			"a rule of %s has a condition that nothing of it can fit.", r.Category)
	}
	if m := r.Match; m.StatusMax != 0 && m.StatusMax < m.StatusMin {
		return problem.New(problem.InvalidParam, "Exchange the two.", "status_min is %d, status_max %d.", m.StatusMin, m.StatusMax)
	}
	if _, _, known := event.LevelOf(r.Match.Level); r.Match.Level != "" && !known {
		return problem.New(problem.InvalidParam, "Use debug, info, warn or error.", "level is %.40q.", r.Match.Level)
	}
	if len(r.Match.Method) > 20 || len(r.Classification) > maxWord || len([]rune(r.Reason)) > maxText {
		return problem.New(problem.InvalidParam, "Shorten it.", "method has at most 20 bytes, classification %d, reason %d characters.",
			maxWord, maxText)
	}
	for _, c := range []struct {
		name, text string
		to         **regexp.Regexp
	}{{"message_regex", r.Match.Message, &r.message}, {"source_regex", r.Match.Source, &r.source}, {"url_regex", r.Match.URL, &r.url}} {
		if c.text == "" {
			continue
		}
		var err error
		if *c.to, err = compile(c.name, c.text); err != nil {
			return err
		}
	}
	return nil
}

// compile reads a regular expression.
func compile(name, text string) (*regexp.Regexp, error) {
	if len(text) > maxRegex {
		return nil, problem.New(problem.InvalidParam, "Shorten it, or make two rules of it.", "%s has %d bytes; it may have %d.",
			name, len(text), maxRegex)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, problem.New(problem.InvalidParam, `Mend it; a sign that stands for itself is written with \ before it.`,
			"%s is no regular expression: %s.", name, at(text, err))
	}
	if nested(tree, false) {
		return nil, problem.New(problem.InvalidParam, `Say it with one repeat, such as [\d.]+ for (\d+\.)+.`,
			"%s has a repeat within a repeat: it would be harmless here, where matching takes as long as the text, but what reads "+
				"the rule elsewhere may need forever.", name)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err == nil && len(program.Inst) > maxSteps {
		return nil, problem.New(problem.InvalidParam, `Repeat less often: + and * cost less than {0,900}.`,
			"%s is too slow: its repeats are %d steps for each byte of a text; %d are the most.", name, len(program.Inst), maxSteps)
	}
	re, err := regexp.Compile(text)
	if err != nil { // a count that is too large
		return nil, problem.New(problem.InvalidParam, "Repeat less often.", "%s is no regular expression: %s.", name, at(text, err))
	}
	if re.MatchString("") && re.MatchString("\x00") && re.MatchString("any text, of 12 words: GET /a") {
		return nil, problem.New(problem.InvalidParam, "Say what the text has to hold.", "%s fits every text.", name)
	}
	return re, nil
}

// at says what is wrong with a regular expression, and where: the byte, from 1.
func at(text string, err error) string {
	fault, ok := err.(*syntax.Error)
	if !ok {
		return err.Error()
	}
	return fmt.Sprintf("%s at byte %d: %.60q", fault.Code, max(strings.LastIndex(text, fault.Expr), 0)+1, fault.Expr)
}

// nested reports whether a repeat is within a repeat.
func nested(r *syntax.Regexp, within bool) bool {
	repeats := r.Op == syntax.OpStar || r.Op == syntax.OpPlus || r.Op == syntax.OpRepeat && (r.Max < 0 || r.Max > 1)
	if repeats && within {
		return true
	}
	for _, sub := range r.Sub {
		if nested(sub, within || repeats) {
			return true
		}
	}
	return false
}

// fits reports whether an event is as the rule says, of whomever it is.
func (r *Rule) fits(e event.Event) bool {
	switch e := e.(type) {
	case *event.Log:
		return r.Category == Console && r.level(e.Level, event.SeverityOf(e.Level)) && holds(r.url, e.PageURL) &&
			holds(r.message, e.Message) && r.from(&e.Head, e.URL, e.Logger, e.Stack)
	case *event.Exception:
		message := e.Message
		if r.message != nil && e.Type != "" && !strings.HasPrefix(message, e.Type) {
			message = e.Type + ": " + message
		}
		return r.Category == Console && r.level("error", event.SeverityError) && holds(r.url, e.PageURL) && holds(r.message, message) &&
			r.from(&e.Head, e.URL, "", e.Stack)
	case *event.Exchange:
		return r.Category == network && (r.Match.Method == "" || strings.EqualFold(r.Match.Method, e.Method)) && r.status(e.Status) &&
			holds(r.url, e.URL) && holds(r.message, e.Error)
	case *event.ResourceTiming:
		return r.Category == network && r.Match.Method == "" && r.Match.Message == "" && r.status(e.Status) && holds(r.url, e.URL)
	case *event.Message:
		return r.Category == websocket && holds(r.url, e.URL) && holds(r.message, e.Data)
	}
	return false
}

// holds reports whether a text fits; without an expression every text does.
func holds(re *regexp.Regexp, text string) bool {
	return re == nil || re.MatchString(text[:min(len(text), maxSeen)])
}

func (r *Rule) level(level string, severity int) bool {
	return r.Match.Level == "" || strings.EqualFold(r.Match.Level, level) || event.SeverityOf(r.Match.Level) == severity
}

func (r *Rule) status(status int) bool {
	return status >= r.Match.StatusMin && (r.Match.StatusMax == 0 || status <= r.Match.StatusMax)
}

// from reports whether a line came from the source: of a page the first script of the stack that is known, else the one that was told.
func (r *Rule) from(h *event.Head, script, logger string, stack []event.StackFrame) bool {
	if r.source == nil {
		return true
	}
	if h.Service != "" {
		return r.source.MatchString(h.Service) || logger != "" && r.source.MatchString(logger)
	}
	for _, f := range stack[:min(len(stack), frames)] {
		if f.URL != "" || f.Source != "" {
			return holds(r.source, f.URL) || f.Source != "" && holds(r.source, f.Source)
		}
	}
	return holds(r.source, script)
}

// hides reports whether the rule hides an event.
func (r *Rule) hides(e event.Event) bool { return r.fits(e) && (r.Own || !ownFailure(e)) }

// ownFailure reports whether an event is a failure of the project's own: an error that a service wrote or that a script of the page's site
// threw, and a request to that site that failed in the server or got no answer. Where it is not known whose it is, it is.
func ownFailure(e event.Event) bool {
	h := e.Base()
	switch e := e.(type) {
	case *event.Log:
		if e.Severity < event.SeverityError {
			return false
		}
		return h.Service != "" || ownCode(h.PageURL, e.URL, e.Stack)
	case *event.Exception:
		return h.Service != "" || ownCode(h.PageURL, e.URL, e.Stack)
	case *event.Exchange:
		bad := e.Status >= 500 || e.Outcome == "network_error"
		return bad && (h.Service != "" || analysis.SameSite(e.URL, h.PageURL))
	}
	return false
}

// ownCode reports whether an error came from a script of the page's site: the innermost call, or a call of a script further out that is
// no library's. A page's inline script further out says nothing: snippets of others stand there.
func ownCode(page, script string, stack []event.StackFrame) bool {
	told := false
	for _, f := range stack[:min(len(stack), frames)] {
		at := cmp.Or(f.URL, f.Source)
		if at == "" {
			continue
		}
		own := ownScript(page, at) && !strings.Contains(cmp.Or(f.Source, f.URL), "/node_modules/")
		if own && (!told || f.InApp && !samePage(page, at)) {
			return true
		}
		told = true
	}
	if told {
		return false
	}
	return script == "" || ownScript(page, script)
}

func ownScript(page, script string) bool {
	switch scheme, _, ok := strings.Cut(script, "://"); {
	case !ok: // a path of a source, eval, an anonymous place
		return true
	case scheme == "http" || scheme == "https":
		return page == "" || analysis.SameSite(page, script)
	default:
		return !strings.HasSuffix(scheme, "extension")
	}
}

func samePage(page, script string) bool {
	page, _, _ = strings.Cut(page, "#")
	page, _, _ = strings.Cut(page, "?")
	script, _, _ = strings.Cut(script, "?")
	return page == script
}

// Statistics tell what a project's rules hide of what is kept.
type Statistics struct {
	Hidden     int            `json:"total_filtered"`
	PerRule    map[string]int `json:"per_rule"`
	Spared     int            `json:"own_errors_shown"` // that fit a rule and are shown, since they are the project's own
	LastSignal time.Time      `json:"last_signal_at,omitzero"`
	LastNoise  time.Time      `json:"last_noise_at,omitzero"`
}
