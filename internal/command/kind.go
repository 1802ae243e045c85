package command

// Trait is a set of properties of a kind. The daemon and the extension check them before they carry out a command.
type Trait uint8

// The traits.
const (
	Tab     Trait = 1 << iota // it needs a tab
	Mutates                   // it changes the page or the browser; the extension refuses it while AI Web Pilot is off
	InPage                    // extension/dom-agent carries it out in the document, by an operation of the same name
	Private                   // its result goes to the caller of Do alone: not redacted, not kept, never shown
)

// Declaration is one kind of command. The TypeScript types, validators and registries are generated
// from the list that [Kinds] returns.
type Declaration struct {
	Name   string
	Traits Trait
	Params any // zero value of the params struct; its struct tags are those that package catalog reads
	Result any // zero value of the result struct
}

// Needs reports whether the kind has at least one of the traits in t.
func (d *Declaration) Needs(t Trait) bool { return d.Traits&t != 0 }

// Kind is a declared kind whose params are P and whose result is R. The zero value is not usable.
type Kind[P, R any] struct{ *Declaration }

// kinds holds every declaration, in the order of the calls of declare. Only package initialisation writes it.
var kinds []*Declaration

// declare declares a kind. Call it during package initialisation only. It panics when the name is already declared.
func declare[P, R any](name string, traits Trait) Kind[P, R] {
	if _, taken := lookup(name); taken {
		panic("command: two kinds are called " + name)
	}
	var p P
	var r R
	d := &Declaration{Name: name, Traits: traits, Params: p, Result: r}
	kinds = append(kinds, d)
	return Kind[P, R]{d}
}

// Kinds returns every declared kind. The slice and the declarations are shared; the caller must not modify them.
func Kinds() []*Declaration { return kinds }

// lookup returns the kind of this name.
func lookup(name string) (*Declaration, bool) {
	for _, d := range kinds {
		if d.Name == name {
			return d, true
		}
	}
	return nil, false
}
