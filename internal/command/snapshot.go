package command

// SnapshotPart says which part of a page a snapshot is to show. Without Section and Find it is an overview.
type SnapshotPart struct {
	Section     string `json:"section,omitempty" length:"500" doc:"this part: ref, or role or name of a landmark, list or heading"`
	Depth       int    `json:"depth,omitempty" min:"1" max:"40" doc:"levels below the section; default all that fit"`
	Find        string `json:"find,omitempty" length:"200" doc:"parts with these words in role, name or text"`
	VisibleOnly bool   `json:"visible_only,omitempty" doc:"leave out what is not visible"`
	Frame       string `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
	Limit       int    `json:"limit,omitempty" min:"1" max:"100" doc:"most hits of find; default 10"`
}

// SnapshotParams is for snapshot.
type SnapshotParams struct {
	SnapshotPart
	Since    string `json:"since,omitempty" length:"64" doc:"the cursor of a snapshot: what changed after it"`
	Bytes    int    `json:"bytes,omitempty" min:"200" max:"30000" doc:"of the text, at most"`
	Elements bool   `json:"elements,omitempty" doc:"with the records of list_interactive"`
}

// SnapshotResult is what a page and its frames show, in the YAML that accessibility snapshots are written in.
type SnapshotResult struct {
	View         string            `json:"view"` // overview, section, find, delta
	URL          string            `json:"url"`
	Title        string            `json:"title"`
	TabStatus    string            `json:"tab_status,omitempty"` // loading, complete
	Favicon      string            `json:"favicon,omitempty"`
	Viewport     Viewport          `json:"viewport"`
	Snapshot     string            `json:"snapshot"` // lines; at most Bytes, or 1,500 of an overview and 5,400 of a section
	Sections     []SnapshotSection `json:"sections,omitempty"`
	Cursor       string            `json:"cursor"`
	Shown        int               `json:"shown"` // parts, hits or changes that have a line
	Total        int               `json:"total"` // that there are
	Added        int               `json:"added,omitempty"`
	Removed      int               `json:"removed,omitempty"`
	Changed      int               `json:"changed,omitempty"`
	Fresh        bool              `json:"fresh,omitempty"`   // an overview, since the page remembers no snapshot of that cursor
	Partial      bool              `json:"partial,omitempty"` // not all of the page was looked at in time, or it changed all the time
	Elements     []Element         `json:"interactive_elements,omitempty"`
	ElementCount int               `json:"interactive_count,omitempty"`
	Candidates   int               `json:"total_candidates,omitempty"`
	Coverage     *Coverage         `json:"coverage,omitempty"`
}

// SnapshotSection is a part of a page that can be asked for by its ref. Count is that of its items, or of all parts in it.
type SnapshotSection struct {
	Ref   string `json:"ref"`
	Role  string `json:"role"`
	Name  string `json:"name,omitempty"`
	Count int    `json:"count"`
}
