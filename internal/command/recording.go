package command

// This file declares the kinds that only playbacks of recordings and names of elements need. No mode gives them to agents.

// LocateParams is for locate: several ways to find one element, best first.
type LocateParams struct {
	Selectors []string `json:"selectors" required:"true" length:"20" doc:"ways to find the element, best first"`
	FrameURL  string   `json:"frame_url,omitempty" length:"100000" doc:"address of the iframe that it is in; default the main frame"`
	Site      string   `json:"site,omitempty" length:"300" doc:"origin that the document has to be of"`
	Agree     bool     `json:"agree,omitempty" doc:"only elements with this role and name count, and frame_url is a pattern whose * is any one part"`
	Role      string   `json:"role,omitempty" length:"100" doc:"of the element; its tag where it has none"`
	Name      string   `json:"name,omitempty" length:"300" doc:"of the element"`
}

// LocateResult says which of the ways finds exactly one element. Where the best one does not, a page that changes is
// waited for before another one counts.
type LocateResult struct {
	Index    int      `json:"index"`             // of the selector; -1: none finds exactly one
	Frame    string   `json:"frame,omitempty"`   // what the parameter frame takes for the frame of the element
	Counts   []int    `json:"counts"`            // elements that were found, for each selector that was tried
	Others   []int    `json:"others,omitempty"`  // with agree: elements that it finds and that are something else
	Ref      string   `json:"ref,omitempty"`     // of the element
	Strange  bool     `json:"strange,omitempty"` // with site: no document is of it
	URL      string   `json:"url,omitempty"`     // with agree: of the tab's page
	Near     []string `json:"near,omitempty"`    // with agree and no element: what might have been meant, at most 8 lines
	WaitedMS float64  `json:"waited_ms"`
}

// LocatorsParams is for locators.
type LocatorsParams struct{ Search }

// LocatorsResult says what an element is and how it can be found again. Each selector finds it and nothing else that is
// the same; the best is the first. The element's value is not in it.
type LocatorsResult struct {
	Selectors []string `json:"selectors"` // at most 7 of at most 1,000 characters
	Role      string   `json:"role"`      // the tag where it has none
	Name      string   `json:"name"`      // the accessible name, or the text of what has no role; at most 200 characters
	Tag       string   `json:"tag"`
	Ref       string   `json:"ref"`
	Frame     string   `json:"frame,omitempty"` // of the element; "" is the main document
	URL       string   `json:"url"`             // of the element's document
	PageURL   string   `json:"page_url"`        // of the tab's page
}

// ScrollPositionParams is for scroll_position. Without a target the page is scrolled.
type ScrollPositionParams struct {
	Search
	Left float64 `json:"left,omitempty" doc:"CSS pixels from the left end"`
	Top  float64 `json:"top,omitempty" doc:"CSS pixels from the top"`
}
