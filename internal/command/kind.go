package command

// Trait is what the daemon and the extension must know of a kind before they carry it out.
type Trait uint8

// The traits.
const (
	Tab     Trait = 1 << iota // it works in a tab
	Mutates                   // it acts: the extension refuses it while AI Web Pilot is off
	InPage                    // the document does it: extension/dom-agent has an operation of its name
)

// Declaration is one kind of command. The TypeScript types, validators and registries are generated
// from the list that [Kinds] returns.
type Declaration struct {
	Name   string
	Traits Trait
	Params any // zero value of the params struct; its tags are those of package catalog
	Result any // zero value of the result struct
}

// Needs reports whether the kind has a trait.
func (d *Declaration) Needs(t Trait) bool { return d.Traits&t != 0 }

// Kind is a declared kind whose params are P and whose result is R. The zero value is not usable.
type Kind[P, R any] struct{ *Declaration }

// kinds are all declarations, in the order of their declaration.
var kinds []*Declaration

// New declares a kind. It panics when the name is taken: that is a mistake in the source.
func New[P, R any](name string, traits Trait) Kind[P, R] {
	if _, taken := Lookup(name); taken {
		panic("command: two kinds are called " + name)
	}
	var p P
	var r R
	d := &Declaration{Name: name, Traits: traits, Params: p, Result: r}
	kinds = append(kinds, d)
	return Kind[P, R]{d}
}

// Kinds returns every declared kind. The declarations are shared; do not modify them.
func Kinds() []*Declaration { return kinds }

// Lookup returns the kind of this name.
func Lookup(name string) (*Declaration, bool) {
	for _, d := range kinds {
		if d.Name == name {
			return d, true
		}
	}
	return nil, false
}
