package command

import "fmt"

// This file declares the params of every kind. The modes of the tools embed these structs: the tags give the names,
// docs and bounds of the tools' parameters. The types and validators of the extension are generated from the same tags.

// NoParams is for kinds without parameters.
type NoParams struct{}

// FlushParams say how long documents have to give what they captured.
type FlushParams struct {
	WithinMS int `json:"within_ms,omitempty" min:"1" max:"5000" doc:"most to wait for documents; default 1500"`
}

// Engines are the locators beside CSS and ref=, as they stand before "=" in a selector. capture/locators reads them.
var Engines = []string{"text", "role", "label", "placeholder", "testid"}

// Search says how to find an element. extension/dom-agent resolves it in the same way for every kind. When both Ref and
// Selector are set, Ref is used. Named counts only without both; package drive puts the ref in its place.
type Search struct {
	Ref      string `json:"ref,omitempty" pattern:"^e\\d{1,12}$" doc:"element from a list (e17)"`
	Selector string `json:"selector,omitempty" length:"2000" doc:"CSS, or text= role= label= placeholder= testid="`
	Named    string `json:"named,omitempty" length:"200" doc:"element by its name in the project's gasoline_memory.json"`
	Nth      *int   `json:"nth,omitempty" alias:"index" doc:"which match, from 0; -1 is the last"`
	Within   string `json:"within,omitempty" length:"2000" alias:"scope" doc:"part of the page to look in; written as selector is, or named=…"`
	Frame    string `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
}

// Selectors returns the two fields that hold selectors; "" when one is not set.
func (s Search) Selectors() (selector, within string) { return s.Selector, s.Within }

// Scope returns the fields that say in which part of the page to look, and in which frame.
func (s *Search) Scope() (within, frame *string) { return &s.Within, &s.Frame }

// Aims returns where the search names its element.
func (s *Search) Aims() []Aim {
	return []Aim{{Ref: &s.Ref, Selector: &s.Selector, Named: &s.Named, Nth: &s.Nth, Within: &s.Within, Frame: &s.Frame}}
}

// Aim is where params name an element. What it points to belongs to the params; a nil pointer means that they have no
// such field.
type Aim struct {
	Place                               string // which of several: fields[2]; "" for the only one
	Ref, Selector, Named, Within, Frame *string
	Nth                                 **int
}

// Target names an element by a search or by a point of the viewport. X and Y count only together.
type Target struct {
	Search
	X *float64 `json:"x,omitempty" doc:"CSS pixels of the viewport"`
	Y *float64 `json:"y,omitempty" doc:"CSS pixels of the viewport"`
}

// Empty reports whether the target names no element: no ref, no selector, no name and no complete point.
func (t Target) Empty() bool {
	return t.Ref == "" && t.Selector == "" && t.Named == "" && (t.X == nil || t.Y == nil)
}

// Toast is a text that the extension shows to the user while a command acts.
type Toast struct {
	Reason string `json:"reason,omitempty" length:"500" doc:"shown to the user as a toast"`
}

// Trust says whether the browser makes real (trusted) input events.
type Trust struct {
	Trusted string `json:"trusted,omitempty" enum:"auto,always,never" doc:"real input events: when needed, always, never"`
}

// Dialogs says what becomes of native dialogs that an act opens: alert, confirm, prompt, and what a page asks before it is
// left. Without it they stay open for the user.
type Dialogs struct {
	Dialog     string `json:"dialog,omitempty" enum:"accept,dismiss" doc:"answer a native dialog that the act opens"`
	DialogText string `json:"dialog_text,omitempty" length:"10000" doc:"what a prompt is answered; accepts it"`
}

// Says reports whether a dialog is answered with a text.
func (d Dialogs) Says() bool { return d.DialogText != "" }

// NavigateParams is for navigate.
type NavigateParams struct {
	Toast
	Dialogs
	URL    string `json:"url" required:"true" length:"100000" doc:"where to go"`
	NewTab bool   `json:"new_tab,omitempty" doc:"in a new tab"`
}

// OpensTab reports whether the params ask for a tab of its own. If not, the command acts in the one that is named.
func (p NavigateParams) OpensTab() bool { return p.NewTab }

// NewTabParams is for new_tab.
type NewTabParams struct {
	Toast
	URL string `json:"url,omitempty" length:"100000" doc:"where to go"`
}

// TabOnlyParams is for kinds that take only a tab and a toast. The tab is in [Command.Tab], not in the params.
type TabOnlyParams struct{ Toast }

// SwitchParams is for switch_tab.
type SwitchParams struct {
	Toast
	TabIndex *int `json:"tab_index,omitempty" min:"0" doc:"place in its window, from 0"`
}

// NamesTab reports whether the params name the tab by its index. If not, the command means the tab that the client
// uses.
func (p SwitchParams) NamesTab() bool { return p.TabIndex != nil }

// HoverParams is for hover.
type HoverParams struct {
	Target
	Toast
	Trust
}

// TargetParams is for kinds that take only an element and a toast.
type TargetParams struct {
	Target
	Toast
}

// ValueParams is for get_value.
type ValueParams struct{ Target }

// ClickParams is for click.
type ClickParams struct {
	Target
	Toast
	Trust
	Dialogs
	Button string `json:"button,omitempty" enum:"left,middle,right" doc:"mouse button; default left"`
	Count  int    `json:"count,omitempty" min:"1" max:"3" doc:"2 is a double click"`
	NewTab bool   `json:"new_tab,omitempty" doc:"open the link in a new tab"`
	// With real input only. 30 s are for a person's patience; the call's time has to be longer.
	DurationMS *int `json:"duration_ms,omitempty" min:"0" max:"30000" doc:"hold the button so long, in ms: a long press"`
}

// TypeParams is for type. The text goes into the target, or into the focused element when the target is empty.
type TypeParams struct {
	Target
	Toast
	Trust
	Text  string `json:"text" required:"true" blank:"true" length:"1000000" alias:"value" doc:"text to type, to wait for, or key to press"`
	Clear bool   `json:"clear,omitempty" doc:"empty the field first"`
}

// SelectParams is for select. Value is the value, the label or the text of the option; exactly one of Value and Values is given.
type SelectParams struct {
	Target
	Toast
	Trust
	Value  *string   `json:"value,omitempty" blank:"true" length:"10000" doc:"the option"`
	Values *[]string `json:"values,omitempty" length:"1000" doc:"exactly these options of a list of several; [] for none"`
}

// CheckParams is for check.
type CheckParams struct {
	Target
	Toast
	Trust
	Checked *bool `json:"checked,omitempty" doc:"false unchecks it; default true"`
}

// KeyParams is for key_press.
type KeyParams struct {
	Target
	Toast
	Trust
	Dialogs
	Text string `json:"text" required:"true" length:"100" alias:"key" doc:"Enter, Tab, Escape, ArrowDown, Control+a, …"`
}

// HistoryParams is for kinds that load the page again, or another one of the tab's history.
type HistoryParams struct {
	Toast
	Dialogs
}

// ScrollParams is for scroll_to. It scrolls a target into view, or the page in a direction.
type ScrollParams struct {
	Target
	Toast
	Direction string  `json:"direction,omitempty" alias:"value" enum:"top,bottom,up,down" doc:"scroll the page"`
	DX        float64 `json:"dx,omitempty" doc:"so many CSS pixels further to the right"`
	DY        float64 `json:"dy,omitempty" doc:"so many CSS pixels further down"`
}

// HighlightParams is for highlight.
type HighlightParams struct {
	Target
	Toast
	DurationMS *int `json:"duration_ms,omitempty" min:"0" max:"30000" doc:"how long, in ms; default 5000"`
}

// WaitParams is for wait_for. Exactly one of the element, Text and URLContains is the condition.
type WaitParams struct {
	Search
	Text        string `json:"text,omitempty" length:"10000" alone:"ref,selector,named,url_contains,absent,frame,tab" doc:"text to type, to wait for, or key to press"`
	URLContains string `json:"url_contains,omitempty" length:"10000" alias:"url" alone:"ref,selector,named,text,absent,frame,tab" doc:"part of the URL"`
	Absent      bool   `json:"absent,omitempty" doc:"until it is gone"`
}

// Leaves reports whether the element is waited for to be gone.
func (p WaitParams) Leaves() bool { return p.Absent }

// StableParams is for wait_for_stable.
type StableParams struct {
	StabilityMS int `json:"stability_ms,omitempty" min:"50" max:"30000" doc:"for how long nothing must change; default 500"`
}

// TextParams is for get_text.
type TextParams struct {
	Target
	Structured bool `json:"structured,omitempty" doc:"by headings"`
}

// ScriptParams is for execute_js.
type ScriptParams struct {
	Toast
	Dialogs
	Script string `json:"script" required:"true" length:"1000000" alias:"code,expression,js" doc:"JavaScript; the value of its last expression, or of return"`
	World  string `json:"world,omitempty" enum:"auto,main,isolated" doc:"where it runs; default main"`
	Frame  string `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
}

// ListParams is for list_interactive.
type ListParams struct {
	VisibleOnly  bool      `json:"visible_only,omitempty" doc:"leave out what is not visible"`
	Frame        string    `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
	Within       string    `json:"within,omitempty" length:"2000" alias:"scope" doc:"part of the page to look in; written as selector is, or named=…"`
	ScopeRect    []float64 `json:"scope_rect,omitempty" length:"4" doc:"x, y, width, height: nearest to it first"`
	TextContains string    `json:"text_contains,omitempty" length:"1000" doc:"only with this in label or text"`
	Role         string    `json:"role,omitempty" length:"100" doc:"only this ARIA role"`
	ExcludeNav   bool      `json:"exclude_nav,omitempty" doc:"leave out navigation, header and footer"`
	Limit        int       `json:"limit,omitempty" min:"1" max:"100" doc:"most elements, 1-100; default 60"`
}

// Selectors returns the two fields that hold selectors; "" when one is not set or the kind lacks it.
func (p ListParams) Selectors() (selector, within string) { return "", p.Within }

// Scope returns the fields that say in which part of the page to look, and in which frame.
func (p *ListParams) Scope() (within, frame *string) { return &p.Within, &p.Frame }

// ScreenshotParams is for screenshot.
type ScreenshotParams struct {
	Format        string `json:"format,omitempty" enum:"png,jpeg,webp" doc:"of the image; default png"`
	Quality       int    `json:"quality,omitempty" min:"1" max:"100" doc:"of jpeg and webp; default 80"`
	FullPage      bool   `json:"full_page,omitempty" doc:"all of the page, not only what is in view"`
	Ref           string `json:"ref,omitempty" pattern:"^e\\d{1,12}$" doc:"element from a list (e17)"`
	Selector      string `json:"selector,omitempty" length:"2000" doc:"only this element: CSS, text=, role=, …"`
	Named         string `json:"named,omitempty" length:"200" doc:"element by its name in the project's gasoline_memory.json"`
	Nth           *int   `json:"nth,omitempty" doc:"which match, from 0; -1 is the last"`
	Frame         string `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
	WaitForStable bool   `json:"wait_for_stable,omitempty" doc:"wait until nothing changes, at most 5 s"`
	MaxWidth      int    `json:"max_width,omitempty" min:"50" max:"4000" doc:"made smaller to this width in pixels"`
	Grayscale     bool   `json:"grayscale,omitempty" doc:"without colours"`

	Masks []string `json:"masks,omitempty" length:"20" doc:"selectors of elements that are not to be seen in it"`
}

// Selectors returns the two fields that hold selectors; "" when one is not set or the kind lacks it.
func (p ScreenshotParams) Selectors() (selector, within string) { return p.Selector, "" }

// Aims returns where the params name their element.
func (p *ScreenshotParams) Aims() []Aim {
	return []Aim{{Ref: &p.Ref, Selector: &p.Selector, Named: &p.Named, Nth: &p.Nth, Frame: &p.Frame}}
}

// AttributeParams is for get_attribute.
type AttributeParams struct {
	Target
	Name string `json:"name" required:"true" length:"200" doc:"of the attribute or cookie"`
}

// SetAttributeParams is for set_attribute.
type SetAttributeParams struct {
	Target
	Toast
	Name   string `json:"name" required:"true" length:"200" doc:"of the attribute or cookie"`
	Value  string `json:"value,omitempty" length:"10000" doc:"what is to be there; default nothing"`
	Remove bool   `json:"remove,omitempty" doc:"take the attribute away"`
}

// QueryParams is for query. What a page lacks is no failure of it.
type QueryParams struct {
	Selector       string   `json:"selector" required:"true" length:"2000" doc:"CSS, or text= role= label= placeholder= testid="`
	Within         string   `json:"within,omitempty" length:"2000" alias:"scope" doc:"part of the page to look in; written as selector is, or named=…"`
	Frame          string   `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
	QueryType      string   `json:"query_type,omitempty" enum:"exists,count,text,text_all,attributes" doc:"what is asked; default exists"`
	AttributeNames []string `json:"attribute_names,omitempty" length:"20" doc:"which attributes; default all"`
}

// Selectors returns the two fields that hold selectors; "" when one is not set.
func (p QueryParams) Selectors() (selector, within string) { return p.Selector, p.Within }

// Scope returns the fields that say in which part of the page to look, and in which frame.
func (p *QueryParams) Scope() (within, frame *string) { return &p.Within, &p.Frame }

// PasteParams is for paste. The text goes into the target, or into the focused element when the target is empty. HTML is
// the same as markup, for pages that take it.
type PasteParams struct {
	Target
	Toast
	Text string `json:"text" required:"true" length:"1000000" doc:"text to type, to wait for, or key to press"`
	HTML string `json:"html,omitempty" length:"1000000" doc:"the same as markup, for editors that take it"`
}

// Field is one field of a form and what is to be in it: a text, the label or value of an option, or true and false for
// what is checked.
type Field struct {
	Ref      string `json:"ref,omitempty" pattern:"^e\\d{1,12}$" doc:"element from a list (e17)"`
	Selector string `json:"selector,omitempty" length:"2000" doc:"CSS, or text= role= label= placeholder= testid="`
	Named    string `json:"named,omitempty" length:"200" doc:"element by its name in the project's gasoline_memory.json"`
	Nth      *int   `json:"nth,omitempty" doc:"which match, from 0; -1 is the last"`
	Value    string `json:"value,omitempty" length:"100000" alias:"text,checked" doc:"text, option, or true and false"`

	Values *[]string `json:"values,omitempty" length:"1000" doc:"exactly these options of a list of several; [] for none"`
}

// FormParams is what every kind takes that fills a form. The fields are filled in their order, until one cannot be.
type FormParams struct {
	Toast
	Fields []Field `json:"fields" required:"true" length:"100" doc:"what to fill, in this order"`
	Within string  `json:"within,omitempty" length:"2000" alias:"scope" doc:"part of the page to look in; written as selector is, or named=…"`
	Frame  string  `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
}

// Selectors returns the two fields that hold selectors; "" when one is not set.
func (p FormParams) Selectors() (selector, within string) { return "", p.Within }

// Scope returns the fields that say in which part of the page to look, and in which frame.
func (p *FormParams) Scope() (within, frame *string) { return &p.Within, &p.Frame }

// Aims returns where the params name their fields.
func (p *FormParams) Aims() []Aim {
	var out []Aim
	for i := range p.Fields {
		f := &p.Fields[i]
		out = append(out, Aim{
			Place: fmt.Sprintf("fields[%d]", i), Ref: &f.Ref, Selector: &f.Selector, Named: &f.Named, Nth: &f.Nth,
		})
	}
	return out
}

// SubmitParams is for fill_form_and_submit. SubmitRef is used before SubmitSelector, SubmitNamed after both. Without them the form of the last field is sent by its own button.
type SubmitParams struct {
	FormParams
	SubmitSelector string `json:"submit_selector,omitempty" length:"2000" doc:"what to click then; default the form's own button"`
	SubmitRef      string `json:"submit_ref,omitempty" pattern:"^e\\d{1,12}$" doc:"the same by its ref"`
	SubmitNamed    string `json:"submit_named,omitempty" length:"200" doc:"the same by its name in the project's gasoline_memory.json"`
}

// Aims returns where the params name their fields and what sends them.
func (p *SubmitParams) Aims() []Aim {
	return append(p.FormParams.Aims(), Aim{
		Place: "submit_named", Ref: &p.SubmitRef, Selector: &p.SubmitSelector, Named: &p.SubmitNamed,
	})
}

// IntentParams is for kinds that look for their element themselves: the dialog on top, what closes it, what sends a text.
type IntentParams struct {
	Toast
	Within string `json:"within,omitempty" length:"2000" alias:"scope" doc:"part of the page to look in; written as selector is, or named=…"`
	Frame  string `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
}

// Selectors returns the two fields that hold selectors; "" when one is not set.
func (p IntentParams) Selectors() (selector, within string) { return "", p.Within }

// Scope returns the fields that say in which part of the page to look, and in which frame.
func (p *IntentParams) Scope() (within, frame *string) { return &p.Within, &p.Frame }

// BannersParams is for auto_dismiss_overlays.
type BannersParams struct {
	Toast
	Frame string `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
}

// StorageParams is for delete_storage.
type StorageParams struct {
	Storage
	Key string `json:"key" required:"true" length:"10000" doc:"of the entry"`
}

// SetStorageParams is for set_storage.
type SetStorageParams struct {
	StorageParams
	Value string `json:"value,omitempty" length:"5000000" doc:"what is to be there; default nothing"`
}

// Storage names a storage of a page's origin.
type Storage struct {
	Toast
	StorageType string `json:"storage_type,omitempty" enum:"localStorage,sessionStorage" doc:"which one; default localStorage"`
	Frame       string `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
}

// CookieParams is for delete_cookie. Domain and Path are those it was set with.
type CookieParams struct {
	Toast
	Name   string `json:"name" required:"true" length:"1000" doc:"of the attribute or cookie"`
	Domain string `json:"domain,omitempty" length:"300" doc:"of the cookie; default the page's host alone"`
	Path   string `json:"path,omitempty" length:"2000" doc:"of the cookie; default /"`
	Frame  string `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
}

// SetCookieParams is for set_cookie.
type SetCookieParams struct {
	CookieParams
	Value string `json:"value,omitempty" length:"4096" doc:"what is to be there; default nothing"`
}

// ReadParams is for get_readable and get_markdown.
type ReadParams struct {
	Frame string `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
}

// SubtitleParams is for subtitle.
type SubtitleParams struct {
	Text string `json:"text,omitempty" length:"500" doc:"what the user reads; without it the last one goes"`
}
