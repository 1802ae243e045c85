package analysis

import "strings"

const (
	manySlugs = 8  // names in one place of a path that are values of a parameter
	slugBytes = 16 // a word as long as this is a value, too
)

// FoldSlugs returns for each path the one with "#" in the places where names are values: where more than eight names stand
// in one place of otherwise equal paths, and most of these are several words or long. Paths have ids folded already.
func FoldSlugs(paths []string) map[string]string {
	type place struct {
		path string // with the place left open
		at   int
	}
	names := map[place]map[string]bool{}
	each := func(path string, visit func(place, string)) {
		parts := strings.Split(path, "/")
		for i := 1; i < len(parts); i++ {
			if name := parts[i]; name != "" && name != "#" {
				parts[i] = "\x00"
				visit(place{strings.Join(parts, "/"), i}, name)
				parts[i] = name
			}
		}
	}
	for _, p := range paths {
		each(p, func(at place, name string) {
			if names[at] == nil {
				names[at] = map[string]bool{}
			}
			names[at][name] = true
		})
	}
	slugs := map[place]bool{}
	for at, all := range names {
		n := 0
		for name := range all {
			if len(name) >= slugBytes || strings.ContainsAny(name, "-%#") {
				n++
			}
		}
		slugs[at] = len(all) > manySlugs && n > len(all)/2
	}
	out := make(map[string]string, len(paths))
	for _, p := range paths {
		parts := strings.Split(p, "/")
		each(p, func(at place, _ string) {
			if slugs[at] {
				parts[at.at] = "#"
			}
		})
		out[p] = strings.Join(parts, "/")
	}
	return out
}
