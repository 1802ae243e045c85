package command

// This file declares what belongs to drawings of the user.

// DrawParams is for draw_mode_start.
type DrawParams struct {
	Name string `json:"name,omitempty" alias:"annot_session" length:"64" doc:"what these drawings are called"`
	Text string `json:"text,omitempty" length:"300" doc:"what the user is asked for"`
}

// DrawResult says that the user can draw now.
type DrawResult struct {
	Name     string `json:"name,omitempty"`
	Replaced bool   `json:"replaced,omitempty"` // another drawing that was not done
}
