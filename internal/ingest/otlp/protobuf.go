package otlp

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
)

// Types of fields on the wire.
const (
	varintType  = 0
	fixed64Type = 1
	bytesType   = 2
	fixed32Type = 5
)

var errWire = errors.New("the protobuf is broken")

// fields walks over the fields of one message. The first error sticks, and ends the walk.
type fields struct {
	s      string
	i      int
	number int    // of the field at hand
	kind   int    // its type on the wire
	bits   uint64 // of a varint or a fixed field
	bytes  string // of a field with a length
	broken bool
}

// next steps to the next field and reports whether there is one.
func (f *fields) next() bool {
	if f.i >= len(f.s) || f.broken {
		return false
	}
	tag := f.varint()
	f.number, f.kind = int(tag>>3), int(tag&7)
	if tag>>3 == 0 || tag>>3 >= 1<<29 {
		f.broken = true
	}
	switch f.kind {
	case varintType:
		f.bits = f.varint()
	case fixed64Type:
		f.bits = f.fixed(8)
	case bytesType:
		n := f.varint()
		if n > uint64(len(f.s)-f.i) {
			f.broken = true
			return false
		}
		f.bytes = f.s[f.i : f.i+int(n)]
		f.i += int(n)
	case fixed32Type:
		f.bits = f.fixed(4)
	default: // groups are no part of OTLP
		f.broken = true
	}
	return !f.broken
}

func (f *fields) varint() uint64 {
	if f.i < len(f.s) && f.s[f.i] < 0x80 {
		f.i++
		return uint64(f.s[f.i-1])
	}
	var v uint64
	for shift := uint(0); shift < 64; shift += 7 {
		if f.i >= len(f.s) {
			break
		}
		b := f.s[f.i]
		f.i++
		if shift == 63 && b > 1 {
			break
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	f.broken = true
	return 0
}

func (f *fields) fixed(n int) (v uint64) {
	if len(f.s)-f.i < n {
		f.broken = true
		return 0
	}
	for k := range n {
		v |= uint64(f.s[f.i+k]) << (8 * k)
	}
	f.i += n
	return v
}

// is reports whether the field at hand has this number and type.
func (f *fields) is(number, kind int) bool { return f.number == number && f.kind == kind }

// text returns the field at hand as valid UTF-8.
func (f *fields) text() string { return repaired(f.bytes) }

// framed checks the messages down to the records: levels says how many messages lie around each other.
func framed(s string, levels int) error {
	f := fields{s: s}
	for f.next() {
		// The number of what lies within: resource_… of the request, scope_… of that, then the records.
		within := 1
		if levels < 3 {
			within = 2
		}
		if levels > 1 && f.is(within, bytesType) {
			if err := framed(f.bytes, levels-1); err != nil {
				return err
			}
		}
	}
	if f.broken {
		return fmt.Errorf("%w: a message of %d bytes is cut or no message", errWire, len(s))
	}
	return nil
}

// readProtobuf reads a request. Its framing is checked first, so that nothing of a broken one is taken.
func readProtobuf(m *maker, s string) error {
	if err := framed(s, 3); err != nil {
		return err
	}
	p := protobuf{m}
	for f := (fields{s: s}); f.next(); {
		if f.is(1, bytesType) {
			p.ofResource(f.bytes)
		}
	}
	return nil
}

type protobuf struct{ *maker }

func (p protobuf) ofResource(s string) {
	p.attributes = p.attributes[:0]
	for f := (fields{s: s}); f.next(); {
		if f.is(1, bytesType) {
			for r := (fields{s: f.bytes}); r.next(); {
				if r.is(1, bytesType) {
					p.pair(r.bytes)
				}
			}
		}
	}
	p.resource()
	for f := (fields{s: s}); f.next(); {
		if f.is(2, bytesType) {
			p.ofScope(f.bytes)
		}
	}
}

func (p protobuf) ofScope(s string) {
	name := ""
	for f := (fields{s: s}); f.next(); {
		if f.is(1, bytesType) {
			for scope := (fields{s: f.bytes}); scope.next(); {
				if scope.is(1, bytesType) {
					name = scope.text()
				}
			}
		}
	}
	p.inScope(name)
	for f := (fields{s: s}); f.next(); {
		if !f.is(2, bytesType) {
			continue
		}
		p.begin()
		ok := true
		switch p.signal {
		case Logs:
			ok = p.readLog(f.bytes)
		case Traces:
			ok = p.readSpan(f.bytes)
		}
		p.end(ok)
	}
}

func (p protobuf) readLog(s string) bool {
	r := &p.log
	f := fields{s: s}
	for f.next() {
		switch {
		case f.is(1, fixed64Type):
			r.time = f.bits
		case f.is(11, fixed64Type):
			r.observed = f.bits
		case f.is(2, varintType):
			r.severity = number32(f.bits)
		case f.is(3, bytesType):
			r.level = f.text()
		case f.is(5, bytesType):
			r.body = value{}
			p.value(&r.body, f.bytes)
		case f.is(6, bytesType):
			p.pair(f.bytes)
		case f.is(7, varintType):
			r.dropped = number32(f.bits)
		case f.is(9, bytesType):
			r.trace = p.id(f.bytes, 16)
		case f.is(10, bytesType):
			r.span = p.id(f.bytes, 8)
		case f.is(12, bytesType):
			r.event = f.text()
		}
	}
	return !f.broken && !p.broken
}

func (p protobuf) readSpan(s string) bool {
	r := &p.span
	f := fields{s: s}
	for f.next() {
		switch {
		case f.is(1, bytesType):
			r.trace = p.id(f.bytes, 16)
		case f.is(2, bytesType):
			r.span = p.id(f.bytes, 8)
		case f.is(4, bytesType):
			r.parent = p.id(f.bytes, 8)
		case f.is(5, bytesType):
			r.name = f.text()
		case f.is(6, varintType):
			r.kind = number32(f.bits)
		case f.is(7, fixed64Type):
			r.start = f.bits
		case f.is(8, fixed64Type):
			r.end = f.bits
		case f.is(9, bytesType):
			p.pair(f.bytes)
		case f.is(10, varintType), f.is(12, varintType), f.is(14, varintType):
			r.dropped += number32(f.bits)
		case f.is(15, bytesType):
			status := fields{s: f.bytes}
			for status.next() {
				switch {
				case status.is(2, bytesType):
					r.statusMessage = status.text()
				case status.is(3, varintType):
					r.status = number32(status.bits)
				}
			}
			p.broken = p.broken || status.broken
		}
	}
	// Events have attributes too, so they come after the span's own.
	r.attributes = len(p.attributes)
	for g := (fields{s: s}); g.next(); {
		switch {
		case g.is(11, bytesType):
			if e := p.addEvent(); e != nil {
				p.readEvent(e, g.bytes)
			}
		case g.is(13, bytesType):
			if l := p.addLink(); l != nil {
				link := fields{s: g.bytes}
				for link.next() {
					switch {
					case link.is(1, bytesType):
						l.trace = p.id(link.bytes, 16)
					case link.is(2, bytesType):
						l.span = p.id(link.bytes, 8)
					}
				}
				p.broken = p.broken || link.broken
			}
		}
	}
	return !f.broken && !p.broken
}

func (p protobuf) readEvent(e *spanEvent, s string) {
	f := fields{s: s}
	for f.next() {
		switch {
		case f.is(1, fixed64Type):
			e.time = f.bits
		case f.is(2, bytesType):
			e.name = f.text()
		case f.is(3, bytesType):
			p.pair(f.bytes)
		case f.is(4, varintType):
			e.dropped = number32(f.bits)
		}
	}
	e.to = len(p.attributes)
	p.broken = p.broken || f.broken
}

// number32 returns a count or an enum that fits into 31 bits, else 0.
func number32(bits uint64) int {
	if bits > math.MaxInt32 {
		return 0
	}
	return int(bits)
}

// pair reads a KeyValue into the attributes.
func (p protobuf) pair(s string) {
	n := len(p.attributes)
	p.attributes = append(p.attributes, attribute{})
	a := &p.attributes[n]
	f := fields{s: s}
	for f.next() {
		switch {
		case f.is(1, bytesType):
			a.key = p.clip(f.text(), maxKey)
		case f.is(2, bytesType):
			a.value = value{}
			p.value(&a.value, f.bytes)
		}
	}
	p.broken = p.broken || f.broken
	if n >= maxPairs {
		p.attributes = p.attributes[:n]
		p.cut = true
	}
}

// value reads an AnyValue into v. The last of several fields counts.
func (p protobuf) value(v *value, s string) {
	f := fields{s: s}
	for f.next() {
		switch {
		case f.is(1, bytesType):
			*v = value{kind: text, text: f.text()}
		case f.is(2, varintType):
			*v = value{kind: boolean, number: int64(min(f.bits, 1))}
		case f.is(3, varintType):
			*v = value{kind: integer, number: int64(f.bits)}
		case f.is(4, fixed64Type):
			*v = value{kind: double, float: math.Float64frombits(f.bits)}
		case f.is(5, bytesType), f.is(6, bytesType):
			p.scratch = p.list(p.scratch[:0], f.bytes, f.number == 6)
			*v = value{kind: composite, text: p.keep(p.scratch)}
		case f.is(7, bytesType):
			if len(f.bytes) > maxText {
				f.bytes, p.cut = f.bytes[:maxText], true
			}
			*v = value{kind: text, text: base64.StdEncoding.EncodeToString([]byte(f.bytes))}
		}
	}
	p.broken = p.broken || f.broken
}

// list appends an ArrayValue or a KeyValueList as JSON.
func (p protobuf) list(dst []byte, s string, pairs bool) []byte {
	opening, closing := byte('['), byte(']')
	if pairs {
		opening, closing = '{', '}'
	}
	if p.deep++; p.deep > maxDepth {
		p.cut = true
		p.deep--
		return append(dst, "null"...)
	}
	dst = append(dst, opening)
	first := true
	f := fields{s: s}
	for f.next() {
		if !f.is(1, bytesType) {
			continue
		}
		if len(dst) > maxArgs {
			p.cut = true
			break
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if !pairs {
			dst = p.appendValue(dst, f.bytes)
			continue
		}
		key, inner := "", ""
		pair := fields{s: f.bytes}
		for pair.next() {
			switch {
			case pair.is(1, bytesType):
				key = pair.text()
			case pair.is(2, bytesType):
				inner = pair.bytes
			}
		}
		p.broken = p.broken || pair.broken
		dst = append(appendText(dst, p.clip(key, maxKey)), ':')
		dst = p.appendValue(dst, inner)
	}
	p.deep--
	p.broken = p.broken || f.broken
	return append(dst, closing)
}

// appendValue appends an AnyValue as JSON.
func (p protobuf) appendValue(dst []byte, s string) []byte {
	from := len(dst)
	f := fields{s: s}
	for f.next() {
		switch {
		case f.is(1, bytesType):
			dst = appendText(dst[:from], p.clip(f.text(), maxText))
		case f.is(2, varintType):
			v := value{kind: boolean, number: int64(min(f.bits, 1))}
			dst = v.appendJSON(dst[:from])
		case f.is(3, varintType):
			dst = appendInteger(dst[:from], int64(f.bits))
		case f.is(4, fixed64Type):
			dst = appendDouble(dst[:from], math.Float64frombits(f.bits))
		case f.is(5, bytesType), f.is(6, bytesType):
			dst = p.list(dst[:from], f.bytes, f.number == 6)
		case f.is(7, bytesType):
			if len(f.bytes) > maxText {
				f.bytes, p.cut = f.bytes[:maxText], true
			}
			dst = appendBytes(dst[:from], f.bytes)
		}
	}
	p.broken = p.broken || f.broken
	if len(dst) == from {
		dst = append(dst, "null"...)
	}
	return dst
}
