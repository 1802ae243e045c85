package analysis

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Bounds of what is learnt of one endpoint.
const (
	shapeDepth  = 8
	shapeNodes  = 1000 // values at different paths
	shapeFields = 64   // of one object; one with more is a table whose keys are data
	shapeItems  = 50   // of one array that are looked at
	sampleBytes = 60   // of a value that is told
	// Learnt is how many responses must have had a shape before another one is a deviation.
	Learnt = 3
)

// Shape is what the JSON bodies of one endpoint have in common. The zero value has learnt nothing.
type Shape struct {
	Responses int
	root      *node
	nodes     int
}

// node is what is known of the values at one path.
type node struct {
	kinds   []*Kind
	fields  map[string]*node
	items   *node
	objects int    // responses in which an object was there
	newest  string // handle of the newest of those
	seen    int    // responses in which anything was there
	first   int    // of the responses with an object one level up, counted from 0: the first that had this
	last    int    // and the last
	at      int    // the response that was counted last
	atObj   int
	loose   bool // its keys are data
}

// Kind is one type that values at one path had.
type Kind struct {
	Type  string // null, boolean, number, string, array, object; hidden: a pseudonym stands for the value
	Count int
	Value string // an example, the newest, at most 60 bytes of JSON
	ID    string // handle of the newest
	First string // handle of the first
}

// Deviation is what is not as it was.
type Deviation struct {
	Path string // items[].price
	Type string // type_change, shape_change (of an object or array), null_field, new_field, missing_field
	Was  Kind   // as most responses had it; Type "" where there was nothing
	Now  Kind
	Of   int // responses that could have had it
}

// Learn adds a decoded body. Responses come oldest first.
func (s *Shape) Learn(id string, body any) {
	if s.root == nil {
		s.root = &node{at: -1, atObj: -1}
	}
	s.learn(s.root, id, body, 0, 0)
	s.Responses++
}

func (s *Shape) learn(n *node, id string, value any, parent, depth int) {
	if n.at != s.Responses {
		if n.seen == 0 {
			n.first = parent
		}
		n.at, n.last = s.Responses, parent
		n.seen++
	}
	kind := typeOf(value)
	i := slices.IndexFunc(n.kinds, func(k *Kind) bool { return k.Type == kind })
	if i < 0 {
		i = len(n.kinds)
		n.kinds = append(n.kinds, &Kind{Type: kind, First: id})
	}
	k := n.kinds[i]
	if k.ID != id {
		k.Count++
		k.ID, k.Value = id, sample(value)
	}
	if depth == shapeDepth {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		if n.atObj != s.Responses {
			n.atObj, n.newest = s.Responses, id
			n.objects++
		}
		// In order: which of too many are learnt does not change from call to call.
		keys := make([]string, 0, 16)
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			name := key
			if n.loose || n.fields[key] == nil && Fingerprint(key) == "#" { // no field has an id as its name
				name = "*"
			}
			if child := s.field(n, name); child != nil {
				s.learn(child, id, v[key], n.objects-1, depth+1)
			}
		}
		if len(n.fields) > shapeFields {
			n.loose, n.fields = true, nil
		}
	case []any:
		if n.items == nil && s.nodes < shapeNodes {
			n.items = &node{at: -1, atObj: -1}
			s.nodes++
		}
		if n.items != nil {
			for _, item := range v[:min(len(v), shapeItems)] {
				s.learn(n.items, id, item, n.seen-1, depth+1)
			}
		}
	}
}

func (s *Shape) field(n *node, name string) *node {
	child := n.fields[name]
	if child != nil || s.nodes == shapeNodes {
		return child
	}
	if n.fields == nil {
		n.fields = map[string]*node{}
	}
	child = &node{at: -1, atObj: -1}
	n.fields[name] = child
	s.nodes++
	return child
}

// Full reports whether not all of the values could be learnt.
func (s *Shape) Full() bool { return s.nodes >= shapeNodes }

func typeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		if pseudonym(v) {
			return "hidden"
		}
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

// pseudonym reports whether redaction wrote a text in the place of a value, which may have had another type: "<card#3>".
func pseudonym(s string) bool {
	return len(s) < 64 && strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") && strings.ContainsAny(s, "#:") &&
		!strings.ContainsAny(s, " /=\"")
}

func sample(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return fmt.Sprintf("{%d fields}", len(v))
	case []any:
		return fmt.Sprintf("[%d items]", len(v))
	case string:
		if len(v) > sampleBytes {
			return fmt.Sprintf("%q…", strings.ToValidUTF8(v[:sampleBytes], ""))
		}
		return fmt.Sprintf("%q", v)
	}
	out, _ := json.Marshal(value) // null, booleans and numbers
	return string(out)
}

// Deviations returns what is not as it was, by path.
func (s *Shape) Deviations() (out []Deviation) {
	if s.root != nil {
		s.walk("", s.root, nil, &out)
	}
	return out
}

func (s *Shape) walk(path string, n *node, parent *node, out *[]Deviation) {
	var most *Kind // of the types of values that are there
	for _, k := range n.kinds {
		if k.Type != "null" && k.Type != "hidden" && (most == nil || k.Count > most.Count) {
			most = k
		}
	}
	for _, k := range n.kinds {
		switch {
		case most == nil || k == most || k.Type == "hidden":
		case k.Type == "null":
			if most.First != k.First { // else items of one response differ
				*out = append(*out, Deviation{path, "null_field", *most, *k, n.seen})
			}
		case structural(k.Type) || structural(most.Type):
			*out = append(*out, Deviation{path, "shape_change", *most, *k, n.seen})
		default:
			*out = append(*out, Deviation{path, "type_change", *most, *k, n.seen})
		}
	}
	if parent != nil && !parent.loose {
		if most == nil {
			most = n.kinds[0]
		}
		switch since := parent.objects - n.first; {
		case n.first >= Learnt && n.seen == since: // in none before, in each since
			k := *n.kinds[0]
			k.ID = k.First
			*out = append(*out, Deviation{path, "new_field", Kind{}, k, parent.objects})
		case n.first == 0 && n.seen >= Learnt && n.last == n.seen-1 && n.seen < parent.objects: // in each, then in none
			gone := Kind{Count: parent.objects - n.seen, ID: parent.newest}
			*out = append(*out, Deviation{path, "missing_field", *most, gone, parent.objects})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		from := n
		if name == "*" {
			from = nil // which key is there is data
		}
		s.walk(strings.TrimPrefix(path+"."+name, "."), n.fields[name], from, out)
	}
	if n.items != nil {
		s.walk(path+"[]", n.items, nil, out)
	}
}

func structural(kind string) bool { return kind == "array" || kind == "object" }

// Fields returns the types by path, as they are compared later: `items[].price` → `number`, `null|string`. What is not in each
// response has a "?" behind its path's types.
func (s *Shape) Fields() map[string]string {
	out := map[string]string{}
	var walk func(path string, n, parent *node)
	walk = func(path string, n, parent *node) {
		var kinds []string
		for _, k := range n.kinds {
			kinds = append(kinds, k.Type)
		}
		slices.Sort(kinds)
		text := strings.Join(kinds, "|")
		if parent != nil && n.seen < parent.objects {
			text += "?"
		}
		if text != "" {
			out[path] = text
		}
		for name, child := range n.fields {
			from := n
			if name == "*" {
				from = nil
			}
			walk(strings.TrimPrefix(path+"."+name, "."), child, from)
		}
		if n.items != nil {
			walk(path+"[]", n.items, nil)
		}
	}
	if s.root != nil {
		walk("", s.root, nil)
	}
	return out
}

// Against returns what deviates from the fields of an earlier shape. Its Was has a type and no example.
func (s *Shape) Against(fields map[string]string) (out []Deviation) {
	var walk func(path string, n, parent *node)
	walk = func(path string, n, parent *node) {
		was, known := fields[path]
		if !known { // items of an array that was empty are not judged
			if parent != nil {
				out = append(out, Deviation{path, "new_field", Kind{}, *n.kinds[0], s.Responses})
			}
			return
		}
		allowed := strings.Split(strings.TrimSuffix(was, "?"), "|")
		for _, k := range n.kinds {
			switch {
			case k.Type == "hidden" || slices.Contains(allowed, k.Type) || slices.Contains(allowed, "hidden"):
			case k.Type == "null":
				out = append(out, Deviation{path, "null_field", Kind{Type: was}, *k, s.Responses})
			case slices.Equal(allowed, []string{"null"}): // nothing but null is known
			case structural(k.Type) || slices.ContainsFunc(allowed, structural):
				out = append(out, Deviation{path, "shape_change", Kind{Type: was}, *k, s.Responses})
			default:
				out = append(out, Deviation{path, "type_change", Kind{Type: was}, *k, s.Responses})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(n.fields)) {
			inside := n
			if name == "*" {
				inside = nil
			}
			walk(strings.TrimPrefix(path+"."+name, "."), n.fields[name], inside)
		}
		if n.items != nil {
			walk(path+"[]", n.items, nil)
		}
		if n.objects == 0 {
			return
		}
		for _, gone := range slices.Sorted(maps.Keys(fields)) {
			name, direct := strings.CutPrefix(gone, strings.TrimPrefix(path+".", "."))
			if direct && name != "" && name != "*" && !strings.ContainsAny(name, ".[") && !strings.HasSuffix(fields[gone], "?") &&
				n.fields[name] == nil && !n.loose {
				out = append(out, Deviation{gone, "missing_field", Kind{Type: fields[gone]}, Kind{Count: s.Responses, ID: n.newest}, s.Responses})
			}
		}
	}
	if s.root != nil {
		walk("", s.root, nil)
	}
	return out
}
