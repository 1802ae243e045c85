package catalog

import (
	"fmt"
	"strings"
)

// Help explains one mode in about 70 tokens, or the tool when mode is "".
func (b *Bound) Help(mode string) (string, error) {
	if mode == "" {
		return b.helpTool(), nil
	}
	m, ok := b.Lookup(mode)
	if !ok {
		return "", b.unknownMode(mode)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s: %s", b.Name, m.Name, m.Doc)
	if m.Needs != Nothing {
		fmt.Fprintf(&out, " Needs: %s.", m.Needs)
	}
	for _, required := range []bool{true, false} {
		var words []string
		for _, p := range m.Params {
			if p.Required != required {
				continue
			}
			words = append(words, describe(p))
		}
		switch {
		case len(words) == 0:
		case required:
			out.WriteString("\nrequired: " + strings.Join(words, "; "))
		default:
			out.WriteString("\noptional: " + strings.Join(words, "; "))
		}
	}
	if m.Example != "" {
		inner := strings.TrimPrefix(m.Example, "{")
		if inner != "}" {
			inner = "," + inner
		}
		fmt.Fprintf(&out, "\nexample: {%q:%q%s", b.Key, m.Name, inner)
	}
	if len(m.Errors) > 0 {
		words := make([]string, len(m.Errors))
		for i, c := range m.Errors {
			words[i] = string(c)
		}
		out.WriteString("\nerrors: " + strings.Join(words, ", "))
	}
	return out.String(), nil
}

func describe(p Param) string {
	typ := p.Type
	if len(p.Enum) > 0 {
		typ = strings.Join(p.Enum, "|")
	}
	if p.Doc == "" {
		return fmt.Sprintf("%s (%s)", p.Name, typ)
	}
	return fmt.Sprintf("%s (%s): %s", p.Name, typ, p.Doc)
}

func (b *Bound) helpTool() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s\n", b.Name, strings.TrimSpace(b.Doc))
	for i, m := range b.modes {
		first, _, _ := strings.Cut(m.Doc, ". ")
		fmt.Fprintf(&out, "%s: %s\n", b.signature(i), strings.TrimSuffix(first, "."))
	}
	fmt.Fprintf(&out, "Every mode also takes as (text|json) and budget (characters). {%q:\"help\",\"mode\":\"…\"} explains one.", b.Key)
	return out.String()
}

// nearest returns the word that differs least from name, or "" when none is near.
func nearest(name string, words []string) string {
	best, bestDistance := "", len(name)/3+2
	for _, w := range words {
		n := normal(w)
		if len(name) >= 3 && (strings.HasPrefix(n, name) || strings.HasPrefix(name, n)) {
			if d := 1; d < bestDistance {
				best, bestDistance = w, d
			}
			continue
		}
		if d := distance(name, n); d < bestDistance {
			best, bestDistance = w, d
		}
	}
	return best
}

// distance is the number of insertions, deletions and substitutions between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}
