package view

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// Annotation is what the user drew, as the extension tells it in a mark's detail. Texts in it are the page's.
type Annotation struct {
	ID        string    `json:"id"` // of the drawing
	Name      string    `json:"name,omitempty"`
	Shape     string    `json:"shape,omitempty"` // rectangle, arrow
	Rect      *area     `json:"rect,omitempty"`
	To        *point    `json:"to,omitempty"` // where an arrow points to
	Element   *drawn    `json:"element,omitempty"`
	Number    int       `json:"number,omitempty"`
	Of        int       `json:"of,omitempty"`        // so many were drawn
	Cancelled string    `json:"cancelled,omitempty"` // by_user, page_left, replaced
	Viewport  *viewport `json:"viewport,omitempty"`
}

// area is in CSS pixels of the page.
type area struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

type point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

type viewport struct {
	Width   float64 `json:"width"`
	Height  float64 `json:"height"`
	ScrollX float64 `json:"scroll_x"`
	ScrollY float64 `json:"scroll_y"`
	Ratio   float64 `json:"ratio"`
}

// drawn is the element that a drawing means.
type drawn struct {
	Ref      string            `json:"ref"`
	Tag      string            `json:"tag"`
	Role     string            `json:"role,omitempty"`
	Name     string            `json:"name,omitempty"`
	Text     string            `json:"text,omitempty"`
	Frame    string            `json:"frame,omitempty"` // of an iframe, whose inside was not looked at
	Rect     area              `json:"rect"`
	Locators []locator         `json:"locators"` // best first
	Styles   map[string]string `json:"styles"`
	// Of a framework, around the element; what the page says of it.
	Component *drawnComponent `json:"component,omitempty"`
}

// drawnComponent names components, the innermost first, and where that one is written, "" unknown.
type drawnComponent struct {
	Framework string   `json:"framework"`
	Names     []string `json:"names"`
	Source    string   `json:"source,omitempty"`
}

type locator struct {
	Kind    string `json:"kind"`
	Value   string `json:"value"`
	Matches int    `json:"matches"`
}

// AnnotationOf reads a mark's detail; nil for a mark that is no annotation.
func AnnotationOf(e *event.Mark) *Annotation {
	if e.Type != "annotation" && e.Type != "annotations_end" {
		return nil
	}
	out := &Annotation{}
	if json.Unmarshal([]byte(e.Detail), out) != nil {
		return &Annotation{}
	}
	return out
}

// Brief says what was drawn: `on button "Pay" [e17] at 10,20 100×40 (checkout)`.
func (a *Annotation) Brief() string {
	var b strings.Builder
	if el := a.Element; el != nil {
		fmt.Fprintf(&b, " on %s", cmp.Or(answer.Clean(el.Role), answer.Clean(el.Tag)))
		if name := cmp.Or(el.Name, el.Text); name != "" {
			fmt.Fprintf(&b, " %q", answer.Cut(answer.Clean(name), 80))
		}
		fmt.Fprintf(&b, " [%s]", answer.Clean(el.Ref))
		if el.Frame != "" {
			fmt.Fprintf(&b, " (frame=%s, not looked into)", answer.Clean(el.Frame))
		}
	}
	if r := a.Rect; r != nil {
		fmt.Fprintf(&b, " at %.0f,%.0f %.0f×%.0f", r.X, r.Y, r.Width, r.Height)
	}
	if a.Name != "" {
		fmt.Fprintf(&b, " (%s)", answer.Cut(answer.Clean(a.Name), 64))
	}
	return b.String()
}

// Ended says why nothing was drawn.
func (a *Annotation) Ended() string {
	why := map[string]string{
		"by_user": "the user cancelled the drawing", "page_left": "the page was left before the user was done drawing",
		"replaced": "another draw_mode_start took the place of the drawing",
	}[a.Cancelled]
	if why == "" {
		why = "the drawing ended without annotations"
	}
	if a.Name != "" {
		why += " (" + answer.Cut(answer.Clean(a.Name), 64) + ")"
	}
	return why
}

// Lines says all of an annotation.
func (a *Annotation) Lines() []string {
	var out []string
	if a.Number > 0 {
		out = append(out, fmt.Sprintf("%s %d of %d", answer.Clean(a.Shape), a.Number, a.Of))
	}
	if a.To != nil {
		out = append(out, fmt.Sprintf("the arrow points to %.0f,%.0f", a.To.X, a.To.Y))
	}
	if el := a.Element; el != nil {
		line := "element: <" + answer.Clean(el.Tag) + ">"
		line += fmt.Sprintf(" at %.0f,%.0f %.0f×%.0f", el.Rect.X, el.Rect.Y, el.Rect.Width, el.Rect.Height)
		out = append(out, line)
		if el.Text != "" {
			out = append(out, "text: "+answer.Clean(el.Text))
		}
		if c := el.Component; c != nil && len(c.Names) > 0 {
			line := "component: " + answer.Clean(c.Names[0])
			if len(c.Names) > 1 {
				line += " in " + answer.Clean(strings.Join(c.Names[1:], ", "))
			}
			if c.Framework != "" {
				line += " (" + answer.Clean(c.Framework) + ")"
			}
			if c.Source != "" {
				line += " " + answer.Clean(c.Source)
			}
			out = append(out, line)
		}
		for _, l := range el.Locators {
			out = append(out, fmt.Sprintf("locator: %s=%s, matches %d", answer.Clean(l.Kind), answer.Clean(l.Value), l.Matches))
		}
		var styles []string
		for _, name := range slices.Sorted(maps.Keys(el.Styles)) {
			styles = append(styles, answer.Clean(name)+": "+answer.Clean(el.Styles[name]))
		}
		if len(styles) > 0 {
			out = append(out, "styles: "+strings.Join(styles, "; "))
		}
	}
	if v := a.Viewport; v != nil {
		out = append(out, fmt.Sprintf("viewport: %.0f×%.0f, scrolled to %.0f,%.0f", v.Width, v.Height, v.ScrollX, v.ScrollY))
	}
	return out
}

// Drawing returns all that is kept of the drawing that a mark is of, oldest first: of its own browser and tab.
func (v View) Drawing(ctx context.Context, e *event.Mark) ([]event.Mark, error) {
	a := AnnotationOf(e)
	if a == nil || a.ID == "" {
		return []event.Mark{*e}, nil
	}
	list, _, err := query.Read(ctx, v.Reader, query.Filter{Session: e.Session, Tab: e.Tab},
		query.Page{Limit: query.MaxLimit}, func(m *event.Mark) bool {
			other := AnnotationOf(m)
			return other != nil && other.ID == a.ID
		})
	return list.Items, err
}

// NoPicture is said of a drawing without one.
const NoPicture = "picture: none; it could not be taken, or made room for newer events"

// DrawnPicture returns the JPEG of what a tab showed when a mark's drawing was done, which is one for all of its annotations;
// "" when there is none.
func (v View) DrawnPicture(ctx context.Context, e *event.Mark) (string, error) {
	if e.Type != "annotation" || e.Picture != "" {
		return e.Picture, nil
	}
	picture := ""
	all, err := v.Drawing(ctx, e)
	for _, m := range all {
		picture = cmp.Or(m.Picture, picture)
	}
	return picture, err
}
