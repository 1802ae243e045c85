// Package catalog is how a tool and its modes are declared. A mode is one typed handler and one
// [Spec]; schema, dispatch, strict decoding, help, the CLI and the reference pages are derived from
// that declaration, so that a mode cannot exist in one of them and be missing in another.
//
// A tool package declares its own value with [New] and its modes with [Add]; importing the package
// gives the complete tool. [Bind] ties it to what its modes may reach and drops the type: mcp,
// httpapi and the CLI hold []*[Bound] and know no domain.
package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

// Needs says what must be there before a mode is called. It is checked in one place, the gate.
type Needs uint8

// What a mode may need. Nothing: it answers from memory.
const (
	Nothing   Needs = 0
	Extension Needs = 1 << (iota - 1) // a browser's extension is connected
	Pilot                             // AI Web Pilot is on
	Tab                               // a tab in use by this client
)

// String returns the words of the needs, comma-separated.
func (n Needs) String() string {
	var out []string
	if n&Extension != 0 {
		out = append(out, "extension")
	}
	if n&Pilot != 0 {
		out = append(out, "pilot")
	}
	if n&Tab != 0 {
		out = append(out, "tab")
	}
	return strings.Join(out, ", ")
}

// Spec declares a mode beside its handler.
type Spec struct {
	Name    string
	Doc     string   // what it gives, one or two sentences
	Aliases []string // other words that mean this mode
	Needs   Needs
	Wait    time.Duration // deadline when the caller names none; 0 means the mode does not wait
	MaxWait time.Duration // most that timeout_ms may ask for; 0 means 2 minutes
	Reads   bool          // it reads what pages and services send: what they have not told yet is waited for; see [Fresh]
	Limit   int           // entries when the caller names no limit; 0: the mode takes none. Calls have it as Call.Limit
	Example string        // a JSON object of arguments without the dispatch key, "" when there is none to show
	Errors  []problem.Code

	// Instead says what to use in place of parameters that callers often give and the mode does not have.
	Instead map[string]string
}

// Info describes a tool.
type Info struct {
	Name  string
	Title string
	Doc   string // purpose, first lines of the description that agents read
	Key   string // dispatch property: what, format or action
	Hints
	Always bool     // clients that load tools on demand have this one from the start
	First  []string // modes that lists begin with, most used first; the others follow as declared
	Shown  []string // parameters that stand in the schema, most used first; signatures name the others, too
	Groups []Group  // parameters that signatures abbreviate

	// Docs say in the schema what a shown parameter means whose modes word it differently, by name.
	Docs map[string]string
}

// Hints say what a call may do, in the words of MCP's tool annotations. Clients decide by them whether
// they ask the user, so each is true for every mode of the tool.
type Hints struct {
	ReadOnly    bool // changes nothing
	Destructive bool // may overwrite or remove something
	Idempotent  bool // a second equal call changes nothing more
	Open        bool // reads from or acts on the world outside this machine's daemon: pages are that
}

// Group abbreviates parameters in signatures: "T" for the ways to name an element. Without a Short they are left out of
// the signatures, each for itself, and Doc names them once for the tool.
type Group struct {
	Short  string
	Doc    string
	Params []string
}

// Whose says whose events a call reads.
type Whose struct {
	Services bool   // those of services, too: the mode has a parameter for one
	Service  string // only this one's, so none of a page's; "" no such choice
	All      bool   // those of every tab
	Tab      int    // 0: the one in use
	Session  string // how the name of the browser's begins; "" any
}

// Fresh has what pages and services have told in the store, before a mode that reads it. It returns what may be missing
// still, in words for the answer; "" when nothing is to be said. That somebody does not answer is no error.
type Fresh func(ctx context.Context, call Call, whose Whose) string

// Call says who calls.
type Call struct {
	Client string // the caller's session; its cursors, limits and leases hang on it
	// Sessionless says that Client may stand for several callers, so that nothing is remembered for it.
	Sessionless bool
	Name        string   // the caller's program
	Folders     []string // that the caller says it works in, the likeliest first; [calls.Runner] takes Root from them
	Root        string   // the caller's project, without links; "" when it is not known
	Unknown     string   // why it is not, part of a sentence; "" when nothing is to be said
	Tool        string   // set by Bound
	Mode        string   // set by Bound
	Detached    bool     // background: true, answer at once with a correlation id
	JSON        bool     // as: "json". Set by Bound
	Limit       int      // entries when the caller names no limit, Spec.Limit. Set by Bound
	Budget      int      // characters of the answer that the caller asked for; 0: it named none. Set by Bound
	Unheard     string   // what of the pages' events may be missing, a sentence; "" nothing that is known. Set by Bound

	// Hidden counts the events that the call reads over, because rules of its project hide them. nil: nothing is hidden from
	// it. Set by Bound for modes that read, unless the caller said noise:true.
	Hidden *Hidden

	// Deadline is the one deadline of the call, from timeout_ms or Spec.Wait, counted from when the call
	// came; whatever the call does on the way is within it. Zero: the mode does not wait. Set by Bound, unless the caller has an earlier one.
	Deadline time.Time

	// Sites are the origins of the pages that the calls of a series go on in, by session and tab: a page that leads elsewhere
	// between two of them is not given what is meant for the one before. nil for a call alone.
	Sites map[string]string

	// Progress tells the caller how far a waiting call is. nil when nobody listens.
	Progress func(message string)
}

// StartInProject is what to do when the caller's project is not known.
const StartInProject = "Start gasoline in the project's folder, or send its path in the header X-Gasoline-Project."

// NoProject says that the caller's project is not known, and why.
func (c Call) NoProject() string {
	if c.Unknown == "" {
		return "the caller's project is not known"
	}
	return "the caller's project is not known (" + c.Unknown + ")"
}

// Left returns how long the call may still take, at least 0; 0 when the mode does not wait.
func (c Call) Left() time.Duration {
	if c.Deadline.IsZero() {
		return 0
	}
	return max(0, time.Until(c.Deadline))
}

// Handler answers one mode.
type Handler[E, P, R any] func(ctx context.Context, env E, p P) (R, error)

// Tool is a family of modes over one environment.
type Tool[E any] struct {
	Info
	modes []*mode[E]
	once  sync.Once
	names map[string]*mode[E] // normalised names and aliases
}

type mode[E any] struct {
	Spec
	params func() []Param // reflects on first use
	check  func(fields map[string]json.RawMessage) error
	call   func(ctx context.Context, env E, fields map[string]json.RawMessage) (any, error)
}

// New returns a tool without modes.
func New[E any](info Info) *Tool[E] { return &Tool[E]{Info: info} }

// Add declares a mode. It panics when the name is taken: that is a mistake in the source, found by
// any test that imports the package. The returned value only serves "var _ =".
func Add[E, P, R any](t *Tool[E], s Spec, h Handler[E, P, R]) struct{} {
	for _, m := range t.modes {
		if m.Name == s.Name {
			panic(fmt.Sprintf("catalog: %s has two modes %q", t.Name, s.Name))
		}
	}
	table := sync.OnceValue(func() []Param {
		var p P
		return ParamsOf(p)
	})
	t.modes = append(t.modes, &mode[E]{
		Spec:   s,
		params: table,
		check: func(fields map[string]json.RawMessage) error {
			var p P
			return decode(&p, table(), fields)
		},
		call: func(ctx context.Context, env E, fields map[string]json.RawMessage) (any, error) {
			var p P
			if err := decode(&p, table(), fields); err != nil {
				return nil, err
			}
			return h(ctx, env, p)
		},
	})
	return struct{}{}
}

func (t *Tool[E]) find(name string) *mode[E] {
	t.once.Do(func() {
		t.names = map[string]*mode[E]{}
		for _, m := range t.modes {
			t.names[normal(m.Name)] = m
		}
		for _, m := range t.modes {
			for _, a := range m.Aliases {
				if other, taken := t.names[normal(a)]; taken && other != m {
					panic(fmt.Sprintf("catalog: %s: alias %q of %s is taken by %s", t.Name, a, m.Name, other.Name))
				}
				t.names[normal(a)] = m
			}
		}
	})
	return t.names[normal(name)]
}

// normal folds case and the separators that models mix up. Most names are normal already.
func normal(name string) string {
	if !strings.ContainsFunc(
		name,
		func(r rune) bool { return r == '-' || r == ' ' || r == '\t' || r >= 'A' && r <= 'Z' || r > 0x7e },
	) {
		return name
	}
	return separators.Replace(strings.ToLower(strings.TrimSpace(name)))
}

var separators = strings.NewReplacer("-", "_", " ", "_")
