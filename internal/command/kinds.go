package command

import "encoding/json"

// Kind is one command that the extension carries out. The TypeScript registry in
// extension/commands is generated from [Kinds]; a kind without a handler there does not compile.
type Kind struct {
	Name    string
	Params  any  // zero value of the params struct
	Result  any  // zero value of the result struct
	Tab     bool // needs a tab
	Mutates bool // acts in a page: the extension refuses it while AI Web Pilot is off
}

// Kinds lists every command, in the order of the reference.
func Kinds() []Kind {
	return []Kind{
		{"navigate", NavigateParams{}, PageResult{}, false, true},
		{"refresh", NavigateParams{}, PageResult{}, true, true},
		{"back", NavigateParams{}, PageResult{}, true, true},
		{"forward", NavigateParams{}, PageResult{}, true, true},
		{"new_tab", NavigateParams{}, TabResult{}, false, true},
		{"switch_tab", TabParams{}, TabResult{}, false, true},
		{"close_tab", TabParams{}, TabResult{}, true, true},
		{"click", ClickParams{}, ActResult{}, true, true},
		{"type", TypeParams{}, ActResult{}, true, true},
		{"select", ValueParams{}, ActResult{}, true, true},
		{"check", CheckParams{}, ActResult{}, true, true},
		{"key_press", KeyParams{}, ActResult{}, true, true},
		{"scroll_to", ScrollParams{}, ActResult{}, true, true},
		{"hover", TargetParams{}, ActResult{}, true, true},
		{"focus", TargetParams{}, ActResult{}, true, true},
		{"wait_for", WaitParams{}, WaitResult{}, true, false},
		{"wait_for_stable", StableParams{}, StableResult{}, true, false},
		{"get_text", TextParams{}, TextResult{}, true, false},
		{"get_value", TargetParams{}, ValueResult{}, true, false},
		{"execute_js", ScriptParams{}, ScriptResult{}, true, true},
		{"highlight", HighlightParams{}, ActResult{}, true, true},
		{"list_interactive", ListParams{}, ListResult{}, true, false},
		{"screenshot", ScreenshotParams{}, ScreenshotResult{}, true, false},
		{"waterfall", NoParams{}, FlushResult{}, true, false},
		{"flush", NoParams{}, FlushResult{}, false, false},
	}
}

// NoParams is for commands that take none.
type NoParams struct{}

// Target says which element is meant. One engine resolves it for every command
// (extension/dom-agent): ref before selector before named before x and y.
type Target struct {
	Ref      string   `json:"ref,omitempty"`      // e17, from a list or an error's candidates
	Selector string   `json:"selector,omitempty"` // CSS, >>> pierces shadow roots, or text=, role=, label=, placeholder=, testid=
	Nth      *int     `json:"nth,omitempty"`      // 0-based among the matches; negative counts from the end
	Within   string   `json:"within,omitempty"`   // CSS scope
	Frame    string   `json:"frame,omitempty"`    // CSS of the iframe, its index, or "all"
	X        *float64 `json:"x,omitempty"`        // CSS pixels of the viewport
	Y        *float64 `json:"y,omitempty"`
}

// Selectors returns what in the target is in the language of selectors, "" for none.
func (t Target) Selectors() (selector, within string) { return t.Selector, t.Within }

// Timeout is the page's share of the one deadline, in ms.
type Timeout struct {
	TimeoutMS int    `json:"timeout_ms,omitempty"`
	Reason    string `json:"reason,omitempty"` // text of the toast that the user sees
}

// Limit sets the page's share of the deadline, unless one is set.
func (t *Timeout) Limit(ms int) {
	if t.TimeoutMS == 0 {
		t.TimeoutMS = ms
	}
}

// NavigateParams is for navigate, refresh, back, forward and new_tab.
type NavigateParams struct {
	Timeout
	URL    string `json:"url,omitempty"`
	NewTab bool   `json:"new_tab,omitempty"`
}

// PageResult says where a navigation ended.
type PageResult struct {
	Tab                 int    `json:"tab"`
	URL                 string `json:"url"`
	FinalURL            string `json:"final_url"`
	Title               string `json:"title"`
	ContentScriptStatus string `json:"content_script_status"` // loaded, refreshed, failed, unavailable
	CSPLevel            string `json:"csp_level,omitempty"`   // none, script_exec, page_blocked
	CSPRestricted       bool   `json:"csp_restricted"`        // csp_level is known and not none
	Message             string `json:"message,omitempty"`
}

// TabParams names a tab for switch_tab and close_tab.
type TabParams struct {
	Timeout
	TabIndex *int `json:"tab_index,omitempty"` // 0-based in its window, when the command's tab is 0
}

// TabResult describes the tab afterwards.
type TabResult struct {
	Tab       int    `json:"tab"`
	TabIndex  int    `json:"tab_index"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	ClosedTab int    `json:"closed_tab,omitempty"`
}

// TargetParams is for commands that take only a target.
type TargetParams struct {
	Target
	Timeout
}

// ClickParams clicks a target.
type ClickParams struct {
	Target
	Timeout
	Button  string `json:"button,omitempty"`  // left (default), middle, right
	Count   int    `json:"count,omitempty"`   // 2 is a double click
	NewTab  bool   `json:"new_tab,omitempty"` // open a link in a new tab
	Trusted string `json:"trusted,omitempty"` // auto (default), always, never: real input through the debugger
}

// TypeParams types text into a target or the focused element.
type TypeParams struct {
	Target
	Timeout
	Text    string `json:"text"`
	Clear   bool   `json:"clear,omitempty"`
	Trusted string `json:"trusted,omitempty"`
}

// ValueParams chooses an option by its value, label or text.
type ValueParams struct {
	Target
	Timeout
	Value string `json:"value"`
}

// CheckParams checks or unchecks.
type CheckParams struct {
	Target
	Timeout
	Checked *bool `json:"checked,omitempty"` // true when absent
}

// KeyParams presses a key, with modifiers joined by +: "Control+a".
type KeyParams struct {
	Target
	Timeout
	Text    string `json:"text"`
	Trusted string `json:"trusted,omitempty"`
}

// ScrollParams scrolls a target into view, or the page in a direction.
type ScrollParams struct {
	Target
	Timeout
	Direction string `json:"direction,omitempty"` // top, bottom, up, down
}

// WaitParams waits for exactly one condition.
type WaitParams struct {
	Target
	Timeout
	Text        string `json:"text,omitempty"`
	URLContains string `json:"url_contains,omitempty"`
	Absent      bool   `json:"absent,omitempty"` // wait until it is gone
}

// StableParams waits until a page is quiet.
type StableParams struct {
	Timeout
	StabilityMS int `json:"stability_ms,omitempty"` // how long nothing must change; 500 when absent
}

// StableResult says whether the page became quiet.
type StableResult struct {
	Stable            bool    `json:"stable"`
	TimedOut          bool    `json:"timed_out,omitempty"`
	WaitedMS          float64 `json:"waited_ms"`
	MutationsObserved int     `json:"mutations_observed"`
	StabilityMS       int     `json:"stability_ms"`
}

// TextParams reads text.
type TextParams struct {
	Target
	Timeout
	Structured bool `json:"structured,omitempty"`
}

// ScriptParams runs JavaScript.
type ScriptParams struct {
	Timeout
	Script string `json:"script"`
	World  string `json:"world,omitempty"` // auto (default), main, isolated
	Frame  string `json:"frame,omitempty"`
}

// HighlightParams draws a box around a target.
type HighlightParams struct {
	Target
	Timeout
	DurationMS *int `json:"duration_ms,omitempty"` // 5000 when absent; 0 removes it
}

// ListParams filters list_interactive.
type ListParams struct {
	Timeout
	VisibleOnly  bool      `json:"visible_only,omitempty"`
	Frame        string    `json:"frame,omitempty"`
	Within       string    `json:"within,omitempty"`
	ScopeRect    []float64 `json:"scope_rect,omitempty"` // x, y, width, height
	TextContains string    `json:"text_contains,omitempty"`
	Role         string    `json:"role,omitempty"`
	ExcludeNav   bool      `json:"exclude_nav,omitempty"`
	Limit        int       `json:"limit,omitempty"`
}

// Selectors returns what in the params is in the language of selectors, "" for none.
func (p ListParams) Selectors() (selector, within string) { return "", p.Within }

// ScreenshotParams makes an image of a tab.
type ScreenshotParams struct {
	Timeout
	Format        string `json:"format,omitempty"`  // png (default), jpeg
	Quality       int    `json:"quality,omitempty"` // of jpeg, 1–100
	FullPage      bool   `json:"full_page,omitempty"`
	Selector      string `json:"selector,omitempty"`
	WaitForStable bool   `json:"wait_for_stable,omitempty"`
	MaxWidth      int    `json:"max_width,omitempty"`
	Grayscale     bool   `json:"grayscale,omitempty"`
}

// Selectors returns what in the params is in the language of selectors, "" for none.
func (p ScreenshotParams) Selectors() (selector, within string) { return p.Selector, "" }

// Element is one element as agents see it.
type Element struct {
	Index        int     `json:"index"`
	Ref          string  `json:"ref"`
	Tag          string  `json:"tag"`
	Type         string  `json:"type,omitempty"`
	ElementType  string  `json:"element_type"` // link, button, checkbox, input, select, textarea, tab, menuitem, interactive, clickable
	Selector     string  `json:"selector"`
	Label        string  `json:"label"`
	Role         string  `json:"role,omitempty"`
	Placeholder  string  `json:"placeholder,omitempty"`
	Value        string  `json:"value,omitempty"` // masked for secret fields
	Checked      *bool   `json:"checked,omitempty"`
	Disabled     bool    `json:"disabled,omitempty"`
	Expanded     *bool   `json:"expanded,omitempty"`
	BBox         Box     `json:"bbox"`
	Visible      bool    `json:"visible"`
	InOverlay    bool    `json:"in_overlay,omitempty"`
	DistancePX   float64 `json:"distance_px,omitempty"`
	LandmarkTag  string  `json:"landmark_tag,omitempty"`
	LandmarkRole string  `json:"landmark_role,omitempty"`
	Frame        string  `json:"frame,omitempty"`
}

// Box is a rectangle in CSS pixels of the viewport.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Viewport says where the page is scrolled to.
type Viewport struct {
	Width        float64 `json:"width"`
	Height       float64 `json:"height"`
	ScrollX      float64 `json:"scroll_x"`
	ScrollY      float64 `json:"scroll_y"`
	ScrollHeight float64 `json:"scroll_height"`
}

// ActResult says what was acted on, and how it was found.
type ActResult struct {
	Matched           *Element  `json:"matched,omitempty"`
	MatchCount        int       `json:"match_count"`
	MatchStrategy     string    `json:"match_strategy"` // ref, css, text, role, label, placeholder, testid, point, focused
	AutoScrolled      bool      `json:"auto_scrolled,omitempty"`
	OverlayWarning    string    `json:"overlay_warning,omitempty"`
	InsertionStrategy string    `json:"insertion_strategy,omitempty"` // native, execCommand, keyboard, editor name
	Value             string    `json:"value,omitempty"`
	Trusted           bool      `json:"trusted,omitempty"` // real input events were used
	Viewport          *Viewport `json:"viewport,omitempty"`
	Bounds            *Box      `json:"bounds,omitempty"`
	URL               string    `json:"url,omitempty"`
	Title             string    `json:"title,omitempty"`
	Navigated         bool      `json:"navigated,omitempty"`
	OpenedTab         int       `json:"opened_tab,omitempty"`
	Selector          string    `json:"selector,omitempty"`    // of the element that is highlighted
	DurationMS        *int      `json:"duration_ms,omitempty"` // how long it is
	Dialog            *Dialog   `json:"dialog,omitempty"`      // opened by the act; the page does nothing until it is answered
}

// Dialog is a native dialog that is open.
type Dialog struct {
	Type    string `json:"type"` // alert, confirm, prompt
	Message string `json:"message,omitempty"`
}

// WaitResult says what came true.
type WaitResult struct {
	Value       string   `json:"value,omitempty"`
	MatchedText string   `json:"matched_text,omitempty"`
	Absent      bool     `json:"absent,omitempty"`
	Matched     *Element `json:"matched,omitempty"`
	WaitedMS    float64  `json:"waited_ms"`
}

// TextResult is text of the page.
type TextResult struct {
	Value    string    `json:"value,omitempty"`
	Sections []Section `json:"sections,omitempty"`
	Matched  *Element  `json:"matched,omitempty"`
	URL      string    `json:"url"`
	Hidden   bool      `json:"hidden,omitempty"`    // the element is not visible to the user
	TrueSize int       `json:"true_size,omitempty"` // characters, when the value was cut
}

// Section is one part of structured text.
type Section struct {
	Header   string `json:"header"`
	Content  string `json:"content"`
	Expanded *bool  `json:"expanded,omitempty"`
	Tag      string `json:"tag"`
}

// ValueResult is the value of a form control.
type ValueResult struct {
	Value   string   `json:"value"`
	Matched *Element `json:"matched,omitempty"`
	URL     string   `json:"url"`
}

// ScriptResult is what a script returned: JSON of depth ≤ 10, ≤ 50 keys, ≤ 100 items.
type ScriptResult struct {
	Result        json.RawMessage `json:"result"`
	Type          string          `json:"type"`           // of the result: string, number, object, undefined, …
	ExecutionMode string          `json:"execution_mode"` // user_script, debugger
	URL           string          `json:"url"`
}

// ListResult lists interactive elements.
type ListResult struct {
	Elements       []Element `json:"elements"`
	CandidateCount int       `json:"candidate_count"`
	FiltersApplied []string  `json:"filters_applied,omitempty"`
	ScopeRectUsed  []float64 `json:"scope_rect_used,omitempty"`
	Generation     int       `json:"generation"`
	URL            string    `json:"url"`
	Title          string    `json:"title"`
	Viewport       Viewport  `json:"viewport"`
}

// ScreenshotResult is an image; data is base64.
type ScreenshotResult struct {
	Format   string `json:"format"`
	Data     string `json:"data"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Scale    int    `json:"scale,omitempty"` // percent of the CSS size × device pixel ratio, when it was made smaller
	URL      string `json:"url"`
	Title    string `json:"title"`
	Route    string `json:"route"`              // visible, debugger
	Redacted int    `json:"redacted,omitempty"` // password inputs that were masked
}

// FlushResult says that everything captured so far was sent.
type FlushResult struct {
	Frames int `json:"frames"`
}
