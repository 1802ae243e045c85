package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// states measures what it takes to bring a checkpoint back in Chromium, beside what no way of doing it can leave out: the
// page is loaded, so is a document in which nothing of the page runs, and the rows are written.
func (b *bench) states() error {
	cmd := exec.Command("node", filepath.Join("extension", "bench", "state.mjs"), "--json")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("node extension/bench/state.mjs: %w\n%s", err, out)
	}
	var ms struct{ None, Rows, Write, Loads float64 } // medians, milliseconds
	if err := json.Unmarshal(out, &ms); err != nil {
		return fmt.Errorf("read what extension/bench/state.mjs prints: %w\n%s", err, out)
	}
	b.table.add(row{
		what: "load_state without rows in databases, median", value: ms.None, unit: "ms", budget: "≤ 1 s", met: ms.None <= 1000,
		peer: "two bare reloads of the page, ms", base: ms.Loads, most: 6,
	})
	b.table.add(row{
		what: "load_state of 1,000 rows in IndexedDB, median", value: ms.Rows, unit: "ms", budget: "≤ 1 s", met: ms.Rows <= 1000,
		peer: "two bare reloads and the page's own writing, ms", base: ms.Loads + ms.Write, most: 4,
	})
	return nil
}
