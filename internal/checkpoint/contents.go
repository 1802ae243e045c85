package checkpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Contents is what is in a checkpoint. Local, Session, Cookies, Databases and Forms are nil when they were not taken.
// Values stay the JSON that the browser made.
type Contents struct {
	Cookies   []Cookie   `json:"cookies"`
	Forms     []Form     `json:"forms"`
	Local     []Entry    `json:"local"`
	Session   []Entry    `json:"session"`
	Databases []Database `json:"databases"`

	// What could not be taken. The browser names it; each section has a list of its own.
	LeftOutOfTab  []LeftOut `json:"left_out_of_tab"`
	LeftOutOfPage []LeftOut `json:"left_out_of_page"`
}

// Entry is an entry of a storage: key and value.
type Entry [2]json.RawMessage

// Cookie is a cookie. All of it is compared; what names it is told.
type Cookie struct {
	Name     string          `json:"name"`
	Domain   string          `json:"domain"`
	Path     string          `json:"path"`
	HTTPOnly bool            `json:"httpOnly"`
	Site     json.RawMessage `json:"partitionKey"`

	raw json.RawMessage
}

// UnmarshalJSON keeps all that the browser said of the cookie, for comparisons.
func (c *Cookie) UnmarshalJSON(data []byte) error {
	type plain Cookie
	if err := json.Unmarshal(data, (*plain)(c)); err != nil {
		return err
	}
	c.raw = slices.Clone(data)
	return nil
}

// Form is the fields of one frame that are not as the page delivered them.
type Form struct {
	Frame  string  `json:"frame"` // as the parameter frame takes it; "" is the main frame
	Fields []Field `json:"fields"`
}

// Field is one of them.
type Field struct {
	At   string `json:"at"`   // CSS
	Name string `json:"name"` // attribute, "" without one

	raw json.RawMessage
}

// UnmarshalJSON keeps all that the browser said of the field, for comparisons.
func (f *Field) UnmarshalJSON(data []byte) error {
	type plain Field
	if err := json.Unmarshal(data, (*plain)(f)); err != nil {
		return err
	}
	f.raw = slices.Clone(data)
	return nil
}

// Database is an IndexedDB database.
type Database struct {
	Name    string  `json:"name"`
	Version float64 `json:"version"`
	Stores  []Store `json:"stores"`
}

// Store is an object store: its definition beside its records.
type Store struct {
	Name    string          `json:"name"`
	KeyPath json.RawMessage `json:"key_path"`
	Auto    bool            `json:"auto"`
	Next    json.RawMessage `json:"next"` // number that the next record gets, null when there is none
	Indexes json.RawMessage `json:"indexes"`
	Records []Entry         `json:"records"`
}

// LeftOut is something that could not be taken.
type LeftOut struct {
	What  string `json:"what"`
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// Counts are how much is in a checkpoint.
type Counts struct {
	Local     int `json:"local_storage"`
	Session   int `json:"session_storage"`
	Cookies   int `json:"cookies"`
	HTTPOnly  int `json:"http_only_cookies"`
	Databases int `json:"databases"`
	Records   int `json:"records"`
	Fields    int `json:"form_fields"`
	LeftOut   int `json:"left_out,omitempty"`
}

func (c *Contents) count() Counts {
	out := Counts{Local: len(c.Local), Session: len(c.Session), Cookies: len(c.Cookies), Databases: len(c.Databases)}
	for _, k := range c.Cookies {
		if k.HTTPOnly {
			out.HTTPOnly++
		}
	}
	for _, d := range c.Databases {
		for _, s := range d.Stores {
			out.Records += len(s.Records)
		}
	}
	for _, f := range c.Forms {
		out.Fields += len(f.Fields)
	}
	for _, l := range c.LeftOut() {
		out.LeftOut += l.Count
	}
	return out
}

// LeftOut returns what could not be taken.
func (c *Contents) LeftOut() []LeftOut {
	return append(slices.Clone(c.LeftOutOfTab), c.LeftOutOfPage...)
}

// Difference is what differs in one store between two checkpoints. The names are those of keys, cookies and fields as the
// page gave them; a database's records are counted only, because their keys are values. Of each at most mostNames names.
type Difference struct {
	Store   string  `json:"store"` // local_storage, session_storage, cookies, form_fields, indexeddb …
	Added   Changed `json:"added"`
	Removed Changed `json:"removed"`
	Changed Changed `json:"changed"`
}

// Changed are things of one kind of difference.
type Changed struct {
	Count int      `json:"count"`
	Names []string `json:"names,omitempty"`
}

// mostNames bounds the names of one kind of difference.
const mostNames = 20

func (d *Difference) empty() bool { return d.Added.Count+d.Removed.Count+d.Changed.Count == 0 }

// Compare returns what differs from a to b, store by store. What one of the two did not take is not compared; its stores
// are in skipped.
func Compare(a, b *Contents) (differences []Difference, skipped []string) {
	one := func(store string, taken bool, x, y items) {
		if !taken {
			skipped = append(skipped, store)
			return
		}
		if d := compare(store, x, y); !d.empty() {
			differences = append(differences, d)
		}
	}
	one("local_storage", a.Local != nil && b.Local != nil, entries(a.Local), entries(b.Local))
	one("session_storage", a.Session != nil && b.Session != nil, entries(a.Session), entries(b.Session))
	one("cookies", a.Cookies != nil && b.Cookies != nil, cookies(a.Cookies), cookies(b.Cookies))
	one("form_fields", a.Forms != nil && b.Forms != nil, fields(a.Forms), fields(b.Forms))
	if a.Databases == nil || b.Databases == nil {
		return differences, append(skipped, "indexeddb")
	}
	return append(differences, databases(a.Databases, b.Databases)...), skipped
}

// items are things that are compared: by key, what is told of one and what is compared of it.
type items map[string]item

type item struct {
	name string // "" is not told
	what string
}

func entries(list []Entry) items {
	out := items{}
	for _, e := range list {
		var name string
		if err := json.Unmarshal(e[0], &name); err != nil {
			name = "?"
		}
		out[string(e[0])] = item{name, string(e[1])}
	}
	return out
}

func cookies(list []Cookie) items {
	out := items{}
	for _, c := range list {
		name := c.Name
		if c.Path != "/" {
			name += " (path " + c.Path + ")"
		}
		out[strings.Join([]string{c.Name, c.Domain, c.Path, string(c.Site)}, "\x00")] = item{name, string(c.raw)}
	}
	return out
}

func fields(forms []Form) items {
	out := items{}
	for _, f := range forms {
		for _, x := range f.Fields {
			name := x.Name
			if name == "" {
				name = x.At
			}
			out[f.Frame+"\x00"+x.At] = item{name, string(x.raw)}
		}
	}
	return out
}

func records(list []Entry) items {
	out := items{}
	for _, e := range list {
		out[string(e[0])] = item{"", string(e[1])}
	}
	return out
}

// databases compares databases by name: those that came and went, the definitions of their stores, and their records.
func databases(a, b []Database) []Difference {
	defined := func(list []Database) (all items, stores map[string]Store) {
		all, stores = items{}, map[string]Store{}
		for _, d := range list {
			all[d.Name] = item{d.Name, fmt.Sprint(d.Version)}
			for _, s := range d.Stores {
				full := d.Name + "/" + s.Name
				stores[full] = s
				definition := bytes.Join([][]byte{s.KeyPath, s.Indexes, fmt.Append(nil, s.Auto)}, []byte(" "))
				all[d.Name+"\x00"+s.Name] = item{full, string(definition)}
			}
		}
		return all, stores
	}
	before, old := defined(a)
	after, now := defined(b)
	var out []Difference
	if d := compare("indexeddb", before, after); !d.empty() {
		out = append(out, d)
	}
	full := map[string]bool{}
	for name := range old {
		full[name] = true
	}
	for name := range now {
		full[name] = true
	}
	for _, name := range sorted(full) {
		if d := compare("indexeddb "+name, records(old[name].Records), records(now[name].Records)); !d.empty() {
			out = append(out, d)
		}
	}
	return out
}

func compare(store string, before, after items) Difference {
	d := Difference{Store: store}
	keys := map[string]bool{}
	for k := range before {
		keys[k] = true
	}
	for k := range after {
		keys[k] = true
	}
	for _, k := range sorted(keys) {
		x, was := before[k]
		y, is := after[k]
		switch {
		case !was:
			d.Added.add(y.name)
		case !is:
			d.Removed.add(x.name)
		case x.what != y.what:
			d.Changed.add(x.name)
		}
	}
	return d
}

func (c *Changed) add(name string) {
	c.Count++
	if name != "" && len(c.Names) < mostNames {
		c.Names = append(c.Names, name)
	}
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
