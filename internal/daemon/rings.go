package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/tools/configure"
)

// rings are the bounds that the user set in settings.json, by the names that health shows. Its key "preset" has the name of
// a table, which the others change:
//
//	{"rings": {"preset": "page", "console": {"entries": 2000, "age": "30m"}, "network": {"bytes": "16MB"}}}
type rings struct {
	preset string
	bounds map[string]ringBounds
}

// ringBounds are the bounds of one ring. What is absent is as without them.
type ringBounds struct {
	Entries *int    `json:"entries"` // most events
	Bytes   *string `json:"bytes"`   // such as 8MB
	Age     *string `json:"age"`     // such as 30m: how long an event is kept after it came
}

// The bounds of ringBounds.
const (
	maxRingEntries = 1_000_000
	maxRingAge     = 30 * 24 * time.Hour
)

// presets are tables of bounds by name. Beside the rings, "page" is the table of connections and of commands, which are
// bounded like this in any case: 20 open and 10 closed connections of 2 MB, 15 commands that wait.
var presets = map[string]map[string]store.Cap{
	"page": {
		"console":           {Entries: 1000},
		"extension_log":     {Entries: 500},
		"websocket":         {Entries: 500, Bytes: 4 << 20},
		"network":           {Entries: 100, Bytes: 8 << 20},
		"network_waterfall": {Entries: 1000, Bytes: 500 << 10},
	},
}

// ringNames are the names of the rings that there are.
func ringNames() map[string]store.RingID {
	out := map[string]store.RingID{}
	for id := range store.DefaultLimits(0).Rings {
		out[configure.BufferName(id.String())] = id
	}
	return out
}

// UnmarshalJSON reads the rings and says which name or value is wrong.
func (r *rings) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("rings: %s", ofType(err))
	}
	names := ringNames()
	read := rings{bounds: map[string]ringBounds{}}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name == "preset" {
			if json.Unmarshal(fields[name], &read.preset) != nil || presets[read.preset] == nil {
				return fmt.Errorf(`rings: preset %.40s is none; there is "page"`, fields[name])
			}
			continue
		}
		if _, ok := names[name]; !ok {
			known := slices.Sorted(maps.Keys(names))
			if near := catalog.Nearest(name, known); near != "" {
				return fmt.Errorf("rings: there is no ring %.40q; is %q meant?", name, near)
			}
			return fmt.Errorf("rings: there is no ring %.40q; there are %s", name, strings.Join(known, ", "))
		}
		var b ringBounds
		decoder := json.NewDecoder(strings.NewReader(string(fields[name])))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&b); err != nil {
			return fmt.Errorf("rings: %s: %s", name, ofType(err))
		}
		if err := b.apply(&store.Cap{}); err != nil {
			return fmt.Errorf("rings: %s: %w", name, err)
		}
		read.bounds[name] = b
	}
	*r = read
	return nil
}

// ofType says which value is of a wrong type, without the words of this program's code. The place of the error is that of a part.
func ofType(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	if wrong.Field == "" {
		return "names with values are expected, as in {\"entries\": 500}"
	}
	return fmt.Sprintf("%s cannot be a %.60s", wrong.Field, wrong.Value)
}

// apply puts the bounds into c.
func (b ringBounds) apply(c *store.Cap) error {
	if b.Entries != nil {
		if *b.Entries < 1 || *b.Entries > maxRingEntries {
			return fmt.Errorf("entries %d are outside of 1–%d", *b.Entries, maxRingEntries)
		}
		c.Entries, c.Strict = *b.Entries, true
	}
	if b.Bytes != nil {
		n, err := parseBytes(*b.Bytes)
		if err != nil || n < store.MinBytes || n > store.MaxMemory {
			return fmt.Errorf("bytes %.40q are no size from 64KB to 4GB, such as 8MB", *b.Bytes)
		}
		c.Bytes, c.Strict = n, true
	}
	if b.Age != nil {
		d, err := time.ParseDuration(*b.Age)
		if err != nil || d < time.Second || d > maxRingAge {
			return fmt.Errorf("age %.40q is no time from 1s to 720h, such as 30m", *b.Age)
		}
		c.Age = d
	}
	return nil
}

// limits returns the limits for a budget, with the user's bounds.
func (r rings) limits(memory int64) store.Limits {
	l := store.DefaultLimits(memory)
	for name, id := range ringNames() {
		c := l.Rings[id]
		if p, ok := presets[r.preset][name]; ok {
			c.Entries, c.Bytes, c.Strict = p.Entries, p.Bytes, true
		}
		if b, ok := r.bounds[name]; ok {
			_ = b.apply(&c) // it was checked when it was read
		}
		l.Rings[id] = c
	}
	return l
}
