package command

// FilmParams begins a film of a tab.
type FilmParams struct {
	Name string `json:"name" required:"true" length:"64" doc:"the film's name; names its file"`
	FPS  int    `json:"fps" required:"true" min:"1" max:"60" doc:"most pictures a second"`
	// Sound is asked for; there is some where the user has clicked the extension in the tab.
	Sound bool `json:"sound,omitempty" doc:"with the tab's sound where that can be had"`
}

// FilmResult tells of a film that began or ended.
type FilmResult struct {
	Name    string `json:"name"`
	Width   int    `json:"width,omitempty"` // pixels; 0 while no picture came
	Height  int    `json:"height,omitempty"`
	Visible bool   `json:"visible"` // a picture came; a tab in the background gives none to a screencast
	Source  string `json:"source"`  // tab_capture, screencast
	Sound   bool   `json:"sound"`
	// Refused says why the tab could not be captured; "" where it is.
	Refused string `json:"refused,omitempty"`
	Covered int    `json:"covered"` // fields whose values the film does not show
	// Uncovered are origins of documents of which the film shows all, at most 10.
	Uncovered []string `json:"uncovered,omitempty"`
}
