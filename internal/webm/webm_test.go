package webm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// node is an element that was read back.
type node struct {
	id      uint32
	at      int // of its ID, from the beginning of what it is in
	content []byte
	unknown bool // its size is not known: it goes to the end
}

// nodes reads the elements of a content.
func nodes(t *testing.T, b []byte) (out []node) {
	t.Helper()
	for at := 0; at < len(b); {
		n := node{at: at}
		width := 1
		for mask := byte(0x80); b[at]&mask == 0; mask >>= 1 {
			width++
		}
		for _, c := range b[at : at+width] {
			n.id = n.id<<8 | uint32(c)
		}
		at += width
		width = 1
		for mask := byte(0x80); b[at]&mask == 0; mask >>= 1 {
			width++
		}
		var size, ones uint64
		for i, c := range b[at : at+width] {
			if i == 0 {
				c &^= 0x80 >> (width - 1)
			}
			size = size<<8 | uint64(c)
		}
		ones = 1<<(7*width) - 1
		at += width
		if size == ones {
			n.unknown, size = true, uint64(len(b)-at)
		}
		if uint64(len(b)-at) < size {
			t.Fatalf("element %x has %d bytes of %d", n.id, len(b)-at, size)
		}
		n.content = b[at : at+int(size)]
		at += int(size)
		out = append(out, n)
	}
	return out
}

func find(t *testing.T, b []byte, ids ...uint32) []byte {
	t.Helper()
	for _, id := range ids {
		found := false
		for _, n := range nodes(t, b) {
			if n.id == id {
				b, found = n.content, true
				break
			}
		}
		if !found {
			t.Fatalf("there is no element %x", id)
		}
	}
	return b
}

func uintOf(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

func made(t *testing.T, sound *Audio, do func(w *Writer)) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "film.webm")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(f, Video{Codec: "vp8", Width: 320, Height: 200, Matrix: "bt709", FullRange: true}, sound)
	if err != nil {
		t.Fatal(err)
	}
	do(w)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if w.err == nil && int64(len(b)) != w.at {
		t.Errorf("the file has %d bytes, want %d", len(b), w.at)
	}
	return b
}

func add(t *testing.T, w *Writer, track int, at time.Duration, key bool, data string) {
	t.Helper()
	if err := w.Frame(track, at, key, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

// The beginning of Opus is the encoder's own, and a place that is jumped to needs what comes before it.
func TestWhatPlayersOfOpusNeedToKnow(t *testing.T) {
	head := []byte("OpusHead\x01\x02\x38\x01\x80\xbb\x00\x00\x00\x00\x00")
	for what, tt := range map[string]struct {
		head  []byte
		delay uint64
	}{"312 samples": {head, 6_500_000}, "half a header": {head[:11], 0}} {
		b := made(t, &Audio{48_000, 2, tt.head}, func(w *Writer) {
			add(t, w, Pictures, 0, true, "k")
			add(t, w, Sound, 20*time.Millisecond, true, "s")
		})
		var entries []node
		for _, n := range nodes(t, find(t, b, idSegment, idTracks)) {
			if n.id == idEntry {
				entries = append(entries, n)
			}
		}
		if len(entries) != 2 {
			t.Fatalf("%s: %d tracks", what, len(entries))
		}
		sound := entries[1].content
		if got := uintOf(find(t, sound, idDelay)); got != tt.delay {
			t.Errorf("%s: a delay of %d ns", what, got)
		}
		if got := uintOf(find(t, sound, idPreRoll)); got != 80_000_000 {
			t.Errorf("%s: %d ns before a place", what, got)
		}
		if got := find(t, sound, idPrivate); !bytes.Equal(got, tt.head) {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// A film that was closed has its duration, and every place that it can be jumped to is a cluster that begins with a key
// frame of that time.
func TestAFilmCanBeSoughtIn(t *testing.T) {
	b := made(t, &Audio{48_000, 2, []byte("OpusHead")}, func(w *Writer) {
		add(t, w, Pictures, 0, false, "before the first key frame")
		add(t, w, Sound, 0, true, "nor is its sound there")
		add(t, w, Pictures, 10*time.Millisecond, true, "k1")
		add(t, w, Sound, 15*time.Millisecond, false, "s1")
		add(t, w, Pictures, 12*time.Millisecond, false, "late")
		add(t, w, Pictures, 2*time.Second, true, "k2")
		add(t, w, Pictures, time.Minute, false, "after a rest")
		add(t, w, Pictures, 61*time.Second+500*time.Microsecond, true, "k3")
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	})
	top := nodes(t, b)
	if len(top) != 2 || top[1].unknown {
		t.Fatalf("the film has %d parts, and the size of the last is not known", len(top))
	}
	if doc := string(find(t, b, idEBML, 0x4282)); doc != "webm" {
		t.Errorf("it says that it is %q", doc)
	}
	segment := top[1].content
	if d := math.Float64frombits(binary.BigEndian.Uint64(find(t, segment, idInfo, idDuration))); d != 61_000.5 {
		t.Errorf("its duration is %v ms", d)
	}
	if codec := find(t, segment, idTracks, idEntry, idCodec); string(codec) != "V_VP8" {
		t.Errorf("its codec is %q", codec)
	}
	if width := uintOf(find(t, segment, idTracks, idEntry, idVideo, idWidth)); width != 320 {
		t.Errorf("it is %d pixels wide", width)
	}
	index := uintOf(find(t, segment, idSeekHead, idSeek, idSeekPosition))
	jumps := nodes(t, nodes(t, segment[index:])[0].content)
	want := []struct {
		ms    uint64
		block string
	}{{10, "k1"}, {2000, "k2"}, {61_000, "k3"}}
	if len(jumps) != len(want) {
		t.Fatalf("it has %d places to jump to, want %d", len(jumps), len(want))
	}
	for i, jump := range jumps {
		at := uintOf(find(t, jump.content, idPositions, idCueAt))
		cluster := nodes(t, segment[at:])[0]
		block := find(t, cluster.content, idBlock)
		if ms := uintOf(find(t, jump.content, idCueTime)); cluster.id != idCluster || ms != want[i].ms ||
			uintOf(find(t, cluster.content, idTime)) != ms || block[3]&0x80 == 0 || string(block[4:]) != want[i].block {
			t.Errorf("jump %d goes to element %x at %d ms, block %q, want %v", i, cluster.id, ms, block, want[i])
		}
	}
	var blocks []string
	for _, n := range nodes(t, segment) {
		if n.id != idCluster {
			continue
		}
		for _, b := range nodes(t, n.content) {
			if b.id == idBlock {
				blocks = append(blocks, string(b.content[4:]))
			}
		}
	}
	if got := len(blocks); got != 6 || blocks[1] != "s1" || blocks[2] != "late" {
		t.Errorf("the film has the blocks %q", blocks)
	}
}

// What was written until the program ended is a film.
func TestAFilmThatNobodyClosedIsPlayable(t *testing.T) {
	b := made(t, nil, func(w *Writer) {
		add(t, w, Pictures, 0, true, "k1")
		add(t, w, Pictures, 6*time.Second, true, "k2")
	})
	top := nodes(t, b)
	if len(top) != 2 || !top[1].unknown {
		t.Fatalf("the film has %d parts, the size of the last known", len(top))
	}
	if block := find(t, top[1].content, idCluster, idBlock); string(block[4:]) != "k1" {
		t.Errorf("its first block is %q", block)
	}
}

func TestWhatIsNoFilmIsRefused(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, v := range []Video{{Codec: "h264", Width: 1, Height: 1}, {Codec: "vp8", Height: 1}, {Codec: "vp9", Width: 1, Height: 1 << 15}} {
		if _, err := New(f, v, nil); err == nil {
			t.Errorf("%+v is a film", v)
		}
	}
	w, err := New(f, Video{Codec: "vp9", Width: 2, Height: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		w.Frame(Sound, 0, true, []byte("x")), w.Frame(3, 0, true, []byte("x")), w.Frame(Pictures, 0, true, nil),
		w.Frame(Pictures, 0, true, make([]byte, MaxFrame+1)),
	} {
		if err == nil {
			t.Error("a frame was taken that is none")
		}
	}
}

// full is a disk that takes so many bytes.
type full struct {
	left int
}

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.left {
		return 0, errors.New("no space left")
	}
	f.left -= len(b)
	return len(b), nil
}

func (*full) Seek(int64, int) (int64, error) { return 0, nil }

func TestAFullDiskEndsTheFilm(t *testing.T) {
	var to io.WriteSeeker = &full{1 << 20}
	w, err := New(to, Video{Codec: "vp8", Width: 2, Height: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err = w.Frame(Pictures, time.Duration(i)*time.Second, true, make([]byte, 1<<16)); err != nil {
			break
		}
	}
	if err == nil || w.Frame(Pictures, time.Hour, true, []byte("x")) == nil || w.Close() == nil {
		t.Error("the film went on after the disk was full")
	}
}

// An hour of key frames has an index that is bounded, with places all over the film.
func TestTheIndexIsBounded(t *testing.T) {
	w, err := New(&full{1 << 30}, Video{Codec: "vp8", Width: 2, Height: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 * maxCues {
		add(t, w, Pictures, time.Duration(i)*40*time.Millisecond, true, "k")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(w.cues); n > maxCues || n < maxCues/4 {
		t.Errorf("the index has %d places", n)
	}
	step := w.cues[1].at - w.cues[0].at
	for i := range w.cues[1:] {
		if d := w.cues[i+1].at - w.cues[i].at; d != step {
			t.Fatalf("place %d comes %v after the one before, want %v", i+1, d, step)
		}
	}
}
