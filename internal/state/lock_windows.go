package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

const sharingViolation = syscall.Errno(32)

// Lock opens a file for writing and lets others only read it until it is closed. An error means
// that another process has it.
func Lock(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, fmt.Errorf("%s is held by another process: %w", path, err)
	}
	return os.NewFile(uintptr(h), path), nil
}

// Locked reports whether another process has the file open for writing alone.
func Locked(path string) (bool, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, sharingViolation):
		return true, nil
	case err != nil:
		return false, err
	}
	return false, f.Close()
}
