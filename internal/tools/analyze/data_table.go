package analyze

import (
	"context"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
)

var dataTableKind = command.Question[dataTableParams, tablesFound]("data_table")

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "data_table", Needs: looks, Wait: lookWait, Errors: lookErrors, Example: `{"selector":"#orders","max_rows":20}`,
	Doc:     "Tables and grids as rows, with spans resolved as the browser does, and how many rows there are beside those that are drawn.",
	Aliases: []string{"table", "tables"},
}, func(ctx context.Context, env Env, p struct {
	dataTableParams
	in
}) (any, error) {
	return inspect(ctx, env, dataTableKind, p.Tab, p.dataTableParams, tablesText, "no table and no grid")
})

type dataTableParams struct {
	command.Part
	MaxRows int `json:"max_rows,omitempty" min:"1" max:"1000" doc:"most rows of a table; default 25"`
	MaxCols int `json:"max_cols,omitempty" min:"1" max:"100" doc:"most columns; default 30"`
}

// tablesFound is what tables a document has.
type tablesFound struct {
	Tables []foundTable `json:"tables"` // at most 20
	Count  int          `json:"count"`  // also those that are not listed
}

// foundTable is a table, or a grid of ARIA's.
type foundTable struct {
	Ref        string     `json:"ref"`
	Role       string     `json:"role"` // table, grid, treegrid
	Caption    string     `json:"caption,omitempty"`
	Headers    []string   `json:"headers"`
	Rows       [][]string `json:"rows"`                // of columns as headers has them
	RowRefs    []string   `json:"row_refs"`            // one for each of rows
	RowCount   int        `json:"row_count"`           // rows of data in the document
	Listed     []int      `json:"columns,omitempty"`   // numbers of the columns that are told, from 1, where others are not drawn
	Columns    int        `json:"column_count"`        // also those that are not told
	RowTotal   int        `json:"row_total,omitempty"` // what the table, or a pager beside it, says that it has; -1: it says that it does not know
	ColTotal   int        `json:"column_total,omitempty"`
	Pager      string     `json:"pager,omitempty"`       // words of a pager beside the table
	FirstRow   int        `json:"first_row,omitempty"`   // number that the table gives the first row, from 1, where it draws a part
	HiddenRows int        `json:"hidden_rows,omitempty"` // rows in the document that the page hides; they are in no other count
	Hidden     bool       `json:"hidden,omitempty"`
	Unspanned  bool       `json:"cut_spans,omitempty"` // a span was longer than the table may be
}

func tablesText(f tablesFound) []string {
	if f.Count == 0 {
		return nil
	}
	var out []string
	for _, t := range f.Tables {
		line := fmt.Sprintf("## %s %s", answer.Clean(t.Role), t.Ref)
		if t.Caption != "" {
			line += fmt.Sprintf(" %q", answer.Cut(answer.Clean(t.Caption), 80))
		}
		line += ": " + plural(t.RowCount, "row")
		switch {
		case t.RowTotal < 0:
			line += " drawn, how many there are is not known"
		case t.RowTotal > t.RowCount:
			line += fmt.Sprintf(" drawn of %d", t.RowTotal)
		}
		if t.FirstRow > 1 {
			line += fmt.Sprintf(", from row %d", t.FirstRow)
		}
		line += ", " + plural(t.Columns, "column")
		if t.ColTotal > t.Columns {
			line += fmt.Sprintf(" drawn of %d", t.ColTotal)
		}
		if t.Pager != "" {
			line += fmt.Sprintf("; beside it %q", answer.Cut(answer.Clean(t.Pager), 80))
			if t.RowTotal == 0 {
				line += ": how many rows there are is not known"
			}
		}
		if t.HiddenRows > 0 {
			line += fmt.Sprintf(", %d more hidden by the page", t.HiddenRows)
		}
		if n := t.RowCount - len(t.Rows); n > 0 {
			line += fmt.Sprintf("; %d not listed: max_rows", n)
		}
		if n := t.Columns - len(t.Headers); len(t.Listed) > 0 {
			line += ", of which these are drawn: " + numbers(t.Listed)
		} else if n > 0 && len(t.Headers) > 0 {
			line += fmt.Sprintf("; %d columns not listed: max_cols", n)
		}
		out = append(out, line+flags(flag{t.Hidden, "not visible"}, flag{t.Unspanned, "a span was cut"}))
		if len(t.Headers) > 0 {
			out = append(out, "| "+cells(t.Headers))
		}
		for i, r := range t.Rows {
			ref := ""
			if i < len(t.RowRefs) {
				ref = t.RowRefs[i] + " "
			}
			out = append(out, ref+"| "+cells(r))
		}
	}
	return append(out, unlisted(f.Count-len(f.Tables), "further table")...)
}

// numbers are numbers from the lowest: 1-6 34.
func numbers(all []int) string {
	var out []string
	for i := 0; i < len(all); {
		j := i
		for j+1 < len(all) && all[j+1] == all[j]+1 {
			j++
		}
		if word := fmt.Sprint(all[i]); j > i {
			out = append(out, fmt.Sprintf("%s-%d", word, all[j]))
		} else {
			out = append(out, word)
		}
		i = j + 1
	}
	return strings.Join(out, " ")
}

// cells are the cells of a row, in which a bar is no border.
func cells(row []string) string {
	out := make([]string, len(row))
	for i, c := range row {
		out[i] = strings.ReplaceAll(answer.Cut(answer.Clean(c), 80), "|", "¦")
	}
	return strings.Join(out, " | ")
}
