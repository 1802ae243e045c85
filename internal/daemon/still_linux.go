package daemon

import (
	"bytes"
	"fmt"
	"os"
)

// still reports whether a process was stopped, is being debugged, or waits for a disk.
func still(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	i := bytes.LastIndex(stat, []byte(") ")) // its name may have brackets
	return err == nil && i >= 0 && i+2 < len(stat) && bytes.IndexByte([]byte("TtD"), stat[i+2]) >= 0
}
