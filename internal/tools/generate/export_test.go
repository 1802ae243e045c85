package generate

import "github.com/brennhill/gasoline/internal/catalog"

// Versioned reports whether an address names one version of what it leads to.
var Versioned = versioned

// PlaceOf is the file of a repository and the line that a framework or a source map names.
func PlaceOf(root, source string) (file string, line int) {
	var env Env
	env.Call = catalog.Call{Root: root}
	return env.placeOf(source)
}

// Luminance is the relative luminance of a computed color.
var Luminance = luminance
