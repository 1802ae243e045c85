package flow

// For tests.
var (
	Build      = build
	Collect    = collect
	Template   = template
	Compare    = compare
	MatchCalls = matchCalls
	PartsOf    = partsOf
)

// Call is one end of a request.
type Call = call
