package script

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/steps"
)

// uses reports whether an act is so.
func uses(acts []act, is func(*act) bool) bool {
	for i := range acts {
		if is(&acts[i]) {
			return true
		}
	}
	return false
}

func (a *act) frames() bool {
	return a.verb != "gap" && (a.at != nil && a.at.frame != "" ||
		slices.ContainsFunc(a.checks, func(c check) bool { return c.frame != "" }))
}

// listens reports whether the test listens for errors.
func (p *Plan) listens() bool { return p.NoErrors || p.Failure != nil && p.Failure.Message != "" }

// secretURL reports whether a part of an address is masked.
func secretURL(address string) bool { return steps.Masked(address) }

// heads are the lines of the comment at the top. It completes the variables first.
func (p *Plan) heads(s *Script, mark string) (out []string) {
	if p.Start != "" && secretURL(p.Start) {
		s.Variables = append(s.Variables, "START_URL")
	}
	for _, h := range p.Head {
		out = append(out, mark+remark(h))
	}
	if len(s.Variables) > 0 {
		where := "in the environment"
		if p.Framework == Cypress {
			where = "for Cypress (CYPRESS_" + s.Variables[0] + "=…)"
		}
		out = append(out, mark+fmt.Sprintf("Set %s %s: what was typed there is not in this file.", strings.Join(s.Variables, ", "), where))
	}
	for _, g := range s.Gaps {
		out = append(out, mark+"Not repeated: "+remark(g)+".")
	}
	return out
}

// known are patterns of the errors that were there when it was recorded.
func (p *Plan) known() (out []string) {
	for _, m := range p.Known {
		m = firstLine(m)
		if thrown, ok := strings.CutPrefix(m, "Thrown: "); ok { // what is no error: the frameworks name an object by its class
			m = thrown
			if strings.HasPrefix(m, "{") {
				m = "Object"
			}
		} else if at := structured().FindStringIndex(m); at != nil && at[0] > 4 { // everybody writes objects otherwise
			m = m[:at[0]]
		}
		if one := "/^" + pattern(m) + "/"; one != "/^/" && !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// structured is an object or a list in what a page wrote to its console.
var structured = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s(?:\{["}]|\[["\d{\[\]])`) })

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > 200 {
		return string(r[:200])
	}
	return s
}

// failing are patterns of the lines of requests that failed when it was recorded.
func (p *Plan) failing() (out []string) {
	for _, f := range p.Failing {
		address := addressPattern(f.URL)
		address, _, _ = strings.Cut(strings.TrimPrefix(address, "^"), `\/?(?:[?#]|$)`)
		one := fmt.Sprintf(`/^%s %s(?:[?#]\S*)? %d$/`, escape(f.Method), address, f.Status)
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// failurePattern finds the failure's message.
func (p *Plan) failurePattern() string {
	message := firstLine(p.Failure.Message)
	if one := pattern(message); one != "" {
		return one
	}
	return escape(message)
}

// grouped are the mocks by what they answer, in the order in which each came first.
func (p *Plan) grouped() (out [][]Mock) {
	at := map[string]int{}
	for _, m := range p.Mocks {
		m.Body = oneLine(m.Body)
		key := m.Method + " " + addressPattern(m.URL)
		i, had := at[key]
		if !had {
			i = len(out)
			at[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], m)
	}
	return out
}
