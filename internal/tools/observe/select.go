package observe

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/problem"
)

// step is one part of a body_path: a key of an object or an index of an array.
type step struct {
	key   string
	index int // -1: key
}

const maxSteps = 32

// parsePath reads a path such as a.b[0]['c d']. A leading "$" is allowed, since models know it from
// JSONPath.
func parsePath(path string) ([]step, error) {
	bad := func(at int) error {
		return problem.New(
			problem.InvalidParam,
			`Write it as "items[0].name" or "a['odd key'].b".`,
			"body_path %q is not understood at character %d.",
			answer.Cut(answer.Clean(path), 100),
			at+1,
		)
	}
	var steps []step
	i := 0
	if strings.HasPrefix(path, "$") {
		i = 1
	}
	for start := i; i < len(path); {
		if len(steps) == maxSteps {
			return nil, bad(i)
		}
		if path[i] == '[' {
			end, s, ok := bracket(path, i)
			if !ok {
				return nil, bad(i)
			}
			steps, i = append(steps, s), end
			continue
		}
		if path[i] == '.' {
			i++
		} else if i > start {
			return nil, bad(i)
		}
		end := i
		for end < len(path) && path[end] != '.' && path[end] != '[' {
			end++
		}
		if end == i {
			return nil, bad(i)
		}
		steps, i = append(steps, step{path[i:end], -1}), end
	}
	if len(steps) == 0 {
		return nil, bad(0)
	}
	return steps, nil
}

// bracket reads [0], ['key'] or ["key"] at i and returns what comes after.
func bracket(path string, i int) (end int, s step, ok bool) {
	i++
	if i < len(path) && (path[i] == '\'' || path[i] == '"') {
		n := strings.IndexByte(path[i+1:], path[i])
		if n < 0 || !strings.HasPrefix(path[i+n+2:], "]") {
			return 0, s, false
		}
		return i + n + 3, step{path[i+1 : i+1+n], -1}, true
	}
	n := strings.IndexByte(path[i:], ']')
	if n < 0 {
		return 0, s, false
	}
	index, err := strconv.ParseUint(path[i:i+n], 10, 31)
	if err != nil {
		return 0, s, false
	}
	return i + n + 1, step{"", int(index)}, true
}

// selectJSON returns the value at the path. The body may be cut: what stands before the cut is found.
func selectJSON(body string, steps []step) (json.RawMessage, bool) {
	dec := json.NewDecoder(strings.NewReader(body))
	for _, s := range steps {
		if !enter(dec, s) {
			return nil, false
		}
	}
	var value json.RawMessage
	if dec.Decode(&value) != nil {
		return nil, false
	}
	return value, true
}

// enter moves the decoder to the value of one step.
func enter(dec *json.Decoder, s step) bool {
	open, err := dec.Token()
	want := json.Delim('{')
	if s.index >= 0 {
		want = '['
	}
	if err != nil || open != want {
		return false
	}
	var skipped json.RawMessage
	for i := 0; dec.More(); i++ {
		if s.index >= 0 {
			if i == s.index {
				return true
			}
		} else if key, err := dec.Token(); err != nil {
			return false
		} else if key == s.key {
			return true
		}
		if dec.Decode(&skipped) != nil {
			return false
		}
	}
	return false
}
