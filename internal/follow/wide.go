package follow

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// wide reads a file that begins with the mark of UTF-16, as Windows' PowerShell writes them, as UTF-8.
type wide struct {
	order binary.ByteOrder // nil for another file
	rest  []byte           // read, but not a whole character
	open  int              // bytes of the file that the splitter's open line has
}

const byteOrderMark = "\ufeff"

// begin looks at a file's first bytes.
func (o *file) begin() {
	o.wide = wide{}
	var head [2]byte
	if n, _ := o.handle.ReadAt(head[:], 0); n < len(head) { // what it cannot read it reads as it comes
		return
	}
	switch string(head[:]) {
	case "\xff\xfe":
		o.wide.order = binary.LittleEndian
	case "\xfe\xff":
		o.wide.order = binary.BigEndian
	}
}

// text returns bytes that were read as UTF-8, without a mark at the file's beginning.
func (o *file) text(data []byte) []byte {
	if o.wide.order != nil {
		data = o.wide.decode(data)
	}
	if o.read == 0 {
		data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	}
	return data
}

func (w *wide) decode(data []byte) (out []byte) {
	data = append(w.rest, data...)
	for len(data) >= 2 {
		r, size := rune(w.order.Uint16(data)), 2
		if r >= 0xd800 && r < 0xdc00 {
			if len(data) < 4 {
				break
			}
			r, size = utf16.DecodeRune(r, rune(w.order.Uint16(data[2:]))), 4
			if r == utf8.RuneError { // the second is a character of its own
				size = 2
			}
		}
		out, data = utf8.AppendRune(out, r), data[size:]
	}
	w.rest = bytes.Clone(data)
	return out
}

// wrote counts what the open line has, after the splitter took text.
func (w *wide) wrote(text []byte, before, after int) {
	if w.order == nil {
		return
	}
	if before == 0 {
		w.open = 0
	}
	if after <= len(text) { // it began within the text
		w.open, text = 0, text[len(text)-after:]
	}
	for _, r := range string(text) {
		w.open += 2 * utf16.RuneLen(r)
	}
}

// unread returns how many of the bytes that were read are of no line that was handed on.
func (o *file) unread() int64 {
	open := o.split.Open()
	if o.wide.order == nil || open == 0 {
		return int64(open + len(o.wide.rest))
	}
	return int64(o.wide.open + len(o.wide.rest))
}
