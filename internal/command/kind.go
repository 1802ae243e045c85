package command

import "math/bits"

// Trait is a set of properties of a kind. The daemon and the extension check them before they carry out a command.
type Trait uint16

// The traits. Each kind has exactly one of the powers, which is what the extension asks before it carries out a command
// and again while it does. A page is the one that the tab shows at that moment.
const (
	Tab      Trait = 1 << iota // it needs a tab
	InPage                     // extension/dom-agent carries it out in the document, by an operation of the same name
	Private                    // its result goes to the caller of Do alone: not redacted, not kept, never shown
	Follows                    // it acts and gives the page nothing (text, key, file, script) that may be meant for another site
	Inspects                   // every document of the page answers it, see [Question]; Result is the answer of one

	Nothing // power: it learns nothing of a page and does nothing to one
	Looks   // power: it learns of the page, whose site the user has to have granted
	Acts    // power: it does something to the page, which has to be granted and one that AI Web Pilot is on for
	Leaves  // power: it takes the page away, which AI Web Pilot has to be on for, or which is of no site
	Beside  // power: it is about tabs and no page; AI Web Pilot has to be on somewhere

	Mutates = Acts | Leaves | Beside // it changes the page or the browser; refused while AI Web Pilot is off
	powers  = Nothing | Looks | Mutates
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

// Power names the one power that the kind needs.
func (d *Declaration) Power() string {
	switch d.Traits & powers {
	case Looks:
		return "looks"
	case Acts:
		return "acts"
	case Leaves:
		return "leaves"
	case Beside:
		return "beside"
	}
	return "nothing"
}

// Kind is a declared kind whose params are P and whose result is R. The zero value is not usable.
type Kind[P, R any] struct{ *Declaration }

// kinds holds every declaration, in the order of the calls of declare. Only package initialisation writes it.
var kinds []*Declaration

// declare declares a kind. Call it during package initialisation only. It panics when the name is already declared, and
// when the kind does not have one power.
func declare[P, R any](name string, traits Trait) Kind[P, R] {
	if _, taken := lookup(name); taken {
		panic("command: two kinds are called " + name)
	}
	if bits.OnesCount16(uint16(traits&powers)) != 1 {
		panic("command: " + name + " has to say which power it needs")
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
