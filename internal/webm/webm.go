// Package webm writes WebM films as they are recorded: frames come in encoded, the file is playable at any moment, and
// once it is closed it has its duration and can be sought in. The format is that of the WebM container guidelines, a
// part of Matroska (RFC 9559).
package webm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// Bounds of a cluster, the piece of a film that is written at once.
const (
	maxCluster     = 4 << 20         // bytes
	maxClusterTime = 5 * time.Second // a block's time is told from its cluster's in 16 bits of milliseconds
	// MaxFrame is the most bytes of one frame.
	MaxFrame = 16 << 20
	maxCues  = 20_000 // pieces that can be jumped to; of a longer film every second one is dropped
)

// Video describes the film's pictures.
type Video struct {
	Codec  string // vp8 or vp9
	Width  int    // pixels
	Height int

	// How the encoder made its numbers of colours: bt709 or smpte170m, "" when it did not say, over all of 0–255 or 16–235.
	Matrix    string
	FullRange bool
}

// Audio describes the film's sound. Head is what the encoder says of it (Opus: RFC 7845, section 5.1).
type Audio struct {
	Rate     int // samples a second
	Channels int
	Head     []byte
}

// Writer writes one film. It is not safe for concurrent use.
type Writer struct {
	to       io.WriteSeeker
	audio    bool
	at       int64 // bytes written
	segment  int64 // where the segment's content begins
	seekHead int64
	duration int64 // where the duration is

	cluster []byte
	began   time.Duration // of the cluster
	open    bool
	keyed   bool // the cluster begins with a key frame
	seen    bool // a key frame came
	last    time.Duration
	cues    []cue
	every   int // of the clusters so many have one cue
	count   int
	err     error
}

type cue struct {
	at       time.Duration
	position int64 // from the segment's content
}

// Elements that are written, by their IDs.
const (
	idEBML, idSegment, idSeekHead, idSeek, idSeekID, idSeekPosition = 0x1A45DFA3, 0x18538067, 0x114D9B74, 0x4DBB, 0x53AB, 0x53AC
	idInfo, idScale, idDuration, idMuxer, idApp                     = 0x1549A966, 0x2AD7B1, 0x4489, 0x4D80, 0x5741
	idTracks, idEntry, idNumber, idUID, idType, idCodec             = 0x1654AE6B, 0xAE, 0xD7, 0x73C5, 0x83, 0x86
	idPrivate, idVideo, idWidth, idHeight                           = 0x63A2, 0xE0, 0xB0, 0xBA
	idColour, idMatrix, idRange, idTransfer, idPrimaries            = 0x55B0, 0x55B1, 0x55B9, 0x55BA, 0x55BB
	idAudio, idRate, idChannels, idDelay, idPreRoll                 = 0xE1, 0xB5, 0x9F, 0x56AA, 0x56BB
	idCluster, idTime, idBlock, idVoid                              = 0x1F43B675, 0xE7, 0xA3, 0xEC
	idCues, idPoint, idCueTime, idPositions, idCueTrack, idCueAt    = 0x1C53BB6B, 0xBB, 0xB3, 0xB7, 0xF7, 0xF1
)

// Numbers of the tracks.
const (
	// Pictures is the track of the video.
	Pictures = 1
	// Sound is the track of the audio.
	Sound = 2
)

// The samples a second that Opus counts its delay in, and what is decoded before a place that is jumped to (RFC 7845,
// section 4.6).
const (
	opusRate = 48_000
	preRoll  = 80 * time.Millisecond
)

// seekRoom is the room that is left for the seek head, which is known at the end only.
const seekRoom = 60

// unknown is a size that is not known yet.
var unknown = []byte{0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}

// New begins a film. sound is nil for a silent one. The caller closes to after the film.
func New(to io.WriteSeeker, v Video, sound *Audio) (*Writer, error) {
	codec, ok := map[string]string{"vp8": "V_VP8", "vp9": "V_VP9"}[v.Codec]
	if !ok {
		return nil, fmt.Errorf("webm: no film has the codec %q", v.Codec)
	}
	if v.Width <= 0 || v.Height <= 0 || v.Width > 1<<14 || v.Height > 1<<14 {
		return nil, fmt.Errorf("webm: no film has %d×%d pixels", v.Width, v.Height)
	}
	w := &Writer{to: to, audio: sound != nil, every: 1}
	w.write(element(idEBML, join(
		number(0x4286, 1), number(0x42F7, 1), number(0x42F2, 4), number(0x42F3, 8),
		element(0x4282, []byte("webm")), number(0x4287, 4), number(0x4285, 2),
	)))
	w.write(append(id(idSegment), unknown...))
	w.segment, w.seekHead = w.at, w.at
	w.write(void(seekRoom))
	info := join(
		number(idScale, uint64(time.Millisecond)), element(idMuxer, []byte("gasoline")), element(idApp, []byte("gasoline")),
	)
	w.write(element(idInfo, append(info, element(idDuration, float(0))...)))
	w.duration = w.at - 8
	tracks := element(idEntry, join(
		number(idNumber, Pictures), number(idUID, Pictures), number(idType, 1), element(idCodec, []byte(codec)),
		element(idVideo, join(number(idWidth, uint64(v.Width)), number(idHeight, uint64(v.Height)), v.colour())),
	))
	if sound != nil {
		tracks = append(tracks, element(idEntry, join(
			number(idNumber, Sound), number(idUID, Sound), number(idType, 2), element(idCodec, []byte("A_OPUS")),
			element(idPrivate, sound.Head), number(idDelay, uint64(sound.delay())), number(idPreRoll, uint64(preRoll)),
			element(idAudio, join(element(idRate, float(float64(sound.Rate))), number(idChannels, uint64(sound.Channels)))),
		))...)
	}
	w.write(element(idTracks, tracks))
	return w, w.err
}

// colour says how to make the numbers colours again. Without it players take them for 16–235.
func (v Video) colour() []byte {
	matrix := map[string]uint64{"bt709": 1, "smpte170m": 6}[v.Matrix]
	if matrix == 0 {
		return nil
	}
	span := uint64(1)
	if v.FullRange {
		span = 2
	}
	return element(idColour, join(number(idMatrix, matrix), number(idRange, span), number(idTransfer, 1), number(idPrimaries, 1)))
}

// delay is how much of the beginning is the encoder's own, which players leave out.
func (a Audio) delay() time.Duration {
	if len(a.Head) < 12 {
		return 0
	}
	return time.Duration(binary.LittleEndian.Uint16(a.Head[10:])) * time.Second / opusRate
}

// Frame adds a frame, at its time from the film's beginning. Frames come in the order of their times; one that is
// earlier than the one before is written at that one's time. Pictures before the first key frame cannot be shown and
// are left out. After an error the film is what was written until then.
func (w *Writer) Frame(track int, at time.Duration, key bool, data []byte) error {
	switch {
	case w.err != nil:
		return w.err
	case track != Pictures && !(track == Sound && w.audio):
		return fmt.Errorf("webm: the film has no track %d", track)
	case len(data) == 0 || len(data) > MaxFrame:
		return fmt.Errorf("webm: a frame of %d bytes", len(data))
	}
	picture := track == Pictures
	if !w.seen {
		if !picture || !key {
			return nil
		}
		w.seen = true
	}
	at = max(at, w.last)
	full := len(w.cluster)+len(data) > maxCluster || at-w.began >= maxClusterTime
	if !w.open || full || picture && key {
		w.flush()
		w.open, w.began, w.keyed = true, at.Truncate(time.Millisecond), picture && key
	}
	w.last = at
	block := []byte{0x80 | byte(track)}
	block = binary.BigEndian.AppendUint16(block, uint16((at - w.began).Milliseconds()))
	flags := byte(0)
	if key || !picture {
		flags = 0x80
	}
	block = append(block, flags)
	w.cluster = append(append(append(append(w.cluster, id(idBlock)...), size(len(block)+len(data))...), block...), data...)
	return w.err
}

// Flush writes what was added until now: a film that is lost afterwards plays to here.
func (w *Writer) Flush() error {
	w.flush()
	return w.err
}

// Duration returns the time of the last frame.
func (w *Writer) Duration() time.Duration { return w.last }

// Size returns the bytes of the film, those that are not written yet included.
func (w *Writer) Size() int64 { return w.at + int64(len(w.cluster)) }

// Close writes what is left, and the index that films are sought in by.
func (w *Writer) Close() error {
	w.flush()
	if w.err != nil {
		return w.err
	}
	cues := w.at - w.segment
	var points []byte
	for _, c := range w.cues {
		points = append(points, element(idPoint, join(
			number(idCueTime, uint64(c.at.Milliseconds())),
			element(idPositions, join(number(idCueTrack, Pictures), number(idCueAt, uint64(c.position)))),
		))...)
	}
	if len(points) > 0 {
		w.write(element(idCues, points))
		seek := element(idSeekHead, element(idSeek, join(
			element(idSeekID, id(idCues)), element(idSeekPosition, binary.BigEndian.AppendUint64(nil, uint64(cues))),
		)))
		w.patch(w.seekHead, append(seek, void(seekRoom-len(seek))...))
	}
	w.patch(w.duration, float(float64(w.last.Microseconds())/1000))
	length := binary.BigEndian.AppendUint64(nil, uint64(w.at-w.segment))
	length[0] = 0x01
	w.patch(w.segment-int64(len(unknown)), length)
	return w.err
}

// flush writes the cluster.
func (w *Writer) flush() {
	if !w.open {
		return
	}
	if w.keyed {
		if w.count%w.every == 0 {
			w.cues = append(w.cues, cue{w.began, w.at - w.segment})
		}
		w.count++
		if len(w.cues) > maxCues {
			for i := range (len(w.cues) + 1) / 2 {
				w.cues[i] = w.cues[2*i]
			}
			w.cues, w.every = w.cues[:(len(w.cues)+1)/2], 2*w.every
		}
	}
	w.write(element(idCluster, append(number(idTime, uint64(w.began.Milliseconds())), w.cluster...)))
	w.cluster, w.open = w.cluster[:0], false
}

func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.to.Write(b)
	w.at += int64(n)
	w.err = err
}

// patch writes over what stands at a place, and goes back to the end.
func (w *Writer) patch(at int64, b []byte) {
	if w.err != nil {
		return
	}
	if _, err := w.to.Seek(at, io.SeekStart); err != nil {
		w.err = err
		return
	}
	_, err := w.to.Write(b)
	_, back := w.to.Seek(w.at, io.SeekStart)
	w.err = errors.Join(err, back)
}

// element is an ID, a size, and the content.
func element(which uint32, content []byte) []byte {
	return append(append(id(which), size(len(content))...), content...)
}

// number is an element that is an unsigned integer.
func number(which uint32, n uint64) []byte {
	b := binary.BigEndian.AppendUint64(nil, n)
	for len(b) > 1 && b[0] == 0 {
		b = b[1:]
	}
	return element(which, b)
}

func float(f float64) []byte { return binary.BigEndian.AppendUint64(nil, math.Float64bits(f)) }

func join(parts ...[]byte) (out []byte) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// id writes an ID, which holds its own length.
func id(which uint32) []byte {
	b := binary.BigEndian.AppendUint32(nil, which)
	for b[0] == 0 {
		b = b[1:]
	}
	return b
}

// size writes the length of a content in as few bytes as there must be.
func size(n int) []byte {
	for width := 1; ; width++ {
		if limit := uint64(1)<<(7*width) - 1; uint64(n) < limit || width == 8 {
			b := binary.BigEndian.AppendUint64(nil, uint64(n)|1<<(7*width))
			return b[8-width:]
		}
	}
}

// void is an element that says nothing, of n bytes together; n from 2 to 128.
func void(n int) []byte {
	b := make([]byte, n)
	b[0], b[1] = idVoid, 0x80|byte(n-2)
	return b
}
