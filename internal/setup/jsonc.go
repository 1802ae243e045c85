package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// node is a value of a JSON text with comments and trailing commas, by its place in the text.
type node struct {
	kind     byte // '{', '[', '"' or 'v' for the others
	from, to int
	text     string // of a string
	members  []member
	items    []*node
}

// member is a key with its value.
type member struct {
	key   string
	from  int // of the key
	value *node
}

// get returns the value under a key; of equal keys the last one counts.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return n.members[i].value
		}
	}
	return nil
}

// strings returns the strings of a list; ok is false when it is none, or holds others.
func (n *node) strings() (out []string, ok bool) {
	if n == nil || n.kind != '[' {
		return nil, false
	}
	for _, it := range n.items {
		if it.kind != '"' {
			return nil, false
		}
		out = append(out, it.text)
	}
	return out, true
}

const maxLevels = 200

// reader reads JSON with comments, as editors and clients take it.
type reader struct {
	src   []byte
	at    int
	level int
}

// parseJSON reads a text whose root is an object. A text of blanks and comments only gives nil.
func parseJSON(src []byte) (root *node, err error) {
	r := &reader{src: src}
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		r.at = 3
	}
	if !utf8.Valid(src) {
		return nil, fmt.Errorf("it is no UTF-8")
	}
	if err := r.skip(); err != nil {
		return nil, err
	}
	if r.at == len(src) {
		return nil, nil
	}
	if root, err = r.value(); err != nil {
		return nil, err
	}
	if root.kind != '{' {
		return nil, fmt.Errorf("it is no object")
	}
	if err := r.skip(); err != nil {
		return nil, err
	}
	if r.at != len(src) {
		return nil, r.wrong("nothing more")
	}
	return root, nil
}

func (r *reader) wrong(want string) error {
	line := 1 + bytes.Count(r.src[:r.at], []byte("\n"))
	column := r.at - bytes.LastIndexByte(r.src[:r.at], '\n')
	return fmt.Errorf("line %d, column %d: %s was expected", line, column, want)
}

// skip passes over blanks and comments.
func (r *reader) skip() error {
	for r.at < len(r.src) {
		switch c := r.src[r.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.at++
		case bytes.HasPrefix(r.src[r.at:], []byte("//")):
			n := bytes.IndexByte(r.src[r.at:], '\n')
			if n < 0 {
				n = len(r.src) - r.at
			}
			r.at += n
		case bytes.HasPrefix(r.src[r.at:], []byte("/*")):
			n := bytes.Index(r.src[r.at+2:], []byte("*/"))
			if n < 0 {
				return r.wrong("the end of a comment")
			}
			r.at += n + 4
		default:
			return nil
		}
	}
	return nil
}

func (r *reader) value() (*node, error) {
	if r.level++; r.level > maxLevels {
		return nil, r.wrong("less nesting")
	}
	defer func() { r.level-- }()
	if r.at == len(r.src) {
		return nil, r.wrong("a value")
	}
	n := &node{kind: r.src[r.at], from: r.at}
	var err error
	switch n.kind {
	case '{', '[':
		err = r.list(n)
	case '"':
		n.text, err = r.str()
	default:
		n.kind = 'v'
		for r.at < len(r.src) && strings.IndexByte("+-.0123456789aeflnrstuE", r.src[r.at]) >= 0 {
			r.at++
		}
		if !json.Valid(r.src[n.from:r.at]) {
			r.at = n.from
			err = r.wrong("a value")
		}
	}
	n.to = r.at
	return n, err
}

// list reads the members or items of n, up to its end.
func (r *reader) list(n *node) error {
	end := byte('}')
	if n.kind == '[' {
		end = ']'
	}
	r.at++
	for {
		if err := r.skip(); err != nil {
			return err
		}
		if r.at < len(r.src) && r.src[r.at] == end {
			r.at++
			return nil
		}
		m := member{from: r.at}
		if n.kind == '{' {
			if r.at == len(r.src) || r.src[r.at] != '"' {
				return r.wrong("a key or " + string(end))
			}
			var err error
			if m.key, err = r.str(); err != nil {
				return err
			}
			if err := r.skip(); err != nil {
				return err
			}
			if r.at == len(r.src) || r.src[r.at] != ':' {
				return r.wrong("a colon")
			}
			r.at++
			if err := r.skip(); err != nil {
				return err
			}
		}
		v, err := r.value()
		if err != nil {
			return err
		}
		if m.value = v; n.kind == '{' {
			n.members = append(n.members, m)
		} else {
			n.items = append(n.items, v)
		}
		if err := r.skip(); err != nil {
			return err
		}
		switch {
		case r.at < len(r.src) && r.src[r.at] == ',':
			r.at++
		case r.at == len(r.src) || r.src[r.at] != end:
			return r.wrong("a comma or " + string(end))
		}
	}
}

func (r *reader) str() (string, error) {
	from := r.at
	for r.at++; r.at < len(r.src) && r.src[r.at] != '"'; r.at++ {
		if r.src[r.at] == '\\' {
			r.at++
		}
	}
	if r.at >= len(r.src) {
		r.at = from
		return "", r.wrong("the end of a string")
	}
	r.at++
	var out string
	if json.Unmarshal(r.src[from:r.at], &out) != nil {
		r.at = from
		return "", r.wrong("a string")
	}
	return out, nil
}

// field is a key with a value that is to be written.
type field struct {
	key   string
	value any // string, bool, int, []string, []field
}

// show writes a value as JSON, its lines after the first behind the indentation.
func show(value any, before, step string) string {
	switch v := value.(type) {
	case []field:
		if len(v) == 0 {
			return "{}"
		}
		var out strings.Builder
		out.WriteString("{\n")
		for i, f := range v {
			out.WriteString(before + step + quote(f.key) + ": " + show(f.value, before+step, step))
			if i < len(v)-1 {
				out.WriteByte(',')
			}
			out.WriteByte('\n')
		}
		return out.String() + before + "}"
	case []string:
		words := make([]string, len(v))
		for i, s := range v {
			words[i] = quote(s)
		}
		return "[" + strings.Join(words, ", ") + "]"
	case string:
		return quote(v)
	}
	return fmt.Sprint(value)
}

func quote(s string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(out.String(), "\n")
}

// document is a JSON text that is being changed. Each change reads it anew, so that places stay right.
type document struct{ src []byte }

// root returns the document's object; an empty text becomes one.
func (d *document) root() (*node, error) {
	n, err := parseJSON(d.src)
	if err != nil || n != nil {
		return n, err
	}
	rest := bytes.TrimRight(d.src, " \t\r\n")
	if len(rest) > 0 {
		rest = append(rest[:len(rest):len(rest)], '\n')
	}
	d.src = append(rest[:len(rest):len(rest)], "{}\n"...)
	return parseJSON(d.src)
}

// at returns the value under a path of keys, nil when it is not there; an error when something on the way
// is no object.
func (d *document) at(path ...string) (*node, error) {
	n, err := d.root()
	for i, key := range path {
		if err != nil || n == nil {
			return nil, err
		}
		if n.kind != '{' {
			return nil, fmt.Errorf("%q is no object there", strings.Join(path[:i], "."))
		}
		n = n.get(key)
	}
	return n, err
}

func (d *document) splice(from, to int, text string) {
	d.src = append(append(append([]byte(nil), d.src[:from]...), text...), d.src[to:]...)
}

// set writes a value under a path. What is not on the way is made, as the first member of its object, so
// that no other line changes.
func (d *document) set(value any, path ...string) error {
	n, err := d.at(path...)
	if err != nil {
		return err
	}
	if n != nil {
		before, step := d.indentation(n.from)
		if text := show(value, before, step); !equal(d.src[n.from:n.to], text) {
			d.splice(n.from, n.to, text)
		}
		return nil
	}
	for i := len(path) - 1; ; i-- {
		parent, err := d.at(path[:i]...)
		if err != nil {
			return err
		}
		if parent == nil {
			value = []field{{path[i], value}}
			continue
		}
		if parent.kind != '{' {
			return fmt.Errorf("%q is no object there", strings.Join(path[:i], "."))
		}
		d.insert(parent, path[i], value)
		return nil
	}
}

// insert puts a member in front of an object's others.
func (d *document) insert(n *node, key string, value any) {
	before, step := d.indentation(n.from)
	if len(n.members) > 0 {
		first := n.members[0].from
		inner, _ := d.indentation(first)
		if strings.ContainsRune(string(d.src[n.from:first]), '\n') {
			d.splice(n.from+1, n.from+1, "\n"+inner+quote(key)+": "+show(value, inner, step)+",")
		} else { // all in one line
			d.splice(n.from+1, n.from+1, oneLine(quote(key)+": "+show(value, "", ""))+", ")
		}
		return
	}
	text := "\n" + before + step + quote(key) + ": " + show(value, before+step, step)
	// A comment may stand in an empty object.
	if inside := string(d.src[n.from+1 : n.to-1]); strings.TrimSpace(inside) == "" {
		d.splice(n.from+1, n.to-1, text+"\n"+before)
	} else {
		d.splice(n.from+1, n.from+1, text)
	}
}

// remove takes the member under a path out, with its comma. The line that it alone stood on goes too.
func (d *document) remove(path ...string) error {
	parent, err := d.at(path[:len(path)-1]...)
	if err != nil || parent == nil {
		return err
	}
	key := path[len(path)-1]
	for i, m := range parent.members {
		if m.key != key {
			continue
		}
		from, to := m.from, m.value.to
		after := &reader{src: d.src, at: to}
		if err := after.skip(); err != nil {
			return err
		}
		comma := after.at < len(d.src) && d.src[after.at] == ','
		switch {
		case comma:
			to = after.at + 1
		case i > 0: // the comma in front goes instead
			back := &reader{src: d.src, at: parent.members[i-1].value.to}
			if err := back.skip(); err != nil {
				return err
			}
			if comma := back.at; strings.TrimSpace(string(d.src[comma+1:from])) == "" &&
				!strings.Contains(string(d.src[comma:from]), "\n") {
				from = comma // in one line with the one before
			} else {
				d.splice(comma, comma+1, "")
				from, to = from-1, to-1
			}
		}
		start := from
		for start > 0 && (d.src[start-1] == ' ' || d.src[start-1] == '\t') {
			start--
		}
		rest := to
		for rest < len(d.src) && (d.src[rest] == ' ' || d.src[rest] == '\t' || d.src[rest] == '\r') {
			rest++
		}
		switch {
		case start > 0 && d.src[start-1] == '\n' && rest < len(d.src) && d.src[rest] == '\n':
			from, to = start, rest+1
		case comma:
			to = rest
		}
		d.splice(from, to, "")
		if parent, err = d.at(path[:len(path)-1]...); err != nil {
			return err
		}
		if len(parent.members) == 0 && strings.TrimSpace(string(d.src[parent.from+1:parent.to-1])) == "" {
			d.splice(parent.from, parent.to, "{}")
		}
		return d.remove(path...) // the key may stand there twice
	}
	return nil
}

// indentation returns the blanks that the line of a place begins with, and what one level adds.
func (d *document) indentation(at int) (before, step string) {
	line := bytes.LastIndexByte(d.src[:at], '\n') + 1
	end := line
	for end < len(d.src) && (d.src[end] == ' ' || d.src[end] == '\t') {
		end++
	}
	before, step = string(d.src[line:end]), "  "
	root, err := parseJSON(d.src)
	if err != nil || root == nil || len(root.members) == 0 {
		return before, step
	}
	first := root.members[0].from
	line = bytes.LastIndexByte(d.src[:first], '\n') + 1
	if blanks := string(d.src[line:first]); blanks != "" && strings.Trim(blanks, " \t") == "" {
		step = blanks
	}
	return before, step
}

func oneLine(text string) string {
	return strings.NewReplacer("{\n", "{", "\n}", "}", ",\n", ", ", "\n", "").Replace(text)
}

// equal reports whether two texts are the same JSON.
func equal(a []byte, b string) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	p, _ := json.Marshal(x) // both came from JSON
	q, _ := json.Marshal(y)
	return bytes.Equal(p, q)
}
