//go:build unix && !linux

package launch

import (
	"os"
	"syscall"
	"unsafe"
)

// modes hands over the modes of a terminal, and sets them when change says so. A terminal that is gone has none.
func modes(control *os.File, change func(*syscall.Termios) bool) {
	conn, err := control.SyscallConn() // Fd would make reads of it endless
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { // a closed terminal has no modes
		var t syscall.Termios
		_, _, e := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGETA, uintptr(unsafe.Pointer(&t)))
		if e == 0 && change(&t) {
			_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCSETA, uintptr(unsafe.Pointer(&t)))
		}
	})
}
