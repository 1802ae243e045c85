package command

// FilmParams begins a film of a tab.
type FilmParams struct {
	Name string `json:"name" required:"true" length:"64" doc:"the film's name; names its file"`
	FPS  int    `json:"fps" required:"true" min:"1" max:"60" doc:"most pictures a second"`
}

// FilmResult tells of a film that began or ended.
type FilmResult struct {
	Name    string `json:"name"`
	Width   int    `json:"width,omitempty"` // pixels; 0 while no picture came
	Height  int    `json:"height,omitempty"`
	Visible bool   `json:"visible"` // a picture came; a tab in the background gives none
}
