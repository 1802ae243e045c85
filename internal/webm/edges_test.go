package webm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// memory is a file in memory. Work is refused from a given call on.
type memory struct {
	b     []byte
	at    int64
	calls int
	fails int // the number of the call that fails first; 0: none
}

func (m *memory) Write(b []byte) (int, error) {
	if m.calls++; m.fails > 0 && m.calls >= m.fails {
		return 0, errors.New("refused")
	}
	m.b = slices.Grow(m.b, max(0, int(m.at)+len(b)-len(m.b)))
	m.b = m.b[:max(len(m.b), int(m.at)+len(b))]
	m.at += int64(copy(m.b[m.at:], b))
	return len(b), nil
}

func (m *memory) Seek(to int64, whence int) (int64, error) {
	if m.calls++; m.fails > 0 && m.calls >= m.fails {
		return 0, errors.New("refused")
	}
	if whence != io.SeekStart {
		return 0, errors.New("only from the start")
	}
	m.at = to
	return to, nil
}

func begun(t *testing.T, v Video) (*memory, *Writer) {
	t.Helper()
	m := &memory{}
	w, err := New(m, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m, w
}

var small = Video{Codec: "vp9", Width: 2, Height: 3}

func TestSizesAndCodecsAtTheirEdges(t *testing.T) {
	for _, c := range []struct {
		v    Video
		want string
	}{
		{Video{"vp8", 1, 1, "", false}, ""},
		{Video{"vp9", 1 << 14, 1 << 14, "", false}, ""},
		{Video{"vp9", 0, 1, "", false}, "no film has 0×1 pixels"},
		{Video{"vp9", 1, 0, "", false}, "no film has 1×0 pixels"},
		{Video{"vp9", -1, 5, "", false}, "no film has -1×5 pixels"},
		{Video{"vp9", 1<<14 + 1, 2, "", false}, "no film has 16385×2 pixels"},
		{Video{"vp9", 2, 1<<14 + 1, "", false}, "no film has 2×16385 pixels"},
		{Video{"av1", 2, 2, "", false}, `no film has the codec "av1"`},
	} {
		_, err := New(&memory{}, c.v, nil)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.v, err, c.want)
		}
	}
	for _, v := range []Video{{Codec: "vp8", Width: 640, Height: 480}, {Codec: "vp9", Width: 640, Height: 480}} {
		m, _ := begun(t, v)
		entry := find(t, nodes(t, m.b)[1].content, idTracks, idEntry)
		if got := string(find(t, entry, idCodec)); got != "V_"+strings.ToUpper(v.Codec) {
			t.Errorf("the codec is %q", got)
		}
		video := find(t, entry, idVideo)
		if w, h := uintOf(find(t, video, idWidth)), uintOf(find(t, video, idHeight)); w != 640 || h != 480 {
			t.Errorf("%d×%d pixels", w, h)
		}
	}
}

func TestColoursAreToldWhereTheEncoderSaidThem(t *testing.T) {
	for _, c := range []struct {
		matrix string
		full   bool
		want   []uint64 // matrix, range
	}{
		{"", true, nil}, {"rgb", false, nil}, {"bt709", false, []uint64{1, 1}}, {"bt709", true, []uint64{1, 2}}, {"smpte170m", true, []uint64{6, 2}},
	} {
		m, _ := begun(t, Video{Codec: "vp8", Width: 2, Height: 2, Matrix: c.matrix, FullRange: c.full})
		var got []uint64
		for _, n := range nodes(t, find(t, nodes(t, m.b)[1].content, idTracks, idEntry, idVideo)) {
			if n.id == idColour {
				got = []uint64{uintOf(find(t, n.content, idMatrix)), uintOf(find(t, n.content, idRange))}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, %v: %v, want %v", c.matrix, c.full, got, c.want)
		}
	}
}

// Blocks tell their times from their cluster's, in the order of what came.
func TestTimesOfBlocks(t *testing.T) {
	m, w := begun(t, small)
	add(t, w, Pictures, 1500*time.Microsecond, true, "a")
	add(t, w, Pictures, 7*time.Millisecond, false, "b")
	add(t, w, Pictures, 3*time.Millisecond, false, "earlier")
	if w.Duration() != 7*time.Millisecond {
		t.Errorf("it lasts %v", w.Duration())
	}
	if len(nodes(t, nodes(t, m.b)[1].content)) != 3 {
		t.Error("a cluster was written before it was full")
	}
	before := w.Size()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if int64(len(m.b)) <= before || w.Size() != int64(len(m.b)) {
		t.Errorf("it has %d bytes, of %d in the file; before the end %d", w.Size(), len(m.b), before)
	}
	cluster := find(t, nodes(t, m.b)[1].content, idCluster)
	if at := uintOf(find(t, cluster, idTime)); at != 1 {
		t.Errorf("the cluster is of %d ms", at)
	}
	var got []string
	for _, n := range nodes(t, cluster)[1:] {
		got = append(got, fmt.Sprintf("%d %d %x %s", n.content[0]&0x7f, binary.BigEndian.Uint16(n.content[1:]), n.content[3], n.content[4:]))
	}
	if want := []string{"1 0 80 a", "1 6 0 b", "1 6 0 earlier"}; !slices.Equal(got, want) {
		t.Errorf("blocks %q, want %q", got, want)
	}
}

// A cluster ends with a key frame, after five seconds, and when it is full.
func TestClustersEnd(t *testing.T) {
	clusters := func(do func(w *Writer)) (n int) {
		m, w := begun(t, small)
		do(w)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, at := range nodes(t, nodes(t, m.b)[1].content) {
			if at.id == idCluster {
				n++
			}
		}
		return n
	}
	for want, do := range map[int]func(w *Writer){
		0: func(*Writer) {},
		1: func(w *Writer) { add(t, w, Pictures, 0, true, "a"); add(t, w, Pictures, maxClusterTime-1, false, "b") },
		2: func(w *Writer) { add(t, w, Pictures, 0, true, "a"); add(t, w, Pictures, maxClusterTime, false, "b") },
		3: func(w *Writer) {
			for range 3 {
				add(t, w, Pictures, 0, true, "a")
			}
		},
		4: func(w *Writer) {
			for i := range 4 {
				add(t, w, Pictures, 0, i == 0, strings.Repeat("x", maxCluster-10))
			}
		},
	} {
		if got := clusters(do); got != want {
			t.Errorf("%d clusters, want %d", got, want)
		}
	}
}

func TestAFrameAsLargeAsFramesMayBe(t *testing.T) {
	m, w := begun(t, small)
	if err := w.Frame(Pictures, 0, true, make([]byte, MaxFrame)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := len(find(t, nodes(t, m.b)[1].content, idCluster, idBlock)); got != MaxFrame+4 {
		t.Errorf("its block has %d bytes", got)
	}
}

// A film without a picture has no index, and nothing that points to one.
func TestAFilmWithoutPictures(t *testing.T) {
	m, w := begun(t, small)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes(t, nodes(t, m.b)[1].content) {
		if n.id == idCues || n.id == idSeekHead {
			t.Errorf("it has the element %x", n.id)
		}
	}
}

// Whichever call of the file is refused, the film says so and nothing is written after it.
func TestEachRefusalOfTheFileIsTold(t *testing.T) {
	film := func(m *memory) error {
		w, err := New(m, small, nil)
		if err != nil {
			return err
		}
		for i := range 3 {
			if err := w.Frame(Pictures, time.Duration(i)*time.Second, true, []byte("k")); err != nil {
				return err
			}
		}
		return w.Close()
	}
	whole := &memory{}
	if err := film(whole); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= whole.calls; n++ {
		m := &memory{fails: n}
		if err := film(m); err == nil {
			t.Errorf("nobody was told that call %d of %d was refused", n, whole.calls)
		}
		// Going back to the end follows the write that was refused; else nothing does.
		if m.calls > n+1 {
			t.Errorf("after call %d was refused %d more were made", n, m.calls-n)
		}
		if !bytes.HasPrefix(whole.b, m.b[:min(len(m.b), int(20))]) {
			t.Errorf("call %d: the film began otherwise", n)
		}
	}
}

// Each change of what is written already leaves the place at the end.
func TestPatchesLeaveThePlaceAtTheEnd(t *testing.T) {
	m, w := begun(t, small)
	add(t, w, Pictures, 0, true, "k")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if m.at != int64(len(m.b)) {
		t.Errorf("the place is %d of %d", m.at, len(m.b))
	}
}

func TestLengthsAreWrittenInAsFewBytesAsThereMustBe(t *testing.T) {
	for n, want := range map[int]string{
		0: "80", 126: "fe", 127: "407f", 16382: "7ffe", 16383: "203fff", 1<<21 - 2: "3ffffe", 1<<21 - 1: "101fffff", 1<<56 - 2: "01fffffffffffffe",
	} {
		if got := fmt.Sprintf("%x", size(n)); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}
