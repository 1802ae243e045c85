package configure

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/noise"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "noise_rule",
	Doc: "Rules of this project for what lists leave out and count: noise:true shows it. auto_detect proposes rules, add adds them. " +
		"Errors of the project's own stay, unless confirm.",
	Aliases: []string{"noise", "noise_rules"}, Example: `{"operation":"add","category":"console","source_regex":"^https://widget\\.example/"}`,
	Errors: []problem.Code{problem.InvalidParam, problem.MissingParam, problem.NoData, problem.TooLarge, "invalid_file"},
}, noiseRule)

type matchParams struct {
	Message   string `json:"message_regex,omitempty" length:"2000" doc:"RE2, of the text"`
	Source    string `json:"source_regex,omitempty" length:"2000" doc:"RE2, of the script's URL, or the service"`
	URL       string `json:"url_regex,omitempty" length:"2000" doc:"RE2, of the request; of a line, of its page"`
	Method    string `json:"method,omitempty" length:"20" doc:"of the request"`
	StatusMin int    `json:"status_min,omitempty" min:"0" max:"999" doc:"least status"`
	StatusMax int    `json:"status_max,omitempty" min:"0" max:"999" doc:"greatest status"`
	Level     string `json:"level,omitempty" length:"20" doc:"of the line"`
}

func (m matchParams) match() noise.Match { return noise.Match(m) }

type ruleParams struct {
	Category       string `json:"category,omitempty" enum:"console,network,websocket" doc:"what it hides; default console"`
	Classification string `json:"classification,omitempty" length:"40" doc:"a word for it"`
	Reason         string `json:"reason,omitempty" length:"300" doc:"why"`
	matchParams
}

type ruleMember struct {
	ID    string          `json:"id,omitempty" length:"40" doc:"of a proposed rule"`
	Match json.RawMessage `json:"match_spec,omitempty" doc:"the conditions, which may stand beside it"`
	ruleParams
}

type noiseParams struct {
	Operation string       `json:"operation,omitempty" alias:"noise_action,op" enum:"list,add,remove,reset,auto_detect" doc:"default list"`
	Rules     []ruleMember `json:"rules,omitempty" length:"100" doc:"several to add, as auto_detect gives them"`
	RuleID    string       `json:"rule_id,omitempty" length:"40" doc:"to remove; to add, a proposed one's"`
	Pattern   string       `json:"pattern,omitempty" length:"2000" doc:"the same as message_regex"`
	Confirm   bool         `json:"confirm,omitempty" doc:"true: hide errors of the project's own, too"`
	ruleParams
}

func noiseRule(ctx context.Context, env Env, p noiseParams) (answer.Texter, error) {
	switch p.Operation {
	case "add":
		return env.addRules(ctx, p)
	case "remove":
		return env.removeRule(p)
	case "reset":
		n, err := env.Noise.Reset(env.Call)
		return &ruleRemoved{Status: "reset", Removed: n}, err
	}
	rules, err := env.Noise.Of(env.Call)
	if err != nil {
		return nil, err
	}
	if p.Operation == "auto_detect" {
		proposals, cover, err := rules.Propose(ctx, env.Reader, query.Filter{})
		out := &rulesProposed{Proposals: proposals, Total: len(rules.Rules), Count: len(proposals), Notes: env.view().CoverNotes(cover)}
		if proposals == nil {
			out.Proposals = []noise.Proposal{}
		}
		out.Message = "Nothing is hidden before a rule is added."
		return out, err
	}
	s, cover, err := rules.Count(ctx, env.Reader, query.Filter{})
	out := &rulesListed{Rules: rules.Rules, Notes: env.view().CoverNotes(cover), Statistics: statistics{Statistics: s}}
	if out.Rules == nil {
		out.Rules = []noise.Rule{}
	}
	if !s.LastSignal.IsZero() {
		out.Statistics.LastSignal = view.Stamp(s.LastSignal)
	}
	if !s.LastNoise.IsZero() {
		out.Statistics.LastNoise = view.Stamp(s.LastNoise)
	}
	return out, err
}

// rule makes a rule of what a call says. A built-in one may be named by its id alone.
func (p ruleParams) rule(id string, m noise.Match, confirm bool) (noise.Rule, error) {
	r := noise.Rule{
		ID: id, Category: p.Category, Classification: answer.Clean(p.Classification), Reason: answer.Clean(p.Reason), Match: m, Own: confirm,
	}
	known, builtin := noise.Builtin(id)
	switch {
	case builtin && m == (noise.Match{}):
		known.Own = confirm
		r = known
	case builtin && (known.Category != r.Category || known.Match != m): // another rule, which gets an id of its own
		r.ID = ""
	case !builtin:
		r.ID = ""
	}
	if r.Category == "" {
		r.Category = noise.Console
	}
	return r, r.Compile()
}

// toAdd are the rules that a call has to be added.
func (p noiseParams) toAdd() (out []noise.Rule, _ error) {
	m := p.match()
	if p.Pattern != "" {
		if m.Message != "" && m.Message != p.Pattern {
			return nil, problem.New(problem.InvalidParam, "Leave one out.", "pattern and message_regex are the same, and differ.")
		}
		m.Message = p.Pattern
	}
	if p.RuleID != "" {
		if _, ok := noise.Builtin(p.RuleID); !ok {
			return nil, problem.New(problem.NoData, `configure {"action":"noise_rule","operation":"auto_detect"} names those that fit.`,
				"no rule %.40q is proposed.", p.RuleID)
		}
	}
	if p.RuleID != "" || m != (noise.Match{}) || len(p.Rules) == 0 {
		r, err := p.rule(p.RuleID, m, p.Confirm)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	for i, member := range p.Rules {
		m := member.match()
		if len(member.Match) > 0 {
			if m != (noise.Match{}) {
				return nil, problem.New(problem.InvalidParam, "Leave out match_spec, or what stands beside it.",
					"rules[%d] has conditions in two places.", i)
			}
			var spec matchParams
			if name, err := catalog.Options(&spec, member.Match); err != nil {
				refused := problem.From(err)
				return nil, problem.New(refused.Code, refused.Fix, "rules[%d].match_spec %s: %s.", i, name, strings.TrimSuffix(refused.Message, "."))
			}
			m = spec.match()
		}
		r, err := member.rule(member.ID, m, p.Confirm)
		if err != nil {
			refused := problem.From(err)
			return nil, problem.New(refused.Code, refused.Fix, "rules[%d]: %s", i, refused.Message)
		}
		out = append(out, r)
	}
	return out, nil
}

type rulesAdded struct {
	Status string      `json:"status"` // added, unchanged
	Added  []addedRule `json:"rules_added"`
	Total  int         `json:"total_rules"`
	Notes  []string    `json:"notes,omitempty"`
}

type addedRule struct {
	ID     string `json:"id"`
	Before bool   `json:"was_there,omitempty"`
	Hides  int    `json:"hides"`                      // events that are kept
	Spared int    `json:"own_errors_shown,omitempty"` // errors of the project's own that fit, and stay
}

func (env Env) addRules(ctx context.Context, p noiseParams) (*rulesAdded, error) {
	wanted, err := p.toAdd()
	if err != nil {
		return nil, err
	}
	out := &rulesAdded{Status: "unchanged", Added: []addedRule{}}
	alone := &noise.Rules{} // what each does by itself
	rules, err := env.Noise.Change(env.Call, func(rules *noise.Rules) error {
		for _, r := range wanted {
			i := slices.IndexFunc(rules.Rules, func(old noise.Rule) bool {
				return old.Category == r.Category && old.Match == r.Match && (old.Own || !r.Own)
			})
			if i >= 0 {
				out.Added = append(out.Added, addedRule{ID: rules.Rules[i].ID, Before: true})
				alone.Rules = append(alone.Rules, rules.Rules[i])
				continue
			}
			// The same one, confirmed now, takes the place of the one before.
			rules.Rules = slices.DeleteFunc(rules.Rules, func(old noise.Rule) bool { return old.Category == r.Category && old.Match == r.Match })
			if len(rules.Rules) >= noise.MaxRules {
				return problem.New(problem.TooLarge, `configure {"action":"noise_rule","operation":"list"} tells which hide nothing; remove those.`,
					"a project has at most %d rules.", noise.MaxRules)
			}
			if r.ID == "" {
				r.ID = fmt.Sprintf("n%d", rules.Next)
				rules.Next++
			}
			out.Status = "added"
			rules.Rules = append(rules.Rules, r)
			out.Added = append(out.Added, addedRule{ID: r.ID})
			alone.Rules = append(alone.Rules, r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.Total = len(rules.Rules)
	counted, cover, err := alone.Each(ctx, env.Reader, query.Filter{})
	if err != nil {
		return nil, err
	}
	out.Notes = env.view().CoverNotes(cover)
	for i := range out.Added {
		a, r := &out.Added[i], &alone.Rules[i]
		a.Hides, a.Spared = counted[i].Hidden, counted[i].Spared
		if a.Spared > 0 {
			out.Notes = append(out.Notes, fmt.Sprintf(
				"%s fits %d errors of the project's own code or services, which stay; confirm:true hides them, too", a.ID, a.Spared))
		}
		if m := r.Match; r.Category == noise.Console && m.Source == "" && r.Own {
			out.Notes = append(out.Notes, fmt.Sprintf("%s goes by the text alone and hides errors of the project's own: source_regex names whose they are", a.ID))
		} else if r.Category == noise.Console && m.Source == "" && r.Classification == "" {
			out.Notes = append(out.Notes, fmt.Sprintf("%s goes by the text alone, whoever wrote it; source_regex names whose it is", a.ID))
		}
	}
	return out, nil
}

// Text writes the result for a reader.
func (a *rulesAdded) Text(w *answer.Writer) {
	w.Head("noise_rule: %s; %d rules", a.Status, a.Total)
	for _, r := range a.Added {
		word := "added"
		if r.Before {
			word = "was there"
		}
		w.Head("%s %s: it hides %d of the events that are kept", r.ID, word, r.Hides)
	}
	for _, n := range a.Notes {
		w.Note("note: %s", n)
	}
	w.Note("what is hidden is counted below each list; noise:true shows it")
}

func (env Env) removeRule(p noiseParams) (*ruleRemoved, error) {
	if p.RuleID == "" {
		return nil, problem.New(problem.MissingParam, `Give it as string, as in "rule_id":"n1"; operation list names them.`, "rule_id is required to remove.")
	}
	rules, err := env.Noise.Change(env.Call, func(rules *noise.Rules) error {
		var ids []string
		for i, r := range rules.Rules {
			if r.ID == p.RuleID {
				rules.Rules = slices.Delete(rules.Rules, i, i+1)
				return nil
			}
			ids = append(ids, r.ID)
		}
		fix := `configure {"action":"noise_rule","operation":"list"} lists them.`
		if near := catalog.Nearest(p.RuleID, ids); near != "" {
			fix = fmt.Sprintf("Is %q meant? ", near) + fix
		}
		return problem.New(problem.NoData, fix, "this project has no noise rule %.40q.", p.RuleID)
	})
	if err != nil {
		return nil, err
	}
	return &ruleRemoved{Status: "removed", ID: p.RuleID, Removed: 1, Total: len(rules.Rules)}, nil
}

type ruleRemoved struct {
	Status  string `json:"status"` // removed, reset
	ID      string `json:"rule_id,omitempty"`
	Removed int    `json:"rules_removed"` // -1: not known, what was kept could not be read
	Total   int    `json:"total_rules"`
}

// Text writes the result for a reader.
func (r *ruleRemoved) Text(w *answer.Writer) {
	switch {
	case r.Status == "removed":
		w.Head("noise_rule: %s is removed; %d rules", r.ID, r.Total)
	case r.Removed < 0:
		w.Head("noise_rule: the file that could not be read is written anew; 0 rules")
	default:
		w.Head("noise_rule: %d rules are removed; nothing is hidden", r.Removed)
	}
}

type rulesListed struct {
	Rules      []noise.Rule `json:"rules"`
	Statistics statistics   `json:"statistics"`
	Notes      []string     `json:"notes,omitempty"`
}

// statistics are of what is kept now.
type statistics struct {
	noise.Statistics
	LastSignal string `json:"last_signal_at,omitempty"`
	LastNoise  string `json:"last_noise_at,omitempty"`
}

// Text writes the rules for a reader.
func (l *rulesListed) Text(w *answer.Writer) {
	s := l.Statistics
	w.Head("noise_rule: %d rules hide %d of the events that are kept", len(l.Rules), s.Hidden)
	if s.Spared > 0 {
		w.Head("errors of the project's own that fit and are shown: %d", s.Spared)
	}
	for _, n := range l.Notes {
		w.Note("note: %s", n)
	}
	w.Page("") // an agent wrote them, perhaps from what a page said
	var entries []answer.Entry
	for i := range l.Rules {
		r := &l.Rules[i]
		entries = append(entries, answer.Entry{Text: fmt.Sprintf("%s ×%d %s", r.ID, s.PerRule[r.ID], ruleLine(r))})
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d rules; a larger budget shows more", to-from, len(entries))
	}
}

func ruleLine(r *noise.Rule) string {
	out := r.Category
	m := r.Match
	for _, c := range []struct{ word, value string }{
		{"message", m.Message}, {"source", m.Source}, {"url", m.URL}, {"method", m.Method}, {"level", m.Level},
	} {
		if c.value != "" {
			out += " " + c.word + "=" + answer.Cut(answer.Clean(c.value), 200)
		}
	}
	switch {
	case m.StatusMax != 0:
		out += fmt.Sprintf(" status=%d–%d", m.StatusMin, m.StatusMax)
	case m.StatusMin != 0:
		out += fmt.Sprintf(" status=%d–", m.StatusMin)
	}
	if r.Own {
		out += " (own errors, too)"
	}
	if r.Reason != "" {
		out += " (" + answer.Cut(answer.Clean(r.Reason), 200) + ")"
	}
	return out
}

type rulesProposed struct {
	Proposals []noise.Proposal `json:"proposals"`
	Total     int              `json:"total_rules"`
	Count     int              `json:"proposals_count"`
	Message   string           `json:"message"`
	Notes     []string         `json:"notes,omitempty"`
}

// Text writes the proposals for a reader.
func (r *rulesProposed) Text(w *answer.Writer) {
	w.Head("noise_rule: %d proposals; %d rules", r.Count, r.Total)
	w.Head("%s", r.Message)
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	w.Page("")
	var entries []answer.Entry
	for i := range r.Proposals {
		p := &r.Proposals[i]
		text := fmt.Sprintf("%.2f hides %d (%s) %s", p.Confidence, p.Hides, p.Example, ruleLine(&p.Rule))
		if p.Rule.ID != "" {
			text = fmt.Sprintf("%.2f %s hides %d (%s) %s", p.Confidence, p.Rule.ID, p.Hides, p.Example, ruleLine(&p.Rule))
		}
		if p.Spared > 0 {
			text += fmt.Sprintf("; errors of the project's own that fit and stay: %d", p.Spared)
		}
		entries = append(entries, answer.Entry{Text: text})
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d proposals; a larger budget shows more", to-from, len(entries))
	}
	if r.Count > 0 {
		w.Note("operation add adds one: by rule_id, or by its conditions")
	}
}
