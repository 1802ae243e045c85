package command

// This file declares the kinds that only a playback of recordings sends. No mode gives them to agents.

// LocateParams is for locate: several ways to find one element, best first.
type LocateParams struct {
	Selectors []string `json:"selectors" required:"true" length:"20" doc:"ways to find the element, best first"`
	FrameURL  string   `json:"frame_url,omitempty" length:"100000" doc:"address of the iframe that it is in; default the main frame"`
}

// LocateResult says which of the ways finds exactly one element. Where the best one does not, a page that changes is
// waited for before another one counts.
type LocateResult struct {
	Index    int     `json:"index"`           // of the selector; -1: none finds exactly one
	Frame    string  `json:"frame,omitempty"` // what the parameter frame takes for the frame of the element
	Counts   []int   `json:"counts"`          // elements that were found, for each selector that was tried
	WaitedMS float64 `json:"waited_ms"`
}

// ScrollPositionParams is for scroll_position. Without a target the page is scrolled.
type ScrollPositionParams struct {
	Search
	Left float64 `json:"left,omitempty" doc:"CSS pixels from the left end"`
	Top  float64 `json:"top,omitempty" doc:"CSS pixels from the top"`
}
