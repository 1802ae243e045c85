package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/problem"
)

// Param is one parameter of a mode, as its params struct declares it by tags:
//
//	json:"limit,omitempty"  the name
//	doc:"most entries"      what it means, with default and range in words
//	enum:"asc,desc"         the words it may have
//	min:"1" max:"1000"      its bounds
//	length:"2000"           most characters of a string, most items of an array
//	pattern:"^e\\d+$"       what a string must match (RE2)
//	alias:"last,count"      other names that mean it
//	required:"true"         it must be given
//	blank:"true"            "" is a value; else "" means that it was not given
//	alone:"body_path"       when it is given, of the mode's others only these may be; "-" for none
//
// An embedded struct adds its fields.
type Param struct {
	Name     string
	Type     string  // string, number, integer, boolean, array, object
	Items    string  // element type of an array
	Of       []Param // members of each object of an array of structs; nil for others
	Doc      string
	Enum     []string
	Aliases  []string
	Required bool
	Blank    bool // "" is a value
	Min, Max *float64
	Length   int      // most characters or items; 0 means no bound of its own
	Pattern  string   // "" means any
	Alone    []string // nil: with any other

	index   []int
	matches *regexp.Regexp // of Pattern
}

// ParamsOf returns the parameters that the struct v declares, in the order of its fields, with those of
// embedded structs. It panics when a tag is not understood: that is a mistake in the source.
func ParamsOf(v any) []Param {
	t := reflect.TypeOf(v)
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("catalog: params must be a struct, not %s", t))
	}
	var out []Param
	collect(t, nil, &out)
	return out
}

func collect(t reflect.Type, at []int, out *[]Param) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			collect(f.Type, index, out)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		p := Param{Name: name, Doc: f.Tag.Get("doc"), index: index}
		p.Required, p.Blank = f.Tag.Get("required") == "true", f.Tag.Get("blank") == "true"
		p.Type, p.Items = typeName(f.Type)
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			p.Of = ParamsOf(reflect.Zero(f.Type.Elem()).Interface())
		}
		if e := f.Tag.Get("enum"); e != "" {
			p.Enum = strings.Split(e, ",")
		}
		if a := f.Tag.Get("alias"); a != "" {
			p.Aliases = strings.Split(a, ",")
		}
		if a := f.Tag.Get("alone"); a != "" {
			p.Alone = strings.Split(a, ",")
		}
		p.Min, p.Max = bound(f.Tag.Get("min")), bound(f.Tag.Get("max"))
		if l := bound(f.Tag.Get("length")); l != nil {
			p.Length = int(*l)
		}
		if p.Pattern = f.Tag.Get("pattern"); p.Pattern != "" {
			p.matches = regexp.MustCompile(p.Pattern)
		}
		*out = append(*out, p)
	}
}

func bound(tag string) *float64 {
	if tag == "" {
		return nil
	}
	v, err := strconv.ParseFloat(tag, 64)
	if err != nil {
		panic(fmt.Sprintf("catalog: bound %q is no number", tag))
	}
	return &v
}

func typeName(t reflect.Type) (name, items string) {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.String:
		return "string", ""
	case reflect.Bool:
		return "boolean", ""
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "integer", ""
	case reflect.Float64:
		return "number", ""
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 { // json.RawMessage
			return "object", ""
		}
		n, _ := typeName(t.Elem())
		return "array", n
	case reflect.Struct, reflect.Map, reflect.Interface:
		return "object", ""
	}
	panic(fmt.Sprintf("catalog: a parameter cannot be a %s", t))
}

// absent reports whether what was sent for the parameter means that it was not given: null, "", or 0
// where the least is above 0. It knows no bound of shared parameters, whose 0 the catalog reads itself.
func (p Param) absent(raw json.RawMessage) bool {
	switch string(raw) {
	case "null":
		return true
	case `""`:
		return !p.Blank
	case "0", `"0"`, "0.0":
		return (p.Type == "integer" || p.Type == "number") && p.Min != nil && *p.Min > 0
	}
	return false
}

// idle reports whether a value says nothing where a parameter has no meaning: what clients fill in
// that send every property of the schema.
func idle(raw json.RawMessage) bool {
	switch string(raw) {
	case "null", `""`, "0", "0.0", "false", "[]", "{}":
		return true
	}
	return false
}

// missing returns the problem of the first parameter that must be given and is not.
func missing(params []Param, fields map[string]json.RawMessage) error {
	for _, p := range params {
		if raw, given := fields[p.Name]; p.Required && (!given || string(raw) == "null") {
			return problem.New(problem.MissingParam, "Give it as "+p.Type+": "+p.Doc+".", "%s is required.", p.Name)
		}
	}
	return nil
}

// decode sets the fields of the params struct at p from what was given. Each name in fields must be
// one of params, and all that are required are there: the caller has seen to both.
func decode(p any, params []Param, fields map[string]json.RawMessage) error {
	v := reflect.ValueOf(p).Elem()
	for _, param := range params {
		raw, given := fields[param.Name]
		if !given || string(raw) == "null" {
			continue
		}
		for _, other := range params {
			if value, both := fields[other.Name]; both && !idle(value) && param.Alone != nil &&
				other.Name != param.Name &&
				!slices.Contains(param.Alone, other.Name) {
				return problem.New(
					problem.InvalidParam,
					"Leave out one of the two.",
					"%s would do nothing beside %s.",
					other.Name,
					param.Name,
				)
			}
		}
		fixed, err := coerce(param, raw)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(fixed, v.FieldByIndex(param.index).Addr().Interface()); err != nil {
			return wrongType(param, raw)
		}
	}
	return nil
}

// coerce turns what models send into what the parameter's type is: numbers and booleans in strings,
// one value where a list is expected, a list or object as a string of JSON.
func coerce(p Param, raw json.RawMessage) (json.RawMessage, error) {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, wrongType(p, raw)
	}
	text, isText := value.(string)
	switch p.Type {
	case "string":
		switch x := value.(type) {
		case float64:
			text = trim(x)
		case bool:
			text = strconv.FormatBool(x)
		case string:
		default:
			return nil, wrongType(p, raw)
		}
		if len(p.Enum) > 0 {
			for _, e := range p.Enum {
				if normal(e) == normal(text) {
					return json.Marshal(e)
				}
			}
			return nil, problem.New(
				problem.InvalidParam,
				"Use one of: "+strings.Join(p.Enum, ", ")+".",
				"%s cannot be %q.",
				p.Name,
				cut(text),
			)
		}
		if n := utf8.RuneCountInString(text); p.Length > 0 && n > p.Length {
			return nil, problem.New(
				problem.InvalidParam,
				"Give less.",
				"%s has %d characters; it may have %d.",
				p.Name,
				n,
				p.Length,
			)
		}
		if text != "" && p.matches != nil && !p.matches.MatchString(text) {
			return nil, wrongType(p, raw)
		}
		return json.Marshal(text)
	case "number", "integer":
		n, ok := value.(float64)
		if isText {
			parsed, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			n, ok = parsed, err == nil
		}
		if !ok || p.Type == "integer" && n != float64(int64(n)) {
			return nil, wrongType(p, raw)
		}
		if p.Min != nil && n < *p.Min || p.Max != nil && n > *p.Max {
			return nil, problem.New(problem.InvalidParam, "", "%s is %s; it must be %s.", p.Name, trim(n), span(p))
		}
		return []byte(trim(n)), nil
	case "boolean":
		if isText {
			switch strings.ToLower(strings.TrimSpace(text)) {
			case "true", "yes", "on", "1":
				return []byte("true"), nil
			case "false", "no", "off", "0":
				return []byte("false"), nil
			}
		}
		if _, ok := value.(bool); !ok {
			return nil, wrongType(p, raw)
		}
		return raw, nil
	case "array":
		items, ok := value.([]any)
		if isText && strings.HasPrefix(strings.TrimSpace(text), "[") && json.Unmarshal([]byte(text), &items) == nil {
			raw, ok = []byte(text), true
		}
		if isText && !ok && p.Items == "string" {
			for part := range strings.SplitSeq(text, ",") {
				items = append(items, strings.TrimSpace(part))
			}
			var err error
			if raw, err = json.Marshal(items); err != nil {
				return nil, err
			}
			ok = true
		}
		if !ok {
			raw, items = slices.Concat([]byte("["), raw, []byte("]")), []any{value}
		}
		if p.Length > 0 && len(items) > p.Length {
			return nil, problem.New(
				problem.InvalidParam,
				"Give less.",
				"%s has %d items; it may have %d.",
				p.Name,
				len(items),
				p.Length,
			)
		}
		if p.Of != nil {
			return members(p, raw)
		}
		return raw, nil
	default: // object
		if isText && json.Valid([]byte(text)) {
			return []byte(text), nil
		}
		return raw, nil
	}
}

// members checks each object of a list as a call's own parameters are checked, and names what is wrong by its place:
// fields[2].value.
func members(p Param, raw json.RawMessage) (json.RawMessage, error) {
	var items []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, wrongType(p, raw)
	}
	out := make([]map[string]json.RawMessage, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", p.Name, i)
		out[i] = map[string]json.RawMessage{}
		for _, name := range slices.Sorted(maps.Keys(item)) {
			k := slices.IndexFunc(p.Of, func(m Param) bool {
				return m.Name == normal(name) || slices.Contains(m.Aliases, normal(name))
			})
			if k < 0 {
				fix := "It takes: " + strings.Join(paramNames(p.Of), ", ") + "."
				return nil, problem.New(problem.InvalidParam, fix, "%s has no member %q.", at, cut(name))
			}
			member := p.Of[k]
			if member.absent(item[name]) {
				continue
			}
			named := member
			named.Name = at + "." + member.Name
			fixed, err := coerce(named, item[name])
			if err != nil {
				return nil, err
			}
			out[i][member.Name] = fixed
		}
		for _, m := range p.Of {
			if _, given := out[i][m.Name]; m.Required && !given {
				return nil, problem.New(problem.MissingParam, "Give it as "+m.Type+": "+m.Doc+".", "%s.%s is required.", at, m.Name)
			}
		}
	}
	return json.Marshal(out)
}

func trim(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func span(p Param) string {
	switch {
	case p.Min != nil && p.Max != nil:
		return trim(*p.Min) + "–" + trim(*p.Max)
	case p.Min != nil:
		return "at least " + trim(*p.Min)
	default:
		return "at most " + trim(*p.Max)
	}
}

func wrongType(p Param, raw json.RawMessage) error {
	want := p.Type
	if p.Type == "array" {
		want = "array of " + p.Items
	}
	fix := ""
	if p.Doc != "" {
		fix = p.Name + ": " + p.Doc + "."
	}
	return problem.New(problem.InvalidParam, fix, "%s must be %s, not %s.", p.Name, want, cut(string(raw)))
}
