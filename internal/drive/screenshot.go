package drive

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
)

// ScreenshotErrors are the errors of every mode that makes a picture by [Shoot].
var ScreenshotErrors = []problem.Code{
	problem.ExtensionOffline,
	problem.NoTab,
	problem.TabGone,
	problem.NotFound,
	problem.OriginNotAllowed,
	problem.Timeout,
}

// ScreenshotParams are the parameters of every mode that makes a picture by [Shoot].
type ScreenshotParams struct {
	command.ScreenshotParams
	Tab int `json:"tab,omitempty" doc:"another tab's id"`
}

// KeptParams are those of a mode that may write the picture to a file, by [ShootTo].
type KeptParams struct {
	ScreenshotParams
	SaveTo    string `json:"save_to,omitempty" doc:"file to write, below the project"`
	Overwrite bool   `json:"overwrite,omitempty" doc:"replace a file that is there"`
}

// Screenshot is a picture that was made, with the file that it was written to.
type Screenshot struct {
	Status        string  `json:"status"`
	Final         bool    `json:"final"`
	CorrelationID string  `json:"correlation_id"`
	Filename      string  `json:"filename,omitempty"`
	Path          string  `json:"path,omitempty"`
	SaveTo        string  `json:"save_to,omitempty"`
	SaveError     string  `json:"save_to_error,omitempty"`
	Format        string  `json:"format,omitempty"`
	Width         int     `json:"width,omitempty"`
	Height        int     `json:"height,omitempty"`
	Scale         int     `json:"scale,omitempty"` // percent, when it was made smaller
	Bytes         int     `json:"bytes,omitempty"`
	URL           string  `json:"url,omitempty"`
	Title         string  `json:"title,omitempty"`
	Route         string  `json:"route,omitempty"`    // visible, debugger
	Masked        int     `json:"redacted,omitempty"` // inputs with secrets, and frames not allowed, that are black
	Cut           string  `json:"cut,omitempty"`      // height, frame: what was asked for goes on beyond the picture
	Tab           int     `json:"effective_tab,omitempty"`
	Named         []Named `json:"named,omitempty"`  // elements that were named by the project's memory
	Fit           []int   `json:"masked,omitempty"` // how many elements fitted each of the masks

	View *command.PictureView `json:"-"`

	masks []string
	image answer.Image
}

// extensions are the file names' ends that fit each format.
var extensions = map[string][]string{"png": {".png"}, "jpeg": {".jpg", ".jpeg"}, "webp": {".webp"}}

// ShootTo makes a picture, and writes it to a file where its caller wants that. That the file could not be written is told
// beside the picture. Errors are those of [Shoot] and of [save.Places.Check].
func ShootTo(ctx context.Context, d Driver, call catalog.Call, places save.Places, p KeptParams) (*Screenshot, error) {
	if p.SaveTo == "" {
		return Shoot(ctx, d, call, p.ScreenshotParams)
	}
	file, err := places.Check(p.SaveTo, p.Overwrite, extensions[cmp.Or(p.Format, "png")]...)
	if err != nil {
		return nil, err
	}
	if call.Detached {
		return nil, problem.New(
			problem.InvalidParam,
			"Leave out one of them.",
			"save_to needs the picture, and background does not wait for it.",
		)
	}
	out, err := Shoot(ctx, d, call, p.ScreenshotParams)
	if err != nil {
		return nil, err
	}
	out.SaveTo = p.SaveTo
	if !out.Final {
		return out, nil
	}
	// The picture is made: that it could not be kept is told beside it.
	if err := file.Write(out.image.Data); err != nil {
		out.SaveError = err.Error()
		return out, nil
	}
	out.Path, out.Filename = file.Path, filepath.Base(file.Path)
	return out, nil
}

// Shoot makes a picture. Errors are those of [Do].
func Shoot(ctx context.Context, d Driver, call catalog.Call, p ScreenshotParams) (*Screenshot, error) {
	if p.Format == "" {
		p.Format = "png"
	}
	a, err := Do(ctx, d, call, command.Screenshot, p.Tab, p.ScreenshotParams)
	if err != nil {
		return nil, err
	}
	out := &Screenshot{
		Status:        string(a.Status),
		Final:         !a.Going(),
		CorrelationID: a.CorrelationID,
		Tab:           a.Target.Tab.ID,
		Named:         a.Named,
	}
	if a.Going() {
		return out, nil
	}
	r := a.Result
	if out.image, err = Picture(r); err != nil {
		return nil, err
	}
	out.Format, out.Width, out.Height, out.Scale, out.Bytes = r.Format, r.Width, r.Height, r.Scale, len(out.image.Data)
	out.URL, out.Title, out.Route, out.Masked = r.URL, r.Title, r.Route, r.Redacted
	out.Cut, out.View, out.Fit, out.masks = r.Cut, r.View, r.Masked, p.Masks
	return out, nil
}

// cuts say what a picture lacks.
var cuts = map[string]string{
	"height": "the page goes on below: a picture has at most 40 megapixels",
	"frame":  "the element goes on beyond what its frame shows",
}

// Images gives the picture.
func (r *Screenshot) Images() []answer.Image {
	if r.image.Data == nil {
		return nil
	}
	return []answer.Image{r.image}
}

// Text writes what is in the picture for a reader.
func (r *Screenshot) Text(w *answer.Writer) {
	if !r.Final {
		w.Head("screenshot: still_running correlation_id=%s", r.CorrelationID)
		w.Note(`observe {"what":"command_result","correlation_id":%q} gives the picture`, r.CorrelationID)
		return
	}
	size := fmt.Sprintf("%d×%d %s, %s", r.Width, r.Height, r.Format, answer.Bytes(int64(r.Bytes)))
	if r.Scale > 0 && r.Scale != 100 {
		size += fmt.Sprintf(", at %d %%", r.Scale)
	}
	w.Head("screenshot: tab %d, %s", r.Tab, size)
	switch {
	case r.Path != "":
		w.Head("saved to %s", r.Path)
	case r.SaveError != "":
		w.Head("not saved: %s", r.SaveError)
	}
	w.Page(answer.Origin(r.URL))
	line := answer.Short(r.URL, 200)
	if r.Title != "" {
		line += fmt.Sprintf(" %q", answer.Clean(r.Title))
	}
	entries := []answer.Entry{{Text: line}}
	for _, n := range r.Named {
		for _, l := range n.Lines() {
			entries = append(entries, answer.Entry{Text: l})
		}
	}
	w.Entries(answer.Oldest, entries)
	if r.Masked > 0 {
		w.Note("note: inputs with secrets, or frames not allowed, that are black: %d", r.Masked)
	}
	for i, n := range r.Fit {
		if n == 0 && i < len(r.masks) {
			w.Note("note: nothing fits the mask %s", answer.Cut(answer.Clean(r.masks[i]), 100))
		}
	}
	if words := cuts[r.Cut]; words != "" {
		w.Note("note: %s", words)
	}
	if r.Route == "debugger" {
		w.Note("note: taken through the debugger, for which the browser shows a bar")
	}
}
