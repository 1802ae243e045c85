package gasoline

import (
	crand "crypto/rand"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
)

// redactor replaces secrets by pseudonyms before records leave the process. The daemon looks again, with more rules.
// Equal secrets get equal pseudonyms in one process. nil leaves texts as they are.
type redactor struct{ salt uint32 }

func newRedactor() *redactor {
	var b [8]byte
	_, _ = crand.Read(b[:]) // its failure costs the salt
	return &redactor{salt: keyOf(hex.EncodeToString(b[:]))}
}

const fnvStart = 0x811c9dc5

func fnv(text string) uint32 {
	hash := uint32(fnvStart)
	for _, unit := range utf16.Encode([]rune(text)) {
		hash = (hash ^ uint32(unit)) * 0x01000193
	}
	return hash
}

func keyOf(salt string) uint32 { return fnv(salt) }

// mix ends a hash, so that values that differ in one unit differ all over.
func mix(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// mask returns the pseudonym of a secret: 32 bits of a keyed hash.
func (c *redactor) mask(kind, secret string) string {
	digits := strconv.FormatUint(uint64(mix(mix(fnv(secret))^c.salt)), 16)
	return "<" + kind + ":" + "00000000"[len(digits):] + digits + ">"
}

func isMasked(s string) bool {
	return len(s) > 4 && s[0] == '<' && s[len(s)-1] == '>'
}

// isNothing reports whether a value is a word for none, or for yes or no.
func isNothing(s string) bool {
	if len(s) > len("undefined") {
		return false
	}
	switch strings.ToLower(s) {
	case "", "null", "undefined", "none", "nil", "nan", "true", "false":
		return true
	}
	return false
}

// rules are the lists of rules.go, made for looking up.
type rules struct {
	names   map[string]string // words and their flat form: the kind
	plain   map[string]bool
	headers map[string]bool
	public  map[string]bool
	formats map[string][]shape // by their first bytes
}

const prefixSize = 3

var theRules = struct {
	once sync.Once
	rules
}{}

func loadRules() *rules {
	theRules.once.Do(func() {
		r := &theRules.rules
		r.names, r.plain, r.headers = map[string]string{}, map[string]bool{}, map[string]bool{}
		r.public, r.formats = map[string]bool{}, map[string][]shape{}
		for _, n := range secretNames {
			r.names[n] = n
			if flat := strings.ReplaceAll(n, "_", ""); r.names[flat] == "" {
				r.names[flat] = n
			}
		}
		for _, n := range plainNames {
			r.plain[n] = true
		}
		for _, h := range secretHeaders {
			r.headers[h] = true
		}
		for _, h := range publicHeaders {
			r.public[h] = true
		}
		for _, f := range tokenFormats {
			s := parseShape(f[0], f[1], f[2])
			key := s.parts[0].literal[:prefixSize]
			r.formats[key] = append(r.formats[key], s)
		}
	})
	return &theRules.rules
}

// secretName returns the entry of the list that a field's name passes by, or "". A name passes when its words end with
// an entry's words, or when it is an entry without underscores.
func secretName(name string) string {
	r := loadRules()
	for at := strings.IndexByte(name, '['); at > 0; { // user[password][0]
		if kind := secretName(name[:at]); kind != "" {
			return kind
		}
		name = strings.Trim(name[at:], "[]")
		if at = strings.IndexByte(name, '['); at < 0 {
			break
		}
	}
	word := words(name)
	hit := ""
	for rest := word; rest != ""; {
		if r.plain[rest] {
			return ""
		}
		if hit == "" && r.names[rest] == rest {
			hit = rest
		}
		_, after, more := strings.Cut(rest, "_")
		if !more {
			break
		}
		rest = after
	}
	if hit == "" {
		hit = r.names[strings.ReplaceAll(word, "_", "")]
	}
	return hit
}

// words writes a name's last 64 bytes in lower case, its words joined by underscores, without digits at its end.
func words(name string) string {
	if len(name) > 64 {
		name = name[len(name)-64:]
	}
	out := make([]byte, 0, 96)
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case upper(c):
			begins := i > 0 && (!upper(name[i-1]) || i+1 < len(name) && lower(name[i+1]))
			if begins && len(out) > 0 && out[len(out)-1] != '_' {
				out = append(out, '_')
			}
			out = append(out, c|0x20)
		case lower(c), digit(c):
			out = append(out, c)
		case len(out) > 0 && out[len(out)-1] != '_':
			out = append(out, '_')
		}
	}
	for len(out) > 0 && (digit(out[len(out)-1]) || out[len(out)-1] == '_') {
		out = out[:len(out)-1]
	}
	return string(out)
}

func upper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func lower(c byte) bool  { return 'a' <= c && c <= 'z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }
func letter(c byte) bool { return upper(c) || lower(c) }
func wordly(c byte) bool { return letter(c) || digit(c) || c == '_' }

// secretHeader returns the kind of a header whose value is a secret, or "".
func secretHeader(name string) string {
	r := loadRules()
	name = strings.ToLower(name)
	if r.public[name] {
		return ""
	}
	if r.headers[name] {
		return strings.ReplaceAll(name, "-", "_")
	}
	for _, end := range headerEnds {
		if strings.HasSuffix(name, end) {
			return "secret"
		}
	}
	return secretName(name)
}

// header returns what of a header may be sent.
func (c *redactor) header(name, value string) string {
	kind := secretHeader(name)
	if kind == "" {
		return c.text(value)
	}
	if isMasked(value) || value == "true" { // of access-control-allow-credentials
		return value
	}
	if scheme, rest, ok := strings.Cut(value, " "); ok && strings.HasSuffix(kind, "authorization") && len(scheme) < 12 {
		return scheme + " " + c.mask(kind, rest)
	}
	return c.mask(kind, value)
}

// field returns the pseudonym of a field's value when its name says that it is a secret.
func (c *redactor) field(name string, a *Attr) (string, bool) {
	if c == nil || a.kind == boolKind {
		return "", false
	}
	last := name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		last = name[i+1:]
	}
	kind := secretName(last)
	if kind == "" && strings.HasPrefix(name, "http.re") && strings.Contains(name, ".header.") {
		kind = secretHeader(last)
	}
	if kind == "" || a.kind != textKind && a.kind != intKind && a.kind != bytesKind {
		return "", false
	}
	value := a.text
	if a.kind == intKind {
		value = strconv.FormatInt(int64(a.num), 10)
	}
	if value == "" || isMasked(value) {
		return "", false
	}
	return c.mask(kind, value), true
}

// query masks the values of secret names in a=1&b=2.
func (c *redactor) query(form string) string {
	if c == nil || form == "" {
		return form
	}
	parts := strings.Split(form, "&")
	for i, part := range parts {
		name, value, ok := strings.Cut(part, "=")
		if !ok || value == "" {
			continue
		}
		if plain, err := url.QueryUnescape(name); err == nil {
			if kind := secretName(plain); kind != "" && !isMasked(value) {
				parts[i] = name + "=" + c.mask(kind, value)
				continue
			}
		}
		parts[i] = name + "=" + c.text(value)
	}
	return strings.Join(parts, "&")
}

// url returns an address without its secrets.
func (c *redactor) url(u *url.URL) string {
	out := *u
	out.User = nil
	out.Fragment, out.RawFragment = "", ""
	raw := out.RawQuery
	out.RawQuery, out.ForceQuery = "", false
	text := c.text(out.String())
	if raw != "" {
		text += "?" + c.query(raw)
	}
	return text
}

// text replaces secrets that show by a name before them or by their own form.
func (c *redactor) text(s string) string {
	if c == nil || len(s) < 6 {
		return s
	}
	var out []byte
	done := 0
	replace := func(from, to int, kind string) {
		if isMasked(s[from:to]) {
			return
		}
		out = append(append(out, s[done:from]...), c.mask(kind, s[from:to])...)
		done = to
	}
	r := loadRules()
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b == '=' || b == ':':
			if b == ':' && strings.HasPrefix(s[i:], "://") {
				if from, to := userinfo(s, i+3); to > from {
					replace(from, to, "credentials")
					i = to
				} else {
					i += 2
				}
				continue
			}
			if from, to, kind := assigned(s, i); kind != "" {
				replace(from, to, kind)
				i = to - 1
			}
		case digit(b) && (i == 0 || !wordly(s[i-1]) && s[i-1] != '.' && s[i-1] != '-'):
			if n := card(s[i:]); n > 0 {
				replace(i, i+n, "card")
				i += n - 1
				continue
			}
			fallthrough
		case wordly(b) && (i == 0 || !wordly(s[i-1])):
			if len(s)-i < 8 {
				continue
			}
			if n := scheme(s[i:]); n > 0 {
				to := i + n
				for to < len(s) && (wordly(s[to]) || strings.IndexByte("+/=.~-", s[to]) >= 0) {
					to++
				}
				if to-i-n >= 8 && hasDigit(s[i+n:to]) {
					replace(i+n, to, lowerWord(s[i:]))
					i = to - 1
					continue
				}
			}
			for k := range r.formats[s[i:i+prefixSize]] {
				f := &r.formats[s[i:i+prefixSize]][k]
				if from, to := f.match(s, i); to > 0 {
					replace(from, to, f.kind)
					i = to - 1
					break
				}
			}
		case b == '-' && strings.HasPrefix(s[i:], "-----BEGIN "):
			head := strings.Index(s[i+11:], "-----")
			if head < 0 || head > 64 || !strings.Contains(s[i:i+11+head], "PRIVATE KEY") {
				continue
			}
			to := len(s)
			if end := strings.Index(s[i:], "-----END "); end > 0 {
				to = i + end
				if tail := strings.Index(s[to+9:], "-----"); tail >= 0 {
					to += 9 + tail + 5
				}
			}
			replace(i, to, "private_key")
			i = to - 1
		}
	}
	if done == 0 {
		return s
	}
	return string(append(out, s[done:]...))
}

// lowerWord returns "bearer" or "basic".
func lowerWord(s string) string {
	if s[0]|0x20 == 'b' && s[1]|0x20 == 'e' {
		return "bearer"
	}
	return "basic"
}

// scheme returns the length of "Bearer " or "Basic " at the start of s, or 0.
func scheme(s string) int {
	for _, w := range []string{"bearer ", "basic "} {
		if len(s) > len(w) && strings.EqualFold(s[:len(w)], w) {
			return len(w)
		}
	}
	return 0
}

func hasDigit(s string) bool {
	for i := 0; i < len(s); i++ {
		if digit(s[i]) {
			return true
		}
	}
	return false
}

// userinfo returns where user and password stand in an address whose authority begins at i.
func userinfo(s string, i int) (from, to int) {
	for k := i; k < len(s) && k-i < 512 && strings.IndexByte("/?#\"'<> \t\n,)", s[k]) < 0; k++ {
		if s[k] == '@' {
			to = k
		}
	}
	return i, to
}

// assigned returns where the value stands that is given to a secret name before the sign at i, and the name's kind.
func assigned(s string, i int) (from, to int, kind string) {
	end := i
	for end > 0 && s[end-1] == ' ' {
		end--
	}
	if end > 0 && (s[end-1] == '"' || s[end-1] == '\'') {
		end--
	}
	if end > 0 && s[end-1] == '\\' {
		end--
	}
	begin := end
	for begin > 0 && end-begin < 64 && (wordly(s[begin-1]) || s[begin-1] == '-' || s[begin-1] == '[' || s[begin-1] == ']') {
		begin--
	}
	if end-begin < 2 || begin > 0 && s[begin-1] == '$' {
		return 0, 0, "" // a variable's type follows, mostly
	}
	if kind = secretName(s[begin:end]); kind == "" {
		return 0, 0, ""
	}
	from = i + 1
	for from < len(s) && (s[from] == ' ' || s[from] == '=' || s[from] == '\t') {
		from++
	}
	escaped := from < len(s) && s[from] == '\\'
	if escaped {
		from++
	}
	if from >= len(s) {
		return 0, 0, ""
	}
	if q := s[from]; q == '"' || q == '\'' {
		from++
		if from < len(s) && strings.IndexByte(",)]}:", s[from]) >= 0 {
			return 0, 0, "" // the quote closes a string that ends with the name
		}
		for to = from; to < len(s) && s[to] != q; to++ {
			if s[to] == '\\' && !escaped {
				to++
			} else if s[to] == '\\' {
				break
			}
		}
		if to > len(s) {
			to = len(s)
		}
		if to == from {
			return 0, 0, ""
		}
		return from, to, kind
	}
	if rest := s[from:]; len(rest) > 8 { // the word of a scheme stays
		if n := scheme(rest); n > 0 {
			from += n
		}
	}
	to = from
	for to < len(s) && strings.IndexByte(" \t\r\n\"',;&)}]<>", s[to]) < 0 {
		to++
	}
	value := s[from:to]
	if begin > 0 && s[begin-1] == '<' && to < len(s) && s[to] == '>' {
		return 0, 0, "" // a pseudonym
	}
	if isNothing(value) || strings.ContainsAny(value, "($") {
		return 0, 0, ""
	}
	strong := strings.HasSuffix(kind, "password") || strings.HasSuffix(kind, "secret") || kind == "passwd" || kind == "pwd"
	spaced := s[i] == '=' && i+1 < len(s) && s[i+1] == ' '
	if s[i] == ':' && !strong && !(len(value) >= 4 && hasDigit(value)) || spaced && !hasDigit(value) {
		return 0, 0, "" // "token: expired", "token = next"
	}
	return from, to, kind
}

// card returns the length of the card number that s begins with, or 0.
func card(s string) int {
	var d [19]byte
	n, i := 0, 0
	for i < len(s) && n < len(d) {
		if digit(s[i]) {
			d[n] = s[i] - '0'
			n++
		} else if !(s[i] == ' ' || s[i] == '-') || n%4 != 0 || i+1 >= len(s) || !digit(s[i+1]) {
			break
		}
		i++
	}
	if n < 14 || n > 16 || i < len(s) && (wordly(s[i]) || s[i] == '.' && i+1 < len(s) && digit(s[i+1])) {
		return 0
	}
	two := int(d[0])*10 + int(d[1])
	known := d[0] == 4 && n == 16 || (two >= 51 && two <= 55 || two >= 22 && two <= 27 || two == 35 || two == 60 ||
		two == 62 || two == 65) && n == 16 || (two == 34 || two == 37) && n == 15 || (two == 36 || two == 38 || two == 30) && n == 14
	if !known {
		return 0
	}
	sum := 0
	for k := 0; k < n; k++ {
		v := int(d[n-1-k])
		if k%2 == 1 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	if sum%10 != 0 {
		return 0
	}
	return i
}

// shape is a token's form.
type shape struct {
	kind  string
	check string
	parts []part
	shown int // parts that stay readable
}

// part is a literal, or a run of bytes of an alphabet.
type part struct {
	literal string
	set     *[256]bool
	min     int
	max     int // 0 for no bound
}

var (
	sets     = map[byte]*[256]bool{}
	maxToken = 4096
)

func setOf(name byte) *[256]bool {
	if s := sets[name]; s != nil {
		return s
	}
	s, class := new([256]bool), alphabets[name]
	for i := 0; i < len(class); i++ {
		if i+2 < len(class) && class[i+1] == '-' {
			for b := int(class[i]); b <= int(class[i+2]); b++ {
				s[b] = true
			}
			i += 2
			continue
		}
		s[class[i]] = true
	}
	sets[name] = s
	return s
}

func parseShape(kind, text, check string) shape {
	out := shape{kind: kind, check: check}
	literal := func(t string) {
		if t != "" {
			out.parts = append(out.parts, part{literal: t})
		}
	}
	for text != "" {
		before, rest, run := strings.Cut(text, "{")
		if shown, hidden, ok := strings.Cut(before, "|"); ok {
			literal(shown)
			out.shown = len(out.parts)
			literal(hidden)
		} else {
			literal(before)
		}
		if !run {
			break
		}
		inner, tail, _ := strings.Cut(rest, "}")
		low, high, ranged := strings.Cut(inner[1:], "-")
		p := part{set: setOf(inner[0])}
		p.min, _ = strconv.Atoi(low)
		p.max = p.min
		if ranged {
			p.max, _ = strconv.Atoi(high)
		}
		out.parts = append(out.parts, p)
		text = tail
	}
	return out
}

// match returns where the secret of a token stands that begins at i; to is 0 when none does.
func (f *shape) match(s string, i int) (from, to int) {
	ends := make([]int, len(f.parts))
	if !f.at(s, i, 0, ends) {
		return 0, 0
	}
	from, to = i, ends[len(ends)-1]
	if f.shown > 0 {
		from = ends[f.shown-1]
	}
	if strings.Contains(f.check, "exact") && to < len(s) && wordly(s[to]) {
		return 0, 0
	}
	if (strings.Contains(f.check, "mixed") || strings.Contains(f.check, "digit")) && !hasDigit(s[from:to]) {
		return 0, 0
	}
	return from, to
}

func (f *shape) at(s string, i, k int, ends []int) bool {
	if k == len(f.parts) {
		return true
	}
	p := &f.parts[k]
	if p.set == nil {
		if !strings.HasPrefix(s[i:], p.literal) {
			return false
		}
		ends[k] = i + len(p.literal)
		return f.at(s, ends[k], k+1, ends)
	}
	most := p.max
	if most == 0 {
		most = maxToken
	}
	n := 0
	for n < most && i+n < len(s) && p.set[s[i+n]] {
		n++
	}
	if k+1 == len(f.parts) {
		ends[k] = i + n
		return n >= p.min
	}
	for ; n >= p.min; n-- {
		if next := &f.parts[k+1]; next.set == nil && !strings.HasPrefix(s[i+n:], next.literal) {
			continue
		}
		ends[k] = i + n
		if f.at(s, i+n, k+1, ends) {
			return true
		}
	}
	return false
}

// headers returns attributes for the named headers that are there.
func (c *redactor) headers(prefix string, h http.Header, names ...string) (out []Attr) {
	for _, name := range names {
		if v := h.Get(name); v != "" {
			out = append(out, Strings(prefix+strings.ToLower(name), c.header(name, clip(v, 512))))
		}
	}
	return out
}
