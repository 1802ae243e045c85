package redact

// mode says what a text is made of, where that changes how a secret may be replaced.
type mode uint8

const (
	plain    mode = iota // prose, stacks, anything
	form                 // a URL, or fields joined by '&'
	document             // JSON, perhaps cut at its end: what was valid stays valid
)

// The classes of bytes. Only a byte with a class of its own can begin or end a candidate.
const (
	otherByte = iota
	wordByte  // letters, digits, '_' and '-': names and tokens are runs of them
)

var class = classes()

func classes() *[256]uint8 {
	var c [256]uint8
	for b := range 256 {
		if x := byte(b); isLetter(x) || isDigit(x) || x == '_' || x == '-' {
			c[b] = wordByte
		}
	}
	return &c
}

// scan is one pass over one text. It copies nothing until the first secret is found.
type scan struct {
	r        *Redactor
	s        string
	mode     mode
	place    string
	pass     *pass // the walk over a batch that this is a part of, or nil
	quiet    bool  // only count hits: no numbers, no findings
	nameless bool  // what words name was looked at before

	out    []byte
	done   int  // s[:done] is in out
	hits   int  // secrets found, pseudonyms renumbered
	state  int  // how far the text was read to know quoted
	quoted bool // in a document: inside a string of its outermost level

	declared  []string        // variables that stand for secrets, to be looked for in another pass
	variables map[string]bool // the same, in that pass

	learned   bool // a value that was not known before
	tries     int  // to find a value that a page masked, behind triesFrom
	triesFrom int
	unclosed  bool // a bracket was not closed: looking again would cost the whole rest each time
	listed    int  // up to here, lines that are indented below a name were read
	asked     bool // whether it is
	secret    bool // of a Secret of Kubernetes
	opened    int  // up to here, base64 was looked into
	lists     int  // bytes of lists whose items were looked at
	blockless int  // the end of a line behind which no indented text is
}

// run looks at the words that pass the gate and returns the text without secrets.
func (sc *scan) run() string {
	s := sc.s
	w := newWalk(s, sc.r)
	w.all = sc.variables != nil
	for at := 0; ; {
		i, j := w.next(at)
		if i == len(s) {
			break
		}
		at = sc.word(i, j)
	}
	if sc.done == 0 {
		return s
	}
	sc.out = append(sc.out, s[sc.done:]...)
	return string(sc.out)
}

// word looks closely at the word s[i:j] and returns where to go on: j, or behind what it replaced.
func (sc *scan) word(i, j int) int {
	s := sc.s
	i = sc.advance(i, j)
	if i > 0 && s[i-1] == '<' {
		if n := sc.angle(i - 1); n > 1 {
			sc.state = i - 1 + n
			return sc.state
		}
	}
	if sc.r.masked.count.Load() > 0 {
		if end := sc.maskedAt(i); end > 0 {
			sc.state = end
			return end
		}
	}
	high := hasHigh(s[i:j])
	at := i
words:
	for at < j {
		stop, wide := j, 0
		if high {
			stop, wide = wideAt(s, at, j)
			name := foreign(s[at:stop])
			if name != "" && stop < len(s) && (wide > 0 || behind[s[stop]]&behindName != 0) {
				if next := sc.namedAs(stop-len(name), stop, "password"); next > 0 {
					sc.state = next
					at = next
					continue
				}
			}
		}
		for at < stop {
			if class[s[at]] != wordByte {
				at++
				continue
			}
			end := at + 1
			for end < stop && class[s[end]] == wordByte {
				end++
			}
			if next := sc.ascii(at, end); next != end {
				sc.state = next
				at = next
				continue words
			}
			at = end
		}
		at = stop + wide
	}
	return max(at, j)
}

func hasHigh(s string) bool {
	high := byte(0)
	for i := range len(s) {
		high |= s[i]
	}
	return high >= 0x80
}

// advance moves the state of the scan to i, the start of a word that ends at j, and returns where the word begins
// without the escape that it may seem to be a part of.
func (sc *scan) advance(i, j int) int {
	s := sc.s
	k := sc.state
	if sc.mode == document {
		for k < i {
			switch s[k] {
			case '"':
				sc.quoted = !sc.quoted
				k++
			case '\\':
				k += sc.escape(k)
			default:
				k++
			}
		}
	}
	k = max(k, i)
	if i > 1 && s[i-1] == '%' && j-i >= 2 && isHex(s[i]) && isHex(s[i+1]) {
		k = max(k, i+2)
	}
	sc.state = k
	return min(k, j)
}

// escape returns the length of what a backslash at i begins. Outside of documents a backslash
// stands for itself, as it does in one before anything that makes no escape; what follows it is
// looked at as a word.
func (sc *scan) escape(i int) int {
	s := sc.s
	if sc.mode != document || i+1 == len(s) {
		return 1
	}
	switch s[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if i+6 <= len(s) && isHex(s[i+2]) && isHex(s[i+3]) && isHex(s[i+4]) && isHex(s[i+5]) {
			return 6
		}
	}
	return 1
}

// ascii looks at the run s[i:j] of ASCII letters, digits, '_' and '-', and returns where to go on.
func (sc *scan) ascii(i, j int) int {
	if sc.r.known.count.Load() > 0 {
		if end := sc.knownAt(i, j); end > 0 {
			return end
		}
	}
	if end := sc.value(i, j); end > 0 {
		// A name may end in what looks like a token: "ghp_…_password: x" hides both.
		if end != j {
			return end
		}
		if next := sc.named(i, j); next > 0 {
			return next
		}
		return end
	}
	if next := sc.named(i, j); next > 0 {
		return next
	}
	if next := sc.phrase(i, j); next > 0 {
		return next
	}
	return j
}
