package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// MaxDescription is the most bytes of a tool's description: clients cut longer ones at 2 KB.
const MaxDescription = 1900

// Description returns what agents read of a tool: its purpose, then a signature for each mode. A
// parameter with * is required. Parameters that stand in the schema with a description are named
// here too, so that it is clear which mode takes them.
func (b *Bound) Description() string {
	var out strings.Builder
	out.WriteString(b.Doc)
	for _, g := range b.Groups {
		out.WriteByte('\n')
		if g.Short != "" {
			out.WriteString(g.Short + " = ")
		}
		out.WriteString(g.Doc)
	}
	fmt.Fprintf(&out, "\n%s: ", b.Key)
	for i := range b.modes {
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(b.signature(i))
	}
	fmt.Fprintf(&out, "\nHelp: {%q:\"help\",\"mode\":%q}", b.Key, b.modes[0].Name)
	return out.String()
}

// signature is "click(T,analyze)": groups first, required parameters with a star.
func (b *Bound) signature(i int) string {
	params := b.params(i)
	taken := map[string]bool{}
	var words []string
	for _, g := range b.Groups {
		if g.Short == "" {
			for _, p := range params {
				// Nobody can call the mode without it.
				if slices.Contains(g.Params, p.Name) && !p.Required {
					taken[p.Name] = true
				}
			}
			continue
		}
		if slices.ContainsFunc(params, func(p Param) bool { return p.Name == g.Params[0] }) {
			words = append(words, g.Short)
			for _, n := range g.Params {
				taken[n] = true
			}
		}
	}
	for _, p := range params {
		if taken[p.Name] {
			continue
		}
		w := p.Name
		if p.Required {
			w += "*"
		}
		words = append(words, w)
	}
	if len(words) == 0 {
		return b.modes[i].Name
	}
	return b.modes[i].Name + "(" + strings.Join(words, ",") + ")"
}

// Schema returns the input schema: one flat object, one scalar type for each property, no keyword
// that a known client or model API refuses (no unions, no $ref, no default, no bounds).
func (b *Bound) Schema() json.RawMessage {
	var out strings.Builder
	names, _ := json.Marshal(append(b.names(), "help"))
	fmt.Fprintf(&out, `{"type":"object","properties":{%q:{"type":"string","enum":%s}`, b.Key, names)
	all := map[string]Param{}
	for i := range b.modes {
		for _, p := range b.params(i) {
			before, ok := all[p.Name]
			if !ok {
				all[p.Name] = p
				continue
			}
			before.Enum = either(before.Enum, p.Enum)
			all[p.Name] = before
		}
	}
	for _, p := range slices.Concat(common, waiting, reading, []Param{{Name: "mode", Type: "string"}}) {
		if _, ok := all[p.Name]; !ok {
			all[p.Name] = p
		}
	}
	shown := b.Shown
	if !slices.Contains(shown, "mode") {
		shown = append(slices.Clone(shown), "mode") // of help, which every tool has
	}
	for _, name := range shown {
		p, ok := all[name]
		if !ok {
			continue // no mode that has it is built in
		}
		fmt.Fprintf(&out, `,%q:{"type":%q`, p.Name, p.Type)
		if p.Type == "array" {
			fmt.Fprintf(&out, `,"items":{"type":%q}`, p.Items)
		}
		if len(p.Enum) > 0 {
			e, _ := json.Marshal(p.Enum)
			fmt.Fprintf(&out, `,"enum":%s`, e)
		}
		if d, ok := b.Docs[name]; ok {
			p.Doc = d
		}
		if p.Doc != "" {
			doc, _ := json.Marshal(p.Doc)
			fmt.Fprintf(&out, `,"description":%s`, doc)
		}
		out.WriteByte('}')
	}
	fmt.Fprintf(&out, `},"required":[%q]}`, b.Key)
	return json.RawMessage(out.String())
}

// either returns the words of two parameters of one name; nil, for any, where one may be any word.
func either(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	out := slices.Clone(a)
	for _, word := range b {
		if !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// Disagreements lists parameters that two modes of the tool declare with different types, and shown
// ones whose meaning they word differently without a word of the tool's in Docs: a flat schema can
// say only one.
func (b *Bound) Disagreements() []string {
	type seen struct{ mode, typ, doc string }
	first := map[string]seen{}
	var out []string
	for i, m := range b.modes {
		for _, p := range b.params(i) {
			typ := p.Type
			if p.Items != "" {
				typ += " of " + p.Items
			}
			if f, ok := first[p.Name]; !ok {
				first[p.Name] = seen{m.Name, typ, p.Doc}
			} else if f.typ != typ {
				out = append(out, fmt.Sprintf("%s: %s says %s, %s says %s", p.Name, f.mode, f.typ, m.Name, typ))
			} else if f.doc != p.Doc && b.Docs[p.Name] == "" && slices.Contains(b.Shown, p.Name) {
				out = append(out, fmt.Sprintf("%s: %s says %q, %s says %q", p.Name, f.mode, f.doc, m.Name, p.Doc))
			}
		}
	}
	return out
}
