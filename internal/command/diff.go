package command

// DiffParams asks what the last act changed in the page.
type DiffParams struct {
	Mutations bool `json:"mutations,omitempty" doc:"with the single changes, in words"`
}

// PageDiff says what an act changed in a page, iframes included, from its beginning until it was asked for.
type PageDiff struct {
	URLChanged        bool         `json:"url_changed"` // within the document; a navigation is in the receipt
	TitleChanged      bool         `json:"title_changed"`
	OverlaysOpened    []DiffPart   `json:"overlays_opened,omitempty"` // at most 10 of a frame
	OverlaysClosed    []string     `json:"overlays_closed,omitempty"` // their texts
	Toasts            []DiffToast  `json:"toasts,omitempty"`
	FormErrors        []FieldError `json:"form_errors,omitempty"`        // at most 20 of a frame
	LoadingIndicators []string     `json:"loading_indicators,omitempty"` // selectors of those that are visible
	ElementsAdded     int          `json:"elements_added"`
	ElementsRemoved   int          `json:"elements_removed"`
	TextChanges       []TextChange `json:"text_changes,omitempty"` // at most 20 of a frame
	Changes           int          `json:"changes"`                // all mutations of the document
	Mutations         []string     `json:"mutations,omitempty"`    // the first 20 of a frame, in words
	Coverage          *Coverage    `json:"coverage,omitempty"`
}

// DiffPart is a part of a page.
type DiffPart struct {
	Selector string `json:"selector"`
	Text     string `json:"text"` // the first 120 characters
}

// DiffToast is a message that a page shows for some time.
type DiffToast struct {
	Text string `json:"text"`
	Type string `json:"type"` // role, or toast
}

// FieldError is a field that the page or the browser found wrong.
type FieldError struct {
	Field string `json:"field"` // its name
	Text  string `json:"text"`
}

// TextChange is an element whose text is another one.
type TextChange struct {
	Selector string `json:"selector"`
	From     string `json:"from"` // the first 120 characters
	To       string `json:"to"`
}
