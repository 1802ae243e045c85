//go:build unix

package follow

import (
	"fmt"
	"os"
	"syscall"
)

// identity names a file on this machine for as long as it exists.
func identity(info os.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%x:%x", st.Dev, st.Ino)
	}
	return ""
}

// deleted reports whether no path means an open file any more.
func deleted(file *os.File) bool {
	info, err := file.Stat()
	if err != nil {
		return true
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
}

// OpenShared opens a file so that others may rename it. It does not wait for the other end of a FIFO.
func OpenShared(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
