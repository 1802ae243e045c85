package store

// The words of a connection's state, and the note of bodies that were not kept.
const (
	Open     = stateOpen
	Closed   = stateClosed
	TooLarge = bodyTooLarge
)

// Ring is ringOf.
var Ring = ringOf
