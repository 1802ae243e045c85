package catalog

import "encoding/json"

// Given returns the parameters that a call of this mode is understood to give, by their proper names.
func (b *Bound) Given(mode string, args json.RawMessage) (map[string]json.RawMessage, error) {
	fields, err := b.fields(args)
	if err != nil {
		return nil, err
	}
	delete(fields, b.Key)
	i, _ := b.find(mode)
	return b.resolve(b.modes[i], b.params(i), fields)
}
