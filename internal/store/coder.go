package store

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// coder visits the fields of an event, one after the other: it either appends them to out or reads
// them from in. Each kind's fields are listed once (fields.go), so that the two directions cannot
// drift apart. Numbers are varints, strings are a length and their bytes.
//
// Strings that are read are parts of in; decoding a record costs one copy of it and no more.
type coder struct {
	out     []byte // writing: the record so far
	in      string // reading: what is left
	reading bool
	bad     bool // reading: in was not what a writer wrote; fields from there on are zero
}

// fail gives up reading.
func (c *coder) fail() {
	c.bad = true
	c.in = ""
}

func (c *coder) unsigned(p *uint64) {
	if !c.reading {
		c.out = binary.AppendUvarint(c.out, *p)
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

func (c *coder) int64(p *int64) {
	u := uint64(*p)<<1 ^ uint64(*p>>63)
	c.unsigned(&u)
	if c.reading {
		*p = int64(u>>1) ^ -int64(u&1)
	}
}

func (c *coder) int(p *int) {
	v := int64(*p)
	c.int64(&v)
	if c.reading {
		*p = int(v)
	}
}

func (c *coder) span(p *time.Duration) { c.int64((*int64)(p)) }

func (c *coder) seq(p *event.Seq) { c.unsigned((*uint64)(p)) }

func (c *coder) when(p *time.Time) {
	n := nanos(*p)
	c.int64(&n)
	if c.reading {
		*p = instant(n)
	}
}

func (c *coder) flags(p *event.Flags) {
	u := uint64(*p)
	c.unsigned(&u)
	if c.reading {
		*p = event.Flags(u)
	}
}

func (c *coder) float(p *float64) {
	if !c.reading {
		c.out = binary.LittleEndian.AppendUint64(c.out, math.Float64bits(*p))
		return
	}
	if len(c.in) < 8 {
		*p = 0
		c.fail()
		return
	}
	var bits uint64
	for i := range 8 {
		bits |= uint64(c.in[i]) << (8 * i)
	}
	*p = math.Float64frombits(bits)
	c.in = c.in[8:]
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

func (c *coder) string(p *string) {
	if !c.reading {
		c.out = binary.AppendUvarint(c.out, uint64(len(*p)))
		c.out = append(c.out, *p...)
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

// list visits a slice. An empty slice comes back as nil.
func list[T any](c *coder, p *[]T, each func(*coder, *T)) {
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

// nanos returns t in nanoseconds since 1970, clamped to what 64 bits hold; 0 stands for the zero
// time, so that the first instant of 1970 is read back as "unset".
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

// instant is the way back from nanos, in UTC.
func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
