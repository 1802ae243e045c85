package analysis

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"

	"github.com/orisano/pixelmatch"
)

const (
	maxPixels = 40_000_000 // of one picture: three of the largest take 480 MB while they are compared
	maxParts  = 50         // of one picture that are told, the largest

	strip   = 256  // rows that are compared at once
	around  = 2    // rows that tell whether a pixel beside them is smoothed
	seen    = 0.03 // from which distance of colours on a change counts: a card of #f7f7f7 on white is seen
	cell    = 8    // pixels: changes that are nearer to each other than two cells are one part
	maxWide = 1000 // parts that are looked at for whether they overlap
)

// Part is a part of a picture in which pixels differ.
type Part struct {
	image.Rectangle
	Pixels int // that differ
}

// Parts are where pictures differ in one way.
type Parts struct {
	Pixels int
	Most   []Part // at most 50, those with most pixels first
	More   int    // further parts
}

// PictureDiff is how two pictures of one size differ.
type PictureDiff struct {
	Changed  Parts
	Smoothed Parts           // differ as edges do that are drawn anew; a thin line does, too
	Faint    Parts           // differ so little that it is hardly seen
	Picture  *image.Paletted // the second picture, pale; what changed is red, what is smoothed yellow, faint blue, left out grey
}

// The colours of the picture of a difference. Those from pale on are the greys of pixels that are equal.
const (
	changedColour = iota
	smoothedColour
	faintColour
	leftOutColour
)

var palette = func() color.Palette {
	out := make(color.Palette, 256)
	for i := range out {
		out[i] = color.RGBA{uint8(i), uint8(i), uint8(i), 255}
	}
	out[changedColour] = color.RGBA{255, 0, 0, 255}
	out[smoothedColour] = color.RGBA{255, 200, 0, 255}
	out[faintColour] = color.RGBA{120, 170, 255, 255}
	out[leftOutColour] = color.RGBA{170, 170, 170, 255}
	return out
}()

// ReadPicture decodes a PNG of at most 40 megapixels.
func ReadPicture(data []byte) (*image.NRGBA, error) {
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read a PNG: %w", err)
	}
	if n := config.Width * config.Height; n > maxPixels {
		return nil, fmt.Errorf("read a PNG: it has %d pixels, at most %d are read", n, maxPixels)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read a PNG: %w", err)
	}
	switch p := picture.(type) {
	case *image.NRGBA:
		return p, nil
	case *image.RGBA: // of a PNG without transparency: the same bytes
		return &image.NRGBA{Pix: p.Pix, Stride: p.Stride, Rect: p.Rect}, nil
	}
	out := image.NewNRGBA(picture.Bounds())
	draw.Draw(out, out.Rect, picture, out.Rect.Min, draw.Src)
	return out, nil
}

// Unequal tells where a picture differs in any bit from one of the others, at most 50 parts. It returns false when they
// have not one size.
func Unequal(a *image.NRGBA, others ...*image.NRGBA) (Parts, bool) {
	for _, o := range others {
		if a.Rect != o.Rect {
			return Parts{}, false
		}
	}
	g := newGrid(a.Rect)
	for y := a.Rect.Min.Y; y < a.Rect.Max.Y; y++ {
		one := row(a, y)
		var differ [][]byte
		for _, o := range others {
			if other := row(o, y); !bytes.Equal(one, other) {
				differ = append(differ, other)
			}
		}
		for x := 0; len(differ) > 0 && x < len(one); x += 4 {
			if slices.ContainsFunc(differ, func(other []byte) bool { return !bytes.Equal(one[x:x+4], other[x:x+4]) }) {
				g.add(x/4, y)
			}
		}
	}
	return g.parts(), true
}

func row(p *image.NRGBA, y int) []byte {
	at := p.PixOffset(p.Rect.Min.X, y)
	return p.Pix[at : at+4*p.Rect.Dx()]
}

// ComparePictures compares a picture with an earlier one of its size. What is leftOut counts as equal; in now it is overwritten.
func ComparePictures(ctx context.Context, before, now *image.NRGBA, leftOut []image.Rectangle) (*PictureDiff, error) {
	if before.Rect != now.Rect {
		return nil, errors.New("compare pictures: they differ in size")
	}
	for _, r := range leftOut {
		draw.Draw(now, r, before, r.Min, draw.Src)
	}
	bounds := now.Rect
	out := &PictureDiff{Picture: image.NewPaletted(bounds, palette)}
	changed, smoothed, faint := newGrid(bounds), newGrid(bounds), newGrid(bounds)
	for top := bounds.Min.Y; top < bounds.Max.Y; top += strip {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := image.Rect(bounds.Min.X, top, bounds.Max.X, min(top+strip, bounds.Max.Y))
		wide := image.Rect(rows.Min.X, rows.Min.Y-around, rows.Max.X, rows.Max.Y+around).Intersect(bounds)
		var drawn image.Image
		if _, err := pixelmatch.MatchPixel(now.SubImage(wide), before.SubImage(wide), pixelmatch.WriteTo(&drawn), pixelmatch.Threshold(seen)); err != nil {
			return nil, fmt.Errorf("compare pictures: %w", err)
		}
		match, ok := drawn.(*image.RGBA)
		if !ok { // nothing is drawn of equal pictures
			for y := rows.Min.Y; y < rows.Max.Y; y++ {
				to := out.Picture.Pix[out.Picture.PixOffset(rows.Min.X, y):]
				for x, same := 0, row(now, y); x < rows.Dx(); x++ {
					to[x] = pale(same[4*x:])
				}
			}
			continue
		}
		for y := rows.Min.Y; y < rows.Max.Y; y++ {
			one, other := row(before, y), row(now, y)
			told := match.Pix[match.PixOffset(wide.Min.X, y):]
			to := out.Picture.Pix[out.Picture.PixOffset(rows.Min.X, y):]
			for x := range rows.Dx() {
				red, green := told[4*x], told[4*x+1]
				switch {
				case red != green:
					to[x] = changedColour
					changed.add(x, y)
				case told[4*x+2] != red:
					to[x] = smoothedColour
					smoothed.add(x, y)
				case !bytes.Equal(one[4*x:4*x+4], other[4*x:4*x+4]):
					to[x] = faintColour
					faint.add(x, y)
				default:
					to[x] = red
				}
			}
		}
	}
	for _, r := range leftOut {
		draw.Draw(out.Picture, r, image.NewUniform(palette[leftOutColour]), image.Point{}, draw.Src)
	}
	out.Changed, out.Smoothed, out.Faint = changed.parts(), smoothed.parts(), faint.parts()
	return out, nil
}

// pale is the grey of a pixel that is equal, as pixelmatch draws it.
func pale(p []byte) uint8 {
	y := 0.29889531*float64(p[0]) + 0.58662247*float64(p[1]) + 0.11448223*float64(p[2])
	return uint8(255 + (y-255)*0.1)
}

// Area is how many pixels lie in at least one of the rectangles, of a picture with these bounds.
func Area(bounds image.Rectangle, all []image.Rectangle) int {
	// Rows between two edges have the same columns.
	var edges []int
	for _, r := range all {
		if r = r.Intersect(bounds); !r.Empty() {
			edges = append(edges, r.Min.Y, r.Max.Y)
		}
	}
	slices.Sort(edges)
	sum := 0
	for i := 1; i < len(edges); i++ {
		var spans [][2]int
		for _, r := range all {
			if r = r.Intersect(bounds); r.Min.Y <= edges[i-1] && r.Max.Y >= edges[i] {
				spans = append(spans, [2]int{r.Min.X, r.Max.X})
			}
		}
		slices.SortFunc(spans, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
		end := bounds.Min.X
		for _, s := range spans {
			sum += max(0, s[1]-max(s[0], end)) * (edges[i] - edges[i-1])
			end = max(end, s[1])
		}
	}
	return sum
}

// grid counts pixels by cells, so that those that are near to each other are found to be one part.
type grid struct {
	bounds      image.Rectangle
	wide, high  int
	cells       []counted
	differences int
}

// counted are pixels of a cell, and the box around them, from the cell's corner.
type counted struct{ n, left, top, right, bottom uint8 }

func newGrid(bounds image.Rectangle) *grid {
	g := &grid{bounds: bounds, wide: (bounds.Dx() + cell - 1) / cell, high: (bounds.Dy() + cell - 1) / cell}
	g.cells = make([]counted, g.wide*g.high)
	return g
}

// add counts a pixel: x is from the left of the picture.
func (g *grid) add(x, y int) {
	y -= g.bounds.Min.Y
	c := &g.cells[y/cell*g.wide+x/cell]
	left, top := uint8(x%cell), uint8(y%cell)
	if c.n == 0 {
		*c = counted{0, left, top, left, top}
	}
	c.n++
	c.left, c.top, c.right, c.bottom = min(c.left, left), min(c.top, top), max(c.right, left), max(c.bottom, top)
	g.differences++
}

// parts joins cells that are near to each other. The grid is empty afterwards.
func (g *grid) parts() Parts {
	out := Parts{Pixels: g.differences}
	var found []Part
	for i := range g.cells {
		if g.cells[i].n > 0 {
			found = append(found, g.part(i))
		}
	}
	most := func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Pixels, a.Pixels), cmp.Compare(a.Min.Y, b.Min.Y), cmp.Compare(a.Min.X, b.Min.X))
	}
	slices.SortFunc(found, most)
	out.More = max(0, len(found)-maxWide)
	found = joined(found[:len(found)-out.More])
	slices.SortFunc(found, most)
	out.More += max(0, len(found)-maxParts)
	out.Most = found[:min(len(found), maxParts)]
	return out
}

// part takes all cells out that hang together with one.
func (g *grid) part(first int) Part {
	var out Part
	next := []int{first}
	take := func(i int) {
		c := g.cells[i]
		x, y := g.bounds.Min.X+i%g.wide*cell, g.bounds.Min.Y+i/g.wide*cell
		out.Rectangle = out.Union(image.Rect(x+int(c.left), y+int(c.top), x+int(c.right)+1, y+int(c.bottom)+1))
		out.Pixels += int(c.n)
		g.cells[i].n = 0
	}
	take(first)
	for len(next) > 0 {
		i := next[len(next)-1]
		next = next[:len(next)-1]
		x, y := i%g.wide, i/g.wide
		for ny := max(0, y-2); ny <= min(g.high-1, y+2); ny++ {
			for nx := max(0, x-2); nx <= min(g.wide-1, x+2); nx++ {
				if n := ny*g.wide + nx; g.cells[n].n > 0 {
					take(n)
					next = append(next, n)
				}
			}
		}
	}
	return out
}

// joined makes one part of those that overlap.
func joined(parts []Part) []Part {
	for again := true; again; {
		again = false
		for i := 0; i < len(parts); i++ {
			for j := len(parts) - 1; j > i; j-- {
				if parts[i].Overlaps(parts[j].Rectangle) {
					parts[i] = Part{parts[i].Union(parts[j].Rectangle), parts[i].Pixels + parts[j].Pixels}
					parts = slices.Delete(parts, j, j+1)
					again = true
				}
			}
		}
	}
	return parts
}
