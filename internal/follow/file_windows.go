package follow

import (
	"os"
	"syscall"
)

// identity is "": files are known by their first bytes.
func identity(os.FileInfo) string { return "" }

// deleted is true: it is not told whether a file was renamed.
func deleted(*os.File) bool { return true }

// OpenShared opens a file so that others may write to, rename and delete it.
func OpenShared(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	share := uint32(syscall.FILE_SHARE_READ | syscall.FILE_SHARE_WRITE | syscall.FILE_SHARE_DELETE)
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ, share, nil, syscall.OPEN_EXISTING, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
