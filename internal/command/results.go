package command

import "encoding/json"

// PageResult is the page that a navigation reached.
type PageResult struct {
	Tab                 int      `json:"tab"`
	URL                 string   `json:"url"`
	FinalURL            string   `json:"final_url"`
	Title               string   `json:"title"`
	ContentScriptStatus string   `json:"content_script_status"` // loaded, refreshed, failed, unavailable
	CSPLevel            string   `json:"csp_level,omitempty"`   // none, script_exec, page_blocked
	CSPRestricted       bool     `json:"csp_restricted"`        // csp_level is neither "" nor none
	Message             string   `json:"message,omitempty"`
	Dialog              *Dialog  `json:"dialog,omitempty"` // opened on the way and answered; of several the last one
	Receipt             *Receipt `json:"receipt,omitempty"`
}

// Receipt says what an act led to, as far as it was seen before the act answered: at most 1,500 bytes of JSON. The
// extension tells what the page shows, the daemon adds the errors and requests that it has stored.
type Receipt struct {
	From      string          `json:"from,omitempty"`     // address before, when the act led to another one
	To        string          `json:"to,omitempty"`       // address after
	Changes   []string        `json:"changes,omitempty"`  // of the page, in words; at most 12 of at most 140 characters, 1,000 bytes in all
	Errors    []CausedError   `json:"errors,omitempty"`   // at most 3
	Requests  []CausedCall    `json:"requests,omitempty"` // at most 5, failed ones first
	Service   *CausedService  `json:"service,omitempty"`  // why the first failed request failed, where a service says so
	Messages  []CausedMessage `json:"messages,omitempty"` // of WebSockets and event streams; at most 3
	Stored    []string        `json:"stored,omitempty"`   // entries of storages and cookies written meanwhile, without values; at most 6
	Unlisted  *Unlisted       `json:"unlisted,omitempty"` // what found no room here
	Busy      []string        `json:"busy,omitempty"`     // what the act still waited for when it answered; at most 5
	Refused   []string        `json:"refused,omitempty"`  // what the browser refused because no user had acted; at most 4
	SettledMS float64         `json:"settled_ms"`         // from the act until nothing of it ran that is watched, or until the answer
}

// Unlisted is how much of what an act led to its receipt has no room for.
type Unlisted struct {
	Errors   int `json:"errors,omitempty"`
	Requests int `json:"requests,omitempty"`
	Messages int `json:"messages,omitempty"`
}

// CausedError is an error that an act led to.
type CausedError struct {
	Handle   string `json:"handle"`
	Text     string `json:"text"`                // at most 160 characters
	At       string `json:"at,omitempty"`        // file and line of the page's own code, by its source map where there is one
	Inferred bool   `json:"same_time,omitempty"` // nothing but the time speaks for the act as its cause
}

// CausedCall is a request that an act led to.
type CausedCall struct {
	Handle   string  `json:"handle"`
	Method   string  `json:"method"`
	Path     string  `json:"path"` // at most 100 characters
	Status   int     `json:"status,omitempty"`
	Outcome  string  `json:"outcome,omitempty"` // when it is not ok
	Duration float64 `json:"duration_ms"`
	Streams  bool    `json:"streaming,omitempty"` // the body still comes: the duration is no end
	Body     string  `json:"body,omitempty"`      // the first 160 characters of what a failed one was answered
	Inferred bool    `json:"same_time,omitempty"`
}

// CausedService is what services tell of a request that failed.
type CausedService struct {
	Handle  string  `json:"handle"` // of the span or line that is the probable cause
	Service string  `json:"service"`
	Text    string  `json:"text"`  // at most 160 characters
	Score   float64 `json:"score"` // 0 to 1: how sure it is
	Trace   string  `json:"trace"` // handle of the request, to ask for all of it
}

// CausedMessage is a message that an act led to, or that came in while it settled.
type CausedMessage struct {
	Handle    string `json:"handle"`
	Direction string `json:"direction"`      // incoming, outgoing
	Path      string `json:"path"`           // of the connection; at most 100 characters
	Size      int64  `json:"size"`           // bytes
	Text      string `json:"text,omitempty"` // the first 80 characters; "" for a binary one
	Inferred  bool   `json:"same_time,omitempty"`
}

// TabResult describes the tab after the command.
type TabResult struct {
	Tab       int      `json:"tab"`
	TabIndex  int      `json:"tab_index"`
	URL       string   `json:"url"`
	Title     string   `json:"title"`
	ClosedTab int      `json:"closed_tab,omitempty"`
	Receipt   *Receipt `json:"receipt,omitempty"`
}

// Element is one element as agents see it.
type Element struct {
	Index        int     `json:"index"`
	Ref          string  `json:"ref"`
	Tag          string  `json:"tag"`
	Type         string  `json:"type,omitempty"`
	ElementType  string  `json:"element_type"`       // link, button, checkbox, input, select, textarea, tab, menuitem, interactive, clickable
	Selector     string  `json:"selector,omitempty"` // not in lists, where the ref is enough
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
	Named        string  `json:"named,omitempty"` // in the project's memory; only lists of the daemon tell it
}

// Box is a rectangle in CSS pixels of the viewport.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Viewport is the size and scroll position of the viewport, in CSS pixels.
type Viewport struct {
	Width        float64 `json:"width"`
	Height       float64 `json:"height"`
	ScrollX      float64 `json:"scroll_x"`
	ScrollY      float64 `json:"scroll_y"`
	ScrollHeight float64 `json:"scroll_height"`
}

// ActResult describes the element that a command acted on, how it was found, and what the act did to the page.
type ActResult struct {
	Matched           *Element   `json:"matched,omitempty"`
	MatchCount        int        `json:"match_count"`      // 0 for an act on the page itself
	MatchStrategy     string     `json:"match_strategy"`   // "" for an act on the page itself, ref, css, text, role, label, placeholder, testid, point, focused
	Healed            bool       `json:"healed,omitempty"` // another element was taken for one that was replaced since it was told
	AutoScrolled      bool       `json:"auto_scrolled,omitempty"`
	OverlayWarning    string     `json:"overlay_warning,omitempty"`
	InsertionStrategy string     `json:"insertion_strategy,omitempty"` // native, execCommand, keyboard, editor name
	Value             string     `json:"value,omitempty"`              // of the element once the act has settled
	SetTo             *string    `json:"set_to,omitempty"`             // what the act set, when the page has changed that since
	Option            string     `json:"option,omitempty"`             // label of the option that was chosen, when its value differs
	Trusted           bool       `json:"trusted,omitempty"`            // real input events were used
	Unclicked         bool       `json:"unclicked,omitempty"`          // the page replaced or moved what was pressed, and no click of it followed
	Unseen            bool       `json:"unseen,omitempty"`             // in a frame that the extension cannot see: what came of it is not known
	Filled            []Filled   `json:"filled,omitempty"`             // fields of a form, in the order they were filled
	Overlay           *Overlay   `json:"overlay,omitempty"`            // that was closed or confirmed; of several the last one
	Dismissed         int        `json:"dismissed_count,omitempty"`
	Viewport          *Viewport  `json:"viewport,omitempty"`
	Bounds            *Box       `json:"bounds,omitempty"`
	URL               string     `json:"url,omitempty"`
	Title             string     `json:"title,omitempty"`
	Navigated         bool       `json:"navigated,omitempty"`
	LeavingFor        string     `json:"leaving_for,omitempty"` // the page before is still shown: this one has not come yet
	Failed            string     `json:"failed,omitempty"`      // what could not be loaded where the act led, and why: the browser shows its error page
	OpenedTab         int        `json:"opened_tab,omitempty"`  // of a window, too
	OpenedURL         string     `json:"opened_url,omitempty"`  // "" where its site is not granted
	OpenedTitle       string     `json:"opened_title,omitempty"`
	Selector          string     `json:"selector,omitempty"`    // of the highlighted element
	DurationMS        *int       `json:"duration_ms,omitempty"` // of the highlight
	Dialog            *Dialog    `json:"dialog,omitempty"`      // opened by the act; blocks the page until answered
	Upload            *Uploaded  `json:"upload,omitempty"`      // what the page has of the files that it was given
	Downloads         []Download `json:"downloads,omitempty"`   // files that the act has the browser save; at most 5
	Receipt           *Receipt   `json:"receipt,omitempty"`
}

// Opened returns the tab that the act opened; 0 for none.
func (r ActResult) Opened() int { return r.OpenedTab }

// Overlay is something that lay over the page, and how it was brought to go.
type Overlay struct {
	Type     string `json:"type"`               // dialog, alertdialog, popover, banner, layer
	Text     string `json:"text"`               // the first 120 characters
	Strategy string `json:"strategy,omitempty"` // close_button, label, escape, reject, accept, confirm
}

// Filled is a field of a form with what is in it now. Secrets stay in the page.
type Filled struct {
	Matched *Element `json:"matched,omitempty"`
	Value   string   `json:"value"`
	SetTo   *string  `json:"set_to,omitempty"` // what was asked for, when the page did not keep it
}

// Dialog is a native dialog that is open.
type Dialog struct {
	Type    string `json:"type"` // alert, confirm, prompt
	Message string `json:"message,omitempty"`
	Answer  string `json:"answer,omitempty"` // accept, dismiss; "" while it is open
}

// WaitResult says which condition was met.
type WaitResult struct {
	Value       string    `json:"value,omitempty"`
	MatchedText string    `json:"matched_text,omitempty"`
	Frame       string    `json:"frame,omitempty"` // of the text; "" is the main document
	Absent      bool      `json:"absent,omitempty"`
	Document    string    `json:"document,omitempty"` // of what is absent: what a document is that is not read as a page
	Matched     *Element  `json:"matched,omitempty"`
	WaitedMS    float64   `json:"waited_ms"`
	Coverage    *Coverage `json:"coverage,omitempty"` // of what is absent
}

// StableResult says whether the page stopped changing for StabilityMS.
type StableResult struct {
	Stable            bool    `json:"stable"`
	TimedOut          bool    `json:"timed_out,omitempty"`
	WaitedMS          float64 `json:"waited_ms"`
	MutationsObserved int     `json:"mutations_observed"`
	StabilityMS       int     `json:"stability_ms"`
}

// TextResult is text of the page.
type TextResult struct {
	Value    string    `json:"value,omitempty"`
	Sections []Section `json:"sections,omitempty"`
	Matched  *Element  `json:"matched,omitempty"`
	URL      string    `json:"url"`
	Hidden   bool      `json:"hidden,omitempty"`    // the element is not visible to the user
	TrueSize int       `json:"true_size,omitempty"` // characters of the whole text when Value was cut, else 0
	Frames   []Text    `json:"frames,omitempty"`    // texts of the page's iframes, when the page's own text was asked for
	Coverage *Coverage `json:"coverage,omitempty"`
}

// Text is the text of one iframe. Either Value or Sections is set.
type Text struct {
	Frame    Frame     `json:"frame"`
	Value    string    `json:"value,omitempty"`
	Sections []Section `json:"sections,omitempty"`
	TrueSize int       `json:"true_size,omitempty"`
}

// Frame is an iframe of a page. Name is what the parameter frame takes for it: its number in the order of the document.
type Frame struct {
	Name   string `json:"name"`
	URL    string `json:"url"`
	Title  string `json:"title,omitempty"`
	Hidden bool   `json:"hidden,omitempty"` // the user cannot see it
}

// Coverage says which iframes of the page an answer does not cover. It is left out when the answer covers all.
type Coverage struct {
	Ungranted  []string `json:"ungranted,omitempty"`  // origins that the user did not grant, at most 10
	Unanswered []Frame  `json:"unanswered,omitempty"` // frames that did not answer in time, at most 10
	More       int      `json:"more,omitempty"`       // further frames, which were not asked
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

// ScriptResult is the value that a script returned. Result is JSON with at most 10 levels, 50 keys in an object and
// 100 items in an array.
type ScriptResult struct {
	Result        json.RawMessage `json:"result"`
	Type          string          `json:"type"`           // of the result: string, number, object, undefined, …
	ExecutionMode string          `json:"execution_mode"` // user_script, debugger
	URL           string          `json:"url"`
	Downloads     []Download      `json:"downloads,omitempty"` // files that the script has the browser save; at most 5
	Dialog        *Dialog         `json:"dialog,omitempty"`    // opened by the script and answered; of several the last one
	Receipt       *Receipt        `json:"receipt,omitempty"`
}

// ListResult lists interactive elements.
type ListResult struct {
	Elements       []Element `json:"elements"`
	CandidateCount int       `json:"candidate_count"`
	Document       string    `json:"document,omitempty"` // what it is, where it is not read as a page
	Unread         int       `json:"unread,omitempty"`   // elements that were not looked at before the deadline, or went away before they were
	FiltersApplied []string  `json:"filters_applied,omitempty"`
	ScopeRectUsed  []float64 `json:"scope_rect_used,omitempty"`
	Generation     int       `json:"generation"`
	URL            string    `json:"url"`
	Title          string    `json:"title"`
	Viewport       Viewport  `json:"viewport"`
	Frames         []Listed  `json:"frames,omitempty"` // iframes that have something to operate
	Coverage       *Coverage `json:"coverage,omitempty"`
}

// Listed is an iframe with the number of its elements that fit the filters. Those that are listed name it by Frame.
type Listed struct {
	Frame Frame `json:"frame"`
	Count int   `json:"count"`
}

// ScreenshotResult is an image. Data is its bytes in base64. Width and Height are those of the image in pixels.
type ScreenshotResult struct {
	Format   string `json:"format"`
	Data     string `json:"data"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Scale    int    `json:"scale,omitempty"` // percent of full size (CSS size × device pixel ratio); 0: not made smaller
	URL      string `json:"url"`
	Title    string `json:"title"`
	Route    string `json:"route"`              // visible, debugger
	Redacted int    `json:"redacted,omitempty"` // inputs with secrets, and frames not allowed, that are black
	Cut      string `json:"cut,omitempty"`      // height, frame: what was asked for goes on beyond the picture

	Masked []int        `json:"masked,omitempty"` // how many elements fitted each of the masks
	View   *PictureView `json:"view,omitempty"`   // nil: an extension that does not tell it
}

// PictureView is the viewport that a picture was taken in, in CSS pixels, and where the picture begins in it.
type PictureView struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Ratio  float64 `json:"ratio"` // device pixels per CSS pixel, by the screen and by zoom
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
}

// FlushResult says that the extension has sent everything that it captured so far, and what not.
type FlushResult struct {
	Frames int   `json:"frames"`           // that gave what they had
	Silent []int `json:"silent,omitempty"` // tabs with frames that did not answer: frozen, or busy
	Late   bool  `json:"late,omitempty"`   // some of what frames gave was not ready to be sent
}

// AttributeResult is one attribute of an element. A secret in it stays in the page.
type AttributeResult struct {
	Value   string   `json:"value"`
	Absent  bool     `json:"absent,omitempty"` // the element has no such attribute
	Matched *Element `json:"matched,omitempty"`
	URL     string   `json:"url"`
}

// QueryResult says what fits a selector, in all frames that were asked.
type QueryResult struct {
	Exists     bool              `json:"exists"`
	Count      int               `json:"count"`
	Text       string            `json:"text,omitempty"`       // of the first one, for text
	Texts      []string          `json:"texts,omitempty"`      // for text_all; at most 100 of at most 1,000 characters
	Attributes map[string]string `json:"attributes,omitempty"` // of the first one, for attributes; at most 50
	Frame      string            `json:"frame,omitempty"`      // of the first one; "" is the main document
	URL        string            `json:"url"`
	Document   string            `json:"document,omitempty"` // what the first one's document is, where it is not read as a page
	Coverage   *Coverage         `json:"coverage,omitempty"`
}

// ReadableResult is what a page has to read, without its menus and banners. Content is that of the article, or of all
// that the page shows where it has none.
type ReadableResult struct {
	Title     string `json:"title"`
	Content   string `json:"content"` // at most 200,000 characters
	Excerpt   string `json:"excerpt,omitempty"`
	Byline    string `json:"byline,omitempty"`
	WordCount int    `json:"word_count"`
	Article   bool   `json:"article"`             // an article was found
	Frames    int    `json:"frames,omitempty"`    // iframes that the user sees, and that are not in it
	TrueSize  int    `json:"true_size,omitempty"` // characters of the whole content when it was cut, else 0
	URL       string `json:"url"`
}

// MarkdownResult is the same as Markdown.
type MarkdownResult struct {
	Title     string `json:"title"`
	Markdown  string `json:"markdown"` // at most 200,000 characters
	WordCount int    `json:"word_count"`
	Article   bool   `json:"article"`
	Frames    int    `json:"frames,omitempty"`
	TrueSize  int    `json:"true_size,omitempty"`
	URL       string `json:"url"`
}
