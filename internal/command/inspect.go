package command

// Part says which part of a page a question is about: an element, all that fit a selector, or every document whole.
type Part struct {
	Ref      string `json:"ref,omitempty" pattern:"^e\\d{1,12}$" doc:"element from a list (e17)"`
	Selector string `json:"selector,omitempty" length:"2000" doc:"CSS, or text= role= label= placeholder= testid="`
	Named    string `json:"named,omitempty" length:"200" doc:"element by its name in the project's gasoline_memory.json"`
	Frame    string `json:"frame,omitempty" length:"2000" doc:"only this frame: CSS of its iframe, number, main"`
}

// Selectors returns the two fields that hold selectors; "" when one is not set or the kind lacks it.
func (p Part) Selectors() (selector, within string) { return p.Selector, "" }

// NamesElement reports whether the question is about elements, and not about documents.
func (p Part) NamesElement() bool { return p.Ref != "" || p.Selector != "" || p.Named != "" }

// Aims returns where the params name an element.
func (p *Part) Aims() []Aim {
	return []Aim{{Ref: &p.Ref, Selector: &p.Selector, Named: &p.Named, Frame: &p.Frame}}
}

// Inspected is what the documents of a page answered to a question, the main one first.
type Inspected[R any] struct {
	URL       string          `json:"url"`
	Title     string          `json:"title"`
	Documents []Inspection[R] `json:"documents"`
	Coverage  *Coverage       `json:"coverage,omitempty"`
}

// Inspection is what one document answered.
type Inspection[R any] struct {
	Frame  *Frame `json:"frame,omitempty"` // nil: the page's own document
	Answer R      `json:"answer"`
}

// Question declares a kind that asks each document of a page for what it is: R is the answer of one document, and the
// params have the members of [Part]. The package of the mode declares it, beside the mode. The page's part is
// extension/dom-agent/inspect/<name>.ts. It panics as the declarations of this package do.
func Question[P, R any](name string) Kind[P, Inspected[R]] {
	var answer R
	kind := declare[P, Inspected[R]](name, Tab|Looks|InPage|Inspects)
	kind.Result = answer
	return kind
}
