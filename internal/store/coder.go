package store

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// coder is the visitor that encodes and decodes events: it either appends the fields to out or reads
// them from in. Numbers are varints; a string is its length and its bytes. Field names are not stored.
//
// Strings that are read share the memory of in: decoding makes no copies of them.
type coder struct {
	out     []byte // writing: the record so far
	in      string // reading: the bytes that are not read yet
	reading bool
	bodies  bool // true: visit bodies only; false: everything but bodies
	bad     bool // reading: in was malformed; the fields from there on are zero
}

// fail marks the input as malformed and drops the rest of it.
func (c *coder) fail() {
	c.bad = true
	c.in = ""
}

// number appends a varint. Small numbers, the most frequent, take the short path.
func (c *coder) number(n uint64) {
	if n < 0x80 {
		c.out = append(c.out, byte(n))
	} else {
		c.out = binary.AppendUvarint(c.out, n)
	}
}

func (c *coder) unsigned(p *uint64) {
	if !c.reading {
		c.number(*p)
		return
	}
	// binary.Uvarint takes bytes; converting a string to them would copy.
	var v uint64
	for i := 0; i < len(c.in) && i < binary.MaxVarintLen64; i++ {
		b := c.in[i]
		if b < 0x80 {
			if i == binary.MaxVarintLen64-1 && b > 1 {
				break
			}
			*p = v | uint64(b)<<(7*i)
			c.in = c.in[i+1:]
			return
		}
		v |= uint64(b&0x7f) << (7 * i)
	}
	*p = 0
	c.fail()
}

func (c *coder) signed(p *int64) {
	u := uint64(*p)<<1 ^ uint64(*p>>63)
	c.unsigned(&u)
	if c.reading {
		*p = int64(u>>1) ^ -int64(u&1)
	}
}

func (c *coder) string(p *string) {
	if !c.reading {
		c.number(uint64(len(*p)))
		if *p != "" {
			c.out = append(c.out, *p...)
		}
		return
	}
	var n uint64
	c.unsigned(&n)
	if n > uint64(len(c.in)) {
		*p = ""
		c.fail()
		return
	}
	*p = c.in[:n]
	c.in = c.in[n:]
}

func (c *coder) int(p *int) {
	v := int64(*p)
	c.signed(&v)
	if c.reading {
		*p = int(v)
	}
}

func (c *coder) bool(p *bool) {
	var u uint64
	if *p {
		u = 1
	}
	c.unsigned(&u)
	if c.reading {
		*p = u != 0
	}
}

// float visits a varint of the float's bits with the order of the bytes reversed: whole numbers and halves have zeros
// at the end, and so take few bytes.
func (c *coder) float(p *float64) {
	u := reverse(math.Float64bits(*p))
	c.unsigned(&u)
	if c.reading {
		*p = math.Float64frombits(reverse(u))
	}
}

// reverse returns u with the order of its bytes reversed.
func reverse(u uint64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], u)
	return binary.BigEndian.Uint64(b[:])
}

func (c *coder) time(p *time.Time) {
	n := nanos(*p)
	c.signed(&n)
	if c.reading {
		*p = instant(n)
	}
}

// The methods of event.Visitor.

func (c *coder) Text(_ string, s *string) { c.Word("", s) }
func (c *coder) URL(_ string, s *string)  { c.Word("", s) }
func (c *coder) JSON(_ string, s *string) { c.Word("", s) }

func (c *coder) Word(_ string, s *string) {
	if !c.bodies {
		c.string(s)
	}
}

func (c *coder) Input(_ string, s *string, _ *event.Action) { c.Word("", s) }

func (c *coder) Body(_ string, s *string, _ string) {
	if c.bodies {
		c.string(s)
	}
}

func (c *coder) Picture(_ string, s *string) { c.Word("", s) }

func (c *coder) Int(_ string, n *int) {
	if !c.bodies {
		c.int(n)
	}
}

func (c *coder) Repeats(_ string, n *int) { c.Int("", n) }

func (c *coder) Int64(_ string, n *int64) {
	if !c.bodies {
		c.signed(n)
	}
}

func (c *coder) Uint64(_ string, n *uint64) {
	if !c.bodies {
		c.unsigned(n)
	}
}

func (c *coder) Float(_ string, f *float64) {
	if !c.bodies {
		c.float(f)
	}
}

func (c *coder) Bool(_ string, b *bool) {
	if !c.bodies {
		c.bool(b)
	}
}

func (c *coder) Time(_ string, t *time.Time) {
	if !c.bodies {
		c.time(t)
	}
}

func (c *coder) Span(_ string, d *time.Duration) { c.Int64("", (*int64)(d)) }

func (c *coder) Fact(string, bool) {}

func (c *coder) Texts(_ string, p *[]string) { list(c, p, (*coder).string) }
func (c *coder) URLs(_ string, p *[]string)  { list(c, p, (*coder).string) }

func (c *coder) Headers(_ string, p *[]event.Header) {
	list(c, p, func(c *coder, h *event.Header) {
		c.string(&h.Name)
		c.string(&h.Value)
	})
}

func (c *coder) Stack(_ string, p *[]event.StackFrame) { list(c, p, (*coder).stackFrame) }

func (c *coder) stackFrame(f *event.StackFrame) {
	c.string(&f.Function)
	c.string(&f.URL)
	c.int(&f.Line)
	c.int(&f.Column)
	c.string(&f.Source)
	c.int(&f.SourceLine)
	c.int(&f.SourceColumn)
	c.bool(&f.InApp)
}

func (c *coder) Causes(_ string, p *[]event.ErrorCause) {
	list(c, p, func(c *coder, e *event.ErrorCause) {
		c.string(&e.Type)
		c.string(&e.Message)
		list(c, &e.Stack, (*coder).stackFrame)
	})
}

func (c *coder) Locators(_ string, p *[]event.Locator) {
	list(c, p, func(c *coder, l *event.Locator) {
		c.string(&l.Kind)
		c.string(&l.Value)
		c.int(&l.Matches)
		c.int(&l.Score)
	})
}

func (c *coder) Vital(_ string, v *event.Vital) {
	if c.bodies {
		return
	}
	c.float(&v.Value)
	c.string(&v.Rating)
	c.bool(&v.Final)
	c.string(&v.Attribution)
}

func (c *coder) LongTasks(_ string, p *[]event.LongTask) {
	list(c, p, func(c *coder, t *event.LongTask) {
		c.float(&t.Start)
		c.float(&t.Duration)
		c.string(&t.Script)
	})
}

func (c *coder) Sums(_ string, p *[]event.ResourceSum) {
	list(c, p, func(c *coder, s *event.ResourceSum) {
		c.string(&s.Type)
		c.int(&s.Count)
		c.signed(&s.Bytes)
	})
}

// list visits a slice. An empty slice comes back as nil.
func list[T any](c *coder, p *[]T, each func(*coder, *T)) {
	if c.bodies {
		return
	}
	n := uint64(len(*p))
	c.unsigned(&n)
	if !c.reading {
		for i := range *p {
			each(c, &(*p)[i])
		}
		return
	}
	*p = nil
	if n > uint64(len(c.in)) { // every element takes a byte at least
		c.fail()
		return
	}
	if n == 0 {
		return
	}
	s := make([]T, 0, min(n, 64))
	for range n {
		var v T
		each(c, &v)
		if c.bad {
			return
		}
		s = append(s, v)
	}
	*p = s
}

// head visits the head of an event whose Time is at (nanoseconds, by nanos). It stores Raw, the sender's own time, as
// its difference from at, which is mostly 0.
func (c *coder) head(h *event.Head, at int64) {
	const said, differs = 1, 2
	var tag uint64
	raw := nanos(h.Raw)
	if raw != 0 {
		if tag = said; raw != at {
			tag = differs
		}
	}
	c.unsigned(&tag)
	delta := at - raw
	if tag == differs {
		c.signed(&delta)
	}
	if c.reading && tag != 0 {
		if tag == said {
			delta = 0
		}
		h.Raw = instant(at - delta)
	}
	h.Fields(c)
	flags := uint64(h.Flags)
	c.unsigned(&flags)
	if c.reading {
		h.Flags = event.Flags(flags)
	}
}

// nanos returns t in nanoseconds since 1970, clamped to the range of int64. 0 stands for the zero time; instant
// therefore returns the zero time for the first instant of 1970, too.
func nanos(t time.Time) int64 {
	const most = math.MaxInt64 / int64(time.Second)
	switch s := t.Unix(); {
	case t.IsZero():
		return 0
	case s >= most:
		return math.MaxInt64
	case s <= -most:
		return math.MinInt64
	}
	return t.UnixNano()
}

// instant is the inverse of nanos. The time is in UTC.
func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
