package noise

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/query"
)

const (
	repeated     = 5   // lines of one script of somebody else's that are proposed to be hidden
	maxSources   = 500 // that are told apart
	maxProposals = 50
)

// Proposal is a rule that would hide something that is kept. Nothing is hidden before it is added.
type Proposal struct {
	Rule       Rule    `json:"rule"`
	Confidence float64 `json:"confidence"` // 0–1
	Reason     string  `json:"reason"`
	Hides      int     `json:"hides"`                      // events that are kept
	Spared     int     `json:"own_errors_shown,omitempty"` // errors of the project's own that fit and would be shown
	Example    string  `json:"example,omitempty"`          // handle of the newest that it would hide
}

// ready are the built-in rules, compiled.
var ready = sync.OnceValue(func() []Rule {
	out := slices.Clone(builtins)
	for i := range out {
		if err := out[i].Compile(); err != nil {
			panic(fmt.Sprintf("noise: %s: %v", out[i].ID, err)) // a test compiles them
		}
	}
	return out
})

// Propose looks at the newest events that pass and are not hidden yet, and returns the rules that would hide some of them, those that
// hide most first. Errors are ctx's.
func (r *Rules) Propose(ctx context.Context, reader query.Reader, f query.Filter) ([]Proposal, query.Coverage, error) {
	builtin := ready()
	found := make([]Proposal, len(builtin))
	sources := map[string]*Proposal{}
	kinds := slices.Concat(kindsOf(Console), kindsOf(network), kindsOf(websocket))
	cover, err := query.Survey(ctx, reader, kinds, f, func(it query.Item) {
		if r.hides(it.Event) != nil {
			return
		}
		for i := range builtin {
			if builtin[i].fits(it.Event) {
				found[i].Rule = builtin[i]
				found[i].count(it)
				return
			}
		}
		if host := foreign(it.Event); host != "" {
			p := sources[host]
			if p == nil {
				if len(sources) >= maxSources {
					return
				}
				p = &Proposal{}
				sources[host] = p
			}
			p.count(it)
		}
	})
	if err != nil {
		return nil, cover, err
	}
	var out []Proposal
	for _, p := range found {
		if p.Hides > 0 {
			p.Reason = fmt.Sprintf("%s: %d kept", p.Rule.Reason, p.Hides)
			p.Confidence = rounded(0.95, p)
			out = append(out, p)
		}
	}
	for host, p := range sources {
		if p.Hides < repeated {
			continue
		}
		p.Rule = Rule{
			Category: Console, Classification: "third_party", Reason: "lines of scripts of " + host,
			Match: Match{Source: `^https?://` + regexp.QuoteMeta(host) + `[/:]`},
		}
		p.Reason = fmt.Sprintf("%d lines of scripts of %s, which is another site than the page", p.Hides, host)
		p.Confidence = rounded(0.6, *p)
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b Proposal) int { return cmp.Or(b.Hides-a.Hides, cmp.Compare(a.Reason, b.Reason)) })
	return out[:min(len(out), maxProposals)], cover, nil
}

func rounded(most float64, p Proposal) float64 {
	return float64(int(100*most*float64(p.Hides)/float64(p.Hides+p.Spared))) / 100
}

// count takes an event that fits. They come newest first.
func (p *Proposal) count(it query.Item) {
	if ownFailure(it.Event) {
		p.Spared++
		return
	}
	if p.Hides++; p.Example == "" {
		p.Example = it.Handle()
	}
}

// foreign returns the host of another site's script that a page's line or error is of; "" where it is of none. Such a source can be named
// where a message cannot: what it says may be the application's words, too.
func foreign(e event.Event) string {
	var script string
	var stack []event.StackFrame
	switch e := e.(type) {
	case *event.Log:
		script, stack = e.URL, e.Stack
	case *event.Exception:
		script, stack = e.URL, e.Stack
	default:
		return ""
	}
	h := e.Base()
	if h.Service != "" || h.PageURL == "" {
		return ""
	}
	for _, f := range stack[:min(len(stack), frames)] {
		if f.URL != "" {
			script = f.URL
			break
		}
	}
	if !strings.HasPrefix(script, "http") || ownScript(h.PageURL, script) {
		return ""
	}
	u, err := page.ParseURL(script)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// Count tells what the rules hide of the newest kept events that pass. Errors are ctx's.
func (r *Rules) Count(ctx context.Context, reader query.Reader, f query.Filter) (Statistics, query.Coverage, error) {
	s := Statistics{PerRule: map[string]int{}}
	for i := range r.Rules {
		s.PerRule[r.Rules[i].ID] = 0
	}
	newest := func(at *time.Time, t time.Time) {
		if t.After(*at) {
			*at = t
		}
	}
	kinds := slices.Concat(kindsOf(Console), kindsOf(network), kindsOf(websocket))
	cover, err := query.Survey(ctx, reader, kinds, f, func(it query.Item) {
		if rule := r.hides(it.Event); rule != nil {
			s.Hidden++
			s.PerRule[rule.ID]++
			newest(&s.LastNoise, it.Head.Time)
			return
		}
		newest(&s.LastSignal, it.Head.Time)
		for i := range r.Rules {
			if r.Rules[i].fits(it.Event) {
				s.Spared++
				break
			}
		}
	})
	return s, cover, err
}

// Each tells what each rule does by itself with the newest kept events. Errors are ctx's.
func (r *Rules) Each(ctx context.Context, reader query.Reader, f query.Filter) ([]Statistics, query.Coverage, error) {
	out := make([]Statistics, len(r.Rules))
	cover, err := query.Survey(ctx, reader, slices.Concat(kindsOf(Console), kindsOf(network), kindsOf(websocket)), f, func(it query.Item) {
		for i := range r.Rules {
			switch rule := &r.Rules[i]; {
			case rule.hides(it.Event):
				out[i].Hidden++
			case rule.fits(it.Event):
				out[i].Spared++
			}
		}
	})
	return out, cover, err
}
