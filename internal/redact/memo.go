package redact

import (
	"hash/maphash"
	"strings"
)

// Most texts of services and pages came before: levels, names of operations, URLs, and of attributes nearly all but a
// few. The memo has those in which nothing was found, so that they are not looked at again. It is only about texts that
// stay as they are, and it compares the whole text, so that it changes nothing of what is found.
const (
	memoTextBytes = 111  // of a text that is remembered; a slot takes 128 bytes
	memoTexts     = 512  // slots for whole texts: 64 KB
	memoMembers   = 2048 // slots for members of JSON objects: 256 KB
)

// memo is for one goroutine at a time. What it has of an earlier generation does not count.
type memo struct {
	seed    maphash.Seed
	texts   [memoTexts]memoSlot
	members [memoMembers]memoSlot
}

// memoSlot is a text in which nothing was found.
type memoSlot struct {
	generation int64 // how many values were known when it came
	mode       mode
	length     uint8
	text       [memoTextBytes]byte
}

func newMemo() *memo { return &memo{seed: maphash.MakeSeed()} }

// text returns the slot of a text of ordinary length.
func (m *memo) text(s string) *memoSlot { return &m.texts[maphash.String(m.seed, s)%memoTexts] }

// member returns the slot of a member.
func (m *memo) member(s string) *memoSlot { return &m.members[maphash.String(m.seed, s)%memoMembers] }

// has reports whether the slot has this text in this mode, and nothing was learned since.
func (t *memoSlot) has(s string, m mode, generation int64) bool {
	return int(t.length) == len(s) && t.mode == m && t.generation == generation && string(t.text[:t.length]) == s
}

// put remembers a text of at most memoTextBytes.
func (t *memoSlot) put(s string, m mode, generation int64) {
	t.generation, t.mode, t.length = generation, m, uint8(len(s))
	copy(t.text[:], s)
}

// clean is [Redactor.clean] for a text of a batch.
func (p *pass) clean(s string, m mode, place string) string {
	if len(s) < 4 {
		return s
	}
	if p.memo == nil || m == document {
		if p.memo != nil && p.members(s) {
			return s
		}
		return p.r.clean(p, s, m, place)
	}
	if len(s) > memoTextBytes {
		return p.r.clean(p, s, m, place)
	}
	generation := p.r.learned()
	slot := p.memo.text(s)
	if slot.has(s, m, generation) {
		return s
	}
	hits := p.hits
	out := p.r.clean(p, s, m, place)
	if p.hits == hits && p.r.learned() == generation {
		slot.put(s, m, generation)
	}
	return out
}

// members reports whether s is a JSON object of texts, numbers and words in which there is nothing to find, whatever
// stands before and behind it. Members that came before in other objects are not looked at again. If it says no, the
// object may still be harmless.
//
// That a member holds nothing may be told without the others because of what it is made of. It has no escapes and no
// pseudonyms, and is of ASCII; a value that is known, a token, a number and what a page masked end within it; and no
// word of it is an option of a program or one that tells of what stands in another member, as names do.
func (p *pass) members(s string) bool {
	if len(s) < 2 || s[0] != '{' || s[len(s)-1] != '}' || p.r.known.quoted.Load() {
		return false
	}
	generation := p.r.learned()
	for at := 1; ; {
		m, ok := memberAt(s, at)
		if !ok {
			return false
		}
		text := s[at : m.end+1] // with what is behind it: a number may be followed by either
		if len(text) > memoTextBytes {
			if !p.r.inert(s, at, m) {
				return false
			}
		} else if slot := p.memo.member(text); !slot.has(text, document, generation) {
			if !p.r.inert(s, at, m) || p.r.learned() != generation {
				return false
			}
			slot.put(text, document, generation)
		}
		if at = m.end + 1; s[m.end] == '}' {
			return at == len(s)
		}
	}
}

// simpleMember is where a member of an object is: s[at:end] is `"key":value`, and key ends at keyEnd.
type simpleMember struct {
	keyEnd int
	end    int  // there is ',' or '}'
	text   bool // the value is a text
}

// inText are the bytes of texts that are no escapes, no quotes, and begin no pseudonym.
var inText = func() (t [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		t[c] = c != '"' && c != '\\' && c != '%' && c != '<'
	}
	return t
}()

// memberAt returns the member at k that is written without blanks, if its value is no list and no object, and its texts
// are of inText.
func memberAt(s string, k int) (m simpleMember, ok bool) {
	if k >= len(s) || s[k] != '"' {
		return m, false
	}
	k++
	for k < len(s) && inText[s[k]] {
		k++
	}
	m.keyEnd = k
	if k+2 >= len(s) || s[k] != '"' || s[k+1] != ':' {
		return m, false
	}
	k += 2
	if s[k] == '"' {
		m.text = true
		for k++; k < len(s) && inText[s[k]]; {
			k++
		}
		if k == len(s) || s[k] != '"' {
			return m, false
		}
		k++
	} else {
		for k < len(s) && (class[s[k]] == wordByte || s[k] == '.' || s[k] == '+') {
			k++
		}
		if k == m.keyEnd+2 {
			return m, false
		}
	}
	m.end = k
	return m, k < len(s) && (s[k] == ',' || s[k] == '}')
}

// inert reports whether the member at k holds nothing, and no word that could matter for another one.
func (r *Redactor) inert(s string, k int, m simpleMember) bool {
	for _, mark := range [...]string{"VALUES", "values", ")=("} {
		if strings.Contains(s[k:m.end], mark) {
			return false // no word tells of what is around it
		}
	}
	if at := strings.IndexByte(s[k:m.end], '@'); at >= 0 && (strings.ContainsAny(s[k:m.keyEnd], ":/") || strings.ContainsAny(s[m.keyEnd+3:m.end], ":/")) {
		return false // there may be a password before it
	}
	w := newWalk(s, r)
	w.base = k - blockBytes // there is no word before it
	for at := k; ; {
		i, j := w.next(at)
		if i >= m.end {
			return true
		}
		if !r.inertWord(s, i, j, m) {
			return false
		}
		at = j
	}
}

// inertWord is inert for a word that passed the gate.
func (r *Redactor) inertWord(s string, i, j int, m simpleMember) bool {
	if s[i] == '-' {
		return false // what a program's option means, its name says, which may stand anywhere before it
	}
	sc := scan{r: r, s: s, mode: document, quiet: true, state: i, quoted: m.text || i < m.keyEnd}
	if r.masked.count.Load() > 0 {
		from := i
		for from > 0 && i-from < maxSignsBefore && maskedSign[s[from-1]] {
			from--
		}
		for ; from <= i; from++ {
			if to, _, _ := sc.maskedValue(from); to > 0 {
				return false
			}
		}
	}
	switch name := s[i:j]; name {
	case "value", "Value", "content", "v", "V", "val", "data":
		return false
	default:
		if sc.nameless = !r.names.mayMatch(name); sc.nameless {
			break
		}
		word := r.names.match(name)
		if word == "" {
			word = r.names.match(sc.wholeName(i, j))
		}
		if two := sc.twoWords(i, j); word == "" || two != "" {
			word = two
		}
		// A name that is none without a query's '=' is judged by the value alone, if it is the key's.
		if word != "" && (j != m.keyEnd || !queryOnly[word]) {
			return false
		}
		sc.nameless = word == ""
	}
	return sc.ascii(i, j) == j && sc.hits == 0
}
