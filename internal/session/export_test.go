package session

// The bounds that tests reach.
const (
	CallsPerMinute = callsPerMinute
	Silence        = silence
)
