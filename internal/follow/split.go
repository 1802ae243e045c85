package follow

import (
	"bytes"
	"time"
	"unicode/utf8"
)

// maxLine is how many bytes of a line are kept.
const maxLine = 256 << 10

// longLine is how much longer than others a line may pause that has more than maxLine.
const longLine = 10 * time.Second

// Piece is one line of text, without its newline.
type Piece struct {
	Time time.Time // when its last byte was read
	Text []byte    // at most maxLine; it is good until the next call
	Size int       // bytes that the line has, when it was cut; else 0
}

// maxFirst is how many bytes are kept of what a carriage return overwrites.
const maxFirst = 4 << 10

// Splitter cuts a stream of bytes into lines. Of what carriage returns overwrite on a terminal, such as the states of a
// progress bar, it keeps the first state and the last, with a carriage return between. The zero value is ready; it is for
// one goroutine.
type Splitter struct {
	holes   bool   // zeros in front of a line are no text: a writer goes on behind the hole where its file was truncated
	first   []byte // what was overwritten first, at most maxFirst; nil if nothing was
	line    []byte
	size    int       // bytes of the line, kept or not
	since   time.Time // when the last byte of an open line came
	rewound bool      // the last byte was a carriage return
	taken   int       // bytes of the stream since the last newline
}

// Write takes bytes that were read at a time and hands on the lines that they complete.
func (s *Splitter) Write(p []byte, at time.Time, emit func(Piece)) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			s.add(p)
			s.since = at
			return
		}
		s.add(p[:end])
		s.end(at, emit)
		p = p[end+1:]
	}
}

// Idle hands on an open line to which nothing was added since a time, such as a prompt. A line that is longer than what
// is kept of it is no prompt: it is given more time, so that what follows does not look like another line.
func (s *Splitter) Idle(before time.Time, emit func(Piece)) {
	if s.size > maxLine {
		before = before.Add(-longLine)
	}
	if s.size > 0 && s.since.Before(before) {
		s.end(s.since, emit)
	}
}

// Close hands on the open line.
func (s *Splitter) Close(emit func(Piece)) {
	if s.size > 0 {
		s.end(s.since, emit)
	}
}

func (s *Splitter) add(p []byte) {
	s.taken += len(p)
	if s.holes && s.size == 0 {
		p = bytes.TrimLeft(p, "\x00")
	}
	for len(p) > 0 {
		if s.rewound && p[0] != '\r' { // what was there is overwritten
			if len(s.first) == 0 {
				s.first = append(s.first, s.line[:min(len(s.line), maxFirst)]...)
			}
			s.line, s.size, s.rewound = s.line[:0], 0, false
		}
		part, rest, returned := bytes.Cut(p, []byte{'\r'})
		s.size += len(part)
		if room := maxLine - len(s.line); room > 0 {
			s.line = append(s.line, part[:min(room, len(part))]...)
		}
		s.rewound = returned
		p = rest
	}
}

func (s *Splitter) end(at time.Time, emit func(Piece)) {
	piece := Piece{Time: at, Text: s.line}
	if s.size > len(s.line) {
		piece.Size = s.size
		for len(piece.Text) > 0 { // not within a character
			r, n := utf8.DecodeLastRune(piece.Text)
			if r != utf8.RuneError || n != 1 || len(s.line)-len(piece.Text) > utf8.UTFMax {
				break
			}
			piece.Text = piece.Text[:len(piece.Text)-1]
		}
	}
	if len(s.first) > 0 {
		piece.Text = append(append(s.first, '\r'), piece.Text...)
		s.first = nil
	}
	emit(piece)
	s.line, s.size, s.rewound, s.taken = s.line[:0], 0, false, 0
	if cap(s.line) > 64<<10 {
		s.line = nil
	}
}

// Open returns how many bytes of the stream belong to the line that is open.
func (s *Splitter) Open() int { return s.taken }
