package observe

import (
	"context"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
)

// shownRow is how many characters of a row's value are shown.
const shownRow = 1000

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "indexeddb", Doc: "The first rows of one object store of an IndexedDB database, in the order of their keys.",
	Aliases: []string{"idb", "indexed_db"}, Needs: catalog.Extension, Wait: 10 * time.Second,
	Example: `{"database":"shop","store":"orders","limit":5}`,
	Errors: []problem.Code{
		"no_database", problem.ExtensionOffline, problem.NoTab, problem.TabGone, problem.OriginNotAllowed, "frame_not_found", problem.Timeout,
	},
}, indexeddb)

type indexeddbParams struct {
	command.DatabaseParams
	Tab int `json:"tab,omitempty" doc:"another tab's id"`
}

// indexeddbResult is what indexeddb answers.
type indexeddbResult struct {
	live
	command.DatabaseResult
}

func indexeddb(ctx context.Context, env Env, p indexeddbParams) (*indexeddbResult, error) {
	o, err := drive.Do(ctx, env.Drive, env.Call, command.LookDatabase, p.Tab, p.DatabaseParams)
	if err != nil {
		return nil, err
	}
	return &indexeddbResult{liveOf(o), o.Result}, nil
}

// Text writes the rows for a reader.
func (r *indexeddbResult) Text(w *answer.Writer) {
	if r.going(w, "indexeddb") {
		return
	}
	w.Head("indexeddb: %d of %d rows, tab %d", len(r.Entries), r.Count, r.Tab)
	name := func(text string) string { return answer.Cut(answer.Clean(text), 100) }
	about := fmt.Sprintf("%s / %s, version %.0f", name(r.Database), name(r.Store), r.Version)
	if r.KeyPath != "" {
		about += ", key " + name(r.KeyPath)
	}
	if len(r.Indexes) > 0 {
		about += more(", indexes: ", r.Indexes, len(r.Indexes))
	}
	lines := []string{about + more("; object stores: ", r.Stores, len(r.Stores))}
	for _, e := range r.Entries {
		lines = append(lines, answer.Cut(answer.Clean(e.Key), 200)+": "+answer.Cut(answer.Clean(e.Value), shownRow))
	}
	w.Page(answer.Origin(r.URL))
	writeFitted(w, lines)
	if len(r.Entries) < r.Count && len(r.Entries) == r.Limit {
		w.Note("a larger limit shows more rows")
	}
}

// Len returns how many rows can be left out.
func (r *indexeddbResult) Len() int { return len(r.Entries) }

// Keep keeps the first n rows.
func (r *indexeddbResult) Keep(n int) { r.Entries = r.Entries[:min(n, len(r.Entries))] }
