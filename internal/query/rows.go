package query

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

// Query asks for rows: some fields of the events that pass, or their count by group.
type Query struct {
	Kinds  []event.Kind // none: all
	Where  string       // see grammar; "": everything
	Select []string     // columns; none: handle, kind, time, summary. Not together with Group
	Group  []string     // count the events that agree in these fields
	Filter Filter
	Page   Page // Limit counts rows
}

// Rows is the answer of a query. Cells are string, float64, bool or nil (the kind has no such field).
type Rows struct {
	Columns []string // of groups: their fields and "events"
	Rows    [][]any  // events as in a timeline; groups with the most events first

	Cursor        Cursor // a timeline's
	Older         Cursor // "" for groups
	Missed        uint64
	MissedIsUpper bool
	More          bool // there are rows after these; for groups: smaller ones were left out
	Restarted     bool
}

const (
	maxColumns = 32
	maxGroups  = 10_000 // groups that are told apart; the rest sets More
)

// Run answers q. Errors: invalid_param for what cannot be read, with its place, or ctx's.
func (q Query) Run(ctx context.Context, r Reader) (Rows, Coverage, error) {
	kinds := known(q.Kinds)
	x, err := compile(q.Where, kinds, time.Now())
	if err != nil {
		return Rows{}, Coverage{}, err
	}
	names, group := q.Select, len(q.Group) > 0
	switch {
	case group && len(q.Select) > 0:
		return Rows{}, Coverage{}, problem.New(
			problem.InvalidParam,
			"Drop one of them; the answer of a group has its fields and the count.",
			"select and group do not go together.",
		)
	case group:
		names = q.Group
	case len(names) == 0:
		names = []string{"handle", "kind", "time", "summary"}
	}
	if len(names) > maxColumns {
		return Rows{}, Coverage{}, problem.New(
			problem.InvalidParam,
			"Ask for fewer.",
			"%d columns are more than %d.",
			len(names),
			maxColumns,
		)
	}
	m := pager{reader: r, kinds: kinds, filter: x.narrow(q.Filter), bodies: x.bodies, keep: x.match}
	if x.root == nil {
		m.keep = nil
	}
	columns := make([]column, len(names))
	for i, n := range names {
		c, ok := resolve(strings.ToLower(n), kinds)
		if !ok {
			return Rows{}, Coverage{}, unknownField(problem.New(problem.InvalidParam, "", "no field %.40q.", n), kinds)
		}
		columns[i] = c
		m.bodies = m.bodies || isBody(c.name)
	}
	rows := Rows{}
	for _, c := range columns {
		rows.Columns = append(rows.Columns, c.name)
	}
	page := q.Page
	if group {
		rows.Columns = append(rows.Columns, "events")
		page.Limit = MaxLimit
	}
	list, cover, err := timeline(ctx, m, page)
	if err != nil {
		return Rows{}, Coverage{}, err
	}
	rows.Cursor, rows.Missed, rows.MissedIsUpper, rows.Restarted = list.Cursor, list.Missed, list.MissedIsUpper,
		list.Restarted
	if group {
		rows.Rows, rows.More = tally(list.Items, columns, q.Page.limit())
		rows.More = rows.More || list.More || list.Older != ""
		return rows, cover, nil
	}
	rows.Older, rows.More = list.Older, list.More
	for _, it := range list.Items {
		row := make([]any, len(columns))
		for i := range columns {
			row[i] = columns[i].value(it).output()
		}
		rows.Rows = append(rows.Rows, row)
	}
	return rows, cover, nil
}

// tally counts the items by their columns, most first, and reports whether it left groups out.
func tally(items []Item, columns []column, limit int) (rows [][]any, more bool) {
	type group struct {
		cells []any
		key   string
		n     int
	}
	groups := map[string]*group{}
	var key strings.Builder
	for _, it := range items {
		key.Reset()
		cells := make([]any, len(columns))
		for i := range columns {
			v := columns[i].value(it)
			cells[i] = v.output()
			key.WriteByte(byte('0' + v.shape))
			key.WriteString(v.key())
			key.WriteByte(0)
		}
		g := groups[key.String()]
		if g == nil {
			if len(groups) == maxGroups {
				more = true
				continue
			}
			g = &group{cells: cells, key: key.String()}
			groups[g.key] = g
		}
		g.n++
	}
	all := make([]*group, 0, len(groups))
	for _, g := range groups {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b *group) int { return cmp.Or(b.n-a.n, strings.Compare(a.key, b.key)) })
	if len(all) > limit {
		all, more = all[:limit], true
	}
	for _, g := range all {
		rows = append(rows, append(g.cells, float64(g.n)))
	}
	return rows, more
}
