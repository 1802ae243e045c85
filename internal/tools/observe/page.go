package observe

import (
	"context"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/session"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "page", Reads: true,
	Doc:     "The tab in use: URL, title, loading state, content security policy, and whether commands will work there.",
	Aliases: []string{"current_page", "page_info"},
	Errors:  []problem.Code{problem.ExtensionOffline, problem.NoTab, problem.TabGone},
}, pageMode)

type pageParams struct {
	Tab int `json:"tab,omitempty" doc:"another tab's id"`
}

type pageResult struct {
	URL           string   `json:"url"`
	Title         string   `json:"title"`
	Tab           int      `json:"tab"`
	Tracked       bool     `json:"tracked"`
	Active        bool     `json:"is_active"`
	Captured      bool     `json:"captured"`
	CSPRestricted bool     `json:"csp_restricted"`
	CSPLevel      string   `json:"csp_level"`  // none, script_exec, page_blocked, unknown
	TabStatus     string   `json:"tab_status"` // loading, complete, discarded
	Ready         bool     `json:"page_ready_for_commands"`
	Blocked       []string `json:"blocked_actions,omitempty"`
	Reason        string   `json:"blocked_reason,omitempty"`
	Session       string   `json:"session"`
	Notes         []string `json:"notes,omitempty"`
}

func pageMode(_ context.Context, env Env, p pageParams) (*pageResult, error) {
	target, err := env.Registry.Target(env.Call.Client, p.Tab)
	if err != nil {
		return nil, err
	}
	tab := target.Tab
	out := &pageResult{
		URL: tab.URL, Title: tab.Title, Tab: tab.ID, Active: tab.Active, Captured: tab.Granted && !tab.Stale,
		CSPLevel: tab.CSP, TabStatus: tab.Status,
		Session: target.Browser.Session,
	}
	if env.Call.Unheard != "" {
		out.Notes = []string{env.Call.Unheard}
	}
	out.CSPRestricted = out.CSPLevel == "script_exec" || out.CSPLevel == "page_blocked"
	if out.CSPLevel == "" {
		out.CSPLevel = "unknown" // the extension did not see the page's answer
	}
	if tab.Discarded {
		out.TabStatus = "discarded"
	}
	if _, current, ok := env.Registry.Current(env.Call.Client); ok {
		out.Tracked = current == tab.ID
	}
	out.Blocked, out.Reason = blocked(target)
	out.Ready = out.TabStatus == "complete" && (len(out.Blocked) == 0 || out.Blocked[0] != everything) &&
		target.Browser.Connected(time.Now())
	return out, nil
}

const everything = "all"

// blocked says which actions the browser will refuse in a tab, and why. The extension decides; this
// is what it will say.
func blocked(t session.Target) (actions []string, reason string) {
	tab, s := t.Tab, t.Browser.Settings
	switch {
	case !tab.Granted:
		return []string{everything}, "the user has not granted this site in the extension's popup"
	case tab.CSP == "page_blocked":
		return []string{everything}, "browsers allow no extension on this page"
	case tab.Stale:
		return []string{
			everything,
		}, `the page was open before the extension was (re)loaded; interact {"action":"refresh"} starts capture`
	case tab.Discarded:
		return []string{everything}, `the browser has put the tab to sleep; interact {"action":"refresh"} wakes it`
	case t.Browser.Known && s.Acts() && !s.ActsOn(tab.URL):
		return []string{"all that act"}, `"AI Web Pilot" is on for other sites; on this tab the user can choose "This site" in the extension's popup`
	case t.Browser.Known && !s.Acts():
		return []string{"all that act"}, `"AI Web Pilot" is off; the user can switch it on in the extension's popup`
	case tab.CSP == "script_exec" && t.Browser.Known && !s.UserScripts:
		return []string{
			"execute_js",
		}, `the page's policy forbids scripts; the user can switch on "Allow user scripts" for the extension at chrome://extensions`
	}
	return nil, ""
}

// Text writes the page for a reader.
func (r *pageResult) Text(w *answer.Writer) {
	state := []string{r.TabStatus}
	if r.Active {
		state = append(state, "active")
	}
	if r.Tracked {
		state = append(state, "in use")
	}
	if r.Ready {
		state = append(state, "ready for commands")
	} else {
		state = append(state, "not ready for commands")
	}
	w.Head("page: tab %d, %s; csp %s", r.Tab, strings.Join(state, ", "), r.CSPLevel)
	if len(r.Blocked) > 0 {
		w.Head("blocked: %s: %s", strings.Join(r.Blocked, ", "), r.Reason)
	}
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	w.Page(answer.Origin(r.URL))
	w.Entries(answer.Oldest, []answer.Entry{{Text: answer.Clean(r.URL) + part("%q", answer.Clean(r.Title))}})
}
