package command

// The bounds that tests reach.
const (
	Absence    = absentAfter
	Grace      = graceFor
	Keep       = keepFor
	Lease      = leaseFor
	MaxParams  = maxParams
	MaxPending = maxPending
)

// Lookup is lookup.
var Lookup = lookup

// New is declare.
func New[P, R any](name string, traits Trait) Kind[P, R] { return declare[P, R](name, traits) }
