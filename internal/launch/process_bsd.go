//go:build unix && !linux

package launch

import (
	"os"
	"syscall"
	"unsafe"
)

// interrupts reports whether a terminal turns Ctrl-C into a signal.
func interrupts(control *os.File) (yes bool) {
	modes(control, func(t *syscall.Termios) bool {
		yes = t.Lflag&syscall.ISIG != 0
		return false
	})
	return yes
}

// keepNewlines has a terminal pass newlines on as they are: where it is shown, they are completed.
func keepNewlines(control *os.File) {
	modes(control, func(t *syscall.Termios) bool {
		t.Oflag &^= syscall.ONLCR
		return true
	})
}

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
