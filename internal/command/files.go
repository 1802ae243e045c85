package command

// This file declares what belongs to files, the clipboard and the accessibility audit.

// File is a file of this machine that goes into a page. Data is its bytes in base64; it is left out for a file that the
// browser is to read by its path.
type File struct {
	Path     string  `json:"path" required:"true" length:"4096" doc:"absolute"`
	Name     string  `json:"name" required:"true" length:"1000" doc:"as the page sees it"`
	Type     string  `json:"type,omitempty" length:"200" doc:"media type"`
	Size     float64 `json:"size" required:"true" min:"0" doc:"bytes"`
	Modified float64 `json:"modified,omitempty" doc:"epoch ms"`
	Inline   bool    `json:"inline,omitempty" doc:"data holds all of it"`
	Data     string  `json:"data,omitempty" length:"3000000" doc:"its bytes in base64"`
}

// UploadParams is for upload. The daemon has checked each path of Files.
type UploadParams struct {
	Target
	Toast
	Files    []File `json:"files" required:"true" length:"20" doc:"the files"`
	Submit   bool   `json:"submit,omitempty" doc:"and send the form"`
	Endpoint string `json:"api_endpoint,omitempty" length:"2000" doc:"address of the page's own site to post the files to, instead of an element"`
	Name     string `json:"name,omitempty" length:"200" doc:"field of the form that api_endpoint gets; default file"`
}

// Uploaded says what the page has of the files that were given to it.
type Uploaded struct {
	Route       string     `json:"route"`                  // input, drop, chooser, endpoint
	Files       []FileSeen `json:"files"`                  // as the page sees them
	Accept      string     `json:"accept,omitempty"`       // what the input says that it accepts; at most 300 characters
	NotAccepted []string   `json:"not_accepted,omitempty"` // names of files that do not fit it
	Emptied     bool       `json:"emptied,omitempty"`      // the page took the files and emptied the input
	Submitted   bool       `json:"submitted,omitempty"`    // the form was sent
	Status      int        `json:"status,omitempty"`       // what the endpoint answered; 0 where it led elsewhere, which was not followed
	Answer      string     `json:"answer,omitempty"`       // its text; at most 2,000 characters
}

// Download is a file that an act has the browser save.
type Download struct {
	Name     string  `json:"name"`                // of the file; what the page asked for where nothing else is known
	URL      string  `json:"url"`                 // at most 300 characters
	State    string  `json:"state"`               // asked_for, in_progress, complete, interrupted
	Path     string  `json:"path,omitempty"`      // absolute; only where the user allowed it to be told
	Size     float64 `json:"size,omitempty"`      // bytes
	Type     string  `json:"type,omitempty"`      // media type
	Error    string  `json:"error,omitempty"`     // Chrome's name for why it was interrupted
	SameTime bool    `json:"same_time,omitempty"` // nothing but the time speaks for the act as its cause
}

// FileSeen is a file as the page sees it.
type FileSeen struct {
	Name string  `json:"name"`
	Size float64 `json:"size"` // bytes
	Type string  `json:"type,omitempty"`
}

// ClipboardWriteParams is for clipboard_write.
type ClipboardWriteParams struct {
	Toast
	Text string `json:"text" required:"true" length:"1000000" doc:"text to type, to wait for, or key to press"`
}

// ClipboardResult is what is on the clipboard: after a write nothing but Length.
type ClipboardResult struct {
	Text     string   `json:"text,omitempty"`      // at most 100,000 characters
	Types    []string `json:"types,omitempty"`     // media types of all that is there; at most 20
	Length   int      `json:"length"`              // characters of the whole text
	TrueSize int      `json:"true_size,omitempty"` // the same when Text was cut, else 0
}

// AskLinksParams is for ask_links.
type AskLinksParams struct {
	URLs []string `json:"urls" required:"true" length:"1000"` // of the origin that the tab shows
}

// AskLinksResult is what links came to that were asked for with the user's cookies. Those of another origin, and those whose
// turn did not come before the deadline, are left out.
type AskLinksResult struct {
	Links []AskedLink `json:"links"`
}

// AskedLink is one link that was asked for.
type AskedLink struct {
	URL       string `json:"url"`
	Status    int    `json:"status"`              // 0: no answer that the browser lets extensions see
	Redirects bool   `json:"redirects,omitempty"` // it leads elsewhere, which was not followed
	Page      string `json:"page,omitempty"`      // titles and first headings of its markup, at most 2000 characters
}

// AuditParams is for accessibility.
type AuditParams struct {
	Selector string `json:"selector,omitempty" length:"2000" alias:"within,scope" doc:"only this part of the page"`
	Frame    string `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
}

// Selectors returns the two fields that hold selectors; "" when one is not set.
func (p AuditParams) Selectors() (selector, within string) { return p.Selector, "" }

// AuditResult is what the accessibility rules of axe-core say of a page, over all frames that were reached.
type AuditResult struct {
	Version    string      `json:"version"` // of axe-core
	URL        string      `json:"url"`
	Title      string      `json:"title"`
	Violations []AuditRule `json:"violations"`
	Incomplete []AuditRule `json:"incomplete"`           // a person has to look
	Passes     int         `json:"passes"`               // rules that hold in the page's own document
	LongestMS  int         `json:"longest_ms"`           // that the page was held at once
	Unfinished []string    `json:"unfinished,omitempty"` // rules that were not run before the deadline; at most 200
	Unchecked  []string    `json:"unchecked,omitempty"`  // forms that no rule was run on, with the reason; at most 10
	Frames     int         `json:"frames"`               // documents that were looked at
	Coverage   *Coverage   `json:"coverage,omitempty"`
}

// AuditRule is a rule with the elements that it is about.
type AuditRule struct {
	ID          string      `json:"id"`
	Impact      string      `json:"impact"` // critical, serious, moderate, minor; "" unknown
	Help        string      `json:"help"`
	Description string      `json:"description"`
	HelpURL     string      `json:"help_url"`
	Tags        []string    `json:"tags"`
	Count       int         `json:"count"` // elements; Nodes are at most 50 of each frame
	Nodes       []AuditNode `json:"nodes"`
}

// AuditNode is an element that a rule is about.
type AuditNode struct {
	Selector string `json:"selector"` // CSS, >>> before what is in a shadow root; at most 500 characters
	Frame    string `json:"frame,omitempty"`
	URL      string `json:"url,omitempty"` // of an iframe's document; at most 300 characters
	HTML     string `json:"html"`          // at most 300 characters
	Impact   string `json:"impact"`
	Summary  string `json:"summary"` // how to mend it; at most 500 characters
}
