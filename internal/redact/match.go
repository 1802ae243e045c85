package redact

import (
	"strconv"
	"strings"
	"sync"
)

// shape is a compiled [Format].
type shape struct {
	kind     string
	runs     []run
	literal  int  // bytes of text that it begins with
	keep     int  // the run before which the secret begins
	digit    bool // letters and digits
	mixed    bool // digits and capitals, or capitals that alternate
	exact    bool
	jwt      bool
	leniency bool // may go on in letters of its word, may be cut at the end of the text

	// For shapes that begin with anything: what has to hold before the whole is compared.
	first  int    // bytes of the first word, at least
	anchor string // text at the index offset
	offset int
}

// run is a literal text, or from min to max bytes of an alphabet.
type run struct {
	text     string
	in       uint32 // the alphabet's bit
	min, max int
}

const endless = 1 << 30 // max of a run without a longest length

// tokens is the table of formats, compiled when the first text is redacted: the bridge and most commands redact none.
var tokens = sync.OnceValue(func() *formatTable { return compileFormats(formats) })

// formatTable finds the formats that a text may begin with.
type formatTable struct {
	member    [256]uint32 // the alphabets that a byte is in
	alphabets map[uint32]alphabet
	starts    startSet            // the first three bytes of all formats that are not found by their length
	byStart   map[uint32][]*shape // by the first three bytes
	loose     []*shape            // those that begin with anything
}

// alphabet is an [Alphabet], compiled.
type alphabet struct {
	bytes string
	words bool // all bytes belong to words
}

// compileFormats takes a part of the daemon's start, so it has to take well below a millisecond.
func compileFormats(list []Format) *formatTable {
	t := &formatTable{byStart: make(map[uint32][]*shape, 2*len(list)), alphabets: map[uint32]alphabet{}}
	bit := map[byte]uint32{}
	for i, a := range alphabets {
		in := uint32(1) << i
		bit[a.Letter] = in
		all := alphabet{bytes: expand(a.Bytes), words: true}
		for _, c := range []byte(all.bytes) {
			t.member[c] |= in
			all.words = all.words && class[c] == wordByte
		}
		t.alphabets[in] = all
	}
	for _, f := range list {
		s := compileShape(f, bit)
		starts := t.beginnings(s)
		if starts == nil {
			t.anchor(s)
			t.loose = append(t.loose, s)
			continue
		}
		long := s.long(t)
		for _, x := range starts {
			if !long {
				t.starts.add(uint64(x))
			}
			t.byStart[x] = append(t.byStart[x], s)
		}
	}
	t.starts.add(loadAt("base64", 0)) // of a data URL, which is stepped over
	for _, start := range encodedStarts {
		t.starts.add(loadAt(start, 0))
	}
	return t
}

// expand writes out the ranges of a class: "0-2x" is "012x". A '-' at its end stands for itself.
func expand(class string) string {
	var b strings.Builder
	for i := 0; i < len(class); i++ {
		if i+2 < len(class) && class[i+1] == '-' {
			for c := class[i]; c <= class[i+2]; c++ {
				b.WriteByte(c)
			}
			i += 2
			continue
		}
		b.WriteByte(class[i])
	}
	return b.String()
}

// compileShape reads the shape of a format of the table, which is right: a test compiles all of them.
func compileShape(f Format, bit map[byte]uint32) *shape {
	s := &shape{kind: f.Kind}
	for _, word := range strings.Fields(f.Check) {
		switch word {
		case "digit":
			s.digit = true
		case "mixed":
			s.mixed = true
		case "exact":
			s.exact = true
		case "jwt":
			s.jwt = true
		}
	}
	s.leniency = !s.exact && !s.digit && !s.mixed
	for rest := f.Shape; rest != ""; {
		switch at := strings.IndexAny(rest, "{|"); {
		case at < 0:
			s.runs = append(s.runs, run{text: rest})
			rest = ""
		case at > 0:
			s.runs = append(s.runs, run{text: rest[:at]})
			rest = rest[at:]
		case rest[0] == '|':
			s.keep = len(s.runs)
			rest = rest[1:]
		default:
			end := strings.IndexByte(rest, '}')
			r := run{in: bit[rest[1]]}
			low, high, ranged := strings.Cut(rest[2:end], "-")
			r.min, _ = strconv.Atoi(low)
			r.max = r.min
			if ranged {
				if r.max, _ = strconv.Atoi(high); high == "" {
					r.max = endless
				}
			}
			s.runs = append(s.runs, r)
			rest = rest[end+1:]
		}
	}
	s.literal = len(s.runs[0].text)
	return s
}

// beginnings returns the first three bytes of all texts of the shape, the first one lowest, or nil if there are too
// many.
func (t *formatTable) beginnings(s *shape) []uint32 {
	const most = 200
	places := make([]string, 0, 3) // the bytes that may stand there
	count := 1
	for _, r := range s.runs {
		if r.text == "" && r.min == 0 {
			return nil
		}
		for k := 0; len(places) < 3 && (k < len(r.text) || r.text == "" && k < r.min); k++ {
			bytes := t.alphabets[r.in].bytes
			if r.text != "" {
				bytes = r.text[k : k+1]
			}
			places = append(places, bytes)
			if count *= len(bytes); count > most {
				return nil
			}
		}
		if len(places) == 3 {
			break
		}
		if r.min < r.max {
			return nil // what follows may begin anywhere
		}
	}
	if len(places) < 3 {
		return nil
	}
	out := make([]uint32, 0, count)
	for _, a := range []byte(places[0]) {
		for _, b := range []byte(places[1]) {
			for _, c := range []byte(places[2]) {
				out = append(out, uint32(a)|uint32(b)<<8|uint32(c)<<16)
			}
		}
	}
	return out
}

// long reports whether the first word of the shape is found by its length.
func (f *shape) long(t *formatTable) bool {
	n := 0
	for _, r := range f.runs {
		for k := range len(r.text) {
			if class[r.text[k]] != wordByte {
				return false
			}
			n++
		}
		if r.text == "" {
			if !t.alphabets[r.in].words {
				return false
			}
			n += r.min
		}
		if n >= longWord && (f.literal < 4 || !f.leniency) {
			return true
		}
	}
	return false
}

// anchor notes what a text must have for the shape, without which most need not be compared.
func (t *formatTable) anchor(s *shape) {
	if first := s.runs[0]; first.text != "" || t.alphabets[first.in].words {
		s.first = first.min
	}
	for k := range s.runs {
		r := &s.runs[k]
		if r.text != "" {
			s.anchor = r.text
			return
		}
		if r.min != r.max {
			break
		}
		s.offset += r.min
	}
	s.offset = 0
}

// tokenAt returns the kind of the token that s begins with, where its secret part begins and ends, or an end of 0.
// s begins where a word does. n is the length of that word.
func tokenAt(s string, n int) (kind string, from, to int) {
	if len(s) < 3 {
		return "", 0, 0
	}
	t := tokens()
	for _, f := range t.byStart[uint32(s[0])|uint32(s[1])<<8|uint32(s[2])<<16] {
		if from, to = f.match(s, &t.member); to > 0 {
			return f.kind, from, to
		}
	}
	if n < 14 && len(s) > n && class[s[n]] != wordByte && strings.IndexByte("~:+/", s[n]) < 0 {
		return "", 0, 0 // none of the shapes below begins with so short a word
	}
	for _, f := range t.loose {
		if n < f.first || len(s) < f.offset+len(f.anchor) || s[f.offset:f.offset+len(f.anchor)] != f.anchor {
			continue
		}
		if from, to = f.match(s, &t.member); to > 0 {
			return f.kind, from, to
		}
	}
	return "", 0, 0
}

// wholeToken returns the kind of the token that s is, or "".
func wholeToken(s string) string {
	n := 0
	for n < len(s) && class[s[n]] == wordByte {
		n++
	}
	if kind, _, to := tokenAt(s, n); to == len(s) {
		return kind
	}
	return ""
}

// match returns where the secret part of the token that s begins with begins and ends, or an end of 0.
func (f *shape) match(s string, member *[256]uint32) (from, to int) {
	if f.jwt {
		return 0, jwtAt(s)
	}
	i := 0
	for k := range f.runs {
		r := &f.runs[k]
		if k == f.keep {
			from = i
		}
		if r.text != "" {
			if !strings.HasPrefix(s[i:], r.text) {
				return 0, 0
			}
			i += len(r.text)
			continue
		}
		n := 0
		for i+n < len(s) && n < r.max && member[s[i+n]]&r.in != 0 {
			n++
		}
		if n < r.min {
			// A text that was cut may end within a token; what is left of it is still a part of a secret.
			if i+n == len(s) && f.leniency && f.literal >= 4 && i+n >= f.literal+8 {
				return from, len(s)
			}
			return 0, 0
		}
		i += n
	}
	if f.exact {
		if i < len(s) && (class[s[i]] == wordByte || s[i] >= 0x80) {
			return 0, 0
		}
	} else {
		for i < len(s) && class[s[i]] == wordByte {
			i++
		}
		for s[i-1] == '.' { // of a sentence
			i--
		}
	}
	if f.mixed && !scrambled(s[f.literal:i]) || f.digit && !hasBoth(s[f.literal:i], isDigit, isLetter) {
		return 0, 0
	}
	return from, i
}

// scrambled reports whether s has capitals and digits, or capitals as no name in CamelCase has them.
func scrambled(s string) bool {
	if hasBoth(s, isDigit, isUpper) {
		return true
	}
	humps, pairs := 0, 0
	for i := 1; i < len(s); i++ {
		if isUpper(s[i]) && isLower(s[i-1]) {
			humps++
		}
		if isUpper(s[i]) && isUpper(s[i-1]) {
			pairs++
		}
	}
	return humps >= 2 && pairs >= 2
}

func hasBoth(s string, a, b func(byte) bool) bool {
	var one, other bool
	for i := 0; i < len(s); i++ {
		one = one || a(s[i])
		other = other || b(s[i])
	}
	return one && other
}
