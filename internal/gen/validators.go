package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/catalog"
)

// validators writes the extension's checks of the params of the kinds. Everything is written once: the members of a
// struct that others embed, the schema of a struct that several kinds share, and a check that several members share.
type validators struct {
	structs []*members // those that others embed stand before them
	byType  map[reflect.Type]*members
	uses    map[string]int    // by check: how many members of all structs have it
	shared  map[string]string // the name that a check has in the file, when it has one
	consts  []string
}

// members are the members of a params struct.
type members struct {
	name     string
	embeds   []*members
	own      []catalog.Param
	embedded bool // in another struct
	kinds    int  // whose params are this struct
}

// newValidators takes the params of every kind.
func newValidators(params []any) *validators {
	v := &validators{byType: map[reflect.Type]*members{}, uses: map[string]int{}, shared: map[string]string{}}
	for _, p := range params {
		v.membersOf(reflect.TypeOf(p)).kinds++
	}
	for _, m := range v.structs {
		for _, p := range m.own {
			v.share(p)
		}
	}
	for _, m := range v.structs {
		switch {
		case m.embedded:
			v.consts = append(v.consts, fmt.Sprintf("const %s = %s;", m.name, v.object(m, "")))
		case m.kinds > 1:
			v.consts = append(v.consts, fmt.Sprintf("const %s = v.object(%s);", m.name, v.object(m, "")))
		}
	}
	return v
}

func (v *validators) membersOf(t reflect.Type) *members {
	if m := v.byType[t]; m != nil {
		return m
	}
	m := &members{name: strings.ToLower(t.Name()[:1]) + t.Name()[1:]}
	v.byType[t] = m
	of := map[string]catalog.Param{}
	for _, p := range catalog.ParamsOf(reflect.Zero(t).Interface()) {
		of[p.Name] = p
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			e := v.membersOf(f.Type)
			e.embedded = true
			m.embeds = append(m.embeds, e)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if p, ok := of[name]; ok {
			m.own = append(m.own, p)
		}
	}
	v.structs = append(v.structs, m)
	return m
}

// share gives a check a name when a second member has it.
func (v *validators) share(p catalog.Param) {
	check := check(p)
	v.uses[check]++
	if v.uses[check] != 2 {
		return
	}
	name := nameOf(p)
	if name == "" {
		name = fmt.Sprintf("check%d", len(v.shared)+1)
	}
	v.shared[check] = name
	v.consts = append(v.consts, fmt.Sprintf("const %s = %s;", name, check))
}

// schema is the schema of a kind's params.
func (v *validators) schema(params any) string {
	m := v.byType[reflect.TypeOf(params)]
	switch {
	case m.embedded:
		return "v.object(" + m.name + ")"
	case m.kinds > 1:
		return m.name
	}
	return "v.object(" + v.object(m, "  ") + ")"
}

// object is an object with the members of a struct, indented so far.
func (v *validators) object(m *members, indent string) string {
	var lines []string
	for _, e := range m.embeds {
		lines = append(lines, indent+"  ..."+e.name+",")
	}
	for _, p := range m.own {
		text := check(p)
		if name := v.shared[text]; name != "" {
			text = name
		}
		lines = append(lines, indent+"  "+p.Name+": "+text+",")
	}
	if len(lines) == 0 {
		return "{}"
	}
	return "{\n" + strings.Join(lines, "\n") + "\n" + indent + "}"
}

// nameOf says in one word what a check is: text2000, integerFrom1To100, flag. It is "" for enums, patterns and lists.
func nameOf(p catalog.Param) string {
	var name string
	switch {
	case p.Type == "boolean":
		name = "flag"
	case p.Type == "string" && len(p.Enum) == 0 && p.Pattern == "":
		name = "text"
		if p.Length > 0 {
			name += strconv.Itoa(p.Length)
		}
	case p.Type == "number" || p.Type == "integer":
		name = p.Type
		if p.Min != nil {
			name += "From" + plain(*p.Min)
		}
		if p.Max != nil {
			name += "To" + plain(*p.Max)
		}
		name = strings.NewReplacer("-", "Minus", ".", "Point").Replace(name)
	default:
		return ""
	}
	if p.Required {
		name += "Required"
	}
	return name
}

// check is the validator of one member.
func check(p catalog.Param) string {
	if p.Required {
		return present(p)
	}
	return "v.optional(" + present(p) + ")"
}

// present is the validator of a member that is there.
func present(p catalog.Param) string {
	var base string
	var more []string
	switch p.Type {
	case "string":
		if len(p.Enum) > 0 {
			quoted := make([]string, len(p.Enum))
			for i, e := range p.Enum {
				quoted[i] = strconv.Quote(e)
			}
			return "v.picklist([" + strings.Join(quoted, ", ") + "])"
		}
		base = "v.string()"
		if p.Length > 0 {
			more = append(more, fmt.Sprintf("v.maxLength(%d)", p.Length))
		}
		if p.Pattern != "" {
			more = append(more, "v.regex(/"+p.Pattern+"/)")
		}
	case "number", "integer":
		base = "v.number()"
		more = append(more, map[string]string{"number": "v.finite()", "integer": "v.integer()"}[p.Type])
		if p.Min != nil {
			more = append(more, "v.minValue("+plain(*p.Min)+")")
		}
		if p.Max != nil {
			more = append(more, "v.maxValue("+plain(*p.Max)+")")
		}
	case "boolean":
		return "v.boolean()"
	case "array":
		item := present(catalog.Param{Type: p.Items})
		if p.Of != nil {
			of := make([]string, len(p.Of))
			for i, m := range p.Of {
				of[i] = m.Name + ": " + check(m)
			}
			item = "v.object({ " + strings.Join(of, ", ") + " })"
		}
		base = "v.array(" + item + ")"
		if p.Length > 0 {
			more = append(more, fmt.Sprintf("v.maxLength(%d)", p.Length))
		}
	default:
		return "v.unknown()"
	}
	if len(more) == 0 {
		return base
	}
	return "v.pipe(" + base + ", " + strings.Join(more, ", ") + ")"
}

func plain(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }
