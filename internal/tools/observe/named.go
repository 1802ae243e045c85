package observe

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/memory"
)

// maxNamed is how many names of the project's memory a snapshot tells. Each has at most 64 bytes.
const maxNamed = 20

// snapshotLine is a line of a snapshot or of changes: indentation, mark, role, name in JSON, ref.
var snapshotLine = regexp.MustCompile(`^( *)[-+~] '?(?:\d+ × )?([a-z]+)(?: ("(?:[^"\\]|\\.)*"))?(?:.*?\[ref=(e\d+)\])?`)

// namedIn returns the parts of a snapshot that can be acted on and have a name. frame: all of it is in an iframe.
func namedIn(snapshot string, frame bool) []command.Element {
	var out []command.Element
	inner := -1 // indentation of the iframe whose parts the lines are
	for line := range strings.SplitSeq(snapshot, "\n") {
		m := snapshotLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		indent := len(m[1])
		if indent <= inner {
			inner = -1
		}
		if m[2] == "iframe" && inner < 0 {
			inner = indent
		}
		if m[3] == "" || m[4] == "" {
			continue
		}
		quoted := m[3]
		if strings.HasPrefix(line[indent+2:], "'") {
			quoted = strings.ReplaceAll(quoted, "''", "'")
		}
		x := command.Element{Ref: m[4], Role: m[2]}
		if json.Unmarshal([]byte(quoted), &x.Label) != nil {
			continue
		}
		if frame || inner >= 0 {
			x.Frame = "iframe"
		}
		out = append(out, x)
	}
	return out
}

// tell says which parts of the snapshot the project's memory knows by a name.
func (r *inventoryResult) tell(env Env, frame bool, url string) {
	elements := namedIn(r.Snapshot, frame)
	env.Drive.Tell(env.Call, url, elements)
	env.Drive.Tell(env.Call, url, r.Elements)
	for _, x := range elements {
		if x.Named != "" && len(r.Named) < maxNamed {
			r.Named = append(r.Named, namedPart{Ref: x.Ref, Name: x.Named})
		}
	}
}

// namedPart is a part of a snapshot that the project's memory knows by a name.
type namedPart struct {
	Ref  string `json:"ref"`
	Name string `json:"name"`
}

// namedLine is the line of what has a name in the project's memory; "" when nothing has.
func namedLine(parts []namedPart) string {
	if len(parts) == 0 {
		return ""
	}
	words := make([]string, len(parts))
	for i, p := range parts {
		words[i] = fmt.Sprintf("%s %s", p.Ref, p.Name)
	}
	return fmt.Sprintf("named in %s: %s", memory.File, strings.Join(words, ", "))
}
