package daemon

import (
	"bytes"
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
		for _, name := range []string{"save_to", "overwrite", "output", "file_path"} {
			if bytes.Contains(tool.Schema(), []byte(`"`+name+`"`)) {
				t.Errorf("%s has %s", tool.Name, name)
			}
		}
	}
	if reading == 0 {
		t.Error("no tool only reads")
	}
}
