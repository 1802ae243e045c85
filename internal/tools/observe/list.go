package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

// maxCounted is how many events a summary counts: more than any ring holds.
const maxCounted = query.MaxLimit

// opened is the part of the events that a list mode reads.
type opened struct {
	view.Selection
	page  query.Page
	key   string
	scope query.Filter // the selection's, before the mode's filters
}

// open resolves scope and page of a list mode. filters are what a since:"last" position depends on
// beside the scope; the first one is the URL. Summaries read everything that is kept, unless told
// where to begin.
func (env Env) open(
	ctx context.Context,
	s view.Scoped,
	p view.Paged,
	summary bool,
	url string,
	filters ...any,
) (opened, error) {
	selection, err := env.Select(ctx, s)
	if err != nil {
		return opened{}, err
	}
	out := opened{Selection: selection, key: view.Key(append([]any{s, url}, filters...)...), scope: selection.Filter}
	out.Filter.URL = url
	if out.page, err = env.Page(p, env.Call.Limit, out.key); err != nil {
		return opened{}, err
	}
	if summary && p.Limit == 0 {
		out.page.Limit = maxCounted
	}
	return out, nil
}

// beside adds the events of services; see view.View.Beside.
func (o *opened) beside(env Env, s view.Served, least int) {
	url := o.Filter.URL
	env.Beside(&o.Selection, s.Service, least)
	o.scope = o.Filter
	o.scope.URL, o.Filter.URL = "", url
}

// nothing is what an empty list says: words only where they are true, which no filter, no end of a
// search and no eviction may stand against. count tells how many there are without the mode's filters.
func (o opened) nothing(words string, count func(query.Filter) (int, query.Coverage)) func() (string, bool) {
	return func() (string, bool) {
		switch n, c := count(o.scope); {
		case n > 0 && o.page.Cursor != "":
			return "nothing new", false
		case n > 0:
			return fmt.Sprintf("none fits; %d without the filters", n), false
		case !c.Exhausted:
			return fmt.Sprintf("none among the %d that were looked at; more are kept", c.Looked), false
		case c.Evicted > 0:
			return "none is kept; older ones were evicted", false
		}
		return words, true
	}
}

// countOf counts the events of several kinds, none for all, that keep takes; nil takes all.
func (env Env) countOf(
	ctx context.Context,
	kinds []event.Kind,
	keep func(query.Item) bool,
) func(query.Filter) (int, query.Coverage) {
	return func(f query.Filter) (int, query.Coverage) {
		if keep == nil {
			sum, err := env.Reader.Sum(ctx, kinds, &f, 0, true)
			if err == nil && sum.Passing >= 0 {
				return sum.Passing, query.Coverage{
					Exhausted:    true,
					Evicted:      sum.Evicted,
					EvictedUpper: sum.EvictedUpper,
				}
			}
		}
		list, cover, err := query.Timeline(ctx, env.Reader, kinds, f, query.Page{Limit: query.MaxLimit}, keep)
		if err != nil {
			return 0, query.Coverage{} // the call has ended: nothing is claimed
		}
		return len(list.Items), cover
	}
}

// lastN narrows a list to its newest n.
type lastN struct {
	LastN int `json:"last_n,omitempty" min:"1" max:"1000" doc:"only the newest n"`
}

// narrow applies the parameter, which makes no sense together with a place to go on from.
func (l lastN) narrow(p *query.Page) error {
	if l.LastN == 0 {
		return nil
	}
	if p.Cursor != "" {
		return problem.New(
			problem.InvalidParam,
			"Leave out last_n: a cursor gives what is new.",
			"last_n takes the newest, a cursor goes on from where you were.",
		)
	}
	p.Limit = l.LastN
	return nil
}

// flat returns text of a page on one line: JSON without its white space, other text with single spaces.
func flat(s string) string {
	if t := strings.TrimSpace(s); t != "" && (t[0] == '{' || t[0] == '[') {
		s = squeeze(t)
	} else {
		s = strings.Join(strings.Fields(s), " ")
	}
	return answer.Clean(s)
}

// squeeze takes the white space between JSON's tokens out. The text may be cut anywhere.
func squeeze(s string) string {
	var out strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted && c == '\\' && i+1 < len(s):
			out.WriteByte(c)
			i++
			c = s[i]
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}

// raw returns JSON as it can stand in a result; what is none becomes a string.
func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	b, _ := json.Marshal(s) // a string always encodes
	return b
}

// part returns " text" for an optional part of a line, "" when it is empty.
func part(format, s string) string {
	if s == "" {
		return ""
	}
	return " " + fmt.Sprintf(format, s)
}

// withRange adds from when to when the counted events are.
func withRange(t *view.Tally, from, to time.Time) *view.Tally {
	if from.IsZero() {
		return t
	}
	t.Fields = map[string]any{"time_range": map[string]string{"from": view.Stamp(from), "to": view.Stamp(to)}}
	t.Scope += ", " + answer.Clock(from) + "–" + answer.Clock(to)
	return t
}
