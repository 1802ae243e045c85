package interact

import (
	"strings"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/memory"
)

// known writes the names of the project's memory beside the elements of a list that have the role and name that was learnt
// for this page, where only one has. A memory that cannot be read gives none: who uses a name hears of it.
func (r *result[R]) known(env Env) {
	list, ok := any(&r.Result).(*command.ListResult)
	if !ok || len(list.Elements) == 0 {
		return
	}
	m, err := env.Drive.Memory(env.Call)
	if err != nil {
		return
	}
	all, err := m.All()
	if err != nil {
		return
	}
	for name, e := range all {
		if e.Fit(list.URL) != memory.SamePage || e.Name == "" {
			continue
		}
		var only *command.Element
		count := 0
		for i := range list.Elements {
			x := &list.Elements[i]
			role := x.Role
			if role == "" {
				role = x.Tag
			}
			if role == e.Role && strings.Join(strings.Fields(x.Label), " ") == e.Name && (x.Frame == "") == (e.Frame == "") {
				only, count = x, count+1
			}
		}
		// Of two names of one element the first by the alphabet is told.
		if count == 1 && (only.Named == "" || name < only.Named) {
			only.Named = name
		}
	}
}
