package query

import (
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// DefaultLimit is defaultLimit.
const DefaultLimit = defaultLimit

// Compile is compile with kinds as Query.Kinds has them.
func Compile(source string, kinds []event.Kind) (*expression, error) {
	return compile(source, known(kinds), time.Now())
}

// Match is match.
func (x *expression) Match(it Item) bool { return x.match(it) }

// Fields is fields.
func Fields(k event.Kind) []string { return fields(k) }
