package daemon

import (
	"slices"
	"testing"
)

// What clients are told to change nothing, and setup lets them run without a question, takes no file to write.
func TestToolsThatOnlyReadWriteNoFiles(t *testing.T) {
	reading := 0
	for _, tool := range Catalogue() {
		if !tool.ReadOnly {
			continue
		}
		reading++
		for _, mode := range tool.Modes() { // the schema shows some of their parameters only
			for _, p := range mode.Params {
				if slices.Contains([]string{"save_to", "overwrite", "output", "file_path"}, p.Name) {
					t.Errorf("%s %s has %s", tool.Name, mode.Name, p.Name)
				}
			}
		}
	}
	if reading == 0 {
		t.Error("no tool only reads")
	}
}
