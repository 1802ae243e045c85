package analysis

import (
	"encoding/json"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// A document of a few lines can ask for more than any machine has: forty schemas that are each one of the next twice, or of
// the next once. The library that compares does not stop for a context, so the way is walked before, and counted.
const (
	contractSteps = 8_000_000 // of all comparisons with one document; a visit of a value costs 16, and what it goes through
	contractDepth = 100       // schemas within each other, and values
)

// budget is what is left for comparisons with one document.
type budget struct {
	steps  int
	texts  map[*openapi3.Schema]int // bytes that a visit may write into its reason, of schemas that have such
	nested []*openapi3.Schema       // that are at one value, as the library knows cycles
}

// visit takes what the comparison of a value with a schema costs at most. It reports whether there was enough.
func (b *budget) visit(ref *openapi3.SchemaRef, value any, depth int) bool {
	if ref == nil || ref.Value == nil {
		return true
	}
	s := ref.Value
	for _, above := range b.nested {
		if above == s {
			return true
		}
	}
	b.steps -= 16 + b.own(s, value)
	if b.steps < 0 || depth > contractDepth {
		return false
	}
	b.nested = append(b.nested, s)
	defer func() { b.nested = b.nested[:len(b.nested)-1] }()
	if !b.visit(s.Not, value, depth+1) {
		return false
	}
	// What fits of anyOf is visited twice.
	for _, list := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf, s.AnyOf, s.AllOf} {
		for _, part := range list {
			if !b.visit(part, value, depth+1) {
				return false
			}
		}
	}
	outer := b.nested
	b.nested = nil // another value
	defer func() { b.nested = outer }()
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			if !b.visit(s.Items, item, depth+1) {
				return false
			}
		}
	case map[string]any:
		for name, v := range value {
			part := s.Properties[name]
			if part == nil {
				part = s.AdditionalProperties.Schema
			}
			if !b.visit(part, v, depth+1) {
				return false
			}
		}
	}
	return true
}

// own is what a visit costs without what is within the schema.
func (b *budget) own(s *openapi3.Schema, value any) int {
	cost, known := b.texts[s]
	if !known {
		cost = len(s.Pattern)
		for _, name := range s.Required {
			cost += len(name) + 1
		}
		if s.Discriminator != nil {
			cost += len(s.Discriminator.PropertyName)
		}
		if len(s.Enum) > 0 {
			text, _ := json.Marshal(s.Enum) // it was read from JSON
			cost += len(text)
		}
		b.texts[s] = cost
	}
	switch value := value.(type) {
	case string:
		steps := 1
		if s.Pattern != "" {
			steps += len(s.Pattern)
			if strings.Contains(s.Pattern, "{") {
				steps *= 100 // a{1000} is a thousand
			}
		}
		cost += len(value) * steps / 256
	case []any:
		if s.UniqueItems {
			text, _ := json.Marshal(value) // as the library does with each item
			cost += len(text)
		}
	case map[string]any:
		cost += len(value)
	}
	return cost
}
