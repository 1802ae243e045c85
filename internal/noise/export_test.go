package noise

import "github.com/brennhill/gasoline/internal/event"

// For tests of the package.
const (
	Network   = network
	WebSocket = websocket
)

var (
	Parse = parse
	Own   = ownFailure
)

// Builtins are the rules that are proposed.
func Builtins() []Rule { return builtins }

// Hides reports whether the rule hides an event.
func (r *Rule) Hides(e event.Event) bool { return r.hides(e) }

// Known returns how many projects' rules are remembered.
func (s *Store) Known() int { return len(s.known) }
