package main

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// nobodyReads returns a channel that is closed when a pipe or socket has lost its reader.
func nobodyReads(f *os.File) <-chan struct{} {
	type pollFd struct {
		fd      int32
		events  int16
		revents int16
	}
	const pollErr, pollHup = 0x8, 0x10
	gone := make(chan struct{})
	fd := int32(f.Fd())
	go func() {
		for {
			p := pollFd{fd: fd} // errors and hang-ups are told without being asked for
			_, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, 0, 0, 0, 0)
			if p.revents&(pollErr|pollHup) != 0 {
				close(gone)
				return
			}
			if errno != 0 && !errors.Is(errno, syscall.EINTR) {
				return // not to be known; the end of stdin tells
			}
		}
	}()
	return gone
}
