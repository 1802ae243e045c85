package analysis_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/analysis"
)

func canvas(w, h int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(p, p.Rect, image.White, image.Point{}, draw.Src)
	return p
}

func fill(p *image.NRGBA, r image.Rectangle, c color.Color) {
	draw.Draw(p, r, image.NewUniform(c), image.Point{}, draw.Src)
}

func copied(p *image.NRGBA) *image.NRGBA {
	out := *p
	out.Pix = bytes.Clone(p.Pix)
	return &out
}

func compare(t *testing.T, a, b *image.NRGBA, leftOut ...image.Rectangle) *analysis.PictureDiff {
	t.Helper()
	d, err := analysis.ComparePictures(t.Context(), a, copied(b), leftOut)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var (
	red   = color.NRGBA{255, 0, 0, 255}
	black = color.NRGBA{0, 0, 0, 255}
)

// disc draws a circle with smoothed edges.
func disc(p *image.NRGBA, x, y, r float64) {
	for py := int(y - r - 2); py <= int(y+r+2); py++ {
		for px := int(x - r - 2); px <= int(x+r+2); px++ {
			over := math.Hypot(float64(px)-x, float64(py)-y) - r
			shade := uint8(255 * min(1, max(0, over+0.5)))
			p.SetNRGBA(px, py, color.NRGBA{shade, shade, shade, 255})
		}
	}
}

func TestChangesAreCountedWhereTheyAre(t *testing.T) {
	a := canvas(300, 1000)
	fill(a, image.Rect(10, 10, 50, 30), black)
	fill(a, image.Rect(10, 900, 50, 930), black) // below all that changes
	b := copied(a)
	fill(b, image.Rect(100, 200, 120, 210), red)
	// Across the border of two strips, in the last pixel, and near to each other: one part.
	fill(b, image.Rect(200, 250, 210, 262), red)
	fill(b, image.Rect(299, 699, 300, 700), red)
	fill(b, image.Rect(20, 500, 24, 504), red)
	fill(b, image.Rect(34, 500, 38, 504), red)
	d := compare(t, a, b)
	want := []analysis.Part{
		{Rectangle: image.Rect(100, 200, 120, 210), Pixels: 200}, {Rectangle: image.Rect(200, 250, 210, 262), Pixels: 120},
		{Rectangle: image.Rect(20, 500, 38, 504), Pixels: 32}, {Rectangle: image.Rect(299, 699, 300, 700), Pixels: 1},
	}
	if d.Changed.Pixels != 353 || len(d.Changed.Most) != len(want) || d.Changed.More != 0 {
		t.Fatalf("%+v", d.Changed)
	}
	for i, p := range d.Changed.Most {
		if p != want[i] {
			t.Errorf("part %d is %v with %d pixels, want %v", i, p.Rectangle, p.Pixels, want[i])
		}
	}
	if d.Smoothed.Pixels+d.Faint.Pixels != 0 {
		t.Errorf("%+v %+v", d.Smoothed, d.Faint)
	}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(d.Picture.At(x, y)).(color.RGBA) }
	if d.Picture.Rect != b.Rect || at(110, 205) != (color.RGBA{255, 0, 0, 255}) || at(0, 0) != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("%v %v", at(110, 205), at(0, 0))
	}
	if c := at(20, 20); c != (color.RGBA{229, 229, 229, 255}) || c != at(20, 910) {
		t.Errorf("what did not change is pale: %v, %v", c, at(20, 910))
	}
}

func TestSmoothedEdgesAreCountedApart(t *testing.T) {
	a, b := canvas(200, 600), canvas(200, 600)
	disc(a, 100, 256, 40)
	disc(b, 100.4, 256.4, 40) // over the border of two strips
	d := compare(t, a, b)
	if d.Changed.Pixels > 5 || d.Smoothed.Pixels < 50 || len(d.Smoothed.Most) == 0 {
		t.Errorf("changed %d, smoothed %d", d.Changed.Pixels, d.Smoothed.Pixels)
	}
	p := d.Smoothed.Most[0]
	if c := d.Picture.ColorIndexAt(p.Min.X, p.Min.Y); !p.In(image.Rect(55, 210, 146, 302)) {
		t.Errorf("%v %v", p, c)
	}
	yellow := 0
	for _, i := range d.Picture.Pix {
		if d.Picture.Palette[i] == (color.RGBA{255, 200, 0, 255}) {
			yellow++
		}
	}
	if yellow != d.Smoothed.Pixels {
		t.Errorf("%d yellow pixels, %d smoothed", yellow, d.Smoothed.Pixels)
	}
}

// A strip must not change what is seen at its edge: one whole comparison says the same.
func TestStripsDoNotChangeWhatIsSmoothed(t *testing.T) {
	short, tall := canvas(120, 200), canvas(120, 400)
	short2, tall2 := canvas(120, 200), canvas(120, 400)
	disc(short, 60, 100, 30)
	disc(short2, 60.4, 100.4, 30)
	disc(tall, 60, 256, 30) // the same across the border
	disc(tall2, 60.4, 256.4, 30)
	one, two := compare(t, short, short2), compare(t, tall, tall2)
	if one.Smoothed.Pixels != two.Smoothed.Pixels || one.Changed.Pixels != two.Changed.Pixels || one.Smoothed.Pixels == 0 {
		t.Errorf("%d %d, %d %d", one.Smoothed.Pixels, two.Smoothed.Pixels, one.Changed.Pixels, two.Changed.Pixels)
	}
}

func TestFaintChangesAreCountedApart(t *testing.T) {
	a, b := canvas(100, 100), canvas(100, 100)
	fill(b, image.Rect(0, 0, 100, 40), color.NRGBA{246, 246, 246, 255})
	if d := compare(t, a, b); d.Changed.Pixels != 4000 || d.Faint.Pixels != 0 {
		t.Errorf("a light grey on white: %+v, %+v", d.Changed, d.Faint)
	}
	fill(b, image.Rect(0, 0, 100, 40), color.NRGBA{249, 249, 249, 255})
	d := compare(t, a, b)
	if d.Changed.Pixels != 0 || d.Faint.Pixels != 4000 || d.Faint.Most[0].Rectangle != image.Rect(0, 0, 100, 40) {
		t.Errorf("%+v", d)
	}
	if d.Picture.At(50, 20) != (color.RGBA{120, 170, 255, 255}) || d.Picture.At(50, 60) != (color.RGBA{255, 255, 255, 255}) {
		t.Error(d.Picture.At(50, 20), d.Picture.At(50, 60))
	}
}

func TestWhatIsLeftOutIsEqual(t *testing.T) {
	a, b := canvas(100, 100), canvas(100, 100)
	fill(b, image.Rect(20, 20, 40, 40), red)
	fill(b, image.Rect(60, 60, 62, 62), red)
	d := compare(t, a, b, image.Rect(20, 20, 40, 40), image.Rect(90, 90, 500, 500))
	if d.Changed.Pixels != 4 || len(d.Changed.Most) != 1 || d.Changed.Most[0].Rectangle != image.Rect(60, 60, 62, 62) {
		t.Errorf("%+v", d.Changed)
	}
	if c := d.Picture.At(30, 30); c != (color.RGBA{170, 170, 170, 255}) {
		t.Error(c)
	}
}

func TestPicturesOfOtherSizesAreNotCompared(t *testing.T) {
	if _, err := analysis.ComparePictures(t.Context(), canvas(10, 10), canvas(10, 11), nil); err == nil {
		t.Error("compared")
	}
	if _, ok := analysis.Unequal(canvas(10, 10), canvas(11, 10)); ok {
		t.Error("compared")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := analysis.ComparePictures(ctx, canvas(10, 10), canvas(10, 10), nil); err == nil {
		t.Error("a comparison that nobody waits for goes on")
	}
}

func TestAnyBitThatDiffersIsUnequal(t *testing.T) {
	a, b := canvas(64, 64), canvas(64, 64)
	b.SetNRGBA(40, 50, color.NRGBA{255, 255, 254, 255})
	parts, ok := analysis.Unequal(a, b)
	if !ok || parts.Pixels != 1 || len(parts.Most) != 1 || parts.Most[0].Rectangle != image.Rect(40, 50, 41, 51) {
		t.Errorf("%v %+v", ok, parts)
	}
	c := canvas(64, 64)
	fill(c, image.Rect(40, 50, 42, 51), red) // one pixel of it differs in both
	if parts, ok = analysis.Unequal(a, b, canvas(64, 64), c); !ok || parts.Pixels != 2 || parts.Most[0].Rectangle != image.Rect(40, 50, 42, 51) {
		t.Errorf("%v %+v", ok, parts)
	}
	if _, ok = analysis.Unequal(a, b, canvas(64, 65)); ok {
		t.Error("compared with one of another size")
	}
	if parts, ok = analysis.Unequal(a, canvas(64, 64)); !ok || parts.Pixels != 0 || len(parts.Most) != 0 {
		t.Errorf("%v %+v", ok, parts)
	}
}

func TestPartsThatOverlapAreOne(t *testing.T) {
	a, b := canvas(300, 300), canvas(300, 300)
	fill(b, image.Rect(50, 50, 250, 55), red) // a frame around a dot far from it
	fill(b, image.Rect(50, 245, 250, 250), red)
	fill(b, image.Rect(50, 50, 55, 250), red)
	fill(b, image.Rect(245, 50, 250, 250), red)
	fill(b, image.Rect(148, 148, 152, 152), red)
	d := compare(t, a, b)
	if len(d.Changed.Most) != 1 || d.Changed.Most[0].Rectangle != image.Rect(50, 50, 250, 250) || d.Changed.Most[0].Pixels != d.Changed.Pixels {
		t.Errorf("%+v", d.Changed)
	}
}

func TestPartsAreBounded(t *testing.T) {
	a, b := canvas(1600, 1600), canvas(1600, 1600)
	for y := 0; y < 1600; y += 40 {
		for x := 0; x < 1600; x += 40 {
			fill(b, image.Rect(x, y, x+1+x/800, y+1), red)
		}
	}
	d := compare(t, a, b)
	if len(d.Changed.Most) != 50 || d.Changed.More != 1550 || d.Changed.Pixels != 2400 {
		t.Errorf("%d and %d more, %d pixels", len(d.Changed.Most), d.Changed.More, d.Changed.Pixels)
	}
	if p := d.Changed.Most[0]; p.Pixels != 2 || p.Min != image.Pt(800, 0) {
		t.Errorf("the largest is first, of equal ones the upper: %v", p)
	}
}

func TestAPictureIsReadWhateverItsColours(t *testing.T) {
	encode := func(p image.Image) []byte {
		var out bytes.Buffer
		if err := png.Encode(&out, p); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	want := canvas(20, 10)
	fill(want, image.Rect(3, 3, 9, 9), black)
	clear := copied(want)
	clear.SetNRGBA(0, 0, color.NRGBA{10, 20, 30, 100}) // so that it is written with transparency
	grey := image.NewGray(want.Rect)
	draw.Draw(grey, grey.Rect, want, image.Point{}, draw.Src)
	for name, p := range map[string]image.Image{"opaque": want, "clear": clear, "grey": grey} {
		got, err := analysis.ReadPicture(encode(p))
		if err != nil {
			t.Fatal(err)
		}
		like := want
		if name == "clear" {
			like = clear
		}
		if parts, ok := analysis.Unequal(like, got); !ok || parts.Pixels != 0 {
			t.Errorf("%s: %v %+v", name, ok, parts)
		}
	}
	whole := encode(want)
	for _, data := range [][]byte{nil, []byte("PNG"), whole[:40], whole[:len(whole)/2]} {
		if _, err := analysis.ReadPicture(data); err == nil {
			t.Errorf("%d bytes are read", len(data))
		}
	}
	// The header alone says how large it is: nothing is made room for.
	for _, width := range []uint32{8000, 8001} {
		large := bytes.Clone(whole)
		header := large[12:29] // IHDR, its 13 bytes; its sum follows
		binary.BigEndian.PutUint32(header[4:], width)
		binary.BigEndian.PutUint32(header[8:], 5000)
		binary.BigEndian.PutUint32(large[29:], crc32.ChecksumIEEE(header))
		// Of the size that is read it lacks the bytes.
		if _, err := analysis.ReadPicture(large); err == nil || strings.Contains(err.Error(), "40005000 pixels") != (width > 8000) {
			t.Errorf("%d pixels in a row: %v", width, err)
		}
	}
}

func TestAreaCountsEachPixelOnce(t *testing.T) {
	bounds := image.Rect(0, 0, 100, 100)
	for _, c := range []struct {
		want int
		all  []image.Rectangle
	}{
		{0, nil},
		{100, []image.Rectangle{image.Rect(0, 0, 10, 10)}},
		{100, []image.Rectangle{image.Rect(0, 0, 10, 10), image.Rect(2, 2, 8, 8)}},
		{175, []image.Rectangle{image.Rect(0, 0, 10, 10), image.Rect(5, 5, 15, 15)}},
		{200, []image.Rectangle{image.Rect(0, 0, 10, 10), image.Rect(20, 0, 30, 10)}},
		{300, []image.Rectangle{image.Rect(0, 0, 10, 10), image.Rect(0, 50, 10, 70)}},
		{25, []image.Rectangle{image.Rect(95, 95, 200, 200)}},
		{0, []image.Rectangle{image.Rect(150, 150, 200, 200)}},
	} {
		if got := analysis.Area(bounds, c.all); got != c.want {
			t.Errorf("%v: %d, want %d", c.all, got, c.want)
		}
	}
}

func BenchmarkComparePictures(b *testing.B) {
	one, other := canvas(1280, 720), canvas(1280, 720)
	fill(other, image.Rect(100, 100, 300, 200), red)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := analysis.ComparePictures(b.Context(), one, other, nil); err != nil {
			b.Fatal(err)
		}
	}
}
