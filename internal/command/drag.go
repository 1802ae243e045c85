package command

// DragParams is for drag. The target is what is dragged. It ends on the middle of what To names, at a point, or where it
// began; DX and DY are added to that.
type DragParams struct {
	Target
	Toast
	To  string   `json:"to,omitempty" length:"2000" doc:"where it ends: a ref, or written as selector is"`
	ToX *float64 `json:"to_x,omitempty" doc:"where it ends, CSS pixels of the viewport"`
	ToY *float64 `json:"to_y,omitempty" doc:"where it ends, CSS pixels of the viewport"`
	DX  float64  `json:"dx,omitempty" doc:"so many CSS pixels further to the right"`
	DY  float64  `json:"dy,omitempty" doc:"so many CSS pixels further down"`
}

// Ends reports whether the params say where the dragging ends.
func (p DragParams) Ends() bool {
	return p.To != "" || (p.ToX != nil && p.ToY != nil) || p.DX != 0 || p.DY != 0
}
